//! The parts that the rules about frames have in common: which of the sampled entries still wait,
//! and which clients there are.

use std::borrow::Cow;

use super::QueueFacts;
use crate::queue::exact::Group;
use crate::queue::frame::Era;
use crate::queue::frames::{Frames, JudgedMember};
use crate::queue::{Unpack, text};

/// The last offered ones tell which clients there are.
const LAST: usize = 20;
/// Entries of the other era that are no single stray.
const SEVERAL: usize = 3;
/// A client that offers has transferred within this, in ms: it does so once it is subscribed.
const STARTS_MS: i64 = 1_000;
/// A client that failed tries again within this, in ms.
pub(super) const TRIES_MS: i64 = 6_000;

/// The next due ones that still wait, as far as the last pulse tells: what sorts before the entry
/// that heads timeouts has left since the sample was taken.
pub(super) fn next_due<'a>(seen: &QueueFacts<'a>) -> Vec<&'a JudgedMember> {
    let pulse = seen.pulse;
    let first = pulse.and_then(|pulse| pulse.first.as_ref());
    let Some(sample) = seen.watch.sample() else {
        return first.into_iter().collect();
    };
    let all = &sample.next_due;
    let Some(pulse) = pulse.filter(|pulse| pulse.at > sample.at) else {
        return all.iter().collect();
    };
    let Some(first) = first else {
        // None from 0 on.
        let negative = |one: &&JudgedMember| one.score.is_some_and(|score| score < 0.0);
        return all.iter().filter(negative).collect();
    };
    let waiting = pulse.waiting.get().unwrap_or(u64::MAX);
    let at = all.iter().position(|one| one.id == first.id);
    let place = at.unwrap_or_else(|| all.partition_point(|one| one.score < first.score));
    let new = at.is_none().then_some(first);
    let rest = new.into_iter().chain(&all[place..]);
    rest.take(usize::try_from(waiting).unwrap_or(usize::MAX))
        .collect()
}

/// Tells whether these are all that wait.
pub(super) fn is_whole(seen: &QueueFacts, next: &[&JudgedMember]) -> bool {
    let waiting = seen.pulse.and_then(|pulse| pulse.waiting.get());
    waiting.is_some_and(|waiting| waiting <= next.len() as u64)
}

/// The clients of a queue, by how they unpack, and why that is believed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Fleet {
    /// Their era.
    pub(super) era: Era,
    /// In words.
    pub(super) because: Cow<'static, str>,
}

/// Finds the clients that transfer from the queue; none when nothing tells, or both do.
pub(super) fn fleet(seen: &QueueFacts) -> Option<Fleet> {
    let offered = offered(seen);
    if let Some(era) = only_transferred(seen) {
        let contradicted = offered.is_some_and(|(by, [_, few])| by != era && few == 0);
        return (!contradicted || outlived(seen)).then(|| Fleet {
            era,
            because: "the server remembers no other transfer script".into(),
        });
    }
    let (era, [most, few]) = offered?;
    // Of those that offer, most transfer too.
    (few * 3 <= most).then(|| Fleet {
        era,
        because: format!("they offered {most} of the last {}", most + few).into(),
    })
}

/// Clients of one era alone transfer, and none of the entries is of it: who offers is of the other.
/// The eras of those who transfer and of the entries.
pub(super) fn strangers(seen: &QueueFacts) -> Option<(Era, Era)> {
    let transfers = fleet(seen)?.era;
    let (offers, [most, few]) = offered(seen)?;
    let theirs = |one: &&JudgedMember| one.form.is_some_and(|form| form.era() == transfers);
    let strange = most >= SEVERAL && few == 0 && !next_due(seen).iter().any(theirs);
    (strange && offers != transfers).then_some((transfers, offers))
}

/// The era that offered most of the last ones, how many it offered, and how many the other.
fn offered(seen: &QueueFacts) -> Option<(Era, [usize; 2])> {
    let newest = &seen.watch.sample()?.newest;
    let [older, newer] = Era::BOTH.map(|era| Frames::count(newest.iter().take(LAST), era));
    let counted = if newer >= older {
        (Era::Newer, [newer, older])
    } else {
        (Era::Older, [older, newer])
    };
    (counted.1[0] > 0).then_some(counted)
}

/// Somebody of this queue is there whom the server remembers, as nothing is transferred, or it was
/// looked at after the last offers: else those who offer may have come since, or what it remembers
/// is another queue's.
fn outlived(seen: &QueueFacts) -> bool {
    if seen.pulse.and_then(|pulse| pulse.transfer_clients.get()) == Some(0) {
        return false;
    }
    let stands = seen.watch.standing();
    let looked = seen.server.last().map(|look| look.at);
    let sampled = seen.watch.sample().map(|sample| sample.at);
    let since = looked.zip(sampled).map(|(look, sample)| look.since(sample));
    since.is_some_and(|ms| ms >= STARTS_MS)
        || stands.is_some_and(|(stood, late)| late >= TRIES_MS || stood.min(late) >= STARTS_MS)
}

