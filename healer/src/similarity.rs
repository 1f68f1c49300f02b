//! Which unknown members of a record are which expected ones, where no rule says so.
//!
//! It works on names, kinds and classes of values, never on bytes of a body: [`Found`] lists what stands in a record,
//! [`Model`] what the contract expects of it, and an [`Alignment`] pairs them, or abstains.
//!
//! Names are cut into words (`words.rs`), and words become keys by which equal meanings meet (`names.rs`, from the
//! dictionary in `lexicon.rs`; `typos.rs`). An inverted index (`postings.rs`, `candidates.rs`) leaves few pairs to look
//! at; each is explained word by word (`explain.rs`), checked against kinds and formats (`compatible.rs`), and put into
//! its place in the record (`record.rs`), where it has to be better than all its rivals (`decide.rs`), beyond doubt
//! (`doubt.rs`), and no other record's (`others.rs`).

mod candidates;
pub mod compare;
mod compatible;
mod count;
mod decide;
mod doubt;
mod explain;
mod foreign;
mod frames;
mod graphql;
mod inverse;
mod lexicon;
mod likeness;
pub mod metrics;
mod model;
mod names;
pub mod nearest;
mod others;
mod postings;
mod record;
mod reference;
mod scale;
mod systematic;
mod typos;
mod weights;
mod words;

use crate::plan::spec::{Expects, Format, Kind};

pub use compare::{Comparison, compare, compare_all};
pub use model::Model;
pub use record::Scratch;

/// Index of a field in a list of [`Expected`] or [`Found`].
pub type Id = u32;

/// No field.
pub const NONE: Id = Id::MAX;

/// Unknown names looked at in one record: more than records have whose members mean something by themselves, and few
/// enough that pairing them with each other stays below a millisecond.
pub const MAX_UNKNOWN_OF_RECORD: u32 = 256;

/// Unknown names looked at in one body at most, and unless told otherwise. At one to two microseconds each it bounds what
/// a body of made-up names costs.
pub const MAX_UNKNOWN: u32 = 8192;

/// How decisions are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// By which scores.
    pub profile: Profile,
    /// The least score that counts.
    pub threshold: f32,
    /// By how much the best has to be better than the second best.
    pub margin: f32,
    /// Unknown names looked at in one body, in distinct shapes of records; and in one record, if that is less than
    /// [`MAX_UNKNOWN_OF_RECORD`]. Which ones of a record depends on their paths only.
    pub max_unknown: u32,
    /// How much of a record has to be known.
    pub doubt: Doubt,
    /// Parts that are left out, to measure what each is worth.
    pub without: Without,
}

/// How much of a record has to be known, so that what is found in it counts. `docs/evaluation.md` tells what other
/// figures would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The share of what is expected that stands or is found, from which on all that is found counts.
    pub known: f32,
    /// The same for what more than its name speaks for: a format, a kind other than a string, or siblings.
    pub borne_out: f32,
    /// The same for the same names of several words.
    pub likely: f32,
    /// How much an object and the one that it is have in common, from which on all that is found in it counts.
    pub whole: f32,
}

impl Default for Doubt {
    fn default() -> Self {
        Doubt { known: 0.5, borne_out: 0.35, likely: 0.3, whole: 0.6 }
    }
}

/// An ensemble.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Word by word, with kinds, places, siblings and rivals.
    #[default]
    Default,
    /// 0.35 synonym + 0.25 Jaro-Winkler + 0.20 Levenshtein + 0.20 TF-IDF, on names alone.
    Reference,
    /// One metric on names alone, to compare with.
    Single(Metric),
}

/// A metric of two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Levenshtein.
    Levenshtein,
    /// Jaro.
    Jaro,
    /// Jaro-Winkler.
    JaroWinkler,
    /// Cosine of character trigrams.
    Tfidf,
    /// Synonyms and short forms.
    Synonym,
    /// The share of words in common.
    TokenSet,
}

/// Parts that are left out of the default profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Without {
    /// Kinds and formats of values.
    pub kinds: bool,
    /// Opposites.
    pub opposites: bool,
    /// Rivals that stand where they are expected.
    pub rivals: bool,
    /// What the names above say.
    pub path: bool,
    /// Aligned objects and wrappers.
    pub frames: bool,
    /// Evidence of siblings.
    pub siblings: bool,
    /// Doubt about records of which hardly anything is known.
    pub record: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let (doubt, without) = (Doubt::default(), Without::default());
        Settings { profile: Profile::Default, threshold: 0.85, margin: 0.05, max_unknown: MAX_UNKNOWN, doubt, without }
    }
}

impl Settings {
    /// Parts that are left out. In the module none ever is, so that it need not ask.
    pub(crate) fn without(&self) -> Without {
        if cfg!(target_family = "wasm") { Without::default() } else { self.without }
    }

    /// Unknown names looked at in one record.
    pub fn most_of_record(&self) -> u32 {
        self.max_unknown.min(MAX_UNKNOWN_OF_RECORD)
    }
}

/// A member that the contract expects in a record, or in an object inside it.
///
/// The members of nested objects follow their object, in pre-order. What is inside arrays is another record.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// The object it is in; [`NONE`] for the record itself.
    pub parent: Id,
    /// Whether it is an object with declared members, which are fields of their own.
    pub is_object: bool,
    /// Whether it is an array whose elements are records with declared members.
    pub is_records: bool,
    /// Whether clients rely on it.
    pub required: bool,
    /// What is known of its value.
    pub expects: Expects,
}

/// A member that stands in a record, or in an object inside it, in pre-order. After them what is in the first elements
/// of arrays, as evidence of what these are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<'a> {
    /// Its name, with escapes decoded.
    pub name: &'a str,
    /// The object it is in; [`NONE`] for the record itself.
    pub parent: Id,
    /// The kind of its value.
    pub kind: Kind,
    /// The class of a string.
    pub class: Option<Format>,
    /// The kind of an array's first element.
    pub item: Option<Kind>,
    /// What the plan says of it without similarity.
    pub standing: Standing,
}

/// What the plan says of a found member without similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The contract expects it where it is: this field.
    Expected(Id),
    /// A rule accounts for it: it leaves for, or becomes, this field ([`NONE`]: unknown which).
    Ruled(Id),
    /// Nothing accounts for it.
    Unknown,
    /// It is in the first element of an array.
    Element,
}

/// An expected field and the found one that is it.
///
/// Where `expected` is an object, its found object takes its place, and the members of both are compared with each
/// other. Otherwise, if the objects around both are the same one, it is a rename, and else a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Index in [`Model::fields`].
    pub expected: Id,
    /// Index in the list of found members.
    pub found: Id,
    /// From 0 to 1: how sure it is.
    pub score: f32,
    /// Of what the score is made.
    pub parts: Parts,
}

/// The parts of a score, each from 0 to 1. The score is the product of the first four, raised by siblings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// What the words with counterparts cost: 1 where they are the same, less for synonyms, short forms and slips.
    pub synonym: f32,
    /// What the words without counterpart cost.
    pub tokens: f32,
    /// What the names of the objects above cost.
    pub path: f32,
    /// How well the kind, the format and the class of the value fit.
    pub kind: f32,
    /// The share of the object's other members that are aligned or stand as expected.
    pub siblings: f32,
    /// The best score of another pair of one of the two.
    pub rival: f32,
}

impl Parts {
    /// Nothing was compared.
    pub const NONE: Parts = Parts { synonym: 0.0, tokens: 0.0, path: 0.0, kind: 0.0, siblings: 0.0, rival: 0.0 };
}
