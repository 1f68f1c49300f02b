//! Where values end, told by brackets alone.

use crate::intake::Intake;
use crate::scan::Status;

/// How much of a window is known to be sound: there, what is no JSON is so by its grammar alone.
#[derive(Clone, Copy)]
pub(super) struct Sound {
    tokens: usize,
    bytes: usize,
    /// Whether all brackets of the window are in that.
    is_whole: bool,
}

impl Sound {
    pub(super) fn up_to(window: &Intake, bytes: usize, is_whole: bool) -> Self {
        let tokens = window.scanner.tokens().partition_point(|at| (*at as usize) < bytes);
        Sound { tokens, bytes, is_whole }
    }
}

/// Where the last whole element of an array ends.
pub(super) enum LastEnd {
    /// The token after it, and its offset. Both may be in another container of that depth, where the array closes before.
    At(usize, usize),
    /// None of the tokens ends one.
    Unknown,
    /// The array closes before the end of the tape.
    Before,
}

/// The sound tokens of a window.
#[derive(Clone, Copy)]
pub(super) struct Tape<'a> {
    held: &'a [u8],
    tokens: &'a [u32],
    /// How many tokens belong to the body's value.
    pub open_len: usize,
    /// How many bytes are sound.
    pub bytes: usize,
    /// Whether all brackets of the window are there.
    pub is_whole: bool,
}

impl<'a> Tape<'a> {
    pub(super) fn of(window: &'a Intake, sound: Sound) -> Self {
        let tokens = window.scanner.tokens().get(..sound.tokens).unwrap_or_default();
        let open_len = match window.scanner.status() {
            Status::Closed(end) => tokens.partition_point(|at| (*at as usize) < end),
            _ => tokens.len(),
        };
        Tape { held: &window.held, tokens, open_len, bytes: sound.bytes, is_whole: sound.is_whole }
    }

    pub(super) fn at(&self, token: usize) -> Option<usize> {
        self.tokens.get(token).map(|at| *at as usize)
    }

    #[inline(always)]
    pub(super) fn byte(&self, token: usize) -> u8 {
        self.at(token).and_then(|at| self.held.get(at)).copied().unwrap_or(0)
    }

    /// The last end of an element among the tokens from `first` on, where elements are inside `depth` containers, and
    /// `open` are open at the end of the tape.
    ///
    /// Cost: the tokens of what is not whole yet, or of what follows the array in the container around it.
    pub(super) fn last_end(&self, first: usize, depth: u32, mut open: u32) -> LastEnd {
        for token in (first..self.open_len).rev() {
            if open < depth {
                return LastEnd::Before;
            }
            let Some(at) = self.at(token) else { continue };
            match self.byte(token) {
                b',' if open == depth => return LastEnd::At(token, at),
                b'}' | b']' if open == depth => return LastEnd::At(token.wrapping_add(1), at.wrapping_add(1)),
                b'}' | b']' => open = open.wrapping_add(1),
                b'{' | b'[' => open = open.wrapping_sub(1),
                _ => (),
            }
        }
        LastEnd::Unknown
    }

    /// The last end of an element that is not beyond the offset `enough`, from the token on that starts the first. If the
    /// first element does not end there, its end, if that is not beyond `most`.
    pub(super) fn end_within(&self, first: usize, enough: usize, most: usize) -> Option<(usize, usize)> {
        let (mut found, mut depth) = (None, 0u32);
        for token in first..self.open_len {
            let at = self.at(token)?;
            if at > most || at > enough && found.is_some() {
                break;
            }
            match self.byte(token) {
                b',' if depth == 0 => found = Some((token, at)),
                b'{' | b'[' => depth = depth.wrapping_add(1),
                b'}' | b']' if depth == 0 => break,
                b'}' | b']' => {
                    depth = depth.wrapping_sub(1);
                    if depth == 0 && at < most {
                        found = Some((token.wrapping_add(1), at.wrapping_add(1)));
                    }
                }
                _ => (),
            }
        }
        found
    }

    /// From a token on, where `depth` containers are open, to the one after that closes them, or to the end.
    pub(super) fn leave(&self, token: usize, depth: u32) -> (usize, u32) {
        self.follow((token, depth), usize::MAX)
    }

    /// As [`Tape::leave`], but not beyond the first bracket after an offset.
    pub(super) fn follow(&self, (first, mut depth): (usize, u32), most: usize) -> (usize, u32) {
        for token in first..self.open_len {
            let step = match self.byte(token) {
                b'{' | b'[' => 1,
                b'}' | b']' => u32::MAX,
                _ => continue,
            };
            depth = depth.wrapping_add(step);
            let after = token.wrapping_add(1);
            if depth == 0 || self.at(token).is_some_and(|at| at > most) {
                return (after, depth);
            }
        }
        (self.open_len, depth)
    }
}
