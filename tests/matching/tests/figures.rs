//! The least figures on the committed corpus, and what must hold on it whatever the figures are.

// Lists of members are far below 2^32.
#![allow(clippy::cast_possible_truncation)]

use std::path::PathBuf;

use healer::similarity::{Alignment, Found, Id, Model, NONE, Scratch, Settings};
use nomos_matching::corpus::{self, Api};
use nomos_matching::removed::healed_without_counterpart;
use nomos_matching::score::{Score, score_api};
use nomos_matching::{schema, survey};

const PRECISION: f64 = 0.993;
const RECALL: f64 = 0.355;
const ABSENT_HEALED: f64 = 0.005;
/// The share of fields for which something is taken after their counterparts were removed.
const HEALED_WITHOUT_COUNTERPART: f64 = 0.005;

fn corpus() -> Vec<Api> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"));
    let apis = corpus::read(&[folder.join("a"), folder.join("b")]).expect("a corpus");
    assert!(apis.len() >= 40, "{} APIs", apis.len());
    apis
}

#[test]
fn figures_hold() {
    let mut all = Score::default();
    for api in corpus() {
        all.add(&score_api(&api, &mut survey::engine(Settings::default())));
    }
    assert!(all.precision() >= PRECISION, "precision {:.4}: {:#?}", all.precision(), all.errors);
    assert!(all.recall() >= RECALL, "recall {:.4}", all.recall());
    assert!(all.absent_healed() <= ABSENT_HEALED, "absent fields healed {:.4}: {:#?}", all.absent_healed(), all.errors);
}

#[test]
fn fields_without_counterparts_stay_missing() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for api in corpus() {
        let (fields, taken) = healed_without_counterpart(&api, &mut survey::engine(Settings::default()));
        tried += fields;
        wrong.extend(taken);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = wrong.len() as f64 / tried as f64;
    assert!(share < HEALED_WITHOUT_COUNTERPART, "{} of {tried}: {wrong:#?}", wrong.len());
}

/// Siblings in the opposite order, objects before what is inside.
fn reversed(found: &[Found<'_>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut open: Vec<usize> = top(found, NONE);
    while let Some(at) = open.pop() {
        order.push(at);
        open.extend(top(found, at as Id));
    }
    order
}

fn top(found: &[Found<'_>], parent: Id) -> Vec<usize> {
    (0..found.len()).filter(|at| found[*at].parent == parent).collect()
}

#[test]
fn the_order_of_members_does_not_count() {
    let mut scratch = Scratch::default();
    let mut decide = |model: &Model, found: &[Found<'_>], out: &mut Vec<Alignment>| {
        let settings = Settings { max_unknown: 7, ..Settings::default() };
        for settings in [settings, Settings::default()] {
            model.align(found, &settings, &mut scratch, out);
            let order = reversed(found);
            let place = |old: Id| order.iter().position(|at| *at == old as usize).map_or(NONE, |at| at as Id);
            let turned: Vec<Found<'_>> =
                order.iter().map(|at| Found { parent: place(found[*at].parent), ..found[*at] }).collect();
            let mut other = Vec::new();
            model.align(&turned, &settings, &mut scratch, &mut other);
            let mut expected: Vec<(Id, Id)> = out.iter().map(|pair| (pair.expected, place(pair.found))).collect();
            expected.sort_unstable();
            let mut got: Vec<(Id, Id)> = other.iter().map(|pair| (pair.expected, pair.found)).collect();
            got.sort_unstable();
            assert_eq!(got, expected, "{found:?}");
        }
    };
    for api in corpus() {
        for case in &api.cases {
            survey::predict(&schema::contract(&case.contract), &case.body, &mut decide);
        }
    }
}
