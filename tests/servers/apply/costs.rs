//! What a plan says that a change will cost, against what the server and the journal say
//! afterwards. Times are those of the server's processor, which others at work on the machine
//! hardly change. Without an allowance for them: `QUIET_MACHINE=1`.

use std::time::Duration;

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Filter, Queue};

use crate::apply::bench::Bench;
use crate::apply::longest::turn;
use crate::support::{Server, Value, frame};
use crate::watch::{Watch, script_times};

/// Enough for the walks through a list to cost something.
const ALL: u64 = 5_000;
/// Half of them, wherever they stand.
const HALF: &str = "re:/[0-4]$/";
const FEW: &str = "re:/00$/";

/// A queue whose order list stands in no order, the last entry but one due at `last` ms from now,
/// on a server that writes down what it would send to a replica.
async fn shuffled(last: i64) -> Bench {
    let server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "no"]);
    // Where it may: what other programs take is not the script's.
    server.goes_first();
    server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "0"]);
    server.cmd(&["CONFIG", "SET", "slowlog-max-len", "100000"]);
    let bench = Bench::on(server, &Queue::redisson("orders")).await;
    let all = i64::try_from(ALL).unwrap();
    let first = bench.server.now().plus(last - all);
    let due = |n: u64| first.plus(i64::try_from((n - 1) * 7_919 % ALL).unwrap());
    bench.server.fill_with(&bench.queue, ALL, due);
    let (last, score) = (frame(99_999, b"much later"), "4000000000000");
    bench.server.put(&bench.queue, &last, score);
    bench
}

fn matching(filter: &str, from: EntryPlace) -> EntryChoice {
    EntryChoice::Selected(Selection {
        filter: Filter::parse(filter).unwrap(),
        from,
        ..Selection::default()
    })
}

fn later() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::By(900_000),
        spread_ms: 0,
    })
}

/// A figure of INFO.
fn info<T: std::str::FromStr>(server: &Server, section: &str, name: &str) -> Option<T> {
    let Value::BulkString(info) = server.cmd(&["INFO", section]) else {
        panic!("INFO is text")
    };
    let info = String::from_utf8(info).unwrap();
    let mut fields = info.lines().filter_map(|line| line.split_once(':'));
    fields.find(|field| field.0 == name)?.1.parse().ok()
}

/// How long the append-only file is.
fn appended(server: &Server) -> u64 {
    info(server, "persistence", "aof_current_size").unwrap()
}

/// For how long the server's processor was at work.
fn worked(server: &Server) -> Duration {
    let spent = |name| info(server, "cpu", name).map(Duration::from_secs_f64);
    spent("used_cpu_user").unwrap() + spent("used_cpu_sys").unwrap()
}

impl Bench {
    /// Plans, applies and compares.
    async fn as_planned(&self, what: ChangeRequest, which: EntryChoice, way: Way) {
        let prepared = self.plan(what, which).await.unwrap();
        self.costs(prepared, way).await;
    }

    /// The same with the undo of the newest change.
    async fn undone_as_planned(&self, way: Way) {
        let prepared = plan_undo(&self.store, &self.journal, None, false).await;
        self.costs(prepared.unwrap(), way).await;
    }

