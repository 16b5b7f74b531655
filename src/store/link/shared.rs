//! The state that the link's task and its handles have in common.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redis::{Arg, Cmd, Pipeline, Value};
use tokio::sync::{Notify, watch};

use super::super::error::{StoreError, plain};
use super::busy;
use super::dial::{Dialer, LIMIT};
use super::left_open::{TransactionState, is_left_open};
use super::site::Sites;
use super::wire::Wire;
use crate::clock::{ServerClock, instant};
use crate::queue::{Facts, Link, LinkState, Nodes, Optional};

/// Server time of a command that nothing measured, in µs.
const TYPICAL_US: u64 = 2;

pub(super) struct SharedLink {
    pub(super) dialer: Dialer,
    /// The links to the nodes of the cluster that is there.
    pub(super) sites: Sites,
    pub(super) link: watch::Sender<Link>,
    /// Told by `retry_now`.
    pub(super) retry: Notify,
    /// Told by a request that found the connection broken.
    pub(super) broken: Notify,
    state: Mutex<SharedState>,
}

#[derive(Default)]
struct SharedState {
    wire: Option<Wire>,
    /// Counts connections, so that a late complaint about an old one is not taken for the new.
    turn: u64,
    trouble: Option<StoreError>,
    in_flight: usize,
    waiting_since: Option<Instant>,
    last_answer: Option<Instant>,
    /// When an answer said last that somebody's script keeps the server.
    last_busy: Option<Instant>,
    /// A transaction may be open on the connection that nobody ends.
    is_left_open: bool,
}

impl SharedLink {
    pub(super) fn new(dialer: Dialer) -> Self {
        Self {
            dialer,
            sites: Sites::default(),
            link: watch::Sender::new(Link::default()),
            retry: Notify::new(),
            broken: Notify::new(),
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, SharedState> {
        // Nothing panics while it holds the lock, so a poisoned one is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, when there is one, and its number.
    pub(super) fn wire(&self) -> Option<(Wire, u64)> {
        let state = self.state();
        state.wire.clone().map(|wire| (wire, state.turn))
    }

    /// Puts a new connection in place.
    pub(super) fn connected(&self, wire: Wire) {
        let mut state = self.state();
        state.wire = Some(wire);
        state.turn += 1;
        state.is_left_open = false;
        state.trouble = None;
        state.waiting_since = None;
        state.last_answer = Some(instant());
    }

    /// Takes the connection away.
    pub(super) fn disconnected(&self, why: StoreError) {
        let mut state = self.state();
        state.wire = None;
        state.trouble = Some(why);
        state.waiting_since = None;
    }

    /// The reason why there is no connection.
    pub(super) fn trouble(&self) -> StoreError {
        self.state()
            .trouble
            .clone()
            .unwrap_or_else(|| StoreError::NotConnected {
                server: self.dialer.server(),
                why: "no connection yet".to_owned(),
            })
    }

    /// Sends `pipeline` and returns the raw replies, or fails within `limit`.
    pub(super) async fn exchange(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        if self.dialer.is_beside() {
            self.tried().await;
        }
        let Some((mut wire, turn)) = self.wire() else {
            return Err(self.trouble());
        };
        let flight = self.send();
        let request = self.request(pipeline);
        let count = request.len();
        let answer = tokio::time::timeout(limit, wire.send_packed_commands(&request, 0, count));
        let server = || self.dialer.server();
        match answer.await {
            Ok(Ok(mut values)) => {
                self.note_transactions(pipeline, &mut values, turn);
                // "Busy with a script" is no answer: a server that says only that hangs.
                if busy(&values) {
                    self.was_busy();
                } else {
                    flight.answered();
                }
                self.dialer.hear(&values);
                self.pay(pipeline, &values);
                Ok(values)
            }
            Ok(Err(error)) => {
                self.broke(turn);
                Err(StoreError::Broken {
                    server: server(),
                    attempt,
                    why: plain(&error),
                })
            }
            Err(_) => Err(StoreError::TimedOut {
                server: server(),
                attempt,
                after: limit,
            }),
        }
    }

    /// The request that brings the answers to `pipeline`: where a transaction was left open, that is
    /// ended first.
    fn request<'a>(&self, pipeline: &'a Pipeline) -> Cow<'a, Pipeline> {
        if !self.state().is_left_open {
            return Cow::Borrowed(pipeline);
        }
        let mut request = Pipeline::with_capacity(pipeline.len() + 1);
        request.cmd("DISCARD");
        for command in pipeline.cmd_iter() {
            request.add_command(command.clone());
        }
        Cow::Owned(request)
    }

    /// Takes the answer to what was sent before `pipeline` off, and notes whether a transaction is
    /// left open on connection number `turn`.
    fn note_transactions(&self, pipeline: &Pipeline, values: &mut Vec<Value>, turn: u64) {
        let before = values.len().saturating_sub(pipeline.len());
        let discarded = values.drain(..before).next();
        let discarded = discarded.map(|answer| TransactionState::of(&answer));
        let is_left_open = is_left_open(pipeline, values);
        let mut state = self.state();
        if state.turn == turn {
            state.is_left_open &= discarded != Some(TransactionState::Ended);
            state.is_left_open |= is_left_open;
        }
        drop(state);
        if discarded == Some(TransactionState::Refused) {
            self.broke(turn);
        }
    }

    /// Waits until the first attempt to connect has come to something. What is asked then says why
    /// there is no answer.
    pub(super) async fn tried(&self) {
        let mut link = self.link.subscribe();
        let tried = link.wait_for(|link| !matches!(link.state, LinkState::Connecting));
        let _ = tokio::time::timeout(self.dialer.within(LIMIT * 2), tried).await;
    }

    /// A request found connection number `turn` broken.
    pub(super) fn broke(&self, turn: u64) {
        let current = self.state().turn == turn;
        if current {
            self.broken.notify_one();
        }
    }

    /// Takes note of an answer that said that somebody's script keeps the server.
    pub(super) fn was_busy(&self) {
        self.state().last_busy = Some(instant());
    }

    /// When such an answer came last.
    pub(super) fn last_busy(&self) -> Option<Instant> {
        self.state().last_busy
    }

    /// Counts a request as under way until the guard is dropped.
    pub(super) fn send(&self) -> Flight<'_> {
        let mut state = self.state();
        state.in_flight += 1;
        state.waiting_since.get_or_insert_with(instant);
        Flight { shared: self }
    }

