use serde_json::{Value, json};

use crate::run::{Dir, Output};

const CONTRACT: &str = r#"{"type":"object","required":["id","tags"],"properties":{
    "id":{"type":"integer"},"phone":{"type":"string"},"contact":{"type":"object","properties":{"email":{}}},
    "tags":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"}}}}}}"#;

const CONFIG: &str = r#"{"routes":[
    {"name":"user","match":{"path":"/user"},"contract":CONTRACT,"rename":{"key":"id","e_mail":"email"}},
    {"name":"bare","match":{"path":"/bare"}}]}"#;

const OPENAPI: &str = r#"{"openapi":"3.1.0","paths":{"/user":{"get":{"responses":{"200":{"content":{
    "application/json":{"schema":CONTRACT}}}}}}}}"#;

fn dir(test: &str) -> Dir {
    let dir = Dir::new(&format!("match-{test}"));
    dir.file("contract.json", CONTRACT).file("nomos.json", CONFIG.replace("CONTRACT", CONTRACT));
    dir.file("openapi.json", OPENAPI.replace("CONTRACT", CONTRACT));
    dir
}

fn object(output: &Output) -> Value {
    assert_eq!(output.stdout.lines().count(), 1);
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", output.stdout, output.stderr))
}

#[test]
fn what_is_where_it_is_expected_is_no_match() {
    let dir = dir("nothing");
    let body = br#"{"id":1,"phone":"x","contact":{"email":1},"tags":[{"label":"x"}]}"#;
    let args = ["match", "--contract", "contract.json"];
    let text = dir.nomos_on(&args, body);
    assert_eq!((text.code, text.stdout.as_str()), (0, "everything stands where it is expected\n"));
    let output = dir.nomos_on(&[&args[..], &["--json"]].concat(), body);
    assert_eq!(
        (output.code, object(&output)),
        (0, json!({"matches": [], "missing": [], "missing_required": [], "unknown": []}))
    );
}

