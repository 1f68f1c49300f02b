//! Takes the pairs that are good enough and better than all their rivals.
//!
//! A pair is taken if it is better, by the margin, than every other pair of its field and of its member. Pairs of equal
//! names go first, and what they take is no longer a rival. Any optimal assignment contains these pairs: exchanging one
//! of them for two others loses at least twice the margin. The rest of an optimal assignment rests on less than the
//! margin, or on elimination, and must not be healed.

use super::doubt;
use crate::order::sort;
use crate::similarity::objects::others::Others;
use crate::similarity::record::{Pair, Record};
use crate::similarity::{Alignment, Id, Parts};

/// A pair counts as a sibling from this score on, the names above aside.
const SIBLING: f32 = 0.85;
/// How much of the cost of the names above is forgiven for zero, one and two siblings that moved along;
/// [`MOST_SIBLINGS`] for more.
const SIBLINGS: [f32; 3] = [0.0, 0.35, 0.6];
const MOST_SIBLINGS: f32 = 0.65;
/// The names above are forgiven only if their factor is at least this.
const LEAST_PATH: f32 = 0.6;

/// The score of a doubtful pair: high enough for a rival, too low to be taken.
const DOUBTFUL: f32 = 0.8;
/// From this score on, names differ in case and separators only.
const SAME: f32 = 0.995;
/// What equal names are worth more beside a rival.
const SAME_BONUS: f32 = 0.06;

/// Appends the decisions on [`crate::similarity::Scratch::pairs`].
pub(crate) fn decide(record: &mut Record<'_, '_>, out: &mut Vec<Alignment>) {
    let mut pairs = std::mem::take(&mut record.scratch.pairs);
    let first = out.len();
    let rivals = Rivals::among(&pairs);
    if !record.settings.without().siblings {
        count_siblings(record, &mut pairs, &rivals);
    }
    let is_open = |id: &&Id| record.scratch.members.get(**id as usize).is_some_and(|member| !member.is_closed);
    let formed: Vec<Id> = record.scratch.formed.iter().filter(is_open).copied().collect();
    let mut others = Others::default();
    lower_doubtful(record, &mut pairs, &[], &formed);
    lower(&mut pairs, |pair| doubt::is_doubtful(record, pair) || others.have(record, pair));
    take(record, &pairs, &rivals, SAME, out);
    pairs.retain(|pair| {
        let taken = out.get(first..).unwrap_or_default();
        !taken.iter().any(|alignment| alignment.found == pair.found || alignment.expected == pair.expected)
    });
    lower_doubtful(record, &mut pairs, out.get(first..).unwrap_or_default(), &formed);
    take(record, &pairs, &Rivals::among(&pairs), record.settings.threshold, out);
    record.scratch.pairs = pairs;
}

/// Lowers the cost of the names above where several members of one object moved along.
fn count_siblings(record: &Record<'_, '_>, pairs: &mut [Pair], rivals: &Rivals) {
    if !pairs.iter().any(may_move) {
        return;
    }
    let is_unrivalled = |pair: &Pair| rivals.best(pairs, pair, |other| other.score) <= pair.score;
    let moves = |pair: &Pair| !pair.is_taken && !doubt::is_reference(record, pair);
    let fits = |pair: &&Pair| moves(pair) && pair.score >= SIBLING * pair.parts.path && is_unrivalled(pair);
    let fitting: Vec<_> =
        pairs.iter().filter(fits).map(|pair| (parents(record, pair), pair.expected, pair.found)).collect();
    for pair in pairs.iter_mut().filter(|pair| may_move(pair)) {
        let objects = parents(record, pair);
        let beside = fitting.iter().filter(|(around, expected, found)| {
            *around == objects && *expected != pair.expected && *found != pair.found
        });
        pair.parts.siblings = SIBLINGS.get(beside.take(SIBLINGS.len()).count()).copied().unwrap_or(MOST_SIBLINGS);
    }
    // A second pass, so that what counts does not depend on the order of pairs.
    for pair in pairs.iter_mut().filter(|pair| may_move(pair)) {
        let path = pair.parts.path + (1.0 - pair.parts.path) * pair.parts.siblings;
        pair.score = (pair.score * path / pair.parts.path).min(1.0);
    }
}

