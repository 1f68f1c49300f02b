//! Bytes outside the ops stay the same, and a document that needs no op stays the same as a whole.

use std::sync::Arc;

use libtest_mimic::Trial;
use nomos_tests::framing::{self, Framing};

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};

/// Documents with drift: `mail` must become `email_address`, `uid` must become `id`, and everything else must stay.
const DRIFTED: [&str; 16] = [
    r#"{"mail":12345678901234567890123456789}"#,
    r#"{"mail":1E400,"a":-0,"b":1.50,"c":-0.0e-0,"d":1e+2,"e":0.10}"#,
    r#"{"mail":[1E400,-0,1.50,12345678901234567890123456789]}"#,
    r#"{"mail":"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\","a":"é😀"}"#,
    r#"{"mail":"\ud800","a":"\udc00\ud800"}"#,
    "{ \"mail\" :\t\"a\" ,\r\n \"b\" : [ ] , \"c\" : { } }\n\n",
    r#"{"a":1,"a":2,"mail":3,"a":4}"#,
    r#"{"mail":1,"mail":2,"b":{"mail":3,"uid":null}}"#,
    r#"{"b":1,"a":2,"mail":3,"A":4,"":5,"\u0061":6}"#,
    r#"{"x":"\"mail\":","y":"{\"mail\":1}","mail":"\\"}"#,
    r#"{"x":"\\","mail":"\\\\\"","uid":"\\\""}"#,
    "{\"mail\":\"\u{2028}\u{feff}\u{10ffff}\u{7f}\"}",
    r#"{"mail":true,"uid":false,"n":null}"#,
    r#"[[[{"mail":[{"uid":[{"mail":0}]}]}]]]"#,
    r#"{"mail_":1,"_mail":2,"Mail":3,"mai":4,"mail":5}"#,
    r#"{"mail":"a","mailmailmailmailmailmailmailmail":"b"}"#,
];

/// Documents without drift.
const CLEAN: [&str; 12] = [
    "{}",
    "[]",
    " \t\r\n[ ] \n",
    "{\"a\":12345678901234567890123456789}",
    "[1E400,-0,1.50,1e-400]",
    r#"{"email_address":"a","id":1}"#,
    r#"{"mail":1,"email_address":2}"#,
    r#"{"email\u005faddress":1,"mail":2}"#,
    r#"["mail","uid",{"a":"mail"}]"#,
    r#""mail""#,
    "12345678901234567890123456789",
    " null ",
];

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    let mut cases = Vec::new();
    for listener in ["early", "held"] {
        cases.push(lane.case(&format!("{listener}: bytes outside the ops"), move |rig| drifted(rig, listener)));
        cases.push(lane.case(&format!("{listener}: no drift, no change"), move |rig| clean(rig, listener)));
        cases.push(lane.case(&format!("{listener}: escaped keys"), move |rig| escaped(rig, listener)));
    }
    cases
}

fn drifted(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for sent in DRIFTED {
        // Inside strings the rows contain `\"mail\":`, which this does not replace.
        let healed = sent.replace("\"mail\"", "\"email_address\"").replace("\"uid\"", "\"id\"");
        for framing in [Framing::Length, Framing::Chunks(1)] {
            check(rig, listener, framing, sent, &healed)?;
        }
    }
    Ok(())
}

fn clean(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    for sent in CLEAN {
        for framing in [Framing::Length, Framing::Chunks(1)] {
            check(rig, listener, framing, sent, sent)?;
        }
    }
    Ok(())
}

/// Keys are compared without their escapes.
fn escaped(rig: &mut Rig<'_>, listener: &str) -> Outcome {
    check(rig, listener, Framing::Length, r#"{"m\u0061il":1,"\u0075id":2}"#, r#"{"email_address":1,"id":2}"#)
}

fn check(rig: &mut Rig<'_>, listener: &str, framing: Framing, sent: &str, expected: &str) -> Outcome {
    let steps = framing::response(framing, "200 OK", &[("content-type", b"application/json")], sent.as_bytes());
    let reply = rig.ask(Ask::get(listener), steps)?;
    expect::reply(&reply, 200, expected.as_bytes()).map_err(|why| format!("{sent}, {framing:?}: {why}"))
}
