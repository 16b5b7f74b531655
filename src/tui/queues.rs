//! The table of queues: what is known of each.

pub mod columns;
pub mod queries;
pub mod run;
pub mod update;
pub mod view;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use crate::clock::EpochMillis;
use crate::payload::Habit;
use crate::queue::finding::{self, DECIDED_MS, Diagnosis, Watch, id};
use crate::queue::{
    Finding, JudgedMember, Known, Pulse, Queue, ServerWatch, Severity, Survey, text,
};
use crate::tui::past::record::PastRecord;

/// The progress of the search for queues.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A queue was found.
    Found(Queue),
    /// The search for queues went on: keys looked through, keys in the db.
    Looked(u64, u64),
    /// The search for queues is through: keys looked through.
    LookedAll(u64),
    /// The search for queues is through but for these nodes of the cluster, which do not answer and are
    /// looked for on and on: keys looked through at the others.
    LookedBut(u64, Vec<String>),
}

/// Requests to look for queues.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    /// Look for queues (again).
    Discover,
}

/// Late by less than this, in ms, is the normal hand-over to a transfer client.
pub const HAND_OVER_MS: i64 = 2_000;

/// A queue in the table.
#[derive(Clone, Debug)]
pub struct QueueRow {
    /// The queue of the row.
    pub queue: Queue,
    /// Somebody has typed its name: it was neither found nor named at the start.
    pub is_typed: bool,
    /// The last pulse.
    pub pulse: Option<Pulse>,
    /// The last survey.
    pub survey: Option<Survey>,
    /// Depths over the last minutes.
    pub trend: DepthTrend,
    /// When the last pulse arrived here.
    pub read_at: Option<Instant>,
    /// The reason why the last read failed, when it did.
    pub trouble: Option<String>,
    /// The reason why it was not surveyed the last time, although it can be read.
    pub unsurveyed: Option<String>,
    /// The findings on it, worst first.
    pub findings: Vec<Finding>,
    /// The findings that it had until a moment ago.
    pub gone: Vec<Finding>,
    /// Number of rules that found nothing wrong.
    pub fine: usize,
    /// The rules that cannot look, and why.
    pub blind: Vec<(&'static str, String)>,
    /// The rules that need more time, and how far they are.
    pub early: Vec<(&'static str, String)>,
    /// The memory of the rules from pulse to pulse.
    pub watch: Watch,
    /// The codecs by which its payloads are read.
    pub habit: Habit,
    /// When it is surveyed again.
    pub surveyed: SurveyTimes,
    /// No look at all its members begins unasked before this: the last one has failed.
    pub unexamined: Option<Instant>,
    /// The record of its past.
    pub record: Arc<PastRecord>,
}

/// The table of queues, beside its rows: their order, and what is done to find them.
#[derive(Clone, Debug, Default)]
pub struct QueueTable {
    /// The order of the queues.
    pub sort: QueueSort,
    /// The state of the search for queues.
    pub discovery: Discovery,
    /// The stage of the first seconds: no queue is selected before it has come to
    /// [`Opening::Checking`].
    pub opening: Opening,
    /// The queues that have a row.
    pub(crate) known: HashSet<Queue>,
    /// Their channels.
    pub(crate) channels: HashSet<Vec<u8>>,
    /// Only the queues that were named are shown.
    pub(crate) only_named: bool,
    /// When the search for queues was through.
    pub(crate) looked: Option<Instant>,
    /// When the cursor was last moved.
    pub(crate) moved: Option<Instant>,
    /// The user has pressed a key or clicked: screens do not change by themselves any more.
    pub(crate) touched: bool,
}

/// The stage of the first seconds at a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Opening {
    /// No queue is selected yet: those that are known are being read, since then.
    Reading(Option<Instant>),
    /// A queue is selected; since then the rules look at all of them.
    Checking(Instant),
    /// The rules have decided.
    Over,
}

impl Default for Opening {
    fn default() -> Self {
        Self::Reading(None)
    }
}

/// Some rules need two looks so far apart, in ms of the server's clock, before they know anything.
pub const TWO_LOOKS_MS: i64 = 1_000;

/// The facts that decide when a queue is surveyed again.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurveyTimes {
    /// When a survey was asked for last.
    pub at: Option<Instant>,
    /// When the first pulse came: a survey is due since then.
    pub due_since: Option<Instant>,
    /// A pulse has shown a change since the last survey.
    pub changed: bool,
    /// A rule waits for another sample, whether the row is in sight or not.
    pub pressing: bool,
}

impl SurveyTimes {
    /// A survey is asked for.
    pub(crate) const fn asked(&mut self, now: Instant) {
        (self.at, self.changed, self.pressing) = (Some(now), false, false);
    }
}

