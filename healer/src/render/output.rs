/// A body being written, in memory that is reused.
///
/// The memory beyond `len` is initialised. So a short piece is written in whole vectors that may extend beyond its end.
/// This costs a fraction of copying the exact length, which in WebAssembly is a call into the host's code.
#[derive(Debug, Default)]
pub(crate) struct Output {
    memory: Vec<u8>,
    len: usize,
}

/// Bytes of a vector.
const LANE: usize = 16;
/// Bytes written at once of a piece up to this length: two vectors.
const PAIR: usize = 32;
/// Bytes written at once of longer pieces: four vectors.
const BLOCK: usize = 64;
/// Pieces up to this length are written in vectors.
const SHORT: usize = 8 * BLOCK;

impl Output {
    /// Forgets what was written, and frees the memory if it is more than `kept` bytes.
    pub(crate) fn clear(&mut self, kept: usize) {
        self.len = 0;
        if self.memory.capacity() > kept {
            self.memory = Vec::new();
        }
    }

    /// Makes room for `more` bytes, so that writing seldom has to. Memory that must grow at least doubles, because
    /// output that is written piece by piece makes room for each piece.
    #[inline(always)]
    pub(crate) fn reserve(&mut self, more: usize) {
        let least = self.len.saturating_add(more).saturating_add(SHORT);
        if least > self.memory.len() {
            self.resize(least.max(self.memory.len().saturating_mul(2)));
        }
    }

    /// Returns its size in memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.memory.capacity()
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        self.memory.get(..self.len).unwrap_or_default()
    }

    /// Appends the bytes `start..end` of `text`.
    #[inline(always)]
    pub(crate) fn put(&mut self, text: &[u8], (start, end): (u32, u32)) {
        let (start, len) = (start as usize, (end as usize).wrapping_sub(start as usize));
        if !(len <= LANE && self.put_at_once::<LANE>(text, start, len)) {
            self.put_longer(text, start, len);
        }
    }

    /// Starts to write pieces one after the other.
    #[inline(always)]
    pub(crate) fn pen(&mut self) -> Pen<'_> {
        Pen { len: self.len, output: self }
    }

    /// As [`Output::put`], where speed gains little: takes less code.
    #[inline(never)]
    pub(crate) fn put_plainly(&mut self, text: &[u8], span: (u32, u32)) {
        self.put(text, span);
    }

    pub(crate) fn put_byte(&mut self, byte: u8) {
        if self.len >= self.memory.len() {
            self.grow(1);
        }
        if let Some(place) = self.memory.get_mut(self.len) {
            *place = byte;
            self.len = self.len.wrapping_add(1);
        }
    }

    /// Writes `BYTES` bytes, of which `len` count. Returns `false` if there is no room, or there are not that many
    /// bytes to read.
    #[inline(always)]
    fn put_at_once<const BYTES: usize>(&mut self, text: &[u8], start: usize, len: usize) -> bool {
        let is_done = copy_at_once::<BYTES>(text, start, &mut self.memory, self.len);
        self.len = self.len.wrapping_add(if is_done { len } else { 0 });
        is_done
    }

    #[inline(never)]
    fn put_longer(&mut self, text: &[u8], start: usize, len: usize) {
        let done = if len <= PAIR {
            self.put_at_once::<PAIR>(text, start, len)
        } else if len <= BLOCK {
            self.put_at_once::<BLOCK>(text, start, len)
        } else {
            len <= SHORT && self.put_parts::<BLOCK>(text, start, len)
        };
        if !done {
            self.put_exactly(text.get(start..start.wrapping_add(len)).unwrap_or_default());
        }
    }

    /// As [`Output::put_at_once`], as often as necessary.
    #[inline(always)]
    fn put_parts<const BYTES: usize>(&mut self, text: &[u8], start: usize, len: usize) -> bool {
        let is_done = copy_parts::<BYTES>(text, start, len, &mut self.memory, self.len);
        self.len = self.len.wrapping_add(if is_done { len } else { 0 });
        is_done
    }

    fn put_exactly(&mut self, piece: &[u8]) {
        let end = self.len.saturating_add(piece.len());
        if end > self.memory.len() {
            self.grow(piece.len());
        }
        if let Some(place) = self.memory.get_mut(self.len..end) {
            place.copy_from_slice(piece);
            self.len = end;
        }
    }

    /// Puts a piece of any length after `at` bytes. Returns how many there are then.
    #[inline(never)]
    fn put_at(&mut self, at: usize, text: &[u8], start: usize, len: usize) -> usize {
        self.len = at;
        self.put_longer(text, start, len);
        self.len
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        self.reserve(more);
    }

    #[cold]
    #[inline(never)]
    fn resize(&mut self, len: usize) {
        self.memory.resize(len, 0);
    }
}

