//! The Kubernetes resources in `deploy/`.

use std::fs;
use std::path::Path;

use nomos_tests::paths;
use serde_json::Value;

/// A resource, and its place.
pub struct Resource {
    /// The file and the kind.
    pub place: String,
    /// The whole resource.
    pub value: Value,
}

/// Returns all resources in the files of a directory of the repository.
pub fn of(directory: &str) -> Result<Vec<Resource>, String> {
    let mut resources = Vec::new();
    for entry in fs::read_dir(paths::root().join(directory)).map_err(|e| format!("{directory}: {e}"))?.flatten() {
        let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
        for value in documents(&entry.path())? {
            resources.push(Resource { place: format!("{name}: {}", value["kind"]), value });
        }
    }
    Ok(resources)
}

/// Returns the documents of a YAML file.
pub fn documents(path: &Path) -> Result<Vec<Value>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_saphyr::from_multiple(&text).map_err(|e| format!("{}: {e}", path.display()))
}
