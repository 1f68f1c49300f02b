//! All peers, running in front of one upstream.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use nomos_tests::envoy::Envoy;
use nomos_tests::paths;
use serde::Serialize;
use serde_json::Value;

use super::envoy::{self, Listener, Setup};
use super::installed::Installed;
use super::server::{self, Server, render};
use super::side::{Host, Side};

/// The place at which a side answers.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The address at which it listens.
    pub address: SocketAddr,
    /// The prefix of its paths.
    pub prefix: &'static str,
}

/// A running side.
pub struct Running {
    /// The side.
    pub side: &'static Side,
    /// Its place.
    pub place: Place,
    /// The ids of all processes that work for it.
    pub pids: Vec<u32>,
}

/// A side that is not running.
#[derive(Clone, Debug, Serialize)]
pub struct Absent {
    /// The name of the side.
    pub name: &'static str,
    /// The reason.
    pub why: String,
}

/// Everything that runs. It ends when dropped.
pub struct Stand {
    /// The running sides, in the order of [`super::side::SIDES`].
    pub running: Vec<Running>,
    /// The sides that could not be started.
    pub absent: Vec<Absent>,
    envoy: Option<Envoy>,
    servers: Vec<Server>,
}

impl Stand {
    /// Starts these hosts, with Envoy's buffers limited to `buffers` bytes.
    pub fn start(installed: &Installed, upstream: SocketAddr, hosts: &[Host], buffers: Option<u32>) -> Self {
        let mut stand = Stand { running: Vec::new(), absent: Vec::new(), envoy: None, servers: Vec::new() };
        for host in hosts {
            let started = match host {
                Host::Envoy => stand.envoy(installed, upstream, buffers),
                Host::NginxNjs => stand.nginx(installed, upstream, Host::NginxNjs, "nginx-njs"),
                Host::NginxLua => stand.nginx(installed, upstream, Host::NginxLua, "nginx-lua"),
                Host::Krakend => stand.krakend(installed, upstream),
                Host::Rust => stand.rust(installed, upstream),
            };
            if let Err(why) = started {
                stand.absent.extend(host.sides().map(|side| Absent { name: side.name, why: why.clone() }));
            }
        }
        stand
    }

    /// Removes a side.
    pub fn give_up(&mut self, name: &'static str, why: String) {
        self.running.retain(|running| running.side.name != name);
        self.absent.push(Absent { name, why });
    }

    /// Fails if Envoy has died or a module in it has trapped.
    pub fn check(&mut self) -> Result<(), String> {
        self.envoy.as_mut().map_or(Ok(()), Envoy::check)
    }

    fn envoy(&mut self, installed: &Installed, upstream: SocketAddr, buffers: Option<u32>) -> Result<(), String> {
        let mut listeners: Vec<Listener> = vec![
            ("envoy", None),
            ("nomos-rules", Some(envoy::nomos("nomos-rules", &text("envoy-nomos/rules.json")?, buffers)?)),
            ("nomos-contract", Some(envoy::nomos("nomos-contract", &text("envoy-nomos/contract.json")?, buffers)?)),
            ("envoy-transform", Some(json("envoy-transform/filter.json", &[])?)),
        ];
        let (mut files, mut clusters, mut processor) = (Vec::new(), Vec::new(), None);
        match installed.path("nginx") {
            Ok(root) => {
                files.push(("heal.lua", render(&text("envoy-lua/heal.lua")?, &libraries(&root.to_string_lossy()))));
                listeners.push(("envoy-lua", Some(json("envoy-lua/filter.json", &[])?)));
            }
            Err(why) => self.absent.push(Absent { name: "envoy-lua", why: format!("no cjson: {why}") }),
        }
        match processor_of(installed) {
            Ok((server, socket)) => {
                clusters.push(json("envoy-ext-proc/cluster.json", &[("socket", &socket.to_string_lossy())])?);
                listeners.push(("envoy-ext-proc", Some(json("envoy-ext-proc/filter.json", &[])?)));
                processor = Some(server);
            }
            Err(why) => self.absent.push(Absent { name: "envoy-ext-proc", why }),
        }
        let names: Vec<&str> = listeners.iter().map(|(name, _)| *name).collect();
        let envoy = envoy::start(&Setup { upstream, listeners, clusters, buffers, files })?;
        let pid: u32 = envoy.pid().parse().map_err(|_| "Envoy's process id is not known".to_owned())?;
        for side in Host::Envoy.sides().filter(|side| names.contains(&side.name)) {
            let mut pids = vec![pid];
            if side.name == "envoy-ext-proc" {
                pids.extend(processor.iter().flat_map(Server::pids));
            }
            self.running.push(Running { side, place: Place { address: envoy.listener(side.name)?, prefix: "" }, pids });
        }
        self.servers.extend(processor);
        self.envoy = Some(envoy);
        Ok(())
    }

