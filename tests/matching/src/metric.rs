//! Deciding by one metric on names alone, the best pairs first, each field and each member once.

use std::cell::RefCell;
use std::collections::HashMap;

use healer::plan::spec::Kind;
use healer::similarity::metrics::token_set::token_set;
use healer::similarity::{Alignment, Comparison, Found, Id, Model, Parts, Standing, compare};

/// A metric of two names.
pub type Metric = fn(&Comparison, f32) -> f32;

/// All metrics, by name; the second argument is the token-set similarity.
pub const METRICS: [(&str, Metric); 7] = [
    ("Levenshtein", |figures, _| figures.levenshtein),
    ("Jaro", |figures, _| figures.jaro),
    ("Jaro-Winkler", |figures, _| figures.jaro_winkler),
    ("trigram TF-IDF", |figures, _| figures.tfidf),
    ("synonym", |figures, _| figures.synonym),
    ("token set", |_, tokens| tokens),
    ("reference profile", |figures, _| figures.reference),
];

thread_local! {
    static KNOWN: RefCell<HashMap<(String, String), (Comparison, f32)>> = RefCell::default();
}

/// Pairs with at least this score.
pub fn by_metric(metric: Metric, least: f32) -> impl FnMut(&Model, &[Found<'_>], &mut Vec<Alignment>) {
    move |model, found, out| {
        let mut pairs = Vec::new();
        let is_missing = |id: usize| !found.iter().any(|member| member.standing == Standing::Expected(id as Id));
        for (expected, field) in model.fields().iter().enumerate().filter(|(id, _)| is_missing(*id)) {
            for (at, member) in found.iter().enumerate().filter(|(_, member)| member.standing == Standing::Unknown) {
                if field.is_object != (member.kind == Kind::Object) || field.is_records && member.kind != Kind::Array {
                    continue;
                }
                let (figures, tokens) = figures(&field.name, member.name);
                let score = metric(&figures, tokens);
                if score >= least {
                    let (expected, found) = (expected as Id, at as Id);
                    pairs.push(Alignment { expected, found, score, parts: Parts::default() });
                }
            }
        }
        pairs.sort_by(|a, b| b.score.total_cmp(&a.score));
        out.clear();
        for pair in pairs {
            if !out.iter().any(|other: &Alignment| other.expected == pair.expected || other.found == pair.found) {
                out.push(pair);
            }
        }
    }
}

fn figures(a: &str, b: &str) -> (Comparison, f32) {
    KNOWN.with_borrow_mut(|known| {
        *known.entry((a.to_owned(), b.to_owned())).or_insert_with(|| (compare(a, b), token_set(a, b)))
    })
}
