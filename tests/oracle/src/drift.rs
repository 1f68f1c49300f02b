//! Random contracts and rules in words that the dictionary knows, bodies in which similarity has something to do, and
//! what must hold for them.

use crate::agree::{healed, invariants};
use crate::bodies::{self, Doc};
use crate::plans;
use crate::skeleton::{bodies_like, check_all};
use crate::stream::{in_list, stream};
use crate::tape::Tape;
use crate::tree::Tree;
use crate::words;
use healer::config::Config;
use healer::plan::spec::{
    Case, Contract, ConventionRule, Expects, Format, Kind, Kinds, MoveRule, PlanSpec, Property, RenameRule, RuleSource,
    Settings, Unmapped,
};
use healer::similarity::Profile;
use healer::{Healer, Limits, Plan, Summary};
use std::sync::LazyLock;

/// Names in contracts, and another name for the same thing.
const NAMES: &[(&str, &str)] = &[
    ("user_id", "userNumber"),
    ("email", "e_mail"),
    ("zip_code", "postalCode"),
    ("full_name", "fullname"),
    ("home_address", "address_home"),
    ("order_items", "items_of_order"),
    ("phone_number", "phone"),
    ("is_active", "active"),
    ("created_at", "creation_date"),
    ("status", "state"),
    ("first_name", "given_name"),
    ("company", "company_name"),
    ("address", "addr"),
    ("city", "town"),
    ("last_name", "surname"),
    ("updated_at", "modified"),
    ("billing_address", "invoice_address"),
    ("min_price", "price_from"),
    ("max_price", "price_to"),
    ("value", "val"),
    ("name", "label"),
];
/// Names that only rules know.
const ALIASES: &[&str] = &["where", "what", "which"];
/// Names of objects around others.
const WRAPPERS: &[&str] = &["data", "attributes", "result", "where", "details", "home_address"];

/// The rules of the embedded packs that lead to these names.
static PACKS: LazyLock<PlanSpec> = LazyLock::new(|| {
    let configuration = br#"{"routes":[{"match":{"prefix":"/"},"packs":["all"]}]}"#;
    let mut routes = Config::parse(configuration).expect("a configuration").routes;
    let PlanSpec { renames, moves, .. } = routes.remove(0).plan.spec().clone();
    let is_known = |name: &String| NAMES.iter().any(|(known, _)| known == name);
    PlanSpec {
        renames: renames.into_iter().filter(|rule| is_known(&rule.to)).collect(),
        moves: moves.into_iter().filter(|rule| rule.to.segments().iter().all(is_known)).collect(),
        ..PlanSpec::default()
    }
});

/// Builds a contract with similarity, and rules beside it.
pub fn plan(tape: &mut Tape<'_>) -> PlanSpec {
    let record = record(tape, 2);
    let contract = if tape.happens(1, 6) { Contract::Array { items: Box::new(record) } } else { record };
    let similarity = Some(settings(tape));
    let mut spec = PlanSpec { contract: Some(contract), similarity, ..PlanSpec::default() };
    let source = RuleSource::Route;
    for _ in 0..tape.below(3) {
        let (from, to) = (tape.of(ALIASES).to_owned(), name(tape));
        spec.renames.push(RenameRule { from, to, rank: 0, source });
    }
    let scope = if let Some(Contract::Array { .. }) = &spec.contract { "[]" } else { "" };
    for _ in 0..tape.below(3) {
        let mut from: Vec<String> = (0..tape.below(3)).map(|_| tape.of(WRAPPERS).to_owned()).collect();
        from.push(if tape.happens(1, 3) { name(tape) } else { tape.of(ALIASES).to_owned() });
        let to: Vec<String> = (0..=tape.below(2)).map(|_| name(tape)).collect();
        if from != to {
            let (from, to) = (plans::path(scope, &from), plans::path(scope, &to));
            spec.moves.push(MoveRule { from, to, rank: 0, source });
        }
    }
    if tape.happens(1, 2) {
        let from = vec![Case::Camel, Case::Pascal, Case::Kebab];
        spec.conventions.push(ConventionRule { from, to: Case::Snake, rank: 1, source });
    }
    if tape.happens(1, 4) {
        spec.renames.extend(PACKS.renames.iter().cloned());
        spec.moves.extend(PACKS.moves.iter().cloned());
    }
    spec.unmapped = if tape.happens(1, 4) { Unmapped::Drop } else { Unmapped::Keep };
    spec
}

/// Returns the text of a body for `spec`, with other spellings of names and members in other places.
pub fn body(tape: &mut Tape<'_>, spec: &PlanSpec) -> String {
    let doc = doc(tape, spec);
    bodies::write(tape, &doc)
}

