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
    /// The correspondences, the one with the highest priority first.
    pub rules: Rules,
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

/// The rules of a pack as one text: a slice of [`Rule`]s takes half as much space again in the module.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    packed: &'static str,
}

impl Rules {
    /// Takes what [`Rule::pack`] wrote for each rule.
    pub(crate) const fn packed(packed: &'static str) -> Self {
        Self { packed }
    }

    /// Returns the rules, the one with the highest priority first.
    pub fn iter(self) -> impl Iterator<Item = Rule<'static>> {
        let mut rest = self.packed;
        std::iter::from_fn(move || {
            let (rule, after) = Rule::unpack(rest)?;
            rest = after;
            Some(rule)
        })
    }
}

/// A declared correspondence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule<'a> {
    /// The number in its id, see [`RuleId`].
    pub number: u16,
    /// How to read `from` and `to`.
    pub kind: Kind,
    /// The drifted name or path.
    pub from: &'a str,
    /// The expected name or path.
    pub to: &'a str,
}

/// The largest number in an id, and the most bytes of a name or path: more would be no single byte in [`Rule::pack`].
pub const MAX_PACKED: usize = 127;

impl<'a> Rule<'a> {
    /// Four characters for the number, the kind and the two lengths, then `from` and `to`; nothing if a number or a
    /// length is above [`MAX_PACKED`].
    pub fn pack(&self) -> Option<String> {
        let small = |n: usize| u8::try_from(n).ok().filter(|n| usize::from(*n) <= MAX_PACKED).map(char::from);
        let head = [usize::from(self.number), usize::from(self.kind == Kind::Move), self.from.len(), self.to.len()];
        let head: String = head.into_iter().map(small).collect::<Option<_>>()?;
        Some(head + self.from + self.to)
    }

    /// Returns the rule with which `packed` begins, and what follows.
    fn unpack(packed: &'a str) -> Option<(Self, &'a str)> {
        let (&[number, kind, from, to], texts) = (packed.as_bytes().first_chunk()?, packed.get(4..)?);
        let (from, rest) = texts.split_at_checked(usize::from(from))?;
        let (to, rest) = rest.split_at_checked(usize::from(to))?;
        let kind = if kind == 0 { Kind::Rename } else { Kind::Move };
        Some((Self { number: u16::from(number), kind, from, to }, rest))
    }
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
    fn a_rule_is_unpacked_as_it_was_packed() {
        let rules = [
            Rule { number: 1, kind: Kind::Rename, from: "größe", to: "size" },
            Rule { number: 127, kind: Kind::Move, from: "a.b", to: "\"c\"" },
        ];
        let packed: String = rules.iter().filter_map(Rule::pack).collect();
        let rules = Rules::packed(packed.leak()).iter().zip(rules);
        assert!(rules.map(|(read, packed)| assert_eq!(read, packed)).count() == 2);
    }

    #[test]
    fn what_does_not_fit_is_not_packed() {
        let rule = Rule { number: 1, kind: Kind::Rename, from: "a", to: "b" };
        assert!(rule.pack().is_some());
        assert!(Rule { number: 128, ..rule }.pack().is_none());
        assert!(Rule { from: &"a".repeat(128), ..rule }.pack().is_none());
    }

    #[test]
    fn a_case_is_read_by_the_name_it_prints() {
        for case in Case::ALL {
            assert_eq!(Case::parse(case.name()), Some(case));
        }
        assert_eq!(Case::parse("SCREAMING_CASE"), None);
    }
}
