//! JSON Schema to [`Contract`].
//!
//! The subset is that of JSON Schema 2020-12 which OpenAPI 3.1 uses, and OpenAPI 3.0's `nullable`. Keywords that
//! only narrow values are accepted and ignored. Schemas are put together so that no name that may be expected is left
//! out, because a name that is not expected may be renamed away: `allOf` gives the members of all, `anyOf` and `oneOf`
//! those of any, required where all of them require it.
//!
//! A contract is a tree, so references are written out, as many as [`LIMITS`] allow. An object of which a part is behind
//! a reference that is not followed may have any member: nothing in it is healed or dropped.

mod combine;
mod keywords;
mod reference;
mod shape;
mod values;

use crate::plan::spec::{Contract, Expects, Kind, Kinds};

use super::cursor::{Cursor, Place, Problems};
use super::index::Index;
use super::node::{Node, Value};

use combine::{Said, both, either};
pub use keywords::{IGNORED, UNDERSTOOD};
pub use reference::{Complaint, resolve};
pub use values::TYPES;

use reference::References;
use shape::{Member, Shape};
use values::Types;

/// Objects and arrays inside each other at most. Three times as deep as the deepest response schemas of public APIs.
pub const MAX_DEPTH: usize = 64;
/// Schemas inside each other at most, references and alternatives counted: bounds the stack.
const MAX_NESTED: usize = 192;
/// Schemas of a contract at most, references written out: what a plan has states for.
const MAX_SCHEMAS: usize = 1 << 14;
/// The first of these that suffices is taken.
///
/// Trees of comments and categories come to some levels that way. Where everything refers to everything (the largest
/// payment APIs) a contract grows some tenfold by level. Of an object and what it refers to clients read most, so there
/// is more room for these two.
const LIMITS: [Limits; 5] = [
    Limits { recursions: 5, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 4, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 3, schemas: 1 << 11, ..Limits::LEAST },
    Limits { recursions: 2, ..Limits::LEAST },
    Limits::LEAST,
];
/// Subtypes of a schema whose members are read. More have little in common but their base.
const MAX_SUBTYPES: usize = 32;
/// More problems in one contract are not looked for.
const MAX_PROBLEMS: usize = 100;

const A_SCHEMA: &str = "a JSON Schema: an object, such as {type: object, properties: {...}}";

/// A contract, and how much of it there was no room for.
pub struct Reading {
    /// What was read.
    pub contract: Contract,
    /// References that were not followed. What they stand for may have any member.
    pub open: usize,
}

/// Reads a schema that is a document of its own.
pub fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Contract> {
    let mut references = References::new(cursor.place());
    let attempt = attempt::<false>(cursor, &mut references);
    finished(attempt, cursor, problems).map(|reading| reading.contract)
}

/// Reads a schema in a foreign document, such as one of OpenAPI, into which its references lead. Such documents are
/// not the reader's to mend: keywords and types that do not exist are passed over, and of a schema that is too large
/// those levels are read that there is room for.
pub fn read_in(document: &Place<'_>, schema: &Cursor<'_>, problems: &mut Problems) -> Option<Reading> {
    let mut references = References::new(document.clone());
    let level = |deepest| Limits { deepest, ..Limits::LEAST };
    let whole = attempt::<true>(schema, &mut references);
    let attempt = whole.or_else(|| {
        let levels = (0..MAX_DEPTH).map(level);
        levels.map_while(|limits| Attempt::within::<true>(limits, schema, &mut references)).last()
    });
    finished(attempt, schema, problems)
}

/// A schema as it is read within the first limits that suffice.
fn attempt<const FOREIGN: bool>(schema: &Cursor<'_>, references: &mut References<'_>) -> Option<Attempt> {
    LIMITS.into_iter().find_map(|limits| Attempt::within::<FOREIGN>(limits, schema, references))
}

fn finished(attempt: Option<Attempt>, schema: &Cursor<'_>, problems: &mut Problems) -> Option<Reading> {
    let Some(Attempt { said, open, problems: found }) = attempt else {
        let found = format!("a contract of more than {MAX_SCHEMAS} schemas, references written out");
        schema.refuse(problems, found, "fewer: leave out what clients do not rely on");
        return None;
    };
    let is_clean = found.is_empty();
    append_new(problems, found);
    is_clean.then(|| Reading { contract: said.shape.into_contract(), open })
}

/// A schema that is referred to twice is wrong once.
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
    /// References to schemas that contain themselves, inside each other.
    recursions: usize,
    /// Objects and arrays around a reference.
    deepest: usize,
    /// What the contract may then come to; if it is more, these limits do not suffice.
    schemas: usize,
}

impl Limits {
    const LEAST: Limits = Limits { recursions: 1, deepest: MAX_DEPTH, schemas: MAX_SCHEMAS };
}

/// What came of reading a schema within limits.
struct Attempt {
    said: Said,
    /// References not followed.
    open: usize,
    problems: Problems,
}

