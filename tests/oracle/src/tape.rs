//! Random choices, read from a tape of numbers, so that `proptest` shrinks the results by shrinking the tape.
//!
//! A zero, and everything past the end of the tape, is the simplest choice.

#[cfg(feature = "proptest")]
use proptest::prelude::*;

/// Returns the configuration of a property: `PROPTEST_CASES` cases, or `default` if that is not set.
///
/// A failure prints the body and the plan, which belong in a table of examples, so failures are not stored in files.
#[cfg(feature = "proptest")]
pub fn cases(default: u32) -> ProptestConfig {
    let chosen = std::env::var_os("PROPTEST_CASES").is_some();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if chosen { config } else { ProptestConfig { cases: default, ..config } }
}

pub struct Tape<'a> {
    rest: &'a [u8],
}

impl<'a> Tape<'a> {
    pub fn new(tape: &'a [u8]) -> Self {
        Tape { rest: tape }
    }

    /// Tapes of up to `len` numbers.
    #[cfg(feature = "proptest")]
    pub fn any(len: usize) -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(any::<u8>(), 0..len)
    }

    /// Returns a number below `bound`, which is at most 256.
    pub fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        usize::from(*first) % bound
    }

    /// Returns true `times` out of `of` times.
    pub fn happens(&mut self, times: usize, of: usize) -> bool {
        self.below(of) >= of - times
    }

    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}
