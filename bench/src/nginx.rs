//! nginx with one worker, if it is installed. It answers locally and proxies.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nomos_tests::client;

use crate::proxy::LOCAL;
use crate::tools;

/// The time limit for the start, in which nginx only reads a file and listens.
const START_LIMIT: Duration = Duration::from_secs(10);

/// A running nginx.
pub struct Nginx {
    master: Child,
    directory: PathBuf,
    /// The address at which it listens.
    pub address: SocketAddr,
    /// The process id of the worker.
    pub worker: u32,
}

impl Nginx {
    /// Starts it in front of these upstreams. Returns `None` if it is unavailable.
    pub fn start(upstreams: &[SocketAddr]) -> Result<Option<Self>, String> {
        let Some(program) = tools::find("nginx") else { return Ok(None) };
        let directory = std::env::temp_dir().join(format!("nomos-bench-nginx-{}", std::process::id()));
        let said = |error: std::io::Error| format!("nginx: {error}");
        fs::create_dir_all(&directory).map_err(said)?;
        let address = free().map_err(said)?;
        let file = directory.join("nginx.conf");
        fs::write(&file, configuration(address, upstreams, &directory.display().to_string())).map_err(said)?;
        let log = fs::File::create(directory.join("error.log")).map_err(said)?;
        let master = Command::new(program)
            .arg("-p")
            .arg(&directory)
            .arg("-c")
            .arg(&file)
            .args(["-e", "stderr"])
            .stdin(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(said)?;
        let mut nginx = Nginx { master, directory, address, worker: 0 };
        nginx.worker = nginx.wait()?;
        Ok(Some(nginx))
    }

    /// Waits until the worker answers, and returns its process id.
    fn wait(&self) -> Result<u32, String> {
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            let children = format!("/proc/{0}/task/{0}/children", self.master.id());
            let worker = fs::read_to_string(children).unwrap_or_default();
            if let Some(worker) = worker.split_whitespace().next().and_then(|pid| pid.parse().ok())
                && client::fetch(self.address, "GET", LOCAL, &[]).is_ok_and(|reply| reply.status == 200)
            {
                return Ok(worker);
            }
            thread::sleep(Duration::from_millis(20));
        }
        let log = fs::read_to_string(self.directory.join("error.log")).unwrap_or_default();
        Err(format!("nginx did not answer within {} s:\n{log}", START_LIMIT.as_secs()))
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // A terminated master ends its worker; a killed one could not.
        if let Some(pid) = rustix::process::Pid::from_raw(self.master.id().cast_signed()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let _ = self.master.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Returns a configuration like Envoy's: no access log, and as many kept connections to upstreams as there are clients.
fn configuration(address: SocketAddr, upstreams: &[SocketAddr], directory: &str) -> String {
    let servers: Vec<String> = upstreams.iter().map(|upstream| format!("server {upstream};")).collect();
    let servers = servers.join(" ");
    format!(
        "daemon off; worker_processes 1; worker_rlimit_nofile 16384; pid {directory}/pid;
events {{ worker_connections 8192; }}
http {{
    access_log off; keepalive_requests 100000000; client_body_temp_path {directory}; proxy_temp_path {directory};
    fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
    upstream fast {{ {servers} keepalive 1024; keepalive_requests 100000000; }}
    server {{
        listen {address} backlog=4096;
        location = {LOCAL} {{ return 200 ok; }}
        location / {{ proxy_pass http://fast; proxy_http_version 1.1; proxy_set_header connection ''; }}
    }}
}}
"
    )
}

fn free() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
