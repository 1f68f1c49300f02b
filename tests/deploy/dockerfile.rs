//! deploy/docker/Dockerfile and .dockerignore must include everything that is compiled.

use std::collections::BTreeSet;
use std::fs;

use libtest_mimic::Trial;
use nomos_tests::paths;

use crate::{Outcome, check};

pub fn cases() -> Vec<Trial> {
    vec![Trial::test("Dockerfile: copies what the workspace consists of, and that is not ignored", copies)]
}

fn copies() -> Outcome {
    let read = |file: &str| fs::read_to_string(paths::root().join(file)).map_err(|e| format!("{file}: {e}"));
    let (dockerfile, ignore, workspace) =
        (read("deploy/docker/Dockerfile")?, read(".dockerignore")?, read("Cargo.toml")?);
    let copied: BTreeSet<&str> = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .filter(|line| !line.starts_with("--"))
        .flat_map(|line| line.split_whitespace().rev().skip(1))
        .collect();
    for needed in members(&workspace) {
        check(copied.contains(needed), || format!("{needed} is in the workspace and is not copied"))?;
    }
    for source in copied {
        check(paths::root().join(source).exists(), || format!("{source} is copied and is not there"))?;
        let directory = source.split('/').next();
        let kept = ignore.lines().any(|line| line.strip_prefix('!') == directory);
        check(kept, || format!("{source} is copied and ignored by .dockerignore"))?;
    }
    Ok(())
}

/// Returns the first part of each member's path.
fn members(workspace: &str) -> BTreeSet<&str> {
    let line = workspace.lines().find(|line| line.starts_with("members = ")).unwrap_or_default();
    line.split('"').skip(1).step_by(2).filter_map(|member| member.split('/').next()).collect()
}
