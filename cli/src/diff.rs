//! Compares two bodies line by line.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use healer::config::json;
use similar::{ChangeTag, TextDiff};

use crate::json_text;
use crate::text::plain;

const OLD: Style = AnsiColor::Red.on_default();
const NEW: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();

/// How many lines around a change are shown.
const CONTEXT: usize = 3;
/// How long two long bodies with little in common are compared. The result is right even then, but not the shortest.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the differences as styled text, empty if there are none.
pub fn of(before: &[u8], after: &[u8]) -> String {
    let (before, after) = (laid_out(before), laid_out(after));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&before, &after);
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        text.push_str(&styled(PLACE, &hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n');
            let (style, sign) = match change.tag() {
                ChangeTag::Equal => (Style::new(), ' '),
                ChangeTag::Delete => (OLD, '-'),
                ChangeTag::Insert => (NEW, '+'),
            };
            text.push_str(&styled(style, &format!("{sign}{}", plain(line))));
        }
    }
    text
}

/// Lays out a body with one member per line and values as written. A body that is not JSON stays as it is.
fn laid_out(body: &[u8]) -> String {
    match json::read(body) {
        Ok(node) => json_text::lines(&node) + "\n",
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

fn styled(style: Style, line: &str) -> String {
    format!("{style}{line}{style:#}\n")
}
