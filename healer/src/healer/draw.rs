//! Drawing the stencil of a text that was healed.

use super::{Healer, Summary};
use crate::memo::{Instance, Memo};
use crate::plan::{Automaton, Plan};
use crate::render::{Output, Renderer};
use crate::scratch::{Astray, Edit, EditKind, Scratch};
use crate::stencil::{
    Drawing, List, MAX_BYTES, MOST_ELEMENTS, MOST_LISTS, MOST_NESTING, Mark, Marked, Passed, Reading, Run, Stencil,
};
use crate::walk::{Body, Cursor};
use std::sync::Arc;

/// Start and end of a text in a body.
type Text = (usize, usize);

impl Healer {
    /// Draws a stencil of the text that was healed last. `text`: where it is in the body. `healed`: where its healed
    /// form begins in the output, if it changed.
    #[cold]
    #[inline(never)]
    pub(crate) fn draw(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &mut Memo,
        text: Text,
        healed: usize,
        summary: Summary,
    ) -> Option<Stencil> {
        if text.1.saturating_sub(text.0) > MAX_BYTES {
            return None;
        }
        let summary = Summary { new_shapes: 0, ..summary };
        let with_lists = self.draw_with_lists(body, plan, memo, text);
        let is_true = |healer: &Healer, memo: &Memo, stencil: &Stencil| {
            healer.is_true(stencil, body, memo.automaton(plan), text, healed, &summary)
        };
        if let Some(stencil) = with_lists.filter(|stencil| is_true(self, memo, stencil)) {
            return Some(stencil);
        }
        let stencil = self.draw_around(body, plan, memo, text, summary, Vec::new())?;
        is_true(self, memo, &stencil).then_some(stencil)
    }

    /// Whether a stencil turns its own text into what that became. If it does not, it must not be used for any other
    /// text.
    #[cold]
    #[inline(never)]
    fn is_true(
        &self,
        stencil: &Stencil,
        body: &Body<'_>,
        automaton: &Automaton,
        (from, to): Text,
        healed: usize,
        summary: &Summary,
    ) -> bool {
        let (mut reading, mut out) = (Reading::default(), Output::default());
        if stencil.fit(automaton, body.bytes, from, &mut reading) != Ok(to) {
            return false;
        }
        let rest = stencil.write(body.bytes, from, &reading, &mut out);
        out.put_plainly(body.bytes, (rest as u32, to as u32));
        let is_same = !summary.changed || self.output.as_slice().get(healed..) == Some(out.as_slice());
        is_same && Summary { lacks: summary.lacks, ..*stencil.summary(&reading) } == *summary
    }

    /// As [`Healer::draw`], with arrays of objects as lists.
    ///
    /// The text is healed once more with the elements of those lists passed over. The result is only what is around
    /// them, so nothing inside them enters the stencil.
    fn draw_with_lists(&self, body: &Body<'_>, plan: &Plan, memo: &mut Memo, text: Text) -> Option<Stencil> {
        // Beyond a limit, what is done depends on how much of it was spent before.
        if self.nesting >= MOST_NESTING || memo.might_be_spent(plan, 0) {
            return None;
        }
        let mut other = Healer::new();
        other.nesting = self.nesting.saturating_add(1);
        let lists = other.lists(body, plan, memo, &self.settled);
        if lists.is_empty() { None } else { other.draw_around_lists(body, plan, memo, text, lists) }
    }

    fn draw_around_lists(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &mut Memo,
        text: Text,
        lists: Vec<List>,
    ) -> Option<Stencil> {
        let (mut tokens, mut runs) = (Vec::new(), Vec::new());
        // On the tape a run is an object without members.
        let is_passed = |at: u32, list: &List| list.objects.0 < at && at < list.brackets.1 && at != list.objects.1;
        for at in body.tokens {
            if !lists.iter().any(|list| is_passed(*at, list)) {
                tokens.push(*at);
            }
        }
        for list in &lists {
            runs.push(Run::copy(list.objects.0, body.end_before(list.brackets.1)));
        }
        let passed = Passed { runs: &runs, text: body.bytes, place: None };
        let body = Body { tokens: &tokens, passed, ..*body };
        let (summary, _) = self.heal_alone(&body, text.0, plan, memo)?;
        // The summary tells the shape of the first record, which must not be an element. If a rule does not fire, what
        // is in its value is left alone, so a list there shows no run.
        let is_told = !memo.is_used() || self.settled.first().is_some_and(|record| record.token == 0);
        if !is_told || self.scratch.astray == Astray::InEvidence || self.passes.len() < runs.len() {
            return None;
        }
        let is_change = |edit: &Edit| !matches!(edit.kind, EditKind::Void | EditKind::Pass(_));
        let changed = self.scratch.edits.iter().any(is_change);
        let shown = std::mem::take(&mut self.passes);
        let summary = Summary { changed, new_shapes: 0, lacks: self.scratch.lacks, ..summary };
        let mut stencil = self.draw_around(&body, plan, memo, text, summary, lists)?;
        stencil.shown = shown;
        Some(stencil)
    }

