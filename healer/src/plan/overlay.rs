//! States of the automaton for one shape of record: what the plan knows of it, and what similarity found in addition.
//!
//! They extend the plan's own states and apply to records of exactly that shape. So no conflict can arise that the
//! decision did not see: the names that are renamed occur once, and the places that values move to are free.

use super::Plan;
use super::automaton::{
    Action, Automaton, INERT, Id, Move, MoveKind, NONE, Rename, RuleRef, SourceEnd, Span, State, TargetName, TargetStep,
};
use super::guard::Guard;
use super::record::Record;
use super::resolution::Resolution;
use super::spec::Kind;
use crate::similarity::{Alignment, Parts, Standing};
use crate::survey::{Row, Survey};
use crate::text::quote;

/// Bytes that a member and its resolution usually take in a signature.
const USUAL_SIGNATURE: usize = 128;

/// Bytes that can be read from the start of a name on, so that names up to this length are written in vectors: see
/// [`crate::render`].
const READ_AT_ONCE: usize = 32;

/// Below every declared rule.
const RANK: u16 = u16::MAX;

/// Stands for more than one row.
const SEVERAL: Id = NONE - 1;

/// What is to be done at a member.
#[derive(Clone, Debug, Default)]
struct Touch {
    /// The field that the member is renamed to, and the index of the resolution.
    rename: Option<(Id, u32)>,
    /// The move that starts at it, and its depth below the object that the move starts in.
    source: Option<(Id, u32)>,
    /// Whether a source path goes through it.
    passes: bool,
    /// Steps of target paths that go through it, and its depth below the objects that the moves start in.
    targets: Vec<(Id, u32)>,
    /// Whether moves start in it.
    anchors: bool,
    /// The plan's state of its value.
    value: Id,
}

/// The states of records, by all that overlays are made of. Most shapes of one kind of record differ in things that do
/// not concern similarity, such as which values are `null`. They share their states, so that a record that was taken
/// for one of another shape need not be walked again. A sorted list: learning a record takes longer than inserting
/// among thousands, and a map type adds 3 KB to the module.
pub(crate) type Index = Vec<(Vec<u8>, Id)>;

/// What is added with the states of a record.
#[derive(Debug)]
pub(crate) struct Added {
    pub resolutions: Vec<Resolution>,
    /// Bytes of their texts and of the signature.
    pub text: usize,
}

/// A record of a body.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub plan: &'a Plan,
    /// The plan's own state of it.
    pub state: Id,
    pub record: &'a Record,
    /// What stands in it.
    pub survey: &'a Survey,
}

/// Adds the states for records of the shape that was seen with these alignments, unless they are known. Returns the
/// state of the record and what was added. Resolutions are numbered from `first` on.
pub(crate) fn add(
    (automaton, known): (&mut Automaton, &mut Index),
    seen: Seen<'_>,
    alignments: &[Alignment],
    first: u32,
) -> (Id, Option<Added>) {
    let before = automaton.extent();
    let mut overlay = Overlay::new(automaton, seen, alignments, first);
    overlay.take_all(alignments);
    overlay.note_values();
    let signature = overlay.signature();
    let place = known.partition_point(|(before, _)| *before < signature);
    if let Some((_, state)) = known.get(place).filter(|(same, _)| *same == signature) {
        automaton.truncate(&before);
        return (*state, None);
    }
    let made = overlay.states();
    let resolutions = overlay.resolutions;
    let text = resolutions.iter().map(Resolution::text).fold(signature.len(), usize::saturating_add);
    known.insert(place, (signature, made));
    (made, Some(Added { resolutions, text }))
}

/// Keeps those alignments that are carried out or need nothing done.
pub(crate) fn retain_taken(automaton: &mut Automaton, seen: Seen<'_>, alignments: &mut Vec<Alignment>) {
    let before = automaton.extent();
    let mut overlay = Overlay::new(automaton, seen, alignments, 0);
    overlay.take_all(alignments);
    alignments.retain(|alignment| !overlay.is_kept_out(alignment));
    automaton.truncate(&before);
}

