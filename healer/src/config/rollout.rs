//! How far healing is switched on: for all routes, and for single ones.

use super::cursor::{Cursor, Problems};
use super::vocabulary::MODES;

/// What the filter does with responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Heals them.
    #[default]
    Heal,
    /// Finds out what it would heal, and leaves them as they came.
    Observe,
    /// Nothing.
    Off,
}

/// A share of requests, in hundredths of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample(u32);

impl Sample {
    /// Every request.
    pub const ALL: Sample = Sample(10_000);
    /// No request.
    pub const NONE: Sample = Sample(0);

    /// Returns the share as it is written: in percent.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// Whether the request with this place is in the share. A request in one share is in every larger share too.
    pub fn takes(self, place: Place) -> bool {
        let scaled = u64::from(place.0).wrapping_mul(u64::from(Self::ALL.0)) >> 32;
        scaled < u64::from(self.0)
    }
}

/// A number that decides in which shares a request is. The same request always has the same place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// Returns the place of the request that these texts identify.
    pub fn of(request: &[&[u8]]) -> Place {
        Place(spread(request))
    }
}

/// Hashes the parts with FNV-1a and the finish of `MurmurHash3`, so that ids that differ in one digit end far apart.
fn spread(parts: &[&[u8]]) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // A zero byte, which no header value has, marks the end of each part.
        for byte in *part {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (hash >> 32) as u32
}

/// Reads `mode`.
pub(super) fn mode(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Mode> {
    cursor.field("mode")?.choice(problems, &MODES)
}

/// Reads `sample`, a percentage.
pub(super) fn sample(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Sample> {
    let field = cursor.field("sample")?;
    let hundredths = field.number().and_then(|number| number.scaled(2)).and_then(|share| u32::try_from(share).ok());
    let sample = hundredths.filter(|share| *share <= Sample::ALL.0).map(Sample);
    if sample.is_none() {
        field.expected(problems, "a percentage from 0 to 100 with at most two decimal places");
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(share: u32, ids: impl Iterator<Item = String>) -> usize {
        ids.filter(|id| Sample(share).takes(Place::of(&[id.as_bytes()]))).count()
    }

    #[test]
    fn a_share_is_as_large_as_it_says() {
        let ids = || (0..100_000).map(|id| format!("6f4a{id:08x}-0000-4000-8000-000000000000"));
        for (share, expected) in [(0, 0), (10_000, 100_000)] {
            assert_eq!(taken(share, ids()), expected);
        }
        // Three standard deviations of a fair draw.
        for (share, expected, within) in [(1, 10, 10), (100, 1000, 95), (1000, 10_000, 285), (5000, 50_000, 475)] {
            assert!(taken(share, ids()).abs_diff(expected) <= within, "{share}: {}", taken(share, ids()));
        }
    }

    #[test]
    fn a_larger_share_has_all_of_a_smaller_one() {
        for id in 0..1000u32 {
            let place = Place::of(&[&id.to_be_bytes()]);
            let taken: Vec<bool> = (0..=100).map(|share| Sample(share * 100).takes(place)).collect();
            assert!(taken.is_sorted(), "{id}");
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(spread(&[b"GET", b"/a"]), spread(&[b"GET/", b"a"]));
    }
}
