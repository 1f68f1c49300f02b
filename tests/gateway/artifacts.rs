//! The module as a file of a web server and as an image in a registry, both on loopback.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use flate2::read::GzDecoder;
use nomos_tests::paths;
use serde_json::Value;

use crate::gateway::variable;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// Registries serve layers and configurations as bytes; what they are the manifest says.
const OCTETS: &str = "application/octet-stream";

/// What is served, until the process ends.
pub struct Artifacts {
    /// Where.
    pub address: SocketAddr,
    /// The digest of the module, in hexadecimal.
    pub module_sha256: String,
    /// The digest of the image.
    pub image_sha256: String,
}

/// A file by its path: media type and bytes.
type Files = HashMap<String, (&'static str, Vec<u8>)>;

impl Artifacts {
    /// Serves `/nomos_filter.wasm`, and the image `nomos:0.1.0` as a registry does.
    pub fn serve(module: &Path) -> Result<Self, String> {
        let wasm = fs::read(module).map_err(|e| format!("{}: {e}", module.display()))?;
        let module_sha256 = sha256(&wasm)?;
        let mut files = Files::new();
        let image_sha256 = add_image(&mut files, module)?;
        files.insert("/nomos_filter.wasm".into(), ("application/wasm", wasm));

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|e| e.to_string())?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let files = Arc::new(files);
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let files = Arc::clone(&files);
                // An error is a client that went away.
                thread::spawn(move || answer(&socket, &files));
            }
        });
        Ok(Self { address, module_sha256, image_sha256 })
    }
}

/// What `gzip` packed.
pub fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain).map_err(|e| format!("gzip: {e}"))?;
    Ok(plain)
}

/// What a program makes of its standard input.
pub fn piped(program: &str, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{program}: {e}"))?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let input = input.to_vec();
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().map_err(|e| format!("{program}: {e}"))?;
    let written = writer.join().is_ok_and(|result| result.is_ok());
    if written && output.status.success() { Ok(output.stdout) } else { Err(format!("{program} {arguments:?} failed")) }
}

/// Adds the image that `scripts/module-image` makes to what a registry answers, and returns its digest.
fn add_image(files: &mut Files, module: &Path) -> Result<String, String> {
    let layout = image_layout(module)?;
    let read = |path: &str| fs::read(layout.join(path)).map_err(|e| format!("the image: {path}: {e}"));
    let index: Value = serde_json::from_slice(&read("index.json")?).map_err(|e| format!("index.json: {e}"))?;
    let digest = digest(&index["manifests"][0])?;
    let manifest = read(&format!("blobs/sha256/{digest}"))?;
    let parts: Value = serde_json::from_slice(&manifest).map_err(|e| format!("the manifest: {e}"))?;
    for part in [&parts["config"], &parts["layers"][0]] {
        let digest = self::digest(part)?;
        files.insert(format!("/v2/nomos/blobs/sha256:{digest}"), (OCTETS, read(&format!("blobs/sha256/{digest}"))?));
    }
    files.insert("/v2/".into(), ("application/json", b"{}".to_vec()));
    for reference in ["0.1.0", &format!("sha256:{digest}")] {
        files.insert(format!("/v2/nomos/manifests/{reference}"), (MANIFEST, manifest.clone()));
    }
    Ok(digest)
}

/// The directory of the unpacked image.
fn image_layout(module: &Path) -> Result<PathBuf, String> {
    let directory = PathBuf::from(variable("NOMOS_GATEWAY_HOME")?).join("image");
    fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let (module, tar) = (module.display().to_string(), directory.join("image.tar").display().to_string());
    let script = paths::root().join("scripts/module-image").display().to_string();
    piped(&script, &[&module, "nomos:0.1.0", &tar], b"")?;
    piped("tar", &["--extract", "--file", &tar, "--directory", &directory.display().to_string()], b"")?;
    Ok(directory)
}

/// That of a descriptor, in hexadecimal.
fn digest(descriptor: &Value) -> Result<String, String> {
    let digest = descriptor["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:"));
    digest.map(ToOwned::to_owned).ok_or_else(|| format!("found {descriptor}; expected a descriptor with a SHA-256"))
}

fn sha256(bytes: &[u8]) -> Result<String, String> {
    let line = piped("sha256sum", &[], bytes)?;
    Ok(String::from_utf8_lossy(&line).split_whitespace().next().unwrap_or_default().to_owned())
}

/// Answers one request and closes.
fn answer(socket: &TcpStream, files: &Files) -> std::io::Result<()> {
    let mut lines = BufReader::new(socket).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let mut words = request.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, (media_type, body)) = match files.get(path) {
        Some((media_type, body)) => ("200 OK", (*media_type, body.as_slice())),
        None => ("404 Not Found", ("text/plain", &b"no such file\n"[..])),
    };
    let mut out = socket;
    let length = body.len();
    write!(
        out,
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )?;
    if method == "HEAD" { Ok(()) } else { out.write_all(body) }
}
