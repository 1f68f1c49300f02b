//! The compiled form of a plan: states, and for each state the names that mean something there.
//!
//! A state describes a value by where it stands. In an object, one probe of the state's table leads from a member's
//! name to an action: what the member is to the plan, and the state of its value.

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
    /// With similarity: the state of objects inside records that the plan does not know.
    pub foreign: Id,
    pub states: Vec<State>,
    pub actions: Vec<Action>,
    pub tables: Tables,
    pub sources: Vec<SourceEnd>,
    pub targets: Vec<TargetStep>,
    pub renames: Vec<Rename>,
    pub moves: Vec<Move>,
    /// Steps of the target paths of moves, as a forest. Moves of one record share the steps of a common prefix.
    pub steps: Vec<TargetName>,
    /// Conventions for plans without a contract, best rank first.
    pub conventions: Vec<Convention>,
    /// Required members, in ranges by state.
    pub required: Vec<Required>,
    /// Quoted names.
    pub text: Vec<u8>,
    /// Whether there is a contract. If so, what a rule does inside a value depends on whether the rule fires.
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
    /// The state whose table is searched for names that this state does not know.
    pub fallback: Id,
    /// The state of members that no table knows.
    pub unknown: Id,
    /// The state of an array's elements.
    pub element: Id,
    /// Leads from canonical names to expected members.
    pub canonical: Table,
    /// Number of 64-bit words for the presence of the names that have a slot.
    pub words: u32,
    /// Members that an object here must have: a range of [`Automaton::required`].
    pub required: (u32, u32),
    /// Those of the first 64 slots that belong to required members.
    pub required_slots: u64,
    /// Whether any name means something here.
    pub looks: bool,
    /// Whether, without a contract, a convention may rename names that no rule knows.
    pub converts: bool,
    /// Whether moves start, pass or end here, or members are dropped. If so, the positions of members are kept.
    pub tracked: bool,
    /// Whether it is tracked and on no path that starts further out.
    pub tree_root: bool,
    /// Whether moves start here.
    pub anchor: bool,
    /// What becomes of members that the plan does not know.
    pub others: Others,
    /// Whether a name that no table knows means nothing.
    pub skips_unknown: bool,
    /// The record that an object in this state is to similarity: an index of [`super::Plan::records`].
    pub record: Id,
    /// Whether names here belong to the shape of the record around them.
    pub shaped: bool,
}

/// What becomes of members that the plan does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Nothing is kept of them.
    Passed,
    /// Their positions are kept.
    Kept,
    /// Their positions are kept, and those that are not expected are dropped.
    Dropped,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that the walk asks of a member")]
pub(crate) struct Action {
    /// The state of the value.
    pub next: Id,
    /// The state of the value, if a convention renames a member to this name.
    pub next_if_renamed_here: Id,
    /// The slot of this name, which tells its presence.
    pub slot: Id,
    pub rename: Id,
    /// Moves that start at this member: a range of [`Automaton::sources`].
    pub sources: (u32, u32),
    /// Target paths that pass or end here: a range of [`Automaton::targets`].
    pub targets: (u32, u32),
    /// As `targets`, for a member that a convention renames to this name.
    pub targets_if_renamed_here: (u32, u32),
    pub expected: bool,
    /// Whether a source path passes or ends here.
    pub on_source_path: bool,
    /// Whether a move may put another value in its place: a wrap that starts here, or an unwrap that ends here.
    pub replaces: bool,
    /// Whether only similarity may know what a member of this name is: the contract does not expect the name, and no
    /// rule renames or moves it.
    pub similar: bool,
}

/// A member that an object must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Required {
    pub slot: Id,
    /// Its quoted name.
    pub text: Span,
    /// Its number among all required members: an index of [`super::Plan::required`].
    pub number: Id,
}

/// The start of a move at a member, `depth` names below the move's anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SourceEnd {
    pub mv: Id,
    pub depth: u32,
    /// Whether the value was judged as what stands at this move's target.
    pub judges: bool,
    /// Whether the move has a guard.
    pub guarded: bool,
}

/// A step of a target path at a member, `depth` names below the move's anchor.
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
    /// The condition on the value.
    pub guard: Guard,
}

