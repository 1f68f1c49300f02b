//! Warnings about valid routes that are hardly meant: those that get no requests, and those that change no response.

use std::collections::HashMap;

use healer::config::cursor::{Cursor, Problems};
use healer::config::node::{Member, Node, Value};
use healer::config::vocabulary::ROUTE;
use healer::config::{Config, Matcher, Mode};

/// What was found and expected if there are no routes.
pub const NO_ROUTES: (&str, &str) = ("0 routes: every response passes", "routes, each with match and rules");

/// A text that no path or method of a configuration contains, because control characters are refused there.
const ANY: &str = "\u{1}";

/// Methods whose responses are never healed.
const NEVER_HEALED: [&str; 2] = ["HEAD", "CONNECT"];

/// Warns of a configuration without routes, unless its mode is off. A document that is refused may not be a
/// configuration at all, so it is not warned about.
pub fn doubt_absence(configuration: &Cursor<'_>, doubts: &mut Problems) {
    let routes = configuration.field("routes");
    if routes.is_some_and(|routes| !is_empty_array(routes.node)) {
        return;
    }
    if Config::check(configuration.node).is_ok_and(|config| config.mode != Mode::Off) {
        configuration.refuse(doubts, NO_ROUTES.0, NO_ROUTES.1);
    }
}

/// Warns about a route by itself.
pub fn doubt(route: &Cursor<'_>, doubts: &mut Problems) {
    let is_read = route.only_fields(&mut Problems::new(), "a route", &ROUTE).is_some();
    if is_read && heals_nothing(route) {
        route.refuse(doubts, "a route that heals nothing", "packs, rename, move or similarity; or mode: off");
    }
    let Some(matching) = route.field("match") else { return };
    for field in ["path", "prefix", "template"] {
        if let Some(target) = matching.field(field) {
            doubt_notation(&target, doubts);
        }
    }
    if let Some(methods) = matching.field("methods") {
        doubt_methods(&methods, doubts);
    }
}

/// Warns of routes that an earlier one covers: it takes all of their requests, whatever the response.
pub fn doubt_order(routes: &[Cursor<'_>], doubts: &mut Problems) {
    let requests: Vec<Option<Requests>> = routes.iter().map(Requests::of).collect();
    let mut earlier = Earlier::default();
    for (number, (route, later)) in routes.iter().zip(&requests).enumerate() {
        let Some(later) = later else { continue };
        if let Some(first) = earlier.covering(later) {
            let found = format!("a route that is never used: routes[{first}] takes all of its requests");
            route.refuse(doubts, found, format!("requests of its own, or a place in front of routes[{first}]"));
        } else {
            // What covers this route covers all that it covers, so only routes that are used need to be kept.
            earlier.add(number, later);
        }
    }
}

/// Routes by number, in order. Generated configurations have tens of thousands, nearly all of one path each, so these
/// are found by their path.
#[derive(Default)]
struct Earlier<'a> {
    of_path: HashMap<&'a str, Vec<(usize, &'a Requests)>>,
    others: Vec<(usize, &'a Requests)>,
}

impl<'a> Earlier<'a> {
    fn add(&mut self, number: usize, requests: &'a Requests) {
        let list = match requests.paths.first() {
            Some(path) if requests.is_one_path => self.of_path.entry(path).or_default(),
            _ => &mut self.others,
        };
        list.push((number, requests));
    }

    /// Returns the first route that takes all requests of a later one.
    fn covering(&self, later: &Requests) -> Option<usize> {
        let same = later.paths.first().and_then(|path| self.of_path.get(path.as_str()));
        let first = |list: &Vec<(usize, &Requests)>| {
            let covers = |(_, earlier): &&(usize, &Requests)| earlier.cover(later);
            list.iter().find(covers).map(|(number, _)| *number)
        };
        [same.and_then(first), first(&self.others)].into_iter().flatten().min()
    }
}

/// The requests that a route takes, according to the engine.
struct Requests {
    matcher: Matcher,
    /// The listed methods, or one that no list contains.
    methods: Vec<String>,
    /// Whether the route says `path`, which is then the only one below.
    is_one_path: bool,
    /// Representative paths: a matcher that matches these matches all paths of the route.
    paths: Vec<String>,
}

impl Requests {
    /// Reads a route. Returns `None` if the engine refuses its `match`, which is reported as a problem already.
    fn of(route: &Cursor<'_>) -> Option<Self> {
        let matching = route.field("match")?;
        let methods = match matching.field("methods") {
            Some(methods) => words(methods.node).map(str::to_owned).collect(),
            None => vec![ANY.to_owned()],
        };
        let text = |field: &str| matching.node.get(field).and_then(Node::as_str);
        let paths = match (text("path"), text("prefix"), text("template")) {
            (Some(path), ..) => vec![path.to_owned()],
            // Any template matches at most one of these two.
            (_, Some(prefix), _) => vec![format!("{prefix}{ANY}"), format!("{prefix}{ANY}/{ANY}")],
            (_, _, Some(template)) => {
                let any = |part: &str| if part.starts_with('{') { ANY.to_owned() } else { part.to_owned() };
                vec![map_segments(template, any)]
            }
            _ => return None,
        };
        let is_one_path = text("path").is_some();
        Some(Requests { matcher: matcher(matching.node)?, methods, is_one_path, paths })
    }

