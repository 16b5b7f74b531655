//! Figures of a whole log: counts, the lateness of transfers, and the work of each client.

use std::collections::BTreeMap;

use super::life::{Event, EventKind, Life, MessageFate};
use super::names::ClientNames;
use super::record::Precision;
use super::target::is_one_client;
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
    /// Transfers of messages that had been transferred before.
    pub transfers_again: u64,
    /// Messages that were removed, or whose key is gone, before a consumer had them: of the lives that
    /// were told.
    pub never_delivered: u64,
    /// Spans from the due time of a message to its transfer, in µs.
    pub lateness: Spread,
    /// Spans that messages lay in target, in µs.
    pub in_target: Spread,
    /// The work of each connection, by its address; once there are too many, by its host.
    pub connections: BTreeMap<Vec<u8>, ClientFigures>,
    /// Messages that were let go for want of memory before their life was over.
    pub forgotten: u64,
    /// More queues were seen than are followed at once.
    pub has_more_queues: bool,
    /// Messages that were late by some time when the log ended, and for which no client of Redisson had
    /// run a transfer since they were due.
    pub nobody_asked: u64,
}

/// The work of one connection, or of all those that are one client's.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ClientFigures {
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
    /// The clocks that it was seen with.
    pub clocks: SeenClocks,
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

    /// Counts a life that is told for good.
    pub(super) fn told(&mut self, life: &Life) {
        let is_gone = matches!(
            life.fate(self.last_us),
            MessageFate::Removed
                | MessageFate::Deleted
                | MessageFate::Expired
                | MessageFate::Renamed
        );
        self.never_delivered += u64::from(is_gone && life.deliveries == 0);
    }

    /// Counts a transfer of the client at this address, whose script is of that generation, and whose
    /// clock was so far ahead, in µs, at that time.
    pub(super) fn attempt(
        &mut self,
        by: &[u8],
        attempt: Attempt,
        era: Option<Era>,
        ahead: Option<(i64, i64)>,
    ) {
        let Some(client) = self.client(by) else {
            return;
        };
        client.is_of(era);
        if let Some((ahead_us, at_us)) = ahead {
            client.clocks.saw(ahead_us, at_us);
        }
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

    /// The connection with that address, or the host of those that are not told apart.
    fn client(&mut self, address: &[u8]) -> Option<&mut ClientFigures> {
        let all = &mut self.connections;
        if !all.contains_key(address) && all.len() >= MOST_CLIENTS {
            let host = host(address);
            if !all.contains_key(host) {
                // Clients that connect again and again have many addresses.
                for (address, figures) in std::mem::take(all) {
                    let host = self::host(&address);
                    all.entry(host.to_vec()).or_default().join(&figures);
                }
            }
            if !all.contains_key(host) && all.len() >= MOST_CLIENTS {
                return None;
            }
            return Some(all.entry(host.to_vec()).or_default());
        }
        if !all.contains_key(address) {
            all.insert(address.to_vec(), ClientFigures::default());
        }
        all.get_mut(address)
    }

    /// The work of each client, in the order of their hosts: connections of one host that have one name
    /// are one client's, and so are those without a name, unless the others there have several.
    #[must_use]
    pub fn clients(&self, names: &ClientNames) -> Vec<TracedClient> {
        let mut by_name: BTreeMap<(&[u8], &[u8]), TracedClient> = BTreeMap::new();
        let mut has_several: BTreeMap<&[u8], bool> = BTreeMap::new();
        for (address, figures) in &self.connections {
            let host = host(address);
            let are_told_apart = *has_several
                .entry(host)
                .or_insert_with(|| names.of_host(host).len() > 1);
            let name = names.always(address).filter(|_| are_told_apart);
            let client = by_name.entry((host, name.unwrap_or(b"")));
            let client = client.or_insert_with(|| TracedClient {
                host: host.to_vec(),
                name: name.map(<[u8]>::to_vec),
                is_whole_host: !are_told_apart,
                addresses: Vec::new(),
                figures: ClientFigures::default(),
            });
            let mut figures = figures.clone();
            if is_one_client(address) {
                figures.clocks = figures.clocks.first();
            }
            client.figures.join(&figures);
            client.addresses.push(address.clone());
        }
        by_name.into_values().collect()
    }
}

/// A client: the connections that are taken for one.
#[derive(Clone, Debug)]
pub struct TracedClient {
    /// The host that they come from.
    pub host: Vec<u8>,
    /// Their name; none where they have none, or the host has one at most.
    pub name: Option<Vec<u8>>,
    /// They are all connections of the host.
    pub is_whole_host: bool,
    /// Their addresses.
    pub addresses: Vec<Vec<u8>>,
    /// Their work.
    pub figures: ClientFigures,
}

