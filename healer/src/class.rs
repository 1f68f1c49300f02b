//! The class of text that a string holds, told by its bytes.
//!
//! A class is evidence of what a field is, never a validation: it reads as few bytes as tell the classes apart.

use crate::plan::spec::{Format, Kind};
use crate::scan::{Block, Lane, Masks, Pair, Wide};
use crate::text::{EACH, is_scalar};

/// The longest string that is examined. RFC 5321 allows 254 bytes for an address; longer strings are prose.
const MAX_BYTES: usize = 254;

const UUID_BYTES: usize = 36;

/// Returns every class.
pub(crate) fn classes() -> impl Iterator<Item = Format> {
    Format::ALL.into_iter().map(|(format, _)| format).chain([Format::Constant])
}

/// Returns the class of a string. `inside`: the bytes between its quotes, escapes not decoded.
pub(crate) fn classify(inside: &[u8]) -> Option<Format> {
    if inside.len() > MAX_BYTES {
        return starts_as_uri(inside).then_some(Format::Uri);
    }
    let first = *inside.first()?;
    if first.is_ascii_digit() {
        // Dates come first: none is a decimal or an address, and those take longer to test.
        return moment(inside).or_else(|| numeric(inside)).or_else(|| other(inside));
    }
    if matches!(first, b'-' | b'+') && is_decimal(inside) {
        return Some(Format::Decimal);
    }
    if first.is_ascii_uppercase() && is_constant(inside) {
        return Some(Format::Constant);
    }
    other(inside)
}

/// Returns the class of the string in the first `len` bytes of a block, which a quote follows, if it is quickly told.
/// The outer `None`: not told.
#[inline(always)]
#[expect(clippy::option_option, reason = "not known, or known to be none")]
pub(crate) fn at_a_glance(text: &Block, len: u32) -> Option<Option<Format>> {
    if is_surely_plain(text, len) {
        return Some(None);
    }
    if starts_as_http(text) {
        return Some(Some(Format::Uri));
    }
    if len > MAX_BYTES as u32 {
        return None;
    }
    match moment_at_a_glance(text) {
        None => at_a_second_glance(text, len),
        moment => Some(moment),
    }
}

/// Recognises a date followed by the closing quote, or a date followed by a time, at the start of a block.
#[inline(always)]
fn moment_at_a_glance(text: &Block) -> Option<Format> {
    let [date @ .., mark, more] = text.first_chunk::<12>()?;
    match mark {
        b'T' if more.is_ascii_digit() && is_date(*date) => Some(Format::DateTime),
        b'"' if is_date(*date) => Some(Format::Date),
        _ => None,
    }
}

/// As [`at_a_glance`], for strings that it does not tell itself.
#[inline(never)]
#[expect(clippy::option_option, reason = "not known, or known to be none")]
fn at_a_second_glance(text: &Block, len: u32) -> Option<Option<Format>> {
    let inside = text.get(..len as usize)?;
    if is_surely_uuid(text, len) {
        return Some(Some(Format::Uuid));
    }
    if is_surely_email(text, len) {
        return Some(Some(Format::Email));
    }
    if len == UUID_BYTES as u32 || Wide::either(text, b':', b'@') & before(len) != 0 {
        return None;
    }
    // An address with neither colon nor `@` has only digits and dots, and a time always has a colon.
    Some(match inside.first()? {
        b'0'..=b'9' => moment(inside)
            .or_else(|| is_decimal(inside).then_some(Format::Decimal))
            .or_else(|| is_ip(inside).then_some(Format::Ip)),
        b'+' | b'-' => is_decimal(inside).then_some(Format::Decimal),
        b'A'..=b'Z' => is_constant(inside).then_some(Format::Constant),
        _ => None,
    })
}

