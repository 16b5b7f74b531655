//! MONITOR for the screen: begun, read and ended.

use std::fmt::Write as _;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::{Effect, MonitorPrice, Msg};
use crate::ops::trace::{Brakes, LiveEnd, LiveTrace, clients, follow, price};
use crate::queue::{Known, Queue, text};
use crate::store::Store;
use crate::trace::Tracker;
use crate::tui::msg;
use crate::tui::tasks::{TaskKind, Tasks};

/// A clock that differs by more µs from the server's is told.
const WRONG_US: i64 = 500_000;

/// Bytes that the lives of a trace may take.
const MOST_BYTES_OF_LIVES: usize = 8 << 20;

impl Tasks {
    /// Does what is asked for about MONITOR.
    pub(crate) fn lives(&mut self, effect: Effect) {
        match effect {
            Effect::Price(queue) => {
                let store = self.store.along_with(&queue);
                let named = self.store.endpoint().address.clone();
                let asked = async move {
                    let now = price(&store).await.map_err(|why| why.to_string())?;
                    let brakes = Brakes::USUAL;
                    let node = store.whereabouts().address;
                    Ok(MonitorPrice {
                        node: (node != named).then_some(node),
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

/// Clients whose names are asked for behind a trace at most.
const MOST_STRANGERS: usize = 100;

struct Teller {
    generation: u64,
    answers: UnboundedSender<msg::Msg>,
}

impl Teller {
    /// Tells what has happened, and what the clients are called that did it.
    fn events(&self, tracker: &mut Tracker, strangers: &mut Vec<Arc<[u8]>>) {
        let events: Vec<_> = tracker.events().collect();
        if events.is_empty() {
            return;
        }
        let by = || events.iter().filter_map(|event| event.by.as_ref());
        let names = tracker.names();
        for by in by().filter(|by| names.lacks(by)) {
            if strangers.len() < MOST_STRANGERS && !strangers.contains(by) {
                strangers.push(by.clone());
            }
        }
        let names = names.of(by().map(|by| &**by));
        self.tell(Msg::Happened(self.generation, events, names));
    }

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
    let channel = queue.keys().channel;
    let mut tracker = Tracker::new(Some(vec![queue]), MOST_BYTES_OF_LIVES);
    know_clients(store, &mut tracker).await;
    let live = follow(store, brakes, channel)
        .await
        .map_err(|why| why.to_string())?;
    tell.tell(Msg::Began(tell.generation, brakes.span));
    let (end, strangers) = read(live, &mut tracker, ends, tell).await;
    // Whoever has come since MONITOR began. A server whose burden a brake has ended makes no long list.
    if end.is_meant() && !strangers.is_empty() {
        know_clients(store, &mut tracker).await;
        let names = tracker.names().of(strangers.iter().map(|by| &**by));
        tell.tell(Msg::Happened(tell.generation, Vec::new(), names));
    }
    let clocks = wrong_clocks(&tracker);
    match end {
        LiveEnd::Time => Ok(format!("MONITOR has run for its time{clocks}")),
        LiveEnd::Asked => Ok(format!("MONITOR was ended{clocks}")),
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

/// The clients whose clocks are wrong, as their transfers tell: `; clock of mail-1: 2.0 s ahead`. Nothing
/// where all are right.
fn wrong_clocks(tracker: &Tracker) -> String {
    let mut told = String::new();
    for client in tracker.figures().clients(tracker.names()) {
        let wrong = client.figures.clocks.sure().into_iter();
        for us in wrong.filter(|us| us.abs() > WRONG_US) {
            let name = client.name.as_deref().map(text::printable_bytes);
            let name = name.unwrap_or_else(|| super::author::address(&client.host));
            let side = if us < 0 { "behind" } else { "ahead" };
            let by = text::span((us / 1_000).unsigned_abs());
            // Writing into a String cannot fail.
            let _ = write!(told, "; clock of {name}: {by} {side}");
        }
    }
    told
}

/// Takes note of the clients that the server has now: once before MONITOR, and once behind it.
async fn know_clients(store: &Store, tracker: &mut Tracker) {
    if let Known::Is(clients) = clients(store).await {
        tracker.know(&clients);
    }
}

/// Reads to the end: how it ended, and the addresses of the clients of which nothing else is known.
async fn read(
    mut live: LiveTrace,
    tracker: &mut Tracker,
    ends: &Notify,
    tell: &Teller,
) -> (LiveEnd, Vec<Arc<[u8]>>) {
    let mut stop = live.stopper();
    let mut is_asked = false;
    let mut strangers = Vec::new();
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
        if let Some((at_us, count)) = live.listeners() {
            tracker.listen(at_us, count);
        }
        for record in &records {
            tracker.read(record);
        }
        // Nobody asks for the lives that were let go: each event was told.
        tracker.let_go().for_each(drop);
        tell.events(tracker, &mut strangers);
    }
    drop(tracker.finish());
    tell.events(tracker, &mut strangers);
    (live.end().await.0, strangers)
}

fn too_busy(per_s: u64, brakes: Brakes) -> String {
    format!(
        "no MONITOR: the server runs {} commands/s, more than {}",
        text::thousands(per_s),
        text::thousands(brakes.commands_per_s)
    )
}
