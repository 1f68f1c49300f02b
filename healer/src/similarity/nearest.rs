//! The names of a large contract that look most like a name: embeddings by hashed trigrams, and an index over them.
//!
//! A name's embedding is the sum of its trigrams, each added to one place of a vector with a sign, both from its hash
//! (feature hashing, Weinberger et al. 2009), so that the dot product of two embeddings estimates the cosine of their
//! trigrams. The index is locality-sensitive hashing by random hyperplanes (`SimHash`, Charikar 2002): names on the same side
//! of eight planes are in one bucket, in sixteen tables, and buckets that differ in one plane are probed too
//! (Lv et al. 2007). Two names with a cosine of 0.8 are on the same side of a plane with probability 0.795, so that one
//! table misses them with probability 0.51 and sixteen with less than 0.0001. Buckets that are met are compared exactly.
//!
//! Below [`LEAST_INDEXED`] names all are compared: a dot product costs some ten nanoseconds.
//!
//! Decisions do not rest on it: they need words, which the inverted index of words finds exactly at any size. It is for
//! people: what an unknown name could have been meant to be.

use super::metrics::trigrams::each;

/// Places of an embedding: eight 128-bit vectors of 16-bit numbers.
const PLACES: usize = 64;
/// Planes per table.
const PLANES: usize = 8;
const TABLES: usize = 16;
/// Fewer names are compared one by one.
pub const LEAST_INDEXED: usize = 512;

type Embedding = [i16; PLACES];

/// An index of names.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    embeddings: Vec<(Embedding, f32)>,
    /// Table, bucket and name; sorted.
    buckets: Vec<(u16, u32)>,
}

impl Nearest {
    /// An index of these names, which are known by their places.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Nearest {
        let embeddings: Vec<(Embedding, f32)> = names.into_iter().map(embed).collect();
        let mut buckets = Vec::new();
        if embeddings.len() >= LEAST_INDEXED {
            for (id, (embedding, _)) in embeddings.iter().enumerate() {
                buckets.extend((0..TABLES).map(|table| (bucket(table, signature(table, embedding)), id as u32)));
            }
            buckets.sort_unstable();
        }
        Nearest { embeddings, buckets }
    }

    /// The name that is most like this one, and its cosine: the first, if several are. Cosines below 0.8 may be missed.
    pub fn nearest(&self, name: &str) -> Option<(u32, f32)> {
        if self.buckets.is_empty() {
            return self.nearest_of_all(name);
        }
        let (embedding, length) = embed(name);
        let mut met = Vec::new();
        for table in 0..TABLES {
            let own = signature(table, &embedding);
            let flipped = (0..PLANES).map(|plane| own ^ 1 << plane);
            for probe in flipped.chain([own]).map(|signature| bucket(table, signature)) {
                let from = self.buckets.partition_point(|(other, _)| *other < probe);
                let run = self.buckets.get(from..).unwrap_or_default().iter().take_while(|(other, _)| *other == probe);
                met.extend(run.map(|(_, id)| *id));
            }
        }
        met.sort_unstable();
        met.dedup();
        self.best(met.into_iter(), &embedding, length)
    }

    /// The same, by comparing all.
    pub fn nearest_of_all(&self, name: &str) -> Option<(u32, f32)> {
        let (embedding, length) = embed(name);
        self.best(0..self.embeddings.len() as u32, &embedding, length)
    }

    fn best(&self, ids: impl Iterator<Item = u32>, embedding: &Embedding, length: f32) -> Option<(u32, f32)> {
        let cosine = |id: u32| {
            let (other, other_length) = self.embeddings.get(id as usize)?;
            Some((id, dot(embedding, other) / (length * other_length).max(f32::MIN_POSITIVE)))
        };
        ids.filter_map(cosine).reduce(|best, other| if other.1 > best.1 { other } else { best })
    }
}

fn embed(name: &str) -> (Embedding, f32) {
    let mut embedding = [0i16; PLACES];
    each(name, |gram| {
        if let Some(place) = embedding.get_mut((gram >> 32) as usize % PLACES) {
            *place = place.saturating_add(if gram >> 63 == 0 { 1 } else { -1 });
        }
    });
    let length = dot(&embedding, &embedding).sqrt();
    (embedding, length)
}

/// Written so that the compiler makes vector instructions of it (`pmaddwd`, `i32x4.dot_i16x8_s`).
fn dot(left: &Embedding, right: &Embedding) -> f32 {
    let sum = left.iter().zip(right).map(|(x, y)| i32::from(*x).wrapping_mul(i32::from(*y))).fold(0, i32::wrapping_add);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
    let sum = sum as f32;
    sum
}

/// On which side of each plane of a table an embedding is.
fn signature(table: usize, embedding: &Embedding) -> u8 {
    let sides = (0..PLANES).filter(|plane| {
        let seed = table.wrapping_mul(PLANES).wrapping_add(*plane) as u64;
        // The plane's coordinates are signs: a pseudo-random word, one bit per place.
        let mut signs = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        signs = (signs ^ signs >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        signs = (signs ^ signs >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        signs ^= signs >> 31;
        let side = embedding.iter().enumerate().fold(0i32, |side, (at, value)| {
            let value = i32::from(*value);
            side.wrapping_add(if signs >> at & 1 == 0 { value } else { value.wrapping_neg() })
        });
        side > 0
    });
    sides.fold(0, |signature, plane| signature | 1 << plane)
}

fn bucket(table: usize, signature: u8) -> u16 {
    (table as u16) << PLANES | u16::from(signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 20] = [
        "user", "order", "created", "billing", "shipping", "total", "currency", "email", "phone", "address", "postal",
        "country", "company", "language", "status", "login", "payment", "invoice", "customer", "product",
    ];

    /// Names with one letter left out find the name of a large contract that comparing all finds.
    #[test]
    fn the_index_finds_what_comparing_all_finds() {
        let names: Vec<String> =
            (0..8000).map(|at| format!("{}_{}_{}", WORDS[at % 20], WORDS[at / 20 % 20], WORDS[at / 400])).collect();
        let index = Nearest::of(names.iter().map(String::as_str));
        assert!(!index.buckets.is_empty());
        let (mut all, mut same) = (0, 0);
        for (at, name) in names.iter().enumerate().step_by(7) {
            let mut mistyped = name.clone();
            mistyped.remove(1 + at % (name.len() - 1));
            let best = index.nearest_of_all(&mistyped).unwrap();
            if best.1 >= 0.8 {
                all += 1;
                same += usize::from(index.nearest(&mistyped).is_some_and(|found| found.1 >= best.1));
            }
        }
        assert!(all > 500, "{all}");
        assert!(same * 1000 >= all * 990, "recall {same} of {all}");
    }

    #[test]
    fn a_small_index_compares_all() {
        let index = Nearest::of(["user_id", "email"]);
        assert_eq!(index.nearest("emails").map(|(id, _)| id), Some(1));
        assert_eq!(Nearest::of([]).nearest("a"), None);
    }
}
