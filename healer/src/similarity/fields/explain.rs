//! Whether two names say the same, word by word.
//!
//! This is no average: each word of one name must have a counterpart in the other, or a reason to have none. The score
//! is the product of the costs of the counterparts and of the reasons.

use nomos_rules::dictionary::Role;

use crate::order::sort_by_less;
use crate::similarity::names::lexicon::lexicon;
use crate::similarity::names::{Mask, Name, Names, Token, bit, each_shared};
use crate::similarity::weights::{
    CROSSING, FIRST_NUMBER, IMPLIED_WORD, NEUTRAL_WORD, OTHER_HEAD, QUALIFIED_OBJECT, QUALIFIER, SECOND_NEUTRAL,
    TWO_OBJECTS, TWO_QUALIFIERS, parent_left,
};

/// A name, and which of the words above it matter in this comparison.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub names: &'a Names,
    pub name: &'a Name,
    /// Words above it from objects inside the innermost object that holds both names, unless these only group.
    pub inside: Mask,
    /// The same for objects that only group.
    pub grouping: Mask,
    /// Words of the objects around both names.
    pub around: Mask,
}

impl<'a> Side<'a> {
    /// A name without objects above it.
    pub fn alone(names: &'a Names, name: &'a Name) -> Self {
        Side { names, name, inside: 0, grouping: 0, around: 0 }
    }

    /// Whether the objects above say all words of the name: `email.value` and `status.status`, but not `sender.message`
    /// of a message.
    fn is_all_above(&self) -> bool {
        let is_above = |word: &Token| self.words().any(|(_, other)| other.level > 0 && other.hash == word.hash);
        self.name.needed == 0 && self.words().all(|(bit, word)| self.name.implied & bit == 0 || is_above(word))
    }

    /// Whether a word that needs a counterpart has none, numbers aside.
    fn lacks(&self, met: Mask) -> bool {
        let open = self.name.needed & !met;
        open != 0 && self.words().any(|(bit, word)| open & bit != 0 && !word.is_number)
    }

    /// Returns all words, each with its bit.
    fn words(&self) -> impl Iterator<Item = (Mask, &'a Token)> + Clone + use<'a> {
        self.names.tokens(self.name).iter().enumerate().map(|(at, word)| (bit(at), word))
    }

    /// Returns some of the words.
    fn among(&self, words: Mask) -> impl Iterator<Item = (Mask, &'a Token)> + Clone + use<'a> {
        self.words().filter(move |(bit, _)| bit & words != 0)
    }

    /// Returns the words that are compared: own ones, and those of objects inside.
    fn compared(&self) -> Mask {
        self.name.own | self.inside | self.grouping
    }
}

/// How well two names match, word by word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words {
    /// The product of the next three.
    pub score: f32,
    /// What the counterparts cost: synonyms, short forms, slips.
    pub synonym: f32,
    /// What own words without counterpart cost.
    pub tokens: f32,
    /// What the names above cost.
    pub path: f32,
    /// Whether own words were left out because they say nothing where they stand.
    pub has_neutral: bool,
}

#[derive(Clone, Copy, Default)]
struct Pair {
    a: Mask,
    b: Mask,
    weight: f32,
}

/// Words in front of an object's name that tell of no other one.
const OF_THE_SAME: [&str; 4] = ["data", "main", "primary", "set"];

/// The largest number of pairs of words and phrases of two names. The set of those that are chosen has a bit for each, so
/// at most 64 would fit. Names that share more have less evidence for one another, not more.
const MAX_PAIRS: usize = 48;

/// Compares two names. There are two readings: the longest phrases first, or the closest words first. The better one
/// counts.
pub(crate) fn explain(a: &Side<'_>, b: &Side<'_>, opposites: bool) -> Words {
    let mut pairs = [Pair::default(); MAX_PAIRS];
    let found = pair_up(a, b, &mut pairs);
    let pairs = pairs.get_mut(..found).unwrap_or_default();
    let met = pairs.iter().fold((0, 0), |met, pair| (met.0 | pair.a, met.1 | pair.b));
    if a.lacks(met.0) || b.lacks(met.1) {
        return Words::default();
    }
    sort_by_less(pairs, |x, y| {
        let sizes = y.size(a, b).cmp(&x.size(a, b));
        sizes.then(y.weight.total_cmp(&x.weight)).then(x.place().cmp(&y.place())).is_lt()
    });
    let longest = read(a, b, pairs, opposites);
    if longest.score >= 0.99 || pairs.len() < 2 {
        return longest;
    }
    let is_less = |x: &Pair, y: &Pair| {
        let weights = y.weight.total_cmp(&x.weight);
        weights.then(y.size(a, b).cmp(&x.size(a, b))).then(x.place().cmp(&y.place())).is_lt()
    };
    if pairs.is_sorted_by(is_less) {
        return longest;
    }
    sort_by_less(pairs, is_less);
    let closest = read(a, b, pairs, opposites);
    if closest.score > longest.score { closest } else { longest }
}

fn read(a: &Side<'_>, b: &Side<'_>, pairs: &[Pair], opposites: bool) -> Words {
    let (covered, synonym, chosen) = choose(a, b, pairs);
    let rest = Rest { a, b, covered };
    let taken = pairs.iter().enumerate().filter(|(at, _)| chosen & (1 << at) != 0).map(|(_, pair)| pair);
    let is_met = covered.a & a.name.own != 0 || covered.a & (a.inside | a.grouping) != 0 && a.is_all_above();
    if !is_met || covered.b & !b.around == 0 || opposites && rest.is_opposed() {
        return Words::default();
    }
    if chosen.count_ones() > 1 {
        let crossings = Crossings::of(a, b, taken.clone());
        if crossings.are_exchanged(a, b) || crossings.refer_to_another(a, b) || change_sides(a, b, taken.clone()) {
            return Words::default();
        }
    }
    let (tokens, told) = (rest.own_words() * other_head(a, b, taken), rest.told());
    let path = rest.words_above(told);
    let has_neutral = (a.name.neutral & !covered.a) | (b.name.neutral & !covered.b) != 0;
    Words { score: synonym * tokens * path, synonym, tokens, path, has_neutral }
}

impl Pair {
    /// Returns how many words the pair covers; own words count three times.
    fn size(self, a: &Side<'_>, b: &Side<'_>) -> u32 {
        let own = (self.a & a.name.own).count_ones().saturating_add((self.b & b.name.own).count_ones());
        let all = self.a.count_ones().saturating_add(self.b.count_ones());
        own.saturating_mul(2).saturating_add(all)
    }

