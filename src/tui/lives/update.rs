//! The lives of messages: the news that refreshes and MONITOR bring, the cursor, and the filter.

use std::collections::{HashMap, HashSet};

use super::{
    Effect as LivesEffect, LifeExit, LifeStep, Lives, LivesView, MOST_LIVES, MessageLife,
    MonitorPrice, MonitoredLife, Msg, Tracing,
};
use crate::clock::EpochMillis;
use crate::payload::{Codec, Habit};
use crate::queue::{
    Announcement, Change, Due, Entry, Filter, Known, Pulse, Queue, Severity, State, text,
};
use crate::trace::life::{MOST_RIVALS, Moment};
use crate::trace::{Event, EventKind};
use crate::tui::dialog::{self, Button, Dialog, DialogLine, Question};
use crate::tui::effect::Effect;
use crate::tui::findings;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::Tab;
use crate::tui::toast::{self, Tone};

/// Queues whose lives are kept at most while another one is selected.
const MOST_FORMER: usize = 20;
/// Payloads of more bytes are not decoded for their beginning.
const MOST_DECODED: usize = 4_096;
/// Characters of a payload that are kept.
const LETTERS: usize = 1_000;

/// Its key: opens the lives of the selected queue, with the cursor on that of the message that is
/// meant, and closes them.
pub(crate) fn toggle(model: &mut Model) {
    if shown(model).is_some() {
        model.overlay = None;
        return;
    }
    let chosen = meant(model);
    model.overlay = Some(Overlay::Lives(LivesView::default()));
    choose(model, chosen);
}

/// The number of the life of the entry that is open, or under the cursor; on a finding, of the first
/// one that it names.
fn meant(model: &Model) -> Option<u64> {
    let queue = &model.selected()?.queue;
    let of = |member: &[u8]| Some(model.lives.of(queue, member)?.number);
    match (&model.screen, model.focus) {
        (Screen::Entry(view), _) => of(&view.row.member),
        (_, Pane::Entries) if model.tab.has_entries() => of(&model.entry()?.member),
        (_, Pane::Entries) if model.tab == Tab::Findings => {
            let at = usize::try_from(model.stand().cursor).ok()?;
            let finding = findings::listed(model).get(at)?.finding;
            let mut lives = model.lives.all.iter().rev();
            let suspect = finding.suspects.first()?.id;
            lives
                .find(|life| life.id == suspect)
                .map(|life| life.number)
        }
        _ => None,
    }
}

/// The lives on the screen, while they are; else nothing is done.
fn shown(model: &mut Model) -> Option<&mut LivesView> {
    match &mut model.overlay {
        Some(Overlay::Lives(view)) => Some(view),
        _ => None,
    }
}

/// Rows of the lives, as the picture has them.
fn rows(model: &Model) -> usize {
    model.drawn.room.lives.unwrap_or(usize::MAX)
}

/// The last line that the life that is open can be scrolled to.
fn last_line(model: &Model) -> usize {
    model.drawn.room.last_line.unwrap_or(usize::MAX)
}

/// Moves the cursor by rows: far enough, to the first or last life. Where the life that is open does not
/// fit, scrolls that.
pub(crate) fn by(model: &mut Model, rows: i64) {
    let Some(Overlay::Lives(view)) = &model.overlay else {
        return;
    };
    let add = |to: usize, last: usize| {
        let to = (to.min(last) as u64).saturating_add_signed(rows);
        usize::try_from(to).unwrap_or(usize::MAX).min(last)
    };
    if let Some(scroll) = view.opened
        && last_line(model) > 0
    {
        let to = add(scroll, last_line(model));
        if let Some(view) = shown(model) {
            view.opened = Some(to);
        }
        return;
    }
    let listed = model.lives.listed(view);
    let to = add(view.cursor(&listed), listed.len().saturating_sub(1));
    let chosen = listed.get(to).map(|life| life.number);
    choose(model, chosen);
}

fn choose(model: &mut Model, chosen: Option<u64>) {
    if let Some(view) = shown(model) {
        view.chosen = chosen;
    }
    if let Some(Overlay::Lives(view)) = &model.overlay {
        let top = top(model, view);
        if let Some(view) = shown(model) {
            view.scroll = top;
        }
    }
}

