//! Runs the drifting API until it is told to stop.

use drifting_upstream::{Args, USAGE, server};
use std::{io::Write, process::ExitCode};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

/// The exit code for an invalid command line.
const BAD_USAGE: u8 = 2;

#[tokio::main]
async fn main() -> ExitCode {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(args) if args.help => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Ok(args) => args,
        Err(error) => {
            eprintln!("drifting-upstream: {error}");
            return ExitCode::from(BAD_USAGE);
        }
    };
    match run(args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("drifting-upstream: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), String> {
    let Args { host, port, mode, .. } = args;
    let listener = TcpListener::bind((host, port)).await.map_err(|error| {
        format!("cannot listen on {host}, port {port}: {error}; --port chooses another, 0 a free one")
    })?;
    let address = listener.local_addr().map_err(|error| format!("no address: {error}"))?;
    let stop = stopped().map_err(|error| format!("cannot wait for signals: {error}"))?;
    // A parent process may read the port from this line, but nobody has to.
    let mut out = std::io::stdout();
    let _ = writeln!(out, "listening on http://{address}, drift mode {}", mode.name());
    let _ = out.flush();
    server::serve(listener, mode, stop).await;
    Ok(())
}

/// Completes at SIGTERM or SIGINT.
fn stopped() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
