//! Reports what was done to a body, as text and as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use healer::config::{ConfigError, Mode, Route, Sample};
use healer::similarity::Parts;
use healer::{Description, Failure, Healer, Memo, OpKind, Plan, Reason, Summary, Why};
use nomos_filter::outcome::Skip;
use serde_json::{Value, json};

use crate::input::Exchange;
use crate::json_text::quote;
use crate::output::plural;
use crate::text::{plain, shell_word};
use crate::{input, mismatch, parts, unreadable};

/// Missing members that are named to people. `--json` has all of them.
const MOST_MISSING: usize = 4;

/// The outcome for a body.
pub enum Outcome {
    /// The body was read to its end.
    Done(Summary),
    /// The body was read and cannot be healed. What was found is told to people and programs, as by `nomos match`.
    Failed(Failure, ConfigError),
    /// The filter would not look at the body, for this reason.
    Skipped(Skip),
}

/// Everything that a report needs.
pub struct Report<'a> {
    /// The outcome.
    pub outcome: Outcome,
    /// The file with the configuration.
    pub config: &'a Path,
    /// The request and response of the body.
    pub exchange: Exchange<'a>,
    /// The route that was taken.
    pub route: Option<&'a Route>,
    /// All routes of the configuration.
    pub routes: &'a [Route],
    /// The engine that healed it.
    pub healer: &'a Healer,
    /// The shapes and resolutions that similarity found.
    pub memo: &'a Memo,
    /// The body as it came.
    pub body: &'a [u8],
    /// The mode in which the filter would treat the body.
    pub mode: Mode,
    /// The share of requests whose responses the filter would heal, if the mode of the route is to heal.
    pub sample: Sample,
    /// Whether the body has changed.
    pub changed: bool,
    /// Whether the body was healed in pieces. Ops are then counted, but not listed.
    pub streamed: bool,
    /// The required members that the body lacks as it leaves. `None` if that does not count as a lack, or is unknown.
    pub missing: Option<Vec<String>>,
}

