//! What stands in one record of a body, as similarity sees it.
//!
//! A survey is taken once per shape of record, and of each record in which the content of arrays matters. So it can
//! examine names thoroughly.

use crate::class::{classify, scalar_kind};
use crate::hash::{ODD, name_hash};
use crate::memo::MAX_NAME;
use crate::order;
use crate::plan::Plan;
use crate::plan::automaton::{Action, Id, NONE, RuleRef};
use crate::plan::record::Record;
use crate::plan::spec::{Format, Kind};
use crate::similarity::{Alignment, Found, Standing};
use crate::text::{decoded, unquoted};
use crate::walk::{Body, Cursor};
use std::hash::{DefaultHasher, Hasher as _};

/// Most members of one record that are examined. A record with more is left to rules: at a few hundred nanoseconds per
/// member, a response made of nothing but invented names would cost milliseconds.
///
/// One less than a power of two, so that it masks the bits of an index.
pub(crate) const MAX_MEMBERS: usize = 2047;

/// Most members of an array's first element that are examined. Far fewer identify the array. If those of all arrays reach
/// [`MAX_MEMBERS`] and matter, the record is left to rules too.
const MAX_IN_ELEMENT: usize = 96;

/// The members of a record and of the objects inside it, in pre-order.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub rows: Vec<Row>,
    /// Members of the first elements of arrays that the plan does not know; their parents are the arrays.
    elements: Vec<Row>,
    names: String,
    key: Vec<u8>,
    open: Vec<Open>,
}

/// One member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its name: a span of [`Survey::names`].
    name: (u32, u32),
    /// The row of the object around it; [`NONE`] in the record itself.
    pub parent: Id,
    pub kind: Kind,
    /// Its value: a span of the body.
    pub value: (u32, u32),
    class: Option<Format>,
    item: Option<Kind>,
    pub standing: Standing,
    /// The state of its value.
    pub state: Id,
    /// Whether another member of the same object has the same name.
    pub twice: bool,
}

impl Row {
    /// Returns what is told by the value that comes next. The class of a string is of interest only where the plan does
    /// not know the member.
    fn of_value(cursor: &Cursor<'_>, standing: Standing) -> Row {
        let value = cursor.value();
        let text = cursor.body.span(value);
        let kind = kind_of(text);
        let is_open = matches!(standing, Standing::Unknown | Standing::Element);
        Row {
            name: (0, 0),
            parent: NONE,
            kind,
            value,
            class: if kind == Kind::String && is_open { classify(unquoted(text)) } else { None },
            item: if kind == Kind::Array { cursor.first_item().map(item_kind) } else { None },
            standing,
            state: NONE,
            twice: false,
        }
    }
}

/// An open object of the record.
#[derive(Clone, Copy, Debug)]
struct Open {
    row: Id,
    state: Id,
    /// What it is to the contract.
    inside: Inside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    /// An object of the contract; [`NONE`]: the record.
    Contract(Id),
    /// An object that the contract does not know.
    Foreign,
}

impl Survey {
    /// Surveys the record whose opening brace is token number `token`. Returns `false` if it has too many members.
    pub(crate) fn take(&mut self, body: &Body<'_>, token: u32, plan: &Plan, state: Id, record: &Record) -> bool {
        self.rows.clear();
        self.elements.clear();
        self.names.clear();
        self.open.clear();
        self.open.push(Open { row: NONE, state, inside: Inside::Contract(NONE) });
        let mut cursor = Cursor::inside(body, token);
        while let Some(open) = self.open.last().copied() {
            match cursor.byte() {
                b'}' => {
                    cursor.step();
                    self.open.pop();
                }
                b',' => cursor.step(),
                b'"' if self.rows.len() < MAX_MEMBERS => self.member(&mut cursor, open, plan, record),
                _ => return false,
            }
        }
        self.mark_twice();
        if !self.may_rename_arrays(record) {
            // Shapes then ignore what is in arrays, so nothing may depend on it.
            self.elements.clear();
        }
        self.elements.len() < MAX_MEMBERS
    }

    /// Returns a seal of what is in the first elements of arrays; 0 if that does not matter.
    pub(crate) fn seal_of_elements(&self) -> u64 {
        if self.elements.is_empty() {
            return 0;
        }
        let mut seal = DefaultHasher::new();
        for row in &self.elements {
            let name = self.text(row.name).as_bytes();
            let class = row.class.map_or(0, |class| (class as u8).wrapping_add(1));
            let item = row.item.map_or(0, |kind| (kind as u8).wrapping_add(1));
            seal.write_u32(name.len() as u32);
            seal.write(name);
            seal.write_u32(row.parent);
            seal.write(&[row.kind as u8, class, item]);
        }
        seal.finish()
    }

    /// Returns the number of names in the first elements of arrays; 0 if what is in there does not matter.
    pub(crate) fn names_in_elements(&self) -> u32 {
        self.elements.len() as u32
    }

