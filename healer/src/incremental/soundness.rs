//! Checks every byte before anything around it is decided: strings and escapes must be well formed.

use crate::intake::Intake;
use crate::reason::Reason;
use crate::scan::Status;
use crate::text::{is_escape, utf8_error};

/// How far a window is checked.
#[derive(Debug, Default)]
pub(super) struct Soundness {
    /// The offset up to which it is UTF-8.
    text: usize,
    /// Length of the window at the last check. If it is more than `text`, the window ended inside a character.
    len: usize,
    /// The offset from which on escapes are not checked.
    escapes: usize,
}

impl Soundness {
    /// Checks what is new in a window. Returns the first error and its offset.
    pub(super) fn check(&mut self, window: &mut Intake) -> Option<(Reason, usize)> {
        let dead = match window.scanner.status() {
            Status::Dead(reason, at) if window.begins_word().is_none() => Some((window.dead(reason, at), at)),
            _ => None,
        };
        let wrong = [self.bad_text(window), self.bad_escape(window)].into_iter().flatten().min();
        match (dead, wrong) {
            (Some((_, at)), Some(wrong)) if wrong < at => Some((Reason::Malformed, wrong)),
            (None, Some(wrong)) => Some((Reason::Malformed, wrong)),
            (dead, _) => dead,
        }
    }

    /// Returns the offset before which nothing will be looked at again.
    pub(super) fn checked(&self) -> usize {
        self.text.min(self.escapes)
    }

    /// Marks everything before an offset as sound.
    pub(super) fn resume(&mut self, at: usize) {
        *self = Soundness { text: at, len: at, escapes: at };
    }

    /// Adapts to a window that has lost its first `bytes`.
    pub(super) fn discard(&mut self, bytes: usize) {
        self.text = self.text.saturating_sub(bytes);
        self.len = self.len.saturating_sub(bytes);
        self.escapes = self.escapes.saturating_sub(bytes);
    }

    fn bad_text(&mut self, window: &mut Intake) -> Option<usize> {
        let cut = self.text < self.len;
        self.len = window.held.len();
        if !window.scanner.take_non_ascii() && !cut {
            self.text = self.len;
            return None;
        }
        let Some((at, is_cut)) = utf8_error(window.held.get(self.text..).unwrap_or_default()) else {
            self.text = self.len;
            return None;
        };
        self.text = self.text.saturating_add(at);
        if is_cut { None } else { Some(self.text) }
    }

    fn bad_escape(&mut self, window: &Intake) -> Option<usize> {
        let escapes = window.scanner.escapes();
        let first = escapes.partition_point(|at| (*at as usize) < self.escapes);
        self.escapes = window.held.len();
        for at in escapes.get(first..).unwrap_or_default() {
            let at = *at as usize;
            match is_escape(&window.held, at) {
                Some(true) => (),
                Some(false) => return Some(at),
                None => {
                    self.escapes = at;
                    break;
                }
            }
        }
        None
    }
}
