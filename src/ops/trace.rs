//! Messages followed while they live: the commands that the server runs, copied by MONITOR, with
//! brakes.
//!
//! MONITOR costs the server as much as everything else it does, so it never runs for longer than
//! somebody reads. A task reads what is copied and looks at the server meanwhile. When its time is
//! over, when a brake acts, or when nobody reads any more, it closes the connection first and
//! tells afterwards. Whoever reads may be kept by a terminal or a disk; the task is not.

pub mod probe;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::clock::instant;
use crate::queue::Known;
use crate::queue::look::Client;
use crate::store::monitor::{MonitorConnection, MonitorCost, cost};
use crate::store::read;
use crate::store::{Store, StoreError};
use crate::trace::Record;
use crate::trace::monitor::record_of_line;
use crate::trace::record::LONGEST_RECORD;

/// The pause between two looks at the server.
const LOOK: Duration = Duration::from_millis(500);
/// Looks that a rate is measured over: one second.
const LOOKS_OF_A_RATE: usize = 2;
/// A server that does not answer a look for so long is not burdened any further.
const PATIENCE: Duration = Duration::from_secs(3);
/// The most that what is read may be behind the server, in µs.
const MOST_BEHIND_US: i64 = 5_000_000;
/// Bytes of records that wait for their reader at most, in each of so many batches.
const MOST_OF_A_BATCH: usize = 1 << 20;
const MOST_BATCHES: usize = 4;
/// Bytes of a line at most; a longer one is left out and counted.
const LONGEST_LINE: usize = LONGEST_RECORD;

/// The limits at which a live trace ends by itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Brakes {
    /// It lasts so long.
    pub span: Duration,
    /// The server runs more commands a second.
    pub commands_per_s: u64,
    /// More bytes wait on the server to be sent to us.
    pub buffer: u64,
}

impl Brakes {
    /// The usual limits: 30 s, 20,000 commands a second, 16 MB.
    pub const USUAL: Self = Self {
        span: Duration::from_secs(30),
        commands_per_s: 20_000,
        buffer: 16_000_000,
    };
}

/// The reason why a live trace ended.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveEnd {
    /// Its time was over.
    Time,
    /// It was asked to.
    Asked,
    /// The server ran so many commands a second.
    Rate(u64),
    /// The bytes that waited on the server to be sent to us.
    Buffer(u64),
    /// The time by which we read behind the server, in µs.
    Behind(i64),
    /// The server has answered no look.
    Unanswered(StoreError),
    /// The connection broke, in these words.
    Broken(String),
}

impl LiveEnd {
    /// True of an end by time or by request: no brake acted, and the connection stood.
    #[must_use]
    pub const fn is_meant(&self) -> bool {
        matches!(self, Self::Time | Self::Asked)
    }

    /// The word for it in JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Asked => "asked",
            Self::Rate(_) => "rate",
            Self::Buffer(_) => "buffer",
            Self::Behind(_) => "behind",
            Self::Unanswered(_) => "unanswered",
            Self::Broken(_) => "broken",
        }
    }
}

/// The cost of a live trace to the server.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveCost {
    /// The time that MONITOR ran.
    pub span: Duration,
    /// Bytes that the server has copied to us.
    pub bytes: u64,
    /// Commands a second that the server ran at most, over a second.
    pub most_per_s: u64,
    /// Bytes that waited on the server at most; or why that could not be seen.
    pub most_waiting: Known<u64>,
    /// Records that were left out: longer than is taken, or no line of MONITOR.
    pub unreadable: u64,
}

/// A live trace under way. Dropped, it ends.
pub struct LiveTrace {
    records: mpsc::Receiver<Vec<Record>>,
    counted: watch::Receiver<Option<(i64, u64)>>,
    stop: LiveStop,
    task: JoinHandle<(LiveEnd, LiveCost)>,
}

/// The means to end a live trace from elsewhere.
#[derive(Clone)]
pub struct LiveStop {
    asked: Arc<watch::Sender<bool>>,
    is_open: watch::Receiver<bool>,
}

