//! The changes there are: the kinds of them, how somebody asks for one, and the repairs of a queue
//! that make one. All that the plan, the question, the command line, the menu, the findings, the
//! journal and a user's rights say of a change is said here, once.

use std::mem::discriminant;

use super::finding::Step;
use super::frame::Form;
use super::plan::{Outcome, Plan};
use super::text;
use crate::clock::EpochMillis;

/// The kinds of changes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Change {
    /// Moves what is due: payload to target, out of timeouts and order list.
    Transfer,
    /// The same for chosen entries, due or not.
    Deliver,
    /// Another due time; what was delivered goes back to timeouts.
    Requeue,
    /// Out of the queue.
    Delete,
    /// A new entry.
    Offer,
    /// Other bytes, same due time and place.
    Edit,
    /// The same payload in a frame of another form, same due time and place.
    Repack,
    /// The same payload, offered again.
    Duplicate,
    /// All transfer clients look at once.
    Kick,
    /// The order list into due order: a burst is defused before it falls due.
    Realign,
    /// An order list that was set aside is brought back.
    RestoreOrder,
    /// Timeouts and order list hold the same members again.
    Drift,
    /// Out of the queue, into its quarantine.
    Quarantine,
    /// Out of quarantine, to wait again.
    Restore,
    /// Messages held by consumers that died go back into target.
    PutBack,
    /// Elements of target lose the frames that they still had.
    Unwrap,
    /// The queue's keys expire no more.
    Persist,
    /// Keys of other types that took the names of the queue's keys get other names.
    RenameTaken,
    /// A change of the journal is taken back.
    Undo,
    /// A stand-in worker's run.
    Worker,
    /// A consumer's run.
    Consume,
}

/// All that is said of a change.
///
/// Sentences may hold `{name}` and `{target}` of the queue, `{entries}` (`3 entries of orders`) and
/// `{some}` (`3 entries`), the same number as `{keys}`, `{members}`, `{messages}`, `{elements}` of
/// target, and `{due}` (`3 due entries`).
#[derive(Clone, Copy)]
struct ChangeFacts {
    word: &'static str,
    past: &'static str,
    can_be_undone: bool,
    /// Commands that it sends and reading does not, some groups of them.
    rights: &'static [&'static [&'static str]],
    /// The heading above a plan of it; its label and the entries unless it has one of its own.
    headline: &'static str,
    /// The question whether it shall be done; none where nobody is asked about a plan of it.
    question: Option<&'static str>,
    /// The reason why there is nothing for it to do; none where that depends on what was chosen.
    idle: Option<&'static str>,
}

impl ChangeFacts {
    const fn of(word: &'static str, past: &'static str) -> Self {
        Self {
            word,
            past,
            can_be_undone: true,
            rights: &[],
            headline: "{change} {entries}",
            question: None,
            idle: None,
        }
    }

    const fn needing(mut self, rights: &'static [&'static [&'static str]]) -> Self {
        self.rights = rights;
        self
    }

    const fn lasting(mut self) -> Self {
        self.can_be_undone = false;
        self
    }

    const fn planned(mut self, headline: &'static str) -> Self {
        self.headline = headline;
        self
    }

    const fn asked(mut self, question: &'static str) -> Self {
        self.question = Some(question);
        self
    }

    const fn idle(mut self, why: &'static str) -> Self {
        self.idle = Some(why);
        self
    }
}

/// Commands that start scripts.
const SCRIPT: &[&str] = &["eval", "evalsha"];
/// Entries leave timeouts and order list for target.
const TRANSFER: &[&str] = &["lpush", "lrem", "ltrim", "rpush", "zrem", "zremrangebyrank"];
/// Entries leave timeouts and order list, or target.
const DELETE: &[&str] = &["lindex", "lpos", "lrem", "ltrim", "rpush", "zrem"];
/// Entries become waiting ones.
const OFFER: &[&str] = &["publish", "rpush", "zadd"];
/// Entries change in their places.
const EDIT: &[&str] = &["linsert", "lrem", "ltrim", "rpush", "zadd", "zrem"];
/// Elements of target change in their places.
const REPLACE: &[&str] = &["linsert", "lrem"];
/// Keys get or lose an expiry.
const EXPIRY: &[&str] = &["persist", "pexpireat"];
/// Keys get other names.
const RENAME: &[&str] = &["renamenx"];
/// Entries of the order list change places.
const SWAP: &[&str] = &["lindex", "lset"];
/// An order list that was set aside is brought back.
const RESTORE: &[&str] = &["lpush", "ltrim"];
/// Elements of target are held, and let go or put back.
const HOLD: &[&str] = &[
    "hdel", "hget", "hset", "lpush", "lrem", "ltrim", "rpush", "zadd", "zrem",
];

impl Change {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Transfer,
        Self::Deliver,
        Self::Requeue,
        Self::Delete,
        Self::Offer,
        Self::Edit,
        Self::Repack,
        Self::Duplicate,
        Self::Kick,
        Self::Realign,
        Self::RestoreOrder,
        Self::Drift,
        Self::Quarantine,
        Self::Restore,
        Self::PutBack,
        Self::Unwrap,
        Self::Persist,
        Self::RenameTaken,
        Self::Undo,
        Self::Worker,
        Self::Consume,
    ];

