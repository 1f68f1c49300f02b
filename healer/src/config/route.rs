//! One entry of `routes`.

use std::sync::Arc;

use crate::plan::Plan;
use crate::plan::spec::{Contract, PlanSpec};

use super::cursor::{Cursor, Problems};
use super::matcher::{self, Matcher};
use super::rollout::Sample;
use super::vocabulary::{MAX_NAME_BYTES, ROUTE, UNMAPPED};
use super::{Mode, contract, expects, rollout, rules, similarity};

/// Requests, and the plan that heals the responses to them.
#[derive(Debug)]
pub struct Route {
    /// The name, unique in the configuration. Without one it is `route-` and the index.
    pub name: String,
    /// The requests that the route takes.
    pub matcher: Matcher,
    /// What to do with the responses, if that differs from the whole configuration.
    pub mode: Option<Mode>,
    /// The share of requests whose responses are healed, if that differs from the whole configuration.
    pub sample: Option<Sample>,
    /// The plan that heals the responses. Routes with the same rules and contract share one, since plans are large.
    pub plan: Arc<Plan>,
}

/// Reads `routes`, as long as there is memory. Plans that are in use are taken where they fit.
pub(super) fn read_all(
    cursor: &Cursor<'_>,
    in_use: &[Arc<Plan>],
    has_memory: &mut dyn FnMut() -> bool,
    problems: &mut Problems,
) -> Vec<Route> {
    let mut names: Vec<String> = Vec::new();
    let mut routes: Vec<Route> = Vec::new();
    for (index, item) in cursor.items(problems, "an array of routes").enumerate() {
        if !has_memory() {
            item.refuse(problems, "no memory left for it", "fewer routes, or smaller contracts");
            break;
        }
        let before = problems.len();
        item.only_fields(problems, "a route: an object with match and rules", &ROUTE);
        if !item.is_object() {
            continue;
        }
        let name = read_name(&item, index, &names, problems);
        let matcher = read_matcher(&item, problems);
        let mode = rollout::mode(&item, problems);
        let sample = rollout::sample(&item, problems);
        let spec = read_spec(&item, problems);
        names.push(name.clone());
        if let Some(matcher) = matcher.filter(|_| problems.len() == before) {
            let mark = spec.mark();
            let mut plans = in_use.iter().chain(routes.iter().map(|route| &route.plan));
            let known = plans.find(|plan| plan.is_of(&spec, mark));
            let plan = known.cloned().or_else(|| compile(&item, &spec, problems).map(Arc::new));
            routes.extend(plan.map(|plan| Route { name, matcher, mode, sample, plan }));
        }
    }
    routes
}

fn read_name(cursor: &Cursor<'_>, index: usize, taken: &[String], problems: &mut Problems) -> String {
    let Some(field) = cursor.field("name") else { return format!("route-{index}") };
    let name = field.text(problems, "a name").unwrap_or_default();
    if name.len() > MAX_NAME_BYTES || name.contains(char::is_control) {
        field.expected(problems, "a name of at most 128 bytes, without control characters");
    } else if taken.iter().any(|known| known == name) {
        field.expected(problems, "a name that no earlier route has");
    }
    name.to_owned()
}

fn read_matcher(cursor: &Cursor<'_>, problems: &mut Problems) -> Option<Matcher> {
    if let Some(field) = cursor.field("match") {
        return matcher::read(&field, problems);
    }
    cursor.refuse(problems, "a route without match", "match: an object such as {path: /api/user}");
    None
}

pub(super) fn read_spec(cursor: &Cursor<'_>, problems: &mut Problems) -> PlanSpec {
    let mut spec = PlanSpec::default();
    if let Some(field) = cursor.field("contract") {
        spec.contract = contract::read(&field, problems);
    }
    if let Some(field) = cursor.field("rename") {
        spec.renames = rules::renames(&field, problems);
    }
    if let Some(field) = cursor.field("move") {
        // With a contract, no rule takes a member that another rule produces.
        let renames = if spec.contract.is_none() { spec.renames.as_slice() } else { &[] };
        spec.moves = rules::moves(&field, renames, problems);
    }
    if let Some(contract) = &spec.contract {
        refuse_dead_rules(cursor, contract, problems);
    }
    if let Some(field) = cursor.field("packs") {
        let packed = rules::packs(&field, problems);
        spec.renames.extend(packed.renames);
        spec.moves.extend(packed.moves);
        spec.conventions = packed.conventions;
    }
    if let Some(field) = cursor.field("similarity") {
        spec.similarity = similarity::read(&field, problems);
        if spec.similarity.is_some() && cursor.field("contract").is_none() {
            field.refuse(problems, "similarity without contract", "a contract beside it, which says what is expected");
        }
    }
    if let Some(field) = cursor.field("unmapped") {
        spec.unmapped = field.choice(problems, &UNMAPPED).unwrap_or_default();
    }
    spec
}

/// Refuses rules that can never fire. A field that is no object is skipped, because it is refused already.
fn refuse_dead_rules(cursor: &Cursor<'_>, contract: &Contract, problems: &mut Problems) {
    if let Some(field) = cursor.field("rename").filter(Cursor::is_object) {
        expects::refuse_dead_renames(&field, contract, problems);
    }
    if let Some(field) = cursor.field("move").filter(Cursor::is_object) {
        expects::refuse_dead_moves(&field, contract, problems);
    }
}

fn compile(cursor: &Cursor<'_>, spec: &PlanSpec, problems: &mut Problems) -> Option<Plan> {
    match Plan::compile(spec) {
        Ok(plan) => Some(plan),
        Err(error) => {
            cursor.refuse(problems, error.to_string(), "rules and a contract within the engine's bounds");
            None
        }
    }
}
