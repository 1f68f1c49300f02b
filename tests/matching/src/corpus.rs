//! The labelled corpus: one file per API, one case per resource.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// The changes of one API.
#[derive(Debug, Deserialize)]
pub struct Api {
    /// The API, and what became of it.
    pub api: String,
    /// Its resources.
    pub cases: Vec<Case>,
    /// The name of the file.
    #[serde(skip)]
    pub file: String,
}

/// A resource before and after the change.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// The name of the resource.
    pub name: String,
    /// The JSON Schema that old clients expect.
    pub contract: Value,
    /// The new response.
    pub body: Value,
    /// Fields that are elsewhere, and where they are.
    pub pairs: Vec<Pair>,
    /// Fields without counterpart.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Fields without counterpart, and members that could be mistaken for one.
    #[serde(default)]
    pub lookalikes: Vec<LookAlike>,
}

impl Case {
    fn write_paths_plainly(&mut self) {
        let pairs = self.pairs.iter_mut().flat_map(|pair| [&mut pair.expected, &mut pair.found]);
        let alike = self.lookalikes.iter_mut().flat_map(|pair| [&mut pair.expected, &mut pair.found]);
        for path in pairs.chain(alike).chain(&mut self.absent) {
            *path = plain(path);
        }
    }
}

/// Writes a path with quotes only around names that contain a dot.
pub fn plain(path: &str) -> String {
    let parts = path.split('"').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 && part.contains('.') { format!("\"{part}\"") } else { part.into() })
        .collect()
}

/// A field and its counterpart.
#[derive(Debug, Deserialize)]
pub struct Pair {
    /// The path of a leaf of the contract.
    pub expected: String,
    /// The path in the body.
    pub found: String,
    /// How the name changed.
    pub kind: String,
}

/// An absent field and a tempting member.
#[derive(Debug, Deserialize)]
pub struct LookAlike {
    /// The path of a leaf of the contract.
    pub expected: String,
    /// The path in the body.
    pub found: String,
}

/// Reads all files of the folders, in the order of their paths. The error names the file.
pub fn read(folders: &[PathBuf]) -> Result<Vec<Api>, String> {
    let mut apis = Vec::new();
    for file in files(folders)? {
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let mut api: Api = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        api.cases.iter_mut().for_each(Case::write_paths_plainly);
        api.file = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        apis.push(api);
    }
    Ok(apis)
}

fn files(folders: &[PathBuf]) -> Result<BTreeSet<PathBuf>, String> {
    let mut files = BTreeSet::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        files.extend(paths.filter(|path| path.extension() == Some(Path::new("json").as_os_str())));
    }
    Ok(files)
}
