use crate::run::Dir;

/// The output of `nomos check` about a file, and its exit code.
fn check(test: &str, name: &str, content: &str) -> (i32, String) {
    let output = Dir::new(&format!("check-{test}")).file(name, content).nomos(&["check", name]);
    assert_eq!(output.stderr, "", "{test}");
    (output.code, output.stdout)
}

fn envoy(name: &str, plugin: &str) -> String {
    let plugin = plugin.replace('\n', "\n          ");
    format!(
        "static_resources:
  listeners:
  - filter_chains:
    - filters:
      - name: {name}
        typed_config:
          \"@type\": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
          config:
            name: n
{plugin}"
    )
}

#[test]
fn files_in_order_are_told_by_their_kind() {
    let rows = [
        (
            "plugin",
            "a.yaml",
            "routes:\n- match: {path: /u}\n  packs: [all]\n".to_owned(),
            "a plugin configuration with 1 route",
        ),
        ("json", "a.json", r#"{"mode":"off","routes":[]}"#.to_owned(), "a plugin configuration with 0 routes"),
        ("contract", "a.yaml", "type: object\nproperties: {id: {type: integer}}\n".to_owned(), "a contract"),
        ("none", "a.yaml", envoy("nomos", ""), "an Envoy configuration with 1 Nomos filter"),
        (
            "struct",
            "a.yaml",
            envoy(
                "nomos",
                "
  configuration:
    '@type': type.googleapis.com/google.protobuf.Struct
    value: {mode: off}
",
            ),
            "an Envoy configuration with 1 Nomos filter",
        ),
    ];
    for (test, name, content, kind) in rows {
        assert_eq!(check(test, name, &content), (0, format!("{name}: {kind}: no problems\n")), "{test}");
    }
}

#[test]
fn a_file_that_is_not_there_keeps_nothing_from_the_others() {
    let dir = Dir::new("check-missing");
    let output = dir.file("a.yaml", "mode: off\n").nomos(&["check", "a.yaml", "b.yaml"]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (2, "a.yaml: a plugin configuration with 0 routes: no problems\n")
    );
    assert!(output.stderr.contains("b.yaml: ") && output.stderr.lines().count() == 1, "{}", output.stderr);
}

#[test]
fn problems_are_told_with_their_lines() {
    let rows = [
        (
            "yaml",
            "routes:\n- name: user\n  match: {path: u}\n  packs:\n  - api-v2\n  - typo\n".to_owned(),
            "a.yaml:3: routes[0].match.path: found \"u\"; expected a path that starts with /
a.yaml:6: routes[0].packs[1]: found \"typo\"; expected one of api-v2, camel-case, abbreviations, underscores, \
plurals, \
             typos, legacy, date-time, nested-paths, all (did you mean \"typos\"?)
",
        ),
        (
            "bool",
            "routes:\n- match: {path: /u}\n  rename:\n    lat: y\n".to_owned(),
            "a.yaml:4: routes[0].rename.lat: found true (bare y, n, yes, no, on and off are booleans in YAML: use \
            quotes); \
             expected the name that clients expect
",
        ),
        (
            "twice",
            "mode: heal\nmode: off\n".to_owned(),
            "a.yaml:2: mode: found \"mode\" a second time; expected each name once in an object\n",
        ),
        (
            "syntax",
            "routes:\n  - [\n".to_owned(),
            "a.yaml:2: column 5: found what YAML does not allow here (unclosed bracket '['); expected YAML\n",
        ),
        (
            "documents",
            "mode: off\n---\nmode: heal\n".to_owned(),
            "a.yaml:3: configuration: found a second document; expected one document in a file\n",
        ),
        (
            "no-filter",
            "admin: {}\nstatic_resources: {}\n".to_owned(),
            "a.yaml:1: configuration: found an Envoy configuration without the Nomos filter; expected \
             envoy.filters.http.wasm with Nomos: `nomos` in the name of the filter, plugin or module file\n",
        ),
        (
            "contract",
            "type: object\nproperties:\n  a:\n    $ref: '#/$defs/b'\n$defs:\n  b: {typ: string}\n".to_owned(),
            "a.yaml:6: $defs.b.typ: found an unknown keyword; expected a keyword of JSON Schema (did you mean \
             \"type\"?)\n",
        ),
    ];
    for (test, content, expected) in rows {
        assert_eq!(check(&format!("lines-{test}"), "a.yaml", &content), (1, expected.to_owned()), "{test}");
    }
}

#[test]
fn resources_of_kubernetes_are_looked_into() {
    let wasm_plugin =
        |config: &str| format!("kind: WasmPlugin\nmetadata: {{name: nomos}}\nspec:\n  pluginConfig:\n{config}");
    let policy = |config: &str| {
        format!(
            "kind: Secret\n---\nkind: EnvoyExtensionPolicy\nspec:\n  wasm:\n  - name: nomos\n    config: {{{config}}}\n  - name: x\n"
        )
    };
    let good = "a.yaml: resources of Kubernetes with 1 Nomos plugin: no problems\n";
    let mode = "found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)\n";
    let rows = [
        ("plugin", wasm_plugin("    mode: off\n"), good.to_owned()),
        ("plugin-bad", wasm_plugin("    routes: []\n    mode: heel\n"), format!("a.yaml:6: mode: {mode}")),
        (
            "plugin-held",
            wasm_plugin("    response_headers: held\n    mode: off\n"),
            "a.yaml:5: response_headers: found \"held\" in a WasmPlugin, whose filter may not hold headers: first \
             responses would wait for up to a second, and later ones would not be held; expected an EnvoyFilter with allow_on_headers_stop_iteration: true, or \
             response_headers: early\n"
                .to_owned(),
        ),
        ("policy", policy("mode: off, response_headers: held"), good.to_owned()),
        ("policy-bad", policy("mode: heel"), format!("a.yaml:7: mode: {mode}")),
    ];
    for (test, content, expected) in rows {
        let code = i32::from(expected != good);
        assert_eq!(check(&format!("resource-{test}"), "a.yaml", &content), (code, expected), "{test}");
    }
}

#[test]
fn problems_inside_an_envoy_configuration_are_told_with_its_lines() {
    let rows = [
        (
            "struct",
            envoy(
                "nomos",
                "
  configuration:
    '@type': type.googleapis.com/google.protobuf.Struct
    value:
      mode: heel
",
            ),
            "a.yaml:14: mode: found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)\n",
        ),
        (
            "text",
            envoy(
                "nomos",
                "
  configuration:
    '@type': type.googleapis.com/google.protobuf.StringValue
    value: |
      {
        \"mode\": \"heel\"
      }
",
            ),
            "a.yaml:15: mode: found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)\n",
        ),
        (
            "bytes",
            envoy(
                "nomos",
                "
  configuration:
    '@type': type.googleapis.com/google.protobuf.BytesValue
    value: e30=
",
            ),
            "a.yaml:12: configuration: found an object as the configuration of the plugin; expected a \
             google.protobuf.Struct or StringValue with a value\n",
        ),
        (
            "held",
            envoy(
                "nomos",
                "
  configuration:
    '@type': type.googleapis.com/google.protobuf.Struct
    value: {response_headers: held, mode: off}
",
            ),
            "a.yaml:7: response_headers: found \"held\" in a filter that may not hold headers: first responses would \
             wait for up to a second, and later ones would not be held; expected allow_on_headers_stop_iteration: true beside configuration, or response_headers: early\n",
        ),
        (
            "late",
            envoy(
                "nomos",
                "
  allow_on_headers_stop_iteration: true
  configuration:
    '@type': type.googleapis.com/google.protobuf.Struct
    value: {response_headers: held, mode: off}
",
            ) + "\n      - {name: ext, typed_config: {'@type': type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor, processing_mode: {response_body_mode: STREAMED}}}\n",
            "a.yaml:7: response_headers: found \"held\" before ext, which hands out bodies late: they may be cut off; \
             expected it in front of nomos, earlier in http_filters, or response_headers: early\n",
        ),
    ];
    for (test, content, expected) in rows {
        assert_eq!(check(&format!("envoy-{test}"), "a.yaml", &content), (1, expected.to_owned()), "{test}");
    }
}

/// Envoy itself warns of `fail_open` in its log, from 1.33 on.
#[test]
fn deprecated_fields_are_warned_of() {
    let instead = "failure_policy: FAIL_OPEN; with fail_open a response may end well that lacks bytes";
    let good = envoy("nomos", "\n  fail_open: true\n");
    let kind = "an Envoy configuration with 1 Nomos filter";
    let expected = format!(
        "a.yaml:11: warning: fail_open: deprecated since Envoy 1.33; use {instead}\na.yaml: {kind}: no problems, 1 warning\n"
    );
    assert_eq!(check("deprecated", "a.yaml", &good), (0, expected));

    let bad = "\n  fail_open: true\n  configuration:\n    '@type': type.googleapis.com/google.protobuf.Struct\n    value: {mode: heel}\n";
    let (code, text) = check("deprecated-and-wrong", "a.yaml", &envoy("nomos", bad));
    let lines: Vec<&str> = text.lines().filter_map(|line| line.get(..13)).collect();
    assert_eq!((code, lines), (1, vec!["a.yaml:11: wa", "a.yaml:14: mo"]), "{text}");

    let output = Dir::new("check-deprecated-json").file("a.yaml", &good).nomos(&["check", "--json", "a.yaml"]);
    let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let warning =
        serde_json::json!({"file": "a.yaml", "line": 11, "at": "fail_open", "since": "Envoy 1.33", "instead": instead});
    assert_eq!((output.code, &verdict["warnings"]), (0, &serde_json::json!([warning])));
}

/// The files in `deploy/` have zeros for the digest, because it differs for everybody.
#[test]
fn digests_that_nobody_put_in_are_warned_of() {
    let plugin =
        |digest: &str| format!("kind: WasmPlugin\nspec:\n  sha256: \"{digest}\"\n  pluginConfig: {{mode: off}}\n");
    let warning = "a.yaml:3: warning: sha256: found zeros; expected the SHA-256 of your image or module\n";
    let kind = "a.yaml: resources of Kubernetes with 1 Nomos plugin: no problems";
    let zeros = "0".repeat(64);
    let rows = [(&*zeros, format!("{warning}{kind}, 1 warning\n")), (&"01".repeat(32), format!("{kind}\n"))];
    for (digest, expected) in rows {
        assert_eq!(check("digest", "a.yaml", &plugin(digest)), (0, expected), "{digest}");
    }

    let output = Dir::new("check-digest-json").file("a.yaml", plugin(&zeros)).nomos(&["check", "--json", "a.yaml"]);
    let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let expected = "the SHA-256 of your image or module";
    let warning =
        serde_json::json!({"file": "a.yaml", "line": 3, "at": "sha256", "found": "zeros", "expected": expected});
    assert_eq!((output.code, &verdict["warnings"]), (0, &serde_json::json!([warning])));
}

#[test]
fn a_contract_is_known_by_any_keyword() {
    let kind = |content: &str| {
        let output = Dir::new("check-kind").file("a.yaml", content).nomos(&["check", "--json", "a.yaml"]);
        let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
        verdict["files"][0]["kind"].as_str().unwrap_or_default().to_owned()
    };
    for contract in ["$defs: {}", "required: [a]", "title: User", "enum: [a]", "$id: x", "not: {}", "type: object"] {
        assert_eq!(kind(contract), "a contract", "{contract}");
    }
    for configuration in ["$schema: nomos.schema.json\nmode: heal", "title: Ours\nroutes: []", "mod: heal"] {
        assert_eq!(kind(configuration), "a plugin configuration", "{configuration}");
    }
}

#[test]
fn contracts_without_members_are_warned_of() {
    let route = |contract: &str| format!("routes:\n- match: {{path: /u}}\n  contract: {contract}\n  packs: [all]\n");
    let found = "found a schema without members; expected properties: nothing else is looked for\n";
    let (plugin, contract) = ("a plugin configuration with 1 route", "a contract");
    let rows = [
        ("route", route("{type: object}"), format!("a.yaml:3: warning: routes[0].contract: {found}"), plugin),
        ("file", "type: object\n".to_owned(), format!("a.yaml:1: warning: contract: {found}"), contract),
    ];
    for (test, content, warning, kind) in rows {
        let expected = format!("{warning}a.yaml: {kind}: no problems, 1 warning\n");
        assert_eq!(check(&format!("empty-{test}"), "a.yaml", &content), (0, expected));
    }
}

/// These are legal names and paths, but they hardly ever occur in responses.
#[test]
fn rules_in_other_notations_are_warned_of() {
    let rules = "routes:
- match: {path: /u}
  rename:
    mail: email
    data.mail: email
    e.mail: e_mail
  move:
    data.id: id
    $.data.id: id
    /data/id: id
    '\"$\".id': id
";
    let name = |name: &str| {
        format!("found \"{name}\", which is one name in rename, and no path; expected a name; paths are for move")
    };
    let path = |path: &str, why: &str| {
        format!("found \"{path}\", {why}; expected names with dots between them, such as data.items[].id")
    };
    let rows = [
        ("5", "rename[\"data.mail\"]", name("data.mail")),
        ("6", "rename[\"e.mail\"]", name("e.mail")),
        ("9", "move[\"$.data.id\"]", path("$.data.id", "where $ is a name like others")),
        ("10", "move[\"/data/id\"]", path("/data/id", "where / is part of a name")),
    ];
    let warnings = rows.map(|(line, at, why)| format!("a.yaml:{line}: warning: routes[0].{at}: {why}\n")).concat();
    let expected = format!("{warnings}a.yaml: a plugin configuration with 1 route: no problems, 4 warnings\n");
    assert_eq!(check("notations", "a.yaml", rules), (0, expected));

    let inside = format!(
        "\n  configuration:\n    '@type': type.googleapis.com/google.protobuf.Struct\n    value:\n      {}",
        rules.replace('\n', "\n      ")
    );
    let (code, text) = check("notations-envoy", "a.yaml", &envoy("nomos", &inside));
    assert!(code == 0 && text.starts_with("a.yaml:18: warning: routes[0].rename"), "{text}");
}

/// A configuration that is missing or empty is valid: Envoy starts, and nothing is healed.
#[test]
fn no_routes_are_warned_of() {
    let warning = "found 0 routes: every response passes; expected routes, each with match and rules";
    let whole = "\n  vm_config: {}\n  failure_policy: FAIL_OPEN\n";
    let value = |value: &str| {
        let any = "configuration:\n    '@type': type.googleapis.com/google.protobuf";
        envoy("nomos", &format!("{whole}  {any}.{value}\n"))
    };
    let plugin = "kind: WasmPlugin\nspec:\n  url: oci://example.org/nomos\n";
    let rows = [
        ("empty", String::new(), Some(1)),
        ("object", "{}\n".to_owned(), Some(1)),
        ("setting", "# Ours\nmode: observe\n".to_owned(), Some(2)),
        ("list", "mode: heal\nroutes: []\n".to_owned(), Some(1)),
        ("off", "mode: off\n".to_owned(), None),
        ("plugin", plugin.to_owned(), Some(3)),
        ("filter", envoy("nomos", whole), Some(7)),
        ("part", envoy("nomos", "\n  allow_on_headers_stop_iteration: true\n"), None),
        ("struct", value("Struct\n    value: {}"), Some(15)),
        ("text", value("StringValue\n    value: '{}'"), Some(15)),
        ("no-text", value("StringValue\n    value: ''"), Some(15)),
    ];
    for (test, content, line) in rows {
        let (code, text) = check(&format!("no-routes-{test}"), "a.yaml", &content);
        let expected = line.map(|line| format!("a.yaml:{line}: warning: configuration: {warning}"));
        let found = text.lines().find(|line| line.contains("warning: ")).map(str::to_owned);
        assert_eq!((code, found), (0, expected), "{test}: {text}");
    }
}

/// The warnings of a file, without the file's name.
fn warnings(test: &str, content: &str) -> Vec<String> {
    let (code, output) = check(test, "a.yaml", content);
    assert_eq!(code, 0, "{test}: {output}");
    let told = output.lines().filter_map(|line| line.strip_prefix("a.yaml:"));
    told.filter_map(|line| line.split_once(": warning: ").map(|(line, told)| format!("{line} {told}"))).collect()
}

#[test]
fn filters_in_the_wrong_order_are_warned_of() {
    let http = "type.googleapis.com/envoy.extensions.filters.http";
    let filter = |name: &str, kind: &str| format!("- {{name: {name}, typed_config: {{'@type': {http}.{kind}}}}}\n");
    let compressor = filter("envoy.filters.http.compressor", "compressor.v3.Compressor");
    let decompressor = filter("gunzip", "decompressor.v3.Decompressor");
    let router = filter("envoy.filters.http.router", "router.v3.Router");
    let codec = filter("codec", "upstream_codec.v3.UpstreamCodec");
    let nomos = "- name: nomos\n  typed_config:\n    '@type': ".to_owned() + http + ".wasm.v3.Wasm\n";
    let requests_only = decompressor.replace(
        "Decompressor}",
        "Decompressor, response_direction_config: {common_config: {enabled: {default_value: false}}}}",
    );
    let disabled = decompressor.replace("{name", "{disabled: true, name");
    let by_name = "- name: envoy.filters.http.decompressor\n".to_owned();
    let skipped = |name: &str| {
        Some(format!(
            "found {name} in front of nomos: compressed responses are skipped; expected it behind nomos, later in the \
             list: compressor, nomos, decompressor, router"
        ))
    };
    let refused = |name: &str| {
        let end = "in front of nomos: Envoy does not start; expected it behind nomos, at the end of the list";
        Some(format!("found {name} {end}"))
    };
    let rows = [
        ("good", [&compressor, &nomos, &decompressor, &router].map(String::as_str).concat(), None),
        ("front", [&compressor, &decompressor, &nomos, &router].map(String::as_str).concat(), skipped("gunzip")),
        ("both", [&decompressor, &nomos, &decompressor, &router].map(String::as_str).concat(), None),
        (
            "by-name",
            [&by_name, &nomos, &router].map(String::as_str).concat(),
            skipped("envoy.filters.http.decompressor"),
        ),
        ("requests", [&requests_only, &nomos, &router].map(String::as_str).concat(), None),
        ("not-behind", [&decompressor, &nomos, &requests_only].map(String::as_str).concat(), skipped("gunzip")),
        ("disabled", [&disabled, &nomos, &router].map(String::as_str).concat(), None),
        ("router", [&router, &nomos].map(String::as_str).concat(), refused("envoy.filters.http.router")),
        ("codec", [&codec, &nomos].map(String::as_str).concat(), refused("codec")),
        ("no-router", nomos.clone(), None),
    ];
    for (test, list, expected) in rows {
        let content = format!("static_resources:\n  http_filters:\n  {}\n", list.replace('\n', "\n  "));
        let found: Vec<_> = warnings(&format!("order-{test}"), &content)
            .iter()
            .filter_map(|told| told.split_once(" http_filters: ").map(|(_, told)| told.to_owned()))
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{test}");
    }
    // Other lists are not checked.
    let lists = format!("static_resources:\n  one:\n  {router}  two:\n  {}\n", nomos.replace('\n', "\n  "));
    assert_eq!(warnings("order-lists", &lists), [""; 0]);
}

#[test]
fn what_a_trap_would_do_is_warned_of() {
    let neither = "9 failure_policy: found none, which is FAIL_CLOSED: after one trap every response is a 503; expected \
                   failure_policy: FAIL_OPEN";
    let both = "11 fail_open: found fail_open beside failure_policy, which Envoy refuses; expected failure_policy: \
                FAIL_OPEN alone";
    let old = "11 fail_open: deprecated since Envoy 1.33; use failure_policy: FAIL_OPEN; with fail_open a response may \
               end well that lacks bytes";
    let rows = [
        ("neither", "vm_config: {}", Some(neither)),
        ("unspecified", "vm_config: {}\n  failure_policy: UNSPECIFIED", Some(neither)),
        ("part", "allow_on_headers_stop_iteration: true", None),
        ("open", "vm_config: {}\n  failure_policy: FAIL_OPEN", None),
        ("closed", "vm_config: {}\n  failure_policy: FAIL_CLOSED", None),
        ("old", "fail_open: true\n  vm_config: {}", Some(old)),
        ("old-closed", "fail_open: false\n  vm_config: {}", Some(old)),
        ("both", "fail_open: true\n  failure_policy: FAIL_OPEN\n  vm_config: {}", Some(both)),
        ("both-good", "fail_open: false\n  failure_policy: FAIL_OPEN\n  vm_config: {}", Some(old)),
    ];
    let any = "configuration: {'@type': type.googleapis.com/google.protobuf.Struct, value: {mode: off}}";
    for (test, fields, expected) in rows {
        let content = envoy("nomos", &format!("\n  {fields}\n  {any}\n"));
        assert_eq!(warnings(&format!("policy-{test}"), &content), Vec::from_iter(expected), "{test}");
    }
}

#[test]
fn routes_that_come_too_late_are_warned_of() {
    let rows = [
        ("path: /u", "path: /u", true),
        ("path: /u", "path: /v", false),
        ("prefix: /", "path: /u", true),
        ("prefix: /", "prefix: /u", true),
        ("prefix: /", "template: \"/u/{id}\"", true),
        ("prefix: /u", "path: /users", true),
        ("prefix: /u/", "path: /u", false),
        ("prefix: /u/1", "template: \"/u/{id}\"", false),
        ("prefix: /u/a", "prefix: /u", false),
        ("path: /u", "prefix: /u", false),
        ("path: /u/1", "template: \"/u/{id}\"", false),
        ("template: \"/u/{id}\"", "path: /u/1", true),
        ("template: \"/u/{id}\"", "path: /u/1/2", false),
        ("template: \"/u/{id}\"", "template: \"/u/{name}\"", true),
        ("template: \"/{a}/{b}\"", "template: \"/u/{id}\"", true),
        ("template: \"/u/{id}\"", "template: \"/{a}/{b}\"", false),
        ("template: \"/u/{id}\"", "prefix: /u/", false),
        ("path: /u, methods: [GET]", "path: /u", false),
        ("path: /u, methods: [GET]", "path: /u, methods: [GET, POST]", false),
        ("path: /u, methods: [GET, POST]", "path: /u, methods: [POST]", true),
        ("path: /u", "path: /u, methods: [GET]", true),
        ("path: /u, status: [2xx]", "path: /u", false),
        ("path: /u", "path: /u, status: [2xx]", true),
        ("path: /u, status: [2xx]", "path: /u, status: [404]", false),
        ("path: /u, status: [2xx]", "path: /u, status: [2xx]", true),
        ("path: /u, content_types: [text/json]", "path: /u", false),
    ];
    let told = "3 routes[1]: found a route that is never used: routes[0] takes all of its requests; expected requests of \
                its own, or a place in front of routes[0]";
    for (first, second, is_late) in rows {
        let content =
            format!("routes:\n- {{match: {{{first}}}, mode: off}}\n- {{match: {{{second}}}, packs: [all]}}\n");
        let expected = is_late.then(|| told.to_owned());
        assert_eq!(warnings("late", &content), Vec::from_iter(expected), "{first} {second}");
    }
}

#[test]
fn matches_in_other_notations_are_warned_of() {
    let star = |text: &str, instead: &str| {
        Some(format!("found \"{text}\", where * is a character like others; expected {instead}"))
    };
    let colon = |text: &str, instead: &str| {
        Some(format!("found \"{text}\", where : is a character like others; expected {instead}"))
    };
    let rows = [
        ("path", "/a/*", star("/a/*", "prefix: /a/ or template: \"/a/{name}\"")),
        ("prefix", "/a*", star("/a*", "prefix: /a")),
        ("path", "/a/.*", star("/a/.*", "prefix: /a/")),
        ("path", "/a/*/b", star("/a/*/b", "template: \"/a/{name}/b\"")),
        ("path", "/a*/b", star("/a*/b", "a prefix, or a template such as \"/users/{id}\"")),
        ("path", "/a/:id", colon("/a/:id", "template: \"/a/{id}\"")),
        ("template", "/a/{b}/:id", colon("/a/{b}/:id", "template: \"/a/{b}/{id}\"")),
        ("template", "/a/{b}/*", star("/a/{b}/*", "template: \"/a/{b}/{name}\"")),
        ("path", "/a:archive", None),
        ("path", "/a/:", None),
        ("template", "/a/{id}", None),
    ];
    for (field, text, expected) in rows {
        let content = format!("routes:\n- match: {{{field}: \"{text}\"}}\n  packs: [all]\n");
        let expected = expected.map(|told| format!("2 routes[0].match.{field}: {told}"));
        assert_eq!(warnings("segments", &content), Vec::from_iter(expected), "{field} {text}");
    }
}

#[test]
fn routes_that_heal_nothing_are_warned_of() {
    let contract = "contract: {properties: {a: {}}}";
    let rows = [
        ("name: u".to_owned(), true),
        (contract.to_owned(), true),
        (format!("{contract}, similarity: off, rename: {{}}, move: {{}}"), true),
        ("unmapped: drop".to_owned(), true),
        ("mode: observe".to_owned(), true),
        (format!("{contract}, unmapped: drop"), false),
        (format!("{contract}, similarity: {{}}"), false),
        ("packs: [all]".to_owned(), false),
        ("rename: {a: b}".to_owned(), false),
        ("move: {a.b: b}".to_owned(), false),
        ("mode: off".to_owned(), false),
    ];
    let told =
        "2 routes[0]: found a route that heals nothing; expected packs, rename, move or similarity; or mode: off";
    for (fields, is_idle) in rows {
        let found = warnings("idle", &format!("routes:\n- {{match: {{path: /u}}, {fields}}}\n"));
        assert_eq!(found, Vec::from_iter(is_idle.then_some(told)), "{fields}");
    }
    // A misspelt field is reported, but not its consequences.
    let (code, text) = check("idle-slip", "a.yaml", "routes:\n- {match: {path: /u}, pack: [all]}\n");
    assert!(code == 1 && text.lines().count() == 1, "{text}");
}

#[test]
fn methods_that_are_never_healed_are_warned_of() {
    let rows =
        [("HEAD", Some("HEAD")), ("HEAD, CONNECT", Some("HEAD and CONNECT")), ("GET, HEAD", None), ("GET", None)];
    for (methods, expected) in rows {
        let content = format!("routes:\n- match: {{path: /u, methods: [{methods}]}}\n  packs: [all]\n");
        let told = |named| {
            format!(
                "2 routes[0].match.methods: found {named} only, which is never healed; expected methods whose responses \
                 have a body, such as [GET], or none for any"
            )
        };
        assert_eq!(warnings("methods", &content), Vec::from_iter(expected.map(told)), "{methods}");
    }
}

/// Only digests are warned of, because everybody has to fill in their own.
#[test]
fn what_is_shipped_is_free_of_warnings() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let files = [
        "envoy.yaml",
        "deploy/compose/envoy.yaml",
        "deploy/envoy-gateway/nomos-http.yaml",
        "deploy/envoy-gateway/nomos-image.yaml",
        "deploy/istio/held-headers.yaml",
        "deploy/istio/nomos.yaml",
        "docs/examples/ecds/nomos.yaml",
        "docs/examples/instances.yaml",
        "docs/examples/route-metadata.yaml",
    ];
    for file in files {
        let output = Dir::new("check-shipped").nomos(&["check", &format!("{root}/{file}")]);
        let doubts =
            output.stdout.lines().filter(|line| line.contains(": warning: ") && !line.contains("found zeros;"));
        assert_eq!((output.code, doubts.count()), (0, 0), "{}", output.stdout);
    }
}

