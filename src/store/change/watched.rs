//! The transfer of due entries by a client that watches the queue: as long as nobody else touches
//! it, the server need not look again at what was read, and moves entries without a script that
//! holds them one by one.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use redis::{Pipeline, Value};
use tokio::time::timeout;

use super::ChosenEntry;
use crate::clock::EpochMillis;
use crate::queue::Queue;
use crate::store::error::{StoreError, plain};
use crate::store::lane::Lane;
use crate::store::link::Store;
use crate::store::link::socket::LinkStream;
use crate::store::link::sole::{Answer, SoleWire, StringList};
use crate::store::script::{self, TimedResult};
use crate::store::write::Writer;

const ATTEMPT: &str = "transfer what is due";
/// The longest wait for the answer.
const LIMIT: Duration = Duration::from_secs(10);
/// Commands of a look but for its probes, and of a transfer before it.
const LOOK: usize = 6;
const MOVE: usize = 4;
/// The distance between two probes in timeouts, and in the order list amid those.
const BETWEEN: usize = 64;
/// Elements of an order list beside one that is set aside, at most, for its entries to be moved.
const SHORT: usize = 64;
/// Entries behind those that a look reads that its probes reach, at least and at most.
const REACH: (usize, usize) = (64, 4_096);

/// A queue with an order list under watch, and what is due there. WATCH belongs to a connection, so
/// this has one of its own: when it breaks, nothing that was read on it can be acted upon.
///
/// A transaction is open from the look on: what writes is sent only when the server is known to
/// have begun one, for where MULTI is refused (by Redis 5 while a script keeps it, by another one
/// to a user without that right) what follows would be done at once, whatever others have done
/// meanwhile.
pub struct WatchedQueue {
    store: Store,
    lane: Arc<Lane>,
    connection: SoleWire<LinkStream>,
    keys: [Vec<u8>; 3],
    now: String,
    /// The rank at which the due entries begin in timeouts: behind scores that are no times.
    first: u64,
    rows: MatchingHead,
    /// The order list is set aside: what is offered meanwhile makes a short one.
    is_aside: bool,
    /// Places and lengths of some members behind those: one that is large must not be met by a look
    /// that reads a thousand of them.
    probes: Vec<(usize, usize)>,
    /// The server has begun a transaction.
    open: bool,
}

/// The entries that are due first, in due order, as far as the same entries stand at the head of
/// the order list, in whichever order there; or as far as none of them stands in a short list that
/// began when the order list was set aside.
#[derive(Clone, Debug, Default)]
pub struct MatchingHead {
    rows: Vec<ChosenEntry>,
    /// Counts of the first ones that may go without the others, ascending: those that are also the
    /// first ones of the order list, or all.
    ends: Vec<usize>,
}

impl MatchingHead {
    /// The entries.
    #[must_use]
    pub fn rows(&self) -> &[ChosenEntry] {
        &self.rows
    }

    /// Bytes of the largest member.
    #[must_use]
    pub fn largest(&self) -> usize {
        let bytes = self.rows.iter().map(|row| row.member.len());
        bytes.max().unwrap_or(0)
    }

    /// The first of them, at most `n`, and fewer where these cannot go without the others: where the
    /// order list does not begin with them.
    #[must_use]
    pub fn first(mut self, n: usize) -> Vec<ChosenEntry> {
        let at = self.ends.partition_point(|end| *end <= n);
        let end = at.checked_sub(1).map_or(0, |at| self.ends[at]);
        self.rows.truncate(end);
        self.rows
    }
}

/// The result of a watched transfer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WatchedOutcome {
    /// All of it.
    All,
    /// Nothing: somebody else has touched the queue.
    Touched,
}

impl Writer {
    /// Begins to watch a queue, and reads what is due at `now`, up to `n` entries. `is_aside`: its
    /// order list is set aside. None: the queue has no order list.
    pub async fn watch_due(
        &self,
        queue: &Queue,
        now: EpochMillis,
        n: usize,
        is_aside: bool,
    ) -> Result<Option<WatchedQueue>, StoreError> {
        let keys = queue.keys();
        let Some(order) = keys.order else {
            return Ok(None);
        };
        let store = self.store().clone();
        let mut watched = WatchedQueue {
            connection: store.sole().await?,
            store,
            lane: Arc::clone(&self.lane),
            keys: [keys.target, keys.timeouts, order],
            now: queue.score(now).to_string(),
            first: 0,
            rows: MatchingHead::default(),
            is_aside,
            probes: Vec::new(),
            open: false,
        };
        watched.look(n).await?;
        Ok(Some(watched))
    }
}

