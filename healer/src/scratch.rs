//! What is known of a body while it is walked, in flat lists that are reused from body to body.

use crate::memo::Instance;
use crate::order;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE, RuleRef};
use crate::plan::guard::Guard;
use crate::report::Op;
use crate::stencil::ListPlace;
use crate::walk::Progress;
use std::iter;
use std::ops::Range;

/// The longest white space in bytes that is repeated before each added member: more than indentation takes. Repeated
/// without a limit, it could make a body as many times longer as members move.
pub(crate) const MAX_GAP: u32 = 128;
/// Brackets and commas around an added member.
const SIGNS: usize = 4;

/// All lists. Indices into them are [`Id`]s.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub frames: Vec<Frame>,
    /// The slots of names in open objects, as pairs of words: names that stand, and names that rules would give.
    pub bits: Vec<u64>,
    /// Members of open objects that a rule would rename. Their edits exist already, and are taken back if the rule does
    /// not fire.
    pub hits: Vec<Hit>,
    /// Hashes of the names of all members of open objects, where a convention may make any name.
    pub names: Vec<u64>,
    pub members: Vec<Member>,
    pub containers: Vec<Container>,
    pub sources: Vec<SourceHit>,
    pub targets: Vec<TargetHit>,
    /// In ascending order of position. What may become an edit gets its place here when it is seen.
    pub edits: Vec<Edit>,
    pub nodes: Vec<Node>,
    /// Quoted names that conventions made.
    pub arena: Vec<u8>,
    pub key: Vec<u8>,
    pub form: Vec<u8>,
    pub spelt: Vec<u8>,
    pub best: Vec<Best>,
    pub marks: Vec<Mark>,
    pub epoch: u32,
    /// Records of the open tree whose moves are decided, in the order in which they closed.
    pub records: Vec<Closed>,
    /// Whether any member kept so far has a name that occurs twice.
    pub twice: bool,
    /// Rank, member, rule and index of each source to decide.
    pub order: Vec<(u16, Id, u32, Id)>,
    pub live: Vec<u32>,
    pub wanted: Vec<(u64, Id)>,
    /// Ops of rules that found their source and did not fire: the target stands, or another rule has it.
    pub conflicts: Vec<Op>,
    /// Ops of similarity that were not carried out because of the value.
    pub unlisted: Vec<Op>,
    /// While drawing: what guards asked, as the token of the value, the guard and the answer.
    pub asked: Vec<(usize, Guard, bool)>,
    /// Whether a stencil is to be drawn, for which every member of a record must be hashed.
    pub draws: bool,
    /// While drawing: offsets of values under names that the plan knows, of which only the kind counts.
    pub known_values: Vec<u32>,
    /// Records met, in the order in which they opened.
    pub instances: Vec<Instance>,
    /// Tokens that the walk took, also if it failed.
    pub walked: usize,
    /// The innermost open container where the walk failed.
    pub innermost: Innermost,
    /// Whether elements were passed over that should not have been, and why.
    pub astray: Astray,
    /// Whether a required member neither stands nor comes by an op that is known when its object closes.
    pub lacks: bool,
    /// How far the records around the innermost one were read.
    pub around: Vec<Progress>,
}

impl Scratch {
    /// The capacity in edits beyond which the memory is freed after a body; some 230 KB of edits. Most other lists are
    /// no longer.
    pub(crate) const KEPT: usize = 8 << 10;
    /// Members that a first body may have before the lists grow.
    const ROOM: usize = 64;

