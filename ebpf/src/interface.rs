//! An interface whose packets are counted: attached, or waiting until it can be.

use std::io;
use std::time::Instant;

use crate::available;
use crate::link::{Link, LinkInfo, Mode};
use crate::netlink::{Found, Netlink};
use crate::options::Wanted;
use crate::program::{self, Counts, Program};
use crate::report::{Meter, Report};

/// An interface with a given name.
pub struct Interface {
    name: String,
    wanted: Wanted,
    program: Program,
    meter: Meter,
    state: State,
}

enum State {
    Attached {
        link: Link,
        index: u32,
        mode: Mode,
    },
    /// The last reason is kept so that it is printed once.
    Waiting {
        why: String,
    },
}

/// The interface that a program is attached to.
pub struct Attached {
    /// The index of the interface when the program was attached.
    pub index: u32,
    /// The kernel's information about the link.
    pub link: io::Result<LinkInfo>,
}

/// Why a program is not attached.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The interface has an XDP program of somebody else.
    Taken(String),
    /// The privileges or the kernel do not allow it.
    Unavailable(String),
}

impl Interface {
    /// Loads the program without attaching it.
    pub fn load(name: &str, wanted: Wanted, ports: &[u16]) -> Result<Self, Refusal> {
        let program = Program::new(ports).map_err(|error| unavailable("load the XDP program", &*error))?;
        let state = State::Waiting { why: String::new() };
        Ok(Self { name: name.to_owned(), wanted, program, meter: Meter::start(), state })
    }

    /// The interface's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Attaches the program. Returns lines that say how.
    pub fn attach(&mut self, found: &Found) -> Result<Vec<String>, Refusal> {
        let mut said = Vec::new();
        let modes: &[Mode] = match self.wanted {
            Wanted::Auto => &[Mode::Native, Mode::Skb],
            Wanted::Native => &[Mode::Native],
            Wanted::Skb => &[Mode::Skb],
        };
        for (at, mode) in modes.iter().enumerate() {
            let doing = format!("attach to {} in {} mode", self.name, mode.name());
            match self
                .program
                .attach(found.index, *mode)
                .map_err(|error| unavailable("load the XDP program", &*error))?
            {
                Ok(link) => {
                    self.state = State::Attached { link, index: found.index, mode: *mode };
                    said.push(format!("{}: attached in {} mode", self.name, mode.name()));
                    return Ok(said);
                }
                Err(error) if program::is_taken(&error) => return Err(Refusal::Taken(taken(&self.name, found))),
                Err(error) if at + 1 < modes.len() => {
                    said.push(format!(
                        "{}: no native mode here ({error}), so packets are counted in skb mode",
                        self.name
                    ));
                }
                Err(error) if error.kind() == std::io::ErrorKind::Unsupported => {
                    return Err(Refusal::Unavailable(format!(
                        "the driver of {} has no native XDP; --mode skb counts there too",
                        self.name
                    )));
                }
                Err(error) => return Err(unavailable(&doing, &error)),
            }
        }
        Ok(said)
    }

    /// Returns the present attachment, if there is one. Must be called before the interface is looked up: an interface
    /// that disappears between the two calls then counts as gone. In the other order, its link would be empty while the
    /// interface still exists, as if somebody had detached the program.
    pub fn attached(&self) -> Option<Attached> {
        match &self.state {
            State::Attached { link, index, .. } => Some(Attached { index: *index, link: link.info() }),
            State::Waiting { .. } => None,
        }
    }

    /// Checks the attachment from before. Returns lines about changes, none if nothing changed. `found` is the present
    /// interface with this name.
    pub fn check(&mut self, before: Option<Attached>, found: Option<&Found>, renamed: Option<&str>) -> Vec<String> {
        let Some(Attached { index, link }) = before else {
            return found.map(|found| self.attach_again(found)).unwrap_or_default();
        };
        let Some(lost) = lost(link, index, found, renamed) else { return Vec::new() };
        // This drops the link.
        self.state = State::Waiting { why: String::new() };
        let mut said = vec![format!("{}: {}", self.name, lost.text())];
        if let (Lost::Gone, Some(found)) = (lost, found) {
            said.extend(self.attach_again(found));
        }
        said
    }

    /// Detaches the program. The counts remain.
    pub fn detach(&mut self) {
        self.state = State::Waiting { why: String::new() };
    }

    /// Returns the counts so far, with rates since the last call.
    pub fn report(&mut self) -> Result<Report, program::Error> {
        let counts = self.program.counts()?;
        let rate = self.meter.rate(&counts, Instant::now());
        Ok(Report { rate, ..self.report_of(counts) })
    }

    /// Returns the counts so far without rates, for consumers that compute their own.
    pub fn totals(&self) -> Result<Report, program::Error> {
        Ok(self.report_of(self.program.counts()?))
    }

    fn report_of(&self, counts: Counts) -> Report {
        let mode = match &self.state {
            State::Attached { mode, .. } => Some(*mode),
            State::Waiting { .. } => None,
        };
        Report { interface: self.name.clone(), mode, counts, rate: crate::report::Rate::default() }
    }

