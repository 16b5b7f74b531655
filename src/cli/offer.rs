//! `offer`: new messages, as a Redisson client offers them.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail};
use serde_json::{Value, json};

use super::change::{self, SummaryFigures, entry};
use super::codec::{class, encoded_as, encoded_like, named};
use super::confirm::{ask, can_ask, confirm, protection};
use super::messages::Messages;
use super::output::Output;
use super::session::{Session, meant};
use super::stop::StopSignal;
use super::{CommandOutcome, say, times};
use crate::args;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::ops::activity::ActivityRecord;
use crate::ops::journal::{Journal, JournalError};
use crate::ops::offer::{OfferOutcome, StoppedOffer, codec_of, form_of, offer_noted};
use crate::payload::{Codec, EncodeError, PayloadContent};
use crate::queue::asks::MOST_ENTRIES_FOR_A_YES;
use crate::queue::{Change, Form, Outcome as Became, Queue, Tally, text};
use crate::store::StoreError;
use crate::store::write::{MOST_OFFERED, Writer};

/// Columns of a message in a sentence about it.
const SAID: usize = 40;

/// The reason why a `zset-list` queue refuses a message.
const EQUAL_WAITS: &str = "an equal message waits already; it keeps its due time";

/// Offers what was given.
pub(super) async fn run<W: Write>(
    asked: &args::Offer,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let codec = asked.codec.as_deref().map(named).transpose()?;
    let class = asked.kind.as_deref().map(class).transpose()?;
    let queue = meant(&asked.queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let what = || format!("could not offer to {:?}", queue.name.text());
    let writer = session.store.writer().with_context(what)?;
    let form = form(asked.form, &session, &queue)
        .await
        .with_context(what)?;
    let (codec, held) = match codec {
        Some(codec) => (codec, PayloadContent::Text),
        None => codec_of(&session.store, &queue)
            .await
            .with_context(what)?
            .unwrap_or((Codec::Text, PayloadContent::Text)),
    };
    if !asked.dry_run && !asked.yes && !agreed(asked, &queue, config)? {
        say::note("nothing was offered");
        return Ok(CommandOutcome::Partly);
    }
    let mut offering = OfferCommand {
        asked,
        session: &session,
        writer,
        queue: queue.clone(),
        form,
        codec,
        class,
        held,
        began: instant(),
        totals: OfferTotals::default(),
        journal: Journal::of_user(config.keep_days),
        noted: None,
        journal_id: None,
    };
    let ended = offering.all(out).await.with_context(what);
    if let Some(Err(why)) = offering.close().await {
        say::note(&format!("the journal does not say how this ended: {why}"));
    }
    match ended {
        Ok(()) => offering.summary(out),
        Err(why) => {
            // What is in is told, also when the rest cannot be read.
            if offering.totals.touched() {
                offering.summary(out)?;
            }
            Err(why)
        }
    }
}

/// Asks whether so many shall be offered, where there is somebody to be asked. Up to as many as other
/// changes ask the name for, the command is its own question, as the form on the screen is.
fn agreed(asked: &args::Offer, queue: &Queue, config: &Config) -> anyhow::Result<bool> {
    if asked.count <= MOST_ENTRIES_FOR_A_YES || !can_ask() {
        return Ok(true);
    }
    let count = text::thousands(asked.count);
    let question = format!(
        "Offer {count} messages to {:?} on {}?",
        queue.name.text(),
        config.endpoint
    );
    let by_name = protection(config).unwrap_or_else(|| format!("{count} messages are many"));
    confirm(&question, queue, Some(&by_name), "")
}

/// The frame form: as asked, else as the queue's entries or clients have it, else as answered.
pub(super) async fn form(
    asked: Option<Form>,
    session: &Session,
    queue: &Queue,
) -> anyhow::Result<Form> {
    if !queue.has_frames() {
        return Ok(Form::ByteId);
    }
    match (asked, form_of(&session.store, queue).await?) {
        (Some(asked), Some(known)) if asked != known => {
            let name = text::printable_bytes(queue.name.as_bytes());
            say::note(&format!(
                "the format of {name} is {known} so far. Clients that read it cannot read {asked}: \
                 such an entry blocks the queue"
            ));
            return Ok(asked);
        }
        (Some(form), _) | (None, Some(form)) => return Ok(form),
        (None, None) => {}
    }
    let answer = ask(
        "Nothing here tells which format the queue's clients read.\n\
         byte-id: Redisson 3.21.1 and later; double-id: up to 3.21.0. Format [byte-id]: ",
        "nothing here tells which format the queue's clients read. Give --form byte-id for \
         Redisson 3.21.1 and later, --form double-id for older ones.",
    )?;
    match answer.as_str() {
        "" => Ok(Form::ByteId),
        word => match Form::from_word(word) {
            Some(form) => Ok(form),
            None => bail!("{word:?} is no format of a frame. Nothing was offered."),
        },
    }
}

#[derive(Default)]
struct OfferTotals {
    planned: u64,
    done: u64,
    refused: u64,
    unknown: u64,
    left: u64,
    head: bool,
    unannounced: Option<String>,
    /// When the last batch was offered, and for when.
    due: Option<(EpochMillis, EpochMillis)>,
    longest: Duration,
    stopped: Option<StoreError>,
    /// We were asked to end before the last message.
    interrupted: bool,
}

impl OfferTotals {
    /// Tells whether anything was done, or may have been.
    const fn touched(&self) -> bool {
        self.done + self.refused + self.unknown > 0
    }
}

/// The next messages, read where waiting for them keeps nothing else.
async fn next_batch(mut messages: Messages) -> anyhow::Result<(Messages, Option<Vec<Vec<u8>>>)> {
    let reading = tokio::task::spawn_blocking(move || {
        let batch = messages.next_batch(MOST_OFFERED);
        batch.map(|batch| (messages, batch))
    });
    reading.await.context("could not read the messages")?
}

struct OfferCommand<'a> {
    asked: &'a args::Offer,
    session: &'a Session,
    writer: Writer,
    queue: Queue,
    form: Form,
    codec: Codec,
    /// The type that was asked for.
    class: Option<&'static str>,
    /// The content that all of the queue's payloads have, as far as that is known.
    held: PayloadContent,
    began: Instant,
    totals: OfferTotals,
    journal: Journal,
    /// Its record in the journal, from the first batch on.
    noted: Option<ActivityRecord>,
    journal_id: Option<String>,
}

