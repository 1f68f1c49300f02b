//! Counters, gauges and histograms.
//!
//! Tags are part of the names, in the form that Istio's own statistics use, so that its `extraStatTags: [verdict,
//! reason, route, kind, field]` finds them. In plain Envoy the bootstrap extracts them:
//!
//! ```yaml
//! stats_config:
//!   stats_tags:
//!   - {tag_name: verdict, regex: '^wasmcustom\.(?:.*;\.;)?(verdict=\.=(.*?);\.;)'}
//!   - {tag_name: reason, regex: '^wasmcustom\.(?:.*;\.;)?(reason=\.=(.*?);\.;)'}
//!   - {tag_name: route, regex: '^wasmcustom\.(?:.*;\.;)?(route=\.=(.*?);\.;)'}
//!   - {tag_name: kind, regex: '^wasmcustom\.(?:.*;\.;)?(kind=\.=(.*?);\.;)'}
//!   - {tag_name: field, regex: '^wasmcustom\.(?:.*;\.;)?(field=\.=(.*?);\.;)'}
//! ```
//!
//! The rest of a name is `nomos_responses_total` and so on. Envoy sums over the workers.
//!
//! Envoy returns a new id whenever a metric is defined, and never frees one. Several configurations share a VM, one
//! after the other or side by side. So ids are kept per VM and name. The number of names is bounded by the routes that
//! the configurations name, times [`Outcome::COUNT`] and `MOST_FIELDS`. A counter is defined when it first counts.
//!
//! Each value reported to Envoy takes a call out of the VM into code that is not in the cache. A response that was
//! looked at has several values, which together cost about as much as scanning its body. So they are collected here and
//! reported all at once at the next tick, when that code is warm. A histogram takes its values one by one; they wait in
//! a list.

use std::mem;

use healer::Summary;

use crate::host::{Host, Metric};
use crate::outcome::Outcome;

/// The index of one route name in a [`Metrics`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteId(usize);

/// The work done on a body that was looked at.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What the engine did.
    pub summary: Summary,
    /// The time that it took.
    pub nanoseconds: u64,
    /// The length in bytes of the body as it came.
    pub bytes: u64,
    /// Whether the client gets the engine's output.
    pub written: bool,
}

/// The values of at most this many responses wait. Reporting them takes some ten microseconds.
const MOST_WAITING: usize = 128;

/// How many required members of one route have a counter of their own. Contracts may require thousands, and a metric is
/// never freed.
const MOST_FIELDS: usize = 64;
/// The name under which all other members of the route are counted.
const OTHER_FIELDS: &str = "other";

/// The metrics of a VM.
#[derive(Debug, Default)]
pub struct Metrics {
    shared: Option<Shared>,
    routes: Vec<Route>,
    /// Whether values may wait. They may as long as something regularly calls [`Metrics::flush`].
    defers: bool,
    /// Responses counted since the last flush.
    counted: usize,
    /// The response counters with a value to report.
    changed: Vec<(RouteId, Outcome)>,
    /// The values to record in the histograms.
    samples: Vec<Sample>,
    /// The number of shapes last set, of which the gauge has been told or will be at the next flush.
    known_shapes: i64,
    known_forgotten: u64,
    /// Whether a counter of new shapes, unscored names or missing members has a value to report.
    drifted: bool,
}

/// The metrics without a route.
#[derive(Debug)]
struct Shared {
    renames: Sum,
    moves: Sum,
    dropped: Sum,
    conflicts: Sum,
    held_bytes: Sum,
    shapes: Sum,
    forgotten: Sum,
    heal_us: Id,
    body_bytes: Id,
}

#[derive(Debug)]
struct Route {
    name: String,
    /// A counter is `None` until it first counts.
    responses: [Option<Sum>; Outcome::COUNT],
    new_shapes: Option<Sum>,
    unscored: Option<Sum>,
    /// The required members that were missing.
    unhealed: Vec<Unhealed>,
}

/// A required member that was missing.
#[derive(Debug)]
struct Unhealed {
    field: String,
    sum: Sum,
    /// The number of responses without it so far.
    count: u64,
}

/// A counter or gauge.
#[derive(Clone, Copy, Debug)]
struct Sum {
    id: Id,
    waiting: i64,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    heal_us: u64,
    body_bytes: u64,
}

