//! Result files: everything that was measured in a run, with what it was measured on.

use std::fs;
use std::path::PathBuf;

use nomos_tests::paths;
use serde::Serialize;

use crate::engine::Row;
use crate::machine::Machine;
use crate::overhead::Overhead;
use crate::similarity::Similarity;

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// `all` or `quick`.
    pub run: String,
    /// What it ran on.
    pub machine: Machine,
    /// The engine natively.
    pub native: Vec<Row>,
    /// The engine inside Envoy's V8.
    pub in_envoy: Vec<Row>,
    /// The whole proxy.
    pub overhead: Option<Overhead>,
    /// What similarity costs.
    pub similarity: Option<Similarity>,
}

impl Results {
    /// Writes `bench/results/DATE-RUN.json`, and says where that is in the repository.
    pub fn write(&self) -> Result<String, String> {
        write(&self.machine, &self.run, self)
    }
}

/// The same for what a run of one subject measured.
pub fn write(machine: &Machine, run: &str, measured: &impl Serialize) -> Result<String, String> {
    let file = PathBuf::from(format!("bench/results/{}-{run}.json", machine.date));
    let path = paths::root().join(&file);
    let text = serde_json::to_string(measured).map_err(|error| error.to_string())?;
    fs::write(&path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(file.display().to_string())
}
