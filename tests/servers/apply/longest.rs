//! No script of any change of a long list in no order keeps the server for longer than its plan says,
//! nor any of its undo, whatever they may keep it for: by the server's own log, and by how many
//! entries its first script takes. Without an allowance for what else the machine does:
//! `QUIET_MACHINE=1`. A million of them, and what another client waits: `cargo bench --bench longest`.

use std::time::Duration;

use delayscope::clock::EpochMillis;
use delayscope::ops::apply::{ChangeEvent, Limits, apply};
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Entry, Filter, Queue, State, Summary};

use crate::apply::bench::Bench;
use crate::support::{PATIENCE, Server, frame};
use crate::watch::slowest_script;

/// Entries of the queue, and elements of a long target.
const LONG: u64 = 100_000;
/// The first of them are due, wherever they stand in the order list.
const DUE: u64 = 10_000;
/// What is chosen among them stands everywhere.
const FEW: u64 = 100;

/// The limits of `--max-block`, in ms.
const LIMITS: [u64; 2] = [10, 2];
/// A machine that is busy with other things lets a script wait for its turn, but not each time.
const TRIES: usize = 3;
/// For so long at most. What is not bounded takes many times as long.
const TURN: Duration = Duration::from_millis(50);
/// How long a script may wait for its turn: not at all on a machine that is said to be quiet.
pub(crate) fn turn() -> Duration {
    if std::env::var_os("QUIET_MACHINE").is_some() {
        Duration::ZERO
    } else {
        TURN
    }
}

/// Promises below this are not told apart.
const SMALL: Duration = Duration::from_millis(1);
/// No script takes more entries than this, however cheap they are.
const MOST: usize = 2_000;

/// A change, and what it begins with.
struct Row {
    name: &'static str,
    what: ChangeRequest,
    which: EntryChoice,
    /// What is done to the queue before.
    lie: fn(&Stage),
    /// The way that it goes, where that is what the row is about.
    way: Option<Way>,
    undo: bool,
}

fn row(name: &'static str, what: ChangeRequest, which: EntryChoice) -> Row {
    Row {
        name,
        undo: what.change().can_be_undone(),
        what,
        which,
        lie: |_| {},
        way: None,
    }
}

impl Row {
    fn lie(mut self, lie: fn(&Stage)) -> Self {
        self.lie = lie;
        self
    }

    fn by(mut self, way: Way) -> Self {
        self.way = Some(way);
        self
    }

    fn for_good(mut self) -> Self {
        self.undo = false;
        self
    }
}

/// The server, and what each change begins with.
struct Stage {
    bench: Bench,
    /// The keys of the queue as `DUMP` says them: timeouts, the order list, and this with what is due
    /// at its head.
    waiting: [Vec<u8>; 3],
    /// A long target.
    delivered: Vec<u8>,
}

fn due(n: u64) -> EpochMillis {
    let place = n * 7_919 % LONG;
    let base = if place < DUE {
        1_600_000_000_000
    } else {
        4_000_000_000_000
    };
    EpochMillis::new(base + i64::try_from(place).unwrap())
}

fn member(n: u64) -> Vec<u8> {
    frame(n, format!("entry {n}").as_bytes())
}

/// So many entries, by their ids, from everywhere in the order list.
fn these(count: u64) -> EntryChoice {
    let entries = (0..count).map(|i| {
        let n = LONG / 2 + 1 + i * (LONG / 2 / count) - LONG / 4;
        #[expect(clippy::cast_precision_loss, reason = "a score")]
        let score = due(n).get() as f64;
        Entry {
            member: member(n),
            score: Some(score),
            state: State::Waiting,
        }
    });
    EntryChoice::These(entries.collect())
}

fn selected(from: EntryPlace, filter: &str) -> EntryChoice {
    EntryChoice::Selected(Selection {
        filter: Filter::parse(filter).unwrap(),
        from,
        ..Selection::default()
    })
}

