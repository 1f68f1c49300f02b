//! The nine drift modes of the upstream, without any rule.

use drifting_upstream::{Mode, contract, user_body};
use healer::similarity::Settings;
use nomos_matching::{schema, survey};

#[test]
fn drift_is_found_without_rules() {
    let contract = schema::contract(&contract::user());
    for mode in Mode::ALL {
        let body = serde_json::from_str(&user_body(mode)).expect("JSON");
        let pairs = survey::predict(&contract, &body, &mut survey::engine(Settings::default()));
        let drift = drifting_upstream::drift(mode);
        let missed: Vec<_> = drift
            .iter()
            .filter(|(to, from)| !pairs.iter().any(|pair| pair.expected == *to && pair.found == *from))
            .collect();
        let wrong: Vec<_> = pairs
            .iter()
            .filter(|pair| !drift.iter().any(|(to, from)| pair.expected == *to && pair.found == *from))
            .collect();
        println!(
            "{}: {} of {}, missed {missed:?}, wrong {wrong:?}",
            mode.name(),
            drift.len() - missed.len(),
            drift.len()
        );
    }
}
