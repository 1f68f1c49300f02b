/// Bytes classified at once: one bit each in a 64-bit mask.
pub const BLOCK: usize = 64;

/// One block of a body.
pub type Block = [u8; BLOCK];

/// Pads the last bytes to a block with spaces, which mean nothing outside strings. Inside a string, the body is cut off
/// anyway.
pub(super) fn padded(tail: &[u8]) -> Block {
    let mut block = [b' '; BLOCK];
    for (to, from) in block.iter_mut().zip(tail) {
        *to = *from;
    }
    block
}
