//! The program by itself: the kernel runs it on packets without an interface.

use aya::programs::TestRunOptions;
use nomos_xdp::program::{Counts, Program, Variant};

use crate::frame::{IPV4, SYN, TCP, ethernet, ipv4, tcp};
use crate::mix::{self, PORTS};
use crate::{Case, Outcome, oracle};

/// All cases of this file.
pub const CASES: &[Case] = &[
    ("verifier accepts", verifier_accepts),
    ("each frame of the mix", each_frame),
    ("oracle agrees with the mix", oracle_agrees),
    ("frames cut at each length", cut_frames),
    ("random packets", random_packets),
    ("changed frames", changed_frames),
    ("packets in several buffers", several_buffers),
];

/// `XDP_PASS`.
const PASS: u32 = 2;

/// How many packets each random test makes.
const RANDOM: u64 = 5_000;

/// The length of the metadata in front of a short packet.
const METADATA: u32 = 16;

/// The length of an Ethernet header.
const SHORTEST: usize = 14;

fn verifier_accepts() -> Outcome {
    let mut program = load()?;
    for variant in Variant::ALL {
        let info = program.info(variant).map_err(said)?;
        let name = info.name_as_str().unwrap_or_default().to_owned();
        let checked = info.verified_instruction_count().unwrap_or_default();
        let size = info.size_translated().unwrap_or_default() / 8;
        println!("verifier: accepted {name}: {size} instructions, {checked} steps to prove it safe");
        if name != variant.name() {
            return Err(format!("found the name {name}; expected {}", variant.name()));
        }
    }
    Ok(())
}

fn each_frame() -> Outcome {
    for variant in Variant::ALL {
        // Loading takes longer than all runs, so the counts accumulate over the rows.
        let (mut program, mut expected) = (load()?, mix::nothing());
        for row in mix::rows() {
            mix::add(&mut expected, &row, 3);
            run(&mut program, variant, &row.frame, 3)?;
            same(row.name, &program, &expected)?;
        }
    }
    Ok(())
}

fn oracle_agrees() -> Outcome {
    for row in mix::rows() {
        let (mut expected, mut found) = (mix::nothing(), mix::nothing());
        mix::add(&mut expected, &row, 1);
        oracle::count(&mut found, &row.frame);
        if found != expected {
            return Err(format!("{}: found {found:?}\nexpected {expected:?}", row.name));
        }
    }
    Ok(())
}

fn cut_frames() -> Outcome {
    let rows = mix::rows();
    let cut = rows.iter().flat_map(|row| (0..=row.frame.len().min(400)).map(|length| row.frame[..length].to_vec()));
    agree(cut)
}

fn random_packets() -> Outcome {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    agree((0..RANDOM).map(|_| {
        let length = chance.below(200);
        let mut packet: Vec<u8> = (0..length).map(|_| chance.byte()).collect();
        // Otherwise hardly any packet would be parsed beyond the EtherType.
        let kinds = [0x0800_u16, 0x86dd, 0x8100, 0x88a8, 0x0806, 0];
        if let Some(kind) = packet.get_mut(12..14) {
            kind.copy_from_slice(&kinds[chance.below(kinds.len())].to_be_bytes());
        }
        packet
    }))
}

fn changed_frames() -> Outcome {
    let rows = mix::rows();
    let mut chance = Chance(0xd1b5_4a32_d192_ed03);
    agree((0..RANDOM).map(|_| {
        let mut packet = rows[chance.below(rows.len())].frame.clone();
        for _ in 0..=chance.below(4) {
            let at = chance.below(packet.len().min(100));
            packet[at] = chance.byte();
        }
        packet.truncate(chance.below(packet.len()).max(packet.len() / 2));
        packet
    }))
}

/// The kernel splits packets longer than a page into buffers.
fn several_buffers() -> Outcome {
    for variant in [Variant::Frags, Variant::Skb] {
        let mut program = load()?;
        let mut expected = mix::nothing();
        for length in [900, 1100, 3000, 4000, 9000, 20_000] {
            let frame = ethernet(IPV4, &ipv4(TCP, 0, &[], &tcp(8080, SYN, &vec![1; length])));
            oracle::count(&mut expected, &frame);
            run(&mut program, variant, &frame, 1)?;
        }
        same("long frames", &program, &expected)?;
    }
    Ok(())
}

/// Runs all programs on packets, and compares their counts with the oracle's.
fn agree(packets: impl Iterator<Item = Vec<u8>>) -> Outcome {
    let mut programs = [load()?, load()?, load()?, load()?];
    let packets = possible(packets)?;
    let mut expected = mix::nothing();
    let mut seen = Vec::new();
    for packet in packets {
        oracle::count(&mut expected, &packet);
        for (program, variant) in programs.iter_mut().zip(Variant::ALL) {
            run(program, variant, &packet, 1)?;
        }
        seen.push(packet);
        // Reading the counters takes longer than counting, and a difference remains visible.
        if seen.len() == 500 {
            check(&programs, &expected, &seen)?;
            seen.clear();
        }
    }
    check(&programs, &expected, &seen)
}

/// Returns the packets on which this kernel runs a program. Newer kernels refuse packets without a whole Ethernet
/// header, which no interface hands to a program either.
fn possible(packets: impl Iterator<Item = Vec<u8>>) -> Result<impl Iterator<Item = Vec<u8>>, String> {
    let shortest = if run(&mut load()?, Variant::Plain, &[], 1).is_ok() { 0 } else { SHORTEST };
    Ok(packets.filter(move |packet| packet.len() >= shortest))
}

fn check(programs: &[Program], expected: &Counts, packets: &[Vec<u8>]) -> Outcome {
    programs.iter().try_for_each(|program| same(&format!("after {packets:02x?}"), program, expected))
}

fn same(what: &str, program: &Program, expected: &Counts) -> Outcome {
    let found = program.counts().map_err(said)?;
    if found == *expected { Ok(()) } else { Err(format!("{what}: found {found:?}\nexpected {expected:?}")) }
}

fn run(program: &mut Program, variant: Variant, packet: &[u8], repeat: u32) -> Outcome {
    let (data, context) = shaped(packet);
    let mut options = TestRunOptions::new();
    options.data_in = Some(&data);
    options.ctx_in = context.as_ref().map(<[u8; 24]>::as_slice);
    options.repeat = repeat;
    let result = program.test_run(variant, options).map_err(|error| format!("{} bytes: {error}", packet.len()))?;
    if result.return_value == PASS {
        Ok(())
    } else {
        Err(format!("found the verdict {}; expected {PASS} (pass) for {packet:02x?}", result.return_value))
    }
}

/// Returns the input for a packet. The kernel requires at least an Ethernet header. A shorter packet becomes the end of
/// a longer one whose beginning is metadata; kernels before 6.18 run a program on that.
fn shaped(packet: &[u8]) -> (Vec<u8>, Option<[u8; 24]>) {
    if packet.len() >= SHORTEST {
        return (packet.to_vec(), None);
    }
    let data = [&[0; METADATA as usize], packet].concat();
    let end = METADATA + u32::try_from(packet.len()).unwrap_or_default();
    let mut context = [0; 24];
    // `struct xdp_md`: data, data_end, data_meta, and three fields that must be 0.
    context[..4].copy_from_slice(&METADATA.to_ne_bytes());
    context[4..8].copy_from_slice(&end.to_ne_bytes());
    (data, Some(context))
}

fn load() -> Result<Program, String> {
    Program::new(&PORTS).map_err(said)
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A xorshift generator, which gives the same numbers in each run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }
}
