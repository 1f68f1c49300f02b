//! What the build refuses in a pack file, and what it makes of a good one.

#![allow(clippy::expect_used)]

#[path = "../build/emit.rs"]
mod emit;
#[path = "../build/pack_file.rs"]
mod pack_file;

use nomos_rules::check;

/// The names under which the build script knows the library's code.
mod model {
    pub use nomos_rules::{Case, Kind, MAX_PACKED, Rule};
}

const HEAD: &str = "pack: typos\nabout: wrong letters\nengine: \">=0.1\"\n";
const EXAMPLES: &str = "valid: [{before: {a: 1}, after: {b: 1}}], invalid: [{b: 1}]";

/// The messages for `typos.yaml` with that text, joined.
fn messages(text: &str) -> String {
    match pack_file::parse("typos.yaml", text) {
        Ok(pack) => pack_file::check_together(&[pack]).join("\n"),
        Err(problems) => problems.join("\n"),
    }
}

#[test]
fn a_good_file_passes() {
    let text = format!(
        "{HEAD}rules:\n- {{id: typos-001, rename: {{from: a, to: b}}, {EXAMPLES}}}\n\
         conventions:\n- {{id: typos-100, from: [camelCase], to: snake_case, {EXAMPLES}}}\n"
    );
    assert_eq!(messages(&text), "");
}

#[test]
fn a_bad_head_is_refused() {
    let rows = [
        ("pack: typo\nabout: x\nengine: \">=0.1\"\n", "typos.yaml: pack: found `typo`"),
        ("pack: typos\nabout: ''\nengine: \">=0.1\"\n", "typos.yaml: about: expected one line"),
        ("pack: typos\nabout: x\nengine: \">=9\"\n", "typos.yaml: engine: found `>=9`"),
        ("pack: typos\nabout: x\nengine: \">=0.1\"\nmore: 1\n", "unknown field `more`"),
        ("pack: typos\nengine: \">=0.1\"\n", "missing field `about`"),
        ("pack: [typos", "line 1 column"),
    ];
    for (text, expected) in rows {
        let message = messages(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn a_bad_rule_is_refused_with_its_id() {
    let rename = "rename: {from: a, to: b}";
    let rows = [
        (format!("id: x-001, {rename}, {EXAMPLES}"), "x-001: found the id `x-001`"),
        (format!("id: typos-1, {rename}, {EXAMPLES}"), "typos-1: found the id `typos-1`"),
        (
            format!("id: typos-001, {rename}, move: {{from: a, to: b}}, {EXAMPLES}"),
            "typos-001: found both or neither of `rename` and `move`",
        ),
        (format!("id: typos-001, {EXAMPLES}"), "typos-001: found both or neither"),
        (format!("id: typos-001, {rename}, valid: [], invalid: []"), "typos-001: found no example"),
        (format!("id: typos-001, {rename}, invalid: []"), "missing field `valid`"),
        (
            format!("id: typos-001, {rename}, valid: [{{before: 1, after: 1}}], invalid: [1]"),
            "typos-001: found a `valid` example that changes nothing",
        ),
        (
            format!("id: typos-001, rename: {{from: a, to: a}}, {EXAMPLES}"),
            "rules/typos.yaml: typos-001: found `a` on both sides",
        ),
    ];
    for (rule, expected) in rows {
        let message = messages(&format!("{HEAD}rules:\n- {{{rule}}}\n"));
        assert!(message.contains(expected), "{rule}: {message}");
    }
}

#[test]
fn a_bad_convention_is_refused_with_its_id() {
    let rows = [
        ("from: [dromedaryCase], to: snake_case", "found the case `dromedaryCase`; expected one of"),
        ("from: [], to: snake_case", "found a convention from no case"),
    ];
    for (says, expected) in rows {
        let text = format!("{HEAD}conventions:\n- {{id: typos-100, {says}, {EXAMPLES}}}\n");
        let message = messages(&text);
        assert!(message.contains("rules/typos.yaml: typos-100: "), "{message}");
        assert!(message.contains(expected), "{says}: {message}");
    }
}

#[test]
fn rules_of_two_files_are_checked_together() {
    let file = |pack: &str, from: &str, to: &str| {
        let text = format!(
            "pack: {pack}\nabout: x\nengine: \">=0.1\"\nrules:\n\
             - {{id: {pack}-001, rename: {{from: {from}, to: {to}}}, {EXAMPLES}}}\n"
        );
        pack_file::parse(&format!("{pack}.yaml"), &text).expect("a good file")
    };
    let packs = [file("typos", "a", "b"), file("legacy", "b", "c")];
    let messages = pack_file::check_together(&packs);
    let expected = "rules/legacy.yaml: legacy-001: found `b` to `c`, but typos-001 in \
                    rules/typos.yaml leads to `b`; expected a source that no rule leads to, \
                    for rules never cascade";
    assert_eq!(messages, [expected]);
}

#[test]
fn examples_stay_out_of_the_static_data() {
    let text = format!("{HEAD}rules:\n- {{id: typos-001, move: {{from: a.b, to: '\"c\"'}}, {EXAMPLES}}}\n");
    let pack = pack_file::parse("typos.yaml", &text).expect("a good file");
    let source = emit::source(&[pack]).expect("a small file");
    assert!(source.contains(r#"a.b\"c\""#), "{source}");
    assert!(!source.contains("before"), "{source}");
}

#[test]
fn what_is_too_long_to_be_packed_is_refused() {
    let name = "n".repeat(128);
    let text = format!("{HEAD}rules:\n- {{id: typos-001, rename: {{from: {name}, to: b}}, {EXAMPLES}}}\n");
    let pack = pack_file::parse("typos.yaml", &text).expect("a good file");
    let problem = emit::source(&[pack]).expect_err("too long");
    assert!(problem.starts_with("rules/typos.yaml: typos-001: found"), "{problem}");
}
