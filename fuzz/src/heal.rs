//! The engine heals random bodies by random plans as the naive oracle does, whatever came before, and leaves broken
//! bodies alone.

use healer::{Healer, Plan};
use healer_oracle::agree::check;
use healer_oracle::skeleton::{bodies_like, check_all, lists};
use healer_oracle::stream::in_list;
use healer_oracle::tape::Tape;
use healer_oracle::{bodies, json, plans};

pub fn run(data: &[u8]) {
    let mut tape = Tape::new(data);
    let broken = tape.happens(1, 8);
    let spec = plans::plan(&mut tape);
    let body = bodies::body(&mut tape, &spec);
    if tape.happens(1, 2) {
        let names: Vec<&str> = (0..tape.below(3)).map(|_| tape.of(&["a", "b", "c", "d", "userId", "list"])).collect();
        let all = if tape.happens(1, 2) {
            lists(&mut tape, &spec, &names)
        } else {
            let other = bodies::body(&mut tape, &spec);
            let mut all = bodies_like(&mut tape, &body);
            all.extend(bodies_like(&mut tape, &other));
            all.extend(bodies_like(&mut tape, &body));
            all
        };
        let spec = if tape.happens(1, 3) { in_list(&spec, &names) } else { spec };
        let plan = Plan::compile(&spec).expect("a plan");
        if let Err(difference) = check_all(&mut tape, &plan, &all) {
            panic!("{difference}\nplan {}", plans::line(&spec));
        }
        return;
    }
    if !broken {
        if let Err(difference) = check(&spec, &body) {
            panic!("{difference}\nbody {body}\nplan {}", plans::line(&spec));
        }
        return;
    }
    let mut body = body.into_bytes();
    json::mutate(&mut tape, &mut body);
    let mut healer = Healer::new();
    let plan = Plan::compile(&spec).expect("a plan");
    match healer.heal_bytes(&plan, &body) {
        Ok(summary) if summary.changed => assert_json(healer.output()),
        Ok(_) => assert_json(&body),
        Err(failure) => assert!(failure.offset <= body.len(), "{failure}"),
    }
}

fn assert_json(bytes: &[u8]) {
    let parsed = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
    assert!(parsed.is_ok(), "{parsed:?}: {}", String::from_utf8_lossy(bytes));
}
