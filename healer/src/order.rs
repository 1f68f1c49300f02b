//! Sorting in little code.
//!
//! The standard library's sorts are faster, but each sorted type adds 10 KB to the module, which every worker loads.
//! The lists here are short, or sorted once per configuration, so most types share one function.

/// Lists up to this length are sorted by insertion where that is compiled for them.
const SHORT: usize = 24;

/// First items far apart are put in order, then nearer ones (Shell 1959), with the gaps of Tokuda (1992). No bound
/// of `n log n` is proven, but orders as strangers can make them take no more than twice that, as a test checks.
const GAPS: [usize; 12] = [30_301, 13_467, 5_985, 2_660, 1_182, 525, 233, 103, 46, 20, 9, 4];

/// Sorts in place. The sort is not stable.
pub fn sort<T: Ord>(items: &mut [T]) {
    let len = items.len();
    sort_list(&mut List { items, is_less: |a: &T, b: &T| a < b }, len);
}

/// Sorts in place by a key. The sort is not stable.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let len = items.len();
    sort_list(&mut List { items, is_less: |a: &T, b: &T| key(a) < key(b) }, len);
}

/// Sorts in place by a strict order. The sort is not stable. For short lists it is faster than [`sort`] but compiled once
/// per order: use it for lists that are sorted while a response waits, unless [`sort`] takes as little there.
pub(crate) fn sort_by_less<T>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) {
    let len = items.len();
    let mut list = List { items, is_less };
    if len <= SHORT { insert(&mut list, len, 1) } else { sort_list(&mut list, len) }
}

/// Returns the entries with this key of a list that is sorted by keys.
#[inline(never)]
pub(crate) fn run<K: Ord + Copy, V>(sorted: &[(K, V)], key: K) -> &[(K, V)] {
    let own = sorted.get(sorted.partition_point(|(other, _)| *other < key)..).unwrap_or_default();
    own.get(..own.partition_point(|(other, _)| *other == key)).unwrap_or_default()
}

/// A list to sort, by index.
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
        swap(self.items, a, b);
    }
}

/// Compiled once per type of item, where [`List`] is compiled for each order too.
#[inline(never)]
fn swap<T>(items: &mut [T], a: usize, b: usize) {
    items.swap(a, b);
}

fn sort_list(list: &mut dyn Sortable, len: usize) {
    if len > SHORT {
        for gap in GAPS.into_iter().filter(|gap| gap.saturating_mul(3) < len) {
            insert(list, len, gap);
        }
    }
    insert(list, len, 1);
}

/// Sorts what stands so far apart by insertion.
fn insert<L: Sortable + ?Sized>(list: &mut L, len: usize, gap: usize) {
    for end in gap..len {
        let mut at = end;
        while let Some(before) = at.checked_sub(gap)
            && list.is_less(at, before)
        {
            list.swap(at, before);
            at = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Many members of few ranks, one after the other, in blocks or in turns, as a body can hold them; and the worst that
    /// sorting by insertion alone can get.
    #[test]
    fn no_order_takes_much_longer() {
        const LEN: u64 = 1 << 16;
        let ranked = |rank: u64, at: u64| rank << 32 | at;
        let mut lists: Vec<Vec<u64>> = vec![(0..LEN).rev().collect()];
        for ranks in [2, 3, 4, 5, 8, 9, 20, 36, 46, 80, 180, 184, 256, 460, 920, 1024] {
            lists.push((0..LEN).map(|at| ranked(ranks - at % ranks, at)).collect());
            lists.push((0..LEN).map(|at| ranked(ranks - at * ranks / LEN, at)).collect());
            lists.push((0..LEN).map(|at| ranked((at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) % ranks, at)).collect());
            lists.push((0..LEN).map(|at| ranked((at % ranks).min(ranks - at % ranks), LEN - at)).collect());
        }
        for mut items in lists {
            let looks = Cell::new(0u64);
            sort_by_less(&mut items, |a, b| {
                looks.set(looks.get() + 1);
                a < b
            });
            assert!(items.is_sorted());
            assert!(looks.get() <= 2 * LEN * u64::from(LEN.ilog2()), "{} looks", looks.get());
        }
    }

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
