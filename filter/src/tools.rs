//! What all streams of a VM share, and how much memory they may take.

use std::ops::RangeInclusive;

use healer::{Healer, Limits};

use crate::host::Host;
use crate::metrics::Metrics;
use crate::notices::Notices;

/// Memory that the bodies under way in one VM may take together. A VM ends at 1 GiB (V8), and an allocation that fails
/// traps it. A quarter of that leaves room for growing (a list is copied into one of twice its size), for the form that
/// the largest body is healed to, for what the allocator cannot use, and for plans and remembered shapes.
pub const MAX_BODIES_BYTES: usize = 256 << 20;

/// Memory that is kept back for when the host grants no more: so many times `max_held_bytes`. Healing a body takes the
/// body, its tokens, its form to come and lists of what to do; those of usual ones come to less than ten times the body, and
/// a body is taken as long as a quarter of this is there.
const RESERVED_TIMES: usize = 40;
/// What is kept back in any case, and at most: an eighth of what a VM may have.
const RESERVED_BYTES: RangeInclusive<usize> = (4 << 20)..=(128 << 20);

/// Scratch space and connections of a VM, which all its streams share.
#[derive(Debug)]
pub struct Tools<H> {
    /// The proxy.
    pub host: H,
    /// The engine with its scratch memory.
    pub healer: Healer,
    /// The ids of metrics.
    pub metrics: Metrics,
    /// Lines about drift.
    pub notices: Notices,
    /// For texts that are built.
    pub text: Vec<u8>,
    /// Bytes of memory that the bodies under way take.
    pub bodies: usize,
    /// Bytes of memory that are kept back.
    pub reserved: usize,
}

impl<H: Host> Tools<H> {
    /// Keeps memory back for bodies within these limits. Whether the host grants that.
    pub fn reserve(&mut self, limits: Limits) -> bool {
        let wanted = limits.max_held_bytes.saturating_mul(RESERVED_TIMES);
        self.reserved = self.reserved.max(wanted.clamp(*RESERVED_BYTES.start(), *RESERVED_BYTES.end()));
        self.host.keep_memory(self.reserved)
    }

    /// A callback about a body begins: where what is kept back is gone, lets go of scratch memory to have it again.
    pub fn recover(&mut self) {
        if !self.host.keep_memory(self.reserved) {
            self.start_afresh();
        }
    }

    /// Whether this many more bytes of a body are too many for the VM, or what is kept back for it was needed.
    pub fn lack_memory(&mut self, size: usize) -> bool {
        self.bodies.saturating_add(size) > MAX_BODIES_BYTES || !self.host.keep_memory(self.reserved)
    }

    #[cold]
    #[inline(never)]
    fn start_afresh(&mut self) {
        self.healer = Healer::new();
    }
}
