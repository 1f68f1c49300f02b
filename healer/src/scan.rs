//! From bytes to a tape of token positions, 64 bytes at a time.
//!
//! The technique is stage 1 of simdjson (Langdale & Lemire, VLDB Journal 28, 2019): per block, bit masks of quotes,
//! backslashes and structural characters; escapes by carry arithmetic; string interiors by a prefix xor of the quotes.
//! WebAssembly has no carry-less multiplication, so the prefix xor is six shifts.
//!
//! A token is one of `{ } [ ] : ,` outside strings, a string's opening quote, or the first byte of a run of other bytes
//! outside strings that are not white space. So garbage between tokens is a token too, which the walk refuses. And a
//! string's closing quote is the last byte before the next token that is not white space.
//!
//! A scalar of digits only, the first of them not zero, is a whole number. All other scalars are marked. So the walk
//! need not look at scalars, and whoever checks them looks at few.
//!
//! Costs about 0.1 ns per byte plus about 1 ns per token in WebAssembly.

mod block;
mod masks;
mod positions;

use crate::reason::Reason;
pub use block::{BLOCK, Block};
use masks::prefix_xor;
pub(crate) use masks::{Lane, Masks, Pair, escaped};
#[doc(hidden)]
pub use masks::{Portable, Wide};
use positions::Positions;

/// What [`Wide`] compares the bytes of pairs with.
pub(crate) type Constants = <Wide as Masks>::Constants;

/// The state of a scan after the bytes it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Only white space so far.
    Blank,
    /// The value is open.
    Open,
    /// The value closed. The offset is the one after its last byte.
    Closed(usize),
    /// No continuation makes this a body that can be healed: the reason, and the offset.
    Dead(Reason, usize),
}

impl Status {
    /// Returns the status with offsets in a body that lacks its first `bytes`.
    fn without(self, bytes: usize) -> Self {
        match self {
            Status::Closed(end) => Status::Closed(end.saturating_sub(bytes)),
            Status::Dead(reason, at) => Status::Dead(reason, at.saturating_sub(bytes)),
            open => open,
        }
    }
}

/// The tape of one body, which grows as bytes arrive.
///
/// Only whole blocks are final. The remaining bytes are scanned as a block padded with spaces, so that the closing byte
/// is seen in the chunk that brings it. They are scanned again when more bytes arrive.
#[derive(Debug)]
pub struct Scanner {
    max_depth: u32,
    settled: Carry,
    /// Bytes in final blocks.
    scanned: usize,
    tokens: Positions,
    escapes: Positions,
    scalars: Positions,
    status: Status,
    /// Whether a byte above 0x7f was seen, so that UTF-8 must be checked.
    non_ascii: bool,
    in_string: bool,
    depth: u32,
}

/// What one block hands to the next.
#[derive(Clone, Copy, Debug)]
struct Carry {
    /// Bit 0: the next byte is escaped.
    escaped: u64,
    /// All ones inside a string.
    in_string: u64,
    /// Bit 0: the last byte belongs to a scalar.
    scalar: u64,
    /// Bit 0: the last byte ends a scalar that so far is digits only, the first of them not zero.
    whole: u64,
    depth: u32,
    status: Status,
}

impl Carry {
    const START: Carry = Carry { escaped: 0, in_string: 0, scalar: 0, whole: 0, depth: 0, status: Status::Blank };
}

impl Scanner {
    /// Creates a scanner that gives up when more than `max_depth` containers are open.
    pub fn new(max_depth: u32) -> Self {
        Scanner {
            max_depth,
            settled: Carry::START,
            scanned: 0,
            tokens: Positions::default(),
            escapes: Positions::default(),
            scalars: Positions::default(),
            status: Status::Blank,
            non_ascii: false,
            in_string: false,
            depth: 0,
        }
    }

    /// Forgets the body and keeps the memory.
    pub fn reset(&mut self, max_depth: u32) {
        let Scanner {
            max_depth: deepest,
            settled,
            scanned,
            tokens,
            escapes,
            scalars,
            status,
            non_ascii,
            in_string,
            depth,
        } = self;
        for positions in [tokens, escapes, scalars] {
            positions.clear();
        }
        (*settled, *scanned, *status) = (Carry::START, 0, Status::Blank);
        (*non_ascii, *in_string) = (false, false);
        (*deepest, *depth) = (max_depth, 0);
    }

