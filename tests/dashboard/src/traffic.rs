//! Requests whose responses get every possible verdict.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use drifting_upstream::{Mode, user_body, users_body};
use nomos_tests::client::Connection;
use nomos_tests::framing::{self, Framing};
use nomos_tests::upstream::{Step, Upstream};

/// A response of the upstream, by what Nomos does with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A user as in the contract.
    Clean,
    /// A user that drifted.
    Drifted(Mode),
    /// A drifted list of this many users, on a route with a sample: healed or observed.
    DriftedList(usize),
    /// A user with names that no rule knows, with the shape of this number.
    Strange(u32),
    /// A user with more unknown names than similarity looks at.
    Wide,
    /// A user without phone number.
    WithoutPhone,
    /// A path that no route matches.
    NoRoute,
    /// An error page with status 200.
    Page,
    /// A user in an encoding that no decompressor unpacks.
    Brotli,
    /// Not modified.
    NotModified,
    /// Cut JSON.
    Truncated,
    /// No JSON.
    Malformed,
    /// A user whose second half comes half a second later.
    Slow,
    /// A user on a route of Envoy that bypasses Nomos.
    Bypass,
}

/// Kinds of responses, each with its weight.
pub type Mix = Vec<(Kind, u32)>;

/// Clients that send one request after the other until this is dropped.
pub struct Traffic {
    state: Arc<State>,
    clients: Vec<JoinHandle<()>>,
}

struct State {
    mix: Mutex<(Mix, Duration)>,
    over: AtomicBool,
}

impl Traffic {
    /// Starts clients that send nothing yet.
    pub fn start(clients: u32, proxy: SocketAddr, upstream: &Upstream) -> Self {
        let state = Arc::new(State { mix: Mutex::new((Mix::new(), IDLE)), over: AtomicBool::new(false) });
        let clients = (0..clients).map(|number| {
            let (state, upstream) = (Arc::clone(&state), upstream.clone());
            thread::spawn(move || send(number, proxy, &upstream, &state))
        });
        Self { clients: clients.collect(), state }
    }

    /// Makes the clients send requests of these kinds, with a pause after each.
    pub fn set(&self, mix: &[(Kind, u32)], pause: Duration) {
        *self.state.mix.lock().unwrap_or_else(PoisonError::into_inner) = (mix.to_vec(), pause);
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::Release);
        for client in self.clients.drain(..) {
            let _ = client.join();
        }
    }
}

/// How long a client without a mix waits before it checks again.
const IDLE: Duration = Duration::from_millis(20);

/// New connections are opened now and then, as with real clients.
const REQUESTS_PER_CONNECTION: u32 = 40;

fn send(number: u32, proxy: SocketAddr, upstream: &Upstream, state: &State) {
    let mut connection = Connection::new(proxy);
    let mut requests = 0;
    let mut draw = u64::from(number) + 1;
    while !state.over.load(Ordering::Acquire) {
        let (mix, pause) = state.mix.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // A linear congruential generator (Knuth, MMIX): the same requests in every run.
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if let Some(kind) = drawn(&mix, draw >> 33) {
            let script = upstream.script(response(kind));
            requests += 1;
            if requests % REQUESTS_PER_CONNECTION == 0 {
                connection = Connection::new(proxy);
            }
            // Some kinds are meant to give a cut response.
            let _ = connection.get(path(kind), &[("x-case", &script.id())]);
        }
        thread::sleep(pause);
    }
}

fn drawn(mix: &[(Kind, u32)], draw: u64) -> Option<Kind> {
    let sum: u64 = mix.iter().map(|(_, weight)| u64::from(*weight)).sum();
    let mut left = draw.checked_rem(sum)?;
    mix.iter().find_map(|(kind, weight)| {
        let weight = u64::from(*weight);
        if left < weight {
            return Some(*kind);
        }
        left -= weight;
        None
    })
}

fn path(kind: Kind) -> &'static str {
    match kind {
        Kind::DriftedList(_) => "/api/users",
        Kind::NoRoute => "/health",
        Kind::Bypass => "/bypass",
        _ => "/api/user",
    }
}

fn response(kind: Kind) -> Vec<Step> {
    let healthy = user_body(Mode::Healthy);
    match kind {
        Kind::Clean | Kind::NoRoute | Kind::Bypass => json(healthy.as_bytes()),
        Kind::Drifted(mode) => json(user_body(mode).as_bytes()),
        Kind::DriftedList(users) => json(users_body(Mode::V2, users).as_bytes()),
        Kind::Strange(number) => {
            let strange = format!("{{\"internalRevision{number}\":{number},\"emailAddr\":\"a@b.c\",");
            json(healthy.replacen('{', &strange, 1).replace("\"email_address\"", "\"mail_contact\"").as_bytes())
        }
        Kind::Wide => {
            let mut wide = "{".to_owned();
            for number in 0..300 {
                // Writing to a text cannot fail.
                let _ = write!(wide, "\"measurement{number}\":{number},");
            }
            json(healthy.replacen('{', &wide, 1).replace("\"email_address\"", "\"mail_contact\"").as_bytes())
        }
        Kind::WithoutPhone => json(healthy.replace("\"phone_number\"", "\"zz\"").as_bytes()),
        Kind::Page => framing::response(Framing::Length, "200 OK", &[("content-type", b"text/html")], b"<p>sorry</p>"),
        Kind::Brotli => {
            let headers: [(&str, &[u8]); 2] = [("content-type", JSON), ("content-encoding", b"br")];
            framing::response(Framing::Length, "200 OK", &headers, b"\x0b\x02\x80[]\x03")
        }
        Kind::NotModified => vec![Step::Send(b"HTTP/1.1 304 Not Modified\r\netag: \"1\"\r\n\r\n".to_vec())],
        Kind::Truncated => json(&healthy.as_bytes()[..healthy.len() / 2]),
        Kind::Malformed => json(b"{\"user_id\": NaN}"),
        Kind::Slow => slow(healthy.as_bytes()),
    }
}

const JSON: &[u8] = b"application/json";

fn json(body: &[u8]) -> Vec<Step> {
    framing::response(Framing::Length, "200 OK", &[("content-type", JSON)], body)
}

fn slow(body: &[u8]) -> Vec<Step> {
    let mut steps =
        framing::response(Framing::LengthPieces(body.len() / 2 + 1), "200 OK", &[("content-type", JSON)], body);
    steps.insert(steps.len() - 1, Step::Wait(Duration::from_millis(500)));
    steps
}
