//! The task that keeps the link up: connects, listens for silence, connects again.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use redis::{Pipeline, Value};
use tokio::time::sleep_until;

use super::super::error::{StoreError, plain};
use super::again::Retries;
use super::shared::SharedLink;
use super::wire::Wire;
use super::{busy, cluster, probe, wire};
use crate::clock::{ServerClock, instant};
use crate::queue::{Address, LinkState, Optional};

/// Without an answer for so long while nothing is asked, the task asks for the time.
const BEAT: Duration = Duration::from_millis(500);
/// Without an answer for so long although something is asked, the server hangs.
const HUNG: Duration = Duration::from_secs(1);
/// A server that has hung for so long may be gone behind a dead network: a second connection is
/// tried, and takes the place of the first when it is answered.
const SECOND: Duration = Duration::from_secs(6);

/// The pause between two questions what the server is: it may have become a replica.
const LOOK: Duration = Duration::from_secs(10);
/// A server that is busy when a connection begins is asked again for so long: a change waits for what
/// it says of itself.
const BUSY: Duration = Duration::from_secs(10);
/// A busy server is asked again for so long at each later look: nobody waits for that.
const BUSY_LATER: Duration = Duration::from_millis(250);
/// A look that cost the server more than this is taken ten times as seldom.
const DEAR_US: i64 = 2_000;

/// Runs until it is aborted.
pub(super) async fn run(shared: Arc<SharedLink>) {
    tokio::join!(stay_connected(&shared), follow(&shared));
}

/// Goes along with whatever tells where the server is.
async fn follow(shared: &SharedLink) {
    match shared.dialer.home_of() {
        Some(topology) => cluster::follow(shared, topology).await,
        None => shared.dialer.follow().await,
    }
}

/// Connects, and learns of a cluster which node owns which slot.
async fn connected(shared: &SharedLink) -> ConnectResult {
    let dialer = &shared.dialer;
    let mut greeted = wire::connect(dialer).await?;
    match (dialer.home_of(), dialer.place()) {
        (Some(topology), Some(asked)) if greeted.in_cluster => {
            let server = || dialer.server();
            cluster::learn(topology, &mut greeted.wire, &asked, server).await?;
        }
        (Some(_), Some(asked)) if matches!(dialer.endpoint().address, Address::Cluster(_)) => {
            return Err(dialer.disagreed(format!(
                "several servers are the nodes of a cluster, and {asked} is in none: name one server"
            )));
        }
        _ => {}
    }
    Ok((greeted.wire, greeted.clock))
}

async fn stay_connected(shared: &SharedLink) {
    let mut lost_at: Option<Instant> = None;
    let mut attempt = 0;
    loop {
        let mut why = match connected(shared).await {
            Ok((wire, clock)) => {
                (lost_at, attempt) = (None, 0);
                live(shared, &wire, clock);
                serve(shared, wire).await
            }
            Err(error) => error,
        };
        if let StoreError::Broken { server, why: w, .. } = why {
            why = StoreError::NotConnected { server, why: w };
        }
        let now = instant();
        let since = *lost_at.get_or_insert(now);
        let retry_at = now + pause(attempt, now.saturating_duration_since(since));
        attempt += 1;
        lost(shared, why, since, retry_at);
        tokio::select! {
            () = sleep_until(retry_at.into()) => {}
            () = shared.retry.notified() => {}
        }
    }
}

/// A connection that was whole for so long has not failed because of what was asked of it: the
/// next attempt is a first one.
const WHOLE: Duration = Duration::from_secs(10);

/// The moments at which a connection is tried again: at once the first time, then ever later, and
/// no sooner because it was whole for a moment.
#[derive(Debug, Default)]
pub(in crate::store) struct Backoff {
    lost_at: Option<Instant>,
    whole_at: Option<Instant>,
    attempt: u32,
}

impl Backoff {
    /// The connection is there.
    pub(in crate::store) fn whole(&mut self) {
        self.whole_at = Some(instant());
    }

    /// It is gone, or there is none: how long to wait before the next attempt.
    pub(in crate::store) fn lost(&mut self) -> Duration {
        let now = instant();
        let age = |since: Instant| now.saturating_duration_since(since);
        if self
            .whole_at
            .take()
            .is_some_and(|since| age(since) >= WHOLE)
        {
            *self = Self::default();
        }
        let lost_at = *self.lost_at.get_or_insert(now);
        let wait = pause(self.attempt, age(lost_at));
        self.attempt = self.attempt.saturating_add(1);
        wait
    }
}

/// The wait before the next attempt.
pub(in crate::store) fn pause(attempt: u32, lost_for: Duration) -> Duration {
    if lost_for > Duration::from_secs(60) {
        return Duration::from_secs(2);
    }
    Duration::from_millis(100 << attempt.min(3)).min(Duration::from_millis(500))
}

