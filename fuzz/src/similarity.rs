//! Similarity beside rules loses and doubles no value, whatever came before, for whole bodies and for streams. Without
//! rules, it finds the same in any order of members.

use healer_oracle::tape::Tape;
use healer_oracle::{drift, order};

pub fn run(data: &[u8]) {
    if let Err(found) = drift::check(&mut Tape::new(data)).and_then(|()| order::check(&mut Tape::new(data))) {
        panic!("{found}");
    }
}
