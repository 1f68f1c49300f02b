//! Prints how well missing fields are found in a labelled corpus.
//!
//! `nomos-matching [--json] [--short] [--verbose] [--left-out] [--threshold=T] [--margin=M] [--known=K] [--likely=L]
//! [--stayed=S] [--borne-out=B] [--whole=W] [--plot=FILE] FOLDER...`

use std::path::PathBuf;

use healer::similarity::{Metric, Profile, Settings, Without};
use nomos_matching::beside::{object_taken_for_another, taken_for_another};
use nomos_matching::change::Change;
use nomos_matching::corpus::{self, Api};
use nomos_matching::embedded::taken_from_another_record;
use nomos_matching::left_out;
use nomos_matching::negatives::{self, Negatives};
use nomos_matching::parallel::taken_for_a_parallel;
use nomos_matching::plot;
use nomos_matching::removed::healed_without_counterpart;
use nomos_matching::score::{Score, score_api};

/// The numbers of thresholds tried in cross-validation. Single metrics take longer, so they get fewer.
const STEPS: usize = 25;
const STEPS_OF_METRICS: usize = 10;
/// The number of parts of the cross-validation, by API.
const FOLDS: usize = 5;

/// Ways to decide, by name.
const PROFILES: [(&str, Profile); 8] = [
    ("default", Profile::Default),
    ("reference profile", Profile::Reference),
    ("Levenshtein", Profile::Single(Metric::Levenshtein)),
    ("Jaro", Profile::Single(Metric::Jaro)),
    ("Jaro-Winkler", Profile::Single(Metric::JaroWinkler)),
    ("trigram TF-IDF", Profile::Single(Metric::Tfidf)),
    ("synonym", Profile::Single(Metric::Synonym)),
    ("token set", Profile::Single(Metric::TokenSet)),
];

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
    if options.leaves_out {
        print_left_out(&options);
    }
    if options.is_short {
        return;
    }
    print_negatives(&apis, &options);
    print_ablation(&apis, options.settings);
    let tables = tables(&apis);
    print_metrics(&tables);
    if let Some(file) = &options.plot {
        std::fs::write(file, plot::curve(&curves(&tables))).unwrap_or_else(|error| fail(&error.to_string()));
    }
}

