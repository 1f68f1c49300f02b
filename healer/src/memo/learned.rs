//! Shapes, and what similarity found in records of them.

use super::shapes::{Key, Shapes};
use super::{Instance, MAX_EFFORT_PER_BODY, MAX_NAME, MAX_NAMES_PER_BODY};
use crate::news::News;
use crate::outermost;
use crate::plan::Plan;
use crate::plan::automaton::{Automaton, Id, NONE};
use crate::plan::extent::Extent;
use crate::plan::overlay::{self, Added, Seen};
use crate::plan::record::Record;
use crate::plan::resolution::Resolution;
use crate::similarity::{self, Alignment, Settings, Standing};
use crate::stencil::Stencil;
use crate::survey::{MAX_MEMBERS, Survey};
use crate::walk::{Body, Sequences};
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

/// Most members of all remembered shapes of one plan together, which matters for large records: 7 MB of members, and
/// half as much again of overlays.
pub(super) const MAX_ITEMS: usize = 1 << 16;

/// Most bytes of all that is remembered of the shapes of one plan, which matters for long names. Three times what
/// shapes with ordinary names take when there are too many of them.
pub(super) const MAX_MEMORY: usize = 32 << 20;

/// Bytes of bodies between the time when too much is remembered and the time when all is forgotten. So learning it again
/// costs next to nothing for each byte, also where the bodies that need it come at once, in parts.
pub(super) const PATIENCE: usize = 1 << 20;

/// Until then, there are at most so many times as many shapes as should be remembered: no body has more at the default.
pub(super) const MOST_TIMES_SHAPES: usize = 8;

/// Until then, what is remembered takes at most so many bytes.
pub(super) const MOST_MEMORY: usize = MAX_MEMORY / 2 * 3;

/// The effort for a shape, whatever its names are.
const EFFORT_OF_SHAPE: u32 = 2;

/// States of a shape repeat the fields of the record: so many take the effort for one name.
const FIELDS_OF_EFFORT: u32 = 16;

/// Stands for the seal of what is in arrays if that is too much to be looked at: no remembered shape has it.
const UNSEALED: u64 = u64::MAX;

/// What is in the arrays of a record, where that matters.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    /// 0 if there is nothing that matters.
    seal: u64,
    /// Number of names there that similarity looks at.
    names: u32,
}

#[derive(Debug)]
pub(super) struct Learned {
    /// If there are more shapes than this, all are forgotten once that is overdue.
    pub(super) max_shapes: usize,
    /// Whether there are more, or too much else is remembered.
    pub(super) is_full: bool,
    /// Bytes of bodies that have come since.
    read: usize,
    /// The plan's automaton, followed by overlays for shapes.
    pub(super) automaton: Automaton,
    pub(super) plain: Extent,
    pub(super) shapes: Vec<Shape>,
    pub(super) sequences: Sequences,
    /// The shapes by state and hash, then by their members, then by what is in their arrays.
    pub(super) by_hash: Shapes,
    pub(super) overlays: overlay::Index,
    /// By state of the plan: the shape that most of its records had in the last body that had any.
    pub(super) likely: Vec<Id>,
    pub(super) resolutions: Vec<Resolution>,
    /// The last resolution of a list that a body consists of.
    pub(super) outermost: Option<u32>,
    /// Bytes that the texts of resolutions and the keys of overlays take besides.
    pub(super) text: usize,
    pub(super) survey: Survey,
    pub(super) scratch: similarity::Scratch,
    pub(super) alignments: Vec<Alignment>,
    /// Shapes that were new with the current body.
    pub(super) news: News,
    /// What the finished parts of the current body have spent, and what has been spent including the current pass.
    pub(super) before: Spent,
    pub(super) spent: Spent,
    /// The effort for the shapes of the current pass, each once, whether or not an earlier part had them.
    pub(super) effort: u32,
    /// The number of the pass.
    pub(super) pass: u64,
    /// Shapes of the finished parts that similarity may look at, by seal. Shapes that came after a limit was reached are
    /// not needed, since they would be beyond it again. Which of the memo's shapes they are does not matter.
    pub(super) seen: Shapes,
    /// Shapes that the current pass adds to these.
    pub(super) entered: Vec<Key>,
    /// Whether moves were made in the last body.
    pub(super) moves: bool,
    /// Resolutions that healed the last body, and those that healed the one before.
    pub(super) used: Vec<u32>,
    pub(super) used_before: Vec<u32>,
    /// The stencil that `used` comes from, if the last body that similarity healed was healed by one stencil alone.
    pub(super) used_by: Option<Arc<Stencil>>,
    /// By resolution: the number of the last body that it healed.
    pub(super) last_use: Vec<u64>,
    /// Bodies that similarity healed so far.
    pub(super) bodies: u64,
    /// How often everything was forgotten.
    pub(super) generation: u32,
}

