//! A chunk of a body, read from the host slice by slice.

use crate::host::{Clock, Host, Status};

/// Bytes read from the host at once. Larger chunks, which may have as many bytes as a connection may buffer, are read in
/// slices, so that what is done to one finds it in the processor's cache.
const SLICE: usize = 64 << 10;

/// A chunk that is read slice by slice.
pub struct Slices {
    /// Where the next begins.
    pub start: usize,
    size: usize,
    /// When the first was there.
    began: Option<u64>,
}

impl Slices {
    /// From an offset of the chunk on.
    pub fn of(start: usize, size: usize) -> Self {
        Slices { start, size, began: None }
    }

    /// Whether there is a next one.
    pub fn is_left(&self) -> bool {
        self.start < self.size
    }

    /// Appends the next one.
    pub fn read<H: Host>(&mut self, host: &mut H, to: &mut Vec<u8>) -> Result<(), Status> {
        let length = self.size.saturating_sub(self.start).min(SLICE);
        let read = host.read_body(self.start, length, to)?;
        self.began.get_or_insert_with(|| host.clock().now_ns());
        if read == 0 {
            // Less than the callback said. What was not read must not be taken from the host.
            return Err(Status::SHORT);
        }
        self.start = self.start.saturating_add(read);
        Ok(())
    }

    /// When that was; now, if there was none.
    pub fn began<H: Host>(&self, host: &H) -> u64 {
        self.began.unwrap_or_else(|| host.clock().now_ns())
    }
}