/// Whether the string in the first `len` bytes of a block, which a quote follows, is of a class, if that can be told
/// without testing for other classes. `false` proves nothing. A value is mostly of the class that it had before.
#[inline(always)]
pub(crate) fn is_surely(text: &Block, len: u32, class: Option<Format>) -> bool {
    let ([first, ..], inside) = (text, text.get(..len as usize));
    match class {
        None => is_surely_plain(text, len),
        Some(Format::Uri) => starts_as_http(text),
        Some(Format::Date | Format::DateTime) => len <= MAX_BYTES as u32 && moment_at_a_glance(text) == class,
        Some(Format::Email) => is_surely_email(text, len),
        Some(Format::Uuid) => is_surely_uuid(text, len),
        Some(Format::Decimal) => matches!(first, b'0'..=b'9' | b'+' | b'-') && inside.is_some_and(is_decimal),
        Some(Format::Constant) => first.is_ascii_uppercase() && inside.is_some_and(is_constant),
        Some(Format::Time | Format::Ip) => false,
    }
}

/// What most strings of a class look like that are shorter than a pair and have no escape: so little that it is checked
/// while the end of the string is searched for. A string that matches is of the class; one that does not match may be
/// of it too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub class: Option<Format>,
    /// The range of each of the first bytes, which include the closing quote and what follows it: the lowest value, and
    /// how far above it the byte may be.
    pub lowest: Lane,
    pub span: Lane,
    /// Bytes that the string must not contain.
    pub without: [u8; 2],
}

/// All looks. A string that matches no look of its class has the first look of that class.
pub(crate) static LOOKS: [Look; 13] = [
    Look::PLAIN,
    Look::of(Format::DateTime, b"0000-10-30T0"),
    Look::of(Format::DateTime, b"0000-10-30 0"),
    Look::of(Format::Date, b"0000-10-30\""),
    Look::of(Format::Date, b"0000/10/30\""),
    Look::of(Format::Uri, b"https://"),
    Look::of(Format::Uri, b"http://"),
    Look::none_of(Format::Time),
    Look::none_of(Format::Email),
    Look::none_of(Format::Uuid),
    Look::none_of(Format::Ip),
    Look::none_of(Format::Decimal),
    Look::none_of(Format::Constant),
];

impl Look {
    /// The look of strings of no class: the first byte is outside `+` to `9`, the second outside `A` to `_`, and there
    /// is neither a colon nor an `@`.
    const PLAIN: Look = {
        let mut look = Look { class: None, without: *b":@", ..Look::of(Format::Uri, b"") };
        let ([lowest, lowest_second, ..], [span, span_second, ..]) = (&mut look.lowest, &mut look.span);
        // The ranges wrap around: from behind `9` to before `+`, and from behind `_` to before `A`.
        (*lowest, *span) = (b'9'.wrapping_add(1), b'+'.wrapping_sub(1).wrapping_sub(b'9'.wrapping_add(1)));
        (*lowest_second, *span_second) =
            (b'_'.wrapping_add(1), b'A'.wrapping_sub(1).wrapping_sub(b'_'.wrapping_add(1)));
        look
    };

    /// Returns the look of strings that start with `begin`. A digit stands for itself and all lower digits.
    #[expect(clippy::indexing_slicing, reason = "at compile time")]
    const fn of(class: Format, begin: &[u8]) -> Look {
        let mut look = Look { class: Some(class), lowest: [0; 16], span: [u8::MAX; 16], without: *b"\"\"" };
        let mut at = 0;
        while at < begin.len() {
            (look.lowest[at], look.span[at]) = match begin[at] {
                b'0' => (b'0', 9),
                most @ b'1'..=b'9' => (b'0', most.wrapping_sub(b'0')),
                byte => (byte, 0),
            };
            at = at.wrapping_add(1);
        }
        look
    }

    /// Returns a look that no string matches.
    const fn none_of(class: Format) -> Look {
        Look::of(class, b"\0")
    }

    /// Returns the number of the look of a string of this class.
    pub(crate) fn number_of(inside: &[u8], class: Option<Format>) -> usize {
        let mut first = [0; 16];
        first.iter_mut().zip(inside.iter().chain(b"\"")).for_each(|(to, byte)| *to = *byte);
        let is_of = |look: &Look| look.class == class;
        let is_like = |look: &Look| is_of(look) && Wide::are_within(&first, &look.lowest, &look.span);
        let found = LOOKS.iter().position(is_like);
        found.or_else(|| LOOKS.iter().position(is_of)).unwrap_or(0)
    }
}

