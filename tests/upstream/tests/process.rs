//! The program as it is started: its first line, its responses, and how it stops.

use drifting_upstream::{DEFAULT_COUNT, Mode, user_body, users_body};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_drifting-upstream");

/// The time limit for anything that the program does.
const LIMIT: Duration = Duration::from_secs(10);

/// A running upstream, killed when dropped.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(mode: &str) -> Running {
        let mut child = Command::new(PROGRAM)
            .args(["--port", "0", "--drift-mode", mode])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its stdout");
        BufReader::new(out).read_line(&mut line).expect("a first line");
        let (_, rest) = line.split_once("http://").expect("an address");
        let (address, said) = rest.split_once(", ").expect("a mode");
        assert_eq!(said.trim_end(), format!("drift mode {mode}"));
        Running { child, address: address.to_owned() }
    }

    /// Sends a request over a new connection, and returns head and body of the response.
    fn send(&self, request: &str) -> (String, String) {
        let mut socket = TcpStream::connect(&self.address).expect("a connection");
        socket.set_read_timeout(Some(LIMIT)).expect("a limit");
        socket.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_lowercase(), body.to_owned())
    }

    fn get(&self, target: &str) -> (String, String) {
        self.send(&format!("GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
    }

    fn put(&self, target: &str, body: &str) -> (String, String) {
        let length = body.len();
        self.send(&format!(
            "PUT {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    }

    fn stop(&mut self, signal: &str) -> ExitStatus {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-s", signal, &id]).status().expect("kill");
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            if let Some(status) = self.child.try_wait().expect("a status") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("still running {LIMIT:?} after {signal}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn documents_come_in_the_mode_asked_for() {
    let upstream = Running::start("v2");
    let rows = [
        ("/api/user", user_body(Mode::V2)),
        ("/api/user?mode=deep", user_body(Mode::Deep)),
        ("/api/users", users_body(Mode::V2, DEFAULT_COUNT)),
        ("/api/users?mode=typo&count=3", users_body(Mode::Typo, 3)),
        ("/api/users?count=3000", users_body(Mode::V2, 3000)),
        ("/api/users?count=0", users_body(Mode::V2, 0)),
    ];
    for (target, expected) in rows {
        let (head, body) = upstream.get(target);
        assert!(head.starts_with("http/1.1 200"), "{target}: {head}");
        assert!(head.contains("content-type: application/json\r\n"), "{target}: {head}");
        assert!(head.contains(&format!("content-length: {}\r\n", expected.len())), "{target}: {head}");
        assert!(body == expected, "{target}: {body:.200}");
    }
}

#[test]
fn the_mode_switches_while_running() {
    let upstream = Running::start("healthy");
    for mode in Mode::ALL {
        let (head, said) = upstream.put("/__mode", &format!("{}\n", mode.name()));
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert_eq!(said, mode.name());
        assert_eq!(upstream.get("/__mode").1, mode.name());
        assert_eq!(upstream.get("/api/user").1, user_body(mode));
    }
    assert_eq!(upstream.put("/__mode?mode=typo", "").1, "typo");
    assert_eq!(upstream.get("/__mode").1, "typo");
}

#[test]
fn bad_requests_change_nothing_and_say_what_was_expected() {
    let upstream = Running::start("camel");
    let long = "v".repeat(1000);
    let rows = [
        (upstream.put("/__mode", "v9"), "400", "found drift mode `v9`; expected one of healthy"),
        (upstream.put("/__mode", ""), "400", "expected one of healthy"),
        (upstream.put("/__mode", &long), "400", "expected the name of a mode"),
        (upstream.put("/__mode?mode=v9", "v2"), "400", "?mode: found drift mode `v9`"),
        (upstream.put("/api/user", "v2"), "405", "expected one of GET, HEAD"),
        (upstream.get("/api/user?mode=v9"), "400", "?mode: found drift mode `v9`"),
        (upstream.get("/api/users?count=100001"), "400", "?count: found `100001`"),
        (upstream.get("/api/nothing"), "404", "expected /api/user, /api/users"),
    ];
    for ((head, body), status, expected) in rows {
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{head}");
        assert!(body.contains(expected), "{body}");
    }
    assert_eq!(upstream.get("/__mode").1, "camel");
    assert_eq!(upstream.get("/healthz").1, "ok\n");
}

#[test]
fn a_head_request_gets_the_length_and_no_body() {
    let upstream = Running::start("healthy");
    let (head, body) = upstream.send("HEAD /api/user HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let length = user_body(Mode::Healthy).len();
    assert!(head.contains(&format!("content-length: {length}\r\n")), "{head}");
    assert_eq!(body, "");
}

#[test]
fn signals_stop_it_cleanly_even_with_an_idle_connection() {
    for signal in ["TERM", "INT"] {
        let mut upstream = Running::start("healthy");
        let _idle = TcpStream::connect(&upstream.address).expect("a connection");
        assert!(upstream.stop(signal).success(), "{signal}");
    }
}

#[test]
fn bad_usage_ends_with_2_and_a_taken_port_with_1() {
    let run = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).output().expect("the program runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, error) = run(&["--drift-mode", "v9"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("found drift mode `v9`"), "{error}");
    let upstream = Running::start("healthy");
    let (_, port) = upstream.address.split_once(':').expect("a port");
    let (code, error) = run(&["--port", port]);
    assert_eq!(code, Some(1));
    assert!(error.contains("--port chooses another"), "{error}");
}
