//! Contracts as the engine reads them.

use healer::config::contract;
use healer::config::cursor::{Cursor, Problems};
use healer::config::json;
use healer::plan::spec::Contract;
use serde_json::Value;

/// Reads a schema. The error is its first problem.
pub fn contract(schema: &Value) -> Result<Contract, String> {
    let node = json::read(schema.to_string().as_bytes()).map_err(|error| error.to_string())?;
    let mut problems = Problems::new();
    let contract = contract::read(&Cursor::root(&node), &mut problems);
    contract.ok_or_else(|| problems.first().map(ToString::to_string).unwrap_or_default())
}
