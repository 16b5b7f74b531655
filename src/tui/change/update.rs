//! Changes: asked for, planned, confirmed, begun. One at a time; a kick may go beside it.

pub mod about;
pub mod forms;
pub mod question;

use std::time::Duration;

use self::about::why_not;
use super::{ChangeInProgress, ChangeStage, Msg, UnfinishedChange, progress};
use crate::queue::change::{ChangeRequest, Repair};
use crate::queue::plan::Progress;
use crate::queue::{Change, Plan, Queue, text};
use crate::tui::change;
use crate::tui::change::plan::{MarkedEntries, PlanRequest};
use crate::tui::effect::Effect;
use crate::tui::keys::{Action, Key, KeyPlace};
use crate::tui::marks::{self, Marks};
use crate::tui::model::{Model, Overlay};
use crate::tui::schedule::pace;
use crate::tui::toast::{self, Tone};
use crate::tui::{departed, dialog, filter, journal};

/// A plan that took longer than this may come while the user is at something else: then the
/// question does not take a yes at once.
const SURPRISING: Duration = Duration::from_secs(1);

/// Nobody has read it before.
const UNREAD: Duration = Duration::from_millis(500);

/// A key asks for a change.
pub(crate) fn ask(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Undo => return undo(model),
        Action::Kick => return on_queue(model, ChangeRequest::Kick),
        Action::Repair => return forms::repair(model),
        _ => {}
    }
    let about = match about::of(model, action) {
        Ok(about) => about,
        Err(why) => {
            toast::update::say(model, model.sentence(why), Tone::Warn);
            return Vec::new();
        }
    };
    let what = match action {
        Action::Transfer => ChangeRequest::Transfer,
        Action::Deliver => ChangeRequest::Deliver,
        Action::Delete => ChangeRequest::Delete,
        Action::Duplicate => ChangeRequest::Duplicate,
        Action::Requeue => {
            forms::requeue(model, about);
            return Vec::new();
        }
        _ => {
            forms::edit(model, about);
            return Vec::new();
        }
    };
    begin(model, what, about)
}

/// Says why equal ones of what is marked cannot be deleted now; none when they can.
pub(crate) fn why_not_keep_one(model: &Model) -> Option<&'static str> {
    if model.marks.is_empty() {
        return Some("mark entries first: one of each that are equal is kept");
    }
    why_not(model, Action::Delete)
}

/// Deletes what is marked, but one of each that are equal.
pub(crate) fn keep_one(model: &mut Model) -> Vec<Effect> {
    match about::of(model, Action::Delete) {
        Ok(ChangeScope {
            marks: Some(marks),
            queue,
            ..
        }) => {
            let about = ChangeScope {
                queue,
                marked: MarkedEntries::ButOne(marks.clone()),
                marks: Some(marks),
            };
            begin(model, ChangeRequest::Delete, about)
        }
        other => {
            let why = other.err().or_else(|| why_not_keep_one(model));
            let why = model.sentence(why.unwrap_or_default());
            toast::update::say(model, why, Tone::Warn);
            Vec::new()
        }
    }
}

/// A change of the selected queue as a whole.
fn on_queue(model: &mut Model, what: ChangeRequest) -> Vec<Effect> {
    let queue = model.selected().map(|row| row.queue.clone());
    queue.map_or(Vec::new(), |queue| {
        begin(model, what, ChangeScope::of(queue, MarkedEntries::Due))
    })
}

/// The subject of a change: a queue, and which of its entries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangeScope {
    queue: Queue,
    marked: MarkedEntries,
    /// The marks, when it is about them.
    marks: Option<Box<Marks>>,
}