struct Overlay<'a> {
    automaton: &'a mut Automaton,
    plan: &'a Plan,
    /// The plan's own state of the record.
    state: Id,
    record: &'a Record,
    survey: &'a Survey,
    /// Sorted by row. Rows are in pre-order, so what is inside an object comes after it. All objects around a row that
    /// is here are here too.
    touched: Vec<(Id, Touch)>,
    /// For each row, the field that it is; [`NONE`] if it is none.
    counterpart: Vec<Id>,
    /// For each field, the row that is it, has its name, or gets its name by a rule; [`SEVERAL`] if there are more.
    places: Vec<Id>,
    /// Members that declared rules may rename: the object around each, its row, and the new name in quotes.
    claims: Vec<(Id, Id, Span)>,
    resolutions: Vec<Resolution>,
    /// The number of the first of these.
    first: u32,
    /// Alignments that are not carried out. Then neither is any inside their members, or into their fields.
    left: Vec<Alignment>,
}

impl<'a> Overlay<'a> {
    fn new(automaton: &'a mut Automaton, seen: Seen<'a>, alignments: &[Alignment], first: u32) -> Self {
        let Seen { plan, state, record, survey } = seen;
        let mut overlay = Overlay {
            automaton,
            plan,
            state,
            record,
            survey,
            touched: Vec::new(),
            counterpart: survey.counterparts(record, alignments),
            places: Vec::new(),
            claims: Vec::new(),
            resolutions: Vec::new(),
            first,
            left: Vec::new(),
        };
        overlay.leave_sources();
        overlay.note_places();
        overlay.note_claims();
        overlay
    }

    /// Returns the field that the object around a row is; `None` if the contract does not know that object.
    fn around(&self, row: Id) -> Option<Id> {
        let parent = self.survey.rows.get(row as usize)?.parent;
        if parent == NONE {
            return Some(NONE);
        }
        self.counterpart.get(parent as usize).copied().filter(|field| *field != NONE)
    }

    /// Leaves unknown objects to the plan's moves that may take something from them. Under another name such an object
    /// would be read as what it is then, and not as what the moves are about.
    fn leave_sources(&mut self) {
        let automaton = self.plan.automaton();
        let is_open = |row: &Row| row.kind == Kind::Object && row.standing == Standing::Unknown;
        let rows = self.survey.rows.iter().zip(0..).zip(&mut self.counterpart);
        for ((row, id), counterpart) in rows.filter(|((row, _), _)| is_open(row)) {
            let parent = self.survey.rows.get(row.parent as usize);
            let around = automaton.state(parent.map_or(self.state, |parent| parent.state));
            let name = self.survey.name(id).as_bytes();
            let known = automaton.action(around, name);
            if known.is_some_and(|action| action.on_source_path) {
                *counterpart = NONE;
            }
        }
    }

    /// Notes what is to be done for all alignments. One that is left takes along what is inside its member or its field,
    /// whether that comes before it or after it. So everything is noted anew if one more is left; that is rare.
    fn take_all(&mut self, alignments: &[Alignment]) {
        let before = self.automaton.extent();
        loop {
            let known = self.left.len();
            for alignment in alignments {
                if !(self.is_kept_out(alignment) || self.may_take(alignment) && self.carry_out(alignment)) {
                    self.left.push(*alignment);
                }
            }
            if self.left.len() == known {
                return;
            }
            self.automaton.truncate(&before);
            self.touched.clear();
            self.resolutions.clear();
        }
    }

    fn may_take(&self, alignment: &Alignment) -> bool {
        let Alignment { expected: field, found: row, .. } = *alignment;
        if self.counterpart.get(row as usize) != Some(&field) || self.stands(field, row) {
            return false;
        }
        // The plan's moves may take it from where it is expected, or take what is in it.
        let known = if self.plan.automaton().moves.is_empty() { None } else { self.expected_action(row, field) };
        let is_in_place = self.is_in_place(row, field);
        !known.is_some_and(|known| if is_in_place { known.replaces } else { known.on_source_path })
    }

