//! Makes events and lives of commands.
//!
//! The commands of a script stand one after the other in a log, as do those of a transaction in an
//! append-only file. Only together do they say what was done: Redisson's transfer pushes a payload
//! first and names the member after it. So they are kept as one step (a `Transaction`) and told
//! when the next command shows that it is over.

mod asking;
mod departures;
mod listeners;
mod lives;
mod races;
mod step;

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use super::command::{
    AddRule, CommandExpiry, CommandScores, ListEnd, Presence, ScoreChange, TracedCommand,
};
use super::figures::{Attempt, Figures, late_us};
use super::life::{Event, EventKind, FirstAsk, Life, Moment};
use super::names::ClientNames;
use super::record::{Record, Sender};
use super::target::{Element, TracedList, TracedLists, WaitingConsumers, is_one_client};
use crate::clock::EpochMillis;
use crate::queue::frame::Era;
use crate::queue::look::Client;
use crate::queue::name::{CHANNEL_PREFIX, ORDER_PREFIX, TIMEOUTS_PREFIX, names_of_key};
use crate::queue::{Due, EntryId, Queue, QueueName};
use asking::TransferTimes;
use departures::{Departure, Departures};
use listeners::Listeners;
use lives::TrackedLives;
use races::Races;
use step::{PushedElement, TracedStep, TracedTransaction};

/// The SHA-1 of the transfers of Redisson up to 3.21.0, and from 3.21.1 on.
const TRANSFERS: [&[u8]; 2] = [
    b"78d2ea980580b285865f2db54663f281dc326a78",
    b"a3a86b949561b56e14c274ad54368afeff259bc8",
];

/// Scripts that are known to be transfers, beside those of Redisson, at most.
const MOST_TRANSFERS: usize = 100;
/// The time that clients have for what falls due before the log ends, in µs: only what nobody has asked
/// for in it is told so.
const GRACE_US: i64 = 2_000_000;
/// Clients whose transactions are under way at most.
const MOST_TRANSACTIONS: usize = 10_000;
/// Bytes that a queue takes beside its lives and their elements, about.
const BYTES_OF_A_QUEUE: usize = 2_500;
/// The part of the memory above which the elements of targets give way to lives.
const PART_OF_ELEMENTS: usize = 4;
/// The same of the times of transfers.
const PART_OF_TIMES: usize = 8;
/// The same of the consumers that wait.
const PART_OF_WAITS: usize = 8;
/// The part of the memory that queues may take: no more of them are followed.
const PART_OF_QUEUES: usize = 4;
/// Events of an element that may be no message which are kept at most.
const MOST_HELD: usize = 100;

/// Reads records in their order and tells what happened to the messages of delayed queues.
pub struct Tracker {
    /// The queues to be followed; none follows every Redisson queue.
    wanted: Option<NamedQueues>,
    queues: Vec<FollowedQueue>,
    targets: TracedLists,
    /// Bytes that all of this may take.
    memory: usize,
    /// Bytes that the queues take beside their lives, about, and those of the times of transfers.
    bytes_of_queues: usize,
    bytes_of_times: usize,
    /// Roles of keys, by database and name.
    roles: HashMap<u32, HashMap<Box<[u8]>, Role>>,
    waits: WaitingConsumers,
    step: TracedTransaction,
    /// Clients that have begun a transaction, which the server has not run yet.
    transactions: HashSet<Box<[u8]>>,
    lives: TrackedLives,
    departures: Departures,
    names: ClientNames,
    listeners: Listeners,
    /// Scripts, by the hash of their text or SHA-1, that were seen to transfer what is due.
    transfers: HashSet<u64>,
    hasher: RandomState,
    /// A time before which no key expires, in ms since the epoch; none: no key expires.
    next_expiry_ms: Option<i64>,
    events: Vec<Event>,
    figures: Figures,
    /// The log begins with empty keys.
    begins_empty: bool,
    /// The log tells who has sent a command.
    has_senders: bool,
    /// A command was read that is no script's: what a script has done before that is not whole.
    has_begun: bool,
}

/// The queues that were named.
struct NamedQueues {
    queues: Vec<Arc<Queue>>,
    /// Their places by their keys.
    keys: HashMap<Vec<u8>, usize>,
}

/// A queue that is followed.
struct FollowedQueue {
    queue: Arc<Queue>,
    db: u32,
    /// Its place among the targets: two queues may have one.
    target: usize,
    /// The time at which timeouts expires, in ms since the epoch.
    expires_ms: Option<i64>,
    /// Timeouts holds nothing but the lives that wait: it was empty at some time that the log shows.
    is_whole: bool,
    /// It has no order list: whatever is pushed to its target may be one of its messages.
    is_plain: bool,
    /// The log names its timeouts or its order list. Where it has its target alone, its messages are
    /// known by their payloads.
    is_seen: bool,
    races: Races,
    asked: TransferTimes,
    /// The other name that it may have, which has the same keys but for target.
    twin: Option<QueueName>,
}

/// The role of a key, with the place of its queue, or of the target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    Timeouts(usize),
    Order(usize),
    Channel(usize),
    Target(usize),
}

/// The members that a step moves, in the order of its pushes.
#[derive(Default)]
struct StepMoves {
    /// The queue and the member of each push to a target, by the push's number.
    members: Vec<Option<(usize, Box<[u8]>)>>,
    /// The same members, to be looked up.
    moving: HashSet<(usize, Box<[u8]>)>,
    /// Members that leave timeouts in the step.
    leaving: HashSet<(usize, Box<[u8]>)>,
    /// The number of pushes to a target that have been told.
    told: usize,
    /// The lives of those that were of messages, each with the place of its queue.
    moved: Vec<(usize, u64)>,
    /// Targets that were read whole in the step.
    read: HashSet<usize>,
    /// The step takes members from the head of an order list.
    pops_order: bool,
    /// Members that the step gives other bytes, and those that these become, each with its queue.
    edited: HashMap<(usize, Box<[u8]>), EntryId>,
    made: HashMap<(usize, Box<[u8]>), EntryId>,
}

/// A member that a step has put into timeouts, or taken out, alone.
#[derive(Clone, Copy)]
struct LoneMember<'a> {
    queue: usize,
    member: &'a [u8],
    /// Its score and the rule; none: it was taken out.
    added: Option<(f64, AddRule)>,
}

impl Tracker {
    /// Follows these queues; without any, every Redisson queue. All that a tracker remembers takes
    /// `memory` bytes at most, about: lives that are over are let go first.
    #[must_use]
    pub fn new(wanted: Option<Vec<Queue>>, memory: usize) -> Self {
        Self {
            wanted: wanted.map(NamedQueues::new),
            queues: Vec::new(),
            targets: TracedLists::default(),
            memory,
            bytes_of_queues: 0,
            bytes_of_times: 0,
            roles: HashMap::new(),
            waits: WaitingConsumers::default(),
            step: TracedTransaction::default(),
            transactions: HashSet::new(),
            lives: TrackedLives::default(),
            departures: Departures::default(),
            names: ClientNames::default(),
            listeners: Listeners::default(),
            transfers: HashSet::new(),
            hasher: RandomState::new(),
            next_expiry_ms: None,
            events: Vec::new(),
            figures: Figures::default(),
            begins_empty: false,
            has_senders: false,
            has_begun: false,
        }
    }

    /// The log has every command since its keys were empty.
    pub fn begins_empty(&mut self) {
        self.begins_empty = true;
    }

    /// Some commands are missing from the log at this place: nothing is known for sure any more of what
    /// keys hold, and of those messages that are under way.
    pub fn lacks_some(&mut self) {
        if self.step.is_open() {
            self.step.clear();
        }
        self.tell();
        self.step.has_run();
        self.transactions.clear();
        self.waits.clear();
        self.begins_empty = false;
        for target in 0..self.targets.len() {
            self.targets.change(target, |list| list.is_known = false);
        }
        for queue in &mut self.queues {
            queue.is_whole = false;
        }
        self.lives.presume();
    }

