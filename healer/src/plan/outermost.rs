//! Where a contract expects its outermost list, if that is all that it expects.

use super::automaton::{Automaton, Id};
use super::spec::{Contract, Kind, PlanSpec, Property};
use crate::similarity::Profile;
use crate::similarity::rooted::Says;
use crate::text::quote;

/// Most objects around an expected or found list. Some interfaces have two, as in `data.posts.nodes`.
pub(crate) const MAX_AROUND: usize = 3;

/// The place of the outermost list.
#[derive(Clone, Debug)]
pub(crate) enum Outermost {
    /// The body is the list.
    Root,
    /// The list stands in objects that hold nothing else that is a list or an object.
    Enclosed(Enclosed),
}

/// A list in objects.
#[derive(Clone, Debug)]
pub(crate) struct Enclosed {
    /// The names around the list, the last one being its own.
    pub names: Vec<String>,
    /// The state of the list.
    pub state: Id,
    /// What stands before the list if nothing else is in the objects: `{"data":`.
    pub before: Vec<u8>,
    /// Whether the names say nothing of what is in the list.
    pub says_nothing: bool,
}

impl Outermost {
    /// Returns the place of the list of objects that a contract expects; nothing if it expects more, or if similarity
    /// is not to look for lists.
    pub(super) fn of(spec: &PlanSpec, automaton: &Automaton) -> Option<Outermost> {
        spec.similarity.filter(|settings| settings.profile == Profile::Default && !settings.without().lists)?;
        match spec.contract.as_ref()? {
            contract @ Contract::Array { .. } => is_list(contract).then_some(Outermost::Root),
            contract => enclosed(contract, automaton).map(Outermost::Enclosed),
        }
    }
}

fn enclosed(mut contract: &Contract, automaton: &Automaton) -> Option<Enclosed> {
    let mut found = Enclosed { names: Vec::new(), state: automaton.root, before: Vec::new(), says_nothing: true };
    while let Contract::Object { properties, .. } = contract {
        let property = only_container(properties)?;
        let action = automaton.action(automaton.state(found.state), property.name.as_bytes())?;
        found.state = action.next;
        found.says_nothing &= match Says::of(&property.name) {
            Says::Other => return None,
            says => says == Says::Nothing,
        };
        found.names.push(property.name.clone());
        found.before.push(b'{');
        quote(&property.name, &mut found.before);
        found.before.push(b':');
        contract = &property.node;
        if found.names.len() > MAX_AROUND {
            return None;
        }
    }
    is_list(contract).then_some(found)
}

/// Returns the only member that may be an object or an array, if no other one must be there.
fn only_container(properties: &[Property]) -> Option<&Property> {
    let is_scalar = |property: &&Property| {
        let kinds = property.expects.kinds;
        matches!(property.node, Contract::Any) && !kinds.has(Kind::Object) && !kinds.has(Kind::Array)
    };
    let mut others = properties.iter().filter(|property| !is_scalar(property));
    let only = others.next().filter(|_| others.next().is_none())?;
    properties.iter().filter(is_scalar).all(|property| !property.required).then_some(only)
}

fn is_list(contract: &Contract) -> bool {
    let Contract::Array { items } = contract else { return false };
    matches!(&**items, Contract::Object { properties, .. } if !properties.is_empty())
}
