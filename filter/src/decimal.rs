//! Decimal numbers as bytes, both ways. The formatting of `std` costs several times as much, and this runs per
//! response.

/// Appends `number` in decimal.
pub(crate) fn push(out: &mut Vec<u8>, mut number: u64) {
    let from = out.len();
    loop {
        out.push(b'0'.wrapping_add(u8::try_from(number % 10).unwrap_or(0)));
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(from..) {
        digits.reverse();
    }
}

/// Parses a text of digits only. A text of more than 19 digits gives `u64::MAX`: 19 digits always fit, and checking
/// each multiplication for overflow takes 128-bit arithmetic, which WebAssembly does not have.
pub(crate) fn parse(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if text.len() > 19 {
        return Some(u64::MAX);
    }
    let digits = text.iter().map(|digit| u64::from(digit & 0xf));
    Some(digits.fold(0, |number: u64, digit| number.wrapping_mul(10).wrapping_add(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        for number in [0, 1, 9, 10, 42, 100, 65_535, 9_999_999_999_999_999_999, u64::MAX] {
            let mut text = b"x".to_vec();
            push(&mut text, number);
            assert_eq!(text, format!("x{number}").into_bytes());
            assert_eq!(parse(&text[1..]), Some(number));
        }
    }

    #[test]
    fn more_than_any_number() {
        assert_eq!(parse("9".repeat(20).as_bytes()), Some(u64::MAX));
        assert_eq!(parse("9".repeat(2000).as_bytes()), Some(u64::MAX));
    }

    #[test]
    fn no_number() {
        for text in ["", " 1", "1 ", "+1", "-1", "0x1", "1,1", ":", "\u{661}"] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
