//! Healing a list that moved to the root of the body, or away from it.

use super::{Healer, Summary, moves_may_unmake};
use crate::memo::Memo;
use crate::outermost::{self, Found};
use crate::plan::Plan;
use crate::reason::{Failure, Reason};
use crate::report::{Name, Op, OpKind};
use crate::walk::Body;

impl Healer {
    /// Heals a body that consists of the expected list at another place. Returns nothing if it does not.
    #[cold]
    pub(super) fn heal_outermost(
        &mut self,
        plan: &Plan,
        memo: &mut Memo,
        body: &Body<'_>,
    ) -> Option<Result<Summary, Failure>> {
        let found = outermost::find(plan, memo, body)?;
        let healed = self.heal_found(plan, memo, body, &found);
        // The list may end early, with something else after it: then it is not all that there is.
        if healed.is_err_and(|failure| failure.reason == Reason::Malformed) {
            self.forget_last();
            memo.restart();
            return None;
        }
        Some(healed)
    }

    fn heal_found(
        &mut self,
        plan: &Plan,
        memo: &mut Memo,
        body: &Body<'_>,
        found: &Found<'_>,
    ) -> Result<Summary, Failure> {
        let Found { part, span: (start, end), body: (first, last), before, .. } = found;
        self.walk(part, plan, memo)?;
        // White space around the body stays. What comes before it may have been passed on already.
        self.output.put_plainly(body.bytes, (0, *first));
        self.output.put_plainly(before, (0, before.len() as u32));
        let mut summary = self.render(part, plan, memo, *start as usize, *end as usize)?;
        if !summary.changed {
            self.output.put_plainly(part.bytes, (*start, *end));
        }
        found.to.iter().for_each(|_| self.output.put_byte(b'}'));
        self.output.put_plainly(body.bytes, (*last, body.bytes.len() as u32));
        let rule = memo.outermost(found);
        self.ops.insert(0, Op { kind: OpKind::Move, at: found.at, rule, name: Name::NONE });
        memo.note_used(&self.ops);
        summary.changed = true;
        summary.moves = summary.moves.saturating_add(1);
        summary.similar = summary.similar.saturating_add(1);
        summary.new_shapes = memo.news();
        summary.lacks = self.scratch.lacks || moves_may_unmake(plan, &summary);
        Ok(summary)
    }
}
