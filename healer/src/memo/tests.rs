use std::sync::Arc;

use super::learned::{MAX_ITEMS, MAX_MEMORY, MOST_MEMORY, MOST_TIMES_SHAPES, PATIENCE};
use super::*;
use crate::config::Config;
use crate::hash::name_hash;
use crate::plan::table::Fingerprint;
use crate::{Healer, Limits, Summary};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

fn heal(plan: &Plan, memo: &mut Memo, body: &str) -> (String, Option<u64>) {
    let mut healer = Healer::new();
    let mut intake = healer.intake(Limits::default());
    intake.push(body.as_bytes());
    let summary = healer.heal(plan, memo, &intake).unwrap();
    let output = if summary.changed { healer.output() } else { body.as_bytes() };
    (String::from_utf8(output.to_vec()).unwrap(), summary.shape)
}

fn plan() -> Arc<Plan> {
    let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"object","properties":
        {"user_id":{},"full_name":{},"home_address":{"type":"object","properties":{"zip_code":{}}}}}}]}"#;
    Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan
}

/// Two shapes with the same hash are told apart.
#[test]
fn what_has_the_hash_of_another_is_not_taken_for_it() {
    let plan = plan();
    let bodies = [
        r#"{"userId":1,"fullName":"a"}"#,
        r#"{"userId":1,"user_name_in_full":"a"}"#,
        r#"{"userId":1,"fullName":"2026-11-21"}"#,
        r#"{"userId":1,"fullName":"a","x":[1]}"#,
        r#"{"userId":1,"fullName":"a","homeAddress":{"zipCode":"1"}}"#,
        r#"{"fullName":"a","userId":1}"#,
        "{}",
    ];
    let alone = bodies.map(|body| heal(&plan, &mut Memo::new(&plan), body));
    for (first, second) in (0..bodies.len()).flat_map(|a| (0..bodies.len()).map(move |b| (a, b))) {
        let mut memo = Memo::new(&plan);
        heal(&plan, &mut memo, bodies[first]);
        let state = plan.automaton().root;
        let colliding = alone[second].1.unwrap();
        let by_hash = &mut memo.learned.as_deref_mut().unwrap().by_hash;
        if let Err(place) = by_hash.find((state, colliding), |_| Ordering::Less) {
            by_hash.insert(place, (state, colliding), 0);
        }
        for _ in 0..3 {
            assert_eq!(heal(&plan, &mut memo, bodies[second]), alone[second], "after {}", bodies[first]);
        }
        assert_eq!(heal(&plan, &mut memo, bodies[first]), alone[first]);
        assert_eq!(memo.shapes(), if first == second { 1 } else { 2 });
    }
}

#[test]
fn the_shape_that_most_records_have_is_likely() {
    let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"array","items":
        {"type":"object","properties":{"user_id":{},"full_name":{}}}}}]}"#;
    let plan = Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan;
    let mut memo = Memo::new(&plan);
    heal(&plan, &mut memo, r#"[{"userId":1},{"userId":2,"fullName":"a"},{"userId":3,"fullName":"b"},{}]"#);
    let learned = memo.learned.as_deref().unwrap();
    let state = plan.automaton().state(plan.automaton().root).element;
    let likely = learned.likely[state as usize];
    assert_eq!(learned.shapes[likely as usize].names, 2);
}

