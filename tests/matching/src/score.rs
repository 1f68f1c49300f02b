//! Compares predicted pairs with labels.

use std::collections::{BTreeMap, BTreeSet};

use healer::similarity::Settings;
use serde::Serialize;

use crate::corpus::{Api, Case};
use crate::engine::{Predicted, predict};

/// Counts over cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Labelled pairs.
    pub pairs: usize,
    /// Labelled absent fields.
    pub absent: usize,
    /// Labelled look-alikes.
    pub lookalikes: usize,
    /// Predicted pairs that are labelled.
    pub right: usize,
    /// Predicted pairs that are not labelled.
    pub wrong: usize,
    /// Absent fields for which something was predicted.
    pub wrong_absent: usize,
    /// Look-alikes that were predicted.
    pub wrong_lookalikes: usize,
    /// Labelled and right pairs, by kind of change.
    pub kinds: BTreeMap<String, (usize, usize)>,
    /// Right pairs, one line each.
    pub found: Vec<String>,
    /// Wrong pairs, one line each.
    pub errors: Vec<String>,
    /// Missed pairs, one line each.
    pub missed: Vec<String>,
}

impl Score {
    /// Returns the share of predicted pairs that are right.
    pub fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    /// Returns the share of labelled pairs that are found.
    pub fn recall(&self) -> f64 {
        share(self.right, self.pairs)
    }

    /// Returns the harmonic mean of both.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
    }

    /// Returns the share of absent fields for which something was predicted.
    pub fn absent_healed(&self) -> f64 {
        if self.absent == 0 { 0.0 } else { share(self.wrong_absent, self.absent) }
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Score) {
        self.pairs += other.pairs;
        self.absent += other.absent;
        self.lookalikes += other.lookalikes;
        self.right += other.right;
        self.wrong += other.wrong;
        self.wrong_absent += other.wrong_absent;
        self.wrong_lookalikes += other.wrong_lookalikes;
        for (kind, (pairs, right)) in &other.kinds {
            let count = self.kinds.entry(kind.clone()).or_default();
            *count = (count.0 + pairs, count.1 + right);
        }
        self.found.extend(other.found.iter().cloned());
        self.errors.extend(other.errors.iter().cloned());
        self.missed.extend(other.missed.iter().cloned());
    }
}

fn share(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Counts over one API.
pub fn score_api(api: &Api, settings: Settings) -> Score {
    let mut score = Score::default();
    for case in &api.cases {
        score.add(&score_case(&api.file, case, &predict(&case.contract, &case.body, settings)));
    }
    score
}

fn score_case(api: &str, case: &Case, predicted: &[Predicted]) -> Score {
    let mut score = Score {
        pairs: case.pairs.len(),
        absent: case.absent.len(),
        lookalikes: case.lookalikes.len(),
        ..Score::default()
    };
    let has =
        |expected: &str, found: &str| predicted.iter().any(|pair| pair.expected == expected && pair.found == found);
    for pair in &case.pairs {
        let is_right = has(&pair.expected, &pair.found);
        let count = score.kinds.entry(pair.kind.clone()).or_default();
        *count = (count.0 + 1, count.1 + usize::from(is_right));
        score.right += usize::from(is_right);
        if !is_right {
            score.missed.push(format!("{api}: {} ~ {} ({}; {})", pair.expected, pair.found, pair.kind, case.name));
        }
    }
    for pair in predicted {
        let is_labelled = case.pairs.iter().any(|label| label.expected == pair.expected && label.found == pair.found);
        let line =
            format!("{api}: {} ~ {} ({:.3}; {}) {:?}", pair.expected, pair.found, pair.score, case.name, pair.parts);
        if is_labelled {
            score.found.push(line);
        } else {
            score.wrong += 1;
            score.errors.push(line);
        }
    }
    let healed: BTreeSet<&str> = predicted.iter().map(|pair| pair.expected.as_str()).collect();
    score.wrong_absent = case.absent.iter().filter(|path| healed.contains(path.as_str())).count();
    score.wrong_lookalikes = case.lookalikes.iter().filter(|pair| has(&pair.expected, &pair.found)).count();
    score
}
