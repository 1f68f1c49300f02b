//! OpenAPI documents, 3.0 and 3.1: operations, and the schemas of their responses.

mod operation;
mod template;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ptr;
use std::rc::Rc;

use healer::config::contract::{Reading, References, resolve};
use healer::config::cursor::{Place, Problems};
use healer::config::node::{Node, Value};
use healer::config::{ConfigError, contract};

use crate::members::emptiness;
use crate::progress::Progress;

pub use operation::Operation;

/// The maximum number of references followed in a row. No document needs more.
const MAX_HOPS: usize = 16;

const BUNDLED: &str = "a reference into this document: bundle it with its other files first, for example with \
                       `npx @redocly/cli bundle FILE`";

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A document of a supported version.
pub struct Document<'a> {
    root: Place<'a>,
    references: RefCell<References<'a>>,
}

/// A response that has a schema.
pub struct Response<'a> {
    /// The status: `200`, `2XX` or `default`.
    pub status: &'a str,
    /// The media type, such as `application/json`.
    pub media_type: &'a str,
    schema: Place<'a>,
}

/// Why an operation has no contract.
pub enum NoContract {
    /// No response has a JSON body.
    NoJson(ConfigError),
    /// Nothing is said of its responses, or of their JSON.
    NoSchema(ConfigError),
    /// The schema of its JSON has no members to look for.
    NoMembers(ConfigError),
    /// A reference leads nowhere, or a schema cannot be expanded.
    Broken(Problems),
}

impl From<NoContract> for Problems {
    fn from(reason: NoContract) -> Self {
        match reason {
            NoContract::NoJson(error) | NoContract::NoSchema(error) | NoContract::NoMembers(error) => vec![error],
            NoContract::Broken(problems) => problems,
        }
    }
}

/// Returns whether a file may be an OpenAPI document, of any version.
pub fn is_one(document: &Node) -> bool {
    ["openapi", "swagger", "asyncapi"].iter().any(|field| document.get(field).is_some())
}

/// An operation, and whether it has a contract. If so, the references in it that lead nowhere.
pub type Outcome<'o, 'a> = (&'o Operation<'a>, Rc<Result<Problems, NoContract>>);

impl<'a> Document<'a> {
    /// Opens a document. Fails if its version is not supported.
    pub fn new(root: Place<'a>) -> Result<Self, ConfigError> {
        let version = |field| root.follow(&[field]).ok();
        if let Some(swagger) = version("swagger") {
            let found = format!("a document of Swagger {}", word(swagger.node));
            let expected = "OpenAPI 3: convert it first, for example with `npx swagger2openapi FILE`";
            return Err(refusal(&swagger, found, expected));
        }
        match version("openapi") {
            Some(version) if is_known(&word(version.node)) => {
                let references = RefCell::new(References::new(root.clone()));
                Ok(Document { root, references })
            }
            Some(version) => {
                Err(refusal(&version, format!("OpenAPI {}", word(version.node)), "OpenAPI 3.0 or 3.1, such as 3.1.0"))
            }
            None => Err(refusal(&root, "no field openapi", "an OpenAPI document of version 3.0 or 3.1")),
        }
    }