impl LiveStop {
    /// Ends it, and waits until the server does not copy any more.
    pub async fn stop(&mut self) {
        self.asked.send_replace(true);
        // Fails when the task is gone, and with it the connection.
        let _ = self.is_open.wait_for(|is_open| !is_open).await;
    }
}

impl Drop for LiveTrace {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl LiveTrace {
    /// The next records, in their order; none once it has ended. None at all may come for long.
    pub async fn next(&mut self) -> Option<Vec<Record>> {
        self.records.recv().await
    }

    /// The last count of the clients that listen to the channel, with its time in µs since the epoch;
    /// none where there is none.
    #[must_use]
    pub fn listeners(&self) -> Option<(i64, u64)> {
        *self.counted.borrow()
    }

    /// The means to end it from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> LiveStop {
        self.stop.clone()
    }

    /// Tells why it has ended, and what it has cost; to be asked once there is nothing
    /// [next](Self::next).
    pub async fn end(&mut self) -> (LiveEnd, Option<LiveCost>) {
        match (&mut self.task).await {
            Ok((end, cost)) => (end, Some(cost)),
            Err(why) => (LiveEnd::Broken(why.to_string()), None),
        }
    }
}

/// Commands a second that the server runs just now: the price of a live trace is a copy of each.
pub async fn price(store: &Store) -> Result<Known<u64>, StoreError> {
    store.ready(PATIENCE).await?;
    Ok(cost(store, None, None).await?.commands_per_s)
}

/// The clients that the server has now, or why they are not listed: to be asked for once, since the list
/// costs the more, the more there are. Names that are given later are among what MONITOR shows, unless
/// they come with HELLO, which it leaves out.
pub async fn clients(store: &Store) -> Known<Vec<Client>> {
    match read::clients(store).await {
        Ok(clients) => clients,
        Err(why) => Known::Unknown(why.to_string().into()),
    }
}

/// Begins a live trace: MONITOR runs from now on. Whoever calls this has told its price. The clients
/// that listen to that channel are counted meanwhile.
pub async fn follow(
    store: &Store,
    brakes: Brakes,
    channel: Option<Vec<u8>>,
) -> Result<LiveTrace, StoreError> {
    // By it the brakes look: without it they would act at once.
    store.ready(PATIENCE).await?;
    let monitor = MonitorConnection::open(store).await?;
    let (sender, records) = mpsc::channel(MOST_BATCHES);
    let (asked, asks) = watch::channel(false);
    let (open, is_open) = watch::channel(true);
    let (counts, counted) = watch::channel(None);
    let progress = Progress {
        counts,
        ..Progress::default()
    };
    let ends = (sender, asks, open);
    let task = tokio::spawn(run(
        store.clone(),
        monitor,
        (brakes, channel),
        progress,
        ends,
    ));
    let stop = LiveStop {
        asked: Arc::new(asked),
        is_open,
    };
    Ok(LiveTrace {
        records,
        counted,
        stop,
        task,
    })
}

/// The two ends of a trace: where records go, who asks it to end, and whether it is open.
type TraceEnds = (
    mpsc::Sender<Vec<Record>>,
    watch::Receiver<bool>,
    watch::Sender<bool>,
);

/// Counts that the reader writes and the brakes read, and those that these tell.
#[derive(Default)]
struct Progress {
    commands: AtomicU64,
    /// The time of the last record, in µs since the epoch.
    last_us: AtomicI64,
    /// The clients that listen to the channel, with the time of the count.
    counts: watch::Sender<Option<(i64, u64)>>,
}

