//! The elements that our consumers hold: counted, and as they are.

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::wire::time_us;
use super::super::link::{LIMIT, Store};
use super::known;
use super::pages::strings;
use super::transaction::Transaction;
use crate::clock::EpochMillis;
use crate::queue::{HeldCount, HeldElement, HoldKeys};

/// Elements that are read at once.
const AT_ONCE: usize = 100;

/// The places in a transaction of the answers that [`read`] wants.
#[derive(Clone, Copy)]
pub(super) struct HoldPlaces {
    held: usize,
    living: usize,
    first: usize,
    intake: usize,
}

/// Adds the commands that count what is held.
pub(super) fn add(t: &mut Transaction, keys: &HoldKeys, now: EpochMillis) -> HoldPlaces {
    let after = format!("({}", now.get());
    HoldPlaces {
        held: t.add("HLEN", &[&keys.held]),
        living: t.add("ZCOUNT", &[&keys.leases, after.as_bytes(), b"+inf"]),
        first: t.add("ZRANGE", &[&keys.leases, b"0", b"0", b"WITHSCORES"]),
        intake: t.add("LLEN", &[&keys.intake]),
    }
}

/// A key, what it must be, and what the server said of it.
type LookedAtKey<'a> = (Option<&'a Vec<u8>>, &'static str, Option<&'a Value>);

/// The keys that were looked at.
pub(super) fn looked_at<'a>(
    keys: &'a HoldKeys,
    at: HoldPlaces,
    values: &'a [Value],
) -> [LookedAtKey<'a>; 3] {
    [
        (Some(&keys.held), "hash", values.get(at.held)),
        (Some(&keys.leases), "zset", values.get(at.living)),
        (Some(&keys.intake), "list", values.get(at.intake)),
    ]
}

/// Tells what is held; none where the server did not tell.
pub(super) fn read(at: HoldPlaces, values: &[Value]) -> Option<HeldCount> {
    let count = |at: usize| known(values.get(at)?).get();
    let first = values.get(at.first).cloned().map(strings);
    Some(HeldCount {
        held: count(at.held)?,
        living: count(at.living)?,
        intake: count(at.intake)?,
        first_end: first.and_then(|pair| moment(pair.get(1)?)),
    })
}

/// The elements that consumers held at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldSnapshot {
    /// The moment, by the server's clock.
    pub at: EpochMillis,
    /// The fields of what is held, in the order in which it was taken, each with the moment until
    /// which its consumer lives; none: nobody has a lease on it.
    pub fields: Vec<(Vec<u8>, Option<EpochMillis>)>,
    /// The elements held under those of these fields whose consumers live no more, in their order;
    /// then the intake, from its head.
    pub free: Vec<HeldElement>,
}

/// Everything that is held: as much as there are consumers that hold something. Of what belongs to
/// consumers that died, and of the intake, at most `most` elements.
pub async fn held_now(
    store: &Store,
    keys: &HoldKeys,
    most: usize,
) -> Result<HeldSnapshot, StoreError> {
    const ATTEMPT: &str = "look at what consumers hold";
    let mut read = Pipeline::new();
    read.cmd("TIME");
    read.cmd("HKEYS").arg(&keys.held);
    read.cmd("ZRANGE")
        .arg(&keys.leases)
        .arg(0)
        .arg(-1)
        .arg("WITHSCORES");
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?.into_iter();
    let mut next = || store.accept(ATTEMPT, replies.next().unwrap_or_default());
    let (time, fields, leases) = (next()?, strings(next()?), strings(next()?));
    let Some(at) = time_us(&time).map(|us| EpochMillis::new(us.div_euclid(1_000))) else {
        return Err(store.unexpected(ATTEMPT, &time));
    };
    let ends = |field: &Vec<u8>| {
        let lease = leases.chunks(2).find(|pair| pair.first() == Some(field))?;
        moment(lease.get(1)?)
    };
    let mut fields: Vec<_> = fields
        .into_iter()
        .map(|field| (ends(&field), field))
        .map(|(end, field)| (field, end))
        .collect();
    fields.sort();
    let dead = fields
        .iter()
        .filter(|(_, end)| end.is_none_or(|end| end <= at));
    let dead: Vec<&Vec<u8>> = dead.map(|(field, _)| field).take(most).collect();
    let mut free = Vec::new();
    for some in dead.chunks(AT_ONCE) {
        let mut read = Pipeline::new();
        read.cmd("HMGET").arg(&keys.held).arg(some);
        let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
        let reply = store.accept(ATTEMPT, replies.pop().unwrap_or_default())?;
        let Value::Array(elements) = reply else {
            return Err(store.unexpected(ATTEMPT, &reply));
        };
        // What is not held any more is no element.
        free.extend(
            some.iter()
                .zip(elements)
                .filter_map(|(field, element)| match element {
                    Value::BulkString(element) => Some(HeldElement {
                        field: Some((*field).clone()),
                        element,
                    }),
                    _ => None,
                }),
        );
    }
    for from in (0..most).step_by(AT_ONCE) {
        let mut read = Pipeline::new();
        read.cmd("LRANGE")
            .arg(&keys.intake)
            .arg(from)
            .arg(from + AT_ONCE - 1);
        let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
        let elements = strings(store.accept(ATTEMPT, replies.pop().unwrap_or_default())?);
        let count = elements.len();
        free.extend(elements.into_iter().map(|element| HeldElement {
            field: None,
            element,
        }));
        if count < AT_ONCE {
            break;
        }
    }
    Ok(HeldSnapshot { at, fields, free })
}

/// Tells which of these fields are held still.
pub async fn still_held(store: &Store, keys: &HoldKeys) -> Result<Vec<Vec<u8>>, StoreError> {
    const ATTEMPT: &str = "look at what consumers hold";
    let mut read = Pipeline::new();
    read.cmd("HKEYS").arg(&keys.held);
    let mut replies = store.query(ATTEMPT, &read, LIMIT).await?;
    store
        .accept(ATTEMPT, replies.pop().unwrap_or_default())
        .map(strings)
}

/// A moment as a score says it, in ms.
fn moment(score: &[u8]) -> Option<EpochMillis> {
    let ms: f64 = std::str::from_utf8(score).ok()?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a time in ms; anything else is cut"
    )]
    Some(EpochMillis::new(ms as i64))
}
