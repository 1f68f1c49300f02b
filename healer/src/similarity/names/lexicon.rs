//! The dictionary, hashed once per process: one probe returns all that is known of a word or phrase.

use std::sync::OnceLock;

use nomos_rules::dictionary::{
    ABBREVIATIONS, EXACT_GROUPS, NeutralWords, OPPOSITES, PLURALS, PhraseId, Place, ROLES, Role, SYNONYMS, ValueKind,
    WORDS, compounds, envelopes, groupings, neutral, phrase_count, slot_sets, word_ids, words,
};

use super::inverse::Inverse;
use super::roles::Roles;
use crate::hash::{GOLDEN, name_hash};
use crate::plan::spec::{Kind, Kinds};

/// What is known of a word or phrase.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    hash: u64,
    /// Its number in the dictionary. Entries beyond the dictionary have higher numbers.
    phrase: PhraseId,
    /// The index of further facts in the list of these; 0 if there are none.
    more: u16,
    /// Objects of this name stand around records.
    pub is_envelope: bool,
    /// Objects of this name group members.
    pub is_grouping: bool,
    /// What it says in names; nothing if it is a phrase.
    pub roles: Roles,
    /// It is a word of its own, and so no misspelling of another.
    pub is_word: bool,
}

/// Facts that few words and phrases have.
#[derive(Debug, Default)]
pub(crate) struct More {
    /// Hashes of what it is short for.
    pub expansions: Vec<u64>,
    /// The phrase of which this is the closed form.
    pub compound: Option<PhraseId>,
    /// The singular of an irregular plural.
    pub singular: Option<&'static str>,
    /// Where it says nothing.
    pub neutral: Vec<Neutral>,
}

/// A place in names where a word says nothing.
#[derive(Debug)]
pub(crate) struct Neutral {
    /// The place is before the rest of the name; otherwise behind it.
    pub is_prefix: bool,
    /// The kinds of values for which this holds.
    pub kinds: Kinds,
    /// The neighbours for which this holds, sorted; empty for any.
    heads: &'static [PhraseId],
}

/// Slots of the table. The entries fill less than half, as a test checks.
const SLOTS: usize = 1 << 14;
const MASK: usize = SLOTS.wrapping_sub(1);
/// Marks a free slot.
const FREE: u16 = u16::MAX;

/// All entries, by hash.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// Indices into `entries`, in a table with open addressing.
    slots: Vec<u16>,
    /// First the entries of the dictionary, by their numbers there.
    entries: Vec<Entry>,
    more: Vec<More>,
    groups: Inverse,
    opposites: Inverse,
    /// The set of each slot of opposites.
    slot_sets: Vec<usize>,
}

/// Returns the lexicon of the process. The first call builds it, when the first model is made.
pub(crate) fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(Lexicon::build)
}

/// Returns the hash of a single word.
pub(crate) fn hash_word(word: &str) -> u64 {
    name_hash(word.as_bytes()).max(1)
}

/// Appends a word to the hash of a phrase, which starts as 0.
pub(crate) fn join_hash(before: u64, word: u64) -> u64 {
    if before == 0 {
        return word;
    }
    let product = (before.rotate_left(23) ^ word).wrapping_mul(GOLDEN);
    (product ^ (product >> 29)).max(1)
}

impl Neutral {
    fn of(words: &NeutralWords) -> Neutral {
        Neutral { is_prefix: words.place == Place::Prefix, kinds: kinds_of(words.kind), heads: words.heads }
    }

    /// Whether the word says nothing next to any word.
    pub fn is_free(&self) -> bool {
        self.heads.is_empty()
    }
}

impl Lexicon {
    /// Returns what is known of the word or phrase with this hash.
    pub fn get(&self, hash: u64) -> Option<&Entry> {
        let mut at = hash as usize & MASK;
        loop {
            // The value of a free slot is no index, so the search ends there.
            let entry = self.entries.get(usize::from(*self.slots.get(at)?))?;
            if entry.hash == hash {
                return Some(entry);
            }
            at = at.wrapping_add(1) & MASK;
        }
    }

