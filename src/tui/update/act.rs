//! Actions: each is done by the feature that it is of.

use super::open;
use crate::tui::effect::Effect;
use crate::tui::entry::update::tree;
use crate::tui::entry::{self, BackScreen};
use crate::tui::keys::Action;
use crate::tui::model::{Model, Overlay, Pane, Screen};
use crate::tui::prompt::{self, PromptKind};
use crate::tui::refresh::update::{interval, time};
use crate::tui::schedule::pace;
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;
use crate::tui::{
    awaited, change, copy, cursor, departed, entries, examine, filter, focus, help, layout, leave,
    link, lives, marks, offer, palette, past, queues, reason, sight, timeline, worker,
};

/// Does what the user wants, or says why not.
pub(crate) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    model.table.touched |= !only_looks(model, action);
    if change::queries::is_change(action) {
        super::leading::lead(model);
    }
    if let Some(why) = reason::why_not(model, action) {
        say(model, model.sentence(why), Tone::Warn);
        return Vec::new();
    }
    if let Some(why) = departed::update::why_again(model, action) {
        say(model, model.sentence(why), Tone::Warn);
        return Vec::new();
    }
    if awaited::is_for(model, action) {
        model.schedule.awaited = Some(action);
        return Vec::new();
    }
    run(model, action)
}

/// Whoever reads the help has not chosen a queue yet.
const fn only_looks(model: &Model, action: Action) -> bool {
    help::update::is_open(model)
        || matches!(action, Action::Help | Action::Redraw | Action::Suspend)
}

fn run(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::NextMatch if matches!(model.screen, Screen::Entry(_)) => {
            entry::update::step(model, true);
        }
        Action::PreviousMatch if matches!(model.screen, Screen::Entry(_)) => {
            entry::update::step(model, false);
        }
        Action::Up | Action::PreviousMatch => cursor::update::by(model, -1),
        Action::Down | Action::NextMatch => cursor::update::by(model, 1),
        Action::PageUp => page(model, false),
        Action::PageDown => page(model, true),
        Action::First => cursor::update::first(model),
        Action::Last => cursor::update::last(model),
        Action::Open if has_lives(model) => lives::update::open(model),
        Action::Open => return open::open(model),
        Action::Quit if on_first_screen(model) => return leave::update::quit(model),
        Action::Back => return escape(model),
        Action::Quit => back(model),
        Action::QuitNow => return leave::update::quit(model),
        Action::Suspend => return vec![Effect::Suspend],
        Action::NextPane if help::update::is_open(model) => help::update::turn(model, true),
        Action::PreviousPane if help::update::is_open(model) => help::update::turn(model, false),
        Action::NextPane => pane(model, true),
        Action::PreviousPane => pane(model, false),
        Action::BarLeft => timeline::update::step(model, false),
        Action::BarRight => timeline::update::step(model, true),
        Action::ZoomIn => timeline::update::zoom(model, model.timeline.zoom.closer()),
        Action::ZoomOut => timeline::update::zoom(model, model.timeline.zoom.wider()),
        Action::ZoomReset => timeline::update::zoom(model, crate::queue::Zoom::default()),
        Action::Earlier => past::update::step(model, -1),
        Action::Later => past::update::step(model, 1),
        Action::ChangeBefore => past::update::to_change(model, false),
        Action::ChangeAfter => past::update::to_change(model, true),
        Action::Freeze => freeze(model),
        Action::Refresh => return refresh(model),
        Action::Interval => interval::next(model),
        Action::Face => entry::update::turn(model),
        Action::Toggle | Action::Fold | Action::Unfold => tree::fold(model, action),
        Action::CopyPath => return tree::copy_path(model),
        Action::ReadAs => entries::update::codec::next(model),
        Action::Redraw => return vec![Effect::Redraw],
        Action::Tab(tab) => tabs::update::show(model, tab),
        Action::LogHeight => model.timeline.log_height = !model.timeline.log_height,
        Action::Filter if has_lives(model) => {
            let text = lives::update::begun_filter(model);
            return prompt::update::open(model, PromptKind::Lives, &text);
        }
        Action::Filter if matches!(model.screen, Screen::Entry(_)) => {
            let text = entry::update::looked_for(model);
            return prompt::update::open(model, PromptKind::Find, &text);
        }
        // The queues are what is in sight there: the line lists those that fit, and opens one.
        Action::Filter if model.focus == Pane::Queues || !finds_entries(model) => {
            model.overlay = None;
            return prompt::update::open(model, PromptKind::Command, "queue ");
        }
        Action::Filter => {
            let text = filter::update::begun(model);
            return prompt::update::open(model, PromptKind::Filter, &text);
        }
        Action::Jump => return prompt::update::open(model, PromptKind::Jump, ""),
        Action::Palette => return palette(model),
        Action::Sort if model.focus == Pane::Queues => queues::update::order::next(model),
        Action::Sort => filter::update::turn::turn(model),
        Action::Examine => return examine::update::start(model),
        Action::Mark => {
            marks::update::toggle(model);
            cursor::update::by(model, 1);
        }
        Action::MarkRange => marks::update::range(model),
        Action::MarkAll => marks::update::all(model),
        Action::CopyPayload => return copy::payload(model),
        Action::CopyCommand => return copy::command(model),
        Action::Help => help::update::step(model),
        Action::Lives => lives::update::toggle(model),
        Action::Monitor => return lives::update::monitor(model),
        _ => return change_something(model, action),
    }
    Vec::new()
}

