//! What a scenario found, in a form that is stored, printed and drawn alike.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::table::Table;

/// The findings of one scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// The scenario.
    pub name: String,
    /// Tables, in the order in which they are read.
    pub tables: Vec<Figures>,
    /// Plots of figures that are in the tables.
    pub plots: Vec<Plot>,
    /// Text that has figures in it: it is made with them.
    pub notes: Vec<String>,
    /// Single rounds and whatever else the tables sum up.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub rounds: Value,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Its name in the section.
    pub name: String,
    /// The first column names the row.
    pub columns: Vec<Column>,
    /// As many cells as columns.
    pub rows: Vec<Vec<Cell>>,
}

/// One column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// With its unit.
    pub name: String,
    /// Digits behind the point.
    pub digits: usize,
}

/// One figure or word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A figure, as exact as it was found.
    Number(f64),
    /// A word.
    Text(String),
    /// Nothing to tell, such as a figure that is not a number.
    Nothing,
}

/// One plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Its name in the section; the file has it.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What is drawn.
    pub kind: Kind,
    /// What the axes show.
    pub axes: [Axis; 2],
    /// What is compared.
    pub series: Vec<Series>,
}

/// How values are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// Values by these categories, a bar each.
    Bars(Vec<String>),
    /// Values by number, joined by lines.
    Lines,
}

/// One axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// Whether it goes by powers of ten.
    pub logarithmic: bool,
}

/// Values that belong together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Where bars are drawn the first number is that of the category.
    pub points: Vec<(f64, f64)>,
}

impl Section {
    /// One without any findings yet.
    pub fn new(name: &str) -> Self {
        Section { name: name.to_owned(), ..Section::default() }
    }

    /// All tables and notes, as Markdown.
    pub fn text(&self) -> String {
        let tables = self.tables.iter().map(Figures::text);
        tables.chain(self.notes.iter().cloned()).collect::<Vec<_>>().join("\n\n")
    }
}

impl Figures {
    /// A table with these columns and the digits of each.
    pub fn new(name: &str, columns: &[(&str, usize)]) -> Self {
        let column = |(name, digits): &(&str, usize)| Column { name: (*name).to_owned(), digits: *digits };
        Figures { name: name.to_owned(), columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "{}: a cell for each column", self.name);
        self.rows.push(cells);
    }

    /// As Markdown.
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
    /// As tables show it.
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
    /// Bars by category; a row of values for each series.
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

    /// Lines.
    pub fn lines(name: &str, title: &str, axes: [Axis; 2], series: Vec<Series>) -> Self {
        Plot { name: name.to_owned(), title: title.to_owned(), kind: Kind::Lines, axes, series }
    }
}

impl Axis {
    /// One that goes from zero in equal steps.
    pub fn linear(label: &str) -> Self {
        Axis { label: label.to_owned(), logarithmic: false }
    }

    /// One that goes by powers of ten.
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
