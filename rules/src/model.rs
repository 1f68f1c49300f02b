//! The parts of a pack. The library and its build script share them.

use std::fmt;

/// The embedded packs, in the order in which `[all]` lists them.
pub const PACK_NAMES: [&str; 9] =
    ["api-v2", "camel-case", "abbreviations", "underscores", "plurals", "typos", "legacy", "date-time", "nested-paths"];

/// The rules of one category, from one file.
#[derive(Debug)]
pub struct Pack {
    /// The file name without `.yaml`. Configurations choose the pack by it.
    pub name: &'static str,
    /// What the category is about, in one line.
    pub about: &'static str,
    /// The correspondences, the one with the highest priority first.
    pub rules: &'static [Rule],
    /// Case conventions, which are tried after the rules.
    pub conventions: &'static [Convention],
}

impl Pack {
    /// Returns the id of the rule or convention with this number.
    pub fn id(&self, number: u16) -> RuleId {
        RuleId { pack: self.name, number }
    }
}

/// Identifies a rule or convention of the embedded packs. It is printed as an id such as `typos-003`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleId {
    /// The name of the pack.
    pub pack: &'static str,
    /// The number in the pack.
    pub number: u16,
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.pack, self.number)
    }
}

/// A declared correspondence.
#[derive(Debug)]
pub struct Rule {
    /// The number in its id, see [`RuleId`].
    pub number: u16,
    /// How to read `from` and `to`.
    pub kind: Kind,
    /// The drifted name or path.
    pub from: &'static str,
    /// The expected name or path.
    pub to: &'static str,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Renames a member of an object; `from` and `to` are names.
    Rename,
    /// Moves a value inside a record; `from` and `to` are paths.
    Move,
}

/// A rule for every name that is written in another case.
#[derive(Debug)]
pub struct Convention {
    /// The number in its id, as for a rule.
    pub number: u16,
    /// The cases that a drifted name may have.
    pub from: &'static [Case],
    /// The case of expected names.
    pub to: Case,
}

/// A way of writing a name of several words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `userId`
    Camel,
    /// `UserId`
    Pascal,
    /// `user-id`
    Kebab,
    /// `user_id`
    Snake,
}

impl Case {
    /// Every case, in the order of their names in messages.
    pub const ALL: [Case; 4] = [Case::Camel, Case::Pascal, Case::Kebab, Case::Snake];

    /// Returns the name of the case in pack files: the case, written in itself.
    pub fn name(self) -> &'static str {
        match self {
            Case::Camel => "camelCase",
            Case::Pascal => "PascalCase",
            Case::Kebab => "kebab-case",
            Case::Snake => "snake_case",
        }
    }

    /// Returns the case with this name.
    pub fn parse(name: &str) -> Option<Case> {
        Case::ALL.into_iter().find(|case| case.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_by_the_name_it_prints() {
        for case in Case::ALL {
            assert_eq!(Case::parse(case.name()), Some(case));
        }
        assert_eq!(Case::parse("SCREAMING_CASE"), None);
    }
}
