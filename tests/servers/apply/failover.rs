//! Failovers amid changes, behind something that leads new connections to the master of now and
//! leaves the others where they are, as proxies do.

use std::collections::BTreeMap;
use std::io::Write as _;

use delayscope::clock::instant;
use delayscope::ops::apply::{ChangeEvent, Confirm, Limits, apply};
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Change, Outcome, Queue};

use crate::apply::bench::{Bench, Contents, Told};
use crate::apply::ways::matching;
use crate::gate::{Gate, replica_of};
use crate::made::{Made, held};
use crate::sentinel::AT_ONCE;
use crate::support::{PATIENCE, Server, Value, wait_for};

/// A queue on a master with two replicas, reached through a gate.
struct Trio {
    bench: Bench,
    gate: Gate,
    next: Server,
    other: Server,
    /// The master of before, once there is another one.
    former: Option<Server>,
}

fn info(server: &Server) -> String {
    let Value::BulkString(info) = server.cmd(&["INFO", "replication"]) else {
        panic!("INFO is text")
    };
    String::from_utf8(info).unwrap()
}

impl Trio {
    async fn start() -> Self {
        let master = Server::start_tcp(&AT_ONCE);
        let (next, other) = (replica_of(&master), replica_of(&master));
        wait_for("two replicas", || {
            info(&master).matches("state=online").count() == 2
        });
        let gate = Gate::to(&master);
        let endpoint = master.endpoint_at(Address::Unix(gate.path.clone()), 0);
        let bench = Bench::through(master, endpoint, &Queue::redisson("orders")).await;
        Self {
            bench,
            gate,
            next,
            other,
            former: None,
        }
    }

    /// All that was written so far is on all three.
    fn even(&self) {
        let mut both = redis::pipe();
        both.cmd("SET").arg("x").arg(1).ignore();
        both.cmd("WAIT").arg(2).arg(20_000);
        let [replicas]: [i64; 1] = both.query(&mut self.bench.server.connection()).unwrap();
        assert_eq!(replicas, 2);
    }

    /// One of the replicas becomes the master. The former one does not know yet, and goes on taking
    /// writes.
    fn promote(&self) {
        self.promoting()();
    }

    /// The same at a moment that is still to come.
    fn promoting(&self) -> impl FnOnce() + Send + 'static {
        let (mut next, mut other) = (self.next.connection(), self.other.connection());
        let port = self.next.port().to_string();
        move || {
            let follow = |server: &mut redis::Connection, whom: [&str; 2]| {
                redis::cmd("REPLICAOF").arg(&whom).exec(server).unwrap();
            };
            follow(&mut next, ["NO", "ONE"]);
            follow(&mut other, ["127.0.0.1", &port]);
        }
    }

    /// The former master learns it, and new connections lead to the new one.
    fn demote(&mut self) {
        let port = self.next.port().to_string();
        self.bench.server.cmd(&["REPLICAOF", "127.0.0.1", &port]);
        self.take_over();
    }

    /// The master dies.
    fn die(&mut self) {
        self.bench.server.kill();
        self.take_over();
    }

    /// What the next master holds.
    fn contents_of_next(&self) -> Contents {
        Contents::read(&mut self.next.connection(), &self.bench.queue)
    }

    fn take_over(&mut self) {
        self.gate.lead_to(&self.next);
        let spare = Server::start();
        let next = std::mem::replace(&mut self.next, spare);
        self.former = Some(std::mem::replace(&mut self.bench.server, next));
    }
}

/// How the master is lost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fails {
    /// A replica is promoted; the master goes on for a while.
    Planned,
    /// It is cut off from its replicas, goes on, and dies.
    Dies,
}

/// When the next master is promoted.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// Once so many results are told.
    Results(u64),
    /// After so many scripts, before the next one comes to the master: what that does is lost.
    Scripts(usize),
}

