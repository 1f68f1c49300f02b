//! Counters, gauges and histograms.
//!
//! Tags stand in the names, in the form that Istio's own statistics use, so that its `extraStatTags: [verdict,
//! reason, route, kind]` finds them. In plain Envoy the bootstrap takes them out:
//!
//! ```yaml
//! stats_config:
//!   stats_tags:
//!   - {tag_name: verdict, regex: '^wasmcustom\.(?:.*;\.;)?(verdict=\.=(.*?);\.;)'}
//!   - {tag_name: reason, regex: '^wasmcustom\.(?:.*;\.;)?(reason=\.=(.*?);\.;)'}
//!   - {tag_name: route, regex: '^wasmcustom\.(?:.*;\.;)?(route=\.=(.*?);\.;)'}
//!   - {tag_name: kind, regex: '^wasmcustom\.(?:.*;\.;)?(kind=\.=(.*?);\.;)'}
//! ```
//!
//! What is left of a name is `nomos_responses_total` and so on. Envoy adds the workers up.
//!
//! Envoy hands out a new id whenever a metric is defined and never frees one, and several configurations share a VM,
//! one after the other or side by side. So ids are kept per VM and name. The number of names is bounded by the
//! routes that configurations name, times [`Outcome::COUNT`]; a counter is defined when it first counts.

use healer::Summary;

use crate::host::{Host, Metric};
use crate::outcome::Outcome;

/// Stands for one route name in a [`Metrics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteId(usize);

/// What the metrics are told about a body that was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What was done.
    pub summary: Summary,
    /// Time that took.
    pub nanoseconds: u64,
    /// Length of the body as it came.
    pub bytes: u64,
}

/// The metrics of a VM.
#[derive(Debug, Default)]
pub struct Metrics {
    shared: Option<Shared>,
    routes: Vec<Route>,
}

/// Metrics without a route.
#[derive(Clone, Copy, Debug)]
struct Shared {
    renames: Id,
    moves: Id,
    dropped: Id,
    conflicts: Id,
    heal_us: Id,
    body_bytes: Id,
    held_bytes: Id,
}

#[derive(Debug)]
struct Route {
    name: String,
    responses: [Option<Id>; Outcome::COUNT],
}

/// `None` where the host refused the metric. It is not asked again.
type Id = Option<u32>;

impl Metrics {
    /// No metrics; [`Metrics::define`] comes first.
    pub const fn new() -> Self {
        Metrics { shared: None, routes: Vec::new() }
    }

    /// Makes the metrics known that do not depend on a route.
    pub fn define<H: Host>(&mut self, host: &mut H) {
        if self.shared.is_some() {
            return;
        }
        let mut define = |kind, name| host.define_metric(kind, name).ok();
        self.shared = Some(Shared {
            renames: define(Metric::Counter, "kind=.=rename;.;nomos_ops_total"),
            moves: define(Metric::Counter, "kind=.=move;.;nomos_ops_total"),
            dropped: define(Metric::Counter, "nomos_dropped_total"),
            conflicts: define(Metric::Counter, "nomos_conflicts_total"),
            heal_us: define(Metric::Histogram, "nomos_heal_us"),
            body_bytes: define(Metric::Histogram, "nomos_body_bytes"),
            held_bytes: define(Metric::Gauge, "nomos_held_bytes"),
        });
    }

    /// The id for a route name; `none` for responses that no route matched.
    pub fn route(&mut self, name: &str) -> RouteId {
        let name = tag_value(name);
        let known = self.routes.iter().position(|route| route.name == name);
        RouteId(known.unwrap_or_else(|| {
            self.routes.push(Route { name, responses: [None; Outcome::COUNT] });
            self.routes.len().saturating_sub(1)
        }))
    }

    /// Counts a response.
    pub fn count<H: Host>(&mut self, host: &mut H, route: RouteId, outcome: Outcome) {
        let Some(route) = self.routes.get_mut(route.0) else { return };
        let Some(slot) = route.responses.get_mut(outcome.index()) else { return };
        let id = *slot.get_or_insert_with(|| define_responses(host, &route.name, outcome));
        add(host, id, 1);
    }

