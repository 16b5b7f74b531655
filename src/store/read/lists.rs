//! Pages of a list, and what timeouts says of their elements.

use std::collections::HashSet;
use std::sync::Arc;

use redis::{Pipeline, Value};

use super::super::error::StoreError;
use super::super::link::{LIMIT, Store};
use super::pages::{counted, executed, range, score, scored, strings};
use super::transaction::{self, Transaction, error_words};
use crate::queue::{Keys, ListPage, ListRow, ListScore};

const ATTEMPT: &str = "read a list";
const COUNT: &str = "count the missing part of an order list";
const LOOK_UP: &str = "look up the elements of a list";

/// A look-up sends the element itself: no more than so many bytes of them a page.
const LOOK_UP_BYTES: usize = 4 * 1024 * 1024;

/// A page of a list.
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// The elements, from head to tail.
    pub elements: Vec<Vec<u8>>,
    /// The length of the whole list.
    pub length: u64,
    /// Its cost to the server, in µs by its own clock.
    pub server_us: u64,
}

/// Elements `first .. first + count` of a list and the list's length, in one instant. The server
/// walks the list's nodes to `first`, before Redis 7 always from the head.
pub async fn list_page(
    store: &Store,
    list: &[u8],
    first: u64,
    count: u32,
) -> Result<Elements, StoreError> {
    let mut t = Transaction::default();
    t.add("LLEN", &[list]);
    add_range(&mut t, list, first, count.into());
    let (mut values, server_us) = executed(store, ATTEMPT, t).await?;
    let length = store.accept_of(ATTEMPT, list, values.next().unwrap_or_default())?;
    let page = store.accept_of(ATTEMPT, list, values.next().unwrap_or_default())?;
    let length = match length {
        Value::Int(n) => u64::try_from(n).unwrap_or(0),
        other => return Err(store.unexpected(ATTEMPT, &other)),
    };
    Ok(Elements {
        elements: strings(page),
        length,
        server_us,
    })
}

/// Members `first .. first + count` of a sorted set by rank, with their scores, and how many it
/// has, in one instant.
pub async fn sorted_page(
    store: &Store,
    set: &[u8],
    first: u64,
    count: u32,
) -> Result<ListPage, StoreError> {
    let (start, stop) = range(first, count);
    let mut t = Transaction::default();
    t.add("ZCARD", &[set]);
    let page = [set, start.as_bytes(), stop.as_bytes(), b"WITHSCORES"];
    t.add("ZRANGE", &page);
    let (mut values, _) = executed(store, ATTEMPT, t).await?;
    let len = counted(store, values.next().unwrap_or_default())?;
    let page = store.accept(ATTEMPT, values.next().unwrap_or_default())?;
    let row = |(element, score)| ListRow {
        element,
        score: ListScore::Is(score),
    };
    Ok(ListPage {
        first,
        len,
        rows: scored(page).into_iter().map(row).collect(),
    })
}

/// Counts the entries that each queue has in quarantine, in one round trip; none where they cannot
/// be counted.
pub async fn quarantined(store: &Store, queues: &[Keys]) -> Result<Vec<Option<u64>>, StoreError> {
    let mut read = Pipeline::new();
    for keys in queues {
        read.cmd("ZCARD").arg(&keys.quarantine);
    }
    let replies = store.query(COUNT, &read, LIMIT).await?;
    let count = |reply: &Value| match reply {
        Value::Int(count) => u64::try_from(*count).ok(),
        _ => None,
    };
    Ok(replies.iter().map(count).collect())
}

/// Counts the elements of each queue's order list with what is set aside of it, each queue's in one
/// instant, all in one round trip; none where something is not set aside, or cannot be counted.
pub async fn whole_order(store: &Store, queues: &[Keys]) -> Result<Vec<Option<u64>>, StoreError> {
    let commands = |keys: &Keys| {
        let mut t = Transaction::default();
        for key in [&keys.order, &keys.aside].into_iter().flatten() {
            t.add("LLEN", &[key]);
        }
        t
    };
    let transactions: Vec<_> = queues.iter().map(commands).collect();
    let done = transaction::run_apart(store, COUNT, &transactions).await?;
    let whole = |done: transaction::TransactionAnswers| match done.values.as_slice() {
        [Value::Int(order), Value::Int(aside)] if *aside > 0 => u64::try_from(order + aside).ok(),
        _ => None,
    };
    Ok(done.into_iter().map(|done| whole(done.ok()?)).collect())
}