    /// Returns whether this route takes all requests of a later one. With other conditions, a response may fall
    /// through.
    fn cover(&self, later: &Requests) -> bool {
        let conditions = &self.matcher.conditions;
        let matches = |method: &String, path: &String| self.matcher.matches(method.as_bytes(), path.as_bytes());
        (conditions.are_none() || *conditions == later.matcher.conditions)
            && later.methods.iter().all(|method| later.paths.iter().all(|path| matches(method, path)))
    }
}

/// Reads a `match` in a configuration that contains nothing else, so that nothing else can be wrong, and no contract is
/// read again.
fn matcher(matching: &Node) -> Option<Matcher> {
    let within = |name: &str, node: Node| Node {
        offset: 0,
        value: Value::Object(vec![Member { name: name.to_owned(), offset: 0, node }]),
    };
    let routes = Node { offset: 0, value: Value::Array(vec![within("match", matching.clone())]) };
    let config = Config::check(&within("routes", routes)).ok()?;
    config.routes.into_iter().next().map(|route| route.matcher)
}

/// Returns whether a route leaves every body as it came. A route that is off may keep its requests from other routes.
fn heals_nothing(route: &Cursor<'_>) -> bool {
    let is_off = |field: &str| route.field(field).is_some_and(|field| field.word() == Some("off"));
    let has_none = |field: &str| match route.node.get(field).map(|node| &node.value) {
        None => true,
        Some(Value::Object(members)) => members.is_empty() && field != "similarity",
        Some(Value::Array(packs)) => packs.is_empty() && field == "packs",
        Some(_) => false,
    };
    let drops = route.node.get("unmapped").and_then(Node::as_str) == Some("drop") && route.field("contract").is_some();
    let has_rules = !["packs", "rename", "move"].into_iter().all(has_none);
    let finds = !has_none("similarity") && !is_off("similarity");
    !(has_rules || finds || drops || is_off("mode"))
}

/// Warns of stars, and of segments such as `:id`, which other routers take for parameters.
fn doubt_notation(target: &Cursor<'_>, doubts: &mut Problems) {
    let Some(text) = target.node.as_str().filter(|text| text.starts_with('/')) else { return };
    let why = match text {
        _ if text.contains('*') => "where * is a character like others",
        _ if text.split('/').any(is_colon_name) => "where : is a character like others",
        _ => return,
    };
    target.refuse(doubts, format!("{}, {why}", target.node.describe()), instead_of(text));
}

/// Suggests a matcher for what is probably meant: all paths below one, or any text in a segment.
fn instead_of(text: &str) -> String {
    let template = map_segments(text, |part| match part {
        "*" => "{name}".to_owned(),
        _ if is_colon_name(part) => format!("{{{}}}", part.trim_start_matches(':')),
        _ => part.to_owned(),
    });
    let template = (!template.contains('*')).then(|| format!("template: \"{template}\""));
    let prefix = prefix_meant(text).map(|prefix| format!("prefix: {prefix}"));
    let both: Vec<String> = prefix.into_iter().chain(template).collect();
    if both.is_empty() { "a prefix, or a template such as \"/users/{id}\"".to_owned() } else { both.join(" or ") }
}

/// Returns the text before stars at the end, or before `.*`. A prefix has no parameters.
fn prefix_meant(text: &str) -> Option<&str> {
    let head = text.trim_end_matches('*');
    let is_plain = head != text && !head.contains(['*', '{']) && !head.split('/').any(is_colon_name);
    is_plain.then(|| head.trim_end_matches('.'))
}

fn is_colon_name(part: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    part.strip_prefix(':').is_some_and(|name| !name.is_empty() && name.chars().all(is_letter))
}

fn doubt_methods(methods: &Cursor<'_>, doubts: &mut Problems) {
    let named: Vec<&str> = words(methods.node).collect();
    if !named.is_empty() && named.iter().all(|method| NEVER_HEALED.contains(method)) {
        let found = format!("{} only, which is never healed", named.join(" and "));
        methods.refuse(doubts, found, "methods whose responses have a body, such as [GET], or none for any");
    }
}

fn map_segments(path: &str, map: impl Fn(&str) -> String) -> String {
    path.split('/').map(map).collect::<Vec<_>>().join("/")
}

fn words(node: &Node) -> impl Iterator<Item = &str> {
    let items: &[Node] = if let Value::Array(items) = &node.value { items } else { &[] };
    items.iter().filter_map(Node::as_str)
}

fn is_empty_array(node: &Node) -> bool {
    matches!(&node.value, Value::Array(items) if items.is_empty())
}
