//! Decides which unknown members of a record are which expected fields, where no rule says so.
//!
//! It works on names, kinds and classes of values, never on the bytes of a body. [`Found`] lists the members that stand
//! in a record, [`Model`] the fields that the contract expects in it. An [`Alignment`] pairs a field with a member.
//! Where the evidence does not suffice, there is none.
//!
//! `record` decides about one record, in this order:
//!
//! 1. `names`: names are cut into words, and words become keys that are equal for equal meanings.
//! 2. `candidates`: an inverted index from keys to expected fields leaves few pairs to look at.
//! 3. `objects`: which object is which expected one, and which only wraps them.
//! 4. `fields`: each pair is explained word by word, has to fit in kind and format, has to be better than all its
//!    rivals, and must be beyond doubt.
//! 5. `record` again: too much that is missing, or another unit, speaks against all that was found.

mod candidates;
pub mod compare;
mod fields;
pub mod metrics;
mod model;
mod names;
pub mod nearest;
mod objects;
mod record;
mod reference;
mod weights;

use crate::plan::spec::{Expects, Format, Kind};

pub use compare::{Comparison, compare, compare_all};
pub use model::Model;
pub(crate) use objects::rooted;
pub use record::Scratch;

/// The index of a field in a list of [`Expected`] or of a member in a list of [`Found`].
pub type Id = u32;

/// Stands for no field or member.
pub const NONE: Id = Id::MAX;

/// The largest number of unknown names that are looked at in one record.
///
/// That is more than any record has whose names mean something by themselves, and few enough that pairing them with
/// each other takes less than a millisecond.
pub const MAX_UNKNOWN_OF_RECORD: u32 = 256;

/// The default limit of unknown names that are looked at in one body.
///
/// A name takes one to two microseconds, so this bounds the cost of a body of made-up names.
pub const MAX_UNKNOWN: u32 = 8192;

/// The largest number of pairs of a field and an unknown name that the reference profile scores in one body.
///
/// It has no index, and a pair of long names takes some fifty microseconds.
pub const MAX_REFERENCE_PAIRS: u32 = 4096;

/// The parameters of a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The scores that decide.
    pub profile: Profile,
    /// The lowest score that counts.
    pub threshold: f32,
    /// How much better the best pair has to be than the second best.
    pub margin: f32,
    /// The largest number of unknown names that are looked at in one body, counted in distinct shapes of records.
    ///
    /// It also limits the names of one record where it is less than [`MAX_UNKNOWN_OF_RECORD`]. Which names of a record
    /// are looked at depends on their paths only.
    pub max_unknown: u32,
    /// How much of a record has to be known.
    pub doubt: Doubt,
    /// Parts that are left out, to measure what each is worth.
    pub without: Without,
}

/// How much of a record has to be known for an alignment in it to count.
///
/// `docs/evaluation.md` says what other figures would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubt {
    /// The share of expected fields that stand or are found, from which on every alignment counts.
    pub known: f32,
    /// The same for alignments with more evidence than their name: a format, a kind other than a string, or siblings.
    pub borne_out: f32,
    /// The same for names of several words that are the same on both sides.
    pub likely: f32,
    /// The same for these if nothing unexpected stands above them, and for members that are where they are expected and
    /// have the declared format.
    pub stayed: f32,
    /// How much an expected object and its found counterpart have in common, from which on all alignments in it count.
    pub whole: f32,
}

impl Default for Doubt {
    fn default() -> Self {
        Doubt { known: 0.5, borne_out: 0.35, likely: 0.3, stayed: 0.15, whole: 0.6 }
    }
}

/// The way to score pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Word by word, with kinds, places, siblings and rivals.
    #[default]
    Default,
    /// The sum 0.35 synonym + 0.25 Jaro-Winkler + 0.20 Levenshtein + 0.20 TF-IDF, on names alone.
    Reference,
    /// One metric on names alone, for comparison.
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

