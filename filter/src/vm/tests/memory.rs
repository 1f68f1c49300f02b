//! Remembered shapes take a bounded part of a VM's memory.

use super::*;
use crate::tools::MAX_SHAPES_BYTES;

/// Returns a VM with that many routes, each with similarity and a contract of its own.
fn vm_with(routes: usize) -> Vm<Mock> {
    let route = |number: usize| {
        format!(
            r#"{{"name":"r{number}","match":{{"path":"/r{number}"}},"similarity":{{}},"contract":{{"type":"array",
            "items":{{"properties":{{"email_address":{{}},"home_city":{{}},"n{number}":{{}}}}}}}}}}"#
        )
    };
    let routes: Vec<String> = (0..routes).map(route).collect();
    vm_of(&format!(r#"{{"routes":[{}]}}"#, routes.join(",")))
}

/// Returns a list of records, each of another shape: their names begin with `first` and up.
fn shapes(first: usize, records: usize, names: usize) -> String {
    let member = |record: usize, name: usize| format!(r#""zq{record}x{name}":1"#);
    let record = |record: usize| {
        let members: Vec<String> = (0..names).map(|name| member(record, name)).collect();
        format!(r#"{{"emailAddress":"a@b.cc","home_city":"x",{}}}"#, members.join(","))
    };
    format!("[{}]", (first..first + records).map(record).collect::<Vec<_>>().join(","))
}

/// Returns the verdict on a body of a route's.
fn heal(vm: &mut Vm<Mock>, route: usize, body: &str) -> String {
    let path = format!("/r{route}");
    Upstream { path: &path, ..Upstream::json(body) }.run(vm).verdict()
}

/// The routes that remember most forget first.
#[test]
fn shapes_are_forgotten_where_they_take_too_much() {
    const ROUTES: usize = 24;
    let mut vm = vm_with(ROUTES);
    let few = shapes(0, 2, 3);
    assert_eq!(heal(&mut vm, 0, &few), "healed");
    let mut most = 0;
    for route in 1..ROUTES {
        for part in 0..8 {
            assert_eq!(heal(&mut vm, route, &shapes(part * 120, 120, 60)), "healed");
        }
        most = most.max(vm.shapes_bytes());
        vm.on_tick(ROOT);
        assert!(vm.shapes_bytes() <= MAX_SHAPES_BYTES);
    }
    assert!(most > MAX_SHAPES_BYTES, "{most}");
    let forgotten = metric(&mut vm, "nomos_shapes_forgotten_total");
    assert!((10..24).contains(&forgotten), "{forgotten}");
    let known = metric(&mut vm, "route=.=r0;.;nomos_new_shapes_total");
    assert_eq!(heal(&mut vm, 0, &few), "healed");
    assert_eq!(metric(&mut vm, "route=.=r0;.;nomos_new_shapes_total"), known, "the few shapes of a route");
}

/// Where there is no memory for bodies, shapes make room. What comes of a body stays the same.
#[test]
fn shapes_are_forgotten_where_no_memory_can_be_kept_back() {
    let mut vm = vm_with(1);
    let body = shapes(0, 3, 3);
    let healed = body.replace("emailAddress", "email_address");
    let run = |vm: &mut Vm<Mock>| {
        let reply = Upstream { path: "/r0", ..Upstream::json(&body) }.run(vm);
        (reply.text().to_owned(), reply.reason())
    };
    for _ in 0..2 {
        assert_eq!(run(&mut vm), (healed.clone(), String::new()));
    }
    vm.host().reserves = Some(0);
    assert_eq!(run(&mut vm), (body.clone(), "no_memory".to_owned()));
    let counts = |vm: &mut Vm<Mock>| (metric(vm, "nomos_shapes"), metric(vm, "nomos_shapes_forgotten_total"));
    assert_eq!(counts(&mut vm), (0, 1));
    vm.host().reserves = None;
    for _ in 0..2 {
        assert_eq!(run(&mut vm), (healed.clone(), String::new()));
    }
    assert_eq!(counts(&mut vm), (3, 1));
}

/// Bodies of an earlier configuration may be under way when a later one is content with less.
#[test]
fn the_reserve_is_what_the_most_generous_configuration_needs() {
    let mut vm = vm(r#""max_held_bytes":2097152,"#);
    let reserved = vm.tools.reserved;
    assert_eq!(reserved, 80 << 20);
    let small = configuration(SMALL);
    vm.host().configuration = small.clone().into_bytes();
    assert!(vm.on_configure(7, small.len()));
    assert_eq!(vm.tools.reserved, reserved);
}
