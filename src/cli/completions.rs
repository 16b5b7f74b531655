//! `completions`: tells a shell how to complete our command line, and answers it when it asks. Needs
//! no server.

use std::io::Write;

use anyhow::Context as _;
use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::Shells;

use super::CommandOutcome;
use super::output::Output;
use crate::args::{self, Args};
use crate::ops::memory::Memory;

/// The variable by which a shell asks.
const ASKS: &str = "COMPLETE";

/// The line that tells zsh about us in a script that is sourced.
const ZSH_REGISTERS: &str = "compdef _clap_dynamic_completer_delayscope delayscope";

/// The same where packages put the script, into a folder of functions: there zsh loads it at the first
/// Tab, and waits for the answer to that one.
const ZSH_REGISTERS_OR_ANSWERS: &str = r#"if [ "$funcstack[1]" = _delayscope ]; then
    _clap_dynamic_completer_delayscope "$@"
else
    compdef _clap_dynamic_completer_delayscope delayscope
fi"#;

/// Prints what the shell is to be told.
pub(super) fn run<W: Write>(
    asked: &args::Completions,
    out: &mut Output<W>,
) -> anyhow::Result<CommandOutcome> {
    out.keep_whole();
    let shells = Shells::builtins();
    let shell = shells.completer(asked.shell.word());
    let shell = shell.context("this shell cannot be told how to complete")?;
    let (name, mut script) = ("delayscope", Vec::new());
    shell.write_registration(ASKS, name, name, name, &mut script)?;
    for line in String::from_utf8_lossy(&script).lines() {
        let lines = match line {
            ZSH_REGISTERS => ZSH_REGISTERS_OR_ANSWERS,
            line => line,
        };
        for line in lines.split('\n') {
            out.line(line)?;
        }
    }
    Ok(CommandOutcome::Done)
}

/// Answers a shell that asks what a word could become, and ends the process then. Does nothing where
/// nobody asks.
pub fn answer() {
    CompleteEnv::with_factory(|| completed(Args::described()))
        .var(ASKS)
        .complete();
}

/// The command line, with names for its queues.
fn completed(command: Command) -> Command {
    let named = |arg: Arg| match arg.get_id().as_str() {
        "queue" | "queues" => arg.add(ArgValueCandidates::new(queues)),
        _ => arg,
    };
    command
        .mut_args(named)
        .mut_subcommands(|sub| sub.mut_args(named))
}

/// The queues that were seen last time, on any server: which one is meant, the flags before the
/// word say, and nobody has read them yet.
fn queues() -> Vec<CompletionCandidate> {
    let names = Memory::of_user().all();
    let plain = names.into_iter().filter_map(|name| {
        let name = String::from_utf8(name.as_bytes().to_vec()).ok()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/@{}".contains(c);
        // What a shell would take apart is not offered.
        (!name.is_empty() && name.chars().all(is_plain)).then(|| CompletionCandidate::new(name))
    });
    plain.collect()
}