/// The first row in sight, or line of the life that is open.
pub(crate) fn top(model: &Model, view: &LivesView) -> usize {
    if let Some(scroll) = view.opened {
        return scroll;
    }
    let listed = model.lives.listed(view);
    view.top(&listed, rows(model))
}

/// Makes that row the first one in sight; the cursor comes along.
pub(crate) fn scroll_to(model: &mut Model, to: usize) {
    let Some(Overlay::Lives(view)) = &model.overlay else {
        return;
    };
    if view.opened.is_some() {
        let to = to.min(last_line(model));
        if let Some(view) = shown(model) {
            view.opened = Some(to);
        }
        return;
    }
    let listed = model.lives.listed(view);
    let rows = rows(model);
    let cursor = view.cursor(&listed);
    let cursor = cursor.clamp(to, to.saturating_add(rows).saturating_sub(1).max(to));
    let chosen = listed.get(cursor).map(|life| life.number);
    if let Some(view) = shown(model) {
        view.scroll = to;
    }
    choose(model, chosen);
}

/// Says why no life can be opened.
pub(crate) fn why_not_open(model: &Model) -> Option<&'static str> {
    match &model.overlay {
        Some(Overlay::Lives(view)) if view.opened.is_some() => Some("it is open already"),
        Some(Overlay::Lives(view)) if model.lives.listed(view).is_empty() => {
            Some("no message to open")
        }
        _ => None,
    }
}

/// Opens the chosen life.
pub(crate) fn open(model: &mut Model) {
    let Some(Overlay::Lives(view)) = &model.overlay else {
        return;
    };
    let listed = model.lives.listed(view);
    let chosen = listed.get(view.cursor(&listed));
    let chosen = chosen.map(|life| life.number);
    if let (Some(view), true) = (shown(model), chosen.is_some()) {
        (view.chosen, view.opened) = (chosen, Some(0));
    }
}

/// A click on a row chooses its life; on that of the chosen one it opens it.
pub(crate) fn clicked(model: &mut Model, row: usize) {
    let Some(Overlay::Lives(view)) = &model.overlay else {
        return;
    };
    let listed = model.lives.listed(view);
    if view.cursor(&listed) == row {
        open(model);
    } else {
        let chosen = listed.get(row).map(|life| life.number);
        choose(model, chosen);
    }
}

/// Esc: closes the life that is open, else takes the filter away. False where there is neither.
pub(crate) fn escape(model: &mut Model) -> bool {
    let view = shown(model);
    view.is_some_and(|view| view.opened.take().is_some() || view.filter.take().is_some())
}

/// The filter begins to be typed: its text so far.
pub(crate) fn begun_filter(model: &mut Model) -> String {
    let Some(view) = shown(model) else {
        return String::new();
    };
    view.opened = None;
    view.replaced = view.filter.clone();
    let text = view.filter.as_ref().map(|filter| filter.text().to_owned());
    text.unwrap_or_default()
}

/// The filter is typed: what it leaves is shown at once; of what is no filter, why.
pub(crate) fn typed(model: &mut Model, text: &str) -> Result<(), String> {
    let filter = Filter::parse(text).map_err(|why| why.to_string())?;
    if let Some(view) = shown(model) {
        view.filter = (!filter.is_empty()).then_some(filter);
        view.scroll = 0;
    }
    Ok(())
}

/// It is given up: the one before it is on again.
pub(crate) fn given_up(model: &mut Model) {
    if let Some(view) = shown(model) {
        view.filter = view.replaced.take();
    }
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
    let exits = Exits::of(model, queue, pulse);
    let gone = model.lives.go_on(pulse);
    for place in gone {
        model.lives.all[place].exit = exits.exit(model, queue, &model.lives.all[place]);
    }
    let lives = &mut model.lives;
    lives.see(queue, habit, pulse);
    lives.see_taken(pulse);
    for life in lives.all.iter_mut().filter(|l| l.announced.is_none()) {
        life.announced = announced.get(&life.due).copied();
    }
    lives.read = Some(pulse.at);
}

