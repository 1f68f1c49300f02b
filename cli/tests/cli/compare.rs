use crate::run::Dir;

const NAMES: [&str; 10] =
    ["user_id", "userId", "email", "mail", "created_at", "timestamp", "user", "person", "description", "desc"];

#[test]
fn the_algorithm_table_is_printed() {
    let output = Dir::new("compare-table").nomos(&[&["compare"], &NAMES[..]].concat());
    let lines: Vec<Vec<&str>> = output.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_eq!(lines[0], ["A", "B", "Lev", "Jaro", "J-W", "TF-IDF", "Synonym", "Reference", "Combined"]);
    assert_eq!(lines.len(), 6);
    for (pair, line) in lines[1..].iter().enumerate() {
        assert_eq!(line[..2], NAMES[pair * 2..pair * 2 + 2]);
        let [a, b] = [line[0], line[1]];
        let oracle = [strsim::normalized_levenshtein(a, b), strsim::jaro(a, b), strsim::jaro_winkler(a, b)];
        assert_eq!(line[2..5], oracle.map(|figure| format!("{figure:.3}")), "{line:?}");
        assert_eq!(line.len(), 9);
    }
    let widths: Vec<usize> = output.stdout.lines().map(str::len).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{}", output.stdout);
}

#[test]
fn names_may_be_of_any_length_and_of_any_characters() {
    let long = "a".repeat(70_000);
    let output = Dir::new("compare-long").nomos(&["compare", &long, "b", "x\u{1b}[31m", "\u{9b}2J\n"]);
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!((output.code, output.stderr.as_str(), lines.len()), (0, "", 3));
    assert!(lines[1].starts_with(&format!("{long}  b")));
    assert!(lines[2].starts_with("x\\u001b[31m") && lines[2].contains("\\u009b2J\\n "), "{}", lines[2]);
}

#[test]
fn with_json_the_table_is_one_object() {
    let output = Dir::new("compare-json").nomos(&["compare", "--json", "a\"b", "x", "user_id", "user_id"]);
    let table: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    assert_eq!((output.code, &table["pairs"][0]["a"]), (0, &"a\"b".into()));
    let figures = ["levenshtein", "jaro", "jaro_winkler", "tfidf", "synonym", "reference", "combined"];
    for figure in figures {
        assert_eq!(table["pairs"][1][figure], 1, "{figure}: {}", output.stdout);
        assert!(table["pairs"][0][figure].is_number(), "{figure}: {}", output.stdout);
    }
}

#[test]
fn names_come_in_pairs() {
    let dir = Dir::new("compare-usage");
    let odd = dir.nomos(&["compare", "a", "b", "c"]);
    let expected = "nomos: found 3 names, of which \"c\" has no other; expected pairs: A B C D\n";
    assert_eq!((odd.code, odd.stdout.as_str(), odd.stderr.as_str()), (2, "", expected));
    for args in [&["compare"][..], &["compare", "a"]] {
        let output = dir.nomos(args);
        assert!(
            output.code == 2 && output.stdout.is_empty() && output.stderr.starts_with("error:"),
            "{}",
            output.stderr
        );
    }
}
