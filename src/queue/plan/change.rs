//! The kinds of changes, and the words for them.

/// The kinds of changes.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Change {
    /// What is due: payload to target, out of timeouts and order list.
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
    /// What consumers hold that died goes back into target.
    PutBack,
    /// Elements of target lose the frames that they still had.
    Unwrap,
    /// The queue's keys expire no more.
    Persist,
    /// What has taken the names of the queue's keys gets others.
    RenameTaken,
    /// A change of the journal is taken back.
    Undo,
    /// A stand-in worker's run.
    Worker,
    /// A consumer's run.
    Consume,
}

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

    /// The word for it in screens, the journal and JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Transfer => "transfer",
            Self::Deliver => "deliver",
            Self::Requeue => "requeue",
            Self::Delete => "delete",
            Self::Offer => "offer",
            Self::Edit => "edit",
            Self::Repack => "repack",
            Self::Duplicate => "duplicate",
            Self::Kick => "kick",
            Self::Realign => "realign",
            Self::RestoreOrder => "restore-order",
            Self::Drift => "drift",
            Self::Quarantine => "quarantine",
            Self::Restore => "restore",
            Self::PutBack => "put-back",
            Self::Unwrap => "unwrap",
            Self::Persist => "persist",
            Self::RenameTaken => "rename-taken",
            Self::Undo => "undo",
            Self::Worker => "worker",
            Self::Consume => "consume",
        }
    }

    /// The past tense, as in "3 deleted".
    #[must_use]
    pub const fn past(self) -> &'static str {
        match self {
            Self::Transfer | Self::Worker => "transferred",
            Self::Deliver => "delivered",
            Self::Requeue => "requeued",
            Self::Delete => "deleted",
            Self::Offer => "offered",
            Self::Edit => "edited",
            Self::Repack => "repacked",
            Self::Duplicate => "duplicated",
            Self::Kick => "kicked",
            Self::Realign => "realigned",
            Self::RestoreOrder => "brought back",
            Self::Drift => "mended",
            Self::Quarantine => "quarantined",
            Self::Restore => "restored",
            Self::PutBack => "put back",
            Self::Unwrap => "unwrapped",
            Self::Persist => "persisted",
            Self::RenameTaken => "renamed",
            Self::Undo => "undone",
            Self::Consume => "consumed",
        }
    }

    /// The change with that [`word`](Self::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.word() == word)
    }

    /// Tells whether the journal can take it back.
    #[must_use]
    pub const fn can_be_undone(self) -> bool {
        !matches!(
            self,
            Self::Kick
                | Self::Realign
                | Self::RestoreOrder
                | Self::PutBack
                | Self::Worker
                | Self::Consume
        )
    }
}
