use std::collections::BTreeMap;

use nomos_harness::{Host, Reply, Response, Vm};

use nomos_harness::vm::ROOT;

use super::{DRIFTED, EARLY, HEALED, HELD, OBSERVE, configuration, module, vm, vm_with};

/// The size of a page of wasm memory in bytes.
const PAGE: usize = 64 << 10;

/// The number of bytes that Envoy reads from a socket at once, and a chunk for which the window of host data must grow.
const CHUNKS: [usize; 2] = [16 << 10, 64 << 10];

/// More pages than any body here needs.
const ENOUGH: usize = 400;

const STREAMED: &str = r#""max_held_bytes":65536,"#;

fn list(records: usize) -> (String, String) {
    let whole = |record: &str| format!("[{}]", vec![record; records].join(","));
    (whole(DRIFTED), whole(HEALED))
}

/// Returns a VM that has seen only a small response, and whose memory may grow by this many pages.
fn capped(settings: &str, pages: usize) -> Vm {
    let mut vm = vm(settings);
    Response::json(DRIFTED.as_bytes()).run(&mut vm);
    let memory = vm.memory();
    vm.host().memory_limit = Some(memory + pages * PAGE);
    vm
}

/// If the host grants no memory for a body, the reserve is used. The client gets one of the two bodies, and the next
/// response is healed.
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
                let next = Response::json(DRIFTED.as_bytes()).run(&mut vm);
                let healed = if settings == OBSERVE { DRIFTED } else { HEALED };
                assert_eq!((next.trap, next.body), (None, healed.as_bytes().to_vec()), "{settings} {pages} pages");
                if vm.host().refused_growths == 0 {
                    break;
                }
            }
            println!("{settings:<32} chunks of {chunk:>5}: {outcomes:?}");
            assert!(outcomes.contains_key("whole"), "{settings}: {outcomes:?}");
        }
    }
}

/// The most memory in bytes that a chunk of any length takes: what is kept of a body of unknown length, in a list that has
/// doubled, its tokens, and as much output.
const MOST_GROWTH: usize = 10 << 20;

/// A decompressor hands over a hundred times what it has read in one chunk.
#[test]
fn a_long_chunk_takes_little_memory() {
    let (body, healed) = list(2_000_000);
    for settings in [EARLY, HELD, OBSERVE, STREAMED] {
        let expected = if settings == OBSERVE { &body } else { &healed };
        let mut vm = capped(settings, MOST_GROWTH / PAGE);
        let before = vm.memory();
        let reply = Response::json(body.as_bytes()).run(&mut vm);
        println!("{settings:<32} {} bytes in one chunk: {} more", body.len(), vm.memory() - before);
        assert_eq!((reply.trap, reply.body == expected.as_bytes()), (None, true), "{settings}");
        assert_eq!(vm.host().refused_growths, 0, "{settings}");
    }
}

/// What follows a fault in such a chunk does not pass through the engine.
#[test]
fn the_rest_of_a_long_chunk_takes_little_memory() {
    let (mut body, _) = list(2_000_000);
    body.replace_range(2_000_000..2_000_001, "{");
    let mut vm = capped(STREAMED, MOST_GROWTH / PAGE);
    let reply = Response::json(body.as_bytes()).run(&mut vm);
    assert_eq!((reply.trap, as_it_came(&reply.body) == body.as_bytes()), (None, true));
    assert!(reply.body.len() > body.len() + 500_000, "{}", reply.body.len());
    assert_eq!(vm.host().refused_growths, 0);
}

