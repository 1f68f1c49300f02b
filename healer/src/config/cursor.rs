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

/// A node, and the way to it as text. Unlike a [`Cursor`] it can be kept.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// What stands there.
    pub node: &'a Node,
    offset: usize,
    path: String,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Path(&'a str),
    Name(&'a str),
    Index(usize),
}

impl<'a> Place<'a> {
    /// The start of a walk from here.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { node: self.node, offset: self.offset, parent: None, step: Step::Path(&self.path) }
    }

    /// The place behind these names and indices. Where there is none: the last node on the way, and the step that it
    /// does not have.
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
    /// The start of a walk.
    pub fn root(node: &'a Node) -> Self {
        Cursor { node, offset: node.offset, parent: None, step: Step::Root }
    }

    /// Where this stands.
    pub fn place(&self) -> Place<'a> {
        Place { node: self.node, offset: self.offset, path: self.path_or_nothing() }
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
            Step::Root | Step::Path(_) | Step::Index(_) => "",
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

    /// `true` or `false`.
    pub fn flag(&self, problems: &mut Problems) -> bool {
        if let Value::Bool(flag) = self.node.value {
            return flag;
        }
        self.expected(problems, "true or false");
        false
    }

    /// A text, or the word that YAML made a boolean of.
    pub fn word(&self) -> Option<&'a str> {
        match &self.node.value {
            Value::String(text) => Some(text),
            Value::Bool(false) => Some("off"),
            _ => None,
        }
    }

    /// A list of words, each once and at least one; numbers count as words. `is_one` says what is a word here.
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

impl Node {
    /// The member of that name, or the element at that index.
    fn step(&self, step: &str) -> Option<(Step<'_>, &Node, usize)> {
        match &self.value {
            Value::Object(members) => {
                let member = members.iter().find(|member| member.name == step)?;
                Some((Step::Name(&member.name), &member.node, member.offset))
            }
            Value::Array(items) => {
                let index = step.parse().ok()?;
                items.get(index).map(|node| (Step::Index(index), node, node.offset))
            }
            _ => None,
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
        Step::Path(start) => path.write_str(start),
        Step::Index(index) => write!(path, "[{index}]"),
        Step::Name(name) if !is_word(name) => write!(path, "[{}]", quote(name)),
        Step::Name(name) if path.is_empty() => path.write_str(name),
        Step::Name(name) => write!(path, ".{name}"),
    };
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$' | '@'))
}
