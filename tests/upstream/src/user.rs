//! The healthy user, field by field.
//!
//! Values are JSON text, so that healing that re-encodes them is noticed: there are a number above 2^53, `\u`, `\/`,
//! and surrogate escapes beside raw UTF-8.

/// The fields of the healthy user in order, each with the JSON text of its value.
pub type Fields = [(&'static str, String); 21];

/// Returns the user with this number. Number 0 is the one at `/api/user`.
pub fn fields(number: usize) -> Fields {
    let person = pick(PEOPLE, number);
    let place = pick(PLACES, number / 3);
    let login = format!("{}{}", person.login, suffix(number));
    let day = number % 28 + 1;
    [
        ("user_id", (1_183_452_904_732_131_329 + number as u64).to_string()),
        ("username", quoted(&login)),
        ("full_name", quoted(person.name)),
        ("email_address", quoted(&format!("{login}@example.com"))),
        ("phone_number", quoted(&format!("{}{:04}", place.dial, (142 + 37 * number) % 10_000))),
        ("date_of_birth", quoted(&format!("{}-04-{day:02}", 1950 + (38 + number * 7) % 55))),
        ("gender", quoted(person.gender)),
        ("street", quoted(&format!("{} {}", 418 + number % 500, place.street))),
        ("city", quoted(place.city)),
        ("state", quoted(place.state)),
        ("postal_code", quoted(place.postal_code)),
        ("country", quoted(place.country)),
        ("company", quoted(pick(COMPANIES, number))),
        ("department", quoted(pick(DEPARTMENTS, number))),
        ("language", quoted(place.language)),
        ("timezone", quoted(place.timezone)),
        ("currency", quoted(place.currency)),
        ("status", quoted(if number % 7 == 6 { "suspended" } else { "active" })),
        ("biography", quoted(person.biography)),
        ("created_at", quoted(&format!("2021-03-{day:02}T15:09:26.535Z"))),
        ("last_login", quoted(&format!("2026-11-{:02}T08:42:07.120Z", number % 20 + 1))),
    ]
}

#[derive(Clone, Copy)]
struct Person {
    login: &'static str,
    name: &'static str,
    gender: &'static str,
    biography: &'static str,
}

#[derive(Clone, Copy)]
struct Place {
    street: &'static str,
    city: &'static str,
    state: &'static str,
    postal_code: &'static str,
    country: &'static str,
    language: &'static str,
    timezone: &'static str,
    currency: &'static str,
    dial: &'static str,
}

/// Puts text in quotes without escaping it: the tables below contain JSON text.
fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn pick<T: Copy>(rows: &[T], number: usize) -> T {
    rows[number % rows.len()]
}

/// Makes logins and addresses unique in lists longer than the table.
fn suffix(number: usize) -> String {
    match number / PEOPLE.len() {
        0 => String::new(),
        round => format!("{round}"),
    }
}

const PEOPLE: &[Person] = &[
    Person {
        login: "zoe.nakamura",
        name: r"Zo\u00eb Nakamura",
        gender: "female",
        biography: r#"Builds data tools for people who \"just need a CSV\".\nRuns \ud83c\udfc3 on Sundays, reads on trains, and answers mail before noon."#,
    },
    Person {
        login: "jonas.weber",
        name: "Jonas Weber",
        gender: "male",
        biography: r"Keeps the lights on: on-call, runbooks and C:\\temp.\tCooks for twelve; cycles to work in any weather.",
    },
    Person {
        login: "amina.diallo",
        name: "Aminata \\\"Amina\\\" Diallo",
        gender: "female",
        biography: "Économiste, now writes forecasts that say how wrong they may be. Plays the kora → badly.",
    },
    Person {
        login: "sam.oconnor",
        name: "Sam O'Connor",
        gender: "non-binary",
        biography: r"Designs forms that ask once. Collects maps, odd units \u0026 old calendars; writes about all three.",
    },
    Person {
        login: "li.wei",
        name: "李伟",
        gender: "male",
        biography: r"Payments and settlement since 2012. Believes in small diffs, long tests and \u8336 at four o'clock.",
    },
];

const PLACES: &[Place] = &[
    Place {
        street: r"Pine St \/ Apt 5",
        city: "Seattle",
        state: "WA",
        postal_code: "98101",
        country: "US",
        language: "en",
        timezone: "America/Los_Angeles",
        currency: "USD",
        dial: "+1-206-555-",
    },
    Place {
        street: "Lindenstraße",
        city: "K\\u00f6ln",
        state: "Nordrhein-Westfalen",
        postal_code: "50674",
        country: "DE",
        language: "de",
        timezone: "Europe/Berlin",
        currency: "EUR",
        dial: "+49-221-555-",
    },
    Place {
        street: "Rua Augusta",
        city: "São Paulo",
        state: "SP",
        postal_code: "01305-000",
        country: "BR",
        language: "pt",
        timezone: "America/Sao_Paulo",
        currency: "BRL",
        dial: "+55-11-5555-",
    },
];

const COMPANIES: &[&str] = &["Larkspur & Söhne GmbH", "Northwind Freight", r"Caf\u00e9 Aurora S.A.", "Bluebird Health"];

const DEPARTMENTS: &[&str] = &["Platform Engineering", "Research", "Finance", "Customer Care", "Operations"];
