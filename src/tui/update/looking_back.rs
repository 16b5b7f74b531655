//! Keys and mouse while a moment of the past is looked at: they move about in it, or lead back. Nothing
//! can be changed there.

use crate::tui::effect::Effect;
use crate::tui::hitmap::Target;
use crate::tui::keys::{Action, Key};
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::msg::Msg;
use crate::tui::{focus, leave, past, reason, toast};

/// Somebody does something.
pub(super) fn input(model: &mut Model, msg: &Msg) -> Vec<Effect> {
    if let Some(past) = model.past.as_deref_mut() {
        past.drawn.clone_from(&model.drawn);
    }
    match *msg {
        Msg::KeyPressed(key) => return pressed(model, key),
        Msg::Clicked(x, y) => return clicked(model, x, y),
        Msg::Dragged(x, y) if model.drawn.at(x, y) == Some(Target::Strip) => {
            past::update::to_column(model, x);
        }
        Msg::Scrolled(x, y, rows) if is_timeline(model.drawn.at(x, y)) => {
            past::update::zoom(model, rows < 0);
        }
        Msg::Scrolled(x, y, rows) => {
            in_it(model, |past| super::mouse::scrolled(past, x, y, rows));
        }
        _ => {}
    }
    Vec::new()
}

/// The bars of then have the zoom of then: what is drawn closer there is the strip.
const fn is_timeline(target: Option<Target>) -> bool {
    matches!(
        target,
        Some(Target::Bar(_) | Target::Late(_) | Target::Zoom(_) | Target::Pane(Pane::Timeline))
    )
}

fn pressed(model: &mut Model, key: Key) -> Vec<Effect> {
    let Some(past) = model.past.as_deref_mut() else {
        return Vec::new();
    };
    toast::update::seen(past);
    let Some(action) = past.keymap.resolve(focus::place(past), key) else {
        let words = reason::unbound(past, key);
        past::update::tell(model, &words);
        return Vec::new();
    };
    let covered = past.overlay.is_some();
    // The page of a queue that was opened there is closed there.
    let inside = matches!(past.screen, Screen::Queue) && matches!(model.screen, Screen::Dashboard);
    match action {
        Action::Earlier => past::update::step(model, -1),
        Action::Later => past::update::step(model, 1),
        Action::ChangeBefore => past::update::to_change(model, false),
        Action::ChangeAfter => past::update::to_change(model, true),
        Action::ZoomIn => past::update::zoom(model, true),
        Action::ZoomOut => past::update::zoom(model, false),
        Action::QuitNow => {
            // What it may ask has to be seen.
            past::update::back(model);
            return leave::update::quit(model);
        }
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Back | Action::Quit if covered || inside => {
            in_it(model, |past| super::act::act(past, Action::Back));
        }
        Action::Back | Action::Quit | Action::ZoomReset | Action::Freeze => {
            past::update::back(model);
        }
        _ if looks(past, action) => return in_it(model, |past| super::act::act(past, action)),
        _ => {
            let now = model.keymap.label(Action::ZoomReset, model.look.ascii);
            let now = now.or_else(|| model.keymap.label(Action::Back, model.look.ascii));
            let now = now.unwrap_or_else(|| "Esc".to_owned());
            let words = format!("only looking here: {now} goes back to now");
            past::update::tell(model, &words);
        }
    }
    Vec::new()
}

/// True for what moves about, and reads nothing.
fn looks(past: &Model, action: Action) -> bool {
    match action {
        Action::Up
        | Action::Down
        | Action::PageUp
        | Action::PageDown
        | Action::First
        | Action::Last
        | Action::NextPane
        | Action::PreviousPane
        | Action::Tab(_)
        | Action::BarLeft
        | Action::BarRight
        | Action::LogHeight
        | Action::Help => true,
        Action::Open => past.focus == Pane::Queues,
        Action::CopyPayload | Action::CopyCommand => past.focus == Pane::Entries,
        _ => false,
    }
}

fn clicked(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    match model.drawn.at(x, y) {
        Some(Target::Key(key)) => return pressed(model, key),
        Some(Target::Strip) => past::update::to_column(model, x),
        Some(
            Target::Queue(_)
            | Target::Tab(_)
            | Target::Pane(_)
            | Target::Finding(_)
            | Target::Toast
            | Target::Beside
            | Target::Sick,
        ) => {
            in_it(model, |past| super::mouse::clicked(past, x, y));
        }
        _ => {}
    }
    Vec::new()
}

/// Does something in the picture of the past. What it would read or change is left undone.
fn in_it(model: &mut Model, act: impl FnOnce(&mut Model) -> Vec<Effect>) -> Vec<Effect> {
    let Some(past) = model.past.as_deref_mut() else {
        return Vec::new();
    };
    let effects = act(past);
    past::update::show_again(model);
    let own = |effect: &Effect| matches!(effect, Effect::Copy(_) | Effect::Redraw);
    effects.into_iter().filter(own).collect()
}