    const fn facts(self) -> ChangeFacts {
        match self {
            Self::Transfer => ChangeFacts::of("transfer", "transferred")
                .needing(&[SCRIPT, TRANSFER, SWAP, &["rename", "watch"], RESTORE])
                .asked("Transfer {due} of {name} to its target list?"),
            Self::Deliver => ChangeFacts::of("deliver", "delivered")
                .needing(&[SCRIPT, TRANSFER, SWAP, &["rename", "zadd"], RESTORE])
                .planned("transfer now {entries}")
                .asked("Transfer {entries} to its target list now, due or not?"),
            Self::Requeue => ChangeFacts::of("requeue", "requeued")
                .needing(&[SCRIPT, OFFER, &["lrem"]])
                .asked("Give {entries} a new due time?"),
            Self::Delete => ChangeFacts::of("delete", "deleted")
                .needing(&[SCRIPT, DELETE])
                .asked("Delete {entries}?"),
            Self::Offer => ChangeFacts::of("offer", "offered").needing(&[SCRIPT, OFFER]),
            Self::Edit => ChangeFacts::of("edit", "edited")
                .needing(&[SCRIPT, EDIT])
                .asked("Replace the payload of {entries}?"),
            Self::Repack => ChangeFacts::of("repack", "rewritten")
                .needing(&[SCRIPT, EDIT, &["publish"]])
                .planned("repack {entries} (rewrite in the format that the clients read)")
                .asked("Rewrite {entries} in the format that the clients read?"),
            Self::Duplicate => ChangeFacts::of("duplicate", "duplicated")
                .needing(&[SCRIPT, OFFER])
                .asked("Offer the payloads of {entries} again?"),
            Self::Kick => ChangeFacts::of("kick", "woken")
                .needing(&[&["publish"]])
                .lasting()
                .planned("wake the clients of {name}")
                .asked("Wake all clients of {name}, to transfer what is due?"),
            Self::Realign => ChangeFacts::of("realign", "sorted")
                .needing(&[SCRIPT, SWAP])
                .lasting()
                .planned("sort the order list of {name}: {some}")
                .asked("Sort the order list of {name}, so that {some} come first?")
                .idle("the order list of {name} is sorted already"),
            Self::RestoreOrder => ChangeFacts::of("restore-order", "restored")
                .needing(&[SCRIPT, RESTORE])
                .planned("restore the order list of {name}: {some}")
                .asked("Restore the missing part of the order list of {name}: {members}?")
                .idle("no part of the order list of {name} is missing"),
            Self::Drift => ChangeFacts::of("drift", "repaired")
                .needing(&[SCRIPT, DELETE, &["lset"]])
                .planned("repair the order list of {name}: {some}")
                .asked("Repair the order list of {name}, which differs from timeouts in {some}?")
                .idle("timeouts and order list of {name} hold the same entries"),
            Self::Quarantine => ChangeFacts::of("quarantine", "quarantined")
                .needing(&[SCRIPT, DELETE, &["publish", "zadd"]])
                .asked("Move {entries} to quarantine, where no transfer meets them?"),
            Self::Restore => ChangeFacts::of("restore", "restored")
                .needing(&[SCRIPT, OFFER, &["linsert", "lpush", "ltrim", "zrem"]])
                .asked("Restore {entries} from quarantine, to wait again?"),
            Self::PutBack => ChangeFacts::of("put-back", "put back")
                .needing(&[
                    SCRIPT,
                    &[
                        "hdel", "hget", "hkeys", "hmget", "lpush", "lrem", "ltrim", "rpush",
                        "zadd", "zrem",
                    ],
                ])
                .lasting()
                .planned("put back {messages} of {name} that dead consumers hold")
                .asked("Put {messages} that dead consumers hold back into {target}?")
                .idle("no dead consumer holds a message of {name}"),
            Self::Unwrap => ChangeFacts::of("unwrap", "unwrapped")
                .needing(&[SCRIPT, REPLACE])
                .planned("remove the frames of {some} in the target of {name}")
                .asked("Remove the frames of {elements}, which keep their places?")
                .idle("no element in the target of {name} is framed"),
            Self::Persist => ChangeFacts::of("persist", "freed of expiry")
                .needing(&[SCRIPT, EXPIRY])
                .planned("remove the expiry of {keys} of {name}")
                .asked("Remove the expiry of {keys} of {name}?")
                .idle("no key of {name} expires"),
            Self::RenameTaken => ChangeFacts::of("rename-taken", "renamed")
                .needing(&[SCRIPT, RENAME, &["publish"]])
                .planned("rename what has taken the names of {keys} of {name}")
                .asked("Rename what has taken the names of {keys} of {name}?")
                .idle("all keys of {name} have the right types"),
            // The other way round, and that again; what was requeued is delivered in any way.
            Self::Undo => ChangeFacts::of("undo", "undone")
                .needing(&[
                    SCRIPT,
                    OFFER,
                    DELETE,
                    EDIT,
                    TRANSFER,
                    EXPIRY,
                    RENAME,
                    SWAP,
                    &["rename"],
                ])
                .planned("undo a change of {entries}")
                .asked("Undo the change of {entries}?"),
            Self::Worker => ChangeFacts::of("worker", "transferred")
                .needing(&[SCRIPT, TRANSFER, &["rename", "subscribe"], RESTORE])
                .lasting(),
            Self::Consume => ChangeFacts::of("consume", "consumed")
                .needing(&[SCRIPT, &["blmove", "lindex"], HOLD])
                .lasting(),
        }
    }