    /// Forgets the last body and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.bits.clear();
        self.hits.clear();
        self.names.clear();
        self.members.clear();
        self.containers.clear();
        self.sources.clear();
        self.targets.clear();
        self.edits.clear();
        self.nodes.clear();
        self.arena.clear();
        self.records.clear();
        self.twice = false;
        self.conflicts.clear();
        self.unlisted.clear();
        self.asked.clear();
        self.known_values.clear();
        self.instances.clear();
        self.walked = 0;
        self.astray = Astray::No;
        self.lacks = false;
        self.around.clear();
    }

    /// Makes room for a body with moves if there is none yet, so that the first body does not grow each list step by
    /// step.
    #[inline(always)]
    pub(crate) fn make_room(&mut self) {
        if self.members.capacity() < Self::ROOM {
            self.make_first_room();
        }
    }

    #[cold]
    #[inline(never)]
    fn make_first_room(&mut self) {
        self.members.reserve(Self::ROOM);
        self.sources.reserve(Self::ROOM);
        self.order.reserve(Self::ROOM);
        self.nodes.reserve(Self::ROOM);
        // Each member needs a place for its removal, and each container one more.
        self.edits.reserve(2 * Self::ROOM);
    }

    /// Whether anything changes.
    pub(crate) fn has_edits(&self) -> bool {
        self.edits.iter().any(|edit| !matches!(edit.kind, EditKind::Void))
    }

    /// Returns start and end of what is dropped, in order, without what is inside another.
    pub(crate) fn dropped(&self) -> Vec<(u32, u32)> {
        let is_dropped = |edit: &&Edit| matches!(edit.kind, EditKind::Remove { dropped: true });
        let mut spans: Vec<(u32, u32)> = self.edits.iter().filter(is_dropped).map(|edit| (edit.at, edit.end)).collect();
        order::sort(&mut spans);
        let mut reached = 0;
        spans.retain(|(_, end)| {
            let is_inside = *end <= reached;
            reached = reached.max(*end);
            !is_inside
        });
        spans
    }

    /// Returns more bytes than the edits can add to a body of `len` bytes, without counting them: each name is taken to
    /// be as long as all names, and each colon, with the white space around it, as long as the body.
    pub(crate) fn rough_growth(&self, plan: &Automaton, len: usize) -> usize {
        let around = (MAX_GAP as usize).saturating_add(SIGNS);
        let longest = plan.text.len().saturating_add(self.arena.len()).saturating_add(around);
        let nodes = self.nodes.len().saturating_mul(longest.saturating_add(len));
        self.edits.len().saturating_mul(longest).saturating_add(nodes)
    }

    /// Returns how many bytes the edits add at most. What is removed does not count, but for names that are replaced.
    #[cold]
    #[inline(never)]
    pub(crate) fn growth(&self) -> usize {
        let len = |(start, end): (u32, u32)| end.saturating_sub(start) as usize;
        let of_edit = |edit: &Edit| match edit.kind {
            EditKind::Key { text, .. } => len(text).saturating_sub(len((edit.at, edit.end))),
            EditKind::Insert { gap, first, .. } => len(gap).saturating_mul(self.chain(first)),
            _ => 0,
        };
        // An object that is made repeats the colon of a member in it, and one that wraps a value stands behind another.
        let of_node = |node: &Node| len(node.text).saturating_add(len(node.colon)).saturating_add(SIGNS);
        let edits = self.edits.iter().map(of_edit).fold(0, usize::saturating_add);
        self.nodes.iter().map(of_node).fold(edits, usize::saturating_add)
    }

    /// Returns how many members are made beside each other.
    fn chain(&self, first: Id) -> usize {
        let node = |id: Id| self.nodes.get(id as usize);
        iter::successors(node(first), |last| node(last.next)).count()
    }

    /// Appends a place for an edit that may be made later.
    #[inline(always)]
    pub(crate) fn reserve_edit(&mut self, at: u32, end: u32) -> Id {
        self.add_edit(at, end, EditKind::Void)
    }

    #[inline(always)]
    pub(crate) fn add_edit(&mut self, at: u32, end: u32, kind: EditKind) -> Id {
        let id = self.edits.len() as Id;
        self.edits.push(Edit { at, end, kind });
        id
    }

    /// Sets the bit of a slot in a word. Returns whether it was set before, or `None` if there is no such word:
    /// [`NONE`] as a slot leads beyond all words.
    #[inline(always)]
    pub(crate) fn set_bit(&mut self, word: u32, slot: Id) -> Option<bool> {
        let bit = 1u64 << (slot & 63);
        self.bits.get_mut(word as usize).map(|word| {
            let was_set = *word & bit != 0;
            *word |= bit;
            was_set
        })
    }

    /// Fills a reserved place with an edit, or takes an edit back.
    #[inline(always)]
    pub(crate) fn set_edit(&mut self, id: Id, kind: EditKind) {
        if let Some(edit) = self.edits.get_mut(id as usize) {
            edit.kind = kind;
        }
    }

    #[inline(always)]
    pub(crate) fn set_fate(&mut self, member: Id, fate: Fate) {
        if let Some(member) = self.members.get_mut(member as usize) {
            member.fate = fate;
        }
    }

    #[inline(always)]
    pub(crate) fn is_renamed(&self, edit: Id) -> bool {
        matches!(self.edits.get(edit as usize), Some(Edit { kind: EditKind::Key { .. }, .. }))
    }

    /// Whether a member is removed when moves leave nothing in it. A member that clients expect stays: they may look
    /// into it.
    #[inline(always)]
    pub(crate) fn goes_if_empty(&self, plan: &Automaton, member: Id) -> bool {
        let is_expected = |member: &Member| member.expected || self.is_renamed(member.rename_edit);
        self.member(member).is_some_and(|member| member.fate == Fate::Stays && !(plan.contract && is_expected(member)))
    }

    /// Returns the record that closes with `anchor`.
    pub(crate) fn closed(&self, anchor: Id) -> Closed {
        let Scratch { members, containers, sources, targets, .. } = self;
        let [members, containers] = [members.len(), containers.len()];
        Closed { anchor, members, containers, sources: sources.len(), targets: targets.len() }
    }

    /// Returns the members whose keys are from `start` up to `end`.
    pub(crate) fn members_between(&self, start: u32, end: u32) -> Range<usize> {
        let place = |at: u32| self.members.partition_point(|member| member.key < at);
        place(start)..place(end)
    }

    #[inline(always)]
    pub(crate) fn member(&self, id: Id) -> Option<&Member> {
        self.members.get(id as usize)
    }

    #[inline(always)]
    pub(crate) fn container(&self, id: Id) -> Option<&Container> {
        self.containers.get(id as usize)
    }

    /// Returns a number that no mark and no claim carries yet, so that those of earlier objects and bodies need not be
    /// cleared.
    pub(crate) fn next_epoch(&mut self) -> u32 {
        if self.epoch == u32::MAX {
            self.best.clear();
            self.marks.clear();
            self.epoch = 0;
        }
        self.epoch = self.epoch.wrapping_add(1);
        self.epoch
    }
}