    async fn costs(&self, prepared: PreparedChange, way: Way) {
        let (change, cost) = (prepared.plan.change, prepared.plan.cost);
        assert_eq!(prepared.plan.way, way, "{change:?}");
        self.server.cmd(&["SLOWLOG", "RESET"]);
        let before = (appended(&self.server), worked(&self.server));
        let told = self.apply(prepared, Limits::default()).await;
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        let appended = appended(&self.server) - before.0;
        let worked = worked(&self.server).saturating_sub(before.1);
        let mut scripts = script_times(&self.server, |_| true);
        scripts.sort();
        // Some scripts may have been interrupted by somebody else's work, and all of them be longer
        // for it: how long they took at most, and how long of that they were at work at least.
        let most = scripts[scripts.len() * 3 / 4];
        let served: Duration = scripts.iter().sum();
        // The longest waited for no longer than all of them did.
        let waited = served.saturating_sub(worked);
        let slowest = scripts
            .last()
            .map_or(Duration::ZERO, |one| one.saturating_sub(waited));
        let share = (worked.as_secs_f64() / served.as_secs_f64()).min(1.0);
        let longest = most.mul_f64(share);
        let id = told.summary.journal_id.unwrap();
        let changes = self.dir().join("changes");
        let kept = changes.join(id).metadata().unwrap().len();
        let told = format!(
            "{change:?} {way:?}: {cost:?}, and it was {longest:?} to {most:?}, once {slowest:?}, {worked:?}, {appended} bytes \
             to replicas and {kept} to the journal"
        );
        let ms = Duration::from_millis(1);
        assert!(longest <= cost.longest_block * 3 + 2 * ms, "{told}");
        let bound = cost.longest_block.max(ms).mul_f64(1.5) + turn();
        assert!(slowest <= bound, "{told}");
        // Told is a bound: batches may grow until they keep the server for as long as they may.
        let bound = (most * 8 + ms).max(Limits::default().max_block);
        assert!(cost.longest_block <= bound, "{told}");
        // The processor was at work for other things too: timers, memory that is touched first.
        assert!(worked <= cost.takes * 4 + 10 * ms, "{told}");
        assert!(cost.takes <= worked * 8 + ms, "{told}");
        let near = |planned: u64, was: u64| planned <= was * 2 && was <= planned * 2;
        assert!(near(cost.replicated_bytes, appended), "{told}");
        assert!(near(cost.journal_bytes.max(8), kept), "{told}");
    }
}

#[tokio::test]
async fn transfers_and_their_undo_cost_what_the_plan_says() {
    let bench = shuffled(-1_000).await;
    let due = EntryChoice::Due;
    bench
        .as_planned(ChangeRequest::Transfer, due, Way::InOrder)
        .await;
    bench.undone_as_planned(Way::InOrder).await;
}

#[tokio::test]
async fn deliveries_of_many_and_of_few_cost_what_the_plan_says() {
    for (filter, way) in [(HALF, Way::Swap), (FEW, Way::InOrder)] {
        let bench = shuffled(900_000).await;
        let which = matching(filter, EntryPlace::Waiting);
        bench.as_planned(ChangeRequest::Deliver, which, way).await;
        bench.undone_as_planned(Way::InOrder).await;
    }
}

#[tokio::test]
async fn requeues_cost_what_the_plan_says() {
    let bench = shuffled(900_000).await;
    for filter in [HALF, FEW] {
        let which = matching(filter, EntryPlace::Waiting);
        bench.as_planned(later(), which, Way::InOrder).await;
        bench.undone_as_planned(Way::InOrder).await;
    }
}

#[tokio::test]
async fn deletions_of_many_and_of_few_cost_what_the_plan_says() {
    for (filter, way) in [(HALF, Way::Sweep), (FEW, Way::InOrder)] {
        let bench = shuffled(900_000).await;
        let which = matching(filter, EntryPlace::Waiting);
        bench.as_planned(ChangeRequest::Delete, which, way).await;
        bench.undone_as_planned(way).await;
    }
}

#[tokio::test]
async fn quarantines_of_many_and_of_few_cost_what_the_plan_says_and_so_do_their_ends() {
    for (filter, way) in [(HALF, Way::Sweep), (FEW, Way::InOrder)] {
        let bench = shuffled(900_000).await;
        let which = matching(filter, EntryPlace::Waiting);
        let set_aside = ChangeRequest::Quarantine;
        bench
            .as_planned(set_aside.clone(), which.clone(), way)
            .await;
        bench.undone_as_planned(way).await;
        bench.as_planned(set_aside, which, way).await;
        let (restore, all) = (ChangeRequest::Restore, EntryChoice::Due);
        bench.as_planned(restore, all, Way::InOrder).await;
    }
}