#[test]
fn a_filter_that_stands_elsewhere_is_told_of() {
    let chain = |source: &str| {
        format!(
            "static_resources:
  listeners:
  - filter_chains:
    - filters:
      - name: nomos
        config_discovery:
          config_source: {source}
          type_urls: [type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm]
"
        )
    };
    let rows = [
        ("file", "{path_config_source: {path: /etc/n.yaml}}", "/etc/n.yaml (check that file too)"),
        ("server", "{ads: {}}", "a management server"),
    ];
    for (test, source, from) in rows {
        let expected = format!("a.yaml: an Envoy configuration that takes the filter nomos from {from}: no problems\n");
        assert_eq!(check(&format!("elsewhere-{test}"), "a.yaml", &chain(source)), (0, expected));
        let output =
            Dir::new("heal-elsewhere").file("a.yaml", chain(source)).nomos(&["heal", "--config", "a.yaml", "-"]);
        let expected = "nomos: a.yaml:1: found the filter nomos by discovery; expected ";
        assert!(output.code == 2 && output.stderr.starts_with(expected), "{}", output.stderr);
    }
}

#[test]
fn json_is_read_as_json() {
    let (code, text) = check("json-lines", "a.json", "{\n  \"mode\": \"heel\",\n  \"max_depth\": 0\n}\n");
    let expected = "a.json:2: mode: found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)
a.json:3: max_depth: found 0; expected a whole number from 1 to 4096
";
    assert_eq!((code, text.as_str()), (1, expected));
    let (code, text) = check("json-syntax", "a.json", "{\n  \"mode\": heal\n}\n");
    assert_eq!((code, text.as_str()), (1, "a.json:2: column 11: found `heal`; expected a JSON value\n"));
}

