//! A file of YAML or JSON as a tree.

use healer::config::node::{Node, Value};
use healer::config::{ConfigError, json};

use crate::source::Source;
use crate::yaml::{self, Dialect};

/// Reads every document of a file; JSON has one. An error says where it is.
pub fn read(source: &Source) -> Result<Vec<Node>, ConfigError> {
    if is_json(source) {
        return json::read(source.text.as_bytes()).map(|node| vec![node]);
    }
    yaml::read(&source.text, Dialect::Envoy)
}

/// Reads the only document of a file that Envoy does not read, such as an OpenAPI document.
pub fn read_foreign(source: &Source) -> Result<Node, ConfigError> {
    if is_json(source) {
        return json::read(source.text.as_bytes());
    }
    let documents = yaml::read(&source.text, Dialect::Core)?;
    refuse_second(&documents)?;
    Ok(documents.into_iter().next().unwrap_or(Node { offset: 0, value: Value::Null }))
}

/// Refuses a second document in a file of one, because nothing would be read of it. An empty one, as behind a `---` at
/// the end, says nothing.
pub fn refuse_second(documents: &[Node]) -> Result<(), ConfigError> {
    let Some(second) = documents.iter().skip(1).find(|document| document.value != Value::Null) else { return Ok(()) };
    let (found, expected) = ("a second document".to_owned(), "one document in a file".to_owned());
    Err(ConfigError { at: "document".to_owned(), offset: second.offset, found, expected })
}

/// Returns whether a file is JSON. JSON is not read as YAML, which reads `\/` and surrogate pairs differently, and
/// reports mistakes in other words.
fn is_json(source: &Source) -> bool {
    let named = source.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    named || json::read(source.text.as_bytes()).is_ok()
}