#[tokio::test]
async fn changes_of_delivered_elements_cost_what_the_plan_says_wherever_they_stand() {
    let bench = shuffled(-1_000).await;
    bench
        .change(ChangeRequest::Transfer, EntryChoice::Due)
        .await;
    for what in [ChangeRequest::Delete, later()] {
        let which = matching(HALF, EntryPlace::Delivered);
        bench.as_planned(what, which, Way::InOrder).await;
        bench.undone_as_planned(Way::InOrder).await;
    }
}

#[tokio::test]
async fn a_realignment_costs_what_the_plan_says() {
    let bench = shuffled(900_000).await;
    let (realign, due) = (ChangeRequest::Realign(None), EntryChoice::Due);
    bench.as_planned(realign, due, Way::Swap).await;
}

#[tokio::test]
async fn mended_drift_costs_what_the_plan_says() {
    let bench = shuffled(900_000).await;
    let keys = bench.queue.keys();
    let order = keys.order.unwrap();
    for n in 1..=40 {
        let lacking = bench.member(n);
        bench.server.cmd_bytes(&[b"LREM", &order, b"1", &lacking]);
    }
    bench
        .as_planned(ChangeRequest::Drift, EntryChoice::Due, Way::InOrder)
        .await;
    for n in 41..=80 {
        let stray = bench.member(n);
        bench.server.cmd_bytes(&[b"ZREM", &keys.timeouts, &stray]);
    }
    let strays = EntryChoice::Selected(Selection {
        from: EntryPlace::OrderOnly,
        ..Selection::default()
    });
    bench
        .as_planned(ChangeRequest::Delete, strays, Way::Sweep)
        .await;
}

/// Bytes that have gone to the server and come from it.
fn on_the_way(server: &Server) -> u64 {
    let bytes = ["total_net_input_bytes", "total_net_output_bytes"];
    let bytes = bytes.map(|name| info::<u64>(server, "stats", name).unwrap());
    bytes.iter().sum()
}

#[tokio::test]
async fn a_plan_reads_a_large_member_a_few_times_whatever_it_is_a_plan_of() {
    const LARGE: usize = 5_000_000;
    let bench = Bench::new(&Queue::redisson("orders")).await;
    let past = bench.server.now().plus(-900_000);
    bench.fill(10, past, 1_000);
    let score = bench.queue.score(past.plus(5_500)).to_string();
    let large = frame(11, &vec![b'7'; LARGE]);
    bench.server.put(&bench.queue, &large, &score);
    let all = |from| matching("", from);
    let plans = [
        (ChangeRequest::Transfer, EntryChoice::Due),
        (ChangeRequest::Transfer, all(EntryPlace::Late)),
        (ChangeRequest::Deliver, all(EntryPlace::Waiting)),
        (ChangeRequest::Delete, all(EntryPlace::Waiting)),
        (ChangeRequest::Quarantine, all(EntryPlace::Waiting)),
        (ChangeRequest::Repack(None), all(EntryPlace::Waiting)),
        (ChangeRequest::Realign(None), EntryChoice::Due),
        (later(), all(EntryPlace::Waiting)),
        (
            ChangeRequest::Edit(b"new".to_vec()),
            bench.entries_of(&[large]),
        ),
    ];
    for (what, which) in plans {
        let before = on_the_way(&bench.server);
        let planned = bench.plan(what.clone(), which).await;
        let bytes = on_the_way(&bench.server) - before;
        let times = bytes / LARGE as u64;
        assert!(planned.is_ok(), "{what:?}: {:?}", planned.err());
        assert!(times <= 6, "{what:?}: {times} times");
    }
}

#[test]
fn the_watch_sees_how_long_a_transaction_took() {
    let mut server = Server::start();
    if !server.is_from((7, 0), "it has no LATENCY HISTOGRAM") {
        return;
    }
    server.restart_with(&["--enable-debug-command", "yes"]);
    let watch = Watch::begin(&server);
    let mut transaction = redis::pipe();
    transaction.atomic().cmd("DEBUG").arg("SLEEP").arg("0.012");
    transaction.exec(&mut server.connection()).unwrap();
    let took = watch.end(&server).script;
    let ms = Duration::from_millis;
    // Beside other tests the server itself waits for the processor.
    assert!(took >= ms(12) && took < ms(2_000), "{took:?}");
}