    /// Scans what `body` has beyond the bytes of the last call. `body`: everything received so far.
    pub fn advance(&mut self, body: &[u8]) -> Status {
        self.advance_with::<Wide>(body)
    }

    /// As [`Scanner::advance`] with a chosen classifier, for tests of one against another.
    fn advance_with<C: Masks>(&mut self, body: &[u8]) -> Status {
        self.positions().into_iter().for_each(Positions::unsettle);
        let rest = body.get(self.scanned..).unwrap_or_default();
        let (blocks, tail) = rest.as_chunks::<BLOCK>();
        let mut carry = self.settled;
        for block in blocks {
            self.block::<C>(block, BLOCK, &mut carry);
            self.scanned = self.scanned.wrapping_add(BLOCK);
            if let Status::Dead(..) = carry.status {
                break;
            }
        }
        self.settled = carry;
        self.positions().into_iter().for_each(Positions::settle);
        if !tail.is_empty() && !matches!(carry.status, Status::Dead(..)) {
            self.block::<C>(&block::padded(tail), tail.len(), &mut carry);
        }
        self.in_string = carry.in_string != 0;
        self.depth = carry.depth;
        self.status = carry.status;
        carry.status
    }

    /// Forgets the first `bytes` of the body, or as many of them as are in final blocks. The next [`Scanner::advance`]
    /// takes a body without them. Returns how many bytes and how many tokens were forgotten. Costs time in proportion
    /// to the tape that is left.
    pub(crate) fn discard(&mut self, bytes: usize) -> (usize, usize) {
        let bytes = bytes.min(self.scanned);
        let [tokens, ..] = self.positions().map(|positions| positions.discard(bytes as u32));
        self.scanned = self.scanned.wrapping_sub(bytes);
        self.settled.status = self.settled.status.without(bytes);
        self.status = self.status.without(bytes);
        (bytes, tokens)
    }

    /// Continues from an offset at which `depth` containers are open and neither a string nor a scalar is under way.
    /// Forgets what was before.
    pub(crate) fn resume(&mut self, at: usize, depth: u32) {
        self.reset(self.max_depth);
        self.settled = Carry { depth, status: Status::Open, ..Carry::START };
        (self.scanned, self.depth, self.status) = (at, depth, Status::Open);
    }

    /// Passes over elements of an array around which `depth` containers are open: from the brace that opens the first
    /// to the offset after the one that closes the last. On the tape they are one object without members. `goes_on`:
    /// they continue the object that is last on the tape, which then ends at `end`.
    pub(crate) fn pass(&mut self, open: usize, end: usize, depth: u32, goes_on: bool) {
        let from = if goes_on { self.scanned } else { open };
        self.positions().into_iter().for_each(|positions| positions.truncate_at(from as u32));
        if goes_on {
            self.tokens.pop();
        } else {
            self.tokens.push_bits::<1>(1, open as u32);
        }
        self.tokens.push_bits::<1>(1, end.wrapping_sub(1) as u32);
        self.positions().into_iter().for_each(Positions::settle);
        self.settled = Carry { depth, status: Status::Open, ..Carry::START };
        (self.scanned, self.depth, self.status, self.in_string) = (end, depth, Status::Open, false);
    }

    /// Returns whether a byte scanned since the last call is not ASCII.
    pub(crate) fn take_non_ascii(&mut self) -> bool {
        std::mem::take(&mut self.non_ascii)
    }

    /// Returns the number of containers open after the bytes so far, unless the scan is dead.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the token positions in ascending order. There is none inside a string.
    pub fn tokens(&self) -> &[u32] {
        self.tokens.as_slice()
    }

    /// Returns the positions of the characters that a backslash escapes, ascending.
    pub fn escapes(&self) -> &[u32] {
        self.escapes.as_slice()
    }

    /// Returns one position in each scalar that is not plainly a whole number, ascending: that of its first byte that
    /// is not a digit, or of a zero at its start.
    pub fn scalars(&self) -> &[u32] {
        self.scalars.as_slice()
    }

    /// Returns whether any byte is not ASCII.
    pub(crate) fn non_ascii(&self) -> bool {
        self.non_ascii
    }

    /// Returns the state of the scan.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Returns whether the bytes so far end inside a string.
    pub(crate) fn in_string(&self) -> bool {
        self.in_string
    }

