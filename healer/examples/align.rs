//! What the first sight of a record costs, natively: 20 unknown names against contracts of several sizes.

// Not part of the engine.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_precision_loss)]

use std::time::Instant;

use healer::plan::spec::{Contract, Expects, Kind, Property};
use healer::similarity::{Found, Model, NONE, Scratch, Settings, Standing};

const WORDS: [&str; 40] = [
    "user",
    "order",
    "created",
    "billing",
    "shipping",
    "total",
    "currency",
    "email",
    "phone",
    "address",
    "city",
    "state",
    "postal",
    "country",
    "company",
    "department",
    "language",
    "timezone",
    "status",
    "biography",
    "login",
    "payment",
    "invoice",
    "customer",
    "product",
    "price",
    "quantity",
    "discount",
    "tax",
    "weight",
    "height",
    "width",
    "color",
    "brand",
    "category",
    "review",
    "rating",
    "stock",
    "vendor",
    "coupon",
];
const TAILS: [&str; 8] = ["id", "name", "code", "at", "count", "url", "type", "value"];

fn name(at: usize) -> String {
    let (word, tail) = (WORDS[at % 40], TAILS[(at / 40) % 8]);
    if at < 320 { format!("{word}_{tail}") } else { format!("{word}_{}{}_{tail}", WORDS[(at / 320) % 40], at / 12800) }
}

fn main() {
    let drifted = [
        "userId",
        "orderName",
        "createdCode",
        "billing_identifier",
        "shippingID",
        "totals_id",
        "ccy_id",
        "mail_id",
        "telephone_id",
        "addr_id",
        "town_id",
        "stats_id",
        "zip_id",
        "nation_id",
        "compnay_id",
        "dept_id",
        "lang_id",
        "tz_id",
        "mystery_field",
        "unrelated",
    ];
    for fields in [64, 100, 1000, 10_000] {
        let properties: Vec<Property> = (0..fields)
            .map(|at| Property { name: name(at), node: Contract::Any, expects: Expects::default(), required: false })
            .collect();
        let model = Model::of(&properties);
        let found: Vec<Found<'_>> = drifted
            .iter()
            .map(|name| Found {
                name,
                parent: NONE,
                kind: Kind::String,
                class: None,
                item: None,
                standing: Standing::Unknown,
            })
            .collect();
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        let settings = Settings::default();
        let mut best = u128::MAX;
        for _ in 0..200 {
            let start = Instant::now();
            model.align(&found, &settings, &mut scratch, &mut out);
            best = best.min(start.elapsed().as_nanos());
        }
        println!("{fields} fields: {} us, {} aligned", best as f64 / 1000.0, out.len());
    }
}
