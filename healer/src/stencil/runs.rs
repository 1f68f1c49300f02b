//! Elements of a list that were passed over while their body came, because their skeletons are known.

use super::{Elements, Stencil};
use crate::healer::Summary;
use crate::plan::automaton::Id;
use crate::render::Output;
use std::sync::Arc;

/// Where a list is to the plan, and how deep: elements of one skeleton become the same there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListPlace {
    /// The state of the array.
    pub state: Id,
    /// Containers open around its elements.
    pub depth: u32,
}

/// Elements one after the other, from the brace that opens the first to that which closes the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub open: u32,
    pub end: u32,
    /// What they become, in the text of all runs; where they stay as they are, nothing.
    pub text: (u32, u32),
    /// Its stencils, each once, in the order of their first use: a span of [`Runs::uses`].
    uses: (u32, u32),
    pub summary: Summary,
}

/// All runs of a body.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    list: Vec<Run>,
    text: Output,
    /// Up to where the last run is in the text.
    written: usize,
    /// The lists that they are taken to be in.
    place: Option<Arc<ListPlace>>,
    /// The stencils, each once, and numbers of them.
    used: Vec<Arc<Stencil>>,
    uses: Vec<u32>,
    /// Bytes of memory that the stencils take, which others may have forgotten.
    pinned: usize,
}

/// The runs of a body, as a walk and a renderer see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed<'a> {
    pub runs: &'a [Run],
    pub text: &'a [u8],
    pub place: Option<ListPlace>,
}

impl Passed<'_> {
    pub(crate) const NOTHING: Passed<'static> = Passed { runs: &[], text: &[], place: None };
}

impl Runs {
    /// Begins a run, in lists at this place.
    pub(crate) fn begin(&mut self, open: usize, place: &Arc<ListPlace>) {
        let text = self.text.as_slice().len() as u32;
        let uses = self.uses.len() as u32;
        let summary = Summary::default();
        self.list.push(Run { open: open as u32, end: open as u32, text: (text, text), uses: (uses, uses), summary });
        self.written = open;
        self.place = Some(Arc::clone(place));
    }

    /// Adds an element to the last run. `ends`: what [`Stencil::fit`] found.
    pub(crate) fn add(&mut self, stencil: &Arc<Stencil>, bytes: &[u8], (start, end): (usize, usize), ends: &[u32]) {
        let Some(run) = self.list.last_mut() else { return };
        if stencil.summary.changed {
            self.text.reserve(end.saturating_sub(self.written).saturating_add(stencil.growth()));
            self.text.put(bytes, (self.written as u32, start as u32));
            stencil.write(bytes, ends, &mut self.text);
            self.written = end;
        }
        run.end = end as u32;
        run.summary.add(&stencil.summary);
        let known = self.used.iter().position(|used| Arc::ptr_eq(used, stencil));
        let number = known.unwrap_or(self.used.len()) as u32;
        if known.is_none() {
            self.used.push(Arc::clone(stencil));
            self.pinned = self.pinned.saturating_add(stencil.memory());
        }
        if !self.uses.get(run.uses.0 as usize..).is_some_and(|uses| uses.contains(&number)) {
            self.uses.push(number);
            run.uses.1 = self.uses.len() as u32;
        }
    }

    /// Ends the last run, or leaves it for later. Where it begins and ends.
    pub(crate) fn end(&mut self, bytes: &[u8]) -> (usize, usize) {
        let Some(run) = self.list.last_mut() else { return (0, 0) };
        if run.summary.changed {
            self.text.put(bytes, (self.written as u32, run.end));
            self.written = run.end as usize;
            run.text.1 = self.text.as_slice().len() as u32;
        }
        (run.open as usize, run.end as usize)
    }

    /// Forgets the body, and memory of more than `kept` bytes.
    pub(crate) fn clear(&mut self, kept: usize) {
        self.list.clear();
        self.text.clear(kept);
        self.place = None;
        self.used.clear();
        self.uses.clear();
        self.pinned = 0;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether they were found by these stencils.
    pub(crate) fn are_of(&self, elements: &Elements) -> bool {
        self.place.as_ref().is_some_and(|place| elements.is_place(place))
    }

    /// The stencils of a run, by number, each once in the order of their first use.
    pub(crate) fn stencils_of(&self, run: Id) -> impl Iterator<Item = &Stencil> {
        let uses = self.list.get(run as usize).map_or((0, 0), |run| run.uses);
        let numbers = self.uses.get(uses.0 as usize..uses.1 as usize).unwrap_or_default();
        numbers.iter().filter_map(|number| self.used.get(*number as usize).map(Arc::as_ref))
    }

    /// Names in distinct elements at most.
    pub(crate) fn names(&self) -> u32 {
        self.used.iter().fold(0, |sum, stencil| sum.saturating_add(stencil.names))
    }

    pub(crate) fn passed(&self) -> Passed<'_> {
        Passed { runs: &self.list, text: self.text.as_slice(), place: self.place.as_deref().copied() }
    }

    /// Bytes of memory that they take.
    pub(crate) fn memory(&self) -> usize {
        let lists = size_of_val(self.list.as_slice()).saturating_add(size_of_val(self.uses.as_slice()));
        lists.saturating_add(self.text.memory()).saturating_add(self.pinned)
    }
}
