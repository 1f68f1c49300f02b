//! Similarity beside rules loses and doubles no value, and what came before changes nothing.

use super::tape::{Tape, cases};
use healer_oracle::drift::{check_bodies, plan_and_bodies};
use healer_oracle::order;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn similarity_beside_rules_keeps_all_and_forgets_what_came_before(tape in Tape::any(1500), ways in Tape::any(300)) {
        if let Some((spec, bodies)) = plan_and_bodies(&mut Tape::new(&tape)) {
            let found = check_bodies(&mut Tape::new(&ways), &spec, &bodies);
            prop_assert!(found.is_ok(), "{}", found.unwrap_err());
        }
    }

    #[test]
    fn what_similarity_finds_does_not_depend_on_the_order_of_members(tape in Tape::any(1200)) {
        let found = order::check(&mut Tape::new(&tape));
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
    }
}
