//! The bodies that are timed, generated here so that they are the same everywhere.
//!
//! `flat` is dense on purpose, 18 bytes per key, because time depends on the number of keys: published APIs have 20 to
//! 40 bytes per key. The users of the drifting upstream are sparser. Every subject has several variants, see
//! [`Subject::bodies`].

mod fields;
mod pretty;
mod shapes;
pub mod similar;
mod words;

use drifting_upstream::{Mode, contract, drift, user_body};
use nomos_bench_engine::{Edit, Subject};
use serde_json::{Value, json};

use fields::{DRIFTED, FIELDS, LEAVES};
use words::Words;

/// The number of variants of a small body: enough that a branch predictor does not learn all of them.
const VARIANTS: u64 = 16;
/// The number of variants of a large body, which is too long to be learnt.
const LARGE_VARIANTS: u64 = 2;
/// The number of records in a list of 100 KB.
const RECORDS: u64 = 98;

/// Returns everything that is timed.
pub fn subjects() -> Vec<Subject> {
    let mut subjects = vec![flat(), flat_by_rules(), clean(), flatten(), list()];
    subjects.extend([flat(), clean(), flatten(), list()].map(pretty));
    subjects.extend([user(Mode::V2), user(Mode::Deep)]);
    subjects.extend([shapes::deep(), shapes::long_strings(), shapes::hostile()]);
    subjects
}

/// Returns a flat record of 1 KB with ten drifted names, healed by all packs against its contract.
pub fn flat() -> Subject {
    let route = json!({"packs": ["all"], "contract": record()});
    Subject {
        name: "flat-1k".to_owned(),
        config: config(route),
        bodies: variants(VARIANTS, |words| fields::flat(words, true)),
        ops: ops(DRIFTED.len()),
        edit: Edit { renames: renames(), ..Edit::default() },
    }
}

/// Returns the same record without drift, as in most responses.
pub fn clean() -> Subject {
    let bodies = variants(VARIANTS, |words| fields::flat(words, false));
    Subject { name: "clean-1k".to_owned(), bodies, ops: 0, ..flat() }
}

/// Returns a list of such records.
pub fn list() -> Subject {
    let properties = json!({"items": {"type": "array", "items": record()}, "total": {"type": "integer"}});
    let route = json!({"packs": ["all"], "contract": {"type": "object", "properties": properties}});
    let body = |words: &mut Words| {
        let records: Vec<String> = (0..RECORDS).map(|_| fields::flat(words, true)).collect();
        format!("{{\"items\":[{}],\"total\":{RECORDS}}}", records.join(","))
    };
    Subject {
        name: "list-100k".to_owned(),
        config: config(route),
        bodies: variants(LARGE_VARIANTS, body),
        ops: ops(DRIFTED.len()) * ops(usize::try_from(RECORDS).unwrap_or(0)),
        edit: Edit { list: Some("items".to_owned()), renames: renames(), ..Edit::default() },
    }
}

/// Returns 1 KB in which every value is six levels deep and belongs at the root.
pub fn flatten() -> Subject {
    let paths: Vec<(String, &str)> = LEAVES.iter().map(|(path, leaf)| (format!("{path}.{leaf}"), *leaf)).collect();
    let moves: Value = paths.iter().map(|(path, name)| (path.clone(), json!(name))).collect();
    let properties: Value = LEAVES.iter().map(|(_, leaf)| ((*leaf).to_owned(), json!({}))).collect();
    Subject {
        name: "flatten-1k".to_owned(),
        config: config(json!({"contract": {"type": "object", "properties": properties}, "move": moves})),
        bodies: variants(VARIANTS, |words| fields::nested(words, LEAVES)),
        ops: ops(LEAVES.len()),
        edit: Edit { moves: paths.iter().map(|(path, name)| edit_move(path, name)).collect(), ..Edit::default() },
    }
}

