//! Host calls that fail.

/// The statuses of the ABI other than success, as proxy-wasm's C++ host numbers them, and two that no list has.
pub const STATUSES: [u32; 14] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 77, u32::MAX];

/// A run of calls that fail, counted over all functions of the ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The first call that fails.
    pub from: usize,
    /// How many do, one after the other.
    pub calls: usize,
    /// What they return.
    pub status: u32,
}

impl Fault {
    /// One call fails.
    pub fn once(from: usize, status: u32) -> Self {
        Fault { from, calls: 1, status }
    }

    /// Two calls in a row fail.
    pub fn twice(from: usize, status: u32) -> Self {
        Fault { from, calls: 2, status }
    }

    /// Every call from one on fails.
    pub fn forever(from: usize, status: u32) -> Self {
        Fault { from, calls: usize::MAX, status }
    }

    /// What the call of this number returns instead of what it is for.
    pub(crate) fn strikes(self, call: usize) -> Option<u32> {
        let behind = call.checked_sub(self.from)?;
        (behind < self.calls).then_some(self.status)
    }
}
