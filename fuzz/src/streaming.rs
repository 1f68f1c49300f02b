//! A body that is healed while it streams gives the same bytes in any chunks, and keeps all values. If its records may
//! be held, it gives the same bytes as the whole body.

use healer::plan::spec::PlanSpec;
use healer::{Healer, Limits, Plan, Summary};
use healer_oracle::agree::{healed, invariants};
use healer_oracle::stream::{Outcome, envelope, in_list, stream};
use healer_oracle::tape::Tape;
use healer_oracle::tree::Tree;
use healer_oracle::{bodies, json, plans};

pub fn run(data: &[u8]) {
    let mut tape = Tape::new(data);
    let kind = tape.below(3);
    let spec = plans::plan(&mut tape);
    match kind {
        0 => list(&mut tape, &spec),
        1 => keeps(&mut tape, &spec),
        _ => broken(&mut tape, &spec),
    }
}

/// Compares a list that streams with the whole list.
fn list(tape: &mut Tape<'_>, spec: &PlanSpec) {
    let envelope = envelope(tape, spec);
    let count = tape.below(9);
    let mut elements: Vec<String> = Vec::new();
    for _ in 0..count {
        // Half of the elements have the skeleton of the one before, and other values.
        let like = elements.last().filter(|_| tape.happens(1, 2)).map(|last| bodies::revalued(tape, last));
        elements.push(like.unwrap_or_else(|| bodies::body(tape, spec)));
    }
    let mut body = format!("[{}]", elements.join(", "));
    for name in envelope.iter().rev() {
        body = format!("{{\"n\":[1,{{}},[]],\"{name}\" :{body},\"total\": -1.5e3 }}");
    }
    let plan = Plan::compile(&in_list(spec, envelope)).expect("a plan");
    let (summary, whole) = healed(&mut Healer::new(), &plan, body.as_bytes()).expect("a body is JSON");
    let held = elements.iter().map(String::len).max().unwrap_or(0).max(8) + tape.below(60);
    let found = in_any_chunks(tape, &plan, held, body.as_bytes());
    let what = || format!("held {held}\nbody {body}\nplan {}", plans::line(spec));
    assert_eq!(found.text(), String::from_utf8_lossy(&whole), "{}", what());
    assert_eq!((found.summary, found.failure), (Summary { lacks: false, ..summary }, None), "{}", what());
}

fn keeps(tape: &mut Tape<'_>, spec: &PlanSpec) {
    let body = bodies::body(tape, spec);
    let plan = Plan::compile(spec).expect("a plan");
    let held = 1 + tape.below(body.len().min(250) + 4);
    let found = in_any_chunks(tape, &plan, held, body.as_bytes());
    let text = found.text();
    let what = || format!("held {held}\nbody {body}\nout  {text}\nplan {}", plans::line(spec));
    let input = Tree::parse(&body).expect("a body is JSON");
    let output = Tree::parse(&text).unwrap_or_else(|| panic!("no JSON\n{}", what()));
    let kept = invariants(spec, &input, &output);
    assert!(kept.is_ok(), "{kept:?}\n{}", what());
    assert!(found.summary.changed || text == body, "{}", what());
}

fn broken(tape: &mut Tape<'_>, spec: &PlanSpec) {
    let mut body = bodies::body(tape, spec).into_bytes();
    json::mutate(tape, &mut body);
    let plan = Plan::compile(spec).expect("a plan");
    let held = 1 + tape.below(body.len().min(250) + 4);
    let found = in_any_chunks(tape, &plan, held, &body);
    assert!(found.summary.changed || found.bytes == body, "{}", found.text());
}

/// Streams a body at once, byte by byte, and in chunks of some size, and asserts that all give the same.
fn in_any_chunks(tape: &mut Tape<'_>, plan: &Plan, held: usize, body: &[u8]) -> Outcome {
    let limits = Limits { max_held_bytes: held, ..Limits::default() };
    let whole = stream(plan, limits, [body].into_iter());
    for size in [1, tape.of(&[2, 3, 7, 63, 64, 65, 200])] {
        let chunked = stream(plan, limits, body.chunks(size));
        let reason = |outcome: &Outcome| outcome.failure.map(|failure| failure.reason);
        let told = |outcome: &Outcome| (outcome.text(), outcome.summary, reason(outcome));
        assert_eq!(told(&chunked), told(&whole), "in chunks of {size}, held {held}: {}", String::from_utf8_lossy(body));
    }
    whole
}
