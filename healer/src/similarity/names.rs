//! Names and the names above them, as words and as keys that are equal for equal meanings.
//!
//! A key is the hash of a word, of a phrase, or of a group of synonyms. It carries the words that it stands for, and
//! the cost of getting from these words to it. Two names say the same if they share keys. So everything that is known
//! of words is looked up once per name, and a pair of names costs a merge of two short sorted lists.

mod inverse;
pub(crate) mod letters;
pub(crate) mod lexicon;
pub(crate) mod roles;
pub(crate) mod typos;
pub(crate) mod words;

use std::cmp::Ordering;
use std::ops::Range;

use nomos_rules::dictionary::{LONGEST_PHRASE, Role, singular, words};

use super::names::lexicon::{Entry, Lexicon, More, Neutral, group_hash, group_weight, hash_word, join_hash, lexicon};
use super::names::roles::Roles;
use super::names::typos::Typos;
use super::names::words::each_word;
use super::weights::{ONE_EXPANSION, ONLY_EXPANSION, TYPO, told_by};
use crate::order::sort_by_less;
use crate::plan::spec::{Kind, Kinds};

/// A set of words of a name and of the names above it, as bits.
pub(super) type Mask = u16;

/// The largest number of words of a name together with the names above it.
const MAX_WORDS: usize = Mask::BITS as usize;
/// The largest number of words of one name. A name with more is not compared.
const MAX_OWN: usize = 8;
/// The number of objects above a name whose names are looked at.
pub(super) const MAX_LEVEL: u8 = 3;
/// The largest number of keys of a name; the rest is left out.
const MAX_KEYS: usize = 96;

/// A word of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// The hash of its singular.
    pub hash: u64,
    /// 0 for a word of the name itself, 1 for one of the object around it, and so on.
    pub level: u8,
    pub is_number: bool,
    pub roles: Roles,
    /// How much it tells, from 0 to 1.
    pub weight: f32,
    /// Whether it is a word of the dictionary.
    pub is_word: bool,
    /// Whether it was written as a plural.
    pub is_plural: bool,
    text: (u32, u32),
}

/// A key by which a name is found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub hash: u64,
    /// The words that it stands for.
    pub words: Mask,
    pub weight: f32,
}

/// A name.
#[derive(Clone, Debug, Default)]
pub(super) struct Name {
    tokens: Range<u32>,
    keys: Range<u32>,
    /// Its own words, without those above it.
    pub own: Mask,
    /// Own words that say nothing here.
    pub neutral: Mask,
    /// Own words that the names above say already.
    pub implied: Mask,
    /// Own words that must have a counterpart.
    pub needed: Mask,
    /// The hash of the name without case and separators, by which names are the same. Names that have no letters and
    /// digits, or too many bytes to be looked at, are the same only if they are equal.
    pub joined: u64,
    /// Whether objects of this name stand around records.
    pub is_envelope: bool,
    /// Whether objects of this name group members.
    pub is_grouping: bool,
}

/// Names with all that is known of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    tokens: Vec<Token>,
    keys: Vec<Key>,
    list: Vec<Name>,
    word: String,
    /// The words of the last name that was added, written together, and where each of them ends.
    closed: String,
    ends: Vec<usize>,
}

impl Names {
    pub fn clear(&mut self) {
        self.text.clear();
        self.tokens.clear();
        self.keys.clear();
        self.list.clear();
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, id: u32) -> Option<&Name> {
        self.list.get(id as usize)
    }

    pub fn tokens(&self, name: &Name) -> &[Token] {
        self.tokens.get(name.tokens.start as usize..name.tokens.end as usize).unwrap_or_default()
    }

    /// Returns the words of the name itself, without those above it.
    pub fn own(&self, name: &Name) -> &[Token] {
        let tokens = self.tokens(name);
        let own = tokens.iter().position(|token| token.level == 0).unwrap_or(tokens.len());
        tokens.get(own..).unwrap_or_default()
    }

    pub fn keys(&self, name: &Name) -> &[Key] {
        self.keys.get(name.keys.start as usize..name.keys.end as usize).unwrap_or_default()
    }

    /// Returns how much the words of the name itself tell together.
    pub fn told(&self, name: &Name) -> f32 {
        self.own(name).iter().map(|token| token.weight).sum()
    }