impl WatchedQueue {
    /// Reads what is due anew, up to `n` entries.
    pub async fn look(&mut self, n: usize) -> Result<(), StoreError> {
        let mut pipeline = Pipeline::new();
        if self.open {
            // Nothing is queued in it, so this does nothing; DISCARD would be one more right to have.
            pipeline.cmd("EXEC");
        }
        let probes = self.looking(&mut pipeline, n);
        let mut answers = self.send(&pipeline).await?;
        let looked = LOOK + probes.len();
        let looked = answers.split_off(answers.len().saturating_sub(looked));
        self.read(looked, probes)
    }

    /// Tells what was due first when it was read last.
    #[must_use]
    pub fn take_rows(&mut self) -> MatchingHead {
        std::mem::take(&mut self.rows)
    }

    /// Tells how many entries behind those that were read last may be read in one go: of these,
    /// none that was looked at has more than `most` bytes.
    #[must_use]
    pub fn ahead(&self, most: usize) -> usize {
        let large = self.probes.iter().filter(|(_, bytes)| *bytes > most);
        let seen = |(place, _): &(usize, usize)| (place + 1).saturating_sub(BETWEEN);
        let reach = self.probes.last().map_or(0, |(place, _)| place + 1);
        large.map(seen).min().unwrap_or(reach)
    }

    /// Moves the [first](MatchingHead::first) of the entries read last to target, which are these
    /// `payloads` and begin and end with these `members`, all of them or none; and reads up to `n`
    /// that are due then. After an error it is of no use any more.
    pub async fn transfer(
        &mut self,
        members: [&[u8]; 2],
        payloads: &[&[u8]],
        n: usize,
    ) -> Result<TimedResult<WatchedOutcome>, StoreError> {
        if !self.open || payloads.is_empty() {
            return Err(StoreError::Impossible {
                server: self.store.endpoint().to_string(),
                attempt: ATTEMPT,
                why: "nothing was read that could be moved".to_owned(),
            });
        }
        self.open = false;
        let mut pipeline = Pipeline::new();
        self.moving(&mut pipeline, members, payloads);
        let beside = self.lane.add_replication(&mut pipeline);
        let probes = self.looking(&mut pipeline, n);
        let mut answers = self.send(&pipeline).await?;
        let mut looked = answers.split_off(MOVE.min(answers.len()));
        if beside && !looked.is_empty() {
            let replication = looked.remove(0).into_value();
            self.lane.tell_replication(Some(&replication));
        }
        let moved = self.moved(answers.into_iter().map(Answer::into_value).collect())?;
        // That it cannot be read now takes back nothing of what was moved: there are no rows then.
        let _ = self.read(looked, probes);
        Ok(moved)
    }

    /// Adds what the transaction does that is open: one script, which a server does whole or
    /// refuses whole: what the user may not do it finds out itself, before it does anything. (What
    /// a transaction would push beside it stays, on Redis up to 5.0.7, when the script is refused
    /// because the memory has just become full.)
    fn moving(&self, pipeline: &mut Pipeline, members: [&[u8]; 2], payloads: &[&[u8]]) {
        let watched = script::watched();
        pipeline.cmd("TIME");
        // By its text: in a transaction a script that is not known would come too late.
        pipeline.cmd("EVAL").arg(watched).arg(self.keys.len());
        let leave_order = if self.is_aside { 0 } else { payloads.len() };
        pipeline.arg(&self.keys[..]).arg(self.first);
        pipeline.arg(leave_order).arg(&members).arg(payloads);
        pipeline.cmd("TIME");
        pipeline.cmd("EXEC");
    }

