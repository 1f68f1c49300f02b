//! The loader on a veth pair: frames sent at one end are counted at the other.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::{Output, Stdio};

use nomos_xdp::link::{Link, Mode};
use nomos_xdp::program::Counts;
use nomos_xdp::{json, report};
use serde_json::Value;

use crate::host::{COUNTED, Host, Loader};
use crate::mix::{self, PORTS};
use crate::{Case, Outcome};

/// All cases of this file.
pub const CASES: &[Case] = &[
    ("the mix in native mode", || the_mix("native")),
    ("the mix in skb mode", || the_mix("skb")),
    ("a million packets in native mode", || a_million("native")),
    ("a million packets in skb mode", || a_million("skb")),
    ("auto is native where the driver can", auto_is_native),
    ("auto is skb where the driver cannot", auto_is_skb),
    ("detached at the end", detached_at_the_end),
    ("detached by a crash", detached_by_a_crash),
    ("refuses to take the place of a link", refuses_a_link),
    ("replaces a link when told", replaces_a_link),
    ("refuses, and replaces when told, what has no link", replaces_without_a_link),
    ("an interface goes and returns", goes_and_returns),
    ("an interface is renamed and returns", renamed_and_returns),
    ("taken off by somebody else", taken_off),
    ("two interfaces", two_interfaces),
    ("metrics", metrics),
    ("once", once),
    ("reports that cannot be written", unwritten_reports),
    ("nobody reads the reports", unread_reports),
    ("without privileges", without_privileges),
    ("with two capabilities only", with_two_capabilities),
    ("no such interface", no_such_interface),
];

/// How often the first frame of the mix is sent. Each further frame is sent once more than the one before it, so that
/// no two rows can be confused.
const TIMES: u64 = 3;

const MILLION: u64 = 1_000_000;

fn the_mix(mode: &str) -> Outcome {
    let host = Host::new()?;
    let ports = PORTS.map(|port| port.to_string());
    let loader = Loader::attached(&host, &["-i", COUNTED, "--mode", mode, "-p", &ports[0], "-p", &ports[1]])?;
    let mut expected = mix::nothing();
    let mut frames = Vec::new();
    for (row, times) in mix::rows().into_iter().zip(TIMES..) {
        mix::add(&mut expected, &row, times);
        frames.extend((0..times).map(|_| row.frame.clone()));
    }
    let sent = frames.len() as u64;
    host.send(frames)?;
    loader.report(|report| report["packets"].as_u64() >= Some(sent))?;
    let (last, _) = loader.stop()?;
    same(&last, &expected, mode)
}

/// Two threads send at the same time, so that more than one processor counts.
fn a_million(mode: &str) -> Outcome {
    let host = Host::new()?;
    let loader = Loader::attached(&host, &["-i", COUNTED, "--mode", mode, "-p", &PORTS[0].to_string()])?;
    let row = &mix::rows()[0];
    let frames = || (0..MILLION / 2).map(|_| row.frame.clone());
    let again = std::thread::scope(|scope| {
        let other = scope.spawn(|| host.send(frames()));
        let again = host.send(frames())?;
        let others = other.join().map_err(|_| "the sender panicked".to_owned())??;
        Ok::<_, String>(again + others)
    })?;
    let dropped = host.lost()?.checked_sub(again).ok_or("the kernel counts fewer frames as lost than were refused")?;
    loader.report(|report| report["packets"].as_u64().unwrap_or_default() + dropped >= MILLION)?;
    let (last, _) = loader.stop()?;
    println!("{mode}: sent {MILLION}, sent again {again}, lost {dropped}, counted {}", last["packets"]);
    let mut expected = Counts { ports: mix::nothing().ports[..1].to_vec(), ..mix::nothing() };
    mix::add(&mut expected, row, MILLION - dropped);
    same(&last, &expected, mode)
}

fn auto_is_native() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::start(&host, &["-i", COUNTED])?;
    loader.wait_for("counted: attached in native mode")?;
    loader.report(|report| report["mode"] == "native").map(drop)
}

fn auto_is_skb() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::start(&host, &["-i", "lo"])?;
    loader.wait_for("lo: no native mode here")?;
    loader.wait_for("lo: attached in skb mode")?;
    loader.stop()?;
    let refused = output(&host, &["-i", "lo", "--mode", "native", "--once"])?;
    expect(&refused, 3, "the driver of lo")
}

