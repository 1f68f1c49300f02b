//! What names mean in a state.

use super::Compiler;
use super::items::{Item, Items};
use crate::order;
use crate::plan::automaton::{Id, RuleRef};
use crate::plan::case;
use crate::plan::names::Names;
use nomos_rules::path::Step;

/// What a name in a state means, before it becomes an action.
#[derive(Clone, Debug, Default)]
pub(super) struct Key {
    pub expected: Option<Id>,
    pub rename: Option<Correspondence>,
    pub sources: Vec<(usize, usize)>,
    pub targets: Vec<(usize, usize)>,
    pub scopes: Vec<(usize, usize)>,
}

/// Names with their meanings, in the order of the names.
#[derive(Debug, Default)]
pub(super) struct Keys {
    places: Names,
    keys: Vec<Key>,
}

impl Keys {
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Key> {
        self.keys.get(self.places.get(name)? as usize)
    }

    /// Adds to the meaning of a name, and adds the name if it is new.
    pub(super) fn add(&mut self, name: &str, change: impl FnOnce(&mut Key)) {
        let place = self.place(name);
        if let Some(key) = self.keys.get_mut(place) {
            change(key);
        }
    }

    /// Returns the index of a name, and adds the name if it is new.
    pub(super) fn place(&mut self, name: &str) -> usize {
        if let Some(place) = self.places.get(name) {
            return place as usize;
        }
        let place = self.keys.len();
        self.places.insert(name.to_owned(), place as Id);
        self.keys.push(Key::default());
        place
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Key)> {
        self.places.iter().filter_map(|(name, place)| Some((name.as_str(), self.keys.get(place as usize)?)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Key)> {
        let mut names = vec![""; self.keys.len()];
        for (name, place) in self.places.iter() {
            names.get_mut(place as usize).into_iter().for_each(|slot| *slot = name);
        }
        names.into_iter().zip(&mut self.keys)
    }
}

/// A name that stands for another one.
#[derive(Clone, Debug)]
pub(super) struct Correspondence {
    pub to: String,
    pub rank: u16,
    pub rule: RuleRef,
    /// The contract's node for `to`.
    pub node: Option<Id>,
}

impl Compiler<'_> {
    /// Returns the names that mean something in a state beyond what its fallback knows.
    pub(super) fn keys(&self, items: &Items, node: Option<Id>, anywhere: bool, only_anywhere: bool) -> Keys {
        let mut keys = Keys::default();
        for item in items.iter() {
            match *item {
                Item::Contract(node) => self.contract_keys(node, &mut keys),
                Item::Source(g, at) => {
                    for (name, child) in self.children(g, at, false) {
                        keys.add(name, |key| key.sources.push((g, child as usize)));
                    }
                }
                Item::Target(g, at) => {
                    for (name, child) in self.children(g, at, true) {
                        keys.add(name, |key| key.targets.push((g, child as usize)));
                    }
                }
                Item::Scope(g, at) => {
                    if let Some(Step::Name(name)) = self.scope_step(g, at) {
                        keys.add(name, |key| key.scopes.push((g, at.saturating_add(1))));
                    }
                }
                Item::Root | Item::RootRecord | Item::Anywhere => (),
            }
        }
        if anywhere {
            self.add_renamed_keys(&mut keys, only_anywhere);
        } else if let Some(node) = node {
            self.convert_path_keys(node, &mut keys);
        }
        keys.places.sort();
        keys
    }

    fn children(&self, group: usize, at: usize, target: bool) -> impl Iterator<Item = (&String, Id)> {
        let group = self.anchors.groups.get(group);
        let trie = group.map(|group| if target { &group.targets } else { &group.sources });
        trie.and_then(|trie| trie.get(at)).into_iter().flat_map(|node| node.children.iter())
    }

    fn contract_keys(&self, node: Id, keys: &mut Keys) {
        let Some(nodes) = self.nodes else { return };
        for (name, child) in nodes.members(node) {
            keys.add(name, |key| key.expected = Some(*child));
        }
        for (index, rule) in self.spec.renames.iter().enumerate() {
            let Some(target) = nodes.member(node, &rule.to) else { continue };
            if nodes.member(node, &rule.from).is_some() {
                continue;
            }
            keys.add(&rule.from, |key| {
                if key.rename.as_ref().is_none_or(|known| rule.rank < known.rank) {
                    let rule_ref = RuleRef::Rename(index as u32);
                    let to = rule.to.clone();
                    key.rename = Some(Correspondence { to, rank: rule.rank, rule: rule_ref, node: Some(target) });
                }
            });
        }
    }

    /// Without a contract: adds the renames of names on paths, and the names that a rule turns into names on target
    /// paths. `all`: adds every name that rules and paths have.
    fn add_renamed_keys(&self, keys: &mut Keys, all: bool) {
        let known = || self.slots.iter().chain(self.by_name.iter()).map(|(name, _)| name);
        if all {
            for name in known() {
                keys.add(name, |_| ());
            }
        }
        if self.by_name.is_empty() && self.out.conventions.is_empty() {
            return;
        }
        let leads_to = |name: &str| self.ruled(name).or_else(|| self.converted(name));
        let onto_target = |name: &&String| {
            let to = leads_to(name).and_then(|rule| keys.get(&rule.to));
            to.is_some_and(|key| !key.targets.is_empty())
        };
        let onto_targets: Vec<&String> = known().filter(onto_target).collect();
        for name in onto_targets {
            keys.add(name, |_| ());
        }
        for (name, key) in keys.iter_mut() {
            key.rename = leads_to(name);
        }
    }

    fn ruled(&self, name: &str) -> Option<Correspondence> {
        let index = self.by_name.get(name)?;
        let rule = self.spec.renames.get(index as usize)?;
        let rule_ref = RuleRef::Rename(index);
        Some(Correspondence { to: rule.to.clone(), rank: rule.rank, rule: rule_ref, node: None })
    }

    /// Without a contract: returns what the conventions make of a name.
    pub(super) fn converted(&self, name: &str) -> Option<Correspondence> {
        let mut spelt = Vec::new();
        let convention = self.out.convert(name.as_bytes(), &mut Vec::new(), &mut spelt)?;
        let to = String::from_utf8(spelt).ok()?;
        Some(Correspondence { to, rank: convention.rank, rule: RuleRef::Convention(convention.rule), node: None })
    }

    /// With a contract: adds the conventions for names on paths that no rule knows. Other names are converted at run
    /// time.
    fn convert_path_keys(&self, node: Id, keys: &mut Keys) {
        let forms = self.by_canonical(node);
        for (name, key) in keys.iter_mut().filter(|(_, key)| key.expected.is_none() && key.rename.is_none()) {
            let mut form = Vec::new();
            if case::canonical(name.as_bytes(), &mut form) {
                let found = forms.binary_search_by(|(canonical, _)| canonical.as_bytes().cmp(&form));
                key.rename = found.ok().and_then(|place| forms.get(place)).map(|(_, to)| to.clone());
            }
        }
    }

    /// Returns expected names by their canonical forms, sorted. A form that several names share is left out: nothing
    /// tells which of them is meant.
    pub(super) fn by_canonical(&self, node: Id) -> Vec<(String, Correspondence)> {
        let (Some(best), Some(nodes)) = (self.out.conventions.first(), self.nodes) else { return Vec::new() };
        let mut forms: Vec<(String, usize)> = Vec::new();
        for (at, (name, _)) in nodes.members(node).iter().enumerate() {
            let mut form = Vec::new();
            if case::canonical(name.as_bytes(), &mut form) {
                forms.push((String::from_utf8(form).unwrap_or_default(), at));
            }
        }
        order::sort(&mut forms);
        let rule = RuleRef::Convention(best.rule);
        let correspondence = |alike: &[(String, usize)]| {
            let [(form, at)] = alike else { return None };
            let (name, child) = nodes.members(node).get(*at)?;
            Some((form.clone(), Correspondence { to: (*name).to_owned(), rank: best.rank, rule, node: Some(*child) }))
        };
        forms.chunk_by(|(form, _), (next, _)| form == next).filter_map(correspondence).collect()
    }
}
