//! The queues that a doctor looks at, and the times at which it looks at all of their entries.

use std::time::{Duration, Instant};

use super::super::meter::Meter;
use super::Doctor;
use super::looks::Looks;
use crate::clock::{EpochMillis, instant};
use crate::config::Config;
use crate::ops::doctor::Examination;
use crate::ops::presence::is_there;
use crate::queue::redis_cli::Programs;
use crate::queue::{Exact, Queue, text};
use crate::store::{Store, StoreError};

/// While it watches, what a look at all entries may take unless it was asked for.
const AFFORDABLE: Duration = Duration::from_secs(4);
/// The wait before a look at all entries that could not be taken is tried again.
const AGAIN: Duration = Duration::from_secs(60);

impl Doctor<'_> {
    /// The queues all entries of which are looked at within so long; the others are noted.
    pub(super) fn looks(&mut self, span: Duration) -> Looks {
        let mut looks = self.no_looks();
        let mut todo: Vec<&Examination> = self.queues.iter().collect();
        todo.retain(|one| one.exact_takes() > Duration::ZERO);
        // What differs at first sight comes first, then the small ones.
        todo.sort_by_key(|one| (!one.differs(), one.exact_takes()));
        let mut left = span;
        for one in todo {
            let takes = one.exact_takes();
            if self.all || takes <= left {
                left = left.saturating_sub(takes);
                looks.add(one.queue());
            } else {
                self.sampled.push((one.queue().clone(), takes));
            }
        }
        looks
    }

    /// No look at all entries yet.
    pub(super) fn no_looks(&self) -> Looks {
        let meter = (!self.quiet).then(Meter::new);
        Looks::new(&self.session.store, self.server.long, meter)
    }

    /// All entries of a queue have been looked at, or could not be: in words, if that is new.
    pub(super) fn looked(
        &mut self,
        queue: &Queue,
        said: Result<Exact, StoreError>,
    ) -> Option<String> {
        let one = self.queues.iter_mut().find(|one| one.queue() == queue)?;
        let why = match said {
            Ok(exact) => {
                one.watch().examined(exact);
                return None;
            }
            Err(why) => why,
        };
        self.rests.insert(queue.clone(), instant() + AGAIN);
        let name = text::printable_bytes(queue.name.as_bytes());
        let line = format!("{name}: only a sample was looked at: {why}");
        let new = !self.failed.contains(&line);
        self.failed.extend(new.then(|| line.clone()));
        new.then_some(line)
    }

    /// Of these queues not all entries are looked at: the server has no time for that.
    pub(super) fn given_up(&mut self, queues: &[Queue]) {
        self.failed.extend(queues.iter().map(|queue| {
            format!(
                "{}: only a sample of its entries was looked at: the server is too busy for more; \
                 --exact looks at all of them, however long that takes",
                text::printable_bytes(queue.name.as_bytes())
            )
        }));
    }

    /// The server.
    pub(super) fn store(&self) -> &Store {
        &self.session.store
    }

    /// The words with which a shell starts this program and redis-cli there.
    pub(super) fn programs(&self, config: &Config) -> Programs {
        self.session.programs(config)
    }

    /// The server's time.
    pub(super) fn now(&self) -> EpochMillis {
        self.session.now()
    }

    /// A queue that is watched from now on; false: it was already.
    pub(in crate::cli) fn add(&mut self, queue: &Queue) -> bool {
        let known = self.has(queue);
        if !known {
            self.queues.push(Examination::new(queue.clone()));
        }
        !known
    }

    /// Tells whether that queue is watched.
    pub(in crate::cli) fn has(&self, queue: &Queue) -> bool {
        self.queues.iter().any(|one| one.queue() == queue)
    }

    /// It says nothing of how far it is.
    pub(in crate::cli) fn quiet(&mut self) {
        self.quiet = true;
    }

    /// The queues of which nothing has been left for so long: they are watched no more.
    pub(in crate::cli) async fn gone(&mut self, after: Duration) -> Vec<Queue> {
        let now = instant();
        for one in &self.queues {
            let Some(pulse) = one.pulse() else { continue };
            // What cannot be looked at now is as it was.
            match is_there(&self.session.store, one.queue(), pulse).await {
                Ok(true) => {
                    self.empty.remove(one.queue());
                }
                Ok(false) => {
                    self.empty.entry(one.queue().clone()).or_insert(now);
                }
                Err(_) => {}
            }
        }
        let long = |since: &Instant| now.saturating_duration_since(*since) >= after;
        let gone: Vec<Queue> = (self.empty.iter())
            .filter(|(_, since)| long(since))
            .map(|(queue, _)| queue.clone())
            .collect();
        self.empty.retain(|queue, _| !gone.contains(queue));
        self.queues.retain(|one| !gone.contains(one.queue()));
        gone
    }

    /// Adds the looks at all entries for which it is time.
    pub(super) fn want_looks(&mut self, looks: &mut Looks) {
        let (now, all) = (instant(), self.all);
        self.rests.retain(|_, until| *until > now);
        for one in &mut self.queues {
            let affordable = all || one.exact_takes() <= AFFORDABLE;
            if affordable && one.watch().wants_exact() && !self.rests.contains_key(one.queue()) {
                looks.add(one.queue());
            }
        }
    }
}
