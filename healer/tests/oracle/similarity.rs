//! Similarity beside rules loses and doubles no value, and what came before changes nothing.

use super::tape::{Tape, cases};
use healer_oracle::drift::check;
use healer_oracle::order;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn similarity_beside_rules_keeps_all_and_forgets_what_came_before(tape in Tape::any(900)) {
        let found = check(&mut Tape::new(&tape));
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    }

    #[test]
    fn what_similarity_finds_does_not_depend_on_the_order_of_members(tape in Tape::any(600)) {
        let found = order::check(&mut Tape::new(&tape));
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    }
}