/// Whether the bytes before the closing quote at `len` are an e-mail address without escapes, as for [`Look`]. A string
/// with an `@` is of no class that starts with capitals.
#[inline(always)]
pub(crate) fn looks_like_email(inside: &Pair, len: u32) -> bool {
    let ([first, ..], bytes) = (inside, !u32::MAX.unbounded_shl(len));
    let at = Wide::either_of_pair(inside, b'@', b'@') & bytes;
    let dots = Wide::either_of_pair(inside, b'.', b'.') & bytes;
    let other = (Wide::either_of_pair(inside, b' ', b'/') | Wide::either_of_pair(inside, b',', b',')) & bytes;
    first.is_ascii_alphabetic() && is_address(u64::from(at), u64::from(dots), u64::from(bytes)) && other == 0
}

#[inline(always)]
fn starts_as_http(text: &Block) -> bool {
    let first = text.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
    first == u64::from_le_bytes(*b"https://") || first << 8 == u64::from_le_bytes(*b"\0http://")
}

/// Whether the first `len` bytes of a block are a string of no class. `false` proves nothing. Length and content of a
/// string are random, so the test is free of branches. Most strings are settled here.
#[inline(always)]
#[expect(clippy::needless_bitwise_bool, reason = "without branches")]
fn is_surely_plain(text: &Block, len: u32) -> bool {
    let [first, second, ..] = *text;
    let may_be_address = Wide::either(text, b':', b'@') & before(len) != 0;
    let may_be_other = (len > 64) | (len == UUID_BYTES as u32);
    !(may_be_other | may_be_address | may_begin_a_class(first, second))
}

/// Whether a string with these first two bytes may be of a class, other than the classes that have a colon, an `@` or a
/// fixed length.
#[inline(always)]
fn may_begin_a_class(first: u8, second: u8) -> bool {
    let [first, second] = [first, second].map(|byte| BEGINNINGS.get(usize::from(byte)).copied().unwrap_or(0));
    first & (NUMBER | second) != 0
}

/// Flags in [`BEGINNINGS`]: bytes that numbers start with, and bytes of which constants have two at the start.
const NUMBER: u8 = 1;
const CAPITAL: u8 = 2;

static BEGINNINGS: [u8; 256] = beginnings();

#[expect(clippy::indexing_slicing, reason = "at compile time")]
const fn beginnings() -> [u8; 256] {
    let mut set = [0; 256];
    let mut byte = 0u8;
    while byte < u8::MAX {
        set[byte as usize] = match byte {
            b'+'..=b'9' => NUMBER,
            b'A'..=b'Z' | b'_' => CAPITAL,
            _ => 0,
        };
        byte = byte.wrapping_add(1);
    }
    set
}

/// As [`is_email`], for strings that start with a letter, for which no other class comes first. `false` proves nothing.
#[inline(always)]
fn is_surely_email(text: &Block, len: u32) -> bool {
    let inside = before(len);
    let at = Wide::either(text, b'@', b'@') & inside;
    let dots = Wide::either(text, b'.', b'.') & inside;
    let other = (Wide::either(text, b' ', b'\\') | Wide::either(text, b'/', b',')) & inside;
    let [first, ..] = *text;
    first.is_ascii_alphabetic() && len <= 64 && is_address(at, dots, inside) && other == 0
}

/// Whether the string has exactly one `@`, which is not its first byte, a dot at least two bytes after the `@`, and no
/// dot as its last byte. The arguments are masks of `@`, of dots and of the bytes of the string.
#[inline(always)]
fn is_address(at: u64, dots: u64, inside: u64) -> bool {
    let is_one = at & at.wrapping_sub(1) == 0 && at > 1;
    let host = u64::MAX.unbounded_shl(at.trailing_zeros().wrapping_add(2));
    let last = inside ^ inside >> 1;
    is_one && dots & host != 0 && dots & last == 0
}

