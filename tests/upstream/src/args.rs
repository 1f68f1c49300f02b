//! The command line.

use crate::mode::Mode;
use std::net::{IpAddr, Ipv4Addr};

/// The output of `--help`.
pub const USAGE: &str = "\
An HTTP API whose user drifts away from its contract.

Usage: drifting-upstream [--host ADDRESS] [--port PORT] [--drift-mode MODE]

  --host ADDRESS     address to listen on (default 127.0.0.1)
  --port PORT        port to listen on (default 9090; 0 takes a free one)
  --drift-mode MODE  healthy, v2, camel, nested, deep, typo, abbrev, legacy or mixed
                     (default healthy)

The first line on stdout tells the address. Then:

  curl localhost:9090/api/user                  one user
  curl localhost:9090/api/users?count=100       a list (default 20, at most 100000)
  curl localhost:9090/api/user?mode=camel       another mode for one request
  curl -X PUT -d deep localhost:9090/__mode     another mode from now on
  curl localhost:9090/__mode                    the mode
  curl localhost:9090/healthz                   200 once it serves
";

/// A parsed command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Args {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The mode to start in.
    pub mode: Mode,
    /// Whether only the usage is requested.
    pub help: bool,
}

impl Args {
    /// Parses the arguments after the program's name.
    pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Args, String> {
        let mut args = Args { host: Ipv4Addr::LOCALHOST.into(), port: 9090, mode: Mode::Healthy, help: false };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value = || {
                let value = value.clone().or_else(|| arguments.next());
                value.ok_or_else(|| format!("{name}: found nothing; expected a value"))
            };
            match name.as_str() {
                "--host" => args.host = host(&value()?)?,
                "--port" => args.port = port(&value()?)?,
                "--drift-mode" => {
                    args.mode = value()?.parse().map_err(|error| format!("--drift-mode: {error}"))?;
                }
                "--help" | "-h" => args.help = true,
                _ => {
                    return Err(format!("found `{name}`; expected --host, --port, --drift-mode or --help"));
                }
            }
        }
        Ok(args)
    }
}

fn host(text: &str) -> Result<IpAddr, String> {
    if text == "localhost" {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    text.parse().map_err(|_| format!("--host: found `{text}`; expected an IP address or localhost"))
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| format!("--port: found `{text}`; expected a number from 0 to 65535"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<(String, u16, &'static str), String> {
        let args = Args::parse(line.split_whitespace().map(str::to_owned))?;
        Ok((args.host.to_string(), args.port, args.mode.name()))
    }

    #[test]
    fn options_are_read_in_any_order_and_form() {
        let rows = [
            ("", "127.0.0.1", 9090, "healthy"),
            ("--port 0", "127.0.0.1", 0, "healthy"),
            ("--drift-mode v2 --port 8081", "127.0.0.1", 8081, "v2"),
            ("--port=8081 --drift-mode=deep", "127.0.0.1", 8081, "deep"),
            ("--host 0.0.0.0", "0.0.0.0", 9090, "healthy"),
            ("--host ::1", "::1", 9090, "healthy"),
            ("--host localhost", "127.0.0.1", 9090, "healthy"),
        ];
        for (line, host, port, mode) in rows {
            assert_eq!(parse(line), Ok((host.to_owned(), port, mode)), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        let rows = [
            ("--port", "--port: found nothing"),
            ("--port 70000", "--port: found `70000`"),
            ("--host nowhere", "--host: found `nowhere`"),
            ("--drift-mode v9", "--drift-mode: found drift mode `v9`"),
            ("--verbose", "found `--verbose`"),
            ("v2", "found `v2`"),
        ];
        for (line, expected) in rows {
            let error = parse(line).expect_err(line);
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}