    /// The word for it in the journal's file, in JSON and as a command; people read its
    /// [`label`](Self::label).
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.facts().word
    }

    /// Its name for people, as in "nothing to delete" and in the title of its question.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Deliver => "transfer now",
            Self::Kick => "wake clients",
            Self::Realign => "sort list",
            Self::Drift => "repair list",
            Self::RestoreOrder => "restore list",
            Self::Repack => "rewrite",
            Self::PutBack => "put back",
            Self::Persist => "remove expiry",
            Self::RenameTaken => "rename key",
            _ => self.word(),
        }
    }

    /// The past tense, as in "3 deleted".
    #[must_use]
    pub const fn past(self) -> &'static str {
        self.facts().past
    }

    /// The change with that [`word`](Self::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.word() == word)
    }

    /// Tells whether what it counts are keys of the queue, and no entries.
    #[must_use]
    pub const fn counts_keys(self) -> bool {
        matches!(self, Self::Persist | Self::RenameTaken)
    }

    /// Tells whether the journal can take it back.
    #[must_use]
    pub const fn can_be_undone(self) -> bool {
        self.facts().can_be_undone
    }

    /// True when an undo that names no change takes it back, as the newest one. (Another undo would
    /// redo what the one before took back; an order list is brought back by other changes on their
    /// way too.)
    #[must_use]
    pub const fn is_undone_as_newest(self) -> bool {
        self.can_be_undone() && !matches!(self, Self::Undo | Self::RestoreOrder)
    }

    /// The outcome of what an undo has to take back: of an order list, what came back is where it was,
    /// and what did not has gone from it.
    #[must_use]
    pub const fn to_take_back(self) -> Outcome {
        match self {
            Self::RestoreOrder => Outcome::Gone,
            _ => Outcome::Done,
        }
    }

    /// The commands that it sends and reading does not.
    #[must_use]
    pub fn rights(self) -> Vec<&'static str> {
        self.facts().rights.concat()
    }

    /// Says why there is nothing for it to do in the queue of that name; none where that depends on what
    /// was chosen.
    #[must_use]
    pub fn idle(self, name: &str) -> Option<String> {
        self.facts().idle.map(|why| why.replace("{name}", name))
    }
}

