//! The changes that are not of chosen entries, each as a case: offers, the worker's transfer, and the
//! steps of the bulk ways.

use std::time::Duration;

use delayscope::queue::{ConsumerTag, Queue};
use delayscope::store::StoreError;
use delayscope::store::bulk::{
    AwayPlace, Broom, ReadOrder, ReturnPlace, ReturnedEntry, StrayFate, Swap,
};
use delayscope::store::write::{DueCursor, Writer};

use crate::scripts::PAST;
use crate::support::{Server, frame};

/// All of them. What begins with an `o` knows queues without an order list, too; what ends with
/// `aside` finds one that is.
pub(crate) const MORE: [&str; 20] = [
    "offer",
    "or a worker's transfer",
    "or an expiry taken away",
    "or the take of a consumer",
    "or the end of a consumer",
    "deliver what only the order list holds",
    "look whether all of the order list waits",
    "set an order list aside",
    "bring back what is aside",
    "bring back and tell what is aside",
    "swap",
    "sweep",
    "sweep into quarantine",
    "edit around",
    "put back around a few",
    "put back where they stood",
    "restore around a few",
    "restore where they stood",
    "append",
    "drop a copy",
];

const SCORE: f64 = 1_600_000_000_000.0;

fn member(n: u64) -> Vec<u8> {
    frame(n, b"x")
}

/// To what `changes::set_up` made: 7 waits, and is not in the order list, which has 2 twice, and 8,
/// which does not wait.
pub(crate) fn set_up_more(server: &Server, queue: &Queue, change: &str) {
    let keys = queue.keys();
    if change == "or an expiry taken away" {
        server.cmd_bytes(&[b"PEXPIREAT", &keys.target, b"9000000000000"]);
    }
    if change.ends_with("a consumer") {
        server.cmd_bytes(&[b"RPUSH", &keys.hold.intake, b"left over"]);
    }
    if let Some(order) = keys.order {
        server.cmd_bytes(&[b"ZADD", &keys.timeouts, b"1600000000000", &member(7)]);
        server.cmd_bytes(&[b"RPUSH", &order, &member(2), &member(8)]);
    }
}

/// Makes that change.
pub(crate) async fn make_more(
    writer: &Writer,
    queue: &Queue,
    change: &str,
) -> Result<(), StoreError> {
    let keys = queue.keys();
    match change {
        "offer" => {
            let entries = vec![(PAST, member(2)), (PAST, member(21)), (PAST, member(22))];
            writer.offer(queue, entries).await.map(drop)
        }
        "or a worker's transfer" => writer
            .transfer(queue, PAST, 3, &DueCursor::default())
            .await
            .map(drop),
        "or an expiry taken away" => {
            let each = [
                (keys.timeouts.as_slice(), f64::INFINITY, 9e12),
                (keys.target.as_slice(), 9e12, f64::INFINITY),
            ];
            writer.expiry(&each).await.map(drop)
        }
        "or the take of a consumer" => {
            let mut taker = writer.taker(queue, tag());
            taker.take(Duration::ZERO).await.map(drop)
        }
        "or the end of a consumer" => writer.taker(queue, tag()).end().await,
        "deliver what only the order list holds" => {
            let strays = [8, 9, 1].map(member);
            writer.deliver_strays(queue, &strays).await.map(drop)
        }
        "look whether all of the order list waits" => {
            let from = (0, &b""[..]);
            writer.all_wait(queue, from, 9).await.map(drop)
        }
        "set an order list aside" => writer.set_aside(queue).await.map(drop),
        "bring back what is aside" => writer
            .bring_back(queue, 3, StrayFate::Counted)
            .await
            .map(drop),
        "bring back and tell what is aside" => {
            writer.bring_back(queue, 3, StrayFate::Told).await.map(drop)
        }
        "swap" => {
            let mark = |n| <[u8; 8]>::try_from(&member(n)[1..9]).unwrap();
            // The second pair stands elsewhere than where it was read.
            let near = |places, a, b| Swap {
                places,
                marks: [mark(a), mark(b)],
            };
            let swaps = [near([0, 1], 1, 3), near([3, 6], 2, 5)];
            writer.swap(queue, &swaps).await.map(drop)
        }
        "sweep" | "sweep into quarantine" => {
            let to = away(change == "sweep into quarantine");
            let (one, seven, eight) = (member(1), member(7), member(8));
            let all = [
                (one.as_slice(), Broom::Delete(SCORE)),
                (&seven, Broom::Forget(SCORE)),
                (&eight, Broom::Stray),
            ];
            // Of those that go into quarantine none is a stray.
            let few = if to == AwayPlace::Nowhere { 3 } else { 2 };
            writer.sweep(queue, 2_000, &all[..few], to).await.map(drop)
        }
        "edit around" => {
            let (one, two, seven, eight) = (member(1), member(2), member(7), member(8));
            let new = [31, 32, 37].map(member);
            let all = [
                (one.as_slice(), Broom::Delete(SCORE), new[0].as_slice()),
                (&two, Broom::DeleteAgain(SCORE), &new[1]),
                (&seven, Broom::Forget(SCORE), &new[2]),
                (&eight, Broom::Stray, b""),
            ];
            writer.edit_around(queue, 2_000, &all).await.map(drop)
        }
        "append" => {
            let last = Some(member(8));
            let order = ReadOrder { aside: false, last };
            let members = [&member(7)[..], &member(1), &member(9)];
            writer.append(queue, &order, &members, true).await.map(drop)
        }
        "drop a copy" => writer.drop_copy(queue, [2, 5], &member(2)).await.map(drop),
        _ => put_back(writer, queue, change).await,
    }
}

async fn put_back(writer: &Writer, queue: &Queue, change: &str) -> Result<(), StoreError> {
    let n = if change.ends_with("few") { 2 } else { 0 };
    let three = member(3);
    let places = [
        ReturnPlace::Behind(&three),
        ReturnPlace::Head,
        ReturnPlace::Tail,
    ];
    // In quarantine are 11, 12, and 4 and 5, which wait.
    let members = [11, 12, 4].map(member);
    let entries = places.into_iter().zip(&members);
    let entries: Vec<_> = entries
        .map(|(to, member)| ReturnedEntry {
            to,
            score: SCORE,
            member,
        })
        .collect();
    let from = away(change.starts_with("restore"));
    let put = writer.put_back_around(queue, n, &entries, from).await;
    put.map(drop)
}

fn tag() -> ConsumerTag {
    ConsumerTag {
        host: "here".to_owned(),
        pid: 1,
        number: 1,
    }
}

fn away(quarantined: bool) -> AwayPlace {
    if quarantined {
        AwayPlace::Quarantined
    } else {
        AwayPlace::Nowhere
    }
}