    /// Returns all operations, in the order of the document. Adds a problem for each path whose description is in
    /// another place and cannot be read.
    pub fn operations(&self, problems: &mut Problems) -> Vec<Operation<'a>> {
        let mut operations = Vec::new();
        let Ok(paths) = self.root.follow(&["paths"]) else { return operations };
        let paths = self.resolved(paths).and_then(|paths| object(paths, "an object: what is at each path"));
        let paths = paths.map_err(|problem| problems.push(problem));
        for (path, item) in paths.iter().flat_map(members).filter(|(path, _)| !path.starts_with("x-")) {
            let target = self.resolved(item.clone()).and_then(|item| object(item, "an object: operations by method"));
            let items: Vec<Place<'a>> = match target {
                Ok(target) => vec![item, target],
                Err(problem) => {
                    problems.push(problem);
                    vec![item]
                }
            };
            operations.extend(self.operations_at(path, &items));
        }
        operations
    }

    /// Returns a problem for each operation whose `operationId` an operation before it has.
    pub fn repeated_ids(&self, operations: &[Operation<'a>]) -> Problems {
        let mut known: HashMap<&str, *const Node> = HashMap::new();
        let mut problems = Problems::new();
        for operation in operations {
            let place = self.resolved(operation.place.clone()).ok();
            let place = place.and_then(|place| place.follow(&["operationId"]).ok());
            let Some((id, place)) = operation.id.zip(place) else { continue };
            let first = *known.entry(id).or_insert(place.node);
            // Several paths may refer to one description.
            if !ptr::eq(first, place.node) {
                let found = format!("{} a second time", place.node.describe());
                problems.push(refusal(&place, found, "an operationId of its own: the first operation is taken"));
            }
        }
        problems
    }

    /// Returns the paths of the servers, which precede the path of an operation in the paths of requests.
    pub fn bases(&self) -> Vec<String> {
        let Ok(servers) = self.root.follow(&["servers"]) else { return Vec::new() };
        let Value::Array(servers) = &servers.node.value else { return Vec::new() };
        let base = |server: &Node| {
            let url = with_defaults(server.get("url")?.as_str()?, server.get("variables"));
            let base = operation::server_path(&url).trim_end_matches('/');
            (!base.is_empty()).then(|| base.to_owned())
        };
        servers.iter().filter_map(base).collect()
    }

    /// Returns the operations of a path. A path may have operations of its own beside a reference to others.
    fn operations_at(&self, path: &'a str, items: &[Place<'a>]) -> Vec<Operation<'a>> {
        let of = |method: &'static str| {
            let place = items.iter().find_map(|item| item.follow(&[method]).ok())?;
            let target = self.resolved(place.clone()).ok();
            let id = target.and_then(|target| target.node.get("operationId").and_then(Node::as_str));
            Some(Operation { method, path, id, place })
        };
        METHODS.into_iter().filter_map(of).collect()
    }

    /// Returns the contract of an operation: that of its response with the given status, or else of its success.
    pub fn contract(
        &self,
        operation: &Operation<'a>,
        status: Option<&str>,
    ) -> Result<(Response<'a>, Reading), NoContract> {
        let response = self.response(operation, status)?;
        let reading = self.contract_of(&response)?;
        Ok((response, reading))
    }

    /// Returns the outcome of reading the contract of each operation. Schemas that operations share are read once: with
    /// the largest documents this takes seconds instead of a minute.
    pub fn outcomes<'o>(&self, operations: &'o [Operation<'a>], status: Option<&str>) -> Vec<Outcome<'o, 'a>> {
        let mut known: HashMap<*const Node, Rc<Result<Problems, NoContract>>> = HashMap::new();
        let mut progress = Progress::of(operations.len(), "operation");
        let outcome = |operation| {
            let result = match self.response(operation, status) {
                Ok(response) => Rc::clone(
                    known
                        .entry(self.schema_of(&response))
                        .or_insert_with(|| Rc::new(self.contract_of(&response).map(|reading| reading.lost))),
                ),
                Err(reason) => Rc::new(Err(reason)),
            };
            progress.step();
            (operation, result)
        };
        operations.iter().map(outcome).collect()
    }

    /// Returns the contract of a response.
    fn contract_of(&self, response: &Response<'a>) -> Result<Reading, NoContract> {
        let mut problems = Problems::new();
        let reading = contract::read_in(&mut self.references.borrow_mut(), &response.schema.cursor(), &mut problems);
        let bundled = |problems: Problems| problems.into_iter().map(bundling).collect();
        let Some(reading) = reading else { return Err(NoContract::Broken(bundled(problems))) };
        let reading = Reading { lost: bundled(reading.lost), ..reading };
        match emptiness(&reading.contract) {
            Some(_) if !reading.lost.is_empty() => Err(NoContract::Broken(reading.lost)),
            Some((found, expected)) => Err(NoContract::NoMembers(refusal(&response.schema, found, expected))),
            None => Ok(reading),
        }
    }

    /// Returns the schema of a response. If that is only a reference, returns its target, which many operations may
    /// share.
    fn schema_of(&self, response: &Response<'a>) -> &'a Node {
        let is_reference = matches!(&response.schema.node.value, Value::Object(members) if members.len() == 1);
        let target = is_reference.then(|| self.resolved(response.schema.clone()).ok()).flatten();
        target.map_or(response.schema.node, |target| target.node)
    }

    /// Returns the response whose schema becomes the contract.
    fn response(&self, operation: &Operation<'a>, status: Option<&str>) -> Result<Response<'a>, NoContract> {
        let resolved =
            |place: &Place<'a>| self.resolved(place.clone()).map_err(|error| NoContract::Broken(vec![error]));
        let malformed = |error| NoContract::Broken(vec![error]);
        let place = object(resolved(&operation.place)?, "an object: an operation").map_err(malformed)?;
        let Ok(responses) = place.follow(&["responses"]) else {
            return Err(NoContract::NoSchema(refusal(&place, "an operation without responses", "responses")));
        };
        let responses = object(responses, "an object: a response under each status").map_err(malformed)?;
        let known = names(responses.node);
        let mut first_problem = None;
        for status in candidates(&known, status) {
            let Ok(response) = responses.follow(&[status]) else { continue };
            let response = object(resolved(&response)?, "an object: a response").map_err(malformed)?;
            match content(status, &response) {
                Ok(found) => return Ok(found),
                Err(problem) => first_problem = first_problem.or(Some(problem)),
            }
        }
        Err(first_problem.unwrap_or_else(|| {
            let found = format!("responses {}", known.join(", "));
            let expected = format!("a response of status {}", status.unwrap_or("200"));
            NoContract::NoJson(refusal(&responses, found, expected))
        }))
    }

    /// Returns a place, or the target if it contains a reference.
    fn resolved(&self, mut place: Place<'a>) -> Result<Place<'a>, ConfigError> {
        for _ in 0..MAX_HOPS {
            let Ok(reference) = place.follow(&["$ref"]) else { return Ok(place) };
            let target = resolve(&self.root, reference.node);
            place = target.map_err(|(found, expected)| bundling(refusal(&reference, found, expected)))?;
        }
        Err(refusal(&place, "a reference that leads back to itself", "a reference to something else"))
    }
}

/// Returns the schema of a response's JSON.
fn content<'a>(status: &'a str, response: &Place<'a>) -> Result<Response<'a>, NoContract> {
    let no_json = |place: &Place<'_>, found: String, expected| NoContract::NoJson(refusal(place, found, expected));
    let Ok(content) = response.follow(&["content"]) else {
        return Err(no_json(response, "a response without content".to_owned(), "content of type application/json"));
    };
    let content = object(content, "an object: what a body is, under each media type")
        .map_err(|error| NoContract::Broken(vec![error]))?;
    let known = names(content.node);
    let Some(media_type) = json_type(&known) else {
        return Err(no_json(&content, format!("content of type {}", known.join(", ")), "application/json"));
    };
    let body = content.follow(&[media_type]).and_then(|body| body.follow(&["schema"]));
    match body {
        Ok(schema) => Ok(Response { status, media_type, schema }),
        Err(_) => Err(NoContract::NoSchema(refusal(&content, format!("{media_type} without a schema"), "schema"))),
    }
}

/// Returns the URL of a server, with the defaults of its variables filled in.
fn with_defaults(url: &str, variables: Option<&Node>) -> String {
    let Some(Node { value: Value::Object(variables), .. }) = variables else { return url.to_owned() };
    variables.iter().fold(url.to_owned(), |url, variable| {
        let default = variable.node.get("default").map(word).unwrap_or_default();
        url.replace(&format!("{{{}}}", variable.name), &default)
    })
}

/// Adds advice to a problem with a reference into another file.
fn bundling(mut error: ConfigError) -> ConfigError {
    let is_reference = error.at.ends_with("$ref") || error.at.contains(".mapping");
    if is_reference && error.found.starts_with('"') && !error.found.starts_with("\"#") {
        BUNDLED.clone_into(&mut error.expected);
    }
    error
}

fn refusal(place: &Place<'_>, found: impl Into<String>, expected: impl Into<String>) -> ConfigError {
    let mut problems = Problems::new();
    place.cursor().refuse(&mut problems, found, expected);
    problems.remove(0)
}

/// Parses `--status`: `404`, `4XX` or `default`.
pub fn status(text: &str) -> Result<String, String> {
    let status = text.to_ascii_uppercase();
    match status.as_bytes() {
        b"DEFAULT" => Ok("default".to_owned()),
        [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'] | [b'1'..=b'5', b'X', b'X'] => Ok(status),
        _ => Err("expected a status, such as 404, a class of them, such as 4XX, or default".to_owned()),
    }
}

/// Returns the statuses to try, in order of preference. If none is given, these are the successes. If a success is
/// declared, `default` is not one: usually it describes errors.
fn candidates<'a>(known: &[&'a str], asked: Option<&str>) -> Vec<&'a str> {
    let named = |status: &str| -> Vec<&'a str> {
        known.iter().copied().filter(|name| name.eq_ignore_ascii_case(status)).collect()
    };
    let successes = [codes(known, "2"), named("2XX")].concat();
    let Some(status) = asked else { return if successes.is_empty() { named("default") } else { successes } };
    let class = status.get(..1).unwrap_or_default();
    let range = named(&format!("{class}XX"));
    let described = if status.ends_with("XX") { [range, codes(known, class)] } else { [named(status), range] };
    let others = if class == "2" && !successes.is_empty() { Vec::new() } else { named("default") };
    described.into_iter().chain([others]).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the statuses of a class, in order.
