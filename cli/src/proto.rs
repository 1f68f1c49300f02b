//! Fields of Envoy's messages. Protobuf reads each from JSON under two names: `vm_config` and `vmConfig`.

use std::iter;

use healer::config::node::{Member, Node, Value};

/// Returns the value of a field. The field is called as Envoy's documentation calls it, in `snake_case`.
pub fn get<'a>(message: &'a Node, field: &str) -> Option<&'a Node> {
    member(message, field).map(|member| &member.node)
}

/// Returns the value of a field, if it is a text.
pub fn text<'a>(message: &'a Node, field: &str) -> Option<&'a str> {
    get(message, field).and_then(Node::as_str)
}

/// Returns what is at the end of a path of fields.
pub fn at<'a>(message: &'a Node, path: &[&str]) -> Option<&'a Node> {
    path.iter().try_fold(message, |message, field| get(message, field))
}

/// Returns a field with its name; of several, the last one, as [`Node::get`] does.
pub fn member<'a>(message: &'a Node, field: &str) -> Option<&'a Member> {
    let Value::Object(members) = &message.value else { return None };
    members.iter().rev().find(|member| member.name == field || member.name.chars().eq(camel_case(field)))
}

/// Returns the letters of a name in `lowerCamelCase`. Every node of a file is asked for fields, so this allocates
/// nothing.
fn camel_case(field: &str) -> impl Iterator<Item = char> + '_ {
    let before = iter::once(' ').chain(field.chars());
    let letters = before.zip(field.chars()).filter(|(_, letter)| *letter != '_');
    letters.map(|(before, letter)| if before == '_' { letter.to_ascii_uppercase() } else { letter })
}

#[cfg(test)]
mod tests {
    use super::*;
    use healer::config::json;

    #[test]
    fn fields_have_two_names() {
        let rows = [
            (r#"{"vm_config":1}"#, Some("1")),
            (r#"{"vmConfig":1}"#, Some("1")),
            (r#"{"vm_config":1,"vmConfig":2}"#, Some("2")),
            (r#"{"vmconfig":1,"VmConfig":2,"vmConfig_":3,"vm":4}"#, None),
            (r#"["vm_config"]"#, None),
        ];
        for (text, expected) in rows {
            let message = json::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            let found = get(&message, "vm_config").map(Node::describe);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn names_of_one_word_and_of_several_are_told() {
        let rows = [("@type", "@type"), ("config", "config"), ("sha256", "sha256"), ("a_b_cd", "aBCd")];
        for (field, expected) in rows {
            assert_eq!(camel_case(field).collect::<String>(), expected);
        }
    }
}
