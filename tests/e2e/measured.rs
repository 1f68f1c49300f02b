//! Tables in the documents about what Envoy does. Each is compared with the results of a case.
//!
//! With `NOMOS_WRITE_DOCS=1` the table is written instead.

use std::fs;

use nomos_tests::paths;

use crate::expect;
use crate::rig::Outcome;

const DOCUMENT: &str = "docs/operations.md";

/// A table with a name. In the document it is between `<!-- measured: NAME -->` and `<!-- end -->`.
pub struct Table {
    name: &'static str,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with these columns and no rows.
    pub fn new(name: &'static str, columns: &[&str]) -> Self {
        let head = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { name, rows: vec![head, vec!["---".to_owned(); columns.len()]] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Fails if the table in the document is different.
    pub fn compare(&self) -> Outcome {
        let path = paths::root().join(DOCUMENT);
        let text = fs::read_to_string(&path).map_err(|e| format!("{DOCUMENT}: {e}"))?;
        let (open, close) = (format!("<!-- measured: {} -->\n", self.name), "<!-- end -->");
        let (before, rest) = text.split_once(&open).ok_or_else(|| format!("{DOCUMENT} has no {open}"))?;
        let (written, after) = rest.split_once(close).ok_or_else(|| format!("{DOCUMENT}: {open} has no {close}"))?;
        let measured = self.markdown();
        if std::env::var_os("NOMOS_WRITE_DOCS").is_some() {
            return fs::write(&path, [before, &open, &measured, close, after].concat()).map_err(|e| e.to_string());
        }
        expect::that(written == measured, || {
            format!("{DOCUMENT} says otherwise; `NOMOS_WRITE_DOCS=1` writes what was measured:\n{measured}")
        })
    }

    fn markdown(&self) -> String {
        self.rows.iter().map(|row| ["| ", &row.join(" | "), " |\n"].concat()).collect()
    }
}
