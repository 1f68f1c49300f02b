//! Contracts and bodies made to cost much when similarity sees them first: what it does with each name must not grow with
//! what it does with each of the others.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

/// A body beside a contract.
pub struct Hostile {
    /// What there is much of.
    pub name: &'static str,
    /// The contract, as JSON Schema.
    pub contract: Value,
    /// The setting `max_held_bytes`.
    pub held: usize,
    /// The body.
    pub body: String,
    /// Whether something of it is healed.
    pub heals: bool,
}

/// The default of `max_held_bytes`.
const HELD: usize = 1 << 20;

/// Returns all of them. Each is small enough for its fuel to be counted in a second if its cost is near linear.
pub fn all() -> [Hostile; 9] {
    [
        many_objects(),
        many_shapes(),
        deep_beside_many(),
        many_forms(),
        shared_members(),
        many_elements(),
        nested_stream(),
        shapes_again(),
        one_name_of_many(),
    ]
}

/// Objects that all have other names than the contract's, with the same members in them.
fn many_objects() -> Hostile {
    const OBJECTS: usize = 200;
    let inside = |object: usize| (1..4).map(move |at| format!("{}_{}", word(8 * object), word(8 * object + at)));
    let (mut properties, mut body) = (Map::new(), Map::new());
    for object in 0..OBJECTS {
        properties.insert(word(8 * object + 4), record(inside(object)));
        let values: Map<_, _> = inside(object).map(|name| (name, json!(1))).collect();
        body.insert(word(8 * object + 5), Value::Object(values));
    }
    let body = Value::Object(body).to_string();
    Hostile { name: "many-objects", contract: object(properties), held: HELD, body, heals: false }
}

