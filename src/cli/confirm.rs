//! Asking before something that cannot be taken back.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{Context as _, bail};

/// Asks `question` on the terminal; without one, refuses and names the flag that answers.
/// `true`: go on.
pub(super) fn confirm(question: &str, otherwise: &str) -> anyhow::Result<bool> {
    let answer = ask(&format!("{question} [y/N] "), otherwise)?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// Asks for one line on the terminal; without one, refuses with `otherwise`.
pub(super) fn ask(question: &str, otherwise: &str) -> anyhow::Result<String> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        bail!("{otherwise}");
    }
    let mut stderr = io::stderr();
    write!(stderr, "{question}")?;
    stderr.flush()?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .context("could not read the answer")?;
    Ok(answer.trim().to_owned())
}
