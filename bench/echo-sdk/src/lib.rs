//! Takes each response body out of Envoy and puts it back: what any filter that rewrites bodies has to do at least,
//! written as the example `http_body` of the official SDK, but never pausing, as Nomos never does.

// The SDK's macro exports a function without a doc comment.
#![allow(missing_docs)]

use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{Action, ContextType};

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(Root));
}}

struct Root;

struct Echo;

impl Context for Root {}

impl RootContext for Root {
    fn create_http_context(&self, _id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Echo))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}

impl Context for Echo {}

impl HttpContext for Echo {
    fn on_http_response_headers(&mut self, _count: usize, _ends: bool) -> Action {
        // A rewritten body has another length.
        self.set_http_response_header("content-length", None);
        Action::Continue
    }

    fn on_http_response_body(&mut self, size: usize, _ends: bool) -> Action {
        if let Some(body) = self.get_http_response_body(0, size) {
            self.set_http_response_body(0, size, &body);
        }
        Action::Continue
    }
}
