//! The pace at which the keys are looked through: a share of the server's time, in small slices.

use std::time::{Duration, Instant};

/// The time that a slice should cost the server, in µs: half of what it may cost at most.
const SLICE_US: u64 = 500;
/// A quarter of the server's time so long, and until so many keys are looked through even if that
/// takes a little longer; then a twentieth. (A million keys cost about 0.7 s of server time.)
const BRISK: Duration = Duration::from_secs(3);
const BRISK_KEYS: u64 = 1_000_000;
const BRISK_LONGEST: Duration = Duration::from_secs(6);
const BRISK_SHARE: u32 = 4;
const CALM_SHARE: u32 = 20;

/// The part of the time in which we asked nothing that is made up for by slices without a pause.
const SAVED: Duration = Duration::from_millis(50);

/// Keys that the first slice looks at; later ones by what they cost.
const KEYS_OF_THE_FIRST_SLICE: u32 = 200;
const MOST_KEYS_OF_A_SLICE: u32 = 10_000;

/// The pace of one pass through the keys.
pub(super) struct ScanPace {
    started: Instant,
    /// The server's time we have used, spread out: until then the share is used up.
    used_up_to: Instant,
    count: u32,
}

impl ScanPace {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            started: now,
            used_up_to: now,
            count: KEYS_OF_THE_FIRST_SLICE,
        }
    }

    /// Returns the number of keys that the next slice shall look at.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Takes note of what a slice cost that ended after `looked` keys; returns until when to wait,
    /// if at all.
    pub(super) fn paid(&mut self, server_us: u64, looked: u64, now: Instant) -> Option<Instant> {
        let wanted = u64::from(self.count) * SLICE_US / server_us.max(1);
        let (least, most) = (self.count / 4, self.count.saturating_mul(2));
        self.count = u32::try_from(wanted)
            .unwrap_or(MOST_KEYS_OF_A_SLICE)
            .clamp(least, most)
            .clamp(10, MOST_KEYS_OF_A_SLICE);
        let so_far = now.saturating_duration_since(self.started);
        let brisk = so_far < BRISK || (looked < BRISK_KEYS && so_far < BRISK_LONGEST);
        let share = if brisk { BRISK_SHARE } else { CALM_SHARE };
        // What a late timer or a slow answer left unused is made up for; a longer rest is not.
        let earliest = now.checked_sub(SAVED).unwrap_or(now);
        self.used_up_to = self.used_up_to.max(earliest) + Duration::from_micros(server_us) * share;
        (self.used_up_to > now).then_some(self.used_up_to)
    }
}

/// Estimates how many of `keys` SCAN has passed when it is at `cursor`. Its cursor counts buckets
/// with the bits in reverse, whatever the size of the table, so that reversed it tells the
/// fraction.
pub(super) fn looked(cursor: u64, keys: u64) -> u64 {
    let passed = u128::from(cursor.reverse_bits()) * u128::from(keys);
    u64::try_from(passed >> 64).unwrap_or(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    #[test]
    fn the_server_gets_three_quarters_of_its_time_and_later_nineteen_twentieths() {
        let start = instant();
        let mut pace = ScanPace::new(start);
        let mut now = start;
        let mut paid = 0;
        while now < start + Duration::from_secs(2) {
            paid += 900;
            now = pace.paid(900, 0, now).unwrap_or(now);
        }
        assert!((495_000..=515_000).contains(&paid), "{paid} µs in 2 s");
        let late = start + Duration::from_secs(10);
        let waits: Vec<_> = (0..6)
            .map(|_| pace.paid(500, 0, late).map(|until| until - late))
            .collect();
        assert_eq!(waits[..5], [None; 5], "a short rest is made up for");
        assert_eq!(waits[5], Some(Duration::from_millis(10)));
    }

    #[test]
    fn slices_grow_and_shrink_towards_half_a_millisecond() {
        let start = instant();
        let mut pace = ScanPace::new(start);
        pace.paid(50, 0, start);
        assert_eq!(pace.count(), 400);
        pace.paid(4_000, 0, start);
        assert_eq!(pace.count(), 100);
        (0..20).for_each(|_| {
            pace.paid(0, 0, start);
        });
        assert_eq!(pace.count(), MOST_KEYS_OF_A_SLICE);
    }

    #[test]
    fn the_cursor_tells_how_far_it_is() {
        assert_eq!(looked(0b1, 1_000), 500);
        assert_eq!(looked(0b10, 1_000), 250);
        assert_eq!(looked(0b11, 1_000), 750);
    }
}
