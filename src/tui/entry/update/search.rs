//! The search in an opened entry.

use std::ops::Range;

use crate::tui::entry::{Piece, Spot};

/// No more places than this are kept: nobody steps through more.
pub(crate) const MOST_HITS: usize = 10_000;

/// Finds the places of `what` in the lines, in any case; over the ends of folded lines too.
pub(crate) fn in_text(lines: &[Piece], what: &str) -> Vec<Spot> {
    let what = what.to_lowercase();
    let mut hits = Vec::new();
    let mut first = 0;
    while first < lines.len() && hits.len() < MOST_HITS {
        let joined = lines[first + 1..].iter().take_while(|piece| piece.joined);
        let count = 1 + joined.count();
        let whole: String = lines[first..first + count]
            .iter()
            .map(|piece| piece.text.as_str())
            .collect();
        for range in places(&whole, &what).take(MOST_HITS - hits.len()) {
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

/// Returns what was typed as bytes: hex digits in pairs are the bytes they say, all else itself.
pub(crate) fn needle(what: &str) -> Vec<u8> {
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

pub(crate) fn in_bytes(bytes: &[u8], what: &[u8]) -> Vec<Spot> {
    if what.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    let mut from = 0;
    while let Some(at) = position(&bytes[from..], what) {
        let start = from + at;
        hits.push(Spot::Bytes(start..start + what.len()));
        from = start + what.len();
        if hits.len() == MOST_HITS {
            break;
        }
    }
    hits
}

/// Finds where `what` begins in `bytes`. Looks for its first byte, which skips what cannot match.
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
