//! The `similarity` of a route.

use super::cursor::{Cursor, Problems};
use super::read_bound;
use super::vocabulary::{PROFILES, SIMILARITY};
use crate::similarity::{MAX_UNKNOWN, Settings};

const EXPECTED: &str = "off, or an object such as {profile: default, threshold: 0.85, margin: 0.05}";

/// Reads the field. Returns `None` if similarity is off.
pub(super) fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Settings> {
    if cursor.word() == Some("off") {
        return None;
    }
    cursor.only_fields(problems, EXPECTED, &SIMILARITY)?;
    let mut settings = Settings::default();
    if let Some(profile) = cursor.field("profile") {
        settings.profile = profile.choice(problems, &PROFILES).unwrap_or_default();
    }
    for (name, place) in [("threshold", &mut settings.threshold), ("margin", &mut settings.margin)] {
        if let Some(share) = cursor.field(name).and_then(|field| read_share(&field, problems)) {
            *place = share;
        }
    }
    if let Some(field) = cursor.field("max_unknown")
        && let Some(most) = read_bound(&field, 1..=MAX_UNKNOWN as usize, "a whole number from 1 to 8192", problems)
    {
        settings.max_unknown = most as u32;
    }
    Some(settings)
}

/// Reads a number from 0 to 1 with at most six decimal places.
#[expect(clippy::cast_precision_loss, reason = "a million is exact in an f32")]
fn read_share(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<f32> {
    const ONE: u64 = 1_000_000;
    let millionths = cursor.number().and_then(|number| number.scaled(6)).filter(|share| *share <= ONE);
    if millionths.is_none() {
        cursor.expected(problems, "a number from 0 to 1 with at most six decimal places");
    }
    millionths.map(|share| share as f32 / ONE as f32)
}