/// The scores of `members` in timeouts, in their order; none for one that is not in it.
/// (ZMSCORE would do it in one command, but came with 6.2.)
pub async fn element_scores(
    store: &Store,
    timeouts: &[u8],
    members: &[Vec<u8>],
) -> Result<Vec<Option<f64>>, StoreError> {
    if members.is_empty() {
        return Ok(Vec::new());
    }
    let mut t = Transaction::default();
    add_scores(&mut t, timeouts, members.iter());
    let (values, _) = executed(store, LOOK_UP, t).await?;
    values
        .map(|value| Ok(score(&store.accept_of(LOOK_UP, timeouts, value)?)))
        .collect()
}

/// Tells what timeouts says of `elements`, which were just read from `order` from index `first` on.
///
/// An entry may have been transferred since. So what timeouts does not hold is looked up once
/// more together with the list, in one instant: only what the list holds then and timeouts does
/// not is drift. A look-up that the server refuses is told for each row it concerns.
pub async fn held(
    store: &Store,
    timeouts: &[u8],
    order: &[u8],
    first: u64,
    elements: &[Vec<u8>],
) -> Result<Vec<ListScore>, StoreError> {
    let mut said = vec![ListScore::None; elements.len()];
    let mut bytes = 0;
    let asked: Vec<usize> = (0..elements.len())
        .take_while(|&i| {
            bytes += elements[i].len();
            // A single one is always looked up, however large.
            bytes <= LOOK_UP_BYTES || i == 0
        })
        .collect();
    let heavy: Arc<str> = "the rows in sight are too large to look all of them up".into();
    said[asked.len()..].fill(ListScore::Untold(heavy));
    let mut t = Transaction::default();
    add_scores(&mut t, timeouts, asked.iter().map(|&i| &elements[i]));
    if asked.is_empty() {
        return Ok(said);
    }
    let (values, _) = executed(store, LOOK_UP, t).await?;
    for (&i, value) in asked.iter().zip(values) {
        said[i] = told(&value);
    }
    let missing: Vec<usize> = (0..said.len())
        .filter(|&i| said[i] == ListScore::Drift)
        .collect();
    if missing.is_empty() {
        return Ok(said);
    }
    let mut t = Transaction::default();
    let count = u64::try_from(elements.len()).unwrap_or(0);
    add_range(&mut t, order, first, count);
    add_scores(&mut t, timeouts, missing.iter().map(|&i| &elements[i]));
    let (mut values, _) = executed(store, LOOK_UP, t).await?;
    let page = store.accept(LOOK_UP, values.next().unwrap_or_default())?;
    let there: HashSet<Vec<u8>> = strings(page).into_iter().collect();
    let moved: Arc<str> = "it moved while the page was read".into();
    for (&i, value) in missing.iter().zip(values) {
        said[i] = match told(&value) {
            ListScore::Drift if !there.contains(&elements[i]) => {
                ListScore::Untold(Arc::clone(&moved))
            }
            told => told,
        };
    }
    Ok(said)
}

/// Tells what the answer to ZSCORE says.
fn told(value: &Value) -> ListScore {
    match (score(value), error_words(value)) {
        (Some(score), _) => ListScore::Is(score),
        (None, Some(words)) => ListScore::Untold(words.into()),
        (None, None) => ListScore::Drift,
    }
}

fn add_range(t: &mut Transaction, list: &[u8], first: u64, count: u64) {
    // Redis counts in i64; a range that ends before it begins is empty.
    let first = first.min(i64::MAX as u64 / 2);
    let (first, end) = match count.checked_sub(1) {
        Some(more) => (first.to_string(), first.saturating_add(more).to_string()),
        None => ("1".to_owned(), "0".to_owned()),
    };
    t.add("LRANGE", &[list, first.as_bytes(), end.as_bytes()]);
}

fn add_scores<'a>(
    t: &mut Transaction,
    timeouts: &[u8],
    members: impl Iterator<Item = &'a Vec<u8>>,
) {
    for member in members {
        t.add("ZSCORE", &[timeouts, member]);
    }
}
