//! Operations, and which of them somebody means.

use std::fmt;

use healer::config::cursor::Place;

/// So many that are near are told.
const MAX_NEAR: usize = 5;

/// A method of a path.
pub struct Operation<'a> {
    /// In lower case, as the document has it.
    pub(super) method: &'static str,
    /// With parameters in braces.
    pub(super) path: &'a str,
    /// The document's name for it.
    pub(super) id: Option<&'a str>,
    /// Where it stands, or a reference to it.
    pub(super) place: Place<'a>,
}

impl<'a> Operation<'a> {
    /// The one that is meant by `GET /user`, by a path that it serves, or by its id.
    pub fn find<'o>(operations: &'o [Operation<'a>], asked: &str) -> Option<&'o Operation<'a>> {
        let asked = asked.trim();
        let by_name = |operation: &&Operation<'_>| operation.id == Some(asked) || operation.to_string() == asked;
        if let Some(found) = operations.iter().find(by_name) {
            return Some(found);
        }
        let (method, path) = split(asked);
        operations.iter().find(|operation| method.is_none_or(|m| operation.is(m)) && operation.path == path).or_else(
            || operations.iter().find(|operation| method.is_none_or(|m| operation.is(m)) && operation.serves(path)),
        )
    }

    /// What may have been meant, the nearest first.
    pub fn near<'o>(operations: &'o [Operation<'a>], asked: &str) -> Vec<&'o Operation<'a>> {
        let (method, path) = split(asked.trim());
        let path = path.to_ascii_lowercase();
        let distance = |operation: &&Operation<'_>| {
            let names = operation.id.into_iter().chain([operation.path]);
            let far = names.map(|name| 1.0 - strsim::normalized_levenshtein(&name.to_ascii_lowercase(), &path));
            let far = far.fold(f64::INFINITY, f64::min);
            let other_method = method.is_some_and(|method| !operation.is(method));
            far + if other_method { 0.2 } else { 0.0 }
        };
        let mut near: Vec<&Operation<'_>> = operations.iter().collect();
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        near.truncate(MAX_NEAR);
        near
    }

    fn is(&self, method: &str) -> bool {
        self.method.eq_ignore_ascii_case(method)
    }

    /// Whether a path without parameters is one of its own.
    fn serves(&self, path: &str) -> bool {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let (own, asked): (Vec<&str>, Vec<&str>) = (self.path.split('/').collect(), path.split('/').collect());
        let is_parameter = |segment: &str| segment.starts_with('{') && segment.ends_with('}');
        own.len() == asked.len()
            && own.iter().zip(&asked).all(|(own, asked)| own == asked || is_parameter(own) && !asked.is_empty())
    }
}

impl fmt::Display for Operation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method.to_ascii_uppercase(), self.path)
    }
}

fn split(asked: &str) -> (Option<&str>, &str) {
    match asked.split_once(char::is_whitespace) {
        Some((method, path)) => (Some(method), path.trim()),
        None => (None, asked),
    }
}