/// Clocks nearer to each other than this, in µs, are not told apart.
const ONE_CLOCK_US: i64 = 100_000;
/// Another client's clock is behind by so much, in µs: connections of one client that were seldom
/// used are not all seen at their best.
const ANOTHER_CLOCK_US: i64 = 500_000;
/// Clocks of one connection, or of one client, that are kept at most.
const MOST_CLOCKS: usize = 8;
/// Another clock is one that was seen at so many moments, each so long after the one before, in µs: what
/// keeps several commands back together is none.
const MOMENTS_OF_A_CLOCK: u64 = 3;
const ANOTHER_MOMENT_US: i64 = 500_000;

/// The clocks of whoever shares an address, against the server's.
///
/// Whatever keeps a command back makes its clock seem slower, so a client's clock is the most that it
/// was seen ahead. Where several share a host, or a socket, a slower one is another client's if it was
/// seen again and again, and more often than all between the two: delays come in all lengths.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SeenClocks(Vec<SeenClock>);

/// A clock that was seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct SeenClock {
    /// The most that it was ahead of the server's, in µs.
    ahead_us: i64,
    /// The last moment that counts, in µs since the epoch.
    last_us: i64,
    /// The moments at which it was seen.
    moments: u64,
}

impl SeenClocks {
    /// A clock was so far ahead, in µs, at that time.
    fn saw(&mut self, ahead_us: i64, at_us: i64) {
        self.add(SeenClock {
            ahead_us,
            last_us: at_us,
            moments: 1,
        });
    }

    fn add(&mut self, seen: SeenClock) {
        let is_it = |one: &&mut SeenClock| {
            one.ahead_us.abs_diff(seen.ahead_us) <= ONE_CLOCK_US.unsigned_abs()
        };
        if let Some(same) = self.0.iter_mut().find(is_it) {
            same.ahead_us = same.ahead_us.max(seen.ahead_us);
            let is_another = seen.last_us.saturating_sub(same.last_us) >= ANOTHER_MOMENT_US;
            if is_another || seen.moments > 1 {
                same.moments += seen.moments;
                same.last_us = same.last_us.max(seen.last_us);
            }
            return;
        }
        self.0.push(seen);
        self.0
            .sort_unstable_by_key(|one| std::cmp::Reverse(one.ahead_us));
        if self.0.len() > MOST_CLOCKS {
            // The first one is a clock, however seldom it was seen.
            let least = (1..self.0.len()).min_by_key(|at| self.0[*at].moments);
            least.map(|least| self.0.remove(least));
        }
    }

    /// Takes over those that were seen elsewhere.
    fn join(&mut self, others: &Self) {
        for seen in &others.0 {
            self.add(*seen);
        }
    }

    /// The clock that is furthest ahead, alone: one connection's.
    fn first(&self) -> Self {
        let first = self.0.first().copied();
        let moments = self.0.iter().map(|seen| seen.moments).sum();
        Self(
            first
                .map(|first| SeenClock { moments, ..first })
                .into_iter()
                .collect(),
        )
    }

    /// The same but for a first one that is behind and was hardly seen: its commands may have been kept
    /// back.
    #[must_use]
    pub fn sure(&self) -> Vec<i64> {
        let mut told = self.told();
        let is_unsure =
            |first: &SeenClock| first.ahead_us < 0 && first.moments < MOMENTS_OF_A_CLOCK;
        if self.0.first().is_some_and(is_unsure) {
            told.remove(0);
        }
        told
    }

    /// The clocks, in µs ahead of the server's, the most first.
    #[must_use]
    pub fn told(&self) -> Vec<i64> {
        let mut told: Vec<i64> = Vec::new();
        let mut most_between = 0;
        for seen in &self.0 {
            let is_far = |last: &i64| last.saturating_sub(seen.ahead_us) >= ANOTHER_CLOCK_US;
            let is_often = seen.moments >= MOMENTS_OF_A_CLOCK && seen.moments > most_between;
            if told.last().is_none_or(is_far) && (told.is_empty() || is_often) {
                told.push(seen.ahead_us);
                most_between = 0;
            } else {
                most_between = most_between.max(seen.moments);
            }
        }
        told
    }
}

impl ClientFigures {
    /// Takes over the work of a connection.
    fn join(&mut self, other: &Self) {
        for (own, its) in [
            (&mut self.offered, other.offered),
            (&mut self.transferred, other.transferred),
            (&mut self.consumed, other.consumed),
            (&mut self.transfers_won, other.transfers_won),
            (&mut self.transfers_in_vain, other.transfers_in_vain),
            (&mut self.transfers_failed, other.transfers_failed),
            (&mut self.races_won, other.races_won),
            (&mut self.races_lost, other.races_lost),
            (&mut self.retries_missed, other.retries_missed),
        ] {
            *own += its;
        }
        for era in &other.eras {
            self.is_of(Some(*era));
        }
        self.clocks.join(&other.clocks);
    }

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
        // One of IPv6 has colons of its own.
        Some(_) if address.ends_with(b"]") => address,
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
        assert_eq!(host(b"[::1]"), b"[::1]");
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
