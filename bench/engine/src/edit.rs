use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a program without Nomos would do by hand: the change that one kind of body needs, and nothing else.
///
/// It looks for exactly the names that drifted, knows no contract and no packs, and does not check what it does not
/// touch. So it does less than the engine, which is in its favour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The member of the root that holds the records; without one the root is the record.
    pub list: Option<String>,
    /// Names in the record: from, to.
    pub renames: Vec<(String, String)>,
    /// Paths in the record, and the names in it that their values get.
    pub moves: Vec<(Vec<String>, String)>,
}

impl Edit {
    /// Changes a body, and says whether there was anything to change.
    pub fn apply(&self, body: &mut Value) -> bool {
        let Some(list) = &self.list else { return body.as_object_mut().is_some_and(|record| self.record(record)) };
        let records = body.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        let mut changed = false;
        for record in records.filter_map(Value::as_object_mut) {
            changed |= self.record(record);
        }
        changed
    }

    fn record(&self, record: &mut Map<String, Value>) -> bool {
        let mut changed = false;
        for (from, to) in &self.renames {
            if !record.contains_key(to)
                && let Some(value) = record.remove(from)
            {
                record.insert(to.clone(), value);
                changed = true;
            }
        }
        for (from, to) in &self.moves {
            if !record.contains_key(to)
                && let Some(value) = take(record, from)
            {
                record.insert(to.clone(), value);
                changed = true;
            }
        }
        if changed && !self.moves.is_empty() {
            record.retain(|_, value| !is_hollow(value));
        }
        changed
    }
}

fn take(record: &mut Map<String, Value>, path: &[String]) -> Option<Value> {
    let (last, containers) = path.split_last()?;
    containers.iter().try_fold(record, |object, name| object.get_mut(name)?.as_object_mut())?.remove(last)
}

/// Whether nothing but empty objects is left in an object.
fn is_hollow(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.values().all(is_hollow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn edits_are_what_one_would_write_by_hand() {
        let renames = vec![("mail".to_owned(), "email".to_owned())];
        let moves = vec![(vec!["a".to_owned(), "b".to_owned()], "c".to_owned())];
        let edit = Edit { list: None, renames, moves };
        let rows = [
            (json!({"mail": 1, "x": {}}), json!({"email": 1}), true),
            (json!({"mail": 1, "email": 2}), json!({"mail": 1, "email": 2}), false),
            (json!({"a": {"b": 1}}), json!({"c": 1}), true),
            (json!({"a": {"b": 1, "d": 2}}), json!({"a": {"d": 2}, "c": 1}), true),
            (json!([1]), json!([1]), false),
        ];
        for (before, after, changed) in rows {
            let mut body = before.clone();
            assert_eq!(edit.apply(&mut body), changed, "{before}");
            assert_eq!(body, after, "{before}");
        }
        let list = Edit { list: Some("all".to_owned()), ..edit };
        let mut body = json!({"all": [{"mail": 1}, {"z": 1}], "mail": 1});
        assert!(list.apply(&mut body));
        assert_eq!(body, json!({"all": [{"email": 1}, {"z": 1}], "mail": 1}));
    }
}
