//! A queue after an upgrade across Redisson 3.21.1: one entry of the release before still waited.
//! Once it was due, its client's script has ended there, again and again: nothing behind it moves,
//! and what is due before it is delivered again every 5 s. The application goes on offering.

use crate::ops::demo::dice::Dice;
use crate::ops::demo::stage::{DemoMessage, Stage};
use crate::queue::Form;
use crate::store::StoreError;

/// The time since the entry of the older release was due, in ms.
const STUCK_FOR_MS: i64 = 21_000;
/// The due times, in ms before now, of the entries before it: delivered again and again.
const BEFORE_MS: [i64; 2] = [23_500, 22_000];
/// The time ahead up to which invoices are reminded of, in ms.
const AHEAD_MS: i64 = 300_000;
/// The longest from one due time to the next, in ms.
const GAP_MS: i64 = 4_000;
/// The time between two offers of a new entry, in ms, and how far ahead of then it is due.
const EVERY_MS: u64 = 3_000;
const DELAY_MS: std::ops::Range<i64> = 10_000..AHEAD_MS;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let mut dice = Dice::new(31);
    let older = Stage {
        form: Form::DoubleId,
        ..stage.clone()
    };
    let poison = invoice(&mut dice, &older, -STUCK_FOR_MS);
    older.offer(&[poison]).await?;
    let before = BEFORE_MS.map(|ms| invoice(&mut dice, stage, -ms));
    let mut messages = before.to_vec();
    let mut ms = -STUCK_FOR_MS;
    loop {
        ms += dice.number(300..GAP_MS);
        if ms >= AHEAD_MS {
            break;
        }
        messages.push(invoice(&mut dice, stage, ms));
    }
    stage.offer(&messages).await
}

pub(super) async fn play(stage: Stage) {
    stage.note(
        "one entry of Redisson 3.21.0 is due among those of a later release: its client cannot read \
         it, nothing behind it moves, and the ones before it are delivered again every 5 s",
    );
    let mut dice = Dice::new(32);
    while stage.pause(stage.span(EVERY_MS)).await {
        let ms = dice.small(DELAY_MS);
        let message = invoice(&mut dice, &stage, ms);
        stage.offer_or_tell(&[message]).await;
    }
}

/// JSON without Java types.
fn invoice(dice: &mut Dice, stage: &Stage, ms: i64) -> DemoMessage {
    let number = dice.number(20_000..99_999);
    let customer = dice.number(1..10_000);
    let what = dice.one_of(&["remind", "remind-again", "charge-fee", "hand-over"]);
    let text = format!(r#"{{"invoice":{number},"action":"{what}","customer":"c-{customer:05}"}}"#);
    (stage.after(ms), text.into_bytes())
}