/// Makes a change and lets the master fail at that moment; and how much of it the next master lacked
/// when the former one was seen for the last time, as `lacks` counts it from what both held.
async fn amid(
    trio: &mut Trio,
    prepared: PreparedChange,
    moment: Moment,
    fails: Fails,
    lacks: impl Fn(&Contents, &Contents) -> u64,
) -> (Told, u64) {
    let mut lacked = 0;
    if let Moment::Scripts(before) = moment {
        trio.gate.after_scripts(before, trio.promoting());
    }
    let planned = prepared.plan.planned;
    let limits = Limits {
        per_s: Some(4_000.0),
        ..Limits::default()
    };
    let mut applying = apply(&trio.bench.writer, &trio.bench.journal, prepared, limits);
    let (mut results, mut failed, mut over) = (Vec::new(), None, false);
    let mut promoted = matches!(moment, Moment::Scripts(_));
    let hearing = async {
        while let Some(told) = applying.next().await {
            match told {
                ChangeEvent::Results(some) => results.extend(some),
                ChangeEvent::Failed(why) => failed = Some(why),
                ChangeEvent::Ended(summary) => return summary,
                ChangeEvent::Progress(progress) => {
                    let waits = progress.waits.unwrap_or_default();
                    if promoted && !over && waits.starts_with("a replica has left") {
                        over = true;
                        lacked = lacks(&trio.bench.contents(), &trio.contents_of_next());
                        match fails {
                            Fails::Planned => trio.demote(),
                            Fails::Dies => trio.die(),
                        }
                    }
                }
                ChangeEvent::Begun(_) | ChangeEvent::Trouble(_) => {}
            }
            if let Moment::Results(after) = moment
                && !promoted
                && results.len() as u64 >= after
            {
                promoted = true;
                trio.promote();
            }
        }
        panic!("it never ended: {failed:?}");
    };
    let summary = tokio::time::timeout(PATIENCE, hearing)
        .await
        .expect("an end");
    assert!(over, "nothing waited for the replica: {summary:?}");
    assert_eq!(summary.tally.sum(), planned, "{:?}", summary.tally);
    let told = Told {
        summary,
        results,
        failed,
    };
    (told, lacked)
}

const COUNT: u64 = 3_000;

fn later() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::By(9_000),
        spread_ms: 0,
    })
}

/// Both ways in which a master fails, each at some moments: what is told to be lost is what is lost,
/// and the change is whole on the new master; and taken back there, where it can be.
async fn holds(
    due_in: i64,
    plans: impl AsyncFn(&Bench) -> PreparedChange,
    is_done: impl Fn(&Contents, &Contents) -> bool,
) {
    for fails in [Fails::Planned, Fails::Dies] {
        // A failover that is seen before the next script takes nothing back: it is one of some.
        let mut taken_back = 0;
        for n in 0..scenes() {
            if n > 0 && taken_back > 0 && std::env::var_os("FAILOVERS").is_none() {
                break;
            }
            let moment = COUNT * (2 + n % 5) / 10;
            let mut trio = Trio::start().await;
            let first = trio.bench.server.now().plus(due_in);
            trio.bench.server.fill(&trio.bench.queue, COUNT, first, 1);
            let prepared = plans(&trio.bench).await;
            let change = prepared.plan.change;
            trio.even();
            let before = trio.bench.contents();
            let began = instant();
            let at = Moment::Results(moment);
            let (told, lacked) = amid(&mut trio, prepared, at, fails, Contents::done_beyond).await;
            let took = began.elapsed();
            assert_eq!(told.failed, None, "{fails:?}");
            assert!(told.summary.tally.all_done(), "{:?}", told.summary);
            let lost = told.lost();
            assert_eq!(
                lost,
                Some(lacked),
                "{fails:?} at {moment}: {:?}",
                told.summary.notes
            );
            if std::env::var_os("FAILOVERS").is_some() {
                let _ = writeln!(
                    std::io::stderr(),
                    "{change:?}, {fails:?} at {moment}: {lacked} lost, as told; done after {took:.1?}"
                );
            }
            taken_back += lacked;
            let after = trio.bench.contents();
            assert!(
                is_done(&before, &after),
                "{fails:?} at {moment}: {} wait, {} in the order list, {} in target, {:?}",
                after.timeouts.len(),
                after.order.len(),
                after.target.len(),
                told.summary
            );
            if change == Change::Undo || !change.can_be_undone() {
                continue;
            }
            let (_, undone) = trio.bench.undo(None).await;
            assert!(undone.summary.tally.all_done(), "{:?}", undone.summary);
            let mut after = trio.bench.contents();
            let mut before = before;
            // Where entries came from target, they come to the tail of the order list.
            before.order.sort();
            after.order.sort();
            assert!(after == before, "{fails:?}: undone");
        }
        assert!(taken_back > 0, "{fails:?}: no failover took anything back");
    }
}

