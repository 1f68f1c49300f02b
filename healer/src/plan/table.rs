//! Flat tables from member names to actions.
//!
//! A name is looked up by sixteen of its bytes and its length. These are all of a name of up to sixteen bytes; only
//! longer names are compared in full. One multiplication hashes them. Strangers choose the names in bodies, but not the
//! names in the table. So the worst look-up is fixed when the table is built, and a seed is chosen that keeps it short.

use crate::hash::{GOLDEN, ODD};

/// A name in the form in which it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint {
    /// Its first eight bytes, padded with zeros.
    pub head: u64,
    /// The next eight bytes, padded with zeros. Of a name of more than [`SHORT`] bytes, the last eight.
    pub tail: u64,
    /// Length of the name in bytes.
    pub len: u32,
}

/// Names up to this length are identified by their fingerprint.
pub(crate) const SHORT: u32 = 16;

impl Fingerprint {
    /// Has a length that no name has.
    pub(crate) const NO_NAME: Fingerprint = Fingerprint { head: 0, tail: 0, len: u32::MAX };

    /// Returns the fingerprint of a name.
    #[inline(always)]
    pub(crate) fn of(name: &[u8]) -> Fingerprint {
        Fingerprint::between(name, 0, name.len())
    }

    /// Returns the fingerprint of the bytes `start..end` of `bytes`.
    #[inline(always)]
    pub(crate) fn between(bytes: &[u8], start: usize, end: usize) -> Fingerprint {
        let near = bytes.get(start..).and_then(<[u8]>::first_chunk);
        near.and_then(|near| Fingerprint::at_start(near, end.wrapping_sub(start)))
            .unwrap_or_else(|| Fingerprint::of_other(bytes.get(start..end).unwrap_or_default()))
    }

    /// Returns the fingerprint of the first `len` bytes, if they are a short name and not empty. It branches on the
    /// length: names mostly come in the same order as before, so the branches are predicted, and V8 is a tenth faster
    /// than with masks from a table.
    #[inline(always)]
    pub(crate) fn at_start(bytes: &[u8; SHORT as usize], len: usize) -> Option<Fingerprint> {
        let bytes = u128::from_le_bytes(*bytes);
        let (head, tail) = (bytes as u64, (bytes >> 64) as u64);
        // Keeps the 1 to 8 bytes of a word that belong to the name.
        let own = |word: u64, bytes: u32| word & u64::MAX.wrapping_shr(64u32.wrapping_sub(bytes.wrapping_mul(8)));
        let count = len as u32;
        match len {
            1..=8 => Some(Fingerprint { head: own(head, count), tail: 0, len: count }),
            9..=16 => Some(Fingerprint { head, tail: own(tail, count.wrapping_sub(8)), len: count }),
            _ => None,
        }
    }

    /// Returns the fingerprint of a long name, or of one near the end of a body.
    #[inline(never)]
    fn of_other(name: &[u8]) -> Fingerprint {
        let len = name.len() as u32;
        if let (Some(head), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            // If the name is short, the first of its last eight bytes are in the head already.
            let known = SHORT.saturating_sub(len).wrapping_mul(8);
            let tail = u64::from_le_bytes(*last).unbounded_shr(known);
            return Fingerprint { head: u64::from_le_bytes(*head), tail, len };
        }
        let head = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => {
                let last = u64::from(u32::from_le_bytes(*last)).unbounded_shl(len.wrapping_sub(4).wrapping_mul(8));
                u64::from(u32::from_le_bytes(*first)) | last
            }
            _ => name.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
        };
        Fingerprint { head, tail: 0, len }
    }

    /// Returns a hash whose upper bits depend on every bit of both words. Names of different lengths nearly always
    /// differ in these words.
    #[inline(always)]
    fn hash(self, seed: u64) -> u64 {
        let mixed = self.head ^ self.tail.rotate_left(29) ^ seed;
        mixed.wrapping_mul(GOLDEN)
    }

    /// Returns 64 bits that depend on every bit of the fingerprint.
    #[inline(always)]
    pub(crate) fn spread(self) -> u64 {
        let (head, tail) = (self.head.wrapping_mul(GOLDEN), self.last_eight().wrapping_mul(0xc2b2_ae3d_27d4_eb4f));
        head ^ tail.rotate_left(32) ^ u64::from(self.len).wrapping_mul(0x1656_67b1_9e37_79f9)
    }

    /// Returns the last eight bytes, or all of a shorter name.
    #[inline(always)]
    fn last_eight(self) -> u64 {
        if self.len > SHORT {
            return self.tail;
        }
        match self.len.saturating_sub(8).wrapping_mul(8) {
            0 => self.head,
            bits => self.head.unbounded_shr(bits) | self.tail.unbounded_shl(64u32.wrapping_sub(bits)),
        }
    }

    #[inline(always)]
    pub(crate) fn equals(self, other: Fingerprint) -> bool {
        (self.head ^ other.head) | (self.tail ^ other.tail) | u64::from(self.len ^ other.len) == 0
    }
}

