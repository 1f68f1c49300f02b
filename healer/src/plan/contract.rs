//! The contract as a flat list of nodes.

use super::automaton::{Id, NONE};
use super::spec::Contract;
use nomos_rules::path::{Path, Step};

/// All nodes of a contract; node 0 is the body.
#[derive(Debug, Default)]
pub(super) struct Nodes<'a> {
    nodes: Vec<Node<'a>>,
}

#[derive(Debug)]
pub(super) enum Node<'a> {
    /// Members in declared order.
    Object(Vec<(&'a str, Id)>),
    Array(Id),
    Any,
}

impl<'a> Nodes<'a> {
    pub(super) fn of(contract: &'a Contract) -> Self {
        let mut flat = Nodes::default();
        flat.nodes.push(Node::Any);
        let mut open = vec![(0usize, contract)];
        while let Some((id, contract)) = open.pop() {
            let node = match contract {
                Contract::Any => Node::Any,
                Contract::Array { items } => Node::Array(flat.reserve(items, &mut open)),
                Contract::Object { properties } => {
                    let member = |p: &'a super::spec::Property| (p.name.as_str(), flat.reserve(&p.node, &mut open));
                    Node::Object(properties.iter().map(member).collect())
                }
            };
            if let Some(place) = flat.nodes.get_mut(id) {
                *place = node;
            }
        }
        flat
    }

    fn reserve(&mut self, contract: &'a Contract, open: &mut Vec<(usize, &'a Contract)>) -> Id {
        let id = self.nodes.len();
        self.nodes.push(Node::Any);
        open.push((id, contract));
        id as Id
    }

    pub(super) fn len(&self) -> Id {
        self.nodes.len() as Id
    }

    pub(super) fn members(&self, id: Id) -> &[(&'a str, Id)] {
        match self.nodes.get(id as usize) {
            Some(Node::Object(members)) => members,
            _ => &[],
        }
    }

    pub(super) fn member(&self, id: Id, name: &str) -> Option<Id> {
        self.members(id).iter().find(|(known, _)| *known == name).map(|(_, node)| *node)
    }

    pub(super) fn element(&self, id: Id) -> Id {
        match self.nodes.get(id as usize) {
            Some(Node::Array(items)) => *items,
            _ => NONE,
        }
    }

    /// The node that a path from `id` leads to, if all of it is expected.
    pub(super) fn at(&self, id: Id, path: &Path) -> Option<Id> {
        let names = path.segments().iter().map(|name| Some(name.as_str()));
        let scope = path.scope().iter().map(|step| match step {
            Step::Name(name) => Some(name.as_str()),
            Step::Each => None,
        });
        scope.chain(names).try_fold(id, |node, step| match step {
            Some(name) => self.member(node, name),
            None => Some(self.element(node)).filter(|node| *node != NONE),
        })
    }
}
