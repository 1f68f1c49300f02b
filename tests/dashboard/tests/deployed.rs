//! Every query of the dashboard and every alert, on a real Prometheus that scraped a real Envoy under traffic.
//!
//! Minutes of the alert rules pass as seconds: [`nomos_dashboard::deployed::hurried`]. First comes a calm time, in
//! which no alert may fire, then trouble of every kind, then traffic that bypasses Nomos. This takes about half a
//! minute.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use drifting_upstream::Mode;
use libtest_mimic::{Arguments, Failed, Trial};
use nomos_dashboard::dashboard::{self, Intervals, Panel, Variable};
use nomos_dashboard::prometheus::{Programs, Range, Series};
use nomos_dashboard::stand::{self, Settings, Stand};
use nomos_dashboard::traffic::Kind;
use nomos_dashboard::{alone, deployed};
use serde_json::Value;

/// Long enough for the alerts to have earlier values to compare with: more than twice the longest hurried duration.
const CALM: Duration = Duration::from_secs(14);

/// The time limit for alerts that must fire, which takes some seven seconds.
const PATIENCE: Duration = Duration::from_secs(40);

/// The alerts that this traffic must trigger. `NomosMemoryFull` would need 256 MiB of bodies, so promtool tests it.
const TROUBLE: [&str; 4] = ["NomosDriftBegan", "NomosRequiredFieldMissing", "NomosSkippedMore", "NomosFailingMore"];
const STOPPED: [&str; 1] = ["NomosVerdictsStopped"];

