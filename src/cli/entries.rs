//! `entries`: the entries of a queue, one line each, as they are read.

use std::io::{self, Write};

use anyhow::Context as _;
use futures_util::StreamExt as _;
use serde_json::{Map, Value};

use super::bytes::to_hex;
use super::output::{Column, Output};
use super::session::{Session, meant};
use super::{NothingMatched, Outcome, queues, say, shape, times};
use crate::args;
use crate::clock::EpochMillis;
use crate::config::Config;
use crate::ops::entries::{From, Selection, entries};
use crate::ops::refresh::pulse;
use crate::payload::{self, Decoded};
use crate::queue::{Due, Entry, EntryId, Filter, Queue, State, text};

const COLUMNS: [Column; 7] = [
    Column::left("ID", 16),
    Column::left("DUE", 16),
    Column::right("IN", text::COUNTDOWN_WIDTH),
    Column::left("STATE", 9).optional(),
    Column::left("FORM", 11).optional(),
    Column::left("CODEC", 13).optional(),
    Column::left("TEXT", 24),
];
/// What a terminal gets when nobody says how many.
const SCREENFUL: u64 = 100;
/// So many entries are written before they are let be seen.
const TOGETHER: u64 = 64;

/// Prints the entries that were asked for.
pub(super) async fn run<W: Write>(
    asked: &args::Entries,
    config: &Config,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    contradictions(asked)?;
    let ids = asked.ids.iter().map(|id| checked(id));
    let ids = ids.collect::<anyhow::Result<Vec<_>>>()?;
    let filter = filter(asked.grep.as_deref().unwrap_or(""))?;
    let session = Session::open(config).await?;
    let queue = meant(&asked.queue, config);
    let what = || format!("could not read the entries of {:?}", queue.name.text());
    let seen = pulse(&session.store, &queue, None)
        .await
        .with_context(what)?;
    if !queues::is_there(&seen) {
        return Err(queues::no_such(&queue, config));
    }
    let now = session.now();
    let unasked = !asked.all && asked.limit.is_none() && out.is_terminal() && !out.is_json();
    let limit = asked.limit.or(unasked.then_some(SCREENFUL));
    let selection = Selection {
        from: place(asked),
        ids,
        due_before: asked.due_before.map(|when| when.nearest(now)),
        due_after: asked.due_after.map(|when| when.nearest(now)),
        filter,
        limit,
    };
    let mut reading = std::pin::pin!(entries(&session.store, &queue, selection));
    let mut count = 0;
    while let Some(entry) = reading.next().await {
        let entry = entry.with_context(what)?;
        if count == 0 && !out.is_json() {
            out.titles(&COLUMNS)?;
        }
        let now = session.now();
        print(&Shown::new(&queue, &entry), now, asked.raw, out)?;
        count += 1;
        if count % TOGETHER == 0 {
            out.flush()?;
        }
    }
    if count == 0 {
        let name = queue.name.text();
        return Err(NothingMatched(format!("no entry of {name:?} matched.")).into());
    }
    out.flush()?;
    if unasked && count == SCREENFUL {
        say::note("these are the first 100; --all prints all of them, --limit N so many");
    }
    Ok(Outcome::Done)
}

/// What would silently match nothing, or be passed over.
fn contradictions(asked: &args::Entries) -> anyhow::Result<()> {
    let elsewhere = matches!(asked.from, Some(args::From::Delivered | args::From::Order));
    if asked.late && elsewhere {
        anyhow::bail!("--late looks into timeouts, --from elsewhere. Give one of them.");
    }
    let by_time = asked.due_before.is_some() || asked.due_after.is_some();
    if by_time && matches!(asked.from, Some(args::From::Delivered)) {
        anyhow::bail!(
            "what is delivered has no due time any more. Leave out --due-before and --due-after."
        );
    }
    Ok(())
}

