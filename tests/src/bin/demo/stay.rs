//! Keeps the demo up, and prints commands to try.

use std::fmt::Write;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use nomos_tests::envoy::Envoy;

use crate::packets::Packets;

/// A command to try, and what it shows.
type Command = (String, String);

/// Stays up until Ctrl-C. Returns only if something is wrong with Envoy, with a description of it.
pub fn up(envoy: &mut Envoy, proxy: SocketAddr, upstream: SocketAddr, counted: bool) -> Result<(), String> {
    println!("\nUp until Ctrl-C. Envoy's log is {}.", envoy.log_path().display());
    println!("The x-nomos-* headers are there by `response_headers: held`; envoy.yaml has `early`, without them. Try:");
    print!("{}", aligned(&commands(proxy, upstream, envoy.admin(), counted)));
    loop {
        thread::sleep(Duration::from_secs(1));
        envoy.check()?;
    }
}

fn commands(proxy: SocketAddr, upstream: SocketAddr, admin: SocketAddr, counted: bool) -> Vec<Command> {
    let mut commands = vec![
        (format!("curl -i 'http://{proxy}/api/user?mode=camel'"), format!("without Nomos: http://{upstream}")),
        (format!("curl -i 'http://{proxy}/api/users?count=3&mode=v2'"), "a list".to_owned()),
        (format!("curl -X PUT -d deep http://{upstream}/__mode"), "another mode from now on".to_owned()),
        (format!("curl 'http://{admin}/stats/prometheus?filter=nomos'"), "what the filter has counted".to_owned()),
    ];
    if counted {
        commands
            .push((format!("curl http://{}/metrics", Packets::metrics()), "what the kernel has counted".to_owned()));
    }
    commands
}

/// Returns the commands, one per line, with their comments aligned.
fn aligned(commands: &[Command]) -> String {
    let width = commands.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (command, comment) in commands {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {command:<width$}  # {comment}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::{aligned, commands};

    #[test]
    fn comments_stand_under_each_other() {
        let [one, other, third] = [8080, 19090, 9901].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let text = aligned(&commands(one, other, third, true));
        let columns: Vec<Option<usize>> = text.lines().map(|line| line.find(" # ")).collect();
        assert_eq!(columns.len(), 5);
        assert!(columns[0].is_some() && columns.iter().all(|column| *column == columns[0]), "{text}");
    }
}
