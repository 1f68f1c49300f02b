//! What is healed, or how, changes under load.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drifting_upstream::{Mode, user_body};
use nomos_tests::framing::Framing;

use super::{Size, json};
use crate::expect::{Bytes, Expect};
use crate::report::Tally;
use crate::stand::{Ask, Stand};

/// Between two configurations.
const PERIOD: Duration = Duration::from_millis(100);

/// Configurations that must have been taken into use, of 100 that were written. Envoy takes what it finds when it
/// looks, so one may be overtaken by the next.
const TAKEN: usize = 30;

/// The API drifts in another mode with each request.
pub async fn modes(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let seen = Arc::new(Mutex::new(HashMap::new()));
    let ask = move |number: usize| {
        let mode = Mode::ALL[number % Mode::ALL.len()];
        let steps = json(Framing::Length, user_body(mode).as_bytes());
        Ask { listener: "user", steps, expect: Expect::Healthy(mode, Arc::clone(&seen)) }
    };
    Ok(stand.run(10, size.of(4500, 900), ask).await)
}

/// The names to heal to change every 100 ms: each response is healed by one configuration or the other, as a whole.
pub async fn reload(stand: Arc<Stand>, size: Size) -> Result<Tally, String> {
    let names = [("email_address", "id"), ("e_mail", "user_id")];
    let record = |mail: &str, uid: &str| format!("{{\"{mail}\":\"a@b.c\",\"{uid}\":7,\"n\":1.50}}");
    let list = |mail: &str, uid: &str| format!("[{}]", vec![record(mail, uid); 60].join(",")).into_bytes();
    let bodies: Arc<[Bytes]> = names.iter().map(|(mail, uid)| list(mail, uid).into()).collect();
    // In pieces, so that configurations change while a body is on its way.
    let steps = json(Framing::Chunks(400), &list("mail", "uid"));
    let ask = Ask { listener: "reload", steps, expect: Expect::OneOf(Arc::clone(&bodies)) };

    let reloads = size.of(100, 30);
    let before = stand.stat(TAKEN_STAT);
    let changes = {
        let stand = Arc::clone(&stand);
        tokio::spawn(async move {
            for number in 0..reloads {
                let (mail, uid) = names[(number + 1) % 2];
                stand.reload(mail, uid)?;
                tokio::time::sleep(PERIOD).await;
            }
            // As it was.
            stand.reload(names[0].0, names[0].1)
        })
    };
    let mut tally = Tally::default();
    while !changes.is_finished() {
        let ask = ask.clone();
        tally.add(stand.run(8, 200, move |_| ask.clone()).await);
    }
    changes.await.map_err(|e| e.to_string())??;
    let taken = usize::try_from(stand.stat(TAKEN_STAT).saturating_sub(before)).unwrap_or(0);
    tally.notes.push(format!("{taken} of {reloads} configurations were taken into use"));
    tally.require(taken * 100 >= reloads * TAKEN, || format!("only {taken} configurations were taken into use"));
    settle(&stand, &bodies[0], &ask, &mut tally).await?;
    Ok(tally)
}

const TAKEN_STAT: &str = "extension_config_discovery.http_filter.reloaded.config_reload";

/// Waits until the last configuration is in use.
async fn settle(stand: &Arc<Stand>, last: &Bytes, ask: &Ask, tally: &mut Tally) -> Result<(), String> {
    let mut client = stand.client(ask.listener)?;
    for _ in 0..100 {
        let reply = stand.ask(&mut client, ask).await.0?;
        if reply.body == **last {
            return Ok(());
        }
        tokio::time::sleep(PERIOD).await;
    }
    tally.failures.push("the last configuration was never taken into use".to_owned());
    Ok(())
}
