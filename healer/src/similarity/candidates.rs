//! Finds the expected fields that a name may be, before they are looked at closely.
//!
//! A pair counts only if each word of both names that needs a counterpart shares a key with a word of the other name.
//! So an index by the keys of one such word per field suffices: whatever has counterparts for all words has one for
//! that word (prefix filtering, Chaudhuri, Ganti and Kaushik 2006). The index takes the word that is rarest in the
//! contract. Bloom filters reject most chance hits, and the rest is compared key by key. The result is what comparing
//! all fields would find, up to [`MAX_FIELDS`]. The cost of a name grows with the number of fields that share its rare
//! words, not with the contract.

pub(crate) mod postings;

use super::Model;
use super::candidates::postings::Postings;
use super::names::{Key, Mask, Name, Names, each_shared};
use crate::hash::GOLDEN;
use crate::order::sort;
use crate::plan::spec::Kinds;

/// The largest number of fields that one name is compared with. Only names of very common words have more.
const MAX_FIELDS: usize = 256;

/// An index of the fields of a contract.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The keys of the rarest word of each field.
    rarest: Postings,
    needs: Vec<Needs>,
}

impl Index {
    /// Builds the index of `names`; `postings` holds all keys of these names.
    pub fn of(names: &Names, postings: &Postings) -> Index {
        let all = || (0..names.len() as u32).filter_map(|id| names.get(id));
        let rarest: Vec<Mask> = all().map(|name| rarest(names, name, postings)).collect();
        let is_of_rarest =
            |field: u32, words: Mask| rarest.get(field as usize).is_some_and(|rarest| words & rarest != 0);
        let needs = all().map(|name| Needs::of(names, name)).collect();
        Index { rarest: Postings::of(names, &is_of_rarest), needs }
    }
}

/// Returns the word that needs a counterpart and whose keys the fewest fields have. If no word needs one, returns the
/// mask of all words.
fn rarest(names: &Names, name: &Name, postings: &Postings) -> Mask {
    let count = |bit: Mask| {
        let keys = names.keys(name).iter().filter(move |key| key.words & bit != 0);
        keys.map(|key| postings.get(key.hash).len()).sum::<usize>()
    };
    words(name.needed).min_by_key(|bit| count(*bit)).unwrap_or(Mask::MAX)
}

fn words(mask: Mask) -> impl Iterator<Item = Mask> {
    (0..Mask::BITS).map(|at| 1 << at).filter(move |bit: &Mask| bit & mask != 0)
}

/// The fields that the current name hits.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// By field, the last name that hit it.
    met: Vec<u32>,
    epoch: u32,
    /// The fields that the name may be.
    pub fields: Vec<u32>,
}

impl Candidates {
    /// Fills [`Candidates::fields`] in ascending order.
    pub fn find(&mut self, expected: &Names, index: &Index, names: &Names, name: &Name) {
        let Candidates { met, epoch, fields } = self;
        fields.clear();
        met.resize(expected.len().max(met.len()), 0);
        *epoch = epoch.wrapping_add(1);
        let wanted = Needs::of(names, name);
        for field in names.keys(name).iter().flat_map(|key| index.rarest.get(key.hash)) {
            let place = *field as usize;
            let (Some(met), Some(needs)) = (met.get_mut(place), index.needs.get(place)) else { continue };
            if *met == *epoch {
                continue;
            }
            *met = *epoch;
            if needs.met_by(&wanted)
                && wanted.met_by(needs)
                && let Some(other) = expected.get(*field)
                && has_counterparts((expected, other), (names, name))
            {
                fields.push(*field);
            }
        }
        sort(fields);
        fields.truncate(MAX_FIELDS);
    }
}

impl Model {
    /// Returns the fields that a name in the record itself may be, as decisions find them.
    pub fn candidates(&self, name: &str) -> Vec<u32> {
        let (names, mut candidates) = (self.alone(name), Candidates::default());
        if let Some(name) = names.get(0) {
            candidates.find(&self.names, &self.index, &names, name);
        }
        candidates.fields
    }