/// Asks for a plan, unless something else is not over yet.
fn begin(model: &mut Model, what: ChangeRequest, about: ChangeScope) -> Vec<Effect> {
    let change = what.change();
    if is_busy(model, change) {
        return Vec::new();
    }
    let which = match about.marked {
        MarkedEntries::Marks(_) => found(model, &about),
        _ => None,
    };
    let which = which.unwrap_or(about.marked);
    let name = match which {
        MarkedEntries::Copies => Repair::KeepOne.label(),
        _ => what.label(),
    };
    let called = (change, name);
    let generation = started(model, called, about.queue.clone(), about.marks);
    let asked_for = Box::new(PlanRequest {
        generation,
        queue: about.queue,
        what,
        which,
    });
    if let Some(one) = model
        .changing
        .one
        .as_mut()
        .filter(|_| change != Change::Kick)
    {
        one.asked_for = Some(asked_for.clone());
    }
    vec![Effect::Change(change::Effect::Plan(asked_for))]
}

/// Plans again what was asked about, as it is now.
fn look_again(model: &mut Model, generation: u64) -> Vec<Effect> {
    let Some(mut one) = model.changing.take(generation) else {
        return Vec::new();
    };
    let Some(mut asked_for) = one.asked_for.take() else {
        return vec![Effect::Change(change::Effect::DropPlan)];
    };
    let generation = model.schedule.next_generation();
    asked_for.generation = generation;
    if let Some(form) = &mut model.put_away
        && form.0 == one.generation
    {
        form.0 = generation;
    }
    model.changing.one = Some(UnfinishedChange {
        generation,
        asked_for: Some(asked_for.clone()),
        since: model.instant,
        stage: ChangeStage::Planning(None),
        ..one
    });
    vec![Effect::Change(change::Effect::Plan(asked_for))]
}

/// The marked entries, when a search has found them already.
fn found(model: &Model, about: &ChangeScope) -> Option<MarkedEntries> {
    let here = model.selected().is_some_and(|row| row.queue == about.queue);
    let marks = about.marks.as_ref().filter(|_| here)?;
    let found = marks::update::one_by_one(model, marks)?;
    Some(MarkedEntries::Marks(Box::new(found)))
}

/// Plans to take back the change that is chosen; where none is, the newest.
fn undo(model: &mut Model) -> Vec<Effect> {
    if let Some(why) = journal::update::why_no_undo(model) {
        toast::update::say(model, why.to_owned(), Tone::Warn);
        return Vec::new();
    }
    let chosen = journal::update::chosen(model).cloned();
    if matches!(model.overlay, Some(Overlay::Change(_))) {
        model.overlay = None;
    }
    undo_of(model, chosen.and_then(|line| line.id))
}

/// Plans to take a change back: that of the journal with this id, else the newest of the queue.
fn undo_of(model: &mut Model, id: Option<String>) -> Vec<Effect> {
    let Some(queue) = model.selected().map(|row| row.queue.clone()) else {
        return Vec::new();
    };
    if is_busy(model, Change::Undo) {
        return Vec::new();
    }
    let called = (Change::Undo, Change::Undo.label());
    let generation = started(model, called, queue.clone(), None);
    vec![Effect::Change(change::Effect::PlanUndo {
        generation,
        id,
        queue,
    })]
}

