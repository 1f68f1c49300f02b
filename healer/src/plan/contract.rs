//! The contract as a flat list of nodes.

use super::automaton::{Id, NONE};
use super::spec::{Contract, Kind, Property};
use nomos_rules::path::{Path, Step};

/// All nodes of a contract; node 0 is the body.
#[derive(Debug, Default)]
pub(super) struct Nodes<'a> {
    list: Vec<Node<'a>>,
    /// The node around each node, and its name in an object. Nothing is around node 0.
    above: Vec<(Id, Option<&'a str>)>,
    /// Nodes of required members, ascending.
    required: Vec<Id>,
    /// Nodes of members that may be `null`, ascending.
    nullable: Vec<Id>,
}

#[derive(Debug)]
pub(super) enum Node<'a> {
    /// Members in declared order, and whether other members may stand beside them.
    Object(Vec<(&'a str, Id)>, bool),
    Array(Id),
    Any,
}

impl<'a> Nodes<'a> {
    pub(super) fn of(contract: &'a Contract) -> Self {
        let mut flat = Nodes::default();
        flat.list.push(Node::Any);
        flat.above.push((NONE, None));
        let mut open = vec![(0usize, contract)];
        while let Some((id, contract)) = open.pop() {
            let node = match contract {
                Contract::Any => Node::Any,
                Contract::Array { items } => Node::Array(flat.reserve(items, (id as Id, None), &mut open)),
                Contract::Object { properties, open: is_open } => {
                    let member = |p: &'a Property| {
                        let node = flat.reserve(&p.node, (id as Id, Some(&p.name)), &mut open);
                        flat.required.extend(Some(node).filter(|_| p.required));
                        flat.nullable.extend(Some(node).filter(|_| p.expects.kinds.has(Kind::Null)));
                        (p.name.as_str(), node)
                    };
                    Node::Object(properties.iter().map(member).collect(), *is_open)
                }
            };
            if let Some(place) = flat.list.get_mut(id) {
                *place = node;
            }
        }
        flat
    }

    fn reserve(
        &mut self,
        contract: &'a Contract,
        above: (Id, Option<&'a str>),
        open: &mut Vec<(usize, &'a Contract)>,
    ) -> Id {
        let id = self.list.len();
        self.list.push(Node::Any);
        self.above.push(above);
        open.push((id, contract));
        id as Id
    }

    pub(super) fn len(&self) -> Id {
        self.list.len() as Id
    }

    pub(super) fn members(&self, id: Id) -> &[(&'a str, Id)] {
        match self.list.get(id as usize) {
            Some(Node::Object(members, _)) => members,
            _ => &[],
        }
    }

    /// Whether an object may have members that are not expected.
    pub(super) fn is_open(&self, id: Id) -> bool {
        matches!(self.list.get(id as usize), Some(Node::Object(_, true)))
    }

    pub(super) fn member(&self, id: Id, name: &str) -> Option<Id> {
        self.members(id).iter().find(|(known, _)| *known == name).map(|(_, node)| *node)
    }

    pub(super) fn element(&self, id: Id) -> Id {
        match self.list.get(id as usize) {
            Some(Node::Array(items)) => *items,
            _ => NONE,
        }
    }

    /// Whether the value of a member may be `null`.
    pub(super) fn may_be_null(&self, id: Id) -> bool {
        self.nullable.binary_search(&id).is_ok()
    }

    /// Returns the number of a node among the required members.
    pub(super) fn required(&self, id: Id) -> Option<Id> {
        self.required.binary_search(&id).ok().map(|number| number as Id)
    }

    /// Returns the paths of all required members in the order of their numbers: `users[].address.city`.
    pub(super) fn required_paths(&self) -> Vec<String> {
        self.required.iter().map(|id| self.path_to(*id)).collect()
    }

    fn path_to(&self, mut id: Id) -> String {
        let mut path = String::new();
        while let Some((around, name)) = self.above.get(id as usize).filter(|(around, _)| *around != NONE) {
            path.insert_str(0, name.unwrap_or("[]"));
            if name.is_some() && *around != 0 {
                path.insert(0, '.');
            }
            id = *around;
        }
        path
    }

    /// Returns the node that a path from `id` leads to, if all of the path is expected.
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
