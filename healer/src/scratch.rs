//! What is known of a body while it is walked, in flat lists that are reused from body to body.

use crate::memo::Instance;
use crate::plan::Automaton;
use crate::plan::automaton::{Id, NONE, RuleRef};
use crate::plan::guard::Guard;
use crate::report::Op;
use crate::stencil::ListPlace;
use crate::walk::Progress;
use std::ops::Range;

/// All lists. Indices into them are [`Id`]s.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub frames: Vec<Frame>,
    /// Slotted names in open objects: for each, words in pairs, of the names that stand and of those that rules would give.
    pub bits: Vec<u64>,
    /// Members of open objects that a rule would rename. Their edits are made; where the rule does not fire, they are
    /// taken back.
    pub hits: Vec<Hit>,
    /// Hashes of the names of all members of open objects, where a convention may make any name.
    pub names: Vec<u64>,
    pub members: Vec<Member>,
    pub containers: Vec<Container>,
    pub sources: Vec<SourceHit>,
    pub targets: Vec<TargetHit>,
    /// In ascending order of position. What may become an edit has its place from the moment it is seen.
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
    /// Rank, place and rule of sources, and which they are.
    pub order: Vec<(u16, Id, u32, Id)>,
    pub live: Vec<u32>,
    pub wanted: Vec<(u64, Id)>,
    /// What rules found and left alone, as it would have become: the target stands, or another rule has it.
    pub conflicts: Vec<Op>,
    /// What similarity would have renamed or moved, had its value been one that clients know.
    pub unlisted: Vec<Op>,
    /// What guards asked where it draws: the token of the value, and the answer.
    pub asked: Vec<(usize, Guard, bool)>,
    /// Whether a stencil is to be drawn, so that all members of records are told of.
    pub draws: bool,
    /// Offsets of values that are under names that the plan knows, where it draws: of these only the kind counts.
    pub known_values: Vec<u32>,
    /// Records come across, in the order in which they opened.
    pub instances: Vec<Instance>,
    /// Tokens that the walk took in, also where it failed.
    pub walked: usize,
    /// Where it failed: the innermost open container.
    pub innermost: Innermost,
    /// Whether elements were passed over in another place than where they were taken to be.
    pub astray: Astray,
    /// Whether a required member neither stands nor comes by an op that is known of when its object closes.
    pub lacks: bool,
    /// How far the records around the innermost one were read.
    pub around: Vec<Progress>,
}

impl Scratch {
    /// Forgets the last body, keeps the memory.
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

    /// Members that a first body may have before lists grow.
    const ROOM: usize = 64;

    /// Makes room for a body with moves, if none was there before, so that the first one does not grow each list step by step.
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
        // A place to go from for each member, and more in containers.
        self.edits.reserve(2 * Self::ROOM);
    }

    /// Edits that scratch memory is kept for between bodies: 32 KiB of them, and the other lists are no longer.
    pub(crate) const KEPT: usize = 8 << 10;

    /// Whether anything changes.
    pub(crate) fn has_edits(&self) -> bool {
        self.edits.iter().any(|edit| !matches!(edit.kind, EditKind::Void))
    }

    /// Appends an edit that is not one yet.
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

    /// Sets the bit of a slot in a word. Whether it was set, if there is that word: of no slot it is beyond all there are.
    #[inline(always)]
    pub(crate) fn set_bit(&mut self, word: u32, slot: Id) -> Option<bool> {
        let bit = 1u64 << (slot & 63);
        self.bits.get_mut(word as usize).map(|word| {
            let was_set = *word & bit != 0;
            *word |= bit;
            was_set
        })
    }

    /// Makes an edit of a reserved place, or takes one back.
    #[inline(always)]
    pub(crate) fn set_edit(&mut self, id: Id, kind: EditKind) {
        if let Some(edit) = self.edits.get_mut(id as usize) {
            edit.kind = kind;
        }
    }

    #[inline(always)]
    pub(crate) fn is_renamed(&self, edit: Id) -> bool {
        matches!(self.edits.get(edit as usize), Some(Edit { kind: EditKind::Key { .. }, .. }))
    }

    /// Whether a member goes when moves leave nothing in it. One that clients expect stays: they may look into it.
    #[inline(always)]
    pub(crate) fn goes_if_empty(&self, plan: &Automaton, member: Id) -> bool {
        let is_expected = |member: &Member| member.expected || self.is_renamed(member.rename_edit);
        self.member(member).is_some_and(|member| member.fate == Fate::Stays && !(plan.contract && is_expected(member)))
    }

    /// A record that closes now.
    pub(crate) fn closed(&self, anchor: Id) -> Closed {
        let Scratch { members, containers, sources, targets, .. } = self;
        let [members, containers] = [members.len(), containers.len()];
        Closed { anchor, members, containers, sources: sources.len(), targets: targets.len() }
    }

    /// The members whose keys are from `start` up to `end`.
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

    /// A number that no mark and no claim carries yet, so that those of earlier objects and bodies can stay.
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