/// Where a state's entries are among all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    start: u32,
    /// 64 less the binary logarithm of the number of entries: a hash shifted right by it is an index.
    shift: u32,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    // The fields of a fingerprint. As a struct of its own it would make this one longer than 32 bytes.
    head: u64,
    tail: u64,
    len: u32,
    value: u32,
    /// Where the whole name is in [`Tables::long`], if the fingerprint is not all of it.
    long: u32,
    /// Whether a name whose first place is here may be further on, or must be compared in full.
    more: bool,
}

impl Entry {
    #[inline(always)]
    fn name(&self) -> Fingerprint {
        Fingerprint { head: self.head, tail: self.tail, len: self.len }
    }
}

/// The value of an entry without a name.
const VACANT: u32 = u32::MAX;

/// All tables of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tables {
    entries: Vec<Entry>,
    long: Vec<u8>,
}

impl Table {
    /// A table in which nothing is found.
    pub(crate) const EMPTY: Table = Table { start: 0, shift: 63, seed: 0 };
    /// Seeds tried; the best is taken.
    const SEEDS: u64 = 64;
    /// Seeds tried if the table is made while a response waits.
    const FEW_SEEDS: u64 = 4;

    /// Whether nothing is found in it.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Table::EMPTY
    }

    /// Returns the place that is tried first for a name.
    #[inline(always)]
    fn first(self, name: Fingerprint) -> usize {
        self.start.wrapping_add((name.hash(self.seed) >> (self.shift & 63)) as u32) as usize
    }

    /// Returns the places where a name may be, in the order in which they are tried.
    fn probe(self, name: Fingerprint) -> impl Iterator<Item = usize> {
        let first = (name.hash(self.seed) >> (self.shift & 63)) as u32;
        let mask = (u64::MAX >> (self.shift & 63)) as u32;
        (0..=mask).map(move |step| self.start.wrapping_add(first.wrapping_add(step) & mask) as usize)
    }
}

/// What one probe of a table tells about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glance<T> {
    Found(T),
    Absent,
    /// More probes are needed.
    Unsettled,
}

impl Tables {
    /// Creates tables whose first two entries are vacant, which [`Table::EMPTY`] refers to.
    pub(crate) fn new() -> Self {
        Tables { entries: vec![vacant(); 2], long: Vec::new() }
    }

