//! Which unknown members of a record are which expected ones, where no rule says so.
//!
//! It works on names, kinds and classes of values, never on bytes of a body: [`Found`] lists what stands in a record,
//! [`Model`] what the contract expects of it, and an [`Alignment`] pairs them, or abstains.

use crate::plan::spec::{Contract, Expects, Format, Kind, Property};

/// Index of a field in a list of [`Expected`] or [`Found`].
pub type Id = u32;

/// No field.
pub const NONE: Id = Id::MAX;

/// How sure similarity has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The score that an alignment needs.
    pub threshold: f32,
}

/// Memory that decisions reuse.
#[derive(Debug, Default)]
pub struct Scratch {}

/// What a contract expects of one kind of record, ready to be compared with.
#[derive(Clone, Debug)]
pub struct Model {
    fields: Vec<Expected>,
}

/// A member that the contract expects in a record, or in an object inside it.
///
/// The members of nested objects follow their object, in pre-order. What is inside arrays is another record.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// The object it is in; [`NONE`] for the record itself.
    pub parent: Id,
    /// Whether it is an object with declared members, which are fields of their own.
    pub is_object: bool,
    /// Whether it is an array whose elements are records with declared members.
    pub is_records: bool,
    /// Whether clients rely on it.
    pub required: bool,
    /// What is known of its value.
    pub expects: Expects,
}

/// A member that stands in a record, or in an object inside it, in pre-order. What is inside arrays is not listed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<'a> {
    /// Its name, with escapes decoded.
    pub name: &'a str,
    /// The object it is in; [`NONE`] for the record itself.
    pub parent: Id,
    /// The kind of its value.
    pub kind: Kind,
    /// The class of a string.
    pub class: Option<Format>,
    /// The kind of an array's first element.
    pub item: Option<Kind>,
    /// What the plan says of it without similarity.
    pub standing: Standing,
}

/// What the plan says of a found member without similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The contract expects it where it is: this field.
    Expected(Id),
    /// A rule accounts for it: it leaves for, or becomes, this field ([`NONE`]: unknown which).
    Ruled(Id),
    /// Nothing accounts for it.
    Unknown,
}

/// An expected field and the found one that is it.
///
/// Where `expected` is an object, its found object takes its place, and the members of both are compared with each
/// other. Otherwise, if the objects around both are the same one, it is a rename, and else a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alignment {
    /// Index in [`Model::fields`].
    pub expected: Id,
    /// Index in the list of found members.
    pub found: Id,
    /// From 0 to 1: how sure it is.
    pub score: f32,
    /// Of what the score is made.
    pub parts: Parts,
}

/// The parts of a score, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// How much of the names' words is the same.
    pub name: f32,
}

impl Parts {
    /// Nothing was compared.
    pub const NONE: Parts = Parts { name: 0.0 };
}

impl Model {
    /// The fields of a record with these members.
    pub fn of(properties: &[Property]) -> Model {
        let mut fields = Vec::new();
        let mut open: Vec<(&Property, Id)> = properties.iter().rev().map(|property| (property, NONE)).collect();
        while let Some((property, parent)) = open.pop() {
            let inside = match &property.node {
                Contract::Object { properties } => properties.as_slice(),
                _ => &[],
            };
            let is_records = matches!(&property.node, Contract::Array { items } if matches!(&**items, Contract::Object { properties } if !properties.is_empty()));
            let id = fields.len() as Id;
            fields.push(Expected {
                name: property.name.clone(),
                parent,
                is_object: !inside.is_empty(),
                is_records,
                required: property.required,
                expects: property.expects.clone(),
            });
            open.extend(inside.iter().rev().map(|property| (property, id)));
        }
        Model { fields }
    }

    /// Aligns.
    pub fn align(&self, found: &[Found<'_>], settings: &Settings, scratch: &mut Scratch, out: &mut Vec<Alignment>) {
        let _ = (settings, scratch);
        let bare = |name: &str| name.to_lowercase().replace(['_', '-'], "");
        for (field, expected) in (0..).zip(&self.fields) {
            let stands = |found: &&Found<'_>| matches!(found.standing, Standing::Expected(id) | Standing::Ruled(id) if id == field);
            if found.iter().any(|found| stands(&found)) {
                continue;
            }
            let like = |(_, found): &(u32, &Found<'_>)| {
                found.standing == Standing::Unknown
                    && bare(found.name) == bare(&expected.name)
                    && (found.kind == Kind::Object) == expected.is_object
            };
            let mut all = (0..).zip(found).filter(like);
            if let (Some((id, _)), None) = (all.next(), all.next()) {
                out.push(Alignment { expected: field, found: id, score: 1.0, parts: Parts { name: 1.0 } });
            }
        }
    }

    /// All fields, in pre-order.
    pub fn fields(&self) -> &[Expected] {
        &self.fields
    }
}