/// A filter as it was typed; what is wrong with it is quoted.
pub(super) fn filter(typed: &str) -> anyhow::Result<Filter> {
    Filter::parse(typed).map_err(|bad| {
        let part = &typed[bad.at.clone()];
        anyhow::anyhow!("in the filter {typed:?}, at {part:?}: {bad}")
    })
}

/// An id as it was typed, when it can be one.
fn checked(id: &str) -> anyhow::Result<String> {
    let hex = id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !hex {
        anyhow::bail!(
            "{id:?} is no entry's id. An id has 16 hex digits, such as 9f3c2a7714e08b55."
        );
    }
    Ok(id.to_ascii_lowercase())
}

fn place(asked: &args::Entries) -> From {
    match asked.from {
        _ if asked.late => From::Late,
        None | Some(args::From::Waiting) => From::Waiting,
        Some(args::From::Late) => From::Late,
        Some(args::From::Delivered) => From::Delivered,
        Some(args::From::Order) => From::Order,
    }
}

/// An entry with everything that is told of it.
struct Shown<'a> {
    entry: &'a Entry,
    id: EntryId,
    due: Option<Due>,
    form: &'static str,
    payload: &'a [u8],
    decoded: Decoded,
    error: Option<String>,
}

impl<'a> Shown<'a> {
    fn new(queue: &Queue, entry: &'a Entry) -> Self {
        let member = entry.member.as_slice();
        let plain = || (EntryId::of_bytes(member), "none", member);
        let mut error = None;
        // An element of target has lost its wrapping.
        let (id, form, payload) = match (entry.state, queue.unwrap(member)) {
            (State::Delivered, _) => plain(),
            (_, Ok(inside)) => {
                let form = inside.form.map_or("none", crate::queue::Form::word);
                (inside.id, form, inside.payload)
            }
            (_, Err(why)) => {
                error = Some(why.to_string());
                plain()
            }
        };
        let mut decoded = payload::decode(payload);
        if error.is_some() {
            // What is no frame may look like text all the same; nobody will read it as that.
            decoded = payload::decode_as(payload::Codec::Unknown, payload).unwrap_or(decoded);
        }
        Self {
            entry,
            id,
            due: entry.score.map(|score| queue.due(score)),
            form,
            payload,
            decoded,
            error,
        }
    }

    fn fields(&self, raw: bool) -> Value {
        let mut fields = Map::new();
        fields.insert("id".into(), self.id.to_string().into());
        fields.insert("due_ms".into(), shape::due_ms(self.due));
        shape::score(&mut fields, self.entry.score);
        fields.insert("state".into(), self.entry.state.word().into());
        fields.insert("form".into(), self.form.into());
        fields.insert("codec".into(), self.decoded.codec.name().into());
        fields.insert("value".into(), self.decoded.value.clone());
        fields.insert("text".into(), self.decoded.text.as_str().into());
        if let Some(error) = &self.error {
            fields.insert("error".into(), error.as_str().into());
        }
        if raw {
            fields.insert("frame_hex".into(), to_hex(&self.entry.member).into());
            fields.insert("payload_hex".into(), to_hex(self.payload).into());
        }
        Value::Object(fields)
    }
}

fn print<W: Write>(
    shown: &Shown<'_>,
    now: EpochMillis,
    raw: bool,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        return out.json(&shown.fields(raw));
    }
    let text = match &shown.error {
        Some(why) => format!("! {why}: {}", shown.decoded.text),
        None => shown.decoded.text.clone(),
    };
    let cells = [
        shown.id.to_string(),
        times::due(shown.due, now),
        times::left(shown.due, now),
        shown.entry.state.word().to_owned(),
        shown.form.to_owned(),
        shown.decoded.codec.name().to_owned(),
        text,
    ];
    out.row(&COLUMNS, &cells)?;
    if raw {
        out.line(&format!("  frame    {}", to_hex(&shown.entry.member)))?;
        out.line(&format!("  payload  {}", to_hex(shown.payload)))?;
    }
    Ok(())
}
