//! What class of text a string holds, told from its bytes.
//!
//! A class is evidence of what a field is, never a validation: it looks at as few bytes as tell the classes apart.

use crate::plan::spec::{Format, Kind};
use crate::text::is_scalar;

/// The longest string that is looked into. RFC 5321 allows 254 bytes for an address; longer strings are prose.
const MAX_BYTES: usize = 254;

/// The class of a string, from what is between its quotes, escapes as they stand.
pub(crate) fn classify(inside: &[u8]) -> Option<Format> {
    if inside.len() > MAX_BYTES {
        return starts_as_uri(inside).then_some(Format::Uri);
    }
    match *inside.first()? {
        b'0'..=b'9' | b'-' | b'+' if is_decimal(inside) => Some(Format::Decimal),
        b'0'..=b'9' if is_ip(inside) => Some(Format::Ip),
        b'0'..=b'9' => dated(inside).or_else(|| other(inside)),
        _ => other(inside),
    }
}

/// The kind of a number or literal that is well formed.
pub(crate) fn scalar_kind(text: &[u8]) -> Kind {
    match text.first() {
        Some(b't' | b'f') => Kind::Boolean,
        Some(b'n') => Kind::Null,
        _ if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Kind::Number,
        _ => Kind::Integer,
    }
}

/// Dates and times begin with a digit.
fn dated(inside: &[u8]) -> Option<Format> {
    match inside {
        _ if is_uuid(inside) => Some(Format::Uuid),
        _ if is_time(inside) => Some(Format::Time),
        [date @ .., b'Z'] | date if is_date(date) => Some(Format::Date),
        _ => {
            let (date, rest) = inside.split_at_checked(10)?;
            let parted = matches!(rest.first(), Some(b'T' | b't' | b' '));
            (is_date(date) && parted && rest.get(1).is_some_and(u8::is_ascii_digit)).then_some(Format::DateTime)
        }
    }
}

fn other(inside: &[u8]) -> Option<Format> {
    match inside {
        _ if is_uuid(inside) => Some(Format::Uuid),
        _ if starts_as_uri(inside) => Some(Format::Uri),
        _ if is_email(inside) => Some(Format::Email),
        _ if is_ip(inside) => Some(Format::Ip),
        _ => None,
    }
}

/// Whether it could stand in JSON as a number, leading zeros and a plus sign apart.
fn is_decimal(inside: &[u8]) -> bool {
    let unsigned = inside.strip_prefix(b"-").or_else(|| inside.strip_prefix(b"+")).unwrap_or(inside);
    let more = unsigned.len().saturating_sub(1);
    let zeros = unsigned.iter().take(more).take_while(|byte| **byte == b'0').count();
    unsigned.first() != Some(&b'-') && is_scalar(unsigned.get(zeros..).unwrap_or_default())
}

/// `YYYY-MM-DD`, or with slashes.
fn is_date(inside: &[u8]) -> bool {
    let &[y0, y1, y2, y3, first, m0, m1, second, d0, d1] = inside else { return false };
    let digits = [y0, y1, y2, y3, m0, m1, d0, d1].iter().all(u8::is_ascii_digit);
    digits && first == second && matches!(first, b'-' | b'/') && m0 <= b'1' && d0 <= b'3'
}

/// `hh:mm` or `hh:mm:ss`, and a fraction or a zone after it.
fn is_time(inside: &[u8]) -> bool {
    let [h0 @ b'0'..=b'2', h1, b':', m0 @ b'0'..=b'5', m1, rest @ ..] = inside else { return false };
    let digits = [h0, h1, m0, m1].iter().all(|byte| byte.is_ascii_digit());
    digits && rest.len() <= 16 && rest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b'+' | b'-' | b'Z'))
}

fn is_uuid(inside: &[u8]) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, &u8)| if dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
    inside.len() == 36 && inside.iter().enumerate().all(fits)
}