/// The lives of messages have the keys.
const fn has_lives(model: &Model) -> bool {
    matches!(model.overlay, Some(Overlay::Lives(_)))
}

/// A tab of what is no entry has nothing to filter.
const fn finds_entries(model: &Model) -> bool {
    !matches!(model.focus, Pane::Entries | Pane::Traffic) || model.tab.has_entries()
}

/// Does what changes something.
fn change_something(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Offer => return offer::update::open(model),
        Action::Worker => worker::update::ask(model),
        Action::Pause => return change::progress::update::pause(model),
        Action::Stop => return change::progress::update::stop(model),
        _ if change::queries::is_planned(action) => return change::update::ask(model, action),
        // A question and a form have their keys by themselves.
        _ => {}
    }
    Vec::new()
}

fn palette(model: &mut Model) -> Vec<Effect> {
    model.overlay = None;
    prompt::update::open(model, PromptKind::Command, "")
}

/// Closes what lies on top, else stops the search, clears the filter, clears the marks, else goes
/// one screen back.
fn escape(model: &mut Model) -> Vec<Effect> {
    if model.overlay.is_none()
        && let Some(effects) = change::update::escape(model)
    {
        return effects;
    }
    if model.overlay.is_none() && palette::update::find::stop(model) {
        return vec![Effect::Filter(filter::Effect::EndSearch)];
    }
    let listed = model.overlay.is_none() && !matches!(model.screen, Screen::Entry(_));
    if listed
        && let Some(effects) =
            examine::update::escape(model).or_else(|| filter::update::escape(model))
    {
        return effects;
    }
    if !(listed && marks::update::clear(model)) {
        back(model);
    }
    Vec::new()
}

/// Closes what lies on top, else goes one screen back, or from the other panes to the queues.
fn back(model: &mut Model) {
    if lives::update::escape(model) {
        return;
    }
    if model.overlay.take().is_some() {
        return;
    }
    model.screen = match &model.screen {
        Screen::Entry(entry) if entry.back == BackScreen::Queue => Screen::Queue,
        Screen::Entry(_) => Screen::Dashboard,
        Screen::Queue if !on_first_screen(model) => {
            // What is sick stands above: it is in sight unless the selected queue is far below.
            model.top = 0;
            return queues::update::show_table(model);
        }
        Screen::Dashboard => {
            // The keys are on the queues again, where they were at first.
            if layout::rows::shown(model, Pane::Queues) {
                model.focus = Pane::Queues;
            }
            timeline::update::choose_none(model);
            Screen::Dashboard
        }
        Screen::Queue => Screen::Queue,
    };
    sight::keep(model);
}

/// Nothing is open, and nothing is left to go back to.
fn on_first_screen(model: &Model) -> bool {
    model.is_on_first_screen() && model.overlay.is_none()
}

/// Moves by what is in sight; beyond the end of a page of the help comes the next page.
fn page(model: &mut Model, forward: bool) {
    if !cursor::update::page(model, if forward { 1 } else { -1 }) {
        help::update::turn(model, forward);
    }
}

/// Moves the focus one pane on, or back, over those that are not on the screen.
fn pane(model: &mut Model, forward: bool) {
    let panes = focus::panes(model);
    let has_it = if change::progress::queries::has_keys(model) {
        None
    } else {
        Some(model.focus)
    };
    let at = panes.iter().position(|pane| *pane == has_it).unwrap_or(0);
    let steps = if forward {
        1
    } else {
        panes.len().saturating_sub(1)
    };
    let to = panes.get((at + steps) % panes.len().max(1));
    change::progress::update::take_keys(model, to == Some(&None));
    if let Some(Some(pane)) = to {
        model.focus = *pane;
    }
}

fn freeze(model: &mut Model) {
    if model.frozen.take().is_none() {
        model.frozen = Some(model.now);
        return;
    }
    let held = std::mem::take(&mut model.traffic.held);
    let channel = model.selected().and_then(|row| row.queue.keys().channel);
    for announcement in held {
        if channel.as_ref() == Some(&announcement.channel) {
            tabs::update::announced(model);
        }
        model.traffic.heard.push_back(announcement);
    }
    link::update::trim_traffic(model);
    time::carry_on(model);
    pace::ask_all(model);
}

fn refresh(model: &mut Model) -> Vec<Effect> {
    if !model.is_live() {
        return vec![Effect::Link(link::Effect::Retry)];
    }
    pace::ask_all(model);
    filter::update::again(model);
    if model.tab == Tab::Changes {
        model.changes.want_journal();
    }
    vec![Effect::Queues(queues::Effect::Discover)]
}
