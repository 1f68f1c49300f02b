//! What stands where fields are expected, and what declared rules may bring there.

use super::Overlay;
use crate::plan::automaton::{Id, NONE};
use crate::plan::spec::Kind;
use crate::similarity::Standing;
use crate::survey::Row;
use crate::text::quote;

/// Stands for more than one row.
pub(super) const SEVERAL: Id = NONE - 1;

impl Overlay<'_> {
    /// Returns the field that the object around a row is; `None` if the contract does not know that object.
    pub(super) fn around(&self, row: Id) -> Option<Id> {
        let parent = self.survey.rows.get(row as usize)?.parent;
        if parent == NONE {
            return Some(NONE);
        }
        self.counterpart.get(parent as usize).copied().filter(|field| *field != NONE)
    }

    /// Leaves unknown objects to the plan's moves that may take something from them. Under another name such an object
    /// would be read as what it is then, and not as what the moves are about.
    pub(super) fn leave_sources(&mut self) {
        let automaton = self.plan.automaton();
        let is_open = |row: &Row| row.kind == Kind::Object && row.standing == Standing::Unknown;
        let rows = self.survey.rows.iter().zip(0..).zip(&mut self.counterpart);
        for ((row, id), counterpart) in rows.filter(|((row, _), _)| is_open(row)) {
            let parent = self.survey.rows.get(row.parent as usize);
            let around = automaton.state(parent.map_or(self.state, |parent| parent.state));
            let name = self.survey.name(id).as_bytes();
            let known = automaton.action(around, name);
            if known.is_some_and(|action| action.on_source_path) {
                *counterpart = NONE;
            }
        }
    }

    /// Whether a member stands in the object in which a field is expected.
    pub(super) fn is_in_place(&self, row: Id, field: Id) -> bool {
        let expected = self.record.model.fields().get(field as usize);
        expected.is_some_and(|expected| self.around(row) == Some(expected.parent))
    }

    pub(super) fn note_places(&mut self) {
        self.places.resize(self.record.model.fields().len(), NONE);
        for ((row, known), id) in self.survey.rows.iter().zip(&self.counterpart).zip(0..) {
            for field in [*known, row.standing.field()] {
                if let Some(place) = self.places.get_mut(field as usize) {
                    *place = if *place == NONE || *place == id { id } else { SEVERAL };
                }
            }
        }
    }

    /// Whether another member is the field, has its name, or gets its name by a rule. This includes members inside it,
    /// which may have to stay.
    pub(super) fn stands(&self, field: Id, row: Id) -> bool {
        let place = self.places.get(field as usize).copied().unwrap_or(NONE);
        place != NONE && place != row || self.is_named(field, row)
    }

    /// Whether another member has the name of a field in an object that becomes the one around the field. If the object
    /// keeps its place, the plan knows that member.
    pub(super) fn is_named(&self, field: Id, row: Id) -> bool {
        let around = self.record.model.fields().get(field as usize).map_or(NONE, |expected| expected.parent);
        if around == NONE {
            return false;
        }
        let mut objects = self.counterpart.iter().zip(0..).filter(|(known, _)| **known == around);
        objects.any(|(_, object)| self.has_member(object, self.name(field), row))
    }

    /// Whether an object has a member of this name other than `row`.
    #[inline(never)]
    pub(super) fn has_member(&self, object: Id, name: &str, row: Id) -> bool {
        let mut rows = self.survey.rows.iter().zip(0..);
        rows.any(|(other, id)| other.parent == object && id != row && self.survey.name(id) == name)
    }

    /// Whether a value that stands in the place of an expected object is to be moved, into that object or elsewhere. As
    /// long as it stays, nothing goes into that object.
    pub(super) fn is_in_the_way(&self, row: Id) -> bool {
        let standing = self.survey.rows.get(row as usize).map(|row| row.standing);
        let known = self.counterpart.get(row as usize);
        matches!(standing, Some(Standing::Expected(field)) if known != Some(&field))
    }

    /// Notes what declared rules may rename. The counterparts do not tell this: in an object that similarity renames,
    /// the rules are those of what it becomes; and where a move does not fire, a rename may.
    pub(super) fn note_claims(&mut self) {
        let automaton = self.plan.automaton();
        if automaton.renames.is_empty() {
            return;
        }
        let renamed = |(row, id): (&Row, Id)| {
            let (state, name) = (automaton.state(self.state_around(id)), self.survey.name(id).as_bytes());
            let known = automaton.action(state, name).copied();
            let action = known.unwrap_or_else(|| self.conventional(state, name));
            automaton.renames.get(action.rename as usize).map(|rename| (row.parent, id, rename.text))
        };
        self.claims = self.survey.rows.iter().zip(0..).filter_map(renamed).collect();
    }

    /// Whether a rule may give the name of one of the steps of a target path to a member other than those that stand on
    /// the path.
    pub(super) fn is_claimed(&self, object: Id, to: &[Id], standing: &[Id]) -> bool {
        let objects = std::iter::once(object).chain(standing.iter().copied());
        let stand = standing.iter().copied().chain([NONE]);
        to.iter().zip(objects).zip(stand).any(|((field, object), row)| {
            let mut quoted = Vec::new();
            quote(self.name(*field), &mut quoted);
            let mut others = self.claims.iter().filter(|(parent, id, _)| *parent == object && *id != row);
            others.any(|(_, _, text)| self.plan.automaton().text(*text) == quoted)
        })
    }

    /// Whether a declared rule moves or renames a row. If so, similarity must not decide where it ends up.
    pub(super) fn is_ruled(&self, row: Id) -> bool {
        self.survey.rows.get(row as usize).is_some_and(|row| matches!(row.standing, Standing::Ruled(_)))
    }
}
