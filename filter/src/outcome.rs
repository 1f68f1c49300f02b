//! The outcome of one response: the verdict, and the reason if the verdict needs one.
//!
//! The texts are stable: they are metric tags, header values and fields of the filter state.

use healer::Reason;

/// Why a response was not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The configuration, or the metadata of the proxy's route, says `mode: off`.
    Off,
    /// No route matches the request and its response.
    NoRoute,
    /// HEAD or CONNECT: what follows the headers is not the representation.
    Method,
    /// 1xx, 204, 205, 206, 226 or 304: there is no body, or only a part of one, or a change to one, or another protocol
    /// follows.
    Status,
    /// The response ends with its headers.
    NoBody,
    /// The body is not one JSON document.
    ContentType,
    /// The body is encoded. Envoy's decompressor must come after this filter in the list.
    ContentEncoding,
    /// `cache-control: no-transform` (RFC 9111, section 5.2.2.6).
    NoTransform,
    /// The response has HTTP message signatures (RFC 9421), which would no longer match.
    Signed,
    /// The host refused a call before the body was touched.
    Host,
}

impl Skip {
    const ALL: [Skip; 10] = [
        Skip::Off,
        Skip::NoRoute,
        Skip::Method,
        Skip::Status,
        Skip::NoBody,
        Skip::ContentType,
        Skip::ContentEncoding,
        Skip::NoTransform,
        Skip::Signed,
        Skip::Host,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Skip::Off => "off",
            Skip::NoRoute => "no_route",
            Skip::Method => "method",
            Skip::Status => "status",
            Skip::NoBody => "no_body",
            Skip::ContentType => "content_type",
            Skip::ContentEncoding => "content_encoding",
            Skip::NoTransform => "no_transform",
            Skip::Signed => "signed",
            Skip::Host => "host_error",
        }
    }
}

/// Why a response that was looked at was left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fail {
    /// The engine refused the body.
    Body(Reason),
    /// The stream went away before its body ended.
    Incomplete,
    /// Trailers ended the body before its value closed, too late to write. The response was reset.
    EndedByTrailers,
    /// The bodies under way on this worker take all the memory that they may.
    NoMemory,
    /// The host refused a call. The body left as it came, or the response was reset if that was not possible; or the
    /// host ended the stream when the healed body was written.
    Host,
}

impl Fail {
    const OWN: [Fail; 4] = [Fail::Incomplete, Fail::EndedByTrailers, Fail::NoMemory, Fail::Host];

    const fn as_str(self) -> &'static str {
        match self {
            Fail::Body(reason) => reason.as_str(),
            Fail::Incomplete => "incomplete",
            Fail::EndedByTrailers => "ended_by_trailers",
            Fail::NoMemory => "no_memory",
            Fail::Host => "host_error",
        }
    }

    const fn index(self) -> usize {
        match self {
            Fail::Incomplete => 0,
            Fail::EndedByTrailers => 1,
            Fail::NoMemory => 2,
            Fail::Host => 3,
            Fail::Body(reason) => Self::OWN.len().saturating_add(reason as usize),
        }
    }
}

/// The outcome of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There was nothing to heal.
    Clean,
    /// The client got another body than the upstream sent.
    Healed,
    /// The body would have been healed, but it must not be changed.
    Observed,
    /// The response was not looked at.
    Skipped(Skip),
    /// The response was looked at, and left alone.
    Failed(Fail),
}

impl Outcome {
    /// How many outcomes there are.
    pub const COUNT: usize = 3 + Skip::ALL.len() + Fail::OWN.len() + Reason::ALL.len();

    /// Returns the verdict.
    pub const fn verdict(self) -> &'static str {
        match self {
            Outcome::Clean => "clean",
            Outcome::Healed => "healed",
            Outcome::Observed => "observed",
            Outcome::Skipped(_) => "skipped",
            Outcome::Failed(_) => "failed",
        }
    }

    /// Returns the reason, if the verdict needs one.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Outcome::Clean | Outcome::Healed | Outcome::Observed => None,
            Outcome::Skipped(skip) => Some(skip.as_str()),
            Outcome::Failed(fail) => Some(fail.as_str()),
        }
    }

    /// Returns a number below [`Outcome::COUNT`], for tables.
    pub const fn index(self) -> usize {
        match self {
            Outcome::Clean => 0,
            Outcome::Healed => 1,
            Outcome::Observed => 2,
            Outcome::Skipped(skip) => 3_usize.saturating_add(skip as usize),
            Outcome::Failed(fail) => 3_usize.saturating_add(Skip::ALL.len()).saturating_add(fail.index()),
        }
    }

    /// Returns all outcomes, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Outcome> {
        let own = Fail::OWN.into_iter().chain(Reason::ALL.into_iter().map(Fail::Body));
        [Outcome::Clean, Outcome::Healed, Outcome::Observed]
            .into_iter()
            .chain(Skip::ALL.into_iter().map(Outcome::Skipped))
            .chain(own.map(Outcome::Failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn numbers_and_texts_are_unique() {
        let all: Vec<_> = Outcome::all().collect();
        assert_eq!(all.len(), Outcome::COUNT);
        assert!(all.iter().enumerate().all(|(at, outcome)| outcome.index() == at));
        let texts: BTreeSet<_> = all.iter().map(|outcome| (outcome.verdict(), outcome.reason())).collect();
        assert_eq!(texts.len(), all.len());
    }

    #[test]
    fn texts_fit_into_metric_names() {
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(Outcome::all().all(|outcome| plain(outcome.verdict()) && outcome.reason().is_none_or(plain)));
    }
}
