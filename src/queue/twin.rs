//! The other queue that has the same keys but for its target: `{orders}` beside `orders`.

use super::name::QueueName;

/// The signs of that other queue.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Twin {
    /// Its name, which is its target too.
    pub name: QueueName,
    /// There is a list with its name.
    pub stands: bool,
    /// Somebody was seen to write to it, the last time so many ms ago, though nothing may stand there:
    /// what is delivered may be taken at once. None when nobody was.
    pub written_ago_ms: Option<i64>,
    /// Somebody has delivered to this queue's own target, too; none while that is not known.
    pub own: Option<bool>,
    /// The time since that was seen last, in ms; none where it was not.
    pub own_ago_ms: Option<i64>,
}

impl Twin {
    /// More watching tells more of it.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.stands && (self.written_ago_ms.is_none() || self.own.is_none())
    }
}
