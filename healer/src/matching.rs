//! Where in a body each expected field is: the correspondence of contract and body, leaf by leaf, for people and tools.

use crate::body_path::{Places, Segment, show};
use crate::memo::{Instance, Memo};
use crate::outermost;
use crate::plan::Plan;
use crate::plan::automaton::{Id, NONE};
use crate::plan::guard::Guard;
use crate::plan::overlay::Seen;
use crate::plan::record::Record;
use crate::plan::spec::Kind;
use crate::similarity::compare::compare_in;
use crate::similarity::{Alignment, Comparison, Parts, Profile, Standing, rooted};
use crate::survey::Survey;
use crate::walk::Body;
use nomos_rules::path::Step;
use std::collections::{BTreeMap, BTreeSet};

/// The correspondence of a contract and a body. Paths are dotted, with `[]` for each element of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// Expected fields that stand elsewhere or under another name.
    pub matches: Vec<Match>,
    /// Expected fields that stand nowhere, or are required and are missing from some objects.
    pub missing: Vec<Missing>,
    /// Fields of the body that correspond to no expected field.
    pub unknown: Vec<String>,
}

/// An expected field that stands elsewhere or under another name.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Where clients expect it.
    pub expected: String,
    /// Where it is.
    pub found: String,
    /// How sure that is, from 0 to 1. Rules have 1.
    pub score: f32,
    /// Whether a rule or similarity matched it.
    pub by: By,
    /// What the score is made of. All zero for rules, and for profiles without such parts.
    pub parts: Parts,
    /// What the score is made of with the reference profile.
    pub figures: Option<Comparison>,
}

/// What matched a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A rule, pack or case convention.
    Rule,
    /// Similarity.
    Similarity,
}

/// An expected field that stands nowhere, or is required and missing from one of the objects that should have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Where clients expect it.
    pub path: String,
    /// Whether an object that is there must have it.
    pub required: bool,
}

/// Why a member is taken for a field.
#[derive(Clone, Copy, Debug)]
struct Reason {
    score: f32,
    by: By,
    parts: Parts,
    figures: Option<Comparison>,
}

impl Reason {
    const RULE: Reason = Reason { score: 1.0, by: By::Rule, parts: Parts::NONE, figures: None };

    /// Returns the less sure of two reasons that must both hold.
    fn with(self, other: Reason) -> Reason {
        if other.by == By::Similarity && (self.by == By::Rule || other.score < self.score) { other } else { self }
    }
}

/// Matches the records that a walk came across. `list`: what was walked, if that was only the list that the body
/// consists of.
pub(crate) fn matching(
    plan: &Plan,
    body: &Body<'_>,
    list: Option<&outermost::Found<'_>>,
    memo: &mut Memo,
    instances: &[Instance],
) -> Matching {
    let walked = list.map_or(body, |list| &list.part);
    let mut matcher = Matcher::new(plan, walked, Places::new(body.bytes, body.tokens));
    if let Some(list) = list {
        matcher.moved(list);
    }
    for instance in instances {
        matcher.instance(memo, instance);
    }
    matcher.finish()
}

/// Whether the value passes its guard.
fn admits(body: &Body<'_>, survey: &Survey, record: &Record, alignment: &Alignment) -> bool {
    let mut text = Vec::new();
    let guard = Guard::of(record, alignment.expected, survey.name(alignment.found), &mut text);
    let value = survey.rows.get(alignment.found as usize).map_or((0, 0), |row| row.value);
    guard.admits(&text, body.span(value))
}

struct Matcher<'a> {
    plan: &'a Plan,
    body: &'a Body<'a>,
    /// Records come in the order of their positions.
    places: Places<'a>,
    survey: Survey,
    alignments: Vec<Alignment>,
    out: Matching,
    known: BTreeSet<(String, String)>,
    unknown: BTreeSet<String>,
    /// Fields that a record lacks, by path, and whether a record that lacks one must have it.
    lacking: BTreeMap<String, bool>,
    order: Vec<String>,
    /// Fields that some record has.
    present: BTreeSet<String>,
    /// Arrays that stand elsewhere: the path where each is found, and why it was matched.
    arrays: BTreeMap<String, Reason>,
    /// Combinations of place, record and shape that have been looked at.
    seen: BTreeSet<(String, Id, u64)>,
    records_met: BTreeSet<Id>,
}