/// As [`is_uuid`]. `false` proves nothing.
#[inline(always)]
fn is_surely_uuid(text: &Block, len: u32) -> bool {
    len == UUID_BYTES as u32 && text.first_chunk::<UUID_BYTES>().is_some_and(|text| is_uuid(text))
}

/// Returns a mask of the first `len` bytes of a block.
#[inline(always)]
fn before(len: u32) -> u64 {
    // If `len` is 0, the shift is by 64 and leaves no bit.
    u64::MAX.unbounded_shr(64u32.wrapping_sub(len))
}

/// Returns the kind of a well-formed number or literal.
pub(crate) fn scalar_kind(text: &[u8]) -> Kind {
    match text.first() {
        Some(b't' | b'f') => Kind::Boolean,
        Some(b'n') => Kind::Null,
        _ if text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Kind::Number,
        _ => Kind::Integer,
    }
}

/// Whether the text consists of capitals and underscores only.
pub(crate) fn is_constant(inside: &[u8]) -> bool {
    inside.len() > 1 && inside.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
}

/// Recognises a date, or a date with a time.
fn moment(inside: &[u8]) -> Option<Format> {
    let (date, rest) = inside.split_first_chunk::<10>()?;
    if !is_date(*date) {
        return None;
    }
    match rest {
        [] | [b'Z'] => Some(Format::Date),
        [b'T' | b't' | b' ', b'0'..=b'9', ..] => Some(Format::DateTime),
        _ => None,
    }
}

/// Recognises the other classes that start with a digit.
fn numeric(inside: &[u8]) -> Option<Format> {
    match inside {
        _ if is_decimal(inside) => Some(Format::Decimal),
        // Before addresses: two colons between digits may be either.
        _ if is_time(inside) => Some(Format::Time),
        _ if is_ip(inside) => Some(Format::Ip),
        _ if is_uuid(inside) => Some(Format::Uuid),
        _ => None,
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

/// Whether the text could stand in JSON as a number, apart from leading zeros and a plus sign.
fn is_decimal(inside: &[u8]) -> bool {
    let unsigned = inside.strip_prefix(b"-").or_else(|| inside.strip_prefix(b"+")).unwrap_or(inside);
    let more = unsigned.len().saturating_sub(1);
    let zeros = unsigned.iter().take(more).take_while(|byte| **byte == b'0').count();
    unsigned.first() != Some(&b'-') && is_scalar(unsigned.get(zeros..).unwrap_or_default())
}

/// Recognises `YYYY-MM-DD`, or the same with slashes.
#[inline(never)]
fn is_date([year_and_month @ .., d0, d1]: [u8; 10]) -> bool {
    // A digit leaves its value, a dash 0 and a slash 2.
    let left = u64::from_le_bytes(year_and_month) ^ u64::from_le_bytes(*b"0000-00-");
    let slashes = left & u64::from_le_bytes(*b"\0\0\0\0\x02\0\0\x02");
    let digits = left ^ slashes;
    let no_digit = (digits.wrapping_add(EACH.wrapping_mul(0x76)) | digits) & (EACH << 7);
    let no_separator = digits & u64::from_le_bytes(*b"\0\0\0\0\xff\0\0\xff");
    let same_separators = slashes >> 32 & 0xff == slashes >> 56;
    no_digit | no_separator == 0
        && same_separators
        && digits >> 40 & 0xff <= 1
        && matches!(d0, b'0'..=b'3')
        && d1.is_ascii_digit()
}

/// Recognises `hh:mm` or `hh:mm:ss`, optionally followed by a fraction or a zone.
fn is_time(inside: &[u8]) -> bool {
    let [b'0'..=b'2', b'0'..=b'9', b':', b'0'..=b'5', b'0'..=b'9', rest @ ..] = inside else { return false };
    let rest = if let [b':', b'0'..=b'6', b'0'..=b'9', after_seconds @ ..] = rest { after_seconds } else { rest };
    matches!(rest, [] | [b'.' | b'+' | b'-' | b'Z', ..])
        && rest.len() <= 16
        && rest.iter().all(|byte| matches!(byte, b'0'..=b'9' | b':' | b'.' | b'+' | b'-' | b'Z'))
}

fn is_uuid(inside: &[u8]) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, &u8)| if dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
    inside.len() == UUID_BYTES && inside.iter().enumerate().all(fits)
}

