//! `nomos schema`: the JSON Schema of the plugin's configuration, for editors.
//!
//! Names, words, bounds and defaults come from the reader (`healer::config::vocabulary`); the descriptions of fields
//! are here. The schema never refuses what the reader accepts, so that no editor underlines a configuration that works.
//! docs/configuration.md lists what only the reader refuses, and `tests` compare reader and schema.

mod contract;
mod field;
mod pattern;
mod route;

use std::process::ExitCode;

use healer::config::json;
use healer::config::vocabulary::SETTINGS;
use serde_json::Value;

use crate::failure::Failure;
use crate::{json_text, output};

const EXAMPLES: &str = "\
The schema of this version, which the repository has as docs/nomos.schema.json:
  $ nomos schema > nomos.schema.json

In the first line of a YAML file, for editors with yaml-language-server:
  # yaml-language-server: $schema=nomos.schema.json";

/// Arguments of `nomos schema`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Prints the schema.
pub fn run(_: &Args) -> Result<ExitCode, Failure> {
    output::write(text().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the schema as it is printed, on readable lines.
fn text() -> String {
    let compact = schema().to_string();
    json::read(compact.as_bytes()).map_or(compact, |node| json_text::pretty(&node) + "\n")
}

/// Returns the schema of a whole configuration.
fn schema() -> Value {
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of the Nomos filter",
        "description": "docs/configuration.md is the reference; `nomos check` also finds mistakes that a schema cannot express.",
        "type": "object",
        "properties": field::all(&SETTINGS, setting),
        "additionalProperties": false,
        "$defs": {
            "route": route::schema(),
            "contract": contract::schema(),
            "property": contract::property(),
        },
    })
}

/// Returns the schema of a setting, or `None` if there is no setting of that name.
fn setting(name: &str) -> Option<Value> {
    let default = healer::config::Config::default();
    Some(match name {
        "mode" => field::mode("heal, observe (change nothing, but report what healing would do) or off."),
        "sample" => field::sample("Percentage of requests whose responses are healed; the rest are observed."),
        "route_metadata" => {
            field::flag("Whether metadata of Envoy's own routes may switch healing off.", default.route_metadata)
        }
        "response_headers" => field::response_headers(
            "early: headers leave at once. held: they wait for the body, if it is small; needs \
             `allow_on_headers_stop_iteration: true` beside the configuration.",
        ),
        "filter_state" => field::flag("Whether each response gets filter state for access logs.", default.filter_state),
        "max_held_bytes" => field::bound(
            name,
            default.limits.max_held_bytes,
            "Most bytes of a body that is healed as a whole; a longer one is healed record by record as it streams.",
        ),
        "max_depth" => field::bound(
            name,
            default.limits.max_depth as usize,
            "Deepest nesting of objects and arrays; a deeper body passes unchanged.",
        ),
        "max_keys" => field::bound(
            name,
            default.limits.max_keys as usize,
            "Most members of one object; a body with a larger object passes unchanged.",
        ),
        "max_tokens" => field::bound(
            name,
            default.limits.max_tokens,
            "Most tokens of a body that is healed as a whole; one with more passes unchanged.",
        ),
        "max_shapes" => field::bound(
            name,
            default.max_shapes,
            "Most record shapes that similarity remembers, per route and worker.",
        ),
        "routes" => serde_json::json!({
            "description": "Tried in order; the first that matches is used. A response that matches none passes unchanged.",
            "type": "array",
            "items": {"$ref": "#/$defs/route"},
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
