//! Misspellings: which words of the contract are one edit away from a word.
//!
//! It uses symmetric deletes (Garbe, "1000x faster spelling correction", 2012): two words at an edit distance of one
//! share a form with one letter left out, or one is such a form of the other. The forms of all words of the contract
//! are in one table. So a look-up takes as many probes as the word has letters, however large the contract is. Hits are
//! checked. A word counts as misspelled only by a swap of neighbours, or if it is longer, by an insertion, a deletion or
//! another letter; never in its first letter, and in its last one only by a swap: an `awardee` is no `awarder`. Most words of
//! English are a letter away from another one: `patent` and `patient`, `nitrate` and `nitrite`. So what is misspelled may
//! not be in the dictionary, and what is meant has to be, except where one letter hardly makes another word.

use super::lexicon::{hash_word, lexicon};
use crate::hash::name_hash;
use crate::order::sort;

/// Shorter words are too close to others, but for a swap within a word that is known: `nmae` is a `name`.
const MIN_LEN: usize = 5;
/// From this length on, a letter more or less counts as a misspelling too: a `vlan` is no `vxlan`.
const MIN_LEN_MORE: usize = 6;
/// From this length on, another letter counts as a misspelling of a known word too.
const MIN_LEN_REPLACED: usize = 7;
/// From this length on, a letter more or less counts as a misspelling of words that are not known, too.
const MIN_LEN_UNKNOWN: usize = 9;
/// A longer word is hardly one: the longest of the dictionary has half of that.
const MAX_LEN: usize = 32;

/// The words of a contract, indexed by their forms with one letter left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typos {
    /// The hash of a form, and the index of the word, sorted.
    forms: Vec<(u64, u32)>,
    words: Vec<Box<str>>,
}

impl Typos {
    /// Builds an index of these words.
    pub fn of(mut words: Vec<Box<str>>) -> Typos {
        words.retain(|word| fits(word));
        sort(&mut words);
        words.dedup();
        let mut forms = Vec::new();
        for (id, word) in words.iter().enumerate() {
            each_form(word, |hash| forms.push((hash, id as u32)));
        }
        sort(&mut forms);
        forms.dedup();
        Typos { forms, words }
    }

    /// Calls `each` with the hash of every word of which this one may be a misspelling, eight at most. A known word is
    /// no misspelling.
    pub fn meant_by(&self, word: &str, each: &mut dyn FnMut(u64)) {
        if fits(word) && !self.is_known(word.as_bytes()) {
            self.look_up(word, &is_slip, each);
        }
    }

    /// As [`Typos::meant_by`], for words that are written together. `ends`: where each of them ends. One of them must be
    /// a misspelling by itself: `mnc_name` is no `mcc_name`.
    pub fn meant_by_words(&self, joined: &str, ends: &[usize], each: &mut dyn FnMut(u64)) {
        let is_slip = |own: &[u8], other: &[u8]| {
            let before = own.iter().zip(other).take_while(|(a, b)| a == b).count();
            let end = ends.iter().copied().find(|end| *end > before).unwrap_or(own.len());
            let start = ends.iter().copied().rfind(|end| *end <= before).unwrap_or(0);
            let word = own.get(start..end).unwrap_or_default();
            let after = own.get(end..).unwrap_or_default();
            let Some(other) = other.strip_suffix(after).and_then(|other| other.get(start..)) else { return false };
            let is_known = self.is_known(word);
            let (word, other) = match (word.strip_suffix(b"s"), other.strip_suffix(b"s")) {
                (Some(word), Some(other)) => (word, other),
                _ => (word, other),
            };
            !is_known && is_slip(word, other)
        };
        if fits(joined) && !self.is_known(joined.as_bytes()) {
            self.look_up(joined, &is_slip, each);
        }
    }

    fn look_up(&self, word: &str, is_slip: &dyn Fn(&[u8], &[u8]) -> bool, each: &mut dyn FnMut(u64)) {
        let mut seen = [u32::MAX; 8];
        let mut count = 0;
        each_form(word, |hash| {
            let from = self.forms.partition_point(|(form, _)| *form < hash);
            for (_, id) in self.forms.iter().skip(from).take_while(|(form, _)| *form == hash) {
                let Some(other) = self.words.get(*id as usize) else { return };
                if !seen.contains(id)
                    && is_slip(word.as_bytes(), other.as_bytes())
                    && let Some(place) = seen.get_mut(count)
                {
                    *place = *id;
                    count = count.saturating_add(1);
                    each(hash_word(other));
                }
            }
        });
    }

