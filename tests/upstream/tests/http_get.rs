//! `http-get` as images start it: its output, and its exit code, which decides whether a container is healthy.

use drifting_upstream::{Mode, user_body};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// An upstream on a free port, killed when dropped.
struct Upstream(Child, String);

impl Upstream {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_drifting-upstream"))
            .args(["--port", "0", "--drift-mode", "v2"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the upstream starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its stdout")).read_line(&mut line).expect("a first line");
        let address = line.split(['/', ',']).find(|part| part.contains(':') && part.contains('.')).expect("an address");
        Self(child, address.to_owned())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.1)
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn http_get(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_http-get")).args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn it_prints_status_and_bytes() {
    let upstream = Upstream::start();
    let url = upstream.url("/api/user");
    let (code, out, _) = http_get(&[&url]);
    assert_eq!((code, out), (Some(0), format!("GET {url}: 200 OK\n{}\n", user_body(Mode::V2))));
}

#[test]
fn as_a_health_check_it_is_silent_when_all_is_well_and_fails_else() {
    let upstream = Upstream::start();
    let rows = [
        (upstream.url("/healthz"), 0, ""),
        (upstream.url("/api/nothing"), 1, "404"),
        ("http://127.0.0.1:1/healthz".to_owned(), 1, "refused"),
        ("nonsense".to_owned(), 2, "expected a URL"),
    ];
    for (url, expected, said) in rows {
        let (code, out, error) = http_get(&["--quiet", &url]);
        let all = out + &error;
        assert_eq!(code, Some(expected), "{url}: {all}");
        assert!(all.contains(said) && all.is_empty() == said.is_empty(), "{url}: {all}");
    }
}
