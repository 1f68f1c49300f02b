//! What clients expect, from any kind of file that says so.

use std::path::Path;

use healer::config::contract;
use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::Node;
use healer::plan::spec::PlanSpec;

use super::Which;
use crate::failure::Failure;
use crate::input::Exchange;
use crate::kind::{Kind, has_settings};
use crate::members::emptiness;
use crate::source::{Source, said_of};
use crate::{config_file, document, input};

/// Reads a contract, and the rules that go with it if the file has any.
pub fn read(path: &Path, which: &Which) -> Result<PlanSpec, Failure> {
    if let Some(operation) = &which.operation {
        let taken = crate::contract::read(path, operation, which.status.as_deref())?;
        return Ok(PlanSpec { contract: Some(taken.contract), ..PlanSpec::default() });
    }
    let source = Source::read(path)?;
    let documents = document::read(&source).map_err(|error| source.refuse(&[error]))?;
    let kind = Kind::of(&documents);
    let refuse = |document: &Node, expected: &str| {
        let place = source.place(document.offset);
        Err(Failure::new(format!("{place}: found {}; expected {expected}", kind.name())))
    };
    match &kind {
        Kind::OpenApi(document) => refuse(document, "--operation, such as 'GET /users/{id}', which chooses a response"),
        Kind::Pack(document) | Kind::Unknown(document) => {
            refuse(document, "a JSON Schema, an OpenAPI document, or a configuration with a contract")
        }
        Kind::Envoy { .. } | Kind::Resources(_) => of_route(path, which),
        Kind::Settings(document) if has_settings(document) => of_route(path, which),
        Kind::Settings(_) | Kind::Contract(_) if which.path.is_some() || which.method.is_some() => {
            let expected = "a configuration, whose routes they choose among, or neither of them";
            Err(Failure::new(format!(
                "{}: found a JSON Schema with --path or --method; expected {expected}",
                path.display()
            )))
        }
        Kind::Settings(document) | Kind::Contract(document) => {
            document::refuse_second(&documents).map_err(|error| source.refuse(&[error]))?;
            of_schema(&source, document)
        }
        Kind::Empty => Err(Failure::new(format!("{}: found no contract; expected a JSON Schema", path.display()))),
    }
}

fn of_schema(source: &Source, document: &Node) -> Result<PlanSpec, Failure> {
    let mut problems = Problems::new();
    let root = Cursor::root(document);
    refuse_duplicates(&root, &mut problems);
    let contract = contract::read(&root, &mut problems);
    if let Some((found, expected)) = contract.as_ref().and_then(emptiness) {
        root.refuse(&mut problems, found, expected);
    }
    if !problems.is_empty() {
        return Err(source.refuse(&said_of("contract", document, problems)));
    }
    Ok(PlanSpec { contract, ..PlanSpec::default() })
}

fn of_route(path: &Path, which: &Which) -> Result<PlanSpec, Failure> {
    let config = config_file::read(path)?;
    let file = path.display();
    let exchange = Exchange { method: which.method.as_deref(), path: which.path.as_deref(), ..Exchange::default() };
    let route = input::route(&config, &exchange)?.ok_or_else(|| {
        let expected = match config.routes.as_slice() {
            [] => "routes, each with match and contract".to_owned(),
            routes => format!("a request of one of these: {}", input::names(routes)),
        };
        Failure::new(format!("{file}: found no route for {}; expected {expected}", exchange.describe()))
    })?;
    let spec = route.plan.spec().clone();
    let name = &route.name;
    let Some(contract) = &spec.contract else {
        return Err(Failure::new(format!("{file}: found route {name} without a contract; expected one")));
    };
    match emptiness(contract) {
        Some((found, expected)) => {
            Err(Failure::new(format!("{file}: contract of route {name}: found {found}; expected {expected}")))
        }
        None => Ok(spec),
    }
}
