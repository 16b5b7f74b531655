//! The link to one server: a single multiplexed connection, kept up by a task of its own.
//!
//! A server that is gone is a state, not an error: the task publishes it as [`Link`], tries again
//! (after 100 ms, doubling to 500 ms in the first minute, then every 2 s) and declares the link
//! live again by itself. A request never waits for that: without a connection it fails at once,
//! and every request has a time limit. redis-rs' own `ConnectionManager` is not used: it caches a
//! refused login for ever and lets commands wait for a reconnection without a limit.

mod again;
mod cluster;
pub(in crate::store) mod dial;
pub(in crate::store) mod exchange;
mod left_open;
mod paced;
mod probe;
mod replica;
mod sentinel;
mod shared;
mod site;
mod slots;
pub(in crate::store) mod socket;
mod socks;
pub(in crate::store) mod sole;
pub(in crate::store) mod task;
mod tls;
mod tunnel;
pub(in crate::store) mod wire;
mod writes;

use std::sync::Arc;
use std::time::Duration;

use redis::{Pipeline, Value};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use self::dial::{AddressSource, ClusterPlace, Dialer};
use self::shared::SharedLink;
use self::socket::LinkStream;
use self::sole::SoleWire;
use self::wire::Wire;
use self::writes::WriteWatch;
use super::error::{StoreError, plain, words};
use crate::clock::{ServerClock, instant};
use crate::queue::{Address, Endpoint, Link, LinkState, Optional, fleet, look, text};
pub(in crate::store) use again::Retries;
pub use writes::KeyWrites;

/// The longest wait for a request whose caller has no opinion.
pub(in crate::store) const LIMIT: Duration = Duration::from_secs(5);

/// The longest wait for a server that is only asked what it is.
const MEETING: Duration = Duration::from_secs(2);

/// The time for which a busy server counts as one that others keep.
const LATELY: Duration = Duration::from_secs(1);

/// The longest time for which reads and offers are asked again, of a patient handle, that another node
/// of the cluster is to answer: in a failover all nodes agree within it who that is.
const AGREED: Duration = Duration::from_secs(2);

/// A handle to one server; cheap to clone. The link ends with its last handle.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// The link that was opened, when this is one to a node of its cluster; it follows the map.
    home: Option<Arc<Inner>>,
    /// The time for which reads are asked again that a busy server refuses.
    patience: Duration,
}

struct Inner {
    shared: Arc<SharedLink>,
    access: Access,
    writes: WriteWatch,
    task: JoinHandle<()>,
}

