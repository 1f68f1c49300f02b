//! How much there is in a contract.

use healer::plan::spec::Contract;

use crate::output::plural;

/// What was found instead of members to look for, and what was expected; nothing where there are some.
pub fn emptiness(contract: &Contract) -> Option<(&'static str, &'static str)> {
    if !holds_objects(contract) {
        let expected = "an object or an array of objects: there are no members to look for in anything else";
        return Some(("a schema that describes no object", expected));
    }
    let (members, _) = count(contract);
    (members == 0).then_some(("a schema without members", "properties: nothing else is looked for"))
}

/// Such as `7 members in 2 objects`.
pub fn describe(contract: &Contract) -> String {
    let (members, records) = count(contract);
    format!("{} in {}", plural(members, "member"), plural(records, "object"))
}

/// Whether there is an object in it, be it in arrays.
fn holds_objects(mut contract: &Contract) -> bool {
    while let Contract::Array { items } = contract {
        contract = items;
    }
    matches!(contract, Contract::Object { .. })
}

/// Members, and objects that have some.
fn count(contract: &Contract) -> (usize, usize) {
    let (mut members, mut records) = (0, 0);
    let mut open = vec![contract];
    while let Some(node) = open.pop() {
        match node {
            Contract::Object { properties, .. } => {
                records += usize::from(!properties.is_empty());
                members += properties.len();
                open.extend(properties.iter().map(|property| &property.node));
            }
            Contract::Array { items } => open.push(items),
            Contract::Any => (),
        }
    }
    (members, records)
}
