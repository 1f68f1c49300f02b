//! Random contracts, rules and bodies: no value is lost or doubled, and what came before changes nothing.

use super::*;

/// Names in contracts. Bodies have them with their words joined in other ways.
const NAMES: [&str; 12] = [
    "user_id",
    "full_name",
    "email",
    "zip_code",
    "created_at",
    "home_address",
    "order_items",
    "unit_price",
    "is_active",
    "phone_number",
    "total_amount",
    "status",
];

/// Drifted names that only rules know.
const ALIASES: [&str; 3] = ["where", "what", "which"];

fn respelt(name: &str, how: u8) -> String {
    let words = name.split('_');
    match how % 8 {
        0 => name.to_owned(),
        1 => name.replace('_', "-"),
        2 if name == "zip_code" => "postal_code".to_owned(),
        2 if name == "phone_number" => "phone".to_owned(),
        3 => ALIASES[usize::from(how / 8) % ALIASES.len()].to_owned(),
        _ => words.enumerate().map(|(i, word)| if i == 0 { word.to_owned() } else { capitalised(word) }).collect(),
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// What a contract expects: members of a record, by index of the name.
#[derive(Clone, Debug)]
enum Shape {
    Leaf,
    Object(Vec<(usize, Shape)>),
    Records(Vec<(usize, Shape)>),
}

fn members(depth: u32) -> BoxedStrategy<Vec<(usize, Shape)>> {
    let leaf = Just(Shape::Leaf).boxed();
    let shape = if depth == 0 {
        leaf
    } else {
        let inside = members(depth - 1);
        prop_oneof![4 => leaf, 1 => inside.clone().prop_map(Shape::Object), 1 => inside.prop_map(Shape::Records)]
            .boxed()
    };
    let by_name = proptest::collection::btree_map(0..NAMES.len(), shape, 1..6);
    by_name.prop_map(|members| members.into_iter().collect()).boxed()
}

/// Returns rules of a route that also has similarity.
fn rules() -> impl Strategy<Value = PlanSpec> {
    let source = RuleSource::Route;
    let alias = || proptest::sample::select(&ALIASES[..]);
    let name = || proptest::sample::select(&NAMES[..]);
    let above = prop_oneof![Just(""), Just("data."), Just("home_address."), Just("order_items.")];
    let from = (alias(), above).prop_map(|(from, above)| format!("{above}{from}"));
    let to = (name(), proptest::option::weighted(0.3, name()))
        .prop_map(|(to, inside)| inside.map_or_else(|| to.to_owned(), |inside| format!("{to}.{inside}")));
    let rename = (alias(), name()).prop_map(move |(from, to)| RenameRule {
        from: from.to_owned(),
        to: to.to_owned(),
        rank: 0,
        source,
    });
    let path = |text: String| Path::parse(&text).expect("a path");
    let mv = (from, to).prop_map(move |(from, to)| MoveRule { from: path(from), to: path(to), rank: 0, source });
    let convention =
        ConventionRule { from: vec![Case::Camel, Case::Pascal, Case::Kebab], to: Case::Snake, rank: 1, source };
    (
        proptest::collection::vec(rename, 0..2),
        proptest::collection::vec(mv, 0..2),
        proptest::collection::vec(Just(convention), 0..2),
        prop_oneof![3 => Just(Unmapped::Keep), 1 => Just(Unmapped::Drop)],
    )
        .prop_map(|(renames, moves, conventions, unmapped)| PlanSpec {
            renames,
            moves,
            conventions,
            unmapped,
            ..PlanSpec::default()
        })
}

/// Returns settings that configurations can have, including some by which nearly everything is taken for something.
fn settings() -> impl Strategy<Value = Settings> {
    let profile = prop_oneof![3 => Just(Profile::Default), 1 => Just(Profile::Reference)];
    let threshold = prop_oneof![2 => Just(Settings::default().threshold), 1 => Just(0.6), 1 => Just(0.3)];
    let margin = prop_oneof![2 => Just(Settings::default().margin), 1 => Just(0.0)];
    let max_unknown = prop_oneof![3 => Just(8192), 1 => 1u32..16];
    (profile, threshold, margin, max_unknown).prop_map(|(profile, threshold, margin, max_unknown)| Settings {
        profile,
        threshold,
        margin,
        max_unknown,
        ..Settings::default()
    })
}

/// Builds a plan of an example and rules; without the rules if they contradict each other.
fn plan_by(example: &str, settings: Settings, rules: PlanSpec) -> Plan {
    let contract = contract_of(&serde_json::from_str(example).expect("example"));
    let spec = PlanSpec { contract: Some(contract), similarity: Some(settings), ..rules };
    Plan::compile(&spec).unwrap_or_else(|_| plan_with(example, settings))
}

fn object(
    members: &[(usize, Shape)],
    example: &mut dyn FnMut(&Shape) -> Value,
    name: &mut dyn FnMut(&str) -> String,
) -> Value {
    let mut object = serde_json::Map::new();
    for (at, shape) in members {
        object.insert(name(NAMES[*at]), example(shape));
    }
    Value::Object(object)
}

/// Builds a document of a shape. Each choice of spelling, wrapping and number of elements is a byte of `tape`.
fn document(shape: &Shape, tape: &mut dyn FnMut() -> u8, next: &mut i64) -> Value {
    let mut leaf = || {
        *next += 1;
        Value::from(*next)
    };
    // Now and then a value is of another kind than expected.
    match tape() {
        16..20 => return leaf(),
        20..24 => return serde_json::json!({ respelt(NAMES[usize::from(tape()) % NAMES.len()], tape()): leaf() }),
        24..28 => return serde_json::json!([leaf()]),
        28..32 => return Value::Null,
        _ => (),
    }
    match shape {
        Shape::Leaf => leaf(),
        Shape::Object(inside) => record(inside, tape, next),
        Shape::Records(inside) => {
            let count = tape() % 4;
            (0..count).map(|_| record(inside, tape, next)).collect()
        }
    }
}

fn record(members: &[(usize, Shape)], tape: &mut dyn FnMut() -> u8, next: &mut i64) -> Value {
    let mut object = serde_json::Map::new();
    let mut inner = serde_json::Map::new();
    for (at, shape) in members {
        let (how, place) = (tape(), tape());
        let value = document(shape, tape, next);
        match place % 8 {
            0 => (),
            1 | 2 => _ = inner.insert(respelt(NAMES[*at], how), value),
            3 => {
                object.insert(respelt(NAMES[*at], tape()), document(shape, tape, next));
                object.insert(respelt(NAMES[*at], how), value);
            }
            _ => _ = object.insert(respelt(NAMES[*at], how), value),
        }
    }
    if !inner.is_empty() {
        object.insert("data".to_owned(), Value::Object(inner));
    }
    Value::Object(object)
}

/// Repeats each element of the arrays in a value.
fn resized(value: &Value, count: &mut dyn FnMut() -> usize) -> Value {
    match value {
        Value::Array(elements) => elements
            .iter()
            .flat_map(|element| (0..count()).map(|_| resized(element, count)).collect::<Vec<_>>())
            .collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), resized(value, count))).collect(),
        other => other.clone(),
    }
}

