//! The cost of similarity: for a known shape, for one that is seen for the first time, for contracts of many sizes, and
//! for the command `nomos match`. Also compares what its indices find with what comparing all names finds.

use std::fs;
use std::hint::black_box;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Instant;

use healer::plan::spec::{Contract, Expects, Kind, Property};
use healer::similarity::nearest::Nearest;
use healer::similarity::{Found, Model, NONE, Scratch, Settings, Standing};
use nomos_bench_engine::{Operation, Stand, Subject, Timing};
use serde::Serialize;
use serde_json::{Value, json};

use crate::corpus::similar;
use crate::engine::{self, Effort, median};
use crate::modules::{self, Module};
use crate::proxy;
use crate::scenario::Setting;
use crate::section::{Axis, Figures, Plot, Section, Series};

/// All results about similarity.
#[derive(Clone, Debug, Serialize)]
pub struct Similarity {
    /// Records of 66 members with 64 fields, natively.
    pub native: Records,
    /// The same in V8.
    pub in_envoy: Records,
    /// The number of unknown names in a record.
    pub unknown: usize,
    /// The results by size of the contract.
    pub scale: Vec<Scale>,
    /// The share that the indices find.
    pub recall: Recall,
    /// `nomos match` on a large body.
    pub matching: Matching,
}

/// Times in nanoseconds per body.
#[derive(Clone, Debug, Serialize)]
pub struct Records {
    /// By rules for exactly these names, with all of the engine's work.
    pub renamed: f64,
    /// By similarity, for a known shape.
    pub known: f64,
    /// The median of the quotients of these two in a round.
    pub known_to_renamed: f64,
    /// The same, without reading and scanning the bytes.
    pub heal_known_to_renamed: f64,
    /// By similarity, for a shape seen for the first time.
    pub first: f64,
    /// The median of the differences from a known shape in the same round.
    pub added_by_first: f64,
    /// By rules, for bodies whose skeleton has been seen before.
    pub seen_renamed: f64,
    /// By similarity, for such bodies.
    pub seen_known: f64,
    /// The median of the quotients of these two in a round.
    pub seen_known_to_renamed: f64,
}

/// The cost of decisions with a contract of this size.
#[derive(Clone, Debug, Serialize)]
pub struct Scale {
    /// The number of fields of the contract.
    pub fields: usize,
    /// The nanoseconds per unknown name.
    pub per_name: f64,
    /// The median of the quotients with `BASE` fields in a round.
    pub to_base: f64,
}

/// The share of the results of comparing all names that an index finds.
#[derive(Clone, Debug, Serialize)]
pub struct Recall {
    /// The number of fields of the contract.
    pub fields: usize,
    /// The number of queried names.
    pub names: usize,
    /// The number of pairs of a name and a possible field, by comparing all.
    pub pairs: usize,
    /// The share of these pairs that the index of words finds. Decisions use that index.
    pub words: f64,
    /// The share of names whose nearest name by trigrams the index of embeddings finds.
    pub embeddings: f64,
    /// How many times faster a query of the index of embeddings is than comparing all.
    pub embeddings_speedup: f64,
}

/// The command `nomos match`, from start to end of the process.
#[derive(Clone, Debug, Serialize)]
pub struct Matching {
    /// The length of the body in bytes.
    pub bytes: usize,
    /// The time in milliseconds.
    pub ms: f64,
}

/// The contract size that others are compared with.
const BASE: usize = 100;
const SIZES: [usize; 5] = [10, 64, BASE, 1_000, 10_000];
/// The number of decisions in a batch.
const BATCH: usize = 20;
/// How often the command is run.
const RUNS: usize = 7;
/// The minimum length in bytes of the body for the command.
const LARGE: usize = 1 << 20;

/// Runs the scenario.
pub fn section(setting: &Setting<'_>) -> Result<Section, String> {
    let measured = run(Effort::of(setting), &|done, of| setting.progress.at(done, of))?;
    let rounds = serde_json::to_value(&measured).map_err(|error| error.to_string())?;
    let (tables, notes) = tables(&measured);
    Ok(Section { tables, plots: vec![plot(&measured)], notes, rounds, ..Section::new("similarity") })
}

