//! Every example of every rule: under the rule alone, under its pack, and under all packs.

#![allow(missing_docs)]
#![allow(clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use healer::config::Config;
use healer::plan::spec::{ConventionRule, MoveRule, PlanSpec, RenameRule, RuleSource};
use healer::{Healer, Plan, Summary};
use nomos_rules::path::Path;
use nomos_rules::{Case, Convention, Kind, PACKS, Pack, Rule};
use serde::Deserialize;
use serde_json::{Value, json};

/// The examples in the file of a pack. The correspondences are taken from [`PACKS`].
#[derive(Deserialize)]
struct PackFile {
    rules: Vec<Examples>,
    #[serde(default)]
    conventions: Vec<Examples>,
}

#[derive(Deserialize)]
struct Examples {
    id: String,
    valid: Vec<Healed>,
    invalid: Vec<Value>,
}

#[derive(Deserialize)]
struct Healed {
    before: Value,
    after: Value,
}

fn read(pack: &Pack) -> PackFile {
    let file = format!("{}/../rules/{}.yaml", env!("CARGO_MANIFEST_DIR"), pack.name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Compiles a plan of one rule, without a contract.
fn alone(rule: Rule<'_>, source: RuleSource) -> Plan {
    let mut spec = PlanSpec::default();
    let path = |text| Path::parse(text).expect("a checked path");
    let (from, to, rank) = (rule.from, rule.to, 1);
    match rule.kind {
        Kind::Rename => spec.renames.push(RenameRule { from: from.to_owned(), to: to.to_owned(), rank, source }),
        Kind::Move => spec.moves.push(MoveRule { from: path(from), to: path(to), rank, source }),
    }
    Plan::compile(&spec).expect("a plan of one rule")
}

/// Compiles a plan of one convention, without a contract.
fn alone_convention(convention: &Convention, source: RuleSource) -> Plan {
    let (from, to) = (convention.from.to_vec(), convention.to);
    let spec = PlanSpec { conventions: vec![ConventionRule { from, to, rank: 1, source }], ..PlanSpec::default() };
    Plan::compile(&spec).expect("a plan of one convention")
}

/// Compiles the plan of a route with these packs and no contract.
fn packs(names: &[&str]) -> Arc<Plan> {
    let config = json!({"routes": [{"match": {"path": "/"}, "packs": names}]}).to_string();
    let config = Config::parse(config.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    config.routes.into_iter().next().expect("a route").plan
}

fn run(what: &str, plan: &Plan, examples: &Examples) {
    for Healed { before, after } in &examples.valid {
        let (output, summary) = heal(what, plan, before);
        assert_eq!(output, *after, "{what}: {before}");
        assert!(summary.changed && summary.ops() > 0, "{what}: {before}: {summary:?}");
    }
    for body in &examples.invalid {
        let (output, summary) = heal(what, plan, body);
        assert_eq!(output, *body, "{what}");
        assert!(!summary.changed, "{what}: {body}: {summary:?}");
    }
}

fn heal(what: &str, plan: &Plan, body: &Value) -> (Value, Summary) {
    let mut healer = Healer::new();
    let text = body.to_string();
    let summary = healer.heal_bytes(plan, text.as_bytes());
    let summary = summary.unwrap_or_else(|failure| panic!("{what}: {text}: {failure:?}"));
    let output = if summary.changed { healer.output() } else { text.as_bytes() };
    let output = serde_json::from_slice(output).unwrap_or_else(|error| panic!("{what}: {text}: {error}"));
    (output, summary)
}

#[test]
fn every_rule_has_its_examples() {
    for pack in PACKS {
        let file = read(pack);
        let stated: Vec<&str> = file.rules.iter().chain(&file.conventions).map(|e| e.id.as_str()).collect();
        let numbers = pack.rules.iter().map(|rule| rule.number).chain(pack.conventions.iter().map(|c| c.number));
        let compiled: Vec<String> = numbers.map(|number| pack.id(number).to_string()).collect();
        assert_eq!(stated, compiled, "{}", pack.name);
    }
}

#[test]
fn every_example_holds_under_its_rule_alone() {
    for pack in PACKS {
        let file = read(pack);
        for (rule, examples) in pack.rules.iter().zip(&file.rules) {
            let source = RuleSource::Pack(pack.id(rule.number));
            run(&examples.id, &alone(rule, source), examples);
        }
        for (convention, examples) in pack.conventions.iter().zip(&file.conventions) {
            let source = RuleSource::Pack(pack.id(convention.number));
            run(&examples.id, &alone_convention(convention, source), examples);
        }
    }
}

#[test]
fn of_two_conventions_the_one_of_lower_rank_wins() {
    let [camel, kebab] = [(Case::Camel, 1), (Case::Kebab, 2)].map(|(from, rank)| ConventionRule {
        from: vec![from],
        to: Case::Snake,
        rank,
        source: RuleSource::Route,
    });
    for conventions in [vec![camel.clone(), kebab.clone()], vec![kebab, camel]] {
        let plan = Plan::compile(&PlanSpec { conventions, ..PlanSpec::default() }).expect("a plan");
        for body in [r#"{"user-id":1,"userId":2}"#, r#"{"userId":2,"user-id":1}"#] {
            let mut healer = Healer::new();
            let summary = healer.heal_bytes(&plan, body.as_bytes()).expect("JSON");
            assert_eq!((summary.renames, summary.conflicts), (1, 1), "{body}");
            assert_eq!(healer.output(), body.replace("userId", "user_id").as_bytes());
        }
    }
}

#[test]
fn every_example_holds_under_its_pack() {
    for pack in PACKS {
        let (file, plan) = (read(pack), packs(&[pack.name]));
        for examples in file.rules.iter().chain(&file.conventions) {
            run(&format!("{} under its pack", examples.id), &plan, examples);
        }
    }
}

#[test]
fn every_example_holds_under_all_packs() {
    let plan = packs(&["all"]);
    for pack in PACKS {
        let file = read(pack);
        for examples in file.rules.iter().chain(&file.conventions) {
            run(&format!("{} under all packs", examples.id), &plan, examples);
        }
    }
}
