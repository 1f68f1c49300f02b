//! Moves that similarity adds to the automaton: from a member to the place of the field that it is.

use super::{Overlay, RANK};
use crate::plan::automaton::{Id, Move, MoveKind, NONE, RuleRef, TargetName};
use crate::similarity::Standing;
use crate::survey::Row;

impl Overlay<'_> {
    /// Whether the move can be carried out: within the record, or else within the innermost object around the member
    /// that is also around the field, wherever that object goes.
    pub(super) fn mv(&mut self, from: &[Id], to: &[Id], index: u32) -> bool {
        self.mv_in(NONE, from, to, index)
            || self.innermost(from, to).is_some_and(|(row, inside, down)| {
                let (around, from) = from.split_at_checked(inside).unwrap_or_default();
                let moves = self.mv_in(row, from, to.get(down..).unwrap_or_default(), index);
                if moves {
                    for row in around {
                        self.touch(*row);
                    }
                    if let Some(touch) = self.touch(row) {
                        touch.anchors = true;
                    }
                }
                moves
            })
    }

    /// Returns the innermost object around the source that is also around the target, and the number of steps of both
    /// paths that lead there.
    pub(super) fn innermost(&self, from: &[Id], to: &[Id]) -> Option<(Id, usize, usize)> {
        let above = to.get(..to.len().saturating_sub(1)).unwrap_or_default();
        (1..from.len()).rev().find_map(|inside| {
            let row = *from.get(inside.wrapping_sub(1))?;
            let field = self.counterpart.get(row as usize).filter(|field| **field != NONE)?;
            let down = above.iter().position(|known| known == field)?;
            Some((row, inside, down.saturating_add(1)))
        })
    }

    /// Whether the move can be carried out within an object, or the record ([`NONE`]), from which both paths start.
    pub(super) fn mv_in(&mut self, object: Id, from: &[Id], to: &[Id], index: u32) -> bool {
        let Some(standing) = self.standing_on(object, to) else { return false };
        let nested = |outer: &[Id], inner: &[Id]| inner.len() >= outer.len() && inner.get(..outer.len()) == Some(outer);
        let wraps = from == standing && from.last().is_some_and(|row| self.is_in_the_way(*row));
        if nested(from, &standing) && !wraps || self.is_claimed(object, to, &standing) {
            return false;
        }
        let last = |ids: &[Id]| ids.last().copied().unwrap_or(NONE);
        let path = self.steps(to);
        let guard = self.guard(last(from), last(to));
        let (id, depth) = (self.automaton.moves.len() as Id, from.len() as u32);
        self.automaton.moves.push(Move {
            rule: index,
            by: RuleRef::Similar(index),
            rank: RANK,
            kind: if wraps { MoveKind::Wrap } else { MoveKind::Plain },
            path: path.clone(),
            depth,
            guard,
        });
        for row in from {
            let Some(touch) = self.touch(*row) else { continue };
            if *row == last(from) {
                touch.source = Some((id, depth));
            } else {
                touch.passes = true;
            }
        }
        for (row, target) in standing.iter().zip(path.into_iter().zip(1u32..)) {
            let Some(touch) = self.touch(*row) else { continue };
            if !touch.targets.contains(&target) {
                touch.targets.push(target);
            }
        }
        true
    }

    /// Returns the rows that stand on a target path, above its end, down to one that is in the way. `None` if one of
    /// them is not in its place.
    pub(super) fn standing_on(&self, object: Id, to: &[Id]) -> Option<Vec<Id>> {
        let above = to.get(..to.len().saturating_sub(1)).unwrap_or_default();
        let mut rows: Vec<Id> = Vec::new();
        for field in above {
            let is_there = |row: &Row| row.standing == Standing::Expected(*field);
            let known = self.counterpart.iter().position(|known| known == field);
            let around = rows.last().copied().unwrap_or(object);
            let Some(row) = known.or_else(|| self.survey.rows.iter().position(is_there)) else {
                // Nothing stands here, so nothing can stand below, unless a member of this name was taken for another
                // field, or an object moves to a place below.
                let moves_in = above.iter().skip(rows.len()).any(|field| self.counterpart.contains(field));
                return (!moves_in && !self.has_member(around, self.name(*field), NONE)).then_some(rows);
            };
            let row = row as Id;
            if self.survey.parent(row) != around || self.is_ruled(row) {
                return None;
            }
            rows.push(row);
        }
        Some(rows)
    }

    /// Returns the steps of a target path, and adds those that the plan lacks.
    pub(super) fn steps(&mut self, to: &[Id]) -> Vec<Id> {
        let mut parent = NONE;
        let mut path = Vec::new();
        for field in to {
            let text = self.text(self.name(*field));
            let words = self.automaton.text(text).to_vec();
            let same = |step: &TargetName| step.parent == parent && self.automaton.text(step.text) == words;
            let known = self.automaton.steps.iter().position(same);
            let step = known.map_or_else(|| self.automaton.steps.len() as Id, |known| known as Id);
            if known.is_none() {
                self.automaton.steps.push(TargetName { parent, text });
            }
            path.push(step);
            parent = step;
        }
        path
    }
}
