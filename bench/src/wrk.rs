//! wrk, a closed-loop load generator that most distributions have.

use std::path::Path;
use std::process::Command;

/// Runs wrk. Returns the requests per second, and the latency at the 50th and 99th percentiles in microseconds.
pub fn run(wrk: &Path, uri: &str, connections: usize, seconds: u64) -> Result<[f64; 3], String> {
    let output = Command::new(wrk)
        .args(["--threads", "1", "--latency", "--connections", &connections.to_string()])
        .args(["--duration", &format!("{seconds}s"), uri])
        .output()
        .map_err(|error| format!("wrk: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains("Non-2xx") || text.contains("Socket errors") {
        return Err(format!("wrk met errors at {connections} connections:\n{text}"));
    }
    read(&text).ok_or_else(|| format!("wrk says something else than expected:\n{text}"))
}

fn read(text: &str) -> Option<[f64; 3]> {
    let value = |name: &str| text.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    Some([value("Requests/sec:")?.parse().ok()?, us(value("50%")?)?, us(value("99%")?)?])
}

/// Parses a duration such as `1.20ms`, and returns it in microseconds.
fn us(text: &str) -> Option<f64> {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic())?);
    let number: f64 = number.parse().ok()?;
    match unit {
        "us" => Some(number),
        "ms" => Some(number * 1e3),
        "s" => Some(number * 1e6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrk_prints_is_read() {
        let text = "  Latency Distribution\n     50%  612.00us\n     75%    1.10ms\n     90%    1.83ms\n     99%    2.50ms\n\
            \x20 1000 requests in 1.00s, 1.00MB read\nRequests/sec:  52333.11\nTransfer/sec:      1.00MB\n";
        assert_eq!(read(text), Some([52_333.11, 612.0, 2_500.0]));
        assert_eq!(read("unable to connect"), None);
    }
}
