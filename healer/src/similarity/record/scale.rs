//! Numbers in another unit.
//!
//! An object that tells how many digits of its amounts are after the decimal point (`currency_minor_unit`, `exponent`,
//! `decimals`) has amounts without that point: `1000` is 10.00. A contract that does not expect such a member means
//! other numbers by the same names.

use crate::plan::spec::{Format, Kind};
use crate::similarity::names::Token;
use crate::similarity::record::Record;
use crate::similarity::{Alignment, Found, Id, Standing};

/// Words for a scale: a name with all words of one row tells it.
const SCALES: [&[&str]; 3] = [&["minor", "unit"], &["exponent"], &["decimal"]];

/// Whether a member is a number in an object that tells a scale, which the contract does not expect.
pub(crate) fn is_scaled(record: &Record<'_, '_>, alignment: &Alignment, out: &[Alignment]) -> bool {
    let Some(found) = record.found.get(alignment.found as usize).filter(|found| is_number(found)) else { return false };
    let mut beside = record.members(found.parent);
    beside.any(|(id, other)| {
        let may_tell = other.standing == Standing::Unknown && other.kind == Kind::Integer;
        may_tell && tells_scale(record, id) && out.iter().all(|one| one.found != id)
    })
}

fn is_number(found: &Found<'_>) -> bool {
    matches!(found.kind, Kind::Integer | Kind::Number) || found.class == Some(Format::Decimal)
}

fn tells_scale(record: &Record<'_, '_>, id: Id) -> bool {
    let own = record.found_words(id);
    let has = |word: &&str| own.iter().any(|token: &Token| record.scratch.names.text(token) == *word);
    SCALES.iter().any(|words| words.iter().all(has))
}