    /// Adds a table. At most a third of it is occupied, so that most names are found at the first place.
    pub(crate) fn add<'a>(&mut self, names: impl Iterator<Item = (&'a str, u32)>) -> Table {
        let entries: Vec<Entry> = names.map(|(name, value)| self.entry(name, value)).collect();
        self.place(entries, Table::SEEDS)
    }

    /// Adds a table that knows what `base` knows, and these names, which win over those of `base`. Fewer seeds are
    /// tried, to be quick.
    pub(crate) fn add_over<'a>(&mut self, base: Table, names: impl Iterator<Item = (&'a str, u32)>) -> Table {
        let start = base.start as usize;
        let size = (u64::MAX >> (base.shift & 63)) as usize;
        let known = self.entries.get(start..=start.saturating_add(size)).unwrap_or_default();
        let mut entries: Vec<Entry> = known.iter().copied().filter(|entry| entry.value != VACANT).collect();
        for (name, value) in names {
            let found = self.find(base, name.as_bytes());
            match entries.iter_mut().find(|entry| found == Some(entry.value)) {
                Some(entry) => entry.value = value,
                None => entries.push(self.entry(name, value)),
            }
        }
        self.place(entries, Table::FEW_SEEDS)
    }

    fn entry(&mut self, name: &str, value: u32) -> Entry {
        let Fingerprint { head, tail, len } = Fingerprint::of(name.as_bytes());
        Entry { head, tail, len, value, long: self.keep_long(name), more: false }
    }

    fn place(&mut self, entries: Vec<Entry>, seeds: u64) -> Table {
        if entries.is_empty() {
            return Table::EMPTY;
        }
        let size = entries.len().saturating_mul(3).next_power_of_two();
        let start = self.entries.len();
        let shift = 64u32.saturating_sub(size.trailing_zeros());
        let table = best_seed(&entries, seeds, size, Table { start: start as u32, shift, seed: 0 });
        self.entries.resize(start.saturating_add(size), vacant());
        for entry in entries {
            for slot in table.probe(entry.name()) {
                let Some(place) = self.entries.get_mut(slot) else { break };
                if place.value == VACANT {
                    *place = Entry { more: entry.len > SHORT, ..entry };
                    break;
                }
                place.more = true;
            }
        }
        table
    }

    /// Returns the current size, to come back to with [`Tables::truncate`].
    pub(crate) fn extent(&self) -> (usize, usize) {
        (self.entries.len(), self.long.len())
    }

    /// Returns the bytes of the tables added since.
    pub(crate) fn memory_since(&self, (entries, long): (usize, usize)) -> usize {
        let added = self.entries.len().saturating_sub(entries).saturating_mul(size_of::<Entry>());
        added.saturating_add(self.long.len().saturating_sub(long))
    }

    /// Removes the tables added since.
    pub(crate) fn truncate(&mut self, (entries, long): (usize, usize)) {
        self.entries.truncate(entries);
        self.long.truncate(long);
    }

    /// Probes once for a short name, which suffices for most.
    #[inline(always)]
    pub(crate) fn glance(&self, table: Table, name: Fingerprint) -> Glance<u32> {
        match self.entries.get(table.first(name)) {
            Some(entry) if entry.name().equals(name) => Glance::Found(entry.value),
            Some(entry) if !entry.more => Glance::Absent,
            _ => Glance::Unsettled,
        }
    }

    /// Returns the value of a name.
    pub(crate) fn find(&self, table: Table, name: &[u8]) -> Option<u32> {
        self.find_name(table, Fingerprint::of(name), name)
    }

    /// As [`Tables::find`], by the name's fingerprint.
    #[inline(always)]
    pub(crate) fn find_name(&self, table: Table, name: Fingerprint, whole: &[u8]) -> Option<u32> {
        for slot in table.probe(name) {
            let entry = self.entries.get(slot)?;
            if entry.value == VACANT {
                return None;
            }
            if entry.name().equals(name) && (name.len <= SHORT || self.is_long(entry, whole)) {
                return Some(entry.value);
            }
        }
        None
    }

    fn is_long(&self, entry: &Entry, name: &[u8]) -> bool {
        let end = entry.long.wrapping_add(entry.len);
        self.long.get(entry.long as usize..end as usize) == Some(name)
    }

    fn keep_long(&mut self, name: &str) -> u32 {
        let start = self.long.len() as u32;
        if name.len() > SHORT as usize {
            self.long.extend_from_slice(name.as_bytes());
        }
        start
    }
}

fn vacant() -> Entry {
    // Has a length that no name has.
    Entry { head: 0, tail: 0, len: u32::MAX, value: VACANT, long: 0, more: false }
}

/// Returns the table with the seed that needs the fewest probes beyond the first: for the worst name, then for all
/// names together.
fn best_seed(entries: &[Entry], seeds: u64, size: usize, table: Table) -> Table {
    let mut best = ((u32::MAX, u32::MAX), table);
    for seed in 0..seeds {
        let table = Table { seed: seed.wrapping_mul(ODD), ..table };
        let further = further_looks(entries.iter().map(Entry::name), size, table);
        if further < best.0 {
            best = (further, table);
        }
        if further.1 == 0 {
            break;
        }
    }
    best.1
}

