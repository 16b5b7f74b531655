//! A server that is busy with somebody's script, that forgets scripts, or that takes no more memory:
//! whichever request of a change meets that, of its undo, or of the undo of that, what is done is
//! done once, told as it happened, and taken back whole.
//!
//! Each run tries some of the requests; `BUSY=1 cargo test --test servers apply::busy` tries all of
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use delayscope::ops::activity::ActivityRecord;
use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{EntryPlace, Selection};
use delayscope::ops::offer::offer_noted;
use delayscope::ops::plan::{Base, ChangeRequest, EntryChoice, NewDue, PreparedChange};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::change::Repair;
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Change, Form, Outcome, Queue};

use crate::apply::bench::{Bench, Told};
use crate::apply::ways::matching;
use crate::stall::{Busy, Trouble};
use crate::support::{Server, frame};

/// Due in the past, and far away.
const PAST: i64 = -900_000_000;
const AFAR: i64 = 900_000_000;

/// So many of the requests of a change meet a busy server.
const SOME: usize = 4;

const TROUBLES: [Trouble; 3] = [Trouble::Busy, Trouble::Forgets, Trouble::Full];

/// A change, and what it begins with.
struct Scene {
    what: ChangeRequest,
    which: fn(&Bench) -> EntryChoice,
    way: Option<Way>,
    /// When the entries are due, from now.
    due: i64,
    /// What else is done to the queue before.
    then: fn(&Bench),
    /// It can be taken back.
    undo: bool,
}

impl Scene {
    fn new(what: ChangeRequest, which: fn(&Bench) -> EntryChoice) -> Self {
        Self {
            what,
            which,
            way: None,
            due: AFAR,
            then: |_| {},
            undo: true,
        }
    }

    fn by(mut self, way: Way) -> Self {
        self.way = Some(way);
        self
    }

    fn due(mut self) -> Self {
        self.due = PAST;
        self
    }

    fn then(mut self, then: fn(&Bench)) -> Self {
        self.then = then;
        self
    }

    fn for_good(mut self) -> Self {
        self.undo = false;
        self
    }

    /// Lays the queue out.
    fn put(&self, bench: &Bench) {
        bench.server.cmd(&["FLUSHALL"]);
        // No score of a run is one of the run before.
        bench.fill(12, bench.server.now().plus(self.due), 1_000);
        (self.then)(bench);
    }

    async fn plan(&self, bench: &Bench) -> Result<PreparedChange, String> {
        let which = (self.which)(bench);
        let planned = bench.plan(self.what.clone(), which).await;
        let mut prepared = planned.map_err(|why| why.to_string())?;
        if let Some(way) = self.way {
            prepared.plan.way = way;
        }
        Ok(prepared)
    }

    /// Plans to take a change back, in the same way where there are two.
    async fn plan_undo(&self, bench: &Bench, id: &str) -> Result<PreparedChange, String> {
        let planned = plan_undo(&bench.store, &bench.journal, Some(id), false).await;
        let mut prepared = planned.map_err(|why| why.to_string())?;
        if self.way == Some(Way::Sweep) {
            prepared.plan.way = Way::Sweep;
        }
        Ok(prepared)
    }
}

/// A key of the server, without the order of equal places.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Kept {
    kind: String,
    /// Members, elements, fields, each with its score or value.
    all: Vec<[Vec<u8>; 2]>,
    expires: bool,
}

