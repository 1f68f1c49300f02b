//! A host for tests, which treats one stream at a time as Envoy would.
//!
//! It refuses what Envoy refuses: header maps and buffers outside their phase, and adding zero to a counter. Any call
//! can be made to fail, by its number or its name. Public for fuzzing, with the feature `mock`.

#![allow(missing_docs)]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]
#![allow(clippy::missing_panics_doc, clippy::return_self_not_must_use)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::host::{Clock, Host, Level, Map, Metric, Status};
use crate::pairs::{self, Header};

type Headers = Vec<Header>;

/// The status that Envoy returns for calls outside their phase.
const BAD_ARGUMENT: Status = Status(2);

/// How far each reading advances the clock, in nanoseconds.
const CLOCK_STEP_NS: u64 = 1000;

#[derive(Debug, Default)]
pub struct Mock {
    /// The request's headers; `None` outside their callback.
    pub request: Option<Headers>,
    /// The response's headers; `None` once they have been passed on.
    pub response: Option<Headers>,
    /// The bytes that a callback is about; `None` outside callbacks about the body.
    pub buffer: Option<Vec<u8>>,
    pub configuration: Vec<u8>,
    pub filter_state: Vec<u8>,
    /// The mode in the metadata of the proxy's route.
    pub route_mode: Option<Vec<u8>>,
    pub log: Vec<String>,
    pub upstream_ended: bool,
    pub reset: bool,
    pub resumed: bool,
    pub tick_period: Option<u32>,
    pub acting_for: u32,
    /// The number of fallible calls so far.
    pub count: usize,
    /// The maximum number of bytes of a body that are given, whatever is asked for.
    pub most_given: Option<usize>,
    /// The most bytes of a body that were written by one call.
    pub most_written: usize,
    /// How many more times `keep_memory` succeeds; `None` stands for always.
    pub reserves: Option<usize>,
    /// The numbers of the calls that fail.
    pub failing_numbers: Vec<usize>,
    failing_names: Vec<&'static str>,
    failing_status: u32,
    window: Vec<u8>,
    names: Vec<(Metric, String)>,
    sums: BTreeMap<String, i64>,
    records: BTreeMap<String, Vec<u64>>,
    calls: BTreeMap<&'static str, usize>,
    clock: MockClock,
}

#[derive(Clone, Debug, Default)]
pub struct MockClock(Rc<Cell<u64>>);

impl Clock for MockClock {
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + CLOCK_STEP_NS);
        self.0.get()
    }
}

impl Mock {
    pub fn new() -> Self {
        Mock { failing_status: 2, ..Mock::default() }
    }

    pub fn with_configuration(mut self, json: &str) -> Self {
        self.configuration = json.as_bytes().to_vec();
        self
    }

    pub fn with_response_header(mut self, name: &str, value: &str) -> Self {
        self.response.get_or_insert_default().push((name.into(), value.into()));
        self
    }

    /// Makes every call of this name fail.
    pub fn with_failing(mut self, name: &'static str) -> Self {
        self.failing_names.push(name);
        self
    }

    /// Makes the calls with these numbers fail, counted from zero.
    pub fn with_failing_numbers(mut self, numbers: &[usize], status: u32) -> Self {
        self.failing_numbers = numbers.to_vec();
        self.failing_status = status;
        self
    }

    pub fn response_headers(&self) -> Vec<String> {
        self.response.iter().flatten().map(line).collect()
    }

    /// Returns the value of a counter or gauge. All ids of one name are one metric.
    pub fn metric(&self, name: &str) -> i64 {
        self.sums.get(name).copied().unwrap_or_default()
    }

    pub fn recorded(&self, name: &str) -> Vec<u64> {
        self.records.get(name).cloned().unwrap_or_default()
    }

    pub fn defined_metrics(&self) -> usize {
        self.names.len()
    }

    /// Returns how often the time was read.
    pub fn clock_reads(&self) -> u64 {
        self.clock.0.get() / CLOCK_STEP_NS
    }

    pub fn calls(&self, name: &str) -> usize {
        self.calls.get(name).copied().unwrap_or_default()
    }

    fn call(&mut self, name: &'static str) -> Result<(), Status> {
        let number = self.count;
        self.count += 1;
        *self.calls.entry(name).or_default() += 1;
        let fails = self.failing_numbers.contains(&number) || self.failing_names.contains(&name);
        if fails { Err(Status(self.failing_status)) } else { Ok(()) }
    }

    fn map(&mut self, map: Map) -> Result<&mut Headers, Status> {
        let map = match map {
            Map::RequestHeaders => self.request.as_mut(),
            Map::ResponseHeaders | Map::ResponseTrailers => self.response.as_mut(),
        };
        map.ok_or(BAD_ARGUMENT)
    }
}

