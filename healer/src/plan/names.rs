//! Names and their numbers.

use super::automaton::Id;
use crate::hash::name_hash;
use crate::order;

/// A number for each name. A table of its own, because a map of the standard library adds 3 KB to the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// In order of insertion, until sorted.
    list: Vec<(String, Id)>,
    /// Indices into `list` counted from 1; 0 is free. Open addressing, at most half full; the length is a power of two.
    slots: Vec<u32>,
}

impl Names {
    pub fn new() -> Self {
        Names::default()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Iterates in the order of [`Names::sort`], if no name was added after it.
    pub fn iter(&self) -> impl Iterator<Item = (&String, Id)> {
        self.list.iter().map(|(name, id)| (name, *id))
    }

    /// Sorts by name, so that what is made of the names does not depend on their order of insertion. Costs next to
    /// nothing if they were inserted in that order.
    pub fn sort(&mut self) {
        if !self.list.is_sorted() {
            order::sort(&mut self.list);
            self.place_all(self.slots.len());
        }
    }

    #[inline(never)]
    pub fn get(&self, name: &str) -> Option<Id> {
        let slot = *self.slots.get(self.slot(name))?;
        self.list.get(slot.checked_sub(1)? as usize).map(|(_, id)| *id)
    }

    /// Gives a name a number, which replaces an earlier one.
    #[inline(never)]
    pub fn insert(&mut self, name: String, id: Id) {
        if self.list.len().saturating_mul(2) >= self.slots.len() {
            self.place_all(self.slots.len().saturating_mul(2).max(4));
        }
        let at = self.slot(&name);
        let Some(slot) = self.slots.get_mut(at) else { return };
        if let Some((_, known)) = slot.checked_sub(1).and_then(|place| self.list.get_mut(place as usize)) {
            *known = id;
            return;
        }
        self.list.push((name, id));
        *slot = self.list.len() as u32;
    }

    fn place_all(&mut self, slots: usize) {
        self.slots = vec![0; slots];
        for (place, (name, _)) in (1..).zip(&self.list) {
            let at = self.slot(name);
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = place;
            }
        }
    }

    /// Returns the slot where a name is or would be.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = name_hash(name.as_bytes()) as usize & mask;
        while let Some(place) = self.slots.get(at).and_then(|slot| slot.checked_sub(1)) {
            if self.list.get(place as usize).is_some_and(|(known, _)| known == name) {
                break;
            }
            at = at.wrapping_add(1) & mask;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_a_name_is_known() {
        let mut names = Names::new();
        assert!(names.is_empty() && names.get("a").is_none());
        for id in 0..1000 {
            names.insert(format!("{}", id % 700), id);
            assert_eq!(names.get(&format!("{}", id % 700)), Some(id));
        }
        assert_eq!(names.len(), 700);
        names.sort();
        let all: Vec<_> = names.iter().map(|(name, id)| (name.clone(), id)).collect();
        let mut expected: Vec<_> = (0..700).map(|n| (n.to_string(), if n < 300 { n + 700 } else { n })).collect();
        expected.sort();
        assert_eq!(all, expected);
        assert_eq!((names.get("7"), names.get("699"), names.get("700")), (Some(707), Some(699), None));
    }
}
