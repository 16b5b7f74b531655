//! The changes that are killed: what lies in the queue, and what is typed.

use delayscope::clock::EpochMillis;
use delayscope::queue::{Change, ConsumerTag, Holder, Queue, Repair};

use crate::data::Random;
use crate::kill::world::TAKEN;
use crate::support::{Server, frame};

/// The queue of all scenarios.
pub const QUEUE: &str = "orders";
/// Long past, and far away: due times that are the same in every run.
const PAST: i64 = 1_700_000_000_000;
const AFAR: i64 = 4_000_000_000_000;

/// What lies in the queue before.
#[derive(Clone, Copy)]
pub struct Lie {
    /// How many wait.
    pub waiting: u64,
    /// How many of these are called `pick`, and not `rest`.
    pub picked: u64,
    /// Whether these are due.
    pub due: bool,
    /// Whether the offers were made in another order than that of the due times.
    pub shuffled: bool,
    /// What else is done to the queue.
    pub then: PastPicture,
}

/// What else is done to a queue before.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum PastPicture {
    /// Nothing.
    Nothing,
    /// The picked ones are delivered, not waiting.
    Delivered,
    /// The order list was set aside by a change that died.
    SetAside,
    /// The order list lacks a third of the picked ones.
    Drift,
    /// The order list holds some that do not wait.
    Strays,
    /// The same, and it was set aside by a change that died.
    StraysAside,
    /// The picked ones were taken by a consumer that died.
    Held,
    /// The picked ones are in target, with their frames.
    Framed,
    /// The picked ones have seconds for scores.
    InSeconds,
    /// The picked ones have microseconds for scores.
    InMicroseconds,
    /// Timeouts and order list are set to expire.
    Expiring,
    /// Target is a text.
    Taken,
}

/// A change that is killed.
pub struct Scenario {
    /// What lies in the queue.
    pub lie: Lie,
    /// What is typed before, and not killed.
    pub before: &'static [&'static str],
    /// What is typed, and killed.
    pub typed: &'static [&'static str],
    /// Given to its standard input.
    pub input: &'static str,
    /// How many messages are elsewhere afterwards.
    pub moves: usize,
    /// What an undo of it brings back.
    pub undo: Undo,
    /// The words of the way that its plan must name.
    pub way: &'static str,
    /// What is picked is there twice afterwards.
    pub copies: bool,
    /// Nobody else works on the queue.
    pub alone: bool,
}

/// What an undo brings back.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Undo {
    /// Everything is as it was.
    All,
    /// The same, save what a script has moved that chose it itself, and did not tell any more: at
    /// most so many messages, of which the journal knows the bound.
    AllBut(usize),
    /// It is not undone.
    Nothing,
}

impl Undo {
    /// Of how many messages the journal need not tell one by one.
    pub const fn untold(self) -> usize {
        match self {
            Self::AllBut(most) => most,
            Self::All | Self::Nothing => 0,
        }
    }
}

impl Scenario {
    /// A change of that queue.
    pub const fn new(lie: Lie, typed: &'static [&'static str], moves: usize, undo: Undo) -> Self {
        Self {
            lie,
            before: &[],
            typed,
            input: "",
            moves,
            undo,
            way: "",
            copies: false,
            alone: false,
        }
    }

    /// What is killed.
    pub fn change(&self) -> Change {
        let word = self.typed[0];
        let is_it = |change: &&Change| change.word() == word;
        if let Some(change) = Change::ALL.iter().find(is_it) {
            return *change;
        }
        let name = self.typed[2].trim_start_matches("--");
        let mut repairs = Repair::ALL.iter();
        let repair = repairs.find(|repair| repair.name() == name).unwrap();
        repair.what(None, None).unwrap().change()
    }

    /// Making copies.
    pub const fn copying(mut self) -> Self {
        self.copies = true;
        self
    }

    /// With nobody beside.
    pub const fn alone(mut self) -> Self {
        self.alone = true;
        self
    }

    /// After another change.
    pub const fn after(mut self, before: &'static [&'static str]) -> Self {
        self.before = before;
        self
    }

    /// With something to read.
    pub const fn reading(mut self, input: &'static str) -> Self {
        self.input = input;
        self
    }

    /// In that way.
    pub const fn by(mut self, way: &'static str) -> Self {
        self.way = way;
        self
    }
}

/// A consumer that died long ago, and had taken so many before.
fn dead_holder(turn: u64) -> Holder {
    Holder {
        consumer: ConsumerTag {
            host: "app-1".to_owned(),
            pid: 4_711,
            number: 1,
        },
        at: EpochMillis::new(PAST),
        turn,
    }
}

impl Lie {
    /// So many that wait, some of them picked, none of them due, in offer order.
    pub const fn new(waiting: u64, picked: u64) -> Self {
        Self {
            waiting,
            picked,
            due: false,
            shuffled: false,
            then: PastPicture::Nothing,
        }
    }