/// An id from the host, or `None` if the host refused the metric. It is not asked again.
type Id = Option<u32>;

impl Metrics {
    /// Returns an empty set of metrics. Call [`Metrics::define`] before anything else.
    pub fn new() -> Self {
        Metrics::default()
    }

    /// Defines the metrics that do not depend on a route.
    pub fn define<H: Host>(&mut self, host: &mut H) {
        if self.shared.is_some() {
            return;
        }
        let mut define = |kind, name| host.define_metric(kind, name).ok();
        self.shared = Some(Shared {
            renames: Sum::new(define(Metric::Counter, "kind=.=rename;.;nomos_ops_total")),
            moves: Sum::new(define(Metric::Counter, "kind=.=move;.;nomos_ops_total")),
            dropped: Sum::new(define(Metric::Counter, "nomos_dropped_total")),
            conflicts: Sum::new(define(Metric::Counter, "nomos_conflicts_total")),
            held_bytes: Sum::new(define(Metric::Gauge, "nomos_held_bytes")),
            shapes: Sum::new(define(Metric::Gauge, "nomos_shapes")),
            forgotten: Sum::new(define(Metric::Counter, "nomos_shapes_forgotten_total")),
            heal_us: define(Metric::Histogram, "nomos_heal_us"),
            body_bytes: define(Metric::Histogram, "nomos_body_bytes"),
        });
    }

    /// Returns the id for a route name. The name `none` is for responses that no route matched.
    pub fn route(&mut self, name: &str) -> RouteId {
        let name = tag_value(name);
        let known = self.routes.iter().position(|route| route.name == name);
        RouteId(known.unwrap_or_else(|| {
            let responses = [None; Outcome::COUNT];
            self.routes.push(Route { name, responses, new_shapes: None, unscored: None, unhealed: Vec::new() });
            self.routes.len().saturating_sub(1)
        }))
    }

    /// Counts a response.
    pub fn count<H: Host>(&mut self, host: &mut H, route: RouteId, outcome: Outcome) {
        let Some(known) = self.routes.get_mut(route.0) else { return };
        let Some(slot) = known.responses.get_mut(outcome.index()) else { return };
        let sum = slot.get_or_insert_with(|| Sum::new(define_responses(host, &known.name, outcome)));
        if sum.waiting == 0 {
            self.changed.push((route, outcome));
        }
        sum.add(1);
        self.counted = self.counted.saturating_add(1);
        if !self.defers || self.counted >= MOST_WAITING {
            self.flush(host);
        }
    }

    /// Records the work done on a body. Call [`Metrics::count`] next. Ops that were not written do not count.
    pub fn record(&mut self, work: &Work) {
        let Some(shared) = &mut self.shared else { return };
        self.samples.push(Sample { heal_us: to_microseconds(work.nanoseconds), body_bytes: work.bytes });
        if work.written {
            let Summary { renames, moves, dropped, .. } = work.summary;
            shared.renames.add(i64::from(renames));
            shared.moves.add(i64::from(moves));
            shared.dropped.add(i64::from(dropped));
        }
        shared.conflicts.add(i64::from(work.summary.conflicts));
    }

    /// Adds to the number of bytes that wait in the module's memory; a negative number is subtracted.
    pub fn hold<H: Host>(&mut self, host: &mut H, bytes: i64) {
        let Some(shared) = &mut self.shared else { return };
        shared.held_bytes.add(bytes);
        if !self.defers {
            shared.held_bytes.flush(host);
        }
    }

    /// Counts shapes of records that are new to similarity.
    pub fn count_new_shapes<H: Host>(&mut self, host: &mut H, route: RouteId, shapes: u32) {
        let Some(Route { name, new_shapes, .. }) = self.routes.get_mut(route.0) else { return };
        count_drift(host, new_shapes, name, "nomos_new_shapes_total", shapes);
        self.drifted = true;
    }

    /// Counts unknown names that similarity skipped because a limit was reached.
    pub fn count_unscored<H: Host>(&mut self, host: &mut H, route: RouteId, names: u32) {
        let Some(Route { name, unscored, .. }) = self.routes.get_mut(route.0) else { return };
        count_drift(host, unscored, name, "nomos_unscored_total", names);
        self.drifted = true;
    }

