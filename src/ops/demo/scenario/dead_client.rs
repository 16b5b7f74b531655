//! A queue whose transfer client has died a few minutes ago: what it should have moved is late,
//! the next ones become late one after the other, and the application goes on offering.

use crate::ops::demo::dice::Dice;
use crate::ops::demo::stage::{DemoMessage, Stage};
use crate::store::StoreError;

/// The time since the client died, in ms: so late is the oldest entry.
const DEAD_FOR_MS: i64 = 242_000;
/// The time ahead up to which reminders are set, in ms.
const AHEAD_MS: i64 = 900_000;
/// The longest from one due time to the next, in ms, for bunch after bunch: what falls
/// due comes unevenly.
const GAPS_MS: [i64; 4] = [5_000, 30_000, 18_000, 9_000];
/// Number of reminders in a row that have the same gaps.
const BUNCH: usize = 9;
/// The time between two offers of a new entry, in ms.
const EVERY_MS: u64 = 6_000;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let mut dice = Dice::new(21);
    let mut messages = Vec::new();
    let mut ms = -DEAD_FOR_MS;
    while ms < AHEAD_MS {
        messages.push(reminder(&mut dice, stage, ms));
        let longest = GAPS_MS[messages.len() / BUNCH % GAPS_MS.len()];
        ms += dice.number(500..longest);
    }
    stage.offer(&messages).await
}

pub(super) async fn play(stage: Stage) {
    let mut dice = Dice::new(22);
    while stage.pause(stage.span(EVERY_MS)).await {
        let message = reminder(&mut dice, &stage, AHEAD_MS);
        stage.offer_or_tell(&[message]).await;
    }
}

/// Plain text, as Redisson's string codec writes it.
fn reminder(dice: &mut Dice, stage: &Stage, ms: i64) -> DemoMessage {
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
