//! `nomos`: the filter's engine on files.

mod check;
mod config_file;
mod contract;
mod document;
mod envoy;
mod failure;
mod heal;
mod json_text;
mod openapi;
mod output;
mod pack;
mod schema;
mod source;
mod yaml;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Heals JSON whose schema has drifted, with the engine and the configuration of the Envoy filter.
#[derive(Parser)]
#[command(name = "nomos", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const BAD_USAGE_OR_INPUT: u8 = 2;

const EXIT_CODES: &str = "\
Exit codes: 0 done, 1 problems found, 2 bad usage or input.

Try it:
  echo '{\"mail\":\"a@b.c\"}' > body.json
  echo '{\"routes\":[{\"match\":{\"prefix\":\"/\"},\"rename\":{\"mail\":\"email\"}}]}' > nomos.json
  nomos heal --config nomos.json body.json";

#[derive(Subcommand)]
enum Command {
    /// Heal one body as the filter would
    Heal(heal::Args),
    /// Check configurations, rule packs and contracts
    Check(check::Args),
    /// Take the contract of an operation out of an OpenAPI document
    Contract(contract::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Heal(args) => heal::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Contract(args) => contract::run(&args),
    };
    result.unwrap_or_else(|failure| {
        eprintln!("nomos: {failure}");
        ExitCode::from(BAD_USAGE_OR_INPUT)
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn arguments_are_well_formed() {
        super::Cli::command().debug_assert();
    }
}
