//! A configuration in use.
//!
//! Several configurations share a VM, and an update creates a new one beside the old. A stream keeps the one that it
//! began with, so that no response is healed by a mix of two.

use std::cell::{Cell, RefCell};

use healer::Memo;
use healer::config::{Config, ResponseHeaders, Route};

use crate::host::Host;
use crate::metrics::{Metrics, RouteId};

/// A configuration, with what can be computed before traffic comes.
#[derive(Debug)]
pub struct Root {
    /// The configuration as the operator wrote it.
    pub config: Config,
    /// The id for responses that no route matches.
    pub no_route: RouteId,
    /// Whether the place of a request among all decides if its response is healed.
    pub samples: bool,
    /// The route for requests that end with their headers, if it is known without reading these: reading them is one of
    /// the three most expensive calls. Requests for a tunnel do not end with their headers. A HEAD request does, and so
    /// does its response, unless the upstream's protocol lets it signal the end later. Then the headers are corrected
    /// as for a GET request, which is right as long as none of them reports a healed body, as held headers do.
    pub unread: Option<usize>,
    /// Whether pausing response headers has been seen to work.
    pub holding: Cell<Holding>,
    tags: Vec<RouteTag>,
}

/// The state kept for a route, beside its configuration.
#[derive(Debug)]
pub struct RouteTag {
    /// Its id in metrics.
    pub id: RouteId,
    /// Its name, for the log.
    pub name: String,
    /// Its name as a JSON string, for the filter state.
    pub json: Vec<u8>,
    /// What similarity has found in its responses.
    pub memo: RefCell<Memo>,
}

/// Whether Envoy calls the body callback while headers are paused. It does so only with
/// `allow_on_headers_stop_iteration`, and a filter cannot ask whether that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Unknown. Holds the number of responses that were released before any of their body was seen.
    Unproven(u32),
    /// A body was seen while its headers were paused.
    Works,
    /// It never worked, so headers are not held any more.
    GivenUp,
}

impl Root {
    /// Takes a configuration into use.
    pub fn new<H: Host>(config: Config, host: &mut H, metrics: &mut Metrics) -> Self {
        metrics.define(host);
        let tag = |route: &Route| RouteTag {
            id: metrics.route(&route.name),
            name: route.name.clone(),
            json: healer::quoted(&route.name),
            memo: RefCell::new(Memo::bounded(&route.plan, config.max_shapes)),
        };
        let tags = config.routes.iter().map(tag).collect();
        let no_route = metrics.route("none");
        let samples = config.samples();
        let early = config.response_headers == ResponseHeaders::Early;
        let unread = config.route_of_all().filter(|_| early && !samples);
        Root { config, no_route, samples, unread, tags, holding: Cell::new(Holding::Unproven(0)) }
    }

    /// Returns a route and its tag, by the number that [`Config::route`] gives.
    pub fn route(&self, number: usize) -> Option<(&Route, &RouteTag)> {
        self.config.routes.get(number).zip(self.tags.get(number))
    }

    /// Returns how many shapes of records similarity remembers.
    pub fn shapes(&self) -> usize {
        let of = |tag: &RouteTag| tag.memo.try_borrow().map_or(0, |memo| memo.shapes());
        self.tags.iter().map(of).sum()
    }

    /// Returns the memory in bytes that they take.
    pub fn shapes_bytes(&self) -> usize {
        let of = |tag: &RouteTag| tag.memo.try_borrow().map_or(0, |memo| memo.memory());
        self.tags.iter().map(of).sum()
    }

    /// Makes each route that remembers more than this many bytes forget its shapes.
    pub fn forget_shapes(&self, most: usize) {
        for (route, tag) in self.config.routes.iter().zip(&self.tags) {
            if let Ok(mut memo) = tag.memo.try_borrow_mut()
                && memo.memory() > most
            {
                memo.release(&route.plan);
            }
        }
    }

    /// Returns how often similarity forgot all shapes of a route because they were too many.
    pub fn forgotten(&self) -> u64 {
        let of = |tag: &RouteTag| tag.memo.try_borrow().map_or(0, |memo| memo.forgotten());
        self.tags.iter().map(of).sum()
    }

    /// Returns whether headers are to wait for the body.
    pub fn holds_headers(&self) -> bool {
        self.config.response_headers == ResponseHeaders::Held && self.holding.get() != Holding::GivenUp
    }
}