    fn place(self) -> (Mask, Mask) {
        (self.a, self.b)
    }
}

/// Collects the words of `a` and `b` that share a key, and returns the number of pairs.
fn pair_up(a: &Side<'_>, b: &Side<'_>, pairs: &mut [Pair; MAX_PAIRS]) -> usize {
    let (any_a, any_b) = (a.compared(), b.compared());
    let mut count = 0;
    each_shared(a.names.keys(a.name), b.names.keys(b.name), |left, right| {
        for (x, y) in left.iter().flat_map(|x| right.iter().map(move |y| (x, y))) {
            let counts = (x.words & !any_a == 0 || x.words & !a.around == 0)
                && (y.words & !any_b == 0 || y.words & !b.around == 0)
                && (x.words & any_a != 0 || y.words & any_b != 0);
            if counts {
                put(pairs, &mut count, Pair { a: x.words, b: y.words, weight: x.weight * y.weight });
            }
        }
    });
    count
}

/// Adds a pair. Of pairs of the same words, only the closest counts.
fn put(pairs: &mut [Pair; MAX_PAIRS], count: &mut usize, pair: Pair) {
    let known = pairs.iter_mut().take(*count).find(|known| known.place() == pair.place());
    if let Some(known) = known {
        known.weight = known.weight.max(pair.weight);
    } else if let Some(place) = pairs.get_mut(*count) {
        *place = pair;
        *count = count.saturating_add(1);
    }
}

/// Takes pairs in their order. Each word counts once, except that words around both names count as often as they are
/// needed.
///
/// Returns the covered words, the product of the weights, and the taken pairs as bits.
fn choose(a: &Side<'_>, b: &Side<'_>, pairs: &[Pair]) -> (Pair, f32, u64) {
    let mut covered = Pair::default();
    let mut product = 1.0;
    let mut chosen = 0;
    for (at, pair) in pairs.iter().enumerate() {
        let is_new = pair.a & covered.a & !a.around == 0 && pair.b & covered.b & !b.around == 0;
        let adds = pair.a & !covered.a & !a.around != 0 || pair.b & !covered.b & !b.around != 0;
        if !is_new || !adds {
            continue;
        }
        let is_implied = pair.a & a.around != 0 || pair.b & b.around != 0;
        let crosses = (pair.a & a.name.own == 0) != (pair.b & b.name.own == 0);
        product *= pair.weight;
        product *= if is_implied {
            IMPLIED_WORD
        } else if crosses {
            CROSSING
        } else {
            1.0
        };
        covered.a |= pair.a;
        covered.b |= pair.b;
        chosen |= 1 << at;
    }
    (covered, product, chosen)
}

/// Words without counterpart.
struct Rest<'a, 'b> {
    a: &'b Side<'a>,
    b: &'b Side<'a>,
    covered: Pair,
}

impl<'a> Rest<'a, '_> {
    fn left(side: &Side<'a>, covered: Mask) -> impl Iterator<Item = (Mask, &'a Token)> + Clone + use<'a> {
        side.among(side.compared() & !covered)
    }

    /// Whether a word left in one name is the opposite of a word left in the other.
    fn is_opposed(&self) -> bool {
        let right = Self::left(self.b, self.covered.b);
        Self::left(self.a, self.covered.a).any(|(_, x)| right.clone().any(|(_, y)| x.is_opposed_to(y)))
    }

    /// Returns what own words without counterpart cost.
    fn own_words(&self) -> f32 {
        let (a, stray_a) = own_left(self.a, self.covered.a);
        let (b, stray_b) = own_left(self.b, self.covered.b);
        a * b * if stray_a && stray_b { TWO_QUALIFIERS } else { 1.0 }
    }

    fn told(&self) -> f32 {
        let held = self.covered.a & self.a.compared();
        self.a.words().filter(|(bit, _)| bit & held != 0).map(|(_, word)| word.weight).sum()
    }

    /// Returns what the names above cost, inside the innermost object that holds both names.
    fn words_above(&self, told: f32) -> f32 {
        let above = |side: &Side<'a>, covered: Mask, is_expected: bool| {
            let words = Self::left(side, covered).filter(|(bit, _)| bit & side.name.own == 0);
            let cost = |(bit, word): (Mask, &Token)| match () {
                () if qualifies(side, covered, word) => QUALIFIED_OBJECT,
                () => parent_left(told, bit & side.grouping != 0, is_expected),
            };
            words.map(cost).fold(1.0_f32, f32::min)
        };
        let (left, right) = (above(self.a, self.covered.a, true), above(self.b, self.covered.b, false));
        // Two objects with different names are two different things.
        let is_other = |side: &Side<'a>, covered: Mask| side.inside & !covered != 0;
        let both = is_other(self.a, self.covered.a) && is_other(self.b, self.covered.b);
        left * right * if both { TWO_OBJECTS } else { 1.0 }
    }
}

