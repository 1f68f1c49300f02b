//! `nomos heal`: heals one body as the filter would.

mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use healer::config::{Mode, Sample};
use healer::{Healer, Intake, Limits, Memo, Plan, Progress, Reason, Summary};
use nomos_filter::outcome::Skip;

use crate::failure::Failure;
use crate::input::Exchange;
use crate::{config_file, diff, input, output, unreadable};

use report::{Outcome, Report};

const EXAMPLES: &str = "\
The healed body goes to stdout, byte for byte as clients would get it. The
report goes to stderr. FILE is the plugin configuration, an Envoy configuration
that contains it, or a Kubernetes resource that contains it, in YAML or JSON.

What would the filter make of this body?
  $ nomos heal --config envoy.yaml --path /api/user body.json > healed.json
  healed by route user: 2 renames, 1 move

What changes, and why? (In colour on a terminal.)
  $ nomos heal --config nomos.yaml --path /api/user --diff --explain body.json

In a script:
  $ nomos heal --config nomos.yaml body.json --json 2> report.json
  $ jq -r '.ops[] | [.from, .to, .why.by] | @tsv' report.json

A body that cannot be healed is printed unchanged, and so is one that the filter
would skip for its --method, --status or --content-type. A body over
max_held_bytes is unchanged from the first value that cannot be healed on.
Exit codes: 0 healed, clean or skipped; 1 over a limit, or neither object nor
array; 2 not JSON, bad usage or bad configuration.";

/// Arguments of `nomos heal`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Plugin configuration, or an Envoy configuration or Kubernetes resource that contains it
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Path of the request, which selects the route; optional if there is only one route
    #[arg(long, value_parser = input::request_path)]
    path: Option<String>,
    /// Method of the request; GET if not given
    #[arg(long, value_parser = input::method)]
    method: Option<String>,
    /// Status of the response; 200 if not given
    #[arg(long, value_parser = input::status)]
    status: Option<u16>,
    /// Media type of the response; application/json if not given
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// File that contains the body; - for stdin
    #[arg(value_name = "BODY", default_value = "-")]
    body: PathBuf,
    /// Print a diff instead of the body: before and after, laid out one member per line
    #[arg(long)]
    diff: bool,
    /// List every op and the rule or score behind it
    #[arg(long)]
    explain: bool,
    /// Print the report as one JSON object on stderr
    #[arg(long)]
    json: bool,
}

/// Heals the body, or passes it on as it came.
pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let config = config_file::read(&args.config)?;
    let exchange = args.exchange();
    let route = input::route(&config, &exchange)?;
    let skip = if route.is_none() { Some(Skip::NoRoute) } else { exchange.skip() };
    let body = input::body(&args.body)?;
    let mut healer = Healer::new();
    let mut memo = route.map_or_else(Memo::default, |route| Memo::new(&route.plan));
    let taken = route.filter(|_| skip.is_none());
    let done = taken.map(|route| heal(&mut healer, &route.plan, &mut memo, &body, config.limits));
    let streamed = done.as_ref().is_some_and(|done| done.streamed);
    let missing = done.as_ref().and_then(|done| done.missing.clone());
    let outcome = match done.map(|done| done.result) {
        Some(Ok(summary)) => Outcome::Done(summary),
        Some(Err(failure)) => Outcome::Failed(failure, unreadable::refusal(&body, failure, &config.limits)),
        None => Outcome::Skipped(skip.unwrap_or(Skip::NoRoute)),
    };
    let is_changed = matches!(&outcome, Outcome::Done(summary) if summary.changed);
    let after = if is_changed || streamed { healer.output() } else { &body };
    if args.diff {
        output::write_styled(&diff::of(&body, after))?;
    } else {
        output::write(after)?;
    }
    let mode = route.map_or(config.mode, |route| config.mode_of(route));
    let sample = route.map(|route| config.sample_of(route)).filter(|_| mode == Mode::Heal).unwrap_or(Sample::ALL);
    let report = Report {
        outcome,
        config: &args.config,
        exchange,
        route,
        routes: &config.routes,
        healer: &healer,
        memo: &memo,
        body: &body,
        // What no request is healed of, the filter only observes.
        mode: if sample == Sample::NONE { Mode::Observe } else { mode },
        sample,
        changed: after != body,
        streamed,
        missing: missing.filter(|_| route.is_some_and(|route| exchange.may_succeed(route))),
    };
    output::tell(&if args.json { report.as_json() } else { report.as_text(args.explain) });
    Ok(exit_code(&report.outcome))
}

impl Args {
    fn exchange(&self) -> Exchange<'_> {
        Exchange {
            method: self.method.as_deref(),
            path: self.path.as_deref(),
            status: self.status,
            content_type: self.content_type.as_deref(),
        }
    }
}

fn exit_code(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Done(_) | Outcome::Skipped(_) => ExitCode::SUCCESS,
        Outcome::Failed(failure, _) => match failure.reason {
            Reason::Empty | Reason::Malformed | Reason::Truncated => ExitCode::from(2),
            _ => ExitCode::from(1),
        },
    }
}

/// Bodies are read in pieces of this many bytes, as from a host. Then only the open part of a body is held twice.
const PIECE: usize = 64 << 10;

struct Healed {
    result: Result<Summary, healer::Failure>,
    /// Whether the body was too long to be healed as a whole. The engine's output then contains all of it.
    streamed: bool,
    /// The required members that are missing even so. `None` if they were not looked for.
    missing: Option<Vec<String>>,
}

fn heal(healer: &mut Healer, plan: &Plan, memo: &mut Memo, body: &[u8], limits: Limits) -> Healed {
    let mut intake = healer.intake(limits);
    let mut pieces = body.chunks(PIECE);
    if !pieces.by_ref().any(|piece| intake.push(piece) == Progress::Release(Reason::TooLarge)) {
        intake.finish();
        let result = healer.heal(plan, memo, &intake);
        let missing = result.as_ref().ok().map(|summary| missing(healer, plan, &intake, summary));
        return Healed { result, streamed: false, missing };
    }
    let mut stream = healer.outgrow(intake);
    while stream.advance(healer, plan, memo) {}
    for piece in pieces {
        stream.push(healer, plan, memo, piece);
    }
    stream.finish(healer, memo);
    Healed { result: stream.failure().map_or(Ok(stream.summary()), Err), streamed: true, missing: None }
}

/// Returns the paths of the required members that the last body lacks as it was healed.
fn missing(healer: &Healer, plan: &Plan, intake: &Intake, summary: &Summary) -> Vec<String> {
    let numbers = if summary.lacks { healer.missing(plan, intake) } else { Vec::new() };
    numbers.into_iter().filter_map(|number| plan.required().get(number).cloned()).collect()
}
