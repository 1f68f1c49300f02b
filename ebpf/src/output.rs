//! The output of reports: a table that is kept up to date, lines of JSON, or nothing until the end.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};

use crate::report::Report;
use crate::{json, table};

/// How many events are shown below a live table, which would otherwise erase them.
const EVENTS: usize = 5;

/// Clears the terminal, and moves to its top.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Standard output and standard error.
pub struct Output {
    form: Form,
    events: VecDeque<String>,
}

enum Form {
    Live,
    Json,
    /// Nobody reads along, so only the totals are printed at the end.
    Last,
}

impl Output {
    /// Returns the output that suits the options and the reader.
    pub fn new(json: bool, once: bool) -> Self {
        let form = match (json, io::stdout().is_terminal() && !once) {
            (true, _) => Form::Json,
            (false, true) => Form::Live,
            (false, false) => Form::Last,
        };
        Self { form, events: VecDeque::new() }
    }

    /// Reports an event.
    pub fn event(&mut self, text: &str) {
        if matches!(self.form, Form::Live) {
            self.events.truncate(EVENTS - 1);
            self.events.push_front(text.to_owned());
        }
        // If stderr is closed, nobody needs to be told.
        let _ = writeln!(io::stderr(), "nomos-xdp: {text}");
    }

    /// Reports an interval. Fails if the output cannot be written, for example because nobody reads it any more.
    pub fn interval(&mut self, reports: &[Report]) -> io::Result<()> {
        match self.form {
            Form::Live => write(&format!("{CLEAR}{}", self.screen(reports))),
            Form::Json => write(&reports.iter().map(json::line).collect::<String>()),
            Form::Last => Ok(()),
        }
    }

    /// Writes the final report.
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
