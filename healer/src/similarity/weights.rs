//! The figures of the default profile. `docs/evaluation.md` shows their effect.

use nomos_rules::dictionary::Role;

use super::names::roles::Roles;

/// The strength of two exact synonyms is the square of this.
pub(super) const EXACT_SYNONYM_SIDE: f32 = 0.975;
/// The strength of two near synonyms is the square of this.
pub(super) const NEAR_SYNONYM_SIDE: f32 = 0.895;
/// A short form for the only thing that it stands for.
pub(super) const ONLY_EXPANSION: f32 = 0.95;
/// A short form for one of several things that it stands for: no evidence alone, so below the threshold.
pub(super) const ONE_EXPANSION: f32 = 0.84;
/// A misspelling.
pub(super) const TYPO: f32 = 0.93;
/// A word of one name that is paired with a word above the other name.
pub(super) const CROSSING: f32 = 0.99;
/// A word without counterpart that says nothing where it stands.
pub(super) const NEUTRAL_WORD: f32 = 0.97;
/// A second such word of one name.
pub(super) const SECOND_NEUTRAL: f32 = 0.85;
/// A word without counterpart that the record or the object around the field says already.
pub(super) const IMPLIED_WORD: f32 = 0.96;
/// A number without counterpart, which may be the first of its kind.
pub(super) const FIRST_NUMBER: f32 = 0.6;
/// Any other word without counterpart: most likely the other name stands for something else.
pub(super) const QUALIFIER: f32 = 0.35;
/// Such words on both sides.
pub(super) const TWO_QUALIFIERS: f32 = 0.3;
/// A word without counterpart in the name of an object above whose other words have one. It is another object, whatever
/// moved along.
pub(super) const QUALIFIED_OBJECT: f32 = 0.5;
/// Objects above without counterpart on both sides.
pub(super) const TWO_OBJECTS: f32 = 0.6;
/// Last words that differ in place, so that the names stand for different things: `status_message`.
pub(super) const OTHER_HEAD: f32 = 0.8;

/// Returns how much a word tells, from 0 to 1.
pub(super) fn told_by(word: &str, roles: Roles) -> f32 {
    match word {
        _ if roles.has(Role::Generic) => 0.3,
        _ if word.len() <= 2 => 0.3,
        _ if roles.has(Role::Common) => 0.6,
        _ => 1.0,
    }
}

/// Returns the factor for a word of an object above without counterpart. The more the paired words tell, the less it
/// costs.
pub(super) fn parent_left(told: f32, is_grouping: bool, is_expected: bool) -> f32 {
    match (is_grouping, told) {
        (true, ..0.5) => 0.8,
        (true, ..0.9) => 0.95,
        (true, _) => 0.98,
        (false, ..0.9) => 0.4,
        (false, ..1.2) => 0.75,
        (false, ..1.9) => 0.84,
        (false, _) if is_expected => 0.84,
        (false, _) => 0.9,
    }
}
