//! The step from what was chosen to what is done: new scores, new bytes, and what cannot be done at
//! all.

use super::choose::FoundEntries;
use super::describe::describe;
use super::work::Work;
use super::{Base, ChangeError, ChangeRequest, NewDue, PreparedChange, blank, lacks, words};
use crate::clock::EpochMillis;
use crate::ops::offer;
use crate::queue::{Due, EntryId, EntryResult, Form, Outcome, Queue, frame};
use crate::store::Store;
use crate::store::change::{ChosenEntry, End, TakeBack};

/// The surroundings in which work is made.
pub(in crate::ops) struct PlanContext<'a> {
    pub(in crate::ops) store: &'a Store,
    pub(in crate::ops) queue: &'a Queue,
    /// The moment of the plan, by the server's clock.
    pub(in crate::ops) now: EpochMillis,
}

/// The work that a plan has come to.
#[derive(Debug, Default)]
pub(in crate::ops) struct PlannedWork {
    /// Lists of entries, each with what is done to them.
    pub(in crate::ops) work: Vec<Work>,
    /// Results of entries to which nothing can be done.
    pub(in crate::ops) settled: Vec<EntryResult>,
    /// Remarks for the plan, a sentence each.
    pub(in crate::ops) warnings: Vec<String>,
    /// Entries of which one each stays, where their copies are deleted.
    pub(in crate::ops) copies_of: u64,
}

impl PlannedWork {
    pub(super) fn refuse(&mut self, id: EntryId, reason: &str) {
        self.settled.push(EntryResult {
            id,
            outcome: Outcome::Refused,
            reason: Some(reason.to_owned()),
        });
    }

    pub(super) fn work(&mut self, work: Work) {
        if work.len() > 0 {
            self.work.push(work);
        }
    }
}

/// The reason why nothing is done about what only the order list holds.
pub(super) const ONLY_IN_ORDER: &str =
    "only the order list holds it: it can be requeued, delivered or deleted";
const NOT_YET_DUE: &str = "it is not due yet: only transfer now (deliver) takes it";
const DELIVERED: &str = "it is delivered already";
const NO_TIME: &str = "its score is no time, so that there is none to reckon from";
const NO_DUE_TIME: &str = "that would be no due time: it must be from 0 to 1e17 ms";