/// Some editors begin every file with a byte order mark.
#[test]
fn a_byte_order_mark_is_no_part_of_a_file() {
    let kind = "a plugin configuration";
    for (test, name, content) in [("json", "a.json", "{\"mode\": \"off\"}"), ("yaml", "a.yaml", "mode: off\n")] {
        let (test, content) = (format!("mark-{test}"), format!("\u{feff}{content}"));
        assert_eq!(check(&test, name, &content), (0, format!("{name}: {kind} with 0 routes: no problems\n")));
        let wrong = check(&test, name, &content.replace("off", "heel"));
        let expected =
            format!("{name}:1: mode: found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)\n");
        assert_eq!(wrong, (1, expected));
    }
    let dir = Dir::new("check-mark-body");
    let output =
        dir.file("a.yaml", "properties: {a: {}}").nomos_on(&["match", "--contract", "a.yaml"], "\u{feff}{}".as_bytes());
    let expected = "nomos: stdin: line 1 column 1: found `\\ufeff`; expected a JSON value\n";
    assert_eq!((output.code, output.stderr.as_str()), (2, expected));
}

const PACK: &str = "pack: mine
about: names of ours
engine: '>=0.1'
rules:
- id: mine-001
  rename: {from: zzname, to: zz_name}
  valid:
  - {before: {zzname: 1.50}, after: {zz_name: 1.50}}
  invalid:
  - {zzname: 1, zz_name: 2}
