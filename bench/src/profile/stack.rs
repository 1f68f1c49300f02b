//! What a stack says about where its time belongs.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::perf::{Frame, Stack};

/// What a sample counts as.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// The engine's own work.
    Engine,
    /// The filter's own work.
    Filter,
    /// Copying and clearing memory for the engine: V8 calls out for that.
    Memory,
    /// A function of the host, by its name in `filter/src/abi/imports.rs`.
    Host(String),
    /// Envoy around the module: contexts, entering callbacks.
    Around,
    /// What Envoy does without the filter too.
    Plain,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Share::Engine => "the engine",
            Share::Filter => "the filter's own work",
            Share::Memory => "copying and clearing memory of the module, by calls out of V8",
            Share::Host(name) => return write!(f, "host call `{name}`"),
            Share::Around => "Envoy around the module: contexts, entering callbacks",
            Share::Plain => "Envoy without the filter",
        })
    }
}

/// Where the module's side of host calls is.
const IMPORTS: &str = "nomos_filter::abi::imports::";

/// Host calls that return data of any length, for which the host asks the module for memory.
const RETURNING: [&str; 2] = ["header_pairs", "buffer"];

/// Which functions of Envoy are about modules.
pub struct Calls {
    /// Those that run only with the filter.
    modules: HashSet<u64>,
    /// Those that get memory from the module: what the calls that return data have in common, and no other call has.
    askers: HashSet<u64>,
}

impl Calls {
    /// Learns them from all samples. What was met less than `enough` times may run without the filter too.
    pub fn of(plain: &[Stack], healed: &[Stack], enough: usize) -> Self {
        let plain: HashSet<u64> = plain.iter().flatten().filter_map(address).collect();
        let beneath = |chosen: &dyn Fn(&str) -> bool| -> HashSet<u64> {
            let calls = healed.iter().filter_map(|stack| host_call(stack));
            let calls = calls.filter(|(name, _)| chosen(name));
            calls.flat_map(|(_, inside)| inside.iter().filter_map(address)).collect()
        };
        let others = beneath(&|name| !RETURNING.contains(&name));
        let [first, second] = RETURNING.map(|returning| beneath(&|name| name == returning));
        let askers = first.intersection(&second).filter(|start| !others.contains(start) && !plain.contains(start));
        let askers = askers.copied().collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for start in healed.iter().flatten().filter_map(address).filter(|start| !plain.contains(start)) {
            *counts.entry(start).or_default() += 1;
        }
        let modules = counts.into_iter().filter(|(_, count)| *count >= enough).map(|(start, _)| start).collect();
        Calls { modules, askers }
    }

    /// What a sample of a healed response counts as.
    pub fn share(&self, stack: &Stack) -> Share {
        let Some(entry) = stack.iter().rposition(|frame| *frame == Frame::Entry) else {
            let is_around = stack.iter().filter_map(address).any(|start| self.modules.contains(&start));
            return if is_around { Share::Around } else { Share::Plain };
        };
        if let Some((name, _)) = host_call(stack) {
            return Share::Host(name.to_owned());
        }
        let inside = stack.get(..entry).unwrap_or_default();
        let Some(function) = inside.iter().find_map(name) else { return Share::Around };
        match (own(stack), is_engine(function)) {
            (Some(_), true) => Share::Engine,
            (Some(_), false) => Share::Filter,
            (None, _) => Share::Memory,
        }
    }

    /// Whether a host call is getting memory for what it returns, from the module.
    pub fn asks_for_memory(&self, stack: &Stack) -> bool {
        let inside = host_call(stack).map(|(_, inside)| inside).unwrap_or_default();
        inside.iter().filter_map(address).any(|start| self.askers.contains(&start))
    }
}

/// The function of the module that ran.
pub fn own(stack: &Stack) -> Option<&str> {
    match stack.first() {
        Some(Frame::Module(name)) => Some(name),
        _ => None,
    }
}

/// A symbol as V8 writes it (`MANGLED-INDEX-COMPILER`) as a path. What the compiler adds to tell equal names apart goes.
pub fn readable(symbol: &str) -> String {
    let mangled = symbol.rsplitn(3, '-').last().unwrap_or(symbol);
    let name = rustc_demangle::demangle(mangled);
    format!("{name:#}")
}

fn address(frame: &Frame) -> Option<u64> {
    if let Frame::Envoy(start) = frame { Some(*start) } else { None }
}

