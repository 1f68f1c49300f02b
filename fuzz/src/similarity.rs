//! What similarity finds beside rules loses and doubles nothing, whatever came before, at once and while it streams.

use healer_oracle::drift::check;
use healer_oracle::tape::Tape;

pub fn run(data: &[u8]) {
    if let Err(found) = check(&mut Tape::new(data)) {
        panic!("{found}");
    }
}
