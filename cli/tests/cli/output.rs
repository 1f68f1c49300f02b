use std::io;
use std::process::Stdio;

use crate::run::Dir;

/// A pipe whose other end is closed, so that nobody reads the output.
fn unheard() -> Stdio {
    let (_, writer) = io::pipe().expect("a pipe");
    writer.into()
}

#[test]
fn commands_do_their_work_where_nobody_reads_stderr() {
    let dir = Dir::new("unheard");
    dir.file("nomos.json", r#"{"routes":[{"match":{"prefix":"/"},"rename":{"mail":"email"}}]}"#);
    let response = r#"{"200":{"content":{"application/json":{"schema":{"properties":{"id":{}}}}}}}"#;
    dir.file("api.json", format!(r#"{{"openapi":"3.1.0","paths":{{"/a":{{"get":{{"responses":{response}}}}}}}}}"#));
    let contract = "{\"type\":\"object\",\"properties\":{\"id\":{}}}\n";
    let rows: [(&[&str], i32, &str); 4] = [
        (&["contract", "api.json", "--operation", "GET /a", "--json"], 0, contract),
        (&["heal", "--config", "nomos.json"], 0, r#"{"email":1}"#),
        (&["heal", "--config", "missing.json"], 2, ""),
        (&["heal"], 2, ""),
    ];
    for (args, code, stdout) in rows {
        let output = dir.nomos_to(unheard(), &[], args, br#"{"mail":1}"#);
        assert_eq!((output.code, output.stdout.as_str()), (code, stdout), "{args:?}");
    }
}