impl Inner {
    fn open(endpoint: Endpoint, way: AddressSource, access: Access) -> Self {
        let shared = Arc::new(SharedLink::new(Dialer::new(endpoint, way)));
        let task = tokio::spawn(task::run(Arc::clone(&shared)));
        Self {
            shared,
            access,
            writes: WriteWatch::default(),
            task,
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The right of a session to change anything.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// It cannot make a `Writer`.
    ReadOnly,
    /// A session that can change the server.
    ReadWrite,
}

/// Tells whether a script of somebody's kept the server from answering a command.
pub(in crate::store) fn busy(values: &[Value]) -> bool {
    let busy = |value: &Value| matches!(value, Value::ServerError(e) if e.code() == "BUSY");
    values.iter().any(busy)
}

impl Store {
    /// Opens the link and returns at once; must be called in a tokio runtime.
    #[must_use]
    pub fn open(endpoint: Endpoint, access: Access) -> Self {
        let way = AddressSource::to(&endpoint.address);
        Self {
            inner: Arc::new(Inner::open(endpoint, way, access)),
            home: None,
            patience: Duration::ZERO,
        }
    }

    /// A handle whose reads are asked again for so long when the server is busy with a script, and at
    /// most two seconds when another node of the cluster is to be asked: for what is asked once, and
    /// nobody repeats. (A refresh comes back by itself.)
    #[must_use]
    pub fn patient(&self, patience: Duration) -> Self {
        Self {
            patience,
            ..self.clone()
        }
    }

    /// The server's address.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        self.inner.shared.dialer.endpoint()
    }

    /// Where the server is at this moment: in a cluster the node that this link leads to.
    #[must_use]
    pub fn whereabouts(&self) -> Endpoint {
        let dialer = self.dialer();
        let endpoint = dialer.endpoint().clone();
        match dialer.place() {
            Some(address) if dialer.topology().is_some() => Endpoint {
                address,
                ..endpoint
            },
            _ => endpoint,
        }
    }

    /// The sentinels that lead to the server, each with its last answer; none where none do.
    pub(in crate::store) fn sentinels(&self) -> Vec<fleet::SentinelAnswer> {
        self.dialer().sentinels()
    }

    /// Where the server itself is at this moment, once that is known.
    pub(crate) fn place(&self) -> Option<Address> {
        self.dialer().place()
    }

    /// Asks another server about itself and for its clock, by a connection that is closed then.
    pub(in crate::store) async fn meet(&self, address: Address) -> Result<Link, StoreError> {
        const ATTEMPT: &str = "tell about itself";
        let endpoint = Endpoint {
            address,
            ..self.endpoint().clone()
        };
        let server = endpoint.to_string();
        let dialer = Dialer::new(
            endpoint,
            AddressSource::Nodes(Arc::default(), ClusterPlace::Node),
        );
        let meeting = async {
            let mut greeted = wire::connect(&dialer).await?;
            let mut ask = Pipeline::new();
            ask.cmd("INFO").arg("server");
            ask.cmd("INFO").arg("replication");
            let answers = greeted.wire.send_packed_commands(&ask, 0, ask.len()).await;
            let answers = answers.map_err(|error| StoreError::NotConnected {
                server: server.clone(),
                why: plain(&error),
            })?;
            let facts = match answers.as_slice() {
                [server, replication] => probe::facts_of(server, replication),
                _ => None,
            };
            Ok(Link {
                state: LinkState::Live,
                clock: Some(greeted.clock),
                facts,
                ..Link::default()
            })
        };
        let limit = dialer.within(MEETING);
        let met = tokio::time::timeout(limit, meeting).await;
        met.unwrap_or_else(|_| {
            Err(StoreError::TimedOut {
                server: server.clone(),
                attempt: ATTEMPT,
                after: limit,
            })
        })
    }

    /// The way to the server, for connections beside the shared one.
    pub(in crate::store) fn dialer(&self) -> &Dialer {
        &self.inner.shared.dialer
    }

    /// Tells whether this session may change anything.
    #[must_use]
    pub fn access(&self) -> Access {
        self.inner.access
    }

    /// Tells what is known of the link. The receiver is woken when state, facts or refusals change;
    /// clock and cost are kept up to date in it without waking anybody.
    #[must_use]
    pub fn link(&self) -> watch::Receiver<Link> {
        self.inner.shared.link.subscribe()
    }

    /// Tries to connect now instead of at the next `retry_at`. Does nothing while connected.
    pub fn retry_now(&self) {
        self.inner.shared.retry.notify_one();
    }

    /// Leaves the server on every connection, and connects anew, where the address may lead to
    /// another one (behind a proxy or sentinels, the master of now).
    pub fn leave(&self) {
        self.dialer().leave();
    }

    /// Waits for the first answer; fails at once when an attempt to connect has failed, with its
    /// reason, and with `TimedOut` after `within`. A server that is only busy with a script is
    /// tried again as long as the handle is [patient](Self::patient), if that is longer; and for two
    /// seconds of that the next owner of a slot, whose owner was left. One that has answered, and owes
    /// an answer now, is ready for a patient one, which asks again by itself.
    pub async fn ready(&self, within: Duration) -> Result<ServerClock, StoreError> {
        let within = self.dialer().within(within.max(self.patience));
        let now = instant();
        let (until, agreed) = (now + self.patience, now + self.patience.min(AGREED));
        let moves = || self.dialer().left_slot().is_some() && instant() < agreed;
        let is_busy = || self.inner.shared.trouble().code() == Some("BUSY");
        let asks_again = !self.patience.is_zero();
        let mut link = self.link();
        let settled = link.wait_for(|l| match l.state {
            LinkState::Live => true,
            LinkState::Hung { .. } => asks_again && l.clock.is_some(),
            LinkState::Lost { .. } => !moves() && (!is_busy() || instant() >= until),
            LinkState::Connecting => false,
        });
        let clock = match tokio::time::timeout(within, settled).await {
            Ok(Ok(l)) if matches!(l.state, LinkState::Live | LinkState::Hung { .. }) => l.clock,
            Err(_) if !is_busy() => {
                return Err(StoreError::TimedOut {
                    server: self.endpoint().to_string(),
                    attempt: "answer for the first time",
                    after: within,
                });
            }
            _ => None,
        };
        clock.ok_or_else(|| self.inner.shared.trouble())
    }

    /// The server's clock, once it has answered.
    #[must_use]
    pub fn clock(&self) -> Option<ServerClock> {
        self.inner.shared.link.borrow().clock
    }

    /// The reason for which the server refuses `command`, when it does.
    #[must_use]
    pub fn why_refused(&self, command: Optional) -> Option<String> {
        let link = self.inner.shared.link.borrow();
        link.refused.why(command).map(str::to_owned)
    }

    /// Sends `pipeline` and returns the raw replies, one for each command, errors in their
    /// places (`Value::ServerError`). `attempt` completes "refused to …". Fails without sending
    /// when there is no connection. A pipeline is no transaction: for one, put MULTI and EXEC
    /// into it as commands.
    pub(in crate::store) async fn query(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        let values = self.exchange(attempt, pipeline, limit).await?;
        self.inner.shared.pay_typical(values.len());
        Ok(values)
    }

    /// [`query`](Self::query) for reads that measure their own server time.
    pub(in crate::store) async fn exchange(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        self.ask(attempt, pipeline, limit, true).await
    }

    /// The same, where it is the caller's to follow an answer that another node is to be asked.
    pub(in crate::store) async fn exchange_here(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
    ) -> Result<Vec<Value>, StoreError> {
        self.ask(attempt, pipeline, limit, false).await
    }

    async fn ask(
        &self,
        attempt: &'static str,
        pipeline: &Pipeline,
        limit: Duration,
        follows: bool,
    ) -> Result<Vec<Value>, StoreError> {
        let mut again = Retries::within(self.patience);
        let mut moves = self.moves();
        let (mut gone, mut there) = (None::<u16>, None::<Self>);
        loop {
            let asked = &there.as_ref().unwrap_or(self).inner.shared;
            let answer = asked.exchange(attempt, pipeline, limit).await;
            if let Ok(values) = &answer
                && busy(values)
            {
                if again.soon().await {
                    continue;
                }
                return answer;
            }
            let slot = match &answer {
                Ok(_) if !follows => None,
                Ok(values) => slots::moved_away(values),
                Err(StoreError::Broken { .. } | StoreError::NotConnected { .. }) => {
                    asked.dialer.left_slot()
                }
                Err(_) => None,
            };
            // What is asked about several slots may have come to lie at two nodes, of which none can
            // answer it.
            let Some(slot) = slot.filter(|slot| gone.is_none_or(|before| before == *slot)) else {
                return answer;
            };
            gone = Some(slot);
            match self.at_owner(slot) {
                Some(owner) if moves.soon().await => there = Some(owner),
                _ => return answer,
            }
        }
    }

    /// Tells whether somebody's scripts have kept the server from answering in the last second:
    /// then each answer is waited for, and who reads much does well to ask for more at once.
    #[must_use]
    pub fn is_kept_by_others(&self) -> bool {
        let last = self.inner.shared.last_busy();
        last.is_some_and(|at| instant().saturating_duration_since(at) < LATELY)
    }

    /// The tries of what another node of the cluster is to answer.
    pub(crate) fn moves(&self) -> Retries {
        Retries::within(self.patience.min(AGREED)).with_pauses()
    }

    /// A connection of its own, for commands that block; it does not reconnect.
    pub(in crate::store) async fn dedicated(&self) -> Result<Wire, StoreError> {
        wire::connect(self.dialer())
            .await
            .map(|greeted| greeted.wire)
    }

    /// The same for one request at a time, whose answers are many values.
    pub(in crate::store) async fn sole(&self) -> Result<SoleWire<LinkStream>, StoreError> {
        wire::connect_sole(self.dialer()).await
    }

    /// Learns from raw replies of another connection where slots are.
    pub(in crate::store) fn hear<'a>(&self, values: impl IntoIterator<Item = &'a Value>) {
        self.dialer().hear(values);
    }

