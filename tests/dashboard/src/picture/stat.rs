//! A single number, coloured by the panel's thresholds, with its history below.

use super::canvas::{Anchor, Area, Canvas};
use super::{Filled, Line, TEXT, axis, hex};
use crate::dashboard::Panel;
use crate::prometheus::Range;

pub fn draw(canvas: &mut Canvas, area: Area, filled: &Filled) {
    let unit = filled.panel.json["fieldConfig"]["defaults"]["unit"].as_str().unwrap_or_default();
    let Some((line, last)) = filled.lines.iter().find_map(|line| Some((line, line.last()?))) else { return };
    let color = threshold(&filled.panel, last);
    spark(canvas, area, filled.range, line, color);
    canvas.text(
        area.x + area.width / 2.0,
        area.y + area.height * 0.64,
        Anchor::Middle,
        27.0,
        color,
        &axis::value(last, unit),
    );
}

/// Returns the colour of the last threshold that the value reaches.
fn threshold(panel: &Panel, value: f64) -> &str {
    let steps = panel.json["fieldConfig"]["defaults"]["thresholds"]["steps"].as_array().into_iter().flatten();
    let reached = steps.filter(|step| step["value"].as_f64().is_none_or(|from| value >= from));
    reached.filter_map(|step| step["color"].as_str()).next_back().map_or(TEXT, hex)
}

fn spark(canvas: &mut Canvas, area: Area, range: Range, line: &Line, color: &str) {
    let most = line.max();
    if most <= 0.0 {
        return;
    }
    let height = area.height * 0.3;
    let place = |(time, value): (f64, f64)| {
        let x = area.x + 1.0 + (time - range.start) / (range.end - range.start) * (area.width - 2.0);
        (x, area.bottom() - 1.0 - value / most * height)
    };
    let points: Vec<(f64, f64)> = line.finite().map(place).collect();
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let ends = [(last.0, area.bottom() - 1.0), (first.0, area.bottom() - 1.0)];
    canvas.filled(&[points.as_slice(), &ends].concat(), color, 0.15);
    canvas.line(&points, color);
}