fn later() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::By(9_000),
        spread_ms: 0,
    })
}

fn in_an_hour() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::In(3_600_000),
        spread_ms: 0,
    })
}

impl Stage {
    async fn set() -> Self {
        let server = Server::start();
        // Where it may: what other programs take is not the script's.
        server.goes_first();
        server.cmd(&["CONFIG", "SET", "slowlog-max-len", "100000"]);
        server.cmd(&["CONFIG", "SET", "slowlog-log-slower-than", "300"]);
        let bench = Bench::on(server, &Queue::redisson("orders")).await;
        let (server, keys) = (&bench.server, bench.queue.keys());
        let order = keys.order.unwrap();
        server.fill_with(&bench.queue, LONG, due);
        let dump = |key: &[u8]| redis::from_redis_value(server.cmd_bytes(&[b"DUMP", key])).unwrap();
        let [timeouts, shuffled] = [&keys.timeouts, &order].map(|key| dump(key));
        server.cmd_bytes(&[b"DEL", &order]);
        let mut by_due: Vec<u64> = (1..=LONG).collect();
        by_due.sort_by_key(|n| due(*n));
        let (head, rest) = by_due.split_at(usize::try_from(DUE).unwrap());
        let mut rest = rest.to_vec();
        rest.sort_unstable();
        let all = head.iter().chain(&rest).map(|n| member(*n));
        push(server, &order, all);
        let head_first = dump(&order);
        push(
            server,
            &keys.target,
            (0..LONG).map(|i| format!("delivered {:06}", i % (LONG - 1_000)).into_bytes()),
        );
        let delivered = dump(&keys.target);
        Self {
            waiting: [timeouts, shuffled, head_first],
            delivered,
            bench,
        }
    }

    fn lay_out(&self, row: &Row) {
        self.bench.server.cmd(&["FLUSHALL"]);
        let keys = self.bench.queue.keys();
        self.restore(&keys.timeouts, &self.waiting[0]);
        self.restore(&keys.order.unwrap(), &self.waiting[1]);
        (row.lie)(self);
    }

    fn restore(&self, key: &[u8], dump: &[u8]) {
        let restore = [b"RESTORE".as_slice(), key, b"0", dump, b"REPLACE"];
        self.bench.server.cmd_bytes(&restore);
    }

    fn order(&self) -> Vec<u8> {
        self.bench.queue.keys().order.unwrap()
    }

    fn long_target(&self) {
        self.restore(&self.bench.queue.keys().target, &self.delivered);
    }

    fn head_first(&self) {
        self.restore(&self.order(), &self.waiting[2]);
    }

    /// The order list lacks some, which stand at its ends, and holds others twice.
    fn drifted(&self) {
        let order = self.order();
        for n in 1..=FEW / 2 {
            let server = &self.bench.server;
            server.cmd_bytes(&[b"LREM", &order, b"1", &member(n)]);
            server.cmd_bytes(&[b"LPUSH", &order, &member(LONG - n)]);
        }
    }

    /// Some stand in the order list alone.
    fn strayed(&self) {
        let EntryChoice::These(some) = these(FEW) else {
            panic!("they are named")
        };
        let mut zrem = redis::cmd("ZREM");
        zrem.arg(&self.bench.queue.keys().timeouts);
        for entry in some {
            zrem.arg(entry.member);
        }
        zrem.exec(&mut self.bench.server.connection()).unwrap();
    }

    fn aside(&self) {
        let aside = self.bench.queue.keys().aside.unwrap();
        let rename = [b"RENAME".as_slice(), &self.order(), &aside];
        self.bench.server.cmd_bytes(&rename);
    }

    fn quarantined(&self) {
        let quarantine = self.bench.queue.keys().quarantine;
        for n in 1..=FEW {
            let member = frame(LONG + n, b"set apart");
            let zadd = [b"ZADD".as_slice(), &quarantine, b"4000000000000", &member];
            self.bench.server.cmd_bytes(&zadd);
        }
    }

