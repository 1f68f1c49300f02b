//! What changed between the contract and the body of an API.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The body is from a later version or from the successor.
    Version,
    /// The body is from another interface to the same data.
    Interface,
    /// The body is from the API of another vendor.
    Sister,
}

/// The changes, by API.
static CHANGES: LazyLock<BTreeMap<&str, Change>> = LazyLock::new(|| {
    let lines = include_str!("../changes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).filter_map(|(word, api)| Some((api, Change::named(word)?))).collect()
});

impl Change {
    /// All kinds, in the order in which they are printed.
    pub const ALL: [Change; 3] = [Change::Version, Change::Interface, Change::Sister];

    /// Returns the change of an API, if it is listed.
    pub fn of(api: &str) -> Option<Change> {
        CHANGES.get(api).copied()
    }

    /// Describes the change in words.
    pub fn text(self) -> &'static str {
        match self {
            Change::Version => "version of one API",
            Change::Interface => "interface of one vendor",
            Change::Sister => "sister APIs",
        }
    }

    fn named(word: &str) -> Option<Change> {
        match word {
            "version" => Some(Change::Version),
            "interface" => Some(Change::Interface),
            "sister" => Some(Change::Sister),
            _ => None,
        }
    }
}
