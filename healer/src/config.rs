//! The plugin's configuration: reads JSON into routes with their plans.
//!
//! Everything is checked before anything is used. A mistake stops Envoy from starting, or from taking over an update,
//! and never stops a response from being healed. A refusal says where the mistake is, what was found and what was
//! expected.
//!
//! Envoy changes the JSON before it arrives. A `Struct` is a map without order, so nothing may depend on the order of
//! members. YAML is read with the words of YAML 1.1, so `off` arrives as `false`, and `0.85` as the text `"0.85"`.

mod conditions;
pub mod contract;
pub mod cursor;
mod cycles;
mod dead_rules;
mod decimal;
mod error;
mod index;
pub mod json;
mod matcher;
pub mod node;
mod rollout;
mod route;
mod rules;
mod similarity;
mod suggest;
pub mod vocabulary;

pub use conditions::{Conditions, is_looked_at};
pub use error::ConfigError;
pub use matcher::Matcher;
pub use node::Node;
pub use rollout::{Mode, Place, Sample};
pub use route::Route;

use std::sync::Arc;

use crate::limits::Limits;
use crate::memo::Memo;
use crate::order;
use crate::plan::Plan;

use cursor::{Cursor, Problems};
use vocabulary::{BOUNDS, Bound, RESPONSE_HEADERS, SETTINGS};

/// When response headers are sent downstream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseHeaders {
    /// At once.
    #[default]
    Early,
    /// With the body, so that they can describe it.
    Held,
}

/// A valid configuration.
#[derive(Debug)]
pub struct Config {
    /// What to do with responses.
    pub mode: Mode,
    /// The share of requests whose responses are healed.
    pub sample: Sample,
    /// Whether a route of the proxy may switch healing off by its metadata.
    pub route_metadata: bool,
    /// When response headers are sent.
    pub response_headers: ResponseHeaders,
    /// Whether the filter state for access logs is set.
    pub filter_state: bool,
    /// The bounds on one body.
    pub limits: Limits,
    /// The number of record shapes that are remembered for one route.
    pub max_shapes: usize,
    /// The routes, in the order in which they are tried.
    pub routes: Vec<Route>,
}

impl Config {
    /// Reads a configuration. Empty text is valid: it has no routes, so every response passes.
    ///
    /// Returns the first mistake as an error.
    pub fn parse(json: &[u8]) -> Result<Config, ConfigError> {
        Config::parse_beside(json, &[], &mut || true)
    }

    /// As [`Config::parse`], beside plans that are in use. A route with the same rules and contract takes the plan that
    /// is there: an update costs only what it changes, however many are in use at a time.
    ///
    /// `has_memory` is asked before each route, because an allocation that fails aborts. Where it returns `false`, that
    /// is a mistake.
    pub fn parse_beside(
        json: &[u8],
        in_use: &[Arc<Plan>],
        has_memory: &mut dyn FnMut() -> bool,
    ) -> Result<Config, ConfigError> {
        if json.trim_ascii().is_empty() {
            return Ok(Config::default());
        }
        let node = json::read(json)?;
        let mut problems = Problems::new();
        let config = read(&Cursor::root(&node), in_use, has_memory, &mut problems);
        match problems.into_iter().next() {
            Some(first) => Err(first),
            None => Ok(config),
        }
    }

