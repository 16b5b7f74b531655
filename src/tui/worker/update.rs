//! Stand-in workers: started and stopped after a question, and what they tell.

use super::{Msg, Worker, WorkerMessage, WorkerState};
use crate::queue::finding::id;
use crate::queue::{Known, Queue, text};
use crate::tui::dialog::{self, Button, Dialog, DialogLine, Question, TypedName, UndoWords};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Overlay};
use crate::tui::moments;
use crate::tui::queues::QueueRow;
use crate::tui::schedule::pace;
use crate::tui::toast::{self, Tone};
use crate::tui::worker;

/// Takes an answer about a worker, or what it tells itself.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::StartAgreed(queue) => start(model, queue),
        Msg::StopAgreed(queue) => stop(model, queue),
        Msg::Told(queue, what) => {
            told(model, &queue, what);
            Vec::new()
        }
    }
}

/// `w`: asks whether to start a worker on the selected queue, or to stop the one at work there.
pub(crate) fn ask(model: &mut Model) {
    let Some(row) = model.selected() else {
        return;
    };
    let dialog = match model.workers.on(&row.queue) {
        Some(worker) => to_stop(model, worker),
        None => to_start(model, row),
    };
    dialog::update::open(model, dialog);
}

/// Time has passed, or something was read or told: the workers' pace, and the figures of the
/// question about one that is at work, for that goes on meanwhile.
pub(crate) fn keep_true(model: &mut Model) {
    let now = model.instant;
    for worker in &mut model.workers.at_work {
        worker.noted(now);
    }
    let Some(Overlay::Dialog(asked)) = &model.overlay else {
        return;
    };
    let Question::StopWorker(queue) = &asked.question else {
        return;
    };
    let worker = model.workers.on(queue);
    let fresh = worker.map(|worker| to_stop(model, worker));
    if let (Some(fresh), Some(Overlay::Dialog(asked))) = (fresh, &mut model.overlay) {
        asked.lines = fresh.lines;
    }
}

fn name(queue: &Queue) -> String {
    text::printable_bytes(queue.name.as_bytes())
}

/// No client of the server was blocked on a list at the last look: nobody may be there to take what a
/// worker moves.
fn nobody_waits(model: &Model, row: &QueueRow) -> bool {
    let look = model.server.of(&row.queue).last();
    let clients = look.and_then(|look| look.clients.get_ref());
    clients.is_some_and(|all| all.blocked_on_lists(model.site.db).next().is_none())
}

fn to_start(model: &Model, row: &QueueRow) -> Dialog {
    let queue = &row.queue;
    let target = text::printable_bytes(&queue.keys().target);
    let mut lines = vec![
        DialogLine::Words(format!(
            "Move every due entry of {} from timeouts to its target {target}, from now on and as \
             long as this screen is open?",
            name(queue)
        )),
        DialogLine::Blank,
    ];
    for (label, said) in ["next", ""].into_iter().zip(row.next_said()) {
        lines.push(DialogLine::Fact(label, said));
    }
    let pulse = row.pulse.as_ref();
    if let Some(pulse) = pulse {
        let figure = |known: &Known<u64>| match known {
            Known::Is(n) => text::thousands(*n),
            Known::Unknown(_) => "?".to_owned(),
            Known::None => "none".to_owned(),
        };
        let at_once = match pulse.late.get() {
            Some(0) => "0: nothing is moved at once".to_owned(),
            Some(n) => format!("{}: moved at once", text::thousands(n)),
            None => "?".to_owned(),
        };
        lines.push(DialogLine::Fact("waiting", figure(&pulse.waiting)));
        lines.push(DialogLine::Fact("late now", at_once));
        let target = match pulse.target.get() {
            Some(n) => format!("{} not yet consumed", text::thousands(n)),
            None => "?".to_owned(),
        };
        lines.push(DialogLine::Fact("target", target));
        if row
            .findings
            .iter()
            .any(|found| found.id == id::NAME_COLLISION)
        {
            let words = format!(
                "Another queue shares its keys: what waits may be that one's, and all of it goes to \
                 {}.",
                name(queue)
            );
            lines.push(DialogLine::Warning(words));
        }
        if nobody_waits(model, row) {
            let words =
                "No client waits for any list: unless one polls target, what is moved lies there.";
            lines.push(DialogLine::Warning(words.to_owned()));
        } else if queue.keys().channel.is_some() && pulse.transfer_clients == Known::Is(0) {
            let words = "No application of this queue runs: what is moved lies in target until one \
                         takes it.";
            lines.push(DialogLine::Warning(words.to_owned()));
        }
        let counted = moments::short(model.look.zone, pulse.at, pulse.at);
        lines.push(DialogLine::Fact("counted", format!("at {counted}")));
        lines.push(DialogLine::Fact(
            "clients",
            clients(model, queue, &pulse.transfer_clients),
        ));
    }
    let takes = "at most 100 entries in a script, as a Redisson client does";
    lines.push(DialogLine::Fact("takes", takes.to_owned()));
    lines.push(DialogLine::Fact(
        "server",
        text::printable(&model.site.endpoint).into_owned(),
    ));
    lines.push(DialogLine::Blank);
    lines.push(DialogLine::Undo(UndoWords::Never(
        "It cannot be undone: what it transfers stays transferred.".to_owned(),
    )));
    let profile = model.site.profile.as_ref();
    let protected = profile.filter(|profile| profile.protected);
    let protected = protected.map(|profile| TypedName::protected(&profile.name));
    Dialog {
        title: "Worker".to_owned(),
        lines,
        yes: "start",
        no: "cancel",
        name: protected.map(|why| TypedName::of(queue, why)),
        focus: Button::No,
        opened_by: None,
        question: Question::StartWorker(queue.clone()),
        told: None,
    }
}