fn codes<'a>(known: &[&'a str], class: &str) -> Vec<&'a str> {
    let is_one = |name: &&str| name.starts_with(class) && name.len() == 3 && name.bytes().all(|b| b.is_ascii_digit());
    let mut codes: Vec<&str> = known.iter().copied().filter(is_one).collect();
    codes.sort_unstable();
    codes
}

/// Returns the JSON media type: `application/json` first, then types with JSON syntax, then ranges.
fn json_type<'a>(known: &[&'a str]) -> Option<&'a str> {
    let essence = |name: &str| name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let tests: [fn(&str) -> bool; 4] = [
        |name| name == "application/json",
        |name| name.ends_with("+json"),
        |name| name.ends_with("/json"),
        |name| matches!(name, "application/*" | "*/*"),
    ];
    tests.iter().find_map(|test| known.iter().copied().find(|name| test(&essence(name))))
}

/// Returns a place that holds an object. Fails if it holds anything else.
fn object<'a>(place: Place<'a>, expected: &str) -> Result<Place<'a>, ConfigError> {
    let is_object = matches!(place.node.value, Value::Object(_));
    if is_object { Ok(place) } else { Err(refusal(&place, place.node.describe(), expected)) }
}

fn members<'a>(place: &Place<'a>) -> Vec<(&'a str, Place<'a>)> {
    names(place.node).into_iter().filter_map(|name| Some((name, place.follow(&[name]).ok()?))).collect()
}

