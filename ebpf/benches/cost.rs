//! Measures the cost of the program per packet, compared with a program that does nothing. Needs root.
//!
//! `cargo bench -p nomos-xdp --bench cost` measures each kind of packet by `BPF_PROG_TEST_RUN`, repeated in the kernel.
//! Then it reads the kernel's run-time statistics while datagrams pass over a loopback of its own. These statistics
//! read the clock twice per packet, which is included in both figures.

use std::fs;
use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, ExitCode};

use aya::programs::{TestRun, TestRunOptions, Xdp};
use aya::sys::{Stats, enable_stats};
use aya::{Ebpf, include_bytes_aligned};
use nomos_xdp::available;
use nomos_xdp::link::{Link, Mode};
use nomos_xdp::program::{Error, Program, Variant};
use rustix::thread::{UnshareFlags, unshare_unsafe};

static PASS: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/pass.o"));

/// Rounds over all programs and packets. Each figure is the minimum of its rounds, because disturbances only make a
/// program slower.
const ROUNDS: usize = 15;

/// How often a program runs in one round.
const REPEAT: u32 = 500_000;

/// How many datagrams each round of the load sends.
const DATAGRAMS: u64 = 50_000;

/// The watched port.
const PORT: u16 = 8080;

/// The maximum cost per packet above that of the empty program.
const LIMIT_NS: f64 = 25.0;

fn main() -> ExitCode {
    if let Some(obstacle) = available::obstacle() {
        println!("cost: skipped: {obstacle}");
        return ExitCode::SUCCESS;
    }
    match packets().and_then(|()| load()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cost: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the empty program and all variants of ours.
fn packets() -> Result<(), Error> {
    let mut empty = Ebpf::load(PASS)?;
    let empty = empty_program(&mut empty)?;
    let mut program = Program::new(&[PORT])?;
    let kinds = kinds();
    let mut least = vec![[f64::INFINITY; 5]; kinds.len()];
    for _ in 0..ROUNDS {
        for ((_, packet), least) in kinds.iter().zip(&mut least) {
            let ours = |variant| program.test_run(variant, options(packet)).map(|result| result.duration);
            let [plain, call, frags, skb] = Variant::ALL.map(ours);
            let durations = [empty.test_run(options(packet))?.duration, plain?, call?, frags?, skb?];
            for (least, duration) in least.iter_mut().zip(durations) {
                *least = least.min(duration.as_secs_f64() * 1e9);
            }
        }
    }
    println!("ns per packet, the least of {ROUNDS} rounds of {REPEAT} runs; + is over the empty program\n");
    let names = Variant::ALL.map(|variant| format!(" {:>15} |", variant.name())).concat();
    println!("| packet                       | empty |{names}");
    println!("|------------------------------|------:|{}", "----------------:|".repeat(Variant::ALL.len()));
    let mut most: f64 = 0.0;
    for ((name, _), [empty, ours @ ..]) in kinds.iter().zip(least) {
        let cells = ours.map(|ns| format!(" {:>15} |", format!("{ns:.0} (+{:.0})", ns - empty))).concat();
        println!("| {name:<28} | {empty:>5.0} |{cells}");
        // Each extension header costs something, and hardly any packet has one.
        if !name.contains("extension") {
            most = ours.iter().fold(most, |most, ns| most.max(ns - empty));
        }
    }
    println!("\nwithout extension headers at most +{most:.0} ns; the limit is {LIMIT_NS} ns\n");
    Ok(())
}

fn load() -> Result<(), Error> {
    // SAFETY: only the network namespace of this thread changes, and no other thread relies on sharing it.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
    let up = Command::new("ip").args(["link", "set", "lo", "up"]).status()?;
    if !up.success() {
        return Err("the loopback of a network namespace could not be set up".into());
    }
    let _statistics = enable_stats(Stats::RunTime)?;
    let mut empty = Ebpf::load(PASS)?;
    let empty = empty_program(&mut empty)?;
    let mut program = Program::new(&[PORT])?;
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    // The first interface of a namespace is its loopback.
    let loopback = 1;
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let link = Link::attach(empty.fd()?, loopback, Mode::Skb)?;
        least[0] = least[0].min(per_packet(empty.fd()?, &socket)?);
        drop(link);
        let link = program.attach(loopback, Mode::Skb)??;
        least[1] = least[1].min(per_packet(program.fd(Variant::Skb)?, &socket)?);
        drop(link);
    }
    let [empty, ours] = least;
    println!(
        "ns per packet by the kernel's statistics, under {DATAGRAMS} datagrams over loopback (skb), least of {ROUNDS}:"
    );
    println!("empty {empty:.0}, nomos_xdp_skb {ours:.0} (+{:.0})", ours - empty);
    Ok(())
}

/// Sends datagrams, and returns the time that the program took for each.
fn per_packet(program: &impl AsFd, socket: &UdpSocket) -> Result<f64, Error> {
    let before = statistics(program)?;
    let (to, mut buffer) = (socket.local_addr()?, [0; 64]);
    for _ in 0..DATAGRAMS {
        socket.send_to(&[0; 64], to)?;
        socket.recv(&mut buffer)?;
    }
    let after = statistics(program)?;
    if after.1 - before.1 < DATAGRAMS {
        return Err(format!("the program ran {} times for {DATAGRAMS} packets", after.1 - before.1).into());
    }
    Ok((after.0 - before.0) as f64 / (after.1 - before.1) as f64)
}

/// Returns the total run time of a program in nanoseconds, and the number of its runs.
fn statistics(program: &impl AsFd) -> Result<(u64, u64), Error> {
    let text = fs::read_to_string(format!("/proc/thread-self/fdinfo/{}", program.as_fd().as_raw_fd()))?;
    let number = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.and_then(|value| value.trim().parse().ok()).ok_or_else(|| format!("found no {name} in {text}"))
    };
    Ok((number("run_time_ns:")?, number("run_cnt:")?))
}

