//! Traps on demand, for tests of how a proxy reacts to them. Not part of the shipped module: `scripts/trap` builds it
//! with the feature `trap`, to a path of its own.
//!
//! A request with the header `x-nomos-trap` and the name of a [`Place`] makes the module fail there.

use std::arch::wasm32;
use std::cell::Cell;

use crate::host::{Host, Level, Map};
use crate::pairs::Pairs;

use super::Proxy;

/// The largest growth requested at once: 4 GiB in pages of 64 KiB, all that a 32-bit module can address.
const MOST_PAGES: usize = 1 << 16;

/// A callback in which the module is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `request-headers`: immediately.
    RequestHeaders,
    /// `response-headers`: in that callback of this request.
    ResponseHeaders,
    /// `response-body`: in that callback of this request, with the second chunk, when only the module may have the
    /// first one.
    ResponseBody,
    /// `tick`: at the next tick.
    Tick,
    /// `memory`: takes all memory that the host grants and never uses it. What fails then depends on the module.
    Memory,
}

thread_local! {
    /// The place of the next trap, and the context it is for; 0 stands for any context.
    static DUE: Cell<Option<(u32, Place)>> = const { Cell::new(None) };
    /// The number of chunks of the body seen since the order.
    static PIECES: Cell<u32> = const { Cell::new(0) };
}

/// Reads an order from the headers of a request.
pub(super) fn on_request_headers(id: u32) {
    match ordered() {
        None => {}
        Some(Place::Memory) => take_memory(),
        Some(place) => {
            DUE.set(Some((if place == Place::Tick { 0 } else { id }, place)));
            PIECES.set(0);
            reach(Place::RequestHeaders, id);
        }
    }
}

/// Counts a chunk of the body. The empty chunk that ends a body does not count.
pub(super) fn on_response_body(id: u32, size: usize) {
    if size > 0 && PIECES.replace(PIECES.get().wrapping_add(1)) >= 1 {
        reach(Place::ResponseBody, id);
    }
}

/// Traps if a trap was ordered for this place.
pub(super) fn reach(place: Place, id: u32) {
    if DUE.get() == Some((id, place)) {
        wasm32::unreachable()
    }
}

fn ordered() -> Option<Place> {
    let mut proxy = Proxy;
    let headers = Pairs::new(proxy.headers(Map::RequestHeaders).ok()?);
    headers.into_iter().find(|(name, _)| *name == b"x-nomos-trap").and_then(|(_, place)| match place {
        b"request-headers" => Some(Place::RequestHeaders),
        b"response-headers" => Some(Place::ResponseHeaders),
        b"response-body" => Some(Place::ResponseBody),
        b"tick" => Some(Place::Tick),
        b"memory" => Some(Place::Memory),
        _ => None,
    })
}

/// Grows the memory until the host refuses one more page. Nothing is written to it, so it costs the host no memory.
fn take_memory() {
    let mut pages = MOST_PAGES;
    while pages > 0 {
        if wasm32::memory_grow::<0>(pages) == usize::MAX {
            pages /= 2;
        }
    }
    let pages = wasm32::memory_size::<0>();
    Proxy.log(Level::Warn, &format!("nomos: trap build: memory ends at {pages} pages of 64 KiB"));
}
