//! Takes each response body out of Envoy and puts it back, as `echo-bare` does, and besides makes every host call that
//! Nomos makes for a healed response, and nothing of what it does between them. So what it adds is the price of what
//! Nomos tells and asks: the response's headers to know whether it may be touched, the time, the filter state, two
//! histograms, and that a stream begins and ends. Counters are told now and then, and the request's headers are not read
//! where all requests have one route, as those of a benchmark do.

#![cfg(target_arch = "wasm32")]

use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

const RESPONSE_BODY: u32 = 1;
const RESPONSE_HEADERS: u32 = 2;
const CONTINUE: u32 = 0;
const HISTOGRAM: u32 = 2;

/// Larger than any chunk of the bodies that are timed.
const WINDOW_BYTES: usize = 64 << 10;

/// As long as what Nomos sets for a healed body.
const STATE: &[u8] =
    br#"{"verdict":"healed","route":"bench","ops":10,"dropped":0,"conflicts":0,"latency_us":2,"bytes":1024}"#;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn proxy_get_buffer_bytes(buffer: u32, start: usize, max: usize, data: *mut *mut u8, length: *mut usize) -> u32;
    fn proxy_set_buffer_bytes(buffer: u32, start: usize, drop: usize, data: *const u8, length: usize) -> u32;
    fn proxy_get_header_map_pairs(map: u32, data: *mut *mut u8, length: *mut usize) -> u32;
    fn proxy_remove_header_map_value(map: u32, name: *const u8, length: usize) -> u32;
    fn proxy_define_metric(kind: u32, name: *const u8, length: usize, id: *mut u32) -> u32;
    fn proxy_record_metric(id: u32, value: u64) -> u32;
    fn proxy_get_current_time_nanoseconds(time: *mut u64) -> u32;
    fn proxy_set_property(path: *const u8, path_length: usize, value: *const u8, value_length: usize) -> u32;
}

unsafe extern "C" {
    fn __wasm_call_ctors();
}

/// Where Envoy puts what it returns.
static WINDOW: Window = Window(UnsafeCell::new([0; WINDOW_BYTES]));

/// The histogram.
static METRIC: AtomicU32 = AtomicU32::new(0);

struct Window(UnsafeCell<[u8; WINDOW_BYTES]>);

// SAFETY: a proxy-wasm VM has one thread.
unsafe impl Sync for Window {}

/// Says which version of the ABI this is.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_abi_version_0_2_1() {}

/// The first call of all.
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    // SAFETY: called once, before anything else.
    unsafe { __wasm_call_ctors() }
}

/// The window, or null where it is too small.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_memory_allocate(size: usize) -> *mut u8 {
    if size > WINDOW_BYTES { ptr::null_mut() } else { WINDOW.0.get().cast() }
}

/// Any configuration will do.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_configure(_root: u32, _length: usize) -> u32 {
    const NAME: &[u8] = b"echo_calls";
    let mut id = 0;
    // SAFETY: the host reads the name, and writes one `u32`, during the call only.
    let status = unsafe { proxy_define_metric(HISTOGRAM, NAME.as_ptr(), NAME.len(), &raw mut id) };
    METRIC.store(id, Ordering::Relaxed);
    u32::from(status == 0)
}

/// A stream begins.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_context_create(_id: u32, _root: u32) {}

/// A stream is over.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_delete(_id: u32) {}

/// A request begins.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_request_headers(_id: u32, _count: u32, _ends: u32) -> u32 {
    CONTINUE
}

/// Asks for the headers, and drops content-length.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_headers(_id: u32, _count: u32, _ends: u32) -> u32 {
    const NAME: &[u8] = b"content-length";
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the host writes an address and a length, and the headers to where `proxy_on_memory_allocate` says.
    unsafe { proxy_get_header_map_pairs(RESPONSE_HEADERS, &raw mut data, &raw mut length) };
    // SAFETY: the host reads the name during the call only.
    unsafe { proxy_remove_header_map_value(RESPONSE_HEADERS, NAME.as_ptr(), NAME.len()) };
    CONTINUE
}

/// Takes a chunk out and puts it back, and tells about it.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_body(_id: u32, size: usize, _ends: u32) -> u32 {
    const NAME: &[u8] = b"nomos";
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the host writes an address and a length, and the bytes to where `proxy_on_memory_allocate` says; no
    // reference to the window exists. The other calls read the same bytes, or constants.
    unsafe {
        if size > 0 && proxy_get_buffer_bytes(RESPONSE_BODY, 0, size, &raw mut data, &raw mut length) == 0 {
            read_clock();
            read_clock();
            proxy_set_buffer_bytes(RESPONSE_BODY, 0, size, data, length);
            proxy_set_property(NAME.as_ptr(), NAME.len(), STATE.as_ptr(), STATE.len());
            proxy_record_metric(METRIC.load(Ordering::Relaxed), 1);
            proxy_record_metric(METRIC.load(Ordering::Relaxed), 1024);
        }
    }
    CONTINUE
}

fn read_clock() {
    let mut time = 0;
    // SAFETY: the host writes one `u64` during the call only.
    unsafe { proxy_get_current_time_nanoseconds(&raw mut time) };
}