/// A container that is open, and how many are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Innermost {
    pub state: Id,
    pub depth: u32,
    /// Whether what is in it may tell similarity something about what is around it.
    pub is_evidence: bool,
}

impl Innermost {
    /// Whether elements in it are at that place.
    pub(crate) fn is(self, place: ListPlace) -> bool {
        (self.state, self.depth) == (place.state, place.depth)
    }
}

/// Whether elements were passed over that should not have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Astray {
    #[default]
    No,
    /// Their list is another.
    Elsewhere,
    /// What is in their list counts for what is around it.
    InEvidence,
}

/// The word of [`Scratch::bits`] that tells whether a slotted name stands in the object whose words begin at `bits`.
#[inline(always)]
pub(crate) fn stands(bits: u32, slot: Id) -> u32 {
    bits.wrapping_add(slot >> 6 << 1)
}

/// As above, whether a rule would give a member that name.
#[inline(always)]
pub(crate) fn claimed(bits: u32, slot: Id) -> u32 {
    stands(bits, slot).wrapping_add(1)
}

/// An object or array that is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub state: Id,
    pub is_object: bool,
    /// Whether two of its members would get one name, or one a name without a slot.
    pub contested: bool,
    pub open: u32,
    /// Where this object's runs in the lists begin.
    pub bits: u32,
    pub hits: u32,
    pub names: u32,
    pub container: Id,
    /// Members begun.
    pub members: u32,
    /// Where the text that belongs to the current member begins: at the comma before it, or at its key.
    pub lead: u32,
    /// End of the last value.
    pub last_end: u32,
    /// The current member, where it is kept.
    pub member: Id,
    /// The current member's hit.
    pub hit: Id,
    /// The record that the object is, among [`Scratch::instances`].
    pub instance: Id,
    /// Whether the plan, similarity apart, does not know the object: then it knows no name inside.
    pub foreign: bool,
}

/// A member that a rule would rename.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub edit: Id,
    /// Slot of the new name; [`NONE`] where only its hash is known.
    pub slot: Id,
    pub hash: u64,
    pub rank: u16,
    pub value: (u32, u32),
    /// Edits inside the value, if they depend on this rule: a run.
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
    /// The opening quote.
    pub key: u32,
    /// After the closing quote.
    pub key_end: u32,
    pub value: u32,
    pub value_end: u32,
    /// The next member's key; [`NONE`] for the last.
    pub next: u32,
    /// The value, if it is a tracked object.
    pub child: Id,
    pub remove_edit: Id,
    pub rename_edit: Id,
    pub replace_edit: Id,
    /// Edits inside the value: a run.
    pub inner: (u32, u32),
    /// Whether its name occurs twice.
    pub twice: bool,
    pub fate: Fate,
    /// Accepted moves that put something into its value.
    pub pins: u32,
    /// Nothing accounts for it.
    pub unmapped: bool,
    /// The contract expects it, under the name that it has.
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
    /// An accepted move puts its value a level deeper, in place.
    Wrapped,
    /// An accepted move puts a value from inside it in its place.
    Unwrapped,
    /// Moves emptied it, so it goes.
    Emptied,
    /// Nothing accounts for it, so it goes.
    Dropped,
}

