//! What a pack is made of. Shared by the library and its build script.

use std::fmt;

/// The embedded packs, in the order in which `[all]` lists them.
pub const PACK_NAMES: [&str; 9] =
    ["api-v2", "camel-case", "abbreviations", "underscores", "plurals", "typos", "legacy", "date-time", "nested-paths"];

/// A file of rules of one category.
#[derive(Debug)]
pub struct Pack {
    /// File name without `.yaml`; configurations choose the pack by it.
    pub name: &'static str,
    /// The sense of the category, in one line.
    pub about: &'static str,
    /// Correspondences, the first with the highest priority.
    pub rules: &'static [Rule],
    /// Case conventions, tried after the rules.
    pub conventions: &'static [Convention],
}

impl Pack {
    /// The rule or convention of this number.
    pub fn id(&self, number: u16) -> RuleId {
        RuleId { pack: self.name, number }
    }
}

/// Which rule or convention of the embedded packs it is; printed as its id, such as `typos-003`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleId {
    /// The pack's name.
    pub pack: &'static str,
    /// Its number in the pack.
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
    /// The number in its id. See [`RuleId`].
    pub number: u16,
    /// How `from` and `to` are read.
    pub kind: Kind,
    /// The drifted name, or its path.
    pub from: &'static str,
    /// The expected name, or its path.
    pub to: &'static str,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One name for another, in the same object; `from` and `to` are names.
    Rename,
    /// From one place to another inside a record; `from` and `to` are paths.
    Move,
}

/// A rule for every name that is written in another case.
#[derive(Debug)]
pub struct Convention {
    /// The number in its id, as of a rule.
    pub number: u16,
    /// Cases in which a drifted name may stand.
    pub from: &'static [Case],
    /// The case in which names are expected.
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

    /// The name of the case in pack files: the case, written in itself.
    pub fn name(self) -> &'static str {
        match self {
            Case::Camel => "camelCase",
            Case::Pascal => "PascalCase",
            Case::Kebab => "kebab-case",
            Case::Snake => "snake_case",
        }
    }

    /// The case of that name.
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