impl QueueRow {
    /// The words of the entries that are due next, at most two, as the last survey has seen them:
    /// the last one with the number of those behind it.
    #[must_use]
    pub fn next_said(&self) -> Vec<String> {
        const SAID: usize = 34;
        let sample = self.watch.sample();
        let next = sample.iter().flat_map(|sample| &sample.next_due);
        let said = next.map_while(JudgedMember::says).take(2);
        let mut each: Vec<String> = said.map(|s| text::cut(&s, SAID).into_owned()).collect();
        let waiting = self.pulse.as_ref().and_then(|pulse| pulse.waiting.get());
        let more = waiting.map_or(0, |waiting| waiting.saturating_sub(each.len() as u64));
        if let Some(last) = each.last_mut().filter(|_| more > 0) {
            *last = format!("{last} and {} more", text::thousands(more));
        }
        each
    }

    /// A queue of which nothing is known yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            queue,
            is_typed: false,
            pulse: None,
            survey: None,
            trend: DepthTrend::default(),
            read_at: None,
            trouble: None,
            unsurveyed: None,
            findings: Vec::new(),
            gone: Vec::new(),
            fine: 0,
            blind: Vec::new(),
            early: Vec::new(),
            watch: Watch::default(),
            habit: Habit::default(),
            surveyed: SurveyTimes::default(),
            unexamined: None,
            record: Arc::default(),
        }
    }

    /// Asks the rules again what is wrong: something was read.
    pub fn diagnose(&mut self, server: &ServerWatch) {
        let read = (self.pulse.as_ref(), self.survey.as_ref());
        let said = finding::diagnose(&self.queue, read, &mut self.watch, server);
        let Diagnosis {
            findings,
            fine,
            blind,
            gone,
            early,
            kept: _,
            taken_in: _,
        } = said;
        (self.findings, self.fine, self.blind, self.gone) = (findings, fine, blind, gone);
        self.early = { early.into_iter() }
            .map(|(id, open)| (id, open.words()))
            .collect();
    }

    /// Counts the entries that only one of order list and timeouts has: those that the finding tells
    /// of, where one looked at the members, else the difference of the lengths. Zero where they are
    /// equal, or differ in one look alone; none where one of the lengths is not known.
    #[must_use]
    pub fn difference(&self) -> Option<u64> {
        let pulse = self.pulse.as_ref()?;
        let (order, waiting) = (pulse.order.get()?, pulse.waiting.get()?);
        let drift = self.findings.iter().find(|found| found.id == id::DRIFT);
        let told = drift.and_then(|drift| {
            let strays = drift.evidence.figures.get("only_in_order");
            let strays = strays.and_then(serde_json::Value::as_u64);
            strays.filter(|count| *count > 0).or(drift.figure)
        });
        let by_length = || {
            let differ = self.watch.differ();
            if differ { order.abs_diff(waiting) } else { 0 }
        };
        Some(told.unwrap_or_else(by_length))
    }

    /// Returns the severity of the worst of its findings.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.first().map(|finding| finding.severity)
    }

    /// Returns the measure of how much it wants looking at: by its worst finding, then by what is
    /// late. None while nothing is found wrong.
    #[must_use]
    pub fn sickness(&self) -> Option<(Severity, u64)> {
        let late = self.pulse.as_ref().and_then(|pulse| pulse.late.get());
        Some((self.worst()?, late.unwrap_or(0)))
    }

    /// The moment since which its oldest entry is late, by more than a hand-over takes. An entry
    /// that was late for a moment when the queue was read has gone by now, most likely: it does not
    /// get later.
    #[must_use]
    pub fn late_since(&self, now: EpochMillis) -> Option<EpochMillis> {
        let pulse = self.pulse.as_ref()?;
        let read = now.min(pulse.at);
        pulse
            .oldest_late
            .filter(|oldest| read.since(*oldest) >= HAND_OVER_MS)
    }

    /// Entries of it are late, and no rule has said why since that moment, which was not long ago.
    #[must_use]
    pub fn is_unexplained_since(&self, then: EpochMillis) -> bool {
        /// The time, in ms, that the rules may need for that.
        const JUDGED_MS: i64 = 10_000;
        self.pulse.as_ref().is_some_and(|pulse| {
            let is_late = self.late_since(pulse.at).is_some();
            let explained = self.worst() >= Some(Severity::Warning);
            is_late && !explained && pulse.at.since(then) < JUDGED_MS
        })
    }

    /// Nobody is there to transfer what is late: the cause can be seen before a rule has decided.
    #[must_use]
    pub fn is_abandoned(&self) -> bool {
        let pulse = self.pulse.as_ref();
        pulse.is_some_and(|pulse| {
            pulse.transfer_clients == Known::Is(0) && self.late_since(pulse.at).is_some()
        })
    }

    /// Something is wrong with it: a rule has decided so, or it cannot be read. What is late with no
    /// cause found counts once every rule has had its time.
    #[must_use]
    pub fn has_problem(&self, now: EpochMillis) -> bool {
        let decided = u64::try_from(self.watch.watched_ms()).unwrap_or(0) >= DECIDED_MS;
        let pulse = self.pulse.as_ref();
        let late_ms = self
            .late_since(now)
            .zip(pulse)
            .map_or(0, |(since, pulse)| pulse.at.since(since));
        let long = u64::try_from(late_ms).unwrap_or(0) >= DECIDED_MS;
        self.worst() >= Some(Severity::Warning) || self.trouble.is_some() || decided && long
    }

    /// Nobody was there to transfer what waits, and a second look has to tell whether one merely
    /// reconnects.
    #[must_use]
    pub fn wants_second_look(&self) -> bool {
        let alone = self.pulse.as_ref().is_some_and(|pulse| {
            pulse.transfer_clients.get() == Some(0) && pulse.waiting.get() != Some(0)
        });
        let span = |(first, last): (EpochMillis, EpochMillis)| last.since(first);
        alone && self.watch.unattended.map_or(0, span) < TWO_LOOKS_MS
    }

    /// The rules have had what they need to look at it: all that a pulse and a survey read, and, where
    /// nobody is there to transfer what waits, a second pulse. What cannot be read is told elsewhere.
    #[must_use]
    pub fn is_looked_at(&self) -> bool {
        if self.pulse.is_none() {
            return self.trouble.is_some();
        }
        let surveyed = self.survey.is_some() || self.unsurveyed.is_some() || self.trouble.is_some();
        surveyed && !self.wants_second_look()
    }

    /// It has been watched for some seconds only, and something of it that may be wrong needs longer.
    #[must_use]
    pub fn is_first_suspicion(&self) -> bool {
        /// The time, in ms, after which what was there from the first look on is told.
        const FIRST_MS: i64 = 15_000;
        let differs = self
            .survey
            .as_ref()
            .is_some_and(|survey| survey.aside.is_none())
            && self.difference() > Some(0);
        let may_be_wrong = !self.early.is_empty() || differs;
        self.findings.is_empty() && may_be_wrong && self.watch.watched_ms() < FIRST_MS
    }

    /// Somebody has to look at it: a finding worse than a note, entries that are late, or it cannot
    /// be read.
    #[must_use]
    pub fn sick(&self, now: EpochMillis) -> bool {
        let late_for_good = |p: &Pulse| p.oldest_late.is_none() && p.late.get().unwrap_or(0) > 0;
        self.worst() >= Some(Severity::Warning)
            || self.trouble.is_some()
            || self.late_since(now).is_some()
            || self.pulse.as_ref().is_some_and(late_for_good)
    }
}

