//! The dictionary: read, checked and written.

#[path = "dictionary/check.rs"]
mod check;
#[path = "dictionary/emit.rs"]
mod emit;
#[path = "dictionary/file.rs"]
mod file;
#[path = "dictionary/ids.rs"]
mod ids;
#[path = "dictionary/pack.rs"]
mod pack;
// The library's own folding, so that what the build takes for a singular is what names are folded to.
#[path = "../src/dictionary/plural.rs"]
mod plural;
#[path = "../src/dictionary/role.rs"]
mod role;

pub use file::FILES;

use file::Dictionary;

/// The dictionary as Rust source, out of the texts of the files by name; or every problem.
pub fn compile(text_of: impl Fn(&str) -> Result<String, String>) -> Result<String, Vec<String>> {
    read(text_of).map(|dictionary| emit::source(&dictionary))
}

/// The dictionary as the files state it, checked; or every problem.
pub fn read(text_of: impl Fn(&str) -> Result<String, String>) -> Result<Dictionary, Vec<String>> {
    let mut dictionary = Dictionary::default();
    let problems: Vec<String> = FILES
        .into_iter()
        .filter_map(|file| text_of(file).and_then(|text| dictionary.read(file, &text)).err())
        .collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    let problems = check::check(&dictionary);
    if problems.is_empty() { Ok(dictionary) } else { Err(problems) }
}
