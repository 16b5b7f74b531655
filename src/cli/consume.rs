//! `consume`: takes delivered messages, for good; `--peek` only looks.

use std::io::{self, Write};
use std::pin::pin;

use anyhow::Context as _;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::confirm::{confirm, protection};
use super::output::{Column, Output};
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, NothingMatched, say, shape, times};
use crate::args;
use crate::config::Config;
use crate::ops::activity::ActivityRecord;
use crate::ops::consumer::{ConsumeOptions, ConsumedElement, Consumer, peek};
use crate::ops::journal::Journal;
use crate::ops::refresh::pulse;
use crate::payload::Codec;
use crate::queue::asks::{Confirmation, NameReason};
use crate::queue::{Change, Queue, text};
use crate::store::StoreError;
use crate::store::write::Writer;

const COLUMNS: [Column; 3] = [
    Column::left("TIME", 8),
    Column::left("CODEC", 13),
    Column::left("TEXT", 0),
];
/// Number of elements that are looked at when nobody says how many.
const PEEKED: u64 = 10;
/// No more are looked at, whatever is asked for.
const MOST_PEEKED: u64 = 1_000;

/// Takes messages until asked to end, or as many as asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Consume,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let target = text::printable_bytes(&queue.keys().target);
    if asked.peek {
        return look(asked, &session, &queue, out).await;
    }
    let what = || format!("could not consume from {target:?}");
    let writer = session.store.writer().with_context(what)?;
    if !asked.yes
        && !agreed(asked, &session, &queue, config)
            .await
            .with_context(what)?
    {
        say::note("nothing was taken");
        return Ok(CommandOutcome::Partly);
    }
    let journal = Journal::of_user(config.keep_days);
    let size = [asked.count.unwrap_or(0), 0];
    let noted = ActivityRecord::begin(&journal, &session.store, &queue, Change::Consume, size);
    let mut noted = noted.await.with_context(what)?;
    let taken = take(asked, &writer, &queue, &mut noted, out).await;
    if let Err(why) = noted.end().await {
        say::note(&format!("the journal does not say how this ended: {why}"));
    }
    let taken = taken.with_context(what)?;
    let noun = if taken == 1 { "message" } else { "messages" };
    say::note(&format!("took {} {noun}", text::thousands(taken)));
    let all = asked.count.map_or(taken > 0, |count| taken == count);
    Ok(if all {
        CommandOutcome::Done
    } else {
        CommandOutcome::Partly
    })
}

/// Takes and prints, one by one; returns how many.
async fn take<W: Write>(
    asked: &args::Consume,
    writer: &Writer,
    queue: &Queue,
    noted: &mut ActivityRecord,
    out: &mut Output<W>,
) -> anyhow::Result<u64> {
    let options = ConsumeOptions {
        count: asked.count,
        timeout: asked.timeout.map(args::Span::duration),
    };
    let mut stop = StopSignal::listen();
    let (ending, ended) = watch::channel(false);
    let mut consumer = Consumer::new(writer, queue, options).until(ended);
    if !out.is_json() {
        out.titles(&COLUMNS)?;
        out.flush()?;
    }
    out.keep_whole();
    let mut taken = 0;
    loop {
        let Some(element) = next(&mut consumer, &mut stop, &ending).await else {
            say::note(HURRIED);
            return Ok(taken);
        };
        let failed = match element {
            None => break,
            Some(Ok(element)) => {
                // Where it is written down before it is printed, it is found after a death too.
                let handed_on = match noted.taken(&element.element).await {
                    Ok(()) => print(queue, &element, out).map_err(anyhow::Error::new),
                    Err(why) => Err(anyhow::Error::new(why)),
                };
                match handed_on {
                    Ok(()) => {
                        taken += 1;
                        continue;
                    }
                    Err(why) => put_back(&mut consumer, &element, noted, why).await,
                }
            }
            Some(Err(why)) if !why.may_heal() => why.into(),
            Some(Err(why)) => {
                say::note(&format!("{why}; trying again"));
                continue;
            }
        };
        leave(&mut consumer, queue).await;
        return Err(failed);
    }
    leave(&mut consumer, queue).await;
    Ok(taken)
}

/// The note of a consumer that was asked twice to end, and waits for nothing any more.
const HURRIED: &str = "ended without waiting for the server: what was taken last may be held still, \
                       and be delivered again by `repair --put-back`";

/// The next element of the consumer. Asked once to end, what is on its way is waited for; asked
/// twice, it is not, and none is returned.
async fn next(
    consumer: &mut Consumer,
    stop: &mut StopSignal,
    ending: &watch::Sender<bool>,
) -> Option<Option<Result<ConsumedElement, StoreError>>> {
    let mut next = pin!(consumer.next());
    loop {
        tokio::select! {
            biased;
            element = &mut next => return Some(element),
            () = stop.asked() => {
                if ending.send_replace(true) {
                    return None;
                }
            }
        }
    }
}

/// The consumer ends. What was printed is held no more; where that cannot be said, it is told.
async fn leave(consumer: &mut Consumer, queue: &Queue) {
    // What is refused where nothing is held was told already, and keeps nothing from anybody.
    if let Err(why) = consumer.end().await
        && (consumer.may_hold() || why.outcome_unknown())
    {
        say::note(&format!(
            "{why}; the message that was taken last may be held still, and would be delivered again \
             by `repair {} --put-back`",
            text::printable_bytes(queue.name.as_bytes())
        ));
    }
    let returned = consumer.returned();
    if returned > 0 {
        say::note(&format!(
            "{}: nothing was heard of this consumer for longer than it may hold a message, and \
             somebody put back what it held; it is delivered again",
            text::counted(
                returned,
                "message that was printed is in the target again",
                "messages that were printed are in the target again"
            )
        ));
    }
}

