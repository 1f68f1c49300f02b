//! What similarity found, as reports and logs show it.

use crate::news::{is_long, shorten};
use crate::similarity::{Alignment, NONE, Parts, rooted};
use crate::text::quote;
use nomos_rules::path::Path;

/// Bytes of a resolution's JSON around its two paths.
const JSON_AROUND: usize = 40;
/// Stands in a path for all elements of a list.
const ELEMENTS: &str = "[]";

/// A correspondence that similarity found in records of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// Where the member stood, from its record down, dotted as in rules.
    pub from: String,
    /// Where it is expected, likewise.
    pub to: String,
    /// The alignment that says so.
    pub alignment: Alignment,
    json: Vec<u8>,
}

impl Resolution {
    /// Creates a resolution. `from`, `to`: the names on the two paths, from the record down.
    pub(super) fn new<'a>(
        from: impl Iterator<Item = &'a str> + Clone,
        to: impl Iterator<Item = &'a str>,
        alignment: Alignment,
    ) -> Self {
        Resolution::ending(from, to, "", alignment)
    }

    /// As [`Resolution::new`], with an end of both paths.
    fn ending<'a>(
        from: impl Iterator<Item = &'a str> + Clone,
        to: impl Iterator<Item = &'a str>,
        end: &str,
        alignment: Alignment,
    ) -> Self {
        let told = from.clone().any(is_long).then(|| dotted(from.clone().map(shortened), end));
        let mut resolution = Resolution { from: dotted(from, end), to: dotted(to, end), alignment, json: Vec::new() };
        resolution.json = resolution.to_json(told.as_deref().unwrap_or(&resolution.from));
        resolution
    }

    /// Creates the resolution of a list that a body consists of. `from`, `to`: the names around the list.
    pub(crate) fn of_body(from: &[String], to: &[String], parts: Parts) -> Self {
        let alignment = Alignment { expected: NONE, found: NONE, score: rooted::WORTH, parts };
        let (from, to) = (from.iter().map(String::as_str), to.iter().map(String::as_str));
        Resolution::ending(from, to, ELEMENTS, alignment)
    }

    /// Whether it is about a list that a body consists of.
    pub(crate) fn is_of_body(&self) -> bool {
        self.alignment.expected == NONE
    }

    /// Returns the resolution as JSON: `{"from":"e_mail","to":"email","score":0.93}`. It is made once, because access
    /// logs have it with every response. Names are cut as in lines of the log.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Returns the number of bytes of its texts.
    pub(crate) fn text(&self) -> usize {
        self.from.len().saturating_add(self.to.len()).saturating_add(self.json.len())
    }

    fn to_json(&self, from: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(from.len().saturating_add(self.to.len()).saturating_add(JSON_AROUND));
        out.extend_from_slice(b"{\"from\":");
        quote(from, &mut out);
        out.extend_from_slice(b",\"to\":");
        quote(&self.to, &mut out);
        let (whole, rest) = (self.hundredths() / 100, self.hundredths() % 100);
        let digit = |digit: u8| b'0'.wrapping_add(digit);
        out.extend_from_slice(b",\"score\":");
        out.extend_from_slice(&[digit(whole), b'.', digit(rest / 10), digit(rest % 10), b'}']);
        out
    }

    /// Returns the score from 0 to 100.
    #[expect(clippy::cast_sign_loss, reason = "clamped")]
    fn hundredths(&self) -> u8 {
        (self.alignment.score.clamp(0.0, 1.0) * 100.0 + 0.5) as u8
    }
}

fn dotted(names: impl Iterator<Item = impl AsRef<str>>, end: &str) -> String {
    let mut path = String::new();
    names.for_each(|name| Path::push_member(&mut path, name.as_ref()));
    path.push_str(end);
    path
}

fn shortened(name: &str) -> String {
    let mut name = name.to_owned();
    shorten(&mut name);
    name
}
