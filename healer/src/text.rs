//! The texts of JSON: scalars, string escapes, names.

use crate::scan::{BLOCK, Masks, Wide};
use std::borrow::Cow;

/// A one in each byte of a word. Its multiples have one value in each.
pub(crate) const EACH: u64 = 0x0101_0101_0101_0101;

/// Whether `bytes` is one number or literal (RFC 8259, sections 3 and 6) with nothing around it.
pub(crate) fn is_scalar(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(b'-' | b'0'..=b'9') => is_number(bytes),
        Some(b't') => bytes == b"true",
        Some(b'f') => bytes == b"false",
        Some(b'n') => bytes == b"null",
        _ => false,
    }
}

/// Returns the start of the first marked scalar that is not well formed. `marks`: see
/// [`crate::scan::Scanner::scalars`].
pub(crate) fn bad_scalar(bytes: &[u8], marks: &[u32]) -> Option<usize> {
    for at in marks {
        let at = *at as usize;
        if !is_surely_scalar(bytes, at)
            && let Some(bad) = bad_scalar_around(bytes, at)
        {
            return Some(bad);
        }
    }
    None
}

/// Whether the scalar at a mark is a literal, zero, or digits with a dot among them. `false` proves nothing. What comes
/// next is random, so the test is free of branches, and of choices between two values, which V8 compiles to branches.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "without branches")]
fn is_surely_scalar(bytes: &[u8], at: usize) -> bool {
    const TRUE: u64 = u64::from_le_bytes(*b"\0\0\0\0true");
    const NULL: u64 = u64::from_le_bytes(*b"\0\0\0\0null");
    const FALSE: u64 = u64::from_le_bytes(*b"\0\0\0false");
    // The byte before is included. There always is one, because the scalar is inside a container.
    let around = bytes.get(at.wrapping_sub(1)..).and_then(<[u8]>::first_chunk::<9>);
    let Some([before, word @ ..]) = around else { return false };
    let word = u64::from_le_bytes(*word);
    let ends = |bit: u32| ENDS.get((word >> (bit & 63)) as usize & 0xff).copied().unwrap_or(false);
    let is_four = ((word << 32 == TRUE) | (word << 32 == NULL)) & ends(32);
    let is_five = (word << 24 == FALSE) & ends(40);
    let is_zero = (word as u8 == b'0') & ends(8);
    // If the mark is not at the start of the scalar, digits stand before it.
    let follows_digits = before.is_ascii_digit();
    let end_of_fraction = first_other_than_digits(word >> 8).wrapping_add(8);
    let is_fraction = (word as u8 == b'.') & (end_of_fraction > 8) & ends(end_of_fraction);
    ((is_four | is_five | is_zero) & !follows_digits) | (is_fraction & follows_digits)
}

/// The bytes that may follow a scalar.
static ENDS: [bool; 256] = set_of(b",}] \t\n\r");

/// Returns a set of bytes as a table.
#[expect(clippy::indexing_slicing, reason = "at compile time")]
pub(crate) const fn set_of(mut bytes: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    while let [byte, rest @ ..] = bytes {
        set[*byte as usize] = true;
        bytes = rest;
    }
    set
}

/// Returns the index of the first bit of the first byte that is not a digit.
#[inline(always)]
pub(crate) fn first_other_than_digits(word: u64) -> u32 {
    let values = word ^ EACH.wrapping_mul(0x30);
    let other = (values & EACH.wrapping_mul(0x7f)).wrapping_add(EACH.wrapping_mul(0x76)) | values;
    ((other & EACH << 7) | 1 << 63).trailing_zeros() & !7
}

/// Checks all of a marked scalar. Returns its start if it is not well formed.
#[inline(never)]
fn bad_scalar_around(bytes: &[u8], at: usize) -> Option<usize> {
    let is_inside =
        |byte: &u8| !matches!(byte, b'{' | b'}' | b'[' | b']' | b':' | b',' | b'"' | b' ' | b'\t' | b'\n' | b'\r');
    let (before, after) = bytes.split_at_checked(at)?;
    let start = at.saturating_sub(before.iter().rev().take_while(|byte| is_inside(byte)).count());
    let end = at.saturating_add(after.iter().take_while(|byte| is_inside(byte)).count());
    if is_scalar(bytes.get(start..end).unwrap_or_default()) { None } else { Some(start) }
}

