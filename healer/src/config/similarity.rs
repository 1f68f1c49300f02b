//! The `similarity` of a route. The surface is checked in full; of its values only `off` can be carried out.

use super::cursor::{Cursor, Problems};

const EXPECTED: &str = "off, or an object such as {profile: default, threshold: 0.85, margin: 0.05}";

/// Reads the field, and refuses everything but `off`.
pub(super) fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<()> {
    if cursor.word() == Some("off") {
        return Some(());
    }
    let before = problems.len();
    cursor.only_fields(problems, EXPECTED, &["profile", "threshold", "margin"])?;
    if let Some(profile) = cursor.field("profile") {
        profile.choice(problems, &[("default", ()), ("reference", ())]);
    }
    for name in ["threshold", "margin"] {
        if let Some(field) = cursor.field(name) {
            read_share(&field, problems);
        }
    }
    if problems.len() == before {
        let expected = "off: this version heals by rules, packs and case conventions only";
        cursor.refuse(problems, "similarity switched on", expected);
    }
    None
}

/// A number from 0 to 1 with six decimal places at most.
fn read_share(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<u64> {
    const ONE: u64 = 1_000_000;
    let millionths = cursor.number().and_then(|number| number.scaled(6)).filter(|share| *share <= ONE);
    if millionths.is_none() {
        cursor.expected(problems, "a number from 0 to 1 with at most six decimal places");
    }
    millionths
}
