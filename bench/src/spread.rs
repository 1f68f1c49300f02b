//! Statistics over rounds: the median, the quartiles, and a confidence interval of the median.

use crate::engine::median;
use crate::section::Cell;

/// The maximum probability that the interval of a [`Spread`] does not contain the median.
const DOUBT: f64 = 0.05;

/// Statistics of repeated measurements of one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The quartiles: a quarter of the values is below the first, and a quarter above the second. `None` for fewer than
    /// four values.
    pub quartiles: Option<[f64; 2]>,
    /// An interval that contains the true median in at least 95 of 100 runs. `None` for fewer than six values.
    ///
    /// It consists of the values at two ranks. For any distribution of values, the number of values on one side of the
    /// true median is distributed like the number of heads in as many throws of a coin.
    pub interval: Option<[f64; 2]>,
}

impl Spread {
    /// Returns the statistics of these values.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let quartiles = (values.len() >= 4).then(|| [quantile(&values, 25), quantile(&values, 75)]);
        let interval = cut(values.len()).map(|cut| [values[cut], values[values.len() - 1 - cut]]);
        Spread { median: median(values), quartiles, interval }
    }

    /// Returns the statistics of the differences of two sides within rounds.
    pub fn of_differences(own: &[f64], base: &[f64]) -> Self {
        Spread::of(own.iter().zip(base).map(|(own, base)| own - base).collect())
    }

    /// Returns the statistics of the quotients of two sides within rounds.
    pub fn of_quotients(own: &[f64], base: &[f64]) -> Self {
        Spread::of(own.iter().zip(base).map(|(own, base)| own / base).collect())
    }

    /// Applies an increasing function to all values.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Self {
        Spread {
            median: change(self.median),
            quartiles: self.quartiles.map(|quartiles| quartiles.map(&change)),
            interval: self.interval.map(|interval| interval.map(&change)),
        }
    }

    /// Returns the quartiles and the interval as cells of a table.
    pub fn cells(&self, digits: usize) -> [Cell; 2] {
        [self.quartiles, self.interval].map(|pair| pair.map_or(Cell::Nothing, |pair| from_to(pair, digits).into()))
    }
}

/// Returns the quantile of sorted values: the nearest value at or above it.
pub fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}

/// Formats two values as a range.
pub fn from_to([low, high]: [f64; 2], digits: usize) -> String {
    format!("{low:.digits$} to {high:.digits$}")
}

/// Returns how many values may be left out at either end.
#[allow(clippy::cast_precision_loss)]
fn cut(values: usize) -> Option<usize> {
    // The sum over the binomial distribution, from its end.
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

    /// The expected numbers are those in tables of the sign test.
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
