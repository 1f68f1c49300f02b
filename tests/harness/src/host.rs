//! What the host has and knows: headers, a body's bytes, metrics, a clock, and the faults that it was told to have.

use std::collections::BTreeMap;

use wasmtime::{Memory, ResourceLimiter, TypedFunc};

use crate::fault::Fault;

/// Names and values, in order.
pub type Headers = Vec<(Vec<u8>, Vec<u8>)>;

/// What Envoy answers to a call that does not fit the phase.
pub(crate) const BAD_ARGUMENT: u32 = 2;
/// What Envoy answers where the module gives no memory, or an address outside of it.
pub(crate) const INVALID_MEMORY_ACCESS: u32 = 6;

/// How far the clock goes on with each look at it. Fixed, so that what is told by digits costs the same each time.
const CLOCK_STEP_NS: u64 = 1000;

/// The host's side of one VM, about one stream at a time.
#[derive(Default)]
pub struct Host {
    /// `None` outside the request's headers.
    pub request: Option<Headers>,
    /// `None` once they were passed on.
    pub response: Option<Headers>,
    /// `None` outside of them.
    pub trailers: Option<Headers>,
    /// The bytes that a callback is about; `None` outside callbacks about the body.
    pub body: Option<Vec<u8>>,
    /// The plugin's configuration.
    pub configuration: Vec<u8>,
    /// Whether the upstream's last byte has come.
    pub upstream_ended: bool,
    /// What was set for access logs.
    pub filter_state: Vec<u8>,
    /// Lines of the proxy's log.
    pub log: Vec<String>,
    /// Whether the stream was reset.
    pub reset: bool,
    /// Whether paused headers were let go of.
    pub resumed: bool,
    /// The functions called, since [`Host::count_from_here`].
    pub calls: Vec<&'static str>,
    /// Calls that fail, by their number in [`Host::calls`].
    pub fault: Option<Fault>,
    /// Memory does not grow beyond this many bytes.
    pub memory_limit: Option<usize>,
    /// A body that a write makes longer than this ends its stream within the call, as one does in a buffer of Envoy's.
    pub body_limit: Option<usize>,
    /// The stream that is over as soon as its headers are let go of, within that call.
    pub ends_when_resumed: Option<u32>,
    /// The context that calls are about, where the module chose one.
    pub(crate) acting: u32,
    /// The calls that a stream saw after it had ended so.
    pub calls_too_late: Vec<&'static str>,
    /// How often memory was not allowed to grow.
    pub refused_growths: usize,
    metrics: Vec<String>,
    sums: BTreeMap<String, i64>,
    clock: u64,
    pub(crate) memory: Option<Memory>,
    pub(crate) allocate: Option<TypedFunc<u32, u32>>,
    pub(crate) delete: Option<TypedFunc<u32, ()>>,
    /// The stream, until it has ended.
    pub stream: Option<u32>,
}

/// Calls that change a stream. Those that count or tell may come at any time.
const CHANGES: [&str; 4] = ["set_buffer_bytes", "replace_header_map_value", "remove_header_map_value", "close_stream"];

impl Host {
    /// A host that hands over this configuration.
    pub fn new(configuration: &str) -> Self {
        Host { configuration: configuration.as_bytes().to_vec(), ..Host::default() }
    }

    /// Numbers calls from here on, for [`Fault`].
    pub fn count_from_here(&mut self) {
        self.calls.clear();
    }

    /// What a counter or gauge stands at.
    pub fn metric(&self, name: &str) -> i64 {
        self.sums.get(name).copied().unwrap_or_default()
    }

    /// A request comes; nothing is left of the one before.
    pub(crate) fn begin(&mut self, stream: u32, request: Headers) {
        self.stream = Some(stream);
        self.request = Some(request);
        (self.response, self.trailers, self.body) = (None, None, None);
        (self.reset, self.resumed, self.upstream_ended) = (false, false, false);
    }

    /// What host calls need of the module.
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

    /// Takes note of a call, which may be one that fails.
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

    /// A header map by its number in the ABI.
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
