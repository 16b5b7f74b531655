//! A search for the screen: told often enough to be seen, never so much that it floods the loop.

use futures_util::StreamExt as _;
use tokio::sync::mpsc::UnboundedSender;

use super::{Effect, HITS_KEPT, Scores};
use crate::ops::entries::EntryPlace;
use crate::ops::search::{SearchEvent, search};
use crate::payload::Habit;
use crate::queue::{Entry, Filter, Queue, SearchProgress};
use crate::store::{Store, read};
use crate::tui::filter;
use crate::tui::msg::Msg;
use crate::tui::tabs::Tab;
use crate::tui::tasks::{TaskKind, Tasks};

/// The most bytes of the hits that are kept: members may be large.
const KEPT_BYTES: usize = 64 << 20;

/// Returns the place where the search of a tab looks.
const fn place(tab: Tab) -> EntryPlace {
    match tab {
        Tab::Delivered => EntryPlace::Delivered,
        Tab::Order => EntryPlace::Order,
        Tab::Quarantine => EntryPlace::Quarantined,
        Tab::Waiting | Tab::Traffic | Tab::Findings | Tab::Changes | Tab::Nodes => {
            EntryPlace::Waiting
        }
    }
}

impl Tasks {
    /// Asks for the scores of some members.
    fn check(&mut self, store: Store, generation: u64, queue: Queue, members: Vec<Vec<u8>>) {
        let of = queue.clone();
        let question = async move { scores(&store, &of, members).await };
        self.ask(TaskKind::Scores, question, move |result| {
            Msg::Filter(filter::Msg::ScoresChecked {
                generation,
                queue,
                result,
            })
        });
    }

    /// Searches what is asked for.
    pub(crate) fn filter(&mut self, effect: Effect) {
        let store = self.store.clone();
        match effect {
            Effect::Search {
                generation,
                queue,
                filter,
                habit,
                tab,
            } => {
                let to = (generation, self.answers.clone());
                self.latest(
                    TaskKind::Search,
                    run(store, queue, filter, (tab, habit), to),
                );
            }
            Effect::EndSearch => self.end(TaskKind::Search),
            Effect::CheckScores {
                generation,
                queue,
                members,
            } => self.check(store, generation, queue, members),
        }
    }
}

/// Looks through a queue. The search says what it has some twenty times a second; what lies
/// beyond the hits that are kept goes no further than its count.
pub(crate) async fn run(
    store: Store,
    queue: Queue,
    filter: Filter,
    (tab, habit): (Tab, Habit),
    (generation, answers): (u64, UnboundedSender<Msg>),
) {
    let mut told = std::pin::pin!(search(&store, &queue, filter, (place(tab), habit)));
    let mut room = Room::default();
    while let Some(said) = told.next().await {
        let (hits, progress, end) = match said {
            Ok(SearchEvent::Found { entries, progress }) => {
                (room.take(entries), Some(progress), None)
            }
            Ok(SearchEvent::Done(progress)) => (Vec::new(), Some(progress), Some(Ok(()))),
            Err(why) => (Vec::new(), None, Some(Err(why.to_string()))),
        };
        if let Some(SearchProgress {
            looked,
            of,
            matched,
        }) = progress
        {
            // Nobody listens any more when the program is about to end.
            let _ = answers.send(Msg::Filter(filter::Msg::Hits {
                generation,
                hits,
                found: matched,
                looked,
                of,
            }));
        }
        if let Some(result) = end {
            let _ = answers.send(Msg::Filter(filter::Msg::Searched { generation, result }));
            return;
        }
    }
}

/// The room that hits have taken: their number, their bytes, and whether it is full.
#[derive(Default)]
struct Room {
    hits: usize,
    bytes: usize,
    full: bool,
}

impl Room {
    /// The hits that still fit. After the first one that does not, none: those shown are the
    /// first ones, without a gap.
    fn take(&mut self, entries: Vec<Entry>) -> Vec<(Vec<u8>, Option<f64>)> {
        let fits = |entry: &Entry| {
            self.hits += 1;
            self.bytes += entry.member.len();
            self.full |= self.hits > HITS_KEPT || self.bytes > KEPT_BYTES;
            !self.full
        };
        let kept = entries.into_iter().take_while(fits);
        kept.map(|entry| (entry.member, entry.score)).collect()
    }
}

/// The scores that members have now.
pub(crate) async fn scores(
    store: &Store,
    queue: &Queue,
    members: Vec<Vec<u8>>,
) -> Result<Scores, String> {
    let timeouts = queue.keys().timeouts;
    let scores = read::element_scores(store, &timeouts, &members).await;
    let scores = scores.map_err(|why| why.to_string())?;
    Ok(members.into_iter().zip(scores).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::State;

    fn entries(count: usize, bytes: usize) -> Vec<Entry> {
        let entry = Entry {
            member: vec![0; bytes],
            score: Some(1.0),
            state: State::Waiting,
        };
        vec![entry; count]
    }

    #[test]
    fn what_is_kept_is_bounded_in_number_and_in_bytes() {
        let mut room = Room::default();
        assert_eq!(room.take(entries(HITS_KEPT - 1, 10)).len(), HITS_KEPT - 1);
        assert_eq!(room.take(entries(5, 10)).len(), 1);
        assert_eq!(room.take(entries(5, 10)).len(), 0);
        let mut room = Room::default();
        assert_eq!(room.take(entries(100, 1 << 20)).len(), 64);
        assert_eq!(room.take(entries(1, 1)).len(), 0);
    }
}
