//! `decode`: what frames and payloads say, without a server.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use super::CommandOutcome;
use super::bytes;
use super::codec;
use super::monitor::{self, MonitoredCommand};
use super::output::{Column, Output};
use crate::args::{Decode, Encoding};
use crate::payload::{Certainty, Codec};
use crate::queue::{EntryId, frame, text};

const COLUMNS: [Column; 4] = [
    Column::left("ID", 16),
    Column::left("FORMAT", 11),
    Column::left("CODEC", 13),
    Column::left("TEXT", 0),
];

/// Decodes each line that was given.
pub(super) fn run<W: Write>(asked: &Decode, out: &mut Output<W>) -> anyhow::Result<CommandOutcome> {
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
        (None, Some(text)) if is_many(asked) => lines(text.as_bytes(), Path::new("-"), asked, out),
        (None, text) => line(text.unwrap_or_default().as_bytes(), asked, out),
    }
}

fn list<W: Write>(out: &mut Output<W>) -> anyhow::Result<CommandOutcome> {
    for codec in Codec::ALL {
        if out.is_json() {
            out.json(&json!({"codec": codec.name()}))?;
        } else {
            out.line(codec.name())?;
        }
    }
    Ok(CommandOutcome::Done)
}

fn lines<W: Write>(
    mut input: impl BufRead,
    from: &Path,
    asked: &Decode,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let mut outcome = CommandOutcome::Done;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let why = || format!("could not read {}", from.display());
        // Hexadecimal digits are twice the bytes.
        let read = super::input::line(&mut input, &mut bytes, 2 * super::input::MOST_LINE_BYTES);
        if read.with_context(why)? == 0 {
            return Ok(outcome);
        }
        let content = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if line(content, asked, out)? == CommandOutcome::Partly {
            outcome = CommandOutcome::Partly;
        }
    }
}

fn line<W: Write>(
    line: &[u8],
    asked: &Decode,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    if let Some(command) = command(line, asked.encoding) {
        return sent(&command, line, asked, out);
    }
    match bytes::read(line, asked.encoding) {
        Ok(bytes) => {
            explained(&bytes, None, asked, out)?;
            Ok(CommandOutcome::Done)
        }
        Err(why) => {
            unexplained(line, &why.to_string(), asked, out)?;
            Ok(CommandOutcome::Partly)
        }
    }
}

/// The command of a line of MONITOR's, where a line may be one.
fn command(line: &[u8], encoding: Encoding) -> Option<MonitoredCommand> {
    let may_be_one = matches!(encoding, Encoding::Auto | Encoding::Escaped);
    may_be_one.then(|| monitor::read(line)).flatten()
}

/// Prints what a command was told: the values that it takes, or where that cannot be told, those of
/// its arguments that are frames or that a codec has left its mark on. Of many lines those without
/// any are left out.
fn sent<W: Write>(
    command: &MonitoredCommand,
    line: &[u8],
    asked: &Decode,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    let habit = codec::chosen(asked.codec.as_deref())?;
    let stands_out = |at: &usize| {
        let bytes = &command.arguments[*at];
        let is_payload = || {
            let decoded = habit.decode(bytes);
            decoded.codec != Codec::Text && decoded.sure >= Certainty::Exact
        };
        frame::decode(bytes).is_ok() || is_payload()
    };
    let places = command.values().unwrap_or_else(|| {
        let all = 0..command.arguments.len();
        all.filter(stands_out).collect()
    });
    for at in &places {
        let from = Some((&*command.name, at + 1));
        explained(&command.arguments[*at], from, asked, out)?;
    }
    if !places.is_empty() || is_many(asked) {
        return Ok(CommandOutcome::Done);
    }
    let name = text::printable(&command.name);
    let why = format!("no argument of {name} looks like a frame or a payload");
    unexplained(line, &why, asked, out)?;
    Ok(CommandOutcome::Partly)
}

/// Prints what these bytes say; `from` is the command that they were sent with, and which of its
/// arguments they are.
fn explained<W: Write>(
    bytes: &[u8],
    from: Option<(&str, usize)>,
    asked: &Decode,
    out: &mut Output<W>,
) -> anyhow::Result<()> {
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
            fields.insert("payload_hex".into(), hex::encode(payload).into());
        }
        if let Some((command, at)) = from {
            fields.insert("command".into(), command.into());
            fields.insert("argument".into(), at.into());
        }
        return Ok(out.json(&Value::Object(fields))?);
    }
    let name = decoded.codec.name();
    let command = from.map(|(command, at)| (text::printable(command), at));
    let said = match &command {
        Some((command, at)) if is_many(asked) => format!("{command}[{at}] {}", decoded.text),
        _ => decoded.text,
    };
    if let Some((command, at)) = command.filter(|_| !is_many(asked)) {
        out.line(&format!("{:8}{command}, argument {at}", "from"))?;
    }
    row(out, asked, &[&id.to_string(), form, name, &said])?;
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
        out.line(&format!("  payload {}", hex::encode(payload)))?;
    }
    Ok(())
}

fn unexplained<W: Write>(
    line: &[u8],
    why: &str,
    asked: &Decode,
    out: &mut Output<W>,
) -> io::Result<()> {
    if out.is_json() {
        let mut fields = Map::new();
        for name in ["form", "id", "codec", "value", "text"] {
            fields.insert(name.into(), Value::Null);
        }
        fields.insert("error".into(), why.into());
        if asked.raw {
            fields.insert("payload_hex".into(), Value::Null);
        }
        return out.json(&Value::Object(fields));
    }
    let shown = text::printable_bytes(line);
    let said = format!("! {}: {why}", text::cut(&shown, 40));
    row(out, asked, &["-", "-", "-", &said])
}

/// Tells whether there may be many inputs.
fn is_many(asked: &Decode) -> bool {
    asked.file.is_some()
        || asked
            .text
            .as_deref()
            .is_some_and(|text| text == "-" || is_list(text, asked.encoding))
}

/// Tells whether an argument is several lines as redis-cli prints them: of a list, of MONITOR.
fn is_list(text: &str, encoding: Encoding) -> bool {
    let is_printed = |line: &str| {
        command(line.as_bytes(), encoding).is_some() || bytes::unnumbered(line).len() < line.len()
    };
    let mut lines = text.trim_end().lines();
    matches!(encoding, Encoding::Auto | Encoding::Escaped)
        && text.trim_end().contains('\n')
        && lines.all(is_printed)
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
