//! What all streams of a VM share, and how much memory they may take.

use std::ops::RangeInclusive;

use healer::{Healer, Limits};

use crate::host::Host;
use crate::metrics::Metrics;
use crate::notices::Notices;

/// The memory in bytes that the bodies under way in one VM may take together. V8 limits a VM to 1 GiB, and an
/// allocation that fails traps it. A quarter of that leaves room for growing lists (each is copied into one of twice
/// its size), for the healed form of the largest body, for fragmentation, and for plans and remembered shapes.
pub const MAX_BODIES_BYTES: usize = 256 << 20;

/// The memory in bytes that remembered shapes may take in one VM, counted without what lists and the allocator keep
/// free: an eighth of what a VM may have, and up to a quarter with these. 13,000 shapes of records of 60 fields fit.
pub const MAX_SHAPES_BYTES: usize = 128 << 20;

/// The memory reserve as a multiple of `max_held_bytes`. Healing a body takes the body, its tokens, its output and
/// lists of edits; for usual bodies these come to less than ten times the body. A body is accepted as long as a quarter
/// of the reserve is there.
const RESERVED_TIMES: usize = 40;
/// The minimum and maximum of the reserve in bytes. A configuration is read before its limits are known, so the minimum
/// is what the default ones take. The maximum is an eighth of what a VM may have.
const RESERVED_BYTES: RangeInclusive<usize> = (40 << 20)..=(128 << 20);

/// The scratch space and connections of a VM, which all its streams share.
#[derive(Debug)]
pub struct Tools<H> {
    /// The proxy.
    pub host: H,
    /// The engine with its scratch memory.
    pub healer: Healer,
    /// The ids of metrics.
    pub metrics: Metrics,
    /// The log lines about drift.
    pub notices: Notices,
    /// A buffer for building texts.
    pub text: Vec<u8>,
    /// The memory in bytes that the bodies under way take.
    pub bodies: usize,
    /// The size of the memory reserve in bytes.
    pub reserved: usize,
}

impl<H: Host> Tools<H> {
    /// Reserves memory for bodies within these limits. Returns whether the host grants it.
    pub fn reserve(&mut self, limits: Limits) -> bool {
        let wanted = limits.max_held_bytes.saturating_mul(RESERVED_TIMES);
        self.reserved = self.reserved.max(wanted.clamp(*RESERVED_BYTES.start(), *RESERVED_BYTES.end()));
        self.host.keep_memory(self.reserved)
    }

    /// Restores the memory reserve at the beginning of a callback about a body. If the reserve is gone, frees scratch
    /// memory to have it back. Returns whether it is there.
    pub fn recover(&mut self) -> bool {
        self.host.keep_memory(self.reserved) || self.start_afresh()
    }

    /// Returns whether this many more bytes of a body are too many for the VM, or whether the memory reserve has been
    /// used.
    pub fn lack_memory(&mut self, size: usize) -> bool {
        self.bodies.saturating_add(size) > MAX_BODIES_BYTES || !self.host.keep_memory(self.reserved)
    }

    #[cold]
    #[inline(never)]
    fn start_afresh(&mut self) -> bool {
        self.healer = Healer::new();
        self.host.keep_memory(self.reserved)
    }
}
