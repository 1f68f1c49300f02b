//! Where values end, told by brackets alone.

use crate::intake::Intake;
use crate::scan::Status;
use crate::text::trim_end;

/// How much of a window is known to be sound. There, only the grammar can still be violated.
#[derive(Clone, Copy)]
pub(super) struct Sound {
    tokens: usize,
    bytes: usize,
}

impl Sound {
    pub(super) fn up_to(window: &Intake, bytes: usize) -> Self {
        let tokens = window.scanner.tokens().partition_point(|at| (*at as usize) < bytes);
        Sound { tokens, bytes }
    }
}

/// The sound tokens of a window.
#[derive(Clone, Copy)]
pub(super) struct Tape<'a> {
    held: &'a [u8],
    tokens: &'a [u32],
    /// How many tokens belong to the body's value.
    open_len: usize,
    /// How many bytes are sound.
    pub bytes: usize,
}

impl<'a> Tape<'a> {
    pub(super) fn of(window: &'a Intake, sound: Sound) -> Self {
        let tokens = window.scanner.tokens().get(..sound.tokens).unwrap_or_default();
        let open_len = match window.scanner.status() {
            Status::Closed(end) => tokens.partition_point(|at| (*at as usize) < end),
            _ => tokens.len(),
        };
        Tape { held: &window.held, tokens, open_len, bytes: sound.bytes }
    }

    pub(super) fn at(&self, token: usize) -> Option<usize> {
        self.tokens.get(token).map(|at| *at as usize)
    }

    #[inline(always)]
    pub(super) fn byte(&self, token: usize) -> u8 {
        self.at(token).and_then(|at| self.held.get(at)).copied().unwrap_or(0)
    }

    /// Returns the bytes between the quotes of a name. The token after the name must be known.
    pub(super) fn name(&self, token: usize) -> &'a [u8] {
        let span = self.at(token).zip(self.at(token.wrapping_add(1)));
        let text = span.and_then(|(quote, colon)| self.held.get(quote.wrapping_add(1)..colon)).unwrap_or_default();
        trim_end(text).split_last().map_or(&[], |(_, inside)| inside)
    }

    /// Goes from a token, where `depth` containers are open, to the token after the bracket that closes them, or to the
    /// end. Never goes back.
    pub(super) fn leave(&self, first: usize, mut depth: u32) -> (usize, u32) {
        for token in first..self.open_len {
            let step = match self.byte(token) {
                b'{' | b'[' => 1,
                b'}' | b']' => u32::MAX,
                _ => continue,
            };
            depth = depth.wrapping_add(step);
            if depth == 0 {
                return (token.wrapping_add(1), depth);
            }
        }
        (self.open_len.max(first), depth)
    }
}

/// How far the tape was searched for the ends of containers, so that containers that are open around the same tokens are
/// not searched one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Probe {
    token: usize,
    /// The tokens of the containers that are open there, of those that were begun since the search was.
    open: Vec<usize>,
}

impl Probe {
    /// Goes from the bracket at a token to the token after the bracket that closes it, or to the end, but stops before
    /// the first bracket beyond the offset `most`. Returns where it is then, and whether the container is still open.
    pub(super) fn follow(&mut self, tape: &Tape<'_>, first: usize, most: usize) -> (usize, bool) {
        if self.token <= first {
            self.token = first;
            self.open.clear();
        } else if self.open.binary_search(&first).is_err() {
            // It is closed already.
            return (tape.leave(first, 0).0, false);
        }
        while self.token < tape.open_len {
            let (token, byte) = (self.token, tape.byte(self.token));
            let is_bracket = matches!(byte, b'{' | b'[' | b'}' | b']');
            if is_bracket && tape.at(token).is_some_and(|at| at > most) {
                break;
            }
            self.token = token.wrapping_add(1);
            if matches!(byte, b'{' | b'[') {
                self.open.push(token);
            } else if is_bracket && self.open.pop() == Some(first) {
                return (self.token, false);
            }
        }
        (self.token, true)
    }

    /// Adapts to a window that has lost its first tokens.
    pub(super) fn discard(&mut self, tokens: usize) {
        self.token = self.token.saturating_sub(tokens);
        self.open.retain_mut(|open| {
            let left = open.checked_sub(tokens);
            *open = left.unwrap_or(0);
            left.is_some()
        });
    }
}

/// How far the ends of elements of one array were searched for, so that each token is examined once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead {
    /// The next token of the array itself to examine.
    token: usize,
    /// An end that was found: the token after it, and its offset.
    end: Option<(usize, usize)>,
}

impl Ahead {
    /// Returns the last end of an element that is not beyond the offset `enough`, as the token after it and its offset.
    /// `first`: the token that starts the first element. If that element ends later, returns its end, unless it is
    /// beyond the offset `most`.
    pub(super) fn end_within(
        &mut self,
        probe: &mut Probe,
        tape: &Tape<'_>,
        first: usize,
        enough: usize,
        most: usize,
    ) -> Option<(usize, usize)> {
        if self.end.is_some_and(|(token, _)| token > first) {
            return self.end;
        }
        self.end = None;
        self.token = self.token.max(first);
        while self.token < tape.open_len {
            let at = tape.at(self.token)?;
            let most = if self.end.is_some() { enough } else { most };
            if at > most {
                break;
            }
            let mut after = self.token.wrapping_add(1);
            match tape.byte(self.token) {
                b',' => self.end = Some((self.token, at)),
                b'{' | b'[' => {
                    let (next, is_open) = probe.follow(tape, self.token, most);
                    let close = tape.at(next.wrapping_sub(1))?;
                    // Beyond `most` for this first element, but perhaps not for a later one.
                    if is_open || close >= most {
                        break;
                    }
                    self.end = Some((next, close.wrapping_add(1)));
                    after = next;
                }
                b'}' | b']' => break,
                _ => (),
            }
            self.token = after;
        }
        self.end
    }

    /// Adapts to a window that has lost its first `bytes` and their tokens.
    pub(super) fn discard(&mut self, bytes: usize, tokens: usize) {
        let end = self.end.and_then(|(token, at)| Some((token.checked_sub(tokens)?, at.checked_sub(bytes)?)));
        let token = self.token.checked_sub(tokens);
        *self = token.map_or(Ahead::default(), |token| Ahead { token, end });
    }
}
