use std::collections::BTreeMap;

use nomos_harness::{Host, Reply, Response, Vm};

use super::{DRIFTED, EARLY, HEALED, HELD, OBSERVE, configuration, module, vm};

/// A page of wasm memory.
const PAGE: usize = 64 << 10;

/// What Envoy reads from a socket at once, and a chunk for which the window of host data has to grow.
const CHUNKS: [usize; 2] = [16 << 10, 64 << 10];

/// More pages than a body here may take.
const ENOUGH: usize = 400;

const STREAMED: &str = r#""max_held_bytes":65536,"#;

fn list(records: usize) -> (String, String) {
    let whole = |record: &str| format!("[{}]", vec![record; records].join(","));
    (whole(DRIFTED), whole(HEALED))
}

/// A VM in which nothing but a small response has been, and which gets so many pages more and none after.
fn capped(settings: &str, pages: usize) -> Vm {
    let mut vm = vm(settings);
    Response::json(DRIFTED.as_bytes()).run(&mut vm);
    let memory = vm.memory();
    vm.host().memory_limit = Some(memory + pages * PAGE);
    vm
}

/// Where the host gives no memory for a body, Rust's allocator traps, and that is the end of the VM. The client has the
/// beginning of a body then, and nothing that is not in it: Envoy goes on by its policy from there. In every other case
/// it has one of the two bodies, and the next response is healed.
#[test]
fn memory_that_does_not_grow() {
    let (body, healed) = list(20_000);
    for settings in [EARLY, HELD, OBSERVE, STREAMED] {
        let expected = if settings == OBSERVE { &body } else { &healed };
        for chunk in CHUNKS {
            let mut outcomes = BTreeMap::new();
            for pages in 0..ENOUGH {
                let mut vm = capped(settings, pages);
                let reply = Response::json(body.as_bytes()).cut(chunk).run(&mut vm);
                let became = became(&reply, body.as_bytes(), expected.as_bytes());
                let became = became.unwrap_or_else(|| panic!("{settings} {pages} pages: neither body"));
                *outcomes.entry(became).or_insert(0) += 1;
                if became != "trap" {
                    let next = Response::json(DRIFTED.as_bytes()).run(&mut vm);
                    let healed = if settings == OBSERVE { DRIFTED } else { HEALED };
                    assert_eq!((next.trap, next.body), (None, healed.as_bytes().to_vec()), "{settings} {pages} pages");
                }
                if vm.host().refused_growths == 0 {
                    break;
                }
            }
            println!("{settings:<32} chunks of {chunk:>5}: {outcomes:?}");
            assert!(outcomes.contains_key("whole"), "{settings}: {outcomes:?}");
        }
    }
}

fn became(reply: &Reply, body: &[u8], expected: &[u8]) -> Option<&'static str> {
    let begins = |whole: &[u8]| whole.starts_with(&reply.body);
    match &reply.trap {
        Some(_) if begins(expected) || begins(body) => Some("trap"),
        None if reply.reset => Some("reset"),
        None if reply.body == expected => Some("whole"),
        None if reply.body == body => Some("as it came"),
        // A body that streams goes on as it came where a call fails.
        None if as_it_came(&reply.body) == body => Some("partly healed"),
        _ => None,
    }
}

fn as_it_came(body: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(body).replace("email_address", "mail").into_bytes()
}

/// The window for host data tells the host that there is no memory, and a call that fails is all that comes of it.
#[test]
fn a_configuration_for_which_there_is_no_memory_is_refused() {
    let text = configuration(EARLY) + &" ".repeat(1 << 20);
    let mut vm = Vm::start(module(), Host::new(&text)).expect("no trap");
    let memory = vm.memory();
    vm.host().memory_limit = Some(memory);
    assert_eq!(vm.configure(), Ok(false));
    let host = vm.host();
    assert!(host.refused_growths > 0 && host.log.iter().any(|line| line.contains("status 6")), "{:?}", host.log);
}