fn detached_at_the_end() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::attached(&host, &["-i", COUNTED])?;
    has_program(&host, true)?;
    let (_, code) = loader.stop()?;
    if code != Some(0) {
        return Err(format!("found the exit code {code:?}; expected 0"));
    }
    has_program(&host, false)
}

fn detached_by_a_crash() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::attached(&host, &["-i", COUNTED])?;
    has_program(&host, true)?;
    loader.crash()?;
    has_program(&host, false)
}

fn refuses_a_link() -> Outcome {
    let host = Host::new()?;
    let first = Loader::attached(&host, &["-i", COUNTED])?;
    for mode in ["auto", "native", "skb"] {
        let refused = output(&host, &["-i", COUNTED, "--mode", mode, "--once"])?;
        expect(&refused, 1, "there is an XDP program already (nomos_xdp, id ")?;
    }
    // The first one still counts.
    host.send(vec![mix::rows()[0].frame.clone()])?;
    first.report(|report| report["packets"] == 1).map(drop)
}

fn replaces_a_link() -> Outcome {
    let host = Host::new()?;
    let first = Loader::attached(&host, &["-i", COUNTED])?;
    let second = Loader::start(&host, &["-i", COUNTED, "--replace"])?;
    second.wait_for("removed the XDP program that was there")?;
    second.wait_for("attached in native mode")?;
    first.wait_for("taken off by somebody else")?;
    first.wait_for("there is an XDP program already")?;
    second.stop()?;
    // Now the first one has room again.
    first.wait_for("attached in native mode").map(drop)
}

fn replaces_without_a_link() -> Outcome {
    let host = Host::new()?;
    host.ip(&[
        "link",
        "set",
        "dev",
        COUNTED,
        "xdpgeneric",
        "obj",
        concat!(env!("OUT_DIR"), "/pass.o"),
        "sec",
        "xdp.frags",
    ])?;
    for mode in ["auto", "native", "skb"] {
        let refused = output(&host, &["-i", COUNTED, "--mode", mode, "--once"])?;
        expect(&refused, 1, "there is an XDP program already (nomos_pass, id ")?;
    }
    has_program(&host, true)?;
    let loader = Loader::attached(&host, &["-i", COUNTED, "--replace"])?;
    host.send(vec![mix::rows()[0].frame.clone()])?;
    loader.report(|report| report["packets"] == 1)?;
    loader.stop()?;
    has_program(&host, false)
}

fn goes_and_returns() -> Outcome {
    let host = Host::new()?;
    host.ip(&["link", "set", "lo", "up"])?;
    let loader = Loader::attached(&host, &["-i", COUNTED, "-i", "lo"])?;
    loader.wait_for("lo: attached")?;
    host.send(vec![mix::rows()[0].frame.clone(); 5])?;
    loader.report(|report| report["interface"] == COUNTED && report["packets"] == 5)?;
    host.ip(&["link", "delete", COUNTED])?;
    loader.wait_for("counted: the interface is gone")?;
    loader.report(|report| report["interface"] == COUNTED && report["mode"].is_null())?;
    loader.report(|report| report["interface"] == "lo" && report["mode"] == "skb")?;
    host.connect()?;
    loader.wait_for("counted: attached in native mode")?;
    host.send(vec![mix::rows()[0].frame.clone(); 2])?;
    loader.report(|report| report["interface"] == COUNTED && report["packets"] == 7).map(drop)
}

fn renamed_and_returns() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::attached(&host, &["-i", COUNTED])?;
    let rename = |from: &str, to: &str| {
        host.ip(&["link", "set", from, "down"])?;
        host.ip(&["link", "set", from, "name", to, "up"])
    };
    rename(COUNTED, "other")?;
    loader.wait_for("counted: the interface is called other now")?;
    host.send(vec![mix::rows()[0].frame.clone(); 5])?;
    rename("other", COUNTED)?;
    loader.wait_for("counted: attached in native mode")?;
    host.send(vec![mix::rows()[0].frame.clone(); 2])?;
    let (last, _) = loader.report(|report| report["packets"] == 2).and_then(|_| loader.stop())?;
    if last["packets"] == 2 { Ok(()) } else { Err(format!("found {last}; expected what came under its name only")) }
}