/// Parts of the default profile that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Without {
    /// Kinds and formats of values.
    pub kinds: bool,
    /// Opposites.
    pub opposites: bool,
    /// Rivals whose field stands where it is expected.
    pub rivals: bool,
    /// The names of the objects above.
    pub path: bool,
    /// Aligned objects and wrappers.
    pub frames: bool,
    /// Evidence of siblings.
    pub siblings: bool,
    /// Descriptions of the contract.
    pub descriptions: bool,
    /// Lists known by their elements.
    pub lists: bool,
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
    /// The parts that are left out. The wasm module never leaves any out, so there the answer is a constant.
    pub(crate) fn without(&self) -> Without {
        if cfg!(target_family = "wasm") { Without::default() } else { self.without }
    }

    /// Lowers the number of unknown names that are looked at to what the profile has time for with so many fields.
    pub(crate) fn bounded(self, fields: u32) -> Self {
        if self.profile == Profile::Default {
            return self;
        }
        let most = MAX_REFERENCE_PAIRS.checked_div(fields).unwrap_or(MAX_UNKNOWN).max(1);
        Settings { max_unknown: self.max_unknown.min(most), ..self }
    }

    /// The largest number of unknown names that are looked at in one record.
    pub(crate) fn most_of_record(&self) -> u32 {
        self.max_unknown.min(MAX_UNKNOWN_OF_RECORD)
    }
}

/// A field: a member that the contract expects in a record, or in an object inside it.
///
/// The fields of a nested object follow that object, in pre-order. Elements of arrays are records of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// The object that holds it; [`NONE`] for the record itself.
    pub parent: Id,
    /// Whether it is an object with declared members, which are fields of their own.
    pub is_object: bool,
    /// Whether it is an array whose elements are records with declared members.
    pub is_records: bool,
    /// Whether the contract requires it.
    pub required: bool,
    /// What the contract says of its value.
    pub expects: Expects,
}

/// A member that stands in a record, or in an object inside it.
///
/// Members are listed in pre-order. After them come the members of the first elements of arrays, as evidence of what
/// the arrays are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<'a> {
    /// Its name, with escapes decoded.
    pub name: &'a str,
    /// The object that holds it; [`NONE`] for the record itself.
    pub parent: Id,
    /// The kind of its value.
    pub kind: Kind,
    /// The class of its value, if that is a string.
    pub class: Option<Format>,
    /// The kind of the first element, if its value is an array.
    pub item: Option<Kind>,
    /// What the plan says of it without similarity.
    pub standing: Standing,
}

/// What the plan says of a found member without similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The contract expects it where it stands, as this field.
    Expected(Id),
    /// A rule accounts for it: the rule moves or renames it to this field, or to an unknown one ([`NONE`]).
    Ruled(Id),
    /// Nothing accounts for it.
    Unknown,
    /// It is in the first element of an array.
    Element,
}

impl Standing {
    /// Returns the field that the member is, or that a rule makes it; [`NONE`] if that is no known one.
    #[inline(never)]
    pub(crate) fn field(self) -> Id {
        match self {
            Standing::Expected(field) | Standing::Ruled(field) => field,
            Standing::Unknown | Standing::Element => NONE,
        }
    }
}

/// An expected field, and the found member that it is.
///
/// Where `expected` is an object, the found object takes its place, and the members of both are compared with each
/// other. Otherwise it is a rename if the objects around both are the same one, and a move if not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// The index in [`Model::fields`].
    pub expected: Id,
    /// The index in the list of found members.
    pub found: Id,
    /// How sure it is, from 0 to 1.
    pub score: f32,
    /// The parts of the score.
    pub parts: Parts,
}

/// The parts of a score, each from 0 to 1.
///
/// The score is the product of the first four, and of `described` if it is not 0. Siblings raise `path` before that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// What paired words cost: 1 where they are the same, less for synonyms, short forms and slips.
    pub synonym: f32,
    /// What words without counterpart cost.
    pub tokens: f32,
    /// What the names of the objects above cost.
    pub path: f32,
    /// How well kind, format and class of the value fit.
    pub kind: f32,
    /// How far siblings that moved along raised `path`. For an object, the share of its members that are the same.
    pub siblings: f32,
    /// The best score of another pair of the same field or the same member.
    pub rival: f32,
    /// What it costs that the name found is the field's description and not its name. 0: the names were compared.
    pub described: f32,
}

impl Parts {
    /// The parts of a pair of which nothing was compared.
    pub const NONE: Parts =
        Parts { synonym: 0.0, tokens: 0.0, path: 0.0, kind: 0.0, siblings: 0.0, rival: 0.0, described: 0.0 };
}
