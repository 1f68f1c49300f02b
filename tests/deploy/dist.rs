//! The output of `make dist`. `scripts/dist --verify` shows that builds in other directories give the same.

use std::fs;
use std::process::Command;

use libtest_mimic::Trial;
use nomos_tests::paths;
use serde_json::Value;

use crate::{Outcome, check, output};

pub fn cases() -> Vec<Trial> {
    vec![Trial::test("dist: modules, images, bill of materials and checksums", written)]
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn written() -> Outcome {
    output(Command::new(paths::root().join("scripts/dist")).env("NOMOS_DIST", dist("")))?;
    let module = format!("nomos_filter-{VERSION}.wasm");
    let plain = format!("nomos_filter-{VERSION}-plain.wasm");
    check(fs::read(dist(&module))? == fs::read(paths::module()?)?, || "not the module under test".to_owned())?;
    check(fs::read(dist(&module))? != fs::read(dist(&plain))?, || "plain, and the same".to_owned())?;
    sums_hold(&[&module, &plain])?;
    for (module, tag) in [(&module, VERSION.to_owned()), (&plain, format!("{VERSION}-plain"))] {
        image_holds(module, &tag)?;
    }
    bill_is_complete(&[&module, &plain])
}

fn dist(file: &str) -> String {
    paths::root().join("target/dist").join(file).display().to_string()
}

fn sha256(bytes_of: &str) -> Result<String, String> {
    let program = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    output(Command::new("python3").args(["-c", program, bytes_of])).map(|digest| digest.trim().to_owned())
}

fn sums_hold(modules: &[&str]) -> Outcome {
    let sums = fs::read_to_string(dist("SHA256SUMS"))?;
    let mut named: Vec<&str> = Vec::new();
    for line in sums.lines() {
        let (sum, file) = line.split_once("  ").ok_or("a line without two blanks")?;
        check(sha256(&dist(file))? == sum, || format!("{file} has another sum"))?;
        named.push(file);
    }
    let images = modules.iter().map(|module| module.replace(".wasm", ".oci.tar"));
    let expected = images.chain(modules.iter().map(|module| (*module).to_owned()));
    for file in expected.chain([format!("nomos_filter-{VERSION}.cdx.json")]) {
        check(named.contains(&file.as_str()), || format!("{file} is not in SHA256SUMS"))?;
    }
    Ok(())
}

/// Follows the image from its index to the module, as clients of a registry and `docker load` do.
fn image_holds(module: &str, tag: &str) -> Outcome {
    let image = dist(&module.replace(".wasm", ".oci.tar"));
    let work = paths::root().join("target").join(format!("image-{tag}"));
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    output(Command::new("tar").arg("-xf").arg(&image).arg("-C").arg(&work))?;
    let json = |path: &str| -> Result<Value, String> {
        let text = fs::read(work.join(path)).map_err(|e| format!("{image}: {path}: {e}"))?;
        serde_json::from_slice(&text).map_err(|e| format!("{image}: {path}: {e}"))
    };
    let blob = |descriptor: &Value| -> Result<String, String> {
        let digest = descriptor["digest"].as_str().unwrap_or_default();
        let path = format!("blobs/{}", digest.replace(':', "/"));
        let file = work.join(&path).display().to_string();
        let size = fs::metadata(&file).map_err(|e| format!("{image}: {path}: {e}"))?.len();
        let holds = Some(size) == descriptor["size"].as_u64() && digest == format!("sha256:{}", sha256(&file)?);
        if holds { Ok(path) } else { Err(format!("{image}: {path} is not what its name says")) }
    };
    check(json("oci-layout")?["imageLayoutVersion"] == "1.0.0", || "no OCI layout".to_owned())?;
    let index = json("index.json")?;
    let described = &index["manifests"][0];
    let annotations = &described["annotations"];
    check(annotations["org.opencontainers.image.ref.name"] == tag, || format!("{described}"))?;
    // The name under which Docker keeps its images in containerd.
    let full = format!("docker.io/library/nomos-filter:{tag}");
    check(annotations["io.containerd.image.name"] == full, || format!("{described}"))?;
    let manifest = json(&blob(described)?)?;
    let layers = manifest["layers"].as_array().map_or(0, Vec::len);
    check(layers == 1, || format!("{layers} layers; the compat variant has one"))?;
    let (config, layer) = (blob(&manifest["config"])?, blob(&manifest["layers"][0])?);
    let files = output(Command::new("tar").arg("-tzf").arg(work.join(&layer)))?;
    check(files == "plugin.wasm\n", || format!("the layer holds {files}"))?;
    output(Command::new("tar").arg("-xzf").arg(work.join(&layer)).arg("-C").arg(&work))?;
    check(fs::read(work.join("plugin.wasm"))? == fs::read(dist(module))?, || format!("{image}: another module"))?;
    let docker = &json("manifest.json")?[0];
    let same = docker["Config"] == config && docker["Layers"][0] == layer;
    check(same && docker["RepoTags"][0] == format!("nomos-filter:{tag}"), || format!("for docker load: {docker}"))
}

fn bill_is_complete(modules: &[&str]) -> Outcome {
    let bill: Value = serde_json::from_slice(&fs::read(dist(&format!("nomos_filter-{VERSION}.cdx.json")))?)?;
    check(bill["bomFormat"] == "CycloneDX" && bill["specVersion"] == "1.6", || "not CycloneDX 1.6".to_owned())?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let files = list(&bill["metadata"]["component"]["components"]);
    check(files.len() == modules.len(), || format!("{files:?}"))?;
    for (module, file) in modules.iter().zip(files) {
        let sum = sha256(&dist(module))?;
        check(file["name"] == **module && file["hashes"][0]["content"] == sum, || format!("{file}"))?;
    }
    let lock = fs::read_to_string(paths::root().join("Cargo.lock"))?;
    let mut required = Vec::new();
    for component in list(&bill["components"]) {
        let text = |field: &str| component[field].as_str().unwrap_or_default().to_owned();
        let (name, version) = (text("name"), text("version"));
        check(component["licenses"][0]["expression"].is_string(), || format!("{name} has no licence"))?;
        // Only published components have an address to download them from.
        let published = component["hashes"].is_array();
        check(component["purl"].is_string() == published, || format!("{name}: purl {}", component["purl"]))?;
        if text("scope") == "required" {
            required.push(name.clone());
        }
        if let Some(sum) = component["hashes"][0]["content"].as_str() {
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            let locked = lock.split("[[package]]\n").any(|found| found.starts_with(&entry) && found.contains(sum));
            check(locked, || format!("{name} {version} is not in Cargo.lock with that sum"))?;
        }
    }
    // The engine and the module use no third-party crates. If that changes, the bill must list them.
    let inside = output(Command::new("cargo").current_dir(paths::root()).args([
        "tree",
        "--locked",
        "--offline",
        "-p",
        "nomos-filter",
        "--target",
        "wasm32-wasip1",
        "-e",
        "normal,no-proc-macro",
        "--prefix",
        "none",
        "--format",
        "{lib}",
    ]))?;
    for crate_name in inside.split_whitespace().filter(|name| *name != "nomos_filter") {
        let found = required.iter().any(|name| name.replace('-', "_") == crate_name);
        check(found, || format!("{crate_name} is in the module and not in the bill: {required:?}"))?;
    }
    check(required.iter().any(|name| name == "rust-std"), || "the standard library is not in the bill".to_owned())
}
