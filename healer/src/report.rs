//! What was done to a body, op by op.

use crate::body_path::{Places, Segment, show};
use crate::memo::Memo;
use crate::order;
use crate::plan::automaton::{Automaton, RuleRef};
use crate::plan::spec::{PlanSpec, RuleSource};
use crate::plan::{Plan, automaton};
use crate::scan::Scanner;
use crate::similarity::Parts;
use crate::text::{decoded, unquoted};
use nomos_rules::RuleId;
use nomos_rules::path::Path;

/// A rename or move that was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Whether it is a rename or a move.
    pub kind: OpKind,
    /// Offset of the member's key in the original body.
    pub at: u32,
    pub(crate) rule: RuleRef,
    pub(crate) name: Name,
}

/// What an op does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// The member gets another name in the same object.
    Rename,
    /// The value gets another place in the same record.
    Move,
}

/// Where the text of a new name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub text: automaton::Span,
    pub in_arena: bool,
}

/// An op in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Whether it is a rename or a move.
    pub kind: OpKind,
    /// Path of the member in the original body, elements by number: `users[3].mail`.
    pub from: String,
    /// Path of the value in the healed body. Elements keep their numbers of the original body.
    pub to: String,
    /// Why it was carried out.
    pub why: Why,
    /// Whether the member was dropped. Only of ops that were not carried out.
    pub dropped: bool,
}

/// Why an op was carried out.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// A rule of the route's own.
    Route {
        /// `mail -> email_address`
        rule: String,
    },
    /// A rule of an embedded pack.
    Pack {
        /// The rule's id.
        id: RuleId,
        /// `mail -> email_address`
        rule: String,
    },
    /// A case convention of an embedded pack.
    Convention(RuleId),
    /// Similarity, without a rule.
    Similarity {
        /// Where the member stood, from its record down, dotted as in rules.
        from: String,
        /// Where it is expected, likewise.
        to: String,
        /// How sure it is, from 0 to 1.
        score: f32,
        /// What the score is made of.
        parts: Parts,
    },
}

impl Name {
    /// No name.
    pub(crate) const NONE: Name = Name { text: (0, 0), in_arena: false };

    /// Returns the text that the span refers to.
    pub(crate) fn source<'a>(&self, plan: &'a Automaton, arena: &'a [u8]) -> &'a [u8] {
        if self.in_arena { arena } else { &plan.text }
    }

    pub(crate) fn of<'a>(&self, plan: &'a Automaton, arena: &'a [u8]) -> &'a [u8] {
        self.source(plan, arena).get(self.text.0 as usize..self.text.1 as usize).unwrap_or_default()
    }
}

/// Describes ops. Costs one more pass over the body, so it is not for every response.
pub(crate) fn describe(ops: &[Op], plan: &Plan, memo: &Memo, body: &[u8], arena: &[u8]) -> Vec<Description> {
    let mut scanner = Scanner::new(u32::MAX);
    scanner.advance(body);
    let mut places = Places::new(body, scanner.tokens());
    let mut order: Vec<(usize, &Op)> = ops.iter().enumerate().collect();
    order::sort_by_key(&mut order, |(place, op)| (op.at, *place));
    let describe = |(place, op): (usize, &Op)| (place, describe_one(op, plan, memo, places.path_to(op.at), arena));
    let mut described: Vec<(usize, Description)> = order.into_iter().map(describe).collect();
    order::sort_by_key(&mut described, |(place, _)| *place);
    described.into_iter().map(|(_, description)| description).collect()
}

fn describe_one(op: &Op, plan: &Plan, memo: &Memo, path: &[Segment], arena: &[u8]) -> Description {
    let spec = plan.spec();
    let to = match op.rule {
        RuleRef::Move(index) => {
            let rule = spec.moves.get(index as usize);
            rule.map_or_else(|| path.to_vec(), |rule| moved_path(path, rule.from.segments().len(), rule.to.segments()))
        }
        RuleRef::Similar(index) if memo.is_outermost(index) => {
            let (from, to) = memo.resolution(index).map(|found| (found.from.clone(), found.to.clone())).unzip();
            let why = why(spec, memo, op.rule);
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            return Description { kind: op.kind, from, to, why, dropped: false };
        }
        RuleRef::Similar(index) if op.kind == OpKind::Move => {
            let found = memo.resolution(index);
            let paths = found.and_then(|found| Path::parse(&found.from).ok().zip(Path::parse(&found.to).ok()));
            paths.map_or_else(|| path.to_vec(), |(from, to)| moved_path(path, from.segments().len(), to.segments()))
        }
        _ => renamed_path(path, op.name.of(memo.automaton(plan), arena)),
    };
    Description { kind: op.kind, from: show(path), to: show(&to), why: why(spec, memo, op.rule), dropped: false }
}

fn why(spec: &PlanSpec, memo: &Memo, rule: RuleRef) -> Why {
    let declared = |source: RuleSource, rule: String| match source {
        RuleSource::Route => Why::Route { rule },
        RuleSource::Pack(id) => Why::Pack { id, rule },
    };
    let why = match rule {
        RuleRef::Rename(index) => {
            let rule = spec.renames.get(index as usize);
            rule.map(|rule| declared(rule.source, format!("{} -> {}", rule.from, rule.to)))
        }
        RuleRef::Move(index) => {
            let rule = spec.moves.get(index as usize);
            rule.map(|rule| declared(rule.source, format!("{} -> {}", rule.from, rule.to)))
        }
        RuleRef::Convention(index) => match spec.conventions.get(index as usize).map(|rule| rule.source) {
            Some(RuleSource::Pack(id)) => Some(Why::Convention(id)),
            _ => None,
        },
        RuleRef::Similar(index) => memo.resolution(index).map(|found| Why::Similarity {
            from: found.from.clone(),
            to: found.to.clone(),
            score: found.alignment.score,
            parts: found.alignment.parts,
        }),
    };
    why.unwrap_or_else(|| Why::Route { rule: String::new() })
}

fn renamed_path(path: &[Segment], quoted: &[u8]) -> Vec<Segment> {
    let parent = path.get(..path.len().saturating_sub(1)).unwrap_or_default();
    let name = Segment::Name(String::from_utf8_lossy(&decoded(unquoted(quoted))).into_owned());
    parent.iter().cloned().chain([name]).collect()
}

/// Returns the path of the target: the source path with as many names replaced as the rule has below its record.
fn moved_path(path: &[Segment], depth: usize, to: &[String]) -> Vec<Segment> {
    let record = path.len().saturating_sub(depth);
    path.iter().take(record).cloned().chain(to.iter().cloned().map(Segment::Name)).collect()
}
