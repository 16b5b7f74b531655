//! Figures of a whole log: counts, the lateness of transfers, and the work of each client.

use std::collections::BTreeMap;

use super::life::{Event, EventKind};
use super::record::Precision;
use crate::clock::EpochMillis;
use crate::queue::frame::Era;
use crate::queue::{Due, Form};

/// Clients that are told apart at most.
const MOST_CLIENTS: usize = 10_000;
/// The edges between which a [`Spread`] counts exactly, in ms.
pub const SPREAD_EDGES_MS: [i64; 16] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 60_000, 300_000, 3_600_000,
];
/// Steps of a [`Spread`] in each doubling: its figures are right to 1/32.
const STEPS: u64 = 32;

/// The figures of a log.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// The time of its first command, in µs since the epoch.
    pub first_us: Option<i64>,
    /// The time of its last command.
    pub last_us: Option<i64>,
    /// The precision of its times.
    pub precision: Precision,
    /// Commands.
    pub commands: u64,
    /// Scripts that were started with a key of a queue.
    pub scripts: u64,
    /// Commands that scripts have sent: without any, the log leaves them out.
    pub script_commands: u64,
    /// Events by their word.
    pub events: BTreeMap<&'static str, u64>,
    /// Messages.
    pub messages: u64,
    /// Messages that were transferred more than once.
    pub delivered_again: u64,
    /// Spans from the due time of a message to its transfer, in µs.
    pub lateness: Spread,
    /// Spans that messages lay in target, in µs.
    pub in_target: Spread,
    /// The work of each client, by its host.
    pub clients: BTreeMap<Vec<u8>, HostFigures>,
    /// Messages that were let go for want of memory before their life was over.
    pub forgotten: u64,
    /// More queues were seen than are followed at once.
    pub has_more_queues: bool,
    /// Messages that were late by some time when the log ended, and for which no client of Redisson had
    /// run a transfer since they were due.
    pub nobody_asked: u64,
}

/// The work of the connections from one host.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HostFigures {
    /// Messages that it offered.
    pub offered: u64,
    /// Messages that it transferred.
    pub transferred: u64,
    /// Messages that it consumed.
    pub consumed: u64,
    /// Transfers that moved something.
    pub transfers_won: u64,
    /// Transfers that found nothing to move.
    pub transfers_in_vain: u64,
    /// Transfers that failed.
    pub transfers_failed: u64,
    /// Transfers that moved something which another client then looked for in vain.
    pub races_won: u64,
    /// Transfers in vain because another client's was before it.
    pub races_lost: u64,
    /// Failed transfers that it did not run again within 6 s: its clients repeat one after 5 s.
    pub retries_missed: u64,
    /// The generations of Redisson that its offers and its transfers are of.
    pub eras: Vec<Era>,
    /// Its clock against the server's, in µs: ahead when positive. The largest difference that was
    /// seen, since whatever keeps a command back makes it smaller.
    pub clock_us: Option<i64>,
}

/// The outcome of a transfer of a Redisson client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Attempt {
    /// It moved something.
    Won,
    /// There was nothing to move.
    InVain,
    /// It ended half-way.
    Failed,
}

impl Figures {
    /// True of a time from which on the log has all commands.
    pub(super) fn has_begun_by(&self, at: EpochMillis) -> bool {
        let at_us = at.get().checked_mul(1_000);
        self.first_us
            .is_some_and(|first| at_us.is_some_and(|at| at >= first))
    }

    /// Counts an event.
    pub(super) fn count(&mut self, event: &Event) {
        *self.events.entry(event.kind.word()).or_default() += 1;
        match &event.kind {
            EventKind::Transferred {
                late_us: Some(late),
                ..
            } => self.lateness.add(*late),
            EventKind::Consumed {
                waited_us: Some(waited),
            } => self.in_target.add(*waited),
            _ => {}
        }
        let Some(client) = event.by.as_deref().and_then(|by| self.client(by)) else {
            return;
        };
        match event.kind {
            EventKind::Offered { .. } => {
                client.offered += 1;
                let form = event.message.as_ref().and_then(|message| message.form());
                client.is_of(form.map(Form::era));
            }
            EventKind::Transferred { .. } => client.transferred += 1,
            EventKind::Consumed { .. } => client.consumed += 1,
            _ => {}
        }
    }

