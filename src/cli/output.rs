//! The output of a subcommand: tables for people, JSON for programs, into any `Write`.
//!
//! Names, payloads, the server's words and those of its clients are all chosen by others. This is
//! the one place where they leave for a terminal, so nothing leaves here as it is that commands one
//! or hides in it, whoever made the line: text shows it as `\x1b`, JSON says it as `\u001b`.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write};

use anstyle::Style;
use serde::Serialize as _;
use serde_json::ser::Formatter;
use serde_json::{Serializer, Value};

use crate::queue::text;

/// A subcommand's output.
pub struct Output<W: Write = BufWriter<Stdout>> {
    out: W,
    json: bool,
    /// Columns of the terminal that it goes to; none when it goes elsewhere.
    columns: Option<usize>,
    /// Colours may be shown.
    coloured: bool,
}

/// The gap between two columns.
const GAP: &str = "  ";

/// The side of its column on which a cell stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Side {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its head.
    pub title: &'static str,
    /// The side on which its cells stand.
    pub side: Side,
    /// The fewest columns of the terminal that it has.
    pub least: usize,
    /// It is left out of a terminal that is too narrow: a figure is never cut.
    pub optional: bool,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub const fn left(title: &'static str, least: usize) -> Self {
        Self {
            title,
            side: Side::Left,
            least,
            optional: false,
        }
    }

    /// A column of figures.
    #[must_use]
    pub const fn right(title: &'static str, least: usize) -> Self {
        Self {
            title,
            side: Side::Right,
            least,
            optional: false,
        }
    }

    /// The same, left out of a terminal that is too narrow.
    #[must_use]
    pub const fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }
}

impl Output {
    /// The standard output.
    #[must_use]
    pub fn stdout(json: bool) -> Self {
        let stdout = io::stdout();
        let columns = stdout.is_terminal().then(terminal_columns);
        let plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        Self {
            coloured: columns.is_some() && !plain,
            ..Self::new(BufWriter::new(stdout), json, columns)
        }
    }
}

impl<W: Write> Output<W> {
    /// Into `out`; `columns` when it is a terminal.
    pub const fn new(out: W, json: bool, columns: Option<usize>) -> Self {
        Self {
            out,
            json,
            columns,
            coloured: false,
        }
    }

    /// From here on lines are whole, also on a terminal: what they say is nowhere else any more.
    pub const fn keep_whole(&mut self) {
        self.columns = None;
    }

    /// Tells whether JSON was asked for.
    #[must_use]
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Tells whether it goes to a terminal.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        self.columns.is_some()
    }

    /// Columns of the terminal that it goes to; none when it goes elsewhere.
    #[must_use]
    pub const fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// One JSON value on a line of its own.
    pub fn json(&mut self, value: &Value) -> io::Result<()> {
        value.serialize(&mut Serializer::with_formatter(&mut self.out, EscapedJson))?;
        self.out.write_all(b"\n")
    }

    /// One line for people, cut to the terminal's width.
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        match self.columns {
            Some(columns) => {
                let line = text::printable(line.trim_end());
                writeln!(self.out, "{}", text::cut(&line, columns))
            }
            None => self.whole(line),
        }
    }

    /// One line for people, whole also on a terminal.
    pub fn whole(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", text::printable(line.trim_end()))
    }

    /// `words` for people, broken between words at the terminal's width; all lines but the first
    /// begin `indent` columns further in than `lead`, which stands before the first.
    pub fn broken(&mut self, lead: &str, words: &str, indent: usize) -> io::Result<()> {
        self.marked((lead, Style::new()), words, "", indent)
    }

    /// The same with a word without spaces behind the others, `aside`. On a terminal with colours
    /// `lead` has its style, and that word is dimmed.
    pub fn marked(
        &mut self,
        (lead, style): (&str, Style),
        words: &str,
        aside: &str,
        indent: usize,
    ) -> io::Result<()> {
        let (lead, aside) = (text::printable(lead), text::printable(aside));
        let words = format!("{} {aside}", text::printable(words.trim_end()));
        let begins = text::width(&lead);
        let room = self.columns.unwrap_or(usize::MAX);
        let mut lines = wrapped(words.trim_end(), room.saturating_sub(begins.max(indent)));
        let last = lines
            .last_mut()
            .filter(|_| self.coloured && !aside.is_empty());
        if let Some(last) = last {
            let dim = Style::new().dimmed();
            let words = last.strip_suffix(&*aside).unwrap_or_default();
            *last = format!("{words}{dim}{aside}{dim:#}");
        }
        let mut lines = lines.into_iter();
        let first = lines.next().unwrap_or_default();
        if self.coloured {
            writeln!(self.out, "{style}{lead}{style:#}{first}")?;
        } else {
            writeln!(self.out, "{lead}{first}")?;
        }
        lines.try_for_each(|line| writeln!(self.out, "{:indent$}{line}", ""))
    }

    /// The titles of a table whose rows come one by one.
    pub fn titles(&mut self, columns: &[Column]) -> io::Result<()> {
        let titles: Vec<&str> = columns.iter().map(|c| c.title).collect();
        self.row(columns, &titles)
    }

    /// A row of a table whose rows come one by one. Only words in the last column are cut.
    pub fn row<S: AsRef<str>>(&mut self, columns: &[Column], cells: &[S]) -> io::Result<()> {
        let mut line = String::new();
        let shown = self.shown(columns);
        for ((column, cell), _) in columns.iter().zip(cells).zip(&shown).filter(|(_, s)| **s) {
            if !line.is_empty() {
                line.push_str(GAP);
            }
            push_padded(&mut line, cell.as_ref(), column.least, column.side);
        }
        match columns.last().map(|column| column.side) {
            Some(Side::Left) => self.line(&line),
            _ => self.whole(&line),
        }
    }

    /// Tells for each column whether there is room for it.
    fn shown(&self, columns: &[Column]) -> Vec<bool> {
        let mut shown = vec![true; columns.len()];
        let wide = |shown: &[bool]| -> usize {
            let some = columns.iter().zip(shown).filter(|(_, shown)| **shown);
            some.map(|(column, _)| column.least + GAP.len()).sum()
        };
        let room = self.columns.map_or(usize::MAX, |room| room + GAP.len());
        for (i, column) in columns.iter().enumerate().rev() {
            if column.optional && wide(&shown) > room {
                shown[i] = false;
            }
        }
        shown
    }

    /// A whole table: each column as wide as its widest cell.
    pub fn table(&mut self, columns: &[Column], rows: &[Vec<String>]) -> io::Result<()> {
        let mut fitted = columns.to_vec();
        for (i, column) in fitted.iter_mut().enumerate() {
            let widest = rows.iter().filter_map(|r| r.get(i)).map(|c| text::width(c));
            let widest = widest.max().unwrap_or(0).max(text::width(column.title));
            column.least = column.least.max(widest);
        }
        self.titles(&fitted)?;
        rows.iter().try_for_each(|row| self.row(&fitted, row))
    }

    /// Lets what was written so far be seen.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// `words` in lines of so many columns, as far as their words allow.
