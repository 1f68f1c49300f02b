//! Tables in Markdown that are readable as text.

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with these columns. The first is left-aligned, the others are right-aligned.
    pub fn new(columns: &[&str]) -> Self {
        Table { rows: vec![columns.iter().map(|name| (*name).to_owned()).collect()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    /// Returns the Markdown text.
    pub fn text(&self) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(String::len).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut lines: Vec<String> = self.rows.iter().map(|row| line(row, &widths)).collect();
        lines.insert(1, rule(&widths));
        lines.join("\n")
    }
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
        0 => format!("| {cell:<width$} "),
        _ => format!("| {cell:>width$} "),
    });
    cells.collect::<String>() + "|"
}

fn rule(widths: &[usize]) -> String {
    let cells = widths.iter().enumerate().map(|(column, width)| match column {
        0 => format!("|{}", "-".repeat(width + 2)),
        _ => format!("|{}:", "-".repeat(width + 1)),
    });
    cells.collect::<String>() + "|"
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["body", "ns"]);
        table.row(&["flat-1k".to_owned(), "1234".to_owned()]);
        assert_eq!(table.text(), "| body    |   ns |\n|---------|-----:|\n| flat-1k | 1234 |");
    }
}
