//! Negatives without labels: names of one object that differ in the same word (`sms_price` and `sms_limit`,
//! `voice_price` and `voice_limit`) stand for two things.
//!
//! The body is described as its own contract. Then all members of an object whose names have one of the words are
//! missing, and the contract does not know those that have the other word. These are tempting, since several names
//! suggest the same, but wrong.

use std::collections::BTreeMap;

use healer::similarity::Settings;

use crate::beside::{described, leaves, without};
use crate::corpus::Api;
use crate::engine::predict;

/// The least number of names that differ in one word only.
const LEAST: usize = 2;

/// Returns the number of groups tried, and a line for each in which a member was wrongly taken.
pub fn taken_for_a_parallel(api: &Api, settings: Settings) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for body in api.cases.iter().map(|case| &case.body).filter(|body| body.is_object()) {
        let paths = leaves(body);
        for (above, missing, unlisted) in parallels(&paths) {
            let of = |word: &str| -> Vec<&Vec<String>> {
                let has = |path: &&Vec<String>| {
                    named(path)
                        .is_some_and(|(object, name)| object == above && words(name).iter().any(|other| other == word))
                };
                paths.iter().filter(has).collect()
            };
            let bare = |word: &str| of(word).into_iter().fold(body.clone(), |body, path| without(&body, path));
            tried += 1;
            let about = of(&missing);
            let taken = predict(&described(&bare(&unlisted)), &bare(&missing), settings).into_iter();
            let taken = taken.filter(|pair| about.iter().any(|path| path.join(".") == pair.expected));
            let taken: Vec<String> = taken.map(|pair| format!("{} ~ {}", pair.expected, pair.found)).collect();
            if !taken.is_empty() {
                wrong.push(format!("{}: {}", api.file, taken.join(", ")));
            }
        }
    }
    (tried, wrong)
}

/// Returns objects with several names that differ in two words only, each pair of words in both directions.
fn parallels(paths: &[Vec<String>]) -> Vec<(Vec<String>, String, String)> {
    let mut groups: BTreeMap<(&[String], String, String), usize> = BTreeMap::new();
    let named: Vec<_> = paths.iter().filter_map(|path| named(path)).collect();
    for (object, name) in &named {
        for (_, other) in named.iter().filter(|(beside, other)| beside == object && other != name) {
            if let Some((a, b)) = one_word_apart(&words(name), &words(other)) {
                *groups.entry((*object, a, b)).or_default() += 1;
            }
        }
    }
    let several = groups.into_iter().filter(|(_, names)| *names >= LEAST);
    several.map(|((object, a, b), _)| (object.to_vec(), a, b)).collect()
}

fn named(path: &[String]) -> Option<(&[String], &str)> {
    path.split_last().map(|(name, object)| (object, name.as_str()))
}

/// Returns the words in which two names differ, if each name has several words and they differ in one.
fn one_word_apart(a: &[String], b: &[String]) -> Option<(String, String)> {
    let mut apart = a.iter().zip(b).filter(|(a, b)| a != b);
    let (a_word, b_word) = apart.next()?;
    let is_one = apart.next().is_none() && a.len() == b.len() && a.len() > 1;
    is_one.then(|| (a_word.clone(), b_word.clone()))
}

/// Splits `smsPrice` and `sms_price` into `sms` and `price`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && before_is_lower {
            words.push(String::new());
        }
        before_is_lower = letter.is_lowercase() || letter.is_numeric();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_the_same_word_are_parallel() {
        let paths = [
            &["a", "smsPrice"][..],
            &["a", "smsLimit"],
            &["a", "voicePrice"],
            &["a", "voice_limit"],
            &["sms_x"],
            &["voice_x"],
        ];
        let paths: Vec<Vec<String>> =
            paths.iter().map(|path| path.iter().map(|name| (*name).to_owned()).collect()).collect();
        let found = parallels(&paths);
        let told: Vec<_> = found.iter().map(|(object, a, b)| (object.join("."), a.as_str(), b.as_str())).collect();
        let a = || "a".to_owned();
        assert_eq!(
            told,
            [(a(), "limit", "price"), (a(), "price", "limit"), (a(), "sms", "voice"), (a(), "voice", "sms")]
        );
    }
}