    /// The picked ones are due.
    pub const fn due(mut self) -> Self {
        self.due = true;
        self
    }

    /// Offered in any order.
    pub const fn shuffled(mut self) -> Self {
        self.shuffled = true;
        self
    }

    /// And then.
    pub const fn then(mut self, then: PastPicture) -> Self {
        self.then = then;
        self
    }

    /// Whether the order list holds some that do not wait, as what is changed.
    pub fn has_strays(self) -> bool {
        matches!(self.then, PastPicture::Strays | PastPicture::StraysAside)
    }

    /// Score and member of each that waits.
    fn entries(self) -> Vec<(i64, Vec<u8>)> {
        let entry = |n: u64| {
            // Spread evenly.
            let picked = (n + 1) * self.picked / self.waiting > n * self.picked / self.waiting;
            let name = if picked { "pick" } else { "rest" };
            let base = if picked && self.due { PAST } else { AFAR };
            let member = frame(n + 1, format!("{name} {:06}", n + 1).as_bytes());
            (base + i64::try_from(n).unwrap() * 1_000, member)
        };
        (0..self.waiting).map(entry).collect()
    }

    /// Puts it on the server, which loses everything else.
    pub fn put(self, server: &Server) {
        let keys = Queue::redisson(QUEUE).keys();
        let entries = self.entries();
        let mut order: Vec<&Vec<u8>> = entries.iter().map(|(_, member)| member).collect();
        if self.shuffled {
            let mut random = Random(11);
            for at in (1..order.len()).rev() {
                order.swap(at, random.below(at + 1));
            }
        }
        let is_pick = |member: &[u8]| member[17..].starts_with(b"pick");
        let mut all = redis::pipe();
        // Every run has as many scripts as the first one had, which also had to send their texts.
        all.cmd("SCRIPT").arg("FLUSH");
        all.cmd("FLUSHALL");
        all.cmd("ZADD").arg(&keys.timeouts);
        for (score, member) in &entries {
            all.arg(score).arg(member);
        }
        all.cmd("RPUSH").arg(&keys.order).arg(&order);
        let picked: Vec<&Vec<u8>> = order.iter().copied().filter(|m| is_pick(m)).collect();
        match self.then {
            PastPicture::Nothing => {}
            PastPicture::Delivered => {
                let payloads: Vec<&[u8]> = picked.iter().map(|member| &member[17..]).collect();
                all.cmd("RPUSH").arg(&keys.target).arg(payloads);
                all.cmd("ZREM").arg(&keys.timeouts).arg(&picked);
                for member in &picked {
                    all.cmd("LREM").arg(&keys.order).arg(1).arg(member);
                }
            }
            PastPicture::SetAside => {
                all.cmd("RENAME").arg(&keys.order).arg(&keys.aside);
            }
            PastPicture::Drift => {
                for member in picked.iter().step_by(3) {
                    all.cmd("LREM").arg(&keys.order).arg(1).arg(member);
                }
            }
            PastPicture::Strays | PastPicture::StraysAside => {
                for (n, pick) in (900_000..).zip(&picked).step_by(3) {
                    let stale = frame(n, format!("stale {n}").as_bytes());
                    let before = all.cmd("LINSERT").arg(&keys.order).arg("BEFORE");
                    before.arg(pick).arg(stale);
                }
                if self.then == PastPicture::StraysAside {
                    all.cmd("RENAME").arg(&keys.order).arg(&keys.aside);
                }
            }
            PastPicture::Held | PastPicture::Framed => {
                all.cmd("ZREM").arg(&keys.timeouts).arg(&picked);
                for (turn, member) in (1..).zip(&picked) {
                    all.cmd("LREM").arg(&keys.order).arg(1).arg(member);
                    if self.then == PastPicture::Framed {
                        all.cmd("RPUSH").arg(&keys.target).arg(member);
                        continue;
                    }
                    let field = dead_holder(turn).field();
                    all.cmd("HSET")
                        .arg(&keys.hold.held)
                        .arg(&field)
                        .arg(&member[17..]);
                    all.cmd("ZADD").arg(&keys.hold.leases).arg(PAST).arg(&field);
                }
            }
            PastPicture::InSeconds | PastPicture::InMicroseconds => {
                for (n, member) in (0..).zip(&picked) {
                    let score = match self.then {
                        PastPicture::InSeconds => PAST / 1_000 + n,
                        _ => (PAST + n) * 1_000,
                    };
                    all.cmd("ZADD").arg(&keys.timeouts).arg(score).arg(member);
                }
            }
            PastPicture::Expiring => {
                for key in [Some(&keys.timeouts), keys.order.as_ref()] {
                    all.cmd("PEXPIREAT").arg(key).arg(AFAR);
                }
            }
            PastPicture::Taken => {
                all.cmd("SET").arg(&keys.target).arg(TAKEN);
            }
        }
        all.exec(&mut server.connection()).unwrap();
    }
}
