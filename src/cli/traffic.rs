//! `traffic`: what is announced on the queues' channels, as it happens.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use serde_json::{Map, Value, json};

use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, say, shape, times};
use crate::args;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::ops::refresh::pulse;
use crate::queue::name::names_of_key;
use crate::queue::{Announcement, Known, LinkState, Optional, Queue, text};
use crate::store::Store;
use crate::store::watch::announcements;

const COLUMNS: [Column; 4] = [
    Column::left("TIME", 8),
    Column::left("QUEUE", 16),
    Column::right("CLIENTS", 7),
    Column::left("MESSAGE", 0),
];
/// A count of transfer clients is asked for again after this.
const FRESH: Duration = Duration::from_secs(1);
/// Counts that are kept.
const MOST_KEPT: usize = 1_000;

/// Prints messages until asked to end, or `count` of them.
pub(super) async fn run<W: Write>(
    asked: &args::Traffic,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let session = Session::open(config).await?;
    let mut chosen = config.queues.clone();
    if let Some(queue) = &asked.queue {
        chosen = vec![meant(queue, config)];
    }
    if !chosen.is_empty() && chosen.iter().all(|q| q.keys().channel.is_none()) {
        anyhow::bail!("a zset-list queue has no channel, so there is no traffic to print.");
    }
    let mut stop = StopSignal::listen();
    let mut messages = std::pin::pin!(announcements(&session.store));
    let mut clients = Clients::new(&session.store);
    if !out.is_json() {
        out.titles(&COLUMNS)?;
        out.flush()?;
    }
    let mut link = session.store.link();
    let (mut away, mut deaf) = (false, false);
    let mut printed = 0;
    while asked.count.is_none_or(|count| printed < count) {
        let message = tokio::select! {
            biased;
            () = stop.asked() => break,
            message = messages.next() => message,
            Ok(()) = link.changed() => {
                let link = link.borrow_and_update();
                away = told(&link.state, away);
                deaf = deafness(link.refused.why(Optional::PSubscribe), deaf);
                continue;
            }
        };
        let Some(message) = message else {
            let why = session.store.why_refused(Optional::PSubscribe);
            let why = why.unwrap_or_else(|| "the subscription ended".to_owned());
            anyhow::bail!("could not listen on {}: {why}", config.endpoint);
        };
        let Some(queue) = queue_of(&message, &chosen) else {
            continue;
        };
        let listening = clients.of(&queue).await;
        print(&queue, &message, &listening, out)?;
        printed += 1;
    }
    if !out.is_json() && asked.count.is_none() {
        say::note(&format!("{} messages", text::thousands(printed)));
    }
    Ok(CommandOutcome::Done)
}

/// Says when the server goes and when it is back: silence alone could mean either. Returns whether
/// it is away.
fn told(state: &LinkState, away: bool) -> bool {
    match state {
        LinkState::Lost { why, .. } if !away => {
            say::note(&format!(
                "no connection ({why}): what is announced now is lost"
            ));
            true
        }
        LinkState::Live if away => {
            say::note("the server answers again");
            false
        }
        _ => away,
    }
}

/// Says when nothing can be heard although the server answers, and when that is over. Returns whether
/// it is so.
fn deafness(why: Option<&str>, deaf: bool) -> bool {
    match why {
        Some(why) if !deaf => say::note(&format!("PSUBSCRIBE does not work: {why}")),
        None if deaf => say::note("PSUBSCRIBE works again"),
        _ => {}
    }
    why.is_some()
}

/// The queue that a message is about; none when it is not one of the chosen.
fn queue_of(message: &Announcement, chosen: &[Queue]) -> Option<Queue> {
    let same = |queue: &&Queue| queue.keys().channel.as_ref() == Some(&message.channel);
    if let Some(queue) = chosen.iter().find(same) {
        return Some(queue.clone());
    }
    if !chosen.is_empty() {
        return None;
    }
    let name = names_of_key(&message.channel).into_iter().next()?;
    Some(Queue::redisson(name.as_bytes()))
}

/// The number of transfer clients of each queue, asked for at most once a second.
struct Clients<'a> {
    store: &'a Store,
    known: HashMap<Queue, (Instant, Known<u64>)>,
}

