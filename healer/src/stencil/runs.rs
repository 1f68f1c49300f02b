//! Elements of a list that were passed over as their body arrived, because their skeletons are known.

use super::{Elements, Reading, Stencil};
use crate::healer::Summary;
use crate::plan::automaton::Id;
use crate::render::Output;
use crate::report::Op;
use std::sync::Arc;

/// Where a list is to the plan, and how deep. Elements of one skeleton become the same there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListPlace {
    /// The state of the array.
    pub state: Id,
    /// How many containers are open around its elements.
    pub depth: u32,
}

/// Consecutive elements, from the brace that opens the first to the one that closes the last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub open: u32,
    pub end: u32,
    /// What they become: a span of the text of all runs. Empty if they stay as they are.
    pub text: (u32, u32),
    /// What similarity found, each rule once, in the order of first use: a span of [`Runs::ops`].
    ops: (u32, u32),
    pub summary: Summary,
}

/// All runs of a body.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    list: Vec<Run>,
    text: Output,
    /// Up to where the last run has been written to the text.
    written: usize,
    /// The place of the lists that they are taken to be in.
    place: Option<Arc<ListPlace>>,
    /// The stencils used, each once, and the number of the last one.
    used: Vec<Arc<Stencil>>,
    last: Option<usize>,
    ops: Vec<Op>,
    /// Bytes of memory of the stencils, which may be forgotten elsewhere.
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

    /// Returns how many bytes longer the elements become at most, all together.
    pub(crate) fn growth(&self) -> usize {
        let len = |start: u32, end: u32| end.saturating_sub(start);
        let growth = |run: &Run| len(run.text.0, run.text.1).saturating_sub(len(run.open, run.end)) as usize;
        self.runs.iter().map(growth).fold(0, usize::saturating_add)
    }
}

impl Run {
    /// Returns a changed run that becomes the bytes at the same offsets of [`Passed::text`].
    pub(crate) fn copy(open: u32, end: u32) -> Run {
        let summary = Summary { changed: true, ..Summary::default() };
        Run { open, end, text: (open, end), ops: (0, 0), summary }
    }
}

impl Runs {
    /// Begins a run in lists at this place.
    pub(crate) fn begin(&mut self, open: usize, place: Option<&Arc<ListPlace>>) {
        let here = |len: usize| (len as u32, len as u32);
        let (text, ops) = (here(self.text.as_slice().len()), here(self.ops.len()));
        let summary = Summary::default();
        self.list.push(Run { open: open as u32, end: open as u32, text, ops, summary });
        (self.written, self.last) = (open, None);
        self.place = place.cloned();
    }

    /// Adds an element that ends at `end` to the last run. `reading`: what [`Stencil::fit`] found.
    pub(crate) fn add(&mut self, stencil: &Arc<Stencil>, bytes: &[u8], end: usize, reading: &Reading) {
        let known = self.used.iter().position(|used| Arc::ptr_eq(used, stencil));
        let number = known.unwrap_or(self.used.len());
        if known.is_none() {
            self.used.push(Arc::clone(stencil));
            self.pinned = self.pinned.saturating_add(stencil.memory());
        }
        self.write(stencil, bytes, end, reading, number);
    }

    /// As [`Runs::add`], for the stencil with this number, which is not kept.
    pub(super) fn write(&mut self, stencil: &Stencil, bytes: &[u8], end: usize, reading: &Reading, number: usize) {
        let Some(run) = self.list.last_mut() else { return };
        let summary = stencil.summary(reading);
        if summary.changed {
            self.text.reserve(end.saturating_sub(self.written).saturating_add(stencil.growth()));
            self.written = stencil.write(bytes, self.written, reading, &mut self.text);
        }
        run.end = end as u32;
        run.summary.add(summary);
        let is_same = self.last == Some(number) && !stencil.has_lists();
        if summary.similar > 0 && !is_same {
            stencil.note(reading, &mut self.ops, run.ops.0 as usize);
            run.ops.1 = self.ops.len() as u32;
        }
        self.last = Some(number);
    }

    /// Ends the last run at an offset after its last element.
    pub(super) fn close(&mut self, bytes: &[u8], end: usize) {
        if let Some(run) = self.list.last_mut() {
            run.end = end as u32;
        }
        self.end(bytes);
    }

    /// Ends the last run, which may be continued later. Returns where it begins and ends.
    pub(crate) fn end(&mut self, bytes: &[u8]) -> (usize, usize) {
        let Some(run) = self.list.last_mut() else { return (0, 0) };
        if run.summary.changed {
            self.text.put_plainly(bytes, (self.written as u32, run.end));
            self.written = run.end as usize;
            run.text.1 = self.text.as_slice().len() as u32;
        }
        (run.open as usize, run.end as usize)
    }

    /// Forgets the body, and frees memory of more than `kept` bytes.
    pub(crate) fn clear(&mut self, kept: usize) {
        self.list.clear();
        self.text.clear(kept);
        self.place = None;
        self.used.clear();
        self.ops.clear();
        self.pinned = 0;
    }

    /// Returns how many bytes its elements have become so far.
    pub(crate) fn text_len(&self) -> usize {
        self.text.as_slice().len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether the runs were found by these stencils.
    pub(crate) fn are_of(&self, elements: &Elements) -> bool {
        self.place.as_ref().is_some_and(|place| elements.is_place(place))
    }

    /// Returns what similarity found in a run: each rule once, in the order of first use.
    pub(crate) fn ops_of(&self, run: Id) -> &[Op] {
        let (start, end) = self.list.get(run as usize).map_or((0, 0), |run| run.ops);
        self.ops.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Run> {
        self.list.iter()
    }

    /// Returns what all runs become.
    pub(super) fn text(&self) -> &[u8] {
        self.text.as_slice()
    }

    /// Returns the most names that distinct elements may have.
    pub(crate) fn names(&self) -> u32 {
        self.used.iter().fold(0, |sum, stencil| sum.saturating_add(stencil.names))
    }

    pub(crate) fn passed(&self) -> Passed<'_> {
        Passed { runs: &self.list, text: self.text.as_slice(), place: self.place.as_deref().copied() }
    }

    /// Returns their size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let lists = size_of_val(self.list.as_slice()).saturating_add(size_of_val(self.ops.as_slice()));
        lists.saturating_add(self.text.memory()).saturating_add(self.pinned)
    }
}
