//! How far a long task is, for somebody who waits at a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::output::{plural, tell};

/// After this time, and then each time that it has passed again, people wonder.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on stderr that changes, and goes when the task is done. There is none where nobody looks.
pub struct Progress {
    noun: &'static str,
    all: usize,
    done: usize,
    next: Instant,
    is_watched: bool,
    is_told: bool,
}

impl Progress {
    /// A task of so many parts.
    pub fn of(all: usize, noun: &'static str) -> Self {
        let next = Instant::now() + PATIENCE;
        Progress { noun, all, done: 0, next, is_watched: io::stderr().is_terminal(), is_told: false }
    }

    /// One more part is done.
    pub fn step(&mut self) {
        self.done += 1;
        if self.is_watched && Instant::now() >= self.next {
            self.next += PATIENCE;
            self.is_told = true;
            tell(&format!("\r{} of {}", self.done, plural(self.all, self.noun)));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_told {
            // To the start of the line, which goes (ECMA-48, EL).
            tell("\r\x1b[K");
        }
    }
}
