//! Which requests have their headers read.

use super::*;

/// If one route takes all requests, those that end with their headers are not read. Others may be tunnels.
#[test]
fn requests_that_need_not_be_read() {
    let rows: [(&str, &str, bool, usize); 6] = [
        ("", r#"{"prefix":"/"}"#, true, 1),
        (OBSERVE, r#"{"prefix":"/","status":["2xx"]}"#, true, 1),
        ("", r#"{"prefix":"/"}"#, false, 2),
        ("", r#"{"path":"/u"}"#, true, 2),
        (HELD, r#"{"prefix":"/"}"#, true, 2),
        (r#""sample":50,"#, r#"{"prefix":"/"}"#, true, 2),
    ];
    for (settings, matcher, ends, reads) in rows {
        let text = configuration(settings).replace(r#"{"path":"/u"}"#, matcher);
        let mut vm = vm_of(&text);
        let header = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        let response = vec![header(":status", "200"), header("content-type", "application/json")];
        for method in ["GET", "CONNECT"] {
            let before = vm.host().calls("headers");
            vm.host().request = Some(vec![header(":path", "/u"), header(":method", method)]);
            vm.host().response = Some(response.clone());
            vm.on_context_create(STREAM, ROOT);
            vm.on_request_headers(STREAM, ends);
            vm.on_response_headers(STREAM, false);
            let (streams, skipped) = (vm.open_streams(), method == "CONNECT" && reads == 2);
            assert_eq!(streams, usize::from(!skipped), "{text} {method}");
            let read = vm.host().calls("headers") - before;
            assert_eq!(read, reads - usize::from(skipped), "{text} {method}");
            vm.on_delete(STREAM);
        }
    }
}

/// A HEAD request on a route for all requests: the response ends with its headers, and leaves as it came.
#[test]
fn an_unread_head() {
    let text = configuration("").replace(r#"{"path":"/u"}"#, r#"{"prefix":"/"}"#);
    let mut vm = vm_of(&text);
    let head = Upstream { chunks: Vec::new(), end: End::WithData, ..Upstream::json("") };
    let reply = head.with("content-length", "25").with("etag", "\"a\"").run(&mut vm);
    assert_eq!((reply.verdict().as_str(), reply.reason().as_str()), ("skipped", "no_body"));
    assert!(reply.has("content-length: 25") && reply.has("etag: \"a\""));
}