/// Shapes that differ only in what does not concern similarity share their states.
#[test]
fn states_are_shared() {
    let plan = plan();
    let mut memo = Memo::new(&plan);
    let rows = [
        (r#"{"userId":1,"full_name":"a"}"#, 1),
        (r#"{"userId":1,"full_name":null}"#, 1),
        (r#"{"full_name":null,"userId":1}"#, 1),
        (r#"{"userId":1,"full_name":null,"home_address":{"zip_code":1}}"#, 1),
        (r#"{"userId":1,"fullName":null}"#, 2),
        (r#"{"userId":1,"home_address":{"zipCode":1}}"#, 3),
        (r#"{"userId":1,"home_address":{"zipCode":"1"}}"#, 3),
        (r#"{"userId":1,"homeAddress":{"zip_code":1}}"#, 4),
    ];
    for (shapes, (body, overlays)) in (1..).zip(rows) {
        assert_eq!(heal(&plan, &mut memo, body), heal(&plan, &mut Memo::new(&plan), body));
        let known = (memo.shapes(), memo.learned.as_deref().unwrap().overlays.len());
        assert_eq!(known, (shapes, overlays), "{body}");
    }
}

/// Heals a body that streams in chunks. Records of up to 4 KiB are held.
fn stream(plan: &Plan, memo: &mut Memo, body: &str, chunk: usize) -> (String, Summary) {
    let mut healer = Healer::new();
    let mut streaming = healer.incremental(Limits { max_held_bytes: 8 << 10, ..Limits::default() });
    body.as_bytes().chunks(chunk).for_each(|chunk| streaming.push(&mut healer, plan, memo, chunk));
    streaming.finish(&mut healer, memo);
    (String::from_utf8(healer.output().to_vec()).unwrap(), streaming.summary())
}

/// Eight members inside a wrapper of that name.
fn wrapped(name: &str) -> String {
    format!("{{\"{name}\":{{{}}}}}", (0..8).map(|at| format!("\"theField{at}\":1")).collect::<Vec<_>>().join(","))
}

fn list_of_records() -> Arc<Plan> {
    let fields = (0..8).map(|at| format!("\"the_field_{at}\":{{}}")).collect::<Vec<_>>().join(",");
    let config = format!(
        r#"{{"routes":[{{"match":{{"prefix":"/"}},"similarity":{{}},"contract":{{"type":"array","items":
        {{"type":"object","properties":{{{fields}}}}}}}}}]}}"#
    );
    Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan
}

/// What names of any length take is bounded. Whether something was forgotten, or never remembered, changes no output.
#[test]
fn memory_is_bounded_whatever_names_are_long() {
    let plan = list_of_records();
    for (len, count) in [(20, 200), (200, 400), (MAX_NAME - 20, 400), (MAX_NAME + 1, 400), (30_000, 400), (900_000, 30)]
    {
        let mut memo = Memo::new(&plan);
        let mut healed = 0;
        for at in 0..count {
            let body = format!("[{}]", wrapped(&format!("w{at}{}", "x".repeat(len))));
            let (output, shape) = heal(&plan, &mut memo, &body);
            healed += u32::from(output != body);
            assert_eq!((output, shape), heal(&plan, &mut Memo::new(&plan), &body));
            assert!(memo.memory() < MAX_MEMORY + (1 << 20), "{len} {at}: {}", memo.memory());
        }
        assert_eq!(healed, if len > MAX_NAME { 0 } else { count }, "{len}");
        assert_eq!(memo.shapes() == 0, len > MAX_NAME, "{len}");
    }
}

/// However many shapes may be remembered, all are forgotten when they take too much memory.
#[test]
fn too_much_is_forgotten_however_few_shapes_that_is() {
    let plan = list_of_records();
    let mut memo = Memo::bounded(&plan, MAX_ITEMS);
    let mut most = 0;
    for at in 0.. {
        let body = format!("[{}]", wrapped(&format!("w{at}{}", "x".repeat(MAX_NAME - 20))));
        assert_eq!(heal(&plan, &mut memo, &body), heal(&plan, &mut Memo::new(&plan), &body));
        most = most.max(memo.memory());
        assert!(memo.shapes() < MAX_ITEMS / 9, "{}", memo.shapes());
        if memo.forgotten() > 0 {
            break;
        }
    }
    assert!((MAX_MEMORY / 2..MOST_MEMORY + (1 << 20)).contains(&most), "{most}");
}

/// The same for one body that streams, in any chunks.
#[test]
fn memory_is_bounded_whatever_streams() {
    let plan = list_of_records();
    for (len, count) in [(20, 2000), (MAX_NAME - 20, 2000), (MAX_NAME + 1, 1000), (7_000, 1000), (20_000, 300)] {
        let bodies: Vec<_> = (0..count).map(|at| wrapped(&format!("w{at}{}", "x".repeat(len)))).collect();
        let body = format!("[{}]", bodies.join(","));
        let mut memo = Memo::new(&plan);
        let whole = stream(&plan, &mut memo, &body, usize::MAX);
        assert_eq!(whole.0 != body, len <= MAX_NAME, "{len}");
        assert_eq!(memo.shapes() == 0, len > MAX_NAME, "{len}");
        for chunk in [16 << 10, 1000] {
            assert_eq!(stream(&plan, &mut memo, &body, chunk).0, whole.0, "{len} in {chunk}");
            assert!(memo.memory() < MAX_MEMORY + (8 << 20), "{len}: {}", memo.memory());
        }
        assert_eq!(stream(&plan, &mut Memo::new(&plan), &body, 1000), whole, "{len}");
    }
}

/// A body may have more shapes than are remembered, wherever the limits are.
#[test]
fn a_stream_of_shapes_takes_no_more_than_its_limits() {
    let plan = list_of_records();
    let body = (0..100_000).map(|at| format!("{{\"theField1\":1,\"n{at}\":1}}")).collect::<Vec<_>>().join(",");
    let mut memo = Memo::new(&plan);
    let mut healer = Healer::new();
    let mut streaming = healer.incremental(Limits { max_held_bytes: 8 << 10, ..Limits::default() });
    for chunk in format!("[{body}]").as_bytes().chunks(16 << 10) {
        streaming.push(&mut healer, &plan, &mut memo, chunk);
        assert!(memo.memory() < 4 << 20, "{}", memo.memory());
        assert!(streaming.shapes_seen() <= MAX_NAMES_PER_BODY as usize, "{}", streaming.shapes_seen());
    }
}

/// Resolutions are reported with shortened names, however many bytes a character has.
#[test]
fn long_names_are_cut_where_they_are_told() {
    let plan = list_of_records();
    for name in ["x".repeat(300), "é".repeat(150), "\\u0001".repeat(300), "a.b".repeat(100)] {
        let mut memo = Memo::new(&plan);
        heal(&plan, &mut memo, &format!("[{}]", wrapped(&name)));
        assert_eq!(memo.last_used().count(), 8);
        for resolution in memo.last_used() {
            let told: serde_json::Value = serde_json::from_slice(resolution.json()).unwrap();
            let from = told["from"].as_str().unwrap();
            assert!(
                from.contains("...") && from.ends_with(&resolution.to.replace("the_field_", ".theField")),
                "{from}"
            );
            assert!(from.len() < 96 && resolution.json().len() < 512, "{from}");
            assert!(resolution.from.len() > 300);
        }
    }
}

/// Too many shapes are forgotten once enough other bodies have come, or at once if they are far too many.
#[test]
fn memory_is_bounded() {
    let plan = plan();
    let mut memo = Memo::new(&plan);
    let shape = |at: usize| format!("{{\"name{at}\":1,\"userId\":1}}");
    for at in 0..=Memo::DEFAULT_SHAPES {
        heal(&plan, &mut memo, &shape(at));
    }
    let long = format!("{{\"userId\":1{}}}", " ".repeat(PATIENCE / 3));
    for times in 1..=3 {
        heal(&plan, &mut memo, &long);
        assert_eq!(memo.shapes(), if times < 3 { Memo::DEFAULT_SHAPES + 2 } else { 1 });
    }
    let mut memo = Memo::bounded(&plan, 16);
    for at in 0..=16 * MOST_TIMES_SHAPES + 1 {
        heal(&plan, &mut memo, &shape(at));
    }
    assert_eq!(memo.shapes(), 1);
    let wide = (0..2000).map(|at| format!("\"w{at}\":1")).collect::<Vec<_>>().join(",");
    let mut most = 0;
    for at in 0..500 {
        heal(&plan, &mut memo, &format!("{{{wide},\"name{at}\":1}}"));
        most = most.max(memo.memory());
    }
    assert!(memo.forgotten() > 1 && most < MOST_MEMORY, "{}, {most}", memo.forgotten());
}

/// An odd number's inverse modulo 2^64 (Newton's iteration).
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse))))
}

