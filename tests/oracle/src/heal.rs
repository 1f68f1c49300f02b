//! The naive healer: decides on a parsed tree, slowly and plainly, what the engine decides on bytes.

use crate::moves::{self, Move, Place, Scene};
use crate::names::{self, Rename, expected, property};
use crate::tree::{Id, Member, Tree};
use healer::plan::spec::{Contract, MoveRule, PlanSpec, Unmapped};

/// What a body must become.
#[derive(Debug)]
pub enum Expected {
    /// The text as received: nothing inside is touched.
    Text(String),
    Array(Vec<Expected>, Layout),
    Object(Vec<Part>, Layout),
    /// A value that was received at another place.
    Moved(Box<Expected>),
}

impl Expected {
    /// Whether an op concerns this value or one directly in it.
    fn is_touched(&self) -> bool {
        match self {
            Expected::Text(_) => false,
            Expected::Moved(_) => true,
            Expected::Array(elements, _) => elements.iter().any(|e| !e.is_text()),
            Expected::Object(parts, layout) => {
                layout.is_none() || parts.iter().any(|p| matches!(p.key, Key::Name(_)) || !p.value.is_text())
            }
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Expected::Text(_))
    }

    /// Returns the JSON text, in the plainest layout where there is a choice.
    pub fn text(&self) -> String {
        match self {
            Expected::Text(text) => text.clone(),
            Expected::Moved(value) => value.text(),
            Expected::Array(elements, _) => {
                let elements: Vec<String> = elements.iter().map(Expected::text).collect();
                format!("[{}]", elements.join(","))
            }
            Expected::Object(parts, _) => {
                let parts: Vec<String> = parts.iter().map(Part::text).collect();
                format!("{{{}}}", parts.join(","))
            }
        }
    }
}

/// The text between keys and values where it must stay; `None` in an object that gains or loses members.
pub type Layout = Option<Vec<String>>;

/// A member of an object.
#[derive(Debug)]
pub struct Part {
    pub key: Key,
    /// The text between key and value, if the member stays.
    pub colon: Option<String>,
    pub value: Expected,
}

#[derive(Debug)]
pub enum Key {
    /// The text as received.
    Text(String),
    Name(String),
}

impl Part {
    fn new(name: &str, value: Expected) -> Part {
        Part { key: Key::Name(name.to_owned()), colon: None, value }
    }

    fn text(&self) -> String {
        let key = match &self.key {
            Key::Text(text) => text.clone(),
            Key::Name(name) => serde_json::to_string(name).expect("a name is text"),
        };
        format!("{key}:{}", self.value.text())
    }
}

#[derive(Debug)]
pub struct Healed {
    pub expected: Expected,
    pub renames: u32,
    pub moves: u32,
    /// Members that were dropped because nothing accounts for them.
    pub dropped: u32,
}

/// A move that is assumed to fire: rule, record, source.
type Thought<'p> = (&'p MoveRule, Id, Id);

/// Heals `tree`. Returns `None` if the decisions go round in circles.
pub fn heal(spec: &PlanSpec, tree: &Tree<'_>) -> Option<Healed> {
    settle(spec, tree, Some(Vec::new()), false)
}

/// Like [`heal`], which starts from the assumption that no move fires, but assumes that all do.
///
/// Two moves may depend on each other, such as when a record is one only if a move fires that it stops. Then both
/// outcomes may be right, and differ.
pub fn heal_in_hope(spec: &PlanSpec, tree: &Tree<'_>) -> Option<Healed> {
    settle(spec, tree, None, false)
}

/// Like [`heal_in_hope`], but a value that was once misjudged stays as it came, whatever is decided later. This is how
/// the engine makes sure that it terminates, and it heals less.
pub fn heal_warily(spec: &PlanSpec, tree: &Tree<'_>) -> Option<Healed> {
    settle(spec, tree, None, true)
}

/// Decides until the moves that fire are those that were assumed to fire. With `keeps`, misjudged values stay so.
fn settle<'p>(
    spec: &'p PlanSpec,
    tree: &Tree<'_>,
    mut thought: Option<Vec<Thought<'p>>>,
    keeps: bool,
) -> Option<Healed> {
    let mut dead = vec![false; tree.nodes.len()];
    for _ in 0..8 {
        let decision = Decision::new(spec, tree, thought.as_deref(), &dead);
        if keeps {
            dead.clone_from(&decision.dead);
        }
        let now: Vec<_> = decision.fired.iter().map(|m| (m.rule, m.record, m.source)).collect();
        if thought.as_ref() == Some(&now) {
            return Some(decision.build());
        }
        thought = Some(now);
    }
    None
}