/// The state of the search for queues.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Discovery {
    /// Not begun.
    #[default]
    Idle,
    /// Under way.
    Looking {
        /// Keys looked through.
        looked: u64,
        /// Keys in the db.
        keys: u64,
    },
    /// Through, but for nodes of the cluster that do not answer.
    Away {
        /// Keys looked through.
        looked: u64,
        /// These nodes.
        nodes: Vec<String>,
    },
    /// Through.
    Done {
        /// Keys looked through.
        looked: u64,
    },
}

impl Discovery {
    /// Tells whether all has been looked through that can be.
    #[must_use]
    pub const fn is_through(&self) -> bool {
        matches!(self, Self::Away { .. } | Self::Done { .. })
    }
}

/// The order of the table of queues.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum QueueSort {
    /// Queues late the longest first.
    #[default]
    Late,
    /// Queues with the most late entries first.
    MostLate,
    /// Their names.
    Name,
    /// The most entries first.
    Waiting,
    /// Queues of which something falls due next first.
    Next,
    /// The longest target first.
    Target,
}

impl QueueSort {
    /// All of them, in the order in which a key steps through them.
    pub const ALL: [Self; 6] = [
        Self::Late,
        Self::MostLate,
        Self::Name,
        Self::Waiting,
        Self::Next,
        Self::Target,
    ];

    /// Returns its name in the title.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Late => "problems",
            Self::MostLate => "most late",
            Self::Name => "name",
            Self::Waiting => "waiting",
            Self::Next => "next",
            Self::Target => "target",
        }
    }

    /// The largest stand first.
    #[must_use]
    pub const fn falls(self) -> bool {
        matches!(
            self,
            Self::Late | Self::MostLate | Self::Waiting | Self::Target
        )
    }
}

/// Depths over time: one sample a second at most, an outage leaves a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthTrend {
    /// Oldest first; `None` is a second without an answer. At most [`DepthTrend::KEPT`].
    pub samples: VecDeque<Option<Depths>>,
}

impl DepthTrend {
    /// Samples kept: five minutes of seconds.
    pub const KEPT: usize = 300;

    /// Puts a sample, or a gap, at its end; the oldest gives way.
    pub fn push(&mut self, sample: Option<Depths>) {
        self.samples.push_back(sample);
        while self.samples.len() > Self::KEPT {
            self.samples.pop_front();
        }
    }
}

/// The three depths at one moment.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Depths {
    /// The server's time.
    pub at: EpochMillis,
    /// Entries in timeouts.
    pub waiting: u64,
    /// Length of the order list; `None` in a layout without one.
    pub order: Option<u64>,
    /// Length of target.
    pub target: u64,
}
