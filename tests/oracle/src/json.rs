//! Random JSON by the grammar, and texts that are almost JSON.

use crate::tape::Tape;

const NUMBERS: &[&str] = &["0", "-0", "1", "10", "1.50", "1e5", "1E+400", "-1.0e-7", "12345678901234567890123456789"];
const NOT_NUMBERS: &[&str] = &[
    "-",
    "01",
    "-01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "1E-",
    "0x1",
    "1_0",
    "--1",
    "1.2.3",
    "1e5.0",
    "NaN",
    "Infinity",
    "-Infinity",
    "1a",
    "0e",
    "1.e1",
    "00",
    "1-",
    "2.a",
    "1,",
    "\u{ff11}",
];
const WORDS: &[&str] = &["true", "false", "null"];
const NOT_WORDS: &[&str] = &[
    "tru",
    "nul",
    "True",
    "nulll",
    "truefalse",
    "undefined",
    "t",
    "n",
    "f",
    "falsy",
    "fals e",
    "'x'",
    "`",
    "#",
    "/**/",
    "//x\n",
    ";",
    "=",
    "\\",
    "\\u0020",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "*",
    "true\u{0}",
];
const PIECES: &[&[u8]] = &[
    b"a",
    b" ",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"/",
    b"\\\"",
    b"\\\\",
    b"\\/",
    b"\\b",
    b"\\f",
    b"\\n",
    b"\\r",
    b"\\t",
    b"\\u0041",
    b"\\uD800",
    b"\\ud83d\\ude00",
    b"\x7f",
    "é".as_bytes(),
    "\u{2028}".as_bytes(),
    "😀".as_bytes(),
    "\u{10ffff}".as_bytes(),
    b"\\\\\\\"",
    b"abcdefghijklmnopqrstuvwxyz0123456789",
];
const NOT_PIECES: &[&[u8]] = &[
    b"\\",
    b"\\x",
    b"\\u",
    b"\\u12",
    b"\\u12G4",
    b"\\U0041",
    b"\\'",
    b"\\0",
    b"\n",
    b"\t",
    b"\0",
    b"\x1f",
    b"\"",
    b"\xff",
    b"\x80",
    b"\xc0\xaf",
    b"\xc3",
    b"\xe2\x82",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf0\x9f\x98",
    b"\xf5\x80\x80\x80",
    b"\xfe",
    b"\\u 041",
    b"\\\n",
    b"\\\x80",
];

/// Writes random JSON. One in `slips` of the choices writes something that the grammar forbids; none if it is zero.
pub struct Writer<'t, 'a> {
    tape: &'t mut Tape<'a>,
    slips: usize,
    pub out: Vec<u8>,
}

impl<'t, 'a> Writer<'t, 'a> {
    pub fn new(tape: &'t mut Tape<'a>, slips: usize) -> Self {
        Writer { tape, slips, out: Vec::new() }
    }

    /// Writes one value with white space around it; most are containers.
    pub fn body(&mut self) {
        self.white();
        match self.tape.below(8) {
            0..4 => self.object(4),
            4..7 => self.array(4),
            _ => self.value(0),
        }
        self.white();
        if self.slip() {
            let extra = self.tape.of(&["}", "]", ",", "{}", "1", "\"", "\0", "x", ":", "null", "\u{feff}"]);
            self.out.extend_from_slice(extra.as_bytes());
        }
    }

    fn slip(&mut self) -> bool {
        self.slips > 0 && self.tape.happens(1, self.slips)
    }

    fn value(&mut self, depth: usize) {
        match self.tape.below(8) {
            0 | 1 => self.word(NUMBERS, NOT_NUMBERS),
            2 => self.word(WORDS, NOT_WORDS),
            3 | 4 => self.string(),
            _ if depth == 0 => self.word(NUMBERS, NOT_NUMBERS),
            5 | 6 => self.object(depth),
            _ => self.array(depth),
        }
    }

    fn word(&mut self, right: &[&str], wrong: &[&str]) {
        let words = if self.slip() { wrong } else { right };
        let word = self.tape.of(words);
        self.out.extend_from_slice(word.as_bytes());
    }

    fn object(&mut self, depth: usize) {
        self.items(b'{', b'}', |this| {
            if this.slip() {
                this.value(0);
            } else {
                this.string();
            }
            this.white();
            this.mark(b':', &[b",", b"", b"::", b"=", b" "]);
            this.white();
            if !this.slip() {
                this.value(depth - 1);
            }
        });
    }

    fn array(&mut self, depth: usize) {
        self.items(b'[', b']', |this| {
            if !this.slip() {
                this.value(depth - 1);
            }
        });
    }

    fn items(&mut self, open: u8, close: u8, item: impl Fn(&mut Self)) {
        self.mark(open, &[b"", b"{", b"[", b"(", b"{{", b"[["]);
        self.white();
        for i in 0..self.tape.below(5) {
            if i > 0 {
                self.mark(b',', &[b"", b",,", b":", b";", b" ", b"}"]);
                self.white();
            }
            item(self);
            self.white();
        }
        if self.slip() {
            self.out.push(b',');
        }
        self.mark(close, &[b"", b"}", b"]", b")", b"}}", b"]]"]);
    }

    fn mark(&mut self, mark: u8, wrong: &[&[u8]]) {
        if self.slip() {
            let wrong = self.tape.of(wrong);
            self.out.extend_from_slice(wrong);
        } else {
            self.out.push(mark);
        }
    }

    fn string(&mut self) {
        self.mark(b'"', &[b"", b"'", b"\\\"", b"\"\""]);
        for _ in 0..self.tape.below(5) {
            let pieces = if self.slip() { NOT_PIECES } else { PIECES };
            let piece = self.tape.of(pieces);
            self.out.extend_from_slice(piece);
        }
        self.mark(b'"', &[b"", b"'", b"\\\"", b"\"\""]);
    }

    fn white(&mut self) {
        if self.tape.happens(1, 4) {
            let run = self.tape.of(&[1, 1, 2, 3, 20, 63, 64, 65]);
            for _ in 0..run {
                let white = self.tape.of(b" \t\n\r");
                self.out.push(white);
            }
        }
        if self.slip() {
            let wrong: &[&[u8]] = &[b"\x0b", b"\x0c", b"\0", b"\xc2\xa0", b"\xef\xbb\xbf", b"\x7f", b"\x1f", b"\x08"];
            let wrong = self.tape.of(wrong);
            self.out.extend_from_slice(wrong);
        }
    }
}

/// Changes a few bytes: flips, deletions, insertions, doublings and truncations.
pub fn mutate(tape: &mut Tape<'_>, body: &mut Vec<u8>) {
    for _ in 0..=tape.below(4) {
        if body.is_empty() {
            return;
        }
        let at = (tape.below(256) * 256 + tape.below(256)) % body.len();
        match tape.below(6) {
            0 => body[at] ^= 1 << tape.below(8),
            1 => drop(body.remove(at)),
            2 => body.insert(at, tape.of(b"{}[]:,\"\\ \0\n\xffeE.-+019tfnu")),
            3 => body.truncate(at),
            4 => body[at] = tape.of(b"{}[]:,\"\\ \0\n\xffeE.-+019tfnu"),
            _ => {
                let end = body.len().min(at + 1 + tape.below(16));
                let copy = body[at..end].to_vec();
                body.splice(at..at, copy);
            }
        }
    }
}