/// Puts a message that could not be printed back for the next consumer. Returns what there is to
/// say of it.
async fn put_back(
    consumer: &mut Consumer,
    element: &ConsumedElement,
    noted: &mut ActivityRecord,
    unprinted: anyhow::Error,
) -> anyhow::Error {
    match consumer.put_back().await {
        Ok(_) => {
            let said = "a message that could not be handed on was put back";
            match noted.put_back().await {
                Ok(()) => unprinted.context(said),
                Err(why) => unprinted.context(format!("{said}, which is not written down ({why})")),
            }
        }
        Err(why) => anyhow::Error::new(why).context(format!(
            "a message was taken, but could neither be handed on ({unprinted}) nor be put back; it \
             is held on the server, where `repair --put-back` finds it; its bytes are {}",
            hex::encode(&element.element)
        )),
    }
}

async fn look<W: Write>(
    asked: &args::Consume,
    session: &Session,
    queue: &Queue,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let target = text::printable_bytes(&queue.keys().target);
    let count = asked.count.unwrap_or(PEEKED).min(MOST_PEEKED);
    let count = usize::try_from(count).unwrap_or_default();
    let what = || format!("could not look into {target:?}");
    let elements = peek(&session.store, queue, count)
        .await
        .with_context(what)?;
    if elements.is_empty() {
        let why = format!("nothing is in {target:?} to be consumed.");
        return Err(NothingMatched(why).into());
    }
    if !out.is_json() {
        out.titles(&COLUMNS)?;
    }
    for element in &elements {
        print(queue, element, out)?;
    }
    Ok(CommandOutcome::Done)
}

/// Asks whether messages shall be taken: for many of them, or for more than half of those that there
/// are, by name.
async fn agreed(
    asked: &args::Consume,
    session: &Session,
    queue: &Queue,
    config: &Config,
) -> anyhow::Result<bool> {
    let seen = pulse(&session.store, queue, None).await?;
    let there = seen.target.get();
    let question = format!(
        "Take messages out of {:?} on {} for good? {} are there.",
        String::from_utf8_lossy(&queue.keys().target),
        config.endpoint,
        shape::figure(&seen.target),
    );
    let planned = asked.count.into_iter().chain(there).min();
    let planned = planned.unwrap_or(u64::MAX);
    let protection = protection(config);
    let by_name = match Confirmation::about(planned, there, protection.is_some()) {
        Confirmation::Yes => None,
        Confirmation::Name(NameReason::Protected) => protection,
        Confirmation::Name(NameReason::Many) if planned == u64::MAX => {
            Some("nobody knows how many messages that are".to_owned())
        }
        Confirmation::Name(NameReason::Many) => Some(format!(
            "{} are many",
            text::counted(planned, "message", "messages")
        )),
        Confirmation::Name(NameReason::Half) => Some(format!(
            "{} are more than half of them",
            text::counted(planned, "message", "messages")
        )),
    };
    confirm(
        &question,
        queue,
        by_name.as_deref(),
        "what is taken is gone for good, and there is no terminal to ask on. Give --yes, or \
         --peek to look only.",
    )
}

fn print<W: Write>(
    queue: &Queue,
    element: &ConsumedElement,
    out: &mut Output<W>,
) -> io::Result<()> {
    let decoded = &element.decoded;
    if out.is_json() {
        let mut fields = Map::new();
        fields.insert("at_ms".into(), element.at.get().into());
        shape::name(&mut fields, &queue.name);
        fields.insert("codec".into(), decoded.codec.name().into());
        fields.insert("value".into(), decoded.value.clone());
        fields.insert("text".into(), decoded.text.as_str().into());
        if !is_exact(element) {
            fields.insert("payload_hex".into(), hex::encode(&element.element).into());
        }
        out.json(&Value::Object(fields))?;
    } else {
        let time = times::local(element.at, element.at);
        let cells = [time.as_str(), decoded.codec.name(), &whole(element)];
        out.row(&COLUMNS, &cells)?;
    }
    out.flush()
}

/// Tells whether `value`, written down again, is the element to the byte. Of all others the bytes
/// are told too: what was taken is nowhere else any more.
fn is_exact(element: &ConsumedElement) -> bool {
    let bytes = element.element.as_slice();
    match (element.decoded.codec, &element.decoded.value) {
        (Codec::Text, Value::String(text)) => text.as_bytes() == bytes,
        (codec, value) if codec == Codec::Text || codec.is_json() => {
            value.to_string().as_bytes() == bytes
        }
        _ => false,
    }
}

/// All that an element says, on one line: its `text` is shortened when it is long.
fn whole(element: &ConsumedElement) -> String {
    let decoded = &element.decoded;
    match (decoded.codec, &decoded.value) {
        (Codec::Unknown, _) => hex::encode(&element.element),
        (codec, _) if codec == Codec::Text || codec.is_json() => {
            text::printable_bytes(&element.element)
        }
        (_, Value::String(said)) => text::printable(said).into_owned(),
        (_, value) => text::printable(&value.to_string()).into_owned(),
    }
}
