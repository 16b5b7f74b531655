//! Leaving what the workers of this session work on: the program, or this server for another.

use super::{dialog, offer};
use crate::queue::text;
use crate::tui::effect::Effect;
use crate::tui::model::dialog::{Dialog, DialogLine, Question};
use crate::tui::model::{Model, Overlay};

/// Leaves by `effects`: at once, or, when a worker would stop that somebody has started, after a
/// question. To be asked a second time while the question stands is the answer.
pub(super) fn leaving(model: &mut Model, effects: Vec<Effect>) -> Vec<Effect> {
    if !model.workers.would_stop() || is_asked(model) {
        return effects;
    }
    offer::put_away(model);
    let dialog = question(model, effects);
    dialog::open(model, dialog);
    Vec::new()
}

/// The question is on the screen.
fn is_asked(model: &Model) -> bool {
    matches!(&model.overlay, Some(Overlay::Dialog(dialog))
        if matches!(dialog.question, Question::Leave(_)))
}

fn question(model: &Model, effects: Vec<Effect>) -> Dialog {
    let mut lines = Vec::new();
    for worker in &model.workers.at_work {
        let name = text::printable_bytes(worker.queue.name.as_bytes());
        lines.push(DialogLine::Words(format!(
            "A stand-in worker is at work on {name}: {} moved so far.",
            text::counted(worker.moved, "entry", "entries")
        )));
    }
    lines.push(DialogLine::Blank);
    let (it, ends) = match lines.len() {
        2 => ("It", "ends"),
        _ => ("They", "end"),
    };
    lines.push(DialogLine::Words(format!(
        "{it} {ends} with this screen. The command that goes on is printed then."
    )));
    Dialog {
        title: "Leave?".to_owned(),
        lines,
        yes: "leave",
        no: "stay",
        name: None,
        opened_by: None,
        question: Question::Leave(effects),
    }
}

/// Leaves the program.
pub(super) fn quit(model: &mut Model) -> Vec<Effect> {
    model.prompt = None;
    leaving(model, vec![Effect::Quit])
}