pub fn line((name, value): &Header) -> String {
    format!("{}: {}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
}

impl Host for Mock {
    type Clock = MockClock;

    fn clock(&self) -> MockClock {
        self.clock.clone()
    }

    fn log(&mut self, _level: Level, text: &str) {
        self.log.push(text.to_owned());
    }

    fn configuration(&mut self, length: usize) -> Result<&[u8], Status> {
        self.call("configuration")?;
        assert_eq!(length, self.configuration.len());
        Ok(&self.configuration)
    }

    fn headers(&mut self, map: Map) -> Result<&[u8], Status> {
        self.call("headers")?;
        self.window = self.map(map).map(|headers| pairs::serialise(headers)).unwrap_or_default();
        Ok(&self.window)
    }

    fn set_header(&mut self, name: &[u8], value: &[u8]) -> Result<(), Status> {
        self.call("set_header")?;
        let headers = self.map(Map::ResponseHeaders)?;
        let at = headers.iter().position(|(known, _)| known == name).unwrap_or(headers.len());
        headers.retain(|(known, _)| known != name);
        headers.insert(at.min(headers.len()), (name.to_vec(), value.to_vec()));
        Ok(())
    }

    fn remove_header(&mut self, map: Map, name: &[u8]) -> Result<(), Status> {
        self.call("remove_header")?;
        self.map(map)?.retain(|(known, _)| known != name);
        Ok(())
    }

    fn read_body(&mut self, start: usize, length: usize, to: &mut Vec<u8>) -> Result<usize, Status> {
        self.call("read_body")?;
        let buffer = self.buffer.as_ref().ok_or(BAD_ARGUMENT)?;
        let end = start.saturating_add(length).min(buffer.len());
        let end = end.min(self.most_given.unwrap_or(usize::MAX));
        let bytes = &buffer[start.min(end)..end];
        to.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn replace_body(&mut self, length: usize, bytes: &[u8]) -> Result<(), Status> {
        self.call("replace_body")?;
        let buffer = self.buffer.as_mut().ok_or(BAD_ARGUMENT)?;
        buffer.splice(..length.min(buffer.len()), bytes.iter().copied());
        self.most_written = self.most_written.max(bytes.len());
        Ok(())
    }

    fn append_body(&mut self, bytes: &[u8]) -> Result<(), Status> {
        self.call("append_body")?;
        self.buffer.as_mut().ok_or(BAD_ARGUMENT)?.extend_from_slice(bytes);
        self.most_written = self.most_written.max(bytes.len());
        Ok(())
    }

    fn set_filter_state(&mut self, value: &[u8]) -> Result<(), Status> {
        self.call("set_filter_state")?;
        self.filter_state = value.to_vec();
        Ok(())
    }

    fn route_mode(&mut self) -> Result<&[u8], Status> {
        self.call("route_mode")?;
        self.route_mode.as_deref().ok_or(Status::NOT_FOUND)
    }

    fn upstream_has_ended(&mut self) -> bool {
        self.call("upstream_has_ended").is_ok() && self.upstream_ended
    }

    fn reset_response(&mut self) -> Result<(), Status> {
        self.call("reset_response")?;
        self.reset = true;
        Ok(())
    }

    fn define_metric(&mut self, kind: Metric, name: &str) -> Result<u32, Status> {
        self.call("define_metric")?;
        self.names.push((kind, name.to_owned()));
        Ok(u32::try_from(self.names.len() - 1).unwrap())
    }

    fn add_metric(&mut self, id: u32, offset: i64) -> Result<(), Status> {
        self.call("add_metric")?;
        let (kind, name) = self.names.get(id as usize).ok_or(Status(1))?;
        assert!(*kind == Metric::Gauge || (*kind == Metric::Counter && offset > 0), "{name} {offset}");
        *self.sums.entry(name.clone()).or_default() += offset;
        Ok(())
    }

    fn record_metric(&mut self, id: u32, value: u64) -> Result<(), Status> {
        self.call("record_metric")?;
        let (kind, name) = self.names.get(id as usize).ok_or(Status(1))?;
        assert_eq!(*kind, Metric::Histogram, "{name}");
        self.records.entry(name.clone()).or_default().push(value);
        Ok(())
    }

    fn set_tick_period(&mut self, milliseconds: u32) -> Result<(), Status> {
        self.call("set_tick_period")?;
        self.tick_period = Some(milliseconds);
        Ok(())
    }

    fn act_for(&mut self, context: u32) -> Result<(), Status> {
        self.call("act_for")?;
        self.acting_for = context;
        Ok(())
    }

    fn keep_memory(&mut self, _bytes: usize) -> bool {
        let left = self.reserves;
        self.reserves = left.map(|left| left.saturating_sub(1));
        left != Some(0)
    }

    fn resume_response(&mut self) -> Result<(), Status> {
        self.call("resume_response")?;
        self.resumed = true;
        Ok(())
    }
}