    /// Events known by now, in their order; each is given once. The removal of a message that may be on
    /// its way to target comes up to a second of the log later than it happened.
    pub fn events(&mut self) -> std::vec::Drain<'_, Event> {
        self.events.drain(..)
    }

    /// The lives that were let go: they are over, and there was no room for them any more.
    pub fn let_go(&mut self) -> std::vec::Drain<'_, Life> {
        self.lives.let_go()
    }

    /// The names of connections, as far as the log tells them.
    #[must_use]
    pub fn names(&self) -> &ClientNames {
        &self.names
    }

    /// Takes note of the clients of CLIENT LIST, which may be from before the log begins.
    pub fn know(&mut self, clients: &[Client]) {
        for client in clients {
            self.names.know(client);
        }
    }

    /// The server has counted the clients that listen to the channel of the only queue that is followed,
    /// at this time in µs since the epoch.
    pub fn listen(&mut self, at_us: i64, count: u64) {
        self.listeners.counted(at_us, count);
    }

    /// The figures so far.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Reads the next record.
    pub fn read(&mut self, record: &Record) {
        if !self.goes_on(record) {
            self.tell();
            self.step.has_run();
        }
        self.step.passes(record);
        self.figures.commands += 1;
        self.has_begun |= record.sender != Sender::Script;
        if !self.has_begun {
            return;
        }
        match record.sender {
            Sender::Script => self.figures.script_commands += 1,
            // Once scripts are seen to leave their commands, they all do.
            Sender::Client(_) if self.figures.script_commands == 0 => {
                self.figures.scripts += u64::from(self.starts_script(record));
            }
            _ => {}
        }
        if record.at_us.is_some() {
            self.figures.first_us = self.figures.first_us.or(record.at_us);
            self.figures.last_us = self.figures.last_us.max(record.at_us);
            self.figures.precision = self.figures.precision.max(record.precision);
        }
        if let (Sender::Client(by), Some(at)) = (&record.sender, record.at_us) {
            for (db, key) in self.waits.goes_on(by, at) {
                match self.role(db, &key) {
                    Some(Role::Target(target)) => self
                        .targets
                        .change(target, |list| list.is_known |= list.is_empty()),
                    Some(Role::Timeouts(queue)) => {
                        let is_empty = self.lives.waiting(queue).next().is_none();
                        self.queues[queue].is_whole |= is_empty;
                    }
                    Some(Role::Order(_) | Role::Channel(_)) | None => {}
                }
            }
        }
        if let Sender::Client(by) = &record.sender {
            self.has_senders = true;
            self.names.read(by, record);
        }
        self.depart(record.at_us);
        self.transact(record);
        if record.sender == Sender::Unknown && record.is("multi") {
            self.step.open(record);
        } else if record.sender == Sender::Unknown && record.is("exec") {
            self.step.close();
        } else if self.concerns(record) {
            self.step.add(record);
        }
        if self.step.is_full() {
            self.tell();
        }
    }

    /// True of a record that belongs to the step of those before it.
    fn goes_on(&self, record: &Record) -> bool {
        match &record.sender {
            // Without its start in the log a script is nobody's, and not of whoever stands before it.
            Sender::Script => self.step.is_in_script(),
            Sender::Client(by) => self.step.is_run_of(by),
            Sender::Unknown => self.step.is_open(),
        }
    }

    /// Takes note of the transactions of clients: the server shows `MULTI` when it comes, and the
    /// commands behind it when it runs them, with nothing between them.
    fn transact(&mut self, record: &Record) {
        let Sender::Client(by) = &record.sender else {
            return;
        };
        if record.is("multi") {
            // All clients of a unix socket have one address.
            if is_one_client(by) && self.transactions.len() < MOST_TRANSACTIONS {
                self.transactions.insert(by.as_slice().into());
            }
        } else if record.is("hello") || record.is("auth") || record.is("client") {
            // Somebody else has the address now: these are no commands of a transaction that a
            // client sends.
            self.transactions.remove(by.as_slice());
        } else if self.transactions.is_empty() || !self.transactions.contains(by.as_slice()) {
        } else if record.is("exec") || record.is("discard") {
            self.transactions.remove(by.as_slice());
            self.step.has_run();
        } else if !self.step.is_run_of(by) {
            self.step.run_of(by);
        }
    }

    /// The log is over: what is still open is told, and every life that was not let go.
    pub fn finish(&mut self) -> Vec<Life> {
        // A transaction without its end was not done.
        if self.step.is_open() {
            self.step.clear();
        }
        self.tell();
        self.expire(self.figures.last_us);
        let commands = self.figures.commands;
        while let Some(departure) = self.departures.over(self.figures.last_us, commands) {
            self.left(departure);
        }
        // Whoever took these out may have been about to push them.
        while let Some(mut departure) = self.departures.oldest() {
            departure.event.is_presumed = true;
            self.lives
                .change(departure.life, |life| life.is_presumed = true);
            self.left(departure);
        }
        self.ask_at_the_end();
        self.confirm_unseen();
        let lives = self.lives.finish();
        for life in &lives {
            self.figures.told(life);
        }
        lives
    }

    /// True of a record that may concern a queue.
    fn concerns(&self, record: &Record) -> bool {
        let Some(command) = TracedCommand::of(record) else {
            return false;
        };
        match &command {
            TracedCommand::Script { .. }
            | TracedCommand::Flush { .. }
            | TracedCommand::Pop {
                waits_us: Some(_), ..
            } => true,
            // Which list is a target is known once a member of timeouts is named.
            TracedCommand::Push { .. }
                if self.step.is_open() || record.sender == Sender::Script =>
            {
                true
            }
            _ => command.keys().any(|key| {
                self.role(record.db, key).is_some()
                    || is_redisson(key)
                    || self
                        .wanted
                        .as_ref()
                        .is_some_and(|wanted| wanted.keys.contains_key(key))
            }),
        }
    }

    /// True of a record that starts a script with a key of a queue.
    fn starts_script(&self, record: &Record) -> bool {
        let is_script = ["evalsha", "eval", "fcall"]
            .iter()
            .any(|name| record.is(name));
        is_script && record.words(3).any(|word| self.is_of_queue(word))
    }

    /// True of a key that a queue has which is followed, or may be.
    fn is_of_queue(&self, key: &[u8]) -> bool {
        match &self.wanted {
            None => is_redisson(key),
            Some(wanted) => wanted.keys.contains_key(key),
        }
    }

    fn role(&self, db: u32, key: &[u8]) -> Option<Role> {
        self.roles.get(&db)?.get(key).copied()
    }

    /// Begins to follow the queues whose keys a step names for the first time.
    fn discover(&mut self, step: &TracedStep<'_>) {
        let mut seen = HashSet::new();
        for (record, command) in step.commands() {
            for key in command.keys() {
                match (self.role(record.db, key), &self.wanted) {
                    (Some(Role::Timeouts(queue) | Role::Order(queue)), _) => {
                        self.queues[queue].is_seen = true;
                        if seen.insert(queue) {
                            self.name_rightly(step, queue);
                        }
                    }
                    (Some(_), _) => {}
                    (None, Some(wanted)) => {
                        if let Some(at) = wanted.keys.get(key) {
                            let queue = wanted.queues[*at].clone();
                            self.follow(record.db, queue);
                            self.sees(record.db, key);
                        }
                    }
                    (None, None) => {
                        let names = names_of_key(key);
                        if let Some(name) = step.named(&names).or(names.first()) {
                            let queue = Queue::redisson(name.as_bytes());
                            self.follow(record.db, Arc::new(queue));
                            self.sees(record.db, key);
                        }
                    }
                }
            }
        }
    }

    /// A key was named for the first time.
    fn sees(&mut self, db: u32, key: &[u8]) {
        if let Some(Role::Timeouts(queue) | Role::Order(queue)) = self.role(db, key) {
            self.queues[queue].is_seen = true;
        }
    }

    /// Begins to follow a queue.
    fn follow(&mut self, db: u32, queue: Arc<Queue>) {
        let bytes = BYTES_OF_A_QUEUE + 8 * queue.name.as_bytes().len();
        if self.wanted.is_none() && self.bytes_of_queues + bytes > self.memory / PART_OF_QUEUES {
            self.figures.has_more_queues = true;
            return;
        }
        self.bytes_of_queues += bytes;
        let keys = queue.keys();
        let is_plain = keys.order.is_none();
        let at = self.queues.len();
        let target = self.target(db, keys.target);
        let roles = self.roles.entry(db).or_default();
        for (key, role) in [
            (Some(keys.timeouts), Role::Timeouts(at)),
            (keys.order, Role::Order(at)),
            (keys.channel, Role::Channel(at)),
        ] {
            if let Some(key) = key {
                roles.entry(key.into()).or_insert(role);
            }
        }
        let twin = queue.twin().filter(|_| self.wanted.is_none());
        self.queues.push(FollowedQueue {
            queue,
            db,
            target,
            expires_ms: None,
            is_whole: self.begins_empty,
            is_plain,
            is_seen: false,
            races: Races::default(),
            asked: TransferTimes::default(),
            twin,
        });
    }

    /// The place of the target with that key.
    fn target(&mut self, db: u32, key: Vec<u8>) -> usize {
        if let Some(Role::Target(target)) = self.role(db, &key) {
            return target;
        }
        let target = self.targets.add(TracedList::new(self.begins_empty));
        let roles = self.roles.entry(db).or_default();
        roles.insert(key.into(), Role::Target(target));
        target
    }

    /// Gives a queue its other name where a step that touches it names that one: `orders` and
    /// `{orders}` have the same keys, and an offer does not say which of them is meant.
    fn name_rightly(&mut self, step: &TracedStep<'_>, queue: usize) {
        let followed = &self.queues[queue];
        let Some(twin) = &followed.twin else {
            return;
        };
        let names = [twin.clone(), followed.queue.name.clone()];
        let Some(right) = step.named(&names) else {
            return;
        };
        let db = followed.db;
        if *right != followed.queue.name {
            let right = Queue::redisson(right.as_bytes());
            self.queues[queue].target = self.target(db, right.keys().target);
            self.queues[queue].queue = Arc::new(right);
        }
        self.queues[queue].twin = None;
    }

    /// Tells what the commands of the step did together.
    fn tell(&mut self) {
        if self.step.is_empty() {
            return;
        }
        let transaction = std::mem::take(&mut self.step);
        let step = TracedStep::of(&transaction);
        self.discover(&step);
        self.expire(step.at_us());
        let mut moves = self.pair(&step);
        self.find_edits(&step, &mut moves);
        for (record, command) in step.commands() {
            self.apply(&step, record, command, &mut moves);
        }
        self.won(&step, &moves);
        self.attempted(&step, &moves);
        self.serve_early(&step);
        self.serve(&step);
        self.make_room();
        drop(step);
        self.step = transaction.emptied();
    }

    /// Bytes that everything takes which is remembered, about.
    fn bytes(&self) -> usize {
        let beside_lives = self.departures.bytes() + self.targets.bytes() + self.waits.bytes();
        let of_queues = self.bytes_of_queues + self.bytes_of_times;
        self.lives.bytes() + beside_lives + of_queues
    }

    /// Forgets until everything fits: lives that are over leave first, the oldest before the others, and
    /// those that are under way last.
    fn make_room(&mut self) {
        let forgotten = self.figures.forgotten;
        while self.bytes() > self.memory {
            if let Some(id) = self.lives.first_finished() {
                self.let_go_of(id);
            } else if let Some(departure) = self.departures.oldest() {
                self.left(departure);
            } else if self.targets.bytes() > self.memory / PART_OF_ELEMENTS
                && let Some(lives) = self.targets.forget_oldest()
            {
                for id in lives {
                    self.let_go_of(id);
                }
            } else if self.bytes_of_times > self.memory / PART_OF_TIMES && self.forget_times() {
                // The longest list of them has half as many.
            } else if self.waits.bytes() > self.memory / PART_OF_WAITS {
                self.waits.clear();
            } else if let Some(id) = self.lives.oldest() {
                self.let_go_of(id);
            } else {
                break;
            }
        }
        if self.figures.forgotten > forgotten {
            for queue in &mut self.queues {
                queue.is_whole = false;
            }
        }
    }

    /// Forgets the older half of the times of that queue's transfers which has the most; false when that
    /// freed nothing.
    fn forget_times(&mut self) -> bool {
        let times = self.queues.iter_mut().map(|queue| &mut queue.asked);
        let Some(most) = times.max_by_key(|times| times.bytes()) else {
            return false;
        };
        let before = most.bytes();
        most.halve();
        let after = most.bytes();
        self.bytes_of_times = self.bytes_of_times.saturating_sub(before) + after;
        after < before
    }

    /// Finds the member that each push to a target is of: one with that payload which leaves the
    /// queue in the same step.
    fn pair(&self, step: &TracedStep<'_>) -> StepMoves {
        let pops_order = step.commands().any(|(record, command)| {
            matches!(command, TracedCommand::Pop { keys, .. }
                if keys.iter().any(|key| matches!(self.role(record.db, key), Some(Role::Order(_)))))
        });
        let mut moves = StepMoves {
            pops_order,
            ..StepMoves::default()
        };
        let is_target =
            |p: &PushedElement<'_>| matches!(self.role(p.db, p.key), Some(Role::Target(_)));
        if !step.pushed().any(|pushed| is_target(&pushed)) {
            return moves;
        }
        let mut by_payload: HashMap<&[u8], VecDeque<(usize, &[u8])>> = HashMap::new();
        let mut seen = HashSet::new();
        let mut leaves = |queue: usize, member| {
            if seen.insert((queue, member))
                && let Ok(inside) = self.queues[queue].queue.unwrap(member)
            {
                let same = by_payload.entry(inside.payload).or_default();
                same.push_back((queue, member));
            }
        };
        for (record, command) in step.commands() {
            match command {
                TracedCommand::Remove { key, value, .. } => {
                    if let Some(Role::Order(queue)) = self.role(record.db, key) {
                        leaves(queue, *value);
                    }
                }
                TracedCommand::Take { key, members } => {
                    if let Some(Role::Timeouts(queue)) = self.role(record.db, key) {
                        for &member in members {
                            leaves(queue, member);
                            moves.leaving.insert((queue, member.into()));
                        }
                    }
                }
                TracedCommand::TakeRanks { .. }
                | TracedCommand::TakeEnd { .. }
                | TracedCommand::TakeRange { .. } => {
                    for key in command.keys() {
                        let Some(Role::Timeouts(queue)) = self.role(record.db, key) else {
                            continue;
                        };
                        for member in self.taken_by_place(step, queue, command) {
                            leaves(queue, member);
                            moves.leaving.insert((queue, member.into()));
                        }
                    }
                }
                _ => {}
            }
        }
        for PushedElement { db, key, value } in step.pushed() {
            let Some(Role::Target(target)) = self.role(db, key) else {
                continue;
            };
            let member = by_payload.get_mut(value).and_then(|same| {
                let is_moved_there =
                    |(queue, _): &(usize, &[u8])| self.queues[*queue].target == target;
                let first = same.iter().position(is_moved_there)?;
                same.remove(first)
            });
            let member = member.map(|(queue, member)| (queue, Box::from(member)));
            moves.moving.extend(member.clone());
            moves.members.push(member);
        }
        moves
    }

    /// Finds the members that a step gives other bytes: it puts the new ones in and takes the old ones
    /// out, one after the other, with the same scores. Edits of ours do so, and repairs of frames.
    fn find_edits(&self, step: &TracedStep<'_>, moves: &mut StepMoves) {
        let mut before: Option<LoneMember<'_>> = None;
        if step.is_one_command() {
            return;
        }
        for (record, command) in step.commands() {
            let (key, count, first) = match command {
                TracedCommand::Add { key, members, rule } => {
                    let first = members.first();
                    let first = first.map(|(score, member)| (*member, Some((*score, *rule))));
                    (*key, members.len(), first)
                }
                TracedCommand::Take { key, members } => {
                    let first = members.first().map(|member| (*member, None));
                    (*key, members.len(), first)
                }
                _ => continue,
            };
            let Some(Role::Timeouts(queue)) = self.role(record.db, key) else {
                continue;
            };
            let (1, Some((member, added))) = (count, first) else {
                before = None;
                continue;
            };
            let now = LoneMember {
                queue,
                member,
                added,
            };
            let pair = before.and_then(|before| self.edit_of(before, now));
            if let Some((old, new)) = pair
                && !moves.moving.contains(&(queue, old.into()))
                && !moves.pops_order
            {
                let id = |member| self.queues[queue].queue.id(member);
                moves.edited.insert((queue, old.into()), id(new));
                moves.made.insert((queue, new.into()), id(old));
                before = None;
            } else {
                before = Some(now);
            }
        }
    }

    /// The old and the new member of an edit, if these two commands are one.
    fn edit_of<'a>(
        &self,
        first: LoneMember<'a>,
        then: LoneMember<'a>,
    ) -> Option<(&'a [u8], &'a [u8])> {
        let (old, new, (score, rule)) = match (first.added, then.added) {
            (Some(added), None) => (then.member, first.member, added),
            (None, Some(added)) => (first.member, then.member, added),
            _ => return None,
        };
        let waiting = |member| {
            let life = self.lives.get(self.lives.find(first.queue, member)?);
            life.filter(|life| life.waits)
        };
        if first.queue != then.queue || old == new || waiting(new).is_some() {
            return None;
        }
        let layout = &self.queues[first.queue].queue;
        let is_edit = match waiting(old).and_then(|life| life.due) {
            Some(due) => layout.due(score) == due,
            // Its score is not known: whoever only lets in what is new gives it another place.
            None => first.added.is_some() && rule.presence == Presence::New,
        };
        is_edit.then_some((old, new))
    }

    /// Members that may have left timeouts by their places or scores in a step: those that wait there
    /// with a payload which the step pushes to target, by due time; of the plain queue the elements
    /// themselves.
    fn taken_by_place<'a>(
        &'a self,
        step: &TracedStep<'a>,
        queue: usize,
        command: &TracedCommand<'_>,
    ) -> Vec<&'a [u8]> {
        let followed = &self.queues[queue];
        let is_in = |life: &Life| match command {
            TracedCommand::TakeRange { scores, .. } => {
                let due = life.due.and_then(Due::at);
                due.is_none_or(|due| scores.has(followed.queue.score(due)))
            }
            _ => true,
        };
        let pushed =
            step.pushed_to(|db, key| self.role(db, key) == Some(Role::Target(followed.target)));
        if followed.is_plain {
            let is_in = |member: &&[u8]| {
                let life = self.lives.find(queue, member);
                life.and_then(|id| self.lives.get(id)).is_none_or(is_in)
            };
            return pushed.filter(is_in).collect();
        }
        let mut payloads: HashMap<&[u8], usize> = HashMap::new();
        for payload in pushed {
            *payloads.entry(payload).or_default() += 1;
        }
        let mut members = Vec::new();
        for id in self.lives.waiting(queue) {
            if payloads.is_empty() {
                break;
            }
            let Some(life) = self.lives.get(id).filter(|life| is_in(life)) else {
                continue;
            };
            if let Some(left) = payloads.get_mut(life.message.payload()) {
                *left -= 1;
                if *left == 0 {
                    payloads.remove(life.message.payload());
                }
                members.push(&*life.message.member);
            }
        }
        members
    }

    /// Tells what one command of a step did.
    fn apply(
        &mut self,
        step: &TracedStep<'_>,
        record: &Record,
        command: &TracedCommand<'_>,
        moves: &mut StepMoves,
    ) {
        let db = record.db;
        match command {
            TracedCommand::Add { key, members, rule } => {
                if let Some(Role::Timeouts(queue)) = self.role(db, key) {
                    for (score, member) in members {
                        let from = moves.made.get(&(queue, Box::from(*member))).copied();
                        self.added(step, queue, (member, from), *score, *rule);
                        // One command may have a million.
                        self.make_room();
                    }
                }
            }
            TracedCommand::Take { key, members } => {
                if let Some(Role::Timeouts(queue)) = self.role(db, key) {
                    for member in members {
                        self.taken(step, queue, member, moves);
                    }
                }
            }
            TracedCommand::TakeRange { key, scores } => {
                if let Some(Role::Timeouts(queue)) = self.role(db, key) {
                    self.taken_range(step, queue, scores, moves);
                }
            }
            TracedCommand::TakeRanks { key, first, last } => {
                if let Some(Role::Timeouts(queue)) = self.role(db, key) {
                    self.taken_ranks(step, queue, (*first, *last));
                }
            }
            TracedCommand::TakeEnd {
                keys,
                end,
                most,
                waits_us,
            } => self.taken_from_end(step, db, keys, (*end, *most), *waits_us),
            TracedCommand::Push { key, end, values } => {
                if let Some(Role::Target(target)) = self.role(db, key) {
                    for value in values {
                        let life = self.pushed(step, target, value, moves);
                        let element = life.map_or(Element::Other, Element::Of);
                        self.targets
                            .change(target, |list| list.push(*end, element, value));
                    }
                }
            }
            TracedCommand::Pop {
                keys,
                end,
                most,
                to,
                waits_us,
            } => {
                self.popped(step, db, keys, (*end, *most), *to, *waits_us);
            }
            TracedCommand::Remove { key, count, value } => {
                if let Some(Role::Target(target)) = self.role(db, key) {
                    self.removed_from_target(step, target, value, *count);
                }
            }
            TracedCommand::Trim { key, first, last } => {
                if let Some(Role::Target(target)) = self.role(db, key) {
                    self.trimmed(step, target, *first, *last);
                }
            }
            TracedCommand::Delete { keys } => {
                for key in keys {
                    // `drainTo` of Redisson reads all, and deletes the list.
                    if let Some(Role::Target(target)) = self.role(db, key)
                        && moves.read.contains(&target)
                    {
                        self.trimmed(step, target, i64::MAX, -1);
                    }
                    self.gone(step, db, key, &EventKind::Deleted);
                }
            }
            TracedCommand::ReadAll { key } => {
                if let Some(Role::Target(target)) = self.role(db, key) {
                    moves.read.insert(target);
                }
            }
            TracedCommand::Rename { from } => self.gone(step, db, from, &EventKind::Renamed),
            TracedCommand::Flush { is_all } => {
                let of_those = self.roles.iter().filter(|(of, _)| *is_all || **of == db);
                let keys =
                    of_those.flat_map(|(db, roles)| roles.keys().map(|key| (*db, key.clone())));
                for (db, key) in keys.collect::<Vec<_>>() {
                    self.gone(step, db, &key, &EventKind::Deleted);
                }
            }
            TracedCommand::Expire { key, expiry } => {
                let now_ms = step.at_us().map(|us| us.div_euclid(1_000));
                let expires_ms = match *expiry {
                    CommandExpiry::After(ms) => now_ms.map(|now| now.saturating_add(ms)),
                    CommandExpiry::At(ms) => Some(ms),
                    CommandExpiry::Never => None,
                };
                match self.role(db, key) {
                    Some(Role::Timeouts(queue)) => self.queues[queue].expires_ms = expires_ms,
                    Some(Role::Target(target)) => {
                        self.targets
                            .change(target, |list| list.expires_ms = expires_ms);
                    }
                    Some(Role::Order(_) | Role::Channel(_)) | None => return,
                }
                let both = self.next_expiry_ms.into_iter().chain(expires_ms);
                self.next_expiry_ms = both.min();
            }
            TracedCommand::Publish { channel, message } => {
                if let Some(Role::Channel(queue)) = self.role(db, channel) {
                    self.announced(step, queue, message);
                }
            }
            TracedCommand::Subscribe { channels } => {
                for channel in channels {
                    if let Some(Role::Channel(queue)) = self.role(db, channel)
                        && let (Some(by), Some(at_us)) = (&step.moment().by, step.at_us())
                    {
                        self.queues[queue].races.joined(by, at_us);
                        self.listeners.joined(at_us);
                    }
                }
            }
            TracedCommand::AskDue { .. }
            | TracedCommand::AskHead { .. }
            | TracedCommand::Script { .. } => {}
        }
    }
}

