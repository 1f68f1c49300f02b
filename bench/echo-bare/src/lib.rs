//! Takes each response body out of Envoy and puts it back, with the fewest calls there can be: the floor under any
//! filter that rewrites bodies.
//!
//! Envoy enters the VM only for what a module exports. Here that is two callbacks, and one piece of memory. With a
//! configuration of any text, content-length stays, which only a filter can do that never changes a length.

#![cfg(target_arch = "wasm32")]

use std::cell::{Cell, UnsafeCell};
use std::ptr;

const RESPONSE_BODY: u32 = 1;
const RESPONSE_HEADERS: u32 = 2;
const CONTINUE: u32 = 0;

/// Larger than any chunk of the bodies that are timed.
const WINDOW_BYTES: usize = 64 << 10;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn proxy_get_buffer_bytes(buffer: u32, start: usize, max: usize, data: *mut *mut u8, length: *mut usize) -> u32;
    fn proxy_set_buffer_bytes(buffer: u32, start: usize, drop: usize, data: *const u8, length: usize) -> u32;
    fn proxy_remove_header_map_value(map: u32, name: *const u8, length: usize) -> u32;
}

unsafe extern "C" {
    fn __wasm_call_ctors();
}

thread_local! {
    static KEEPS_LENGTH: Cell<bool> = const { Cell::new(false) };
}

/// Where Envoy puts what it returns.
static WINDOW: Window = Window(UnsafeCell::new([0; WINDOW_BYTES]));

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

/// Any text keeps content-length.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_configure(_root: u32, length: usize) -> u32 {
    KEEPS_LENGTH.set(length > 0);
    1
}

/// Drops content-length.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_headers(_id: u32, _count: u32, _ends: u32) -> u32 {
    const NAME: &[u8] = b"content-length";
    if !KEEPS_LENGTH.get() {
        // SAFETY: the host reads the name during the call only.
        unsafe { proxy_remove_header_map_value(RESPONSE_HEADERS, NAME.as_ptr(), NAME.len()) };
    }
    CONTINUE
}

/// Takes a chunk out and puts it back.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_body(_id: u32, size: usize, _ends: u32) -> u32 {
    let (mut data, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the host writes an address and a length, and the bytes to where `proxy_on_memory_allocate` says; no
    // reference to the window exists. The second call reads the same bytes.
    unsafe {
        if size > 0 && proxy_get_buffer_bytes(RESPONSE_BODY, 0, size, &raw mut data, &raw mut length) == 0 {
            proxy_set_buffer_bytes(RESPONSE_BODY, 0, size, data, length);
        }
    }
    CONTINUE
}