#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
struct Options {
    folders: Vec<PathBuf>,
    settings: Settings,
    json: bool,
    verbose: bool,
    /// Whether only the totals are printed.
    is_short: bool,
    /// Whether each folder is also measured with the figures that are best on the others.
    leaves_out: bool,
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
            leaves_out: false,
            plot: None,
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| fail("found no number; expected one from 0 to 1"));
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("--threshold", value)) => made.settings.threshold = number(value),
                Some(("--margin", value)) => made.settings.margin = number(value),
                Some(("--known", value)) => made.settings.doubt.known = number(value),
                Some(("--likely", value)) => made.settings.doubt.likely = number(value),
                Some(("--stayed", value)) => made.settings.doubt.stayed = number(value),
                Some(("--borne-out", value)) => made.settings.doubt.borne_out = number(value),
                Some(("--whole", value)) => made.settings.doubt.whole = number(value),
                Some(("--plot", file)) => made.plot = Some(PathBuf::from(file)),
                _ => match argument.as_str() {
                    "--json" => made.json = true,
                    "--verbose" => made.verbose = true,
                    "--short" => made.is_short = true,
                    "--left-out" => made.leaves_out = true,
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
        all.add(&score_api(api, settings));
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
    print_changes(apis, options.settings);
    if options.is_short && !options.verbose {
        return;
    }
    println!("\n| kind of change | found | of |\n|---|---|---|");
    all.kinds.iter().for_each(|(kind, (pairs, right))| println!("| {kind} | {right} | {pairs} |"));
    head("API");
    for api in apis {
        row(&api.file, &score_api(api, options.settings));
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

/// Prints the totals by kind of change. The engine is made for versions of one API; APIs of different vendors are
/// harder.
fn print_changes(apis: &[Api], settings: Settings) {
    println!(
        "\n| what changed | APIs | pairs | precision | recall | right | wrong | absent healed | look-alikes |\n\
        |---|---|---|---|---|---|---|---|---|"
    );
    for change in Change::ALL {
        let (mut count, mut all) = (0, Score::default());
        for api in apis.iter().filter(|api| Change::of(&api.file) == Some(change)) {
            count += 1;
            all.add(&score_api(api, settings));
        }
        println!(
            "| {} | {count} | {} | {:.3} | {:.3} | {} | {} | {:.3} | {} |",
            change.text(),
            all.pairs,
            all.precision(),
            all.recall(),
            all.right,
            all.wrong,
            all.absent_healed(),
            all.wrong_lookalikes
        );
    }
}

fn print_lines(lines: &[String]) {
    for line in lines {
        println!("  {line}");
    }
}

/// Prints the score of each folder, with the figures of doubt that are best on the others.
fn print_left_out(options: &Options) {
    let read = |folder: &PathBuf| corpus::read(std::slice::from_ref(folder)).unwrap_or_else(|error| fail(&error));
    let parts: Vec<Vec<Api>> = options.folders.iter().map(read).collect();
    head("left out");
    for (folder, (doubt, score)) in options.folders.iter().zip(left_out::scores(&parts, options.settings)) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        row(&format!("{name}, by {:.2} and {:.2}", doubt.known, doubt.likely), &score);
    }
}

/// Prints what is taken for fields that are not there.
fn print_negatives(apis: &[Api], options: &Options) {
    let kinds: [(&str, Negatives); 5] = [
        ("objects and lists that stand beside each other", object_taken_for_another),
        ("fields without their counterparts", healed_without_counterpart),
        ("pairs that stand beside each other", taken_for_another),
        ("members that a record inside has, too,", taken_from_another_record),
        ("groups of members that differ in a word from others", taken_for_a_parallel),
    ];
    for (what, negatives) in kinds {
        let (tried, wrong) = negatives::total(apis, negatives, options.settings);
        println!("\n{} of {tried} {what} are healed", wrong.len());
        if options.verbose {
            print_lines(&wrong);
        }
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
        ("descriptions", Without { descriptions: true, ..none }),
        ("lists known by their elements", Without { lists: true, ..none }),
        ("doubt about the record", Without { record: true, ..none }),
    ];
    head("without");
    for (name, without) in parts {
        row(name, &total(apis, Settings { without, ..settings }));
    }
    row("margin", &total(apis, Settings { margin: 0.0, ..settings }));
}

/// Prints every way to decide, at the threshold that is best on the other APIs.
fn print_metrics(tables: &[(&str, Table)]) {
    head("by F1, cross-validated");
    for (name, table) in tables {
        row(name, &crossed(table, &|score| score.f1()));
    }
    let safe = |score: &Score| if score.precision() >= 0.99 { score.recall() } else { score.precision() - 1.0 };
    head("by recall at precision 0.99, cross-validated");
    for (name, table) in tables {
        row(name, &crossed(table, &safe));
    }
}

/// Scores by threshold and API.
type Table = Vec<Vec<Score>>;

fn tables(apis: &[Api]) -> Vec<(&'static str, Table)> {
    std::thread::scope(|scope| {
        let runs = PROFILES.map(|(name, profile)| (name, scope.spawn(move || table(apis, profile))));
        runs.into_iter().map(|(name, run)| (name, run.join().expect("a table"))).collect()
    })
}

fn table(apis: &[Api], profile: Profile) -> Table {
    let settings = |threshold| Settings { profile, threshold, ..Settings::default() };
    let at = |least| apis.iter().map(|api| score_api(api, settings(least))).collect();
    let steps = if profile == Profile::Default { STEPS } else { STEPS_OF_METRICS };
    thresholds(steps).into_iter().map(at).collect()
}

/// Sums over the folds, each at the threshold that is best on all others.
fn crossed(table: &Table, worth: &dyn Fn(&Score) -> f64) -> Score {
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

#[expect(clippy::cast_precision_loss, reason = "few steps")]
fn thresholds(steps: usize) -> Vec<f32> {
    (0..steps).map(|step| 0.5 + step as f32 / steps as f32 / 2.0).collect()
}

/// Returns recall and precision over thresholds.
fn curves(tables: &[(&str, Table)]) -> Vec<plot::Curve> {
    let point = |scores: &Vec<Score>| {
        let mut all = Score::default();
        for one in scores {
            all.add(one);
        }
        (all.recall(), all.precision())
    };
    let curve = |(name, table): &(&str, Table)| plot::Curve {
        name: (*name).to_owned(),
        points: table.iter().map(point).collect(),
    };
    tables.iter().map(curve).collect()
}
