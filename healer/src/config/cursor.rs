//! A typed walk over [`Node`]s that knows its path and collects problems.

use std::fmt::Write as _;

use super::decimal::Decimal;
use super::error::ConfigError;
use super::index::Index;
use super::node::{Member, Node, Value, quote};
use super::suggest::did_you_mean;

/// The problems of a configuration, in the order of reading.
pub type Problems = Vec<ConfigError>;

/// A node and the way to it.
///
/// It lives on the stack. The path becomes text only for a refusal.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    /// The node.
    pub node: &'a Node,
    /// The offset that a refusal points to: that of the member's name, else that of the node.
    offset: usize,
    parent: Option<&'a Cursor<'a>>,
    step: Link<'a>,
}

/// A node, and the way to it as text. Unlike a [`Cursor`] it can be stored.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// The node.
    pub node: &'a Node,
    offset: usize,
    path: String,
}

#[derive(Clone, Copy, Debug)]
enum Link<'a> {
    Root,
    Path(&'a str),
    Name(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    /// Returns a cursor that starts here.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { node: self.node, offset: self.offset, parent: None, step: Link::Path(&self.path) }
    }

    /// Follows names and indices. If a step does not exist, returns the last node on the way and that step as an error.
    pub fn follow<'s>(&self, steps: &[&'s str]) -> Result<Place<'a>, (&'a Node, &'s str)> {
        let mut place = self.clone();
        for step in steps {
            let (taken, node, offset) = place.node.step(step).ok_or((place.node, *step))?;
            push_step(&mut place.path, taken);
            place = Place { node, offset, ..place };
        }
        Ok(place)
    }
}

impl<'a> Cursor<'a> {
    /// Starts a walk.
    pub fn root(node: &'a Node) -> Self {
        Cursor { node, offset: node.offset, parent: None, step: Link::Root }
    }

