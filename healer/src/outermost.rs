//! The list that a body consists of, where it stands at the root and is expected in an object, or the other way round.

use crate::memo::Memo;
use crate::plan::Plan;
use crate::plan::outermost::{MAX_AROUND, Outermost};
use crate::similarity::Parts;
use crate::similarity::rooted::{self, Says};
use crate::text::{decoded, unquoted};
use crate::walk::{Body, Part};

/// The expected list, at another place.
pub(crate) struct Found<'a> {
    /// The list, to be walked in the state of the expected one.
    pub part: Body<'a>,
    /// From its opening to behind its closing bracket.
    pub span: (u32, u32),
    /// The same of the body, which may have white space around it.
    pub body: (u32, u32),
    /// The offset of its key, or of the list itself at the root.
    pub at: u32,
    /// The names around it; none at the root.
    pub from: Vec<String>,
    /// The names around the expected list.
    pub to: &'a [String],
    /// What stands before the list in the output.
    pub before: &'a [u8],
    /// Why it is the expected list.
    pub parts: Parts,
}

/// Whether a body is an object where a list is expected, or a list where an object around one is.
pub(crate) fn is_elsewhere(plan: &Plan, body: &Body<'_>) -> bool {
    let is_object = match first_byte(body) {
        b'{' => true,
        b'[' => false,
        _ => return false,
    };
    plan.outermost().is_some_and(|list| matches!(list, Outermost::Root) == is_object)
}

/// Returns the list that such a body consists of, if it is the expected one.
pub(crate) fn find<'a>(plan: &'a Plan, memo: &mut Memo, body: &Body<'a>) -> Option<Found<'a>> {
    let (mut found, state, expects_any) = match (plan.outermost()?, first_byte(body)) {
        (Outermost::Root, b'{') => (enclosed(body)?, plan.automaton().root, true),
        (Outermost::Enclosed(list), b'[') => {
            let span = span_of(body)?;
            let (from, to, before) = (Vec::new(), list.names.as_slice(), list.before.as_slice());
            (
                Found { part: *body, span, body: span, at: span.0, from, to, before, parts: Parts::NONE },
                list.state,
                list.says_nothing,
            )
        }
        _ => return None,
    };
    found.part.part = Part::Value(state);
    let mut names = found.from.iter();
    found.parts = match found.part.tokens.get(1).map(|at| body.byte(*at)) {
        Some(b'{') if names.all(|name| Says::of(name) != Says::Other) => {
            memo.is_element(plan, &found.part, 1, plan.automaton().state(state).element)?
        }
        // Only a list that may be any list needs no element to be known by.
        Some(b']') if expects_any && names.all(|name| Says::of(name) == Says::Nothing) => rooted::NO_ELEMENT,
        _ => return None,
    };
    Some(found)
}

/// Returns the list in a body that is an object with nothing else inside, and in no more than a few such objects.
fn enclosed<'a>(body: &Body<'a>) -> Option<Found<'a>> {
    let (mut part, mut from) = (*body, Vec::new());
    let outer = (*body.tokens.first()?, body.tokens.last()?.checked_add(1)?);
    loop {
        let [b'{', b'"', b':', inside] = part.tokens.first_chunk::<4>()?.map(|at| body.byte(at)) else { return None };
        let [_, quote, colon, _] = *part.tokens.first_chunk::<4>()?;
        let (close, rest) = part.tokens.split_last()?;
        let end = body.quote_before(colon);
        if body.byte(*close) != b'}' || body.byte(end) != b'"' || end <= quote || from.len() == MAX_AROUND {
            return None;
        }
        let name = decoded(unquoted(body.span((quote, end.checked_add(1)?))));
        from.push(String::from_utf8_lossy(&name).into_owned());
        let end = rest.last()?.checked_add(1)?;
        part = part.cut(3..part.tokens.len().checked_sub(1)?, end as usize);
        if inside == b'[' {
            let span = span_of(&part)?;
            return Some(Found { part, span, body: outer, at: quote, from, to: &[], before: b"", parts: Parts::NONE });
        }
    }
}

/// Returns the span from the first to the last token of a list.
fn span_of(list: &Body<'_>) -> Option<(u32, u32)> {
    let (open, close) = (*list.tokens.first()?, *list.tokens.last()?);
    (list.byte(close) == b']').then_some((open, close.checked_add(1)?))
}

fn first_byte(body: &Body<'_>) -> u8 {
    body.tokens.first().map_or(0, |at| body.byte(*at))
}