    /// Some elements in the midst of a long target still have their frames.
    fn framed(&self) {
        self.long_target();
        for n in 1..=FEW {
            let element = frame(LONG + n, b"framed");
            let place = (n * LONG / FEW / 2 + LONG / 4).to_string();
            let lset = [
                b"LSET".as_slice(),
                &self.bench.queue.keys().target,
                place.as_bytes(),
                &element,
            ];
            self.bench.server.cmd_bytes(&lset);
        }
    }

    fn held(&self) {
        self.long_target();
        for n in 0..FEW {
            let taken = i64::try_from(n).unwrap();
            let element = format!("held {n}");
            // No two at the same moment: it is a part of their names.
            self.bench
                .holds(element.as_bytes(), 60_000 - taken, -20_000);
        }
    }

    /// Makes the change, and takes it back; what did not keep to what was told.
    async fn keeps(&self, row: &Row, max_block: Duration) -> Result<(), String> {
        self.lay_out(row);
        let planned = self.bench.plan(row.what.clone(), row.which.clone()).await;
        let prepared = planned.unwrap().within(max_block);
        let way = prepared.plan.way;
        assert!(row.way.is_none_or(|it| it == way), "{}: {way:?}", row.name);
        let kept = self.kept(row.name, prepared, max_block).await;
        if !row.undo {
            return kept;
        }
        let undo = plan_undo(&self.bench.store, &self.bench.journal, None, false).await;
        let undo = undo.unwrap().within(max_block);
        let name = format!("undo: {}", row.name);
        kept.and(self.kept(&name, undo, max_block).await)
    }

    async fn kept(
        &self,
        name: &str,
        prepared: PreparedChange,
        max_block: Duration,
    ) -> Result<(), String> {
        let plan = prepared.plan.clone();
        let cost = plan.cost;
        let when = format!("{name}, {max_block:?}: {:?} {cost:?}", plan.way);
        assert!(
            cost.longest_block <= max_block.max(cost.single()),
            "more is told than may be: {when}"
        );
        self.bench.server.cmd(&["SLOWLOG", "RESET"]);
        let limits = Limits {
            max_block,
            ..Limits::default()
        };
        let (summary, batches) = self.apply(prepared, limits).await;
        assert!(
            summary.tally.all_done() && summary.tally.sum() == plan.planned,
            "{when} {summary:?}"
        );
        assert!(batches.iter().all(|n| *n <= MOST), "{when} {batches:?}");
        if plan.way == Way::InOrder
            && let Some(first) = batches.first()
        {
            assert!(
                *first <= cost.entries_within(max_block),
                "{when} {batches:?}"
            );
        }
        let most = cost.longest_block.max(SMALL).mul_f64(1.5) + turn();
        let longest = slowest_script(&self.bench.server, |_| true).max(summary.longest_block);
        if longest <= most {
            return Ok(());
        }
        Err(format!("{when}: it was {longest:?}"))
    }

    /// Applies to the end; how many entries had a result at once.
    async fn apply(&self, prepared: PreparedChange, limits: Limits) -> (Summary, Vec<usize>) {
        let bench = &self.bench;
        let mut applying = apply(&bench.writer, &bench.journal, prepared, limits);
        let mut batches = Vec::new();
        let hearing = async {
            while let Some(told) = applying.next().await {
                match told {
                    ChangeEvent::Results(some) if !some.is_empty() => batches.push(some.len()),
                    ChangeEvent::Failed(why) => panic!("{why}"),
                    ChangeEvent::Ended(summary) => return summary,
                    _ => {}
                }
            }
            panic!("it never ended");
        };
        let summary = tokio::time::timeout(PATIENCE, hearing).await;
        (summary.expect("an end"), batches)
    }

    /// Makes each change with both limits.
    async fn keep(&self, rows: Vec<Row>) {
        for row in rows {
            for max_block in LIMITS {
                let mut kept = Err(String::new());
                for _ in 0..TRIES {
                    if kept.is_err() {
                        kept = self.keeps(&row, Duration::from_millis(max_block)).await;
                    }
                }
                kept.unwrap();
            }
        }
    }
}

