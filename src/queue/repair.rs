//! The repairs of a queue as a whole: all that the menu of the screen, the flags of `repair` and the
//! findings say of one. Its word and its rights are those of the [`Change`] that it makes.

use super::finding::Step;
use super::frame::Form;
use super::plan::Change;
use super::wish::What;

/// A repair.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Repair {
    /// What is due goes to target.
    Transfer,
    /// Every transfer client looks at once.
    Kick,
    /// A stand-in worker transfers.
    Worker,
    /// Frames get the form that the clients unpack.
    Repack,
    /// What is no frame is set aside.
    Quarantine,
    /// What was set aside waits again.
    Restore,
    /// What consumers hold that died goes back into target.
    PutBack,
    /// What only the order list holds waits again.
    Requeue,
    /// What only the order list holds goes to target.
    DeliverStrays,
    /// What only timeouts holds comes into the order list.
    Drift,
    /// An order list is brought back.
    RestoreOrder,
    /// The order list is brought into due order.
    Realign,
    /// Elements of target lose their frames.
    Unwrap,
    /// The keys lose their expiry.
    Persist,
    /// What has taken their names is renamed.
    RenameTaken,
    /// Seconds become milliseconds.
    Unit,
    /// What has no due time gets one.
    Score,
    /// What only the order list holds leaves it.
    DropStrays,
}

/// The words for a repair.
struct RepairWords {
    /// In the menu.
    does: &'static str,
    /// How `undo` takes it back, in the menu; none when it cannot.
    undo: Option<&'static str>,
    /// Its flag, when `repair` on the command line makes it.
    flag: Option<Flag>,
}

/// A flag of `repair`, named as the repair.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Its line in the list of flags.
    pub help: &'static str,
    /// All that there is to know of it, in lines.
    pub more: &'static str,
    /// The value that it takes: its name, and the only one that there is, with what that means.
    pub value: Option<[&'static str; 3]>,
    /// It can be about some of the entries.
    pub takes_entries: bool,
}

impl Flag {
    const fn new(help: &'static str, more: &'static str) -> Self {
        Self {
            help,
            more,
            value: None,
            takes_entries: false,
        }
    }

    const fn of_entries(mut self) -> Self {
        self.takes_entries = true;
        self
    }

    const fn with(mut self, value: [&'static str; 3]) -> Self {
        self.value = Some(value);
        self
    }
}

/// The way that `undo` takes back a change whole.
const IT: Option<&str> = Some("takes it back");

impl Repair {
    /// All of them, in the order in which the menu tries them.
    pub const ALL: &'static [Self] = &[
        Self::Transfer,
        Self::Kick,
        Self::Worker,
        Self::Repack,
        Self::Quarantine,
        Self::Restore,
        Self::PutBack,
        Self::Requeue,
        Self::DeliverStrays,
        Self::Drift,
        Self::RestoreOrder,
        Self::Realign,
        Self::Unwrap,
        Self::Persist,
        Self::RenameTaken,
        Self::Unit,
        Self::Score,
        // It loses what may never have been delivered: never before another way.
        Self::DropStrays,
    ];

    /// The repair that a finding asks for, when it is one of these. That something is in quarantine
    /// asks for nothing: whether it does no harm any more only people know.
    #[must_use]
    pub fn of(step: &Step) -> Option<Self> {
        match step {
            Step::Worker => Some(Self::Worker),
            Step::WaitAgain => Some(Self::Requeue),
            Step::Change(what) => Self::making(what).filter(|repair| *repair != Self::Restore),
            Step::Entry(What::Quarantine, _) => Some(Self::Quarantine),
            Step::Entry(..) | Step::Outside => None,
        }
    }

    /// The repair that makes this change of a queue as a whole.
    #[must_use]
    pub const fn making(what: &What) -> Option<Self> {
        Some(match what {
            What::Transfer => Self::Transfer,
            What::Kick => Self::Kick,
            What::Realign(_) => Self::Realign,
            What::RestoreOrder => Self::RestoreOrder,
            What::Drift => Self::Drift,
            What::Repack(_) => Self::Repack,
            What::Quarantine => Self::Quarantine,
            What::Restore => Self::Restore,
            What::PutBack => Self::PutBack,
            What::Unwrap => Self::Unwrap,
            What::Persist => Self::Persist,
            What::RenameTaken => Self::RenameTaken,
            What::Unit => Self::Unit,
            What::Score => Self::Score,
            What::Deliver | What::Requeue(_) | What::Delete | What::Edit(_) | What::Duplicate => {
                return None;
            }
        })
    }

