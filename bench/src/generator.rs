//! Generates load over HTTP/1.1 with one thread. In a closed loop each connection sends its next request once it has
//! its response. At a constant rate, latency counts from the time when a request was due, not from when it could be
//! sent.
//!
//! The thread never sleeps, and serves the upstreams in the same loop: [`Upstream`] says
//! why.

mod backlog;
mod connection;
mod outcome;
mod response;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::{Events, Poll, Token};

use crate::upstream::Upstream;
use backlog::Backlog;
use connection::Connection;
pub use outcome::Outcome;

/// If no response comes for this long, all outstanding requests count as failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many events are taken from the kernel at once.
const EVENTS: usize = 1024;

/// The pace at which requests are sent.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// Keeps this many requests outstanding on each connection. More than one is pipelining.
    Closed(usize),
    /// Sends one request per connection, and then opens another connection.
    Anew,
    /// Sends this many per second, whatever the responses. A request that finds no free connection waits, and its
    /// waiting counts.
    Open(u32),
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After this many requests.
    Sent(u64),
    /// After this time.
    Elapsed(Duration),
}

/// Open connections to one listener, with the request to send.
pub struct Generator {
    poll: Poll,
    connections: Vec<Connection>,
    request: Vec<u8>,
}

impl Generator {
    /// Connects. The time for that is not part of any latency, except with [`Pace::Anew`].
    pub fn connect(to: SocketAddr, connections: usize, path: &str) -> io::Result<Self> {
        let poll = Poll::new()?;
        let open = |at| Connection::open(to, Token(at), poll.registry());
        let connections = (0..connections).map(open).collect::<io::Result<_>>()?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n").into_bytes();
        Ok(Generator { poll, connections, request })
    }

    /// Sends and receives until the end, and until all requests sent before it are answered.
    pub fn run(&mut self, pace: Pace, until: Until, upstreams: &[&Upstream]) -> io::Result<Outcome> {
        let mut run = Run::new(pace, until, self.connections.len());
        let mut events = Events::with_capacity(EVENTS);
        while !run.is_over() {
            for upstream in upstreams {
                upstream.serve();
            }
            self.send(&mut run)?;
            self.poll.poll(&mut events, Some(Duration::ZERO))?;
            for event in &events {
                self.receive(event.token(), &mut run)?;
            }
        }
        run.outcome.elapsed = run.start.elapsed();
        // If the run was given up, requests that were due but not sent have failed too.
        run.outcome.failed += run.under_way + run.backlog.waiting();
        self.drop_leftovers()?;
        Ok(run.outcome)
    }

    /// Sends the due requests on free connections.
    fn send(&mut self, run: &mut Run) -> io::Result<()> {
        run.backlog.fill(run.start, run.until);
        let depth = if let Pace::Closed(depth) = run.pace { depth } else { 1 };
        while run.may_send() && !run.backlog.is_empty() {
            let Some(at) = run.free.pop_front() else { return Ok(()) };
            let connection = &mut self.connections[at];
            while connection.under_way() < depth && run.may_send() {
                let Some(intended) = run.backlog.take() else { break };
                if matches!(run.pace, Pace::Anew) {
                    connection.reopen(self.poll.registry())?;
                }
                connection.send(&self.request, intended);
                (run.sent, run.under_way) = (run.sent + 1, run.under_way + 1);
            }
            if connection.flush().is_err() {
                run.fail(connection.under_way());
                connection.reopen(self.poll.registry())?;
                run.free.push_back(at);
            }
        }
        Ok(())
    }

    fn receive(&mut self, token: Token, run: &mut Run) -> io::Result<()> {
        let Some(connection) = self.connections.get_mut(token.0) else { return Ok(()) };
        let before = connection.under_way();
        let result = connection.flush().and_then(|()| connection.read(&mut run.outcome));
        let answered = before - connection.under_way();
        run.under_way -= answered as u64;
        if answered > 0 {
            run.last = Instant::now();
        }
        if result.is_err() {
            run.fail(connection.under_way());
            connection.reopen(self.poll.registry())?;
        }
        // A connection without outstanding requests is already in the list.
        if before > 0 && connection.under_way() < before && !run.free.contains(&token.0) {
            run.free.push_back(token.0);
        }
        Ok(())
    }

