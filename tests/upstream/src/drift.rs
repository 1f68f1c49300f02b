//! The places to which each mode moves fields.

use crate::mode::Mode;

/// A field of the healthy user, and its dotted path in a mode.
pub type Drift = (&'static str, &'static str);

/// Returns the fields that a mode drifts. All other fields are where the contract expects them.
pub fn drift(mode: Mode) -> &'static [Drift] {
    match mode {
        Mode::Healthy => &[],
        Mode::V2 => V2,
        Mode::Camel => CAMEL,
        Mode::Nested => NESTED,
        Mode::Deep => DEEP,
        Mode::Typo => TYPO,
        Mode::Abbrev => ABBREV,
        Mode::Legacy => LEGACY,
        Mode::Mixed => MIXED,
    }
}

const V2: &[Drift] = &[
    ("user_id", "user_identifier"),
    ("username", "login_name"),
    ("full_name", "user_full_name"),
    ("email_address", "mail"),
    ("phone_number", "telephone"),
    ("date_of_birth", "birth_date"),
    ("postal_code", "zip_code"),
    ("company", "company_name"),
    ("department", "department_name"),
    ("currency", "currency_code"),
    ("biography", "about_me"),
    ("created_at", "created_on"),
    ("last_login", "last_login_at"),
];

const CAMEL: &[Drift] = &[
    ("user_id", "userId"),
    ("full_name", "fullName"),
    ("email_address", "emailAddress"),
    ("phone_number", "phoneNumber"),
    ("date_of_birth", "dateOfBirth"),
    ("postal_code", "postalCode"),
    ("created_at", "createdAt"),
    ("last_login", "lastLogin"),
];

const NESTED: &[Drift] = &[
    ("full_name", "personal_info.full_name"),
    ("gender", "personal_info.gender"),
    ("date_of_birth", "personal_info.date_of_birth"),
    ("biography", "personal_info.biography"),
    ("email_address", "contact_info.email_address"),
    ("phone_number", "contact_info.phone_number"),
    ("street", "address_info.street"),
    ("city", "address_info.city"),
    ("state", "address_info.state"),
    ("postal_code", "address_info.postal_code"),
    ("country", "address_info.country"),
];

const DEEP: &[Drift] = &[
    ("user_id", "response.data.user.id"),
    ("username", "response.data.user.identity.username"),
    ("full_name", "response.data.user.identity.personal.name.full"),
    ("email_address", "response.data.user.identity.contact.email.address"),
    ("phone_number", "response.data.user.identity.contact.phone.number"),
    ("date_of_birth", "response.data.user.identity.personal.birth.date"),
    ("gender", "response.data.user.identity.personal.gender"),
    ("street", "response.data.user.location.address.street"),
    ("city", "response.data.user.location.address.city"),
    ("state", "response.data.user.location.address.state"),
    ("postal_code", "response.data.user.location.address.postal.code"),
    ("country", "response.data.user.location.address.country"),
    ("company", "response.data.user.employment.company"),
    ("department", "response.data.user.employment.department"),
    ("language", "response.data.user.preferences.language"),
    ("timezone", "response.data.user.preferences.timezone"),
    ("currency", "response.data.user.preferences.currency"),
    ("status", "response.data.user.account.status"),
    ("biography", "response.data.user.identity.personal.biography"),
    ("created_at", "response.data.user.account.timestamps.created"),
    ("last_login", "response.data.user.account.activity.login.last"),
];

const TYPO: &[Drift] = &[
    ("username", "usrename"),
    ("email_address", "emial_address"),
    ("phone_number", "phone_nubmer"),
    ("department", "deparment"),
];

const ABBREV: &[Drift] = &[
    ("user_id", "usr_id"),
    ("username", "usrname"),
    ("full_name", "full_nm"),
    ("email_address", "email_addr"),
    ("phone_number", "phone_no"),
    ("date_of_birth", "dob"),
    ("postal_code", "postal_cd"),
    ("department", "dept"),
    ("language", "lang"),
    ("timezone", "tz"),
    ("currency", "ccy"),
    ("biography", "bio"),
];

const LEGACY: &[Drift] = &[
    ("user_id", "user_no"),
    ("username", "logon_name"),
    ("full_name", "complete_name"),
    ("email_address", "electronic_mail_address"),
    ("phone_number", "telephone_number"),
    ("date_of_birth", "birthday"),
    ("gender", "sex"),
    ("postal_code", "postcode"),
    ("last_login", "last_logon"),
];

const MIXED: &[Drift] = &[
    ("user_id", "userId"),
    ("username", "user_name"),
    ("email_address", "mail"),
    ("phone_number", "telephone_number"),
    ("city", "address_info.city"),
    ("country", "address_info.country"),
    ("department", "dept"),
    ("language", "langauge"),
    ("created_at", "date_created"),
    ("last_login", "lastLogin"),
];