/// The innermost open container, and the number of open containers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Innermost {
    pub state: Id,
    pub depth: u32,
    /// Whether what is in it may be evidence for similarity about what is around it.
    pub is_evidence: bool,
}

impl Innermost {
    /// Whether its elements are at that place.
    pub(crate) fn is(self, place: ListPlace) -> bool {
        (self.state, self.depth) == (place.state, place.depth)
    }
}

/// Whether elements were passed over that should not have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Astray {
    #[default]
    No,
    /// They are in another list.
    Elsewhere,
    /// What is in their list is evidence about what is around it.
    InEvidence,
}

/// Returns the index of the word of [`Scratch::bits`] in which the bit of a slot tells whether the name stands. `bits`:
/// the first word of the object.
#[inline(always)]
pub(crate) fn stands(bits: u32, slot: Id) -> u32 {
    bits.wrapping_add(slot >> 6 << 1)
}

/// As [`stands`], for the word that tells whether a rule would give a member that name.
#[inline(always)]
pub(crate) fn claimed(bits: u32, slot: Id) -> u32 {
    stands(bits, slot).wrapping_add(1)
}

/// An open object or array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub state: Id,
    pub is_object: bool,
    /// Whether two of its members would get the same name, or one would get a name without a slot.
    pub contested: bool,
    pub open: u32,
    /// Where this object's parts of the lists begin.
    pub bits: u32,
    pub hits: u32,
    pub names: u32,
    pub container: Id,
    /// Members begun so far.
    pub members: u32,
    /// Where the text of the current member begins: at the comma before it, or at its key.
    pub lead: u32,
    /// Where the last value ended.
    pub last_end: u32,
    /// The current member, if it is kept.
    pub member: Id,
    /// The current member's hit.
    pub hit: Id,
    /// The record that the object is, in [`Scratch::instances`].
    pub instance: Id,
    /// Whether the plan, similarity apart, does not know the object. Then it knows no name inside.
    pub foreign: bool,
}

/// A member that a rule would rename.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub edit: Id,
    /// Slot of the new name; [`NONE`] if only its hash is known.
    pub slot: Id,
    pub hash: u64,
    pub rank: u16,
    pub value: (u32, u32),
    /// The range of edits inside the value, if they depend on this rule.
    pub inner: (u32, u32),
    pub fired: bool,
}

/// A member of a tracked object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub container: Id,
    /// The member kept before it in the same container.
    pub before: Id,
    pub ordinal: u32,
    pub slot: Id,
    pub lead: u32,
    /// Offset of the opening quote.
    pub key: u32,
    /// Offset after the closing quote.
    pub key_end: u32,
    pub value: u32,
    pub value_end: u32,
    /// Offset of the next member's key; [`NONE`] for the last member.
    pub next: u32,
    /// Its value, if that is a tracked object.
    pub child: Id,
    pub remove_edit: Id,
    pub rename_edit: Id,
    pub replace_edit: Id,
    /// The range of edits inside the value.
    pub inner: (u32, u32),
    /// Whether its name occurs twice.
    pub twice: bool,
    pub fate: Fate,
    /// How many accepted moves put something into its value.
    pub pins: u32,
    /// Whether nothing accounts for it.
    pub unmapped: bool,
    /// Whether the contract expects it, under the name that it has.
    pub expected: bool,
}

