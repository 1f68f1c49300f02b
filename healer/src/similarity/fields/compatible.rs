//! Whether a found value can be the expected one.

use crate::plan::spec::{Format, Kind, Kinds};
use crate::similarity::{Expected, Found};

/// The factor for a null or an empty array, whose value or elements may have been of any kind.
const NULL: f32 = 0.94;
/// The factor for a date where a date with a time of day is expected, and the other way round. It also applies to a
/// date where the contract declares no format for the field, and to a date with a time of day there if the contract
/// declares formats elsewhere.
const OTHER_MOMENT: f32 = 0.8;

/// Returns how well a value fits, from 0 (not at all) to 1.
///
/// `formats` says whether the contract declares formats at all. If it does, a field without one most likely holds no
/// date with a time of day.
pub(crate) fn compatible(expected: &Expected, found: &Found<'_>, formats: bool) -> f32 {
    match found.kind {
        Kind::Null if expected.is_object || expected.is_records => 0.0,
        Kind::Null => NULL,
        kind if expected.is_object => all_or_nothing(kind == Kind::Object),
        kind if expected.is_records => {
            all_or_nothing(kind == Kind::Array && matches!(found.item, None | Some(Kind::Object)))
        }
        // A `number` of a contract may be whole. An `integer` must not have a fraction.
        kind if !expected.expects.kinds.has(kind) => 0.0,
        Kind::String => format(expected, found, formats),
        Kind::Array => items(expected.expects.items, found.item),
        _ => 1.0,
    }
}

fn all_or_nothing(fits: bool) -> f32 {
    if fits { 1.0 } else { 0.0 }
}

fn format(expected: &Expected, found: &Found<'_>, formats: bool) -> f32 {
    match (expected.expects.format, found.class) {
        (Some(a), Some(b)) if a == b => 1.0,
        (Some(a), Some(b)) if is_moment(a) && is_moment(b) => OTHER_MOMENT,
        (Some(_), _) => 0.0,
        (None, Some(Format::Date)) => OTHER_MOMENT,
        (None, Some(Format::DateTime)) if formats => OTHER_MOMENT,
        (None, _) => 1.0,
    }
}

fn is_moment(format: Format) -> bool {
    matches!(format, Format::Date | Format::DateTime)
}

/// As [`compatible`], for the elements of an array of values, by the kind of the first.
fn items(expected: Kinds, first: Option<Kind>) -> f32 {
    match first {
        None => NULL,
        Some(Kind::Integer | Kind::Number) => all_or_nothing(expected.has(Kind::Integer) || expected.has(Kind::Number)),
        Some(kind) => all_or_nothing(expected.has(kind)),
    }
}
