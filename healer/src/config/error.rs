use std::fmt;

/// A value in a configuration that cannot be used: where it is, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The path of the field, such as `routes[0].move["a.b"]`. If the text is not JSON, line and column.
    pub at: String,
    /// The offset in bytes from the start of the text.
    pub offset: usize,
    /// What was found there.
    pub found: String,
    /// What was expected there.
    pub expected: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError { at, found, expected, .. } = self;
        write!(f, "{at}: found {found}; expected {expected}")
    }
}

impl std::error::Error for ConfigError {}