    /// The moment since which something has been without an answer, and that of the last answer.
    pub(super) fn silence(&self) -> (Option<Instant>, Option<Instant>) {
        let state = self.state();
        (state.waiting_since, state.last_answer)
    }

    pub(super) fn observe(&self, clock: ServerClock) {
        self.silently(|link| {
            if link.clock.is_none_or(|known| clock.supersedes(&known)) {
                link.clock = Some(clock);
            }
        });
    }

    pub(super) fn refuse(&self, command: Optional, words: String) {
        self.link.send_modify(|link| {
            link.refused.0.insert(command, words);
        });
    }

    pub(super) fn refuses(&self, command: Optional) -> bool {
        self.link.borrow().refused.why(command).is_some()
    }

    pub(super) fn allow(&self, command: Optional) {
        self.link
            .send_if_modified(|link| link.refused.0.remove(&command).is_some());
    }

    /// Adds what a request sent and received to the cost.
    pub(super) fn pay(&self, pipeline: &Pipeline, values: &[Value]) {
        let received: usize = values.iter().map(wire_size).sum();
        let sent: usize = pipeline.cmd_iter().map(sent_size).sum();
        let bytes = u64::try_from(received + sent).unwrap_or(0);
        let commands = u64::try_from(pipeline.len()).unwrap_or(0);
        let full = |value: &&Value| matches!(value, Value::ServerError(e) if e.code() == "OOM");
        let full = u64::try_from(values.iter().filter(full).count()).unwrap_or(0);
        self.silently(|link| {
            link.cost.refused_full += full;
            link.cost.commands += commands;
            link.cost.bytes += bytes;
        });
    }

    /// Takes note of what the server says it is; wakes those who watch when it is another thing
    /// than before, not because it is older.
    pub(super) fn facts(&self, facts: Facts) {
        self.link.send_if_modified(|link| {
            let before = link.facts.replace(facts);
            let uptime_s = link.facts.as_ref().map_or(0, |facts| facts.uptime_s);
            before.map(|before| Facts { uptime_s, ..before }) != link.facts
        });
    }

    /// Takes note of the nodes of the cluster; wakes those who watch when they are others.
    pub(super) fn nodes(&self, nodes: Option<Nodes>) {
        self.link.send_if_modified(|link| {
            let is_new = link.nodes != nodes;
            link.nodes = nodes;
            is_new
        });
    }

    /// Adds what so many commands typically cost the server.
    pub(super) fn pay_typical(&self, commands: usize) {
        self.cost_server_us(TYPICAL_US * u64::try_from(commands).unwrap_or(0));
    }

    pub(super) fn cost_server_us(&self, us: u64) {
        self.silently(|link| link.cost.server_us += us);
    }

    /// Changes the link without waking those who watch it.
    fn silently(&self, change: impl FnOnce(&mut Link)) {
        self.link.send_if_modified(|link| {
            change(link);
            false
        });
    }
}

/// A request under way.
pub(super) struct Flight<'a> {
    shared: &'a SharedLink,
}

impl Flight<'_> {
    /// Its answer came, so the server is alive.
    pub(super) fn answered(self) {
        let mut state = self.shared.state();
        let now = instant();
        state.last_answer = Some(now);
        // What is still under way was sent later than this one.
        state.waiting_since = (state.in_flight > 1).then_some(now);
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.in_flight = state.in_flight.saturating_sub(1);
    }
}

/// Bytes of a command on the wire, less than 1 % off where it matters.
fn sent_size(cmd: &Cmd) -> usize {
    cmd.args_iter()
        .map(|arg| match arg {
            Arg::Simple(bytes) => bytes.len() + 8,
            _ => 8,
        })
        .sum()
}

/// Bytes of a RESP2 reply on the wire, less than 1 % off.
fn wire_size(value: &Value) -> usize {
    match value {
        Value::BulkString(bytes) => bytes.len() + 8,
        Value::SimpleString(text) => text.len() + 3,
        Value::Array(values) => 6 + values.iter().map(wire_size).sum::<usize>(),
        _ => 5,
    }
}
