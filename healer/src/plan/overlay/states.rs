//! The states and actions of the objects in which something is done.

use super::{Overlay, RANK, Touch};
use crate::plan::automaton::{
    Action, INERT, Id, MoveKind, NONE, Rename, RuleRef, SourceEnd, Span, State, TargetName, TargetStep,
};
use crate::plan::guard::Guard;
use crate::plan::spec::Kind;
use crate::similarity::Standing;
use crate::text::quote;

/// Bytes that can be read from the start of a name on, so that names up to this length are written in vectors: see
/// [`crate::render`].
const READ_AT_ONCE: usize = 32;

impl Overlay<'_> {
    /// Adds the states of all objects in which something is done, from the innermost out. Returns that of the record.
    pub(super) fn states(&mut self) -> Id {
        // The actions of the object that comes next are always last, because all objects around a touched row are
        // touched.
        let mut inside: Vec<(Id, (Id, Id))> = Vec::new();
        let take = |inside: &mut Vec<(Id, (Id, Id))>, parent: Id| -> Vec<(Id, Id)> {
            let others = inside.iter().rposition(|(of, _)| *of != parent).map_or(0, |last| last.wrapping_add(1));
            inside.split_off(others).into_iter().map(|(_, action)| action).collect()
        };
        let touched = std::mem::take(&mut self.touched);
        let tracked = touched.iter().any(|(_, touch)| touch.source.is_some());
        for (row, touch) in touched.iter().rev() {
            let parent = self.survey.parent(*row);
            let actions = take(&mut inside, *row);
            let is_above = !actions.is_empty() || !touch.targets.is_empty();
            let state = is_above.then(|| self.state_of(touch, &actions));
            let action = self.action(*row, touch, state);
            let id = self.automaton.actions.len() as Id;
            self.automaton.actions.push(action);
            inside.push((parent, (*row, id)));
        }
        let actions = take(&mut inside, NONE);
        let base = *self.automaton.state(self.state);
        let tree_root = if base.tracked { base.tree_root } else { tracked };
        let over = State { tracked: base.tracked || tracked, tree_root, anchor: base.anchor || tracked, ..base };
        self.add_state(over, &actions)
    }

    /// Adds the state of an object inside the record.
    pub(super) fn state_of(&mut self, touch: &Touch, actions: &[(Id, Id)]) -> Id {
        let base = *self.automaton.state(touch.value);
        let on_path = touch.passes || !touch.targets.is_empty();
        let tree_root = (base.tree_root || touch.anchors && !base.tracked) && !on_path;
        let tracked = base.tracked || on_path || touch.anchors;
        self.add_state(State { tracked, tree_root, anchor: base.anchor || touch.anchors, ..base }, actions)
    }

    pub(super) fn add_state(&mut self, base: State, actions: &[(Id, Id)]) -> Id {
        let names = actions.iter().map(|(row, action)| (self.survey.name(*row), *action));
        let table = self.automaton.tables.add_over(base.table, names);
        let id = self.automaton.states.len() as Id;
        self.automaton.states.push(State { table, looks: true, ..base });
        id
    }

    pub(super) fn note_values(&mut self) {
        let mut touched = std::mem::take(&mut self.touched);
        for (row, touch) in &mut touched {
            touch.value = self.value_state(*row);
        }
        self.touched = touched;
    }

    /// Returns the plan's state of a row's value, or of the value of the field that the row is.
    pub(super) fn value_state(&self, row: Id) -> Id {
        let known = self.survey.rows.get(row as usize);
        let unknown = known.is_none_or(|row| row.standing == Standing::Unknown);
        let field = self.counterpart.get(row as usize).copied().filter(|field| unknown && *field != NONE);
        let is_object = known.is_some_and(|row| row.kind == Kind::Object);
        match field.and_then(|field| self.expected_action(row, field)) {
            Some(action) if is_object => self.automaton.shaped(action.next),
            Some(action) => action.next,
            None => known.map_or(INERT, |row| row.state),
        }
    }

    /// Returns what the plan does at an expected field in its place: beside a row, or else on the path from the record
    /// down.
    pub(super) fn expected_action(&self, row: Id, field: Id) -> Option<Action> {
        let automaton = self.plan.automaton();
        let action = |state: Id, field: Id| {
            let name = self.name(field).as_bytes();
            automaton.action(automaton.state(state), name)
        };
        let above = self.record.model.fields().get(field as usize)?.parent;
        if self.around(row) == Some(above) {
            return action(self.state_around(row), field).copied();
        }
        let objects = if above == NONE { Vec::new() } else { self.record.path_to(above) };
        let mut state = self.state;
        for object in objects {
            state = action(state, object)?.next;
        }
        action(state, field).copied()
    }

    /// Returns the plan's state of the object around a row.
    pub(super) fn state_around(&self, row: Id) -> Id {
        let parent = self.survey.parent(row);
        if parent == NONE { self.state } else { self.value_state(parent) }
    }

    pub(super) fn action(&mut self, row: Id, touch: &Touch, state: Option<Id>) -> Action {
        let name = self.survey.name(row).as_bytes();
        let around = self.plan.automaton().state(self.state_around(row));
        let known = self.plan.automaton().action(around, name).copied();
        let mut action = known.unwrap_or_else(|| self.conventional(around, name));
        action.similar = known.is_none_or(|known| known.similar);
        action.next = state.unwrap_or(touch.value);
        if let Some((field, index)) = touch.rename {
            action.rename = self.add_rename(row, field, index);
            // What the plan's own moves bring to the expected name, they bring to this member.
            let expected = self.expected_action(row, field).map_or((0, 0), |action| action.targets);
            for step in self.plan.automaton().targets_in(expected) {
                action.targets = self.add_target(action.targets, TargetStep { renamed: true, ..*step });
            }
        }
        if let Some((mv, depth)) = touch.source {
            let guarded = self.automaton.moves.get(mv as usize).is_some_and(|mv| mv.guard != Guard::None);
            let end = SourceEnd { mv, depth, judges: true, guarded };
            action.sources = self.add_source(action.sources, end);
            action.replaces |= self.automaton.moves.get(mv as usize).is_some_and(|mv| mv.kind == MoveKind::Wrap);
        }
        action.on_source_path |= touch.passes || touch.source.is_some();
        for (step, depth) in &touch.targets {
            let target = TargetStep { step: *step, depth: *depth, renamed: touch.rename.is_some() };
            action.targets = self.add_target(action.targets, target);
        }
        action
    }

    /// Returns what the plan does at a member that it knows only by a convention. It is copied, because no convention
    /// is consulted for a name that has an action.
    pub(super) fn conventional(&self, around: &State, name: &[u8]) -> Action {
        let known = self.plan.automaton().action_by_convention(around, name);
        known.map_or(BLANK, |known| Action { rename: known.rename, targets: known.targets, ..BLANK })
    }

    pub(super) fn guard(&mut self, row: Id, field: Id) -> Guard {
        Guard::of(self.record, field, self.survey.name(row), &mut self.automaton.text)
    }

    pub(super) fn add_rename(&mut self, row: Id, field: Id, index: u32) -> Id {
        let slot = self.expected_action(row, field).map_or(NONE, |action| action.slot);
        let text = self.text(self.name(field));
        let guard = self.guard(row, field);
        self.automaton.renames.push(Rename { slot, rank: RANK, text, rule: RuleRef::Similar(index), guard });
        (self.automaton.renames.len() as Id).wrapping_sub(1)
    }

    pub(super) fn add_source(&mut self, run: Span, end: SourceEnd) -> Span {
        let known = self.automaton.sources.get(run.0 as usize..run.1 as usize).unwrap_or_default().to_vec();
        let start = self.automaton.sources.len() as u32;
        self.automaton.sources.extend(known.into_iter().chain([end]));
        (start, self.automaton.sources.len() as u32)
    }

    pub(super) fn add_target(&mut self, run: Span, step: TargetStep) -> Span {
        let known = self.automaton.targets_in(run).to_vec();
        let start = self.automaton.targets.len() as u32;
        let others = known.into_iter().filter(|known| *known != step);
        self.automaton.targets.extend(others.chain([step]));
        (start, self.automaton.targets.len() as u32)
    }

    /// Returns the quoted name: as the plan has it, or appended.
    pub(super) fn text(&mut self, name: &str) -> Span {
        let start = self.automaton.text.len();
        quote(name, &mut self.automaton.text);
        let end = self.automaton.text.len();
        let quoted = (start as u32, end as u32);
        let is_known = |step: &&TargetName| self.automaton.text(step.text) == self.automaton.text(quoted);
        if let Some(known) = self.automaton.steps.iter().find(is_known).map(|step| step.text) {
            self.automaton.text.truncate(start);
            return known;
        }
        self.automaton.text.resize(end.max(start.saturating_add(READ_AT_ONCE)), 0);
        quoted
    }
}

/// A member that the plan does not know.
const BLANK: Action = Action {
    next: INERT,
    next_if_renamed_here: INERT,
    slot: NONE,
    rename: NONE,
    sources: (0, 0),
    targets: (0, 0),
    targets_if_renamed_here: (0, 0),
    expected: false,
    on_source_path: false,
    replaces: false,
    similar: true,
};