impl<'a> Matcher<'a> {
    fn new(plan: &'a Plan, body: &'a Body<'a>, places: Places<'a>) -> Self {
        Matcher {
            plan,
            body,
            places,
            survey: Survey::default(),
            alignments: Vec::new(),
            out: Matching::default(),
            known: BTreeSet::new(),
            unknown: BTreeSet::new(),
            lacking: BTreeMap::new(),
            order: Vec::new(),
            present: BTreeSet::new(),
            arrays: BTreeMap::new(),
            seen: BTreeSet::new(),
            records_met: BTreeSet::new(),
        }
    }

    /// Notes that the body consists of the expected list at another place.
    fn moved(&mut self, list: &outermost::Found<'_>) {
        let path: Vec<Segment> = list.from.iter().cloned().map(Segment::Name).collect();
        let (score, by) = (rooted::WORTH, By::Similarity);
        self.arrays.insert(show(&path), Reason { score, by, parts: list.parts, figures: None });
        // The record around the expected list lacks nothing.
        let is_around = |record: &Record| record.path.is_empty();
        self.records_met
            .extend((0..).zip(self.plan.records()).filter(|(_, record)| is_around(record)).map(|(at, _)| at));
    }

    fn instance(&mut self, memo: &mut Memo, instance: &Instance) {
        let index = self.plan.automaton().state(instance.state).record;
        let Some(record) = self.plan.records().get(index as usize) else { return };
        self.records_met.insert(index);
        let at = self.body.tokens.get(instance.token as usize).copied().unwrap_or(0);
        let place = each(self.places.path_to(at));
        if !self.seen.insert((show(&place), index, instance.shape)) {
            return;
        }
        let looked = self.survey.take(self.body, instance.token, self.plan, instance.state, record);
        self.alignments.clear();
        if looked && instance.is_scored {
            let Matcher { plan, survey, alignments, body, .. } = self;
            memo.align(Seen { plan, state: instance.state, record, survey }, alignments);
            alignments.retain(|alignment| admits(body, survey, record, alignment));
        }
        self.record(record, &place, looked);
    }

    /// `whole`: whether all members were surveyed; otherwise nothing is known to be missing.
    fn record(&mut self, record: &Record, place: &[Segment], whole: bool) {
        let prefix: Vec<Segment> = record.path.iter().map(segment).collect();
        let around = self.around(&prefix, place);
        let reasons = self.reasons(record);
        let mut rows: BTreeMap<Id, Id> = BTreeMap::new();
        for (row, reason) in (0..).zip(&reasons) {
            if let Some((field, _)) = reason {
                rows.entry(*field).or_insert(row);
            }
        }
        let objects = self.objects(record, &rows);
        let stands = |object: Id| object == NONE || objects.contains(&object);
        for (field, expected) in (0..).zip(record.model.fields()) {
            let path = Self::expected_path(record, &prefix, field);
            let Some(row) = rows.get(&field) else {
                let required = expected.required && stands(expected.parent) && !stands(field);
                if whole && (required || !expected.is_object) {
                    self.lacks(&path, required);
                }
                continue;
            };
            self.present.insert(path.clone());
            let found = self.found_path(place, *row);
            if found != path && !expected.is_object {
                let own = self.chain(*row, &reasons);
                let reason = around.map_or(own, |around| around.with(own));
                if expected.is_records {
                    self.arrays.insert(found, reason);
                } else if self.known.insert((path.clone(), found.clone())) {
                    let Reason { score, by, parts, figures } = reason;
                    self.out.matches.push(Match { expected: path, found, score, by, parts, figures });
                }
            }
        }
        self.note_unknown(place, &reasons);
    }

    /// Returns the fields that are objects and present: they stand, or are made for what is moved into them.
    fn objects(&self, record: &Record, rows: &BTreeMap<Id, Id>) -> BTreeSet<Id> {
        let is_object = |row: Id| self.survey.rows.get(row as usize).is_some_and(|row| row.kind == Kind::Object);
        let mut objects = BTreeSet::new();
        for (field, row) in rows {
            let path = record.path_to(*field);
            objects.extend(path.into_iter().filter(|object| object != field || is_object(*row)));
        }
        objects
    }

    /// Returns why the record was matched, if it stands elsewhere than expected.
    fn around(&self, prefix: &[Segment], place: &[Segment]) -> Option<Reason> {
        let array = |path: &[Segment]| show(path.get(..path.len().saturating_sub(1)).unwrap_or_default());
        let found = array(place);
        (array(prefix) != found).then(|| self.arrays.get(&found).copied().unwrap_or(Reason::RULE))
    }