/// The one era whose transfer the server remembers.
fn only_transferred(seen: &QueueFacts) -> Option<Era> {
    let scripts = *seen.server.last()?.scripts.get_ref()?;
    let [older, newer] = scripts.transfer;
    (older != newer).then_some(if newer { Era::Newer } else { Era::Older })
}

/// Both eras have transferred on this server since its start; none when nobody can tell.
pub(super) fn both_transferred(seen: &QueueFacts) -> Option<bool> {
    let scripts = *seen.server.last()?.scripts.get_ref()?;
    Some(scripts.transfer == [true, true])
}

/// Tells whether both eras are among the last offered, as many of the older and of the newer.
pub(super) fn both_offer(seen: &QueueFacts) -> Option<[usize; 2]> {
    let newest = &seen.watch.sample()?.newest;
    let counts = Era::BOTH.map(|era| Frames::count(newest.iter().take(LAST), era));
    counts.iter().all(|count| *count > 0).then_some(counts)
}

/// The queue has frames.
pub(super) fn framed(seen: &QueueFacts) -> bool {
    seen.queue.has_frames()
}

/// The first of some that a look at all members has found, if it waits still: behind the next due
/// ones, which have been looked at since.
pub(super) fn deeper<'a>(seen: &QueueFacts<'a>, group: &'a Group) -> Option<&'a JudgedMember> {
    let (exact, pulse) = (seen.watch.exact()?, seen.pulse?);
    let bad = group.first_left(pulse).filter(|_| group.stands(pulse))?;
    let passed = seen.watch.sample().is_some_and(|sample| {
        let reached = match sample.next_due.last() {
            Some(last) if sample.next_due.len() >= sample.asked => last.score >= bad.score,
            _ => true,
        };
        reached && sample.at > exact.at
    });
    (!passed).then_some(bad)
}

/// Harm done by a bad entry among the next due ones.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct BlockHarm {
    /// Good ones that are due before it: they are pushed again and again.
    pub(super) before: usize,
    /// Copies of them that were seen in the tail of target.
    pub(super) copies: usize,
    /// The harm has not begun: what was pushed once would have left the order list.
    pub(super) ahead: bool,
}

/// The harm that the entry at place `bad` of `next` does to those before it, which clients of `era`
/// transfer.
pub(super) fn block(seen: &QueueFacts, next: &[&JudgedMember], bad: usize, era: Era) -> BlockHarm {
    let Some(pulse) = seen.pulse else {
        return BlockHarm::default();
    };
    let before: Vec<&JudgedMember> = next[..bad.min(next.len())]
        .iter()
        .filter(|one| one.is_due(pulse.at) && one.unpack(era) != Unpack::Fails)
        .copied()
        .collect();
    let tail = seen.watch.sample().map_or(&[][..], |sample| &sample.tail);
    let is_copy = |delivered: &&crate::queue::frames::DeliveredElement| {
        before.iter().any(|one| one.payload == delivered.payload)
    };
    BlockHarm {
        before: before.len(),
        copies: tail.iter().filter(is_copy).count(),
        ahead: (pulse.waiting.get())
            .zip(pulse.order.get())
            .is_some_and(|(waiting, order)| waiting <= order),
    }
}

impl BlockHarm {
    /// Says what happens to the entries around the bad one, which is due, in a sentence that
    /// follows another one.
    pub(super) fn words(self, seen: &QueueFacts) -> String {
        let late = seen.pulse.and_then(|pulse| pulse.late.get());
        let before = self.before as u64;
        let behind = late.map(|late| late.saturating_sub(before + 1));
        let behind = behind.filter(|n| *n > 0);
        let behind = behind.map(|n| match n {
            1 => "1 late entry waits behind it".to_owned(),
            n => format!("{} late entries wait behind it", text::thousands(n)),
        });
        let is = if self.ahead { "will be" } else { "are" };
        let again = match before {
            0 => None,
            1 => Some(format!(
                "the entry before it {} delivered again every 5 s by each client",
                if self.ahead { "will be" } else { "is" }
            )),
            n => Some(format!(
                "the {} entries before it {is} delivered again every 5 s by each client",
                text::thousands(n)
            )),
        };
        let words: Vec<String> = behind.into_iter().chain(again).collect();
        match words.join("; ").split_at_checked(1) {
            None => String::new(),
            Some((first, rest)) => format!(" {}{rest}.", first.to_uppercase()),
        }
    }
}

/// When an entry is due, in words for a sentence.
pub(super) fn when(seen: &QueueFacts, one: &JudgedMember) -> String {
    let (Some(pulse), Some(due)) = (seen.pulse, one.due_at()) else {
        return "due at no time".to_owned();
    };
    let left = due.since(pulse.at);
    if left <= 0 {
        format!("late by {}", text::age(-left))
    } else {
        format!("due in {}", text::age(left))
    }
}
