//! Which values of content-type mean one JSON document.

/// Types that end in `+json` but carry frames or streams rather than one document.
///
/// gRPC and Connect put a five-byte prefix before each message. `application/stream+json` is Spring's name for
/// newline-delimited JSON.
const FRAMED: [&[u8]; 2] = [b"application/connect+json", b"application/stream+json"];

const GRPC: &[u8] = b"application/grpc";

/// Returns whether a body of this type is one JSON document: `application/json`, `text/json` or a `+json` suffix (RFC
/// 6839), with or without parameters.
pub fn is_json(content_type: &[u8]) -> bool {
    // The value of nearly all JSON responses.
    content_type == b"application/json" || is_json_in_other_words(content_type)
}

/// Returns the type without its parameters: the essence, as WHATWG MIME Sniffing calls it.
pub(crate) fn essence(content_type: &[u8]) -> &[u8] {
    content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

#[inline(never)]
fn is_json_in_other_words(content_type: &[u8]) -> bool {
    let essence = essence(content_type);
    let exact = is_same(essence, b"application/json") || is_same(essence, b"text/json");
    exact || is_other_json(essence)
}

#[cold]
fn is_other_json(essence: &[u8]) -> bool {
    has_json_suffix(essence) && !is_framed(essence)
}

fn has_json_suffix(essence: &[u8]) -> bool {
    let Some((kind, rest)) = essence.iter().position(|byte| *byte == b'/').and_then(|at| essence.split_at_checked(at))
    else {
        return false;
    };
    let subtype = rest.get(1..).unwrap_or_default();
    let stem = subtype.len().checked_sub(b"+json".len()).and_then(|at| subtype.split_at_checked(at));
    let suffixed = stem.is_some_and(|(stem, suffix)| !stem.is_empty() && is_same(suffix, b"+json"));
    suffixed && !kind.is_empty() && !is_same(kind, b"multipart") && !essence.contains(&b',')
}

fn is_framed(essence: &[u8]) -> bool {
    let grpc = essence.get(..GRPC.len()).is_some_and(|start| is_same(start, GRPC));
    grpc || FRAMED.iter().any(|framed| is_same(essence, framed))
}

/// Not inlined, because these comparisons are rare: inlined, each one takes a few hundred bytes of the module.
#[inline(never)]
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.eq_ignore_ascii_case(b)
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn json() {
        let texts = [
            "application/json",
            "Application/JSON",
            "text/json",
            "application/json; charset=utf-8",
            "application/json;x=\"a;b\"",
            " application/json ",
            "application/vnd.api+json",
            "application/problem+JSON; charset=utf-8",
            "application/ld+json",
        ];
        for text in texts {
            assert!(is_json(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn something_else() {
        let texts = [
            "",
            ";",
            "json",
            "+json",
            "/+json",
            "application/+json",
            "application/jsonp",
            "application/javascript",
            "application/json-seq",
            "application/geo+json-seq",
            "application/x-ndjson",
            "application/jsonl",
            "application/json, text/html",
            "application/a+json,application/b+json",
            "text/html",
            "text/plain; x=application/json",
            "text/event-stream",
            "multipart/x+json",
            "application/grpc",
            "application/grpc+json",
            "application/GRPC-web+json",
            "application/connect+json",
            "application/stream+json",
        ];
        for text in texts {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
        assert!(!is_json(b"application/jso\xf1"));
    }
}
