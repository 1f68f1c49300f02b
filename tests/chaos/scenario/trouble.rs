//! Upstreams that do not answer, or with something else than JSON.

use std::sync::Arc;
use std::time::Duration;

use nomos_tests::documents;
use nomos_tests::framing::Framing;
use nomos_tests::upstream::Step;

use super::{Size, ask_list, json};
use crate::expect::Expect;
use crate::report::Tally;
use crate::stand::{Ask, Stand};
use crate::upstream::Steps;

/// One in five responses never comes: those become Envoy's 504, the others are healed meanwhile.
pub async fn timeout(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let never: Steps = [Step::Hold].into();
    let late = Ask { listener: "hasty", expect: Expect::Like(stand.plain("hasty-plain", &never).await?), steps: never };
    let first = Ask { expect: Expect::Status(504), ..late.clone() };
    let mut tally = stand.run(1, 1, move |_| first.clone()).await;
    let good = ask_list("hasty", Framing::Length, 1000);
    let run = stand.run(20, size.of(600, 100), move |number| if number % 5 == 0 { late.clone() } else { good.clone() });
    tally.add(run.await);
    Ok(tally)
}

/// Invalid documents with drifted names in them leave as they came.
pub async fn malformed(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let framings = [Framing::Length, Framing::Chunked, Framing::Chunks(100), Framing::Close];
    let ask = move |number: usize| {
        let document = documents::malformed(number as u64).bytes;
        let listener = ["early", "held", "tight"][number % 3];
        let framing = framings[number / 3 % framings.len()];
        Ask { listener, steps: json(framing, &document), expect: Expect::Exact(document.into()) }
    };
    Ok(stand.run(20, size.of(12_000, 1500), ask).await)
}

/// The upstream breaks every connection for a while, then answers for a while.
pub async fn flapping(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let down: Steps = [Step::Close].into();
    let broken = Ask { listener: "early", expect: Expect::Like(stand.plain("plain", &down).await?), steps: down };
    let good = ask_list("early", Framing::Length, 1000);
    let mut tally = Tally::default();
    for flap in 0..size.of(20, 6) {
        let ask = if flap % 2 == 0 { broken.clone() } else { good.clone() };
        tally.add(stand.run(10, 60, move |_| ask.clone()).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(tally)
}