    /// Whether an alignment that is not carried out is of its member or its field, or of something around one of them.
    fn is_kept_out(&self, alignment: &Alignment) -> bool {
        !self.left.is_empty() && {
            let fields = self.record.path_to(alignment.expected);
            let is_around = |left: &Alignment| {
                fields.contains(&left.expected)
                    || self.survey.upwards(alignment.found).any(|around| around == left.found)
            };
            self.left.iter().any(is_around)
        }
    }

    fn carry_out(&mut self, alignment: &Alignment) -> bool {
        let Alignment { expected: field, found: row, .. } = *alignment;
        let from = self.survey.path_to(row);
        let to = self.record.path_to(field);
        let index = self.first.wrapping_add(self.resolutions.len() as u32);
        if self.is_in_place(row, field) {
            if self.survey.name(row) == self.name(field) {
                return true;
            }
            self.rename(&from, field, index);
        } else if !self.mv(&from, &to, index) {
            return false;
        }
        let names = from.iter().map(|row| self.survey.name(*row));
        let to = to.iter().map(|field| self.name(*field));
        self.resolutions.push(Resolution::new(names, to, *alignment));
        true
    }

    /// Whether a member stands in the object in which a field is expected.
    fn is_in_place(&self, row: Id, field: Id) -> bool {
        let expected = self.record.model.fields().get(field as usize);
        expected.is_some_and(|expected| self.around(row) == Some(expected.parent))
    }

    fn note_places(&mut self) {
        self.places.resize(self.record.model.fields().len(), NONE);
        for ((row, known), id) in self.survey.rows.iter().zip(&self.counterpart).zip(0..) {
            for field in [*known, row.standing.field()] {
                if let Some(place) = self.places.get_mut(field as usize) {
                    *place = if *place == NONE || *place == id { id } else { SEVERAL };
                }
            }
        }
    }

    /// Whether another member is the field, has its name, or gets its name by a rule. This includes members inside it,
    /// which may have to stay.
    fn stands(&self, field: Id, row: Id) -> bool {
        let place = self.places.get(field as usize).copied().unwrap_or(NONE);
        place != NONE && place != row || self.is_named(field, row)
    }

    /// Whether another member has the name of a field in an object that becomes the one around the field. If the object
    /// keeps its place, the plan knows that member.
    fn is_named(&self, field: Id, row: Id) -> bool {
        let around = self.record.model.fields().get(field as usize).map_or(NONE, |expected| expected.parent);
        if around == NONE {
            return false;
        }
        let mut objects = self.counterpart.iter().zip(0..).filter(|(known, _)| **known == around);
        objects.any(|(_, object)| self.has_member(object, self.name(field), row))
    }

    /// Whether an object has a member of this name other than `row`.
    #[inline(never)]
    fn has_member(&self, object: Id, name: &str, row: Id) -> bool {
        let mut rows = self.survey.rows.iter().zip(0..);
        rows.any(|(other, id)| other.parent == object && id != row && self.survey.name(id) == name)
    }

    fn note_values(&mut self) {
        let mut touched = std::mem::take(&mut self.touched);
        for (row, touch) in &mut touched {
            touch.value = self.value_state(*row);
        }
        self.touched = touched;
    }

