//! The table of results, with one line per mode.

use std::fmt::Write;

use drifting_upstream::Mode;

/// The result of one mode.
pub struct Row {
    /// The mode.
    pub mode: Mode,
    /// How many of the drifted fields are back in place.
    pub healed: usize,
    /// The ops that the filter counted.
    pub ops: usize,
    /// The median time of healing.
    pub microseconds: Option<u64>,
    /// Whether all replies were the same and had all members of the healthy user, value for value.
    pub exact: bool,
}

impl Row {
    /// Returns whether every drifted field is healed.
    pub fn is_healed(&self) -> bool {
        let drifted = self.mode.drifted_fields();
        self.exact && self.healed == drifted && self.ops == drifted
    }
}

/// Returns the table as text. `requests` is the number of requests behind each median.
pub fn render(rows: &[Row], requests: usize) -> String {
    let mut text = "mode      fields drifted  fields healed  ops  us in the filter\n".to_owned();
    for row in rows {
        let time = row.microseconds.map_or_else(|| "-".to_owned(), |us| us.to_string());
        let note = if row.is_healed() { "" } else { "  NOT HEALED" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<9} {:>14} {:>14} {:>4} {:>17}{note}",
            row.mode.name(),
            row.mode.drifted_fields(),
            row.healed,
            row.ops,
            time,
        );
    }
    let _ = writeln!(
        text,
        "us in the filter: what healing took, as nomos_heal_us measures it; the median of {requests} requests"
    );
    text
}

/// Summarises all modes in a sentence.
pub fn total(rows: &[Row]) -> String {
    let drifted: usize = rows.iter().map(|row| row.mode.drifted_fields()).sum();
    let healed: usize = rows.iter().map(|row| row.healed).sum();
    format!("{} modes, {drifted} fields drifted, {healed} healed.", rows.len())
}

#[cfg(test)]
mod tests {
    use drifting_upstream::Mode;

    use super::{Row, total};

    #[test]
    fn the_total_counts_what_is_missing() {
        let row = |mode: Mode, healed| Row { mode, healed, ops: healed, microseconds: None, exact: true };
        let rows = [row(Mode::Healthy, 0), row(Mode::Typo, 4), row(Mode::Camel, 7)];
        assert_eq!(total(&rows), "3 modes, 12 fields drifted, 11 healed.");
    }
}
