//! The plugin's configuration, out of its own file or out of Envoy's.

use std::path::Path;

use healer::config::Config;
use healer::config::node::Node;

use crate::document;
use crate::envoy::{self, Configuration};
use crate::failure::Failure;
use crate::source::Source;

/// Reads the configuration that a command is to work with; the first problem refuses it.
pub fn read(path: &Path) -> Result<Config, Failure> {
    let source = Source::read(path)?;
    let documents = document::read(&source).map_err(|error| source.refuse(&[error]))?;
    match find(&source, &documents)? {
        Configuration::Missing => Ok(Config::default()),
        Configuration::Tree(node) => Config::check(node).map_err(|problems| source.refuse(&problems)),
        Configuration::Text(text, node) => Config::parse(text.as_bytes())
            .map_err(|error| Failure::new(format!("{}: {error}", source.place(node.offset)))),
        Configuration::Unknown(node) => Err(Failure::new(format!(
            "{}: found {} as the configuration of the plugin; expected a google.protobuf.Struct or StringValue",
            source.place(node.offset),
            node.describe()
        ))),
    }
}

fn find<'a>(source: &Source, documents: &'a [Node]) -> Result<Configuration<'a>, Failure> {
    let filters = envoy::filters(documents);
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
        ([], [document, ..]) => Ok(Configuration::Tree(document)),
        _ => {
            let places: Vec<String> = filters.iter().map(|filter| source.place(filter.offset)).collect();
            let found = format!("{} Nomos filters ({})", filters.len(), places.join(", "));
            Err(Failure::new(format!("found {found}; expected one, or the plugin's own configuration")))
        }
    }
}