    /// Returns all that the states are made of: the resolutions with their scores, and the members concerned with the
    /// states of their values.
    fn signature(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.touched.len().saturating_mul(USUAL_SIGNATURE));
        out.extend(self.state.to_le_bytes());
        let name = |out: &mut Vec<u8>, name: &str| {
            out.extend((name.len() as u32).to_le_bytes());
            out.extend(name.as_bytes());
        };
        for Resolution { from, to, alignment, .. } in &self.resolutions {
            let Parts { synonym, tokens, path, kind, siblings, rival, described } = alignment.parts;
            let figures = [alignment.score, synonym, tokens, path, kind, siblings, rival, described];
            out.extend(figures.iter().flat_map(|figure| figure.to_bits().to_le_bytes()));
            name(&mut out, from);
            name(&mut out, to);
        }
        for (row, touch) in &self.touched {
            let rename = touch.rename.map_or(NONE, |(_, index)| index.wrapping_sub(self.first));
            let source = touch.source.map_or(0, |(_, depth)| depth);
            let flags = u32::from(touch.passes) | u32::from(touch.anchors) << 1;
            let words = [source, rename, flags, touch.value, touch.targets.len() as u32];
            let depths = touch.targets.iter().map(|(_, depth)| *depth);
            out.extend(words.into_iter().chain(depths).flat_map(u32::to_le_bytes));
            self.survey.upwards(*row).for_each(|row| name(&mut out, self.survey.name(row)));
        }
        out
    }

    fn name(&self, field: Id) -> &'a str {
        self.record.model.fields().get(field as usize).map_or("", |field| &field.name)
    }

    /// Returns what is to be done at a row.
    fn touch(&mut self, row: Id) -> Option<&mut Touch> {
        let at = self.touched.partition_point(|(known, _)| *known < row);
        if self.touched.get(at).is_none_or(|(known, _)| *known != row) {
            self.touched.insert(at, (row, Touch::default()));
        }
        self.touched.get_mut(at).map(|(_, touch)| touch)
    }

    fn rename(&mut self, from: &[Id], field: Id, index: u32) {
        for row in from {
            self.touch(*row);
        }
        if let Some(touch) = from.last().and_then(|row| self.touch(*row)) {
            touch.rename = Some((field, index));
        }
    }

    /// Whether the move can be carried out: within the record, or else within the innermost object around the member
    /// that is also around the field, wherever that object goes.
    fn mv(&mut self, from: &[Id], to: &[Id], index: u32) -> bool {
        self.mv_in(NONE, from, to, index)
            || self.innermost(from, to).is_some_and(|(row, inside, down)| {
                let (around, from) = from.split_at_checked(inside).unwrap_or_default();
                let moves = self.mv_in(row, from, to.get(down..).unwrap_or_default(), index);
                if moves {
                    for row in around {
                        self.touch(*row);
                    }
                    if let Some(touch) = self.touch(row) {
                        touch.anchors = true;
                    }
                }
                moves
            })
    }

    /// Returns the innermost object around the source that is also around the target, and the number of steps of both
    /// paths that lead there.
    fn innermost(&self, from: &[Id], to: &[Id]) -> Option<(Id, usize, usize)> {
        let above = to.get(..to.len().saturating_sub(1)).unwrap_or_default();
        (1..from.len()).rev().find_map(|inside| {
            let row = *from.get(inside.wrapping_sub(1))?;
            let field = self.counterpart.get(row as usize).filter(|field| **field != NONE)?;
            let down = above.iter().position(|known| known == field)?;
            Some((row, inside, down.saturating_add(1)))
        })
    }

    /// Whether the move can be carried out within an object, or the record ([`NONE`]), from which both paths start.
    fn mv_in(&mut self, object: Id, from: &[Id], to: &[Id], index: u32) -> bool {
        let Some(standing) = self.standing_on(object, to) else { return false };
        let nested = |outer: &[Id], inner: &[Id]| inner.len() >= outer.len() && inner.get(..outer.len()) == Some(outer);
        let wraps = from == standing && from.last().is_some_and(|row| self.is_in_the_way(*row));
        if nested(from, &standing) && !wraps || self.is_claimed(object, to, &standing) {
            return false;
        }
        let last = |ids: &[Id]| ids.last().copied().unwrap_or(NONE);
        let path = self.steps(to);
        let guard = self.guard(last(from), last(to));
        let (id, depth) = (self.automaton.moves.len() as Id, from.len() as u32);
        self.automaton.moves.push(Move {
            rule: index,
            by: RuleRef::Similar(index),
            rank: RANK,
            kind: if wraps { MoveKind::Wrap } else { MoveKind::Plain },
            path: path.clone(),
            depth,
            guard,
        });
        for row in from {
            let Some(touch) = self.touch(*row) else { continue };
            if *row == last(from) {
                touch.source = Some((id, depth));
            } else {
                touch.passes = true;
            }
        }
        for (row, target) in standing.iter().zip(path.into_iter().zip(1u32..)) {
            let Some(touch) = self.touch(*row) else { continue };
            if !touch.targets.contains(&target) {
                touch.targets.push(target);
            }
        }
        true
    }

    /// Returns the rows that stand on a target path, above its end, down to one that is in the way. `None` if one of
    /// them is not in its place.
    fn standing_on(&self, object: Id, to: &[Id]) -> Option<Vec<Id>> {
        let above = to.get(..to.len().saturating_sub(1)).unwrap_or_default();
        let mut rows: Vec<Id> = Vec::new();
        for field in above {
            let is_there = |row: &Row| row.standing == Standing::Expected(*field);
            let known = self.counterpart.iter().position(|known| known == field);
            let around = rows.last().copied().unwrap_or(object);
            let Some(row) = known.or_else(|| self.survey.rows.iter().position(is_there)) else {
                // Nothing stands here, so nothing can stand below, unless a member of this name was taken for another
                // field, or an object moves to a place below.
                let moves_in = above.iter().skip(rows.len()).any(|field| self.counterpart.contains(field));
                return (!moves_in && !self.has_member(around, self.name(*field), NONE)).then_some(rows);
            };
            let row = row as Id;
            if self.survey.parent(row) != around || self.is_ruled(row) {
                return None;
            }
            rows.push(row);
        }
        Some(rows)
    }

    /// Whether a value that stands in the place of an expected object is to be moved, into that object or elsewhere. As
    /// long as it stays, nothing goes into that object.
    fn is_in_the_way(&self, row: Id) -> bool {
        let standing = self.survey.rows.get(row as usize).map(|row| row.standing);
        let known = self.counterpart.get(row as usize);
        matches!(standing, Some(Standing::Expected(field)) if known != Some(&field))
    }

    /// Notes what declared rules may rename. The counterparts do not tell this: in an object that similarity renames,
    /// the rules are those of what it becomes; and where a move does not fire, a rename may.
    fn note_claims(&mut self) {
        let automaton = self.plan.automaton();
        if automaton.renames.is_empty() {
            return;
        }
        let renamed = |(row, id): (&Row, Id)| {
            let (state, name) = (automaton.state(self.state_around(id)), self.survey.name(id).as_bytes());
            let known = automaton.action(state, name).copied();
            let action = known.unwrap_or_else(|| self.conventional(state, name));
            automaton.renames.get(action.rename as usize).map(|rename| (row.parent, id, rename.text))
        };
        self.claims = self.survey.rows.iter().zip(0..).filter_map(renamed).collect();
    }

    /// Whether a rule may give the name of one of the steps of a target path to a member other than those that stand on
    /// the path.
    fn is_claimed(&self, object: Id, to: &[Id], standing: &[Id]) -> bool {
        let objects = std::iter::once(object).chain(standing.iter().copied());
        let stand = standing.iter().copied().chain([NONE]);
        to.iter().zip(objects).zip(stand).any(|((field, object), row)| {
            let mut quoted = Vec::new();
            quote(self.name(*field), &mut quoted);
            let mut others = self.claims.iter().filter(|(parent, id, _)| *parent == object && *id != row);
            others.any(|(_, _, text)| self.plan.automaton().text(*text) == quoted)
        })
    }

    /// Whether a declared rule moves or renames a row. If so, similarity must not decide where it ends up.
    fn is_ruled(&self, row: Id) -> bool {
        self.survey.rows.get(row as usize).is_some_and(|row| matches!(row.standing, Standing::Ruled(_)))
    }

    /// Returns the steps of a target path, and adds those that the plan lacks.
    fn steps(&mut self, to: &[Id]) -> Vec<Id> {
        let mut parent = NONE;
        let mut path = Vec::new();
        for field in to {
            let text = self.text(self.name(*field));
            let words = self.automaton.text(text).to_vec();
            let same = |step: &TargetName| step.parent == parent && self.automaton.text(step.text) == words;
            let known = self.automaton.steps.iter().position(same);
            let step = known.map_or_else(|| self.automaton.steps.len() as Id, |known| known as Id);
            if known.is_none() {
                self.automaton.steps.push(TargetName { parent, text });
            }
            path.push(step);
            parent = step;
        }
        path
    }

    /// Returns the quoted name: as the plan has it, or appended.
    fn text(&mut self, name: &str) -> Span {
        let start = self.automaton.text.len();
        quote(name, &mut self.automaton.text);
        let end = self.automaton.text.len();
        let quoted = (start as u32, end as u32);
        let is_known = |step: &&TargetName| self.automaton.text(step.text) == self.automaton.text(quoted);
        if let Some(known) = self.automaton.steps.iter().find(is_known).map(|step| step.text) {
            self.automaton.text.truncate(start);
            return known;
        }
        self.automaton.text.resize(end.max(start.saturating_add(READ_AT_ONCE)), 0);
        quoted
    }

    /// Adds the states of all objects in which something is done, from the innermost out. Returns that of the record.
    fn states(&mut self) -> Id {
        // The actions of the object that comes next are always last, because all objects around a touched row are
        // touched.
        let mut inside: Vec<(Id, (Id, Id))> = Vec::new();
        let take = |inside: &mut Vec<(Id, (Id, Id))>, parent: Id| -> Vec<(Id, Id)> {
            let others = inside.iter().rposition(|(of, _)| *of != parent).map_or(0, |last| last.wrapping_add(1));
            inside.split_off(others).into_iter().map(|(_, action)| action).collect()
        };
        let touched = std::mem::take(&mut self.touched);
        let tracked = touched.iter().any(|(_, touch)| touch.source.is_some());
        for (row, touch) in touched.iter().rev() {
            let parent = self.survey.parent(*row);
            let actions = take(&mut inside, *row);
            let is_above = !actions.is_empty() || !touch.targets.is_empty();
            let state = is_above.then(|| self.state_of(touch, &actions));
            let action = self.action(*row, touch, state);
            let id = self.automaton.actions.len() as Id;
            self.automaton.actions.push(action);
            inside.push((parent, (*row, id)));
        }
        let actions = take(&mut inside, NONE);
        let base = *self.automaton.state(self.state);
        let tree_root = if base.tracked { base.tree_root } else { tracked };
        let over = State { tracked: base.tracked || tracked, tree_root, anchor: base.anchor || tracked, ..base };
        self.add_state(over, &actions)
    }

    /// Adds the state of an object inside the record.
    fn state_of(&mut self, touch: &Touch, actions: &[(Id, Id)]) -> Id {
        let base = *self.automaton.state(touch.value);
        let on_path = touch.passes || !touch.targets.is_empty();
        let tree_root = (base.tree_root || touch.anchors && !base.tracked) && !on_path;
        let tracked = base.tracked || on_path || touch.anchors;
        self.add_state(State { tracked, tree_root, anchor: base.anchor || touch.anchors, ..base }, actions)
    }

    fn add_state(&mut self, base: State, actions: &[(Id, Id)]) -> Id {
        let names = actions.iter().map(|(row, action)| (self.survey.name(*row), *action));
        let table = self.automaton.tables.add_over(base.table, names);
        let id = self.automaton.states.len() as Id;
        self.automaton.states.push(State { table, looks: true, ..base });
        id
    }

    /// Returns the plan's state of a row's value, or of the value of the field that the row is.
    fn value_state(&self, row: Id) -> Id {
        let known = self.survey.rows.get(row as usize);
        let unknown = known.is_none_or(|row| row.standing == Standing::Unknown);
        let field = self.counterpart.get(row as usize).copied().filter(|field| unknown && *field != NONE);
        let is_object = known.is_some_and(|row| row.kind == Kind::Object);
        match field.and_then(|field| self.expected_action(row, field)) {
            Some(action) if is_object => self.automaton.shaped(action.next),
            Some(action) => action.next,
            None => known.map_or(INERT, |row| row.state),
        }
    }

    /// Returns what the plan does at an expected field in its place: beside a row, or else on the path from the record
    /// down.
    fn expected_action(&self, row: Id, field: Id) -> Option<Action> {
        let automaton = self.plan.automaton();
        let action = |state: Id, field: Id| {
            let name = self.name(field).as_bytes();
            automaton.action(automaton.state(state), name)
        };
        let above = self.record.model.fields().get(field as usize)?.parent;
        if self.around(row) == Some(above) {
            return action(self.state_around(row), field).copied();
        }
        let objects = if above == NONE { Vec::new() } else { self.record.path_to(above) };
        let mut state = self.state;
        for object in objects {
            state = action(state, object)?.next;
        }
        action(state, field).copied()
    }

    /// Returns the plan's state of the object around a row.
    fn state_around(&self, row: Id) -> Id {
        let parent = self.survey.parent(row);
        if parent == NONE { self.state } else { self.value_state(parent) }
    }

    fn action(&mut self, row: Id, touch: &Touch, state: Option<Id>) -> Action {
        let name = self.survey.name(row).as_bytes();
        let around = self.plan.automaton().state(self.state_around(row));
        let known = self.plan.automaton().action(around, name).copied();
        let mut action = known.unwrap_or_else(|| self.conventional(around, name));
        action.similar = known.is_none_or(|known| known.similar);
        action.next = state.unwrap_or(touch.value);
        if let Some((field, index)) = touch.rename {
            action.rename = self.add_rename(row, field, index);
            // What the plan's own moves bring to the expected name, they bring to this member.
            let expected = self.expected_action(row, field).map_or((0, 0), |action| action.targets);
            for step in self.plan.automaton().targets_in(expected) {
                action.targets = self.add_target(action.targets, TargetStep { renamed: true, ..*step });
            }
        }
        if let Some((mv, depth)) = touch.source {
            let guarded = self.automaton.moves.get(mv as usize).is_some_and(|mv| mv.guard != Guard::None);
            let end = SourceEnd { mv, depth, judges: true, guarded };
            action.sources = self.add_source(action.sources, end);
            action.replaces |= self.automaton.moves.get(mv as usize).is_some_and(|mv| mv.kind == MoveKind::Wrap);
        }
        action.on_source_path |= touch.passes || touch.source.is_some();
        for (step, depth) in &touch.targets {
            let target = TargetStep { step: *step, depth: *depth, renamed: touch.rename.is_some() };
            action.targets = self.add_target(action.targets, target);
        }
        action
    }

    /// Returns what the plan does at a member that it knows only by a convention. It is copied, because no convention
    /// is consulted for a name that has an action.
    fn conventional(&self, around: &State, name: &[u8]) -> Action {
        let known = self.plan.automaton().action_by_convention(around, name);
        known.map_or(BLANK, |known| Action { rename: known.rename, targets: known.targets, ..BLANK })
    }

    fn guard(&mut self, row: Id, field: Id) -> Guard {
        Guard::of(self.record, field, self.survey.name(row), &mut self.automaton.text)
    }

    fn add_rename(&mut self, row: Id, field: Id, index: u32) -> Id {
        let slot = self.expected_action(row, field).map_or(NONE, |action| action.slot);
        let text = self.text(self.name(field));
        let guard = self.guard(row, field);
        self.automaton.renames.push(Rename { slot, rank: RANK, text, rule: RuleRef::Similar(index), guard });
        (self.automaton.renames.len() as Id).wrapping_sub(1)
    }

    fn add_source(&mut self, run: Span, end: SourceEnd) -> Span {
        let known = self.automaton.sources.get(run.0 as usize..run.1 as usize).unwrap_or_default().to_vec();
        let start = self.automaton.sources.len() as u32;
        self.automaton.sources.extend(known.into_iter().chain([end]));
        (start, self.automaton.sources.len() as u32)
    }

    fn add_target(&mut self, run: Span, step: TargetStep) -> Span {
        let known = self.automaton.targets_in(run).to_vec();
        let start = self.automaton.targets.len() as u32;
        let others = known.into_iter().filter(|known| *known != step);
        self.automaton.targets.extend(others.chain([step]));
        (start, self.automaton.targets.len() as u32)
    }
}

/// A member that the plan does not know.
const BLANK: Action = Action {
    next: INERT,
    next_if_renamed_here: INERT,
    slot: NONE,
    rename: NONE,
    sources: (0, 0),
    targets: (0, 0),
    targets_if_renamed_here: (0, 0),
    expected: false,
    on_source_path: false,
    replaces: false,
    similar: true,
};
