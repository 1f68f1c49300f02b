//! The memory into which the host writes what a call returns.
//!
//! For each such call the host first asks for memory by calling `proxy_on_memory_allocate`, and the memory is then
//! the module's. One window serves all of them: [`HostData::read`] borrows the proxy for as long as the data is
//! looked at, so there is no next call until then. It does without an allocation per call, and without leaks. Bodies are
//! written to where they are kept instead, by [`append`].

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::slice;

use super::Proxy;
use crate::host::Status;

/// Windows up to this size are kept. What is larger, a long header map or configuration, is freed when next the host
/// asks for memory.
const KEPT: usize = 64 << 10;

/// Where the host is to write next instead of the window, and how much.
static PLACE: Place = Place(Cell::new((ptr::null_mut(), 0)));

struct Place(Cell<(*mut u8, usize)>);

// SAFETY: as of [`Window`].
unsafe impl Sync for Place {}

/// The window. Only [`allocate`] changes it, and it runs only while a host call does.
static WINDOW: Window = Window(UnsafeCell::new(Vec::new()));

struct Window(UnsafeCell<Vec<u8>>);

// SAFETY: a proxy-wasm VM has one thread, and this code is built for such only (`cfg(target_arch = "wasm32")`, without
// the atomics feature that threads need).
unsafe impl Sync for Window {}

/// Where the host has put something.
#[derive(Debug)]
pub(super) struct HostData {
    pub(super) start: *mut u8,
    pub(super) length: usize,
}

impl HostData {
    /// Nothing. Hosts leave it at that where there is nothing to return.
    pub(super) fn none() -> Self {
        HostData { start: ptr::null_mut(), length: 0 }
    }

    /// The data. Must be read right after the call that returned it. What is not in the window is taken as nothing.
    pub(super) fn read(self, _proxy: &mut Proxy) -> &[u8] {
        let window = WINDOW.0.get();
        // SAFETY: one thread; the reference ends with this block, and nothing in it calls the host.
        let (start, length) = unsafe { ((*window).as_ptr(), (*window).len()) };
        if self.length == 0 || !ptr::eq(self.start, start) || self.length > length {
            return &[];
        }
        // SAFETY: `start` and `length` are those of the window, whose bytes are initialised. It is neither moved nor
        // written until the host asks for memory, which takes a call through the proxy, and that is borrowed.
        unsafe { slice::from_raw_parts(start, self.length) }
    }
}

/// Has `ask` make a call that returns at most `length` bytes, and appends these to `to`. How many.
pub(super) fn append(
    proxy: &mut Proxy,
    to: &mut Vec<u8>,
    length: usize,
    ask: impl FnOnce() -> Result<HostData, Status>,
) -> Result<usize, Status> {
    to.try_reserve(length).map_err(|_| Status::NO_MEMORY)?;
    let place = to.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    PLACE.0.set((place, length));
    let answer = ask();
    PLACE.0.set((ptr::null_mut(), 0));
    let data = answer?;
    if !ptr::eq(data.start, place) {
        let bytes = data.read(proxy);
        to.extend_from_slice(bytes);
        return Ok(bytes.len());
    }
    let read = data.length.min(length);
    // SAFETY: so much was reserved. The host asked for this place, so that it wrote what it says; what it did not write
    // is memory of a WebAssembly module, which always has a value.
    unsafe { to.set_len(to.len().wrapping_add(read)) };
    Ok(read)
}

/// Memory for what a call returns: the place for it if there is one that is large enough; if not the window, made large
/// enough, or null where there is no memory. What was in the window is lost.
pub(super) fn allocate(size: usize) -> *mut u8 {
    let (place, room) = PLACE.0.replace((ptr::null_mut(), 0));
    if !place.is_null() && size <= room {
        return place;
    }
    let window = WINDOW.0.get();
    // SAFETY: one thread, in a host call: [`HostData::read`] is not running, and no data of an earlier call is
    // borrowed any more, because the proxy is borrowed for the running one.
    let window = unsafe { &mut *window };
    if size > window.len() || window.len() > KEPT {
        *window = Vec::new();
        // Few sizes, so that the window seldom grows.
        let size = if size <= KEPT { size.next_power_of_two() } else { size };
        if window.try_reserve_exact(size).is_err() {
            return ptr::null_mut();
        }
        window.resize(size, 0);
    }
    window.as_mut_ptr()
}
