//! `nomos contract`: the contract of an operation, from an OpenAPI document.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use healer::config::ConfigError;
use healer::config::contract::Reading;
use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::Node;
use healer::plan::spec::Contract;

use crate::failure::Failure;
use crate::openapi::{self, Document, NoContract, Operation, Outcome};
use crate::output::plural;
use crate::source::{Source, said_of};
use crate::text::plain;
use crate::{document, json_text, members, output, schema};

const EXAMPLES: &str = "\
The JSON Schema of the operation's response goes to stdout, with references
resolved and reduced to the keywords that healing reads. It fits under
`contract:` of a route.

Which operations are there? (With --json: only those with a usable contract.)
  $ nomos contract openapi.yaml

What do clients of one operation expect, and does a body have it?
  $ nomos contract openapi.yaml --operation 'GET /users/{id}' > contract.json
  $ nomos match --contract contract.json body.json

By operationId, for another status, on one line:
  $ nomos contract openapi.json --operation getUser --status 404 --json

Swagger 2.0 must be converted first, for example with `npx swagger2openapi`.
Exit codes: 0 done, 2 bad usage or bad document.";

/// Arguments of `nomos contract`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// OpenAPI 3.0 or 3.1 document, YAML or JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Method and path, such as 'GET /users/{id}', or an operationId; lists all operations if not given
    #[arg(long)]
    operation: Option<String>,
    /// Status of the response, such as 404, 4XX or default; if not given: the lowest 2xx, else 2XX, else default
    #[arg(long, value_parser = openapi::status)]
    status: Option<String>,
    /// Print on one line
    #[arg(long)]
    json: bool,
}

/// Prints the contract, or lists the operations.
pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    match &args.operation {
        Some(operation) => show(args, operation)?,
        None => output::write((list(args)? + "\n").as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the contract of one operation on stdout, and which response it describes on stderr.
fn show(args: &Args, operation: &str) -> Result<(), Failure> {
    let taken = read(&args.file, operation, args.status.as_deref())?;
    let node = schema::of(&taken.contract);
    let text = if args.json { json_text::compact(&node) } else { json_text::pretty(&node) };
    output::write((text + "\n").as_bytes())?;
    let described = members::describe(&taken.contract) + &left_open(taken.open);
    output::tell(&format!("{}: {described}\n", plain(&taken.from)));
    Ok(())
}

/// A contract, and the response that it describes.
pub struct Taken {
    pub contract: Contract,
    /// References that were not followed.
    pub open: usize,
    /// The response, such as `GET /user 200 application/json`.
    pub from: String,
}

/// Reads the contract of one operation of a document.
pub fn read(path: &Path, operation: &str, status: Option<&str>) -> Result<Taken, Failure> {
    let source = Source::read(path)?;
    let node = read_document(&source)?;
    let document = Document::new(Cursor::root(&node).place()).map_err(|error| refuse(&source, &node, error))?;
    let mut problems = Problems::new();
    let operations = document.operations(&mut problems);
    let found = Operation::find(&operations, operation, &document.bases())
        .ok_or_else(|| unknown(&source, operation, &operations, &problems))?;
    if found.is_called(operation) {
        let alike: Vec<_> = operations.iter().filter(|other| other.is_called(operation)).cloned().collect();
        warn(&source, &document.repeated_ids(&alike));
    }
    let (response, Reading { contract, open, lost }) =
        document.contract(found, status).map_err(|reason| source.refuse(&Problems::from(reason)))?;
    warn(&source, &lost);
    Ok(Taken { contract, open, from: format!("{found} {} {}", response.status, response.media_type) })
}

/// Reads a document. Of members with the same name all but one are lost. In a foreign document these may be far from
/// the operation, so they are reported and do not fail the command.
fn read_document(source: &Source) -> Result<Node, Failure> {
    let node = document::read_foreign(source).map_err(|error| source.refuse(&[error]))?;
    let mut problems = Problems::new();
    refuse_duplicates(&Cursor::root(&node), &mut problems);
    warn(source, &problems);
    Ok(node)
}

/// Reports problems that do not keep the command from its work.
fn warn(source: &Source, problems: &[ConfigError]) {
    if !problems.is_empty() {
        output::tell(&format!("nomos: {}\n", plain(&source.refuse(problems).to_string())));
    }
}

fn refuse(source: &Source, document: &Node, error: ConfigError) -> Failure {
    source.refuse(&said_of("document", document, vec![error]))
}

fn unknown(source: &Source, asked: &str, operations: &[Operation<'_>], problems: &[ConfigError]) -> Failure {
    if operations.is_empty() && !problems.is_empty() {
        return source.refuse(problems);
    }
    let near: Vec<String> = Operation::near(operations, asked).iter().map(ToString::to_string).collect();
    let more = operations.len() - near.len();
    let expected = match (near.len(), more) {
        (0, _) => "an operation, but the document has none".to_owned(),
        (_, 0) => format!("one of {}", near.join(", ")),
        _ => format!(
            "an operation such as {} ({more} more: see nomos contract {})",
            near.join(", "),
            source.path.display()
        ),
    };
    let elsewhere = match problems.len() {
        0 => String::new(),
        count => format!("; not looked into: {} that leads nowhere (see nomos check)", plural(count, "path")),
    };
    Failure::new(format!("{}: found no operation {asked}; expected {expected}{elsewhere}", source.path.display()))
}

/// Lists the operations, one per line, with a mark if they have no contract; as JSON only operations with a contract.
fn list(args: &Args) -> Result<String, Failure> {
    let source = Source::read(&args.file)?;
    let node = read_document(&source)?;
    let document = Document::new(Cursor::root(&node).place()).map_err(|error| refuse(&source, &node, error))?;
    let mut problems = Problems::new();
    let operations = document.operations(&mut problems);
    if operations.is_empty() {
        let found = format!("{}: found a document without operations; expected some below paths", args.file.display());
        return Err(if problems.is_empty() { Failure::new(found) } else { source.refuse(&problems) });
    }
    problems.extend(document.repeated_ids(&operations));
    warn(&source, &problems);
    let outcomes = document.outcomes(&operations, args.status.as_deref());
    if args.json {
        let good = outcomes.iter().filter(|(_, outcome)| outcome.is_ok());
        let good: Vec<String> = good.map(|(operation, _)| operation.to_string()).collect();
        return Ok(serde_json::json!(good).to_string());
    }
    let line = |(operation, outcome): &Outcome<'_, '_>| {
        let mark = outcome.as_ref().as_ref().err().map_or("", mark_of);
        format!("{}{mark}", plain(&operation.to_string()))
    };
    Ok(outcomes.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Returns the mark after an operation that has no contract.
fn mark_of(reason: &NoContract) -> &'static str {
    match reason {
        NoContract::NoJson(_) => "  (no JSON)",
        NoContract::NoSchema(_) => "  (no schema)",
        NoContract::NoMembers(_) => "  (no members)",
        NoContract::Broken(_) => "  (broken: --operation tells why)",
    }
}

/// Returns a note on references that were not followed: the contract ends there, and healing with it.
fn left_open(references: usize) -> String {
    match references {
        0 => String::new(),
        _ => format!("; {} left open", plural(references, "reference")),
    }
}