    /// Returns the size of the tape in memory, in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.tokens.bytes().saturating_add(self.escapes.bytes()).saturating_add(self.scalars.bytes())
    }

    #[inline(always)]
    fn positions(&mut self) -> [&mut Positions; 3] {
        [&mut self.tokens, &mut self.escapes, &mut self.scalars]
    }

    #[inline(always)]
    fn block<C: Masks>(&mut self, bytes: &Block, len: usize, carry: &mut Carry) {
        let base = self.scanned;
        let masks = C::of(bytes);
        let escaped = escaped(masks.backslash, &mut carry.escaped);
        let quotes = masks.quote & !escaped;
        let in_string = prefix_xor(quotes) ^ carry.in_string;
        carry.in_string = 0u64.wrapping_sub(in_string >> 63);
        let outside = !in_string;
        let structural = (masks.open | masks.close | masks.separator) & outside;
        let scalar = outside & !(masks.open | masks.close | masks.separator | masks.white | quotes);
        let starts = scalar & !((scalar << 1) | carry.scalar);
        carry.scalar = scalar >> 63;
        let (unsure, whole) = if scalar == 0 { (0, 0) } else { marks::<C>(bytes, scalar, starts, carry.whole) };
        carry.whole = whole;
        self.non_ascii |= masks.non_ascii;
        self.nest(masks.open & outside, masks.close & outside, starts | quotes, base, carry);
        let forbidden = masks.low & (in_string | !masks.white);
        if forbidden != 0 {
            condemn(carry, base.wrapping_add(forbidden.trailing_zeros() as usize));
        }
        self.escapes.push_bits::<4>(escaped & within(len), base as u32);
        self.scalars.push_bits::<4>(unsure & within(len), base as u32);
        self.tokens.push_bits::<8>(structural | (quotes & in_string) | starts, base as u32);
    }

    /// Follows the depth through one block. `scalars`: where values without brackets begin.
    #[inline(always)]
    fn nest(&mut self, open: u64, close: u64, scalars: u64, base: usize, carry: &mut Carry) {
        // Most blocks of compact JSON have no bracket.
        if open | close == 0 && carry.status == Status::Open {
            return;
        }
        let (opened, closed) = (open.count_ones(), close.count_ones());
        let stays_open = carry.depth > closed && carry.depth.wrapping_add(opened) <= self.max_depth;
        if stays_open && carry.status == Status::Open {
            carry.depth = carry.depth.wrapping_add(opened).wrapping_sub(closed);
        } else {
            self.nest_bit_by_bit(open, close, scalars, base, carry);
        }
    }

    /// Handles the first block, the last, and those in which the depth limit may be crossed.
    #[inline(never)]
    fn nest_bit_by_bit(&self, open: u64, close: u64, scalars: u64, base: usize, carry: &mut Carry) {
        let brackets = open | close;
        // Once a value is open, scalars do not affect the depth.
        let mut bits = if carry.status == Status::Blank { brackets | scalars } else { brackets };
        while bits != 0 {
            let bit = bits & bits.wrapping_neg();
            let at = base.wrapping_add(bits.trailing_zeros() as usize);
            bits ^= bit;
            carry.status = match carry.status {
                Status::Blank if open & bit == 0 => Status::Dead(Reason::Scalar, at),
                Status::Blank | Status::Open if open & bit != 0 => {
                    bits &= brackets;
                    carry.depth = carry.depth.wrapping_add(1);
                    if carry.depth > self.max_depth { Status::Dead(Reason::TooDeep, at) } else { Status::Open }
                }
                Status::Open if close & bit != 0 => {
                    carry.depth = carry.depth.wrapping_sub(1);
                    if carry.depth == 0 { Status::Closed(at.wrapping_add(1)) } else { Status::Open }
                }
                settled => settled,
            };
        }
    }
}

/// Returns a mask of marks in scalars that are not plainly whole numbers, and in bit 0 whether the last byte ends a
/// scalar that so far is plainly whole. `starts`: where scalars start. `whole`: bit 0 tells the same of the byte before
/// the block.
///
/// Adding the start of a run of digits carries through the run, up to the byte after it.
#[inline(always)]
fn marks<C: Masks>(bytes: &Block, scalar: u64, starts: u64, whole: u64) -> (u64, u64) {
    let (digit, zero) = C::digits(bytes);
    let whole_starts = starts & digit & !zero;
    let (carried, overflow) = (digit & scalar).overflowing_add(whole_starts | whole);
    let follows = carried & !digit;
    ((follows & scalar) | (starts & !whole_starts), u64::from(overflow))
}

