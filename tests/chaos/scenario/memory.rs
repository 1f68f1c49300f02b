//! What is made to fill or slow down tables: the work for a body must stay in proportion to its bytes, and the memory of
//! what was seen must be bounded.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nomos_tests::documents::Random;
use nomos_tests::framing::Framing;

use super::{Size, json};
use crate::expect::Expect;
use crate::report::Tally;
use crate::stand::{Ask, LONG_NAME, Stand};

/// Keys of a body.
const KEYS: usize = 20_000;

/// A body with keys that are made to collide may take so many times what as many other keys take. Keys with escapes have
/// to be decoded, which takes twice the time; if keys formed chains, it would be thousands of times.
const SLOWER: f64 = 4.0;

/// Times are the least of so many.
const TRIES: usize = 40;

/// Records of a body with shapes.
const RECORDS: usize = 1000;

/// What is learnt about shapes may not grow any more after the first tenth of them, beyond what Envoy's own memory goes
/// up and down by.
const GROWTH: u64 = 16 << 20;

/// A known shape may take so much, after all others, of what it took before. Times are the least of many.
const KNOWN_SLOWER_PERCENT: u64 = 150;

/// Records of the body with a known shape: as many as headers are held for, so that the module's own time is told.
const KNOWN_RECORDS: usize = 350;

/// What a route remembers on a worker. Bodies are spread over both, so at least one is full.
const SHAPES: u64 = 1024;

/// The module tells its metrics twice a second.
const TOLD: Duration = Duration::from_millis(1200);

/// Keys that agree with a name of the rules in all that the table of names looks at first: both ends and the length.
pub async fn hostile_keys(stand: Arc<Stand>, _size: Size) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let keys = |make: &dyn Fn(usize) -> String| {
        let members: Vec<String> = (0..KEYS).map(|number| format!("\"{}\":{number}", make(number))).collect();
        format!("{{{},\"{LONG_NAME}\":1}}", members.join(","))
    };
    let (start, end) = (&LONG_NAME[..8], &LONG_NAME[LONG_NAME.len() - 8..]);
    let usual = keys(&|number| format!("{number:032x}"));
    let hostile = [
        ("both ends", keys(&|number| format!("{start}{:016x}{end}", number + 1))),
        ("all but two bytes", keys(&|number| format!("{start}_{:02x}{}", 1 + number % 255, &LONG_NAME[11..]))),
        ("one key", keys(&|_| "k".repeat(32))),
        ("escapes", keys(&|number| format!("\\u0063{}{number:08}{end}", &LONG_NAME[1..13]))),
    ];
    let base = least(&stand, &usual, &mut tally).await?;
    for (name, body) in hostile {
        let time = least(&stand, &body, &mut tally).await?;
        let ratio = time.as_secs_f64() / base.as_secs_f64();
        tally.notes.push(format!("{name}: {:.2} ms, {ratio:.2} times that of other keys", time.as_secs_f64() * 1e3));
        tally.require(ratio < SLOWER, || format!("{name}: {ratio:.2} times slower; expected less than {SLOWER}"));
    }
    Ok(tally)
}

/// The shortest time that a body took.
async fn least(stand: &Arc<Stand>, body: &str, tally: &mut Tally) -> Result<Duration, String> {
    let healed = body.replace(LONG_NAME, "short");
    let steps = json(Framing::Length, body.as_bytes());
    let ask = Ask { listener: "long-name", steps, expect: Expect::Healed(healed.into_bytes().into()) };
    let mut client = stand.client("long-name")?;
    let mut least = Duration::MAX;
    for _ in 0..TRIES {
        let started = Instant::now();
        let (_, judged) = stand.ask(&mut client, &ask).await;
        tally.count(judged, started.elapsed());
        least = least.min(started.elapsed());
    }
    Ok(least)
}

/// Records of which no two have the same names; what was known before them is healed as before, and as fast.
pub async fn shapes(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let bodies = size.of(1_000_000, 30_000) / RECORDS;
    let mut tally = Tally::default();
    let before = known(&stand, &mut tally).await?;
    tally.add(unknown(&stand, 0, bodies / 10).await);
    let warm = stand.memory();
    tally.add(unknown(&stand, bodies / 10, bodies - bodies / 10).await);
    let kept = remembered(&stand).await;
    tally.require(kept >= SHAPES, || format!("{kept} shapes are remembered; expected a full memo of {SHAPES}"));
    let (grown, after) = (stand.memory().saturating_sub(warm), known(&stand, &mut tally).await?);
    tally.notes.push(format!(
        "{} shapes; memory grew by {} KiB after the first tenth; a known shape took {before} us before, {after} us after",
        bodies * RECORDS,
        grown >> 10,
    ));
    tally.require(grown < GROWTH, || format!("memory grew by {grown} bytes; expected less than {GROWTH}"));
    let slower = after * 100 > before * KNOWN_SLOWER_PERCENT;
    tally.require(!slower, || format!("a known shape took {before} us before and {after} us after"));
    Ok(tally)
}

/// How many shapes the module says it remembers, once it has told.
async fn remembered(stand: &Arc<Stand>) -> u64 {
    tokio::time::sleep(TOLD).await;
    stand.stat("wasmcustom.nomos_shapes")
}

/// Sends so many bodies of new shapes. Their names are made of words that say nothing and, in part, of words of the
/// contract; none says the same as a field of it.
async fn unknown(stand: &Arc<Stand>, first: usize, count: usize) -> Tally {
    let ask = move |number: usize| {
        let mut random = Random::new((first + number) as u64);
        let record = |at: usize| {
            let word = random.number();
            let name = match at % 3 {
                0 => format!("q{word:016x}"),
                1 => format!("email_q{word:016x}"),
                _ => format!("q{word:016x}Address"),
            };
            format!("{{\"user_id\":1,\"{name}\":\"a@b.c\"}}")
        };
        let body = format!("[{}]", (0..RECORDS).map(record).collect::<Vec<_>>().join(",")).into_bytes();
        Ask { listener: "shapes", steps: json(Framing::Length, &body), expect: Expect::Exact(body.into()) }
    };
    stand.run(4, count, ask).await
}

/// The least microseconds that the module says it took for a body whose shape it knows.
async fn known(stand: &Arc<Stand>, tally: &mut Tally) -> Result<u64, String> {
    let list = |name: &str| {
        let record = format!("{{\"user_id\":1,\"{name}\":\"a@b.c\"}}");
        format!("[{}]", vec![record; KNOWN_RECORDS].join(",")).into_bytes()
    };
    let steps = json(Framing::Length, &list("emailAddress"));
    let ask = Ask { listener: "shapes", steps, expect: Expect::Healed(list("email_address").into()) };
    let mut client = stand.client("shapes")?;
    let mut least = u64::MAX;
    for _ in 0..300 {
        let started = Instant::now();
        let (reply, judged) = stand.ask(&mut client, &ask).await;
        tally.count(judged, started.elapsed());
        least = least.min(reply?.text("x-nomos-latency-us").parse().unwrap_or(u64::MAX));
    }
    Ok(least)
}