impl Report<'_> {
    /// Returns the report in one or more lines.
    pub fn as_text(&self, explain: bool) -> String {
        let mut lines = vec![self.headline()];
        lines.extend(self.missing_lines());
        if explain {
            lines.extend(self.ops().iter().map(op_line));
            lines.extend(self.conflicting().iter().map(conflict_line));
            lines.extend(self.unlisted().iter().map(unlisted_line));
            if self.streamed {
                lines.push("  (over max_held_bytes: healed record by record; ops are counted, not listed)".to_owned());
            }
        }
        lines.extend(self.restriction());
        lines.iter().map(|line| plain(line).into_owned() + "\n").collect()
    }

    /// Returns the report as one JSON object on a line.
    pub fn as_json(&self) -> String {
        let (verdict, reason) = self.verdict();
        let mut report = json!({"verdict": verdict, "route": self.route.map(|route| route.name.as_str())});
        let leaves = if self.changed && self.mode == Mode::Heal { "healed" } else { "as_it_came" };
        let mut set = |name: &str, value: Value| {
            report[name] = value;
        };
        set("mode", mode(self.mode).into());
        set("leaves", leaves.into());
        if self.sample != Sample::ALL {
            set("sample", self.sample.percent().into());
        }
        if let Some(reason) = reason {
            set("reason", reason.into());
        }
        match &self.outcome {
            Outcome::Done(summary) => {
                set("renames", summary.renames.into());
                set("moves", summary.moves.into());
                set("dropped", summary.dropped.into());
                set("conflicts", summary.conflicts.into());
                set("ops", self.ops().iter().map(op_json).collect());
                if let Some(missing) = &self.missing {
                    set("missing", missing.as_slice().into());
                }
                if summary.conflicts > 0 {
                    set("conflicting", self.conflicting().iter().map(undone_json).collect());
                }
                if summary.unlisted > 0 {
                    set("unlisted", summary.unlisted.into());
                    set("left", self.unlisted().iter().map(undone_json).collect());
                }
            }
            Outcome::Failed(failure, ConfigError { at, found, expected, .. }) => {
                set("offset", failure.offset.into());
                set("at", at.as_str().into());
                set("found", found.as_str().into());
                set("expected", expected.as_str().into());
            }
            Outcome::Skipped(_) => (),
        }
        format!("{report}\n")
    }

    /// Says that in Envoy the body leaves as it came, always or mostly.
    fn restriction(&self) -> Option<String> {
        let percent = self.sample.percent();
        match self.sample {
            Sample::ALL if self.mode == Mode::Heal => None,
            Sample::ALL => Some(format!("mode is {}: in Envoy this body leaves as it came", mode(self.mode))),
            Sample::NONE => Some("sample is 0: in Envoy this body leaves as it came".to_owned()),
            _ => {
                Some(format!("sample is {percent}: in Envoy {percent} % of requests are healed, the rest is observed"))
            }
        }
    }

    fn verdict(&self) -> (&'static str, Option<&'static str>) {
        match &self.outcome {
            Outcome::Done(summary) if summary.changed => ("healed", None),
            Outcome::Done(_) => ("clean", None),
            Outcome::Failed(failure, _) => ("failed", Some(failure.reason.as_str())),
            Outcome::Skipped(skip) => ("skipped", nomos_filter::outcome::Outcome::Skipped(*skip).reason()),
        }
    }

    fn headline(&self) -> String {
        let route = self.route.map_or_else(String::new, |route| format!(" by route {}", route.name));
        match &self.outcome {
            Outcome::Done(summary) if summary.changed => format!("healed{route}: {}", counts(summary)),
            Outcome::Done(summary) => format!("clean{route}: nothing to heal{}{}", conflicts(summary), self.mismatch()),
            Outcome::Failed(failure, refusal) => {
                let from =
                    if self.streamed && failure.reason != Reason::TooLarge { " from the value before on" } else { "" };
                format!(
                    "failed{route}: {}: {refusal}{}; the body is left as it came{from}",
                    failure.reason,
                    by(failure.reason)
                )
            }
            Outcome::Skipped(skip) => format!("skipped{route}: {}; the body is left as it came", self.why(*skip)),
        }
    }

    /// Says why the filter does not look at the body.
    fn why(&self, skip: Skip) -> String {
        match skip {
            Skip::Method => format!("bodies of responses to {} are not looked at", self.exchange.method()),
            Skip::Status => format!("bodies of responses of status {} are not looked at", self.exchange.status()),
            Skip::ContentType => {
                format!("content-type {} is not one JSON document", quote(self.exchange.content_type()))
            }
            _ if self.routes.is_empty() => "the configuration has no routes".to_owned(),
            _ => format!("no route is for {}; known: {}", self.exchange.describe(), input::names(self.routes)),
        }
    }

    /// Says that body and contract differ in kind, so that the contract is about nothing in the body.
    fn mismatch(&self) -> String {
        let contract = self.route.and_then(|route| route.plan.spec().contract.as_ref());
        let said = contract.and_then(|contract| mismatch::of_whole(contract, self.body));
        said.map(|said| format!("; {said}")).unwrap_or_default()
    }

    /// Says which required members are missing, and which command tells what may stand for them.
    fn missing_lines(&self) -> Vec<String> {
        let Some(missing) = self.missing.as_deref().filter(|missing| !missing.is_empty()) else { return Vec::new() };
        let named: Vec<String> = missing.iter().take(MOST_MISSING).map(|path| format!("{path} (required)")).collect();
        let more = match missing.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let line = format!("  missing: {}{more}", named.join(", "));
        [line]
            .into_iter()
            .chain(self.matching().map(|command| format!("  what may be meant for them: {command}")))
            .collect()
    }

    /// Returns the command that matches the body with the contract of the route, unless only the response chose that.
    fn matching(&self) -> Option<String> {
        let Exchange { method, path, status, content_type } = self.exchange;
        let options = [("--path", path), ("--method", method)];
        let options =
            options.into_iter().filter_map(|(option, value)| Some(format!(" {option} {}", shell_word(value?))));
        let file = self.config.display().to_string();
        (status.is_none() && content_type.is_none())
            .then(|| format!("nomos match --contract {}{}", shell_word(&file), options.collect::<String>()))
    }

    fn ops(&self) -> Vec<Description> {
        self.described(Healer::describe)
    }

    /// Values that rules did not touch because the target exists, or another rule has it.
    fn conflicting(&self) -> Vec<Description> {
        self.described(Healer::describe_conflicts)
    }

    /// Values that similarity did not touch because of the value.
    fn unlisted(&self) -> Vec<Description> {
        self.described(Healer::describe_unlisted)
    }

    fn described(&self, describe: impl Fn(&Healer, &Plan, &Memo, &[u8]) -> Vec<Description>) -> Vec<Description> {
        self.route
            .filter(|_| !self.streamed)
            .map_or_else(Vec::new, |route| describe(self.healer, &route.plan, self.memo, self.body))
    }
}

