//! Compiles rules and contract into the automaton.
//!
//! What may be known about a value is a set of items: the contract's node that describes it, how far along the paths of
//! which moves it is, and, without a contract, that renames apply. Sets of items become states (the subset construction
//! of Rabin and Scott, 1959), so that one look-up answers for all items at once.

mod items;
mod keys;

use super::PlanError;
use super::anchors::{Anchors, Base, Group, TrieNode};
use super::automaton::{
    Action, Automaton, Convention, INERT, Id, Move, MoveKind, NONE, Others, Rename, Required, SourceEnd, Span, State,
    TargetStep,
};
use super::contract::Nodes;
use super::guard::Guard;
use super::names::Names;
use super::record::{Record, records};
use super::requirements::Requirements;
use super::spec::{PlanSpec, Unmapped};
use super::table::{Table, Tables};
use crate::order;
use crate::text::quote;
use items::{Item, Items, base_of};
use keys::{Correspondence, Key, Keys};
use nomos_rules::Case;
use nomos_rules::path::Step;

/// Most states of one plan. Far above what contracts and packs need, and 1.5 MB of memory.
const MAX_STATES: usize = 16_384;
/// Most names in all states of one plan. As above, and 130 MB of memory while it is compiled.
const MAX_NAMES: usize = 1 << 19;

/// Returns the automaton, the records that similarity works on, and the required members.
pub(super) fn compile(spec: &PlanSpec) -> Result<(Automaton, Vec<Record>, Requirements), PlanError> {
    refuse_crossing_moves(spec)?;
    let nodes = spec.contract.as_ref().map(Nodes::of);
    let contract = spec.contract.as_ref().filter(|_| spec.similarity.is_some());
    let found = contract.zip(nodes.as_ref()).map(|(contract, nodes)| records(contract, nodes));
    let (shaped, records): (Vec<Id>, Vec<Record>) = found.unwrap_or_default().into_iter().unzip();
    let mut compiler = Compiler::new(spec, nodes.as_ref(), &shaped)?;
    compiler.run()?;
    let out = compiler.out;
    let required = nodes.map(|nodes| Requirements::of(spec, &nodes, &out.moves)).unwrap_or_default();
    Ok((out, records, required))
}

fn refuse_crossing_moves(spec: &PlanSpec) -> Result<(), PlanError> {
    match spec.moves.iter().find(|rule| rule.from.scope() != rule.to.scope()) {
        Some(rule) => Err(PlanError::CrossesArray { from: rule.from.to_string(), to: rule.to.to_string() }),
        None => Ok(()),
    }
}

struct Compiler<'a> {
    spec: &'a PlanSpec,
    nodes: Option<&'a Nodes<'a>>,
    anchors: Anchors,
    out: Automaton,
    /// The state of each set of items, sorted.
    known: Vec<(Items, Id)>,
    pending: Vec<(Id, Items)>,
    /// Without a contract: the best rule for each drifted name.
    by_name: Names,
    /// Without a contract: the slot of each name whose presence matters, for all states.
    slots: Names,
    /// Where the quoted form of each name starts.
    texts: Names,
    /// With similarity: the nodes that are records, in the order of [`super::Plan::records`].
    records: Vec<Id>,
}

impl<'a> Compiler<'a> {
    fn new(spec: &'a PlanSpec, nodes: Option<&'a Nodes<'a>>, shaped: &[Id]) -> Result<Self, PlanError> {
        let records = nodes.map(|nodes| record_nodes(nodes)).unwrap_or_default();
        let mut compiler = Compiler {
            spec,
            nodes,
            anchors: Anchors::of(spec, nodes, &records)?,
            out: empty_automaton(spec),
            known: Vec::new(),
            pending: Vec::new(),
            by_name: Names::new(),
            slots: Names::new(),
            texts: Names::new(),
            records: shaped.to_vec(),
        };
        compiler.name_steps();
        if nodes.is_none() {
            compiler.index_rules();
            compiler.number_slots();
        }
        Ok(compiler)
    }

