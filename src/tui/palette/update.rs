//! The commands by name: all actions of the key table, and what takes a word behind it.

pub mod commands;
pub mod find;
pub mod queues;
pub mod rank;
pub mod words;

use self::commands::{COMMANDS, PaletteCommand};
use crate::tui::effect::Effect;
use crate::tui::focus;
use crate::tui::keys::{self, Action, BINDINGS, Binding};
use crate::tui::model::Model;
use crate::tui::prompt::Choice;
use crate::tui::toast::{self, Tone};
use crate::tui::{filter, jump, reason};

/// Actions that the palette leaves out: moves that nobody makes by name, what stands there as a
/// command, and what is done in forms and questions, where no command can be typed.
const LEFT_OUT: &[Action] = &[
    Action::Up,
    Action::Down,
    Action::PageUp,
    Action::PageDown,
    Action::BarLeft,
    Action::BarRight,
    Action::Back,
    Action::Quit,
    Action::Palette,
    Action::Confirm,
    Action::Refuse,
    Action::Submit,
    Action::Editor,
];

/// The commands that people come for, first: the others stand behind them.
const TITLES: &[&str] = &[
    "transfer",
    "requeue",
    "transfer-now",
    "delete",
    "edit",
    "offer",
    "repair",
    "undo",
    "worker",
    "find",
    "filter",
    "queue",
    "goto",
    "sort",
    "server",
    "profile",
    "help",
    "quit",
];

