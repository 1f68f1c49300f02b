//! The reference profile: a weighed sum of metrics on names alone, a threshold, and the best pairs first. Profiles of a
//! single metric decide in the same way.

use super::compare::compare_in;
use super::metrics::synonym::synonym;
use super::metrics::token_set::token_set;
use super::metrics::{jaro, levenshtein};
use super::names::words::MAX_NAME;
use super::record::Record;
use super::{Alignment, Id, Metric, Parts, Profile, Standing};
use crate::order::sort_by_less;
use crate::plan::spec::Kind;

/// Appends the pairs of missing fields and unknown members above the threshold, the best first. Each field and each
/// member is in one pair only.
pub(super) fn align(record: &Record<'_, '_>, out: &mut Vec<Alignment>) {
    let mut pairs = Vec::new();
    for (found, member) in record.found.iter().enumerate().filter(|(_, member)| member.standing == Standing::Unknown) {
        let is_open = record.scratch.members.get(found).is_some_and(|member| !member.is_closed);
        for (expected, field) in record.model.fields().iter().enumerate() {
            let is_other_kind = field.is_object != (member.kind == Kind::Object);
            let is_long = field.name.len().max(member.name.len()) > MAX_NAME;
            if !is_open || is_long || is_other_kind || record.is_taken(expected as Id) {
                continue;
            }
            let score = score(record, &field.name, member.name);
            if score >= record.settings.threshold {
                pairs.push(Alignment { expected: expected as Id, found: found as Id, score, parts: Parts::default() });
            }
        }
    }
    sort_by_less(&mut pairs, |a, b| {
        b.score.total_cmp(&a.score).then((a.expected, a.found).cmp(&(b.expected, b.found))).is_lt()
    });
    for pair in pairs {
        if !out.iter().any(|other| other.expected == pair.expected || other.found == pair.found) {
            out.push(pair);
        }
    }
}

fn score(record: &Record<'_, '_>, expected: &str, found: &str) -> f32 {
    let metric = match record.settings.profile {
        // The wasm module has no such profile.
        Profile::Single(metric) if cfg!(not(target_family = "wasm")) => metric,
        _ => return compare_in(&record.model.vocabulary, expected, found).reference,
    };
    match metric {
        Metric::Levenshtein => levenshtein::similarity(expected, found),
        Metric::Jaro => jaro::jaro(expected, found),
        Metric::JaroWinkler => jaro::jaro_winkler(expected, found),
        Metric::Tfidf => record.model.vocabulary.cosine(expected, found),
        Metric::Synonym => synonym(expected, found),
        Metric::TokenSet => token_set(expected, found),
    }
}