impl Plan {
    /// The heading that says what it would do: `delete 3 entries of orders`.
    #[must_use]
    pub fn headline(&self) -> String {
        self.filled(self.change.facts().headline)
    }

    /// The question whether it shall be done: `Delete 3 entries of orders?`.
    #[must_use]
    pub fn question(&self) -> String {
        self.filled(self.change.facts().question.unwrap_or("{change} {name}?"))
    }

    fn filled(&self, sentence: &str) -> String {
        let name = text::printable_bytes(self.queue.name.as_bytes());
        let some = |one: &str, many: &str| text::counted(self.done_about(), one, many);
        let entries = some("entry", "entries");
        let of_queue = match self.copies_of {
            0 => format!("{entries} of {name}"),
            n => format!(
                "{} of {} of {name}",
                some("copy", "copies"),
                text::counted(n, "entry", "entries")
            ),
        };
        let known = [
            ("{change}", self.change.label().to_owned()),
            ("{some}", entries),
            ("{entries}", of_queue),
            ("{keys}", some("key", "keys")),
            ("{members}", some("member", "members")),
            ("{messages}", some("message", "messages")),
            (
                "{elements}",
                some("element of target", "elements of target"),
            ),
            ("{due}", some("due entry", "due entries")),
            ("{target}", text::printable_bytes(&self.queue.keys().target)),
            ("{name}", name),
        ];
        let mut rest = sentence;
        let mut filled = String::with_capacity(2 * sentence.len());
        // A name may hold what looks like one of these: each place is filled once.
        while let Some((before, named)) = rest.split_once('{') {
            filled.push_str(before);
            let end = named.find('}').map_or(named.len(), |end| end + 1);
            let place = &rest[before.len()..before.len() + 1 + end];
            let value = known.iter().find(|(known, _)| *known == place);
            filled.push_str(value.map_or(place, |(_, value)| value));
            rest = &named[end..];
        }
        filled + rest
    }
}

/// A change that somebody asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeRequest {
    /// Transfer: of `EntryChoice::Due` all that is due, else those of the chosen that are.
    Transfer,
    /// Deliver, due or not.
    Deliver,
    /// Give another due time.
    Requeue(NewDue),
    /// Delete.
    Delete,
    /// Replace the payload (of one entry): these bytes, encoded already.
    Edit(Vec<u8>),
    /// Give the frames this form; none: each the form of the other era. Of `EntryChoice::Due`: of all
    /// that waits.
    Repack(Option<Form>),
    /// Offer the same payload again, with the same due time.
    Duplicate,
    /// Kick.
    Kick,
    /// Put the order list into due order: of what falls due within so many ms; none: of all.
    Realign(Option<u64>),
    /// Bring an order list back that was set aside.
    RestoreOrder,
    /// Let timeouts and order list hold the same members again.
    Drift,
    /// Set entries aside that break transfers. Of `EntryChoice::Due`: all members that are no frames,
    /// which no transfer can unpack.
    Quarantine,
    /// Let entries wait again that are in quarantine. Of `EntryChoice::Due`: all of them.
    Restore,
    /// Put back into target what consumers hold that died.
    PutBack,
    /// Take the frames off that elements of target still have.
    Unwrap,
    /// Take the expiry of the queue's keys away.
    Persist,
    /// Give what has taken a name of the queue's keys, and is of another type, another name.
    RenameTaken,
    /// Requeue what has seconds for milliseconds to when it was meant to be due.
    Unit,
    /// Requeue what has a score that is no due time: see [`Queue::meant`](super::Queue::meant).
    Score,
}

