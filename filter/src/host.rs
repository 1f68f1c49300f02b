//! What the filter needs of a proxy.
//!
//! Every call may fail, with a status that only the host understands. Data that a call returns lives in one window
//! that the next call may overwrite; the borrows say so.

/// A status other than success, as the host gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    /// There is no such thing.
    pub const NOT_FOUND: Status = Status(1);

    /// No host's own: it said that all was well, and returned less than there was to return.
    pub const SHORT: Status = Status(u32::MAX);

    /// No host's own: there is no memory for what it would return.
    pub const NO_MEMORY: Status = Status(u32::MAX - 1);

    /// No host's own: the stream is over, by this call or one before it.
    pub const ENDED: Status = Status(u32::MAX - 2);
}

/// How important a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Level {
    /// Something that somebody may want to know.
    Info = 2,
    /// Something is not as it was meant to be, but every response is.
    Warn = 3,
    /// Somebody has to do something.
    Error = 4,
}

/// A header map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Map {
    /// Readable while the request's headers are processed; never after.
    RequestHeaders = 0,
    /// Readable and writable until a response callback has returned [`Action::Continue`].
    ResponseHeaders = 2,
    /// Writable while the response's trailers are processed.
    ResponseTrailers = 3,
}

/// A kind of metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Metric {
    /// Only goes up.
    Counter = 0,
    /// Goes up and down; the sum over workers is shown.
    Gauge = 1,
    /// Distribution of values.
    Histogram = 2,
}

/// What Envoy does after a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Action {
    /// Passes on what the callback was about, and all that was paused before.
    Continue = 0,
    /// Holds it.
    Pause = 1,
}

/// Reads the time. Apart from [`Host`] so that it can be read while data of the host is borrowed.
pub trait Clock {
    /// Nanoseconds since some point in the past. May jump; nothing but reported durations depends on it.
    fn now_ns(&self) -> u64;
}

/// A proxy, on behalf of the stream whose callback is running.
pub trait Host {
    /// Its clock.
    type Clock: Clock;

    /// Its clock.
    fn clock(&self) -> Self::Clock;

    /// Writes to the proxy's own log.
    fn log(&mut self, level: Level, text: &str);

    /// The configuration of the plugin that is being configured.
    fn configuration(&mut self, length: usize) -> Result<&[u8], Status>;

    /// A whole header map, serialised; see [`crate::pairs`].
    fn headers(&mut self, map: Map) -> Result<&[u8], Status>;

    /// Sets a response header to this one value.
    fn set_header(&mut self, name: &[u8], value: &[u8]) -> Result<(), Status>;

    /// Removes all headers of this name.
    fn remove_header(&mut self, map: Map, name: &[u8]) -> Result<(), Status>;

    /// Appends bytes of the response body that the host has now to `to`, at most `length` of them. How many; after a
    /// failure none are.
    fn read_body(&mut self, start: usize, length: usize, to: &mut Vec<u8>) -> Result<usize, Status>;

    /// Replaces the first `length` bytes of the response body that the host has now.
    fn replace_body(&mut self, length: usize, bytes: &[u8]) -> Result<(), Status>;

    /// Sets the filter state that access logs read as `wasm.nomos`.
    fn set_filter_state(&mut self, value: &[u8]) -> Result<(), Status>;

    /// What the route that the proxy chose says in its metadata: `filter_metadata.nomos.mode`.
    fn route_mode(&mut self) -> Result<&[u8], Status>;

    /// Whether the upstream has sent its last byte, where the host can tell.
    fn upstream_has_ended(&mut self) -> bool;

    /// Resets the response, so that the client sees that it is not complete.
    fn reset_response(&mut self) -> Result<(), Status>;

    /// Makes a metric known. The same name twice is the same metric under two ids.
    fn define_metric(&mut self, kind: Metric, name: &str) -> Result<u32, Status>;

    /// Adds to a counter or gauge.
    fn add_metric(&mut self, id: u32, offset: i64) -> Result<(), Status>;

    /// Records a value in a histogram.
    fn record_metric(&mut self, id: u32, value: u64) -> Result<(), Status>;

    /// Asks for ticks for the root context of the running callback; zero stops them.
    fn set_tick_period(&mut self, milliseconds: u32) -> Result<(), Status>;

    /// Makes the following calls about another context.
    fn act_for(&mut self, context: u32) -> Result<(), Status>;

    /// Makes sure that so many bytes of memory can be had whatever the host grants from here on. `false` where it grants
    /// no such reserve.
    fn keep_memory(&mut self, bytes: usize) -> bool;

    /// Passes on a response that was paused.
    fn resume_response(&mut self) -> Result<(), Status>;
}
