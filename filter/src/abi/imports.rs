//! Host functions, each behind a safe wrapper that returns the host's status.
//!
//! Statuses are plain numbers: hosts return values that no specification lists, and an enum with such a value would be
//! undefined behaviour.
//!
//! Functions called for each response are never inlined, so that a profile can tell one host call from another.

use crate::host::Status;

use super::window::HostData;

mod raw {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        pub(super) safe fn proxy_set_tick_period_milliseconds(period: u32) -> u32;
        pub(super) safe fn proxy_set_effective_context(context: u32) -> u32;
        pub(super) safe fn proxy_continue_stream(stream: u32) -> u32;
        pub(super) safe fn proxy_close_stream(stream: u32) -> u32;
        pub(super) safe fn proxy_increment_metric(id: u32, offset: i64) -> u32;
        pub(super) safe fn proxy_record_metric(id: u32, value: u64) -> u32;
        pub(super) fn proxy_log(level: u32, text: *const u8, length: usize) -> u32;
        pub(super) fn proxy_get_current_time_nanoseconds(time: *mut u64) -> u32;
        pub(super) fn proxy_define_metric(kind: u32, name: *const u8, length: usize, id: *mut u32) -> u32;
        pub(super) fn proxy_get_buffer_bytes(
            buffer: u32,
            start: usize,
            length: usize,
            data: *mut *mut u8,
            data_length: *mut usize,
        ) -> u32;
        pub(super) fn proxy_set_buffer_bytes(
            buffer: u32,
            start: usize,
            length: usize,
            data: *const u8,
            data_length: usize,
        ) -> u32;
        pub(super) fn proxy_get_header_map_pairs(map: u32, data: *mut *mut u8, length: *mut usize) -> u32;
        pub(super) fn proxy_replace_header_map_value(
            map: u32,
            name: *const u8,
            name_length: usize,
            value: *const u8,
            value_length: usize,
        ) -> u32;
        pub(super) fn proxy_remove_header_map_value(map: u32, name: *const u8, length: usize) -> u32;
        pub(super) fn proxy_get_property(
            path: *const u8,
            path_length: usize,
            data: *mut *mut u8,
            length: *mut usize,
        ) -> u32;
        pub(super) fn proxy_set_property(
            path: *const u8,
            path_length: usize,
            value: *const u8,
            value_length: usize,
        ) -> u32;
    }
}

pub(super) fn log(level: u32, text: &[u8]) -> Result<(), Status> {
    // SAFETY: the host reads `text` during the call only.
    done(unsafe { raw::proxy_log(level, text.as_ptr(), text.len()) })
}

#[inline(never)]
pub(super) fn now_ns() -> Result<u64, Status> {
    let mut time = 0;
    // SAFETY: the host writes one `u64` during the call only.
    done(unsafe { raw::proxy_get_current_time_nanoseconds(&raw mut time) })?;
    Ok(time)
}

#[inline(never)]
pub(super) fn buffer(buffer: u32, start: usize, length: usize) -> Result<HostData, Status> {
    let mut data = HostData::none();
    // SAFETY: the host writes an address and a length during the call only.
    done(unsafe { raw::proxy_get_buffer_bytes(buffer, start, length, &raw mut data.start, &raw mut data.length) })?;
    Ok(data)
}

/// Changes a buffer. With `start` 0, Envoy drops `length` bytes and prepends `bytes`; with `start` beyond the end, it
/// appends them. It cannot replace bytes in the middle.
#[inline(never)]
pub(super) fn set_buffer(buffer: u32, start: usize, length: usize, bytes: &[u8]) -> Result<(), Status> {
    // SAFETY: the host reads `bytes` during the call only.
    done(unsafe { raw::proxy_set_buffer_bytes(buffer, start, length, bytes.as_ptr(), bytes.len()) })
}

#[inline(never)]
pub(super) fn header_pairs(map: u32) -> Result<HostData, Status> {
    let mut data = HostData::none();
    // SAFETY: the host writes an address and a length during the call only.
    done(unsafe { raw::proxy_get_header_map_pairs(map, &raw mut data.start, &raw mut data.length) })?;
    Ok(data)
}

#[inline(never)]
pub(super) fn replace_header(map: u32, name: &[u8], value: &[u8]) -> Result<(), Status> {
    // SAFETY: the host reads `name` and `value` during the call only.
    done(unsafe { raw::proxy_replace_header_map_value(map, name.as_ptr(), name.len(), value.as_ptr(), value.len()) })
}

#[inline(never)]
pub(super) fn remove_header(map: u32, name: &[u8]) -> Result<(), Status> {
    // SAFETY: the host reads `name` during the call only.
    done(unsafe { raw::proxy_remove_header_map_value(map, name.as_ptr(), name.len()) })
}

#[inline(never)]
pub(super) fn property(path: &[u8]) -> Result<HostData, Status> {
    let mut data = HostData::none();
    // SAFETY: the host reads `path`, and writes an address and a length, during the call only.
    done(unsafe { raw::proxy_get_property(path.as_ptr(), path.len(), &raw mut data.start, &raw mut data.length) })?;
    Ok(data)
}

#[inline(never)]
pub(super) fn set_property(path: &[u8], value: &[u8]) -> Result<(), Status> {
    // SAFETY: the host reads `path` and `value` during the call only.
    done(unsafe { raw::proxy_set_property(path.as_ptr(), path.len(), value.as_ptr(), value.len()) })
}

pub(super) fn define_metric(kind: u32, name: &[u8]) -> Result<u32, Status> {
    let mut id = 0;
    // SAFETY: the host reads `name`, and writes one `u32`, during the call only.
    done(unsafe { raw::proxy_define_metric(kind, name.as_ptr(), name.len(), &raw mut id) })?;
    Ok(id)
}

#[inline(never)]
pub(super) fn increment_metric(id: u32, offset: i64) -> Result<(), Status> {
    done(raw::proxy_increment_metric(id, offset))
}

#[inline(never)]
pub(super) fn record_metric(id: u32, value: u64) -> Result<(), Status> {
    done(raw::proxy_record_metric(id, value))
}

pub(super) fn set_tick_period(milliseconds: u32) -> Result<(), Status> {
    done(raw::proxy_set_tick_period_milliseconds(milliseconds))
}

pub(super) fn set_effective_context(context: u32) -> Result<(), Status> {
    done(raw::proxy_set_effective_context(context))
}

pub(super) fn continue_stream(stream: u32) -> Result<(), Status> {
    done(raw::proxy_continue_stream(stream))
}

pub(super) fn close_stream(stream: u32) -> Result<(), Status> {
    done(raw::proxy_close_stream(stream))
}

fn done(status: u32) -> Result<(), Status> {
    if status == 0 { Ok(()) } else { Err(Status(status)) }
}
