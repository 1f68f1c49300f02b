//! The engine natively, against `serde_json::Value` doing the same edit: `cargo bench -p nomos-bench`.

#![allow(missing_docs)]

use divan::Bencher;
use divan::counter::BytesCount;
use nomos_bench::corpus;
use nomos_bench_engine::{Operation, Stand};

fn main() {
    divan::main();
}

#[divan::bench(args = names())]
fn scan(bencher: Bencher, name: &str) {
    bench(bencher, name, Operation::Scan);
}

#[divan::bench(args = names())]
fn whole(bencher: Bencher, name: &str) {
    bench(bencher, name, Operation::Whole);
}

#[divan::bench(args = names())]
fn serde_json_value(bencher: Bencher, name: &str) {
    bench(bencher, name, Operation::Dom);
}

fn names() -> Vec<String> {
    corpus::subjects().into_iter().map(|subject| subject.name).collect()
}

fn bench(bencher: Bencher, name: &str, operation: Operation) {
    let Some(subject) = corpus::subjects().into_iter().find(|subject| subject.name == name) else { return };
    let mut stand = Stand::new(&subject).unwrap_or_else(|error| panic!("{error}"));
    let mut at = 0;
    bencher.counter(BytesCount::new(subject.bytes())).bench_local(|| {
        stand.once(operation, at);
        at = (at + 1) % stand.bodies();
    });
}
