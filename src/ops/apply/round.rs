//! The ways in which the order list goes round or is put into order: swap, sweep, put back.

use super::batch::Fated;
use super::run::{Ended, Fate, Halt, Run};
use crate::ops::bulk::put_back::{self, PutBack};
use crate::ops::bulk::realign::{self, Realign};
use crate::ops::bulk::sweep::{self, Sweep};
use crate::ops::bulk::{self, Size, Step};
use crate::ops::plan::work::Work;
use crate::queue::{EntryId, Outcome};
use crate::store::StoreError;
use crate::store::change::{self, Chosen, Place};

/// So many intents are written at once.
const INTENTS: usize = 1_000;

/// A way that goes step by step.
pub(super) enum Stepper {
    Realign(Realign),
    Sweep(Sweep),
    PutBack(PutBack),
}

impl Stepper {
    async fn next(&mut self, run: &Run, n: usize) -> Result<Option<Step>, StoreError> {
        match self {
            Self::Realign(realign) => realign.next(&run.writer, n).await,
            Self::Sweep(sweep) => sweep.next(&run.writer, n).await,
            Self::PutBack(put_back) => put_back.next(&run.writer, n).await,
        }
    }

    /// Begins to end: what must be finished is, and no more. Whether there is such a thing.
    fn stop(&mut self) -> bool {
        match self {
            Self::Realign(_) => return false,
            Self::Sweep(sweep) => sweep.stop(),
            Self::PutBack(put_back) => put_back.stop(),
        }
        true
    }

    const fn size(&self) -> Size {
        match self {
            Self::Realign(_) => realign::SIZE,
            Self::Sweep(_) => sweep::SIZE,
            Self::PutBack(_) => put_back::SIZE,
        }
    }
}

impl Run {
    /// Brings these to the head of the order list, in this order.
    pub(super) async fn head_first(&mut self, members: Vec<Vec<u8>>) -> Ended {
        let phase = self.phase;
        let mut stepper = Stepper::Realign(Realign::new(&self.queue, members));
        let ended = self.steps(&mut stepper, None).await;
        self.phase = phase;
        ended
    }

    /// Puts these into order: all there is to do.
    pub(super) async fn realign(&mut self, members: Vec<Vec<u8>>) -> Ended {
        let ids = members.iter().map(|member| self.queue.id(member));
        let mut told = Told {
            first: None,
            open: ids.map(Some).collect(),
            scores: Vec::new(),
            why_changed: "",
        };
        let mut stepper = Stepper::Realign(Realign::new(&self.queue, members));
        let ended = self.steps(&mut stepper, Some(&mut told)).await;
        self.happened(told.left()).await?;
        ended
    }

    /// Deletes these while the order list goes round.
    pub(super) async fn sweep(&mut self, work: &Work, chosen: &[Chosen]) -> Ended {
        let stepper = Stepper::Sweep(Sweep::new(&self.queue, chosen.to_vec()));
        self.round(work, stepper, |i| i, "it has another due time now")
            .await
    }

    /// Puts these back while the order list goes round. They stand with the last that was deleted
    /// first.
    pub(super) async fn put_back(&mut self, work: &Work, entries: &[(Chosen, Place)]) -> Ended {
        let last = entries.len().saturating_sub(1);
        let deleted = entries.iter().rev().cloned();
        let deleted = deleted.map(|(chosen, place)| (chosen, Some(place)));
        let stepper = Stepper::PutBack(PutBack::new(&self.queue, deleted.collect()));
        let ended = self
            .round(work, stepper, |i| last - i, "it waits already")
            .await;
        // One of them may be the head of timeouts now.
        if let Err(error) = self.writer.kick(&self.queue).await {
            self.notes
                .push(format!("Nobody was told of them: {error}."));
        }
        ended
    }