impl<'a> Clients<'a> {
    fn new(store: &'a Store) -> Self {
        Self {
            store,
            known: HashMap::new(),
        }
    }

    async fn of(&mut self, queue: &Queue) -> Known<u64> {
        let now = instant();
        if let Some((at, known)) = self.known.get(queue)
            && now.saturating_duration_since(*at) < FRESH
        {
            return known.clone();
        }
        let seen = pulse(self.store, queue, None).await;
        let known = match seen {
            Ok(pulse) => pulse.transfer_clients,
            Err(why) => Known::Unknown(why.to_string().into()),
        };
        if self.known.len() >= MOST_KEPT {
            self.known.clear();
        }
        self.known.insert(queue.clone(), (now, known.clone()));
        known
    }
}

fn print<W: Write>(
    queue: &Queue,
    message: &Announcement,
    clients: &Known<u64>,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        out.json(&object(queue, message, clients))?;
    } else {
        let cells = [
            times::local(message.at, message.at),
            text::printable_bytes(queue.name.as_bytes()),
            shape::figure(clients),
            meaning(message),
        ];
        out.row(&COLUMNS, &cells)?;
    }
    out.flush()
}

fn object(queue: &Queue, message: &Announcement, clients: &Known<u64>) -> Value {
    let mut fields = Map::new();
    fields.insert("at_ms".into(), message.at.get().into());
    shape::name(&mut fields, &queue.name);
    fields.insert("due_ms".into(), json!(message.due().map(EpochMillis::get)));
    fields.insert("transfer_clients".into(), json!(clients.get()));
    fields.insert("kick".into(), is_kick(message).into());
    if message.due().is_none() {
        let text = String::from_utf8_lossy(&message.message);
        fields.insert("message".into(), text.into());
        fields.insert("message_hex".into(), hex::encode(&message.message).into());
        if let Some(all) = message.cut_from() {
            fields.insert("message_bytes".into(), all.into());
        }
    }
    Value::Object(fields)
}

/// A message that makes every transfer client look at once.
fn is_kick(message: &Announcement) -> bool {
    message.due() == Some(EpochMillis::new(0))
}

fn meaning(message: &Announcement) -> String {
    match message.due() {
        Some(_) if is_kick(message) => "all clients woken: each checks what is due".to_owned(),
        Some(due) => {
            let left = due.since(message.at);
            let due = times::local(due, message.at);
            if left < 0 {
                format!("new head, due {} ago ({due})", text::age(-left))
            } else {
                format!("new head, due in {} ({due})", text::age(left))
            }
        }
        None => {
            let shown = text::printable_bytes(&message.message);
            let rest = message
                .cut_from()
                .map(|all| format!("… ({} in all)", text::counted(all as u64, "byte", "bytes")));
            format!("no due time: {shown}{}", rest.unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Announcement {
        let channel = b"redisson_delay_queue_channel:{orders}".to_vec();
        Announcement::new(
            EpochMillis::new(1_700_000_000_000),
            channel,
            text.as_bytes(),
        )
    }

    #[test]
    fn a_message_tells_what_it_means() {
        assert!(meaning(&message("1700000004900")).starts_with("new head, due in 4.9 s ("));
        assert!(meaning(&message("1699999999000")).starts_with("new head, due 1.0 s ago ("));
        assert!(meaning(&message("1700000000300")).starts_with("new head, due in < 1 s ("));
        assert!(meaning(&message("1699999999700")).starts_with("new head, due < 1 s ago ("));
        assert!(meaning(&message("0")).starts_with("all clients woken"));
        assert_eq!(meaning(&message("1e+17\n")), "no due time: 1e+17\\n");
        let large = meaning(&message(&"x".repeat(5_000_000)));
        assert!(large.len() < 1_100 && large.ends_with("xx… (5,000,000 bytes in all)"));
    }

    #[test]
    fn a_message_belongs_to_the_chosen_queue_with_its_channel() {
        let braced = Queue::redisson("{orders}");
        let other = Queue::redisson("other");
        let of = |chosen: &[Queue]| queue_of(&message("0"), chosen);
        assert_eq!(of(&[]), Some(Queue::redisson("orders")));
        assert_eq!(of(&[other.clone(), braced.clone()]), Some(braced));
        assert_eq!(of(&[other]), None);
    }
}
