//! What similarity found, by shape of record.
//!
//! A resolution depends on the contract and on the shape alone: names, their order, kinds and classes of values. So
//! what is remembered is what would be found again, and forgetting changes no output.
//!
//! Whoever sends bodies may choose names, and so shapes that share a hash. Nobody gains by it: shapes are found by
//! their hashes, but compared member by member, and those with one hash are searched in an order. Where nothing is
//! compared, a *seal* tells shapes apart: a `SipHash` (Aumasson and Bernstein 2012), for which nobody knows how to find
//! another text with the hash of a given one.

mod instance;
mod learned;
mod shapes;

use crate::limits::Limits;
use crate::news::{NewShape, News};
use crate::outermost;
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, Id, NONE, RuleRef};
use crate::plan::overlay::{self, Seen};
use crate::plan::resolution::Resolution;
use crate::report::Op;
use crate::similarity::{Alignment, Parts, rooted};
use crate::stencil::{Elements, ListPlace, Miss, Reading, Stencil, Stencils};
use crate::walk::{Body, Sequences};
pub(crate) use instance::Instance;
use learned::{Learned, Spent, align};
use shapes::Shapes;
use std::cmp::Ordering;
use std::sync::Arc;

/// Most bytes of a name, and of the names on the path to a member together. A record with a longer name is left to
/// rules, and so is a member that is deeper inside. Keys that are read by name are a tenth as long, and the longest
/// that Kubernetes allows for a label has 317 bytes. The limit bounds what one body adds before it can be forgotten.
pub(crate) const MAX_NAME: usize = 512;

/// Most names in distinct shapes of one body that similarity looks at, including known shapes and what it looks at in
/// lists. Records of further shapes are left to rules. Names count whether or not their shape is remembered, so that the
/// same body is always healed the same way.
const MAX_NAMES_PER_BODY: u32 = 8192;

/// Most effort for one body, which counts as its names do: a name is 1, and more where it takes longer because it may be
/// many fields. Ordinary records take one to one and a half for each name, so that this bounds made-up ones only: to some
/// tens of milliseconds.
const MAX_EFFORT_PER_BODY: u32 = 2 * MAX_NAMES_PER_BODY;

/// Most resolutions reported of one body. An access log has no room for more.
pub(crate) const MAX_USED: usize = 32;

/// The memory of one plan.
#[derive(Debug, Default)]
pub struct Memo {
    learned: Option<Box<Learned>>,
    /// Stencils of whole bodies.
    stencils: Stencils,
    /// Stencils of elements of a list that a body is or holds.
    elements: Elements,
}

/// What is known of one body that is walked in parts, kept between its parts: those of other bodies may come in
/// between.
#[derive(Debug, Default)]
pub(crate) struct Course {
    before: Spent,
    seen: Shapes,
    used: Vec<u32>,
    generation: u32,
    news: News,
}

#[cfg(test)]
impl Course {
    pub(crate) fn shapes_seen(&self) -> usize {
        self.seen.len()
    }
}

impl Memo {
    /// Shapes remembered for one plan by default. An overlay of a record of 60 fields takes some 10 KB, so 10 MB in
    /// all.
    pub const DEFAULT_SHAPES: usize = 1024;

    /// Creates an empty memory for a plan.
    pub fn new(plan: &Plan) -> Memo {
        Memo::bounded(plan, Self::DEFAULT_SHAPES)
    }

    /// Creates an empty memory for up to `max_shapes` shapes. If the plan uses similarity, costs a copy of its
    /// automaton.
    pub fn bounded(plan: &Plan, max_shapes: usize) -> Memo {
        if plan.records().is_empty() {
            return Memo::default();
        }
        let learned = Learned::new(plan, max_shapes, 0);
        Memo { learned: Some(Box::new(learned)), ..Memo::default() }
    }

    /// Returns how many shapes are remembered.
    pub fn shapes(&self) -> usize {
        self.learned.as_deref().map_or(0, |learned| learned.shapes.len())
    }

