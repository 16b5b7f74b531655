//! `trace --probe`: test messages of our own, followed without MONITOR.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use super::super::codec::encoded_like;
use super::super::confirm::{confirm, protection};
use super::super::output::{Column, Output};
use super::super::session::{Session, meant};
use super::super::stop::StopSignal;
use super::super::{CommandOutcome, offer, say, shape};
use super::printed::{dash, signed, time};
use super::summary::{spread_object, spread_words};
use crate::args;
use crate::clock::EpochMillis;
use crate::clock::when::Span;
use crate::config::Config;
use crate::ops::activity::ActivityRecord;
use crate::ops::journal::Journal;
use crate::ops::offer::codec_of;
use crate::ops::trace::probe::{Probe, ProbeFate, ProbedMessage};
use crate::payload::{Codec, PayloadContent};
use crate::queue::{Change, Form, Queue, text};
use crate::store::read::whereabouts;
use crate::trace::figures::Spread;

/// A test message that nothing happens to for so long is taken back: twice the time after which
/// each Redisson client looks by itself.
const PATIENCE: Duration = Duration::from_secs(10);
/// A test message is due after this, unless told otherwise, in ms.
const AFTER_MS: i64 = 1_000;

const COLUMNS: [Column; 7] = [
    Column::left("OFFERED", 12),
    Column::left("ANNOUNCED", 9),
    Column::left("DUE", 12),
    Column::left("ID", 16),
    Column::right("LATE", 9),
    Column::right("IN TARGET", 9),
    Column::left("WHAT BECAME OF IT", 0),
];

/// The figures of all test messages.
#[derive(Default)]
struct ProbeTotals {
    /// The time after which a message was taken back.
    patience: Duration,
    probes: u64,
    late: Spread,
    in_target: Spread,
    not_taken: u64,
    not_transferred: u64,
    out_of_sight: u64,
}

/// Offers so many test messages, one after another, and tells how each fared.
pub(super) async fn run<W: Write>(
    count: u64,
    asked: &args::Trace,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let Some(queue) = &asked.queue else {
        anyhow::bail!(
            "--probe offers test messages to a queue: name it, as in trace orders --probe 5."
        );
    };
    let queue = meant(queue, config);
    let session = Session::open(config).await?.at(&queue).await?;
    let name = queue.name.text().into_owned();
    let what = || format!("could not probe {name:?}");
    let writer = session.store.writer().with_context(what)?;
    let form = offer::form(asked.form, &session, &queue).await;
    let form = form.with_context(what)?;
    let payloads = Payloads::of(asked, &session, &queue)
        .await
        .with_context(what)?;
    if let Err(why) = whereabouts(&session.store, &queue, b"", b"").await {
        let words = why.to_string();
        if words.contains("unknown command") {
            anyhow::bail!(
                "--probe finds its messages by LPOS, which {} does not have: it came with Redis \
                 6.0.6. `trace {name}` follows messages by MONITOR, and --from FILE reads a log.",
                config.endpoint,
            );
        }
        return Err(why).with_context(what);
    }
    let after_ms = asked.after.map_or(AFTER_MS, |span| span.signed_ms().max(0));
    if !asked.yes {
        let messages = text::counted(count, "test message", "test messages");
        let question = format!(
            "Offer {messages} to {name:?} on {}, one after another, each due after {}? Its \
             consumers get them: {}.",
            config.endpoint,
            text::span(after_ms.unsigned_abs()),
            text::cut(&text::printable(&payloads.text("…")), 60),
        );
        let refusal = "its consumers get the test messages, and there is no terminal to ask on. \
                       Give --yes.";
        if !confirm(&question, &queue, protection(config).as_deref(), refusal)? {
            say::note("nothing was offered");
            return Ok(CommandOutcome::Partly);
        }
    }
    let patience = asked.timeout.map_or(PATIENCE, Span::duration);
    let mut stop = StopSignal::listen();
    let journal = Journal::of_user(config.keep_days);
    let noted = ActivityRecord::begin(&journal, &session.store, &queue, Change::Offer, [count, 0]);
    let mut noted = noted.await.with_context(what)?;
    let mut totals = ProbeTotals {
        patience,
        ..ProbeTotals::default()
    };
    let mut ended = Ok(());
    for _ in 0..count {
        let probing = async {
            let payload = payloads.next(form)?;
            let probe = Probe::offer(&writer, &queue, &payload, (form, after_ms), &mut noted);
            let mut probe = probe.await?;
            let (followed, is_stopped) = tokio::select! {
                biased;
                () = stop.asked() => (Ok(()), true),
                followed = probe.follow(patience) => (followed, false),
            };
            // Taken back first, whatever happened.
            let probed = probe.end().await?;
            followed?;
            anyhow::Ok((probed, is_stopped))
        };
        match probing.await {
            Ok((_, true)) => {
                say::note("interrupted: the message that was under way was taken back");
                break;
            }
            Ok((probed, false)) => {
                totals.count(&probed);
                print(&queue, &probed, totals.probes == 1, out)?;
            }
            Err(why) => {
                ended = Err(why);
                break;
            }
        }
    }
    if let Err(why) = noted.end().await {
        say::note(&format!("the journal does not say how this ended: {why}"));
    }
    if totals.probes > 0 {
        totals.print(&queue, out)?;
    }
    ended.with_context(what)?;
    let is_whole = totals.late.count() == count && totals.not_taken == 0;
    Ok(if is_whole {
        CommandOutcome::Done
    } else {
        CommandOutcome::Partly
    })
}

/// The messages, in the codec of the queue.
struct Payloads<'a> {
    asked: Option<&'a str>,
    codec: Codec,
    held: PayloadContent,
}

