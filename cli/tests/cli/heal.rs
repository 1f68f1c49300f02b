use crate::limited::nomos_within;
use crate::run::Dir;

const CONFIG: &str = "routes:
- name: user
  match: {path: /api/user}
  rename: {mail: email}
  move: {data.id: id}
- name: users
  match: {prefix: /api/, methods: [GET]}
  packs: [typos]
";

const BODY: &str =
    "{ \"mail\" : 1.50,\r\n \"data\": {\"id\": 1E400, \"x\": -0}, \"n\": 12345678901234567890123456789 }\n";
const HEALED: &str =
    "{ \"email\" : 1.50,\r\n \"data\": {\"x\": -0}, \"n\": 12345678901234567890123456789, \"id\": 1E400 }\n";

fn dir(test: &str) -> Dir {
    let dir = Dir::new(&format!("heal-{test}"));
    dir.file("nomos.yaml", CONFIG).file("body.json", BODY);
    dir
}

#[test]
fn a_body_is_healed_from_a_file_and_from_stdin() {
    let dir = dir("sources");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user?q=1"];
    let from_file = dir.nomos(&[&args[..], &["body.json"]].concat());
    assert_eq!((from_file.code, from_file.stderr.as_str()), (0, "healed by route user: 1 rename, 1 move\n"));
    assert_eq!(from_file.stdout, HEALED);
    for args in [&args[..], &[&args[..], &["-"]].concat()] {
        let from_stdin = dir.nomos_on(args, BODY.as_bytes());
        assert_eq!((from_stdin.code, from_stdin.stdout.as_str()), (0, HEALED));
    }
}

#[test]
fn what_cannot_be_healed_leaves_as_it_came() {
    let dir = dir("untouched");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user"];
    let rows = [
        ("{\"email\":1}", 0, "clean by route user: nothing to heal\n"),
        (
            "{\"mail\":1",
            2,
            "failed by route user: truncated: line 1 column 10: found the end of the text; expected `,` or `}`; the body \
             is left as it came\n",
        ),
        (
            "{\"a\":1,\n\"é\":}",
            2,
            "failed by route user: malformed: line 2 column 5: found `}`; expected a JSON value; the body is left as it \
             came\n",
        ),
        (
            "{\"mail\":1} x",
            2,
            "failed by route user: malformed: line 1 column 12: found `x`; expected the end of the body; the body is left \
             as it came\n",
        ),
        (
            "\u{feff}{}",
            2,
            "failed by route user: malformed: line 1 column 1: found the character U+FEFF; expected a JSON value; the \
             body is left as it came\n",
        ),
        (
            " \n",
            2,
            "failed by route user: empty: line 2 column 1: found the end of the text; expected a JSON value; the body is \
             left as it came\n",
        ),
        (
            "\"mail\"",
            1,
            "failed by route user: scalar: line 1 column 1: found a value without members; expected an object or an \
             array of objects; the body is left as it came\n",
        ),
    ];
    for (body, code, report) in rows {
        let output = dir.nomos_on(&args, body.as_bytes());
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (code, body, report), "{body}");
    }
}

