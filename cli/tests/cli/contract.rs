use crate::limited::nomos_within;
use crate::run::Dir;

const OPENAPI: &str = "openapi: 3.0.3
info: {title: Users, version: '1'}
paths:
  /users/{id}:
    get:
      operationId: getUser
      responses:
        '404': {$ref: '#/components/responses/Problem'}
        200:
          description: A user.
          content:
            text/html: {}
            application/json; charset=utf-8:
              schema: {$ref: '#/components/schemas/User'}
    delete:
      responses:
        204: {description: Gone}
  /users:
    $ref: '#/x-paths/users'
  /report:
    get:
      responses:
        default: {description: Table, content: {text/csv: {schema: {type: string}}}}
x-paths:
  users:
    post:
      responses:
        2XX: {description: Ranges, content: {application/json: {schema: {properties: {n: {}}}}}}
        '201':
          description: Made
          content:
            application/hal+json:
              schema: {type: array, items: {$ref: '#/components/schemas/Base'}}
components:
  responses:
    Problem:
      description: Not found
      content: {application/problem+json: {schema: {type: object, properties: {title: {type: string}}}}}
  schemas:
    Base:
      type: object
      required: [id, secret]
      properties:
        id: {type: integer, format: int64}
        secret: {type: string, writeOnly: true}
    User:
      allOf:
      - $ref: '#/components/schemas/Base'
      - type: object
        properties:
          email:
            type: string
            format: email
            nullable: true
            description: |-
              Where to write to.
              Checked by a mail with a link in it.
          state: {type: string, enum: [on, off]}
          y: {type: number, example: 1.5}
          manager: {$ref: '#/components/schemas/User'}
";

const USER: &str = r#"{"type":"object","properties":{"id":{"type":"integer"},"email":{"type":["string","null"],"format":"email","description":"Where to write to."},"state":{"type":"string","enum":["on","off"]},"y":{"type":"number"},"manager":"#;

fn dir(test: &str) -> Dir {
    let dir = Dir::new(&format!("contract-{test}"));
    dir.file("api.yaml", OPENAPI);
    dir
}

#[test]
fn the_contract_of_an_operation_is_taken() {
    let dir = dir("taken");
    let named = ["GET /users/{id}", "get /users/{id}", "getUser", "/users/{id}", "GET /users/7?full=1", "/users/7"];
    for operation in named {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", operation, "--json"]);
        assert_eq!(output.code, 0, "{operation}: {}", output.stderr);
        assert!(output.stdout.starts_with(USER), "{operation}: {}", output.stdout);
        assert_eq!(output.stdout.matches("\"manager\"").count(), 5, "followed five deep");
        assert!(!output.stdout.contains("secret"));
        let from =
            "GET /users/{id} 200 application/json; charset=utf-8: 25 members in 5 objects; 1 reference left open\n";
        assert_eq!(output.stderr, from);
    }
}

#[test]
fn the_response_may_be_chosen() {
    let dir = dir("response");
    let rows: [(&[&str], &str); 3] = [
        (
            &["POST /users"],
            "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"integer\"}}, \"required\": [\"id\"]}}\n",
        ),
        (&["POST /users", "--status", "202"], "{\"type\": \"object\", \"properties\": {\"n\": {}}}\n"),
        (
            &["getUser", "--status", "404"],
            "{\"type\": \"object\", \"properties\": {\"title\": {\"type\": \"string\"}}}\n",
        ),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(&[&["contract", "api.yaml", "--operation"], args].concat());
        let flat: String = output.stdout.split('\n').map(str::trim_start).collect::<Vec<_>>().join(" ");
        let flat = flat.trim().replace("{ \"", "{\"").replace("} }", "}}").replace("] }", "]}") + "\n";
        assert_eq!((output.code, flat.as_str()), (0, expected), "{args:?}: {}", output.stderr);
    }
}

