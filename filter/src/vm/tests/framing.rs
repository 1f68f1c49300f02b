//! The end of a body, in every form that it takes.

use super::*;
use std::time::{Duration, Instant};

#[test]
fn any_chunking_gives_the_same() {
    for settings in [EARLY, HELD] {
        for (sent, expected, verdict) in BODIES {
            for size in 1..=sent.len() {
                for end in [End::Apart, End::WithData, End::AddedTrailers] {
                    for known in [false, true] {
                        let length = length(sent);
                        let mut upstream = Upstream::json(sent).cut(size).ending(end);
                        if known {
                            upstream = upstream.with("content-length", &length);
                        }
                        let mut vm = vm(settings);
                        let reply = upstream.run(&mut vm);
                        let what = format!("{settings} {upstream:?} {reply:?}");
                        assert_eq!(reply.text(), expected, "{what}");
                        assert_eq!(reply.verdict(), verdict, "{what}");
                        assert!(!reply.reset && !reply.paused && vm.open_streams() == 0, "{what}");
                        assert_eq!(metric(&mut vm, "nomos_held_bytes"), 0, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn healed_when_the_value_closes() {
    for settings in [EARLY, HELD] {
        for size in [1, 7, DRIFTED.len()] {
            let reply = Upstream::json(DRIFTED).cut(size).ending(End::Never).begin(&mut vm(settings));
            assert_eq!((reply.text(), reply.verdict().as_str()), (HEALED, "healed"));
        }
    }
}

#[test]
fn a_known_length_is_awaited() {
    let sent = format!("{DRIFTED}  x");
    let length = length(&sent);
    let upstream = Upstream::json(&sent).with("content-length", &length);
    for size in 1..=sent.len() {
        let reply = upstream.clone().cut(size).run(&mut vm(EARLY));
        assert_eq!((reply.text(), reply.verdict().as_str()), (sent.as_str(), "failed"));
    }
}

#[test]
fn what_follows_a_value_passes() {
    let sent = format!("{DRIFTED}  x");
    let reply = Upstream::json(&sent).cut(DRIFTED.len()).run(&mut vm(EARLY));
    assert_eq!((reply.text(), reply.verdict().as_str()), (format!("{HEALED}  x").as_str(), "healed"));
}

#[test]
fn ends_by_trailers() {
    for settings in [EARLY, HELD] {
        let reply = Upstream::json(DRIFTED).ending(End::Trailers).run(&mut vm(settings));
        assert_eq!((reply.text(), reply.verdict().as_str()), (HEALED, "healed"));
        let mut vm = vm(settings);
        let reply = Upstream::json(CUT).cut(3).ending(End::Trailers).run(&mut vm);
        assert_eq!((reply.text(), reply.reset, reply.reason().as_str()), ("", true, "ended_by_trailers"));
        assert_eq!((vm.open_streams(), metric(&mut vm, "nomos_held_bytes"), vm.host().log.len()), (0, 0, 1));
    }
    let upstream = Upstream::json(CUT).with("content-length", "10").cut(3).ending(End::Trailers);
    let reply = Upstream { chunks: vec![b"{\"ma"], ..upstream }.run(&mut vm(HELD));
    assert_eq!((reply.text(), reply.reset, reply.paused), ("{\"ma", false, false));
}

/// Trailers end a body before its length is reached. Without that length, which is gone from the headers, the client would
/// take the part for the whole.
#[test]
fn trailers_end_a_body_that_is_too_short() {
    let long = format!("[{}", vec![DRIFTED; 200].join(","));
    for settings in [EARLY, SMALL] {
        for part in ["", &long] {
            for (missing, reset) in [(100, true), (0, false)] {
                let length = (part.len() + missing).to_string();
                let chunks = part.as_bytes().chunks(500).collect();
                let upstream = Upstream::json("").with("content-length", &length).ending(End::Trailers);
                let reply = Upstream { chunks, ..upstream }.run(&mut vm(settings));
                assert_eq!(reply.reset, reset, "{settings} {part:.9} {missing}");
            }
        }
    }
    let upstream = Upstream::json(&long).with("content-length", "100000").ending(End::Trailers);
    assert!(!upstream.run(&mut vm(OBSERVE)).reset);
}

/// White space before a value means nothing, so it is not withheld.
#[test]
fn white_space_passes_at_once() {
    for settings in [EARLY, HELD, OBSERVE, OBSERVE_HELD] {
        for (sent, expected, reason) in
            [(" \r\n\t", " \r\n\t", "empty"), ("\n {\"mail\":1} ", "\n {\"email_address\":1} ", "")]
        {
            for end in [End::Trailers, End::AddedTrailers, End::Apart, End::WithData] {
                for size in 1..=sent.len() {
                    let mut vm = vm(settings);
                    let reply = Upstream::json(sent).cut(size).ending(end).run(&mut vm);
                    let expected = if settings.contains("observe") { sent } else { expected };
                    let what = format!("{settings} {size} {end:?} {reply:?}");
                    assert_eq!((reply.text(), reply.reset, reply.paused), (expected, false, false), "{what}");
                    assert_eq!(reply.reason(), reason, "{what}");
                    assert_eq!((vm.open_streams(), metric(&mut vm, "nomos_held_bytes")), (0, 0), "{what}");
                }
            }
        }
        let length = "4";
        let upstream = Upstream::json(" \r\n\t").with("content-length", length).cut(1);
        let reply = upstream.run(&mut vm(settings));
        assert_eq!((reply.text(), reply.reason().as_str()), (" \r\n\t", "empty"), "{settings}");
    }
}

#[test]
fn digests_in_trailers_of_a_healed_body_go() {
    for (body, kept) in [(DRIFTED, false), (CLEAN, true)] {
        let mut vm = vm(EARLY);
        Upstream::json(body).ending(End::Never).begin(&mut vm);
        let names = "content-md5 digest content-digest repr-digest unencoded-digest etag x".split(' ');
        let trailers: Vec<_> = names.map(|name| (name.as_bytes().to_vec(), b"y".to_vec())).collect();
        let expected = if kept { trailers.iter().map(mock::line).collect() } else { vec!["x: y".to_owned()] };
        vm.host().response = Some(trailers);
        assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        assert_eq!(vm.host().response_headers(), expected);
    }
}

/// The elements of a list that breaks off have left healed, and none of its bytes are withheld.
#[test]
fn digests_in_trailers_of_a_body_that_streamed_go() {
    let sent = long_list().0;
    let elements = sent.split(']').next().unwrap();
    for (settings, kept) in [("", 0), (r#""mode":"observe","#, 1)] {
        let mut vm = vm(&format!("{SMALL}{settings}"));
        Upstream::json(elements).ending(End::Never).begin(&mut vm);
        vm.host().response = Some(vec![(b"digest".to_vec(), b"x".to_vec())]);
        assert_eq!(vm.on_response_trailers(STREAM), Action::Continue);
        assert_eq!(vm.host().response_headers().len(), kept, "{settings}");
    }
}

/// If nothing is withheld, trailers end a body without a reset, and free the bytes that were kept for reading it.
#[test]
fn trailers_end_what_is_only_looked_at() {
    for settings in [OBSERVE, OBSERVE_HELD, EARLY, HELD] {
        for sent in [CUT, DRIFTED, ""] {
            for known in [None, Some("1000")] {
                let mut upstream = Upstream::json(sent).ending(End::Trailers);
                if let Some(length) = known {
                    upstream = upstream.with("content-length", length);
                }
                let mut vm = vm(settings);
                upstream.run(&mut vm);
                assert_eq!((metric(&mut vm, "nomos_held_bytes"), vm.open_streams()), (0, 0), "{settings} {sent}");
            }
        }
    }
}

/// With trailers the host makes no body callback at all.
#[test]
fn no_body_is_told_of_as_empty_however_it_ends() {
    for settings in ["", HELD, OBSERVE, OBSERVE_HELD] {
        for end in [End::Apart, End::WithData, End::AddedTrailers, End::Trailers] {
            let upstream = Upstream { chunks: vec![], ..Upstream::json("").ending(end) };
            // If the headers end the response, the reason is a different one.
            let expected = if end == End::WithData { "no_body" } else { "empty" };
            let reply = upstream.run(&mut vm(settings));
            assert_eq!((reply.text(), reply.reason().as_str()), ("", expected), "{settings} {end:?}: {reply:?}");
        }
    }
}

/// White space is looked at once, however many chunks follow it. Otherwise these would take half a minute.
#[test]
fn white_space_before_a_body_costs_little() {
    let first = format!("{}{{", " ".repeat(500_000));
    let rest = format!(r#""mail":"{}"}}"#, "x".repeat(50_000));
    let chunks = std::iter::once(first.as_bytes()).chain(rest.as_bytes().chunks(1)).collect();
    let began = Instant::now();
    let reply = Upstream { chunks, ..Upstream::json("") }.run(&mut vm(EARLY));
    assert_eq!(reply.text(), format!("{first}{rest}").replace("mail", "email_address"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
