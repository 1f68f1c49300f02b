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

/// The route of a request; without a path the only one there is.
pub fn route<'a>(config: &'a Config, method: &str, path: Option<&str>) -> Result<Option<&'a Route>, Failure> {
    if let Some(path) = path {
        let index = config.route(method.as_bytes(), path.as_bytes());
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