    fn run(&mut self) -> Result<(), PlanError> {
        let inert = self.state_of(Items::default());
        debug_assert_eq!(inert, INERT);
        if self.spec.similarity.is_some() {
            self.out.foreign = self.out.states.len() as Id;
            self.out.states.push(State { looks: true, shaped: true, unknown: self.out.foreign, ..State::INERT });
        }
        let mut root = Items(vec![Item::Root]);
        root.insert(if self.nodes.is_some() { Item::Contract(0) } else { Item::Anywhere });
        self.out.root = self.state_of(root);
        while let Some((id, items)) = self.pending.pop() {
            let state = self.build(&items);
            if let Some(place) = self.out.states.get_mut(id as usize) {
                *place = state;
            }
            if self.out.states.len() > MAX_STATES {
                return Err(PlanError::TooMany(MAX_STATES, "states"));
            }
            if self.out.actions.len() > MAX_NAMES {
                return Err(PlanError::TooMany(MAX_NAMES, "names in all states"));
            }
        }
        self.out.moves = std::mem::take(&mut self.anchors.moves);
        self.out.steps = std::mem::take(&mut self.anchors.steps);
        Ok(())
    }

    fn record_of(&self, node: Id) -> Id {
        self.records.iter().position(|record| *record == node).map_or(NONE, |place| place as Id)
    }

    fn name_steps(&mut self) {
        for index in 0..self.anchors.names.len() {
            let name = self.anchors.names.get(index).cloned().unwrap_or_default();
            let text = self.text(&name);
            if let Some(step) = self.anchors.steps.get_mut(index) {
                step.text = text;
            }
        }
    }

    fn index_rules(&mut self) {
        for (index, rule) in self.spec.renames.iter().enumerate().filter(|(_, rule)| rule.from != rule.to) {
            let best = self.by_name.get(&rule.from).and_then(|best| self.spec.renames.get(best as usize));
            if best.is_none_or(|best| rule.rank < best.rank) {
                self.by_name.insert(rule.from.clone(), index as Id);
            }
        }
        self.by_name.sort();
    }

    fn number_slots(&mut self) {
        let renamed = self.by_name.iter().filter_map(|(_, index)| self.spec.renames.get(index as usize));
        let renamed = renamed.map(|rule| rule.to.clone());
        let mut names: Vec<String> = renamed.collect();
        for group in &self.anchors.groups {
            let tries = group.sources.iter().chain(&group.targets);
            names.extend(tries.flat_map(|node| node.children.iter().map(|(name, _)| name.clone())));
            names.extend(group.scope.iter().filter_map(|step| match step {
                Step::Name(name) => Some(name.clone()),
                Step::Each => None,
            }));
        }
        // If a convention converts a name that a table knows, the result needs a slot as well, and so on. Each round is
        // in another case, so there are few rounds.
        while let Some(name) = names.pop() {
            let next = self.slots.len() as Id;
            if self.slots.get(&name).is_none() {
                names.extend(self.converted(&name).map(|rule| rule.to));
                self.slots.insert(name, next);
            }
        }
        self.slots.sort();
    }

    /// Returns the state of values about which `items`, and what follows from them, is known.
    fn state_of(&mut self, mut items: Items) -> Id {
        self.close(&mut items);
        let id = self.out.states.len() as Id;
        match self.known.binary_search_by(|(known, _)| known.cmp(&items)) {
            Ok(place) => self.known.get(place).map_or(id, |(_, id)| *id),
            Err(place) => {
                self.out.states.push(State::INERT);
                self.known.insert(place, (items.clone(), id));
                self.pending.push((id, items));
                id
            }
        }
    }

