//! The shipped configurations, `envoy.yaml` and those in `docs/examples`, with other ports, another module or held
//! headers.

use std::fs;
use std::path::Path;

use crate::paths;

/// The changes to a shipped configuration.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    /// The port for clients; 0 takes a free one.
    pub proxy: u16,
    /// The port of the upstream.
    pub upstream: u16,
    /// The port of Envoy's admin interface; 0 takes a free one.
    pub admin: u16,
    /// The path of the module. The shipped path is relative to the root of the repository.
    pub module: &'a Path,
    /// Whether response headers are held, which adds the `x-nomos-*` headers.
    pub held: bool,
}

/// Returns the shipped configuration with these changes.
///
/// Fails if a text to replace is not in the file exactly once: then one of the two was edited without the other.
pub fn config(changes: Changes) -> Result<String, String> {
    config_of("envoy.yaml", changes)
}

/// Does the same for another file of the repository.
pub fn config_of(file: &str, changes: Changes) -> Result<String, String> {
    let path = paths::root().join(file);
    let mut text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let ports = [(8080, changes.proxy), (9090, changes.upstream), (9901, changes.admin)];
    // In two steps, because the new port may be one of the other ports in the file.
    for (shipped, _) in ports {
        replace(file, &mut text, &format!("port_value: {shipped}"), &format!("port_value: of {shipped}"))?;
    }
    for (shipped, wanted) in ports {
        replace(file, &mut text, &format!("port_value: of {shipped}"), &format!("port_value: {wanted}"))?;
    }
    let module = format!("filename: {}", changes.module.display());
    replace(file, &mut text, "filename: target/wasm32-wasip1/release/nomos_filter.wasm", &module)?;
    if changes.held {
        replace(file, &mut text, "response_headers: early", "response_headers: held")?;
    }
    Ok(text)
}

fn replace(file: &str, text: &mut String, from: &str, to: &str) -> Result<(), String> {
    match text.matches(from).count() {
        1 => {
            *text = text.replace(from, to);
            Ok(())
        }
        count => Err(format!("{file}: found `{from}` {count} times, expected once")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Changes, config};

    #[test]
    fn ports_of_the_file_may_change_places() {
        let changes = Changes { proxy: 9090, upstream: 9901, admin: 8080, module: Path::new("module"), held: false };
        let text = config(changes).expect("the file has each port once");
        let ports: Vec<&str> = text.split("port_value: ").skip(1).map(|after| &after[..4]).collect();
        assert_eq!(ports, ["9090", "9901", "8080"]);
    }
}
