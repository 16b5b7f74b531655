//! All changes of chosen entries, each as a case: what it is given, and which keys it looks at.

use delayscope::clock::EpochMillis;
use delayscope::queue::Queue;
use delayscope::store::StoreError;
use delayscope::store::change::{ChosenEntry, ListPlace, TakeBack};
use delayscope::store::write::{DueCursor, Writer};

use crate::support::{self, Server};

/// The score of what [`set_up`] lets wait.
const SCORE: f64 = 1_600_000_000_000.0;

/// Every change, with the keys whose types it looks at: target, timeouts, order list, aside,
/// quarantine.
const ALL: [(&str, &str); 21] = [
    ("delete", "TL"),
    ("requeue", "T"),
    ("deliver", "qTLA"),
    ("transfer", "qTLA"),
    ("transfer under watch", ""),
    ("deliver while set aside", "qTLA"),
    ("transfer while set aside", "qTLA"),
    ("put entries back", "TLA"),
    ("edit", "TLA"),
    ("take back", "qTLA"),
    ("discard", "q"),
    ("discard the newest", "q"),
    ("put elements back", "q"),
    ("put elements among", "qT"),
    ("wait again", "TL"),
    ("replace", "q"),
    ("expiry", ""),
    ("rename", ""),
    ("in order list", "LA"),
    ("quarantine", "TLQ"),
    ("restore", "TLAQ"),
];

/// Those that only a queue with an order list knows.
const ONLY_ORDERED: [&str; 2] = ["transfer under watch", "in order list"];

/// Those that make sense for that queue.
pub(crate) fn all(queue: &Queue) -> impl Iterator<Item = (&'static str, &'static str)> {
    let ordered = queue.keys().order.is_some();
    let all = ALL.into_iter();
    all.filter(move |(change, _)| ordered || !ONLY_ORDERED.contains(change))
}

/// Changes that take no room: a full server takes them.
pub(crate) const REMOVALS: [&str; 5] = [
    "delete",
    "discard",
    "discard the newest",
    "expiry",
    "rename",
];

fn waiting(n: u64) -> ChosenEntry {
    ChosenEntry {
        member: support::frame(n, b"x"),
        score: SCORE,
    }
}

/// Entries 1 to 5 wait, in the order list as 1 3 2 4 5; two elements are delivered. `while set
/// aside`: an order list is aside, and a hundred were offered since.
pub(crate) fn set_up(server: &Server, queue: &Queue, change: &str) {
    server.cmd(&["FLUSHALL"]);
    for n in [1, 3, 2, 4, 5] {
        server.put(queue, &waiting(n).member, "1600000000000");
    }
    let target = queue.keys().target;
    server.cmd_bytes(&[b"RPUSH", &target, b"one", b"two"]);
    // The last two wait too, one of them with another score.
    for (n, score) in [(11, SCORE), (12, SCORE), (5, 7.0), (4, SCORE)] {
        let (key, score) = (queue.keys().quarantine, score.to_string());
        let member = waiting(n).member;
        server.cmd_bytes(&[b"ZADD", &key, score.as_bytes(), &member]);
    }
    let Some(aside) = queue.keys().aside.filter(|_| change.ends_with("aside")) else {
        return;
    };
    server.cmd_bytes(&[b"RPUSH", &aside, &waiting(6).member]);
    server.fill(queue, 100, EpochMillis::new(1_600_000_000_001), 1);
}

/// Everything the server holds, each key as it would be dumped, and whether it expires.
pub(crate) fn contents(server: &Server) -> Vec<(Vec<u8>, support::Value)> {
    let mut keys = server.list(&["KEYS", "*"]);
    keys.sort();
    keys.into_iter()
        .map(|key| {
            let dump = server.cmd_bytes(&[b"DUMP", &key]);
            let expires = server.cmd_bytes(&[b"PTTL", &key]) != support::Value::Int(-1);
            let all = vec![dump, support::Value::Boolean(expires)];
            (key, support::Value::Array(all))
        })
        .collect()
}

