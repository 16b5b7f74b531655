//! What is said beside the output: on standard error, one line each.

use std::io::{self, Write as _};

/// Nothing matched what was asked for, which is no failure: exit code 1.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NothingMatched(pub(super) String);

/// Says `line` on standard error. When nobody listens there, nothing is lost that matters.
pub(super) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "delayscope: {line}");
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