/// A tracked object.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that decisions ask of an object")]
pub(crate) struct Container {
    pub parent: Id,
    /// The member whose value it is, in a tracked object.
    pub member: Id,
    pub last_member: Id,
    pub members: u32,
    pub open: u32,
    /// Where what is inside begins in the lists: [`Scratch::members`], [`Scratch::sources`], [`Scratch::targets`].
    pub first_member: Id,
    pub first_source: Id,
    pub first_target: Id,
    /// The token after the opening brace.
    pub first_key: u32,
    pub insert_edit: Id,
    /// Accepted moves that end here.
    pub inserts: u32,
    pub first_node: Id,
    pub last_node: Id,
    /// An accepted move takes a member of it, or of a container in it.
    pub taken: bool,
    /// A name occurs twice in it.
    pub twice: bool,
    /// It has a member that clients expect, under its name or under one that a rule leads from.
    pub fits: bool,
    /// Something in it was dropped.
    pub dropped: bool,
    pub removed: u32,
    /// Members removed from the start without a gap.
    pub removed_first: u32,
}

/// A record that has closed, and how far what is inside it reaches in the lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closed {
    pub anchor: Id,
    pub members: usize,
    pub containers: usize,
    pub sources: usize,
    pub targets: usize,
}

/// A move starts at a member.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question that the decision asks of a move")]
pub(crate) struct SourceHit {
    pub mv: Id,
    pub anchor: Id,
    pub member: Id,
    pub judges: bool,
    pub accepted: bool,
    /// What was done inside the value was taken back.
    pub undone: bool,
    /// The container that the value goes to, where the move is accepted.
    pub into: Id,
    /// Its record is inside a value that turned out to be no such value.
    pub void: bool,
    /// How many names of its target path stand already.
    pub stands: u32,
    /// The member of which a wrap makes the object that the value goes to, where it does.
    pub beside: Id,
}

/// A member stands on the target path of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetHit {
    pub step: Id,
    pub anchor: Id,
    pub member: Id,
    pub renamed: bool,
}

/// A change to the bytes `at..end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    pub at: u32,
    pub end: u32,
    pub kind: EditKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum EditKind {
    /// None after all.
    Void,
    /// Another name, quoted: in the plan's text or in the arena.
    Key { text: (u32, u32), in_arena: bool, rule: RuleRef },
    /// Nothing in its place: the member was moved, or emptied by moves, or dropped.
    Remove { dropped: bool },
    /// Members added to the end of an object. `gap`: the white space before its first member; `bare`: it has no
    /// other members.
    Insert { gap: (u32, u32), bare: bool, first: Id },
    /// Another value.
    Replace(Id),
    /// What the elements that were passed over become: the run of that number.
    Pass(Id),
}

/// A member that is made: of a moved value, or of an object of such.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its name, quoted, in the plan's text.
    pub text: (u32, u32),
    pub next: Id,
    pub first: Id,
    pub last: Id,
    pub value: (u32, u32),
    /// Where edits inside the value begin.
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
    /// The object that stands there, whether or not it is open.
    pub inside: Id,
    /// Whether an accepted move ends below.
    pub below: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// Nothing stands there.
    Absent,
    /// An object, open to values.
    Object(Id),
    /// Something that takes no values.
    Closed,
    /// An accepted move ends there.
    Claimed,
    /// A member of which an accepted move makes an object that holds it.
    Wrapped(Id),
}

impl Mark {
    pub(crate) const ABSENT: Mark = Mark { epoch: 0, kind: MarkKind::Absent, inside: NONE, below: false };
}
