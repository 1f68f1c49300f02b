//! Shows Nomos at work: sends each drift mode through a real Envoy, counts and times it, and prints two modes before
//! and after healing.
//!
//! Exits with 0 only if every field of every mode is healed. With `--stay` everything stays up until Ctrl-C.

mod packets;
mod ports;
mod stay;
mod table;
mod view;

use std::net::SocketAddr;
use std::process::ExitCode;

use drifting_upstream::{Mode, user_body};
use nomos_tests::client::{self, End, Reply};
use nomos_tests::drift::{self, Api};
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::paths;
use nomos_tests::shipped::{self, Changes};

use crate::packets::Packets;
use crate::table::Row;
use crate::view::Paint;

/// Requests per mode. The time shown is their median, because the first ones still fill caches.
const REQUESTS: usize = 50;

/// The modes shown before and after: one that renames, one that moves.
const SHOWN: [Mode; 2] = [Mode::V2, Mode::Deep];

fn main() -> ExitCode {
    let stay = std::env::args().any(|argument| argument == "--stay");
    match demo(stay) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("demo: not everything was healed; see the table");
            ExitCode::FAILURE
        }
        Err(why) => {
            eprintln!("demo: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the demo. Returns whether everything was healed.
fn demo(stay: bool) -> Result<bool, String> {
    let [proxy, upstream, admin] = ports::free()?;
    let module = paths::module()?;
    let binary = paths::envoy("pinned")?;

    // Another demo may have taken the port since it was checked.
    let api = Api::start(upstream).map_err(|why| format!("{why}; choose another with {}", ports::UPSTREAM))?;
    println!("upstream  http://{}  a user API that drifts in nine modes", api.address());
    let config =
        shipped::config(Changes { proxy, upstream: api.address().port(), admin, module: &module, held: true })?;
    let mut envoy =
        Envoy::start(&binary, &config).map_err(|e| format!("{}; its log ends:\n{}", e.why, envoy::tail(&e.log)))?;
    let proxy = envoy.listener("nomos")?;
    println!("proxy     http://{proxy}  {}", binary.display());
    println!("admin     http://{}", envoy.admin());
    let counted = Packets::start(proxy.port(), api.address().port(), stay);
    match &counted {
        Ok(_) => println!("packets   counted on lo by nomos-xdp (skb)\n"),
        Err(why) => println!("packets   not counted: {why}\n"),
    }

    let rows = Mode::ALL.into_iter().map(|mode| measure(proxy, mode)).collect::<Result<Vec<Row>, String>>()?;
    print!("{}", table::render(&rows, REQUESTS));
    let mut kept = None;
    match counted {
        Ok(packets) if stay => {
            print!("\n{}", packets.counted()?);
            kept = Some(packets);
        }
        Ok(packets) => print!("\n{}", packets.stop()?),
        Err(_) => (),
    }
    let paint = Paint::for_stdout();
    for mode in SHOWN {
        print!("\n{}", view::before_after(mode, &user_body(mode), &get(proxy, mode)?.body, paint));
    }
    envoy.check()?;
    let healed = rows.iter().all(Row::is_healed);
    println!("\n{}{}", table::total(&rows), if healed && !stay { " Next: make run" } else { "" });
    if stay && healed {
        stay::up(&mut envoy, proxy, api.address(), kept.is_some())?;
    }
    Ok(healed)
}

fn measure(proxy: SocketAddr, mode: Mode) -> Result<Row, String> {
    let replies = (0..REQUESTS).map(|_| get(proxy, mode)).collect::<Result<Vec<Reply>, String>>()?;
    let mut times: Vec<u64> =
        replies.iter().filter_map(|reply| reply.text("x-nomos-latency-us").parse().ok()).collect();
    times.sort_unstable();
    let last = replies.last().ok_or("no reply")?;
    Ok(Row {
        mode,
        healed: drift::restored(mode, &last.body),
        ops: last.text("x-nomos-ops").parse().unwrap_or_default(),
        microseconds: times.get(times.len() / 2).copied(),
        exact: replies.iter().all(|reply| reply.body == last.body) && drift::is_healthy(&last.body),
    })
}

fn get(proxy: SocketAddr, mode: Mode) -> Result<Reply, String> {
    let path = format!("/api/user?mode={}", mode.name());
    let reply = client::fetch(proxy, "GET", &path, &[]).map_err(|e| format!("http://{proxy}{path}: {e}"))?;
    if reply.status == 200 && reply.end == End::Complete {
        Ok(reply)
    } else {
        Err(format!("http://{proxy}{path}: found status {} ({:?}), expected a complete 200", reply.status, reply.end))
    }
}