impl ChangeRequest {
    /// The change that it asks for.
    #[must_use]
    pub const fn change(&self) -> Change {
        match self {
            Self::Transfer => Change::Transfer,
            Self::Deliver => Change::Deliver,
            // An entry without a due time, or with one in another unit, gets a new one as well.
            Self::Requeue(_) | Self::Unit | Self::Score => Change::Requeue,
            Self::Delete => Change::Delete,
            Self::Edit(_) => Change::Edit,
            Self::Repack(_) => Change::Repack,
            Self::Duplicate => Change::Duplicate,
            Self::Kick => Change::Kick,
            Self::Realign(_) => Change::Realign,
            Self::RestoreOrder => Change::RestoreOrder,
            Self::Drift => Change::Drift,
            Self::Quarantine => Change::Quarantine,
            Self::Restore => Change::Restore,
            Self::PutBack => Change::PutBack,
            Self::Unwrap => Change::Unwrap,
            Self::Persist => Change::Persist,
            Self::RenameTaken => Change::RenameTaken,
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn label(&self) -> &'static str {
        Repair::making(self).map_or_else(|| self.change().label(), Repair::label)
    }

    /// The word for it everywhere: in the menu of repairs, in questions and on the command line.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Score => "score",
            other => other.change().word(),
        }
    }
}

/// A new due time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NewDue {
    /// The moment that it is reckoned from.
    pub base: Base,
    /// The entries are spread evenly over so many ms from there on, in their order; 0: all at once.
    pub spread_ms: u64,
}

/// The moment that a new due time is reckoned from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Base {
    /// Now (when the plan is made), by the server's clock, and so many ms.
    In(u64),
    /// This moment.
    At(EpochMillis),
    /// Each entry's own due time, so many ms later (or earlier).
    By(i64),
}

/// A repair.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Repair {
    /// Due entries go to target.
    Transfer,
    /// Every transfer client looks at once.
    Kick,
    /// A stand-in worker transfers.
    Worker,
    /// Frames get the form that the clients unpack.
    Repack,
    /// Members that are no frames are set aside.
    Quarantine,
    /// Entries that were set aside wait again.
    Restore,
    /// Messages held by consumers that died go back into target.
    PutBack,
    /// Entries that only the order list holds wait again.
    Requeue,
    /// Entries that only the order list holds go to target.
    DeliverStrays,
    /// Entries that only timeouts holds come into the order list.
    Drift,
    /// An order list is brought back.
    RestoreOrder,
    /// The order list is brought into due order.
    Realign,
    /// Elements of target lose their frames.
    Unwrap,
    /// The keys lose their expiry.
    Persist,
    /// Keys of other types that took the queue's names are renamed.
    RenameTaken,
    /// Seconds become milliseconds.
    Unit,
    /// Entries without a due time get one.
    Score,
    /// Elements of target that are equal become one.
    KeepOne,
    /// Entries that only the order list holds leave it.
    DropStrays,
}

