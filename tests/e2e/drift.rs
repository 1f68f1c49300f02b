//! Reports about drift that nothing healed, which must not contain data.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use nomos_tests::client;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::framing::{self, Framing};
use nomos_tests::shipped::{self, Changes};
use nomos_tests::upstream::{Step, Upstream};
use serde_json::{Value, json};

use crate::expect;
use crate::rig::{Ask, Lane, Outcome, Rig};

/// A text that is in every value of the bodies here, but in no name.
const SECRET: &str = "s3cr3t";

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.case("drift: new shapes and what is missing, told without values", told),
        lane.case("drift: a thousand shapes, a few lines", many_shapes),
        lane.alone("envoy.yaml as shipped: labels of what is missing", labels),
    ]
}

/// Returns the configuration of the listener `drift`.
pub fn configuration() -> Value {
    let member = json!({"type": "object", "required": ["zip"], "properties": {"zip": {"type": "string"}}});
    let contract = json!({"type": "object", "required": ["email_address", "phone"], "properties": {
        "email_address": {"type": "string", "format": "email"}, "phone": {"type": "string"}, "address": member,
        "id": {"type": "string"}, "name": {"type": "string"},
    }});
    json!({"max_shapes": 16, "routes": [
        {"name": "similar", "match": {"path": "/similar"}, "contract": contract, "similarity": {}},
        {"name": "plain", "match": {"path": "/plain"}, "contract": contract},
    ]})
}

fn told(rig: &mut Rig<'_>) -> Outcome {
    let body = format!(
        r#"{{"id":"{SECRET}","name":"{SECRET}","emailAddress":"{SECRET}@example.org","note":"{SECRET}","deep":{{"n":["{SECRET}"]}},"address":{{"zap":"{SECRET}"}}}}"#
    );
    for path in ["/similar", "/plain"] {
        for framing in [Framing::Length, Framing::Chunks(9), Framing::Chunked] {
            let (reply, _) = rig.ask_verdict(Ask { path, ..Ask::get("drift") }, response(framing, &body))?;
            let healed = body.replace("emailAddress", "email_address");
            expect::reply(&reply, 200, if path == "/similar" { &healed } else { &body }.as_bytes())?;
        }
    }
    for expected in [
        "route=.=similar;.;nomos_new_shapes_total: 1",
        "route=.=similar;.;field=.=phone;.;nomos_unhealed_required_total: 3",
        "route=.=similar;.;field=.=address.zip;.;nomos_unhealed_required_total: 3",
        "route=.=plain;.;field=.=email_address;.;nomos_unhealed_required_total: 3",
        "route=.=plain;.;field=.=phone;.;nomos_unhealed_required_total: 3",
    ] {
        soon(|| rig.envoy.admin_get("/stats?filter=nomos_(new|unhealed)"), expected)?;
    }
    let log = rig.envoy.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("nomos: ")).collect();
    let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    let unknown = concat!(
        r#"route similar, not in the contract: "emailAddress" string -> email_address, "#,
        r#""note" string, "deep" object, "deep.n" array, "address.zap" string"#
    );
    for (text, expected) in [
        (unknown, 1),
        ("nomos: new shape", 1),
        (r#"required and not healed, route similar: "phone", responses so far: 1"#, 1),
        (r#"required and not healed, route similar: "phone""#, 2),
        (r#"required and not healed, route plain: "email_address""#, 2),
    ] {
        expect::equal(text, count(text), expected).map_err(|why| format!("{why} in\n{}", lines.join("\n")))?;
    }
    expect::that(!log.contains(SECRET), || format!("Envoy's log has a value:\n{}", envoy::tail(&log)))
}

/// An upstream must not be able to fill the disk or the memory.
fn many_shapes(rig: &mut Rig<'_>) -> Outcome {
    let lines = |rig: &Rig<'_>| rig.envoy.log().matches("nomos: new shape").count();
    let before = lines(rig);
    for number in 0..1000 {
        let body = format!(r#"{{"id":"{SECRET}","emailAddress":"{SECRET}@x.org","phone":"{SECRET}","n{number}":1}}"#);
        let reply = rig.ask(Ask { path: "/similar", ..Ask::get("drift") }, response(Framing::Length, &body))?;
        expect::reply(&reply, 200, body.replace("emailAddress", "email_address").as_bytes())?;
    }
    soon(
        || rig.envoy.admin_get("/stats?filter=nomos_shapes_forgotten_total&usedonly"),
        "nomos_shapes_forgotten_total: ",
    )?;
    let told = lines(rig) - before;
    // Sixteen at once, and two a second.
    expect::that((1..200).contains(&told), || format!("{told} lines about 1000 shapes"))?;
    expect::that(!rig.envoy.log().contains(SECRET), || "Envoy's log has a value".to_owned())
}

/// The shipped `stats_tags` with the shipped contract.
fn labels(lane: &Lane) -> Outcome {
    let upstream = Upstream::start().map_err(|e| format!("upstream: {e}"))?;
    let port = upstream.address().port();
    let changes = Changes { proxy: 0, upstream: port, admin: 0, module: lane.module(), held: false };
    let config = shipped::config(changes)?;
    let mut envoy = Envoy::start(lane.binary(), &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    let script = upstream.script(response(Framing::Length, r#"{"users":[{"user_id":1}],"total":1}"#));
    client::fetch(envoy.listener("nomos")?, "GET", "/api/users", &[("x-case", &script.id())])
        .map_err(|e| e.to_string())?;
    for expected in [
        r#"nomos_unhealed_required_total{route="users",field="page"} 1"#,
        r#"nomos_unhealed_required_total{route="users",field="users[].full_name"} 1"#,
    ] {
        soon(|| envoy.admin_get("/stats/prometheus?filter=nomos_unhealed"), expected)?;
    }
    envoy.check()
}

/// Waits until a text contains another one: the module reports its metrics twice a second.
fn soon(text: impl Fn() -> Result<String, String>, expected: &str) -> Outcome {
    let mut found = String::new();
    for _ in 0..60 {
        found = text()?;
        if found.contains(expected) {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(format!("found no {expected} in\n{found}"))
}

fn response(framing: Framing, body: &str) -> Vec<Step> {
    framing::response(framing, "200 OK", &[("content-type", b"application/json")], body.as_bytes())
}
