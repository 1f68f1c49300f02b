//! Chunks that are much longer than what a VM should take at once, as a decompressor hands them over.

use super::*;

/// More than a part, more than a slice, and not a multiple of either.
const RECORDS: usize = 80_000;
/// What may be written at once: a part, what one more slice becomes, and the record that was open before it.
const MOST_WRITTEN: usize = (1 << 20) + (200 << 10);

/// The settings, and the body's length in the header or not.
const CASES: [(&str, bool); 4] = [(SMALL, false), (SMALL, true), ("", false), ("", true)];

/// Returns a list of about 3 MiB, and its healed form.
fn list() -> (String, String) {
    let items: Vec<String> = (0..RECORDS).map(|n| format!(r#"{{"n":{n}, "mail":"{n}@b.c"}}"#)).collect();
    let sent = format!("[{}]", items.join(","));
    let healed = sent.replace("mail", "email_address");
    (sent, healed)
}

fn run(vm: &mut Vm<Mock>, sent: &str, is_known: bool, end: End) -> Reply {
    let length = length(sent);
    let upstream = Upstream::json(sent).ending(end);
    if is_known { upstream.with("content-length", &length).run(vm) } else { upstream.run(vm) }
}

#[test]
fn a_long_chunk_passes_in_parts() {
    let (sent, healed) = list();
    for (settings, is_known) in CASES {
        for end in [End::WithData, End::Apart, End::AddedTrailers] {
            let mut vm = vm(settings);
            let reply = run(&mut vm, &sent, is_known, end);
            let what = format!("{settings} {is_known} {end:?} {}", reply.state);
            assert!(reply.text() == healed && !reply.reset, "{what}");
            assert_eq!((reply.verdict().as_str(), reply.field("ops")), ("healed", RECORDS.into()), "{what}");
            assert_eq!(reply.field("bytes"), sent.len(), "{what}");
            assert!(vm.host().most_written < MOST_WRITTEN, "{what}: {}", vm.host().most_written);
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
        }
    }
}

#[test]
fn a_long_chunk_that_is_observed_stays_where_it_is() {
    let (sent, _) = list();
    for (settings, is_known) in CASES {
        for mode in [OBSERVE, OBSERVE_HELD] {
            let mut vm = vm(&format!("{settings}{mode}"));
            let reply = run(&mut vm, &sent, is_known, End::Apart);
            let what = format!("{settings} {mode} {is_known} {}", reply.state);
            assert!(reply.text() == sent && vm.host().calls("replace_body") == 0, "{what}");
            assert_eq!((vm.host().calls("append_body"), reply.verdict().as_str()), (0, "observed"), "{what}");
            assert_eq!(reply.field("ops"), RECORDS, "{what}");
        }
    }
}

/// A fault far inside the chunk: what precedes it has been put behind the rest of the chunk, which must follow it.
#[test]
fn the_rest_of_a_long_chunk_follows_its_parts() {
    let (sent, healed) = list();
    for number in [50_000, RECORDS - 1] {
        let record = format!(r#"{{"n":{number}, "#);
        let (before, healed_before) = (sent.find(&record).unwrap(), healed.find(&record).unwrap());
        let broken = sent.replace(&record, &format!(r#"{{"n" {number}, "#));
        let expected = format!("{}{}", &healed[..healed_before], &broken[before..]);
        for (settings, is_known) in CASES {
            let mut vm = vm(settings);
            let reply = run(&mut vm, &broken, is_known, End::Apart);
            let what = format!("{settings} {is_known} {}", reply.state);
            assert!(reply.text() == expected && !reply.reset, "{what}");
            assert_eq!((reply.reason().as_str(), reply.field("ops")), ("malformed", number.into()), "{what}");
        }
    }
}

#[test]
fn white_space_before_a_long_chunk_leaves_once() {
    let (sent, healed) = list();
    let lead = " ".repeat(700);
    let (sent, expected) = (format!("{lead}{sent}"), format!("{lead}{healed}"));
    for first in [1, 600, 701] {
        let (start, rest) = sent.as_bytes().split_at(first);
        let upstream = Upstream { chunks: vec![start, rest], ..Upstream::json("") };
        assert!(upstream.run(&mut vm(SMALL)).text() == expected, "{first}");
    }
}

/// More white space has left than is passed on at once when the body turns out to be long.
#[test]
fn white_space_that_is_longer_than_a_part_leaves_once() {
    let (sent, healed) = list();
    let lead = " ".repeat(3 << 20);
    let (sent, expected) = (format!("{lead}{sent}"), format!("{lead}{healed}"));
    for size in [sent.len() / 2, sent.len() / 3] {
        let reply = Upstream::json(&sent).cut(size).run(&mut vm(r#""max_held_bytes":4194304,"#));
        assert!(reply.text() == expected && !reply.reset, "{size}: {} of {}", reply.body.len(), expected.len());
        assert_eq!(reply.field("ops"), RECORDS, "{size}");
    }
}

/// The memory reserve is gone between two chunks, or in the middle of one, after parts of it have left.
#[test]
fn no_memory_in_the_middle_of_a_long_chunk() {
    let (sent, healed) = list();
    for (settings, is_known) in CASES {
        for reserves in 0..4 {
            let mut vm = vm(settings);
            vm.host().reserves = Some(reserves);
            let reply = run(&mut vm, &sent, is_known, End::Apart);
            let what = format!("{settings} {is_known} {reserves} {}", reply.state);
            assert!(!reply.reset && reply.text().replace("email_address", "mail") == sent, "{what}");
            assert!(reply.reason() == "no_memory" || reply.text() == healed, "{what}");
            assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
        }
    }
}

/// Whatever call fails, no byte is missing or in the wrong place; where the host refuses twice, the client can tell.
#[test]
fn any_host_call_may_fail_between_parts() {
    let (sent, _) = list();
    for settings in ["", SMALL] {
        let mut sound = vm(settings);
        run(&mut sound, &sent, false, End::Apart);
        for first in 1..sound.host().count {
            for numbers in [vec![first], vec![first, first + 1], (first..1000).collect()] {
                let mut vm = vm_on(Mock::new().with_failing_numbers(&numbers, 2), settings);
                let reply = run(&mut vm, &sent, false, End::Apart);
                let refused = numbers.len() > 2 && vm.host().calls("reset_response") > 0;
                let all = reply.text().replace("email_address", "mail") == sent;
                assert!(all || reply.reset || refused, "{settings} {numbers:?} {}", reply.state);
                assert!(!reply.reset || numbers.len() > 1, "{settings} {numbers:?} {}", reply.state);
            }
        }
    }
}
