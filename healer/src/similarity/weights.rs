//! The figures of the default profile, and lists of words that say little. `docs/evaluation.md` shows their effect.

/// The strength of two exact synonyms is the square of this.
pub(super) const EXACT_SYNONYM_SIDE: f32 = 0.975;
/// The strength of two near synonyms is the square of this.
pub(super) const NEAR_SYNONYM_SIDE: f32 = 0.895;
/// A short form for the only thing that it stands for.
pub(super) const ONLY_EXPANSION: f32 = 0.95;
/// A short form for one of several things that it stands for: no evidence alone, so below the threshold.
pub(super) const ONE_EXPANSION: f32 = 0.84;
/// A misspelling.
pub(super) const TYPO: f32 = 0.93;
/// A word of one name that is paired with a word above the other name.
pub(super) const CROSSING: f32 = 0.99;
/// A word without counterpart that says nothing where it stands.
pub(super) const NEUTRAL_WORD: f32 = 0.97;
/// A second such word of one name.
pub(super) const SECOND_NEUTRAL: f32 = 0.85;
/// A word without counterpart that the record or the object around the field says already.
pub(super) const IMPLIED_WORD: f32 = 0.96;
/// A number without counterpart, which may be the first of its kind.
pub(super) const FIRST_NUMBER: f32 = 0.6;
/// Any other word without counterpart: most likely the other name stands for something else.
pub(super) const QUALIFIER: f32 = 0.35;
/// Such words on both sides.
pub(super) const TWO_QUALIFIERS: f32 = 0.3;
/// A word without counterpart in the name of an object above whose other words have one. It is another object, whatever
/// moved along.
pub(super) const QUALIFIED_OBJECT: f32 = 0.5;
/// Objects above without counterpart on both sides.
pub(super) const TWO_OBJECTS: f32 = 0.6;
/// Last words that differ in place, so that the names stand for different things: `status_message`.
pub(super) const OTHER_HEAD: f32 = 0.8;

/// Words that group only where they stand alone: `additional` does, `additional_fee` is another fee.
pub(super) const ADJECTIVES: [&str; 6] = ["additional", "custom", "extended", "extra", "public", "standard"];

/// Words that the names of many different things have. Alone, they name nothing outside their object.
pub(super) const GENERIC: &[&str] = &[
    "active",
    "amount",
    "at",
    "by",
    "category",
    "code",
    "color",
    "content",
    "count",
    "date",
    "default",
    "description",
    "display",
    "enabled",
    "end",
    "external",
    "first",
    "flag",
    "format",
    "from",
    "full",
    "handle",
    "height",
    "hash",
    "href",
    "id",
    "identifier",
    "image",
    "index",
    "info",
    "is",
    "item",
    "key",
    "kind",
    "label",
    "last",
    "length",
    "level",
    "line",
    "link",
    "list",
    "max",
    "message",
    "method",
    "min",
    "mode",
    "name",
    "node",
    "note",
    "number",
    "object",
    "on",
    "order",
    "path",
    "position",
    "price",
    "primary",
    "public",
    "quantity",
    "rank",
    "rate",
    "reason",
    "ref",
    "reference",
    "result",
    "score",
    "secret",
    "self",
    "size",
    "slug",
    "source",
    "start",
    "state",
    "status",
    "sub",
    "subtitle",
    "summary",
    "tag",
    "target",
    "text",
    "time",
    "timestamp",
    "title",
    "to",
    "token",
    "total",
    "type",
    "unit",
    "uri",
    "url",
    "user",
    "uuid",
    "value",
    "version",
    "visibility",
    "width",
    "x",
    "y",
];

/// Words for values that are words of a list.
pub(super) const LISTED: &[&str] = &[
    "algorithm",
    "category",
    "class",
    "country",
    "encoding",
    "format",
    "importance",
    "kind",
    "level",
    "mode",
    "platform",
    "priority",
    "rarity",
    "reason",
    "region",
    "role",
    "severity",
    "source",
    "stage",
    "state",
    "status",
    "type",
    "visibility",
    "week",
];

/// Words that tell something, but of more than one thing in most bodies.
const COMMON: &[&str] = &[
    "avatar", "bio", "city", "company", "country", "created", "creation", "currency", "email", "gender", "language",
    "locale", "location", "login", "modified", "phone", "updated", "website",
];

/// Returns how much a word tells, from 0 to 1.
pub(super) fn told_by(word: &str, is_generic: bool) -> f32 {
    match word {
        _ if is_generic => 0.3,
        _ if word.len() <= 2 => 0.3,
        _ if COMMON.binary_search(&word).is_ok() => 0.6,
        _ => 1.0,
    }
}

/// Words that say nothing beside others. `a` is not one of them: it is more often a letter.
pub(super) const FILLERS: &[&str] = &["of", "the"];

/// Returns the factor for a word of an object above without counterpart. The more the paired words tell, the less it
/// costs.
pub(super) fn parent_left(told: f32, is_grouping: bool, is_expected: bool) -> f32 {
    match (is_grouping, told) {
        (true, ..0.5) => 0.8,
        (true, ..0.9) => 0.95,
        (true, _) => 0.98,
        (false, ..0.9) => 0.4,
        (false, ..1.2) => 0.75,
        (false, ..1.9) => 0.84,
        (false, _) if is_expected => 0.84,
        (false, _) => 0.9,
    }
}

/// Whether a word keeps its sense wherever it stands in a name: `created_date`, `date_created`, `total_count`.
pub(super) fn is_adjective(word: &str) -> bool {
    const ADJECTIVES: &[&str] = &[
        "actual", "due", "first", "full", "is", "last", "long", "max", "middle", "min", "num", "short", "total",
        "valid",
    ];
    word.ends_with("ed") && !word.ends_with("eed") || ADJECTIVES.binary_search(&word).is_ok()
}
