//! Arrays of any length in a text: their elements have stencils of their own.
//!
//! What is in an array decides nothing around it, unless it is evidence, which the drawing excludes. With similarity,
//! the kind of its first element does count. Elements of one skeleton become the same anywhere in the array.

use super::value::{self, End};
use super::{Miss, Runs, Seen, Slot, Stencil, pass_slowly, white};
use crate::healer::Summary;
use crate::memo::MAX_USED;
use crate::plan::Automaton;
use crate::plan::automaton::RuleRef;
use crate::render::Output;
use crate::report::Op;
use std::sync::Arc;

/// Most lists of one text.
pub(crate) const MOST_LISTS: usize = 8;
/// Most skeletons of elements of one list. Each that does not fit costs a look.
pub(crate) const MOST_ELEMENTS: usize = 4;
/// Most lists inside each other. The number of stencils that look at a byte is the product of those on each level.
pub(crate) const MOST_NESTING: u32 = 2;
/// Most bytes of memory of a stencil and the elements of its lists.
const MOST_MEMORY: usize = 256 << 10;
/// Memory for what lists become that is kept between texts.
const KEPT: usize = 64 << 10;

/// A value that may be an array of any length.
#[derive(Debug)]
pub(crate) struct List {
    /// Where its brackets were in the body that it was drawn from.
    pub brackets: (u32, u32),
    /// Where its first element, which is an object, opened, and where its last object closed.
    pub objects: (u32, u32),
    /// Whether it may be empty, or begin with something other than an object.
    pub is_any: bool,
    pub elements: Vec<Arc<Stencil>>,
}

/// What reading a text found.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The start of the text, followed by the ends of its values.
    pub(super) ends: Vec<Seen>,
    /// What was found of its lists.
    pub(super) lists: Option<Box<Lists>>,
}

/// What was found of the lists of a text.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// One run for each list.
    runs: Runs,
    /// The reading of the last element, and the number of the stencil that it fitted.
    element: Reading,
    last: usize,
    total: Summary,
}

impl Reading {
    /// Returns its size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let ends = self.ends.capacity().saturating_mul(size_of::<Seen>());
        let lists = |lists: &Lists| lists.runs.memory().saturating_add(lists.element.memory());
        ends.saturating_add(self.lists.as_deref().map_or(0, lists))
    }
}

impl Stencil {
    /// Whether it has lists, so that different things are done to different texts.
    #[inline(always)]
    pub(crate) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns what was done to a text. `reading`: what [`Stencil::fit`] found.
    #[inline(always)]
    pub(crate) fn summary<'a>(&'a self, reading: &'a Reading) -> &'a Summary {
        match &reading.lists {
            Some(lists) if self.has_lists() => &lists.total,
            _ => &self.own,
        }
    }

    /// As [`Stencil::fit`], for a stencil with lists.
    #[inline(never)]
    pub(super) fn fit_with_lists(
        &self,
        plan: &Automaton,
        bytes: &[u8],
        from: usize,
        reading: &mut Reading,
    ) -> Result<usize, Miss> {
        reading.lists.get_or_insert_default().runs.clear(KEPT);
        let end = self.fit_around(plan, bytes, from, reading)?;
        let mut total = self.own;
        let lists = reading.lists.as_deref_mut().ok_or(Miss::Other)?;
        for run in lists.runs.iter() {
            total.add(&run.summary);
        }
        lists.total = total;
        Ok(end)
    }

    /// Returns the end of the value whose preceding text is at an offset, if a glance told nothing.
    #[inline(never)]
    pub(super) fn pass(
        &self,
        slot: &Slot,
        plan: &Automaton,
        bytes: &[u8],
        at: usize,
        lists: &mut Option<Box<Lists>>,
    ) -> End {
        match (slot.list().and_then(|number| self.lists.get(number)), lists) {
            (Some(list), Some(lists)) => End::of(list.read(self.piece(slot.text), plan, bytes, at, lists)),
            _ => slot.pass(&self.text, bytes, at),
        }
    }

    /// As [`Stencil::write`], for a text with lists.
    #[inline(never)]
    pub(super) fn write_lists(&self, bytes: &[u8], mut from: u32, reading: &Reading, out: &mut Output) -> usize {
        let Some(lists) = reading.lists.as_deref() else { return from as usize };
        let mut pieces = self.pieces.iter();
        loop {
            let piece = pieces.next();
            let to = piece.map_or(u32::MAX, |piece| piece.to.offset(&reading.ends));
            for run in lists.runs.iter() {
                if run.summary.changed && from <= run.open && run.end <= to {
                    out.put_plainly(bytes, (from, run.open));
                    out.put_plainly(lists.runs.text(), run.text);
                    from = run.end;
                }
            }
            let Some(piece) = piece else { return from as usize };
            out.put_plainly(bytes, (from, to));
            out.put_plainly(&self.text, piece.text);
            from = piece.from.offset(&reading.ends);
        }
    }

    /// Adds the ops of similarity in the order in which they show in the output, each rule once among those from index
    /// `since` on.
    #[inline(never)]
    pub(crate) fn note(&self, reading: &Reading, into: &mut Vec<Op>, since: usize) {
        let mut noted = 0;
        for (ops, list) in &self.shown {
            note_new(self.ops.get(noted..*ops).unwrap_or_default(), into, since);
            note_new(reading.lists.as_deref().map_or(&[], |lists| lists.runs.ops_of(*list)), into, since);
            noted = *ops;
        }
        note_new(self.ops.get(noted..).unwrap_or_default(), into, since);
    }

