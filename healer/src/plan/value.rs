//! What is known of a value: its kind in JSON, and the class of text that a string holds.

/// The JSON type of a value. Whole numbers are a kind of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Number,
    /// A string.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(u8);

/// What a contract says of a member's value, apart from its structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expects {
    /// The kinds that the value may have.
    pub kinds: Kinds,
    /// The kinds that an array's elements may have.
    pub items: Kinds,
    /// The schema's `format`, if values can be recognised by it.
    pub format: Option<Format>,
    /// The strings of `enum` and `const`. Empty if there are none, or not all of them are strings.
    pub values: Vec<String>,
    /// The schema's `description`, or else its `title`.
    pub description: Option<String>,
}

/// A `format` of JSON Schema that a string can be recognised by, and thus the class of text that a string holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Format {
    /// RFC 3339 date and time, or another date with a time of day.
    DateTime,
    /// `YYYY-MM-DD`.
    Date,
    /// A time of day.
    Time,
    /// An e-mail address.
    Email,
    /// RFC 9562.
    Uuid,
    /// An absolute URI.
    Uri,
    /// An IPv4 or IPv6 address.
    Ip,
    /// A decimal number, written as a string.
    Decimal,
    /// A word in capitals, as in enumerations: `IN_PROGRESS`. No schema has a `format` for it.
    Constant,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] =
        [Kind::Null, Kind::Boolean, Kind::Integer, Kind::Number, Kind::String, Kind::Object, Kind::Array];
}

impl Format {
    /// Every format that a schema can name, with its word. `decimal` is OpenAPI's, `ip` is our own.
    pub const ALL: [(Format, &'static str); 8] = [
        (Format::DateTime, "date-time"),
        (Format::Date, "date"),
        (Format::Time, "time"),
        (Format::Email, "email"),
        (Format::Uuid, "uuid"),
        (Format::Uri, "uri"),
        (Format::Ip, "ip"),
        (Format::Decimal, "decimal"),
    ];

    /// Returns the word for it, which is empty for [`Format::Constant`].
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(format, _)| *format == self).map_or("", |(_, name)| name)
    }
}

impl Kinds {
    /// Every kind.
    pub const ANY: Kinds = Kinds(0x7f);
    /// No kind.
    pub const NONE: Kinds = Kinds(0);

    /// Returns the set of one kind. A `number` of JSON Schema is [`Kind::Integer`] and [`Kind::Number`].
    pub const fn of(kind: Kind) -> Kinds {
        Kinds(1 << kind as u8)
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    /// Returns the intersection of both sets.
    #[must_use]
    pub const fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    /// Returns the kinds that are in this set and not in the other.
    #[must_use]
    pub const fn without(self, other: Kinds) -> Kinds {
        Kinds(self.0 & !other.0)
    }

    /// Iterates over the kinds in the set.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }

    /// Whether `kind` is in the set.
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Kinds::ANY
    }
}
