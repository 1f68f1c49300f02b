//! Runs the examples of a rule on the engine.

use healer::config::cursor::{Cursor, Problems};
use healer::plan::spec::{ConventionRule, MoveRule, PlanSpec, RenameRule, RuleSource};
use healer::{Healer, Plan};
use nomos_rules::path::Path;

use super::Says;
use crate::json_text::compact;

/// Refuses examples whose result is not the stated one.
pub fn run(rule: &Cursor<'_>, says: &Says, problems: &mut Problems) {
    let Some(spec) = spec(says) else { return };
    let plan = match Plan::compile(&spec) {
        Ok(plan) => plan,
        Err(error) => return rule.refuse(problems, error.to_string(), "a rule that the engine can carry out"),
    };
    if let Some(examples) = rule.field("valid") {
        for example in examples.items(problems, "a list of {before, after}") {
            run_valid(&example, &plan, problems);
        }
    }
    if let Some(examples) = rule.field("invalid") {
        for example in examples.items(problems, "a list of bodies") {
            let body = compact(example.node);
            let healed = heal(&plan, &body);
            if healed != body {
                example.refuse(problems, format!("a body that becomes {healed}"), "a body that the rule leaves alone");
            }
        }
    }
}

fn run_valid(example: &Cursor<'_>, plan: &Plan, problems: &mut Problems) {
    if example.only_fields(problems, "an object with before and after", &["before", "after"]).is_none() {
        return;
    }
    let (Some(before), Some(after)) = (example.field("before"), example.field("after")) else {
        return example.refuse(problems, "an example without before or after", "both");
    };
    let (before, after) = (compact(before.node), compact(after.node));
    let healed = heal(plan, &before);
    if parsed(&healed) != parsed(&after) {
        example.refuse(problems, format!("a body that becomes {healed}"), after);
    } else if parsed(&before) == parsed(&after) {
        example.refuse(problems, "an example that changes nothing", "before to drift");
    }
}

/// Returns a plan of this rule alone, without a contract.
fn spec(says: &Says) -> Option<PlanSpec> {
    let mut spec = PlanSpec::default();
    let (rank, source) = (0, RuleSource::Route);
    match says {
        Says::Rename(from, to) => {
            spec.renames.push(RenameRule { from: from.clone(), to: to.clone(), rank, source });
        }
        Says::Move(from, to) => {
            let (from, to) = (Path::parse(from).ok()?, Path::parse(to).ok()?);
            spec.moves.push(MoveRule { from, to, rank, source });
        }
        Says::Convention(from, to) => {
            spec.conventions.push(ConventionRule { from: from.clone(), to: *to, rank, source });
        }
    }
    Some(spec)
}

/// Returns the healed body, or the body itself if nothing changed.
fn heal(plan: &Plan, body: &str) -> String {
    let mut healer = Healer::new();
    match healer.heal_bytes(plan, body.as_bytes()) {
        Ok(summary) if summary.changed => String::from_utf8_lossy(healer.output()).into_owned(),
        _ => body.to_owned(),
    }
}

/// Parses a body, to compare it without the order of members.
fn parsed(text: &str) -> Option<serde_json::Value> {
    serde_json::from_str(text).ok()
}
