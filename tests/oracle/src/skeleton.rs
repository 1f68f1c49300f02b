//! Bodies one after the other, many of one skeleton: what came before changes nothing.

use crate::bodies::revalued;
use crate::json;
use crate::tape::Tape;
use healer::{Failure, Healer, Limits, Memo, Plan, Progress, Summary};

/// What became of a body: its bytes if it changed.
type Found = Result<(Summary, Option<Vec<u8>>), Failure>;

/// The body, the same with other values, broken ones, and others again.
pub fn bodies_like(tape: &mut Tape<'_>, body: &str) -> Vec<Vec<u8>> {
    let mut bodies = vec![body.as_bytes().to_vec(), body.as_bytes().to_vec()];
    for _ in 0..=tape.below(6) {
        let mut other = revalued(tape, body).into_bytes();
        if tape.happens(1, 4) {
            json::mutate(tape, &mut other);
        }
        bodies.push(other);
    }
    bodies
}

/// Heals bodies as they come in, each in one chunk, and each as if it were the first. The error says where that differs.
pub fn check_all(plan: &Plan, bodies: &[Vec<u8>]) -> Result<(), String> {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    for (place, body) in bodies.iter().enumerate() {
        let known = heal(&mut healer, plan, &mut memo, body, true);
        let first = heal(&mut Healer::new(), plan, &mut Memo::new(plan), body, false);
        if known != first {
            let text = |found: &Found| match found {
                Ok((summary, out)) => {
                    format!("{summary:?} {}", out.as_deref().map(String::from_utf8_lossy).unwrap_or_default())
                }
                Err(failure) => failure.to_string(),
            };
            let before: Vec<_> = bodies[..place].iter().map(|body| String::from_utf8_lossy(body)).collect();
            return Err(format!(
                "body {}\nbecame {}\nalone it becomes {}\nbefore it came {before:#?}",
                String::from_utf8_lossy(body),
                text(&known),
                text(&first)
            ));
        }
    }
    Ok(())
}

fn heal(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8], may_know: bool) -> Found {
    let mut intake = healer.intake(Limits::default());
    let mut progress = if may_know { intake.receive(body, plan, memo) } else { intake.push(body) };
    if progress == Progress::Hold {
        progress = intake.finish();
    }
    let result = match progress {
        Progress::Release(reason) => Err(Failure { reason, offset: 0 }),
        _ => healer.heal(plan, memo, &intake),
    };
    let found = result.map(|summary| {
        let out = summary.changed.then(|| healer.output().to_vec());
        let missing = if summary.lacks { healer.missing(plan, &intake).len() } else { 0 };
        // Which shapes are new depends on what came before; how many members are missing takes its place.
        (Summary { new_shapes: u32::try_from(missing).unwrap_or(u32::MAX), ..summary }, out)
    });
    healer.recycle(intake);
    found.map_err(|failure| Failure { offset: 0, ..failure })
}
