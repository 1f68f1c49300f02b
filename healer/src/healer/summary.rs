/// What was done to a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whether the output differs from the body.
    pub changed: bool,
    /// Members renamed.
    pub renames: u32,
    /// Members moved.
    pub moves: u32,
    /// Members dropped because nothing accounts for them.
    pub dropped: u32,
    /// Renames and moves that similarity found.
    pub similar: u32,
    /// The shape of the first record; only with similarity.
    pub shape: Option<u64>,
    /// Rules that found their source and did not fire: the target stands already, or another rule has it.
    pub conflicts: u32,
    /// Members that similarity left as they came because of their value: it is not in the list that the contract or the
    /// name implies.
    pub unlisted: u32,
    /// Shapes of records that similarity had not seen before, or had forgotten.
    pub new_shapes: u32,
    /// Whether required members may be missing from the output: [`Healer::missing`](super::Healer::missing) finds out which.
    pub lacks: bool,
    /// Unknown names in all records that similarity did not examine because a limit was reached.
    pub unscored: u32,
}

impl Summary {
    /// Returns the number of renames and moves.
    pub fn ops(&self) -> u32 {
        self.renames.saturating_add(self.moves)
    }

    /// Adds what was done to a part of the body.
    pub(crate) fn add(&mut self, part: &Summary) {
        self.changed |= part.changed;
        self.renames = self.renames.saturating_add(part.renames);
        self.moves = self.moves.saturating_add(part.moves);
        self.dropped = self.dropped.saturating_add(part.dropped);
        self.similar = self.similar.saturating_add(part.similar);
        self.conflicts = self.conflicts.saturating_add(part.conflicts);
        self.unlisted = self.unlisted.saturating_add(part.unlisted);
        self.unscored = self.unscored.saturating_add(part.unscored);
        self.shape = self.shape.or(part.shape);
        self.lacks |= part.lacks;
    }

    /// Adds what was done, alike, to each of `times` parts of the body.
    pub(crate) fn add_times(&mut self, part: &Summary, times: u32) {
        let all = |count: u32| count.saturating_mul(times);
        self.add(&Summary {
            renames: all(part.renames),
            moves: all(part.moves),
            dropped: all(part.dropped),
            similar: all(part.similar),
            conflicts: all(part.conflicts),
            unlisted: all(part.unlisted),
            unscored: all(part.unscored),
            ..*part
        });
    }
}
