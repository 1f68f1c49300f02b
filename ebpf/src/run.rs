//! A whole run: load, attach, report until the end, detach.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::interface::{Attached, Interface, Refusal, clear};
use crate::netlink::{Found, Netlink};
use crate::options::Options;
use crate::output::Output;
use crate::report::Report;
use crate::{available, metrics, server};

/// Why a run ended early.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The privileges or the kernel do not allow it.
    Unavailable(String),
    /// Anything else.
    Failed(String),
}

/// How often a program is removed for `--replace`. The removed program's loader may attach it again before ours is
/// attached, as ours would. Two loaders that both insist must not repeat this for ever.
const REPLACEMENTS: usize = 3;

type Interfaces = Arc<Mutex<Vec<Interface>>>;

/// Runs until a signal, the first report with `--once`, or the end of the program that reads the reports.
pub async fn run(options: &Options) -> Result<(), Failure> {
    let mut signals = Signals::new().map_err(|error| Failure::Failed(format!("signals: {error}")))?;
    let (netlink, mut changes) = Netlink::connect()
        .map_err(|error| Failure::Unavailable(format!("the kernel does not answer on netlink: {error}")))?;
    let found = find_all(&netlink, &options.interface).await?;
    if let Some(obstacle) = available::obstacle() {
        return Err(Failure::Unavailable(obstacle));
    }
    available::lift_memory_limit();
    let listener = match options.metrics {
        Some(address) => Some(server::listen(address).await.map_err(Failure::Failed)?),
        None => None,
    };
    let mut output = Output::new(options.json, options.once);
    let mut interfaces = Vec::new();
    for found in &found {
        interfaces.push(start(options, &netlink, found, &mut output).await?);
    }
    let interfaces: Interfaces = Arc::new(Mutex::new(interfaces));
    if let Some(listener) = listener {
        serve(listener, &interfaces, &mut output);
    }
    let mut ticks = interval_at(Instant::now() + options.interval, options.interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = signals.next() => break,
            Some(()) = changes.next() => {
                // Changes come in groups, and one check covers them all.
                while futures_util::FutureExt::now_or_never(changes.next()).flatten().is_some() {}
                check(&netlink, &interfaces, &mut output).await;
            }
            _ = ticks.tick() => {
                check(&netlink, &interfaces, &mut output).await;
                if options.once {
                    break;
                }
                if let Err(error) = output.interval(&reports(&interfaces)?) {
                    return unwritten(&error);
                }
            }
        }
    }
    finish(&interfaces, &mut output)
}

async fn find_all(netlink: &Netlink, names: &[String]) -> Result<Vec<Found>, Failure> {
    let mut all = Vec::new();
    for name in names {
        let found = netlink.by_name(name).await.map_err(|error| Failure::Failed(format!("{name}: {error}")))?;
        let Some(found) = found else {
            let known = netlink.names().await.join(", ");
            return Err(Failure::Failed(format!("there is no interface {name}; expected one of {known}")));
        };
        all.push(Found { name: name.clone(), ..found });
    }
    Ok(all)
}

async fn start(options: &Options, netlink: &Netlink, found: &Found, output: &mut Output) -> Result<Interface, Failure> {
    let refused = |refusal: Refusal| match refusal {
        Refusal::Taken(why) => Failure::Failed(why),
        Refusal::Unavailable(why) => Failure::Unavailable(why),
    };
    let mut interface = Interface::load(&found.name, options.mode, &options.port).map_err(refused)?;
    let mut attached = interface.attach(found);
    for _ in 0..REPLACEMENTS {
        if !options.replace || !matches!(attached, Err(Refusal::Taken(_))) {
            break;
        }
        let Some(found) = netlink.by_name(&found.name).await.ok().flatten() else { break };
        clear(netlink, &found).await.map_err(Failure::Failed)?;
        output.event(&format!("{}: removed the XDP program that was there", interface.name()));
        attached = interface.attach(&found);
    }
    for said in attached.map_err(refused)? {
        output.event(&said);
    }
    Ok(interface)
}

/// Checks the interfaces, and reports changes.
async fn check(netlink: &Netlink, interfaces: &Interfaces, output: &mut Output) {
    let known: Vec<(String, Option<Attached>)> =
        lock(interfaces).iter().map(|interface| (interface.name().to_owned(), interface.attached())).collect();
    for (at, (name, attached)) in known.into_iter().enumerate() {
        // If netlink does not answer, nothing is known about the interface. The next check will find out.
        let Ok(found) = netlink.by_name(&name).await else { continue };
        let renamed = match &attached {
            Some(Attached { index, .. }) if found.as_ref().is_none_or(|found| found.index != *index) => {
                netlink.by_index(*index).await.ok().flatten().map(|found| found.name)
            }
            _ => None,
        };
        if let Some(interface) = lock(interfaces).get_mut(at) {
            for said in interface.check(attached, found.as_ref(), renamed.as_deref()) {
                output.event(&said);
            }
        }
    }
}

fn serve(listener: tokio::net::TcpListener, interfaces: &Interfaces, output: &mut Output) {
    if let Ok(address) = listener.local_addr() {
        output.event(&format!("metrics on http://{address}/metrics"));
    }
    let interfaces = Arc::clone(interfaces);
    tokio::spawn(server::serve(listener, move || {
        let reports: Result<Vec<Report>, _> = lock(&interfaces).iter().map(Interface::totals).collect();
        reports.map(|reports| metrics::text(&reports)).map_err(|error| error.to_string())
    }));
}

/// Writes the last report. Detaches first, so that nothing is counted after it.
fn finish(interfaces: &Interfaces, output: &mut Output) -> Result<(), Failure> {
    let reports = {
        let mut interfaces = lock(interfaces);
        let modes: Vec<_> = interfaces.iter().map(|interface| interface.totals().ok().and_then(|it| it.mode)).collect();
        interfaces.iter_mut().for_each(Interface::detach);
        let all: Result<Vec<Report>, _> = interfaces.iter_mut().map(Interface::report).collect();
        let all = all.map_err(|error| Failure::Failed(error.to_string()))?;
        // The mode while counting belongs to the result.
        all.into_iter().zip(modes).map(|(report, mode)| Report { mode, ..report }).collect::<Vec<_>>()
    };
    output.last(&reports).or_else(|error| unwritten(&error))
}

/// Returns how a run ends whose reports cannot be written.
fn unwritten(error: &io::Error) -> Result<(), Failure> {
    match error.kind() {
        // The program that reads the reports has ended, so this one ends too.
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::Failed(format!("stdout: {error}"))),
    }
}

fn reports(interfaces: &Interfaces) -> Result<Vec<Report>, Failure> {
    let all: Result<_, _> = lock(interfaces).iter_mut().map(Interface::report).collect();
    all.map_err(|error| Failure::Failed(error.to_string()))
}

fn lock(interfaces: &Interfaces) -> MutexGuard<'_, Vec<Interface>> {
    interfaces.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Signals([Signal; 3]);

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
            _ = hangup.recv() => (),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reader_that_has_ended_is_no_failure() {
        let ended = |code: i32| unwritten(&io::Error::from_raw_os_error(code));
        assert_eq!(ended(libc::EPIPE), Ok(()));
        let expected = "stdout: No space left on device (os error 28)".to_owned();
        assert_eq!(ended(libc::ENOSPC), Err(Failure::Failed(expected)));
    }
}
