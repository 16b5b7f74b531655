//! A look at all members of a queue: timeouts and order list compared, each frame judged, the next
//! due ones found in the order list, target looked through for frames.
//!
//! Page after page, at most a quarter of the server's time, and nothing more as soon as nobody
//! listens. It only reads, so that whenever it ends nothing is left behind. Of a member that is as
//! it should be 16 bytes are kept.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{Stream, stream};
use tokio::sync::mpsc;

use crate::clock::instant;
use crate::ops::bulk::drift::{Compare, Difference, ReadObserver, Sizes};
use crate::ops::bulk::list::{ListRead, ListReader};
use crate::ops::panics::caught_in;
use crate::queue::exact::{Exact, ListDifferences};
use crate::queue::{EntryId, Queue};
use crate::store::{Store, StoreError, read};

/// The longest wait for a link that has not been live yet, or hangs.
const READY: Duration = Duration::from_secs(5);
/// The time after which progress is told again.
const PROGRESS: Duration = Duration::from_millis(100);
/// It takes no more than this part of the server's time: one in so many.
const SHARE: u32 = 4;
/// Number of the next due ones that are looked for in the order list: as many as a Redisson client
/// transfers in one script. The first few tell how large they are.
const NEXT: u32 = 100;
const FEELER: u32 = 10;
/// Bytes of those that are looked for, at most.
const NEXT_BYTES: usize = 256 * 1024;
/// Bytes of what differs that are kept: more is counted only.
const KEPT_BYTES: usize = 64 << 20;

/// The time that a member or element takes (measured: 10.6 s for a million of 41 bytes in both),
/// and each of its bytes, in ns.
const EACH_NS: u64 = 5_000;
const BYTE_NS: u64 = 10;

/// Estimates how long a look at `elements` members and elements of about `bytes` bytes each will
/// take.
pub(super) fn takes(elements: u64, bytes: usize) -> Duration {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let each = EACH_NS.saturating_add(bytes.saturating_mul(BYTE_NS));
    Duration::from_nanos(elements.saturating_mul(each))
}

/// Something that [`examine`] tells.
#[derive(Clone, Debug, PartialEq)]
pub enum ExaminationEvent {
    /// The number of members and elements that were looked at, and about how many there are.
    Progress {
        /// Number of those that were looked at.
        looked: u64,
        /// Of about so many.
        of: u64,
    },
    /// All were.
    Done(Box<Exact>),
}

/// Looks at all members of a queue on a server whose `unsigned long` has `long` bytes. What comes
/// and goes meanwhile is no difference. Dropping the stream ends it, and so does an error.
pub fn examine(
    store: &Store,
    queue: &Queue,
    long: usize,
) -> impl Stream<Item = Result<ExaminationEvent, StoreError>> + Send + Unpin + 'static {
    let (tell, told) = mpsc::channel(4);
    let (store, queue) = (store.along_with(queue), queue.clone());
    tokio::spawn(async move {
        let hear = tell.clone();
        let of = store.clone();
        let looking = run(store, queue, long, tell);
        tokio::select! {
            () = hear.closed() => {}
            done = caught_in(&of, "look at all entries of a queue", looking) => {
                if let Err(why) = done {
                    let _ = hear.send(Err(why)).await;
                }
            }
        }
    });
    Box::pin(stream::unfold(told, |mut told| async {
        told.recv().await.map(|said| (said, told))
    }))
}

async fn run(
    store: Store,
    queue: Queue,
    long: usize,
    tell: mpsc::Sender<Result<ExaminationEvent, StoreError>>,
) {
    let ended = look(&store, &queue, long, &tell).await;
    // Nobody who does not listen any more misses it.
    let _ = tell
        .send(ended.map(|exact| ExaminationEvent::Done(Box::new(exact))))
        .await;
}