impl Attempt {
    /// Nothing where the limits do not suffice.
    fn within<const FOREIGN: bool>(
        limits: Limits,
        schema: &Cursor<'_>,
        references: &mut References<'_>,
    ) -> Option<Attempt> {
        let mut problems = Problems::new();
        let mut reader = Reader::<FOREIGN> { references, limits, count: 0, open: 0 };
        let said = reader.schema(schema, &Trail::START, &mut problems);
        (reader.count <= limits.schemas).then_some(Attempt { said, open: reader.open, problems })
    }
}

struct Reader<'r, 'a, const FOREIGN: bool> {
    references: &'r mut References<'a>,
    limits: Limits,
    /// Schemas read.
    count: usize,
    /// References not followed.
    open: usize,
}

/// The way from the contract to a schema in it.
#[derive(Clone, Copy)]
struct Trail<'t> {
    /// Objects and arrays around it.
    depth: usize,
    /// Schemas around it.
    nested: usize,
    /// Whether it is the base of another schema, which says what subtype of it that is.
    is_part: bool,
    open: Option<&'t Open<'t>>,
}

/// A reference that is being written out.
struct Open<'t> {
    target: &'t Node,
    depth: usize,
    /// How many references to schemas that contain themselves are open, with this one.
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

    /// Whether a schema is nothing but a part of itself.
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
    /// One schema and those inside it. Calls itself, at most [`MAX_NESTED`] deep.
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

    /// What a schema says without those that it is put together of.
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
        // Nobody who lists properties means that a number will do, though the letter says so.
        let kinds = structure.filter(|_| types.are_open()).map_or(types.kinds(), Kinds::of);
        let expects = Expects { items, ..values::expects(cursor, kinds, FOREIGN, problems) };
        Said { expects, ..Said::of_shape(shape) }
    }

    /// Whether a schema has keywords of objects or of arrays. Its type has to agree; in a foreign document it decides.
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
            // Whatever else is said of it. What must not be there is in no response either.
            return Said { is_only_written: true, ..Said::default() };
        }
        self.schema(cursor, trail, problems)
    }

    /// What is said of each element. Elements that differ by place are alternatives.
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

    /// Adds what the schemas say that this one is put together of.
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

    /// Adds members of the subtypes that a discriminator names. What is in these members is left open: subtypes refer
    /// to what they are subtypes of. So is all where it would come to too much.
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
        let subtypes: Vec<Node> = mapping.members(&mut Problems::new(), "").map(|name| subtype(name.node)).collect();
        let is_far = trail.recursions() > 1 && self.limits.schemas == MAX_SCHEMAS;
        if subtypes.len() > MAX_SUBTYPES || is_far {
            self.open = self.open.saturating_add(subtypes.len());
            return both(said, Said::of_shape(Shape::Open));
        }
        let deepest = self.limits.deepest;
        self.limits.deepest = deepest.min(trail.depth);
        for subtype in &subtypes {
            let more = match self.references.resolve(subtype) {
                Ok(_) => self.reference(&Cursor::root(subtype), &Trail { is_part: true, ..*trail }, problems),
                Err(_) => Said::of_shape(Shape::Open),
            };
            said = possibly(said, more);
        }
        self.limits.deepest = deepest;
        said
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
        // The parts of one object are one level.
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
    if trail.depth > MAX_DEPTH {
        cursor.refuse(problems, "a schema inside 64 others", "at most 64 objects and arrays inside each other");
        return true;
    }
    if trail.nested > MAX_NESTED {
        cursor.refuse(problems, "a schema inside 192 others", "at most 192 schemas and references inside each other");
        return true;
    }
    false
}

/// What is known of a schema whose names are left out.
fn unread(schema: &Cursor<'_>, problems: &mut Problems) -> Said {
    let kinds = Types::read(schema, true, problems).kinds();
    let expects = Expects { kinds, ..Expects::default() };
    Said { shape: Shape::Open, expects, is_only_written: is_only_written(schema.node) }
}

/// What a discriminator names a subtype by, as a reference: that, or the name of a schema.
fn subtype(named: &Node) -> Node {
    let name = named.as_str().unwrap_or_default();
    let is_name = !name.contains(['#', '/', '.']);
    let reference = if is_name { format!("#/components/schemas/{name}") } else { name.to_owned() };
    Node { offset: named.offset, value: Value::String(reference) }
}

/// Adds members that stand there in some cases.
fn possibly(said: Said, more: Said) -> Said {
    both(said, Said::of_shape(more.shape.loosened()))
}

/// The names that `required` lists. Foreign documents have `required: true` beside a property, which lists none, and
/// empty names.
fn required_of(cursor: &Cursor<'_>, is_foreign: bool, problems: &mut Problems) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(field) = cursor.field("required").filter(|field| !(is_foreign && is_boolean(field.node))) {
        for item in field.items(problems, "an array of names") {
            let name = if is_foreign { item.node.as_str() } else { item.text(problems, "the name of a property") };
            names.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    names
}

/// Whether an object's schema says of members that it does not list that they may stand there, or what they are.
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

/// Names that are required and not under `properties`: clients expect them, with any value.
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
