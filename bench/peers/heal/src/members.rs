//! The fastest way that `serde_json` has: names and values of the root stay text, and only names are looked at.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::expected;

/// More than most objects have, so that the list seldom grows.
const USUAL_MEMBERS: usize = 64;

struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

/// The healed body; nothing where no name drifted, or where the body is no object.
#[must_use]
pub fn heal(body: &[u8]) -> Option<Vec<u8>> {
    let Members(members) = serde_json::from_slice(body).ok()?;
    let mut healed = Vec::with_capacity(body.len() + 64);
    let mut changed = false;
    for (name, value) in members {
        healed.push(if healed.is_empty() { b'{' } else { b',' });
        if let Some(expected) = expected(name.get().trim_matches('"')) {
            healed.push(b'"');
            healed.extend_from_slice(expected.as_bytes());
            healed.push(b'"');
            changed = true;
        } else {
            healed.extend_from_slice(name.get().as_bytes());
        }
        healed.push(b':');
        healed.extend_from_slice(value.get().as_bytes());
    }
    healed.push(b'}');
    changed.then_some(healed)
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::with_capacity(USUAL_MEMBERS);
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
