//! The rule packs and the dictionary as static data, and the syntax and checks that rules share.
//!
//! `build.rs` reads `rules/*.yaml`, runs [`check`] over all of them together and writes [`PACKS`]. The examples of a
//! rule stay in the YAML, where tests read them. The wasm module has the correspondences only.

pub mod check;
pub mod dictionary;
mod model;
pub mod path;

pub use model::{Case, Convention, Kind, MAX_PACKED, PACK_NAMES, Pack, Rule, RuleId, Rules};

include!(concat!(env!("OUT_DIR"), "/packs.rs"));

/// Returns the pack with this name.
pub fn pack(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packs_stand_in_the_order_of_their_names() {
        let names: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
        assert_eq!(names, PACK_NAMES);
    }

    #[test]
    fn a_pack_is_found_by_its_name_only() {
        assert!(pack("typos").is_some());
        assert!(pack("Typos").is_none());
        assert!(pack("").is_none());
    }

    #[test]
    fn packs_are_as_large_as_promised() {
        let rows = [
            ("api-v2", 13),
            ("camel-case", 16),
            ("abbreviations", 30),
            ("underscores", 10),
            ("plurals", 11),
            ("typos", 18),
            ("legacy", 17),
            ("date-time", 10),
            ("nested-paths", 40),
        ];
        for (name, least) in rows {
            let rules = pack(name).map_or(0, |pack| pack.rules.iter().count());
            assert!(rules >= least, "{name}: {rules} rules, at least {least}");
        }
    }

    #[test]
    fn case_conventions_stand_beside_the_camel_case_list() {
        let pack = pack("camel-case");
        let conventions = pack.map_or(&[][..], |pack| pack.conventions);
        for case in [Case::Camel, Case::Pascal, Case::Kebab] {
            let covered = conventions.iter().any(|c| c.from.contains(&case) && c.to == Case::Snake);
            assert!(covered, "{case:?}");
        }
    }

    #[test]
    fn nested_paths_are_moves_and_all_other_packs_are_renames() {
        for pack in PACKS {
            let kind = match pack.name {
                "nested-paths" => Kind::Move,
                _ => Kind::Rename,
            };
            assert!(pack.rules.iter().all(|rule| rule.kind == kind), "{}", pack.name);
        }
    }

    #[test]
    fn the_seven_level_user_takes_twenty_one_moves() {
        let rules: Vec<Rule<'_>> = pack("nested-paths").into_iter().flat_map(|pack| pack.rules.iter()).collect();
        let under = |rule: &&Rule<'_>| rule.from.starts_with("response.data.user.");
        assert_eq!(rules.iter().filter(under).count(), 21);
        let name = rules.iter().find(|rule| rule.to == "full_name");
        assert_eq!(name.map(|rule| rule.from), Some("response.data.user.identity.personal.name.full"));
    }
}