    /// Returns the place of this cursor.
    pub fn place(&self) -> Place<'a> {
        Place { node: self.node, offset: self.offset, path: self.path_or_nothing() }
    }

    /// Returns the members, each under its name. Refuses a value that is no object.
    pub fn members(&'a self, problems: &mut Problems, expected: &str) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        let mut members: &[Member] = &[];
        match &self.node.value {
            Value::Object(found) => members = found,
            _ => self.expected(problems, expected),
        }
        members.iter().map(|member| self.member(member))
    }

    /// Returns the elements. Refuses a value that is no array.
    pub fn items(&'a self, problems: &mut Problems, expected: &str) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        let mut items: &[Node] = &[];
        match &self.node.value {
            Value::Array(found) => items = found,
            _ => self.expected(problems, expected),
        }
        items.iter().enumerate().map(|(index, node)| Cursor {
            node,
            offset: node.offset,
            parent: Some(self),
            step: Link::Index(index),
        })
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.node.value, Value::Object(_))
    }

    /// Returns the member with this name; of several, the last one, as [`Node::get`] does.
    pub fn field(&'a self, name: &str) -> Option<Cursor<'a>> {
        let Value::Object(members) = &self.node.value else { return None };
        members.iter().rev().find(|member| member.name == name).map(|member| self.member(member))
    }

    /// Refuses a value that is no object, and members whose names are not in `known`.
    pub fn only_fields(&'a self, problems: &mut Problems, expected: &str, known: &[&'static str]) -> Option<()> {
        let before = problems.len();
        for member in self.members(problems, expected) {
            let name = member.name();
            if !known.contains(&name) {
                let expected = format!("one of {}{}", known.join(", "), did_you_mean(name, known.iter().copied()));
                member.refuse(problems, "an unknown field", expected);
            }
        }
        (problems.len() == before).then_some(())
    }

    /// Returns the name of this member; empty if it is none.
    pub fn name(&self) -> &'a str {
        match self.step {
            Link::Name(name) => name,
            Link::Root | Link::Path(_) | Link::Index(_) => "",
        }
    }

    /// Returns a text that is not empty, or refuses the value.
    pub fn text(&self, problems: &mut Problems, expected: &str) -> Option<&'a str> {
        match &self.node.value {
            Value::String(text) if !text.is_empty() => return Some(text),
            Value::Bool(_) | Value::Null => self.refuse(problems, self.describe_bare_word(), expected),
            _ => self.expected(problems, expected),
        }
        None
    }

    /// Returns one of a few words, or refuses the value. Envoy reads YAML's bare `off` as `false`, so `false` counts as
    /// `off`.
    pub fn choice<T: Copy>(&self, problems: &mut Problems, choices: &[(&'static str, T)]) -> Option<T> {
        let word = self.word();
        let found = choices.iter().find(|(name, _)| word == Some(*name)).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let hint = did_you_mean(word.unwrap_or_default(), names.iter().copied());
            self.refuse(problems, self.describe_bare_word(), format!("one of {}{hint}", names.join(", ")));
        }
        found
    }

    /// Returns `true` or `false`, or refuses the value.
    pub fn flag(&self, problems: &mut Problems) -> bool {
        if let Value::Bool(flag) = self.node.value {
            return flag;
        }
        self.expected(problems, "true or false");
        false
    }

    /// Returns a text, or the word that YAML turned into `false`.
    pub fn word(&self) -> Option<&'a str> {
        match &self.node.value {
            Value::String(text) => Some(text),
            Value::Bool(false) => Some("off"),
            _ => None,
        }
    }

    /// Reads a list of words, each of which must occur only once. Refuses an empty list.
    ///
    /// Numbers count as words. `is_one` says whether a text is a valid word.
    pub(super) fn words(
        &self,
        problems: &mut Problems,
        expected: &str,
        expected_word: &str,
        is_one: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let before = problems.len();
        let mut words: Vec<String> = Vec::new();
        for item in self.items(problems, expected) {
            let word = match &item.node.value {
                Value::String(text) | Value::Number(text) => text.as_str(),
                _ => "",
            };
            if word.is_empty() || !is_one(word) {
                item.expected(problems, expected_word);
            } else if words.iter().any(|known| known == word) {
                item.expected(problems, "each entry once");
            }
            words.push(word.to_owned());
        }
        if words.is_empty() && problems.len() == before {
            self.refuse(problems, "an empty array", expected);
        }
        words
    }

    /// Returns a number. Envoy passes fractions and large numbers in YAML on as text, so texts count too.
    pub(super) fn number(&self) -> Option<Decimal> {
        match &self.node.value {
            Value::Number(text) | Value::String(text) => Decimal::parse(text),
            _ => None,
        }
    }

    /// Refuses the value.
    pub fn expected(&self, problems: &mut Problems, expected: &str) {
        self.refuse(problems, self.node.describe(), expected);
    }

    /// Refuses for a reason other than the value alone.
    pub fn refuse(&self, problems: &mut Problems, found: impl Into<String>, expected: impl Into<String>) {
        self.add_problem(problems, found.into(), expected.into());
    }

    #[inline(never)]
    fn add_problem(&self, problems: &mut Problems, found: String, expected: String) {
        problems.push(ConfigError { at: self.path(), offset: self.offset, found, expected });
    }

    /// Returns the path as text: `routes[0].move["a.b"]`.
    pub fn path(&self) -> String {
        let path = self.path_or_nothing();
        if path.is_empty() { "configuration".to_owned() } else { path }
    }

    fn path_or_nothing(&self) -> String {
        let mut steps = Vec::new();
        let mut cursor = Some(self);
        while let Some(here) = cursor {
            steps.push(here.step);
            cursor = here.parent;
        }
        let mut path = String::new();
        steps.iter().rev().for_each(|step| push_step(&mut path, *step));
        path
    }

    fn member(&'a self, member: &'a Member) -> Cursor<'a> {
        let step = Link::Name(&member.name);
        Cursor { node: &member.node, offset: member.offset, parent: Some(self), step }
    }

    /// Describes a value where a text is expected. A boolean there is mostly an accident of YAML.
    fn describe_bare_word(&self) -> String {
        let found = self.node.describe();
        match self.node.value {
            Value::Bool(_) => found + " (bare y, n, yes, no, on and off are booleans in YAML: use quotes)",
            Value::Null => found + " (a bare null or an empty place in YAML: use quotes for the word)",
            _ => found,
        }
    }
}

impl Node {
    /// Returns the member with this name, or the element at this index.
    fn step(&self, step: &str) -> Option<(Link<'_>, &Node, usize)> {
        match &self.value {
            Value::Object(members) => {
                let member = members.iter().find(|member| member.name == step)?;
                Some((Link::Name(&member.name), &member.node, member.offset))
            }
            Value::Array(items) => {
                let index = step.parse().ok()?;
                items.get(index).map(|node| (Link::Index(index), node, node.offset))
            }
            _ => None,
        }
    }
}

/// Refuses names that occur twice in one object, anywhere below. Most readers would silently drop one of the two.
pub fn refuse_duplicates(cursor: &Cursor<'_>, problems: &mut Problems) {
    match &cursor.node.value {
        Value::Object(members) => {
            let names = Index::new(members.iter().map(|member| member.name.as_str()));
            for again in names.repeats().filter_map(|(_, second)| members.get(second)) {
                let expected = "each name once in an object";
                cursor.member(again).refuse(problems, format!("{} a second time", quote(&again.name)), expected);
            }
            for member in members {
                refuse_duplicates(&cursor.member(member), problems);
            }
        }
        Value::Array(_) => {
            for item in cursor.items(problems, "an array") {
                refuse_duplicates(&item, problems);
            }
        }
        _ => (),
    }
}

fn push_step(path: &mut String, step: Link<'_>) {
    // Writing to a `String` cannot fail.
    let _ = match step {
        Link::Root => Ok(()),
        Link::Path(start) => path.write_str(start),
        Link::Index(index) => write!(path, "[{index}]"),
        Link::Name(name) if !is_word(name) => write!(path, "[{}]", quote(name)),
        Link::Name(name) if path.is_empty() => path.write_str(name),
        Link::Name(name) => write!(path, ".{name}"),
    };
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'))
}
