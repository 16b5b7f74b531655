//! Reads that belong to one instant: MULTI … EXEC between two looks at the server's clock, whose
//! difference is what the read cost the server. Several transactions go out in one round trip. (A
//! server that is full takes no transaction: it is read without.)

use std::time::Duration;

use redis::{Cmd, Pipeline, Value};

use super::super::error::{StoreError, passes, words};
use super::super::link::wire::time_us;
use super::super::link::{LIMIT, Store};
use crate::clock::{EpochMillis, ServerClock, instant};

/// Commands to be answered from one instant.
#[derive(Default)]
pub(super) struct Transaction {
    commands: Vec<Cmd>,
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
        self.commands.len() - 1
    }
}

/// Runs all of `transactions` in one round trip. A command that the server does not let us use
/// (which makes it refuse the whole transaction) is left out in a second round trip, and its
/// error stands in its place.
pub(super) async fn run(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
) -> Result<Vec<TransactionAnswers>, StoreError> {
    let none: Vec<Vec<Option<Value>>> = transactions
        .iter()
        .map(|t| vec![None; t.commands.len()])
        .collect();
    match round(store, attempt, transactions, &none).await? {
        TransactionRound::Done(done) => Ok(done),
        TransactionRound::Full => one_by_one(store, attempt, transactions).await,
        TransactionRound::Refused(refused) => {
            match round(store, attempt, transactions, &refused).await? {
                TransactionRound::Done(done) => Ok(done),
                TransactionRound::Full => one_by_one(store, attempt, transactions).await,
                TransactionRound::Refused(_) => {
                    let first = refused.into_iter().flatten().flatten().next();
                    Err(refusal(store, attempt, first.unwrap_or(Value::Nil)))
                }
            }
        }
    }
}

enum TransactionRound {
    Done(Vec<TransactionAnswers>),
    /// The commands that were refused, by transaction and place.
    Refused(Vec<Vec<Option<Value>>>),
    /// The server is full: it queues nothing in a transaction then, not even reads.
    Full,
}

/// The commands without transactions, still in one round trip: not from one instant, but what a
/// full server answers.
async fn one_by_one(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
) -> Result<Vec<TransactionAnswers>, StoreError> {
    let mut pipeline = Pipeline::new();
    for transaction in transactions {
        pipeline.cmd("TIME");
        for cmd in &transaction.commands {
            pipeline.add_command(cmd.clone());
        }
        pipeline.cmd("TIME");
    }
    let sent = instant();
    let mut replies = store.exchange(attempt, &pipeline, LIMIT).await?.into_iter();
    let round_trip = instant().saturating_duration_since(sent);
    let each = transactions.iter().map(|transaction| {
        let count = transaction.commands.len();
        let values = replies.by_ref().take(count + 2).collect();
        unpack(
            store,
            attempt,
            values,
            &vec![None; count],
            (sent, round_trip),
        )
    });
    each.collect()
}

/// One round trip, without the commands that are already known to be refused.
async fn round(
    store: &Store,
    attempt: &'static str,
    transactions: &[Transaction],
    refused: &[Vec<Option<Value>>],
) -> Result<TransactionRound, StoreError> {
    let mut pipeline = Pipeline::new();
    for (transaction, refused) in transactions.iter().zip(refused) {
        pipeline.cmd("MULTI").cmd("TIME");
        for (cmd, refused) in transaction.commands.iter().zip(refused) {
            if refused.is_none() {
                pipeline.add_command(cmd.clone());
            }
        }
        pipeline.cmd("TIME").cmd("EXEC");
    }
    let sent = instant();
    let mut replies = store.exchange(attempt, &pipeline, LIMIT).await?.into_iter();
    let round_trip = instant().saturating_duration_since(sent);
    let mut done = Vec::with_capacity(transactions.len());
    let mut found = refused.to_vec();
    let mut aborted = false;
    for (transaction, refused) in transactions.iter().zip(&mut found) {
        let [multi, before] = [replies.next(), replies.next()].map(Option::unwrap_or_default);
        store.accept(attempt, multi)?;
        if is_full(&before) {
            return Ok(TransactionRound::Full);
        }
        store.accept("tell the time", before)?;
        let places: Vec<usize> = (0..transaction.commands.len())
            .filter(|&i| refused[i].is_none())
            .collect();
        for &place in &places {
            match replies.next() {
                // What was queued before it may have filled the server.
                Some(error) if is_full(&error) => return Ok(TransactionRound::Full),
                // That goes by: it is no reason to leave the command out.
                Some(error @ Value::ServerError(_)) if goes_by(&error) => {
                    return Err(refusal(store, attempt, error));
                }
                Some(error @ Value::ServerError(_)) => refused[place] = Some(error),
                _ => {}
            }
        }
        let after = replies.next().unwrap_or_default();
        if is_full(&after) {
            return Ok(TransactionRound::Full);
        }
        store.accept("tell the time", after)?;
        match replies.next() {
            Some(Value::Array(values)) => {
                done.push(unpack(store, attempt, values, refused, (sent, round_trip))?);
            }
            Some(error @ Value::ServerError(_))
                if refused.iter().any(Option::is_some) && !goes_by(&error) =>
            {
                aborted = true;
                drop(error);
            }
            other => return Err(refusal(store, attempt, other.unwrap_or_default())),
        }
    }
    Ok(if aborted {
        TransactionRound::Refused(found)
    } else {
        TransactionRound::Done(done)
    })
}

/// Takes the two times off and puts refused commands' errors into their places.
fn unpack(
    store: &Store,
    attempt: &'static str,
    mut values: Vec<Value>,
    refused: &[Option<Value>],
    (sent, round_trip): (std::time::Instant, Duration),
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
