//! The least figures on the committed corpus, and what must hold on it whatever the figures are.

use std::collections::BTreeSet;
use std::path::PathBuf;

use healer::similarity::Settings;
use nomos_matching::corpus::{self, Api};
use nomos_matching::engine::predict;
use nomos_matching::removed::healed_without_counterpart;
use nomos_matching::score::{Score, score_api};
use serde_json::{Map, Value};

const PRECISION: f64 = 0.995;
const RECALL: f64 = 0.335;
const ABSENT_HEALED: f64 = 0.003;
/// The share of fields for which something is taken after their counterparts were removed.
const HEALED_WITHOUT_COUNTERPART: f64 = 0.003;

fn corpus() -> Vec<Api> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus"));
    let apis = corpus::read(&["a", "b", "c", "d", "e", "f", "g"].map(|part| folder.join(part))).expect("a corpus");
    assert!(apis.len() >= 310, "{} APIs", apis.len());
    apis
}

#[test]
fn figures_hold() {
    let mut all = Score::default();
    for api in corpus() {
        all.add(&score_api(&api, Settings::default()));
    }
    assert!(all.precision() >= PRECISION, "precision {:.4}: {:#?}", all.precision(), all.errors);
    assert!(all.recall() >= RECALL, "recall {:.4}", all.recall());
    assert!(all.absent_healed() <= ABSENT_HEALED, "absent fields healed {:.4}: {:#?}", all.absent_healed(), all.errors);
}

#[test]
fn fields_without_counterparts_stay_missing() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for api in corpus() {
        let (fields, taken) = healed_without_counterpart(&api, Settings::default());
        tried += fields;
        wrong.extend(taken);
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    let share = wrong.len() as f64 / tried as f64;
    assert!(share < HEALED_WITHOUT_COUNTERPART, "{} of {tried}: {wrong:#?}", wrong.len());
}

/// The same value with the members of all objects in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members.iter().rev().map(|(name, value)| (name.clone(), reversed(value))).collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        _ => value.clone(),
    }
}

#[test]
fn the_order_of_members_does_not_count() {
    for settings in [Settings { max_unknown: 7, ..Settings::default() }, Settings::default()] {
        for case in corpus().iter().flat_map(|api| &api.cases) {
            let pairs = |body: &Value| {
                let pairs = predict(&case.contract, body, settings).into_iter();
                pairs.map(|pair| (pair.expected, pair.found)).collect::<BTreeSet<_>>()
            };
            assert_eq!(pairs(&case.body), pairs(&reversed(&case.body)), "{}", case.name);
        }
    }
}
