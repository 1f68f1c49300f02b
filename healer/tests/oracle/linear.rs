//! The cost of a body grows linearly with its length, whatever is repeated in it.

use super::examples;
use super::tape::{Tape, cases};
use super::tree::{Kind, Tree, offset};
use super::{bodies, drift, plans};
use healer::plan::spec::PlanSpec;
use healer::{Healer, Limits, Memo, Plan, Reason};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The number of repetitions in the shorter body.
const TIMES: usize = 2000;

/// The factor by which the other body is longer.
const LONGER: usize = 16;

/// The largest factor by which the longer body may cost more: five times its length, for caches and lists that grow. If
/// the cost were quadratic, it would be sixteen times its length.
const MOST: u32 = 80;

/// The number of measurements before a failure counts, because other work also takes from the caches.
const TRIES: usize = 4;

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn work_grows_with_length(tape in Tape::any(220), picks in Tape::any(8)) {
        let mut tape = Tape::new(&tape);
        let drifts = tape.happens(1, 2);
        let spec = if drifts { drift::plan(&mut tape) } else { plans::plan(&mut tape) };
        let body = if drifts { drift::body(&mut tape, &spec) } else { bodies::body(&mut tape, &spec) };
        let bodies = [TIMES, TIMES * LONGER].map(|times| repeated(&mut Tape::new(&picks), &body, times));
        if let [Some(short), Some(long)] = bodies {
            check(&spec, &short, &long).map_err(TestCaseError::fail)?;
        }
    }
}

