//! Shapes and texts as SVG.

use std::fmt::Write as _;

/// A part of the picture.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// Which end of a text is at its position.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

pub struct Canvas {
    svg: String,
    height: f64,
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Self {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Inter, Helvetica, Arial, sans-serif\">\n"
        );
        Self { svg, height }
    }

    pub fn height(&self) -> f64 {
        self.height
    }

    pub fn rectangle(&mut self, area: Area, fill: &str, border: Option<&str>) {
        let Area { x, y, width, height } = area;
        let border = border.map_or_else(String::new, |color| format!(" rx=\"3\" stroke=\"{color}\""));
        let _ = writeln!(
            self.svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"{border}/>"
        );
    }

    pub fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: f64, color: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} font-size=\"{size}\" fill=\"{color}\">{text}</text>"
        );
    }

    /// Draws a line through the points.
    pub fn line(&mut self, points: &[(f64, f64)], color: &str) {
        let _ = writeln!(
            self.svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/>",
            path(points)
        );
    }

    /// Fills the area between two lines. The points of the second line go from right to left.
    pub fn filled(&mut self, points: &[(f64, f64)], color: &str, opacity: f64) {
        let _ = writeln!(self.svg, "<path d=\"{}Z\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>", path(points));
    }

    pub fn rule(&mut self, from: (f64, f64), to: (f64, f64), color: &str, dashed: bool) {
        let style = if dashed { " stroke-dasharray=\"3 3\"" } else { "" };
        let _ = writeln!(self.svg, "<path d=\"{}\" stroke=\"{color}\" stroke-width=\"1\"{style}/>", path(&[from, to]));
    }

    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

/// Estimates the width of a text. The exact width depends on the reader's fonts.
pub fn width(text: &str, size: f64) -> f64 {
    f64::from(u32::try_from(text.chars().count()).unwrap_or(u32::MAX)) * size * 0.56
}

fn path(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
    }
    path
}
