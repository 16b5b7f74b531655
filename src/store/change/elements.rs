//! Changes of what was delivered, and the kick.

use std::time::Duration;

use redis::{Pipeline, Value};

use super::{EditResult, End, ListPlace, TakeBack, adding, channel, push, texts};
use crate::queue::{HeldElement, Queue};
use crate::store::error::StoreError;
use crate::store::script::{self, Fate, TimedResult};
use crate::store::take::push_back;
use crate::store::write::Writer;

/// The longest wait for the answer to a kick.
const LIMIT: Duration = Duration::from_secs(10);

impl Writer {
    /// Takes delivered elements out of target and puts them into timeouts, each with a score that
    /// is a number, and at the tail of the order list; of equal ones that first which a consumer
    /// takes first, and cheap when they stand where consumers take. Publishes the due time of a new
    /// head.
    /// `Gone`: no such element; `Changed`: that member waits already (nothing done). Refused with
    /// the code `ASIDE` while the order list is set aside.
    pub async fn take_back(
        &self,
        queue: &Queue,
        elements: &[TakeBack],
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.take_back_to(queue, elements, End::Tail).await
    }

    /// [`take_back`](Self::take_back) to either end of the order list. To its head: each before the
    /// one given before it, and of equal ones the newest first; cheap when those that were
    /// delivered last come first.
    pub async fn take_back_to(
        &self,
        queue: &Queue,
        elements: &[TakeBack],
        end: End,
    ) -> Result<TimedResult<EditResult>, StoreError> {
        self.fits("take elements back", elements.len())?;
        let keys = queue.keys();
        let scores = texts(elements.iter().map(|taken| taken.score));
        let (from, push) = match end {
            End::Head => (newest(queue), "LPUSH"),
            End::Tail => (next_taken(queue), "RPUSH"),
        };
        let mut args = vec![channel(&keys), from.as_bytes(), push.as_bytes()];
        for (score, taken) in scores.iter().zip(elements) {
            args.extend([&taken.element, &taken.member, score.as_bytes()]);
        }
        let keys = [vec![keys.target.as_slice()], adding(&keys)].concat();
        let told = script::take_back(&self.lane, &keys, args).await?;
        Ok(told.map(EditResult::from))
    }

    /// Delivers entries that only the order list holds, in the order given: payload to target, out
    /// of the order list. `Gone`: it is not there any more; `Changed`: it waits, and was left
    /// alone. Refused with the code `ASIDE` while the order list is set aside.
    pub async fn deliver_strays(
        &self,
        queue: &Queue,
        members: &[Vec<u8>],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        const ATTEMPT: &str = "transfer what only the order list holds";
        self.fits(ATTEMPT, members.len())?;
        let keys = queue.keys();
        let (Some(order), Some(aside)) = (&keys.order, &keys.aside) else {
            return Err(self.impossible(ATTEMPT, "the queue has no order list".to_owned()));
        };
        let keys = [keys.target.as_slice(), &keys.timeouts, order, aside];
        let members = members.iter().map(Vec::as_slice);
        script::deliver_stray(&self.lane, keys, members.collect()).await
    }

    /// Deletes delivered elements: each of them once, of equal ones that first which a consumer
    /// takes first. Never more than are there. Cheap when they stand where consumers take.
    pub async fn discard(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.discard_from(queue, elements, End::Head).await
    }

    /// The same; `Tail`: of equal ones the newest first, and cheap when they stand where new ones
    /// come.
    pub async fn discard_from(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
        end: End,
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        let from = match end {
            End::Head => next_taken(queue),
            End::Tail => newest(queue),
        };
        let told = self.discarded(queue, elements, [from, ""]).await?;
        Ok(told.map(|each| each.into_iter().map(|(fate, _)| fate).collect()))
    }

