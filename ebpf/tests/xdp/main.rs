//! The XDP program in the kernel, and the loader on test interfaces.
//!
//! Cases that need privileges are skipped if there are none, with the reason.

mod frame;
mod host;
mod live;
mod mix;
mod oracle;
mod program;

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Completion, Trial};

/// The result of a case: nothing, or what went wrong as text.
type Outcome = Result<(), String>;

/// A case and its name.
type Case = (&'static str, fn() -> Outcome);

fn main() -> ExitCode {
    let obstacle: Arc<OnceLock<Option<String>>> = Arc::default();
    let trials = program::CASES.iter().chain(live::CASES).map(|(name, case)| {
        let obstacle = Arc::clone(&obstacle);
        Trial::ignorable_test(*name, move || match obstacle.get_or_init(host::obstacle) {
            Some(why) => {
                println!("{name}: skipped: {why}");
                Ok(Completion::ignored_with(why))
            }
            None => case().map(|()| Completion::Completed).map_err(Into::into),
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