fn live(shared: &SharedLink, wire: &Wire, clock: ServerClock) {
    shared.connected(wire.clone());
    shared.link.send_modify(|link| {
        link.state = LinkState::Live;
        link.leads_to = shared.dialer.leads_to();
        let topology = shared.dialer.home_of();
        link.nodes = topology.and_then(|topology| topology.nodes());
        link.clock = Some(clock);
        // Subscribing is tried by `watch`, on its own connection.
        link.refused.0.retain(|&c, _| c == Optional::PSubscribe);
    });
}

fn lost(shared: &SharedLink, error: StoreError, since: Instant, retry_at: Instant) {
    let why = match &error {
        StoreError::NotConnected { why, .. } | StoreError::Handshake { why, .. } => why.clone(),
        StoreError::Denied { words, .. } | StoreError::Refused { words, .. } => words.clone(),
        other => other.to_string(),
    };
    shared.disconnected(error);
    shared.link.send_modify(|link| {
        link.state = LinkState::Lost {
            why,
            since,
            retry_at,
        };
    });
}

/// Watches over a connection until it is broken; returns how.
async fn serve(shared: &SharedLink, wire: Wire) -> StoreError {
    let mut serving = ServedConnection {
        shared,
        probe: Some(Box::pin(probe_once(shared, wire.clone()))),
        wire,
        beat: None,
        second: None,
        slow_look: None,
        next_beat: instant(),
        next_look: instant() + LOOK,
        next_second: instant(),
    };
    loop {
        let wake = serving.look();
        let end = tokio::select! {
            () = finished(&mut serving.probe) => None,
            outcome = finished(&mut serving.beat) => outcome.err().filter(ends_the_connection),
            outcome = finished(&mut serving.second) => serving.second_tried(outcome),
            server_us = finished(&mut serving.slow_look) => {
                let times = if server_us > DEAR_US { 10 } else { 1 };
                serving.next_look = instant() + LOOK * times;
                None
            }
            // Whether it is this connection that broke, and why, the next answer tells.
            () = shared.broken.notified() => {
                serving.ask_the_time();
                None
            }
            () = sleep_until(wake.into()) => None,
        };
        if let Some(error) = end {
            return error;
        }
    }
}

/// A script that runs too long is no reason to connect again: the server is there, but hangs.
fn ends_the_connection(error: &StoreError) -> bool {
    error.code() != Some("BUSY")
}

/// One connection being watched over, with what the task itself has under way on it.
struct ServedConnection<'a> {
    shared: &'a SharedLink,
    wire: Wire,
    probe: Option<BoxFuture<'a, ()>>,
    beat: Option<BoxFuture<'a, Result<(), StoreError>>>,
    second: Option<BoxFuture<'a, ConnectResult>>,
    /// Tells what it cost the server, in µs.
    slow_look: Option<BoxFuture<'a, i64>>,
    next_beat: Instant,
    next_look: Instant,
    next_second: Instant,
}

type ConnectResult = Result<(Wire, ServerClock), StoreError>;

impl ServedConnection<'_> {
    /// Does what the silence so far calls for; returns when to look again.
    fn look(&mut self) -> Instant {
        let (waiting, answered) = self.shared.silence();
        let now = instant();
        let quiet_since = waiting.or(answered).unwrap_or(now);
        let quiet = now.saturating_duration_since(quiet_since);
        if quiet >= BEAT && self.beat.is_none() && now >= self.next_beat {
            self.ask_the_time();
        }
        mark(self.shared, waiting.filter(|_| quiet >= HUNG));
        let may_look = self.probe.is_none() && !self.shared.refuses(Optional::Info);
        if now >= self.next_look && self.slow_look.is_none() && may_look {
            self.slow_look = Some(Box::pin(what_it_is(self.shared, self.wire.clone())));
        }
        if waiting.is_some() && quiet >= SECOND && self.second.is_none() && now >= self.next_second
        {
            self.second = Some(Box::pin(connected(self.shared)));
        }
        match quiet {
            q if q < BEAT => quiet_since + BEAT,
            q if q < HUNG && waiting.is_some() => quiet_since + HUNG,
            _ => now + BEAT,
        }
    }

    fn ask_the_time(&mut self) {
        let (waiting, _) = self.shared.silence();
        if waiting.is_some() {
            // Somebody else may have taken its place.
            self.shared.dialer.doubt();
        }
        self.next_beat = instant() + BEAT;
        self.beat = Some(Box::pin(time(self.shared, self.wire.clone())));
    }

    /// Moves to the second connection when it was answered; an error ends the first one too,
    /// unless the server merely hangs on.
    fn second_tried(&mut self, outcome: ConnectResult) -> Option<StoreError> {
        self.next_second = instant() + SECOND / 2;
        match outcome {
            Ok((new, clock)) => {
                live(self.shared, &new, clock);
                self.probe = Some(Box::pin(probe_once(self.shared, new.clone())));
                (self.beat, self.slow_look) = (None, None);
                self.wire = new;
                None
            }
            Err(StoreError::TimedOut { .. }) => None,
            Err(error) => Some(error).filter(ends_the_connection),
        }
    }
}

