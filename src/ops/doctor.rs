//! Looking at one queue as the screen does, round by round, and asking the rules.

mod exact;
mod recalled;

use std::time::Duration;

pub use self::exact::{ExaminationEvent, examine};
pub use self::recalled::recall;
use crate::ops::refresh;
use crate::queue::finding::{self, Diagnosis, PassedFinding, Watch};
use crate::queue::look::LookAsk;
use crate::queue::{Exact, Frames, Known, Pulse, Queue, QueueLateness, ServerWatch, Survey};
use crate::store::{Store, StoreError, read};

/// A survey is taken again after this, in ms.
const AGAIN_MS: i64 = 10_000;
/// A survey that brings a sample early is taken no sooner than this after the last, in ms.
const PAUSE_MS: i64 = 1_000;

/// One queue under examination.
pub struct Examination {
    queue: Queue,
    watch: Watch,
    pulse: Option<Pulse>,
    survey: Option<Survey>,
}

impl Examination {
    /// Of a queue of which nothing is known yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            queue,
            watch: Watch::default(),
            pulse: None,
            survey: None,
        }
    }

    /// Returns the queue.
    #[must_use]
    pub const fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The last pulse.
    #[must_use]
    pub const fn pulse(&self) -> Option<&Pulse> {
        self.pulse.as_ref()
    }

    /// The last survey.
    #[must_use]
    pub const fn survey(&self) -> Option<&Survey> {
        self.survey.as_ref()
    }

    /// Estimates how long a look at all its entries will take; zero when there are none.
    #[must_use]
    pub fn exact_takes(&self) -> Duration {
        let Some(pulse) = &self.pulse else {
            return Duration::ZERO;
        };
        let count = |known: &Known<u64>| known.get().unwrap_or(0);
        let elements = count(&pulse.waiting) + count(&pulse.order) + count(&pulse.target);
        let first = pulse.first.as_ref().map(|one| one.bytes);
        let largest = self.watch.sample().map(|sample| sample.largest);
        exact::takes(elements, largest.or(first).unwrap_or(0))
    }

    /// The last look at all its entries, while it tells anything.
    #[must_use]
    pub fn exact(&self) -> Option<&Exact> {
        self.watch.exact()
    }

    /// Timeouts and order list differ at first sight.
    #[must_use]
    pub fn differs(&self) -> bool {
        let counts = self
            .pulse
            .as_ref()
            .map(|pulse| (pulse.waiting.get(), pulse.order.get()));
        matches!(counts, Some((Some(waiting), Some(order))) if waiting != order)
    }

    /// The last sample of its members.
    #[must_use]
    pub fn sample(&self) -> Option<&Frames> {
        self.watch.sample()
    }

    /// The lateness of what has left it.
    #[must_use]
    pub const fn lateness(&self) -> &QueueLateness {
        &self.watch.lateness
    }

    /// A fresh look at the server may tell more of it.
    #[must_use]
    pub fn presses_for_look(&self) -> bool {
        self.watch.presses_for_look()
    }

    /// Returns what was wrong in some rounds and is over, the newest first.
    #[must_use]
    pub fn over(&self) -> Vec<PassedFinding> {
        self.watch.over().collect()
    }

    /// Returns the watch, which holds what the rounds so far have shown.
    pub const fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// One round: a pulse, a survey with a sample when it is time for one, and the rules. While the
    /// slot of the queue is on its way to another node they go by what was read before; of keys that lie
    /// in several slots there is no survey.
    pub async fn round(
        &mut self,
        store: &Store,
        server: &ServerWatch,
    ) -> Result<Diagnosis, StoreError> {
        match self.read(store, server).await {
            Err(error) if !error.is_of_its_slot() => Err(error),
            _ => Ok(self.diagnose(server)),
        }
    }

    /// Asks the rules what they say by what was read so far.
    pub fn diagnose(&mut self, server: &ServerWatch) -> Diagnosis {
        let read = (self.pulse.as_ref(), self.survey.as_ref());
        finding::diagnose(&self.queue, read, &mut self.watch, server)
    }

    async fn read(&mut self, store: &Store, server: &ServerWatch) -> Result<(), StoreError> {
        let pulse = refresh::pulse(store, &self.queue, None).await?;
        self.watch.saw_lateness(&self.queue, &pulse);
        self.watch.saw(&pulse);
        let sample = self.watch.wants_sample(server.long);
        let age = self.survey.as_ref().map(|last| pulse.at.since(last.at));
        self.pulse = Some(pulse);
        let due = age.is_none_or(|age| !(0..AGAIN_MS).contains(&age));
        if due || sample.is_some() && age.is_some_and(|age| age >= PAUSE_MS) {
            let mut survey = refresh::survey(store, &self.queue, None, None).await?;
            if let Some(ask) = sample {
                let frames = refresh::frames(store, &self.queue, ask).await?;
                survey.frames = Some(Box::new(frames));
            }
            self.watch.surveyed(&survey);
            self.survey = Some(survey);
        }
        Ok(())
    }
}

/// Takes a slow look at the server when it is time for one, and takes over what the link tells;
/// `pressing`: the rules of some queue wait for a look.
pub async fn look(
    store: &Store,
    server: &mut ServerWatch,
    pressing: bool,
) -> Result<(), StoreError> {
    server.linked(&store.link().borrow());
    server.db = store.endpoint().db;
    let now = store.clock().map(|clock| clock.now());
    let age = server.last().zip(now).map(|(last, now)| now.since(last.at));
    if age.is_none_or(|age| age >= server.rests(pressing) || age < 0) {
        let asked = server.asks(pressing);
        server.looked(read::look(store, asked).await?);
    }
    Ok(())
}

/// Takes a whole look at the server at once.
pub async fn look_again(store: &Store, server: &mut ServerWatch) -> Result<(), StoreError> {
    server.looked(read::look(store, LookAsk::Whole).await?);
    Ok(())
}
