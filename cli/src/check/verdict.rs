//! What was found in a file, as text and as JSON.

use healer::config::ConfigError;
use serde_json::json;

use crate::output::plural;
use crate::source::Source;
use crate::text::plain;
use crate::warning::Warning;

/// A file, and what was found in it.
pub struct Verdict {
    /// The file.
    pub source: Source,
    /// What was found in it.
    pub content: Examined,
}

/// The content of a file.
#[derive(Default)]
pub struct Examined {
    /// Its kind in words.
    pub kind: String,
    /// The problems in it.
    pub findings: Vec<Finding>,
    /// Each with its line in the file. Warnings do not change the exit code.
    pub warnings: Vec<(usize, Warning)>,
}

/// A problem and its line in the file.
pub struct Finding {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem.
    pub error: ConfigError,
}

impl Finding {
    /// Returns a problem with its line.
    pub fn new(source: &Source, error: ConfigError) -> Self {
        Finding { line: source.line(error.offset), error }
    }
}

impl Verdict {
    /// Returns whether there is no problem.
    pub fn is_clean(&self) -> bool {
        self.content.findings.is_empty()
    }

    /// Returns a line for each warning and problem, or for their absence.
    pub fn as_text(&self) -> String {
        let path = self.source.path.display();
        let Examined { kind, findings, warnings } = &self.content;
        let warn = |(line, Warning { at, why, .. }): &(usize, Warning)| format!("{path}:{line}: warning: {at}: {why}");
        let tell = |Finding { line, error }: &Finding| self.source.tell(*line, error);
        let count = match warnings.len() {
            0 => String::new(),
            count => format!(", {}", plural(count, "warning")),
        };
        let end = self.is_clean().then(|| format!("{path}: {kind}: no problems{count}"));
        let lines = warnings.iter().map(warn).chain(findings.iter().map(tell)).chain(end);
        lines.map(|line| plain(&line).into_owned() + "\n").collect()
    }
}

/// Returns one JSON object about all files.
pub fn as_json(verdicts: &[Verdict]) -> String {
    let path = |verdict: &Verdict| verdict.source.path.display().to_string();
    let file = |verdict: &Verdict| json!({"file": path(verdict), "kind": verdict.content.kind});
    let problem = |verdict: &Verdict, Finding { line, error }: &Finding| {
        let ConfigError { at, found, expected, .. } = error;
        json!({"file": path(verdict), "line": line, "at": at, "found": found, "expected": expected})
    };
    let problems_of = |verdict: &Verdict| -> Vec<_> {
        verdict.content.findings.iter().map(|finding| problem(verdict, finding)).collect()
    };
    let warnings_of = |verdict: &Verdict| -> Vec<_> {
        verdict.content.warnings.iter().map(|(line, warning)| warning.as_json(&path(verdict), *line)).collect()
    };
    let files: Vec<_> = verdicts.iter().map(file).collect();
    let problems: Vec<_> = verdicts.iter().flat_map(problems_of).collect();
    let warnings: Vec<_> = verdicts.iter().flat_map(warnings_of).collect();
    format!("{:#}\n", json!({"files": files, "problems": problems, "warnings": warnings}))
}
