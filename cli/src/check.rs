//! `nomos check`: the problems in a file, and where they are.

mod held;
mod verdict;
mod warnings;

use std::path::PathBuf;
use std::process::ExitCode;

use healer::config::cursor::{Cursor, Problems, refuse_duplicates};
use healer::config::node::{Node, Value};
use healer::config::{Config, ConfigError, contract};

use crate::envoy::{self, Configuration, Discovered, Filter};
use crate::failure::Failure;
use crate::kind::{Kind, has_settings};
use crate::openapi::{Document, NoContract};
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

/// What `check` knows, for messages.
const KNOWN: &str = "a configuration of the plugin (with routes), of Envoy or of Kubernetes, a rule pack, a contract or \
                     an OpenAPI document";

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
    let kind = Kind::of(&documents);
    match &kind {
        Kind::Envoy { filters, discovered, plugins } if !filters.is_empty() || !discovered.is_empty() => {
            let own = examine_plugins(source, plugins, &documents);
            let described = describe_envoy(&documents, filters, discovered);
            let beside = match plugins.len() {
                0 => String::new(),
                count => format!(" and {}", plural(count, "Nomos plugin")),
            };
            let findings = filters.iter().flat_map(|filter| examine_filter(source, filter));
            let warnings = filters.iter().flat_map(|filter| warnings::of_filter(source, filter));
            Examined {
                kind: described + &beside,
                findings: findings.chain(own.findings).collect(),
                warnings: warnings.chain(own.warnings).collect(),
            }
        }
        Kind::Resources(plugins) if !plugins.is_empty() || !resource::refuse_wasm(&documents).is_empty() => {
            examine_plugins(source, plugins, &documents)
        }
        Kind::OpenApi(_) => examine_openapi(source, &kind),
        _ => examine_first(source, &kind, &documents),
    }
}

