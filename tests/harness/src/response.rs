//! Takes a response through a VM, in Envoy's order of callbacks.

use crate::host::Headers;
use crate::vm::{Action, ROOT, Trap, Vm};

/// The context of the one stream.
const STREAM: u32 = 2;

/// How a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With its last chunk.
    WithData,
    /// With an empty chunk, as HTTP/1 upstreams do.
    Apart,
    /// With trailers.
    Trailers,
    /// With trailers that a filter adds after the upstream has ended, as a decompressor does.
    AddedTrailers,
    /// Not at all: the client or the upstream is gone.
    Never,
}

impl End {
    /// All ends that complete the body.
    pub const WHOLE: [End; 4] = [End::WithData, End::Apart, End::Trailers, End::AddedTrailers];
}

/// The response of an upstream.
#[derive(Clone, Debug)]
pub struct Response<'a> {
    /// The path of the request.
    pub path: &'a str,
    /// The headers, `:status` first.
    pub headers: Vec<(&'a str, String)>,
    /// The body, in the chunks in which it arrives.
    pub chunks: Vec<&'a [u8]>,
    /// How it ends.
    pub end: End,
}

/// The response that the client gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Empty as long as the headers are paused.
    pub headers: Vec<(String, String)>,
    /// The part of the body that has arrived.
    pub body: Vec<u8>,
    /// Whether the response was reset, so that the client knows that it is incomplete.
    pub reset: bool,
    /// Whether anything is still paused.
    pub paused: bool,
    /// The trap that ended the VM, and the response with it.
    pub trap: Option<Trap>,
}

impl<'a> Response<'a> {
    /// Returns a response for `/u` with status 200 and a JSON body.
    pub fn json(body: &'a [u8]) -> Self {
        let headers = vec![(":status", "200".to_owned()), ("content-type", "application/json".to_owned())];
        Response { path: "/u", headers, chunks: vec![body], end: End::Apart }
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'a str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Adds content-length.
    #[must_use]
    pub fn with_length(self) -> Self {
        let length: usize = self.chunks.iter().map(|chunk| chunk.len()).sum();
        self.with("content-length", &length.to_string())
    }

    /// Cuts the body into chunks of this size.
    #[must_use]
    pub fn cut(mut self, size: usize) -> Self {
        self.chunks = self.chunks.into_iter().flat_map(|chunk| chunk.chunks(size)).collect();
        self
    }

    /// Sets how the body ends.
    #[must_use]
    pub fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }

    /// Makes all callbacks for the response.
    pub fn run(&self, vm: &mut Vm) -> Reply {
        let mut reply = Reply::default();
        let ended = self
            .pass(vm, &mut reply)
            .and_then(|()| if vm.host().stream.is_some() { vm.delete(STREAM) } else { Ok(()) });
        reply.trap = ended.err();
        reply.reset = vm.host().reset;
        reply
    }

    fn pass(&self, vm: &mut Vm, reply: &mut Reply) -> Result<(), Trap> {
        self.begin(vm)?;
        let ends = self.chunks.is_empty() && self.end == End::WithData;
        let action = vm.response_headers(STREAM, ends)?;
        forward(vm, reply, action);
        let apart: &[&[u8]] = if matches!(self.end, End::Apart | End::AddedTrailers) { &[b""] } else { &[] };
        let chunks: Vec<&[u8]> = self.chunks.iter().chain(apart).copied().collect();
        for (at, chunk) in chunks.iter().enumerate() {
            let last = at + 1 == chunks.len();
            vm.host().upstream_ended = last && !matches!(self.end, End::Never | End::Trailers);
            vm.host().body.get_or_insert_default().extend_from_slice(chunk);
            let action = vm.response_body(STREAM, last && matches!(self.end, End::WithData | End::Apart))?;
            forward(vm, reply, action);
            if vm.host().reset || vm.host().stream.is_none() {
                return Ok(());
            }
        }
        if matches!(self.end, End::Trailers | End::AddedTrailers) {
            vm.host().trailers = Some(Headers::new());
            let action = vm.response_trailers(STREAM)?;
            forward(vm, reply, action);
        }
        Ok(())
    }

    fn begin(&self, vm: &mut Vm) -> Result<(), Trap> {
        let own = |(name, value): (&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
        let request = [(":authority", "x"), (":path", self.path), (":method", "GET")].map(own).to_vec();
        vm.host().begin(STREAM, request);
        vm.create_context(STREAM, ROOT)?;
        vm.request_headers(STREAM)?;
        vm.host().request = None;
        vm.host().response = Some(self.headers.iter().map(|(name, value)| own((name, value))).collect());
        Ok(())
    }
}

impl Reply {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Acts on the result of a callback: passes on the data, or keeps it paused.
fn forward(vm: &mut Vm, reply: &mut Reply, action: Action) {
    if action == Action::Pause {
        reply.paused = true;
        return;
    }
    reply.paused = false;
    reply.body.extend(vm.host().body.take().unwrap_or_default());
    if let Some(headers) = vm.host().response.take() {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        reply.headers = headers.iter().map(|(name, value)| (text(name), text(value))).collect();
    }
}
