//! Compares the targets of Nomos with the results of a run.

use crate::results::Results;
use crate::section::{Cell, Figures};

/// The place of a figure: scenario, table, column, and the first cells of its rows. No cells stand for all rows.
type Place = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// One target.
struct Target {
    what: &'static str,
    place: Place,
    /// The factor from the unit of the column to that of the target.
    unit: f64,
    bound: Bound,
    digits: usize,
}

/// The bound of a target. With several rows the worst one counts, or the best one.
#[derive(Clone, Copy)]
enum Bound {
    /// The highest is at most this.
    AtMost(f64),
    /// The highest is below this.
    Below(f64),
    /// The lowest is at least this.
    AtLeast(f64),
    /// The highest is above this.
    BestAbove(f64),
}

const fn target(what: &'static str, place: Place, unit: f64, bound: Bound, digits: usize) -> Target {
    Target { what, place, unit, bound, digits }
}

/// The tables of bodies with known skeletons, and with new ones.
const SEEN: &str = "seen-in-v8";
const V8: &str = "in-v8";
const TARGETS: &[Target] = &[
    target("rename in 1 KB, in V8, us", ("engine", SEEN, "ns", &["flat-1k"]), 1e-3, Bound::AtMost(3.0), 1),
    target(
        "rename in 1 KB, in V8, skeleton not seen before, us",
        ("engine", V8, "ns", &["flat-1k"]),
        1e-3,
        Bound::AtMost(3.0),
        1,
    ),
    target(
        "six-level flatten of 1 KB, in V8, us",
        ("engine", SEEN, "ns", &["flatten-1k"]),
        1e-3,
        Bound::AtMost(5.0),
        1,
    ),
    target(
        "six-level flatten of 1 KB, in V8, skeleton not seen before, us",
        ("engine", V8, "ns", &["flatten-1k"]),
        1e-3,
        Bound::AtMost(5.0),
        1,
    ),
    target("list of 100 KB, in V8, us", ("engine", V8, "ns", &["list-100k"]), 1e-3, Bound::AtMost(150.0), 0),
    target(
        "times as fast as `serde_json` in V8, 1 KB",
        ("engine", SEEN, "times as fast", &["flat-1k"]),
        1.0,
        Bound::AtLeast(8.0),
        1,
    ),
    target(
        "times as fast as `serde_json` in V8, 1 KB, skeleton not seen before",
        ("engine", V8, "times as fast", &["flat-1k"]),
        1.0,
        Bound::AtLeast(8.0),
        1,
    ),
    target(
        "times as fast as `serde_json` in V8, list of 100 KB",
        ("engine", V8, "times as fast", &["list-100k"]),
        1.0,
        Bound::AtLeast(8.0),
        1,
    ),
    target(
        "healing under load, 1 KB, 99th percentile, us",
        ("healing", "operations", "p99", &["10 renames in 1 KB"]),
        1.0,
        Bound::AtMost(25.0),
        0,
    ),
    target(
        "processor time with healing, 1 KB, times plain Envoy's",
        ("overhead", "configurations", "x plain", &["nomos-drifted"]),
        1.0,
        Bound::AtMost(1.3),
        2,
    ),
    target(
        "processor time that healing adds, times that of the SDK's echo",
        ("overhead", "configurations", "x echo-sdk", &["nomos-drifted"]),
        1.0,
        Bound::AtMost(1.5),
        2,
    ),
    target(
        "processor time with healing, 10 MB renamed, times plain Envoy's",
        ("sizes", "factors", "CPU x plain", &["10 MB", "renamed"]),
        1.0,
        Bound::AtMost(2.0),
        2,
    ),
    target(
        "responses healed by one worker per second, at best on the ladder",
        ("ladder", "steps", "requests/s", &["", "Nomos"]),
        1.0,
        Bound::BestAbove(5_146.0),
        0,
    ),
    target(
        "success on the ladder, worst step, %",
        ("ladder", "steps", "success %", &["", "Nomos"]),
        1.0,
        Bound::AtLeast(100.0),
        2,
    ),
    target(
        "95th percentile of the worst of five loads, ms",
        ("latency", "loads", "p95 ms", &[]),
        1.0,
        Bound::Below(10.0),
        2,
    ),
    target(
        "metrics each second and traces of 1 % together, %",
        ("watching", "watches", "over Nomos unwatched %", &["metrics and traces of 1 %"]),
        1.0,
        Bound::Below(5.0),
        1,
    ),
    target(
        "known shape by similarity, times rules, in V8",
        ("similarity", "records", "in V8", &["known to rules"]),
        1.0,
        Bound::AtMost(1.1),
        2,
    ),
    target(
        "the same, skeleton seen before",
        ("similarity", "records", "in V8", &["known to rules, skeleton seen"]),
        1.0,
        Bound::AtMost(1.1),
        2,
    ),
    target(
        "20 unknown names seen first, in V8, us",
        ("similarity", "records", "in V8", &["20 unknown names, shape seen first, us"]),
        1.0,
        Bound::AtMost(60.0),
        0,
    ),
];

