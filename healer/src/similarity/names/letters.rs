//! The letters that names of members are written with.
//!
//! The standard library's tables cover all of Unicode, and would be a fortieth of the module.

/// Returns a letter in lower case.
///
/// These are the scripts with two cases that are in use in names: Latin with its accents (Vietnamese included), Greek,
/// and Cyrillic. Other letters stay as they are, so a name in them is found only if its case did not change.
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

/// Whether a character beyond ASCII is punctuation, a symbol or a space, and so no part of a word.
///
/// These are the blocks of Unicode that have nothing else and are in use in texts.
pub(crate) fn is_sign(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0x80..=0xa9
            | 0xab..=0xb1
            | 0xb4
            | 0xb6..=0xb8
            | 0xbb
            | 0xbf
            | 0xd7
            | 0xf7
            | 0x2000..=0x206f
            | 0x20a0..=0x20cf
            | 0x218a..=0x245f
            | 0x2500..=0x2775
            | 0x2794..=0x2bff
            | 0x3000..=0x3004
            | 0x3008..=0x3020
            | 0xe000..=0xf8ff
            | 0xfe00..=0xfe6f
            | 0xff00..=0xff0f
            | 0xff1a..=0xff20
            | 0xff3b..=0xff40
            | 0xff5b..=0xff65
            | 0xffe0..=0xffff
            | 0x1f1e6..=0x1f1ff
            | 0x1f300..=0x1faff
    )
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

    #[test]
    fn no_letter_or_digit_of_the_standard_library_is_a_sign() {
        for letter in '\u{80}'..=char::MAX {
            assert!(!(letter.is_alphanumeric() && is_sign(letter)), "{letter:?}");
        }
    }

    #[test]
    fn what_separates_words_is_a_sign() {
        for sign in "\u{a0}¡§©«±´¶·»¿×÷–—‘’“”†•…‰€₿←↑→∅∑√≠■●★☆♥✓✗➔⟨⟩　、。「」【】！（），．／：＿～￥🙂🚀🇩".chars()
        {
            assert!(is_sign(sign), "{sign:?}");
        }
    }
}
