//! What similarity found, by shape of record.
//!
//! A resolution depends on the contract and on the shape alone: names, their order, kinds and classes of values. So
//! what is remembered is what would be found again, and forgetting changes no output.

use crate::news::{NewShape, News};
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, Id, NONE};
use crate::plan::overlay::{self, Extent, Resolution};
use crate::plan::record::Record;
use crate::similarity::{self, Alignment, Settings};
use crate::survey::Survey;
use crate::walk::Body;
use std::collections::BTreeMap;

/// Names in distinct shapes of one body that similarity looks at; records of further shapes are left to rules. At about
/// a microsecond each it bounds what a body of made-up names costs. It counts names whether or not their shape is
/// remembered, so that the same body is always healed the same way.
pub const MAX_NAMES_PER_BODY: u32 = 8192;

/// Resolutions told of one body. An access log has no room for more.
pub const MAX_USED: usize = 32;

/// The memory of one plan.
#[derive(Debug, Default)]
pub struct Memo {
    learned: Option<Box<Learned>>,
}

#[derive(Debug)]
struct Learned {
    /// More than so many shapes are forgotten before the next body.
    max_shapes: usize,
    /// The plan's automaton, and overlays for shapes after it.
    automaton: Automaton,
    plain: Extent,
    shapes: BTreeMap<(Id, u64), Id>,
    /// Shapes of records that may have arrays under other names, so that it matters what is in these too.
    by_elements: BTreeMap<(Id, u64), bool>,
    /// By state of the plan: the shape that a record in it had last.
    last: Vec<Known>,
    resolutions: Vec<Resolution>,
    survey: Survey,
    scratch: similarity::Scratch,
    alignments: Vec<Alignment>,
    /// Shapes that the current body brought.
    news: News,
    /// Distinct shapes of the current body, and the states for records of them.
    seen: BTreeMap<(Id, u64), Id>,
    /// Names in them.
    names_seen: u32,
    /// Resolutions that the last body was healed by.
    used: Vec<u32>,
    /// By resolution: the last body that it healed, by number.
    last_use: Vec<u64>,
    /// Bodies that similarity healed so far.
    bodies: u64,
    /// How often all was forgotten.
    generation: u32,
}

/// What is known of one body that is walked in parts, between one part and the next: others may come in between.
#[derive(Debug, Default)]
pub(crate) struct Course {
    seen: BTreeMap<(Id, u64), Id>,
    names_seen: u32,
    used: Vec<u32>,
    generation: u32,
    news: News,
}

/// A shape, and the state for records of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    shape: u64,
    state: Id,
}

/// A record that a walk came across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Its opening brace, as a number of token.
    pub token: u32,
    /// The plan's state of it.
    pub state: Id,
    /// The state that it was walked in.
    pub over: Id,
    /// Names in it.
    pub names: u32,
    pub shape: u64,
}

impl Memo {
    /// Shapes remembered for one plan by default. An overlay of a record of 60 fields takes some 10 KB, so 10 MB.
    pub const DEFAULT_SHAPES: usize = 1024;

    /// An empty memory for a plan.
    pub fn new(plan: &Plan) -> Memo {
        Memo::bounded(plan, Self::DEFAULT_SHAPES)
    }

    /// An empty memory for so many shapes. Cost where the plan uses similarity: a copy of its automaton.
    pub fn bounded(plan: &Plan, max_shapes: usize) -> Memo {
        if plan.records().is_empty() {
            return Memo { learned: None };
        }
        let automaton = plan.automaton().clone();
        let unknown = |state: usize| Known { shape: 0, state: state as Id };
        let last = (0..automaton.states.len()).map(unknown).collect();
        let learned = Learned {
            max_shapes,
            plain: automaton.extent(),
            automaton,
            shapes: BTreeMap::new(),
            by_elements: BTreeMap::new(),
            last,
            resolutions: Vec::new(),
            survey: Survey::default(),
            scratch: similarity::Scratch::default(),
            alignments: Vec::new(),
            news: News::default(),
            seen: BTreeMap::new(),
            names_seen: 0,
            used: Vec::new(),
            last_use: Vec::new(),
            bodies: 0,
            generation: 0,
        };
        Memo { learned: Some(Box::new(learned)) }
    }

