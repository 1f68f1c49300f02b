//! The members of a contract.

use healer::plan::spec::Contract;

use crate::output::plural;

/// Returns what was found and expected if the contract has no members to look for.
pub fn emptiness(contract: &Contract) -> Option<(&'static str, &'static str)> {
    if !holds_objects(contract) {
        let expected = "an object or an array of objects: there are no members to look for in anything else";
        return Some(("a schema that describes no object", expected));
    }
    let (members, _) = count(contract);
    (members == 0).then_some(("a schema without members", "properties: nothing else is looked for"))
}

/// Describes a contract, such as `7 members in 2 objects`.
pub fn describe(contract: &Contract) -> String {
    let (members, records) = count(contract);
    format!("{} in {}", plural(members, "member"), plural(records, "object"))
}

/// Returns whether a contract is an object, or an array of objects.
fn holds_objects(mut contract: &Contract) -> bool {
    while let Contract::Array { items } = contract {
        contract = items;
    }
    matches!(contract, Contract::Object { .. })
}

/// Returns the number of members, and of objects that have members.
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
