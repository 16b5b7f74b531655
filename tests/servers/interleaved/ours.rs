//! Our scripts, each applied to the real queue and to the model, with what was seen when last
//! looked.

use delayscope::clock::EpochMillis;
use delayscope::queue::{Form, Queue, frame};
use delayscope::store::StoreError;
use delayscope::store::change::{
    ChosenEntry, DeletedEntry, Fate, ListPlace, TakeBack, WatchedOutcome, WatchedQueue,
};
use delayscope::store::write::{DueCursor, Writer};
use proptest::sample::Index;

use crate::interleaved::model::{Model, fate_of, payload, sorted, take};

/// We, at work on one queue.
pub struct We<'a> {
    pub writer: &'a Writer,
    pub queue: &'a Queue,
    /// The queue when last looked.
    pub seen: Model,
    /// The queue under watch, up to when an entry is due there, and whether as one whose order list
    /// is aside.
    watched: Option<(WatchedQueue, u32, bool)>,
    pub deleted: Vec<(ChosenEntry, ListPlace)>,
    /// What went into quarantine last, each with where it stood.
    pub kept: Vec<(ChosenEntry, Option<ListPlace>)>,
    discarded: Vec<Vec<u8>>,
    fresh: u64,
}

/// What a claim about a script's answer came to.
pub type Checked = Result<(), String>;

/// The same, said when it is not so.
pub fn same<T: PartialEq + std::fmt::Debug>(what: &str, told: &T, expected: &T) -> Checked {
    if told == expected {
        return Ok(());
    }
    Err(format!("{what} told {told:?}, expected {expected:?}"))
}

fn at(ms: u32) -> EpochMillis {
    EpochMillis::new(i64::from(ms))
}

/// Whether a script that adds to the order list is refused, since that is set aside.
pub fn refused<T>(model: &Model, answer: Result<T, StoreError>) -> Result<Option<T>, String> {
    match answer {
        Err(error) if !model.aside.is_empty() && error.to_string().contains("aside") => Ok(None),
        Err(error) => Err(error.to_string()),
        Ok(_) if !model.aside.is_empty() => Err("done, though the order list is aside".to_owned()),
        Ok(answer) => Ok(Some(answer)),
    }
}

impl<'a> We<'a> {
    /// Nothing seen yet.
    pub fn new(writer: &'a Writer, queue: &'a Queue) -> Self {
        Self {
            writer,
            queue,
            seen: Model::default(),
            watched: None,
            deleted: Vec::new(),
            kept: Vec::new(),
            discarded: Vec::new(),
            fresh: 1 << 48,
        }
    }

    /// Some of those that waited when last looked.
    pub fn chosen(&self, which: &[Index]) -> Vec<ChosenEntry> {
        let all = self.seen.by_score();
        if all.is_empty() {
            return Vec::new();
        }
        let one = |index: &Index| {
            let (member, score) = index.get(&all).clone();
            ChosenEntry { member, score }
        };
        which.iter().map(one).collect()
    }

    fn elements(&self, which: &[Index]) -> Vec<Vec<u8>> {
        let all = &self.seen.target;
        if all.is_empty() {
            return Vec::new();
        }
        which.iter().map(|index| index.get(all).clone()).collect()
    }

    pub async fn delete(&mut self, model: &mut Model, which: &[Index]) -> Checked {
        let chosen = self.chosen(which);
        let told = self.writer.delete(self.queue, &chosen).await;
        let told = told.map_err(|e| e.to_string())?.done;
        for (chosen, left) in chosen.iter().zip(told) {
            if left_the_queue("delete", model, chosen, &left)? {
                let place = left.stood.unwrap_or(ListPlace::Tail);
                self.deleted.push((chosen.clone(), place));
            }
        }
        Ok(())
    }

    pub async fn put_back(&mut self, model: &mut Model) -> Checked {
        let mut back = std::mem::take(&mut self.deleted);
        back.reverse();
        let told = self.writer.put_entries_back(self.queue, &back).await;
        let Some(told) = refused(model, told)? else {
            return Ok(());
        };
        let mut expected = Vec::new();
        for (ChosenEntry { member, score }, place) in back {
            if let Some(has) = model.waiting.get(&member) {
                expected.push(Fate::Changed(*has));
                continue;
            }
            expected.push(Fate::Done);
            model.waiting.insert(member.clone(), score);
            let behind = match &place {
                ListPlace::Head => Some(0),
                ListPlace::Behind(other) | ListPlace::BehindNth(other, _) => {
                    let at = model.order.iter().position(|m| m == other);
                    at.map(|at| at + 1)
                }
                ListPlace::Tail => None,
            };
            let at = behind.unwrap_or(model.order.len());
            model.order.insert(at, member);
        }
        same("put back", &told.done.fates, &expected)
    }

    pub async fn requeue(&mut self, model: &mut Model, which: &[Index], due: u32) -> Checked {
        let new = f64::from(due);
        let entries: Vec<_> = self.chosen(which).into_iter().map(|c| (c, new)).collect();
        let told = self.writer.requeue(self.queue, &entries).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for (chosen, new) in entries {
            expected.push(fate_of(&model.waiting, &chosen));
            if expected.last() == Some(&Fate::Done) {
                model.waiting.insert(chosen.member, new);
            }
        }
        same("requeue", &told.fates, &expected)
    }

