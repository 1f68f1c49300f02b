//! The module without SIMD must do the same as the one with SIMD.

use drifting_upstream::{Mode, contract, user_body, users_body};
use nomos_harness::{End, Host, Module, Response, Vm};
use serde_json::json;

use super::vm_with;

/// How many damaged copies of each body are tested: enough for every position in a block of the scanner, and its edges.
const DAMAGED: u64 = 40;

/// The scanner reads blocks of 64 bytes: chunks of about that length, and one that holds any body.
const CHUNKS: [usize; 5] = [63, 64, 65, 1000, usize::MAX];

/// The replacements for a damaged byte: bytes with a meaning to the scanner, and bytes without.
const BYTES: &[u8] = b"\"\\{}[]:,\n\t \x00\x1f\x7f\x80\xc3\xff0aZ";

#[test]
fn it_has_no_simd_and_the_other_has() {
    Module::load_plain().unwrap_or_else(|error| panic!("{error}"));
    let error = Module::load_without_simd().err().expect("a module with SIMD");
    assert!(error.contains("SIMD"), "{error}");
}

#[test]
fn both_give_the_same_bytes_headers_and_verdicts() {
    let plain = Module::load_plain().unwrap_or_else(|error| panic!("{error}"));
    let mut healed = 0;
    for settings in ["", r#""response_headers":"held","#] {
        let config = config(settings);
        let mut wide = vm_with(&config);
        let mut narrow = Vm::configured(&plain, Host::new(&config)).expect("no trap").expect("accepted");
        for body in bodies() {
            for size in CHUNKS {
                let response = Response::json(&body).cut(size.min(body.len().max(1))).ending(End::WithData);
                let expected = response.run(&mut wide);
                assert_eq!(expected, response.run(&mut narrow), "{}", String::from_utf8_lossy(&body));
                healed += u32::from(expected.body != body);
            }
        }
    }
    assert!(healed > 100, "only {healed} were healed, so little was compared");
}

fn config(settings: &str) -> String {
    let similarity = json!({"profile": "default"});
    let route = json!({"name": "u", "match": {"prefix": "/"}, "packs": ["all"], "contract": contract::user(),
        "similarity": similarity});
    format!("{{{settings}\"routes\":[{route}]}}")
}

/// Returns users in all modes, a list, and damaged copies.
fn bodies() -> Vec<Vec<u8>> {
    let whole =
        Mode::ALL.map(|mode| user_body(mode).into_bytes()).into_iter().chain([users_body(Mode::Mixed, 3).into()]);
    let mut seed = 1_u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0)
    };
    let mut bodies = Vec::new();
    for body in whole {
        for _ in 0..DAMAGED {
            let mut damaged = body.clone();
            let at = next() % damaged.len();
            damaged[at] = BYTES[next() % BYTES.len()];
            bodies.push(damaged);
        }
        bodies.push(body);
    }
    bodies
}
