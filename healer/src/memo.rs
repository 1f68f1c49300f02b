//! What similarity found, by shape of record.
//!
//! A resolution depends on the contract and on the shape alone: names, their order, kinds and classes of values. So
//! what is remembered is what would be found again, and forgetting changes no output. Shapes are found by their hashes, and
//! compared member by member before they are believed: who makes two shapes with one hash gains nothing.

use crate::limits::Limits;
use crate::news::{NewShape, News};
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, Id, NONE, RuleRef};
use crate::plan::overlay::{self, Added, Extent, Resolution};
use crate::plan::record::Record;
use crate::report::Op;
use crate::similarity::{self, Alignment, Settings, Standing};
use crate::stencil::{Elements, ListPlace, Miss, Reading, Stencil, Stencils};
use crate::survey::{MAX_MEMBERS, Survey};
use crate::walk::{Body, Sequences};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Members of all remembered shapes of one plan together, for records that are larger: 7 MB of members, and half as much
/// again of overlays.
const MAX_ITEMS: usize = 1 << 16;

/// Bytes of all that is remembered of the shapes of one plan, for names that are longer: three times what shapes of
/// ordinary names take when there are too many of them.
const MAX_MEMORY: usize = 32 << 20;

/// Bytes of a name, and of the names on the way to a member. A record with a longer name is left to rules, and so is a
/// member that is further in: keys that are read by name are a tenth as long, and the longest that Kubernetes allows for
/// a label has 317. So what one body brings is bounded before it can be forgotten.
pub(crate) const MAX_NAME: usize = 512;

/// Names in distinct shapes of one body that similarity looks at, known ones included; records of further shapes are
/// left to rules. It counts names whether or not their shape is remembered, so that the same body is always healed the
/// same way.
pub const MAX_NAMES_PER_BODY: u32 = 8192;

/// Resolutions told of one body. An access log has no room for more.
pub const MAX_USED: usize = 32;

/// The memory of one plan.
#[derive(Debug, Default)]
pub struct Memo {
    learned: Option<Box<Learned>>,
    /// Of whole bodies.
    stencils: Stencils,
    /// Of elements of a list that bodies are, or hold.
    elements: Elements,
}

#[derive(Debug)]
struct Learned {
    /// More than so many shapes are forgotten before the next body.
    max_shapes: usize,
    /// Whether there are, or too much else is remembered.
    is_full: bool,
    /// The plan's automaton, and overlays for shapes after it.
    automaton: Automaton,
    plain: Extent,
    shapes: Vec<Shape>,
    sequences: Sequences,
    /// By state of the plan and hash: the last shape with both.
    by_hash: BTreeMap<(Id, u64), Id>,
    overlays: overlay::Known,
    /// By state of the plan: the shape that most of its records had in the last body that had any.
    likely: Vec<Id>,
    resolutions: Vec<Resolution>,
    /// Bytes that these and the keys of overlays take besides.
    text: usize,
    survey: Survey,
    scratch: similarity::Scratch,
    alignments: Vec<Alignment>,
    /// Shapes that the current body brought.
    news: News,
    /// What the parts of the current body that are done have spent, and what the current pass has.
    before: Spent,
    spent: Spent,
    /// The pass, by number.
    pass: u64,
    /// Shapes of the parts that are done that similarity may look at. What came after a limit was reached need not be
    /// known: it would be beyond it again.
    seen: BTreeSet<(Id, u64)>,
    /// Those that the current pass adds.
    entered: Vec<(Id, u64)>,
    /// Whether moves were made in the last body.
    moves: bool,
    /// Resolutions that the last body was healed by, and those of the one before.
    used: Vec<u32>,
    used_before: Vec<u32>,
    /// The stencil that these are of, if the last body that similarity healed was healed by one alone.
    used_by: Option<Arc<Stencil>>,
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
    before: Spent,
    seen: BTreeSet<(Id, u64)>,
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

/// A shape that is remembered.
#[derive(Clone, Copy, Debug)]
struct Shape {
    hash: u64,
    /// Whether it may have arrays under other names, so that it matters what is in these too; and a hash of that.
    looks_inside: bool,
    elements: u64,
    /// The state for records of it.
    over: Id,
    /// Its items among [`Learned::sequences`].
    first: Id,
    names: u32,
    /// Names that the plan does not know.
    unknown: u32,
    /// Those of them that similarity does not look at.
    unscored: u32,
    /// Another shape with the same hash.
    next: Id,
    /// The last pass that had a record of it, how many it had, and whether similarity may look at them.
    pass: u64,
    records: u32,
    is_scored: bool,
}

/// What a body has spent of the limits.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    /// Names in distinct shapes.
    names: u32,
    /// Those that the plan does not know.
    unknown: u32,
    /// Unknown names of all records that were not looked at.
    unscored: u32,
}

