//! What became of a response, told to metrics, access logs and, with held headers, the client.

use healer::Summary;

use crate::decimal;
use crate::host::Host;
use crate::metrics::{self, Metrics, RouteId, Work};
use crate::outcome::{Fail, Outcome};
use crate::root::RouteTag;

/// What became of a response.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// Verdict and reason.
    pub outcome: Outcome,
    /// What was done to a body that was looked at.
    pub work: Option<Work>,
}

impl Finding {
    /// About a body that the engine did not get to heal.
    pub fn without_work(outcome: Outcome) -> Self {
        Finding { outcome, work: None }
    }

    fn summary(&self) -> Summary {
        self.work.map(|work| work.summary).unwrap_or_default()
    }

    fn ops(&self) -> u64 {
        let summary = self.summary();
        u64::from(summary.renames).saturating_add(u64::from(summary.moves))
    }

    fn microseconds(&self) -> u64 {
        self.work.map_or(0, |work| metrics::to_microseconds(work.nanoseconds))
    }
}

/// Counts a response and sets its filter state. `text` is scratch space.
pub fn tell<H: Host>(
    host: &mut H,
    metrics: &mut Metrics,
    text: &mut Vec<u8>,
    route: Result<&RouteTag, RouteId>,
    finding: &Finding,
) {
    if let Some(work) = &finding.work {
        metrics.record(finding.outcome, work);
    }
    metrics.count(host, route.map_or_else(|none| none, |tag| tag.id), finding.outcome);
    write_state(text, route.ok(), finding);
    // An access log without it is all that can come of a failure.
    let _ = host.set_filter_state(text);
}

/// Sets the filter state that is true if no more of this body ever comes.
pub fn expect_more<H: Host>(host: &mut H, text: &mut Vec<u8>, tag: &RouteTag) {
    write_state(text, Some(tag), &Finding::without_work(Outcome::Failed(Fail::Incomplete)));
    let _ = host.set_filter_state(text);
}

/// Sets the headers that tell a client. The headers must still be held.
pub fn tell_client<H: Host>(host: &mut H, text: &mut Vec<u8>, finding: &Finding) {
    let _ = host.set_header(b"x-nomos-verdict", finding.outcome.verdict().as_bytes());
    if let Some(reason) = finding.outcome.reason() {
        let _ = host.set_header(b"x-nomos-reason", reason.as_bytes());
    }
    if finding.work.is_some() {
        let _ = host.set_header(b"x-nomos-ops", number(text, finding.ops()));
        let _ = host.set_header(b"x-nomos-latency-us", number(text, finding.microseconds()));
    }
}

/// One compact JSON object. Fields are only ever added to it: verdict, reason (if any), route (if any), and for a
/// body that was looked at ops, dropped, conflicts, `latency_us` and bytes.
fn write_state(out: &mut Vec<u8>, tag: Option<&RouteTag>, finding: &Finding) {
    out.clear();
    out.extend_from_slice(b"{\"verdict\":\"");
    out.extend_from_slice(finding.outcome.verdict().as_bytes());
    out.push(b'"');
    if let Some(reason) = finding.outcome.reason() {
        out.extend_from_slice(b",\"reason\":\"");
        out.extend_from_slice(reason.as_bytes());
        out.push(b'"');
    }
    if let Some(tag) = tag {
        out.extend_from_slice(b",\"route\":");
        out.extend_from_slice(&tag.json);
    }
    if let Some(work) = &finding.work {
        push_field(out, b",\"ops\":", finding.ops());
        push_field(out, b",\"dropped\":", u64::from(work.summary.dropped));
        push_field(out, b",\"conflicts\":", u64::from(work.summary.conflicts));
        push_field(out, b",\"latency_us\":", finding.microseconds());
        push_field(out, b",\"bytes\":", work.bytes);
    }
    out.push(b'}');
}

fn push_field(out: &mut Vec<u8>, name: &[u8], value: u64) {
    out.extend_from_slice(name);
    decimal::push(out, value);
}

fn number(text: &mut Vec<u8>, value: u64) -> &[u8] {
    text.clear();
    decimal::push(text, value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Skip;

    fn state(json: &str, finding: &Finding) -> String {
        let tag = RouteTag { id: Metrics::new().route("x"), json: json.as_bytes().to_vec() };
        let mut out = b"left over".to_vec();
        write_state(&mut out, (!json.is_empty()).then_some(&tag), finding);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn filter_state() {
        let summary = Summary { renames: 3, moves: 1, conflicts: 2, ..Summary::default() };
        let work = Work { summary, nanoseconds: 4499, bytes: 1021 };
        let finding = Finding { outcome: Outcome::Healed, work: Some(work) };
        let expected =
            r#"{"verdict":"healed","route":"user","ops":4,"dropped":0,"conflicts":2,"latency_us":4,"bytes":1021}"#;
        assert_eq!(state("\"user\"", &finding), expected);
        let finding = Finding::without_work(Outcome::Skipped(Skip::NoRoute));
        assert_eq!(state("", &finding), r#"{"verdict":"skipped","reason":"no_route"}"#);
    }

    #[test]
    fn every_state_is_json() {
        for outcome in Outcome::all() {
            let text = state(r#""a\"b""#, &Finding::without_work(outcome));
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["verdict"], outcome.verdict());
            assert_eq!(value["reason"].as_str(), outcome.reason());
            assert_eq!(value["route"], "a\"b");
        }
    }
}
