//! Reads that belong to one instant: MULTI … EXEC between two looks at the server's clock, whose
//! difference is what the read cost the server. Several transactions go out in one round trip. (A
//! server that is full takes no transaction: it is read without.)

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use redis::{Cmd, Pipeline, Value};

use super::super::error::{StoreError, on_its_way, passes, words};
use super::super::link::wire::time_us;
use super::super::link::{LIMIT, Store};
use crate::clock::{EpochMillis, ServerClock, instant};

/// Commands to be answered from one instant.
#[derive(Default)]
pub(super) struct Transaction {
    commands: Vec<Cmd>,
    /// A flag for each of them: it names a key, which lies at one node of a cluster.
    has_key: Vec<bool>,
}

/// The answers of a transaction.
pub(super) struct TransactionAnswers {
    /// The server's time of the read.
    pub(super) at: EpochMillis,
    /// Its cost to the server, in µs by its own clock.
    pub(super) server_us: u64,
    /// The time that the answer took, in ms of our clock.
    pub(super) took_ms: u64,
    /// The replies in the order of the commands, errors in their places.
    pub(super) values: Vec<Value>,
}

impl Transaction {
    /// Adds a command and returns its place.
    pub(super) fn add(&mut self, name: &str, args: &[&[u8]]) -> usize {
        let mut cmd = redis::cmd(name);
        for arg in args {
            cmd.arg(*arg);
        }
        self.commands.push(cmd);
        self.has_key.push(name != "PUBSUB");
        self.commands.len() - 1
    }
}

/// Runs all of `transactions` in one round trip. A command that the server does not let us use
/// (which makes it refuse the whole transaction) is left out in a second round trip, and its
/// error stands in its place. Fails where a node of a cluster has not all of their keys.
pub(super) async fn run(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
) -> Result<Vec<TransactionAnswers>, StoreError> {
    let told = rounds(store, attempt, transactions, Spread::Together).await?;
    told.into_iter().collect()
}

/// The same, where a queue whose slot is at another node takes nothing from the others: each
/// transaction is answered, or why it is not. Of keys that are not all at this node, those that are
/// here are read, and not from one instant; the errors of the others stand in their places.
pub(super) async fn run_apart(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
) -> Result<Vec<Result<TransactionAnswers, StoreError>>, StoreError> {
    rounds(store, attempt, transactions, Spread::Apart).await
}

/// The places where the keys of a transaction may lie.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Spread {
    /// All in one slot, at this node.
    Together,
    /// In several slots, also at other nodes.
    Apart,
}

/// A transaction on its way, or on its way again.
struct OpenTransaction<'a> {
    transaction: &'a Transaction,
    /// The errors of its commands that were refused, and are left out.
    refused: Vec<Option<Value>>,
    /// Its commands go out one by one: the server takes them in no transaction.
    is_plain: bool,
}

/// The result of a transaction in a round.
enum RoundOutcome {
    Done(TransactionAnswers),
    Failed(StoreError),
    /// It goes out again, without what was refused, or plain.
    Again,
}

async fn rounds(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
    spread: Spread,
) -> Result<Vec<Result<TransactionAnswers, StoreError>>, StoreError> {
    let whole = |transaction| OpenTransaction {
        transaction,
        refused: vec![None; transaction.commands.len()],
        is_plain: false,
    };
    let mut open: Vec<(usize, OpenTransaction)> =
        transactions.iter().map(whole).enumerate().collect();
    let mut told: BTreeMap<usize, Result<TransactionAnswers, StoreError>> = BTreeMap::new();
    // What is left out once is not refused again; a server may be found to be full then.
    for _ in 0..3 {
        let Some(outcomes) = round(store, attempt, &mut open, spread).await? else {
            for (_, asked) in &mut open {
                asked.is_plain = true;
            }
            continue;
        };
        let mut again = Vec::new();
        for ((at, asked), outcome) in open.into_iter().zip(outcomes) {
            match outcome {
                RoundOutcome::Done(answers) => _ = told.insert(at, Ok(answers)),
                RoundOutcome::Failed(why) => _ = told.insert(at, Err(why)),
                RoundOutcome::Again => again.push((at, asked)),
            }
        }
        open = again;
        if open.is_empty() {
            break;
        }
    }
    for (at, asked) in open {
        let first = asked.refused.into_iter().flatten().next();
        told.insert(at, Err(refusal(store, attempt, first.unwrap_or_default())));
    }
    Ok(told.into_values().collect())
}

