//! States of the automaton for one shape of record: what the plan knows of it, and what similarity found in addition.
//!
//! They extend the plan's own states and apply to records of exactly that shape. So no conflict can arise that the
//! decision did not see: the names that are renamed occur once, and the places that values move to are free.

mod moves;
mod places;
mod states;

use super::Plan;
use super::automaton::{Automaton, Id, NONE, Span};
use super::record::Record;
use super::resolution::Resolution;
use crate::similarity::{Alignment, Parts};
use crate::survey::Survey;

/// Bytes that a member and its resolution usually take in a signature.
const USUAL_SIGNATURE: usize = 128;

/// Below every declared rule.
const RANK: u16 = u16::MAX;

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
    /// For each field, the row that is it, has its name, or gets its name by a rule; [`places::SEVERAL`] if there are more.
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
}
