//! Assigns the time of a stack to a purpose.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::perf::{Frame, Stack};

/// The purpose that a sample counts for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// The work of the engine.
    Engine,
    /// The work of the filter itself.
    Filter,
    /// Copying and clearing memory for the engine, for which V8 calls out.
    Memory,
    /// A function of the host, by its name in `filter/src/abi/imports.rs`.
    Host(String),
    /// Envoy's work around the module: contexts, entering callbacks.
    Around,
    /// Envoy's work that it also does without the filter.
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

/// The path of the module's wrappers of host calls.
const IMPORTS: &str = "nomos_filter::abi::imports::";

/// Host calls that return data of any length, for which the host requests memory from the module.
const RETURNING: [&str; 2] = ["header_pairs", "buffer"];

/// The functions of Envoy that deal with modules.
pub struct Calls {
    /// The functions that run only with the filter.
    modules: HashSet<u64>,
    /// The functions that get memory from the module: those common to the calls that return data, but found in no other
    /// call.
    askers: HashSet<u64>,
}

impl Calls {
    /// Learns the functions from all samples. A function found less than `enough` times may also run without the
    /// filter.
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

    /// Returns the purpose of a sample of a healed response.
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

    /// Returns whether a host call is getting memory from the module for its result.
    pub fn asks_for_memory(&self, stack: &Stack) -> bool {
        let inside = host_call(stack).map(|(_, inside)| inside).unwrap_or_default();
        inside.iter().filter_map(address).any(|start| self.askers.contains(&start))
    }
}

/// Returns the function of the module that was running.
pub fn own(stack: &Stack) -> Option<&str> {
    match stack.first() {
        Some(Frame::Module(name)) => Some(name),
        _ => None,
    }
}

/// Converts a symbol of V8 (`MANGLED-INDEX-COMPILER`) to a path, without the hash that the compiler adds.
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

/// Returns the host call of a stack, and the frames inside it. These may include the module's allocator, which Envoy
/// calls.
fn host_call(stack: &Stack) -> Option<(&str, &[Frame])> {
    let at = stack.iter().rposition(|frame| name(frame).is_some_and(|name| name.starts_with(IMPORTS)))?;
    Some((name(&stack[at])?.strip_prefix(IMPORTS)?, &stack[..at]))
}

/// Returns whether a function belongs to the engine. All it needs of the standard library is inlined, except UTF-8
/// checks.
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

    /// Function 1 always runs, 2 deals with modules, 3 enters them, 4 asks for memory, and 5 is in any host call.
    fn calls() -> Calls {
        let plain = vec![vec![Frame::Other, Frame::Envoy(1)]];
        let writes = "nomos_filter::abi::imports::set_buffer";
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
