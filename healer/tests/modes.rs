//! The nine modes of the drifting upstream, healed by the shipped packs.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::sync::Arc;

use drifting_upstream::{Mode, contract, user, user_body, users_body};
use healer::config::Config;
use healer::{Healer, Plan, Summary};
use serde_json::{Value, json};

/// The number of users in the lists that are healed.
const COUNT: usize = 25;

fn plan(packs: &[&str], contract: Option<Value>) -> Arc<Plan> {
    let mut route = json!({"match": {"path": "/"}, "packs": packs});
    if let Some(contract) = contract {
        route["contract"] = contract;
    }
    let config = json!({"routes": [route]}).to_string();
    let config = Config::parse(config.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    config.routes.into_iter().next().expect("a route").plan
}

/// Returns the packs for the drift of a mode.
fn packs(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Healthy | Mode::Mixed => &["all"],
        Mode::V2 => &["api-v2"],
        Mode::Camel => &["camel-case"],
        Mode::Nested | Mode::Deep => &["nested-paths"],
        Mode::Typo => &["typos"],
        Mode::Abbrev => &["abbreviations"],
        Mode::Legacy => &["legacy"],
    }
}

fn moved(mode: Mode) -> usize {
    drifting_upstream::drift(mode).iter().filter(|(_, path)| path.contains('.')).count()
}

fn heal(plan: &Plan, body: &str) -> (String, Summary) {
    let mut healer = Healer::new();
    let summary = healer.heal_bytes(plan, body.as_bytes());
    let summary = summary.unwrap_or_else(|failure| panic!("{failure:?}: {body}"));
    let output = if summary.changed { healer.output() } else { body.as_bytes() };
    (String::from_utf8(output.to_vec()).expect("UTF-8"), summary)
}

fn parsed(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// Asserts the numbers of renames and moves that a mode needs for some users.
fn assert_ops(what: &str, mode: Mode, users: usize, summary: &Summary) {
    let moves = moved(mode) * users;
    let renames = mode.drifted_fields() * users - moves;
    let found = (summary.renames as usize, summary.moves as usize);
    assert_eq!(found, (renames, moves), "{what}: {mode:?}");
    assert_eq!(summary.changed, renames + moves > 0, "{what}: {mode:?}");
}

#[test]
fn every_mode_heals_to_the_healthy_user() {
    let healthy = user_body(Mode::Healthy);
    for mode in Mode::ALL {
        for (packs, contract) in [
            (&["all"][..], None),
            (&["all"], Some(contract::user())),
            (packs(mode), None),
            (packs(mode), Some(contract::user())),
        ] {
            let what = format!("{packs:?}, contract: {}", contract.is_some());
            let (healed, summary) = heal(&plan(packs, contract), &user_body(mode));
            assert_eq!(parsed(&healed), parsed(&healthy), "{what}: {mode:?}");
            assert_ops(&what, mode, 1, &summary);
            // Every required member is there, and no second look was needed to know it.
            assert!(!summary.lacks, "{what}: {mode:?}");
        }
    }
}

#[test]
fn healed_values_keep_their_bytes() {
    let plan = plan(&["all"], None);
    for mode in Mode::ALL {
        let (healed, _) = heal(&plan, &user_body(mode));
        for (name, value) in user::fields(0) {
            let member = format!("\"{name}\":{value}");
            assert!(healed.contains(&member), "{mode:?}: {member} in {healed}");
        }
        assert_eq!(healed.len(), user_body(Mode::Healthy).len(), "{mode:?}");
    }
}

#[test]
fn every_mode_heals_in_each_record_of_a_list() {
    let healthy = users_body(Mode::Healthy, COUNT);
    let plan = plan(&["all"], Some(contract::users()));
    for mode in Mode::ALL {
        let (healed, summary) = heal(&plan, &users_body(mode, COUNT));
        assert_eq!(parsed(&healed), parsed(&healthy), "{mode:?}");
        assert_ops("a list", mode, COUNT, &summary);
    }
}

/// Moves start at the root of a body, so a list inside an envelope needs a contract for them.
#[test]
fn without_a_contract_renames_heal_in_a_list_and_moves_in_a_root_array() {
    let plan = plan(&["all"], None);
    for mode in Mode::ALL {
        let (list, array) = (users_body(mode, COUNT), format!("[{}]", user_body(mode)));
        if moved(mode) == 0 {
            let (healed, summary) = heal(&plan, &list);
            assert_eq!(parsed(&healed), parsed(&users_body(Mode::Healthy, COUNT)), "{mode:?}");
            assert_ops("a list", mode, COUNT, &summary);
        }
        let (healed, summary) = heal(&plan, &array);
        assert_eq!(parsed(&healed)[0], parsed(&user_body(Mode::Healthy)), "{mode:?}");
        assert_ops("an array", mode, 1, &summary);
    }
}

#[test]
fn a_healed_body_needs_no_healing() {
    for contract in [None, Some(contract::user())] {
        let plan = plan(&["all"], contract);
        for mode in Mode::ALL {
            let (healed, _) = heal(&plan, &user_body(mode));
            let (again, summary) = heal(&plan, &healed);
            assert!(!summary.changed, "{mode:?}: {summary:?}");
            assert_eq!(again, healed, "{mode:?}");
        }
    }
}

#[test]
fn ten_runs_give_the_same_bytes() {
    let plan = plan(&["all"], Some(contract::user()));
    let mut healer = Healer::new();
    for mode in Mode::ALL {
        let body = user_body(mode);
        let first = heal(&plan, &body).0;
        for _ in 0..10 {
            let summary = healer.heal_bytes(&plan, body.as_bytes()).expect("JSON");
            let output = if summary.changed { healer.output() } else { body.as_bytes() };
            assert_eq!(output, first.as_bytes(), "{mode:?}");
        }
    }
}

/// Fields that similarity leaves alone in a mode: two names of their paths say something other than the expected name.
fn abstained(mode: Mode) -> &'static [&'static str] {
    if mode == Mode::Deep { &["company", "department", "status", "last_login"] } else { &[] }
}

#[test]
fn every_mode_heals_by_contract_and_similarity_alone() {
    let healthy = parsed(&user_body(Mode::Healthy));
    let route = json!({"match": {"path": "/"}, "contract": contract::user(), "similarity": {"profile": "default"}});
    let config = Config::parse(json!({"routes": [route]}).to_string().as_bytes()).expect("configuration");
    let plan = config.routes.into_iter().next().expect("a route").plan;
    for mode in Mode::ALL {
        let (healed, summary) = heal(&plan, &user_body(mode));
        let healed = parsed(&healed);
        let wrong =
            healthy.as_object().expect("an object").iter().filter(|(name, value)| healed.get(*name) != Some(*value));
        let wrong: Vec<&str> = wrong.map(|(name, _)| name.as_str()).collect();
        let (mut abstained, mut wrong) = (abstained(mode).to_vec(), wrong);
        abstained.sort_unstable();
        wrong.sort_unstable();
        assert_eq!(wrong, abstained, "{mode:?}: {healed}");
        let ops = mode.drifted_fields() - abstained.len();
        assert_eq!((summary.ops() as usize, summary.similar as usize), (ops, ops), "{mode:?}");
    }
}