    fn close(&self, items: &mut Items) {
        if self.anchors.groups.is_empty() {
            items.0.retain(|item| !matches!(item, Item::Root | Item::RootRecord));
        }
        if items.contains(Item::Root) {
            for (g, _) in self.groups(Base::Root).filter(|(_, group)| group.scope.first() == Some(&Step::Each)) {
                items.insert(Item::Scope(g, 0));
            }
            if self.nodes.is_none() {
                items.insert(Item::RootRecord);
            }
        }
        let bases: Vec<Base> = items.iter().filter_map(|item| base_of(*item)).collect();
        for base in bases {
            for (g, _) in self.groups(base).filter(|(_, group)| group.scope.first() != Some(&Step::Each)) {
                self.arrive(g, 0, items);
            }
        }
    }

    fn groups(&self, base: Base) -> impl Iterator<Item = (usize, &Group)> {
        self.anchors.groups.iter().enumerate().filter(move |(_, group)| group.base == base)
    }

    /// Adds what is known `steps` steps into a group's scope.
    fn arrive(&self, group: usize, steps: usize, items: &mut Items) {
        let Some(scope) = self.anchors.groups.get(group).map(|group| group.scope.len()) else { return };
        if steps < scope {
            items.insert(Item::Scope(group, steps));
        } else {
            items.insert(Item::Source(group, 0));
            items.insert(Item::Target(group, 0));
        }
    }

    fn build(&mut self, items: &Items) -> State {
        let node = items.iter().find_map(|item| if let Item::Contract(node) = item { Some(*node) } else { None });
        let anywhere = items.contains(Item::Anywhere);
        let only_anywhere = items.0.len() == 1 && anywhere;
        let keys = self.keys(items, node, anywhere, only_anywhere);
        let is_record = node.is_some_and(|node| self.nodes.is_some_and(|nodes| !nodes.members(node).is_empty()));
        let slots = self.local_slots(&keys);
        let on_path = |item: &Item| matches!(item, Item::Source(..) | Item::Target(..));
        let below = |item: &Item| matches!(item, Item::Source(_, 1..) | Item::Target(_, 1..));
        let passes = items.iter().any(below);
        let is_open = node.zip(self.nodes).is_some_and(|(node, nodes)| nodes.is_open(node));
        let drops = self.out.drops && is_record && !is_open;
        let tracked = drops || items.iter().any(on_path);
        let element = self.element(items);
        let table = self.add_table(&keys, items, &slots);
        let canonical = self.add_canonical(&keys, items, node.filter(|_| is_record), &slots);
        let fallback_items = Items(vec![Item::Anywhere]);
        let anywhere_state = if anywhere { self.state_of(fallback_items) } else { INERT };
        let words = if self.out.contract { slots.len() } else { self.slots.len() };
        let converts = anywhere && !self.out.conventions.is_empty();
        let others = if drops { Others::Dropped } else { self.undropped(items, is_record) };
        let (required, required_slots) = self.add_required(node, &slots);
        let looks = is_record || !keys.is_empty() || anywhere;
        let shaped = self.spec.similarity.is_some() && looks;
        State {
            table,
            fallback: if anywhere && !only_anywhere { anywhere_state } else { NONE },
            unknown: if shaped { self.out.foreign } else { anywhere_state },
            element,
            canonical,
            words: words.div_ceil(64) as u32,
            required,
            required_slots,
            looks,
            converts,
            tracked,
            tree_root: tracked && !passes,
            anchor: items.iter().any(|item| matches!(item, Item::Source(_, 0))),
            others,
            skips_unknown: !converts && others == Others::Passed && canonical.is_empty(),
            record: node.map_or(NONE, |node| self.record_of(node)),
            shaped,
        }
    }

    /// Returns what becomes of members that the plan does not know, if they are not dropped: their positions are kept
    /// where they may be left over from moves and dropped then, and where they tell whether a value is to be wrapped.
    fn undropped(&self, items: &Items, is_record: bool) -> Others {
        let leaves_scraps = self.out.drops && !self.out.contract;
        let is_left = |item: &Item| leaves_scraps && matches!(item, Item::Source(_, 1..));
        let may_fit = |item: &Item| is_record && self.is_wrapped(*item);
        if items.iter().any(|item| is_left(item) || may_fit(item)) { Others::Kept } else { Others::Passed }
    }