    /// Returns the same by comparing all fields, to measure the recall of the index.
    pub fn candidates_of_all(&self, name: &str) -> Vec<u32> {
        let names = self.alone(name);
        let Some(name) = names.get(0) else { return Vec::new() };
        let fits =
            |id: &u32| self.names.get(*id).is_some_and(|field| has_counterparts((&self.names, field), (&names, name)));
        (0..self.names.len() as u32).filter(fits).collect()
    }

    fn alone(&self, name: &str) -> Names {
        let mut names = Names::default();
        names.add(name, None, Kinds::ANY, &self.record, Some(&self.typos));
        names
    }
}

/// Whether each word that needs a counterpart shares a key with a word of the other name.
fn has_counterparts((expected, field): (&Names, &Name), (names, name): (&Names, &Name)) -> bool {
    let (mut of_field, mut of_name): (Mask, Mask) = (0, 0);
    let all = |keys: &[Key]| keys.iter().fold(0, |words, key| words | key.words);
    each_shared(expected.keys(field), names.keys(name), |left, right| {
        of_field |= all(left);
        of_name |= all(right);
    });
    field.needed & !of_field == 0
        && name.needed & !of_name == 0
        && (field.own & of_field != 0 || field.needed == 0 && of_field != 0)
}

/// Keys as Bloom filters with one bit per key (Bloom 1970).
///
/// `needs` has one filter for each of the first three words that need a counterpart: the other name has to have one of
/// its keys. `keys` covers all keys of the name.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    needs: [u128; 3],
    keys: u128,
}

impl Needs {
    fn of(names: &Names, name: &Name) -> Needs {
        let mut made = Needs::default();
        for (need, bit) in made.needs.iter_mut().zip(words(name.needed)) {
            let keys = names.keys(name).iter().filter(|key| key.words & bit != 0);
            *need = keys.fold(0, |bits, key| bits | bloom(key.hash));
        }
        made.keys = names.keys(name).iter().fold(0, |bits, key| bits | bloom(key.hash));
        made
    }

    /// Whether the other name may have a counterpart for each word.
    fn met_by(&self, other: &Needs) -> bool {
        self.needs.iter().all(|need| *need == 0 || need & other.keys != 0)
    }
}

fn bloom(hash: u64) -> u128 {
    1 << (hash.wrapping_mul(GOLDEN) >> 57)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::spec::{Contract, Expects, Property};
    use proptest::prelude::*;

    const WORDS: [&str; 24] = [
        "user",
        "id",
        "name",
        "created",
        "at",
        "email",
        "mail",
        "address",
        "zip",
        "code",
        "postal",
        "total",
        "amount",
        "first",
        "last",
        "status",
        "type",
        "of",
        "is",
        "count",
        "2",
        "line",
        "data",
        "identifier",
    ];

    fn property(name: String, inside: Vec<Property>) -> Property {
        let node = if inside.is_empty() { Contract::Any } else { Contract::Object { properties: inside, open: false } };
        Property { name, node, expects: Expects::default(), required: false }
    }

    fn name() -> impl Strategy<Value = String> {
        proptest::collection::vec(0..WORDS.len(), 1..4)
            .prop_map(|words| words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join("_"))
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_all_finds(
            fields in proptest::collection::vec((name(), proptest::collection::vec(name(), 0..4)), 1..60),
            unknown in proptest::collection::vec(name(), 1..20),
        ) {
            let properties: Vec<Property> = fields
                .into_iter()
                .map(|(name, inside)| property(name, inside.into_iter().map(|name| property(name, Vec::new())).collect()))
                .collect();
            let model = Model::of(&properties);
            for name in unknown {
                prop_assert_eq!(model.candidates(&name), model.candidates_of_all(&name), "{}", name);
            }
        }
    }
}