/// A body of unknown length that turns out to be longer than may be held, and becomes seven times longer.
#[test]
fn what_outgrows_the_limit_takes_little_memory_for_its_healed_form() {
    const HELD_BYTES: usize = 8 << 20;
    let name = "x".repeat(200);
    let configuration = configuration(r#""max_held_bytes":8388608,"#).replace("email_address", &name);
    let (body, _) = list(400_000);
    let mut vm = vm_with(&configuration);
    let before = vm.memory();
    // What is held and its tokens, each twice while its list grows, and a part of the output.
    vm.host().memory_limit = Some(before + 8 * HELD_BYTES);
    let reply = Response::json(body.as_bytes()).cut(64 << 10).run(&mut vm);
    println!("{} bytes: {} more", body.len(), vm.memory() - before);
    assert_eq!((reply.trap, reply.body == body.replace("mail", &name).as_bytes()), (None, true));
    assert_eq!(vm.host().refused_growths, 0);
}

/// The number of bodies under way at once, together longer than the reserve can serve.
const STREAMS: u32 = 60;
const FIRST: u32 = 100;
const OTHER_ROOT: u32 = 50;

/// A response whose chunks come while others are under way.
struct Open {
    id: u32,
    sent: usize,
    got: Vec<u8>,
}

impl Open {
    fn begin(vm: &mut Vm, id: u32) -> Self {
        let own = |(name, value): (&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        vm.create_context(id, ROOT).expect("no trap");
        vm.host().upstream_ended = false;
        vm.host().request = Some([(":path", "/u"), (":method", "GET")].map(own).to_vec());
        vm.request_headers(id).expect("no trap");
        vm.host().response = Some([(":status", "200"), ("content-type", "application/json")].map(own).to_vec());
        vm.response_headers(id, false).expect("no trap");
        Open { id, sent: 0, got: Vec::new() }
    }

    /// Sends the next chunk. The last one ends the body.
    fn go_on(&mut self, vm: &mut Vm, body: &[u8], size: usize) {
        let end = (self.sent + size).min(body.len());
        vm.host().body = Some(body[self.sent..end].to_vec());
        vm.response_body(self.id, end == body.len()).expect("no trap");
        self.got.extend(vm.host().body.take().unwrap_or_default());
        self.sent = end;
    }
}

/// The reserve is enough for one body. Of many at once, those that it cannot serve leave as they came, each complete.
/// After that there is memory again.
#[test]
fn more_bodies_than_there_is_memory_for() {
    let (body, healed) = list(38_000);
    assert!(body.len() < 1 << 20);
    let mut vm = capped(EARLY, 0);
    let mut streams: Vec<Open> = (0..STREAMS).map(|stream| Open::begin(&mut vm, FIRST + stream)).collect();
    while streams.iter().any(|stream| stream.sent < body.len()) {
        for stream in &mut streams {
            stream.go_on(&mut vm, body.as_bytes(), 64 << 10);
        }
    }
    let count = |whole: &str| streams.iter().filter(|stream| stream.got == whole.as_bytes()).count();
    let (as_they_came, whole) = (count(&body), count(&healed));
    println!("{STREAMS} at once: {as_they_came} as they came, {whole} healed");
    assert_eq!(as_they_came + whole, streams.len());
    assert!(as_they_came > 0 && whole > 0);
    for stream in &streams {
        vm.delete(stream.id).expect("no trap");
    }
    vm.tick().expect("no trap");
    let refused = vm.host().metric("verdict=.=failed;.;reason=.=no_memory;.;route=.=user;.;nomos_responses_total");
    assert_eq!((usize::try_from(refused), vm.host().metric("nomos_held_bytes")), (Ok(as_they_came), 0));
    let after = Response::json(body.as_bytes()).cut(16 << 10).run(&mut vm);
    assert_eq!((after.trap, after.body == healed.as_bytes()), (None, true));
}

fn became(reply: &Reply, body: &[u8], expected: &[u8]) -> Option<&'static str> {
    match &reply.trap {
        None if reply.reset => Some("reset"),
        None if reply.body == expected => Some("whole"),
        None if reply.body == body => Some("as it came"),
        // From a failing call on, a body that streams continues as it came.
        None if as_it_came(&reply.body) == body => Some("partly healed"),
        _ => None,
    }
}

fn as_it_came(body: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(body).replace("email_address", "mail").into_bytes()
}

/// The window for host data reports that there is no memory, and the only consequence is a failing call.
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

/// A configuration with so many routes, each with a contract of its own and all packs.
fn routes(count: usize) -> String {
    let route = |number: usize| {
        format!(
            r#"{{"match":{{"path":"/{number}"}},"packs":["all"],"contract":{{"type":"object","properties":{{
            "email_address":{{"type":"string"}},"number_{number}":{{"type":"integer"}}}}}}}}"#
        )
    };
    format!(r#"{{"routes":[{}]}}"#, (0..count).map(route).collect::<Vec<_>>().join(","))
}

