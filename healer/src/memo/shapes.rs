//! Shapes, found by state and hash.

use crate::plan::automaton::Id;
use std::cmp::Ordering;

/// Shapes by state of the plan and hash, and those with one hash in an order of their own: whoever chooses names can
/// make as many as they like with one hash. Sorted lists, by the lowest bits of the hash: inserting among hundreds takes
/// less than learning a record, and a map type adds 3 KB to the module.
#[derive(Debug, Default)]
pub(super) struct Shapes([Vec<(Key, Id)>; LISTS]);

/// A power of two.
const LISTS: usize = 16;

/// A state of the plan, and a hash.
pub(super) type Key = (Id, u64);

impl Shapes {
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Returns the number of the list that a key belongs in.
    fn list_of((_, hash): Key) -> usize {
        hash as usize % LISTS
    }

    /// Returns a shape with this key that equals what is searched, or else where that is to be inserted. `compare`:
    /// returns whether a shape comes before what is searched.
    pub fn find(&self, key: Key, compare: impl Fn(Id) -> Ordering) -> Result<Id, usize> {
        let list = self.0.get(Self::list_of(key)).map_or(&[][..], Vec::as_slice);
        let first = list.partition_point(|(known, _)| *known < key);
        let end = list.partition_point(|(known, _)| *known <= key);
        let same = list.get(first..end).unwrap_or_default();
        let place = match same {
            // Nearly always. The binary search compares what it finds twice.
            [(_, shape)] => match compare(*shape) {
                Ordering::Less => Err(1),
                Ordering::Equal => Ok(0),
                Ordering::Greater => Err(0),
            },
            _ => same.binary_search_by(|(_, shape)| compare(*shape)),
        };
        let place = place.map_err(|place| first.saturating_add(place))?;
        same.get(place).map(|(_, shape)| *shape).ok_or(first)
    }

    /// Adds a shape at the place that [`Shapes::find`] returned.
    pub fn insert(&mut self, place: usize, key: Key, shape: Id) {
        if let Some(list) = self.0.get_mut(Self::list_of(key)).filter(|list| place <= list.len()) {
            list.insert(place, (key, shape));
        }
    }

    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_one_key_are_in_an_order_of_their_own() {
        let mut shapes = Shapes::default();
        for (key, shape) in [((2, 7), 3), ((1, 9), 2), ((2, 7), 1), ((1, 8), 4), ((2, 7), 2)] {
            let place = shapes.find(key, |known: Id| known.cmp(&shape)).unwrap_err();
            shapes.insert(place, key, shape);
        }
        let find = |key, shape: Id| shapes.find(key, |known| known.cmp(&shape)).ok();
        assert_eq!([1, 2, 3, 4].map(|shape| find((2, 7), shape)), [Some(1), Some(2), Some(3), None]);
        assert_eq!([(1, 8), (1, 9), (2, 8)].map(|key| find(key, 4)), [Some(4), None, None]);
        assert_eq!(shapes.len(), 5);
        shapes.clear();
        assert!(shapes.is_empty() && shapes.find((1, 8), |_| Ordering::Equal).is_err());
    }
}
