use drifting_upstream::{Mode, contract, user_body};
use nomos_harness::{End, Reply, Response, Vm};
use serde_json::json;

use super::{DRIFTED, EARLY, HEALED, HELD, OBSERVE, configuration, vm_with};

/// How often a body is cut at random places into many chunks.
const RANDOM_CUTS: u64 = 200;

/// Returns settings, body, and what the client must get.
fn cases() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let own = |text: &str| text.as_bytes().to_vec();
    let list = format!("[{DRIFTED},\n {DRIFTED} ] \n");
    let escaped = r#"{"\u006dail":"\"}\\","é":"日本 😀","a":{"mail":[{"mail":-1.5e-7}]}}"#;
    let mut cases = Vec::new();
    for settings in [EARLY, HELD] {
        let bodies = [
            (own(DRIFTED), own(HEALED)),
            (own(&list), own(&list.replace("mail", "email_address"))),
            (
                own(escaped),
                own(r#"{"email_address":"\"}\\","é":"日本 😀","a":{"email_address":[{"email_address":-1.5e-7}]}}"#),
            ),
        ];
        cases.extend(bodies.map(|(body, healed)| (configuration(settings), body, healed)));
        for kept in [
            r#"{ "email_address" : 1 } "#,
            r#"{"mail":tru}"#,
            r#"{"mail":"a"#,
            " \n",
            "\"mail\"",
            "{\"mail\":\"\u{1}\"}",
        ] {
            cases.push((configuration(settings), own(kept), own(kept)));
        }
        cases.push((configuration(settings), b"{\"mail\":\"\xff\"}".to_vec(), b"{\"mail\":\"\xff\"}".to_vec()));
    }
    cases.push((configuration(OBSERVE), own(DRIFTED), own(DRIFTED)));
    cases.extend(moved_lists());
    cases
}

/// Returns lists that moved to the root of the body, or away from it, with white space around them.
fn moved_lists() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let list = json!({"type": "array", "items": contract::user()});
    let object = json!({"type": "object", "properties": {"users": list}});
    let (root, enclosed) = ("\n\n [ {} ] \n".to_owned(), "\n\n {\"users\":[ {} ]} \n".to_owned());
    let user = user_body(Mode::Healthy);
    let whole = |contract, body: &String, expected: &String| {
        let route = json!({"match": {"prefix": "/"}, "contract": contract, "similarity": {}});
        let of = |text: &String| text.replace("{}", &user).into_bytes();
        (json!({"routes": [route]}).to_string(), of(body), of(expected))
    };
    vec![whole(list.clone(), &enclosed, &root), whole(object, &root, &enclosed)]
}

/// Returns the users of the drifting upstream, healed by all packs.
fn users() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let route = json!({"name": "u", "match": {"prefix": "/"}, "packs": ["all"], "contract": contract::user()});
    let config = json!({"routes": [route]}).to_string();
    let modes = [Mode::Healthy, Mode::V2, Mode::Deep];
    let whole = |mode| {
        let body = user_body(mode).into_bytes();
        let healed = Response::json(&body).run(&mut vm_with(&config)).body;
        assert_eq!(healed == body, matches!(mode, Mode::Healthy), "{mode:?}");
        (config.clone(), body, healed)
    };
    modes.map(whole).to_vec()
}

#[test]
fn every_cut_in_two() {
    for (config, body, expected) in cases().into_iter().chain(users()) {
        let mut vm = vm_with(&config);
        for at in 0..=body.len() {
            let (first, rest) = body.split_at(at);
            // Small bodies get all framings. Large ones get every cut in one framing.
            let framings = if body.len() < 200 { End::WHOLE.len() } else { 1 };
            for end in End::WHOLE.into_iter().take(framings) {
                let response = Response { chunks: vec![first, rest], ..Response::json(&body) }.ending(end);
                check(&mut vm, &response.clone(), &body, &expected);
                if end == End::WithData || end == End::Apart {
                    check(&mut vm, &response.with_length(), &body, &expected);
                }
            }
        }
    }
}

#[test]
fn random_cuts_into_many() {
    let mut seed = 1;
    for (config, body, expected) in cases().into_iter().chain(users()) {
        let mut vm = vm_with(&config);
        for round in 0..RANDOM_CUTS {
            let longest = [1, 2, 5, 16, 64, 200][below(&mut seed, 6)];
            let response = Response { chunks: cut(&mut seed, &body, longest), ..Response::json(&body) };
            let response = response.ending(if round % 2 == 0 { End::WithData } else { End::Apart });
            let response = if round % 3 == 0 { response.with_length() } else { response };
            check(&mut vm, &response, &body, &expected);
        }
    }
}

/// Only if the length is known is it known early enough that more bytes follow the value.
#[test]
fn bytes_behind_the_value() {
    let body = br#"{"mail":1} x"#;
    for settings in [EARLY, HELD] {
        let mut vm = vm_with(&configuration(settings));
        for at in 0..=body.len() {
            let (first, rest) = body.split_at(at);
            let response = Response { chunks: vec![first, rest], ..Response::json(body) };
            check(&mut vm, &response.with_length(), body, body);
        }
    }
}

fn check(vm: &mut Vm, response: &Response<'_>, body: &[u8], expected: &[u8]) {
    let reply = response.run(vm);
    let Reply { trap, .. } = &reply;
    let text = String::from_utf8_lossy;
    assert_eq!(*trap, None, "{response:?}");
    // If trailers end an open value, its bytes cannot be written any more. The reset is documented.
    if response.end == End::Trailers && reply.reset {
        assert!(!closes(body), "{response:?}");
        return;
    }
    assert!(!reply.reset && !reply.paused, "{response:?}");
    assert_eq!(text(&reply.body), text(expected), "{response:?}");
    let length = reply.header("content-length");
    assert!(length.is_none_or(|length| length == reply.body.len().to_string()), "{response:?}");
}

/// Returns whether a value closes in the body, possibly a wrong one. After that nothing waits.
fn closes(body: &[u8]) -> bool {
    body.contains(&b'}')
}

fn cut<'b>(seed: &mut u64, mut rest: &'b [u8], longest: usize) -> Vec<&'b [u8]> {
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(below(seed, longest + 1).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks
}

fn below(seed: &mut u64, bound: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 40).unwrap_or_default() % bound
}
