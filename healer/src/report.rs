//! What was done to a body, op by op.

use std::fmt::Write as _;

use crate::plan::automaton::{Automaton, RuleRef};
use crate::plan::spec::{PlanSpec, RuleSource};
use crate::plan::{Plan, automaton};
use crate::scan::Scanner;
use crate::text::{decode, trim_end};

/// One rename or move carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Which of the two.
    pub kind: OpKind,
    /// Offset of the member's key in the body as it came.
    pub at: u32,
    pub(crate) rule: RuleRef,
    pub(crate) name: Name,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// Another name, in the same object.
    Rename,
    /// Another place, in the same record.
    Move,
}

/// Where a new name's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub text: automaton::Span,
    pub in_arena: bool,
}

/// An op in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// What it does.
    pub kind: OpKind,
    /// Path of the member in the body as it came, elements by number: `users[3].mail`.
    pub from: String,
    /// Path where the value stands in the healed body; elements by their number in the body as it came.
    pub to: String,
    /// Why.
    pub why: Why,
}

/// Why an op was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A rule of the route's own.
    Route {
        /// `mail -> email_address`
        rule: String,
    },
    /// A rule of an embedded pack.
    Pack {
        /// The pack's name.
        pack: &'static str,
        /// The rule's id.
        id: &'static str,
        /// `mail -> email_address`
        rule: String,
    },
    /// A case convention of an embedded pack.
    Convention {
        /// The pack's name.
        pack: &'static str,
        /// The convention's id.
        id: &'static str,
    },
}

impl Name {
    /// What the span is of.
    pub(crate) fn source<'a>(&self, plan: &'a Automaton, arena: &'a [u8]) -> &'a [u8] {
        if self.in_arena { arena } else { &plan.text }
    }

    pub(crate) fn of<'a>(&self, plan: &'a Automaton, arena: &'a [u8]) -> &'a [u8] {
        self.source(plan, arena).get(self.text.0 as usize..self.text.1 as usize).unwrap_or_default()
    }
}

/// Describes ops. Cost: one more pass over the body, so for people, not for every response.
pub(crate) fn describe(ops: &[Op], plan: &Plan, body: &[u8], arena: &[u8]) -> Vec<Description> {
    let mut scanner = Scanner::new(u32::MAX);
    scanner.advance(body);
    ops.iter().map(|op| describe_one(op, plan, body, scanner.tokens(), arena)).collect()
}

fn describe_one(op: &Op, plan: &Plan, body: &[u8], tokens: &[u32], arena: &[u8]) -> Description {
    let spec = plan.spec();
    let path = path_to(op.at, body, tokens);
    let to = match op.rule {
        RuleRef::Move(index) => moved_path(&path, spec, index),
        RuleRef::Rename(_) | RuleRef::Convention(_) => renamed_path(&path, op.name.of(plan.automaton(), arena)),
    };
    Description { kind: op.kind, from: show(&path), to: show(&to), why: why(spec, op.rule) }
}

fn why(spec: &PlanSpec, rule: RuleRef) -> Why {
    let declared = |source: RuleSource, rule: String| match source {
        RuleSource::Route => Why::Route { rule },
        RuleSource::Pack { pack, id } => Why::Pack { pack, id, rule },
    };
    let unknown = || Why::Route { rule: String::new() };
    match rule {
        RuleRef::Rename(index) => spec
            .renames
            .get(index as usize)
            .map_or_else(unknown, |rule| declared(rule.source, format!("{} -> {}", rule.from, rule.to))),
        RuleRef::Move(index) => spec
            .moves
            .get(index as usize)
            .map_or_else(unknown, |rule| declared(rule.source, format!("{} -> {}", rule.from, rule.to))),
        RuleRef::Convention(index) => match spec.conventions.get(index as usize).map(|rule| rule.source) {
            Some(RuleSource::Pack { pack, id }) => Why::Convention { pack, id },
            _ => unknown(),
        },
    }
}

#[derive(Clone, Debug)]
enum Segment {
    Name(String),
    Element(usize),
}

fn renamed_path(path: &[Segment], quoted: &[u8]) -> Vec<Segment> {
    let mut name = Vec::new();
    decode(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default(), &mut name);
    let parent = path.get(..path.len().saturating_sub(1)).unwrap_or_default();
    let name = Segment::Name(String::from_utf8_lossy(&name).into_owned());
    parent.iter().cloned().chain([name]).collect()
}

/// The target is the source with as many names replaced as the rule has below its record.
fn moved_path(path: &[Segment], spec: &PlanSpec, index: u32) -> Vec<Segment> {
    let Some(rule) = spec.moves.get(index as usize) else { return path.to_vec() };
    let record = path.len().saturating_sub(rule.from.segments().len());
    let target = rule.to.segments().iter().map(|name| Segment::Name(name.clone()));
    path.iter().take(record).cloned().chain(target).collect()
}

fn path_to(at: u32, body: &[u8], tokens: &[u32]) -> Vec<Segment> {
    let mut path: Vec<Segment> = Vec::new();
    let mut is_key = false;
    let mut tokens = tokens.iter().copied().peekable();
    while let Some(token) = tokens.next() {
        match body.get(token as usize) {
            Some(b'{') => {
                path.push(Segment::Name(String::new()));
                is_key = true;
            }
            Some(b'[') => path.push(Segment::Element(0)),
            Some(b'}' | b']') => {
                path.pop();
                is_key = false;
            }
            Some(b',') => match path.last_mut() {
                Some(Segment::Element(index)) => *index = index.saturating_add(1),
                _ => is_key = true,
            },
            Some(b'"') => {
                let next = tokens.peek().map_or(body.len(), |next| *next as usize);
                let close = trim_end(body.get(..next).unwrap_or_default()).len().saturating_sub(1);
                if is_key && let Some(Segment::Name(name)) = path.last_mut() {
                    let mut decoded = Vec::new();
                    decode(body.get((token as usize).saturating_add(1)..close).unwrap_or_default(), &mut decoded);
                    *name = String::from_utf8_lossy(&decoded).into_owned();
                    is_key = false;
                }
            }
            _ => (),
        }
        if token == at {
            break;
        }
    }
    path
}

fn show(path: &[Segment]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Element(index) => _ = write!(text, "[{index}]"),
            Segment::Name(name) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(&nomos_rules::path::Path::member(name).to_string());
            }
        }
    }
    text
}
