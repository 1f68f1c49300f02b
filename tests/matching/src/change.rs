//! What changed from the contract to the body of an API.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is a later version, or the successor.
    Version,
    /// It is another interface to the same data.
    Interface,
    /// It is the API of another vendor.
    Sister,
}

/// By API.
static CHANGES: LazyLock<BTreeMap<&str, Change>> = LazyLock::new(|| {
    let lines = include_str!("../changes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).filter_map(|(word, api)| Some((api, Change::named(word)?))).collect()
});

impl Change {
    /// In the order in which they are told.
    pub const ALL: [Change; 3] = [Change::Version, Change::Interface, Change::Sister];

    /// That of an API, if it is listed.
    pub fn of(api: &str) -> Option<Change> {
        CHANGES.get(api).copied()
    }

    /// In words.
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