    pub async fn deliver(&mut self, model: &mut Model, which: &[Index], drain: bool) -> Checked {
        let chosen = self.chosen(which);
        let told = self.writer.deliver(self.queue, &chosen, drain).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let (mut expected, mut delivered) = (Vec::new(), Vec::new());
        for chosen in chosen {
            let fate = match fate_of(&model.waiting, &chosen) {
                Fate::Done if delivered.contains(&chosen.member) => Fate::Gone,
                Fate::Done if payload(&chosen.member).is_none() => Fate::NoFrame,
                fate => fate,
            };
            expected.push(fate);
            if fate == Fate::Done {
                delivered.push(chosen.member);
            }
        }
        model.deliver(&delivered, drain);
        same("deliver", &told, &expected)
    }

    pub async fn transfer(&mut self, model: &mut Model, now: u32, n: u8, drain: bool) -> Checked {
        let n = usize::from(n);
        if !drain && self.watch(model, now, n).await? {
            return Ok(());
        }
        let (mut cursor, mut passed) = (DueCursor::default(), 0);
        // As the engine does: what is no frame is told once, and passed from then on.
        for _ in 0..2 {
            let due = model.due(f64::from(now), usize::MAX).split_off(passed);
            let sent = self
                .writer
                .transfer_telling(self.queue, at(now), n, &cursor, drain);
            let told = sent.await.map_err(|e| e.to_string())?.done;
            let mut frames = Vec::new();
            let mut others = Vec::new();
            for (member, score) in &due {
                if frames.len() == n {
                    break;
                }
                match payload(member) {
                    Some(_) => frames.push((member.clone(), *score)),
                    None => others.push(member.clone()),
                }
            }
            let moved = told.moved.iter();
            let moved: Vec<_> = moved.map(|c| (c.member.clone(), c.score)).collect();
            same("transfer", &moved, &frames)?;
            same("transfer skipped", &told.skipped, &others)?;
            let looked = frames.len() + others.len();
            same("transfer more", &told.more, &(looked < due.len()))?;
            let frames: Vec<Vec<u8>> = frames.into_iter().map(|(member, _)| member).collect();
            model.deliver(&frames, drain);
            passed += others.len();
            cursor = told.cursor;
            if !told.more {
                break;
            }
        }
        Ok(())
    }

    /// Moves what was due when the queue came under watch, which was before others touched it or
    /// not; then what is due, at once. Whether anything was moved.
    async fn watch(&mut self, model: &mut Model, now: u32, n: usize) -> Result<bool, String> {
        if let Some(watched) = self.watched.take()
            && self.move_watched(model, watched, n).await? == Some(WatchedOutcome::All)
        {
            return Ok(true);
        }
        let aside = !model.aside.is_empty();
        let watched = self.writer.watch_due(self.queue, at(now), n, aside).await;
        let mut watched = watched.map_err(|e| e.to_string())?.unwrap();
        let rows = watched.take_rows();
        let rows: Vec<_> = rows.rows().iter().map(|row| row.member.clone()).collect();
        same("due under watch", &rows, &may_go(model, now, n, aside))?;
        watched.look(n).await.map_err(|e| e.to_string())?;
        let watched = (watched, now, aside);
        match self.move_watched(model, watched, n).await? {
            Some(WatchedOutcome::Touched) => Err("touched, though by nobody".to_owned()),
            moved => Ok(moved.is_some()),
        }
    }

    /// None: there are not enough entries under watch.
    async fn move_watched(
        &mut self,
        model: &mut Model,
        (mut watched, now, aside): (WatchedQueue, u32, bool),
        n: usize,
    ) -> Result<Option<WatchedOutcome>, String> {
        let rows = watched.take_rows();
        let is_frame = |row: &&ChosenEntry| payload(&row.member).is_some();
        let frames = rows.rows().iter().take_while(is_frame).count();
        let rows: Vec<_> = { rows.first(frames).into_iter() }
            .map(|row| row.member)
            .collect();
        let payloads: Vec<_> = rows.iter().map_while(|member| payload(member)).collect();
        let slices: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
        if slices.len() < 2 {
            return Ok(None);
        }
        let ends = [&rows[0], &rows[slices.len() - 1]].map(Vec::as_slice);
        let told = watched.transfer(ends, &slices, n).await;
        let told = told.map_err(|e| e.to_string())?.done;
        if told == WatchedOutcome::All {
            let moved = &rows[..slices.len()];
            same(
                "moved under watch",
                &moved.to_vec(),
                &may_go(model, now, moved.len(), aside),
            )?;
            model.deliver(moved, false);
            self.watched = Some((watched, now, aside));
        }
        Ok(Some(told))
    }

