//! A queue whose transfer client has died a few minutes ago: what it should have moved is late,
//! the next ones become late one after the other, and the application goes on offering.

use super::dice::Dice;
use super::stage::{Message, Stage};
use crate::store::StoreError;

/// How long ago the client died, in ms: so late is the oldest entry.
const DEAD_FOR_MS: i64 = 242_000;
/// How many were due since, and how many wait.
const LATE: i64 = 7;
const WAITING: i64 = 60;
/// From one due time to the next, in ms; a new entry is offered as often.
const EVERY_MS: i64 = 20_000;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let mut dice = Dice::new(21);
    let late = (0..LATE).map(|n| n * DEAD_FOR_MS / LATE - DEAD_FOR_MS);
    let waiting = (1..=WAITING).map(|n| n * EVERY_MS);
    let messages: Vec<_> = late
        .chain(waiting)
        .map(|ms| reminder(&mut dice, stage, ms))
        .collect();
    stage.offer(&messages).await
}

pub(super) async fn play(stage: Stage) {
    let mut dice = Dice::new(22);
    let every = stage.span(EVERY_MS.unsigned_abs());
    while stage.pause(every).await {
        let message = reminder(&mut dice, &stage, (WAITING + 1) * EVERY_MS);
        stage.offer_or_tell(&[message]).await;
    }
}

/// Plain text, as Redisson's string codec writes it.
fn reminder(dice: &mut Dice, stage: &Stage, ms: i64) -> Message {
    let ticket = dice.number(4_000..9_999);
    let customer = dice.number(1..10_000);
    let what = dice.one_of(&[
        "call back",
        "ask whether it works",
        "close",
        "offer a refund",
    ]);
    let text = format!("ticket {ticket}, customer c-{customer:05}: {what}");
    (stage.after(ms), text.into_bytes())
}
