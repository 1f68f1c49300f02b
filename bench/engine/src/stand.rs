use std::hint::black_box;
use std::sync::Arc;

use healer::config::Config;
use healer::{Healer, Intake, Limits, Memo, Plan, Progress};
use serde_json::Value;

use crate::edit::Edit;
use crate::operation::Operation;
use crate::subject::Subject;
use crate::timing::{Timing, time};

/// A subject, ready to be timed.
pub struct Stand {
    healer: Healer,
    limits: Limits,
    plan: Arc<Plan>,
    memo: Memo,
    bodies: Vec<String>,
    edit: Edit,
}

impl Stand {
    /// Compiles the plan, and checks that engine and tree do the same to every body: what is wrong is not timed.
    pub fn new(subject: &Subject) -> Result<Self, String> {
        let say = |what: String| format!("{}: {what}", subject.name);
        let config = Config::parse(subject.config.as_bytes()).map_err(|error| say(error.to_string()))?;
        let limits = config.limits;
        let route = config.routes.into_iter().next().ok_or_else(|| say("found no route; expected one".to_owned()))?;
        let (bodies, edit) = (subject.bodies.clone(), subject.edit.clone());
        let memo = Memo::new(&route.plan);
        let mut stand = Stand { healer: Healer::new(), limits, plan: route.plan, memo, bodies, edit };
        (0..stand.bodies.len()).try_for_each(|at| stand.check(at, subject.ops)).map_err(say)?;
        Ok(stand)
    }

    /// Times one operation in this many batches. `now` is a clock in nanoseconds.
    pub fn time(&mut self, operation: Operation, batches: usize, now: impl Fn() -> u64) -> Timing {
        let bodies = self.bodies.len();
        if matches!(operation, Operation::Walk | Operation::Heal) {
            let intakes: Vec<_> = (0..bodies).map(|at| self.arrived(at)).collect();
            if operation == Operation::Walk {
                return time(batches, bodies, now, |at| {
                    black_box(self.healer.decide(&self.plan, &mut self.memo, black_box(&intakes[at])).is_ok());
                });
            }
            return time(batches, bodies, now, |at| {
                black_box(self.healer.heal(&self.plan, &mut self.memo, black_box(&intakes[at])).is_ok());
            });
        }
        time(batches, bodies, now, |at| self.once(operation, at))
    }

    /// Does an operation once, to the body of that number.
    pub fn once(&mut self, operation: Operation, at: usize) {
        match operation {
            Operation::Scan => {
                let intake = self.arrived(at);
                self.healer.recycle(black_box(intake));
            }
            Operation::Walk => {
                let intake = self.arrived(at);
                black_box(self.healer.decide(&self.plan, &mut self.memo, &intake).is_ok());
                self.healer.recycle(intake);
            }
            Operation::Heal | Operation::Whole | Operation::First => {
                if operation == Operation::First {
                    self.memo.forget();
                }
                let intake = self.arrived(at);
                black_box(self.healer.heal(&self.plan, &mut self.memo, &intake).is_ok());
                black_box(self.healer.output());
                self.healer.recycle(intake);
            }
            Operation::Traced => {
                let mut intake = self.healer.intake(self.limits);
                let body = black_box(self.bodies[at].as_bytes());
                let _ = intake.receive(body, &self.plan, &mut self.memo);
                black_box(self.healer.heal(&self.plan, &mut self.memo, &intake).is_ok());
                black_box(self.healer.output());
                self.healer.learn(&self.plan, &mut self.memo, &intake);
                self.healer.recycle(intake);
            }
            Operation::Dom => {
                black_box(edited(&self.edit, black_box(&self.bodies[at])));
            }
        }
    }

    /// How many bodies there are.
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    fn arrived(&mut self, at: usize) -> Box<Intake> {
        let mut intake = self.healer.intake(self.limits);
        let progress = intake.push(black_box(self.bodies[at].as_bytes()));
        assert_eq!(progress, Progress::Whole, "a body of the corpus is whole");
        intake
    }

    fn check(&mut self, at: usize, ops: u32) -> Result<(), String> {
        let body = &self.bodies[at];
        let summary = self.healer.heal_bytes(&self.plan, body.as_bytes());
        let summary = summary.map_err(|failure| format!("body {at}: {failure:?}"))?;
        if summary.ops() != ops {
            return Err(format!("body {at}: found {} ops; expected {ops}", summary.ops()));
        }
        let healed = if summary.changed { self.healer.output() } else { body.as_bytes() };
        let tree = edited(&self.edit, body).unwrap_or_else(|| body.clone().into_bytes());
        if parsed(healed)? != parsed(&tree)? {
            let (healed, tree) = (String::from_utf8_lossy(healed), String::from_utf8_lossy(&tree));
            return Err(format!("body {at}: engine and tree differ:\n{healed}\n{tree}"));
        }
        Ok(())
    }
}

/// The edited body; none where there was nothing to edit.
fn edited(edit: &Edit, body: &str) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(body.as_bytes()).ok()?;
    edit.apply(&mut value).then(|| serde_json::to_vec(&value).ok()).flatten()
}

fn parsed(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("output is not JSON: {error}"))
}