/// Large documents are kept in many files, with operations or whole paths in each.
#[test]
fn operations_in_other_files_are_told_of() {
    let dir = Dir::new("contract-elsewhere");
    let bundle = "expected a reference into this document: bundle it with its other files first, for example with `npx \
                  @redocly/cli bundle FILE`";
    let problem = |line: usize, place: &str| format!("api.yaml:{line}: {place}.$ref: found \"a.yml\"; {bundle}");
    let openapi = "openapi: 3.0.3\npaths:\n";

    dir.file("api.yaml", format!("{openapi}  /a:\n    get:\n      $ref: a.yml\n"));
    let told = problem(5, "paths[\"/a\"].get");
    let checked = dir.nomos(&["check", "api.yaml"]);
    assert_eq!((checked.code, checked.stdout), (1, format!("{told}\n")));
    let listed = dir.nomos(&["contract", "api.yaml"]);
    assert_eq!(listed.stdout, "GET /a  (broken: --operation tells why)\n");
    let taken = dir.nomos(&["contract", "api.yaml", "--operation", "/a"]);
    assert_eq!((taken.code, taken.stderr), (2, format!("nomos: {told}\n")));

    let path = format!("{openapi}  /a:\n    $ref: a.yml\n");
    let told = problem(4, "paths[\"/a\"]");
    for (document, told) in [(&path, &told), (&format!("{openapi}  $ref: a.yml\n"), &problem(3, "paths"))] {
        dir.file("api.yaml", document);
        let checked = dir.nomos(&["check", "api.yaml"]);
        assert_eq!((checked.code, checked.stdout), (1, format!("{told}\n")));
        for args in [&["contract", "api.yaml"][..], &["contract", "api.yaml", "--operation", "/a"]] {
            let output = dir.nomos(args);
            assert_eq!((output.code, output.stderr), (2, format!("nomos: {told}\n")), "{args:?}");
        }
    }

    dir.file("api.yaml", format!("{path}    put: {{}}\n"));
    let listed = dir.nomos(&["contract", "api.yaml"]);
    assert_eq!((listed.code, listed.stdout.as_str()), (0, "PUT /a  (no schema)\n"));
    assert_eq!(listed.stderr, format!("nomos: {told}\n"));
    let taken = dir.nomos(&["contract", "api.yaml", "--operation", "GET /a"]);
    let expected = "nomos: api.yaml: found no operation GET /a; expected one of PUT /a; not looked into: 1 path that leads \
                    nowhere (see nomos check)\n";
    assert_eq!((taken.code, taken.stderr.as_str()), (2, expected));
}

#[test]
fn operations_may_be_described_elsewhere_in_the_document() {
    let dir = Dir::new("contract-shared");
    let of = |name: &str| {
        format!(
            "{{operationId: {name}, responses: {{200: {{content: {{application/json: {{schema: {{properties: {{{name}: {{}}}}}}}}}}}}}}}}"
        )
    };
    let item = format!("{{get: {}, put: {}}}", of("a"), of("b"));
    let own = format!("{{$ref: '#/x-item', put: {}, post: {{$ref: '#/x-item/get'}}}}", of("own"));
    dir.file("api.yaml", format!("openapi: 3.1.0\npaths:\n  /a: {own}\nx-item: {item}\n"));
    assert_eq!(dir.nomos(&["contract", "api.yaml"]).stdout, "GET /a\nPUT /a\nPOST /a\n");
    for (operation, name) in [("GET /a", "a"), ("PUT /a", "own"), ("POST /a", "a"), ("own", "own")] {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", operation, "--json"]);
        let expected = format!("{{\"type\":\"object\",\"properties\":{{\"{name}\":{{}}}}}}\n");
        assert_eq!((output.code, output.stdout), (0, expected), "{operation}: {}", output.stderr);
    }
}

/// Some documents merge shared fields by `<<`.
#[test]
fn merge_keys_of_a_document_are_carried_out() {
    let dir = Dir::new("contract-merge");
    let api = "openapi: 3.0.3
x-common: &common
  id: {type: string}
paths:
  /u:
    get: &get
      responses:
        200:
          content:
            application/json:
              schema: {type: object, properties: {<<: *common, email: {type: string}}}
    put: {<<: *get}
";
    dir.file("api.yaml", api);
    for operation in ["GET /u", "PUT /u"] {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", operation, "--json"]);
        let expected = r#"{"type":"object","properties":{"email":{"type":"string"},"id":{"type":"string"}}}"#;
        assert_eq!((output.code, output.stdout.trim_end()), (0, expected), "{}", output.stderr);
    }
}

