//! The results of a scenario, in a form that can be stored, printed and drawn.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::table::Table;

/// The results of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The name of the scenario.
    pub name: String,
    /// The tables, in reading order.
    pub tables: Vec<Figures>,
    /// The plots of figures in the tables.
    pub plots: Vec<Plot>,
    /// Generated texts with figures.
    pub notes: Vec<String>,
    /// Single rounds and other data that the tables summarise.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub rounds: Value,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The name in the section.
    pub name: String,
    /// The columns. The first one names the row.
    pub columns: Vec<Column>,
    /// The rows, with as many cells as columns.
    pub rows: Vec<Vec<Cell>>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The name, with its unit.
    pub name: String,
    /// The number of decimal places.
    pub digits: usize,
}

/// One figure or word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A figure, with full precision.
    Number(f64),
    /// A word.
    Text(String),
    /// No value, for example for NaN.
    Nothing,
}

/// One plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// The name in the section, and of the file.
    pub name: String,
    /// The text above it.
    pub title: String,
    /// How values are drawn.
    pub kind: Kind,
    /// The axes.
    pub axes: [Axis; 2],
    /// The compared series.
    pub series: Vec<Series>,
}

/// How values are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// A bar for each of these categories.
    Bars(Vec<String>),
    /// Values over numbers, connected by lines.
    Lines,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Whether it is logarithmic.
    pub logarithmic: bool,
}

/// Values that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// The points. For bars, the first number is the index of the category.
    pub points: Vec<(f64, f64)>,
}

impl Section {
    /// Returns a section without results.
    pub fn new(name: &str) -> Self {
        Section { name: name.to_owned(), ..Section::default() }
    }

    /// Returns all tables and notes as Markdown.
    pub fn text(&self) -> String {
        let tables = self.tables.iter().map(Figures::text);
        tables.chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("\n\n")
    }
}

impl Figures {
    /// Returns a table with these columns and the decimal places of each.
    pub fn new(name: &str, columns: &[(&str, usize)]) -> Self {
        let column = |(name, digits): &(&str, usize)| Column { name: (*name).to_owned(), digits: *digits };
        Figures { name: name.to_owned(), columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}: a cell for each column", self.name);
        self.rows.push(cells);
    }

    /// Returns the table as Markdown.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut table = Table::new(&names);
        for row in &self.rows {
            let cells: Vec<String> =
                row.iter().zip(&self.columns).map(|(cell, column)| cell.text(column.digits)).collect();
            table.row(&cells);
        }
        table.text()
    }
}

impl Cell {
    /// Returns the text for tables.
    pub fn text(&self, digits: usize) -> String {
        match self {
            Cell::Number(number) => format!("{number:.digits$}"),
            Cell::Text(text) => text.clone(),
            Cell::Nothing => String::new(),
        }
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        if number.is_finite() { Cell::Number(number) } else { Cell::Nothing }
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Cell::Nothing, Cell::from)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    #[allow(clippy::cast_precision_loss)]
    fn from(number: u64) -> Self {
        Cell::Number(number as f64)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Cell::from(number as u64)
    }
}

impl Plot {
    /// Returns a plot of bars by category, with a row of values for each series.
    #[allow(clippy::cast_precision_loss)]
    pub fn bars(name: &str, title: &str, label: &str, categories: &[String], series: &[(&str, Vec<f64>)]) -> Self {
        let points = |values: &[f64]| values.iter().enumerate().map(|(at, value)| (at as f64, *value)).collect();
        Plot {
            name: name.to_owned(),
            title: title.to_owned(),
            kind: Kind::Bars(categories.to_vec()),
            axes: [Axis::linear(""), Axis::linear(label)],
            series: series
                .iter()
                .map(|(name, values)| Series { name: (*name).to_owned(), points: points(values) })
                .collect(),
        }
    }

    /// Returns a plot of lines.
    pub fn lines(name: &str, title: &str, axes: [Axis; 2], series: Vec<Series>) -> Self {
        Plot { name: name.to_owned(), title: title.to_owned(), kind: Kind::Lines, axes, series }
    }
}

impl Axis {
    /// Returns an axis from zero in equal steps.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), logarithmic: false }
    }

    /// Returns an axis with powers of ten.
    pub fn logarithmic(label: &str) -> Self {
        Axis { label: label.to_owned(), logarithmic: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_survive_storing() {
        let mut figures = Figures::new("a", &[("what", 0), ("ns", 1), ("none", 0)]);
        figures.row(vec!["x".into(), 1.25.into(), f64::NAN.into()]);
        let text = serde_json::to_string(&figures).expect("JSON");
        assert_eq!(serde_json::from_str::<Figures>(&text).expect("the same"), figures);
        assert_eq!(figures.text(), "| what |  ns | none |\n|------|----:|-----:|\n| x    | 1.2 |      |");
    }
}
