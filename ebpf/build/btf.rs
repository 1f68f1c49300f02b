//! Reads the part of BTF that describes structs of integers.
//!
//! The format: <https://docs.kernel.org/bpf/btf.html>.

/// The types of an object. Type n is at index n - 1, because number 0 is `void`.
pub struct Types(Vec<Type>);

/// A type, with the details that counters need.
#[derive(Clone)]
pub enum Type {
    /// An integer of this many bytes.
    Integer(u32),
    /// An array: the number of the element type, and the count.
    Array(u32, u32),
    /// A struct.
    Struct(Struct),
    /// Another name of a type.
    Alias(u32),
    /// A type that counters cannot be made of.
    Foreign,
}

/// A struct, with offsets and size in bytes.
#[derive(Clone)]
pub struct Struct {
    /// Its name in C.
    pub name: String,
    /// Its size in bytes.
    pub size: u32,
    /// The name, type number and offset of each member.
    pub members: Vec<(String, u32, u32)>,
}

impl Types {
    /// Returns the type with a number, with aliases resolved.
    pub fn get(&self, number: u32) -> Option<&Type> {
        match self.0.get(number.checked_sub(1)? as usize)? {
            // An alias refers to an existing type, so this ends.
            Type::Alias(of) if *of != number => self.get(*of),
            found => Some(found),
        }
    }

    /// Returns the struct with a name.
    pub fn find(&self, name: &str) -> Option<&Struct> {
        self.0.iter().find_map(|found| match found {
            Type::Struct(found) if found.name == name => Some(found),
            _ => None,
        })
    }
}

/// Parses the section `.BTF`.
pub fn parse(section: &[u8], little: bool) -> Result<Types, String> {
    let reader = Reader { bytes: section, little };
    let header = reader.u32(4)? as usize;
    let (types, length) = (header + reader.u32(8)? as usize, reader.u32(12)? as usize);
    let strings = header + reader.u32(16)? as usize;
    let mut found = Vec::new();
    let mut at = types;
    while at < types + length {
        let (one, size) = reader.one(at, strings)?;
        found.push(one);
        at += size;
    }
    Ok(Types(found))
}

struct Reader<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl Reader<'_> {
    /// Returns the type at an offset, and the length of its description in bytes.
    fn one(&self, at: usize, strings: usize) -> Result<(Type, usize), String> {
        let (info, size) = (self.u32(at + 4)?, self.u32(at + 8)?);
        let (kind, count) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
        let more = at + 12;
        // The length after the common 12 bytes, by kind: of the type itself, and of each of its parts.
        let (whole, part) = match kind {
            1 | 14 | 17 => (4, 0),
            3 => (12, 0),
            4 | 5 | 15 | 19 => (0, 12),
            6 | 13 => (0, 8),
            _ => (0, 0),
        };
        let one = match kind {
            1 => Type::Integer(size),
            3 => Type::Array(self.u32(more)?, self.u32(more + 8)?),
            4 => Type::Struct(Struct {
                name: self.text(strings + self.u32(at)? as usize)?,
                size,
                members: (0..count).map(|n| self.member(more + n * 12, strings)).collect::<Result<_, _>>()?,
            }),
            8..=11 => Type::Alias(size),
            _ => Type::Foreign,
        };
        Ok((one, 12 + whole + count * part))
    }

    fn member(&self, at: usize, strings: usize) -> Result<(String, u32, u32), String> {
        Ok((self.text(strings + self.u32(at)? as usize)?, self.u32(at + 4)?, self.u32(at + 8)? / 8))
    }

    fn text(&self, at: usize) -> Result<String, String> {
        let rest = self.bytes.get(at..).ok_or("BTF is cut short")?;
        Ok(rest.iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect())
    }

    fn u32(&self, at: usize) -> Result<u32, String> {
        let bytes = self.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).ok_or("BTF is cut short")?;
        Ok(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }
}