/// Goes on with the lives of that queue, and keeps those of the one before: what happens meanwhile is
/// seen when it is selected again.
fn select(model: &mut Model, queue: &Queue) {
    if let Some(view) = shown(model) {
        // Its numbers are of the lives before.
        (view.chosen, view.opened) = (None, None);
    }
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

/// The ways on which messages may have left before a refresh.
struct Exits {
    /// Nobody transfers, or something is wrong, so that what leaves need not be transferred.
    is_doubtful: bool,
    /// A change of ours is under way at the queue.
    changes: Option<Change>,
}

impl Exits {
    fn of(model: &Model, queue: &Queue, pulse: &Pulse) -> Self {
        let findings = model.selected().map_or(&[][..], |row| &row.findings);
        let is_sick = findings.iter().any(|one| one.severity > Severity::Note);
        let running = model.changing.running();
        let own = running.filter(|(one, _)| one.queue == *queue);
        Self {
            is_doubtful: pulse.transfer_clients == Known::Is(0) || is_sick,
            changes: own.map(|(one, _)| one.change),
        }
    }

    /// Returns the exit of one that has just left.
    fn exit(&self, model: &Model, queue: &Queue, life: &MessageLife) -> LifeExit {
        let acted = model.changing.acted.as_ref();
        let entry = Entry {
            member: life.member.clone(),
            score: Some(life.score),
            state: State::Waiting,
        };
        let acted = acted.filter(|acted| acted.on_entry(queue, &entry, model.instant));
        match (acted, self.changes) {
            (Some(acted), _) => LifeExit::Ours(acted.change),
            (None, Some(change @ Change::Transfer)) if !life.left_early() => LifeExit::Ours(change),
            (None, Some(_)) => LifeExit::Unknown,
            (None, None) if self.is_doubtful || life.left_early() => LifeExit::Unknown,
            // A member that nobody can unpack is removed by hand.
            (None, None) if queue.unwrap(&life.member).is_err() => LifeExit::Unknown,
            (None, None) => LifeExit::Transfer,
        }
    }
}

impl Lives {
    /// Messages that were due before all that waits, or are not where their due time would have them,
    /// have left timeouts: their places.
    fn go_on(&mut self, pulse: &Pulse) -> Vec<usize> {
        let step = self.step(pulse);
        let is_empty = pulse.waiting == Known::Is(0);
        let head = pulse.head.and_then(Due::at);
        let in_sight = VisibleRows::of(pulse);
        let mut gone = Vec::new();
        for (place, life) in self.all.iter_mut().enumerate() {
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
                gone.push(place);
            }
        }
        gone
    }

    /// When target is empty, all that were there have been taken.
    fn see_taken(&mut self, pulse: &Pulse) {
        if pulse.target != Known::Is(0) {
            return;
        }
        let step = self.step(pulse);
        for life in self.all.iter_mut().filter(|life| life.taken.is_none()) {
            if life.left.is_some() && life.exit.is_transfer() && life.told.ended.is_none() {
                life.taken = Some(step);
            }
        }
    }

    /// Something that a refresh sees and the one before did not.
    fn step(&self, pulse: &Pulse) -> LifeStep {
        let since = self.read.unwrap_or(pulse.at);
        LifeStep {
            at: pulse.at,
            within_ms: pulse.at.since(since),
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
                // It has gone its way, and lives again.
                Some(life) if life.is_over() => {
                    self.begin(queue, habit, member, pulse.at, (due, *score));
                }
                Some(life) => life.requeued(due, *score),
                None => self.begin(queue, habit, member, pulse.at, (due, *score)),
            }
        }
    }

    /// A message is seen that waits.
    fn begin(
        &mut self,
        queue: &Queue,
        habit: Habit,
        member: &[u8],
        seen: EpochMillis,
        due: (EpochMillis, f64),
    ) {
        let place = self.push(queue, habit, member, seen, due);
        self.all[place].is_due_known = true;
    }

    /// The place of a life that begins to be known.
    fn push(
        &mut self,
        queue: &Queue,
        habit: Habit,
        member: &[u8],
        seen: EpochMillis,
        (due, score): (EpochMillis, f64),
    ) -> usize {
        if self.all.len() >= MOST_LIVES {
            self.all.pop_front();
        }
        self.begun += 1;
        let (codec, text) = read(queue, habit, member);
        self.all.push_back(MessageLife {
            number: self.begun,
            member: member.to_vec(),
            id: queue.id(member),
            codec,
            text,
            seen,
            due,
            is_due_known: false,
            score,
            announced: None,
            left: None,
            exit: LifeExit::default(),
            taken: None,
            requeues: 0,
            told: MonitoredLife::default(),
        });
        self.all.len() - 1
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
                let known = &mut life.told.in_vain;
                if known.len() < MOST_RIVALS && !known.contains(by) {
                    known.push(by.clone());
                }
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
        let begins = matches!(
            event.kind,
            EventKind::Offered { .. } | EventKind::Requeued { .. } | EventKind::EditedFrom { .. }
        );
        let known = known.filter(|place| !(begins && self.all[*place].is_over()));
        let place = known.unwrap_or_else(|| {
            let due = (at, queue.score(at));
            self.push(queue, habit, &message.member, at, due)
        });
        let life = &mut self.all[place];
        match &event.kind {
            EventKind::Offered { due } | EventKind::EditedFrom { due, .. } => {
                if let Some(due) = due.at() {
                    (life.due, life.score, life.is_due_known) = (due, queue.score(due), true);
                }
                (life.left, life.taken, life.announced) = (None, None, None);
                (life.requeues, life.told) = (0, MonitoredLife::default());
                if matches!(event.kind, EventKind::Offered { .. }) {
                    life.told.offered = Some(moment);
                }
            }
            EventKind::Requeued { due } => {
                // A refresh may have seen it before MONITOR told of it.
                if due.at() != Some(life.due) || life.left.is_some() || known.is_none() {
                    let at = due.at().unwrap_or(life.due);
                    life.requeued(at, queue.score(at));
                    life.is_due_known = due.at().is_some();
                }
                life.told.requeued = Some(moment);
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
                    (life.left, life.exit) = (Some(step), LifeExit::Transfer);
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
            | EventKind::EditedInto { .. }
            | EventKind::Deleted
            | EventKind::Expired
            | EventKind::Renamed => {
                life.left = Some(step);
                life.told.ended = Some((event.kind.clone(), moment));
                if life.told.consumed.is_none() {
                    // A refresh took it for taken.
                    life.taken = None;
                }
            }
            EventKind::InVain { .. } | EventKind::Failed => {}
        }
    }
}

