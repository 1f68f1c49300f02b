//! Sorting in little code.
//!
//! The standard library's sorts are the faster ones, and each type that is sorted costs 10 KB of the module, which every
//! worker loads. Here lists are short, or are sorted once per configuration.

/// Lists up to this long are sorted by insertion.
const SHORT: usize = 24;

/// Sorts in place; equal items may change places.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by_less(items, |a, b| a < b);
}

/// Sorts in place by a key; equal items may change places.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by_less(items, |a, b| key(a) < key(b));
}

/// Sorts in place by a strict order; items of which neither is less may change places. Time: `n log n` (heapsort,
/// Williams 1964), whatever the items.
pub fn sort_by_less<T>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let less = |items: &[T], a: usize, b: usize| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => is_less(a, b),
        _ => false,
    };
    let len = items.len();
    if len <= SHORT {
        for end in 1..len {
            let mut at = end;
            while at > 0 && less(items, at, at.wrapping_sub(1)) {
                items.swap(at, at.wrapping_sub(1));
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
            items.swap(0, end);
            (0, end)
        };
        let mut parent = start;
        loop {
            let left = parent.wrapping_mul(2).wrapping_add(1);
            let right = left.wrapping_add(1);
            if left >= end {
                break;
            }
            let child = if right < end && less(items, left, right) { right } else { left };
            if !less(items, parent, child) {
                break;
            }
            items.swap(parent, child);
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
            prop_assert_eq!(items, expected);
        }
    }
}
