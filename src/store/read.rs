//! Bounded reads. None of them costs more than O(log N + what it brings back), whatever the size
//! of the queue; what each brings is bounded by its caller.

mod frames;
mod hold;
mod keys;
mod lists;
mod look;
mod nodes;
mod pages;
mod replicas;
mod scanned;
mod transaction;
mod whereabouts;

use std::sync::Arc;

use redis::Value;

pub use frames::{MAXLEN, RawFrames, frames, places};
pub use hold::{HeldSnapshot, held_now, still_held};
pub use keys::{KeyType, Slice, channels, kinds, kinds_apart, scan};
pub use lists::{Elements, element_scores, held, list_page, quarantined, sorted_page, whole_order};
pub use look::{calls, clients, look};
pub use nodes::nodes;
pub use pages::{Rows, count_between, highest, rank_of_score, rows, rows_from};
pub use replicas::{Lag, Replica, Replication, may_wait, replication};
pub use scanned::{ScannedPage, scan_members};
pub use whereabouts::{Whereabouts, whereabouts};

use self::transaction::{Transaction, error_words};
use super::error::{CROSSED, StoreError};
use super::link::Store;
use crate::clock::EpochMillis;
use crate::queue::{HeldCount, KeyFacts, Keys, Known, Optional, PageAsk};

/// The extent of a glance at a queue.
#[derive(Clone, Debug)]
pub struct GlanceAsk {
    /// The keys of the queue.
    pub keys: Keys,
    /// The score that says "now".
    pub now: f64,
    /// The rows wanted, by rank in timeouts.
    pub page: Option<PageAsk>,
}

/// The result of a glance; all from one instant.
#[derive(Clone, Debug)]
pub struct Glance {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// Its cost to the server, in µs by its own clock.
    pub server_us: u64,
    /// The time that the answer took, in ms of our clock.
    pub took_ms: u64,
    /// Entries in timeouts.
    pub waiting: Known<u64>,
    /// Entries with a score from 0 to now.
    pub late: Known<u64>,
    /// The lowest score; where rows further down were asked for, the lowest from 0 on (ten
    /// commands do not reach further).
    pub head: Option<f64>,
    /// The lowest score from 0 to now.
    pub oldest: Option<f64>,
    /// The lowest score above now.
    pub next: Option<f64>,
    /// Length of the order list.
    pub order: Known<u64>,
    /// Length of target.
    pub target: Known<u64>,
    /// Subscribers of the channel, on this node.
    pub subscribers: Known<u64>,
    /// The member with the lowest score from 0 on, and that score.
    pub first: Option<(Vec<u8>, f64)>,
    /// Bytes of the members that came with head, oldest and next.
    pub beside_bytes: u64,
    /// The rows that were asked for, with their scores.
    pub page: Option<Vec<(Vec<u8>, f64)>>,
}

/// Looks at several queues, each in a transaction of at most 10 commands, in one round trip. One whose
/// slot is at another node takes nothing from the others; of one whose keys lie in several slots,
/// figures are told as far as their keys are here.
pub async fn glance(
    store: &Store,
    asks: &[GlanceAsk],
) -> Result<Vec<Result<Glance, StoreError>>, StoreError> {
    let refused: Option<Arc<str>> = store.why_refused(Optional::NumSub).map(Arc::from);
    let (transactions, places): (Vec<_>, Vec<_>) = asks
        .iter()
        .map(|ask| glance_commands(ask, refused.is_some()))
        .unzip();
    let done = transaction::run_apart(store, "read the figures of a queue", &transactions).await?;
    let glances = done.into_iter().zip(&places).zip(asks);
    Ok(glances
        .map(|((done, places), ask)| {
            let mut done = done?;
            let take = |i: usize| std::mem::take(&mut done.values[i]);
            let mut glance = read_glance(places, ask, take);
            (glance.at, glance.server_us, glance.took_ms) = (done.at, done.server_us, done.took_ms);
            match (&refused, &glance.subscribers) {
                (Some(why), Known::None) if ask.keys.channel.is_some() => {
                    glance.subscribers = Known::Unknown(Arc::clone(why));
                }
                (None, Known::Unknown(why)) => store.refuse(Optional::NumSub, why.to_string()),
                _ => {}
            }
            Ok(glance)
        })
        .collect())
}

/// The places of the figures in the transaction.
struct PulsePlaces {
    waiting: usize,
    late: usize,
    /// The place of the head; none where the rows show it, or leave no room for it.
    head: Option<usize>,
    oldest: usize,
    next: usize,
    target: usize,
    order: Option<usize>,
    subscribers: Option<usize>,
    page: Option<usize>,
}