/// A scheme of RFC 3986 and `//`, its slashes escaped or not.
fn starts_as_uri(inside: &[u8]) -> bool {
    let scheme = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    let rest = inside.get(scheme.count()..).unwrap_or_default();
    inside.first().is_some_and(u8::is_ascii_alphabetic) && (rest.starts_with(b"://") || rest.starts_with(br":\/\/"))
}

/// One `@` with a dot after it, and no white space.
fn is_email(inside: &[u8]) -> bool {
    let Some(at) = inside.iter().position(|byte| *byte == b'@').filter(|at| *at > 0) else { return false };
    let host = inside.get(at.saturating_add(1)..).unwrap_or_default();
    let dotted = host.iter().skip(1).any(|byte| *byte == b'.') && host.last() != Some(&b'.');
    dotted && !host.contains(&b'@') && !inside.iter().any(|byte| matches!(byte, b' ' | b'\\' | b'/' | b','))
}

/// Four decimal bytes, or groups of hexadecimal digits with at least two colons.
fn is_ip(inside: &[u8]) -> bool {
    if inside.contains(&b':') {
        let groups = inside.split(|byte| *byte == b':').count();
        return groups >= 3
            && inside.len() <= 45
            && inside.iter().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
    }
    let byte = |part: &[u8]| {
        let value = part.iter().try_fold(0u32, |value, digit| {
            digit.is_ascii_digit().then(|| value.saturating_mul(10).saturating_add(u32::from(digit.wrapping_sub(b'0'))))
        });
        !part.is_empty() && part.len() <= 3 && value.is_some_and(|value| value <= 255)
    };
    inside.len() <= 15 && inside.split(|byte| *byte == b'.').count() == 4 && inside.split(|b| *b == b'.').all(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_told_by_what_they_hold() {
        let rows = [
            ("2026-11-21", Some(Format::Date)),
            ("2026/11/21", Some(Format::Date)),
            ("2026-11-21T10:00:00Z", Some(Format::DateTime)),
            ("2026-11-21 10:00:00.5+01:00", Some(Format::DateTime)),
            ("10:30", Some(Format::Time)),
            ("10:30:59.123Z", Some(Format::Time)),
            ("ada@example.com", Some(Format::Email)),
            ("@ada", None),
            ("ada@host", None),
            ("write to ada@example.com", None),
            ("550e8400-e29b-41d4-a716-446655440000", Some(Format::Uuid)),
            ("a50e8400-e29b-41d4-a716-446655440000", Some(Format::Uuid)),
            ("https://example.com/a?b=c@d.e", Some(Format::Uri)),
            ("https:\\/\\/example.com", Some(Format::Uri)),
            ("192.168.0.1", Some(Format::Ip)),
            ("1.2.3.400", None),
            ("2001:db8::1", Some(Format::Ip)),
            ("::1", Some(Format::Ip)),
            ("19.99", Some(Format::Decimal)),
            ("-5", Some(Format::Decimal)),
            ("+007.50", Some(Format::Decimal)),
            ("0", Some(Format::Decimal)),
            ("00", Some(Format::Decimal)),
            ("1e9", Some(Format::Decimal)),
            (".5", None),
            ("--5", None),
            ("-", None),
            ("12ab", None),
            ("USD", None),
            ("", None),
            ("Ada Lovelace", None),
        ];
        for (text, class) in rows {
            assert_eq!(classify(text.as_bytes()), class, "{text}");
        }
    }

    #[test]
    fn prose_is_not_looked_into() {
        assert_eq!(classify("1".repeat(300).as_bytes()), None);
        assert_eq!(classify(format!("https://example.com/{}", "a".repeat(300)).as_bytes()), Some(Format::Uri));
    }

    #[test]
    fn whole_numbers_are_a_kind_of_their_own() {
        let rows = [
            ("12", Kind::Integer),
            ("-0", Kind::Integer),
            ("1.0", Kind::Number),
            ("1E5", Kind::Number),
            ("true", Kind::Boolean),
            ("null", Kind::Null),
        ];
        for (text, kind) in rows {
            assert_eq!(scalar_kind(text.as_bytes()), kind, "{text}");
        }
    }
}
