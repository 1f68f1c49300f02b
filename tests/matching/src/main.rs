//! Prints how well missing fields are found in a labelled corpus.
//!
//! `nomos-matching [--json] [--verbose] [--threshold=T] [--margin=M] [--plot=FILE] FOLDER...`

use std::path::PathBuf;

use healer::similarity::{Settings, Without};
use nomos_matching::corpus::{self, Api};
use nomos_matching::metric::{METRICS, by_metric};
use nomos_matching::removed::healed_without_counterpart;
use nomos_matching::score::{Score, score_api};
use nomos_matching::{plot, survey};

/// Thresholds tried in cross-validation.
const STEPS: usize = 40;
/// Parts of the cross-validation, by API.
const FOLDS: usize = 5;

fn main() {
    let options = Options::read();
    let apis = corpus::read(&options.folders).unwrap_or_else(|error| fail(&error));
    if apis.is_empty() {
        fail("found no corpus; expected folders with .json files");
    }
    let all = total(&apis, options.settings);
    if options.json {
        println!("{}", serde_json::to_string_pretty(&all).unwrap_or_default());
        return;
    }
    print_scores(&apis, &all, &options);
    if options.is_short {
        return;
    }
    print_removed(&apis, &options);
    print_ablation(&apis, options.settings);
    print_metrics(&apis);
    if let Some(file) = &options.plot {
        std::fs::write(file, plot::curve(&curves(&apis))).unwrap_or_else(|error| fail(&error.to_string()));
    }
}

struct Options {
    folders: Vec<PathBuf>,
    settings: Settings,
    json: bool,
    verbose: bool,
    /// Only the totals.
    is_short: bool,
    plot: Option<PathBuf>,
}

impl Options {
    fn read() -> Options {
        let mut made = Options {
            folders: Vec::new(),
            settings: Settings::default(),
            json: false,
            verbose: false,
            is_short: false,
            plot: None,
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| fail("found no number; expected one from 0 to 1"));
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("--threshold", value)) => made.settings.threshold = number(value),
                Some(("--margin", value)) => made.settings.margin = number(value),
                Some(("--plot", file)) => made.plot = Some(PathBuf::from(file)),
                _ => match argument.as_str() {
                    "--json" => made.json = true,
                    "--verbose" => made.verbose = true,
                    "--short" => made.is_short = true,
                    folder => made.folders.push(PathBuf::from(folder)),
                },
            }
        }
        made
    }
}

fn fail(why: &str) -> ! {
    eprintln!("nomos-matching: {why}");
    std::process::exit(2)
}

fn total(apis: &[Api], settings: Settings) -> Score {
    let mut all = Score::default();
    for api in apis {
        all.add(&score_api(api, &mut survey::engine(settings)));
    }
    all
}

fn row(name: &str, score: &Score) {
    println!(
        "| {name} | {:.3} | {:.3} | {:.3} | {} | {:.3} | {} |",
        score.precision(),
        score.recall(),
        score.f1(),
        score.wrong,
        score.absent_healed(),
        score.wrong_lookalikes
    );
}

fn head(name: &str) {
    println!(
        "\n| {name} | precision | recall | F1 | wrong | absent healed | look-alikes |\n|---|---|---|---|---|---|---|"
    );
}

fn print_scores(apis: &[Api], all: &Score, options: &Options) {
    println!("{} APIs, {} pairs, {} absent fields, {} look-alikes", apis.len(), all.pairs, all.absent, all.lookalikes);
    head("profile");
    row("default", all);
    if options.is_short && !options.verbose {
        return;
    }
    println!("\n| kind of change | found | of |\n|---|---|---|");
    all.kinds.iter().for_each(|(kind, (pairs, right))| println!("| {kind} | {right} | {pairs} |"));
    head("API");
    for api in apis {
        row(&api.file, &score_api(api, &mut survey::engine(options.settings)));
    }
    if options.verbose {
        println!("\nwrong");
        print_lines(&all.errors);
        println!("right");
        print_lines(&all.found);
        println!("missed");
        print_lines(&all.missed);
    }
}

