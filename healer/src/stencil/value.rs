//! Values, read where they stand.

use super::Miss;
use crate::scan::{Constants, Masks, Pair, Wide, escaped};
use crate::text::{character, is_scalar, set_of};

/// Bytes of a vector.
const LANE: usize = 16;
/// Bytes that are examined together. Names and most values have no more.
pub(super) const PAIR: usize = 2 * LANE;
/// Bytes that hold a text of less than a pair and the value after it, so that one bounds check covers both.
pub(super) type Window = [u8; 2 * PAIR];
/// The longest escape. With fewer bytes left, more are waited for.
const ENOUGH: usize = 6;

/// Where something ends, or why it does not. One number, because WebAssembly returns that without memory, unlike a
/// `Result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End(usize);

impl End {
    pub(super) const SHORT: End = End(usize::MAX - 1);
    pub(super) const OTHER: End = End(usize::MAX);

    /// Converts a result.
    pub(super) fn of(found: Result<usize, Miss>) -> End {
        match found {
            Ok(at) => End(at),
            Err(Miss::Short) => End::SHORT,
            Err(Miss::Other) => End::OTHER,
        }
    }

    /// Creates an end at an offset.
    #[inline(always)]
    pub(super) fn at(at: usize) -> End {
        End(at)
    }

    /// Whether there is no end.
    #[inline(always)]
    fn is_none(self) -> bool {
        self.0 >= End::SHORT.0
    }

    /// Returns the offset of the end, or why there is none.
    #[inline(always)]
    pub(super) fn found(self) -> Result<usize, Miss> {
        match self {
            End::SHORT => Err(Miss::Short),
            End::OTHER => Err(Miss::Other),
            End(at) => Ok(at),
        }
    }
}

/// How long a value of a text is likely to be: as long as the last one in that place.
///
/// If the guess is right, the processor goes on behind the value before it has seen where the value ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guess {
    len: u16,
    /// The same again. The compiler must not know, otherwise it would use what was found in place of the guess.
    again: u16,
}

impl Guess {
    /// Returns `at + len`, by the guess if that is right. Remembers `len`, which is at most [`PAIR`].
    #[inline(always)]
    fn check(&mut self, at: usize, len: u32) -> usize {
        if len == u32::from(self.len) {
            return at.wrapping_add(usize::from(self.again));
        }
        *self = Guess { len: len as u16, again: len as u16 };
        at.wrapping_add(len as usize)
    }
}

/// Returns the end of the well-formed value that starts at an offset: a string, a scalar, or an array of these.
/// `nesting`: how many arrays may be inside each other. Not inlined: for arrays, and for values near the end of the
/// bytes.
#[inline(never)]
pub(super) fn skip(bytes: &[u8], at: usize, nesting: u8) -> End {
    match bytes.get(at) {
        Some(b'[') if nesting > 0 => array(bytes, at.wrapping_add(1), nesting),
        _ => skip_plain(bytes, at),
    }
}

/// As [`skip`], for a string or scalar.
#[inline(always)]
fn skip_plain(bytes: &[u8], at: usize) -> End {
    match bytes.get(at) {
        Some(b'"') => rest_of_string(bytes, at.wrapping_add(1)),
        Some(b'0'..=b'9' | b'-') => any_number(bytes, at),
        _ => literal(bytes, at),
    }
}

/// Returns the end of the string whose inside starts at an offset and with these bytes, if they tell it.
#[inline(always)]
pub(super) fn string_in(pair: &Pair, constants: Constants, at: usize, guess: &mut Guess) -> Option<usize> {
    closing_quote(Wide::marks_of_pair(pair, constants), pair, at, guess)
}

/// As [`string_in`], for a string without either of two bytes.
#[inline(always)]
pub(super) fn string_without(
    pair: &Pair,
    constants: Constants,
    at: usize,
    guess: &mut Guess,
    [a, b]: [u8; 2],
) -> Option<usize> {
    closing_quote(Wide::marks_or_either(pair, constants, a, b), pair, at, guess)
}

#[inline(always)]
fn closing_quote(marks: u32, pair: &Pair, at: usize, guess: &mut Guess) -> Option<usize> {
    let end = marks.trailing_zeros();
    // If there are no marks, the first byte is compared, and it is no quote.
    let is_quote = pair.get(end as usize & (PAIR - 1)) == Some(&b'"');
    is_quote.then(|| guess.check(at, end).wrapping_add(1))
}