// --- Timeouts -------------------------------------------------------------------------------------

impl Tracker {
    /// A member was put into timeouts with this score, if the rule lets it; with the message that it was
    /// made of.
    fn added(
        &mut self,
        step: &TracedStep<'_>,
        queue: usize,
        (member, from): (&[u8], Option<EntryId>),
        score: f64,
        rule: AddRule,
    ) {
        let layout = self.queues[queue].queue.clone();
        // A key that has nothing in it is gone, and the time of its expiry with it.
        if self.queues[queue].is_whole && self.lives.waiting(queue).next().is_none() {
            self.queues[queue].expires_ms = None;
        }
        let mut known = self.lives.find(queue, member);
        if let Some(id) = known
            && self
                .lives
                .get(id)
                .is_some_and(|life| life.unconfirmed.is_some())
        {
            // What was pushed before it was offered was another message.
            self.lives.remove(id);
            known = None;
        }
        // A file has what changed something: where a member had to be there, it was.
        let is_sure = known.is_some() || self.queues[queue].is_whole || step.is_of_a_file();
        let has_it = step.is_of_a_file() && rule.presence == Presence::Old;
        let life = known.and_then(|id| self.lives.get(id));
        let waits = has_it || life.is_some_and(|life| life.waits);
        let before = life.filter(|life| life.waits).and_then(|life| life.due);
        let had = before.map(|due| match due {
            Due::At(moment) => layout.score(moment),
            Due::OutOfRange(score) => score,
        });
        let score = match (rule.is_increment, had) {
            (true, Some(had)) => had + score,
            // It is there, and nobody knows when it is due.
            (true, None) if waits || !is_sure => {
                let id = known.unwrap_or_else(|| self.begin(queue, member));
                self.lives.change(id, |life| {
                    (life.due, life.waits) = (None, true);
                    life.is_presumed |= !is_sure;
                });
                return;
            }
            _ => score,
        };
        let due = layout.due(score);
        let is_refused = match rule.presence {
            Presence::New => waits,
            Presence::Old => !waits && is_sure,
            Presence::Either => false,
        } || match (rule.change, had) {
            (ScoreChange::Higher, Some(had)) => score <= had,
            (ScoreChange::Lower, Some(had)) => score >= had,
            _ => false,
        };
        if is_refused || (waits && before == Some(due)) {
            return;
        }
        let is_again = known.is_some() || rule.presence == Presence::Old;
        let may_be_refused = rule.change != ScoreChange::Any && waits && had.is_none();
        let is_presumed = (rule.presence == Presence::Old && !is_sure) || may_be_refused;
        if let Some(departure) = known.and_then(|id| self.departure_of(queue, id)) {
            self.left(departure);
        }
        let kind = if let Some(from) = from {
            EventKind::EditedFrom { from, due }
        } else if is_again {
            EventKind::Requeued { due }
        } else {
            EventKind::Offered { due }
        };
        let id = known.unwrap_or_else(|| self.begin(queue, member));
        let moment = step.moment();
        self.lives.change(id, |life| {
            match kind {
                EventKind::Requeued { .. } => life.requeued += 1,
                EventKind::EditedFrom { from, .. } => life.edited_from = Some((from, moment)),
                _ => life.offered = Some(moment),
            }
            life.due = Some(due);
            life.waits = true;
            life.is_moved = false;
            life.ended = None;
            life.is_presumed |= is_presumed;
        });
        self.event_at(&step.moment(), queue, Some(id), kind, is_presumed);
    }

