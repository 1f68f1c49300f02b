//! Deprecated settings, which still work: `nomos check` warns of them.
//!
//! To deprecate a setting, add a row to [`SETTINGS`] and keep reading it until the next major version
//! (docs/upgrade.md).

use healer::config::node::{Node, Value};

use crate::warning::{Warning, Why};

/// A deprecated field.
#[derive(Clone, Copy, Debug)]
struct Deprecation {
    /// Its path: names with dots between them, and `[]` after those of arrays.
    path: &'static str,
    /// The version that deprecated it.
    since: &'static str,
    /// What to write instead.
    instead: &'static str,
}

/// Settings of the plugin's configuration. None so far.
const SETTINGS: [Deprecation; 0] = [];

/// Fields of Envoy's block for a plugin of which Envoy's own log warns, under both names that Envoy reads.
const PLUGIN: [Deprecation; 2] = [FAIL_OPEN, Deprecation { path: "failOpen", ..FAIL_OPEN }];
const FAIL_OPEN: Deprecation = Deprecation {
    path: "fail_open",
    since: "Envoy 1.33",
    instead: "failure_policy: FAIL_OPEN; with fail_open a response may end well that lacks bytes",
};

/// Returns warnings about deprecated settings of a configuration.
pub fn in_settings(configuration: &Node) -> Vec<Warning> {
    find_all(configuration, &SETTINGS)
}

/// Returns warnings about deprecated fields of the block that names plugin, VM and configuration.
pub fn in_plugin(block: &Node) -> Vec<Warning> {
    find_all(block, &PLUGIN)
}

fn find_all(root: &Node, table: &[Deprecation]) -> Vec<Warning> {
    let mut found = Vec::new();
    for Deprecation { path, since, instead } in table {
        let steps: Vec<&str> = path.split('.').collect();
        find(root, String::new(), root.offset, &steps, &mut |offset, at| {
            found.push(Warning { offset, at, why: Why::Deprecated { since, instead } });
        });
    }
    found.sort_by_key(|warning| warning.offset);
    found
}

/// Finds the places of a path. Recurses once for each step of the path.
fn find(node: &Node, at: String, offset: usize, steps: &[&str], tell: &mut dyn FnMut(usize, String)) {
    let Some((step, rest)) = steps.split_first() else { return tell(offset, at) };
    let Value::Object(members) = &node.value else { return };
    let name = step.strip_suffix("[]").unwrap_or(step);
    for member in members.iter().filter(|member| member.name == name) {
        let at = if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        match &member.node.value {
            Value::Array(items) if step.ends_with("[]") => {
                for (index, item) in items.iter().enumerate() {
                    find(item, format!("{at}[{index}]"), item.offset, rest, tell);
                }
            }
            _ => find(&member.node, at, member.offset, rest, tell),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::json;

    fn found(text: &str, path: &'static str) -> Vec<(String, usize)> {
        let node = json::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        let table = [Deprecation { path, since: "1.2", instead: "something" }];
        find_all(&node, &table).into_iter().map(|warning| (warning.at, warning.offset)).collect()
    }

    #[test]
    fn fields_are_found_by_their_path() {
        let text = r#"{"mode":1,"routes":[{"a":1},{"b":{"mode":2},"a":3},4]}"#;
        let at = |text: &str, offset: usize| (text.to_owned(), offset);
        assert_eq!(found(text, "mode"), [at("mode", 1)]);
        assert_eq!(found(text, "routes[].a"), [at("routes[0].a", 21), at("routes[1].a", 44)]);
        assert_eq!(found(text, "routes[].b.mode"), [at("routes[1].b.mode", 34)]);
        assert_eq!(found(text, "routes"), [at("routes", 10)]);
        for path in ["a", "mode.a", "routes.a", "routes[].c", "mode[].a"] {
            assert_eq!(found(text, path), [], "{path}");
        }
    }

    /// A path that no configuration has would never be found.
    #[test]
    fn deprecated_settings_are_still_read() {
        let known = |path: &str| {
            let mut steps = path.split('.');
            let first = steps.next().map(|step| step.trim_end_matches("[]")).unwrap_or_default().to_owned();
            healer::config::vocabulary::SETTINGS.contains(&first.as_str())
        };
        let unknown: Vec<&str> = SETTINGS.iter().map(|row| row.path).filter(|path| !known(path)).collect();
        assert_eq!(unknown, [""; 0]);
    }
}
