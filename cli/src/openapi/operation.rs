//! Operations, and how a user names one.

use std::{fmt, iter};

use healer::config::cursor::Place;

use super::template;

/// How many similar operations are suggested.
const MAX_NEAR: usize = 5;

/// A method of a path.
#[derive(Clone)]
pub struct Operation<'a> {
    /// In lower case, as in the document.
    pub(super) method: &'static str,
    /// With parameters in braces.
    pub(super) path: &'a str,
    /// The `operationId`.
    pub(super) id: Option<&'a str>,
    /// The place of the operation, or of a reference to it.
    pub(super) place: Place<'a>,
}

impl<'a> Operation<'a> {
    /// Finds an operation by method and path, such as `GET /user`, by a path that it serves, or by its id. The path may
    /// begin with that of a server.
    pub fn find<'o>(operations: &'o [Operation<'a>], asked: &str, bases: &[String]) -> Option<&'o Operation<'a>> {
        let asked = asked.trim();
        let by_name = |operation: &&Operation<'_>| operation.is_called(asked) || operation.to_string() == asked;
        if let Some(found) = operations.iter().find(by_name) {
            return Some(found);
        }
        let (method, path) = split(asked);
        let path = server_path(path);
        let below = bases.iter().filter_map(|base| path.strip_prefix(base).filter(|path| path.starts_with('/')));
        iter::once(path).chain(below).find_map(|path| Self::serving(operations, method, path))
    }

    /// Returns whether this is the `operationId`.
    pub fn is_called(&self, asked: &str) -> bool {
        self.id == Some(asked.trim())
    }

    /// Finds the operation with exactly this path, or else the one whose template has the most literal text in common
    /// with it.
    fn serving<'o>(operations: &'o [Operation<'a>], method: Option<&str>, path: &str) -> Option<&'o Operation<'a>> {
        let candidates = || operations.iter().filter(|operation| method.is_none_or(|method| operation.is(method)));
        if let Some(found) = candidates().find(|operation| operation.path == path) {
            return Some(found);
        }
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let mut best: Option<(usize, &Operation<'_>)> = None;
        for operation in candidates() {
            let fit = template::fit(operation.path, path);
            if let Some(fit) = fit.filter(|fit| best.is_none_or(|(most, _)| *fit > most)) {
                best = Some((fit, operation));
            }
        }
        best.map(|(_, operation)| operation)
    }

    /// Returns the operations that may have been meant, the most similar first.
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

/// Returns the path of a URL. A text without a scheme is a path already.
pub(super) fn server_path(url: &str) -> &str {
    let Some((_, behind)) = url.split_once("://").filter(|(scheme, _)| !scheme.contains('/')) else { return url };
    behind.find('/').and_then(|start| behind.get(start..)).unwrap_or_default()
}
