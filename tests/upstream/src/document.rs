//! Writes users as compact JSON, each field at the mode's place.

use crate::{
    drift::drift,
    mode::Mode,
    user::{self, Fields},
};
use std::fmt::Write;

/// Returns the body of `/api/user`.
pub fn user_body(mode: Mode) -> String {
    let mut out = String::with_capacity(1024);
    write_user(&mut out, mode, 0);
    out
}

/// Returns the body of `/api/users`: each user drifts, but not the list around them.
pub fn users_body(mode: Mode, count: usize) -> String {
    let mut out = String::with_capacity(64 + 1024 * count);
    out.push_str("{\"users\":[");
    for number in 0..count {
        if number > 0 {
            out.push(',');
        }
        write_user(&mut out, mode, number);
    }
    // Writing to a string cannot fail.
    let _ = write!(out, "],\"total\":{count},\"page\":1}}");
    out
}

/// An object with its members in insertion order.
#[derive(Default)]
struct Object<'a>(Vec<(&'a str, Node<'a>)>);

enum Node<'a> {
    Value(&'a str),
    Object(Object<'a>),
}

fn write_user(out: &mut String, mode: Mode, number: usize) {
    let fields = user::fields(number);
    drifted(&fields, mode).write(out);
}

fn drifted(fields: &Fields, mode: Mode) -> Object<'_> {
    let mut root = Object::default();
    for (name, value) in fields {
        let path = drift(mode).iter().find(|(field, _)| field == name).map_or(*name, |(_, path)| path);
        root.put(path, value);
    }
    root
}

impl<'a> Object<'a> {
    fn put(&mut self, path: &'a str, value: &'a str) {
        match path.split_once('.') {
            None => self.0.push((path, Node::Value(value))),
            Some((head, rest)) => self.child(head).put(rest, value),
        }
    }

    fn child(&mut self, name: &'a str) -> &mut Object<'a> {
        let at = self.0.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            self.0.push((name, Node::Object(Object::default())));
            self.0.len() - 1
        });
        match &mut self.0[at].1 {
            Node::Object(object) => object,
            Node::Value(_) => panic!("`{name}` is both a field and a container"),
        }
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (name, node)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            // Names in the drift tables need no escape.
            out.push('"');
            out.push_str(name);
            out.push_str("\":");
            match node {
                Node::Value(value) => out.push_str(value),
                Node::Object(object) => object.write(out),
            }
        }
        out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeMap;

    /// Returns every value that is not a container, by its path.
    fn leaves(body: &str) -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        let mut open = vec![(String::new(), serde_json::from_str(body).expect("JSON"))];
        while let Some((path, value)) = open.pop() {
            let Value::Object(members) = value else {
                found.insert(path, value);
                continue;
            };
            let prefix = if path.is_empty() { path } else { format!("{path}.") };
            open.extend(members.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)));
        }
        found
    }

    fn depth(path: &str) -> usize {
        path.split('.').count()
    }

    #[test]
    fn the_healthy_user_is_flat_and_has_21_fields_8_of_them_of_several_words() {
        let fields = leaves(&user_body(Mode::Healthy));
        assert_eq!(fields.len(), 21);
        assert!(fields.keys().all(|path| depth(path) == 1));
        assert_eq!(fields.keys().filter(|name| name.contains('_')).count(), 8);
    }

    #[test]
    fn each_mode_drifts_as_many_fields_as_it_says_and_keeps_every_value() {
        let healthy = leaves(&user_body(Mode::Healthy));
        for mode in Mode::ALL {
            let drifted = leaves(&user_body(mode));
            let missing = healthy.keys().filter(|path| !drifted.contains_key(*path)).count();
            let unknown = drifted.keys().filter(|path| !healthy.contains_key(*path)).count();
            assert_eq!((missing, unknown), (mode.drifted_fields(), mode.drifted_fields()), "{mode:?}");
            let sorted = |leaves: &BTreeMap<String, Value>| {
                let mut values: Vec<String> = leaves.values().map(Value::to_string).collect();
                values.sort();
                values
            };
            assert_eq!(sorted(&drifted), sorted(&healthy), "{mode:?}");
        }
    }

    #[test]
    fn each_drift_names_a_field_once_and_leads_to_its_value() {
        let healthy = leaves(&user_body(Mode::Healthy));
        for mode in Mode::ALL {
            let drifted = leaves(&user_body(mode));
            for (field, path) in drift(mode) {
                assert_eq!(drifted.get(*path), healthy.get(*field), "{mode:?}: {field}");
                let rows = drift(mode).iter().filter(|(other, _)| other == field).count();
                assert_eq!(rows, 1, "{mode:?}: {field}");
            }
        }
    }

    #[test]
    fn camel_drifts_exactly_the_fields_of_several_words() {
        for (field, _) in drift(Mode::Camel) {
            assert!(field.contains('_'), "{field}");
        }
    }

    #[test]
    fn deep_is_seven_levels_deep_and_nested_two() {
        let deepest = |mode| leaves(&user_body(mode)).keys().map(|path| depth(path)).max();
        assert_eq!(deepest(Mode::Deep), Some(7));
        assert_eq!(deepest(Mode::Nested), Some(2));
    }

    #[test]
    fn bodies_have_the_size_of_a_usual_response() {
        for mode in Mode::ALL {
            let size = user_body(mode).len();
            assert!((600..=1100).contains(&size), "{mode:?}: {size} bytes");
        }
    }

    #[test]
    fn a_list_holds_as_many_different_users_as_asked_for() {
        for count in [0, 1, 20, 500] {
            let body: Value = serde_json::from_str(&users_body(Mode::Deep, count)).expect("JSON");
            let users = body["users"].as_array().expect("a list");
            let ids: std::collections::BTreeSet<String> =
                users.iter().map(|user| user["response"]["data"]["user"]["id"].to_string()).collect();
            assert_eq!((ids.len(), &body["total"]), (count, &Value::from(count)));
        }
    }

    #[test]
    fn the_first_user_of_a_list_is_the_single_user() {
        for mode in Mode::ALL {
            let list = users_body(mode, 1);
            assert_eq!(list, format!("{{\"users\":[{}],\"total\":1,\"page\":1}}", user_body(mode)));
        }
    }
}
