//! The shipped files with the few changes that a test needs: other addresses, and minutes that pass as seconds.

use std::fs;
use std::net::SocketAddr;

use nomos_tests::paths;

/// What Prometheus scrapes, and how often.
#[derive(Clone, Debug)]
pub struct Scrape {
    /// Envoy's admin interface.
    pub envoy: SocketAddr,
    /// The metrics of `nomos-xdp`, if it runs.
    pub xdp: Option<SocketAddr>,
    /// In Prometheus's syntax, such as `500ms`.
    pub interval: &'static str,
}

/// Reads a file of the repository.
pub fn text(path: &str) -> Result<String, String> {
    fs::read_to_string(paths::root().join(path)).map_err(|e| format!("{path}: {e}"))
}

/// Returns `deploy/prometheus/prometheus.yml` with these addresses and intervals.
pub fn prometheus(scrape: &Scrape) -> Result<String, String> {
    let xdp = scrape.xdp.map_or_else(String::new, |address| format!("\"{address}\""));
    let mut text = text("deploy/prometheus/prometheus.yml")?;
    for (from, to) in [
        ("\"envoy:9901\"", format!("\"{}\"", scrape.envoy)),
        ("\"xdp:9902\"", xdp),
        ("scrape_interval: 5s", format!("scrape_interval: {}", scrape.interval)),
        ("scrape_timeout: 4s", format!("scrape_timeout: {}", scrape.interval)),
        ("evaluation_interval: 15s", format!("evaluation_interval: {}", scrape.interval)),
    ] {
        text = once(&text, from, &to)?;
    }
    Ok(text)
}

/// Returns `envoy.yaml` with a route that bypasses Nomos, similarity, a sample, and histograms that change every second
/// and have the buckets of the docs.
pub fn envoy(changes: nomos_tests::shipped::Changes<'_>) -> Result<String, String> {
    let mut text = nomos_tests::shipped::config(changes)?;
    let route = "- match: {prefix: /}\n                route: {cluster: upstream}";
    let packs = "packs: [all]\n                      contract: ";
    for (from, to) in [
        ("\nstats_config:", format!("\nstats_flush_interval: 1s\n{}", buckets()?.trim_end())),
        (route, format!("{BYPASS}{route}")),
        (&format!("{packs}&user"), format!("similarity: {{}}\n                      {packs}&user")),
        (&format!("{}\n", packs.trim_end()), format!("sample: 70\n                      {}\n", packs.trim_end())),
    ] {
        text = once(&text, from, &to)?;
    }
    Ok(text)
}

/// Returns the block of the docs for `envoy.yaml` that begins with its `stats_config`.
fn buckets() -> Result<String, String> {
    let file = "docs/dashboard.md";
    let docs = text(file)?;
    let block = docs.split("```yaml\n").skip(1).find_map(|rest| Some(rest.split_once("```")?.0));
    let block = block.filter(|block| block.starts_with("stats_config:\n"));
    block.map(ToOwned::to_owned).ok_or_else(|| format!("{file} has no block with stats_config"))
}

/// A route of Envoy without Nomos.
const BYPASS: &str = r#"- match: {prefix: /bypass}
                route: {cluster: upstream}
                typed_per_filter_config:
                  nomos:
                    "@type": type.googleapis.com/envoy.config.route.v3.FilterConfig
                    disabled: true
              "#;

/// The maximum number of seconds of a duration after [`hurried`].
const MOST_SECONDS: u64 = 6;

/// Returns rules in which minutes become seconds. Longer durations are cut to six seconds, so that the hour before
/// becomes the seconds before. A test then sees in half a minute what takes a night.
pub fn hurried(rules: &str) -> String {
    let mut out = String::with_capacity(rules.len());
    let mut rest = rules;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let digits = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
        let (number, after) = from.split_at(digits);
        out.push_str(before);
        if let Some(minutes) = minutes(number, after).filter(|_| !out.ends_with(is_word)) {
            out.push_str(&minutes.clamp(1, MOST_SECONDS).to_string());
            out.push('s');
            rest = &after[1..];
        } else {
            out.push_str(number);
            rest = after;
        }
    }
    out + rest
}

/// Returns the duration of a number with the text after it, in minutes, or `None` if it is not in minutes, hours or
/// days.
fn minutes(number: &str, after: &str) -> Option<u64> {
    let mut after = after.chars();
    let unit = match after.next()? {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return None,
    };
    if after.next().is_some_and(is_word) { None } else { Some(number.parse::<u64>().ok()? * unit) }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn once(text: &str, from: &str, to: &str) -> Result<String, String> {
    match text.matches(from).count() {
        1 => Ok(text.replace(from, to)),
        count => Err(format!("found `{from}` {count} times, expected once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_durations_are_hurried() {
        for (rules, expected) in [
            ("rate(a[5m])", "rate(a[5s])"),
            ("for: 2m", "for: 2s"),
            ("a[1h] offset 10m", "a[6s] offset 6s"),
            ("a:share5m > 0.05", "a:share5m > 0.05"),
            ("256 MiB, 2xx", "256 MiB, 2xx"),
            ("x[1d]", "x[6s]"),
        ] {
            assert_eq!(hurried(rules), expected);
        }
    }
}
