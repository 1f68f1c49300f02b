//! The plugin's configuration: JSON to routes with their plans.
//!
//! Everything is checked before anything is used, so that a slip stops Envoy from starting, or an update from being
//! taken over, and not a response from being healed. A refusal says where, what was found and what was expected.
//!
//! Two things about the JSON that arrives, both Envoy's doing: a `Struct` is a map without order, so nothing may
//! depend on the order of members; and YAML is read by YAML 1.1 words, so `off` arrives as `false`, and `0.85` as
//! the text `"0.85"`.

pub mod contract;
pub mod cursor;
mod cycles;
mod decimal;
mod error;
mod expects;
mod index;
pub mod json;
mod matcher;
pub mod node;
mod route;
mod rules;
mod similarity;
mod suggest;

pub use error::ConfigError;
pub use matcher::Matcher;
pub use node::Node;
pub use route::Route;

use crate::limits::Limits;
use crate::order;

use cursor::{Cursor, Problems};

const FIELDS: [&str; 5] = ["mode", "response_headers", "max_held_bytes", "max_depth", "routes"];

/// Below this hardly an API response fits, and the least wasm can hold is a page of 64 KiB anyway.
const MIN_HELD_BYTES: usize = 1 << 10;
/// Each worker's memory grows to what its streams hold at once and never shrinks again.
const MAX_HELD_BYTES: usize = 1 << 26;
/// Each open container costs the engine a frame; no client library reads documents deeper than this by default.
const MAX_DEPTH: usize = 1 << 12;

/// What the filter does with responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Heal them.
    #[default]
    Heal,
    /// Find out what it would heal, and leave them as they came.
    Observe,
    /// Nothing.
    Off,
}

/// When response headers leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseHeaders {
    /// At once.
    #[default]
    Early,
    /// With the body, so that they can tell about it.
    Held,
}

/// A configuration that can be used.
#[derive(Debug)]
pub struct Config {
    /// What to do with responses.
    pub mode: Mode,
    /// When headers leave.
    pub response_headers: ResponseHeaders,
    /// A longer body leaves as it came.
    pub max_held_bytes: usize,
    /// A deeper body leaves as it came.
    pub max_depth: u32,
    /// In the order in which they are tried.
    pub routes: Vec<Route>,
}

impl Config {
    /// Reads a configuration. No text at all is one too: no routes, so every response passes.
    pub fn parse(json: &[u8]) -> Result<Config, ConfigError> {
        if json.trim_ascii().is_empty() {
            return Ok(Config::default());
        }
        let node = json::read(json)?;
        let mut problems = Problems::new();
        let config = read(&Cursor::root(&node), &mut problems);
        match problems.into_iter().next() {
            Some(first) => Err(first),
            None => Ok(config),
        }
    }

    /// Checks a configuration that is read already, and tells everything that is wrong with it.
    pub fn check(node: &Node) -> Result<Config, Vec<ConfigError>> {
        let mut problems = Problems::new();
        let config = read(&Cursor::root(node), &mut problems);
        order::sort_by_key(&mut problems, |problem| problem.offset);
        if problems.is_empty() { Ok(config) } else { Err(problems) }
    }

    /// The first route that a request matches. Query and fragment do not count.
    pub fn route(&self, method: &[u8], path: &[u8]) -> Option<usize> {
        self.routes.iter().position(|route| route.matcher.matches(method, path))
    }

    /// The bounds on one body.
    pub fn limits(&self) -> Limits {
        Limits { max_held_bytes: self.max_held_bytes, max_depth: self.max_depth }
    }
}

impl Default for Config {
    fn default() -> Self {
        let Limits { max_held_bytes, max_depth } = Limits::default();
        let (mode, response_headers) = (Mode::default(), ResponseHeaders::default());
        Config { mode, response_headers, max_held_bytes, max_depth, routes: Vec::new() }
    }
}

fn read(cursor: &Cursor<'_>, problems: &mut Problems) -> Config {
    let mut config = Config::default();
    cursor::refuse_duplicates(cursor, problems);
    cursor.only_fields(problems, "an object", &FIELDS);
    if let Some(field) = cursor.field("mode") {
        let choices = [("heal", Mode::Heal), ("observe", Mode::Observe), ("off", Mode::Off)];
        config.mode = field.choice(problems, &choices).unwrap_or_default();
    }
    if let Some(field) = cursor.field("response_headers") {
        let choices = [("early", ResponseHeaders::Early), ("held", ResponseHeaders::Held)];
        config.response_headers = field.choice(problems, &choices).unwrap_or_default();
    }
    if let Some(field) = cursor.field("max_held_bytes") {
        let expected = "a number of bytes from 1024 (1 KiB) to 67108864 (64 MiB)";
        config.max_held_bytes = read_bound(&field, MIN_HELD_BYTES..=MAX_HELD_BYTES, expected, problems);
    }
    if let Some(field) = cursor.field("max_depth") {
        let depth = read_bound(&field, 1..=MAX_DEPTH, "a whole number from 1 to 4096", problems);
        config.max_depth = u32::try_from(depth).unwrap_or(config.max_depth);
    }
    if let Some(field) = cursor.field("routes") {
        config.routes = route::read_all(&field, problems);
    }
    config
}

/// A whole number within bounds; the lower one where it is refused.
fn read_bound(
    cursor: &Cursor<'_>,
    bounds: std::ops::RangeInclusive<usize>,
    expected: &str,
    problems: &mut Problems,
) -> usize {
    let number = cursor.number().and_then(decimal::Decimal::whole).and_then(|number| usize::try_from(number).ok());
    match number {
        Some(number) if bounds.contains(&number) => number,
        _ => {
            cursor.expected(problems, expected);
            *bounds.start()
        }
    }
}

#[cfg(test)]
mod tests;
