//! The members that a contract requires.

use super::automaton::{Move, MoveKind};
use super::case;
use super::contract::Nodes;
use super::spec::PlanSpec;

/// The required members of a contract.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements {
    /// The paths of all required members, in the order of their numbers.
    pub paths: Vec<String>,
    /// Whether a move may make an object that lacks a required member, or take away a required member. If so, what the
    /// walk saw of a body does not tell what is missing afterwards.
    pub moves_may_unmake: bool,
}

impl Requirements {
    pub(super) fn of(spec: &PlanSpec, nodes: &Nodes<'_>, moves: &[Move]) -> Self {
        let paths = nodes.required_paths();
        let moves_may_unmake = !paths.is_empty() && may_unmake(spec, nodes, moves);
        Requirements { paths, moves_may_unmake }
    }
}

fn may_unmake(spec: &PlanSpec, nodes: &Nodes<'_>, moves: &[Move]) -> bool {
    let known = known_names(spec, nodes);
    let source = |mv: &Move| spec.moves.get(mv.rule as usize).map_or(&[][..], |rule| rule.from.segments());
    // A rule moves the same in all records that it starts in, and there may be thousands of these.
    let moves: Vec<&Move> = moves.chunk_by(|a, b| a.rule == b.rule).filter_map(<[Move]>::first).collect();
    moves.iter().any(|mv| {
        let from = source(mv);
        let is_around = |other: &&Move| source(other).len() < from.len() && from.starts_with(source(other));
        mv.kind != MoveKind::Plain
            || mv.path.len() > 1
            || from.first().is_some_and(|name| known.contains(&canonical(name)))
            || moves.iter().any(is_around)
    })
}

/// Returns the canonical forms of all names that are expected somewhere, or renamed to such a name. Not as a set, which
/// would add another sort to the module: a contract is read once.
fn known_names(spec: &PlanSpec, nodes: &Nodes<'_>) -> Vec<Vec<u8>> {
    let mut known: Vec<Vec<u8>> = spec.renames.iter().map(|rule| canonical(&rule.from)).collect();
    for node in 0..nodes.len() {
        known.extend(nodes.members(node).iter().map(|(name, _)| canonical(name)));
    }
    known
}

/// Returns the canonical form of a name, or the name itself if it has none.
fn canonical(name: &str) -> Vec<u8> {
    let mut form = Vec::new();
    if !case::canonical(name.as_bytes(), &mut form) {
        form.extend_from_slice(name.as_bytes());
    }
    form
}