fn taken_off() -> Outcome {
    let host = Host::new()?;
    let loader = Loader::attached(&host, &["-i", COUNTED])?;
    let link = host.link()?;
    let index = number(&link["ifindex"])?;
    let program = number(&link["xdp"]["prog"]["id"])?;
    let held = Link::find(index, program).map_err(|error| error.to_string())?.ok_or("found no link; expected one")?;
    held.detach().map_err(|error| error.to_string())?;
    loader.wait_for("taken off by somebody else")?;
    loader.wait_for("counted: attached in native mode").map(drop)
}

fn two_interfaces() -> Outcome {
    let host = Host::new()?;
    host.ip(&["link", "set", "lo", "up"])?;
    let loader = Loader::attached(&host, &["-i", COUNTED, "-i", "lo", "-p", "8080"])?;
    loader.wait_for("lo: attached")?;
    host.send(vec![mix::rows()[0].frame.clone(); 4])?;
    host.inside(|| {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let to = socket.local_addr().map_err(|error| error.to_string())?;
        (0..3).try_for_each(|_| socket.send_to(&[1; 10], to).map(drop)).map_err(|error| error.to_string())
    })?;
    loader.report(|report| report["interface"] == COUNTED && report["transport"]["tcp"]["packets"] == 4)?;
    loader.report(|report| report["interface"] == "lo" && report["transport"]["udp"]["packets"] == 3)?;
    Ok(())
}

fn metrics() -> Outcome {
    let host = Host::new()?;
    host.ip(&["link", "set", "lo", "up"])?;
    let loader = Loader::attached(&host, &["-i", COUNTED, "-p", "8080", "--metrics", "127.0.0.1:9902"])?;
    loader.wait_for("metrics on http://127.0.0.1:9902/metrics")?;
    host.send(vec![mix::rows()[0].frame.clone(); 6])?;
    loader.report(|report| report["packets"] == 6)?;
    let text = host.inside(|| get("/metrics"))?;
    for expected in [
        "HTTP/1.1 200 OK",
        "content-type: text/plain; version=0.0.4",
        "# TYPE nomos_xdp_packets_total counter",
        "nomos_xdp_packets_total{interface=\"counted\",family=\"ipv4\"} 6",
        "nomos_xdp_port_syn_total{interface=\"counted\",port=\"8080\"} 6",
        "nomos_xdp_attached{interface=\"counted\",mode=\"native\"} 1",
    ] {
        if !text.lines().any(|line| line.starts_with(expected)) {
            return Err(format!("found\n{text}\nexpected the line `{expected}`"));
        }
    }
    let other = host.inside(|| get("/"))?;
    if !other.starts_with("HTTP/1.1 404") {
        return Err(format!("found {other}; expected a 404"));
    }
    let taken = output(&host, &["-i", "lo", "--once", "--metrics", "127.0.0.1:9902"])?;
    expect(&taken, 1, "--metrics 127.0.0.1:9902: Address already in use")
}

fn once() -> Outcome {
    let host = Host::new()?;
    let table = output(&host, &["-i", COUNTED, "--once", "--interval", "100ms"])?;
    expect(&table, 0, "attached in native mode")?;
    let text = String::from_utf8_lossy(&table.stdout).into_owned();
    if !text.starts_with("counted (native)  0 packets/s") {
        return Err(format!("found {text}; expected a table of counted"));
    }
    let lines = output(&host, &["-i", COUNTED, "--once", "--json", "--interval", "100ms"])?;
    let lines = String::from_utf8_lossy(&lines.stdout).into_owned();
    let report: Value =
        serde_json::from_str(&lines).map_err(|error| format!("found {lines} ({error}); expected one line"))?;
    if report["mode"] == "native" {
        has_program(&host, false)
    } else {
        Err(format!("found {report}; expected its mode"))
    }
}

fn unwritten_reports() -> Outcome {
    let host = Host::new()?;
    for more in [&["--json"][..], &["--once", "--json"], &["--once"]] {
        let full = File::options().write(true).open("/dev/full").map_err(|error| error.to_string())?;
        expect(&output_to(full, &host, more)?, 1, "nomos-xdp: stdout: No space left on device")?;
        has_program(&host, false)?;
    }
    Ok(())
}

