//! Response headers that describe the body's bytes, and must change or go if the body may change.
//!
//! Headers cannot be changed once Envoy has passed them on. So by default this happens before the first byte of the
//! body is seen. With held headers it happens when the healed body is complete, on what the headers are then.

use crate::decimal;
use crate::host::{Host, Map, Status};
use crate::pairs::Pairs;

/// Headers that are removed if the bytes may change. The digests would no longer match (RFC 1864, RFC 3230, RFC 9530,
/// draft-ietf-httpbis-unencoded-digest), and `accept-ranges` would let clients ask for a range of the body as the
/// upstream knows it.
const REMOVED: [&[u8]; 6] =
    [b"content-md5", b"digest", b"content-digest", b"repr-digest", b"unencoded-digest", b"accept-ranges"];

// [`Dependents::removed`] has a bit for each.
const _: () = assert!(REMOVED.len() <= u8::BITS as usize);

const CONTENT_LENGTH: &[u8] = b"content-length";
const ETAG: &[u8] = b"etag";

/// The dependent headers that a response has.
#[derive(Clone, Debug, Default)]
pub struct Dependents {
    /// One bit for each of [`REMOVED`].
    removed: u8,
    /// The value of content-length; `u64::MAX` if it is no number.
    length: Option<u64>,
    /// The strong entity tag, weakened: same meaning, other bytes (RFC 9110, section 8.8.1). Empty if there is none.
    weak_etag: Vec<u8>,
}

impl Dependents {
    /// Returns those that the response has now.
    pub fn of<H: Host>(host: &mut H) -> Result<Dependents, Status> {
        let mut dependents = Dependents::default();
        for (name, value) in Pairs::new(host.headers(Map::ResponseHeaders)?) {
            dependents.note(name, value);
        }
        Ok(dependents)
    }

    /// Returns the value of content-length, if it is one of them; `u64::MAX` if it is no number.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Notes a header if it is a dependent one.
    pub fn note(&mut self, name: &[u8], value: &[u8]) {
        if name == CONTENT_LENGTH {
            self.length = Some(decimal::parse(value).unwrap_or(u64::MAX));
        } else if name == ETAG {
            self.note_etag(value);
        } else if let Some(at) = REMOVED.iter().position(|removed| *removed == name) {
            self.removed |= 1_u8.checked_shl(u32::try_from(at).unwrap_or(u32::MAX)).unwrap_or(0);
        }
    }

    /// Corrects the headers for whatever body follows. Envoy then delimits it by chunks, or by closing the connection.
    ///
    /// Content-length goes first, so that after a failure the remaining headers are still true for the body as it came.
    pub fn fix_for_any_body<H: Host>(&self, host: &mut H) -> Result<(), Status> {
        if self.length.is_some() {
            host.remove_header(Map::ResponseHeaders, CONTENT_LENGTH)?;
        }
        self.fix_others(host)
    }

    /// Corrects the headers for a body of this length. After a failure they still fit the old body, except
    /// content-length: see [`Dependents::restore_length`].
    pub fn fix_for_length<H: Host>(&self, host: &mut H, length: usize) -> Result<(), Status> {
        self.fix_others(host)?;
        self.restore_length(host, length)
    }

    /// Sets content-length, if the response has one.
    pub fn restore_length<H: Host>(&self, host: &mut H, length: usize) -> Result<(), Status> {
        match self.length {
            Some(_) => set_length(host, u64::try_from(length).unwrap_or(u64::MAX)),
            None => Ok(()),
        }
    }

    /// Sets content-length, or removes it.
    pub fn correct_length<H: Host>(host: &mut H, length: Option<u64>) -> Result<(), Status> {
        match length {
            Some(length) => set_length(host, length),
            None => host.remove_header(Map::ResponseHeaders, CONTENT_LENGTH),
        }
    }

    /// Returns these headers with another content-length.
    #[must_use]
    pub fn with_length(self, length: Option<u64>) -> Dependents {
        Dependents { length, ..self }
    }

    fn note_etag(&mut self, value: &[u8]) {
        if value.is_empty() || value.starts_with(b"W/") {
            return;
        }
        self.weak_etag.clear();
        self.weak_etag.extend_from_slice(b"W/");
        self.weak_etag.extend_from_slice(value);
    }

    fn fix_others<H: Host>(&self, host: &mut H) -> Result<(), Status> {
        if !self.weak_etag.is_empty() {
            host.set_header(ETAG, &self.weak_etag)?;
        }
        if self.removed == 0 {
            return Ok(());
        }
        let mut bits = self.removed;
        for name in REMOVED {
            if bits & 1 == 1 {
                host.remove_header(Map::ResponseHeaders, name)?;
            }
            bits >>= 1;
        }
        Ok(())
    }
}

fn set_length<H: Host>(host: &mut H, length: u64) -> Result<(), Status> {
    let mut text = Vec::new();
    decimal::push(&mut text, length);
    host.set_header(CONTENT_LENGTH, &text)
}

/// Removes digests and the entity tag from the trailers of a healed body.
pub fn fix_trailers<H: Host>(host: &mut H) {
    for name in REMOVED.into_iter().chain([ETAG]) {
        // If a trailer cannot be removed, the host lets nobody touch it.
        let _ = host.remove_header(Map::ResponseTrailers, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock::Mock;

    fn fixed(headers: &[(&str, &str)], fix: impl Fn(&Dependents, &mut Mock) -> Result<(), Status>) -> Vec<String> {
        let mut host = Mock::new();
        let mut dependents = Dependents::default();
        for (name, value) in headers {
            host = host.with_response_header(name, value);
            dependents.note(name.as_bytes(), value.as_bytes());
        }
        fix(&dependents, &mut host).unwrap();
        host.response_headers()
    }

    const ALL: [(&str, &str); 10] = [
        (":status", "200"),
        ("content-length", "12"),
        ("etag", "\"a\""),
        ("content-md5", "x"),
        ("digest", "x"),
        ("content-digest", "x"),
        ("repr-digest", "x"),
        ("unencoded-digest", "x"),
        ("accept-ranges", "bytes"),
        ("x-digest", "kept"),
    ];

    #[test]
    fn for_any_body() {
        let headers = fixed(&ALL, Dependents::fix_for_any_body);
        assert_eq!(headers, [":status: 200", "etag: W/\"a\"", "x-digest: kept"]);
    }

    #[test]
    fn for_a_length() {
        let headers = fixed(&ALL, |dependents, host| dependents.fix_for_length(host, 345));
        assert_eq!(headers, [":status: 200", "content-length: 345", "etag: W/\"a\"", "x-digest: kept"]);
    }

    #[test]
    fn nothing_is_added() {
        let headers = [("etag", "W/\"a\""), ("content-type", "application/json")];
        let expected = ["etag: W/\"a\"", "content-type: application/json"];
        assert_eq!(fixed(&headers, |dependents, host| dependents.fix_for_length(host, 5)), expected);
        assert_eq!(fixed(&headers, Dependents::fix_for_any_body), expected);
        assert_eq!(fixed(&[("etag", "")], Dependents::fix_for_any_body), ["etag: "]);
    }
}
