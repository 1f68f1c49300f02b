//! Values over time as lines, stacked areas, or bars, with a legend below.

use super::axis::{self, Scale};
use super::canvas::{Anchor, Area, Canvas, width};
use super::{BORDER, FAINT, Filled, Line, ORANGE, Picture, TEXT, as_f64, fixed_colors, usual_color};
use crate::prometheus::Range;

/// The space for the title above the plot, and for the times below it.
const TITLE: f64 = 30.0;
const TIMES: f64 = 20.0;

/// The seconds between two times; twice as many in narrow panels.
const TIME_STEP: f64 = 30.0;
const LITTLE_ROOM: f64 = 420.0;

const LEGEND_LINE: f64 = 15.0;
const LEGEND_COLUMN: f64 = 78.0;
/// Longer legends scroll in Grafana; here they are cut.
const LEGEND_MOST: usize = 5;

/// A series as it is drawn.
struct Level {
    steps: Vec<Step>,
    color: String,
}

/// The upper and lower edge of a series at one time. `to` is NaN if there is no value.
#[derive(Clone, Copy)]
struct Step {
    time: f64,
    from: f64,
    to: f64,
}

struct Plot<'a> {
    area: Area,
    range: Range,
    scale: Scale,
    unit: &'a str,
    whole: bool,
    opacity: f64,
}

impl Plot<'_> {
    fn x(&self, time: f64) -> f64 {
        self.area.x + (time - self.range.start) / (self.range.end - self.range.start) * self.area.width
    }

    fn y(&self, value: f64) -> f64 {
        self.area.bottom() - self.scale.share(value).clamp(0.0, 1.0) * self.area.height
    }
}

pub fn draw(canvas: &mut Canvas, area: Area, picture: &Picture, filled: &Filled) {
    let defaults = &filled.panel.json["fieldConfig"]["defaults"];
    let (custom, bars) = (&defaults["custom"], defaults["custom"]["drawStyle"] == "bars");
    let levels = levels(filled, custom["stacking"]["mode"] == "normal");
    let values = || levels.iter().flat_map(|level| &level.steps).map(|step| step.to).filter(|value| value.is_finite());
    let unit = defaults["unit"].as_str().unwrap_or_default();
    let highest = values().fold(0.0, f64::max);
    let scale = if custom["scaleDistribution"]["type"] == "log" {
        Scale::logarithmic(values().filter(|value| *value > 0.0).fold(highest, f64::min), highest)
    } else {
        Scale::linear(defaults["max"].as_f64().unwrap_or(highest), unit)
    };
    let ticks: Vec<(f64, String)> = scale.ticks().into_iter().map(|tick| (tick, axis::value(tick, unit))).collect();
    let left = ticks.iter().map(|(_, label)| width(label, 10.5)).fold(0.0, f64::max) + 14.0;
    let room = Area {
        x: area.x + left,
        y: area.y + TITLE,
        width: area.width - left - 12.0,
        height: area.height - TITLE - TIMES - legend_height(&levels),
    };
    let opacity = custom["fillOpacity"].as_f64().unwrap_or_default() / 100.0;
    let whole = defaults["decimals"] == 0;
    let plot = Plot { area: room, range: filled.range, scale, unit, whole, opacity };
    grid(canvas, &plot, &ticks);
    for level in &levels {
        if bars { draw_bars(canvas, &plot, level) } else { draw_area(canvas, &plot, level) }
    }
    for (_, time) in &picture.alerts {
        mark(canvas, &plot, *time);
    }
    legend(canvas, area, &plot, &filled.lines, &levels, bars);
}

/// Returns the values of each series at each step, stacked on the earlier series if so configured.
fn levels(filled: &Filled, stacked: bool) -> Vec<Level> {
    let fixed = fixed_colors(&filled.panel);
    let mut levels: Vec<Level> = Vec::new();
    for (place, line) in filled.lines.iter().enumerate() {
        let under = levels.last().filter(|_| stacked);
        let steps = times(filled.range).enumerate().map(|(at, time)| {
            let from = under.map_or(0.0, |level| level.steps[at].to);
            let found = line.points.iter().find(|(t, _)| (t - time).abs() < filled.range.step / 2.0);
            // In a stack, a missing value counts as zero.
            let missing = if stacked { 0.0 } else { f64::NAN };
            Step { time, from, to: from + found.map_or(missing, |(_, value)| *value) }
        });
        let steps = steps.collect();
        let color = fixed.get(&line.name).cloned().unwrap_or_else(|| usual_color(&filled.panel, place));
        levels.push(Level { steps, color });
    }
    levels
}

fn times(range: Range) -> impl Iterator<Item = f64> {
    (0..).map(move |n| range.start + as_f64(n) * range.step).take_while(move |time| *time <= range.end + 0.001)
}