    /// Adds the members that an object described by this node must have. Returns their range, and which of the first 64
    /// slots are theirs.
    fn add_required(&mut self, node: Option<Id>, slots: &Names) -> ((u32, u32), u64) {
        let start = self.out.required.len() as u32;
        let mut first_slots = 0;
        for (name, child) in node.zip(self.nodes).map(|(node, nodes)| nodes.members(node)).unwrap_or_default() {
            let number = self.nodes.and_then(|nodes| nodes.required(*child));
            let (Some(number), slot) = (number, self.slot(name, slots)) else { continue };
            first_slots |= 1_u64.checked_shl(slot).unwrap_or(0);
            let text = self.text(name);
            self.out.required.push(Required { slot, text, number });
        }
        ((start, self.out.required.len() as u32), first_slots)
    }

    fn element(&mut self, items: &Items) -> Id {
        let mut inside = Items::default();
        for item in items.iter() {
            match *item {
                Item::Root if self.nodes.is_none() => inside.insert(Item::RootRecord),
                Item::Anywhere => inside.insert(Item::Anywhere),
                Item::Contract(node) => {
                    let element = self.nodes.map_or(NONE, |nodes| nodes.element(node));
                    if element != NONE {
                        inside.insert(Item::Contract(element));
                    }
                }
                Item::Scope(g, at) if self.scope_step(g, at) == Some(&Step::Each) => {
                    self.arrive(g, at.saturating_add(1), &mut inside);
                }
                _ => (),
            }
        }
        self.state_of(inside)
    }

    fn scope_step(&self, group: usize, at: usize) -> Option<&Step> {
        self.anchors.groups.get(group)?.scope.get(at)
    }

    /// Returns the slots of the names whose presence matters in this state, if there is a contract. Without one, the
    /// slots of the whole plan are used.
    fn local_slots(&self, keys: &Keys) -> Names {
        let mut slots = Names::new();
        for (name, key) in keys.iter().filter(|_| self.out.contract) {
            if key.expected.is_some() || !key.sources.is_empty() || !key.targets.is_empty() {
                slots.insert(name.to_owned(), slots.len() as Id);
            }
        }
        slots
    }

    fn slot(&self, name: &str, local: &Names) -> Id {
        let slots = if self.out.contract { local } else { &self.slots };
        slots.get(name).unwrap_or(NONE)
    }

    fn add_table(&mut self, keys: &Keys, items: &Items, slots: &Names) -> Table {
        let mut entries = Vec::new();
        for (name, key) in keys.iter() {
            let action = self.action(Some(name), key, keys, items, slots);
            entries.push((name, self.out.actions.len() as Id));
            self.out.actions.push(action);
        }
        self.out.tables.add(entries.iter().copied())
    }

    fn add_canonical(&mut self, keys: &Keys, items: &Items, node: Option<Id>, slots: &Names) -> Table {
        let forms = node.map(|node| self.by_canonical(node)).unwrap_or_default();
        let mut entries = Vec::new();
        for (form, correspondence) in &forms {
            let key = Key { rename: Some(correspondence.clone()), ..Key::default() };
            let action = self.action(None, &key, keys, items, slots);
            entries.push((form.as_str(), self.out.actions.len() as Id));
            self.out.actions.push(action);
        }
        self.out.tables.add(entries.iter().copied())
    }

