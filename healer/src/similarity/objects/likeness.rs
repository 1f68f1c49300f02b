//! How alike the members of two objects are, or of the elements of two arrays.

use crate::plan::spec::Kind;
use crate::similarity::fields::compatible::compatible;
use crate::similarity::names::Name;
use crate::similarity::names::lexicon::hash_word;
use crate::similarity::names::words::each_word;
use crate::similarity::record::Record;
use crate::similarity::{Expected, Found, Id, Model, NONE, Standing};

/// At least this many members that are the same say that two objects are the same, whatever their names are.
const LEAST_SAME: usize = 3;
/// The least that the names of these must tell together: `id`, `name` and `created_at` do not suffice.
const LEAST_TOLD: f32 = 2.0;

/// Most members of one object that the plan does not know and whose names are compared. Far fewer identify an object.
const MAX_COMPARED: usize = 96;

/// What two objects have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Likeness {
    /// The number of expected members.
    pub all: usize,
    /// The number of found members.
    pub there: usize,
    /// The number of expected members that are found.
    pub same: usize,
    /// How much the names of these tell.
    pub told: f32,
    /// Whether one of them has a word that few things have.
    pub tells_much: bool,
    /// Whether a member has the name of an expected one and cannot be it.
    pub clashes: bool,
}

impl Likeness {
    pub fn of(record: &Record<'_, '_>, expected: Id, found: Id) -> Likeness {
        let (inside, names) = record.model.inside(expected);
        let is_array = record.model.field(expected).is_some_and(|field| field.is_records);
        let there = children(record, found).count();
        let mut like = Likeness { there, ..Likeness::default() };
        for (id, field) in inside {
            like.all = like.all.saturating_add(1);
            like.clashes |= clashes(record, field, (!is_array).then_some(id), found);
            let Some(name) = names.get(id) else { continue };
            if has_child(record, found, name.joined) {
                like.same = like.same.saturating_add(1);
                like.told += names.told(name);
                like.tells_much |= names.own(name).iter().any(|word| word.weight >= 1.0);
            }
        }
        like
    }

    /// Compares a record with what is expected of it. Members that the plan knows are the same, and so are those whose
    /// names differ in case and separators only.
    pub fn of_record(model: &Model, found: &[Found<'_>]) -> Likeness {
        let mut like = Likeness { all: model.members(NONE).count(), ..Likeness::default() };
        let mut is_there = vec![false; model.fields().len()];
        let mut unknown = 0;
        for member in found.iter().filter(|member| member.parent == NONE && member.standing != Standing::Element) {
            like.there = like.there.saturating_add(1);
            let id = match member.standing {
                Standing::Expected(id) | Standing::Ruled(id) => id,
                _ if unknown == MAX_COMPARED => continue,
                _ => {
                    unknown = unknown.saturating_add(1);
                    named(model, joined(member.name))
                }
            };
            let field = model.field(id).filter(|field| field.parent == NONE);
            let (Some(field), Some(place)) = (field, is_there.get_mut(id as usize)) else { continue };
            like.clashes |= match member.kind {
                Kind::Null => false,
                // Strings under expected names are not classified.
                Kind::String => field.is_object || field.is_records || !field.expects.kinds.has(Kind::String),
                _ => compatible(field, member, model.has_formats) == 0.0,
            };
            if !std::mem::replace(place, true) {
                like.same = like.same.saturating_add(1);
                like.told += model.names.get(id).map_or(0.0, |name| model.names.told(name));
            }
        }
        like
    }

    /// Whether members alone say that two objects are the same, given the least share of the smaller one.
    pub fn is_the_same(&self, least_share: f32) -> bool {
        !self.clashes && self.same >= LEAST_SAME && self.told >= LEAST_TOLD && self.of_smaller() >= least_share
    }

    /// Returns the share of common members in the smaller object.
    pub fn of_smaller(&self) -> f32 {
        ratio(self.same, self.all.min(self.there))
    }

    /// Returns the share of common members in the larger object.
    pub fn of_larger(&self) -> f32 {
        ratio(self.same, self.all.max(self.there))
    }
}

/// Returns the field of a record with this name; [`NONE`] if there is none.
fn named(model: &Model, joined: u64) -> Id {
    let is_it = |id: &Id| model.names.get(*id).is_some_and(|name| name.joined == joined);
    model.members(NONE).map(|(id, _)| id).find(is_it).unwrap_or(NONE)
}

/// Returns the hash of a name as [`Name::joined`].
fn joined(name: &str) -> u64 {
    let mut all = String::new();
    each_word(name, &mut String::new(), |word| all.push_str(word));
    hash_word(if all.is_empty() { name } else { &all })
}

/// Returns the share of a part; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "a share need not be exact")]
pub(crate) fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

/// Whether an object, or the first element of an array, has a member of this name ([`Name::joined`]).
#[inline(never)]
pub(crate) fn has_child(record: &Record<'_, '_>, of: Id, joined: u64) -> bool {
    children(record, of).any(|child| child.joined == joined)
}

/// Returns the names of the members of an object, or of the first element of an array.
fn children<'a>(record: &'a Record<'_, '_>, of: Id) -> impl Iterator<Item = &'a Name> + 'a {
    record.members(of).filter_map(|(id, _)| record.name_of(id))
}

/// Whether `object` has a member with the name of `field` that cannot be that field, or that holds a clashing member
/// itself, which would come along. `id` is the index of the field if its members are known.
fn clashes(record: &Record<'_, '_>, field: &Expected, id: Option<Id>, object: Id) -> bool {
    let mut named = record.members(object).filter(|(_, found)| found.name == field.name);
    named.any(|(place, found)| {
        let holds_clash = |of: Id| {
            let is_field = |inner: Id| (!field.is_records).then_some(inner);
            record.model.inside(of).0.any(|(inner, field)| clashes(record, field, is_field(inner), place))
        };
        found.kind != Kind::Null
            && (compatible(field, found, record.model.has_formats) == 0.0 || id.is_some_and(holds_clash))
    })
}