/// Returns the table. Targets that a run did not measure have no row.
pub fn table(results: &Results) -> Figures {
    let mut figures = Figures::new("targets", &[("target", 0), ("bound", 0), ("measured", 0), ("", 0)]);
    for target in TARGETS {
        let Some(measured) = measured(target, results) else { continue };
        let digits = target.digits;
        let (bound, holds) = match target.bound {
            Bound::AtMost(bound) => (format!("at most {bound:.digits$}"), measured <= bound),
            Bound::Below(bound) => (format!("below {bound:.digits$}"), measured < bound),
            Bound::AtLeast(bound) => (format!("at least {bound:.digits$}"), measured >= bound),
            Bound::BestAbove(bound) => (format!("above {bound:.digits$}"), measured > bound),
        };
        let verdict = if holds { "met" } else { "missed" };
        figures.row(vec![target.what.into(), bound.into(), format!("{measured:.digits$}").into(), verdict.into()]);
    }
    figures
}

fn measured(target: &Target, results: &Results) -> Option<f64> {
    let (section, table, column, rows) = target.place;
    let figures = results.section(section)?.tables.iter().find(|figures| figures.name == table)?;
    let column = figures.columns.iter().position(|own| own.name == column)?;
    let fits = |row: &&Vec<Cell>| row.iter().zip(rows).all(|(cell, word)| word.is_empty() || cell.text(0) == *word);
    let values = figures.rows.iter().filter(fits).filter_map(|row| match row.get(column)? {
        Cell::Number(number) => Some(number * target.unit),
        _ => None,
    });
    values.reduce(|a, b| match target.bound {
        Bound::AtLeast(_) => a.min(b),
        _ => a.max(b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::section::Section;

    fn results(name: &str, table: Figures) -> Results {
        let section = Section { tables: vec![table], ..Section::new(name) };
        let machine = Machine::default();
        Results {
            run: "all".to_owned(),
            quick: false,
            machine,
            tools: Vec::new(),
            sections: vec![section],
            failures: Vec::new(),
            again: Vec::new(),
        }
    }

    #[test]
    fn the_worst_row_decides() {
        let mut steps = Figures::new("steps", &[("step", 0), ("filter", 0), ("success %", 2), ("requests/s", 0)]);
        for (filter, success, rate) in [("none", 90.0, 9e9), ("Nomos", 100.0, 4_000.0), ("Nomos", 99.99, 6_000.0)] {
            steps.row(vec!["1 at 1".into(), filter.into(), success.into(), rate.into()]);
        }
        let rows = table(&results("ladder", steps)).rows;
        let texts: Vec<Vec<String>> =
            rows.iter().map(|row| row[1..].iter().map(|cell| cell.text(0)).collect()).collect();
        assert_eq!(texts, [["above 5146", "6000", "met"], ["at least 100.00", "99.99", "missed"]]);
    }
}