impl Spent {
    /// Whether that is more than may be.
    fn is_beyond(&self, plan: &Plan) -> bool {
        let most = plan.spec().similarity.map_or(0, |settings| settings.max_unknown);
        self.names > MAX_NAMES_PER_BODY || self.unknown > most
    }
}

/// A record that a walk came across.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// Its opening brace, as a number of token.
    pub token: u32,
    /// The token after its closing brace.
    pub end: u32,
    /// The plan's state of it.
    pub state: Id,
    /// The state that it was walked in.
    pub over: Id,
    /// The remembered shape that it was taken for; [`NONE`]: none.
    pub taken_for: Id,
    /// Whether it has that shape, member by member; then the fields below say nothing.
    pub is_sure: bool,
    /// Names in it.
    pub names: u32,
    /// Names that the plan does not know.
    pub unknown: u32,
    pub shape: u64,
    /// Whether similarity may look at it, once that is settled.
    pub is_scored: bool,
}

impl Instance {
    /// Nothing is known yet.
    pub(crate) const UNREAD: Instance = Instance {
        token: 0,
        end: 0,
        state: 0,
        over: 0,
        taken_for: NONE,
        is_sure: false,
        names: 0,
        unknown: 0,
        shape: 0,
        is_scored: false,
    };
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
            return Memo::default();
        }
        let automaton = plan.automaton().clone();
        let learned = Learned {
            max_shapes,
            is_full: false,
            plain: automaton.extent(),
            shapes: Vec::new(),
            sequences: Sequences::new(),
            by_hash: BTreeMap::new(),
            overlays: overlay::Known::new(),
            likely: vec![NONE; automaton.states.len()],
            automaton,
            resolutions: Vec::new(),
            text: 0,
            survey: Survey::default(),
            scratch: similarity::Scratch::default(),
            alignments: Vec::new(),
            news: News::default(),
            before: Spent::default(),
            spent: Spent::default(),
            pass: 0,
            seen: BTreeSet::new(),
            entered: Vec::new(),
            moves: false,
            used: Vec::new(),
            used_before: Vec::new(),
            used_by: None,
            last_use: Vec::new(),
            bodies: 0,
            generation: 0,
        };
        Memo { learned: Some(Box::new(learned)), ..Memo::default() }
    }

    /// How many shapes are remembered.
    pub fn shapes(&self) -> usize {
        self.learned.as_deref().map_or(0, |learned| learned.shapes.len())
    }

    /// Bytes that are remembered: no more than some 40 MB, whatever bodies come.
    pub fn memory(&self) -> usize {
        let stencils = self.stencils.memory().saturating_add(self.elements.memory());
        self.learned.as_deref().map_or(0, Learned::memory).saturating_add(stencils)
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

    /// Forgets all shapes, so that the next bodies are seen for the first time.
    pub fn forget(&mut self) {
        self.stencils.clear();
        self.elements.clear();
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.forget();
        }
    }

    /// Takes in the stencil that a body was healed by.
    pub(crate) fn note_stencil(&mut self, stencil: &Arc<Stencil>) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        // Mostly it is that of the body before.
        if learned.used_by.as_ref().is_some_and(|used_by| Arc::ptr_eq(used_by, stencil)) {
            return std::mem::swap(&mut learned.used, &mut learned.used_before);
        }
        self.note_used(&stencil.ops);
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.used_by = Some(Arc::clone(stencil));
        }
    }

    /// Takes in the ops that a body was healed by.
    pub(crate) fn note_used(&mut self, ops: &[Op]) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.used_by = None;
        // Mostly it is what the body before was healed by.
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
            // Only earlier parts of the body may have brought it already.
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
        self.learned.as_deref().map_or(plan.automaton(), |learned| &learned.automaton)
    }

    pub(crate) fn resolution(&self, index: u32) -> Option<&Resolution> {
        self.learned.as_deref()?.resolutions.get(index as usize)
    }

    /// What similarity makes of a record.
    pub(crate) fn align(
        &mut self,
        plan: &Plan,
        state: Id,
        record: &Record,
        survey: &Survey,
        into: &mut Vec<Alignment>,
    ) {
        if let (Some(learned), Some(settings)) = (self.learned.as_deref_mut(), plan.spec().similarity) {
            align(record, survey, &settings, &mut learned.scratch, into);
            overlay::retain_taken(&mut learned.automaton, plan, state, record, survey, into);
        }
    }

    /// The items of all shapes.
    pub(crate) fn sequences(&self) -> Option<&Sequences> {
        self.learned.as_deref().map(|learned| &learned.sequences)
    }

    /// The shape that a record in this state of the plan is likely to have.
    pub(crate) fn guess(&self, state: Id) -> Id {
        self.learned.as_deref().and_then(|learned| learned.likely.get(state as usize)).copied().unwrap_or(NONE)
    }

    /// The state for records of a shape, and its first item.
    pub(crate) fn known(&self, shape: Id) -> Option<(Id, Id)> {
        self.learned.as_deref()?.shapes.get(shape as usize).map(|shape| (shape.over, shape.first))
    }

    /// Whether the next body is likely to have moves.
    pub(crate) fn expects_moves(&self) -> bool {
        self.learned.as_deref().is_some_and(|learned| learned.moves)
    }

    /// Takes in whether moves were made in a body.
    pub(crate) fn note_moves(&mut self, moves: bool) {
        if let Some(learned) = self.learned.as_deref_mut() {
            learned.moves = moves;
        }
    }

    /// Unknown names of the last body that similarity did not look at, because a limit was reached.
    pub(crate) fn unscored(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.spent.unscored)
    }

    /// Gets ready for a body.
    pub(crate) fn start(&mut self) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        if !learned.used.is_empty() {
            std::mem::swap(&mut learned.used, &mut learned.used_before);
            learned.used.clear();
        }
        learned.news.clear();
        learned.seen.clear();
        learned.before = Spent::default();
        if learned.is_full {
            learned.forget();
            self.stencils.clear();
            self.elements.clear();
        }
    }

    /// The stencil that a body fits. `reading`: what was found in it.
    pub(crate) fn recognise(
        &mut self,
        plan: &Plan,
        limits: &Limits,
        body: &[u8],
        reading: &mut Reading,
    ) -> Result<Arc<Stencil>, Miss> {
        let automaton = self.learned.as_deref().map_or(plan.automaton(), |learned| &learned.automaton);
        let (stencil, end) = self.stencils.find(automaton, body, 0, reading)?;
        if end == body.len() && stencil.is_within(limits) { Ok(Arc::clone(stencil)) } else { Err(Miss::Other) }
    }

    /// Stencils of whole bodies.
    pub(crate) fn stencils(&mut self) -> &mut Stencils {
        &mut self.stencils
    }

    /// Stencils of elements of a list.
    pub(crate) fn elements(&mut self) -> &mut Elements {
        &mut self.elements
    }

    /// How many containers are open around elements whose stencils are known.
    pub(crate) fn depth_of_elements(&mut self) -> Option<u32> {
        self.elements.known().map(|(place, _)| place.depth)
    }

    /// The list whose elements have stencils, these, and the automaton that they are for.
    pub(crate) fn elements_of<'a>(
        &'a mut self,
        plan: &'a Plan,
    ) -> Option<(&'a Arc<ListPlace>, &'a mut Stencils, &'a Automaton)> {
        let automaton = self.learned.as_deref().map_or(plan.automaton(), |learned| &learned.automaton);
        self.elements.known().map(|(place, stencils)| (place, stencils, automaton))
    }

    /// Whether so many more names in distinct shapes might cross a limit of the last body.
    pub(crate) fn might_be_spent(&self, plan: &Plan, names: u32) -> bool {
        let Some(learned) = self.learned.as_deref() else { return false };
        let Spent { names: all, unknown, unscored } = learned.spent;
        let (names, unknown) = (all.saturating_add(names), unknown.saturating_add(names));
        Spent { names, unknown, unscored }.is_beyond(plan)
    }

    /// Names in distinct shapes of one body that certainly cross no limit.
    pub(crate) fn most_names(&self, plan: &Plan) -> u32 {
        let settings = plan.spec().similarity.filter(|_| self.is_used());
        settings.map_or(u32::MAX, |settings| settings.max_unknown.min(MAX_NAMES_PER_BODY))
    }

    /// How often shapes were forgotten: stencils of before that are of no use.
    pub(crate) fn generation(&self) -> u32 {
        self.learned.as_deref().map_or(0, |learned| learned.generation)
    }

    /// Gets ready for a part of a body, or puts away what is known of it.
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

    /// Takes in that the last pass was right, and more parts of the body may follow.
    pub(crate) fn part_is_done(&mut self) {
        let Some(learned) = self.learned.as_deref_mut() else { return };
        learned.before = learned.spent;
        learned.seen.extend(learned.entered.drain(..));
    }

    /// Finds the states that records are to be walked in. Whether all were walked in the right ones; if not, the
    /// instances say which. Those inside a record that was walked in a wrong one are not to be relied upon, and go.
    pub(crate) fn settle(&mut self, plan: &Plan, body: &Body<'_>, instances: &mut Vec<Instance>) -> bool {
        let Some(learned) = self.learned.as_deref_mut() else { return true };
        learned.pass = learned.pass.wrapping_add(1);
        learned.spent = Spent { unscored: 0, ..learned.before };
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

impl Learned {
    /// Finds the state that a record is to be walked in.
    fn settle_one(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance) {
        let known = if instance.is_sure { instance.taken_for } else { self.find(body, instance) };
        let known = self.find_by_elements(plan, body, instance, known);
        if let Some(shape) = self.shapes.get(known as usize) {
            let Shape { hash, elements, names, unknown, .. } = *shape;
            *instance = Instance { shape: hash ^ elements, names, unknown, ..*instance };
        }
        let id = if self.is_new(known) { self.enter(plan, body, instance, known) } else { known };
        let Some(shape) = self.shapes.get_mut(id as usize).filter(|shape| shape.is_scored) else {
            self.spent.unscored = self.spent.unscored.saturating_add(instance.unknown);
            *instance = Instance { over: instance.state, taken_for: NONE, is_scored: false, ..*instance };
            return;
        };
        shape.records = shape.records.saturating_add(1);
        let (over, records) = (shape.over, shape.records);
        self.spent.unscored = self.spent.unscored.saturating_add(shape.unscored);
        *instance = Instance { over, taken_for: id, is_scored: true, ..*instance };
        let is_less = |other: &Shape| other.pass != self.pass || other.records < records;
        if let Some(likely) = self.likely.get_mut(instance.state as usize)
            && *likely != id
            && self.shapes.get(*likely as usize).is_none_or(is_less)
        {
            *likely = id;
        }
    }

    /// Whether this pass had no record of a shape yet.
    fn is_new(&self, shape: Id) -> bool {
        self.shapes.get(shape as usize).is_none_or(|shape| shape.pass != self.pass)
    }

    /// Takes in the first record of a shape in this pass: the shape, which may be a new one; [`NONE`] where it is not
    /// worth remembering.
    fn enter(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance, known: Id) -> Id {
        if instance.names > MAX_MEMBERS as u32 {
            return NONE;
        }
        let was_seen = self.seen.contains(&(instance.state, instance.shape));
        let is_scored = was_seen || self.spend(plan, instance);
        let id = if known == NONE && is_scored { self.learn(plan, body, instance) } else { known };
        if is_scored && !was_seen {
            self.entered.push((instance.state, instance.shape));
        }
        if let Some(shape) = self.shapes.get_mut(id as usize) {
            *shape = Shape { pass: self.pass, records: 0, is_scored, ..*shape };
        }
        id
    }

    /// Whether a record of another shape is within the limits. Where one is not, no further shape is.
    fn spend(&mut self, plan: &Plan, instance: &Instance) -> bool {
        let most = plan.spec().similarity.map_or(0, |settings| settings.most_of_record());
        self.spent.names = self.spent.names.saturating_add(instance.names);
        self.spent.unknown = self.spent.unknown.saturating_add(instance.unknown.min(most));
        !self.is_spent(plan)
    }

    /// Whether a limit was crossed.
    fn is_spent(&self, plan: &Plan) -> bool {
        self.spent.is_beyond(plan)
    }

    /// A remembered shape that a record has, whatever is in its arrays.
    fn find(&self, body: &Body<'_>, instance: &Instance) -> Id {
        let mut at = self.by_hash.get(&(instance.state, instance.shape)).copied().unwrap_or(NONE);
        while let Some(shape) = self.shapes.get(at as usize) {
            if self.sequences.is(shape.first, body, instance.token) {
                break;
            }
            at = shape.next;
        }
        at
    }

    /// The one among the shapes that are like `known`, but for what is in arrays, that a record has.
    fn find_by_elements(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance, known: Id) -> Id {
        let Some(Shape { hash, looks_inside, .. }) = self.shapes.get(known as usize).copied() else {
            // Beyond the limits no shape is looked at, unless an earlier part had it.
            let is_small = instance.names <= MAX_MEMBERS as u32;
            if is_small && (!self.is_spent(plan) || !self.seen.is_empty()) {
                instance.shape ^= self.look_inside(plan, body, instance);
            }
            return NONE;
        };
        if !looks_inside {
            return known;
        }
        let elements = self.look_inside(plan, body, instance);
        let mut at = self.by_hash.get(&(instance.state, hash)).copied().unwrap_or(NONE);
        while let Some(shape) = self.shapes.get(at as usize) {
            if shape.elements == elements && self.sequences.is(shape.first, body, instance.token) {
                return at;
            }
            at = shape.next;
        }
        let names = self.shapes.get(known as usize).map_or((0, 0), |shape| (shape.names, shape.unknown));
        *instance = Instance { shape: hash ^ elements, names: names.0, unknown: names.1, ..*instance };
        NONE
    }

    /// A hash of what is in the arrays of a record; 0 where it does not matter.
    fn look_inside(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance) -> u64 {
        let index = plan.automaton().state(instance.state).record;
        let Some(record) = plan.records().get(index as usize).filter(|record| record.model.has_records()) else {
            return 0;
        };
        let is_taken = self.survey.take(body, instance.token, plan, instance.state, record);
        if is_taken { self.survey.elements_hash() } else { 0 }
    }

    /// Works out what similarity makes of a record, and remembers it.
    fn learn(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance) -> Id {
        let index = plan.automaton().state(instance.state).record;
        let (Some(record), Some(settings)) = (plan.records().get(index as usize), plan.spec().similarity) else {
            return NONE;
        };
        if !self.survey.take(body, instance.token, plan, instance.state, record) {
            return NONE;
        }
        self.alignments.clear();
        align(record, &self.survey, &settings, &mut self.scratch, &mut self.alignments);
        self.news.tell(instance.shape, &self.survey, |field, text| record.push_dotted(field, text), &self.alignments);
        let over = if self.alignments.is_empty() { instance.state } else { self.overlay(plan, instance.state, record) };
        let looks_inside = record.model.has_records() && self.survey.may_rename_arrays(record);
        let elements = self.survey.elements_hash();
        let traced = self.sequences.trace(body, instance.token, &self.automaton, over);
        let is_same = traced.shape ^ elements == instance.shape;
        debug_assert!(is_same, "a shape that is told in two ways");
        if !is_same {
            return NONE;
        }
        let unknown = self.survey.rows.iter().filter(|row| row.standing == Standing::Unknown).count() as u32;
        let id = self.shapes.len() as Id;
        self.news.count = self.news.count.saturating_add(1);
        self.shapes.push(Shape {
            hash: traced.shape,
            looks_inside,
            elements,
            over,
            first: traced.first,
            names: instance.names,
            unknown: instance.unknown,
            unscored: unknown.saturating_sub(settings.most_of_record()),
            next: self.by_hash.insert((instance.state, traced.shape), id).unwrap_or(NONE),
            pass: 0,
            records: 0,
            is_scored: true,
        });
        let are_many = self.shapes.len() > self.max_shapes || self.sequences.items.len() > MAX_ITEMS;
        self.is_full = are_many || self.memory() > MAX_MEMORY;
        id
    }

    /// The state for records that are aligned as the last one was.
    fn overlay(&mut self, plan: &Plan, state: Id, record: &Record) -> Id {
        let first = self.resolutions.len() as u32;
        let into = (&mut self.automaton, &mut self.overlays);
        let (over, added) = overlay::add(into, plan, state, record, &self.survey, &self.alignments, first);
        if let Some(Added { resolutions, text }) = added {
            self.resolutions.extend(resolutions);
            self.text = self.text.saturating_add(text);
        }
        over
    }

    /// Bytes of all that was learned.
    fn memory(&self) -> usize {
        let lists = [
            self.automaton.memory_since(&self.plain),
            self.sequences.memory(),
            self.shapes.len().saturating_mul(size_of::<Shape>().saturating_add(size_of::<(Id, u64, Id)>())),
            self.resolutions.len().saturating_mul(size_of::<Resolution>().saturating_add(size_of::<u64>())),
            self.text,
        ];
        lists.into_iter().fold(0, usize::saturating_add)
    }

    fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.is_full = false;
        self.text = 0;
        self.automaton.truncate(&self.plain);
        self.shapes.clear();
        self.sequences.clear();
        self.by_hash.clear();
        self.overlays.clear();
        self.resolutions.clear();
        self.last_use.clear();
        self.used_before.clear();
        self.used_by = None;
        self.likely.fill(NONE);
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
    let alone = |row: Id| survey.rows.get(row as usize).is_some_and(|row| !row.twice);
    let is_near =
        |row: Id| survey.upwards(row).fold(0, |sum: usize, row| sum.saturating_add(survey.name(row).len())) <= MAX_NAME;
    into.retain(|alignment| survey.upwards(alignment.found).all(alone) && is_near(alignment.found));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::{Healer, Limits, Summary};

    fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> (String, Option<u64>) {
        let mut healer = Healer::new();
        let mut intake = healer.intake(Limits::default());
        intake.push(body.as_bytes());
        let summary = healer.heal(plan, memo, &intake).unwrap();
        let output = if summary.changed { healer.output() } else { body.as_bytes() };
        (String::from_utf8(output.to_vec()).unwrap(), summary.shape)
    }

    fn plan() -> Plan {
        let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"object","properties":
            {"user_id":{},"full_name":{},"home_address":{"type":"object","properties":{"zip_code":{}}}}}}]}"#;
        Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan
    }

    /// Two shapes with one hash are two shapes.
    #[test]
    fn what_has_the_hash_of_another_is_not_taken_for_it() {
        let plan = plan();
        let bodies = [
            r#"{"userId":1,"fullName":"a"}"#,
            r#"{"userId":1,"user_name_in_full":"a"}"#,
            r#"{"userId":1,"fullName":"2026-11-21"}"#,
            r#"{"userId":1,"fullName":"a","x":[1]}"#,
            r#"{"userId":1,"fullName":"a","homeAddress":{"zipCode":"1"}}"#,
            r#"{"fullName":"a","userId":1}"#,
            "{}",
        ];
        let alone = bodies.map(|body| heal(&plan, &mut Memo::new(&plan), body));
        for (first, second) in (0..bodies.len()).flat_map(|a| (0..bodies.len()).map(move |b| (a, b))) {
            let mut memo = Memo::new(&plan);
            heal(&plan, &mut memo, bodies[first]);
            let state = plan.automaton().root;
            let colliding = alone[second].1.unwrap();
            memo.learned.as_deref_mut().unwrap().by_hash.insert((state, colliding), 0);
            for _ in 0..3 {
                assert_eq!(heal(&plan, &mut memo, bodies[second]), alone[second], "after {}", bodies[first]);
            }
            assert_eq!(heal(&plan, &mut memo, bodies[first]), alone[first]);
            assert_eq!(memo.shapes(), if first == second { 1 } else { 2 });
        }
    }

    #[test]
    fn the_shape_that_most_records_have_is_likely() {
        let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"array","items":
            {"type":"object","properties":{"user_id":{},"full_name":{}}}}}]}"#;
        let plan = Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan;
        let mut memo = Memo::new(&plan);
        heal(&plan, &mut memo, r#"[{"userId":1},{"userId":2,"fullName":"a"},{"userId":3,"fullName":"b"},{}]"#);
        let learned = memo.learned.as_deref().unwrap();
        let state = plan.automaton().state(plan.automaton().root).element;
        let likely = learned.likely[state as usize];
        assert_eq!(learned.shapes[likely as usize].names, 2);
    }

    /// Shapes that differ in what similarity has nothing to do with share their states.
    #[test]
    fn states_are_shared() {
        let plan = plan();
        let mut memo = Memo::new(&plan);
        let rows = [
            (r#"{"userId":1,"full_name":"a"}"#, 1),
            (r#"{"userId":1,"full_name":null}"#, 1),
            (r#"{"full_name":null,"userId":1}"#, 1),
            (r#"{"userId":1,"full_name":null,"home_address":{"zip_code":1}}"#, 1),
            (r#"{"userId":1,"fullName":null}"#, 2),
            (r#"{"userId":1,"home_address":{"zipCode":1}}"#, 3),
            (r#"{"userId":1,"home_address":{"zipCode":"1"}}"#, 3),
            (r#"{"userId":1,"homeAddress":{"zip_code":1}}"#, 4),
        ];
        for (shapes, (body, overlays)) in (1..).zip(rows) {
            assert_eq!(heal(&plan, &mut memo, body), heal(&plan, &mut Memo::new(&plan), body));
            let known = (memo.shapes(), memo.learned.as_deref().unwrap().overlays.len());
            assert_eq!(known, (shapes, overlays), "{body}");
        }
    }

    /// Heals a body that streams in chunks, of records that are held if they have up to 4 KiB.
    fn stream(plan: &Plan, memo: &mut Memo, body: &str, chunk: usize) -> (String, Summary) {
        let mut healer = Healer::new();
        let mut streaming = healer.incremental(Limits { max_held_bytes: 8 << 10, ..Limits::default() });
        body.as_bytes().chunks(chunk).for_each(|chunk| streaming.push(&mut healer, plan, memo, chunk));
        streaming.finish(&mut healer, memo);
        (String::from_utf8(healer.output().to_vec()).unwrap(), streaming.summary())
    }

    /// Eight members inside a wrapper of that name.
    fn wrapped(name: &str) -> String {
        format!("{{\"{name}\":{{{}}}}}", (0..8).map(|at| format!("\"theField{at}\":1")).collect::<Vec<_>>().join(","))
    }

    fn list_of_records() -> Plan {
        let fields = (0..8).map(|at| format!("\"the_field_{at}\":{{}}")).collect::<Vec<_>>().join(",");
        let config = format!(
            r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{{}},"contract":{{"type":"array","items":
            {{"type":"object","properties":{{{fields}}}}}}}}}]}}"#
        );
        Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan
    }

    /// What names of any length take is bounded, and what was forgotten, or never remembered, changes no output.
    #[test]
    fn memory_is_bounded_whatever_names_are_long() {
        let plan = list_of_records();
        for (len, count) in
            [(20, 200), (200, 400), (MAX_NAME - 20, 400), (MAX_NAME + 1, 400), (30_000, 400), (900_000, 30)]
        {
            let mut memo = Memo::new(&plan);
            let mut healed = 0;
            for at in 0..count {
                let body = format!("[{}]", wrapped(&format!("w{at}{}", "x".repeat(len))));
                let (output, shape) = heal(&plan, &mut memo, &body);
                healed += u32::from(output != body);
                assert_eq!((output, shape), heal(&plan, &mut Memo::new(&plan), &body));
                assert!(memo.memory() < MAX_MEMORY + (1 << 20), "{len} {at}: {}", memo.memory());
            }
            assert_eq!(healed, if len > MAX_NAME { 0 } else { count }, "{len}");
            assert_eq!(memo.shapes() == 0, len > MAX_NAME, "{len}");
        }
    }

    /// However many shapes may be remembered, all are forgotten when they take too much.
    #[test]
    fn too_much_is_forgotten_however_few_shapes_that_is() {
        let plan = list_of_records();
        let mut memo = Memo::bounded(&plan, MAX_ITEMS);
        let mut most = 0;
        for at in 0.. {
            let body = format!("[{}]", wrapped(&format!("w{at}{}", "x".repeat(MAX_NAME - 20))));
            assert_eq!(heal(&plan, &mut memo, &body), heal(&plan, &mut Memo::new(&plan), &body));
            most = most.max(memo.memory());
            assert!(memo.shapes() < MAX_ITEMS / 9, "{}", memo.shapes());
            if memo.forgotten() > 0 {
                break;
            }
        }
        assert!((MAX_MEMORY / 2..MAX_MEMORY + (1 << 20)).contains(&most), "{most}");
    }

    /// The same of one body that streams, in any chunks.
    #[test]
    fn memory_is_bounded_whatever_streams() {
        let plan = list_of_records();
        for (len, count) in [(20, 2000), (MAX_NAME - 20, 2000), (MAX_NAME + 1, 1000), (7_000, 1000), (20_000, 300)] {
            let bodies: Vec<_> = (0..count).map(|at| wrapped(&format!("w{at}{}", "x".repeat(len)))).collect();
            let body = format!("[{}]", bodies.join(","));
            let mut memo = Memo::new(&plan);
            let whole = stream(&plan, &mut memo, &body, usize::MAX);
            assert_eq!(whole.0 != body, len <= MAX_NAME, "{len}");
            assert_eq!(memo.shapes() == 0, len > MAX_NAME, "{len}");
            for chunk in [16 << 10, 1000] {
                assert_eq!(stream(&plan, &mut memo, &body, chunk).0, whole.0, "{len} in {chunk}");
                assert!(memo.memory() < MAX_MEMORY + (8 << 20), "{len}: {}", memo.memory());
            }
            assert_eq!(stream(&plan, &mut Memo::new(&plan), &body, 1000), whole, "{len}");
        }
    }

    /// As many shapes as one body has are not all remembered, wherever the limits are.
    #[test]
    fn a_stream_of_shapes_takes_no_more_than_its_limits() {
        let plan = list_of_records();
        let body = (0..100_000).map(|at| format!("{{\"theField1\":1,\"n{at}\":1}}")).collect::<Vec<_>>().join(",");
        let mut memo = Memo::new(&plan);
        let mut healer = Healer::new();
        let mut streaming = healer.incremental(Limits { max_held_bytes: 8 << 10, ..Limits::default() });
        for chunk in format!("[{body}]").as_bytes().chunks(16 << 10) {
            streaming.push(&mut healer, &plan, &mut memo, chunk);
            assert!(memo.memory() < 4 << 20, "{}", memo.memory());
            assert!(streaming.shapes_seen() <= MAX_NAMES_PER_BODY as usize, "{}", streaming.shapes_seen());
        }
    }

    /// Resolutions are told with names cut, however many bytes a character has.
    #[test]
    fn long_names_are_cut_where_they_are_told() {
        let plan = list_of_records();
        for name in ["x".repeat(300), "é".repeat(150), "\\u0001".repeat(300), "a.b".repeat(100)] {
            let mut memo = Memo::new(&plan);
            heal(&plan, &mut memo, &format!("[{}]", wrapped(&name)));
            assert_eq!(memo.last_used().count(), 8);
            for resolution in memo.last_used() {
                let told: serde_json::Value = serde_json::from_slice(resolution.json()).unwrap();
                let from = told["from"].as_str().unwrap();
                assert!(
                    from.contains("...") && from.ends_with(&resolution.to.replace("the_field_", ".theField")),
                    "{from}"
                );
                assert!(from.len() < 96 && resolution.json().len() < 512, "{from}");
                assert!(resolution.from.len() > 300);
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let plan = plan();
        let mut memo = Memo::new(&plan);
        for at in 0..Memo::DEFAULT_SHAPES + 2 {
            heal(&plan, &mut memo, &format!("{{\"name{at}\":1,\"userId\":1}}"));
        }
        assert_eq!(memo.shapes(), 1);
        let wide = (0..2000).map(|at| format!("\"w{at}\":1")).collect::<Vec<_>>().join(",");
        for at in 0..MAX_ITEMS / 2000 + 3 {
            heal(&plan, &mut memo, &format!("{{{wide},\"name{at}\":1}}"));
        }
        assert!(memo.shapes() < 4, "{}", memo.shapes());
    }
}