    fn attach_again(&mut self, found: &Found) -> Vec<String> {
        match self.attach(found) {
            Ok(said) => said,
            Err(Refusal::Taken(why) | Refusal::Unavailable(why)) => match &mut self.state {
                State::Waiting { why: known } if *known != why => {
                    known.clone_from(&why);
                    vec![format!("{why}; tries again")]
                }
                _ => Vec::new(),
            },
        }
    }
}

impl Refusal {
    /// Returns the sentence.
    pub fn text(&self) -> &str {
        match self {
            Self::Taken(text) | Self::Unavailable(text) => text,
        }
    }
}

/// Detaches any program from an interface.
pub async fn clear(netlink: &Netlink, found: &Found) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: its program could not be removed: {error}", found.name);
    for (program, _) in &found.programs {
        let link = Link::find(found.index, *program).map_err(|error| {
            let hint = if error.kind() == io::ErrorKind::PermissionDenied { " (this takes CAP_SYS_ADMIN)" } else { "" };
            said(&format!("{error}{hint}"))
        })?;
        match link {
            Some(link) => link.detach().map_err(|error| said(&error))?,
            None => netlink.remove_programs(found).await.map_err(|error| said(&error))?,
        }
    }
    Ok(())
}

/// How an attached program can be lost.
#[derive(Debug, PartialEq, Eq)]
enum Lost {
    Gone,
    Renamed(String),
    /// Somebody has detached it. Only the next check attaches it again, so that they can attach theirs first.
    Detached,
    Unknown(String),
}

impl Lost {
    fn text(&self) -> String {
        match self {
            Self::Gone => "the interface is gone; attaches again when it returns".to_owned(),
            Self::Renamed(name) => {
                format!("the interface is called {name} now; detached, and attaches when one of the old name returns")
            }
            Self::Detached => "the program was taken off by somebody else; attaches again when it can".to_owned(),
            Self::Unknown(error) => format!("the kernel does not say how the program is: {error}; attaches again"),
        }
    }
}

fn lost(link: io::Result<LinkInfo>, index: u32, found: Option<&Found>, renamed: Option<&str>) -> Option<Lost> {
    let link = match link {
        Ok(link) => link,
        Err(error) => return Some(Lost::Unknown(error.to_string())),
    };
    let same = found.is_some_and(|found| found.index == index);
    match (link.interface == index, same) {
        (true, true) => None,
        // The kernel detaches the program when it removes the interface.
        (false, true) => Some(Lost::Detached),
        (true, false) => Some(renamed.map_or(Lost::Gone, |name| Lost::Renamed(name.to_owned()))),
        (false, false) => Some(Lost::Gone),
    }
}

fn taken(name: &str, found: &Found) -> String {
    let programs: Vec<String> = found.programs.iter().map(|(id, _)| program_name(*id)).collect();
    format!(
        "{name}: there is an XDP program already ({}), and it stays; --replace takes its place",
        if programs.is_empty() { "of unknown name".to_owned() } else { programs.join(", ") }
    )
}

fn program_name(id: u32) -> String {
    let info = aya::programs::loaded_programs().flatten().find(|info| info.id() == id);
    let name = info.and_then(|info| info.name_as_str().map(str::to_owned)).filter(|name| !name.is_empty());
    name.map_or_else(|| format!("id {id}"), |name| format!("{name}, id {id}"))
}

fn unavailable(doing: &str, error: &(dyn std::error::Error + 'static)) -> Refusal {
    Refusal::Unavailable(available::refused(doing, &chain(error)))
}

/// Returns an error with all its causes, without the verifier's output, which is too long for a sentence.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut texts: Vec<String> = Vec::new();
    for cause in causes {
        let text = cause.to_string();
        let text = text.split_once("Verifier output:").map_or(text.clone(), |(before, _)| before.trim().to_owned());
        if !texts.iter().any(|known| known.contains(&text)) {
            texts.push(text);
        }
    }
    texts.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_program_is_told_apart() {
        let found = |index| Found { index, name: "eth0".to_owned(), programs: Vec::new() };
        let link = |interface| Ok(LinkInfo { program: 1, interface });
        let rows = [
            (link(2), Some(found(2)), None, None),
            (link(0), None, None, Some(Lost::Gone)),
            (link(0), Some(found(7)), None, Some(Lost::Gone)),
            (link(0), Some(found(2)), None, Some(Lost::Detached)),
            (link(2), None, Some("eth9"), Some(Lost::Renamed("eth9".to_owned()))),
            (link(2), Some(found(7)), Some("eth9"), Some(Lost::Renamed("eth9".to_owned()))),
            (Err(io::Error::other("no")), Some(found(2)), None, Some(Lost::Unknown("no".to_owned()))),
        ];
        for (link, found, renamed, expected) in rows {
            let shown = format!("{link:?} {found:?}");
            assert_eq!(lost(link, 2, found.as_ref(), renamed), expected, "{shown}");
        }
    }
}
