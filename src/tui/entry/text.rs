//! The lines of an opened entry: how many columns and rows they have, and what stands in them.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::Value;

use super::{EntryView, Face, Piece, TextLayout};
use crate::payload::Codec;
use crate::queue::text;
use crate::tui::entries::EntryRow;

/// Lines of facts above the text, with the blank below them.
pub const FACTS: u16 = 5;

/// A text face never lays out more than this, in bytes: the hex face shows all.
const MOST_BYTES_LAID_OUT: usize = 4 * 1024 * 1024;

/// The content of a face.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Body {
    /// Lines of text.
    Text(Arc<Vec<Piece>>),
    /// The tree.
    Tree,
    /// The bytes: asked for, or nothing explains them.
    Hex,
}

/// The division of the room of an opened entry.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct EntryRoom {
    /// Columns of the facts, and of bytes that stand alone.
    pub columns: u16,
    /// Rows of facts.
    pub facts: u16,
    /// Rows of text below them.
    pub rows: u16,
    /// Columns of the text.
    pub text: u16,
    /// Columns of the bytes beside the text; 0 where there is no room for both, or the text says all.
    pub beside: u16,
}

/// Divides the room of an opened entry: so many columns and rows. Bytes that are `plain` text have no
/// room beside it.
#[must_use]
pub fn plan((w, h): (u16, u16), compact: bool, plain: bool) -> EntryRoom {
    let columns = w.saturating_sub(2);
    let facts = if compact || h < FACTS + 3 { 0 } else { FACTS };
    let beside = match columns {
        _ if plain => 0,
        ..110 => 0,
        110..160 => 46,
        _ => 78,
    };
    EntryRoom {
        columns,
        facts,
        rows: h - facts,
        text: columns - beside - 2 * u16::from(beside > 0),
        beside,
    }
}

/// Tells whether the payload itself is text: its bytes say no more than that.
#[must_use]
pub fn is_plain(row: &EntryRow) -> bool {
    use Codec::{Json, Json3, Text, TypedJson};
    let said = row.content.as_ref();
    said.is_ok_and(|said| matches!(said.codec, Text | Json | Json3 | TypedJson))
}

/// The last line that an opened entry can be scrolled to; 0 when all of it is in sight.
#[must_use]
pub fn last(view: &EntryView, plan: EntryRoom) -> usize {
    let bytes = view.row.member.len();
    let lines = match body(view, plan.text) {
        Body::Hex => bytes.div_ceil(bytes_a_line(plan.columns)),
        Body::Tree => view.tree.as_ref().map_or(0, |tree| tree.shown.len()),
        Body::Text(lines) if plan.beside == 0 => lines.len(),
        Body::Text(lines) => lines.len().max(bytes.div_ceil(bytes_a_line(plan.beside))),
    };
    lines.saturating_sub(usize::from(plan.rows))
}

/// Bytes a hex line shows in `columns`: 16, or 8 where that is too wide, or 4.
#[must_use]
pub const fn bytes_a_line(columns: u16) -> usize {
    match columns {
        ..44 => 4,
        44..78 => 8,
        _ => 16,
    }
}

/// Returns the content of the face of `view` in `columns`.
#[must_use]
pub fn body(view: &EntryView, columns: u16) -> Body {
    match view.face {
        Face::Hex => Body::Hex,
        Face::Tree if view.tree.is_some() => Body::Tree,
        Face::Raw => match &view.laid {
            Some(laid) if laid.raw && laid.columns == columns => {
                laid.lines.clone().map_or(Body::Hex, Body::Text)
            }
            _ => Body::Text(raw(&view.row, columns)),
        },
        Face::Tree | Face::Text => match &view.laid {
            Some(laid) if !laid.raw && laid.columns == columns => {
                laid.lines.clone().map_or(Body::Hex, Body::Text)
            }
            _ => decoded(&view.row, columns, MOST_BYTES_LAID_OUT),
        },
    }
}

/// The text of `row` in lines of `columns`, decoded or raw.
#[must_use]
pub fn lay_out(row: &EntryRow, columns: u16, is_raw: bool) -> TextLayout {
    let body = if is_raw {
        Body::Text(raw(row, columns))
    } else {
        decoded(row, columns, MOST_BYTES_LAID_OUT)
    };
    let lines = match body {
        Body::Text(lines) => Some(lines),
        Body::Tree | Body::Hex => None,
    };
    TextLayout {
        columns,
        raw: is_raw,
        lines,
    }
}