    /// Writes all intents, since the list tells in which order its entries come, and goes round.
    /// `place`: which entry of `work` is the stepper's `i`-th.
    async fn round(
        &mut self,
        work: &Work,
        mut stepper: Stepper,
        place: impl Fn(usize) -> usize,
        why_changed: &'static str,
    ) -> Ended {
        let first = self.intended;
        let now = self.now();
        for i in (0..work.len()).step_by(INTENTS) {
            let some = i..work.len().min(i + INTENTS);
            let items = some.map(|i| work.item(&self.queue, now, place(i)));
            let items = items.collect();
            self.intend(items).await?;
        }
        let mut told = Told {
            first: Some(first),
            open: (0..work.len())
                .map(|i| Some(work.id(&self.queue, place(i))))
                .collect(),
            scores: (0..work.len())
                .map_while(|i| work.score(place(i)))
                .collect(),
            why_changed,
        };
        let mut ended = self.steps(&mut stepper, Some(&mut told)).await;
        if let Err(Halt::Stopped) = ended
            && stepper.stop()
        {
            ended = self.finish(&mut stepper, &mut told).await;
        }
        self.happened(told.left()).await?;
        ended
    }

    /// Step by step, with brakes between them.
    async fn steps(&mut self, stepper: &mut Stepper, mut told: Option<&mut Told>) -> Ended {
        let mut size = self.pace.of(stepper.size());
        let mut wrote = true;
        loop {
            if wrote {
                self.hold().await?;
            }
            match stepper.next(self, size.get()).await {
                Ok(Some(step)) => {
                    wrote = step.wrote;
                    if wrote {
                        size.took(step.took, self.limits.max_block);
                    }
                    self.step(step, told.as_deref_mut()).await?;
                }
                Ok(None) => return Ok(()),
                Err(error) if error.may_heal() => self.heal(&error, 0).await?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// After a stop: what must be finished, without brakes, however long the server is away.
    async fn finish(&mut self, stepper: &mut Stepper, told: &mut Told) -> Ended {
        let size = stepper.size();
        loop {
            match stepper.next(self, size.get()).await {
                Ok(Some(step)) => self.step(step, Some(told)).await?,
                Ok(None) => return Err(Halt::Stopped),
                Err(error) if error.may_heal() => self.answers(0, false).await?,
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn step(&mut self, step: Step, told: Option<&mut Told>) -> Ended {
        self.phase = step.phase;
        if step.wrote {
            self.longest = self.longest.max(step.took);
        }
        if let Some(told) = told {
            let now = self.queue.score(self.now());
            let each = step.fates.into_iter();
            let fresh: Vec<_> = each.filter_map(|fated| told.of(fated, now)).collect();
            self.meter.went(fresh.len(), crate::clock::instant());
            self.happened(fresh).await?;
        }
        self.progress(None, false).await;
        Ok(())
    }
}

/// Which entries have no result yet.
struct Told {
    /// The item of the journal that the first entry is; none: they are not written down.
    first: Option<u64>,
    /// The ids of those without a result.
    open: Vec<Option<EntryId>>,
    /// The scores that they wait with, where they are deleted.
    scores: Vec<f64>,
    why_changed: &'static str,
}

impl Told {
    /// `now`: the score that says it.
    fn of(&mut self, fated: bulk::Fated, now: f64) -> Option<Fate> {
        let i = fated.index;
        let id = self.open.get_mut(i)?.take()?;
        // Nobody transfers what is not due: only the script can have deleted that.
        let alone = self.scores.get(i).is_some_and(|score| *score > now);
        let outcome = match fated.fate {
            _ if fated.unsure && alone => Outcome::Done,
            _ if fated.unsure => Outcome::Unknown,
            change::Fate::Done => Outcome::Done,
            change::Fate::Gone => Outcome::Gone,
            change::Fate::Changed(_) => Outcome::Changed,
            change::Fate::NoFrame => Outcome::Undecodable,
        };
        let fated = Fated {
            reason: (outcome == Outcome::Changed).then(|| self.why_changed.to_owned()),
            outcome,
            stood: fated.stood,
        };
        Some(Fate {
            item: self.item(i),
            id,
            fated,
        })
    }

    /// Those that have no result in the end were not attempted.
    fn left(&self) -> Vec<Fate> {
        let open = self.open.iter().enumerate();
        let left = |(i, id): (usize, &Option<EntryId>)| {
            Some(Fate {
                item: self.item(i),
                id: (*id)?,
                fated: Fated::plain(Outcome::Left),
            })
        };
        open.filter_map(left).collect()
    }

    fn item(&self, i: usize) -> Option<u64> {
        let i = u64::try_from(i).unwrap_or(u64::MAX);
        self.first.map(|first| first + i)
    }
}