    /// Counts a transfer of the client at this address, whose script is of that generation, and whose
    /// clock was so far ahead.
    pub(super) fn attempt(
        &mut self,
        by: &[u8],
        attempt: Attempt,
        era: Option<Era>,
        ahead_us: Option<i64>,
    ) {
        let Some(client) = self.client(by) else {
            return;
        };
        client.is_of(era);
        client.clock_us = client.clock_us.max(ahead_us);
        match attempt {
            Attempt::Won => client.transfers_won += 1,
            Attempt::InVain => client.transfers_in_vain += 1,
            Attempt::Failed => client.transfers_failed += 1,
        }
    }

    /// Counts a failed transfer that a client of this host, or at this address, did not run again.
    pub(super) fn missed_retry(&mut self, by: &[u8]) {
        if let Some(client) = self.client(by) {
            client.retries_missed += 1;
        }
    }

    /// Counts a transfer in vain, after one of the winner's; `is_first` of those after that one.
    pub(super) fn raced(&mut self, winner: &[u8], loser: &[u8], is_first: bool) {
        if let Some(winner) = self.client(winner).filter(|_| is_first) {
            winner.races_won += 1;
        }
        if let Some(loser) = self.client(loser) {
            loser.races_lost += 1;
        }
    }

    /// The client with that address.
    fn client(&mut self, address: &[u8]) -> Option<&mut HostFigures> {
        let host = host(address);
        if !self.clients.contains_key(host) {
            if self.clients.len() >= MOST_CLIENTS {
                return None;
            }
            self.clients.insert(host.to_vec(), HostFigures::default());
        }
        self.clients.get_mut(host)
    }
}

impl HostFigures {
    fn is_of(&mut self, era: Option<Era>) {
        if let Some(era) = era.filter(|era| !self.eras.contains(era)) {
            self.eras.push(era);
        }
    }
}

/// The host of an address; of a unix socket its path.
#[must_use]
pub fn host(address: &[u8]) -> &[u8] {
    let colon = address.iter().rposition(|byte| *byte == b':');
    match colon {
        Some(colon) if !address.starts_with(b"unix:") => &address[..colon],
        _ => address,
    }
}

/// The span from a due time to an event, in µs.
pub(super) fn late_us(due: Option<Due>, at_us: Option<i64>) -> Option<i64> {
    let due = due.and_then(Due::at)?.get().checked_mul(1_000)?;
    at_us?.checked_sub(due)
}

/// The distribution of spans, in memory that does not grow with their number.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    /// Counts by size; a span below 0 counts as 0.
    counts: Vec<u64>,
    /// Counts by the first edge that they do not pass; the last one is of those that pass all.
    between: [u64; SPREAD_EDGES_MS.len() + 1],
    count: u64,
    least: i64,
    most: i64,
}

impl Spread {
    /// Adds one.
    pub fn add(&mut self, span: i64) {
        if self.count == 0 {
            (self.least, self.most) = (span, span);
        }
        self.least = self.least.min(span);
        self.most = self.most.max(span);
        self.count += 1;
        let at = index(u64::try_from(span).unwrap_or(0));
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
        let edge = SPREAD_EDGES_MS.partition_point(|edge| edge * 1_000 < span);
        self.between[edge] += 1;
    }

    /// The edges in ms that spans of this precision are told by, from the first one that some do not pass
    /// to the last one that is needed, each with the number of spans between it and the one before; the
    /// edge of those that pass all is none.
    pub fn histogram(&self, precision: Precision) -> impl Iterator<Item = (Option<i64>, u64)> {
        let is_finer = |edge: &&i64| **edge * 1_000 < precision.error_us();
        let finer = SPREAD_EDGES_MS.iter().take_while(is_finer).count();
        let mut between = self.between;
        between[finer] += between[..finer].iter().sum::<u64>();
        let edges = SPREAD_EDGES_MS.into_iter().map(Some).chain([None]);
        let all = edges.zip(between);
        let last = between.iter().rposition(|count| *count > 0);
        all.take(last.map_or(0, |last| last + 1))
            .skip(finer)
            .skip_while(|(_, count)| *count == 0)
    }

    /// Spans counted.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The least; none of none.
    #[must_use]
    pub fn least(&self) -> Option<i64> {
        (self.count > 0).then_some(self.least)
    }