/// Names of sixteen bytes, made from eight of them and a function that finds the others.
fn names(find_rest: impl Fn(u64) -> u64) -> impl Iterator<Item = String> {
    (0..).filter_map(move |n: u64| {
        let start = u64::from_le_bytes(format!("{n:08}").into_bytes().try_into().ok()?);
        let rest = find_rest(start).to_le_bytes();
        let is_plain = rest.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'));
        is_plain.then(|| String::from_utf8([start.to_le_bytes(), rest].concat()).unwrap())
    })
}

/// Names that all have one hash, as anybody can find them.
fn colliding_names() -> impl Iterator<Item = String> {
    const OF_HEAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let of_tail = inverse(0xc2b2_ae3d_27d4_eb4f);
    let names = names(move |head| (head.wrapping_mul(OF_HEAD) ^ 7).rotate_right(32).wrapping_mul(of_tail));
    names.inspect(|name| {
        let hash = |name: &str| Fingerprint::of(name.as_bytes()).spread();
        assert_eq!(hash(name), 7 ^ 16u64.wrapping_mul(0x1656_67b1_9e37_79f9), "the hash is another one now");
    })
}

fn records_of(names: impl Iterator<Item = String>) -> String {
    format!("[{}]", names.map(|name| format!("{{\"{name}\":1}}")).collect::<Vec<_>>().join(","))
}

