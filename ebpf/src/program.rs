//! The programs in the kernel, and their counters.

use std::io;

use aya::maps::{Array, Map, MapError, PerCpuArray};
use aya::programs::{ProgramFd, ProgramInfo, TestRun, TestRunOptions, TestRunResult, Xdp};
use aya::{Ebpf, EbpfLoader, Pod, include_bytes_aligned};

use crate::layout::{Port, Slots, Stats};
use crate::link::{Link, Mode};

static OBJECT: &[u8] = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/nomos_xdp.o"));

/// Slot 0 stands for all ports that are not watched.
const FIRST_SLOT: u32 = 1;

/// The maximum number of watched ports.
pub const PORTS: usize = u8::MAX as usize;

/// One of the programs of the object. All of them count alike and share the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// For packets in one buffer. The fastest one; needs root or `CAP_PERFMON` to load.
    Plain,
    /// For packets in one buffer, whose length it gets from the kernel (Linux 5.18).
    Call,
    /// For packets in one or several buffers (Linux 5.18). Needs root or `CAP_PERFMON` to load.
    Frags,
    /// As `Frags`, but for skb mode, where the stack has made the buffers.
    Skb,
}

/// The programs and counters of one interface.
pub struct Program {
    ebpf: Ebpf,
    ports: Vec<u16>,
}

/// The counts so far, summed over all processors.
///
/// The kernel continues to count during the reading. Each number is exact, but two of them may be a packet apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The counters of all packets.
    pub stats: Stats,
    /// The counters of the watched ports, in the given order.
    pub ports: Vec<(u16, Port)>,
}

/// Why a program could not be loaded, attached or read.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

impl Variant {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Call, Self::Frags, Self::Skb];

    /// The program's name in the kernel.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "nomos_xdp",
            Self::Call => "nomos_xdp_call",
            Self::Frags => "nomos_xdp_frags",
            Self::Skb => "nomos_xdp_skb",
        }
    }
}

impl Program {
    /// Creates the maps. The programs themselves are loaded when they are needed.
    pub fn new(ports: &[u16]) -> Result<Self, Error> {
        let mut program = Self { ebpf: EbpfLoader::new().load(OBJECT)?, ports: ports.to_vec() };
        program.watch()?;
        Ok(program)
    }

    /// Attaches the program in this mode. The outer error is about loading, the inner one about attaching.
    pub fn attach(&mut self, interface: u32, mode: Mode) -> Result<io::Result<Link>, Error> {
        first_that_attaches(order(mode), |variant| Ok(Link::attach(self.load(variant)?.fd()?, interface, mode)))
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Result<Counts, Error> {
        let ports: PerCpuArray<_, Port> = PerCpuArray::try_from(self.map("nomos_ports")?)?;
        let slots = (FIRST_SLOT..).zip(&self.ports);
        Ok(Counts {
            stats: sum(&PerCpuArray::try_from(self.map("nomos_stats")?)?, 0, Stats::ZERO)?,
            ports: slots
                .map(|(slot, port)| Ok((*port, sum(&ports, slot, Port::ZERO)?)))
                .collect::<Result<_, Error>>()?,
        })
    }

    /// Runs the program on a packet without an interface, as often as the options say.
    pub fn test_run(&mut self, variant: Variant, options: TestRunOptions<'_>) -> Result<TestRunResult, Error> {
        Ok(self.load(variant)?.test_run(options)?)
    }

    /// Returns the descriptor of the program, loading it if necessary.
    pub fn fd(&mut self, variant: Variant) -> Result<&ProgramFd, Error> {
        Ok(self.load(variant)?.fd()?)
    }

    /// Returns the kernel's information about the program, loading it if necessary.
    pub fn info(&mut self, variant: Variant) -> Result<ProgramInfo, Error> {
        Ok(self.load(variant)?.info()?)
    }

    fn load(&mut self, variant: Variant) -> Result<&mut Xdp, Error> {
        let program = self.ebpf.program_mut(variant.name()).ok_or("the program is not in the object")?;
        let program: &mut Xdp = program.try_into()?;
        if program.fd().is_err() {
            program.load()?;
        }
        Ok(program)
    }

    fn watch(&mut self) -> Result<(), Error> {
        let mut slots = Slots::ZERO;
        for (slot, port) in (1..=u8::MAX).zip(&self.ports) {
            slots.of[usize::from(*port)] = slot;
        }
        let map = self.ebpf.map_mut("nomos_slots").ok_or("the map is not in the object")?;
        Ok(Array::try_from(map)?.set(0, slots, 0)?)
    }

    fn map(&self, name: &str) -> Result<&Map, Error> {
        Ok(self.ebpf.map(name).ok_or("the map is not in the object")?)
    }
}

/// Tries the programs until one is attached, or the interface turns out to have another program.
fn first_that_attaches<L>(
    variants: impl IntoIterator<Item = Variant>,
    mut attach: impl FnMut(Variant) -> Result<io::Result<L>, Error>,
) -> Result<io::Result<L>, Error> {
    let mut result = None;
    for variant in variants {
        match attach(variant) {
            Ok(link) => {
                let settled = link.as_ref().err().is_none_or(is_taken);
                result = Some(Ok(link));
                if settled {
                    break;
                }
            }
            // The privileges or the kernel's age may allow another variant. The first error is the one to report.
            Err(error) => result = result.or(Some(Err(error))),
        }
    }
    result.unwrap_or_else(|| Err("there is no program".into()))
}

/// Returns whether the error says that the interface already has a program.
pub fn is_taken(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EBUSY | libc::EEXIST))
}

