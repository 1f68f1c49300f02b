//! The dictionary, hashed once per process: one probe tells all that is known of a word or phrase.

use std::sync::OnceLock;

use nomos_rules::dictionary::{
    ABBREVIATIONS, COMPOUNDS, ENVELOPES, GROUPINGS, NEUTRAL, PLURALS, Place, SYNONYMS, ValueKind, WORDS, Word,
};

use super::weights::{FILLERS, GENERIC};
use crate::plan::spec::{Kind, Kinds};
use crate::resolve::name_hash;

/// What is known of a word or phrase.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Entry {
    /// Synonyms and opposites.
    pub word: Option<&'static Word>,
    /// Hashes of what it is short for, the likeliest first.
    pub expansions: Vec<u64>,
    /// The words that are written as this one.
    pub compound: Option<&'static str>,
    /// The singular of an irregular plural.
    pub singular: Option<&'static str>,
    /// Where it says nothing.
    pub neutral: Vec<Neutral>,
    /// Objects of this name stand around records.
    pub is_envelope: bool,
    /// Objects of this name group members.
    pub is_grouping: bool,
    /// Many different things have this in their names.
    pub is_generic: bool,
    /// It says nothing anywhere: `of`.
    pub is_filler: bool,
    /// It is a word of its own, so that it is no slip of the pen for another.
    pub is_word: bool,
}

/// Where a word says nothing.
#[derive(Debug)]
pub(super) struct Neutral {
    /// Before the rest of the name, or behind it.
    pub is_prefix: bool,
    /// Hashes of the words next to it; none: any.
    pub heads: Vec<u64>,
    /// The kinds of values for which it is so.
    pub kinds: Kinds,
}

/// Places in the table. The dictionary fills less than half: a test holds it.
const SLOTS: usize = 1 << 14;

/// All entries, by hash.
#[derive(Debug)]
pub(super) struct Lexicon {
    slots: Vec<(u64, u32)>,
    mask: usize,
    entries: Vec<Entry>,
    /// Written where an entry has no place, which cannot be.
    spare: Entry,
}

/// The process's lexicon. The first call builds it, which is when the first model is made.
pub(super) fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(Lexicon::build)
}

/// The hash of a single word.
pub(super) fn hash_word(word: &str) -> u64 {
    name_hash(word.as_bytes()).max(1)
}

/// The hash of a phrase, folded from those of its words.
pub(super) fn join_hash(before: u64, word: u64) -> u64 {
    if before == 0 {
        return word;
    }
    let product = (before.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ (product >> 29)).max(1)
}

/// The hash of a phrase in normal form, its words separated by one space.
pub(super) fn hash_phrase(phrase: &str) -> u64 {
    phrase.split(' ').fold(0, |hash, word| join_hash(hash, hash_word(word)))
}

impl Lexicon {
    /// What is known of the word or phrase with this hash.
    pub fn get(&self, hash: u64) -> Option<&Entry> {
        let mut at = hash as usize & self.mask;
        loop {
            match self.slots.get(at) {
                Some((key, entry)) if *key == hash => return self.entries.get(*entry as usize),
                Some((0, _)) | None => return None,
                Some(_) => at = at.wrapping_add(1) & self.mask,
            }
        }
    }

    fn build() -> Lexicon {
        let slots = SLOTS;
        let mut lexicon = Lexicon {
            slots: vec![(0, 0); slots],
            mask: slots.wrapping_sub(1),
            entries: Vec::new(),
            spare: Entry::default(),
        };
        for word in WORDS {
            let entry = lexicon.entry(hash_phrase(word.text));
            entry.word = Some(word);
            lexicon.words(word.text);
        }
        for (short, expansions) in ABBREVIATIONS {
            lexicon.entry(hash_word(short)).expansions = expansions.iter().map(|long| hash_phrase(long)).collect();
            lexicon.words(short);
            for long in *expansions {
                lexicon.entry(hash_phrase(long));
                lexicon.words(long);
            }
        }
        for (closed, open) in COMPOUNDS {
            lexicon.entry(hash_word(closed)).compound = Some(open);
            lexicon.words(closed);
            lexicon.words(open);
        }
        for (plural, singular) in PLURALS {
            lexicon.entry(hash_word(plural)).singular = Some(singular);
            lexicon.words(plural);
            lexicon.words(singular);
        }
        lexicon.marks();
        lexicon
    }

    fn marks(&mut self) {
        for neutral in NEUTRAL {
            let heads = neutral.heads.iter().map(|head| hash_phrase(head)).collect();
            let (is_prefix, kinds) = (neutral.place == Place::Prefix, kinds_of(neutral.kind));
            self.entry(hash_phrase(neutral.word)).neutral.push(Neutral { is_prefix, heads, kinds });
            self.words(neutral.word);
            for head in neutral.heads {
                self.entry(hash_phrase(head));
                self.words(head);
            }
        }
        for name in ENVELOPES {
            self.entry(hash_phrase(name)).is_envelope = true;
            self.words(name);
        }
        for name in GROUPINGS {
            self.entry(hash_phrase(name)).is_grouping = true;
            self.words(name);
        }
        for word in GENERIC {
            self.entry(hash_word(word)).is_generic = true;
            self.words(word);
        }
        for word in FILLERS {
            self.entry(hash_word(word)).is_filler = true;
        }
    }

    /// Notes that the words of a phrase are words.
    fn words(&mut self, phrase: &str) {
        for word in phrase.split(' ') {
            self.entry(hash_word(word)).is_word = true;
        }
    }

    fn entry(&mut self, hash: u64) -> &mut Entry {
        let next = self.entries.len();
        let mut at = hash as usize & self.mask;
        let mut place = next;
        // The table is at most half full: see `build`.
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.0 == 0 {
                *slot = (hash, next as u32);
                break;
            }
            if slot.0 == hash {
                place = slot.1 as usize;
                break;
            }
            at = at.wrapping_add(1) & self.mask;
        }
        if place == next {
            self.entries.push(Entry::default());
        }
        let last = self.entries.len().saturating_sub(1);
        self.entries.get_mut(place.min(last)).unwrap_or(&mut self.spare)
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

/// The group's weight on one side: the product of both sides' weights is the strength of the synonym.
pub(super) fn group_weight(group: u16) -> f32 {
    match SYNONYMS.get(usize::from(group)) {
        Some(found) if found.exact => super::weights::EXACT_SYNONYM_SIDE,
        _ => super::weights::NEAR_SYNONYM_SIDE,
    }
}

/// The hash by which the members of a group are found.
pub(super) fn group_hash(group: u16) -> u64 {
    u64::from(group).wrapping_add(1).wrapping_mul(0xa076_1d64_78bd_642f) | 1
}
