//! A chunk of a body, read from the host slice by slice.

use crate::host::{Clock, Host, Status};

/// How many bytes are read from the host at once. A chunk may be as large as a connection's buffer. Larger chunks are
/// read in slices, so that the engine finds each slice in the processor's cache.
const SLICE: usize = 64 << 10;

/// A chunk that is read slice by slice.
pub struct Slices {
    /// The offset of the next slice.
    pub start: usize,
    size: usize,
    /// When the first slice had been read.
    began: Option<u64>,
}

impl Slices {
    /// Returns the slices of a chunk from an offset on.
    pub fn of(start: usize, size: usize) -> Self {
        Slices { start, size, began: None }
    }

    /// Returns the size of the chunk.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns whether there is a next slice.
    pub fn is_left(&self) -> bool {
        self.start < self.size
    }

    /// Appends the next slice to `to`.
    pub fn read<H: Host>(&mut self, host: &mut H, to: &mut Vec<u8>) -> Result<(), Status> {
        let length = self.size.saturating_sub(self.start).min(SLICE);
        let read = host.read_body(self.start, length, to)?;
        self.began.get_or_insert_with(|| host.clock().now_ns());
        if read == 0 {
            // The host has less than the callback said. Bytes that were not read must not be removed from its buffer.
            return Err(Status::SHORT);
        }
        self.start = self.start.saturating_add(read);
        Ok(())
    }

    /// Forgets what was read, after it was removed from the host's buffer.
    pub fn forget_read(&mut self) {
        self.size = self.size.saturating_sub(self.start);
        self.start = 0;
    }

    /// Returns when the first slice had been read, or the present time if there was none.
    pub fn began<H: Host>(&self, host: &H) -> u64 {
        self.began.unwrap_or_else(|| host.clock().now_ns())
    }
}
