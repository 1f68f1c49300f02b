//! The callbacks of a VM, and the stage of each response.

use std::rc::Rc;
use std::sync::Arc;

use healer::config::{Config, Mode, Place, Route};
use healer::{Healer, Limits};

use crate::body::{Incoming, Job, Step, count};
use crate::configuration;
use crate::dependent;
use crate::eligibility::{Request, Response};
use crate::held::{Held, HeldStep};
use crate::host::{Action, Host, Level, Map, Status};
use crate::id_map::IdMap;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::outcome::{Fail, Outcome, Skip};
use crate::report::{self, Finding};
use crate::root::{Holding, Root, RouteTag};
use crate::switch::{self, NoMode};
use crate::tools::{MAX_SHAPES_BYTES, Tools};
use crate::waiting::{PATIENCE, PATIENCE_FOR_MORE, PATIENCE_FOR_TRAILERS, TICK_MS, VAIN_LIMIT, Waiting};

/// The state of a VM. Envoy runs one VM per worker, and runs each callback to its end before the next.
#[derive(Debug)]
pub struct Vm<H> {
    tools: Tools<H>,
    roots: Vec<(u32, Rc<Root>)>,
    /// The stream created last, and its root. Its request headers come next, if they come at all: for a request that
    /// Envoy itself refuses they do not, and no later callback would free a stream stored for it.
    newest: Option<(u32, u32)>,
    /// The responses that are not settled.
    streams: IdMap<Stream>,
    waiting: Waiting,
    lost: u64,
}

#[derive(Debug)]
struct Stream {
    root: Rc<Root>,
    route: usize,
    /// Later routes for the same request, if the response decides which one applies.
    others: Vec<usize>,
    place: Place,
    manner: Manner,
    stage: Stage,
}

/// How a response is processed. Known once its headers have come.
#[derive(Clone, Copy, Debug, Default)]
struct Manner {
    /// Whether its body may be changed.
    heals: bool,
    /// Whether its status is 2xx. A contract's required members apply to such responses only.
    succeeds: bool,
}

#[derive(Debug)]
enum Stage {
    /// The request has been seen.
    Requested,
    /// The response's headers are paused.
    Held(Held),
    /// The headers have left, and the body is read as it passes.
    Passing(Incoming),
    /// The body has left, healed. Only trailers still matter.
    Healed,
}

/// Why a configuration cannot be used.
struct Refusal {
    text: String,
    /// Whether that is because memory is short.
    lacks_memory: bool,
}

impl<H: Host> Vm<H> {
    /// Returns a VM before its first callback.
    pub fn new(host: H) -> Self {
        let (metrics, notices) = (Metrics::new(), Notices::default());
        let tools = Tools { host, healer: Healer::new(), metrics, notices, text: Vec::new(), bodies: 0, reserved: 0 };
        Vm { tools, roots: Vec::new(), newest: None, streams: IdMap::new(), waiting: Waiting::new(), lost: 0 }
    }

    /// A context begins: a stream if `root` is not zero, otherwise a root.
    pub fn on_context_create(&mut self, id: u32, root: u32) {
        if root != 0 {
            self.newest = Some((id, root));
        }
    }

    /// A root gets a configuration. Returns `false` to refuse it: Envoy then does not start, or keeps the old one.
    ///
    /// Envoy tries each configuration in a VM of its own first, where a refusal does no harm. In the VM of a worker it
    /// would end every stream, so a configuration for which there is no memory beside those in use is replaced by one
    /// without routes there.
    pub fn on_configure(&mut self, id: u32, length: usize) -> bool {
        let config = match self.read_configuration(length) {
            Ok(config) => config,
            Err(Refusal { lacks_memory: true, text }) if !self.roots.is_empty() => {
                let text =
                    format!("nomos: a configuration finds no memory beside those in use; it heals nothing: {text}");
                self.tools.host.log(Level::Error, &text);
                Config::default()
            }
            Err(Refusal { text, .. }) => {
                self.tools.host.log(Level::Error, &format!("nomos: configuration refused: {text}"));
                return false;
            }
        };
        if config.routes.is_empty() {
            self.tools.host.log(Level::Warn, "nomos: no routes are configured; every response passes");
        }
        let Tools { host, metrics, .. } = &mut self.tools;
        let root = Rc::new(Root::new(config, host, metrics));
        let ticks = host.set_tick_period(TICK_MS).is_ok();
        metrics.defer(ticks);
        if !self.tools.reserve(root.config.limits) {
            self.tools.host.log(Level::Warn, "nomos: there is no memory to keep back; bodies pass until there is");
        }
        self.roots.retain(|(known, _)| *known != id);
        self.roots.push((id, root));
        true
    }

