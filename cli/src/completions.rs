//! `nomos completions`: scripts with which a shell completes commands and options.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "For all shells to come:
  $ nomos completions bash > ~/.local/share/bash-completion/completions/nomos
  $ nomos completions zsh > \"${fpath[1]}/_nomos\"
  $ nomos completions fish > ~/.config/fish/completions/nomos.fish
  PS> nomos completions powershell | Out-String | Invoke-Expression

For this shell only:
  $ source <(nomos completions bash)";

/// Arguments of `nomos completions`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args, command: &mut Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "nomos", &mut script);
    output::write(&script)?;
    Ok(ExitCode::SUCCESS)
}