/// Returns the end of a string with any content, from an offset inside at which neither a character nor an escape is
/// under way.
#[inline(never)]
pub(super) fn long_string(bytes: &[u8], mut at: usize) -> End {
    while let Some(pair) = bytes.get(at..).and_then(<[u8]>::first_chunk::<PAIR>) {
        let mut marks = Wide::marks_of_pair(pair, Wide::constants());
        let mut next = PAIR;
        while marks != 0 {
            let place = marks.trailing_zeros() as usize & (PAIR - 1);
            let here = at.wrapping_add(place);
            match pair.get(place) {
                Some(b'"') => return End::at(here.wrapping_add(1)),
                Some(b'\\') => {
                    let Some(len) = escape(bytes, here) else { return rest_of_string(bytes, here) };
                    next = next.max(place.wrapping_add(len));
                    marks &= u32::MAX.unbounded_shl(place.wrapping_add(len) as u32);
                }
                Some(0x80..) => return string_of_characters(bytes, at),
                _ => return End::OTHER,
            }
        }
        at = at.wrapping_add(next);
    }
    rest_of_string(bytes, at)
}

/// Returns the length of the escape at an offset, if it is valid and complete.
#[inline(always)]
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    let [_, escaped, digits @ ..]: &[u8; ENOUGH] = bytes.get(at..)?.first_chunk()?;
    if is_in(&SIMPLE, *escaped) {
        return Some(2);
    }
    (*escaped == b'u' && is_hex(*digits)).then_some(ENOUGH)
}

/// As [`long_string`], for strings with many characters of more than one byte.
#[inline(never)]
fn string_of_characters(bytes: &[u8], mut at: usize) -> End {
    while let Some(pair) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let masks = Wide::string(pair);
        let escaped = escaped(u64::from(masks.backslash), &mut 0);
        let quotes = masks.quote & !(escaped as u32);
        // Up to and including the closing quote, or all bytes.
        let inside = quotes ^ quotes.wrapping_sub(1);
        if masks.low & inside != 0 || !are_escapes(pair, escaped as u32 & inside, bytes, at) {
            return if is_cut(bytes, at) { rest_of_string(bytes, at) } else { End::OTHER };
        }
        // An escape or character that continues after these bytes is read again with what comes then.
        let mut len = PAIR.wrapping_sub((escaped >> PAIR) as usize);
        if masks.high & inside != 0 {
            let told = characters(pair, masks.high, inside, bytes, at);
            if told == 0 {
                return if is_cut(bytes, at) { rest_of_string(bytes, at) } else { End::OTHER };
            }
            len = len.min(told);
        }
        if quotes != 0 {
            return End::at(at.wrapping_add(quotes.trailing_zeros() as usize).wrapping_add(1));
        }
        at = at.wrapping_add(len);
    }
    rest_of_string(bytes, at)
}

/// Whether what starts in the pair at an offset may continue after the available bytes.
fn is_cut(bytes: &[u8], at: usize) -> bool {
    bytes.len().wrapping_sub(at) < PAIR.wrapping_add(ENOUGH)
}

/// Whether all of these bytes of a pair may follow a backslash.
#[inline(always)]
fn are_escapes(pair: &Pair, mut escaped: u32, bytes: &[u8], at: usize) -> bool {
    while escaped != 0 {
        let place = escaped.trailing_zeros() as usize & (PAIR - 1);
        escaped &= escaped.wrapping_sub(1);
        let byte = pair.get(place).copied().unwrap_or(0);
        let digits = at.wrapping_add(place).wrapping_add(1);
        let is_unit = || byte == b'u' && bytes.get(digits..).and_then(<[u8]>::first_chunk).copied().is_some_and(is_hex);
        if !is_in(&SIMPLE, byte) && !is_unit() {
            return false;
        }
    }
    true
}

