//! The mouse does what the keys do.

use crate::tui::cursor::scrollbar::Rail;
use crate::tui::cursor::{self, ScrollArea};
use crate::tui::effect::Effect;
use crate::tui::entry::update::tree;
use crate::tui::hitmap::Target;
use crate::tui::keys::Action;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::tabs::{self, Tab};
use crate::tui::update::press::pressed;
use crate::tui::{
    change, dialog, entry, findings, form, lives, palette, past, prompt, queues, timeline, toast,
};

/// Rows that a notch of the wheel moves the entries by.
const NOTCH: i64 = 3;

/// A click selects; on what is selected already, it opens. What lies over the screen gets it
/// first; beside that, it closes it and does nothing else.
pub(crate) fn clicked(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    model.table.touched = true;
    let target = model.drawn.at(x, y);
    match target {
        Some(Target::Toast) => {
            toast::update::dismiss(model);
            return Vec::new();
        }
        Some(Target::Key(key)) => return pressed(model, key),
        _ => {}
    }
    if model.planned_now().is_some() {
        change::update::hold(model);
        return Vec::new();
    }
    if model.prompt.is_some() {
        return prompt::update::clicked(model, target);
    }
    match (&model.overlay, target) {
        (Some(Overlay::Dialog(_)), _) => return dialog::update::clicked(model, target),
        (
            Some(Overlay::Help { .. } | Overlay::Lives(_) | Overlay::Change(_)),
            Some(Target::Beside),
        ) => {
            model.overlay = None;
        }
        (_, Some(Target::Rail(what, rail))) => grab(model, what, rail, y),
        (Some(Overlay::Lives(_)), Some(Target::Life(row))) => lives::update::clicked(model, row),
        (Some(Overlay::Help { .. } | Overlay::Lives(_) | Overlay::Change(_)), _) | (None, None) => {
        }
        (Some(_), _) => return form::update::clicked(model, target),
        (None, Some(target)) => return on_screen(model, target, x),
    }
    Vec::new()
}

/// Shows what is wrong with the queues; where no rule says it, the first of those that are ill.
fn show_sick(model: &mut Model) {
    queues::update::show_table(model);
    if !findings::listed(model).is_empty() {
        tabs::update::show(model, Tab::Findings);
        tabs::update::move_to(model, 0);
        if let Some(row) = findings::row_at_cursor(model) {
            queues::update::select(model, row as u64);
        }
        return;
    }
    let sick = model.queues.iter().position(|row| row.sick(model.now));
    if let Some(row) = sick {
        queues::update::select(model, row as u64);
    }
}

/// A click on what nothing lies over.
fn on_screen(model: &mut Model, target: Target, x: u16) -> Vec<Effect> {
    match target {
        Target::Panel => change::progress::update::take_keys(model, true),
        Target::Sick => show_sick(model),
        Target::Strip => past::update::to_column(model, x),
        Target::Face(face) => entry::update::face(model, face),
        Target::Value(at) => tree::clicked(model, at),
        _ => {
            change::progress::update::take_keys(model, false);
            return on_pane(model, target);
        }
    }
    Vec::new()
}

/// A click on what the panes show.
fn on_pane(model: &mut Model, target: Target) -> Vec<Effect> {
    match target {
        Target::Queue(row) => {
            if focus(model, Pane::Queues, |m| m.cursor == row) {
                return super::act::act(model, Action::Open);
            }
            queues::update::select(model, row as u64);
        }
        Target::Row(at) => {
            if focus(model, Pane::Entries, |m| m.stand().cursor == at) {
                return super::act::act(model, Action::Open);
            }
            tabs::update::move_to(model, at);
        }
        Target::Announcement(at) => {
            let again = focus(model, Pane::Traffic, |_| true);
            if again {
                tabs::update::show(model, Tab::Traffic);
                tabs::update::move_to(model, at);
            }
        }
        Target::Tab(tab) => tabs::update::show(model, tab),
        Target::Finding(at) => {
            tabs::update::show(model, Tab::Findings);
            tabs::update::move_to(model, at as u64);
            return super::open::open_line(model);
        }
        Target::Order(order) => {
            model.focus = Pane::Queues;
            queues::update::order::by(model, order);
        }
        Target::Turn => {
            model.focus = Pane::Entries;
            return super::act::act(model, Action::Sort);
        }
        Target::Bar(start) => {
            let again = focus(model, Pane::Timeline, |m| m.timeline.bar == Some(start));
            timeline::update::choose(model, start);
            if again {
                return super::act::act(model, Action::Open);
            }
        }
        Target::Late(class) => {
            let again = focus(model, Pane::Timeline, |m| {
                m.timeline.late_class == Some(class)
            });
            timeline::update::choose_late(model, class);
            if again {
                return super::act::act(model, Action::Open);
            }
        }
        Target::Zoom(zoom) => {
            model.focus = Pane::Timeline;
            timeline::update::zoom(model, zoom);
        }
        Target::Pane(pane) => model.focus = pane,
        _ => {}
    }
    Vec::new()
}

