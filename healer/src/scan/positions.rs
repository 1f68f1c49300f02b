use super::block::BLOCK;

/// Positions in ascending order, in memory that is written before it is counted.
///
/// The memory beyond `len` is initialised, so the positions of a block are stored without asking for room one by one
/// and without `unsafe`.
#[derive(Debug, Default)]
pub(super) struct Positions {
    memory: Vec<u32>,
    len: usize,
    /// How many are final. The others are found again when more bytes arrive.
    settled: usize,
}

/// Capacity kept when most positions are discarded: those of 64 to 128 KiB of usual JSON.
const KEPT: usize = 32 << 10;

impl Positions {
    /// Appends `base` plus the index of every set bit. There are seldom more than `AT_ONCE`.
    #[inline(always)]
    pub(super) fn push_bits<const AT_ONCE: usize>(&mut self, mut bits: u64, base: u32) {
        if bits == 0 {
            return;
        }
        let end = self.len.wrapping_add(BLOCK);
        if end > self.memory.len() {
            self.grow(end);
        }
        let count = bits.count_ones() as usize;
        let room = self.memory.get_mut(self.len..end).unwrap_or_default();
        // Writes `AT_ONCE` at a time, needed or not: a loop that ends at each block's own count is mispredicted at each
        // block.
        for some in room.as_chunks_mut::<AT_ONCE>().0 {
            for slot in some {
                *slot = base.wrapping_add(bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
        }
        self.len = self.len.wrapping_add(count);
    }

    pub(super) fn as_slice(&self) -> &[u32] {
        self.memory.get(..self.len).unwrap_or_default()
    }

    /// Makes all positions final.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        self.settled = self.len;
    }

    /// Removes the positions that are not final.
    #[inline(always)]
    pub(super) fn unsettle(&mut self) {
        self.len = self.settled;
    }

    /// Removes the last position.
    pub(super) fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    /// Removes all positions and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.len, self.settled) = (0, 0);
    }

    /// Removes the positions from `bytes` on.
    pub(super) fn truncate_at(&mut self, bytes: u32) {
        self.len = self.as_slice().partition_point(|at| *at < bytes);
    }

    /// Removes the positions before `bytes`, and makes the others relative to it. Returns how many were removed.
    pub(super) fn discard(&mut self, bytes: u32) -> usize {
        let gone = self.as_slice().partition_point(|at| *at < bytes);
        self.memory.copy_within(gone..self.len, 0);
        self.len = self.len.wrapping_sub(gone);
        self.settled = self.settled.saturating_sub(gone);
        for at in self.memory.get_mut(..self.len).unwrap_or_default() {
            *at = at.wrapping_sub(bytes);
        }
        if self.memory.len() > KEPT && self.len < self.memory.len() / 8 {
            self.memory.truncate(self.len.saturating_mul(2).max(KEPT));
            self.memory.shrink_to_fit();
        }
        gone
    }

    /// Returns the size in memory, in bytes, whether in use or not.
    pub(super) fn bytes(&self) -> usize {
        self.memory.capacity().saturating_mul(size_of::<u32>())
    }

    #[cold]
    fn grow(&mut self, least: usize) {
        self.memory.resize(least.max(self.memory.len().saturating_mul(2)), 0);
    }
}
