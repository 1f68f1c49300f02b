//! Links of XDP programs. A link keeps a program on an interface as long as a process holds the link, so that a crash
//! also detaches the program.
//!
//! `aya` attaches by a link as well. But if the kernel refuses, it falls back to the older way, which outlives the
//! process and silently replaces an existing program. So this module makes the calls itself, as bpf(2) describes them.

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Commands of bpf(2).
const GET_INFO_BY_FD: c_int = 15;
const LINK_CREATE: c_int = 28;
const LINK_GET_FD_BY_ID: c_int = 30;
const LINK_GET_NEXT_ID: c_int = 31;
const LINK_DETACH: c_int = 34;

/// The attach type `BPF_XDP`, and the link type `BPF_LINK_TYPE_XDP`.
const ATTACH_XDP: u32 = 37;
const LINK_XDP: u32 = 6;

/// The XDP flags that choose the mode.
const SKB_MODE: u32 = 1 << 1;
const DRIVER_MODE: u32 = 1 << 2;

/// The place at which packets reach the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In the driver, before the kernel processes the packet.
    Native,
    /// In the kernel's network stack, on any interface.
    Skb,
}

/// A program on an interface. It is detached when this is dropped.
#[derive(Debug)]
pub struct Link(OwnedFd);

/// The kernel's information about a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkInfo {
    /// The id of the program.
    pub program: u32,
    /// The index of the interface, or 0 if it no longer exists.
    pub interface: u32,
}

impl Mode {
    /// Returns its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Skb => "skb",
        }
    }
}

impl Link {
    /// Attaches a program. Fails with `EBUSY` or `EEXIST` if the interface already has one.
    pub fn attach(program: &impl AsFd, interface: u32, mode: Mode) -> io::Result<Self> {
        #[repr(C)]
        struct Attributes {
            program: RawFd,
            interface: u32,
            attach_type: u32,
            flags: u32,
        }
        let flags = match mode {
            Mode::Native => DRIVER_MODE,
            Mode::Skb => SKB_MODE,
        };
        let program = program.as_fd().as_raw_fd();
        let fd = bpf(LINK_CREATE, &mut Attributes { program, interface, attach_type: ATTACH_XDP, flags })?;
        // SAFETY: the kernel has just created this descriptor for this process, and nobody else knows it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Finds the link that holds a program on an interface, whoever created it.
    ///
    /// Returns `None` if there is no link; then the program was attached by netlink. Needs `CAP_SYS_ADMIN`. Both
    /// numbers are needed, because links of all network namespaces are visible, and an index means a different
    /// interface in each.
    pub fn find(interface: u32, program: u32) -> io::Result<Option<Self>> {
        let mut last = 0;
        loop {
            last = match next_id(last) {
                Ok(id) => id,
                Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(None),
                Err(error) => return Err(error),
            };
            match Self::open(last) {
                Ok(link) if link.info()? == (LinkInfo { program, interface }) => return Ok(Some(link)),
                // The link disappeared in the meantime.
                Err(error) if error.raw_os_error() != Some(libc::ENOENT) => return Err(error),
                _ => (),
            }
        }
    }

    /// Returns the kernel's information about the link.
    pub fn info(&self) -> io::Result<LinkInfo> {
        #[repr(C)]
        struct Attributes {
            link: RawFd,
            length: u32,
            info: u64,
        }
        #[repr(C, align(8))]
        #[derive(Default)]
        struct Info {
            kind: u32,
            id: u32,
            program: u32,
            // The part that depends on the kind is aligned to 8 bytes.
            padding: u32,
            interface: u32,
        }
        let mut info = Info::default();
        let length = u32::try_from(size_of::<Info>()).unwrap_or_default();
        let mut attributes = Attributes { link: self.0.as_raw_fd(), length, info: (&raw mut info).addr() as u64 };
        // The kernel writes to `info` through the address in the attributes.
        (&raw mut info).expose_provenance();
        bpf(GET_INFO_BY_FD, &mut attributes)?;
        let interface = if info.kind == LINK_XDP { info.interface } else { 0 };
        Ok(LinkInfo { program: info.program, interface })
    }

    /// Detaches the program from the interface, even if other processes hold the link too.
    pub fn detach(self) -> io::Result<()> {
        #[repr(C)]
        struct Attributes {
            link: RawFd,
        }
        bpf(LINK_DETACH, &mut Attributes { link: self.0.as_raw_fd() }).map(drop)
    }

    fn open(id: u32) -> io::Result<Self> {
        let fd = bpf(LINK_GET_FD_BY_ID, &mut Search { id, next: 0, flags: 0 })?;
        // SAFETY: as in `attach`.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }
}

#[repr(C)]
struct Search {
    id: u32,
    next: u32,
    flags: u32,
}

fn next_id(last: u32) -> io::Result<u32> {
    let mut attributes = Search { id: last, next: 0, flags: 0 };
    bpf(LINK_GET_NEXT_ID, &mut attributes)?;
    Ok(attributes.next)
}

fn bpf<T>(command: c_int, attributes: &mut T) -> io::Result<RawFd> {
    // SAFETY: the kernel reads and writes `attributes` within the given size, and takes missing fields as 0. Each
    // caller's struct is the beginning of `union bpf_attr` for its command.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, std::ptr::from_mut(attributes), size_of::<T>()) };
    if result < 0 { Err(io::Error::last_os_error()) } else { RawFd::try_from(result).map_err(io::Error::other) }
}
