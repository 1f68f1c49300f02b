//! Look-up of names in a list.

use crate::order;

/// The names of a list, sorted, each with its position in the list.
///
/// All look-ups in a configuration use this one type: sorting is the largest generic code here, and this way the wasm
/// module has it only once.
pub(super) struct Index<'a>(Vec<(&'a str, usize)>);

impl<'a> Index<'a> {
    pub fn new(names: impl Iterator<Item = &'a str>) -> Self {
        let mut places: Vec<(&str, usize)> = names.enumerate().map(|(place, name)| (name, place)).collect();
        order::sort(&mut places);
        Index(places)
    }

    /// Returns the first position of a name.
    pub fn first(&self, name: &str) -> Option<usize> {
        self.all(name).first().map(|(_, place)| *place)
    }

    /// Returns a name with all its positions.
    pub fn all<'s>(&'s self, name: &'s str) -> &'s [(&'s str, usize)] {
        order::run(&self.0, name)
    }

    /// Returns the positions of repeated names, each behind the position just before it.
    pub fn repeats(&self) -> impl Iterator<Item = (usize, usize)> {
        let pairs = self.0.iter().zip(self.0.iter().skip(1));
        pairs.filter(|((a, _), (b, _))| a == b).map(|((_, first), (_, second))| (*first, *second))
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn names_are_found_where_they_stand_first() {
        let index = Index::new(["b", "a", "b", "", "b"].into_iter());
        let rows = [("a", Some(1)), ("b", Some(0)), ("", Some(3)), ("c", None), ("ab", None)];
        for (name, expected) in rows {
            assert_eq!(index.first(name), expected, "{name}");
        }
        assert_eq!(index.all("b"), [("b", 0), ("b", 2), ("b", 4)]);
        assert_eq!(index.repeats().collect::<Vec<_>>(), [(0, 2), (2, 4)]);
    }
}