";

#[test]
fn packs_are_checked_and_their_examples_run() {
    let rows = [
        ("good", "", "", "mine.yaml: the rule pack mine with 1 rule: no problems\n"),
        ("id", "mine-001", "mine-1", "mine.yaml:5: rules[0]: found the id mine-1; expected mine- and three digits\n"),
        (
            "field",
            "  valid:",
            "  good:",
            "mine.yaml:5: rules[0]: found no example under valid; expected at least one
mine.yaml:7: rules[0].good: found an unknown field; expected one of id, rename, move, valid, invalid
",
        ),
        (
            "clash",
            "zzname, to: zz_name",
            "user_identifier, to: zz_name",
            "mine.yaml:5: rules[0]: found `user_identifier` to `zz_name`, but api-v2-",
        ),
        (
            "example",
            "{zz_name: 1.50}",
            "{zz_name: 2}",
            "mine.yaml:8: rules[0].valid[0]: found a body that becomes {\"zz_name\":\"1.50\"}; expected \
            {\"zz_name\":2}\n",
        ),
        (
            "invalid",
            "{zzname: 1, zz_name: 2}",
            "{zzname: 1}",
            "mine.yaml:10: rules[0].invalid[0]: found a body that becomes {\"zz_name\":1}; expected a body that \
            the rule \
             leaves alone\n",
        ),
    ];
    for (test, from, to, expected) in rows {
        let (code, text) = check(&format!("pack-{test}"), "mine.yaml", &PACK.replace(from, to));
        assert!(text.starts_with(expected), "{test}: {text}");
        assert_eq!(code, i32::from(test != "good"), "{test}");
    }
}