impl MessageLife {
    /// It has another due time: what happened to it before was before that.
    fn requeued(&mut self, due: EpochMillis, score: f64) {
        (self.due, self.score, self.is_due_known) = (due, score, true);
        (self.left, self.taken, self.announced) = (None, None, None);
        self.requeues += 1;
        self.told = MonitoredLife {
            offered: self.told.offered.take(),
            requeued: self.told.requeued.take(),
            ..MonitoredLife::default()
        };
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
        Msg::Refused => return_to(model),
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
    let is_open = matches!(model.overlay, Some(Overlay::Lives(_)));
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
    let mut lines = vec![
        DialogLine::Words(format!(
            "Run MONITOR for {}, to see who offers, transfers and takes the messages of {name}?",
            text::span(span)
        )),
        DialogLine::Blank,
    ];
    if let Some(node) = price.node {
        lines.push(DialogLine::Fact("node", node.to_string()));
    }
    lines.extend([
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
    ]);
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
    if let Some(Overlay::Lives(view)) = &model.overlay {
        model.lives.before_question = Some(view.clone());
    }
    dialog::update::open(model, dialog);
}

/// A question has been answered: the lives are as they were before it.
fn return_to(model: &mut Model) {
    let before = model.lives.before_question.take();
    model.overlay = Some(Overlay::Lives(before.unwrap_or_default()));
}

fn agreed(model: &mut Model, queue: Queue) -> Vec<Effect> {
    return_to(model);
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
    model.lives.failed = 0;
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
    if let Some(Overlay::Lives(view)) = &mut model.overlay
        && view.opened.is_some()
        && !(model.lives.all.iter()).any(|life| Some(life.number) == view.chosen)
    {
        // The oldest lives make room for new ones.
        view.opened = None;
    }
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
    } else if !matches!(model.overlay, Some(Overlay::Lives(_))) {
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

/// The codec of what a member says, and the beginning of it.
fn read(queue: &Queue, habit: Habit, member: &[u8]) -> (Codec, String) {
    let payload = queue.unwrap(member).map_or(member, |inside| inside.payload);
    if payload.len() > MOST_DECODED {
        return (Codec::Unknown, String::new());
    }
    let decoded = habit.decode(payload);
    let text = decoded.text.chars().take(LETTERS).collect();
    (decoded.codec, text)
}
