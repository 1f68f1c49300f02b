#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use healer_oracle::schema;

use crate::plan::spec::{PlanSpec, RuleSource, Unmapped};

use super::cursor::{Cursor, Problems};
use super::{Config, Mode, ResponseHeaders, Route, json, route};
use crate::Limits;

const MATCH: &str = r#""match":{"path":"/u"}"#;

fn refusal(text: &str) -> String {
    let refusal = Config::parse(text.as_bytes()).err().map(|error| error.to_string());
    assert_eq!(schema::disagreement(text, refusal.as_deref()), None);
    refusal.unwrap_or_else(|| "accepted".to_owned())
}

/// Returns the outcome for a route with these members.
fn route_refusal(members: &str) -> String {
    refusal(&format!(r#"{{"routes":[{{{MATCH},{members}}}]}}"#))
}

fn spec(members: &str) -> PlanSpec {
    let node = json::read(format!("{{{members}}}").as_bytes()).unwrap();
    let mut problems = Problems::new();
    let spec = route::read_spec(&Cursor::root(&node), &mut problems);
    assert_eq!(problems, [], "{members}");
    assert_eq!(route_refusal(members), "accepted", "{members}");
    spec
}

#[test]
fn nothing_is_a_configuration() {
    for text in ["", " \n", "{}", r#"{"routes":[]}"#] {
        let config = Config::parse(text.as_bytes()).unwrap();
        assert_eq!((config.mode, config.response_headers), (Mode::Heal, ResponseHeaders::Early), "{text:?}");
        assert_eq!(config.limits, crate::Limits::default());
        assert_eq!(config.route(b"GET", b"/"), None);
    }
}

#[test]
fn settings_are_read_in_every_form_that_envoy_gives_them() {
    let rows = [
        (r#"{"mode":"off"}"#, Mode::Off, 1 << 20),
        (r#"{"mode":false}"#, Mode::Off, 1 << 20),
        (r#"{"mode":"observe","max_held_bytes":1024}"#, Mode::Observe, 1024),
        (r#"{"max_held_bytes":1048576.0}"#, Mode::Heal, 1 << 20),
        (r#"{"max_held_bytes":2.097152e+06}"#, Mode::Heal, 2 << 20),
        (r#"{"max_held_bytes":"67108864"}"#, Mode::Heal, 64 << 20),
    ];
    for (text, mode, bytes) in rows {
        let config = Config::parse(text.as_bytes()).unwrap();
        assert_eq!((config.mode, config.limits.max_held_bytes), (mode, bytes), "{text}");
    }
    let limits = br#"{"max_keys":3,"max_tokens":"1e3","max_shapes":16,"sample":"0.25","route_metadata":true,"filter_state":false}"#;
    let config = Config::parse(limits).unwrap();
    let Limits { max_keys, max_tokens, .. } = config.limits;
    assert_eq!((max_keys, max_tokens, config.max_shapes), (3, 1000, 16));
    assert_eq!((config.route_metadata, config.filter_state), (true, false));
    assert!(Config::default().filter_state);
    let config = Config::parse(br#"{"response_headers":"held","max_depth":4096}"#).unwrap();
    assert_eq!((config.response_headers, config.limits.max_depth), (ResponseHeaders::Held, 4096));
}

#[test]
fn a_bad_setting_is_refused() {
    let bytes = "expected a number of bytes from 1024 (1 KiB) to 67108864 (64 MiB)";
    let share = "expected a percentage from 0 to 100 with at most two decimal places";
    let rows = [
        ("{\"mode\":\"heal\",}", "line 1 column 16: found `}`; expected a name in double quotes".to_owned()),
        ("[]", "configuration: found an array; expected an object".to_owned()),
        ("null", "configuration: found null; expected an object".to_owned()),
        (
            r#"{"mdoe":"heal"}"#,
            "mdoe: found an unknown field; expected one of mode, sample, route_metadata, response_headers, \
             filter_state, max_held_bytes, max_depth, max_keys, max_tokens, max_shapes, routes (did you mean \"mode\"?)"
                .to_owned(),
        ),
        (
            r#"{"mode":"heel"}"#,
            "mode: found \"heel\"; expected one of heal, observe, off (did you mean \
        \"heal\"?)"
                .into(),
        ),
        (
            r#"{"mode":true}"#,
            "mode: found true (bare y, n, yes, no, on and off are booleans in YAML: use quotes); expected one of \
            heal, \
             observe, off"
                .to_owned(),
        ),
        (r#"{"mode":1}"#, "mode: found 1; expected one of heal, observe, off".to_owned()),
        (
            r#"{"response_headers":"late"}"#,
            "response_headers: found \"late\"; expected one of early, \
        held"
                .to_owned(),
        ),
        (r#"{"max_held_bytes":1023}"#, format!("max_held_bytes: found 1023; {bytes}")),
        (r#"{"max_held_bytes":67108865}"#, format!("max_held_bytes: found 67108865; {bytes}")),
        (r#"{"max_held_bytes":2048.5}"#, format!("max_held_bytes: found 2048.5; {bytes}")),
        (r#"{"max_held_bytes":"1 MiB"}"#, format!("max_held_bytes: found \"1 MiB\"; {bytes}")),
        (r#"{"max_depth":0}"#, "max_depth: found 0; expected a whole number from 1 to 4096".to_owned()),
        (r#"{"max_depth":-1}"#, "max_depth: found -1; expected a whole number from 1 to 4096".to_owned()),
        (r#"{"max_keys":0}"#, "max_keys: found 0; expected a whole number from 1 to 8388608".to_owned()),
        (r#"{"max_keys":8388609}"#, "max_keys: found 8388609; expected a whole number from 1 to 8388608".to_owned()),
        (r#"{"max_tokens":1.5}"#, "max_tokens: found 1.5; expected a whole number from 1 to 67108864".to_owned()),
        (r#"{"max_shapes":15}"#, "max_shapes: found 15; expected a whole number from 16 to 65536".to_owned()),
        (r#"{"sample":101}"#, format!("sample: found 101; {share}")),
        (r#"{"sample":100.01}"#, format!("sample: found 100.01; {share}")),
        (r#"{"sample":-1}"#, format!("sample: found -1; {share}")),
        (r#"{"sample":0.001}"#, format!("sample: found 0.001; {share}")),
        (r#"{"sample":"10%"}"#, format!("sample: found \"10%\"; {share}")),
        (r#"{"route_metadata":"on"}"#, "route_metadata: found \"on\"; expected true or false".to_owned()),
        (r#"{"filter_state":1}"#, "filter_state: found 1; expected true or false".to_owned()),
        (
            r#"{"mode":"heal","mode":"off"}"#,
            "mode: found \"mode\" a second time; expected each name once in an object".to_owned(),
        ),
        (r#"{"routes":{}}"#, "routes: found an object; expected an array of routes".to_owned()),
    ];
    for (text, expected) in rows {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn a_bad_route_is_refused() {
    let rows = [
        ("1", "routes[0]: found 1; expected a route: an object with match and rules"),
        ("{}", "routes[0]: found a route without match; expected match: an object such as {path: /api/user}"),
        (
            r#"{"match":{"path":"/"},"packs":["typos"],"renam":{}}"#,
            "routes[0].renam: found an unknown field; expected one of name, match, mode, sample, contract, packs, \
             rename, move, similarity, unmapped (did you mean \"rename\"?)",
        ),
        (r#"{"match":{"path":"/"},"name":""}"#, "routes[0].name: found \"\"; expected a name"),
        (
            r#"{"match":{"path":"/"},"name":"a\nb"}"#,
            "routes[0].name: found \"a\\nb\"; expected a name of at most 128 bytes, without control characters",
        ),
        (
            r#"{"match":{"path":"/"},"name":"a"},{"match":{"path":"/"},"name":"a"}"#,
            "routes[1].name: found \"a\"; expected a name that no earlier route has",
        ),
        (
            r#"{"match":{"path":"/"},"name":"route-1"},{"match":{"path":"/"}}"#,
            "routes[1]: found no name, so route-1, which an earlier route has; expected a name",
        ),
        (
            r#"{"match":{"path":"/"}},{"match":{"path":"/"},"name":"route-0"}"#,
            "routes[1].name: found \"route-0\"; expected a name that no earlier route has",
        ),
        (
            r#"{"match":{"path":"/"},"unmapped":"off"}"#,
            "routes[0].unmapped: found \"off\"; expected one of keep, \
        drop",
        ),
        (
            r#"{"match":{"path":"/"},"rename":{"a b":"c","a b":"d"}}"#,
            "routes[0].rename[\"a b\"]: found \"a b\" a second time; expected each name once in an object",
        ),
    ];
    for (route, expected) in rows {
        assert_eq!(refusal(&format!(r#"{{"routes":[{route}]}}"#)), expected, "{route}");
    }
}

#[test]
fn a_bad_match_is_refused() {
    let target = "one of path, prefix and template, such as {path: /api/user}; {prefix: /} is every path";
    let method = "expected a method in capitals, such as GET";
    let some_methods = "expected an array of methods such as [GET, POST]; leave the field out for any method";
    let some_statuses = "expected an array of statuses and classes such as [2xx, 404]; leave the field out for any";
    let some_types = "expected an array of media types such as [application/json]; leave the field out for any";
    let status = "expected 2xx, 3xx, 4xx, 5xx, or a status from 200 to 599 other than 204, 205, 206, 226 and 304";
    let media_type = "expected application/json, text/json or a +json type of one document, without parameters";
    let rows = [
        (r#""/u""#, format!("routes[0].match: found \"/u\"; expected an object with {target}")),
        ("{}", format!("routes[0].match: found none of them; expected exactly {target}")),
        (
            r#"{"path":"/","prefix":"/"}"#,
            "routes[0].match: found more than one of them; expected exactly one of path, prefix and \
            template"
                .to_owned(),
        ),
        (
            r#"{"paths":"/"}"#,
            "routes[0].match.paths: found an unknown field; expected one of path, prefix, template, methods, status, \
             content_types (did you mean \"path\"?)"
                .to_owned(),
        ),
        (r#"{"path":"u"}"#, "routes[0].match.path: found \"u\"; expected a path that starts with /".to_owned()),
        (r#"{"prefix":""}"#, "routes[0].match.prefix: found \"\"; expected a path that starts with /".to_owned()),
        (
            r#"{"path":"/u?a=1"}"#,
            "routes[0].match.path: found \"/u?a=1\"; expected a path without query, fragment and white space; \
            they are \
             not matched"
                .to_owned(),
        ),
        (
            r#"{"path":"/u/{id}"}"#,
            "routes[0].match.path: found \"/u/{id}\"; expected a path without braces; a path with {parameters} is a \
             `template`"
                .to_owned(),
        ),
        (
            r#"{"template":"/u/a{id}"}"#,
            "routes[0].match.template: found \"/u/a{id}\"; expected segments that are either plain text or one \
            {name}, \
             as in /users/{id}/orders"
                .to_owned(),
        ),
        (r#"{"path":"/","methods":"GET"}"#, format!("routes[0].match.methods: found \"GET\"; {some_methods}")),
        (r#"{"path":"/","methods":[]}"#, format!("routes[0].match.methods: found an empty array; {some_methods}")),
        (r#"{"path":"/","methods":["get"]}"#, format!("routes[0].match.methods[0]: found \"get\"; {method}")),
        (r#"{"path":"/","methods":["GET",1]}"#, format!("routes[0].match.methods[1]: found 1; {method}")),
        (
            r#"{"path":"/","methods":["GET","GET"]}"#,
            "routes[0].match.methods[1]: found \"GET\"; expected each entry once".to_owned(),
        ),
        (r#"{"path":"/","status":200}"#, format!("routes[0].match.status: found 200; {some_statuses}")),
        (r#"{"path":"/","status":[]}"#, format!("routes[0].match.status: found an empty array; {some_statuses}")),
        (r#"{"path":"/","status":["6xx"]}"#, format!("routes[0].match.status[0]: found \"6xx\"; {status}")),
        (r#"{"path":"/","status":["1xx"]}"#, format!("routes[0].match.status[0]: found \"1xx\"; {status}")),
        (r#"{"path":"/","status":[200,204]}"#, format!("routes[0].match.status[1]: found 204; {status}")),
        (r#"{"path":"/","status":[226]}"#, format!("routes[0].match.status[0]: found 226; {status}")),
        (r#"{"path":"/","status":[600]}"#, format!("routes[0].match.status[0]: found 600; {status}")),
        (
            r#"{"path":"/","status":["2xx","2xx"]}"#,
            "routes[0].match.status[1]: found \"2xx\"; expected each entry once".to_owned(),
        ),
        (
            r#"{"path":"/","content_types":"application/json"}"#,
            format!("routes[0].match.content_types: found \"application/json\"; {some_types}"),
        ),
        (
            r#"{"path":"/","content_types":["text/html"]}"#,
            format!("routes[0].match.content_types[0]: found \"text/html\"; {media_type}"),
        ),
        (
            r#"{"path":"/","content_types":["application/json; charset=utf-8"]}"#,
            format!("routes[0].match.content_types[0]: found \"application/json; charset=utf-8\"; {media_type}"),
        ),
        (
            r#"{"path":"/","content_types":["a/b+json", "application/stream+json"]}"#,
            format!("routes[0].match.content_types[1]: found \"application/stream+json\"; {media_type}"),
        ),
        (
            r#"{"path":"/","content_types":["+json", "a//b+json"]}"#,
            format!("routes[0].match.content_types[0]: found \"+json\"; {media_type}"),
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(refusal(&format!(r#"{{"routes":[{{"match":{text}}}]}}"#)), expected, "{text}");
    }
    for template in ["/{}", "/{a", "/a}", "/{{a}}", "/{a}{b}"] {
        let text = format!(r#"{{"routes":[{{"match":{{"template":"{template}"}}}}]}}"#);
        assert!(refusal(&text).contains("segments that are either"), "{template}");
    }
}

#[test]
fn routes_with_the_same_rules_share_a_plan() {
    let route = |path: &str, from: &str| {
        format!(r#"{{"match":{{"path":"{path}"}},"packs":["all"],"rename":{{"{from}":"email"}}}}"#)
    };
    let text = |routes: &[String]| format!(r#"{{"routes":[{}]}}"#, routes.join(","));
    let old = Config::parse(text(&[route("/a", "x"), route("/b", "y"), route("/c", "x")]).as_bytes()).unwrap();
    let in_use: Vec<_> = old.routes.iter().map(|route| Arc::clone(&route.plan)).collect();
    let new =
        Config::parse_beside(text(&[route("/d", "z"), route("/a", "y")]).as_bytes(), &in_use, &mut || true).unwrap();
    let is_same = |a: &Route, b: &Route| Arc::ptr_eq(&a.plan, &b.plan);
    assert!(is_same(&old.routes[0], &old.routes[2]) && !is_same(&old.routes[0], &old.routes[1]));
    assert!(is_same(&new.routes[1], &old.routes[1]));
    assert!(old.routes.iter().all(|route| !is_same(route, &new.routes[0])));
}

#[test]
fn a_route_without_memory_is_refused_and_the_rest_is_not_read() {
    let text = br#"{"routes":[{"match":{"path":"/a"}},{"match":{"path":"/b"}},{"match":{"path":"/c"}}]}"#;
    let mut left = 1;
    let mut has_memory = || {
        left -= 1;
        left >= 0
    };
    let error = Config::parse_beside(text, &[], &mut has_memory).unwrap_err().to_string();
    assert_eq!(error, "routes[1]: found no memory left for it; expected fewer routes, or smaller contracts");
    assert_eq!(left, -1);
}

#[test]
fn a_bad_rule_is_refused() {
    let rows = [
        (
            r#""rename":["a"]"#,
            "rename: found an array; expected an object: drifted name to expected name, such as {mail: \
            email_address}",
        ),
        (r#""rename":{"a":""}"#, "rename.a: found \"\"; expected the name that clients expect"),
        (
            r#""rename":{"lat":true}"#,
            "rename.lat: found true (bare y, n, yes, no, on and off are booleans in YAML: use quotes); expected \
            the name that clients expect",
        ),
        (r#""rename":{"":"a"}"#, "rename[\"\"]: found an empty name; expected the drifted name"),
        (
            r#""rename":{"a":"a"}"#,
            "rename.a: found a rule from its source to itself; expected a target other than the source",
        ),
        (
            r#""rename":{"a":"b","b":"a"}"#,
            "rename.a: found a circle: a -> b -> a; expected rules that do not lead back",
        ),
        (
            r#""rename":{"x":"a","a":"b","b":"c","c":"a"}"#,
            "rename.a: found a circle: a -> b -> c -> a; expected rules that do not lead back",
        ),
        (r#""move":{"a":1}"#, "move.a: found 1; expected the path that clients expect"),
        (
            r#""move":{"a..b":"c"}"#,
            "move[\"a..b\"]: found `.` at column 3 of the source path; expected a member \
        name",
        ),
        (
            r#""move":{"a.b":"c."}"#,
            "move[\"a.b\"]: found the end of the path at column 3 of the target path; expected a member name",
        ),
        (
            r#""move":{"users[].id":"id"}"#,
            "move[\"users[].id\"]: found a move from users[].id to id, which crosses an array boundary; expected \
            the same \
             path up to the last [] on both sides",
        ),
        (
            r#""move":{"a.b":"a.b"}"#,
            "move[\"a.b\"]: found a rule from its source to itself; expected a target other than the source",
        ),
        (
            r#""move":{"a.b":"c","c":"\"a\".b"}"#,
            "move[\"a.b\"]: found a circle: a.b -> c -> a.b; expected rules that do not lead back",
        ),
        (
            r#""move":{"a.b":"c","a.\"b\"":"d"}"#,
            "move[\"a.\\\"b\\\"\"]: found a second target for a.b, which also goes to c; expected one target for \
            each source",
        ),
        (
            r#""packs":["v9"]"#,
            "packs[0]: found \"v9\"; expected one of api-v2, camel-case, abbreviations, underscores, plurals, typos, \
             legacy, date-time, nested-paths, all",
        ),
        (
            r#""packs":["typo"]"#,
            "packs[0]: found \"typo\"; expected one of api-v2, camel-case, abbreviations, underscores, plurals, \
            typos, \
             legacy, date-time, nested-paths, all (did you mean \"typos\"?)",
        ),
        (r#""packs":["all","typos"]"#, "packs[1]: found \"typos\"; expected each pack once; all is every pack"),
        (
            r#""packs":"all""#,
            "packs: found \"all\"; expected an array of packs, such as [api-v2, camel-case], or [all]",
        ),
        (
            r#""similarity":"on""#,
            "similarity: found \"on\"; expected off, or an object such as {profile: default, threshold: 0.85, \
            margin: 0.05}",
        ),
        (
            r#""similarity":{"profile":"best"}"#,
            "similarity.profile: found \"best\"; expected one of default, reference",
        ),
        (
            r#""similarity":{"threshold":"1.1"}"#,
            "similarity.threshold: found \"1.1\"; expected a number from 0 to 1 with at most six decimal places",
        ),
        (
            r#""similarity":{"max_unknown":0}"#,
            "similarity.max_unknown: found 0; expected a whole number from 1 to 8192",
        ),
        (
            r#""similarity":{"max_unknown":8193}"#,
            "similarity.max_unknown: found 8193; expected a whole number from 1 to 8192",
        ),
        (
            r#""similarity":{"profile":"default","threshold":"0.85","margin":5e-2}"#,
            "similarity: found similarity without contract; expected a contract beside it, which says what is \
             expected",
        ),
    ];
    for (members, expected) in rows {
        assert_eq!(route_refusal(members), format!("routes[0].{expected}"), "{members}");
    }
}

#[test]
fn settings_of_similarity_are_taken() {
    let contract = r#""contract":{"type":"object","properties":{"a":{}}}"#;
    let settings = |members: &str| spec(&format!(r#"{contract},"similarity":{{{members}}}"#)).similarity.unwrap();
    let found = settings(r#""threshold":0.9,"margin":"0.01","max_unknown":7"#);
    assert_eq!([found.threshold, found.margin].map(f32::to_bits), [0.9_f32, 0.01].map(f32::to_bits));
    assert_eq!(found.max_unknown, 7);
    let found = settings("");
    assert_eq!([found.threshold, found.margin].map(f32::to_bits), [0.85_f32, 0.05].map(f32::to_bits));
}

/// A record in a root array is read by both moves, and their order may have been lost.
#[test]
fn a_source_in_elements_of_a_root_array_is_the_same_source() {
    let refusal = route_refusal(r#""move":{"a":"b","[].a":"[].c"}"#);
    let expected = "found a second target for [].a, which also goes to b; expected one target for each source";
    assert_eq!(refusal, format!("routes[0].move[\"[].a\"]: {expected}"));
}

#[test]
fn moves_and_renames_that_lead_back_are_refused() {
    let rows = [
        (
            r#""rename":{"a":"b"},"move":{"b":"a"}"#,
            "move.b: found a circle: b -> a -> b; expected rules that do not lead back",
        ),
        (
            r#""rename":{"x":"a","a":"b","b":"c"},"move":{"u[].v.c":"u[].v.a"}"#,
            "move[\"u[].v.c\"]: found a circle: c -> a -> b -> c; expected rules that do not lead back",
        ),
    ];
    for (members, expected) in rows {
        assert_eq!(route_refusal(members), format!("routes[0].{expected}"), "{members}");
    }
}

#[test]
fn long_ways_back_are_refused_and_so_is_what_cannot_be_followed() {
    let chain = |count: usize| (0..count).map(|n| format!(r#""a{n}":"a{}""#, n + 1)).collect::<Vec<_>>().join(",");
    let refusal = route_refusal(&format!(r#""rename":{{{}}},"move":{{"a200":"a0"}}"#, chain(200)));
    assert!(refusal.starts_with("routes[0].move.a200: found a circle: a200 -> a0 -> a1 -> "), "{refusal}");
    let moves: Vec<_> = (0..2000).map(|n| format!(r#""p{n}.b":"p{n}.a0""#)).collect();
    let refusal = route_refusal(&format!(r#""rename":{{{}}},"move":{{{}}}"#, chain(2000), moves.join(",")));
    let expected =
        "found more renames behind moves than can be followed; expected fewer renames that lead from one to the next";
    assert_eq!(refusal, format!("routes[0].move[\"p524.b\"]: {expected}"));
}

#[test]
fn rules_that_only_seem_to_lead_back_are_taken() {
    let rows = [
        r#""contract":{"properties":{"b":{},"data":{"properties":{"a":{}}}}},"rename":{"a":"b"},"move":{"data.b":"data.a"}"#,
        r#""rename":{"a":"b"},"move":{"p.b":"p.c","q.c":"q.a"}"#,
        r#""rename":{"a":"b"},"move":{"b":"p.a","p.b":"a"}"#,
        r#""rename":{"a":"b","c":"d"},"move":{"b":"c"}"#,
    ];
    for members in rows {
        assert!(!spec(members).moves.is_empty(), "{members}");
    }
}

#[test]
fn a_bad_contract_is_refused() {
    let rows = [
        ("[]", ": found an array; expected a JSON Schema: an object, such as {type: object, properties: {...}}"),
        ("false", ": found false; expected a JSON Schema: an object, such as {type: object, properties: {...}}"),
        (
            r#"{"type":"text"}"#,
            ".type: found \"text\"; expected one of object, array, string, number, integer, boolean, null",
        ),
        (
            r#"{"type":["string",null]}"#,
            ".type[1]: found null (a bare null or an empty place in YAML: use quotes for the word); expected one \
            of object, \
             array, string, number, integer, boolean, null",
        ),
        (
            r#"{"type":[]}"#,
            ".type: found an array; expected one of object, array, string, number, integer, boolean, null",
        ),
        (
            r#"{"propertys":{}}"#,
            ".propertys: found an unknown keyword; expected a keyword of JSON Schema 2020-12 (did you mean \"properties\"?)",
        ),
        (r#"{"properties":["a"]}"#, ".properties: found an array; expected an object: a schema under each name"),
        (
            r#"{"type":"string","properties":{}}"#,
            ".properties: found properties beside type string; expected type object beside it, or no properties",
        ),
        (
            r#"{"type":"object","items":{}}"#,
            ".items: found items beside type object; expected type array beside it, or no items",
        ),
        (
            r#"{"properties":{},"items":{}}"#,
            ".items: found items beside properties; expected a schema of an object or of an array, not of both",
        ),
        (r#"{"required":"a"}"#, ".required: found \"a\"; expected an array of names"),
        (r#"{"required":["a",1]}"#, ".required[1]: found 1; expected the name of a property"),
        (
            r#"{"items":[{}]}"#,
            ".items: found an array; expected a JSON Schema: an object, such as {type: object, properties: {...}}",
        ),
        (r#"{"nullable":"true"}"#, ".nullable: found \"true\"; expected true or false"),
        (r#"{"properties":{"a":{"writeOnly":1}}}"#, ".properties.a.writeOnly: found 1; expected true or false"),
        (r#"{"format":5}"#, ".format: found 5; expected the name of a format, such as date"),
        (
            r#"{"additionalProperties":"false"}"#,
            ".additionalProperties: found \"false\"; expected a schema, true or false",
        ),
        (r#"{"patternProperties":[]}"#, ".patternProperties: found an array; expected a schema, true or false"),
        (r#"{"unevaluatedProperties":5}"#, ".unevaluatedProperties: found 5; expected a schema, true or false"),
        (r#"{"$defs":5}"#, ".$defs: found 5; expected an object: a schema under each name"),
        (r#"{"definitions":[]}"#, ".definitions: found an array; expected an object: a schema under each name"),
        (r#"{"enum":"a"}"#, ".enum: found \"a\"; expected an array of values"),
        (r#"{"allOf":{}}"#, ".allOf: found an object; expected an array of schemas"),
        (
            r##"{"$dynamicRef":"#node"}"##,
            ".$dynamicRef: found the keyword $dynamicRef, which is not followed; expected a schema written out in \
             place, or behind a $ref",
        ),
        (
            r#"{"properties":{"a b":{"$ref":"user.json"}}}"#,
            ".properties[\"a b\"].$ref: found \"user.json\"; expected a reference into this document, in quotes, \
             such as '#/$defs/user'",
        ),
        (
            r##"{"$ref":"#/$defs/usr","$defs":{"user":{}}}"##,
            ".$ref: found \"#/$defs/usr\", which is not in this document; expected a reference to what is there \
             (did you mean \"user\"?)",
        ),
        (
            r##"{"$ref":"#/$def/user","$defs":{"user":{}}}"##,
            ".$ref: found \"#/$def/user\", which is not in this document; expected a reference to what is there \
             (did you mean \"$defs\"?)",
        ),
        (
            r##"{"$ref":"#/$defs/user"}"##,
            ".$ref: found \"#/$defs/user\", which is not in this document; expected a reference to what is there",
        ),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
            ".$defs.a.allOf[0].$ref: found a schema that is made of itself; expected a reference that does not lead \
             back at once",
        ),
        (
            r##"{"items":{"$ref":"#/$defs/a b"},"$defs":{"a b":{"properties":{"x":{"typ":"string"}}}}}"##,
            ".$defs[\"a b\"].properties.x.typ: found an unknown keyword; expected a keyword of JSON Schema 2020-12 (did you \
             mean \"type\"?)",
        ),
    ];
    for (schema, expected) in rows {
        let members = format!(r#""contract":{schema}"#);
        assert_eq!(route_refusal(&members), format!("routes[0].contract{expected}"), "{schema}");
    }
}

#[test]
fn a_contract_may_be_64_deep() {
    let nested = |depth: usize| format!("{}true{}", r#"{"items":"#.repeat(depth), "}".repeat(depth));
    let members = |depth| format!(r#""contract":{}"#, nested(depth));
    assert_eq!(route_refusal(&members(64)), "accepted");
    assert!(route_refusal(&members(65)).ends_with("expected at most 64 objects and arrays inside each other"));
    let properties = |depth: usize| format!("{}true{}", r#"{"properties":{"a":"#.repeat(depth), "}}".repeat(depth));
    assert_eq!(route_refusal(&format!(r#""contract":{}"#, properties(64))), "accepted");
}

#[test]
fn a_rule_that_the_contract_rules_out_is_refused() {
    let schema = r#"{"type":"object","properties":{
        "email":{},"id":{},"tags":{"type":"array","items":{"type":"object","properties":{"label":{},"name":{}}}},
        "meta":{"type":"object","properties":{"page":{"type":"object","properties":{"size":{}}}}},
        "free":{"type":"object"}}}"#;
    let rows = [
        (r#""rename":{"mail":"email"}"#, "accepted"),
        (r#""rename":{"text":"label"}"#, "accepted"),
        (
            r#""rename":{"mail":"emial"}"#,
            "routes[0].rename.mail: found \"emial\"; expected a target that the contract has (did you mean \
            \"email\"?)",
        ),
        (
            r#""rename":{"name":"label"}"#,
            "routes[0].rename.name: found a source that the contract expects too, wherever it expects the target; \
            expected \
             a source that is not expected",
        ),
        (r#""move":{"data.id":"id"}"#, "accepted"),
        (r#""move":{"size":"meta.page.size"}"#, "accepted"),
        (r#""move":{"pager.size":"page.size"}"#, "accepted"),
        (r#""move":{"tags[].text.value":"tags[].label"}"#, "accepted"),
        (r#""move":{"meta.page":"meta.page.size"}"#, "accepted"),
        (
            r#""move":{"id":"email"}"#,
            "routes[0].move.id: found a source that the contract expects too, wherever it expects the target; \
            expected a \
             source that is not expected",
        ),
        (
            r#""move":{"tags[].name":"tags[].label"}"#,
            "routes[0].move[\"tags[].name\"]: found a source that the contract expects too, wherever it expects \
            the target; \
             expected a source that is not expected",
        ),
        (
            r#""move":{"data.ids":"ids"}"#,
            "routes[0].move[\"data.ids\"]: found \"ids\"; expected a target path that the contract has, from a \
            record on",
        ),
        (
            r#""move":{"x":"free.x"}"#,
            "routes[0].move.x: found \"free.x\"; expected a target path that the contract has, from a record on",
        ),
        (
            r#""move":{"[].x":"[].id"}"#,
            "routes[0].move[\"[].x\"]: found \"[].id\"; expected a target path that the contract has, from a \
            record on",
        ),
        (r#""packs":["all"]"#, "accepted"),
    ];
    for (members, expected) in rows {
        assert_eq!(route_refusal(&format!(r#"{members},"contract":{schema}"#)), expected, "{members}");
    }
    let list = format!(r#""contract":{{"type":"array","items":{schema}}}"#);
    for members in [r#""move":{"[].x":"[].id"}"#, r#""move":{"x":"id"}"#, r#""move":{"[].tags[].x":"[].tags[].name"}"#]
    {
        assert_eq!(route_refusal(&format!("{members},{list}")), "accepted", "{members}");
    }
}

#[test]
fn rules_are_ranked_own_first_then_packs_as_listed() {
    let spec =
        spec(r#""rename":{"z":"y","b":"a"},"move":{"d.id":"id"},"packs":["typos","camel-case"],"unmapped":"drop""#);
    assert_eq!(spec.unmapped, Unmapped::Drop);
    let own: Vec<_> = spec.renames.iter().filter(|rule| rule.source == RuleSource::Route).collect();
    assert_eq!(own.iter().map(|rule| (rule.from.as_str(), rule.rank)).collect::<Vec<_>>(), [("z", 0), ("b", 0)]);
    assert_eq!(spec.moves.iter().map(|rule| rule.rank).collect::<Vec<_>>(), [0]);
    let ranks: Vec<u16> = spec.renames.iter().skip(own.len()).map(|rule| rule.rank).collect();
    assert!(ranks.windows(2).all(|pair| pair.first() < pair.last()), "{ranks:?}");
    assert_eq!(ranks.first(), Some(&1));
    let packs: Vec<_> = spec.renames.iter().map(|rule| rule.source).skip(own.len()).collect();
    let is_of = |source: &RuleSource, name| matches!(source, RuleSource::Pack(id) if id.pack == name);
    assert!(packs.first().is_some_and(|source| is_of(source, "typos")));
    assert!(packs.last().is_some_and(|source| is_of(source, "camel-case")));
    assert!(spec.conventions.iter().all(|rule| Some(&rule.rank) > ranks.last()));
    assert!(!spec.conventions.is_empty());
}

#[test]
fn all_is_every_pack() {
    let all = spec(r#""packs":["all"]"#);
    let (renames, moves): (usize, usize) = (all.renames.len(), all.moves.len());
    let rules: usize = nomos_rules::PACKS.iter().map(|pack| pack.rules.iter().count()).sum();
    assert_eq!(renames + moves, rules);
}

#[test]
fn a_route_may_be_for_some_responses_only() {
    let text = br#"{"routes":[
        {"match":{"path":"/u","status":["2xx",404],"content_types":["Application/JSON"]}},
        {"match":{"path":"/u","content_types":["application/problem+json"]}},
        {"match":{"path":"/v"}},
        {"match":{"path":"/u"}}
    ]}"#;
    let config = Config::parse(text).unwrap();
    assert_eq!(config.routes_from(0, b"GET", b"/u?a").collect::<Vec<_>>(), [0, 1, 3]);
    assert_eq!(config.routes_from(1, b"GET", b"/u").collect::<Vec<_>>(), [1, 3]);
    let rows: [(u64, &[u8], [bool; 4]); 6] = [
        (200, b"application/json", [true, false, true, true]),
        (299, b" application/JSON ; charset=utf-8", [true, false, true, true]),
        (404, b"application/json", [true, false, true, true]),
        (400, b"application/json", [false, false, true, true]),
        (200, b"application/problem+json;x", [false, true, true, true]),
        (200, b"", [false, false, true, true]),
    ];
    for (status, content_type, expected) in rows {
        let accepts = [0, 1, 2, 3].map(|route| config.accepts(route, status, content_type));
        assert_eq!(accepts, expected, "{status} {}", String::from_utf8_lossy(content_type));
    }
    assert_eq!(config.routes[0].matcher.to_string(), "/u 2xx 404 Application/JSON");
}

#[test]
fn a_class_has_its_hundred_statuses() {
    let classes = ["2xx", "3xx", "4xx", "5xx"];
    let routes = classes.map(|class| format!(r#"{{"match":{{"path":"/","status":["{class}"]}}}}"#)).join(",");
    let config = Config::parse(format!(r#"{{"routes":[{routes}]}}"#).as_bytes()).unwrap();
    for status in 100..700 {
        let accepts = [0, 1, 2, 3].map(|route| config.accepts(route, status, b"application/json"));
        assert_eq!(accepts, [2, 3, 4, 5].map(|class| status / 100 == class), "{status}");
    }
}

#[test]
fn one_route_may_be_for_all_requests() {
    let rows = [
        (r#"{"match":{"prefix":"/"}}"#, Some(0)),
        (r#"{"match":{"prefix":"/","status":["2xx"]}}"#, Some(0)),
        (r#"{"match":{"prefix":"/"}},{"match":{"path":"/u"}}"#, Some(0)),
        (r#"{"match":{"prefix":"/","status":["2xx"]}},{"match":{"path":"/u"}}"#, None),
        (r#"{"match":{"path":"/u"}},{"match":{"prefix":"/"}}"#, None),
        (r#"{"match":{"prefix":"/","methods":["GET"]}}"#, None),
        (r#"{"match":{"prefix":"/u"}}"#, None),
        (r#"{"match":{"path":"/"}}"#, None),
        (r#"{"match":{"template":"/{id}"}}"#, None),
        ("", None),
    ];
    for (routes, expected) in rows {
        let config = Config::parse(format!(r#"{{"routes":[{routes}]}}"#).as_bytes()).unwrap();
        assert_eq!(config.route_of_all(), expected, "{routes}");
    }
}

#[test]
fn the_mode_of_a_route_is_its_own_unless_all_is_off() {
    use Mode::{Heal, Observe, Off};
    let rows = [
        ("heal", "", Heal, 10_000),
        ("heal", r#","mode":"observe""#, Observe, 10_000),
        ("observe", r#","mode":"heal","sample":5"#, Heal, 500),
        ("heal", r#","mode":false"#, Off, 10_000),
        ("off", r#","mode":"heal""#, Off, 10_000),
    ];
    for (mode, members, expected, sample) in rows {
        let config = format!(r#"{{"mode":"{mode}","routes":[{{{MATCH}{members}}}]}}"#);
        let config = Config::parse(config.as_bytes()).unwrap();
        assert_eq!(config.mode_of(&config.routes[0]), expected, "{mode}{members}");
        assert_eq!(config.samples(), sample != 10_000, "{mode}{members}");
    }
    let config = Config::parse(br#"{"sample":1,"routes":[{"match":{"path":"/"},"sample":100}]}"#).unwrap();
    assert!(!config.samples());
    assert!(route_refusal(r#""mode":"on""#).starts_with("routes[0].mode: found \"on\"; expected one of heal"));
    assert!(route_refusal(r#""sample":200"#).starts_with("routes[0].sample: found 200; expected a percentage"));
}

#[test]
fn the_first_route_that_matches_is_taken() {
    let config = Config::parse(
        br#"{"routes":[
            {"name":"one","match":{"path":"/u/me"}},
            {"name":"read","match":{"template":"/u/{id}","methods":["GET"]}},
            {"match":{"template":"/u/{id}/orders/{order}"}},
            {"match":{"prefix":"/api","methods":["GET","POST"]}}
        ]}"#,
    )
    .unwrap();
    let names: Vec<&str> = config.routes.iter().map(|route| route.name.as_str()).collect();
    assert_eq!(names, ["one", "read", "route-2", "route-3"]);
    let matchers: Vec<String> = config.routes.iter().map(|route| route.matcher.to_string()).collect();
    assert_eq!(matchers, ["/u/me", "GET /u/{id}", "/u/{id}/orders/{order}", "GET|POST /api*"]);
    let rows = [
        ("GET /u/me", Some(0)),
        ("PUT /u/me?x=/u/7", Some(0)),
        ("GET /u/me#top", Some(0)),
        ("GET /u/7", Some(1)),
        ("PUT /u/7", None),
        ("get /u/7", None),
        ("GET /u/", None),
        ("GET /u/?id=7", None),
        ("GET /u/7/", None),
        ("GET /u", None),
        ("PUT /u/7/orders/8", Some(2)),
        ("PUT /u/7/orders//", None),
        ("PUT /u//orders/8", None),
        ("POST /apiary", Some(3)),
        ("POST /ap", None),
        ("OPTIONS *", None),
        ("GET ", None),
    ];
    for (request, expected) in rows {
        let (method, path) = request.split_once(' ').unwrap();
        assert_eq!(config.route(method.as_bytes(), path.as_bytes()), expected, "{request}");
    }
}

/// A configuration with a bit of everything.
const FULL: &str = r##"{"mode":"heal","response_headers":"held","max_held_bytes":1.048576e+06,"routes":[{
    "name":"\u00e9","match":{"template":"/u/{id}","methods":["GET"]},
    "contract":{"type":["object","null"],"properties":{"a":{"items":{"type":"string"}},"b":true},"required":["a"],
        "allOf":[{"$ref":"#/$defs/%63"}],"$defs":{"c":{"oneOf":[{"properties":{"c":{"$ref":"#"}}},{"enum":[null]}]}}},
    "packs":["typos"],"rename":{"x":"a"},"move":{"d.\"e.f\"":"b"},"similarity":"off","unmapped":"drop"}]}"##;

proptest::proptest! {
    /// Any outcome but a panic is fine; mostly it is a refusal.
    #[test]
    fn no_text_can_trap(
        bytes: Vec<u8>,
        edits in proptest::collection::vec((0_usize..400, 0_usize..40, ".{0,3}"), 1..4),
    ) {
        let _ = Config::parse(&bytes);
        let mut text = FULL.to_owned();
        assert!(Config::parse(text.as_bytes()).is_ok());
        for (at, len, insert) in edits {
            let chars: Vec<char> = text.chars().collect();
            let at = at.min(chars.len());
            let end = at.saturating_add(len).min(chars.len());
            text = chars[..at].iter().copied().chain(insert.chars()).chain(chars[end..].iter().copied()).collect();
            let _ = Config::parse(text.as_bytes());
        }
    }
}

/// Generated configurations are as large as this. In time that grows with the square of it, each of these takes a
/// minute or so.
#[test]
fn large_configurations_are_read_in_no_time() {
    let list = |count: usize, entry: &dyn Fn(usize) -> String| (0..count).map(entry).collect::<Vec<_>>().join(",");
    let route = |n| format!(r#"{{"name":"r{n}","match":{{"path":"/{n}"}},"rename":{{"a{n}":"b"}}}}"#);
    let chain = |n| format!(r#""a{n}":"a{}""#, n + 1);
    let into_chain = |n| format!(r#""p{n}.b":"p{n}.a0""#);
    let property = |n| format!(r#""member{n}":{{}}"#);
    let mistyped = |n| format!(r#""a{n}":"membr{n}""#);
    let (chain, into_chain) = (list(40_000, &chain), list(40_000, &into_chain));
    let (properties, mistyped) = (list(16_000, &property), list(16_000, &mistyped));
    let texts = [
        format!(r#"{{"routes":[{}]}}"#, list(80_000, &route)),
        format!(r#"{{"routes":[{{{MATCH},"packs":[""],"rename":{{{chain}}},"move":{{{into_chain}}}}}]}}"#),
        format!(r#"{{"routes":[{{{MATCH},"rename":{{{mistyped}}},"contract":{{"properties":{{{properties}}}}}}}]}}"#),
    ];
    for text in texts {
        let node = json::read(text.as_bytes()).unwrap();
        let start = worked();
        let _ = Config::check(&node);
        let time = worked().saturating_sub(start);
        assert!(time.as_secs() < 10, "{time:?}: {}", &text[..100]);
    }
}

/// Returns the processor time of this thread, because the machine may do other work at the same time.
fn worked() -> std::time::Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.try_into().unwrap()
}

#[test]
fn check_tells_everything_at_once_with_places() {
    let text = br#"{"mode":"x","routes":[{"match":{},"packs":["y"],"rename":{"a":"a"}}]}"#;
    let problems = Config::check(&json::read(text).unwrap()).unwrap_err();
    let places: Vec<(&str, usize)> = problems.iter().map(|problem| (problem.at.as_str(), problem.offset)).collect();
    let expected = [("mode", 1), ("routes[0].match", 23), ("routes[0].packs[0]", 43), ("routes[0].rename.a", 58)];
    assert_eq!(places, expected);
}
