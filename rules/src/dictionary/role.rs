//! What single words say in a name, whatever they mean.

/// A role of words in names. `rules/dictionary/roles.yaml` says what each is, and which words have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the comments are in the file")]
pub enum Role {
    Address,
    Adjective,
    Bare,
    Between,
    Common,
    Container,
    Content,
    Count,
    Error,
    Filler,
    Form,
    Former,
    Generic,
    Identifier,
    Link,
    Listed,
    Lone,
    Moment,
    Reference,
    Relation,
    State,
    Thing,
    Which,
}

impl Role {
    /// Returns its name in the file.
    pub fn name(self) -> String {
        format!("{self:?}").to_ascii_lowercase()
    }

    /// All roles, in the order of their numbers.
    pub const ALL: [Role; 23] = [
        Role::Address,
        Role::Adjective,
        Role::Bare,
        Role::Between,
        Role::Common,
        Role::Container,
        Role::Content,
        Role::Count,
        Role::Error,
        Role::Filler,
        Role::Form,
        Role::Former,
        Role::Generic,
        Role::Identifier,
        Role::Link,
        Role::Listed,
        Role::Lone,
        Role::Moment,
        Role::Reference,
        Role::Relation,
        Role::State,
        Role::Thing,
        Role::Which,
    ];
}