/// Returns the programs to try, in order.
///
/// Drivers may hand over packets of several buffers with headers outside the first buffer, where a program does not see
/// them (mlx5 does). So in native mode the programs for one buffer come first, which make the driver use one buffer.
/// The program for several buffers is only tried if a driver refuses these, as with jumbo frames. The stack always puts
/// headers into the first buffer, but must copy everything into one for a program that wants one buffer.
fn order(mode: Mode) -> [Variant; 3] {
    match mode {
        Mode::Native => [Variant::Plain, Variant::Call, Variant::Frags],
        Mode::Skb => [Variant::Skb, Variant::Plain, Variant::Call],
    }
}

fn sum<V: Pod + for<'a> std::ops::AddAssign<&'a V>>(
    map: &PerCpuArray<&aya::maps::MapData, V>,
    at: u32,
    zero: V,
) -> Result<V, MapError> {
    let mut sum = zero;
    for value in map.get(&at, 0)?.iter() {
        sum += value;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Fate::{Attached, Refused, Unloadable};

    /// What becomes of a program: it is attached, refused by the interface with an error, or cannot be loaded.
    #[derive(Clone, Copy, Debug)]
    enum Fate {
        Attached,
        Refused(i32),
        Unloadable(&'static str),
    }

    #[test]
    fn programs_are_tried_until_one_decides_the_matter() {
        let (busy, other) = (Refused(libc::EBUSY), Refused(libc::EOPNOTSUPP));
        let rows = [
            ([Attached, other, other], "attached"),
            ([Unloadable("first"), Attached, other], "attached"),
            ([other, Unloadable("second"), Attached], "attached"),
            ([busy, Attached, Attached], "refused by EBUSY"),
            ([Unloadable("first"), other, Unloadable("third")], "refused by EOPNOTSUPP"),
            ([Unloadable("first"), Unloadable("second"), Unloadable("third")], "not loaded: first"),
        ];
        for (fates, expected) in rows {
            let mut rest = fates.into_iter();
            let result = first_that_attaches(order(Mode::Native), |_| match rest.next().expect("a fate for each") {
                Attached => Ok(Ok(())),
                Refused(code) => Ok(Err(io::Error::from_raw_os_error(code))),
                Unloadable(why) => Err(why.into()),
            });
            let found = match result {
                Ok(Ok(())) => "attached".to_owned(),
                Ok(Err(error)) if is_taken(&error) => "refused by EBUSY".to_owned(),
                Ok(Err(_)) => "refused by EOPNOTSUPP".to_owned(),
                Err(error) => format!("not loaded: {error}"),
            };
            assert_eq!(found, expected, "{fates:?}");
        }
    }
}
