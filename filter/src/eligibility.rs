//! Which responses may be touched, decided from the headers alone.

use healer::config::{Place, is_looked_at};
use healer::media_type;

use crate::decimal;
use crate::dependent::Dependents;
use crate::outcome::Skip;
use crate::pairs::Pairs;

/// The parts of a request that are needed. They must be read in the request's callback; later the host no longer has
/// them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// `:method`
    pub method: &'a [u8],
    /// `:path`, with its query.
    pub path: &'a [u8],
    /// `:authority`, read only if the place of the request is needed.
    pub authority: &'a [u8],
    /// `x-request-id`, read only if the place of the request is needed.
    pub id: &'a [u8],
    /// Whether there is an `upgrade`, read only if the map is read to its end.
    pub upgrades: bool,
}

impl<'a> Request<'a> {
    /// Reads a serialised header map. Returns `None` without a method and a path, as in a plain CONNECT. `whole` says
    /// to read it to its end, for the place of the request, and because it may be for an upgrade: such a request does
    /// not end with its headers.
    pub fn read(bytes: &'a [u8], whole: bool) -> Option<Self> {
        let mut request = Request::default();
        for (name, value) in Pairs::new(bytes) {
            match name {
                b":method" => request.method = value,
                b":path" => request.path = value,
                b":authority" => request.authority = value,
                b"x-request-id" => request.id = value,
                b"upgrade" => request.upgrades = true,
                _ => {}
            }
            if !whole && request.is_told() {
                break;
            }
        }
        request.is_told().then_some(request)
    }

    fn is_told(&self) -> bool {
        !self.method.is_empty() && !self.path.is_empty()
    }

    /// Returns the place of a request among all requests: by its id, or without one by method, authority and path.
    pub fn place(&self) -> Place {
        let Request { method, path, authority, id, .. } = *self;
        if id.is_empty() { Place::of(&[method, authority, path]) } else { Place::of(&[id]) }
    }

    /// Decides whether the response to such a request carries a whole representation. If an upgrade is refused, Envoy
    /// (1.36 to 1.40) does not delimit the body by chunks, and sets a missing content-length to 0.
    pub fn judge(&self) -> Result<(), Skip> {
        let without = [&b"HEAD"[..], b"CONNECT"].contains(&self.method);
        if without || self.upgrades { Err(Skip::Method) } else { Ok(()) }
    }
}

/// The parts of a response's headers that are needed.
#[derive(Clone, Debug, Default)]
pub struct Response<'a> {
    /// `:status`, or 0 if it is no number.
    pub status: u64,
    /// The first `content-type`, as it came.
    pub media_type: &'a [u8],
    content_type: ContentType,
    encoded: bool,
    no_transform: bool,
    signed: bool,
    /// The value of content-length, if it is a number.
    pub content_length: Option<u64>,
    /// The headers that must change with the body.
    pub dependents: Dependents,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ContentType {
    #[default]
    Missing,
    Json,
    Other,
}

impl<'a> Response<'a> {
    /// Reads a serialised header map. Returns `None` if it is damaged, because a header might have been missed.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut response = Response::default();
        let mut pairs = Pairs::new(bytes);
        for (name, value) in pairs.by_ref() {
            response.note(name, value);
        }
        pairs.is_whole().then_some(response)
    }

    /// Decides whether the response may be touched.
    pub fn judge(&self, ends_with_headers: bool) -> Result<(), Skip> {
        if !is_looked_at(self.status) {
            return Err(Skip::Status);
        }
        if ends_with_headers || self.content_length == Some(0) {
            return Err(Skip::NoBody);
        }
        if self.content_type != ContentType::Json {
            return Err(Skip::ContentType);
        }
        if self.encoded {
            return Err(Skip::ContentEncoding);
        }
        if self.no_transform {
            return Err(Skip::NoTransform);
        }
        if self.signed {
            return Err(Skip::Signed);
        }
        Ok(())
    }

    /// Notes a header. A header may come more than once; one value that forbids healing is enough.
    fn note(&mut self, name: &[u8], value: &'a [u8]) {
        match name {
            b":status" => self.status = decimal::parse(value).unwrap_or(0),
            b"content-type" => self.note_content_type(value),
            b"content-encoding" => self.encoded |= !tokens(value).all(|token| is(token, b"identity")),
            b"cache-control" => self.no_transform |= tokens(value).any(|token| is(token, b"no-transform")),
            b"signature" | b"signature-input" => self.signed = true,
            b"content-length" => {
                self.content_length = decimal::parse(value);
                self.dependents.note(name, value);
            }
            _ => self.dependents.note(name, value),
        }
    }

    fn note_content_type(&mut self, value: &'a [u8]) {
        if self.content_type == ContentType::Missing {
            self.media_type = value;
        }
        let json = media_type::is_json(value) && self.content_type != ContentType::Other;
        self.content_type = if json { ContentType::Json } else { ContentType::Other };
    }
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|token| !token.is_empty())
}

