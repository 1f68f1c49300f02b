//! Decides which moves fire, and where their values go.

use crate::names::{expected, has, is_ruled, property};
use crate::tree::{Id, Member, Tree};
use healer::plan::spec::{Contract, Kind, MoveRule, PlanSpec};
use nomos_rules::path::Step;
use std::cmp::Reverse;

/// A move whose source exists and whose target is free.
#[derive(Clone, Debug, PartialEq)]
pub struct Move<'p> {
    pub rule: &'p MoveRule,
    pub record: Id,
    /// The value that moves. Ids are in document order.
    pub source: Id,
    /// The objects between the record and the source, outermost first, without the record.
    pub through: Vec<Id>,
    pub place: Place<'p>,
}

/// The destination of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Place<'p> {
    /// The end of an object, in new containers for all but the last name.
    End { object: Id, names: &'p [String] },
    /// The place of the container that the move leaves empty.
    Unwrap { container: Id },
    /// New containers at the place of the value.
    Wrap { names: &'p [String] },
    /// The containers that a wrap makes around a value in `object`.
    Beside { object: Id, wrapped: Id, names: &'p [String] },
}

impl Move<'_> {
    /// Returns the last existing node on the way to the target.
    pub fn target(&self) -> Id {
        match self.place {
            Place::End { object, .. } => object,
            Place::Unwrap { container } => container,
            Place::Wrap { .. } => self.source,
            Place::Beside { wrapped, .. } => wrapped,
        }
    }

    /// Returns the node that must stay where it is for the move to make sense.
    fn anchor(&self) -> Id {
        match self.place {
            Place::End { object, .. } | Place::Beside { object, .. } => object,
            Place::Unwrap { container } => container,
            Place::Wrap { .. } => self.object(),
        }
    }

    /// Returns the object that has the source as a member.
    fn object(&self) -> Id {
        self.through.last().copied().unwrap_or(self.record)
    }
}

/// Returns the contract node that a path leads to.
pub fn node_at<'p>(node: Option<&'p Contract>, path: &[Step]) -> Option<&'p Contract> {
    path.iter().fold(node, |node, step| match (step, node?) {
        (Step::Each, Contract::Array { items }) => Some(items.as_ref()),
        (Step::Name(name), node) => property(expected(node)?, name).map(|p| &p.node),
        _ => None,
    })
}

/// Returns the steps of a path below its record.
pub fn steps(names: &[String]) -> Vec<Step> {
    names.iter().cloned().map(Step::Name).collect()
}

/// The facts on which decisions about moves rest.
pub struct Scene<'p, 't> {
    pub spec: &'p PlanSpec,
    pub tree: &'t Tree<'t>,
    pub has_contract: bool,
    /// By node, what the contract says of it.
    pub contracts: &'t [Option<&'p Contract>],
    /// By node, the name of its member, and whether a fired rename gave it that name.
    pub names: &'t [Option<(String, bool)>],
    /// By node, whether its member is expected by the contract, under its final name.
    pub expected: &'t [bool],
}

