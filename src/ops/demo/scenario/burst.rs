//! A mail campaign: 5,000 messages due at one moment, two minutes ahead; when they are gone, the
//! next one.

use crate::ops::demo::dice::Dice;
use crate::ops::demo::stage::{DemoMessage, Stage};
use crate::payload::{Codec, encode};

/// Messages in a burst.
const SIZE: i64 = 5_000;
/// The time ahead at which a burst is due, in ms.
const AHEAD_MS: i64 = 120_000;
/// From burst to burst, in ms: some seconds longer, so that the hand-over of one is seen alone.
const EVERY_MS: u64 = 140_000;

pub(super) async fn play(stage: Stage) {
    let mut dice = Dice::new(11);
    for round in 1.. {
        let messages = campaign(&mut dice, round, &stage);
        stage.offer_or_tell(&messages).await;
        if !stage.pause(stage.span(EVERY_MS)).await {
            return;
        }
    }
}

/// The messages of one campaign, as Kryo 5 writes strings.
fn campaign(dice: &mut Dice, round: i64, stage: &Stage) -> Vec<DemoMessage> {
    let due = stage.after(AHEAD_MS);
    let subject = dice.one_of(&[
        "spring-sale",
        "back-in-stock",
        "last-chance",
        "members-only",
    ]);
    let one = |n| {
        let customer = (n * 7 + round) % 10_000;
        let text = format!("mail {subject}-{round} to c-{customer:05}@customers.example");
        (due, encode(Codec::Kryo5, &text).unwrap_or_default())
    };
    (0..SIZE).map(one).collect()
}