/// Checks that the characters of more than one byte inside are UTF-8 (RFC 3629, section 4). Returns for how many bytes
/// of the pair this holds: all, or those up to a character that continues after it. Returns 0 if they are not UTF-8.
#[inline(never)]
fn characters(pair: &Pair, high: u32, inside: u32, bytes: &[u8], at: usize) -> usize {
    let masks = Wide::characters(pair);
    let due = u64::from(masks.two) << 1 | u64::from(masks.three) << 2 | u64::from(masks.four) << 3;
    let stray = (high ^ (masks.continuing | masks.two)) | (masks.continuing ^ due as u32);
    if stray & inside != 0 {
        return 0;
    }
    // Starts of characters in the last one, two or three bytes whose other bytes are not in the pair.
    let cut = (masks.two & 1 << 31 | masks.three & 0b11 << 30 | masks.four & 0b111 << 29) & inside;
    let mut special = (masks.narrow | masks.four) & inside & !cut;
    while special != 0 {
        let place = at.wrapping_add(special.trailing_zeros() as usize);
        special &= special.wrapping_sub(1);
        if bytes.get(place..).and_then(<[u8]>::first_chunk).and_then(character).is_none() {
            return 0;
        }
    }
    cut.trailing_zeros() as usize
}

/// As [`long_string`], one special byte after the other. For strings in arrays, which are short, and where the bytes
/// end soon.
#[inline(never)]
fn rest_of_string(bytes: &[u8], mut at: usize) -> End {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let len = match rest {
            [] => return End::SHORT,
            [b'"', ..] => return End::at(at.wrapping_add(1)),
            [b'\\', b'u', digits @ ..] if digits.first_chunk().copied().is_some_and(is_hex) => ENOUGH,
            [b'\\', escaped, ..] if is_in(&SIMPLE, *escaped) => 2,
            [b'\\', ..] => return if is_cut_escape(rest) { End::SHORT } else { End::OTHER },
            [0..0x20, ..] => return End::OTHER,
            [0x20..0x80, ..] => 1,
            _ => match rest.first_chunk().map(character) {
                Some(Some(len)) => len,
                Some(None) => return End::OTHER,
                None => return End::SHORT,
            },
        };
        at = at.wrapping_add(len);
        while let Some(lane) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LANE>) {
            let marks = Wide::marks(lane);
            at = at.wrapping_add(marks.trailing_zeros().min(LANE as u32) as usize);
            if marks != 0 {
                break;
            }
        }
    }
}

/// Whether a text is the beginning of an escape.
#[cold]
fn is_cut_escape(text: &[u8]) -> bool {
    match text {
        [b'\\'] => true,
        [b'\\', b'u', digits @ ..] => digits.len() < 4 && digits.iter().all(u8::is_ascii_hexdigit),
        _ => false,
    }
}

/// What may follow a backslash, except `u`.
static SIMPLE: [bool; 256] = set_of(b"\"\\/bfnrt");

#[inline(always)]
fn is_in(set: &[bool; 256], byte: u8) -> bool {
    set.get(usize::from(byte)).copied().unwrap_or(false)
}

fn is_hex(digits: [u8; 4]) -> bool {
    digits.iter().all(u8::is_ascii_hexdigit)
}

/// Returns the end of the number that starts at an offset and with these bytes, and whether it is whole, if they tell
/// it. What follows is only examined if it could continue the number.
#[inline(always)]
pub(super) fn number_in(pair: &Pair, constants: Constants, at: usize, guess: &mut Guess) -> Option<(usize, bool)> {
    let digits = Wide::digits_of_pair(pair, constants);
    let byte = |place: u32| pair.get(place as usize & (PAIR - 1)).copied().unwrap_or(0);
    let goes_on = |end: u32| matches!(byte(end), b'.' | b'e' | b'E');
    let len = digits.trailing_ones();
    if (1..PAIR as u32).contains(&len) && (byte(0) != b'0' || len == 1) && !goes_on(len) {
        return Some((guess.check(at, len), true));
    }
    let sign = u32::from(byte(0) == b'-');
    let whole = (digits >> sign).trailing_ones();
    let mut end = sign.wrapping_add(whole);
    if whole == 0 || whole > 1 && byte(sign) == b'0' {
        return None;
    }
    let has_fraction = byte(end) == b'.';
    if has_fraction {
        let fraction = digits.unbounded_shr(end.wrapping_add(1)).trailing_ones();
        if fraction == 0 {
            return None;
        }
        end = end.wrapping_add(1).wrapping_add(fraction);
    }
    let is_all = end < PAIR as u32 && !goes_on(end);
    is_all.then_some((at.wrapping_add(end as usize), !has_fraction))
}