fn names(node: &Node) -> Vec<&str> {
    match &node.value {
        Value::Object(members) => members.iter().map(|member| member.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Returns whether the version is 3.0 or 3.1, with any patch version. Later versions may contain what this reader would
/// misread.
fn is_known(version: &str) -> bool {
    ["3.0", "3.1"]
        .iter()
        .any(|known| version.strip_prefix(known).is_some_and(|patch| patch.is_empty() || patch.starts_with('.')))
}

/// Returns a version as text. A version without quotes is a number.
fn word(node: &Node) -> String {
    node.as_str().map_or_else(|| node.describe(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{candidates, json_type, status};

    #[test]
    fn the_response_of_success_is_taken() {
        let rows: [(&[&str], Option<&str>, &[&str]); 15] = [
            (&["404", "200"], None, &["200"]),
            (&["204", "201", "default"], None, &["201", "204"]),
            (&["2XX", "default"], None, &["2XX"]),
            (&["2xx", "202"], None, &["202", "2xx"]),
            (&["default", "500"], None, &["default"]),
            (&["404", "500"], None, &[]),
            (&["200", "404", "4XX"], Some("404"), &["404"]),
            (&["200", "4XX", "default"], Some("422"), &["4XX"]),
            (&["200", "default"], Some("422"), &["default"]),
            (&["200", "default"], Some("default"), &["default"]),
            (&["200", "2xx"], Some("2XX"), &["2xx"]),
            (&["201", "404", "200", "default"], Some("2XX"), &["200", "201"]),
            (&["200", "default"], Some("4XX"), &["default"]),
            (&["200", "default"], Some("201"), &[]),
            (&["200"], Some("404"), &[]),
        ];
        for (known, asked, expected) in rows {
            assert_eq!(candidates(known, asked), expected, "{known:?} {asked:?}");
        }
    }

    #[test]
    fn a_status_is_a_code_a_class_or_default() {
        for (text, expected) in [("404", "404"), ("4xx", "4XX"), ("2XX", "2XX"), ("Default", "default")] {
            assert_eq!(status(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "2", "20", "2000", "099", "600", "XX", "2X", "22XX", "0XX", "OK", "20é", "2éé"] {
            assert!(status(text).is_err(), "{text}");
        }
    }

    #[test]
    fn json_is_known_by_its_media_type() {
        let rows: [(&[&str], Option<&str>); 6] = [
            (&["text/html", "application/json"], Some("application/json")),
            (&["application/hal+json", "Application/JSON; charset=utf-8"], Some("Application/JSON; charset=utf-8")),
            (&["*/*", "application/vnd.api+json"], Some("application/vnd.api+json")),
            (&["text/json"], Some("text/json")),
            (&["text/csv", "*/*"], Some("*/*")),
            (&["text/csv", "application/jsonl"], None),
        ];
        for (known, expected) in rows {
            assert_eq!(json_type(known), expected, "{known:?}");
        }
    }
}
