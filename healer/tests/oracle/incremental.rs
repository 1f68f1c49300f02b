//! A body that is healed while it streams becomes what it becomes as a whole.
//!
//! The laws, from the strictest to the one that always holds:
//! - Where no rule touches an envelope and every record may be held, the output and the counts are those of the whole.
//! - In a list, each element is what it is alone if it may be held and came whole, and as it came if not.
//! - However the body is cut into chunks, the output and the verdict are the same.
//! - No value is lost or doubled, no name is given twice, and what is not changed is exact.

use super::bodies;
use super::equals::{healed, invariants};
use super::json::{self, Writer};
use super::plans;
use super::tape::{Tape, cases};
use super::tree::Tree;
use healer::plan::spec::{Contract, Expects, MoveRule, PlanSpec, Property};
use healer::{Failure, Healer, Incremental, Limits, Memo, Plan, Summary};
use nomos_rules::path::{Path, Step};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

/// What became of a body.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub bytes: Vec<u8>,
    pub summary: Summary,
    pub failure: Option<Failure>,
}

impl Outcome {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Pushes chunks, and checks that no more is held than may be.
pub fn stream<'c>(plan: &Plan, limits: Limits, chunks: impl Iterator<Item = &'c [u8]>) -> Outcome {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    let mut body = healer.incremental(limits);
    let mut bytes = Vec::new();
    for chunk in chunks {
        push(&mut healer, plan, &mut memo, &mut body, chunk, &mut bytes);
        assert!(body.held().len() <= limits.max_held_bytes + 8, "{} bytes held", body.held().len());
    }
    healer.clear_output();
    body.finish(&mut healer, &mut memo);
    bytes.extend_from_slice(healer.output());
    Outcome { bytes, summary: body.summary(), failure: body.failure() }
}

fn push(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &mut Incremental, chunk: &[u8], into: &mut Vec<u8>) {
    healer.clear_output();
    body.push(healer, plan, memo, chunk);
    into.extend_from_slice(healer.output());
}

fn limits(max_held_bytes: usize) -> Limits {
    Limits { max_held_bytes, ..Limits::default() }
}

/// Streams a body at once, byte by byte, and in random chunks.
fn in_any_chunks(tape: &mut Tape<'_>, plan: &Plan, limits: Limits, body: &[u8]) -> Result<Outcome, TestCaseError> {
    let whole = stream(plan, limits, [body].into_iter());
    let size = tape.of(&[2, 3, 7, 63, 64, 65, 200]);
    for size in [1, size] {
        let chunked = stream(plan, limits, body.chunks(size));
        let what = || format!("in chunks of {size}, {limits:?}: {}", String::from_utf8_lossy(body));
        prop_assert_eq!(chunked.text(), whole.text(), "{}", what());
        prop_assert_eq!(&chunked.summary, &whole.summary, "{}", what());
        prop_assert_eq!(
            chunked.failure.map(|failure| failure.reason),
            whole.failure.map(|failure| failure.reason),
            "{}",
            what()
        );
    }
    Ok(whole)
}