/// Checks that one body costs less than five times as much as another.
fn assert_costs_no_more(body: &str, other: &str) {
    let plan = list_of_records();
    let cost = |body: &str| {
        let now = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
        let start = now();
        heal(&plan, &mut Memo::new(&plan), body);
        now().saturating_sub(start).as_secs_f64()
    };
    // Other work takes from the caches, so one good try is enough.
    let ratios: Vec<f64> = (0..4).map(|_| cost(body) / cost(other)).collect();
    assert!(ratios.iter().any(|ratio| *ratio < 5.0), "{ratios:?}");
}

/// A body cannot make itself expensive by shapes that share a hash.
#[test]
fn shapes_with_one_hash_cost_what_others_cost() {
    let body = |names: Vec<String>| {
        let again = (0..16_000).map(|at| names[at % 2].clone());
        records_of(names.iter().cloned().chain(again))
    };
    let others = (0..4000).map(|at| format!("name_of_others_{at:04}")).collect();
    assert_costs_no_more(&body(colliding_names().take(4000).collect()), &body(others));
}

/// Nor by members deep inside.
#[test]
fn members_deep_inside_cost_what_others_cost() {
    let body = |depth: usize| {
        let records = (0..4).map(|record| {
            let members: Vec<String> = (0..1700).map(|at| format!("\"k{record}{at}\":1")).collect();
            let open: Vec<String> = (0..depth).map(|level| format!("{{\"{record}level{level}\":")).collect();
            format!("{}{{{}}}{}", open.concat(), members.join(","), "}".repeat(depth))
        });
        format!("[{}]", records.collect::<Vec<_>>().join(","))
    };
    assert_costs_no_more(&body(240), &body(1));
}

