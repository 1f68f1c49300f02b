//! Lines in the proxy's log about drift: new shapes, and required members that are missing.
//!
//! A line costs a host call and disk space, and the upstream decides how many there are. So at most a few lines are
//! written at once and a few per second, over all routes of a worker; the metrics count what the log omits. Lines
//! contain names and kinds of what is in bodies, never values.

use healer::NewShape;

use crate::host::{Host, Level};

/// How many lines may be written at once.
const BURST: u32 = 16;
/// How many lines each tick allows: two a second.
const PER_TICK: u32 = 1;
/// How many bytes of an invalid mode are shown: all modes are shorter, and the log is for people.
const MOST_SHOWN: usize = 64;

/// How many more lines one VM may write.
#[derive(Debug)]
pub struct Notices {
    room: u32,
    left_out: u64,
}

impl Default for Notices {
    fn default() -> Self {
        Notices { room: BURST, left_out: 0 }
    }
}

impl Notices {
    /// Logs shapes that are new to similarity. `count` is how many there were.
    pub fn new_shapes<H: Host>(&mut self, host: &mut H, route: &str, count: u32, shapes: &[NewShape]) {
        for NewShape { shape, members } in shapes {
            let before = if members.is_empty() { "" } else { ", not in the contract: " };
            let line = format!("nomos: new shape {shape:016x}, route {route}{before}{members}");
            self.write(host, Level::Info, &line);
        }
        let untold = u64::from(count).saturating_sub(u64::try_from(shapes.len()).unwrap_or(u64::MAX));
        self.left_out = self.left_out.saturating_add(untold);
    }

    /// Logs a required member that is missing and was not healed: the first time, and whenever the number of such
    /// responses has doubled. `count` is the number of responses of the route that have lacked it.
    pub fn unhealed<H: Host>(&mut self, host: &mut H, route: &str, field: &str, count: u64) {
        if !count.is_power_of_two() {
            return;
        }
        let field = quoted(field);
        let line = format!("nomos: required and not healed, route {route}: {field}, responses so far: {count}");
        self.write(host, Level::Warn, &line);
    }

    /// Logs that the metadata of a route of the proxy is invalid. `route` is the filter's own route; `mode` is what the
    /// metadata says, if the host can hand it over.
    pub fn bad_metadata<H: Host>(&mut self, host: &mut H, route: &str, mode: Option<&[u8]>) {
        let found = mode.map_or("no text".to_owned(), |mode| {
            let shown = mode.get(..MOST_SHOWN).unwrap_or(mode);
            quoted(&String::from_utf8_lossy(shown))
        });
        let line = format!(
            "nomos: filter_metadata.nomos.mode of a route of Envoy, whose response is of route {route}: found {found}; \
             expected heal, observe or off; taken for off"
        );
        self.write(host, Level::Error, &line);
    }

    /// Counts a tick: allows more lines, and logs how many were omitted.
    pub fn tick<H: Host>(&mut self, host: &mut H) {
        self.room = self.room.saturating_add(PER_TICK).min(BURST);
        if self.left_out > 0 && self.room == BURST {
            let line = format!("nomos: lines left out: {}", std::mem::take(&mut self.left_out));
            self.write(host, Level::Info, &line);
        }
    }

    fn write<H: Host>(&mut self, host: &mut H, level: Level, line: &str) {
        let Some(room) = self.room.checked_sub(1) else {
            self.left_out = self.left_out.saturating_add(1);
            return;
        };
        self.room = room;
        host.log(level, line);
    }
}

fn quoted(text: &str) -> String {
    String::from_utf8(healer::quoted(text)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Mock;

    fn shape(number: u64) -> NewShape {
        NewShape { shape: number, members: "\"x\" integer".to_owned() }
    }

    #[test]
    fn lines_name_the_shape_and_the_route() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        notices.new_shapes(&mut host, "user", 1, &[shape(0x5bd1_e995_a3c0_f217)]);
        notices.unhealed(&mut host, "user", "users[].email", 1);
        notices.bad_metadata(&mut host, "user", Some(b"he\xffel"));
        notices.bad_metadata(&mut host, "user", None);
        let mode = "nomos: filter_metadata.nomos.mode of a route of Envoy, whose response is of route user: found";
        let expected = [
            "nomos: new shape 5bd1e995a3c0f217, route user, not in the contract: \"x\" integer",
            "nomos: required and not healed, route user: \"users[].email\", responses so far: 1",
            &format!("{mode} \"he\u{fffd}el\"; expected heal, observe or off; taken for off"),
            &format!("{mode} no text; expected heal, observe or off; taken for off"),
        ];
        assert_eq!(host.log, expected);
    }

    #[test]
    fn of_long_metadata_only_the_beginning_is_shown() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        notices.bad_metadata(&mut host, "user", Some(&[b'x'; 1000]));
        assert!(host.log[0].contains(&format!("found \"{}\"; expected", "x".repeat(64))), "{:?}", host.log);
    }

    #[test]
    fn there_is_room_for_a_few_lines_and_the_rest_is_counted() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        for number in 0..1000 {
            notices.new_shapes(&mut host, "user", 1, &[shape(number)]);
        }
        assert_eq!(host.log.len(), BURST as usize);
        for _ in 0..BURST {
            notices.tick(&mut host);
        }
        assert_eq!(host.log.len(), BURST as usize + 1);
        assert_eq!(host.log.last().unwrap(), "nomos: lines left out: 984");
        notices.tick(&mut host);
        notices.new_shapes(&mut host, "user", 9, &[shape(1)]);
        assert_eq!(host.log.len(), BURST as usize + 2);
    }

    #[test]
    fn a_tick_allows_one_more_line() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        for tick in 0..4 {
            (0..100).for_each(|number| notices.new_shapes(&mut host, "user", 1, &[shape(number)]));
            assert_eq!(host.log.len(), BURST as usize + tick);
            notices.tick(&mut host);
        }
    }

    #[test]
    fn what_stays_unhealed_is_told_when_its_number_doubles() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        (1..=1000).for_each(|count| notices.unhealed(&mut host, "user", "email", count));
        let told: Vec<_> = host.log.iter().filter_map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(told, ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
    }
}
