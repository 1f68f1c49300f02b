//! The files of `deploy/envoy-gateway`, with what a cluster would have around them.

use std::fs;
use std::net::SocketAddr;

use nomos_tests::paths;
use serde_json::json;

use crate::artifacts::{self, Artifacts};

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Files of resources, by name.
pub struct Shipped<'a> {
    artifacts: &'a Artifacts,
    api: SocketAddr,
    /// What Envoy Gateway is given so far.
    pub files: Vec<(String, String)>,
}

impl<'a> Shipped<'a> {
    /// No files yet.
    pub fn new(artifacts: &'a Artifacts, api: SocketAddr) -> Self {
        Self { artifacts, api, files: Vec::new() }
    }

    /// The gateway, and a policy with the module from here and with further changes.
    pub fn policy(mut self, name: &str, changes: &[(&str, &str)]) -> Result<Self, String> {
        let (address, module, image) =
            (self.artifacts.address.to_string(), &self.artifacts.module_sha256, &self.artifacts.image_sha256);
        let digest = if name.contains("image") { image } else { module };
        let host = if name.contains("image") { "registry.example.org" } else { "files.example.org" };
        let places = [(host, address.as_str()), (ZEROS, digest)];
        let policy = changed(name, &[&places[..], changes].concat())?;
        self.files.push((name.to_owned(), policy));
        self.files.push(("gateway.yaml".to_owned(), gateway()?));
        self.files.push(("cluster.yaml".to_owned(), self.cluster()?));
        Ok(self)
    }

    /// Another file, as it is.
    pub fn file(mut self, name: &str) -> Result<Self, String> {
        self.files.push((name.to_owned(), changed(name, &[])?));
        Ok(self)
    }

    /// The same with a change in one of the files.
    pub fn with(mut self, name: &str, from: &str, to: &str) -> Result<Self, String> {
        let file = self.files.iter_mut().find(|file| file.0 == name).ok_or_else(|| format!("no file {name}"))?;
        file.1 = replaced(name, &file.1, from, to)?;
        Ok(self)
    }

    /// The backend on this machine, and the client certificate of Envoy that an installation keeps in a secret.
    fn cluster(&self) -> Result<String, String> {
        let certificate = |file: &str| -> Result<String, String> {
            let bytes = fs::read(format!("/certs/{file}")).map_err(|e| format!("/certs/{file}: {e}"))?;
            Ok(String::from_utf8_lossy(&artifacts::piped("base64", &["--wrap=0"], &bytes)?).into_owned())
        };
        let backend = json!({
            "apiVersion": "gateway.envoyproxy.io/v1alpha1",
            "kind": "Backend",
            "metadata": {"name": "upstream", "namespace": "default"},
            "spec": {"endpoints": [{"ip": {"address": self.api.ip().to_string(), "port": self.api.port()}}]},
        });
        let secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "envoy", "namespace": "envoy-gateway-system"},
            "type": "kubernetes.io/tls",
            "data": {
                "ca.crt": certificate("ca.crt")?,
                "tls.crt": certificate("tls.crt")?,
                "tls.key": certificate("tls.key")?,
            },
        });
        Ok(format!("{backend}\n---\n{secret}\n"))
    }
}

/// Standalone, Envoy Gateway knows no Services, and is told which Envoy to run.
fn gateway() -> Result<String, String> {
    let version = fs::read_to_string(paths::root().join(".envoy-version")).map_err(|e| e.to_string())?;
    let host =
        format!("spec:\n  provider: {{type: Host, host: {{envoyVersion: {}}}}}\n  # Responses go", version.trim());
    changed(
        "gateway.yaml",
        &[
            (
                "    - name: upstream\n      port: 9090\n",
                "    - {group: gateway.envoyproxy.io, kind: Backend, name: upstream}\n",
            ),
            ("spec:\n  # Responses go", &host),
        ],
    )
}

/// A shipped file with changes. Fails where a text that is to be replaced does not stand in it exactly once.
fn changed(name: &str, changes: &[(&str, &str)]) -> Result<String, String> {
    let path = paths::root().join("deploy/envoy-gateway").join(name);
    let mut text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    for (from, to) in changes {
        text = replaced(name, &text, from, to)?;
    }
    Ok(text)
}

fn replaced(name: &str, text: &str, from: &str, to: &str) -> Result<String, String> {
    nomos_tests::expect::equal(&format!("{name}: `{from}`"), text.matches(from).count(), 1)?;
    Ok(text.replace(from, to))
}
