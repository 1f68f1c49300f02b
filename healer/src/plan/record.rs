//! The records that a contract describes, as similarity compares them.

use super::automaton::Id;
use super::contract::Nodes;
use super::spec::{Contract, Property};
use crate::order;
use crate::similarity::{self, Model};
use nomos_rules::path::Step;

/// One kind of record: the body, or each element of an array.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The members that are expected, with those of the objects inside.
    pub model: Model,
    /// From the body to the record.
    pub path: Vec<Step>,
    /// Fields of the model by the object they are in and their name.
    by_name: Vec<(similarity::Id, String, similarity::Id)>,
}

impl Record {
    fn new(properties: &[Property], path: Vec<Step>) -> Self {
        let model = Model::named(name_of(&path), properties);
        let mut by_name: Vec<_> =
            model.fields().iter().zip(0..).map(|(field, id)| (field.parent, field.name.clone(), id)).collect();
        order::sort(&mut by_name);
        Record { model, path, by_name }
    }

    /// The field of that name in the object `parent`, or in the record itself.
    pub(crate) fn field(&self, parent: similarity::Id, name: &str) -> Option<similarity::Id> {
        let place = self.by_name.binary_search_by(|(p, n, _)| (*p, n.as_str()).cmp(&(parent, name))).ok()?;
        self.by_name.get(place).map(|(_, _, id)| *id)
    }

    /// The field that a path leads to.
    pub(crate) fn field_at<'a>(
        &self,
        from: similarity::Id,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Option<similarity::Id> {
        names.try_fold(from, |parent, name| self.field(parent, name))
    }

    /// Names from the record down to a field, with dots between them.
    pub(crate) fn dotted(&self, field: similarity::Id) -> String {
        let name = |id: similarity::Id| self.model.fields().get(id as usize).map_or("", |field| field.name.as_str());
        self.path_to(field).into_iter().map(name).collect::<Vec<_>>().join(".")
    }

    /// Names from the record down to a field.
    pub(crate) fn path_to(&self, field: similarity::Id) -> Vec<similarity::Id> {
        let parent = |id: &similarity::Id| self.model.fields().get(*id as usize).map(|field| field.parent);
        let up = |id: &similarity::Id| parent(id).filter(|parent| *parent != similarity::NONE);
        let mut path: Vec<_> = std::iter::successors(Some(field), up).collect();
        path.reverse();
        path
    }
}

/// The name of the array that holds a record; of the body: none.
fn name_of(path: &[Step]) -> &str {
    let mut names = path.iter().rev().filter_map(|step| match step {
        Step::Name(name) => Some(name.as_str()),
        Step::Each => None,
    });
    names.next().unwrap_or_default()
}

/// The records of a contract: its nodes with members that no other object holds, and where each stands.
pub(super) fn records(contract: &Contract, nodes: &Nodes<'_>) -> Vec<(Id, Record)> {
    let mut found = Vec::new();
    let mut open = vec![(contract, 0, Vec::new(), true)];
    while let Some((contract, node, path, starts)) = open.pop() {
        match contract {
            Contract::Object { properties } => {
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
