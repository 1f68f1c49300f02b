use crate::run::Dir;

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

#[test]
fn bad_usage_and_bad_input_are_told_in_a_line() {
    let dir = dir("usage");
    dir.file("bad.json", r#"{"type":"object","propertys":{}}"#).file("list.json", "[]").file("empty.yaml", "# none\n");
    dir.file("body.json", "{}").file("broken.json", "{\n\"id\": }").file("text.json", "\"id\"");
    dir.file("syntax.yaml", "a: [");
    let contract = |name| ["--contract", name, "body.json"];
    let rows: [(&[&str], &str); 14] = [
        (&contract("missing.json"), "missing.json: No such file or directory (os error 2)"),
        (
            &contract("bad.json"),
            "bad.json:1: propertys: found an unknown keyword; expected a keyword of JSON Schema (did you mean \
             \"properties\"?)",
        ),
        (
            &contract("list.json"),
            "list.json:1: configuration: found an array; expected a JSON Schema: an object, such as {type: object, \
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
            "nomos.json: found no route of this request; expected one",
        ),
        (&["--contract", "contract.json", "no.json"], "no.json: No such file or directory (os error 2)"),
        (
            &["--contract", "contract.json", "broken.json"],
            "broken.json: line 2 column 7: found `}`; expected a JSON value",
        ),
        (&["--contract", "contract.json"], "stdin: line 1 column 1: found the end of the text; expected a JSON value"),
        (
            &["--contract", "contract.json", "text.json"],
            "text.json: found a value without members; expected an object or an array of objects",
        ),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(&[&["match"], args].concat());
        let report = format!("nomos: {expected}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (2, "", report), "{args:?}");
    }
    for (option, value) in [("--threshold", "1.5"), ("--threshold", "much")] {
        let output = dir.nomos(&["match", "--contract", "contract.json", option, value]);
        assert!(output.code == 2 && output.stderr.contains("expected a number from 0 to 1"), "{}", output.stderr);
    }
}

#[test]
fn a_required_field_that_is_missing_is_a_problem() {
    let dir = dir("missing");
    let rows = [
        (r#"{"phone":1,"tags":[]}"#, 1, "missing: id (required), contact.email\n"),
        (r#"{"id":1,"tags":[]}"#, 0, "missing: phone, contact.email\n"),
    ];
    for (body, code, missing) in rows {
        for args in [&["match", "--contract", "contract.json"][..], &["match", "--contract", "contract.json", "-"]] {
            let output = dir.nomos_on(args, body.as_bytes());
            assert_eq!(output.code, code, "{body}: {}", output.stderr);
            assert!(output.stdout.ends_with(missing), "{body}: {}", output.stdout);
        }
    }
}

#[test]
fn similarity_matches_what_no_rule_declares() {
    let dir = dir("similarity");
    let body = br#"{"Id":1,"tags":[]}"#;
    for contract in [&["contract.json"][..], &["openapi.json", "--operation", "GET /user"]] {
        let output = dir.nomos_on(&[&["match", "--json", "--contract"], contract].concat(), body);
        let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
        let found = &report["matches"][0];
        assert_eq!((&found["expected"], &found["by"]), (&"id".into(), &"similarity".into()), "{report}");
        assert!(found["score"].as_f64().is_some_and(|score| score > 0.8), "{report}");
        assert!(found["parts"]["synonym"].is_number(), "{report}");
        let strict = [&["match", "--json", "--threshold", "1", "--margin", "1", "--contract"], contract].concat();
        assert_eq!(dir.nomos_on(&[&strict[..], &["--profile", "reference"]].concat(), body).code, 1);
    }
}
