//! The entries that wait: which rows of them are loaded, and what each says.

pub mod decode;
pub mod update;
pub mod view;

use crate::payload::DecodedPayload;
use crate::queue::{Due, EntryId, Form, FrameError};

/// A window on the entries of the selected queue, by their places in the list: ranks in timeouts,
/// from its other end where the last stand first; of the hits alone while a filter is on.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// Place of the first row on the screen.
    pub top: u64,
    /// Place of the row under the cursor.
    pub cursor: u64,
    /// The cursor was moved: it follows its entry, not its rank.
    pub anchored: bool,
    /// Place of `rows[0]`.
    pub first: u64,
    /// The rows that are loaded.
    pub rows: Vec<EntryRow>,
}

/// An entry, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryRow {
    /// Its exact bytes.
    pub member: Vec<u8>,
    /// Its score.
    pub score: f64,
    /// The due time that the score stands for.
    pub due: Due,
    /// The id that people call it by.
    pub id: EntryId,
    /// Its frame form; none in a layout without frames or when it is no frame.
    pub form: Option<Form>,
    /// Bytes of the payload (of the member, when it is no frame).
    pub size: usize,
    /// The decoded content, or why it cannot be told.
    pub content: Result<DecodedPayload, FrameError>,
}

impl EntryRow {
    /// It has a score: no element of target has, nor has a member of the order list of which
    /// timeouts tells none. Its `score` is not a number then, which no score in Redis can be.
    #[must_use]
    pub const fn scored(&self) -> bool {
        !self.score.is_nan()
    }

    /// The payload's bytes; the whole member when it is no frame.
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        let start = self.member.len().saturating_sub(self.size);
        &self.member[start..]
    }
}
