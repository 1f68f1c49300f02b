//! An inverted index from keys to expected fields, so that a name meets only fields that share a word with it.

use crate::order::sort;
use crate::similarity::names::{Mask, Names};

/// The keys of a list of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Postings {
    /// A hash, and the start and number of its fields. Open addressing, at most half full.
    slots: Vec<(u64, u32, u32)>,
    fields: Vec<u32>,
}

impl Postings {
    /// Indexes the keys for which `wanted` returns true, given the field and the words of the key.
    pub fn of(names: &Names, wanted: &dyn Fn(u32, Mask) -> bool) -> Postings {
        let mut all = Vec::new();
        for field in 0..names.len() as u32 {
            let Some(name) = names.get(field) else { continue };
            let keys = names.keys(name).iter().filter(|key| wanted(field, key.words));
            all.extend(keys.map(|key| (key.hash, field)));
        }
        Postings::of_all(all)
    }

    /// Indexes fields by these keys.
    pub fn of_all(mut all: Vec<(u64, u32)>) -> Postings {
        sort(&mut all);
        // A name may have one key for several reasons: a name of one word is that word and a whole phrase.
        all.dedup();
        let runs = || all.chunk_by(|a, b| a.0 == b.0);
        // Sized by the keys and not by their fields, since a sparse table of a large contract is in no cache.
        let slots = runs().count().max(4).saturating_mul(2).next_power_of_two();
        let mut made = Postings { slots: vec![(0, 0, 0); slots], fields: Vec::with_capacity(all.len()) };
        for run in runs() {
            let start = made.fields.len() as u32;
            made.fields.extend(run.iter().map(|(_, field)| *field));
            let hash = run.first().map_or(0, |(hash, _)| *hash);
            made.put(hash, start, run.len() as u32);
        }
        made
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    fn put(&mut self, hash: u64, start: u32, len: u32) {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == 0 {
                *slot = (hash, start, len);
                return;
            }
            at = at.wrapping_add(1) & mask;
        }
    }

    /// Returns the fields that have this key.
    pub fn get(&self, hash: u64) -> &[u32] {
        let mask = self.slots.len().saturating_sub(1);
        let mut at = hash as usize & mask;
        while let Some((key, start, len)) = self.slots.get(at) {
            match *key {
                0 => break,
                key if key == hash => {
                    let start = *start as usize;
                    return self.fields.get(start..start.saturating_add(*len as usize)).unwrap_or_default();
                }
                _ => at = at.wrapping_add(1) & mask,
            }
        }
        &[]
    }
}