    /// Begins the life of a message.
    fn begin(&mut self, queue: usize, member: &[u8]) -> u64 {
        let followed = &self.queues[queue];
        self.figures.messages += 1;
        self.lives
            .begin(queue, &followed.queue, followed.db, member)
    }

    /// A member was taken out of timeouts.
    fn taken(&mut self, step: &TracedStep<'_>, queue: usize, member: &[u8], moves: &StepMoves) {
        let known = self.lives.find(queue, member);
        if moves.moving.contains(&(queue, member.into())) {
            // Pushed by the same script, before or after this.
            if let Some(id) = known {
                self.lives.change(id, |life| life.waits = false);
            }
            return;
        }
        let id = known.unwrap_or_else(|| self.begin(queue, member));
        self.confirm(id);
        let was = self.lives.get(id);
        let was_moved = was.is_some_and(|life| life.is_moved);
        let is_gone = known.is_some() && was.is_some_and(|life| !life.waits && !life.is_moved);
        self.lives.change(id, |life| life.waits = false);
        if let Some(into) = moves.edited.get(&(queue, Box::from(member))) {
            self.end(step, queue, id, EventKind::EditedInto { into: *into });
            return;
        }
        if was_moved || is_gone || step.adds(member) {
            return;
        }
        let kind = if moves.pops_order {
            EventKind::Polled
        } else {
            EventKind::Removed
        };
        // Where nothing is known of it, it may have been gone before.
        let is_presumed = known.is_none() && step.is_one_command() && !step.is_of_a_file();
        self.departs(step, queue, id, kind, is_presumed);
    }

