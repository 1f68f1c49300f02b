//! Members that mean more to the plan than that their name stands: rules, conventions, moves and drops.

use super::{Body, Walk};
use crate::hash::name_hash;
use crate::plan::automaton::{Action, Convention, INERT, Id, NONE, Others, Rename, RuleRef, Span, State};
use crate::plan::case;
use crate::plan::guard::Guard;
use crate::report::{Name, Op, OpKind};
use crate::scratch::{EditKind, Fate, Hit, Member, Scratch, SourceHit, TargetHit};
use crate::text::quote;

impl<const TRACKS: bool, const SHAPES: bool> Walk<'_, '_, TRACKS, SHAPES> {
    /// Handles a member of any kind. Returns the state of its value. `name`: the decoded key, if it has escapes.
    #[inline(never)]
    pub(super) fn consider(
        &mut self,
        state: &State,
        action: Option<&Action>,
        quote: u32,
        close: u32,
        name: Option<&[u8]>,
    ) -> Id {
        let body = self.body;
        let name = name.unwrap_or(body.span((quote.wrapping_add(1), close)));
        let seen = action.is_some_and(|action| self.see(action.slot));
        if state.converts {
            self.scratch.names.push(name_hash(name));
        }
        let mut known = Lead { next: action.map_or(state.unknown, |action| action.next), ..Lead::of(action) };
        let ruled = action.is_some_and(|action| action.rename != NONE || action.expected);
        let mut renaming = action.and_then(|action| self.admitted(action, quote));
        if !ruled {
            if state.converts {
                renaming = self.converted(state, name, &mut known);
            } else if action.is_none() && !state.canonical.is_empty() {
                renaming = self.canonical(state, name, &mut known);
            }
        }
        let unmapped = state.others == Others::Dropped && action.is_none_or(|action| !action.expected);
        let tracks = TRACKS
            && state.tracked
            && (action.is_some() || state.others != Others::Passed || known.targets.0 < known.targets.1);
        let remove_edit = if tracks { self.reserve_removal() } else { NONE };
        let rename_edit = renaming.map_or(NONE, |renaming| self.push_hit(&renaming, quote, close));
        if tracks {
            self.keep(action, known.targets, Kept { quote, close, seen, unmapped, remove_edit, rename_edit });
        }
        if rename_edit != NONE {
            self.tie_inside(action.is_some_and(|action| action.sources.0 < action.sources.1));
        }
        known.next
    }

    /// Handles a member that only a rename concerns. Returns the state of its value.
    #[inline(never)]
    pub(super) fn rename(&mut self, action: &Action, quote: u32, close: u32) -> Id {
        self.see(action.slot);
        let Some(renaming) = self.admitted(action, quote) else { return action.next };
        self.push_hit(&renaming, quote, close);
        if action.sources.0 < action.sources.1 {
            self.tie_inside(true);
        }
        action.next
    }

    /// Whether the value that comes next passes a guard.
    #[inline(always)]
    fn admits(&mut self, guard: Guard, (kind, text): (OpKind, Span), rule: RuleRef, at: u32) -> bool {
        guard == Guard::None || {
            let op = Op { kind, at, rule, name: Name { text, in_arena: false } };
            admits_value(&self.body, self.next, (guard, &self.plan.text), op, self.scratch)
        }
    }

    /// Returns what the rule for a member's name would make of it, if the value passes the rule's guard.
    #[inline(always)]
    fn admitted(&mut self, action: &Action, quote: u32) -> Option<Renaming> {
        let rename = self.plan.renames.get(action.rename as usize)?;
        let passes = self.admits(rename.guard, (OpKind::Rename, rename.text), rename.rule, quote);
        passes.then(|| Renaming::by(rename))
    }

    /// With a contract: returns the rename to the expected member whose name has the same canonical form.
    fn canonical(&mut self, state: &State, name: &[u8], known: &mut Lead) -> Option<Renaming> {
        let mut form = std::mem::take(&mut self.scratch.form);
        form.clear();
        let action = if case::canonical(name, &mut form) { self.plan.action_by_canonical(state, &form) } else { None };
        self.scratch.form = form;
        let action = action?;
        *known = Lead { next: action.next, ..Lead::of(Some(action)) };
        self.plan.renames.get(action.rename as usize).map(Renaming::by)
    }

