//! The resources in `deploy/` against the custom resource definitions that Envoy Gateway, the Gateway API and Istio
//! publish, as `kubectl apply` checks them: kinds, fields, types, and no unknown field. CEL rules in the definitions
//! are left to Envoy Gateway and Istio.

use std::fs;

use healer::config::Config;
use libtest_mimic::Trial;
use nomos_tests::expect::{self, Outcome};
use serde_json::{Value, json};

use crate::resources::{self, Resource};
use crate::{case_if, go};

const GATEWAY: &str = "github.com/envoyproxy/gateway";
const ISTIO: &str = "istio.io/api";

pub fn cases() -> Vec<Trial> {
    let go = go::there();
    vec![
        case_if(&go, "deploy/envoy-gateway against the published definitions", || {
            let crds = go::module(GATEWAY)?.join("charts/gateway-helm/charts/crds/crds");
            let mut files = vec![crds.join("gatewayapi-crds.yaml")];
            files.extend(fs::read_dir(crds.join("generated")).map_err(|e| e.to_string())?.flatten().map(|e| e.path()));
            check("deploy/envoy-gateway", &files, "/spec/wasm/0/config")
        }),
        case_if(&go, "deploy/istio against the published definitions", || {
            let file = go::module(ISTIO)?.join("kubernetes/customresourcedefinitions.gen.yaml");
            check("deploy/istio", &[file], "/spec/pluginConfig")
        }),
    ]
}

/// Checks every resource against its definition, and the configurations of Nomos at `configuration` with the engine.
fn check(directory: &str, files: &[std::path::PathBuf], configuration: &str) -> Outcome {
    let mut definitions = Vec::new();
    for file in files {
        definitions.extend(resources::documents(file)?);
    }
    let resources = resources::of(directory)?;
    expect::that(resources.len() > 3, || format!("{directory}: found {} resources", resources.len()))?;
    let mut configured = 0;
    for resource in &resources {
        fits(resource, &definitions)?;
        refuses_strangers(resource, &definitions)?;
        if let Some(value) = resource.value.pointer(configuration) {
            Config::parse(value.to_string().as_bytes()).map_err(|why| format!("{}: {why}", resource.place))?;
            configured += 1;
        }
    }
    expect::that(configured > 0, || format!("{directory}: no configuration of Nomos at {configuration}"))
}

fn fits(resource: &Resource, definitions: &[Value]) -> Outcome {
    let schema = schema(resource, definitions)?;
    let validator = jsonschema::validator_for(&schema).map_err(|e| format!("{}: schema: {e}", resource.place))?;
    let problems: Vec<String> =
        validator.iter_errors(&resource.value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    expect::that(problems.is_empty(), || format!("{}: {}", resource.place, problems.join("; ")))
}

/// Checks that an unknown field is found, so that the check is known to work.
fn refuses_strangers(resource: &Resource, definitions: &[Value]) -> Outcome {
    let mut value = resource.value.clone();
    value["spec"]["nobodyKnowsThis"] = json!(1);
    let changed = Resource { place: resource.place.clone(), value };
    expect::that(fits(&changed, definitions).is_err(), || format!("{}: an unknown field was not found", resource.place))
}

/// Returns the schema of a resource's version, closed against unknown fields.
fn schema(resource: &Resource, definitions: &[Value]) -> Result<Value, String> {
    let (group, version) =
        resource.value["apiVersion"].as_str().and_then(|text| text.split_once('/')).unwrap_or(("", ""));
    let kind = &resource.value["kind"];
    let definition = definitions
        .iter()
        .find(|definition| definition["spec"]["group"] == group && definition["spec"]["names"]["kind"] == *kind)
        .ok_or_else(|| format!("{}: no definition of {kind} in {group}", resource.place))?;
    let versions = definition["spec"]["versions"].as_array().cloned().unwrap_or_default();
    let found = versions.into_iter().find(|found| found["name"] == version && found["served"] == true);
    let mut schema = found.ok_or_else(|| format!("{}: version {version} is not served", resource.place))?
        ["schema"]["openAPIV3Schema"]
        .take();
    // The API server knows these fields and adds more to them; definitions leave them open.
    for (field, open) in [("apiVersion", json!({})), ("kind", json!({})), ("metadata", json!({"type": "object"}))] {
        schema["properties"][field] = open;
    }
    close(&mut schema);
    Ok(schema)
}

/// Expresses in JSON Schema what Kubernetes' structural schemas imply: objects have no other fields unless the schema
/// allows them, and some values may be a number or a text.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let says = |name: &str| members.get(name) == Some(&json!(true));
            let open = says("x-kubernetes-preserve-unknown-fields") || members.contains_key("additionalProperties");
            if says("x-kubernetes-int-or-string") {
                members.remove("type");
            }
            if members.get("properties").is_some_and(Value::is_object) && members.contains_key("type") && !open {
                members.insert("additionalProperties".into(), json!(false));
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
