//! docker-compose.yml, as Docker Compose reads it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use nomos_tests::paths;
use serde_json::Value;

use crate::{Outcome, case_if, check, go, output};

/// The services of the demo, and those that a profile adds.
const SERVICES: [(&str, &str); 8] = [
    ("client", ""),
    ("envoy", ""),
    ("grafana", ""),
    ("nighthawk", "load"),
    ("prometheus", ""),
    ("upstream", ""),
    ("wrk", "load"),
    ("xdp", "xdp"),
];

pub fn cases() -> Vec<Trial> {
    let go = go::there();
    vec![
        case_if(&go, "docker-compose.yml: accepted, and what it refers to is there", refers),
        case_if(&go, "docker-compose.yml: services, profiles, ports and images", services),
        case_if(&go, "docker-compose.yml: nothing has more privileges than it needs", confined),
        Trial::test("docker-compose.yml: each setting is in docs/deploy.md", documented),
        case_if(&go, "docker-compose.yml: what is wrong with it would be found", mistakes),
        Trial::test("deploy/compose/envoy.yaml: envoy.yaml with other addresses", same_envoy),
        Trial::test("deploy/compose/envoy.yaml: accepted by Envoy", accepted_by_envoy),
    ]
}

fn config(file: &Path) -> Result<Value, String> {
    let text = output(Command::new(paths::root().join("scripts/compose-config")).arg(file))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
}

