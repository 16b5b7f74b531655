//! `doctor` and `report`: what is wrong, and the bundle that tells others.

use clap::{Args, ValueEnum};

use crate::clock::when::Span;
use crate::queue::{Queue, Severity};

/// `doctor`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope doctor
  delayscope doctor orders --for 40s
  delayscope doctor orders --exact
  delayscope doctor --json | jq -r 'select(.severity == \"critical\").repair_command'
  delayscope doctor --watch --fail-on critical
  delayscope doctor --watch --exec 'sh notify.sh'

Where that takes no longer than the time it looks anyway, all entries are looked at: both sides
compared member by member, each frame judged. Of larger queues a sample is, unless --exact asks for
all; that takes at most a quarter of the server's time, about 10 s for a million entries, and Ctrl-C
ends it at any time. --watch does so at the beginning, when timeouts and order list come to differ,
and again while something is wrong.

It only reads. Ends with 0 when nothing is wrong, 1 when something is at least as bad as --fail-on
says, 2 when it could not look, or not at every queue. Some checks need half a minute:
without --for it waits for them, 10s where something bad is known already and up to 31s else; Ctrl-C
then ends the wait and prints what is known. Undecided rules are listed, with the command that waits
for them (--for 35s); in JSON as a line of severity \"undecided\". They do not change how doctor
ends, but for an order list that is set aside: it may have been left there, and counts as a
warning.")]
pub struct Doctor {
    /// The queue [default: all]
    #[arg(value_name = "QUEUE")]
    pub queue: Option<Queue>,
    /// Duration of the look [default: 4s, and up to 31s more where a check needs it; with
    /// --watch until stopped]
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub span: Option<Span>,
    /// Print what comes, gets worse and goes, as it happens
    #[arg(long)]
    pub watch: bool,
    /// With --watch: look for new queues this often; a queue with no keys for this long counts as
    /// gone
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "1m",
        allow_hyphen_values = true
    )]
    pub discover: Span,
    /// With --watch: run this command for each finding that begins, gets worse or ends, with the
    /// finding as a line of JSON on its standard input; its words are separated by blanks, and no
    /// shell reads them
    #[arg(long, value_name = "COMMAND", requires = "watch")]
    pub exec: Option<String>,
    /// With --exec: kill the command when it takes longer
    #[arg(
        long,
        value_name = "SPAN",
        default_value = "30s",
        allow_hyphen_values = true
    )]
    pub exec_limit: Span,
    /// Look at all entries, however many there are and however long that takes
    #[arg(long)]
    pub exact: bool,
    /// End with 1 from this severity on
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    pub fail_on: FailOn,
}

/// The severity from which on a finding counts as a failure.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum FailOn {
    /// Anything found
    Note,
    /// Problems that will hurt, or hurt a little
    Warning,
    /// Entries are late, or about to be lost
    Critical,
}

impl FailOn {
    /// The severity.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Critical => Severity::Critical,
        }
    }
}

/// `report`
#[derive(Args)]
#[command(after_help = "\
Examples:
  delayscope report orders > incident.md
  delayscope report orders --redact --for 40s
  delayscope report orders --json | jq .findings

It only reads: figures, due times, the late entries, what is wrong and why, what the server says of
itself, and the changes made from this account.")]
pub struct Report {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::queue_help())]
    pub queue: Option<Queue>,
    /// Duration of the look [default: 4s, and up to 31s more where a check needs it]
    #[arg(long = "for", value_name = "SPAN", allow_hyphen_values = true)]
    pub span: Option<Span>,
    /// Leave out what payloads say
    #[arg(long)]
    pub redact: bool,
}