/// Gives the body up because of a byte that JSON does not allow there, unless an earlier byte is a reason already.
fn condemn(carry: &mut Carry, at: usize) {
    if !matches!(carry.status, Status::Dead(_, known) if known <= at) {
        carry.status = Status::Dead(Reason::Malformed, at);
    }
}

/// Returns the low `len` bits.
#[inline(always)]
fn within(len: usize) -> u64 {
    if len >= BLOCK { u64::MAX } else { (1u64 << len).wrapping_sub(1) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bytes of which many are structural.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![
            4 => proptest::sample::select(b"{}[]:,\"\\ \t\n\r".to_vec()),
            2 => proptest::sample::select(b"0123456789.".to_vec()),
            1 => any::<u8>(),
            1 => Just(b'a'),
        ];
        proptest::collection::vec(byte, 0..300)
    }

    proptest! {
        #[test]
        fn vectors_classify_as_the_plain_code_does(bytes in proptest::array::uniform32(any::<[u8; 2]>())) {
            let mut block = [0; BLOCK];
            block.iter_mut().zip(bytes.as_flattened()).for_each(|(to, from)| *to = *from);
            prop_assert_eq!(Wide::of(&block), Portable::of(&block));
            prop_assert_eq!(Wide::digits(&block), Portable::digits(&block));
            prop_assert_eq!(Wide::either(&block, b':', b'{'), Portable::either(&block, b':', b'{'));
            prop_assert_eq!(Wide::non_ascii(&block), Portable::non_ascii(&block));
            let lane = block.first_chunk().expect("a lane");
            prop_assert_eq!(Wide::marks(lane), Portable::marks(lane));
            let [pair, other] = [block.first_chunk().unwrap(), block.last_chunk().unwrap()];
            prop_assert_eq!(Wide::string(pair), Portable::string(pair));
            prop_assert_eq!(Wide::characters(pair), Portable::characters(pair));
            let constants = Wide::constants();
            prop_assert_eq!(Wide::marks_of_pair(pair, constants), Portable::marks_of_pair(pair, ()));
            prop_assert_eq!(Wide::digits_of_pair(pair, constants), Portable::digits_of_pair(pair, ()));
            prop_assert_eq!(Wide::either_of_pair(pair, b':', b'{'), Portable::either_of_pair(pair, b':', b'{'));
            prop_assert_eq!(Wide::same(pair, other), Portable::same(pair, other));
            let (either, plainly) = (Wide::marks_or_either(pair, constants, b':', b'@'), Portable::marks_or_either(pair, (), b':', b'@'));
            prop_assert_eq!(either, plainly);
            // Random bytes are seldom all near enough, so one lane is built of bytes that are.
            let [lowest, span] = [pair.last_chunk().unwrap(), other.first_chunk().unwrap()];
            let [mut near, mut all] = [*lowest, *lane];
            near.iter_mut().zip(span).zip(lane).for_each(|((to, span), by)| *to = to.wrapping_add(by & span));
            all[0] = near[0];
            for lane in [near, *lane, all] {
                prop_assert_eq!(Wide::are_within(&lane, lowest, span), Portable::are_within(&lane, lowest, span));
            }
            prop_assert!(Wide::are_within(&near, lowest, span));
            near[3] = lowest[3].wrapping_sub(1);
            prop_assert_eq!(Wide::are_within(&near, lowest, span), span[3] == u8::MAX);
            prop_assert_eq!(Wide::either(&block, b':', b'{'), Portable::either(&block, b':', b'{'));
        }

        #[test]
        fn a_tape_is_the_same_with_and_without_vectors_and_in_any_chunks(bytes in bytes(), cut in 1usize..70) {
            let (mut wide, mut portable, mut chunked) = (Scanner::new(64), Scanner::new(64), Scanner::new(64));
            let status = wide.advance(&bytes);
            prop_assert_eq!(portable.advance_with::<Portable>(&bytes), status);
            prop_assert_eq!(wide.tokens(), portable.tokens());
            prop_assert_eq!(wide.escapes(), portable.escapes());
            prop_assert_eq!(wide.scalars(), portable.scalars());
            for end in (0..bytes.len()).step_by(cut).chain([bytes.len()]) {
                chunked.advance(&bytes[..end]);
            }
            if !matches!(status, Status::Dead(..)) {
                prop_assert_eq!(chunked.status(), status);
                prop_assert_eq!(chunked.tokens(), wide.tokens());
                prop_assert_eq!(chunked.escapes(), wide.escapes());
                prop_assert_eq!(chunked.scalars(), wide.scalars());
            }
        }
    }
}