/// Returns where `bytes` stop being UTF-8, and whether that is because they end inside a character, as `str::from_utf8`
/// defines both. Most bytes of most bodies are ASCII, so other characters are checked one by one.
pub(crate) fn utf8_error(bytes: &[u8]) -> Option<(usize, bool)> {
    // All characters up to here are complete.
    let mut whole: usize = 0;
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (block, base) in blocks.iter().zip((0usize..).step_by(BLOCK)) {
        let ahead = |from: usize| u64::MAX.unbounded_shl(from.saturating_sub(base) as u32);
        let mut characters = Wide::non_ascii(block) & ahead(whole);
        while characters != 0 {
            let at = base.wrapping_add(characters.trailing_zeros() as usize);
            let Some(len) = bytes.get(at..).and_then(<[u8]>::first_chunk).and_then(character) else {
                return utf8_error_at(bytes, at, 4);
            };
            whole = at.wrapping_add(len);
            characters &= ahead(whole);
        }
    }
    utf8_error_at(bytes, whole.max(bytes.len().wrapping_sub(rest.len())), BLOCK)
}

/// Returns the first error in `len` bytes from the offset `at`, which is the start of a character.
fn utf8_error_at(bytes: &[u8], at: usize, len: usize) -> Option<(usize, bool)> {
    let rest = bytes.get(at..).unwrap_or_default();
    let error = std::str::from_utf8(rest.get(..len).unwrap_or(rest)).err()?;
    Some((at.saturating_add(error.valid_up_to()), error.error_len().is_none()))
}

/// Returns the length of the multi-byte character that starts with these bytes, or `None` if there is none (RFC 3629,
/// section 4).
#[inline(always)]
pub(crate) fn character(bytes: &[u8; 4]) -> Option<usize> {
    let word = u32::from_le_bytes(*bytes);
    if word & 0xc0e0 == 0x80c0 {
        return (word & 0x1e != 0).then_some(2);
    }
    if word & 0x00c0_c0f0 == 0x0080_80e0 {
        // Overlong encodings and surrogates are refused.
        return (!matches!(word & 0x200f, 0 | 0x200d)).then_some(3);
    }
    let plane = (word & 7) << 2 | (word >> 12 & 3);
    (word & 0xc0c0_c0f8 == 0x8080_80f0 && matches!(plane, 1..=16)).then_some(4)
}

/// Returns a string without its quotes.
pub(crate) fn unquoted(quoted: &[u8]) -> &[u8] {
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default()
}

/// Returns `bytes` without trailing white space.
pub(crate) fn trim_end(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t' | b'\n' | b'\r'] = bytes {
        bytes = rest;
    }
    bytes
}

fn is_number(bytes: &[u8]) -> bool {
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let rest = match unsigned {
        [b'0', rest @ ..] => rest,
        [b'1'..=b'9', rest @ ..] => skip_digits(rest),
        _ => return false,
    };
    let rest = match rest {
        [b'.', b'0'..=b'9', rest @ ..] => skip_digits(rest),
        rest => rest,
    };
    match rest {
        [] | [b'e' | b'E', b'0'..=b'9'] | [b'e' | b'E', b'+' | b'-', b'0'..=b'9'] => true,
        [b'e' | b'E', b'+' | b'-', b'0'..=b'9', rest @ ..] | [b'e' | b'E', b'0'..=b'9', rest @ ..] => {
            skip_digits(rest).is_empty()
        }
        _ => false,
    }
}

fn skip_digits(mut bytes: &[u8]) -> &[u8] {
    while let [b'0'..=b'9', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// Returns the first of these escaped characters that starts no valid escape sequence.
pub(crate) fn bad_escape(bytes: &[u8], escapes: &[u32]) -> Option<usize> {
    let is_bad = |at: &&u32| is_escape(bytes, **at as usize) != Some(true);
    escapes.iter().find(is_bad).map(|at| *at as usize)
}

/// Whether what may follow a backslash is at an offset. `None`: there are too few bytes to tell.
#[inline(always)]
pub(crate) fn is_escape(bytes: &[u8], at: usize) -> Option<bool> {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(true),
        b'u' => {
            let are_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
            let digits = at.saturating_add(1);
            match bytes.get(digits..at.saturating_add(5)) {
                Some(digits) => Some(are_hex(digits)),
                None if are_hex(bytes.get(digits..).unwrap_or_default()) => None,
                None => Some(false),
            }
        }
        _ => Some(false),
    }
}

/// As [`decode`], without a copy if there is no escape.
pub(crate) fn decoded(inside: &[u8]) -> Cow<'_, [u8]> {
    if !inside.contains(&b'\\') {
        return Cow::Borrowed(inside);
    }
    let mut text = Vec::new();
    decode(inside, &mut text);
    Cow::Owned(text)
}