    /// The same from where new ones come. Tells where each stood when it left; they leave in the
    /// order given, so whoever puts them back goes through them backwards.
    pub async fn discard_newest(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<TimedResult<Vec<(Fate, Option<ListPlace>)>>, StoreError> {
        self.discarded(queue, elements, [newest(queue), "places"])
            .await
    }

    async fn discarded(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
        words: [&str; 2],
    ) -> Result<TimedResult<Vec<(Fate, Option<ListPlace>)>>, StoreError> {
        self.fits("delete delivered elements", elements.len())?;
        let words = words.iter().map(|word| word.as_bytes());
        let args = words.chain(elements.iter().map(Vec::as_slice));
        script::discard(&self.lane, &queue.keys().target, args.collect()).await
    }

    /// Puts deleted elements back into target, one after the other, each where it stood; where that
    /// is no longer there, since it was taken, where a consumer takes next. All or none.
    pub async fn put_elements_among(
        &self,
        queue: &Queue,
        elements: &[(Vec<u8>, ListPlace)],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("put elements back in their places", elements.len())?;
        let keys = queue.keys();
        let numbers = elements.iter().map(|(_, place)| match place {
            ListPlace::BehindNth(_, n) => n.to_string(),
            _ => "1".to_owned(),
        });
        let numbers: Vec<String> = numbers.collect();
        let mut args = vec![newest(queue).as_bytes()];
        for ((element, place), n) in elements.iter().zip(&numbers) {
            let (word, neighbour) = match place {
                ListPlace::Head => (&b"next"[..], &[][..]),
                ListPlace::Behind(neighbour) | ListPlace::BehindNth(neighbour, _) => {
                    (&b"behind"[..], neighbour.as_slice())
                }
                ListPlace::Tail => (&b"newest"[..], &[][..]),
            };
            args.extend([element, word, neighbour, n.as_bytes()]);
        }
        script::put_among(&self.lane, [&keys.target, &keys.timeouts], args).await
    }

    /// Puts deleted elements back at the end of target where the next consumer takes them, the
    /// first of them first. All or none.
    pub async fn put_elements_back(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        let last_first = elements.iter().rev().map(Vec::as_slice);
        let to = push_back(queue.comes_at_head());
        self.put_elements(queue, to, last_first.collect()).await
    }

    /// The same at the end where new ones come, the first of them before the others.
    pub async fn put_elements_behind(
        &self,
        queue: &Queue,
        elements: &[Vec<u8>],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        let first_first = elements.iter().map(Vec::as_slice);
        let to = push(queue).as_bytes();
        self.put_elements(queue, to, first_first.collect()).await
    }

    async fn put_elements(
        &self,
        queue: &Queue,
        to: &[u8],
        elements: Vec<&[u8]>,
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("put elements back", elements.len())?;
        let count = elements.len();
        let args = std::iter::once(to).chain(elements);
        let keys = queue.keys();
        let keys = [keys.target.as_slice(), &keys.timeouts];
        let pushed = script::push_back(&self.lane, keys, args.collect()).await?;
        Ok(pushed.map(|_| vec![Fate::Done; count]))
    }

    /// Puts back into target, where the next consumer takes them, elements that consumers hold
    /// which live no more, and elements of the intake; each before the one given before it.
    /// `Changed`: its consumer lives, until that moment. Takes no more memory, so a full server
    /// does it too.
    pub async fn give_back(
        &self,
        queue: &Queue,
        elements: &[HeldElement],
    ) -> Result<TimedResult<Vec<Fate>>, StoreError> {
        self.fits("put elements back that were taken", elements.len())?;
        let keys = queue.keys();
        let mut args: Vec<&[u8]> = vec![push_back(queue.comes_at_head()), b""];
        for held in elements {
            // What is held is known by its field.
            match &held.field {
                Some(field) => args.extend([field.as_slice(), b""]),
                None => args.extend([&b""[..], &held.element]),
            }
        }
        let hold = &keys.hold;
        let keys = [&keys.target, &hold.intake, &hold.held, &hold.leases];
        script::give_back(&self.lane, keys.map(Vec::as_slice), args).await
    }

    /// Publishes `0` on the queue's channel, so that every transfer client looks at once; tells
    /// how many were subscribed just before, which PUBLISH cannot tell (it counts us). None: the
    /// server does not let us count.
    pub async fn kick(&self, queue: &Queue) -> Result<Option<u64>, StoreError> {
        const ATTEMPT: &str = "wake the clients";
        let Some(channel) = queue.keys().channel else {
            let why = format!("a {} queue has no channel", queue.layout.word());
            return Err(self.impossible(ATTEMPT, why));
        };
        let mut pipeline = Pipeline::new();
        pipeline.cmd("PUBSUB").arg("NUMSUB").arg(&channel);
        pipeline.cmd("PUBLISH").arg(&channel).arg("0");
        let answers = self.lane.repeat(ATTEMPT, &pipeline, LIMIT).await?;
        let Ok([listening, published]) = <[Value; 2]>::try_from(answers) else {
            return Err(self.store().unexpected(ATTEMPT, &Value::Nil));
        };
        self.store().accept(ATTEMPT, published)?;
        // NUMSUB answers with the channel and its number.
        Ok(match &listening {
            Value::Array(pair) => match pair.as_slice() {
                [_, Value::Int(n)] => u64::try_from(*n).ok(),
                _ => None,
            },
            _ => None,
        })
    }
}

/// The end of target that is searched first, as LREM counts: where consumers take.
fn next_taken(queue: &Queue) -> &'static str {
    match push(queue) {
        "LPUSH" => "-1",
        _ => "1",
    }
}

/// The end of target that is searched first, as LREM counts: where the newest stand.
fn newest(queue: &Queue) -> &'static str {
    match push(queue) {
        "LPUSH" => "1",
        _ => "-1",
    }
}
