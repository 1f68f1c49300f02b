//! Runs the documents: configurations, bodies and commands in them must behave as shown with the built binary.
//!
//! The info string after a block's language decides how it is run:
//! - `yaml config`: `nomos check` finds no problem and warns of nothing. The next blocks are about this configuration.
//! - `yaml refused`, then `text`: the output of `nomos check` about it.
//! - `yaml pack`: a valid rule pack, including its examples.
//! - `json before`, then `json after`: the output of `nomos heal` with the last configuration, byte for byte. A
//!   `text report` after them is the report with `--explain`.
//! - `yaml shipped`: lines of `envoy.yaml`.
//! - `yaml of FILE`: a part of that file.
//! - `console`: commands after `$ `, run in the repository, each followed by its output.
//! - `json state`: the filter state for access logs; its fields exist in the code.
//! - `sh`, or nothing: commands that take long or change the machine. The make targets, commands and options of
//!   `nomos`, packages and scripts in them exist.
//!
//! Any other block says after `not run: ` why it is none of these.

#![allow(missing_docs)]

#[path = "cli/run.rs"]
mod run;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use run::Dir;

const DOCUMENTS: [&str; 18] = [
    "README.md",
    "CHANGELOG.md",
    "docs/architecture.md",
    "docs/benchmarks.md",
    "docs/cli.md",
    "docs/configuration.md",
    "docs/dashboard.md",
    "docs/deploy.md",
    "docs/envoy.md",
    "docs/faq.md",
    "docs/operations.md",
    "docs/peers.md",
    "docs/profile.md",
    "docs/rules.md",
    "docs/evaluation.md",
    "docs/similarity.md",
    "docs/upgrade.md",
    "docs/xdp.md",
];

/// Documents whose blocks are run by tests of that subject, such as `tests/dashboard`.
const RUN_ELSEWHERE: [&str; 1] = ["docs/dashboard.md"];

/// A fenced block: its info string, its text, and the line where it starts.
struct Block {
    kind: String,
    text: String,
    line: usize,
}

#[test]
fn configurations_and_packs_are_in_order() {
    for name in DOCUMENTS {
        for block in blocks(name) {
            match block.kind.as_str() {
                "yaml config" => assert_in_order(name, &block, "nomos.yaml"),
                "yaml pack" => assert_in_order(name, &block, "mine.yaml"),
                _ => (),
            }
        }
    }
}

#[test]
fn refusals_are_said_as_shown() {
    for name in DOCUMENTS {
        let blocks = blocks(name);
        for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind == "yaml refused") {
            let said = follower(name, &blocks, at, "text");
            let output = Dir::new("docs-refused").file("nomos.yaml", &block.text).nomos(&["check", "nomos.yaml"]);
            assert_eq!((output.code, output.stdout.as_str()), (1, said), "{name}:{}", block.line);
        }
    }
}

#[test]
fn bodies_are_healed_as_shown() {
    for name in DOCUMENTS {
        let blocks = blocks(name);
        for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind == "json before") {
            let dir = Dir::new("docs-heal");
            dir.file("nomos.yaml", config_for(name, &blocks, at)).file("body.json", &block.text);
            let output = dir.nomos(&["heal", "--config", "nomos.yaml", "--explain", "body.json"]);
            let place = format!("{name}:{}: {}", block.line, output.stderr);
            assert_eq!(
                (output.code, output.stdout.as_str()),
                (0, follower(name, &blocks, at, "json after")),
                "{place}"
            );
            if let Some(report) = blocks.get(at + 2).filter(|block| block.kind == "text report") {
                assert_eq!(output.stderr, report.text, "{place}");
            }
        }
    }
}

#[test]
fn commands_print_what_is_shown() {
    for name in DOCUMENTS {
        for block in blocks(name).iter().filter(|block| block.kind == "console") {
            for session in block.text.split("$ ").filter(|session| !session.is_empty()) {
                let (command, printed) = session.split_once('\n').unwrap_or((session, ""));
                assert_eq!(shell(command), printed, "{name}:{}: {command}", block.line);
            }
        }
    }
}

