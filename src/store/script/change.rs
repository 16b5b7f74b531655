//! The scripts of chosen entries.

use redis::Value;

use super::{Head, Script, TimedResult, bytes, index, list, run, text};
use crate::store::error::StoreError;
use crate::store::lane::Lane;

static DELETE: Script = script!(
    [guard, chosen, place, copies, "delete.lua"],
    "delete entries",
    ["zset", "list"]
);
static DELIVER: Script = script!(
    [guard, chosen, frame, moving, "deliver.lua"],
    "deliver entries",
    ["list", "zset", "list", "list"]
);
static DELIVER_STRAY: Script = script!(
    [guard, chosen, aside, frame, "deliver-stray.lua"],
    "deliver what only the order list holds",
    ["list", "zset", "list", "list"]
);
static DELIVER_ZSET_LIST: Script = script!(
    [guard, chosen, "deliver-zset-list.lua"],
    "deliver entries",
    ["list", "zset"]
);
static REQUEUE: Script = script!(
    [guard, chosen, announce, "requeue.lua"],
    "requeue entries",
    ["zset"]
);
static PUT_BACK: Script = script!(
    [guard, chosen, aside, announce, "put-back.lua"],
    "put entries back",
    ["zset", "list", "list"]
);
static TAKE_BACK: Script = script!(
    [guard, chosen, aside, announce, "take-back.lua"],
    "take elements back",
    ["list", "zset", "list", "list"]
);
static EDIT: Script = script!(
    [guard, chosen, aside, "edit.lua"],
    "edit entries",
    ["zset", "list", "list"]
);
static DISCARD: Script = script!(
    [guard, chosen, standing, "discard.lua"],
    "delete delivered elements",
    ["list"]
);
static ORDER_LIST: Script = script!(
    [guard, chosen, aside, "order-list.lua"],
    "take a repair of the order list back",
    ["list", "list"]
);
static PUT_AMONG: Script = script!(
    [guard, chosen, standing, "put-among.lua"],
    "put elements back in their places",
    ["list", "zset"]
);
static PUSH_BACK: Script = script!(
    [guard, "push-back.lua"],
    "put elements back",
    ["list", "zset"]
);

/// The answer of a script for an entry (see `parts/chosen.lua`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    /// All that was asked for.
    Done,
    /// Nothing: it is not there (any more).
    Gone,
    /// Nothing: it is there, with this other score.
    Changed(f64),
    /// Nothing: it is no frame.
    NoFrame,
}

impl Fate {
    fn read(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Int(0) => Self::Gone,
            Value::Int(1) => Self::Done,
            Value::Int(2) => Self::NoFrame,
            score => Self::Changed(text(score)?.parse().ok()?),
        })
    }
}

/// The place of an entry in the order list, or of an element in target.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ListPlace {
    /// At the head.
    Head,
    /// Right behind this member.
    Behind(Vec<u8>),
    /// Of target, where many may be equal: behind this one of the elements that are equal to these
    /// bytes, counted from 1 and from the end where new ones come.
    BehindNth(Vec<u8>, u64),
    /// At the tail; also: not known.
    Tail,
}

pub(super) type ScriptArgs<'a> = Vec<&'a [u8]>;

/// `delete.lua`: of each entry its fate, where it stood and how often. `keys`: timeouts, order
/// list.
pub(in crate::store) async fn delete(
    lane: &Lane,
    keys: &[&[u8]],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<FatesAndPlaces>, StoreError> {
    run(lane, &DELETE, keys, args, fates_and_places).await
}

/// The fate of each entry, its place in the order list, and its copies there.
pub(in crate::store) type FatesAndPlaces = Vec<(Fate, Option<ListPlace>, u64)>;

pub(in crate::store) fn fates_and_places([told, again]: &[Value; 2]) -> Option<FatesAndPlaces> {
    let read = |pair: &[Value]| match pair {
        [fate, place] => {
            let stood = stood(place)?;
            let copies = u64::from(stood.is_some());
            Some((Fate::read(fate)?, stood, copies))
        }
        _ => None,
    };
    let mut left: FatesAndPlaces = list(told)?.chunks(2).map(read).collect::<Option<_>>()?;
    for (i, copies) in copies(again)? {
        left.get_mut(i)?.2 = copies;
    }
    Some(left)
}

/// The entries that stood more than once in the order list: index and copies.
fn copies(again: &Value) -> Option<Vec<(usize, u64)>> {
    let read = |pair: &[Value]| match pair {
        [i, Value::Int(copies)] => Some((index(i)?, u64::try_from(*copies).ok()?)),
        _ => None,
    };
    list(again)?.chunks(2).map(read).collect()
}

#[expect(clippy::option_option, reason = "not understood, or not in the list")]
fn stood(value: &Value) -> Option<Option<ListPlace>> {
    Some(match value {
        Value::Int(0) => None,
        Value::Int(1) => Some(ListPlace::Head),
        Value::Int(2) => Some(ListPlace::Tail),
        member => Some(ListPlace::Behind(bytes(member)?)),
    })
}

/// `deliver.lua`. `keys`: target, timeouts, order list, aside.
pub(in crate::store) async fn deliver(
    lane: &Lane,
    keys: [&[u8]; 4],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &DELIVER, &keys, args, fates).await
}

