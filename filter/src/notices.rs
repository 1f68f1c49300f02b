//! Lines in the proxy's log about drift: new shapes, and required members that nothing healed.
//!
//! A line costs a call and disk, and what it tells is an upstream's to choose. So there is room for a few at once and
//! for a few a second, for all routes of a worker together; metrics count what there was no room for. Names and kinds
//! are told, never values.

use healer::NewShape;

use crate::host::{Host, Level};
use crate::report;

/// Lines at once at most.
const BURST: u32 = 16;
/// Lines that each tick makes room for: two a second.
const PER_TICK: u32 = 1;

/// The room for lines of one VM.
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
    /// Tells of shapes that similarity had not seen before. `count`: how many there were.
    pub fn new_shapes<H: Host>(&mut self, host: &mut H, route: &str, count: u32, shapes: &[NewShape]) {
        for NewShape { shape, members } in shapes {
            let mut line = b"nomos: new shape ".to_vec();
            report::push_hexadecimal(&mut line, *shape);
            line.extend_from_slice(b", route ");
            line.extend_from_slice(route.as_bytes());
            if !members.is_empty() {
                line.extend_from_slice(b", not in the contract: ");
                line.extend_from_slice(members.as_bytes());
            }
            self.write(host, Level::Info, line);
        }
        let untold = u64::from(count).saturating_sub(u64::try_from(shapes.len()).unwrap_or(u64::MAX));
        self.left_out = self.left_out.saturating_add(untold);
    }

    /// Tells of a required member that is missing and was not healed, the first time and whenever their number has
    /// doubled. `count`: how many responses of the route lacked it by now.
    pub fn unhealed<H: Host>(&mut self, host: &mut H, route: &str, field: &str, count: u64) {
        if !count.is_power_of_two() {
            return;
        }
        let mut line = b"nomos: required and not healed, route ".to_vec();
        line.extend_from_slice(route.as_bytes());
        line.extend_from_slice(b": ");
        healer::quote(field, &mut line);
        line.extend_from_slice(b", responses so far: ");
        crate::decimal::push(&mut line, count);
        self.write(host, Level::Warn, line);
    }

    /// Tells that the metadata of a route of the proxy is of no use.
    pub fn bad_metadata<H: Host>(&mut self, host: &mut H) {
        let line = b"nomos: filter_metadata.nomos.mode of a route is none of heal, observe, off; taken for off";
        self.write(host, Level::Error, line.to_vec());
    }

    /// Time has passed: makes room, and says how much there was no room for.
    pub fn tick<H: Host>(&mut self, host: &mut H) {
        self.room = self.room.saturating_add(PER_TICK).min(BURST);
        if self.left_out > 0 && self.room == BURST {
            let mut line = b"nomos: more drift was not told of, lines: ".to_vec();
            crate::decimal::push(&mut line, self.left_out);
            self.left_out = 0;
            self.write(host, Level::Info, line);
        }
    }

    fn write<H: Host>(&mut self, host: &mut H, level: Level, line: Vec<u8>) {
        let Some(room) = self.room.checked_sub(1) else {
            self.left_out = self.left_out.saturating_add(1);
            return;
        };
        self.room = room;
        host.log(level, &String::from_utf8(line).unwrap_or_default());
    }
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
        let expected = [
            "nomos: new shape 5bd1e995a3c0f217, route user, not in the contract: \"x\" integer",
            "nomos: required and not healed, route user: \"users[].email\", responses so far: 1",
        ];
        assert_eq!(host.log, expected);
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
        assert_eq!(host.log.last().unwrap(), "nomos: more drift was not told of, lines: 984");
        notices.tick(&mut host);
        notices.new_shapes(&mut host, "user", 9, &[shape(1)]);
        assert_eq!(host.log.len(), BURST as usize + 2);
    }

    #[test]
    fn what_stays_unhealed_is_told_when_its_number_doubles() {
        let (mut host, mut notices) = (Mock::new(), Notices::default());
        (1..=1000).for_each(|count| notices.unhealed(&mut host, "user", "email", count));
        let told: Vec<_> = host.log.iter().filter_map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(told, ["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
    }
}
