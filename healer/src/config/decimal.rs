//! Numbers as people and protobuf write them: `1048576`, `1048576.0`, `1.048576e+06`, `.85`.

/// A decimal number, exact: `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Reads a number; nothing if it is none, or has more digits than any setting needs.
    pub fn parse(text: &str) -> Option<Decimal> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, integer(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let places = i32::try_from(fraction.len()).ok()?;
        if mantissa.len() < 2 && mantissa.starts_with('.') {
            return None;
        }
        let digits = whole.chars().chain(fraction.chars()).try_fold(0_u64, push_digit)?;
        let exponent = exponent.checked_sub(places)?;
        (!mantissa.is_empty()).then_some(Decimal { negative: text.starts_with('-'), digits, exponent })
    }

    /// The number times ten to the power of `places`, where that is a whole number and not negative.
    pub fn scaled(self, places: u8) -> Option<u64> {
        let exponent = self.exponent.checked_add(i32::from(places))?;
        let power = 10_u64.checked_pow(exponent.unsigned_abs());
        let magnitude = match (self.digits, power) {
            (0, _) => 0,
            (digits, power) if exponent >= 0 => digits.checked_mul(power?)?,
            (digits, power) => digits.checked_rem(power?).filter(|rest| *rest == 0).and(digits.checked_div(power?))?,
        };
        (magnitude == 0 || !self.negative).then_some(magnitude)
    }

    /// The number, where it is whole and not negative.
    pub fn whole(self) -> Option<u64> {
        self.scaled(0)
    }
}

fn integer(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn push_digit(digits: u64, c: char) -> Option<u64> {
    digits.checked_mul(10)?.checked_add(u64::from(c.to_digit(10)?))
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn whole_numbers_are_read_however_they_are_written() {
        let rows = [
            ("1048576", Some(1_048_576)),
            ("1048576.0", Some(1_048_576)),
            ("1.048576e+06", Some(1_048_576)),
            ("1.048576E6", Some(1_048_576)),
            ("10485760e-1", Some(1_048_576)),
            ("+3", Some(3)),
            ("0", Some(0)),
            ("-0", Some(0)),
            ("0e99999", Some(0)),
            ("-1", None),
            ("1.5", None),
            ("1e-1", None),
            ("1e99", None),
            ("1e99999999999", None),
            ("99999999999999999999", None),
            ("", None),
            (".", None),
            ("-", None),
            ("e5", None),
            ("1e", None),
            ("1e+-5", None),
            ("0x10", None),
            ("1_000", None),
            ("1 MiB", None),
            ("inf", None),
        ];
        for (text, expected) in rows {
            assert_eq!(Decimal::parse(text).and_then(Decimal::whole), expected, "{text}");
        }
    }

    #[test]
    fn fractions_are_read_in_parts() {
        let rows = [("0.85", Some(850)), (".5", Some(500)), ("5e-2", Some(50)), ("1", Some(1000)), ("0.0001", None)];
        for (text, expected) in rows {
            assert_eq!(Decimal::parse(text).and_then(|number| number.scaled(3)), expected, "{text}");
        }
    }
}
