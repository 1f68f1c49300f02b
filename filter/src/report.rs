//! Reports the outcome of a response to metrics, access logs and, with held headers, the client.

use std::iter::{once, repeat};

use healer::{Intake, Summary};

use crate::body::Job;
use crate::decimal;
use crate::host::{Host, Map};
use crate::metrics::{self, Work};
use crate::outcome::{Fail, Outcome};
use crate::root::{Root, RouteTag};
use crate::tools::Tools;

/// The outcome of a response, and the work done on it.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The verdict and its reason.
    pub outcome: Outcome,
    /// The work done on a body that was looked at.
    pub work: Option<Work>,
}

impl Finding {
    /// Returns a finding about a body that the engine did not get to heal.
    pub fn without_work(outcome: Outcome) -> Self {
        Finding { outcome, work: None }
    }

    /// Returns whether the client gets another body than the upstream sent.
    pub fn is_written(&self) -> bool {
        self.work.is_some_and(|work| work.written)
    }

    fn ops(&self) -> u64 {
        self.work.map_or(0, |work| work.summary.ops().into())
    }

    fn microseconds(&self) -> u64 {
        self.work.map_or(0, |work| metrics::to_microseconds(work.nanoseconds))
    }
}

/// Counts a response, under its route if one matched, and sets its filter state.
pub fn tell<H: Host>(tools: &mut Tools<H>, root: &Root, tag: Option<&RouteTag>, finding: &Finding) {
    if let Some(work) = &finding.work {
        tools.metrics.record(work);
    }
    tools.metrics.count(&mut tools.host, tag.map_or(root.no_route, |tag| tag.id), finding.outcome);
    set_state(tools, root, tag, finding);
}

/// Returns whether there are new shapes, or names that similarity skipped.
pub fn has_drift(summary: &Summary) -> bool {
    summary.new_shapes | summary.unscored > 0
}

/// Counts and logs drift that nothing healed: new shapes, names that similarity skipped, and required members that are
/// missing. Missing members are only reported for a complete body, which is then in `intake`.
#[inline(never)]
pub fn tell_drift<H: Host>(tools: &mut Tools<H>, job: &Job<'_>, intake: Option<&Intake>, summary: &Summary) {
    let Tools { host, healer, metrics, notices, .. } = tools;
    let RouteTag { id, name, memo, .. } = job.tag;
    if summary.new_shapes > 0 {
        metrics.count_new_shapes(host, *id, summary.new_shapes);
        if let Ok(memo) = memo.try_borrow() {
            notices.new_shapes(host, name, summary.new_shapes, memo.new_shapes());
        }
    }
    if summary.unscored > 0 {
        metrics.count_unscored(host, *id, summary.unscored);
    }
    let Some(intake) = intake.filter(|_| summary.lacks && job.succeeds) else { return };
    let missing = healer.missing(job.plan, intake);
    let fields = missing.into_iter().filter_map(|field| job.plan.required().get(field)).map(String::as_str);
    metrics.count_unhealed(host, *id, fields, |host, field, count| notices.unhealed(host, name, field, count));
}

/// Sets the filter state that is right if no more of this body ever comes.
pub fn expect_more<H: Host>(tools: &mut Tools<H>, root: &Root, tag: &RouteTag) {
    set_state(tools, root, Some(tag), &Finding::without_work(Outcome::Failed(Fail::Incomplete)));
}

/// Sets the headers that report to the client, and removes headers of the upstream that would contradict them. The
/// headers must still be held.
pub fn tell_client<H: Host>(tools: &mut Tools<H>, finding: &Finding) {
    let Tools { host, text, .. } = tools;
    let work = finding.work.is_some();
    tell_header(host, b"x-nomos-verdict", Some(finding.outcome.verdict().as_bytes()));
    tell_header(host, b"x-nomos-reason", finding.outcome.reason().map(str::as_bytes));
    tell_header(host, b"x-nomos-ops", work.then(|| number(text, finding.ops())));
    tell_header(host, b"x-nomos-latency-us", work.then(|| number(text, finding.microseconds())));
}

fn tell_header<H: Host>(host: &mut H, name: &[u8], value: Option<&[u8]>) {
    let _ = match value {
        Some(value) => host.set_header(name, value),
        None => host.remove_header(Map::ResponseHeaders, name),
    };
}

fn set_state<H: Host>(tools: &mut Tools<H>, root: &Root, tag: Option<&RouteTag>, finding: &Finding) {
    if !root.config.filter_state {
        return;
    }
    write_state(&mut tools.text, tag, finding);
    // If this fails, only the access log lacks the state.
    let _ = tools.host.set_filter_state(&tools.text);
}

