//! The drifted body healed by a program that is written for this one drift, with `serde_json`.

mod document;
mod members;

/// Names that drifted, and what clients expect, sorted by the former.
const RENAMES: [(&str, &str); 13] = [
    ("about_me", "biography"),
    ("birth_date", "date_of_birth"),
    ("company_name", "company"),
    ("created_on", "created_at"),
    ("currency_code", "currency"),
    ("department_name", "department"),
    ("last_login_at", "last_login"),
    ("login_name", "username"),
    ("mail", "email_address"),
    ("telephone", "phone_number"),
    ("user_full_name", "full_name"),
    ("user_identifier", "user_id"),
    ("zip_code", "postal_code"),
];

pub use document::heal as by_document;
pub use members::heal as by_members;

fn expected(drifted: &str) -> Option<&'static str> {
    RENAMES.binary_search_by_key(&drifted, |(name, _)| name).ok().map(|index| RENAMES[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIFTED: &[u8] = br#"{"zip_code": "98101", "n": 1.0, "mail": "a@b.c", "n": [9007199254740993]}"#;

    #[test]
    fn renames_are_sorted() {
        assert!(RENAMES.is_sorted());
    }

    #[test]
    fn members_are_kept_as_they_are_written() {
        let expected = br#"{"postal_code":"98101","n":1.0,"email_address":"a@b.c","n":[9007199254740993]}"#;
        assert_eq!(by_members(DRIFTED).as_deref(), Some(expected.as_slice()));
    }

    #[test]
    fn a_document_is_written_anew() {
        let expected = br#"{"email_address":"a@b.c","n":[9007199254740993],"postal_code":"98101"}"#;
        assert_eq!(by_document(DRIFTED).as_deref(), Some(expected.as_slice()));
    }

    #[test]
    fn what_is_not_drifted_or_not_an_object_is_left_alone() {
        for body in [r#"{"city": 1}"#, r#"[{"mail": 1}]"#, r#"{"mail": }"#, ""] {
            assert_eq!(by_members(body.as_bytes()), None, "{body}");
            assert_eq!(by_document(body.as_bytes()), None, "{body}");
        }
    }
}
