//! Memory that is kept back for when the host grants no more of it.
//!
//! Rust's collections abort where there is no memory, which ends the VM and every stream in it. So a piece is taken
//! while there is plenty, and let go of when an allocation fails: that one and those after it, until the callback is
//! over, are served from there. The filter then sees that the reserve is gone, and takes no more of any body before it
//! has it back. Nothing is ever written to it, so it costs the host addresses and no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

/// Of the reserve, and of nothing else that matters: the allocator's own.
const ALIGNMENT: usize = 16;

/// A reserve that cannot be had is tried with so many parts of it less.
const STEPS: usize = 16;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving { start: Cell::new(ptr::null_mut()), size: Cell::new(0) };

/// The standard library's allocator, with a reserve.
struct Reserving {
    /// Null where there is none.
    start: Cell<*mut u8>,
    size: Cell<usize>,
}

// SAFETY: a proxy-wasm VM has one thread; see [`super::window`].
unsafe impl Sync for Reserving {}

/// Makes sure of a reserve of this size, or of a quarter of it at the least: what was allocated from a reserve and lives on
/// leaves less of it in one piece. `false` where the host does not grant that.
pub(super) fn keep(size: usize) -> bool {
    let less = |step: usize| size.saturating_sub((size / STEPS).saturating_mul(step));
    ALLOCATOR.size.get() >= size / 4 || (0..=STEPS / 4 * 3).map(less).any(|size| ALLOCATOR.fill(size))
}

impl Reserving {
    #[cold]
    #[inline(never)]
    fn fill(&self, size: usize) -> bool {
        let Ok(layout) = Layout::from_size_align(size, ALIGNMENT) else { return false };
        // What is asked for here must not be taken from the reserve.
        self.release();
        // SAFETY: `size` is a part of what is to be kept, so it is not zero.
        let start = unsafe { System.alloc(layout) };
        if !start.is_null() {
            self.start.set(start);
            self.size.set(size);
        }
        !start.is_null()
    }

    /// Lets go of the reserve. Whether there was one.
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

    /// Allocates, if need be from what was the reserve.
    fn get(&self, allocate: impl Fn() -> *mut u8) -> *mut u8 {
        let start = allocate();
        if start.is_null() && self.release() { allocate() } else { start }
    }
}

// SAFETY: all is what the standard library's allocator does, asked twice at most; one that returned null did nothing.
unsafe impl GlobalAlloc for Reserving {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the callee asks for, as in all that follow.
        self.get(|| unsafe { System.alloc(layout) })
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: see above; where it returned null, what was at `start` is still there.
        self.get(|| unsafe { System.realloc(start, layout, size) })
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: see above.
        unsafe { System.dealloc(start, layout) }
    }
}
