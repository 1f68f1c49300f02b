//! Where reports go: a table that is kept up to date, lines of JSON, or nothing until the end.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};

use crate::report::Report;
use crate::{json, table};

/// Events shown under a live table, which would wipe them away otherwise.
const EVENTS: usize = 5;

/// Clears a terminal, and writes from its top.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Standard output and standard error.
pub struct Output {
    form: Form,
    events: VecDeque<String>,
}

enum Form {
    Live,
    Json,
    /// Nobody reads along: totals at the end only.
    Last,
}

impl Output {
    /// What suits the options and whoever reads.
    pub fn new(json: bool, once: bool) -> Self {
        let form = match (json, io::stdout().is_terminal() && !once) {
            (true, _) => Form::Json,
            (false, true) => Form::Live,
            (false, false) => Form::Last,
        };
        Self { form, events: VecDeque::new() }
    }

    /// Something happened.
    pub fn event(&mut self, text: &str) {
        if matches!(self.form, Form::Live) {
            self.events.truncate(EVENTS - 1);
            self.events.push_front(text.to_owned());
        }
        // Where nobody reads it, there is nobody to tell.
        let _ = writeln!(io::stderr(), "nomos-xdp: {text}");
    }

    /// An interval has passed. Fails where nobody reads any more.
    pub fn interval(&mut self, reports: &[Report]) -> io::Result<()> {
        match self.form {
            Form::Live => write(&format!("{CLEAR}{}", self.screen(reports))),
            Form::Json => write(&reports.iter().map(json::line).collect::<String>()),
            Form::Last => Ok(()),
        }
    }

    /// The last report of all.
    pub fn last(&mut self, reports: &[Report]) -> io::Result<()> {
        match self.form {
            Form::Live | Form::Json => self.interval(reports),
            Form::Last => write(&tables(reports)),
        }
    }

    fn screen(&self, reports: &[Report]) -> String {
        let events: Vec<&str> = self.events.iter().map(String::as_str).collect();
        format!("{}\n{}\n", tables(reports), events.join("\n"))
    }
}

fn tables(reports: &[Report]) -> String {
    reports.iter().map(table::render).collect::<Vec<_>>().join("\n")
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
