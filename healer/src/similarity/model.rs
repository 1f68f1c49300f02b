//! What a contract expects of one kind of record, with everything precomputed that does not depend on a body.

use nomos_rules::dictionary::Role;

use super::candidates::Index;
use super::candidates::postings::Postings;
use super::fields::{described, doubt};
use super::metrics::trigrams::Vocabulary;
use super::names::Names;
use super::names::lexicon::hash_word;
use super::names::typos::Typos;
use super::names::words::each_word;
use super::{Expected, Id, NONE};
use crate::order::{run, sort};
use crate::plan::spec::{Contract, Property};

/// What a contract expects of one kind of record, ready for comparisons.
#[derive(Clone, Debug, Default)]
pub struct Model {
    fields: Vec<Expected>,
    pub(super) names: Names,
    pub(super) index: Index,
    pub(super) typos: Typos,
    /// Words of the record's own name.
    pub(super) record: Vec<u64>,
    /// By field, the number of values that are missing with it: none with an object, since its members count.
    values: Vec<u32>,
    /// An object and a field in it, sorted.
    members: Vec<(Id, Id)>,
    /// The names of fields and these, sorted.
    by_name: Vec<(u64, Id)>,
    /// The fields that are objects.
    pub(super) objects: Vec<Id>,
    /// Fields by the phrases that describe them.
    pub(super) described: Postings,
    /// The fields whose names have a word for a form, such as `formatted`.
    pub(super) formed: Vec<Id>,
    /// Members of the elements of arrays of records, two levels deep. The parent of both levels is the array.
    inside: Vec<Expected>,
    /// The names of `inside`.
    pub(super) inside_names: Names,
    /// Trigrams of the names of the fields.
    pub(crate) vocabulary: Vocabulary,
    /// Whether the contract declares formats of strings.
    pub(super) has_formats: bool,
    /// Whether the record is the whole body, and no element of an array.
    pub(crate) is_body: bool,
}

impl Model {
    /// Builds the model of a record with these members.
    pub fn of(properties: &[Property]) -> Model {
        Model::named("", properties)
    }

    /// Builds the model of a record with a name: that of the field that holds it, or of the schema.
    pub fn named(record: &str, properties: &[Property]) -> Model {
        let (mut fields, mut inside) = (Vec::new(), Vec::new());
        list(properties, NONE, &mut fields, &mut inside);
        let has_formats = fields.iter().any(|field| field.expects.format.is_some());
        let record = words_of(record);
        let mut names = Names::default();
        let mut words = Vec::new();
        for field in &fields {
            let parent = (field.parent != NONE).then_some(field.parent);
            let id = names.add(&field.name, parent, field.expects.kinds, &record, None);
            let Some(name) = names.get(id) else { continue };
            words.extend(names.tokens(name).iter().map(|token| Box::from(names.text(token))));
            words.push(Box::from(names.closed()));
        }
        let (postings, typos) = (Postings::of(&names, &|_, _| true), Typos::of(words));
        let index = Index::of(&names, &postings);
        let vocabulary = Vocabulary::of(fields.iter().map(|field| field.name.as_str()));
        let mut members: Vec<(Id, Id)> =
            fields.iter().enumerate().map(|(id, field): (usize, &Expected)| (field.parent, id as Id)).collect();
        sort(&mut members);
        let objects = fields.iter().enumerate().filter(|(_, field)| field.is_object).map(|(id, _)| id as Id).collect();
        let mut by_name: Vec<(u64, Id)> =
            (0..names.len() as Id).filter_map(|id| Some((names.get(id)?.joined, id))).collect();
        sort(&mut by_name);
        let mut inside_names = Names::default();
        for field in &inside {
            inside_names.add(&field.name, None, field.expects.kinds, &[], None);
        }
        let mut model = Model {
            inside,
            inside_names,
            index,
            members,
            by_name,
            formed: (0..names.len() as Id).filter(|id| says_form(&names, *id)).collect(),
            objects,
            described: described::index(&fields),
            vocabulary,
            fields,
            names,
            typos,
            record,
            has_formats,
            is_body: false,
            values: Vec::new(),
        };
        let values = |(id, field): (Id, &Expected)| match field {
            field if field.is_object => 0,
            field if field.is_records => model.inside(id).0.count() as u32,
            _ => 1,
        };
        model.values = (0..).zip(&model.fields).map(values).collect();
        model
    }

    /// Returns all fields, in pre-order.
    pub fn fields(&self) -> &[Expected] {
        &self.fields
    }

