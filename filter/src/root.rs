//! One configuration in use.
//!
//! Several share a VM, and an update makes a new one beside the old. Streams keep the one that they began with, so
//! that no response is healed by a mix of two.

use std::cell::{Cell, RefCell};

use healer::Memo;
use healer::config::{Config, ResponseHeaders, Route};

use crate::host::Host;
use crate::metrics::{Metrics, RouteId};

/// A configuration, with what can be worked out ahead of traffic.
#[derive(Debug)]
pub struct Root {
    /// As the operator wrote it.
    pub config: Config,
    /// For responses that no route matches.
    pub no_route: RouteId,
    /// Whether some requests are healed and others not, by their place among all.
    pub samples: bool,
    /// The route for requests that end with their headers, where these need not be read to know it: reading them is one
    /// of the three dearest calls. A tunnel does not end so. A HEAD does, and so does its response, unless what the
    /// upstream speaks lets it say the end later: then its headers become those of the response to a GET, which is
    /// right as long as none of them tells of a healed body, as held ones do.
    pub unread: Option<usize>,
    /// Whether pausing response headers has been seen to work.
    pub holding: Cell<Holding>,
    tags: Vec<RouteTag>,
}

/// What is kept for a route, beside what its configuration says.
#[derive(Debug)]
pub struct RouteTag {
    /// In metrics.
    pub id: RouteId,
    /// In the log.
    pub name: String,
    /// In the filter state: its name as a JSON string.
    pub json: Vec<u8>,
    /// What similarity found in its responses.
    pub memo: RefCell<Memo>,
}

/// Whether Envoy calls for the body while headers are paused. It does only with `allow_on_headers_stop_iteration`,
/// and there is no asking whether that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holding {
    /// Not known. So many responses had to be let go without having seen their body.
    Unproven(u32),
    /// A body was seen while its headers were paused.
    Works,
    /// It never worked: headers are not held any more.
    GivenUp,
}

impl Root {
    /// Takes a configuration into use.
    pub fn new<H: Host>(config: Config, host: &mut H, metrics: &mut Metrics) -> Self {
        metrics.define(host);
        let tag = |route: &Route| RouteTag {
            id: metrics.route(&route.name),
            name: route.name.clone(),
            json: json_string(&route.name),
            memo: RefCell::new(Memo::bounded(&route.plan, config.max_shapes)),
        };
        let tags = config.routes.iter().map(tag).collect();
        let no_route = metrics.route("none");
        let samples = config.samples();
        let early = config.response_headers == ResponseHeaders::Early;
        let unread = config.route_of_all().filter(|_| early && !samples);
        Root { config, no_route, samples, unread, tags, holding: Cell::new(Holding::Unproven(0)) }
    }

    /// A route and its tag, by the number that [`Config::route`] gives.
    pub fn route(&self, number: usize) -> Option<(&Route, &RouteTag)> {
        self.config.routes.get(number).zip(self.tags.get(number))
    }

    /// How many shapes of records similarity remembers.
    pub fn shapes(&self) -> usize {
        let of = |tag: &RouteTag| tag.memo.try_borrow().map_or(0, |memo| memo.shapes());
        self.tags.iter().map(of).sum()
    }

    /// How often so many shapes came that all were forgotten.
    pub fn forgotten(&self) -> u64 {
        let of = |tag: &RouteTag| tag.memo.try_borrow().map_or(0, |memo| memo.forgotten());
        self.tags.iter().map(of).sum()
    }

    /// Whether headers are to wait for the body.
    pub fn holds_headers(&self) -> bool {
        self.config.response_headers == ResponseHeaders::Held && self.holding.get() != Holding::GivenUp
    }
}

/// A JSON string. Configurations allow no control characters in names.
fn json_string(text: &str) -> Vec<u8> {
    let mut out = vec![b'"'];
    for byte in text.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(if byte < b' ' { b' ' } else { byte });
    }
    out.push(b'"');
    out
}