#[test]
fn every_document_is_tested_and_in_the_readme() {
    let readme = read("README.md");
    for entry in fs::read_dir(root().join("docs")).expect("a directory").flatten() {
        let name = format!("docs/{}", entry.file_name().to_string_lossy());
        if Path::new(&name).extension().is_some_and(|ending| ending == "md") {
            assert!(DOCUMENTS.contains(&name.as_str()), "{name}: by no test");
            assert!(readme.contains(&format!("({name})")), "README.md has no link to {name}");
        }
    }
}

#[test]
fn every_block_is_run_or_says_why_not() {
    let run = [
        "yaml config",
        "yaml refused",
        "yaml pack",
        "yaml shipped",
        "json before",
        "json after",
        "json state",
        "text report",
        "console",
        "sh",
        "",
    ];
    for name in DOCUMENTS.into_iter().filter(|name| !RUN_ELSEWHERE.contains(name)) {
        let blocks = blocks(name);
        for (at, block) in blocks.iter().enumerate() {
            let is_refusal = block.kind == "text" && at > 0 && blocks[at - 1].kind == "yaml refused";
            let has_reason = block.kind.split_once(" not run: ").is_some_and(|(_, why)| !why.trim().is_empty());
            let is_excerpt = block.kind.starts_with("yaml of ");
            let is_run = run.contains(&block.kind.as_str()) || is_excerpt || is_refusal || has_reason;
            assert!(is_run, "{name}:{}: a block `{}`, which no test runs", block.line, block.kind);
        }
    }
}

/// Commands that a test cannot run must only use names that exist.
#[test]
fn commands_that_are_not_run_are_known() {
    let mut known = 0;
    for name in DOCUMENTS {
        for block in blocks(name).iter().filter(|block| matches!(block.kind.as_str(), "sh" | "")) {
            for line in block.text.replace("\\\n", " ").lines() {
                let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
                let what = unknown_in(words.strip_prefix(&["sudo"]).unwrap_or(&words));
                assert_eq!(what, None, "{name}:{}: {line}", block.line);
                known += 1;
            }
        }
    }
    assert!(known > 10, "{known}");
}

