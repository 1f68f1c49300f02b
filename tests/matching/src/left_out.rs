//! Measures each part of the corpus with the figures that are best on all other parts.
//!
//! This shows how far these figures are fitted to the parts that they were set on. Words and rules were made on all
//! parts, so only held-out parts show how far those are fitted.

use healer::similarity::{Doubt, Settings};

use crate::corpus::Api;
use crate::score::{Score, score_api};

/// The precision that the figures have to reach on the other parts.
const LEAST_PRECISION: f64 = 0.995;
const TRIED: [(f32, f32); 9] =
    [(0.3, 0.3), (0.4, 0.3), (0.4, 0.4), (0.5, 0.2), (0.5, 0.3), (0.5, 0.4), (0.5, 0.5), (0.6, 0.3), (0.6, 0.6)];

/// Returns for each part the figures that are best on the others, and the score of the part with these.
///
/// # Panics
/// If the engine refuses a contract or a body, which means that the corpus is wrong.
pub fn scores(parts: &[Vec<Api>], settings: Settings) -> Vec<(Doubt, Score)> {
    let tried = TRIED.map(|(known, likely)| Doubt { known, likely, ..Doubt::default() });
    let tables: Vec<Vec<Score>> = std::thread::scope(|scope| {
        let table = |part| tried.iter().map(|doubt| total(part, Settings { doubt: *doubt, ..settings })).collect();
        let runs: Vec<_> = parts.iter().map(|part| scope.spawn(move || table(part))).collect();
        runs.into_iter().map(|run| run.join().expect("a table")).collect()
    });
    let left_out = |part: usize| {
        let on_others = |choice: usize| {
            let mut all = Score::default();
            tables
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != part)
                .for_each(|(_, table)| all.add(&table[choice]));
            all
        };
        let best = (0..tried.len()).max_by(|a, b| worth(&on_others(*a)).total_cmp(&worth(&on_others(*b))));
        let best = best.expect("figures");
        (tried[best], tables[part][best].clone())
    };
    (0..parts.len()).map(left_out).collect()
}

fn total(part: &[Api], settings: Settings) -> Score {
    let mut all = Score::default();
    for api in part {
        all.add(&score_api(api, settings));
    }
    all
}

/// Rates a score by its recall if it is precise enough, else by its precision, below any that is.
fn worth(score: &Score) -> f64 {
    if score.precision() >= LEAST_PRECISION { score.recall() } else { score.precision() - 1.0 }
}