    /// Returns, for each row, the field that it is and why.
    fn reasons(&self, record: &Record) -> Vec<Option<(Id, Reason)>> {
        let fields = self.survey.counterparts(record, &self.alignments);
        let known = |field: Id| (field != NONE).then_some((field, Reason::RULE));
        let mut reasons: Vec<_> = fields.into_iter().map(known).collect();
        for alignment in &self.alignments {
            let Alignment { score, parts, .. } = *alignment;
            if let Some(place) = reasons.get_mut(alignment.found as usize) {
                let figures = self.figures(record, alignment);
                *place = Some((alignment.expected, Reason { score, by: By::Similarity, parts, figures }));
            }
        }
        reasons
    }

    fn figures(&self, record: &Record, alignment: &Alignment) -> Option<Comparison> {
        self.plan.spec().similarity.filter(|settings| settings.profile == Profile::Reference)?;
        let expected = record.model.fields().get(alignment.expected as usize)?;
        Some(compare_in(&record.model.vocabulary, &expected.name, self.survey.name(alignment.found)))
    }

    /// Returns the reason of a member together with those of the objects around it.
    fn chain(&self, row: Id, reasons: &[Option<(Id, Reason)>]) -> Reason {
        let of = |row: &Id| reasons.get(*row as usize).copied().flatten().map(|(_, reason)| reason);
        self.survey.path_to(row).iter().filter_map(of).fold(Reason::RULE, Reason::with)
    }

    fn expected_path(record: &Record, prefix: &[Segment], field: Id) -> String {
        let name = |id: &Id| record.model.fields().get(*id as usize).map(|field| Segment::Name(field.name.clone()));
        let path: Vec<Segment> = prefix.iter().cloned().chain(record.path_to(field).iter().filter_map(name)).collect();
        show(&path)
    }

    fn found_path(&self, place: &[Segment], row: Id) -> String {
        let name = |row: &Id| Segment::Name(self.survey.name(*row).to_owned());
        let path: Vec<Segment> = place.iter().cloned().chain(self.survey.path_to(row).iter().map(name)).collect();
        show(&path)
    }

    fn lacks(&mut self, path: &str, required: bool) {
        if let Some(known) = self.lacking.get_mut(path) {
            *known |= required;
        } else {
            self.lacking.insert(path.to_owned(), required);
            self.order.push(path.to_owned());
        }
    }

    fn note_unknown(&mut self, place: &[Segment], reasons: &[Option<(Id, Reason)>]) {
        let parents: BTreeSet<Id> = self.survey.rows.iter().map(|row| row.parent).collect();
        for (row, reason) in (0..).zip(reasons) {
            let is_unknown = self.survey.rows.get(row as usize).is_some_and(|row| row.standing == Standing::Unknown);
            if is_unknown && reason.is_none() && !parents.contains(&row) {
                let path = self.found_path(place, row);
                if self.unknown.insert(path.clone()) {
                    self.out.unknown.push(path);
                }
            }
        }
    }

    fn finish(mut self) -> Matching {
        let begins = |start: &[u8]| {
            let bytes = self.body.tokens.iter().map(|at| self.body.bytes.get(*at as usize).copied().unwrap_or(0));
            bytes.take(start.len()).eq(start.iter().copied())
        };
        let (is_list, is_empty_list) = (begins(b"["), begins(b"[]"));
        for (index, record) in (0..).zip(self.plan.records()) {
            let is_outermost = record.path.iter().all(|step| *step == Step::Each);
            // An expected list that is empty lacks nothing, and elements that are not objects cannot lack a field.
            let is_there = is_list && !record.path.is_empty();
            if is_outermost && !self.records_met.contains(&index) && !(is_there && is_empty_list) {
                let prefix: Vec<Segment> = record.path.iter().map(segment).collect();
                for (field, expected) in (0..).zip(record.model.fields()) {
                    let required = expected.required && expected.parent == NONE && !is_there;
                    if required || !expected.is_object {
                        self.lacks(&Self::expected_path(record, &prefix, field), required);
                    }
                }
            }
        }
        let Matcher { mut out, lacking, order, present, .. } = self;
        let missing = order.into_iter().map(|path| Missing { required: lacking.get(&path) == Some(&true), path });
        out.missing = missing.filter(|missing| missing.required || !present.contains(&missing.path)).collect();
        out
    }
}

/// Returns a path with the numbers of its elements left out.
fn each(path: &[Segment]) -> Vec<Segment> {
    let each = |segment: &Segment| if let Segment::Element(_) = segment { Segment::Each } else { segment.clone() };
    path.iter().map(each).collect()
}

fn segment(step: &Step) -> Segment {
    match step {
        Step::Name(name) => Segment::Name(name.clone()),
        Step::Each => Segment::Each,
    }
}