    /// Takes note that all members with such a score left timeouts.
    fn taken_range(
        &mut self,
        step: &TracedStep<'_>,
        queue: usize,
        scores: &CommandScores,
        moves: &StepMoves,
    ) {
        let layout = self.queues[queue].queue.clone();
        let lowest = layout.due(scores.lowest()).at();
        // Scores may be finer than due times.
        let from = lowest.map_or(EpochMillis::new(i64::MIN), |due| due.plus(-1));
        let waiting = self.lives.waiting_from(queue, from);
        let waiting = waiting.map(|(due, id)| (layout.score(due), id));
        let ids: Vec<u64> = waiting
            .take_while(|(score, _)| !scores.is_passed(*score))
            .filter_map(|(score, id)| scores.has(score).then_some(id))
            .collect();
        for id in ids {
            let was_moved = self.lives.get(id).is_some_and(|life| {
                let member = (queue, life.message.member.clone());
                life.is_moved || moves.moving.contains(&member)
            });
            self.lives.change(id, |life| life.waits = false);
            if !was_moved {
                self.departs(step, queue, id, EventKind::Removed, false);
            }
        }
    }

    /// Members left timeouts by their places. Where the step pushes some to target, its pushes tell
    /// which: see `pair`.
    fn taken_ranks(&mut self, step: &TracedStep<'_>, queue: usize, (first, last): (i64, i64)) {
        if self.pushes(step, queue) {
            return;
        }
        let count = || self.lives.waiting(queue).count();
        let place = |rank: i64| {
            let rank = if rank < 0 {
                rank.saturating_add_unsigned(count() as u64)
            } else {
                rank
            };
            usize::try_from(rank)
        };
        let Ok(last_place) = place(last) else {
            return;
        };
        let skipped = place(first).unwrap_or(0);
        let most = last_place.saturating_add(1);
        let ids = self.lives.first_waiting(queue, ListEnd::Left, most);
        let is_presumed = !self.queues[queue].is_whole && (first, last) != (0, -1);
        for id in ids.into_iter().skip(skipped) {
            self.lives.change(id, |life| life.waits = false);
            self.departs(step, queue, id, EventKind::Removed, is_presumed);
        }
        self.queues[queue].is_whole |= (first, last) == (0, -1);
    }

    /// Members were taken from an end of the first of these sorted sets that has one, or are waited
    /// for.
    fn taken_from_end(
        &mut self,
        step: &TracedStep<'_>,
        db: u32,
        keys: &[&[u8]],
        (end, most): (ListEnd, usize),
        waits_us: Option<i64>,
    ) {
        for key in keys {
            let Some(Role::Timeouts(queue)) = self.role(db, key) else {
                continue;
            };
            if self.pushes(step, queue) || self.ends(&step.moment(), step, queue, (end, most)) {
                return;
            }
        }
        if let (Some(span_us), Some(by), Some(at_us)) = (waits_us, &step.moment().by, step.at_us())
        {
            // A command for sets waits at no list, nor one for lists at a set: the server refuses it.
            let is_set = |key: &&&[u8]| !matches!(self.role(db, key), Some(Role::Target(_)));
            let sets = keys.iter().filter(is_set);
            let sets = sets.map(|key| (db, Box::from(*key))).collect();
            self.waits.begin(by, end, sets, at_us, span_us);
        }
    }

    /// Somebody took members from an end of timeouts; false when none is there.
    fn ends(
        &mut self,
        moment: &Moment,
        step: &TracedStep<'_>,
        queue: usize,
        (end, most): (ListEnd, usize),
    ) -> bool {
        let ids = self.lives.first_waiting(queue, end, most);
        let is_presumed = !self.queues[queue].is_whole;
        let took = !ids.is_empty();
        for id in ids {
            self.lives.change(id, |life| life.waits = false);
            self.departs_at(moment, step, queue, id, EventKind::Polled, is_presumed);
        }
        took
    }

    /// True when the step pushes something to the target of this queue.
    fn pushes(&self, step: &TracedStep<'_>, queue: usize) -> bool {
        let target = Some(Role::Target(self.queues[queue].target));
        let mut pushed = step.pushed_to(|db, key| self.role(db, key) == target);
        pushed.next().is_some()
    }

    /// A message leaves timeouts in this step. Unless somebody pushes it soon, that is its end.
    fn departs(
        &mut self,
        step: &TracedStep<'_>,
        queue: usize,
        id: u64,
        kind: EventKind,
        is_presumed: bool,
    ) {
        self.departs_at(&step.moment(), step, queue, id, kind, is_presumed);
    }

    /// The same by whoever had waited for it.
    fn departs_at(
        &mut self,
        moment: &Moment,
        step: &TracedStep<'_>,
        queue: usize,
        id: u64,
        kind: EventKind,
        is_presumed: bool,
    ) {
        let Some(life) = self.lives.get(id) else {
            return;
        };
        let was_presumed = life.is_presumed;
        self.lives.change(id, |life| {
            life.ended = Some((kind.clone(), moment.clone()));
            life.is_presumed |= is_presumed;
        });
        let followed = &self.queues[queue];
        let is_of_all = followed.is_plain;
        let target = followed.target;
        let event = self.event_of(moment, queue, Some(id), kind, is_presumed);
        let departure = Departure {
            life: id,
            event,
            target,
            is_of_all,
            was_presumed,
            command: self.figures.commands,
        };
        if is_of_all || step.is_one_command() {
            self.departures.add(departure);
        } else {
            self.left(departure);
        }
    }

    /// The departure of this life, if it is not told yet.
    fn departure_of(&mut self, queue: usize, id: u64) -> Option<Departure> {
        if self.departures.is_empty() {
            return None;
        }
        let payload = self.lives.get(id)?.message.payload();
        self.departures
            .of_life(id, self.queues[queue].target, payload)
    }

    /// Tells the departures that nobody has made a transfer of until then.
    fn depart(&mut self, at_us: Option<i64>) {
        while let Some(departure) = self.departures.over(at_us, self.figures.commands) {
            self.left(departure);
        }
    }

    /// A message has left, and not for target.
    fn left(&mut self, departure: Departure) {
        self.figures.count(&departure.event);
        self.events.push(departure.event);
    }

