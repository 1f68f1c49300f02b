//! How much of a record has to be known.

use super::decisions::check;
use super::*;

#[test]
fn how_much_of_the_record_is_known_counts() {
    let rows = [
        (
            "the same words where little else is known, and one that moved",
            r#"{"unit_price":1,"maker_code":"c","maker":"m","length":2,"hue":"h","day":"d","night":"n","depth":1}"#,
            r#"{"unitPrice":1,"x":{"makerCode":"c"},"zebra":2}"#,
            r#"{"unit_price":1,"x":{"makerCode":"c"},"zebra":2}"#,
        ),
        (
            "a word in a record of which little is known",
            r#"{"price":1,"maker":"m","length":2,"hue":"h"}"#,
            r#"{"data":{"price":1,"zebra":2}}"#,
            r#"{"data":{"price":1,"zebra":2}}"#,
        ),
        (
            "several words there",
            r#"{"unit_price":1,"maker":"m","length":2,"hue":"h"}"#,
            r#"{"unitPrice":1,"zebra":2}"#,
            r#"{"unit_price":1,"zebra":2}"#,
        ),
        (
            "several words, of which one is now the name of an object, where a seventh is known",
            r#"{"poster_url_preview":"p","maker":"m","length":2,"hue":"h","day":"d","night":"n"}"#,
            r#"{"poster":{"url_preview":"q"},"zebra":2}"#,
            r#"{"zebra":2,"poster_url_preview":"q"}"#,
        ),
        (
            "the same where less is known",
            r#"{"poster_url_preview":"p","maker":"m","length":2,"hue":"h","day":"d","night":"n","owl":"o"}"#,
            r#"{"poster":{"url_preview":"q"},"zebra":2}"#,
            r#"{"poster":{"url_preview":"q"},"zebra":2}"#,
        ),
        (
            "several words in a wrapper, where a sixth is known",
            r#"{"unit_price":1,"maker":"m","length":2,"hue":"h","day":"d","night":"n"}"#,
            r#"{"data":{"unitPrice":1},"zebra":2}"#,
            r#"{"zebra":2,"unit_price":1}"#,
        ),
        (
            "several words that end in one of a list, there",
            r#"{"business_status":"s","maker":"m","length":2,"hue":"h"}"#,
            r#"{"businessStatus":"OPEN","zebra":2}"#,
            r#"{"business_status":"OPEN","zebra":2}"#,
        ),
        (
            "an object that is whole, in a record of which little is known",
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"day":"d","night":"n","maker":"m","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","Shape":"s"},"zebra":"z"}"#,
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"zebra":"z"}"#,
        ),
        (
            "an object that holds mostly something else, in such a record",
            r#"{"gauge":{"brand":"b","hue":"h","shape":"s"},"day":"d","night":"n","maker":"m","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","ant":"a","bee":"b","cow":"c"},"zebra":"z"}"#,
            r#"{"gauge":{"Brand":"b","Hue":"h","ant":"a","bee":"b","cow":"c"},"zebra":"z"}"#,
        ),
        (
            "three strings that moved up out of a missing object, where a fifth is known",
            r#"{"gauge":{"brand":"b","maker":"m","shape":"s"},"day":"d","night":"n","owl":"o","yak":"y","gnu":"g",
                "elk":"e","cod":"c","ibis":"i","lynx":"l","mole":"m","newt":"n","hake":"h"}"#,
            r#"{"brand":"b","maker":"h","shape":"s","zebra":"z","ant":"a","bee":"b","cow":"c","dog":"d","emu":"e"}"#,
            r#"{"zebra":"z","ant":"a","bee":"b","cow":"c","dog":"d","emu":"e","gauge":{"brand":"b","maker":"h","shape":"s"}}"#,
        ),
        (
            "the same where less is known",
            r#"{"gauge":{"brand":"b","maker":"m","shape":"s"},"day":"d","night":"n","owl":"o","yak":"y","gnu":"g",
                "elk":"e","cod":"c","ibis":"i","lynx":"l","mole":"m","newt":"n","hake":"h","wren":"w","toad":"t",
                "seal":"s","slug":"s","moth":"m","kite":"k"}"#,
            r#"{"brand":"b","maker":"h","shape":"s","zebra":"z","ant":"a","bee":"b","cow":"c","dog":"d","emu":"e"}"#,
            r#"{"brand":"b","maker":"h","shape":"s","zebra":"z","ant":"a","bee":"b","cow":"c","dog":"d","emu":"e"}"#,
        ),
        (
            "a number and a boolean, but no string, where a third is known",
            r#"{"price":1,"open":true,"maker":"m","hue":"h","day":"d","night":"n","owl":"o","yak":"y"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
            r#"{"price":2,"open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
        ),
        (
            "neither, where less is known",
            r#"{"price":1,"open":true,"maker":"m","hue":"h","day":"d","night":"n","owl":"o","yak":"y","gnu":"g"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
            r#"{"Price":2,"Open":false,"Maker":"n","ant":"a","bee":"b","cow":"c"}"#,
        ),
    ];
    check(&rows);
}

#[test]
fn the_declared_format_speaks_for_a_value_in_its_place() {
    let day = |name: &str, others: usize| {
        let others: Vec<_> = (0..others).map(|at| format!(r#","other_{at}":{{"type":"string"}}"#)).collect();
        let others = others.concat();
        let format = r#"{"type":"string","format":"date-time"}"#;
        format!(r#"{{"type":"object","properties":{{"{name}":{format}{others}}}}}"#)
    };
    let body = |name: &str| format!(r#"{{"{name}":"2026-11-20T10:00:00Z","zebra":2}}"#);
    for (others, found) in [(5, "created_at"), (6, "createTime")] {
        let plan = configured(&day("created_at", others), "");
        assert_eq!(heal(&plan, &mut Memo::new(&plan), &body("createTime")), body(found), "beside {others}");
    }
}
