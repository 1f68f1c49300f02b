/// Bounds on what one body may cost. Crossing one is an ordinary verdict: the body leaves as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes held: of a body that is healed as a whole, or of one record of a longer body, which is healed as it
    /// streams. A longer record leaves as it came.
    pub max_held_bytes: usize,
    /// Most containers open at once ([`crate::Reason::TooDeep`]). Every `{` and `[` counts.
    pub max_depth: u32,
    /// Most members of one object ([`crate::Reason::TooManyKeys`]), unless the body streams and the object is around its
    /// records.
    pub max_keys: u32,
    /// Most tokens of one body ([`crate::Reason::TooManyTokens`]), unless it streams: brackets, commas, colons, strings
    /// and scalars. Of a body of unknown length, most tokens of the part that may be held.
    pub max_tokens: usize,
}

impl Limits {
    /// One MiB. Envoy's default for a buffered body, so a body that other filters can hold can be held here too.
    pub const DEFAULT_HELD_BYTES: usize = 1 << 20;
    /// Twice what `serde_json` allows (128) and deeper than any API response seen. Takes at most 16 KiB of stack.
    pub const DEFAULT_DEPTH: u32 = 256;
    /// More members than an object has whose names anybody reads. What is kept of them takes some 8 MB.
    pub const DEFAULT_KEYS: u32 = 1 << 16;
    /// The cost of scanning and walking is proportional to the tokens, of which a member takes four (`ns/key` in
    /// docs/benchmarks.md). This many stay below the 200 ms after which Envoy's watchdog counts a worker as stuck, and
    /// take 16 MB of tape. A body of the default length cannot have more than a quarter of them.
    pub const DEFAULT_TOKENS: usize = 1 << 22;
    /// Positions on the tape are 32 bits wide. With a quarter of that range the sum of any two fits.
    pub const HARD_HELD_BYTES: usize = 1 << 30;

    /// The number of bytes held at most, whatever is configured.
    pub(crate) fn max_held(&self) -> usize {
        self.max_held_bytes.min(Self::HARD_HELD_BYTES)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_held_bytes: Self::DEFAULT_HELD_BYTES,
            max_depth: Self::DEFAULT_DEPTH,
            max_keys: Self::DEFAULT_KEYS,
            max_tokens: Self::DEFAULT_TOKENS,
        }
    }
}