/// One round trip; none: the server is full, and queues nothing in a transaction, not even reads.
async fn round(
    store: &Store,
    attempt: &'static str,
    open: &mut [(usize, OpenTransaction<'_>)],
    spread: Spread,
) -> Result<Option<Vec<RoundOutcome>>, StoreError> {
    let mut pipeline = Pipeline::new();
    for (_, asked) in &*open {
        if !asked.is_plain {
            pipeline.cmd("MULTI");
        }
        pipeline.cmd("TIME");
        for cmd in asked.places().map(|at| &asked.transaction.commands[at]) {
            pipeline.add_command(cmd.clone());
        }
        pipeline.cmd("TIME");
        if !asked.is_plain {
            pipeline.cmd("EXEC");
        }
    }
    let sent = instant();
    let replies = match spread {
        Spread::Together => store.exchange(attempt, &pipeline, LIMIT).await?,
        // Its own caller follows it: what is elsewhere may be a part of it.
        Spread::Apart => store.exchange_here(attempt, &pipeline, LIMIT).await?,
    };
    let mut replies = replies.into_iter();
    let took = (sent, instant().saturating_duration_since(sent));
    let mut outcomes = Vec::with_capacity(open.len());
    for (_, asked) in open {
        if asked.is_plain {
            let count = asked.places().count();
            let values: Vec<Value> = replies.by_ref().take(count + 2).collect();
            outcomes.push(plain(store, attempt, asked, values, took)?);
            continue;
        }
        let Some(queued) = queued(store, attempt, &mut replies, asked)? else {
            return Ok(None);
        };
        let outcome = match replies.next() {
            Some(Value::Array(values)) => {
                RoundOutcome::Done(unpack(store, attempt, values, &asked.refused, took)?)
            }
            Some(error @ Value::ServerError(_))
                if is_crossed(&error) && spread == Spread::Apart =>
            {
                asked.is_plain = true;
                RoundOutcome::Again
            }
            other => executed(
                store,
                attempt,
                (asked, queued),
                other.unwrap_or_default(),
                spread,
            ),
        };
        outcomes.push(outcome);
    }
    Ok(Some(outcomes))
}

/// The errors with which commands were not queued, each with its place.
type NotQueued = Vec<(usize, Value)>;

/// Takes the answers up to EXEC's; none: the server is full.
fn queued(
    store: &Store,
    attempt: &'static str,
    replies: &mut impl Iterator<Item = Value>,
    asked: &OpenTransaction,
) -> Result<Option<NotQueued>, StoreError> {
    let mut next = || replies.next().unwrap_or_default();
    store.accept(attempt, next())?;
    let before = next();
    if is_full(&before) {
        return Ok(None);
    }
    store.accept("tell the time", before)?;
    let mut not_queued = Vec::new();
    for place in asked.places() {
        match next() {
            // What was queued before it may have filled the server.
            error if is_full(&error) => return Ok(None),
            // That goes by: it is no reason to leave the command out.
            error @ Value::ServerError(_) if goes_by(&error) && !is_elsewhere(&error) => {
                return Err(refusal(store, attempt, error));
            }
            error @ Value::ServerError(_) => not_queued.push((place, error)),
            _ => {}
        }
    }
    let after = next();
    if is_full(&after) {
        return Ok(None);
    }
    store.accept("tell the time", after)?;
    Ok(Some(not_queued))
}

/// The result of commands that went out one by one, between two looks at the clock.
fn plain(
    store: &Store,
    attempt: &'static str,
    asked: &OpenTransaction,
    values: Vec<Value>,
    took: (Instant, Duration),
) -> Result<RoundOutcome, StoreError> {
    if let Some(error @ Value::ServerError(_)) = values.first() {
        return Err(refusal(store, "tell the time", error.clone()));
    }
    let has_key = &asked.transaction.has_key;
    let answered = asked.places().zip(values.iter().skip(1));
    let mut of_keys = answered.filter(|(at, _)| has_key[*at]);
    let first = of_keys.next().map(|(_, value)| value.clone());
    if let Some(error) = first.filter(is_elsewhere)
        && of_keys.all(|(_, value)| is_elsewhere(value))
    {
        return Ok(RoundOutcome::Failed(refusal(store, attempt, error)));
    }
    let answers = unpack(store, attempt, values, &asked.refused, took)?;
    Ok(RoundOutcome::Done(answers))
}

/// Says what becomes of a transaction that EXEC has not run.
fn executed(
    store: &Store,
    attempt: &'static str,
    (asked, not_queued): (&mut OpenTransaction, NotQueued),
    exec: Value,
    spread: Spread,
) -> RoundOutcome {
    let aborted = matches!(&exec, Value::ServerError(_)) && !goes_by(&exec);
    if !aborted || not_queued.is_empty() {
        return RoundOutcome::Failed(refusal(store, attempt, exec));
    }
    let elsewhere = || not_queued.iter().filter(|(_, error)| is_elsewhere(error));
    let has_key = &asked.transaction.has_key;
    let is_queued = |at: &usize| !not_queued.iter().any(|(place, _)| place == at);
    let is_here = asked.places().any(|at| has_key[at] && is_queued(&at));
    // What is asked of a slot that is not here is to be asked elsewhere.
    if let Some((_, error)) = elsewhere().next()
        && (spread == Spread::Together || !is_here)
    {
        return RoundOutcome::Failed(refusal(store, attempt, error.clone()));
    }
    for (place, error) in not_queued {
        asked.refused[place] = Some(error);
    }
    RoundOutcome::Again
}

impl OpenTransaction<'_> {
    /// The places of the commands that are not left out.
    fn places(&self) -> impl Iterator<Item = usize> {
        let places = self.refused.iter().enumerate();
        places.filter_map(|(place, refused)| refused.is_none().then_some(place))
    }
}

/// Takes the two times off and puts refused commands' errors into their places.
fn unpack(
    store: &Store,
    attempt: &'static str,
    mut values: Vec<Value>,
    refused: &[Option<Value>],
    (sent, round_trip): (Instant, Duration),
) -> Result<TransactionAnswers, StoreError> {
    let last = values.pop().unwrap_or_default();
    let mut values = values.into_iter();
    let first = values.next().unwrap_or_default();
    let (Some(start), Some(end)) = (time_us(&first), time_us(&last)) else {
        return Err(store.unexpected(attempt, &first));
    };
    let server_us = u64::try_from(end - start).unwrap_or(0);
    store.cost_server_us(server_us);
    let middle = i64::midpoint(start, end);
    store.observe(ServerClock::observed(middle, sent, sent + round_trip));
    Ok(TransactionAnswers {
        at: EpochMillis::new(start.div_euclid(1000)),
        server_us,
        took_ms: u64::try_from(round_trip.as_millis()).unwrap_or(u64::MAX),
        values: refused
            .iter()
            .map(|refused| match refused {
                Some(error) => error.clone(),
                None => values.next().unwrap_or_default(),
            })
            .collect(),
    })
}

/// Tells whether the server will answer that by itself, later.
pub(super) fn goes_by(value: &Value) -> bool {
    error_words(value).is_some_and(|words| passes(words.split(' ').next().unwrap_or_default()))
}

/// Tells whether the key of the command is at another node of the cluster, or on its way to one.
pub(super) fn is_elsewhere(value: &Value) -> bool {
    matches!(value, Value::ServerError(error) if on_its_way(error.code()))
}

/// Tells whether the keys of a transaction lie in several slots.
fn is_crossed(value: &Value) -> bool {
    matches!(value, Value::ServerError(error) if error.code() == "CROSSSLOT")
}

/// Tells whether the server is full, and queues nothing.
fn is_full(value: &Value) -> bool {
    matches!(value, Value::ServerError(error) if error.code() == "OOM")
}

fn refusal(store: &Store, attempt: &'static str, value: Value) -> StoreError {
    match store.accept(attempt, value) {
        Err(error) => error,
        Ok(other) => store.unexpected(attempt, &other),
    }
}

/// The words of an error reply.
pub(super) fn error_words(value: &Value) -> Option<String> {
    match value {
        Value::ServerError(error) => Some(words(error)),
        _ => None,
    }
}