    /// How many shapes are remembered.
    pub fn shapes(&self) -> usize {
        self.learned.as_deref().map_or(0, |learned| learned.shapes.len())
    }

    /// How often there were too many, so that all were forgotten.
    pub fn forgotten(&self) -> u64 {
        self.learned.as_deref().map_or(0, |learned| learned.generation.into())
    }

    /// Shapes that were new with the last body, as far as there is room to tell of them.
    pub fn new_shapes(&self) -> &[NewShape] {
        self.learned.as_deref().map_or(&[], |learned| &learned.news.told)
    }

    /// How many shapes were new with the last body.
    pub(crate) fn news(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.news.count)
    }

    /// The resolutions that the last body was healed by, each once, in the order of their first use.
    pub fn last_used(&self) -> impl Iterator<Item = &Resolution> {
        let learned = self.learned.as_deref();
        learned
            .into_iter()
            .flat_map(|learned| learned.used.iter().filter_map(|id| learned.resolutions.get(*id as usize)))
    }

    /// Takes in which resolutions a body was healed by.
    pub(crate) fn note_used(&mut self, resolutions: impl Iterator<Item = u32>) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.bodies = learned.bodies.wrapping_add(1);
        learned.last_use.resize(learned.resolutions.len(), 0);
        for id in resolutions {
            let Some(last) = learned.last_use.get_mut(id as usize) else { continue };
            let is_first = std::mem::replace(last, learned.bodies) != learned.bodies;
            if is_first && learned.used.len() < MAX_USED && !learned.used.contains(&id) {
                learned.used.push(id);
            }
        }
    }

    /// Whether its plan uses similarity.
    pub(crate) fn is_used(&self) -> bool {
        self.learned.is_some()
    }

    pub(crate) fn automaton<'a>(&'a self, plan: &'a Plan) -> &'a Automaton {
        self.learned.as_deref().map_or(plan.automaton(), |learned| &learned.automaton)
    }

    pub(crate) fn resolution(&self, index: u32) -> Option<&Resolution> {
        self.learned.as_deref()?.resolutions.get(index as usize)
    }

    /// Whether similarity looked at a record of the last body.
    pub(crate) fn looks_at(&self, instance: &Instance) -> bool {
        let key = (instance.state, instance.shape);
        self.learned.as_deref().is_some_and(|learned| learned.seen.contains_key(&key))
    }

    /// What similarity makes of a record.
    pub(crate) fn align(&mut self, plan: &Plan, record: &Record, survey: &Survey, into: &mut Vec<Alignment>) {
        if let (Some(learned), Some(settings)) = (self.learned.as_deref_mut(), plan.spec().similarity) {
            align(record, survey, &settings, &mut learned.scratch, into);
        }
    }

    /// The state that a record in this state of the plan is likely to be walked in.
    pub(crate) fn guess(&self, state: Id) -> Id {
        let learned = self.learned.as_deref();
        learned.and_then(|learned| learned.last.get(state as usize)).map_or(state, |known| known.state)
    }

    /// Gets ready for a body.
    pub(crate) fn start(&mut self) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.seen.clear();
        learned.used.clear();
        learned.news.clear();
        learned.names_seen = 0;
        if learned.shapes.len().max(learned.by_elements.len()) > learned.max_shapes {
            learned.forget();
        }
    }

    /// Gets ready for a part of a body, or puts away what is known of it.
    pub(crate) fn exchange(&mut self, course: &mut Course) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        if course.generation != learned.generation {
            course.used.clear();
            // A shape that was looked at stays one that was.
            course.seen.values_mut().for_each(|state| *state = NONE);
        }
        course.generation = learned.generation;
        std::mem::swap(&mut learned.seen, &mut course.seen);
        std::mem::swap(&mut learned.names_seen, &mut course.names_seen);
        std::mem::swap(&mut learned.used, &mut course.used);
        std::mem::swap(&mut learned.news, &mut course.news);
    }

    /// Finds the states that records are to be walked in. Whether all were walked in the right ones; if not, `over` of
    /// the instances says which.
    pub(crate) fn settle(&mut self, plan: &Plan, body: &Body<'_>, instances: &mut [Instance]) -> bool {
        let Some(learned) = self.learned.as_deref_mut() else { return true };
        let mut right = true;
        for instance in instances {
            let over = learned.over(plan, body, instance);
            right &= over == instance.over;
            instance.over = over;
        }
        right
    }
}