    fn action(&mut self, name: Option<&str>, key: &Key, keys: &Keys, items: &Items, slots: &Names) -> Action {
        let gained = key.rename.as_ref().and_then(|rename| keys.get(&rename.to)).map_or(&[][..], |to| &to.targets);
        let judge = self.judge(key);
        let node = judge.map(|(_, node)| node).filter(|node| *node != NONE);
        let node = node.or(key.expected).or(key.rename.as_ref().and_then(|rename| rename.node));
        let inherited = items.contains(Item::Anywhere).then_some(Item::Anywhere);
        let mut inside = Items::default();
        inside.extend(inherited);
        inside.extend(node.map(Item::Contract));
        for (g, at) in &key.scopes {
            self.arrive(*g, *at, &mut inside);
        }
        inside.extend(self.deeper(&key.sources, false));
        inside.extend(self.deeper(&key.targets, true));
        inside.extend(self.deeper(gained, true));
        let mut renamed = Items::default();
        renamed.extend(inherited);
        renamed.extend(self.deeper(&key.targets, true));
        let rename = key.rename.as_ref().filter(|_| key.expected.is_none()).map(|to| self.add_rename(to, slots));
        let sources = self.add_sources(key, judge.map(|(mv, _)| mv));
        Action {
            next: self.state_of(inside),
            next_if_renamed_here: self.state_of(renamed),
            slot: name.map_or(NONE, |name| self.slot(name, slots)),
            rename: rename.unwrap_or(NONE),
            sources,
            targets: self.add_targets(&[(&key.targets, false), (gained, true)]),
            targets_if_renamed_here: self.add_targets(&[(&key.targets, true)]),
            expected: key.expected.is_some(),
            on_source_path: !key.sources.is_empty(),
            replaces: !key.sources.is_empty() && self.is_replaced(key),
            similar: key.expected.is_none() && rename.is_none() && sources.0 >= sources.1,
        }
    }

    /// Whether an item stands for a value that a move may wrap, with a contract. A wrap does not fire if the value has
    /// an expected member, so all members of such a record are kept.
    fn is_wrapped(&self, item: Item) -> bool {
        let Item::Target(group, at @ 1..) = item else { return false };
        let Some(node) = self.trie_node(group, at, true).filter(|_| self.out.contract) else { return false };
        let ends = |mv: &Move| mv.path.get((mv.depth as usize).wrapping_sub(1)) == Some(&node.step);
        self.anchors.moves.iter().any(|mv| mv.kind == MoveKind::Wrap && ends(mv))
    }

    /// Whether a move that works in place concerns a member: a wrap that starts there, or an unwrap that ends there.
    fn is_replaced(&self, key: &Key) -> bool {
        let starts = key.sources.iter().filter_map(|(g, at)| self.trie_node(*g, *at, false));
        let wraps =
            |(mv, _): &(Id, Id)| self.anchors.moves.get(*mv as usize).is_some_and(|mv| mv.kind == MoveKind::Wrap);
        let ends = key.targets.iter().filter_map(|(g, at)| self.trie_node(*g, *at, true)).map(|node| node.step);
        let unwraps = |step: Id| {
            let mut moves = self.anchors.moves.iter();
            moves.any(|mv| mv.kind == MoveKind::Unwrap && mv.path.last() == Some(&step))
        };
        starts.flat_map(|node| &node.moves).any(wraps) || ends.into_iter().any(unwraps)
    }

    /// Returns the move by whose target the value of a member is judged: the best by rank, then by order of the rules.
    /// An expected member is judged by its own node, since only wraps start there, for values that may lack a level.
    fn judge(&self, key: &Key) -> Option<(Id, Id)> {
        if key.expected.is_some() {
            return None;
        }
        let ends = key.sources.iter().filter_map(|(g, at)| self.trie_node(*g, *at, false)).flat_map(|node| &node.moves);
        let order = |mv: &Id| self.anchors.moves.get(*mv as usize).map(|mv| (mv.rank, mv.rule));
        ends.min_by_key(|(mv, _)| order(mv)).copied()
    }

    fn trie_node(&self, group: usize, at: usize, target: bool) -> Option<&TrieNode> {
        let group = self.anchors.groups.get(group)?;
        if target { group.targets.get(at) } else { group.sources.get(at) }
    }