    /// Whether the name of a field says that its strings are words of a list, which the contract does not declare.
    pub(crate) fn names_a_list(&self, id: Id) -> bool {
        let is_open = |field: &Expected| field.expects.values.is_empty() && field.expects.format.is_none();
        let last = self.names.get(id).and_then(|name| self.names.own(name).last());
        self.field(id).is_some_and(is_open) && last.is_some_and(|word| word.is(Role::Listed))
    }

    /// Returns the fields directly in an object; [`NONE`] stands for the record itself.
    pub(super) fn members(&self, object: Id) -> impl Iterator<Item = (Id, &Expected)> + Clone {
        run(&self.members, object).iter().filter_map(|(_, id)| Some((*id, self.field(*id)?)))
    }

    /// Returns the fields with this name ([`super::names::Name::joined`]).
    pub(super) fn fields_named(&self, joined: u64) -> impl Iterator<Item = Id> {
        run(&self.by_name, joined).iter().map(|(_, id)| *id)
    }

    /// Whether some of the fields are arrays of records.
    pub(crate) fn has_records(&self) -> bool {
        !self.inside.is_empty()
    }

    /// Returns the fields directly in an object, or two levels of the members of the elements of an array of records,
    /// with their names.
    pub(super) fn inside(&self, of: Id) -> (impl Iterator<Item = (Id, &Expected)> + Clone, &Names) {
        let is_array = self.field(of).is_some_and(|field| field.is_records);
        // `inside` is in the order of the parents, as the fields are.
        let from = self.inside.partition_point(|field| field.parent < of);
        let elements = (from as Id..).zip(self.inside.get(from..).unwrap_or_default());
        let elements = elements.take_while(move |(_, field)| field.parent == of);
        (self.members(of).chain(elements), if is_array { &self.inside_names } else { &self.names })
    }

    /// Returns the fields in an object, at all depths, each with the number of values that are missing with it. [`NONE`]
    /// stands for the record.
    pub(super) fn below(&self, object: Id) -> impl Iterator<Item = (Id, u32)> {
        let first = object.wrapping_add(1);
        let fields = (first..).zip(self.values.get(first as usize..).unwrap_or_default().iter().copied());
        fields.take_while(move |(id, _)| {
            object == NONE || self.field(*id).is_some_and(|field| self.is_inside(field, object))
        })
    }

    /// Whether a field is anywhere inside an expected object. [`NONE`] stands for the record.
    pub(super) fn is_inside(&self, field: &Expected, object: Id) -> bool {
        let mut at = field.parent;
        loop {
            if at == object {
                return true;
            }
            let Some(above) = self.field(at) else { return false };
            at = above.parent;
        }
    }

    pub(super) fn field(&self, id: Id) -> Option<&Expected> {
        self.fields.get(id as usize)
    }
}

fn says_form(names: &Names, id: Id) -> bool {
    names.get(id).is_some_and(|name| doubt::says_form(names.own(name)))
}

fn words_of(name: &str) -> Vec<u64> {
    let mut words = Vec::new();
    each_word(name, &mut String::new(), |word| {
        words.push(hash_word(&nomos_rules::dictionary::singular(word)));
    });
    words
}

fn list(properties: &[Property], parent: Id, fields: &mut Vec<Expected>, inside: &mut Vec<Expected>) {
    for property in properties {
        let id = fields.len() as Id;
        let members = match &property.node {
            Contract::Object { properties, .. } => properties.as_slice(),
            _ => &[],
        };
        fields.push(expected(property, parent));
        for element in elements(&property.node) {
            inside.push(expected(element, id));
            if let Contract::Object { properties, .. } = &element.node {
                inside.extend(properties.iter().map(|property| expected(property, id)));
            }
        }
        list(members, id, fields, inside);
    }
}

fn expected(property: &Property, parent: Id) -> Expected {
    Expected {
        name: property.name.clone(),
        parent,
        is_object: matches!(&property.node, Contract::Object { properties, .. } if !properties.is_empty()),
        is_records: !elements(&property.node).is_empty(),
        required: property.required,
        expects: property.expects.clone(),
    }
}

/// Returns the declared members of the elements of an array, or of an array nested in it.
fn elements(mut node: &Contract) -> &[Property] {
    let is_array = matches!(node, Contract::Array { .. });
    while let Contract::Array { items } = node {
        node = items;
    }
    match node {
        Contract::Object { properties, .. } if is_array => properties,
        _ => &[],
    }
}
