use std::fmt;

/// Why a body was not healed. The texts are stable: they are metric tags and header values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The body has no bytes other than white space.
    Empty,
    /// The value is a string, number, `true`, `false` or `null`: there is no record to heal.
    Scalar,
    /// The body is not one well-formed JSON value (RFC 8259).
    Malformed,
    /// The body ended before its value closed.
    Truncated,
    /// More containers open at once than `max_depth`.
    TooDeep,
    /// More bytes than `max_held_bytes`.
    TooLarge,
    /// More members in one object than `max_keys`.
    TooManyKeys,
    /// More tokens than `max_tokens`.
    TooManyTokens,
    /// The healed body might be longer than [`Healer::MAX_OUTPUT_BYTES`](crate::Healer::MAX_OUTPUT_BYTES), or is longer
    /// than a host takes.
    OutputTooLarge,
}

impl Reason {
    /// Every reason, for tables that are defined ahead of traffic.
    pub const ALL: [Reason; 9] = [
        Reason::Empty,
        Reason::Scalar,
        Reason::Malformed,
        Reason::Truncated,
        Reason::TooDeep,
        Reason::TooLarge,
        Reason::TooManyKeys,
        Reason::TooManyTokens,
        Reason::OutputTooLarge,
    ];

    /// Returns the stable text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Empty => "empty",
            Reason::Scalar => "scalar",
            Reason::Malformed => "malformed",
            Reason::Truncated => "truncated",
            Reason::TooDeep => "too_deep",
            Reason::TooLarge => "too_large",
            Reason::TooManyKeys => "too_many_keys",
            Reason::TooManyTokens => "too_many_tokens",
            Reason::OutputTooLarge => "output_too_large",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A body that cannot be healed: what is wrong, and at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub reason: Reason,
    /// Offset in bytes from the start of the body; at most its length.
    pub offset: usize,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for Failure {}
