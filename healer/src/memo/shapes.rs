//! Shapes, found by state and hash.

use crate::plan::automaton::Id;

/// Shapes by state of the plan and hash. A sorted list: inserting among thousands takes less than learning a record,
/// and a map type adds 3 KB to the module.
#[derive(Debug, Default)]
pub(super) struct Shapes(Vec<(Key, Id)>);

/// A state of the plan, and a hash.
pub(super) type Key = (Id, u64);

impl Shapes {
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: Key) -> Option<Id> {
        let at = self.place(key).ok()?;
        self.0.get(at).map(|(_, shape)| *shape)
    }

    /// Adds a shape. Returns the one that it replaces.
    pub fn insert(&mut self, key: Key, shape: Id) -> Option<Id> {
        match self.place(key) {
            Ok(at) => self.0.get_mut(at).map(|(_, known)| std::mem::replace(known, shape)),
            Err(at) => {
                self.0.insert(at, (key, shape));
                None
            }
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn place(&self, key: Key) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |(known, _)| *known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_shape_of_a_key_is_known() {
        let mut shapes = Shapes::default();
        let before = [((2, 7), 1), ((1, 9), 2), ((2, 7), 3), ((1, 8), 4)].map(|(key, id)| shapes.insert(key, id));
        assert_eq!(before, [None, None, Some(1), None]);
        assert_eq!([(1, 8), (1, 9), (2, 7), (2, 8)].map(|key| shapes.get(key)), [Some(4), Some(2), Some(3), None]);
        assert_eq!(shapes.len(), 3);
        shapes.clear();
        assert!(shapes.is_empty() && shapes.get((1, 8)).is_none());
    }
}
