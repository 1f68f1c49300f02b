//! A running istiod, and an Envoy that is connected to it as a gateway.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nomos_tests::client;
use nomos_tests::envoy::{self, Envoy};
use nomos_tests::expect::Outcome;
use nomos_tests::paths;
use serde_json::{Value, json};

use crate::cluster;
use crate::shipped;

/// For istiod to start, and for a change to reach Envoy.
const LIMIT: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

/// Control plane and data plane.
pub struct Mesh {
    // Dropped first: Envoy logs less when its control plane is still there.
    envoy: Envoy,
    istiod: Istiod,
    proxy: SocketAddr,
}

/// The process of istiod, and its directory; both go when dropped.
struct Istiod {
    process: Child,
    home: PathBuf,
}

impl Mesh {
    /// Starts both on these resources, the shipped gateway, and an upstream.
    pub fn start(resources: &[(&str, &str)], upstream: SocketAddr) -> Result<Self, String> {
        let proxy = free_port()?;
        let xds = free_port()?;
        let istiod = Istiod::prepare()?;
        istiod.write("gateway.yaml", &shipped::gateway(proxy.port())?)?;
        istiod.write("upstream.yaml", &service_entry(upstream).to_string())?;
        for (name, text) in resources {
            istiod.write(name, text)?;
        }
        let istiod = istiod.launch(xds)?;
        let envoy = Envoy::start(&paths::envoy("pinned")?, &bootstrap(xds)?.to_string())
            .map_err(|e| format!("{}:\n{}\nistiod:\n{}", e.why, envoy::tail(&e.log), istiod.tail()))?;
        let mesh = Self { envoy, istiod, proxy };
        mesh.wait_until("a listener", || {
            Ok(client::fetch(proxy, "GET", "/api/user", &[]).is_ok_and(|r| r.status == 200))
        })?;
        Ok(mesh)
    }

    /// Where requests go.
    pub fn proxy(&self) -> SocketAddr {
        self.proxy
    }

    /// What Envoy's admin interface answers.
    pub fn admin(&self, path: &str) -> Result<String, String> {
        self.envoy.admin_get(path)
    }

    /// Changes a resource under the running istiod.
    pub fn replace(&self, name: &str, text: &str) -> Outcome {
        self.istiod.write(name, text)
    }

    /// Waits until Envoy's log says something.
    pub fn wait_for_log(&self, words: &str) -> Outcome {
        self.wait_until(words, || Ok(self.envoy.log().contains(words)))
    }

