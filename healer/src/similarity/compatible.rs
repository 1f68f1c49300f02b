//! Whether a found value can be the expected one.

use super::{Expected, Found};
use crate::plan::spec::{Format, Kind};

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
pub(super) fn compatible(expected: &Expected, found: &Found<'_>, formats: bool) -> f32 {
    let kinds = expected.expects.kinds;
    if found.kind == Kind::Null {
        return if expected.is_object || expected.is_records { 0.0 } else { NULL };
    }
    if expected.is_object {
        return f32::from(u8::from(found.kind == Kind::Object));
    }
    if expected.is_records {
        let is_records = found.kind == Kind::Array && matches!(found.item, None | Some(Kind::Object));
        return f32::from(u8::from(is_records));
    }
    // A `number` of a contract may be whole. An `integer` must not have a fraction.
    if !kinds.has(found.kind) {
        return 0.0;
    }
    match found.kind {
        Kind::String => format(expected, found, formats),
        Kind::Array => match found.item {
            Some(Kind::Integer | Kind::Number) => f32::from(u8::from(
                expected.expects.items.has(Kind::Integer) || expected.expects.items.has(Kind::Number),
            )),
            Some(item) => f32::from(u8::from(expected.expects.items.has(item))),
            None => NULL,
        },
        _ => 1.0,
    }
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
