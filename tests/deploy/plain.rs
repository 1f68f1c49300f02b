//! Plain Envoy: the blocks from the documents inside another configuration, and the order of the filters around Nomos
//! in `envoy.yaml`. The end-to-end suite runs the files in `docs/examples`.

use std::fs;
use std::io::Read;
use std::net::SocketAddr;

use drifting_upstream::{Mode, user_body};
use flate2::read::GzDecoder;
use libtest_mimic::{Failed, Trial};
use nomos_tests::client::{self, Reply};
use nomos_tests::drift::{self, Api};
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::expect::{self, Outcome};
use nomos_tests::framing::{self, Framing};
use nomos_tests::paths;
use nomos_tests::shipped::{self, Changes};
use nomos_tests::upstream::Upstream;

/// A typical Envoy configuration without Nomos. The port of the upstream is filled in.
const SOMEBODYS: &str = r#"
static_resources:
  listeners:
  - name: ingress
    address:
      socket_address: {address: 127.0.0.1, port_value: 0}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: ingress
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {prefix: /}
                route: {cluster: api}
          http_filters:
          - name: envoy.filters.http.router
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
  clusters:
  - name: api
    type: STATIC
    load_assignment:
      cluster_name: api
      endpoints:
      - lb_endpoints:
        - endpoint:
            address:
              socket_address: {address: 127.0.0.1, port_value: PORT}
admin:
  address:
    socket_address: {address: 127.0.0.1, port_value: 0}
"#;

/// The line before which filters go.
const ROUTER: &str = "          - name: envoy.filters.http.router\n";

/// Fields of the contract in the blocks.
const FIELDS: [&str; 4] = ["user_id", "full_name", "email_address", "balance"];

pub fn cases() -> Vec<Trial> {
    let case = |name: &str, body: fn() -> Outcome| Trial::test(name, move || body().map_err(Failed::from));
    vec![
        case("the block in README.md, in somebody's Envoy", || block("README.md")),
        case("the block in docs/deploy.md, in somebody's Envoy", || block("docs/deploy.md")),
        case("envoy.yaml: what the upstream packs is healed and packed again", packed),
    ]
}

/// Pastes the block of a document before the router, as a reader would.
fn block(document: &str) -> Outcome {
    let api = Api::start(0)?;
    let filters: Vec<String> = pasted(document)?.lines().map(|line| format!("          {line}\n")).collect();
    let module = format!("filename: {}", paths::module()?.display());
    let filters = filters.concat().replace("filename: target/wasm32-wasip1/release/nomos_filter.wasm", &module);
    let config =
        SOMEBODYS.replace("PORT", &api.address().port().to_string()).replace(ROUTER, &format!("{filters}{ROUTER}"));
    let mut envoy = start(&config)?;
    for mode in [Mode::Healthy, Mode::V2, Mode::Camel] {
        let reply = get(envoy.listener("ingress")?, &format!("/api/user?mode={}", mode.name()), &[])?;
        expect::reply(&reply, 200, drift::healed_in_place(mode, &FIELDS).as_bytes())
            .map_err(|why| format!("{}: {why}", mode.name()))?;
    }
    envoy.check()
}

/// Returns the first block of the document that contains a filter with its module.
fn pasted(document: &str) -> Result<String, String> {
    let text = fs::read_to_string(paths::root().join(document)).map_err(|e| format!("{document}: {e}"))?;
    let blocks =
        text.split("```yaml config\n").skip(1).filter_map(|rest| rest.split_once("```").map(|(block, _)| block));
    let mut blocks = blocks.filter(|block| block.contains("vm_config:"));
    blocks.next().map(ToOwned::to_owned).ok_or_else(|| format!("{document}: no block with a filter"))
}

fn packed() -> Outcome {
    let upstream = Upstream::start().map_err(|e| e.to_string())?;
    let headers: &[(&str, &[u8])] = &[("content-type", b"application/json")];
    let module = paths::module()?;
    let port = upstream.address().port();
    let config = shipped::config(Changes { proxy: 0, upstream: port, admin: 0, module: &module, held: false })?;
    let mut envoy = start(&config)?;
    for framing in [Framing::Gzip, Framing::GzipBytewise, Framing::Length] {
        let script = upstream.script(framing::response(framing, "200 OK", headers, user_body(Mode::V2).as_bytes()));
        let asked = [("x-case", &*script.id()), ("accept-encoding", "gzip")];
        let reply = get(envoy.listener("nomos")?, "/api/user", &asked)?;
        expect::header(&reply, "content-encoding", "gzip")?;
        let mut plain = Vec::new();
        GzDecoder::new(&*reply.body).read_to_end(&mut plain).map_err(|e| format!("gzip: {e}"))?;
        expect::body(&plain, user_body(Mode::Healthy).as_bytes())?;
        let reply = get(envoy.listener("nomos")?, "/api/user", &asked[..1])?;
        expect::header(&reply, "content-encoding", "")?;
        expect::reply(&reply, 200, user_body(Mode::Healthy).as_bytes())?;
    }
    envoy.check()
}

fn start(config: &str) -> Result<Envoy, String> {
    Envoy::start(&paths::envoy("pinned")?, config).map_err(|e| format!("{}:\n{}", e.why, envoy::tail(&e.log)))
}

fn get(to: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Result<Reply, String> {
    client::fetch(to, "GET", path, headers).map_err(|e| format!("{path}: {e}"))
}
