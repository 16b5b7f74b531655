//! An opened entry: its text laid out once, and what is looked for in it.

use std::collections::HashMap;
use std::ops::Range;

use super::act::say;
use super::prompt;
use crate::tui::areas::{self, lines};
use crate::tui::effect::Effect;
use crate::tui::model::{
    EntryView, Face, Found, Model, Piece, PromptKind, Screen, Spot, Tab, Tone,
};

/// No more places than this are kept: nobody steps through more.
const MOST: usize = 10_000;

/// Lays out the text of the opened entry for the columns it has now.
pub(super) fn lay_out(model: &mut Model) {
    if !matches!(model.screen, Screen::Entry(_)) {
        return;
    }
    let columns = lines::text_columns(model);
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    if view
        .laid
        .as_ref()
        .is_none_or(|laid| laid.columns != columns)
    {
        view.laid = Some(lines::lay_out(&view.row, columns));
        look(view);
    }
}

/// The member whose score tells what becomes of the opened entry; none when no entry that waits
/// is open.
pub(super) fn watched(model: &Model) -> Option<&[u8]> {
    match &model.screen {
        Screen::Entry(view) if model.tab == Tab::Waiting => Some(&view.row.member),
        _ => None,
    }
}

/// The queue was read: the opened entry is looked at as well, since its place in the queue may
/// be far from the rows that came along.
pub(super) fn refreshed(model: &mut Model) {
    if watched(model).is_some() {
        let now = model.instant;
        model.schedule.check.want(now);
    }
}

/// The opened entry has left the queue, is back, or has another due time.
pub(super) fn checked(model: &mut Model, scores: &HashMap<Vec<u8>, Option<f64>>) {
    let now = model.now;
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return;
    };
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    match scores.get(&view.row.member) {
        None => {}
        Some(None) => view.gone = view.gone.or(Some(now)),
        Some(Some(score)) => {
            view.gone = None;
            if score.total_cmp(&view.row.score).is_ne() {
                view.requeued = Some(now);
                view.row.score = *score;
                view.row.due = queue.due(*score);
            }
        }
    }
}

/// The other face.
pub(super) fn turn(model: &mut Model) {
    let Screen::Entry(view) = &model.screen else {
        return;
    };
    let other = match view.face {
        Face::Text => Face::Hex,
        Face::Hex => Face::Text,
    };
    face(model, other);
}

/// That face.
pub(super) fn face(model: &mut Model, face: Face) {
    if let Screen::Entry(view) = &mut model.screen
        && view.face != face
    {
        (view.scroll, view.face) = (0, face);
        look(view);
    }
}

/// A line to type what is looked for into.
pub(super) fn ask(model: &mut Model) -> Vec<Effect> {
    let before = match &model.screen {
        Screen::Entry(view) => view.found.as_ref().map(|found| found.what.clone()),
        _ => None,
    };
    prompt::open(model, PromptKind::Find, before.as_deref().unwrap_or(""))
}

/// Another text is looked for, from what is in sight on; an empty one is no longer looked for.
pub(super) fn find(model: &mut Model, what: &str) {
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    view.found = (!what.is_empty()).then(|| Found {
        what: what.to_owned(),
        hits: Vec::new(),
        at: 0,
    });
    look(view);
    let scroll = view.scroll;
    let each = each(model);
    if let Screen::Entry(view) = &mut model.screen
        && let Some(found) = &mut view.found
    {
        let below = |hit: &Spot| line(hit, each) >= scroll;
        found.at = found.hits.iter().position(below).unwrap_or(0);
        show(model);
    }
}

/// Why there is no next place; none when there is one.
pub(super) fn why_no_match(view: &EntryView) -> Option<&'static str> {
    match &view.found {
        None => Some("nothing is looked for: / begins"),
        Some(found) if found.hits.is_empty() => Some("not found in this entry"),
        Some(_) => None,
    }
}

/// The next place, or the one before; after the last comes the first.
pub(super) fn step(model: &mut Model, forward: bool) {
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(found) = &mut view.found else {
        return;
    };
    let count = found.hits.len();
    if count == 0 {
        return;
    }
    let step = if forward { 1 } else { count - 1 };
    let at = (found.at + step) % count;
    let round = (at < found.at) == forward && count > 1;
    found.at = at;
    if round {
        say(model, "from the other end again".to_owned(), Tone::Good);
    }
    show(model);
}

/// Looks for it on the present face.
fn look(view: &mut EntryView) {
    let Some(found) = &mut view.found else {
        return;
    };
    let lines = view.laid.as_ref().and_then(|laid| laid.lines.as_deref());
    found.hits = match (view.face, lines) {
        (Face::Text, Some(lines)) => in_text(lines, &found.what),
        _ => in_bytes(&view.row.member, &needle(&found.what)),
    };
    found.at = found.at.min(found.hits.len().saturating_sub(1));
}

/// Scrolls until the present place is in sight, with a few lines above it.
fn show(model: &mut Model) {
    let each = each(model);
    let areas = areas::areas(model);
    let rows = usize::from(lines::plan(areas.detail, areas.compact).rows);
    let last = lines::last_scroll(model);
    let Screen::Entry(view) = &mut model.screen else {
        return;
    };
    let Some(hit) = view
        .found
        .as_ref()
        .and_then(|found| found.hits.get(found.at))
    else {
        return;
    };
    let line = line(hit, each);
    if !(view.scroll..view.scroll + rows).contains(&line) {
        view.scroll = line.saturating_sub(rows / 3).min(last);
    }
}

