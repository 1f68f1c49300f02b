//! Headers that are paused without it being known whether Envoy will ever call for their body.
//!
//! It does so only with `allow_on_headers_stop_iteration`, which cannot be asked for. Without it such a response
//! would wait until the client gives up. So until a body has once been seen while its headers were paused, paused
//! headers are let go after a while, and after a few of them headers are not held any more.
//!
//! So are bodies that are paused without it being known whether more of them comes.

/// How often paused headers are looked at, and metrics told.
pub const TICK_MS: u32 = 500;
/// So many ticks they wait: between half a second and a second.
pub const PATIENCE: u32 = 2;
/// So many ticks a paused body waits for its next piece: up to five seconds. An external processor may take that long; what
/// ends there is a document that was cut off.
pub const PATIENCE_FOR_MORE: u32 = 10;
/// After so many responses in vain, headers are not held any more.
pub const VAIN_LIMIT: u32 = 3;

/// Responses that are paused, and when they are to be let go.
#[derive(Debug, Default)]
pub struct Waiting {
    list: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    stream: u32,
    root: u32,
    /// Ticks that are left.
    ticks: u32,
}

impl Waiting {
    /// None.
    pub const fn new() -> Self {
        Waiting { list: Vec::new() }
    }

    /// One more waits, or one anew, for so many ticks.
    pub fn add(&mut self, stream: u32, root: u32, ticks: u32) {
        self.list.retain(|entry| entry.stream != stream);
        self.list.push(Entry { stream, root, ticks });
    }

    /// A tick of this root: takes out the streams that have waited long enough.
    pub fn tick(&mut self, root: u32) -> Vec<u32> {
        for entry in self.list.iter_mut().filter(|entry| entry.root == root) {
            entry.ticks = entry.ticks.saturating_sub(1);
        }
        self.take(|entry| entry.root == root && entry.ticks == 0)
    }

    /// The root gets no more ticks: takes out all its streams.
    pub fn end(&mut self, root: u32) -> Vec<u32> {
        self.take(|entry| entry.root == root)
    }

    fn take(&mut self, due: impl Fn(&Entry) -> bool) -> Vec<u32> {
        let taken = self.list.iter().filter(|entry| due(entry)).map(|entry| entry.stream).collect();
        self.list.retain(|entry| !due(entry));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_counts_from_the_pause() {
        let mut waiting = Waiting::new();
        waiting.add(10, 1, PATIENCE);
        assert!(waiting.tick(1).is_empty());
        waiting.add(11, 1, PATIENCE);
        waiting.add(20, 2, PATIENCE);
        assert_eq!(waiting.tick(1), [10]);
        waiting.add(11, 1, PATIENCE);
        assert!(waiting.tick(1).is_empty());
        assert_eq!(waiting.tick(1), [11]);
        assert!(waiting.end(1).is_empty());
        assert_eq!(waiting.end(2), [20]);
    }
}