/// More routes than fit into [`CONFIGURED`] bytes.
const MANY: usize = 2_000;
const CONFIGURED: usize = 64 << 20;

/// Envoy tries a configuration in a VM of its own.
#[test]
fn routes_for_which_there_is_no_memory_are_refused() {
    let mut vm = Vm::start(module(), Host::new(&routes(MANY))).expect("no trap");
    vm.host().memory_limit = Some(CONFIGURED);
    assert_eq!(vm.configure(), Ok(false));
    let log = vm.host().log.join("\n");
    assert!(log.contains("]: found no memory left for it; expected fewer routes, or smaller contracts"), "{log}");
}

/// In a worker, a refusal would end what is under way.
#[test]
fn routes_for_which_there_is_no_memory_beside_others_heal_nothing() {
    let mut vm = vm(EARLY);
    vm.host().memory_limit = Some(CONFIGURED);
    let mut open = Open::begin(&mut vm, FIRST);
    vm.host().configuration = routes(MANY).into_bytes();
    vm.create_context(OTHER_ROOT, 0).expect("no trap");
    assert_eq!(vm.configure_root(OTHER_ROOT), Ok(true));
    let log = vm.host().log.join("\n");
    assert!(log.contains("no memory beside those in use; it heals nothing: routes["), "{log}");
    open.go_on(&mut vm, DRIFTED.as_bytes(), DRIFTED.len());
    assert_eq!(open.got, HEALED.as_bytes());
    let after = Response::json(DRIFTED.as_bytes()).run(&mut vm);
    assert_eq!((after.trap, after.body), (None, HEALED.as_bytes().to_vec()));
}

/// Returns a list of records, each of another shape: their names begin with `first` and up.
fn shapes(first: usize, records: usize) -> String {
    let record = |record: usize| {
        let members: Vec<String> = (0..60).map(|name| format!(r#""zq{record}x{name}":1"#)).collect();
        format!(r#"{{"emailAddress":"a@b.cc","home_city":"x",{}}}"#, members.join(","))
    };
    format!("[{}]", (first..first + records).map(record).collect::<Vec<_>>().join(","))
}

/// What is remembered of shapes makes room for bodies.
#[test]
fn shapes_for_which_there_is_no_memory_are_forgotten() {
    let mut vm = vm_with(
        r#"{"max_shapes":65536,"routes":[{"name":"user","match":{"path":"/u"},"similarity":{},"contract":{"type":"array",
        "items":{"properties":{"email_address":{},"home_city":{}}}}}]}"#,
    );
    let few = shapes(0, 2);
    let healed = few.replace("emailAddress", "email_address");
    let heals = |vm: &mut Vm| Response::json(few.as_bytes()).run(vm).body == healed.as_bytes();
    assert!(heals(&mut vm));
    let memory = vm.memory();
    vm.host().memory_limit = Some(memory + 64 * PAGE);
    let mut part = 0;
    while vm.host().refused_growths == 0 && part < 100 {
        part += 1;
        let reply = Response::json(shapes(part * 100, 100).as_bytes()).run(&mut vm);
        assert_eq!(reply.trap, None, "{part}");
    }
    assert!(vm.host().refused_growths > 0, "{part} bodies, {memory} bytes before, {} after", vm.memory());
    // With this piece the shapes are forgotten. At the latest then there is memory again.
    Response::json(few.as_bytes()).run(&mut vm);
    assert!(heals(&mut vm), "after {part} bodies");
}