/// Whether a word without counterpart distinguishes an object from another one whose name has its other words:
/// `real_feel` of `real_feel_temperature` beside `temperature`, or `account` of `account_manager` beside `manager`. What
/// only groups stands behind: `payer_info` is the `payer`.
fn qualifies(side: &Side<'_>, covered: Mask, word: &Token) -> bool {
    let said = covered & side.inside;
    let is_said = side.words().any(|(bit, other)| other.level == word.level && said & bit != 0);
    let is_last = || {
        let last = side.words().filter(|(_, other)| other.level == word.level).last();
        last.is_some_and(|(_, other)| other.hash == word.hash)
    };
    let groups = || {
        lexicon().get(word.hash).is_some_and(|entry| entry.is_grouping || entry.is_envelope)
            && !word.is(Role::Lone)
            && (is_last() || OF_THE_SAME.contains(&side.names.text(word)))
    };
    is_said && !word.is(Role::Filler) && !groups()
}

fn own_left(side: &Side<'_>, covered: Mask) -> (f32, bool) {
    let name = side.name;
    let open = name.own & !covered;
    let mut cost = 1.0;
    let mut is_stray = false;
    let mut seen_neutral = false;
    for (bit, token) in side.words() {
        if bit & open == 0 || token.is(Role::Filler) {
            continue;
        }
        cost *= match () {
            () if bit & name.neutral != 0 && seen_neutral => SECOND_NEUTRAL,
            () if bit & name.neutral != 0 => {
                seen_neutral = true;
                NEUTRAL_WORD
            }
            () if bit & name.implied != 0 && !is_said_by_stray(side, covered, token) => IMPLIED_WORD,
            () if token.is_number => FIRST_NUMBER,
            () => {
                is_stray = true;
                QUALIFIER
            }
        };
    }
    (cost, is_stray)
}

/// Which words of two names are paired across: words of the names themselves with words above the other one.
#[derive(Default)]
struct Crossings {
    /// Own words of `a` that are paired with own words of `b`.
    own: Mask,
    /// Own words of each name that are paired with words above the other.
    above: Pair,
    /// Words around both names, by side, that are paired with own words of the other name, and these own words.
    around: Pair,
    said: Pair,
}