/// The payload as it lies, in lines of `columns`.
fn raw(row: &EntryRow, columns: u16) -> Arc<Vec<Piece>> {
    let bytes = row.payload();
    let mut lines = Vec::new();
    let shown = &bytes[..bytes.len().min(MOST_BYTES_LAID_OUT)];
    fold(
        &text::printable_bytes(shown),
        usize::from(columns),
        &mut lines,
    );
    Arc::new(lines)
}

/// The decoded payload as lines of `columns`, JSON with a line a field; no more than about `most`
/// bytes of it, however large it is.
#[must_use]
pub fn decoded(row: &EntryRow, columns: u16, most: usize) -> Body {
    let Ok(decoded) = &row.content else {
        return Body::Hex;
    };
    if decoded.codec == Codec::Unknown {
        return Body::Hex;
    }
    let mut out = BoundedText {
        bytes: Vec::new(),
        most,
    };
    let whole = match &decoded.value {
        Value::Object(_) | Value::Array(_) => {
            serde_json::to_writer_pretty(&mut out, &decoded.value).is_ok()
        }
        Value::String(s) => out.write_all(s.as_bytes()).is_ok(),
        _ => out.write_all(decoded.text.as_bytes()).is_ok(),
    };
    // Cut within a character, the rest of it goes too.
    let text = out.bytes.utf8_chunks().next().map_or("", |c| c.valid());
    let mut lines = Vec::new();
    for line in text.lines() {
        fold(line, usize::from(columns), &mut lines);
    }
    if !whole {
        lines.push(Piece {
            text: "There is more: the bytes show all of it.".to_owned(),
            joined: false,
        });
    }
    Body::Text(Arc::new(lines))
}

/// Takes so many bytes, then refuses: writing megabytes for a screenful would be felt.
struct BoundedText {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for BoundedText {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let room = self.most - self.bytes.len();
        if room == 0 && !more.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = room.min(more.len());
        self.bytes.extend_from_slice(&more[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Cuts a line into pieces of at most `columns`, behind a blank where one is near: the pieces
/// together are the line.
fn fold(line: &str, columns: usize, lines: &mut Vec<Piece>) {
    let clean = text::printable(line);
    let (mut piece, mut used) = (Piece::default(), 0);
    for c in clean.chars() {
        let w = text::width(c.encode_utf8(&mut [0; 4]));
        if used + w > columns && used > 0 {
            let far = piece.text.len() / 2;
            let blank = piece.text.rfind(' ').filter(|at| *at > far);
            let rest = blank.map_or_else(String::new, |at| piece.text.split_off(at + 1));
            used = text::width(&rest);
            let rest = Piece {
                text: rest,
                joined: true,
            };
            lines.push(std::mem::replace(&mut piece, rest));
        }
        piece.text.push(c);
        used += w;
    }
    lines.push(piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widget::wrap::wrap;

    #[test]
    fn a_line_is_folded_behind_a_blank_where_one_is_near() {
        let folded = |line, columns| {
            let mut lines = Vec::new();
            fold(line, columns, &mut lines);
            let texts = lines.into_iter().map(|piece| piece.text);
            texts.collect::<Vec<String>>()
        };
        assert_eq!(folded("offer a refund", 12), ["offer a ", "refund"]);
        assert_eq!(folded("a refundrefund", 12), ["a refundrefu", "nd"]);
    }

    #[test]
    fn a_line_is_folded_at_the_last_column_that_holds_a_wide_character() {
        let mut lines = Vec::new();
        fold("订单订", 5, &mut lines);
        let texts: Vec<&str> = lines.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, ["订单", "订"]);
        assert!(!lines[0].joined && lines[1].joined);
    }

    #[test]
    fn a_payload_of_megabytes_is_not_laid_out_whole() {
        let many: Vec<u32> = (0..200_000).collect();
        let json = serde_json::to_vec(&many).unwrap();
        let row = EntryRow {
            size: json.len(),
            content: Ok(crate::payload::decode(&json)),
            member: json,
            score: 0.0,
            due: crate::queue::Due::OutOfRange(-1.0),
            id: crate::queue::EntryId([0; 8]),
            form: None,
        };
        let Body::Text(lines) = decoded(&row, 80, 1_000) else {
            panic!("text");
        };
        assert!(lines.len() < 300, "{}", lines.len());
        assert!(lines.last().unwrap().text.starts_with("There is more"));
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }
}
