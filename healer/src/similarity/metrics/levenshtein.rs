//! Levenshtein distance (Levenshtein 1966; Wagner and Fischer 1974): the least number of letters that are inserted,
//! deleted or replaced.
//!
//! If one name is ASCII of up to 64 bytes and the other is ASCII too, it takes bit-parallel rows (Myers, JACM 46(3),
//! 1999, in Hyyrö's form of 2001): one step of some fifteen instructions per letter of the longer name, whatever the
//! length of the other. Anything else takes the table of Wagner and Fischer, in O(nm).
//!
//! The reference profile has it for what looks like a misspelling. It knows nothing of words, and so confuses `start`
//! with `state`.

/// Returns 1 minus the distance over the length of the longer name: 1 for equal names, 0 if nothing is shared.
pub fn similarity(a: &str, b: &str) -> f32 {
    let longest = a.chars().count().max(b.chars().count());
    if longest == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "names are short")]
    let share = distance(a, b) as f32 / longest as f32;
    1.0 - share
}

/// Returns the distance in letters.
pub fn distance(a: &str, b: &str) -> usize {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_ascii() && long.is_ascii() && short.len() <= 64 {
        myers(short.as_bytes(), long.as_bytes())
    } else {
        table(short, long)
    }
}

fn myers(pattern: &[u8], text: &[u8]) -> usize {
    let Some(last) = pattern.len().checked_sub(1) else { return text.len() };
    let mut masks = [0u64; 128];
    for (at, byte) in pattern.iter().enumerate() {
        if let Some(mask) = masks.get_mut(usize::from(*byte)) {
            *mask |= 1 << at;
        }
    }
    let (mut up, mut down, mut distance) = (u64::MAX, 0u64, pattern.len());
    for byte in text {
        let equal = masks.get(usize::from(*byte)).copied().unwrap_or(0);
        let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal | down;
        let right = down | !(diagonal | up);
        let left = diagonal & up;
        distance = distance.wrapping_add((right >> last & 1) as usize).wrapping_sub((left >> last & 1) as usize);
        let (right, left) = (right << 1 | 1, left << 1);
        up = left | !(diagonal | right);
        down = right & diagonal;
    }
    distance
}

fn table(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (above, from) in a.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, to) in row.iter_mut().skip(1).zip(b.chars()) {
            let replaced = diagonal.saturating_add(usize::from(from != to));
            diagonal = *cell;
            left = replaced.min(left.saturating_add(1)).min(cell.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_strsims(a in "[a-d_é]{0,70}", b in "[a-d_é]{0,70}", c in "[a-c]{0,64}", d in "[a-c]{0,90}") {
            prop_assert_eq!(distance(&a, &b), strsim::levenshtein(&a, &b));
            prop_assert_eq!(distance(&c, &d), strsim::levenshtein(&c, &d));
            prop_assert!((f64::from(similarity(&c, &d)) - strsim::normalized_levenshtein(&c, &d)).abs() < 1e-6);
        }
    }
}
