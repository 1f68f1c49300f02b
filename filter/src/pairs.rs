//! Header maps as the host hands them over, read in place.
//!
//! Layout (proxy-wasm ABI 0.2.1): the number of pairs, then the lengths of name and value of each pair, all 32-bit
//! little-endian; then each name and value followed by a NUL. Values are bytes, because an upstream may send Latin-1.

/// The names and values of a serialised header map. Iteration ends early if the map is damaged; see
/// [`Pairs::is_whole`].
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    sizes: &'a [u8],
    text: &'a [u8],
    damaged: bool,
}

impl<'a> Pairs<'a> {
    /// Reads a header map. Empty bytes are an empty map, because some hosts send no map as no bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        let parts = bytes.split_first_chunk::<4>().and_then(|(count, rest)| {
            let table = usize::try_from(u32::from_le_bytes(*count)).ok()?.checked_mul(8)?;
            rest.split_at_checked(table)
        });
        match parts {
            Some((sizes, text)) => Pairs { sizes, text, damaged: false },
            None => Pairs { sizes: &[], text: &[], damaged: !bytes.is_empty() },
        }
    }

    /// Returns whether the map was intact, so that no header can have been missed. Call it after the last pair.
    pub fn is_whole(&self) -> bool {
        !self.damaged && self.sizes.is_empty() && self.text.is_empty()
    }

    fn read(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let (sizes, rest) = self.sizes.split_first_chunk::<8>()?;
        self.sizes = rest;
        let ([name, value], _) = sizes.as_chunks::<4>() else { return None };
        Some((self.read_text(*name)?, self.read_text(*value)?))
    }

    fn read_text(&mut self, length: [u8; 4]) -> Option<&'a [u8]> {
        let length = usize::try_from(u32::from_le_bytes(length)).ok()?;
        let (text, rest) = self.text.split_at_checked(length)?;
        let (0, rest) = rest.split_first()? else { return None };
        self.text = rest;
        Some(text)
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.sizes.is_empty() {
            return None;
        }
        let pair = self.read();
        if pair.is_none() {
            *self = Pairs { sizes: &[], text: &[], damaged: true };
        }
        pair
    }
}

/// A name and a value.
#[cfg(any(test, feature = "mock"))]
pub type Header = (Vec<u8>, Vec<u8>);

/// Returns the serialised form of a header map, for hosts that are not Envoy.
#[cfg(any(test, feature = "mock"))]
#[allow(clippy::missing_panics_doc, clippy::unwrap_used)]
pub fn serialise(headers: &[Header]) -> Vec<u8> {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let mut out = u32::try_from(headers.len()).unwrap().to_le_bytes().to_vec();
    for (name, value) in headers {
        out.extend(length(name));
        out.extend(length(value));
    }
    for (name, value) in headers {
        out.extend([name, &b"\0"[..], value, b"\0"].concat());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Header> {
        let pairs: [(&[u8], &[u8]); 4] = [(b":status", b"200"), (b"x", b""), (b"x-n", b"caf\xe9\0\xff"), (b"", b"y")];
        pairs.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
    }

    fn read(bytes: &[u8]) -> (Vec<Header>, bool) {
        let mut pairs = Pairs::new(bytes);
        let read = pairs.by_ref().map(|(name, value)| (name.to_vec(), value.to_vec())).collect();
        (read, pairs.is_whole())
    }

    #[test]
    fn there_and_back() {
        assert_eq!(read(&serialise(&sample())), (sample(), true));
        assert_eq!(read(&serialise(&[])), (Vec::new(), true));
        assert_eq!(read(b""), (Vec::new(), true));
    }

    #[test]
    fn damage_is_seen() {
        let bytes = serialise(&sample());
        for length in 1..bytes.len() {
            assert!(!read(&bytes[..length]).1, "cut at {length}");
        }
        assert!(!read(&[&bytes[..], b"\0"].concat()).1);
        assert!(!read(&u32::MAX.to_le_bytes()).1);
    }

    #[test]
    fn any_byte_may_be_wrong() {
        let bytes = serialise(&sample());
        for at in 0..bytes.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                read(&bytes);
            }
        }
    }
}
