//! The commands that are told together: one of a client and those of the script that it started,
//! or those of one transaction of an append-only file.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::command::TracedCommand;
use super::super::life::Moment;
use super::super::record::{Record, Sender};
use crate::queue::QueueName;

/// Bytes of a step at most; a longer one is told in parts.
const MOST_BYTES: usize = 16 << 20;

/// The commands that start a script.
const SCRIPT_STARTS: [&str; 6] = [
    "evalsha",
    "eval",
    "fcall",
    "evalsha_ro",
    "eval_ro",
    "fcall_ro",
];

/// Commands that are told together. Their room is used again for the next ones.
#[derive(Default)]
pub(super) struct TracedTransaction {
    records: Vec<Record>,
    used: usize,
    bytes: usize,
    /// A transaction has begun and not ended.
    is_open: bool,
    /// The client whose transaction the server runs; none: that of no client, or none at all.
    runs_of: Option<Box<[u8]>>,
    /// True when a script's next command is of this step: the log shows who started it, or that this is
    /// missing.
    is_in_script: bool,
}

/// A transaction, with the meaning of each of its commands.
pub(super) struct TracedStep<'a> {
    commands: Vec<(&'a Record, TracedCommand<'a>)>,
    moment: Moment,
    /// The members that it puts into sorted sets, where it also takes some out.
    added: HashSet<&'a [u8]>,
}

/// An element that is pushed to a list.
pub(super) struct PushedElement<'a> {
    pub(super) db: u32,
    pub(super) key: &'a [u8],
    pub(super) value: &'a [u8],
}

impl TracedTransaction {
    /// Appends a command.
    pub(super) fn add(&mut self, record: &Record) {
        self.bytes += record.size();
        match self.records.get_mut(self.used) {
            Some(room) => room.clone_from(record),
            None => self.records.push(record.clone()),
        }
        self.used += 1;
    }

    /// A transaction begins with this record.
    pub(super) fn open(&mut self, record: &Record) {
        self.add(record);
        self.is_open = true;
    }

    /// The transaction ends.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// True while a transaction has begun and not ended.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The server runs the transaction of this client: what it did stands together.
    pub(super) fn run_of(&mut self, client: &[u8]) {
        self.runs_of = Some(client.into());
    }

    /// True while it runs the transaction of this client.
    pub(super) fn is_run_of(&self, client: &[u8]) -> bool {
        self.runs_of.as_deref() == Some(client)
    }

    /// The transaction of a client is over.
    pub(super) fn has_run(&mut self) {
        self.runs_of = None;
    }

    /// Takes note of each record: whether it starts a script, or is of one.
    pub(super) fn passes(&mut self, record: &Record) {
        self.is_in_script = match record.sender {
            Sender::Script => true,
            Sender::Client(_) => SCRIPT_STARTS.iter().any(|name| record.is(name)),
            Sender::Unknown => false,
        };
    }

    /// True when what a script sends next is of this step.
    pub(super) fn is_in_script(&self) -> bool {
        self.is_in_script
    }

    /// Forgets the commands.
    pub(super) fn clear(&mut self) {
        (self.used, self.bytes, self.is_open) = (0, 0, false);
    }

    /// Itself without commands. Room for very many is given back.
    pub(super) fn emptied(mut self) -> Self {
        if self.bytes > MOST_BYTES / 16 {
            self.records = Vec::new();
        }
        // One that was told in parts goes on.
        let is_open = self.is_open;
        self.clear();
        self.is_open = is_open;
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// True when it has to be told before more is added.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }
}

impl<'a> TracedStep<'a> {
    /// Takes each command of a transaction apart.
    pub(super) fn of(transaction: &'a TracedTransaction) -> Self {
        let records = &transaction.records[..transaction.used];
        let first = records.first();
        let by = match first.map(|record| &record.sender) {
            Some(Sender::Client(by)) => Some(Arc::from(by.as_slice())),
            Some(Sender::Script | Sender::Unknown) | None => None,
        };
        let meant = |record: &'a Record| Some((record, TracedCommand::of(record)?));
        let commands: Vec<_> = records.iter().filter_map(meant).collect();
        let takes =
            |(_, command): &(_, TracedCommand<'_>)| matches!(command, TracedCommand::Take { .. });
        let mut added = HashSet::new();
        if commands.len() > 1 && commands.iter().any(takes) {
            for (_, command) in &commands {
                if let TracedCommand::Add { members, .. } = command {
                    added.extend(members.iter().map(|(_, member)| *member));
                }
            }
        }
        Self {
            commands,
            added,
            moment: Moment {
                at_us: first.and_then(|record| record.at_us),
                by,
            },
        }
    }

    pub(super) fn commands(&self) -> impl Iterator<Item = (&'a Record, &TracedCommand<'a>)> {
        self.commands
            .iter()
            .map(|(record, command)| (*record, command))
    }

    /// Its time, in µs since the epoch.
    pub(super) fn at_us(&self) -> Option<i64> {
        self.moment.at_us
    }

    /// Its time and its author.
    pub(super) fn moment(&self) -> Moment {
        self.moment.clone()
    }

    /// Each element that it pushes to a list.
    pub(super) fn pushed(&self) -> impl Iterator<Item = PushedElement<'a>> {
        let pushes = self
            .commands()
            .filter_map(|(record, command)| match command {
                TracedCommand::Push { key, values, .. } => Some((record.db, *key, values)),
                _ => None,
            });
        pushes.flat_map(|(db, key, values)| {
            values
                .iter()
                .map(move |value| PushedElement { db, key, value })
        })
    }

    /// The elements that it pushes to those lists for which that holds.
    pub(super) fn pushed_to(
        &self,
        holds: impl Fn(u32, &'a [u8]) -> bool,
    ) -> impl Iterator<Item = &'a [u8]> {
        let pushed = self.pushed();
        pushed.filter_map(move |pushed| holds(pushed.db, pushed.key).then_some(pushed.value))
    }

    /// True when it takes this member out of a sorted set and puts it into one.
    pub(super) fn adds(&self, member: &[u8]) -> bool {
        self.added.contains(member)
    }

    /// True of a single command that no script has sent.
    pub(super) fn is_one_command(&self) -> bool {
        self.commands.len() == 1 && self.commands[0].0.sender != Sender::Script
    }

    /// True of commands that an append-only file holds: each of them has changed something.
    pub(super) fn is_of_a_file(&self) -> bool {
        let first = self.commands.first();
        first.is_some_and(|(record, _)| record.sender == Sender::Unknown)
    }

    /// The member that it put into a sorted set last, with that score as its text.
    pub(super) fn last_added(&self, score: &[u8]) -> Option<&'a [u8]> {
        let number: Option<f64> = str::from_utf8(score).ok().and_then(|s| s.parse().ok());
        let same = |(of, _): &&(f64, &[u8])| Some(*of) == number;
        let added = |(_, command): &(&Record, TracedCommand<'a>)| match command {
            TracedCommand::Add { members, .. } => {
                members.iter().rfind(same).map(|(_, member)| *member)
            }
            _ => None,
        };
        self.commands.iter().rev().find_map(added)
    }

    /// The first of these names that it names as a key.
    pub(super) fn named<'n>(&self, names: &'n [QueueName]) -> Option<&'n QueueName> {
        names.iter().find(|name| {
            let is_it = |word: &[u8]| word == name.as_bytes();
            self.commands()
                .any(|(record, _)| record.words(1).any(is_it))
        })
    }
}
