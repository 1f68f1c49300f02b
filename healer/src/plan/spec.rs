//! A plan as data: what was declared, before it is compiled. It can be printed and compared.

pub use super::value::{Expects, Format, Kind, Kinds};
use crate::hash::name_hash;
pub use crate::similarity::Settings;
pub use nomos_rules::Case;
use nomos_rules::RuleId;
use nomos_rules::path::Path;

/// Contract, rules and conventions of one route.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanSpec {
    /// What clients expect. Without a contract, renames apply in every object and moves start at the root.
    pub contract: Option<Contract>,
    /// Renames: another name in the same object.
    pub renames: Vec<RenameRule>,
    /// Moves: another path in the same record.
    pub moves: Vec<MoveRule>,
    /// Whole case conventions.
    pub conventions: Vec<ConventionRule>,
    /// How drift is found that no rule declares; only with a contract.
    pub similarity: Option<Settings>,
    /// What becomes of members that nothing accounts for.
    pub unmapped: Unmapped,
}

impl PlanSpec {
    /// Returns a hash of the names in rules and contract: equal specs have the same, and others hardly ever. To compare
    /// specs takes much longer, and each of many routes is compared with all others.
    pub(crate) fn mark(&self) -> u64 {
        let renames = self.renames.iter().flat_map(|rule| [&rule.from, &rule.to]);
        let moves = self.moves.iter().flat_map(|rule| rule.from.segments().iter().chain(rule.to.segments()));
        let rules = renames.chain(moves).fold(0, |mark, name| mark_with(mark, name));
        self.contract.as_ref().map_or(rules, |contract| contract.mark(rules))
    }
}

impl Contract {
    /// Returns the number of all members of all objects, of which a plan has some thousands at most.
    pub(crate) fn fields(&self) -> u32 {
        match self {
            Contract::Object { properties, .. } => {
                properties.iter().fold(0, |sum, property| sum.wrapping_add(property.node.fields()).wrapping_add(1))
            }
            Contract::Array { items } => items.fields(),
            Contract::Any => 0,
        }
    }

    fn mark(&self, before: u64) -> u64 {
        match self {
            Contract::Object { properties, .. } => {
                properties.iter().fold(before, |mark, property| property.node.mark(mark_with(mark, &property.name)))
            }
            Contract::Array { items } => items.mark(before),
            Contract::Any => before,
        }
    }
}

#[inline(never)]
fn mark_with(mark: u64, name: &str) -> u64 {
    mark.rotate_left(5) ^ name_hash(name.as_bytes())
}

/// Declares that `from` is another name for `to`.
#[derive(Clone, Debug, PartialEq)]
pub struct RenameRule {
    /// The drifted name.
    pub from: String,
    /// The expected name.
    pub to: String,
    /// The lower rank wins if two rules claim the same target. The route's own rules have rank 0.
    pub rank: u16,
    /// Who declared it.
    pub source: RuleSource,
}

/// Declares that the value at `from` belongs at `to`.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveRule {
    /// Where the value stands in a drifted body. Its scope equals that of `to`.
    pub from: Path,
    /// Where clients expect it.
    pub to: Path,
    /// As in [`RenameRule::rank`].
    pub rank: u16,
    /// Who declared it.
    pub source: RuleSource,
}

/// Declares that names in one of the cases `from` are other spellings of names in the case `to`.
///
/// With a contract the direction follows from the contract's own names, and `to` is not consulted.
#[derive(Clone, Debug, PartialEq)]
pub struct ConventionRule {
    /// Cases that drifted names have.
    pub from: Vec<Case>,
    /// The case that clients expect.
    pub to: Case,
    /// As in [`RenameRule::rank`].
    pub rank: u16,
    /// Who declared it.
    pub source: RuleSource,
}

/// Who declared a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// The route's own `rename` or `move`.
    Route,
    /// A rule of an embedded pack.
    Pack(RuleId),
}

/// What a client expects of a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Contract {
    /// An object with these members. With none, any object.
    Object {
        /// In declared order.
        properties: Vec<Property>,
        /// Whether other members may stand beside these; if so, drops leave them.
        open: bool,
    },
    /// An array of elements like this.
    Array {
        /// What each element is.
        items: Box<Contract>,
    },
    /// Any value.
    #[default]
    Any,
}

/// An expected member.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The structure of its value.
    pub node: Contract,
    /// What else is known of its value.
    pub expects: Expects,
    /// Whether clients rely on its presence.
    pub required: bool,
}

/// What becomes of members that are neither expected nor renamed nor moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unmapped {
    /// They stay.
    #[default]
    Keep,
    /// They are dropped. Without a contract, this applies to what is left in the containers that moves took something
    /// from.
    Drop,
}