/// The rule of the [`super::PlanSpec`] that an op carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleRef {
    Rename(u32),
    Move(u32),
    Convention(u32),
    /// A correspondence that similarity found, see [`crate::memo::Memo::resolution`].
    Similar(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    /// Its place among the plan's moves, which decides between moves of one rank and one source.
    pub rule: u32,
    /// The rule that it carries out.
    pub by: RuleRef,
    pub rank: u16,
    pub kind: MoveKind,
    /// The steps of the target path, from the record down.
    pub path: Vec<Id>,
    /// Number of names on the source path.
    pub depth: u32,
    /// The condition on the value.
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
pub(crate) struct TargetName {
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

    /// Returns the state of an object under a name that the plan does not know: [`Automaton::foreign`], unless names in
    /// `state` belong to the shape anyway. So the members of such an object are always part of the shape, also if an
    /// overlay takes it for an expected object about which the contract says nothing more.
    pub(crate) fn shaped(&self, state: Id) -> Id {
        if self.state(state).shaped { state } else { self.foreign }
    }

    /// Returns what a member with this short name is to the plan, as far as one probe tells.
    #[inline(always)]
    pub(crate) fn glance(&self, state: &State, name: Fingerprint) -> Glance<&Action> {
        match self.tables.glance(state.table, name) {
            Glance::Found(found) => self.actions.get(found as usize).map_or(Glance::Absent, Glance::Found),
            Glance::Absent if state.fallback == NONE => Glance::Absent,
            Glance::Absent | Glance::Unsettled => Glance::Unsettled,
        }
    }

    /// Returns what a member with this name is to the plan.
    pub(crate) fn action(&self, state: &State, name: &[u8]) -> Option<&Action> {
        self.action_of(state, Fingerprint::of(name), name)
    }

    /// As [`Automaton::action`], by the name's fingerprint.
    pub(crate) fn action_of(&self, state: &State, name: Fingerprint, whole: &[u8]) -> Option<&Action> {
        self.id_of(state, name, whole).and_then(|found| self.actions.get(found as usize))
    }

    /// As [`Automaton::action`], as an index of [`Automaton::actions`].
    pub(crate) fn action_id(&self, state: &State, name: &[u8]) -> Option<Id> {
        self.id_of(state, Fingerprint::of(name), name)
    }

    fn id_of(&self, state: &State, name: Fingerprint, whole: &[u8]) -> Option<Id> {
        self.tables.find_name(state.table, name, whole).or_else(|| {
            let fallback = if state.fallback == NONE { return None } else { self.state(state.fallback) };
            self.tables.find_name(fallback.table, name, whole)
        })
    }

    /// Returns what a member is to the plan whose name, by a convention, is another spelling of an expected one.
    pub(crate) fn action_by_convention(&self, state: &State, name: &[u8]) -> Option<&Action> {
        let mut form = Vec::new();
        let has_form = !state.canonical.is_empty() && case::canonical(name, &mut form);
        if has_form { self.action_by_canonical(state, &form) } else { None }
    }

    /// As [`Automaton::action_by_convention`], by the name's canonical form.
    pub(crate) fn action_by_canonical(&self, state: &State, form: &[u8]) -> Option<&Action> {
        let found = self.tables.find(state.canonical, form)?;
        self.actions.get(found as usize)
    }

    pub(crate) fn text(&self, span: Span) -> &[u8] {
        self.text.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// Writes the name that a convention makes of `name` to `spelt`, and returns the convention. `form`: room for the
    /// canonical name.
    pub(crate) fn convert(&self, name: &[u8], form: &mut Vec<u8>, spelt: &mut Vec<u8>) -> Option<&Convention> {
        let case = case::case_of(name)?;
        let convention = self.conventions.iter().find(|convention| convention.from.contains(&case))?;
        form.clear();
        spelt.clear();
        case::canonical(name, form);
        case::spell(form, convention.to, spelt);
        (spelt != name).then_some(convention)
    }

    /// Returns the quoted name of a step of a target path.
    #[inline(always)]
    pub(crate) fn step_text(&self, step: Id) -> Span {
        self.steps.get(step as usize).map_or((0, 0), |step| step.text)
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
    /// Whether a move starts, passes or ends at such a member, so that its position must be known.
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
