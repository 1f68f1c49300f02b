//! `scripts/peers` and `scripts/bench-tools`, which unpack packages. Stand-ins for apt-get and dpkg-deb need no network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::Trial;
use nomos_tests::paths;

use crate::machine::Machine;
use crate::{Outcome, check};

pub fn cases() -> Vec<Trial> {
    vec![
        Trial::test("scripts/peers: says why nginx is not unpacked, and keeps no half of it", peers_fails),
        Trial::test("scripts/peers: uses the files of another run", peers_is_second),
        Trial::test("scripts/bench-tools: leaves alone what is in its place", bench_tools_fails),
        Trial::test("scripts/bench-tools: uses the files of another run", bench_tools_is_second),
    ]
}

/// What the scripts need of the real machine.
const NEEDED: [&str; 15] = [
    "cat", "chmod", "cut", "dirname", "find", "grep", "mkdir", "mktemp", "mv", "paste", "rm", "sed", "sort", "tail",
    "touch",
];

/// Downloads two packages.
const APT_GET: &str = r#"[ "$1" != download ] || touch first.deb second.deb"#;

/// Unpacks both programs from each package.
const DPKG_DEB: &str = r#"
[ "$1" = -x ] || { echo "package 1.0"; exit; }
mkdir -p "$3/usr/bin" "$3/usr/sbin"
touch "$3/usr/bin/wrk" "$3/usr/sbin/nginx"
chmod +x "$3/usr/bin/wrk" "$3/usr/sbin/nginx""#;

/// Returns commands that create a program, as another run would at the same time.
fn program(path: &Path) -> String {
    let path = path.display();
    format!("mkdir -p \"$(dirname '{path}')\"\ntouch '{path}'\nchmod +x '{path}'")
}

fn peers_fails() -> Outcome {
    let (machine, script) = machine("peers", "fails")?;
    let peers = machine.path("tree/.tools/peers");
    for package in ["first", "second"] {
        let broken = format!("case $2 in */{package}.deb) echo 'error: no room' >&2; exit 2 ;; esac");
        machine.put("dpkg-deb", &format!("{broken}\n{DPKG_DEB}"))?;
        let said = stdout(&run(&mut machine.command(&script))?);
        check(said.starts_with("nginx - error: no room\n"), || format!("{package}: {said}"))?;
        check(names(&peers)?.is_empty(), || format!("{package}: left {:?}", names(&peers)))?;
    }
    machine.put("dpkg-deb", DPKG_DEB)?;
    peers_is_there(&machine, &script)?;
    let packages = fs::read_to_string(peers.join("nginx/packages"))?;
    check(packages.lines().count() == 2, || packages)
}

fn peers_is_second() -> Outcome {
    let (machine, script) = machine("peers", "second")?;
    let place = machine.path("tree/.tools/peers/nginx");
    machine.put("dpkg-deb", &format!("{DPKG_DEB}\n{}", program(&place.join("usr/sbin/nginx"))))?;
    peers_is_there(&machine, &script)
}

fn peers_is_there(machine: &Machine, script: &Path) -> Outcome {
    let peers = machine.path("tree/.tools/peers");
    let said = stdout(&run(&mut machine.command(script))?);
    check(said.starts_with(&format!("nginx {}/nginx\n", peers.display())), || said)?;
    check(names(&peers)? == ["nginx"], || format!("left {:?}", names(&peers)))?;
    check(!peers.join("nginx/root").exists(), || "moved into the files of another run".into())
}

fn bench_tools_fails() -> Outcome {
    let (machine, script) = machine("bench-tools", "fails")?;
    let place = machine.path("tree/.tools/bench-wrk");
    fs::create_dir_all(place.join("else"))?;
    let output = run(machine.command(&script).arg("wrk"))?;
    check(output.status.code() == Some(3), || format!("{output:?}"))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    check(said.ends_with("bench-wrk cannot be written\n"), || said)?;
    only(&place, "else")
}

fn bench_tools_is_second() -> Outcome {
    let (machine, script) = machine("bench-tools", "second")?;
    let place = machine.path("tree/.tools/bench-wrk");
    let wrapper = place.join("wrk");
    machine.put("dpkg-deb", &format!("{DPKG_DEB}\n{}", program(&wrapper)))?;
    let output = run(machine.command(&script).arg("wrk"))?;
    check(output.status.success() && stdout(&output) == format!("{}\n", wrapper.display()), || format!("{output:?}"))?;
    only(&place, "wrk")
}

/// Checks that a directory has one entry, and that there is nothing beside the directory.
fn only(directory: &Path, entry: &str) -> Outcome {
    let tools = directory.with_file_name("");
    check(names(&tools)? == ["bench-wrk"], || format!("left {:?}", names(&tools)))?;
    check(names(directory)? == [entry], || format!("left {:?}", names(directory)))
}

/// Returns a machine of Debian, and the path of a copy of the script, which writes into the machine's directory `tree`.
fn machine(script: &str, case: &str) -> Result<(Machine, PathBuf), String> {
    let machine = Machine::new(&format!("{script}-{case}"))?;
    machine.link(&NEEDED)?;
    machine.put("apt-cache", "")?;
    machine.put("apt-get", APT_GET)?;
    machine.put("dpkg-deb", DPKG_DEB)?;
    let copy = machine.path("tree/scripts").join(script);
    fs::create_dir_all(machine.path("tree/scripts"))
        .and_then(|()| fs::copy(paths::root().join("scripts").join(script), &copy))
        .map_err(|e| format!("{}: {e}", copy.display()))?;
    Ok((machine, copy))
}

fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|e| format!("{command:?}: {e}"))
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn names(directory: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}
