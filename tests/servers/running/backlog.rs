//! A worker that finds a backlog: it does not look for each entry far down the order list.

use delayscope::clock::EpochMillis;
use delayscope::ops::journal::Journal;
use delayscope::ops::offer::offer;
use delayscope::ops::worker::{RunningWorker, WorkerEvent, WorkerOptions, work_in_bulk};
use delayscope::queue::{Change, Form};
use futures_util::StreamExt as _;

use crate::running::{Bench, next, next_batch, numbered, sorted};
use crate::support::{Value, room};

const DUE: EpochMillis = EpochMillis::new(1_600_000_000_000);

/// A queue of so many that are due at one moment: their order is that of their ids, which is not
/// that of the order list.
async fn backlog(count: u32) -> Bench {
    let bench = Bench::new().await;
    for payloads in numbered(count).chunks(1_000) {
        let offered = offer(&bench.writer, &bench.queue, payloads, DUE, Form::ByteId);
        offered.await.unwrap();
    }
    bench.server.cmd(&["CONFIG", "RESETSTAT"]);
    bench
}

fn in_bulk(bench: &Bench, journal: &Journal, options: WorkerOptions) -> RunningWorker {
    let (writer, queue) = (bench.writer.clone(), bench.queue.clone());
    work_in_bulk(&bench.store, writer, queue, options, journal)
}

fn until_empty(batch: u32) -> WorkerOptions {
    WorkerOptions {
        until_empty: true,
        batch,
        ..WorkerOptions::default()
    }
}

/// How often entries were looked for in the order list.
fn searches(bench: &Bench) -> u64 {
    let Value::BulkString(stats) = bench.server.cmd(&["INFO", "commandstats"]) else {
        panic!("no text");
    };
    let stats = String::from_utf8(stats).unwrap();
    let line = stats
        .lines()
        .find_map(|line| line.strip_prefix("cmdstat_lrem:calls="));
    let calls = line.and_then(|line| line.split(',').next());
    calls.map_or(0, |calls| calls.parse().unwrap())
}

/// How many it tells of, until it ends.
async fn moved(events: RunningWorker) -> usize {
    let events: Vec<_> = events.collect().await;
    assert_eq!(events.last(), Some(&WorkerEvent::Done));
    let moved = |event: &WorkerEvent| match event {
        WorkerEvent::Batch(batch) => batch.moved,
        WorkerEvent::Trouble { why, .. } => panic!("{why}"),
        _ => 0,
    };
    events.iter().map(moved).sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_due_at_one_moment_is_not_looked_for_one_by_one() {
    let dir = room();
    let journal = Journal::at(dir.path(), 30);
    let bench = backlog(20_000).await;
    assert_eq!(
        moved(in_bulk(&bench, &journal, until_empty(500))).await,
        20_000
    );
    assert!(searches(&bench) < 200, "{}", searches(&bench));
    assert_eq!(sorted(bench.target()), numbered(20_000));
    assert!(bench.nothing_left());
    assert_eq!(
        bench.server.int(&["EXISTS", "delayscope:aside:{orders}"]),
        0
    );
    // It can be taken back like any other.
    let kept = journal.list().await.unwrap();
    let kept: Vec<_> = kept
        .iter()
        .map(|kept| (kept.head.change, kept.head.planned))
        .collect();
    assert_eq!(kept, [(Change::Transfer, 20_000)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_small_scripts_or_has_no_backlog_gets_no_bulk() {
    let dir = room();
    let journal = Journal::at(dir.path(), 30);
    for (count, batch) in [(2_000, 100), (400, 500)] {
        let bench = backlog(count).await;
        let all = usize::try_from(count).unwrap();
        assert_eq!(
            moved(in_bulk(&bench, &journal, until_empty(batch))).await,
            all
        );
        // All but those that happen to be next at the head.
        assert!(
            searches(&bench) > u64::from(count) / 2,
            "{}",
            searches(&bench)
        );
        assert!(journal.list().await.unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopped_in_the_middle_it_has_the_order_list_back_before_it_ends() {
    let dir = room();
    let journal = Journal::at(dir.path(), 30);
    let bench = backlog(30_000).await;
    let mut events = in_bulk(&bench, &journal, WorkerOptions::default());
    let first = next_batch(&mut events).await;
    events.stop();
    let rest: Vec<_> = events.collect().await;
    assert!(!rest.contains(&WorkerEvent::Done));
    assert_eq!(
        bench.server.int(&["EXISTS", "delayscope:aside:{orders}"]),
        0
    );
    let keys = bench.queue.keys();
    let key = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    let waiting = bench
        .server
        .list(&["ZRANGE", &key(&keys.timeouts), "0", "-1"]);
    let order = bench
        .server
        .list(&["LRANGE", &key(&keys.order.unwrap()), "0", "-1"]);
    assert!(!waiting.is_empty(), "it was in the middle");
    assert_eq!(sorted(waiting.clone()), sorted(order));
    let moved = |event: &WorkerEvent| match event {
        WorkerEvent::Batch(batch) => batch.moved,
        _ => 0,
    };
    let told = first.moved + rest.iter().map(moved).sum::<usize>();
    assert_eq!(told, bench.target().len(), "and each is told of");
    assert_eq!(told + waiting.len(), 30_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_bulk_can_be_had_it_goes_on_script_by_script() {
    // Nobody can write there.
    let journal = Journal::at(std::path::Path::new("/dev/null/no"), 30);
    let bench = backlog(3_000).await;
    let mut events = in_bulk(&bench, &journal, until_empty(500));
    let mut all = 0;
    loop {
        match next(&mut events).await {
            WorkerEvent::Batch(batch) => all += batch.moved,
            WorkerEvent::Done => break,
            _ => {}
        }
    }
    assert_eq!((all, bench.target().len()), (3_000, 3_000));
}
