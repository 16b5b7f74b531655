//! The flags of `repair`.

use clap::{ArgGroup, Args, ValueEnum};

use super::{How, Which};
use crate::clock::when::Span;
use crate::queue::{Form, Queue};

/// `repair`
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags, of which one is given"
)]
#[command(
    group = ArgGroup::new("repair").args(["kick", "repack", "realign", "restore_order", "drift", "unwrap", "persist", "rename_taken", "unit", "score", "quarantine", "restore", "put_back"]).required(true),
    after_help = "\
Examples:
  delayscope repair orders --realign --within 1h --dry-run
  delayscope repair orders --restore-order
  delayscope repair orders --drift --yes
  delayscope repair orders --repack --form byte-id
  delayscope repair orders --unit s --dry-run
  delayscope repair orders --quarantine --id 9f3c2a7714e08b55
  delayscope repair orders --restore --all

Each is planned first; --dry-run only prints the plan. What they do:
  --kick           nothing is changed; says whether it helped, and what to conclude if not
  --repack         an entry in the other form stops every transfer: byte-id is that of Redisson
                   3.21.1 and later, double-id that of earlier ones; place and due time stay
  --drift          what only timeouts holds is appended to the order list; what only the order
                   list holds stays, since it may never have been delivered: with --from order-only
                   requeue lets it wait again, deliver delivers it, delete drops it
  --restore-order  an order list that a change cut off left aside; from any machine
  --realign        brings the order list into due order, so that a burst is transferred fast
  --unwrap         elements that consumers cannot read, since they still have a frame
  --persist        keys that somebody has set to expire
  --rename-taken   what has taken the name of timeouts, order list or target, and is of another
                   type, comes to be called taken:…; what it holds, and its expiry, stay
  --unit s         seconds that were written for milliseconds
  --score          scores that are no times become due times
  --quarantine     sets entries aside, with their due times: those that are chosen, else every
                   member that is no frame, on which all transfers break off
  --restore        lets them wait again; they are seen with entries --from quarantined
  --put-back       messages that `consume` had taken when it died go back into the target, first in
                   line; from any machine. What a consumer that lives holds is left alone
undo takes back all but --kick, --realign, --restore-order and --put-back."
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
    /// Of --repack, --quarantine and --restore: which entries
    #[command(flatten)]
    pub which: Which,
    /// Set entries aside on which transfers break off
    #[arg(long)]
    pub quarantine: bool,
    /// Let entries wait again that were set aside
    #[arg(long)]
    pub restore: bool,
    /// Put back what a consumer had taken when it died
    #[arg(long)]
    pub put_back: bool,
    /// Put the order list into due order
    #[arg(long)]
    pub realign: bool,
    /// Of --realign: only what falls due within this span
    #[arg(
        long,
        value_name = "SPAN",
        requires = "realign",
        conflicts_with_all = ["kick", "repack", "restore_order", "drift", "unwrap", "persist", "rename_taken", "unit", "score", "quarantine", "restore", "put_back"],
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
    /// Rename what has taken the name of a key of the queue and is of another type
    #[arg(long)]
    pub rename_taken: bool,
    /// Give what is due in 1970 the due time that it has when read in this unit
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<MeantUnit>,
    /// Give what has no due time one: below 0, now; meant in micro- or nanoseconds, then;
    /// overflowed, in 100 years
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
