//! JSON's texts: scalars, string escapes, names.

/// Whether `bytes` is one number or literal (RFC 8259, sections 3 and 6), with nothing around it.
pub(crate) fn is_scalar(bytes: &[u8]) -> bool {
    match bytes.first() {
        Some(b'-' | b'0'..=b'9') => is_number(bytes),
        Some(b't') => bytes == b"true",
        Some(b'f') => bytes == b"false",
        Some(b'n') => bytes == b"null",
        _ => false,
    }
}

/// Whether the low `len` bytes of `word` are a literal or a number without sign and exponent. False is no answer: the
/// text may be longer than the word, or of another form.
///
/// Which kind of value comes next is chance, so it is told without branches: a wrong guess costs more than all of this.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, clippy::verbose_bit_mask, reason = "without branches")]
pub(crate) fn is_short_scalar(word: u64, len: u32) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = EACH << 7;
    const LOW: u64 = !HIGH;
    let keep = u64::MAX.wrapping_shr(64u32.wrapping_sub(len.wrapping_mul(8)));
    let text = word & keep;
    let literal = ((text == u64::from_le_bytes(*b"true\0\0\0\0")) | (text == u64::from_le_bytes(*b"null\0\0\0\0")))
        & (len == 4)
        | (text == u64::from_le_bytes(*b"false\0\0\0")) & (len == 5);
    // Zeros fill the word up, so that the bytes beyond the text count as digits. High bits mark what a byte is.
    let digits = (text | (EACH << 5 | EACH << 4) & !keep) ^ (EACH << 5 | EACH << 4);
    let no_digit = ((digits & LOW).wrapping_add(EACH.wrapping_mul(0x76)) | digits) & HIGH;
    let from_dot = digits ^ EACH.wrapping_mul(0x1e);
    let dot = !((from_dot & LOW).wrapping_add(LOW) | from_dot) & HIGH;
    let last = 0x80u64.wrapping_shl(len.wrapping_mul(8).wrapping_sub(8));
    let one_dot_inside =
        (no_digit == dot) & (no_digit & no_digit.wrapping_sub(1) == 0) & (no_digit & (0x80 | last) == 0);
    let leading_zero = (digits & 0xff == 0) & (len > 1) & (no_digit & 0x8000 == 0);
    (literal | one_dot_inside & !leading_zero) & (len.wrapping_sub(1) < 8)
}

/// `bytes` without the white space at its end.
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

/// The first of these escaped characters that forms no escape sequence.
pub(crate) fn bad_escape(bytes: &[u8], escapes: &[u32]) -> Option<usize> {
    let bad = |at: &&u32| {
        let at = **at as usize;
        match bytes.get(at) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => false,
            Some(b'u') => {
                let digits = bytes.get(at.saturating_add(1)..at.saturating_add(5));
                !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            }
            _ => true,
        }
    };
    escapes.iter().find(bad).map(|at| *at as usize)
}

/// Appends what the inside of a string stands for. Its escapes are well formed.
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

/// Appends `name` as a JSON string, quotes included.
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

    #[test]
    fn what_is_told_without_branches_is_told_right() {
        let alphabet = *b"019.-e+trulsfan /:\xb1";
        let mut told = 0;
        let mut check = |text: &[u8]| {
            let mut word = [b'7'; 8];
            word[..text.len()].copy_from_slice(text);
            let short = is_short_scalar(u64::from_le_bytes(word), text.len() as u32);
            assert!(!short || is_scalar(text), "{}", text.escape_ascii());
            told += usize::from(short);
        };
        for number in 0..alphabet.len().pow(4) {
            let text = [1, 19, 361, 6859].map(|power| alphabet[number / power % alphabet.len()]);
            (0..=4).for_each(|len| check(&text[..len]));
        }
        assert!(told > 1000);
        for text in ["0", "10", "0.5", "12345678", "1234.678", "10.25", "true", "false", "null"] {
            let mut word = [b','; 8];
            word[..text.len()].copy_from_slice(text.as_bytes());
            assert!(is_short_scalar(u64::from_le_bytes(word), text.len() as u32), "{text}");
        }
        for len in [0, 9, 16, 1 << 20] {
            assert!(!is_short_scalar(u64::from_le_bytes(*b"12345678"), len), "{len}");
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
