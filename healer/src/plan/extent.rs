//! The size of an automaton, so that later additions can be measured and removed.

use super::automaton::{Action, Automaton, Move, Rename, SourceEnd, State, TargetName, TargetStep};

/// The lengths of an automaton's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    states: usize,
    actions: usize,
    tables: (usize, usize),
    sources: usize,
    targets: usize,
    renames: usize,
    moves: usize,
    steps: usize,
    text: usize,
}

impl Automaton {
    pub(crate) fn extent(&self) -> Extent {
        Extent {
            states: self.states.len(),
            actions: self.actions.len(),
            tables: self.tables.extent(),
            sources: self.sources.len(),
            targets: self.targets.len(),
            renames: self.renames.len(),
            moves: self.moves.len(),
            steps: self.steps.len(),
            text: self.text.len(),
        }
    }

    /// Returns the bytes of the overlays added since `extent`.
    pub(crate) fn memory_since(&self, extent: &Extent) -> usize {
        let lists = [
            (self.states.len(), extent.states, size_of::<State>()),
            (self.actions.len(), extent.actions, size_of::<Action>()),
            (self.sources.len(), extent.sources, size_of::<SourceEnd>()),
            (self.targets.len(), extent.targets, size_of::<TargetStep>()),
            (self.renames.len(), extent.renames, size_of::<Rename>()),
            (self.moves.len(), extent.moves, size_of::<Move>()),
            (self.steps.len(), extent.steps, size_of::<TargetName>()),
            (self.text.len(), extent.text, 1),
        ];
        let bytes = |(now, then, size): (usize, usize, usize)| now.saturating_sub(then).saturating_mul(size);
        lists.into_iter().map(bytes).fold(self.tables.memory_since(extent.tables), usize::saturating_add)
    }

    /// Removes the overlays added since `extent`.
    pub(crate) fn truncate(&mut self, extent: &Extent) {
        self.states.truncate(extent.states);
        self.actions.truncate(extent.actions);
        self.tables.truncate(extent.tables);
        self.sources.truncate(extent.sources);
        self.targets.truncate(extent.targets);
        self.renames.truncate(extent.renames);
        self.moves.truncate(extent.moves);
        self.steps.truncate(extent.steps);
        self.text.truncate(extent.text);
    }
}
