//! A reserve of memory for the time when the host grants no more.
//!
//! Rust's collections abort when an allocation fails, which ends the VM and every stream in it. So the allocator takes
//! one block while memory is plentiful, and frees it when an allocation fails. That allocation and the following ones
//! of the same callback are then served from the freed block. The filter sees that the reserve is gone, and takes no
//! more of any body until the reserve is back. Nothing is ever written to the block, so it costs the host addresses but
//! no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// The alignment of the reserve, equal to that of the allocator's own blocks.
const ALIGNMENT: usize = 16;

/// The number of parts of a reserve. If the reserve cannot be allocated, [`keep`] tries again with one part less.
const STEPS: usize = 16;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving { start: Cell::new(ptr::null_mut()), size: Cell::new(0) };

/// The standard library's allocator, with a reserve.
struct Reserving {
    /// The start of the reserve, or null if there is none.
    start: Cell<*mut u8>,
    size: Cell<usize>,
}

// SAFETY: a proxy-wasm VM has one thread; see [`super::window`].
unsafe impl Sync for Reserving {}

/// Ensures a reserve of `size` bytes, or of at least a quarter of that: blocks that were allocated from an earlier
/// reserve and are still in use may leave less in one piece. Returns `false` if the host does not grant that much.
pub(super) fn keep(size: usize) -> bool {
    let less = |step: usize| size.saturating_sub((size / STEPS).saturating_mul(step));
    ALLOCATOR.size.get() >= size / 4 || (0..=STEPS / 4 * 3).map(less).any(|size| ALLOCATOR.fill(size))
}

impl Reserving {
    #[cold]
    #[inline(never)]
    fn fill(&self, size: usize) -> bool {
        let Ok(layout) = Layout::from_size_align(size, ALIGNMENT) else { return false };
        // The new block must not come out of the old reserve.
        self.release();
        // SAFETY: `size` is at least a quarter of the reserve to keep, so it is not zero.
        let start = unsafe { System.alloc(layout) };
        if !start.is_null() {
            self.start.set(start);
            self.size.set(size);
        }
        !start.is_null()
    }

    /// Frees the reserve. Returns whether there was one.
    #[cold]
    #[inline(never)]
    fn release(&self) -> bool {
        let (start, size) = (self.start.replace(ptr::null_mut()), self.size.replace(0));
        if let Ok(layout) = Layout::from_size_align(size, ALIGNMENT)
            && !start.is_null()
        {
            // SAFETY: allocated in `fill` with this layout, and forgotten above.
            unsafe { System.dealloc(start, layout) };
        }
        !start.is_null()
    }

    /// Allocates; if that fails, frees the reserve and tries once more.
    fn get(&self, allocate: impl Fn() -> *mut u8) -> *mut u8 {
        let start = allocate();
        if start.is_null() && self.release() { allocate() } else { start }
    }
}

// SAFETY: every method calls the standard library's allocator at most twice, and a call that returned null had no
// effect.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the callee requires; the same holds below.
        self.get(|| unsafe { System.alloc(layout) })
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; if the first call returned null, the block at `start` is still valid.
        self.get(|| unsafe { System.realloc(start, layout, size) })
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) }
    }
}