    /// Returns those positions in tries below which a path goes on.
    fn deeper(&self, at: &[(usize, usize)], target: bool) -> Vec<Item> {
        let item = |(g, n): (usize, usize)| if target { Item::Target(g, n) } else { Item::Source(g, n) };
        let goes_on =
            |(g, n): &(usize, usize)| self.trie_node(*g, *n, target).is_some_and(|node| !node.children.is_empty());
        at.iter().copied().filter(goes_on).map(item).collect()
    }

    fn add_rename(&mut self, to: &Correspondence, slots: &Names) -> Id {
        let (slot, text) = (self.slot(&to.to, slots), self.text(&to.to));
        let rename = Rename { slot, rank: to.rank, text, rule: to.rule, guard: Guard::None };
        self.out.renames.push(rename);
        (self.out.renames.len() as Id).wrapping_sub(1)
    }

    fn add_sources(&mut self, key: &Key, judge: Option<Id>) -> (u32, u32) {
        let start = self.out.sources.len() as u32;
        for (g, at) in &key.sources {
            let group = self.anchors.groups.get(*g);
            let Some(node) = group.and_then(|group| group.sources.get(*at)) else { continue };
            let is_guarded = |mv: &Move| mv.guard != Guard::None;
            let ends = node.moves.iter().map(|(mv, _)| SourceEnd {
                mv: *mv,
                depth: node.depth,
                judges: Some(*mv) == judge,
                guarded: self.anchors.moves.get(*mv as usize).is_some_and(is_guarded),
            });
            self.out.sources.extend(ends);
        }
        (start, self.out.sources.len() as u32)
    }

    fn add_targets(&mut self, runs: &[(&[(usize, usize)], bool)]) -> (u32, u32) {
        let start = self.out.targets.len() as u32;
        for (at, renamed) in runs {
            for (g, n) in *at {
                let group = self.anchors.groups.get(*g);
                let Some(node) = group.and_then(|group| group.targets.get(*n)) else { continue };
                let target = TargetStep { step: node.step, depth: node.depth, renamed: *renamed };
                if !self.out.targets.get(start as usize..).unwrap_or_default().contains(&target) {
                    self.out.targets.push(target);
                }
            }
        }
        (start, self.out.targets.len() as u32)
    }

    fn text(&mut self, name: &str) -> Span {
        let end = self.out.text.len() as u32;
        let start = self.texts.get(name).unwrap_or(end);
        let mut quoted = Vec::new();
        quote(name, &mut quoted);
        if start == end {
            self.out.text.extend_from_slice(&quoted);
            self.texts.insert(name.to_owned(), start);
        }
        (start, start.saturating_add(quoted.len() as u32))
    }
}

/// Returns the nodes that describe records: objects with at least one expected member.
fn record_nodes(nodes: &Nodes<'_>) -> Vec<Id> {
    (0..nodes.len()).filter(|id| !nodes.members(*id).is_empty()).collect()
}

fn empty_automaton(spec: &PlanSpec) -> Automaton {
    let mut conventions: Vec<Convention> = Vec::new();
    for (rule, convention) in spec.conventions.iter().zip(0..) {
        let (from, to) = (rule.from.clone(), rule.to);
        conventions.push(Convention { from, to, rank: rule.rank, rule: convention, source: rule.source });
    }
    order::sort_by_key(&mut conventions, |convention| (convention.rank, convention.rule));
    Automaton {
        root: INERT,
        foreign: INERT,
        states: Vec::new(),
        actions: Vec::new(),
        tables: Tables::new(),
        sources: Vec::new(),
        targets: Vec::new(),
        renames: Vec::new(),
        moves: Vec::new(),
        steps: Vec::new(),
        capitalises: conventions.iter().any(|convention| convention.to == Case::Pascal),
        conventions,
        required: Vec::new(),
        text: Vec::new(),
        contract: spec.contract.is_some(),
        drops: spec.unmapped == Unmapped::Drop,
    }
}
