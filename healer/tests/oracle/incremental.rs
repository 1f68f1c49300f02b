//! A body that is healed while it streams gives the same as the whole body.
//!
//! The laws, from the strictest to the one that always holds:
//! - If no rule touches an envelope and every record may be held, output and counts are those of the whole body.
//! - In a list, an element that may be held and arrives whole gives the same as alone. Any other stays as it came.
//! - However the body is cut into chunks, output and verdict are the same.
//! - No value is lost or doubled, no name is given twice, and unchanged bytes are exact.

use super::bodies;
use super::equals::{healed, invariants};
use super::json::{self, Writer};
use super::plans;
use super::tape::{Tape, cases};
use super::tree::Tree;
use healer::plan::spec::PlanSpec;
use healer::{Healer, Limits, Plan, Summary};
use healer_oracle::stream::{Outcome, envelope, in_list, stream};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

fn limits(max_held_bytes: usize) -> Limits {
    Limits { max_held_bytes, ..Limits::default() }
}

/// Streams a body at once, byte by byte, and in random chunks, and asserts that all give the same.
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

/// Returns bodies of records, as elements.
fn elements(tape: &mut Tape<'_>, spec: &PlanSpec) -> Vec<String> {
    let count = tape.below(5);
    (0..count).map(|_| bodies::body(tape, spec)).collect()
}

fn longest(elements: &[String]) -> usize {
    elements.iter().map(String::len).max().unwrap_or(0).max(8)
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

/// Returns the offset at which an element starts.
fn expected_input(elements: &[String], element: &String) -> usize {
    let before = elements.iter().take_while(|other| !std::ptr::eq(*other, element));
    1 + before.map(|other| other.len() + 1).sum::<usize>()
}

/// The random lists would prove little if rules seldom matched them, or all records were held.
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