    /// Returns the bytes that are remembered: at most some 70 MB, whatever bodies come.
    pub fn memory(&self) -> usize {
        let stencils = self.stencils.memory().saturating_add(self.elements.memory());
        self.learned.as_deref().map_or(0, Learned::memory).saturating_add(stencils)
    }

    /// Returns how often there were too many shapes, so that all were forgotten.
    pub fn forgotten(&self) -> u64 {
        self.learned.as_deref().map_or(0, |learned| learned.generation.into())
    }

    /// Returns the shapes that were new with the last body, as far as there is room to report them.
    pub fn new_shapes(&self) -> &[NewShape] {
        self.learned.as_deref().map_or(&[], |learned| &learned.news.told)
    }

    /// Returns how many shapes were new with the last body.
    pub(crate) fn news(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.news.count)
    }

    /// Iterates over the resolutions that healed the last body, each once, in the order of their first use.
    pub fn last_used(&self) -> impl Iterator<Item = &Resolution> {
        let learned = self.learned.as_deref();
        learned
            .into_iter()
            .flat_map(|learned| learned.used.iter().filter_map(|id| learned.resolutions.get(*id as usize)))
    }

    /// Forgets all shapes, and keeps the memory that they took. For measuring the cost of a first sight.
    pub fn forget(&mut self) {
        self.stencils.clear();
        self.elements.clear();
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.forget();
        }
    }

    /// Forgets all shapes, as if no body had been seen, and frees the memory that they took. Costs a copy of the plan's
    /// automaton.
    pub fn release(&mut self, plan: &Plan) {
        self.stencils.clear();
        self.elements.clear();
        if let Some(learned) = self.learned.take() {
            // What bodies under way refer to is known to be out of date by this number.
            let (max_shapes, generation) = (learned.max_shapes, learned.generation.wrapping_add(1));
            // Freed before the copy is made, because a host asks for this where memory is short.
            drop(learned);
            self.learned = Some(Box::new(Learned::new(plan, max_shapes, generation)));
        }
    }

    /// Notes the stencil that a body was healed by.
    pub(crate) fn note_stencil(&mut self, stencil: &Arc<Stencil>) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        // Mostly it is the stencil of the body before.
        if learned.used_by.as_ref().is_some_and(|used_by| Arc::ptr_eq(used_by, stencil)) {
            return std::mem::swap(&mut learned.used, &mut learned.used_before);
        }
        self.note_used(&stencil.ops);
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.used_by = Some(Arc::clone(stencil));
        }
    }

    /// Notes the ops that a body was healed by.
    pub(crate) fn note_used(&mut self, ops: &[Op]) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.used_by = None;
        // Mostly they are the ops of the body before.
        let same = ops.iter().zip(&learned.used_before).all(|(op, id)| op.rule == RuleRef::Similar(*id));
        if same && learned.used.is_empty() && ops.len() == learned.used_before.len() {
            return std::mem::swap(&mut learned.used, &mut learned.used_before);
        }
        learned.bodies = learned.bodies.wrapping_add(1);
        learned.last_use.resize(learned.resolutions.len(), 0);
        let (now, before) = (learned.bodies, learned.used.len());
        for op in ops {
            let RuleRef::Similar(id) = op.rule else { continue };
            let Some(last) = learned.last_use.get_mut(id as usize).filter(|last| **last != now) else { continue };
            *last = now;
            // Only earlier parts of the body may have added it already.
            let is_used = before > 0 && learned.used.contains(&id);
            if learned.used.len() < MAX_USED && !is_used {
                learned.used.push(id);
            }
        }
    }

    /// Whether its plan uses similarity.
    pub(crate) fn is_used(&self) -> bool {
        self.learned.is_some()
    }

    pub(crate) fn automaton<'a>(&'a self, plan: &'a Plan) -> &'a Automaton {
        automaton_of(self.learned.as_deref(), plan)
    }

    pub(crate) fn resolution(&self, index: u32) -> Option<&Resolution> {
        self.learned.as_deref()?.resolutions.get(index as usize)
    }

    /// Works out what similarity makes of a record.
    pub(crate) fn align(&mut self, seen: Seen<'_>, into: &mut Vec<Alignment>) {
        if let (Some(learned), Some(settings)) = (self.learned.as_deref_mut(), seen.plan.spec().similarity) {
            align(seen.record, seen.survey, &settings, &mut learned.scratch, into);
            overlay::retain_taken(&mut learned.automaton, seen, into);
        }
    }

    /// Returns why a record that begins at a token is one of those that the state's records are.
    pub(crate) fn is_element(&mut self, plan: &Plan, body: &Body<'_>, token: u32, state: Id) -> Option<Parts> {
        let survey = &mut self.learned.as_deref_mut()?.survey;
        let record = plan.records().get(plan.automaton().state(state).record as usize)?;
        let is_taken = survey.take(body, token, plan, state, record);
        is_taken.then(|| rooted::is_element(&record.model, &survey.found()))?
    }

    /// Notes that a body consists of the expected list at another place. Returns the rule for that.
    pub(crate) fn outermost(&mut self, found: &outermost::Found<'_>) -> RuleRef {
        let Some(learned) = self.learned.as_deref_mut() else { return RuleRef::Similar(NONE) };
        RuleRef::Similar(learned.outermost(found))
    }

    /// Whether a resolution is about a list that a body consists of.
    pub(crate) fn is_outermost(&self, index: u32) -> bool {
        self.resolution(index).is_some_and(Resolution::is_of_body)
    }

    /// Returns the items of all shapes.
    pub(crate) fn sequences(&self) -> Option<&Sequences> {
        self.learned.as_deref().map(|learned| &learned.sequences)
    }

    /// Returns the shape that a record in this state of the plan probably has.
    pub(crate) fn guess(&self, state: Id) -> Id {
        self.learned.as_deref().and_then(|learned| learned.likely.get(state as usize)).copied().unwrap_or(NONE)
    }

    /// Returns the state for records of a shape, and the shape's first item.
    pub(crate) fn known(&self, shape: Id) -> Option<(Id, Id)> {
        self.learned.as_deref()?.shapes.get(shape as usize).map(|shape| (shape.over, shape.first))
    }

    /// Whether the next body probably has moves.
    pub(crate) fn expects_moves(&self) -> bool {
        self.learned.as_deref().is_some_and(|learned| learned.moves)
    }

    /// Notes whether moves were made in a body.
    pub(crate) fn note_moves(&mut self, moves: bool) {
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.moves = moves;
        }
    }

    /// Returns the number of unknown names of the last body that similarity did not examine because a limit was
    /// reached.
    pub(crate) fn unscored(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.spent.unscored)
    }

    /// Gets ready for a body or a part of one, of so many bytes. If there have been too many shapes for long enough, all
    /// are forgotten.
    pub(crate) fn start(&mut self, plan: &Plan, bytes: usize) {
        if self.learned.as_deref_mut().is_some_and(|learned| learned.is_overdue(bytes)) {
            self.release(plan);
        }
        self.restart();
    }

    /// As [`Memo::start`], and forgets nothing.
    pub(crate) fn restart(&mut self) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        if !learned.used.is_empty() {
            std::mem::swap(&mut learned.used, &mut learned.used_before);
            learned.used.clear();
        }
        learned.news.clear();
        learned.seen.clear();
        learned.before = Spent::default();
    }

    /// Returns the stencil that a body fits. `reading`: receives what was found in it.
    pub(crate) fn recognise(
        &mut self,
        plan: &Plan,
        limits: &Limits,
        body: &[u8],
        reading: &mut Reading,
    ) -> Result<Arc<Stencil>, Miss> {
        let automaton = automaton_of(self.learned.as_deref(), plan);
        let (stencil, end) = self.stencils.find(automaton, body, 0, reading)?;
        if end == body.len() && stencil.is_within(limits) { Ok(Arc::clone(stencil)) } else { Err(Miss::Other) }
    }

    /// Returns the stencils of whole bodies.
    pub(crate) fn stencils(&mut self) -> &mut Stencils {
        &mut self.stencils
    }

    /// Returns the stencils of elements of a list.
    pub(crate) fn elements(&mut self) -> &mut Elements {
        &mut self.elements
    }

    /// Returns how many containers are open around elements whose stencils are known.
    pub(crate) fn depth_of_elements(&mut self) -> Option<u32> {
        self.elements.known().map(|(place, _)| place.depth)
    }

    /// Returns the list whose elements have stencils, these stencils, and the automaton that they are for.
    pub(crate) fn elements_of<'a>(
        &'a mut self,
        plan: &'a Plan,
    ) -> Option<(&'a Arc<ListPlace>, &'a mut Stencils, &'a Automaton)> {
        let automaton = automaton_of(self.learned.as_deref(), plan);
        self.elements.known().map(|(place, stencils)| (place, stencils, automaton))
    }

    /// Returns the effort for the shapes of the last pass, each once, whether or not the body had them before.
    pub(crate) fn effort(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.effort)
    }

    /// Whether `names` more names in distinct shapes, or as much effort, might cross a limit of the last body.
    pub(crate) fn might_be_spent(&self, plan: &Plan, names: u32) -> bool {
        let Some(learned) = self.learned.as_deref() else { return false };
        let Spent { names: all, effort, unknown, unscored } = learned.spent;
        let more = |spent: u32| spent.saturating_add(names);
        Spent { names: more(all), effort: more(effort), unknown: more(unknown), unscored }.is_beyond(plan)
    }

    /// Returns how many names in distinct shapes of one body, or as much effort, certainly cross no limit.
    pub(crate) fn most_names(&self, plan: &Plan) -> u32 {
        let settings = plan.spec().similarity.filter(|_| self.is_used());
        settings.map_or(u32::MAX, |settings| settings.max_unknown.min(MAX_NAMES_PER_BODY))
    }

    /// Returns how often shapes were forgotten. Stencils drawn before the last time are of no use.
    pub(crate) fn generation(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.generation)
    }

    /// Gets ready for a part of a body, or puts away what is known of the body after it.
    pub(crate) fn exchange(&mut self, course: &mut Course) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.used_by = None;
        if course.generation != learned.generation {
            course.used.clear();
        }
        course.generation = learned.generation;
        std::mem::swap(&mut learned.seen, &mut course.seen);
        std::mem::swap(&mut learned.before, &mut course.before);
        std::mem::swap(&mut learned.used, &mut course.used);
        std::mem::swap(&mut learned.news, &mut course.news);
    }

    /// Notes that the last pass was right, and that more parts of the body may follow.
    pub(crate) fn part_is_done(&mut self) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.before = learned.spent;
        for shape in learned.entered.drain(..) {
            if let Err(place) = learned.seen.find(shape, |_| Ordering::Equal) {
                learned.seen.insert(place, shape, NONE);
            }
        }
    }

    /// Finds the states in which records must be walked. Returns whether all were walked in the right ones; if not, the
    /// instances tell the right ones. Instances inside a record that was walked in a wrong state are unreliable and are
    /// removed.
    pub(crate) fn settle(&mut self, plan: &Plan, body: &Body<'_>, instances: &mut Vec<Instance>) -> bool {
        let Some(learned) = self.learned.as_deref_mut() else { return true };
        learned.pass = learned.pass.wrapping_add(1);
        learned.spent = Spent { unscored: 0, ..learned.before };
        learned.effort = 0;
        learned.entered.clear();
        let mut right = true;
        let mut wrong_until = 0;
        instances.retain_mut(|instance| {
            let is_inside_wrong = instance.token < wrong_until;
            if !is_inside_wrong {
                let walked = instance.over;
                learned.settle_one(plan, body, instance);
                if instance.over != walked {
                    right = false;
                    wrong_until = instance.end;
                }
            }
            !is_inside_wrong
        });
        right
    }
}

/// Returns the automaton with all that was learned.
fn automaton_of<'a>(learned: Option<&'a Learned>, plan: &'a Plan) -> &'a Automaton {
    learned.map_or(plan.automaton(), |learned| &learned.automaton)
}

#[cfg(test)]
mod tests;
