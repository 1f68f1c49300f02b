//! Where a contract ends because its schemas contain themselves, nothing is healed and nothing is dropped.

#![allow(missing_docs)]
#![allow(clippy::expect_used)]

mod common;

use common::{configured, heal};
use healer::Memo;

/// The answer to a comment is a comment, or what is left of a deleted one.
const CONTRACT: &str = r##"{"$ref":"#/$defs/comment","$defs":{
    "comment":{"type":"object","required":["comment_id"],"properties":{"comment_id":{"type":"integer"},
        "answer":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/comment"},{"$ref":"#/$defs/deleted"}]},
        "answers":{"type":"array","items":{"$ref":"#/$defs/comment"}}}},
    "deleted":{"type":"object","required":["deleted"],"properties":{"deleted":{"type":"boolean"}}}}}"##;

/// Nests comments, each with an unknown member and a drifted one, around `inside`.
fn nested(levels: usize, before: &str, after: &str, inside: &str) -> String {
    format!("{}{inside}{}", before.repeat(levels), after.repeat(levels))
}

#[test]
fn nothing_is_dropped_or_renamed_below() {
    let more = r#","rename":{"cid":"comment_id"},"unmapped":"drop""#;
    let inside = r#"{"cid":9,"commentId":9,"score":5,"answer":{"x":1},"answers":[{"cid":9}]}"#;
    let levels = [("answer", "", ""), ("answers", "[", "]")];
    for (name, open, close) in levels {
        let level = |id: &str| format!(r#"{{{id}"{name}":{open}"#);
        let end = format!("{close}}}");
        let plan = configured(CONTRACT, more);
        let body = nested(5, &level(r#""cid":1,"score":5,"#), &end, inside);
        let expected = nested(5, &level(r#""comment_id":1,"#), &end, inside);
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body).0, expected);
    }
}