impl Learned {
    /// The state that a record is to be walked in.
    fn over(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance) -> Id {
        self.look_into_arrays(plan, body, instance);
        let key = (instance.state, instance.shape);
        match self.seen.get(&key) {
            Some(&NONE) => (),
            Some(over) => return *over,
            None => {
                self.names_seen = self.names_seen.saturating_add(instance.names);
                if self.names_seen > MAX_NAMES_PER_BODY {
                    return instance.state;
                }
            }
        }
        let over = self.known_or_learned(plan, body, instance);
        self.seen.insert(key, over);
        if let Some(last) = self.last.get_mut(instance.state as usize) {
            *last = Known { shape: instance.shape, state: over };
        }
        over
    }

    /// Tells records of one shape apart by what is in their arrays, where these may be expected ones.
    fn look_into_arrays(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance) {
        let index = plan.automaton().state(instance.state).record;
        let Some(record) = plan.records().get(index as usize).filter(|record| record.model.has_records()) else {
            return;
        };
        let key = (instance.state, instance.shape);
        let known = self.by_elements.get(&key).copied();
        if known == Some(false) || self.names_seen > MAX_NAMES_PER_BODY {
            return;
        }
        let looked = self.survey.take(body, instance.token as usize, plan, instance.state, record);
        let matters = looked && known.unwrap_or_else(|| self.survey.may_rename_arrays(record));
        if known.is_none() {
            self.by_elements.insert(key, matters);
        }
        if matters {
            instance.shape ^= self.survey.elements_hash();
        }
    }

    fn known_or_learned(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance) -> Id {
        let last = self.last.get(instance.state as usize).filter(|last| last.shape == instance.shape);
        let key = (instance.state, instance.shape);
        if let Some(known) = last.map(|last| last.state).or_else(|| self.shapes.get(&key).copied()) {
            return known;
        }
        let state = self.learn(plan, body, instance);
        self.news.count = self.news.count.saturating_add(1);
        self.shapes.insert(key, state);
        state
    }

    fn learn(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance) -> Id {
        let index = plan.automaton().state(instance.state).record;
        let (Some(record), Some(settings)) = (plan.records().get(index as usize), plan.spec().similarity) else {
            return instance.state;
        };
        if !self.survey.take(body, instance.token as usize, plan, instance.state, record) {
            return instance.state;
        }
        self.alignments.clear();
        align(record, &self.survey, &settings, &mut self.scratch, &mut self.alignments);
        self.news.tell(instance.shape, &self.survey, |field| record.dotted(field), &self.alignments);
        if self.alignments.is_empty() {
            return instance.state;
        }
        let first = self.resolutions.len() as u32;
        let (state, resolutions) =
            overlay::add(&mut self.automaton, plan, instance.state, record, &self.survey, &self.alignments, first);
        self.resolutions.extend(resolutions);
        state
    }

    fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.automaton.truncate(&self.plain);
        self.shapes.clear();
        self.by_elements.clear();
        self.resolutions.clear();
        self.last_use.clear();
        for (last, state) in self.last.iter_mut().zip(0..) {
            *last = Known { shape: 0, state };
        }
    }
}

fn align(
    record: &Record,
    survey: &Survey,
    settings: &Settings,
    scratch: &mut similarity::Scratch,
    into: &mut Vec<Alignment>,
) {
    record.model.align(&survey.found(), settings, scratch, into);
    // Of two members with one name, parsers disagree which one counts.
    let alone = |row: &Id| survey.rows.get(*row as usize).is_some_and(|row| !row.twice);
    into.retain(|alignment| survey.path_to(alignment.found).iter().all(alone));
}
