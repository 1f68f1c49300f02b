//! Reports of shapes that similarity had not seen before: names and kinds, never values.

use crate::plan::automaton::Id;
use crate::plan::spec::Kind;
use crate::similarity::Alignment;
use crate::survey::Survey;
use crate::text::quote;

/// Shapes described per body. A log has no room for more; all of them are counted.
const MAX_TOLD: usize = 4;
/// Members listed per shape.
const MAX_MEMBERS: usize = 16;
/// Bytes that a listed member usually takes.
const USUAL_MEMBER: usize = 48;
/// Bytes shown of one name. The upstream chooses the names, and a log line must stay short.
const MAX_BYTES_OF_NAME: usize = 64;

/// The new shapes of one body.
#[derive(Debug, Default)]
pub(crate) struct News {
    pub count: u32,
    pub told: Vec<NewShape>,
}

/// A shape that similarity had not seen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewShape {
    /// A hash of the shape.
    pub shape: u64,
    /// Its members that the contract does not know, with their kinds: `"e_mail" string -> email, "data.x" object`.
    pub members: String,
}

impl News {
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.told.clear();
    }

    /// Adds a shape, and what similarity found in it. Does nothing once there are [`MAX_TOLD`] shapes.
    pub(crate) fn tell(
        &mut self,
        shape: u64,
        survey: &Survey,
        name_of: impl Fn(Id, &mut Vec<u8>),
        found: &[Alignment],
    ) {
        if self.told.len() >= MAX_TOLD {
            return;
        }
        let mut text = Vec::with_capacity(MAX_MEMBERS.saturating_mul(USUAL_MEMBER));
        let mut path = String::new();
        let mut unknown = survey.unknown();
        for (row, kind) in unknown.by_ref().take(MAX_MEMBERS) {
            if !text.is_empty() {
                text.extend_from_slice(b", ");
            }
            path.clear();
            for row in survey.upwards(row) {
                if !path.is_empty() {
                    path.insert(0, '.');
                }
                path.insert_str(0, survey.name(row));
            }
            shorten(&mut path);
            quote(&path, &mut text);
            text.push(b' ');
            text.extend_from_slice(name_of_kind(kind).as_bytes());
            if let Some(alignment) = found.iter().find(|alignment| alignment.found == row) {
                text.extend_from_slice(b" -> ");
                name_of(alignment.expected, &mut text);
            }
        }
        if unknown.next().is_some() {
            text.extend_from_slice(b" and more");
        }
        self.told.push(NewShape { shape, members: String::from_utf8(text).unwrap_or_default() });
    }
}

/// Whether a name is too long to be shown in full.
pub(crate) fn is_long(name: &str) -> bool {
    name.len() > MAX_BYTES_OF_NAME
}

/// Cuts a name that is too long to be shown in full.
pub(crate) fn shorten(name: &mut String) {
    if is_long(name) {
        let end = (0..=MAX_BYTES_OF_NAME).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
        name.truncate(end);
        name.push_str("...");
    }
}

fn name_of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "boolean",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Object => "object",
        Kind::Array => "array",
    }
}
