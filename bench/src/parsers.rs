//! The same edit by programs with other parsers: parse into a tree, edit, serialise. Natively only.
//!
//! Both are built as by `cargo build`. simd-json detects the processor's features at run time. sonic-rs, like the
//! engine, uses the features of every x86-64 processor, and would be faster with `-C target-cpu=native`.

use std::hint::black_box;
use std::time::Instant;

use nomos_bench_engine::{Edit, Subject, Timing, time};
use simd_json::prelude::{ValueAsMutArray, ValueAsMutObject, ValueAsObject, Writable};
use sonic_rs::{JsonContainerTrait, JsonValueMutTrait};

/// A parser and its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parser {
    /// `simd_json::BorrowedValue`. The body is copied first, because this parser works in place.
    Simd,
    /// `sonic_rs::Value`.
    Sonic,
}

impl Parser {
    /// All parsers.
    pub const ALL: [Parser; 2] = [Parser::Simd, Parser::Sonic];

    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Parser::Simd => "simd-json",
            Parser::Sonic => "sonic-rs",
        }
    }

    /// Returns the edited body, or the body as it came if there was nothing to edit.
    pub fn edit(self, edit: &Edit, body: &str) -> Result<Vec<u8>, String> {
        match self {
            Parser::Simd => {
                let mut bytes = body.as_bytes().to_vec();
                let mut value = simd_json::to_borrowed_value(&mut bytes).map_err(|error| error.to_string())?;
                if !apply(edit, &mut value) {
                    return Ok(body.as_bytes().to_vec());
                }
                let mut out = Vec::with_capacity(body.len());
                value.write(&mut out).map_err(|error| error.to_string())?;
                Ok(out)
            }
            Parser::Sonic => {
                let mut value: sonic_rs::Value = sonic_rs::from_str(body).map_err(|error| error.to_string())?;
                if !apply(edit, &mut value) {
                    return Ok(body.as_bytes().to_vec());
                }
                sonic_rs::to_vec(&value).map_err(|error| error.to_string())
            }
        }
    }

    /// Times the edit of a subject's bodies.
    pub fn time(self, subject: &Subject, batches: usize) -> Timing {
        let start = Instant::now();
        let now = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        time(batches, subject.bodies.len(), now, |at| {
            black_box(self.edit(&subject.edit, black_box(&subject.bodies[at])).is_ok());
        })
    }

    /// Fails if the edit gives another result than on `serde_json`'s tree: a wrong edit is not timed.
    pub fn check(self, subject: &Subject) -> Result<(), String> {
        for body in &subject.bodies {
            let say = |what: String| format!("{}, {}: {what}", subject.name, self.name());
            let edited = self.edit(&subject.edit, body).map_err(say)?;
            let mut expected: serde_json::Value = serde_json::from_str(body).map_err(|e| say(e.to_string()))?;
            subject.edit.apply(&mut expected);
            let got: serde_json::Value = serde_json::from_slice(&edited).map_err(|e| say(e.to_string()))?;
            if got != expected {
                return Err(say(format!("found {}; expected {expected}", String::from_utf8_lossy(&edited))));
            }
        }
        Ok(())
    }
}

/// The operations on a tree that an edit needs.
trait Tree: Sized {
    fn has(&self, name: &str) -> bool;
    fn take(&mut self, name: &str) -> Option<Self>;
    fn put(&mut self, name: &str, value: Self);
    fn child(&mut self, name: &str) -> Option<&mut Self>;
    fn items(&mut self) -> impl Iterator<Item = &mut Self>;
    fn is_object(&self) -> bool;
    /// Returns whether an object contains nothing but empty objects.
    fn is_hollow(&self) -> bool;
    fn drop_hollow(&mut self);
}

fn apply<T: Tree>(edit: &Edit, body: &mut T) -> bool {
    let Some(list) = &edit.list else { return body.is_object() && record(edit, body) };
    let Some(list) = body.child(list) else { return false };
    let mut changed = false;
    for item in list.items().filter(|item| item.is_object()) {
        changed |= record(edit, item);
    }
    changed
}

fn record<T: Tree>(edit: &Edit, record: &mut T) -> bool {
    let mut changed = false;
    for (from, to) in &edit.renames {
        if !record.has(to)
            && let Some(value) = record.take(from)
        {
            record.put(to, value);
            changed = true;
        }
    }
    for (from, to) in &edit.moves {
        if !record.has(to)
            && let Some(value) = taken(record, from)
        {
            record.put(to, value);
            changed = true;
        }
    }
    if changed && !edit.moves.is_empty() {
        record.drop_hollow();
    }
    changed
}

fn taken<T: Tree>(record: &mut T, path: &[String]) -> Option<T> {
    let (last, containers) = path.split_last()?;
    containers.iter().try_fold(record, |object, name| object.child(name))?.take(last)
}

impl Tree for simd_json::BorrowedValue<'_> {
    fn has(&self, name: &str) -> bool {
        self.as_object().is_some_and(|object| object.contains_key(name))
    }

    fn take(&mut self, name: &str) -> Option<Self> {
        self.as_object_mut()?.remove(name)
    }

    fn put(&mut self, name: &str, value: Self) {
        if let Some(object) = self.as_object_mut() {
            object.insert(name.to_owned().into(), value);
        }
    }

    fn child(&mut self, name: &str) -> Option<&mut Self> {
        self.as_object_mut()?.get_mut(name)
    }

    fn items(&mut self) -> impl Iterator<Item = &mut Self> {
        self.as_array_mut().into_iter().flatten()
    }

    fn is_object(&self) -> bool {
        self.as_object().is_some()
    }

    fn is_hollow(&self) -> bool {
        self.as_object().is_some_and(|object| object.values().all(Tree::is_hollow))
    }

    fn drop_hollow(&mut self) {
        if let Some(object) = self.as_object_mut() {
            object.retain(|_, value| !value.is_hollow());
        }
    }
}

impl Tree for sonic_rs::Value {
    fn has(&self, name: &str) -> bool {
        self.as_object().is_some_and(|object| object.contains_key(&name))
    }

    fn take(&mut self, name: &str) -> Option<Self> {
        self.as_object_mut()?.remove(&name)
    }

    fn put(&mut self, name: &str, value: Self) {
        if let Some(object) = self.as_object_mut() {
            object.insert(name, value);
        }
    }

    fn child(&mut self, name: &str) -> Option<&mut Self> {
        self.as_object_mut()?.get_mut(&name)
    }

    fn items(&mut self) -> impl Iterator<Item = &mut Self> {
        self.as_array_mut().into_iter().flat_map(|array| array.iter_mut())
    }

    fn is_object(&self) -> bool {
        self.as_object().is_some()
    }

    fn is_hollow(&self) -> bool {
        self.as_object().is_some_and(|object| object.iter().all(|(_, value)| value.is_hollow()))
    }

    fn drop_hollow(&mut self) {
        if let Some(object) = self.as_object_mut() {
            object.retain(|_, value| !value.is_hollow());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;

    #[test]
    fn every_parser_does_the_same_to_every_body() {
        for subject in corpus::subjects() {
            for parser in Parser::ALL {
                parser.check(&subject).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
}
