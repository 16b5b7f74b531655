//! The flow of a queue in one line: what is offered, what waits, what is transferred to target and
//! taken from it, and the arrow over which nothing goes although something should.

pub mod view;

use crate::queue::finding::{Beat, id};
use crate::queue::{Finding, Known, Pulse, RecentLateness};
use crate::tui::model::{self, Model};
use crate::tui::queues::QueueRow;

/// A rate is that of the last so many ms: what happened before is history.
const WINDOW_MS: i64 = 10_000;

/// Two pulses nearer to each other tell no rate, in ms.
const LEAST_MS: i64 = 900;

/// A survey older than this does not tell what has fallen due since, in ms.
const SURVEYED_MS: i64 = 12_000;

/// The flow of the selected queue. A rate that cannot be known is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// The rate at which entries are offered.
    pub offered: Option<Rate>,
    /// Number of entries in timeouts.
    pub waiting: Known<u64>,
    /// The rate at which entries are transferred from timeouts to target.
    pub transferred: Option<Rate>,
    /// Entries are late, and none is transferred.
    pub stalled: bool,
    /// Number of elements in target.
    pub target: Known<u64>,
    /// The rate at which consumers take elements from target.
    pub taken: Option<Rate>,
    /// Elements stand in target, and nobody takes them.
    pub untaken: bool,
    /// The lateness of what was transferred lately; none when nothing was.
    pub late: Option<RecentLateness>,
    /// Number of clients that wait for an element of some list; none where they cannot be seen.
    pub consumers: Option<usize>,
}

/// A rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Entries a second.
    pub per_s: f64,
    /// It was not counted: it follows from what was to fall due.
    pub about: bool,
}

/// Returns the flow of the selected queue; none before its first pulse.
#[must_use]
pub fn flow(model: &Model) -> Option<Flow> {
    let row = model.selected()?;
    let pulse = row.pulse.as_ref()?;
    let [offered, transferred, taken] = match &model.then {
        Some(then) => then.rates.map(|rate| rate.map(Rate::exactly)),
        None => rates(row, pulse).unwrap_or_default(),
    };
    let late = row.late_since(model::now(model)).is_some();
    let untaken = |found: &Finding| found.id == id::NOTHING_CONSUMED && found.open.is_none();
    let look = model.server.of(&row.queue).last();
    let clients = look.and_then(|look| look.clients.get_ref());
    Some(Flow {
        offered,
        waiting: pulse.waiting.clone(),
        transferred,
        stalled: late && transferred.is_some_and(Rate::is_nothing),
        target: pulse.target.clone(),
        taken,
        untaken: row.findings.iter().any(untaken),
        late: row.watch.lateness.recent(),
        consumers: clients.map(|all| all.blocked_on_lists(model.site.db).count()),
    })
}

/// The rates of a queue at its last pulse, in entries a second: offered, transferred, taken. None
/// where one is not known.
#[must_use]
pub fn rates_now(row: &QueueRow) -> [Option<f64>; 3] {
    let pulse = row.pulse.as_ref();
    let rates = pulse.and_then(|pulse| rates(row, pulse));
    rates
        .unwrap_or_default()
        .map(|rate| rate.map(|rate| rate.per_s))
}

impl Rate {
    /// Less than this in a second is nothing.
    const SLOWEST_PER_S: f64 = 0.05;

    const fn exactly(per_s: f64) -> Self {
        Self {
            per_s,
            about: false,
        }
    }

    fn is_nothing(self) -> bool {
        self.per_s < Self::SLOWEST_PER_S
    }
}

/// The rates of what is offered, transferred and taken. Two lengths tell of two differences only:
/// the third fact is a head that stands still, elements that samples have seen to be taken, or what
/// was to fall due by the last survey.
fn rates(row: &QueueRow, pulse: &Pulse) -> Option<[Option<Rate>; 3]> {
    let watch = &row.watch;
    let mut beats = watch.last(WINDOW_MS);
    let (first, last) = (beats.next()?, beats.next_back()?);
    let ms = last.at.since(first.at);
    // What we have moved ourselves is no flow.
    let ours = watch.changed.is_some_and(|changed| changed >= first.at);
    if ms < LEAST_MS || ours {
        return None;
    }
    let grown = |length: fn(&Beat) -> Option<u64>| {
        let (before, after) = (length(first)?, length(last)?);
        let by = per_s(after.abs_diff(before), ms);
        Some(if after < before { -by } else { by })
    };
    let (waiting, target) = (grown(|beat| beat.waiting)?, grown(|beat| beat.target));
    let still = watch.still.is_some_and(|still| still.since <= first.at);
    let nothing = watch.last(WINDOW_MS).all(|beat| beat.waiting == Some(0));
    let took = watch.taken_per_s();
    let transferred = match took.zip(target) {
        _ if still || nothing => Some(Rate::exactly(0.0)),
        Some((took, grown)) if took + grown >= 0.0 => Some(Rate::exactly(took + grown)),
        _ => fell_due(row, pulse).map(|due| {
            let less = grown(|beat| beat.late).map_or(0.0, |grown| -grown);
            let seen = target.unwrap_or(0.0).max(-waiting).max(0.0);
            Rate {
                per_s: (due + less).max(seen),
                about: true,
            }
        }),
    };
    let rest = |by: f64| {
        let rate = transferred?;
        let per_s = rate.per_s + by;
        // What was deleted or came from elsewhere belies the sum.
        (per_s > -Rate::SLOWEST_PER_S).then_some(Rate {
            per_s: per_s.max(0.0),
            ..rate
        })
    };
    let taken = took.map(Rate::exactly);
    let taken = taken.or_else(|| target.and_then(|grown| rest(-grown)));
    Some([rest(waiting), transferred, taken])
}

/// Entries that were to fall due in a second, as the last survey tells.
fn fell_due(row: &QueueRow, pulse: &Pulse) -> Option<f64> {
    let survey = row.survey.as_ref()?;
    let fresh = pulse.at.since(survey.at) <= SURVEYED_MS;
    fresh.then(|| per_s(survey.classes[0], WINDOW_MS))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate for reading, not for accounting"
)]
fn per_s(n: u64, ms: i64) -> f64 {
    n as f64 * 1_000.0 / ms as f64
}