/// The filter state is one line of JSON whose fields the code has.
#[test]
fn states_have_the_fields_of_the_code() {
    let mut code = String::new();
    collect(&root().join("filter/src"), &mut code);
    let code = code.replace('\\', "");
    let mut seen = 0;
    for block in blocks("docs/operations.md").iter().filter(|block| block.kind == "json state") {
        let state: serde_json::Value = serde_json::from_str(&block.text).expect("JSON");
        for field in state.as_object().into_iter().flatten().map(|(name, _)| name) {
            assert!(code.contains(&format!("\"{field}\":")), "docs/operations.md:{}: {field}", block.line);
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn what_is_referred_to_exists() {
    let makefile = read("Makefile");
    for name in DOCUMENTS {
        let text = read(name);
        let beside = root().join(name).parent().map(Path::to_path_buf).unwrap_or_default();
        for link in between(&text, "](", ")").into_iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(name) } else { beside.join(file) };
            assert!(target.exists(), "{name}: {link}");
            let target = fs::read_to_string(target).unwrap_or_default();
            assert!(heading.is_empty() || anchors(&target).any(|anchor| anchor == heading), "{name}: {link}");
        }
        for target in between(&text, "`make ", "`") {
            assert!(makefile.contains(&format!("\n{target}:")), "{name}: make {target}");
        }
        for path in quoted_paths(&text) {
            assert!(root().join(&path).exists(), "{name}: {path}");
        }
    }
}

/// Configurations for copying are those that the end-to-end suite runs: `envoy.yaml`, except for the routes of the
/// filter.
#[test]
fn what_is_copied_is_that_of_envoy_yaml() {
    let lines = |text: &str| -> BTreeSet<String> {
        text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
    };
    let shipped = lines(&read("envoy.yaml"));
    let mut copied: Vec<Block> = DOCUMENTS.iter().flat_map(|name| blocks(name)).collect();
    copied.retain(|block| block.kind == "yaml shipped" || block.text.contains("vm_config:"));
    assert_eq!(copied.len(), 3);
    for block in copied {
        let frame = block.text.split("routes:").next().unwrap_or_default();
        let other: Vec<String> = lines(frame).difference(&shipped).cloned().collect();
        assert_eq!(other, [""; 0], "lines that envoy.yaml has not");
    }
}

#[test]
fn parts_of_files_are_as_shown() {
    for name in DOCUMENTS {
        for block in blocks(name) {
            let Some(file) = block.kind.strip_prefix("yaml of ") else { continue };
            assert!(read(file).contains(&block.text), "{name}:{}: {file} has no such part", block.line);
        }
    }
}

/// The reference must contain every field, reason and metric of the code.
#[test]
fn nothing_is_left_out() {
    let dir = Dir::new("docs-fields");
    dir.file("a.yaml", "x-x: 1\nroutes:\n- x-x: 1\n  match: {x-x: 1}\n");
    let refusals = dir.nomos(&["check", "a.yaml"]).stdout;
    let fields = between(&refusals, "expected one of ", "\n");
    assert_eq!(fields.len(), 3, "{refusals}");
    let fields = fields.iter().flat_map(|list| list.split(", ")).map(ToOwned::to_owned);
    assert_documented("docs/configuration.md", fields);

    let (outcomes, reasons) = (read("filter/src/outcome.rs"), read("healer/src/reason.rs"));
    let words = [&outcomes, &reasons].into_iter().flat_map(|text| between(text, " => \"", "\","));
    assert_documented("docs/operations.md", words.map(ToOwned::to_owned));

    let metrics = read("filter/src/metrics.rs");
    let names = between(&metrics, "\"nomos_", "\"").into_iter().map(|name| format!("nomos_{name}"));
    assert_documented(
        "docs/operations.md",
        names.chain(["nomos_ops_total", "nomos_responses_total"].map(String::from)),
    );

    let readme = read("README.md");
    let versions = [".envoy-version", "tests/envoy-floor"].map(read);
    assert!(versions.iter().all(|version| readme.contains(version.trim())), "README.md: tested on {versions:?}");

    let packs = nomos_rules::PACKS.iter().map(|pack| pack.name.to_owned());
    assert_documented("docs/rules.md", packs);
}

/// The versions that docs/deploy.md calls tested are those pinned in `tests/go-modules`.
#[test]
fn versions_told_are_those_that_are_tested() {
    let (pins, text) = (read("tests/go-modules"), read("docs/deploy.md"));
    let rows = [
        ("github.com/tetratelabs/func-e", "Tested with func-e ", 3),
        ("github.com/envoyproxy/gateway", "Files for Envoy Gateway ", 2),
        ("istio.io/api", "Files for Istio (", 2),
    ];
    for (module, before, parts) in rows {
        let version = pins.lines().find_map(|line| line.strip_prefix(module)?.strip_prefix(" v")).unwrap_or_default();
        let version = version.split('.').take(parts).collect::<Vec<_>>().join(".");
        assert!(!version.is_empty() && text.contains(&format!("{before}{version}")), "{module} {version}");
    }
}

/// A test that is renamed or removed must also change in the table of invariants.
#[test]
fn tests_that_hold_invariants_exist() {
    let mut code = String::new();
    for directory in ["cli/src", "healer/src", "healer/tests", "filter/src", "tests/e2e"] {
        collect(&root().join(directory), &mut code);
    }
    let text = read("docs/architecture.md");
    let table: String = text.lines().filter(|line| line.starts_with('|')).collect();
    let is_test =
        |word: &&str| word.matches('_').count() > 1 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let tests: Vec<&str> = between(&table, "`", "`").into_iter().filter(is_test).collect();
    let missing: Vec<&&str> = tests.iter().filter(|test| !code.contains(&format!("fn {test}("))).collect();
    assert!(missing.is_empty() && !tests.is_empty(), "docs/architecture.md: there is no test {missing:?}");
}

fn assert_documented(name: &str, words: impl Iterator<Item = String>) {
    let text = read(name);
    let words: BTreeSet<String> = words.collect();
    let missing: Vec<&String> = words.iter().filter(|word| !text.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty() && words.len() > 2, "{name} does not tell of {missing:?}");
}

fn assert_in_order(name: &str, block: &Block, file: &str) {
    let output = Dir::new("docs-check").file(file, &block.text).nomos(&["check", file]);
    let is_clean = output.code == 0 && !output.stdout.contains(": warning: ");
    assert!(is_clean, "{name}:{}: {}{}", block.line, output.stdout, output.stderr);
}

/// Returns a name in a command that does not exist. Programs of others are not checked.
fn unknown_in(words: &[&str]) -> Option<String> {
    let option = |name: &str| words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied();
    match words {
        ["make", target, ..] => (!read("Makefile").contains(&format!("\n{target}:"))).then(|| format!("make {target}")),
        ["nomos", command, rest @ ..] => unknown_to_nomos(command, rest),
        ["cargo", ..] => {
            let package = option("-p").filter(|name| !manifests().contains(&format!("name = \"{name}\"")));
            let path = option("--path").filter(|path| !root().join(path).join("Cargo.toml").exists());
            package.or(path).map(str::to_owned)
        }
        [script, ..] if script.starts_with("scripts/") || script.starts_with("tests/") => {
            (!root().join(script).exists()).then(|| (*script).to_owned())
        }
        _ => None,
    }
}

/// Returns a command of `nomos` that does not exist, or an option that its help does not mention.
fn unknown_to_nomos(command: &str, rest: &[&str]) -> Option<String> {
    let help = Dir::new("docs-help").nomos(&[command, "--help"]);
    let mut options = rest.iter().filter(|word| word.starts_with("--"));
    match (help.code, options.find(|option| !help.stdout.contains(*option))) {
        (0, None) => None,
        (0, Some(option)) => Some((*option).to_owned()),
        _ => Some(format!("nomos {command}")),
    }
}

/// Returns the manifests of the workspace's packages.
fn manifests() -> String {
    let workspace = read("Cargo.toml");
    let members = between(&workspace, "members = [", "]").first().copied().unwrap_or_default().to_owned();
    between(&members, "\"", "\"").into_iter().map(|member| read(&format!("{member}/Cargo.toml"))).collect()
}

/// Returns the last configuration before a block. If there is none, as in the README, returns the first one after it.
fn config_for<'a>(name: &str, blocks: &'a [Block], at: usize) -> &'a str {
    let is_config = |block: &&Block| block.kind == "yaml config";
    let config = blocks[..at].iter().rev().find(is_config).or_else(|| blocks[at..].iter().find(is_config));
    &config.unwrap_or_else(|| panic!("{name}: a body without a configuration")).text
}