/// Returns the probes beyond the first: the most for one name, and those for all names together.
fn further_looks(names: impl Iterator<Item = Fingerprint>, size: usize, table: Table) -> (u32, u32) {
    let mut taken = vec![false; size];
    let table = Table { start: 0, ..table };
    let (mut most, mut all) = (0, 0u32);
    for name in names {
        let mut vacant = |slot: usize| taken.get_mut(slot).is_some_and(|taken| !std::mem::replace(taken, true));
        let further = table.probe(name).position(&mut vacant).unwrap_or(size) as u32;
        most = most.max(further);
        all = all.saturating_add(further);
    }
    (most, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that one probe, if it tells anything, tells the same as all probes.
    fn found(tables: &Tables, table: Table, bytes: &[u8], start: usize, end: usize) -> Option<u32> {
        let name = Fingerprint::between(bytes, start, end);
        let found = tables.find_name(table, name, &bytes[start..end]);
        if name.len > SHORT {
            return found;
        }
        match tables.glance(table, name) {
            Glance::Found(value) => assert_eq!(found, Some(value)),
            Glance::Absent => assert_eq!(found, None),
            Glance::Unsettled => (),
        }
        found
    }

    #[test]
    fn fingerprints_are_the_same_wherever_a_name_is() {
        let text: Vec<u8> = (0..100).map(|i| b'a' + i % 26).collect();
        for (start, len) in (0..40).flat_map(|start| (0..40).map(move |len| (start, len))) {
            let (name, end) = (&text[start..start + len], start + len);
            let alone = Fingerprint::of(name);
            assert_eq!(Fingerprint::between(&text, start, end), alone);
            assert_eq!(Fingerprint::between(&text[..end], start, end), alone);
            let last = name[len.saturating_sub(8)..].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            assert_eq!(alone.last_eight(), last);
            let next = &name[len.min(8)..len.min(16)];
            let next = if len > 16 { &name[len - 8..] } else { next };
            assert_eq!(alone.tail, next.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    #[test]
    fn names_are_found_and_others_are_not() {
        let names: Vec<String> = (0..500).map(|i| format!("{}{i}", "n".repeat(i % 40))).collect();
        let mut tables = Tables::new();
        let table = tables.add(names.iter().enumerate().map(|(i, name)| (name.as_str(), i as u32)));
        for (i, name) in names.iter().enumerate() {
            let body = format!("\"{name}\":1");
            assert_eq!(found(&tables, table, body.as_bytes(), 1, 1 + name.len()), Some(i as u32), "{name}");
            let other = format!("{name}x");
            assert_eq!(found(&tables, table, other.as_bytes(), 0, other.len()), None, "{other}");
        }
    }

    #[test]
    fn the_middle_of_a_long_name_counts() {
        let mut tables = Tables::new();
        let table = tables.add([("abcdefgh-one-abcdefgh", 7)].into_iter());
        let body = b"abcdefgh-one-abcdefgh abcdefgh-two-abcdefgh";
        assert_eq!(found(&tables, table, body, 0, 21), Some(7));
        assert_eq!(found(&tables, table, body, 22, 43), None);
    }

    #[test]
    fn a_table_over_another_knows_both_and_wins() {
        let mut tables = Tables::new();
        let base = tables.add([("id", 1), ("name", 2), ("a_name_of_more_than_16", 3)].into_iter());
        let before = tables.extent();
        let over = tables.add_over(base, [("name", 9), ("another_name_of_more", 8)].into_iter());
        for (name, below, above) in [
            ("id", Some(1), Some(1)),
            ("name", Some(2), Some(9)),
            ("a_name_of_more_than_16", Some(3), Some(3)),
            ("another_name_of_more", None, Some(8)),
            ("none", None, None),
        ] {
            assert_eq!(found(&tables, base, name.as_bytes(), 0, name.len()), below, "{name}");
            assert_eq!(found(&tables, over, name.as_bytes(), 0, name.len()), above, "{name}");
        }
        assert!(tables.add_over(Table::EMPTY, std::iter::empty()).is_empty());
        tables.truncate(before);
        assert_eq!(tables.find(base, b"name"), Some(2));
    }

    #[test]
    fn an_empty_table_finds_nothing() {
        assert_eq!(found(&Tables::new(), Table::EMPTY, b"", 0, 0), None);
    }
}