impl PlanContext<'_> {
    pub(super) async fn make(
        &self,
        what: &ChangeRequest,
        mut found: FoundEntries,
    ) -> Result<PlannedWork, ChangeError> {
        let mut made = PlannedWork::default();
        made.warnings.append(&mut found.notes);
        made.copies_of = found.copied;
        for (ids, outcome) in [
            (std::mem::take(&mut found.gone), Outcome::Gone),
            (std::mem::take(&mut found.changed), Outcome::Changed),
        ] {
            made.settled.extend(ids.into_iter().map(|id| EntryResult {
                id,
                outcome,
                reason: None,
            }));
        }
        for (id, why) in std::mem::take(&mut found.unfound) {
            made.refuse(id, &why);
        }
        let order_only = std::mem::take(&mut found.order_only);
        self.strays(&mut made, what, order_only);
        self.check_quarantine(&mut made, what, &mut found);
        let FoundEntries {
            waiting,
            delivered,
            quarantined,
            leaves,
            named,
            ..
        } = found;
        match what {
            ChangeRequest::Delete => {
                made.work(Work::Delete(waiting));
                made.work(match leaves {
                    Some(end) => Work::Discard(delivered, end),
                    None => Work::Discard(self.as_taken(delivered), End::Head),
                });
            }
            ChangeRequest::Requeue(due) => {
                self.requeue(&mut made, *due, waiting, delivered).await?;
            }
            ChangeRequest::Duplicate => self.duplicate(&mut made, &waiting, &delivered).await?,
            _ => {
                for element in &delivered {
                    made.refuse(EntryId::of_bytes(element), DELIVERED);
                }
                match what {
                    ChangeRequest::Edit(payload) => self.edit(&mut made, waiting, payload)?,
                    ChangeRequest::Quarantine => self.quarantine(&mut made, waiting).await?,
                    ChangeRequest::Restore => self.restore(&mut made, quarantined),
                    ChangeRequest::Repack(to) => self.repack(&mut made, waiting, *to)?,
                    ChangeRequest::Transfer => {
                        let (due, not_yet) = self.due(waiting);
                        let nothing = due.is_empty() && made.settled.is_empty();
                        if named && !nothing {
                            for chosen in &not_yet {
                                made.refuse(self.queue.id(&chosen.member), NOT_YET_DUE);
                            }
                        }
                        made.work(Work::Deliver(due));
                    }
                    _ => made.work(Work::Deliver(waiting)),
                }
            }
        }
        Ok(made)
    }

    /// The entries that are due, and the others.
    fn due(&self, waiting: Vec<ChosenEntry>) -> (Vec<ChosenEntry>, Vec<ChosenEntry>) {
        let now = self.now;
        let due = |score| matches!(self.queue.due(score), Due::At(due) if due <= now);
        waiting.into_iter().partition(|chosen| due(chosen.score))
    }

    async fn requeue(
        &self,
        made: &mut PlannedWork,
        due: NewDue,
        waiting: Vec<ChosenEntry>,
        delivered: Vec<Vec<u8>>,
    ) -> Result<(), ChangeError> {
        let all = waiting.len() + delivered.len();
        let mut requeued = Vec::with_capacity(waiting.len());
        for (i, chosen) in waiting.into_iter().enumerate() {
            let own = self.queue.due(chosen.score).at();
            match self.new_score(due, own, i, all) {
                Ok(score) => requeued.push((chosen, score)),
                Err(why) => made.refuse(self.queue.id(&chosen.member), why),
            }
        }
        let first = all - delivered.len();
        made.work(Work::Requeue(requeued));
        if delivered.is_empty() {
            return Ok(());
        }
        let form = self.form().await?;
        let (mut elements, mut called) = (Vec::new(), Vec::new());
        for (i, element) in delivered.into_iter().enumerate() {
            let id = EntryId::of_bytes(&element);
            // What was delivered has no due time any more: it is reckoned from now.
            match self.new_score(due, Some(self.now), first + i, all) {
                Ok(score) => {
                    elements.push(TakeBack {
                        member: fresh(form, &element)?,
                        element,
                        score,
                    });
                    called.push(id);
                }
                Err(why) => made.refuse(id, why),
            }
        }
        let (elements, called) = (self.as_taken(elements), self.as_taken(called));
        made.work(Work::TakeBack(elements, called, End::Tail));
        Ok(())
    }

    /// Elements of target, given from its head, in the order in which consumers take them: there
    /// each is found at once.
    fn as_taken<T>(&self, mut elements: Vec<T>) -> Vec<T> {
        if self.queue.comes_at_head() {
            elements.reverse();
        }
        elements
    }

    /// Decides about what only the order list holds. It may never have been delivered: it waits
    /// again, is delivered or dropped, whichever was asked for.
    fn strays(&self, made: &mut PlannedWork, what: &ChangeRequest, members: Vec<Vec<u8>>) {
        match what {
            ChangeRequest::Requeue(due) => self.wait_again(made, *due, members),
            ChangeRequest::Delete => made.work(Work::DropStrays(members)),
            ChangeRequest::Deliver => {
                let (framed, bare): (Vec<_>, Vec<_>) = members
                    .into_iter()
                    .partition(|member| self.queue.unwrap(member).is_ok());
                let ids = bare.iter().map(|member| self.queue.id(member));
                made.settled.extend(ids.map(undecodable));
                made.work(Work::DeliverStrays(framed));
            }
            _ => {
                for member in members {
                    made.refuse(self.queue.id(&member), ONLY_IN_ORDER);
                }
            }
        }
    }

    /// Lets wait again what only the order list holds. It has no due time of its own: that is
    /// reckoned from now.
    fn wait_again(&self, made: &mut PlannedWork, due: NewDue, members: Vec<Vec<u8>>) {
        let all = members.len();
        let mut again = Vec::with_capacity(all);
        for (i, member) in members.into_iter().enumerate() {
            match self.new_score(due, Some(self.now), i, all) {
                Ok(score) => again.push(ChosenEntry { member, score }),
                Err(why) => made.refuse(self.queue.id(&member), why),
            }
        }
        made.work(Work::WaitAgain(again));
    }

    /// The score of the `i`-th of `all` that are requeued.
    fn new_score(
        &self,
        due: NewDue,
        own: Option<EpochMillis>,
        i: usize,
        all: usize,
    ) -> Result<f64, &'static str> {
        let moment = match due.base {
            Base::In(ms) => self.now.get().checked_add_unsigned(ms),
            Base::At(moment) => Some(moment.get()),
            Base::By(ms) => own.ok_or(NO_TIME)?.get().checked_add(ms),
        };
        let steps = u128::try_from(all.saturating_sub(1).max(1)).unwrap_or(1);
        let into = u128::from(due.spread_ms) * u128::try_from(i).unwrap_or(0) / steps;
        let into = u64::try_from(into).unwrap_or(u64::MAX);
        let moment = moment.and_then(|ms| ms.checked_add_unsigned(into));
        let score = self
            .queue
            .score(EpochMillis::new(moment.ok_or(NO_DUE_TIME)?));
        match self.queue.due(score) {
            Due::At(_) => Ok(score),
            Due::OutOfRange(_) => Err(NO_DUE_TIME),
        }
    }

    async fn duplicate(
        &self,
        made: &mut PlannedWork,
        waiting: &[ChosenEntry],
        delivered: &[Vec<u8>],
    ) -> Result<(), ChangeError> {
        if !self.queue.keeps_equal_messages() {
            let layout = self.queue.layout.word();
            return Err(ChangeError::Senseless(format!(
                "a {layout} queue cannot hold two equal messages: the second one would only \
                 change the due time of the first"
            )));
        }
        let mut offered = Vec::with_capacity(waiting.len() + delivered.len());
        for chosen in waiting {
            let id = self.queue.id(&chosen.member);
            let unwrapped = self.queue.unwrap(&chosen.member);
            match (unwrapped, self.queue.due(chosen.score)) {
                (Ok(entry), Due::At(due)) => {
                    let form = entry.form.unwrap_or(Form::ByteId);
                    offered.push((due, fresh(Some(form), entry.payload)?));
                }
                (Ok(_), Due::OutOfRange(_)) => made.refuse(id, NO_TIME),
                (Err(_), _) => made.settled.push(undecodable(id)),
            }
        }
        if !delivered.is_empty() {
            let form = self.form().await?;
            for element in delivered {
                offered.push((self.now, fresh(form, element)?));
            }
        }
        made.work(Work::Offer(offered));
        Ok(())
    }

    fn edit(
        &self,
        made: &mut PlannedWork,
        waiting: Vec<ChosenEntry>,
        payload: &[u8],
    ) -> Result<(), ChangeError> {
        if waiting.len() > 1 {
            return Err(ChangeError::Senseless(format!(
                "one entry is edited at a time, and {} were chosen",
                waiting.len()
            )));
        }
        let mut edits = Vec::new();
        for chosen in waiting {
            let id = self.queue.id(&chosen.member);
            let Ok(entry) = self.queue.unwrap(&chosen.member) else {
                made.settled.push(undecodable(id));
                continue;
            };
            let new = match entry.form {
                Some(form) => frame::encode(form, entry.id.0, payload),
                None => payload.to_vec(),
            };
            if new == chosen.member {
                made.refuse(id, "it holds these bytes already");
            } else {
                edits.push((chosen, new));
            }
        }
        made.work(Work::Edit(edits));
        Ok(())
    }

    /// Puts payload and id into another frame. What has that already is not concerned.
    fn repack(
        &self,
        made: &mut PlannedWork,
        waiting: Vec<ChosenEntry>,
        to: Option<Form>,
    ) -> Result<(), ChangeError> {
        if !self.queue.has_frames() {
            return Err(lacks(self.queue, "frames to be repacked"));
        }
        let mut edits = Vec::new();
        for chosen in waiting {
            let Ok(entry) = frame::decode(&chosen.member) else {
                let id = self.queue.id(&chosen.member);
                made.settled.push(undecodable(id));
                continue;
            };
            let to = to.unwrap_or(entry.form.of_other_era());
            if to != entry.form {
                let new = frame::encode(to, entry.id, entry.payload);
                edits.push((chosen, new));
            }
        }
        made.work(Work::Edit(edits));
        Ok(())
    }

    /// Finds the form in which this queue's clients write; none in a layout without frames.
    async fn form(&self) -> Result<Option<Form>, ChangeError> {
        if !self.queue.has_frames() {
            return Ok(None);
        }
        match offer::form_of(self.store, self.queue).await? {
            Some(form) => Ok(Some(form)),
            None => Err(ChangeError::Senseless(
                "nothing tells in which format the clients of this queue write; offer it one entry \
                 first (`offer --form`)"
                    .to_owned(),
            )),
        }
    }
}

/// A member of its own for this payload.
fn fresh(form: Option<Form>, payload: &[u8]) -> Result<Vec<u8>, ChangeError> {
    let Some(form) = form else {
        return Ok(payload.to_vec());
    };
    let id = form.fresh_id().map_err(|why| {
        ChangeError::Senseless(format!("an entry's random id could not be made: {why}"))
    })?;
    Ok(frame::encode(form, id, payload))
}

fn undecodable(id: EntryId) -> EntryResult {
    EntryResult {
        id,
        outcome: Outcome::Undecodable,
        reason: None,
    }
}

/// The plan of it.
pub(super) async fn prepared(
    making: &PlanContext<'_>,
    what: ChangeRequest,
    profile: Option<String>,
    made: PlannedWork,
) -> Result<PreparedChange, ChangeError> {
    let gone = |result: &EntryResult| result.outcome == Outcome::Gone;
    if made.work.is_empty() && !made.settled.is_empty() && made.settled.iter().all(gone) {
        return Err(ChangeError::Nothing(words::no_longer_there(
            what.change(),
            made.settled.len(),
        )));
    }
    let mut plan = blank(making.store, making.queue, what.change(), making.now);
    plan.profile = profile;
    describe(making, &mut plan, made).await
}
