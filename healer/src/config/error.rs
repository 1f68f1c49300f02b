use std::fmt;

/// A value in a configuration that cannot be used: where, what was found, what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Path of the field, such as `routes[0].move["a.b"]`; line and column where the text is not JSON.
    pub at: String,
    /// Bytes from the start of the text to the place.
    pub offset: usize,
    /// What stands there.
    pub found: String,
    /// What could have stood there.
    pub expected: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ConfigError { at, found, expected, .. } = self;
        write!(f, "{at}: found {found}; expected {expected}")
    }
}

impl std::error::Error for ConfigError {}
