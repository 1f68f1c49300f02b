//! `nomos check`: the problems in a file, and where they are.

use std::path::PathBuf;
use std::process::ExitCode;

use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::Node;
use healer::config::{Config, ConfigError, ResponseHeaders, contract, json, vocabulary};
use serde_json::json;

use crate::envoy::{self, Configuration, Discovered, Filter};
use crate::failure::Failure;
use crate::openapi::{self, Document, NoContract};
use crate::output::plural;
use crate::resource::{self, Plugin};
use crate::routes::NO_ROUTES;
use crate::source::{Source, said_of};
use crate::text::plain;
use crate::warning::Warning;
use crate::{advice, block, deprecated, digest, document, inner, output, pack};

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
            Ok(source) => {
                let Examined { kind, findings, warnings } = examine(&source);
                verdicts.push(Verdict { source, kind, findings, warnings });
            }
            Err(failure) => unread.push(failure.to_string()),
        }
    }
    let text = if args.json { as_json(&verdicts) } else { verdicts.iter().map(Verdict::as_text).collect() };
    output::write(text.as_bytes())?;
    if !unread.is_empty() {
        return Err(Failure::new(unread.join("; ")));
    }
    let clean = verdicts.iter().all(|verdict| verdict.findings.is_empty());
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The kind of a file, and the problems in it.
struct Verdict {
    source: Source,
    kind: String,
    findings: Vec<Finding>,
    /// Each with its line in the file. Warnings do not change the exit code.
    warnings: Vec<(usize, Warning)>,
}

/// The content of a file: its kind in words, its problems and its warnings.
#[derive(Default)]
struct Examined {
    kind: String,
    findings: Vec<Finding>,
    warnings: Vec<(usize, Warning)>,
}

/// A problem and its line in the file.
struct Finding {
    line: usize,
    error: ConfigError,
}

impl Verdict {
    fn as_text(&self) -> String {
        let path = self.source.path.display();
        let warn = |(line, Warning { at, why, .. }): &(usize, Warning)| format!("{path}:{line}: warning: {at}: {why}");
        let tell = |Finding { line, error }: &Finding| self.source.tell(*line, error);
        let warnings = match self.warnings.len() {
            0 => String::new(),
            count => format!(", {}", plural(count, "warning")),
        };
        let end = format!("{path}: {}: no problems{warnings}", self.kind);
        let end = self.findings.is_empty().then_some(end);
        let lines = self.warnings.iter().map(warn).chain(self.findings.iter().map(tell)).chain(end);
        lines.map(|line| plain(&line).into_owned() + "\n").collect()
    }
}

fn as_json(verdicts: &[Verdict]) -> String {
    let path = |verdict: &Verdict| verdict.source.path.display().to_string();
    let file = |verdict: &Verdict| json!({"file": path(verdict), "kind": verdict.kind});
    let problem = |verdict: &Verdict, Finding { line, error }: &Finding| {
        let ConfigError { at, found, expected, .. } = error;
        json!({"file": path(verdict), "line": line, "at": at, "found": found, "expected": expected})
    };
    let files: Vec<_> = verdicts.iter().map(file).collect();
    let problems: Vec<_> =
        verdicts.iter().flat_map(|verdict| verdict.findings.iter().map(|found| problem(verdict, found))).collect();
    let warnings_of = |verdict: &Verdict| -> Vec<_> {
        verdict.warnings.iter().map(|(line, warning)| warning.as_json(&path(verdict), *line)).collect()
    };
    let warnings: Vec<_> = verdicts.iter().flat_map(warnings_of).collect();
    format!("{:#}\n", json!({"files": files, "problems": problems, "warnings": warnings}))
}