/// Builds a body for `spec`, with other spellings of names and members in other places.
pub(crate) fn doc(tape: &mut Tape<'_>, spec: &PlanSpec) -> Doc {
    let mut doc = bodies::doc_for(tape, spec);
    drift(tape, &mut doc);
    doc
}

/// Returns settings that configurations can have, including some by which nearly everything is taken for something.
fn settings(tape: &mut Tape<'_>) -> Settings {
    let mut settings = Settings::default();
    settings.max_unknown = tape.of(&[settings.max_unknown, settings.max_unknown, 9, 3]);
    settings.profile = tape.of(&[Profile::Default, Profile::Default, Profile::Default, Profile::Reference]);
    settings.threshold = tape.of(&[settings.threshold, settings.threshold, 0.6, 0.3]);
    settings.margin = tape.of(&[settings.margin, settings.margin, 0.0]);
    settings
}

fn name(tape: &mut Tape<'_>) -> String {
    tape.of(NAMES).0.to_owned()
}

/// Builds an object with objects and lists in it, so many inside each other at most.
pub(crate) fn record(tape: &mut Tape<'_>, depth: usize) -> Contract {
    let mut properties: Vec<Property> = Vec::new();
    for _ in 0..=tape.below(6) {
        let name = name(tape);
        if properties.iter().any(|known| known.name == name) {
            continue;
        }
        let node = match tape.below(8) {
            4 | 5 if depth > 0 => record(tape, depth - 1),
            6 if depth > 0 => Contract::Array { items: Box::new(record(tape, depth - 1)) },
            7 => Contract::Array { items: Box::new(Contract::Any) },
            _ => Contract::Any,
        };
        let kinds = match node {
            Contract::Object { .. } => Kinds::of(Kind::Object),
            Contract::Array { .. } => Kinds::of(Kind::Array),
            Contract::Any => Kinds::ANY,
        };
        let mut expects = expects(tape);
        expects.kinds = if kinds == Kinds::ANY { expects.kinds } else { kinds };
        properties.push(Property { name, node, expects, required: tape.happens(1, 3) });
    }
    Contract::Object { properties, open: false }
}

fn expects(tape: &mut Tape<'_>) -> Expects {
    match tape.below(20) {
        12 => Expects { kinds: Kinds::of(Kind::String), ..Expects::default() },
        13 => Expects { kinds: Kinds::of(Kind::Integer), ..Expects::default() },
        14 => Expects { format: Some(Format::Email), ..Expects::default() },
        15 => Expects { values: vec!["x".to_owned(), "y".to_owned()], ..Expects::default() },
        16 => Expects { format: Some(Format::DateTime), ..Expects::default() },
        17 => Expects { kinds: Kinds::of(Kind::Boolean), ..Expects::default() },
        18 => Expects { kinds: Kinds::of(Kind::Number), ..Expects::default() },
        19 => Expects { format: Some(Format::Uuid), ..Expects::default() },
        _ => Expects::default(),
    }
}

fn drift(tape: &mut Tape<'_>, doc: &mut Doc) {
    match doc {
        Doc::Scalar(_) => {}
        Doc::Array(elements) => elements.iter_mut().for_each(|element| drift(tape, element)),
        Doc::Object(members) => {
            if tape.happens(1, 3) {
                *members = std::mem::take(members).into_iter().flat_map(|member| flattened(tape, member)).collect();
            }
            for (name, value) in &mut *members {
                if let Some(other) = respelt(tape, name) {
                    *name = other;
                }
                drift(tape, value);
            }
            if tape.happens(1, 3) && !members.is_empty() {
                let inside = members.split_off(tape.below(members.len()));
                members.push((tape.of(WRAPPERS).to_owned(), Doc::Object(inside)));
            }
            if tape.happens(1, 8) {
                let (name, value) = (name(tape), Doc::Scalar("7"));
                members.push((respelt(tape, &name).unwrap_or(name), value));
            }
        }
    }
}

/// Replaces an object by its members, with its name in front of theirs. One of them may get the name of the object
/// alone.
fn flattened(tape: &mut Tape<'_>, (name, value): (String, Doc)) -> Vec<(String, Doc)> {
    match value {
        Doc::Object(inside) if tape.happens(1, 2) && !inside.is_empty() => {
            let main = tape.below(inside.len() + 1);
            let joined = |at: usize, inner: &str| if at == main { name.clone() } else { format!("{name}_{inner}") };
            inside.into_iter().enumerate().map(|(at, (inner, value))| (joined(at, &inner), value)).collect()
        }
        value => vec![(name, value)],
    }
}

