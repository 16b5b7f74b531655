//! Leaving what this session has under way, workers and offers: the program, or this server for
//! another.

use crate::queue::plan::Way;
use crate::queue::text;
use crate::tui::dialog::{self, Button, Dialog, DialogLine, Question};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Overlay};
use crate::tui::offer;
use crate::tui::worker::Workers;

/// Leaves by `effects`: at once, or, when a worker would stop that somebody has started or an offer
/// has no answer yet, after a question. To be asked a second time while the question stands is the
/// answer.
pub(crate) fn leaving(model: &mut Model, effects: Vec<Effect>) -> Vec<Effect> {
    let changing = model.changing.running().is_some();
    let under_way = changing || model.workers.would_stop() || !offered(model).is_empty();
    if !under_way || is_asked(model) {
        return effects;
    }
    offer::update::put_away(model);
    let dialog = question(model, effects);
    dialog::update::open(model, dialog);
    Vec::new()
}

/// The queues that something is being offered to, by name.
fn offered(model: &Model) -> Vec<String> {
    let open = match &model.overlay {
        Some(Overlay::Offer(form)) => Some(&**form),
        _ => None,
    };
    let forms = model.drafts.values().chain(open);
    let sending = forms.filter(|form| form.sending.is_some());
    let mut names: Vec<String> = sending
        .map(|form| text::printable_bytes(form.queue.name.as_bytes()))
        .collect();
    names.sort_unstable();
    names
}

/// Returns the lines on what becomes of the change under way.
fn changing(model: &Model) -> Vec<DialogLine> {
    let Some((one, running)) = model.changing.running() else {
        return Vec::new();
    };
    let name = text::printable_bytes(one.queue.name.as_bytes());
    let planned = running.plan.planned;
    let done = running.progress.as_ref();
    let done = done.map_or(0, |progress| progress.tally.sum());
    let words = format!(
        "A {} of {name} is under way, {} of {}: it stops after what is being done just now.",
        one.called,
        text::thousands(done),
        text::counted(planned, "entry", "entries"),
    );
    let finished = "First the order list is made whole again.";
    let mut lines = vec![DialogLine::Words(words)];
    if running.plan.way == Way::SetAside {
        lines.push(DialogLine::Words(finished.to_owned()));
    }
    lines
}

/// The question is on the screen.
fn is_asked(model: &Model) -> bool {
    matches!(&model.overlay, Some(Overlay::Dialog(dialog))
        if matches!(dialog.question, Question::Leave(_)))
}

fn question(model: &Model, effects: Vec<Effect>) -> Dialog {
    let mut lines = Vec::new();
    for name in offered(model) {
        lines.push(DialogLine::Words(format!(
            "An offer to {name} is on its way: nobody would hear what became of it, and what is \
             not in by then is not offered."
        )));
    }
    lines.extend(changing(model));
    let workers = &model.workers;
    for worker in &workers.at_work {
        let name = text::printable_bytes(worker.queue.name.as_bytes());
        lines.push(DialogLine::Words(format!(
            "A worker runs on {name}: {} transferred so far.",
            text::counted(worker.moved, "entry", "entries")
        )));
    }
    lines.extend(ends(workers));
    Dialog {
        title: "Leave?".to_owned(),
        lines,
        yes: "leave",
        no: "stay",
        name: None,
        focus: Button::No,
        opened_by: None,
        question: Question::Leave(effects),
        told: None,
    }
}

/// Returns the lines on what becomes of the workers' work, and the commands that go on with it.
fn ends(workers: &Workers) -> Vec<DialogLine> {
    let (it, ends) = match workers.at_work.len() {
        0 => return Vec::new(),
        1 => ("It", "ends"),
        _ => ("They", "end"),
    };
    let then = if workers.program.is_some() {
        "the queue stands still then, unless somebody else transfers. What goes on is printed too:"
    } else {
        "the demo's server ends too, so that nothing is left to go on."
    };
    let mut lines = vec![
        DialogLine::Blank,
        DialogLine::Words(format!("{it} {ends} with this screen; {then}")),
    ];
    let here = workers.farewell().into_iter().skip(workers.left.len());
    lines.extend(here.map(|(_, command)| DialogLine::Words(command)));
    lines
}

/// Leaves the program.
pub(crate) fn quit(model: &mut Model) -> Vec<Effect> {
    model.prompt = None;
    leaving(model, vec![Effect::Quit])
}