/// Appends the text that the inside of a string stands for. Its escapes must be well formed.
///
/// A surrogate without its other half becomes the three bytes that UTF-8 forbids for it, so it equals no name.
pub(crate) fn decode(mut inside: &[u8], into: &mut Vec<u8>) {
    loop {
        let plain = inside.iter().position(|byte| *byte == b'\\').unwrap_or(inside.len());
        let (before, rest) = inside.split_at_checked(plain).unwrap_or((inside, &[]));
        into.extend_from_slice(before);
        inside = match rest {
            [b'\\', b'u', rest @ ..] => decode_unit(rest, into),
            [b'\\', escape, rest @ ..] => {
                into.push(match escape {
                    b'b' => 0x08,
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                });
                rest
            }
            _ => return,
        };
    }
}

fn decode_unit<'a>(digits: &'a [u8], into: &mut Vec<u8>) -> &'a [u8] {
    let (unit, rest) = split_unit(digits);
    if (0xd800..0xdc00).contains(&unit)
        && let [b'\\', b'u', low_digits @ ..] = rest
        && let (low @ 0xdc00..0xe000, after) = split_unit(low_digits)
    {
        let point = 0x1_0000u32.wrapping_add((unit & 0x3ff) << 10).wrapping_add(low & 0x3ff);
        push_point(point, into);
        return after;
    }
    push_point(unit, into);
    rest
}

fn split_unit(digits: &[u8]) -> (u32, &[u8]) {
    let (hex, rest) = digits.split_at_checked(4).unwrap_or((digits, &[]));
    let nibble = |byte: u8| (byte as char).to_digit(16).unwrap_or(0);
    (hex.iter().fold(0, |unit, byte| (unit << 4) | nibble(*byte)), rest)
}

