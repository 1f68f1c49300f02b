//! What rounds have in common, and how surely one knows: the median, the quartiles, and an interval for the median.

use crate::engine::median;
use crate::section::Cell;

/// How often at most the interval of a [`Spread`] may lie beside what it is for.
const DOUBT: f64 = 0.05;

/// Many values of what should always be the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The middle one.
    pub median: f64,
    /// A quarter of the values is below the first, a quarter above the second; none for fewer than four values.
    pub quartiles: Option<[f64; 2]>,
    /// Where the median of infinitely many values would lie, in 95 of 100 runs at the least; none for fewer than six values.
    ///
    /// These are the values of two ranks: so many of n values lie on one side of the true median as n throws of a coin
    /// show heads, whatever the values are distributed like.
    pub interval: Option<[f64; 2]>,
}

impl Spread {
    /// Of these values.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let quartiles = (values.len() >= 4).then(|| [quantile(&values, 25), quantile(&values, 75)]);
        let interval = cut(values.len()).map(|cut| [values[cut], values[values.len() - 1 - cut]]);
        Spread { median: median(values), quartiles, interval }
    }

    /// Of the differences of two sides within rounds.
    pub fn of_differences(own: &[f64], base: &[f64]) -> Self {
        Spread::of(own.iter().zip(base).map(|(own, base)| own - base).collect())
    }

    /// Of the quotients of two sides within rounds.
    pub fn of_quotients(own: &[f64], base: &[f64]) -> Self {
        Spread::of(own.iter().zip(base).map(|(own, base)| own / base).collect())
    }

    /// With everything made into something else, which grows with it.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Spread {
            median: change(self.median),
            quartiles: self.quartiles.map(|quartiles| quartiles.map(&change)),
            interval: self.interval.map(|interval| interval.map(&change)),
        }
    }

    /// The quartiles and the interval, for people.
    pub fn cells(&self, digits: usize) -> [Cell; 2] {
        [self.quartiles, self.interval].map(|pair| pair.map_or(Cell::Nothing, |pair| from_to(pair, digits).into()))
    }
}

/// Of sorted values, the nearest at or above.
pub fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}

/// Two values, for people.
pub fn from_to([low, high]: [f64; 2], digits: usize) -> String {
    format!("{low:.digits$} to {high:.digits$}")
}

/// How many values may be left out at either end.
#[allow(clippy::cast_precision_loss)]
fn cut(values: usize) -> Option<usize> {
    // The binomial distribution, from its end.
    let mut share = 0.5_f64.powi(i32::try_from(values).ok()?);
    let mut beyond = share;
    let mut cut = None;
    for below in 0..values / 2 {
        if 2.0 * beyond > DOUBT {
            break;
        }
        cut = Some(below);
        share *= (values - below) as f64 / (below + 1) as f64;
        beyond += share;
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As tables of the sign test have it.
    #[test]
    fn so_many_may_be_left_out() {
        for (values, expected) in [
            (0, None),
            (5, None),
            (6, Some(0)),
            (8, Some(0)),
            (9, Some(1)),
            (12, Some(2)),
            (20, Some(5)),
            (75, Some(28)),
        ] {
            assert_eq!(cut(values), expected, "{values} values");
        }
    }

    #[test]
    fn values_are_summed_up() {
        let spread = Spread::of_differences(&[3.0, 5.0, 9.0, 7.0, 4.0, 8.0, 6.0, 2.0, 12.0], &[1.0; 9]);
        let expected = Spread { median: 5.0, quartiles: Some([3.0, 7.0]), interval: Some([2.0, 8.0]) };
        assert_eq!(spread, expected);
        assert_eq!(spread.cells(1), ["3.0 to 7.0", "2.0 to 8.0"].map(Cell::from));
        assert_eq!(spread.map(|value| value * 2.0).cells(0), ["6 to 14", "4 to 16"].map(Cell::from));
        assert_eq!(Spread::of_quotients(&[6.0, 4.0], &[3.0, 4.0]).cells(1), [Cell::Nothing, Cell::Nothing]);
    }

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!([50, 99].map(|percent| quantile(&values, percent).to_string()), ["100", "198"]);
        assert!(quantile(&[], 50).is_nan());
    }
}