    /// Returns the words of the last name that was added, written together.
    pub fn closed(&self) -> &str {
        &self.closed
    }

    pub fn text(&self, token: &Token) -> &str {
        self.text.get(token.text.0 as usize..token.text.1 as usize).unwrap_or_default()
    }

    /// Adds a name of any value, with no names above it. Returns its index.
    pub fn add_alone(&mut self, name: &str) -> u32 {
        self.add(name, None, Kinds::ANY, &[], None)
    }

    /// Adds a name below `parent`, a name of this list, and returns its index. `record`: the words of the record's own
    /// name. `typos`: the words that a misspelled one may mean.
    pub fn add(&mut self, name: &str, parent: Option<u32>, kinds: Kinds, record: &[u64], typos: Option<&Typos>) -> u32 {
        let id = self.list.len() as u32;
        let start = self.tokens.len();
        self.inherit(parent);
        let own_start = self.tokens.len();
        self.split(name);
        let all = self.tokens.len().saturating_sub(start);
        let own_len = self.tokens.len().saturating_sub(own_start);
        if all > MAX_WORDS || own_len > MAX_OWN {
            self.tokens.truncate(start);
        }
        let tokens = start as u32..self.tokens.len() as u32;
        let keys_start = self.keys.len();
        let shape = Shape { all: self.tokens.len().saturating_sub(start), above: own_start.saturating_sub(start) };
        let mut made = Name { tokens, joined: hash_word(&self.closed), ..Name::default() };
        if shape.all > shape.above {
            made.own = bits(shape.above..shape.all);
            self.make_keys(start, shape, &made, typos);
            self.judge(start, shape, kinds, record, &mut made);
        }
        made.keys = keys_start as u32..self.keys.len() as u32;
        self.list.push(made);
        id
    }

    /// Copies the words above a name, as many levels as there is room for.
    fn inherit(&mut self, parent: Option<u32>) {
        let Some(above) = parent.and_then(|id| self.get(id)).map(|name| name.tokens.clone()) else { return };
        let room = MAX_WORDS.saturating_sub(MAX_OWN);
        let is_too_far = |at: &u32| self.tokens.get(*at as usize).is_some_and(|token| token.level >= MAX_LEVEL);
        // The farthest objects come first.
        let mut first = above.clone().find(|at| !is_too_far(at)).unwrap_or(above.end);
        // A level that does not fit as a whole is left out.
        while (above.end.saturating_sub(first)) as usize > room {
            let level = self.tokens.get(first as usize).map(|token| token.level);
            while first < above.end && self.tokens.get(first as usize).map(|token| token.level) == level {
                first = first.saturating_add(1);
            }
        }
        for at in first..above.end {
            if let Some(token) = self.tokens.get(at as usize).copied() {
                self.tokens.push(Token { level: token.level.saturating_add(1), ..token });
            }
        }
    }

    /// Adds the words of a name. A name in which nothing was looked at is known by all of its text.
    fn split(&mut self, name: &str) {
        let Names { text, tokens, word, closed, ends, .. } = self;
        let lexicon = lexicon();
        closed.clear();
        ends.clear();
        each_word(name, word, |word| {
            closed.push_str(word);
            ends.push(closed.len());
            let known = lexicon.get(hash_word(word));
            let is_plural = known.is_none() && word.ends_with('s');
            let entry = if is_plural { lexicon.get(hash_word(&singular(word))) } else { known };
            let Some(open) = entry.and_then(|entry| lexicon.more(entry)?.compound) else {
                return push_token(lexicon, text, tokens, word);
            };
            words(open).for_each(|word| push_token(lexicon, text, tokens, word));
            if let Some(last) = tokens.last_mut() {
                last.is_plural |= is_plural;
            }
        });
        if closed.is_empty() {
            closed.push_str(name);
        }
    }

