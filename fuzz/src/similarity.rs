//! Similarity beside rules loses and doubles no value, whatever came before, for whole bodies and for streams.

use healer_oracle::drift::check;
use healer_oracle::tape::Tape;

pub fn run(data: &[u8]) {
    if let Err(found) = check(&mut Tape::new(data)) {
        panic!("{found}");
    }
}
