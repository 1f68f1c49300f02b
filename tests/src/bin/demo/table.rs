//! One line per mode.

use std::fmt::Write;

use drifting_upstream::Mode;

/// What one mode came to.
pub struct Row {
    /// The mode.
    pub mode: Mode,
    /// How many of the drifted fields are back in their place.
    pub healed: usize,
    /// Ops as the filter counted them.
    pub ops: usize,
    /// Median time in the filter.
    pub microseconds: Option<u64>,
    /// Whether each reply was the same and had all members of the healthy user, value for value.
    pub exact: bool,
}

impl Row {
    /// Whether nothing is missing.
    pub fn is_healed(&self) -> bool {
        let drifted = self.mode.drifted_fields();
        self.exact && self.healed == drifted && self.ops == drifted
    }
}

/// The table as text.
pub fn render(rows: &[Row]) -> String {
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
    text
}
