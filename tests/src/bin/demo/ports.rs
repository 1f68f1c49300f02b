//! The ports of the demo: the usual ones, or those from the environment.

use std::net::TcpListener;

/// The variable that chooses another port for the upstream.
pub const UPSTREAM: &str = "NOMOS_UPSTREAM_PORT";

/// The variables that choose ports, and the default ports: of the proxy, of the upstream and of Envoy's admin
/// interface.
const USUAL: [(&str, u16); 3] = [("NOMOS_PROXY_PORT", 8080), (UPSTREAM, 9090), ("NOMOS_ADMIN_PORT", 9901)];

/// A port and the variable that chooses it.
#[derive(Clone, Copy)]
struct Port {
    variable: &'static str,
    number: u16,
}

/// Returns the ports of proxy, upstream and admin interface. Fails if two are equal or one is in use. 0 stands for any
/// free port.
pub fn free() -> Result<[u16; 3], String> {
    let [proxy, upstream, admin] = USUAL;
    let ports = [wanted(proxy)?, wanted(upstream)?, wanted(admin)?];
    differ(&ports)?;
    for port in ports {
        port.is_free()?;
    }
    Ok(ports.map(|port| port.number))
}

fn wanted((variable, usual): (&'static str, u16)) -> Result<Port, String> {
    let number = match std::env::var(variable) {
        Ok(text) => {
            text.parse().map_err(|_| format!("{variable}: found `{text}`, expected a port number from 0 to 65535"))?
        }
        Err(_) => usual,
    };
    Ok(Port { variable, number })
}

fn differ(ports: &[Port]) -> Result<(), String> {
    for (at, one) in ports.iter().enumerate() {
        if let Some(other) = ports[at + 1..].iter().find(|other| other.number == one.number && other.number != 0) {
            return Err(format!(
                "{} and {} are both {}; choose another for one of them",
                one.variable, other.variable, one.number
            ));
        }
    }
    Ok(())
}

impl Port {
    /// Checks that nothing listens on the port. Envoy shares ports between its workers, so two Envoys on one port would
    /// not notice each other.
    fn is_free(self) -> Result<(), String> {
        let Self { variable, number } = self;
        match TcpListener::bind(("127.0.0.1", number)) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("port {number} cannot be used: {error}; choose another with {variable}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Port, USUAL, differ};

    fn ports(numbers: [u16; 3]) -> [Port; 3] {
        let mut numbers = numbers.into_iter();
        USUAL.map(|(variable, usual)| Port { variable, number: numbers.next().unwrap_or(usual) })
    }

    #[test]
    fn equal_ports_are_told_by_their_variables() {
        let both = |names: &str, number: u16| Err(format!("{names} are both {number}; choose another for one of them"));
        let of = |numbers| differ(&ports(numbers));
        assert_eq!(of([9090, 9090, 9901]), both("NOMOS_PROXY_PORT and NOMOS_UPSTREAM_PORT", 9090));
        assert_eq!(of([9901, 9090, 9901]), both("NOMOS_PROXY_PORT and NOMOS_ADMIN_PORT", 9901));
        assert_eq!(of([8080, 9090, 9090]), both("NOMOS_UPSTREAM_PORT and NOMOS_ADMIN_PORT", 9090));
        assert_eq!(of([8080, 9090, 9901]), Ok(()));
        // Three times any free port.
        assert_eq!(of([0, 0, 0]), Ok(()));
    }
}