    /// Without a contract: returns what a convention makes of a name that no rule knows.
    fn converted(&mut self, state: &State, name: &[u8], known: &mut Lead) -> Option<Renaming> {
        if !self.plan.capitalises && case::is_one_lower_word(name) {
            return None;
        }
        let mut spelt = std::mem::take(&mut self.scratch.spelt);
        let convention = self.plan.convert(name, &mut self.scratch.form, &mut spelt);
        let renaming = convention.map(|convention| self.spelt(state, &spelt, convention, known));
        self.scratch.spelt = spelt;
        renaming
    }

    fn spelt(&mut self, state: &State, spelt: &[u8], by: &Convention, known: &mut Lead) -> Renaming {
        let target = self.plan.action(state, spelt);
        if let Some(target) =
            target.filter(|target| target.targets_if_renamed_here.0 < target.targets_if_renamed_here.1)
        {
            known.next = target.next_if_renamed_here;
            known.targets = target.targets_if_renamed_here;
        }
        let start = self.scratch.arena.len() as u32;
        quote(std::str::from_utf8(spelt).unwrap_or_default(), &mut self.scratch.arena);
        let text = (start, self.scratch.arena.len() as u32);
        Renaming {
            slot: target.map_or(NONE, |target| target.slot),
            hash: name_hash(spelt),
            rank: by.rank,
            kind: EditKind::Key { text, in_arena: true, rule: RuleRef::Convention(by.rule) },
        }
    }

    /// Adds a hit for what a rule would make of a member's name. Returns its edit.
    #[inline(always)]
    fn push_hit(&mut self, renaming: &Renaming, quote: u32, close: u32) -> Id {
        let Renaming { slot, hash, rank, kind } = *renaming;
        self.claim(slot);
        let edit = self.scratch.add_edit(quote, close.wrapping_add(1), kind);
        let (inner, value) = (self.scratch.edits.len() as u32, self.peek());
        self.frame.hit = self.scratch.hits.len() as Id;
        self.scratch.hits.push(Hit {
            edit,
            slot,
            hash,
            rank,
            value: (value, value),
            inner: (inner, inner),
            fired: false,
        });
        edit
    }

    /// Ties what is done inside the value to the rule, unless a move judges the value.
    fn tie_inside(&mut self, judged_by_move: bool) {
        let (inner, value) = (self.scratch.edits.len() as u32, self.peek());
        if judged_by_move {
            if let Some(hit) = self.scratch.hits.get_mut(self.frame.hit as usize) {
                (hit.inner, hit.value) = ((0, 0), (0, 0));
            }
            self.frame.hit = NONE;
            // The value was not examined as what it may turn out to be.
            self.scratch.lacks |= !self.plan.required.is_empty();
        } else if let Some(hit) = self.scratch.hits.get_mut(self.frame.hit as usize) {
            hit.inner = (inner, inner);
            hit.value = (value, value);
        }
    }

    /// Reserves the edit that removes the member, from the text before its key on.
    #[inline(always)]
    pub(super) fn reserve_removal(&mut self) -> Id {
        let lead = self.frame.lead;
        self.scratch.reserve_edit(lead, lead)
    }

