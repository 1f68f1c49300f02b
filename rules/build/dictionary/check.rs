//! What the dictionary must satisfy, each file alone and all together.

use super::{
    file::{Dictionary, Group, NeutralEntry, OneOrMore, Set, Strength, place},
    plural::{regular, singular},
    role::Role,
};
use std::collections::{BTreeMap, BTreeSet};

/// Every problem, with its file and place, what was found and what was expected.
pub fn check(dictionary: &Dictionary) -> Vec<String> {
    let mut check = Check { dictionary, uncountable: uncountable(dictionary), problems: Vec::new() };
    check.plurals();
    check.compounds();
    check.abbreviations();
    check.synonyms();
    check.opposites();
    check.neutral();
    check.wrappers();
    check.roles();
    check.single_words();
    check.problems
}

/// The slots of a set, with all that is exactly the same as a word of theirs.
pub fn slots<'a>(set: &'a Set, exact: &BTreeMap<&'a str, Vec<&'a Group>>) -> Vec<BTreeSet<&'a str>> {
    let closed = |word: &'a String| {
        let groups = exact.get(word.as_str()).into_iter().flatten();
        let same = groups.flat_map(|group| &group.words).map(String::as_str);
        same.chain([word.as_str()]).collect::<Vec<&str>>()
    };
    set.never.iter().map(|slot| slot.words().iter().flat_map(closed).collect()).collect()
}

/// The exact groups of each word.
pub fn exact_groups(groups: &[Group]) -> BTreeMap<&str, Vec<&Group>> {
    let mut exact: BTreeMap<&str, Vec<&Group>> = BTreeMap::new();
    for group in groups.iter().filter(|group| group.strength == Strength::Exact) {
        for word in &group.words {
            exact.entry(word).or_default().push(group);
        }
    }
    exact
}

/// Uncountable words, sorted.
pub fn uncountable(dictionary: &Dictionary) -> BTreeSet<&str> {
    dictionary.plurals.uncountable.iter().map(String::as_str).collect()
}

struct Check<'a> {
    dictionary: &'a Dictionary,
    uncountable: BTreeSet<&'a str>,
    problems: Vec<String>,
}

impl<'a> Check<'a> {
    fn tell(&mut self, file: &str, at: &str, what: &str) {
        self.problems.push(format!("{}: {at}: {what}", place(file)));
    }

    fn plurals(&mut self) {
        let table = &self.dictionary.plurals;
        for (plural, singular) in &table.irregular {
            if regular(plural) == singular.as_str() {
                self.tell("plurals", plural, "found what the rules give too; expected a plural that they cannot fold");
            }
            if table.irregular.contains_key(singular) {
                self.tell("plurals", plural, &format!("found the plural `{singular}`; expected a singular"));
            }
            self.spelling("plurals", plural, plural);
            self.spelling("plurals", plural, singular);
        }
        for word in &table.uncountable {
            if table.irregular.contains_key(word) {
                self.tell("plurals", word, "found in `irregular` and `uncountable`; expected one of them");
            }
            if regular(word) == word.as_str() {
                self.tell("plurals", word, "found a word that no rule changes; expected one that looks like a plural");
            }
        }
        self.no_duplicates("plurals", "uncountable", &table.uncountable);
    }

    fn compounds(&mut self) {
        for (closed, open) in &self.dictionary.compounds {
            let open_tokens = open.split(' ').count();
            if open_tokens < 2 || open.replace(' ', "") != *closed {
                let what = format!("found `{open}`; expected the same letters, with spaces between the words");
                self.tell("compounds", closed, &what);
            }
            self.normal("compounds", closed, open);
        }
    }

    fn abbreviations(&mut self) {
        for (short, expansions) in &self.dictionary.abbreviations {
            self.spelling("abbreviations", short, short);
            if short.contains(' ') {
                self.tell("abbreviations", short, "found a phrase; expected one short form");
            }
            for expansion in expansions.words() {
                self.normal("abbreviations", short, expansion);
                if expansion == short {
                    self.tell("abbreviations", short, "found the short form itself; expected what it stands for");
                }
            }
            if expansions.words().is_empty() {
                self.tell("abbreviations", short, "found no expansion; expected one or more");
            }
            self.no_duplicates("abbreviations", short, expansions.words());
        }
    }

