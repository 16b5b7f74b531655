//! A whole queue looked through for what a filter says, at the pace that the server can spare:
//! hits as they are found, how far it is, and nothing more as soon as nobody listens.

use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::mpsc;

use super::entries::{EntryPlace, Pages, Selection};
use super::panics::caught_in;
use crate::clock::instant;
use crate::payload::Habit;
use crate::queue::{Entry, Filter, Queue, SearchProgress};
use crate::store::{Store, StoreError};

/// Something that a search tells.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchEvent {
    /// Its progress, and what it found since it said so last (perhaps nothing), in the order of the
    /// queue. At most 20 times a second, but the first hits at once.
    Found {
        /// The hits, with score and state.
        entries: Vec<Entry>,
        /// All up to now, these hits included.
        progress: SearchProgress,
    },
    /// Everything was looked at.
    Done(SearchProgress),
}

/// The time after which it tells again.
const PACE: Duration = Duration::from_millis(50);
/// Bytes of hits that are told even if that was just done.
const MOST_BYTES: usize = 1 << 20;
/// Reports that may wait to be heard before the search itself waits.
const WAITING: usize = 4;

/// Looks through one place of a queue for the entries that `filter` lets through, their payloads
/// read in that way. What comes and
/// goes meanwhile may or may not be seen; nothing that stays is left out or told twice. Dropping
/// the stream ends the search; so does an error, after what was found before it.
pub fn search(
    store: &Store,
    queue: &Queue,
    filter: Filter,
    (from, habit): (EntryPlace, Habit),
) -> impl Stream<Item = Result<SearchEvent, StoreError>> + Send + 'static {
    let (tell, told) = mpsc::channel(WAITING);
    let selection = Selection {
        from,
        filter,
        habit,
        ..Selection::default()
    };
    let store = store.along_with(queue);
    let searching = run(Pages::new(&store, queue, selection), tell.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = tell.closed() => {}
            done = caught_in(&store, "look through a queue", searching) => if let Err(why) = done {
                let _ = tell.send(Err(why)).await;
            }
        }
    });
    stream::unfold(told, |mut told| async {
        told.recv().await.map(|said| (said, told))
    })
}

/// Looks through all pages. That nobody listens any more ends it from outside.
async fn run(mut pages: Pages, tell: mpsc::Sender<Result<SearchEvent, StoreError>>) {
    let mut progress = SearchProgress::default();
    let mut entries = Vec::new();
    let (mut bytes, mut told_at) = (0, instant());
    let end = loop {
        let page = match pages.next().await {
            Ok(Some(page)) => page,
            Ok(None) => break Ok(SearchEvent::Done(progress)),
            Err(error) => break Err(error),
        };
        let first = progress.matched == 0 && !page.kept.is_empty();
        progress.looked += page.looked;
        progress.of = pages.of().max(progress.looked);
        progress.matched += u64::try_from(page.kept.len()).unwrap_or(0);
        bytes += page
            .kept
            .iter()
            .map(|entry| entry.member.len())
            .sum::<usize>();
        entries.extend(page.kept);
        let now = instant();
        if first || bytes >= MOST_BYTES || now.saturating_duration_since(told_at) >= PACE {
            let entries = std::mem::take(&mut entries);
            let _ = tell
                .send(Ok(SearchEvent::Found { entries, progress }))
                .await;
            (bytes, told_at) = (0, now);
        }
    };
    if !entries.is_empty() {
        let _ = tell
            .send(Ok(SearchEvent::Found { entries, progress }))
            .await;
    }
    let _ = tell.send(end).await;
}
