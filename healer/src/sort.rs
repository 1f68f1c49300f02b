//! Sorting in little code.
//!
//! The standard library's sorts are made for long lists and grow by three to twenty kilobytes for every type that they
//! are used with, which Envoy compiles at its start. The lists here are short.

/// Distances over which elements change places (Ciura, "Best increments for the average case of shellsort", 2001; from
/// 1577 on, times 2.25).
const GAPS: [usize; 16] =
    [460_316, 204_585, 90_927, 40_412, 17_961, 7_983, 3_548, 1_577, 701, 301, 132, 57, 23, 10, 4, 1];

/// Sorts a list. Equal elements may change places.
pub(crate) fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, |a, b| a < b);
}

/// Sorts a list by a strict order. Elements of which neither comes first may change places.
pub(crate) fn sort_by<T>(list: &mut [T], comes_first: impl Fn(&T, &T) -> bool) {
    let len = list.len();
    for gap in GAPS.into_iter().filter(|gap| *gap < len) {
        for end in gap..len {
            let mut at = end;
            while let Some(from) = at.checked_sub(gap)
                && let Some([before, .., this]) = list.get_mut(from..=at)
                && comes_first(this, before)
            {
                std::mem::swap(before, this);
                at = from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        let mut seed = 1u64;
        for len in (0..40).chain([100, 1000, 5000]) {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) % 97
            };
            let mut list: Vec<u64> = (0..len).map(|_| next()).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            sort(&mut list);
            assert_eq!(list, expected);
            sort_by(&mut list, |a, b| a > b);
            expected.reverse();
            assert_eq!(list, expected);
        }
    }
}
