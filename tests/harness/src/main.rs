//! `nomos-harness budget`: compares the cost of responses in the module with the committed budget.

use std::env;
use std::process::ExitCode;

use nomos_harness::Module;
use nomos_harness::budget::{self, Finding};

const USAGE: &str = "usage: nomos-harness budget [--write]
Counts what responses cost in the built module, and compares it with the budget; --write makes it the budget.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["budget"] => check(),
        ["budget", "--write"] => write(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("nomos-harness: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether nothing exceeds its budget.
fn check() -> Result<bool, String> {
    let costs = budget::measure(&Module::load()?)?;
    let budgets = budget::read()?;
    print!("{}", budget::table(&costs, &budgets));
    let findings = budget::compare(&costs, &budgets);
    for finding in &findings {
        match finding {
            Finding::Over(what) => println!("over: {what}"),
            Finding::Hint(what) => println!("hint: {what}"),
        }
    }
    Ok(!findings.iter().any(|finding| matches!(finding, Finding::Over(_))))
}

fn write() -> Result<bool, String> {
    let costs = budget::measure(&Module::load()?)?;
    let before = budget::read().unwrap_or_default();
    print!("{}", budget::table(&costs, &before));
    println!("written: {}", budget::write(&costs)?.display());
    Ok(true)
}