    /// Checks a configuration that is already read. Returns all mistakes as errors, by their place in the text.
    pub fn check(node: &Node) -> Result<Config, Vec<ConfigError>> {
        let mut problems = Problems::new();
        let config = read(&Cursor::root(node), &[], &mut || true, &mut problems);
        order::sort_by_key(&mut problems, |problem| problem.offset);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    /// Returns the number of the first route that matches a request. Query and fragment do not count.
    pub fn route(&self, method: &[u8], path: &[u8]) -> Option<usize> {
        self.routes_from(0, method, path).next()
    }

    /// Returns the route that takes all requests, whatever their path and method, if no later route can take its
    /// responses.
    pub fn route_of_all(&self) -> Option<usize> {
        let first = &self.routes.first()?.matcher;
        let alone = self.routes.len() == 1 || first.conditions.are_none();
        (first.takes_all() && alone).then_some(0)
    }

    /// Returns the routes that match a request, in order, starting with the route numbered `first`.
    pub fn routes_from(&self, first: usize, method: &[u8], path: &[u8]) -> impl Iterator<Item = usize> {
        let routes = self.routes.iter().enumerate().skip(first);
        routes.filter(move |(_, route)| route.matcher.matches(method, path)).map(|(number, _)| number)
    }

    /// Whether any route heals the responses to only a share of requests.
    pub fn samples(&self) -> bool {
        self.routes.iter().any(|route| self.sample_of(route) != Sample::ALL)
    }

    /// Whether a route accepts a response with this status and this value of `content-type`.
    pub fn accepts(&self, route: usize, status: u64, content_type: &[u8]) -> bool {
        self.routes.get(route).is_some_and(|route| route.matcher.conditions.accept(status, content_type))
    }

    /// Returns what to do with the responses of a route. `off` for all routes is off for each; otherwise the mode of
    /// the route overrides that of the configuration.
    pub fn mode_of(&self, route: &Route) -> Mode {
        if self.mode == Mode::Off { Mode::Off } else { route.mode.unwrap_or(self.mode) }
    }

    /// Returns the share of requests of a route whose responses are healed.
    pub fn sample_of(&self, route: &Route) -> Sample {
        route.sample.unwrap_or(self.sample)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            mode: Mode::default(),
            sample: Sample::ALL,
            route_metadata: false,
            response_headers: ResponseHeaders::default(),
            filter_state: true,
            limits: Limits::default(),
            max_shapes: Memo::DEFAULT_SHAPES,
            routes: Vec::new(),
        }
    }
}

fn read(
    cursor: &Cursor<'_>,
    in_use: &[Arc<Plan>],
    has_memory: &mut dyn FnMut() -> bool,
    problems: &mut Problems,
) -> Config {
    let mut config = Config::default();
    cursor::refuse_duplicates(cursor, problems);
    cursor.only_fields(problems, "an object", &SETTINGS);
    config.mode = rollout::mode(cursor, problems).unwrap_or_default();
    config.sample = rollout::sample(cursor, problems).unwrap_or(Sample::ALL);
    if let Some(field) = cursor.field("route_metadata") {
        config.route_metadata = field.flag(problems);
    }
    if let Some(field) = cursor.field("response_headers") {
        config.response_headers = field.choice(problems, &RESPONSE_HEADERS).unwrap_or_default();
    }
    if let Some(field) = cursor.field("filter_state") {
        config.filter_state = field.flag(problems);
    }
    read_bounds(cursor, &mut config, problems);
    if let Some(field) = cursor.field("routes") {
        config.routes = route::read_all(&field, in_use, has_memory, problems);
    }
    config
}

/// Reads the settings that are whole numbers.
fn read_bounds(cursor: &Cursor<'_>, config: &mut Config, problems: &mut Problems) {
    for Bound { name, least, most, expected, set } in BOUNDS {
        let Some(field) = cursor.field(name) else { continue };
        if let Some(number) = read_bound(&field, least..=most, expected, problems) {
            set(config, number);
        }
    }
}

/// Reads a whole number within bounds.
fn read_bound(
    cursor: &Cursor<'_>,
    bounds: std::ops::RangeInclusive<usize>,
    expected: &str,
    problems: &mut Problems,
) -> Option<usize> {
    let number = cursor.number().and_then(decimal::Decimal::whole).and_then(|number| usize::try_from(number).ok());
    let number = number.filter(|number| bounds.contains(number));
    if number.is_none() {
        cursor.expected(problems, expected);
    }
    number
}

#[cfg(test)]
mod tests;
