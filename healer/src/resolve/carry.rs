//! Turns the accepted moves of a closed tree of objects into members that are made and places that are left.

use super::moves::unwrapped_member;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, Move, MoveKind, NONE};
use crate::report::{Name, Op, OpKind};
use crate::scratch::{EditKind, Member, Node, Scratch, SourceHit};

/// Carries out the accepted moves from the source `first` on, in the order of their sources. Those that put a value
/// beside a wrapped one come last.
pub(super) fn carry_out(plan: &Automaton, first: usize, scratch: &mut Scratch) {
    let mut tree = Tree { plan, scratch, joins: false };
    for id in first..tree.scratch.sources.len() {
        tree.carry_out(id, false);
    }
    if tree.joins {
        for id in first..tree.scratch.sources.len() {
            tree.carry_out(id, true);
        }
    }
}

struct Tree<'a, 's> {
    plan: &'a Automaton,
    scratch: &'s mut Scratch,
    /// Whether a move puts a value beside a wrapped one.
    joins: bool,
}

impl Tree<'_, '_> {
    /// Carries out one move, if `joins` equals whether it puts a value beside a wrapped one.
    fn carry_out(&mut self, id: usize, joins: bool) {
        let Some(hit) = self.scratch.sources.get(id).copied() else { return };
        if (hit.beside != NONE) != joins {
            self.joins = true;
            return;
        }
        let (Some(member), Some(mv)) = (self.scratch.member(hit.member), self.plan.moves.get(hit.mv as usize)) else {
            return;
        };
        if !hit.accepted {
            let name = Name { text: self.plan.step_text(mv.path.last().copied().unwrap_or(NONE)), in_arena: false };
            self.scratch.conflicts.push(Op { kind: OpKind::Move, at: member.key, rule: mv.by, name });
            return;
        }
        let (container, rename_edit, leaf) = (member.container, member.rename_edit, self.leaf(mv, hit.mv, member));
        let leaf = self.add_node(leaf);
        self.scratch.set_edit(rename_edit, EditKind::Void);
        match mv.kind {
            MoveKind::Plain => {
                self.take_from(container);
                // Most go to the record itself.
                let parent = if mv.path.len() > 1 { self.parent_of(mv, &hit, leaf) } else { NONE };
                self.append(hit.into, parent, leaf);
            }
            MoveKind::Unwrap => {
                self.take_from(container);
                let around = unwrapped_member(self.plan, self.scratch, &hit);
                self.replace(around, leaf);
            }
            MoveKind::Wrap => {
                let below = mv.path.get(mv.depth as usize..).unwrap_or_default();
                let inner = below.iter().rev().skip(1).fold(leaf, |inner, step| self.object(*step, inner, inner));
                let object = self.object(NONE, inner, inner);
                self.replace(hit.member, object);
            }
        }
    }

    #[inline(always)]
    fn take_from(&mut self, container: Id) {
        if let Some(container) = self.scratch.containers.get_mut(container as usize) {
            container.removed = container.removed.wrapping_add(1);
            container.taken = true;
        }
    }

    #[inline(always)]
    fn leaf(&self, mv: &Move, id: Id, member: &Member) -> Node {
        Node {
            text: self.plan.step_text(mv.path.last().copied().unwrap_or(NONE)),
            next: NONE,
            first: NONE,
            last: NONE,
            value: (member.value, member.value_end),
            inner: member.inner.0,
            colon: (member.key_end, member.value),
            mv: id,
            source: member.key,
        }
    }

    /// Adds a member for a step: an object that holds `inner`. Its colon is written like that of `like`.
    fn object(&mut self, step: Id, inner: Id, like: Id) -> Id {
        let colon = self.scratch.nodes.get(like as usize).map_or((0, 0), |node| node.colon);
        let object = Node {
            text: self.plan.step_text(step),
            next: NONE,
            first: inner,
            last: inner,
            value: (0, 0),
            inner: 0,
            colon,
            mv: NONE,
            source: 0,
        };
        self.add_node(object)
    }

    #[inline(always)]
    fn add_node(&mut self, node: Node) -> Id {
        let id = self.scratch.nodes.len() as Id;
        self.scratch.nodes.push(node);
        id
    }

    /// Replaces a member's value by that of a node.
    fn replace(&mut self, member: Id, node: Id) {
        let Some(member) = self.scratch.members.get(member as usize) else { return };
        if let Some(edit) = self.scratch.edits.get_mut(member.replace_edit as usize) {
            edit.at = member.value;
            edit.end = member.value_end;
            edit.kind = EditKind::Replace(node);
        }
    }

    /// Returns the node that replaces a member's value.
    fn replacement(&self, member: Id) -> Id {
        let edit = self.scratch.member(member).and_then(|member| self.scratch.edits.get(member.replace_edit as usize));
        match edit.map(|edit| edit.kind) {
            Some(EditKind::Replace(node)) => node,
            _ => NONE,
        }
    }

    /// Returns the made container that a value goes to, and adds those on the way to it that are missing.
    fn parent_of(&mut self, mv: &Move, hit: &SourceHit, leaf: Id) -> Id {
        let mut parent = self.replacement(hit.beside);
        let above = mv.path.len().saturating_sub(1);
        for step in mv.path.get(hit.stands as usize..above).unwrap_or_default() {
            let made = self.made(hit.into, parent, *step);
            parent = if made == NONE {
                let object = self.object(*step, NONE, leaf);
                self.append(hit.into, parent, object);
                object
            } else {
                made
            };
        }
        parent
    }

    /// Returns the object that an earlier move made for a step, in a container or in a made object inside it.
    fn made(&self, container: Id, parent: Id, step: Id) -> Id {
        let text = self.plan.step_text(step);
        let mut at = match self.scratch.nodes.get(parent as usize) {
            Some(parent) => parent.first,
            None => self.scratch.container(container).map_or(NONE, |container| container.first_node),
        };
        while let Some(node) = self.scratch.nodes.get(at as usize).filter(|node| node.mv != NONE || node.text != text) {
            at = node.next;
        }
        at
    }

    #[inline(always)]
    fn append(&mut self, container: Id, parent: Id, node: Id) {
        let last = if let Some(parent) = self.scratch.nodes.get_mut(parent as usize) {
            if parent.first == NONE {
                parent.first = node;
            }
            std::mem::replace(&mut parent.last, node)
        } else if let Some(container) = self.scratch.containers.get_mut(container as usize) {
            if container.first_node == NONE {
                container.first_node = node;
            }
            std::mem::replace(&mut container.last_node, node)
        } else {
            NONE
        };
        if let Some(last) = self.scratch.nodes.get_mut(last as usize) {
            last.next = node;
        }
    }
}
