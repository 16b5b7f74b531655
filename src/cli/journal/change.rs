//! `journal ID`: one change, entry by entry, as it is read.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{fields, limit, line, queue_text, state};
use crate::args;
use crate::cli::output::{Column, Output};
use crate::cli::{CommandOutcome, say, shape, times};
use crate::clock::{EpochMillis, local_now};
use crate::ops::journal::{Item, ItemResult, Journal, JournalledChange};
use crate::payload;
use crate::queue::{self, Due, Queue, State, text};

const COLUMNS: [Column; 6] = [
    Column::left("ID", 16),
    Column::left("DUE", 16),
    Column::left("STATE", 11).optional(),
    Column::left("OUTCOME", 11),
    Column::left("THEN DUE", 16).optional(),
    Column::left("TEXT", 24),
];

/// A change, and how its entries are to be shown.
struct ShownChange {
    kept: JournalledChange,
    /// The queue; none when this version cannot tell what was written down.
    queue: Option<Queue>,
    now: EpochMillis,
    raw: bool,
}

/// Shows a change.
pub(super) async fn run<W: Write>(
    id: &str,
    asked: &args::Journal,
    journal: &Journal,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let kept = journal.find(id).await?;
    let items = journal.read(&kept.id).await?;
    let shown = ShownChange {
        queue: Queue::typed(&kept.head.queue).ok(),
        kept,
        now: local_now(),
        raw: asked.raw,
    };
    shown.head(out)?;
    let mut left = limit(asked, out);
    if !out.is_json() && items.count() > 0 {
        out.line("")?;
        out.titles(&COLUMNS)?;
    }
    for n in 0..items.parts() {
        if left == 0 {
            break;
        }
        for (item, happened) in items.part(n).await?.into_iter().take(left) {
            shown.entry(&item, happened.as_ref(), out)?;
            left -= 1;
        }
        out.flush()?;
    }
    if left == 0 && asked.limit.is_none() && items.count() > super::SCREENFUL {
        say::note("these are the first 100 entries; --limit N prints so many");
    }
    if items.unread() > 0 && !shown.kept.under_way {
        say::note(&format!(
            "the last {} bytes of the file were torn and cannot be read",
            text::thousands(items.unread())
        ));
    }
    Ok(CommandOutcome::Done)
}

impl ShownChange {
    fn head<W: Write>(&self, out: &mut Output<W>) -> io::Result<()> {
        let kept = &self.kept;
        if out.is_json() {
            return out.json(&Value::Object(fields(kept)));
        }
        let head = &kept.head;
        let (change, queue) = (head.change.label(), queue_text(kept));
        line(out, "id", &kept.id)?;
        line(
            out,
            "change",
            &format!("{change} of {queue} on {}", head.server.server),
        )?;
        line(out, "at", &times::local(kept.at, self.now))?;
        line(out, "by", &kept.who)?;
        let planned = text::counted(head.planned, "entry", "entries");
        match head.bound {
            None => line(out, "planned", &planned)?,
            Some(bound) => {
                let until = times::local(bound, self.now);
                line(out, "planned", &format!("{planned}: all due until {until}"))?;
            }
        }
        let done = kept.ended.map(|tally| tally.get(queue::Outcome::Done));
        if let Some(done) = done {
            line(out, "done", &text::thousands(done))?;
        }
        line(out, "ended", &state(kept))?;
        if let Some(undone) = &head.undoes {
            line(out, "undoes", undone)?;
        }
        if kept.undone_by.is_none() && done != Some(0) && head.change.can_be_undone() {
            line(out, "to undo", &format!("delayscope undo {}", kept.id))?;
        }
        Ok(())
    }

    fn entry<W: Write>(
        &self,
        item: &Item,
        happened: Option<&ItemResult>,
        out: &mut Output<W>,
    ) -> io::Result<()> {
        if out.is_json() {
            return out.json(&self.entry_fields(item, happened));
        }
        let due = |score: Option<f64>| times::due(self.due(score), self.now);
        let outcome = self.outcome(happened).map_or("-", queue::Outcome::of_one);
        let text = self
            .payload(item)
            .map(|payload| payload::decode(payload).text);
        let cells = [
            item.id.to_string(),
            due(item.score),
            item.state.word().to_owned(),
            outcome.to_owned(),
            due(item.new_score),
            text.unwrap_or_else(|| "-".to_owned()),
        ];
        out.row(&COLUMNS, &cells)?;
        let bytes = [("frame", &item.member), ("then", &item.new_member)];
        for (what, bytes) in bytes.into_iter().filter(|_| self.raw) {
            if let Some(bytes) = bytes {
                out.line(&format!("  {what:7}{}", hex::encode(bytes)))?;
            }
        }
        Ok(())
    }

    fn entry_fields(&self, item: &Item, happened: Option<&ItemResult>) -> Value {
        let mut fields = Map::new();
        fields.insert("id".into(), item.id.to_string().into());
        fields.insert("due_ms".into(), shape::due_ms(self.due(item.score)));
        shape::score(&mut fields, item.score);
        fields.insert("state".into(), item.state.word().into());
        let form = self.form(item).map_or("none", queue::Form::word);
        fields.insert("form".into(), form.into());
        let outcome = self.outcome(happened).map(queue::Outcome::word);
        fields.insert("outcome".into(), json!(outcome));
        let new_due = shape::due_ms(self.due(item.new_score));
        fields.insert("new_due_ms".into(), new_due);
        let decoded = self.payload(item).map(payload::decode);
        let (codec, value, text) = match decoded {
            None => (Value::Null, Value::Null, Value::Null),
            Some(d) => (d.codec.name().into(), d.value, d.text.into()),
        };
        fields.insert("codec".into(), codec);
        fields.insert("value".into(), value);
        fields.insert("text".into(), text);
        let sha1 = item.hash.map(hex::encode);
        fields.insert("payload_sha1".into(), json!(sha1));
        if self.raw {
            let hex = |bytes: &Option<Vec<u8>>| json!(bytes.as_deref().map(hex::encode));
            fields.insert("frame_hex".into(), hex(&item.member));
            fields.insert("new_frame_hex".into(), hex(&item.new_member));
        }
        Value::Object(fields)
    }

    /// The outcome of an entry. Of one that nothing was written of behind its intent: unknown when
    /// the change died, and nothing yet while it is under way.
    fn outcome(&self, happened: Option<&ItemResult>) -> Option<queue::Outcome> {
        let died = self.kept.ended.is_none() && !self.kept.under_way;
        let told = happened.map(|happened| happened.outcome);
        told.or(died.then_some(queue::Outcome::Unknown))
    }

    fn due(&self, score: Option<f64>) -> Option<Due> {
        Some(self.queue.as_ref()?.due(score?))
    }

    fn form(&self, item: &Item) -> Option<queue::Form> {
        let member = item
            .member
            .as_ref()
            .filter(|_| item.state != State::Delivered);
        let read = || self.queue.as_ref()?.unwrap(member?).ok()?.form;
        item.form.or_else(read)
    }

    /// The message itself, where it was written down: before the change, else afterwards.
    fn payload<'a>(&self, item: &'a Item) -> Option<&'a [u8]> {
        let member = item.member.as_ref().or(item.new_member.as_ref())?;
        let framed = item.state != State::Delivered || item.member.is_none();
        let inside = self.queue.as_ref().filter(|_| framed);
        let inside = inside.and_then(|queue| queue.unwrap(member).ok());
        Some(inside.map_or(member.as_slice(), |inside| inside.payload))
    }
}
