//! Classification of blocks, once portable and once with 128-bit vectors.

use super::Block;

/// One bit per byte of a block, lowest bit first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockMasks {
    /// `"`
    pub quote: u64,
    /// `\`
    pub backslash: u64,
    /// `{` and `[`
    pub open: u64,
    /// `}` and `]`
    pub close: u64,
    /// `:` and `,`
    pub separator: u64,
    /// Space, tab, line feed, carriage return.
    pub white: u64,
    /// Bytes below 0x20.
    pub low: u64,
    /// Whether any byte is above 0x7f.
    pub non_ascii: bool,
}

/// A way to classify a block.
pub trait Masks {
    /// What bytes of pairs are compared with, for loops that keep it in registers.
    type Constants: Copy + std::fmt::Debug;

    /// Returns what bytes of pairs are compared with.
    fn constants() -> Self::Constants;

    /// The masks of one block.
    fn of(block: &Block) -> BlockMasks;

    /// Returns the digits, and the zeros among them.
    fn digits(block: &Block) -> (u64, u64);

    /// Returns the bytes that equal one of two.
    fn either(block: &Block, a: u8, b: u8) -> u64;

    /// Returns the bytes above 0x7f.
    fn non_ascii(block: &Block) -> u64;

    /// Returns the bytes that are special in a string: quotes, backslashes, those below 0x20 and above 0x7f.
    fn marks(lane: &Lane) -> u32;

    /// As [`Masks::marks`], of two lanes.
    fn marks_of_pair(pair: &Pair, constants: Self::Constants) -> u32;

    /// Returns the bytes that equal one of two.
    fn either_of_pair(pair: &Pair, a: u8, b: u8) -> u32;

    /// As [`Masks::marks_of_pair`], with the bytes that equal one of two.
    fn marks_or_either(pair: &Pair, constants: Self::Constants, a: u8, b: u8) -> u32;

    /// Returns the bytes that are equal in both.
    fn same(left: &Pair, right: &Pair) -> u32;

    /// Returns whether each byte is at least the lowest for its place, and above it by at most the span.
    fn are_within(lane: &Lane, lowest: &Lane, span: &Lane) -> bool;

    /// Returns the digits.
    fn digits_of_pair(pair: &Pair, constants: Self::Constants) -> u32;

    /// Returns what is needed to find the end of a string.
    fn string(pair: &Pair) -> StringMasks;

    /// Returns what is needed to check characters of more than one byte.
    fn characters(pair: &Pair) -> CharacterMasks;
}

/// A vector.
pub type Lane = [u8; 16];

/// Two vectors.
pub type Pair = [u8; 32];

/// One bit per byte of a pair that is in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringMasks {
    /// `"`
    pub quote: u32,
    /// `\`
    pub backslash: u32,
    /// Bytes below 0x20.
    pub low: u32,
    /// Bytes above 0x7f.
    pub high: u32,
}

/// One bit per byte of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterMasks {
    /// Bytes that continue a character: 0x80 to 0xbf.
    pub continuing: u32,
    /// Bytes that start a character of two bytes or more: 0xc2 and above.
    pub two: u32,
    /// Bytes that start a character of three bytes or more: 0xe0 and above.
    pub three: u32,
    /// Bytes that start a character of four bytes: 0xf0 and above.
    pub four: u32,
    /// Bytes whose next byte decides whether a character of three bytes is valid: 0xe0 and 0xed.
    pub narrow: u32,
}

/// The classifier that goes byte by byte: the oracle of the vector versions, and the fallback where there are none.
#[derive(Debug)]
pub struct Portable;

impl Masks for Portable {
    type Constants = ();

    fn constants() {}

    fn digits(block: &Block) -> (u64, u64) {
        (plainly(block, |b| b.is_ascii_digit()), plainly(block, |b| b == b'0'))
    }

    fn either(block: &Block, a: u8, b: u8) -> u64 {
        plainly(block, |byte| byte == a || byte == b)
    }

    fn non_ascii(block: &Block) -> u64 {
        plainly(block, |byte| !byte.is_ascii())
    }

