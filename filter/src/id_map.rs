//! A map keyed by context id.
//!
//! The host counts ids up, so what is new comes last in a list that is sorted by id. What is taken out leaves its place
//! empty, until most places are, so that nothing is moved for one value. This takes fewer instructions than a hash map,
//! and makes the module smaller.

/// Values by context id.
#[derive(Debug)]
pub(crate) struct IdMap<T> {
    /// In ascending order of ids. `None` where the value was taken out.
    places: Vec<(u32, Option<Box<T>>)>,
    /// The number of values.
    len: usize,
}

impl<T> IdMap<T> {
    /// Returns an empty map.
    pub fn new() -> Self {
        IdMap { places: Vec::new(), len: 0 }
    }

    /// Returns the value of an id.
    pub fn get(&self, id: u32) -> Option<&T> {
        self.places.get(self.find(id).ok()?)?.1.as_deref()
    }

    /// Returns the value of an id.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut T> {
        let place = self.find(id).ok()?;
        self.places.get_mut(place)?.1.as_deref_mut()
    }

    /// Sets the value of an id. Returns the one that it had.
    pub fn insert(&mut self, id: u32, value: T) -> Option<T> {
        let value = Some(Box::new(value));
        let before = match self.find(id) {
            Ok(place) => self.places.get_mut(place).and_then(|(_, known)| std::mem::replace(known, value)),
            Err(place) => {
                self.places.insert(place, (id, value));
                None
            }
        };
        self.len = self.len.saturating_add(usize::from(before.is_none()));
        before.map(|value| *value)
    }

    /// Takes out the value of an id. Costs constant time, if spread over all calls.
    pub fn remove(&mut self, id: u32) -> Option<T> {
        let place = self.find(id).ok()?;
        let value = self.places.get_mut(place)?.1.take()?;
        self.len = self.len.saturating_sub(1);
        if self.len < self.places.len() / 2 {
            self.places.retain(|(_, value)| value.is_some());
        }
        Some(*value)
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the place of an id, or the one where it belongs.
    fn find(&self, id: u32) -> Result<usize, usize> {
        self.places.binary_search_by_key(&id, |(known, _)| *known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_kept_by_id() {
        let mut map = IdMap::new();
        for id in [3, 1, 7, 2] {
            assert_eq!(map.insert(id, id * 10), None);
        }
        assert_eq!((map.len(), map.get(7), map.get(4)), (4, Some(&70), None));
        assert_eq!((map.insert(7, 5), map.remove(7), map.remove(7)), (Some(70), Some(5), None));
        for id in 8..100 {
            assert_eq!((map.insert(id, id), map.remove(id), map.len()), (None, Some(id), 3));
        }
        map.get_mut(1).into_iter().for_each(|value| *value += 1);
        assert_eq!((map.remove(1), map.remove(2), map.remove(3), map.len()), (Some(11), Some(20), Some(30), 0));
    }
}
