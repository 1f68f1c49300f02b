//! Digests of modules that are still placeholders: the files in `deploy/` have zeros there.

use healer::config::node::Node;

use crate::proto;
use crate::warning::Warning;

/// Places in the block of an Envoy configuration that names plugin, VM and configuration.
pub const ENVOY: [&str; 1] = ["vm_config.code.remote.sha256"];

/// Places in a `WasmPlugin`, and in an entry of an `EnvoyExtensionPolicy`.
pub const RESOURCES: [&str; 3] = ["sha256", "code.image.sha256", "code.http.sha256"];

const EXPECTED: &str = "the SHA-256 of your image or module";

/// Returns a warning for each of these places that contains only zeros.
pub fn placeholders(block: &Node, places: &[&str]) -> Vec<Warning> {
    let warning = |place: &&str| {
        let node = place.split('.').try_fold(block, proto::get)?;
        let digest = node.as_str().filter(|digest| !digest.is_empty())?;
        let is_zeros = digest.bytes().all(|digit| digit == b'0');
        is_zeros.then(|| Warning::unexpected(node.offset, (*place).to_owned(), "zeros", EXPECTED))
    };
    places.iter().filter_map(warning).collect()
}