    /// Returns the further facts about an entry.
    pub fn more(&self, entry: &Entry) -> Option<&More> {
        self.more.get(usize::from(entry.more))
    }

    /// Returns the synonym groups of an entry.
    pub fn groups(&self, entry: &Entry) -> &[u16] {
        self.groups.get(entry.phrase)
    }

    /// Whether two words or phrases must never match.
    pub fn are_opposed(&self, a: &Entry, b: &Entry) -> bool {
        let set = |slot: &u16| self.slot_sets.get(usize::from(*slot));
        let (a, b) = (self.opposites.get(a.phrase), self.opposites.get(b.phrase));
        a.iter().any(|slot| b.iter().any(|other| slot != other && set(slot) == set(other)))
    }

    /// Whether the word or phrase with this hash is a neighbour next to which the other says nothing.
    pub fn is_head(&self, neutral: &Neutral, hash: u64) -> bool {
        self.get(hash).is_some_and(|entry| neutral.heads.binary_search(&entry.phrase).is_ok())
    }

    fn build() -> Lexicon {
        let phrases = phrase_count();
        let mut lexicon = Lexicon {
            slots: vec![FREE; SLOTS],
            entries: Vec::with_capacity(phrases.saturating_add(compounds().len())),
            more: vec![More::default()],
            groups: Inverse::of(SYNONYMS.iter(), phrases),
            opposites: Inverse::of(OPPOSITES.iter(), phrases),
            slot_sets: slot_sets().collect(),
        };
        let hashes: Vec<u64> = WORDS.iter().map(hash_word).collect();
        for phrase in 0..phrases as PhraseId {
            let hash = word_ids(phrase).filter_map(|word| hashes.get(word)).fold(0, |all, word| join_hash(all, *word));
            if let Some(entry) = lexicon.entry(hash) {
                entry.is_word = usize::from(phrase) < hashes.len();
            }
        }
        lexicon.spellings();
        lexicon.marks();
        lexicon
    }

    /// Adds compounds, short forms and irregular plurals.
    fn spellings(&mut self) {
        let mut closed = String::new();
        for open in compounds() {
            closed.clear();
            closed.extend(words(*open));
            let hash = hash_word(&closed);
            if let Some(entry) = self.entry(hash) {
                entry.is_word = true;
            }
            if let Some(more) = self.more_of(hash) {
                more.compound = Some(*open);
            }
        }
        for (short, expansions) in ABBREVIATIONS.iter().filter_map(<[PhraseId]>::split_first) {
            let expansions = expansions.iter().map(|long| self.hash_of(*long)).collect();
            if let Some(more) = self.more_of(self.hash_of(*short)) {
                more.expansions = expansions;
            }
        }
        for (plural, singular) in PLURALS {
            if let Some(more) = self.more_of(self.hash_of(*plural)) {
                more.singular = Some(WORDS.get(usize::from(*singular)));
            }
        }
    }

    fn marks(&mut self) {
        for alike in neutral() {
            for word in alike.words {
                if let Some(more) = self.more_of(self.hash_of(*word)) {
                    more.neutral.push(Neutral::of(&alike));
                }
            }
        }
        for name in envelopes() {
            if let Some(entry) = self.entry(self.hash_of(*name)) {
                entry.is_envelope = true;
            }
        }
        for name in groupings() {
            if let Some(entry) = self.entry(self.hash_of(*name)) {
                entry.is_grouping = true;
            }
        }
        for (role, words) in Role::ALL.into_iter().zip(ROLES.iter()) {
            for word in words {
                if let Some(entry) = self.entries.get_mut(usize::from(*word)) {
                    entry.roles = entry.roles.with(role);
                }
            }
        }
    }

    fn hash_of(&self, phrase: PhraseId) -> u64 {
        self.entries.get(usize::from(phrase)).map_or(0, |entry| entry.hash)
    }

