//! What became of entries, as people are told: what others have done meanwhile is no loss.

use super::{Change, Outcome};

impl Outcome {
    /// The words behind a number in the sum of a change, as in "2 already moved by others".
    #[must_use]
    pub const fn said(self, of: Change) -> &'static str {
        match (self, of) {
            (Self::Gone, Change::Transfer | Change::Deliver | Change::Worker) => {
                "already moved by others"
            }
            (Self::Gone, Change::Unwrap | Change::Consume) => "already taken by others",
            (Self::Gone, Change::PutBack) => "already put back by others",
            (Self::Gone, Change::RestoreOrder) => "left out, as they wait no more",
            (Self::Unknown, _) => "with unknown outcome",
            _ => self.of_one(),
        }
    }

    /// The word beside a single entry: eleven letters at most.
    #[must_use]
    pub const fn of_one(self) -> &'static str {
        match self {
            Self::Gone => "moved on",
            other => other.word(),
        }
    }
}
