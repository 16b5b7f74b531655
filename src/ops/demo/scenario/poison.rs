//! A queue after an upgrade across Redisson 3.21.1: one entry of the release before still waited.
//! Once it was due, its client's script has ended there, again and again: nothing behind it moves,
//! and what is due before it is delivered again every 5 s. The application goes on offering.

use crate::ops::demo::dice::Dice;
use crate::ops::demo::stage::{Message, Stage};
use crate::queue::{Era, Form, Unpack, frame};
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
/// Bytes of `unsigned long` on a server that `Form::DoubleId` is written on.
const LONG: usize = 8;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let mut dice = Dice::new(31);
    let (due, payload) = invoice(&mut dice, stage, -STUCK_FOR_MS);
    let poison = unreadable(&mut dice, &payload);
    stage
        .writer
        .offer(&stage.queue, vec![(due, poison)])
        .await?;
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

/// A frame of the older release that its later client fails on: with one id of 256 it reads what
/// was meant, as the length is where it looks for it.
fn unreadable(dice: &mut Dice, payload: &[u8]) -> Vec<u8> {
    let form = Form::DoubleId;
    loop {
        let frame = frame::encode(form, form.id_of(dice.bytes()), payload);
        if Era::Newer.unpack(&frame, LONG) == Unpack::Fails {
            return frame;
        }
    }
}

/// JSON without Java types.
fn invoice(dice: &mut Dice, stage: &Stage, ms: i64) -> Message {
    let number = dice.number(20_000..99_999);
    let customer = dice.number(1..10_000);
    let what = dice.one_of(&["remind", "remind-again", "charge-fee", "hand-over"]);
    let text = format!(r#"{{"invoice":{number},"action":"{what}","customer":"c-{customer:05}"}}"#);
    (stage.after(ms), text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_dice_say_the_later_client_fails_on_the_older_entry() {
        for seed in 0..2_000 {
            let frame = unreadable(&mut Dice::new(seed), br#"{"invoice":20000}"#);
            assert_eq!(Era::Newer.unpack(&frame, LONG), Unpack::Fails, "{seed}");
            assert_eq!(Era::Older.unpack(&frame, LONG), Unpack::Right, "{seed}");
        }
    }
}
