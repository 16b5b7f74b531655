//! Notes, warnings and questions on standard error. Names, words of the server and what was typed
//! stand in them, so nothing that commands a terminal leaves here as it is.

use std::io::{self, Write as _};

use crate::queue::{Queue, shell, text};

/// Nothing matched what was asked for, which is no failure: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NothingMatched(pub(super) String);

/// Says `line` on standard error. When nobody listens there, nothing is lost that matters.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "delayscope: {}", text::printable(line));
}

/// Says what restores an order list that a change may have left incomplete; `program` as it is called.
pub(super) fn perhaps_missing(program: &str, queue: &Queue) {
    let back = shell::about(program, "repair", queue, &["--restore-order"]);
    note(&format!(
        "part of the order list may be missing now; this restores it: {back}"
    ));
}

/// Says lines on standard error, without a word before them.
pub(super) fn lines(lines: &str) {
    let _ = writeln!(io::stderr(), "{}", text::printable_lines(lines));
}

/// Writes a question on standard error, whose answer stands in the same line.
pub(super) fn question(question: &str) -> io::Result<()> {
    let mut to = io::stderr();
    write!(to, "{}", text::printable_lines(question))?;
    to.flush()
}

/// Writes `line` over the one that stands in the terminal of standard error; an empty one takes it
/// away.
pub(super) fn over(line: &str) {
    let _ = write!(io::stderr(), "\r\x1b[K{}", text::printable(line));
}

/// An error with its causes as one line that ends like a sentence.
pub(super) fn sentence(error: &anyhow::Error) -> String {
    let mut line = format!("{error:#}").replace(['\n', '\r'], " ");
    if !line.ends_with(['.', '?', '!']) {
        line.push('.');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_sentence_with_its_causes() {
        let error = anyhow::anyhow!("no\nroute").context("could not reach the server");
        assert_eq!(sentence(&error), "could not reach the server: no route.");
    }
}
