//! Builds an Envoy and a module whose functions have names.
//!
//! If its flag `perf_basic_prof` is set, V8 writes the names of its generated code to /tmp/perf-PID.map, where perf
//! looks for them. Envoy has no option for V8's flags. But a flag is a byte in Envoy's data, and V8's table of flags
//! maps its name to that byte. So a copy of Envoy with changed flag bytes is profiled.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nomos_tests::paths;
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::{Object, ObjectSection, RelocationTarget};

/// The directory for copies.
const DIRECTORY: &str = "target/profile";

/// The V8 flags that are changed, with their default values. Names are written down, and small functions are not
/// inlined, because otherwise one host call could not be told from another.
const FLAGS: [(&str, u8); 2] = [("perf_basic_prof", 0), ("wasm_inlining", 1)];

/// In V8's table of flags, the address of the value follows that of the name at this distance.
const VALUE_AFTER_NAME: u64 = 8;

/// The start addresses of a program's functions. They are available even in stripped programs, because unwinding needs
/// them.
pub struct Functions {
    file: String,
    starts: Vec<u64>,
}

/// Builds the module with the names of its functions.
pub fn module() -> Result<PathBuf, String> {
    let directory = paths::root().join(DIRECTORY);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--locked", "--release", "--target", "wasm32-wasip1", "-p", "nomos-filter", "--target-dir"])
        .arg(&directory)
        .env("CARGO_PROFILE_RELEASE_STRIP", "none")
        .current_dir(paths::root())
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    let module = directory.join("wasm32-wasip1/release/nomos_filter.wasm");
    if status.success() { Ok(module) } else { Err("the module could not be built; see above".to_owned()) }
}

/// Creates a copy of the pinned Envoy whose V8 writes names down.
pub fn envoy() -> Result<PathBuf, String> {
    let (from, to) = (paths::envoy("pinned")?, paths::root().join(DIRECTORY).join("envoy"));
    let said = |error: std::io::Error| format!("{}: {error}", from.display());
    let mut bytes = fs::read(&from).map_err(said)?;
    for (name, before) in FLAGS {
        let at = flag(&bytes, name).map_err(|what| format!("{}: {name}: {what}", from.display()))?;
        match bytes.get_mut(at) {
            Some(value) if *value == before => *value = 1 - before,
            _ => return Err(format!("{}: expected V8's {name} to be {before}", from.display())),
        }
    }
    fs::write(&to, bytes).and_then(|()| fs::set_permissions(&to, fs::Permissions::from_mode(0o755))).map_err(said)?;
    Ok(to)
}

impl Functions {
    /// Reads the functions of a program.
    pub fn of(file: &Path) -> Result<Self, String> {
        let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let starts = starts(&bytes).ok_or_else(|| format!("{}: expected an index for unwinding", file.display()))?;
        Ok(Self::from_starts(&file.to_string_lossy(), starts))
    }

    /// Returns functions that begin at these addresses.
    pub fn from_starts(file: &str, mut starts: Vec<u64>) -> Self {
        starts.sort_unstable();
        Functions { file: file.to_owned(), starts }
    }

    /// Returns the path of the program.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the start of the function that contains an address.
    pub fn start(&self, address: u64) -> u64 {
        let after = self.starts.partition_point(|start| *start <= address);
        after.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(0)
    }
}

/// Returns the offset of a flag's value in the file.
fn flag(bytes: &[u8], flag: &str) -> Result<usize, String> {
    let text = [b"\0", flag.as_bytes(), b"\0"].concat();
    let elf = ElfFile64::<object::Endianness>::parse(bytes).map_err(|error| error.to_string())?;
    let at = bytes.windows(text.len()).position(|window| window == text).ok_or("V8 has no such flag")? + 1;
    let name = segments(&elf).find_map(|(file, address, size)| {
        (at as u64).checked_sub(file).filter(|offset| *offset < size).map(|offset| address + offset)
    });
    let name = name.ok_or("the flag's name is not loaded")?;
    let relocations = || elf.dynamic_relocations().into_iter().flatten();
    let is = |place: u64| relocations().find(|(offset, _)| *offset == place).map(|(_, r)| r.addend().cast_unsigned());
    let entry = relocations()
        .find(|(_, r)| r.target() == RelocationTarget::Absolute && r.addend().cast_unsigned() == name)
        .ok_or("nothing refers to the flag's name")?;
    let value = is(entry.0 + VALUE_AFTER_NAME).ok_or("the flag has no value")?;
    let place = segments(&elf).find_map(|(file, address, size)| {
        value.checked_sub(address).filter(|offset| *offset < size).map(|offset| file + offset)
    });
    place.and_then(|place| usize::try_from(place).ok()).ok_or_else(|| "the flag's value is not in the file".to_owned())
}

/// Returns file offset, address and size of the loaded segments.
fn segments<'a>(elf: &'a ElfFile64<'_, object::Endianness>) -> impl Iterator<Item = (u64, u64, u64)> + 'a {
    let endian = elf.endian();
    elf.elf_program_headers()
        .iter()
        .filter(move |header| header.p_type(endian) == object::elf::PT_LOAD)
        .map(move |header| (header.p_offset(endian), header.p_vaddr(endian), header.p_filesz(endian)))
}

/// Reads `.eh_frame_hdr`: four bytes about encodings (which all linkers set alike), the address of the frames, the
/// number of entries, and for each entry the start of its function, relative to the section's address.
fn starts(bytes: &[u8]) -> Option<Vec<u64>> {
    let elf = ElfFile64::<object::Endianness>::parse(bytes).ok()?;
    let section = elf.section_by_name(".eh_frame_hdr")?;
    let table = section.data().ok()?.get(12..)?;
    let start = |entry: &[u8]| {
        let offset = i32::from_le_bytes(entry.get(..4)?.try_into().ok()?);
        section.address().checked_add_signed(i64::from(offset))
    };
    table.chunks_exact(8).map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_any_of_its_addresses() {
        let functions = Functions::from_starts("x", vec![30, 10, 20]);
        assert_eq!([5, 10, 19, 20, 500].map(|address| functions.start(address)), [0, 10, 10, 20, 30]);
    }

    #[test]
    fn functions_of_this_program_are_found() {
        let own = std::env::current_exe().expect("a program");
        let functions = Functions::of(&own).expect("an index");
        assert!(functions.starts.len() > 100);
        assert!(flag(&fs::read(own).expect("bytes"), FLAGS[0].0).is_err(), "it has no V8");
    }
}
