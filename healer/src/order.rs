//! Sorting in little code.
//!
//! The standard library's sorts are the faster ones, and each type that is sorted costs 10 KB of the module, which every
//! worker loads. Here lists are short, or are sorted once per configuration: most types share one function.

/// Lists up to this long are sorted by insertion.
const SHORT: usize = 24;

/// Sorts in place; equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    let len = items.len();
    sort_list::<dyn Sortable>(&mut List { items, is_less: |a: &T, b: &T| a < b }, len);
}

/// Sorts in place by a key; equal items may change places.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let len = items.len();
    sort_list::<dyn Sortable>(&mut List { items, is_less: |a: &T, b: &T| key(a) < key(b) }, len);
}

/// Sorts in place by a strict order; items of which neither is less may change places. Quicker, with code of its own for
/// each type: for what is sorted while a response waits.
pub fn sort_by_less<T>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let len = items.len();
    sort_list(&mut List { items, is_less }, len);
}

/// What is sorted, by places.
trait Sortable {
    fn is_less(&self, a: usize, b: usize) -> bool;
    fn swap(&mut self, a: usize, b: usize);
}

struct List<'a, T, F> {
    items: &'a mut [T],
    is_less: F,
}

impl<T, F: Fn(&T, &T) -> bool> Sortable for List<'_, T, F> {
    #[inline(always)]
    fn is_less(&self, a: usize, b: usize) -> bool {
        match (self.items.get(a), self.items.get(b)) {
            (Some(a), Some(b)) => (self.is_less)(a, b),
            _ => false,
        }
    }

    #[inline(always)]
    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }
}

/// Time: `n log n` (heapsort, Williams 1964), whatever the items.
fn sort_list<L: Sortable + ?Sized>(list: &mut L, len: usize) {
    if len <= SHORT {
        for end in 1..len {
            let mut at = end;
            while at > 0 && list.is_less(at, at.wrapping_sub(1)) {
                list.swap(at, at.wrapping_sub(1));
                at = at.wrapping_sub(1);
            }
        }
        return;
    }
    for step in 0..len.saturating_add(len / 2) {
        // First every parent sinks, from the last to the first; then the greatest goes to the end, time and again.
        let (start, end) = if step < len / 2 {
            ((len / 2).wrapping_sub(step).wrapping_sub(1), len)
        } else {
            let end = len.wrapping_sub(step.wrapping_sub(len / 2)).wrapping_sub(1);
            list.swap(0, end);
            (0, end)
        };
        let mut parent = start;
        loop {
            let left = parent.wrapping_mul(2).wrapping_add(1);
            let right = left.wrapping_add(1);
            if left >= end {
                break;
            }
            let child = if right < end && list.is_less(left, right) { right } else { left };
            if !list.is_less(parent, child) {
                break;
            }
            list.swap(parent, child);
            parent = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(mut items in proptest::collection::vec(0u8..50, 0..200)) {
            let mut expected = items.clone();
            expected.sort_unstable();
            sort(&mut items);
            prop_assert_eq!(&items, &expected);
            sort_by_key(&mut items, |item| std::cmp::Reverse(*item));
            expected.reverse();
            prop_assert_eq!(&items, &expected);
            sort_by_less(&mut items, |a, b| a < b);
            expected.reverse();
            prop_assert_eq!(items, expected);
        }
    }
}