/// `deliver-stray.lua`. `keys`: target, timeouts, order list, aside.
pub(in crate::store) async fn deliver_stray(
    lane: &Lane,
    keys: [&[u8]; 4],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &DELIVER_STRAY, &keys, args, fates).await
}

/// `deliver-zset-list.lua`. `keys`: target, timeouts.
pub(in crate::store) async fn deliver_zset_list(
    lane: &Lane,
    keys: [&[u8]; 2],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &DELIVER_ZSET_LIST, &keys, args, fates).await
}

/// `requeue.lua`.
pub(in crate::store) async fn requeue(
    lane: &Lane,
    timeouts: &[u8],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<(Head, Vec<Fate>)>, StoreError> {
    run(lane, &REQUEUE, &[timeouts], args, head_and_fates).await
}

/// `put-back.lua`. `keys`: timeouts, then order list and aside.
pub(in crate::store) async fn put_back(
    lane: &Lane,
    keys: &[&[u8]],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<(Head, Vec<Fate>)>, StoreError> {
    run(lane, &PUT_BACK, keys, args, head_and_fates).await
}

/// `take-back.lua`. `keys`: target, timeouts, then order list and aside.
pub(in crate::store) async fn take_back(
    lane: &Lane,
    keys: &[&[u8]],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<(Head, Vec<Fate>)>, StoreError> {
    run(lane, &TAKE_BACK, keys, args, head_and_fates).await
}

/// `edit.lua`: of each entry its fate, and in how many copies it stood in the order list where that
/// was more than one. `keys`: timeouts, then order list and aside.
pub(in crate::store) async fn edit(
    lane: &Lane,
    keys: &[&[u8]],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<(Fate, u64)>>, StoreError> {
    run(lane, &EDIT, keys, args, |[fates, again]: &[Value; 2]| {
        let read = |fate| Some((Fate::read(fate)?, 1));
        let mut edited: Vec<_> = list(fates)?.iter().map(read).collect::<Option<_>>()?;
        for (i, copies) in copies(again)? {
            edited.get_mut(i)?.1 = copies;
        }
        Some(edited)
    })
    .await
}

/// `order-list.lua`. `keys`: order list, aside.
pub(in crate::store) async fn order_list(
    lane: &Lane,
    keys: [&[u8]; 2],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &ORDER_LIST, &keys, args, fates).await
}

/// `discard.lua`: of each element its fate, and where it stood, where that is told.
pub(in crate::store) async fn discard(
    lane: &Lane,
    target: &[u8],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<(Fate, Option<ListPlace>)>>, StoreError> {
    run(lane, &DISCARD, &[target], args, |[told, places]| {
        let read = |pair: &[Value]| match pair {
            [place, Value::Int(n)] => Some(match stood(place)? {
                Some(ListPlace::Behind(element)) => {
                    Some(ListPlace::BehindNth(element, u64::try_from(*n).ok()?))
                }
                place => place,
            }),
            _ => None,
        };
        let places = list(places)?.chunks(2).map(read);
        let places: Vec<_> = places.collect::<Option<_>>()?;
        let each = list(told)?.iter().enumerate();
        let each =
            each.map(|(i, fate)| Some((Fate::read(fate)?, places.get(i).cloned().flatten())));
        each.collect()
    })
    .await
}

/// `put-among.lua`. `keys`: target, timeouts.
pub(in crate::store) async fn put_among(
    lane: &Lane,
    keys: [&[u8]; 2],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<Vec<Fate>>, StoreError> {
    run(lane, &PUT_AMONG, &keys, args, fates).await
}

/// `push-back.lua`: how long target is now.
pub(in crate::store) async fn push_back(
    lane: &Lane,
    keys: [&[u8]; 2],
    args: ScriptArgs<'_>,
) -> Result<TimedResult<i64>, StoreError> {
    run(lane, &PUSH_BACK, &keys, args, |[length]| match length {
        Value::Int(length) => Some(*length),
        _ => None,
    })
    .await
}

pub(in crate::store) fn fates([fates]: &[Value; 1]) -> Option<Vec<Fate>> {
    list(fates)?.iter().map(Fate::read).collect()
}

pub(in crate::store) fn head_and_fates([head, fates]: &[Value; 2]) -> Option<(Head, Vec<Fate>)> {
    let fates = list(fates)?.iter().map(Fate::read).collect::<Option<_>>()?;
    Some((Head::read(head)?, fates))
}
