//! Facts that may be known about a value.

use crate::plan::anchors::Base;
use crate::plan::automaton::Id;

/// A fact that may be known about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    /// It is the body.
    Root,
    /// It is the body's record, or an element's if the body is an array. Without a contract only.
    RootRecord,
    /// This node describes it.
    Contract(Id),
    /// Renames apply in and below it. Without a contract only.
    Anywhere,
    /// It is this many steps into the scope of a group.
    Scope(usize, usize),
    /// It is at this node of a group's source trie.
    Source(usize, usize),
    /// It is at this node of a group's target trie.
    Target(usize, usize),
}

/// A set of items, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Items(pub Vec<Item>);

impl Items {
    pub(super) fn insert(&mut self, item: Item) {
        if let Err(place) = self.0.binary_search(&item) {
            self.0.insert(place, item);
        }
    }

    pub(super) fn extend(&mut self, items: impl IntoIterator<Item = Item>) {
        items.into_iter().for_each(|item| self.insert(item));
    }

    pub(super) fn contains(&self, item: Item) -> bool {
        self.0.binary_search(&item).is_ok()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Item> {
        self.0.iter()
    }
}

/// Returns the base of the moves that start in a value with this item.
pub(super) fn base_of(item: Item) -> Option<Base> {
    match item {
        Item::RootRecord => Some(Base::Root),
        Item::Contract(node) => Some(Base::Record(node)),
        _ => None,
    }
}