    fn is_known(&self, word: &[u8]) -> bool {
        self.words.binary_search_by(|other| other.as_bytes().cmp(word)).is_ok() || is_word(word)
    }
}

fn fits(word: &str) -> bool {
    (MIN_LEN.saturating_sub(1)..=MAX_LEN).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn each_form(word: &str, mut each: impl FnMut(u64)) {
    each(hash_word(word));
    let mut form = [0u8; MAX_LEN];
    for left_out in 0..word.len() {
        let kept = word.bytes().enumerate().filter(|(place, _)| *place != left_out);
        for (to, (_, from)) in form.iter_mut().zip(kept) {
            *to = from;
        }
        let form = form.get(..word.len().saturating_sub(1)).unwrap_or_default();
        each(name_hash(form).max(1));
    }
}

/// Whether a word, which is not known, is the one that is meant, with one misspelling.
fn is_slip(word: &[u8], meant: &[u8]) -> bool {
    let longer = word.len().max(meant.len());
    if word.first() != meant.first() {
        return false;
    }
    let before = word.iter().zip(meant).take_while(|(a, b)| a == b).count();
    let is_doubled = |letter: &u8| before.checked_sub(1).and_then(|at| word.get(at)) == Some(letter);
    match (word.get(before..).unwrap_or_default(), meant.get(before..).unwrap_or_default()) {
        // `rescheduled` is `reschedule` in another form, not misspelled.
        ([], [_]) | ([_], [] | [_]) => false,
        ([first, second, rest @ ..], [other, another, other_rest @ ..])
            if first == another && second == other && rest == other_rest =>
        {
            longer >= MIN_LEN || !rest.is_empty() && is_word(meant)
        }
        ([_, rest @ ..], [_, other_rest @ ..]) if rest == other_rest => longer >= MIN_LEN_REPLACED && is_word(meant),
        ([more, rest @ ..], whole) | (whole, [more, rest @ ..]) if rest == whole => {
            longer >= MIN_LEN_MORE && (longer >= MIN_LEN_UNKNOWN || is_doubled(more) || is_word(meant))
        }
        _ => false,
    }
}

/// Whether the dictionary has the word.
fn is_word(word: &[u8]) -> bool {
    lexicon().get(name_hash(word).max(1)).is_some_and(|entry| entry.is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found() {
        let typos = Typos::of(["email", "username", "department", "number", "type", "gizo"].map(Box::from).to_vec());
        let meant = |word: &str| {
            let mut found = Vec::new();
            typos.meant_by(word, &mut |hash| found.push(hash));
            found
        };
        for (word, expected) in [
            ("emial", "email"),
            ("usrename", "username"),
            ("deparment", "department"),
            ("nubmer", "number"),
            ("tpye", "type"),
        ] {
            assert_eq!(meant(word), [hash_word(expected)], "{word}");
        }
        for word in ["email", "gmail", "umber", "numbed", "departmental", "emails", "usernamf", "tyep", "gzio", ""] {
            assert_eq!(meant(word), [0u64; 0], "{word}");
        }
    }

    #[test]
    fn one_of_the_words_is_a_slip_by_itself() {
        let typos = Typos::of(["sshport", "mailaddress", "votescount", "orgid"].map(Box::from).to_vec());
        let meant = |words: &[&str]| {
            let ends: Vec<usize> = (1..=words.len()).map(|count| words[..count].concat().len()).collect();
            let mut found = Vec::new();
            typos.meant_by_words(&words.concat(), &ends, &mut |hash| found.push(hash));
            found
        };
        assert_eq!(meant(&["mail", "adress"]), [hash_word("mailaddress")]);
        for words in [["ssl", "port"], ["voters", "count"], ["orgc", "id"]] {
            assert_eq!(meant(&words), [0u64; 0], "{words:?}");
        }
    }
}