const INTERVALS: Intervals<'_> = Intervals { rate: "5s", step: "5s", range: "2m" };

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(Suite::Done(code)) => code,
        Ok(Suite::Here(trials)) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(why) => {
            eprintln!("the suite cannot run: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The trials to run, or the exit code if a process in its own network has run them.
enum Suite {
    Done(ExitCode),
    Here(Vec<Trial>),
}

fn trials() -> Result<Suite, String> {
    // Downloads come first, because a network of its own has no way out.
    let Some(programs) = programs()? else {
        let names = ["alerts: promtool", "dashboard: queries"];
        let skipped = names.map(|name| Trial::test(name, || Ok(())).with_ignored_flag(true));
        return Ok(Suite::Here(checks()?.into_iter().chain(skipped).collect()));
    };
    nomos_tests::paths::envoy("pinned")?;
    if !alone::is_alone() {
        match alone::again() {
            Ok(code) => return Ok(Suite::Done(code)),
            Err(why) => eprintln!("no network of its own, so no packet statistics: {why}"),
        }
    }
    let seen = Arc::new(Seen::new(&programs)?);
    let mut trials = checks()?;
    trials.extend(promtool(&programs));
    trials.extend(alerts(&seen));
    trials.extend(panels(&seen)?);
    Ok(Suite::Here(trials))
}

/// In CI the programs are available, so there they must be found.
fn programs() -> Result<Option<Programs>, String> {
    let found = Programs::find()?;
    if found.is_none() && std::env::var_os("CI").is_some() {
        return Err("there is no Prometheus; see above".to_owned());
    }
    Ok(found)
}

/// The state of Prometheus after the traffic.
struct Seen {
    stand: Stand,
    started: f64,
    ended: f64,
    /// The alerts that fired while nothing was wrong, during the trouble, and when the verdicts stopped.
    fired: [BTreeSet<String>; 3],
}

impl Seen {
    fn new(programs: &Programs) -> Result<Self, String> {
        let settings = Settings { proxy: 0, admin: 0, interval: "500ms", clients: 4, hurried: true };
        let mut stand = Stand::start(programs, settings)?;
        if let Some(why) = &stand.without_xdp {
            println!("packet statistics are skipped: {why}");
        }
        let started = stand::now();
        let pause = Duration::from_millis(25);
        let calm = [(Kind::Clean, 17), (Kind::NoRoute, 1), (Kind::NotModified, 1), (Kind::DriftedList(2), 2)];
        stand.traffic.set(&calm, pause);
        let quiet = fired(&stand, &[], CALM)?;
        let trouble = [
            (Kind::Clean, 4),
            (Kind::Drifted(Mode::V2), 4),
            (Kind::Drifted(Mode::Deep), 2),
            (Kind::DriftedList(3), 2),
            (Kind::Strange(1), 1),
            (Kind::Wide, 1),
            (Kind::WithoutPhone, 2),
            (Kind::Brotli, 4),
            (Kind::Page, 1),
            (Kind::Malformed, 1),
            (Kind::Truncated, 1),
            (Kind::Slow, 1),
            (Kind::NoRoute, 1),
        ];
        stand.traffic.set(&trouble, pause);
        let loud = fired(&stand, &TROUBLE, PATIENCE)?;
        let ended = stand::now();
        stand.traffic.set(&[(Kind::Bypass, 1)], pause);
        let stopped = fired(&stand, &STOPPED, PATIENCE)?;
        stand.traffic.set(&[], pause);
        stand.envoy.check()?;
        Ok(Self { stand, started, ended, fired: [quiet, loud, stopped] })
    }

    /// The time from the end of the first rate on.
    fn range(&self) -> Range {
        Range { start: self.started + 5.0, end: self.ended, step: 1.0 }
    }
}

/// Returns the alerts that fire before all those that must have fired, or the time is up.
fn fired(stand: &Stand, must: &[&str], within: Duration) -> Result<BTreeSet<String>, String> {
    let begun = Instant::now();
    let mut fired = BTreeSet::new();
    while begun.elapsed() < within && (must.is_empty() || !must.iter().all(|name| fired.contains(*name))) {
        let rules = stand.prometheus.rules()?;
        let firing = rules.iter().filter(|rule| rule["state"] == "firing");
        fired.extend(firing.filter_map(|rule| Some(rule["name"].as_str()?.to_owned())));
        thread::sleep(Duration::from_millis(200));
    }
    Ok(fired)
}

fn promtool(programs: &Programs) -> Vec<Trial> {
    let run = |name: &str, arguments: &'static [&'static str]| {
        let programs = programs.clone();
        Trial::test(name, move || programs.promtool(arguments).map_err(Failed::from))
    };
    vec![
        run("promtool: check config", &["check", "config", "deploy/prometheus/prometheus.yml"]),
        run("promtool: test rules", &["test", "rules", "deploy/prometheus/alerts_test.yml"]),
    ]
}

fn alerts(seen: &Arc<Seen>) -> Vec<Trial> {
    let case = |name: &str, body: fn(&Seen) -> Result<(), String>| {
        let seen = Arc::clone(seen);
        Trial::test(name, move || body(&seen).map_err(Failed::from))
    };
    vec![
        case("alerts: every rule is evaluated", rules_are_evaluated),
        case("alerts: every recording rule has recorded", recordings),
        case("alerts: nothing fires in calm", |seen| equal(&seen.fired[0], &[])),
        case("alerts: trouble fires", |seen| contains(&seen.fired[1], &TROUBLE)),
        case("alerts: verdicts that stop fire", |seen| contains(&seen.fired[2], &STOPPED)),
        case("alerts: each says what to do", |seen| {
            let docs = deployed::text("docs/dashboard.md")?;
            seen.stand.prometheus.rules()?.iter().filter(|rule| rule["type"] == "alerting").try_for_each(|rule| {
                let name = rule["name"].as_str().unwrap_or_default();
                let runbook = format!("docs/dashboard.md#{}", name.to_lowercase());
                let complete = rule["annotations"]["runbook"] == runbook.as_str()
                    && ["summary", "description", "action"].iter().all(|part| rule["annotations"][part].is_string())
                    && docs.contains(&format!("\n### {name}\n"));
                that(complete, || format!("{name}: expected summary, description, action, and {runbook}"))
            })
        }),
        case("dashboard: variables", |seen| {
            dashboard::variables(&dashboard::shipped()?)?.iter().try_for_each(|variable| {
                let Variable { name, metric, label } = variable;
                let values = seen.stand.prometheus.label_values(metric, label)?;
                let skipped = seen.stand.without_xdp.is_some() && metric.starts_with("nomos_xdp_");
                that(skipped || !values.is_empty(), || format!("${name}: {metric} has no {label}"))
            })
        }),
        case("dashboard: annotations", |seen| {
            dashboard::annotations(&dashboard::shipped()?).iter().try_for_each(|expression| {
                let found = seen.stand.prometheus.range(expression, seen.range())?;
                that(!found.is_empty(), || format!("{expression}: no result"))
            })
        }),
        case("dashboard: finer buckets, as documented", |seen| {
            let found = seen.stand.prometheus.label_values("nomos_heal_us_bucket", "le")?;
            contains(&found.into_iter().collect(), &["2", "7", "20000"])
        }),
        case("dashboard: every verdict is there", |seen| {
            let found = seen.stand.prometheus.label_values("nomos_responses_total", "verdict")?;
            equal(&found.into_iter().collect(), &["clean", "failed", "healed", "observed", "skipped"])
        }),
    ]
}

fn rules_are_evaluated(seen: &Seen) -> Result<(), String> {
    let rules = seen.stand.prometheus.rules()?;
    that(rules.len() >= 10, || format!("{} rules", rules.len()))?;
    rules
        .iter()
        .try_for_each(|rule| that(rule["health"] == "ok", || format!("{}: {}", rule["name"], rule["lastError"])))
}

fn recordings(seen: &Seen) -> Result<(), String> {
    let rules = seen.stand.prometheus.rules()?;
    rules.iter().filter(|rule| rule["type"] == "recording").try_for_each(|rule| {
        let name = rule["name"].as_str().unwrap_or_default();
        let query = rule["query"].as_str().unwrap_or_default();
        for expression in [name, query] {
            some_value(expression, &seen.stand.prometheus.range(expression, seen.range())?)?;
        }
        Ok(())
    })
}

/// Returns one case for each panel: all its queries must give values, with the labels that its legend names.
fn panels(seen: &Arc<Seen>) -> Result<Vec<Trial>, String> {
    let panels = dashboard::panels(&dashboard::shipped()?);
    let case = |panel: Panel| {
        let skipped =
            seen.stand.without_xdp.is_some() && panel.queries.iter().any(|q| q.expression.contains("nomos_xdp_"));
        let (seen, name) = (Arc::clone(seen), format!("panel: {}", panel.title));
        Trial::test(name, move || has_values(&panel, &seen).map_err(Failed::from)).with_ignored_flag(skipped)
    };
    Ok(panels.into_iter().filter(|panel| panel.kind != "row").map(case).collect())
}

fn has_values(panel: &Panel, seen: &Seen) -> Result<(), String> {
    that(!panel.queries.is_empty(), || "no query".to_owned())?;
    panel.queries.iter().try_for_each(|query| {
        // A default value would hide that a query finds nothing.
        let expression = query.filled(INTERVALS).replace(" or vector(0)", "");
        let found = seen.stand.prometheus.range(&expression, seen.range())?;
        some_value(&expression, &found)?;
        dashboard::legend_labels(&query.legend).into_iter().try_for_each(|label| {
            let all = found.iter().all(|series| series.labels.contains_key(label));
            that(all, || format!("{expression}: a series has no {label}"))
        })
    })
}

/// Returns the checks that need no Prometheus.
fn checks() -> Result<Vec<Trial>, String> {
    let panels = dashboard::panels(&dashboard::shipped()?);
    let layout = panels.clone();
    Ok(vec![
        Trial::test("dashboard: panels stand side by side", move || laid_out(&layout).map_err(Failed::from)),
        Trial::test("dashboard: panels are described, with units", move || {
            panels.iter().filter(|panel| panel.kind != "row").try_for_each(described).map_err(Failed::from)
        }),
        Trial::test("alerts: reasons are those that there are", || reasons().map_err(Failed::from)),
        Trial::test("dashboard: Grafana is told where things are", || provisioned().map_err(Failed::from)),
    ])
}

fn laid_out(panels: &[Panel]) -> Result<(), String> {
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel.id).collect();
    that(ids.len() == panels.len() && panels.len() > 10, || format!("{} panels have {} ids", panels.len(), ids.len()))?;
    let mut taken = BTreeSet::new();
    for panel in panels {
        let [left, top, width, height] = panel.place;
        for cell in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y))) {
            that(cell.0 < 24 && taken.insert(cell), || {
                format!("{}: {cell:?} is taken, or beyond 24 columns", panel.title)
            })?;
        }
    }
    let bottom = taken.iter().map(|(_, y)| y + 1).max().unwrap_or_default();
    that(u64::try_from(taken.len()) == Ok(24 * bottom), || "there is a gap between panels".to_owned())
}