    /// Whether the record has an array of objects that the plan does not know, and lacks an expected one. This depends
    /// on the shape alone.
    pub(crate) fn may_rename_arrays(&self, record: &Record) -> bool {
        let stands = |id: u32| self.rows.iter().any(|row| row.standing.field() == id);
        let is_unknown = |row: &Row| row.item == Some(Kind::Object) && row.standing == Standing::Unknown;
        let mut fields = record.model.fields().iter().zip(0u32..);
        self.rows.iter().any(is_unknown) && fields.any(|(field, id)| field.is_records && !stands(id))
    }

    /// Returns the members, as similarity takes them.
    pub(crate) fn found(&self) -> Vec<Found<'_>> {
        let found = |row: &Row| Found {
            name: self.text(row.name),
            parent: row.parent,
            kind: row.kind,
            class: row.class,
            item: row.item,
            standing: row.standing,
        };
        self.rows.iter().chain(&self.elements).map(found).collect()
    }

    /// Returns, for each row, the field that it is: by the plan, by alignment, or by its own name inside an aligned
    /// object.
    pub(crate) fn counterparts(&self, record: &Record, alignments: &[Alignment]) -> Vec<Id> {
        let mut fields: Vec<Id> = self.rows.iter().map(|row| row.standing.field()).collect();
        for alignment in alignments {
            if let Some(place) = fields.get_mut(alignment.found as usize) {
                *place = alignment.expected;
            }
        }
        for (at, row) in self.rows.iter().enumerate() {
            let around = fields.get(row.parent as usize).copied().unwrap_or(NONE);
            let own = || record.field(around, self.text(row.name));
            if around != NONE
                && fields.get(at) == Some(&NONE)
                && let Some(field) = own()
                && let Some(place) = fields.get_mut(at)
            {
                *place = field;
            }
        }
        fields
    }

    /// Returns the name of a member.
    pub(crate) fn name(&self, row: Id) -> &str {
        self.rows.get(row as usize).map_or("", |row| self.text(row.name))
    }

    /// Returns the members that the plan does not know, and their kinds.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = (Id, Kind)> {
        let rows = self.rows.iter().zip(0..).filter(|(row, _)| row.standing == Standing::Unknown);
        rows.map(|(row, id)| (id, row.kind))
    }

    /// Returns the row of the object around a member; [`NONE`] for the record.
    pub(crate) fn parent(&self, row: Id) -> Id {
        self.rows.get(row as usize).map_or(NONE, |row| row.parent)
    }

    /// Returns a row, the row of the object around it, and so on up to the record.
    pub(crate) fn upwards(&self, row: Id) -> impl Iterator<Item = Id> {
        let up = |id: &Id| Some(self.parent(*id)).filter(|parent| *parent != NONE);
        std::iter::successors(Some(row), up)
    }

    /// Returns the rows from the record down to `row`.
    pub(crate) fn path_to(&self, row: Id) -> Vec<Id> {
        let mut path: Vec<_> = self.upwards(row).collect();
        path.reverse();
        path
    }

    fn text(&self, (start, end): (u32, u32)) -> &str {
        self.names.get(start as usize..end as usize).unwrap_or_default()
    }

    fn member(&mut self, cursor: &mut Cursor<'_>, open: Open, plan: &Plan, record: &Record) {
        let name = self.keep_name(cursor);
        let (standing, state) = self.standing(self.text(name), open, plan, record);
        let id = self.rows.len() as Id;
        let row = Row { name, parent: open.row, state, ..Row::of_value(cursor, standing) };
        match row.kind {
            Kind::Object => {
                let field = standing.field();
                let inside = if field == NONE { Inside::Foreign } else { Inside::Contract(field) };
                if plan.automaton().state(state).shaped {
                    self.open.push(Open { row: id, state, inside });
                    cursor.step();
                } else {
                    cursor.skip();
                }
            }
            Kind::Array => {
                let is_unknown = standing == Standing::Unknown;
                let may_matter = is_unknown && record.model.has_records() && self.elements.len() < MAX_MEMBERS;
                if row.item == Some(Kind::Object) && may_matter {
                    self.element(cursor.clone(), id);
                }
                cursor.skip();
            }
            _ => cursor.step(),
        }
        self.rows.push(row);
    }

    /// Adds the members of the first element of the array that comes next, two levels deep. Members with names longer
    /// than [`MAX_NAME`] are left out.
    fn element(&mut self, mut cursor: Cursor<'_>, array: Id) {
        cursor.step();
        cursor.step();
        let mut depth = 1u32;
        for _ in 0..MAX_IN_ELEMENT {
            while depth > 0 && matches!(cursor.byte(), b',' | b'}') {
                depth = depth.saturating_sub(u32::from(cursor.byte() == b'}'));
                cursor.step();
            }
            if depth == 0 || cursor.byte() != b'"' {
                return;
            }
            let name = self.keep_name(&mut cursor);
            let row = Row { name, parent: array, ..Row::of_value(&cursor, Standing::Element) };
            if row.kind == Kind::Object && depth == 1 {
                depth = 2;
                cursor.step();
            } else if matches!(row.kind, Kind::Object | Kind::Array) {
                cursor.skip();
            } else {
                cursor.step();
            }
            if self.text(row.name).len() > MAX_NAME {
                self.names.truncate(row.name.0 as usize);
            } else {
                self.elements.push(row);
            }
        }
    }

    /// Takes a key and its colon. Returns where its name is kept.
    fn keep_name(&mut self, cursor: &mut Cursor<'_>) -> (u32, u32) {
        let start = self.names.len() as u32;
        self.names.push_str(&String::from_utf8_lossy(cursor.name(&mut self.key)));
        (start, self.names.len() as u32)
    }

    fn mark_twice(&mut self) {
        let Survey { rows, names, .. } = self;
        let name = |row: &Row| names.get(row.name.0 as usize..row.name.1 as usize).unwrap_or_default();
        let place = |entry: u64| entry & MAX_MEMBERS as u64;
        let key = |entry: u64| rows.get(place(entry) as usize).map(|row| (row.parent, name(row)));
        // Hashes with their low bits replaced by indices, so that names are only compared where the hashes are equal.
        let entry = |(row, at): (&Row, u64)| {
            let hash = name_hash(name(row).as_bytes()) ^ u64::from(row.parent).wrapping_mul(ODD);
            hash & !(MAX_MEMBERS as u64) | at
        };
        let mut order: Vec<u64> = rows.iter().zip(0..).map(entry).collect();
        order::sort(&mut order);
        let mut twice = Vec::new();
        for run in order.chunk_by_mut(|a, b| a & !(MAX_MEMBERS as u64) == b & !(MAX_MEMBERS as u64)) {
            if run.len() > 1 {
                order::sort_by_key(run, |entry| key(*entry));
            }
            for pair in run.windows(2) {
                let [first, second] = pair else { continue };
                if key(*first) == key(*second) {
                    twice.extend([place(*first) as usize, place(*second) as usize]);
                }
            }
        }
        for at in twice {
            if let Some(row) = rows.get_mut(at) {
                row.twice = true;
            }
        }
    }

    /// Returns what the plan says of a name in an object, and the state of its value.
    fn standing(&self, name: &str, open: Open, plan: &Plan, record: &Record) -> (Standing, Id) {
        let automaton = plan.automaton();
        let state = automaton.state(open.state);
        let by_convention = || automaton.action_by_convention(state, name.as_bytes());
        let Some(action) = automaton.action(state, name.as_bytes()).or_else(by_convention) else {
            return (Standing::Unknown, state.unknown);
        };
        (self.of_action(name, action, open, plan, record).unwrap_or(Standing::Unknown), action.next)
    }

    fn of_action(&self, name: &str, action: &Action, open: Open, plan: &Plan, record: &Record) -> Option<Standing> {
        let automaton = plan.automaton();
        let inside = match open.inside {
            Inside::Contract(field) => Some(field),
            Inside::Foreign => None,
        };
        if action.expected {
            return inside.and_then(|parent| record.field(parent, name)).map(Standing::Expected);
        }
        let ends = automaton.sources_of(action);
        if let Some(end) = ends.iter().find(|end| end.judges).or(ends.first()) {
            let target = automaton
                .moves
                .get(end.mv as usize)
                .and_then(|mv| self.target_of(mv.by, end.depth, open, plan, record));
            return Some(Standing::Ruled(target.unwrap_or(NONE)));
        }
        if let Some(rename) = automaton.renames.get(action.rename as usize) {
            let to = decoded(unquoted(automaton.text(rename.text)));
            let to = inside.and_then(|parent| record.field(parent, std::str::from_utf8(&to).ok()?));
            return Some(Standing::Ruled(to.unwrap_or(NONE)));
        }
        action.on_source_path.then_some(Standing::Unknown)
    }

    /// Returns the field that a declared move leads to, from a source `depth` names below the record where the move
    /// starts.
    fn target_of(&self, by: RuleRef, depth: u32, open: Open, plan: &Plan, record: &Record) -> Option<Id> {
        let RuleRef::Move(index) = by else { return None };
        let rule = plan.spec().moves.get(index as usize)?;
        let around = (1..depth).fold(open.row, |row, _| self.parent(row));
        let from = match self.rows.get(around as usize) {
            None => NONE,
            Some(row) => Some(row.standing.field()).filter(|field| *field != NONE)?,
        };
        record.field_at(from, rule.to.segments().iter().map(String::as_str))
    }
}

/// Returns the kind of an element. Shapes do not tell whole numbers from others there.
fn item_kind(text: &[u8]) -> Kind {
    match kind_of(text) {
        Kind::Integer => Kind::Number,
        other => other,
    }
}

fn kind_of(text: &[u8]) -> Kind {
    match text.first() {
        Some(b'"') => Kind::String,
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        _ => scalar_kind(text),
    }
}
