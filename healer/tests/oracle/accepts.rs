//! The engine accepts what `serde_json` accepts: one JSON value in valid UTF-8, up to the documented limits.

use super::examples;
use super::json::{self, Writer};
use super::tape::{Tape, cases};
use healer::{Healer, Limits, Plan, Reason};
use healer_oracle::accept::{Verdict, check, oracle};
use proptest::prelude::*;

/// Plans that look into a body in different ways and match nothing in it.
const PLANS: [&str; 4] = [
    "zz -> x",
    r#"zz -> x; {"a":{"a":[{"x":0}]},"x":0}"#,
    "zz.y => a.x; a.zz => a.y; drop",
    "[].zz => [].x; a[].zz => a[].x",
];

fn plan(which: usize) -> Plan {
    Plan::compile(&examples::spec(PLANS[which % PLANS.len()])).expect("a plan")
}

/// Bodies named as in Seriot's `JSONTestSuite`: a parser must accept (`y`) or refuse (`n`) them, or may do either
/// (`i`). Scalars (`s`) are JSON, but no bodies to heal.
const TABLE: &[(&str, &[u8])] = &[
    ("y_empty_object", b"{}"),
    ("y_empty_array", b"[]"),
    ("y_nested_empties", b"[[],{},[{}],{\"\":[]}]"),
    ("y_white_space_everywhere", b" \t\n\r{ \t\n\r\"a\" \t\n\r: \t\n\r1 \t\n\r, \t\n\r\"b\" : [ ] } \r\n"),
    ("y_duplicate_keys", b"{\"a\":1,\"a\":2}"),
    ("y_empty_key", b"{\"\":0}"),
    ("y_huge_number", b"[12345678901234567890123456789,1E400,-1e-999999]"),
    ("y_minus_zero", b"[-0,-0.0,-0e0]"),
    ("y_exponents", b"[1e5,1E5,1e+5,1E-5,0e1,0.0e0]"),
    ("y_escapes", br#"["\"\\\/\b\f\n\r\t\u0000\uFFFF\uabCD"]"#),
    ("y_backslashes_before_the_quote", br#"["\\","\\\\","\\\"","\\\\\""]"#),
    ("y_surrogate_pair", br#"["\uD83D\uDE00"]"#),
    ("y_delete_character", b"[\"\x7f\"]"),
    ("y_utf8", "[\"é\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"]".as_bytes()),
    ("y_separators_in_string", "[\"\u{2028}\u{2029}\u{feff}\"]".as_bytes()),
    ("y_structure_in_string", b"[\"{[,:]}\"]"),
    ("i_lone_surrogates", br#"["\uD800","\uDC00","\uDC00\uD800","\ud800\n"]"#),
    ("i_lone_surrogate_in_key", br#"{"\uD800":1}"#),
    ("s_string", b"\"a\""),
    ("s_number", b" 1 "),
    ("s_word", b"null"),
    ("n_nothing", b""),
    ("n_white_space", b" \n"),
    ("n_form_feed", b"[\x0c]"),
    ("n_vertical_tab", b"\x0b[]"),
    ("n_byte_order_mark", b"\xef\xbb\xbf{}"),
    ("n_no_break_space", "[\u{a0}]".as_bytes()),
    ("n_nul_after", b"{}\0"),
    ("n_nul_between", b"[1,\x002]"),
    ("n_two_values", b"{}{}"),
    ("n_two_arrays", b"[][]"),
    ("n_value_after", b"{} 1"),
    ("n_comma_after", b"{},"),
    ("n_close_after", b"{}}"),
    ("n_close_only", b"}"),
    ("n_comma_before_close", b"[1,]"),
    ("n_comma_before_close_object", b"{\"a\":1,}"),
    ("n_comma_only", b"[,]"),
    ("n_comma_first", b"[,1]"),
    ("n_comma_first_object", b"{,\"a\":1}"),
    ("n_commas", b"[1,,2]"),
    ("n_no_comma", b"[1 2]"),
    ("n_no_comma_containers", b"[{}{}]"),
    ("n_no_comma_strings", b"[\"a\"\"b\"]"),
    ("n_no_comma_object", b"{\"a\":1 \"b\":2}"),
    ("n_no_colon", b"{\"a\" 1}"),
    ("n_colons", b"{\"a\"::1}"),
    ("n_colon_in_array", b"[\"a\":1]"),
    ("n_comma_for_colon", b"{\"a\",1}"),
    ("n_no_value", b"{\"a\":}"),
    ("n_key_only", b"{\"a\"}"),
    ("n_number_key", b"{1:1}"),
    ("n_word_key", b"{a:1}"),
    ("n_null_key", b"{null:1}"),
    ("n_container_key", b"{[]:1}"),
    ("n_wrong_close", b"[}"),
    ("n_wrong_close_object", b"{]"),
    ("n_crossed", b"[{]}"),
    ("n_crossed_deep", b"{\"a\":[{\"b\":[1}]}]"),
    ("n_open", b"{"),
    ("n_open_array", b"[1"),
    ("n_open_after_comma", b"[1,"),
    ("n_open_string", b"[\"a"),
    ("n_open_string_escaped_quote", b"[\"a\\\"]"),
    ("n_open_key", b"{\"a"),
    ("n_open_after_colon", b"{\"a\":"),
    ("n_open_escape", b"[\"\\"),
    ("n_open_unicode", b"[\"\\u00"),
    ("n_escape_x", br#"["\x41"]"#),
    ("n_escape_capital_u", br#"["\U0041"]"#),
    ("n_escape_short", br#"["\u004"]"#),
    ("n_escape_not_hex", br#"["\u00G1"]"#),
    ("n_escape_space", br#"["\u 041"]"#),
    ("n_escape_quote", br#"["\'"]"#),
    ("n_escape_new_line", b"[\"\\\n\"]"),
    ("n_escape_nul", b"[\"\\\0\"]"),
    ("n_escape_utf8", "[\"\\é\"]".as_bytes()),
    ("n_escape_in_key", br#"{"\a":1}"#),
    ("n_escape_outside", br"[\n]"),
    ("n_new_line_in_string", b"[\"\n\"]"),
    ("n_tab_in_string", b"[\"\t\"]"),
    ("n_nul_in_string", b"[\"\0\"]"),
    ("n_control_in_key", b"{\"\x1f\":1}"),
    ("n_single_quotes", b"['a']"),
    ("n_backtick", b"[`a`]"),
    ("n_comment", b"[/**/]"),
    ("n_line_comment", b"[]//"),
    ("n_leading_zero", b"[01]"),
    ("n_leading_zero_negative", b"[-01]"),
    ("n_minus", b"[-]"),
    ("n_minus_space", b"[- 1]"),
    ("n_plus", b"[+1]"),
    ("n_point_first", b"[.5]"),
    ("n_point_last", b"[1.]"),
    ("n_point_exponent", b"[1.e1]"),
    ("n_exponent_empty", b"[1e]"),
    ("n_exponent_sign", b"[1e+]"),
    ("n_exponent_point", b"[1e1.5]"),
    ("n_hex", b"[0x1]"),
    ("n_nan", b"[NaN]"),
    ("n_infinity", b"[-Infinity]"),
    ("n_number_letter", b"[1a]"),
    ("n_number_string", b"[1\"a\"]"),
    ("n_string_number", b"[\"a\"1]"),
    ("n_fullwidth_digit", "[\u{ff11}]".as_bytes()),
    ("n_word_capital", b"[True]"),
    ("n_word_cut", b"[nul]"),
    ("n_word_long", b"[nulll]"),
    ("n_words", b"[truefalse]"),
    ("n_word_in_container", b"[true{}]"),
    ("n_utf8_lone_continuation", b"[\"\x80\"]"),
    ("n_utf8_overlong", b"[\"\xc0\xaf\"]"),
    ("n_utf8_overlong_3", b"[\"\xe0\x80\xaf\"]"),
    ("n_utf8_surrogate", b"[\"\xed\xa0\x80\"]"),
    ("n_utf8_too_large", b"[\"\xf4\x90\x80\x80\"]"),
    ("n_utf8_cut", b"[\"\xe2\x82\"]"),
    ("n_utf8_cut_at_end", b"[\"\xf0\x9f\x98"),
    ("n_utf8_invalid_byte", b"[\"\xff\"]"),
    ("n_utf8_in_key", b"{\"\xff\":1}"),
    ("n_utf8_outside", b"[\xff]"),
    ("n_utf8_after", b"[]\xff"),
    ("n_utf16", b"[\0\"\0e\0\"\0]\0"),
];

#[test]
fn the_table_says_what_serde_json_does() {
    for (name, body) in TABLE {
        let expected = match name.as_bytes()[0] {
            b'n' => Verdict::Refused,
            b's' => Verdict::Scalar,
            _ => Verdict::Accepted,
        };
        assert_eq!(oracle(body), expected, "{name}");
    }
}

/// Every body at every offset in two blocks, so that each of its bytes meets each place in a block.
#[test]
fn the_table_at_every_offset() {
    let (mut healer, plans) = (Healer::new(), [0, 1, 2, 3].map(plan));
    for (name, body) in TABLE {
        for pad in 0..=130 {
            let padded = [&b" ".repeat(pad), *body].concat();
            for plan in &plans {
                assert_eq!(check(&mut healer, plan, &padded), Ok(()), "{name} after {pad} spaces");
            }
        }
    }
}

/// Every string length and every run of backslashes across the edge of a block.
#[test]
fn strings_of_every_length() {
    let (mut healer, plan) = (Healer::new(), plan(0));
    for length in 0..200 {
        for tail in ["", "\\\"", "\\\\", "é", "\\u0041", "\\", "\\u004", "\n"] {
            for filler in ["x", "\\\\", "é"] {
                let body = format!("[\"{}{tail}\",1]", filler.repeat(length));
                assert_eq!(check(&mut healer, &plan, body.as_bytes()), Ok(()));
            }
        }
    }
}

#[test]
fn the_depth_cap() {
    let (mut healer, plan) = (Healer::new(), plan(0));
    let nests = [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")];
    for (open, close) in nests {
        for depth in [1, 127, 128, 129, 200, 255, 256, 257, 300, 5000] {
            let levels = depth / (1 + usize::from(open.len() > 5));
            let body = format!("{}1{}", open.repeat(levels), close.repeat(levels));
            assert_eq!(check(&mut healer, &plan, body.as_bytes()), Ok(()), "{depth} of {open}");
        }
    }
    assert_eq!(healer.heal_bytes(&plan, &b"[".repeat(200_000)).map_err(|f| f.reason), Err(Reason::TooDeep));
}

#[test]
fn the_size_cap() {
    let (mut healer, plan) = (Healer::new(), plan(0));
    let limit = Limits::default().max_held_bytes;
    for (size, accepted) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let body = format!("[\"{}\"]", "x".repeat(size - 4));
        let found = healer.heal_bytes(&plan, body.as_bytes()).map(|_| ()).map_err(|f| f.reason);
        assert_eq!(found, if accepted { Ok(()) } else { Err(Reason::TooLarge) }, "{size}");
    }
}

proptest! {
    #![proptest_config(cases(4096))]

    #[test]
    fn grammar_at_every_offset(tape in Tape::any(200), pad in 0usize..=130) {
        accept(&tape, 0, pad, false)?;
    }

    #[test]
    fn near_json_at_every_offset(tape in Tape::any(200), pad in 0usize..=130) {
        accept(&tape, 40, pad, false)?;
    }

    #[test]
    fn mutated_json(tape in Tape::any(200), pad in 0usize..=130) {
        accept(&tape, 0, pad, true)?;
    }

    #[test]
    fn arbitrary_bytes(body in proptest::collection::vec(any::<u8>(), 0..100)) {
        let (mut healer, plan) = (Healer::new(), plan(0));
        prop_assert_eq!(check(&mut healer, &plan, &body), Ok(()));
    }

    #[test]
    fn bytes_of_json(body in proptest::collection::vec(proptest::sample::select(&b"{}[]:,\"\\ 01-eE.tfnulrasx\n"[..]), 0..24)) {
        let (mut healer, plan) = (Healer::new(), plan(0));
        prop_assert_eq!(check(&mut healer, &plan, &body), Ok(()));
    }
}

fn accept(tape: &[u8], slips: usize, pad: usize, mutated: bool) -> Result<(), TestCaseError> {
    let mut tape = Tape::new(tape);
    let (mut healer, plan) = (Healer::new(), plan(tape.below(PLANS.len())));
    let mut writer = Writer::new(&mut tape, slips);
    writer.out = b" ".repeat(pad);
    writer.body();
    let mut body = std::mem::take(&mut writer.out);
    if mutated {
        json::mutate(&mut tape, &mut body);
    }
    prop_assert_eq!(check(&mut healer, &plan, &body), Ok(()));
    Ok(())
}
