//! Combines two schemas of one value.

use super::super::index::Index;
use super::shape::{Member, Shape};
use crate::plan::spec::{Expects, Format, Kind, Kinds};

/// What a schema says of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub shape: Shape,
    pub expects: Expects,
    /// Whether the value is in requests only, such as a password. No response has it, and none may be given it.
    pub is_only_written: bool,
}

impl Said {
    /// Builds what the kinds of a value alone say.
    pub fn of_kinds(kinds: Kinds) -> Said {
        let is_only = |kind| kinds.without(Kinds::of(Kind::Null)) == Kinds::of(kind);
        let shape = if is_only(Kind::Object) {
            Shape::Object { members: Vec::new(), open: false }
        } else if is_only(Kind::Array) {
            Shape::Array(Box::default())
        } else {
            Shape::Any
        };
        Said { expects: Expects { kinds, ..Expects::default() }, ..Said::of_shape(shape) }
    }

    /// Builds what a structure alone says.
    pub fn of_shape(shape: Shape) -> Said {
        Said { shape, ..Said::default() }
    }

    /// Makes kinds and structure agree, and drops what is said of strings where there can be none.
    pub fn settled(mut self) -> Said {
        let kinds = self.expects.kinds.with(self.shape.kind());
        self.expects.kinds = kinds;
        let has_no_parts = !kinds.has(Kind::Object) && !kinds.has(Kind::Array);
        if matches!(self.shape, Shape::Any) || has_no_parts {
            self.shape = Said::of_kinds(kinds).shape;
        }
        self.expects.items = match &self.shape {
            Shape::Array(items) => self.expects.items.with(items.kind()),
            _ => Kinds::ANY,
        };
        if !kinds.has(Kind::String) {
            self.expects.format = None;
        }
        // Beside objects and arrays, the contract has no way to express a list of strings.
        if !kinds.has(Kind::String) || !has_no_parts {
            self.expects.values.clear();
        }
        self
    }

    fn has(&self, kind: Kind) -> bool {
        self.expects.kinds.has(kind)
    }

    fn is_null(&self) -> bool {
        self.expects.kinds == Kinds::of(Kind::Null)
    }
}

/// Combines schemas that both apply to a value, as under `allOf`.
pub(super) fn both(a: Said, b: Said) -> Said {
    let expects = Expects {
        kinds: common(a.expects.kinds, b.expects.kinds),
        items: common(a.expects.items, b.expects.items),
        format: a.expects.format.or(b.expects.format),
        values: match (a.expects.values, b.expects.values) {
            (a, b) if a.is_empty() => b,
            (a, b) if b.is_empty() => a,
            (a, b) if a.iter().all(|value| !b.contains(value)) => a,
            (a, b) => a.into_iter().filter(|value| b.contains(value)).collect(),
        },
        description: a.expects.description.or(b.expects.description),
    };
    let shape = match (a.shape, b.shape) {
        (Shape::Object { members: a, open }, Shape::Object { members: b, open: also }) => {
            Shape::Object { members: merged(a, b, |a, b| a || b, both), open: open || also }
        }
        (Shape::Array(a), Shape::Array(b)) => {
            Shape::Array(Box::new(both(Said::of_shape(*a), Said::of_shape(*b)).shape))
        }
        (Shape::Open, _) | (_, Shape::Open) => Shape::Open,
        (Shape::Any, b) => b,
        (a, _) => a,
    };
    Said { shape, expects, is_only_written: a.is_only_written || b.is_only_written }
}

