//! How a GraphQL answer differs from a REST one: the same names have other values.
//!
//! - A word of a list is in capitals, because enumeration values are (GraphQL, October 2021, section 3.9).
//! - `id` is the global identifier of the object, in any form (Global Object Identification specification).
//! - `url` is the page that people see, since the interface has only one address.
//! - A list may be an object with `edges` or `nodes` (Cursor Connections specification).
//!
//! Names and kinds alone show none of this.

use crate::plan::spec::{Format, Kind};
use crate::similarity::record::Record;
use crate::similarity::{Alignment, Found, Id, NONE};

/// Members of the answer beside `data`.
const BESIDE_DATA: [&str; 2] = ["errors", "extensions"];
/// The members of a connection that hold its list.
const LISTS: [&str; 2] = ["edges", "nodes"];
/// If one in this many members of an object has another value, the object is not the same.
const MOST_OTHERS: usize = 2;

/// Whether the record is a GraphQL answer that the contract does not expect: `data`, with nothing but objects, lists
/// and nulls in it.
pub(crate) fn is_answer(record: &Record<'_, '_>) -> bool {
    let mut top = record.found.iter().filter(|found| found.parent == NONE);
    let Some(data) = record.found.iter().position(|found| found.parent == NONE && found.name == "data") else {
        return false;
    };
    let mut inside = record.found.iter().filter(|found| found.parent as usize == data).peekable();
    let is_expected = record.model.members(NONE).any(|(_, field)| field.name == "data");
    !is_expected
        && inside.peek().is_some()
        && inside.all(|found| matches!(found.kind, Kind::Object | Kind::Array | Kind::Null))
        && top.all(|found| found.name == "data" || BESIDE_DATA.contains(&found.name))
}

/// Whether a connection was taken for a value.
pub(crate) fn is_connection(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let lists = |id: Id| record.members(id).any(|(_, found)| LISTS.contains(&found.name));
    let is_value = record.model.field(alignment.expected).is_some_and(|field| !field.is_object && !field.is_records);
    let is_object = record.found.get(alignment.found as usize).is_some_and(|found| found.kind == Kind::Object);
    is_value && is_object && lists(alignment.found)
}

/// Whether a member has another value than its namesake outside GraphQL, or, for an object, too many of its members do.
pub(crate) fn differs(record: &Record<'_, '_>, alignment: &Alignment) -> bool {
    let Some(field) = record.model.field(alignment.expected) else { return false };
    if !field.is_object {
        return has_other_value(record, alignment.expected, alignment.found);
    }
    let members = record.model.members(alignment.expected).map(|(id, _)| (id, record.place_of(id)));
    let standing = members.filter(|(_, found)| *found != NONE);
    let others = standing.clone().filter(|(id, found)| has_other_value(record, *id, *found)).count();
    others > 0 && others.saturating_mul(MOST_OTHERS) >= standing.count()
}

fn has_other_value(record: &Record<'_, '_>, expected: Id, found: Id) -> bool {
    let (Some(field), Some(found)) = (record.model.field(expected), record.found.get(found as usize)) else {
        return false;
    };
    let is_page = found.name == "url" && field.name.eq_ignore_ascii_case(found.name);
    let is_other_word = found.class == Some(Format::Constant) && field.expects.values.is_empty();
    found.kind == Kind::String && (is_page || is_global_id(found) || is_other_word)
}

fn is_global_id(found: &Found<'_>) -> bool {
    found.name == "id" && !matches!(found.class, Some(Format::Uuid | Format::Decimal))
}
