//! The flags of `journal`.

use clap::{Args, Subcommand};

use crate::clock::when::Span;

/// `journal`
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  delayscope journal
  delayscope journal 0v5c8k2m7x                 one change, entry by entry
  delayscope journal 0v5c8k2m7x --json --raw | jq -r 'select(.outcome == \"done\").frame_hex'
  delayscope journal purge --older-than 7d

The journal lies in $XDG_STATE_HOME/delayscope on this machine; it needs no server."
)]
pub struct Journal {
    /// A change, by its id or the beginning of it [default: list all changes, the newest first]
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// At most N changes [default: 100 on a terminal, else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// The exact bytes of each entry too, as hex
    #[arg(long, requires = "id")]
    pub raw: bool,
    /// The action; none lists the changes.
    #[command(subcommand)]
    pub command: Option<JournalCommand>,
}

/// The actions on the journal.
#[derive(Subcommand)]
pub enum JournalCommand {
    /// Forget changes: they cannot be undone then
    Purge(Purge),
}

/// `journal purge`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope journal purge --older-than 7d
  delayscope journal purge --yes

What is under way stays.")]
pub struct Purge {
    /// Only those that began longer ago: 12h, 7d [default: all of them]
    #[arg(long, value_name = "SPAN", allow_hyphen_values = true)]
    pub older_than: Option<Span>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}
