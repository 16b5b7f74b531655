//! The queues by name, those that are known and any other.

use crate::queue::{Queue, text};
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::palette::update::commands::{echo, of_words};
use crate::tui::palette::update::words::{spelled, unquoted};
use crate::tui::prompt::Choice;
use crate::tui::queues::{self, update::found};
use crate::tui::sight;
use crate::tui::toast::{self, Tone};

/// The queues that fit, and at the end the name as it is typed when there is no such queue.
pub(crate) fn choices(model: &Model, arg: &str) -> Vec<Choice> {
    let mut choices = called(model, arg);
    match queue(arg) {
        Ok(queue) if at(model, &queue).is_none() => {
            let help = "not found so far: look at it all the same".to_owned();
            choices.push(choice(&queue, help));
        }
        Err(why) if !arg.is_empty() => choices.push(echo("queue", arg, Err(why))),
        _ => {}
    }
    choices
}

/// The queue that is called as it is typed, where a queue of the table has the same keys under another
/// name: it is found under one of the two only.
pub(crate) fn other_name(model: &Model, arg: &str) -> Option<Choice> {
    let queue = queue(arg).ok()?;
    let other = queue.twin()?;
    let mut names = model.queues.iter().map(|row| &row.queue.name);
    let is_other = names.any(|name| *name == other) && at(model, &queue).is_none();
    let help = format!("the same keys as {other}, but delivered to another list");
    is_other.then(|| choice(&queue, help))
}

fn choice(queue: &Queue, help: String) -> Choice {
    Choice {
        line: format!("queue {}", spelled(queue)),
        help,
        ..Choice::default()
    }
}

/// The queues of the table that fit, best first.
pub(crate) fn called(model: &Model, arg: &str) -> Vec<Choice> {
    let rows = model.queues.iter().map(|row| {
        let waiting = row.pulse.as_ref().and_then(|pulse| pulse.waiting.get());
        let help = waiting.map(|n| format!("{} waiting", text::thousands(n)));
        (
            spelled(&row.queue),
            choice(&row.queue, help.unwrap_or_default()),
        )
    });
    of_words(arg, rows)
}

/// Tells whether a queue of the table has just this name.
pub(crate) fn is_name(model: &Model, arg: &str) -> bool {
    let mut rows = model.queues.iter();
    rows.any(|row| spelled(&row.queue).eq_ignore_ascii_case(arg))
}

fn queue(arg: &str) -> Result<Queue, String> {
    Queue::typed(&unquoted(arg)?).map_err(|why| why.to_string())
}

/// Returns the index of the queue's row in the table; a plain one is found by its name alone, too.
fn at(model: &Model, queue: &Queue) -> Option<usize> {
    let mut rows = model.queues.iter();
    let whole = rows.position(|row| row.queue == *queue);
    whole.or_else(|| {
        let mut rows = model.queues.iter();
        rows.position(|row| row.queue.name == queue.name)
    })
}

/// Opens a queue; one that is not in the table is put there.
pub(crate) fn open(model: &mut Model, arg: &str) -> Result<Vec<Effect>, String> {
    let queue = queue(arg)?;
    if at(model, &queue).is_none() {
        let twin = queue.twin();
        let twin = twin.filter(|twin| model.queues.iter().any(|row| row.queue.name == *twin));
        found(model, queue.clone());
        let text = match twin {
            Some(twin) => format!("{arg} has the keys of {twin}, and a target of its own"),
            None => format!("{arg} was not found; it is looked at all the same"),
        };
        toast::update::say(model, text, Tone::Warn);
        if let Some(row) = at(model, &queue) {
            model.queues[row].is_typed = true;
        }
    }
    let row = at(model, &queue).unwrap_or(0);
    queues::update::select(model, row as u64);
    model.screen = Screen::Queue;
    model.focus = Pane::Entries;
    sight::keep(model);
    Ok(Vec::new())
}
