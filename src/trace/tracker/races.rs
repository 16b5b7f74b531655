//! Transfers of one queue that several clients run at the same moment: one moves what is due, and the
//! others find nothing.
//!
//! A client of Redisson's has many connections, so that its transfers come from changing addresses.
//! Yet each client has one timer, and sets it to the head that its last transfer left: what comes
//! soon after a transfer although nothing is about to be due is another client.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::figures::host;
use super::super::life::Moment;
use crate::clock::EpochMillis;

/// A transfer in vain so long after one that moved something, in µs, ran for the same messages: what
/// keeps a client's timer back is shorter, and so is most of what its clock is behind.
const A_RACE_US: i64 = 5_000_000;

/// A client that hears of a head which is due within so many ms does not wait for it: it runs
/// transfers until they find something. These are in vain without a race.
const SOON_MS: i64 = 10;

/// Messages of one transfer that are kept at most: Redisson's moves 100.
const MOST_OF_A_TRANSFER: usize = 100;

/// Subscriptions to one queue's channel that are kept at most, of the last clients that came.
const MOST_SUBSCRIPTIONS: usize = 16;

/// The transfers of one queue that others may have run too.
#[derive(Default)]
pub(super) struct Races {
    /// The last subscription of each host.
    subscriptions: VecDeque<Moment>,
    /// The last transfer that moved something.
    won: Option<WonTransfer>,
    /// The hosts of clients that have subscribed to the queue's channel, with the times: each runs a
    /// transfer at once, whatever is due.
    joined: Vec<(Box<[u8]>, i64)>,
}

/// A transfer that moved something.
pub(super) struct WonTransfer {
    /// When, and by whom.
    pub(super) moment: Moment,
    /// The lives that it moved, in their order.
    pub(super) lives: Vec<u64>,
    /// Other clients that have run it in vain so far.
    pub(super) rivals: u64,
}

impl Races {
    /// A client moved these lives.
    pub(super) fn won(&mut self, moment: Moment, mut lives: Vec<u64>) {
        lives.truncate(MOST_OF_A_TRANSFER);
        self.won = Some(WonTransfer {
            moment,
            lives,
            rivals: 0,
        });
    }

    /// A client has subscribed to the channel.
    pub(super) fn joined(&mut self, by: &Arc<[u8]>, at_us: i64) {
        self.joined.retain(|(_, at)| is_soon(*at, at_us));
        self.joined.push((host(by).into(), at_us));
        self.subscriptions
            .retain(|one| one.by.as_deref().map(host) != Some(host(by)));
        if self.subscriptions.len() >= MOST_SUBSCRIPTIONS {
            self.subscriptions.pop_front();
        }
        self.subscriptions.push_back(Moment {
            at_us: Some(at_us),
            by: Some(by.clone()),
        });
    }

    /// The subscription of the client at this address: its connections have the host in common.
    pub(super) fn listening(&self, by: Option<&Arc<[u8]>>) -> Option<&Moment> {
        let of = host(by?);
        let is_its = |one: &&Moment| one.by.as_deref().map(host) == Some(of);
        self.subscriptions.iter().rev().find(is_its)
    }

    /// True of the transfer that a client runs because it has subscribed; to be asked of each. Its two
    /// connections have the host alone in common.
    pub(super) fn has_just_joined(&mut self, moment: &Moment) -> bool {
        let (Some(by), Some(at_us)) = (&moment.by, moment.at_us) else {
            return false;
        };
        let is_its = |(of, at): &(Box<[u8]>, i64)| host(by) == &**of && is_soon(*at, at_us);
        let place = self.joined.iter().position(is_its);
        place.map(|place| self.joined.remove(place)).is_some()
    }

    /// A client found nothing at this time of its own clock, when that was the next due time: the
    /// transfer that was before it, if it ran for the same messages.
    pub(super) fn lost(
        &mut self,
        moment: &Moment,
        now: EpochMillis,
        head: Option<EpochMillis>,
    ) -> Option<&WonTransfer> {
        let won = self.won.as_mut()?;
        let after = won.moment.at_us.zip(moment.at_us);
        let is_after = after.is_some_and(|(won, at)| is_soon(won, at));
        let by_another = won.moment.by.is_some() && won.moment.by != moment.by;
        let is_near = head.is_some_and(|head| head <= now.plus(SOON_MS));
        if !is_after || !by_another || is_near {
            return None;
        }
        won.rivals += 1;
        Some(won)
    }
}

fn is_soon(before_us: i64, at_us: i64) -> bool {
    (0..=A_RACE_US).contains(&at_us.saturating_sub(before_us))
}
