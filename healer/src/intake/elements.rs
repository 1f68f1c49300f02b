//! Elements of lists that have the skeleton of earlier ones. They are not scanned as the body arrives.
//!
//! The body is scanned step by step up to the start of an element, and continues after the last element that fits.
//! Nothing is decided here. What elements become is an edit like others, once a walk has found that the list is the one
//! that the stencils are from.

use super::{Intake, Lists};
use crate::limits::Limits;
use crate::memo::Memo;
use crate::plan::Plan;
use crate::scan::{Scanner, Status};
use crate::stencil::{MAX_BYTES, MAX_LOOKS, Miss, Reading, white};

/// Bytes scanned at once while elements are searched for. Few, since a scan beyond the start of a list is wasted.
const STEP: usize = 512;
/// If no element was passed over within this many bytes, the search ends.
const FAR: usize = 8 << 10;
/// Elements that may fail to fit before the search ends. One more is allowed for every `PAYS` bytes passed over: they
/// save more than a failure costs, which is a wasted scan and a new start.
const MAX_MISSES: usize = 8;
const PAYS: usize = 2 * STEP;

/// If elements have become more bytes than this, the search ends: what they become is kept twice when a body is healed.
const MAX_TEXT: usize = 64 << 20;

/// How far a body was searched for elements to pass over.
#[derive(Debug, Default)]
pub(super) struct Search {
    /// The first token that was not examined, and how many containers are open before it.
    token: usize,
    depth: u32,
    next: Option<Next>,
    /// Bytes that the scan has seen.
    reach: usize,
    /// Bytes passed over, and elements that did not fit.
    passed: usize,
    misses: usize,
    /// The first element of unknown skeleton.
    stranger: Option<u32>,
    /// The last element that is to be scanned.
    left: Option<usize>,
    is_over: bool,
}

/// An element of unknown skeleton.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stranger {
    /// There is none.
    Nowhere,
    /// There may be one anywhere, because no element was compared.
    Anywhere,
    /// It opens at this offset.
    At(u32),
}

/// Where an element is to be compared next.
#[derive(Clone, Copy, Debug)]
struct Next {
    at: usize,
    /// How many containers are open around it.
    depth: u32,
    /// Whether an element ends there, and the next one follows a comma.
    follows: bool,
    looks: u32,
}

impl Search {
    /// Returns a search that is over.
    pub(super) fn over() -> Search {
        Search { is_over: true, ..Search::default() }
    }

    /// Returns where an element is that ought to be drawn.
    pub(super) fn stranger(&self) -> Stranger {
        match self.stranger {
            Some(open) => Stranger::At(open),
            None if self.passed == 0 => Stranger::Anywhere,
            None => Stranger::Nowhere,
        }
    }
}

impl Intake {
    /// Scans what came, except elements that are passed over. What follows those may be left until more has come.
    pub(super) fn scan(&mut self, plan: &Plan, memo: &mut Memo) -> Status {
        // Another body may have replaced their stencils.
        let is_other = self.known.runs().is_some_and(|runs| !runs.are_of(memo.elements()));
        let depth = memo.depth_of_elements().filter(|_| !is_other);
        let Intake { held, known, limits, scanner } = self;
        let (Some(depth), Some(lists)) = (depth, known.lists.as_deref_mut()) else {
            return scanner.advance(held);
        };
        while !lists.search.is_over && matches!(scanner.status(), Status::Blank | Status::Open) {
            // The known list may have changed since an element was left.
            let left = lists.search.next.take().filter(|next| next.depth == depth);
            let mut next = left.or_else(|| lists.search.candidate(held, scanner, depth));
            while let Some(element) = next {
                let mut pass = Pass { held, limits, scanner, reading: &mut known.reading };
                if pass.over(lists, plan, memo, element) == Miss::Short {
                    return Status::Open;
                }
                next = lists.search.candidate(held, scanner, depth);
            }
            let reach = lists.search.reach;
            if reach >= held.len() {
                break;
            }
            lists.search.reach = reach.saturating_add(STEP).min(held.len());
            scanner.advance(held.get(..lists.search.reach).unwrap_or_default());
        }
        scanner.advance(held)
    }
}