fn described(panel: &Panel) -> Result<(), String> {
    let title = &panel.title;
    that(panel.description.len() > 20, || format!("{title}: no description"))?;
    that(panel.json["fieldConfig"]["defaults"]["unit"].is_string(), || format!("{title}: no unit"))?;
    panel.queries.iter().try_for_each(|query| {
        let wanted = if query.expression.contains("nomos_xdp_") { "$interface" } else { "$instance" };
        that(query.expression.contains(wanted), || format!("{title}: a query does not look at {wanted}"))
    })
}

fn provisioned() -> Result<(), String> {
    for (file, line) in [
        ("deploy/grafana/provisioning/datasources/prometheus.yml", "url: http://prometheus:9090"),
        ("deploy/grafana/provisioning/datasources/prometheus.yml", "timeInterval: 5s"),
        ("deploy/grafana/provisioning/dashboards/nomos.yml", "path: /var/lib/grafana/dashboards"),
    ] {
        that(deployed::text(file)?.contains(line), || format!("{file} has no `{line}`"))?;
    }
    let variables = dashboard::shipped()?["templating"]["list"].clone();
    let is_source = |variable: &Value| variable["name"] == "datasource" && variable["query"] == "prometheus";
    that(variables.as_array().is_some_and(|all| all.iter().any(is_source)), || {
        "no variable for the data source".to_owned()
    })
}

