//! Names, words and bounds of a configuration. The reader uses them, and so does the JSON Schema for editors.

use crate::plan::spec::Unmapped;
use crate::similarity::Profile;

use super::{Config, Mode, ResponseHeaders};

/// Fields of the whole configuration.
pub const SETTINGS: [&str; 11] = [
    "mode",
    "sample",
    "route_metadata",
    "response_headers",
    "filter_state",
    "max_held_bytes",
    "max_depth",
    "max_keys",
    "max_tokens",
    "max_shapes",
    "routes",
];

/// Fields of a route.
pub const ROUTE: [&str; 10] =
    ["name", "match", "mode", "sample", "contract", "packs", "rename", "move", "similarity", "unmapped"];

/// Fields of `match`.
pub const MATCH: [&str; 6] = ["path", "prefix", "template", "methods", "status", "content_types"];

/// Fields of `similarity`.
pub const SIMILARITY: [&str; 4] = ["profile", "threshold", "margin", "max_unknown"];

/// Words for `mode`.
pub const MODES: [(&str, Mode); 3] = [("heal", Mode::Heal), ("observe", Mode::Observe), ("off", Mode::Off)];

/// Words for `response_headers`.
pub const RESPONSE_HEADERS: [(&str, ResponseHeaders); 2] =
    [("early", ResponseHeaders::Early), ("held", ResponseHeaders::Held)];

/// Words for `unmapped`.
pub const UNMAPPED: [(&str, Unmapped); 2] = [("keep", Unmapped::Keep), ("drop", Unmapped::Drop)];

/// Words for `similarity.profile`.
pub const PROFILES: [(&str, Profile); 2] = [("default", Profile::Default), ("reference", Profile::Reference)];

/// The largest length of a route name, in bytes. Route names are part of metric names and access logs.
pub const MAX_NAME_BYTES: usize = 128;

/// A setting that is a whole number.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Its name.
    pub name: &'static str,
    /// The smallest valid value.
    pub least: usize,
    /// The largest valid value.
    pub most: usize,
    /// Both bounds in words.
    pub expected: &'static str,
    /// Sets it.
    pub set: fn(&mut Config, usize),
}

/// All settings that are whole numbers.
pub const BOUNDS: [Bound; 5] = [
    Bound {
        name: "max_held_bytes",
        // Hardly any API response is smaller, and wasm memory comes in pages of 64 KiB anyway.
        least: 1 << 10,
        // The memory of each worker grows to what its streams hold at once, and never shrinks again.
        most: MAX_HELD_BYTES,
        expected: "a number of bytes from 1024 (1 KiB) to 67108864 (64 MiB)",
        set: |config, number| config.limits.max_held_bytes = number,
    },
    Bound {
        name: "max_depth",
        least: 1,
        // Each open container costs the engine a frame, and no client library reads deeper documents by default.
        most: 1 << 12,
        expected: "a whole number from 1 to 4096",
        set: |config, number| config.limits.max_depth = short(number),
    },
    Bound {
        name: "max_keys",
        least: 1,
        // A member takes eight bytes on average (`"":0,` and three bytes of a name), so the longest body has no room
        // for more distinct members.
        most: 1 << 23,
        expected: "a whole number from 1 to 8388608",
        set: |config, number| config.limits.max_keys = short(number),
    },
    Bound {
        name: "max_tokens",
        least: 1,
        // One for each byte of the longest body.
        most: MAX_HELD_BYTES,
        expected: "a whole number from 1 to 67108864",
        set: |config, number| config.limits.max_tokens = number,
    },
    Bound {
        name: "max_shapes",
        // With fewer, even the few shapes of an ordinary API might not fit.
        least: 16,
        // At some 10 KB each, for records of 60 fields, this many exceed the memory of a wasm VM.
        most: 1 << 16,
        expected: "a whole number from 16 to 65536",
        set: |config, number| config.max_shapes = number,
    },
];

const MAX_HELD_BYTES: usize = 1 << 26;

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
