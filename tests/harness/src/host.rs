//! The state of the host: headers, a body's bytes, metrics, a clock, and the faults to inject.

use std::collections::BTreeMap;

use wasmtime::{Memory, ResourceLimiter, TypedFunc};

use crate::fault::Fault;

/// Names and values, in order.
pub type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// Envoy's status for a call outside its phase.
pub(crate) const BAD_ARGUMENT: u32 = 2;
/// Envoy's status if the module gives no memory, or an address outside its memory.
pub(crate) const INVALID_MEMORY_ACCESS: u32 = 6;

/// How far each reading advances the clock. Fixed, so that reports with digits of it always cost the same.
const CLOCK_STEP_NS: u64 = 1000;

/// The host's side of one VM, for one stream at a time.
#[derive(Default)]
pub struct Host {
    /// The request's headers; `None` outside their callback.
    pub request: Option<Headers>,
    /// The response's headers; `None` once they have been passed on.
    pub response: Option<Headers>,
    /// The response's trailers; `None` outside their callback.
    pub trailers: Option<Headers>,
    /// The bytes that a callback is about; `None` outside callbacks about the body.
    pub body: Option<Vec<u8>>,
    /// The plugin's configuration.
    pub configuration: Vec<u8>,
    /// Whether the upstream's last byte has arrived.
    pub upstream_ended: bool,
    /// The filter state for access logs.
    pub filter_state: Vec<u8>,
    /// The lines of the proxy's log.
    pub log: Vec<String>,
    /// Whether the stream was reset.
    pub reset: bool,
    /// Whether paused headers were released.
    pub resumed: bool,
    /// The functions called since [`Host::count_from_here`].
    pub calls: Vec<&'static str>,
    /// The calls that fail, by their index in [`Host::calls`].
    pub fault: Option<Fault>,
    /// The size in bytes beyond which memory does not grow.
    pub memory_limit: Option<usize>,
    /// The length of a body in bytes beyond which a write ends the stream during the call, as in Envoy's buffers.
    pub body_limit: Option<usize>,
    /// A stream that ends during the call that releases its headers.
    pub ends_when_resumed: Option<u32>,
    /// The context that calls refer to, if the module chose one.
    pub(crate) acting: u32,
    /// The calls that changed a stream after it had ended in one of these ways.
    pub calls_too_late: Vec<&'static str>,
    /// How often memory was not allowed to grow.
    pub refused_growths: usize,
    metrics: Vec<String>,
    sums: BTreeMap<String, i64>,
    clock: u64,
    pub(crate) memory: Option<Memory>,
    pub(crate) allocate: Option<TypedFunc<u32, u32>>,
    pub(crate) delete: Option<TypedFunc<u32, ()>>,
    /// The stream, until it ends.
    pub stream: Option<u32>,
}

/// The calls that change a stream. Other calls may come at any time.
const CHANGES: [&str; 4] = ["set_buffer_bytes", "replace_header_map_value", "remove_header_map_value", "close_stream"];

impl Host {
    /// Returns a host with this configuration.
    pub fn new(configuration: &str) -> Self {
        Host { configuration: configuration.as_bytes().to_vec(), ..Host::default() }
    }

    /// Restarts the numbering of calls for [`Fault`].
    pub fn count_from_here(&mut self) {
        self.calls.clear();
    }

    /// Returns the value of a counter or gauge.
    pub fn metric(&self, name: &str) -> i64 {
        self.sums.get(name).copied().unwrap_or_default()
    }

    /// Begins a request, and clears what is left of the last one.
    pub(crate) fn begin(&mut self, stream: u32, request: Headers) {
        self.stream = Some(stream);
        self.request = Some(request);
        (self.response, self.trailers, self.body) = (None, None, None);
        (self.reset, self.resumed, self.upstream_ended) = (false, false, false);
    }

    /// Connects the host calls with the module.
    pub(crate) fn connect(
        &mut self,
        memory: Option<Memory>,
        allocate: TypedFunc<u32, u32>,
        delete: TypedFunc<u32, ()>,
    ) {
        self.memory = memory;
        self.allocate = Some(allocate);
        self.delete = Some(delete);
    }

    /// Records a call. Returns its status if it fails.
    pub(crate) fn call(&mut self, name: &'static str) -> Result<(), u32> {
        let number = self.calls.len();
        self.calls.push(name);
        if self.stream.is_none() && CHANGES.contains(&name) {
            self.calls_too_late.push(name);
        }
        match self.fault.and_then(|fault| fault.strikes(number)) {
            Some(status) => Err(status),
            None => Ok(()),
        }
    }

    /// Returns a header map by its number in the ABI.
    pub(crate) fn map(&mut self, map: u32) -> Result<&mut Headers, u32> {
        let map = match map {
            0 => self.request.as_mut(),
            2 => self.response.as_mut(),
            3 => self.trailers.as_mut(),
            _ => None,
        };
        map.ok_or(BAD_ARGUMENT)
    }

    pub(crate) fn now(&mut self) -> u64 {
        self.clock += CLOCK_STEP_NS;
        self.clock
    }

    pub(crate) fn define(&mut self, name: String) -> u32 {
        self.metrics.push(name);
        u32::try_from(self.metrics.len() - 1).unwrap_or(u32::MAX)
    }

    pub(crate) fn add(&mut self, id: u32, offset: i64) -> Result<(), u32> {
        let name = self.metrics.get(id as usize).ok_or(1_u32)?;
        *self.sums.entry(name.clone()).or_default() += offset;
        Ok(())
    }
}

impl ResourceLimiter for Host {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let grows = self.memory_limit.is_none_or(|limit| desired <= limit);
        self.refused_growths += usize::from(!grows);
        Ok(grows)
    }

    fn table_growing(&mut self, _current: usize, _desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
