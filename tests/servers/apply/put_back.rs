//! What consumers hold that died goes back into target.

use delayscope::clock::EpochMillis;
use delayscope::ops::apply::Limits;
use delayscope::ops::plan::{ChangeRequest, EntryChoice};
use delayscope::queue::{Change, ConsumerTag, Holder, Outcome};

use crate::apply::bench::{Bench, layouts};

impl Bench {
    /// An element that a consumer took so many ms ago, whose lease runs for so many more.
    pub(crate) fn holds(&self, element: &[u8], taken_ms: i64, lease_ms: i64) -> Vec<u8> {
        let now = self.server.now();
        let field = Holder {
            consumer: ConsumerTag {
                host: "app-1".to_owned(),
                pid: 4_711,
                number: 1,
            },
            at: now.plus(-taken_ms),
            turn: 1,
        }
        .field();
        let keys = self.queue.keys().hold;
        let end: EpochMillis = now.plus(lease_ms);
        let end = end.get().to_string();
        self.server
            .cmd_bytes(&[b"HSET", &keys.held, &field, element]);
        self.server
            .cmd_bytes(&[b"ZADD", &keys.leases, end.as_bytes(), &field]);
        field
    }

    /// Target, from where consumers take.
    fn line(&self) -> Vec<Vec<u8>> {
        let target = self.queue.keys().target;
        let mut line =
            self.server
                .list(&["LRANGE", std::str::from_utf8(&target).unwrap(), "0", "-1"]);
        if self.queue.comes_at_head() {
            line.reverse();
        }
        line
    }

    fn still_held(&self) -> i64 {
        let keys = self.queue.keys().hold;
        let count =
            |verb: &str, key: &[u8]| self.server.int(&[verb, std::str::from_utf8(key).unwrap()]);
        let [held, leases] = [count("HLEN", &keys.held), count("ZCARD", &keys.leases)];
        assert_eq!(held, leases);
        held + count("LLEN", &keys.intake)
    }
}

#[tokio::test]
async fn what_dead_consumers_hold_goes_back_first_in_line_in_the_order_in_which_it_was_taken() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        let keys = queue.keys();
        bench.server.cmd_bytes(&[b"RPUSH", &keys.target, b"d"]);
        bench.holds(b"b", 50_000, -10_000);
        bench.holds(b"a", 60_000, -20_000);
        bench.holds(b"alive", 70_000, 60_000);
        bench.server.cmd_bytes(&[b"RPUSH", &keys.hold.intake, b"c"]);
        let (plan, told) = bench.change(ChangeRequest::PutBack, EntryChoice::Due).await;
        assert_eq!((plan.change, plan.planned), (Change::PutBack, 3));
        assert_eq!(plan.target, Some((1, 4)));
        let warned = |words: &str| plan.warnings.iter().any(|said| said.contains(words));
        assert!(
            warned("2 messages taken by process 4711 on app-1, last heard of 0:4"),
            "{plan:?}"
        );
        assert!(warned("may have been handed on"), "{plan:?}");
        assert!(
            warned("1 message is left alone: process 4711 on app-1"),
            "{plan:?}"
        );
        assert!(told.summary.tally.all_done(), "{:?}", told.failed);
        assert_eq!(bench.line(), [b"a", b"b", b"c", b"d"]);
        assert_eq!(bench.still_held(), 1);
        assert!(!plan.change.can_be_undone());
    }
}

#[tokio::test]
async fn a_consumer_that_came_back_to_life_keeps_what_it_holds() {
    for queue in layouts() {
        let bench = Bench::new(&queue).await;
        let field = bench.holds(b"one", 60_000, -1);
        let gone = bench.holds(b"two", 50_000, -1);
        let prepared = bench
            .plan(ChangeRequest::PutBack, EntryChoice::Due)
            .await
            .unwrap();
        assert_eq!(prepared.plan.planned, 2);
        let (keys, later) = (queue.keys().hold, bench.server.now().plus(60_000));
        let later = later.get().to_string();
        bench
            .server
            .cmd_bytes(&[b"ZADD", &keys.leases, later.as_bytes(), &field]);
        bench.server.cmd_bytes(&[b"HDEL", &keys.held, &gone]);
        bench.server.cmd_bytes(&[b"ZREM", &keys.leases, &gone]);
        let told = bench.apply(prepared, Limits::default()).await;
        let tally = told.summary.tally;
        assert_eq!(
            (tally.get(Outcome::Changed), tally.get(Outcome::Gone)),
            (1, 1)
        );
        assert_eq!((bench.line().len(), bench.still_held()), (0, 1));
    }
}

#[tokio::test]
async fn a_full_server_gives_back_too() {
    let bench = Bench::new(&layouts()[0]).await;
    bench.holds(b"one", 60_000, -1);
    bench.server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
    let (_, told) = bench.change(ChangeRequest::PutBack, EntryChoice::Due).await;
    assert!(told.summary.tally.all_done(), "{:?}", told.failed);
    assert_eq!(
        (bench.line(), bench.still_held()),
        (vec![b"one".to_vec()], 0)
    );
}
