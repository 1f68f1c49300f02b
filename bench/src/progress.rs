//! Shows the progress of a run, and the time that is left.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How often a line is written if no bar is visible.
const LINES: Duration = Duration::from_secs(10);

/// The progress over scenarios whose duration is roughly known.
pub struct Progress {
    bar: ProgressBar,
    state: RefCell<State>,
}

struct State {
    name: String,
    /// The expected seconds of the scenarios before this one, of this one, and of those after it.
    before: u64,
    own: u64,
    after: u64,
    start: Instant,
    told: Instant,
}

impl Progress {
    /// Starts a run of this many seconds in total.
    pub fn new(seconds: u64) -> Self {
        let bar = ProgressBar::new(seconds.max(1));
        // A wrong template only changes how the bar looks.
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        let state = State { name: String::new(), before: 0, own: 0, after: seconds, start: now, told: now };
        Progress { bar, state: RefCell::new(state) }
    }

    /// Begins the next scenario, with its expected seconds.
    pub fn begin(&self, name: &str, seconds: u64) {
        {
            let mut state = self.state.borrow_mut();
            state.before += state.own;
            state.after = state.after.saturating_sub(seconds);
            (state.own, state.start) = (seconds, Instant::now());
            name.clone_into(&mut state.name);
            // Makes the first line appear immediately.
            state.told = state.start.checked_sub(LINES).unwrap_or(state.start);
        }
        self.at(0, 1);
    }

    /// Reports how many parts of a scenario are done.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn at(&self, done: usize, of: usize) {
        let mut state = self.state.borrow_mut();
        let share = done as f64 / of.max(1) as f64;
        let left = own_left(state.own as f64, share, state.start.elapsed().as_secs_f64()) + state.after as f64;
        let text = format!("{}, {}", state.name, time_left(left as u64));
        self.bar.set_position(state.before + (state.own as f64 * share) as u64);
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if state.told.elapsed() >= LINES {
            eprintln!("{text}");
            state.told = Instant::now();
        }
    }

    /// Prints above the bar.
    pub fn print(&self, text: &str) {
        self.bar.suspend(|| println!("{text}\n"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Returns the seconds that a scenario will still take: as expected at first, and extrapolated once enough of it is
/// done.
fn own_left(expected: f64, share: f64, elapsed: f64) -> f64 {
    if share < 0.1 { (expected - elapsed).max(0.0) } else { elapsed * (1.0 - share) / share }
}

fn time_left(seconds: u64) -> String {
    match seconds / 60 {
        0 => format!("{seconds} s left"),
        minutes => format!("{minutes} min {} s left", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_follows_what_was_expected_and_then_what_is() {
        for (expected, share, elapsed, left) in
            [(60.0, 0.0, 0.0, 60.0), (60.0, 0.0, 90.0, 0.0), (60.0, 0.5, 45.0, 45.0), (60.0, 1.0, 90.0, 0.0)]
        {
            let got: f64 = own_left(expected, share, elapsed);
            assert!((got - left).abs() < 0.001, "{share} of {expected} s after {elapsed} s: {got}");
        }
        assert_eq!(time_left(125), "2 min 5 s left");
    }
}