struct Decision<'p, 't> {
    spec: &'p PlanSpec,
    tree: &'t Tree<'t>,
    /// By node, what the contract says of it.
    contracts: Vec<Option<&'p Contract>>,
    /// By node, whether it is in a value that a rule would have described, and the rule does not fire.
    dead: Vec<bool>,
    /// By node, the renames of its members.
    renames: Vec<Vec<Rename>>,
    fired: Vec<Move<'p>>,
    /// By value, whether its member is dropped because nothing accounts for it.
    dropped: Vec<bool>,
    /// By value, whether its member is removed because moves left nothing in it.
    emptied: Vec<bool>,
}

impl<'p, 't> Decision<'p, 't> {
    /// Decides, given the moves that are assumed to fire; `None` assumes all of them. The contract judges a moved value
    /// by its new place. In the nodes of `dead`, nothing is touched in any case.
    fn new(spec: &'p PlanSpec, tree: &'t Tree<'t>, moved: Option<&[Thought<'p>]>, dead: &[bool]) -> Self {
        let size = tree.nodes.len();
        let mut this = Decision {
            spec,
            tree,
            contracts: vec![None; size],
            dead: dead.to_vec(),
            renames: vec![Vec::new(); size],
            fired: Vec::new(),
            dropped: vec![false; size],
            emptied: vec![false; size],
        };
        this.contracts[0] = spec.contract.as_ref();
        let (mut names, mut expected) = (vec![None; size], vec![false; size]);
        for id in 0..size {
            this.read(id, moved, &mut names, &mut expected);
        }
        let (has_contract, contracts) = (spec.contract.is_some(), &this.contracts);
        let scene = Scene { spec, tree, has_contract, contracts, names: &names, expected: &expected };
        this.fired = scene.fired(&spec.moves);
        this.dropped = this.drops(&scene);
        this.emptied = (0..size).map(|id| id != 0 && this.is_left_empty(&scene, id)).collect();
        this
    }

    /// Decides the renames in one node, and what the contract says of the nodes in it. Parents come before their parts.
    fn read(
        &mut self,
        id: Id,
        moved: Option<&[Thought<'p>]>,
        names: &mut [Option<(String, bool)>],
        expected_members: &mut [bool],
    ) {
        let node = self.contracts[id];
        for &element in self.tree.elements(id).unwrap_or_default() {
            self.dead[element] |= self.dead[id];
            self.contracts[element] = match node {
                Some(Contract::Array { items }) => Some(items),
                _ => None,
            };
        }
        let Some(members) = self.tree.members(id) else { return };
        let record = node.and_then(expected);
        if self.spec.contract.is_none() || record.is_some() {
            self.renames[id] = names::renames(self.spec, self.tree, id, record);
        }
        for member in members {
            let new = self.new_name(id, member).cloned();
            let name = new.clone().or(member.name.clone());
            let node = record.and_then(|r| property(r, name.as_deref()?)).map(|p| &p.node);
            names[member.value] = name.map(|name| (name, new.is_some()));
            expected_members[member.value] = node.is_some();
            let was_dead = self.dead[id] || self.dead[member.value];
            let is_dead = was_dead || self.is_misjudged(id, member, node.is_some(), moved);
            self.dead[member.value] = is_dead;
            self.contracts[member.value] = match self.first_move(member.value) {
                _ if is_dead => None,
                Some((rule, record, _)) if node.is_none() || new.is_some() => {
                    moves::node_at(self.contracts[record], &moves::steps(rule.to.segments()))
                }
                _ => node,
            };
        }
    }

    /// Whether a rule that does not fire would have said what the value of a member is. Then nothing inside is touched.
    /// `named` says whether its name is expected, perhaps after a rename that fires.
    fn is_misjudged(&self, object: Id, member: &Member<'_>, named: bool, thought: Option<&[Thought<'p>]>) -> bool {
        let renamed = self.new_name(object, member).is_some();
        if named && !renamed {
            // An expected member is moved only to be wrapped.
            return thought.is_some_and(|thought| thought.iter().any(|(_, _, source)| *source == member.value));
        }
        match self.first_move(member.value) {
            Some(first) => thought.is_some_and(|thought| !thought.contains(&first)),
            None => !renamed && self.is_ruled(object, member),
        }
    }

    fn is_ruled(&self, object: Id, member: &Member<'_>) -> bool {
        let record = self.contracts[object].and_then(expected);
        record.is_some_and(|record| names::is_ruled(self.spec, member, record))
    }

    /// Returns the first rule, by rank and order, that would move this value. The value is judged by the target of that
    /// rule.
    fn first_move(&self, value: Id) -> Option<Thought<'p>> {
        let has_contract = self.spec.contract.is_some();
        let (spec, tree, contracts) = (self.spec, self.tree, &self.contracts);
        let scene = Scene { spec, tree, has_contract, contracts, names: &[], expected: &[] };
        let mut rules: Vec<&MoveRule> = self.spec.moves.iter().collect();
        rules.sort_by_key(|rule| rule.rank);
        rules.into_iter().find_map(|rule| Some((rule, scene.concerns(rule, value)?, value)))
    }

    fn new_name(&self, object: Id, member: &Member<'_>) -> Option<&String> {
        let name = member.name.as_ref()?;
        self.renames[object].iter().find(|r| r.from == *name).map(|r| &r.to)
    }

    fn drops(&self, scene: &Scene<'p, 't>) -> Vec<bool> {
        let mut dropped = vec![false; self.tree.nodes.len()];
        if self.spec.unmapped == Unmapped::Keep {
            return dropped;
        }
        for id in 0..dropped.len() {
            for member in self.tree.members(id).unwrap_or_default() {
                let goes = match self.spec.contract {
                    Some(_) => self.is_unexpected(id, member),
                    None => self.is_left_over(id, member),
                };
                let taken = scene.leaves(member.value, &self.fired, &|_| false);
                dropped[member.value] = goes && !taken && !self.fired.iter().any(|m| m.source == member.value);
            }
        }
        dropped
    }

    fn is_unexpected(&self, object: Id, member: &Member<'_>) -> bool {
        if matches!(self.contracts[object], Some(Contract::Object { open: true, .. })) {
            return false;
        }
        let record = self.contracts[object].and_then(expected);
        let is_expected = |r| member.name.as_ref().is_some_and(|name| property(r, name).is_some());
        record.is_some_and(|r| !is_expected(r)) && self.new_name(object, member).is_none()
    }

    /// Whether moves took something from `object` and do not concern this member.
    fn is_left_over(&self, object: Id, member: &Member<'_>) -> bool {
        let takes = |m: &Move<'_>| m.through.contains(&object) && !matches!(m.place, Place::Wrap { .. });
        let within = |node| self.tree.is_within(node, member.value);
        let concerns = |m: &Move<'_>| within(m.target()) && !within(m.record);
        let is_container =
            self.fired.iter().any(|m| m.through.contains(&member.value) && !matches!(m.place, Place::Wrap { .. }));
        self.fired.iter().any(takes) && !self.fired.iter().any(concerns) && !is_container
    }

    /// Whether fired moves and drops leave nothing of the value of a member.
    fn is_left_empty(&self, scene: &Scene<'p, 't>, value: Id) -> bool {
        let moves = |m: &Move<'_>| m.source == value;
        !self.dropped[value]
            && !self.fired.iter().any(moves)
            && scene.leaves(value, &self.fired, &|id| self.dropped[id])
    }

    /// Whether an object that is left empty lost something by drops.
    fn has_drops(&self, value: Id) -> bool {
        let members = self.tree.members(value).unwrap_or_default();
        members.iter().any(|m| self.dropped[m.value] || self.emptied[m.value] && self.has_drops(m.value))
    }

    fn build(&self) -> Healed {
        let mut healed = Healed { expected: Expected::Text(String::new()), renames: 0, moves: 0, dropped: 0 };
        healed.expected = self.value(0, &mut healed);
        healed
    }

    fn value(&self, id: Id, healed: &mut Healed) -> Expected {
        let layout = || Some(self.tree.gaps(id).into_iter().map(str::to_owned).collect());
        let built = if let Some(elements) = self.tree.elements(id) {
            Expected::Array(elements.iter().map(|&e| self.value(e, healed)).collect(), layout())
        } else if let Some(members) = self.tree.members(id) {
            let (built, same) = self.object(id, members, healed);
            Expected::Object(built, layout().filter(|_| same))
        } else {
            Expected::Text(self.tree.nodes[id].raw.to_owned())
        };
        if built.is_touched() { built } else { Expected::Text(self.tree.nodes[id].raw.to_owned()) }
    }

    /// Returns the members of a healed object, and whether they are the received ones, possibly renamed.
    fn object(&self, id: Id, members: &[Member<'_>], healed: &mut Healed) -> (Vec<Part>, bool) {
        let mut built = Vec::new();
        let gaps = self.tree.gaps(id);
        let mut same = true;
        for (i, member) in members.iter().enumerate() {
            let colon = Some(gaps[2 * i + 1].to_owned());
            let fired = self.fired.iter().find(|m| m.source == member.value);
            match fired.map(|m| &m.place) {
                Some(Place::Wrap { names }) => {
                    let value = self.wrapped(member.value, names, healed);
                    built.push(Part { key: Key::Text(member.key.to_owned()), colon, value });
                }
                Some(_) => same = false,
                None if self.dropped[member.value] => {
                    same = false;
                    healed.dropped += 1;
                }
                None if self.emptied[member.value] => {
                    same = false;
                    healed.dropped += u32::from(self.has_drops(member.value));
                }
                None => {
                    let key = self.key(id, member, healed);
                    built.push(Part { key, colon, value: self.member(member.value, healed) });
                }
            }
        }
        let ends = self.ends(id);
        same &= ends.is_empty();
        self.append(&mut built, &ends, healed);
        (built, same)
    }

    fn key(&self, object: Id, member: &Member<'_>, healed: &mut Healed) -> Key {
        match self.new_name(object, member) {
            Some(name) => {
                healed.renames += 1;
                Key::Name(name.clone())
            }
            None => Key::Text(member.key.to_owned()),
        }
    }

    /// Returns the value of a member that stays: its own, or the one that an unwrap puts there.
    fn member(&self, value: Id, healed: &mut Healed) -> Expected {
        let unwrap = self.fired.iter().find(|m| m.place == Place::Unwrap { container: value });
        match unwrap {
            Some(m) => {
                healed.moves += 1;
                Expected::Moved(Box::new(self.member(m.source, healed)))
            }
            None => self.value(value, healed),
        }
    }

    /// Returns a wrapped value, followed by those that go into the same containers, in document order.
    fn wrapped(&self, source: Id, names: &'p [String], healed: &mut Healed) -> Expected {
        let mut others = Vec::new();
        for m in &self.fired {
            if let Place::Beside { wrapped, names, .. } = m.place
                && wrapped == source
            {
                others.push((m.source, names));
            }
        }
        others.sort_by_key(|(source, _)| *source);
        let mut members = Vec::new();
        self.append(&mut members, &[vec![(source, names)], others].concat(), healed);
        Expected::Object(members, None)
    }

    /// Returns the moves to the end of `object` in document order, each with the names that do not exist yet.
    fn ends(&self, object: Id) -> Vec<(Id, &'p [String])> {
        let mut ends: Vec<(Id, &[String])> = Vec::new();
        for m in &self.fired {
            if let Place::End { object: o, names } = m.place
                && o == object
            {
                ends.push((m.source, names));
            }
        }
        ends.sort_by_key(|(source, _)| *source);
        ends
    }

    /// Appends moved values. Those with the same first name share a container, which stands at the place of the first.
    fn append(&self, built: &mut Vec<Part>, ends: &[(Id, &[String])], healed: &mut Healed) {
        let mut made: Vec<&str> = Vec::new();
        for (source, names) in ends {
            let name = names[0].as_str();
            if made.contains(&name) {
                continue;
            }
            made.push(name);
            let value = if names.len() == 1 {
                healed.moves += 1;
                self.member(*source, healed)
            } else {
                let shared = ends.iter().filter(|(_, n)| n[0] == name).map(|(s, n)| (*s, &n[1..]));
                let mut members = Vec::new();
                self.append(&mut members, &shared.collect::<Vec<_>>(), healed);
                Expected::Object(members, None)
            };
            built.push(Part::new(name, value));
        }
    }
}
