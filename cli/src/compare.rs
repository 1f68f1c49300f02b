//! `nomos compare`: the figures of each algorithm for two names.

use std::process::ExitCode;

use anstyle::Style;
use healer::similarity::{Comparison, compare_all};

use crate::failure::Failure;
use crate::json_text::quote;
use crate::text::{plain, width};
use crate::{output, parts};

const EXAMPLES: &str = "\
All scores are from 0 to 1. Reference is 0.35 Synonym + 0.25 J-W + 0.20 Lev +
0.20 TF-IDF, with a Synonym above 0.9 counted as 1. Combined is the score that
matching starts from, before it considers values, places and rival names. TF-IDF
weighs letter trigrams over all names given, so it depends on the other pairs.

How similar are two names, by each algorithm?
  $ nomos compare user_id userId email mail created_at timestamp

Why does this not match? (Opposites never do.)
  $ nomos compare first_name last_name

In a script:
  $ nomos compare billing_zip zip_code --json | jq '.pairs[0].combined'";

/// Arguments of `nomos compare`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Names in pairs: the first with the second, the third with the fourth
    #[arg(required = true, num_args = 2.., value_name = "A B")]
    names: Vec<String>,
    /// Print one JSON object: pairs, each with its scores
    #[arg(long)]
    json: bool,
}

/// Prints a line of figures for each pair.
pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (count, last) = (args.names.len(), args.names.last().map(String::as_str).unwrap_or_default());
    if count % 2 != 0 {
        let found = format!("{count} names, of which {} has no other", quote(last));
        return Err(Failure::new(format!("found {found}; expected pairs: A B C D")));
    }
    let names: Vec<&str> = args.names.iter().map(String::as_str).collect();
    let pairs: Vec<Pair<'_>> =
        names.chunks_exact(2).zip(compare_all(&names)).map(|(names, figures)| Pair::new(names, &figures)).collect();
    output::write_styled(&if args.json { as_json(&pairs) } else { as_table(&pairs) })?;
    Ok(ExitCode::SUCCESS)
}

/// Two names, and the figures in the order of [`COLUMNS`].
struct Pair<'a> {
    names: [&'a str; 2],
    figures: [f32; COLUMNS.len()],
}

/// The heading of a column, and its name in JSON.
const COLUMNS: [(&str, &str); 7] = [
    ("Lev", "levenshtein"),
    ("Jaro", "jaro"),
    ("J-W", "jaro_winkler"),
    ("TF-IDF", "tfidf"),
    ("Synonym", "synonym"),
    ("Reference", "reference"),
    ("Combined", "combined"),
];

impl<'a> Pair<'a> {
    fn new(names: &[&'a str], figures: &Comparison) -> Self {
        let Comparison { levenshtein, jaro, jaro_winkler, tfidf, synonym, reference, combined } = *figures;
        // The dot product of empty vectors may be -0.0.
        let figures = [levenshtein, jaro, jaro_winkler, tfidf, synonym, reference, combined];
        let figures = figures.map(|figure| figure.max(0.0) + 0.0);
        Pair { names: [names[0], names[1]], figures }
    }
}

fn as_table(pairs: &[Pair<'_>]) -> String {
    const HEAD: Style = Style::new().bold();
    let names = |side: usize| -> Vec<_> { pairs.iter().map(|pair| plain(pair.names[side])).collect() };
    let (left, right) = (width(&names(0), "A"), width(&names(1), "B"));
    let heads: Vec<String> = COLUMNS.iter().map(|(head, _)| format!("{head:>5}")).collect();
    let head = format!("{HEAD}{:left$}  {:right$}  {}{HEAD:#}\n", "A", "B", heads.join("  "));
    let line = |Pair { names: [a, b], figures }: &Pair<'_>| {
        let figure = |(figure, (head, _)): (&f32, &(&str, &str))| format!("{figure:>0$.3}", head.len().max(5));
        let figures: Vec<String> = figures.iter().zip(&COLUMNS).map(figure).collect();
        let (a, b) = (plain(a), plain(b));
        format!("{a:left$}  {b:right$}  {}\n", figures.join("  "))
    };
    head + &pairs.iter().map(line).collect::<Vec<_>>().concat()
}

fn as_json(pairs: &[Pair<'_>]) -> String {
    let object = |Pair { names: [a, b], figures }: &Pair<'_>| {
        let figures = figures.iter().zip(&COLUMNS).map(|(figure, (_, name))| (*name, parts::number(*figure)));
        let members = [("a", quote(a)), ("b", quote(b))].into_iter().chain(figures);
        let members: Vec<String> = members.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    };
    format!("{{\"pairs\":[{}]}}\n", pairs.iter().map(object).collect::<Vec<_>>().join(","))
}