    fn make_keys(&mut self, start: usize, shape: Shape, made: &Name, typos: Option<&Typos>) {
        let Names { text, tokens, keys, closed, ends, .. } = self;
        let Some(tokens) = tokens.get(start..) else { return };
        let mut list = KeyList { first: keys.len(), keys, lexicon: lexicon() };
        list.push(made.joined, made.own, 1.0);
        let own = tokens.get(shape.above..).unwrap_or_default();
        for (place, token) in tokens.iter().enumerate() {
            list.phrase(token.hash, bit(place), true);
        }
        list.windows(tokens, |place| place);
        // `name.full` is `full name` too.
        let parents = tokens.iter().rposition(|token| token.level > 1).map_or(0, |at| at.saturating_add(1));
        let parent = tokens.get(parents..shape.above).unwrap_or_default();
        if !parent.is_empty() && own.len() <= 3 && parent.len() <= 3 {
            let mut turned = [Token::NOTHING; 6];
            for (to, from) in turned.iter_mut().zip(own.iter().chain(parent)) {
                *to = *from;
            }
            let turned = turned.get(..own.len().saturating_add(parent.len())).unwrap_or_default();
            let place_of = |place: usize| match place.checked_sub(own.len()) {
                Some(above) => parents.saturating_add(above),
                None => shape.above.saturating_add(place),
            };
            list.windows(turned, place_of);
        }
        if let Some(typos) = typos {
            for (place, token) in tokens.iter().enumerate().skip(shape.above) {
                if !token.is_word && !token.is_number {
                    let word = text.get(token.text.0 as usize..token.text.1 as usize).unwrap_or_default();
                    typos.meant_by(word, &mut |hash| list.push(hash, bit(place), TYPO));
                }
            }
            let has_letters = own.iter().any(|token| token.text.1.saturating_sub(token.text.0) == 1);
            if own.len() > 1 && !has_letters && own.iter().any(|token| !token.is_word) {
                typos.meant_by_words(closed, ends, &mut |hash| list.push(hash, made.own, TYPO));
            }
        }
        list.finish();
    }

    /// Returns which own words the names above say of the same thing. All of them, unless the name is a reference: the
    /// name around `order_items.order_id` begins with `order`, but is about an item. `open`: own words that need not
    /// refer.
    #[inline(never)]
    fn said_of(first: usize, above: &[Token], own: &[Token], record: &[u64], open: Mask) -> Mask {
        let bits = |place: usize| bit(first.saturating_add(place));
        if own.iter().enumerate().any(|(place, word)| open & bits(place) == 0 && !word.is(Role::Reference)) {
            return Mask::MAX;
        }
        let is_own = |hash: u64| own.iter().any(|word| word.hash == hash);
        let is_about = |word: &Token| {
            let mut levels = above.chunk_by(|a, b| a.level == b.level);
            record.contains(&word.hash) && record.last().is_some_and(|last| is_own(*last))
                || levels.any(|words| word.is_in(words) && words.last().is_some_and(|last| is_own(last.hash)))
        };
        let about = own.iter().enumerate().filter(|(_, word)| is_about(word));
        about.fold(0, |words, (place, _)| words | bits(place))
    }

    /// Decides which own words say nothing, and what kind of object the name stands for.
    fn judge(&self, start: usize, shape: Shape, kinds: Kinds, record: &[u64], made: &mut Name) {
        let Some(tokens) = self.tokens.get(start..) else { return };
        let lexicon = lexicon();
        let (above, own) = tokens.split_at_checked(shape.above).unwrap_or_default();
        let is_said = |word: &Token| record.contains(&word.hash) || word.is_in(above);
        let mut fillers = 0;
        for (place, token) in own.iter().enumerate() {
            let bit = bit(shape.above.saturating_add(place));
            if is_said(token) {
                made.implied |= bit;
            }
            if token.is(Role::Filler) {
                fillers |= bit;
            }
        }
        if made.implied != 0 {
            made.implied &= Names::said_of(shape.above, above, own, record, made.implied | fillers);
        }
        made.neutral = neutral_suffix(lexicon, tokens, shape, kinds) | neutral_prefix(lexicon, tokens, shape, kinds);
        let is_all_filler = fillers == made.own;
        made.needed = made.own & !(made.neutral | made.implied | if is_all_filler { 0 } else { fillers });
        let phrase = |words: Mask| {
            let kept = tokens.iter().enumerate().filter(|(place, _)| words & bit(*place) != 0);
            phrase_hash(kept.map(|(_, token)| token))
        };
        let cored = made.own & !made.neutral;
        for hash in [phrase(made.own), phrase(cored)] {
            if let Some(entry) = lexicon.get(hash) {
                made.is_envelope |= entry.is_envelope;
                made.is_grouping |= entry.is_grouping;
            }
        }
        made.is_grouping |= cored == 0;
    }
}

