use crate::run::Dir;

/// The output of `nomos check` about a file, and its exit code.
pub fn check(test: &str, name: &str, content: &str) -> (i32, String) {
    let output = Dir::new(&format!("check-{test}")).file(name, content).nomos(&["check", name]);
    assert_eq!(output.stderr, "", "{test}");
    (output.code, output.stdout)
}

pub fn envoy(name: &str, plugin: &str) -> String {
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
            "a.yaml:3: document: found a second document; expected one document in a file\n",
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
            "a.yaml:6: $defs.b.typ: found an unknown keyword; expected a keyword of JSON Schema 2020-12 (did you mean \
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
fn every_command_knows_what_a_file_is() {
    let dir = Dir::new("check-kinds");
    dir.file("compose.yaml", "version: '3'\nservices: {web: {image: x}}\nvolumes: {}\n").file("pack.yaml", PACK);
    // `admin` is a field of Envoy too, `not` a keyword of JSON Schema, and `mod` is nearly a field of the plugin.
    dir.file("words.yaml", "# x\nadmin: administrator\nmod: [modified]\nnot: notice\nmsg: message\nqty: quantity\n");
    dir.file("user.yaml", "type: object\nproperties: {id: {}}\n").file("body.json", "{}");
    let strange = "a file of no known kind";
    let known = "a configuration of the plugin (with routes), of Envoy or of Kubernetes, a rule pack, a contract or an \
                 OpenAPI document";
    for (name, line) in [("compose.yaml", 1), ("words.yaml", 2)] {
        let expected = format!("{name}:{line}: document: found {strange}; expected {known}\n");
        let checked = dir.nomos(&["check", name]);
        assert_eq!((checked.code, checked.stdout), (1, expected));
    }
    let configuration = "the configuration of the plugin, that of Envoy, or a resource that contains it";
    let contract = "a JSON Schema, an OpenAPI document, or a configuration with a contract";
    let rows = [
        ("heal", "--config", "compose.yaml", strange, configuration),
        ("heal", "--config", "pack.yaml", "a rule pack", "a configuration, whose routes name packs under packs"),
        ("heal", "--config", "user.yaml", "a contract", "a configuration, with this under contract of a route"),
        ("match", "--contract", "compose.yaml", strange, contract),
        ("match", "--contract", "pack.yaml", "a rule pack", contract),
    ];
    for (command, option, name, found, expected) in rows {
        let told = format!("nomos: {name}:1: found {found}; expected {expected}\n");
        for path in [&[][..], &["--path", "/u"]] {
            let output = dir.nomos(&[&[command, option, name, "body.json"], path].concat());
            assert_eq!((output.code, output.stderr.as_str()), (2, told.as_str()), "{command} {name}");
        }
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

/// What a second document says would be lost. Resources of Kubernetes are the exception.
#[test]
fn every_command_refuses_a_second_document() {
    let dir = Dir::new("check-second");
    let twice = |first: &str, second: &str| format!("{first}---\n{second}");
    let routes = "routes: [{name: u, match: {path: /u}, rename: {a: b}, contract: {properties: {b: {}}}}]\n";
    let schema = "type: object\nproperties: {id: {}}\n";
    let openapi = "openapi: 3.1.0\npaths: {/u: {get: {operationId: u, responses: {'200': {content: {application/json: \
                   {schema: {properties: {id: {}}}}}}}}}}\n";
    dir.file("r.yaml", twice(routes, "routes: []\n")).file("s.yaml", twice(schema, schema));
    dir.file("o.yaml", twice(openapi, openapi)).file("body.json", "{}");
    dir.file("k.yaml", twice(routes, "apiVersion: v1\nkind: ConfigMap\n"));
    let rows: [(&[&str], &str); 9] = [
        (&["check", "r.yaml"], "r.yaml:3"),
        (&["check", "k.yaml"], "k.yaml:3"),
        (&["check", "s.yaml"], "s.yaml:4"),
        (&["check", "o.yaml"], "o.yaml:4"),
        (&["heal", "--config", "r.yaml", "body.json"], "r.yaml:3"),
        (&["match", "--contract", "r.yaml", "body.json"], "r.yaml:3"),
        (&["match", "--contract", "s.yaml", "body.json"], "s.yaml:4"),
        (&["match", "--contract", "o.yaml", "--operation", "u", "body.json"], "o.yaml:4"),
        (&["contract", "o.yaml"], "o.yaml:4"),
    ];
    for (args, place) in rows {
        let expected = format!("{place}: document: found a second document; expected one document in a file\n");
        let output = dir.nomos(args);
        let found = (output.code, output.stdout + &output.stderr);
        let expected = if args.first() == Some(&"check") { (1, expected) } else { (2, format!("nomos: {expected}")) };
        assert_eq!(found, expected, "{args:?}");
    }
    dir.file("r.yaml", twice(routes, "")).file("o.yaml", twice(openapi, ""));
    let rows: [&[&str]; 4] = [
        &["check", "r.yaml"],
        &["check", "o.yaml"],
        &["heal", "--config", "r.yaml", "body.json"],
        &["contract", "o.yaml"],
    ];
    for args in rows {
        assert_eq!(dir.nomos(args).code, 0, "{args:?}");
    }
}

/// Envoy reads its own fields under two names, and the plugin's under one.
#[test]
fn fields_of_envoy_have_two_names() {
    let wasm = "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm";
    let chain = |value: &str| {
        format!(
            "staticResources:
  listeners:
  - filterChains:
    - filters:
      - name: nomos
        typedConfig:
          '@type': {wasm}
          config:
            vmConfig: {{code: {{local: {{filename: /nomos.wasm}}}}}}
            failurePolicy: FAIL_OPEN
            allowOnHeadersStopIteration: true
            configuration:
              '@type': type.googleapis.com/google.protobuf.Struct
              value: {{mode: off, {value}}}
"
        )
    };
    let discovered = format!(
        "- {{name: nomos, configDiscovery: {{configSource: {{pathConfigSource: {{path: /n.yaml}}}}, typeUrls: [{wasm}]}}}}\n"
    );
    let rows = [
        (chain("response_headers: held"), 0, "a.yaml: an Envoy configuration with 1 Nomos filter: no problems\n"),
        (
            discovered,
            0,
            "a.yaml: an Envoy configuration that takes the filter nomos from /n.yaml (check that file too): no problems\n",
        ),
        (chain("responseHeaders: held"), 1, "a.yaml:14: responseHeaders: found an unknown field; expected one of "),
        (
            "staticResources: {}\n".to_owned(),
            1,
            "a.yaml:1: configuration: found an Envoy configuration without the Nomos filter; expected ",
        ),
    ];
    for (content, code, expected) in rows {
        let (found, text) = check("camel-case", "a.yaml", &content);
        assert!(found == code && text.starts_with(expected), "{text}");
    }
}

#[test]
fn another_form_of_configuration_is_named() {
    let rows = [
        (
            "{'@type': type.googleapis.com/google.protobuf.BytesValue, value: e30=}",
            "@type google.protobuf.BytesValue with \"e30=\" under value",
        ),
        (
            "{'@type': type.googleapis.com/google.protobuf.StringValue, value: {mode: off}}",
            "@type google.protobuf.StringValue with an object under value",
        ),
        (
            "{'@type': type.googleapis.com/google.protobuf.Struct, values: {}}",
            "@type google.protobuf.Struct without value",
        ),
        ("{value: {mode: off}}", "an object without @type"),
        ("'{}'", "\"{}\" without @type"),
    ];
    for (configuration, found) in rows {
        let expected = format!(
            "a.yaml:11: configuration: found {found}; expected a google.protobuf.Struct with an object under value, or a \
             google.protobuf.StringValue with a text\n"
        );
        let dir = Dir::new("check-form");
        dir.file("a.yaml", envoy("nomos", &format!("\n  configuration: {configuration}\n"))).file("body.json", "{}");
        let checked = dir.nomos(&["check", "a.yaml"]);
        assert_eq!((checked.code, checked.stdout.as_str()), (1, expected.as_str()));
        let healed = dir.nomos(&["heal", "--config", "a.yaml", "body.json"]);
        assert_eq!((healed.code, healed.stderr), (2, format!("nomos: {expected}")));
    }
}

#[test]
fn places_in_a_text_are_places_in_the_file() {
    let content = |value: &str| {
        let kind = "'@type': type.googleapis.com/google.protobuf.StringValue";
        envoy("nomos", &format!("\n  configuration:\n    {kind}\n    value: {value}\n"))
    };
    let json = "found `}`; expected a JSON value";
    let mode = "mode: found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)";
    let syntax = "      {\"mode\": \"heal\",\n      \"routes\": [}";
    let heel = "      {\"max_depth\": 1,\n      \"mode\": \"heel\", \"max_keys\": 0}";
    let others = " (and 1 more: see nomos check)";
    let rows = [
        (format!("|\n{syntax}"), format!("a.yaml:15: column 28: {json}"), ""),
        (format!("|-\n\n \n{syntax}"), format!("a.yaml:17: column 28: {json}"), ""),
        (format!("|2\n    {syntax}"), format!("a.yaml:15: column 28: {json}"), ""),
        (format!(">\n{syntax}"), format!("a.yaml:14: line 1 column 29 of the text: {json}"), ""),
        ("'{\"routes\": [}'".to_owned(), format!("a.yaml:13: line 1 column 13 of the text: {json}"), ""),
        ("\"{\\n \\\"routes\\\": [}\"".to_owned(), format!("a.yaml:13: line 2 column 13 of the text: {json}"), ""),
        (format!("|\n{heel}"), format!("a.yaml:15: {mode}"), others),
        (format!("|\n\n{heel}"), format!("a.yaml:16: {mode}"), others),
        (format!("|+2 # not > folded\n{heel}"), format!("a.yaml:15: {mode}"), others),
        (format!(">-\n\n{heel}"), format!("a.yaml:15: {mode}"), others),
    ];
    for (value, expected, more) in rows {
        let dir = Dir::new("check-text");
        dir.file("a.yaml", content(&value)).file("body.json", "{}");
        let checked = dir.nomos(&["check", "a.yaml"]);
        assert_eq!((checked.code, checked.stdout.lines().next()), (1, Some(expected.as_str())), "{value}");
        let healed = dir.nomos(&["heal", "--config", "a.yaml", "body.json"]);
        assert_eq!((healed.code, healed.stderr), (2, format!("nomos: {expected}{more}\n")), "{value}");
    }
}

/// Istio puts a filter by discovery into the list, and serves what the same resource says of it.
#[test]
fn a_filter_that_istio_serves_is_in_the_file() {
    let wasm = "type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm";
    let place = format!("{{name: nomos, config_discovery: {{config_source: {{ads: {{}}}}, type_urls: [{wasm}]}}}}");
    let filter = format!("{{name: nomos, typed_config: {{'@type': {wasm}, config: {{name: nomos}}}}}}");
    let rows = [
        (format!("[{place}, {filter}]"), "with 1 Nomos filter"),
        (format!("[{place}]"), "that takes the filter nomos from a management server"),
    ];
    for (patches, said) in rows {
        let content = format!(
            "apiVersion: networking.istio.io/v1alpha3\nkind: EnvoyFilter\nspec: {{configPatches: {patches}}}\n"
        );
        let expected = format!("a.yaml: a resource of Kubernetes {said}: no problems\n");
        assert_eq!(check("istio", "a.yaml", &content), (0, expected));
    }
    let content = format!("a: [{}, {filter}]\n", place.replace("ads: {}", "path: /etc/n.yaml"));
    let expected = "a.yaml: an Envoy configuration with 1 Nomos filter, which takes the filter nomos from /etc/n.yaml \
                    (check that file too): no problems\n";
    assert_eq!(check("here-and-elsewhere", "a.yaml", &content), (0, expected.to_owned()));
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
    let expected = "nomos: stdin: line 1 column 1: found the character U+FEFF; expected a JSON value\n";
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
        (
            "about",
            "about: names of ours\n",
            "",
            "mine.yaml:1: pack: found no about; expected one line on the sense of the pack\n",
        ),
        (
            "engine",
            "'>=0.1'",
            "latest",
            "mine.yaml:3: engine: found \"latest\"; expected the engine that it needs, >=0.1\n",
        ),
        (
            "lines",
            "about: names of ours",
            "about: |\n  names\n  of ours",
            "mine.yaml:2: about: found \"names\\nof ours",
        ),
        (
            "id",
            "mine-001",
            "mine-1",
            "mine.yaml:5: rules[0]: found the id mine-1; expected mine- and three digits, up to 127\n",
        ),
        (
            "number",
            "mine-001",
            "mine-128",
            "mine.yaml:5: rules[0]: found the id mine-128; expected mine- and three digits, up to 127\n",
        ),
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
    dir.file("latin.yaml", b"b: 1\na: \xe9\n").file("nomos.wasm", b"\0asm\x01\0\0\0\xff");
    let rows: [(&[&str], &str); 4] = [
        (&["check", "missing.yaml"], "nomos: missing.yaml: No such file or directory (os error 2)\n"),
        (&["check", "latin.yaml"], "nomos: latin.yaml:2: found a byte that is not UTF-8; expected UTF-8 text\n"),
        (&["check", "nomos.wasm"], "nomos: nomos.wasm: found a binary file; expected UTF-8 text\n"),
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

/// A filter of another plugin, or a configuration in front, does not hide what is named after Nomos.
#[test]
fn every_document_is_looked_into() {
    let filter = |name: &str, settings: &str| {
        format!(
            "kind: EnvoyFilter\napiVersion: x/v1\nspec:\n  name: {name}\n  typed_config:\n    '@type': \
             x/envoy.extensions.filters.http.wasm.v3.Wasm\n    config:\n      name: {name}\n      configuration:\n        \
             '@type': x/google.protobuf.Struct\n        value: {{{settings}}}\n"
        )
    };
    let plugin =
        |mode: &str| format!("kind: WasmPlugin\nmetadata: {{name: nomos}}\nspec:\n  pluginConfig: {{mode: {mode}}}\n");
    let mode = "found \"heel\"; expected one of heal, observe, off (did you mean \"heal\"?)\n";
    let alone = "configuration: found the plugin's own configuration beside others; expected it in a file of its own, or \
                 inside a filter or plugin\n";
    let rows = [
        ("other", format!("{}---\n{}", filter("authz", ""), plugin("heel")), format!("a.yaml:16: mode: {mode}")),
        (
            "both",
            format!("{}---\n{}", filter("nomos", "mode: off"), plugin("heel")),
            format!("a.yaml:16: mode: {mode}"),
        ),
        (
            "both-good",
            format!("{}---\n{}", filter("nomos", "mode: off"), plugin("off")),
            "a.yaml: a resource of Kubernetes with 1 Nomos filter and 1 Nomos plugin: no problems\n".to_owned(),
        ),
        ("alone", format!("mode: heel\n---\n{}", filter("nomos", "mode: off")), format!("a.yaml:1: {alone}")),
        ("alone-plugin", format!("{}---\nroutes: 5\n", plugin("off")), format!("a.yaml:6: {alone}")),
    ];
    for (test, content, expected) in rows {
        let code = i32::from(!expected.ends_with("no problems\n"));
        assert_eq!(check(&format!("every-{test}"), "a.yaml", &content), (code, expected), "{test}");
    }
    let dir = Dir::new("every-heal");
    dir.file("a.yaml", format!("{}---\n{}", filter("authz", ""), plugin("off")));
    dir.file("b.yaml", format!("{}---\n{}", filter("nomos", ""), plugin("off")));
    assert_eq!(dir.nomos_on(&["heal", "--config", "a.yaml"], b"{}").code, 0);
    let healed = dir.nomos_on(&["heal", "--config", "b.yaml"], b"{}");
    let found = "nomos: found 2 Nomos filters and plugins (b.yaml:6, b.yaml:16); expected one, or the plugin's own \
                 configuration\n";
    assert_eq!((healed.code, healed.stderr.as_str()), (2, found));
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
    // As `kubectl get -o yaml` prints resources.
    let list = |item: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n- {}\n- {}\n",
            item.trim_end().replace('\n', "\n  "),
            "kind: Secret"
        )
    };
    dir.file("plugins.yaml", list(&resource("WasmPlugin", &format!("pluginConfig: {routes}"))));
    dir.file("policies.yaml", list(&policy));
    for file in ["plugin.yaml", "policy.yaml", "plugins.yaml", "policies.yaml"] {
        assert_eq!(dir.nomos(&["check", file]).code, 0, "{file}");
        let healed = dir.nomos_on(&["heal", "--config", file], br#"{"a":1}"#);
        assert_eq!((healed.stdout.as_str(), healed.stderr.as_str()), (r#"{"b":1}"#, "healed by route u: 1 rename\n"));
        let matched = dir.nomos_on(&["match", "--config", file, "--path", "/u", "--json"], br#"{"a":1}"#);
        assert!(matched.stdout.contains(r#""expected":"b","found":"a""#), "{}{}", matched.stdout, matched.stderr);
    }
    dir.file("object.yaml", resource("EnvoyExtensionPolicy", "wasm:\n    name: nomos\n    config: {mode: off}"));
    let found = "object.yaml:6: spec.wasm: found an object; expected an array of plugins, such as [{name: nomos, code: \
                 {...}, config: {...}}]\n";
    let checked = dir.nomos(&["check", "object.yaml"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (1, found));
    let healed = dir.nomos(&["heal", "--config", "object.yaml"]);
    assert_eq!((healed.code, healed.stderr), (2, format!("nomos: {found}")));
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