/// From now on it is planned.
fn started(
    model: &mut Model,
    (change, called): (Change, &'static str),
    queue: Queue,
    marks: Option<Box<Marks>>,
) -> u64 {
    let generation = model.schedule.next_generation();
    let under_way = Some(UnfinishedChange {
        generation,
        change,
        called,
        queue,
        marks,
        asked_for: None,
        asked_by: model.schedule.pressed,
        since: model.instant,
        stage: ChangeStage::Planning(None),
    });
    if change == Change::Kick {
        model.changing.kick = under_way;
    } else {
        model.changing.one = under_way;
    }
    generation
}

/// Tells whether something is in the way of this change; says what, and how that is stopped.
fn is_busy(model: &mut Model, change: Change) -> bool {
    let words = match (&model.changing.one, &model.changing.kick) {
        // What is being planned would be forgotten for another plan.
        (Some(one), _)
            if change != Change::Kick || !matches!(one.stage, ChangeStage::Running(_)) =>
        {
            under_way(model, one)
        }
        (_, Some(kick)) if matches!(kick.stage, ChangeStage::Planning(_)) => under_way(model, kick),
        _ => return false,
    };
    toast::update::say(model, words, Tone::Warn);
    true
}

/// Says what is under way, and how it is stopped.
fn under_way(model: &Model, one: &UnfinishedChange) -> String {
    let name = text::printable_bytes(one.queue.name.as_bytes());
    let (word, back) = (one.called, model.sentence("{back}"));
    let far = match &one.stage {
        ChangeStage::Planning(_) | ChangeStage::Asking(_) => "is being planned".to_owned(),
        ChangeStage::Running(running) => {
            let done = running.progress.as_ref().map_or(0, |p| p.tally.sum());
            let (done, all) = (text::thousands(done), text::thousands(running.plan.planned));
            format!("is under way, {done} of {all}")
        }
    };
    format!("{word} of {name} {far}: {back} stops it")
}

/// A plan or a change under way told something, or the question about it was answered.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Planning(generation, progress) => planning(model, generation, progress),
        Msg::Planned(generation, Ok(plan)) => return planned(model, generation, plan),
        // Nothing has happened: it is a reason, not a failure.
        Msg::Planned(generation, Err(why)) => {
            if let Some(one) = model.changing.take(generation) {
                toast::update::say(model, about::with_cure(model, why), Tone::Warn);
                bring_back(model, &one);
            }
        }
        Msg::Agreed(generation) => return run(model, generation),
        Msg::Refused(generation) => return refused(model, generation),
        Msg::LookAgain(generation) => return look_again(model, generation),
        Msg::Applied(generation, applied) => {
            progress::update::told(model, generation, applied);
        }
    }
    Vec::new()
}

fn planning(model: &mut Model, generation: u64, progress: Progress) {
    if let Some(one) = model.changing.of_mut(generation)
        && let ChangeStage::Planning(told) = &mut one.stage
    {
        *told = Some(progress);
    }
}

/// The plan is there: it is applied, or the user is asked.
fn planned(model: &mut Model, generation: u64, mut plan: Box<Plan>) -> Vec<Effect> {
    let row = model.queues.iter().find(|row| row.queue == plan.queue);
    plan.consumed_per_s = row.and_then(|row| row.watch.taken_per_s());
    let profile = model.site.profile.as_ref();
    let protected = profile.is_some_and(|profile| profile.protected);
    let last = model.changing.takes_back_the_last(&plan, model.instant);
    let Some(one) = model.changing.of_mut(generation) else {
        // Given up meanwhile.
        return Vec::new();
    };
    one.queue = plan.queue.clone();
    if plan.planned == 0 && plan.change != Change::Kick {
        let one = model.changing.take(generation);
        toast::update::say(model, question::nothing(&plan), Tone::Warn);
        if let Some(one) = one {
            bring_back_text(model, &one);
        }
        return vec![Effect::Change(change::Effect::DropPlan)];
    }
    one.stage = ChangeStage::Asking(plan);
    if last && !protected {
        return run(model, generation);
    }
    Vec::new()
}

/// Asks about what is planned, as soon as nothing else lies over the screen or is typed.
pub(crate) fn put_question(model: &mut Model) {
    if model.overlay.is_some() || model.prompt.is_some() {
        return;
    }
    let all = model.changing.one.iter().chain(&model.changing.kick);
    let asking = all.into_iter().find_map(|one| match &one.stage {
        ChangeStage::Asking(plan) => Some((one, plan)),
        ChangeStage::Planning(_) | ChangeStage::Running(_) => None,
    });
    let Some((one, plan)) = asking else {
        return;
    };
    let now = model.instant;
    let surprising = now.saturating_duration_since(one.since) > SURPRISING;
    let dialog = question::dialog(model, one, plan);
    model.changing.unread_until = surprising.then(|| now + UNREAD);
    dialog::update::open(model, dialog);
}