fn push_point(point: u32, into: &mut Vec<u8>) {
    if let Some(point) = char::from_u32(point) {
        into.extend_from_slice(point.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        let tail = |shift: u32| 0x80 | ((point >> shift) & 0x3f) as u8;
        into.extend_from_slice(&[0xe0 | (point >> 12) as u8, tail(6), tail(0)]);
    }
}

/// Returns `name` as a JSON string, including the quotes.
pub fn quoted(name: &str) -> Vec<u8> {
    let mut json = Vec::new();
    quote(name, &mut json);
    json
}

/// Appends `name` as a JSON string, including the quotes.
pub fn quote(name: &str, into: &mut Vec<u8>) {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let mut rest = name.as_bytes();
    into.reserve(rest.len().saturating_add(2));
    into.push(b'"');
    while let Some((plain, [special, after @ ..])) =
        rest.iter().position(is_special).and_then(|at| rest.split_at_checked(at))
    {
        into.extend_from_slice(plain);
        match special {
            0..0x20 => into.extend_from_slice(format!("\\u{special:04x}").as_bytes()),
            special => into.extend_from_slice(&[b'\\', *special]),
        }
        rest = after;
    }
    into.extend_from_slice(rest);
    into.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scanner;

    #[test]
    fn numbers_and_literals() {
        for good in ["0", "-0", "1.50", "1E400", "12345678901234567890123456789", "1e+5", "-1.0e-07", "true", "null"] {
            assert!(is_scalar(good.as_bytes()), "{good}");
        }
        for bad in
            ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 2", "tru", "truee", "NaN", "Infinity", "1.e1"]
        {
            assert!(!is_scalar(bad.as_bytes()), "{bad}");
        }
    }

    /// Tries every text of five bytes of which scalars are made, followed by bytes that may end one.
    #[test]
    fn marked_scalars_are_told_right() {
        let alphabet = *b"019.-e+tn x";
        for (number, after) in
            (0..alphabet.len().pow(5)).zip([&b",1,2,3,4,5"[..], b"}", b" ,2345678", b"]"].iter().cycle())
        {
            let text = [1, 11, 121, 1331, 14641].map(|power| alphabet[number / power % alphabet.len()]);
            for prefix in ["[", "[true,", "[\"\","] {
                check(&[prefix.as_bytes(), &text, after].concat());
            }
        }
        let texts = "true false null 0 0.5 10.25 1234567.1234567 -0.1 1e5 0.1234567 00.5 truee 1true 10null 7false 120.5 \
            0true true.5 null0 .5";
        for text in texts.split_whitespace() {
            for gap in ["", " ", "\n", ",", "]", "}", "\"", "xxxxxxxx"] {
                (0..70).for_each(|pad| check(format!("{}[{text}{gap},12345678]", " ".repeat(pad)).as_bytes()));
            }
        }
    }

    /// Compares with a check of every single scalar.
    fn check(bytes: &[u8]) {
        let mut scanner = Scanner::new(8);
        scanner.advance(bytes);
        let ends = |byte: &u8| b"{}[]:,\" \t\n\r".contains(byte);
        let scalar = |at: &u32| {
            let rest = &bytes[*at as usize..];
            &rest[..rest.iter().position(ends).unwrap_or(rest.len())]
        };
        let is_bad = |at: &&u32| !ends(&bytes[**at as usize]) && !is_scalar(scalar(at));
        let expected = scanner.tokens().iter().find(is_bad).map(|at| *at as usize);
        assert_eq!(bad_scalar(bytes, scanner.scalars()), expected, "{}", bytes.escape_ascii());
    }

    #[test]
    fn text_is_what_the_standard_library_takes_for_text() {
        let pieces: [&[u8]; 9] = [
            b"a",
            "ö".as_bytes(),
            "€".as_bytes(),
            "😀".as_bytes(),
            b"\xff",
            b"\x80",
            b"\xe2\x82",
            b"\xf0\x9f\x98",
            b"\xed\xa0\x80",
        ];
        for (before, after) in (0..140).flat_map(|before| [0, 1, 2, 60, 64, 130].map(move |after| (before, after))) {
            for (first, second) in pieces.iter().flat_map(|first| pieces.iter().map(move |second| (first, second))) {
                let bytes = [&b"x".repeat(before), *first, *second, &b"y".repeat(after), *second].concat();
                let expected = std::str::from_utf8(&bytes).err();
                let expected = expected.map(|error| (error.valid_up_to(), error.error_len().is_none()));
                assert_eq!(utf8_error(&bytes), expected, "{before} {first:?} {second:?} {after}");
            }
        }
    }

    /// Tries every first byte with continuation and other bytes of all kinds, around the border of two blocks.
    #[test]
    fn characters_are_what_the_standard_library_takes_for_characters() {
        let kinds = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
        let mut bytes = [b'x'; 2 * BLOCK + 3];
        for (first, number) in (0..=u8::MAX).flat_map(|first| (0..1000).map(move |number| (first, number))) {
            let [second, third, fourth] = [1, 10, 100].map(|power| kinds[number / power % kinds.len()]);
            for at in [BLOCK - 4, BLOCK - 3, BLOCK - 2, BLOCK - 1, BLOCK, 2 * BLOCK - 4, 2 * BLOCK - 2, 2 * BLOCK - 1] {
                bytes[at..at + 4].copy_from_slice(&[first, second, third, fourth]);
                let expected = std::str::from_utf8(&bytes).err();
                let expected = expected.map(|error| (error.valid_up_to(), error.error_len().is_none()));
                assert_eq!(utf8_error(&bytes), expected, "{at}: {first:x} {second:x} {third:x} {fourth:x}");
                bytes[at..at + 4].fill(b'x');
            }
        }
    }

    #[test]
    fn strings_decode_as_serde_json_decodes_them() {
        for inside in [r"plain", r"a\nb\t\/\\", r"\u00e9\u20ac", r"\ud83d\ude00x", r"caf\u0065"] {
            let expected: String = serde_json::from_str(&format!("\"{inside}\"")).unwrap();
            let mut decoded = Vec::new();
            decode(inside.as_bytes(), &mut decoded);
            assert_eq!(decoded, expected.as_bytes(), "{inside}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_equals_no_text() {
        for inside in [r"\ud800", r"\ud800\u0041", r"\udc00"] {
            let mut decoded = Vec::new();
            decode(inside.as_bytes(), &mut decoded);
            assert!(std::str::from_utf8(&decoded).is_err(), "{inside}");
        }
    }

    #[test]
    fn names_are_quoted() {
        let mut quoted = Vec::new();
        quote("a\"b\\c\u{1}é", &mut quoted);
        assert_eq!(quoted, "\"a\\\"b\\\\c\\u0001é\"".as_bytes());
    }
}
