//! Values over time as lines, areas on top of each other, or bars, with a legend below.

use super::axis::Scale;
use super::canvas::{Anchor, Area, Canvas, width};
use super::{BORDER, FAINT, Filled, Line, ORANGE, Picture, TEXT, as_f64, axis, fixed_colors};
use crate::prometheus::Range;

/// Grafana's classic palette, the first ones.
const PALETTE: [&str; 8] = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#5794f2", "#ba43a9", "#8f83c9"];

const LEGEND_LINE: f64 = 15.0;
/// Longer legends scroll in Grafana; here they end.
const LEGEND_MOST: usize = 5;
/// Room for the title above the plot, and for the times below it.
const TITLE: f64 = 30.0;
const TIMES: f64 = 20.0;
/// Seconds between two times.
const TIME_STEP: f64 = 30.0;

struct Plot<'a> {
    area: Area,
    range: Range,
    scale: Scale,
    unit: &'a str,
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
    let stacked = defaults["custom"]["stacking"]["mode"] == "normal";
    let bars = defaults["custom"]["drawStyle"] == "bars";
    let unit = defaults["unit"].as_str().unwrap_or_default();
    let opacity = defaults["custom"]["fillOpacity"].as_f64().unwrap_or_default() / 100.0;
    let fixed = fixed_colors(&filled.panel);
    let colors: Vec<&str> = filled
        .lines
        .iter()
        .zip(PALETTE.iter().cycle())
        .map(|(line, color)| fixed.get(&line.name).map_or(*color, String::as_str))
        .collect();

    let below = legend_height(&filled.lines) + TIMES;
    let levels = levels(&filled.lines, filled.range, stacked);
    let highest = levels.iter().flatten().map(|(_, value)| *value).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let scale = if defaults["custom"]["scaleDistribution"]["type"] == "log" {
        Scale::logarithmic(lowest(&levels), highest)
    } else {
        Scale::linear(defaults["max"].as_f64().unwrap_or(highest), unit)
    };
    let ticks = scale.ticks();
    let labels: Vec<String> = ticks.iter().map(|tick| axis::value(*tick, unit)).collect();
    let left = labels.iter().map(|label| width(label, 10.5)).fold(0.0, f64::max) + 14.0;
    let plot = Plot {
        area: Area {
            x: area.x + left,
            y: area.y + TITLE,
            width: area.width - left - 12.0,
            height: area.height - TITLE - below,
        },
        range: filled.range,
        scale,
        unit,
    };
    grid(canvas, &plot, &ticks, &labels);
    // The upper ones first: the lower ones lie before them.
    for (at, level) in levels.iter().enumerate().rev() {
        let below = if stacked && at > 0 { levels.get(at - 1) } else { None };
        if bars {
            draw_bars(canvas, &plot, level, below, colors[at], opacity);
        } else {
            draw_area(canvas, &plot, level, below, colors[at], opacity);
        }
    }
    for (_, time) in &picture.alerts {
        let x = plot.x(*time);
        canvas.rule((x, plot.area.y), (x, plot.area.bottom()), ORANGE, true);
        let y = plot.area.bottom();
        canvas.filled(&[(x - 3.5, y + 4.5), (x + 3.5, y + 4.5), (x, y - 1.0)], ORANGE, 1.0);
    }
    legend(canvas, area, &filled.lines, &colors, plot.unit, bars);
}

fn lowest(levels: &[Vec<(f64, f64)>]) -> f64 {
    levels.iter().flatten().map(|(_, value)| *value).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min)
}

/// The values of each series at each step, on top of those before it where they are stacked. NaN where there is none.
fn levels(lines: &[Line], range: Range, stacked: bool) -> Vec<Vec<(f64, f64)>> {
    let mut levels: Vec<Vec<(f64, f64)>> = Vec::new();
    for line in lines {
        let level = times(range).enumerate().map(|(at, time)| {
            let found = line.points.iter().find(|(t, _)| (t - time).abs() < range.step / 2.0);
            let value = found.map_or(f64::NAN, |(_, value)| *value);
            let under = levels.last().filter(|_| stacked).map_or(0.0, |level| level[at].1);
            (time, if stacked && value.is_nan() { under } else { value + under })
        });
        let level = level.collect();
        levels.push(level);
    }
    levels
}

fn times(range: Range) -> impl Iterator<Item = f64> {
    (0..).map(move |n: u64| range.start + as_f64(n) * range.step).take_while(move |time| *time <= range.end + 0.001)
}