    /// Waits until something holds.
    pub fn wait_until(&self, what: &str, holds: impl Fn() -> Result<bool, String>) -> Outcome {
        let started = Instant::now();
        while started.elapsed() < LIMIT {
            if holds().unwrap_or(false) {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        let (envoy, istiod) = (envoy::tail(&self.envoy.log()), self.istiod.tail());
        Err(format!("in {} s there was not: {what}; Envoy:\n{envoy}\nistiod:\n{istiod}", LIMIT.as_secs()))
    }

    /// Fails where Envoy has died or the module has trapped.
    pub fn check(&mut self) -> Outcome {
        self.envoy.check()
    }
}

impl Istiod {
    /// A directory for its resources.
    fn prepare() -> Result<Prepared, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("nomos-istiod-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let home = std::env::temp_dir().join(name);
        fs::create_dir_all(home.join("resources")).map_err(|e| format!("{}: {e}", home.display()))?;
        Ok(Prepared { home })
    }

    fn write(&self, name: &str, text: &str) -> Outcome {
        write(&self.home, name, text)
    }

    fn tail(&self) -> String {
        envoy::tail(&fs::read_to_string(self.home.join("log")).unwrap_or_default())
    }
}

/// The directory of an istiod that has not started.
struct Prepared {
    home: PathBuf,
}

impl Prepared {
    fn write(&self, name: &str, text: &str) -> Outcome {
        write(&self.home, name, text)
    }

    /// Starts istiod on the files.
    fn launch(self, xds: SocketAddr) -> Result<Istiod, String> {
        let binary = std::env::var("NOMOS_ISTIOD").map_err(|_| "NOMOS_ISTIOD is not set; run scripts/istio")?;
        let io = |e: std::io::Error| format!("{}: {e}", self.home.display());
        let mesh = self.home.join("mesh.yaml");
        fs::write(&mesh, "{}\n").map_err(io)?;
        let kubeconfig = self.home.join("kubeconfig");
        fs::write(&kubeconfig, cluster::kubeconfig(cluster::serve()?).to_string()).map_err(io)?;
        let log = fs::File::create(self.home.join("log")).map_err(io)?;
        let process = Command::new(&binary)
            .args(["discovery", "--httpsAddr=", "--secureGRPCAddr=", "--ctrlz_port=0"])
            .arg("--kubeconfig")
            .arg(&kubeconfig)
            .arg("--configDir")
            .arg(self.home.join("resources"))
            .arg("--meshConfig")
            .arg(&mesh)
            .arg(format!("--grpcAddr={xds}"))
            .args(["--httpAddr=127.0.0.1:0", "--monitoringAddr=127.0.0.1:0"])
            .env("POD_NAMESPACE", "istio-system")
            .env("INJECT_ENABLED", "false")
            .env("ENABLE_CA_SERVER", "false")
            .env("PILOT_CERT_PROVIDER", "none")
            // Filters that only Istio's build of Envoy has.
            .env("PILOT_ENABLE_METADATA_EXCHANGE", "false")
            .env("PILOT_ENABLE_ALPN_FILTER", "false")
            .current_dir(&self.home)
            .stdout(log.try_clone().map_err(io)?)
            .stderr(log)
            .spawn()
            .map_err(|e| format!("{binary}: {e}"))?;
        Ok(Istiod { process, home: self.home })
    }
}

impl Drop for Istiod {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}

/// What a gateway's agent would write, less what needs certificates.
fn bootstrap(xds: SocketAddr) -> Result<Value, String> {
    let ads = json!({"ads": {}, "resource_api_version": "V3"});
    let mut bootstrap = json!({
        "node": {
            "id": "router~127.0.0.1~gateway.istio-system~istio-system.svc.cluster.local",
            "cluster": "gateway.istio-system",
            "metadata": {
                "NAMESPACE": "istio-system",
                "CLUSTER_ID": "Kubernetes",
                "ISTIO_VERSION": "1.31.0",
                "LABELS": {"istio": "ingressgateway"},
            },
        },
        "admin": {"address": socket(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))},
        "dynamic_resources": {
            "lds_config": ads,
            "cds_config": ads,
            "ads_config": {
                "api_type": "GRPC",
                "transport_api_version": "V3",
                "grpc_services": [{"envoy_grpc": {"cluster_name": "xds-grpc"}}],
            },
        },
        "static_resources": {"clusters": [{
            "name": "xds-grpc",
            "type": "STATIC",
            "connect_timeout": "1s",
            "load_assignment": {"cluster_name": "xds-grpc", "endpoints": [
                {"lb_endpoints": [{"endpoint": {"address": socket(xds)}}]},
            ]},
            "typed_extension_protocol_options": {"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": {"http2_protocol_options": {}},
            }},
        }]},
    });
    if let (Some(bootstrap), Value::Object(patch)) = (bootstrap.as_object_mut(), shipped::bootstrap_patch()?) {
        bootstrap.extend(patch);
    }
    Ok(bootstrap)
}

/// The upstream, which in a cluster is a Service.
fn service_entry(upstream: SocketAddr) -> Value {
    json!({
        "apiVersion": "networking.istio.io/v1",
        "kind": "ServiceEntry",
        "metadata": {"name": "upstream", "namespace": "default"},
        "spec": {
            "hosts": ["upstream.default.svc.cluster.local"],
            "location": "MESH_EXTERNAL",
            "resolution": "STATIC",
            "ports": [{"number": 9090, "name": "http", "protocol": "HTTP"}],
            "endpoints": [{"address": upstream.ip().to_string(), "ports": {"http": upstream.port()}}],
        },
    })
}

fn socket(address: SocketAddr) -> Value {
    json!({"socket_address": {"address": address.ip().to_string(), "port_value": address.port()}})
}

/// Nobody else takes it in the moment until it is used, most likely.
fn free_port() -> Result<SocketAddr, String> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr()).map_err(|e| e.to_string())
}

/// Writes a resource by a move, so that istiod, which watches, sees all of it.
fn write(home: &Path, name: &str, text: &str) -> Outcome {
    let (new, path) = (home.join(name), home.join("resources").join(name));
    fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).map_err(|e| format!("{}: {e}", path.display()))
}