/// Programs get the same object as before: its fields are stable.
#[test]
fn a_value_of_another_kind_than_the_contract_is_told() {
    let dir = Dir::new("match-kind");
    let schema = r#"{"type":"object","required":["id"],"properties":{"id":{},"items":{"type":"array"}}}"#;
    dir.file("object.json", schema).file("list.json", format!(r#"{{"type":"array","items":{schema}}}"#));
    let moving = r#"{"routes":[{"match":{"path":"/u"},"move":{"items.list":"items"},"contract":{"type":"object",
        "properties":{"items":{"type":"array","items":{"type":"object","properties":{"x":{}}}}}}}]}"#;
    dir.file("moving.json", moving);
    let rows = [
        (
            "object.json",
            "[]",
            1,
            "missing: id (required), items\nanother kind: the contract is of an object, and the body is an array\n",
        ),
        ("object.json", r#"{"id":1,"items":{}}"#, 0, "another kind: items (an object; expected an array)\n"),
        (
            "list.json",
            r#"[{"id":1,"items":{}},{"id":2,"items":"x"}]"#,
            0,
            "another kind: [].items (an object; expected an array)\n",
        ),
        ("list.json", r#"[{"id":1,"items":null},{"id":1,"items":[]}]"#, 0, "everything stands where it is expected\n"),
        (
            "moving.json",
            r#"{"items":{"list":[{"x":1}]}}"#,
            0,
            "EXPECTED   FOUND           SCORE  WHY\nitems[].x  items.list[].x   1.00  a rule, pack or case convention\n",
        ),
    ];
    for (contract, body, code, expected) in rows {
        let output = dir.nomos_on(&["match", "--contract", contract], body.as_bytes());
        assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (code, expected, ""), "{body}");
    }
    let output = dir.nomos_on(&["match", "--contract", "object.json", "--json"], br#"{"id":1,"items":{}}"#);
    let expected = json!({"matches": [], "missing": [], "missing_required": [], "unknown": []});
    assert_eq!((output.code, object(&output)), (0, expected));
}

#[test]
fn rules_of_a_route_match_too() {
    let dir = dir("rules");
    dir.file("body.json", r#"{"key":1,"contact":{"e_mail":2},"tags":[],"a.b":{"c":3}}"#);
    let args = ["match", "--contract", "nomos.json", "--path", "/user", "body.json"];
    let output = dir.nomos(&[&args[..], &["--json"]].concat());
    let rule = |expected, found| json!({"expected": expected, "found": found, "score": 1, "by": "rule", "parts": {}});
    let matches = [rule("id", "key"), rule("contact.email", "contact.e_mail")];
    let expected = json!({"matches": matches, "missing": ["phone"], "missing_required": [], "unknown": ["\"a.b\".c"]});
    assert_eq!((output.code, object(&output)), (0, expected));

    let table = "EXPECTED       FOUND           SCORE  WHY
id             key              1.00  a rule, pack or case convention
contact.email  contact.e_mail   1.00  a rule, pack or case convention
missing: phone
unknown: \"a.b\".c
";
    assert_eq!(dir.nomos(&args).stdout, table);
    let args = ["match", "--config", "nomos.json", "--path", "/user", "body.json"];
    assert_eq!(dir.nomos(&args).stdout, table);
}

#[test]
fn similarity_matches_what_no_rule_declares() {
    let dir = dir("similarity");
    let body = br#"{"Id":1,"tags":[{"Label":"x"},{"Label":"y"}]}"#;
    for contract in [&["contract.json"][..], &["openapi.json", "--operation", "GET /user"]] {
        let output = dir.nomos_on(&[&["match", "--json", "--contract"], contract].concat(), body);
        let report = object(&output);
        let pairs: Vec<[&Value; 3]> = report["matches"]
            .as_array()
            .map(|all| all.iter().map(|found| [&found["expected"], &found["found"], &found["by"]]).collect())
            .unwrap_or_default();
        assert_eq!(pairs, [["id", "Id", "similarity"], ["tags[].label", "tags[].Label", "similarity"]]);
        assert!(report["matches"][0]["score"].as_f64().is_some_and(|score| score > 0.8), "{report}");
        assert!(report["matches"][0]["parts"].as_object().is_some_and(|parts| !parts.is_empty()), "{report}");
        assert_eq!((output.code, &report["missing"]), (0, &json!(["phone", "contact.email"])));
    }
}

#[test]
fn names_do_not_command_the_terminal() {
    let dir = dir("terminal");
    dir.file("body.json", r#"{"Id":1,"\u001b[31mEvil\u0007":{"a\nb":1},"tags":[]}"#);
    dir.file("evil.json", r#"{"type":"object","properties":{"\u001b[31mred":{}},"required":["\u001b[31mred"]}"#);
    dir.file("bad.json", r#"{"type":"object","\u001b[31m":{}}"#);
    let output = dir.nomos(&["match", "--contract", "contract.json", "body.json"]);
    assert!(output.stdout.ends_with("unknown: \"\\u001b[31mEvil\\u0007\".a\\nb\n"), "{}", output.stdout);
    let output = dir.nomos(&["match", "--contract", "evil.json", "body.json"]);
    assert!(output.stdout.contains("missing: \"\\u001b[31mred\" (required)\n"), "{}", output.stdout);
    let output = dir.nomos(&["match", "--contract", "evil.json", "body.json", "--json"]);
    assert_eq!(object(&output)["missing"], json!(["\"\u{1b}[31mred\""]));
    for (args, code) in [(&["match", "--contract", "bad.json", "body.json"][..], 2), (&["check", "bad.json"], 1)] {
        let output = dir.nomos(args);
        let text = output.stdout + &output.stderr;
        assert!(output.code == code && text.contains("[31m") && !text.contains('\u{1b}'), "{text}");
    }
}

#[test]
fn the_reference_profile_tells_its_own_parts() {
    let dir = dir("reference");
    let args = ["match", "--contract", "contract.json", "--profile", "reference", "--threshold", "0.7"];
    let body = br#"{"ident":1,"id":2,"phone_":3,"tags":[{"Label":"x"}]}"#;
    let output = dir.nomos_on(&[&args[..], &["--json"]].concat(), body);
    let report = object(&output);
    let matches = report["matches"].as_array().cloned().unwrap_or_default();
    assert_eq!(matches.len(), 2, "{report}");
    for found in &matches {
        let parts = found["parts"].as_object().cloned().unwrap_or_default();
        assert_eq!(parts.keys().collect::<Vec<_>>(), ["synonym", "jaro_winkler", "levenshtein", "tfidf"]);
        let sum = [("synonym", 0.35), ("jaro_winkler", 0.25), ("levenshtein", 0.20), ("tfidf", 0.20)]
            .iter()
            .map(|(part, weight)| parts[*part].as_f64().unwrap_or_default() * weight)
            .sum::<f64>();
        let score = found["score"].as_f64().unwrap_or_default();
        assert!((sum - score).abs() < 2e-4 && score >= 0.7, "{found}");
    }
    let text = dir.nomos_on(&args, body).stdout;
    assert!(text.contains("similarity: 0.35 synonym ") && text.contains(" + 0.20 tfidf "), "{text}");
    let config = CONFIG
        .replace("CONTRACT", CONTRACT)
        .replace(r#""rename":"#, r#""similarity":{"profile":"reference","threshold":0.7},"rename":"#);
    dir.file("nomos.json", config);
    let explained = dir.nomos_on(&["heal", "--config", "nomos.json", "--path", "/user", "--explain"], body).stderr;
    assert!(explained.contains("phone_ -> phone)\n") && !explained.contains(" 0.00"), "{explained}");
}

#[test]
fn a_required_field_that_is_missing_is_a_problem() {
    let dir = dir("missing");
    let output = dir.nomos_on(&["match", "--contract", "contract.json", "-"], br#"{"phone":1,"tags":[]}"#);
    let expected = "missing: id (required), contact.email\n";
    assert_eq!((output.code, output.stdout.as_str()), (1, expected));
}

#[test]
fn what_is_required_counts_where_its_object_stands() {
    let dir = Dir::new("match-required");
    dir.file(
        "pet.json",
        r##"{"type":"object","required":["id","tag"],"properties":{"id":{"type":"integer"},"tag":{"type":["object","null"],
            "required":["name"],"properties":{"name":{"type":"string"}}},"parent":{"$ref":"#"},
            "owner":{"type":["string","object"],"required":["login"],"properties":{"login":{"type":"string"}}}}}"##,
    );
    dir.file(
        "orders.json",
        r#"{"type":"object","properties":{"orders":{"type":"array","items":{"type":"object","required":["total"],
            "properties":{"total":{"type":"number"},"note":{"type":"string"}}}}}}"#,
    );
    dir.file(
        "list.json",
        r#"{"type":"array","items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},"x":{}}}}"#,
    );
    let rows: [(&str, &str, &[&str]); 20] = [
        ("pet.json", r#"{"id":1,"tag":null}"#, &[]),
        ("pet.json", r#"{"id":1,"tag":{"name":"x"},"parent":null,"owner":"ann"}"#, &[]),
        ("pet.json", r#"{"id":1,"tag":null,"owner":{}}"#, &["owner.login"]),
        ("pet.json", r#"{"id":1,"tag":{}}"#, &["tag.name"]),
        ("pet.json", r#"{"id":1}"#, &["tag"]),
        ("pet.json", r#"{"id":1,"tag":null,"parent":{"id":2,"tag":null}}"#, &[]),
        ("pet.json", r#"{"id":1,"tag":null,"parent":{"tag":null}}"#, &["parent.id"]),
        ("pet.json", r#"{"id":1,"tag":null,"parent":{"id":2}}"#, &["parent.tag"]),
        ("pet.json", r#"{"id":1,"tag":null,"parent":{"id":2,"tag":{}}}"#, &["parent.tag.name"]),
        ("orders.json", "{}", &[]),
        ("orders.json", r#"{"orders":null}"#, &[]),
        ("orders.json", r#"{"orders":[null,1,[]]}"#, &[]),
        ("orders.json", r#"{"orders":[{"total":1},{"total":2,"note":"x"}]}"#, &[]),
        ("orders.json", r#"{"orders":[{"total":1},{}]}"#, &["orders[].total"]),
        ("orders.json", r#"{"orders":[{"note":"x"},{"total":1}]}"#, &["orders[].total"]),
        ("list.json", "[]", &[]),
        ("list.json", "[null]", &[]),
        ("list.json", r#"[{"id":1},{"id":2}]"#, &[]),
        ("list.json", r#"[{"id":1},{"x":2}]"#, &["[].id"]),
        ("list.json", "{}", &["[].id"]),
    ];
    for (contract, body, required) in rows {
        let output = dir.nomos_on(&["match", "--contract", contract], body.as_bytes());
        let missing = output.stdout.lines().find_map(|line| line.strip_prefix("missing: ")).unwrap_or_default();
        let marked: Vec<&str> = missing.split(", ").filter_map(|path| path.strip_suffix(" (required)")).collect();
        assert_eq!(marked, required, "{body}: {missing}");
        assert_eq!(output.code, i32::from(!required.is_empty()), "{body}");
    }
    let members: Vec<String> = (0..3000).map(|id| format!("\"key {id} of many\":1")).collect();
    let large = format!("{{{},\"id\":1,\"tag\":null}}", members.join(","));
    assert_eq!(dir.nomos_on(&["match", "--contract", "pet.json"], large.as_bytes()).code, 0);
}

#[test]
fn bad_usage_and_bad_input_are_told_in_a_line() {
    let dir = dir("usage");
    dir.file("bad.json", r#"{"type":"object","propertys":{}}"#).file("list.json", "[]").file("empty.yaml", "# none\n");
    dir.file("body.json", "{}").file("broken.json", "{\n\"id\": }").file("text.json", "\"id\"");
    dir.file("syntax.yaml", "a: [");
    let contract = |name| ["--contract", name, "body.json"];
    dir.file("deep.json", "[".repeat(5000) + &"]".repeat(5000)).file("two.json", "{} {}");
    let rows: [(&[&str], &str); 16] = [
        (
            &["--contract", "contract.json", "deep.json"],
            "deep.json: line 1 column 4097: found more than 4096 arrays and objects inside each other; expected at most 4096",
        ),
        (
            &["--contract", "contract.json", "two.json"],
            "two.json: line 1 column 4: found `{`; expected the end of the body",
        ),
        (&contract("missing.json"), "missing.json: No such file or directory (os error 2)"),
        (
            &contract("bad.json"),
            "bad.json:1: propertys: found an unknown keyword; expected a keyword of JSON Schema 2020-12 (did you mean \
             \"properties\"?)",
        ),
        (
            &contract("list.json"),
            "list.json:1: contract: found an array; expected a JSON Schema: an object, such as {type: object, \
             properties: {...}}",
        ),
        (&contract("empty.yaml"), "empty.yaml: found no contract; expected a JSON Schema"),
        (
            &contract("syntax.yaml"),
            "syntax.yaml:1: column 4: found what YAML does not allow here (unclosed bracket '['); expected YAML",
        ),
        (
            &contract("openapi.json"),
            "openapi.json:1: found an OpenAPI document; expected --operation, such as 'GET /users/{id}', which \
             chooses a response",
        ),
        (
            &["--contract", "openapi.json", "--operation", "GET /usr", "body.json"],
            "openapi.json: found no operation GET /usr; expected one of GET /user",
        ),
        (
            &contract("nomos.json"),
            "found no --path, and 2 routes: user (/user), bare (/bare); expected --path, which chooses one",
        ),
        (
            &["--contract", "nomos.json", "--path", "/bare", "body.json"],
            "nomos.json: found route bare without a contract; expected one",
        ),
        (
            &["--contract", "nomos.json", "--path", "/other", "body.json"],
            "nomos.json: found no route for GET /other; expected a request of one of these: user (/user), bare (/bare)",
        ),
        (&["--contract", "contract.json", "no.json"], "no.json: No such file or directory (os error 2)"),
        (
            &["--contract", "contract.json", "broken.json"],
            "broken.json: line 2 column 7: found `}`; expected a JSON value",
        ),
        (&["--contract", "contract.json"], "stdin: line 1 column 1: found the end of the text; expected a JSON value"),
        (
            &["--contract", "contract.json", "text.json"],
            "text.json: line 1 column 1: found a value without members; expected an object or an array of objects",
        ),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(&[&["match"], args].concat());
        let report = format!("nomos: {expected}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (2, "", report), "{args:?}");
    }
    for (option, value) in
        [("--threshold", "1.5"), ("--threshold", "much"), ("--threshold", "-1"), ("--margin", "-0.5")]
    {
        let output = dir.nomos(&["match", "--contract", "contract.json", option, value]);
        assert!(output.code == 2 && output.stderr.contains("expected a number from 0 to 1"), "{}", output.stderr);
    }
}
