//! The order in which several sides are measured: in short slices that take turns.
//!
//! Turns come in pairs, the second in the reverse order of the first. So a steady change of the machine during a pair
//! affects all sides equally. Each pair has another order, so that no side is always measured after the same other
//! side.

use std::ops::AddAssign;

/// Returns the order of the sides in a turn. Turns are counted over the whole run, and each run has the same orders.
pub fn order(turn: usize, sides: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sides).collect();
    let mut random = Random(turn as u64 / 2);
    for last in (1..sides).rev() {
        order.swap(last, random.below(last + 1));
    }
    if turn % 2 == 1 {
        order.reverse();
    }
    order
}

/// The processor time and requests of a side in the slices of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// The processor time of the proxy in nanoseconds.
    pub cpu_ns: u64,
    /// The number of requests answered in that time.
    pub requests: u64,
}

impl Spent {
    /// Returns the microseconds per request.
    #[allow(clippy::cast_precision_loss)]
    pub fn us(self) -> f64 {
        self.cpu_ns as f64 / self.requests as f64 / 1e3
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.cpu_ns += other.cpu_ns;
        self.requests += other.requests;
    }
}

/// A pseudorandom generator: `SplitMix64`.
struct Random(u64);

impl Random {
    #[allow(clippy::cast_possible_truncation)]
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // For so few sides, a remainder is even enough.
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_evenly_falls_on_all_alike() {
        const SIDES: usize = 9;
        for pair in 0..50 {
            let mut moments = [0; SIDES];
            let both = order(2 * pair, SIDES).into_iter().chain(order(2 * pair + 1, SIDES));
            both.enumerate().for_each(|(moment, side)| moments[side] += moment);
            assert_eq!(moments, [2 * SIDES - 1; SIDES], "pair {pair}");
        }
    }

    #[test]
    fn none_is_always_behind_the_same_one() {
        const SIDES: usize = 9;
        let mut before = [[0; SIDES]; SIDES];
        for turn in 0..200 {
            for pair in order(turn, SIDES).windows(2) {
                before[pair[1]][pair[0]] += 1;
            }
        }
        // Each of the 8 others is expected in an eighth of about 178 cases.
        for (side, counts) in before.iter().enumerate() {
            assert!(counts.iter().all(|count| *count < 45), "side {side}: {counts:?}");
        }
    }
}
