//! Counts how much of what is expected is there: of a record, or of an expected object in its found counterpart.
//!
//! Members of the elements of arrays count too, as far as they are looked at. All members of a missing array count as
//! missing.

use crate::plan::spec::Kind;
use crate::similarity::objects::likeness::{Likeness, ratio};
use crate::similarity::record::{Record, UNFRAMED};
use crate::similarity::{Alignment, Id, NONE, Standing};

/// Objects with fewer values in common say nothing about each other.
const LEAST_COMMON: usize = 2;
/// Objects with so many values in common are alike if these are most of the smaller one: an API may leave out what is
/// empty, or tell much more than the contract lists.
const MANY_COMMON: usize = 5;
/// The least share of the smaller one that is most of it.
const MOST: f32 = 0.7;

/// Which fields of a record are known, because they stand or are aligned.
pub(crate) struct Counts<'r, 'a, 's> {
    record: &'r Record<'a, 's>,
    out: &'r [Alignment],
    /// By field, the member that it is.
    members: Vec<Id>,
    /// Pairs of objects, and whether each is nearly all of the other.
    judged: Vec<((Id, Id), bool)>,
}

impl<'r, 'a, 's> Counts<'r, 'a, 's> {
    pub fn of(record: &'r Record<'a, 's>, out: &'r [Alignment]) -> Self {
        let mut members = record.scratch.fields.clone();
        for one in out {
            if let Some(member) = members.get_mut(one.expected as usize) {
                *member = one.found;
            }
        }
        Counts { record, out, members, judged: Vec::new() }
    }

    /// Returns the share of expected values that are known.
    pub fn share(&self) -> f32 {
        let (known, all) = self.known(NONE, NONE);
        ratio(known, all)
    }

    /// Whether the objects around both sides of an alignment have most of their values in common. If the sides are
    /// objects or arrays of records, these are compared themselves.
    pub fn is_whole(&mut self, alignment: &Alignment) -> bool {
        let objects = self.objects(alignment);
        if let Some((_, is_whole)) = self.judged.iter().find(|(judged, _)| *judged == objects) {
            return *is_whole;
        }
        let is_whole = self.are_alike(objects);
        self.judged.push((objects, is_whole));
        is_whole
    }

    fn objects(&self, alignment: &Alignment) -> (Id, Id) {
        let Alignment { expected, found, .. } = *alignment;
        match self.record.model.field(expected) {
            Some(field) if !field.is_object && !field.is_records => (field.parent, self.record.around(found)),
            _ => (expected, found),
        }
    }

    /// Whether twice the common values, divided by the values of both, is large enough (Dice 1945), or many values are
    /// most of the smaller object (the overlap coefficient of Szymkiewicz 1934 and Simpson 1943).
    fn are_alike(&self, (expected, found): (Id, Id)) -> bool {
        let (common, all, there) = if self.is_array(expected) {
            let like = Likeness::of(self.record, expected, found);
            (like.same, like.all, like.there)
        } else {
            let (known, all) = self.known(expected, found);
            (known, all, self.values(found))
        };
        let share = ratio(common.saturating_mul(2), all.saturating_add(there));
        common >= LEAST_COMMON && share >= self.record.settings.doubt.whole
            || common >= MANY_COMMON && ratio(common, all.min(there)) >= MOST
    }

    /// Returns how many values of an expected object are known to be in a found one, and how many are expected.
    /// [`NONE`] stands for the record.
    fn known(&self, expected: Id, found: Id) -> (usize, usize) {
        let record = self.record;
        let (mut known, mut all) = (0usize, 0usize);
        for (id, missing) in record.model.below(expected) {
            // Of a large contract hardly any field is there, so only its number is looked at.
            let member = self.members.get(id as usize).copied().unwrap_or(NONE);
            let (same, size) = match missing {
                0 => (0, 0),
                _ if member == NONE => (0, missing as usize),
                _ if self.is_array(id) && !record.is_taken(id) => {
                    let like = Likeness::of(record, id, member);
                    (like.same, like.all)
                }
                _ => (1, 1),
            };
            let is_here = same > 0 && record.is_at_or_inside(member, found);
            known = known.saturating_add(if is_here { same } else { 0 });
            all = all.saturating_add(size);
        }
        (known, all)
    }

    /// Returns the number of values in a found object.
    fn values(&self, object: Id) -> usize {
        let record = self.record;
        let rows = (0..).zip(record.found).zip(&record.scratch.members);
        let values = rows.filter(|((id, found), member)| {
            let is_value = found.kind != Kind::Object || member.is_closed && member.frame == UNFRAMED;
            found.standing != Standing::Element && is_value && record.is_at_or_inside(*id, object)
        });
        let arrays =
            self.out.iter().filter(|one| self.is_array(one.expected) && record.is_at_or_inside(one.found, object));
        let elements = arrays.map(|one| Likeness::of(record, one.expected, one.found).there.saturating_sub(1));
        values.count().saturating_add(elements.sum())
    }

    fn is_array(&self, expected: Id) -> bool {
        self.record.model.field(expected).is_some_and(|field| field.is_records)
    }
}
