//! Values, read where they stand.

use super::Miss;
use crate::scan::{Masks, Wide};
use crate::text::{character, first_other_than_digits, is_scalar};

/// Bytes of a vector.
const LANE: usize = 16;
/// The longest escape: with fewer bytes to see, more are waited for.
const ENOUGH: usize = 6;

/// The end of the well-formed value that starts at an offset: a string or scalar, or an array of those if it may be one.
#[inline(always)]
pub(super) fn skip(bytes: &[u8], at: usize, is_array: bool) -> Result<usize, Miss> {
    match bytes.get(at) {
        Some(b'"') => string(bytes, at.wrapping_add(1)),
        Some(b'0'..=b'9' | b'-') => number(bytes, at),
        Some(b'[') if is_array => array(bytes, at.wrapping_add(1)),
        Some(b't' | b'f' | b'n') => literal(bytes, at),
        Some(_) => Err(Miss::Other),
        None => Err(Miss::Short),
    }
}

/// After the closing quote.
#[inline(always)]
fn string(bytes: &[u8], mut at: usize) -> Result<usize, Miss> {
    while let Some(lane) = lane(bytes, at) {
        let marks = Wide::marks(lane);
        at = at.wrapping_add(marks.trailing_zeros().min(LANE as u32) as usize);
        if marks != 0 {
            if bytes.get(at) == Some(&b'"') {
                return Ok(at.wrapping_add(1));
            }
            break;
        }
    }
    rest_of_string(bytes, at)
}

/// As above, from an offset in a string on, where it has escapes, is not ASCII, or near the end of the bytes.
#[inline(never)]
fn rest_of_string(bytes: &[u8], mut at: usize) -> Result<usize, Miss> {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let len = match rest {
            [] => return Err(Miss::Short),
            [b'"', ..] => return Ok(at.wrapping_add(1)),
            [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'\\', b'u', digits @ ..] if starts_with_hex(digits) => ENOUGH,
            [b'\\', ..] => return Err(if rest.len() < ENOUGH { Miss::Short } else { Miss::Other }),
            [0..0x20, ..] => return Err(Miss::Other),
            [0x20..0x80, ..] => 1,
            _ => {
                let window = rest.first_chunk().ok_or(Miss::Short)?;
                character(window).ok_or(Miss::Other)?
            }
        };
        at = at.wrapping_add(len);
        while let Some(lane) = lane(bytes, at) {
            let marks = Wide::marks(lane);
            at = at.wrapping_add(marks.trailing_zeros().min(LANE as u32) as usize);
            if marks != 0 {
                break;
            }
        }
    }
}