fn run(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Similarity, String> {
    let parts = |part: usize| move |done: usize, of: usize| progress(part * of + done, 2 * of);
    Ok(Similarity {
        native: native(effort, &parts(0))?,
        in_envoy: in_envoy(effort, &parts(1))?,
        unknown: similar::unknown(),
        scale: scale(effort.rounds * 5),
        recall: recall(),
        matching: matching()?,
    })
}

/// Returns the tables for readers, and texts with further figures.
fn tables(measured: &Similarity) -> (Vec<Figures>, Vec<String>) {
    let columns = [("record of 66 members, 64 fields", 0), ("natively", 2), ("in V8", 2), ("at most", 0)];
    let mut records = Figures::new("records", &columns);
    let mut row = |what: &str, of: fn(&Records) -> f64, most: &str| {
        records.row(vec![what.into(), of(&measured.native).into(), of(&measured.in_envoy).into(), most.into()]);
    };
    row("18 renames by rules, us", |of| of.renamed / 1e3, "");
    row("18 renames by similarity, shape known, us", |of| of.known / 1e3, "");
    row("known to rules", |of| of.known_to_renamed, "1.10");
    row("known to rules, without scanning", |of| of.heal_known_to_renamed, "");
    row("18 renames by rules, skeleton seen, us", |of| of.seen_renamed / 1e3, "");
    row("18 renames by similarity, skeleton seen, us", |of| of.seen_known / 1e3, "");
    row("known to rules, skeleton seen", |of| of.seen_known_to_renamed, "1.10");
    row("20 unknown names, shape seen first, us", |of| of.first / 1e3, "60");
    row("of which for the first sight, us", |of| of.added_by_first / 1e3, "");
    let mut scale =
        Figures::new("scale", &[("fields of the contract", 0), ("us per unknown name", 2), ("to 100 fields", 2)]);
    for size in &measured.scale {
        scale.row(vec![size.fields.into(), (size.per_name / 1e3).into(), size.to_base.into()]);
    }
    let Recall { fields, names, pairs, words, embeddings, embeddings_speedup } = &measured.recall;
    let Matching { bytes, ms } = &measured.matching;
    let notes = vec![
        format!(
            "Recall against comparing all, {names} names and {fields} fields: index of words {words:.4} of {pairs} pairs, \
             index of embeddings {embeddings:.4} (and {embeddings_speedup:.1} times as fast)."
        ),
        format!("`nomos match` on {bytes} bytes: {ms:.0} ms."),
    ];
    (vec![records, scale], notes)
}

#[allow(clippy::cast_precision_loss)]
fn plot(measured: &Similarity) -> Plot {
    let points = measured.scale.iter().map(|size| (size.fields as f64, size.per_name / 1e3)).collect();
    let axes = [Axis::logarithmic("fields of the contract"), Axis::linear("us per unknown name")];
    let series = vec![Series { name: "us per unknown name".to_owned(), points }];
    Plot::lines("scale", "Matching one unknown name, by size of the contract", axes, series)
}

fn native(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Records, String> {
    let (mut renamed, mut known) = (Stand::new(&similar::plain())?, Stand::new(&similar::known())?);
    let start = Instant::now();
    let now = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    records(progress, effort.rounds, |is_known, operation| {
        let stand = if is_known { &mut known } else { &mut renamed };
        Ok(stand.time(operation, effort.batches, now))
    })
}

fn in_envoy(effort: Effort, progress: &dyn Fn(usize, usize)) -> Result<Records, String> {
    let subjects: [Subject; 2] = [similar::plain(), similar::known()];
    let configuration = serde_json::to_string(&subjects).map_err(|error| error.to_string())?;
    let filter = proxy::wasm("engine", Module::Engine, &configuration);
    // The module answers by itself. Nothing listens on the discard port.
    let mut envoy = proxy::start(SocketAddr::from(([127, 0, 0, 1], 9)), &[("engine", Some(filter))])?;
    let address = envoy.listener("engine")?;
    records(progress, effort.rounds, |is_known, operation| {
        let timing = engine::ask(address, &subjects[usize::from(is_known)].name, operation, effort.batches)?;
        envoy.check()?;
        Ok(timing)
    })
}

fn records(
    progress: &dyn Fn(usize, usize),
    rounds: usize,
    mut time: impl FnMut(bool, Operation) -> Result<Timing, String>,
) -> Result<Records, String> {
    let mut all: [Vec<f64>; 9] = Default::default();
    for round in 1..=rounds {
        progress(round, rounds);
        let [renamed, known] = [time(false, Operation::Whole)?.median, time(true, Operation::Whole)?.median];
        let [heal_renamed, heal_known] = [time(false, Operation::Heal)?.median, time(true, Operation::Heal)?.median];
        let [seen_renamed, seen_known] =
            [time(false, Operation::Traced)?.median, time(true, Operation::Traced)?.median];
        let first = time(true, Operation::First)?.median;
        let seen = [seen_renamed, seen_known, seen_known / seen_renamed];
        let figures = [renamed, known, known / renamed, heal_known / heal_renamed, first, first - known];
        let figures = figures.into_iter().chain(seen);
        all.iter_mut().zip(figures).for_each(|(list, figure)| list.push(figure));
    }
    let [renamed, known, known_to_renamed, heal_known_to_renamed, first, added_by_first, seen @ ..] = all.map(median);
    let [seen_renamed, seen_known, seen_known_to_renamed] = seen;
    Ok(Records {
        renamed,
        known,
        known_to_renamed,
        heal_known_to_renamed,
        first,
        added_by_first,
        seen_renamed,
        seen_known,
        seen_known_to_renamed,
    })
}

/// The words in the names of large contracts. There are few, so that each word is in many names.
const WORDS: [&str; 40] = [
    "user",
    "order",
    "created",
    "billing",
    "shipping",
    "total",
    "currency",
    "email",
    "phone",
    "address",
    "city",
    "state",
    "postal",
    "country",
    "company",
    "department",
    "language",
    "timezone",
    "status",
    "biography",
    "login",
    "payment",
    "invoice",
    "customer",
    "product",
    "price",
    "quantity",
    "discount",
    "tax",
    "weight",
    "height",
    "width",
    "color",
    "brand",
    "category",
    "review",
    "rating",
    "stock",
    "vendor",
    "coupon",
];
const TAILS: [&str; 8] = ["id", "name", "code", "at", "count", "url", "type", "value"];

fn field(at: usize) -> String {
    let (word, tail) = (WORDS[at % 40], TAILS[(at / 40) % 8]);
    if at < 320 { format!("{word}_{tail}") } else { format!("{word}_{}{}_{tail}", WORDS[(at / 320) % 40], at / 12800) }
}

fn model(fields: usize) -> Model {
    let property = |at| Property { name: field(at), node: Contract::Any, expects: Expects::default(), required: false };
    Model::of(&(0..fields).map(property).collect::<Vec<_>>())
}

/// Other cases, synonyms, abbreviations, a typo, and two names that match no field of any contract here.
const UNKNOWN: [&str; 20] = [
    "userId",
    "orderName",
    "createdCode",
    "billing_identifier",
    "shippingID",
    "totals_id",
    "ccy_id",
    "mail_id",
    "telephone_id",
    "addr_id",
    "town_id",
    "stats_id",
    "zip_id",
    "nation_id",
    "compnay_id",
    "dept_id",
    "lang_id",
    "tz_id",
    "mystery_field",
    "unrelated",
];

#[allow(clippy::cast_precision_loss)]
fn scale(rounds: usize) -> Vec<Scale> {
    let models = SIZES.map(model);
    let found = UNKNOWN.map(|name| Found {
        name,
        parent: NONE,
        kind: Kind::String,
        class: None,
        item: None,
        standing: Standing::Unknown,
    });
    let (mut scratch, mut out, settings) = (Scratch::default(), Vec::new(), Settings::default());
    let mut times: [Vec<f64>; SIZES.len()] = Default::default();
    for _ in 0..rounds {
        for (model, times) in models.iter().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..BATCH {
                model.align(black_box(&found), &settings, &mut scratch, &mut out);
            }
            times.push(start.elapsed().as_nanos() as f64 / (BATCH * UNKNOWN.len()) as f64);
        }
    }
    let base = SIZES.iter().position(|size| *size == BASE).map_or(&[][..], |at| times[at].as_slice());
    let to_base = |times: &[f64]| median(times.iter().zip(base).map(|(time, base)| time / base).collect());
    let sizes = SIZES.iter().zip(&times);
    sizes
        .map(|(fields, times)| Scale { fields: *fields, per_name: median(times.clone()), to_base: to_base(times) })
        .collect()
}

#[allow(clippy::cast_precision_loss)]
fn recall() -> Recall {
    let fields = SIZES[SIZES.len() - 1];
    let model = model(fields);
    let asked: Vec<String> = (0..fields).step_by(7).map(|at| drifted(&field(at), at)).collect();
    let (mut pairs, mut found) = (0, 0);
    for name in &asked {
        let (all, some) = (model.candidates_of_all(name), model.candidates(name));
        pairs += all.len();
        found += all.iter().filter(|field| some.contains(field)).count();
    }
    let contract: Vec<String> = (0..fields).map(field).collect();
    let index = Nearest::of(contract.iter().map(String::as_str));
    let start = Instant::now();
    let all: Vec<Option<(u32, f32)>> = asked.iter().map(|name| index.nearest_of_all(name)).collect();
    let by_all = start.elapsed();
    let start = Instant::now();
    let some: Vec<Option<(u32, f32)>> = asked.iter().map(|name| index.nearest(name)).collect();
    let by_index = start.elapsed();
    // If several names are equally near, any of them will do. The index makes no promise below a cosine of 0.8.
    let near: Vec<(f32, f32)> = all
        .iter()
        .zip(&some)
        .filter_map(|(all, some)| Some((all.filter(|best| best.1 >= 0.8)?.1, some.map_or(0.0, |best| best.1))))
        .collect();
    let found_near = near.iter().filter(|(all, some)| some >= all).count();
    Recall {
        fields,
        names: asked.len(),
        pairs,
        words: found as f64 / pairs.max(1) as f64,
        embeddings: found_near as f64 / near.len().max(1) as f64,
        embeddings_speedup: by_all.as_secs_f64() / by_index.as_secs_f64(),
    }
}

/// Returns a name in another case, or without one of its letters.
fn drifted(name: &str, at: usize) -> String {
    if at.is_multiple_of(2) {
        return name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    }
    let mut mistyped = name.to_owned();
    mistyped.remove(1 + at % (name.len() - 1));
    mistyped
}

fn matching() -> Result<Matching, String> {
    let program = modules::command()?;
    let folder = std::env::temp_dir().join(format!("nomos-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured = timed_match(&program, &folder);
    let _ = fs::remove_dir_all(&folder);
    measured
}

fn timed_match(program: &std::path::Path, folder: &std::path::Path) -> Result<Matching, String> {
    let (contract, body) = large();
    let bytes = body.len();
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).map(|()| path).map_err(|error| error.to_string())
    };
    let (contract, body) = (write("contract.json", contract.to_string())?, write("body.json", body)?);
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let output = Command::new(program)
            .args(["match", "--json", "--contract"])
            .args([&contract, &body])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let matched: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("nomos match: {error}"))?;
        if matched["matches"].as_array().is_none_or(|matches| matches.len() != similar::drifted()) {
            return Err(format!("nomos match: found {matched}; expected {} matches", similar::drifted()));
        }
    }
    Ok(Matching { bytes, ms: median(times) })
}

/// Returns a contract, and a list of drifted records.
fn large() -> (Value, String) {
    let bodies = similar::known().bodies;
    let mut body = String::from("{\"items\":[");
    for record in bodies.iter().cycle() {
        body.push_str(record);
        if body.len() > LARGE {
            break;
        }
        body.push(',');
    }
    body.push_str("]}");
    let items = json!({"type": "array", "items": similar::record()});
    (json!({"type": "object", "properties": {"items": items}}), body)
}
