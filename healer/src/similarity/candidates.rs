//! Which expected fields a name may be, before they are looked at closely.
//!
//! A pair counts only if each word of both names that needs a counterpart shares a key with a word of the other. That
//! is seen while the posts of the keys are read, for all fields at once.

use super::names::{Mask, Name, Names};
use super::postings::Postings;
use crate::order::sort;

/// Posts that are read per name. Names of words so frequent that there are more meet the fields of their rarest word.
const MAX_POSTS: usize = 256;
/// Fields that one name is compared with.
const MAX_FIELDS: usize = 256;

/// Fields met by the name that is looked at.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    met: Vec<Met>,
    epoch: u32,
    /// The fields that may be it.
    pub fields: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Met {
    epoch: u32,
    expected: Mask,
    found: Mask,
}

impl Candidates {
    /// Fills [`Candidates::fields`], in ascending order.
    pub fn find(&mut self, expected: &Names, postings: &Postings, needs: &[Needs], names: &Names, name: &Name) {
        self.fields.clear();
        self.met.resize(expected.len().max(self.met.len()), Met::default());
        self.epoch = self.epoch.wrapping_add(1);
        let keys = names.keys(name);
        let total: usize = keys.iter().map(|key| postings.get(key.hash).len()).sum();
        if total > MAX_POSTS {
            self.find_by_rarest(postings, needs, names, name);
            return;
        }
        for key in keys {
            for post in postings.get(key.hash) {
                let Some(met) = self.met.get_mut(post.field as usize) else { continue };
                if met.epoch != self.epoch {
                    *met = Met { epoch: self.epoch, ..Met::default() };
                    self.fields.push(post.field);
                }
                met.expected |= post.words;
                met.found |= key.words;
            }
        }
        let Candidates { met, fields, .. } = self;
        fields.retain(|field| {
            let (Some(met), Some(other)) = (met.get(*field as usize), expected.get(*field)) else { return false };
            other.needed & !met.expected == 0
                && name.needed & !met.found == 0
                && (other.own & met.expected != 0 || other.needed == 0)
        });
        sort(fields);
        fields.truncate(MAX_FIELDS);
    }

    fn find_by_rarest(&mut self, postings: &Postings, needs: &[Needs], names: &Names, name: &Name) {
        let wanted = if name.needed == 0 { name.own } else { name.needed };
        let count = |bit: Mask| {
            let keys = names.keys(name).iter().filter(move |key| key.words & bit != 0);
            keys.map(|key| postings.get(key.hash).len()).sum::<usize>()
        };
        let single = (0..Mask::BITS).map(|at| 1 << at).filter(|bit: &Mask| bit & wanted != 0);
        let Some(rarest) = single.min_by_key(|bit| count(*bit)) else { return };
        let keys = names.keys(name);
        let own = keys.iter().fold(0, |bits, key| bits | bloom(key.hash));
        for key in keys.iter().filter(|key| key.words & rarest != 0) {
            for post in postings.get(key.hash) {
                let Some(met) = self.met.get_mut(post.field as usize).filter(|met| met.epoch != self.epoch) else {
                    continue;
                };
                met.epoch = self.epoch;
                if needs.get(post.field as usize).is_some_and(|needs| needs.met_by(own)) {
                    self.fields.push(post.field);
                }
            }
        }
        sort(&mut self.fields);
        self.fields.truncate(MAX_FIELDS);
    }
}

/// For the first words of a field that need a counterpart, the keys that would be one, as Bloom filters of one bit
/// (Bloom 1970): a field is passed over in two instructions per word, for large contracts in which all words are frequent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs([u128; 4]);

impl Needs {
    pub fn of(names: &Names, name: &Name) -> Needs {
        let mut needs = Needs::default();
        let needed = (0..Mask::BITS).map(|at| 1 << at).filter(|bit: &Mask| bit & name.needed != 0);
        for (need, bit) in needs.0.iter_mut().zip(needed) {
            let keys = names.keys(name).iter().filter(|key| key.words & bit != 0);
            *need = keys.fold(0, |bits, key| bits | bloom(key.hash));
        }
        needs
    }

    /// Whether a name with these keys may have a counterpart for each word.
    fn met_by(&self, keys: u128) -> bool {
        self.0.iter().all(|need| *need == 0 || need & keys != 0)
    }
}

fn bloom(hash: u64) -> u128 {
    1 << (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57)
}