    /// Counts a response under each required member that it lacks. Members without a counter of their own count once
    /// together. `tell` gets the name that the response is counted under, and how many responses that name has so far.
    pub fn count_unhealed<'a, H: Host>(
        &mut self,
        host: &mut H,
        route: RouteId,
        fields: impl Iterator<Item = &'a str>,
        mut tell: impl FnMut(&mut H, &str, u64),
    ) {
        let Some(known) = self.routes.get_mut(route.0) else { return };
        let mut counts_others = true;
        for field in fields {
            let place = known.unhealed.iter().position(|unhealed| unhealed.field == field);
            // The last counter is for all members beyond the limit.
            let place = place.unwrap_or(known.unhealed.len()).min(MOST_FIELDS);
            if place == MOST_FIELDS && !mem::take(&mut counts_others) {
                continue;
            }
            if place == known.unhealed.len() {
                let field = if place == MOST_FIELDS { OTHER_FIELDS } else { field };
                let (route, value) = (&known.name, tag_value(field));
                let name = format!("route=.={route};.;field=.={value};.;nomos_unhealed_required_total");
                let sum = Sum::new(host.define_metric(Metric::Counter, &name).ok());
                known.unhealed.push(Unhealed { field: field.to_owned(), sum, count: 0 });
            }
            if let Some(unhealed) = known.unhealed.get_mut(place) {
                unhealed.sum.add(1);
                unhealed.count = unhealed.count.saturating_add(1);
                self.drifted = true;
                tell(host, &unhealed.field, unhealed.count);
            }
        }
    }

    /// Sets how many shapes of records similarity remembers in total, and how often it forgot them because they were
    /// too many.
    pub fn set_shapes(&mut self, shapes: usize, forgotten: u64) {
        let before = mem::replace(&mut self.known_forgotten, forgotten);
        let more = i64::try_from(forgotten.saturating_sub(before)).unwrap_or(0);
        let shapes = i64::try_from(shapes).unwrap_or(i64::MAX);
        let known = mem::replace(&mut self.known_shapes, shapes);
        if let Some(shared) = &mut self.shared {
            shared.shapes.add(shapes.saturating_sub(known));
            shared.forgotten.add(more);
        }
    }

    /// Returns whether values wait for the next flush, because ticks come.
    pub fn defers(&self) -> bool {
        self.defers
    }

    /// Sets whether values wait for the next flush.
    pub fn defer(&mut self, defers: bool) {
        self.defers = defers;
    }

    /// Reports all waiting values to the host.
    pub fn flush<H: Host>(&mut self, host: &mut H) {
        self.counted = 0;
        for (route, outcome) in self.changed.drain(..) {
            let slot = self.routes.get_mut(route.0).and_then(|route| route.responses.get_mut(outcome.index()));
            if let Some(Some(sum)) = slot {
                sum.flush(host);
            }
        }
        if mem::take(&mut self.drifted) {
            for route in &mut self.routes {
                let unhealed = route.unhealed.iter_mut().map(|unhealed| &mut unhealed.sum);
                route.new_shapes.iter_mut().chain(&mut route.unscored).chain(unhealed).for_each(|sum| sum.flush(host));
            }
        }
        let Some(shared) = &mut self.shared else { return };
        let Shared { renames, moves, dropped, conflicts, held_bytes, shapes, forgotten, heal_us, body_bytes } = shared;
        for sum in [renames, moves, dropped, conflicts, held_bytes, shapes, forgotten] {
            sum.flush(host);
        }
        for sample in &self.samples {
            record(host, *heal_us, sample.heal_us);
        }
        for sample in &self.samples {
            record(host, *body_bytes, sample.body_bytes);
        }
        self.samples.clear();
    }
}

impl Sum {
    fn new(id: Id) -> Self {
        Sum { id, waiting: 0 }
    }

    fn add(&mut self, offset: i64) {
        self.waiting = self.waiting.saturating_add(offset);
    }

    /// Reports the waiting value, unless it is zero: Envoy refuses to add zero to a counter.
    fn flush<H: Host>(&mut self, host: &mut H) {
        let offset = mem::take(&mut self.waiting);
        if let Some(id) = self.id.filter(|_| offset != 0) {
            let _ = host.add_metric(id, offset);
        }
    }
}

