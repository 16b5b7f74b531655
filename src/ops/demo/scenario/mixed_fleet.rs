//! A rolling upgrade across Redisson 3.21.1 that has come to a halt half way: instances of both
//! generations offer and transfer, and each chokes at the other's entries. The roll-out waits until
//! nothing is late any more; then the last old instance is replaced, and the queue is served by
//! one generation alone.

use crate::clock::EpochMillis;
use crate::ops::demo::dice::Dice;
use crate::ops::demo::redisson;
use crate::ops::demo::stage::{DemoMessage, Stage};
use crate::ops::refresh::pulse;
use crate::queue::{Era, Form, Known};
use crate::store::StoreError;

/// The time since the two have met, in ms: so late is the oldest entry.
const STUCK_FOR_MS: i64 = 40_000;
/// The time ahead up to which parcels are asked after when the demo begins, in ms.
const AHEAD_MS: i64 = 20_000;
/// The longest from one due time to the next, in ms.
const GAP_MS: i64 = 1_600;
/// Number of entries in a row that are of one instance.
const BUNCH: usize = 4;
/// The time between two offers of each instance, in ms, and how far ahead of then they are due.
const EVERY_MS: u64 = 2_500;
const DELAY_MS: std::ops::Range<i64> = 2_000..AHEAD_MS;
/// The time between two looks of the roll-out at whether it may go on, in ms.
const LOOK_MS: u64 = 250;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    let older = older(stage);
    let mut dice = Dice::new(41);
    let mut ms = -STUCK_FOR_MS;
    for by in [&older, stage].into_iter().cycle() {
        let mut bunch = Vec::new();
        while bunch.len() < BUNCH {
            bunch.push(parcel(&mut dice, by, ms));
            ms += dice.number(200..GAP_MS);
        }
        by.offer(&bunch).await?;
        if ms > AHEAD_MS {
            break;
        }
    }
    Ok(())
}

pub(super) async fn play(stage: Stage) {
    stage.note(
        "a rolling upgrade has halted: instances of Redisson 3.21.0 and of a later release serve \
         one queue, and each chokes at the other's entries",
    );
    let older = older(&stage);
    tokio::select! {
        () = redisson::transfer(older.clone(), Era::Older) => {}
        () = offer(older, 42) => {}
        () = offer(stage.clone(), 43) => {}
        () = until_nothing_is_late(&stage) => {}
    }
    stage.note("nothing is late: the roll-out goes on, the last old instance is replaced");
    offer(stage, 44).await;
}

/// The instances that are still to be replaced.
fn older(stage: &Stage) -> Stage {
    Stage {
        form: Form::DoubleId,
        ..stage.clone()
    }
}

async fn offer(stage: Stage, seed: u64) {
    let mut dice = Dice::new(seed);
    while stage.pause(stage.span(EVERY_MS)).await {
        let ms = dice.small(DELAY_MS);
        let message = parcel(&mut dice, &stage, ms);
        stage.offer_or_tell(&[message]).await;
    }
}

async fn until_nothing_is_late(stage: &Stage) {
    while stage.pause(stage.span(LOOK_MS)).await {
        let seen = pulse(stage.writer.store(), &stage.queue, None).await;
        if seen.is_ok_and(|pulse| pulse.late == Known::Is(0)) {
            return;
        }
    }
}

/// JSON without Java types.
fn parcel(dice: &mut Dice, stage: &Stage, ms: i64) -> DemoMessage {
    let number = dice.number(100_000..999_999);
    let what = dice.one_of(&["ask-carrier", "tell-customer", "refund", "close"]);
    let text = format!(r#"{{"parcel":{number},"action":"{what}"}}"#);
    let due: EpochMillis = stage.after(ms);
    (due, text.into_bytes())
}
