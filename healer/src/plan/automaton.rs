//! The compiled form of a plan: states, and per state the names that mean something there.
//!
//! A state describes a value by where it stands. In an object each member's name leads, by one probe of the state's
//! table, to an action: what the member is to the plan, and the state of its value.

use super::case;
use super::guard::Guard;
use super::table::{Fingerprint, Glance, Table, Tables};
use crate::plan::spec::RuleSource;
use nomos_rules::Case;

/// An index into one of the automaton's lists; [`NONE`] for nothing.
pub(crate) type Id = u32;
/// No index.
pub(crate) const NONE: Id = Id::MAX;
/// The state of values in which the plan expects nothing.
pub(crate) const INERT: Id = 0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Automaton {
    pub root: Id,
    /// With similarity: the state of objects that the plan does not know, inside records.
    pub foreign: Id,
    pub states: Vec<State>,
    pub actions: Vec<Action>,
    pub tables: Tables,
    pub sources: Vec<SourceEnd>,
    pub targets: Vec<TargetStep>,
    pub renames: Vec<Rename>,
    pub moves: Vec<Move>,
    /// Steps of the target paths of moves, as a forest; names are shared by moves with one record and prefix.
    pub steps: Vec<Step>,
    /// Conventions for plans without contract, best rank first.
    pub conventions: Vec<Convention>,
    /// Required members, in runs by state.
    pub required: Vec<Required>,
    /// Quoted names.
    pub text: Vec<u8>,
    /// Whether a record stands by a contract: then what a rule does inside a value depends on the rule firing.
    pub contract: bool,
    pub drops: bool,
    /// Whether a convention leads to `PascalCase`, the only one that changes single lower-case words.
    pub capitalises: bool,
}

/// Bytes `.0 .. .1` of [`Automaton::text`].
pub(crate) type Span = (u32, u32);

#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that the walk asks of a state")]
pub(crate) struct State {
    pub table: Table,
    /// The state whose table is asked for names that this one does not know.
    pub fallback: Id,
    /// The state of members that no table knows.
    pub unknown: Id,
    /// The state of an array's elements.
    pub element: Id,
    /// From canonical names to expected members.
    pub canonical: Table,
    /// 64-bit words for the presence of the names that have a slot.
    pub words: u32,
    /// Members that an object here must have: a run of [`Automaton::required`].
    pub required: (u32, u32),
    /// The first 64 slots of those.
    pub required_slots: u64,
    /// Whether any name means something here.
    pub looks: bool,
    /// Whether names that no rule knows may be renamed by a convention without contract.
    pub converts: bool,
    /// Whether moves start, pass or end here, or members are dropped: then member positions are kept.
    pub tracked: bool,
    /// Tracked, and on no path that starts further out.
    pub tree_root: bool,
    /// Whether moves start here.
    pub anchor: bool,
    /// Of members that the plan does not know.
    pub others: Others,
    /// Whether a name that no table knows means nothing.
    pub skips_unknown: bool,
    /// The record that an object in this state is, for similarity: an index of [`super::Plan::records`].
    pub record: Id,
    /// Whether names here belong to the shape of the record around them.
    pub shaped: bool,
}

/// What becomes of members that the plan does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Nothing is noted of them.
    Passed,
    /// Their positions are kept.
    Kept,
    /// Their positions are kept, and those that are not expected go.
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that the walk asks of a member")]
pub(crate) struct Action {
    /// The state of the value.
    pub next: Id,
    /// The state of the value of a member that a convention renames to this name.
    pub next_if_renamed_here: Id,
    /// The slot of this name, by which its presence is known.
    pub slot: Id,
    pub rename: Id,
    /// Moves that start at this member: a run of [`Automaton::sources`].
    pub sources: (u32, u32),
    /// Target paths that pass or end here: a run of [`Automaton::targets`].
    pub targets: (u32, u32),
    /// As above, for a member that a convention renames to this name.
    pub targets_if_renamed_here: (u32, u32),
    pub expected: bool,
    /// Whether a source path passes or ends here.
    pub on_source_path: bool,
    /// Whether a move may put another value in its place: one that starts here, or ends here.
    pub replaces: bool,
    /// Whether at most similarity knows what a member of that name is: no name of the contract, nor what a rule changes.
    pub similar: bool,
}

/// A member that an object must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Required {
    pub slot: Id,
    /// Its quoted name.
    pub text: Span,
    /// Its number among all that the contract requires: an index of [`super::Plan::required`].
    pub number: Id,
}

/// A move starts at a member, `depth` names below its anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SourceEnd {
    pub mv: Id,
    pub depth: u32,
    /// Whether the value was judged as what stands at this move's target.
    pub judges: bool,
    /// Whether the move has a guard.
    pub guarded: bool,
}

/// A target path has a step at a member, `depth` names below its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TargetStep {
    pub step: Id,
    pub depth: u32,
    /// Whether the member has the step's name only by a rename.
    pub renamed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rename {
    pub slot: Id,
    pub rank: u16,
    pub text: Span,
    pub rule: RuleRef,
    /// What is asked of the value first.
    pub guard: Guard,
}