fn empty_program(from: &mut Ebpf) -> Result<&mut Xdp, Error> {
    let program: &mut Xdp =
        from.program_mut("nomos_pass").ok_or("the empty program is not in its object")?.try_into()?;
    program.load()?;
    Ok(program)
}

fn options(packet: &[u8]) -> TestRunOptions<'_> {
    let mut options = TestRunOptions::new();
    options.data_in = Some(packet);
    options.repeat = REPEAT;
    options
}

/// Returns kinds of packets, from common ones to the longest that the program parses.
fn kinds() -> Vec<(&'static str, Vec<u8>)> {
    let ethernet = |kind: u16, payload: &[u8]| [&[2; 12], kind.to_be_bytes().as_slice(), payload].concat();
    let ipv4 = |protocol: u8, payload: &[u8]| {
        [&[0x45, 0, 0, 0, 0, 0, 0, 0, 64, protocol], [9; 10].as_slice(), payload].concat()
    };
    let ipv6 = |next: u8, payload: &[u8]| [&[0x60, 0, 0, 0, 0, 0, next, 64], [9; 32].as_slice(), payload].concat();
    let tcp = |port: u16, flags: u8, data: usize| {
        [&[1, 1], port.to_be_bytes().as_slice(), &[0; 8], &[0x50, flags, 0, 0, 0, 0, 0, 0], &vec![7; data]].concat()
    };
    let tag = |kind: u16, payload: &[u8]| [&[0, 5], kind.to_be_bytes().as_slice(), payload].concat();
    let extensions = |count: usize, payload: &[u8]| {
        (0..count)
            .fold((6, payload.to_vec()), |(next, inner), _| (60, [&[next, 0, 0, 0, 0, 0, 0, 0], &*inner].concat()))
            .1
    };
    vec![
        ("TCP data, port not watched", ethernet(0x0800, &ipv4(6, &tcp(80, 16, 60)))),
        ("TCP data, port watched", ethernet(0x0800, &ipv4(6, &tcp(PORT, 16, 60)))),
        ("TCP data, full frame", ethernet(0x0800, &ipv4(6, &tcp(PORT, 16, 1460)))),
        ("TCP SYN, port watched", ethernet(0x0800, &ipv4(6, &tcp(PORT, 2, 0)))),
        ("UDP", ethernet(0x0800, &ipv4(17, &[0; 60]))),
        ("TCP in IPv6", ethernet(0x86dd, &ipv6(6, &tcp(PORT, 16, 60)))),
        ("TCP behind two tags", ethernet(0x88a8, &tag(0x8100, &tag(0x0800, &ipv4(6, &tcp(PORT, 16, 60)))))),
        ("ARP", ethernet(0x0806, &[0; 46])),
        ("TCP in IPv6, 1 extension", ethernet(0x86dd, &ipv6(60, &extensions(1, &tcp(PORT, 16, 60))))),
        ("TCP in IPv6, 8 extensions", ethernet(0x86dd, &ipv6(60, &extensions(8, &tcp(PORT, 16, 60))))),
    ]
}
