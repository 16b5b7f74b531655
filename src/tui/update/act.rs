//! What each action does.

use crate::queue::LinkState;
use crate::tui::effect::Effect;
use crate::tui::entry::update::tree;
use crate::tui::entry::{self, Back, EntryView};
use crate::tui::keys::Action;
use crate::tui::model::{Model, Pane, Screen};
use crate::tui::prompt::{self, PromptKind};
use crate::tui::refresh::update::time;
use crate::tui::tabs::{self, Tab};
use crate::tui::toast::Tone;
use crate::tui::toast::update::say;
use crate::tui::{
    change, copy, cursor, departed, entries, examine, filter, help, journal, layout, leave, link,
    marks, offer, refresh, timeline, worker,
};

/// The intervals that `,` steps through, in ms.
const INTERVALS: [u64; 8] = [200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/// Does what the user wants, or says why not.
pub(crate) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    model.schedule.touched |= !only_looks(model, action);
    if let Some(why) = why_not(model, action) {
        say(model, why.to_owned(), Tone::Warn);
        return Vec::new();
    }
    if let Some(why) = departed::update::why_again(model, action) {
        say(model, why.to_owned(), Tone::Warn);
        return Vec::new();
    }
    if super::awaited::is_for(model, action) {
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
        Action::PageUp => cursor::update::page(model, -1),
        Action::PageDown => cursor::update::page(model, 1),
        Action::First => cursor::update::first(model),
        Action::Last => cursor::update::last(model),
        Action::Open => return open(model),
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
        Action::ZoomIn => timeline::update::zoom(model, model.zoom.closer()),
        Action::ZoomOut => timeline::update::zoom(model, model.zoom.wider()),
        Action::ZoomReset => timeline::update::zoom(model, crate::queue::Zoom::default()),
        Action::Freeze => freeze(model),
        Action::Refresh => return refresh(model),
        Action::Interval => interval(model),
        Action::Face => entry::update::turn(model),
        Action::Toggle | Action::Fold | Action::Unfold => tree::fold(model, action),
        Action::CopyPath => return tree::copy_path(model),
        Action::ReadAs => entries::update::codec::next(model),
        Action::Redraw => return vec![Effect::Redraw],
        Action::Tab(tab) => tabs::update::show(model, tab),
        Action::LogHeight => model.log_height = !model.log_height,
        Action::Filter if matches!(model.screen, Screen::Entry(_)) => {
            return entry::update::ask(model);
        }
        Action::Filter => return filter::update::open(model),
        Action::Jump => return prompt::update::open(model, PromptKind::Jump, ""),
        Action::Palette => return palette(model),
        Action::Sort => return entries::update::sort::next(model),
        Action::Examine => return examine::update::start(model),
        Action::Mark => marks::update::toggle(model),
        Action::MarkRange => marks::update::range(model),
        Action::MarkAll => marks::update::all(model),
        Action::CopyPayload => return copy::payload(model),
        Action::CopyCommand => return copy::command(model),
        Action::Help => help::update::step(model),
        _ => return change_something(model, action),
    }
    Vec::new()
}

/// Does what changes something.
fn change_something(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Offer => return offer::update::open(model),
        Action::Worker => worker::update::ask(model),
        Action::Pause => return change::progress::update::pause(model),
        Action::Stop => return change::progress::update::stop(model),
        _ if change::update::is_planned(action) => return change::update::ask(model, action),
        // A question and a form have their keys by themselves.
        _ => {}
    }
    Vec::new()
}

fn palette(model: &mut Model) -> Vec<Effect> {
    model.overlay = None;
    prompt::update::open(model, PromptKind::Command, "")
}

/// Why an action cannot do anything now; none when it can.
#[must_use]
pub fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    let no_queue = model.selected().is_none();
    match action {
        _ if super::awaited::is_for(model, action) => None,
        Action::Open if model.overlay.is_some() => None,
        Action::Open if no_queue => Some("no queue to open"),
        Action::Open if model.focus == Pane::Entries => tabs::update::why_not_open(model),
        Action::Open | Action::MarkAll if model.focus == Pane::Timeline => {
            timeline::update::why_no_bar(model)
        }
        Action::Filter if no_queue => Some("no queue to look in"),
        Action::Jump if no_queue => Some("no queue, so no entry to jump to"),
        Action::NextMatch | Action::PreviousMatch if let Screen::Entry(view) = &model.screen => {
            entry::update::why_no_match(view)
        }
        Action::NextMatch | Action::PreviousMatch if model.filtered.is_none() => {
            Some("no filter is on: / sets one")
        }
        Action::Mark | Action::MarkRange if model.entry().is_none() => Some("no entry to mark"),
        Action::Mark | Action::MarkRange
            if model.hit(model.entries.cursor).is_some_and(|hit| hit.gone) =>
        {
            Some("it is no longer there")
        }
        Action::Mark | Action::MarkRange
            if let Some(fate) = model.fate_at(model.stand().cursor) =>
        {
            Some(fate.why_not())
        }
        Action::MarkAll if model.focus == Pane::Entries && model.listed() == 0 => {
            Some("no entry to mark")
        }
        Action::NextPane | Action::PreviousPane
            if is_alone(model) && !help::update::is_open(model) =>
        {
            Some("there is no other pane")
        }
        Action::BarLeft | Action::BarRight if no_queue => Some("no queue, so no timeline"),
        Action::Offer if no_queue => Some("no queue to offer to"),
        Action::Worker if no_queue => Some("no queue to work on"),
        Action::Pause | Action::Stop => change::progress::update::why_not(model, action),
        Action::Offer | Action::Worker if model.read_only => Some(change::update::about::READ_ONLY),
        _ if change::update::is_planned(action) => change::update::about::why_not(model, action),
        Action::Toggle | Action::Fold | Action::Unfold | Action::CopyPath => tree::why_not(model),
        Action::ReadAs => entries::update::codec::why_not(model),
        Action::Examine => examine::update::why_not(model),
        Action::CopyPayload => copy::why_not(model),
        Action::CopyCommand => copy::why_no_command(model),
        Action::Refresh if matches!(model.link.state, LinkState::Connecting) => {
            Some("still connecting")
        }
        _ => None,
    }
}

