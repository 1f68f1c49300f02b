//! Reads JSON Schema into a [`Contract`].
//!
//! It reads the subset of JSON Schema 2020-12 that OpenAPI 3.1 uses, and OpenAPI 3.0's `nullable`. Keywords that only
//! narrow values are accepted and ignored. A name that is not expected may be renamed away, so schemas are combined
//! such that no expected name is left out: `allOf` has the members of all its schemas; `anyOf` and `oneOf` have those
//! of any of their schemas, and require what all of these require.
//!
//! A contract is a tree, so references are expanded, as many as `LIMITS` allow. An object with a part behind a
//! reference that is not followed may have any member, so nothing in it is healed or dropped.

mod combine;
mod keywords;
mod reference;
mod shape;
mod values;

use crate::plan::spec::{Contract, Expects, Kind, Kinds};

use super::cursor::{Cursor, Problems};
use super::index::Index;
use super::node::{Node, Value};

use combine::{Said, both, either};
pub use keywords::{IGNORED, UNDERSTOOD};
pub use reference::{Complaint, References, resolve};
pub use values::TYPES;

use shape::{Member, Shape};
use values::Types;

/// The largest number of objects and arrays inside each other. The deepest response schemas of public APIs have a third
/// of that.
pub const MAX_DEPTH: usize = 64;
/// The largest number of schemas inside each other, references and alternatives included. It bounds the stack.
const MAX_NESTED: usize = 192;
/// The largest number of schemas of a contract after expansion. Plans have states for that many.
const MAX_SCHEMAS: usize = 1 << 14;
/// Limits for expansion. The first of these that suffices is taken.
///
/// Trees of comments and categories get several levels that way. Where everything refers to everything, as in the
/// largest payment APIs, each level makes a contract some ten times as large. Clients mostly read an object and what it
/// refers to, so there is more room for these two levels.
const LIMITS: [Limits; 5] = [
    Limits { recursions: 5, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 4, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 3, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 2, ..Limits::LEAST },
    Limits::LEAST,
];
/// The largest number of subtypes of a schema whose members are read. More of them have little in common but their
/// base.
const MAX_SUBTYPES: usize = 32;
/// Reading stops at this many problems in one contract.
const MAX_PROBLEMS: usize = 100;

const A_SCHEMA: &str = "a JSON Schema: an object, such as {type: object, properties: {...}}";

/// A contract, and the number of references for which there was no room.
pub struct Reading {
    /// The contract.
    pub contract: Contract,
    /// References that were not followed. The objects behind them may have any member.
    pub open: usize,
    /// Those of them that lead nowhere: entries of a `mapping`.
    pub lost: Problems,
}

/// Reads a schema that is a document of its own. Returns `None` if there are problems.
pub fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Contract> {
    let mut references = References::new(cursor.place());
    let attempt = attempt::<false>(cursor, &mut references);
    finished(attempt, cursor, problems).map(|reading| reading.contract)
}

/// Reads a schema in a foreign document, such as one of OpenAPI, which its references point into. What is known of these
/// serves the next schema of the document too.
///
/// Users cannot correct such documents. So unknown keywords and types are ignored, and of a schema that is too large as
/// many levels are read as there is room for. Returns `None` if there are problems.
pub fn read_in(references: &mut References<'_>, schema: &Cursor<'_>, problems: &mut Problems) -> Option<Reading> {
    let level = |deepest| Limits { deepest, ..Limits::LEAST };
    let whole = attempt::<true>(schema, references);
    let attempt = whole.or_else(|| {
        let levels = (0..MAX_DEPTH).map(level);
        levels.map_while(|limits| Attempt::within::<true>(limits, schema, references)).last()
    });
    finished(attempt, schema, problems)
}

/// Reads a schema within the first limits that suffice.
fn attempt<const FOREIGN: bool>(schema: &Cursor<'_>, references: &mut References<'_>) -> Option<Attempt> {
    LIMITS.into_iter().find_map(|limits| Attempt::within::<FOREIGN>(limits, schema, references))
}

