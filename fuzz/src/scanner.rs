//! The engine accepts the same JSON as `serde_json`, at every offset in a block, and changes nothing that no rule
//! names.

use std::sync::Arc;

use healer::config::Config;
use healer::{Healer, Plan};
use healer_oracle::accept::{Verdict, check, oracle};

/// No member of a body has this name, until the fuzzer finds it.
const NAME: &str = "no such name";

/// More than two blocks of the scanner.
const PADS: usize = 131;

pub fn run(data: &[u8]) {
    let Some((pad, rest)) = data.split_first() else { return };
    let body = [&b" ".repeat(usize::from(*pad) % PADS), rest].concat();
    let (mut healer, plan) = (Healer::new(), plan());
    if rest.windows(NAME.len()).any(|window| window == NAME.as_bytes()) || rest.contains(&b'\\') {
        // The name may be there, even with escapes, so only acceptance can be compared.
        let accepted = healer.heal_bytes(&plan, &body).is_ok();
        assert_eq!(accepted, oracle(&body) == Verdict::Accepted, "{}", String::from_utf8_lossy(&body));
    } else {
        check(&mut healer, &plan, &body).unwrap_or_else(|difference| panic!("{difference}"));
    }
}

fn plan() -> Arc<Plan> {
    let text = format!(r#"{{"routes":[{{"match":{{"prefix":"/"}},"rename":{{"{NAME}":"x"}}}}]}}"#);
    Config::parse(text.as_bytes()).expect("a configuration").routes.remove(0).plan
}