fn glance_commands(ask: &GlanceAsk, no_numsub: bool) -> (Transaction, PulsePlaces) {
    let keys = &ask.keys;
    let timeouts = keys.timeouts.as_slice();
    let now = ask.now.to_string();
    let after = format!("({now}");
    let lowest = |t: &mut Transaction, from: &str, to: &str| {
        let one: [&[u8]; 4] = [b"WITHSCORES", b"LIMIT", b"0", b"1"];
        let range = [timeouts, from.as_bytes(), to.as_bytes()];
        t.add("ZRANGEBYSCORE", &[&range[..], &one[..]].concat())
    };
    let mut t = Transaction::default();
    let places = PulsePlaces {
        waiting: t.add("ZCARD", &[timeouts]),
        late: t.add("ZCOUNT", &[timeouts, b"0", now.as_bytes()]),
        head: (ask.page.is_none()).then(|| t.add("ZRANGE", &[timeouts, b"0", b"0", b"WITHSCORES"])),
        oldest: lowest(&mut t, "0", &now),
        next: lowest(&mut t, &after, "+inf"),
        target: t.add("LLEN", &[&keys.target]),
        order: keys.order.as_ref().map(|key| t.add("LLEN", &[key])),
        subscribers: (keys.channel.as_ref())
            .filter(|_| !no_numsub)
            .map(|channel| t.add("PUBSUB", &[b"NUMSUB", channel])),
        page: ask.page.filter(|page| page.count > 0).map(|page| {
            let last = page.first.saturating_add(u64::from(page.count) - 1);
            let (first, last) = (page.first.to_string(), last.to_string());
            let range = [timeouts, first.as_bytes(), last.as_bytes(), b"WITHSCORES"];
            t.add("ZRANGE", &range)
        }),
    };
    (t, places)
}

fn read_glance(
    places: &PulsePlaces,
    ask: &GlanceAsk,
    mut take: impl FnMut(usize) -> Value,
) -> Glance {
    let mut number = |place: Option<usize>| match place.map(&mut take) {
        Some(value) => known(&value),
        None => Known::None,
    };
    let [waiting, late, order, target] = [
        number(Some(places.waiting)),
        number(Some(places.late)),
        number(places.order),
        number(Some(places.target)),
    ];
    let subscribers = match places.subscribers.map(&mut take) {
        // NUMSUB answers with the channel and its number.
        Some(Value::Array(mut pair)) => known(&pair.pop().unwrap_or_default()),
        Some(other) => known(&other),
        None => Known::None,
    };
    let mut beside_bytes = 0;
    let mut one = |value: Value| {
        let row = pages::scored(value).pop()?;
        beside_bytes += row.0.len() as u64;
        Some(row)
    };
    let [oldest, next] = [places.oldest, places.next].map(|place| one(take(place)));
    let head = places.head.map(|place| one(take(place)).map(|row| row.1));
    let page = places.page.map(|place| pages::scored(take(place)));
    let from_the_head = ask.page.is_some_and(|page| page.first == 0);
    let first_row = page.as_ref().filter(|_| from_the_head);
    let head = head.or(first_row.map(|rows| rows.first().map(|row| row.1)));
    let [oldest_score, next_score] = [&oldest, &next].map(|row| row.as_ref().map(|row| row.1));
    Glance {
        at: EpochMillis::new(0),
        server_us: 0,
        took_ms: 0,
        waiting,
        late,
        head: head.unwrap_or(oldest_score.or(next_score)),
        oldest: oldest_score,
        next: next_score,
        first: oldest.or(next),
        order,
        target,
        subscribers,
        beside_bytes,
        page: page.or_else(|| ask.page.map(|_| Vec::new())),
    }
}

fn known(value: &Value) -> Known<u64> {
    match value {
        Value::Int(n) => Known::Is(u64::try_from(*n).unwrap_or(0)),
        other => Known::Unknown(unknown_words(other).into()),
    }
}

/// The reason for which a figure is not known. Where only some of a queue's keys are at its node, the
/// others lie in another slot, or their slot is on its way.
fn unknown_words(value: &Value) -> String {
    let Some(words) = error_words(value) else {
        return "the answer was no number".to_owned();
    };
    match words.split(' ').next() {
        Some("MOVED") => words + CROSSED,
        Some("ASK" | "TRYAGAIN") => words + ": the slot is on its way to another node",
        _ => words,
    }
}

