//! Asking before something that cannot be taken back, or that touches much.

use std::io::{self, IsTerminal as _};

use anyhow::{Context as _, bail};

use super::say;
use crate::config::{Config, Profile};
use crate::queue::Queue;

/// Says why a yes is not enough: the profile in use is protected.
pub(super) fn protection(config: &Config) -> Option<String> {
    let protected = |profile: &&Profile| profile.protected;
    let profile = config.profile.as_ref().filter(protected)?;
    Some(format!("Profile {} is protected", profile.name))
}

/// Asks `question` about a queue on the terminal; without one, refuses and names the flag that
/// answers. Where there is a reason for it the queue's name is the answer, else a yes. `true`: go
/// on.
pub(super) fn confirm(
    question: &str,
    queue: &Queue,
    by_name: Option<&str>,
    otherwise: &str,
) -> anyhow::Result<bool> {
    let Some(why) = by_name else {
        let answer = ask(&format!("{question} [y/N] "), otherwise)?;
        return Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"));
    };
    let name = queue.name.text();
    let ways = format!("{question}\n{why}: type the queue's name: ");
    Ok(ask(&ways, otherwise)? == name.trim())
}

/// There is a terminal to ask on.
pub(super) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for one line on the terminal; without one, refuses with `otherwise`.
pub(super) fn ask(question: &str, otherwise: &str) -> anyhow::Result<String> {
    if !can_ask() {
        bail!("{otherwise}");
    }
    say::question(question)?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .context("could not read the answer")?;
    Ok(answer.trim().to_owned())
}