/// The words for a repair.
struct RepairWords {
    /// Its sentence in the menu.
    does: &'static str,
    /// The menu's words for what `undo` does about it; none when it cannot be undone.
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

/// The words for an `undo` that leaves nothing of the change.
const UNDONE_WHOLE: Option<&str> = Some("takes it back");

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
        Self::KeepOne,
        // It loses what may never have been delivered: never before another way.
        Self::DropStrays,
    ];

    /// The repair that a finding asks for, when it is one of these. Entries in quarantine ask for
    /// none: only people know whether they do no harm any more.
    #[must_use]
    pub fn of(step: &Step) -> Option<Self> {
        match step {
            Step::Worker => Some(Self::Worker),
            Step::WaitAgain => Some(Self::Requeue),
            Step::KeepOne => Some(Self::KeepOne),
            Step::Change(what) => Self::making(what).filter(|repair| *repair != Self::Restore),
            Step::Entry(ChangeRequest::Quarantine, _) => Some(Self::Quarantine),
            Step::Entry(..) | Step::Outside => None,
        }
    }

    /// The repair that makes this change of a queue as a whole.
    #[must_use]
    pub fn making(what: &ChangeRequest) -> Option<Self> {
        let is_it = |made: ChangeRequest| discriminant(&made) == discriminant(what);
        let makes = |repair: &Self| repair.what(None, None).is_some_and(is_it);
        let of_all = |repair: &Self| !repair.is_of_strays() && *repair != Self::KeepOne;
        Self::ALL.iter().copied().filter(of_all).find(makes)
    }

    /// The change that it asks for: a repack to `form`, a realignment of what falls due `within` so
    /// many ms. None where people say more, or of the stand-in worker, which makes none.
    #[must_use]
    pub const fn what(self, form: Option<Form>, within: Option<u64>) -> Option<ChangeRequest> {
        Some(match self {
            Self::Worker | Self::Requeue => return None,
            Self::Transfer => ChangeRequest::Transfer,
            Self::Kick => ChangeRequest::Kick,
            Self::Realign => ChangeRequest::Realign(within),
            Self::RestoreOrder => ChangeRequest::RestoreOrder,
            Self::DeliverStrays => ChangeRequest::Deliver,
            Self::DropStrays | Self::KeepOne => ChangeRequest::Delete,
            Self::Drift => ChangeRequest::Drift,
            Self::Repack => ChangeRequest::Repack(form),
            Self::Quarantine => ChangeRequest::Quarantine,
            Self::Restore => ChangeRequest::Restore,
            Self::PutBack => ChangeRequest::PutBack,
            Self::Unwrap => ChangeRequest::Unwrap,
            Self::Persist => ChangeRequest::Persist,
            Self::RenameTaken => ChangeRequest::RenameTaken,
            Self::Unit => ChangeRequest::Unit,
            Self::Score => ChangeRequest::Score,
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

    /// Its name for people, as a menu has it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Transfer => Change::Transfer.label(),
            Self::Kick => Change::Kick.label(),
            Self::Worker => Change::Worker.label(),
            Self::Repack => Change::Repack.label(),
            Self::Quarantine => Change::Quarantine.label(),
            Self::Restore => Change::Restore.label(),
            Self::PutBack => Change::PutBack.label(),
            Self::Requeue => Change::Requeue.label(),
            Self::DeliverStrays => Change::Deliver.label(),
            Self::Drift => Change::Drift.label(),
            Self::RestoreOrder => Change::RestoreOrder.label(),
            Self::Realign => Change::Realign.label(),
            Self::Unwrap => Change::Unwrap.label(),
            Self::Persist => Change::Persist.label(),
            Self::RenameTaken => Change::RenameTaken.label(),
            Self::Unit => "fix seconds",
            Self::Score => "fix due times",
            Self::KeepOne => "keep one",
            Self::DropStrays => Change::Delete.label(),
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
        self.words().does
    }

    /// The words for what `undo` does about it, such as "takes it back"; none when it cannot be
    /// undone.
    #[must_use]
    pub const fn undo(self) -> Option<&'static str> {
        self.words().undo
    }

    /// Its flag, when `repair` on the command line makes it.
    #[must_use]
    pub const fn flag(self) -> Option<Flag> {
        self.words().flag
    }

    const fn words(self) -> RepairWords {
        let (does, undo, flag) = match self {
            Self::Transfer => (
                "Transfers all that is due to target, as a client would have.",
                Some("takes back what nobody has consumed by then"),
                None,
            ),
            Self::Kick => (
                "Wakes all clients: each checks at once what is due. Harmless. The result says after \
                 2 s whether it helped.",
                None,
                Some(Flag::new(
                    "Wake all clients",
                    "nothing is changed; the result says whether it helped",
                )),
            ),
            Self::Worker => (
                "Transfers what falls due as long as this screen is open, beside any other client and \
                 in both formats.",
                None,
                None,
            ),
            Self::Repack => (
                "Rewrites all that waits in the format that the clients read: same payload, due time \
                 and place.",
                UNDONE_WHOLE,
                Some(
                    Flag::new(
                        "Rewrite what waits in the format that the queue's clients read",
                        "an entry in the other format stops every transfer: byte-id is that of \
                         Redisson\n3.21.1 and later, double-id that of earlier ones; place and due \
                         time stay",
                    )
                    .of_entries(),
                ),
            ),
            Self::Quarantine => (
                "Moves all members that no client wrote into a sorted set beside the queue, so that \
                 transfers go on without them.",
                UNDONE_WHOLE,
                Some(
                    Flag::new(
                        "Move entries that break transfers to quarantine",
                        "moves entries, with their due times: those that are chosen, else every\nmember \
                         that no client wrote, at which all transfers fail",
                    )
                    .of_entries(),
                ),
            ),
            Self::Restore => (
                "Lets all that is in quarantine wait again, each with its due time.",
                UNDONE_WHOLE,
                Some(
                    Flag::new(
                        "Let entries of quarantine wait again",
                        "lets them wait again; they are seen with entries --from quarantined",
                    )
                    .of_entries(),
                ),
            ),
            Self::PutBack => (
                "Puts messages that `consume` held when it died back into target, first in \
                 line. What a living consumer holds stays with it.",
                None,
                Some(Flag::new(
                    "Put back what a consumer had taken when it died",
                    "messages that `consume` had taken when it died go back into the target, first \
                     in\nline; from any machine. What a living consumer holds stays with it",
                )),
            ),
            Self::Requeue => (
                "Entries that only the order list holds wait again, with the due time that you \
                 choose: their own is lost.",
                None,
                None,
            ),
            Self::DeliverStrays => (
                "Entries that only the order list holds go to target now: twice, if they were \
                 delivered before.",
                None,
                None,
            ),
            Self::Drift => (
                "Entries that only timeouts holds are appended to the order list. What only the order \
                 list holds stays: it may never have been delivered.",
                UNDONE_WHOLE,
                Some(Flag::new(
                    "Let timeouts and order list hold the same entries again",
                    "what only timeouts holds is appended to the order list; what only the order\n\
                     list holds stays, since it may never have been delivered: with --from \
                     order-only\nrequeue lets it wait again, deliver delivers it, delete drops it",
                )),
            ),
            Self::RestoreOrder => (
                "Brings back the part of the order list that an interrupted change has moved, in its \
                 old order.",
                Some("with the id of the change brings back what was dropped"),
                Some(Flag::new(
                    "Bring back the part of the order list that a change has moved",
                    "the part of the order list that an interrupted change has moved; from any\nmachine",
                )),
            ),
            Self::Realign => (
                "Sorts the order list: what falls due soon comes first, so that no transfer has to \
                 search for it.",
                None,
                Some(Flag::new(
                    "Sort the order list by due time",
                    "sorts the order list by due time, so that a burst is transferred fast",
                )),
            ),
            Self::Unwrap => (
                "Removes the frames that elements of target still have, so that consumers can read \
                 them. They keep their places.",
                UNDONE_WHOLE,
                Some(Flag::new(
                    "Remove the frames that delivered elements still have",
                    "elements that consumers cannot read, since they still have a frame",
                )),
            ),
            Self::Persist => (
                "The queue's keys expire no more.",
                UNDONE_WHOLE,
                Some(Flag::new(
                    "Remove the expiry of its keys",
                    "keys that somebody has set to expire",
                )),
            ),
            Self::RenameTaken => (
                "A key of the wrong type that has the name of a key of the queue gets another name, \
                 with all that is in it.",
                UNDONE_WHOLE,
                Some(Flag::new(
                    "Rename a key of the wrong type that stands where a key of the queue belongs",
                    "a key of the wrong type that has the name of timeouts, order list or target gets\n\
                     the name taken:…; what it holds, and its expiry, stay",
                )),
            ),
            Self::Unit => (
                "Entries due in 1970, because seconds were written for milliseconds, get the due time \
                 that was meant.",
                UNDONE_WHOLE,
                Some(
                    Flag::new(
                        "Give what is due in 1970 the due time that it has when read in this unit",
                        "seconds that were written for milliseconds",
                    )
                    .with(["UNIT", "s", "Seconds"]),
                ),
            ),
            Self::Score => (
                "Entries with an impossible due time get one: below 0, now; micro- or nanoseconds, \
                 the time that was meant; overflowed, in 100 years.",
                UNDONE_WHOLE,
                Some(Flag::new(
                    "Correct impossible due times: negative becomes now, microseconds or nanoseconds \
                     the time that was meant, overflowed in 100 years",
                    "scores that are no times become due times",
                )),
            ),
            Self::KeepOne => (
                "Deletes the copies of what stands in target more than once: of each the one that a \
                 consumer takes last stays.",
                UNDONE_WHOLE,
                None,
            ),
            Self::DropStrays => (
                "Drops entries that only the order list holds, although they may never have been \
                 delivered. The journal keeps them.",
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
            let is_lossy = *repair == Repair::DeliverStrays;
            assert_eq!(repair.undo().is_some(), can && !is_lossy, "{repair:?}");
        }
    }
}
