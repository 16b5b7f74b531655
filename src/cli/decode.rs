//! `decode`: what frames and payloads say, without a server.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use super::Outcome;
use super::bytes::{self, BadBytes};
use super::codec;
use super::output::{Column, Output};
use crate::args::Decode;
use crate::payload::Codec;
use crate::queue::{EntryId, frame, text};

const COLUMNS: [Column; 4] = [
    Column::left("ID", 16),
    Column::left("FORM", 11),
    Column::left("CODEC", 13),
    Column::left("TEXT", 0),
];

/// Decodes each line that was given.
pub(super) fn run<W: Write>(asked: &Decode, out: &mut Output<W>) -> anyhow::Result<Outcome> {
    if asked.list {
        return list(out);
    }
    if !out.is_json() && is_many(asked) {
        out.titles(&COLUMNS)?;
    }
    match (&asked.file, asked.text.as_deref()) {
        (Some(path), _) => {
            let why = || format!("could not open {}", path.display());
            let file = File::open(path).with_context(why)?;
            lines(BufReader::new(file), path, asked, out)
        }
        (None, Some("-")) => lines(io::stdin().lock(), Path::new("-"), asked, out),
        (None, text) => line(text.unwrap_or_default().as_bytes(), asked, out),
    }
}

fn list<W: Write>(out: &mut Output<W>) -> anyhow::Result<Outcome> {
    for codec in Codec::ALL {
        if out.is_json() {
            out.json(&json!({"codec": codec.name()}))?;
        } else {
            out.line(codec.name())?;
        }
    }
    Ok(Outcome::Done)
}

fn lines<W: Write>(
    mut input: impl BufRead,
    from: &Path,
    asked: &Decode,
    out: &mut Output<W>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let why = || format!("could not read {}", from.display());
        if input.read_until(b'\n', &mut bytes).with_context(why)? == 0 {
            return Ok(outcome);
        }
        let content = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if line(content, asked, out)? == Outcome::Partly {
            outcome = Outcome::Partly;
        }
    }
}

fn line<W: Write>(line: &[u8], asked: &Decode, out: &mut Output<W>) -> anyhow::Result<Outcome> {
    match bytes::read(line, asked.encoding) {
        Ok(bytes) => {
            explained(&bytes, asked, out)?;
            Ok(Outcome::Done)
        }
        Err(why) => {
            unexplained(line, &why, asked, out)?;
            Ok(Outcome::Partly)
        }
    }
}

fn explained<W: Write>(bytes: &[u8], asked: &Decode, out: &mut Output<W>) -> anyhow::Result<()> {
    let habit = codec::chosen(asked.codec.as_deref())?;
    let (id, form, payload) = match frame::decode(bytes) {
        Ok(f) => (EntryId(f.id), f.form.word(), f.payload),
        Err(_) => (EntryId::of_bytes(bytes), "none", bytes),
    };
    let decoded = habit.decode(payload);
    if out.is_json() {
        let mut fields = Map::new();
        fields.insert("form".into(), form.into());
        fields.insert("id".into(), id.to_string().into());
        fields.insert("codec".into(), decoded.codec.name().into());
        fields.insert("value".into(), decoded.value);
        fields.insert("text".into(), decoded.text.into());
        fields.insert("error".into(), Value::Null);
        if asked.raw {
            fields.insert("payload_hex".into(), text::hex(payload).into());
        }
        return Ok(out.json(&Value::Object(fields))?);
    }
    let name = decoded.codec.name();
    row(out, asked, &[&id.to_string(), form, name, &decoded.text])?;
    if !is_many(asked) {
        let inner = habit.read(payload).and_then(|reading| reading.inner);
        let inner = inner.map_or(String::new(), |codec| format!(", around {codec}"));
        out.line(&format!(
            "{:8}{}{inner} ({})",
            "why",
            decoded.why,
            decoded.sure.word()
        ))?;
    }
    if asked.raw {
        out.line(&format!("  payload {}", text::hex(payload)))?;
    }
    Ok(())
}

fn unexplained<W: Write>(
    line: &[u8],
    why: &BadBytes,
    asked: &Decode,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        let mut fields = Map::new();
        for name in ["form", "id", "codec", "value", "text"] {
            fields.insert(name.into(), Value::Null);
        }
        fields.insert("error".into(), why.to_string().into());
        if asked.raw {
            fields.insert("payload_hex".into(), Value::Null);
        }
        return out.json(&Value::Object(fields));
    }
    let shown = text::printable_bytes(line);
    let said = format!("! {}: {why}", text::cut(&shown, 40));
    row(out, asked, &["-", "-", "-", &said])
}

/// Whether there may be many inputs.
fn is_many(asked: &Decode) -> bool {
    asked.file.is_some() || asked.text.as_deref() == Some("-")
}

/// Rows for many inputs, lines with their names for one.
fn row<W: Write>(out: &mut Output<W>, asked: &Decode, cells: &[&str; 4]) -> io::Result<()> {
    if is_many(asked) {
        return out.row(&COLUMNS, cells);
    }
    for (column, cell) in COLUMNS.iter().zip(cells) {
        let name = column.title.to_lowercase();
        out.line(&format!("{name:8}{cell}"))?;
    }
    Ok(())
}
