//! Flat tables from member names to actions.
//!
//! A name is its first eight bytes, its last eight and its length: up to sixteen bytes that is all of it, and only
//! longer names are compared in full. One multiply hashes it. Names in bodies are chosen by strangers, names in the
//! table are not: so the worst look-up is fixed when the table is built, where a seed is chosen that keeps it short.

/// A name as it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    head: u64,
    tail: u64,
    len: u32,
}

impl Fingerprint {
    /// Of bytes `start..end` of `bytes`. Reads beyond a short name where there is something, so that it takes one load.
    #[inline(always)]
    pub(crate) fn of(bytes: &[u8], start: usize, end: usize) -> Fingerprint {
        let len = end.wrapping_sub(start);
        if len >= 8 {
            let (head, tail) = (word(bytes, start), word(bytes, end.wrapping_sub(8)));
            return Fingerprint { head: head.unwrap_or(0), tail: tail.unwrap_or(0), len: len as u32 };
        }
        let Some(wide) = word(bytes, start) else {
            return Fingerprint::of_last(bytes.get(start..end).unwrap_or_default());
        };
        let head = wide & (1u64 << (len.wrapping_mul(8) & 63)).wrapping_sub(1);
        Fingerprint { head, tail: head, len: len as u32 }
    }

    /// Of a name of less than eight bytes at the very end of a body.
    #[cold]
    fn of_last(name: &[u8]) -> Fingerprint {
        let head = name.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        Fingerprint { head, tail: head, len: name.len() as u32 }
    }

    #[inline(always)]
    fn hash(self, seed: u64) -> u32 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = self.head ^ self.tail.rotate_left(29) ^ (u64::from(self.len) << 56) ^ seed;
        let product = mixed.wrapping_mul(ODD);
        ((product ^ (product >> 29)).wrapping_mul(ODD) >> 32) as u32
    }
}

#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..).and_then(<[u8]>::first_chunk::<8>).map(|word| u64::from_le_bytes(*word))
}

/// Where a state's entries are among all entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    start: u32,
    mask: u32,
    seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    name: Fingerprint,
    value: u32,
    /// The whole name, where it is longer than its fingerprint tells: a span of [`Tables::long`].
    long: (u32, u32),
}

const VACANT: u32 = u32::MAX;

/// All tables of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tables {
    entries: Vec<Entry>,
    long: Vec<u8>,
}

impl Table {
    /// A table in which nothing is found.
    pub(crate) const EMPTY: Table = Table { start: 0, mask: 0, seed: 0 };

    /// Whether nothing is found in it.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Table::EMPTY
    }

    /// Seeds tried before a longer probe is accepted.
    const SEEDS: u32 = 64;
    /// A probe that is short enough to stop looking for a better seed.
    const SHORT_PROBE: u32 = 2;
}

impl Tables {
    /// Tables whose entry 0 is vacant, which [`Table::EMPTY`] refers to.
    pub(crate) fn new() -> Self {
        Tables { entries: vec![vacant()], long: Vec::new() }
    }

    /// Adds a table; at most half of it is occupied.
    pub(crate) fn add<'a>(&mut self, names: impl Iterator<Item = (&'a str, u32)>) -> Table {
        let entry = |(name, value): (&'a str, u32)| Entry { name: whole(name), value, long: self.keep_long(name) };
        let entries: Vec<Entry> = names.map(entry).collect();
        self.place(&entries)
    }

    /// Adds a table that knows what `base` knows, and these names; where both know a name, these win.
    pub(crate) fn add_over<'a>(&mut self, base: Table, names: impl Iterator<Item = (&'a str, u32)>) -> Table {
        let start = base.start as usize;
        let known = self.entries.get(start..=start.saturating_add(base.mask as usize)).unwrap_or_default();
        let mut entries: Vec<Entry> = known.iter().copied().filter(|entry| entry.value != VACANT).collect();
        for (name, value) in names {
            let found = self.find_entry(base, name.as_bytes(), 0, name.len()).map(|entry| entry.value);
            match entries.iter_mut().find(|entry| found == Some(entry.value)) {
                Some(entry) => entry.value = value,
                None => entries.push(Entry { name: whole(name), value, long: self.keep_long(name) }),
            }
        }
        self.place(&entries)
    }

    fn place(&mut self, entries: &[Entry]) -> Table {
        if entries.is_empty() {
            return Table::EMPTY;
        }
        let size = entries.len().saturating_mul(2).next_power_of_two();
        let seed = best_seed(entries, size);
        let start = self.entries.len();
        let table = Table { start: start as u32, mask: (size as u32).wrapping_sub(1), seed };
        self.entries.resize(start.saturating_add(size), vacant());
        for entry in entries {
            let slot = probe(table, entry.name).find(|slot| self.value_at(*slot) == VACANT);
            if let Some(place) = slot.and_then(|slot| self.entries.get_mut(slot)) {
                *place = *entry;
            }
        }
        table
    }

    /// How much it holds, to come back to with [`Tables::truncate`].
    pub(crate) fn len(&self) -> (usize, usize) {
        (self.entries.len(), self.long.len())
    }

    /// Forgets the tables added since.
    pub(crate) fn truncate(&mut self, (entries, long): (usize, usize)) {
        self.entries.truncate(entries);
        self.long.truncate(long);
    }

    /// The action for the name at `start..end` of `bytes`.
    #[inline(always)]
    pub(crate) fn find(&self, table: Table, bytes: &[u8], start: usize, end: usize) -> Option<u32> {
        self.find_entry(table, bytes, start, end).map(|entry| entry.value)
    }

    #[inline(always)]
    fn find_entry(&self, table: Table, bytes: &[u8], start: usize, end: usize) -> Option<&Entry> {
        let name = Fingerprint::of(bytes, start, end);
        let mut slot = name.hash(table.seed);
        loop {
            let entry = self.entries.get(table.start.wrapping_add(slot & table.mask) as usize)?;
            if entry.value == VACANT {
                return None;
            }
            if entry.name == name && (name.len <= 16 || self.is_long(entry, bytes.get(start..end)?)) {
                return Some(entry);
            }
            slot = slot.wrapping_add(1);
        }
    }

    #[inline(never)]
    fn is_long(&self, entry: &Entry, name: &[u8]) -> bool {
        self.long.get(entry.long.0 as usize..entry.long.1 as usize) == Some(name)
    }

    fn keep_long(&mut self, name: &str) -> (u32, u32) {
        if name.len() <= 16 {
            return (0, 0);
        }
        let start = self.long.len() as u32;
        self.long.extend_from_slice(name.as_bytes());
        (start, self.long.len() as u32)
    }

    fn value_at(&self, slot: usize) -> u32 {
        self.entries.get(slot).map_or(0, |entry| entry.value)
    }
}