/// Says who transfers already.
fn clients(model: &Model, queue: &Queue, known: &Known<u64>) -> String {
    let (others, ours) = model.beside(queue, known.get().unwrap_or(0));
    match (known, queue.keys().channel) {
        (_, None) => "what else polls this queue goes on beside it".to_owned(),
        (Known::Is(0), _) => "no other client".to_owned(),
        (Known::Is(_), _) if ours > 0 => {
            let workers = text::counted(ours, "worker", "workers");
            let beside = match others {
                0 => "nobody else".to_owned(),
                n => text::counted(n, "client", "clients"),
            };
            format!("{workers} of delayscope at work already, and {beside}")
        }
        (Known::Is(n), _) if fails(model, queue) => {
            let listen = text::counted(*n, "client listens", "clients listen");
            format!("{listen}, and not all that is due can be transferred by them: see Findings")
        }
        (Known::Is(1), _) => "1 client transfers already, and goes on beside it".to_owned(),
        (Known::Is(n), _) => {
            let n = text::thousands(*n);
            format!("{n} clients transfer already, and go on beside it")
        }
        _ => "whether other clients transfer is not known".to_owned(),
    }
}

/// By a finding, those who are there to transfer do not, or fail at what they meet.
fn fails(model: &Model, queue: &Queue) -> bool {
    const RULES: [&str; 3] = [id::POISON, id::MIXED_FLEET, id::STUCK_CLIENT];
    let row = model.queues.iter().find(|row| row.queue == *queue);
    row.is_some_and(|row| row.findings.iter().any(|found| RULES.contains(&found.id)))
}

fn to_stop(model: &Model, worker: &Worker) -> Dialog {
    let queue = &worker.queue;
    let ms = model
        .instant
        .saturating_duration_since(worker.since)
        .as_millis();
    let mut lines = vec![
        DialogLine::Words(format!("Stop the worker on {}?", name(queue))),
        DialogLine::Blank,
        DialogLine::Fact("at work", text::span(u64::try_from(ms).unwrap_or(u64::MAX))),
        DialogLine::Fact("moved", moved(model, worker)),
    ];
    let row = model.queues.iter().find(|row| row.queue == *queue);
    if let Some(pulse) = row.and_then(|row| row.pulse.as_ref()) {
        let late = pulse.late.get();
        let late = late.map_or_else(|| "?".to_owned(), text::thousands);
        lines.push(DialogLine::Fact("late now", late));
    }
    if worker.skipped > 0 {
        let skipped = format!(
            "{}: no frames, or no times",
            text::thousands(worker.skipped)
        );
        lines.push(DialogLine::Fact("passed over", skipped));
    }
    match &worker.state {
        WorkerState::Failing(why) => {
            lines.push(DialogLine::Blank);
            lines.push(DialogLine::Warning(format!("It tries again: {why}")));
        }
        WorkerState::Deaf(why) => {
            lines.push(DialogLine::Blank);
            lines.push(DialogLine::Warning(format!(
                "It hears no announcements: {why}"
            )));
        }
        _ => {}
    }
    Dialog {
        title: "Worker".to_owned(),
        lines,
        yes: "stop",
        no: "go on",
        name: None,
        focus: Button::No,
        opened_by: None,
        question: Question::StopWorker(queue.clone()),
        told: None,
    }
}