/// The pane that a target lies in.
const fn pane_of(target: Target) -> Option<Pane> {
    match target {
        Target::Pane(pane) | Target::Rail(ScrollArea::Pane(pane), _) => Some(pane),
        Target::Queue(_) | Target::Order(_) => Some(Pane::Queues),
        Target::Zoom(_) | Target::Bar(_) | Target::Late(_) => Some(Pane::Timeline),
        Target::Tab(_) | Target::Turn | Target::Row(_) => Some(Pane::Entries),
        Target::Announcement(_) => Some(Pane::Traffic),
        _ => None,
    }
}

/// Gives a pane the keys; whether it had them already, with its cursor there.
fn focus(model: &mut Model, pane: Pane, there: impl Fn(&Model) -> bool) -> bool {
    let again = model.focus == pane && there(model);
    model.focus = pane;
    again
}

/// The wheel scrolls what lies under it; over the timeline it zooms.
pub(crate) fn scrolled(model: &mut Model, x: u16, y: u16, rows: i8) -> Vec<Effect> {
    model.table.touched = true;
    let help = matches!(
        model.overlay,
        Some(Overlay::Help { .. } | Overlay::Lives(_) | Overlay::Change(_))
    );
    if model.overlay.is_some() && !help {
        return Vec::new();
    }
    let sign = i64::from(rows.signum());
    if model.drawn.shows(Target::Palette) {
        palette::update::scrolled(model, sign < 0);
        return Vec::new();
    }
    let over_lines = help || matches!(model.screen, Screen::Entry(_));
    if over_lines {
        cursor::update::by(model, sign * NOTCH);
        return Vec::new();
    }
    match model.drawn.at(x, y).and_then(pane_of) {
        Some(Pane::Timeline) => {
            let zoom = if sign < 0 {
                model.timeline.zoom.closer()
            } else {
                model.timeline.zoom.wider()
            };
            timeline::update::zoom(model, zoom);
        }
        Some(pane) => cursor::update::wheel(model, pane, sign * NOTCH),
        None => {}
    }
    Vec::new()
}

/// The mouse moves with its button down: a scrollbar that it holds goes with it, and over the
/// timeline the chosen bar does.
pub(crate) fn dragged(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    if let Some((what, grip)) = model.held {
        if let Some(rail) = model.drawn.rail(what) {
            let top = cursor::update::top(model, what);
            let rail = Rail { top, ..rail };
            let above = y.saturating_sub(rail.y).saturating_sub(grip);
            // Many rows share a place: one that is held there stays.
            if above != rail.above() {
                cursor::update::scroll_to(model, what, rail.top_at(above));
            }
        }
        return Vec::new();
    }
    if model.overlay.is_some() {
        return Vec::new();
    }
    match (model.focus, model.drawn.at(x, y)) {
        (Pane::Timeline, Some(Target::Bar(start))) => timeline::update::choose(model, start),
        (Pane::Timeline, Some(Target::Late(class))) => {
            timeline::update::choose_late(model, class);
        }
        _ => {}
    }
    Vec::new()
}

/// The button was let go.
pub(crate) fn released(model: &mut Model) -> Vec<Effect> {
    model.held = None;
    Vec::new()
}

/// Takes hold of the scrollbar under the mouse; beside its thumb, the thumb comes to the mouse.
fn grab(model: &mut Model, what: ScrollArea, rail: Rail, y: u16) {
    if let ScrollArea::Pane(pane) = what {
        model.focus = pane;
    }
    let (row, thumb) = (y.saturating_sub(rail.y), rail.thumb());
    match row.checked_sub(rail.above()) {
        Some(grip) if grip < thumb => model.held = Some((what, grip)),
        _ => {
            model.held = Some((what, thumb / 2));
            cursor::update::scroll_to(model, what, rail.top_at(row.saturating_sub(thumb / 2)));
        }
    }
}