    /// Whether both have the same skeleton, so that their texts become the same except for elements of lists.
    #[cold]
    fn is_like(&self, other: &Stencil) -> bool {
        let told = |slot: &Slot| (slot.text, slot.kinds, slot.look, slot.array);
        let mut slots = self.slots.iter().zip(&other.slots);
        // Stencils with guards are not compared.
        let have_none = self.guarded.is_empty() && other.guarded.is_empty();
        have_none
            && (self.tail, &self.text) == (other.tail, &other.text)
            && self.slots.len() == other.slots.len()
            && slots.all(|(own, other)| told(own) == told(other))
    }

    /// Replaces a stencil of the same skeleton and adopts what that knows. Returns the stencil if there is no such one.
    #[cold]
    #[inline(never)]
    pub(crate) fn merge(mut self, known: &mut [Arc<Stencil>]) -> Option<Stencil> {
        let Some(known) = known.iter_mut().find(|known| known.is_like(&self)) else { return Some(self) };
        self.absorb(known);
        *known = Arc::new(self);
        None
    }

    /// Adopts what another stencil of the same skeleton knows of elements of lists, as far as there is room.
    #[cold]
    fn absorb(&mut self, other: &Stencil) {
        let names = self.names.saturating_add(other.names);
        let memory = self.memory().saturating_add(other.memory());
        if !self.has_lists() || names > self.most_names || memory > MOST_MEMORY {
            return;
        }
        (self.max_depth, self.max_keys) = (self.max_depth.max(other.max_depth), self.max_keys.max(other.max_keys));
        for (own, other) in self.lists.iter_mut().zip(&other.lists) {
            for element in &other.elements {
                if let Some(known) = own.elements.iter_mut().find(|known| known.is_like(element)) {
                    // A stencil that was just drawn is not shared.
                    let Some(known) = Arc::get_mut(known) else { continue };
                    let before = known.names;
                    known.absorb(element);
                    self.names = self.names.saturating_add(known.names.saturating_sub(before));
                } else if own.elements.len() < MOST_ELEMENTS {
                    self.names = self.names.saturating_add(element.names);
                    own.elements.push(Arc::clone(element));
                }
            }
        }
    }

    /// Whether it is not too large, with the elements of its lists.
    pub(super) fn is_small(&self) -> bool {
        !self.has_lists() || self.names <= self.most_names && self.memory() <= MOST_MEMORY
    }
}

impl List {
    /// Reads from the text before the list to the end of the list.
    fn read(&self, text: &[u8], plan: &Automaton, bytes: &[u8], at: usize, lists: &mut Lists) -> Result<usize, Miss> {
        let open = pass_slowly(text, bytes, at)?;
        lists.runs.begin(open, None);
        match bytes.get(open) {
            Some(b'[') => (),
            Some(_) => return Err(Miss::Other),
            None => return Err(Miss::Short),
        }
        let end = self.read_elements(plan, bytes, open.wrapping_add(1), lists)?;
        lists.runs.close(bytes, end);
        Ok(end)
    }

    /// Reads from behind the opening bracket to the end of the list.
    fn read_elements(&self, plan: &Automaton, bytes: &[u8], open: usize, lists: &mut Lists) -> Result<usize, Miss> {
        let (mut at, mut is_first) = (open, true);
        loop {
            at = white(bytes, at);
            let end = match bytes.get(at) {
                Some(b'{') => self.read_element(plan, bytes, at, lists)?,
                None => return Err(Miss::Short),
                Some(_) if is_first && !self.is_any => return Err(Miss::Other),
                Some(b']') if is_first => return Ok(at.wrapping_add(1)),
                Some(_) => value::skip(bytes, at, 0).found()?,
            };
            is_first = false;
            at = white(bytes, end);
            match bytes.get(at) {
                Some(b',') => at = at.wrapping_add(1),
                Some(b']') => return Ok(at.wrapping_add(1)),
                Some(_) => return Err(Miss::Other),
                None => return Err(Miss::Short),
            }
        }
    }

    fn read_element(&self, plan: &Automaton, bytes: &[u8], at: usize, lists: &mut Lists) -> Result<usize, Miss> {
        let Lists { runs, element, last, .. } = lists;
        let mut miss = Miss::Other;
        for step in 0..self.elements.len() {
            // Mostly it is the stencil that the last element fitted.
            let number = last.wrapping_add(step).checked_rem(self.elements.len()).unwrap_or(0);
            let Some(stencil) = self.elements.get(number) else { continue };
            match stencil.fit(plan, bytes, at, element) {
                Ok(end) => {
                    runs.write(stencil, bytes, end, element, number);
                    *last = number;
                    return Ok(end);
                }
                Err(Miss::Short) => miss = Miss::Short,
                Err(Miss::Other) => (),
            }
        }
        Err(miss)
    }
}

/// Adds ops of similarity whose rules are not among those from index `since` on. More than are reported of one body are
/// of no use.
fn note_new(ops: &[Op], into: &mut Vec<Op>, since: usize) {
    for op in ops {
        let known = into.get(since..).unwrap_or_default();
        let is_new = matches!(op.rule, RuleRef::Similar(_)) && known.iter().all(|known| known.rule != op.rule);
        if is_new && known.len() < MAX_USED {
            into.push(*op);
        }
    }
}