impl<'a> Payloads<'a> {
    async fn of(asked: &'a args::Trace, session: &Session, queue: &Queue) -> anyhow::Result<Self> {
        let known = codec_of(&session.store, queue).await?;
        let (codec, held) = known.unwrap_or((Codec::Text, PayloadContent::Text));
        Ok(Self {
            asked: asked.payload.as_deref(),
            codec,
            held,
        })
    }

    /// The text of a message with this mark, which tells it from all others.
    fn text(&self, mark: &str) -> String {
        let marked = || format!("delayscope probe {mark}");
        self.asked.map_or_else(marked, str::to_owned)
    }

    fn next(&self, form: Form) -> anyhow::Result<Vec<u8>> {
        let mark = form.fresh_id().context("could not make a random mark")?;
        let text = self.text(&hex::encode(mark));
        encoded_like(self.codec, &self.held, text.as_bytes()).with_context(|| {
            format!(
                "the entries here are of another kind than {text:?}: give --payload one like them"
            )
        })
    }
}

impl ProbeTotals {
    fn count(&mut self, probed: &ProbedMessage) {
        self.probes += 1;
        if let Some(ms) = probed.late_ms() {
            self.late.add(ms.saturating_mul(1_000));
        }
        if let Some(ms) = probed.in_target_ms() {
            self.in_target.add(ms.saturating_mul(1_000));
        }
        match probed.fate {
            ProbeFate::Taken => {}
            ProbeFate::NotTaken => self.not_taken += 1,
            ProbeFate::NotTransferred => self.not_transferred += 1,
            ProbeFate::OutOfSight => self.out_of_sight += 1,
        }
    }

    fn print<W: Write>(&self, queue: &Queue, out: &mut Output<W>) -> io::Result<()> {
        if out.is_json() {
            let mut fields = Map::new();
            fields.insert("event".into(), "summary".into());
            shape::name(&mut fields, &queue.name);
            fields.insert("probes".into(), self.probes.into());
            fields.insert("late_ms".into(), spread_object(&self.late));
            fields.insert("in_target_ms".into(), spread_object(&self.in_target));
            fields.insert("not_taken".into(), self.not_taken.into());
            fields.insert("not_transferred".into(), self.not_transferred.into());
            fields.insert("out_of_sight".into(), self.out_of_sight.into());
            return out.json(&Value::Object(fields));
        }
        let name = text::printable_bytes(queue.name.as_bytes());
        for (spread, what) in [
            (&self.late, "transferred after the due time"),
            (&self.in_target, "in the target list"),
        ] {
            if let Some(words) = spread_words(spread) {
                say::note(&format!("{what}: {words}"));
            }
        }
        let messages = |n| text::counted(n, "message", "messages");
        let waited = u64::try_from(self.patience.as_millis()).unwrap_or(u64::MAX);
        let waited = text::span(waited);
        if self.not_transferred > 0 {
            say::note(&format!(
                "nobody transferred {} within {waited}, so they were deleted; why, says \
                 `delayscope doctor {name}`",
                messages(self.not_transferred),
            ));
        }
        if self.not_taken > 0 {
            say::note(&format!(
                "no consumer took {} within {waited}, so they were taken back",
                messages(self.not_taken),
            ));
        }
        Ok(())
    }
}

fn print<W: Write>(
    queue: &Queue,
    probed: &ProbedMessage,
    is_first: bool,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        out.json(&object(queue, probed))?;
        return out.flush();
    }
    if is_first {
        out.titles(&COLUMNS)?;
    }
    let span = |ms: Option<i64>| ms.map_or_else(dash, |ms| signed(ms.saturating_mul(1_000)));
    let at = |moment: EpochMillis| time(moment.get().checked_mul(1_000));
    let cells = [
        at(probed.offered),
        if probed.is_announced { "yes" } else { "no" }.to_owned(),
        at(probed.due),
        probed.id.to_string(),
        span(probed.late_ms()),
        span(probed.in_target_ms()),
        became(probed),
    ];
    out.row(&COLUMNS, &cells)?;
    out.flush()
}

fn became(probed: &ProbedMessage) -> String {
    match probed.fate {
        ProbeFate::Taken => format!("taken by a consumer (±{} ms)", probed.within_ms),
        ProbeFate::NotTaken => "transferred, taken by nobody; we took it back".to_owned(),
        ProbeFate::NotTransferred => "transferred by nobody; we deleted it".to_owned(),
        ProbeFate::OutOfSight => {
            "transferred; more than 1,000 elements came behind it, so it cannot be seen".to_owned()
        }
    }
}

fn object(queue: &Queue, probed: &ProbedMessage) -> Value {
    let ms = |moment: Option<EpochMillis>| json!(moment.map(EpochMillis::get));
    let mut fields = Map::new();
    fields.insert("event".into(), "probe".into());
    shape::name(&mut fields, &queue.name);
    fields.insert("id".into(), probed.id.to_string().into());
    fields.insert("fate".into(), probed.fate.word().into());
    fields.insert("offered_ms".into(), ms(Some(probed.offered)));
    fields.insert("announced".into(), probed.is_announced.into());
    fields.insert("due_ms".into(), ms(Some(probed.due)));
    fields.insert("transferred_ms".into(), ms(probed.transferred));
    fields.insert("late_ms".into(), json!(probed.late_ms()));
    fields.insert("taken_ms".into(), ms(probed.taken));
    fields.insert("in_target_ms".into(), json!(probed.in_target_ms()));
    fields.insert("within_ms".into(), probed.within_ms.into());
    Value::Object(fields)
}