fn name(frame: &Frame) -> Option<&str> {
    if let Frame::Module(name) = frame { Some(name) } else { None }
}

/// The host call that a stack is in, and what is inside of it. The module's allocator, which Envoy calls there, is.
fn host_call(stack: &Stack) -> Option<(&str, &[Frame])> {
    let at = stack.iter().rposition(|frame| name(frame).is_some_and(|name| name.starts_with(IMPORTS)))?;
    Some((name(&stack[at])?.strip_prefix(IMPORTS)?, &stack[..at]))
}

/// What the engine needs of the standard library is built into it, but for checking UTF-8.
fn is_engine(name: &str) -> bool {
    name.contains("healer::") || name.contains("from_utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "nomos_filter::abi::imports::buffer";

    fn module(name: &str) -> Frame {
        Frame::Module(name.to_owned())
    }

    /// 1 runs always, 2 is about modules, 3 enters them, 4 asks for memory, 5 is in any host call.
    fn calls() -> Calls {
        let plain = vec![vec![Frame::Other, Frame::Envoy(1)]];
        let writes = "nomos_filter::abi::imports::replace_buffer_start";
        let healed = vec![
            vec![module("healer::walk"), Frame::Entry, Frame::Envoy(3), Frame::Envoy(2), Frame::Envoy(1)],
            asking(READ, Frame::Other),
            asking("nomos_filter::abi::imports::header_pairs", Frame::Envoy(6)),
            vec![Frame::Other, Frame::Envoy(5), Frame::Glue, module(writes), Frame::Entry, Frame::Envoy(3)],
        ];
        Calls::of(&plain, &healed, 1)
    }

    fn asking(import: &str, innermost: Frame) -> Stack {
        let inner = [innermost, Frame::Envoy(4), Frame::Envoy(5), Frame::Glue];
        let outer = [module(import), module("proxy_on_response_body"), Frame::Entry, Frame::Envoy(3), Frame::Envoy(1)];
        [&inner[..], &outer].concat()
    }

    #[test]
    fn samples_belong_somewhere() {
        let outer = [Frame::Entry, Frame::Envoy(3), Frame::Envoy(1)];
        let rows = [
            (vec![Frame::Other, Frame::Envoy(1)], Share::Plain),
            (vec![Frame::Other, Frame::Envoy(2), Frame::Envoy(1)], Share::Around),
            ([&[module("healer::walk::walk")], &outer[..]].concat(), Share::Engine),
            ([&[module("<healer::walk::Walk>::look")], &outer[..]].concat(), Share::Engine),
            ([&[module("nomos_filter::vm::begin")], &outer[..]].concat(), Share::Filter),
            ([&[Frame::Other, Frame::Glue, module("healer::render")], &outer[..]].concat(), Share::Memory),
            ([&[Frame::Other, Frame::Envoy(5), Frame::Glue, module(READ)], &outer[..]].concat(), host()),
            ([&[module(READ)], &outer[..]].concat(), host()),
            (asking(READ, module("proxy_on_memory_allocate")), host()),
        ];
        for (stack, expected) in rows {
            assert_eq!(calls().share(&stack), expected, "{stack:?}");
        }
    }

    fn host() -> Share {
        Share::Host("buffer".to_owned())
    }

    #[test]
    fn memory_is_asked_for_inside_host_calls() {
        let calls = calls();
        assert!(calls.asks_for_memory(&asking(READ, Frame::Other)));
        let copying = vec![Frame::Other, Frame::Envoy(5), Frame::Glue, module(READ), Frame::Entry, Frame::Envoy(3)];
        assert!(!calls.asks_for_memory(&copying));
        assert!(!calls.asks_for_memory(&vec![module("healer::walk"), Frame::Entry, Frame::Envoy(3)]));
    }

    #[test]
    fn names_are_readable() {
        let rows = [
            ("_ZN6healer4walk4walk17h4dea9c00c75034a9E-510-turbofan", "healer::walk::walk"),
            ("proxy_on_delete-12-turbofan", "proxy_on_delete"),
            ("_RNvNtNtCsdHhIpgkcIfN_4core3str8converts9from_utf8-810-turbofan", "core::str::converts::from_utf8"),
        ];
        for (symbol, expected) in rows {
            assert_eq!(readable(symbol), expected);
        }
    }
}
