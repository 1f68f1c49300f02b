//! Round numbers on axes, and values with Grafana's units.

/// The mapping of values to the height of an axis.
#[derive(Clone, Copy, Debug)]
pub enum Scale {
    /// From 0 to this many steps of this size.
    Linear { step: f64, steps: u32 },
    /// Between these powers of ten.
    Logarithmic { from: i32, to: i32 },
}

impl Scale {
    /// Returns a scale from 0 to at least this value.
    pub fn linear(most: f64, unit: &str) -> Self {
        let step = step(if most > 0.0 { most } else { 1.0 }, unit);
        // A step is at least a quarter of the maximum.
        let steps = (1..=3).find(|steps| f64::from(*steps) * step >= most * 0.9999).unwrap_or(4);
        Self::Linear { step, steps }
    }

    /// Returns a scale that contains these values.
    pub fn logarithmic(least: f64, most: f64) -> Self {
        let power = |value: f64| (-9..=12).rev().find(|power| 10_f64.powi(*power) <= value).unwrap_or_default();
        let from = power(least);
        Self::Logarithmic { from, to: power(most).max(from) + 1 }
    }

    /// Returns the position of a value, from 0 at the bottom to 1 at the top.
    pub fn share(self, value: f64) -> f64 {
        match self {
            Self::Linear { step, steps } => value / (step * f64::from(steps)),
            Self::Logarithmic { from, to } => {
                (value.max(f64::MIN_POSITIVE).log10() - f64::from(from)) / f64::from(to - from)
            }
        }
    }

    /// Returns the round values on the scale.
    pub fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear { step, steps } => (0..=steps).map(|at| f64::from(at) * step).collect(),
            Self::Logarithmic { from, to } => (from..=to).map(|power| 10_f64.powi(power)).collect(),
        }
    }
}

/// Returns the step between the lines of an axis up to `most`: a round number that gives at most four lines.
fn step(most: f64, unit: &str) -> f64 {
    let rough = most / 4.0;
    if unit == "bytes" {
        return rough.log2().ceil().exp2();
    }
    let magnitude = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].map(|round| round * magnitude).into_iter().find(|step| *step >= rough).unwrap_or(rough)
}

/// Formats a value as Grafana does.
pub fn value(value: f64, unit: &str) -> String {
    match unit {
        "percentunit" => format!("{}%", short(value * 100.0)),
        "reqps" => format!("{} req/s", short(value)),
        "ops" => format!("{} ops/s", short(value)),
        "pps" => format!("{} p/s", short(value)),
        "\u{b5}s" => scaled(value, 1000.0, &[" \u{b5}s", " ms", " s"]),
        "bytes" => scaled(value, 1024.0, &[" B", " KiB", " MiB", " GiB"]),
        _ => short(value),
    }
}

/// Formats the time of day, in UTC.
pub fn time(seconds: f64) -> String {
    let of_day = seconds.rem_euclid(86400.0);
    format!(
        "{:02.0}:{:02.0}:{:02.0}",
        (of_day / 3600.0).floor(),
        (of_day / 60.0).floor() % 60.0,
        (of_day % 60.0).floor()
    )
}

fn scaled(value: f64, base: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter().peekable();
    while let Some(unit) = units.next() {
        if value.abs() < base || units.peek().is_none() {
            return format!("{}{unit}", short(value));
        }
        value /= base;
    }
    short(value)
}

/// Formats a number with three digits and no trailing zeros.
fn short(value: f64) -> String {
    if value.abs() >= 10_000.0 {
        return format!("{} K", short(value / 1000.0));
    }
    let decimals = if value == 0.0 || value.abs() >= 100.0 { 0 } else { usize::from(value.abs() < 10.0) + 1 };
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_people_write_them() {
        for (number, unit, expected) in [
            (0.0, "reqps", "0 req/s"),
            (62.46, "reqps", "62.5 req/s"),
            (0.125, "percentunit", "12.5%"),
            (1.0, "percentunit", "100%"),
            (24.6, "\u{b5}s", "24.6 \u{b5}s"),
            (1500.0, "\u{b5}s", "1.5 ms"),
            (700.0, "bytes", "700 B"),
            (2048.0, "bytes", "2 KiB"),
            (12345.0, "short", "12.3 K"),
            (5.0, "short", "5"),
        ] {
            assert_eq!(value(number, unit), expected);
        }
    }

    #[test]
    fn axes_have_round_steps() {
        for (scale, expected) in [
            (Scale::linear(70.0, "reqps"), vec![0.0, 20.0, 40.0, 60.0, 80.0]),
            (Scale::linear(1.0, "percentunit"), vec![0.0, 0.25, 0.5, 0.75, 1.0]),
            (Scale::linear(3000.0, "bytes"), vec![0.0, 1024.0, 2048.0, 3072.0]),
            (Scale::logarithmic(16.0, 1300.0), vec![10.0, 100.0, 1000.0, 10000.0]),
        ] {
            let found = scale.ticks();
            let close = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(close && found.len() == expected.len(), "{scale:?}: {found:?}");
        }
    }
}
