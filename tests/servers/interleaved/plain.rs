//! The same with a plain queue: a sorted set and a ready list, whose members are the messages
//! themselves, so that an equal message is the same one.

mod model;
mod steps;

use delayscope::clock::EpochMillis;
use delayscope::queue::{Layout, Push, Queue, QueueName, Unit, ZsetList};
use delayscope::store::change::{ChosenEntry, Fate, ListPlace, TakeBack};
use delayscope::store::write::{DueCursor, Writer};
use proptest::sample::Index;
use redis::Connection;

use self::model::Plain;
pub use self::steps::{Step, step};
use crate::interleaved::ours::{Checked, same};
use crate::support::Server;

type Elements = Vec<Vec<u8>>;

/// A queue whose poller pushes to that end.
pub fn queue(push: Push) -> Queue {
    Queue {
        name: QueueName::new("delays"),
        layout: Layout::ZsetList(ZsetList {
            target: b"ready".to_vec(),
            unit: Unit::Millis,
            push,
        }),
    }
}

/// All who work on the queue.
pub struct Play<'a> {
    writer: &'a Writer,
    queue: Queue,
    push: Push,
    others: Connection,
    model: Plain,
    seen: Plain,
    deleted: Vec<(ChosenEntry, ListPlace)>,
    discarded: Vec<Vec<u8>>,
}

impl<'a> Play<'a> {
    /// A server without anything.
    pub fn new(server: &Server, writer: &'a Writer, push: Push) -> Self {
        server.cmd(&["FLUSHALL"]);
        Self {
            writer,
            queue: queue(push),
            push,
            others: server.connection(),
            model: Plain::default(),
            seen: Plain::default(),
            deleted: Vec::new(),
            discarded: Vec::new(),
        }
    }

    /// Takes a step; what is not as the model has it.
    pub async fn take(&mut self, step: &Step) -> Checked {
        self.step(step).await?;
        let mut all = redis::pipe();
        all.atomic();
        all.cmd("ZRANGE")
            .arg("delays")
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES");
        all.cmd("LRANGE").arg("ready").arg(0).arg(-1);
        let (waiting, mut target): (Vec<(Vec<u8>, f64)>, Elements) =
            all.query(&mut self.others).unwrap();
        if self.push == Push::Left {
            target.reverse();
        }
        let waiting = waiting.into_iter().collect();
        same("the server", &Plain { waiting, target }, &self.model)
    }

    async fn step(&mut self, step: &Step) -> Checked {
        match step {
            Step::Look => self.seen = self.model.clone(),
            Step::Add(name, due) => self.add(*name, *due),
            Step::Poll(now, n) => self.poll(*now, *n),
            Step::Consume => self.consume(),
            Step::Zrem(which) => self.zrem(*which),
            Step::Offer(names, due) => return self.offer(names, *due).await,
            Step::Delete(which) => return self.delete(which).await,
            Step::PutBack => return self.put_back().await,
            Step::Requeue(which, due) => return self.requeue(which, *due).await,
            Step::Edit(which) => return self.edit(which).await,
            Step::Deliver(which) => return self.deliver(which).await,
            Step::Transfer(now, n) => return self.transfer(*now, *n).await,
            Step::TakeBack(which, due) => return self.take_back(which, *due).await,
            Step::Discard(which) => return self.discard(which).await,
            Step::PutElementsBack => return self.put_elements_back().await,
        }
        Ok(())
    }

    fn add(&mut self, name: u8, due: u32) {
        let mut add = redis::cmd("ZADD");
        add.arg("delays").arg(due).arg(message(name));
        add.exec(&mut self.others).unwrap();
        self.model.waiting.insert(message(name), due.into());
    }

    fn poll(&mut self, now: u32, n: u8) {
        let push = if self.push == Push::Left {
            "LPUSH"
        } else {
            "RPUSH"
        };
        for ChosenEntry { member, .. } in self.model.due(now, n) {
            let mut all = redis::pipe();
            all.cmd(push).arg("ready").arg(&member);
            all.cmd("ZREM").arg("delays").arg(&member);
            all.exec(&mut self.others).unwrap();
            self.model.deliver(&member);
        }
    }

    fn consume(&mut self) {
        let pop = if self.push == Push::Left {
            "RPOP"
        } else {
            "LPOP"
        };
        redis::cmd(pop).arg("ready").exec(&mut self.others).unwrap();
        if !self.model.target.is_empty() {
            self.model.target.remove(0);
        }
    }

    fn zrem(&mut self, which: Index) {
        let all = self.model.by_score();
        if all.is_empty() {
            return;
        }
        let member = &which.get(&all).member;
        let mut remove = redis::cmd("ZREM");
        remove
            .arg("delays")
            .arg(member)
            .exec(&mut self.others)
            .unwrap();
        self.model.waiting.remove(member);
    }

    /// Some of those that waited when last looked.
    fn chosen(&self, which: &[Index]) -> Vec<ChosenEntry> {
        let all = self.seen.by_score();
        let which = which.iter().filter(|_| !all.is_empty());
        which.map(|index| index.get(&all).clone()).collect()
    }

    fn elements(&self, which: &[Index]) -> Vec<Vec<u8>> {
        let all = &self.seen.target;
        let which = which.iter().filter(|_| !all.is_empty());
        which.map(|index| index.get(all).clone()).collect()
    }

    async fn offer(&mut self, names: &[u8], due: u32) -> Checked {
        let due = EpochMillis::new(due.into());
        let entries = names.iter().map(|name| (due, message(*name))).collect();
        let told = self.writer.offer(&self.queue, entries).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut refused = Vec::new();
        for (i, name) in names.iter().enumerate() {
            if self.model.waiting.contains_key(&message(*name)) {
                refused.push(i);
            } else {
                let score = self.queue.score(due);
                self.model.waiting.insert(message(*name), score);
            }
        }
        same("offer", &told.refused, &refused)
    }

