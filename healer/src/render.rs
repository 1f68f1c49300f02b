//! The output: the input with splices.
//!
//! Moved values are rendered at their target with the edits inside them, so one render can be inside another. What is
//! left to do is on an explicit stack.

mod output;

use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE, RuleRef};
use crate::report::{Name, Op, OpKind};
use crate::scratch::{EditKind, Node, Scratch};
use crate::walk::Body;

pub(crate) use output::Output;

/// Something left to write.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    /// The body from one offset to another, with the edits from an index on.
    Copy {
        from: u32,
        to: u32,
        edit: Id,
    },
    /// A made member and those after it. A comma and `gap` precede each of them, the first one only if `comma` is set.
    Members {
        node: Id,
        gap: (u32, u32),
        comma: bool,
    },
    /// The value of a made member.
    Value(Id),
    Byte(u8),
}

/// Writes a healed body, and lists the ops that show in it.
pub(crate) struct Renderer<'a> {
    pub body: Body<'a>,
    pub plan: &'a Automaton,
    pub scratch: &'a Scratch,
    pub tasks: &'a mut Vec<Task>,
    pub out: &'a mut Output,
    pub ops: &'a mut Vec<Op>,
    /// Runs of passed-over elements: how many ops precede the run in the output, and the run's number.
    pub passes: &'a mut Vec<(usize, Id)>,
    /// Members dropped so far.
    pub dropped: u32,
}

impl Renderer<'_> {
    /// Renders the body from one offset to another.
    pub(crate) fn run(&mut self, from: u32, to: u32) {
        self.tasks.clear();
        self.tasks.push(Task::Copy { from, to, edit: 0 });
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Copy { from, to, edit } => self.copy(from, to, edit),
                Task::Members { node, gap, comma } => self.members(node, gap, comma),
                Task::Value(node) => self.value(node),
                Task::Byte(byte) => self.out.put_byte(byte),
            }
        }
    }

    /// Copies up to the end, or up to an edit that inserts something, which is then done first.
    fn copy(&mut self, mut from: u32, to: u32, first: Id) {
        let bytes = self.body.bytes;
        let edits = self.scratch.edits.get(first as usize..).unwrap_or_default();
        for (edit, id) in edits.iter().zip(first..) {
            if edit.at >= to {
                break;
            }
            if edit.at < from {
                continue;
            }
            let after = Task::Copy { from: edit.end, to, edit: id.wrapping_add(1) };
            match edit.kind {
                EditKind::Void => (),
                EditKind::Key { text, in_arena, rule } => {
                    self.out.put(bytes, (from, edit.at));
                    let name = Name { text, in_arena };
                    self.out.put(name.source(self.plan, &self.scratch.arena), text);
                    self.ops.push(Op { kind: OpKind::Rename, at: edit.at, rule, name });
                    from = edit.end;
                }
                EditKind::Remove { dropped } => {
                    self.dropped = self.dropped.saturating_add(u32::from(dropped));
                    self.out.put(bytes, (from, edit.at));
                    from = edit.end;
                }
                EditKind::Pass(run) => {
                    self.out.put(bytes, (from, edit.at));
                    let text = self.body.passed.runs.get(run as usize).map_or((0, 0), |run| run.text);
                    self.out.put(self.body.passed.text, text);
                    self.passes.push((self.ops.len(), run));
                    from = edit.end;
                }
                EditKind::Insert { gap, bare, first } => {
                    self.out.put(bytes, (from, edit.at));
                    self.tasks.push(after);
                    self.tasks.push(Task::Members { node: first, gap, comma: !bare });
                    return;
                }
                EditKind::Replace(node) => {
                    self.out.put(bytes, (from, edit.at));
                    self.tasks.push(after);
                    self.tasks.push(Task::Value(node));
                    return;
                }
            }
        }
        self.out.put(bytes, (from, to));
    }

    fn members(&mut self, mut id: Id, gap: (u32, u32), mut comma: bool) {
        let scratch = self.scratch;
        while let Some(node) = scratch.nodes.get(id as usize) {
            if comma {
                self.out.put_byte(b',');
                if gap.0 < gap.1 {
                    self.out.put(self.body.bytes, gap);
                }
            }
            comma = true;
            self.out.put(&self.plan.text, node.text);
            if node.mv == NONE || self.is_edited(node) {
                self.out.put(self.body.bytes, node.colon);
                self.tasks.push(Task::Members { node: node.next, gap, comma });
                self.tasks.push(Task::Value(id));
                return;
            }
            self.report_move(node);
            // The value follows directly after its colon.
            self.out.put(self.body.bytes, (node.colon.0, node.value.1));
            id = node.next;
        }
    }

    /// Whether there may be edits inside a moved value.
    fn is_edited(&self, node: &Node) -> bool {
        self.scratch.edits.get(node.inner as usize).is_some_and(|edit| edit.at < node.value.1)
    }

    fn report_move(&mut self, node: &Node) {
        let rule = self.plan.moves.get(node.mv as usize).map_or(RuleRef::Move(0), |mv| mv.by);
        let name = Name { text: node.text, in_arena: false };
        self.ops.push(Op { kind: OpKind::Move, at: node.source, rule, name });
    }

    fn value(&mut self, id: Id) {
        let Some(node) = self.scratch.nodes.get(id as usize).copied() else { return };
        if node.mv == NONE {
            self.out.put_byte(b'{');
            self.tasks.push(Task::Byte(b'}'));
            self.tasks.push(Task::Members { node: node.first, gap: (0, 0), comma: false });
        } else {
            self.report_move(&node);
            self.tasks.push(Task::Copy { from: node.value.0, to: node.value.1, edit: node.inner });
        }
    }
}
