//! The dictionary as its YAML files state it.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The names of the files, in the order in which their problems are told.
pub const FILES: [&str; 9] =
    ["synonyms", "opposites", "abbreviations", "compounds", "neutral", "wrappers", "plurals", "roles", "words"];

/// All files.
#[derive(Debug, Default)]
pub struct Dictionary {
    pub synonyms: Vec<Group>,
    pub opposites: Vec<Set>,
    pub abbreviations: BTreeMap<String, OneOrMore>,
    pub compounds: BTreeMap<String, String>,
    pub neutral: Neutral,
    pub wrappers: Wrappers,
    pub plurals: Plurals,
    /// Words by the name of a role.
    pub roles: BTreeMap<String, Vec<String>>,
    /// Words of which nothing else is known.
    pub words: Vec<String>,
}

/// Words that mean the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub sense: String,
    pub strength: Strength,
    pub words: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    Exact,
    Near,
}

/// Words that never match one another. A slot of several words has them for the same thing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    pub sense: String,
    pub never: Vec<OneOrMore>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Neutral {
    pub suffix: Vec<NeutralEntry>,
    pub prefix: Vec<NeutralEntry>,
}

/// `after` belongs to a suffix, `before` to a prefix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeutralEntry {
    pub words: Vec<String>,
    #[serde(default)]
    pub after: Vec<String>,
    #[serde(default)]
    pub before: Vec<String>,
    pub kind: Option<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Boolean,
    Number,
    String,
    Array,
    Object,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrappers {
    pub envelopes: Vec<String>,
    pub groupings: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plurals {
    pub irregular: BTreeMap<String, String>,
    pub uncountable: Vec<String>,
}

impl Dictionary {
    /// Reads the file of that name into its part.
    pub fn read(&mut self, file: &str, text: &str) -> Result<(), String> {
        let told = match file {
            "synonyms" => serde_saphyr::from_str(text).map(|part| self.synonyms = part),
            "opposites" => serde_saphyr::from_str(text).map(|part| self.opposites = part),
            "abbreviations" => serde_saphyr::from_str(text).map(|part| self.abbreviations = part),
            "compounds" => serde_saphyr::from_str(text).map(|part| self.compounds = part),
            "neutral" => serde_saphyr::from_str(text).map(|part| self.neutral = part),
            "wrappers" => serde_saphyr::from_str(text).map(|part| self.wrappers = part),
            "plurals" => serde_saphyr::from_str(text).map(|part| self.plurals = part),
            "roles" => serde_saphyr::from_str(text).map(|part| self.roles = part),
            "words" => serde_saphyr::from_str(text).map(|part| self.words = part),
            _ => {
                return Err(format!(
                    "{}: found a file of that name; expected one of {}",
                    place(file),
                    FILES.join(", ")
                ));
            }
        };
        told.map_err(|error| format!("{}: {error}", place(file)))
    }
}

impl OneOrMore {
    pub fn words(&self) -> &[String] {
        match self {
            OneOrMore::One(word) => std::slice::from_ref(word),
            OneOrMore::More(words) => words,
        }
    }
}

/// How messages name the file.
pub fn place(file: &str) -> String {
    format!("rules/dictionary/{file}.yaml")
}
