//! The bookkeeping of all that decides: above all what is being read, what is read next, and when.

pub mod pace;

use std::time::{Duration, Instant};

use crate::clock::EpochMillis;
use crate::queue::Suspect;
use crate::queue::finding::Blocker;
use crate::tui::keys::{Action, Key};

/// The bookkeeping of what is read when, and of what the user did last.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// The last generation given to a request.
    pub(crate) generation: u64,
    /// The server's time to the ms; [`crate::tui::model::Model::now`] moves in the steps that are
    /// shown.
    pub(crate) exact: EpochMillis,
    /// The pulse of the selected queue.
    pub(crate) pulse: ReadingSlot,
    /// The pulses of the other queues.
    pub(crate) others: ReadingSlot,
    /// The survey of the selected queue.
    pub(crate) survey: ReadingSlot,
    /// The due-time classes of one other queue.
    pub(crate) classes: ReadingSlot,
    /// The slow look at the server.
    pub(crate) look: ReadingSlot,
    /// The list that the tab in sight shows.
    pub(crate) list: ReadingSlot,
    /// A rank that is looked for.
    pub(crate) rank: ReadingSlot,
    /// The purpose of the rank.
    pub(crate) rank_for: RankFor,
    /// The scores of what is shown as found and of what is marked.
    pub(crate) check: ReadingSlot,
    /// Figures of the selected queue by its last pulse: waiting, delivered, when its head is due.
    pub(crate) held_entries: Option<HeldEntries>,
    /// The next pulse shall bring the rows, whatever they weigh.
    pub(crate) rows_wanted: bool,
    /// Bytes a row weighed in the last page; none before the first one.
    pub(crate) row_bytes: Option<usize>,
    /// Entry that the cursor goes to as soon as the rows are read among which it must be.
    pub(crate) sought: Option<Suspect>,
    /// Entry that the cursor has lost and that the next page may show again.
    pub(crate) lost: Option<Vec<u8>>,
    /// The queue whose transfers keep the others waiting.
    pub(crate) blocker: Blocker,
    /// The moment from which on the server has rested from the last survey of a row that is not
    /// selected.
    pub(crate) classes_from: Option<Instant>,
    /// Index of the queue at which the turn of the rows out of sight goes on.
    pub(crate) turn: usize,
    /// The key that is being acted on.
    pub(crate) pressed: Option<Key>,
    /// The action that is done with the row under the cursor as soon as it is read.
    pub(crate) awaited: Option<Action>,
    /// Until then the terminal's answer about its background is taken.
    pub(crate) background_by: Option<Instant>,
}

impl Schedule {
    /// The number of the next request: answers to earlier ones can be told from its own.
    pub(crate) const fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }
}

/// Number of entries that wait, number of those that were delivered, due time of the head; as far
/// as that is known.
pub(crate) type HeldEntries = (Option<u64>, Option<u64>, Option<EpochMillis>);

/// The purpose that a rank is looked for.
#[derive(Clone, Debug, Default)]
pub(crate) enum RankFor {
    /// To list the entries of a bar.
    #[default]
    Bar,
    /// To go to an entry that a finding is about.
    Suspect(Suspect),
    /// To find the entry under the cursor again, this many rows below the top.
    Follow {
        /// Its member.
        member: Vec<u8>,
        /// Rows between the top of the pane and the cursor.
        offset: u64,
    },
}

/// One kind of reading: at most one request under way and one waiting.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadingSlot {
    /// The generation of the request under way.
    pub(crate) flight: Option<u64>,
    /// When the next one shall start.
    pub(crate) due: Option<Instant>,
    /// The user asked for it: it is read even while the picture stands still.
    pub(crate) asked: bool,
    /// When the last one was started.
    pub(crate) started: Option<Instant>,
    /// Requests up to the last one that were started within [`CLOSE`] of the one before.
    pub(crate) close: u32,
    /// Time that each of the last three answers took, newest first.
    pub(crate) took: [Option<Duration>; 3],
}

/// Requests that are no further apart follow one on another: more than the pause that they make then.
const CLOSE: Duration = Duration::from_millis(700);

impl ReadingSlot {
    /// The next request starts at `at` or earlier.
    pub(crate) fn want(&mut self, at: Instant) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// The user wants it at once.
    pub(crate) fn ask(&mut self, now: Instant) {
        self.asked = true;
        self.want(now);
    }

    /// It may start: wanted by now, none under way, and while the picture stands still
    /// (`frozen`) only when asked for.
    pub(crate) fn ready(&self, now: Instant, frozen: bool) -> bool {
        self.flight.is_none() && self.due.is_some_and(|due| due <= now) && (self.asked || !frozen)
    }

    /// When it may start next.
    pub(crate) fn wake(&self, frozen: bool) -> Option<Instant> {
        self.due
            .filter(|_| self.flight.is_none() && (self.asked || !frozen))
    }

    /// A request has been started.
    pub(crate) fn start(&mut self, now: Instant, generation: u64) {
        let is_close = |last| now.saturating_duration_since(last) < CLOSE;
        self.close = match self.started {
            Some(last) if is_close(last) => self.close.saturating_add(1),
            _ => 0,
        };
        self.flight = Some(generation);
        self.due = None;
        self.asked = false;
        self.started = Some(now);
    }

    /// An answer has come; false when nobody waits for one of this generation any more.
    pub(crate) fn end(&mut self, generation: u64, now: Instant) -> bool {
        if self.flight.take_if(|g| *g == generation).is_none() {
            return false;
        }
        let took = now.saturating_duration_since(self.started.unwrap_or(now));
        self.took = [Some(took), self.took[0], self.took[1]];
        true
    }

    /// Returns the time that an answer takes: the mean of the last three without the slowest, since
    /// one slow answer alone says nothing.
    pub(crate) fn takes(&self) -> Duration {
        let seen = self.took.into_iter().flatten();
        let (count, sum, most) = seen.fold((0_u32, Duration::ZERO, Duration::ZERO), |acc, took| {
            (acc.0 + 1, acc.1 + took, acc.2.max(took))
        });
        match count {
            0 | 1 => Duration::ZERO,
            _ => sum.saturating_sub(most) / (count - 1),
        }
    }

    /// The earliest start of the next request that takes at most a tenth of the time and leaves
    /// `pause` between two starts.
    pub(crate) fn not_before(&self, now: Instant, pause: Duration) -> Instant {
        let pause = pause.max(self.takes() * 10);
        self.started.map_or(now, |started| now.max(started + pause))
    }

    /// Forgets the request under way: its answer will be dropped.
    pub(crate) fn forget(&mut self) {
        self.flight = None;
    }
}