    /// The headers of a request. `ends` says that nothing follows them. The request always passes.
    pub fn on_request_headers(&mut self, id: u32, ends: bool) -> Action {
        let Some((_, root)) = self.newest.take_if(|(newest, _)| *newest == id) else { return Action::Continue };
        // Only if a host reuses an id before its stream is deleted, which Envoy never does.
        if let Some(left) = self.streams.remove(id) {
            self.abandon(left);
        }
        let Some(root) = self.root(root) else { return Action::Continue };
        match match_request(&mut self.tools.host, &root, ends) {
            Ok(matched) => {
                let Matched { route, others, place } = matched;
                let (manner, stage) = (Manner::default(), Stage::Requested);
                self.streams.insert(id, Stream { root, route, others, place, manner, stage });
            }
            Err((route, skip)) => {
                let tag = route.and_then(|route| root.route(route)).map(|(_, tag)| tag);
                report::tell(&mut self.tools, &root, tag, &Finding::without_work(Outcome::Skipped(skip)));
            }
        }
        Action::Continue
    }

    /// The headers of a response. `ends` says that nothing follows them.
    pub fn on_response_headers(&mut self, id: u32, ends: bool) -> Action {
        let Some(stream) = self.streams.get_mut(id) else { return Action::Continue };
        if !matches!(stream.stage, Stage::Requested) {
            return Action::Continue;
        }
        match begin(&mut self.tools, stream, ends) {
            Ok(stage) => stream.stage = stage,
            Err(Skip::NoRoute) => {
                let Some(Stream { root, .. }) = self.streams.remove(id) else { return Action::Continue };
                report::tell(&mut self.tools, &root, None, &Finding::without_work(Outcome::Skipped(Skip::NoRoute)));
                return Action::Continue;
            }
            Err(skip) => {
                self.conclude(id, &Finding::without_work(Outcome::Skipped(skip)), false);
                return Action::Continue;
            }
        }
        if !matches!(stream.stage, Stage::Held(_)) {
            return Action::Continue;
        }
        if matches!(stream.root.holding.get(), Holding::Unproven(_)) {
            let root = Rc::clone(&stream.root);
            if !self.watch(id, &root, PATIENCE) {
                self.unhold(id);
                return Action::Continue;
            }
        }
        Action::Pause
    }

    /// A chunk of a response body: `size` is the number of bytes that the host has at this point.
    pub fn on_response_body(&mut self, id: u32, size: usize, ends: bool) -> Action {
        if !self.tools.recover() {
            self.forget_shapes(0);
        }
        let Some(stream) = self.streams.get_mut(id) else { return Action::Continue };
        let Some((route, tag)) = stream.root.route(stream.route) else { return Action::Continue };
        let (tools, job) = (&mut self.tools, job(&stream.root, route, tag, stream.manner));
        let (finding, held) = match &mut stream.stage {
            Stage::Passing(incoming) => {
                let first = incoming.is_new();
                match incoming.chunk(tools, &job, size, ends) {
                    Step::Done(finding) => (finding, false),
                    Step::More if first => return expect_more(tools, &stream.root, tag),
                    Step::More => return Action::Continue,
                }
            }
            Stage::Held(held) => {
                stream.root.holding.set(Holding::Works);
                match held.chunk(tools, &job, size, ends) {
                    HeldStep::Done(finding) => (finding, true),
                    HeldStep::Wait => {
                        wait(tools, &stream.root, tag, held);
                        return Action::Pause;
                    }
                    HeldStep::WaitAWhile(known) => {
                        held.known = known;
                        wait(tools, &stream.root, tag, held);
                        let root = Rc::clone(&stream.root);
                        let ticks = if known.is_some() { PATIENCE_FOR_TRAILERS } else { PATIENCE_FOR_MORE };
                        return if self.watch(id, &root, ticks) { Action::Pause } else { self.give_up(id) };
                    }
                    HeldStep::Unhold(incoming) => {
                        stream.stage = Stage::Passing(incoming);
                        return expect_more(tools, &stream.root, tag);
                    }
                }
            }
            Stage::Requested | Stage::Healed => return Action::Continue,
        };
        self.conclude(id, &finding, held);
        Action::Continue
    }