/// Returns a name as another version of an API may have it; `None` for the same name.
fn respelt(tape: &mut Tape<'_>, name: &str) -> Option<String> {
    match tape.below(6) {
        1 | 2 => words::convert(name, &[Case::Snake], Case::Camel),
        3 => words::convert(name, &[Case::Snake], Case::Kebab),
        4 => NAMES.iter().find(|(known, _)| *known == name).map(|(_, other)| (*other).to_owned()),
        5 if tape.happens(1, 3) => Some(tape.of(ALIASES).to_owned()),
        _ => None,
    }
}

/// Checks that the bodies of a random plan keep all values, and give the same as alone, whatever came before, as whole
/// bodies and as streams.
pub fn check(tape: &mut Tape<'_>) -> Result<(), String> {
    let Some((spec, bodies)) = plan_and_bodies(tape) else { return Ok(()) };
    check_bodies(tape, &spec, &bodies)
}

/// Returns a plan with similarity, and bodies of two skeletons. `None`: a move into an array of the contract, which is
/// refused.
pub fn plan_and_bodies(tape: &mut Tape<'_>) -> Option<(PlanSpec, Vec<Vec<u8>>)> {
    let spec = plan(tape);
    Plan::compile(&spec).ok()?;
    let records = [body(tape, &spec), body(tape, &spec)];
    let mut bodies = bodies_like(tape, &records[0]);
    bodies.extend(bodies_like(tape, &records[1]));
    bodies.extend(bodies_like(tape, &records[0]));
    Some((spec, bodies))
}

/// As [`check`], for these bodies. How they come is read from the tape.
pub fn check_bodies(ways: &mut Tape<'_>, spec: &PlanSpec, bodies: &[Vec<u8>]) -> Result<(), String> {
    let plan = Plan::compile(spec).map_err(|error| error.to_string())?;
    let found = bodies.iter().try_for_each(|body| keeps(spec, &plan, body));
    let found = found.and_then(|()| check_all(ways, &plan, bodies)).and_then(|()| streams(ways, spec, bodies));
    found.map_err(|found| format!("{found}\nplan {}", plans::line(spec)))
}

/// Checks that every value is there once. A body that is no JSON has nothing to keep.
fn keeps(spec: &PlanSpec, plan: &Plan, body: &[u8]) -> Result<(), String> {
    let Ok((_, healed)) = healed(&mut Healer::new(), plan, body) else { return Ok(()) };
    let (body, healed) = (String::from_utf8_lossy(body), String::from_utf8_lossy(&healed));
    let output = Tree::parse(&healed).ok_or_else(|| format!("no JSON: {healed}"))?;
    let Some(input) = Tree::parse(&body) else { return Ok(()) };
    invariants(spec, &input, &output).map_err(|found| format!("{found}\nbody {body}\noutput {healed}"))
}

/// Checks that a list of the bodies that are JSON gives the same as a whole and in chunks, with little of it held.
fn streams(tape: &mut Tape<'_>, spec: &PlanSpec, bodies: &[Vec<u8>]) -> Result<(), String> {
    let Ok(plan) = Plan::compile(&in_list(spec, &[])) else { return Ok(()) };
    let elements: Vec<&str> = bodies.iter().filter_map(|body| std::str::from_utf8(body).ok()).collect();
    let elements: Vec<&str> = elements.into_iter().filter(|body| Tree::parse(body).is_some()).collect();
    let body = format!("[{}]", elements.join(","));
    let Ok((summary, whole)) = healed(&mut Healer::new(), &plan, body.as_bytes()) else { return Ok(()) };
    let counts = |of: &Summary| [of.renames, of.moves, of.dropped, of.similar];
    let longest = elements.iter().map(|element| element.len()).max().unwrap_or(0);
    let limits = Limits { max_held_bytes: longest.max(8) + tape.below(60), ..Limits::default() };
    for size in [1, 1 + tape.below(200), body.len()] {
        let found = stream(&plan, limits, body.as_bytes().chunks(size));
        if found.bytes != whole {
            let (found, whole) = (found.text(), String::from_utf8_lossy(&whole).into_owned());
            return Err(format!("body {body}\nin chunks of {size} became {found}\nas a whole {whole}"));
        }
        if counts(&found.summary) != counts(&summary) {
            let (found, whole) = (found.summary, summary);
            return Err(format!("body {body}\nin chunks of {size} counts {found:?}\nas a whole {whole:?}"));
        }
    }
    Ok(())
}
