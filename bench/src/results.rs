//! Result files: everything that was measured in a run, and the machine it ran on. As JSON with all details, and as CSV
//! with one figure per line.

use std::fs;
use std::io;
use std::path::PathBuf;

use nomos_tests::paths;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::section::{Cell, Section};

/// The directory of result files in the repository.
const DIRECTORY: &str = "bench/results";

/// One run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// `all`, `quick`, or the requested scenarios.
    pub run: String,
    /// Whether it took less time, with less certainty.
    #[serde(default)]
    pub quick: bool,
    /// The machine it ran on.
    pub machine: Machine,
    /// Other programs, with their versions.
    pub tools: Vec<(String, String)>,
    /// The results by scenario.
    pub sections: Vec<Section>,
    /// The scenarios that failed, with the reasons.
    pub failures: Vec<(String, String)>,
    /// The scenarios that were measured again, with the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<(String, Machine)>,
}

impl Results {
    /// Writes `bench/results/DATE-RUN.json` and `.csv`. Returns the path of the first in the repository.
    pub fn write(&self) -> Result<String, String> {
        let csv = self.csv().map_err(|error| error.to_string())?;
        store(&self.machine, &self.run, "csv", &csv)?;
        write(&self.machine, &self.run, self)
    }

    /// Describes the machine and tools as text.
    pub fn machine_text(&self) -> String {
        let tools = self.tools.iter().map(|(name, version)| format!("{name} {version}"));
        let text = [self.machine.text()].into_iter().chain(tools).collect::<Vec<_>>().join(", ");
        let again = self.again.iter().map(|(names, machine)| format!("\nagain, {names}: {}", machine.text()));
        [text].into_iter().chain(again).collect()
    }

    /// Fails if scenarios that are measured in this way cannot be combined with these results.
    pub fn may_take(&self, quick: bool) -> Result<(), String> {
        let how = |quick: bool| if quick { "with --quick" } else { "without --quick" };
        if self.quick == quick {
            return Ok(());
        }
        Err(format!("found results that were measured {}; expected {}", how(self.quick), how(quick)))
    }

    /// Replaces results by those that were measured again. A scenario that failed keeps its results, and becomes a
    /// failure.
    pub fn replace(&mut self, again: Results) {
        let is_again = |name: &str| again.sections.iter().any(|section| section.name == name);
        self.failures.retain(|(name, _)| !is_again(name));
        self.failures.extend(again.failures);
        for section in again.sections {
            match self.sections.iter_mut().find(|known| known.name == section.name) {
                Some(known) => *known = section,
                None => self.sections.push(section),
            }
        }
        self.again.push((again.run, again.machine));
    }

    /// Reads a result file.
    pub fn read(path: &PathBuf) -> Result<Self, String> {
        let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns the file of the newest run of all scenarios.
    pub fn newest() -> Result<PathBuf, String> {
        let directory = paths::root().join(DIRECTORY);
        let entries = fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let files = entries.flatten().map(|entry| entry.path());
        // Names begin with the date.
        let newest = files.filter(|path| path.to_string_lossy().ends_with("-all.json")).max();
        newest.ok_or_else(|| format!("{}: found no result of `nomos-bench all`", directory.display()))
    }

    /// Returns the results of a scenario.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    fn csv(&self) -> io::Result<Vec<u8>> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.write_record(["scenario", "table", "row", "figure", "value"])?;
        for (name, value) in self.machine.fields() {
            csv.write_record(["machine", "", "", name, &value])?;
        }
        for (name, version) in &self.tools {
            csv.write_record(["tools", "", "", name, version])?;
        }
        for section in &self.sections {
            for table in &section.tables {
                for row in &table.rows {
                    let labels = row.iter().take_while(|cell| matches!(cell, Cell::Text(_)));
                    let labels: Vec<String> = labels.map(|cell| cell.text(0)).collect();
                    let label = labels.join(", ");
                    for (cell, column) in row.iter().zip(&table.columns).skip(labels.len().max(1)) {
                        let value = match cell {
                            Cell::Number(number) => number.to_string(),
                            Cell::Text(text) => text.clone(),
                            Cell::Nothing => continue,
                        };
                        csv.write_record([&section.name, &table.name, &label, &column.name, &value])?;
                    }
                }
            }
        }
        for (scenario, error) in &self.failures {
            csv.write_record([scenario, "", "", "failure", error])?;
        }
        csv.into_inner().map_err(csv::IntoInnerError::into_error)
    }
}

/// Writes `bench/results/DATE-NAME.json`, and returns its path in the repository.
pub fn write(machine: &Machine, name: &str, what: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string(what).map_err(|error| error.to_string())? + "\n";
    store(machine, name, "json", text.as_bytes())
}

fn store(machine: &Machine, name: &str, extension: &str, bytes: &[u8]) -> Result<String, String> {
    let file = format!("{DIRECTORY}/{}-{name}.{extension}", machine.date);
    let path = paths::root().join(&file);
    fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(run: &str, sections: &[(&str, &str)]) -> Results {
        let section = |(name, note): &(&str, &str)| Section { notes: vec![(*note).to_owned()], ..Section::new(name) };
        Results {
            run: run.to_owned(),
            quick: false,
            machine: Machine::default(),
            tools: Vec::new(),
            sections: sections.iter().map(section).collect(),
            failures: Vec::new(),
            again: Vec::new(),
        }
    }

    #[test]
    fn what_was_measured_again_takes_its_old_place() {
        let mut all = results("all", &[("engine", "old"), ("latency", "old"), ("memory", "old")]);
        all.failures.push(("latency".to_owned(), "once".to_owned()));
        all.may_take(false).expect("the same certainty");
        all.replace(results("latency", &[("latency", "new")]));
        let found: Vec<_> = all.sections.iter().map(|one| format!("{} {}", one.name, one.notes.concat())).collect();
        assert_eq!(found, ["engine old", "latency new", "memory old"]);
        assert!(all.machine_text().contains("again, latency: "), "{}", all.machine_text());
        assert!(all.failures.is_empty());
        assert!(all.may_take(true).is_err());
    }

    #[test]
    fn what_failed_when_measured_again_is_told() {
        let mut all = results("all", &[("latency", "old")]);
        all.replace(Results {
            failures: vec![("latency".to_owned(), "no upstream".to_owned())],
            ..results("latency", &[])
        });
        assert_eq!(all.sections.len(), 1);
        assert_eq!(all.failures, [("latency".to_owned(), "no upstream".to_owned())]);
    }
}
