//! Upstreams that put something wrong, or very slowly, on the wire.

use std::sync::Arc;
use std::time::Duration;

use nomos_tests::documents::Random;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::Step;
use nomos_tests::wire::{End, Reply};
use serde_json::value::RawValue;

use super::{JSON, Size, json, list};
use crate::expect::Expect;
use crate::report::Tally;
use crate::stand::{Ask, Stand};
use crate::upstream::Steps;

/// Between two bytes.
const DRIP: Duration = Duration::from_millis(2);

/// Long enough for Envoy to have read what was sent, usually.
const PAUSE: Duration = Duration::from_millis(5);

/// A byte every 2 ms, for a hundred clients at once.
pub async fn slow_drip(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(300);
    let drips = |framing: Framing, pieces: Vec<Vec<u8>>| -> Steps {
        let head = Step::Send(framing::head(framing, "200 OK", JSON, sent.len()));
        let drops = pieces.into_iter().flat_map(|piece| [Step::Wait(DRIP), Step::Send(piece)]);
        [head].into_iter().chain(drops).collect()
    };
    let bytes = || sent.iter().map(|byte| vec![*byte]);
    let chunks = bytes().map(|byte| framing::chunk(&byte)).chain([b"0\r\n\r\n".to_vec()]).collect();
    let steps = [drips(Framing::Length, bytes().collect()), drips(Framing::Chunked, chunks)];
    let ask = move |number: usize| Ask {
        listener: ["early", "held"][number % 2],
        steps: Arc::clone(&steps[number / 2 % 2]),
        expect: Expect::Healed(Arc::clone(&healed)),
    };
    Ok(stand.run(100, size.of(400, 100), ask).await)
}

/// The upstream resets the connection anywhere in the body.
pub async fn resets(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(20_000);
    let ask = move |number: usize| {
        let (start, end) = cut(number, &sent);
        let steps = [Step::Send(start), Step::Send(end), Step::Wait(PAUSE), Step::Reset].into();
        Ask { listener: "early", steps, expect: Expect::Broken(Arc::clone(&healed), Arc::clone(&sent)) }
    };
    Ok(stand.run(20, size.of(2000, 400), ask).await)
}

/// Less comes than `content-length` says.
pub async fn truncated(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(20_000);
    let (start, end) = cut(0, &sent);
    let plain = stand.plain("plain", &[Step::Send(start), Step::Send(end), Step::Close].into()).await?;
    let mut tally = Tally::default();
    tally.require(plain.end == End::Cut, || format!("without Nomos it is {:?}", plain.end));
    let ask = move |number: usize| {
        let (start, end) = cut(2 * number, &sent);
        let steps = [Step::Send(start), Step::Send(end), Step::Close].into();
        let listener = ["early", "tight"][number % 2];
        Ask { listener, steps, expect: Expect::Broken(Arc::clone(&healed), Arc::clone(&sent)) }
    };
    tally.add(stand.run(20, size.of(2000, 400), ask).await);
    Ok(tally)
}

/// Head and a part of the body: with `content-length` for even numbers, chunked for odd ones.
fn cut(number: usize, body: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let framing = if number.is_multiple_of(2) { Framing::Length } else { Framing::Chunked };
    let part = &body[..Random::new(number as u64).below(body.len())];
    let part = if framing == Framing::Length { part.to_vec() } else { framing::chunk(part) };
    (framing::head(framing, "200 OK", JSON, body.len()), part)
}

/// More comes than `content-length` says, or it says nothing that makes sense.
pub async fn lying(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(3000);
    let mut asks = Vec::new();
    for short in [1, 100, sent.len() - 1] {
        // The client is told of a part, and gets all of that part.
        let part = &sent[..short];
        let head = framing::head(Framing::Length, "200 OK", JSON, part.len());
        asks.push(Ask {
            listener: "early",
            steps: [Step::Send([&head, &sent[..]].concat()), Step::Close].into(),
            expect: Expect::Exact(part.into()),
        });
    }
    let head = framing::head(Framing::Length, "200 OK", JSON, sent.len());
    asks.push(Ask {
        listener: "early",
        steps: [Step::Send([&head, &sent[..], b"{\"mail\":1}"].concat()), Step::Close].into(),
        expect: Expect::Healed(healed),
    });
    for lie in LIES {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{lie}\r\n\r\n");
        let steps: Steps = [Step::Send([head.as_bytes(), &sent].concat()), Step::Close].into();
        let expect = Expect::Like(stand.plain("plain", &steps).await?);
        asks.push(Ask { listener: "early", steps, expect });
    }
    Ok(stand.run(10, size.of(2000, 400), move |number| asks[number % asks.len()].clone()).await)
}

/// Header lines that no sound upstream sends.
const LIES: [&str; 6] = [
    "content-length: 10\r\ncontent-length: 20",
    "content-length: -1",
    "content-length: many",
    "content-length: 99999999999999999999999",
    "content-length: 3000\r\ntransfer-encoding: chunked",
    "transfer-encoding: chunked, chunked",
];

/// `content-encoding: gzip` over something else, or over half of a stream.
pub async fn garbage(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let (sent, healed) = list(5000);
    let packed = framing::gzip(&sent);
    let mut random = Random::new(1);
    let noise: Vec<u8> = (0..5000).map(|_| random.number().to_le_bytes()[0]).collect();
    let mut bent = packed.clone();
    bent[packed.len() / 2] ^= 0xff;
    let bodies = [noise, sent.to_vec(), packed[..packed.len() / 2].to_vec(), bent, [&packed[..], b"more"].concat()];
    let mut asks = Vec::new();
    for body in bodies {
        let headers: &[(&str, &[u8])] = &[("content-type", b"application/json"), ("content-encoding", b"gzip")];
        for framing in [Framing::Length, Framing::Chunked, Framing::Chunks(100)] {
            let steps: Steps = framing::response(framing, "200 OK", headers, &body).into();
            asks.push(Ask { listener: "early", steps: Arc::clone(&steps), expect: Expect::Exact(body.clone().into()) });
            let plain = stand.plain("gzip-plain", &steps).await?;
            let expect = unpacked(plain);
            asks.push(Ask { listener: "gzip", steps, expect });
        }
    }
    let good = Ask { listener: "gzip", steps: json(Framing::Gzip, &sent), expect: Expect::Healed(healed) };
    asks.push(good);
    Ok(stand.run(10, size.of(3100, 620), move |number| asks[number % asks.len()].clone()).await)
}

/// What Envoy unpacks all the same, wrong as it may be, is healed like any other if it is JSON.
fn unpacked(plain: Arc<Reply>) -> Expect {
    match std::str::from_utf8(&plain.body) {
        Ok(text) if serde_json::from_str::<&RawValue>(text).is_ok() && text.contains("\"mail\"") => {
            Expect::Healed(text.replace("\"mail\"", "\"email_address\"").into_bytes().into())
        }
        _ => Expect::LikeOrCut(plain),
    }
}