    fn marks(lane: &Lane) -> u32 {
        plainly(lane, |byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..)) as u32
    }

    fn marks_of_pair(pair: &Pair, (): ()) -> u32 {
        plainly(pair, |byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..)) as u32
    }

    fn either_of_pair(pair: &Pair, a: u8, b: u8) -> u32 {
        plainly(pair, |byte| byte == a || byte == b) as u32
    }

    fn marks_or_either(pair: &Pair, (): (), a: u8, b: u8) -> u32 {
        Self::marks_of_pair(pair, ()) | Self::either_of_pair(pair, a, b)
    }

    fn are_within(lane: &Lane, lowest: &Lane, span: &Lane) -> bool {
        let mut places = lane.iter().zip(lowest).zip(span);
        places.all(|((byte, lowest), span)| byte.wrapping_sub(*lowest) <= *span)
    }

    fn same(left: &Pair, right: &Pair) -> u32 {
        let pairs = left.iter().zip(right).enumerate();
        pairs.fold(0, |bits, (i, (left, right))| bits | (u32::from(left == right) << i))
    }

    fn digits_of_pair(pair: &Pair, (): ()) -> u32 {
        plainly(pair, |byte| byte.is_ascii_digit()) as u32
    }

    fn string(pair: &Pair) -> StringMasks {
        StringMasks {
            quote: plainly(pair, |byte| byte == b'"') as u32,
            backslash: plainly(pair, |byte| byte == b'\\') as u32,
            low: plainly(pair, |byte| byte < 0x20) as u32,
            high: plainly(pair, |byte| !byte.is_ascii()) as u32,
        }
    }

    fn characters(pair: &Pair) -> CharacterMasks {
        CharacterMasks {
            continuing: plainly(pair, |byte| matches!(byte, 0x80..0xc0)) as u32,
            two: plainly(pair, |byte| byte >= 0xc2) as u32,
            three: plainly(pair, |byte| byte >= 0xe0) as u32,
            four: plainly(pair, |byte| byte >= 0xf0) as u32,
            narrow: plainly(pair, |byte| matches!(byte, 0xe0 | 0xed)) as u32,
        }
    }

    fn of(block: &Block) -> BlockMasks {
        let mask = |test: fn(u8) -> bool| plainly(block, test);
        BlockMasks {
            quote: mask(|b| b == b'"'),
            backslash: mask(|b| b == b'\\'),
            open: mask(|b| matches!(b, b'{' | b'[')),
            close: mask(|b| matches!(b, b'}' | b']')),
            separator: mask(|b| matches!(b, b':' | b',')),
            white: mask(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')),
            low: mask(|b| b < 0x20),
            non_ascii: !block.is_ascii(),
        }
    }
}

