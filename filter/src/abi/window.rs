//! The memory into which the host writes what a call returns.
//!
//! During each such call the host first asks for memory through `proxy_on_memory_allocate`; the module then owns that
//! memory. One window serves all calls: [`HostData::read`] borrows the proxy for as long as the data is in use, so no
//! other call can overwrite it. Only the clock can be read meanwhile: that call returns a number, for which the host asks
//! for no memory. This needs no allocation per call and cannot leak. Bodies do not go through the window: [`append`] has
//! the host write them where they are kept.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::slice;

use super::Proxy;
use crate::host::Status;

/// Windows up to this size in bytes are kept. A larger one, from a long header map or configuration, is freed when the
/// host next asks for memory.
const KEPT: usize = 64 << 10;

/// The place and the size that the host is to write to next, instead of the window.
static PLACE: Place = Place(Cell::new((ptr::null_mut(), 0)));

struct Place(Cell<(*mut u8, usize)>);

// SAFETY: as for [`Window`].
unsafe impl Sync for Place {}

/// The window. Only [`allocate`] changes it, and only during a host call.
static WINDOW: Window = Window(UnsafeCell::new(Vec::new()));

struct Window(UnsafeCell<Vec<u8>>);

// SAFETY: a proxy-wasm VM has one thread, and this code is only built for such VMs (`cfg(target_arch = "wasm32")`,
// without the atomics feature that threads need).
unsafe impl Sync for Window {}

/// The place where the host has written its result.
#[derive(Debug)]
pub(super) struct HostData {
    pub(super) start: *mut u8,
    pub(super) length: usize,
}

impl HostData {
    /// No data. Hosts leave it unchanged if they return nothing.
    pub(super) fn none() -> Self {
        HostData { start: ptr::null_mut(), length: 0 }
    }

    /// Returns the data. Must be called right after the call that returned it. Data outside the window counts as empty.
    pub(super) fn read(self, _proxy: &mut Proxy) -> &[u8] {
        let window = WINDOW.0.get();
        // SAFETY: there is one thread; the reference ends with this block, and nothing in it calls the host.
        let (start, length) = unsafe { ((*window).as_ptr(), (*window).len()) };
        if self.length == 0 || !ptr::eq(self.start, start) || self.length > length {
            return &[];
        }
        // SAFETY: `start` and `length` are those of the window, whose bytes are initialised. The window is neither
        // moved nor written before the host asks for memory, which takes a call through the proxy, and the proxy is
        // borrowed.
        unsafe { slice::from_raw_parts(start, self.length) }
    }
}

/// Runs `ask`, which makes a call that returns at most `length` bytes, and appends these bytes to `to`. Returns their
/// number.
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
    // SAFETY: `length` bytes were reserved, and `read` is no more. The host took this place, so it wrote as many bytes as
    // it says. Should it have written fewer, the others have a value too: memory of a WebAssembly module always has one,
    // and what the host was handed the address of, the compiler must take for written.
    unsafe { to.set_len(to.len().wrapping_add(read)) };
    Ok(read)
}

/// Returns memory for the result of a host call: the place set by [`append`] if it is large enough, otherwise the
/// window, grown if necessary. Returns null if there is no memory. The previous content of the window is lost.
pub(super) fn allocate(size: usize) -> *mut u8 {
    let (place, room) = PLACE.0.replace((ptr::null_mut(), 0));
    if !place.is_null() && size <= room {
        return place;
    }
    let window = WINDOW.0.get();
    // SAFETY: there is one thread, in a host call. [`HostData::read`] is not running, and no data of an earlier call is
    // borrowed, because the running call borrows the proxy.
    let window = unsafe { &mut *window };
    if size > window.len() || window.len() > KEPT {
        *window = Vec::new();
        // Few different sizes, so that the window seldom grows.
        let size = if size <= KEPT { size.next_power_of_two() } else { size };
        if window.try_reserve_exact(size).is_err() {
            return ptr::null_mut();
        }
        window.resize(size, 0);
    }
    window.as_mut_ptr()
}
