/// A generator of values that resemble those of an API, from a seed.
pub(super) struct Words(u64);

const TEXTS: [&str; 16] = [
    "Ada Lovelace",
    "Trondheim",
    "dark green",
    "basic",
    "Alan Turing",
    "eu-west-1",
    "not given",
    "none",
    "Grace Hopper",
    "professional",
    "north wing",
    "2024-11-03",
    "on request",
    "open to all",
    "A1-0042",
    "Kyoto",
];

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Words(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a text, whole number, fraction or boolean, as JSON.
    pub(super) fn value(&mut self) -> String {
        let number = self.next();
        match number % 16 {
            0..=8 => format!("\"{}\"", TEXTS[(number >> 8) as usize % TEXTS.len()]),
            9..=13 => (number >> 8 & 0xff_ffff).to_string(),
            14 => format!("{}.{}", number >> 8 & 0x3ff, number >> 32 & 7),
            _ => (number >> 8 & 1 == 1).to_string(),
        }
    }

    /// Returns a number.
    pub(super) fn number(&mut self) -> u64 {
        self.next() >> 8
    }

    /// Returns a text that is neither a date nor an address.
    pub(super) fn text(&mut self) -> &'static str {
        TEXTS[(self.number() % 8) as usize]
    }

    /// Marsaglia's xorshift64.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 3
    }
}