#[test]
fn what_was_not_linear_once() {
    let rows = [
        (
            "0: data.x => user_id; 0: contact.mail => email; 0: old.first => profile.first; \
             {\"user_id\":0,\"profile\":{\"email\":0,\"first\":0}}",
            r#"{"profile":{"contact":{"mail":1}}"#,
            r#","data":{"x":1}"#,
            "}",
        ),
        ("3: [Camel, Kebab] into Pascal", "{", r#""userId":{},"e":{"f":1,"e":{"c":1.50,"a":""}},"#, "\"z\":1}"),
        ("0: a -> b", "{", r#""x":[0],"#, "\"z\":1}"),
        ("0: a -> b", "{", r#""x":[0,0],"#, "\"z\":1}"),
        ("0: a -> b", "{", r#""x":[1.5,{"a":-2.5}],"#, "\"z\":1}"),
        ("0: a -> b", "{", r#""x":[{"a":1},{"a":2}],"#, "\"z\":1}"),
        ("0: a -> b", r#"{"x":{"#, r#""x":[[0],{"c":[]}],"#, "\"z\":1}}"),
        ("0: a -> b", "[", r#"{"a":[1,2]},[],{"b":[{}]},"#, "0]"),
        (
            "0: d => a; 2: f => a.user_id; 3: f.a => user_id; {\"a\":{\"user_id\":0},\"user_id\":0}",
            "{",
            r#""a":{"f":{"a":0},"c":1},"#,
            r#""f":{"a":1}}"#,
        ),
    ];
    for (plan, start, again, end) in rows {
        let [short, long] = [TIMES, TIMES * LONGER].map(|times| format!("{start}{}{end}", again.repeat(times)));
        check(&examples::spec(plan), &short, &long).unwrap_or_else(|what| panic!("{what}"));
    }
    let deep = |times: usize| format!(r#"{{{}"z":[[{}0]]}}"#, r#""x":[0],"#.repeat(times), "0,".repeat(4 * times));
    check(&examples::spec("0: a -> b"), &deep(TIMES), &deep(TIMES * LONGER)).unwrap_or_else(|what| panic!("{what}"));
}

/// Repeats one member, all members of one object, or all elements of one array `times` more times. In a quarter of all
/// cases the repetitions have names of their own.
fn repeated(picks: &mut Tape<'_>, body: &str, times: usize) -> Option<String> {
    let tree = Tree::parse(body)?;
    let is_empty = |kind: &Kind<'_>| match kind {
        Kind::Object(members) => members.is_empty(),
        Kind::Array(elements) => elements.is_empty(),
        Kind::Scalar => true,
    };
    let full: Vec<_> = tree.nodes.iter().filter(|node| !is_empty(&node.kind)).collect();
    let node = full.get(picks.below(full.len().max(1)))?;
    let inside = &node.raw[1..node.raw.len() - 1];
    let part = match &node.kind {
        Kind::Object(members) => members.get(picks.below(members.len() + 1)).map_or(inside, |member| {
            let value = tree.nodes[member.value].raw;
            &inside[offset(inside, member.key)..offset(inside, value) + value.len()]
        }),
        _ => inside,
    };
    let keys = tree.nodes.iter().filter_map(|node| match &node.kind {
        Kind::Object(members) => members.first().map(|member| member.key),
        _ => None,
    });
    let inside_part = keys.filter(|key| part.as_bytes().as_ptr_range().contains(&key.as_ptr()));
    let first = inside_part.min_by_key(|key| key.as_ptr()).filter(|_| picks.happens(1, 4));
    let one = |number: usize| match first.map(|key| part.split_at(offset(part, key) + key.len() - 1)) {
        Some((before, after)) => format!("{before}{number}{after}"),
        None => part.to_owned(),
    };
    let many: String = (0..times).map(|number| one(number) + ",").collect();
    let mut text = body.to_owned();
    text.insert_str(offset(body, inside), &many);
    Some(text)
}

#[test]
fn names_that_stand_twice_cost_what_they_are() {
    let rules = |names: usize| (0..names).map(|n| format!("0: n{n}.a => t{n}")).collect::<Vec<_>>().join("; ");
    let once = |names: usize| (0..names).map(|n| format!("\"n{n}\":0,")).collect::<Vec<_>>().concat();
    let [short, long] = [250, 250 * LONGER];
    let plans = [short, long].map(|names| Plan::compile(&examples::spec(&rules(names))).expect("a plan"));
    let bodies = [short, long].map(|names| format!("{{{}\"z\":0}}", once(names).repeat(4)));
    compare([&plans[0], &plans[1]], [&bodies[0], &bodies[1]]).unwrap_or_else(|what| panic!("{what}"));
}

fn check(spec: &PlanSpec, short: &str, long: &str) -> Result<(), String> {
    let plan = Plan::compile(spec).expect("a plan");
    compare([&plan, &plan], [short, long]).map_err(|what| {
        let start: String = short.chars().take(400).collect();
        format!("{what}; {}\n{start}", plans::line(spec))
    })
}

fn compare(plans: [&Plan; 2], [short, long]: [&str; 2]) -> Result<(), String> {
    for (way, cost) in [("whole", whole as fn(&Plan, &str) -> Duration), ("streamed", streamed)] {
        let mut least = [Duration::MAX; 2];
        for _ in 0..TRIES {
            least = [least[0].min(cost(plans[0], short)), least[1].min(cost(plans[1], long))];
            if least[1] <= least[0] * MOST {
                break;
            }
        }
        if least[1] > least[0] * MOST {
            return Err(format!("{way}: {least:?} for {LONGER} times the length"));
        }
    }
    Ok(())
}

fn whole(plan: &Plan, body: &str) -> Duration {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut intake = healer.intake(limits(body.len()));
    let began = worked();
    intake.push(body.as_bytes());
    let outcome = healer.heal(plan, &mut memo, &intake);
    let time = worked().saturating_sub(began);
    // A body that is refused costs little.
    assert!(outcome.is_ok(), "{outcome:?}");
    time
}

/// Measures the body as a stream in three chunks, with at most half of it held.
fn streamed(plan: &Plan, body: &str) -> Duration {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut incremental = healer.incremental(limits(body.len() / 2));
    let began = worked();
    for chunk in body.as_bytes().chunks(body.len() / 3) {
        healer.clear_output();
        incremental.push(&mut healer, plan, &mut memo, chunk);
    }
    incremental.finish(&mut healer, &mut memo);
    let time = worked().saturating_sub(began);
    let reason = incremental.failure().map(|failure| failure.reason);
    assert!(reason.is_none_or(|reason| reason == Reason::TooLarge), "{reason:?}");
    time
}

/// Returns the processor time of this thread, because the machine may do other work at the same time.
fn worked() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("time since the thread began")
}

fn limits(max_held_bytes: usize) -> Limits {
    Limits { max_held_bytes, max_keys: u32::MAX, max_tokens: usize::MAX, ..Limits::default() }
}
