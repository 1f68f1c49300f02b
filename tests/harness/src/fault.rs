//! Host calls that fail.

/// The statuses of the ABI other than success, as proxy-wasm's C++ host numbers them, and two that no specification
/// lists.
pub const STATUSES: [u32; 14] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 77, u32::MAX];

/// A run of failing calls. Calls are counted over all functions of the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first call that fails.
    pub from: usize,
    /// How many calls fail in a row.
    pub calls: usize,
    /// The status that they return.
    pub status: u32,
}

impl Fault {
    /// Returns a fault of one call.
    pub fn once(from: usize, status: u32) -> Self {
        Fault { from, calls: 1, status }
    }

    /// Returns a fault of two calls in a row.
    pub fn twice(from: usize, status: u32) -> Self {
        Fault { from, calls: 2, status }
    }

    /// Returns a fault of all calls from one on.
    pub fn forever(from: usize, status: u32) -> Self {
        Fault { from, calls: usize::MAX, status }
    }

    /// Returns the status if the call with this number fails.
    pub(crate) fn strikes(self, call: usize) -> Option<u32> {
        let behind = call.checked_sub(self.from)?;
        (behind < self.calls).then_some(self.status)
    }
}
