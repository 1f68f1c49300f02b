//! Lists of numbers, inverted: in which lists a number stands.

/// The lists of every number, one number after the other.
#[derive(Debug)]
pub(crate) struct Inverse {
    lists: Vec<u16>,
    /// Where the lists of each number start, and the end of the last.
    starts: Vec<u16>,
}

impl Inverse {
    /// Inverts `lists`, which are numbered from 0, for all numbers below `count`.
    pub fn of<'a>(lists: impl Iterator<Item = &'a [u16]>, count: usize) -> Inverse {
        let lists: Vec<&[u16]> = lists.collect();
        let mut starts = vec![0u16; count.saturating_add(1)];
        for number in lists.iter().copied().flatten() {
            if let Some(start) = starts.get_mut(usize::from(*number)) {
                *start = start.saturating_add(1);
            }
        }
        // Turns counts into ends. Each list that is placed from the back then moves its end down, so that it becomes
        // the start.
        let mut end = 0u16;
        for start in &mut starts {
            end = end.saturating_add(*start);
            *start = end;
        }
        let mut inverse = vec![0; usize::from(end)];
        for (list, numbers) in lists.iter().enumerate().rev() {
            for number in *numbers {
                let Some(start) = starts.get_mut(usize::from(*number)) else { continue };
                *start = start.saturating_sub(1);
                if let Some(place) = inverse.get_mut(usize::from(*start)) {
                    *place = list as u16;
                }
            }
        }
        Inverse { lists: inverse, starts }
    }

    /// Returns the lists of a number, in ascending order.
    pub fn get(&self, number: u16) -> &[u16] {
        let place = usize::from(number);
        let start = |place: usize| self.starts.get(place).copied().map(usize::from);
        let range = start(place).zip(start(place.saturating_add(1)));
        range.and_then(|(from, to)| self.lists.get(from..to)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_a_number_is_found_in_order() {
        let lists: [&[u16]; 4] = [&[2, 0], &[], &[2], &[1, 2]];
        let inverse = Inverse::of(lists.into_iter(), 4);
        for (number, expected) in [(0, &[0][..]), (1, &[3]), (2, &[0, 2, 3]), (3, &[]), (4, &[]), (u16::MAX, &[])] {
            assert_eq!(inverse.get(number), expected, "{number}");
        }
    }
}