    async fn delete(&mut self, which: &[Index]) -> Checked {
        let chosen = self.chosen(which);
        let told = self.writer.delete(&self.queue, &chosen).await;
        let told = told.map_err(|e| e.to_string())?.done;
        for (chosen, deleted) in chosen.into_iter().zip(told) {
            same("delete", &deleted.fate, &self.model.fate_of(&chosen))?;
            same("delete stood", &deleted.stood, &None)?;
            if deleted.fate == Fate::Done {
                self.model.waiting.remove(&chosen.member);
                self.deleted.push((chosen, ListPlace::Tail));
            }
        }
        Ok(())
    }

    async fn put_back(&mut self) -> Checked {
        let back = std::mem::take(&mut self.deleted);
        let told = self.writer.put_entries_back(&self.queue, &back).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for (ChosenEntry { member, score }, _) in back {
            expected.push(self.wait(member, score));
        }
        same("put back", &told.fates, &expected)
    }

    /// It waits from now on, unless an equal one does.
    fn wait(&mut self, member: Vec<u8>, score: f64) -> Fate {
        if let Some(has) = self.model.waiting.get(&member) {
            return Fate::Changed(*has);
        }
        self.model.waiting.insert(member, score);
        Fate::Done
    }

    async fn requeue(&mut self, which: &[Index], due: u32) -> Checked {
        let new = f64::from(due);
        let entries: Vec<_> = self.chosen(which).into_iter().map(|c| (c, new)).collect();
        let told = self.writer.requeue(&self.queue, &entries).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for (chosen, new) in entries {
            let fate = self.model.fate_of(&chosen);
            if fate == Fate::Done {
                self.model.waiting.insert(chosen.member, new);
            }
            expected.push(fate);
        }
        same("requeue", &told.fates, &expected)
    }

    async fn edit(&mut self, which: &[(Index, u8)]) -> Checked {
        let (which, names): (Vec<Index>, Vec<u8>) = which.iter().copied().unzip();
        let news = names.into_iter().map(message);
        let edits: Vec<_> = self.chosen(&which).into_iter().zip(news).collect();
        let told = self.writer.edit(&self.queue, &edits).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for (chosen, new) in edits {
            let mut fate = self.model.fate_of(&chosen);
            let twin = new != chosen.member && self.model.waiting.contains_key(&new);
            if fate == Fate::Done && twin {
                // It would swallow that one.
                fate = Fate::Changed(chosen.score);
            } else if fate == Fate::Done {
                self.model.waiting.remove(&chosen.member);
                self.model.waiting.insert(new, chosen.score);
            }
            expected.push(fate);
        }
        let fates: Vec<Fate> = told.iter().map(|edited| edited.fate).collect();
        same("edit", &fates, &expected)
    }

    async fn deliver(&mut self, which: &[Index]) -> Checked {
        let chosen = self.chosen(which);
        let told = self.writer.deliver(&self.queue, &chosen, false).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for chosen in chosen {
            let fate = self.model.fate_of(&chosen);
            if fate == Fate::Done {
                self.model.deliver(&chosen.member);
            }
            expected.push(fate);
        }
        same("deliver", &told, &expected)
    }

    async fn transfer(&mut self, now: u32, n: u8) -> Checked {
        let clock = EpochMillis::new(now.into());
        let told = self.writer;
        let begin = DueCursor::default();
        let told = told.transfer_telling(&self.queue, clock, usize::from(n), &begin, false);
        let told = told.await.map_err(|e| e.to_string())?.done;
        let due = self.model.due(now, n);
        for chosen in &due {
            self.model.deliver(&chosen.member);
        }
        let more = !self.model.due(now, 1).is_empty();
        same("transfer more", &told.more, &more)?;
        same("transfer skipped", &told.skipped, &Vec::new())?;
        same("transfer", &told.moved, &due)
    }

    async fn take_back(&mut self, which: &[Index], due: u32) -> Checked {
        let back = |element: Vec<u8>| TakeBack {
            member: element.clone(),
            element,
            score: due.into(),
        };
        let back: Vec<TakeBack> = self.elements(which).into_iter().map(back).collect();
        let told = self.writer.take_back(&self.queue, &back).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for TakeBack { element, score, .. } in back {
            let waits = self.model.waiting.get(&element).copied();
            expected.push(match waits {
                Some(has) => Fate::Changed(has),
                None if self.model.take_first(&element) => self.wait(element, score),
                None => Fate::Gone,
            });
        }
        same("take back", &told.fates, &expected)
    }

    async fn discard(&mut self, which: &[Index]) -> Checked {
        let elements = self.elements(which);
        let told = self.writer.discard(&self.queue, &elements).await;
        let told = told.map_err(|e| e.to_string())?.done;
        let mut expected = Vec::new();
        for element in elements {
            if self.model.take_first(&element) {
                self.discarded.push(element);
                expected.push(Fate::Done);
            } else {
                expected.push(Fate::Gone);
            }
        }
        same("discard", &told, &expected)
    }

    async fn put_elements_back(&mut self) -> Checked {
        let back = std::mem::take(&mut self.discarded);
        let told = self.writer.put_elements_back(&self.queue, &back).await;
        told.map_err(|e| e.to_string())?;
        self.model.target.splice(0..0, back);
        Ok(())
    }
}

/// One of a few messages.
fn message(name: u8) -> Vec<u8> {
    format!("message {name}").into_bytes()
}