    /// A message was published on the channel of a queue.
    fn announced(&mut self, step: &TracedStep<'_>, queue: usize, message: &[u8]) {
        let Some(member) = step.last_added(message) else {
            return;
        };
        let Some(id) = self.lives.find(queue, member) else {
            return;
        };
        let to = self.listeners.at(step.at_us());
        self.lives.change(id, |life| {
            if life.announced_us.is_none() {
                (life.announced_us, life.announced_to) = (step.at_us(), to);
            }
        });
        self.event(step, queue, Some(id), EventKind::Announced { to });
    }

    /// The keys whose time has passed are gone.
    fn expire(&mut self, at_us: Option<i64>) {
        let Some(now_ms) = at_us.map(|us| us.div_euclid(1_000)) else {
            return;
        };
        if self.next_expiry_ms.is_none_or(|next| now_ms < next) {
            return;
        }
        for queue in 0..self.queues.len() {
            let expires = self.queues[queue].expires_ms;
            let Some(expires) = expires.filter(|expires| *expires <= now_ms) else {
                continue;
            };
            self.queues[queue].expires_ms = None;
            self.queues[queue].is_whole = true;
            let moment = Moment {
                at_us: expires.checked_mul(1_000),
                by: None,
            };
            for id in self.lives.waiting(queue).collect::<Vec<_>>() {
                self.lives.change(id, |life| life.waits = false);
                self.end_at(&moment, queue, id, EventKind::Expired);
            }
        }
        for target in 0..self.targets.len() {
            let expires = self.targets[target].expires_ms;
            let Some(expires) = expires.filter(|expires| *expires <= now_ms) else {
                continue;
            };
            let moment = Moment {
                at_us: expires.checked_mul(1_000),
                by: None,
            };
            for id in self.targets.change(target, TracedList::clear) {
                self.lost_at(&moment, id, EventKind::Expired);
            }
        }
        let of_queues = self.queues.iter().filter_map(|queue| queue.expires_ms);
        let of_targets = self.targets.iter().filter_map(|list| list.expires_ms);
        self.next_expiry_ms = of_queues.chain(of_targets).min();
    }
}

// --- Target ---------------------------------------------------------------------------------------

impl Tracker {
    /// An element was pushed to a target; the life that it is of, if it is one.
    fn pushed(
        &mut self,
        step: &TracedStep<'_>,
        target: usize,
        value: &[u8],
        moves: &mut StepMoves,
    ) -> Option<u64> {
        let paired = moves.members.get(moves.told).cloned().flatten();
        moves.told += 1;
        let left = match paired {
            Some(_) => None,
            None => self.departed(step, target, value),
        };
        let has_left = left.is_some();
        let (queue, member) = match (paired, left) {
            (Some(paired), _) => paired,
            (None, Some(left)) => left,
            // The plain queue is moved by commands of their own.
            (None, None) => {
                let queue = self.plain_queue(target);
                (queue.or_else(|| self.unseen_queue(target))?, value.into())
            }
        };
        let known = self.lives.find(queue, &member);
        let is_plain = self.queues[queue].is_plain;
        let is_alone = !is_plain && !self.queues[queue].is_seen;
        let leaves = has_left || moves.leaving.contains(&(queue, member.clone()));
        let id = known.unwrap_or_else(|| {
            let id = self.begin(queue, &member);
            if (is_plain && !leaves) || is_alone {
                // Anybody may push to that list: it is a message once timeouts loses it, or when the log
                // ends without a word of timeouts.
                self.hold(id, is_alone);
            }
            id
        });
        let life = self.lives.get(id)?;
        let late_us = late_us(life.due, step.at_us());
        let stays = !leaves && !is_alone && (life.waits || !is_plain);
        moves.moved.push((queue, id));
        let (place, of) = (moves.moved.len(), moves.members.len());
        let moment = step.moment();
        let before = life.transfers;
        self.lives.change(id, |life| {
            if life.transfers == 0 {
                life.late_us = late_us;
                life.transferred = Some(moment);
            }
            life.transfers += 1;
            life.is_moved = true;
            life.waits = stays;
            life.ended = None;
            life.in_target += 1;
            life.in_target_since = step.at_us();
        });
        self.figures.delivered_again += u64::from(before == 1);
        self.figures.transfers_again += u64::from(before > 0);
        let kind = EventKind::Transferred {
            late_us,
            place,
            of,
            stays,
        };
        self.event_at(&step.moment(), queue, Some(id), kind, is_alone);
        Some(id)
    }

    /// Keeps the events of a life that may be no message's.
    fn hold(&mut self, id: u64, is_presumed: bool) {
        self.figures.messages -= 1;
        self.lives.change(id, |life| {
            life.unconfirmed = Some(Vec::new());
            life.is_presumed |= is_presumed;
        });
    }

    /// The queue and the member of a message that left timeouts before, and is pushed now.
    fn departed(
        &mut self,
        step: &TracedStep<'_>,
        target: usize,
        value: &[u8],
    ) -> Option<(usize, Box<[u8]>)> {
        if self.departures.is_empty() {
            return None;
        }
        let by = step.moment().by;
        let claimed = self.departures.claim(target, value, by.as_ref());
        if let Some(departure) = claimed {
            let was_presumed = departure.was_presumed;
            let queue = self.lives.queue_of(departure.life);
            let life = self.lives.get(departure.life);
            let member = life.map(|life| life.message.member.clone());
            let Some((queue, member)) = queue.zip(member) else {
                // Its life was let go as what it was then.
                self.left(departure);
                return None;
            };
            let unsure = |life: &mut Life| life.is_presumed = was_presumed;
            self.lives.change(departure.life, unsure);
            return Some((queue, member));
        }
        // It took one, and this one waits: it is that, and not the one of which it was presumed.
        let queue = self.plain_queue(target)?;
        let pushed = self.lives.get(self.lives.find(queue, value)?)?;
        if !pushed.waits {
            return None;
        }
        let departure = self.departures.presumed(target, by.as_ref())?;
        if self.lives.get(departure.life).is_none() {
            self.left(departure);
            return None;
        }
        self.lives.change(departure.life, |life| {
            (life.waits, life.ended) = (true, None);
            life.is_presumed = departure.was_presumed;
        });
        Some((queue, value.into()))
    }

    /// The plain queue with that target, if there is one alone.
    fn plain_queue(&self, target: usize) -> Option<usize> {
        let is_one = |queue: &FollowedQueue| queue.target == target && queue.is_plain;
        self.queues.iter().position(is_one)
    }

    /// The Redisson queue with that target of which the log shows nothing else.
    fn unseen_queue(&self, target: usize) -> Option<usize> {
        let is_one =
            |queue: &FollowedQueue| queue.target == target && !queue.is_plain && !queue.is_seen;
        self.queues.iter().position(is_one)
    }

    /// Elements were taken from the first of these lists that has one, or are waited for.
    fn popped(
        &mut self,
        step: &TracedStep<'_>,
        db: u32,
        keys: &[&[u8]],
        (end, most): (ListEnd, usize),
        to: Option<(&[u8], ListEnd)>,
        waits_us: Option<i64>,
    ) {
        let to = to.and_then(|(key, end)| match self.role(db, key) {
            Some(Role::Target(target)) => Some((target, end)),
            _ => None,
        });
        for key in keys {
            let Some(Role::Target(target)) = self.role(db, key) else {
                continue;
            };
            let mut took = false;
            for _ in 0..most.min(self.targets[target].len()) {
                if let Some(element) = self.targets.change(target, |list| list.pop(end)) {
                    took = true;
                    match to {
                        // It goes round.
                        Some((to, end)) if to == target => {
                            let life = element.life().and_then(|id| self.lives.get(id));
                            let value = life.map_or(&b""[..], |life| life.message.payload());
                            self.targets
                                .change(to, |list| list.push(end, element, value));
                        }
                        _ => self.consumed(&step.moment(), target, element),
                    }
                }
            }
            if took {
                if let Some((to, end)) = to.filter(|(to, _)| *to != target) {
                    self.targets
                        .change(to, |list| list.push(end, Element::Other, b""));
                }
                return;
            }
        }
        if let Some((to, end)) = to {
            // Whatever it moves there, if there is anything.
            self.targets.change(to, |list| {
                list.push(end, Element::Other, b"");
                list.is_known = false;
            });
        }
        if let (Some(span_us), Some(by), Some(at_us)) = (waits_us, &step.moment().by, step.at_us())
        {
            let is_list = |key: &&&[u8]| !matches!(self.role(db, key), Some(Role::Timeouts(_)));
            let lists = keys.iter().filter(is_list);
            let lists = lists.map(|key| (db, Box::from(*key))).collect();
            self.waits.begin(by, end, lists, at_us, span_us);
        }
    }

