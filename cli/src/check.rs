//! `nomos check`: the problems in a file, and where they are.

mod held;
mod verdict;
mod warnings;

use std::path::PathBuf;
use std::process::ExitCode;

use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::Node;
use healer::config::{Config, ConfigError, contract, vocabulary};

use crate::envoy::{self, Configuration, Discovered, Filter};
use crate::failure::Failure;
use crate::openapi::{self, Document, NoContract};
use crate::output::plural;
use crate::resource::{self, Plugin};
use crate::source::{Source, said_of};
use crate::warning::Warning;
use crate::{advice, document, inner, output, pack};

use verdict::{Examined, Finding, Verdict};

const EXAMPLES: &str = "\
Each file may be an Envoy configuration, the plugin's own, a WasmPlugin, an
EnvoyExtensionPolicy, a rule pack, a contract or an OpenAPI document, in YAML
or JSON. YAML is read as Envoy reads it, so bare y, no and off are booleans,
except in OpenAPI documents.

  $ nomos check envoy.yaml
  envoy.yaml: an Envoy configuration with 1 Nomos filter: no problems

  $ nomos check nomos.yaml
  nomos.yaml:7: routes[0].packs[1]: found \"typo\"; expected one of api-v2, ...

  $ nomos check --json rules/*.yaml | jq .problems

What is valid but probably a mistake is a warning, which says what to write
instead: deprecated fields, placeholder digests, contracts without members,
rules that cannot match, routes that are never used, filters in the wrong
order. Warnings do not change the exit code.

Exit codes: 0 no problems, 1 problems found, 2 bad usage or a file that cannot
be read.";

const AN_OPENAPI: &str = "an OpenAPI document";
const AN_ENVOY: &str = "an Envoy configuration";
const A_RESOURCE: &str = "a resource of Kubernetes";

/// Arguments of `nomos check`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files to check
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print one JSON object: files, problems (file, line, at, found, expected) and warnings
    #[arg(long)]
    json: bool,
}

/// Checks every file, and reports all problems before it ends.
pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (mut verdicts, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        match Source::read(path) {
            Ok(source) => verdicts.push(Verdict { content: examine(&source), source }),
            Err(failure) => unread.push(failure.to_string()),
        }
    }
    let text = if args.json { verdict::as_json(&verdicts) } else { verdicts.iter().map(Verdict::as_text).collect() };
    output::write(text.as_bytes())?;
    if !unread.is_empty() {
        return Err(Failure::new(unread.join("; ")));
    }
    Ok(if verdicts.iter().all(Verdict::is_clean) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn examine(source: &Source) -> Examined {
    let documents = match document::read(source) {
        Ok(documents) => documents,
        Err(error) => {
            let (kind, findings) = ("unreadable".to_owned(), vec![Finding::new(source, error)]);
            return Examined { kind, findings, ..Examined::default() };
        }
    };
    let filters = envoy::filters(&documents);
    let discovered = envoy::discovered(&documents);
    if !filters.is_empty() || !discovered.is_empty() {
        let kind = describe_envoy(&documents, &filters, &discovered);
        let findings = filters.iter().flat_map(|filter| examine_filter(source, filter)).collect();
        let warnings = filters.iter().flat_map(|filter| warnings::of_filter(source, filter)).collect();
        return Examined { kind, findings, warnings };
    }
    let plugins = resource::plugins(&documents);
    if !plugins.is_empty() {
        let kind = format!("resources of Kubernetes with {}", plural(plugins.len(), "Nomos plugin"));
        let findings = plugins.iter().flat_map(|plugin| examine_plugin(source, plugin)).collect();
        let warnings = plugins.iter().flat_map(|plugin| warnings::of_plugin(source, plugin)).collect();
        return Examined { kind, findings, warnings };
    }
    examine_other(source, &documents)
}

/// Examines a file that is not an Envoy configuration with a Nomos filter.
fn examine_other(source: &Source, documents: &[Node]) -> Examined {
    if documents.first().is_some_and(openapi::is_one) {
        return examine_openapi(source);
    }
    let empty = Node { offset: 0, value: healer::config::node::Value::Object(Vec::new()) };
    let (kind, problems, warnings) = examine_document(documents.first().unwrap_or(&empty));
    let warnings = warnings.into_iter().map(|warning| (source.line(warning.offset), warning)).collect();
    let mut findings: Vec<Finding> = problems.into_iter().map(|error| Finding::new(source, error)).collect();
    if let Some(second) = documents.get(1).filter(|second| !resource::is_one(second)) {
        let mut problems = Problems::new();
        Cursor::root(second).refuse(&mut problems, "a second document", "one document in a file");
        findings.extend(problems.into_iter().map(|error| Finding::new(source, error)));
    }
    Examined { kind, findings, warnings }
}

/// Reports every operation that should have a contract, but whose contract cannot be read.
fn examine_openapi(source: &Source) -> Examined {
    let refused = |problems: Problems| {
        let findings = problems.into_iter().map(|error| Finding::new(source, error)).collect();
        Examined { kind: AN_OPENAPI.to_owned(), findings, ..Examined::default() }
    };
    let node = match document::read_foreign(source) {
        Ok(node) => node,
        Err(error) => return refused(vec![error]),
    };
    let document = match Document::new(Cursor::root(&node).place()) {
        Ok(document) => document,
        Err(error) => return refused(said_of("document", &node, vec![error])),
    };
    let mut problems = Problems::new();
    refuse_duplicates(&Cursor::root(&node), &mut problems);
    let mut contracts = 0;
    let operations = document.operations(&mut problems);
    for (_, outcome) in document.outcomes(&operations, None) {
        match &*outcome {
            Ok(()) => contracts += 1,
            Err(NoContract::Broken(found)) => {
                let new: Vec<_> = found.iter().filter(|problem| !problems.contains(problem)).cloned().collect();
                problems.extend(new);
            }
            Err(NoContract::NoJson(_) | NoContract::NoMembers(_)) => (),
        }
    }
    problems.sort_by_key(|problem| problem.offset);
    let doubt = (contracts == 0 && problems.is_empty()).then(|| no_contract(&node));
    Examined {
        kind: format!("{AN_OPENAPI} with contracts of {}", plural(contracts, "operation")),
        warnings: doubt.into_iter().map(|doubt| (source.line(doubt.offset), doubt)).collect(),
        ..refused(problems)
    }
}

/// The warning for a document that nothing can be healed by.
fn no_contract(document: &Node) -> Warning {
    let paths = document.get("paths");
    let (at, place) = paths.map_or(("document", document), |paths| ("paths", paths));
    let expected = "one whose response is JSON with members: nomos contract lists what each lacks";
    Warning::unexpected(place.offset, at.to_owned(), "no operation with a contract", expected)
}

fn examine_document(document: &Node) -> (String, Vec<ConfigError>, Vec<Warning>) {
    if let Some(name) = pack::name(document) {
        let problems = said_of("pack", document, pack::check(document));
        return (describe_pack(name, pack::count(document)), problems, Vec::new());
    }
    if envoy::is_envoy(document) {
        let mut problems = Problems::new();
        let expected = "envoy.filters.http.wasm with Nomos: `nomos` in the name of the filter, plugin or module file";
        Cursor::root(document).refuse(&mut problems, "an Envoy configuration without the Nomos filter", expected);
        return (AN_ENVOY.to_owned(), problems, Vec::new());
    }
    if resource::is_one(document) {
        let mut problems = Problems::new();
        Cursor::root(document).refuse(
            &mut problems,
            "no configuration of Nomos in a resource of Kubernetes",
            resource::EXPECTED,
        );
        return (A_RESOURCE.to_owned(), said_of("document", document, problems), Vec::new());
    }
    if is_contract(document) {
        let mut problems = Problems::new();
        let root = Cursor::root(document);
        refuse_duplicates(&root, &mut problems);
        contract::read(&root, &mut problems);
        return ("a contract".to_owned(), said_of("contract", document, problems), advice::in_contract(document));
    }
    match Config::check(document) {
        Ok(config) => (describe(&config), Vec::new(), warnings::of_settings(document)),
        Err(problems) => ("a plugin configuration".to_owned(), problems, warnings::of_settings(document)),
    }
}

/// Describes filters, and those that come from elsewhere. A resource of Istio has both: the filter's place in the list,
/// and what Istio itself then serves for it.
fn describe_envoy(documents: &[Node], filters: &[Filter<'_>], discovered: &[Discovered<'_>]) -> String {
    let is_resource = documents.iter().any(resource::is_one);
    let is_here = |filter: &Discovered<'_>| is_resource && !filters.is_empty() && filter.file.is_none();
    let from = |filter: &Discovered<'_>| match filter.file {
        Some(file) => format!("the filter {} from {file} (check that file too)", filter.name),
        None => format!("the filter {} from a management server", filter.name),
    };
    let taken: Vec<String> = discovered.iter().filter(|filter| !is_here(filter)).map(from).collect();
    let kind = if is_resource { A_RESOURCE } else { AN_ENVOY };
    let own = plural(filters.len(), "Nomos filter");
    match (filters, taken.join(" and ")) {
        (_, taken) if taken.is_empty() => format!("{kind} with {own}"),
        ([], taken) => format!("{kind} that takes {taken}"),
        (_, taken) => format!("{kind} with {own}, which takes {taken}"),
    }
}

fn describe_pack(name: &str, rules: usize) -> String {
    format!("the rule pack {name} with {}", plural(rules, "rule"))
}

fn describe(config: &Config) -> String {
    format!("a plugin configuration with {}", plural(config.routes.len(), "route"))
}

/// A schema has keywords, and a plugin configuration has fields of its own.
fn is_contract(document: &Node) -> bool {
    let has = |field: &str| document.get(field).is_some();
    let is_schema = contract::UNDERSTOOD.iter().chain(&contract::IGNORED).any(|keyword| has(keyword));
    is_schema && !vocabulary::SETTINGS.iter().any(|field| has(field))
}

fn examine_filter(source: &Source, filter: &Filter<'_>) -> Vec<Finding> {
    match filter.configuration() {
        Configuration::Missing => Vec::new(),
        Configuration::Tree(node) => match Config::check(node) {
            Ok(config) => {
                held::in_filter(&config, filter).map(|error| Finding::new(source, error)).into_iter().collect()
            }
            Err(problems) => problems.into_iter().map(|error| Finding::new(source, error)).collect(),
        },
        Configuration::Text(text, node) => match inner::read(source, text, node) {
            Ok(config) => {
                held::in_filter(&config, filter).map(|error| Finding::new(source, error)).into_iter().collect()
            }
            Err(problems) => problems.into_iter().map(|(line, error)| Finding { line, error }).collect(),
        },
        Configuration::Unknown(any) => vec![Finding::new(source, envoy::refuse_unknown(any))],
    }
}

fn examine_plugin(source: &Source, plugin: &Plugin<'_>) -> Vec<Finding> {
    let Some(node) = plugin.configuration else { return Vec::new() };
    let problems = match Config::check(node) {
        Ok(config) => held::in_plugin(&config, plugin, node).into_iter().collect(),
        Err(problems) => problems,
    };
    problems.into_iter().map(|error| Finding::new(source, error)).collect()
}