    /// Records what was done to a body. What would have been done does not count as ops.
    pub fn record<H: Host>(&self, host: &mut H, outcome: Outcome, work: &Work) {
        let Some(shared) = &self.shared else { return };
        record(host, shared.heal_us, to_microseconds(work.nanoseconds));
        record(host, shared.body_bytes, work.bytes);
        if outcome == Outcome::Healed {
            let Summary { renames, moves, dropped, .. } = work.summary;
            add(host, shared.renames, i64::from(renames));
            add(host, shared.moves, i64::from(moves));
            add(host, shared.dropped, i64::from(dropped));
        }
        add(host, shared.conflicts, i64::from(work.summary.conflicts));
    }

    /// Counts bytes that wait in the module's memory, or no longer do.
    pub fn hold<H: Host>(&self, host: &mut H, bytes: i64) {
        add(host, self.shared.and_then(|shared| shared.held_bytes), bytes);
    }
}

/// Rounded to the nearest; a heal takes a few of them.
pub fn to_microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.saturating_add(500) / 1000
}

fn define_responses<H: Host>(host: &mut H, route: &str, outcome: Outcome) -> Id {
    let (verdict, reason) = (outcome.verdict(), outcome.reason().unwrap_or("none"));
    let name = format!("verdict=.={verdict};.;reason=.={reason};.;route=.={route};.;nomos_responses_total");
    host.define_metric(Metric::Counter, &name).ok()
}

/// Envoy refuses to add nothing to a counter.
fn add<H: Host>(host: &mut H, id: Id, offset: i64) {
    if let Some(id) = id.filter(|_| offset != 0) {
        let _ = host.add_metric(id, offset);
    }
}

fn record<H: Host>(host: &mut H, id: Id, value: u64) {
    if let Some(id) = id {
        let _ = host.record_metric(id, value);
    }
}

/// Route names are free text; what marks tags, or breaks lines in a scrape, is replaced.
fn tag_value(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_graphic() && !matches!(c, ';' | '=' | '"' | '\\') { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Mock;
    use crate::outcome::Skip;

    #[test]
    fn names_are_defined_once() {
        let (mut host, mut metrics) = (Mock::new(), Metrics::new());
        metrics.define(&mut host);
        metrics.define(&mut host);
        let user = metrics.route("user");
        assert_eq!(metrics.route("user"), user);
        assert_ne!(metrics.route("list"), user);
        for _ in 0..3 {
            metrics.count(&mut host, user, Outcome::Healed);
        }
        metrics.count(&mut host, user, Outcome::Skipped(Skip::NoBody));
        assert_eq!(host.metric("verdict=.=healed;.;reason=.=none;.;route=.=user;.;nomos_responses_total"), 3);
        assert_eq!(host.metric("verdict=.=skipped;.;reason=.=no_body;.;route=.=user;.;nomos_responses_total"), 1);
        assert_eq!(host.defined_metrics(), 9);
    }

    #[test]
    fn only_what_was_done_counts() {
        let (mut host, mut metrics) = (Mock::new(), Metrics::new());
        metrics.define(&mut host);
        let summary = Summary { renames: 3, moves: 2, ..Summary::default() };
        let work = Work { summary, nanoseconds: 2600, bytes: 1000 };
        metrics.record(&mut host, Outcome::Observed, &work);
        assert_eq!(host.metric("kind=.=rename;.;nomos_ops_total"), 0);
        metrics.record(&mut host, Outcome::Healed, &work);
        assert_eq!(host.metric("kind=.=rename;.;nomos_ops_total"), 3);
        assert_eq!(host.metric("kind=.=move;.;nomos_ops_total"), 2);
        assert_eq!(host.recorded("nomos_heal_us"), [3, 3]);
        assert_eq!(host.recorded("nomos_body_bytes"), [1000, 1000]);
    }

    #[test]
    fn tag_values() {
        for (name, value) in
            [("user", "user"), ("/users/{id}", "/users/{id}"), ("a;.;b = \"c\"\n\u{e9}", "a_._b____c___")]
        {
            assert_eq!(tag_value(name), value);
        }
    }

    #[test]
    fn a_host_without_metrics() {
        let mut host = Mock::new().with_failing("define_metric");
        let mut metrics = Metrics::new();
        metrics.define(&mut host);
        let route = metrics.route("user");
        metrics.count(&mut host, route, Outcome::Clean);
        metrics.count(&mut host, route, Outcome::Clean);
        metrics.hold(&mut host, 5);
        assert_eq!(host.calls("define_metric"), 8);
    }
}