impl Member {
    /// Whether no accepted move takes it, or needs it where it is.
    #[inline(always)]
    pub(crate) fn is_free(&self) -> bool {
        self.fate == Fate::Stays && self.pins == 0
    }
}

/// What becomes of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Stays,
    /// An accepted move takes its value elsewhere.
    Moved,
    /// An accepted move puts its value one level deeper, in place.
    Wrapped,
    /// An accepted move replaces it by a value from inside it.
    Unwrapped,
    /// Moves emptied it, so it is removed.
    Emptied,
    /// Nothing accounts for it, so it is removed.
    Dropped,
}

/// A tracked object.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that decisions ask of an object")]
pub(crate) struct Container {
    pub parent: Id,
    /// The member of a tracked object whose value it is.
    pub member: Id,
    pub last_member: Id,
    pub members: u32,
    pub open: u32,
    /// Where its parts of [`Scratch::members`], [`Scratch::sources`] and [`Scratch::targets`] begin.
    pub first_member: Id,
    pub first_source: Id,
    pub first_target: Id,
    /// Offset of the token after the opening brace.
    pub first_key: u32,
    pub insert_edit: Id,
    /// How many accepted moves end here.
    pub inserts: u32,
    pub first_node: Id,
    pub last_node: Id,
    /// Whether an accepted move takes a member of it, or of a container in it.
    pub taken: bool,
    /// Whether a name occurs twice in it.
    pub twice: bool,
    /// Whether clients expect one of its members, under its name or under one that a rule would give it.
    pub fits: bool,
    /// Whether something in it was dropped.
    pub dropped: bool,
    pub removed: u32,
    /// Members removed from the start without a gap.
    pub removed_first: u32,
}

/// A closed record, and the lengths of the lists when it closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closed {
    pub anchor: Id,
    pub members: usize,
    pub containers: usize,
    pub sources: usize,
    pub targets: usize,
}

/// A member at which a move starts.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that the decision asks of a move")]
pub(crate) struct SourceHit {
    pub mv: Id,
    pub anchor: Id,
    pub member: Id,
    pub judges: bool,
    pub accepted: bool,
    /// Whether what was done inside the value was taken back.
    pub undone: bool,
    /// The container that the value goes to, if the move is accepted.
    pub into: Id,
    /// Whether its record is inside a value that turned out not to be what it was judged as.
    pub void: bool,
    /// How many names of its target path stand already.
    pub stands: u32,
    /// The member that a wrap turns into the object that the value goes to, if it does.
    pub beside: Id,
}

/// A member that stands on the target path of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetHit {
    pub step: Id,
    pub anchor: Id,
    pub member: Id,
    pub renamed: bool,
}

/// A change of the bytes `at..end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub at: u32,
    pub end: u32,
    pub kind: EditKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EditKind {
    /// No change after all.
    Void,
    /// Another name, quoted: in the plan's text or in the arena.
    Key { text: (u32, u32), in_arena: bool, rule: RuleRef },
    /// Removal of a member that was moved, emptied by moves, or dropped.
    Remove { dropped: bool },
    /// Members added at the end of an object. `gap`: the white space before its first member. `bare`: whether it has no
    /// other members.
    Insert { gap: (u32, u32), bare: bool, first: Id },
    /// Another value.
    Replace(Id),
    /// What passed-over elements become: the number of the run.
    Pass(Id),
}

/// A member that is made: of a moved value, or of an object that holds such members.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its name, quoted, in the plan's text.
    pub text: (u32, u32),
    pub next: Id,
    pub first: Id,
    pub last: Id,
    pub value: (u32, u32),
    /// Where the edits inside the value begin.
    pub inner: u32,
    /// From the end of the source's key to its value: the colon and the white space around it.
    pub colon: (u32, u32),
    pub mv: Id,
    pub source: u32,
}

/// The best claim to a slot in the object being resolved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Best {
    pub epoch: u32,
    pub rank: u16,
    pub hit: Id,
}

/// What is known of a step of a target path in the record being resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub epoch: u32,
    pub kind: MarkKind,
    /// The object that stands there, whether or not it takes values.
    pub inside: Id,
    /// Whether an accepted move ends below.
    pub below: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// Nothing stands there.
    Absent,
    /// An object that takes values.
    Object(Id),
    /// Something that takes no values.
    Closed,
    /// An accepted move ends there.
    Claimed,
    /// A member that an accepted move turns into an object that holds its value.
    Wrapped(Id),
}

impl Mark {
    pub(crate) const ABSENT: Mark = Mark { epoch: 0, kind: MarkKind::Absent, inside: NONE, below: false };
}