/// Writes the filter state, one compact JSON object. Later versions only add fields. They are verdict, reason (if any),
/// route (if any), and for a body that was looked at ops, dropped, conflicts, `latency_us` and bytes; if they are not
/// zero, also unlisted and unscored. With similarity also the shape of the first record, and if similarity healed
/// something, how many ops and by which resolutions. Names are written, but never values.
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
        if work.summary.unlisted > 0 {
            push_field(out, b",\"unlisted\":", u64::from(work.summary.unlisted));
        }
        if work.summary.unscored > 0 {
            push_field(out, b",\"unscored\":", u64::from(work.summary.unscored));
        }
        if let Some(shape) = work.summary.shape {
            push_shape(out, shape);
        }
        if let Some(tag) = tag.filter(|_| work.summary.similar > 0) {
            push_field(out, b",\"similar\":", u64::from(work.summary.similar));
            push_resolutions(out, tag);
        }
    }
    out.push(b'}');
}

fn push_field(out: &mut Vec<u8>, name: &[u8], value: u64) {
    out.extend_from_slice(name);
    decimal::push(out, value);
}

fn push_shape(out: &mut Vec<u8>, shape: u64) {
    out.extend_from_slice(b",\"shape\":\"");
    push_hexadecimal(out, shape);
    out.push(b'"');
}

/// Appends a number in sixteen hexadecimal digits.
fn push_hexadecimal(out: &mut Vec<u8>, mut number: u64) {
    for _ in 0..16 {
        number = number.rotate_left(4);
        let digit = (number & 15) as u8;
        out.push(if digit < 10 { b'0'.wrapping_add(digit) } else { b'a'.wrapping_add(digit.wrapping_sub(10)) });
    }
}

fn push_resolutions(out: &mut Vec<u8>, tag: &RouteTag) {
    let Ok(memo) = tag.memo.try_borrow() else { return };
    out.extend_from_slice(b",\"resolutions\":[");
    // Empty if everything has been forgotten since.
    for (resolution, before) in memo.last_used().zip(once(&b""[..]).chain(repeat(&b","[..]))) {
        out.extend_from_slice(before);
        out.extend_from_slice(resolution.json());
    }
    out.push(b']');
}

fn number(text: &mut Vec<u8>, value: u64) -> &[u8] {
    text.clear();
    decimal::push(text, value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;
    use crate::outcome::Skip;
    use std::cell::RefCell;

    fn state(json: &str, finding: &Finding) -> String {
        let id = Metrics::new().route("x");
        let tag = RouteTag { id, name: String::new(), json: json.as_bytes().to_vec(), memo: RefCell::default() };
        let mut out = b"left over".to_vec();
        write_state(&mut out, (!json.is_empty()).then_some(&tag), finding);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn filter_state() {
        let summary = Summary { renames: 3, moves: 1, conflicts: 2, ..Summary::default() };
        let work = Work { summary, nanoseconds: 4499, bytes: 1021, written: true };
        let finding = Finding { outcome: Outcome::Healed, work: Some(work) };
        let expected =
            r#"{"verdict":"healed","route":"user","ops":4,"dropped":0,"conflicts":2,"latency_us":4,"bytes":1021}"#;
        assert_eq!(state("\"user\"", &finding), expected);
        let summary = Summary { unlisted: 5, ..summary };
        let work = Work { summary, nanoseconds: 4499, bytes: 1021, written: true };
        let finding = Finding { outcome: Outcome::Healed, work: Some(work) };
        assert_eq!(state("\"user\"", &finding), expected.replace('}', r#","unlisted":5}"#));
        let summary = Summary { unscored: 7, ..summary };
        let work = Work { summary, nanoseconds: 4499, bytes: 1021, written: true };
        let finding = Finding { outcome: Outcome::Healed, work: Some(work) };
        assert_eq!(state("\"user\"", &finding), expected.replace('}', r#","unlisted":5,"unscored":7}"#));
        let finding = Finding::without_work(Outcome::Skipped(Skip::NoRoute));
        assert_eq!(state("", &finding), r#"{"verdict":"skipped","reason":"no_route"}"#);
    }

    /// The resolutions that healed the first pieces of a body that streams may be forgotten by the last one.
    #[test]
    fn resolutions_that_were_forgotten_are_left_out() {
        let summary = Summary { renames: 3, similar: 3, ..Summary::default() };
        let work = Work { summary, nanoseconds: 4499, bytes: 1021, written: true };
        let text = state("\"user\"", &Finding { outcome: Outcome::Healed, work: Some(work) });
        assert!(text.ends_with(r#","bytes":1021,"similar":3,"resolutions":[]}"#), "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
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