    /// The trailers of a response, after which its body is over. Unless the body was paused, nothing can be written any
    /// more.
    pub fn on_response_trailers(&mut self, id: u32) -> Action {
        let Some(stream) = self.streams.get_mut(id) else { return Action::Continue };
        let Some((route, tag)) = stream.root.route(stream.route) else { return Action::Continue };
        let (tools, job) = (&mut self.tools, job(&stream.root, route, tag, stream.manner));
        let (finding, held) = match &mut stream.stage {
            Stage::Passing(incoming) if incoming.is_short(&job) => return self.reset(id),
            Stage::Passing(incoming) => {
                let finding = incoming.end(tools, &job);
                if finding.is_written() {
                    dependent::fix_trailers(&mut tools.host);
                }
                (finding, false)
            }
            Stage::Held(held) => (held.end(tools), true),
            Stage::Healed => {
                dependent::fix_trailers(&mut self.tools.host);
                return Action::Continue;
            }
            Stage::Requested => return Action::Continue,
        };
        self.conclude(id, &finding, held);
        Action::Continue
    }

    /// A tick: reports the collected metrics, and releases headers that have been paused for long without Envoy calling
    /// for their body.
    pub fn on_tick(&mut self, root: u32) {
        for stream in self.waiting.tick(root) {
            self.let_go(stream);
        }
        let _ = self.tools.host.act_for(root);
        // Each root ticks, and all of them share the lines and the memory of the worker.
        if self.roots.first().is_some_and(|(first, _)| *first == root) {
            self.tools.notices.tick(&mut self.tools.host);
            if self.shapes_bytes() > MAX_SHAPES_BYTES {
                self.forget_shapes(MAX_SHAPES_BYTES / 2);
            }
        }
        self.tell_metrics();
    }

    /// A context is over.
    pub fn on_delete(&mut self, id: u32) {
        self.newest.take_if(|(newest, _)| *newest == id);
        if let Some(stream) = self.streams.remove(id) {
            self.abandon(stream);
        } else if let Some(at) = self.roots.iter().position(|(root, _)| *root == id) {
            self.roots.swap_remove(at);
            // Envoy's timer of a root outlives the root.
            if self.tools.host.act_for(id).is_ok() {
                let _ = self.tools.host.set_tick_period(0);
            }
            for stream in self.waiting.end(id) {
                self.let_go(stream);
            }
            if self.roots.is_empty() {
                // No more ticks come, but streams may live on for a moment.
                self.tools.metrics.defer(false);
            }
            self.tell_metrics();
        }
    }

    /// Returns the number of responses that are not settled.
    pub fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// Returns the host, for tests that inspect it.
    pub fn host(&mut self) -> &mut H {
        &mut self.tools.host
    }

