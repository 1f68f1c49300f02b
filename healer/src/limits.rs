/// Bounds on what one body may cost. Crossing one is an ordinary verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes held at most: of one body that is healed as a whole, and of one record of a longer body.
    pub max_held_bytes: usize,
    /// Containers open at once at most ([`crate::Reason::TooDeep`]). Every `{` and `[` counts.
    pub max_depth: u32,
    /// Members of one object at most ([`crate::Reason::TooManyKeys`]).
    pub max_keys: u32,
    /// Tokens of one body at most ([`crate::Reason::TooManyTokens`]): brackets, commas, colons, strings and scalars.
    pub max_tokens: usize,
}

impl Limits {
    /// One MiB: Envoy's own default for a buffered body, so that a body that other filters can hold, we can.
    pub const DEFAULT_HELD_BYTES: usize = 1 << 20;
    /// Twice what `serde_json` allows (128), deeper than any API response seen, and 16 KiB of stack at most.
    pub const DEFAULT_DEPTH: u32 = 256;
    /// More members than an object has that anybody reads by name, and some 8 MB for what is known of them.
    pub const DEFAULT_KEYS: u32 = 1 << 16;
    /// What scanning and walking cost goes by tokens, of which a member takes four (`ns/key` in docs/benchmarks.md). So
    /// many of them stay below the 200 ms after which Envoy's watchdog counts a worker as stuck, and take 16 MB
    /// of tape. A body of the default length cannot have more than a quarter of them.
    pub const DEFAULT_TOKENS: usize = 1 << 22;
    /// Positions on the tape are 32 bits wide; a quarter of their range keeps every sum of two inside it.
    pub const HARD_HELD_BYTES: usize = 1 << 30;

    /// The bytes that are really held at most.
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
