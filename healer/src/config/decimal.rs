//! Numbers as people and protobuf write them: `1048576`, `1048576.0`, `1.048576e+06`, `.85`.

/// An exact decimal number: `digits` times ten to the power of `exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Reads a number. Returns `None` if the text is no number, or has more digits than any setting needs.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (negative, unsigned) = sign(text.as_bytes());
        let (mantissa, exponent) = match split(unsigned, |byte| matches!(byte, b'e' | b'E')) {
            Some((mantissa, exponent)) => (mantissa, integer(exponent)?),
            None => (unsigned, 0),
        };
        if matches!(mantissa, b"" | b".") {
            return None;
        }
        let (whole, mut fraction) = split(mantissa, |byte| byte == b'.').unwrap_or((mantissa, b""));
        while let Some((b'0', rest)) = fraction.split_last() {
            fraction = rest;
        }
        let places = i32::try_from(fraction.len()).ok()?;
        let digits = push_digits(push_digits(0, whole)?, fraction)?;
        Some(Decimal { negative, digits, exponent: exponent.checked_sub(places)? })
    }

    /// Returns the number times ten to the power of `places`, if that is whole and not negative.
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

    /// Returns the number, if it is whole and not negative.
    pub fn whole(self) -> Option<u64> {
        self.scaled(0)
    }
}

/// Splits off the sign: whether the number is negative, and the rest.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((sign @ (b'+' | b'-'), unsigned)) => (*sign == b'-', unsigned),
        _ => (false, text),
    }
}

/// Returns what is before and behind the first byte for which `is_such` holds.
fn split(text: &[u8], is_such: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let (before, rest) = text.split_at_checked(text.iter().position(|byte| is_such(*byte))?)?;
    Some((before, rest.get(1..)?))
}

fn integer(text: &[u8]) -> Option<i32> {
    let (negative, digits) = sign(text);
    let magnitude = i64::try_from(push_digits(0, digits)?).ok().filter(|_| !digits.is_empty())?;
    i32::try_from(if negative { magnitude.checked_neg()? } else { magnitude }).ok()
}

fn push_digits(number: u64, digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(number, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
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
            ("0e-2147483648", Some(0)),
            ("0e-2147483649", None),
            ("1.", Some(1)),
            (".00", Some(0)),
            ("1.2.3", None),
            ("1é", None),
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
