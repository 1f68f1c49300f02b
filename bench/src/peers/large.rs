//! How peers treat bodies longer than 1 MB.

use std::time::Instant;

use nomos_tests::client::{End, Reply};
use serde::Serialize;

use super::bodies::{self, Pair};
use super::side::Side;
use super::stand::Stand;
use super::untimed;

/// A body of one length.
pub struct Large {
    /// The name in paths.
    pub path: &'static str,
    /// The title in tables.
    pub title: &'static str,
    pair: Pair,
}

/// The result of a side for a body.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// The name of the side.
    pub name: &'static str,
    /// The title of the body.
    pub body: &'static str,
    /// The limit of Envoy's buffers, if it was raised.
    pub buffers: Option<u32>,
    /// The status of the response, or 0 without one.
    pub status: u16,
    /// The length of its body.
    pub bytes: usize,
    /// The time from the request to the end of the response.
    pub ms: u128,
    /// The result in words.
    pub verdict: String,
}

/// Returns the bodies of all lengths.
pub fn all() -> Vec<Large> {
    let large = |path, title, bytes| Large { path, title, pair: bodies::large(bytes) };
    vec![large("large-2", "2 MB", 2_000_000), large("large-12", "12 MB", 12_000_000)]
}

impl Large {
    /// Returns the body that the upstream sends.
    pub fn body(&self) -> &str {
        &self.pair.drifted
    }
}

/// Sends each body to each side that heals.
pub fn run(stand: &Stand, bodies: &[Large], buffers: Option<u32>) -> Vec<Cell> {
    let healing = stand.running.iter().filter(|running| running.side.heals());
    healing
        .flat_map(|running| bodies.iter().map(move |body| (running, body)))
        .map(|(running, body)| {
            let start = Instant::now();
            let reply = untimed::fetch(&running.place, body.path);
            let reply = reply.unwrap_or_else(|_| Reply::nothing());
            cell(running.side, body, buffers, &reply, start.elapsed().as_millis())
        })
        .collect()
}

fn cell(side: &'static Side, body: &Large, buffers: Option<u32>, reply: &Reply, ms: u128) -> Cell {
    let verdict = verdict(&body.pair, reply);
    Cell { name: side.name, body: body.title, buffers, status: reply.status, bytes: reply.body.len(), ms, verdict }
}

fn verdict(pair: &Pair, reply: &Reply) -> String {
    let verdict = match reply.status {
        0 => "no answer in 20 s",
        200 if reply.end != End::Complete => "cut",
        200 if reply.body == pair.drifted.as_bytes() => "not healed, otherwise intact",
        200 if bodies::is_healed(&reply.body, &pair.healed) => "healed, intact",
        200 if reply.body.is_empty() => "lost",
        200 => "altered",
        _ => "refused",
    };
    verdict.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_tells_healed_from_passed_on_from_cut() {
        let pair = bodies::large(1_000);
        let reply = |status, body: &str, end| Reply { status, body: body.as_bytes().to_vec(), end, ..Reply::nothing() };
        let rows = [
            (reply(200, &pair.healed, End::Complete), "healed, intact"),
            (reply(200, &pair.drifted, End::Complete), "not healed, otherwise intact"),
            (reply(200, &pair.healed, End::Cut), "cut"),
            (reply(200, "{}", End::Complete), "altered"),
            (reply(200, "", End::Complete), "lost"),
            (reply(500, "limit", End::Complete), "refused"),
            (Reply::nothing(), "no answer in 20 s"),
        ];
        for (reply, expected) in rows {
            assert_eq!(verdict(&pair, &reply), expected);
        }
    }
}
