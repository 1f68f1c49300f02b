//! Draws precision over recall as SVG.

use std::fmt::Write;

/// A line of points: recall and precision, from 0 to 1.
#[derive(Debug)]
pub struct Curve {
    /// What the line shows.
    pub name: String,
    /// The points, in the order of the threshold.
    pub points: Vec<(f64, f64)>,
}

const COLORS: [&str; 8] = ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22"];

/// Draws the curves. Precision starts at 0.5, which is where it matters.
pub fn curve(curves: &[Curve]) -> String {
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 420\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"720\" height=\"420\" fill=\"white\"/>\n",
    );
    for step in 0..=10 {
        let share = f64::from(step) / 10.0;
        let (x, y) = place(share, 0.5 + share / 2.0);
        let _ = writeln!(svg, "<path d=\"M{x:.0} 20V380M60 {y:.0}H560\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"395\" text-anchor=\"middle\">{share:.1}</text>");
        let _ =
            writeln!(svg, "<text x=\"52\" y=\"{:.0}\" text-anchor=\"end\">{:.2}</text>", y + 4.0, 0.5 + share / 2.0);
    }
    svg.push_str(
        "<text x=\"310\" y=\"412\" text-anchor=\"middle\">recall</text>\n<text x=\"60\" y=\"14\">precision</text>\n",
    );
    for (at, curve) in curves.iter().enumerate() {
        let color = COLORS[at % COLORS.len()];
        let points: Vec<String> = curve
            .points
            .iter()
            .filter(|(recall, precision)| *recall > 0.0 && *precision >= 0.5)
            .map(|(recall, precision)| place(*recall, *precision))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let y = 40 + at * 18;
        let _ = writeln!(svg, "<text x=\"575\" y=\"{y}\" fill=\"{color}\">{}</text>", curve.name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn place(recall: f64, precision: f64) -> (f64, f64) {
    (60.0 + recall * 500.0, 380.0 - (precision - 0.5) * 720.0)
}
