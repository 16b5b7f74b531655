//! The reason why nobody transfers although somebody is subscribed, as far as a kick has told.

use super::super::{QueueFacts, Step};
use crate::clock::EpochMillis;
use crate::queue::ServerLook;
use crate::queue::change::ChangeRequest;
use crate::queue::finding::{Act, Advice};
use crate::queue::look::Info;

/// A kick that helps helps within this, in ms.
const HELPS_MS: i64 = 2_000;
/// A kick before the first look says nothing any more after this, in ms.
const LATELY_MS: i64 = 300_000;
/// Scripts that fail are counted over this time, in ms.
const OVER_MS: i64 = 30_000;
/// The first look is taken so long before the first pulse at most, in ms.
const BESIDE_MS: i64 = 2_000;

/// The reason, as far as it is known.
pub(super) enum StuckReason {
    /// Nothing yet: a kick will tell.
    Untold,
    /// The clients that are subscribed have selected another database.
    OtherDb,
    /// The server holds their scripts back.
    Held,
    /// A kick has set the one before it going, and nothing since.
    Again,
    /// We kicked before the first look, and what stands now has fallen due since.
    Anew,
    /// A kick has not helped, and scripts fail on this server, so many in so many ms.
    Fails(u64, i64),
    /// A kick has not helped, and no script fails.
    Deaf,
    /// Nobody can see whether anybody is subscribed.
    Unseen,
}

pub(super) fn why(seen: &QueueFacts, stood_since_ms: i64) -> StuckReason {
    let look = seen.server.last();
    if let Some(clients) = look.and_then(|look| look.clients.get_ref()) {
        let here = clients
            .subscribers()
            .any(|client| client.db == seen.server.db);
        if !here && clients.subscribers().next().is_some() {
            return StuckReason::OtherDb;
        }
        if clients.held > 0 && look.is_some_and(|look| of_now(seen, look)) {
            return StuckReason::Held;
        }
    }
    match kick(seen).filter(|_| stood_since_ms > 0) {
        None if moved_once(seen) => return StuckReason::Again,
        None => return StuckReason::Untold,
        Some(Kick::Anew) => return StuckReason::Anew,
        Some(Kick::InVain) => {}
    }
    match seen.server.grew(OVER_MS, Info::failed_scripts) {
        Some((count @ 1.., span)) => StuckReason::Fails(count, span),
        _ => StuckReason::Deaf,
    }
}

/// The effect of a kick.
enum Kick {
    /// The entry that stood then still stands.
    InVain,
    /// The entry that stands now was not due then.
    Anew,
}

/// The effect of the last kick; none when nobody kicked, or it cannot be told yet.
fn kick(seen: &QueueFacts) -> Option<Kick> {
    let still = seen.watch.still?;
    if let Some(at) = seen.watch.kicked {
        let stood = at >= still.since && still.until.since(at) >= HELPS_MS;
        return stood.then_some(Kick::InVain);
    }
    let at = seen.watch.kicked_before.filter(|at| lately(seen, *at))?;
    Some(if at.since(still.due) >= HELPS_MS {
        Kick::InVain
    } else {
        Kick::Anew
    })
}

/// A kick at that moment has had time to help, and is not long ago.
fn lately(seen: &QueueFacts, at: EpochMillis) -> bool {
    let until = seen.watch.still.map(|still| still.until.since(at));
    until.is_some_and(|ms| (HELPS_MS..LATELY_MS).contains(&ms))
}

impl StuckReason {
    /// Returns the time since the kick that this is concluded from, in ms.
    pub(super) fn kicked_ms(&self, seen: &QueueFacts) -> Option<i64> {
        let concluded = !matches!(
            self,
            Self::Untold | Self::OtherDb | Self::Held | Self::Unseen
        );
        let at = seen.watch.kicked.or(seen.watch.kicked_before)?;
        let until = seen.watch.still?.until;
        concluded.then(|| until.since(at))
    }
}

/// The server was looked at when the entry stood there already, or just before the first pulse.
fn of_now(seen: &QueueFacts, look: &ServerLook) -> bool {
    let still = seen.watch.still;
    still.is_some_and(|still| look.at.since(still.since) >= -BESIDE_MS)
}

/// Another one headed timeouts, late already, when somebody kicked: that one has left.
fn moved_once(seen: &QueueFacts) -> bool {
    let Some((still, kicked)) = seen.watch.still.zip(seen.watch.kicked) else {
        return false;
    };
    let mut before = seen.watch.beats.iter().rev();
    let before = before.find(|beat| beat.at <= kicked);
    let late = before.and_then(|beat| beat.first);
    late.is_some_and(|(id, due)| id != still.id && kicked.since(due) >= HELPS_MS)
        && still.since > kicked
}

/// Advises what helps against clients that lose their timers again and again.
fn renew_clients() -> Advice {
    Advice::of(
        "Restart or upgrade the clients: they lose their timers. Until then start the worker here",
    )
    .by(Act::Repair, ".")
}

impl StuckReason {
    /// The headline, and what it adds to the details.
    pub(super) const fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Untold => ("Clients are connected, but nobody transfers.", ""),
            Self::Again => (
                "The clients stop transferring again and again.",
                " Waking them moved the entry before, and now the next one stands.",
            ),
            Self::Anew => (
                "The clients stop transferring again and again.",
                " They were woken a moment ago, and the next entry stands.",
            ),
            Self::OtherDb => ("The clients are connected to another database.", ""),
            Self::Held => ("Redis is paused: it holds all scripts back.", ""),
            Self::Fails(..) => (
                "Nobody transfers, and scripts fail on this server.",
                " Waking the clients has not helped. The scripts that fail may be another queue's.",
            ),
            Self::Unseen => ("Entries are late, and nobody transfers.", ""),
            Self::Deaf => (
                "Clients are connected, but do not transfer.",
                " Waking them has not helped: a client's clock is behind, it hangs, or the subscribers are not Redisson.",
            ),
        }
    }

    /// The repair, and its sentence.
    pub(super) fn repair(&self) -> (Step, Advice) {
        match self {
            Self::Untold => (
                Step::Change(ChangeRequest::Kick),
                Advice::of("Wake the clients")
                    .by(
                        Act::Repair,
                        ": one that lost its timer goes on. If none does, or it stops again, \
                         restart it, or start the worker here",
                    )
                    .by(Act::Worker, "."),
            ),
            Self::Again | Self::Anew => (Step::Worker, renew_clients()),
            Self::OtherDb => (
                Step::Worker,
                Advice::of("Start the application on this database, or the worker here")
                    .by(Act::Repair, "."),
            ),
            Self::Held => (
                Step::Outside,
                "End the pause (CLIENT UNPAUSE), or let it end; a failover pauses Redis too."
                    .into(),
            ),
            Self::Fails(..) => (
                Step::Change(ChangeRequest::Transfer),
                Advice::of("Transfer what is due from here").by(
                    Act::Repair,
                    ". The clients' logs say why they fail; if they are silent, check their \
                         clocks and restart one.",
                ),
            ),
            Self::Unseen => (
                Step::Worker,
                Advice::of("Check that the application runs, or start the worker here")
                    .by(Act::Repair, ": it transfers beside others too."),
            ),
            Self::Deaf => (
                Step::Worker,
                Advice::of("Check the clients' clocks, restart one, or start the worker here")
                    .by(Act::Repair, "."),
            ),
        }
    }
}