    /// The most; none of none.
    #[must_use]
    pub fn most(&self) -> Option<i64> {
        (self.count > 0).then_some(self.most)
    }

    /// The span that so many of a thousand do not pass, to 1/32; none of none.
    #[must_use]
    pub fn permille(&self, permille: u64) -> Option<i64> {
        if self.count == 0 {
            return None;
        }
        let rank = (self.count * permille).div_ceil(1_000).max(1);
        let mut below = 0;
        let at = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        })?;
        let highest = i64::try_from(highest(at)).unwrap_or(i64::MAX);
        Some(highest.clamp(self.least, self.most))
    }
}

/// The place of a span in the counts of a [`Spread`].
fn index(span: u64) -> usize {
    let doublings = (span / STEPS).checked_ilog2().map_or(0, |log| log + 1);
    let step = if doublings == 0 {
        span
    } else {
        (span >> (doublings - 1)) - STEPS
    };
    usize::try_from(u64::from(doublings) * STEPS + step).unwrap_or(usize::MAX)
}

/// The highest span that is counted at a place.
fn highest(index: usize) -> u64 {
    let (doublings, step) = (index as u64 / STEPS, index as u64 % STEPS);
    match doublings.checked_sub(1) {
        None => step,
        Some(shift) => ((u128::from(STEPS + step + 1) << shift) - 1)
            .try_into()
            .unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_host_of_an_address_is_all_but_its_port() {
        assert_eq!(host(b"10.0.3.7:51342"), b"10.0.3.7");
        assert_eq!(host(b"[::1]:6379"), b"[::1]");
        assert_eq!(host(b"unix:/run/redis.sock"), b"unix:/run/redis.sock");
    }

    #[test]
    fn a_spread_of_nothing_has_no_figures() {
        let spread = Spread::default();
        assert_eq!((spread.permille(500), spread.most()), (None, None));
        assert_eq!(spread.histogram(Precision::Micro).count(), 0);
    }

    #[test]
    fn a_histogram_counts_spans_up_to_each_edge_exactly() {
        let mut spread = Spread::default();
        for us in [-5, 1_001, 2_000, 9_999, 3_600_000_001] {
            spread.add(us);
        }
        let all: Vec<_> = spread.histogram(Precision::Micro).collect();
        assert_eq!(
            all[..4],
            [(Some(1), 1), (Some(2), 2), (Some(5), 0), (Some(10), 1)]
        );
        assert_eq!((all.len(), all.last()), (17, Some(&(None, 1))));
        let mut spread = Spread::default();
        spread.add(700_000);
        assert!(spread.histogram(Precision::Micro).eq([(Some(1_000), 1)]));
    }

    #[test]
    fn a_histogram_of_whole_seconds_has_no_finer_edges() {
        let mut spread = Spread::default();
        for us in [-400_000, 1_000, 700_000, 1_500_000] {
            spread.add(us);
        }
        let all = spread.histogram(Precision::Second);
        assert_eq!(
            all.collect::<Vec<_>>(),
            [(Some(1_000), 3), (Some(2_000), 1)]
        );
        let mut spread = Spread::default();
        spread.add(1_500_000);
        assert!(spread.histogram(Precision::Second).eq([(Some(2_000), 1)]));
        let none = Spread::default();
        assert_eq!(none.histogram(Precision::Second).count(), 0);
    }

    proptest! {
        #[test]
        fn a_figure_of_a_spread_is_that_of_the_sorted_spans_to_a_32nd(
            mut spans in proptest::collection::vec(-5..10_000_000_000_i64, 1..200),
            permille in 0..=1_000_u64,
        ) {
            let mut spread = Spread::default();
            for span in &spans {
                spread.add(*span);
            }
            spans.sort_unstable();
            let rank = (spans.len() as u64 * permille).div_ceil(1_000).max(1);
            let exact = spans[usize::try_from(rank).unwrap() - 1];
            let told = spread.permille(permille).unwrap();
            prop_assert!(told >= exact.max(0).min(spread.most().unwrap()), "{told} {exact}");
            prop_assert!(told <= exact.max(0) + exact.max(0) / 32 + 1, "{told} {exact}");
        }

        #[test]
        fn every_span_has_its_place(span: u64) {
            let at = index(span);
            prop_assert!(highest(at) >= span);
            prop_assert!(at == 0 || highest(at - 1) < span);
        }
    }
}
