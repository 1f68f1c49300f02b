//! Information from the kernel about interfaces, by netlink.

use std::io;

use futures_util::StreamExt;
use futures_util::stream::Stream;
use rtnetlink::packet_route::link::{LinkAttribute, LinkMessage, LinkXdp, XdpAttached};
use rtnetlink::{Error, Handle, MulticastGroup};

/// The XDP flags that choose the mode of the program to remove.
const SKB_MODE: u32 = 1 << 1;
const DRIVER_MODE: u32 = 1 << 2;
const HARDWARE_MODE: u32 = 1 << 3;

/// A connection for queries about interfaces.
#[derive(Clone)]
pub struct Netlink(Handle);

/// An interface.
#[derive(Clone, Debug)]
pub struct Found {
    /// The index. An interface that was removed and returns has a new one.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// The XDP programs: the id of each, and the flag of its mode.
    pub programs: Vec<(u32, u32)>,
}

impl Netlink {
    /// Connects. The returned stream yields an item whenever an interface changes.
    ///
    /// Runs on the current tokio runtime.
    pub fn connect() -> io::Result<(Self, impl Stream<Item = ()> + Unpin)> {
        let (connection, handle, changes) = rtnetlink::new_multicast_connection(&[MulticastGroup::Link])?;
        tokio::spawn(connection);
        Ok((Self(handle), changes.map(drop)))
    }

    /// Returns the interface with a name, if it exists.
    pub async fn by_name(&self, name: &str) -> Result<Option<Found>, Error> {
        first(self.0.link().get().match_name(name.to_owned()).execute()).await
    }

    /// Returns the interface with an index, if it exists.
    pub async fn by_index(&self, index: u32) -> Result<Option<Found>, Error> {
        first(self.0.link().get().match_index(index).execute()).await
    }

    /// Returns the names of all interfaces.
    pub async fn names(&self) -> Vec<String> {
        let all = self.0.link().get().execute();
        all.filter_map(|one| async { one.ok().map(|one| found(&one).name) }).collect().await
    }

    /// Detaches programs that were attached by netlink. Programs that a link holds stay.
    pub async fn remove_programs(&self, of: &Found) -> Result<(), Error> {
        for (_, mode) in &of.programs {
            let mut message = LinkMessage::default();
            message.header.index = of.index;
            // The descriptor -1 stands for no program.
            message.attributes = vec![LinkAttribute::Xdp(vec![LinkXdp::Fd(-1), LinkXdp::Flags(*mode)])];
            self.0.link().set(message).execute().await?;
        }
        Ok(())
    }
}

/// Returns whether an error says that the interface does not exist.
fn is_gone(error: &Error) -> bool {
    matches!(error, Error::NetlinkError(message) if message.raw_code() == -libc::ENODEV)
}

async fn first(links: impl Stream<Item = Result<LinkMessage, Error>>) -> Result<Option<Found>, Error> {
    let mut links = Box::pin(links);
    match links.next().await {
        Some(Ok(message)) => Ok(Some(found(&message))),
        Some(Err(error)) if is_gone(&error) => Ok(None),
        Some(Err(error)) => Err(error),
        None => Ok(None),
    }
}

fn found(message: &LinkMessage) -> Found {
    let name = message.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    });
    let xdp = message.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Xdp(xdp) => Some(programs(xdp)),
        _ => None,
    });
    Found { index: message.header.index, name: name.unwrap_or_default(), programs: xdp.unwrap_or_default() }
}

/// Returns the programs with their modes. If there is only one program, the kernel reports its id both with and without
/// a mode.
fn programs(xdp: &[LinkXdp]) -> Vec<(u32, u32)> {
    let by_mode: Vec<(u32, u32)> = xdp
        .iter()
        .filter_map(|attribute| match attribute {
            LinkXdp::DrvProgId(id) => Some((*id, DRIVER_MODE)),
            LinkXdp::SkbProgId(id) => Some((*id, SKB_MODE)),
            LinkXdp::HwProgId(id) => Some((*id, HARDWARE_MODE)),
            _ => None,
        })
        .collect();
    if !by_mode.is_empty() {
        return by_mode;
    }
    let mode = xdp.iter().find_map(|attribute| match attribute {
        LinkXdp::Attached(XdpAttached::Driver) => Some(DRIVER_MODE),
        LinkXdp::Attached(XdpAttached::SocketBuffer) => Some(SKB_MODE),
        LinkXdp::Attached(XdpAttached::Hardware) => Some(HARDWARE_MODE),
        _ => None,
    });
    let id = xdp.iter().find_map(|attribute| match attribute {
        LinkXdp::ProgId(id) => Some(*id),
        _ => None,
    });
    id.zip(mode).into_iter().collect()
}