    fn synonyms(&mut self) {
        let groups = &self.dictionary.synonyms;
        self.senses("synonyms", groups.iter().map(|group| group.sense.as_str()));
        for group in groups {
            self.words("synonyms", &group.sense, &group.words);
            if group.words.len() < 2 {
                self.tell("synonyms", &group.sense, "found fewer than two words; expected words that mean the same");
            }
        }
        let sets: Vec<BTreeSet<&str>> = groups.iter().map(|g| g.words.iter().map(String::as_str).collect()).collect();
        for (at, (group, words)) in groups.iter().zip(&sets).enumerate() {
            for (other_at, (other, larger)) in groups.iter().zip(&sets).enumerate() {
                // An exact group inside a near one says more than the near one does.
                let says_no_more = group.strength == other.strength || other.strength == Strength::Exact;
                let comes_second = words != larger || at > other_at;
                if at != other_at && says_no_more && comes_second && words.is_subset(larger) {
                    let what = format!("found only words of \"{}\"; expected a group that adds to it", other.sense);
                    self.tell("synonyms", &group.sense, &what);
                }
            }
        }
    }

    fn opposites(&mut self) {
        let sets = &self.dictionary.opposites;
        let exact = exact_groups(&self.dictionary.synonyms);
        self.senses("opposites", sets.iter().map(|set| set.sense.as_str()));
        for set in sets {
            let words: Vec<String> = set.never.iter().flat_map(OneOrMore::words).cloned().collect();
            self.words("opposites", &set.sense, &words);
            if set.never.len() < 2 || set.never.iter().any(|slot| slot.words().is_empty()) {
                self.tell(
                    "opposites",
                    &set.sense,
                    "found fewer than two slots, or an empty one; expected words to keep apart",
                );
            }
            let slots = slots(set, &exact);
            for (at, slot) in slots.iter().enumerate() {
                for other in slots.iter().skip(at.saturating_add(1)) {
                    self.kept_apart(&set.sense, slot, other);
                }
            }
        }
    }

    /// No word of one slot is, or means the same as, a word of the other.
    fn kept_apart(&mut self, sense: &str, slot: &BTreeSet<&str>, other: &BTreeSet<&str>) {
        for word in slot.intersection(other) {
            self.tell("opposites", sense, &format!("found `{word}` in two slots; expected it in one"));
        }
        for group in &self.dictionary.synonyms {
            let of_slot =
                group.words.iter().find(|word| slot.contains(word.as_str()) && !other.contains(word.as_str()));
            let of_other =
                group.words.iter().find(|word| other.contains(word.as_str()) && !slot.contains(word.as_str()));
            if let (Some(a), Some(b)) = (of_slot, of_other) {
                let what = format!(
                    "found `{a}` and `{b}`, which are synonyms (\"{}\"); expected words that never mean the same",
                    group.sense
                );
                self.tell("opposites", sense, &what);
            }
        }
    }

    fn neutral(&mut self) {
        let neutral = &self.dictionary.neutral;
        for (side, entries) in [("suffix", &neutral.suffix), ("prefix", &neutral.prefix)] {
            let mut seen = BTreeSet::new();
            for entry in entries {
                let at = format!("{side} {}", entry.words.join(", "));
                self.words("neutral", &at, &entry.words);
                self.words("neutral", &at, &entry.after);
                self.words("neutral", &at, &entry.before);
                let wrong = if side == "suffix" { &entry.before } else { &entry.after };
                if !wrong.is_empty() || entry.words.is_empty() {
                    self.tell("neutral", &at, "found no words, or heads on the wrong side; expected `words`, and `after` for a suffix or `before` for a prefix");
                }
                let heads = if side == "suffix" { &entry.after } else { &entry.before };
                let covers = |other: &&NeutralEntry| {
                    let is_free = other.after.is_empty() && other.before.is_empty();
                    !std::ptr::eq(*other, entry) && is_free && (other.kind.is_none() || other.kind == entry.kind)
                };
                for other in entries.iter().filter(covers) {
                    for word in entry.words.iter().filter(|word| other.words.contains(word)) {
                        let what =
                            format!("found `{word}`, which another entry has next to any word; expected it once");
                        self.tell("neutral", &at, &what);
                    }
                }
                for word in &entry.words {
                    let repeated = heads.iter().any(|head| !seen.insert((word, head)));
                    if repeated {
                        self.tell(
                            "neutral",
                            &at,
                            &format!("found `{word}` with a head a second time; expected it once"),
                        );
                    }
                }
            }
        }
    }