    /// An element was taken from a target.
    fn consumed(&mut self, moment: &Moment, target: usize, element: Element) {
        let Some(id) = element.life() else {
            return;
        };
        let Some(life) = self.lives.get(id) else {
            return;
        };
        let is_presumed = !self.targets[target].is_known;
        let waited_us = moment.at_us.zip(life.in_target_since);
        let waited_us = waited_us.map(|(at, since)| at.saturating_sub(since));
        let queue = self.lives.queue_of(id);
        self.lives.change(id, |life| {
            life.consumed.get_or_insert_with(|| moment.clone());
            life.deliveries += 1;
            life.in_target = life.in_target.saturating_sub(1);
            life.is_presumed |= is_presumed;
        });
        if let Some(queue) = queue {
            self.event_at(
                moment,
                queue,
                Some(id),
                EventKind::Consumed { waited_us },
                is_presumed,
            );
        }
    }

    /// Gives what was offered to those who waited for it at timeouts.
    fn serve_early(&mut self, step: &TracedStep<'_>) {
        let Some(at_us) = step.at_us() else {
            return;
        };
        for (record, command) in step.commands() {
            let TracedCommand::Add { key, .. } = command else {
                continue;
            };
            let Some(Role::Timeouts(queue)) = self.role(record.db, key) else {
                continue;
            };
            let set = (record.db, Box::from(*key));
            while self.lives.waiting(queue).next().is_some()
                && let Some(waiting) = self.waits.serve(&set, at_us)
            {
                let moment = Moment {
                    at_us: Some(at_us),
                    by: Some(waiting.by),
                };
                self.ends(&moment, step, queue, (waiting.end, 1));
            }
        }
    }

    /// Gives what was pushed to those who waited for an element.
    fn serve(&mut self, step: &TracedStep<'_>) {
        let Some(at_us) = step.at_us() else {
            return;
        };
        let mut lists: Vec<(u32, &[u8])> = step.pushed().map(|p| (p.db, p.key)).collect();
        lists.sort_unstable();
        lists.dedup();
        for (db, key) in lists {
            let Some(Role::Target(target)) = self.role(db, key) else {
                continue;
            };
            let list = (db, Box::from(key));
            while !self.targets[target].is_empty()
                && let Some(waiting) = self.waits.serve(&list, at_us)
            {
                let moment = Moment {
                    at_us: Some(at_us),
                    by: Some(waiting.by),
                };
                let element = self.targets.change(target, |list| list.pop(waiting.end));
                if let Some(element) = element {
                    self.consumed(&moment, target, element);
                }
            }
        }
    }

    /// Elements with this value were removed from a target.
    fn removed_from_target(
        &mut self,
        step: &TracedStep<'_>,
        target: usize,
        value: &[u8],
        count: i64,
    ) {
        let most = match usize::try_from(count.unsigned_abs()) {
            Ok(0) | Err(_) => usize::MAX,
            Ok(most) => most,
        };
        let from = if count < 0 {
            ListEnd::Right
        } else {
            ListEnd::Left
        };
        let is_it = |id| {
            let life = self.lives.get(id);
            life.is_some_and(|life| life.message.payload() == value)
        };
        let removed = self
            .targets
            .change(target, |list| list.remove(from, most, value, is_it));
        let is_found = !removed.is_empty();
        for id in removed {
            self.lost(step, id, EventKind::Removed);
        }
        if !is_found
            && !self.targets[target].is_known
            && let Some(queue) = self.unseen_queue(target)
            && self.lives.find(queue, value).is_none()
        {
            // It was there before the log begins, if it was.
            let id = self.begin(queue, value);
            self.hold(id, true);
            let moment = step.moment();
            let ended = Some((EventKind::Removed, moment.clone()));
            self.lives.change(id, |life| life.ended = ended);
            self.event_at(&moment, queue, Some(id), EventKind::Removed, true);
        }
    }

    /// Elements were cut from the ends of a target: taken, by who hands them on.
    fn trimmed(&mut self, step: &TracedStep<'_>, target: usize, first: i64, last: i64) {
        let from_head = usize::try_from(first).unwrap_or(0);
        let from_tail = usize::try_from(-1 - last).unwrap_or(0);
        for (end, count) in [(ListEnd::Left, from_head), (ListEnd::Right, from_tail)] {
            for _ in 0..count.min(self.targets[target].len()) {
                if let Some(element) = self.targets.change(target, |list| list.pop(end)) {
                    self.consumed(&step.moment(), target, element);
                }
            }
        }
    }

    /// An element of a target is gone, and nobody took it.
    fn lost(&mut self, step: &TracedStep<'_>, id: u64, kind: EventKind) {
        self.lost_at(&step.moment(), id, kind);
    }

    /// The same at a moment that may be no step's.
    fn lost_at(&mut self, moment: &Moment, id: u64, kind: EventKind) {
        self.lives
            .change(id, |life| life.in_target = life.in_target.saturating_sub(1));
        if let Some(queue) = self.lives.queue_of(id) {
            self.end_at(moment, queue, id, kind);
        }
    }

    /// A key is gone.
    fn gone(&mut self, step: &TracedStep<'_>, db: u32, key: &[u8], kind: &EventKind) {
        match self.role(db, key) {
            Some(Role::Timeouts(queue)) => {
                self.queues[queue].expires_ms = None;
                self.queues[queue].is_whole = true;
                for id in self.lives.waiting(queue).collect::<Vec<_>>() {
                    let was_moved = self.lives.get(id).is_some_and(|life| life.is_moved);
                    self.lives.change(id, |life| life.waits = false);
                    if !was_moved {
                        self.end(step, queue, id, kind.clone());
                    }
                }
            }
            Some(Role::Target(target)) => {
                for id in self.targets.change(target, TracedList::clear) {
                    self.lost(step, id, kind.clone());
                }
            }
            Some(Role::Order(_) | Role::Channel(_)) | None => {}
        }
    }
}

// --- Telling --------------------------------------------------------------------------------------

impl Tracker {
    /// Counts the transfer that a step is, if it is one of a Redisson client's.
    fn attempted(&mut self, step: &TracedStep<'_>, moves: &StepMoves) {
        let mut script = None;
        let mut asked = None;
        let mut ended = false;
        for (record, command) in step.commands() {
            match command {
                TracedCommand::Script { script: text } => script = Some(*text),
                TracedCommand::AskDue { key, now_ms } => {
                    if let Some(Role::Timeouts(queue)) = self.role(record.db, key) {
                        asked = Some((queue, *now_ms));
                    }
                }
                TracedCommand::AskHead { .. } => ended = true,
                _ => {}
            }
        }
        let (Some(script), Some((queue, now_ms))) = (script, asked) else {
            return;
        };
        // By what it does, whatever its text, which a log of `EVALSHA` does not show: it asks for what is
        // due, and for the head behind that.
        let is_known = is_transfer(script);
        let hash = self.hasher.hash_one(script);
        if ended && !is_known && self.transfers.len() < MOST_TRANSFERS {
            self.transfers.insert(hash);
        }
        if !is_known && !self.transfers.contains(&hash) {
            return;
        }
        let moment = step.moment();
        let attempt = match moves.moved.len() {
            _ if !ended => Attempt::Failed,
            0 => Attempt::InVain,
            _ => Attempt::Won,
        };
        let has_just_joined = self.queues[queue].races.has_just_joined(&moment);
        match attempt {
            Attempt::Failed => self.event(step, queue, None, EventKind::Failed),
            Attempt::InVain if has_just_joined => {}
            Attempt::InVain => self.ran_in_vain(step, queue, EpochMillis::new(now_ms)),
            Attempt::Won => {}
        }
        let its_clock = now_ms.checked_mul(1_000);
        let ahead = its_clock
            .zip(moment.at_us)
            .and_then(|(now, at)| Some((now.checked_sub(at)?, at)));
        let has_failed = attempt == Attempt::Failed;
        let times = &mut self.queues[queue].asked;
        let bytes_before = times.bytes();
        let is_late_again = times.ran(&moment, has_failed);
        self.bytes_of_times = self.bytes_of_times.saturating_sub(bytes_before) + times.bytes();
        if let Some(by) = &moment.by {
            // What it has taken apart, it can.
            let first = moves.moved.first().and_then(|(_, id)| self.lives.get(*id));
            let era = || Some(first?.message.form()?.era());
            let era = era_of(script).or_else(era);
            self.figures.attempt(by, attempt, era, ahead);
            if is_late_again {
                self.figures.missed_retry(by);
            }
        }
        if !has_failed {
            self.arm(queue, &moment);
        }
        self.asked(queue, &moment, moves);
    }

    /// A client's transfer ended with the head that it left, and set its timer to that one.
    fn arm(&mut self, queue: usize, moment: &Moment) {
        let is_whole = self.queues[queue].is_whole;
        let Some(id) = self.lives.head_life(queue) else {
            return;
        };
        let listening = self.queues[queue].races.listening(moment.by.as_ref());
        self.lives.change(id, |life| {
            // Something that the log does not show may stand before it.
            let is_head = is_whole || life.announced_us.is_some();
            if is_head && life.armed.is_none() {
                life.armed = Some(moment.clone());
                life.listening = listening.cloned();
            }
        });
    }

