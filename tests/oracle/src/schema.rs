//! Whether the JSON Schema for editors, `docs/nomos.schema.json`, agrees with the reader about a configuration.
//!
//! It must never refuse what the reader accepts. Mistakes that only the reader can see are listed here and in
//! docs/configuration.md.

use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// Mistakes that only the reader sees. Each has its description in docs/configuration.md, and for each way in which the
/// reader reports it, a part of what was found and a part of what was expected.
pub const UNSEEN: [(&str, &[(&str, &str)]); 10] = [
    ("A name that occurs twice in an object", &[("a second time", "each name once in an object")]),
    ("Two routes of one name", &[("", "a name that no earlier route has"), ("which an earlier route has", "a name")]),
    ("A name of a route over 128 bytes, where it is no more than 128 characters", &[("", "at most 128 bytes")]),
    (
        "Rules that lead back to where they started, two targets for one source, moves across an array boundary",
        &[
            ("a circle: ", ""),
            ("more renames behind moves than can be followed", ""),
            ("a rule from its source to itself", ""),
            ("a second target for ", ""),
            ("crosses an array boundary", ""),
        ],
    ),
    (
        "Rules that the contract rules out",
        &[
            ("", "a target that the contract has"),
            ("", "a target path that the contract has"),
            ("a source that the contract expects too", ""),
        ],
    ),
    (
        "What `$ref` leads to, and mistakes in what is only there by reference",
        &[("which is not in this document", ""), ("", "a reference into this document"), ("made of itself", "")],
    ),
    (
        "Bounds on contracts and plans: depth, number of schemas, number of states",
        &[
            ("a contract of more than", ""),
            ("a schema inside", ""),
            ("", "the engine's bounds"),
            ("", "at most 160 arrays and objects"),
        ],
    ),
    ("White space around the names in `move`", &[("", "no white space around a name")]),
    ("Digits: decimal places, and bounds of numbers in quotes", &[]),
    ("Two spellings of one entry of a list, such as `200` and `\"200\"`", &[("", "each entry once")]),
];

thread_local! {
    static COMPILED: OnceCell<(Schemas, SchemaIndex)> = const { OnceCell::new() };
}

/// Returns the disagreement about a configuration, if any. `refusal` is the reader's error, `None` if it accepts.
pub fn disagreement(configuration: &str, refusal: Option<&str>) -> Option<String> {
    // A schema cannot judge text that is no JSON, or has numbers beyond an `f64`.
    let value: Value = serde_json::from_str(configuration).ok()?;
    match (complaint(&value), refusal) {
        (Some(complaint), None) => Some(format!("the schema refuses what is read: {complaint}\n{configuration}")),
        (None, Some(refusal)) if !is_unseen(refusal) => {
            Some(format!("the schema takes what is refused: {refusal}\n{configuration}"))
        }
        _ => None,
    }
}

fn complaint(value: &Value) -> Option<String> {
    COMPILED.with(|compiled| {
        let (schemas, index) = compiled.get_or_init(compile);
        schemas.validate(value, *index).err().map(|error| error.to_string())
    })
}

fn compile() -> (Schemas, SchemaIndex) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/nomos.schema.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler.add_resource("nomos.schema.json", schema).expect("a resource");
    let index = compiler.compile("nomos.schema.json", &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
    (schemas, index)
}

fn is_unseen(refusal: &str) -> bool {
    let known = UNSEEN.iter().flat_map(|(_, ways)| ways.iter());
    let is_known = |(found, expected): &(&str, &str)| refusal.contains(found) && refusal.contains(expected);
    known.into_iter().any(is_known) || is_by_reference(refusal) || is_of_digits(refusal)
}

/// Definitions are read only if something refers to them, so no schema can say that they are wrong.
fn is_by_reference(refusal: &str) -> bool {
    let place = refusal.split(": found ").next().unwrap_or_default();
    place.contains("$defs") || place.contains("definitions")
}

fn is_of_digits(refusal: &str) -> bool {
    let is_number = ["a whole number", "a number of bytes", "a number from", "a percentage", "a status from"];
    let in_quotes = refusal.contains(": found \"");
    let places = refusal.contains("decimal places") && !refusal.contains(" places (");
    is_number.iter().any(|words| refusal.contains(words)) && (in_quotes || places)
}