#[inline(never)]
fn any_number(bytes: &[u8], at: usize) -> End {
    let rest = bytes.get(at..).unwrap_or_default();
    let glance = |pair| number_in(pair, Wide::constants(), at, &mut Guess::default());
    if let Some((end, _)) = rest.first_chunk().and_then(glance) {
        return End::at(end);
    }
    let is_inside = |byte: &&u8| matches!(**byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    let len = rest.iter().take_while(is_inside).count();
    match rest.get(..len) {
        _ if len == rest.len() => End::SHORT,
        Some(text) if is_scalar(text) => End::at(at.wrapping_add(len)),
        _ => End::OTHER,
    }
}

/// Returns the end of the literal that starts at an offset and with these bytes.
#[inline(always)]
pub(super) fn literal_in(pair: &Pair, at: usize) -> Option<usize> {
    let word = u32::from_le_bytes(*pair.first_chunk()?);
    if word == u32::from_le_bytes(*b"true") || word == u32::from_le_bytes(*b"null") {
        return Some(at.wrapping_add(4));
    }
    let [_, rest @ ..] = pair;
    let rest = u32::from_le_bytes(*rest.first_chunk()?);
    (word as u8 == b'f' && rest == u32::from_le_bytes(*b"alse")).then_some(at.wrapping_add(5))
}

fn literal(bytes: &[u8], at: usize) -> End {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<4>().map(|word| u32::from_le_bytes(*word)) {
        Some(word) if word == u32::from_le_bytes(*b"true") || word == u32::from_le_bytes(*b"null") => {
            End::at(at.wrapping_add(4))
        }
        Some(word) if word == u32::from_le_bytes(*b"fals") && rest.get(4) == Some(&b'e') => End::at(at.wrapping_add(5)),
        _ => {
            let is_cut = [&b"true"[..], b"false", b"null"].iter().any(|literal| literal.starts_with(rest));
            if is_cut { End::SHORT } else { End::OTHER }
        }
    }
}

/// Returns the end of an array of strings, scalars and such arrays. `at`: behind its opening bracket. Calls itself for
/// inner arrays, at most `nesting` deep.
#[inline(never)]
fn array(bytes: &[u8], at: usize, nesting: u8) -> End {
    let mut at = white(bytes, at);
    if bytes.get(at) == Some(&b']') {
        return End::at(at.wrapping_add(1));
    }
    loop {
        let end = match bytes.get(at) {
            Some(b'[') if nesting > 1 => array(bytes, at.wrapping_add(1), nesting.wrapping_sub(1)),
            _ => skip_plain(bytes, at),
        };
        if end.is_none() {
            return end;
        }
        at = white(bytes, end.0);
        match bytes.get(at) {
            Some(b',') => at = white(bytes, at.wrapping_add(1)),
            Some(b']') => return End::at(at.wrapping_add(1)),
            Some(_) => return End::OTHER,
            None => return End::SHORT,
        }
    }
}

/// Returns the offset after white space.
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

    /// Reads a value as one that is not near the end of the bytes.
    fn glance(bytes: &[u8], guess: u16) -> Option<End> {
        let guess = &mut Guess { len: guess, again: guess };
        let pair: &Pair = bytes.first_chunk()?;
        Some(match bytes {
            [b'"', inside @ ..] => {
                let end = string_in(inside.first_chunk()?, Wide::constants(), 1, guess);
                end.map_or_else(|| long_string(bytes, 1), End::at)
            }
            [b'0'..=b'9' | b'-', ..] => {
                number_in(pair, Wide::constants(), 0, guess).map_or(End::OTHER, |(end, is_whole)| {
                    let is_integer = !bytes[..end].iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
                    assert_eq!(is_whole, is_integer);
                    End::at(end)
                })
            }
            _ => literal_in(pair, 0).map_or(End::OTHER, End::at),
        })
    }

    /// Checks that a value ends where a parser ends it, and that what the parser refuses is refused.
    fn agrees(text: &[u8], nesting: u8) -> Result<(), TestCaseError> {
        let parsed = std::str::from_utf8(text).ok().and_then(|text| {
            let mut values = serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
            values.next().and_then(Result::ok).map(|value| value.get().len())
        });
        let mut padded = text.to_vec();
        padded.extend_from_slice(b"}                ");
        let all = [padded.as_slice(), &[b' '; 40]].concat();
        if text.first().is_some_and(|first| *first != b'[') {
            for guess in [0, 1, 5, parsed.unwrap_or(2).wrapping_sub(2) as u16, 31, 32, u16::MAX] {
                let end = glance(&all, guess).unwrap();
                prop_assert_eq!(end.found().ok(), parsed, "{:?}", String::from_utf8_lossy(text));
            }
        }
        match skip(&padded, 0, nesting).found() {
            Ok(end) => prop_assert_eq!(parsed, Some(end), "{:?}", String::from_utf8_lossy(text)),
            Err(Miss::Short) => prop_assert!(parsed.is_none()),
            Err(Miss::Other) => prop_assert!(parsed.is_none() || nesting == 0),
        }
        for cut in 0..text.len() {
            if let (Ok(end), Some(len)) = (skip(&text[..cut], 0, nesting).found(), parsed) {
                prop_assert_eq!(end, len, "{:?} cut at {}", String::from_utf8_lossy(text), cut);
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn strings_end_where_a_parser_has_them_end(inside in proptest::collection::vec(
            prop_oneof![
                6 => Just("abcdefg".to_owned()), 2 => "[a-z]{20,40}", 1 => "(é|ก|한|😀){1,20}",
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
            agrees(&text, 1)?;
        }

        #[test]
        fn numbers_and_literals_end_where_a_parser_has_them_end(
            text in "(-?(0|[1-9][0-9]{0,9})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,3})?|true|false|null|-?0[0-9]|[0-9]*\\.|1e)")
        {
            // A number that ends too early is followed by something that makes it none, which the comparison of the
            // skeleton finds.
            let whole = skip(format!("{text}}}                ").as_bytes(), 0, 0).found();
            let parsed = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
            prop_assert_eq!(whole == Ok(text.len()), parsed && !text.is_empty(), "{}", text);
            let padded = format!("{text}}}{}", " ".repeat(40));
            for guess in (0..34).chain([u16::MAX]) {
                let end = glance(padded.as_bytes(), guess).unwrap().found();
                prop_assert!(end.is_err() || !parsed || end == Ok(text.len()), "{text} {guess}");
                prop_assert!(end != Ok(text.len()) || parsed, "{text} {guess}");
                let is_told = parsed && text.len() < PAIR && !text.contains(['e', 'E']) || text == "true" || text == "false";
                prop_assert!(!is_told || end == Ok(text.len()), "{text} {guess}");
            }
        }

        #[test]
        fn arrays_end_where_a_parser_has_them_end(items in proptest::collection::vec(
            proptest::sample::select(vec!["1", "\"a\"", "-0.5e3", "null", "true", " 2 ", "\"\\u0041\"", "01", "[]", "[", "]",
                "[ 1,", "[[1.5,-2 ], [ ]]", ""]), 0..8), separator in proptest::sample::select(vec![",", ",", " ,", ""]))
        {
            let text = format!("[{}]", items.join(separator));
            let opens = text.bytes().map(|byte| i32::from(byte == b'[') - i32::from(byte == b']'));
            let depth = opens.scan(0, |open, change| { *open += change; Some(*open) }).max().unwrap_or(0);
            // There may be more after the end of the array.
            let one: Option<Result<&serde_json::value::RawValue, _>> =
                serde_json::Deserializer::from_str(&text).into_iter().next();
            if let Some(Ok(one)) = one {
                let deep = one.get().bytes().scan(0u8, |open, byte| {
                    *open += u8::from(byte == b'[');
                    *open -= u8::from(byte == b']');
                    Some(*open)
                });
                let deepest = deep.max().unwrap_or(0);
                agrees(one.get().as_bytes(), deepest)?;
                prop_assert_eq!(skip(one.get().as_bytes(), 0, deepest - 1).found(), Err(Miss::Other));
            } else {
                agrees(text.as_bytes(), depth.unsigned_abs() as u8)?;
            }
        }
    }
}
