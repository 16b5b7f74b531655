//! The pace at which pictures are drawn.

use std::time::{Duration, Instant};

/// Pictures that no key has asked for: a few at once, then one in this time. So the first data is
/// there as soon as it arrives, and a flood of announcements costs two or three pictures a second,
/// which is as much as somebody reads.
const FRAME: Duration = Duration::from_millis(400);

/// The most pictures that are drawn at once.
const AT_ONCE: u32 = 8;

/// The pictures that a key is good for: its own, and those of its answers.
const ASKED: u32 = 3;

/// The number of pictures that may be drawn at once: it grows with time, up to [`AT_ONCE`].
pub(crate) struct Pace {
    spare: u32,
    since: Instant,
}

impl Pace {
    /// Begins with all it may spend.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            spare: AT_ONCE,
            since: now,
        }
    }

    /// When the next picture may be drawn.
    pub(crate) fn next(&mut self, now: Instant) -> Instant {
        self.earn(now);
        if self.spare > 0 {
            now
        } else {
            self.since + FRAME
        }
    }

    /// Adds what has been earned until now.
    fn earn(&mut self, now: Instant) {
        let earned = now.saturating_duration_since(self.since).as_millis() / FRAME.as_millis();
        if earned > 0 {
            let earned = u32::try_from(earned).unwrap_or(AT_ONCE);
            self.spare = self.spare.saturating_add(earned).min(AT_ONCE);
            self.since += FRAME * earned;
        }
    }

    /// When the next picture may be drawn, where none may be now.
    pub(crate) fn held(&mut self, now: Instant) -> Option<Instant> {
        let at = self.next(now);
        (at > now).then_some(at)
    }

    /// Somebody has asked for something: its picture and what it brings are shown at once.
    pub(crate) fn asked(&mut self) {
        self.spare = self.spare.max(ASKED);
    }

    /// One was drawn now.
    pub(crate) fn drawn(&mut self, now: Instant) {
        // The one that was waited for is paid with what was earned meanwhile, or it would be free.
        self.earn(now);
        self.spare = self.spare.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    #[test]
    fn a_flood_costs_two_or_three_pictures_a_second_after_the_first_few() {
        let began = instant();
        let mut pace = Pace::new(began);
        let mut now = began;
        let mut drawn = Vec::new();
        // Something to be shown comes each 5 ms, and its picture is drawn when that may be.
        while now < began + Duration::from_secs(20) {
            let at = pace.next(now).max(now);
            pace.drawn(at);
            drawn.push(at.saturating_duration_since(began));
            now = at + Duration::from_millis(5);
        }
        let after = |from: u64| drawn.iter().filter(|at| at.as_secs() >= from).count();
        assert_eq!(drawn.len() - after(1), 10, "{drawn:?}");
        assert!((37..=38).contains(&after(5)), "{drawn:?}");
    }
}
