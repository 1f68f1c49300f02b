use nomos_harness::{Host, Response, Vm};

use super::{DRIFTED, configuration, module};

/// The calls before the body of a response that is looked at.
const BEFORE: [&str; 2] = ["get_header_map_pairs", "get_header_map_pairs"];

/// Returns the calls of one response in a VM that has seen such a response before. Metrics wait for a tick.
fn calls(settings: &str, response: &Response<'_>) -> Vec<&'static str> {
    let vm = Vm::configured(module(), Host::new(&configuration(settings))).expect("no trap");
    let mut vm = vm.expect("a configuration that is accepted");
    response.run(&mut vm);
    vm.host().count_from_here();
    let reply = response.run(&mut vm);
    assert_eq!(reply.trap, None);
    std::mem::take(&mut vm.host().calls)
}

/// A host call costs more than most of the work between two calls, so every call is deliberate.
#[test]
fn a_response_makes_these_calls() {
    let (clean, list) = (r#"{"email_address":1}"#, format!("[{}]", vec![DRIFTED; 400].join(",")));
    let healed =
        ["get_buffer_bytes", "get_current_time_nanoseconds", "get_current_time_nanoseconds", "set_buffer_bytes"];
    let unhealed = ["get_buffer_bytes", "get_current_time_nanoseconds", "get_current_time_nanoseconds"];
    let streamed = r#""max_held_bytes":1024,"#;
    let piece =
        ["get_buffer_bytes", "get_current_time_nanoseconds", "get_current_time_nanoseconds", "set_buffer_bytes"];
    let (quiet, length) = (r#""filter_state":false,"#, "remove_header_map_value");
    let json = |body| Response::json(body).with_length();
    let rows: [(&str, Response<'_>, Vec<&str>); 6] = [
        ("", json(DRIFTED.as_bytes()), [&BEFORE[..], &[length], &healed, &["set_property"]].concat()),
        (quiet, json(DRIFTED.as_bytes()), [&BEFORE[..], &[length], &healed].concat()),
        ("", json(clean.as_bytes()), [&BEFORE[..], &[length], &unhealed, &["set_property"]].concat()),
        (quiet, json(clean.as_bytes()), [&BEFORE[..], &[length], &unhealed].concat()),
        (quiet, Response::json(b"").with("content-encoding", "gzip"), BEFORE.to_vec()),
        (
            &format!("{quiet}{streamed}"),
            json(list.as_bytes()).cut(list.len().div_ceil(3)),
            [&BEFORE[..], &[length], &piece, &piece, &piece].concat(),
        ),
    ];
    for (settings, response, expected) in rows {
        assert_eq!(calls(settings, &response), expected, "{settings} {response:?}");
    }
}
