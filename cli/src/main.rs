//! `nomos`: the filter's engine on files.

// These macros panic if the stream is closed, as by `2>&-`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod advice;
mod block;
mod check;
mod compare;
mod completions;
mod config_file;
mod config_schema;
mod contract;
mod deprecated;
mod diff;
mod digest;
mod document;
mod envoy;
mod failure;
mod heal;
mod inner;
mod input;
mod json_text;
mod kind;
mod matching;
mod members;
mod mismatch;
mod openapi;
mod output;
mod pack;
mod parts;
mod progress;
mod proto;
mod resource;
mod routes;
mod schema;
mod source;
mod text;
mod unreadable;
mod warning;
mod yaml;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Heals JSON whose schema has drifted, with the engine and the configuration of the Envoy filter.
#[derive(Parser)]
#[command(name = "nomos", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const BAD_USAGE_OR_INPUT: u8 = 2;

const EXAMPLES: &str = "\
Try it:
  $ echo '{\"mail\":\"a@b.c\",\"id\":7}' > body.json
  $ echo '{\"routes\":[{\"match\":{\"prefix\":\"/\"},\"rename\":{\"mail\":\"email\"}}]}' > nomos.json
  $ nomos heal --config nomos.json body.json
  {\"email\":\"a@b.c\",\"id\":7}
  healed by route route-0: 1 rename

Take a contract from an OpenAPI document, and match a body against it:
  $ nomos contract openapi.yaml --operation 'GET /users/{id}' > contract.json
  $ nomos match --contract contract.json body.json

Exit codes: 0 done, 1 problems found, 2 bad usage or input.";

#[derive(Subcommand)]
enum Command {
    /// Heal one body as the filter would
    Heal(heal::Args),
    /// Find where a body has each field that clients expect
    Match(matching::Args),
    /// Score pairs of names by each algorithm
    Compare(compare::Args),
    /// Check configurations, rule packs and contracts
    Check(check::Args),
    /// Extract the contract of an operation from an OpenAPI document
    Contract(contract::Args),
    /// Print the JSON Schema of the configuration, for editors
    Schema(config_schema::Args),
    /// Print the completion script of a shell
    Completions(completions::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Heal(args) => heal::run(&args),
        Command::Match(args) => matching::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Contract(args) => contract::run(&args),
        Command::Schema(args) => config_schema::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
    };
    result.unwrap_or_else(|failure| {
        output::tell(&format!("nomos: {}\n", text::plain(&failure.to_string())));
        ExitCode::from(BAD_USAGE_OR_INPUT)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn arguments_are_well_formed() {
        super::Cli::command().debug_assert();
    }
}
