//! The command line.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::{Parser, ValueEnum};

use crate::program::PORTS;

/// The default address of the metrics: on this machine only, because they reveal who talks to it.
const METRICS: &str = "127.0.0.1:9902";

/// The maximum length of an interface's name in bytes (`IFNAMSIZ` is 16 with the final zero).
const NAME_BYTES: usize = 15;

/// Counts the packets that arrive on an interface, in the kernel, by an XDP program that lets all of them pass.
#[derive(Clone, Debug, Parser)]
#[command(name = "nomos-xdp", version, after_help = NOTES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct Options {
    /// Interface to count on; may be given several times
    #[arg(short, long, required = true, value_name = "NAME", value_parser = interface)]
    pub interface: Vec<String>,

    /// Where packets meet the program: in the driver (native) or in the kernel's network stack (skb)
    #[arg(long, value_enum, default_value_t = Wanted::Auto)]
    pub mode: Wanted,

    /// TCP destination port to count by itself; may be given several times
    #[arg(short, long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Vec<u16>,

    /// Serve metrics for Prometheus under /metrics; a port alone is one on loopback
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = METRICS, value_parser = address)]
    pub metrics: Option<SocketAddr>,

    /// How often to report
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub interval: Duration,

    /// Print a line of JSON per interface and interval
    #[arg(long)]
    pub json: bool,

    /// Report once, after one interval, and exit
    #[arg(long)]
    pub once: bool,

    /// Exit with 0 where privileges or kernel do not allow it
    #[arg(long)]
    pub optional: bool,

    /// Take the place of an XDP program that is there already; it does not come back
    #[arg(long)]
    pub replace: bool,
}

const NOTES: &str = "\
On a terminal it shows a table that it keeps up to date; else it is silent without --json, and says its totals at the end.
The program is detached when this one ends, however it ends.

Exit codes: 0 done, 1 failed, 2 bad usage, 3 privileges or kernel do not allow it.";

/// What the user wants of the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Wanted {
    /// Native where the driver can, else skb
    Auto,
    /// In the driver, or not at all
    Native,
    /// In the kernel's network stack, on any interface
    Skb,
}

impl Options {
    /// Parses the command line of this process. Ends the process if it is invalid, or asks for help.
    pub fn from_command_line() -> Self {
        let mut options = Self::parse();
        if let Err(why) = options.settle() {
            clap::Error::raw(clap::error::ErrorKind::ValueValidation, format!("{why}\n")).exit();
        }
        options
    }

    /// Removes duplicates.
    fn settle(&mut self) -> Result<(), String> {
        self.port.sort_unstable();
        self.port.dedup();
        self.interface = first_ones(std::mem::take(&mut self.interface));
        match self.port.len() {
            found if found > PORTS => Err(format!("found {found} ports; expected at most {PORTS}")),
            _ => Ok(()),
        }
    }
}

fn first_ones(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

fn interface(text: &str) -> Result<String, String> {
    if (1..=NAME_BYTES).contains(&text.len()) && !text.contains(|c: char| c == '/' || c.is_whitespace()) {
        Ok(text.to_owned())
    } else {
        Err(format!("expected the name of an interface, of at most {NAME_BYTES} bytes"))
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.parse().map(|port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    port.or_else(|_| text.parse()).map_err(|_| format!("expected a port, or an address with a port such as {METRICS}"))
}

fn interval(text: &str) -> Result<Duration, String> {
    let expected = "expected a time from 100ms to 1h, such as 1s";
    let time = humantime::parse_duration(text).map_err(|_| expected.to_owned())?;
    // More frequent readings of all processors' counters are wasted work, and Prometheus serves longer intervals
    // better.
    if (Duration::from_millis(100)..=Duration::from_hours(1)).contains(&time) {
        Ok(time)
    } else {
        Err(expected.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(more: &[&str]) -> Result<Options, String> {
        let line = ["nomos-xdp", "--interface", "lo"].iter().chain(more);
        let mut options = Options::try_parse_from(line).map_err(|error| error.to_string())?;
        options.settle().map(|()| options)
    }

    #[test]
    fn the_definition_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn metrics_are_on_loopback_unless_told() {
        let rows = [
            (vec![], None),
            (vec!["--metrics"], Some("127.0.0.1:9902")),
            (vec!["--metrics", "9000"], Some("127.0.0.1:9000")),
            (vec!["--metrics", "0.0.0.0:9000"], Some("0.0.0.0:9000")),
            (vec!["--metrics", "[::1]:9000"], Some("[::1]:9000")),
        ];
        for (line, expected) in rows {
            let found = parse(&line).expect("in order").metrics;
            assert_eq!(found, expected.map(|text| text.parse().expect("an address")), "{line:?}");
        }
    }

    #[test]
    fn bad_values_are_refused() {
        for line in [
            ["--port", "0"],
            ["--port", "65536"],
            ["--interval", "1ms"],
            ["--interval", "2h"],
            ["--mode", "fast"],
            ["--metrics", "here"],
            ["--interface", "a-name-that-is-too-long"],
            ["--interface", ""],
        ] {
            assert!(parse(&line).is_err(), "{line:?}");
        }
        let ports: Vec<String> = (1..=256).map(|port| format!("--port={port}")).collect();
        let said = parse(&ports.iter().map(String::as_str).collect::<Vec<_>>()).expect_err("too many");
        assert_eq!(said, "found 256 ports; expected at most 255");
    }

    #[test]
    fn what_is_said_twice_counts_once() {
        let options = parse(&["--port", "80", "--port", "80", "--interface", "lo"]).expect("in order");
        assert_eq!((options.port, options.interface), (vec![80], vec!["lo".to_owned()]));
    }
}