/// Waits for what is in `slot`, and empties it; for ever when there is nothing.
async fn finished<T>(slot: &mut Option<BoxFuture<'_, T>>) -> T {
    match slot {
        Some(future) => {
            let outcome = future.await;
            *slot = None;
            outcome
        }
        None => pending().await,
    }
}

/// Publishes `Hung` or `Live`, when it is not so already.
fn mark(shared: &SharedLink, hung_since: Option<Instant>) {
    shared.link.send_if_modified(|link| {
        let state = match (hung_since, &link.state) {
            (Some(since), LinkState::Live) => LinkState::Hung { since },
            (None, LinkState::Hung { .. }) => LinkState::Live,
            _ => return false,
        };
        link.state = state;
        true
    });
}

/// Asks for the time, without a limit: a server that hangs answers when it goes on.
async fn time(shared: &SharedLink, mut wire: Wire) -> Result<(), StoreError> {
    let mut beat = Pipeline::new();
    beat.cmd("TIME");
    let (sent, flight) = (instant(), shared.send());
    let values = wire.send_packed_commands(&beat, 0, 1).await;
    let values = values.map_err(|e| StoreError::NotConnected {
        server: shared.dialer.server(),
        why: plain(&e),
    })?;
    let answered = instant();
    let us = wire::read_time(
        values.first().unwrap_or(&Value::Nil),
        shared.dialer.endpoint(),
    )?;
    flight.answered();
    shared.pay(&beat, &values);
    shared.pay_typical(1);
    shared.observe(ServerClock::observed(us, sent, answered));
    Ok(())
}

/// Tries the optional commands and publishes what came of it.
async fn probe_once(shared: &SharedLink, mut wire: Wire) {
    let tries = probe::pipeline();
    let Some(values) = answers(shared, &mut wire, &tries, BUSY).await else {
        return;
    };
    shared.pay_typical(tries.len());
    let (refused, facts) = probe::read(&values);
    shared.link.send_modify(|link| {
        link.refused.0.extend(refused.0);
        if let Some(facts) = facts {
            link.facts = Some(facts);
        }
    });
}

/// The answers of the server to what is asked about itself; where it is busy with a script it is
/// asked again `within` that time. None: the connection is broken.
async fn answers(
    shared: &SharedLink,
    wire: &mut Wire,
    ask: &Pipeline,
    within: Duration,
) -> Option<Vec<Value>> {
    let mut again = Retries::within(within);
    loop {
        let flight = shared.send();
        let values = wire.send_packed_commands(ask, 0, ask.len()).await.ok()?;
        shared.pay(ask, &values);
        if busy(&values) {
            // No answer, as everywhere: a server that says only that hangs.
            shared.was_busy();
            if again.soon().await {
                continue;
            }
        } else {
            flight.answered();
        }
        return Some(values);
    }
}

/// Asks the server again what it is; returns what that cost it, in µs by its own clock.
async fn what_it_is(shared: &SharedLink, mut wire: Wire) -> i64 {
    let mut ask = Pipeline::new();
    ask.cmd("TIME").cmd("INFO").arg("server");
    ask.cmd("INFO").arg("replication").cmd("TIME");
    let Some(values) = answers(shared, &mut wire, &ask, BUSY_LATER).await else {
        return 0;
    };
    let [before, server, replication, after] = values.as_slice() else {
        return 0;
    };
    if let Some(facts) = probe::facts_of(server, replication) {
        shared.facts(facts);
    }
    let (Some(before), Some(after)) = (wire::time_us(before), wire::time_us(after)) else {
        return 0;
    };
    shared.cost_server_us(u64::try_from(after - before).unwrap_or(0));
    after - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pauses_double_to_half_a_second_and_end_at_two_seconds() {
        let ms = |attempt, lost_s| pause(attempt, Duration::from_secs(lost_s)).as_millis();
        let first: Vec<u128> = (0..5).map(|attempt| ms(attempt, 1)).collect();
        assert_eq!(first, [100, 200, 400, 500, 500]);
        assert_eq!(ms(99, 61), 2000);
    }
}