fn open(model: &mut Model) -> Vec<Effect> {
    match model.focus {
        Pane::Timeline => return timeline::update::list_bar(model),
        Pane::Entries if model.tab.has_entries() => {
            open_entry(model);
        }
        Pane::Entries => return tabs::update::open(model),
        Pane::Traffic => tabs::update::show(model, Tab::Traffic),
        Pane::Queues => {
            model.screen = Screen::Queue;
            model.focus = Pane::Entries;
            cursor::update::keep_in_sight(model);
        }
    }
    Vec::new()
}

fn open_entry(model: &mut Model) {
    let Some(row) = model.entry().cloned() else {
        return;
    };
    let back = match model.screen {
        Screen::Queue => Back::Queue,
        _ => Back::Dashboard,
    };
    let mut view = EntryView::new(row, back);
    // One that has left is looked at as what it was.
    view.gone = model.fate_at(model.stand().cursor).map(|_| model.now);
    entry::update::plant(&mut view);
    model.screen = Screen::Entry(Box::new(view));
}

/// Closes what lies on top, else stops the search, clears the filter, clears the marks, else goes
/// one screen back.
fn escape(model: &mut Model) -> Vec<Effect> {
    if model.overlay.is_none()
        && let Some(effects) = change::update::escape(model)
    {
        return effects;
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

/// Closes what lies on top, else goes one screen back.
fn back(model: &mut Model) {
    if model.overlay.take().is_some() {
        return;
    }
    model.screen = match &model.screen {
        Screen::Entry(entry) if entry.back == Back::Queue => Screen::Queue,
        Screen::Entry(_) => Screen::Dashboard,
        Screen::Queue if !on_first_screen(model) => {
            model.focus = Pane::Queues;
            Screen::Dashboard
        }
        other => other.clone(),
    };
    cursor::update::keep_in_sight(model);
}

/// Nothing is open: with a single queue, its own screen is the first one.
fn on_first_screen(model: &Model) -> bool {
    let first = match model.screen {
        Screen::Dashboard => true,
        Screen::Queue => model.queues.len() <= 1,
        Screen::Entry(_) => false,
    };
    first && model.overlay.is_none()
}

/// The panes, in the order that the focus goes round.
const PANES: [Pane; 4] = [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic];

/// The panes that are on the screen, in that order; none stands for the panel of a change under
/// way, which comes last.
fn panes(model: &Model) -> Vec<Option<Pane>> {
    let shown = PANES
        .into_iter()
        .filter(|pane| layout::rows::shown(model, *pane));
    let panel = change::progress::place::is_shown(model).then_some(None);
    shown.map(Some).chain(panel).collect()
}

/// No other pane than the one with the focus is on the screen.
fn is_alone(model: &Model) -> bool {
    let others = |pane: &Option<Pane>| *pane != Some(model.focus);
    !panes(model).iter().any(others)
}

/// Moves the focus one pane on, or back, over those that are not on the screen.
fn pane(model: &mut Model, forward: bool) {
    let panes = panes(model);
    let has_it = if change::progress::place::has_keys(model) {
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
    let held = std::mem::take(&mut model.schedule.held);
    let channel = model.selected().and_then(|row| row.queue.keys().channel);
    for announcement in held {
        if channel.as_ref() == Some(&announcement.channel) {
            tabs::update::announced(model);
        }
        model.traffic.push_back(announcement);
    }
    link::update::trim_traffic(model);
    time::carry_on(model);
    refresh::update::ask_all(model);
}

fn refresh(model: &mut Model) -> Vec<Effect> {
    if !link::live(model) {
        return vec![Effect::RetryLink];
    }
    refresh::update::ask_all(model);
    filter::update::again(model);
    if model.tab == Tab::Changes {
        journal::update::want(model);
    }
    vec![Effect::Discover]
}

fn interval(model: &mut Model) {
    let next = INTERVALS.iter().find(|ms| **ms > model.interval_ms);
    set_interval(model, *next.unwrap_or(&INTERVALS[0]));
}

/// Refreshes every so many ms from now on.
pub(crate) fn set_interval(model: &mut Model, ms: u64) {
    model.interval_ms = ms;
    say(model, refreshed_every(ms), Tone::Good);
    refresh::pace::interval_changed(model);
}

/// `refreshed every 2 s`, `refreshed every 0.25 s`.
pub(crate) fn refreshed_every(ms: u64) -> String {
    let fraction = format!("{:03}", ms % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("refreshed every {}{dot}{fraction} s", ms / 1000)
}