/// A list in which each element is of another shape, beside a contract of many objects. In each, one member of one of
/// these stands in an object that nobody expects.
fn many_shapes() -> Hostile {
    const OBJECTS: usize = 100;
    let inside = |object: usize, member: usize| format!("{}_{}", word(4 * object), word(4 * object + member));
    let missing = (0..OBJECTS).map(|at| (word(4 * at), record((1..4).map(move |member| inside(at, member)))));
    let element = |at: usize| format!(r#"{{"x{at}":{{"{}":1}}}}"#, inside(at % OBJECTS, 1));
    let elements: Vec<String> = (0..500).map(element).collect();
    let contract = json!({"type": "array", "items": object(missing)});
    let body = format!("[{}]", elements.join(","));
    Hostile { name: "many-shapes", contract, held: HELD, body, heals: false }
}

/// Many empty objects beside one in which as many members are far inside.
fn deep_beside_many() -> Hostile {
    const DEPTH: usize = 240;
    let mut body = String::from("{");
    for at in 0..400 {
        let _ = write!(body, r#""o{at}":{{}},"#);
    }
    body.push_str(r#""d":"#);
    body.push_str(&r#"{"c":"#.repeat(DEPTH));
    let leaves: Vec<String> = (0..400).map(|at| format!(r#""l{at}":1"#)).collect();
    let _ = write!(body, "{{{}}}{}}}", leaves.join(","), "}".repeat(DEPTH));
    let contract = record(["first_member", "other_member", "third_member"].map(str::to_owned));
    Hostile { name: "deep-beside-many", contract, held: HELD, body, heals: false }
}

/// Names that differ in separators and case only, and say that they are another form of a value.
fn many_forms() -> Hostile {
    let name = |at: usize| format!("formatted{}name", "_".repeat(at + 1));
    let members: Vec<String> = (0..48).map(|at| format!(r#""{}":"x""#, name(at).to_ascii_uppercase())).collect();
    let contract = object((0..48).map(|at| (name(at), json!({"type": "string"}))));
    let body = format!("{{{}}}", members.join(","));
    Hostile { name: "many-forms", contract, held: HELD, body, heals: false }
}

/// Missing objects that all expect the same few members, which stand beside them.
fn shared_members() -> Hostile {
    const OBJECTS: usize = 200;
    let inside = |at: usize| (0..3 + at * 4 / OBJECTS).map(|member| format!("member{member}"));
    let contract = object((0..OBJECTS).map(|at| (format!("o{at}"), record(inside(at)))));
    let beside: Map<_, _> = (0..500).map(|at| (format!("pad{at}"), json!({}))).collect();
    let mut body = Map::from_iter([("dd".to_owned(), Value::Object(beside))]);
    body.extend((0..7).map(|member| (format!("member{member}"), json!({}))));
    let body = Value::Object(body).to_string();
    Hostile { name: "shared-members", contract, held: HELD, body, heals: false }
}

/// Records that all lack an expected list, and have lists of other names with many members in them.
fn many_elements() -> Hostile {
    let lists = |at: usize| (0..10).map(move |list| (at * 10 + list, word(at * 10 + list)));
    let inside = |list: usize| (0..20).map(|member| format!(r#""{}":1"#, word(list * 20 + member))).collect::<Vec<_>>();
    let list = |(number, name): (usize, String)| format!(r#""{name}":[{{{}}}]"#, inside(number).join(","));
    let records: Vec<String> = (0..150).map(|at| lists(at).map(list).collect::<Vec<_>>().join(",")).collect();
    let entry = record(["quantity", "unit_price", "article"].map(str::to_owned));
    let contract = object([("entries".to_owned(), json!({"type": "array", "items": entry}))]);
    let body = format!("[{{{}}}]", records.join("},{"));
    Hostile {
        name: "many-elements",
        contract: json!({"type": "array", "items": contract}),
        held: HELD,
        body,
        heals: false,
    }
}

/// Objects inside each other, around more than is held.
fn nested_stream() -> Hostile {
    const DEPTH: usize = 240;
    let held = 64 << 10;
    let body = format!("{}[{}0]{}", r#"{"a":"#.repeat(DEPTH), "0,".repeat(held), "}".repeat(DEPTH));
    let contract = record(["first_member"].map(str::to_owned));
    Hostile { name: "nested-stream", contract, held, body, heals: false }
}

/// A stream of more shapes than are remembered, each of them several times.
fn shapes_again() -> Hostile {
    const SHAPES: usize = 2000;
    let fields = (0..60).map(|at| format!("{}_{}", word(2 * at), word(2 * at + 1)));
    let element = |at: usize| format!(r#"{{"{}-{}":1,"n{at}":1}}"#, word(2 * (at % 60)), word(2 * (at % 60) + 1));
    let elements: Vec<String> = (0..3 * SHAPES).map(|at| element(at % SHAPES)).collect();
    let contract = json!({"type": "array", "items": record(fields)});
    Hostile { name: "shapes-again", contract, held: 16 << 10, body: format!("[{}]", elements.join(",")), heals: true }
}

/// Records of many shapes with a name that stands in many expected objects.
fn one_name_of_many() -> Hostile {
    let inside = || record((0..9).map(|at| format!("{}_{}", word(at), word(at + 20))));
    let objects = object((0..30).map(|at| (word(40 + at), inside())));
    let element = |at: usize| format!(r#"{{"{}_{}":1,"n{at}":1}}"#, word(1), word(21));
    let elements: Vec<String> = (0..1000).map(element).collect();
    let contract = json!({"type": "array", "items": objects});
    Hostile { name: "one-name-of-many", contract, held: HELD, body: format!("[{}]", elements.join(",")), heals: false }
}

/// Returns the schema of an object whose members may be anything.
fn record(names: impl IntoIterator<Item = String>) -> Value {
    object(names.into_iter().map(|name| (name, json!({}))))
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    json!({"type": "object", "properties": Map::from_iter(members)})
}

/// Returns a word that is like no other one.
fn word(number: usize) -> String {
    let syllables = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "hu", "ja"];
    let syllable = |at: u32| syllables[number / 16_usize.pow(at) % 16];
    (0..3).map(syllable).collect()
}
