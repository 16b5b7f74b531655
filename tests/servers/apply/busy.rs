//! A server that is busy with somebody's script, that forgets scripts, or that takes no more memory:
//! whichever request of a change meets that, what is done is done once, told as it happened, and
//! taken back whole.
//!
//! Each run tries some of the requests; `BUSY=1 cargo test --test servers apply::busy` tries all of
//! them.

use delayscope::ops::apply::Limits;
use delayscope::ops::entries::{From, Selection};
use delayscope::ops::plan::{Base, NewDue, Prepared, What, Which};
use delayscope::ops::undo::plan_undo;
use delayscope::queue::plan::Way;
use delayscope::queue::{Address, Outcome, Queue};

use crate::apply::bench::{Bench, Contents};
use crate::apply::ways::matching;
use crate::stall::{Busy, Trouble};
use crate::support::Server;

/// Due in the past, and far away.
const PAST: i64 = -900_000_000;
const AFAR: i64 = 900_000_000;

/// Of so many requests, one in a row meets a busy server.
const SOME: usize = 3;

/// A change, and what it begins with.
struct Scene {
    what: What,
    which: fn(&Bench) -> Which,
    way: Option<Way>,
    /// When the entries are due, from now.
    due: i64,
    /// What else is done to the queue before.
    then: fn(&Bench),
    /// It can be taken back.
    undo: bool,
}