fn shipped() -> Result<Value, String> {
    config(&paths::root().join("docker-compose.yml"))
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn refers() -> Outcome {
    check_references(&shipped()?).map_err(Into::into)
}

/// Checks that what services refer to exists. The loader checks only one service at a time.
fn check_references(config: &Value) -> Result<(), String> {
    let has = |kind: &str, name: &str| members(&config[kind]).any(|(known, _)| known == name);
    for (name, service) in members(&config["services"]) {
        for (needed, _) in members(&service["depends_on"]) {
            if !has("services", needed) {
                return Err(format!("{name} depends on {needed}, which is no service"));
            }
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let source = volume["source"].as_str().unwrap_or_default();
            let there = match volume["type"].as_str() {
                Some("bind") => Path::new(source).exists(),
                _ => has("volumes", source),
            };
            if !there {
                return Err(format!("{name} mounts {source}, which is not there"));
            }
        }
        if let Some(file) = service["build"]["dockerfile"].as_str() {
            let stage = format!(" AS {}\n", service["build"]["target"].as_str().unwrap_or_default());
            let text = fs::read_to_string(paths::root().join(file)).map_err(|e| format!("{file}: {e}"))?;
            if !text.contains(&stage) {
                return Err(format!("{name} is built from {file}, which has no stage{stage}"));
            }
        }
    }
    Ok(())
}

fn services() -> Outcome {
    let config = shipped()?;
    let found: Vec<(&str, String)> = members(&config["services"])
        .map(|(name, service)| (name.as_str(), texts(&service["profiles"]).join(" ")))
        .collect();
    let expected = SERVICES.map(|(name, profile)| (name, profile.to_owned()));
    check(found == expected, || format!("found {found:?}"))?;
    let ports =
        [("upstream", "9090"), ("envoy", "8080"), ("envoy", "9901"), ("prometheus", "9091"), ("grafana", "3000")];
    for (name, port) in ports {
        let published = config["services"][name]["ports"].as_array().into_iter().flatten();
        let mut here = published.filter(|entry| entry["published"] == port && entry["host_ip"] == "127.0.0.1");
        check(here.next().is_some(), || format!("{name} has no port {port} on loopback"))?;
    }
    let version = fs::read_to_string(paths::root().join(".envoy-version"))?;
    let envoy = &config["services"]["envoy"]["build"]["args"]["ENVOY_IMAGE"];
    check(envoy == &format!("envoyproxy/envoy:v{}", version.trim()), || format!("{envoy} is not the pinned Envoy"))?;
    for (name, service) in members(&config["services"]) {
        let built = service["build"].is_object();
        let image = service["image"].as_str().unwrap_or_default();
        let pinned = image.rsplit_once(':').is_some_and(|(_, tag)| tag != "latest");
        check(built || pinned, || format!("{name}: {image} is not pinned"))?;
        let long_running = texts(&service["profiles"]) != ["load"] && name != "client";
        let checked = service["healthcheck"]["test"].is_array();
        check(checked || !long_running, || format!("{name} has no health check"))?;
    }
    Ok(())
}

fn confined() -> Outcome {
    let config = shipped()?;
    for (name, service) in members(&config["services"]) {
        check(texts(&service["cap_drop"]) == ["ALL"], || format!("{name} keeps capabilities"))?;
        if name == "xdp" {
            check(service["network_mode"] == "host", || "xdp counts in no network but the host's".to_owned())?;
            continue;
        }
        let options = texts(&service["security_opt"]);
        check(options == ["no-new-privileges:true"], || format!("{name} may gain privileges"))?;
        check(service["privileged"].is_null(), || format!("{name} is privileged"))?;
    }
    Ok(())
}

fn documented() -> Outcome {
    let read = |file: &str| fs::read_to_string(paths::root().join(file));
    let (file, document) = (read("docker-compose.yml")?, read("docs/deploy.md")?);
    let settings: BTreeSet<&str> = file.split("${").skip(1).filter_map(|rest| rest.split(':').next()).collect();
    check(settings.len() > 10, || format!("found only {settings:?}"))?;
    for setting in settings {
        check(document.contains(&format!("`{setting}`")), || format!("{setting} is not told of"))?;
    }
    for (service, _) in SERVICES {
        check(document.contains(&format!("`{service}`")), || format!("the service {service} is not told of"))?;
    }
    Ok(())
}

/// Each row is a mistake that somebody could make in the file.
fn mistakes() -> Outcome {
    let rows = [
        ("    healthcheck:", "    healthchek:", "healthchek"),
        ("condition: service_healthy", "condition: sometimes", "condition"),
        ("retries: 30", "retries: many", "retries"),
        ("depends_on: {upstream:", "depends_on: {upstraem:", "upstraem"),
        ("- prometheus:/prometheus", "- metrics:/prometheus", "metrics"),
        ("./deploy/compose/envoy.yaml:", "./deploy/compose/envoi.yaml:", "envoi.yaml"),
        ("target: wrk", "target: work", "work"),
        ("${NOMOS_BIND:-127.0.0.1}:", "${NOMOS_BIND:-127.0.0.1:", "interpolation"),
    ];
    let text = fs::read_to_string(paths::root().join("docker-compose.yml"))?;
    let file = Broken(paths::root().join(format!(".docker-compose-{}.yml", std::process::id())));
    for (from, to, expected) in rows {
        check(text.contains(from), || format!("`{from}` does not stand in docker-compose.yml"))?;
        fs::write(&file.0, text.replace(from, to))?;
        let error = config(&file.0).and_then(|config| check_references(&config)).err();
        let told = error.as_ref().is_some_and(|error| error.contains(expected));
        check(told, || format!("with `{to}`: {error:?}"))?;
    }
    Ok(())
}

/// A broken copy beside the real file, because its paths are relative. It is removed when dropped.
struct Broken(PathBuf);

impl Drop for Broken {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The texts that are in both files once each, and differ.
const DIFFERENCES: [(&str, &str); 5] = [
    ("{address: 127.0.0.1, port_value: 8080}", "{address: 0.0.0.0, port_value: 8080}"),
    ("{address: 127.0.0.1, port_value: 9901}", "{address: 0.0.0.0, port_value: 9901}"),
    ("{address: 127.0.0.1, port_value: 9090}", "{address: upstream, port_value: 9090}"),
    ("type: STATIC\n", "type: STRICT_DNS\n"),
    ("target/wasm32-wasip1/release/nomos_filter.wasm", "/etc/nomos/nomos_filter.wasm"),
];

fn same_envoy() -> Outcome {
    let read = |file: &str| fs::read_to_string(paths::root().join(file)).map(|text| body(&text).to_owned());
    let mut expected = read("envoy.yaml")?;
    for (from, to) in DIFFERENCES {
        check(expected.matches(from).count() == 1, || format!("`{from}` does not stand in envoy.yaml once"))?;
        expected = expected.replace(from, to);
    }
    let found = read("deploy/compose/envoy.yaml")?;
    let line = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    check(found == expected, || format!("they differ in more than addresses, first (found, expected): {line:?}"))
}

/// Returns the text without the comment at the top.
fn body(text: &str) -> &str {
    text.find("static_resources:").and_then(|at| text.get(at..)).unwrap_or_default()
}

fn accepted_by_envoy() -> Outcome {
    let text = fs::read_to_string(paths::root().join("deploy/compose/envoy.yaml"))?;
    let module = paths::module()?;
    let text = text.replace("/etc/nomos/nomos_filter.wasm", &module.display().to_string());
    let mut envoy = Command::new(paths::envoy("pinned")?);
    output(envoy.args(["--mode", "validate", "--log-level", "error", "--config-yaml", &text]))?;
    Ok(())
}
