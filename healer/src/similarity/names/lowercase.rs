//! Lower case of the letters that names of members are written with.
//!
//! The standard library's tables cover all of Unicode, and would be a fiftieth of the module. These are the scripts with
//! two cases that are in use in names: Latin with its accents (Vietnamese included), Greek, and Cyrillic. Other letters
//! stay as they are, so a name in them is found only if its case did not change.

/// Returns a letter in lower case.
pub(crate) fn lower(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    let code = u32::from(letter);
    let up = match code {
        0xc0..=0xd6 | 0xd8..=0xde | 0x391..=0x3a1 | 0x3a3..=0x3ab | 0x410..=0x42f => 0x20,
        0x400..=0x40f => 0x50,
        0x386 => 0x26,
        0x388..=0x38a => 0x25,
        0x38c => 0x40,
        0x38e..=0x38f => 0x3f,
        // Here the two cases of a letter are neighbours.
        0x100..=0x12f
        | 0x132..=0x137
        | 0x14a..=0x177
        | 0x460..=0x481
        | 0x48a..=0x4bf
        | 0x4d0..=0x52f
        | 0x1e00..=0x1e95
        | 0x1ea0..=0x1eff => !code & 1,
        0x139..=0x148 | 0x179..=0x17e | 0x4c1..=0x4ce => code & 1,
        _ => 0,
    };
    char::from_u32(code.wrapping_add(up)).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_of_names_are_those_of_the_standard_library() {
        for letter in '\0'..=char::MAX {
            let all: Vec<char> = letter.to_lowercase().collect();
            let is_known = matches!(letter, '\0'..='\u{17f}' | '\u{370}'..='\u{52f}' | '\u{1e00}'..='\u{1eff}');
            // These are no letters of names, or do not stay one letter: İ, Ÿ, letters of Coptic and of mathematics, Ӏ, ẞ.
            let is_rare = matches!(letter, 'İ' | 'Ÿ' | '\u{370}'..='\u{385}' | '\u{3cf}'..='\u{3ff}' | 'Ӏ' | 'ẞ');
            let is_same = all == [lower(letter)] || lower(letter) == letter && (!is_known || is_rare);
            assert!(is_same, "{letter:?} became {:?}; expected {all:?}", lower(letter));
        }
    }
}