impl Name {
    /// Whether the names above say all that it says, as `user` in the record of a user.
    pub fn is_said_above(&self) -> bool {
        self.needed == 0 && self.implied != 0
    }
}

#[derive(Clone, Copy)]
struct Shape {
    all: usize,
    above: usize,
}

impl Token {
    /// Whether the word has a role.
    pub fn is(&self, role: Role) -> bool {
        self.roles.has(role)
    }

    /// Whether the word is one of these.
    #[inline(never)]
    pub fn is_in(&self, words: &[Token]) -> bool {
        words.iter().any(|other| other.hash == self.hash)
    }

    /// Whether the word says the opposite of another one, or is another number.
    pub fn is_opposed_to(&self, other: &Token) -> bool {
        if self.is_number && other.is_number {
            return self.hash != other.hash;
        }
        let lexicon = lexicon();
        let entries = lexicon.get(self.hash).zip(lexicon.get(other.hash));
        entries.is_some_and(|(own, other)| lexicon.are_opposed(own, other))
    }

    const NOTHING: Token = Token {
        hash: 0,
        level: 0,
        is_number: false,
        roles: Roles::NONE,
        weight: 0.0,
        is_word: false,
        is_plural: false,
        text: (0, 0),
    };
}

/// Returns the hash of a phrase of these words; 0 if there are none.
pub(super) fn phrase_hash<'t>(words: impl IntoIterator<Item = &'t Token>) -> u64 {
    words.into_iter().fold(0, |hash, word| join_hash(hash, word.hash))
}

/// Returns the bit of the word at a place.
pub(super) fn bit(place: usize) -> Mask {
    bits(place..place.saturating_add(1))
}

/// Returns the bits of a range of words.
pub(super) fn bits(words: Range<usize>) -> Mask {
    let below = |end: usize| if end >= MAX_WORDS { Mask::MAX } else { !(Mask::MAX << end) };
    below(words.end) & !below(words.start)
}

fn push_token(lexicon: &Lexicon, text: &mut String, tokens: &mut Vec<Token>, word: &str) {
    let raw = lexicon.get(hash_word(word));
    let folded = match raw.and_then(|entry| lexicon.more(entry)?.singular) {
        Some(singular) => singular.into(),
        None if word.ends_with('s') => singular(word),
        None => word.into(),
    };
    let start = text.len() as u32;
    text.push_str(&folded);
    let hash = hash_word(&folded);
    let is_number = folded.bytes().all(|byte| byte.is_ascii_digit());
    let entry = lexicon.get(hash);
    let roles = entry.map_or(Roles::NONE, |entry| entry.roles);
    let is_participle = folded.ends_with("ed") && !folded.ends_with("eed");
    let weight = if is_number { 0.1 } else { told_by(&folded, roles) };
    let is_word = entry.is_some_and(|entry| entry.is_word) || raw.is_some_and(|entry| entry.is_word);
    tokens.push(Token {
        hash,
        level: 0,
        is_number,
        roles: if is_participle { roles.with(Role::Adjective) } else { roles },
        weight,
        is_word,
        is_plural: folded != word,
        text: (start, text.len() as u32),
    });
}

/// Calls `each` with the keys on either side for each hash that two names share.
pub(super) fn each_shared<'k>(mut left: &'k [Key], mut right: &'k [Key], mut each: impl FnMut(&'k [Key], &'k [Key])) {
    while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
        match a.hash.cmp(&b.hash) {
            Ordering::Less => left = left_rest,
            Ordering::Greater => right = right_rest,
            Ordering::Equal => {
                let (same_left, same_right);
                (same_left, left) = split_run(left, a.hash);
                (same_right, right) = split_run(right, a.hash);
                each(same_left, same_right);
            }
        }
    }
}

/// Returns the keys in front with this hash, and the others.
fn split_run(keys: &[Key], hash: u64) -> (&[Key], &[Key]) {
    let len = keys.iter().take_while(|key| key.hash == hash).count();
    keys.split_at_checked(len).unwrap_or_default()
}

/// The keys of one name, while they are built.
struct KeyList<'a> {
    first: usize,
    keys: &'a mut Vec<Key>,
    lexicon: &'a Lexicon,
}