/// Which rule of the [`super::PlanSpec`] an op carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRef {
    Rename(u32),
    Move(u32),
    Convention(u32),
    /// A correspondence that similarity found, of [`crate::memo::Memo::resolutions`].
    Similar(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    /// Its place among the plan's moves, which decides between moves of one rank and one source.
    pub rule: u32,
    /// What it carries out.
    pub by: RuleRef,
    pub rank: u16,
    pub kind: MoveKind,
    /// The steps of the target path, from the record down.
    pub path: Vec<Id>,
    /// Names on the source path.
    pub depth: u32,
    /// What is asked of the value first.
    pub guard: Guard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveKind {
    Plain,
    /// To a name on its own source path: `a.b` to `a`.
    Unwrap,
    /// To a path below itself: `a` to `a.b`.
    Wrap,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// The step above; [`NONE`] for a name in the record itself.
    pub parent: Id,
    pub text: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Convention {
    pub from: Vec<Case>,
    pub to: Case,
    pub rank: u16,
    pub rule: u32,
    pub source: RuleSource,
}

impl Automaton {
    #[inline(always)]
    pub(crate) fn state(&self, id: Id) -> &State {
        const NOTHING: &State = &State::INERT;
        self.states.get(id as usize).unwrap_or(NOTHING)
    }

    /// The state of an object that is inside an unknown one: what a record holds there is part of its shape, also where
    /// an overlay takes the unknown object for an expected one of which the contract says no more.
    pub(crate) fn shaped(&self, state: Id) -> Id {
        if self.state(state).shaped { state } else { self.foreign }
    }

    /// What a member of that short name is to the plan, as far as one look tells.
    #[inline(always)]
    pub(crate) fn glance(&self, state: &State, name: Fingerprint) -> Glance<&Action> {
        match self.tables.glance(state.table, name) {
            Glance::Found(found) => self.actions.get(found as usize).map_or(Glance::Absent, Glance::Found),
            Glance::Absent if state.fallback == NONE => Glance::Absent,
            Glance::Absent | Glance::Unsettled => Glance::Unsettled,
        }
    }

    /// What a member of that name is to the plan.
    pub(crate) fn action(&self, state: &State, bytes: &[u8], start: usize, end: usize) -> Option<&Action> {
        self.action_id(state, bytes, start, end).and_then(|found| self.actions.get(found as usize))
    }

    /// The same by its fingerprint.
    pub(crate) fn action_of(&self, state: &State, name: Fingerprint, whole: &[u8]) -> Option<&Action> {
        self.id_of(state, name, whole).and_then(|found| self.actions.get(found as usize))
    }

    /// The same as a place in [`Automaton::actions`].
    pub(crate) fn action_id(&self, state: &State, bytes: &[u8], start: usize, end: usize) -> Option<Id> {
        self.id_of(state, Fingerprint::of(bytes, start, end), bytes.get(start..end).unwrap_or_default())
    }

    fn id_of(&self, state: &State, name: Fingerprint, whole: &[u8]) -> Option<Id> {
        self.tables.find_name(state.table, name, whole).or_else(|| {
            let fallback = if state.fallback == NONE { return None } else { self.state(state.fallback) };
            self.tables.find_name(fallback.table, name, whole)
        })
    }

    pub(crate) fn action_by_canonical(&self, state: &State, name: &[u8]) -> Option<&Action> {
        let found = self.tables.find(state.canonical, name, 0, name.len())?;
        self.actions.get(found as usize)
    }

    pub(crate) fn text(&self, span: Span) -> &[u8] {
        self.text.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// The convention that gives a name another form, which goes to `spelt`. `form`: room for the canonical one.
    pub(crate) fn convert(&self, name: &[u8], form: &mut Vec<u8>, spelt: &mut Vec<u8>) -> Option<&Convention> {
        let case = case::case_of(name)?;
        let convention = self.conventions.iter().find(|convention| convention.from.contains(&case))?;
        form.clear();
        spelt.clear();
        case::canonical(name, form);
        case::spell(form, convention.to, spelt);
        (spelt != name).then_some(convention)
    }

    #[inline(always)]
    pub(crate) fn sources_of(&self, action: &Action) -> &[SourceEnd] {
        self.sources.get(action.sources.0 as usize..action.sources.1 as usize).unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn targets_in(&self, run: (u32, u32)) -> &[TargetStep] {
        self.targets.get(run.0 as usize..run.1 as usize).unwrap_or_default()
    }
}

impl Action {
    /// Whether a move starts, passes or ends at such a member, so that its place must be known.
    #[inline(always)]
    pub(crate) fn has_moves(&self) -> bool {
        self.on_source_path || self.replaces || self.sources.0 < self.sources.1 || self.targets.0 < self.targets.1
    }
}

impl State {
    /// Nothing is expected here.
    pub(crate) const INERT: State = State {
        table: Table::EMPTY,
        fallback: NONE,
        unknown: INERT,
        element: INERT,
        canonical: Table::EMPTY,
        words: 0,
        required: (0, 0),
        required_slots: 0,
        looks: false,
        converts: false,
        tracked: false,
        tree_root: false,
        anchor: false,
        others: Others::Passed,
        skips_unknown: true,
        record: NONE,
        shaped: false,
    };
}
