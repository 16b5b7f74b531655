//! The mouse does what the keys do.

use super::{act, cursor, dialog, offer, palette, prompt, tabs, timeline};
use crate::tui::areas::scrollbar::{self, Scrolled};
use crate::tui::areas::{self, Hit};
use crate::tui::effect::Effect;
use crate::tui::keys::Action;
use crate::tui::model::{Model, Overlay, Pane, Screen};

/// Rows that a notch of the wheel moves the entries by.
const NOTCH: i64 = 3;

/// A click selects; on what is selected already, it opens.
pub(super) fn clicked(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    model.schedule.touched = true;
    if let Some(hit) = areas::palette::hit(model, x, y) {
        return prompt::clicked(model, hit);
    }
    match model.overlay {
        Some(Overlay::Dialog(_)) => return dialog::clicked(model, x, y),
        Some(Overlay::Offer(_)) => return offer::clicked(model, x, y),
        _ => {}
    }
    if grab(model, x, y) {
        return Vec::new();
    }
    if model.overlay.take().is_some() || matches!(model.screen, Screen::Entry(_)) {
        return Vec::new();
    }
    match areas::hit(model, x, y) {
        Hit::Row(Pane::Queues, row) => {
            let row = model.top + row;
            let again = model.focus == Pane::Queues && model.cursor == row;
            model.focus = Pane::Queues;
            if again {
                return act::act(model, Action::Open);
            }
            cursor::select(model, row as u64);
        }
        Hit::Row(Pane::Entries, row) => {
            let at = areas::tabs::row_at(model, row);
            let again = model.focus == Pane::Entries && model.stand().cursor == at;
            model.focus = Pane::Entries;
            if again {
                return act::act(model, Action::Open);
            }
            tabs::move_to(model, at);
        }
        Hit::Tab(tab) => tabs::show(model, tab),
        Hit::Bar(bar) => {
            let start = areas::bar_start(model, bar);
            let again = model.focus == Pane::Timeline && model.bar == Some(start);
            model.focus = Pane::Timeline;
            timeline::choose(model, start);
            if again {
                return act::act(model, Action::Open);
            }
        }
        Hit::Late(class) => {
            let again = model.focus == Pane::Timeline && model.late_class == Some(class);
            model.focus = Pane::Timeline;
            timeline::choose_late(model, class);
            if again {
                return act::act(model, Action::Open);
            }
        }
        Hit::Zoom(zoom) => {
            model.focus = Pane::Timeline;
            timeline::zoom(model, zoom);
        }
        Hit::Row(pane, _) | Hit::Pane(pane) => model.focus = pane,
        Hit::Nothing => {}
    }
    Vec::new()
}

/// The wheel scrolls what lies under it; over the timeline it zooms.
pub(super) fn scrolled(model: &mut Model, x: u16, y: u16, rows: i8) -> Vec<Effect> {
    model.schedule.touched = true;
    if matches!(model.overlay, Some(Overlay::Dialog(_) | Overlay::Offer(_))) {
        return Vec::new();
    }
    let sign = i64::from(rows.signum());
    if areas::palette::slot(model).is_some() {
        palette::scrolled(model, sign < 0);
        return Vec::new();
    }
    let over_lines = matches!(model.overlay, Some(Overlay::Help { .. }))
        || matches!(model.screen, Screen::Entry(_));
    if over_lines {
        cursor::by(model, sign * NOTCH);
        return Vec::new();
    }
    match areas::hit(model, x, y) {
        Hit::Row(Pane::Timeline, _)
        | Hit::Pane(Pane::Timeline)
        | Hit::Bar(_)
        | Hit::Late(_)
        | Hit::Zoom(_) => {
            let zoom = if sign < 0 {
                model.zoom.closer()
            } else {
                model.zoom.wider()
            };
            timeline::zoom(model, zoom);
        }
        Hit::Row(pane, _) | Hit::Pane(pane) => cursor::wheel(model, pane, sign * NOTCH),
        Hit::Tab(_) => cursor::wheel(model, Pane::Entries, sign * NOTCH),
        Hit::Nothing => {}
    }
    Vec::new()
}

/// The mouse moves with its button down: a scrollbar that it holds goes with it, and over the
/// timeline the chosen bar does.
pub(super) fn dragged(model: &mut Model, x: u16, y: u16) -> Vec<Effect> {
    if let Some((what, grip)) = model.held {
        let rails = scrollbar::rails(model);
        if let Some((_, rail)) = rails.into_iter().find(|(held, _)| *held == what) {
            let above = y.saturating_sub(rail.area.y).saturating_sub(grip);
            // Many rows share a place: one that is held there stays.
            if above != rail.above() {
                cursor::scroll_to(model, what, rail.top_at(above));
            }
        }
    } else if model.overlay.is_none()
        && let (Pane::Timeline, Hit::Bar(bar)) = (model.focus, areas::hit(model, x, y))
    {
        let start = areas::bar_start(model, bar);
        timeline::choose(model, start);
    }
    Vec::new()
}

/// The button was let go.
pub(super) fn released(model: &mut Model) -> Vec<Effect> {
    model.held = None;
    Vec::new()
}

/// Takes hold of the scrollbar under the mouse; beside its thumb, the thumb comes to the mouse.
fn grab(model: &mut Model, x: u16, y: u16) -> bool {
    let Some((what, rail)) = scrollbar::hit(model, x, y) else {
        return false;
    };
    if let Scrolled::Pane(pane) = what {
        model.focus = pane;
    }
    let (row, thumb) = (y - rail.area.y, rail.thumb());
    match row.checked_sub(rail.above()) {
        Some(grip) if grip < thumb => model.held = Some((what, grip)),
        _ => {
            model.held = Some((what, thumb / 2));
            cursor::scroll_to(model, what, rail.top_at(row.saturating_sub(thumb / 2)));
        }
    }
    true
}