/// Yes: the change begins.
fn run(model: &mut Model, generation: u64) -> Vec<Effect> {
    let now = model.instant;
    let Some(one) = model.changing.of_mut(generation) else {
        return Vec::new();
    };
    let ChangeStage::Asking(plan) = &one.stage else {
        return Vec::new();
    };
    let running = ChangeInProgress::new((**plan).clone(), now);
    one.stage = ChangeStage::Running(Box::new(running));
    departed::update::acts(model, generation);
    vec![Effect::Change(change::Effect::Apply(generation))]
}

/// No: it is forgotten.
fn refused(model: &mut Model, generation: u64) -> Vec<Effect> {
    match model.changing.take(generation) {
        Some(one) => {
            bring_back(model, &one);
            vec![Effect::Change(change::Effect::DropPlan)]
        }
        None => Vec::new(),
    }
}

/// Esc: what is being planned is not wanted any more. None when nothing is.
pub(crate) fn escape(model: &mut Model) -> Option<Vec<Effect>> {
    let all = model.changing.one.iter().chain(&model.changing.kick);
    let planned = |one: &&UnfinishedChange| matches!(one.stage, ChangeStage::Planning(_));
    let one = all.into_iter().find(planned)?;
    let words = format!("{} is not planned any more", one.called);
    let generation = one.generation;
    let one = model.changing.take(generation);
    toast::update::say(model, words, Tone::Good);
    if let Some(one) = one {
        bring_back(model, &one);
    }
    Some(vec![Effect::Change(change::Effect::DropPlan)])
}

/// A key while a plan is made that is to be asked about: it may be meant for the question, so it
/// does nothing to what is in sight.
pub(crate) fn key_meanwhile(model: &mut Model, key: Key) -> Vec<Effect> {
    let leaves = [
        Action::Back,
        Action::QuitNow,
        Action::Suspend,
        Action::Redraw,
    ];
    let action = model.keymap.resolve(KeyPlace::Dialog, key);
    if let Some(action) = action.filter(|action| leaves.contains(action)) {
        return vec![Effect::asks(action)];
    }
    hold(model);
    Vec::new()
}

/// Says what keeps a key or a click from doing anything.
pub(crate) fn hold(model: &mut Model) {
    let Some(word) = model.planned_now().map(|one| one.called) else {
        return;
    };
    let back = model.keymap.label(Action::Back, model.look.ascii);
    let stops = back.map_or_else(String::new, |key| format!("; {key} stops it"));
    let words = format!("{word} is being planned, and asks in a moment{stops}");
    toast::update::say(model, words, Tone::Warn);
}

/// Brings the form that asked for a change back as it was filled in: the change is not made.
pub(crate) fn bring_back(model: &mut Model, one: &UnfinishedChange) {
    if model.overlay.is_none() && model.prompt.is_none() {
        let of_it = |form: &mut Box<(u64, Overlay)>| form.0 == one.generation;
        model.overlay = model.put_away.take_if(of_it).map(|form| form.1);
    }
}

/// The same where what it was about is no longer there: a payload may be of use elsewhere, while
/// there is nothing left to give a due time to.
pub(crate) fn bring_back_text(model: &mut Model, one: &UnfinishedChange) {
    if one.change == Change::Edit {
        bring_back(model, one);
    }
}

/// It is over: the marks that it was about have had their use, and what is shown is old.
pub(crate) fn over(model: &mut Model, one: &UnfinishedChange) {
    let on_it = model.selected().is_some_and(|row| row.queue == one.queue);
    if !on_it {
        return;
    }
    if one
        .marks
        .as_ref()
        .is_some_and(|of| of.left_in(&model.marks))
    {
        marks::update::clear(model);
    }
    // Another due time or payload may not match the filter any more.
    if matches!(one.change, Change::Requeue | Change::Edit | Change::Undo) {
        filter::update::again(model);
    }
    pace::want_selected(model);
}
