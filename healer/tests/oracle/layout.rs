//! The layout of a healed body: added members look like their neighbours, and removed members leave no trace.

use super::equals;
use super::examples::spec;

/// The case, the plan, the body, the healed body.
const TABLE: &[(&str, &str, &str, &str)] = &[
    ("a new name", "a -> b", "{ \"a\" : 1 ,\n\t\"c\":2 }\n", "{ \"b\" : 1 ,\n\t\"c\":2 }\n"),
    ("an escaped name", "mail -> b", "{ \"\\u006dail\" : 1 }", "{ \"b\" : 1 }"),
    (
        "lines of their own",
        "a.b => c",
        "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"z\": 3\n}\n",
        "{\n  \"z\": 3,\n  \"c\": 1\n}\n",
    ),
    (
        "the first of two members leaves",
        "a.b => c",
        "{\n  \"a\": {\n    \"b\": 1,\n    \"k\": 2\n  }\n}\n",
        "{\n  \"a\": {\n    \"k\": 2\n  },\n  \"c\": 1\n}\n",
    ),
    (
        "the last of two members leaves",
        "a.b => c",
        "{\n  \"a\": {\n    \"k\": 2,\n    \"b\": 1\n  }\n}\n",
        "{\n  \"a\": {\n    \"k\": 2\n  },\n  \"c\": 1\n}\n",
    ),
    ("all members leave", "a => c; b => d", "{ \"a\" : 1 , \"b\" : 2 }", "{ \"c\" : 1, \"d\" : 2 }"),
    ("the only member leaves", "a => c", "{\n\t\"a\":\t1\n}", "{\n\t\"c\":\t1\n}"),
    ("the last member leaves", "k => c", " { \"a\" : 1 , \"k\":1 } ", " { \"a\" : 1 , \"c\":1 } "),
    (
        "into an object with members",
        "a => b.c",
        "{\n  \"a\": 1,\n  \"b\": {\n    \"x\": 1\n  }\n}",
        "{\n  \"b\": {\n    \"x\": 1,\n    \"c\": 1\n  }\n}",
    ),
    ("into an empty object", "a => b.c", "{\"a\": 1, \"b\": {}}", "{\"b\": {\"c\": 1}}"),
    ("into an empty object with white space", "a => b.c", "{\"a\": 1, \"b\": { }}", "{\"b\": { \"c\": 1}}"),
    (
        "into new objects",
        "a => b.c; d => b.e",
        "{\"a\": 1, \"z\": 3, \"d\": 2}",
        "{\"z\": 3,\"b\": {\"c\": 1,\"e\": 2}}",
    ),
    ("wrap", "a => a.b", "{ \"a\" : 1 , \"b\" : 2 }", "{ \"a\" : {\"b\" : 1} , \"b\" : 2 }"),
    ("unwrap", "a.b => a", "{ \"a\" : { \"b\" : 1 } , \"b\" : 2 }", "{ \"a\" : 1 , \"b\" : 2 }"),
    (
        "a moved value keeps its layout",
        "a.b => a",
        "{\n \"a\": {\n  \"b\": [\n   1\n  ]\n }\n}",
        "{\n \"a\": [\n   1\n  ]\n}",
    ),
    ("compact stays compact", "a.b => c; a.d => e", "{\"a\":{\"b\":1,\"d\":2},\"z\":3}", "{\"z\":3,\"c\":1,\"e\":2}"),
    ("dropped", "drop; {\"a\":0,\"b\":0}", "{ \"x\":1, \"a\":2, \"y\":3, \"b\":4, \"z\":5 }", "{ \"a\":2, \"b\":4 }"),
];

/// Otherwise a megabyte of white space and a few hundred moves would become hundreds of megabytes.
#[test]
fn long_white_space_is_not_repeated() {
    for (length, repeated) in [(127, true), (128, false), (900_000, false)] {
        let gap = format!("\n{}", " ".repeat(length));
        let before = format!("{{{gap}\"z\":{{\"a\":1,\"b\":2}},\"y\":3}}");
        let again = if repeated { &gap } else { "" };
        let after = format!("{{{gap}\"y\":3,{again}\"c\":1,{again}\"d\":2}}");
        let found = equals::check(&spec("z.a => c; z.b => d"), &before).map(|(_, text)| text);
        assert!(found == Ok(after), "{length}");
    }
}

#[test]
fn healed_bodies_look_like_the_bodies_received() {
    for (says, plan, before, after) in TABLE {
        let found = equals::check(&spec(plan), before).map(|(_, text)| text);
        assert_eq!(found.as_deref(), Ok(*after), "{says}");
    }
}