fn starts_with_hex(digits: &[u8]) -> bool {
    digits.first_chunk::<4>().is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

#[inline(always)]
fn lane(bytes: &[u8], at: usize) -> Option<&[u8; LANE]> {
    bytes.get(at..).and_then(<[u8]>::first_chunk)
}

/// The end of a number. What comes after it is not looked at, unless it could go on.
#[inline(always)]
fn number(bytes: &[u8], at: usize) -> Result<usize, Miss> {
    if let Some((digits, next)) = digits(bytes, at)
        && (digits == 1 || digits > 1 && bytes.get(at) != Some(&b'0'))
    {
        let end = at.wrapping_add(digits);
        if !may_go_on(next) {
            return Ok(end);
        }
        let fraction = end.wrapping_add(1);
        if next == b'.'
            && let Some((digits, next)) = self::digits(bytes, fraction)
            && digits > 0
            && !may_go_on(next)
        {
            return Ok(fraction.wrapping_add(digits));
        }
    }
    any_number(bytes, at)
}

/// How many of the next seven bytes are digits before the first that is none, and what comes after them.
#[inline(always)]
fn digits(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let word = u64::from_le_bytes(*bytes.get(at..).and_then(<[u8]>::first_chunk::<8>)?);
    let bits = first_other_than_digits(word);
    Some(((bits >> 3) as usize, (word >> (bits & 63)) as u8))
}

/// Whether a number may have such a byte.
#[inline(always)]
fn may_go_on(next: u8) -> bool {
    matches!(next, b'0'..=b'9' | b'.' | b'e' | b'E')
}

#[inline(never)]
fn any_number(bytes: &[u8], at: usize) -> Result<usize, Miss> {
    let rest = bytes.get(at..).unwrap_or_default();
    let is_inside = |byte: &&u8| matches!(**byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let len = rest.iter().take_while(is_inside).count();
    match rest.get(..len) {
        _ if len == rest.len() => Err(Miss::Short),
        Some(text) if is_scalar(text) => Ok(at.wrapping_add(len)),
        _ => Err(Miss::Other),
    }
}

#[inline(always)]
fn literal(bytes: &[u8], at: usize) -> Result<usize, Miss> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<4>().map(|word| u32::from_le_bytes(*word)) {
        Some(word) if word == u32::from_le_bytes(*b"true") || word == u32::from_le_bytes(*b"null") => {
            Ok(at.wrapping_add(4))
        }
        Some(word) if word == u32::from_le_bytes(*b"fals") && rest.get(4) == Some(&b'e') => Ok(at.wrapping_add(5)),
        _ => {
            let is_cut = [&b"true"[..], b"false", b"null"].iter().any(|literal| literal.starts_with(rest));
            Err(if is_cut { Miss::Short } else { Miss::Other })
        }
    }
}

/// After the bracket that closes an array of strings and scalars.
#[inline(never)]
fn array(bytes: &[u8], at: usize) -> Result<usize, Miss> {
    let mut at = white(bytes, at);
    if bytes.get(at) == Some(&b']') {
        return Ok(at.wrapping_add(1));
    }
    loop {
        at = white(bytes, skip_plain(bytes, at)?);
        match bytes.get(at) {
            Some(b',') => at = white(bytes, at.wrapping_add(1)),
            Some(b']') => return Ok(at.wrapping_add(1)),
            Some(_) => return Err(Miss::Other),
            None => return Err(Miss::Short),
        }
    }
}

/// An element of such an array.
fn skip_plain(bytes: &[u8], at: usize) -> Result<usize, Miss> {
    match bytes.get(at) {
        Some(b'"') => rest_of_string(bytes, at.wrapping_add(1)),
        Some(b'0'..=b'9' | b'-') => any_number(bytes, at),
        Some(b't' | b'f' | b'n') => literal(bytes, at),
        Some(_) => Err(Miss::Other),
        None => Err(Miss::Short),
    }
}

/// After white space.
pub(crate) fn white(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at = at.wrapping_add(1);
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What ends at an offset ends there whatever the parser, and what is refused is refused.
    fn agrees(text: &[u8], is_array: bool) -> Result<(), TestCaseError> {
        let parsed = std::str::from_utf8(text).ok().and_then(|text| {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
            values.next().and_then(Result::ok).map(|value| value.get().len())
        });
        let mut padded = text.to_vec();
        padded.extend_from_slice(b"}                ");
        match skip(&padded, 0, is_array) {
            Ok(end) => prop_assert_eq!(parsed, Some(end), "{:?}", String::from_utf8_lossy(text)),
            Err(Miss::Short) => prop_assert!(parsed.is_none()),
            Err(Miss::Other) => prop_assert!(parsed.is_none() || !is_array),
        }
        for cut in 0..text.len() {
            if let (Ok(end), Some(len)) = (skip(&text[..cut], 0, is_array), parsed) {
                prop_assert_eq!(end, len, "{:?} cut at {}", String::from_utf8_lossy(text), cut);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn strings_end_where_a_parser_has_them_end(inside in proptest::collection::vec(
            prop_oneof![
                6 => Just("abcdefg".to_owned()),
                2 => Just("é".to_owned()), 2 => Just("漢😀".to_owned()), 1 => Just("\\n".to_owned()),
                1 => Just("\\u00e9".to_owned()), 1 => Just("\\\"".to_owned()), 1 => Just("\\x".to_owned()),
                1 => Just("\u{7f}".to_owned()), 1 => Just("\t".to_owned()), 1 => Just("\\u12".to_owned()),
            ], 0..8), broken in proptest::option::of((any::<proptest::sample::Index>(), 0x80u8..)))
        {
            let mut text = format!("\"{}\"", inside.concat()).into_bytes();
            if let Some((at, byte)) = broken {
                let at = at.index(text.len());
                text[at] = byte;
            }
            agrees(&text, true)?;
        }

        #[test]
        fn numbers_and_literals_end_where_a_parser_has_them_end(
            text in "(-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?|true|false|null|-?0[0-9]|[0-9]*\\.|1e)")
        {
            // What stands after a number that ends too early makes it none; the skeleton is compared there.
            let whole = skip(format!("{text}}}                ").as_bytes(), 0, false);
            let parsed = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(whole == Ok(text.len()), parsed && !text.is_empty(), "{}", text);
        }

        #[test]
        fn arrays_end_where_a_parser_has_them_end(items in proptest::collection::vec(
            proptest::sample::select(vec!["1", "\"a\"", "-0.5e3", "null", "true", " 2 ", "\"\\u0041\"", "01", "[]"]), 0..5))
        {
            let text = format!("[{}]", items.join(","));
            if !text[1..].contains('[') {
                agrees(text.as_bytes(), true)?;
            }
            prop_assert_eq!(skip(text.as_bytes(), 0, false), Err(Miss::Other));
        }
    }
}
