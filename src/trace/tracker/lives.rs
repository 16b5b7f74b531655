//! The lives that are kept, in bounded memory.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::super::command::ListEnd;
use super::super::figures::Figures;
use super::super::life::{Event, Life, TracedMessage};
use crate::clock::EpochMillis;
use crate::queue::Queue;

/// Bytes that a life takes beside those of its member, about.
const BYTES_OF_A_LIFE: usize = 1_000;
/// Room for so many members, and so many numbers, may be left before it is given back.
const SOME: usize = 1_000;
/// Bytes that a client takes which ran a transfer in vain, about.
const BYTES_OF_A_RIVAL: usize = 64;

/// The lives of the messages that a log has told of so far.
#[derive(Default)]
pub(super) struct TrackedLives {
    /// Lives by number, in the order in which they began; each with the place of its queue.
    all: BTreeMap<u64, (usize, Life)>,
    /// Numbers of the lives of each queue, by their members.
    by_member: Vec<HashMap<Member, u64>>,
    /// The lives of each queue that wait, by their due times; in front those whose due time is not known.
    waiting: Vec<BTreeSet<(Option<EpochMillis>, u64)>>,
    /// Lives that were over when they last changed, the first to be let go in front.
    over: VecDeque<u64>,
    /// The same numbers.
    are_over: HashSet<u64>,
    let_go: Vec<Life>,
    next: u64,
    bytes: usize,
}

/// A message, found by the bytes of its member.
struct Member(Arc<TracedMessage>);

impl Borrow<[u8]> for Member {
    fn borrow(&self) -> &[u8] {
        &self.0.member
    }
}

impl Hash for Member {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.member.hash(state);
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.0.member == other.0.member
    }
}

impl Eq for Member {}

/// Bytes that a life takes, about.
fn bytes_of(life: &Life) -> usize {
    let held = life.unconfirmed.as_ref().map_or(0, Vec::len);
    let more = life.in_vain_by.len() * BYTES_OF_A_RIVAL + held * size_of::<Event>();
    BYTES_OF_A_LIFE + life.message.member.len() + more
}

impl TrackedLives {
    /// Begins the life of a message.
    pub(super) fn begin(&mut self, queue: usize, of: &Arc<Queue>, db: u32, member: &[u8]) -> u64 {
        let message = Arc::new(TracedMessage {
            queue: of.clone(),
            db,
            member: member.into(),
        });
        if self.by_member.len() <= queue {
            self.by_member.resize_with(queue + 1, HashMap::new);
            self.waiting.resize_with(queue + 1, BTreeSet::new);
        }
        let id = self.next;
        self.next += 1;
        self.by_member[queue].insert(Member(message.clone()), id);
        let life = Life::new(message);
        self.bytes += bytes_of(&life);
        self.all.insert(id, (queue, life));
        id
    }

    /// The life of the message of that queue with this member.
    pub(super) fn find(&self, queue: usize, member: &[u8]) -> Option<u64> {
        self.by_member.get(queue)?.get(member).copied()
    }

    /// A life; none when it was let go.
    pub(super) fn get(&self, id: u64) -> Option<&Life> {
        self.all.get(&id).map(|(_, life)| life)
    }

    /// The place of the queue that a life is of.
    pub(super) fn queue_of(&self, id: u64) -> Option<usize> {
        self.all.get(&id).map(|(queue, _)| *queue)
    }

    /// Changes a life, unless it was let go.
    pub(super) fn change(&mut self, id: u64, change: impl FnOnce(&mut Life)) {
        if let Some((queue, life)) = self.all.get_mut(&id) {
            let waited = life.waits.then(|| life.waits_until());
            let before = bytes_of(life);
            change(life);
            self.bytes = self.bytes.saturating_sub(before) + bytes_of(life);
            if life.is_over() && self.are_over.insert(id) {
                self.over.push_back(id);
            }
            let waits = life.waits.then(|| life.waits_until());
            if waits != waited {
                let waiting = &mut self.waiting[*queue];
                if let Some(until) = waited {
                    waiting.remove(&(until, id));
                }
                waiting.extend(waits.map(|until| (until, id)));
            }
        }
    }

    /// Marks all that are not over: what happened to them since may be missing.
    pub(super) fn presume(&mut self) {
        let all = self.all.values_mut().map(|(_, life)| life);
        for life in all.filter(|life| !life.is_over()) {
            life.is_presumed = true;
        }
    }

    /// The due time of the message of a queue that is the next to be due, of those that wait.
    pub(super) fn head(&self, queue: usize) -> Option<EpochMillis> {
        let known = (Some(EpochMillis::new(i64::MIN)), 0);
        let (due, _) = self.waiting.get(queue)?.range(known..).next()?;
        *due
    }