    /// Closes connections with outstanding requests: a run that was given up leaves responses that the next one must
    /// not read.
    fn drop_leftovers(&mut self) -> io::Result<()> {
        for connection in self.connections.iter_mut().filter(|connection| connection.under_way() > 0) {
            connection.reopen(self.poll.registry())?;
        }
        Ok(())
    }
}

/// The state of a run.
struct Run {
    pace: Pace,
    until: Until,
    start: Instant,
    backlog: Backlog,
    /// The connections that may send.
    free: VecDeque<usize>,
    sent: u64,
    under_way: u64,
    last: Instant,
    outcome: Outcome,
}

impl Run {
    fn new(pace: Pace, until: Until, connections: usize) -> Self {
        Run {
            pace,
            until,
            start: Instant::now(),
            backlog: Backlog::new(pace),
            free: (0..connections).collect(),
            sent: 0,
            under_way: 0,
            last: Instant::now(),
            outcome: Outcome::default(),
        }
    }

    fn may_send(&self) -> bool {
        match self.until {
            Until::Sent(requests) => self.sent < requests,
            // Requests that were due before the end are sent after it. Otherwise a proxy that is too slow would look
            // fast.
            Until::Elapsed(time) => matches!(self.pace, Pace::Open(_)) || self.start.elapsed() < time,
        }
    }

    fn is_over(&mut self) -> bool {
        let gave_up = self.last.elapsed() > PATIENCE;
        let all_sent = match (self.until, self.pace) {
            (Until::Elapsed(time), Pace::Open(_)) => {
                let is_late = self.start.elapsed() >= time;
                // If this thread was not running, the last requests may have become due since the last check.
                self.backlog.fill(self.start, self.until);
                is_late && self.backlog.is_empty()
            }
            _ => !self.may_send(),
        };
        gave_up || (all_sent && self.under_way == 0)
    }

    fn fail(&mut self, requests: usize) {
        self.outcome.failed += requests as u64;
        self.under_way -= requests as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upstream() -> Upstream {
        Upstream::start(&[("/a", vec!["{\"n\":1}".to_owned(), "{}".to_owned()])]).expect("an upstream")
    }

    #[test]
    fn every_pace_sends_as_many_as_it_says() {
        let upstream = upstream();
        let paces = [Pace::Closed(1), Pace::Closed(4), Pace::Anew, Pace::Open(2_000)];
        for pace in paces {
            let mut generator = Generator::connect(upstream.address, 3, "/a").expect("connections");
            for _ in 0..2 {
                let outcome = generator.run(pace, Until::Sent(50), &[&upstream]).expect("a run");
                assert_eq!((outcome.ok, outcome.failed), (50, 0), "{pace:?}");
                assert_eq!(outcome.latency.len(), 50, "{pace:?}");
            }
        }
    }

    #[test]
    fn a_constant_rate_is_kept() {
        let upstream = upstream();
        let mut generator = Generator::connect(upstream.address, 4, "/a").expect("connections");
        let time = Duration::from_millis(300);
        let outcome = generator.run(Pace::Open(1_000), Until::Elapsed(time), &[&upstream]).expect("a run");
        assert_eq!((outcome.ok, outcome.failed), (300, 0));
        assert!(outcome.elapsed >= Duration::from_millis(299), "{:?}", outcome.elapsed);
    }

    #[test]
    fn waiting_for_a_connection_counts() {
        let upstream = upstream();
        let mut generator = Generator::connect(upstream.address, 1, "/a").expect("a connection");
        // All are due within a millisecond, and one connection sends them one after the other.
        let outcome = generator.run(Pace::Open(1_000_000), Until::Sent(1_000), &[&upstream]).expect("a run");
        assert_eq!(outcome.ok, 1_000);
        let (intended, sent) = (outcome.latency.mean(), outcome.since_sent.mean());
        assert!(intended > 20.0 * sent, "{intended} ns from the intended start, {sent} from the real one");
    }

    #[test]
    fn other_answers_than_200_are_failures() {
        let upstream = upstream();
        let mut generator = Generator::connect(upstream.address, 2, "/missing").expect("connections");
        let outcome = generator.run(Pace::Closed(1), Until::Sent(10), &[&upstream]).expect("a run");
        assert_eq!((outcome.ok, outcome.failed), (0, 10));
    }
}
