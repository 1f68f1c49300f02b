//! A typed walk over [`Node`]s that knows where it is, and collects what is wrong.

use std::fmt::Write as _;

use super::decimal::Decimal;
use super::error::ConfigError;
use super::index::Index;
use super::node::{Member, Node, Value, quote};
use super::suggest::did_you_mean;

/// Everything that is wrong with a configuration, in the order of reading.
pub type Problems = Vec<ConfigError>;

/// A node and the way to it. Lives on the stack: the path becomes text only for a refusal.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    /// What stands here.
    pub node: &'a Node,
    /// Where a refusal points to: the name of a member, else the node.
    offset: usize,
    parent: Option<&'a Cursor<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Name(&'a str),
    Index(usize),
}

impl<'a> Cursor<'a> {
    /// The start of a walk.
    pub fn root(node: &'a Node) -> Self {
        Cursor { node, offset: node.offset, parent: None, step: Step::Root }
    }

    /// The members, each under its name; a refusal if this is no object.
    pub fn members(&'a self, problems: &mut Problems, expected: &str) -> impl Iterator<Item = Cursor<'a>> + use<'a> {
        let mut members: &[Member] = &[];
        match &self.node.value {
            Value::Object(found) => members = found,
            _ => self.expected(problems, expected),
        }
        members.iter().map(|member| self.member(member))
    }

    /// The elements; a refusal if this is no array.
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
            step: Step::Index(index),
        })
    }

    /// Whether there are members.
    pub fn is_object(&self) -> bool {
        matches!(self.node.value, Value::Object(_))
    }

    /// The member of that name.
    pub fn field(&'a self, name: &str) -> Option<Cursor<'a>> {
        let Value::Object(members) = &self.node.value else { return None };
        members.iter().find(|member| member.name == name).map(|member| self.member(member))
    }

    /// Refuses a value that is no object, and members of other names than these.
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

    /// The name under which this stands, or nothing.
    pub fn name(&self) -> &'a str {
        match self.step {
            Step::Name(name) => name,
            Step::Root | Step::Index(_) => "",
        }
    }

    /// A text that is not empty.
    pub fn text(&self, problems: &mut Problems, expected: &str) -> Option<&'a str> {
        match &self.node.value {
            Value::String(text) if !text.is_empty() => return Some(text),
            Value::Bool(_) | Value::Null => self.refuse(problems, self.describe_bare_word(), expected),
            _ => self.expected(problems, expected),
        }
        None
    }

    /// One of a few words. Envoy reads YAML's bare `off` as `false`, so that counts as the word.
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

    /// A text, or the word that YAML made a boolean of.
    pub fn word(&self) -> Option<&'a str> {
        match &self.node.value {
            Value::String(text) => Some(text),
            Value::Bool(false) => Some("off"),
            _ => None,
        }
    }

    /// A number. Envoy hands fractions and large numbers in YAML over as text, so that counts too.
    pub(super) fn number(&self) -> Option<Decimal> {
        match &self.node.value {
            Value::Number(text) | Value::String(text) => Decimal::parse(text),
            _ => None,
        }
    }

    /// Refuses what stands here.
    pub fn expected(&self, problems: &mut Problems, expected: &str) {
        self.refuse(problems, self.node.describe(), expected);
    }

    /// Refuses for a reason that is not in the value alone.
    pub fn refuse(&self, problems: &mut Problems, found: impl Into<String>, expected: impl Into<String>) {
        let at = self.path();
        problems.push(ConfigError { at, offset: self.offset, found: found.into(), expected: expected.into() });
    }

    /// The way here as text: `routes[0].move["a.b"]`.
    pub fn path(&self) -> String {
        let mut steps = Vec::new();
        let mut cursor = Some(self);
        while let Some(here) = cursor {
            steps.push(here.step);
            cursor = here.parent;
        }
        let mut path = String::new();
        steps.iter().rev().for_each(|step| push_step(&mut path, *step));
        if path.is_empty() { "configuration".to_owned() } else { path }
    }

    fn member(&'a self, member: &'a Member) -> Cursor<'a> {
        let step = Step::Name(&member.name);
        Cursor { node: &member.node, offset: member.offset, parent: Some(self), step }
    }

    /// What stands where a text belongs. A boolean there is mostly a surprise that YAML prepared.
    fn describe_bare_word(&self) -> String {
        let found = self.node.describe();
        match self.node.value {
            Value::Bool(_) => found + " (bare y, n, yes, no, on and off are booleans in YAML: use quotes)",
            Value::Null => found + " (a bare null or an empty place in YAML: use quotes for the word)",
            _ => found,
        }
    }
}

/// Refuses names that occur twice in an object, anywhere below. Most readers would drop one of them in silence.
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

fn push_step(path: &mut String, step: Step<'_>) {
    // Writing to a String cannot fail.
    let _ = match step {
        Step::Root => Ok(()),
        Step::Index(index) => write!(path, "[{index}]"),
        Step::Name(name) if !is_word(name) => write!(path, "[{}]", quote(name)),
        Step::Name(name) if path.is_empty() => path.write_str(name),
        Step::Name(name) => write!(path, ".{name}"),
    };
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'))
}
