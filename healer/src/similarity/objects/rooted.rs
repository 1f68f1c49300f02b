//! Lists that moved to the root of the body, or away from it.
//!
//! `[{...}]` that became `{"data": [{...}]}`, or the other way round. Where a list is all that is expected and all that
//! there is, the one can only be the other, and nothing is lost. Still the members of the first element must be those of
//! the contract, because a response may be about something else. A list whose name says which ones are in it
//! (`deleted`, `errors`) is not the one that was asked for.

use nomos_rules::dictionary::Role;

use super::alike::{says_nothing, says_what};
use super::likeness::Likeness;
use crate::similarity::names::Names;
use crate::similarity::{Found, Model, Parts};

/// The least share of the members of the elements that have fewer.
const LEAST_SHARE: f32 = 0.5;
/// How sure it is that a list is the expected one.
pub(crate) const WORTH: f32 = 0.88;
/// Why a list without elements is the expected one.
pub(crate) const NO_ELEMENT: Parts = Parts { synonym: 1.0, tokens: WORTH, path: 1.0, kind: 1.0, ..Parts::NONE };

/// What the name of a list, or of an object around it, says of what is in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// Nothing.
    Nothing,
    /// What its elements are, and nothing else.
    What,
    /// Something else.
    Other,
}

impl Says {
    pub(crate) fn of(name: &str) -> Says {
        let mut names = Names::default();
        let id = names.add_alone(name);
        match names.get(id).map(|name| names.own(name)) {
            Some([word]) if says_nothing(word) => Says::Nothing,
            Some([word]) if says_what(word) && !word.is(Role::State) => Says::What,
            _ => Says::Other,
        }
    }
}

/// Returns why the first element of a list is one of the expected list; nothing if it may be something else.
pub(crate) fn is_element(model: &Model, found: &[Found<'_>]) -> Option<Parts> {
    let like = Likeness::of_record(model, found);
    like.is_the_same(LEAST_SHARE).then(|| Parts { siblings: like.of_smaller(), ..NO_ELEMENT })
}