impl Scene {
    fn new(what: What, which: fn(&Bench) -> Which) -> Self {
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

    async fn plan(&self, bench: &Bench) -> Prepared {
        let which = (self.which)(bench);
        let mut prepared = bench.plan(self.what.clone(), which).await.unwrap();
        if let Some(way) = self.way {
            prepared.plan.way = way;
        }
        prepared
    }
}

/// What has to be the same: the order of equal places is not.
fn sorted(mut contents: Contents) -> Contents {
    contents.order.sort();
    contents.target.sort();
    contents
}

/// Members without scores and ids, which are other ones in each run.
fn places(contents: Contents) -> [Vec<Vec<u8>>; 4] {
    let Contents {
        timeouts,
        order,
        target,
        quarantine,
    } = sorted(contents);
    let named = |all: Vec<Vec<u8>>| {
        let named = all.into_iter().map(|mut member| {
            member.drain(1..member.len().min(9));
            member
        });
        let mut named: Vec<_> = named.collect();
        named.sort();
        named
    };
    [
        named(timeouts.into_keys().collect()),
        named(order),
        target,
        named(quarantine.into_keys().collect()),
    ]
}

/// Makes the change once for each of its requests, which meets each trouble.
async fn holds(scene: Scene) {
    for trouble in [Trouble::Busy, Trouble::Forgets, Trouble::Full] {
        holds_beside(&scene, trouble).await;
    }
}

async fn holds_beside(scene: &Scene, trouble: Trouble) {
    let server = Server::start_with(&["--lua-time-limit", "2"]);
    let busy = Busy::before(&server.socket(), trouble);
    let endpoint = server.endpoint_at(Address::Unix(busy.socket()), 0);
    let bench = Bench::through(server, endpoint, &Queue::redisson("orders")).await;
    let mut wanted = None;
    let (mut at, mut requests) = (usize::MAX, 0);
    let step = std::env::var_os("BUSY").map_or(SOME, |_| 1);
    loop {
        scene.put(&bench);
        let before = sorted(bench.contents());
        let prepared = scene.plan(&bench).await;
        // What the server does not know is sent whole.
        bench.server.cmd(&["SCRIPT", "FLUSH"]);
        busy.arm(at);
        let told = bench.apply(prepared, Limits::default()).await;
        let passed = busy.passed();
        busy.arm(usize::MAX);
        bench.server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
        let when = format!(
            "{:?}, {trouble:?} at request {at} of {requests}: {:?}, {:?}",
            scene.what, told.failed, told.summary
        );
        let ended = told.failed.is_some();
        assert!(!ended || trouble == Trouble::Full, "{when}");
        assert_eq!(told.count(Outcome::Unknown), 0, "{when}");
        if !ended {
            assert!(told.summary.tally.all_done(), "{when}");
            let after = places(bench.contents());
            let wanted = wanted.get_or_insert_with(|| after.clone());
            assert_eq!(&after, wanted, "{when}");
        }
        if scene.undo && told.count(Outcome::Done) > 0 {
            let undo = plan_undo(&bench.store, &bench.journal, None, false);
            let told = bench.apply(undo.await.unwrap(), Limits::default()).await;
            assert!(told.summary.tally.all_done(), "{when}");
        }
        let left = sorted(bench.contents());
        if scene.undo {
            assert_eq!(left, before, "{when}");
        } else if ended {
            assert_eq!(left.timeouts, before.timeouts, "{when}");
            assert_eq!(left.target, before.target, "{when}");
        }
        if at == usize::MAX {
            // Other ones in every run.
            let now = delayscope::clock::local_now().get();
            at = usize::try_from(now).unwrap() % step;
            requests = passed;
        } else if at + step < requests {
            at += step;
        } else {
            break;
        }
    }
    assert!(requests >= 3, "nothing was sent");
}

fn due(_: &Bench) -> Which {
    Which::Due
}

fn all(_: &Bench) -> Which {
    matching("entry")
}

fn some(bench: &Bench) -> Which {
    bench.entries(&[2, 3, 7, 12])
}

fn from(from: From) -> Which {
    Which::Selected(Selection {
        from,
        ..Selection::default()
    })
}

fn later() -> What {
    What::Requeue(NewDue {
        base: Base::By(9_000),
        spread_ms: 0,
    })
}

fn delivered(bench: &Bench) {
    for element in ["a", "b", "c", "b"] {
        bench.server.cmd(&["RPUSH", "orders", element]);
    }
}

#[tokio::test]
async fn what_is_due_is_transferred_once_beside_the_scripts_of_others() {
    for way in [Way::InOrder, Way::Swap, Way::SetAside] {
        holds(Scene::new(What::Transfer, due).due().by(way)).await;
    }
}

#[tokio::test]
async fn entries_are_delivered_once_beside_the_scripts_of_others() {
    for way in [Way::InOrder, Way::Swap, Way::SetAside] {
        holds(Scene::new(What::Deliver, some).by(way)).await;
    }
}

#[tokio::test]
async fn entries_are_deleted_and_come_back_once_beside_the_scripts_of_others() {
    for way in [Way::InOrder, Way::Sweep] {
        holds(Scene::new(What::Delete, some).by(way)).await;
    }
}

#[tokio::test]
async fn entries_go_into_quarantine_and_out_of_it_once_beside_the_scripts_of_others() {
    for way in [Way::InOrder, Way::Sweep] {
        holds(Scene::new(What::Quarantine, some).by(way)).await;
    }
}

#[tokio::test]
async fn entries_are_requeued_and_edited_once_beside_the_scripts_of_others() {
    holds(Scene::new(later(), all)).await;
    let edit = What::Edit(b"something else".to_vec());
    holds(Scene::new(edit, |bench| bench.entries(&[5]))).await;
    for way in [Way::InOrder, Way::Sweep] {
        holds(Scene::new(What::Repack(None), all).by(way)).await;
    }
    // Some of them stand nowhere in the order list.
    let lacks = |bench: &Bench| {
        let order = bench.queue.keys().order.unwrap();
        for n in [3, 7, 12] {
            bench
                .server
                .cmd_bytes(&[b"LREM", &order, b"1", &bench.member(n)]);
        }
    };
    holds(
        Scene::new(What::Repack(None), some)
            .by(Way::Sweep)
            .then(lacks),
    )
    .await;
}

#[tokio::test]
async fn delivered_elements_are_changed_once_beside_the_scripts_of_others() {
    let elements = |_: &Bench| from(From::Delivered);
    holds(Scene::new(What::Delete, elements).then(delivered)).await;
    // Of equal ones as many as are meant.
    let but_one = |_: &Bench| Which::ButOne(Box::new(from(From::Delivered)));
    holds(Scene::new(What::Delete, but_one).then(delivered)).await;
    let back = NewDue {
        base: Base::In(900_000),
        spread_ms: 0,
    };
    holds(Scene::new(What::Requeue(back), elements).then(|bench| {
        for element in ["a", "b", "c"] {
            bench.server.cmd(&["RPUSH", "orders", element]);
        }
    }))
    .await;
    holds(Scene::new(What::Unwrap, due).then(|bench| {
        for n in 71..74 {
            let element = crate::support::frame(n, b"framed");
            bench.server.cmd_bytes(&[b"RPUSH", b"orders", &element]);
        }
    }))
    .await;
}

#[tokio::test]
async fn the_order_list_is_mended_once_beside_the_scripts_of_others() {
    let drift = |bench: &Bench| {
        let order = bench.queue.keys().order.unwrap();
        let lacks = bench.member(4);
        bench.server.cmd_bytes(&[b"LREM", &order, b"1", &lacks]);
        bench
            .server
            .cmd_bytes(&[b"LPUSH", &order, &bench.member(7)]);
    };
    holds(Scene::new(What::Drift, due).then(drift)).await;
    holds(Scene::new(What::Realign(None), due).for_good()).await;
    let aside = |bench: &Bench| {
        let keys = bench.queue.keys();
        let (order, aside) = (keys.order.unwrap(), keys.aside.unwrap());
        bench.server.cmd_bytes(&[b"RENAME", &order, &aside]);
    };
    holds(Scene::new(What::RestoreOrder, due).then(aside).for_good()).await;
}

#[tokio::test]
async fn keys_are_mended_once_beside_the_scripts_of_others() {
    let expires = |bench: &Bench| {
        let timeouts = bench.queue.keys().timeouts;
        let expire = [b"PEXPIRE".as_slice(), &timeouts, b"3600000"];
        bench.server.cmd_bytes(&expire);
    };
    holds(Scene::new(What::Persist, due).then(expires)).await;
}
