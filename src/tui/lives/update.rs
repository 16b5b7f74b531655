//! The news of messages' lives that a refresh brings.

use std::collections::{HashMap, HashSet};

use super::{
    Effect as LivesEffect, LifeStep, Lives, MOST_LIVES, MessageLife, MonitorPrice, MonitoredLife,
    Msg, Tracing,
};
use crate::clock::EpochMillis;
use crate::payload::Habit;
use crate::queue::{Announcement, Due, Known, Pulse, Queue, text};
use crate::trace::life::Moment;
use crate::trace::{Event, EventKind};
use crate::tui::dialog::{self, Button, Dialog, DialogLine, Question};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Overlay};
use crate::tui::toast::{self, Tone};

/// Queues whose lives are kept at most while another one is selected.
const MOST_FORMER: usize = 20;
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
    let said = model.traffic.heard.iter().filter(of_queue);
    let announced: HashMap<EpochMillis, EpochMillis> = said
        .filter_map(|said| Some((said.due()?, said.at)))
        .collect();
    if model.lives.queue.as_ref() != Some(queue) {
        select(model, queue);
    }
    let lives = &mut model.lives;
    lives.go_on(pulse);
    lives.see(queue, habit, pulse);
    for life in lives.all.iter_mut().filter(|l| l.announced.is_none()) {
        life.announced = announced.get(&life.due).copied();
    }
    lives.read = Some(pulse.at);
}

/// Goes on with the lives of that queue, and keeps those of the one before: what happens meanwhile is
/// seen when it is selected again.
fn select(model: &mut Model, queue: &Queue) {
    let former = &mut model.former_lives;
    let place = former
        .iter()
        .position(|lives| lives.queue.as_ref() == Some(queue));
    let lives = place.and_then(|place| former.remove(place));
    let lives = lives.unwrap_or_else(|| Lives {
        queue: Some(queue.clone()),
        ..Lives::default()
    });
    // MONITOR goes on until it is told to end: its queue is another one now.
    let before = Lives {
        tracing: None,
        ..std::mem::replace(&mut model.lives, lives)
    };
    former.extend((!before.all.is_empty()).then_some(before));
    if former.len() > MOST_FORMER {
        former.pop_front();
    }
}