impl<'p> Scene<'p, '_> {
    /// Returns the moves that fire. Records are decided in the order of their ends. Inside a record, lower ranks come
    /// first, then document order, and last the moves that wraps make room for.
    pub fn fired(&self, rules: &'p [MoveRule]) -> Vec<Move<'p>> {
        let mut possible: Vec<Move<'p>> = rules.iter().flat_map(|rule| self.possible(rule)).collect();
        let end = |record: Id| (self.tree.nodes[record].end, Reverse(record));
        possible.sort_by_key(|m| (end(m.record), m.rule.rank, m.source));
        let mut fired: Vec<Move<'p>> = Vec::new();
        for group in possible.chunk_by(|a, b| a.record == b.record) {
            for candidate in group {
                if !self.is_circular(candidate, candidate) && !fired.iter().any(|f| self.clash(f, candidate)) {
                    fired.push(candidate.clone());
                }
            }
            self.join_wraps(rules, group[0].record, &mut fired);
            fired = self.without_vain_unwraps(fired, group[0].record);
        }
        fired
    }

    /// Whether the moves and the drops of `dropped` take everything in `object`.
    pub fn is_emptied(&self, object: Id, fired: &[Move<'_>], dropped: &dyn Fn(Id) -> bool) -> bool {
        let gets = |m: &Move<'_>| matches!(m.place, Place::End { object: o, .. } if o == object);
        let members = self.tree.members(object).unwrap_or_default();
        fired.iter().any(|m| m.through.contains(&object))
            && !fired.iter().any(gets)
            && members.iter().all(|member| self.leaves(member.value, fired, dropped))
    }

    /// Whether nothing is left of the member with this value.
    pub fn leaves(&self, value: Id, fired: &[Move<'_>], dropped: &dyn Fn(Id) -> bool) -> bool {
        match fired.iter().find(|m| m.source == value) {
            Some(m) => !matches!(m.place, Place::Wrap { .. }),
            // Clients may look into an expected member, so it stays.
            None => {
                dropped(value)
                    || !self.expected[value] && !replaces(value, fired) && self.is_emptied(value, fired, dropped)
            }
        }
    }

    fn possible(&self, rule: &'p MoveRule) -> Vec<Move<'p>> {
        let mut records: Vec<Id> =
            self.anchors(rule).into_iter().flat_map(|a| self.scope(a, rule.from.scope())).collect();
        records.retain(|&record| self.tree.members(record).is_some());
        records.into_iter().filter_map(|record| self.candidate(rule, record)).collect()
    }

    /// Returns the nodes from which the paths of a rule start.
    fn anchors(&self, rule: &MoveRule) -> Vec<Id> {
        let from_root_array = rule.from.scope().first() == Some(&Step::Each);
        let anchors: Vec<Id> = match (self.has_contract, self.tree.elements(0)) {
            _ if from_root_array => vec![0],
            (false, Some(elements)) => elements.to_vec(),
            (false, None) => vec![0],
            (true, _) => (0..self.tree.nodes.len()).collect(),
        };
        anchors.into_iter().filter(|&a| !self.has_contract || self.expects(a, rule)).collect()
    }

    /// Whether the contract expects the whole target path of `rule` from the node `anchor`.
    fn expects(&self, anchor: Id, rule: &MoveRule) -> bool {
        let path = [rule.to.scope(), &steps(rule.to.segments())].concat();
        node_at(self.contracts[anchor], &path).is_some()
    }

    /// With a contract, a move takes nothing that is expected where it stands; it may only wrap it.
    fn may_take(&self, rule: &MoveRule, record: Id) -> bool {
        let is_expected = || node_at(self.contracts[record], &steps(rule.from.segments())).is_some();
        rule.to.segments().starts_with(rule.from.segments()) || !is_expected()
    }

    /// Returns the record of the member with this value, if `rule` concerns that member.
    pub fn concerns(&self, rule: &MoveRule, value: Id) -> Option<Id> {
        let record = self.tree.above(value, &steps(rule.from.segments()))?;
        let anchor = self.tree.above(record, rule.from.scope())?;
        (self.anchors(rule).contains(&anchor) && self.may_take(rule, record)).then_some(record)
    }

    /// Returns the nodes at the end of a scope.
    fn scope(&self, anchor: Id, steps: &[Step]) -> Vec<Id> {
        let mut nodes = vec![anchor];
        for step in steps {
            nodes = match step {
                Step::Each => nodes.iter().flat_map(|&n| self.tree.elements(n).unwrap_or_default().to_vec()).collect(),
                Step::Name(name) => nodes.iter().flat_map(|&n| self.every(n, name)).collect(),
            };
        }
        nodes
    }

    /// Returns the values of all members of `object` with this name, as received.
    fn every(&self, object: Id, name: &str) -> Vec<Id> {
        let members = self.tree.members(object).unwrap_or_default();
        members.iter().filter(|m| m.name.as_deref() == Some(name)).map(|m| m.value).collect()
    }

    /// Returns the value of the only member of `object` with this name, as received.
    fn only(&self, object: Id, name: &str) -> Option<Id> {
        match self.every(object, name)[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    fn candidate(&self, rule: &'p MoveRule, record: Id) -> Option<Move<'p>> {
        if !self.may_take(rule, record) {
            return None;
        }
        let (from, to) = (rule.from.segments(), rule.to.segments());
        let (source, through) = self.source(record, from)?;
        let place = if to.starts_with(from) {
            let fits = self.has_contract && self.fits(record, from, source);
            self.wrap(&through, source, &to[from.len()..]).filter(|_| !fits)?
        } else if from.starts_with(to) {
            self.unwrap(&through[..to.len()])?
        } else {
            self.place(record, to)?
        };
        Some(Move { rule, record, source, through, place })
    }

    /// Returns the value at the end of a path, and the objects between the record and it. Every name of the path must
    /// be unique in its object.
    fn source(&self, record: Id, from: &[String]) -> Option<(Id, Vec<Id>)> {
        let mut path = Vec::new();
        for name in from {
            path.push(self.only(path.last().copied().unwrap_or(record), name)?);
        }
        Some((path.pop()?, path))
    }

    /// Adds the moves of a record that lead into containers made by its fired wraps.
    fn join_wraps(&self, rules: &'p [MoveRule], record: Id, fired: &mut Vec<Move<'p>>) {
        let is_wrap = |m: &&Move<'p>| m.record == record && matches!(m.place, Place::Wrap { .. });
        let wraps: Vec<Move<'p>> = fired.iter().filter(is_wrap).cloned().collect();
        let joins = |rule: &'p MoveRule| wraps.iter().find_map(|wrap| self.beside(rule, wrap));
        let mut joining: Vec<Move<'p>> = rules.iter().filter_map(joins).collect();
        joining.sort_by_key(|m| (m.rule.rank, m.source));
        for candidate in joining {
            if !fired.iter().any(|f| self.clash(f, &candidate)) {
                fired.push(candidate);
            }
        }
    }

    /// Returns the move by `rule` into a container made by a wrap, unless the value has a member of that name.
    fn beside(&self, rule: &'p MoveRule, wrap: &Move<'p>) -> Option<Move<'p>> {
        let (from, to, around) = (rule.from.segments(), rule.to.segments(), wrap.rule.from.segments());
        let is_plain = !to.starts_with(from) && !from.starts_with(to);
        let names = to.strip_prefix(around).filter(|names| !names.is_empty() && is_plain)?;
        let anchors = self.anchors(rule);
        let records: Vec<Id> = anchors.into_iter().flat_map(|a| self.scope(a, rule.from.scope())).collect();
        let (source, through) = self.source(wrap.record, from)?;
        let is_free = records.contains(&wrap.record)
            && self.may_take(rule, wrap.record)
            && self.is_absent(wrap.source, names.first()?);
        let place = Place::Beside { object: wrap.object(), wrapped: wrap.source, names };
        is_free.then_some(Move { rule, record: wrap.record, source, through, place })
    }

    /// Whether a value has no member that has this name or gets it.
    fn is_absent(&self, value: Id, name: &str) -> bool {
        self.tree.members(value).is_none_or(|members| !has(members, name)) && self.named(value, name).is_empty()
    }

    /// Whether the value of an expected member is as the contract says: an object with a member that is expected in it
    /// or that a rule leads from, or an allowed `null`.
    fn fits(&self, record: Id, from: &[String], source: Id) -> bool {
        let Some((name, above)) = from.split_last() else { return false };
        let around = node_at(self.contracts[record], &steps(above)).and_then(expected).unwrap_or_default();
        let Some(known) = property(around, name) else { return false };
        let inside = expected(&known.node).unwrap_or_default();
        let is_known = |m: &Member<'_>| {
            m.name.as_deref().is_some_and(|n| property(inside, n).is_some()) || is_ruled(self.spec, m, inside)
        };
        let may_be_null = known.expects.kinds.has(Kind::Null) && self.tree.nodes[source].raw == "null";
        may_be_null || self.tree.members(source).is_some_and(|members| members.iter().any(is_known))
    }

    /// Returns the wrap for `a -> a.b.c`, which fires if `a` is not an object that has a `b`. `path` has the containers
    /// around `a`.
    fn wrap(&self, path: &[Id], source: Id, names: &'p [String]) -> Option<Place<'p>> {
        let renamed = path.iter().any(|&id| self.is_renamed(id));
        let free = self.is_absent(source, names.first()?);
        (!renamed && free).then_some(Place::Wrap { names })
    }

    /// Returns the unwrap for `a.b -> a`, which puts the value at the place of `a`. `path` has the containers down to
    /// `a`.
    fn unwrap(&self, path: &[Id]) -> Option<Place<'p>> {
        let renamed = path.iter().any(|&id| self.is_renamed(id));
        let container = *path.last()?;
        (!renamed).then_some(Place::Unwrap { container })
    }

    /// Returns the free place at the path `to`.
    fn place(&self, record: Id, to: &'p [String]) -> Option<Place<'p>> {
        let mut object = record;
        for (i, name) in to.iter().enumerate() {
            let members = self.tree.members(object)?;
            let [value] = self.named(object, name)[..] else {
                let free = !has(members, name) && self.named(object, name).is_empty();
                return free.then_some(Place::End { object, names: &to[i..] });
            };
            object = value;
        }
        None
    }

    /// Returns the values of the members of `object` that have this name after the renames.
    fn named(&self, object: Id, name: &str) -> Vec<Id> {
        let values = self.tree.members(object).unwrap_or_default().iter().map(|m| m.value);
        values.filter(|&v| self.names[v].as_ref().is_some_and(|(n, _)| n == name)).collect()
    }

    fn is_renamed(&self, value: Id) -> bool {
        self.names[value].as_ref().is_some_and(|(_, renamed)| *renamed)
    }

    /// Whether `b` cannot fire beside `a`, which fires.
    fn clash(&self, a: &Move<'_>, b: &Move<'_>) -> bool {
        let one_target = match (&a.place, &b.place) {
            // Containers are made for the moves of one record.
            (Place::End { names, .. }, Place::End { names: n, .. }) if a.target() == b.target() => {
                if a.record == b.record { names.starts_with(n) || n.starts_with(names) } else { names[0] == n[0] }
            }
            (Place::Wrap { names }, Place::Beside { wrapped, names: n, .. }) if a.source == *wrapped => {
                names.starts_with(n) || n.starts_with(names)
            }
            (Place::Beside { wrapped, names, .. }, Place::Beside { wrapped: w, names: n, .. }) if wrapped == w => {
                names.starts_with(n) || n.starts_with(names)
            }
            (Place::Unwrap { .. }, _) if self.is_below(b, a) => true,
            (_, Place::Unwrap { .. }) if a.record == b.record => self.is_below(a, b),
            _ => false,
        };
        one_target || a.source == b.source || self.is_circular(a, b) || self.is_circular(b, a)
    }

    /// Whether `a` goes to a place in the container that `unwrap` replaces.
    fn is_below(&self, a: &Move<'_>, unwrap: &Move<'_>) -> bool {
        let Place::Unwrap { container } = unwrap.place else { return false };
        let goes_along = a.record != unwrap.record && self.tree.is_within(a.target(), unwrap.source);
        self.tree.is_within(a.target(), container) && !goes_along
    }

    /// Whether `b` takes away the place that `a` goes to.
    fn is_circular(&self, a: &Move<'_>, b: &Move<'_>) -> bool {
        self.tree.is_within(a.anchor(), b.source) && !self.tree.is_within(a.record, b.source)
    }

    /// Removes unwraps whose container is not left empty. As other unwraps may empty it, this repeats until none is
    /// removed.
    fn without_vain_unwraps<'m>(&self, mut fired: Vec<Move<'m>>, record: Id) -> Vec<Move<'m>> {
        loop {
            let vain = |m: &Move<'_>| match m.place {
                Place::Unwrap { container } if m.record == record => !self.is_emptied(container, &fired, &|_| false),
                _ => false,
            };
            let kept: Vec<Move<'m>> = fired.iter().filter(|m| !vain(m)).cloned().collect();
            if kept.len() == fired.len() {
                return kept;
            }
            fired = kept;
        }
    }
}

/// Whether a fired unwrap puts another value at the place of this one.
fn replaces(value: Id, fired: &[Move<'_>]) -> bool {
    fired.iter().any(|m| m.place == Place::Unwrap { container: value })
}
