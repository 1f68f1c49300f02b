//! The nine drift modes of the upstream, by contract and similarity only.

use drifting_upstream::{Mode, contract, drift, user_body};
use healer::similarity::Settings;
use nomos_matching::engine::predict;

/// Fields that abstain: their names say too little (`company`, `status`) for an object whose name says something else.
const ABSTAINING: [(&str, &[&str]); 1] = [("deep", &["company", "department", "status", "last_login"])];

#[test]
fn drift_is_found_without_rules() {
    let contract = contract::user();
    for mode in Mode::ALL {
        let body = serde_json::from_str(&user_body(mode)).expect("JSON");
        let pairs = predict(&contract, &body, Settings::default());
        let found: Vec<(&str, &str)> = pairs.iter().map(|pair| (pair.expected.as_str(), pair.found.as_str())).collect();
        let abstaining = ABSTAINING.iter().find(|(name, _)| *name == mode.name()).map_or(&[][..], |(_, fields)| fields);
        for pair in drift(mode) {
            assert!(found.contains(pair) || abstaining.contains(&pair.0), "{}: {pair:?} is not found", mode.name());
        }
        for pair in &found {
            assert!(drift(mode).contains(pair), "{}: {pair:?} is wrong", mode.name());
        }
    }
}