    /// Takes note of when what was just transferred was first asked for since it was due.
    fn asked(&mut self, queue: usize, moment: &Moment, moves: &StepMoves) {
        for (_, id) in moves.moved.iter().filter(|(of, _)| *of == queue) {
            let times = &self.queues[queue].asked;
            let due = self
                .lives
                .get(*id)
                .and_then(|life| life.due.and_then(Due::at));
            let due = due.filter(|due| self.figures.has_begun_by(*due));
            let first = due.and_then(|due| times.first_since(due).ok()?);
            let is_due = first.is_some_and(|first| Some(first) <= moment.at_us);
            self.lives.change(*id, |life| {
                if life.asked.is_none() && is_due {
                    life.asked = first.map(FirstAsk::At);
                }
            });
        }
    }

    /// Takes note of when what is late at the end of the log was first asked for, or that nobody has. A
    /// log without senders is a file of what has changed something: it shows no transfer in vain. Nothing
    /// is known of what was due before the log begins.
    fn ask_at_the_end(&mut self) {
        let Some(end_us) = self.figures.last_us.filter(|_| self.has_senders) else {
            return;
        };
        let end = EpochMillis::new(end_us.div_euclid(1_000));
        for queue in 0..self.queues.len() {
            let followed = &self.queues[queue];
            for host in followed.asked.unrepeated(Some(end_us)) {
                self.figures.missed_retry(host);
            }
            // Whoever moves what is in a plain one asks in its own way.
            if followed.is_plain {
                continue;
            }
            let all = self.lives.waiting_from(queue, EpochMillis::new(i64::MIN));
            let late = all.take_while(|(due, _)| *due < end);
            let late: Vec<_> = late
                .filter(|(due, _)| self.figures.has_begun_by(*due))
                .collect();
            for (due, id) in late {
                let Ok(first) = self.queues[queue].asked.first_since(due) else {
                    continue;
                };
                // What is offered after its due time can be asked for from then on.
                let life = self.lives.get(id);
                let offered_us = life.and_then(|life| life.offered.as_ref()?.at_us);
                let since_us = offered_us.max(due.get().checked_mul(1_000));
                let is_over = since_us.is_some_and(|us| end_us.saturating_sub(us) >= GRACE_US);
                if first.is_none() && !is_over {
                    continue;
                }
                self.figures.nobody_asked += u64::from(first.is_none());
                let first = first.map_or(FirstAsk::Never, FirstAsk::At);
                self.lives
                    .change(id, |life| life.asked = life.asked.or(Some(first)));
            }
        }
    }

    /// Keeps which lives a step moved, for those who run the same transfer after it.
    fn won(&mut self, step: &TracedStep<'_>, moves: &StepMoves) {
        let mut by_queue: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for (queue, id) in &moves.moved {
            by_queue.entry(*queue).or_default().push(*id);
        }
        for (queue, lives) in by_queue {
            self.queues[queue].races.won(step.moment(), lives);
        }
    }

    /// A client's transfer found nothing, at this time of its own clock: another client's may have been
    /// before it.
    fn ran_in_vain(&mut self, step: &TracedStep<'_>, queue: usize, now: EpochMillis) {
        let moment = step.moment();
        let head = self.lives.head(queue);
        let Some(won) = self.queues[queue].races.lost(&moment, now, head) else {
            return;
        };
        if let (Some(winner), Some(loser)) = (&won.moment.by, &moment.by) {
            self.figures.raced(winner, loser, won.rivals == 1);
            for id in &won.lives {
                self.lives.change(*id, |life| life.ran_in_vain(loser));
            }
        }
        let (first, won) = (won.lives.first().copied(), won.moment.clone());
        self.event(step, queue, first, EventKind::InVain { won });
    }

    /// Tells the events of an element that turned out to be a message.
    fn confirm(&mut self, id: u64) {
        let mut held = None;
        self.lives.change(id, |life| held = life.unconfirmed.take());
        self.figures.messages += u64::from(held.is_some());
        for event in held.into_iter().flatten() {
            self.figures.count(&event);
            self.events.push(event);
        }
    }

    /// Tells what was held of those queues of which the log has shown their target alone.
    fn confirm_unseen(&mut self) {
        let is_unseen = |queue: &FollowedQueue| !queue.is_plain && !queue.is_seen;
        let unseen: Vec<bool> = self.queues.iter().map(is_unseen).collect();
        let before = self.events.len();
        for id in self.lives.unconfirmed(|queue| unseen[queue]) {
            self.confirm(id);
        }
        self.events[before..].sort_by_key(|event| event.at_us);
    }

    /// Lets a life go, for want of memory.
    fn let_go_of(&mut self, id: u64) {
        if let Some(queue) = self.lives.queue_of(id) {
            let followed = &self.queues[queue];
            if !followed.is_plain && !followed.is_seen {
                self.confirm(id);
            }
        }
        self.lives.let_one_go(id, &mut self.figures);
    }

    /// The life of a message ends in this step without a consumer.
    fn end(&mut self, step: &TracedStep<'_>, queue: usize, id: u64, kind: EventKind) {
        self.end_at(&step.moment(), queue, id, kind);
    }

    /// The same at a moment that may be no step's.
    fn end_at(&mut self, moment: &Moment, queue: usize, id: u64, kind: EventKind) {
        self.lives
            .change(id, |life| life.ended = Some((kind.clone(), moment.clone())));
        self.event_at(moment, queue, Some(id), kind, false);
    }

    /// Something happened in this step.
    fn event(&mut self, step: &TracedStep<'_>, queue: usize, id: Option<u64>, kind: EventKind) {
        self.event_at(&step.moment(), queue, id, kind, false);
    }

    /// The same at a moment that may be no step's.
    fn event_at(
        &mut self,
        moment: &Moment,
        queue: usize,
        id: Option<u64>,
        kind: EventKind,
        is_presumed: bool,
    ) {
        let event = self.event_of(moment, queue, id, kind, is_presumed);
        let life = id.and_then(|id| self.lives.get(id));
        let is_confirmed = life.is_none_or(|life| life.unconfirmed.is_none());
        if is_confirmed {
            self.figures.count(&event);
            self.events.push(event);
        } else if let Some(id) = id {
            self.lives.change(id, |life| {
                if let Some(held) = &mut life.unconfirmed {
                    if held.len() >= MOST_HELD {
                        held.remove(0);
                    }
                    held.push(event);
                }
            });
        }
    }
}

impl Tracker {
    /// An event that is not told yet.
    fn event_of(
        &self,
        moment: &Moment,
        queue: usize,
        id: Option<u64>,
        kind: EventKind,
        is_presumed: bool,
    ) -> Event {
        let followed = &self.queues[queue];
        let life = id.and_then(|id| self.lives.get(id));
        Event {
            at_us: moment.at_us,
            queue: followed.queue.clone(),
            db: followed.db,
            message: life.map(|life| life.message.clone()),
            by: moment.by.clone(),
            kind,
            is_presumed,
        }
    }
}

impl NamedQueues {
    fn new(queues: Vec<Queue>) -> Self {
        let mut keys = HashMap::new();
        for (at, queue) in queues.iter().enumerate() {
            let own = queue.keys();
            let own = [Some(own.timeouts), Some(own.target), own.order, own.channel];
            keys.extend(own.into_iter().flatten().map(|key| (key, at)));
        }
        Self {
            queues: queues.into_iter().map(Arc::new).collect(),
            keys,
        }
    }
}

/// True of a key that begins as those of Redisson's delayed queues do.
fn is_redisson(key: &[u8]) -> bool {
    [TIMEOUTS_PREFIX, ORDER_PREFIX, CHANNEL_PREFIX]
        .iter()
        .any(|prefix| key.starts_with(prefix))
}

/// True of a script, given by its text or SHA-1, that is the transfer of a Redisson client.
fn is_transfer(script: &[u8]) -> bool {
    let has = |part: &[u8]| script.windows(part.len()).any(|some| some == part);
    TRANSFERS.contains(&script) || (has(b"zrangebyscore") && has(b"struct.unpack"))
}

/// The generation of Redisson whose transfer that script is.
fn era_of(script: &[u8]) -> Option<Era> {
    let has = |part: &[u8]| script.windows(part.len()).any(|some| some == part);
    let is_of = |at: usize, unpack: &[u8]| script == TRANSFERS[at] || has(unpack);
    if is_of(0, b"'dLc0'") {
        Some(Era::Older)
    } else {
        is_of(1, b"'Bc0Lc0'").then_some(Era::Newer)
    }
}

#[cfg(test)]
mod tests;
