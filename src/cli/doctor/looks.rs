//! Looking at all entries of some queues, one queue after the other, beside the rounds.

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::{Stream, StreamExt as _};

use super::super::meter::Meter;
use crate::ops::doctor::{ExaminationEvent, examine};
use crate::queue::{Exact, Queue, text};
use crate::store::{Store, StoreError};

type LookStream = Pin<Box<dyn Stream<Item = Result<ExaminationEvent, StoreError>> + Send>>;

/// The looks that are still to be taken, and the one under way.
pub(super) struct Looks {
    store: Store,
    /// Bytes of the server's `unsigned long`.
    long: usize,
    open: VecDeque<Queue>,
    under_way: Option<(Queue, LookStream)>,
    /// The line in which it says how far it is.
    meter: Option<Meter>,
}

impl Looks {
    /// Returns an empty list of looks.
    pub(super) fn new(store: &Store, long: usize, meter: Option<Meter>) -> Self {
        Self {
            store: store.clone(),
            long,
            open: VecDeque::new(),
            under_way: None,
            meter,
        }
    }

    /// One of this queue too, unless there is one.
    pub(super) fn add(&mut self, queue: &Queue) {
        if !self.has(queue) {
            self.open.push_back(queue.clone());
        }
    }

    /// One of this queue is under way, or to be taken.
    fn has(&self, queue: &Queue) -> bool {
        let now = self.under_way.as_ref().map(|(queue, _)| queue);
        now.into_iter().chain(&self.open).any(|one| one == queue)
    }

    /// All have been taken.
    pub(super) fn are_done(&self) -> bool {
        self.open.is_empty() && self.under_way.is_none()
    }

    /// Takes no more of those under way and to be taken: the server was away, or is too busy. Of
    /// which queues.
    pub(super) fn give_up(&mut self) -> Vec<Queue> {
        if let Some(meter) = &mut self.meter {
            meter.clear();
        }
        let now = self.under_way.take().map(|(queue, _)| queue);
        now.into_iter().chain(self.open.drain(..)).collect()
    }

    /// Waits for what the next look has shown, or why it could not be taken; forever, when none is
    /// to be taken.
    pub(super) async fn next(&mut self) -> (Queue, Result<Exact, StoreError>) {
        loop {
            let Some((queue, told)) = &mut self.under_way else {
                let Some(queue) = self.open.pop_front() else {
                    return std::future::pending().await;
                };
                let told = examine(&self.store, &queue, self.long);
                self.under_way = Some((queue, Box::pin(told)));
                continue;
            };
            let said = match told.next().await {
                Some(Ok(ExaminationEvent::Progress { looked, of })) => {
                    if let Some(meter) = &mut self.meter {
                        meter.show(&format!(
                            "{}: looking at all entries: {} of {}",
                            text::printable_bytes(queue.name.as_bytes()),
                            text::thousands(looked),
                            text::thousands(of)
                        ));
                    }
                    continue;
                }
                Some(Ok(ExaminationEvent::Done(exact))) => Some(Ok(*exact)),
                Some(Err(why)) => Some(Err(why)),
                None => None,
            };
            if let Some(meter) = &mut self.meter {
                meter.clear();
            }
            if let (Some((queue, _)), Some(said)) = (self.under_way.take(), said) {
                return (queue, said);
            }
        }
    }
}
