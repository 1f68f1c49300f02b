//! The interface that the filter needs of a proxy.
//!
//! Every call may fail, with a status that only the host understands. Data that a call returns lives in a window that
//! the next call may overwrite; the borrows express this.

/// A status other than success, as the host gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub u32);

impl Status {
    /// What was asked for does not exist.
    pub const NOT_FOUND: Status = Status(1);

    /// Not from the host: the host reported success, but returned less data than there was.
    pub const SHORT: Status = Status(u32::MAX);

    /// Not from the host: there is no memory for the returned data.
    pub const NO_MEMORY: Status = Status(u32::MAX - 1);

    /// Not from the host: this call or an earlier one ended the stream.
    pub const ENDED: Status = Status(u32::MAX - 2);
}

/// The severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Level {
    /// An event that somebody may want to know about.
    Info = 2,
    /// Something is wrong, but no response is.
    Warn = 3,
    /// Something that somebody has to fix.
    Error = 4,
}

/// A header map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Map {
    /// Readable during the callback for the request's headers only.
    RequestHeaders = 0,
    /// Readable and writable until a response callback has returned [`Action::Continue`].
    ResponseHeaders = 2,
    /// Writable during the callback for the response's trailers.
    ResponseTrailers = 3,
}

/// A kind of metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Metric {
    /// A value that only grows.
    Counter = 0,
    /// A value that grows and shrinks. The proxy shows the sum over all workers.
    Gauge = 1,
    /// A distribution of values.
    Histogram = 2,
}

/// What Envoy does after a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Action {
    /// Passes on the data of the callback, and all data that was paused before.
    Continue = 0,
    /// Pauses the data of the callback.
    Pause = 1,
}

/// Reads the time. Separate from [`Host`] so that the time can be read while host data is borrowed.
pub trait Clock {
    /// Returns the nanoseconds since some point in the past. The clock may jump; only reported durations depend on it.
    fn now_ns(&self) -> u64;
}

/// A proxy, on behalf of the stream whose callback is running.
pub trait Host {
    /// The type of its clock.
    type Clock: Clock;

    /// Returns its clock.
    fn clock(&self) -> Self::Clock;

    /// Writes a line to the proxy's log.
    fn log(&mut self, level: Level, text: &str);

    /// Returns the configuration of the plugin that is being configured.
    fn configuration(&mut self, length: usize) -> Result<&[u8], Status>;

    /// Returns a whole header map, serialised; see [`crate::pairs`].
    fn headers(&mut self, map: Map) -> Result<&[u8], Status>;

    /// Sets a response header to this one value.
    fn set_header(&mut self, name: &[u8], value: &[u8]) -> Result<(), Status>;

    /// Removes all headers with this name.
    fn remove_header(&mut self, map: Map, name: &[u8]) -> Result<(), Status>;

    /// Appends at most `length` bytes of the response body that the host has at this point to `to`. Returns their
    /// number. After a failure nothing is appended.
    fn read_body(&mut self, start: usize, length: usize, to: &mut Vec<u8>) -> Result<usize, Status>;

    /// Replaces the first `length` bytes of the response body that the host has at this point.
    fn replace_body(&mut self, length: usize, bytes: &[u8]) -> Result<(), Status>;

    /// Puts bytes behind the response body that the host has at this point.
    fn append_body(&mut self, bytes: &[u8]) -> Result<(), Status>;

    /// Sets the filter state that access logs read as `wasm.nomos`.
    fn set_filter_state(&mut self, value: &[u8]) -> Result<(), Status>;

    /// Returns `filter_metadata.nomos.mode` of the route that the proxy chose.
    fn route_mode(&mut self) -> Result<&[u8], Status>;

    /// Returns whether the upstream has sent its last byte, if the host can tell.
    fn upstream_has_ended(&mut self) -> bool;

    /// Resets the response, so that the client sees that it is not complete.
    fn reset_response(&mut self) -> Result<(), Status>;

    /// Defines a metric. Defining a name twice gives two ids of the same metric.
    fn define_metric(&mut self, kind: Metric, name: &str) -> Result<u32, Status>;

    /// Adds to a counter or gauge.
    fn add_metric(&mut self, id: u32, offset: i64) -> Result<(), Status>;

    /// Records a value in a histogram.
    fn record_metric(&mut self, id: u32, value: u64) -> Result<(), Status>;

    /// Asks for ticks for the root context of the running callback; zero stops them.
    fn set_tick_period(&mut self, milliseconds: u32) -> Result<(), Status>;

    /// Makes the following calls refer to another context.
    fn act_for(&mut self, context: u32) -> Result<(), Status>;

    /// Ensures that this many bytes of memory can be allocated even if the host grants no more. Returns `false` if the
    /// host does not grant such a reserve.
    fn keep_memory(&mut self, bytes: usize) -> bool;

    /// Passes on a response that was paused.
    fn resume_response(&mut self) -> Result<(), Status>;
}
