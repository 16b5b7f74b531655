//! The most that reading payloads may cost where somebody waits for it.

use super::reader::Budget;

/// Below this nothing is read any more: a codec that is tried may spend half of what is left.
const LEAST_WORK: u32 = 1_000;

/// The budget of several payloads together.
#[derive(Clone, Copy, Debug)]
pub struct Effort(Budget);

impl Effort {
    /// An effort of so many values looked at, and bytes unpacked. Reading a whole payload takes
    /// 150,000 and two megabytes at most.
    #[must_use]
    pub const fn of(work: u32, unpack: usize) -> Self {
        Self(Budget::of(work, unpack))
    }

    /// The values that may still be looked at.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.0.work
    }

    /// Tells whether too little is left to read anything with it.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.0.work < LEAST_WORK
    }

    /// Runs `read` with what is left; none if it was too little for what was read.
    pub(super) fn spend<T>(&mut self, read: impl FnOnce(&mut Purse<'_>) -> T) -> Option<T> {
        if self.is_spent() {
            return None;
        }
        self.0.is_short = false;
        let read = read(&mut Purse::Shared(&mut self.0));
        (!self.0.is_short).then_some(read)
    }
}

/// The purse that the attempts at one payload are paid from.
pub(super) enum Purse<'a> {
    /// Each attempt may spend all that one payload may cost.
    Full,
    /// All of them may spend what is left of this.
    Shared(&'a mut Budget),
}

impl Purse<'_> {
    /// Makes an attempt.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Budget) -> T) -> T {
        match self {
            Self::Full => read(&mut Budget::full()),
            Self::Shared(budget) => read(budget),
        }
    }
}