fn finished(attempt: Option<Attempt>, schema: &Cursor<'_>, problems: &mut Problems) -> Option<Reading> {
    let Some(Attempt { said, open, lost, problems: found }) = attempt else {
        let found = format!("a contract of more than {MAX_SCHEMAS} schemas, references written out");
        schema.refuse(problems, found, "fewer: leave out what clients do not rely on");
        return None;
    };
    let is_clean = found.is_empty();
    append_new(problems, found);
    is_clean.then(|| Reading { contract: said.shape.into_contract(), open, lost })
}

/// Skips problems that are known already: a schema with several references to it is wrong only once.
fn append_new(problems: &mut Problems, found: Problems) {
    for problem in found {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// How far references are followed.
#[derive(Clone, Copy)]
struct Limits {
    /// The largest number of references inside each other to schemas that contain themselves.
    recursions: usize,
    /// The largest number of objects and arrays around a reference.
    deepest: usize,
    /// The largest size of the contract. If it gets larger, these limits do not suffice.
    schemas: usize,
}

impl Limits {
    const LEAST: Limits = Limits { recursions: 1, deepest: MAX_DEPTH, schemas: MAX_SCHEMAS };
}

/// The result of reading a schema within limits.
struct Attempt {
    said: Said,
    /// References not followed.
    open: usize,
    /// As in [`Reading::lost`].
    lost: Problems,
    problems: Problems,
}

impl Attempt {
    /// Returns `None` if the limits do not suffice.
    fn within<const FOREIGN: bool>(
        limits: Limits,
        schema: &Cursor<'_>,
        references: &mut References<'_>,
    ) -> Option<Attempt> {
        let mut problems = Problems::new();
        let mut reader = Reader::<FOREIGN> { references, limits, count: 0, open: 0, lost: Problems::new() };
        let said = reader.schema(schema, &Trail::START, &mut problems);
        let Reader { count, open, lost, .. } = reader;
        (count <= limits.schemas).then_some(Attempt { said, open, lost, problems })
    }
}

struct Reader<'r, 'a, const FOREIGN: bool> {
    references: &'r mut References<'a>,
    limits: Limits,
    /// The number of schemas read.
    count: usize,
    /// References not followed.
    open: usize,
    /// As in [`Reading::lost`].
    lost: Problems,
}

/// The way from the contract to a schema in it.
#[derive(Clone, Copy)]
struct Trail<'t> {
    /// Objects and arrays around the schema.
    depth: usize,
    /// Schemas around the schema.
    nested: usize,
    /// Whether the schema is the base of another schema, which determines the subtype.
    is_part: bool,
    open: Option<&'t Open<'t>>,
}

/// A reference that is being expanded.
struct Open<'t> {
    target: &'t Node,
    depth: usize,
    /// The number of open references to schemas that contain themselves, including this one.
    recursions: usize,
    outer: Option<&'t Open<'t>>,
}

impl Trail<'_> {
    const START: Trail<'static> = Trail { depth: 0, nested: 0, is_part: false, open: None };

    fn inside(&self) -> Self {
        Trail { depth: self.depth.saturating_add(1), is_part: false, ..*self }
    }

    fn recursions(&self) -> usize {
        self.open.map_or(0, |open| open.recursions)
    }

    /// Whether the schema `target` is part of itself without a level in between.
    fn circles(&self, target: &Node) -> bool {
        let mut open = self.open;
        while let Some(reference) = open.filter(|reference| reference.depth == self.depth) {
            if std::ptr::eq(reference.target, target) {
                return true;
            }
            open = reference.outer;
        }
        false
    }
}

