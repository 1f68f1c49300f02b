//! Draws plots as SVG: horizontal bars, because the names of categories are long, and lines over numbers.

use plotters::coord::Shift;
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, DrawingArea, EmptyElement, IntoDrawingArea, IntoFont, LineSeries, RGBColor,
    Rectangle, SVGBackend, Text, TextStyle, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::section::{Axis, Kind, Plot, Series};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// All sizes are in pixels.
const WIDTH: u16 = 860;
const LINES_HEIGHT: u32 = 420;
const MARGIN: i32 = 14;
const TITLE_HEIGHT: i32 = 30;
const LEGEND_HEIGHT: i32 = 20;
const AXIS_HEIGHT: i32 = 40;
const BAR_HEIGHT: i32 = 13;
const BAND_GAP: i32 = 10;
/// The average width of a character in the small font.
const CHARACTER: i32 = 7;
/// The space for the figure after the longest bar.
const VALUE_WIDTH: i32 = 64;

const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(110, 110, 110);

/// Colours that people with colour blindness can distinguish, on white.
const COLORS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
    RGBColor(190, 180, 50),
];

/// Returns the SVG text.
pub fn svg(plot: &Plot) -> Result<String, String> {
    let mut svg = String::new();
    draw(plot, &mut svg).map_err(|error| format!("{}: {error}", plot.name))?;
    Ok(svg)
}

fn draw(plot: &Plot, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let height = match &plot.kind {
        Kind::Bars(categories) => bars_height(categories.len(), plot.series.len()),
        Kind::Lines => LINES_HEIGHT,
    };
    let area = SVGBackend::with_string(svg, (u32::from(WIDTH), height)).into_drawing_area();
    area.fill(&WHITE)?;
    text(&area, &plot.title, (MARGIN, MARGIN), 17, BLACK, HPos::Left)?;
    legend(&area, &plot.series)?;
    match &plot.kind {
        Kind::Bars(categories) => bars(&area, plot, categories)?,
        Kind::Lines => lines(&area, plot)?,
    }
    area.present()?;
    Ok(())
}

/// Returns the height of the title and the legend.
fn top(series: &[Series]) -> i32 {
    MARGIN + TITLE_HEIGHT + if series.len() > 1 { LEGEND_HEIGHT } else { 0 }
}

fn legend(area: &Area<'_>, series: &[Series]) -> Result<(), Box<dyn std::error::Error>> {
    if series.len() < 2 {
        return Ok(());
    }
    let (mut x, y) = (MARGIN, MARGIN + TITLE_HEIGHT - 4);
    for (at, series) in series.iter().enumerate() {
        area.draw(&Rectangle::new([(x, y), (x + 10, y + 10)], color(at).filled()))?;
        text(area, &series.name, (x + 15, y - 1), 12, BLACK, HPos::Left)?;
        x += 34 + width(&series.name);
    }
    Ok(())
}