impl KeyList<'_> {
    fn push(&mut self, hash: u64, words: Mask, weight: f32) {
        if self.keys.len().saturating_sub(self.first) < MAX_KEYS {
            self.keys.push(Key { hash, words, weight });
        }
    }

    /// Adds the phrases among these words. `place_of` maps their places to places in the name.
    fn windows(&mut self, tokens: &[Token], place_of: impl Fn(usize) -> usize) {
        for start in 0..tokens.len() {
            let mut hash = 0;
            let mut words = 0;
            for (place, token) in tokens.iter().enumerate().skip(start).take(LONGEST_PHRASE) {
                hash = join_hash(hash, token.hash);
                words |= bit(place_of(place));
                if place > start {
                    self.phrase(hash, words, false);
                }
            }
        }
    }

    /// Adds the keys of a phrase: itself if it is a word or known, its synonyms, and what it is short for.
    fn phrase(&mut self, hash: u64, words: Mask, is_word: bool) {
        let entry = self.lexicon.get(hash);
        if is_word || entry.is_some() {
            self.push(hash, words, 1.0);
        }
        let Some(entry) = entry else { return };
        self.synonyms(entry, words, 1.0);
        let expansions = self.lexicon.more(entry).map_or(&[][..], |more| &more.expansions);
        let weight = if expansions.len() == 1 { ONLY_EXPANSION } else { ONE_EXPANSION };
        for long in expansions {
            self.push(*long, words, weight);
            if let Some(entry) = self.lexicon.get(*long) {
                self.synonyms(entry, words, weight);
            }
        }
    }

    fn synonyms(&mut self, entry: &Entry, words: Mask, weight: f32) {
        for group in self.lexicon.groups(entry) {
            self.push(group_hash(*group), words, weight * group_weight(*group));
        }
    }

    /// Sorts the keys for the merge.
    fn finish(self) {
        if let Some(keys) = self.keys.get_mut(self.first..) {
            sort_by_less(keys, |a, b| {
                a.hash < b.hash || a.hash == b.hash && a.words.cmp(&b.words).then(b.weight.total_cmp(&a.weight)).is_lt()
            });
        }
    }
}

fn neutral_suffix(lexicon: &Lexicon, tokens: &[Token], shape: Shape, kinds: Kinds) -> Mask {
    let own = shape.all.saturating_sub(shape.above);
    for len in (1..=own.min(LONGEST_PHRASE)).rev() {
        let start = shape.all.saturating_sub(len);
        let suffix = tokens.iter().skip(start);
        for neutral in neutrals(lexicon, suffix, kinds).filter(|neutral| !neutral.is_prefix) {
            let head_fits = |len: usize| {
                let head = tokens.iter().take(start).skip(start.saturating_sub(len));
                lexicon.is_head(neutral, phrase_hash(head))
            };
            let is_free = neutral.is_free() && start > 0;
            if is_free || (1..=start.min(3)).any(head_fits) {
                return bits(start..shape.all);
            }
        }
    }
    0
}

fn neutral_prefix(lexicon: &Lexicon, tokens: &[Token], shape: Shape, kinds: Kinds) -> Mask {
    let own = tokens.get(shape.above..shape.all).unwrap_or_default();
    for len in (1..own.len().min(LONGEST_PHRASE.saturating_add(1))).rev() {
        let prefix = own.iter().take(len);
        for neutral in neutrals(lexicon, prefix, kinds).filter(|neutral| neutral.is_prefix) {
            let head_fits = |head: usize| lexicon.is_head(neutral, phrase_hash(own.iter().skip(len).take(head)));
            if neutral.is_free() || (1..=3).any(head_fits) {
                return bits(shape.above..shape.above.saturating_add(len));
            }
        }
    }
    0
}

/// Returns where a phrase says nothing in the names of values of these kinds.
fn neutrals<'t, 'l>(
    lexicon: &'l Lexicon,
    phrase: impl Iterator<Item = &'t Token>,
    kinds: Kinds,
) -> impl Iterator<Item = &'l Neutral> {
    let more: Option<&More> = lexicon.get(phrase_hash(phrase)).and_then(|entry| lexicon.more(entry));
    let neutral = more.map_or(&[][..], |more| &more.neutral);
    neutral.iter().filter(move |neutral| meet(neutral.kinds, kinds))
}

/// Whether two sets have a kind other than null in common, or `b` is null only.
fn meet(a: Kinds, b: Kinds) -> bool {
    let null = Kinds::of(Kind::Null);
    a.and(b).without(null) != Kinds::NONE || b == null
}
