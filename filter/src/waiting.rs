//! Responses that are paused without knowing that Envoy will continue them.
//!
//! Envoy calls the body callback for paused headers only with `allow_on_headers_stop_iteration`, and a filter cannot
//! ask whether that is set. Without it such a response would wait until the client gives up. So until a body has been
//! seen while its headers were paused, paused headers are released after a while, and after a few of these headers are
//! not held any more.
//!
//! Bodies that are paused without knowing that more of them comes are released in the same way.

/// The period of ticks in milliseconds. Each tick looks at paused responses, and reports metrics.
pub const TICK_MS: u32 = 500;
/// How many ticks paused headers wait: between half a second and a second.
pub const PATIENCE: u32 = 2;
/// How many ticks a paused body waits for its next chunk: up to five seconds. An external processor may take that long;
/// a body that ends there was cut off.
pub const PATIENCE_FOR_MORE: u32 = 10;
/// How many ticks a paused body waits for trailers that are under way already: until Envoy has finished with them.
pub const PATIENCE_FOR_TRAILERS: u32 = 1;
/// After this many responses that waited in vain, headers are not held any more.
pub const VAIN_LIMIT: u32 = 3;

/// The paused responses, and when to release them.
#[derive(Debug, Default)]
pub struct Waiting {
    list: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    stream: u32,
    root: u32,
    /// The ticks that are left.
    ticks: u32,
}

impl Waiting {
    /// Returns an empty list.
    pub const fn new() -> Self {
        Waiting { list: Vec::new() }
    }

    /// Adds a stream that waits for this many ticks, or restarts its wait.
    pub fn add(&mut self, stream: u32, root: u32, ticks: u32) {
        self.list.retain(|entry| entry.stream != stream);
        self.list.push(Entry { stream, root, ticks });
    }

    /// Counts a tick of this root, and takes out the streams that have waited long enough.
    pub fn tick(&mut self, root: u32) -> Vec<u32> {
        for entry in self.list.iter_mut().filter(|entry| entry.root == root) {
            entry.ticks = entry.ticks.saturating_sub(1);
        }
        self.take(|entry| entry.root == root && entry.ticks == 0)
    }

    /// Takes out all streams of a root that gets no more ticks.
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
