//! Two schemas of one value as one.

use super::super::index::Index;
use crate::plan::spec::{Contract, Expects, Format, Kind, Kinds, Property};

/// What a schema says of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub node: Contract,
    pub expects: Expects,
}

impl Said {
    /// What is known of a value by its kinds alone.
    pub fn of_kinds(kinds: Kinds) -> Said {
        let is_only = |kind| kinds.without(Kinds::of(Kind::Null)) == Kinds::of(kind);
        let node = if is_only(Kind::Object) {
            Contract::Object { properties: Vec::new() }
        } else if is_only(Kind::Array) {
            Contract::Array { items: Box::new(Contract::Any) }
        } else {
            Contract::Any
        };
        Said { node, expects: Expects { kinds, ..Expects::default() } }
    }

    /// A structure alone.
    pub fn of_node(node: Contract) -> Said {
        Said { node, expects: Expects::default() }
    }

    /// Kinds and structure in accord, and nothing said of texts where there can be none.
    pub fn settled(mut self) -> Said {
        let kinds = self.expects.kinds.with(match self.node {
            Contract::Object { .. } => Kinds::of(Kind::Object),
            Contract::Array { .. } => Kinds::of(Kind::Array),
            Contract::Any => Kinds::NONE,
        });
        self.expects.kinds = kinds;
        if self.node == Contract::Any {
            self.node = Said::of_kinds(kinds).node;
        }
        if !matches!(self.node, Contract::Array { .. }) {
            self.expects.items = Kinds::ANY;
        }
        if !kinds.has(Kind::String) {
            self.expects.format = None;
        }
        // Beside objects and arrays a list of strings says nothing that could be written down again.
        let is_plain = !kinds.has(Kind::Object) && !kinds.has(Kind::Array);
        if !kinds.has(Kind::String) || !is_plain {
            self.expects.values.clear();
        }
        self
    }

    /// The same, but that nothing has to be there.
    pub fn loosened(mut self) -> Said {
        match &mut self.node {
            Contract::Object { properties } => {
                for property in properties {
                    property.required = false;
                }
            }
            Contract::Array { items } => {
                **items = Said::of_node(std::mem::take(items)).loosened().node;
            }
            Contract::Any => (),
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

/// A value to which both schemas apply, as under `allOf`.
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
    let node = match (a.node, b.node) {
        (Contract::Object { properties: a }, Contract::Object { properties: b }) => {
            Contract::Object { properties: merged(a, b, |a, b| a || b, both) }
        }
        (Contract::Array { items: a }, Contract::Array { items: b }) => {
            Contract::Array { items: Box::new(both(Said::of_node(*a), Said::of_node(*b)).node) }
        }
        (Contract::Any, b) => b,
        (a, _) => a,
    };
    Said { node, expects }
}

/// A value to which one schema or the other applies, as under `anyOf` and `oneOf`.
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
    let node = match (a.node, b.node) {
        (Contract::Object { properties: a }, Contract::Object { properties: b }) => {
            Contract::Object { properties: merged(a, b, |a, b| a && b, either) }
        }
        (Contract::Array { items: a }, Contract::Array { items: b }) => {
            Contract::Array { items: Box::new(either(Said::of_node(*a), Said::of_node(*b)).node) }
        }
        // An array beside an object: clients that take both tell them apart, and the object has names to heal.
        (node @ Contract::Object { .. }, _) | (_, node @ Contract::Object { .. }) => alternative(node, open[0]),
        (node @ Contract::Array { .. }, _) | (_, node @ Contract::Array { .. }) => alternative(node, open[1]),
        (Contract::Any, Contract::Any) => Contract::Any,
    };
    Said { node, expects }
}

/// A structure beside an alternative that has none. Where that one may be of the same kind, nothing has to be there.
fn alternative(node: Contract, is_open: bool) -> Contract {
    if is_open { Said::of_node(node).loosened().node } else { node }
}

/// What is in both sets; where they contradict each other, all of both. Kinds only say what a value is not, and where
/// documents contradict themselves they say nothing.
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

/// The strings that may stand there, where no others may.
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

/// All properties of two objects; those of the first in front.
fn merged(
    mut a: Vec<Property>,
    b: Vec<Property>,
    required: fn(bool, bool) -> bool,
    merge: fn(Said, Said) -> Said,
) -> Vec<Property> {
    let index = Index::new(a.iter().map(|property| property.name.as_str()));
    let places: Vec<Option<usize>> = b.iter().map(|property| index.first(&property.name)).collect();
    let in_b = Index::new(b.iter().map(|property| property.name.as_str()));
    let is_shared: Vec<bool> = a.iter().map(|property| in_b.first(&property.name).is_some()).collect();
    for (property, _) in a.iter_mut().zip(is_shared).filter(|(_, is_shared)| !is_shared) {
        property.required = required(property.required, false);
    }
    for (property, place) in b.into_iter().zip(places) {
        match place.and_then(|place| a.get_mut(place)) {
            Some(known) => {
                let said = |node, expects| Said { node, expects };
                let first = said(std::mem::take(&mut known.node), std::mem::take(&mut known.expects));
                let together = merge(first, said(property.node, property.expects)).settled();
                known.required = required(known.required, property.required);
                (known.node, known.expects) = (together.node, together.expects);
            }
            None => a.push(Property { required: required(property.required, false), ..property }),
        }
    }
    a
}