pub(super) fn wrapped(words: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if text::width(line) + 1 + text::width(word) <= columns => {
                line.extend([" ", word]);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// JSON on one line, with an escape for each character that does not show itself: the decoded value
/// is the same.
struct EscapedJson;

impl Formatter for EscapedJson {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        to: &mut W,
        part: &str,
    ) -> io::Result<()> {
        let mut plain = 0;
        for (at, c) in part.char_indices() {
            if c.is_ascii_graphic() || c == ' ' || !text::is_hidden(c) {
                continue;
            }
            to.write_all(&part.as_bytes()[plain..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(to, "\\u{unit:04x}")?;
            }
            plain = at + c.len_utf8();
        }
        to.write_all(&part.as_bytes()[plain..])
    }
}

fn push_padded(line: &mut String, cell: &str, columns: usize, side: Side) {
    let missing = columns.saturating_sub(text::width(cell));
    let padding = std::iter::repeat_n(' ', missing);
    match side {
        Side::Left => {
            line.push_str(cell);
            line.extend(padding);
        }
        Side::Right => {
            line.extend(padding);
            line.push_str(cell);
        }
    }
}

/// Columns of the terminal; a terminal that does not say has 80.
fn terminal_columns() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(columns: Option<usize>, write: impl Fn(&mut Output<&mut Vec<u8>>)) -> String {
        let mut bytes = Vec::new();
        write(&mut Output::new(&mut bytes, false, columns));
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_table_is_as_wide_as_its_cells_and_wide_characters_count_twice() {
        let columns = [Column::left("QUEUE", 0), Column::right("LATE", 0)];
        let rows = [
            vec!["日本".to_owned(), "1,000".to_owned()],
            vec!["orders".to_owned(), "7".to_owned()],
        ];
        let text = written(None, |out| out.table(&columns, &rows).unwrap());
        assert_eq!(text, "QUEUE    LATE\n日本    1,000\norders      7\n");
    }

    #[test]
    fn lines_are_cut_for_a_terminal_only() {
        let line = |columns| written(columns, |out| out.line("a long payload").unwrap());
        assert_eq!(line(Some(6)), "a lon…\n");
        assert_eq!(line(None), "a long payload\n");
    }

    #[test]
    fn a_narrow_terminal_loses_whole_columns_and_never_a_figure() {
        let columns = [
            Column::left("QUEUE", 6),
            Column::right("NEXT", 4).optional(),
            Column::right("WAITING", 9),
        ];
        let row = |room| {
            written(Some(room), |out| {
                out.row(&columns, &["q", "0:31", "1,000,000"]).unwrap();
            })
        };
        assert_eq!(row(23), "q       0:31  1,000,000\n");
        assert_eq!(row(22), "q       1,000,000\n");
        assert_eq!(row(9), "q       1,000,000\n");
    }

    #[test]
    fn a_word_aside_is_dimmed_where_there_are_colours_and_breaks_with_the_others() {
        let shown = |coloured, columns| {
            let mut bytes = Vec::new();
            let mut out = Output {
                coloured,
                ..Output::new(&mut bytes, false, Some(columns))
            };
            let lead = ("warning ", Style::new());
            out.marked(lead, "it is late", "[late]", 8).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(shown(false, 40), "warning it is late [late]\n");
        assert_eq!(
            shown(true, 40),
            "warning it is late \u{1b}[2m[late]\u{1b}[0m\n"
        );
        let broken = "warning it is\n        late\n        \u{1b}[2m[late]\u{1b}[0m\n";
        assert_eq!(shown(true, 14), broken);
    }

    #[test]
    fn json_is_one_line_a_value() {
        let text = written(None, |out| out.json(&json!({"text": "a\nb"})).unwrap());
        assert_eq!(text, "{\"text\":\"a\\nb\"}\n");
    }
}
