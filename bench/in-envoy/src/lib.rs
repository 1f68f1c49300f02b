//! Times the engine inside Envoy's V8. The configuration is a list of subjects; a request for
//! `/SUBJECT/OPERATION/BATCHES` times one operation on one of them and is answered with the timing.
//!
//! By request rather than at start: Envoy configures a module three times, on its main thread too, and a request runs
//! where responses are healed, on a worker.

// The SDK's macro exports a function without a doc comment.
#![allow(missing_docs)]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::UNIX_EPOCH;

use nomos_bench_engine::{Stand, Subject, Timing};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{Action, ContextType};

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(Root::default()));
}}

type Stands = Rc<RefCell<Vec<(String, Stand)>>>;

#[derive(Default)]
struct Root {
    stands: Stands,
}

struct Request {
    stands: Stands,
}

impl Context for Root {}

impl RootContext for Root {
    fn on_configure(&mut self, _size: usize) -> bool {
        let text = self.get_plugin_configuration().unwrap_or_default();
        match read(&text) {
            Ok(stands) => {
                self.stands = Rc::new(RefCell::new(stands));
                true
            }
            Err(error) => {
                let _ = hostcalls::log(proxy_wasm::types::LogLevel::Error, &error);
                false
            }
        }
    }

    fn create_http_context(&self, _id: u32) -> Option<Box<dyn HttpContext>> {
        Some(Box::new(Request { stands: Rc::clone(&self.stands) }))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}

impl Context for Request {}

impl HttpContext for Request {
    fn on_http_request_headers(&mut self, _count: usize, _ends: bool) -> Action {
        let path = self.get_http_request_header(":path").unwrap_or_default();
        let (status, body) = match self.time(&path) {
            Ok(timing) => (200, serde_json::to_vec(&timing).unwrap_or_default()),
            Err(error) => (400, error.into_bytes()),
        };
        self.send_http_response(status, Vec::new(), Some(&body));
        Action::Pause
    }
}

impl Request {
    fn time(&self, path: &str) -> Result<Timing, String> {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let [subject, operation, batches] = parts[..] else {
            return Err(format!("found {path}; expected /SUBJECT/OPERATION/BATCHES"));
        };
        let operation = operation.parse()?;
        let batches = batches.parse().map_err(|error| format!("{batches}: {error}"))?;
        let mut stands = self.stands.borrow_mut();
        let stand = stands.iter_mut().find(|(name, _)| name == subject);
        let (_, stand) = stand.ok_or_else(|| format!("there is no subject {subject}"))?;
        Ok(stand.time(operation, batches, now))
    }
}

fn read(text: &[u8]) -> Result<Vec<(String, Stand)>, String> {
    let subjects: Vec<Subject> = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    subjects.into_iter().map(|subject| Ok((subject.name.clone(), Stand::new(&subject)?))).collect()
}

/// Envoy's clock. Until the year 2554.
fn now() -> u64 {
    let time = hostcalls::get_current_time().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or(0)
}