    /// Learns from `INFO` whether the server is the master: one that was is left.
    pub(in crate::store) fn heard_role(&self, info: &look::Info) {
        if let Some(role) = info.text("role") {
            self.dialer().heard_role(role == "master");
        }
    }

    /// Takes an error reply out of raw replies; `attempt` as for [`query`](Self::query).
    pub(in crate::store) fn accept(
        &self,
        attempt: &'static str,
        value: Value,
    ) -> Result<Value, StoreError> {
        match value {
            Value::ServerError(error) => {
                let words = words(&error);
                Err(StoreError::Refused {
                    server: self.endpoint().to_string(),
                    attempt,
                    code: words.split(' ').next().unwrap_or_default().to_owned(),
                    words,
                })
            }
            other => Ok(other),
        }
    }

    /// [`accept`](Self::accept) of an answer about one key, which is named when it is of another
    /// type.
    pub(in crate::store) fn accept_of(
        &self,
        attempt: &'static str,
        key: &[u8],
        value: Value,
    ) -> Result<Value, StoreError> {
        self.accept(attempt, value).map_err(|mut error| {
            if let StoreError::Refused { code, words, .. } = &mut error
                && code == "WRONGTYPE"
            {
                *words = format!(
                    "{} has the wrong type (WRONGTYPE)",
                    text::printable_bytes(key)
                );
            }
            error
        })
    }

    /// The error for an answer that the command cannot have.
    pub(in crate::store) fn unexpected(&self, attempt: &'static str, got: &Value) -> StoreError {
        let mut text = format!("{got:?}");
        if let Some((cut, _)) = text.char_indices().nth(200) {
            text.truncate(cut);
        }
        StoreError::Unexpected {
            server: self.endpoint().to_string(),
            attempt,
            got: text,
        }
    }

    /// Records that the server refuses an optional command; it is left out until reconnected.
    pub(in crate::store) fn refuse(&self, command: Optional, words: String) {
        self.inner.shared.refuse(command, words);
    }

    /// Records that an optional command that was refused before is allowed now.
    pub(in crate::store) fn allow(&self, command: Optional) {
        self.inner.shared.allow(command);
    }

    /// Keeps the clock up to date with an answer to TIME, if that tells it better.
    pub(in crate::store) fn observe(&self, clock: ServerClock) {
        self.inner.shared.observe(clock);
    }

    /// Adds measured server time to what we cost.
    pub(in crate::store) fn cost_server_us(&self, us: u64) {
        self.inner.shared.cost_server_us(us);
    }
}