async fn run(
    store: Store,
    mut monitor: MonitorConnection,
    (brakes, channel): (Brakes, Option<Vec<u8>>),
    progress: Progress,
    (sender, mut asked, open): TraceEnds,
) -> (LiveEnd, LiveCost) {
    let began = instant();
    let mut lines = Lines::default();
    let mut seen = BrakeFigures::default();
    let mut bytes = 0;
    let mut batch = Vec::new();
    let mut batched = 0;
    let db = store.endpoint().db;
    let end = {
        let mut brake = std::pin::pin!(brake(
            &store,
            (monitor.id(), channel.as_deref()),
            brakes,
            &progress,
            &mut seen
        ));
        let mut over = std::pin::pin!(sleep(brakes.span));
        loop {
            tokio::select! {
                biased;
                // Fails when nobody is left who could ask.
                _ = asked.wait_for(|asked| *asked) => break LiveEnd::Asked,
                () = sender.closed() => break LiveEnd::Asked,
                () = &mut over => break LiveEnd::Time,
                end = &mut brake => break end,
                permit = sender.reserve(), if !batch.is_empty() => {
                    if let Ok(permit) = permit {
                        permit.send(std::mem::take(&mut batch));
                        batched = 0;
                    }
                }
                read = monitor.read(&mut lines.unread), if batched < MOST_OF_A_BATCH => {
                    match read {
                        Ok(0) => break LiveEnd::Broken("the server closed it".to_owned()),
                        Ok(read) => bytes += read as u64,
                        Err(why) => break LiveEnd::Broken(why.to_string()),
                    }
                    let mut new = Vec::new();
                    lines.take(&mut new);
                    progress.commands.fetch_add(new.len() as u64, Ordering::Relaxed);
                    if let Some(at_us) = new.last().and_then(|record| record.at_us) {
                        progress.last_us.store(at_us, Ordering::Relaxed);
                    }
                    // A queue of the same name in another database is another one.
                    new.retain(|record| i64::from(record.db) == db);
                    batched += new.iter().map(Record::size).sum::<usize>();
                    batch.append(&mut new);
                }
            }
        }
    };
    // The server is let go first, whatever else there is to do.
    drop(monitor);
    open.send_replace(false);
    let span = instant().saturating_duration_since(began);
    if !batch.is_empty() {
        // Fails when nobody reads any more.
        let _ = sender.send(batch).await;
    }
    let cost = LiveCost {
        span,
        bytes,
        most_per_s: seen.most_per_s,
        most_waiting: seen.most_waiting,
        unreadable: lines.unreadable,
    };
    (end, cost)
}

/// The figures that the brakes have seen.
struct BrakeFigures {
    most_per_s: u64,
    most_waiting: Known<u64>,
}

impl Default for BrakeFigures {
    fn default() -> Self {
        Self {
            most_per_s: 0,
            most_waiting: Known::Unknown("the trace ended before the first look".into()),
        }
    }
}

/// One look, with what had been read by then.
struct Look {
    at: Instant,
    copied: u64,
    cost: MonitorCost,
}

/// Looks at the server until it is time to end.
async fn brake(
    store: &Store,
    (id, channel): (Option<u64>, Option<&[u8]>),
    brakes: Brakes,
    progress: &Progress,
    seen: &mut BrakeFigures,
) -> LiveEnd {
    let mut looks: VecDeque<Look> = VecDeque::new();
    let mut began_us = 0;
    loop {
        // Each look is a command too, and the last one that was copied: the reader is behind when it
        // has not read that of the look before.
        let last_us = progress.last_us.load(Ordering::Relaxed);
        let cost = match timeout(PATIENCE, cost(store, id, channel)).await {
            Ok(Ok(cost)) => cost,
            Ok(Err(why)) => return LiveEnd::Unanswered(why),
            Err(_) => {
                return LiveEnd::Unanswered(StoreError::TimedOut {
                    server: store.endpoint().to_string(),
                    attempt: "tell what MONITOR costs it",
                    after: PATIENCE,
                });
            }
        };
        if let Some(before) = looks.back() {
            let behind = before.cost.at_us - last_us.max(began_us);
            if behind > MOST_BEHIND_US {
                return LiveEnd::Behind(behind);
            }
        } else {
            began_us = cost.at_us;
        }
        if let Known::Is(count) = cost.listeners {
            progress.counts.send_replace(Some((cost.at_us, count)));
        }
        seen.most_waiting = match (&seen.most_waiting, &cost.buffer) {
            (Known::Is(most), Known::Is(now)) => Known::Is(*most.max(now)),
            (Known::Is(most), _) => Known::Is(*most),
            (_, now) => now.clone(),
        };
        looks.push_back(Look {
            at: instant(),
            copied: progress.commands.load(Ordering::Relaxed),
            cost,
        });
        if let Some(per_s) = rate(&looks) {
            seen.most_per_s = seen.most_per_s.max(per_s);
        }
        let buffer = seen.most_waiting.get();
        if let Some(buffer) = buffer.filter(|buffer| *buffer > brakes.buffer) {
            return LiveEnd::Buffer(buffer);
        }
        if seen.most_per_s > brakes.commands_per_s {
            return LiveEnd::Rate(seen.most_per_s);
        }
        if looks.len() > LOOKS_OF_A_RATE {
            looks.pop_front();
        }
        sleep(LOOK).await;
    }
}