    fn read_configuration(&mut self, length: usize) -> Result<Config, Refusal> {
        let routes = self.roots.iter().flat_map(|(_, root)| &root.config.routes);
        let in_use: Vec<_> = routes.map(|route| Arc::clone(&route.plan)).collect();
        self.tools.reserve(Limits::default());
        let Tools { host, reserved, .. } = &mut self.tools;
        let json = match host.configuration(length) {
            Ok(bytes) => configuration::as_json(bytes).into_owned(),
            Err(status) => {
                let text = format!("the host does not hand it over, status {}", status.0);
                return Err(Refusal { text, lacks_memory: status == Status::NO_MEMORY });
            }
        };
        let mut lacks_memory = false;
        let mut has_memory = || {
            lacks_memory = !host.keep_memory(*reserved);
            !lacks_memory
        };
        let config = Config::parse_beside(&json, &in_use, &mut has_memory);
        config.map_err(|error| Refusal { text: error.to_string(), lacks_memory })
    }

    /// Returns the memory in bytes that remembered shapes take.
    fn shapes_bytes(&self) -> usize {
        self.roots.iter().map(|(_, root)| root.shapes_bytes()).sum()
    }

    /// Makes the routes that remember more than their share of this many bytes forget their shapes.
    #[cold]
    fn forget_shapes(&mut self, most: usize) {
        let routes: usize = self.roots.iter().map(|(_, root)| root.config.routes.len()).sum();
        for (_, root) in &self.roots {
            root.forget_shapes(most.checked_div(routes).unwrap_or(most));
        }
    }

    fn tell_metrics(&mut self) {
        let shapes = self.roots.iter().map(|(_, root)| root.shapes()).sum();
        let forgotten = self.roots.iter().map(|(_, root)| root.forgotten()).sum();
        self.tools.metrics.set_shapes(shapes, forgotten);
        self.tools.metrics.flush(&mut self.tools.host);
    }

    fn root(&self, id: u32) -> Option<Rc<Root>> {
        self.roots.iter().find(|(known, _)| *known == id).map(|(_, root)| Rc::clone(root))
    }

    /// Reports the outcome of a response, and forgets the response. `held` says that its headers are still paused.
    fn conclude(&mut self, id: u32, finding: &Finding, held: bool) {
        let Some(stream) = self.streams.get_mut(id) else { return };
        let Some((_, tag)) = stream.root.route(stream.route) else { return };
        report::tell(&mut self.tools, &stream.root, Some(tag), finding);
        if held {
            report::tell_client(&mut self.tools, finding);
        }
        if finding.is_written() {
            stream.stage = Stage::Healed;
        } else {
            self.streams.remove(id);
        }
    }

    /// Resets a response whose kept bytes can no longer be written. Without the reset, the response would end normally
    /// although bytes of it are missing.
    fn reset(&mut self, id: u32) -> Action {
        self.lost = self.lost.saturating_add(1);
        if self.lost.is_power_of_two() {
            let count = self.lost;
            let text = format!("nomos: trailers ended a body before its value closed; reset, {count} so far");
            self.tools.host.log(Level::Warn, &text);
        }
        let mut work = None;
        if let Some(stream) = self.streams.get_mut(id)
            && let Some((route, tag)) = stream.root.route(stream.route)
            && let Stage::Passing(incoming) = &mut stream.stage
        {
            let (held, job) = (incoming.waiting(), job(&stream.root, route, tag, stream.manner));
            work = incoming.work_so_far(&job);
            incoming.discard(&mut self.tools, &job, held);
        }
        self.conclude(id, &Finding { outcome: Outcome::Failed(Fail::EndedByTrailers), work }, false);
        let _ = self.tools.host.reset_response();
        Action::Pause
    }

    /// Cleans up after a stream that ended early.
    fn abandon(&mut self, mut stream: Stream) {
        let Stream { root, route, manner, stage, .. } = &mut stream;
        let Some((route, tag)) = root.route(*route) else { return };
        match stage {
            Stage::Passing(incoming) => {
                let (held, job) = (incoming.waiting(), job(root, route, tag, *manner));
                if let Some(work) = incoming.work_so_far(&job) {
                    self.tools.metrics.record(&work);
                }
                incoming.discard(&mut self.tools, &job, held);
            }
            Stage::Held(_) => {}
            Stage::Requested | Stage::Healed => return,
        }
        self.tools.metrics.count(&mut self.tools.host, tag.id, Outcome::Failed(Fail::Incomplete));
    }