fn follower<'a>(name: &str, blocks: &'a [Block], at: usize, kind: &str) -> &'a str {
    let next = blocks.get(at + 1).filter(|block| block.kind == kind);
    &next.unwrap_or_else(|| panic!("{name}:{}: expected a block `{kind}` next", blocks[at].line)).text
}

fn blocks(name: &str) -> Vec<Block> {
    let text = read(name);
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some(Block { kind: kind.to_owned(), text: String::new(), line: number + 1 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text.extend([line, "\n"]),
            (None, None) => (),
        }
    }
    assert!(open.is_none(), "{name}: a block that does not end");
    blocks
}

/// Returns what a command prints on both streams, run in the repository with `nomos` on the path.
fn shell(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_nomos"));
    let mut path = binary.parent().map(Path::as_os_str).unwrap_or_default().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh").args(["-c", command]).current_dir(root()).env("PATH", path).output();
    let output = output.expect("sh runs");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

/// Returns files of the repository in backquotes: words with a slash and a known ending.
fn quoted_paths(text: &str) -> Vec<String> {
    let endings = [".rs", ".yaml", ".md", ".toml", "/"];
    let is_path = |word: &&str| {
        word.len() > 3
            && word.contains('/')
            && !word.starts_with('/')
            && !word.contains(['<', '*', ' ', ':', '{'])
            && endings.iter().any(|ending| word.ends_with(ending))
    };
    text.split("```").step_by(2).flat_map(|prose| between(prose, "`", "`")).filter(is_path).map(str::to_owned).collect()
}

/// Returns the anchors of headings, as GitHub makes them.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let keep = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    text.lines()
        .filter(|line| line.starts_with('#'))
        .map(move |line| line.trim_start_matches('#').trim().to_lowercase().chars().filter(keep).collect::<String>())
        .map(|heading| heading.replace(' ', "-"))
}

/// Appends the text of every Rust file below a directory.
fn collect(directory: &Path, code: &mut String) {
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, code);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            code.push_str(&fs::read_to_string(path).unwrap_or_default());
        }
    }
}

/// Returns the texts between two marks, without the marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(start) {
        let Some((inside, next)) = after.split_once(end) else { break };
        found.push(inside);
        rest = next;
    }
    found
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