    /// The change that it asks for: a repack to `form`, a realignment of what falls due `within` so
    /// many ms. None where people say more, or of the stand-in worker, which makes none.
    #[must_use]
    pub const fn what(self, form: Option<Form>, within: Option<u64>) -> Option<What> {
        Some(match self {
            Self::Worker | Self::Requeue => return None,
            Self::Transfer => What::Transfer,
            Self::Kick => What::Kick,
            Self::Realign => What::Realign(within),
            Self::RestoreOrder => What::RestoreOrder,
            Self::DeliverStrays => What::Deliver,
            Self::DropStrays => What::Delete,
            Self::Drift => What::Drift,
            Self::Repack => What::Repack(form),
            Self::Quarantine => What::Quarantine,
            Self::Restore => What::Restore,
            Self::PutBack => What::PutBack,
            Self::Unwrap => What::Unwrap,
            Self::Persist => What::Persist,
            Self::RenameTaken => What::RenameTaken,
            Self::Unit => What::Unit,
            Self::Score => What::Score,
        })
    }

    /// The word for it, as its plan and the command line have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.what(None, None) {
            Some(what) => what.name(),
            None if self == Self::Worker => Change::Worker.word(),
            None => Change::Requeue.word(),
        }
    }

    /// It is about what only the order list holds.
    #[must_use]
    pub const fn is_of_strays(self) -> bool {
        matches!(self, Self::Requeue | Self::DeliverStrays | Self::DropStrays)
    }

    /// Says what it does, in a sentence or two of the menu.
    #[must_use]
    pub const fn does(self) -> &'static str {
        self.told().does
    }

    /// How `undo` takes it back, such as "takes it back"; none when it cannot.
    #[must_use]
    pub const fn undo(self) -> Option<&'static str> {
        self.told().undo
    }

    /// Its flag, when `repair` on the command line makes it.
    #[must_use]
    pub const fn flag(self) -> Option<Flag> {
        self.told().flag
    }

    const fn told(self) -> RepairWords {
        let (does, undo, flag) = match self {
            Self::Transfer => (
                "Moves all that is due to target, at a pace, as a client would have.",
                Some("takes back what nobody has consumed by then"),
                None,
            ),
            Self::Kick => (
                "Tells every transfer client to look at once: harmless. If the head has not moved \
                 2 s later, the findings say what to conclude.",
                None,
                Some(Flag::new(
                    "Let every transfer client look at once, as kick does",
                    "nothing is changed; says whether it helped, and what to conclude if not",
                )),
            ),
            Self::Worker => (
                "Transfers what falls due as long as this screen is open, beside any other client, \
                 whatever the form of the frames.",
                None,
                None,
            ),
            Self::Repack => (
                "Gives the frames of all that waits the form that its clients unpack: same \
                 payload, due time and place.",
                IT,
                Some(
                    Flag::new(
                        "Give the frames of what waits the form that the queue's clients unpack",
                        "an entry in the other form stops every transfer: byte-id is that of \
                         Redisson\n3.21.1 and later, double-id that of earlier ones; place and due \
                         time stay",
                    )
                    .of_entries(),
                ),
            ),
            Self::Quarantine => (
                "Sets all members that are no frames aside, in a sorted set beside the queue, so \
                 that transfers go on without them.",
                IT,
                Some(
                    Flag::new(
                        "Set entries aside on which transfers break off",
                        "sets entries aside, with their due times: those that are chosen, else \
                         every\nmember that is no frame, on which all transfers break off",
                    )
                    .of_entries(),
                ),
            ),
            Self::Restore => (
                "Lets all that is in quarantine wait again, each with its due time.",
                IT,
                Some(
                    Flag::new(
                        "Let entries wait again that were set aside",
                        "lets them wait again; they are seen with entries --from quarantined",
                    )
                    .of_entries(),
                ),
            ),
            Self::PutBack => (
                "Puts messages that `consume` had taken when it died back into target, first in \
                 line. What a consumer that lives holds is left alone.",
                None,
                Some(Flag::new(
                    "Put back what a consumer had taken when it died",
                    "messages that `consume` had taken when it died go back into the target, first \
                     in\nline; from any machine. What a consumer that lives holds is left alone",
                )),
            ),
            Self::Requeue => (
                "What only the order list holds waits again, with the due time that you choose: \
                 its own is lost.",
                None,
                None,
            ),
            Self::DeliverStrays => (
                "What only the order list holds goes to target now: twice, if it was delivered \
                 before.",
                None,
                None,
            ),
            Self::Drift => (
                "What only timeouts holds is appended to the order list; what only the order list \
                 holds stays: it may never have been delivered.",
                IT,
                Some(Flag::new(
                    "Let timeouts and order list hold the same entries again",
                    "what only timeouts holds is appended to the order list; what only the order\n\
                     list holds stays, since it may never have been delivered: with --from \
                     order-only\nrequeue lets it wait again, deliver delivers it, delete drops it",
                )),
            ),
            Self::RestoreOrder => (
                "Brings back the order list that an interrupted change has set aside, in its old \
                 order.",
                None,
                Some(Flag::new(
                    "Bring back an order list that was set aside",
                    "an order list that a change cut off left aside; from any machine",
                )),
            ),
            Self::Realign => (
                "Brings what falls due soon to the head of the order list, in due order, so that \
                 no transfer has to look for it.",
                None,
                Some(Flag::new(
                    "Put the order list into due order",
                    "brings the order list into due order, so that a burst is transferred fast",
                )),
            ),
            Self::Unwrap => (
                "Takes the frames off that elements of target still have, in their places, so that \
                 consumers can read them.",
                IT,
                Some(Flag::new(
                    "Take the frames off that delivered elements still have",
                    "elements that consumers cannot read, since they still have a frame",
                )),
            ),
            Self::Persist => (
                "The queue's keys expire no more.",
                IT,
                Some(Flag::new(
                    "Take the expiry of its keys away",
                    "keys that somebody has set to expire",
                )),
            ),
            Self::RenameTaken => (
                "What has taken the name of a key, and is of another type, gets another one, with \
                 all that is in it.",
                IT,
                Some(Flag::new(
                    "Rename what has taken the name of a key of the queue and is of another type",
                    "what has taken the name of timeouts, order list or target, and is of \
                     another\ntype, comes to be called taken:…; what it holds, and its expiry, stay",
                )),
            ),
            Self::Unit => (
                "What is due in 1970, because seconds were written for milliseconds, comes to wait \
                 until it was meant to be due.",
                IT,
                Some(
                    Flag::new(
                        "Give what is due in 1970 the due time that it has when read in this unit",
                        "seconds that were written for milliseconds",
                    )
                    .with(["UNIT", "s", "Seconds"]),
                ),
            ),
            Self::Score => (
                "What has a score that is no due time gets one: below 0, now; micro- or \
                 nanoseconds, when it was meant; what overflowed, in 100 years.",
                IT,
                Some(Flag::new(
                    "Give what has no due time one: below 0, now; meant in micro- or nanoseconds, \
                     then; overflowed, in 100 years",
                    "scores that are no times become due times",
                )),
            ),
            Self::DropStrays => (
                "What only the order list holds leaves it, although it may never have been \
                 delivered. The journal keeps it.",
                Some("brings it back into the order list"),
                None,
            ),
        };
        RepairWords { does, undo, flag }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repair_makes_the_change_that_is_its() {
        for repair in Repair::ALL {
            let made = repair.what(None, None).as_ref().and_then(Repair::making);
            assert!(made.is_none_or(|made| made == *repair), "{repair:?}");
            assert!(repair.flag().is_none() || made.is_some(), "{repair:?}");
        }
    }

    #[test]
    fn what_is_said_to_be_undone_is_a_change_that_the_journal_takes_back() {
        for repair in Repair::ALL {
            let what = repair.what(None, None);
            let can = what.is_some_and(|what| what.change().can_be_undone());
            // What only the order list holds has lost its due time.
            let strays = [Repair::DeliverStrays].contains(repair);
            assert_eq!(repair.undo().is_some(), can && !strays, "{repair:?}");
        }
    }
}
