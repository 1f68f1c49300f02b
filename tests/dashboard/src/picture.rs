//! Draws the dashboard as SVG: its panels in their places, with the results of their queries.
//!
//! The picture resembles Grafana's dark theme, so that a reader knows what to expect, but uses none of Grafana's code.

mod axis;
mod canvas;
mod chart;
mod stat;

use std::collections::BTreeMap;

use crate::dashboard::Panel;
use crate::prometheus::{Range, Series};
use canvas::{Anchor, Area, Canvas};

/// The width of the picture.
const WIDTH: f64 = 1240.0;
/// The height of a row of Grafana's grid, and the gap between panels.
const ROW: f64 = 29.0;
const GAP: f64 = 7.0;
/// The height of the header above the panels.
const HEADER: f64 = 46.0;

/// The first colours of Grafana's classic palette.
const PALETTE: [&str; 8] = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#5794f2", "#ba43a9", "#8f83c9"];

const BACKGROUND: &str = "#111217";
const SURFACE: &str = "#181b1f";
const BORDER: &str = "#26282e";
const TEXT: &str = "#d5d6e0";
const FAINT: &str = "#8e919c";
const ORANGE: &str = "#ff9830";

/// A panel with the results of its queries.
#[derive(Clone, Debug)]
pub struct Filled {
    /// The panel.
    pub panel: Panel,
    /// The series with their names, in the order of the legend.
    pub lines: Vec<Line>,
    /// The time of the values.
    pub range: Range,
}

/// A named series.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// Times in seconds since 1970, and values.
    pub points: Vec<(f64, f64)>,
}

/// The whole picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The dashboard's title.
    pub title: String,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// The time that is shown.
    pub range: Range,
    /// Panels and rows.
    pub panels: Vec<Filled>,
    /// Alerts, and when they began to fire.
    pub alerts: Vec<(String, f64)>,
}

impl Line {
    /// Returns a series named by the legend, or by its labels if there is no legend.
    pub fn new(legend: &str, series: Series) -> Self {
        let mut name = legend.to_owned();
        for (label, value) in &series.labels {
            name = name.replace(&format!("{{{{{label}}}}}"), value);
        }
        Self { name, points: series.points }
    }

    fn finite(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.points.iter().copied().filter(|(_, value)| value.is_finite())
    }

    fn last(&self) -> Option<f64> {
        self.finite().last().map(|(_, value)| value)
    }

    fn max(&self) -> f64 {
        self.finite().map(|(_, value)| value).fold(0.0, f64::max)
    }

    fn sum(&self) -> f64 {
        self.finite().map(|(_, value)| value).sum()
    }
}

/// Draws the picture as SVG.
pub fn draw(picture: &Picture) -> String {
    let rows = picture.panels.iter().map(|filled| bottom(&filled.panel)).max().unwrap_or_default();
    let mut canvas = Canvas::new(WIDTH, HEADER + as_f64(rows) * ROW + GAP);
    canvas.rectangle(Area { x: 0.0, y: 0.0, width: WIDTH, height: canvas.height() }, BACKGROUND, None);
    header(&mut canvas, picture);
    for filled in &picture.panels {
        panel(&mut canvas, picture, filled);
    }
    canvas.finish()
}

fn header(canvas: &mut Canvas, picture: &Picture) {
    canvas.text(GAP + 5.0, 30.0, Anchor::Start, 18.0, TEXT, &picture.title);
    let mut x = GAP + 90.0;
    for name in &picture.variables {
        canvas.text(x, 29.0, Anchor::Start, 12.0, FAINT, name);
        x += canvas::width(name, 12.0) + 6.0;
        canvas.text(x, 29.0, Anchor::Start, 12.0, TEXT, "All");
        x += 40.0;
    }
    let right = WIDTH - GAP - 5.0;
    let minutes = (picture.range.end - picture.range.start) / 60.0;
    canvas.text(right, 29.0, Anchor::End, 12.0, TEXT, &format!("Last {minutes:.0} minutes"));
    if !picture.alerts.is_empty() {
        let names: Vec<&str> = picture.alerts.iter().map(|(name, _)| name.as_str()).collect();
        canvas.text(right - 110.0, 29.0, Anchor::End, 11.0, ORANGE, &format!("\u{25b2} {}", names.join(", ")));
    }
}

fn panel(canvas: &mut Canvas, picture: &Picture, filled: &Filled) {
    let area = place(&filled.panel);
    if filled.panel.kind == "row" {
        canvas.text(area.x + 5.0, area.y + area.height - 7.0, Anchor::Start, 14.0, TEXT, &filled.panel.title);
        return;
    }
    canvas.rectangle(area, SURFACE, Some(BORDER));
    canvas.text(area.x + 9.0, area.y + 18.0, Anchor::Start, 12.5, TEXT, &filled.panel.title);
    match filled.panel.kind.as_str() {
        "stat" => stat::draw(canvas, area, filled),
        _ => chart::draw(canvas, area, picture, filled),
    }
}

fn place(panel: &Panel) -> Area {
    let [x, y, width, height] = panel.place.map(as_f64);
    let column = (WIDTH - GAP) / 24.0;
    Area { x: GAP + x * column, y: HEADER + y * ROW, width: width * column - GAP, height: height * ROW - GAP }
}

fn bottom(panel: &Panel) -> u64 {
    panel.place[1] + panel.place[3]
}

/// Converts grid cells and indices, which are small.
fn as_f64(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// Returns the fixed colours of a panel, by series.
fn fixed_colors(panel: &Panel) -> BTreeMap<String, String> {
    let overrides = panel.json["fieldConfig"]["overrides"].as_array().into_iter().flatten();
    let color = |one: &serde_json::Value| {
        let name = one["matcher"]["options"].as_str()?.to_owned();
        Some((name, hex(one["properties"][0]["value"]["fixedColor"].as_str()?).to_owned()))
    };
    overrides.filter_map(color).collect()
}

/// Returns the colour of the series with this index in its panel, unless a colour is fixed for it.
fn usual_color(panel: &Panel, at: usize) -> String {
    let color = &panel.json["fieldConfig"]["defaults"]["color"];
    match color["fixedColor"].as_str().filter(|_| color["mode"] == "shades") {
        Some(name) => shade(hex(name), at),
        None => PALETTE[at % PALETTE.len()].to_owned(),
    }
}

/// Returns a darker shade for each index, as `#rrggbb`.
fn shade(color: &str, at: usize) -> String {
    let part = |from: usize| color.get(from..from + 2).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    // Each shade has four fifths of the last one's brightness. After five shades they repeat.
    let darker = |part: u32| (0..at % 5).fold(part, |part, _| part * 4 / 5);
    let [red, green, blue] = [1, 3, 5].map(|from| darker(part(from).unwrap_or_default()));
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns the value of one of Grafana's colour names.
fn hex(name: &str) -> &str {
    match name {
        "green" => "#73bf69",
        "blue" => "#5794f2",
        "purple" => "#b877d9",
        "red" => "#f2495c",
        "orange" => ORANGE,
        "text" => TEXT,
        other => other,
    }
}