/// Fills a list.
fn push(server: &Server, key: &[u8], elements: impl Iterator<Item = Vec<u8>>) {
    let elements: Vec<_> = elements.collect();
    for some in elements.chunks(10_000) {
        let mut rpush = redis::cmd("RPUSH");
        rpush.arg(key).arg(some);
        rpush.exec(&mut server.connection()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half a minute: cargo test --test servers longest:: -- --ignored"]
async fn no_script_of_any_change_of_a_long_shuffled_list_is_longer_than_told() {
    let thousand = || selected(EntryPlace::Waiting, "re:/77$/");
    let edit = ChangeRequest::Edit(b"something else".to_vec());
    let (in_order, aside) = (Way::InOrder, Way::SetAside);
    let rows = vec![
        row("transfer", ChangeRequest::Transfer, EntryChoice::Due)
            .lie(Stage::head_first)
            .by(in_order),
        row(
            "transfer from everywhere",
            ChangeRequest::Transfer,
            EntryChoice::Due,
        )
        .by(aside),
        row("deliver 1", ChangeRequest::Deliver, these(1)),
        row("deliver 100", ChangeRequest::Deliver, these(FEW)),
        row("requeue 1,000", later(), thousand()),
        row(
            "delete a tenth",
            ChangeRequest::Delete,
            selected(EntryPlace::Waiting, "re:/7$/"),
        ),
        row("delete 100", ChangeRequest::Delete, these(FEW)),
        row("delete 1", ChangeRequest::Delete, these(1)),
        row("edit 1", edit, these(1)),
        row("rewrite 1,000", ChangeRequest::Repack(None), thousand()),
        row("quarantine 100", ChangeRequest::Quarantine, these(FEW)),
        row("quarantine 1", ChangeRequest::Quarantine, these(1)),
        row("restore 100", ChangeRequest::Restore, EntryChoice::Due).lie(Stage::quarantined),
        row("sort", ChangeRequest::Realign(Some(0)), EntryChoice::Due),
        row(
            "restore list",
            ChangeRequest::RestoreOrder,
            EntryChoice::Due,
        )
        .lie(Stage::aside)
        .for_good(),
        row("repair list", ChangeRequest::Drift, EntryChoice::Due).lie(Stage::drifted),
    ];
    Stage::set().await.keep(rows).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half a minute: cargo test --test servers longest:: -- --ignored"]
async fn no_script_of_any_change_of_a_long_target_or_of_strays_is_longer_than_told() {
    let some = || selected(EntryPlace::Delivered, "re:/777$/");
    let strays = || selected(EntryPlace::OrderOnly, "entry");
    let copies = EntryChoice::ButOne(Box::new(selected(
        EntryPlace::Delivered,
        "re:/00[0-9]{2}00$/",
    )));
    let rows = vec![
        row("delete delivered", ChangeRequest::Delete, some()).lie(Stage::long_target),
        row("delete copies", ChangeRequest::Delete, copies).lie(Stage::long_target),
        row("requeue delivered", in_an_hour(), some()).lie(Stage::long_target),
        row("deliver behind others", ChangeRequest::Deliver, these(FEW)).lie(Stage::long_target),
        row("unwrap", ChangeRequest::Unwrap, EntryChoice::Due).lie(Stage::framed),
        row("put back", ChangeRequest::PutBack, EntryChoice::Due).lie(Stage::held),
        row("deliver strays", ChangeRequest::Deliver, strays())
            .lie(Stage::strayed)
            .for_good(),
        row("requeue strays", in_an_hour(), strays())
            .lie(Stage::strayed)
            .for_good(),
        row("delete strays", ChangeRequest::Delete, strays()).lie(Stage::strayed),
    ];
    Stage::set().await.keep(rows).await;
}
