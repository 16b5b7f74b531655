//! Offers messages, and looks how a queue's are written.

use super::{Effect, OfferReply, OfferRequest, SeenFormat};
use crate::ops::activity::ActivityRecord;
use crate::ops::journal::Journal;
use crate::ops::offer::{self as offers, codec_of, form_of};
use crate::payload::PayloadContent;
use crate::queue::{Change, Queue};
use crate::store::write::Writer;
use crate::store::{Store, StoreError};
use crate::tui::msg::Msg;
use crate::tui::offer;
use crate::tui::tasks::{TaskKind, Tasks};

impl Tasks {
    /// Does what an offer needs.
    pub(crate) fn offer(&mut self, effect: Effect) {
        match effect {
            Effect::Sample(queue) => {
                let sample = sample(self.store.clone(), queue.clone());
                self.ask(TaskKind::Sample, sample, |seen| {
                    Msg::Offer(offer::Msg::Sampled(queue, seen))
                });
            }
            Effect::Make(asked) => self.make(*asked),
        }
    }

    /// Offers. Nothing makes an offer void that is on its way.
    fn make(&mut self, asked: OfferRequest) {
        let (writer, answers) = (self.writer(&asked.queue), self.answers.clone());
        let journal = self.journal.clone();
        tokio::spawn(async move {
            let (generation, due, queue) = (asked.generation, asked.due, asked.queue.clone());
            let outcome = make(writer, journal, asked).await;
            let _ = answers.send(Msg::Offer(offer::Msg::Answered {
                generation,
                queue,
                due,
                outcome,
            }));
        });
    }
}

/// Finds out how the queue's entries are written.
async fn sample(store: Store, queue: Queue) -> SeenFormat {
    let (form, codec) = tokio::join!(form_of(&store, &queue), codec_of(&store, &queue));
    match (form, codec) {
        (Ok(form), Ok(written)) => SeenFormat::Known {
            form,
            codec: written.as_ref().map(|(codec, _)| *codec),
            held: written.map_or(PayloadContent::Text, |(_, held)| held),
        },
        (Err(why), _) | (_, Err(why)) => SeenFormat::Failed(why.to_string()),
    }
}

/// Offers, and writes it down; what became of it.
async fn make(
    writer: Result<Writer, StoreError>,
    journal: Journal,
    asked: OfferRequest,
) -> OfferReply {
    let count = usize::try_from(asked.count).unwrap_or(usize::MAX);
    let message = (asked.due, asked.payload.as_slice());
    let messages = std::iter::repeat_n(message, count);
    let writer = match writer {
        Ok(writer) => writer,
        Err(why) => return OfferReply::Failed(why.to_string()),
    };
    let (queue, each) = (&asked.queue, asked.payload.len() as u64);
    let size = [asked.count, asked.count.saturating_mul(each)];
    let noted = ActivityRecord::begin(&journal, writer.store(), queue, Change::Offer, size).await;
    let mut noted = match noted {
        Ok(noted) => noted,
        Err(why) => return OfferReply::Failed(why.to_string()),
    };
    let offered = offers::offer_noted(&writer, queue, messages, asked.form, &mut noted).await;
    let journal_id = noted.id().to_owned();
    // Then the journal tells of it as never ended; what was offered is in all the same.
    let _ = noted.end().await;
    match offered {
        Ok(offered) => OfferReply::Done {
            journal_id,
            ids: offered.ids,
            refused: offered.refused.len() as u64,
            head: offered.head,
            unannounced: offered.unannounced,
            stopped: offered.stopped.map(|stopped| {
                let (unknown, left) = (stopped.unknown as u64, stopped.left as u64);
                (stopped.why.to_string(), unknown, left)
            }),
        },
        Err(why) => OfferReply::Failed(why.to_string()),
    }
}
