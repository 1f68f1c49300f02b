//! The plugin's configuration from its own file, an Envoy configuration, or a resource of Kubernetes.

use std::path::Path;

use healer::config::Config;
use healer::config::node::Node;

use crate::envoy::{self, Configuration};
use crate::failure::Failure;
use crate::source::Source;
use crate::{document, inner, openapi, resource};

/// Reads the configuration for a command. Fails with the first problem.
pub fn read(path: &Path) -> Result<Config, Failure> {
    let source = Source::read(path)?;
    let documents = document::read(&source).map_err(|error| source.refuse(&[error]))?;
    match find(&source, &documents)? {
        Configuration::Missing => Ok(Config::default()),
        Configuration::Tree(node) => Config::check(node).map_err(|problems| source.refuse(&problems)),
        Configuration::Text(text, node) => inner::read(&source, text, node).map_err(|problems| {
            let first = problems.first().map(|(line, error)| (*line, error));
            source.refuse_first(first, problems.len())
        }),
        Configuration::Unknown(any) => Err(source.refuse(&[envoy::refuse_unknown(any)])),
    }
}

fn find<'a>(source: &Source, documents: &'a [Node]) -> Result<Configuration<'a>, Failure> {
    let filters = envoy::filters(documents);
    let plugins = if filters.is_empty() { resource::plugins(documents) } else { Vec::new() };
    match plugins.as_slice() {
        [] => (),
        [plugin] => return Ok(plugin.configuration.map_or(Configuration::Missing, Configuration::Tree)),
        _ => return Err(too_many("plugins", source, plugins.iter().map(|plugin| plugin.block.offset))),
    }
    match (filters.as_slice(), documents) {
        ([filter], _) => Ok(filter.configuration()),
        ([], []) => Ok(Configuration::Missing),
        ([], [document, ..]) if envoy::is_envoy(document) => {
            let place = source.place(document.offset);
            let found = match envoy::discovered(documents).first() {
                Some(envoy::Discovered { name, file: Some(file) }) => {
                    format!("the filter {name} by discovery; expected the file that it comes from, {file}")
                }
                Some(envoy::Discovered { name, file: None }) => {
                    format!("the filter {name} by discovery; expected a file that has its configuration")
                }
                None => "no Nomos filter; expected one in a configuration of Envoy".to_owned(),
            };
            Err(Failure::new(format!("{place}: found {found}")))
        }
        ([], [document, ..]) if resource::is_one(document) => {
            let place = source.place(document.offset);
            let found = "no configuration of Nomos in a resource of Kubernetes";
            Err(Failure::new(format!("{place}: found {found}; expected {}", resource::EXPECTED)))
        }
        ([], [document, ..]) if openapi::is_one(document) => {
            let place = source.place(document.offset);
            let expected = "a configuration, with a contract that `nomos contract` takes out of this file";
            Err(Failure::new(format!("{place}: found an OpenAPI document; expected {expected}")))
        }
        ([], [document, ..]) => Ok(Configuration::Tree(document)),
        _ => Err(too_many("filters", source, filters.iter().map(|filter| filter.offset))),
    }
}

fn too_many(what: &str, source: &Source, offsets: impl Iterator<Item = usize>) -> Failure {
    let places: Vec<String> = offsets.map(|offset| source.place(offset)).collect();
    let found = format!("{} Nomos {what} ({})", places.len(), places.join(", "));
    Failure::new(format!("found {found}; expected one, or the plugin's own configuration"))
}
