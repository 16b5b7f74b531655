//! The example that explains delayed queues: AAAA is offered first and BBBB after it, but BBBB is
//! due earlier, and so it is delivered first. A round every 30 s.

use std::collections::BTreeSet;

use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::clock::instant;
use crate::ops::consumer::{ConsumeOptions, Consumer};
use crate::ops::demo::stage::Stage;
use crate::payload::{Codec, encode};
use crate::store::StoreError;

/// The messages that are offered in a round, in this order, and after how many ms each is due.
const ROUND: [(&str, i64); 2] = [("AAAA", 20_000), ("BBBB", 5_000)];
/// From round to round, in ms.
const EVERY_MS: u64 = 30_000;
/// Rounds that are skipped at most when somebody else took what this one waits for.
const PATIENCE: u32 = 2;

pub(super) async fn open(stage: &Stage) -> Result<(), StoreError> {
    for (text, delay_ms) in ROUND {
        let payload = encode(Codec::Text, text).unwrap_or_default();
        stage.offer(&[(stage.after(delay_ms), payload)]).await?;
    }
    Ok(())
}

pub(super) async fn play(stage: Stage) {
    let every = stage.span(EVERY_MS);
    let mut rounds = interval_at(Instant::from_std(instant() + every), every);
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let whole = || ROUND.map(|(text, _)| text).into_iter().collect();
    let mut open_ones: BTreeSet<&str> = whole();
    let mut skipped = 0;
    let mut consumer = Consumer::new(&stage.writer, &stage.queue, ConsumeOptions::default());
    loop {
        tokio::select! {
            () = stage.over() => break,
            element = consumer.next() => {
                let Some(element) = element else { break };
                if let Some(text) = stage.consumed(element) {
                    open_ones.remove(text.as_str());
                }
            }
            _ = rounds.tick() => {
                if !open_ones.is_empty() && skipped < PATIENCE {
                    skipped += 1;
                    continue;
                }
                skipped = 0;
                open_ones = whole();
                if let Err(why) = open(&stage).await {
                    stage.trouble(why);
                }
            }
        }
    }
    stage.leave(consumer).await;
}
