//! Finds cycles among rules.

use super::index::Index;

/// Returns the cycles that `(from, to)` pairs form.
///
/// A cycle is the list of the indices of its pairs, in the order in which they follow one another, starting with the
/// pair that was declared first. If several pairs have the same source, the first one counts.
pub(super) fn find(pairs: &[(&str, &str)]) -> Vec<Vec<usize>> {
    let next = successors(pairs);
    let mut seen_in: Vec<Option<usize>> = vec![None; pairs.len()];
    let mut circles = Vec::new();
    for walk in 0..pairs.len() {
        let mut at = Some(walk);
        while let Some(index) = at {
            match seen_in.get_mut(index) {
                Some(seen @ None) => *seen = Some(walk),
                Some(Some(earlier)) if *earlier == walk => {
                    let first = circle_from(index, &next).into_iter().min();
                    circles.extend(first.map(|first| circle_from(first, &next)));
                    break;
                }
                _ => break,
            }
            at = next.get(index).copied().flatten();
        }
    }
    circles
}

/// Returns the cycle that starts and ends at `first`.
fn circle_from(first: usize, next: &[Option<usize>]) -> Vec<usize> {
    let mut circle = vec![first];
    let mut last = first;
    while let Some(at) = next.get(last).copied().flatten().filter(|at| *at != first) {
        circle.push(at);
        last = at;
    }
    circle
}

/// Returns for each pair the pair that starts where it ends.
fn successors(pairs: &[(&str, &str)]) -> Vec<Option<usize>> {
    let sources = Index::new(pairs.iter().map(|(from, _)| *from));
    pairs.iter().map(|(_, to)| sources.first(to)).collect()
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn every_circle_is_found_once() {
        type Row<'a> = (&'a [(&'a str, &'a str)], &'a [&'a [usize]]);
        let rows: [Row<'_>; 9] = [
            (&[], &[]),
            (&[("a", "b"), ("b", "c")], &[]),
            (&[("a", "a")], &[&[0]]),
            (&[("a", "b"), ("b", "a")], &[&[0, 1]]),
            (&[("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")], &[&[1, 2, 3]]),
            (&[("c", "a"), ("x", "a"), ("a", "b"), ("b", "c")], &[&[0, 2, 3]]),
            (&[("x", "b"), ("a", "b"), ("b", "a")], &[&[1, 2]]),
            (&[("a", "b"), ("c", "d"), ("b", "a"), ("d", "c")], &[&[0, 2], &[1, 3]]),
            (&[("a", "c"), ("b", "c"), ("c", "d")], &[]),
        ];
        for (pairs, expected) in rows {
            assert_eq!(find(pairs), expected, "{pairs:?}");
        }
    }
}