/// A remembered shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) hash: u64,
    /// Whether its arrays may be expected ones under other names, so that what is in them matters too; and a seal of
    /// that.
    pub(super) looks_inside: bool,
    pub(super) elements: u64,
    /// A seal of its members and of what is in its arrays ([`super`]).
    pub(super) seal: u64,
    /// The state for records of this shape.
    pub(super) over: Id,
    /// Its first item in [`Learned::sequences`].
    pub(super) first: Id,
    pub(super) names: u32,
    /// What it took to find out what is to be done, counted as its names are.
    pub(super) effort: u32,
    /// Number of names that the plan does not know.
    pub(super) unknown: u32,
    /// Number of these that similarity does not look at.
    pub(super) unscored: u32,
    /// The last pass with a record of this shape, the number of records in it, and whether similarity may look at them.
    pub(super) pass: u64,
    pub(super) records: u32,
    pub(super) is_scored: bool,
}

/// How much of the limits a body has spent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    /// Names in distinct shapes.
    pub(super) names: u32,
    /// The effort for distinct shapes.
    pub(super) effort: u32,
    /// Names in distinct shapes that the plan does not know.
    pub(super) unknown: u32,
    /// Unknown names of all records that were not examined.
    pub(super) unscored: u32,
}

impl Spent {
    /// Whether a limit is crossed.
    pub(super) fn is_beyond(&self, plan: &Plan) -> bool {
        let most = plan.spec().similarity.map_or(0, |settings| settings.max_unknown);
        self.names > MAX_NAMES_PER_BODY || self.effort > MAX_EFFORT_PER_BODY || self.unknown > most
    }
}

impl Learned {
    /// Creates a memory for a plan in which nothing is learned yet.
    #[inline(never)]
    pub(super) fn new(plan: &Plan, max_shapes: usize, generation: u32) -> Learned {
        let automaton = plan.automaton().clone();
        Learned {
            max_shapes,
            is_full: false,
            read: 0,
            plain: automaton.extent(),
            shapes: Vec::new(),
            sequences: Sequences::new(),
            by_hash: Shapes::default(),
            overlays: overlay::Index::new(),
            likely: vec![NONE; automaton.states.len()],
            automaton,
            resolutions: Vec::new(),
            outermost: None,
            text: 0,
            survey: Survey::default(),
            scratch: similarity::Scratch::default(),
            alignments: Vec::new(),
            news: News::default(),
            before: Spent::default(),
            spent: Spent::default(),
            effort: 0,
            pass: 0,
            seen: Shapes::default(),
            entered: Vec::new(),
            moves: false,
            used: Vec::new(),
            used_before: Vec::new(),
            used_by: None,
            last_use: Vec::new(),
            bodies: 0,
            generation,
        }
    }

