//! Which moves start from which records, and the tries of their paths.

use super::PlanError;
use super::automaton::{Id, Move, MoveKind, NONE, RuleRef, TargetName};
use super::contract::Nodes;
use super::guard::Guard;
use super::names::Names;
use super::spec::{MoveRule, PlanSpec};
use nomos_rules::path::Step;

/// Most moves of one plan, each counted in every record that it starts in. Far above what contracts and packs need, and
/// 30 MB of memory (x86-64) while the plan is compiled.
const MAX_MOVES: usize = 65_536;

/// Where the scopes of a group's moves start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Base {
    /// The body, or each element of a root array.
    Root,
    /// The records that this node of the contract describes.
    Record(Id),
}

/// Moves with one base and one scope: they start in the same objects.
#[derive(Debug)]
pub(super) struct Group {
    pub base: Base,
    pub scope: Vec<Step>,
    /// Node 0 is the object that the moves start in.
    pub sources: Vec<TrieNode>,
    pub targets: Vec<TrieNode>,
}

#[derive(Debug, Default)]
pub(super) struct TrieNode {
    pub children: Names,
    /// Moves whose source ends here, and the contract's node for each target.
    pub moves: Vec<(Id, Id)>,
    /// The step that this node of a target trie is.
    pub step: Id,
    /// Number of names from the record down to here.
    pub depth: u32,
}

/// All groups of a plan, with their moves and the steps of their target paths.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    pub groups: Vec<Group>,
    pub moves: Vec<Move>,
    pub steps: Vec<TargetName>,
    pub names: Vec<String>,
    /// The step of each target path, by parent step and name. Groups share steps, because moves of two groups can start
    /// in one object, where their targets must not collide.
    known: Names,
}

impl Anchors {
    /// Builds the groups. `records`: the nodes of the contract that describe records; none without a contract.
    pub(super) fn of(spec: &PlanSpec, contract: Option<&Nodes<'_>>, records: &[Id]) -> Result<Self, PlanError> {
        let mut anchors = Anchors::default();
        for (index, rule) in spec.moves.iter().enumerate() {
            if rule.from.segments() == rule.to.segments() {
                continue;
            }
            match contract {
                None => anchors.add(Base::Root, index, rule, (NONE, Guard::None)),
                Some(nodes) if rule.to.scope().first() == Some(&Step::Each) => {
                    anchors.add_if_expected(Base::Root, 0, index, rule, nodes);
                }
                Some(nodes) => {
                    for record in records {
                        anchors.add_if_expected(Base::Record(*record), *record, index, rule, nodes);
                    }
                }
            }
            if anchors.moves.len() > MAX_MOVES {
                return Err(PlanError::TooMany(MAX_MOVES, "moves"));
            }
        }
        for group in &mut anchors.groups {
            let nodes = group.sources.iter_mut().chain(&mut group.targets);
            nodes.for_each(|node| node.children.sort());
        }
        Ok(anchors)
    }

    /// Adds a move unless the contract expects its source as it stands, which is no drift. A wrap is added
    /// nevertheless: its value may lack a level.
    fn add_if_expected(&mut self, base: Base, from: Id, index: usize, rule: &MoveRule, nodes: &Nodes<'_>) {
        let source = nodes.at(from, &rule.from);
        let Some(target) = nodes.at(from, &rule.to) else { return };
        match source {
            None => self.add(base, index, rule, (target, Guard::None)),
            // A `null` that is allowed lacks no level.
            Some(source) if kind(rule) == MoveKind::Wrap => {
                let guard = if nodes.may_be_null(source) { Guard::NotNull } else { Guard::None };
                self.add(base, index, rule, (target, guard));
            }
            Some(_) => (),
        }
    }

    /// Adds a move. `expected`: the contract's node for the target.
    fn add(&mut self, base: Base, index: usize, rule: &MoveRule, (expected, guard): (Id, Guard)) {
        let group = self.group(base, rule.to.scope());
        let mv = self.moves.len() as Id;
        let Some(group) = self.groups.get_mut(group) else { return };
        let source = descend(&mut group.sources, rule.from.segments(), |_, _| NONE).pop();
        if let Some(node) = source.and_then(|node| group.sources.get_mut(node)) {
            node.moves.push((mv, expected));
        }
        let (steps, names, known) = (&mut self.steps, &mut self.names, &mut self.known);
        let path = descend(&mut group.targets, rule.to.segments(), |parent, name| {
            let path = format!("{parent}.{name}");
            known.get(&path).unwrap_or_else(|| {
                let step = steps.len() as Id;
                names.push(name.to_owned());
                steps.push(TargetName { parent, text: (0, 0) });
                known.insert(path, step);
                step
            })
        });
        let step_of = |node: &usize| group.targets.get(*node).map(|node| node.step);
        self.moves.push(Move {
            rule: index as u32,
            by: RuleRef::Move(index as u32),
            rank: rule.rank,
            kind: kind(rule),
            path: path.iter().filter_map(step_of).collect(),
            depth: rule.from.segments().len() as u32,
            guard,
        });
    }

    fn group(&mut self, base: Base, scope: &[Step]) -> usize {
        let known = self.groups.iter().position(|group| group.base == base && group.scope == scope);
        known.unwrap_or_else(|| {
            let (sources, targets) = (vec![TrieNode::default()], vec![TrieNode::default()]);
            self.groups.push(Group { base, scope: scope.to_vec(), sources, targets });
            self.groups.len().saturating_sub(1)
        })
    }
}

/// Returns the nodes along `names` and adds those that are missing. `step` numbers a name below a step.
fn descend(trie: &mut Vec<TrieNode>, names: &[String], mut step: impl FnMut(Id, &str) -> Id) -> Vec<usize> {
    let mut path = Vec::new();
    let mut at = 0;
    for (name, depth) in names.iter().zip(1u32..) {
        let known = trie.get(at).and_then(|node| node.children.get(name));
        let above = path.last().and_then(|at: &usize| trie.get(*at)).map_or(NONE, |node| node.step);
        at = known.unwrap_or_else(|| {
            let made = trie.len() as Id;
            trie.push(TrieNode { step: step(above, name), depth, ..TrieNode::default() });
            if let Some(node) = trie.get_mut(at) {
                node.children.insert(name.clone(), made);
            }
            made
        }) as usize;
        path.push(at);
    }
    path
}

fn kind(rule: &MoveRule) -> MoveKind {
    let (from, to) = (rule.from.segments(), rule.to.segments());
    if from.starts_with(to) {
        MoveKind::Unwrap
    } else if to.starts_with(from) {
        MoveKind::Wrap
    } else {
        MoveKind::Plain
    }
}