/// `1,204, 85/s`.
fn moved(model: &Model, worker: &Worker) -> String {
    let pace = worker.per_s(model.instant).filter(|pace| *pace > 0.0);
    let pace = pace.map_or_else(String::new, |pace| format!(", {}/s", text::rate(pace)));
    format!("{}{pace}", text::thousands(worker.moved))
}

/// Yes: it starts.
fn start(model: &mut Model, queue: Queue) -> Vec<Effect> {
    if model.workers.on(&queue).is_some() {
        return Vec::new();
    }
    toast::update::say(
        model,
        format!("a worker starts on {}", name(&queue)),
        Tone::Good,
    );
    let worker = Worker::new(queue.clone(), model.instant);
    model.workers.at_work.push(worker);
    vec![Effect::Worker(worker::Effect::Start(queue))]
}

/// Yes: it stops.
fn stop(model: &mut Model, queue: Queue) -> Vec<Effect> {
    if let Some(worker) = at_work(model, &queue) {
        worker.state = WorkerState::Ending;
    }
    vec![Effect::Worker(worker::Effect::Stop(queue))]
}

fn at_work<'a>(model: &'a mut Model, queue: &Queue) -> Option<&'a mut Worker> {
    let mut workers = model.workers.at_work.iter_mut();
    workers.find(|worker| worker.queue == *queue)
}

/// A worker told something.
fn told(model: &mut Model, queue: &Queue, told: WorkerMessage) {
    let Some(worker) = at_work(model, queue) else {
        return;
    };
    let ending = worker.state == WorkerState::Ending;
    let news = match told {
        WorkerMessage::Moved { moved, skipped } => {
            worker.moved += moved;
            worker.skipped += skipped;
            moved_some(model, queue);
            None
        }
        WorkerMessage::Late { at, late_ms } => {
            if let Some(row) = model.queues.iter_mut().find(|row| row.queue == *queue) {
                row.watch.worker_moved(at, &late_ms);
            }
            None
        }
        WorkerMessage::Ended(why) => return ended(model, queue, why),
        _ if ending => None,
        WorkerMessage::Listening => {
            worker.state = WorkerState::AtWork;
            None
        }
        WorkerMessage::WorksAgain(ms) => {
            worker.state = WorkerState::AtWork;
            let words = format!("works again after {}", text::span(ms));
            Some((words, Tone::Good))
        }
        WorkerMessage::Deaf(why) => {
            let news = !matches!(worker.state, WorkerState::Deaf(_) | WorkerState::Failing(_));
            let words = format!("hears no announcements: {why}");
            if !matches!(worker.state, WorkerState::Failing(_)) {
                worker.state = WorkerState::Deaf(why);
            }
            news.then_some((words, Tone::Warn))
        }
        WorkerMessage::Remark(words) => Some((format!("says: {words}"), Tone::Warn)),
        WorkerMessage::Failed(why) => {
            let news = !matches!(&worker.state, WorkerState::Failing(old) if *old == why);
            let words = format!("tries again: {why}");
            worker.state = WorkerState::Failing(why);
            news.then_some((words, Tone::Error))
        }
    };
    if let Some((words, tone)) = news {
        toast::update::say(
            model,
            format!("the worker on {} {words}", name(queue)),
            tone,
        );
    }
}

/// Has the queue read again soon, if it is the selected one: what is shown of it is old by now.
fn moved_some(model: &mut Model, queue: &Queue) {
    if model.selected().is_some_and(|row| row.queue == *queue) {
        pace::want_selected(model);
    }
}

fn ended(model: &mut Model, queue: &Queue, why: Option<String>) {
    let workers = &mut model.workers.at_work;
    let Some(i) = workers.iter().position(|worker| worker.queue == *queue) else {
        return;
    };
    let worker = workers.remove(i);
    let name = name(queue);
    let moved = text::counted(worker.moved, "entry", "entries");
    let (words, tone) = why.map_or_else(
        || {
            let words = format!("the worker on {name} has ended: {moved} moved");
            (words, Tone::Good)
        },
        |why| (format!("no worker on {name}: {why}"), Tone::Error),
    );
    toast::update::say(model, words, tone);
    model.changes.want_journal();
}