fn print_lines(lines: &[String]) {
    for line in lines {
        println!("  {line}");
    }
}

/// What is taken for fields whose counterparts were removed.
fn print_removed(apis: &[Api], options: &Options) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for api in apis {
        let (fields, taken) = healed_without_counterpart(api, &mut survey::engine(options.settings));
        tried += fields;
        wrong.extend(taken);
    }
    println!("\nwithout their counterparts {} of {tried} fields are healed", wrong.len());
    if options.verbose {
        print_lines(&wrong);
    }
}

fn print_ablation(apis: &[Api], settings: Settings) {
    let none = Without::default();
    let parts = [
        ("kinds and formats", Without { kinds: true, ..none }),
        ("opposites", Without { opposites: true, ..none }),
        ("rivals that stand", Without { rivals: true, ..none }),
        ("names above", Without { path: true, ..none }),
        ("aligned objects, wrappers", Without { frames: true, ..none }),
        ("siblings", Without { siblings: true, ..none }),
    ];
    head("without");
    for (name, without) in parts {
        row(name, &total(apis, Settings { without, ..settings }));
    }
    row("margin", &total(apis, Settings { margin: 0.0, ..settings }));
}

/// Every metric alone, one to one, at the threshold that is best on the other APIs.
fn print_metrics(apis: &[Api]) {
    head("by F1, cross-validated");
    for (name, metric) in METRICS {
        row(name, &crossed(apis, &|api, least| score_api(api, &mut by_metric(metric, least)), &|score| score.f1()));
    }
    let default =
        |api: &Api, least| score_api(api, &mut survey::engine(Settings { threshold: least, ..Settings::default() }));
    row("default", &crossed(apis, &default, &|score| score.f1()));
    let safe = |score: &Score| if score.precision() >= 0.99 { score.recall() } else { score.precision() - 1.0 };
    head("by recall at precision 0.99, cross-validated");
    for (name, metric) in METRICS {
        row(name, &crossed(apis, &|api, least| score_api(api, &mut by_metric(metric, least)), &safe));
    }
    row("default", &crossed(apis, &default, &safe));
}

/// The sum over folds, each at the threshold that is best on all others.
fn crossed(apis: &[Api], score: &dyn Fn(&Api, f32) -> Score, worth: &dyn Fn(&Score) -> f64) -> Score {
    let table: Vec<Vec<Score>> =
        thresholds().iter().map(|least| apis.iter().map(|api| score(api, *least)).collect()).collect();
    let mut sum = Score::default();
    for fold in 0..FOLDS {
        let trained = |scores: &Vec<Score>| {
            let mut all = Score::default();
            scores.iter().enumerate().filter(|(at, _)| at % FOLDS != fold).for_each(|(_, one)| all.add(one));
            worth(&all)
        };
        let best = table.iter().max_by(|a, b| trained(a).total_cmp(&trained(b)));
        for (_, one) in best.into_iter().flatten().enumerate().filter(|(at, _)| at % FOLDS == fold) {
            sum.add(one);
        }
    }
    sum
}

#[expect(clippy::cast_precision_loss, reason = "forty steps")]
fn thresholds() -> Vec<f32> {
    (0..STEPS).map(|step| 0.5 + step as f32 / STEPS as f32 / 2.0).collect()
}

/// Recall and precision over thresholds.
fn curves(apis: &[Api]) -> Vec<plot::Curve> {
    let points = |score: &dyn Fn(&Api, f32) -> Score| {
        let mut points = Vec::new();
        for least in thresholds() {
            let mut all = Score::default();
            for api in apis {
                all.add(&score(api, least));
            }
            points.push((all.recall(), all.precision()));
        }
        points
    };
    let mut curves = vec![plot::Curve {
        name: "default".to_owned(),
        points: points(&|api, least| {
            score_api(api, &mut survey::engine(Settings { threshold: least, ..Settings::default() }))
        }),
    }];
    for (name, metric) in METRICS {
        let points = points(&|api, least| score_api(api, &mut by_metric(metric, least)));
        curves.push(plot::Curve { name: name.to_owned(), points });
    }
    curves
}