    fn wrappers(&mut self) {
        let wrappers = &self.dictionary.wrappers;
        self.words("wrappers", "envelopes", &wrappers.envelopes);
        self.words("wrappers", "groupings", &wrappers.groupings);
        for word in wrappers.envelopes.iter().filter(|word| wrappers.groupings.contains(word)) {
            self.tell("wrappers", word, "found in `envelopes` and `groupings`; expected one of them");
        }
    }

    fn roles(&mut self) {
        let roles = &self.dictionary.roles;
        let names = Role::ALL.map(Role::name);
        for name in names.iter().filter(|name| roles.get(*name).is_none_or(Vec::is_empty)) {
            self.tell("roles", name, "found no words; expected one or more");
        }
        for (name, words) in roles {
            if !names.contains(name) {
                self.tell("roles", name, &format!("found a role of that name; expected one of {}", names.join(", ")));
            }
            self.sorted_words("roles", name, words);
        }
    }

    fn single_words(&mut self) {
        self.sorted_words("words", "all", &self.dictionary.words);
    }

    fn sorted_words(&mut self, file: &str, at: &str, words: &[String]) {
        self.words(file, at, words);
        for word in words.iter().filter(|word| word.contains(' ')) {
            self.tell(file, word, "found a phrase; expected one word");
        }
        if !words.is_sorted() {
            self.tell(file, at, "found words that are not sorted; expected them sorted");
        }
    }

    fn senses(&mut self, file: &str, senses: impl Iterator<Item = &'a str>) {
        let mut seen = BTreeSet::new();
        for sense in senses {
            if sense.trim().is_empty() || sense.contains('\n') {
                self.tell(file, sense, "found no sense of one line; expected one");
            }
            if !seen.insert(sense) {
                self.tell(file, sense, "found the sense a second time; expected each once");
            }
        }
    }

    fn words(&mut self, file: &str, at: &str, words: &[String]) {
        for word in words {
            self.normal(file, at, word);
        }
        self.no_duplicates(file, at, words);
    }

    fn no_duplicates(&mut self, file: &str, at: &str, words: &[String]) {
        let mut seen = BTreeSet::new();
        for word in words {
            if !seen.insert(word) {
                self.tell(file, at, &format!("found `{word}` twice; expected it once"));
            }
        }
    }

    fn spelling(&mut self, file: &str, at: &str, word: &str) {
        let is_token = |token: &str| {
            !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !word.split(' ').all(is_token) {
            let what = format!("found `{word}`; expected lower-case letters and digits, words separated by one space");
            self.tell(file, at, &what);
        }
    }

    /// Names are looked up in normal form, so another form would never be found.
    fn normal(&mut self, file: &str, at: &str, word: &str) {
        self.spelling(file, at, word);
        let dictionary = self.dictionary;
        for token in word.split(' ') {
            let irregular = |token: &str| dictionary.plurals.irregular.get(token).map(String::as_str);
            let exception = |token: &str| irregular(token).or_else(|| self.uncountable.get(token).copied());
            let folded = singular(token, exception);
            if folded != token {
                self.tell(file, at, &format!("found `{token}` in `{word}`; expected the singular, `{folded}`"));
            }
            if let Some(open) = self.dictionary.compounds.get(token) {
                self.tell(file, at, &format!("found `{token}` in `{word}`; expected `{open}`"));
            }
        }
    }
}