impl<const FOREIGN: bool> Reader<'_, '_, FOREIGN> {
    /// Reads one schema and those inside it. Calls itself, at most [`MAX_NESTED`] deep.
    fn schema(&mut self, cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        self.count = self.count.saturating_add(1);
        if self.count > self.limits.schemas || problems.len() >= MAX_PROBLEMS || is_too_deep(cursor, trail, problems) {
            return Said::default();
        }
        if cursor.node.value == Value::Bool(true) {
            return Said::default();
        }
        let before = problems.len();
        keywords::refuse_unknown(cursor, FOREIGN, problems);
        let types = Types::read(cursor, FOREIGN, problems);
        if problems.len() > before {
            return Said::default();
        }
        let trail = Trail { nested: trail.nested.saturating_add(1), ..*trail };
        let own = self.own(cursor, &types, &trail, problems);
        let mut said = self.composed(own, cursor, &trail, problems);
        if values::is_nullable(cursor) {
            said.expects.kinds = said.expects.kinds.with(Kinds::of(Kind::Null));
        }
        said.is_only_written |= is_only_written(cursor.node);
        let mut said = said.settled();
        if let Shape::Object { open, .. } = &mut said.shape {
            *open |= allows_others(cursor.node);
        }
        said
    }

    /// Returns what a schema says by itself, without the schemas that it combines.
    fn own(&mut self, cursor: &Cursor<'_>, types: &Types, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        let trail = trail.inside();
        let structure = Self::structure(cursor, types, problems);
        let (shape, items) = match structure {
            Some(Kind::Object) => {
                let members = self.members(cursor, &trail, problems);
                (Shape::Object { members, open: false }, Kinds::ANY)
            }
            Some(_) => {
                let item = self.item(cursor, &trail, problems);
                (Shape::Array(Box::new(item.shape)), item.expects.kinds)
            }
            None => (Shape::Any, Kinds::ANY),
        };
        // A schema that lists properties means an object, although the standard also allows a number.
        let kinds = structure.filter(|_| types.are_open()).map_or(types.kinds(), Kinds::of);
        let expects = Expects { items, ..values::expects(cursor, kinds, FOREIGN, problems) };
        Said { expects, ..Said::of_shape(shape) }
    }

    /// Returns the kind whose keywords a schema has: an object or an array. The type of the schema has to agree. In a
    /// foreign document the type decides.
    fn structure(cursor: &Cursor<'_>, types: &Types, problems: &mut Problems) -> Option<Kind> {
        let keywords = [(Kind::Object, ["properties", "required"]), (Kind::Array, ["items", "prefixItems"])];
        let mut found = None;
        for (kind, names) in keywords {
            let Some(field) = names.iter().find_map(|name| cursor.field(name)) else { continue };
            let is_allowed = types.allow(kind);
            match found {
                _ if FOREIGN => (),
                _ if !is_allowed => types.refuse(&field, kind, problems),
                Some(_) => {
                    let expected = "a schema of an object or of an array, not of both";
                    field.refuse(problems, "items beside properties", expected);
                }
                None => (),
            }
            found = found.or(is_allowed.then_some(kind));
        }
        found
    }