impl Crossings {
    fn of<'p>(a: &Side<'_>, b: &Side<'_>, taken: impl Iterator<Item = &'p Pair>) -> Crossings {
        let mut made = Crossings::default();
        for pair in taken {
            match (pair.a & a.name.own != 0, pair.b & b.name.own != 0) {
                (true, true) => made.own |= pair.a & a.name.own,
                (true, false) => made.above.a |= pair.a & a.name.own,
                (false, true) => made.above.b |= pair.b & b.name.own,
                (false, false) => (),
            }
            if pair.a & a.around != 0 {
                made.around.a |= pair.a & a.around;
                made.said.b |= pair.b;
            }
            if pair.b & b.around != 0 {
                made.around.b |= pair.b & b.around;
                made.said.a |= pair.a;
            }
        }
        made
    }

    /// Whether two names say what stands above the other, and that makes them names of two things: they are references
    /// to it, like `issue.comments_url` and `comment.issue_url`, or opposites, like `end.start_at` and `start.end_at`.
    #[inline(never)]
    fn are_exchanged(&self, a: &Side<'_>, b: &Side<'_>) -> bool {
        self.above.a != 0
            && self.above.b != 0
            && (a.among(self.own).any(|(_, word)| word.is(Role::Reference))
                || a.among(self.above.a).any(|(_, x)| b.among(self.above.b).any(|(_, y)| x.is_opposed_to(y))))
    }

    /// Whether one of the names refers to something by which the name of an object around both only begins: `order_id`
    /// inside `order_items` is no identifier of an item. Or whether each says what the other leaves to that object:
    /// `user_count` and `group_count` inside `user_group`.
    fn refer_to_another(&self, a: &Side<'_>, b: &Side<'_>) -> bool {
        self.around.a != 0 && self.around.b != 0
            || is_about_another(a, self.around.a, b, self.said.b)
            || is_about_another(b, self.around.b, a, self.said.a)
    }
}

/// Whether a name, apart from what is `said` by the words `around` it, is a reference, though these words lack the last
/// one of the name that they are from.
#[inline(never)]
fn is_about_another(other: &Side<'_>, around: Mask, side: &Side<'_>, said: Mask) -> bool {
    if around == 0 {
        return false;
    }
    let open = side.name.own & !said;
    let head = |level: u8| other.words().filter(|(_, word)| word.level == level).last().map_or(0, |(bit, _)| bit);
    side.words().all(|(bit, word)| bit & open == 0 || word.is(Role::Filler) || word.is(Role::Reference))
        && other.words().any(|(bit, word)| bit & around != 0 && head(word.level) & around == 0)
}

/// Whether words of the two names stand in another order, and a word between them tells what each side is:
/// `text_to_speech`, `speech_to_text`.
fn change_sides<'p>(a: &Side<'_>, b: &Side<'_>, taken: impl Iterator<Item = &'p Pair> + Clone) -> bool {
    let own = taken.filter(|pair| pair.a & a.name.own != 0 && pair.b & b.name.own != 0);
    let relates = |side: &Side<'_>| side.among(side.name.own).any(|(_, word)| word.is(Role::Between));
    (relates(a) || relates(b)) && own.clone().any(|x| own.clone().any(|y| x.a < y.a && x.b > y.b))
}

/// Whether the word stands in the name of an object above that has no counterpart itself: `checks.line_check`.
fn is_said_by_stray(side: &Side<'_>, covered: Mask, word: &Token) -> bool {
    let stray = side.inside & !covered;
    side.words().any(|(bit, other)| stray & bit != 0 && other.hash == word.hash)
}

/// Returns what it costs that the last words of the names, of those that both have, are different ones: `status_message`
/// is a message, `message_status` a status. An adjective may stand behind its noun.
fn other_head<'p>(a: &Side<'_>, b: &Side<'_>, chosen: impl Iterator<Item = &'p Pair> + Clone) -> f32 {
    let own = chosen.filter(|pair| pair.a & a.name.own != 0 && pair.b & b.name.own != 0);
    if own.clone().nth(1).is_none() {
        return 1.0;
    }
    let met = own.clone().fold((0, 0), |met, pair| (met.0 | pair.a & a.name.own, met.1 | pair.b & b.name.own));
    let (last_a, last_b) = (highest(met.0), highest(met.1));
    let crossed = own.clone().any(|pair| (pair.a & last_a != 0) != (pair.b & last_b != 0));
    let is_adjective =
        |side: &Side<'_>, head: Mask| side.words().any(|(bit, word)| bit & head != 0 && word.is(Role::Adjective));
    if crossed && !is_adjective(a, last_a) && !is_adjective(b, last_b) { OTHER_HEAD } else { 1.0 }
}

/// Returns the bit of the last of these words.
fn highest(words: Mask) -> Mask {
    words.checked_ilog2().map_or(0, |last| bit(last as usize))
}
