//! The nine modes.

use std::str::FromStr;

/// A way in which the user drifts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The user of the contract.
    Healthy,
    /// The names of a second API version.
    V2,
    /// camelCase names.
    Camel,
    /// Fields grouped into containers.
    Nested,
    /// Every field below `response.data.user`, up to seven levels down.
    Deep,
    /// Misspelt names.
    Typo,
    /// Abbreviated names.
    Abbrev,
    /// Names of older systems.
    Legacy,
    /// Some drift of each kind.
    Mixed,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 9] = [
        Mode::Healthy,
        Mode::V2,
        Mode::Camel,
        Mode::Nested,
        Mode::Deep,
        Mode::Typo,
        Mode::Abbrev,
        Mode::Legacy,
        Mode::Mixed,
    ];

    /// Returns the name for command lines and requests.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Healthy => "healthy",
            Mode::V2 => "v2",
            Mode::Camel => "camel",
            Mode::Nested => "nested",
            Mode::Deep => "deep",
            Mode::Typo => "typo",
            Mode::Abbrev => "abbrev",
            Mode::Legacy => "legacy",
            Mode::Mixed => "mixed",
        }
    }

    /// Returns how many of the 21 fields are not where the contract expects them.
    pub fn drifted_fields(self) -> usize {
        match self {
            Mode::Healthy => 0,
            Mode::V2 => 13,
            Mode::Camel => 8,
            Mode::Nested => 11,
            Mode::Deep => 21,
            Mode::Typo => 4,
            Mode::Abbrev => 12,
            Mode::Legacy => 9,
            Mode::Mixed => 10,
        }
    }

    /// Returns the index of the mode in [`Mode::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(name: &str) -> Result<Mode, String> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
            let known = Mode::ALL.map(Mode::name).join(", ");
            format!("found drift mode `{name}`; expected one of {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_by_its_name() {
        for (index, mode) in Mode::ALL.into_iter().enumerate() {
            assert_eq!(mode.name().parse(), Ok(mode));
            assert_eq!(mode.index(), index);
        }
        let error = "v9".parse::<Mode>().unwrap_err();
        assert!(error.starts_with("found drift mode `v9`; expected one of healthy, v2"), "{error}");
    }
}