    /// Adds a paused stream to those that [`Vm::on_tick`] releases. Returns `false` if no tick will come, because the
    /// host gives none or the root has gone.
    fn watch(&mut self, stream: u32, root: &Rc<Root>, ticks: u32) -> bool {
        let known = self.roots.iter().find(|(_, known)| Rc::ptr_eq(known, root));
        let Some((root, _)) = known.filter(|_| self.tools.metrics.defers()) else { return false };
        self.waiting.add(stream, *root, ticks);
        true
    }

    /// Passes on a paused stream: either headers, and then the body unheld, unless bodies have meanwhile been seen with
    /// their headers paused; or a body of which no more has come.
    fn let_go(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(id) else { return };
        let Stage::Held(held) = &stream.stage else { return };
        let waits_a_while = held.waits_a_while();
        if !waits_a_while && stream.root.holding.get() == Holding::Works || self.tools.host.act_for(id).is_err() {
            return;
        }
        if waits_a_while {
            self.give_up(id);
        } else {
            count_vain(&mut self.tools.host, &stream.root);
            self.unhold(id);
        }
        let _ = self.tools.host.resume_response();
    }

    /// Stops waiting for more of a paused body.
    fn give_up(&mut self, id: u32) -> Action {
        if let Some(Stage::Held(held)) = self.streams.get(id).map(|stream| &stream.stage) {
            let finding = held.end(&mut self.tools);
            self.conclude(id, &finding, true);
        }
        Action::Continue
    }

    /// Continues with a response as if its headers had never been held.
    fn unhold(&mut self, id: u32) {
        let Some(stream) = self.streams.get_mut(id) else { return };
        let Stage::Held(held) = &stream.stage else { return };
        match held.unhold(&mut self.tools, stream.manner.heals) {
            Ok(incoming) => stream.stage = Stage::Passing(incoming),
            Err(fail) => self.conclude(id, &Finding::without_work(Outcome::Failed(fail)), false),
        }
    }
}

/// Counts a response whose headers were held in vain.
fn count_vain<H: Host>(host: &mut H, root: &Root) {
    let Holding::Unproven(vain) = root.holding.get() else { return };
    let vain = vain.saturating_add(1);
    root.holding.set(Holding::Unproven(vain));
    if vain >= VAIN_LIMIT {
        root.holding.set(Holding::GivenUp);
        host.log(
            Level::Error,
            "nomos: response_headers is \"held\", but Envoy holds back bodies with their headers; \
             set allow_on_headers_stop_iteration: true beside it. Headers are not held from here on",
        );
    }
}

/// Marks the part of a body that has come as paused.
fn wait<H: Host>(tools: &mut Tools<H>, root: &Root, tag: &RouteTag, held: &mut Held) {
    if !std::mem::replace(&mut held.waits, true) {
        report::expect_more(tools, root, tag);
    }
}

fn expect_more<H: Host>(tools: &mut Tools<H>, root: &Root, tag: &RouteTag) -> Action {
    report::expect_more(tools, root, tag);
    Action::Continue
}

/// What is known of a request whose response may be looked at.
struct Matched {
    route: usize,
    others: Vec<usize>,
    place: Place,
}

/// Returns the route for a request. If its response will not be looked at, returns the reason, with the route if it is
/// known.
fn match_request<H: Host>(host: &mut H, root: &Root, ends: bool) -> Result<Matched, (Option<usize>, Skip)> {
    let config = &root.config;
    if config.mode == Mode::Off {
        return Err((None, Skip::Off));
    }
    if let Some(route) = root.unread.filter(|_| ends) {
        return Ok(Matched { route, others: Vec::new(), place: Place::default() });
    }
    let bytes = host.headers(Map::RequestHeaders).map_err(|_| (None, Skip::Host))?;
    let request = Request::read(bytes, root.samples || !ends).ok_or((None, Skip::NoRoute))?;
    let number = config.route(request.method, request.path).ok_or((None, Skip::NoRoute))?;
    request.judge().map_err(|skip| (Some(number), skip))?;
    let place = if root.samples { request.place() } else { Place::default() };
    let Some(route) = config.routes.get(number) else { return Err((None, Skip::NoRoute)) };
    let others = match route.matcher.conditions.are_none() {
        true if config.mode_of(route) == Mode::Off => return Err((Some(number), Skip::Off)),
        true => Vec::new(),
        false => config.routes_from(number.saturating_add(1), request.method, request.path).collect(),
    };
    Ok(Matched { route: number, others, place })
}