/// Whether siblings may forgive the names above.
fn may_move(pair: &Pair) -> bool {
    !pair.is_taken && (LEAST_PATH..1.0).contains(&pair.parts.path)
}

/// Lowers the score of pairs that are doubtful beside those that are sure.
fn lower_doubtful(record: &Record<'_, '_>, pairs: &mut [Pair], taken: &[Alignment], formed: &[Id]) {
    let known = doubt::Evidence { sure: sure(record, pairs, taken), formed };
    lower(pairs, |pair| doubt::is_doubtful_beside(record, pair, &known));
}

/// Lowers the score of these open pairs.
fn lower(pairs: &mut [Pair], mut is_doubtful: impl FnMut(&Pair) -> bool) {
    for pair in pairs.iter_mut().filter(|pair| !pair.is_taken && pair.score > DOUBTFUL) {
        if is_doubtful(pair) {
            pair.score = DOUBTFUL;
        }
    }
}

/// The places of pairs, by member and by field, so that a pair is compared only with those of its own two.
struct Rivals {
    by_found: Vec<u64>,
    by_expected: Vec<u64>,
}

impl Rivals {
    fn among(pairs: &[Pair]) -> Self {
        let sorted = |id: fn(&Pair) -> Id| {
            let mut places: Vec<u64> = pairs.iter().zip(0..).map(|(pair, at)| place(id(pair), at)).collect();
            sort(&mut places);
            places
        };
        Rivals { by_found: sorted(|pair| pair.found), by_expected: sorted(|pair| pair.expected) }
    }

    /// Returns the highest worth of another pair of the same member or field.
    #[inline(never)]
    fn best(&self, pairs: &[Pair], pair: &Pair, worth: fn(&Pair) -> f32) -> f32 {
        let mut best = 0.0_f32;
        for (places, id) in [(&self.by_found, pair.found), (&self.by_expected, pair.expected)] {
            let start = places.partition_point(|known| *known < place(id, 0));
            for known in places.iter().skip(start).take_while(|known| *known >> 32 == u64::from(id)) {
                let Some(other) = pairs.get(*known as u32 as usize) else { continue };
                if (other.found == pair.found) != (other.expected == pair.expected) {
                    best = best.max(worth(other));
                }
            }
        }
        best
    }
}

fn place(id: Id, at: u32) -> u64 {
    u64::from(id) << 32 | u64::from(at)
}

/// Returns the pairs that are taken, or good enough to be.
fn sure(record: &Record<'_, '_>, pairs: &[Pair], taken: &[Alignment]) -> Vec<(Id, Id)> {
    let least = record.settings.threshold;
    let good = pairs.iter().filter(|pair| !pair.is_taken && pair.score >= least);
    let taken = taken.iter().map(|alignment| (alignment.expected, alignment.found));
    taken.chain(good.map(|pair| (pair.expected, pair.found))).collect()
}

/// Returns the objects around both sides of a pair.
fn parents(record: &Record<'_, '_>, pair: &Pair) -> (Option<Id>, Option<Id>) {
    let expected = record.model.field(pair.expected).map(|field| field.parent);
    (expected, record.found.get(pair.found as usize).map(|found| found.parent))
}

fn take(record: &Record<'_, '_>, pairs: &[Pair], rivals: &Rivals, least: f32, out: &mut Vec<Alignment>) {
    let least = least.max(record.settings.threshold);
    let worth_beside = if record.settings.without().rivals { worth_if_open } else { worth };
    for pair in pairs.iter().filter(|pair| !pair.is_taken && pair.score >= least) {
        let rival = rivals.best(pairs, pair, worth_beside);
        // Even without a margin, the first of two equal pairs is no better than the second.
        if worth(pair) > rival && worth(pair) >= rival + record.settings.margin {
            let parts = Parts { rival: rival.min(1.0), ..pair.parts };
            out.push(Alignment { expected: pair.expected, found: pair.found, score: pair.score, parts });
        }
    }
}

fn worth(pair: &Pair) -> f32 {
    if pair.score >= SAME { pair.score + SAME_BONUS } else { pair.score }
}

fn worth_if_open(pair: &Pair) -> f32 {
    if pair.is_taken { 0.0 } else { worth(pair) }
}
