//! The shipped `envoy.yaml` in front of the drifting API: every mode must be healed.

use std::sync::Arc;

use drifting_upstream::{Mode, contract, user_body, users_body};
use libtest_mimic::Trial;
use nomos_tests::client::{self, Reply};
use nomos_tests::drift::{self, Api};
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::json;
use nomos_tests::shipped::{self, Changes};
use serde_json::Value;

use crate::expect;
use crate::rig::{Lane, Outcome};

/// How often the same request must give the same bytes.
const RUNS: usize = 10;

/// The number of users in a list.
const USERS: u64 = 5;

pub fn cases(lane: &Arc<Lane>) -> Vec<Trial> {
    vec![
        lane.alone("envoy.yaml as shipped: nine modes", |lane| with_shipped(lane, false, as_shipped)),
        lane.alone("envoy.yaml with held headers: nine modes", |lane| with_shipped(lane, true, with_held)),
        lane.alone("envoy.yaml with similarity for packs: nine modes", by_similarity),
    ]
}

fn with_shipped(lane: &Lane, held: bool, check: impl Fn(&Envoy) -> Outcome) -> Outcome {
    let api = Api::start(0)?;
    let config =
        shipped::config(Changes { proxy: 0, upstream: api.address().port(), admin: 0, module: lane.module(), held })?;
    let mut envoy = Envoy::start(lane.binary(), &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    check(&envoy)?;
    envoy.check()
}

/// Without rules, only with contract and similarity. In the mode `deep` four fields stay unhealed (docs/similarity.md).
fn by_similarity(lane: &Lane) -> Outcome {
    let api = Api::start(0)?;
    let changes = Changes { proxy: 0, upstream: api.address().port(), admin: 0, module: lane.module(), held: false };
    let config = shipped::config(changes)?.replace("packs: [all]", "similarity: {profile: default}");
    let mut envoy = Envoy::start(lane.binary(), &config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))?;
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Deep) {
        let check = || -> Outcome {
            let first = get(&envoy, "/api/user", mode)?;
            healthy(mode, &first)?;
            for _ in 1..RUNS {
                expect::reply(&get(&envoy, "/api/user", mode)?, 200, &first.body)?;
            }
            list(&get(&envoy, "/api/users", mode)?)
        };
        check().map_err(|why| format!("{}: {why}", mode.name()))?;
    }
    envoy.check()
}

fn as_shipped(envoy: &Envoy) -> Outcome {
    for mode in Mode::ALL {
        let check = || -> Outcome {
            let first = get(envoy, "/api/user", mode)?;
            healthy(mode, &first)?;
            for _ in 1..RUNS {
                expect::reply(&get(envoy, "/api/user", mode)?, 200, &first.body)?;
            }
            list(&get(envoy, "/api/users", mode)?)
        };
        check().map_err(|why| format!("{}: {why}", mode.name()))?;
    }
    contracts(envoy)?;
    tagged_metrics(envoy)
}

fn with_held(envoy: &Envoy) -> Outcome {
    for mode in Mode::ALL {
        let ops = mode.drifted_fields() as u64;
        let verdict = if ops == 0 { "clean" } else { "healed" };
        let check = |path: &str, ops: u64| -> Outcome {
            let reply = get(envoy, path, mode)?;
            expect::header(&reply, "x-nomos-verdict", verdict)?;
            expect::header(&reply, "x-nomos-ops", &ops.to_string())
        };
        check("/api/user", ops).map_err(|why| format!("{}: {why}", mode.name()))?;
        check("/api/users", ops * USERS).map_err(|why| format!("{}, list: {why}", mode.name()))?;
    }
    Ok(())
}

fn get(envoy: &Envoy, path: &str, mode: Mode) -> Result<Reply, String> {
    let path = format!("{path}?mode={}&count={USERS}", mode.name());
    client::fetch(envoy.listener("nomos")?, "GET", &path, &[]).map_err(|e| format!("{path}: {e}"))
}

fn healthy(mode: Mode, reply: &Reply) -> Outcome {
    let text = || reply.body.escape_ascii().to_string();
    expect::equal("fields restored", drift::restored(mode, &reply.body), mode.drifted_fields())?;
    expect::that(drift::is_healthy(&reply.body), || {
        format!("found {}\nexpected the members of the healthy user", text())
    })?;
    let in_place = drifting_upstream::drift(mode).iter().all(|(_, path)| !path.contains('.'));
    // A rename does not change the place of a member.
    if in_place { expect::body(&reply.body, user_body(Mode::Healthy).as_bytes()) } else { Ok(()) }
}

fn list(reply: &Reply) -> Outcome {
    let parse = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).map_err(|e| format!("list: {e}"));
    let expected = users_body(Mode::Healthy, usize::try_from(USERS).unwrap_or_default());
    expect::equal("list", parse(&reply.body)?, parse(expected.as_bytes())?)
}

/// `envoy.yaml` contains copies of the contracts, which must equal those of the upstream.
fn contracts(envoy: &Envoy) -> Outcome {
    let dump: Value =
        serde_json::from_str(&envoy.admin_get("/config_dump")?).map_err(|e| format!("/config_dump: {e}"))?;
    let found = json::members(&dump, "contract");
    let expected = [contract::user(), contract::users()];
    expect::that(expected.iter().all(|contract| found.contains(&contract)), || {
        format!(
            "envoy.yaml: the contracts differ from those of the upstream, which are {} and {}",
            expected[0], expected[1]
        )
    })
}

/// Metrics that these responses count, each with some of its labels.
const LABELLED: [(&str, &[&str]); 3] = [
    ("nomos_responses_total", &["verdict=\"healed\"", "reason=\"none\"", "route=\"user\""]),
    ("nomos_ops_total", &["kind=\"rename\""]),
    ("nomos_ops_total", &["kind=\"move\""]),
];

/// The shipped `stats_tags` must turn parts of names into labels.
fn tagged_metrics(envoy: &Envoy) -> Outcome {
    let mut text = String::new();
    // The module reports metrics twice a second.
    for _ in 0..50 {
        text = envoy.admin_get("/stats/prometheus?filter=nomos")?;
        let is_there = |(name, labels): &(&str, &[&str])| {
            let mut series = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
            series.any(|series| labels.iter().all(|label| series.contains(label)))
        };
        if LABELLED.iter().all(is_there) {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    Err(format!("/stats/prometheus: not all of {LABELLED:?} in\n{text}"))
}
