//! An entry as a row, or as a line of JSON.

use std::io::{self, Write};

use serde_json::{Map, Value};

use super::output::{Column, Output};
use super::{shape, times};
use crate::clock::EpochMillis;
use crate::payload::{self, DecodedPayload, Habit};
use crate::queue::{Due, Entry, EntryId, Queue, State, text};

/// The columns of an entry's row.
pub(super) const COLUMNS: [Column; 7] = [
    Column::left("ID", 16),
    Column::left("DUE", 16),
    Column::right("IN", text::COUNTDOWN_WIDTH),
    Column::left("STATE", 11).optional(),
    Column::left("FORMAT", 11).optional(),
    Column::left("CODEC", 13).optional(),
    Column::left("TEXT", 24),
];
/// An entry with everything that is told of it.
pub(super) struct EntryRecord<'a> {
    entry: &'a Entry,
    id: EntryId,
    due: Option<Due>,
    form: &'static str,
    payload: &'a [u8],
    decoded: DecodedPayload,
    error: Option<String>,
}

impl<'a> EntryRecord<'a> {
    pub(super) fn new(queue: &Queue, habit: Habit, entry: &'a Entry) -> Self {
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
        let mut decoded = habit.decode(payload);
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

    /// Leaves out the words of the payload, and keeps its length in their place.
    pub(super) fn redacted(mut self) -> Self {
        self.decoded.value = Value::Null;
        let length = u64::try_from(self.payload.len()).unwrap_or(u64::MAX);
        self.decoded.text = format!("({})", text::counted(length, "byte", "bytes"));
        self
    }

    /// Its fields; `raw`: its exact bytes too.
    pub(super) fn fields(self, raw: bool) -> Value {
        let mut fields = Map::new();
        fields.insert("id".into(), self.id.to_string().into());
        fields.insert("due_ms".into(), shape::due_ms(self.due));
        shape::score(&mut fields, self.entry.score);
        fields.insert("state".into(), self.entry.state.word().into());
        fields.insert("form".into(), self.form.into());
        fields.insert("codec".into(), self.decoded.codec.name().into());
        fields.insert("value".into(), self.decoded.value);
        fields.insert("text".into(), self.decoded.text.as_str().into());
        if let Some(error) = &self.error {
            fields.insert("error".into(), error.as_str().into());
        }
        if raw {
            fields.insert("frame_hex".into(), hex::encode(&self.entry.member).into());
            fields.insert("payload_hex".into(), hex::encode(self.payload).into());
        }
        Value::Object(fields)
    }
}

/// Prints it; `raw`: its exact bytes too, as hex.
pub(super) fn print<W: Write>(
    shown: EntryRecord<'_>,
    now: EpochMillis,
    raw: bool,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        return out.json(&shown.fields(raw));
    }
    let text = match &shown.error {
        Some(why) => format!("! {why}: {}", shown.decoded.text),
        None => shown.decoded.text,
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
        out.line(&format!("  frame    {}", hex::encode(&shown.entry.member)))?;
        out.line(&format!("  payload  {}", hex::encode(shown.payload)))?;
    }
    Ok(())
}
