//! The names in the bodies.

use super::words::Words;

/// Expected names, and their drifted forms. Each pair is in a shipped pack.
pub(super) const DRIFTED: &[(&str, &str)] = &[
    ("user_id", "userId"),
    ("full_name", "fullName"),
    ("email_address", "mail"),
    ("phone_number", "phone_no"),
    ("postal_code", "zip_code"),
    ("department", "dept"),
    ("language", "lang"),
    ("quantity", "qty"),
    ("created_at", "createdAt"),
    ("updated_at", "updated_on"),
];

/// The fields of the flat record.
pub(super) const FIELDS: &[&str] = &[
    "user_id",
    "age",
    "full_name",
    "street",
    "city",
    "floor",
    "postal_code",
    "country",
    "email_address",
    "phone_number",
    "role",
    "team",
    "department",
    "level",
    "score",
    "rank",
    "plan",
    "tier",
    "theme",
    "title",
    "nick",
    "avatar",
    "site",
    "language",
    "iban",
    "vat",
    "total",
    "count",
    "limit",
    "used",
    "free",
    "open",
    "paid",
    "due",
    "rate",
    "quantity",
    "unit",
    "grade",
    "color",
    "weight",
    "zone",
    "room",
    "desk",
    "badge",
    "shift",
    "alt",
    "lat",
    "lng",
    "kind",
    "flag",
    "ratio",
    "seen",
    "votes",
    "stars",
    "link",
    "created_at",
    "updated_at",
];

/// The paths of the values in the nested body, and their names: 42 values in 15 containers, so 57 keys.
pub(super) const LEAVES: &[(&str, &str)] = &[
    ("response.data.user.who.name", "first_name"),
    ("response.data.user.who.name", "last_name"),
    ("response.data.user.who.name", "nickname"),
    ("response.data.user.who.name", "job_title"),
    ("response.data.user.who.name", "alias"),
    ("response.data.user.who.bio", "age"),
    ("response.data.user.who.bio", "date_of_birth"),
    ("response.data.user.who.bio", "about_text"),
    ("response.data.user.who.bio", "height_cm"),
    ("response.data.user.who.bio", "weight_kg"),
    ("response.data.user.who.face", "avatar_url"),
    ("response.data.user.who.face", "favorite"),
    ("response.data.user.who.face", "theme"),
    ("response.data.user.who.face", "badge_color"),
    ("response.data.user.at.home", "street_name"),
    ("response.data.user.at.home", "city"),
    ("response.data.user.at.home", "postal_code"),
    ("response.data.user.at.home", "country"),
    ("response.data.user.at.home", "floor_number"),
    ("response.data.user.at.work", "company_name"),
    ("response.data.user.at.work", "team_name"),
    ("response.data.user.at.work", "desk_number"),
    ("response.data.user.at.work", "room"),
    ("response.data.user.at.work", "shift_name"),
    ("response.data.user.at.map", "latitude"),
    ("response.data.user.at.map", "longitude"),
    ("response.data.user.at.map", "altitude"),
    ("response.data.user.at.map", "timezone"),
    ("response.data.user.acct.plan", "plan_tier"),
    ("response.data.user.acct.plan", "plan_level"),
    ("response.data.user.acct.plan", "plan_limit"),
    ("response.data.user.acct.plan", "used_units"),
    ("response.data.user.acct.plan", "free_units"),
    ("response.data.user.acct.pay", "iban"),
    ("response.data.user.acct.pay", "vat_number"),
    ("response.data.user.acct.pay", "due_amount"),
    ("response.data.user.acct.pay", "paid_amount"),
    ("response.data.user.acct.pay", "total"),
    ("response.data.user.acct.log", "last_seen"),
    ("response.data.user.acct.log", "login_count"),
    ("response.data.user.acct.log", "score"),
    ("response.data.user.acct.log", "rank"),
];

/// Returns one flat record, drifted or not.
pub(super) fn flat(words: &mut Words, drifts: bool) -> String {
    let drifted = |name| DRIFTED.iter().find(|(expected, _)| drifts && *expected == name).map(|(_, drifted)| *drifted);
    let members: Vec<String> =
        FIELDS.iter().map(|name| member(drifted(*name).unwrap_or(name), &words.value())).collect();
    format!("{{{}}}", members.join(","))
}

/// Returns an object with a value at each path. Paths with a common container must be adjacent.
pub(super) fn nested(words: &mut Words, leaves: &[(&str, &str)]) -> String {
    let mut out = String::from("{");
    let mut open: Vec<&str> = Vec::new();
    for (index, (path, leaf)) in leaves.iter().enumerate() {
        let containers: Vec<&str> = path.split('.').collect();
        let shared = open.iter().zip(&containers).take_while(|(a, b)| a == b).count();
        out.extend(std::iter::repeat_n('}', open.len() - shared));
        if index > 0 {
            out.push(',');
        }
        out.extend(containers[shared..].iter().flat_map(|name| ["\"", name, "\":{"]));
        out.push_str(&member(leaf, &words.value()));
        open = containers;
    }
    out.extend(std::iter::repeat_n('}', open.len() + 1));
    out
}

fn member(name: &str, value: &str) -> String {
    format!("\"{name}\":{value}")
}