/// Commands a second between the first and the last look: those that were copied, or those that the
/// server says it has run, whichever are more.
fn rate(looks: &VecDeque<Look>) -> Option<u64> {
    let (first, last) = (looks.front()?, looks.back()?);
    let ms = u64::try_from((last.at - first.at).as_millis()).ok()?;
    let copied = last.copied - first.copied;
    let ran = match (first.cost.commands.get(), last.cost.commands.get()) {
        (Some(first), Some(last)) => last.saturating_sub(first),
        _ => 0,
    };
    (copied.max(ran) * 1_000).checked_div(ms)
}

/// Lines of MONITOR, put together from what was read.
#[derive(Default)]
struct Lines {
    unread: Vec<u8>,
    /// Bytes of `unread` that have no line end in them.
    searched: usize,
    /// The line that is being read is too long: it is skipped to its end.
    is_skipping: bool,
    unreadable: u64,
}

impl Lines {
    /// Appends the records of all whole lines.
    fn take(&mut self, records: &mut Vec<Record>) {
        let mut begin = 0;
        let mut from = self.searched;
        while let Some(length) = self.unread[from..].iter().position(|b| *b == b'\n') {
            let end = from + length;
            let line = self.unread[begin..end].trim_ascii_end();
            if std::mem::take(&mut self.is_skipping) {
                self.unreadable += 1;
            } else if let Some(record) = record_of_line(line) {
                records.push(record);
            } else if !line.is_empty() {
                self.unreadable += 1;
            }
            begin = end + 1;
            from = begin;
        }
        self.unread.drain(..begin);
        if self.unread.len() > LONGEST_LINE {
            self.is_skipping = true;
        }
        if self.is_skipping {
            self.unread.clear();
        }
        self.searched = self.unread.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &mut Lines, bytes: &[u8]) -> usize {
        let mut records = Vec::new();
        lines.unread.extend_from_slice(bytes);
        lines.take(&mut records);
        records.len()
    }

    #[test]
    fn a_line_is_a_record_wherever_the_network_cuts_it() {
        let log = b"+1.5 [0 a:1] \"SET\" \"k\" \"v\"\r\n+1.6 [0 lua] \"DEL\" \"k\"\r\n";
        for at in 0..log.len() {
            let mut lines = Lines::default();
            let (before, behind) = log.split_at(at);
            assert_eq!(taken(&mut lines, before) + taken(&mut lines, behind), 2);
            assert_eq!((lines.unreadable, lines.unread.len()), (0, 0), "{at}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_or_no_record_is_left_out_and_counted() {
        let mut lines = Lines::default();
        assert_eq!(taken(&mut lines, b"-ERR what\r\n"), 0);
        assert_eq!(taken(&mut lines, b"+1.5 [0 a:1] \"SET\" \""), 0);
        for _ in 0..5 {
            assert_eq!(taken(&mut lines, &vec![b'x'; LONGEST_LINE / 2]), 0);
            assert!(lines.unread.len() <= LONGEST_LINE);
        }
        assert_eq!(taken(&mut lines, b"\"\r\n+1.6 [0 a:1] \"PING\"\r\n"), 1);
        assert_eq!(lines.unreadable, 2);
    }
}