/// All that the server holds, by the names of its keys.
fn everything(bench: &Bench) -> BTreeMap<Vec<u8>, Kept> {
    let server = &bench.server;
    let keys = server.list(&["KEYS", "*"]).into_iter();
    let kept = keys.map(|key| {
        let kind: String = redis::from_redis_value(server.cmd_bytes(&[b"TYPE", &key])).unwrap();
        let read = |words: &[&[u8]]| -> Vec<Vec<u8>> {
            redis::from_redis_value(server.cmd_bytes(words)).unwrap()
        };
        let alone = |all: Vec<Vec<u8>>| all.into_iter().map(|one| [one, Vec::new()]).collect();
        let pairs = |all: Vec<Vec<u8>>| {
            let pairs = all.chunks_exact(2);
            pairs.map(|p| [p[0].clone(), p[1].clone()]).collect()
        };
        let mut all: Vec<[Vec<u8>; 2]> = match kind.as_str() {
            "list" => alone(read(&[b"LRANGE", &key, b"0", b"-1"])),
            "zset" => pairs(read(&[b"ZRANGE", &key, b"0", b"-1", b"WITHSCORES"])),
            "hash" => pairs(read(&[b"HGETALL", &key])),
            _ => alone(read(&[b"MGET", &key])),
        };
        all.sort();
        let left = server.cmd_bytes(&[b"PTTL", &key]);
        let expires = redis::from_redis_value::<i64>(left).unwrap() >= 0;
        (key, Kept { kind, all, expires })
    });
    kept.collect()
}

/// Both hold the same.
#[track_caller]
fn same(now: &BTreeMap<Vec<u8>, Kept>, wanted: &BTreeMap<Vec<u8>, Kept>, when: &str) {
    let keys: BTreeSet<_> = now.keys().chain(wanted.keys()).collect();
    let differs = keys
        .into_iter()
        .find(|key| now.get(*key) != wanted.get(*key));
    if let Some(key) = differs {
        let [now, wanted] = [now, wanted].map(|all| {
            let all = all.get(key).map(|kept| (kept.all.as_slice(), kept.expires));
            let (all, expires) = all.unwrap_or_default();
            let all = all.concat().into_iter();
            let all: Vec<_> = all.map(|one| one.escape_ascii().to_string()).collect();
            format!("{all:?}, expires: {expires}")
        });
        let key = key.escape_ascii();
        panic!("{key} has {now}\nand should have {wanted}\n{when}");
    }
}

/// The same without scores, ids and names that are other ones in each run.
fn places(all: BTreeMap<Vec<u8>, Kept>, queue: &Queue) -> BTreeMap<Vec<u8>, Kept> {
    let keys = queue.keys();
    let alike = all.into_iter().map(|(key, mut kept)| {
        for [one, with] in &mut kept.all {
            if key == keys.hold.held {
                one.clear();
            } else if key == keys.hold.leases {
                one.clear();
                with.clear();
            } else if key != keys.target {
                one.drain(1..one.len().min(9));
                with.clear();
            }
        }
        kept.all.sort();
        let is_taken = key.starts_with(b"taken:");
        (if is_taken { b"taken".to_vec() } else { key }, kept)
    });
    alike.collect()
}

/// Which change meets the trouble: that of the scene, what takes it back, or what takes that back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Meets {
    Change,
    Undo,
    Redo,
}

/// A scene on its server.
struct Stage<'a> {
    scene: &'a Scene,
    trouble: Trouble,
    busy: Busy,
    bench: Bench,
    /// What the change leaves.
    wanted: Option<BTreeMap<Vec<u8>, Kept>>,
}

/// Makes each change once for each of its requests, which meets each trouble.
async fn hold(scenes: Vec<Scene>) {
    for scene in scenes {
        for trouble in TROUBLES {
            let (bench, busy) = behind(trouble).await;
            let mut stage = Stage {
                scene: &scene,
                trouble,
                busy,
                bench,
                wanted: None,
            };
            stage.holds().await;
        }
    }
}

