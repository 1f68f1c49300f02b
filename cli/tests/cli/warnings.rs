//! What `nomos check` warns of without refusing it.

use crate::check::{check, envoy};
use crate::run::Dir;

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
    let old_camel = old.replacen("fail_open", "failOpen", 1);
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
        ("camel-neither", "vmConfig: {}", Some(neither)),
        ("camel-open", "vm_config: {}\n  failurePolicy: FAIL_OPEN", None),
        ("camel-old", "failOpen: true\n  vmConfig: {}", Some(old_camel.as_str())),
        ("camel-both", "failOpen: true\n  failurePolicy: FAIL_OPEN\n  vmConfig: {}", Some(both)),
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
fn the_first_of_several_covering_routes_is_named() {
    type LateAndFirst<'a> = &'a [(usize, usize)];
    let rows: [(&[&str], LateAndFirst<'_>); 5] = [
        (&["prefix: /a", "path: /a/b", "path: /a/b"], &[(1, 0), (2, 0)]),
        (&["path: /a/b", "prefix: /a", "path: /a/b"], &[(2, 0)]),
        (&["path: /a/b, methods: [GET]", "prefix: /a", "path: /a/b"], &[(2, 1)]),
        (&["path: /a/b", "template: /a/b", "template: '/a/{x}'", "path: /a/c"], &[(1, 0), (3, 2)]),
        (&["path: /a, status: [404]", "path: /a, status: [2xx]", "path: /a, status: [404]"], &[(2, 0)]),
    ];
    for (routes, expected) in rows {
        let routes = routes.iter().map(|route| format!("- {{match: {{{route}}}, packs: [all]}}\n"));
        let said = warnings("covering", &format!("routes:\n{}", routes.collect::<String>()));
        let numbers = expected
            .iter()
            .map(|(late, first)| format!("routes[{late}]: found a route that is never used: routes[{first}] "));
        let numbers: Vec<String> = numbers.collect();
        assert_eq!(said.len(), numbers.len(), "{said:?}");
        assert!(said.iter().zip(&numbers).all(|(line, number)| line.contains(number)), "{said:?}");
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
        ("packs: []".to_owned(), true),
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
