//! The figures of the default profile, and the words that say little. `docs/evaluation.md` tells what they do.

/// Two exact synonyms are as strong as the product of two of these.
pub(super) const EXACT_SYNONYM_SIDE: f32 = 0.975;
/// Two near synonyms are as strong as the product of two of these.
pub(super) const NEAR_SYNONYM_SIDE: f32 = 0.895;
/// A short form for its likeliest meaning.
pub(super) const FIRST_EXPANSION: f32 = 0.95;
/// A short form for another of its meanings.
pub(super) const OTHER_EXPANSION: f32 = 0.90;
/// One slip of the pen.
pub(super) const TYPO: f32 = 0.93;
/// A word of one name among the words above the other name.
pub(super) const CROSSING: f32 = 0.99;
/// A word without counterpart that says nothing where it is.
pub(super) const NEUTRAL_WORD: f32 = 0.97;
/// A second such word of one name.
pub(super) const SECOND_NEUTRAL: f32 = 0.85;
/// A word without counterpart that the record or the object around the field says already.
pub(super) const IMPLIED_WORD: f32 = 0.96;
/// A number without counterpart that may be the first of its kind.
pub(super) const FIRST_NUMBER: f32 = 0.6;
/// A word without counterpart: most likely the other name is of something else.
pub(super) const QUALIFIER: f32 = 0.35;
/// Words without counterpart on both sides.
pub(super) const TWO_QUALIFIERS: f32 = 0.3;
/// A word more in the name of an object above, whose other words have counterparts: another object, whatever moved along.
pub(super) const QUALIFIED_OBJECT: f32 = 0.5;
/// Objects above without counterpart on both sides.
pub(super) const TWO_OBJECTS: f32 = 0.6;
/// The last words of both names differ in their place, so that what is named is another thing: `status_message`.
pub(super) const OTHER_HEAD: f32 = 0.8;

/// Words that many different things have in their names: alone, they name nothing outside their object.
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

/// Words for values that are words out of a list.
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

/// How much a word tells, from 0 to 1.
pub(super) fn told_by(word: &str, is_generic: bool) -> f32 {
    match word {
        _ if is_generic => 0.3,
        _ if word.len() <= 2 => 0.3,
        _ if COMMON.binary_search(&word).is_ok() => 0.6,
        _ => 1.0,
    }
}

/// Words that say nothing beside others. No articles: `a` is more often a letter.
pub(super) const FILLERS: &[&str] = &["of", "the"];

/// What a word of an object above costs that has no counterpart: the less, the more the matched words tell.
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
    const ADJECTIVES: &[&str] =
        &["count", "date", "first", "full", "is", "last", "max", "min", "num", "number", "time", "total", "url"];
    word.ends_with("ed") || ADJECTIVES.binary_search(&word).is_ok()
}