fn bars_height(categories: usize, series: usize) -> u32 {
    let bands = length(categories) * (length(series) * BAR_HEIGHT + BAND_GAP);
    u32::try_from(MARGIN + TITLE_HEIGHT + LEGEND_HEIGHT + bands + AXIS_HEIGHT).unwrap_or(LINES_HEIGHT)
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
fn bars(area: &Area<'_>, plot: &Plot, categories: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let left = MARGIN + categories.iter().map(|name| width(name)).max().unwrap_or(0) + 8;
    let room = f64::from(i32::from(WIDTH) - MARGIN - VALUE_WIDTH - left);
    let values = || plot.series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
    let most = values().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let band = length(plot.series.len()) * BAR_HEIGHT + BAND_GAP;
    let top = top(&plot.series);
    for (at, name) in categories.iter().enumerate() {
        let y = top + length(at) * band;
        let middle = y + (band - BAND_GAP) / 2 - 6;
        text(area, name, (left - 8, middle), 12, BLACK, HPos::Right)?;
        for (which, series) in plot.series.iter().enumerate() {
            let Some((_, value)) = series.points.get(at).filter(|point| point.1.is_finite()) else { continue };
            let y = y + length(which) * BAR_HEIGHT;
            let end = left + (value.max(0.0) / most.max(f64::MIN_POSITIVE) * room) as i32;
            area.draw(&Rectangle::new([(left, y), (end.max(left + 1), y + BAR_HEIGHT - 2)], color(which).filled()))?;
            text(area, &short(*value), (end + 5, y - 1), 11, GREY, HPos::Left)?;
        }
    }
    let bottom = top + length(categories.len()) * band;
    area.draw(&Rectangle::new([(left - 1, top - 3), (left, bottom)], GREY.filled()))?;
    text(area, &plot.axes[1].label, (left, bottom + 6), 12, GREY, HPos::Left)?;
    Ok(())
}

fn lines(area: &Area<'_>, plot: &Plot) -> Result<(), Box<dyn std::error::Error>> {
    let [across, up] = &plot.axes;
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let x = range(across, points().map(|point| point.0));
    let y = range(up, points().map(|point| point.1));
    let top = u32::try_from(top(&plot.series)).unwrap_or(0);
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .margin_top(top)
        .x_label_area_size(AXIS_HEIGHT)
        .y_label_area_size(66)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    chart
        .configure_mesh()
        .x_labels(labels(across, x))
        .y_labels(labels(up, y))
        .light_line_style(WHITE)
        .bold_line_style(GREY.mix(0.25))
        .axis_style(GREY)
        .label_style((FONT, 12))
        .axis_desc_style((FONT, 12).into_font().color(&GREY))
        .x_desc(&across.label)
        .y_desc(&up.label)
        .x_label_formatter(&|value| label(across, *value))
        .y_label_formatter(&|value| label(up, *value))
        .draw()?;
    for (at, series) in plot.series.iter().enumerate() {
        let place = |point: &(f64, f64)| (place(across, point.0), place(up, point.1));
        let points: Vec<(f64, f64)> =
            series.points.iter().filter(|point| point.0.is_finite() && point.1.is_finite()).map(place).collect();
        chart.draw_series(LineSeries::new(points.clone(), color(at).stroke_width(2)))?;
        chart.draw_series(
            points.iter().map(|point| EmptyElement::at(*point) + Circle::new((0, 0), 3, color(at).filled())),
        )?;
    }
    Ok(())
}

/// Returns the range of an axis. A logarithmic axis has a range of exponents.
fn range(axis: &Axis, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|value| value.is_finite()).map(|value| place(axis, value));
    let (least, most) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), value| (l.min(value), m.max(value)));
    match (least.is_finite(), axis.logarithmic) {
        (false, _) => (0.0, 1.0),
        (true, true) => (least.floor(), most.ceil().max(least.floor() + 1.0)),
        (true, false) => (least.min(0.0), (most * 1.08).max(f64::MIN_POSITIVE)),
    }
}

fn place(axis: &Axis, value: f64) -> f64 {
    if axis.logarithmic { value.max(1e-9).log10() } else { value }
}

/// Returns the number of labels: one for each power of ten, or as many as look well.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn labels(axis: &Axis, (from, to): (f64, f64)) -> usize {
    if axis.logarithmic { (to - from) as usize + 1 } else { 7 }
}

fn label(axis: &Axis, value: f64) -> String {
    if axis.logarithmic { short(10_f64.powf(value)) } else { short(value) }
}

/// Formats a figure with about three digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if size >= 1e9 || (size >= 1e6 && size % 1e6 == 0.0) {
        return format!("{:.0} M", value / 1e6);
    }
    match size {
        size if size >= 1e4 => format!("{:.0} k", value / 1e3),
        size if size >= 100.0 || size.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn text(
    area: &Area<'_>,
    what: &str,
    at: (i32, i32),
    size: i32,
    color: RGBColor,
    anchor: HPos,
) -> Result<(), Box<dyn std::error::Error>> {
    let style = TextStyle::from((FONT, size).into_font()).color(&color).pos(Pos::new(anchor, VPos::Top));
    area.draw(&Text::new(what.to_owned(), at, style))?;
    Ok(())
}

fn color(at: usize) -> RGBColor {
    COLORS[at % COLORS.len()]
}

fn width(text: &str) -> i32 {
    length(text.chars().count()) * CHARACTER
}

fn length(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_drawn() {
        let values = [("a", vec![1.0, f64::NAN]), ("b", vec![2.5, 3.0])];
        let names = ["one".to_owned(), "two".to_owned()];
        let bars = svg(&Plot::bars("p", "Title", "us", &names, &values)).expect("bars");
        assert!(["Title", "two", "us", "2.50", "<svg"].iter().all(|text| bars.contains(text)), "{bars}");
        let series = vec![Series { name: "s".to_owned(), points: vec![(1_000.0, 1.0), (1e8, 2.0)] }];
        let axes = [Axis::logarithmic("bytes"), Axis::linear("times")];
        let lines = svg(&Plot::lines("q", "Title", axes.clone(), series)).expect("lines");
        assert!(["bytes", "times", "100 M", "10 k"].iter().all(|text| lines.contains(text)), "{lines}");
        assert!(svg(&Plot::lines("q", "Nothing", axes, Vec::new())).is_ok());
    }

    #[test]
    fn figures_are_short() {
        let rows = [(0.0, "0"), (0.123, "0.12"), (12.34, "12.3"), (1_000.0, "1000"), (25_000.0, "25 k"), (1e7, "10 M")];
        for (value, expected) in rows {
            assert_eq!(short(value), expected);
        }
    }
}
