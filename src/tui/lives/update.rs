//! What a refresh tells of the lives of messages.

use std::collections::{HashMap, HashSet};

use super::{LifeStep, Lives, MOST_LIVES, MessageLife};
use crate::clock::EpochMillis;
use crate::payload::Habit;
use crate::queue::{Announcement, Due, Known, Pulse, Queue};
use crate::tui::model::{Model, Overlay};

/// Payloads of more bytes are not decoded for their beginning.
const MOST_DECODED: usize = 4_096;
/// Characters of that beginning.
const LETTERS: usize = 60;

/// Its key: opens the lives of the selected queue, and closes them.
pub(crate) fn toggle(model: &mut Model) {
    model.overlay = match &model.overlay {
        Some(Overlay::Lives { .. }) => None,
        _ => Some(Overlay::Lives { scroll: 0 }),
    };
}

/// The selected queue was read.
pub(crate) fn pulse_came(model: &mut Model, queue: &Queue, pulse: &Pulse) {
    let Some(row) = model.selected() else { return };
    let habit = row.habit;
    let channel = queue.keys().channel;
    let of_queue = |said: &&Announcement| channel.as_ref() == Some(&said.channel);
    let said = model.traffic.iter().filter(of_queue);
    let announced: HashMap<EpochMillis, EpochMillis> = said
        .filter_map(|said| Some((said.due()?, said.at)))
        .collect();
    let lives = &mut model.lives;
    if lives.queue.as_ref() != Some(queue) {
        *lives = Lives {
            queue: Some(queue.clone()),
            ..Lives::default()
        };
    }
    lives.go_on(pulse);
    lives.see(queue, habit, pulse);
    for life in lives.all.iter_mut().filter(|l| l.announced.is_none()) {
        life.announced = announced.get(&life.due).copied();
    }
    lives.read = Some(pulse.at);
}

impl Lives {
    /// Those that were due before all that waits, or are not where their due time would have them,
    /// have left timeouts; when target is empty, all that were there have been taken.
    fn go_on(&mut self, pulse: &Pulse) {
        let since = self.read.unwrap_or(pulse.at);
        let step = LifeStep {
            at: pulse.at,
            within_ms: pulse.at.since(since),
        };
        let is_empty = pulse.waiting == Known::Is(0);
        let head = pulse.head.and_then(Due::at);
        let in_sight = InSight::of(pulse);
        for life in &mut self.all {
            let is_gone = is_empty
                || head.is_some_and(|head| life.due < head)
                || in_sight.as_ref().is_some_and(|rows| rows.lack(life));
            if life.left.is_none() && is_gone {
                // What was transferred was due by then.
                let since_due = pulse.at.since(life.due);
                let within_ms = match since_due {
                    0.. => step.within_ms.min(since_due),
                    _ => step.within_ms,
                };
                life.left = Some(LifeStep { within_ms, ..step });
            }
            let was_due = life.left.is_some() && !life.left_early();
            if was_due && life.taken.is_none() && pulse.target == Known::Is(0) {
                life.taken = Some(step);
            }
        }
    }

    /// Keeps the rows that are seen for the first time, or with another due time.
    fn see(&mut self, queue: &Queue, habit: Habit, pulse: &Pulse) {
        let rows = pulse.page.iter().flat_map(|page| &page.rows);
        for (member, score) in rows {
            let Some(due) = queue.due(*score).at() else {
                continue;
            };
            match self.all.iter_mut().rev().find(|l| l.member == *member) {
                Some(life) if life.due == due && life.left.is_none() => {}
                Some(life) => {
                    (life.due, life.score) = (due, *score);
                    (life.left, life.taken, life.announced) = (None, None, None);
                }
                None => self.all.push_back(MessageLife {
                    id: queue.id(member),
                    text: beginning(queue, habit, member),
                    member: member.clone(),
                    seen: pulse.at,
                    due,
                    score: *score,
                    announced: None,
                    left: None,
                    taken: None,
                }),
            }
        }
        while self.all.len() > MOST_LIVES {
            self.all.pop_front();
        }
    }
}

/// The rows of a refresh, as what they say of entries that are not among them.
struct InSight<'a> {
    members: HashSet<&'a [u8]>,
    /// An entry due after `from` and before `until` would be among them. None: there is no entry
    /// before, or behind, the rows.
    from: Option<f64>,
    until: Option<f64>,
}

impl<'a> InSight<'a> {
    /// Of a refresh that has brought rows.
    fn of(pulse: &'a Pulse) -> Option<Self> {
        let page = pulse.page.as_ref()?;
        let (_, from) = page.rows.first()?;
        let (_, until) = page.rows.last()?;
        let end = page.first + page.rows.len() as u64;
        let is_end = matches!(pulse.waiting, Known::Is(waiting) if end >= waiting);
        Some(Self {
            members: page.rows.iter().map(|(member, _)| &member[..]).collect(),
            from: (page.first > 0).then_some(*from),
            until: (!is_end).then_some(*until),
        })
    }

    /// True when it would be among them, and is not.
    fn lack(&self, life: &MessageLife) -> bool {
        let score = life.score;
        self.from.is_none_or(|from| from < score)
            && self.until.is_none_or(|until| score < until)
            && !self.members.contains(&life.member[..])
    }
}

/// The beginning of what a member says.
fn beginning(queue: &Queue, habit: Habit, member: &[u8]) -> String {
    let payload = queue.unwrap(member).map_or(member, |inside| inside.payload);
    if payload.len() > MOST_DECODED {
        return String::new();
    }
    habit.decode(payload).text.chars().take(LETTERS).collect()
}
