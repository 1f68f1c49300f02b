//! The progress of a long task, for a user who waits at a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::output::{plural, tell};

/// How long after the start progress is first shown, and how often it is updated.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line on stderr that is updated, and erased when the task is done. Nothing is shown if stderr is no terminal.
pub struct Progress {
    noun: &'static str,
    all: usize,
    done: usize,
    next: Instant,
    is_watched: bool,
    is_told: bool,
}

impl Progress {
    /// Starts a task of `all` parts.
    pub fn of(all: usize, noun: &'static str) -> Self {
        let next = Instant::now() + PATIENCE;
        Progress { noun, all, done: 0, next, is_watched: io::stderr().is_terminal(), is_told: false }
    }

    /// Counts one more part as done.
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
            // Back to the start of the line, which is then erased (ECMA-48, EL).
            tell("\r\x1b[K");
        }
    }
}