impl Lives {
    /// Messages that were due before all that waits, or are not where their due time would have them,
    /// have left timeouts; when target is empty, all that were there have been taken.
    fn go_on(&mut self, pulse: &Pulse) {
        let since = self.read.unwrap_or(pulse.at);
        let step = LifeStep {
            at: pulse.at,
            within_ms: pulse.at.since(since),
        };
        let is_empty = pulse.waiting == Known::Is(0);
        let head = pulse.head.and_then(Due::at);
        let in_sight = VisibleRows::of(pulse);
        for life in &mut self.all {
            let lacks = || {
                head.is_some_and(|head| life.due < head)
                    || in_sight.as_ref().is_some_and(|rows| rows.lack(life))
            };
            let is_gone = is_empty || life.is_due_known && lacks();
            // What was offered after the refresh had read is not in it.
            if life.left.is_none() && is_gone && life.seen <= pulse.at {
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
                // MONITOR tells of what has happened since the refresh read.
                Some(life) if life.left.is_some_and(|left| pulse.at < left.at) => {}
                Some(life) => {
                    (life.due, life.score, life.is_due_known) = (due, *score, true);
                    (life.left, life.taken, life.announced) = (None, None, None);
                    life.told = MonitoredLife::default();
                }
                None => {
                    let mut life = begun(queue, habit, member, pulse.at, (due, *score));
                    life.is_due_known = true;
                    self.all.push_back(life);
                }
            }
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.all.len() > MOST_LIVES {
            self.all.pop_front();
        }
    }

    /// Something happened to a message.
    fn happened(&mut self, queue: &Queue, habit: Habit, event: &Event) {
        let Some(message) = &event.message else {
            self.failed += u64::from(event.kind == EventKind::Failed);
            return;
        };
        if let (EventKind::InVain { won }, Some(by)) = (&event.kind, &event.by) {
            // It is told of the first of those that were transferred together.
            let with_it = |life: &&mut MessageLife| life.told.transferred.as_ref() == Some(won);
            for life in self.all.iter_mut().filter(with_it) {
                life.told.in_vain.push(by.clone());
            }
            return;
        }
        let Some(at_us) = event.at_us else { return };
        let at = EpochMillis::new(at_us.div_euclid(1_000));
        let moment = Moment {
            at_us: event.at_us,
            by: event.by.clone(),
        };
        let step = LifeStep { at, within_ms: 0 };
        let known = self.all.iter().rposition(|l| *l.member == *message.member);
        let place = known.unwrap_or_else(|| {
            let life = begun(queue, habit, &message.member, at, (at, queue.score(at)));
            self.all.push_back(life);
            self.make_room();
            self.all.len() - 1
        });
        let life = &mut self.all[place];
        match &event.kind {
            EventKind::Offered { due } | EventKind::Requeued { due } => {
                if let Some(due) = due.at() {
                    (life.due, life.score, life.is_due_known) = (due, queue.score(due), true);
                }
                (life.left, life.taken, life.announced) = (None, None, None);
                life.told = MonitoredLife::default();
                if matches!(event.kind, EventKind::Offered { .. }) {
                    life.told.offered = Some(moment);
                }
            }
            EventKind::Announced { to } => {
                life.announced = Some(at);
                life.told.announced_to = *to;
            }
            EventKind::Transferred { stays, .. } => {
                life.told.transfers += 1;
                if life.told.transferred.is_none() {
                    life.told.transferred = Some(moment);
                }
                if !stays {
                    life.left = Some(step);
                }
            }
            EventKind::Consumed { .. } => {
                life.told.deliveries += 1;
                if life.told.consumed.is_none() {
                    life.told.consumed = Some(moment);
                }
                life.taken = Some(step);
            }
            EventKind::Polled
            | EventKind::Removed
            | EventKind::Deleted
            | EventKind::Expired
            | EventKind::Renamed => {
                life.left = Some(step);
                life.told.ended = Some((event.kind.clone(), moment));
            }
            EventKind::InVain { .. } | EventKind::Failed => {}
        }
    }
}

/// A life that begins to be known.
fn begun(
    queue: &Queue,
    habit: Habit,
    member: &[u8],
    seen: EpochMillis,
    (due, score): (EpochMillis, f64),
) -> MessageLife {
    MessageLife {
        id: queue.id(member),
        text: beginning(queue, habit, member),
        member: member.to_vec(),
        seen,
        due,
        is_due_known: false,
        score,
        announced: None,
        left: None,
        taken: None,
        told: MonitoredLife::default(),
    }
}

/// `M`: asks for the price of MONITOR, or ends it.
pub(crate) fn monitor(model: &mut Model) -> Vec<Effect> {
    if model.lives.tracing.is_some() {
        return vec![Effect::Lives(LivesEffect::End)];
    }
    let Some(row) = model.selected() else {
        return Vec::new();
    };
    vec![Effect::Lives(LivesEffect::Price(row.queue.clone()))]
}

/// MONITOR was priced, agreed to, has told something or has ended.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Priced(queue, price) => priced(model, queue, price),
        Msg::Agreed(queue) => return agreed(model, queue),
        Msg::Began(generation, span) => {
            let until = model.instant + span;
            if let Some(tracing) = of(model, generation) {
                tracing.until = Some(until);
            }
        }
        Msg::Happened(generation, events, names) => {
            if of(model, generation).is_some()
                && let Some(row) = model.selected()
                && model.lives.queue.as_ref() == Some(&row.queue)
            {
                let (queue, habit) = (row.queue.clone(), row.habit);
                model.lives.names.extend(names);
                for event in &events {
                    model.lives.happened(&queue, habit, event);
                }
            }
        }
        Msg::Ended(generation, how) => return ended(model, generation, how),
    }
    Vec::new()
}

fn of(model: &mut Model, generation: u64) -> Option<&mut Tracing> {
    let tracing = model.lives.tracing.as_mut();
    tracing.filter(|tracing| tracing.generation == generation)
}

