//! Bodies, and the routes that they belong to.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use healer::config::{Config, Route};
use healer::media_type;
use nomos_filter::eligibility::{Request, Response};
use nomos_filter::outcome::Skip;

use crate::failure::Failure;
use crate::json_text::quote;

/// Routes that a message names.
const MOST_NAMED: usize = 16;

/// Reads a body from a file, or from stdin if the file is called `-`.
pub fn body(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        let mut body = Vec::new();
        io::stdin().lock().read_to_end(&mut body).map_err(|error| Failure::io(Path::new("stdin"), &error))?;
        return Ok(body);
    }
    fs::read(path).map_err(|error| Failure::io(path, &error))
}

/// Parses `--path`: what a path in a configuration may be, and a query.
pub fn request_path(text: &str) -> Result<String, String> {
    let is_path = text.starts_with('/') && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    is_path
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a path that starts with / and has no white space, such as /api/user".to_owned())
}

/// Parses `--method`: what a method in a configuration may be. Methods are case-sensitive.
pub fn method(text: &str) -> Result<String, String> {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
    let is_method = !text.is_empty() && text.bytes().all(is_letter);
    is_method.then(|| text.to_owned()).ok_or_else(|| "expected a method in capitals, such as GET".to_owned())
}

/// Parses `--status` of one response.
pub fn status(text: &str) -> Result<u16, String> {
    let status = text.parse().ok().filter(|status| (100..600).contains(status));
    status.ok_or_else(|| "expected a status, such as 404".to_owned())
}

/// The options about a request and its response. Missing ones have the most common value.
#[derive(Clone, Copy, Default)]
pub struct Exchange<'a> {
    pub method: Option<&'a str>,
    pub path: Option<&'a str>,
    pub status: Option<u16>,
    pub content_type: Option<&'a str>,
}

impl<'a> Exchange<'a> {
    pub fn method(&self) -> &'a str {
        self.method.unwrap_or("GET")
    }

    pub fn status(&self) -> u16 {
        self.status.unwrap_or(200)
    }

    pub fn content_type(&self) -> &'a str {
        self.content_type.unwrap_or("application/json")
    }

    /// Returns why the filter does not look at the body of such a response, whatever its route.
    pub fn skip(&self) -> Option<Skip> {
        let request = Request { method: self.method().as_bytes(), ..Request::default() };
        // The response has no media type yet, so only the verdict on its status counts.
        let mut response = Response::default();
        response.status = self.status().into();
        match (request.judge(), response.judge(false)) {
            (Err(skip), _) | (Ok(()), Err(skip @ Skip::Status)) => Some(skip),
            _ => (!media_type::is_json(self.content_type().as_bytes())).then_some(Skip::ContentType),
        }
    }

    /// Describes request and response, as far as they are given.
    pub fn describe(&self) -> String {
        let method = self.method();
        let request = self.path.map_or_else(|| format!("{method} requests"), |path| format!("{method} {path}"));
        let status = self.status.map(|status| format!(", status {status}")).unwrap_or_default();
        let content_type = self.content_type.map(|name| format!(", content-type {}", quote(name))).unwrap_or_default();
        request + &status + &content_type
    }

    /// Returns whether the response may be a success, whose required members count. A status that is not given may be
    /// any that the route takes.
    pub fn may_succeed(&self, route: &Route) -> bool {
        let is_taken = |status| route.matcher.conditions.accept(status, self.content_type().as_bytes());
        match self.status {
            Some(status) => (200..300).contains(&status),
            None => (200..300).any(is_taken),
        }
    }

    fn is_accepted(&self, route: &Route) -> bool {
        route.matcher.conditions.accept(self.status().into(), self.content_type().as_bytes())
    }
}

/// Names the routes, with what they are for.
pub fn names(routes: &[Route]) -> String {
    let named = routes.iter().take(MOST_NAMED).map(|route| format!("{} ({})", route.name, route.matcher));
    let more = routes.len().checked_sub(MOST_NAMED).filter(|more| *more > 0).map(|more| format!("{more} more"));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// Returns the route of a request and its response. Without a path it is the only route, unless the other options do
/// not match it.
pub fn route<'a>(config: &'a Config, exchange: &Exchange<'_>) -> Result<Option<&'a Route>, Failure> {
    if let Some(path) = exchange.path {
        let routes = config.routes_from(0, exchange.method().as_bytes(), path.as_bytes());
        let mut routes = routes.filter_map(|index| config.routes.get(index));
        return Ok(routes.find(|route| exchange.is_accepted(route)));
    }
    match config.routes.as_slice() {
        [] => Ok(None),
        [route] => {
            let has_method = exchange.method.is_none_or(|method| route.matcher.has_method(method.as_bytes()));
            let tells_response = exchange.status.is_some() || exchange.content_type.is_some();
            let is_it = has_method && (!tells_response || exchange.is_accepted(route));
            Ok(is_it.then_some(route))
        }
        routes => {
            let found = format!("no --path, and {} routes: {}", routes.len(), names(routes));
            Err(Failure::new(format!("found {found}; expected --path, which chooses one")))
        }
    }
}
