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
        let earned = now.saturating_duration_since(self.since).as_millis() / FRAME.as_millis();
        if earned > 0 {
            let earned = u32::try_from(earned).unwrap_or(AT_ONCE);
            self.spare = self.spare.saturating_add(earned).min(AT_ONCE);
            self.since += FRAME * earned;
        }
        if self.spare > 0 {
            now
        } else {
            self.since + FRAME
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

    /// One was drawn.
    pub(crate) fn drawn(&mut self) {
        self.spare = self.spare.saturating_sub(1);
    }
}