/// The meaning of a line.
enum LineMeaning {
    Nothing,
    Command(&'static PaletteCommand, String),
    Action(&'static Binding),
    Unknown,
}

/// Another text: other choices, the best one chosen. Where only the command itself is typed so
/// far, or nothing, none is.
pub(crate) fn changed(model: &mut Model) {
    let Some(line) = model.prompt.as_ref().map(|prompt| prompt.field.text()) else {
        return;
    };
    let choices = choices(model, &line);
    if let Some(prompt) = &mut model.prompt {
        let open = line.trim().is_empty() || line.ends_with(' ') || prompt.back > 0;
        prompt.chosen = (!open && !choices.is_empty()).then_some(0);
        prompt.choices = choices;
    }
}

/// Returns the choices that the line could become, best first.
fn choices(model: &Model, line: &str) -> Vec<Choice> {
    let typed = without_colon(line);
    if typed.contains(' ') {
        match said(line) {
            LineMeaning::Command(command, arg) => {
                let choices = (command.choices)(model, &arg);
                if !choices.is_empty() || !arg.is_empty() || command.wants.is_empty() {
                    return choices;
                }
                // It is there, and says what it waits for.
                return vec![Choice {
                    disabled: Some(format!("type {} behind it", command.wants)),
                    ..of_command(model, command)
                }];
            }
            LineMeaning::Action(binding) => return vec![of_action(model, binding)],
            LineMeaning::Nothing | LineMeaning::Unknown => {}
        }
    }
    let commands = COMMANDS.iter().map(|c| (c.aliases, of_command(model, c)));
    let by_name = BINDINGS.iter().filter(|b| is_listed(b));
    let actions = by_name.map(|b| (other_names(b.action), of_action(model, b)));
    let wanted = typed.trim().replace(' ', "-");
    let (mut sure, rest) = rank::best(&wanted, TITLES, commands.chain(actions).collect());
    // Whoever types a queue's name here wants to go there: what only has it somewhere in its name
    // comes behind, and where it is the whole name, what only begins so. One letter fits nearly
    // every name.
    if typed.trim().chars().count() > 1 {
        let called = queues::called(model, typed.trim());
        let is_command = sure.iter().any(|choice| choice.line == wanted);
        if !is_command && queues::is_name(model, typed.trim()) {
            sure.splice(..0, called);
        } else {
            sure.extend(called);
        }
        sure.extend(queues::other_name(model, typed.trim()));
    }
    sure.extend(rest);
    sure
}

/// Returns the meaning of a line; `typed` is without what a habit puts in front of it.
fn said(line: &str) -> LineMeaning {
    let typed = without_colon(line);
    let (name, arg) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    if name.is_empty() {
        return LineMeaning::Nothing;
    }
    let command = COMMANDS.iter().find(|c| c.is_called(name));
    if let Some(command) = command {
        return LineMeaning::Command(command, arg.trim().to_owned());
    }
    // `zoom in` is `zoom-in`.
    let name = typed.trim().replace(' ', "-");
    let is_called = |b: &&Binding| b.name == name || other_names(b.action).contains(&name.as_str());
    let binding = BINDINGS.iter().find(|b| is_listed(b) && is_called(b));
    binding.map_or(LineMeaning::Unknown, LineMeaning::Action)
}

/// Returns the names that the command line has for an action.
const fn other_names(action: Action) -> &'static [&'static str] {
    match action {
        Action::Deliver => &["deliver"],
        Action::Kick => &["kick"],
        _ => &[],
    }
}

fn without_colon(line: &str) -> &str {
    line.trim_start().trim_start_matches(':').trim_start()
}

fn is_listed(binding: &Binding) -> bool {
    let as_command = COMMANDS.iter().any(|c| c.is_called(binding.name));
    !as_command && !LEFT_OUT.contains(&binding.action)
}

fn of_command(model: &Model, command: &PaletteCommand) -> Choice {
    Choice {
        line: command.name.to_owned(),
        wants: command.wants,
        help: command.help.to_owned(),
        keys: command.action.map_or(String::new(), |a| labels(model, a)),
        disabled: (command.why_not)(model).map(|why| model.sentence(why)),
    }
}

fn of_action(model: &Model, binding: &'static Binding) -> Choice {
    Choice {
        line: binding.name.to_owned(),
        wants: "",
        help: keys::said(binding).to_owned(),
        keys: labels(model, binding.action),
        disabled: why_not(model, binding),
    }
}

fn labels(model: &Model, action: Action) -> String {
    let keys = model.keymap.keys(action).iter();
    let labels = keys.map(|key| key.label(model.look.ascii));
    labels.collect::<Vec<_>>().join(" ")
}

/// Says why an action cannot do anything here and now.
fn why_not(model: &Model, binding: &Binding) -> Option<String> {
    let here = focus::place(model);
    if binding.places.contains(&here) {
        let why = reason::why_not(model, binding.action);
        return why.map(|why| model.sentence(why));
    }
    Some(reason::works_in(binding))
}

/// The line becomes its best choice.
pub(crate) fn complete(model: &mut Model) {
    let Some(prompt) = &mut model.prompt else {
        return;
    };
    let best = prompt.choices.get(prompt.chosen.unwrap_or(0));
    let Some(line) = best.map(completed) else {
        return;
    };
    prompt.field.set(&line);
    prompt.back = 0;
    prompt.error = None;
    changed(model);
}

fn completed(choice: &Choice) -> String {
    let blank = if choice.wants.is_empty() { "" } else { " " };
    format!("{}{blank}", choice.line)
}

/// One choice up or down. False when the history is meant: at an empty line, upwards.
pub(crate) fn step(model: &mut Model, up: bool) -> bool {
    let Some(prompt) = &mut model.prompt else {
        return false;
    };
    let empty = prompt.field.is_empty() && prompt.chosen.is_none();
    if prompt.back > 0 || (empty && up) || prompt.choices.is_empty() {
        return false;
    }
    let last = prompt.choices.len() - 1;
    prompt.chosen = match (prompt.chosen, up) {
        (None, false) => Some(0),
        (None, true) => Some(last),
        // Up from the first one is back in the line.
        (Some(0), true) => None,
        (Some(at), true) => Some(at - 1),
        (Some(at), false) => Some(if at == last { 0 } else { at + 1 }),
    };
    true
}

/// The wheel moves the choice, not beyond its ends.
pub(crate) fn scrolled(model: &mut Model, up: bool) {
    let Some(prompt) = &mut model.prompt else {
        return;
    };
    let last = prompt.choices.len().saturating_sub(1);
    let at = prompt.chosen.unwrap_or(0);
    if !prompt.choices.is_empty() {
        let to = if up { at.saturating_sub(1) } else { at + 1 };
        prompt.chosen = Some(to.min(last));
    }
}

/// Enter: the chosen line, else the typed one; none when it cannot be entered as it is.
pub(crate) fn entered(model: &mut Model) -> Option<String> {
    let prompt = model.prompt.as_ref()?;
    let chosen = prompt.chosen.and_then(|at| prompt.choices.get(at));
    let Some(choice) = chosen else {
        return Some(prompt.field.text());
    };
    if let Some(why) = &choice.disabled {
        let text = format!("{}: {why}", choice.line);
        toast::update::say(model, text, Tone::Warn);
        return None;
    }
    let command = COMMANDS.iter().find(|c| c.name == choice.line);
    if command.is_some_and(|c| !c.alone) {
        complete(model);
        return None;
    }
    Some(choice.line.clone())
}

/// Does what a line says, or tells why it cannot.
pub(crate) fn run(model: &mut Model, line: &str) -> Result<Vec<Effect>, String> {
    match said(line) {
        LineMeaning::Nothing => Ok(Vec::new()),
        LineMeaning::Command(command, arg) => {
            if let Some(why) = (command.why_not)(model) {
                return Err(model.sentence(why));
            }
            if arg.is_empty() && !command.alone {
                return Err(format!("say which: {} {}", command.name, command.wants));
            }
            (command.run)(model, &arg)
        }
        LineMeaning::Action(binding) => match why_not(model, binding) {
            Some(why) => Err(format!("{}: {why}", binding.name)),
            None => Ok(vec![Effect::asks(binding.action)]),
        },
        LineMeaning::Unknown => Err(format!(
            "there is no command {}",
            without_colon(line).trim()
        )),
    }
}

/// Runs the line of an action with `text`; asks for that line itself when there is none.
fn line_of(model: &mut Model, action: Action, text: &str) -> Result<Vec<Effect>, String> {
    match action {
        _ if text.is_empty() => Ok(vec![Effect::asks(action)]),
        Action::Jump => jump::run(model, text),
        _ => filter::update::run(model, text),
    }
}