/// Paths as they appear in a log of requests.
#[test]
fn an_operation_is_found_by_the_path_of_a_request() {
    let dir = Dir::new("contract-path");
    let answer = "{responses: {200: {content: {application/json: {schema: {properties: {a: {}}}}}}}}";
    let paths = ["/{a}/{b}", "/pets/{id}", "/pets/{id}.json", "/pets/mine", "/v1/own"];
    let paths: Vec<String> =
        paths.iter().map(|path| format!("  '{path}': {{get: {answer}, put: {answer}}}\n")).collect();
    let servers = "servers:
- {url: https://api.example.com/v1/}
- {url: 'https://{host}/{base}/v2', variables: {host: {default: a.example.com}, base: {default: api}}}
- {url: /}
";
    dir.file("api.yaml", format!("openapi: 3.0.0\n{servers}paths:\n{}", paths.concat()));
    let rows = [
        ("/pets/7.json", "GET /pets/{id}.json"),
        ("/pets/7", "GET /pets/{id}"),
        ("PUT /pets/mine?x=/", "PUT /pets/mine"),
        ("put /v1/pets/7", "PUT /pets/{id}"),
        ("/v1/own", "GET /v1/own"),
        ("/api/v2/pets/7.json?full", "GET /pets/{id}.json"),
        ("GET https://api.example.com/v1/pets/7", "GET /pets/{id}"),
        ("/v1/x", "GET /{a}/{b}"),
    ];
    for (asked, operation) in rows {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", asked]);
        let expected = format!("{operation} 200 application/json: 1 member in 1 object\n");
        assert_eq!((output.code, output.stderr), (0, expected), "{asked}");
    }
    for asked in ["/v1", "/v1pets/7/x", "PATCH /pets/7", "https://api.example.com"] {
        assert_eq!(dir.nomos(&["contract", "api.yaml", "--operation", asked]).code, 2, "{asked}");
    }
}

/// In an operation that declares a success, `default` describes its errors.
#[test]
fn an_error_is_no_success() {
    let dir = Dir::new("contract-default");
    let json = |name: &str| format!("{{content: {{application/json: {{schema: {{properties: {{{name}: {{}}}}}}}}}}}}");
    let (error, user) = (json("code"), json("id"));
    dir.file(
        "api.yaml",
        format!(
            "openapi: 3.0.0\npaths:\n  /a:\n    post: {{responses: {{201: {{description: Made}}, default: {error}}}}}\n    \
             get: {{responses: {{default: {error}}}}}\n    put: {{responses: {{203: {user}, default: {error}}}}}\n"
        ),
    );
    assert_eq!(dir.nomos(&["contract", "api.yaml"]).stdout, "GET /a\nPUT /a\nPOST /a  (no JSON)\n");
    let output = dir.nomos(&["contract", "api.yaml", "--operation", "POST /a"]);
    let expected = "nomos: api.yaml:4: paths[\"/a\"].post.responses.201: found a response without content; expected \
                    content of type application/json\n";
    assert_eq!((output.code, output.stderr.as_str()), (2, expected));
    let rows =
        [("GET /a", "200", "GET /a default"), ("PUT /a", "2xx", "PUT /a 203"), ("POST /a", "404", "POST /a default")];
    for (operation, status, from) in rows {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", operation, "--status", status]);
        assert!(output.code == 0 && output.stderr.starts_with(from), "{operation} {status}: {}", output.stderr);
    }
    for command in ["contract", "match --contract"] {
        let args: Vec<&str> =
            command.split(' ').chain(["api.yaml", "--operation", "GET /a", "--status", "20"]).collect();
        let output = dir.nomos(&args);
        let expected =
            "error: invalid value '20' for '--status <STATUS>': expected a status, such as 404, a class of them";
        assert!(output.code == 2 && output.stderr.starts_with(expected), "{}", output.stderr);
    }
}

#[test]
fn what_is_taken_is_a_contract_of_a_configuration() {
    let dir = dir("round-trip");
    for form in [&[][..], &["--json"]] {
        let contract = dir.nomos(&[&["contract", "api.yaml", "--operation", "getUser"], form].concat()).stdout;
        dir.file("contract.json", &contract);
        let checked = dir.nomos(&["check", "contract.json"]);
        assert_eq!(checked.stdout, "contract.json: a contract: no problems\n");
        let contract = contract.replace('\n', "\n    ");
        let config = format!("routes:\n- match: {{prefix: /}}\n  contract: {contract}\n  rename: {{mail: email}}\n");
        dir.file("nomos.yaml", config);
        let output = dir.nomos_on(&["heal", "--config", "nomos.yaml"], br#"{"mail":1,"manager":{"mail":2}}"#);
        assert_eq!((output.code, output.stdout.as_str()), (0, r#"{"email":1,"manager":{"email":2}}"#));
    }
}

#[test]
fn without_an_operation_all_are_listed() {
    let dir = dir("list");
    let listed = "GET /users/{id}\nDELETE /users/{id}  (no JSON)\nPOST /users\nGET /report  (no JSON)\n";
    assert_eq!(dir.nomos(&["contract", "api.yaml"]).stdout, listed);
    let listed = "GET /users/{id}\nDELETE /users/{id}  (no JSON)\nPOST /users  (no JSON)\nGET /report  (no JSON)\n";
    assert_eq!(dir.nomos(&["contract", "api.yaml", "--status", "404"]).stdout, listed);
    dir.file("broken.yaml", OPENAPI.replace("responses/Problem'", "responses/problem'"));
    let listed = dir.nomos(&["contract", "broken.yaml", "--status", "404"]).stdout;
    assert!(listed.starts_with("GET /users/{id}  (broken: --operation tells why)\n"), "{listed}");
    assert_eq!(dir.nomos(&["contract", "api.yaml", "--json"]).stdout, "[\"GET /users/{id}\",\"POST /users\"]\n");
}

#[test]
fn json_of_which_nothing_is_said_has_no_schema() {
    let dir = Dir::new("contract-no-schema");
    let responses = "{responses: {200: {content: {application/json: {}}}}}";
    dir.file("api.yaml", format!("openapi: 3.0.0\npaths:\n  /a:\n    get: {responses}\n    put: {{operationId: x}}\n"));
    assert_eq!(dir.nomos(&["contract", "api.yaml"]).stdout, "GET /a  (no schema)\nPUT /a  (no schema)\n");
}

#[test]
fn operations_of_one_id_are_told_of() {
    let dir = Dir::new("contract-ids");
    let operation = |id: &str, member: &str| {
        let content = format!("{{application/json: {{schema: {{properties: {{{member}: {{}}}}}}}}}}");
        format!("{{operationId: {id}, responses: {{200: {{content: {content}}}}}}}")
    };
    let (user, again, other) = (operation("user", "a"), operation("user", "b"), operation("other", "c"));
    let paths = format!(
        "  /a: {{get: {user}}}\n  /b: {{get: {again}}}\n  /c: {{get: {other}}}\n  /d: {{$ref: '#/paths/~1c'}}\n"
    );
    dir.file("api.yaml", format!("openapi: 3.0.0\npaths:\n{paths}"));
    let told = "paths[\"/b\"].get.operationId: found \"user\" a second time; expected an operationId of its own: the first \
                operation is taken\n";
    let checked = dir.nomos(&["check", "api.yaml"]);
    let kind = "an OpenAPI document with contracts of 4 operations";
    let expected = format!("api.yaml:4: warning: {told}api.yaml: {kind}: no problems, 1 warning\n");
    assert_eq!((checked.code, checked.stdout), (0, expected));
    let line = format!("nomos: api.yaml:4: {told}");
    assert_eq!(dir.nomos(&["contract", "api.yaml"]).stderr, line);
    let rows = [("user", line + "GET /a 200"), ("other", "GET /c 200".to_owned()), ("GET /b", "GET /b 200".to_owned())];
    for (asked, said) in rows {
        let output = dir.nomos(&["contract", "api.yaml", "--operation", asked]);
        let expected = format!("{said} application/json: 1 member in 1 object\n");
        assert_eq!((output.code, output.stderr), (0, expected), "{asked}");
    }
}

#[test]
fn names_that_a_document_has_twice_are_told_of() {
    let dir = Dir::new("contract-twice");
    let get = |names: &str| {
        format!(
            "get: {{responses: {{200: {{content: {{application/json: {{schema: {{properties: {{{names}}}}}}}}}}}}}}}"
        )
    };
    dir.file("api.yaml", format!("openapi: 3.0.0\npaths:\n  /a:\n    {}\n    {}\n", get("a: {}"), get("b: {}")));
    dir.file("api.json", r#"{"openapi":"3.0.0","paths":{"/a":{"get":{"x":1,"x":2}}}}"#);
    let twice = |name: &str| format!("found \"{name}\" a second time; expected each name once in an object\n");
    let rows = [
        ("api.yaml", format!("api.yaml:5: paths[\"/a\"].get: {}", twice("get"))),
        ("api.json", format!("api.json:1: paths[\"/a\"].get.x: {}", twice("x"))),
    ];
    for (file, told) in rows {
        let checked = dir.nomos(&["check", file]);
        assert_eq!((checked.code, &checked.stdout), (1, &told));
        let listed = dir.nomos(&["contract", file]);
        assert_eq!((listed.code, listed.stderr), (0, format!("nomos: {told}")));
    }
    let taken = dir.nomos(&["contract", "api.yaml", "--operation", "/a", "--json"]);
    assert_eq!((taken.code, taken.stdout.lines().count(), taken.stderr.lines().count()), (0, 1, 2), "{}", taken.stderr);
}

/// With such a contract nothing could be healed, and nothing could be missing.
#[test]
fn contracts_without_members_are_no_contracts() {
    let dir = Dir::new("contract-empty");
    let empty = [
        "{type: object}",
        "{type: array, items: {properties: {}}}",
        "{type: object, additionalProperties: {properties: {a: {}}}}",
    ];
    let found = "found a schema without members; expected properties: nothing else is looked for\n";
    for schema in empty {
        dir.file(
            "api.yaml",
            format!("openapi: 3.0.0\npaths: {{/a: {{get: {{responses: {{200: {{content: {{application/json: {{schema: \n  {schema}}}}}}}}}}}}}}}\n"),
        );
        dir.file("schema.yaml", schema)
            .file("nomos.yaml", format!("routes: [{{match: {{path: /a}}, contract: {schema}}}]"));
        let place = "paths[\"/a\"].get.responses.200.content[\"application/json\"].schema";
        let told = |place: &str| format!("nomos: {place}: {found}");
        let rows: [(&[&str], String); 4] = [
            (&["contract", "api.yaml", "--operation", "/a"], told(&format!("api.yaml:2: {place}"))),
            (&["match", "--contract", "api.yaml", "--operation", "/a"], told(&format!("api.yaml:2: {place}"))),
            (&["match", "--contract", "schema.yaml"], told("schema.yaml:1: contract")),
            (&["match", "--contract", "nomos.yaml"], told("nomos.yaml: contract of route route-0")),
        ];
        for (args, expected) in rows {
            let output = dir.nomos_on(args, b"{}");
            assert_eq!((output.code, output.stdout.as_str(), output.stderr), (2, "", expected), "{schema} {args:?}");
        }
        assert_eq!(dir.nomos(&["contract", "api.yaml"]).stdout, "GET /a  (no members)\n");
        let checked = dir.nomos(&["check", "api.yaml"]);
        let end = "api.yaml: an OpenAPI document with contracts of 0 operations: no problems, 1 warning\n";
        assert!(checked.code == 0 && checked.stdout.ends_with(end), "{}", checked.stdout);
    }
}

#[test]
fn a_document_that_nothing_can_be_healed_by_is_doubted() {
    let dir = Dir::new("contract-useless");
    let html = "{get: {responses: {200: {content: {text/html: {schema: {}}}}}}}";
    let rows = [
        ("openapi: 3.1.0\n".to_owned(), "1: warning: document"),
        ("# x\nopenapi: 3.1.0\npaths: {}\n".to_owned(), "3: warning: paths"),
        (format!("openapi: 3.1.0\npaths:\n  /a: {html}\n"), "3: warning: paths"),
    ];
    for (content, place) in rows {
        let checked = dir.file("a.yaml", &content).nomos(&["check", "a.yaml"]);
        let warning = "found no operation with a contract; expected one whose response is JSON with members: nomos \
                       contract lists what each lacks";
        let end = "a.yaml: an OpenAPI document with contracts of 0 operations: no problems, 1 warning";
        assert_eq!((checked.code, checked.stdout), (0, format!("a.yaml:{place}: {warning}\n{end}\n")), "{content}");
    }
    // What is broken is a problem, and the reason for having no contract.
    dir.file("a.yaml", "openapi: 3.1.0\npaths: {/a: {get: {$ref: '#/x'}}}\n");
    let checked = dir.nomos(&["check", "a.yaml"]);
    assert!(checked.code == 1 && !checked.stdout.contains("warning"), "{}", checked.stdout);
}

#[test]
fn a_document_is_checked() {
    let dir = dir("check");
    let checked = dir.nomos(&["check", "api.yaml"]);
    assert_eq!(checked.stdout, "api.yaml: an OpenAPI document with contracts of 2 operations: no problems\n");
    dir.file("api.yaml", OPENAPI.replace("schemas/Base'", "schemas/base'"));
    let expected = "found \"#/components/schemas/base\", which is not in this document; expected a reference to what \
                    is there (did you mean \"Base\"?)\n";
    let places = [
        "33: x-paths.users.post.responses.201.content[\"application/hal+json\"].schema.items.$ref",
        "48: components.schemas.User.allOf[0].$ref",
    ];
    let checked = dir.nomos(&["check", "api.yaml"]);
    let lines = places.map(|place| format!("api.yaml:{place}: {expected}"));
    assert_eq!((checked.code, checked.stdout), (1, lines.concat()));

    dir.file(
        "api.yaml",
        OPENAPI.replace("'#/x-paths/users'", "'#/x-paths/user'").replace("200:", "200: {$ref: '#/x'}\n        x-200:"),
    );
    let checked = dir.nomos(&["check", "api.yaml"]);
    let expected =
        "api.yaml:9: paths[\"/users/{id}\"].get.responses.200.$ref: found \"#/x\", which is not in this document; \
                    expected a reference to what is there
api.yaml:20: paths[\"/users\"].$ref: found \"#/x-paths/user\", which is not in this document; expected a reference to \
                    what is there (did you mean \"users\"?)\n";
    assert_eq!((checked.code, checked.stdout.as_str()), (1, expected));
}

#[test]
fn what_cannot_be_taken_is_told_in_a_line() {
    let dir = dir("refused");
    dir.file("swagger.yaml", "swagger: '2.0'\npaths: {}\n").file("next.yaml", "openapi: 4.0\n");
    dir.file("contract.yaml", "type: object\n").file("syntax.yaml", "a: [");
    dir.file("broken.yaml", OPENAPI.replace("schemas/Base'", "schemas/base'"));
    dir.file("other.yaml", OPENAPI.replace("'#/components/schemas/User'", "'user.yaml#/User'"));
    dir.file("empty.yaml", "openapi: 3.1.0\npaths: {}\n");
    dir.file("later.json", r#"{"openapi":"3.2.0","paths":{}}"#).file("bare.json", r#"{"openapi":"3.1.0"}"#);
    let answers =
        |schema: &str| format!("{{responses: {{200: {{content: {{application/json: {{schema: {schema}}}}}}}}}}}");
    let schemas = "components: {schemas: {a: {$ref: '#/components/schemas/b'}, b: {$ref: '#/components/schemas/a'}}}";
    let text = answers("{type: string}");
    let texts = answers("{type: array, items: {type: string}}");
    let round = answers("{$ref: '#/components/schemas/a'}");
    dir.file(
        "flat.yaml",
        format!("openapi: 3.1\npaths:\n  /a:\n    get: {text}\n    put: {texts}\n    post: {round}\n{schemas}\n"),
    );
    let no_object = "found a schema that describes no object; expected an object or an array of objects: there are no \
                     members to look for in anything else";
    let flat = |line: usize, method: &str| {
        let place = format!("paths[\"/a\"].{method}.responses.200.content[\"application/json\"].schema");
        format!("flat.yaml:{line}: {place}: {no_object}")
    };
    let (get, put) = (flat(4, "get"), flat(5, "put"));
    let listed = "GET /a  (no members)\nPUT /a  (no members)\nPOST /a  (no members)\n";
    assert_eq!(dir.nomos(&["contract", "flat.yaml"]).stdout, listed);
    assert_eq!(dir.nomos(&["contract", "flat.yaml", "--json"]).stdout, "[]\n");
    let post = dir.nomos(&["contract", "flat.yaml", "--operation", "POST /a"]);
    assert!(post.code == 2 && post.stdout.is_empty() && post.stderr.lines().count() == 1, "{}", post.stderr);
    let rows: [(&[&str], &str); 17] = [
        (&["flat.yaml", "--operation", "GET /a"], &get),
        (&["flat.yaml", "--operation", "PUT /a"], &put),
        (&["later.json"], "later.json:1: openapi: found OpenAPI 3.2.0; expected OpenAPI 3.0 or 3.1, such as 3.1.0"),
        (&["bare.json"], "bare.json: found a document without operations; expected some below paths"),
        (&["missing.yaml", "--operation", "x"], "missing.yaml: No such file or directory (os error 2)"),
        (
            &["syntax.yaml"],
            "syntax.yaml:1: column 4: found what YAML does not allow here (unclosed bracket '['); expected YAML",
        ),
        (
            &["swagger.yaml"],
            "swagger.yaml:1: swagger: found a document of Swagger 2.0; expected OpenAPI 3: convert it first, for \
             example with `npx swagger2openapi FILE`",
        ),
        (&["next.yaml"], "next.yaml:1: openapi: found OpenAPI 4.0; expected OpenAPI 3.0 or 3.1, such as 3.1.0"),
        (
            &["contract.yaml"],
            "contract.yaml:1: document: found no field openapi; expected an OpenAPI document of version 3.0 or 3.1",
        ),
        (
            &["api.yaml", "--operation", "GET /user/{id}"],
            "api.yaml: found no operation GET /user/{id}; expected one of GET /users/{id}, DELETE /users/{id}, POST \
             /users, GET /report",
        ),
        (
            &["empty.yaml", "--operation", "x"],
            "empty.yaml: found no operation x; expected an operation, but the document has none",
        ),
        (
            &["api.yaml", "--operation", "DELETE /users/7"],
            "api.yaml:17: paths[\"/users/{id}\"].delete.responses.204: found a response without content; expected \
             content of type application/json",
        ),
        (
            &["api.yaml", "--operation", "GET /report"],
            "api.yaml:23: paths[\"/report\"].get.responses.default.content: found content of type text/csv; expected \
             application/json",
        ),
        (
            &["api.yaml", "--operation", "getUser", "--status", "500"],
            "api.yaml:7: paths[\"/users/{id}\"].get.responses: found responses 404, 200; expected a response of status \
             500",
        ),
        (
            &["broken.yaml", "--operation", "getUser"],
            "broken.yaml:48: components.schemas.User.allOf[0].$ref: found \"#/components/schemas/base\", which is not \
             in this document; expected a reference to what is there (did you mean \"Base\"?)",
        ),
        (
            &["other.yaml", "--operation", "getUser"],
            "other.yaml:14: paths[\"/users/{id}\"].get.responses.200.content[\"application/json; \
             charset=utf-8\"].schema.$ref: found \"user.yaml#/User\"; expected a reference into this document: bundle \
             it with its other files first, for example with `npx @redocly/cli bundle FILE`",
        ),
        (&[], "error: the following required arguments were not provided:\n  <FILE>"),
    ];
    for (args, expected) in rows {
        let output = dir.nomos(&[&["contract"], args].concat());
        let stderr = output.stderr.strip_prefix("nomos: ").unwrap_or(&output.stderr);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
        assert!(stderr.starts_with(expected), "{args:?}: {stderr}");
    }
}

/// A document as large as the largest public ones, in which every schema refers to others.
#[test]
fn a_large_document_is_no_trouble() {
    let member = |number: usize, member: usize| {
        let other = (number * 7 + member * 13) % 400;
        format!(r##""m{member}":{{"anyOf":[{{"type":"string"}},{{"$ref":"#/components/schemas/s{other}"}}]}}"##)
    };
    let schema = |number: usize| {
        let members: Vec<String> = (0..20).map(|place| member(number, place)).collect();
        let description = "x".repeat(2000);
        let properties = format!(r#"{},"id":{{"type":"string"}}"#, members.join(","));
        format!(r#""s{number}":{{"description":"{description}","properties":{{{properties}}}}}"#)
    };
    let schemas: Vec<String> = (0..400).map(schema).collect();
    let response = r##"{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/s0"}}}}}"##;
    let text = format!(
        "{{\"openapi\":\"3.1.0\",\"paths\":{{\"/a\":{{\"get\":{{\"responses\":{response}}}}}}},\"components\":{{\"schemas\":{{{}}}}}}}",
        schemas.join(",")
    );
    let dir = Dir::new("contract-large");
    let output = dir.file("api.json", text).nomos(&["contract", "api.json", "--operation", "GET /a"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.stderr, "GET /a 200 application/json: 441 members in 21 objects; 400 references left open\n");
}

/// A subtype that is not there costs what the object says, so its place is told wherever the contract is read.
#[test]
fn a_subtype_that_is_not_there_is_told() {
    let text = |schema: &str| {
        format!(
            "openapi: 3.0.0
paths:
  /p:
    get: {{responses: {{'200': {{content: {{application/json: {{schema: {schema}}}}}}}}}}}
components:
  schemas:
    Pet:
      properties: {{kind: {{type: string}}}}
      discriminator: {{propertyName: kind, mapping: {{cat: Cat, x: Missing, y: ./y.yaml#/Y}}}}
    Cat: {{properties: {{meow: {{}}}}}}
"
        )
    };
    let place = "components.schemas.Pet.discriminator.mapping";
    let lost = format!(
        "api.yaml:9: {place}.x: found \"#/components/schemas/Missing\", which is not in this document; expected a \
         reference to what is there (and 1 more: see nomos check)\n"
    );
    let dir = Dir::new("contract-subtype");
    dir.file("api.yaml", text("{properties: {id: {}, pet: {$ref: '#/components/schemas/Pet'}}}"));
    let output = dir.nomos(&["contract", "api.yaml", "--operation", "GET /p"]);
    let taken = "GET /p 200 application/json: 2 members in 1 object; 2 references left open\n";
    assert_eq!((output.code, output.stderr), (0, format!("nomos: {lost}{taken}")));
    let output = dir.nomos(&["check", "api.yaml"]);
    assert_eq!(output.code, 0);
    let bundled = format!("{place}.y: found \"./y.yaml#/Y\"; expected a reference into this document: bundle it");
    assert!(output.stdout.contains(&bundled), "{}", output.stdout);
    dir.file("api.yaml", text("{$ref: '#/components/schemas/Pet'}"));
    let output = dir.nomos(&["contract", "api.yaml", "--operation", "GET /p"]);
    assert_eq!((output.code, output.stderr), (2, format!("nomos: {lost}")));
    let output = dir.nomos(&["check", "api.yaml"]);
    assert!(output.code != 0 && output.stdout.contains(&format!("{place}.x: found")), "{}", output.stdout);
}

/// What is known of the references of a document serves all of its operations. If each found it out anew, the time would
/// grow with the product of their numbers.
#[test]
fn many_operations_of_a_large_document_are_no_trouble() {
    let reference = |number: usize| format!(r##"{{"$ref":"#/components/schemas/s{}"}}"##, number % 3000);
    let schema = |number: usize| {
        let members: Vec<String> =
            (0..3).map(|member| format!(r#""m{member}":{}"#, reference(number * 7 + member * 13 + 1))).collect();
        format!(r#""s{number}":{{"type":"object","properties":{{{}}}}}"#, members.join(","))
    };
    let operation = |number: usize| {
        let schema = format!(r#"{{"type":"array","items":{}}}"#, reference(number));
        let content = format!(r#"{{"application/json":{{"schema":{schema}}}}}"#);
        format!(r#""/p{number}":{{"get":{{"responses":{{"200":{{"content":{content}}}}}}}}}"#)
    };
    let schemas: Vec<String> = (0..3000).map(schema).collect();
    let paths: Vec<String> = (0..600).map(operation).collect();
    let text = format!(
        r#"{{"openapi":"3.1.0","paths":{{{}}},"components":{{"schemas":{{{}}}}}}}"#,
        paths.join(","),
        schemas.join(",")
    );
    let dir = Dir::new("contract-many");
    let output = nomos_within("-t 20", dir.file("api.json", text), &["check", "api.json"]);
    assert_eq!(output.stdout, "api.json: an OpenAPI document with contracts of 600 operations: no problems\n");
}

/// What should be an object and is not is told where it stands, and is not taken for absent.
#[test]
fn what_is_no_object_is_told_where_it_stands() {
    let dir = Dir::new("no-object");
    let rows = [
        ("5", "paths: found 5; expected an object: what is at each path"),
        ("[a]", "paths: found an array; expected an object: what is at each path"),
        ("{/a: 5}", "paths[\"/a\"]: found 5; expected an object: operations by method"),
        ("{/a: {get: 5}}", "paths[\"/a\"].get: found 5; expected an object: an operation"),
        (
            "{/a: {get: {responses: []}}}",
            "paths[\"/a\"].get.responses: found an array; expected an object: a response under each status",
        ),
        (
            "{/a: {get: {responses: {200: x}}}}",
            "paths[\"/a\"].get.responses.200: found \"x\"; expected an object: a response",
        ),
        (
            "{/a: {get: {responses: {200: {content: 5}}}}}",
            "paths[\"/a\"].get.responses.200.content: found 5; expected an object: what a body is, under each media type",
        ),
    ];
    for (paths, problem) in rows {
        dir.file("api.yaml", format!("openapi: 3.1.0\npaths: {paths}\n"));
        let checked = dir.nomos(&["check", "api.yaml"]);
        assert_eq!((checked.code, checked.stdout), (1, format!("api.yaml:2: {problem}\n")), "{paths}");
        let taken = dir.nomos(&["contract", "api.yaml", "--operation", "GET /a"]);
        assert_eq!((taken.code, taken.stderr), (2, format!("nomos: api.yaml:2: {problem}\n")), "{paths}");
    }
    // Extensions are no paths.
    dir.file("api.yaml", "openapi: 3.1.0\npaths: {x-a: {get: {responses: 5}}, x-b: 5}\n");
    assert_eq!(dir.nomos(&["check", "api.yaml"]).code, 0);
}
