//! Text over several rows.

use crate::queue::text;

/// `words` in rows of at most `columns`, broken between words where that is possible. At least
/// one row; control characters are written out.
#[must_use]
pub fn wrapped(words: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut rows = vec![String::new()];
    let mut used = 0;
    for word in text::printable(words)
        .split(' ')
        .filter(|word| !word.is_empty())
    {
        let wide = text::width(word);
        if used > 0 && used + 1 + wide > columns {
            rows.push(String::new());
            used = 0;
        }
        let row = rows.len() - 1;
        if used > 0 {
            rows[row].push(' ');
            used += 1;
        }
        if wide <= columns {
            rows[row].push_str(word);
            used += wide;
            continue;
        }
        // Longer than a row: broken anywhere.
        for c in word.chars() {
            let wide = text::width(c.encode_utf8(&mut [0; 4]));
            if used > 0 && used + wide > columns {
                rows.push(String::new());
                used = 0;
            }
            if let Some(row) = rows.last_mut() {
                row.push(c);
            }
            used += wide;
        }
    }
    rows
}

/// A row of a text that is typed: characters `from` to `to` of one of its lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TextRow {
    /// Index of the line, from 0.
    pub line: usize,
    /// Its first character in this row.
    pub from: usize,
    /// The first one that is not in this row any more.
    pub to: usize,
}

/// The rows of a text that is typed, broken anywhere after `columns`.
#[must_use]
pub fn text_rows(lines: &[String], columns: usize) -> Vec<TextRow> {
    let columns = columns.max(1);
    let mut rows = Vec::new();
    for (line, words) in lines.iter().enumerate() {
        let (mut from, mut used, mut count) = (0, 0, 0);
        for (i, c) in words.chars().enumerate() {
            let wide = columns_of(c);
            if used > 0 && used + wide > columns {
                rows.push(TextRow { line, from, to: i });
                (from, used) = (i, 0);
            }
            used += wide;
            count = i + 1;
        }
        rows.push(TextRow {
            line,
            from,
            to: count,
        });
    }
    rows
}

/// Returns the index of the row in which the cursor at `line`, `at` (in characters) stands.
#[must_use]
pub fn row_of(rows: &[TextRow], (line, at): (usize, usize)) -> usize {
    let row = rows
        .iter()
        .rposition(|row| row.line == line && row.from <= at);
    row.unwrap_or(0)
}

fn columns_of(c: char) -> usize {
    match c {
        ' '..='~' => 1,
        c => text::width(&text::printable(c.encode_utf8(&mut [0; 4]))),
    }
}

/// Words in lines of at most `columns`, each word whole.
#[must_use]
pub fn wrap(words: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let used = lines.last().map_or(0, |l| text::width(l));
        if used > 0 && used + 1 + text::width(word) > columns {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_between_words_and_long_ones_anywhere() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("订单订单", 5), ["订单", "订单"]);
        assert_eq!(wrapped("a\nb", 9), ["a\\nb"]);
    }

    #[test]
    fn a_typed_text_keeps_every_character() {
        let lines = ["abcdef".to_owned(), String::new(), "订单".to_owned()];
        let row = |line, from, to| TextRow { line, from, to };
        let rows = text_rows(&lines, 4);
        assert_eq!(
            rows,
            [row(0, 0, 4), row(0, 4, 6), row(1, 0, 0), row(2, 0, 2)]
        );
        assert_eq!(row_of(&rows, (0, 3)), 0);
        assert_eq!(row_of(&rows, (0, 4)), 1);
        assert_eq!(row_of(&rows, (0, 6)), 1);
        assert_eq!(row_of(&rows, (2, 2)), 3);
    }
}