/// Writes many pieces to an [`Output`], and keeps in a register where the next one goes. Through memory, each piece would
/// wait for the one before.
pub(crate) struct Pen<'a> {
    output: &'a mut Output,
    len: usize,
}

impl Pen<'_> {
    /// As [`Output::put`], for pieces of which most are longer than one vector and few longer than two.
    #[inline(always)]
    pub(crate) fn put_pair(&mut self, text: &[u8], (start, end): (u32, u32)) {
        let (start, len) = (start as usize, (end as usize).wrapping_sub(start as usize));
        if len <= PAIR && copy_at_once::<PAIR>(text, start, &mut self.output.memory, self.len) {
            self.len = self.len.wrapping_add(len);
        } else {
            self.len = self.output.put_at(self.len, text, start, len);
        }
    }

    /// As [`Output::put`], for pieces of which many are longer than two vectors.
    #[inline(always)]
    pub(crate) fn put_run(&mut self, text: &[u8], (start, end): (u32, u32)) {
        let (start, len) = (start as usize, (end as usize).wrapping_sub(start as usize));
        let memory = &mut self.output.memory;
        if len <= PAIR && copy_at_once::<PAIR>(text, start, memory, self.len)
            || len <= SHORT && copy_parts::<PAIR>(text, start, len, memory, self.len)
        {
            self.len = self.len.wrapping_add(len);
        } else {
            self.len = self.output.put_at(self.len, text, start, len);
        }
    }
}

impl Drop for Pen<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.output.len = self.len;
    }
}

/// Copies so many bytes. Returns `false` if there is no room, or there are not that many bytes to read.
#[inline(always)]
fn copy_at_once<const BYTES: usize>(text: &[u8], start: usize, memory: &mut [u8], len: usize) -> bool {
    let from = text.get(start..).and_then(<[u8]>::first_chunk::<BYTES>);
    let to = memory.get_mut(len..).and_then(<[u8]>::first_chunk_mut::<BYTES>);
    let (Some(from), Some(to)) = (from, to) else { return false };
    *to = *from;
    true
}

/// As [`copy_at_once`], as often as necessary for `count` bytes.
#[inline(always)]
fn copy_parts<const BYTES: usize>(text: &[u8], start: usize, count: usize, memory: &mut [u8], len: usize) -> bool {
    let whole = count.next_multiple_of(BYTES);
    let from = text.get(start..).and_then(|text| text.get(..whole));
    let to = memory.get_mut(len..).and_then(|memory| memory.get_mut(..whole));
    let (Some(from), Some(to)) = (from, to) else { return false };
    for (to, from) in to.as_chunks_mut::<BYTES>().0.iter_mut().zip(from.as_chunks::<BYTES>().0) {
        *to = *from;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_length_come_out_exact() {
        let text: Vec<u8> = (0..=255).cycle().take(1400).collect();
        for room in [0, 10, 1000] {
            let (mut output, mut expected) = (Output::default(), Vec::new());
            output.reserve(room);
            for start in (0..text.len()).step_by(13) {
                for len in [0, 1, 15, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300, 511, 512, 513, 600] {
                    let end = (start + len).min(text.len());
                    output.put(&text, (start as u32, end as u32));
                    expected.extend_from_slice(&text[start..end]);
                    let mut pen = output.pen();
                    pen.put_run(&text, (start as u32, end as u32));
                    pen.put_pair(&text, (start as u32, end as u32));
                    drop(pen);
                    expected.extend_from_slice(&text[start..end]);
                    expected.extend_from_slice(&text[start..end]);
                    output.put_byte(b'x');
                    expected.push(b'x');
                }
            }
            assert_eq!(output.as_slice(), expected);
        }
    }

    #[test]
    fn what_is_not_there_is_not_put() {
        let mut output = Output::default();
        output.put(b"abc", (2, 9));
        output.put(b"abc", (2, 1));
        output.put(b"abc", (7, 8));
        assert_eq!(output.as_slice(), b"");
    }

    #[test]
    fn large_memory_is_given_back() {
        let mut output = Output::default();
        output.put(&[b'a'; 5000], (0, 5000));
        output.clear(1 << 20);
        assert!(output.as_slice().is_empty() && output.memory.capacity() >= 5000);
        output.clear(4096);
        assert_eq!(output.memory.capacity(), 0);
    }
}
