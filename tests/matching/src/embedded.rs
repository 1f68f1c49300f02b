//! Negatives without labels: a record inside another one is a record of its own.
//!
//! The body is described as its own contract. Then one of its members is missing, and a new member holds a whole record
//! of the same kind (`parent`, `previous`), or one that has objects of the same kinds (`employer.address`). The missing
//! member must not be taken from there. If nothing else is left of the record, nothing shows that there are two
//! records, so that case is not tried.

use healer::similarity::Settings;
use serde_json::{Map, Value};

use crate::beside::{described, leaves, without};
use crate::corpus::Api;
use crate::engine::predict;

/// Names of the member that holds the other record. The missing members of a body take them in turn.
const HOLDERS: [&str; 6] = ["parent", "previous", "manager", "in_reply_to", "replaced_by", "linked_item"];

/// Returns the number of cases tried, and a line for each member that was wrongly taken.
pub fn taken_from_another_record(api: &Api, settings: Settings) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for body in api.cases.iter().map(|case| &case.body) {
        let Value::Object(members) = body else { continue };
        let contract = described(body);
        let objects: Map<_, _> = members.iter().filter(|(_, value)| value.is_object()).map(owned).collect();
        let others = [body.clone(), Value::Object(objects)];
        for (missing, holder) in leaves(body).iter().zip(HOLDERS.iter().cycle()) {
            let record = without(body, missing);
            if members.contains_key(*holder) || leaves(&record).is_empty() {
                continue;
            }
            for other in &others {
                let mut drifted = record.clone();
                drifted[*holder] = other.clone();
                tried += 1;
                for pair in predict(&contract, &drifted, settings) {
                    wrong.push(format!("{}: {} ~ {} ({:.3})", api.file, pair.expected, pair.found, pair.score));
                }
            }
        }
    }
    (tried, wrong)
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}