/// Returns the drifted record, healed by the ten renames that it needs, in any object, without packs and contract.
fn flat_by_rules() -> Subject {
    let renames: Value = DRIFTED.iter().map(|(name, drifted)| ((*drifted).to_owned(), json!(name))).collect();
    Subject { name: "flat-1k-rules".to_owned(), config: config(json!({"rename": renames})), ..flat() }
}

/// Returns the user of the drifting upstream in one of its modes.
fn user(mode: Mode) -> Subject {
    let (moves, renames): (Vec<_>, Vec<_>) = drift(mode).iter().partition(|(_, path)| path.contains('.'));
    Subject {
        name: format!("user-{}", mode.name()),
        config: config(json!({"packs": ["all"], "contract": contract::user()})),
        bodies: vec![user_body(mode)],
        ops: ops(mode.drifted_fields()),
        edit: Edit {
            list: None,
            renames: renames.iter().map(|(name, drifted)| (drifted.to_string(), name.to_string())).collect(),
            moves: moves.iter().map(|(name, path)| edit_move(path, name)).collect(),
        },
    }
}

fn pretty(subject: Subject) -> Subject {
    let bodies = subject.bodies.iter().map(|body| pretty::print(body)).collect();
    Subject { name: format!("{}-pretty", subject.name), bodies, ..subject }
}

fn variants(count: u64, body: impl Fn(&mut Words) -> String) -> Vec<String> {
    (1..=count).map(|seed| body(&mut Words::new(seed))).collect()
}

fn record() -> Value {
    let properties: Value = FIELDS.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    json!({"type": "object", "properties": properties})
}

fn renames() -> Vec<(String, String)> {
    DRIFTED.iter().map(|(name, drifted)| ((*drifted).to_owned(), (*name).to_owned())).collect()
}

fn edit_move(path: &str, name: &str) -> (Vec<String>, String) {
    (path.split('.').map(str::to_owned).collect(), name.to_owned())
}

/// Returns `flat` with a route for one path, so that requests must be read.
pub fn flat_by_path(path: &str) -> Subject {
    let config = flat().config.replacen(r#"{"prefix":"/"}"#, &json!({"path": path}).to_string(), 1);
    Subject { name: "flat-1k-by-path".to_owned(), config, ..flat() }
}

fn config(mut route: Value) -> String {
    route["match"] = json!({"prefix": "/"});
    json!({"routes": [route]}).to_string()
}

fn ops(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::Config;
    use nomos_bench_engine::Stand;

    #[test]
    fn engine_and_tree_do_the_same_to_every_body() {
        for subject in subjects().into_iter().chain([similar::known(), similar::plain()]) {
            if let Err(error) = Stand::new(&subject) {
                panic!("{error}");
            }
        }
    }

    #[test]
    fn bodies_have_the_size_that_their_name_says() {
        for subject in subjects() {
            let (bytes, keys) = (subject.bytes(), subject.keys());
            let expected = match subject.name.as_str() {
                name if name.contains("pretty") || name.starts_with("user") => continue,
                "deep-24-levels" => 2_300..=2_700,
                "hostile-8k" => 8_000..=8_700,
                "long-strings-100k" => 95_000..=105_000,
                name if name.contains("100k") => 98_000..=103_000,
                _ => 990..=1_060,
            };
            assert!(expected.contains(&bytes), "{}: {bytes} bytes", subject.name);
            if ["deep", "hostile", "long"].iter().any(|shape| subject.name.starts_with(shape)) {
                continue;
            }
            let records = if subject.name.contains("100k") { 98 } else { 1 };
            assert!((56..=58).contains(&(keys / records)), "{}: {keys} keys", subject.name);
        }
    }

    #[test]
    fn by_path_requests_are_read() {
        let route_of_all = |subject: Subject| Config::parse(subject.config.as_bytes()).unwrap().route_of_all();
        assert_eq!([route_of_all(flat()), route_of_all(flat_by_path("/u"))], [Some(0), None]);
    }
}