/// Combines schemas of which one applies to a value, as under `anyOf` and `oneOf`.
pub(super) fn either(a: Said, b: Said) -> Said {
    if a.is_null() || b.is_null() {
        let (null, mut said) = if a.is_null() { (a, b) } else { (b, a) };
        said.expects.kinds = said.expects.kinds.with(null.expects.kinds);
        return said;
    }
    let expects = Expects {
        kinds: a.expects.kinds.with(b.expects.kinds),
        items: items(&a, &b),
        format: format(&a, &b),
        values: values(&a, &b),
        description: a.expects.description.clone().filter(|a| Some(a) == b.expects.description.as_ref()),
    };
    let open = [Kind::Object, Kind::Array].map(|kind| a.has(kind) && b.has(kind));
    let shape = match (a.shape, b.shape) {
        (Shape::Object { members: a, open }, Shape::Object { members: b, open: also }) => {
            Shape::Object { members: merged(a, b, |a, b| a && b, either), open: open || also }
        }
        (Shape::Array(a), Shape::Array(b)) => {
            Shape::Array(Box::new(either(Said::of_shape(*a), Said::of_shape(*b)).shape))
        }
        (Shape::Open, _) | (_, Shape::Open) => Shape::Open,
        // Clients that take an array or an object tell them apart, and the object has names to heal.
        (shape @ Shape::Object { .. }, _) | (_, shape @ Shape::Object { .. }) => alternative(shape, open[0]),
        (shape @ Shape::Array(_), _) | (_, shape @ Shape::Array(_)) => alternative(shape, open[1]),
        (Shape::Any, Shape::Any) => Shape::Any,
    };
    Said { shape, expects, is_only_written: a.is_only_written && b.is_only_written }
}

/// Returns a structure beside an alternative that has none. If `is_open`, that alternative may be of the same kind, so
/// nothing is required.
fn alternative(shape: Shape, is_open: bool) -> Shape {
    if is_open { shape.loosened() } else { shape }
}

/// Returns the kinds in both sets, or in either if they have none in common. Kinds only rule values out, and
/// contradictory documents rule out nothing.
fn common(a: Kinds, b: Kinds) -> Kinds {
    let both = a.and(b);
    if both == Kinds::NONE { a.with(b) } else { both }
}

fn items(a: &Said, b: &Said) -> Kinds {
    match (a.has(Kind::Array), b.has(Kind::Array)) {
        (true, false) => a.expects.items,
        (false, true) => b.expects.items,
        _ => a.expects.items.with(b.expects.items),
    }
}

fn format(a: &Said, b: &Said) -> Option<Format> {
    match (a.has(Kind::String), b.has(Kind::String)) {
        (true, false) => a.expects.format,
        (false, true) => b.expects.format,
        _ => a.expects.format.filter(|_| a.expects.format == b.expects.format),
    }
}

/// Returns the strings that are allowed; an empty list if others are allowed too.
fn values(a: &Said, b: &Said) -> Vec<String> {
    match (a.has(Kind::String), b.has(Kind::String)) {
        (true, false) => return a.expects.values.clone(),
        (false, true) => return b.expects.values.clone(),
        _ => (),
    }
    let (a, b) = (&a.expects.values, &b.expects.values);
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let more = b.iter().filter(|value| !a.contains(value));
    a.iter().chain(more).cloned().collect()
}

/// Merges the members of two objects, those of the first in front.
fn merged(
    mut a: Vec<Member>,
    b: Vec<Member>,
    required: fn(bool, bool) -> bool,
    merge: fn(Said, Said) -> Said,
) -> Vec<Member> {
    let index = Index::new(a.iter().map(|member| member.name.as_str()));
    let places: Vec<Option<usize>> = b.iter().map(|member| index.first(&member.name)).collect();
    let in_b = Index::new(b.iter().map(|member| member.name.as_str()));
    let is_shared: Vec<bool> = a.iter().map(|member| in_b.first(&member.name).is_some()).collect();
    for (member, _) in a.iter_mut().zip(is_shared).filter(|(_, is_shared)| !is_shared) {
        member.required = required(member.required, false);
    }
    for (member, place) in b.into_iter().zip(places) {
        match place.and_then(|place| a.get_mut(place)) {
            Some(known) => {
                known.said = merge(std::mem::take(&mut known.said), member.said).settled();
                known.required = required(known.required, member.required);
            }
            None => a.push(Member { required: required(member.required, false), ..member }),
        }
    }
    a
}