async fn look(
    store: &Store,
    queue: &Queue,
    long: usize,
    tell: &mpsc::Sender<Result<ExaminationEvent, StoreError>>,
) -> Result<Exact, StoreError> {
    let from = store.ready(READY).await?.now();
    let target = queue.keys().target;
    let delivered = read::list_page(store, &target, 0, 0).await?.length;
    let mut looker = Looker {
        queue: queue.clone(),
        long,
        next: next_due(store, queue).await?,
        exact: Exact::new(queue, from),
    };
    let mut pace = ExactPace::new(tell);
    let mut compare = Compare::sure(queue, KEPT_BYTES);
    let mut of = delivered;
    while let Some(step) = compare.next(store, &mut looker).await? {
        of = step.of.saturating_add(delivered);
        pace.step(step.took.unwrap_or_default(), (step.at, of))
            .await;
    }
    if let Some(drift) = &mut looker.exact.drift {
        *drift = drifted(queue, compare.found(), compare.sizes());
    }
    let mut exact = looker.exact;
    exact.order = compare.sizes().order;
    drop(compare);
    if queue.has_frames() {
        let mut reader = ListReader::new(target);
        // Consumers take from its head: what they have taken is as if it had not been there.
        // What is delivered meanwhile is not waited for.
        let mut until = u64::MAX;
        while reader.length() < until
            && let ListRead::Page(page) = reader.next(store).await?
        {
            until = until.min(page.length);
            for (place, element) in (page.first..).zip(&page.elements) {
                exact.delivered(queue, place, element);
            }
            let so_far = of.saturating_sub(delivered) + exact.target;
            pace.step(page.took, (so_far.min(of), of)).await;
        }
    }
    exact.at = store.ready(READY).await?.now();
    Ok(exact)
}

/// The next due ones, which are looked for in the order list.
async fn next_due(store: &Store, queue: &Queue) -> Result<HashMap<Vec<u8>, EntryId>, StoreError> {
    let timeouts = queue.keys().timeouts;
    let mut rows = read::rows(store, &timeouts, 0, FEELER, None).await?.rows;
    let bytes: usize = rows.iter().map(|(member, _)| member.len()).sum();
    if rows.len() == FEELER as usize && bytes * (NEXT / FEELER) as usize <= NEXT_BYTES {
        rows = read::rows(store, &timeouts, 0, NEXT, None).await?.rows;
    }
    let named = rows.into_iter().map(|(member, _)| {
        let id = queue.id(&member);
        (member, id)
    });
    Ok(named.collect())
}

/// Looks at each member while it is compared.
struct Looker {
    queue: Queue,
    long: usize,
    next: HashMap<Vec<u8>, EntryId>,
    exact: Exact,
}

impl ReadObserver for Looker {
    fn waits(&mut self, member: &[u8], score: f64) {
        self.exact.waits(&self.queue, member, score, self.long);
    }

    fn stands(&mut self, place: u64, element: &[u8]) {
        if let Some(id) = self.next.get(element) {
            self.exact.places.push((*id, place));
        }
    }

    fn again(&mut self) {
        self.exact = Exact::new(&self.queue, self.exact.from);
    }
}

fn drifted(queue: &Queue, found: &[Difference], sizes: Sizes) -> ListDifferences {
    let mut drifted = ListDifferences {
        at_least: sizes.beyond > 0,
        balance: sizes.balance,
        aside: sizes.aside,
        ..ListDifferences::default()
    };
    for difference in found {
        let side = match difference {
            Difference::NotInOrder(_) => &mut drifted.lacking,
            Difference::OnlyInOrder(_) => &mut drifted.strays,
            Difference::TooOften(..) => &mut drifted.twice,
        };
        side.add(queue, difference.member());
    }
    drifted
}

/// Says how far it is, and leaves the server to others for most of the time.
struct ExactPace<'a> {
    tell: &'a mpsc::Sender<Result<ExaminationEvent, StoreError>>,
    since: std::time::Instant,
    told: Option<std::time::Instant>,
}

impl<'a> ExactPace<'a> {
    fn new(tell: &'a mpsc::Sender<Result<ExaminationEvent, StoreError>>) -> Self {
        Self {
            tell,
            since: instant(),
            told: None,
        }
    }

    /// A step kept the server for so long; it is so far now.
    async fn step(&mut self, took: Duration, (looked, of): (u64, u64)) {
        let now = instant();
        if (self.told).is_none_or(|told| now.saturating_duration_since(told) >= PROGRESS) {
            self.told = Some(now);
            let _ = self
                .tell
                .send(Ok(ExaminationEvent::Progress { looked, of }))
                .await;
        }
        let until = self.since + took * SHARE;
        if until > now {
            tokio::time::sleep_until(until.into()).await;
        }
        self.since = instant();
    }
}
