//! Conditions on responses: which ones a route takes.

use std::fmt;
use std::ops::RangeInclusive;

use super::cursor::{Cursor, Problems};
use super::decimal::Decimal;
use crate::media_type;

/// Statuses and media types. An empty list accepts any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    statuses: Vec<RangeInclusive<u64>>,
    /// Media types without parameters.
    content_types: Vec<String>,
}

impl Conditions {
    /// Whether every response meets the conditions.
    pub fn are_none(&self) -> bool {
        self.statuses.is_empty() && self.content_types.is_empty()
    }

    /// Whether a response with this status and this value of `content-type` meets the conditions. Allocates nothing.
    pub fn accept(&self, status: u64, content_type: &[u8]) -> bool {
        (self.statuses.is_empty() || self.statuses.iter().any(|range| range.contains(&status)))
            && (self.content_types.is_empty() || self.has_type(content_type))
    }

    fn has_type(&self, content_type: &[u8]) -> bool {
        let essence = media_type::essence(content_type);
        self.content_types.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(essence))
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for range in &self.statuses {
            match (range.start(), range.end()) {
                (first, last) if first == last => write!(f, " {first}")?,
                (first, _) => write!(f, " {}xx", first.wrapping_div(100))?,
            }
        }
        self.content_types.iter().try_for_each(|name| write!(f, " {name}"))
    }
}

/// Whether responses with this status are looked at. Those with others have no body, or only a part of one, or a change
/// to one, or another protocol begins.
pub fn is_looked_at(status: u64) -> bool {
    !matches!(status, 0..200 | 204..=206 | 226 | 304)
}

/// Reads `status` and `content_types` of a `match`.
pub(super) fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Conditions {
    let mut conditions = Conditions::default();
    if let Some(field) = cursor.field("status") {
        let expected = "an array of statuses and classes such as [2xx, 404]; leave the field out for any";
        let word = "2xx, 3xx, 4xx, 5xx, or a status from 200 to 599 other than 204, 205, 206, 226 and 304";
        let words = field.words(problems, expected, word, &|text| statuses(text).is_some());
        conditions.statuses = words.iter().filter_map(|text| statuses(text)).collect();
    }
    if let Some(field) = cursor.field("content_types") {
        let expected = "an array of media types such as [application/json]; leave the field out for any";
        let word = "application/json, text/json or a +json type of one document, without parameters";
        conditions.content_types = field.words(problems, expected, word, &is_media_type);
    }
    conditions
}

/// Reads `2xx` or `404`. Returns `None` for statuses whose responses are never looked at: a route for them would be
/// dead.
fn statuses(text: &str) -> Option<RangeInclusive<u64>> {
    match text {
        "2xx" => Some(200..=299),
        "3xx" => Some(300..=399),
        "4xx" => Some(400..=499),
        "5xx" => Some(500..=599),
        _ => {
            let status = Decimal::parse(text)?.whole()?;
            (status < 600 && is_looked_at(status)).then_some(status..=status)
        }
    }
}

/// Whether a text is a media type, without parameters, whose responses are looked at.
fn is_media_type(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
    let others = text.bytes().filter(|byte| !is_plain(*byte));
    others.eq([b'/']) && media_type::is_json(text.as_bytes())
}
