//! Writes the results of a run into the document: tables and plots between markers. Everything else stays as it is.
//!
//! A marker is a line `<!-- bench:NAME -->`, and the next `<!-- /bench -->` ends its part. `NAME` is a scenario,
//! `SCENARIO/TABLE`, `targets`, or `machine`. Parts without a result in the run keep their content.

use std::fs;

use nomos_tests::paths;

use crate::plot;
use crate::results::Results;
use crate::section::{Figures, Section};
use crate::targets;

/// The document, and the directory of plots beside it.
const DOCUMENT: &str = "docs/benchmarks.md";
const PLOTS: &str = "plots";

const BEGIN: &str = "<!-- bench:";
const END: &str = "<!-- /bench -->";

/// Writes the document and its plots. Returns remarks on what was written, and what was not.
pub fn write(results: &Results) -> Result<Vec<String>, String> {
    write_to(DOCUMENT, results)
}

/// Does the same with another document.
pub fn write_to(document: &str, results: &Results) -> Result<Vec<String>, String> {
    let path = paths::root().join(document);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (text, mut said) = filled(&text, results).map_err(|error| format!("{document}: {error}"))?;
    let plots = path.with_file_name(PLOTS);
    fs::create_dir_all(&plots).map_err(|error| format!("{}: {error}", plots.display()))?;
    for section in &results.sections {
        for drawn in &section.plots {
            let file = plots.join(file(&section.name, &drawn.name));
            let svg = plot::svg(drawn)?;
            fs::write(&file, svg).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    said.push(format!("written to {document}"));
    Ok(said)
}

/// Returns the document with the results, and remarks.
fn filled(document: &str, results: &Results) -> Result<(String, Vec<String>), String> {
    let (mut text, mut said, mut seen) = (String::new(), Vec::new(), Vec::new());
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        let Some(name) = line.trim().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->")) else { continue };
        let mut before = String::new();
        loop {
            let line = lines.next().ok_or_else(|| format!("`{BEGIN}{name} -->` has no `{END}`"))?;
            if line.trim() == END {
                break;
            }
            before.push_str(line);
            before.push('\n');
        }
        if let Some(part) = part(name, results) {
            text.extend(["\n", &part, "\n\n"]);
        } else {
            said.push(format!("{name}: not in this run; left as it was"));
            text.push_str(&before);
        }
        text.push_str(END);
        text.push('\n');
        seen.push(name.split('/').next().unwrap_or(name).to_owned());
    }
    let unseen = results.sections.iter().filter(|section| !seen.contains(&section.name));
    said.extend(unseen.map(|section| format!("{}: there is no `{BEGIN}{} -->`", section.name, section.name)));
    Ok((text, said))
}

fn part(name: &str, results: &Results) -> Option<String> {
    if name == "machine" {
        return Some(machine(results));
    }
    if name == "targets" {
        return Some(targets::table(results).text());
    }
    let Some((section, table)) = name.split_once('/') else { return results.section(name).map(whole) };
    let section = results.section(section)?;
    section.tables.iter().find(|figures| figures.name == table).map(Figures::text)
}

fn machine(results: &Results) -> String {
    let file = format!("bench/results/{}-{}.json", results.machine.date, results.run);
    let certainty = if results.quick { ", a quick run" } else { "" };
    format!("From `{file}`{certainty}:\n\n```\n{}\n```", results.machine_text())
}

fn whole(section: &Section) -> String {
    let images =
        section.plots.iter().map(|plot| format!("![{}]({PLOTS}/{})", plot.title, file(&section.name, &plot.name)));
    [section.text()].into_iter().chain(images).collect::<Vec<_>>().join("\n\n")
}

fn file(section: &str, plot: &str) -> String {
    format!("{section}-{plot}.svg")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    fn results() -> Results {
        let mut figures = Figures::new("t", &[("what", 0), ("ns", 1)]);
        figures.row(vec!["x".into(), 1.5.into()]);
        let section = Section { tables: vec![figures], notes: vec!["A note.".to_owned()], ..Section::new("a") };
        Results {
            run: "all".to_owned(),
            quick: false,
            machine: Machine::default(),
            tools: Vec::new(),
            sections: vec![section],
            failures: Vec::new(),
            again: Vec::new(),
        }
    }

    #[test]
    fn only_what_is_between_markers_changes() {
        let table = "| what |  ns |\n|------|----:|\n| x    | 1.5 |";
        let document = "# T\n<!-- bench:a -->\nold\n<!-- /bench -->\ntext\n<!-- bench:a/t -->\n<!-- /bench -->\n\
            <!-- bench:b -->\nkept\n<!-- /bench -->\n";
        let (text, said) = filled(document, &results()).expect("a document");
        let expected = format!(
            "# T\n<!-- bench:a -->\n\n{table}\n\nA note.\n\n<!-- /bench -->\ntext\n<!-- bench:a/t -->\n\n{table}\n\n\
             <!-- /bench -->\n<!-- bench:b -->\nkept\n<!-- /bench -->\n"
        );
        assert_eq!(text, expected);
        assert_eq!(said, ["b: not in this run; left as it was"]);
        assert_eq!(filled(&text, &results()).expect("again").0, text, "writing twice changes nothing");
        assert!(filled("<!-- bench:a -->\n", &results()).is_err());
    }

    #[test]
    fn the_document_says_what_the_newest_result_says() {
        let Ok(file) = Results::newest() else { panic!("there is no committed result") };
        let results = Results::read(&file).unwrap_or_else(|error| panic!("{error}"));
        let document = fs::read_to_string(paths::root().join(DOCUMENT)).expect("the document");
        let (text, _) = filled(&document, &results).expect("markers");
        assert!(text == document, "{DOCUMENT} differs from {}; to write it: nomos-bench report", file.display());
    }
}