fn plainly(bytes: &[u8], test: impl Fn(u8) -> bool) -> u64 {
    bytes.iter().enumerate().fold(0u64, |bits, (i, byte)| bits | (u64::from(test(*byte)) << i))
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub use vector::Wide;

/// The fastest classifier of this target.
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub type Wide = Portable;

/// Returns which bytes are escaped by a backslash. Bit 0 of `carry` tells whether the first byte is.
///
/// A run of backslashes escapes every second byte from its start. Adding the run's first bit carries through the run
/// and tells its parity. From simdjson's `find_escaped_branchless`, as described in the paper, section 3.1.1.
#[inline(always)]
pub(crate) fn escaped(backslash: u64, carry: &mut u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    if backslash == 0 {
        return std::mem::take(carry);
    }
    let backslash = backslash & !*carry;
    let follows = (backslash << 1) | *carry;
    let odd_starts = backslash & !EVEN & !follows;
    let (even_runs, overflow) = odd_starts.overflowing_add(backslash);
    *carry = u64::from(overflow);
    (EVEN ^ (even_runs << 1)) & follows
}

/// Returns a mask in which bit `i` is the parity of bits 0 to `i`.
#[inline(always)]
pub(super) fn prefix_xor(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ (bits << 32)
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod vector {
    use super::{Block, BlockMasks, CharacterMasks, Lane, Masks, Pair, StringMasks};

    #[cfg(target_arch = "wasm32")]
    use core::arch::wasm32::{
        i8x16_eq, i8x16_lt, u8x16_bitmask as bitmask, u8x16_min, u8x16_splat, u8x16_sub, u8x16_sub_sat, v128 as Vector,
        v128_any_true, v128_load, v128_or, v128_xor,
    };
    #[cfg(target_arch = "x86_64")]
    use sse2::{
        Vector, any_true as v128_any_true, bitmask, eq as i8x16_eq, load as v128_load, lt as i8x16_lt,
        min as u8x16_min, or as v128_or, splat as u8x16_splat, sub as u8x16_sub, sub_sat as u8x16_sub_sat,
        xor as v128_xor,
    };

    /// The classifier with 128-bit vectors: WebAssembly SIMD128 in the module, SSE2 (part of every `x86_64`) natively.
    #[derive(Debug)]
    pub struct Wide;

    /// See [`Masks::constants`].
    #[derive(Clone, Copy, Debug)]
    pub struct Constants {
        marks: MarkConstants,
        digits: [Vector; 2],
    }

    #[derive(Clone, Copy, Debug)]
    struct MarkConstants {
        flip: Vector,
        below: Vector,
        backslash: Vector,
    }

    impl Masks for Wide {
        type Constants = Constants;

        #[inline(always)]
        fn constants() -> Constants {
            Constants { marks: MarkConstants::new(), digits: [u8x16_splat(0xb0), u8x16_splat(0x8a)] }
        }

        #[inline(always)]
        fn of(block: &Block) -> BlockMasks {
            let vectors = load(block);
            let eq = |byte: u8| vectors.map(|v| i8x16_eq(v, u8x16_splat(byte)));
            // 0x20 folds `[` onto `{` and `]` onto `}`, and nothing else onto either.
            let folded = vectors.map(|v| v128_or(v, u8x16_splat(0x20)));
            let folded_eq = |byte: u8| folded.map(|v| i8x16_eq(v, u8x16_splat(byte)));
            // Bytes below 0x20 are rare in compact JSON, so they are told apart only if there are any.
            let (low, blank) = if v128_any_true(at_most(lowest(vectors), 0x1f)) {
                let low_vectors = vectors.map(|v| at_most(v, 0x1f));
                let line = either(eq(b'\n'), either(eq(b'\r'), eq(b'\t')));
                (mask(low_vectors), mask(line))
            } else {
                (0, 0)
            };
            let (opening, closing) = (folded_eq(b'{'), folded_eq(b'}'));
            let (open, close) = if any(either(opening, closing)) { (mask(opening), mask(closing)) } else { (0, 0) };
            BlockMasks {
                quote: mask(eq(b'"')),
                backslash: mask_if_any(eq(b'\\')),
                open,
                close,
                separator: mask(either(eq(b':'), eq(b','))),
                // Whether a block has a space is random, so there is no branch for it.
                white: mask(eq(b' ')) | blank,
                low,
                non_ascii: high(vectors),
            }
        }

        #[inline(always)]
        fn digits(block: &Block) -> (u64, u64) {
            // The xor turns digits into values below ten, and no other byte.
            let values = load(block).map(|v| v128_xor(v, u8x16_splat(b'0')));
            (mask(values.map(|v| at_most(v, 9))), mask(values.map(|v| i8x16_eq(v, u8x16_splat(0)))))
        }

        #[inline(always)]
        fn either(block: &Block, a: u8, b: u8) -> u64 {
            let eq = |v: Vector, byte: u8| i8x16_eq(v, u8x16_splat(byte));
            mask(load(block).map(|v| v128_or(eq(v, a), eq(v, b))))
        }

        #[inline(always)]
        fn non_ascii(block: &Block) -> u64 {
            let vectors = load(block);
            if high(vectors) { mask(vectors) } else { 0 }
        }

        #[inline(always)]
        fn marks(lane: &Lane) -> u32 {
            u32::from(bitmask(MarkConstants::new().marked(load_lane(lane))))
        }

        #[inline(always)]
        fn marks_of_pair(pair: &Pair, constants: Constants) -> u32 {
            pair_mask(load(pair).map(|v| constants.marks.marked(v)))
        }

        #[inline(always)]
        fn either_of_pair(pair: &Pair, a: u8, b: u8) -> u32 {
            let eq = |v: Vector, byte: u8| i8x16_eq(v, u8x16_splat(byte));
            pair_mask(load(pair).map(|v| v128_or(eq(v, a), eq(v, b))))
        }

        #[inline(always)]
        fn marks_or_either(pair: &Pair, constants: Constants, a: u8, b: u8) -> u32 {
            let eq = |v: Vector, byte: u8| i8x16_eq(v, u8x16_splat(byte));
            pair_mask(load(pair).map(|v| v128_or(constants.marks.marked(v), v128_or(eq(v, a), eq(v, b)))))
        }

        #[inline(always)]
        fn are_within(lane: &Lane, lowest: &Lane, span: &Lane) -> bool {
            let above = u8x16_sub(load_lane(lane), load_lane(lowest));
            bitmask(i8x16_eq(u8x16_min(above, load_lane(span)), above)) == u16::MAX
        }

        #[inline(always)]
        fn same(left: &Pair, right: &Pair) -> u32 {
            let ([l0, l1], [r0, r1]) = (load(left), load(right));
            pair_mask([i8x16_eq(l0, r0), i8x16_eq(l1, r1)])
        }

        #[inline(always)]
        fn digits_of_pair(pair: &Pair, constants: Constants) -> u32 {
            // The subtraction makes digits the lowest signed numbers.
            let [zero, most] = constants.digits;
            pair_mask(load(pair).map(|v| i8x16_lt(u8x16_sub(v, zero), most)))
        }

        #[inline(always)]
        fn string(pair: &Pair) -> StringMasks {
            let vectors = load(pair);
            let eq = |byte: u8| pair_mask(vectors.map(|v| i8x16_eq(v, u8x16_splat(byte))));
            let high = pair_mask(vectors);
            // As signed numbers, bytes above 0x7f are below 0x20 too.
            let low = pair_mask(vectors.map(|v| i8x16_lt(v, u8x16_splat(0x20)))) & !high;
            StringMasks { quote: eq(b'"'), backslash: eq(b'\\'), low, high }
        }

        #[inline(always)]
        fn characters(pair: &Pair) -> CharacterMasks {
            let vectors = load(pair);
            // A byte that is still above 0x7f after the saturating subtraction was at least `byte`.
            let least = |byte: u8| pair_mask(vectors.map(|v| u8x16_sub_sat(v, u8x16_splat(byte.wrapping_sub(0x80)))));
            let eq = |v: Vector, byte: u8| i8x16_eq(v, u8x16_splat(byte));
            CharacterMasks {
                // These are the lowest signed numbers.
                continuing: pair_mask(vectors.map(|v| i8x16_lt(v, u8x16_splat(0xc0)))),
                two: least(0xc2),
                three: least(0xe0),
                four: least(0xf0),
                narrow: pair_mask(vectors.map(|v| v128_or(eq(v, 0xe0), eq(v, 0xed)))),
            }
        }
    }

    #[inline(always)]
    fn load_lane(lane: &Lane) -> Vector {
        // SAFETY: `lane` is 16 readable bytes, and both load instructions take any alignment.
        unsafe { v128_load(lane.as_ptr().cast()) }
    }

    #[inline(always)]
    fn pair_mask([low, high]: [Vector; 2]) -> u32 {
        u32::from(bitmask(low)) | u32::from(bitmask(high)) << 16
    }

    impl MarkConstants {
        #[inline(always)]
        fn new() -> Self {
            MarkConstants { flip: u8x16_splat(0x02), below: u8x16_splat(0x21), backslash: u8x16_splat(b'\\') }
        }

        /// See [`Masks::marks`].
        #[inline(always)]
        fn marked(self, v: Vector) -> Vector {
            // The flip maps the quote to 0x20, next to the bytes below 0x20, which stay below it. As signed numbers,
            // bytes above 0x7f are below it too. So there are few constants.
            v128_or(i8x16_lt(v128_xor(v, self.flip), self.below), i8x16_eq(v, self.backslash))
        }
    }

    #[inline(always)]
    fn load<const LANES: usize>(bytes: &[u8]) -> [Vector; LANES] {
        let (lanes, _) = bytes.as_chunks::<16>();
        let mut vectors = [u8x16_splat(0); LANES];
        for (vector, lane) in vectors.iter_mut().zip(lanes) {
            *vector = load_lane(lane);
        }
        vectors
    }

    #[inline(always)]
    fn either(left: [Vector; 4], right: [Vector; 4]) -> [Vector; 4] {
        let ([l0, l1, l2, l3], [r0, r1, r2, r3]) = (left, right);
        [v128_or(l0, r0), v128_or(l1, r1), v128_or(l2, r2), v128_or(l3, r3)]
    }

    /// Returns which bytes are not above `most`. There is no unsigned comparison on x86-64 before AVX-512.
    #[inline(always)]
    fn at_most(v: Vector, most: u8) -> Vector {
        i8x16_eq(u8x16_sub_sat(v, u8x16_splat(most)), u8x16_splat(0))
    }

    #[inline(always)]
    fn lowest([a, b, c, d]: [Vector; 4]) -> Vector {
        u8x16_min(u8x16_min(a, b), u8x16_min(c, d))
    }

    #[inline(always)]
    fn any([a, b, c, d]: [Vector; 4]) -> bool {
        v128_any_true(v128_or(v128_or(a, b), v128_or(c, d)))
    }

    /// Most blocks of compact JSON have none of the rarer bytes, and one test costs less than four bit masks.
    #[inline(always)]
    fn mask_if_any(vectors: [Vector; 4]) -> u64 {
        if any(vectors) { mask(vectors) } else { 0 }
    }

    #[inline(always)]
    fn high([a, b, c, d]: [Vector; 4]) -> bool {
        bitmask(v128_or(v128_or(a, b), v128_or(c, d))) != 0
    }

    #[inline(always)]
    fn mask([a, b, c, d]: [Vector; 4]) -> u64 {
        let bits = |v: Vector| u64::from(bitmask(v));
        bits(a) | (bits(b) << 16) | (bits(c) << 32) | (bits(d) << 48)
    }

    #[cfg(target_arch = "x86_64")]
    mod sse2 {
        use core::arch::x86_64::{
            __m128i, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
            _mm_set1_epi8, _mm_sub_epi8, _mm_subs_epu8, _mm_xor_si128,
        };

        pub type Vector = __m128i;

        /// # Safety
        /// `from` points to 16 readable bytes.
        #[inline(always)]
        pub unsafe fn load(from: *const Vector) -> Vector {
            // SAFETY: the caller's promise; the instruction takes any alignment.
            unsafe { _mm_loadu_si128(from) }
        }

        #[inline(always)]
        pub fn splat(byte: u8) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_set1_epi8(byte.cast_signed()) }
        }

        #[inline(always)]
        pub fn eq(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_cmpeq_epi8(a, b) }
        }

        #[inline(always)]
        pub fn lt(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_cmplt_epi8(a, b) }
        }

        #[inline(always)]
        pub fn min(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_min_epu8(a, b) }
        }

        #[inline(always)]
        pub fn or(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_or_si128(a, b) }
        }

        #[inline(always)]
        pub fn xor(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_xor_si128(a, b) }
        }

        #[inline(always)]
        pub fn sub(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_sub_epi8(a, b) }
        }

        #[inline(always)]
        pub fn sub_sat(a: Vector, b: Vector) -> Vector {
            // SAFETY: SSE2 is part of every x86_64 target.
            unsafe { _mm_subs_epu8(a, b) }
        }

        #[inline(always)]
        pub fn bitmask(v: Vector) -> u16 {
            // SAFETY: SSE2 is part of every x86_64 target. The upper half of the result is zero.
            unsafe { _mm_movemask_epi8(v).cast_unsigned() as u16 }
        }

        #[inline(always)]
        pub fn any_true(v: Vector) -> bool {
            // Comparisons give all ones or all zeros, so the top bits suffice.
            bitmask(v) != 0
        }
    }
}