    /// Adds a look at what there is to move next; the places behind that at which it probes.
    fn looking(&self, pipeline: &mut Pipeline, n: usize) -> Vec<usize> {
        let [_, timeouts, order] = &self.keys;
        pipeline.cmd("WATCH").arg(timeouts).arg(order);
        pipeline.cmd("ZCOUNT").arg(timeouts).arg("-inf").arg("(0");
        pipeline.add_command(script::what_is_due(timeouts, &self.now, n));
        let read = if self.is_aside { SHORT + 1 } else { n.max(1) };
        pipeline.cmd("LRANGE").arg(order).arg(0).arg(read - 1);
        // A target that holds nothing to push to is told before anything is written down.
        pipeline.cmd("LLEN").arg(&self.keys[0]);
        let reach = (2 * n).clamp(REACH.0, REACH.1);
        let probes: Vec<usize> = (1..=2 * reach / BETWEEN)
            .map(|i| i * BETWEEN / 2 - 1)
            .collect();
        for (i, behind) in probes.iter().enumerate() {
            let at = n + behind;
            // By turns: mostly the same entries stand there.
            if i % 2 == 0 && !self.is_aside {
                pipeline.cmd("LRANGE").arg(order).arg(at).arg(at);
            } else {
                let at = self.first + at as u64;
                pipeline.cmd("ZRANGE").arg(timeouts).arg(at).arg(at);
            }
        }
        pipeline.cmd("MULTI");
        probes
    }

    async fn send(&mut self, pipeline: &Pipeline) -> Result<Vec<Answer>, StoreError> {
        let answer = self.connection.ask(pipeline);
        let server = || self.store.endpoint().to_string();
        match timeout(LIMIT, answer).await {
            Ok(Ok(answers)) => {
                self.store.hear(answers.iter().filter_map(Answer::value));
                Ok(answers)
            }
            Ok(Err(error)) => Err(StoreError::Broken {
                server: server(),
                attempt: ATTEMPT,
                why: plain(&error.into()),
            }),
            Err(_) => Err(StoreError::TimedOut {
                server: server(),
                attempt: ATTEMPT,
                after: LIMIT,
            }),
        }
    }

    fn read(&mut self, mut answers: Vec<Answer>, places: Vec<usize>) -> Result<(), StoreError> {
        self.rows = MatchingHead::default();
        self.probes.clear();
        self.open = false;
        let begun = answers.pop();
        let there = answers.split_off(answers.len().min(LOOK - 1));
        answers.extend(begun);
        let strange = || self.store.unexpected(ATTEMPT, &Value::Nil);
        for answer in &mut answers {
            if let Answer::Value(value) = answer {
                let value = std::mem::replace(value, Value::Nil);
                *answer = Answer::Value(self.store.accept(ATTEMPT, value)?);
            }
        }
        let [_, Answer::Value(Value::Int(first)), due, order, ..] =
            <[Answer; LOOK]>::try_from(answers).map_err(|_| strange())?
        else {
            return Err(strange());
        };
        let rows = due.strings().and_then(|due| rows(&due));
        let mut rows = rows.ok_or_else(strange)?;
        let order = order.strings().ok_or_else(strange)?;
        self.first = u64::try_from(first).unwrap_or(0);
        let ends = if self.is_aside {
            beside(&rows, &order)
        } else {
            in_step(&rows, &order)
        };
        rows.truncate(ends.last().copied().unwrap_or(0));
        self.rows = MatchingHead { rows, ends };
        let each = places.into_iter().zip(there);
        self.probes = each.map(|(place, page)| (place, bytes_at(page))).collect();
        self.open = true;
        Ok(())
    }

