//! The form that offers messages: what has been filled in, and what it means.

mod check;

use super::field::{Field, Lines};
use crate::payload::Codec;
use crate::queue::{EntryId, Form, Layout, Queue};

pub use check::{
    MOST, Message, Said, check_message, count, due, what_codec, what_count, what_form,
};

/// The form that offers messages to a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferForm {
    /// Which queue.
    pub queue: Queue,
    /// The message.
    pub payload: Field,
    /// The first row of the message in sight.
    pub top: usize,
    /// The codec that was chosen; none: what fits the queue.
    pub codec: Option<Codec>,
    /// The frame form that was chosen; none: the queue's.
    pub form: Option<Form>,
    /// When it shall be due, as typed.
    pub due: Field,
    /// How many of it, as typed.
    pub count: Field,
    /// What the queue's entries say of codec and form.
    pub seen: Seen,
    /// What the keys act on.
    pub at: Part,
    /// What the message becomes; as of the last change.
    pub message: Message,
    /// The offer that is under way.
    pub sending: Option<u64>,
    /// Why the last one failed.
    pub failed: Option<String>,
}

/// The parts of the form, from top to bottom.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Part {
    /// The message.
    Payload,
    /// Its codec.
    Codec,
    /// The frame form.
    Form,
    /// When it is due.
    Due,
    /// How many.
    Count,
    /// The button that offers.
    Button,
}

/// What a queue's entries say of how messages are written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Seen {
    /// They are being looked at.
    Looking,
    /// This.
    Known {
        /// The frame form of its entries, or of the clients that this server has seen.
        form: Option<Form>,
        /// The codec that explains most of them.
        codec: Option<Codec>,
    },
    /// They could not be looked at, for this reason.
    Failed(String),
}

/// What became of an offer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Offered {
    /// The server has answered to all of it, or to its first batches.
    Done {
        /// The entries that are in.
        ids: Vec<EntryId>,
        /// How many were refused, since equal messages wait already.
        refused: u64,
        /// One of them is the new head.
        head: bool,
        /// Why nobody was told of the new head.
        unannounced: Option<String>,
        /// Why the rest is not in, how many of it may be, and how many were not offered.
        stopped: Option<(String, u64, u64)>,
    },
    /// Nothing is in, for this reason.
    Failed(String),
}

impl OfferForm {
    /// An empty form: due in five seconds, once.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self {
            queue,
            payload: Field::new(Lines::Many, ""),
            top: 0,
            codec: None,
            form: None,
            due: Field::new(Lines::One, "5s"),
            count: Field::new(Lines::One, "1"),
            seen: Seen::Looking,
            at: Part::Payload,
            message: Message::default(),
            sending: None,
            failed: None,
        }
    }

    /// Its parts, from top to bottom: a layout without frames has no form to be chosen.
    #[must_use]
    pub fn parts(&self) -> &'static [Part] {
        match self.queue.layout {
            Layout::Redisson => &[
                Part::Payload,
                Part::Codec,
                Part::Form,
                Part::Due,
                Part::Count,
                Part::Button,
            ],
            Layout::ZsetList(_) => &[
                Part::Payload,
                Part::Codec,
                Part::Due,
                Part::Count,
                Part::Button,
            ],
        }
    }

    /// The codec that it is written with: the chosen one, else the queue's, else text.
    #[must_use]
    pub fn written_with(&self) -> Codec {
        let seen = match self.seen {
            Seen::Known { codec, .. } => codec,
            _ => None,
        };
        self.codec.or(seen).unwrap_or(Codec::Text)
    }

    /// The frame form that it is wrapped in: the chosen one, else the queue's; none while that is
    /// unknown.
    #[must_use]
    pub fn wrapped_in(&self) -> Option<Form> {
        let seen = match self.seen {
            Seen::Known { form, .. } => form,
            _ => None,
        };
        self.form.or(seen)
    }

    /// The field of one line that the keys act on, when it is one.
    pub fn line(&mut self) -> Option<&mut Field> {
        match self.at {
            Part::Due => Some(&mut self.due),
            Part::Count => Some(&mut self.count),
            _ => None,
        }
    }
}
