//! Contract and rules, compiled for one route.

mod anchors;
pub(crate) mod automaton;
pub(crate) mod case;
mod compile;
mod contract;
pub(crate) mod extent;
pub(crate) mod guard;
mod names;
pub(crate) mod outermost;
pub(crate) mod overlay;
pub(crate) mod record;
mod requirements;
pub(crate) mod resolution;
pub mod spec;
pub(crate) mod table;
pub mod value;

use std::fmt;

pub(crate) use automaton::Automaton;
use nomos_rules::path::Step;
use outermost::Outermost;
use record::Record;
use requirements::Requirements;
use spec::PlanSpec;

/// What was declared for a route, and the automaton that finds it in a body. Immutable, and shared by all streams.
#[derive(Clone, Debug)]
pub struct Plan {
    spec: PlanSpec,
    /// See [`PlanSpec::mark`].
    mark: u64,
    automaton: Automaton,
    records: Vec<Record>,
    required: Requirements,
    outermost: Option<Outermost>,
}

/// Why a plan cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// All records together need more states, names or moves than this limit. The text says of what.
    TooMany(usize, &'static str),
    /// The two ends of a move are in different records.
    CrossesArray {
        /// The path that the move starts from.
        from: String,
        /// The path that the move leads to.
        to: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::TooMany(limit, what) => write!(f, "rules and contract that need more than {limit} {what}"),
            PlanError::CrossesArray { from, to } => write!(f, "a move across an array boundary, {from} to {to}"),
        }
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Compiles a plan.
    ///
    /// Costs time in proportion to the number of names in rules and contract, times the number of records that rules
    /// start in.
    pub fn compile(spec: &PlanSpec) -> Result<Plan, PlanError> {
        let (automaton, records, required) = compile::compile(spec)?;
        let outermost = Outermost::of(spec, &automaton);
        Ok(Plan { spec: spec.clone(), mark: spec.mark(), automaton, records, required, outermost })
    }

    /// Returns the paths of all members that the contract requires: `users[].address.city`.
    pub fn required(&self) -> &[String] {
        &self.required.paths
    }

    /// Whether bodies that moves changed must be searched for missing required members.
    pub(crate) fn moves_may_unmake(&self) -> bool {
        self.required.moves_may_unmake
    }

    /// Returns the [mark](PlanSpec::mark) of the spec that the plan was compiled from.
    pub(crate) fn mark(&self) -> u64 {
        self.mark
    }

    /// Whether the plan was compiled from this spec, which has this [mark](PlanSpec::mark).
    pub(crate) fn is_of(&self, spec: &PlanSpec, mark: u64) -> bool {
        self.mark == mark && self.spec == *spec
    }

    /// Returns what the plan was compiled from.
    pub fn spec(&self) -> &PlanSpec {
        &self.spec
    }

    pub(crate) fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// Returns where the only list that is expected stands, if similarity is to look for it elsewhere.
    pub(crate) fn outermost(&self) -> Option<&Outermost> {
        self.outermost.as_ref()
    }

    /// Returns how deep records are nested at most.
    pub(crate) fn nesting(&self) -> usize {
        let arrays = |record: &Record| record.path.iter().filter(|step| **step == Step::Each).count();
        self.records.iter().map(arrays).max().unwrap_or(0).saturating_add(1)
    }

    /// Returns the records that similarity works on; none if it is off.
    pub(crate) fn records(&self) -> &[Record] {
        &self.records
    }
}
