//! One entry of `routes`.

use std::sync::Arc;

use crate::plan::Plan;
use crate::plan::spec::{Contract, PlanSpec};

use super::cursor::{Cursor, Problems};
use super::index::Index;
use super::matcher::{self, Matcher};
use super::rollout::Sample;
use super::vocabulary::{MAX_NAME_BYTES, ROUTE, UNMAPPED};
use super::{Mode, contract, dead_rules, rollout, rules, similarity};

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
    let items = cursor.items(problems, "an array of routes");
    let mut plans = Plans::new(in_use, items.size_hint().0);
    let mut names: Vec<String> = Vec::new();
    let mut places: Vec<Cursor<'_>> = Vec::new();
    let mut routes: Vec<Route> = Vec::new();
    for (index, item) in items.enumerate() {
        if !has_memory() {
            item.refuse(problems, "no memory left for it", "fewer routes, or smaller contracts");
            break;
        }
        let before = problems.len();
        item.only_fields(problems, "a route: an object with match and rules", &ROUTE);
        if !item.is_object() {
            continue;
        }
        let name = read_name(&item, index, problems);
        let matcher = read_matcher(&item, problems);
        let mode = rollout::mode(&item, problems);
        let sample = rollout::sample(&item, problems);
        let spec = read_spec(&item, problems);
        names.push(name.clone());
        places.push(item);
        if let Some(matcher) = matcher.filter(|_| problems.len() == before) {
            let Some(place) = plans.place(&spec, spec.mark()) else { continue };
            if place.is_none() {
                *place = compile(&item, &spec, problems).map(Arc::new);
            }
            routes.extend(place.clone().map(|plan| Route { name, matcher, mode, sample, plan }));
        }
    }
    refuse_same_names(&names, &places, problems);
    routes
}

fn refuse_same_names(names: &[String], routes: &[Cursor<'_>], problems: &mut Problems) {
    let repeats = Index::new(names.iter().map(String::as_str));
    for (_, again) in repeats.repeats() {
        let (Some(name), Some(route)) = (names.get(again), routes.get(again)) else { continue };
        match route.field("name") {
            Some(field) => field.expected(problems, "a name that no earlier route has"),
            None => route.refuse(problems, format!("no name, so {name}, which an earlier route has"), "a name"),
        }
    }
}

fn read_name(cursor: &Cursor<'_>, index: usize, problems: &mut Problems) -> String {
    let Some(field) = cursor.field("name") else { return format!("route-{index}") };
    let name = field.text(problems, "a name").unwrap_or_default();
    if name.len() > MAX_NAME_BYTES || name.contains(char::is_control) {
        let expected = format!("a name of at most {MAX_NAME_BYTES} bytes, without control characters");
        field.expected(problems, &expected);
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
        let fields = spec.contract.as_ref().map_or(0, Contract::fields);
        spec.similarity = similarity::read(&field, problems).map(|settings| settings.bounded(fields));
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
        dead_rules::refuse_dead_renames(&field, contract, problems);
    }
    if let Some(field) = cursor.field("move").filter(Cursor::is_object) {
        dead_rules::refuse_dead_moves(&field, contract, problems);
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

/// Plans in a hash table, as there may be tens of thousands.
struct Plans(Vec<Option<Arc<Plan>>>);

impl Plans {
    /// Takes plans that are in use, and makes room for so many more.
    fn new(in_use: &[Arc<Plan>], more: usize) -> Self {
        let most = in_use.len().saturating_add(more);
        let mut plans = Plans(Vec::new());
        plans.0.resize_with(most.saturating_mul(3), || None);
        for plan in in_use {
            if let Some(place) = plans.place(plan.spec(), plan.mark()) {
                *place = Some(Arc::clone(plan));
            }
        }
        plans
    }

    /// Returns the place of the plan for a spec with this mark, which is empty if there is none yet.
    #[inline(never)]
    fn place(&mut self, spec: &PlanSpec, mark: u64) -> Option<&mut Option<Arc<Plan>>> {
        // Two thirds of the places are for marks. The last third is for what finds the places before taken.
        let marked = (self.0.len() as u64).wrapping_div(3).wrapping_mul(2);
        let mut at = mark.checked_rem(marked)? as usize;
        while let Some(Some(plan)) = self.0.get(at)
            && !plan.is_of(spec, mark)
        {
            at = at.wrapping_add(1);
        }
        self.0.get_mut(at)
    }
}