/// A server behind one that makes trouble.
async fn behind(trouble: Trouble) -> (Bench, Busy) {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), trouble);
    let endpoint = server.endpoint_at(Address::Unix(busy.socket()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    (bench, busy)
}

/// Which requests of so many meet the trouble: other ones in every run.
fn chosen(requests: usize) -> impl Iterator<Item = usize> {
    let step = std::env::var_os("BUSY").map_or(requests.div_ceil(SOME), |_| 1);
    let now = delayscope::clock::local_now().get();
    let first = usize::try_from(now).unwrap() % step;
    (first..requests).step_by(step)
}

impl Stage<'_> {
    async fn holds(&mut self) {
        let all = [Meets::Change, Meets::Undo, Meets::Redo];
        let all = if self.scene.undo { &all[..] } else { &all[..1] };
        for meets in all {
            let requests = self.round(*meets, usize::MAX).await;
            assert!(requests > 0, "nothing was sent");
            for at in chosen(requests) {
                self.round(*meets, at).await;
            }
        }
    }

    /// Makes the change and takes it back; one of that meets the trouble at this request. How many
    /// requests it had.
    async fn round(&mut self, meets: Meets, at: usize) -> usize {
        let scene = self.scene;
        let at = |change: Meets| if change == meets { at } else { usize::MAX };
        let when = format!("{:?}, {:?} of {meets:?}: ", scene.what, self.trouble);
        scene.put(&self.bench);
        let before = everything(&self.bench);
        let prepared = scene.plan(&self.bench).await.unwrap();
        let (told, mut requests) = self.apply(prepared, at(Meets::Change), &when).await;
        let ended = told.failed.is_some();
        if !ended {
            self.is_done(&when);
        }
        if !scene.undo {
            // The same once more does what is left.
            if ended && let Ok(rest) = scene.plan(&self.bench).await {
                self.apply(rest, usize::MAX, &when).await;
                self.is_done(&when);
            }
            return requests;
        }
        let Some(id) = told
            .summary
            .journal_id
            .filter(|_| told.summary.tally.get(Outcome::Done) > 0)
        else {
            same(&everything(&self.bench), &before, &when);
            return requests;
        };
        let (undo, asked) = self.taken_back(&id, at(Meets::Undo), &when).await;
        same(&everything(&self.bench), &before, &when);
        if meets == Meets::Undo {
            requests = asked;
        }
        if meets == Meets::Redo {
            requests = self.taken_back(&undo, at(Meets::Redo), &when).await.1;
            self.is_done(&when);
        }
        requests
    }

    /// It left what it leaves on a server without trouble.
    fn is_done(&mut self, when: &str) {
        let after = places(everything(&self.bench), &self.bench.queue);
        let wanted = self.wanted.get_or_insert_with(|| after.clone());
        same(&after, wanted, when);
    }

    /// Takes a change back, again where the first time has come to an end; the id of the first, and
    /// how many requests that had.
    async fn taken_back(&self, id: &str, at: usize, when: &str) -> (String, usize) {
        let undo = self.scene.plan_undo(&self.bench, id).await.unwrap();
        let (told, requests) = self.apply(undo, at, when).await;
        if told.failed.is_some()
            && let Ok(rest) = self.scene.plan_undo(&self.bench, id).await
        {
            self.apply(rest, usize::MAX, when).await;
        }
        (told.summary.journal_id.unwrap(), requests)
    }

    /// Applies; this request of it meets the trouble. How many requests it had.
    async fn apply(&self, prepared: PreparedChange, at: usize, when: &str) -> (Told, usize) {
        // What the server does not know is sent whole.
        self.bench.server.cmd(&["SCRIPT", "FLUSH"]);
        self.busy.arm(at);
        let told = self.bench.apply(prepared, Limits::default()).await;
        let passed = self.busy.passed();
        self.busy.arm(usize::MAX);
        self.bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
        let when = format!("{when}at {at}: {:?}, {:?}", told.failed, told.summary);
        assert_eq!(told.count(Outcome::Unknown), 0, "{when}");
        match told.failed {
            Some(_) => assert!(at < passed && self.trouble == Trouble::Full, "{when}"),
            None => assert!(told.summary.tally.all_done(), "{when}"),
        }
        (told, passed)
    }
}

fn due(_: &Bench) -> EntryChoice {
    EntryChoice::Due
}

fn all(_: &Bench) -> EntryChoice {
    matching("entry")
}

fn some(bench: &Bench) -> EntryChoice {
    bench.entries(&[2, 3, 7, 12])
}