#[test]
fn a_body_of_another_kind_than_its_contract_is_told() {
    let dir = Dir::new("heal-kind");
    let contract = r#"{"type":"object","properties":{"email":{"type":"string"}}}"#;
    let list = format!(r#"{{"type":"array","items":{contract}}}"#);
    let said = [
        (contract, " [{}]", "; the contract is of an object, and the body is an array"),
        (contract, "{}", ""),
        (&list, "{}", "; the contract is of an array, and the body is an object"),
        (&list, "[{}]", ""),
    ];
    for (contract, body, more) in said {
        dir.file("n.json", format!(r#"{{"routes":[{{"name":"u","match":{{"path":"/u"}},"contract":{contract}}}]}}"#));
        let output = dir.nomos_on(&["heal", "--config", "n.json"], body.as_bytes());
        assert_eq!(output.stderr, format!("clean by route u: nothing to heal{more}\n"), "{body}");
    }
}

const REQUIRING: &str = "routes:
- name: user
  match: {path: /u}
  rename: {mail: email}
  contract: {properties: {email: {}, id: {}, list: {items: {properties: {x: {}}, required: [x]}}}, required: [email, id]}
- name: problem
  match: {path: /p, status: [404]}
  contract: {properties: {title: {}}, required: [title]}
";

#[test]
fn what_is_missing_even_so_is_named() {
    let dir = Dir::new("heal-missing");
    dir.file("n.yaml", REQUIRING);
    let hint = "  what may be meant for them: nomos match --contract n.yaml --path /u\n";
    let both = "  missing: email (required), id (required)\n";
    let clean = "clean by route user: nothing to heal\n";
    let healed = "healed by route user: 1 rename\n";
    let rows: [(&str, &[&str], String, &[&str]); 6] = [
        (r#"{"x":1}"#, &[], format!("{clean}{both}{hint}"), &["email", "id"]),
        (r#"{"mail":1}"#, &[], format!("{healed}  missing: id (required)\n{hint}"), &["id"]),
        (r#"{"mail":1,"id":2}"#, &[], healed.to_owned(), &[]),
        (
            r#"{"email":1,"id":2,"list":[{}]}"#,
            &[],
            format!("{clean}  missing: list[].x (required)\n{hint}"),
            &["list[].x"],
        ),
        (
            r#"{"x":1}"#,
            &["--method", "GET"],
            format!("{clean}{both}{}", hint.replace("/u", "/u --method GET")),
            &["email", "id"],
        ),
        // Another response may have another route, and `match` knows nothing of responses.
        (r#"{"x":1}"#, &["--status", "201"], format!("{clean}{both}"), &["email", "id"]),
    ];
    for (body, options, report, missing) in rows {
        let args = [&["heal", "--config", "n.yaml", "--path", "/u"], options].concat();
        let output = dir.nomos_on(&args, body.as_bytes());
        assert_eq!((output.code, output.stderr), (0, report), "{body}");
        let output = dir.nomos_on(&[&args[..], &["--json"]].concat(), body.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
        assert_eq!((output.code, &report["missing"]), (0, &serde_json::json!(missing)), "{body}");
    }
    let matched = dir.nomos_on(&["match", "--contract", "n.yaml", "--path", "/u"], br#"{"x":1}"#);
    assert!(matched.stdout.contains("missing: email (required), id (required), list"), "{}", matched.stdout);
}

#[test]
fn only_successes_lack_members() {
    let dir = Dir::new("heal-unsuccessful");
    let problem = REQUIRING.split_at(REQUIRING.find("- name: problem").unwrap_or_default()).1;
    dir.file("n.yaml", REQUIRING).file("sole.yaml", format!("routes:\n{problem}"));
    let rows: [(&str, &[&str]); 3] = [
        ("n.yaml", &["--path", "/u", "--status", "404"]),
        ("n.yaml", &["--path", "/p", "--status", "404"]),
        ("sole.yaml", &[]),
    ];
    for (config, options) in rows {
        let args = [&["heal", "--config", config], options].concat();
        let output = dir.nomos_on(&args, b"{}");
        assert!(
            output.stderr.starts_with("clean by route ") && !output.stderr.contains("missing"),
            "{}",
            output.stderr
        );
        let output = dir.nomos_on(&[&args[..], &["--json"]].concat(), b"{}");
        assert!(!output.stderr.contains("missing"), "{}", output.stderr);
    }
}

#[test]
fn many_missing_members_are_counted() {
    let dir = Dir::new("heal-many-missing");
    let names: Vec<String> = (10..50).map(|number| format!("f{number}")).collect();
    dir.file("n.yaml", format!("routes: [{{match: {{path: /u}}, contract: {{required: [{}]}}}}]", names.join(",")));
    let output = dir.nomos_on(&["heal", "--config", "n.yaml"], b"{}");
    let line = output.stderr.lines().nth(1).unwrap_or_default();
    assert!(line.starts_with("  missing: f10 (required), f11 (required), "), "{line}");
    assert!(line.ends_with(", f13 (required) and 36 more"), "{line}");
    assert!(
        output.stderr.ends_with("\n  what may be meant for them: nomos match --contract n.yaml\n"),
        "{}",
        output.stderr
    );
}

#[test]
fn conflicts_are_named() {
    let dir = Dir::new("heal-conflicts");
    let rules =
        r#""rename":{"mail":"email","tel":"phone","fon":"phone"},"move":{"data.id":"id","meta.id":"id","a.b":"c"}"#;
    dir.file("n.json", format!(r#"{{"routes":[{{"name":"u","match":{{"path":"/u"}},{rules}}}]}}"#));
    let body = r#"{"mail":1,"email":2,"fon":3,"tel":4,"data":{"id":5},"meta":{"id":6},"a":{"b":7},"c":8}"#;
    let output = dir.nomos_on(&["heal", "--config", "n.json", "--json"], body.as_bytes());
    let report: serde_json::Value = serde_json::from_str(&output.stderr).expect("JSON");
    let list = |name: &str| -> Vec<(String, String, String)> {
        let text = |op: &serde_json::Value, field: &str| op[field].as_str().unwrap_or_default().to_owned();
        let ops = report[name].as_array().expect("a list").iter();
        ops.map(|op| (text(op, "kind"), text(op, "from"), text(op, "to"))).collect()
    };
    let ops = |rows: &[(&str, &str, &str)]| -> Vec<_> {
        rows.iter().map(|(kind, from, to)| ((*kind).to_owned(), (*from).to_owned(), (*to).to_owned())).collect()
    };
    assert_eq!((report["conflicts"].as_u64(), output.code), (Some(4), 0), "{report}");
    assert_eq!(list("ops"), ops(&[("rename", "fon", "phone"), ("move", "data.id", "id")]));
    let left =
        [("rename", "mail", "email"), ("rename", "tel", "phone"), ("move", "meta.id", "id"), ("move", "a.b", "c")];
    assert_eq!(list("conflicting"), ops(&left));
}

#[test]
fn a_move_that_is_left_says_what_may_be_in_its_way() {
    let dir = Dir::new("heal-conflicts-moves");
    dir.file("n.yaml", "routes:\n- {name: u, match: {path: /u}, move: {owner.name: owner}}\n");
    dir.file("u.json", r#"{"owner":{"name":"A","x":2}}"#);
    let output = dir.nomos(&["heal", "--config", "n.yaml", "--explain", "u.json"]);
    let reason =
        "the target stands, another rule has it, a step of its paths is not one object, or what it unwraps holds more";
    let expected = format!("  owner.name -> owner  (left: {reason}; the route's own move: owner.name -> owner)\n");
    assert!(output.stderr.ends_with(&expected), "{}", output.stderr);
    assert_eq!(output.stdout, r#"{"owner":{"name":"A","x":2}}"#);
}

#[test]
fn what_was_dropped_is_not_told_to_be_left() {
    let dir = Dir::new("heal-conflicts-dropped");
    let members = "email: {}, open: {properties: {email: {}}, additionalProperties: true}";
    let route = format!("unmapped: drop, rename: {{e_mail: email}}, contract: {{properties: {{{members}}}}}");
    dir.file("n.yaml", format!("routes:\n- {{name: u, match: {{path: /u}}, {route}}}\n"));
    let said = |left: &str| {
        format!("({left}: the target stands, or another rule has it; the route's own rename: e_mail -> email)")
    };
    let (dropped, left) = (said("dropped"), said("left"));
    let rows = [
        (
            r#"{"x":[1],"e_mail":"a","email":null}"#,
            format!("healed by route u: 2 members dropped (1 conflict)\n  e_mail -> email  {dropped}\n"),
            vec![true],
        ),
        (
            r#"{"open":{"e_mail":"a","email":null}}"#,
            format!("clean by route u: nothing to heal (1 conflict left alone)\n  open.e_mail -> open.email  {left}\n"),
            vec![false],
        ),
        (
            r#"{"e_mail":"a","open":{"e_mail":"a","email":null},"email":null,"x":{"e_mail":1,"email":2}}"#,
            format!(
                "healed by route u: 2 members dropped (2 conflicts)\n  open.e_mail -> open.email  {left}\n  e_mail -> email  {dropped}\n"
            ),
            vec![false, true],
        ),
    ];
    for (body, expected, dropped) in rows {
        let output = dir.nomos_on(&["heal", "--config", "n.yaml", "--explain"], body.as_bytes());
        assert_eq!(output.stderr, expected, "{body}");
        let output = dir.nomos_on(&["heal", "--config", "n.yaml", "--json"], body.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
        let told = report["conflicting"].as_array().into_iter().flatten().map(|op| op["dropped"].as_bool());
        assert_eq!(told.collect::<Vec<_>>(), dropped.into_iter().map(Some).collect::<Vec<_>>(), "{report}");
    }
}

#[test]
fn what_is_no_request_is_refused() {
    let dir = dir("requests");
    dir.file("none.json", "{}");
    let rows = [
        (["--path", "api/user"], "expected a path that starts with / and has no white space, such as /api/user"),
        (["--path", "/a b"], "expected a path that starts with / and has no white space, such as /api/user"),
        (["--path", "/a?b=c\td"], "expected a path that starts with / and has no white space, such as /api/user"),
        (["--path", "/a\u{7f}"], "expected a path that starts with / and has no white space, such as /api/user"),
        (["--method", "get"], "expected a method in capitals, such as GET"),
        (["--method", "G ET"], "expected a method in capitals, such as GET"),
        (["--method", "123"], "expected a method in capitals, such as GET"),
        (["--method", "GÉT"], "expected a method in capitals, such as GET"),
        (["--method", ""], "expected a method in capitals, such as GET"),
        (["--status", "abc"], "expected a status, such as 404"),
        (["--status", "999"], "expected a status, such as 404"),
    ];
    for (option, expected) in rows {
        let output = dir.nomos(&[&["heal", "--config", "nomos.yaml", "body.json"][..], &option].concat());
        assert!(output.code == 2 && output.stderr.contains(expected), "{option:?}: {}", output.stderr);
    }
    for option in [["--path", "/api/user?q=a%20b"], ["--method", "M-SEARCH"]] {
        let output = dir.nomos(&[&["heal", "--config", "none.json", "body.json"][..], &option].concat());
        assert_eq!(output.code, 0, "{option:?}: {}", output.stderr);
    }
    let output = dir.nomos(&["heal", "--config", "none.json", "body.json"]);
    let report = "skipped: the configuration has no routes; the body is left as it came\n";
    assert_eq!((output.code, output.stderr.as_str()), (0, report));
}

#[test]
fn the_report_does_not_command_the_terminal() {
    let dir = Dir::new("heal-terminal");
    let config = r#"{"routes":[{"match":{"prefix":"/"},"rename":{"\u001b[31mred":"\u009bgreen"}}]}"#;
    dir.file("nomos.json", config).file("body.json", r#"{"\u001b[31mred":1}"#);
    let args = ["heal", "--config", "nomos.json", "--explain", "--diff"];
    let output = dir.nomos(&[&args[..], &["body.json"]].concat());
    assert_eq!(output.code, 0);
    assert!(output.stderr.contains("\n  \"\\u001b[31mred\" -> \\u009bgreen  ("), "{}", output.stderr);
    assert!(output.stdout.contains("\n-  \"\\u001b[31mred\": 1\n+  \"\\u009bgreen\": 1\n"), "{}", output.stdout);
    let colours = [("CLICOLOR_FORCE", "1")];
    let coloured = dir.nomos_with(&colours, &[&args[..], &["body.json"]].concat(), b"").stdout;
    assert!(coloured.contains("\\u001b[31mred") && coloured.contains("\\u009bgreen"), "{coloured}");
    assert!(!coloured.replace("\u{1b}[", "").contains(['\u{1b}', '\u{9b}']), "{coloured}");
}

#[test]
fn a_request_without_a_route_is_skipped() {
    let output = dir("skipped").nomos(&["heal", "--config", "nomos.yaml", "--path", "/other", "body.json"]);
    let report = "skipped: no route is for GET /other; known: user (/api/user), users (GET /api/*); the body is left as it came\n";
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, BODY, report));
}

#[test]
fn the_method_chooses_too() {
    let dir = dir("method");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/x", "body.json", "--method"];
    assert!(dir.nomos(&[&args[..], &["GET"]].concat()).stderr.starts_with("clean by route users"));
    assert!(dir.nomos(&[&args[..], &["PUT"]].concat()).stderr.starts_with("skipped"));
}

#[test]
fn the_route_may_depend_on_the_response() {
    let dir = Dir::new("heal-response");
    let config = r#"{"mode":"observe","routes":[
        {"name":"ok","match":{"path":"/u","status":["2xx"]},"mode":"heal","rename":{"a":"b"}},
        {"name":"problem","match":{"path":"/u","content_types":["application/problem+json"]},"rename":{"a":"c"}}]}"#;
    dir.file("nomos.json", config);
    let heal = |more: &[&str]| {
        let args = [&["heal", "--config", "nomos.json", "--path", "/u"], more].concat();
        let output = dir.nomos_on(&args, b"{\"a\":1}");
        (output.stdout, output.stderr.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    assert_eq!(heal(&[]), ("{\"b\":1}".to_owned(), vec!["healed by route ok: 1 rename".to_owned()]));
    let (body, report) = heal(&["--status", "404", "--content-type", "application/problem+json"]);
    assert_eq!((body.as_str(), report.len()), ("{\"c\":1}", 2), "{report:?}");
    assert!(report[0].starts_with("healed by route problem") && report[1].starts_with("mode is observe"));
    assert!(heal(&["--status", "404"]).1[0].starts_with("skipped"));
}

#[test]
fn the_limits_of_the_configuration_hold() {
    let dir = Dir::new("heal-limits");
    let config = r#"{"max_held_bytes":1024,"max_depth":2,"max_keys":2,"max_tokens":20,
        "routes":[{"match":{"prefix":"/"},"rename":{"a":"b"}}]}"#;
    dir.file("nomos.json", config);
    let large = format!("{{\"a\":\"{}\"}}", "x".repeat(1024));
    let rows = [
        (
            large.as_str(),
            "too_large: line 1 column 1025: found more than 1024 bytes to hold; expected at most 1024 (max_held_bytes)",
        ),
        (
            "{\"a\":\n[[1]]}",
            "too_deep: line 2 column 2: found more than 2 arrays and objects inside each other; expected at most 2 (max_depth)",
        ),
        (
            "{\"a\":1,\"b\":2,\"c\":3}",
            "too_many_keys: line 1 column 1: found more than 2 members in one object; expected at most 2 (max_keys)",
        ),
        (
            "[1,2,3,4,5,6,7,8,9,10]",
            "too_many_tokens: line 1 column 22: found more than 20 tokens; expected at most 20 (max_tokens)",
        ),
    ];
    for (body, report) in rows {
        let output = dir.nomos_on(&["heal", "--config", "nomos.json"], body.as_bytes());
        assert_eq!((output.code, output.stdout.as_str()), (1, body), "{report}");
        assert_eq!(output.stderr, format!("failed by route route-0: {report}; the body is left as it came\n"));
    }
}

#[test]
fn what_is_over_the_limit_streams() {
    let dir = Dir::new("heal-stream");
    dir.file("nomos.json", r#"{"max_held_bytes":1024,"routes":[{"match":{"prefix":"/"},"rename":{"a":"b"}}]}"#);
    let list = |name: &str| format!(r#"{{"list":[{}{{}}]}}"#, format!("{{\"{name}\":1}},").repeat(200));
    let output = dir.nomos_on(&["heal", "--config", "nomos.json", "--explain"], list("a").as_bytes());
    assert_eq!((output.code, output.stdout), (0, list("b")));
    assert!(
        output.stderr.starts_with("healed by route route-0: 200 renames\n  (over max_held_bytes"),
        "{}",
        output.stderr
    );
    let cut = |name: &str| list(name).replace("{}]}", "{]");
    let output = dir.nomos_on(&["heal", "--config", "nomos.json"], cut("a").as_bytes());
    assert_eq!((output.code, output.stdout), (2, cut("b")));
}

/// The reason is found by reading the body once more. The body is held, but no tree of it, which takes many times as much.
#[test]
fn a_long_body_takes_no_more_memory_for_failing() {
    let dir = dir("long");
    dir.file("body.json", format!("[\n{}", "{\"mail\": 1, \"x\": [2]},\n".repeat(400_000)));
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user", "body.json"];
    let output = nomos_within("-v 200000", &dir, &args);
    let expected = "failed by route user: truncated: line 400002 column 1: found the end of the text; expected a JSON \
                    value; the body is left as it came from the value before on\n";
    assert_eq!((output.code, output.stderr.as_str()), (2, expected));
}

#[test]
fn the_configuration_is_found_in_that_of_envoy() {
    let dir = dir("envoy");
    let wasm = "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm";
    let envoy = |kind: &str, value: &str| {
        format!(
            "static_resources: {{listeners: [{{filters: [{{name: nomos, typed_config: {{'@type': {wasm}, config: \
             {{configuration: {{'@type': type.googleapis.com/google.protobuf.{kind}, value: {value}}}}}}}}}]}}]}}"
        )
    };
    let routes = "{routes: [{match: {path: /u}, rename: {mail: email}}]}";
    let text = r#"'{"routes":[{"match":{"path":"/u"},"rename":{"mail":"email"}}]}'"#;
    for (kind, value) in [("Struct", routes), ("StringValue", text)] {
        dir.file("envoy.yaml", envoy(kind, value));
        let output = dir.nomos_on(&["heal", "--config", "envoy.yaml"], b"{\"mail\":1}");
        assert_eq!((output.code, output.stdout.as_str()), (0, "{\"email\":1}"), "{kind}: {}", output.stderr);
    }
}

#[test]
fn a_mode_that_changes_nothing_is_told() {
    let dir = dir("mode");
    dir.file("nomos.yaml", format!("mode: observe\n{CONFIG}"));
    let output = dir.nomos(&["heal", "--config", "nomos.yaml", "--path", "/api/user", "body.json"]);
    assert_eq!(output.stdout, HEALED);
    assert!(output.stderr.ends_with("mode is observe: in Envoy this body leaves as it came\n"), "{}", output.stderr);
    for mode in ["observe", "off"] {
        dir.file("nomos.yaml", format!("mode: {mode}\n{CONFIG}"));
        let output = dir.nomos(&["heal", "--config", "nomos.yaml", "--path", "/api/user", "body.json", "--json"]);
        let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
        let told = [&report["verdict"], &report["mode"], &report["leaves"]];
        assert_eq!(told, ["healed", mode, "as_it_came"]);
    }
}

#[test]
fn a_share_of_requests_is_told() {
    let dir = dir("sample");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user", "body.json"];
    let some = "sample is 12.5: in Envoy 12.5 % of requests are healed, the rest is observed\n";
    let none = "sample is 0: in Envoy this body leaves as it came\n";
    let observed = "mode is observe: in Envoy this body leaves as it came\n";
    let rows = [
        ("sample: 100", "", "heal", "healed", None),
        ("sample: 12.5", some, "heal", "healed", Some(12.5)),
        ("sample: 0", none, "observe", "as_it_came", Some(0.0)),
        ("mode: observe\nsample: 0", observed, "observe", "as_it_came", None),
    ];
    for (setting, line, mode, leaves, sample) in rows {
        dir.file("nomos.yaml", format!("{setting}\n{CONFIG}"));
        let output = dir.nomos(&args);
        let expected = format!("healed by route user: 1 rename, 1 move\n{line}");
        assert_eq!((output.stdout.as_str(), output.stderr), (HEALED, expected), "{setting}");
        let output = dir.nomos(&[&args[..], &["--json"]].concat());
        let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
        assert_eq!([&report["mode"], &report["leaves"]], [mode, leaves], "{setting}");
        assert_eq!(report.get("sample").and_then(serde_json::Value::as_f64), sample, "{setting}");
    }
}

#[test]
fn what_is_said_of_request_and_response_is_heeded() {
    let dir = Dir::new("heal-heeded");
    let route = |name: &str, more: &str| {
        format!(r#"{{"routes":[{{"name":"user","match":{{"path":"/u"{more}}},"rename":{{"a":"b"}}}}]}}"#)
            .replace("user", name)
    };
    dir.file("any.json", route("any", "")).file("get.json", route("get", r#","methods":["GET"],"status":["2xx"]"#));
    dir.file("post.json", route("post", r#","methods":["POST"],"status":[404]"#));
    // The filter's reason, and whether a path is needed for it.
    let rows: [(&str, &[&str], Option<&str>); 17] = [
        ("any.json", &[], None),
        ("any.json", &["--method", "PUT", "--status", "500"], None),
        ("any.json", &["--content-type", "application/hal+json; charset=utf-8"], None),
        ("any.json", &["--content-type", "text/html"], Some("content_type")),
        ("any.json", &["--content-type", "text/event-stream"], Some("content_type")),
        ("any.json", &["--content-type", ""], Some("content_type")),
        ("any.json", &["--status", "204"], Some("status")),
        ("any.json", &["--status", "206", "--content-type", "text/html"], Some("status")),
        ("any.json", &["--method", "HEAD"], Some("method")),
        ("any.json", &["--method", "HEAD", "--status", "304"], Some("method")),
        ("get.json", &[], None),
        ("get.json", &["--method", "GET", "--status", "201"], None),
        ("get.json", &["--method", "POST"], Some("no_route")),
        ("get.json", &["--status", "404"], Some("no_route")),
        ("get.json", &["--status", "204"], Some("status")),
        ("post.json", &["--method", "POST", "--status", "404"], None),
        ("post.json", &["--method", "POST", "--status", "200"], Some("no_route")),
    ];
    for (config, said, reason) in rows {
        for path in [&[][..], &["--path", "/u"]] {
            let args = [&["heal", "--json", "--config", config], said, path].concat();
            let output = dir.nomos_on(&args, br#"{"a":1}"#);
            let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
            let (verdict, body) = if reason.is_some() { ("skipped", r#"{"a":1}"#) } else { ("healed", r#"{"b":1}"#) };
            assert_eq!(
                (output.code, &report["verdict"], output.stdout.as_str()),
                (0, &verdict.into(), body),
                "{args:?}"
            );
            assert_eq!(report["reason"].as_str(), reason, "{args:?}");
        }
    }
    // Without options, the only route is taken.
    assert_eq!(dir.nomos_on(&["heal", "--config", "post.json"], br#"{"a":1}"#).stdout, r#"{"b":1}"#);
    let skipped = |args: &[&str]| dir.nomos_on(&[&["heal", "--config", "get.json"], args].concat(), b"{}").stderr;
    let left = "; the body is left as it came\n";
    let none = |asked: &str| format!("skipped: no route is for {asked}; known: get (GET /u 2xx){left}");
    assert_eq!(skipped(&["--method", "PUT"]), none("PUT requests"));
    assert_eq!(skipped(&["--status", "404"]), none("GET requests, status 404"));
    let asked = ["--path", "/u", "--status", "500", "--content-type", "application/json"];
    assert_eq!(skipped(&asked), none("GET /u, status 500, content-type \"application/json\""));
    let nothing = "content-type \"\" is not one JSON document";
    assert_eq!(skipped(&["--content-type", ""]), format!("skipped by route get: {nothing}{left}"));
    let status = "bodies of responses of status 204 are not looked at";
    assert_eq!(skipped(&["--status", "204"]), format!("skipped by route get: {status}{left}"));
    let html = "content-type \"text/html\" is not one JSON document";
    assert_eq!(skipped(&["--content-type", "text/html"]), format!("skipped by route get: {html}{left}"));
}

#[test]
fn bad_usage_and_bad_input_are_told_in_a_line() {
    let dir = dir("usage");
    dir.file("bad.yaml", "mode: heal\nroutes:\n- match: {}\n  packs: [x]\n").file("syntax.yaml", "a: [");
    dir.file("other.yaml", "# none here\nstatic_resources: {}\n");
    dir.file(
        "two.yaml",
        "a: {'@type': envoy.extensions.filters.http.wasm.v3.Wasm, config: {name: nomos}}\nb:\n  \
    '@type': envoy.extensions.filters.http.wasm.v3.Wasm\n  config: {name: nomos}\n",
    );
    dir.file("api.yaml", "openapi: 3.1.0\npaths: {}\n");
    let rows: [(&[&str], &str); 9] = [
        (
            &["--config", "api.yaml", "body.json"],
            "api.yaml:1: found an OpenAPI document; expected a configuration, with a contract that `nomos contract` \
             takes out of this file",
        ),
        (&["--config", "missing.yaml"], "missing.yaml: No such file or directory (os error 2)"),
        (
            &["--config", "nomos.yaml", "--path", "/api/user", "missing.json"],
            "missing.json: No such file or directory (os error 2)",
        ),
        (
            &["--config", "nomos.yaml", "body.json"],
            "found no --path, and 2 routes: user (/api/user), users (GET /api/*); expected --path, which chooses one",
        ),
        (
            &["--config", "bad.yaml", "body.json"],
            "bad.yaml:3: routes[0].match: found none of them; expected exactly one of path, prefix and template, \
            such as \
             {path: /api/user}; {prefix: /} is every path (and 1 more: see nomos check)",
        ),
        (
            &["--config", "syntax.yaml", "body.json"],
            "syntax.yaml:1: column 4: found what YAML does not allow here (unclosed bracket '['); expected YAML",
        ),
        (
            &["--config", "other.yaml", "body.json"],
            "other.yaml:2: found no Nomos filter; expected one in a configuration of Envoy",
        ),
        (
            &["--config", "two.yaml", "body.json"],
            "found 2 Nomos filters (two.yaml:1, two.yaml:3); expected one, or the plugin's own configuration",
        ),
        (
            &["--config", "body.json", "body.json"],
            "body.json:1: found a file of no known kind; expected the configuration of the plugin, that of Envoy, or a \
             resource that contains it",
        ),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(&[&["heal"], args].concat());
        let report = format!("nomos: {expected}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (2, "", report), "{args:?}");
    }
}

const EXPLAINED: &str = "routes:
- name: user
  match: {prefix: /}
  rename: {mail: email}
  move: {data.id: id}
  packs: [api-v2, camel-case]
";
const DRIFTED: &str = r#"{"mail":1,"data":{"id":2},"list":[{"user_identifier":3},{"loyaltyPoints":4}]}"#;

#[test]
fn every_op_is_explained() {
    let dir = Dir::new("heal-explain");
    dir.file("nomos.yaml", EXPLAINED);
    let output = dir.nomos_on(&["heal", "--config", "nomos.yaml", "--explain"], DRIFTED.as_bytes());
    let expected = "healed by route user: 3 renames, 1 move
  mail -> email  (the route's own rename: mail -> email)
  list[0].user_identifier -> list[0].user_id  (api-v2-001: user_identifier -> user_id)
  list[1].loyaltyPoints -> list[1].loyalty_points  (camel-case-100: case convention)
  data.id -> id  (the route's own move: data.id -> id)
";
    assert_eq!((output.code, output.stderr.as_str()), (0, expected));
}

#[test]
fn what_is_left_for_its_value_is_explained() {
    let dir = Dir::new("heal-unlisted");
    let contract = "{properties: {user_id: {}, work_state: {enum: [open, done]}}}";
    let config = format!("routes:\n- {{name: user, match: {{prefix: /}}, similarity: {{}}, contract: {contract}}}\n");
    dir.file("nomos.yaml", &config);
    let body = br#"{"userId":1,"workState":"DONE"}"#;
    let output = dir.nomos_on(&["heal", "--config", "nomos.yaml", "--explain"], body);
    let expected = "healed by route user: 1 rename (1 unlisted value left alone)
  userId -> user_id  (similarity 1.00: userId -> user_id: nothing against it)
  workState -> work_state  (left: its value is not in the enum, or in the case of the new name)
";
    assert_eq!((output.code, output.stderr.as_str()), (0, expected));
    let output = dir.nomos_on(&["heal", "--config", "nomos.yaml", "--json"], body);
    let report: serde_json::Value = serde_json::from_str(&output.stderr).unwrap_or_default();
    assert_eq!(report["unlisted"], 1);
    assert_eq!(report["left"][0]["from"], "workState");
}

#[test]
fn with_json_the_report_is_one_object() {
    let dir = Dir::new("heal-json");
    dir.file("nomos.yaml", EXPLAINED);
    let report = |body: &[u8]| {
        let output = dir.nomos_on(&["heal", "--config", "nomos.yaml", "--json"], body);
        serde_json::from_str::<serde_json::Value>(&output.stderr).unwrap_or_default()
    };
    let healed = report(DRIFTED.as_bytes());
    assert_eq!(
        healed,
        serde_json::json!({
            "verdict": "healed", "route": "user", "mode": "heal", "leaves": "healed", "renames": 3, "moves": 1, "dropped": 0, "conflicts": 0, "missing": [],
            "ops": [
                {"kind": "rename", "from": "mail", "to": "email", "why": {"by": "route", "rule": "mail -> email"}},
                {"kind": "rename", "from": "list[0].user_identifier", "to": "list[0].user_id",
                 "why": {"by": "pack", "pack": "api-v2", "id": "api-v2-001", "rule": "user_identifier -> user_id"}},
                {"kind": "rename", "from": "list[1].loyaltyPoints", "to": "list[1].loyalty_points",
                 "why": {"by": "convention", "pack": "camel-case", "id": "camel-case-100"}},
                {"kind": "move", "from": "data.id", "to": "id", "why": {"by": "route", "rule": "data.id -> id"}},
            ],
        })
    );
    let failed = serde_json::json!({"verdict": "failed", "route": "user", "mode": "heal", "leaves": "as_it_came",
        "reason": "malformed", "offset": 1, "at": "line 1 column 2", "found": "`x`",
        "expected": "a name in double quotes"});
    assert_eq!(report(b"{x}"), failed);
}

#[test]
fn what_changes_is_shown_line_by_line() {
    let dir = dir("diff");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user", "--diff"];
    let body = r#"{"a": [], "b": {}, "c": 1e3, "d": 4, "mail": 1.50, "data": {"id": 1E400, "x": "é"}}"#;
    let output = dir.nomos_on(&args, body.as_bytes());
    let diff = "@@ -3,9 +3,9 @@
   \"b\": {},
   \"c\": 1e3,
   \"d\": 4,
-  \"mail\": 1.50,
+  \"email\": 1.50,
   \"data\": {
-    \"id\": 1E400,
     \"x\": \"é\"
-  }
+  },
+  \"id\": 1E400
 }
";
    assert_eq!((output.code, output.stdout.as_str()), (0, diff));
    assert_eq!(output.stderr, "healed by route user: 1 rename, 1 move\n");
    let clean = dir.nomos_on(&args, b"{\"email\":1}");
    assert_eq!((clean.code, clean.stdout.as_str()), (0, ""));
    let broken = dir.nomos_on(&args, b"{\"mail\":");
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let dir = dir("colours");
    let args = ["heal", "--config", "nomos.yaml", "--path", "/api/user", "--diff", "body.json"];
    let red = "\u{1b}[31m-  \"mail\"";
    let rows: [(&[(&str, &str)], bool); 4] = [
        (&[], false),
        (&[("CLICOLOR_FORCE", "1")], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
        (&[("TERM", "dumb")], false),
    ];
    for (variables, expected) in rows {
        let output = dir.nomos_with(variables, &args, b"");
        assert_eq!(output.stdout.contains(red), expected, "{variables:?}: {}", output.stdout);
    }
}