fn leaves(value: &Value, into: &mut Vec<i64>) {
    match value {
        Value::Object(members) => members.values().for_each(|value| leaves(value, into)),
        Value::Array(items) => items.iter().for_each(|value| leaves(value, into)),
        Value::Number(number) => into.push(number.as_i64().expect("whole")),
        _ => (),
    }
}

fn example(members: &[(usize, Shape)]) -> Value {
    fn of(shape: &Shape) -> Value {
        match shape {
            Shape::Leaf => Value::from(0),
            Shape::Object(inside) => example(inside),
            Shape::Records(inside) => Value::Array(vec![example(inside)]),
        }
    }
    object(members, &mut of, &mut str::to_owned)
}

/// Returns the value at a path such as `a.b[3].c`.
fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
    value.pointer(&format!("/{pointer}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No value is lost or doubled, every reported op is true, and what came before changes nothing.
    #[test]
    fn nothing_is_lost(
        shape in members(2),
        rules in rules(),
        tapes in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 64), 1..6),
        settings in settings(),
    ) {
        let plan = plan_by(&example(&shape).to_string(), settings, rules);
        let mut memo = Memo::new(&plan);
        let mut healer = Healer::new();
        for tape in tapes.iter().chain(&tapes) {
            let mut tape = tape.iter().copied().cycle();
            let body = record(&shape, &mut || tape.next().unwrap_or(0), &mut 0);
            let text = body.to_string();
            let after_others = heal_and_count(&plan, &mut memo, &text);
            let alone = heal_and_count(&plan, &mut Memo::new(&plan), &text);
            prop_assert_eq!(&after_others, &alone, "after others and alone");
            let (healed, _) = alone;
            let parsed: Value = serde_json::from_str(&healed).expect("healed JSON");
            let (mut before, mut after) = (Vec::new(), Vec::new());
            leaves(&body, &mut before);
            leaves(&parsed, &mut after);
            before.sort_unstable();
            after.sort_unstable();
            if plan.spec().unmapped == Unmapped::Drop {
                before.retain(|value| after.contains(value));
            }
            prop_assert_eq!(before, after, "{} became {}", text, healed);

            let mut intake = healer.intake(Limits::default());
            intake.push(text.as_bytes());
            intake.finish();
            healer.heal(&plan, &mut memo, &intake).expect("JSON");
            for op in healer.describe(&plan, &memo, text.as_bytes()) {
                if op.kind == OpKind::Move {
                    let source = at(&body, &op.from).expect("source");
                    // Records around the target may have moved as well, and members of the value may have moved on.
                    if let Some(stands) = at(&parsed, &op.to).filter(|_| source.is_number()) {
                        prop_assert_eq!(source, stands, "{} -> {} of {} in {}", op.from, op.to, text, healed);
                    }
                }
            }
            let matching = healer.matching(&plan, &mut memo, &intake).expect("JSON");
            let left = matching.matches.iter().filter(|m| m.score < settings.threshold).count();
            prop_assert_eq!(left, 0);
        }
    }

    /// Bodies that differ in how many records their lists have each give the same as alone.
    #[test]
    fn lists_have_any_length(
        shape in members(2),
        rules in rules(),
        tape in proptest::collection::vec(any::<u8>(), 64),
        counts in proptest::collection::vec(proptest::collection::vec(0usize..4, 24), 1..5),
        settings in settings(),
    ) {
        let plan = plan_by(&example(&shape).to_string(), settings, rules);
        let mut memo = Memo::new(&plan);
        let mut tape = tape.iter().copied().cycle();
        let first = record(&shape, &mut || tape.next().unwrap_or(0), &mut 0);
        for counts in std::iter::once(&vec![1]).chain(&counts).chain(&counts) {
            let mut counts = counts.iter().copied().cycle();
            let text = resized(&first, &mut || counts.next().unwrap_or(0)).to_string();
            let told = |(healed, summary): (String, Summary)| (healed, Summary { new_shapes: 0, ..summary });
            let after_others = told(common::heal(&plan, &mut memo, &text));
            prop_assert_eq!(&after_others, &told(common::heal(&plan, &mut Memo::new(&plan), &text)));
        }
    }

    /// No body makes the engine panic.
    #[test]
    fn any_body_is_survived(shape in members(2), body in "[\\[\\]{}:,\"a-c_0-9 ]{0,80}") {
        let plan = plan(&example(&shape).to_string());
        let _ = Healer::new().heal_bytes(&plan, body.as_bytes());
    }
}