/// Names the setting that a limit comes from.
fn by(reason: Reason) -> String {
    unreadable::setting(reason).map_or_else(String::new, |setting| format!(" ({setting})"))
}

fn counts(summary: &Summary) -> String {
    let parts = [(summary.renames, "rename"), (summary.moves, "move")];
    let mut parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(count as usize, noun)).collect();
    if summary.dropped > 0 {
        parts.push(format!("{} dropped", plural(summary.dropped as usize, "member")));
    }
    parts.join(", ") + &conflicts(summary)
}

fn conflicts(summary: &Summary) -> String {
    let parts = [(summary.conflicts, "conflict"), (summary.unlisted, "unlisted value")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(count as usize, noun));
    let parts: Vec<String> = parts.collect();
    // Some of them may be among the dropped members.
    let left = if summary.dropped > 0 { "" } else { " left alone" };
    if parts.is_empty() { String::new() } else { format!(" ({}{left})", parts.join(", ")) }
}

fn op_line(op: &Description) -> String {
    format!("  {} -> {}  ({})", op.from, op.to, why(op))
}

fn conflict_line(op: &Description) -> String {
    let reason = match op.kind {
        OpKind::Rename => "the target stands, or another rule has it",
        OpKind::Move => {
            "the target stands, another rule has it, a step of its paths is not one object, or what it unwraps holds more"
        }
    };
    format!("  {} -> {}  ({}: {reason}; {})", op.from, op.to, fate(op), why(op))
}

/// Says what became of a member that an op was not carried out for.
fn fate(op: &Description) -> &'static str {
    if op.dropped { "dropped" } else { "left" }
}

fn why(op: &Description) -> String {
    match &op.why {
        Why::Route { rule } => format!("the route's own {}: {rule}", kind(op)),
        Why::Pack { id, rule } => format!("{id}: {rule}"),
        Why::Convention(id) => format!("{id}: case convention"),
        Why::Similarity { from, to, score, parts } if *parts == Parts::NONE => {
            format!("similarity {}: {from} -> {to}", parts::short(*score))
        }
        Why::Similarity { from, to, score, parts } => {
            format!("similarity {}: {from} -> {to}: {}", parts::short(*score), parts::as_text(*parts))
        }
    }
}

fn unlisted_line(op: &Description) -> String {
    let fate = fate(op);
    format!("  {} -> {}  ({fate}: its value is not in the enum, or in the case of the new name)", op.from, op.to)
}

fn op_json(op: &Description) -> Value {
    let why = match &op.why {
        Why::Route { rule } => json!({"by": "route", "rule": rule}),
        Why::Pack { id, rule } => json!({"by": "pack", "pack": id.pack, "id": id.to_string(), "rule": rule}),
        Why::Convention(id) => json!({"by": "convention", "pack": id.pack, "id": id.to_string()}),
        Why::Similarity { from, to, score, parts } => {
            let parts: BTreeMap<_, _> =
                parts::named(*parts).into_iter().map(|(name, part)| (name, parts::rounded(part))).collect();
            let score = parts::rounded(*score);
            json!({"by": "similarity", "from": from, "to": to, "score": score, "parts": parts})
        }
    };
    json!({"kind": kind(op), "from": op.from, "to": op.to, "why": why})
}

fn undone_json(op: &Description) -> Value {
    let mut told = op_json(op);
    told["dropped"] = op.dropped.into();
    told
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Heal => "heal",
        Mode::Observe => "observe",
        Mode::Off => "off",
    }
}

fn kind(op: &Description) -> &'static str {
    match op.kind {
        OpKind::Rename => "rename",
        OpKind::Move => "move",
    }
}