fn examine(source: &Source) -> Examined {
    let documents = match document::read(source) {
        Ok(documents) => documents,
        Err(error) => {
            let (kind, findings) = ("unreadable".to_owned(), vec![finding(source, error)]);
            return Examined { kind, findings, ..Examined::default() };
        }
    };
    let filters = envoy::filters(&documents);
    let discovered = envoy::discovered(&documents);
    if !filters.is_empty() || !discovered.is_empty() {
        let kind = describe_envoy(&documents, &filters, &discovered);
        let findings = filters.iter().flat_map(|filter| examine_filter(source, filter)).collect();
        let warnings = filters.iter().flat_map(|filter| warn_of_filter(source, filter)).collect();
        return Examined { kind, findings, warnings };
    }
    let plugins = resource::plugins(&documents);
    if !plugins.is_empty() {
        let kind = format!("resources of Kubernetes with {}", plural(plugins.len(), "Nomos plugin"));
        let findings = plugins.iter().flat_map(|plugin| examine_plugin(source, plugin)).collect();
        let warnings = plugins.iter().flat_map(|plugin| warn_of_plugin(source, plugin)).collect();
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
    let mut findings: Vec<Finding> = problems.into_iter().map(|error| finding(source, error)).collect();
    if let Some(second) = documents.get(1).filter(|second| !resource::is_one(second)) {
        let mut problems = Problems::new();
        Cursor::root(second).refuse(&mut problems, "a second document", "one document in a file");
        findings.extend(problems.into_iter().map(|error| finding(source, error)));
    }
    Examined { kind, findings, warnings }
}

/// Reports every operation that should have a contract, but whose contract cannot be read.
fn examine_openapi(source: &Source) -> Examined {
    let refused = |problems: Problems| {
        let findings = problems.into_iter().map(|error| finding(source, error)).collect();
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
        Ok(config) => (describe(&config), Vec::new(), warn_of_settings(document)),
        Err(problems) => ("a plugin configuration".to_owned(), problems, warn_of_settings(document)),
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

/// Warns about the filter's place, its block, and the configuration in it.
fn warn_of_filter(source: &Source, filter: &Filter<'_>) -> Vec<(usize, Warning)> {
    let here = |warning: Warning| (source.line(warning.offset), warning);
    let in_block = |block| [block::in_policy(block), digest::placeholders(block, &digest::ENVOY)].concat();
    let around = [block::in_list(filter), filter.plugin.map(in_block).unwrap_or_default()].concat();
    let mut warnings: Vec<_> = around.into_iter().map(here).collect();
    match filter.configuration() {
        Configuration::Tree(node) => warnings.extend(warn_of_settings(node).into_iter().map(here)),
        Configuration::Text(text, node) if text.trim().is_empty() => warnings.push(here(no_routes(node.offset))),
        Configuration::Text(text, node) => {
            let inner = json::read(text.as_bytes()).map(|inner| warn_of_settings(&inner)).unwrap_or_default();
            let lines = inner::Lines::of(source, text, node);
            warnings.extend(inner.into_iter().map(|warning| (lines.at(warning.offset), warning)));
        }
        Configuration::Missing if filter.plugin.is_some_and(block::is_whole) => {
            warnings.push(here(no_routes(filter.offset)));
        }
        Configuration::Missing | Configuration::Unknown(_) => (),
    }
    warnings
}

/// The warning for a missing configuration, and for an empty one.
fn no_routes(offset: usize) -> Warning {
    let (found, expected) = NO_ROUTES;
    Warning::unexpected(offset, "configuration".to_owned(), found, expected)
}

fn warn_of_settings(configuration: &Node) -> Vec<Warning> {
    [deprecated::in_settings(configuration), advice::in_settings(configuration)].concat()
}

fn warn_of_plugin(source: &Source, plugin: &Plugin<'_>) -> Vec<(usize, Warning)> {
    let none = || vec![no_routes(plugin.block.offset)];
    let in_settings = plugin.configuration.map_or_else(none, warn_of_settings);
    let warnings = digest::placeholders(plugin.block, &digest::RESOURCES).into_iter().chain(in_settings);
    warnings.map(|warning| (source.line(warning.offset), warning)).collect()
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
            Ok(config) => headers_problem(&config, filter).map(|error| finding(source, error)).into_iter().collect(),
            Err(problems) => problems.into_iter().map(|error| finding(source, error)).collect(),
        },
        Configuration::Text(text, node) => match inner::read(source, text, node) {
            Ok(config) => headers_problem(&config, filter).map(|error| finding(source, error)).into_iter().collect(),
            Err(problems) => problems.into_iter().map(|(line, error)| Finding { line, error }).collect(),
        },
        Configuration::Unknown(any) => vec![finding(source, envoy::refuse_unknown(any))],
    }
}

fn examine_plugin(source: &Source, plugin: &Plugin<'_>) -> Vec<Finding> {
    let Some(node) = plugin.configuration else { return Vec::new() };
    let problems = match Config::check(node) {
        Ok(config) if config.response_headers == ResponseHeaders::Held && !plugin.may_hold_headers => {
            vec![ConfigError {
                at: "response_headers".to_owned(),
                offset: node.offset,
                found: format!("\"held\" in a WasmPlugin, whose filter may not hold headers: {NOT_HELD}"),
                expected: "an EnvoyFilter with allow_on_headers_stop_iteration: true, or response_headers: early"
                    .to_owned(),
            }]
        }
        Ok(_) => Vec::new(),
        Err(problems) => problems,
    };
    problems.into_iter().map(|error| finding(source, error)).collect()
}

/// What Nomos does if Envoy does not hand over the bodies of held headers.
const NOT_HELD: &str = "first responses would wait for up to a second, and later ones would not be held";

/// Returns the problem with held headers at this place, if there is one:
/// - Without the flag, no body comes until Nomos releases the headers.
/// - In a filter of a cluster, held headers crash Envoy 1.36 at a redirect that Envoy follows, and let bodies of
///   abandoned retries leave before the response (1.40 too).
/// - If the rest of a body is handed out late, Envoy drops it once the headers are released.
fn headers_problem(config: &Config, filter: &Filter<'_>) -> Option<ConfigError> {
    let (found, expected) = match filter {
        _ if config.response_headers != ResponseHeaders::Held => return None,
        filter if !filter.may_hold_headers() => (
            format!("in a filter that may not hold headers: {NOT_HELD}"),
            "allow_on_headers_stop_iteration: true beside configuration, or response_headers: early",
        ),
        Filter { is_upstream: true, .. } => (
            "in a filter of a cluster, where Envoy 1.36 may crash on redirects and retries corrupt responses"
                .to_owned(),
            "a filter of a listener, or response_headers: early",
        ),
        Filter { late: Some(late), .. } => (
            format!("before {late}, which hands out bodies late: they may be cut off"),
            "it in front of nomos, earlier in http_filters, or response_headers: early",
        ),
        _ => return None,
    };
    Some(ConfigError {
        at: "response_headers".to_owned(),
        offset: filter.offset,
        found: format!("\"held\" {found}"),
        expected: expected.to_owned(),
    })
}

fn finding(source: &Source, error: ConfigError) -> Finding {
    Finding { line: source.line(error.offset), error }
}
