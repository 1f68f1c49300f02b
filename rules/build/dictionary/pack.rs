//! Packs tables as `src/dictionary/table.rs` unpacks them.

use std::iter::successors;

/// See `src/dictionary/table.rs`.
const DIGIT: u8 = 26;
const END: u8 = 31;

/// What stands for a text: how much of the text before it starts with, and the rest. `None` if a text has anything but
/// lower-case letters and digits.
pub fn texts<'a>(rows: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    let (mut codes, mut before) = (Vec::new(), "");
    for row in rows {
        let shared = before.bytes().zip(row.bytes()).take(usize::from(END)).take_while(|(a, b)| a == b).count();
        codes.extend(u8::try_from(shared));
        for letter in row.bytes().skip(shared) {
            match letter {
                b'a'..=b'z' => codes.push(letter.saturating_sub(b'a')),
                b'0'..=b'9' => codes.extend([DIGIT, letter.saturating_sub(b'0')]),
                _ => return None,
            }
        }
        codes.push(END);
        before = row;
    }
    Some(five_bits(&codes))
}

/// Numbers of five bits, the lowest bit first.
fn five_bits(codes: &[u8]) -> Vec<u8> {
    let bits = codes.iter().flat_map(|code| (0..5).map(move |bit| code >> bit & 1)).collect::<Vec<u8>>();
    bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |all, bit| all << 1 | bit)).collect()
}

/// Lists, none of them empty, that are sorted, each number but the first as the difference from the one before.
pub fn sorted_lists(rows: &[Vec<usize>]) -> Vec<u8> {
    numbers(rows.iter().map(|row| differences(row)))
}

/// Lists, none of them empty, in order, the first number of each as the difference from that of the list before.
pub fn lists_in_order(rows: &[Vec<usize>]) -> Vec<u8> {
    let firsts: Vec<usize> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let rest = rows.iter().map(|row| row.iter().skip(1));
    numbers(
        differences(&firsts)
            .into_iter()
            .zip(rest)
            .map(|(first, rest)| [first].into_iter().chain(rest.copied()).collect()),
    )
}

fn differences(numbers: &[usize]) -> Vec<usize> {
    let before = [0].into_iter().chain(numbers.iter().copied());
    numbers.iter().zip(before).map(|(number, before)| number.saturating_sub(before)).collect()
}

fn numbers(rows: impl Iterator<Item = Vec<usize>>) -> Vec<u8> {
    rows.flat_map(|row| {
        let last = row.len().saturating_sub(1);
        row.into_iter().enumerate().flat_map(move |(at, number)| leb128((number << 1) | usize::from(at == last)))
    })
    .collect()
}

fn leb128(number: usize) -> impl Iterator<Item = u8> {
    let groups = successors(Some(number), |rest| Some(rest >> 7).filter(|rest| *rest > 0));
    groups.map(|rest| u8::try_from(rest & 0x7f).unwrap_or(0) | if rest >> 7 > 0 { 0x80 } else { 0 })
}