/// Examines the plugins in resources of Kubernetes. A configuration of the plugin in the same file is set up by nothing.
fn examine_plugins(source: &Source, plugins: &[Plugin<'_>], documents: &[Node]) -> Examined {
    let found = "the plugin's own configuration beside others";
    let lost = documents.iter().filter(|document| is_alone(document));
    let lost =
        lost.flat_map(|document| refusal(document, found, "it in a file of its own, or inside a filter or plugin"));
    let refused = lost.chain(resource::refuse_wasm(documents)).map(|error| Finding::new(source, error));
    let findings = plugins.iter().flat_map(|plugin| examine_plugin(source, plugin));
    Examined {
        kind: format!("resources of Kubernetes with {}", plural(plugins.len(), "Nomos plugin")),
        findings: refused.chain(findings).collect(),
        warnings: plugins.iter().flat_map(|plugin| warnings::of_plugin(source, plugin)).collect(),
    }
}

/// Whether a document is a configuration of the plugin, and no part of Envoy's.
fn is_alone(document: &Node) -> bool {
    let is_part = envoy::is_envoy(document) || resource::is_one(document);
    has_settings(document) && !is_part && envoy::filters(std::slice::from_ref(document)).is_empty()
}

/// Examines the first document of a file. Only resources of Kubernetes may have others behind them.
fn examine_first(source: &Source, kind: &Kind<'_>, documents: &[Node]) -> Examined {
    let empty = Node { offset: 0, value: Value::Object(Vec::new()) };
    let second = match kind {
        Kind::Resources(_) => None,
        _ => document::refuse_second(documents).err(),
    };
    let (kind, problems, warnings) = examine_document(kind, documents.first().unwrap_or(&empty));
    let warnings = warnings.into_iter().map(|warning| (source.line(warning.offset), warning)).collect();
    let findings = problems.into_iter().chain(second);
    Examined { kind, findings: findings.map(|error| Finding::new(source, error)).collect(), warnings }
}

/// Reports every operation that should have a contract, but whose contract cannot be read.
fn examine_openapi(source: &Source, kind: &Kind<'_>) -> Examined {
    let refused = |problems: Problems| {
        let findings = problems.into_iter().map(|error| Finding::new(source, error)).collect();
        Examined { kind: kind.name().to_owned(), findings, ..Examined::default() }
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
    let mut lost = Problems::new();
    let operations = document.operations(&mut problems);
    for (_, outcome) in document.outcomes(&operations, None) {
        match &*outcome {
            Ok(found) => {
                contracts += 1;
                append_new(&mut lost, found);
            }
            Err(NoContract::Broken(found)) => append_new(&mut problems, found),
            Err(NoContract::NoJson(_) | NoContract::NoSchema(_) | NoContract::NoMembers(_)) => (),
        }
    }
    problems.sort_by_key(|problem| problem.offset);
    let doubt = (contracts == 0 && problems.is_empty()).then(|| no_contract(&node));
    let told = lost.into_iter().chain(document.repeated_ids(&operations));
    let told = told.map(|ConfigError { at, offset, found, expected }| Warning::unexpected(offset, at, found, expected));
    Examined {
        kind: format!("{} with contracts of {}", kind.name(), plural(contracts, "operation")),
        warnings: doubt.into_iter().chain(told).map(|doubt| (source.line(doubt.offset), doubt)).collect(),
        ..refused(problems)
    }
}

fn append_new(problems: &mut Problems, found: &Problems) {
    let new: Vec<_> = found.iter().filter(|problem| !problems.contains(problem)).cloned().collect();
    problems.extend(new);
}

/// The warning for a document that nothing can be healed by.
fn no_contract(document: &Node) -> Warning {
    let paths = document.get("paths");
    let (at, place) = paths.map_or(("document", document), |paths| ("paths", paths));
    let expected = "one whose response is JSON with members: nomos contract lists what each lacks";
    Warning::unexpected(place.offset, at.to_owned(), "no operation with a contract", expected)
}

fn examine_document(kind: &Kind<'_>, document: &Node) -> (String, Vec<ConfigError>, Vec<Warning>) {
    let name = kind.name().to_owned();
    match kind {
        Kind::Pack(_) => (describe_pack(document), said_of("pack", document, pack::check(document)), Vec::new()),
        Kind::Contract(_) => (name, check_contract(document), advice::in_contract(document)),
        Kind::Settings(_) | Kind::Empty => {
            let (routes, problems) = match Config::check(document) {
                Ok(config) => (format!(" with {}", plural(config.routes.len(), "route")), Vec::new()),
                Err(problems) => (String::new(), problems),
            };
            (name + &routes, problems, warnings::of_settings(document))
        }
        Kind::Envoy { .. } => {
            let found = "an Envoy configuration without the Nomos filter";
            let expected =
                "envoy.filters.http.wasm with Nomos: `nomos` in the name of the filter, plugin or module file";
            (name, refusal(document, found, expected), Vec::new())
        }
        Kind::Resources(_) => {
            let found = "no configuration of Nomos in a resource of Kubernetes";
            (name, said_of("document", document, refusal(document, found, resource::EXPECTED)), Vec::new())
        }
        // OpenAPI documents have been examined already, because they are read in another dialect of YAML.
        Kind::OpenApi(_) | Kind::Unknown(_) => {
            let problems = said_of("document", document, refusal(document, &name, KNOWN));
            (name, problems, Vec::new())
        }
    }
}

fn check_contract(document: &Node) -> Problems {
    let mut problems = Problems::new();
    let root = Cursor::root(document);
    refuse_duplicates(&root, &mut problems);
    contract::read(&root, &mut problems);
    said_of("contract", document, problems)
}

/// Returns a problem with a document as a whole.
fn refusal(document: &Node, found: &str, expected: &str) -> Problems {
    let mut problems = Problems::new();
    Cursor::root(document).refuse(&mut problems, found, expected);
    problems
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
    let kind = if is_resource { "a resource of Kubernetes" } else { "an Envoy configuration" };
    let own = plural(filters.len(), "Nomos filter");
    match (filters, taken.join(" and ")) {
        (_, taken) if taken.is_empty() => format!("{kind} with {own}"),
        ([], taken) => format!("{kind} that takes {taken}"),
        (_, taken) => format!("{kind} with {own}, which takes {taken}"),
    }
}

fn describe_pack(document: &Node) -> String {
    let name = pack::name(document).unwrap_or_default();
    format!("the rule pack {name} with {}", plural(pack::count(document), "rule"))
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
