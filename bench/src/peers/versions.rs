//! The versions of the peers that are measured.

use std::fs;

use nomos_tests::paths;

use super::installed::Installed;

/// The packages of the distribution that are listed. Others are only their dependencies.
const PACKAGES: [&str; 4] = ["nginx", "libnginx-mod-http-js", "libnginx-mod-http-lua", "lua-cjson"];
const MODULES: [&str; 2] = ["github.com/luraproject/lura/v2", "github.com/krakend/flatmap"];
const CRATES: [&str; 3] = ["hyper", "serde_json", "tonic"];

/// Returns each name with its version.
pub fn all(installed: &Installed) -> Vec<String> {
    let read = |file: &str| fs::read_to_string(paths::root().join("bench/peers").join(file)).unwrap_or_default();
    let packages =
        installed.path("nginx").and_then(|root| fs::read_to_string(root.join("packages")).map_err(|_| String::new()));
    let packages = packages.unwrap_or_default();
    let mut versions = named(packages.lines(), &PACKAGES);
    versions.extend(named(read("krakend/go.mod").lines().map(str::trim), &MODULES));
    versions.extend(crates(&read("Cargo.lock")));
    versions
}

/// Selects lines with a name and a version by name.
fn named<'a>(lines: impl Iterator<Item = &'a str>, names: &[&str]) -> Vec<String> {
    let pairs = lines.filter_map(|line| line.split_once(' '));
    pairs.filter(|(name, _)| names.contains(name)).map(|(name, rest)| format!("{name} {}", first(rest))).collect()
}

fn crates(lock: &str) -> Vec<String> {
    let packages = lock.split("[[package]]").filter_map(|package| {
        let (_, rest) = package.split_once("name = \"")?;
        let (name, rest) = rest.split_once('"')?;
        let (version, _) = rest.split_once("version = \"")?.1.split_once('"')?;
        Some((name, version))
    });
    packages.filter(|(name, _)| CRATES.contains(name)).map(|(name, version)| format!("{name} {version}")).collect()
}

fn first(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_each_kind_of_list() {
        let lines = ["nginx 1.22.1-9", "zlib1g 1.2", "nginx-common 1.22"];
        assert_eq!(named(lines.into_iter(), &PACKAGES), ["nginx 1.22.1-9"]);
        let modules = ["github.com/krakend/flatmap v1.2.0 // indirect"];
        assert_eq!(named(modules.into_iter(), &MODULES), ["github.com/krakend/flatmap v1.2.0"]);
        let lock =
            "[[package]]\nname = \"h2\"\nversion = \"0.4.20\"\n\n[[package]]\nname = \"hyper\"\nversion = \"1.12.0\"\n";
        assert_eq!(crates(lock), ["hyper 1.12.0"]);
    }
}