/// A plan whose rules are about the elements of `list`, or of the root where it is empty.
fn in_list(spec: &PlanSpec, list: &[&str]) -> PlanSpec {
    let any = |name: &str| Property {
        name: name.to_owned(),
        required: false,
        expects: Expects::default(),
        node: Contract::Any,
    };
    let mut contract = spec.contract.clone().map(|items| Contract::Array { items: Box::new(items) });
    for name in list.iter().rev() {
        contract = contract.map(|node| {
            let list = Property { node, ..any(name) };
            Contract::Object { properties: vec![any("n"), list, any("total")] }
        });
    }
    let inside = |path: &Path| {
        let scope: String = path.scope().iter().map(step).collect();
        let names = path.segments().iter().map(|name| format!(".{}", quoted(name)));
        let text = format!("{}[]{scope}{}", list.join("."), names.collect::<String>());
        Path::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let moves =
        spec.moves.iter().map(|rule| MoveRule { from: inside(&rule.from), to: inside(&rule.to), ..rule.clone() });
    PlanSpec { contract, moves: moves.collect(), ..spec.clone() }
}

fn step(step: &Step) -> String {
    match step {
        Step::Each => "[]".to_owned(),
        Step::Name(name) => format!(".{}", quoted(name)),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Bodies of records, as elements.
fn elements(tape: &mut Tape<'_>, spec: &PlanSpec) -> Vec<String> {
    let count = tape.below(5);
    (0..count).map(|_| bodies::body(tape, spec)).collect()
}

fn longest(elements: &[String]) -> usize {
    elements.iter().map(String::len).max().unwrap_or(0).max(8)
}

/// Names of an envelope that no rule of the random plans knows; none where a convention would change even those.
fn envelope(tape: &mut Tape<'_>, spec: &PlanSpec) -> &'static [&'static str] {
    let capitalises = spec.conventions.iter().any(|rule| rule.to == nomos_rules::Case::Pascal);
    if capitalises { &[] } else { tape.of(&[&[][..], &["list"], &["w", "list"]]) }
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn a_list_becomes_what_it_becomes_as_a_whole(tape in Tape::any(600)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let envelope = envelope(&mut tape, &spec);
        let elements = elements(&mut tape, &spec);
        let mut body = format!("[{}]", elements.join(", "));
        for name in envelope.iter().rev() {
            body = format!("{{\"n\":[1,{{}},[]],\"{name}\" :{body},\"total\": -1.5e3 }}");
        }
        let plan = Plan::compile(&in_list(&spec, envelope)).expect("a plan");
        let (summary, whole) = healed(&mut Healer::new(), &plan, body.as_bytes()).expect("a body is JSON");
        let held = longest(&elements) + tape.below(60);
        let found = in_any_chunks(&mut tape, &plan, limits(held), body.as_bytes())?;
        let whole = String::from_utf8_lossy(&whole);
        prop_assert_eq!(found.text(), whole, "body {}\nplan {}", body, plans::line(&spec));
        prop_assert_eq!(found.summary, Summary { lacks: false, ..summary }, "body {}\nplan {}", body, plans::line(&spec));
        prop_assert_eq!(found.failure, None);
    }

    #[test]
    fn each_element_is_what_it_is_alone_or_as_it_came(tape in Tape::any(600)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let elements: Vec<String> =
            elements(&mut tape, &spec).iter().map(|e| e.trim().to_owned()).filter(|e| e.starts_with('{')).collect();
        let plan = Plan::compile(&in_list(&spec, &[])).expect("a plan");
        let held = longest(&elements).saturating_sub(tape.below(30)).max(1);
        let mut body = format!("[{}]", elements.join(","));
        let mut cut = body.len();
        if tape.happens(1, 2) {
            cut = tape.below(body.len() + 1);
            body.truncate((0..=cut).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0));
        }
        let mut expected = body.get(..1).unwrap_or_default().to_owned();
        for element in &elements {
            let mut comes = body.get(expected_input(&elements, element)..).unwrap_or_default();
            comes = comes.get(..element.len()).unwrap_or(comes);
            if comes.len() == element.len() && element.len() <= held {
                let (_, alone) = healed(&mut Healer::new(), &plan, format!("[{element}]").as_bytes()).expect("JSON");
                expected.push_str(std::str::from_utf8(&alone[1..alone.len() - 1]).expect("UTF-8"));
            } else {
                expected.push_str(comes);
            }
            expected.push_str(body.get(expected_input(&elements, element) + element.len()..).unwrap_or_default().get(..1).unwrap_or_default());
        }
        if elements.is_empty() {
            expected = body.clone();
        }
        let found = in_any_chunks(&mut tape, &plan, limits(held), body.as_bytes())?;
        prop_assert_eq!(found.text(), expected, "cut {} held {} body {}\nplan {}", cut, held, body, plans::line(&spec));
    }

    #[test]
    fn any_body_keeps_what_it_has(tape in Tape::any(500)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        let plan = Plan::compile(&spec).expect("a plan");
        let held = 1 + tape.below(body.len() + 4);
        let found = in_any_chunks(&mut tape, &plan, limits(held), body.as_bytes())?;
        let text = found.text();
        let what = || format!("held {held}\nbody {body}\nout  {text}\nplan {}", plans::line(&spec));
        let (input, output) = (Tree::parse(&body).expect("a body is JSON"), Tree::parse(&text));
        prop_assert!(output.is_some(), "no JSON: {}", what());
        let kept = output.map_or(Ok(()), |output| invariants(&spec, &input, &output));
        prop_assert!(kept.is_ok(), "{:?}: {}", kept, what());
        prop_assert!(found.summary.changed || text == body, "{}", what());
    }

    #[test]
    fn no_bytes_do_harm(tape in Tape::any(400), bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let mut body = match tape.below(3) {
            0 => bytes,
            1 => {
                let mut writer = Writer::new(&mut tape, 80);
                writer.body();
                std::mem::take(&mut writer.out)
            }
            _ => bodies::body(&mut tape, &spec).into_bytes(),
        };
        if tape.happens(3, 4) {
            json::mutate(&mut tape, &mut body);
        }
        let plan = Plan::compile(&spec).expect("a plan");
        let held = 1 + tape.below(body.len() + 4);
        let found = in_any_chunks(&mut tape, &plan, limits(held), &body)?;
        prop_assert!(found.summary.changed || found.bytes == body, "{}", found.text());
        let whole = healed(&mut Healer::new(), &plan, &body);
        if whole.is_ok() {
            let reason = found.failure.map(|failure| failure.reason);
            prop_assert!(reason.is_none_or(|reason| reason == healer::Reason::TooLarge), "{:?}: {}", reason, found.text());
        }
    }
}

/// Where an element starts.
fn expected_input(elements: &[String], element: &String) -> usize {
    let before = elements.iter().take_while(|other| !std::ptr::eq(*other, element));
    1 + before.map(|other| other.len() + 1).sum::<usize>()
}

/// The random lists would prove little if rules seldom met them, or all records were held.
#[test]
fn plans_and_lists_meet() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = [0; 5];
    for _ in 0..2000 {
        let tape = Tape::any(600).new_tree(&mut runner).expect("a tape").current();
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let elements = elements(&mut tape, &spec);
        let plan = Plan::compile(&in_list(&spec, &["w", "list"])).expect("a plan");
        let body = format!("{{\"w\":{{\"list\":[{}]}}}}", elements.join(","));
        let held = longest(&elements).saturating_sub(tape.below(30)).max(1);
        let found = stream(&plan, limits(held), body.as_bytes().chunks(50));
        let Summary { renames, moves, dropped, .. } = found.summary;
        for (count, ops) in met.iter_mut().zip([renames, moves, dropped]) {
            *count += u32::from(ops > 0);
        }
        let whole = healed(&mut Healer::new(), &plan, body.as_bytes()).expect("a body is JSON");
        met[3] += u32::from(whole.1 != found.bytes && found.summary.changed);
        met[4] += u32::from(found.failure.is_some());
    }
    assert!(met.iter().all(|&count| count >= 60), "{met:?}");
}
