//! MONITOR for the screen: begun, read and ended.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::{Effect, MonitorPrice, Msg};
use crate::ops::trace::{Brakes, LiveEnd, LiveTrace, follow, price};
use crate::queue::{Queue, text};
use crate::store::Store;
use crate::trace::Tracker;
use crate::tui::msg;
use crate::tui::tasks::{TaskKind, Tasks};

/// Bytes that the lives of a trace may take.
const MOST_BYTES_OF_LIVES: usize = 8 << 20;

impl Tasks {
    /// Does what is asked for about MONITOR.
    pub(crate) fn lives(&mut self, effect: Effect) {
        match effect {
            Effect::Price(queue) => {
                let store = self.store.along_with(&queue);
                let asked = async move {
                    let now = price(&store).await.map_err(|why| why.to_string())?;
                    let brakes = Brakes::USUAL;
                    Ok(MonitorPrice {
                        now,
                        span: brakes.span,
                        most: brakes.commands_per_s,
                        buffer: brakes.buffer,
                    })
                };
                self.ask(TaskKind::Price, asked, move |told| {
                    msg::Msg::Lives(Msg::Priced(queue, told))
                });
            }
            Effect::Start(generation, queue) => {
                // Whoever ends the one before does not end this one.
                self.trace_ends = Arc::new(Notify::new());
                let store = self.store.along_with(&queue);
                let ends = Arc::clone(&self.trace_ends);
                let answers = self.answers.clone();
                self.latest(TaskKind::Trace, async move {
                    let tell = Teller {
                        generation,
                        answers,
                    };
                    let how = trace(&store, queue, &ends, &tell).await;
                    tell.tell(Msg::Ended(generation, how));
                });
            }
            Effect::End => self.trace_ends.notify_one(),
        }
    }
}

struct Teller {
    generation: u64,
    answers: UnboundedSender<msg::Msg>,
}

impl Teller {
    /// Nobody listens any more when the program is about to end.
    fn tell(&self, msg: Msg) {
        let _ = self.answers.send(msg::Msg::Lives(msg));
    }
}

/// Runs MONITOR until its time is over, a brake acts or somebody ends it: how it ended. Dropped, it
/// ends too.
async fn trace(
    store: &Store,
    queue: Queue,
    ends: &Notify,
    tell: &Teller,
) -> Result<String, String> {
    let brakes = Brakes::USUAL;
    let now = price(store).await.map_err(|why| why.to_string())?;
    if let Some(now) = now.get().filter(|now| *now > brakes.commands_per_s) {
        return Err(too_busy(now, brakes));
    }
    let live = follow(store, brakes).await.map_err(|why| why.to_string())?;
    tell.tell(Msg::Began(tell.generation, brakes.span));
    let mut tracker = Tracker::new(Some(vec![queue]), MOST_BYTES_OF_LIVES);
    let end = read(live, &mut tracker, ends, tell).await;
    match end {
        LiveEnd::Time => Ok("MONITOR has run for its time".to_owned()),
        LiveEnd::Asked => Ok("MONITOR was ended".to_owned()),
        LiveEnd::Rate(per_s) => Err(too_busy(per_s, brakes)),
        LiveEnd::Buffer(waiting) => Err(format!(
            "MONITOR was ended: {} kB waited on the server to be sent",
            text::thousands(waiting / 1_000)
        )),
        LiveEnd::Behind(us) => Err(format!(
            "MONITOR was ended: we were {} behind the server",
            text::span((us / 1_000).unsigned_abs())
        )),
        LiveEnd::Unanswered(why) => Err(format!("MONITOR was ended: {why}")),
        LiveEnd::Broken(why) => Err(format!("the connection broke while it ran MONITOR: {why}")),
    }
}

async fn read(mut live: LiveTrace, tracker: &mut Tracker, ends: &Notify, tell: &Teller) -> LiveEnd {
    let mut stop = live.stopper();
    let mut is_asked = false;
    loop {
        let records = tokio::select! {
            biased;
            () = ends.notified(), if !is_asked => {
                is_asked = true;
                stop.stop().await;
                continue;
            }
            records = live.next() => records,
        };
        let Some(records) = records else { break };
        for record in &records {
            tracker.read(record);
        }
        // Nobody asks for the lives that were let go: each event was told.
        tracker.let_go().for_each(drop);
        let events: Vec<_> = tracker.events().collect();
        if !events.is_empty() {
            tell.tell(Msg::Happened(tell.generation, events));
        }
    }
    drop(tracker.finish());
    let events: Vec<_> = tracker.events().collect();
    tell.tell(Msg::Happened(tell.generation, events));
    live.end().await.0
}

fn too_busy(per_s: u64, brakes: Brakes) -> String {
    format!(
        "no MONITOR: the server runs {} commands/s, more than {}",
        text::thousands(per_s),
        text::thousands(brakes.commands_per_s)
    )
}
