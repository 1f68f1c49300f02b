//! The records that a contract describes, as similarity compares them.

use super::automaton::Id;
use super::contract::Nodes;
use super::spec::{Contract, Property};
use crate::hash::name_hash;
use crate::order;
use crate::similarity::{self, Expected, Model};
use nomos_rules::path::Step;

/// One kind of record: the body, or each element of an array.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The expected members, with those of the objects inside.
    pub model: Model,
    /// The path from the body to the record.
    pub path: Vec<Step>,
    /// Fields of the model, by the object around them and the hash of their name.
    by_name: Vec<(similarity::Id, u64, similarity::Id)>,
}

impl Record {
    fn new(properties: &[Property], path: Vec<Step>) -> Self {
        let mut model = Model::named(name_of(&path), properties);
        model.is_body = path.is_empty();
        let entry = |(field, id): (&Expected, similarity::Id)| (field.parent, name_hash(field.name.as_bytes()), id);
        let mut by_name: Vec<_> = model.fields().iter().zip(0..).map(entry).collect();
        order::sort(&mut by_name);
        Record { model, path, by_name }
    }

    /// Returns the field of that name in the object `parent`, or in the record itself.
    pub(crate) fn field(&self, parent: similarity::Id, name: &str) -> Option<similarity::Id> {
        let wanted = (parent, name_hash(name.as_bytes()));
        let from = self.by_name.partition_point(|(parent, hash, _)| (*parent, *hash) < wanted);
        let same = self.by_name.iter().skip(from).take_while(|(parent, hash, _)| (*parent, *hash) == wanted);
        same.map(|(.., id)| *id)
            .find(|id| self.model.fields().get(*id as usize).is_some_and(|field| field.name == name))
    }

    /// Returns the field that a path leads to.
    pub(crate) fn field_at<'a>(
        &self,
        from: similarity::Id,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Option<similarity::Id> {
        names.try_fold(from, |parent, name| self.field(parent, name))
    }

    /// Appends the names from the record down to a field, separated by dots.
    pub(crate) fn push_dotted(&self, field: similarity::Id, text: &mut Vec<u8>) {
        let name = |id: similarity::Id| self.model.fields().get(id as usize).map_or("", |field| field.name.as_str());
        for (at, field) in self.path_to(field).into_iter().enumerate() {
            if at > 0 {
                text.push(b'.');
            }
            text.extend_from_slice(name(field).as_bytes());
        }
    }

    /// Returns the fields from the record down to `field`.
    pub(crate) fn path_to(&self, field: similarity::Id) -> Vec<similarity::Id> {
        let parent = |id: &similarity::Id| self.model.fields().get(*id as usize).map(|field| field.parent);
        let up = |id: &similarity::Id| parent(id).filter(|parent| *parent != similarity::NONE);
        let mut path: Vec<_> = std::iter::successors(Some(field), up).collect();
        path.reverse();
        path
    }
}

/// Returns the name of the array that holds a record; an empty name for the body.
fn name_of(path: &[Step]) -> &str {
    let mut names = path.iter().rev().filter_map(|step| match step {
        Step::Name(name) => Some(name.as_str()),
        Step::Each => None,
    });
    names.next().unwrap_or_default()
}

/// Returns the records of a contract, each with its node: the nodes that have members and are not inside another
/// object.
pub(super) fn records(contract: &Contract, nodes: &Nodes<'_>) -> Vec<(Id, Record)> {
    let mut found = Vec::new();
    let mut open = vec![(contract, 0, Vec::new(), true)];
    while let Some((contract, node, path, starts)) = open.pop() {
        match contract {
            Contract::Object { properties, .. } => {
                for (property, (_, child)) in properties.iter().zip(nodes.members(node)) {
                    let path = path.iter().cloned().chain([Step::Name(property.name.clone())]).collect();
                    open.push((&property.node, *child, path, false));
                }
                if starts && !properties.is_empty() {
                    found.push((node, Record::new(properties, path)));
                }
            }
            Contract::Array { items } => {
                let path = path.into_iter().chain([Step::Each]).collect();
                open.push((items, nodes.element(node), path, true));
            }
            Contract::Any => (),
        }
    }
    found
}