    /// Returns the entry with this hash, adding it if there is none.
    fn entry(&mut self, hash: u64) -> Option<&mut Entry> {
        let mut at = hash as usize & MASK;
        // The loop ends because the table is less than half full: see `SLOTS`.
        let place = loop {
            let slot = self.slots.get_mut(at)?;
            if *slot == FREE {
                *slot = self.entries.len() as u16;
                self.entries.push(Entry { hash, phrase: *slot, ..Entry::default() });
            }
            let place = usize::from(*slot);
            if self.entries.get(place)?.hash == hash {
                break place;
            }
            at = at.wrapping_add(1) & MASK;
        };
        self.entries.get_mut(place)
    }

    /// Returns the further facts about a word or phrase, adding them if there are none.
    fn more_of(&mut self, hash: u64) -> Option<&mut More> {
        let next = self.more.len();
        let entry = self.entry(hash)?;
        if entry.more == 0 {
            entry.more = next as u16;
        }
        let place = usize::from(entry.more);
        if place == next {
            self.more.push(More::default());
        }
        self.more.get_mut(place)
    }
}

fn kinds_of(kind: Option<ValueKind>) -> Kinds {
    match kind {
        None => Kinds::ANY,
        Some(ValueKind::Boolean) => Kinds::of(Kind::Boolean),
        Some(ValueKind::Number) => Kinds::of(Kind::Integer).with(Kinds::of(Kind::Number)),
        Some(ValueKind::String) => Kinds::of(Kind::String),
        Some(ValueKind::Array) => Kinds::of(Kind::Array),
        Some(ValueKind::Object) => Kinds::of(Kind::Object),
    }
}

/// Returns the weight of a group on one side. The product of both sides is the strength of the synonym.
pub(crate) fn group_weight(group: u16) -> f32 {
    if usize::from(group) < EXACT_GROUPS {
        crate::similarity::weights::EXACT_SYNONYM_SIDE
    } else {
        crate::similarity::weights::NEAR_SYNONYM_SIDE
    }
}

/// Returns the hash that stands for a group.
pub(crate) fn group_hash(group: u16) -> u64 {
    u64::from(group).wrapping_add(1).wrapping_mul(0xa076_1d64_78bd_642f) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use nomos_rules::dictionary::find;

    fn entry(phrase: &str) -> &'static Entry {
        let hash = phrase.split(' ').fold(0, |hash, word| join_hash(hash, hash_word(word)));
        lexicon().get(hash).unwrap()
    }

    #[test]
    fn every_word_and_phrase_has_its_own_entry_and_the_table_has_room() {
        let lexicon = lexicon();
        for phrase in 0..phrase_count() as PhraseId {
            let entry = lexicon.get(lexicon.hash_of(phrase)).unwrap();
            assert_eq!(entry.phrase, phrase, "{:?}", words(phrase).collect::<Vec<_>>());
        }
        assert!(lexicon.entries.len() < SLOTS / 2, "{} entries", lexicon.entries.len());
        assert!(lexicon.get(hash_word("nosuchword")).is_none());
    }

    #[test]
    fn what_the_dictionary_says_is_known() {
        let lexicon = lexicon();
        let more = |phrase: &str| lexicon.more(entry(phrase)).unwrap();
        assert_eq!(more("people").singular, Some("person"));
        assert_eq!(more("zipcode").compound, find("zip code"));
        assert_eq!(more("qty").expansions, [hash_word("quantity")]);
        assert_eq!(more("surname").expansions, [0u64; 0]);
        assert!(lexicon.are_opposed(entry("created at"), entry("last modified")));
        assert!(!lexicon.are_opposed(entry("created at"), entry("creation date")));
        let shared = |group: &&u16| lexicon.groups(entry("surname")).contains(group);
        assert!(lexicon.groups(entry("last name")).iter().any(|group| shared(&group)));
        assert!(entry("data").is_envelope && entry("of").roles.has(Role::Filler));
        assert!(entry("id").roles.has(Role::Identifier) && !entry("id").roles.has(Role::State));
        let suffixes = || more("on").neutral.iter().filter(|neutral| !neutral.is_prefix);
        let is_after = |head: &str| suffixes().any(|suffix| lexicon.is_head(suffix, entry(head).hash));
        assert!(is_after("created") && is_after("sent") && !is_after("name"));
        assert!(!suffixes().any(Neutral::is_free) && more("value").neutral.iter().any(Neutral::is_free));
    }
}
