//! The kinds of file that commands know.

use healer::config::node::{Member, Node, Value};
use healer::config::{Config, contract, vocabulary};

use crate::envoy::{self, Discovered, Filter};
use crate::resource::{self, Plugin};
use crate::{openapi, pack};

/// What a file is.
pub enum Kind<'a> {
    /// A configuration of Envoy, or a resource that contains a part of one.
    Envoy {
        /// Nomos's filters in it.
        filters: Vec<Filter<'a>>,
        /// Nomos's filters that are elsewhere.
        discovered: Vec<Discovered<'a>>,
        /// Nomos's plugins in other resources of the file.
        plugins: Vec<Plugin<'a>>,
    },
    /// Resources of Kubernetes, with Nomos's plugins.
    Resources(Vec<Plugin<'a>>),
    /// An OpenAPI document, of any version.
    OpenApi(&'a Node),
    /// A rule pack.
    Pack(&'a Node),
    /// A JSON Schema.
    Contract(&'a Node),
    /// The plugin's own configuration, or what is nothing else and might be meant as one.
    Settings(&'a Node),
    /// Anything else.
    Unknown(&'a Node),
    /// No document at all, which is an empty configuration of the plugin.
    Empty,
}

impl<'a> Kind<'a> {
    /// Finds out what a file is.
    pub fn of(documents: &'a [Node]) -> Self {
        let (filters, discovered, plugins) = nomos_in(documents);
        if !filters.is_empty() || !discovered.is_empty() {
            return Kind::Envoy { filters, discovered, plugins };
        }
        match documents.first() {
            _ if !plugins.is_empty() => Kind::Resources(plugins),
            Some(document) if openapi::is_one(document) => Kind::OpenApi(document),
            Some(document) if pack::name(document).is_some() => Kind::Pack(document),
            Some(document) if envoy::is_envoy(document) => Kind::Envoy { filters, discovered, plugins },
            Some(document) if resource::is_one(document) => Kind::Resources(plugins),
            Some(document) if is_contract(document) => Kind::Contract(document),
            Some(document) if is_strange(document) => Kind::Unknown(document),
            Some(document) => Kind::Settings(document),
            None => Kind::Empty,
        }
    }

    /// Returns the name of the kind in words.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Envoy { .. } => "an Envoy configuration",
            Kind::Resources(_) => "a resource of Kubernetes",
            Kind::OpenApi(_) => "an OpenAPI document",
            Kind::Pack(_) => "a rule pack",
            Kind::Contract(_) => "a contract",
            Kind::Settings(_) | Kind::Empty => "a plugin configuration",
            Kind::Unknown(_) => "a file of no known kind",
        }
    }
}

/// Returns what is Nomos in a file. The only one of its kind counts as Nomos whatever its name, unless something else in the
/// file is named after Nomos.
fn nomos_in(documents: &[Node]) -> (Vec<Filter<'_>>, Vec<Discovered<'_>>, Vec<Plugin<'_>>) {
    let (mut filters, mut discovered) = (envoy::filters(documents), envoy::discovered(documents));
    let mut plugins = resource::plugins(documents);
    let is_named = filters.iter().any(Filter::is_nomos)
        || discovered.iter().any(Discovered::is_nomos)
        || plugins.iter().any(Plugin::is_nomos);
    keep(&mut filters, is_named, Filter::is_nomos);
    keep(&mut discovered, is_named, Discovered::is_nomos);
    keep(&mut plugins, is_named, Plugin::is_nomos);
    (filters, discovered, plugins)
}

fn keep<T>(found: &mut Vec<T>, is_named: bool, is_nomos: fn(&T) -> bool) {
    if is_named || found.len() > 1 {
        found.retain(is_nomos);
    }
}

/// Returns whether a document has a field of the plugin's configuration.
pub fn has_settings(document: &Node) -> bool {
    vocabulary::SETTINGS.iter().any(|field| document.get(field).is_some())
}

/// Names in a schema that are none of its keywords, for each that is one. Misspelt ones are to be reported as such.
const MOST_FOREIGN: usize = 3;

/// A schema has keywords, and a plugin configuration has fields of its own. A list of words may have a keyword among
/// many other names.
fn is_contract(document: &Node) -> bool {
    let Value::Object(members) = &document.value else { return false };
    let is_keyword = |name: &str| contract::UNDERSTOOD.iter().chain(&contract::IGNORED).any(|keyword| *keyword == name);
    let (keywords, others): (Vec<&Member>, Vec<&Member>) =
        members.iter().filter(|member| !member.name.starts_with("x-")).partition(|member| is_keyword(&member.name));
    !keywords.is_empty() && others.len() <= keywords.len() * MOST_FOREIGN && !has_settings(document)
}

/// Returns whether a document has none of the plugin's fields, and few names that are one but for a slip.
fn is_strange(document: &Node) -> bool {
    let is_object = matches!(&document.value, Value::Object(members) if !members.is_empty());
    let problems = Config::check(document).err().unwrap_or_default();
    let slips = problems.iter().filter(|problem| problem.expected.contains("(did you mean ")).count();
    is_object && !has_settings(document) && slips * 2 < problems.len()
}
