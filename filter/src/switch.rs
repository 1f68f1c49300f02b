//! The switch in the metadata of the proxy's own routes. It restricts healing for some routes without a new
//! configuration of the filter, and never extends it.

use healer::config::Mode;

/// The metadata names no mode. Nobody knows what was meant, but hardly that bodies be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMode;

/// Restricts a mode by the metadata of a route.
pub fn restrict(mode: Mode, metadata: &[u8]) -> Result<Mode, NoMode> {
    match (metadata, mode) {
        // YAML's bare `off` is a boolean, which arrives as one byte.
        (b"off" | [0], _) => Ok(Mode::Off),
        (b"observe", Mode::Heal) => Ok(Mode::Observe),
        (b"heal" | b"observe", _) => Ok(mode),
        _ => Err(NoMode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_only_takes_back() {
        use Mode::{Heal, Observe, Off};
        let rows: [(&[u8], [Mode; 3]); 4] = [
            (b"heal", [Heal, Observe, Off]),
            (b"observe", [Observe, Observe, Off]),
            (b"off", [Off, Off, Off]),
            (&[0], [Off, Off, Off]),
        ];
        for (metadata, expected) in rows {
            assert_eq!([Heal, Observe, Off].map(|mode| restrict(mode, metadata)), expected.map(Ok), "{metadata:?}");
        }
        for metadata in [&b""[..], b"Off", b"on", b"\x01", b"heel"] {
            assert_eq!(restrict(Heal, metadata), Err(NoMode), "{metadata:?}");
        }
    }
}