    fn nginx(&mut self, installed: &Installed, upstream: SocketAddr, host: Host, folder: &str) -> Result<(), String> {
        let root = installed.path("nginx")?;
        let root_text = root.to_string_lossy();
        let dir = server::directory().map_err(said)?;
        let (plain, heal) = (server::free_address().map_err(said)?, server::free_address().map_err(said)?);
        let mut values = libraries(&root_text).to_vec();
        let (dir_text, here) = (dir.display().to_string(), folder_of(folder).display().to_string());
        let (upstream, plain_port, heal_port) =
            (upstream.to_string(), plain.port().to_string(), heal.port().to_string());
        let modules = root.join("usr/lib/nginx/modules").display().to_string();
        values.extend([("dir", dir_text.as_str()), ("here", &here), ("modules", &modules)]);
        values.extend([("upstream", upstream.as_str()), ("plain_port", &plain_port), ("heal_port", &heal_port)]);
        let config = dir.join("nginx.conf");
        fs::write(&config, render(&text(&format!("{folder}/nginx.conf"))?, &values)).map_err(said)?;
        let triple = triple();
        let shared = format!("{root_text}/usr/lib/{triple}:{root_text}/lib/{triple}");
        let arguments = ["-e".to_owned(), "stderr".to_owned(), "-c".to_owned(), config.display().to_string()];
        let program = root.join("usr/sbin/nginx");
        let mut server = Server::start(dir, &program, &arguments, &[("LD_LIBRARY_PATH", shared)]).map_err(said)?;
        server.await_port(heal)?;
        let pids = server.pids();
        for side in host.sides() {
            let address = if side.heals() { heal } else { plain };
            self.running.push(Running { side, place: Place { address, prefix: "" }, pids: pids.clone() });
        }
        self.servers.push(server);
        Ok(())
    }

    fn krakend(&mut self, installed: &Installed, upstream: SocketAddr) -> Result<(), String> {
        let program = installed.path("krakend")?;
        let dir = server::directory().map_err(said)?;
        let address = server::free_address().map_err(said)?;
        let config = dir.join("krakend.json");
        let values = [("upstream", upstream.to_string()), ("port", address.port().to_string())];
        let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
        fs::write(&config, render(&text("krakend/krakend.json")?, &values)).map_err(said)?;
        // One core, and a garbage collector that runs a quarter as often as by default.
        let variables = [("GOMAXPROCS", "1".to_owned()), ("GOGC", "400".to_owned())];
        let mut server = Server::start(dir, &program, &[config.display().to_string()], &variables).map_err(said)?;
        server.await_port(address)?;
        for side in Host::Krakend.sides() {
            let prefix = match side.name {
                "krakend-mapping" => "/mapping",
                "krakend-flatmap" => "/flatmap",
                _ => "/plain",
            };
            self.running.push(Running { side, place: Place { address, prefix }, pids: server.pids() });
        }
        self.servers.push(server);
        Ok(())
    }

    fn rust(&mut self, installed: &Installed, upstream: SocketAddr) -> Result<(), String> {
        let program = installed.path("rust-proxy")?;
        let sides: Vec<&'static Side> = Host::Rust.sides().collect();
        let addresses = sides.iter().map(|_| server::free_address()).collect::<Result<Vec<_>, _>>().map_err(said)?;
        let arguments: Vec<String> = [upstream].iter().chain(&addresses).map(ToString::to_string).collect();
        let dir = server::directory().map_err(said)?;
        let mut server = Server::start(dir, &program, &arguments, &[]).map_err(said)?;
        for (side, address) in sides.into_iter().zip(addresses) {
            server.await_port(address)?;
            self.running.push(Running { side, place: Place { address, prefix: "" }, pids: server.pids() });
        }
        self.servers.push(server);
        Ok(())
    }
}

/// Starts the external processor, and returns it with its socket.
fn processor_of(installed: &Installed) -> Result<(Server, PathBuf), String> {
    let program = installed.path("ext-proc")?;
    let dir = server::directory().map_err(said)?;
    let socket = dir.join("socket");
    let mut server = Server::start(dir, &program, &[socket.display().to_string()], &[]).map_err(said)?;
    server.await_file(&socket)?;
    Ok((server, socket))
}

/// Returns the placeholders for the paths of unpacked Lua libraries.
fn libraries(root: &str) -> [(&'static str, &str); 2] {
    [("root", root), ("triple", triple())]
}

/// Returns Debian's name of this architecture in paths.
fn triple() -> &'static str {
    if cfg!(target_arch = "aarch64") { "aarch64-linux-gnu" } else { "x86_64-linux-gnu" }
}

fn folder_of(name: &str) -> PathBuf {
    paths::root().join("bench/peers").join(name)
}

fn text(file: &str) -> Result<String, String> {
    let path = folder_of(file);
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", Path::new(file).display()))
}

fn json(file: &str, values: &[(&str, &str)]) -> Result<Value, String> {
    serde_json::from_str(&render(&text(file)?, values)).map_err(|error| format!("{file}: {error}"))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
