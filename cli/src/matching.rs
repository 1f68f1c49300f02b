//! `nomos match`: finds where in a body each expected field is.

mod expectation;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use healer::plan::spec::{PlanSpec, Settings};
use healer::{Healer, Limits, Matching, Memo, Plan, Progress, Reason, similarity};

use crate::failure::Failure;
use crate::{input, mismatch, openapi, output, unreadable};

const EXAMPLES: &str = "\
SCHEMA is a JSON Schema, an OpenAPI document, or a configuration with a route
that has a contract, in YAML or JSON. Paths are dotted, [] stands for each
element of an array, and names that contain dots are in quotes.

Which fields of this body have another name or place in the schema?
  $ nomos match --contract user.json body.json
  EXPECTED  FOUND         SCORE  WHY
  email     contact.mail   0.90  similarity: synonym 0.95, path 0.95
  missing: phone
  unknown: x

Straight from the API and its document:
  $ curl -s https://api.example.com/users/7 > body.json
  $ nomos match --contract openapi.yaml --operation getUser body.json

As a route of the filter would, but with a lower threshold:
  $ nomos match --contract nomos.yaml --path /api/user --threshold 0.8 body.json

In a script:
  $ nomos match --contract user.json body.json --json | jq .missing

Exit codes: 0 done, 1 a required field is missing, 2 bad usage or input, such as
a body that is too deep.";

/// Arguments of `nomos match`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The schema that clients expect
    #[arg(long, visible_alias = "config", value_name = "SCHEMA")]
    contract: PathBuf,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    similarity: Similarity,
    /// File that contains the body; - for stdin
    #[arg(value_name = "BODY", default_value = "-")]
    body: PathBuf,
    /// Print one JSON object: matches, missing, unknown
    #[arg(long)]
    json: bool,
}

/// Which of the contracts of a file.
#[derive(clap::Args)]
struct Which {
    /// For an OpenAPI document: the operation, such as 'GET /users/{id}', or its operationId
    #[arg(long)]
    operation: Option<String>,
    /// With --operation: the status of the response, such as 404, 4XX or default
    #[arg(long, requires = "operation", value_parser = openapi::status)]
    status: Option<String>,
    /// For a configuration: the path of the request, which selects the route
    #[arg(long, conflicts_with = "operation", value_parser = input::request_path)]
    path: Option<String>,
    /// For a configuration: the method of the request; GET if not given
    #[arg(long, conflicts_with = "operation", value_parser = input::method)]
    method: Option<String>,
}

/// How sure a match has to be. Without these: what the route says, or else what routes have where they say nothing.
#[derive(clap::Args)]
struct Similarity {
    /// How names are scored
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// The lowest score that counts as a match, from 0 to 1
    #[arg(long, value_parser = share, allow_negative_numbers = true)]
    threshold: Option<f32>,
    /// The least lead of the best score over the second best, from 0 to 1
    #[arg(long, value_parser = share, allow_negative_numbers = true)]
    margin: Option<f32>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Profile {
    /// Words, JSON kinds, places, siblings and rival names
    Default,
    /// Names alone: 0.35 synonym + 0.25 Jaro-Winkler + 0.20 Levenshtein + 0.20 TF-IDF
    Reference,
}

/// Prints where each field is.
pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut spec = expectation::read(&args.contract, &args.which)?;
    args.similarity.set(&mut spec);
    let body = input::body(&args.body)?;
    let matching = matched(&spec, &body).map_err(|found| refuse(&args.body, &found))?;
    let text = if args.json {
        report::as_json(&matching)
    } else {
        report::as_text(&matching, &misfits(&spec, &body, &matching))
    };
    output::write_styled(&text)?;
    let lacks = matching.missing.iter().any(|missing| missing.required);
    Ok(if lacks { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// Says where the body has another kind of value than the contract, unless a match has to do with it: a list may be
/// expected in an object, or the other way round.
fn misfits(spec: &PlanSpec, body: &[u8], matching: &Matching) -> Vec<String> {
    let Some(contract) = &spec.contract else { return Vec::new() };
    let whole = mismatch::of_whole(contract, body).filter(|_| matching.matches.is_empty());
    let is_in = |path: &str, place: &str| {
        path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let is_matched =
        |place: &str| matching.matches.iter().any(|found| is_in(&found.expected, place) || is_in(&found.found, place));
    let inside = mismatch::inside(contract, body).into_iter().filter(|(place, _)| !is_matched(place));
    let inside = inside.map(|(place, words)| format!("{place} ({words})"));
    whole.map(str::to_owned).into_iter().chain(inside).collect()
}

impl Similarity {
    fn set(&self, spec: &mut PlanSpec) {
        let said = spec.similarity.unwrap_or_default();
        let profile = self.profile.map_or(said.profile, |profile| match profile {
            Profile::Default => similarity::Profile::Default,
            Profile::Reference => similarity::Profile::Reference,
        });
        let (threshold, margin) = (self.threshold.unwrap_or(said.threshold), self.margin.unwrap_or(said.margin));
        spec.similarity = Some(Settings { profile, threshold, margin, ..said });
    }
}

/// The maximum nesting of arrays and objects in a body.
const MAX_DEPTH: u32 = 1 << 12;

/// Returns where each field is, or an error that says why the body cannot be matched with the contract.
fn matched(spec: &PlanSpec, body: &[u8]) -> Result<Matching, String> {
    let plan = Plan::compile(spec).map_err(|error| error.to_string())?;
    let limits = Limits {
        max_held_bytes: Limits::HARD_HELD_BYTES,
        max_depth: MAX_DEPTH,
        max_keys: u32::MAX,
        max_tokens: usize::MAX,
    };
    let mut healer = Healer::new();
    let mut intake = healer.intake(limits);
    if intake.push(body) == Progress::Release(Reason::TooLarge) {
        return Err(format!("found a body of {} bytes; expected at most {}", body.len(), Limits::HARD_HELD_BYTES));
    }
    intake.finish();
    let mut memo = Memo::new(&plan);
    healer
        .matching(&plan, &mut memo, &intake)
        .map_err(|failure| unreadable::refusal(body, failure, &limits).to_string())
}

fn refuse(path: &Path, found: &str) -> Failure {
    let name = if path == Path::new("-") { "stdin".into() } else { path.display().to_string() };
    Failure::new(format!("{name}: {found}"))
}

/// Parses a number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a number from 0 to 1, such as 0.85".to_owned())
}
