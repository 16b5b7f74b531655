//! The form that offers messages: what has been filled in, and what it means.

pub mod check;
pub mod run;
pub mod update;
pub mod view;

use self::check::check_message;
use crate::clock::EpochMillis;
use crate::payload::{self, Codec, EncodeError, PayloadContent};
use crate::queue::{EntryId, Form, Queue};
use crate::tui::field::{Field, Lines};
use crate::tui::form::{InputForm, Message, Part, next};

/// Answers that an offer waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    /// A queue's entries were looked at: how they are written, or why that is not known.
    Sampled(Queue, SeenFormat),
    /// An answer to the question: so many are offered.
    Agreed(Box<OfferRequest>),
    /// An answer to the question: nothing is offered, and what was filled in stays.
    Refused(Queue),
    /// An offer has an answer, or there will be none.
    Answered {
        /// As in the effect that asked for it.
        generation: u64,
        /// The queue that was offered to.
        queue: Queue,
        /// The due time of the messages.
        due: EpochMillis,
        /// Outcome of the offer.
        outcome: OfferReply,
    },
}

/// Requests of an offer: see how entries are written, offer.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// See how a queue's entries are written.
    Sample(Queue),
    /// Offer messages.
    Make(Box<OfferRequest>),
}

/// The form that offers messages to a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferForm {
    /// The queue that the messages go to.
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
    /// Number of messages to offer, as typed.
    pub count: Field,
    /// The codec and the form that the queue's entries show.
    pub seen: SeenFormat,
    /// The part that the keys act on.
    pub at: Part,
    /// Size of the message as it will be written, and the remark on it; as of the last change.
    pub message: Message,
    /// It was sent off while the queue's entries were still being looked at: it goes when they
    /// have told how they are written.
    pub waiting: bool,
    /// The offer that is under way.
    pub sending: Option<u64>,
    /// The reason why the last one failed.
    pub failed: Option<String>,
}

/// The way in which messages are written, as a queue's entries show it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SeenFormat {
    /// They are being looked at.
    Looking,
    /// This.
    Known {
        /// The frame form of its entries, or of the clients that this server has seen.
        form: Option<Form>,
        /// The codec that explains most of them.
        codec: Option<Codec>,
        /// The kind of content that all of those hold.
        held: PayloadContent,
    },
    /// They could not be looked at, for this reason.
    Failed(String),
}

/// Outcome of an offer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum OfferReply {
    /// The server has answered to all of it, or to its first batches.
    Done {
        /// Its id in the journal.
        journal_id: String,
        /// The entries that are in.
        ids: Vec<EntryId>,
        /// Number of messages that were refused, since equal ones wait already.
        refused: u64,
        /// One of them is the new head.
        head: bool,
        /// The reason why nobody was told of the new head.
        unannounced: Option<String>,
        /// The reason why the rest is not in, how many of it may be, and how many were not offered.
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
            due: Field::proposing("5s"),
            count: Field::proposing("1"),
            seen: SeenFormat::Looking,
            at: Part::Payload,
            message: Message::default(),
            waiting: false,
            sending: None,
            failed: None,
        }
    }

    /// The codec that it is written with: the chosen one, else the queue's, else text.
    #[must_use]
    pub fn written_with(&self) -> Codec {
        let seen = match &self.seen {
            SeenFormat::Known { codec, .. } => *codec,
            _ => None,
        };
        self.codec.or(seen).unwrap_or(Codec::Text)
    }

    /// The payload that it becomes: of the type of the queue's, if nobody chose another codec.
    pub fn encoded(&self, typed: &str) -> Result<Vec<u8>, EncodeError> {
        let held = match &self.seen {
            SeenFormat::Known { held, .. } if self.codec.is_none() => held,
            _ => &PayloadContent::Text,
        };
        payload::encode_like(self.written_with(), held, typed)
    }

    /// The frame form that it is wrapped in: the chosen one, else the queue's; none while that is
    /// unknown.
    #[must_use]
    pub fn wrapped_in(&self) -> Option<Form> {
        let seen = match &self.seen {
            SeenFormat::Known { form, .. } => *form,
            _ => None,
        };
        self.form.or(seen)
    }

    /// Tells whether what the queue's entries will tell decides how the message is written.
    #[must_use]
    pub fn needs_seen(&self) -> bool {
        let framed = self.queue.has_frames();
        let open = self.codec.is_none() || (framed && self.form.is_none());
        self.seen == SeenFormat::Looking && open
    }

    /// The forms of the server that the queue lies on: with its lengths, when those are known.
    fn forms(&self) -> Vec<Form> {
        match self.seen {
            SeenFormat::Known {
                form: Some(form), ..
            } => form.on_the_same_servers(),
            _ => Form::ByteId.on_the_same_servers(),
        }
    }
}

impl InputForm for OfferForm {
    /// A layout without frames has no form to be chosen.
    fn parts(&self) -> &'static [Part] {
        if self.queue.has_frames() {
            &[
                Part::Payload,
                Part::Codec,
                Part::Form,
                Part::Due,
                Part::Count,
                Part::Button,
            ]
        } else {
            &[
                Part::Payload,
                Part::Codec,
                Part::Due,
                Part::Count,
                Part::Button,
            ]
        }
    }

    fn at(&self) -> Part {
        self.at
    }

    fn go(&mut self, to: Part) {
        self.at = to;
    }

    fn is_sent(&self) -> bool {
        self.waiting || self.sending.is_some()
    }

    fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    fn message(&self) -> Option<(&Field, usize, &'static str)> {
        let extension = if self.written_with().is_json() {
            "json"
        } else {
            "txt"
        };
        Some((&self.payload, self.top, extension))
    }

    fn message_mut(&mut self) -> Option<(&mut Field, &mut usize)> {
        Some((&mut self.payload, &mut self.top))
    }

    fn line(&mut self) -> Option<&mut Field> {
        match self.at {
            Part::Due => Some(&mut self.due),
            Part::Count => Some(&mut self.count),
            _ => None,
        }
    }

    fn choose(&mut self, on: bool) {
        if self.at == Part::Codec {
            let codecs: Vec<Codec> = Codec::ALL
                .into_iter()
                .filter(|codec| codec.is_writable())
                .collect();
            self.codec = next(&codecs, Some(self.written_with()), on);
            self.message = check_message(self);
        } else {
            self.form = next(&self.forms(), self.wrapped_in(), on);
        }
    }

    fn typed(&mut self) {
        self.failed = None;
        self.message = check_message(self);
    }
}

/// Messages to be offered.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OfferRequest {
    /// As in the answer.
    pub generation: u64,
    /// The queue to offer to.
    pub queue: Queue,
    /// Payload of each of them, encoded.
    pub payload: Vec<u8>,
    /// Number of messages.
    pub count: u64,
    /// When they are due.
    pub due: EpochMillis,
    /// The frame form of the entries; a layout without frames does not look at it.
    pub form: Form,
}