/// A misspelt reason would make an alert that never fires.
fn reasons() -> Result<(), String> {
    let (rules, docs) = (deployed::text("deploy/prometheus/alerts.yml")?, deployed::text("docs/operations.md")?);
    let named = ["reason=~\"", "reason=\"", "reason!=\""].into_iter().flat_map(|before| rules.split(before).skip(1));
    let reasons: Vec<&str> =
        named.filter_map(|rest| Some(rest.split_once('"')?.0)).flat_map(|all| all.split('|')).collect();
    that(reasons.len() >= 7, || format!("found the reasons {reasons:?}"))?;
    reasons.iter().try_for_each(|reason| {
        that(docs.contains(&format!("\n| `{reason}` |")), || format!("docs/operations.md knows no reason {reason}"))
    })
}

fn some_value(expression: &str, found: &[Series]) -> Result<(), String> {
    let finite = found.iter().flat_map(|series| &series.points).any(|(_, value)| value.is_finite());
    that(finite, || format!("{expression}: no value, in {} series", found.len()))
}

fn contains(found: &BTreeSet<String>, expected: &[&str]) -> Result<(), String> {
    that(expected.iter().all(|name| found.contains(*name)), || format!("found {found:?}\nexpected {expected:?}"))
}

fn equal(found: &BTreeSet<String>, expected: &[&str]) -> Result<(), String> {
    that(found.iter().eq(expected), || format!("found {found:?}\nexpected {expected:?}"))
}

fn that(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
