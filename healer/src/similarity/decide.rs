//! Which pairs are good enough, and better than all their rivals.
//!
//! A pair is taken if it is the best one of both its field and its member, by the margin. Pairs of equal names go
//! first, and what they take is no rival any more. Any assignment that is optimal has these pairs: exchanging one of
//! them for two others loses at least twice the margin. What an optimal assignment has beyond them is decided by less
//! than the margin, or by elimination, and that is what must not be healed.

use super::record::{Pair, Record};
use super::{Alignment, Id, Parts, doubt};
use crate::order::sort_by_less;

/// A pair whose words fit counts as a sibling.
const SIBLING: f32 = 0.85;
/// By how much of the way to 1 the names above are forgiven, for one, two and more siblings that moved along.
const SIBLINGS: [f32; 3] = [0.0, 0.35, 0.6];
const MOST_SIBLINGS: f32 = 0.65;
/// Names above that weigh more are not forgiven.
const LEAST_PATH: f32 = 0.6;

/// A pair that may be another one: good for a rival only.
const DOUBTFUL: f32 = 0.8;
/// From here on names are the same but for case and separators.
const SAME: f32 = 0.995;
/// What that is worth beside a rival.
const SAME_BONUS: f32 = 0.06;

/// Appends what is decided of [`super::Scratch::pairs`].
pub(super) fn decide(record: &mut Record<'_, '_>, out: &mut Vec<Alignment>) {
    let mut pairs = std::mem::take(&mut record.scratch.pairs);
    let first = out.len();
    if !record.settings.without().siblings {
        count_siblings(record, &mut pairs);
    }
    let formed = doubt::formed(record);
    lower_doubtful(record, &mut pairs, &[], &formed);
    take(record, &pairs, SAME, out);
    pairs.retain(|pair| {
        let taken = out.get(first..).unwrap_or_default();
        !taken.iter().any(|alignment| alignment.found == pair.found || alignment.expected == pair.expected)
    });
    lower_doubtful(record, &mut pairs, out.get(first..).unwrap_or_default(), &formed);
    take(record, &pairs, record.settings.threshold, out);
    record.scratch.pairs = pairs;
}

/// What was moved together was moved: the names above weigh less where several members of one object belong together.
fn count_siblings(record: &Record<'_, '_>, pairs: &mut [Pair]) {
    if !pairs.iter().any(may_move) {
        return;
    }
    let rivals = Rivals::among(pairs.iter(), |pair| pair.score);
    let fits =
        |pair: &&Pair| !pair.is_taken && pair.score >= SIBLING * pair.parts.path && rivals.of(pair) <= pair.score;
    let fitting: Vec<_> = pairs.iter().filter(fits).map(|pair| (parents(record, pair), *pair)).collect();
    for pair in pairs.iter_mut().filter(|pair| may_move(pair)) {
        let objects = parents(record, pair);
        let beside = fitting.iter().filter(|(around, other)| {
            *around == objects && other.expected != pair.expected && other.found != pair.found
        });
        pair.parts.siblings = SIBLINGS.get(beside.take(SIBLINGS.len()).count()).copied().unwrap_or(MOST_SIBLINGS);
    }
    // Not before all are counted: what counts must not depend on the order of pairs.
    for pair in pairs.iter_mut().filter(|pair| may_move(pair)) {
        let path = pair.parts.path + (1.0 - pair.parts.path) * pair.parts.siblings;
        pair.score = (pair.score * path / pair.parts.path).min(1.0);
    }
}

/// Whether siblings may forgive the names above.
fn may_move(pair: &Pair) -> bool {
    !pair.is_taken && (LEAST_PATH..1.0).contains(&pair.parts.path)
}

/// Lowers pairs that may be others.
fn lower_doubtful(record: &Record<'_, '_>, pairs: &mut [Pair], taken: &[Alignment], formed: &[Id]) {
    let known = doubt::Known { sure: sure(record, pairs, taken), formed };
    let good = pairs.iter_mut().filter(|pair| !pair.is_taken && pair.score > DOUBTFUL);
    for pair in good.filter(|pair| doubt::is_doubtful(record, pair, &known)) {
        pair.score = DOUBTFUL;
    }
}

/// What pairs are worth, by member and by field: a pair has to be compared with those of its own two only.
struct Rivals {
    by_found: Vec<(Id, Id, f32)>,
    by_expected: Vec<(Id, Id, f32)>,
}

impl Rivals {
    fn among<'p>(pairs: impl Iterator<Item = &'p Pair> + Clone, worth: impl Fn(&Pair) -> f32) -> Self {
        let mut by_found: Vec<_> = pairs.clone().map(|pair| (pair.found, pair.expected, worth(pair))).collect();
        let mut by_expected: Vec<_> = pairs.map(|pair| (pair.expected, pair.found, worth(pair))).collect();
        for list in [&mut by_found, &mut by_expected] {
            sort_by_less(list, |a, b| a.0 < b.0);
        }
        Rivals { by_found, by_expected }
    }

    /// The most that another pair of the member or of the field is worth.
    fn of(&self, pair: &Pair) -> f32 {
        let best = |list: &[(Id, Id, f32)], of: Id, but: Id| {
            let start = list.partition_point(|(id, _, _)| *id < of);
            let own = list.iter().skip(start).take_while(|(id, _, _)| *id == of);
            own.filter(|(_, other, _)| *other != but).map(|(_, _, worth)| *worth).fold(0.0, f32::max)
        };
        best(&self.by_found, pair.found, pair.expected).max(best(&self.by_expected, pair.expected, pair.found))
    }
}

/// Pairs that are taken, or good enough to be.
fn sure(record: &Record<'_, '_>, pairs: &[Pair], taken: &[Alignment]) -> Vec<(Id, Id)> {
    let least = record.settings.threshold;
    let good = pairs.iter().filter(|pair| !pair.is_taken && pair.score >= least);
    let taken = taken.iter().map(|alignment| (alignment.expected, alignment.found));
    taken.chain(good.map(|pair| (pair.expected, pair.found))).collect()
}

/// The objects around both sides of a pair.
fn parents(record: &Record<'_, '_>, pair: &Pair) -> (Option<Id>, Option<Id>) {
    let expected = record.model.field(pair.expected).map(|field| field.parent);
    (expected, record.found.get(pair.found as usize).map(|found| found.parent))
}

fn take(record: &Record<'_, '_>, pairs: &[Pair], least: f32, out: &mut Vec<Alignment>) {
    let least = least.max(record.settings.threshold);
    let good = |pair: &&Pair| !pair.is_taken && pair.score >= least;
    if !pairs.iter().any(|pair| good(&pair)) {
        return;
    }
    let counts = |other: &&Pair| !other.is_taken || !record.settings.without().rivals;
    let rivals = Rivals::among(pairs.iter().filter(counts), worth);
    for pair in pairs.iter().filter(good) {
        let rival = rivals.of(pair);
        if worth(pair) >= rival + record.settings.margin {
            let parts = Parts { rival: rival.min(1.0), ..pair.parts };
            out.push(Alignment { expected: pair.expected, found: pair.found, score: pair.score, parts });
        }
    }
}

fn worth(pair: &Pair) -> f32 {
    if pair.score >= SAME { pair.score + SAME_BONUS } else { pair.score }
}