    /// The life of that message.
    pub(super) fn head_life(&self, queue: usize) -> Option<u64> {
        let known = (Some(EpochMillis::new(i64::MIN)), 0);
        self.waiting
            .get(queue)?
            .range(known..)
            .next()
            .map(|(_, id)| *id)
    }

    /// The lives of a queue that wait, by their due times; those first whose due time is not known.
    pub(super) fn waiting(&self, queue: usize) -> impl DoubleEndedIterator<Item = u64> {
        let all = self.waiting.get(queue).into_iter().flatten();
        all.map(|(_, id)| *id)
    }

    /// The same of those that are due then or later.
    pub(super) fn waiting_from(
        &self,
        queue: usize,
        from: EpochMillis,
    ) -> impl Iterator<Item = (EpochMillis, u64)> {
        let waiting = self.waiting.get(queue).into_iter();
        let from = waiting.flat_map(move |all| all.range((Some(from), 0)..));
        from.filter_map(|(due, id)| Some(((*due)?, *id)))
    }

    /// The lives of a queue that wait as the server has them, by their scores and by their members, from
    /// this end, at most so many.
    pub(super) fn first_waiting(&self, queue: usize, end: ListEnd, most: usize) -> Vec<u64> {
        let mut ordered = Vec::new();
        let mut equal: Vec<u64> = Vec::new();
        let mut due_of_those = None;
        let all = self.waiting.get(queue).into_iter().flatten();
        let mut all: Box<dyn Iterator<Item = &(Option<EpochMillis>, u64)>> = match end {
            ListEnd::Left => Box::new(all),
            ListEnd::Right => Box::new(all.rev()),
        };
        loop {
            let next = all.next();
            if next.map(|(due, _)| *due) != due_of_those {
                let member = |id: &u64| self.get(*id).map(|life| &life.message.member);
                equal.sort_unstable_by(|a, b| member(a).cmp(&member(b)));
                if end == ListEnd::Right {
                    equal.reverse();
                }
                ordered.append(&mut equal);
                due_of_those = next.map(|(due, _)| *due);
            }
            match next {
                Some((_, id)) if ordered.len() < most => equal.push(*id),
                _ => break,
            }
        }
        ordered.truncate(most);
        ordered
    }

    /// Bytes that they take, about.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The life that was over first, to be let go; none when none is over.
    pub(super) fn first_finished(&mut self) -> Option<u64> {
        while let Some(id) = self.over.pop_front() {
            self.are_over.remove(&id);
            if self.get(id).is_some_and(Life::is_over) {
                return Some(id);
            }
        }
        None
    }

    /// The oldest life.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.all.first_key_value().map(|(id, _)| *id)
    }

    /// The lives of those queues that may be no messages'.
    pub(super) fn unconfirmed(&self, is_of: impl Fn(usize) -> bool) -> Vec<u64> {
        let all = self.all.iter();
        let held = all.filter(|(_, (queue, life))| life.unconfirmed.is_some() && is_of(*queue));
        held.map(|(id, _)| *id).collect()
    }

    /// Lets a life go, for want of memory.
    pub(super) fn let_one_go(&mut self, id: u64, figures: &mut Figures) {
        if let Some(life) = self.remove(id).filter(|life| life.unconfirmed.is_none()) {
            figures.forgotten += u64::from(!life.is_over());
            figures.told(&life);
            self.let_go.push(life);
        }
    }

    /// Takes a life out, as if it had never begun.
    pub(super) fn remove(&mut self, id: u64) -> Option<Life> {
        let (queue, life) = self.all.remove(&id)?;
        if life.waits {
            self.waiting[queue].remove(&(life.waits_until(), id));
        }
        self.bytes = self.bytes.saturating_sub(bytes_of(&life));
        let members = &mut self.by_member[queue];
        members.remove(&*life.message.member);
        if members.capacity() / 4 > members.len() + SOME {
            members.shrink_to(members.len() * 2);
        }
        // Those that begin and end without a trace leave their numbers behind.
        if self.over.len() / 2 > self.all.len() + SOME {
            let all = &self.all;
            self.over.retain(|id| all.contains_key(id));
            self.are_over.retain(|id| all.contains_key(id));
        }
        Some(life)
    }

    /// The lives that were let go since this was last asked.
    pub(super) fn let_go(&mut self) -> std::vec::Drain<'_, Life> {
        self.let_go.drain(..)
    }

    /// Every life that was not let go, in the order in which they began.
    pub(super) fn finish(&mut self) -> Vec<Life> {
        let all = std::mem::take(&mut self.all).into_values();
        let lives = all.map(|(_, life)| life);
        lives.filter(|life| life.unconfirmed.is_none()).collect()
    }
}
