//! A Redisson client of one generation, as a queue sees it: it unpacks the frames of its own era
//! only, and looks when it subscribes, when its timer says so, when something is published, and 5 s
//! after it failed. Never otherwise.

use std::time::Duration;

use futures_util::StreamExt as _;

use super::stage::Stage;
use crate::clock::{EpochMillis, instant};
use crate::queue::Era;
use crate::store::listen::{Heard, listen};

/// Entries that one script takes.
const BATCH: usize = 100;
/// After a script that failed it tries again so much later, in ms.
const AFTER_ERROR_MS: u64 = 5_000;
/// The timers of 3.50.0 and later go off up to 50 ms late.
const TICK: Duration = Duration::from_millis(30);

/// Transfers until the demo ends.
pub(super) async fn transfer(stage: Stage, era: Era) {
    let channel = stage.queue.keys().channel.unwrap_or_default();
    let mut heard = listen(stage.writer.store(), channel);
    let mut timer = None;
    loop {
        tokio::select! {
            () = stage.over() => return,
            Some(heard) = heard.next() => match heard {
                Heard::Subscribed => timer = Some(instant()),
                Heard::Message(text) => timer = announced(&stage, &text),
                Heard::Lost { why, .. } => stage.trouble(why),
            },
            () = at(timer) => timer = look(&stage, era).await,
        }
    }
}

/// When it looks next.
type Timer = Option<std::time::Instant>;

async fn at(timer: Timer) {
    match timer {
        Some(then) => tokio::time::sleep_until(then.into()).await,
        None => std::future::pending().await,
    }
}

/// Whatever is announced takes the place of the timer that was set before.
fn announced(stage: &Stage, text: &[u8]) -> Timer {
    let due = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(due_at(stage, EpochMillis::new(due)))
}

fn due_at(stage: &Stage, due: EpochMillis) -> std::time::Instant {
    let left = u64::try_from(due.since(stage.now())).unwrap_or(0);
    let left = Duration::from_millis(left);
    // What is due is looked for at once.
    instant() + if left.is_zero() { left } else { left + TICK }
}

/// One script; when to look again.
async fn look(stage: &Stage, era: Era) -> Timer {
    let now = stage.now();
    let sent = stage
        .writer
        .transfer_as_redisson(&stage.queue, era, now, BATCH)
        .await;
    match sent {
        Ok(head) => {
            let due = stage.queue.due(head?).at()?;
            Some(due_at(stage, due))
        }
        Err(why) => {
            stage.trouble(why);
            Some(instant() + stage.span(AFTER_ERROR_MS))
        }
    }
}