fn from(from: EntryPlace) -> EntryChoice {
    EntryChoice::Selected(Selection {
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

fn delivered(bench: &Bench) {
    for element in ["a", "b", "c"] {
        bench.server.cmd(&["RPUSH", "orders", element]);
    }
}

fn equal_ones_delivered(bench: &Bench) {
    for element in ["a", "b", "c", "b"] {
        bench.server.cmd(&["RPUSH", "orders", element]);
    }
}

fn framed(bench: &Bench) {
    for n in 71..74 {
        let element = frame(n, b"framed");
        bench.server.cmd_bytes(&[b"RPUSH", b"orders", &element]);
    }
}

/// Some stand nowhere in the order list.
fn lacking(bench: &Bench) {
    let order = bench.queue.keys().order.unwrap();
    for n in [3, 7, 12] {
        bench
            .server
            .cmd_bytes(&[b"LREM", &order, b"1", &bench.member(n)]);
    }
}

/// Some stand in the order list alone.
fn strayed(bench: &Bench) {
    let timeouts = bench.queue.keys().timeouts;
    for n in [2, 3, 9, 12] {
        bench
            .server
            .cmd_bytes(&[b"ZREM", &timeouts, &bench.member(n)]);
    }
}

fn quarantined(bench: &Bench) {
    let keys = bench.queue.keys();
    for n in [2, 3, 9, 12] {
        let member = bench.member(n);
        let score = bench.contents().timeouts[&member].clone();
        let (order, score) = (keys.order.as_ref().unwrap(), score.as_bytes());
        for command in [
            &[b"ZREM".as_slice(), &keys.timeouts, &member][..],
            &[b"LREM", order, b"1", &member],
            &[b"ZADD", &keys.quarantine, score, &member],
        ] {
            bench.server.cmd_bytes(command);
        }
    }
}

/// Consumers that died hold some, and one that lives.
fn held(bench: &Bench) {
    bench.server.cmd(&["RPUSH", "orders", "d"]);
    bench.holds(b"a", 60_000, -20_000);
    bench.holds(b"b", 50_000, -10_000);
    bench.holds(b"alive", 70_000, 60_000);
    let intake = bench.queue.keys().hold.intake;
    bench.server.cmd_bytes(&[b"RPUSH", &intake, b"c"]);
}

fn in_seconds(bench: &Bench) {
    for n in 81..85 {
        let member = frame(n, b"in seconds");
        bench.server.put(&bench.queue, &member, "1900000000");
    }
}

fn below_zero(bench: &Bench) {
    for n in 91..95 {
        let member = frame(n, b"never");
        bench.server.put(&bench.queue, &member, "-5");
    }
}

fn target_taken(bench: &Bench) {
    bench.server.cmd(&["SET", "orders", "in the way"]);
}

fn strays(_: &Bench) -> EntryChoice {
    from(EntryPlace::OrderOnly)
}

fn elements(_: &Bench) -> EntryChoice {
    from(EntryPlace::Delivered)
}

fn in_15_minutes() -> ChangeRequest {
    ChangeRequest::Requeue(NewDue {
        base: Base::In(900_000),
        spread_ms: 0,
    })
}

fn transfers() -> Vec<Scene> {
    let ways = [Way::InOrder, Way::Swap, Way::SetAside].into_iter();
    ways.map(|way| Scene::new(ChangeRequest::Transfer, due).due().by(way))
        .collect()
}

fn deliveries() -> Vec<Scene> {
    let ways = [Way::InOrder, Way::Swap, Way::SetAside].into_iter();
    ways.map(|way| Scene::new(ChangeRequest::Deliver, some).by(way))
        .collect()
}

fn deletions() -> Vec<Scene> {
    let ways = [Way::InOrder, Way::Sweep].into_iter();
    ways.map(|way| Scene::new(ChangeRequest::Delete, some).by(way))
        .collect()
}

fn quarantines() -> Vec<Scene> {
    let ways = [Way::InOrder, Way::Sweep].into_iter();
    ways.map(|way| Scene::new(ChangeRequest::Quarantine, some).by(way))
        .chain([Scene::new(ChangeRequest::Restore, due).then(quarantined)])
        .collect()
}

fn edits() -> Vec<Scene> {
    let edit = ChangeRequest::Edit(b"something else".to_vec());
    let repack = || ChangeRequest::Repack(None);
    vec![
        Scene::new(later(), all),
        Scene::new(edit, |bench| bench.entries(&[5])),
        Scene::new(repack(), all).by(Way::InOrder),
        Scene::new(repack(), all).by(Way::Sweep),
        Scene::new(repack(), some).by(Way::Sweep).then(lacking),
        Scene::new(ChangeRequest::Duplicate, some),
        Scene::new(ChangeRequest::Unit, due).then(in_seconds),
        Scene::new(ChangeRequest::Score, due).then(below_zero),
    ]
}

fn changes_of_target() -> Vec<Scene> {
    vec![
        Scene::new(ChangeRequest::Delete, elements).then(equal_ones_delivered),
        // Of equal ones as many as are meant.
        Scene::new(ChangeRequest::Delete, |_| {
            EntryChoice::ButOne(Box::new(from(EntryPlace::Delivered)))
        })
        .then(equal_ones_delivered),
        Scene::new(in_15_minutes(), elements).then(delivered),
        Scene::new(ChangeRequest::Unwrap, due).then(framed),
        Scene::new(ChangeRequest::PutBack, due)
            .then(held)
            .for_good(),
    ]
}

fn mends_of_the_order_list() -> Vec<Scene> {
    vec![
        Scene::new(ChangeRequest::Drift, due).then(|bench| {
            let order = bench.queue.keys().order.unwrap();
            let lacks = bench.member(4);
            bench.server.cmd_bytes(&[b"LREM", &order, b"1", &lacks]);
            bench
                .server
                .cmd_bytes(&[b"LPUSH", &order, &bench.member(7)]);
        }),
        Scene::new(ChangeRequest::Realign(None), due).for_good(),
        Scene::new(ChangeRequest::RestoreOrder, due)
            .then(|bench| {
                let keys = bench.queue.keys();
                let (order, aside) = (keys.order.unwrap(), keys.aside.unwrap());
                bench.server.cmd_bytes(&[b"RENAME", &order, &aside]);
            })
            .for_good(),
    ]
}

/// What becomes of those that only the order list holds.
fn changes_of_strays() -> Vec<Scene> {
    vec![
        // They had no due time to which they could go back.
        Scene::new(ChangeRequest::Deliver, strays)
            .then(strayed)
            .for_good(),
        Scene::new(in_15_minutes(), strays).then(strayed).for_good(),
        Scene::new(ChangeRequest::Delete, strays).then(strayed),
    ]
}

fn mends_of_keys() -> Vec<Scene> {
    vec![
        Scene::new(ChangeRequest::Persist, due).then(|bench| {
            let timeouts = bench.queue.keys().timeouts;
            let expire = [b"PEXPIRE".as_slice(), &timeouts, b"3600000"];
            bench.server.cmd_bytes(&expire);
        }),
        Scene::new(ChangeRequest::RenameTaken, due).then(target_taken),
        Scene::new(ChangeRequest::Kick, due).for_good(),
    ]
}

/// All of them.
const SCENES: [fn() -> Vec<Scene>; 9] = [
    transfers,
    deliveries,
    deletions,
    quarantines,
    edits,
    changes_of_target,
    mends_of_the_order_list,
    changes_of_strays,
    mends_of_keys,
];

/// Changes that have no plan: offers have a test of their own here, what runs on is in `cli busy`.
const UNPLANNED: [Change; 3] = [Change::Offer, Change::Worker, Change::Consume];

#[test]
fn each_change_and_each_repair_meets_a_busy_server_and_most_are_taken_back_there() {
    let scenes: Vec<Scene> = SCENES.iter().flat_map(|scenes| scenes()).collect();
    let planned = Change::ALL
        .into_iter()
        .filter(|change| !UNPLANNED.contains(change));
    for change in planned {
        let mut of_it = scenes.iter().filter(|scene| match change {
            Change::Undo => scene.undo,
            _ => scene.what.change() == change,
        });
        assert!(of_it.next().is_some(), "{change:?} meets no busy server");
        // An order list is restored amid other changes, by no undo.
        let is_undone = change.can_be_undone() && change != Change::RestoreOrder;
        let undone = scenes
            .iter()
            .any(|scene| scene.undo && (scene.what.change() == change || change == Change::Undo));
        assert_eq!(undone, is_undone, "the undo of {change:?}");
    }
    for what in Repair::ALL
        .iter()
        .filter_map(|repair| repair.what(None, None))
    {
        let is_its = |scene: &Scene| discriminant(&scene.what) == discriminant(&what);
        assert!(scenes.iter().any(is_its), "{what:?} meets no busy server");
    }
}

#[tokio::test]
async fn what_is_due_is_transferred_once_beside_the_scripts_of_others() {
    hold(transfers()).await;
}

#[tokio::test]
async fn entries_are_delivered_once_beside_the_scripts_of_others() {
    hold(deliveries()).await;
}

#[tokio::test]
async fn entries_are_deleted_and_come_back_once_beside_the_scripts_of_others() {
    hold(deletions()).await;
}

#[tokio::test]
async fn entries_go_into_quarantine_and_out_of_it_once_beside_the_scripts_of_others() {
    hold(quarantines()).await;
}

#[tokio::test]
async fn entries_are_requeued_edited_and_duplicated_once_beside_the_scripts_of_others() {
    hold(edits()).await;
}

#[tokio::test]
async fn delivered_elements_are_changed_once_beside_the_scripts_of_others() {
    hold(changes_of_target()).await;
}

#[tokio::test]
async fn the_order_list_is_mended_once_beside_the_scripts_of_others() {
    hold(mends_of_the_order_list()).await;
}

#[tokio::test]
async fn what_only_the_order_list_holds_is_changed_once_beside_the_scripts_of_others() {
    hold(changes_of_strays()).await;
}

#[tokio::test]
async fn keys_are_mended_and_clients_woken_once_beside_the_scripts_of_others() {
    hold(mends_of_keys()).await;
}

#[tokio::test]
async fn new_entries_are_offered_once_beside_the_scripts_of_others() {
    const NEW: usize = 700;
    for trouble in TROUBLES {
        let (bench, busy) = behind(trouble).await;
        let mut rounds = vec![usize::MAX];
        while let Some(at) = rounds.pop() {
            bench.server.cmd(&["FLUSHALL"]);
            bench.fill(12, bench.server.now().plus(AFAR), 1_000);
            let before = everything(&bench);
            let (queue, due) = (&bench.queue, bench.server.now().plus(AFAR));
            let messages = (0..NEW).map(|_| (due, b"new".as_slice()));
            let size = [u64::try_from(NEW).unwrap(), 0];
            let begun =
                ActivityRecord::begin(&bench.journal, &bench.store, queue, Change::Offer, size);
            let mut noted = begun.await.unwrap();
            bench.server.cmd(&["SCRIPT", "FLUSH"]);
            busy.arm(at);
            let form = Form::ByteId;
            let offered = offer_noted(&bench.writer, queue, messages, form, &mut noted).await;
            let requests = busy.passed();
            busy.arm(usize::MAX);
            bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
            let when = format!("{trouble:?} at {at} of {requests}: {offered:?}");
            let id = noted.id().to_owned();
            noted.end().await.unwrap();
            let is_in = bench.contents().timeouts.len() - 12;
            let told = offered.as_ref().map_or(0, |offered| offered.ids.len());
            assert_eq!(is_in, told, "{when}");
            let unknown = |offered: &delayscope::ops::offer::OfferOutcome| {
                offered.stopped.as_ref().map_or(0, |it| it.unknown)
            };
            assert_eq!(offered.as_ref().map_or(0, unknown), 0, "{when}");
            assert!(is_in == NEW || trouble == Trouble::Full, "{when}");
            if is_in > 0 {
                let (_, undone) = bench.undo(Some(&id)).await;
                assert!(
                    undone.summary.tally.all_done(),
                    "{when}: {:?}",
                    undone.failed
                );
            }
            same(&everything(&bench), &before, &when);
            if at == usize::MAX {
                rounds.extend(0..requests);
            }
        }
    }
}
