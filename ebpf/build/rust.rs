//! Writes a C struct in Rust, with assertions of its size and offsets.

use std::fmt::Write;

use crate::btf::{Type, Types};

/// The prefix of names in C.
const PREFIX: &str = "nomos_";

/// Returns the source of one struct.
pub fn source(name: &str, types: &Types) -> Result<String, String> {
    let found = types.find(name).ok_or_else(|| format!("found no struct {name}"))?;
    let rust = rust_name(name);
    let (mut fields, mut sums, mut checks) = (String::new(), String::new(), String::new());
    let mut bytes = 0;
    for (member, number, offset) in &found.members {
        let (text, size) = spelled(*number, types).ok_or_else(|| format!("{name}.{member} is not made of integers"))?;
        bytes += size;
        // Writing to a string cannot fail.
        let _ = writeln!(fields, "    pub {member}: {text},");
        let _ = writeln!(sums, "        {}", sum(member, &text));
        let _ = writeln!(checks, "    assert!(std::mem::offset_of!({rust}, {member}) == {offset});");
    }
    if bytes != found.size {
        return Err(format!(
            "{name} has {} bytes and its members {bytes}: padding would be read uninitialised",
            found.size
        ));
    }
    Ok(format!(
        "/// `{name}` of `bpf/nomos_xdp.h`, which says what is counted.\n\
         #[repr(C)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct {rust} {{\n{fields}}}\n\n\
         // SAFETY: integers only and no padding, which the build script has checked: any bytes are a value.\n\
         unsafe impl aya::Pod for {rust} {{}}\n\n\
         impl {rust} {{\n    /// All zero.\n    pub const ZERO: Self = {zero};\n}}\n\n\
         impl std::ops::AddAssign<&Self> for {rust} {{\n    fn add_assign(&mut self, other: &Self) {{\n{sums}    }}\n}}\n\n\
         const _: () = {{\n    assert!(size_of::<{rust}>() == {size});\n{checks}}};\n\n",
        zero = zero(name, types).ok_or("no zero")?,
        size = found.size,
    ))
}

/// Returns a type in Rust, and its size.
fn spelled(number: u32, types: &Types) -> Option<(String, u32)> {
    match types.get(number)? {
        Type::Integer(size @ (1 | 2 | 4 | 8)) => Some((format!("u{}", size * 8), *size)),
        Type::Array(of, count) => {
            let (text, size) = spelled(*of, types)?;
            Some((format!("[{text}; {count}]"), size * count))
        }
        Type::Struct(found) => Some((rust_name(&found.name), found.size)),
        _ => None,
    }
}

fn sum(member: &str, text: &str) -> String {
    match text.as_bytes().first() {
        Some(b'[') => {
            format!("for (own, other) in self.{member}.iter_mut().zip(&other.{member}) {{ *own += *other; }}")
        }
        Some(b'u') => format!("self.{member} += other.{member};"),
        _ => format!("self.{member} += &other.{member};"),
    }
}

fn zero(name: &str, types: &Types) -> Option<String> {
    let members = types.find(name)?.members.iter().map(|(member, number, _)| {
        let value = match types.get(*number)? {
            Type::Struct(found) => format!("{}::ZERO", rust_name(&found.name)),
            Type::Array(_, count) => format!("[0; {count}]"),
            _ => "0".to_owned(),
        };
        Some(format!("{member}: {value}"))
    });
    Some(format!("Self {{ {} }}", members.collect::<Option<Vec<_>>>()?.join(", ")))
}

/// Converts a name: `nomos_some_name` becomes `SomeName`.
fn rust_name(name: &str) -> String {
    let words = name.trim_start_matches(PREFIX).split('_');
    words
        .flat_map(|word| word.chars().enumerate().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c }))
        .collect()
}