fn grid(canvas: &mut Canvas, plot: &Plot<'_>, ticks: &[(f64, String)]) {
    for (tick, label) in ticks {
        let y = plot.y(*tick);
        canvas.rule((plot.area.x, y), (plot.area.right(), y), BORDER, false);
        canvas.text(plot.area.x - 6.0, y + 3.5, Anchor::End, 10.5, FAINT, label);
    }
    let step = if plot.area.width < LITTLE_ROOM { TIME_STEP * 2.0 } else { TIME_STEP };
    let mut time = (plot.range.start / step).ceil() * step;
    while time <= plot.range.end {
        let x = plot.x(time);
        canvas.rule((x, plot.area.y), (x, plot.area.bottom()), BORDER, false);
        if (plot.area.x + 20.0..plot.area.right() - 20.0).contains(&x) {
            canvas.text(x, plot.area.bottom() + 14.0, Anchor::Middle, 10.5, FAINT, &axis::time(time));
        }
        time += step;
    }
}

fn draw_area(canvas: &mut Canvas, plot: &Plot<'_>, level: &Level) {
    // A gap ends a line.
    for part in level.steps.split(|step| step.to.is_nan()).filter(|part| !part.is_empty()) {
        let line: Vec<(f64, f64)> = part.iter().map(|step| (plot.x(step.time), plot.y(step.to))).collect();
        let back = part.iter().rev().map(|step| (plot.x(step.time), plot.y(step.from)));
        if plot.opacity > 0.0 {
            let outline: Vec<(f64, f64)> = line.iter().copied().chain(back).collect();
            canvas.filled(&outline, &level.color, plot.opacity);
        }
        canvas.line(&line, &level.color);
    }
}

fn draw_bars(canvas: &mut Canvas, plot: &Plot<'_>, level: &Level) {
    let wide = (plot.x(plot.range.start + plot.range.step) - plot.area.x) * 0.8;
    for step in level.steps.iter().filter(|step| step.to > step.from) {
        // A bar stands for the time before it.
        let (right, top, bottom) = (plot.x(step.time), plot.y(step.to), plot.y(step.from));
        let left = (right - wide).max(plot.area.x);
        canvas.filled(&[(left, top), (right, top), (right, bottom), (left, bottom)], &level.color, plot.opacity);
    }
}

/// Marks the time at which an alert began to fire.
fn mark(canvas: &mut Canvas, plot: &Plot<'_>, time: f64) {
    let (x, y) = (plot.x(time), plot.area.bottom());
    canvas.rule((x, plot.area.y), (x, y), ORANGE, true);
    canvas.filled(&[(x - 3.5, y + 4.5), (x + 3.5, y + 4.5), (x, y - 1.0)], ORANGE, 1.0);
}

fn legend_height(levels: &[Level]) -> f64 {
    as_f64(levels.len().min(LEGEND_MOST) as u64) * LEGEND_LINE + LEGEND_LINE + 4.0
}

fn legend(canvas: &mut Canvas, area: Area, plot: &Plot<'_>, lines: &[Line], levels: &[Level], total: bool) {
    let mut y = area.bottom() - legend_height(levels) + 10.0;
    if lines.len() > LEGEND_MOST {
        let note = format!("{LEGEND_MOST} of {}", lines.len());
        canvas.text(area.x + 10.0, y, Anchor::Start, 10.0, FAINT, &note);
    }
    let names = if total { vec!["total"] } else { vec!["max", "last"] };
    columns(canvas, area, (y, 10.0, FAINT), names.into_iter().map(ToOwned::to_owned));
    for (line, level) in lines.iter().zip(levels).take(LEGEND_MOST) {
        y += LEGEND_LINE;
        canvas.rectangle(Area { x: area.x + 10.0, y: y - 5.5, width: 12.0, height: 3.5 }, &level.color, None);
        canvas.text(area.x + 28.0, y, Anchor::Start, 11.0, TEXT, &line.name);
        let values = if total { vec![line.sum()] } else { vec![line.max(), line.last().unwrap_or(0.0)] };
        let values = values.into_iter().map(|value| if plot.whole { value.round() } else { value });
        columns(canvas, area, (y, 11.0, TEXT), values.map(|value| axis::value(value, plot.unit)));
    }
}

/// Writes cells from right to left, at this height, in this size and colour.
fn columns(canvas: &mut Canvas, area: Area, style: (f64, f64, &str), cells: impl Iterator<Item = String>) {
    let (y, size, color) = style;
    for (x, cell) in (0..).map(|at| area.right() - 12.0 - as_f64(at) * LEGEND_COLUMN).zip(cells) {
        canvas.text(x, y, Anchor::End, size, color, &cell);
    }
}