/// Makes that change, of several entries, to what [`set_up`] made. The entries are such that most
/// of what a script can come to does come, and its first write before the rest.
pub(crate) async fn make(writer: &Writer, queue: &Queue, change: &str) -> Result<(), StoreError> {
    let chosen = [1, 2, 5, 4].map(waiting);
    let gone = [11, 12, 13].map(waiting);
    let behind = ListPlace::Behind(waiting(3).member);
    match change {
        "delete" => drop(writer.delete(queue, &chosen).await?),
        "requeue" => {
            let entries = chosen.map(|c| (c, SCORE - 5.0));
            drop(writer.requeue(queue, &entries).await?);
        }
        "deliver" | "deliver while set aside" => drop(writer.deliver(queue, &chosen, true).await?),
        "transfer" | "transfer while set aside" => {
            let now = EpochMillis::new(1_600_000_000_000);
            drop(
                writer
                    .transfer_telling(queue, now, 4, &DueCursor::default(), true)
                    .await?,
            );
        }
        "transfer under watch" => transfer_watched(writer, queue).await?,
        "put entries back" => {
            let [a, b, c] = gone;
            let entries = [(a, ListPlace::Tail), (b, behind), (c, ListPlace::Head)];
            drop(writer.put_entries_back(queue, &entries).await?);
        }
        "edit" => {
            let edits: Vec<_> = chosen.into_iter().zip(gone.map(|g| g.member)).collect();
            drop(writer.edit(queue, &edits).await?);
        }
        "quarantine" => drop(writer.quarantine(queue, &chosen).await?),
        "restore" => restore(writer, queue).await?,
        "take back" => {
            let elements = [("none", 20), ("one", 21), ("two", 22)].map(|(element, n)| TakeBack {
                element: element.into(),
                member: support::frame(n, element.as_bytes()),
                score: SCORE - 5.0,
            });
            drop(writer.take_back(queue, &elements).await?);
        }
        "wait again" => drop(writer.wait_again(queue, &gone).await?),
        "in order list" => {
            let [a, b, c] = gone.map(|g| g.member);
            let two = chosen[1].member.clone();
            let members = [(a, true), (b, true), (two, false), (c, false)];
            drop(writer.in_order_list(queue, &members).await?);
        }
        "replace" => {
            let elements = [("none", "no"), ("one", "1"), ("two", "2")];
            let elements = elements.map(|(old, new)| (old.into(), new.into()));
            drop(writer.replace(queue, &elements).await?);
        }
        "expiry" => expiry(writer, queue).await?,
        "rename" => rename(writer, queue).await?,
        "discard" => {
            let elements = ["none", "one"].map(|e| e.as_bytes().to_vec());
            drop(writer.discard(queue, &elements).await?);
        }
        "discard the newest" => {
            let elements = ["none", "two"].map(|e| e.as_bytes().to_vec());
            drop(writer.discard_newest(queue, &elements).await?);
        }
        "put elements among" => {
            let behind = |element: &str, n| ListPlace::BehindNth(element.into(), n);
            // The first of equal ones and another one, one that is not there, and both ends.
            let places = [
                behind("one", 1),
                behind("none", 1),
                ListPlace::Head,
                ListPlace::Tail,
                behind("one", 2),
            ];
            let elements = places.map(|place| (b"one".to_vec(), place));
            drop(writer.put_elements_among(queue, &elements).await?);
        }
        _ => {
            let elements = ["three", "four"].map(|e| e.as_bytes().to_vec());
            drop(writer.put_elements_back(queue, &elements).await?);
        }
    }
    Ok(())
}

async fn restore(writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    let place = Some(ListPlace::Behind(waiting(3).member));
    let other = ChosenEntry {
        score: 7.0,
        ..waiting(5)
    };
    let entries = [
        (waiting(11), place),
        (waiting(12), Some(ListPlace::Head)),
        (other, Some(ListPlace::Tail)),
        (waiting(4), Some(ListPlace::Tail)),
        (waiting(13), None),
    ];
    writer.restore(queue, &entries).await.map(drop)
}

/// One of each: what is not there, of its right type, to a name in use; and, in quarantine's place,
/// what may be renamed.
async fn rename(writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    let keys = queue.keys();
    let each = [
        (b"none".as_slice(), b"{none}".as_slice()),
        (&keys.timeouts, b"other"),
        (&keys.quarantine, &keys.timeouts),
        (&keys.quarantine, b"another"),
    ];
    writer.rename(queue, &each).await.map(drop)
}

async fn expiry(writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    let keys = queue.keys();
    let each = [b"none", keys.target.as_slice(), &keys.timeouts];
    let each = each.map(|key| (key, f64::INFINITY, 9e12));
    writer.expiry(&each).await.map(drop)
}

async fn transfer_watched(writer: &Writer, queue: &Queue) -> Result<(), StoreError> {
    let now = EpochMillis::new(1_600_000_000_000);
    let mut watched = writer.watch_due(queue, now, 4, false).await?.unwrap();
    let rows = watched.take_rows().first(4);
    let ends = [rows.first(), rows.last()];
    let ends = ends.map(|row| row.map_or(&b"x"[..], |row| &row.member));
    let payloads = [b"x".as_slice(); 4];
    watched.transfer(ends, &payloads, 4).await.map(drop)
}
