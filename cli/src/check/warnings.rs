//! Warnings about what contains a configuration, and about the configuration.

use healer::config::json;
use healer::config::node::Node;

use crate::envoy::{Configuration, Filter};
use crate::resource::Plugin;
use crate::routes::NO_ROUTES;
use crate::source::Source;
use crate::warning::Warning;
use crate::{advice, block, deprecated, digest, inner};

/// Warns about the filter's place, its block, and the configuration in it.
pub fn of_filter(source: &Source, filter: &Filter<'_>) -> Vec<(usize, Warning)> {
    let here = |warning: Warning| (source.line(warning.offset), warning);
    let in_block = |block| [block::in_policy(block), digest::placeholders(block, &digest::ENVOY)].concat();
    let around = [block::in_list(filter), filter.plugin.map(in_block).unwrap_or_default()].concat();
    let mut warnings: Vec<_> = around.into_iter().map(here).collect();
    match filter.configuration() {
        Configuration::Tree(node) => warnings.extend(of_settings(node).into_iter().map(here)),
        Configuration::Text(text, node) if text.trim().is_empty() => warnings.push(here(no_routes(node.offset))),
        Configuration::Text(text, node) => {
            let inner = json::read(text.as_bytes()).map(|inner| of_settings(&inner)).unwrap_or_default();
            let lines = inner::Lines::of(source, text, node);
            warnings.extend(inner.into_iter().map(|warning| (lines.at(warning.offset), warning)));
        }
        Configuration::Missing if filter.plugin.is_some_and(block::is_whole) => {
            warnings.push(here(no_routes(filter.offset)));
        }
        Configuration::Missing | Configuration::Unknown(_) => (),
    }
    warnings
}

/// The warning for a missing configuration, and for an empty one.
fn no_routes(offset: usize) -> Warning {
    let (found, expected) = NO_ROUTES;
    Warning::unexpected(offset, "configuration".to_owned(), found, expected)
}

/// Warns about a configuration.
pub fn of_settings(configuration: &Node) -> Vec<Warning> {
    [deprecated::in_settings(configuration), advice::in_settings(configuration)].concat()
}

/// Warns about the plugin's block, and the configuration in it.
pub fn of_plugin(source: &Source, plugin: &Plugin<'_>) -> Vec<(usize, Warning)> {
    let none = || vec![no_routes(plugin.block.offset)];
    let in_settings = plugin.configuration.map_or_else(none, of_settings);
    let warnings = digest::placeholders(plugin.block, &digest::RESOURCES).into_iter().chain(in_settings);
    warnings.map(|warning| (source.line(warning.offset), warning)).collect()
}
