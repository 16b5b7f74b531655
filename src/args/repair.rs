//! The flags of `repair`.

use clap::{ArgGroup, Args, ValueEnum};

use super::How;
use crate::clock::when::Span;
use crate::queue::{Form, Queue};

/// `repair`
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags, of which one is given"
)]
#[command(
    group = ArgGroup::new("repair").args(["kick", "repack", "realign", "restore_order", "drift", "unwrap", "persist", "unit", "score"]).required(true),
    after_help = "\
Examples:
  delayscope repair orders --realign --within 1h --dry-run
  delayscope repair orders --restore-order
  delayscope repair orders --drift --yes
  delayscope repair orders --repack --form byte-id
  delayscope repair orders --unit s --dry-run

--repack mends what the clients of a queue cannot unpack: byte-id is that of Redisson 3.21.1 and
later, double-id that of earlier ones.
--realign puts the order list into due order, so that a burst is transferred fast when it falls
due. --restore-order brings an order list back that an interrupted change has set aside."
)]
pub struct Repair {
    /// The queue.
    #[arg(value_name = "QUEUE", help = super::QUEUE_HELP)]
    pub queue: Queue,
    /// Let every transfer client look at once, as kick does
    #[arg(long)]
    pub kick: bool,
    /// Give the frames of what waits the form that the queue's clients unpack
    #[arg(long)]
    pub repack: bool,
    /// Of --repack: to this form: byte-id, double-id, byte-id/4, double-id/4 [default: that of the
    /// newest entry]
    #[arg(long, value_name = "FORM", requires = "repack", value_parser = super::commands::form)]
    pub form: Option<Form>,
    /// Of --repack: only the entry with this id (16 hex digits); repeatable
    #[arg(long = "id", value_name = "ID", requires = "repack")]
    pub ids: Vec<String>,
    /// Put the order list into due order
    #[arg(long)]
    pub realign: bool,
    /// Of --realign: only what falls due within this span
    #[arg(
        long,
        value_name = "SPAN",
        requires = "realign",
        conflicts_with_all = ["kick", "repack", "restore_order", "drift", "unwrap", "persist", "unit", "score"],
        allow_hyphen_values = true
    )]
    pub within: Option<Span>,
    /// Bring back an order list that was set aside
    #[arg(long)]
    pub restore_order: bool,
    /// Let timeouts and order list hold the same entries again
    #[arg(long)]
    pub drift: bool,
    /// Take the frames off that delivered elements still have
    #[arg(long)]
    pub unwrap: bool,
    /// Take the expiry of its keys away
    #[arg(long)]
    pub persist: bool,
    /// Give what is due in 1970 the due time that it has when read in this unit
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<MeantUnit>,
    /// Give what has no due time one: below 0, now; meant in nanoseconds, then; overflowed, in 100
    /// years
    #[arg(long)]
    pub score: bool,
    /// How.
    #[command(flatten)]
    pub how: How,
}

/// The unit that somebody wrote due times in, by mistake.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub enum MeantUnit {
    /// Seconds
    S,
}