impl OfferCommand<'_> {
    /// A message, of the type that was asked for, else of the type of all others.
    fn encoded(&self, message: &[u8]) -> anyhow::Result<Vec<u8>> {
        if let Some(class) = self.class {
            return encoded_as(self.codec, class, message);
        }
        let payload = encoded_like(self.codec, &self.held, message);
        let kind = match &self.held {
            PayloadContent::Text => return payload,
            PayloadContent::Scalar(class) => format!("values of {class}"),
            PayloadContent::Other(Some(class)) => format!("objects of {class}"),
            PayloadContent::Other(None) => "objects".to_owned(),
            PayloadContent::Json(Value::Array(_)) => "JSON lists".to_owned(),
            PayloadContent::Json(_) => "JSON objects".to_owned(),
        };
        let codec = self.codec;
        payload.map_err(|why| {
            let is_no_json = matches!(why.downcast_ref(), Some(EncodeError::NoJson(_)));
            if is_no_json {
                let said = String::from_utf8_lossy(message);
                let said = text::cut(&said, SAID);
                return anyhow!(
                    "{said:?} is not JSON, and this queue holds {kind}. Send JSON, or add --codec \
                     {codec} to send it as a string."
                );
            }
            why.context(format!(
                "this queue holds {kind}; --codec {codec} sends a string all the same"
            ))
        })
    }

    /// Offers the messages as they come, batch by batch.
    async fn all<W: Write>(&mut self, out: &mut Output<W>) -> anyhow::Result<()> {
        let mut stop = StopSignal::listen();
        let mut messages = Messages::open(self.asked)?;
        while !messages.at_end() {
            let left = messages.left();
            let batch;
            (messages, batch) = tokio::select! {
                biased;
                () = stop.asked() => {
                    self.interrupted(left);
                    break;
                }
                read = next_batch(messages) => read?,
            };
            let Some(batch) = batch else { break };
            let payloads: Vec<Vec<u8>> = batch
                .iter()
                .map(|message| self.encoded(message))
                .collect::<anyhow::Result<_>>()?;
            self.totals.planned += payloads.len() as u64;
            let now = self.session.now();
            let due = self.due(now);
            self.totals.due = Some((now, due));
            if self.asked.dry_run {
                self.would_be_taken(due)?;
                // They are like the one that was encoded.
                self.totals.planned += messages.skip_copies();
                continue;
            }
            let mut noted = self.noted(&payloads).await?;
            let messages = payloads.iter().map(|payload| (due, payload.as_slice()));
            let sent =
                offer_noted(&self.writer, &self.queue, messages, self.form, &mut noted).await;
            self.noted = Some(noted);
            match sent {
                Ok(offered) => self.count(offered, out)?,
                Err(why) if !self.totals.touched() => return Err(why.into()),
                Err(why) => self.stopped(StoppedOffer {
                    unknown: 0,
                    left: payloads.len(),
                    why,
                }),
            }
            if self.totals.stopped.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Refuses a due time that cannot be offered: a dry run says so as the server's writer would.
    fn would_be_taken(&self, due: EpochMillis) -> Result<(), StoreError> {
        self.writer.check_due(&self.queue, due)
    }

    /// Its record in the journal; begun with the first batch.
    async fn noted(&mut self, first: &[Vec<u8>]) -> Result<ActivityRecord, JournalError> {
        if let Some(noted) = self.noted.take() {
            return Ok(noted);
        }
        // Of lines nobody knows how many will come.
        let lines = self.asked.text.as_deref() == Some("-");
        let count = if lines { 0 } else { self.asked.count };
        let each = first.first().map_or(0, Vec::len) as u64;
        let size = [count, count.saturating_mul(each)];
        let store = &self.session.store;
        let noted =
            ActivityRecord::begin(&self.journal, store, &self.queue, Change::Offer, size).await?;
        self.journal_id = Some(noted.id().to_owned());
        Ok(noted)
    }

    /// Nothing more is offered.
    async fn close(&mut self) -> Option<Result<(), JournalError>> {
        Some(self.noted.take()?.end().await)
    }

    /// We were asked to end, with so many messages known and not offered.
    fn interrupted(&mut self, left: u64) {
        self.totals.interrupted = true;
        self.totals.planned += left;
        if !self.asked.dry_run {
            self.totals.left = left;
        }
    }

    fn due(&self, now: EpochMillis) -> EpochMillis {
        match (self.asked.after, self.asked.at) {
            (Some(span), _) => now.plus(span.signed_ms()),
            (None, Some(when)) => when.next(now),
            (None, None) => now,
        }
    }

    fn count<W: Write>(
        &mut self,
        offered: OfferOutcome,
        out: &mut Output<W>,
    ) -> anyhow::Result<()> {
        self.totals.done += offered.ids.len() as u64;
        self.totals.refused += offered.refused.len() as u64;
        self.totals.head |= offered.head;
        self.totals.longest = self.totals.longest.max(offered.longest);
        if self.asked.each {
            for id in offered.ids {
                entry(&id.to_string(), Became::Done, None, out)?;
            }
        }
        for id in offered.refused {
            entry(&id.to_string(), Became::Refused, Some(EQUAL_WAITS), out)?;
        }
        if offered.unannounced.is_some() {
            self.totals.unannounced = offered.unannounced;
        }
        if let Some(stopped) = offered.stopped {
            self.stopped(stopped);
        }
        Ok(())
    }

    fn stopped(&mut self, stopped: StoppedOffer) {
        self.totals.unknown = stopped.unknown as u64;
        self.totals.left = stopped.left as u64;
        self.totals.stopped = Some(stopped.why);
    }

    fn summary<W: Write>(&self, out: &mut Output<W>) -> anyhow::Result<CommandOutcome> {
        let totals = &self.totals;
        if out.is_json() {
            out.json(&self.summary_fields())?;
        } else {
            out.line(&self.summary_line())?;
        }
        out.flush()?;
        if let Some(words) = &totals.unannounced {
            say::note(&format!(
                "the server refused to announce the new head ({words}); clients learn \
                 of it late"
            ));
        }
        if let Some(why) = &totals.stopped {
            say::note(&format!("stopped: {why}"));
        }
        if totals.interrupted {
            say::note("interrupted: what had not been read by then was not offered");
        } else if totals.planned == 0 {
            say::note("there was nothing to offer");
        }
        let all = totals.planned > 0
            && !totals.interrupted
            && (self.asked.dry_run || totals.done == totals.planned);
        Ok(if all {
            CommandOutcome::Done
        } else {
            CommandOutcome::Partly
        })
    }

    fn summary_fields(&self) -> Value {
        let totals = &self.totals;
        let framed = self.queue.has_frames();
        let mut tally = Tally::default();
        tally.add(Became::Done, totals.done);
        tally.add(Became::Refused, totals.refused);
        tally.add(Became::Unknown, totals.unknown);
        tally.add(Became::Left, totals.left);
        let mut fields = change::fields(&SummaryFigures {
            dry_run: self.asked.dry_run,
            planned: totals.planned,
            tally,
            journal_id: self.journal_id.as_deref(),
            elapsed: instant().saturating_duration_since(self.began),
            longest: totals.longest,
            ..SummaryFigures::of(Change::Offer, &self.queue)
        });
        for (name, value) in [
            ("due_ms", json!(totals.due.map(|(_, due)| due.get()))),
            (
                "form",
                json!(if framed { self.form.word() } else { "none" }),
            ),
            ("codec", json!(self.codec.name())),
            ("head", json!(totals.head)),
        ] {
            fields.insert(name.into(), value);
        }
        Value::Object(fields)
    }

    fn summary_line(&self) -> String {
        let totals = &self.totals;
        let name = text::printable_bytes(self.queue.name.as_bytes());
        let (verb, count) = if self.asked.dry_run {
            ("would offer", totals.planned)
        } else {
            ("offered", totals.done)
        };
        let noun = if count == 1 { "message" } else { "messages" };
        let due = totals.due.map_or_else(String::new, |(now, due)| {
            let left = match due.since(now) {
                ..1 => "now".to_owned(),
                left => format!("in {}", text::age(left)),
            };
            format!(", due {} ({left})", times::local(due, now))
        });
        let form = if self.queue.has_frames() {
            format!("format {}, ", self.form.word())
        } else {
            String::new()
        };
        let mut line = format!(
            "{verb} {} {noun} to {name} ({form}codec {}){due}",
            text::thousands(count),
            self.codec.name()
        );
        for (count, word) in [
            (totals.refused, "refused"),
            (totals.unknown, "with unknown outcome"),
            (totals.left, "left"),
        ] {
            if count > 0 {
                line.extend([", ", &text::thousands(count), " ", word]);
            }
        }
        if totals.head {
            line.push_str("; it is the new head");
        }
        line
    }
}