fn count_drift<H: Host>(host: &mut H, sum: &mut Option<Sum>, route: &str, metric: &str, count: u32) {
    let define = |host: &mut H| host.define_metric(Metric::Counter, &format!("route=.={route};.;{metric}")).ok();
    sum.get_or_insert_with(|| Sum::new(define(host))).add(i64::from(count));
}

/// Converts to microseconds, rounded to the nearest. Healing a body takes a few of them.
pub fn to_microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.saturating_add(500) / 1000
}

fn define_responses<H: Host>(host: &mut H, route: &str, outcome: Outcome) -> Id {
    let (verdict, reason) = (outcome.verdict(), outcome.reason().unwrap_or("none"));
    let name = format!("verdict=.={verdict};.;reason=.={reason};.;route=.={route};.;nomos_responses_total");
    host.define_metric(Metric::Counter, &name).ok()
}

fn record<H: Host>(host: &mut H, id: Id, value: u64) {
    if let Some(id) = id {
        let _ = host.record_metric(id, value);
    }
}

/// Makes a route or field name fit into a metric name. Such names are free text; characters that delimit tags, or break
/// lines in a scrape, become `_`.
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
        assert_eq!(host.defined_metrics(), 11);
    }

    #[test]
    fn only_what_was_done_counts() {
        let (mut host, mut metrics) = (Mock::new(), Metrics::new());
        metrics.define(&mut host);
        let summary = Summary { renames: 3, moves: 2, dropped: 4, conflicts: 5, ..Summary::default() };
        let work = Work { summary, nanoseconds: 2600, bytes: 1000, written: false };
        let route = metrics.route("user");
        let names = [
            "kind=.=rename;.;nomos_ops_total",
            "kind=.=move;.;nomos_ops_total",
            "nomos_dropped_total",
            "nomos_conflicts_total",
        ];
        metrics.record(&work);
        metrics.count(&mut host, route, Outcome::Observed);
        assert_eq!(names.map(|name| host.metric(name)), [0, 0, 0, 5]);
        metrics.record(&Work { written: true, ..work });
        metrics.count(&mut host, route, Outcome::Healed);
        assert_eq!(names.map(|name| host.metric(name)), [3, 2, 4, 10]);
        assert_eq!(host.recorded("nomos_heal_us"), [3, 3]);
        assert_eq!(host.recorded("nomos_body_bytes"), [1000, 1000]);
    }

    #[test]
    fn values_wait_for_a_flush() {
        let (mut host, mut metrics) = (Mock::new(), Metrics::new());
        metrics.define(&mut host);
        metrics.defer(true);
        let route = metrics.route("user");
        let summary = Summary { renames: 1, ..Summary::default() };
        let respond = |host: &mut Mock, metrics: &mut Metrics, bytes| {
            metrics.hold(host, 5);
            metrics.record(&Work { summary, nanoseconds: 1000, bytes, written: true });
            metrics.count(host, route, Outcome::Healed);
            metrics.hold(host, -5);
        };
        for bytes in 0..3 {
            respond(&mut host, &mut metrics, bytes);
        }
        assert_eq!((host.calls("add_metric"), host.calls("record_metric")), (0, 0));
        for _ in 0..2 {
            metrics.flush(&mut host);
            assert_eq!((host.calls("add_metric"), host.calls("record_metric")), (2, 6));
        }
        assert_eq!(host.metric("kind=.=rename;.;nomos_ops_total"), 3);
        assert_eq!(host.recorded("nomos_body_bytes"), [0, 1, 2]);
        for bytes in 0..1000 {
            respond(&mut host, &mut metrics, bytes);
            assert!(metrics.counted < MOST_WAITING && metrics.samples.len() < MOST_WAITING);
        }
        metrics.flush(&mut host);
        assert_eq!(host.metric("verdict=.=healed;.;reason=.=none;.;route=.=user;.;nomos_responses_total"), 1003);
        assert_eq!((host.recorded("nomos_heal_us").len(), host.metric("nomos_held_bytes")), (1003, 0));
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
        assert_eq!(host.calls("define_metric"), 10);
    }
}