/// Nor can one that streams have more names looked at than others.
#[test]
fn shapes_with_one_hash_count_as_others_do() {
    let plan = list_of_records();
    let told = |names: Vec<String>| {
        let (output, summary) = stream(&plan, &mut Memo::new(&plan), &records_of(names.into_iter()), 8 << 10);
        (output.len(), summary.new_shapes, summary.unscored)
    };
    let expected = told((0..12_000).map(|at| format!("of_others_{at:06}")).collect());
    assert_eq!(told(colliding_names().take(12_000).collect()), expected);
    // Shapes of one name are mostly effort for shapes.
    let most = MAX_EFFORT_PER_BODY / 3 + 1;
    assert_eq!((expected.1, expected.2), (most, 12_000 - most));
}

/// Nor does a list that nobody expects hide names from the limit, where what is in it is looked at.
#[test]
fn names_in_elements_count_as_others_do() {
    const RECORDS: u32 = 200;
    let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"array","items":{"type":"object",
        "properties":{"id":{},"entries":{"type":"array","items":{"type":"object","properties":{"sum":{}}}}}}}}]}"#;
    let plan = Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan;
    let told = |names: u32, entries: &str| {
        let inside = (0..names).map(|at| format!("\"inside{at}\":1")).collect::<Vec<_>>().join(",");
        let records = (0..RECORDS).map(|at| format!("{{\"id\":1,{entries}\"list{at}\":[{{{inside}}}]}}"));
        let body = format!("[{}]", records.collect::<Vec<_>>().join(","));
        let [(whole, first), (streamed, second)] =
            [usize::MAX, 8 << 10].map(|chunk| stream(&plan, &mut Memo::new(&plan), &body, chunk));
        assert_eq!((whole, first.unscored), (streamed, second.unscored), "{names}");
        assert_eq!(first.new_shapes, second.new_shapes, "{names}");
        (first.new_shapes, first.unscored)
    };
    // Of each record two names, and those in its list.
    let most = MAX_NAMES_PER_BODY / 82;
    assert_eq!(told(80, ""), (most, RECORDS - most));
    assert_eq!(told(1, ""), (RECORDS, 0));
    // Nothing is looked for in them.
    assert_eq!(told(80, "\"entries\":[],"), (RECORDS, 0));
}

/// Nobody can have an array taken for another one by names that share a hash with those of its elements.
#[test]
fn elements_are_told_apart_by_more_than_the_hashes_of_their_names() {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let config = r#"{"routes":[{"match":{"prefix":"/"},"similarity":{},"contract":{"type":"object","properties":{
        "total":{},"users":{"type":"array","items":{"type":"object","properties":{"email_address":{},"first_name":{},
        "user_id":{},"last_name":{},"postal_code":{}}}}}}}]}"#;
    let plan = Config::parse(config.as_bytes()).unwrap().routes.remove(0).plan;
    let mix = |hash: u64, word: u64| {
        let product = (hash ^ word).wrapping_mul(ODD);
        product ^ (product >> 32)
    };
    let unmix = |hash: u64| (hash ^ (hash >> 32)).wrapping_mul(inverse(ODD));
    let own = ["email_address", "first_name", "user_id", "last_name", "postal_code"].map(str::to_owned);
    let twins = own.each_ref().map(|name| {
        let wanted = unmix(unmix(name_hash(name.as_bytes())) ^ 16);
        let twin = names(|start| wanted ^ mix(ODD, start)).next().unwrap();
        assert_eq!(name_hash(twin.as_bytes()), name_hash(name.as_bytes()), "the hash is another one now");
        twin
    });
    let body = |names: &[String; 5]| {
        let members: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
        format!(r#"{{"total":1,"members":[{{{}}}]}}"#, members.join(","))
    };
    let bodies = [body(&own), body(&twins)];
    let alone = bodies.each_ref().map(|body| heal(&plan, &mut Memo::new(&plan), body).0);
    assert_eq!(alone, [bodies[0].replace("members", "users"), bodies[1].clone()]);
    for [first, second] in [[0, 1], [1, 0]] {
        let mut memo = Memo::new(&plan);
        heal(&plan, &mut memo, &bodies[first]);
        assert_eq!(heal(&plan, &mut memo, &bodies[second]).0, alone[second]);
    }
}