    /// Finds the state in which a record must be walked.
    pub(super) fn settle_one(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance) {
        let by_hash = || self.find(body, instance, instance.shape, None).unwrap_or(NONE);
        let known = if instance.is_sure { instance.taken_for } else { by_hash() };
        let (known, inside) = self.find_by_elements(plan, body, instance, known);
        let id = if self.is_new(known) { self.enter(plan, body, instance, known, inside) } else { known };
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

    /// Whether this pass has had no record of a shape yet.
    fn is_new(&self, shape: Id) -> bool {
        self.shapes.get(shape as usize).is_none_or(|shape| shape.pass != self.pass)
    }

    /// Handles the first record of a shape in this pass. Returns the shape, which may be new; [`NONE`] if it is not
    /// worth remembering.
    fn enter(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance, known: Id, inside: Inside) -> Id {
        if instance.names > MAX_MEMBERS as u32 {
            return NONE;
        }
        let was_seen = !self.seen.is_empty() && {
            let seal = self.shapes.get(known as usize).map(|shape| shape.seal);
            let seal = seal.unwrap_or_else(|| {
                let record = self.sequences.seal(body, instance.token, plan.automaton(), instance.state);
                sealed(record, inside.seal)
            });
            self.seen.find((instance.state, seal), |_| Ordering::Equal).is_ok()
        };
        let is_scored = was_seen || self.spend(plan, instance, inside);
        let id = if known == NONE && is_scored { self.learn(plan, body, instance) } else { known };
        if let Some(shape) = self.shapes.get_mut(id as usize) {
            *shape = Shape { pass: self.pass, records: 0, is_scored, ..*shape };
            if is_scored {
                self.effort = self.effort.saturating_add(shape.effort);
            }
            if is_scored && !was_seen {
                self.spent.effort = self.spent.effort.saturating_add(shape.effort);
                self.entered.push((instance.state, shape.seal));
            }
        }
        id
    }

    /// Counts a record of another shape. Returns whether it is within the limits. If one is not, no later one is.
    fn spend(&mut self, plan: &Plan, instance: &Instance, inside: Inside) -> bool {
        let most = plan.spec().similarity.map_or(0, |settings| settings.most_of_record());
        self.spent.names = self.spent.names.saturating_add(instance.names).saturating_add(inside.names);
        self.spent.unknown = self.spent.unknown.saturating_add(instance.unknown.min(most));
        !self.spent.is_beyond(plan)
    }

    /// Returns a remembered shape with this hash that a record has, or where it is to be inserted. `elements`: what is
    /// in its arrays, if that matters.
    fn find(&self, body: &Body<'_>, instance: &Instance, hash: u64, elements: Option<u64>) -> Result<Id, usize> {
        self.by_hash.find((instance.state, hash), |id| {
            let Some(shape) = self.shapes.get(id as usize) else { return Ordering::Less };
            let own = elements.unwrap_or(shape.elements);
            self.sequences.compare(shape.first, body, instance.token).then_with(|| shape.elements.cmp(&own))
        })
    }

    /// Returns the shape of a record among those that equal `known` except for what is in arrays, and that.
    fn find_by_elements(&mut self, plan: &Plan, body: &Body<'_>, instance: &mut Instance, known: Id) -> (Id, Inside) {
        let Some(shape) = self.shapes.get(known as usize).copied() else {
            // Beyond the limits no shape is looked at, unless an earlier part had it.
            let is_small = instance.names <= MAX_MEMBERS as u32;
            let is_needed = is_small && (!self.spent.is_beyond(plan) || !self.seen.is_empty());
            let inside = if is_needed { self.look_inside(plan, body, instance) } else { Inside::default() };
            instance.shape ^= inside.seal;
            return (NONE, inside);
        };
        let Shape { hash, looks_inside, names, unknown, elements: seal, .. } = shape;
        let inside = if looks_inside { self.look_inside(plan, body, instance) } else { Inside { seal, names: 0 } };
        *instance = Instance { shape: hash ^ inside.seal, names, unknown, ..*instance };
        let found = if looks_inside { self.find(body, instance, hash, Some(inside.seal)) } else { Ok(known) };
        (found.unwrap_or(NONE), inside)
    }

    /// Looks at what is in the arrays of a record, if it matters.
    fn look_inside(&mut self, plan: &Plan, body: &Body<'_>, instance: &Instance) -> Inside {
        let index = plan.automaton().state(instance.state).record;
        let Some(record) = plan.records().get(index as usize).filter(|record| record.model.has_records()) else {
            return Inside::default();
        };
        let is_taken = self.survey.take(body, instance.token, plan, instance.state, record);
        let seal = if is_taken { self.survey.seal_of_elements() } else { UNSEALED };
        Inside { seal, names: self.survey.names_in_elements() }
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
        let names = instance.names.saturating_add(self.survey.names_in_elements());
        let mut effort = names.saturating_add(self.scratch.effort()).saturating_add(EFFORT_OF_SHAPE);
        let mut over = instance.state;
        if !self.alignments.is_empty() {
            over = self.overlay(plan, instance.state, record);
            effort = effort.saturating_add(record.model.fields().len() as u32 / FIELDS_OF_EFFORT);
        }
        let looks_inside = record.model.has_records() && self.survey.may_rename_arrays(record);
        let elements = self.survey.seal_of_elements();
        let traced = self.sequences.trace(body, instance.token, &self.automaton, over);
        let is_same = traced.shape ^ elements == instance.shape;
        debug_assert!(is_same, "a shape that is told in two ways");
        let place = self.find(body, instance, traced.shape, Some(elements));
        let (true, Err(place)) = (is_same, place) else { return NONE };
        let unknown = self.survey.rows.iter().filter(|row| row.standing == Standing::Unknown).count() as u32;
        let id = self.shapes.len() as Id;
        self.news.count = self.news.count.saturating_add(1);
        self.shapes.push(Shape {
            hash: traced.shape,
            looks_inside,
            elements,
            seal: sealed(traced.seal, elements),
            over,
            first: traced.first,
            names: instance.names,
            effort,
            unknown: instance.unknown,
            unscored: unknown.saturating_sub(settings.most_of_record()),
            pass: 0,
            records: 0,
            is_scored: true,
        });
        self.by_hash.insert(place, (instance.state, traced.shape), id);
        let are_many = self.shapes.len() > self.max_shapes || self.sequences.items.len() > MAX_ITEMS;
        self.is_full = are_many || self.memory() > MAX_MEMORY;
        id
    }

    /// Returns the state for records with the alignments of the last one.
    fn overlay(&mut self, plan: &Plan, state: Id, record: &Record) -> Id {
        let first = self.resolutions.len() as u32;
        let into = (&mut self.automaton, &mut self.overlays);
        let seen = Seen { plan, state, record, survey: &self.survey };
        let (over, added) = overlay::add(into, seen, &self.alignments, first);
        if let Some(Added { resolutions, text }) = added {
            self.resolutions.extend(resolutions);
            self.text = self.text.saturating_add(text);
        }
        over
    }

    /// Returns the index of the resolution for a list that a body consists of.
    pub(super) fn outermost(&mut self, found: &outermost::Found<'_>) -> u32 {
        let made = Resolution::of_body(&found.from, found.to, found.parts);
        let known = self.outermost.filter(|id| self.resolutions.get(*id as usize) == Some(&made));
        known.unwrap_or_else(|| {
            let id = self.resolutions.len() as u32;
            self.text = self.text.saturating_add(made.text());
            self.resolutions.push(made);
            self.outermost = Some(id);
            self.is_full |= self.memory() > MAX_MEMORY;
            id
        })
    }

    /// Returns the size in memory of all that was learned, in bytes.
    pub(super) fn memory(&self) -> usize {
        let lists = [
            self.automaton.memory_since(&self.plain),
            self.sequences.memory(),
            self.shapes.len().saturating_mul(size_of::<Shape>().saturating_add(size_of::<(Id, u64, Id)>())),
            self.resolutions.len().saturating_mul(size_of::<Resolution>().saturating_add(size_of::<u64>())),
            self.text,
        ];
        lists.into_iter().fold(0, usize::saturating_add)
    }

    /// Whether too much has been remembered for so long that all should be forgotten before a body of so many bytes.
    pub(super) fn is_overdue(&mut self, bytes: usize) -> bool {
        if !self.is_full {
            return false;
        }
        self.read = self.read.saturating_add(bytes);
        let most = self.max_shapes.saturating_mul(MOST_TIMES_SHAPES);
        self.read > PATIENCE || self.shapes.len() > most || self.memory() > MOST_MEMORY
    }

    pub(super) fn forget(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        self.is_full = false;
        self.read = 0;
        self.text = 0;
        self.automaton.truncate(&self.plain);
        self.shapes.clear();
        self.sequences.clear();
        self.by_hash.clear();
        self.overlays.clear();
        self.resolutions.clear();
        self.outermost = None;
        self.last_use.clear();
        self.used_before.clear();
        self.used_by = None;
        self.likely.fill(NONE);
    }
}

/// Returns the seal of a record: of its members, and of what is in its arrays.
fn sealed(mut record: DefaultHasher, elements: u64) -> u64 {
    record.write_u64(elements);
    record.finish()
}

pub(super) fn align(
    record: &Record,
    survey: &Survey,
    settings: &Settings,
    scratch: &mut similarity::Scratch,
    into: &mut Vec<Alignment>,
) {
    record.model.align(&survey.found(), settings, scratch, into);
    // If two members have one name, parsers disagree on which one counts.
    let alone = |row: Id| survey.rows.get(row as usize).is_some_and(|row| !row.twice);
    let is_near =
        |row: Id| survey.upwards(row).fold(0, |sum: usize, row| sum.saturating_add(survey.name(row).len())) <= MAX_NAME;
    into.retain(|alignment| survey.upwards(alignment.found).all(alone) && is_near(alignment.found));
}