fn unread_reports() -> Outcome {
    let host = Host::new()?;
    for more in [&["--json"][..], &["--once", "--json"], &["--once"]] {
        let (_, writer) = io::pipe().map_err(|error| error.to_string())?;
        let quiet = output_to(writer, &host, more)?;
        expect(&quiet, 0, "attached in native mode")?;
        let said = String::from_utf8_lossy(&quiet.stderr);
        if said.lines().count() != 1 {
            return Err(format!("found `{said}`; expected nothing about the output"));
        }
    }
    Ok(())
}

fn without_privileges() -> Outcome {
    let host = Host::new()?;
    for (more, code) in [(&[][..], 3), (&["--optional"][..], 0)] {
        let mut command = host.command("setpriv");
        command.args(["--reuid", "65534", "--clear-groups", env!("CARGO_BIN_EXE_nomos-xdp"), "-i", COUNTED]).args(more);
        let output = command.output().map_err(|error| error.to_string())?;
        expect(
            &output,
            code,
            "attaching an XDP program takes CAP_BPF and CAP_NET_ADMIN, which this process does not have",
        )?;
        let lines = String::from_utf8_lossy(&output.stderr).lines().count();
        if lines != 1 || !output.stdout.is_empty() {
            return Err(format!("found {output:?}; expected one sentence"));
        }
    }
    Ok(())
}

fn with_two_capabilities() -> Outcome {
    let host = Host::new()?;
    let only = "+bpf,+net_admin";
    let mut command = host.command("setpriv");
    command
        .args(["--reuid", "65534", "--clear-groups", "--inh-caps", &format!("-all,{only}")])
        .args(["--ambient-caps", &format!("-all,{only}"), "--bounding-set", &format!("-all,{only}"), "--no-new-privs"])
        .args([env!("CARGO_BIN_EXE_nomos-xdp"), "-i", COUNTED, "--once", "--interval", "100ms"]);
    let output = command.output().map_err(|error| error.to_string())?;
    expect(&output, 0, "attached in native mode")
}

fn no_such_interface() -> Outcome {
    let host = Host::new()?;
    let refused = output(&host, &["-i", "nowhere", "--once"])?;
    expect(&refused, 1, "there is no interface nowhere; expected one of lo, counted")
}

/// Compares a JSON report with the expected one, except for times and rates.
fn same(found: &Value, expected: &Counts, mode: &str) -> Outcome {
    let expected = report::Report {
        interface: COUNTED.to_owned(),
        mode: Some(if mode == "native" { Mode::Native } else { Mode::Skb }),
        counts: expected.clone(),
        rate: report::Rate::default(),
    };
    let mut expected: Value = serde_json::from_str(&json::line(&expected)).map_err(|error| error.to_string())?;
    for moving in ["time", "per_second"] {
        expected[moving] = found[moving].clone();
    }
    if *found == expected { Ok(()) } else { Err(format!("found {found}\nexpected {expected}")) }
}

fn output(host: &Host, arguments: &[&str]) -> Result<Output, String> {
    host.loader(arguments).output().map_err(|error| error.to_string())
}

/// Runs the loader with its standard output elsewhere.
fn output_to(stdout: impl Into<Stdio>, host: &Host, more: &[&str]) -> Result<Output, String> {
    let mut command = host.loader(&["-i", COUNTED, "--interval", "100ms"]);
    command.args(more).stdout(stdout).output().map_err(|error| error.to_string())
}

fn expect(output: &Output, code: i32, text: &str) -> Outcome {
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(code) && said.contains(text) {
        Ok(())
    } else {
        Err(format!("found {} and `{}`; expected {code} and `{text}`", output.status, said.trim()))
    }
}

fn has_program(host: &Host, expected: bool) -> Outcome {
    let link = host.link()?;
    if link["xdp"].is_object() == expected {
        Ok(())
    } else {
        Err(format!("found {link}; expected {} program", if expected { "a" } else { "no" }))
    }
}

fn get(path: &str) -> Result<String, String> {
    let mut socket = TcpStream::connect("127.0.0.1:9902").map_err(|error| error.to_string())?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).map_err(|error| error.to_string())?;
    let mut text = String::new();
    socket.read_to_string(&mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn number(value: &Value) -> Result<u32, String> {
    value.as_u64().and_then(|number| number.try_into().ok()).ok_or_else(|| format!("found {value}; expected a number"))
}
