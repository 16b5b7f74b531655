//! Each change of chosen entries against a model of what it should do: a long random walk over a
//! few entries, among them foreign ones, equal ones, ones that stand in one place only or twice.

mod elements;
mod model;

use delayscope::queue::{Layout, Push, Queue};
use delayscope::store::change::{ChosenEntry, EditResult, Fate, Head, ListPlace};
use delayscope::store::write::{DueCursor, Writer};

use model::{Dice, Model, take_first, take_last};

use crate::scripts::{orders, plain, writer};
use crate::support::{self, Server};

/// Steps of a walk. Each is a script and three reads.
const STEPS: usize = 400;

/// A queue of a few entries, the model of it, and the dice.
struct Walk<'a> {
    server: &'a Server,
    writer: &'a Writer,
    queue: Queue,
    model: Model,
    dice: Dice,
    /// Where the last transfer ended, and what it means.
    cursor: (DueCursor, Passed),
}

/// What a transfer has passed last: its score, how many that have this score, and the last of them.
type Passed = (f64, usize, Vec<u8>);

impl Walk<'_> {
    fn framed(&self) -> bool {
        self.queue.layout == Layout::Redisson
    }

    fn pushes_left(&self) -> bool {
        matches!(&self.queue.layout, Layout::ZsetList(z) if z.push == Push::Left)
    }

    fn member(&mut self) -> Vec<u8> {
        match self.dice.below(14) {
            0 => self.dice.one_of(&[b"foreign", b"strange"]).to_vec(),
            n => support::frame(
                u64::try_from(n).unwrap(),
                &[b'a' + u8::try_from(n % 3).unwrap()],
            ),
        }
    }

    fn payload(&self, member: &[u8]) -> Option<Vec<u8>> {
        let unwrapped = self.queue.unwrap(member).ok()?;
        Some(unwrapped.payload.to_vec())
    }

    fn new_score(&mut self) -> f64 {
        *self.dice.one_of(&[-1.0, 1.5, 10.0, 20.0, 30.0, 1e17])
    }

    /// Mostly as it is, sometimes not.
    fn chosen(&mut self) -> ChosenEntry {
        let member = self.member();
        let score = self.model.score(&member).unwrap_or(10.0);
        let score = if self.dice.below(8) == 0 { 20.0 } else { score };
        ChosenEntry { member, score }
    }

    fn element(&mut self) -> Vec<u8> {
        if self.dice.below(3) > 0 && !self.model.target.is_empty() {
            return self.dice.one_of(&self.model.target).clone();
        }
        let member = self.member();
        self.payload(&member).unwrap_or(member)
    }

    fn place(&mut self) -> ListPlace {
        match self.dice.below(4) {
            0 => ListPlace::Head,
            1 => ListPlace::Tail,
            _ => ListPlace::Behind(self.member()),
        }
    }

    /// Takes the one out of target that a consumer takes first.
    fn take_element(&mut self, element: &[u8]) -> Option<usize> {
        let take = if self.pushes_left() {
            take_last
        } else {
            take_first
        };
        take(&mut self.model.target, element)
    }

    fn offer_to_order(&mut self, at: usize, member: &[u8]) {
        if self.framed() {
            self.model.order.insert(at, member.to_vec());
        }
    }

    async fn step(&mut self) -> &'static str {
        match self.dice.below(9) {
            0 => self.delete().await,
            1 => self.put_entries_back().await,
            2 => self.requeue().await,
            3 => self.deliver().await,
            4 => self.transfer().await,
            5 => self.take_back().await,
            6 => self.discard().await,
            7 => self.edit().await,
            _ => self.by_hand(),
        }
    }

    async fn delete(&mut self) -> &'static str {
        let chosen = self.dice_some(Self::chosen);
        let told = self.writer.delete(&self.queue, &chosen).await.unwrap().done;
        assert_eq!(told.len(), chosen.len());
        for (entry, told) in chosen.iter().zip(told) {
            let otherwise = self.model.otherwise(entry);
            assert_eq!(told.fate, otherwise.unwrap_or(Fate::Done), "{entry:?}");
            if otherwise.is_some() {
                assert_eq!(told.stood, None);
                continue;
            }
            self.model.set(&entry.member, None);
            let order = &mut self.model.order;
            let copies = order.iter().filter(|m| **m == entry.member).count();
            let place = |order: &[Vec<u8>], at: usize| match at.checked_sub(1) {
                None => ListPlace::Head,
                Some(before) => ListPlace::Behind(order[before].clone()),
            };
            assert_eq!(told.copies, copies as u64);
            let possible = [take_first, take_last].map(|take| {
                let mut order = order.clone();
                let at = take(&mut order, &entry.member)?;
                Some(place(&order, at))
            });
            // Of copies either is told; one that stood behind another one stood where that did.
            order.retain(|m| *m != entry.member);
            let is_member = |m: &Vec<u8>| *m == entry.member;
            let is_copy = |stood: &Option<ListPlace>| matches!(stood, Some(ListPlace::Behind(m)) if is_member(m));
            if possible.iter().any(is_copy) {
                assert!(!is_copy(&told.stood));
            } else {
                assert!(possible.contains(&told.stood), "{:?}", told.stood);
            }
        }
        "delete"
    }

    fn dice_some<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = self.dice.below(4) + 1;
        (0..n).map(|_| one(self)).collect()
    }

    /// The head that a change should have announced: one of those that it made due sooner.
    fn check(&self, told: &EditResult, fates: &[Fate], sooner: &[Vec<u8>]) {
        assert_eq!(told.fates, fates);
        let head = self.model.head();
        let told_of =
            |(m, score): &(Vec<u8>, f64)| sooner.contains(m) && (0.0..1e17).contains(score);
        let new = if self.framed() && head.as_ref().is_some_and(told_of) {
            Head::Announced
        } else {
            Head::Behind
        };
        assert_eq!(told.head, new, "{head:?}");
    }

    async fn put_entries_back(&mut self) -> &'static str {
        let entries = self.dice_some(|walk| (walk.chosen(), walk.place()));
        let told = self
            .writer
            .put_entries_back(&self.queue, &entries)
            .await
            .unwrap()
            .done;
        let (mut fates, mut added) = (Vec::new(), Vec::new());
        for (entry, place) in &entries {
            if let Some(score) = self.model.score(&entry.member) {
                fates.push(Fate::Changed(score));
                continue;
            }
            self.model.set(&entry.member, Some(entry.score));
            let order = &self.model.order;
            let behind = |m: &Vec<u8>| order.iter().position(|e| e == m).map(|at| at + 1);
            let at = match place {
                ListPlace::Head => 0,
                ListPlace::Behind(m) | ListPlace::BehindNth(m, _) => {
                    behind(m).unwrap_or(order.len())
                }
                ListPlace::Tail => order.len(),
            };
            self.offer_to_order(at, &entry.member);
            added.push(entry.member.clone());
            fates.push(Fate::Done);
        }
        self.check(&told, &fates, &added);
        "put entries back"
    }

    async fn requeue(&mut self) -> &'static str {
        let entries = self.dice_some(|walk| (walk.chosen(), walk.new_score()));
        let told = self
            .writer
            .requeue(&self.queue, &entries)
            .await
            .unwrap()
            .done;
        let (mut fates, mut sooner) = (Vec::new(), Vec::new());
        for (entry, new) in &entries {
            let fate = self.model.otherwise(entry).unwrap_or(Fate::Done);
            fates.push(fate);
            if fate == Fate::Done {
                self.model.set(&entry.member, Some(*new));
                sooner.retain(|m| *m != entry.member);
                sooner.extend((*new < entry.score).then(|| entry.member.clone()));
            }
        }
        self.check(&told, &fates, &sooner);
        "requeue"
    }

    fn moved(&mut self, member: &[u8], payload: Vec<u8>) {
        self.model.set(member, None);
        take_first(&mut self.model.order, member);
        let at = if self.pushes_left() {
            0
        } else {
            self.model.target.len()
        };
        self.model.target.insert(at, payload);
    }

    async fn deliver(&mut self) -> &'static str {
        let chosen = self.dice_some(Self::chosen);
        let told = self
            .writer
            .deliver(&self.queue, &chosen, false)
            .await
            .unwrap()
            .done;
        let mut fates = Vec::new();
        for entry in &chosen {
            let otherwise = self.model.otherwise(entry);
            fates.push(match (otherwise, self.payload(&entry.member)) {
                (Some(fate), _) => fate,
                (None, None) => Fate::NoFrame,
                (None, Some(payload)) => {
                    self.moved(&entry.member, payload);
                    Fate::Done
                }
            });
        }
        assert_eq!(told, fates);
        "deliver"
    }

    async fn transfer(&mut self) -> &'static str {
        let n = self.dice.below(4) + 1;
        if self.dice.below(2) == 0 {
            self.cursor = Default::default();
        }
        let now = delayscope::clock::EpochMillis::new(20);
        let (cursor, (mut score, mut count, mut last)) = self.cursor.clone();
        let told = self
            .writer
            .transfer_telling(&self.queue, now, n, &cursor, false);
        let told = told.await.unwrap().done;
        let rows = self.model.clone().sorted().waiting;
        let from = rows.partition_point(|(_, s)| *s < score);
        let stands = |row: &(Vec<u8>, f64)| *row == (last.clone(), score);
        if count > 0 && !rows.get(from + count - 1).is_some_and(stands) {
            count = 0;
        }
        let due = rows.partition_point(|(_, s)| *s <= 20.0).max(from + count);
        let (mut moved, mut skipped) = (Vec::new(), Vec::new());
        let mut looked = from + count;
        while looked < due && moved.len() < n {
            let (member, its) = rows[looked].clone();
            looked += 1;
            if let Some(payload) = self.payload(&member) {
                self.moved(&member, payload);
                moved.push(ChosenEntry { member, score: its });
                continue;
            }
            skipped.push(member.clone());
            if its.total_cmp(&score).is_ne() {
                (score, count) = (its, 0);
            }
            (count, last) = (count + 1, member);
        }
        assert_eq!(told.more, looked < due);
        assert_eq!((told.moved, told.skipped.len()), (moved, skipped.len()));
        assert_eq!(told.skipped, skipped);
        if !skipped.is_empty() {
            self.cursor = (told.cursor, (score, count, last));
        }
        "transfer"
    }

    async fn edit(&mut self) -> &'static str {
        let edits = self.dice_some(|walk| (walk.chosen(), walk.member()));
        let told = self.writer.edit(&self.queue, &edits).await.unwrap().done;
        let mut fates = Vec::new();
        for (entry, new) in &edits {
            let waits = *new != entry.member && self.model.score(new).is_some();
            let fate = match self.model.otherwise(entry) {
                Some(fate) => fate,
                None if waits => Fate::Changed(entry.score),
                None => Fate::Done,
            };
            fates.push(fate);
            if fate == Fate::Done {
                self.model.set(&entry.member, None);
                self.model.set(new, Some(entry.score));
                let mut order = self.model.order.iter_mut();
                if let Some(first) = order.find(|m| **m == entry.member) {
                    first.clone_from(new);
                }
                let old = (*new != entry.member).then_some(&entry.member);
                self.model.order.retain(|m| Some(m) != old);
            }
        }
        let told: Vec<Fate> = told.iter().map(|edited| edited.fate).collect();
        assert_eq!(told, fates);
        "edit"
    }

    /// What others do, and what drift looks like.
    fn by_hand(&mut self) -> &'static str {
        let member = self.member();
        let keys = self.queue.keys();
        if self.dice.below(2) == 0 {
            let score = self.new_score();
            self.server.cmd_bytes(&[
                b"ZADD",
                &keys.timeouts,
                score.to_string().as_bytes(),
                &member,
            ]);
            self.model.set(&member, Some(score));
        }
        match keys.order {
            Some(order) if self.model.order.len() < 20 => {
                self.server.cmd_bytes(&[b"RPUSH", &order, &member]);
                self.model.order.push(member);
            }
            Some(order) => {
                self.server.cmd_bytes(&[b"LREM", &order, b"0", &member]);
                self.model.order.retain(|m| *m != member);
            }
            None => {}
        }
        "by hand"
    }
}

async fn walk(server: &Server, seed: u64) {
    let writer = writer(server).await;
    for queue in [orders(), plain("left"), plain("right")] {
        server.cmd(&["FLUSHALL"]);
        let mut walk = Walk {
            server,
            writer: &writer,
            queue,
            model: Model::default(),
            dice: Dice(seed),
            cursor: Default::default(),
        };
        for n in 0..STEPS {
            let before = walk.model.clone();
            let what = walk.step().await;
            let now = Model::read(server, &walk.queue);
            let expected = walk.model.clone().sorted();
            assert_eq!(now, expected, "step {n}: {what}, before: {before:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_does_what_its_model_does() {
    walk(&Server::start(), 0x5eed_0001).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_does_the_same_on_a_server_without_lpos() {
    // As before Redis 6.0.6.
    let server = Server::without(&["LPOS"]);
    walk(&server, 0x5eed_0002).await;
}
