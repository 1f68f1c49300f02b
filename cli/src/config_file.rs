//! The plugin's configuration from its own file, an Envoy configuration, or a resource of Kubernetes.

use std::path::Path;

use healer::config::Config;
use healer::config::node::Node;

use crate::envoy::{self, Configuration, Discovered};
use crate::failure::Failure;
use crate::kind::Kind;
use crate::resource::Plugin;
use crate::source::Source;
use crate::{document, inner, resource};

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
    let kind = Kind::of(documents);
    let refused = resource::refuse_wasm(documents);
    if !refused.is_empty() {
        return Err(source.refuse(&refused));
    }
    let expected = match &kind {
        Kind::Empty => return Ok(Configuration::Missing),
        Kind::Settings(document) => {
            document::refuse_second(documents).map_err(|error| source.refuse(&[error]))?;
            return Ok(Configuration::Tree(document));
        }
        Kind::Envoy { filters, discovered, plugins } => match (filters.as_slice(), plugins.as_slice()) {
            ([], []) => return Err(refuse(source, documents, &without_filter(discovered))),
            ([filter], []) => return Ok(filter.configuration()),
            ([], [plugin]) => return Ok(configuration(plugin)),
            _ => {
                let places = filters.iter().map(|filter| filter.offset);
                let places = places.chain(plugins.iter().map(|plugin| plugin.block.offset));
                return Err(too_many(
                    if plugins.is_empty() { "filters" } else { "filters and plugins" },
                    source,
                    places,
                ));
            }
        },
        Kind::Resources(plugins) => match plugins.as_slice() {
            [] => {
                let found = "no configuration of Nomos in a resource of Kubernetes";
                return Err(refuse(source, documents, &format!("{found}; expected {}", resource::EXPECTED)));
            }
            [plugin] => return Ok(configuration(plugin)),
            _ => return Err(too_many("plugins", source, plugins.iter().map(|plugin| plugin.block.offset))),
        },
        Kind::OpenApi(_) => "a configuration, with a contract that `nomos contract` takes out of this file",
        Kind::Pack(_) => "a configuration, whose routes name packs under packs",
        Kind::Contract(_) => "a configuration, with this under contract of a route",
        Kind::Unknown(_) => "the configuration of the plugin, that of Envoy, or a resource that contains it",
    };
    Err(refuse(source, documents, &format!("{}; expected {expected}", kind.name())))
}

fn configuration<'a>(plugin: &Plugin<'a>) -> Configuration<'a> {
    plugin.configuration.map_or(Configuration::Missing, Configuration::Tree)
}

/// Says what stands in an Envoy configuration instead of the filter, and what was expected.
fn without_filter(discovered: &[Discovered<'_>]) -> String {
    match discovered.first() {
        Some(Discovered { name, file: Some(file) }) => {
            format!("the filter {name} by discovery; expected the file that it comes from, {file}")
        }
        Some(Discovered { name, file: None }) => {
            format!("the filter {name} by discovery; expected a file that has its configuration")
        }
        None => "no Nomos filter; expected one in a configuration of Envoy".to_owned(),
    }
}

fn refuse(source: &Source, documents: &[Node], found: &str) -> Failure {
    let offset = documents.first().map_or(0, |document| document.offset);
    Failure::new(format!("{}: found {found}", source.place(offset)))
}

fn too_many(what: &str, source: &Source, offsets: impl Iterator<Item = usize>) -> Failure {
    let places: Vec<String> = offsets.map(|offset| source.place(offset)).collect();
    let found = format!("{} Nomos {what} ({})", places.len(), places.join(", "));
    Failure::new(format!("found {found}; expected one, or the plugin's own configuration"))
}