    fn members(&mut self, cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Vec<Member> {
        let names = required_of(cursor, FOREIGN, problems);
        let required = Index::new(names.iter().map(String::as_str));
        let mut members: Vec<Member> = Vec::new();
        if let Some(field) = cursor.field("properties") {
            for property in field.members(problems, "an object: a schema under each name") {
                let said = self.property(&property, trail, problems);
                let name = property.name().to_owned();
                members.push(Member { required: required.first(&name).is_some(), name, said });
            }
        }
        members.extend(undescribed(&names, &members));
        members
    }

    fn property(&mut self, cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        if is_only_written(cursor.node) || cursor.node.value == Value::Bool(false) {
            // Other keywords do not matter. A member that must not be there is in no response either.
            return Said { is_only_written: true, ..Said::default() };
        }
        self.schema(cursor, trail, problems)
    }

    /// Returns what is said of each element. Elements that differ by position are alternatives.
    fn item(&mut self, cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        let mut found: Option<Said> = None;
        if let Some(field) = cursor.field("prefixItems") {
            found = self.alternatives(&field, trail, problems);
        }
        if let Some(field) = cursor.field("items").filter(|field| field.node.value != Value::Bool(false)) {
            let item = self.schema(&field, trail, problems);
            found = Some(match found {
                Some(first) => either(first, item),
                None => item,
            });
        }
        found.unwrap_or_default()
    }

    /// Adds what the schemas say that this one combines.
    fn composed(&mut self, own: Said, cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        let mut said = own;
        if let Some(field) = cursor.field("$ref") {
            said = both(said, self.reference(&field, trail, problems));
        }
        if let Some(field) = cursor.field("allOf") {
            let has_more =
                cursor.field("properties").is_some() || matches!(&field.node.value, Value::Array(all) if all.len() > 1);
            for item in field.items(problems, "an array of schemas") {
                let is_part = FOREIGN && (trail.is_part || has_more && item.field("$ref").is_some());
                said = both(said, self.schema(&item, &Trail { is_part, ..*trail }, problems));
            }
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(field) = cursor.field(name) {
                said = both(said, self.alternatives(&field, trail, problems).unwrap_or_default());
            }
        }
        for name in ["then", "else"] {
            if let Some(field) = cursor.field(name) {
                said = possibly(said, self.schema(&field, trail, problems));
            }
        }
        if let Some(field) = cursor.field("dependentSchemas") {
            for member in field.members(problems, "an object: a schema under each name") {
                said = possibly(said, self.schema(&member, trail, problems));
            }
        }
        if FOREIGN && !trail.is_part { self.with_subtypes(said, cursor, trail, problems) } else { said }
    }

    /// Adds the members of the subtypes that a discriminator names.
    ///
    /// The content of these members is left open, because subtypes refer to their base. If the subtypes would take too
    /// much room, or one of them is not there, the whole object is left open.
    fn with_subtypes(
        &mut self,
        mut said: Said,
        cursor: &Cursor<'_>,
        trail: &Trail<'_>,
        problems: &mut Problems,
    ) -> Said {
        let has_alternatives = ["anyOf", "oneOf"].iter().any(|name| cursor.field(name).is_some());
        let discriminator = cursor.field("discriminator").filter(|_| !has_alternatives);
        let Some(mapping) = discriminator.as_ref().and_then(|field| field.field("mapping")) else { return said };
        let entries: Vec<Cursor<'_>> = mapping.members(&mut Problems::new(), "").collect();
        let is_far = trail.recursions() > 1 && self.limits.schemas == MAX_SCHEMAS;
        if entries.len() > MAX_SUBTYPES || is_far {
            self.open = self.open.saturating_add(entries.len());
            return both(said, Said::of_shape(Shape::Open));
        }
        let deepest = self.limits.deepest;
        self.limits.deepest = deepest.min(trail.depth);
        for entry in &entries {
            let subtype = subtype(entry.node);
            let more = match self.references.resolve(&subtype) {
                Ok(_) => self.reference(&Cursor::root(&subtype), &Trail { is_part: true, ..*trail }, problems),
                Err((found, expected)) => {
                    self.lose(entry, found, expected);
                    Said::of_shape(Shape::Open)
                }
            };
            said = possibly(said, more);
        }
        self.limits.deepest = deepest;
        said
    }

    /// Notes a reference that leads nowhere.
    fn lose(&mut self, reference: &Cursor<'_>, found: String, expected: String) {
        self.open = self.open.saturating_add(1);
        let mut lost = Problems::new();
        reference.refuse(&mut lost, found, expected);
        append_new(&mut self.lost, lost);
    }

    fn alternatives(&mut self, list: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Option<Said> {
        let mut found: Option<Said> = None;
        for item in list.items(problems, "an array of schemas") {
            let said = self.schema(&item, trail, problems);
            found = Some(match found {
                Some(first) => either(first, said),
                None => said,
            });
        }
        found
    }

    fn reference(&mut self, field: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> Said {
        let place = match self.references.resolve(field.node) {
            Ok(place) => place,
            Err((found, expected)) => {
                field.refuse(problems, found, expected);
                return Said::default();
            }
        };
        if trail.circles(place.node) {
            if !FOREIGN {
                let expected = "a reference that does not lead back at once";
                field.refuse(problems, "a schema that is made of itself", expected);
            }
            return Said::default();
        }
        let target = place.cursor();
        // The parts of one object are on the same level.
        let is_deeper = trail.open.is_none_or(|open| open.depth < trail.depth);
        let is_recursion = is_deeper && self.references.is_recursive(place.node);
        let recursions = trail.recursions().saturating_add(usize::from(is_recursion));
        if recursions > self.limits.recursions || trail.depth > self.limits.deepest {
            self.open = self.open.saturating_add(1);
            return unread(&target, problems);
        }
        let open = Open { target: place.node, depth: trail.depth, recursions, outer: trail.open };
        self.schema(&target, &Trail { open: Some(&open), ..*trail }, problems)
    }
}

fn is_too_deep(cursor: &Cursor<'_>, trail: &Trail<'_>, problems: &mut Problems) -> bool {
    let (most, what) = match () {
        () if trail.depth > MAX_DEPTH => (MAX_DEPTH, "objects and arrays"),
        () if trail.nested > MAX_NESTED => (MAX_NESTED, "schemas and references"),
        () => return false,
    };
    let expected = format!("at most {most} {what} inside each other");
    cursor.refuse(problems, format!("a schema inside {most} others"), expected);
    true
}

/// Returns what is known of a schema that is not read.
fn unread(schema: &Cursor<'_>, problems: &mut Problems) -> Said {
    let kinds = Types::read(schema, true, problems).kinds();
    let expects = Expects { kinds, ..Expects::default() };
    Said { shape: Shape::Open, expects, is_only_written: is_only_written(schema.node) }
}

/// Turns the value of a discriminator mapping into a reference. It is one already, or the name of a schema.
fn subtype(named: &Node) -> Node {
    let name = named.as_str().unwrap_or_default();
    let is_name = !name.contains(['#', '/', '.']);
    let reference = if is_name { format!("#/components/schemas/{name}") } else { name.to_owned() };
    Node { offset: named.offset, value: Value::String(reference) }
}

/// Adds members that are there in some cases only.
fn possibly(said: Said, more: Said) -> Said {
    both(said, Said::of_shape(more.shape.loosened()))
}

/// Returns the names that `required` lists, but for the empty one, which is not watched. Foreign documents have
/// `required: true` beside a property, which lists no name.
fn required_of(cursor: &Cursor<'_>, is_foreign: bool, problems: &mut Problems) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(field) = cursor.field("required").filter(|field| !(is_foreign && is_boolean(field.node))) {
        for item in field.items(problems, "an array of names") {
            match item.node.as_str() {
                Some("") => (),
                Some(name) => names.push(name.to_owned()),
                None if is_foreign => (),
                None => _ = item.text(problems, "the name of a property"),
            }
        }
    }
    names
}

/// Whether the schema of an object allows members that it does not list, or describes them.
fn allows_others(schema: &Node) -> bool {
    let says = |keyword| schema.get(keyword).is_some_and(|node| node.value != Value::Bool(false));
    says("additionalProperties") || says("patternProperties") || says("unevaluatedProperties")
}

fn is_boolean(node: &Node) -> bool {
    matches!(node.value, Value::Bool(_))
}

fn is_only_written(schema: &Node) -> bool {
    schema.get("writeOnly").is_some_and(|node| node.value == Value::Bool(true))
}

/// Returns members for names that are required but not under `properties`. Clients expect them, with any value.
fn undescribed(required: &[String], members: &[Member]) -> Vec<Member> {
    let described = Index::new(members.iter().map(|member| member.name.as_str()));
    let names = Index::new(required.iter().map(String::as_str));
    let missing = required.iter().enumerate().filter(|(place, name)| {
        let is_first = names.first(name) == Some(*place);
        is_first && described.first(name).is_none()
    });
    let any = |name: &String| Member { name: name.clone(), said: Said::default(), required: true };
    missing.map(|(_, name)| any(name)).collect()
}

#[cfg(test)]
mod tests;
