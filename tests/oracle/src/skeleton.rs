//! Bodies one after the other, many of the same skeleton: the result must not depend on what came before.

use crate::bodies::{self, revalued};
use crate::json;
use crate::tape::Tape;
use healer::plan::spec::PlanSpec;
use healer::{Failure, Healer, Intake, Limits, Memo, Plan, Progress, Reason, Summary};

/// The result for a body, with its bytes if it changed.
type Found = Result<(Summary, Option<Vec<u8>>), Failure>;

/// Returns the body twice, followed by bodies with other values, some of them broken.
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

/// Returns bodies that are lists of records of a plan, or contain them. Most have the same skeleton.
pub fn lists(tape: &mut Tape<'_>, spec: &PlanSpec, names: &[&str]) -> Vec<Vec<u8>> {
    let records = [bodies::body(tape, spec), bodies::body(tape, spec)];
    let around = [bodies::body(tape, spec), bodies::body(tape, spec)];
    let gap = tape.of(&["", "", " ", "\n  "]);
    let mut lists = Vec::new();
    for _ in 0..2 + tape.below(6) {
        let mut elements: Vec<String> = Vec::new();
        for _ in 0..2 + tape.below(14) {
            let record = records[usize::from(tape.happens(1, 6))].trim();
            elements.push(if tape.happens(1, 3) { revalued(tape, record) } else { record.to_owned() });
        }
        let mut body = format!("{gap}[{gap}{}{gap}]", elements.join(&format!("{gap},{gap}")));
        let twin = tape.happens(1, 4).then(|| body.clone());
        for name in names.iter().rev() {
            let more = around[usize::from(tape.happens(1, 6))].trim();
            let inside = more.strip_prefix('{').and_then(|more| more.strip_suffix('}')).unwrap_or_default();
            let (before, after) = if tape.happens(1, 2) { (inside, "") } else { ("", inside) };
            let comma = |text: &str| if text.trim().is_empty() { "" } else { "," };
            if let Some(twin) = twin.as_ref().filter(|_| tape.happens(1, 2)) {
                let other = tape.of(&["a", "b", "twin"]);
                body = if tape.happens(1, 2) {
                    format!("{body},\"{other}\":{twin}")
                } else {
                    format!("{twin},\"{other}\":{body}")
                };
            }
            body = format!("{{{before}{}\"{name}\":{body}{}{after}}}", comma(before), comma(after));
        }
        let mut body = body.into_bytes();
        if tape.happens(1, 8) {
            json::mutate(tape, &mut body);
        }
        lists.push(body);
    }
    lists
}

/// Heals bodies one after the other, in one chunk or in many, some with another body in between, and each also as if it
/// were the first. The error says where the results differ.
pub fn check_all(tape: &mut Tape<'_>, plan: &Plan, bodies: &[Vec<u8>]) -> Result<(), String> {
    let (mut healer, mut memo) = (Healer::new(), Memo::new(plan));
    for (place, body) in bodies.iter().enumerate() {
        let size = if tape.happens(1, 2) { 1 + tape.below(200) } else { body.len().max(1) };
        let limits = limits(tape, body);
        let other = tape.happens(1, 4).then(|| tape.of(bodies));
        let (forgets, releases) = (tape.happens(1, 16), tape.happens(1, 2));
        let known = heal(&mut healer, plan, &mut memo, body, Way { limits, size, knows: true }, |healer, memo| {
            if forgets && releases {
                memo.release(plan);
            } else if forgets {
                memo.forget();
            }
            if let Some(other) = &other {
                let way = Way { limits: Limits::default(), size: other.len(), knows: true };
                let _ = heal(healer, plan, memo, other, way, |_, _| ());
            }
        });
        let way = Way { limits, size: body.len(), knows: false };
        let first = heal(&mut Healer::new(), plan, &mut Memo::new(plan), body, way, |_, _| ());
        if known != first {
            let text = |found: &Found| match found {
                Ok((summary, out)) => {
                    format!("{summary:?} {}", out.as_deref().map(String::from_utf8_lossy).unwrap_or_default())
                }
                Err(failure) => failure.to_string(),
            };
            let before: Vec<_> = bodies[..place].iter().map(|body| String::from_utf8_lossy(body)).collect();
            return Err(format!(
                "body {}\nin chunks of {size} became {}\nalone it becomes {}\nbefore it came {before:#?}",
                String::from_utf8_lossy(body),
                text(&known),
                text(&first)
            ));
        }
    }
    Ok(())
}

