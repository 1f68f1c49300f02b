//! Bodies, and the routes that they belong to.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use healer::config::{Config, Route};

use crate::failure::Failure;

/// Reads a body from a file, or from stdin where the file is called `-`.
pub fn body(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        let mut body = Vec::new();
        io::stdin().lock().read_to_end(&mut body).map_err(|error| Failure::io(Path::new("stdin"), &error))?;
        return Ok(body);
    }
    fs::read(path).map_err(|error| Failure::io(path, &error))
}

/// A response that is answered with JSON and success, as most are.
pub const USUAL: Response<'static> = Response { status: 200, content_type: "application/json" };

/// What of a response a route may depend on.
#[derive(Clone, Copy)]
pub struct Response<'a> {
    pub status: u16,
    pub content_type: &'a str,
}

/// The route of a request and its response; without a path the only one there is.
pub fn route<'a>(
    config: &'a Config,
    method: &str,
    path: Option<&str>,
    response: Response<'_>,
) -> Result<Option<&'a Route>, Failure> {
    if let Some(path) = path {
        let Response { status, content_type } = response;
        let accepts = |route: &usize| config.accepts(*route, status.into(), content_type.as_bytes());
        let index = config.routes_from(0, method.as_bytes(), path.as_bytes()).find(accepts);
        return Ok(index.and_then(|index| config.routes.get(index)));
    }
    match config.routes.as_slice() {
        [] => Ok(None),
        [route] => Ok(Some(route)),
        routes => {
            let known: Vec<String> = routes.iter().map(|route| format!("{} ({})", route.name, route.matcher)).collect();
            let found = format!("no --path, and {} routes: {}", routes.len(), known.join(", "));
            Err(Failure::new(format!("found {found}; expected --path, which chooses one")))
        }
    }
}
