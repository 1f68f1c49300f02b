//! Negatives from pairs: without its counterpart a field is absent, and anything that is taken for it is wrong.

use healer::similarity::Settings;
use serde_json::Value;

use crate::corpus::Api;
use crate::engine::predict;

/// Returns the number of fields tried, and a line for each member that was taken for one.
pub fn healed_without_counterpart(api: &Api, settings: Settings) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for case in &api.cases {
        for pair in &case.pairs {
            let mut body = case.body.clone();
            remove(&mut body, &steps(&pair.found));
            tried += 1;
            for taken in predict(&case.contract, &body, settings).iter().filter(|taken| taken.expected == pair.expected)
            {
                wrong.push(format!(
                    "{}: {} ~ {} ({:.3}) {:?}",
                    api.file, taken.expected, taken.found, taken.score, taken.parts
                ));
            }
        }
    }
    (tried, wrong)
}

/// Returns the names of a path, with `[]` for elements.
fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut is_quoted = false;
    for letter in path.replace("[]", ".[]").chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => steps.push(String::new()),
            _ => steps.last_mut().expect("a step").push(letter),
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

fn remove(value: &mut Value, steps: &[String]) {
    match (value, steps) {
        (Value::Array(items), [each, rest @ ..]) if each == "[]" => {
            for item in items {
                remove(item, rest);
            }
        }
        (Value::Object(members), [name]) => drop(members.shift_remove(name)),
        (Value::Object(members), [name, rest @ ..]) => {
            if let Some(value) = members.get_mut(name) {
                remove(value, rest);
            }
        }
        _ => (),
    }
}
