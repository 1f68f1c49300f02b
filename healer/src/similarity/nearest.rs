//! An index of the names of a large contract that finds the most similar one: embeddings by hashed trigrams.
//!
//! The embedding of a name is the sum of its trigrams. Each trigram adds 1 or -1 to one place of a vector; its hash
//! gives the sign and the place (feature hashing, Weinberger et al. 2009). So the dot product of two embeddings
//! estimates the cosine of their trigrams. The index is locality-sensitive hashing by random hyperplanes (`SimHash`,
//! Charikar 2002): names on the same side of twelve planes share a bucket, in each of sixteen tables. Buckets that
//! differ in one plane are probed too (Lv et al. 2007). Two names with a cosine of 0.8 are on the same side of a plane
//! with probability 0.795, so that one table finds them with probability 0.26 and sixteen with 0.992; with a cosine of
//! 0.9 it is more than 0.9999. The names in the probed buckets are compared exactly.
//!
//! With fewer than [`LEAST_INDEXED`] names, all are compared: a dot product takes some ten nanoseconds.
//!
//! Decisions do not use it. They need words, which the inverted index in `candidates.rs` finds exactly at any size. It
//! is meant for people, to show what an unknown name could have been meant to be.

use super::metrics::trigrams::each;
use crate::hash::GOLDEN;
use crate::order::run;

/// The places of an embedding: eight 128-bit vectors of 16-bit numbers.
const PLACES: usize = 64;
/// The number of planes per table.
const PLANES: usize = 12;
const TABLES: usize = 16;
/// With fewer names, all are compared.
pub const LEAST_INDEXED: usize = 512;

type Embedding = [i16; PLACES];

/// An index of names.
#[derive(Clone, Debug, Default)]
pub struct Nearest {
    embeddings: Vec<(Embedding, f32)>,
    planes: Vec<Embedding>,
    /// A bucket and a name in it, sorted.
    buckets: Vec<(u32, u32)>,
}

impl Nearest {
    /// Builds an index of these names, which are known by their positions.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Nearest {
        let embeddings: Vec<(Embedding, f32)> = names.into_iter().map(embed).collect();
        let mut made = Nearest { embeddings, ..Nearest::default() };
        if made.embeddings.len() >= LEAST_INDEXED {
            made.planes = (1..=TABLES.saturating_mul(PLANES) as u64).map(plane).collect();
            let with_ids = made.embeddings.iter().zip(0..);
            let mut buckets: Vec<(u32, u32)> =
                with_ids.flat_map(|((name, _), id)| made.buckets_of(name).map(move |bucket| (bucket, id))).collect();
            buckets.sort_unstable();
            made.buckets = buckets;
        }
        made
    }

    /// Returns the most similar name and its cosine; of several, the first. It may miss names with a cosine below 0.8.
    pub fn nearest(&self, name: &str) -> Option<(u32, f32)> {
        if self.buckets.is_empty() {
            return self.nearest_of_all(name);
        }
        let (embedding, length) = embed(name);
        let mut is_met = vec![false; self.embeddings.len()];
        for own in self.buckets_of(&embedding) {
            for probe in (0..PLANES).map(|plane| own ^ 1 << plane).chain([own]) {
                for (_, id) in run(&self.buckets, probe) {
                    if let Some(met) = is_met.get_mut(*id as usize) {
                        *met = true;
                    }
                }
            }
        }
        let met = is_met.iter().zip(0..).filter(|(met, _)| **met).map(|(_, id)| id);
        self.best(met, &embedding, length)
    }

    /// Returns the same by comparing all names.
    pub fn nearest_of_all(&self, name: &str) -> Option<(u32, f32)> {
        let (embedding, length) = embed(name);
        self.best(0..self.embeddings.len() as u32, &embedding, length)
    }

    /// Returns the bucket of an embedding in each table: the table, and the side of each of its planes.
    fn buckets_of(&self, embedding: &Embedding) -> impl Iterator<Item = u32> {
        self.planes.chunks_exact(PLANES).zip(0..).map(move |(planes, table): (&[Embedding], u32)| {
            planes.iter().fold(table, |bucket, plane| bucket << 1 | u32::from(dot(embedding, plane) > 0.0))
        })
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

/// The form lets the compiler use vector instructions (`pmaddwd`, `i32x4.dot_i16x8_s`).
fn dot(left: &Embedding, right: &Embedding) -> f32 {
    let sum = left.iter().zip(right).map(|(x, y)| i32::from(*x).wrapping_mul(i32::from(*y))).fold(0, i32::wrapping_add);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred at most")]
    let sum = sum as f32;
    sum
}

/// Returns the coordinates of a plane: signs from a pseudo-random word (`splitmix64`), one bit per place.
fn plane(seed: u64) -> Embedding {
    let mut signs = seed.wrapping_mul(GOLDEN);
    signs = (signs ^ signs >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    signs = (signs ^ signs >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    signs ^= signs >> 31;
    let mut plane = [1; PLACES];
    for (at, place) in plane.iter_mut().enumerate() {
        *place = if signs >> at & 1 == 0 { 1 } else { -1 };
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 20] = [
        "user", "order", "created", "billing", "shipping", "total", "currency", "email", "phone", "address", "postal",
        "country", "company", "language", "status", "login", "payment", "invoice", "customer", "product",
    ];

    /// Names without one of their letters find the same name of a large contract as comparing all does.
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
