//! Everything that a change has told and nobody has heard yet.
//!
//! Telling never waits: whoever does not read shall keep nothing aside, and nothing half done. It is
//! the change that looks, where it may wait, whether too much of it is unheard.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::ChangeEvent;
use crate::queue::EntryResult;

/// Bytes of a word beside the results in it, about.
const WORD: usize = 256;

/// Makes one who tells and one who listens; `most`: bytes that may be unheard until [too
/// much](UnheardTeller::is_too_much) is.
pub(super) fn line(most: usize) -> (UnheardTeller, Listener) {
    let line = Arc::new(UnheardLine {
        most,
        ..UnheardLine::default()
    });
    (UnheardTeller(Arc::clone(&line)), Listener(line))
}

/// The one who tells. Dropping it ends what the listener hears.
#[derive(Debug)]
pub(super) struct UnheardTeller(Arc<UnheardLine>);

/// The one who listens. Dropping it is heard too.
#[derive(Debug)]
pub(super) struct Listener(Arc<UnheardLine>);

#[derive(Debug, Default)]
struct UnheardLine {
    most: usize,
    unheard: Mutex<UnheardWords>,
    /// Wakes the listener: there is something to hear.
    told: Notify,
    /// Wakes the teller: no longer too much is unheard, or nobody listens any more.
    heard: Notify,
}

#[derive(Debug, Default)]
struct UnheardWords {
    words: VecDeque<ChangeEvent>,
    bytes: usize,
    too_much: bool,
    over: bool,
    nobody: bool,
}

impl UnheardLine {
    fn unheard(&self) -> MutexGuard<'_, UnheardWords> {
        self.unheard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnheardTeller {
    /// Tells it, if somebody listens still. Of how far it is only the newest word counts, and what
    /// is the trouble need not be said twice.
    pub(super) fn say(&self, word: ChangeEvent) {
        let mut unheard = self.0.unheard();
        if unheard.nobody {
            return;
        }
        let bytes = bytes(&word);
        match (unheard.words.back_mut(), word) {
            (Some(last @ ChangeEvent::Progress(_)), word @ ChangeEvent::Progress(_)) => {
                *last = word;
            }
            (Some(ChangeEvent::Trouble(last)), ChangeEvent::Trouble(why)) if *last == why => {}
            (_, word) => {
                unheard.bytes += bytes;
                unheard.words.push_back(word);
            }
        }
        unheard.too_much |= unheard.bytes > self.0.most;
        drop(unheard);
        self.0.told.notify_one();
    }

    /// True while so much is unheard that the change has to wait where it may: until half of it was
    /// heard.
    pub(super) fn is_too_much(&self) -> bool {
        self.0.unheard().too_much
    }

    /// True once nobody listens any more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.unheard().nobody
    }

    /// Waits until it is no longer too much, or nobody listens any more; perhaps less.
    pub(super) async fn heard(&self) {
        if !self.is_closed() {
            self.0.heard.notified().await;
        }
    }
}

impl Drop for UnheardTeller {
    fn drop(&mut self) {
        self.0.unheard().over = true;
        self.0.told.notify_one();
    }
}

impl Listener {
    /// Waits for the next word; none after the end.
    pub(super) async fn next(&mut self) -> Option<ChangeEvent> {
        loop {
            {
                let mut unheard = self.0.unheard();
                if let Some(word) = unheard.words.pop_front() {
                    unheard.bytes = unheard.bytes.saturating_sub(bytes(&word));
                    if unheard.too_much && unheard.bytes <= self.0.most / 2 {
                        unheard.too_much = false;
                        self.0.heard.notify_one();
                    }
                    return Some(word);
                }
                if unheard.over {
                    return None;
                }
            }
            self.0.told.notified().await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut unheard = self.0.unheard();
        unheard.nobody = true;
        unheard.words.clear();
        drop(unheard);
        self.0.heard.notify_one();
    }
}

fn bytes(word: &ChangeEvent) -> usize {
    let ChangeEvent::Results(results) = word else {
        return WORD;
    };
    let reasons = results.iter().filter_map(|result| result.reason.as_ref());
    WORD + results.len() * size_of::<EntryResult>() + reasons.map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::plan::Progress;
    use crate::queue::{EntryId, Outcome, Tally};

    fn progress(planned: u64) -> ChangeEvent {
        ChangeEvent::Progress(Progress {
            phase: "deleting",
            tally: Tally::default(),
            planned,
            back: None,
            per_s: 0.0,
            left: None,
            longest_block: std::time::Duration::ZERO,
            waits: None,
        })
    }

    fn results() -> ChangeEvent {
        let one = EntryResult {
            id: EntryId([0; 8]),
            outcome: Outcome::Done,
            reason: None,
        };
        ChangeEvent::Results(vec![one])
    }

    async fn all(mut listener: Listener) -> Vec<ChangeEvent> {
        let mut all = Vec::new();
        while let Some(word) = listener.next().await {
            all.push(word);
        }
        all
    }

    #[tokio::test]
    async fn telling_never_waits_and_of_how_far_it_is_only_the_newest_word_is_kept() {
        let (teller, listener) = line(1);
        let trouble = || ChangeEvent::Trouble("away".to_owned());
        for n in 0..10_000 {
            teller.say(progress(n));
        }
        teller.say(results());
        for n in 0..10_000 {
            teller.say(trouble());
            teller.say(trouble());
            if n == 0 {
                teller.say(progress(7));
            }
        }
        drop(teller);
        let wanted = [
            progress(9_999),
            results(),
            trouble(),
            progress(7),
            trouble(),
        ];
        assert_eq!(all(listener).await, wanted);
    }

    #[tokio::test]
    async fn too_much_is_unheard_until_half_of_it_was_heard() {
        let word = bytes(&results());
        let (teller, mut listener) = line(4 * word);
        for _ in 0..4 {
            teller.say(results());
        }
        assert!(!teller.is_too_much());
        teller.say(results());
        for _ in 0..2 {
            assert!(teller.is_too_much());
            listener.next().await;
        }
        assert!(teller.is_too_much());
        listener.next().await;
        assert!(!teller.is_too_much());
        teller.heard().await;
    }

    #[tokio::test]
    async fn who_goes_away_is_waited_for_no_more() {
        let (teller, listener) = line(1);
        teller.say(results());
        drop(listener);
        teller.heard().await;
        teller.heard().await;
        assert!(teller.is_closed());
        teller.say(results());
        assert_eq!(teller.0.unheard().words.len(), 0);
    }
}