    pub async fn take_back(&mut self, model: &mut Model, which: &[Index], due: u32) -> Checked {
        let elements = self.elements(which);
        let back = |element: Vec<u8>| {
            self.fresh += 1;
            TakeBack {
                member: frame::encode(Form::ByteId, self.fresh.to_be_bytes(), &element),
                element,
                score: f64::from(due),
            }
        };
        let back: Vec<TakeBack> = elements.into_iter().map(back).collect();
        let told = self.writer.take_back(self.queue, &back).await;
        let Some(told) = refused(model, told)? else {
            return Ok(());
        };
        let mut expected = Vec::new();
        for TakeBack {
            element,
            member,
            score,
        } in back
        {
            if take(&mut model.target, &element) {
                model.offer(member, score);
                expected.push(Fate::Done);
            } else {
                expected.push(Fate::Gone);
            }
        }
        same("take back", &told.done.fates, &expected)
    }

    pub async fn discard(&mut self, model: &mut Model, which: &[Index]) -> Checked {
        let elements = self.elements(which);
        let told = self.writer.discard(self.queue, &elements).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for element in elements {
            if take(&mut model.target, &element) {
                expected.push(Fate::Done);
                self.discarded.push(element);
            } else {
                expected.push(Fate::Gone);
            }
        }
        same("discard", &told, &expected)
    }

    pub async fn put_elements_back(&mut self, model: &mut Model) -> Checked {
        let back = std::mem::take(&mut self.discarded);
        let told = self.writer.put_elements_back(self.queue, &back).await;
        told.map_err(|e| e.to_string())?;
        model.target.splice(0..0, back);
        Ok(())
    }

    /// Other bytes for each of these.
    pub fn edits(&mut self, chosen: Vec<ChosenEntry>) -> Vec<(ChosenEntry, Vec<u8>)> {
        let edited = |chosen: ChosenEntry| {
            self.fresh += 1;
            let new = frame::encode(Form::ByteId, self.fresh.to_be_bytes(), b"edited");
            (chosen, new)
        };
        chosen.into_iter().map(edited).collect()
    }

    pub async fn edit(&mut self, model: &mut Model, which: &[Index]) -> Checked {
        let edits = self.edits(self.chosen(which));
        let told = self.writer.edit(self.queue, &edits).await;
        let Some(told) = refused(model, told)? else {
            return Ok(());
        };
        let mut expected = Vec::new();
        for (chosen, new) in edits {
            let fate = fate_of(&model.waiting, &chosen);
            expected.push(fate);
            if fate == Fate::Done {
                let score = model.waiting.remove(&chosen.member).unwrap();
                model.waiting.insert(new.clone(), score);
                let listed = model.order.iter_mut().find(|m| **m == chosen.member);
                if let Some(listed) = listed {
                    *listed = new;
                }
                model.order.retain(|m| *m != chosen.member);
            }
        }
        let fates: Vec<Fate> = told.done.iter().map(|edited| edited.fate).collect();
        same("edit", &fates, &expected)
    }
}

/// Takes all copies of an entry out, if that was done; whether it was. True is where it stood, and
/// how often.
pub fn left_the_queue(
    what: &str,
    model: &mut Model,
    chosen: &ChosenEntry,
    left: &DeletedEntry,
) -> Result<bool, String> {
    same(what, &left.fate, &fate_of(&model.waiting, chosen))?;
    if left.fate != Fate::Done {
        return Ok(false);
    }
    let copies = model.order.iter().filter(|m| **m == chosen.member).count();
    same(what, &left.copies, &(copies as u64))?;
    if copies < 2 {
        stands(model, &chosen.member, left.stood.as_ref())?;
    }
    model.waiting.remove(&chosen.member);
    model.order.retain(|m| *m != chosen.member);
    Ok(true)
}

/// Whether it is true where a deleted entry stood.
fn stands(model: &Model, member: &[u8], stood: Option<&ListPlace>) -> Checked {
    let at = model.order.iter().position(|m| m == member);
    let holds = match (at, stood) {
        (None, stood) => stood.is_none(),
        (Some(0), stood) => stood == Some(&ListPlace::Head),
        (Some(at), stood) => stood == Some(&ListPlace::Behind(model.order[at - 1].clone())),
    };
    if holds {
        return Ok(());
    }
    Err(format!("{member:?} stood at {at:?}, told {stood:?}"))
}

/// What is due first, as far as the order list begins with the same entries; where that is aside, as
/// far as none of them stands in what was offered since.
fn may_go(model: &Model, now: u32, n: usize, aside: bool) -> Vec<Vec<u8>> {
    let due: Vec<_> = model.due(f64::from(now), n);
    let due: Vec<Vec<u8>> = due.into_iter().map(|(member, _)| member).collect();
    if aside && model.order.len() > 64 {
        return Vec::new();
    }
    if aside {
        let due = due.into_iter();
        return due
            .take_while(|member| !model.order.contains(member))
            .collect();
    }
    let most = due.len().min(model.order.len());
    let same = |k: &usize| sorted(&due[..*k]) == sorted(&model.order[..*k]);
    let k = (0..=most).rev().find(same).unwrap_or(0);
    due[..k].to_vec()
}
