//! The facts that are known of an entry, a line a fact.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::payload::{self, DecodedPayload, PayloadContent};
use crate::queue::{Due, text};
use crate::tui::draw::Ctx;
use crate::tui::entries::EntryRow;
use crate::tui::entries::view::rows::due_in;
use crate::tui::entry::text::EntryRoom;
use crate::tui::moments;
use crate::tui::tabs::{self, Tab};
use crate::tui::widget::line::Line;

/// Columns of the words before the facts.
pub(crate) const LABEL: u16 = 7;

/// Columns from which on the countdown stands beside the due time.
const TIMED: u16 = 60;

/// Tells whether the facts tell how long it is until the entry falls due, or since.
pub(crate) const fn tells_countdown(plan: EntryRoom) -> bool {
    plan.facts > 0 && plan.columns >= TIMED
}

/// Draws the facts of an entry; of one that `is_gone` no time goes on.
pub(crate) fn facts(ctx: &Ctx, (row, is_gone): (&EntryRow, bool), area: Rect, buf: &mut Buffer) {
    let d = &ctx.data;
    let frame = match (row.form, &row.content) {
        (Some(form), _) => format!("{form}, {}", form.writers()),
        (None, Err(why)) => format!("{} none: {why}", d.glyphs.lost),
        (None, Ok(_)) => format!("{} (the payload stands alone)", d.glyphs.none),
    };
    let framed = if row.content.is_err() { d.warn } else { d.text };
    let mut all = vec![
        (
            "due",
            due(
                ctx,
                row,
                (area.width >= TIMED && !is_gone).then(|| countdown(ctx, row)),
            ),
        ),
        ("size", vec![(size(row), d.text), (place(ctx, row), d.dim)]),
        ("frame", vec![(frame, framed)]),
        ("codec", vec![(codec(row), d.text)]),
    ];
    // A blank line stays below them.
    all.truncate(usize::from(area.height.saturating_sub(1)));
    for (y, (label, pieces)) in (area.top()..area.bottom()).zip(all) {
        let mut line = Line::new(buf, area.x, y, area.width);
        line.put(buf, &format!("{label:7}"), d.dim);
        let mut pieces = pieces.into_iter().filter(|(words, _)| !words.is_empty());
        if let Some((words, style)) = pieces.next() {
            line.put_cut(buf, &words, d.glyphs.cut, style);
        }
        for (words, style) in pieces {
            if line.room() < text::width(&words) + 3 {
                break;
            }
            line.skip(3).put(buf, &words, style);
        }
    }
}

/// Says how long it is until the entry falls due, or since.
pub(crate) fn countdown(ctx: &Ctx, row: &EntryRow) -> (String, Style) {
    let (due, style) = due_in(ctx, row.due);
    let words = match row.due {
        _ if !row.scored() => "no due time".to_owned(),
        Due::At(at) if at <= ctx.now => format!("late {}", ctx.ago(at)),
        Due::At(_) => format!("due in {due}"),
        Due::OutOfRange(_) => due,
    };
    (words, style)
}

/// When it falls due: once, by the clock of the session, with how long that is; and the score that
/// redis-cli shows.
fn due(ctx: &Ctx, row: &EntryRow, countdown: Option<(String, Style)>) -> Vec<(String, Style)> {
    let (d, zone) = (&ctx.data, ctx.model.look.zone);
    let at = match row.due {
        Due::OutOfRange(_) if !row.scored() => {
            return vec![("none: timeouts does not hold it".to_owned(), d.text)];
        }
        Due::OutOfRange(score) => {
            let words = format!("the score is no moment: {score}");
            return vec![(words, d.text)];
        }
        Due::At(at) => at,
    };
    let mut pieces = vec![(moments::full(zone, at), d.text)];
    pieces.extend(countdown);
    if row.scored() {
        pieces.push((format!("score {}", row.score), d.dim));
    }
    pieces
}

/// Says where it stands among those that wait, while the cursor is on it.
fn place(ctx: &Ctx, row: &EntryRow) -> String {
    let m = ctx.model;
    let under = m.entry().filter(|entry| entry.member == row.member);
    under.map_or(String::new(), |_| {
        let (at, of) = (m.stand().cursor + 1, tabs::queries::count(m));
        let order = match m.tab {
            // Its place among all of them is not known here.
            _ if m.on_hits() => "found",
            Tab::Delivered => "delivered",
            Tab::Order => "in the order list",
            Tab::Quarantine => "in quarantine",
            _ => "by due time",
        };
        let (at, of) = (text::thousands(at), text::thousands(of));
        format!("{at} of {of} {order}")
    })
}

/// Its bytes.
fn size(row: &EntryRow) -> String {
    let count = |n: usize| text::thousands(u64::try_from(n).unwrap_or(0));
    let (payload, member) = (count(row.size), count(row.member.len()));
    let size = format!("{payload} byte{}", if row.size == 1 { "" } else { "s" });
    if row.size == row.member.len() {
        return size;
    }
    format!("{size}, {member} with the frame")
}

/// The codec's name, the one's that it has packed, the type of a single value, and why it is taken
/// to be that one; and that not all of it was read.
fn codec(row: &EntryRow) -> String {
    let Ok(decoded) = &row.content else {
        return "none: without a frame there is no payload to read".to_owned();
    };
    let mut name = decoded.codec.to_string();
    if let Some(inner) = decoded.inner {
        name = format!("{name} around {inner}");
    }
    if let Some(class) = class(row, decoded) {
        name = format!("{name}, {}", text::cut(&class, 60));
    }
    let cut = if decoded.is_cut {
        "; only the first part is read"
    } else {
        ""
    };
    format!("{name}: {}{cut}", decoded.why)
}

/// The type of a single value: what its codec says, or what it is written as: an `int` and a `long`
/// are the same number.
fn class(row: &EntryRow, decoded: &DecodedPayload) -> Option<String> {
    if decoded.class.is_some() {
        return decoded.class.as_deref().map(str::to_owned);
    }
    // Short: no payload of a megabyte is read for it.
    let is_scalar = decoded.value.is_number() || decoded.value.is_boolean();
    match is_scalar.then(|| payload::held(decoded.codec, row.payload())) {
        Some(PayloadContent::Scalar(class)) => Some(class.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Codec;
    use crate::queue::{List, Queue};
    use crate::tui::entries::decode;

    #[test]
    fn a_single_value_is_told_with_its_type_of_java() {
        let queue: Queue = "orders".parse().unwrap();
        let values = [
            ("java.lang.Long", "42"),
            ("java.lang.Integer", "42"),
            ("java.lang.Boolean", "true"),
            ("java.util.Date", "1700000000000"),
        ];
        for codec in [Codec::Kryo5, Codec::Marshalling, Codec::Serialization] {
            for (class, value) in values {
                let text = format!("[\"{class}\",{value}]");
                let element = payload::encode(codec, &text).unwrap();
                let read = |payload: &[u8]| payload::decode_as(codec, payload).unwrap();
                let row = decode::of_list(&queue, List::Target, element, f64::NAN, read);
                let told = super::codec(&row);
                assert!(told.contains(&format!(", {class}:")), "{codec}: {told}");
            }
        }
    }
}