    /// Tells what EXEC says has happened: nothing, when it is refused or the queue was touched;
    /// else what the script says.
    fn moved(&self, answers: Vec<Value>) -> Result<TimedResult<WatchedOutcome>, StoreError> {
        let strange = |got: &Value| self.store.unexpected(ATTEMPT, got);
        let answers: [Value; MOVE] =
            <[Value; MOVE]>::try_from(answers).map_err(|_| strange(&Value::Nil))?;
        let [queued @ .., exec] = answers;
        let done = match exec {
            Value::Nil => {
                return Ok(script::timed(
                    &self.store,
                    WatchedOutcome::Touched,
                    [&Value::Nil; 2],
                ));
            }
            Value::Array(done) => done,
            refused @ Value::ServerError(_) => {
                // The one that was not even queued says why.
                for answer in queued.into_iter().chain([refused]) {
                    self.store.accept(ATTEMPT, answer)?;
                }
                return Err(strange(&Value::Nil));
            }
            other => return Err(strange(&other)),
        };
        let [before, answer, after] =
            <[Value; MOVE - 1]>::try_from(done).map_err(|_| strange(&Value::Nil))?;
        let answer = script::settled(&self.store, ATTEMPT, answer)?;
        let moved = if script::end_of_watched(&self.store, &self.keys, &answer)? {
            WatchedOutcome::All
        } else {
            WatchedOutcome::Touched
        };
        Ok(script::timed(&self.store, moved, [&before, &after]))
    }
}

/// The bytes of the one that stands at a place, where one does. What cannot be read may be large.
fn bytes_at(page: Answer) -> usize {
    match page.strings() {
        Some(none) if none.len() == 0 => 0,
        Some(page) => page[0].len(),
        None => usize::MAX,
    }
}

/// Members with their scores.
fn rows(due: &StringList) -> Option<Vec<ChosenEntry>> {
    let mut rows = Vec::with_capacity(due.len() / 2);
    let mut strings = due.iter();
    while let Some(member) = strings.next() {
        let score = std::str::from_utf8(strings.next()?).ok()?.parse().ok()?;
        rows.push(ChosenEntry {
            member: member.to_vec(),
            score,
        });
    }
    Some(rows)
}

/// Counts of entries, from the first one on, that are the same ones on both sides: each beginning
/// that is.
fn in_step(rows: &[ChosenEntry], order: &StringList) -> Vec<usize> {
    let (mut same, mut open): (Vec<usize>, HashSet<&[u8]>) = (Vec::new(), HashSet::new());
    for (i, (ChosenEntry { member, .. }, element)) in rows.iter().zip(order.iter()).enumerate() {
        if member != element {
            // Who stands alone waits for its other half; an element twice waits for ever.
            for side in [member.as_slice(), element] {
                if !open.remove(side) {
                    open.insert(side);
                }
            }
        }
        if open.is_empty() {
            same.push(i + 1);
        }
    }
    same
}

/// Counts of entries, from the first one on, of which none stands in the list that began when the
/// order list was set aside: each beginning that is. None is, where that list is long.
fn beside(rows: &[ChosenEntry], order: &StringList) -> Vec<usize> {
    if order.len() > SHORT {
        return Vec::new();
    }
    let stands = |row: &ChosenEntry| order.iter().any(|element| element == row.member);
    let end = rows.iter().position(stands).unwrap_or(rows.len());
    (1..=end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(elements: &[u8]) -> StringList {
        elements.chunks(1).collect()
    }

    #[test]
    fn a_beginning_that_the_order_list_does_not_begin_with_is_cut_to_one_that_it_does() {
        let row = |n: u8| ChosenEntry {
            member: vec![n],
            score: f64::from(n),
        };
        let rows: Vec<ChosenEntry> = (1..=6).map(row).collect();
        let order = list(&[1, 3, 4, 2, 5, 7]);
        let ends = in_step(&rows, &order);
        assert_eq!(ends, [1, 4, 5]);
        let first = |n| {
            MatchingHead {
                rows: rows.clone(),
                ends: ends.clone(),
            }
            .first(n)
            .len()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(first), [0, 1, 1, 1, 4, 5, 5]);
    }

    #[test]
    fn beside_an_order_list_that_is_aside_those_go_that_were_not_offered_since() {
        let row = |n: u8| ChosenEntry {
            member: vec![n],
            score: f64::from(n),
        };
        let rows: Vec<ChosenEntry> = (1..=4).map(row).collect();
        assert_eq!(beside(&rows, &list(&[])), [1, 2, 3, 4]);
        assert_eq!(beside(&rows, &list(&[9, 3, 8])), [1, 2]);
        assert!(beside(&rows, &list(&[1])).is_empty());
        assert!(beside(&rows, &list(&[9; SHORT + 1])).is_empty());
    }
}
