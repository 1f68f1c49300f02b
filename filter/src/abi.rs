//! The proxy-wasm ABI, version 0.2.1: the callbacks that the host calls, and the host functions.
//!
//! The SDK is not used, because there every host call panics on an unexpected status, headers must be UTF-8, all
//! callbacks are exported whether needed or not, and each piece of host data is a new allocation. All unsafe code of
//! this crate is in this module.

mod exports;
mod imports;
mod reserve;
#[cfg(feature = "trap")]
mod trap;
mod window;

use crate::host::{Clock, Host, Level, Map, Metric, Status};

/// The ABI's numbers for the buffers `HttpResponseBody` and `PluginConfiguration`.
const RESPONSE_BODY: u32 = 1;
const PLUGIN_CONFIGURATION: u32 = 7;

/// The ABI's number for the stream `HttpResponse`.
const RESPONSE: u32 = 1;

/// The path of Envoy's attribute for the time between the first byte sent to the upstream and the last byte received
/// from it. The attribute does not exist before that last byte has arrived. It therefore reveals an end of the body
/// that no body callback reports, because trailers follow.
const BACKEND_LATENCY: &[u8] = b"response\0backend_latency";

/// The path of `filter_metadata.nomos.mode` in the metadata of the chosen route, by Envoy's attribute.
const ROUTE_MODE: &[u8] = b"xds\0route_metadata\0filter_metadata\0nomos\0mode";

/// Envoy as the host.
#[derive(Debug)]
pub(crate) struct Proxy;

/// Envoy's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProxyClock;

impl Clock for ProxyClock {
    fn now_ns(&self) -> u64 {
        imports::now_ns().unwrap_or(0)
    }
}

impl Host for Proxy {
    type Clock = ProxyClock;

    fn clock(&self) -> ProxyClock {
        ProxyClock
    }

    fn log(&mut self, level: Level, text: &str) {
        // A failure to log cannot be reported anywhere.
        let _ = imports::log(level as u32, text.as_bytes());
    }

    fn configuration(&mut self, length: usize) -> Result<&[u8], Status> {
        imports::buffer(PLUGIN_CONFIGURATION, 0, length).map(|data| data.read(self))
    }

    fn headers(&mut self, map: Map) -> Result<&[u8], Status> {
        imports::header_pairs(map as u32).map(|data| data.read(self))
    }

    fn set_header(&mut self, name: &[u8], value: &[u8]) -> Result<(), Status> {
        alive()?;
        imports::replace_header(Map::ResponseHeaders as u32, name, value)
    }

    fn remove_header(&mut self, map: Map, name: &[u8]) -> Result<(), Status> {
        alive()?;
        imports::remove_header(map as u32, name)
    }

    fn read_body(&mut self, start: usize, length: usize, to: &mut Vec<u8>) -> Result<usize, Status> {
        window::append(self, to, length, || imports::buffer(RESPONSE_BODY, start, length))
    }

    fn replace_body(&mut self, length: usize, bytes: &[u8]) -> Result<(), Status> {
        set_body(0, length, bytes)
    }

    fn append_body(&mut self, bytes: &[u8]) -> Result<(), Status> {
        set_body(usize::MAX, 0, bytes)
    }

    fn set_filter_state(&mut self, value: &[u8]) -> Result<(), Status> {
        imports::set_property(b"nomos", value)
    }

    fn route_mode(&mut self) -> Result<&[u8], Status> {
        imports::property(ROUTE_MODE).map(|data| data.read(self))
    }

    fn upstream_has_ended(&mut self) -> bool {
        imports::property(BACKEND_LATENCY).is_ok()
    }

    fn reset_response(&mut self) -> Result<(), Status> {
        alive()?;
        imports::close_stream(RESPONSE)
    }

    fn define_metric(&mut self, kind: Metric, name: &str) -> Result<u32, Status> {
        imports::define_metric(kind as u32, name.as_bytes())
    }

    fn add_metric(&mut self, id: u32, offset: i64) -> Result<(), Status> {
        imports::increment_metric(id, offset)
    }

    fn record_metric(&mut self, id: u32, value: u64) -> Result<(), Status> {
        imports::record_metric(id, value)
    }

    fn set_tick_period(&mut self, milliseconds: u32) -> Result<(), Status> {
        imports::set_tick_period(milliseconds)
    }

    fn act_for(&mut self, context: u32) -> Result<(), Status> {
        imports::set_effective_context(context)?;
        exports::act_for(context);
        Ok(())
    }

    fn keep_memory(&mut self, bytes: usize) -> bool {
        reserve::keep(bytes)
    }

    fn resume_response(&mut self) -> Result<(), Status> {
        imports::continue_stream(RESPONSE)
    }
}

#[inline(never)]
fn set_body(start: usize, length: usize, bytes: &[u8]) -> Result<(), Status> {
    alive()?;
    imports::set_buffer(RESPONSE_BODY, start, length, bytes)?;
    alive()
}

/// Fails if the stream has ended during this callback because its body outgrew Envoy's buffer. Envoy has freed the
/// stream's data, which must not be touched any more.
#[inline(never)]
fn alive() -> Result<(), Status> {
    if exports::has_ended() { Err(Status::ENDED) } else { Ok(()) }
}
