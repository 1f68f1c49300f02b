//! The outcome does not depend on how a body is cut into chunks.

use super::bodies;
use super::json::{self, Writer};
use super::plans;
use super::tape::{Tape, cases};
use healer::{Failure, Healer, Limits, Memo, Plan, Progress, Reason, Summary};
use proptest::prelude::*;

/// Cuts `body` at random places, sometimes with an empty chunk.
fn cut<'b>(tape: &mut Tape<'_>, body: &'b [u8]) -> Vec<&'b [u8]> {
    let mut chunks = Vec::new();
    let mut rest = body;
    let longest = tape.of(&[1, 2, 7, 63, 64, 65, 255]);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(tape.below(longest + 1)));
        let (chunk, after) = if chunk.is_empty() && tape.happens(15, 16) { rest.split_at(1) } else { (chunk, after) };
        chunks.push(chunk);
        rest = after;
        if chunk.is_empty() {
            chunks.push(&rest[..1]);
            rest = &rest[1..];
        }
    }
    chunks
}

/// The healed bytes, or the reason why there are none.
type Outcome = Result<(Summary, Vec<u8>), Failure>;

/// Returns the progress after each chunk, and the outcome.
fn in_chunks(healer: &mut Healer, plan: &Plan, limits: Limits, chunks: &[&[u8]]) -> (Vec<Progress>, Outcome) {
    let mut intake = healer.intake(limits);
    let mut progress = Vec::new();
    for chunk in chunks {
        progress.push(intake.push(chunk));
        if let Some(Progress::Release(_)) = progress.last() {
            break;
        }
    }
    progress.push(intake.finish());
    let result = healer.heal(plan, &mut Memo::new(plan), &intake).map(|summary| {
        let bytes = if summary.changed { healer.output() } else { intake.held() };
        (summary, bytes.to_vec())
    });
    healer.recycle(intake);
    (progress, result)
}

fn check(tape: &mut Tape<'_>, plan: &Plan, body: &[u8]) -> Result<(), TestCaseError> {
    let whole = in_chunks(&mut Healer::new(), plan, Limits::default(), &[body]);
    let mut healer = Healer::new();
    let at_once = healer.heal_bytes(plan, body);
    prop_assert_eq!(whole.1.as_ref().map(|(summary, _)| summary), at_once.as_ref());
    for _ in 0..2 {
        let chunks = cut(tape, body);
        let (progress, result) = in_chunks(&mut healer, plan, Limits::default(), &chunks);
        match (&result, &whole.1) {
            (Ok(found), Ok(expected)) => {
                prop_assert_eq!(found, expected);
                whole_when_closed(&chunks, &progress)?;
            }
            (Err(found), Err(expected)) => prop_assert_eq!(found.reason, expected.reason, "{:?}", chunks),
            (found, expected) => prop_assert!(false, "{chunks:?}: found {found:?}; expected {expected:?}"),
        }
    }
    Ok(())
}

/// Asserts that the value is whole with the chunk that closes it, neither earlier nor later.
fn whole_when_closed(chunks: &[&[u8]], progress: &[Progress]) -> Result<(), TestCaseError> {
    let body = chunks.concat();
    let end = body.trim_ascii_end().len();
    let mut received = 0;
    for (chunk, progress) in chunks.iter().zip(progress) {
        received += chunk.len();
        let expected = if received < end { Progress::Hold } else { Progress::Whole };
        prop_assert_eq!(*progress, expected, "after {} bytes of {:?}", received, String::from_utf8_lossy(&body));
    }
    prop_assert_eq!(progress.last(), Some(&Progress::Whole));
    Ok(())
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn drifted_bodies(tape in Tape::any(300)) {
        let mut tape = Tape::new(&tape);
        let spec = plans::plan(&mut tape);
        let body = bodies::body(&mut tape, &spec);
        check(&mut tape, &Plan::compile(&spec).expect("a plan"), body.as_bytes())?;
    }

    #[test]
    fn near_json(tape in Tape::any(300)) {
        let mut tape = Tape::new(&tape);
        let mut writer = Writer::new(&mut tape, 80);
        writer.body();
        let mut body = std::mem::take(&mut writer.out);
        if tape.happens(1, 2) {
            json::mutate(&mut tape, &mut body);
        }
        let plan = Plan::compile(&plans::plan(&mut tape)).expect("a plan");
        check(&mut tape, &plan, &body)?;
    }
}

/// No byte is lost when a body is given up: every byte that was pushed is held.
#[test]
fn a_body_that_is_given_up_is_held_as_it_came() {
    let limits = Limits { max_held_bytes: 12, max_tokens: 5, ..Limits::default() };
    let rows: &[(&[&[u8]], Reason)] = &[
        (&[b"[1,", b"22222222,3,4]"], Reason::TooLarge),
        (&[b"[1,22222222,3,4]"], Reason::TooLarge),
        (&[b"[1,", b"2,3]"], Reason::TooManyTokens),
        (&[b"[1,2,3,4]"], Reason::TooManyTokens),
        (&[b"\"a\""], Reason::Scalar),
        (&[b" ", b"1"], Reason::Scalar),
        (&[b"nul", b"l"], Reason::Scalar),
        (&[b"false\n"], Reason::Scalar),
        (&[b"n", b"ot json"], Reason::Malformed),
        (&[b"not json"], Reason::Malformed),
        (&[b"hello"], Reason::Malformed),
        (&[b"[\"\n"], Reason::Malformed),
    ];
    for (chunks, reason) in rows {
        let mut healer = Healer::new();
        let mut intake = healer.intake(limits);
        let mut last = Progress::Hold;
        for chunk in *chunks {
            last = intake.push(chunk);
        }
        assert_eq!(last, Progress::Release(*reason), "{chunks:?}");
        assert_eq!(intake.held(), chunks.concat(), "{chunks:?}");
    }
}

#[test]
fn a_body_that_ends_early() {
    let rows: &[(&[u8], Reason)] =
        &[(b"", Reason::Empty), (b" \n", Reason::Empty), (b"{\"a\":", Reason::Truncated), (b"[\"a", Reason::Truncated)];
    for (body, reason) in rows {
        let mut intake = Healer::new().intake(Limits::default());
        assert_eq!(intake.push(body), Progress::Hold);
        assert_eq!(intake.finish(), Progress::Release(*reason));
        assert_eq!(intake.held(), *body);
    }
}