fn grid(canvas: &mut Canvas, plot: &Plot<'_>, ticks: &[f64], labels: &[String]) {
    for (tick, label) in ticks.iter().zip(labels) {
        let y = plot.y(*tick);
        canvas.rule((plot.area.x, y), (plot.area.right(), y), BORDER, false);
        canvas.text(plot.area.x - 6.0, y + 3.5, Anchor::End, 10.5, FAINT, label);
    }
    let mut time = (plot.range.start / TIME_STEP).ceil() * TIME_STEP;
    // A narrow plot has room for every second one.
    let step = if plot.area.width < 420.0 { TIME_STEP * 2.0 } else { TIME_STEP };
    while time <= plot.range.end {
        let x = plot.x(time);
        canvas.rule((x, plot.area.y), (x, plot.area.bottom()), BORDER, false);
        if (plot.area.x + 20.0..plot.area.right() - 20.0).contains(&x) {
            canvas.text(x, plot.area.bottom() + 14.0, Anchor::Middle, 10.5, FAINT, &axis::time(time));
        }
        time += step;
    }
}

fn draw_area(
    canvas: &mut Canvas,
    plot: &Plot<'_>,
    level: &[(f64, f64)],
    below: Option<&Vec<(f64, f64)>>,
    color: &str,
    opacity: f64,
) {
    // A gap ends a line.
    for part in level.split(|(_, value)| value.is_nan()).filter(|part| !part.is_empty()) {
        let points: Vec<(f64, f64)> = part.iter().map(|(time, value)| (plot.x(*time), plot.y(*value))).collect();
        let under = part.iter().rev().map(|(time, _)| {
            let value = below.and_then(|below| below.iter().find(|(t, _)| t == time)).map_or(0.0, |(_, value)| *value);
            (plot.x(*time), plot.y(value))
        });
        let outline: Vec<(f64, f64)> = points.iter().copied().chain(under).collect();
        canvas.filled(&outline, color, opacity);
        canvas.line(&points, color);
    }
}

fn draw_bars(
    canvas: &mut Canvas,
    plot: &Plot<'_>,
    level: &[(f64, f64)],
    below: Option<&Vec<(f64, f64)>>,
    color: &str,
    opacity: f64,
) {
    let wide = (plot.x(plot.range.start + plot.range.step) - plot.x(plot.range.start)) * 0.8;
    for (at, (time, value)) in level.iter().enumerate() {
        let under = below.and_then(|below| below.get(at)).map_or(0.0, |(_, value)| *value);
        if *value > under {
            let (top, bottom) = (plot.y(*value), plot.y(under));
            let x = plot.x(*time) - wide / 2.0;
            canvas.filled(&[(x, top), (x + wide, top), (x + wide, bottom), (x, bottom)], color, opacity);
        }
    }
}

fn legend_height(lines: &[Line]) -> f64 {
    as_f64(lines.len().min(LEGEND_MOST) as u64) * LEGEND_LINE + LEGEND_LINE + 4.0
}

fn legend(canvas: &mut Canvas, area: Area, lines: &[Line], colors: &[&str], unit: &str, total: bool) {
    let mut y = area.bottom() - legend_height(lines) + 10.0;
    let columns: &[(&str, fn(&Line) -> f64)] = if total {
        &[("total", Line::sum)]
    } else {
        &[("last", |line| line.last().unwrap_or(0.0)), ("max", Line::max)]
    };
    let right = |at: usize| area.right() - 12.0 - as_f64((columns.len() - 1 - at) as u64) * 78.0;
    for (at, (name, _)) in columns.iter().enumerate() {
        canvas.text(right(at), y, Anchor::End, 10.0, FAINT, name);
    }
    for (line, color) in lines.iter().zip(colors).take(LEGEND_MOST) {
        y += LEGEND_LINE;
        canvas.rectangle(Area { x: area.x + 10.0, y: y - 5.5, width: 12.0, height: 3.5 }, color, None);
        canvas.text(area.x + 28.0, y, Anchor::Start, 11.0, TEXT, &line.name);
        for (at, (_, value)) in columns.iter().enumerate() {
            canvas.text(right(at), y, Anchor::End, 11.0, TEXT, &axis::value(value(line), unit));
        }
    }
    if lines.len() > LEGEND_MOST {
        let note = format!("{} more", lines.len() - LEGEND_MOST);
        canvas.text(area.x + 10.0, area.bottom() - legend_height(lines) + 10.0, Anchor::Start, 10.0, FAINT, &note);
    }
}
