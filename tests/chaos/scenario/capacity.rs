//! Very many connections, and very large bodies.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use nomos_tests::framing::Framing;
use nomos_tests::upstream::{Gate, Step};

use super::{Size, ask_list, json, list};
use crate::expect::Expect;
use crate::report::Tally;
use crate::stand::{Ask, Stand};

/// Descriptors that a connection takes in this process: of its client and of its upstream.
const DESCRIPTORS: usize = 2;

/// Descriptors for everything else.
const OTHERS: usize = 200;

/// So many connections with a response under way on each, half of which waits in the module.
pub async fn connections(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let wanted = size.of(2500, 500);
    let count = wanted.min(descriptors().saturating_sub(OTHERS) / DESCRIPTORS);
    let gate = Gate::default();
    let (sent, healed) = list(4000);
    let (first, second) = sent.split_at(sent.len() / 2);
    let head = nomos_tests::framing::head(Framing::Length, "200 OK", super::JSON, sent.len());
    let steps = [Step::Send([&head, first].concat()), Step::Until(gate.clone()), Step::Send(second.to_vec())];
    let ask = Ask { listener: "early", steps: steps.into(), expect: Expect::Healed(healed) };
    let opener = {
        let stand = Arc::clone(&stand);
        tokio::spawn(async move {
            let mut most = 0;
            for _ in 0..600 {
                let active = stand.stat("cluster.early.upstream_rq_active");
                most = most.max(active);
                if active >= count as u64 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            gate.open();
            most
        })
    };
    let mut tally = stand.run(count, count, move |_| ask.clone()).await;
    let most = opener.await.unwrap_or(0);
    tally.notes.push(format!("{most} responses were under way at once"));
    tally.require(most >= count as u64, || format!("only {most} were under way at once; expected {count}"));
    tally.require(count == wanted, || format!("descriptors are enough for {count} connections only: `ulimit -n`"));
    Ok(tally)
}

/// How many descriptors this process may have open.
fn descriptors() -> usize {
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(1024)
}

/// Large bodies on some connections, small ones on others; only the times of these count.
pub async fn large_bodies(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(size.of(100_000_000, 10_000_000));
    let large: Vec<Ask> = [Framing::Chunked, Framing::Length, Framing::Close]
        .map(|framing| Ask {
            listener: "early",
            steps: json(framing, &sent),
            expect: Expect::Either(Arc::clone(&healed), Arc::clone(&sent)),
        })
        .into();
    let background = {
        let stand = Arc::clone(&stand);
        tokio::spawn(async move { stand.run(2, large.len(), move |number| large[number].clone()).await })
    };
    let small = ask_list("early", Framing::Length, 1000);
    let mut tally = Tally::default();
    while !background.is_finished() {
        let small = small.clone();
        tally.add(stand.run(4, 100, move |_| small.clone()).await);
    }
    let background = background.await.map_err(|e| e.to_string())?;
    let longest = background.times.iter().max().copied().unwrap_or_default();
    let (count, bytes) = (background.times.len(), sent.len() / 1_000_000);
    tally
        .notes
        .push(format!("{count} bodies of {bytes} MB, {} healed, the longest in {longest:.1?}", background.healed));
    let times = std::mem::take(&mut tally.times);
    tally.add(Tally { times: Vec::new(), ..background });
    tally.times = times;
    Ok(tally)
}