/// Bytes that a line of the hex face has.
fn each(model: &Model) -> usize {
    let areas = areas::areas(model);
    lines::bytes_a_line(lines::plan(areas.detail, areas.compact).columns)
}

fn line(hit: &Spot, each: usize) -> usize {
    match hit {
        Spot::Text(pieces) => pieces.first().map_or(0, |(line, _)| *line),
        Spot::Bytes(bytes) => bytes.start / each.max(1),
    }
}

/// Where `what` stands in the lines, in any case; over the ends of folded lines too.
fn in_text(lines: &[Piece], what: &str) -> Vec<Spot> {
    let what = what.to_lowercase();
    let mut hits = Vec::new();
    let mut first = 0;
    while first < lines.len() && hits.len() < MOST {
        let joined = lines[first + 1..].iter().take_while(|piece| piece.joined);
        let count = 1 + joined.count();
        let whole: String = lines[first..first + count]
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        for range in places(&whole, &what).take(MOST - hits.len()) {
            hits.push(Spot::Text(pieces(
                &lines[first..first + count],
                first,
                range,
            )));
        }
        first += count;
    }
    hits
}

/// The places of `what` (in lower case) in `text`, in bytes of `text`.
fn places<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    // Lower case may be longer or shorter: each of its bytes knows where it comes from.
    let mut lower = String::with_capacity(text.len());
    let mut from = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        for small in c.to_lowercase() {
            lower.push(small);
            from.resize(lower.len(), at);
        }
    }
    from.push(text.len());
    let ranges: Vec<Range<usize>> = lower
        .match_indices(what)
        .map(|(at, found)| {
            let last = from[at + found.len() - 1];
            let end = text[last..]
                .chars()
                .next()
                .map_or(last, |c| last + c.len_utf8());
            from[at]..end
        })
        .collect();
    ranges.into_iter()
}

/// A range of a folded line, by its pieces.
fn pieces(lines: &[Piece], first: usize, range: Range<usize>) -> Vec<(usize, Range<usize>)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (i, piece) in lines.iter().enumerate() {
        let end = start + piece.text.len();
        let (from, to) = (range.start.max(start), range.end.min(end));
        if from < to {
            parts.push((first + i, from - start..to - start));
        }
        start = end;
    }
    parts
}

/// What was typed as bytes: hex digits in pairs are the bytes they say, all else itself.
fn needle(what: &str) -> Vec<u8> {
    let digits: String = what.split_whitespace().collect();
    let pair = |i: usize| {
        digits
            .get(i..i + 2)
            .and_then(|d| u8::from_str_radix(d, 16).ok())
    };
    let hex = (0..digits.len())
        .step_by(2)
        .map(pair)
        .collect::<Option<Vec<u8>>>();
    match hex {
        Some(bytes)
            if !bytes.is_empty() && digits.len().is_multiple_of(2) && !digits.contains('+') =>
        {
            bytes
        }
        _ => what.as_bytes().to_vec(),
    }
}

fn in_bytes(bytes: &[u8], what: &[u8]) -> Vec<Spot> {
    if what.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    let mut from = 0;
    while let Some(at) = position(&bytes[from..], what) {
        let start = from + at;
        hits.push(Spot::Bytes(start..start + what.len()));
        from = start + what.len();
        if hits.len() == MOST {
            break;
        }
    }
    hits
}

/// Where `what` begins in `bytes`. Looks for its first byte, which skips what cannot match.
fn position(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let (first, _) = what.split_first()?;
    let mut from = 0;
    loop {
        from += bytes.get(from..)?.iter().position(|b| b == first)?;
        if bytes[from..].starts_with(what) {
            return Some(from);
        }
        from += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, joined: bool) -> Piece {
        Piece {
            text: text.to_owned(),
            joined,
        }
    }

    #[test]
    fn a_word_is_found_over_the_end_of_a_folded_line_and_in_any_case() {
        let lines = [
            piece("{ \"Cust", false),
            piece("omer\": 1 }", true),
            piece("customer", false),
        ];
        let hits = in_text(&lines, "CUSTOMER");
        let folded = Spot::Text(vec![(0, 3..7), (1, 0..4)]);
        assert_eq!(hits, [folded, Spot::Text(vec![(2, 0..8)])]);
    }

    #[test]
    fn a_word_is_not_found_over_the_end_of_a_line() {
        let lines = [piece("cust", false), piece("omer", false)];
        assert!(in_text(&lines, "customer").is_empty());
    }

    #[test]
    fn what_grows_in_lower_case_is_found_where_it_stands() {
        // İ is two characters in lower case.
        let hits = in_text(&[piece("İİx", false)], "x");
        assert_eq!(hits, [Spot::Text(vec![(0, 4..5)])]);
    }

    #[test]
    fn pairs_of_hex_digits_are_bytes_and_all_else_is_text() {
        assert_eq!(needle("ff 00"), [0xff, 0]);
        assert_eq!(needle("order"), b"order");
        assert_eq!(needle("abc"), b"abc");
        let hits = in_bytes(b"\xff\xff\x00a\xff\x00", &[0xff, 0]);
        assert_eq!(hits, [Spot::Bytes(1..3), Spot::Bytes(4..6)]);
    }
}