    /// Keeps the position of a member, and notes the moves that it takes part in. `targets`: as in [`Action::targets`].
    #[inline(never)]
    pub(super) fn keep(&mut self, action: Option<&Action>, targets: (u32, u32), kept: Kept) {
        let Kept { quote, close, seen, unmapped, remove_edit, rename_edit } = kept;
        let value = self.peek();
        let replaces = action.is_some_and(|action| action.replaces);
        let replace_edit = if replaces { self.scratch.reserve_edit(value, value) } else { NONE };
        let id = self.scratch.members.len() as Id;
        let container = self.frame.container;
        let slot = action.map_or(NONE, |action| action.slot);
        let expected = action.is_some_and(|action| action.expected);
        let mut before = NONE;
        if let Some(place) = self.scratch.containers.get_mut(container as usize) {
            before = std::mem::replace(&mut place.last_member, id);
            place.twice |= seen;
            place.fits |= expected || rename_edit != NONE;
        }
        self.scratch.twice |= seen;
        let inner = self.scratch.edits.len() as u32;
        self.frame.member = id;
        self.scratch.members.push(Member {
            container,
            before,
            ordinal: self.frame.members.wrapping_sub(1),
            slot,
            lead: self.frame.lead,
            key: quote,
            key_end: close.wrapping_add(1),
            value,
            value_end: NONE,
            next: NONE,
            child: NONE,
            remove_edit,
            rename_edit,
            replace_edit,
            inner: (inner, inner),
            twice: seen,
            fate: Fate::Stays,
            pins: 0,
            unmapped,
            expected,
        });
        for end in action.map_or(&[][..], |action| self.plan.sources_of(action)) {
            if end.guarded
                && let Some(mv) = self.plan.moves.get(end.mv as usize)
                && !self.admits(mv.guard, (OpKind::Move, (0, 0)), mv.by, quote)
            {
                continue;
            }
            let anchor = self.anchor(container, end.depth);
            self.scratch.sources.push(SourceHit {
                mv: end.mv,
                anchor,
                member: id,
                judges: end.judges,
                accepted: false,
                undone: false,
                into: NONE,
                void: false,
                stands: 0,
                beside: NONE,
            });
        }
        for step in self.plan.targets_in(targets) {
            let anchor = self.anchor(container, step.depth);
            self.scratch.targets.push(TargetHit { step: step.step, anchor, member: id, renamed: step.renamed });
        }
    }

    /// Returns the container `depth` names above a member of `container`. Neighbours mostly ask for the same one.
    #[inline(always)]
    fn anchor(&mut self, container: Id, depth: u32) -> Id {
        if self.asked.container != container || self.asked.depth != depth {
            let parent = |at: Id| self.scratch.container(at).map_or(NONE, |container| container.parent);
            let anchor = (1..depth).fold(container, |at, _| parent(at));
            self.asked = Asked { container, depth, anchor };
        }
        self.asked.anchor
    }
}

/// Whether the value at a token passes a guard. Notes values that do not pass, and while drawing every answer.
#[inline(never)]
fn admits_value(body: &Body<'_>, token: usize, (guard, text): (Guard, &[u8]), op: Op, scratch: &mut Scratch) -> bool {
    let at = |token: usize| body.tokens.get(token).copied().unwrap_or(body.bytes.len() as u32);
    let value = (at(token), body.end_before(at(token.wrapping_add(1))));
    let passes = guard.admits(text, body.span(value));
    if !passes && guard != Guard::NotNull {
        scratch.unlisted.push(op);
    }
    if scratch.draws {
        scratch.asked.push((token, guard, passes));
    }
    passes
}

/// The last anchor that was looked up. Container ids are reused after their tree closes, so it is forgotten when a
/// container opens.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    container: Id,
    depth: u32,
    anchor: Id,
}

impl Asked {
    pub(super) const NOTHING: Asked = Asked { container: NONE, depth: 0, anchor: NONE };
}

/// What a rule would make of a member's name.
#[derive(Clone, Copy)]
struct Renaming {
    /// As in a [`Hit`].
    slot: Id,
    hash: u64,
    rank: u16,
    /// The edit of its key.
    kind: EditKind,
}

impl Renaming {
    fn by(rename: &Rename) -> Self {
        let kind = EditKind::Key { text: rename.text, in_arena: false, rule: rename.rule };
        Renaming { slot: rename.slot, hash: 0, rank: rename.rank, kind }
    }
}

/// A member whose position is kept.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub quote: u32,
    pub close: u32,
    /// Whether its name was there before.
    pub seen: bool,
    pub unmapped: bool,
    /// Places for its edits.
    pub remove_edit: Id,
    pub rename_edit: Id,
}

/// Where a member leads.
struct Lead {
    next: Id,
    targets: (u32, u32),
}

impl Lead {
    fn of(action: Option<&Action>) -> Self {
        Lead { next: INERT, targets: action.map_or((0, 0), |action| action.targets) }
    }
}