/// Returns mostly the default limits, and seldom tight ones.
fn limits(tape: &mut Tape<'_>, body: &[u8]) -> Limits {
    let limits = Limits::default();
    match tape.below(16) {
        13 => Limits { max_depth: 1 + u32::from(tape.happens(1, 2)) + u32::from(tape.happens(1, 2)), ..limits },
        14 => Limits { max_keys: u32::from(tape.happens(1, 2)) + u32::from(tape.happens(1, 2)), ..limits },
        15 => Limits { max_held_bytes: body.len().saturating_sub(tape.below(100)).max(1), ..limits },
        _ => limits,
    }
}

/// How a body arrives.
#[derive(Clone, Copy)]
struct Way {
    limits: Limits,
    /// The number of bytes per chunk.
    size: usize,
    /// Whether the memo may recognize the body. Otherwise the body is read at once.
    knows: bool,
}

/// Heals one body. `between` is called when half of the body has come.
fn heal(
    healer: &mut Healer,
    plan: &Plan,
    memo: &mut Memo,
    body: &[u8],
    way: Way,
    between: impl FnOnce(&mut Healer, &mut Memo),
) -> Found {
    let mut intake = healer.intake(way.limits);
    let mut progress = Progress::Hold;
    let mut between = Some(between);
    let mut came = 0;
    for chunk in body.chunks(way.size.max(1)) {
        progress = if way.knows { intake.receive(chunk, plan, memo) } else { intake.push(chunk) };
        came += chunk.len();
        if let Progress::Release(_) = progress {
            break;
        }
        if came * 2 >= body.len()
            && let Some(between) = between.take()
        {
            between(healer, memo);
        }
    }
    if progress == Progress::Hold {
        progress = intake.finish();
    }
    if progress == Progress::Release(Reason::TooLarge) {
        return Ok(outgrow(healer, plan, memo, intake, &body[came..]));
    }
    let result = match progress {
        Progress::Release(reason) => Err(Failure { reason, offset: 0 }),
        _ => healer.heal(plan, memo, &intake),
    };
    let found = result.map(|summary| {
        let out = summary.changed.then(|| healer.output().to_vec());
        let missing = if summary.lacks { healer.missing(plan, &intake).len() } else { 0 };
        if way.knows {
            healer.learn(plan, memo, &intake);
        }
        // `new_shapes` depends on what came before, so the number of missing members replaces it.
        (Summary { new_shapes: u32::try_from(missing).unwrap_or(u32::MAX), ..summary }, out)
    });
    healer.recycle(intake);
    found.map_err(|failure| Failure { offset: 0, ..failure })
}

/// Continues with a body that is too large to be held.
fn outgrow(
    healer: &mut Healer,
    plan: &Plan,
    memo: &mut Memo,
    intake: Box<Intake>,
    rest: &[u8],
) -> (Summary, Option<Vec<u8>>) {
    healer.clear_output();
    let mut stream = healer.outgrow(intake);
    while stream.advance(healer, plan, memo) {}
    stream.push(healer, plan, memo, rest);
    stream.finish(healer, memo);
    let summary = Summary { new_shapes: 0, ..stream.summary() };
    let out = healer.output().to_vec();
    healer.recycle_incremental(stream);
    (summary, Some(out))
}