/// Decides how to process a response, and corrects its headers accordingly.
fn begin<H: Host>(tools: &mut Tools<H>, stream: &mut Stream, ends: bool) -> Result<Stage, Skip> {
    let bytes = tools.host.headers(Map::ResponseHeaders).map_err(|_| Skip::Host)?;
    let response = Response::read(bytes).ok_or(Skip::Host)?;
    let mut mode = settle_route(stream, &response)?;
    response.judge(ends)?;
    stream.manner.succeeds = (200..300).contains(&response.status);
    let Response { content_length, dependents, .. } = response;
    let root = Rc::clone(&stream.root);
    if root.config.route_metadata {
        mode = restricted(tools, mode, &root, stream.route)?;
    }
    stream.manner.heals = mode == Mode::Heal;
    let most = count(root.config.limits.max_held_bytes);
    // A body that is only observed must not wait for its end, which may be handed out late: see [`Held`].
    let may_hold = root.holds_headers() && (stream.manner.heals || content_length.is_some());
    if may_hold
        && content_length.is_none_or(|length| length <= most)
        && let Some(held) = Held::new(content_length)
    {
        return Ok(Stage::Held(held));
    }
    if stream.manner.heals {
        dependents.fix_for_any_body(&mut tools.host).map_err(|_| Skip::Host)?;
    }
    Ok(Stage::Passing(Incoming::new(content_length)))
}

/// Finds the first of a request's routes that is for this response, and its mode.
fn settle_route(stream: &mut Stream, response: &Response<'_>) -> Result<Mode, Skip> {
    let Stream { root, route, others, place, .. } = stream;
    let config = &root.config;
    let accepts = |number: usize| config.accepts(number, response.status, response.media_type);
    if !accepts(*route) {
        *route = others.iter().copied().find(|number| accepts(*number)).ok_or(Skip::NoRoute)?;
    }
    let Some(route) = config.routes.get(*route) else { return Err(Skip::NoRoute) };
    match config.mode_of(route) {
        Mode::Off => Err(Skip::Off),
        Mode::Heal if !config.sample_of(route).takes(*place) => Ok(Mode::Observe),
        mode => Ok(mode),
    }
}

/// Restricts a mode by the metadata of the proxy's route.
fn restricted<H: Host>(tools: &mut Tools<H>, mode: Mode, root: &Root, route: usize) -> Result<Mode, Skip> {
    let restricted = match tools.host.route_mode() {
        Ok(metadata) => switch::restrict(mode, metadata).map_err(|NoMode| Some(metadata.to_vec())),
        // Usually there is no metadata, or none for Nomos.
        Err(Status::NOT_FOUND) => Ok(mode),
        // There is metadata, but the host cannot hand it over, for example a null.
        Err(_) => Err(None),
    };
    match restricted {
        Ok(Mode::Off) => Err(Skip::Off),
        Ok(mode) => Ok(mode),
        Err(found) => {
            let name = root.config.routes.get(route).map_or("", |route| &route.name);
            tools.notices.bad_metadata(&mut tools.host, name, found.as_deref());
            Err(Skip::Off)
        }
    }
}

fn job<'a>(root: &Root, route: &'a Route, tag: &'a RouteTag, manner: Manner) -> Job<'a> {
    Job { succeeds: manner.succeeds, ..Job::new(route, tag, root.config.limits, manner.heals) }
}

#[cfg(test)]
mod tests;