    /// Draws the text that was healed last, without what is in its lists.
    #[cold]
    #[inline(never)]
    fn draw_around(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &Memo,
        (from, to): Text,
        summary: Summary,
        lists: Vec<List>,
    ) -> Option<Stencil> {
        let automaton = memo.automaton(plan);
        let ops = self.ops.clone();
        let mut render = |mark| self.render_marks(body, automaton, (from, to), mark);
        let marked = (summary.changed || !lists.is_empty()).then(|| Marked(Marked::MARKS.map(&mut render)));
        self.ops.truncate(ops.len());
        let Scratch { asked, known_values, .. } = &self.scratch;
        let known_values = memo.is_used().then_some(known_values.as_slice());
        let most_names = memo.most_names(plan);
        let effort = self.effort;
        let drawing = Drawing { body: *body, from, to, known_values, asked, summary, ops, lists, effort, most_names };
        drawing.draw(marked.as_ref())
    }

    /// Renders marks of places instead of the bytes of the body.
    #[inline(never)]
    fn render_marks(&mut self, body: &Body<'_>, plan: &Automaton, (from, to): Text, mark: Mark) -> Output {
        let (mut marks, mut out) = (vec![0; to], Output::default());
        marks.iter_mut().skip(from).zip(0..).for_each(|(to, at)| *to = mark.of(at));
        let marked = Passed { text: &marks, ..body.passed };
        let body = Body { bytes: &marks, passed: marked, ..*body };
        let (scratch, tasks, ops) = (&self.scratch, &mut self.tasks, &mut self.ops);
        let passes = &mut self.passes;
        Renderer { body, plan, scratch, tasks, out: &mut out, ops, passes, dropped: 0 }.run(from as u32, to as u32);
        out
    }

    /// Returns the arrays of a text that may be drawn as lists, without those inside others. `settled`: the records of
    /// the text.
    fn lists(&mut self, body: &Body<'_>, plan: &Plan, memo: &mut Memo, settled: &[Instance]) -> Vec<List> {
        let (mut lists, mut token) = (Vec::new(), 0);
        while token < body.tokens.len() && lists.len() < MOST_LISTS {
            if opens_list(body, token)
                && let Some((close, brace)) = end_of_list(body, token)
            {
                lists.extend(self.list(body, plan, memo, (token, close, brace), settled));
                token = close;
            }
            token = token.wrapping_add(1);
        }
        lists
    }

    /// Returns an array as a list, if it may be drawn as one. The numbers are the tokens of its brackets and the offset
    /// of the brace that closes its last object.
    fn list(
        &mut self,
        body: &Body<'_>,
        plan: &Plan,
        memo: &mut Memo,
        (open, close, brace): (usize, usize, u32),
        settled: &[Instance],
    ) -> Option<List> {
        let start = open.wrapping_add(1);
        let at = |token: usize| body.tokens.get(token).copied();
        let place = Healer::place_of((body, open), plan, memo, (&mut self.scratch, settled))?;
        let (brackets, objects) = ((at(open)?, at(close)?), (at(start)?, brace));
        let mut list = List { brackets, objects, is_any: !memo.is_used(), elements: Vec::new() };
        let mut reading = Reading::default();
        let mut cursor = Cursor::new(body, start);
        while cursor.token() < close {
            let (start, is_object) = (cursor.token(), cursor.byte() == b'{');
            cursor.skip();
            let open = at(start)? as usize;
            let automaton = memo.automaton(plan);
            let mut fits = |known: &Arc<Stencil>| known.fit(automaton, body.bytes, open, &mut reading).is_ok();
            if is_object && !list.elements.iter().any(&mut fits) {
                let element = self.draw_element(body, place.state, start..cursor.token(), plan, memo)?;
                if let Some(element) = element.merge(&mut list.elements) {
                    list.elements.push(Arc::new(element));
                }
                if list.elements.len() > MOST_ELEMENTS {
                    return None;
                }
            }
        }
        Some(list)
    }
}

/// Whether an array opens at a token and begins with an object.
fn opens_list(body: &Body<'_>, token: usize) -> bool {
    let byte = |token| Cursor::new(body, token).byte();
    byte(token) == b'[' && byte(token.wrapping_add(1)) == b'{'
}

/// Returns the token that closes an array, and the offset where its last object closes. `None` if it contains arrays or
/// no object.
fn end_of_list(body: &Body<'_>, array: usize) -> Option<(usize, u32)> {
    let mut last = None;
    let mut cursor = Cursor::new(body, array.wrapping_add(1));
    while cursor.token() < body.tokens.len() {
        match cursor.byte() {
            b']' => return Some((cursor.token(), last?)),
            b'[' => return None,
            first => {
                cursor.skip();
                let close = body.tokens.get(cursor.token().wrapping_sub(1));
                last = if first == b'{' { close.copied() } else { last };
            }
        }
    }
    None
}
