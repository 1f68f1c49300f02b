//! The sides that are measured.

/// One or several processes that serve some sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// One Envoy, with a listener for each filter.
    Envoy,
    /// nginx with the njs module.
    NginxNjs,
    /// nginx with the Lua module.
    NginxLua,
    /// The engine of `KrakenD`.
    Krakend,
    /// The reverse proxy in Rust.
    Rust,
}

/// A proxy that heals in one way, or passes bodies on as they are.
#[derive(Debug)]
pub struct Side {
    /// The name in result files and paths.
    pub name: &'static str,
    /// The title in tables.
    pub title: &'static str,
    /// The host that serves it.
    pub host: Host,
    /// The side with the same proxy without healing, or its own name if it does not heal.
    pub plain: &'static str,
}

impl Side {
    /// Returns whether it heals.
    pub fn heals(&self) -> bool {
        self.name != self.plain
    }
}

impl Host {
    /// All hosts, in the order in which they start.
    pub const ALL: [Host; 5] = [Host::Envoy, Host::NginxNjs, Host::NginxLua, Host::Krakend, Host::Rust];

    /// Returns the sides that it serves.
    pub fn sides(self) -> impl Iterator<Item = &'static Side> {
        SIDES.iter().filter(move |side| side.host == self)
    }
}

const fn side(name: &'static str, title: &'static str, host: Host, plain: &'static str) -> Side {
    Side { name, title, host, plain }
}

/// All sides, each plain one before those that heal on the same proxy.
pub static SIDES: [Side; 16] = [
    side("envoy", "Envoy", Host::Envoy, "envoy"),
    side("nomos-rules", "Envoy + Nomos, 13 renames", Host::Envoy, "envoy"),
    side("nomos-contract", "Envoy + Nomos, all packs and a contract", Host::Envoy, "envoy"),
    side("envoy-transform", "Envoy + `transform` filter", Host::Envoy, "envoy"),
    side("envoy-lua", "Envoy + Lua with cjson", Host::Envoy, "envoy"),
    side("envoy-ext-proc", "Envoy + ext_proc server in Rust", Host::Envoy, "envoy"),
    side("nginx-njs-plain", "nginx, njs loaded", Host::NginxNjs, "nginx-njs-plain"),
    side("nginx-njs", "nginx + njs", Host::NginxNjs, "nginx-njs-plain"),
    side("nginx-lua-plain", "nginx, Lua loaded", Host::NginxLua, "nginx-lua-plain"),
    side("nginx-lua", "nginx + Lua with cjson", Host::NginxLua, "nginx-lua-plain"),
    side("krakend-plain", "KrakenD engine, no-op", Host::Krakend, "krakend-plain"),
    side("krakend-mapping", "KrakenD engine, mapping", Host::Krakend, "krakend-plain"),
    side("krakend-flatmap", "KrakenD engine, flatmap", Host::Krakend, "krakend-plain"),
    side("rust-plain", "Rust proxy (hyper)", Host::Rust, "rust-plain"),
    side("rust-document", "Rust proxy, serde_json::Value", Host::Rust, "rust-plain"),
    side("rust-members", "Rust proxy, serde_json::RawValue", Host::Rust, "rust-plain"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_has_a_plain_one_of_the_same_host_before_it() {
        for (at, side) in SIDES.iter().enumerate() {
            let plain = SIDES.iter().position(|other| other.name == side.plain).expect("a plain side");
            assert!(plain <= at && SIDES[plain].host == side.host, "{}", side.name);
        }
    }
}