/// Whether the text starts with a scheme of RFC 3986 and `//`. The slashes may be escaped.
fn starts_as_uri(inside: &[u8]) -> bool {
    let scheme = inside.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-'));
    let rest = inside.get(scheme.count()..).unwrap_or_default();
    inside.first().is_some_and(u8::is_ascii_alphabetic) && (rest.starts_with(b"://") || rest.starts_with(br":\/\/"))
}

/// Whether the text has one `@` with a dot after it, and no space, backslash, slash or comma.
fn is_email(inside: &[u8]) -> bool {
    let (mut host, mut dotted) = (usize::MAX, false);
    for (at, byte) in inside.iter().enumerate() {
        match byte {
            b'@' if at > 0 && host == usize::MAX => host = at.wrapping_add(1),
            b'@' | b' ' | b'\\' | b'/' | b',' => return false,
            b'.' => dotted |= at > host,
            _ => (),
        }
    }
    dotted && inside.last() != Some(&b'.')
}

/// Recognises four decimal bytes, or as many groups of hexadecimal digits as an IPv6 address has: eight, the last two of
/// which may be written as four bytes, or fewer around two colons (RFC 4291, section 2.2).
fn is_ip(inside: &[u8]) -> bool {
    let (mut colons, mut dots, mut digits, mut value) = (0u32, 0u32, 0u32, 0u32);
    let (mut is_quad, mut is_short, mut before) = (true, false, 0);
    for byte in inside {
        match byte {
            b'0'..=b'9' => {
                digits = digits.wrapping_add(1);
                value = value.wrapping_mul(10).wrapping_add(u32::from(byte.wrapping_sub(b'0')));
                is_quad &= digits <= 3 && value <= 255;
            }
            b'.' => {
                dots = dots.wrapping_add(1);
                is_quad &= digits > 0;
                (digits, value) = (0, 0);
            }
            b':' => {
                colons = colons.wrapping_add(1);
                is_short |= before == b':';
            }
            b'a'..=b'f' | b'A'..=b'F' => is_quad = false,
            _ => return false,
        }
        before = *byte;
    }
    if colons == 0 {
        return is_quad && dots == 3 && digits > 0;
    }
    inside.len() <= 45 && (is_short || colons == 7 || colons == 6 && dots == 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scan::BLOCK;

    #[test]
    fn strings_are_told_by_what_they_hold() {
        let rows = [
            ("2026-11-21", Some(Format::Date)),
            ("2026/11/21", Some(Format::Date)),
            ("2026-11-21T10:00:00Z", Some(Format::DateTime)),
            ("2026-11-21 10:00:00.5+01:00", Some(Format::DateTime)),
            ("10:30", Some(Format::Time)),
            ("10:30:59", Some(Format::Time)),
            ("23:59:60+01:00", Some(Format::Time)),
            ("10:301", None),
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
            ("20:10::1", Some(Format::Ip)),
            ("::ffff:10.0.0.1", Some(Format::Ip)),
            ("1:2:3:4:5:6:10.0.0.1", Some(Format::Ip)),
            ("00:1b:44:11:3a:b7", None),
            ("1:02:03", None),
            ("20:10:10:0:0:0:0:1", Some(Format::Ip)),
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
            ("USD", Some(Format::Constant)),
            ("IN_PROGRESS", Some(Format::Constant)),
            ("In progress", None),
            ("A", None),
            ("A1", None),
            ("", None),
            ("Ada Lovelace", None),
        ];
        for (text, class) in rows {
            assert_eq!(classify(text.as_bytes()), class, "{text}");
        }
    }

    /// Texts of which many are nearly of a class.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "[A-Z_a-z:@. 0-9+/-]{0,70}",
            "[A-Za-z_]{0,3}",
            "[a-f0-9-]{36}",
            "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-fg0-9]{4}-[a-f0-9]{12}",
            "[a-z1.]{0,3}@?[a-z.]{0,60}[@, /]?[a-z.]{1,2}",
            "2026[-/]1[12]-?[0-9]{2}[TZt ]?[0-9:]{0,8}(@a\\.b)?",
            "https?:/[/a][a-z.]{0,8}",
            "[a-z]{30,68}[:@.]?",
            "[+-]?[0-9.]{0,8}"
        ]
    }

    proptest! {
        #[test]
        fn what_is_seen_at_a_glance_is_so(text in text(), after in "[:@A-Z0-9]{0,3}") {
            let mut block = [b':'; BLOCK];
            let bytes = text.bytes().chain(*b"\"").chain(after.bytes());
            block.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
            let seen = at_a_glance(&block, text.len() as u32);
            prop_assert!(seen.is_none_or(|class| class == classify(text.as_bytes())));
            let is_plain = text.len() < UUID_BYTES && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ');
            let is_usual = is_plain || text.starts_with("https://") || text == "2026-11-21";
            prop_assert!(seen.is_some() || !is_usual);
            let class = classify(text.as_bytes());
            let has_address = text.len() == UUID_BYTES || text.bytes().any(|byte| matches!(byte, b':' | b'@'));
            prop_assert!(seen.is_some() || has_address || text.len() > BLOCK || text.is_empty());
            for other in classes().map(Some).chain([None]) {
                prop_assert!(!is_surely(&block, text.len() as u32, other) || other == class, "{text} {other:?}");
            }
            let pair: &Pair = block.first_chunk().unwrap();
            if text.len() < pair.len() && !text.contains('\\') {
                let is_told = class == Some(Format::Email) && text.as_bytes()[0].is_ascii_alphabetic();
                prop_assert_eq!(looks_like_email(pair, text.len() as u32), is_told);
            }
            let first = block.first_chunk().unwrap();
            for look in &LOOKS {
                let is_like = text.len() < 32
                    && !text.bytes().any(|byte| look.without.contains(&byte))
                    && Wide::are_within(first, &look.lowest, &look.span);
                prop_assert!(!is_like || look.class == class, "{text} {look:?}");
                prop_assert!(is_like || !is_plain || text.is_empty() || text.len() > 31 || look.class.is_some());
            }
            let look = LOOKS[Look::number_of(text.as_bytes(), class)];
            prop_assert_eq!(look.class, class);
            // The first bytes decide these classes, so they must be recognised without testing for others.
            let is_told = matches!(class, Some(Format::Email)) && text.len() <= BLOCK && text.as_bytes()[0].is_ascii_alphabetic()
                || matches!(class, Some(Format::Uuid | Format::Constant | Format::Decimal)) && text.len() <= BLOCK;
            prop_assert!(!is_told || is_surely(&block, text.len() as u32, class));
        }
    }

    #[test]
    fn most_dates_and_addresses_have_looks() {
        for text in ["2026-11-21", "2026/11/21", "2026-11-21T10:00:00Z", "2026-11-21 10:00", "http://a", "https://a"] {
            let look = LOOKS[Look::number_of(text.as_bytes(), classify(text.as_bytes()))];
            let mut first = [b'x'; 16];
            first.iter_mut().zip(text.bytes().chain(*b"\"")).for_each(|(to, byte)| *to = byte);
            assert!(Wide::are_within(&first, &look.lowest, &look.span), "{text}");
        }
    }

    #[test]
    fn dates_have_digits_and_two_separators_alike() {
        for (at, byte) in (0..10).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
            let mut date = *b"2026-11-21";
            date[at] = byte;
            let fits = match at {
                4 | 7 => byte == b'-',
                5 => matches!(byte, b'0' | b'1'),
                8 => matches!(byte, b'0'..=b'3'),
                _ => byte.is_ascii_digit(),
            };
            assert_eq!(is_date(date), fits, "{}", date.escape_ascii());
        }
        assert!(is_date(*b"2026/11/21") && !is_date(*b"2026/11-21") && !is_date(*b"2026-11/21"));
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
