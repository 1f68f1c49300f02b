//! Prints how well missing fields are found in a labelled corpus.

use std::path::PathBuf;

use healer::similarity::Settings;
use nomos_matching::{corpus, score, survey};

fn main() {
    let mut folders = Vec::new();
    let mut verbose = false;
    let mut settings = Settings::default();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("--threshold", value)) => settings.threshold = value.parse().expect("a number"),
            Some(("--margin", value)) => settings.margin = value.parse().expect("a number"),
            _ if argument == "-v" => verbose = true,
            _ => folders.push(PathBuf::from(argument)),
        }
    }
    let apis = corpus::read(&folders).unwrap_or_else(|error| panic!("{error}"));
    let mut all = score::Score::default();
    for api in &apis {
        let one = score::score_api(api, &mut survey::engine(settings));
        all.add(&one);
    }
    println!(
        "{} APIs, {} pairs, {} absent, {} look-alikes\nprecision {:.4} recall {:.4} f1 {:.4} wrong {} absent healed {:.4} look-alikes {}",
        apis.len(),
        all.pairs,
        all.absent,
        all.lookalikes,
        all.precision(),
        all.recall(),
        all.f1(),
        all.wrong,
        all.absent_healed(),
        all.wrong_lookalikes
    );
    for (kind, (pairs, right)) in &all.kinds {
        println!("  {kind:16} {right:4} of {pairs:4}");
    }
    if verbose {
        println!("WRONG");
        all.errors.iter().for_each(|line| println!("  {line}"));
        println!("MISSED");
        all.missed.iter().for_each(|line| println!("  {line}"));
    }
}