/// A range of scores in the words of ZCOUNT, such as `(5` and `+inf`.
pub type ScoreRange = (String, String);

/// Counts from a look at the scores of a queue.
#[derive(Clone, Debug)]
pub struct Counts {
    /// The server's time of the read.
    pub at: EpochMillis,
    /// Its cost to the server, in µs by its own clock.
    pub server_us: u64,
    /// Entries in each of the ranges; 0 where timeouts is no sorted set.
    pub counts: Vec<u64>,
    /// The queue's keys, each with its type; and those of ours beside them that are of another
    /// type.
    pub keys: Vec<KeyFacts>,
    /// Members of an order list that was set aside; none when there is none, or when the server
    /// does not let us look.
    pub aside: Option<u64>,
    /// Members of quarantine; none when the server does not let us look, or it is no sorted set.
    pub quarantined: Option<u64>,
    /// Elements that our consumers hold; none when the server does not let us look.
    pub held: Option<HeldCount>,
}

/// A key of ours beside the queue's that was counted and is of another type; which, nobody asked.
fn of_another_type(
    (key, wanted, value): (Option<&Vec<u8>>, &'static str, Option<&Value>),
) -> Option<KeyFacts> {
    let Some(Value::ServerError(error)) = value else {
        return None;
    };
    (error.code() == "WRONGTYPE").then_some(KeyFacts {
        key: key?.clone(),
        wanted,
        kind: "key of another type".to_owned(),
        expires_in_ms: None,
    })
}

/// Counts the entries in each of `ranges` and looks at the queue's keys, all in one instant; `now`:
/// the server's time, by which the leases of consumers have run out or not.
pub async fn counts(
    store: &Store,
    keys: &Keys,
    ranges: &[ScoreRange],
    now: EpochMillis,
) -> Result<Counts, StoreError> {
    const ATTEMPT: &str = "count the due times of a queue";
    let mut t = Transaction::default();
    for (from, to) in ranges {
        let range = [keys.timeouts.as_slice(), from.as_bytes(), to.as_bytes()];
        t.add("ZCOUNT", &range);
    }
    let mut wanted = vec![(&keys.timeouts, "zset")];
    wanted.extend(keys.order.as_ref().map(|key| (key, "list")));
    wanted.push((&keys.target, "list"));
    for (key, _) in &wanted {
        t.add("TYPE", &[key]);
        t.add("PTTL", &[key]);
    }
    let aside = keys.aside.as_ref().map(|key| t.add("LLEN", &[key]));
    let quarantined = t.add("ZCARD", &[&keys.quarantine]);
    let held = hold::add(&mut t, &keys.hold, now);
    let mut done = transaction::run(store, ATTEMPT, &[t]).await?;
    let Some(done) = done.pop() else {
        return Err(store.unexpected(ATTEMPT, &Value::Nil));
    };
    let value = |at: Option<usize>| at.and_then(|at| done.values.get(at));
    let beside = [
        (keys.aside.as_ref(), "list", value(aside)),
        (Some(&keys.quarantine), "zset", value(Some(quarantined))),
    ];
    let of_hold = hold::looked_at(&keys.hold, held, &done.values);
    let taken = beside.into_iter().chain(of_hold);
    let taken: Vec<KeyFacts> = taken.filter_map(of_another_type).collect();
    // A list is never empty: without members there is none.
    let [aside, quarantined] = beside.map(|(_, _, value)| known(value?).get());
    let (counts, facts) = done.values.split_at(ranges.len());
    if let Some(Value::ServerError(error)) = counts.first()
        && error.code() != "WRONGTYPE"
    {
        // Zeros would be a lie.
        store.accept(ATTEMPT, counts[0].clone())?;
    }
    let keys = wanted.iter().zip(facts.chunks(2));
    let keys = keys.map(|((key, wanted), facts)| KeyFacts {
        key: (*key).clone(),
        wanted,
        kind: keys::kind_word(&facts[0]),
        expires_in_ms: match facts[1] {
            Value::Int(ms) if ms >= 0 => Some(ms),
            _ => None,
        },
    });
    let count = |value| known(value).get().unwrap_or(0);
    Ok(Counts {
        at: done.at,
        server_us: done.server_us,
        counts: counts.iter().map(count).collect(),
        keys: keys.chain(taken).collect(),
        aside: aside.filter(|length| *length > 0),
        quarantined,
        held: hold::read(held, &done.values),
    })
}