fn is(token: &[u8], name: &[u8]) -> bool {
    token.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::serialise;

    type Headers<'a> = &'a [(&'a str, &'a [u8])];

    const JSON: (&str, &[u8]) = ("content-type", b"application/json");

    fn bytes(headers: Headers<'_>) -> Vec<u8> {
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_bytes().to_vec(), value.to_vec())).collect();
        serialise(&headers)
    }

    fn judge(status: &str, headers: Headers<'_>) -> Result<(), Skip> {
        let all: Vec<_> = [(":status", status.as_bytes())].into_iter().chain(headers.iter().copied()).collect();
        Response::read(&bytes(&all)).unwrap().judge(false)
    }

    #[test]
    fn touched() {
        let rows: [Headers<'_>; 9] = [
            &[JSON],
            &[JSON, ("content-length", b"100")],
            &[JSON, ("content-length", b"18446744073709551615")],
            &[JSON, ("content-length", b"no number")],
            &[JSON, ("content-encoding", b"identity")],
            &[JSON, ("content-encoding", b"")],
            &[JSON, ("cache-control", b"private, max-age=3")],
            &[JSON, ("cache-control", b"no-transformation")],
            &[JSON, ("x-name", b"caf\xe9")],
        ];
        for headers in rows {
            assert_eq!(judge("200", headers), Ok(()), "{headers:?}");
        }
        for status in ["200", "201", "203", "207", "302", "400", "404", "416", "500", "599"] {
            assert_eq!(judge(status, &[JSON]), Ok(()), "{status}");
        }
    }

    #[test]
    fn untouched() {
        let rows: [(Headers<'_>, Skip); 13] = [
            (&[], Skip::ContentType),
            (&[("content-type", b"text/html")], Skip::ContentType),
            (&[JSON, ("content-type", b"text/html")], Skip::ContentType),
            (&[("content-type", b"text/html"), JSON], Skip::ContentType),
            (&[JSON, ("content-encoding", b"gzip")], Skip::ContentEncoding),
            (&[JSON, ("content-encoding", b"identity, br")], Skip::ContentEncoding),
            (&[JSON, ("content-encoding", b"identity"), ("content-encoding", b"x-\xe9")], Skip::ContentEncoding),
            (&[JSON, ("content-encoding", b"gzip"), ("content-encoding", b"identity")], Skip::ContentEncoding),
            (&[JSON, ("cache-control", b"private,No-Transform")], Skip::NoTransform),
            (&[JSON, ("cache-control", b"no-transform"), ("cache-control", b"private")], Skip::NoTransform),
            (&[JSON, ("signature-input", b"s=()")], Skip::Signed),
            (&[JSON, ("signature", b"s=:AA==:")], Skip::Signed),
            (&[JSON, ("content-length", b"0")], Skip::NoBody),
        ];
        for (headers, skip) in rows {
            assert_eq!(judge("200", headers), Err(skip), "{headers:?}");
        }
        for status in ["", "0", "100", "101", "103", "199", "204", "205", "206", "226", "304", "2OO"] {
            assert_eq!(judge(status, &[JSON]), Err(Skip::Status), "{status}");
        }
    }

    /// Whatever a route may be for is looked at, and the other way round.
    #[test]
    fn conditions_of_routes_are_those_of_responses() {
        let takes = |field: &str, value: &str| {
            let text = format!(r#"{{"routes":[{{"match":{{"prefix":"/","{field}":["{value}"]}}}}]}}"#);
            healer::config::Config::parse(text.as_bytes()).is_ok()
        };
        for status in (200..600).map(|status: u32| status.to_string()) {
            assert_eq!(takes("status", &status), judge(&status, &[JSON]).is_ok(), "{status}");
        }
        let types = [
            "application/json",
            "text/json",
            "Application/Problem+JSON",
            "a/b+json",
            "a/+json",
            "a/++json",
            "text/html",
            "application/stream+json",
            "application/connect+json",
            "Application/Connect+json",
            "application/connect2+json",
            "application/grpc+json",
            "application/grpc-web+json",
            "multipart/x+json",
        ];
        for name in types {
            let looked_at = judge("200", &[("content-type", name.as_bytes())]).is_ok();
            assert_eq!(takes("content_types", name), looked_at, "{name}");
        }
    }

    #[test]
    fn ends_with_headers() {
        let headers = bytes(&[(":status", b"200"), JSON, ("content-length", b"9")]);
        let response = Response::read(&headers).unwrap();
        assert_eq!(response.judge(true), Err(Skip::NoBody));
    }

    #[test]
    fn damaged_headers() {
        let mut map = bytes(&[(":status", b"200"), JSON]);
        map.pop();
        assert!(Response::read(&map).is_none());
        let empty = Response::read(b"").unwrap();
        assert_eq!(empty.judge(false), Err(Skip::Status));
    }

    #[test]
    fn requests() {
        let rows: [(Headers<'_>, Option<(&str, &str)>); 6] = [
            (&[(":authority", b"x"), (":path", b"/a?b"), (":method", b"GET")], Some(("GET", "/a?b"))),
            (&[(":method", b"HEAD"), (":path", b"/")], Some(("HEAD", "/"))),
            (&[(":method", b"CONNECT")], None),
            (&[(":path", b"/")], None),
            (&[(":method", b"GET"), (":path", b"")], None),
            (&[], None),
        ];
        for (headers, expected) in rows {
            let bytes = bytes(headers);
            let request = Request::read(&bytes, false).map(|request| (request.method, request.path));
            assert_eq!(request, expected.map(|(method, path)| (method.as_bytes(), path.as_bytes())));
        }
    }

    #[test]
    fn the_place_of_a_request_is_that_of_its_id_or_else_of_all_that_names_the_response() {
        let place = |[method, authority, path, id]: [&str; 4]| {
            let headers = [(":authority", authority), (":path", path), (":method", method), ("x-request-id", id)];
            let headers = headers.map(|(name, value)| (name, value.as_bytes()));
            Request::read(&bytes(&headers), true).unwrap().place()
        };
        let requests = [["GET", "x", "/a?b"], ["POST", "x", "/a?b"], ["GET", "y", "/a?b"], ["GET", "x", "/a?c"]];
        for (at, [method, authority, path]) in requests.into_iter().enumerate() {
            let own = place([method, authority, path, ""]);
            let same =
                requests.iter().position(|[method, authority, path]| own == place([method, authority, path, ""]));
            assert_eq!(same, Some(at), "{method} {authority} {path}");
            assert_eq!(place([method, authority, path, "7"]), place(["GET", "x", "/", "7"]));
            assert_ne!(place([method, authority, path, "7"]), place([method, authority, path, "8"]));
        }
    }

    #[test]
    fn methods() {
        let judge =
            |method: &'static str| Request { method: method.as_bytes(), path: b"/", ..Request::default() }.judge();
        assert!(["GET", "POST", "head", "OPTIONS"].into_iter().all(|method| judge(method).is_ok()));
        assert!(["HEAD", "CONNECT"].into_iter().all(|method| judge(method) == Err(Skip::Method)));
    }

    #[test]
    fn upgrades() {
        let bytes =
            bytes(&[(":method", b"GET"), (":path", b"/"), ("connection", b"upgrade"), ("upgrade", b"websocket")]);
        let judge = |whole| Request::read(&bytes, whole).unwrap().judge();
        assert_eq!([judge(true), judge(false)], [Err(Skip::Method), Ok(())]);
    }
}