/// Failovers of each kind: as many as `FAILOVERS` says, each at another moment, else until one has
/// taken something back.
fn scenes() -> u64 {
    let said = std::env::var("FAILOVERS").ok();
    said.map_or(10, |n| n.parse().expect("FAILOVERS is a number"))
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_requeue_is_requeued_again() {
    let is_done = |before: &Contents, after: &Contents| {
        let later = |score: &String| (score.parse::<i64>().unwrap() + 9_000).to_string();
        let wanted = before.timeouts.iter();
        let wanted = wanted.map(|(member, score)| (member.clone(), later(score)));
        after.timeouts == wanted.collect()
    };
    let requeue = async |bench: &Bench| bench.plan(later(), matching("entry")).await.unwrap();
    holds(900_000, requeue, is_done).await;
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_transfer_is_transferred_again() {
    let transfer = async |bench: &Bench| {
        bench
            .plan(ChangeRequest::Transfer, EntryChoice::Due)
            .await
            .unwrap()
    };
    holds(-900_000, transfer, all_delivered_once).await;
}

fn all_delivered_once(before: &Contents, after: &Contents) -> bool {
    let mut target = after.target.clone();
    target.sort();
    target.dedup();
    after.timeouts.is_empty()
        && after.order.is_empty()
        && target.len() == before.timeouts.len()
        && after.target.len() == target.len()
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_delivery_is_delivered_again() {
    let deliver = async |bench: &Bench| by(bench, ChangeRequest::Deliver, Way::InOrder).await;
    holds(900_000, deliver, all_delivered_once).await;
}

/// The change of all entries, in that way.
async fn by(bench: &Bench, what: ChangeRequest, way: Way) -> PreparedChange {
    let mut prepared = bench.plan(what, matching("entry")).await.unwrap();
    prepared.plan.way = way;
    prepared
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_delete_is_deleted_again() {
    let is_done = |_: &Contents, after: &Contents| {
        after.timeouts.is_empty() && after.order.is_empty() && after.target.is_empty()
    };
    for way in [Way::InOrder, Way::Sweep] {
        let delete = async |bench: &Bench| by(bench, ChangeRequest::Delete, way).await;
        holds(900_000, delete, is_done).await;
    }
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_quarantine_is_set_aside_again() {
    let is_done = |before: &Contents, after: &Contents| {
        after.timeouts.is_empty() && after.order.is_empty() && after.quarantine == before.timeouts
    };
    let quarantine = async |bench: &Bench| by(bench, ChangeRequest::Quarantine, Way::Sweep).await;
    holds(900_000, quarantine, is_done).await;
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_restore_is_restored_again() {
    let restore = async |bench: &Bench| {
        let (_, aside) = bench
            .change(ChangeRequest::Quarantine, matching("entry"))
            .await;
        assert!(aside.summary.tally.all_done(), "{:?}", aside.summary);
        bench
            .plan(ChangeRequest::Restore, EntryChoice::Due)
            .await
            .unwrap()
    };
    let is_done = |before: &Contents, after: &Contents| {
        after.timeouts == before.quarantine && after.quarantine.is_empty()
    };
    holds(900_000, restore, is_done).await;
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_repack_is_repacked_again() {
    let repack = async |bench: &Bench| by(bench, ChangeRequest::Repack(None), Way::InOrder).await;
    let is_done = |before: &Contents, after: &Contents| {
        let is_new = |member: &Vec<u8>| !before.timeouts.contains_key(member);
        after.timeouts.len() == before.timeouts.len() && after.timeouts.keys().all(is_new)
    };
    holds(900_000, repack, is_done).await;
}

#[tokio::test]
async fn what_a_failover_takes_back_of_an_undo_is_undone_again() {
    let undo = async |bench: &Bench| {
        let (_, deleted) = bench.change(ChangeRequest::Delete, matching("entry")).await;
        assert!(deleted.summary.tally.all_done(), "{:?}", deleted.summary);
        plan_undo(&bench.store, &bench.journal, None, false)
            .await
            .unwrap()
    };
    let is_done = |_: &Contents, after: &Contents| after.timeouts.len() as u64 == COUNT;
    holds(900_000, undo, is_done).await;
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_put_back_is_put_back_again() {
    let put_back = async |bench: &Bench| {
        held(&bench.server, &bench.queue, COUNT);
        let (what, which) = Made::PutBack.asked();
        bench.plan(what, which).await.unwrap()
    };
    let is_done = |before: &Contents, after: &Contents| {
        let mut copies: BTreeMap<&Vec<u8>, usize> = BTreeMap::new();
        for element in &after.target {
            *copies.entry(element).or_default() += 1;
        }
        // They are ten of each kind.
        Made::PutBack.is_done(before, after) && copies.into_values().all(|copies| copies == 10)
    };
    holds(900_000, put_back, is_done).await;
}

/// A change that a failover takes back the last of, in each of both ways: told, found and done again.
/// `scripts`: so many of them reach the master before.
async fn is_done_again(
    made: Made,
    count: u64,
    scripts: usize,
    plans: impl AsyncFn(&Bench) -> PreparedChange,
    is_done: impl Fn(&Contents, &Contents) -> bool,
) {
    for fails in [Fails::Planned, Fails::Dies] {
        let mut trio = Trio::start().await;
        made.fill(&trio.bench.server, &trio.bench.queue, count);
        let prepared = plans(&trio.bench).await;
        let (change, planned) = (prepared.plan.change, prepared.plan.planned);
        trio.even();
        let before = trio.bench.contents();
        let moment = Moment::Scripts(scripts);
        let lacks = |here: &Contents, there: &Contents| made.lacks(&before, here, there);
        let (told, lacked) = amid(&mut trio, prepared, moment, fails, lacks).await;
        assert_eq!(told.failed, None, "{fails:?}");
        assert!(lacked > 0 && lacked <= planned, "{fails:?}: {lacked}");
        assert_eq!(told.lost(), Some(lacked), "{:?}", told.summary);
        assert!(told.summary.tally.all_done(), "{:?}", told.summary);
        let after = trio.bench.contents();
        assert!(is_done(&before, &after), "{fails:?}: {:?}", told.summary);
        if change.can_be_undone() {
            let (_, undone) = trio.bench.undo(None).await;
            assert!(undone.summary.tally.all_done(), "{:?}", undone.summary);
            assert!(trio.bench.contents() == before, "{fails:?}: undone");
        }
    }
}

#[tokio::test]
async fn what_a_failover_takes_back_of_a_realign_is_sorted_again() {
    for scripts in [0, 1, 4] {
        let realign = async |bench: &Bench| {
            let (what, which) = Made::Realign.asked();
            bench.plan(what, which).await.unwrap()
        };
        let is_done = |before: &Contents, after: &Contents| Made::Realign.is_done(before, after);
        is_done_again(Made::Realign, COUNT, scripts, realign, is_done).await;
    }
}

#[tokio::test]
async fn a_list_that_goes_round_amid_a_failover_stands_in_its_old_order_in_the_end() {
    let some = async |bench: &Bench, what| {
        let mut prepared = bench.plan(what, matching("entry 1")).await.unwrap();
        prepared.plan.way = Way::Sweep;
        prepared
    };
    for scripts in [1, 3] {
        let delete = async |bench: &Bench| some(bench, ChangeRequest::Delete).await;
        let is_deleted = |before: &Contents, after: &Contents| {
            let mut order = before.order.clone();
            order.retain(|member| after.timeouts.contains_key(member));
            after.order == order && after.timeouts.len() < before.timeouts.len()
        };
        is_done_again(Made::Delete, COUNT, scripts, delete, is_deleted).await;
        let repack = async |bench: &Bench| some(bench, ChangeRequest::Repack(None)).await;
        let is_repacked = |before: &Contents, after: &Contents| {
            let both = before.order.iter().zip(&after.order);
            let stay = both.clone().filter(|(old, new)| old == new);
            let of_same_payload = |(old, new): (&Vec<u8>, &Vec<u8>)| old[17..] == new[16..];
            let edited = both.clone().filter(|(old, new)| old != new);
            stay.count() > 0
                && edited.clone().count() > 0
                && edited.clone().all(of_same_payload)
                && after.order.len() == before.order.len()
        };
        is_done_again(Made::Edit, COUNT, scripts, repack, is_repacked).await;
    }
}

#[tokio::test]
async fn what_a_failover_takes_back_of_one_entry_is_done_again() {
    let payload = || b"another payload".to_vec();
    let edit = async |bench: &Bench| {
        let what = ChangeRequest::Edit(payload());
        bench.plan(what, bench.entries(&[7])).await.unwrap()
    };
    let is_edited = |before: &Contents, after: &Contents| {
        let new = |member: &Vec<u8>| member.ends_with(&payload());
        let stays = after.timeouts.keys();
        let stays = stays.filter(|member| before.timeouts.contains_key(*member));
        after.timeouts.keys().filter(|member| new(member)).count() == 1
            && after.order.iter().position(new) == Some(6)
            && (after.timeouts.len(), stays.count()) == (10, 9)
    };
    is_done_again(Made::Edit, 10, 0, edit, is_edited).await;
    let requeue = async |bench: &Bench| bench.plan(later(), bench.entries(&[7])).await.unwrap();
    let is_requeued = |before: &Contents, after: &Contents| {
        let each = before.timeouts.iter();
        let moved = each.filter(|(member, score)| after.timeouts.get(*member) != Some(*score));
        after.order == before.order && after.timeouts.len() == 10 && moved.count() == 1
    };
    is_done_again(Made::Requeue, 10, 0, requeue, is_requeued).await;
}

#[tokio::test]
async fn a_replica_that_leaves_and_comes_back_ends_the_wait() {
    let trio = Trio::start().await;
    let first = trio.bench.server.now().plus(900_000);
    trio.bench.server.fill(&trio.bench.queue, COUNT, first, 1);
    trio.even();
    let port = trio.bench.server.port().to_string();
    let prepared = trio.bench.plan(later(), matching("entry")).await.unwrap();
    let limits = Limits {
        per_s: Some(2_000.0),
        ..Limits::default()
    };
    let mut applying = apply(&trio.bench.writer, &trio.bench.journal, prepared, limits);
    let (mut left, mut back) = (false, false);
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Results(_) if !left => {
                left = true;
                trio.next.cmd(&["REPLICAOF", "NO", "ONE"]);
            }
            ChangeEvent::Progress(progress) => {
                let waits = progress.waits.unwrap_or_default();
                if left && !back && waits.starts_with("a replica has left") {
                    back = true;
                    trio.next.cmd(&["REPLICAOF", "127.0.0.1", &port]);
                }
            }
            ChangeEvent::Failed(why) => panic!("{why}"),
            ChangeEvent::Ended(summary) => break summary,
            _ => {}
        }
    };
    assert!(back && summary.tally.all_done(), "{summary:?}");
    assert!(summary.notes.is_empty(), "{:?}", summary.notes);
    assert_eq!(summary.tally.get(Outcome::Done), COUNT);
}

#[tokio::test]
async fn a_batch_that_all_replicas_shall_have_is_waited_for() {
    let trio = Trio::start().await;
    let first = trio.bench.server.now().plus(900_000);
    trio.bench.server.fill(&trio.bench.queue, COUNT, first, 1);
    trio.even();
    let prepared = trio.bench.plan(later(), matching("entry")).await.unwrap();
    let limits = Limits {
        confirm: Some(Confirm::All),
        ..Limits::default()
    };
    trio.other.stop();
    let mut applying = apply(&trio.bench.writer, &trio.bench.journal, prepared, limits);
    let mut waited = 0;
    let summary = loop {
        match applying.next().await.unwrap() {
            ChangeEvent::Progress(progress) => {
                if progress.waits.as_deref() == Some("1 of 2 replicas have what was done") {
                    waited += 1;
                    assert!(progress.tally.get(Outcome::Done) < COUNT);
                }
                if waited == 3 {
                    trio.other.go_on();
                }
            }
            ChangeEvent::Failed(why) => panic!("{why}"),
            ChangeEvent::Ended(summary) => break summary,
            _ => {}
        }
    };
    assert!(waited >= 3 && summary.tally.all_done(), "{summary:?}");
    assert_eq!(summary.notes, ["2 of 2 replicas have all of it."]);
}