#[test]
fn the_embedded_packs_are_in_order() {
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules");
    let files = nomos_rules::PACK_NAMES.map(|name| format!("{rules}/{name}.yaml"));
    let args: Vec<&str> = ["check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = Dir::new("check-embedded").nomos(&args);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{}", output.stdout);
    assert_eq!(output.stdout.lines().filter(|line| line.ends_with("no problems")).count(), files.len());
}

#[test]
fn with_json_the_verdicts_are_one_object() {
    let dir = Dir::new("check-json-flag");
    dir.file("good.yaml", "mode: off\n").file("bad.yaml", "\nmode: heel\n");
    let output = dir.nomos(&["check", "--json", "good.yaml", "bad.yaml"]);
    let verdict: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    assert_eq!(output.code, 1);
    assert_eq!(
        verdict,
        serde_json::json!({
            "files": [
                {"file": "good.yaml", "kind": "a plugin configuration with 0 routes"},
                {"file": "bad.yaml", "kind": "a plugin configuration"},
            ],
            "problems": [{
                "file": "bad.yaml", "line": 2, "at": "mode", "found": "\"heel\"",
                "expected": "one of heal, observe, off (did you mean \"heal\"?)",
            }],
            "warnings": [],
        })
    );
}

#[test]
fn what_cannot_be_read_is_bad_input() {
    let dir = Dir::new("check-input");
    dir.file("latin.yaml", b"a: \xe9\n");
    let rows: [(&[&str], &str); 3] = [
        (&["check", "missing.yaml"], "nomos: missing.yaml: No such file or directory (os error 2)\n"),
        (
            &["check", "latin.yaml"],
            "nomos: latin.yaml: found invalid utf-8 sequence of 1 bytes from index 3; expected UTF-8 text\n",
        ),
        (&["check"], "error: the following required arguments were not provided:\n  <FILE>..."),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(args);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
        assert!(output.stderr.starts_with(expected), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn rules_that_are_no_object_are_told_once() {
    let dir = Dir::new("check-once");
    for (field, expected) in [("rename", "drifted name"), ("move", "drifted path")] {
        let route = format!(r#"{{"match":{{"prefix":"/"}},"contract":{{"properties":{{"a":{{}}}}}},"{field}":[]}}"#);
        let output = dir.file("nomos.json", format!("{{\"routes\":[{route}]}}")).nomos(&["check", "nomos.json"]);
        let place = format!("nomos.json:1: routes[0].{field}: found an array; expected an object: {expected}");
        assert!(output.code == 1 && output.stdout.starts_with(&place), "{}", output.stdout);
        assert_eq!(output.stdout.lines().count(), 1, "{}", output.stdout);
    }
}

#[test]
fn what_is_in_a_resource_is_read_by_every_command() {
    let dir = Dir::new("check-resource");
    let resource = |kind: &str, spec: &str| {
        format!("apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: nomos}}\nspec:\n  {spec}\n")
    };
    let routes = "{routes: [{name: u, match: {path: /u}, contract: {properties: {b: {}}}, rename: {a: b}}]}";
    dir.file("plugin.yaml", resource("WasmPlugin", &format!("pluginConfig: {routes}")));
    let policy = resource("EnvoyExtensionPolicy", &format!("wasm: [{{name: nomos, config: {routes}}}]"));
    dir.file("policy.yaml", format!("{}---\n{policy}", resource("Gateway", "x: 1")));
    for file in ["plugin.yaml", "policy.yaml"] {
        assert_eq!(dir.nomos(&["check", file]).code, 0);
        let healed = dir.nomos_on(&["heal", "--config", file], br#"{"a":1}"#);
        assert_eq!((healed.stdout.as_str(), healed.stderr.as_str()), (r#"{"b":1}"#, "healed by route u: 1 rename\n"));
        let matched = dir.nomos_on(&["match", "--config", file, "--path", "/u", "--json"], br#"{"a":1}"#);
        assert!(matched.stdout.contains(r#""expected":"b","found":"a""#), "{}{}", matched.stdout, matched.stderr);
    }
    dir.file("gateway.yaml", format!("# x\n{}---\n{}", resource("Gateway", "x: 1"), resource("Route", "x: 1")));
    dir.file("two.yaml", format!("{0}---\n{0}", resource("WasmPlugin", "pluginConfig: {}")));
    let found = "found no configuration of Nomos in a resource of Kubernetes; expected a WasmPlugin, \
                 EnvoyExtensionPolicy or EnvoyFilter that sets up Nomos: `nomos` in its name or the module's\n";
    let checked = dir.nomos(&["check", "gateway.yaml"]);
    assert_eq!((checked.code, checked.stdout), (1, format!("gateway.yaml:2: document: {found}")));
    let healed = dir.nomos(&["heal", "--config", "gateway.yaml"]);
    assert_eq!((healed.code, healed.stderr), (2, format!("nomos: gateway.yaml:2: {found}")));
    let healed = dir.nomos(&["heal", "--config", "two.yaml"]);
    assert!(
        healed.code == 2 && healed.stderr.starts_with("nomos: found 2 Nomos plugins (two.yaml:"),
        "{}",
        healed.stderr
    );
}