impl Search {
    /// Returns the next element of an array that is `depth` containers deep.
    fn candidate(&mut self, held: &[u8], scanner: &Scanner, depth: u32) -> Option<Next> {
        let tokens = scanner.tokens();
        let byte = |token: usize| tokens.get(token).and_then(|at| held.get(*at as usize)).copied().unwrap_or(0);
        let mut before = byte(self.token.wrapping_sub(1));
        for at in tokens.get(self.token..).unwrap_or_default() {
            let first = byte(self.token);
            let is_element = first == b'{' && self.depth == depth && matches!(before, b'[' | b',');
            before = first;
            self.token = self.token.wrapping_add(1);
            match first {
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => (),
            }
            if is_element && self.left != Some(*at as usize) {
                return Some(Next { at: *at as usize, depth, follows: false, looks: 0 });
            }
        }
        self.is_over |= self.passed == 0 && self.reach > FAR;
        None
    }

    /// Leaves the element at an offset to the scan.
    fn leave(&mut self, at: usize) {
        self.left = Some(at);
        self.misses = self.misses.saturating_add(1);
        self.is_over |= self.misses > MAX_MISSES.saturating_add(self.passed / PAYS);
    }
}

/// What is needed to pass over elements of a body.
struct Pass<'a> {
    held: &'a [u8],
    limits: &'a Limits,
    scanner: &'a mut Scanner,
    reading: &'a mut Reading,
}

impl Pass<'_> {
    /// Passes over the elements from `next` on that fit. Returns whether those after them may fit when more has come.
    fn over(&mut self, lists: &mut Lists, plan: &Plan, memo: &mut Memo, next: Next) -> Miss {
        let Pass { held, limits, scanner, reading } = self;
        let Lists { runs, search } = lists;
        let Some((place, stencils, automaton)) = memo.elements_of(plan) else { return Miss::Other };
        let (mut end, mut fitted, mut looked) = (next.at, 0u32, next.at);
        let mut start = if next.follows { following(held, next.at) } else { Ok(next.at) };
        let mut miss = loop {
            looked = match start {
                Ok(start) => start,
                Err(miss) => break miss,
            };
            match stencils.find(automaton, held, looked, reading) {
                Ok((stencil, to)) if stencil.is_within(limits) => {
                    if fitted == 0 && !next.follows {
                        runs.begin(looked, Some(place));
                    }
                    runs.add(stencil, held, to, reading);
                    (end, fitted) = (to, fitted.wrapping_add(1));
                }
                Err(Miss::Short) if held.len().wrapping_sub(looked) <= MAX_BYTES => break Miss::Short,
                _ => {
                    search.leave(looked);
                    search.stranger = search.stranger.or(Some(looked as u32));
                    break Miss::Other;
                }
            }
            start = following(held, end);
        };
        if fitted > 0 {
            let (open, end) = runs.end(held);
            scanner.pass(open, end, place.depth, next.follows);
            (search.token, search.depth, search.reach) = (scanner.tokens().len(), place.depth, end);
            search.passed = search.passed.saturating_add(end.saturating_sub(next.at));
            search.is_over |= runs.text_len() > MAX_TEXT;
        }
        let looks = if fitted > 0 { 1 } else { next.looks.saturating_add(1) };
        if miss == Miss::Short && looks >= MAX_LOOKS {
            search.leave(looked);
            miss = Miss::Other;
        }
        if miss == Miss::Short {
            search.next = Some(Next { at: end, follows: next.follows || fitted > 0, looks, ..next });
        }
        miss
    }
}

/// Returns where the object begins that is the next element after one that ends at `end`.
fn following(bytes: &[u8], end: usize) -> Result<usize, Miss> {
    let expect = |at: usize, byte: u8| match bytes.get(at) {
        None => Err(Miss::Short),
        Some(found) if *found == byte => Ok(at),
        Some(_) => Err(Miss::Other),
    };
    let comma = expect(white(bytes, end), b',')?;
    expect(white(bytes, comma.wrapping_add(1)), b'{')
}
