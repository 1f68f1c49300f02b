//! Much at once: everything must be healed, in time, and always by the same bytes.

use std::sync::Arc;
use std::time::Duration;

use nomos_tests::framing::Framing;

use super::{Size, ask_list, json};
use crate::expect::Expect;
use crate::report::Tally;
use crate::stand::{Ask, Stand};

/// What 99 of 100 responses must keep within, on loopback, client and upstream included.
const P99: Duration = Duration::from_millis(50);

/// Rounds in which that may come true.
const ROUNDS: usize = 3;

/// Clients of a usual load.
const WORKERS: usize = 20;

/// About the size of a user.
const SMALL: usize = 1000;

/// 100 requests at 20 workers.
pub async fn concurrency(stand: Arc<Stand>, _size: Size) -> Result<Tally, String> {
    let ask = ask_list("early", Framing::Chunked, SMALL);
    Ok(stand.run(WORKERS, 100, move |_| ask.clone()).await)
}

/// 5 bursts of 30 requests at once.
pub async fn burst(stand: Arc<Stand>, _size: Size) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for _ in 0..5 {
        let ask = ask_list("early", Framing::Length, SMALL);
        tally.add(stand.run(30, 30, move |_| ask.clone()).await);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(tally)
}

/// One body, always healed by the same bytes: on either worker, in either mode, in every framing.
pub async fn consistency(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let asks: Vec<Ask> = ["early", "held", "tight"]
        .into_iter()
        .flat_map(|listener| {
            [Framing::Length, Framing::Chunked, Framing::Close, Framing::Trailers, Framing::Chunks(333)]
                .map(|framing| ask_list(listener, framing, 3 * SMALL))
        })
        .collect();
    Ok(stand.run(8, size.of(3000, 600), move |number| asks[number % asks.len()].clone()).await)
}

/// Up to the limit of depth bodies are healed, beyond it they leave as they came.
pub async fn deep(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    const LIMIT: usize = 256;
    let ask = |number: usize| {
        let arrays = 1 + number * 7 % 600;
        let nest = |name: &str| format!("{}{{\"{name}\":1}}{}", "[".repeat(arrays), "]".repeat(arrays)).into_bytes();
        let steps = json(Framing::Length, &nest("mail"));
        let within = arrays < LIMIT;
        let expect =
            if within { Expect::Healed(nest("email_address").into()) } else { Expect::Exact(nest("mail").into()) };
        Ask { listener: "early", steps, expect }
    };
    Ok(stand.run(WORKERS, size.of(1200, 600), ask).await)
}

/// A steady load: 99 of 100 responses within [`P99`].
pub async fn latency(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    steady(&stand, size.of(20_000, 2000), vec![ask_list("early", Framing::Length, SMALL)]).await
}

/// After everything else: as at the beginning.
pub async fn recovery(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let asks = ["early", "held", "tight", "gzip", "hasty", "reload"]
        .map(|listener| ask_list(listener, if listener == "gzip" { Framing::Gzip } else { Framing::Length }, SMALL));
    steady(&stand, size.of(6000, 600), asks.to_vec()).await
}

/// Requests in turn, until a round of them is in time. A proxy that has become slow is so in every round; a machine that
/// has something else to do is not.
async fn steady(stand: &Arc<Stand>, count: usize, asks: Vec<Ask>) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for _ in 0..ROUNDS {
        let asks = asks.clone();
        tally.times.clear();
        tally.add(stand.run(WORKERS, count, move |number| asks[number % asks.len()].clone()).await);
        if tally.p99() < P99 {
            break;
        }
    }
    let p99 = tally.p99();
    tally.require(p99 < P99, || format!("p99 is {p99:?}; expected less than {P99:?}"));
    Ok(tally)
}