/// The slots that a name may be in, in the order in which they are tried.
fn probe(table: Table, name: Fingerprint) -> impl Iterator<Item = usize> {
    let first = name.hash(table.seed);
    (0..=table.mask).map(move |step| table.start.wrapping_add(first.wrapping_add(step) & table.mask) as usize)
}

fn vacant() -> Entry {
    Entry { name: Fingerprint { head: 0, tail: 0, len: 0 }, value: VACANT, long: (0, 0) }
}

fn whole(name: &str) -> Fingerprint {
    Fingerprint::of(name.as_bytes(), 0, name.len())
}

fn best_seed(entries: &[Entry], size: usize) -> u64 {
    let mut best = (u32::MAX, 0);
    let mut taken = vec![0; size];
    for attempt in 1..=Table::SEEDS {
        let seed = u64::from(attempt).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let longest = longest_probe(entries.iter().map(|entry| entry.name.hash(seed)), &mut taken, attempt);
        if longest < best.0 {
            best = (longest, seed);
        }
        if longest <= Table::SHORT_PROBE {
            break;
        }
    }
    best.1
}

/// `taken`: by which attempt each slot was last taken.
fn longest_probe(hashes: impl Iterator<Item = u32>, taken: &mut [u32], attempt: u32) -> u32 {
    let mask = taken.len().wrapping_sub(1);
    let mut longest = 0;
    for hash in hashes {
        let mut steps = 0u32;
        while let Some(place) = taken.get_mut(hash.wrapping_add(steps) as usize & mask) {
            steps = steps.wrapping_add(1);
            if std::mem::replace(place, attempt) != attempt {
                break;
            }
        }
        longest = longest.max(steps);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_others_are_not() {
        let names: Vec<String> = (0..500).map(|i| format!("{}{i}", "n".repeat(i % 40))).collect();
        let mut tables = Tables::new();
        let table = tables.add(names.iter().enumerate().map(|(i, name)| (name.as_str(), i as u32)));
        for (i, name) in names.iter().enumerate() {
            let body = format!("\"{name}\":1");
            assert_eq!(tables.find(table, body.as_bytes(), 1, 1 + name.len()), Some(i as u32), "{name}");
            let other = format!("{name}x");
            assert_eq!(tables.find(table, other.as_bytes(), 0, other.len()), None, "{other}");
        }
    }

    #[test]
    fn the_middle_of_a_long_name_counts() {
        let mut tables = Tables::new();
        let table = tables.add([("abcdefgh-one-abcdefgh", 7)].into_iter());
        let body = b"abcdefgh-one-abcdefgh abcdefgh-two-abcdefgh";
        assert_eq!(tables.find(table, body, 0, 21), Some(7));
        assert_eq!(tables.find(table, body, 22, 43), None);
    }

    #[test]
    fn a_table_over_another_knows_both_and_wins() {
        let mut tables = Tables::new();
        let base = tables.add([("id", 1), ("name", 2), ("a_name_of_more_than_16", 3)].into_iter());
        let before = tables.len();
        let over = tables.add_over(base, [("name", 9), ("another_name_of_more", 8)].into_iter());
        for (name, below, above) in [
            ("id", Some(1), Some(1)),
            ("name", Some(2), Some(9)),
            ("a_name_of_more_than_16", Some(3), Some(3)),
            ("another_name_of_more", None, Some(8)),
            ("none", None, None),
        ] {
            assert_eq!(tables.find(base, name.as_bytes(), 0, name.len()), below, "{name}");
            assert_eq!(tables.find(over, name.as_bytes(), 0, name.len()), above, "{name}");
        }
        assert!(tables.add_over(Table::EMPTY, std::iter::empty()).is_empty());
        tables.truncate(before);
        assert_eq!(tables.find(base, b"name", 0, 4), Some(2));
    }

    #[test]
    fn an_empty_table_finds_nothing() {
        assert_eq!(Tables::new().find(Table::EMPTY, b"", 0, 0), None);
    }
}
