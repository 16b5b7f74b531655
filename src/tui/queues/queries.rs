//! Questions about the queues over all that the screen knows.

use std::time::{Duration, Instant};

use super::QueueRow;
use crate::tui::model::Model;

/// Beyond two intervals a reading of a row takes no longer than this.
const FRESH: Duration = Duration::from_millis(1_500);

/// The figures of a row are of now, as far as such figures are: it was read as often as rows in
/// sight are. Older ones stand still.
#[must_use]
pub fn is_fresh(model: &Model, row: &QueueRow) -> bool {
    let interval = Duration::from_millis(model.interval_ms.max(model.stretched_ms.unwrap_or(0)));
    let age = |read: Instant| model.instant.saturating_duration_since(read);
    // A picture that stands still does so as a whole; one of the past has rows of different age.
    let frozen = model.frozen.is_some() && model.then.is_none();
    frozen
        || row
            .read_at
            .is_some_and(|read| age(read) <= interval * 2 + FRESH)
}