fn priced(model: &mut Model, queue: Queue, price: Result<MonitorPrice, String>) {
    // Whoever has gone on meanwhile is asked nothing.
    let is_open = matches!(model.overlay, Some(Overlay::Lives { .. }));
    if !is_open || model.selected().is_none_or(|row| row.queue != queue) {
        return;
    }
    let price = match price {
        Ok(price) => price,
        Err(why) => return toast::update::say(model, why, Tone::Error),
    };
    let most = text::thousands(price.most);
    if let Some(now) = price.now.get().filter(|now| *now > price.most) {
        let now = text::thousands(now);
        let words = format!("the server runs {now} commands/s: MONITOR is for at most {most}");
        return toast::update::say(model, words, Tone::Warn);
    }
    let runs = match price.now {
        Known::Is(now) => format!("{} commands/s now", text::thousands(now)),
        _ => "unknown".to_owned(),
    };
    let span = u64::try_from(price.span.as_millis()).unwrap_or(u64::MAX);
    let name = text::printable_bytes(queue.name.as_bytes());
    let lines = vec![
        DialogLine::Words(format!(
            "Run MONITOR for {}, to see who offers, transfers and takes the messages of {name}?",
            text::span(span)
        )),
        DialogLine::Blank,
        DialogLine::Fact("server runs", runs),
        DialogLine::Warning(
            "The server copies every command to us and can do about half as much meanwhile."
                .to_owned(),
        ),
        DialogLine::Words(format!(
            "It ends by itself above {most} commands/s, when {} MB wait on the server to be sent, \
             and when these lives are closed.",
            price.buffer / 1_000_000
        )),
    ];
    let dialog = Dialog {
        title: "MONITOR".to_owned(),
        lines,
        yes: "run it",
        no: "leave it",
        name: None,
        focus: Button::No,
        opened_by: None,
        question: Question::Monitor(queue),
        told: None,
    };
    dialog::update::open(model, dialog);
}

fn agreed(model: &mut Model, queue: Queue) -> Vec<Effect> {
    model.overlay = Some(Overlay::Lives { scroll: 0 });
    if model.selected().is_none_or(|row| row.queue != queue) || model.lives.tracing.is_some() {
        return Vec::new();
    }
    if model.lives.queue.as_ref() != Some(&queue) {
        model.lives = Lives {
            queue: Some(queue.clone()),
            ..Lives::default()
        };
    }
    let generation = model.schedule.next_generation();
    model.lives.ended = None;
    model.lives.tracing = Some(Tracing {
        generation,
        until: None,
        suspends: false,
    });
    vec![Effect::Lives(LivesEffect::Start(generation, queue))]
}

fn ended(model: &mut Model, generation: u64, how: Result<String, String>) -> Vec<Effect> {
    let Some(tracing) = of(model, generation) else {
        return Vec::new();
    };
    let suspends = tracing.suspends;
    model.lives.tracing = None;
    model.lives.ended = Some(how);
    if suspends {
        vec![Effect::Suspend]
    } else {
        Vec::new()
    }
}

/// MONITOR ends with what it was for: the lives are closed, another queue is selected, or the program
/// is to be stopped, which reads nothing then while the server would copy on.
pub(crate) fn keep_true(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(tracing) = &mut model.lives.tracing else {
        return;
    };
    if tracing.suspends {
        // It is on its way to its end, which suspends the program.
        return;
    }
    if effects.contains(&Effect::Suspend) {
        effects.retain(|effect| *effect != Effect::Suspend);
        tracing.suspends = true;
        effects.push(Effect::Lives(LivesEffect::End));
    }
    let of = model.lives.queue.clone();
    let why = if model.selected().map(|row| &row.queue) != of.as_ref() {
        "another queue is selected"
    } else if !matches!(model.overlay, Some(Overlay::Lives { .. })) {
        // The question promises that it ends with them.
        "the lives of messages were closed"
    } else {
        return;
    };
    model.lives.tracing = None;
    model.lives.ended = Some(Ok(format!("MONITOR ended: {why}")));
    effects.push(Effect::Lives(LivesEffect::End));
    let name = of.map(|queue| text::printable_bytes(queue.name.as_bytes()));
    let words = format!("MONITOR of {} has ended: {why}", name.unwrap_or_default());
    toast::update::say(model, words, Tone::Warn);
}

/// The rows of a refresh, as what they say of entries that are not among them.
struct VisibleRows<'a> {
    members: HashSet<&'a [u8]>,
    /// An entry due after `from` and before `until` would be among them. None: there is no entry
    /// before, or behind, the rows.
    from: Option<f64>,
    until: Option<f64>,
}

impl<'a> VisibleRows<'a> {
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
