//! What each action does.

pub(super) use super::toast::say;
use super::{
    awaited, bulk, change, codec, copy, cursor, departed, examine, filter, help, journal, leave,
    load, marks, offer, opened, plan, prompt, sort, tabs, time, timeline, tree, worker,
};
use crate::queue::LinkState;
use crate::tui::areas;
use crate::tui::effect::Effect;
use crate::tui::keys::Action;
use crate::tui::model::{Back, EntryView, Model, Pane, PromptKind, Screen, Tab, Tone};

/// The intervals that `,` steps through, in ms.
const INTERVALS: [u64; 8] = [200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/// Does what the user wants, or says why not.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    model.schedule.touched |= !only_looks(model, action);
    if let Some(why) = why_not(model, action) {
        say(model, why.to_owned(), Tone::Warn);
        return Vec::new();
    }
    if let Some(why) = departed::why_again(model, action) {
        say(model, why.to_owned(), Tone::Warn);
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
    help::is_open(model) || matches!(action, Action::Help | Action::Redraw | Action::Suspend)
}

fn run(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::NextMatch if matches!(model.screen, Screen::Entry(_)) => opened::step(model, true),
        Action::PreviousMatch if matches!(model.screen, Screen::Entry(_)) => {
            opened::step(model, false);
        }
        Action::Up | Action::PreviousMatch => cursor::by(model, -1),
        Action::Down | Action::NextMatch => cursor::by(model, 1),
        Action::PageUp => cursor::page(model, -1),
        Action::PageDown => cursor::page(model, 1),
        Action::First => cursor::first(model),
        Action::Last => cursor::last(model),
        Action::Open => return open(model),
        Action::Quit if on_first_screen(model) => return leave::quit(model),
        Action::Back => return escape(model),
        Action::Quit => back(model),
        Action::QuitNow => return leave::quit(model),
        Action::Suspend => return vec![Effect::Suspend],
        Action::NextPane if help::is_open(model) => help::turn(model, true),
        Action::PreviousPane if help::is_open(model) => help::turn(model, false),
        Action::NextPane => pane(model, true),
        Action::PreviousPane => pane(model, false),
        Action::BarLeft => timeline::step(model, false),
        Action::BarRight => timeline::step(model, true),
        Action::ZoomIn => timeline::zoom(model, model.zoom.closer()),
        Action::ZoomOut => timeline::zoom(model, model.zoom.wider()),
        Action::ZoomReset => timeline::zoom(model, crate::queue::Zoom::default()),
        Action::Freeze => freeze(model),
        Action::Refresh => return refresh(model),
        Action::Interval => interval(model),
        Action::Face => opened::turn(model),
        Action::Toggle | Action::Fold | Action::Unfold => tree::fold(model, action),
        Action::CopyPath => return tree::copy_path(model),
        Action::ReadAs => codec::next(model),
        Action::Redraw => return vec![Effect::Redraw],
        Action::Tab(tab) => tabs::show(model, tab),
        Action::LogHeight => model.log_height = !model.log_height,
        Action::Filter if matches!(model.screen, Screen::Entry(_)) => return opened::ask(model),
        Action::Filter => return filter::open(model),
        Action::Jump => return prompt::open(model, PromptKind::Jump, ""),
        Action::Palette => return palette(model),
        Action::Sort => return sort::next(model),
        Action::Examine => return examine::start(model),
        Action::Mark => marks::toggle(model),
        Action::MarkRange => marks::range(model),
        Action::MarkAll => marks::all(model),
        Action::CopyPayload => return copy::payload(model),
        Action::CopyCommand => return copy::command(model),
        Action::Help => help::step(model),
        _ => return change_something(model, action),
    }
    Vec::new()
}

/// Does what changes something.
fn change_something(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Offer => return offer::open(model),
        Action::Worker => worker::ask(model),
        Action::Pause => return bulk::pause(model),
        Action::Stop => return bulk::stop(model),
        _ if change::is_planned(action) => return change::ask(model, action),
        // A question and a form have their keys by themselves.
        _ => {}
    }
    Vec::new()
}

fn palette(model: &mut Model) -> Vec<Effect> {
    model.overlay = None;
    prompt::open(model, PromptKind::Command, "")
}

/// Why an action cannot do anything now; none when it can.
#[must_use]
pub fn why_not(model: &Model, action: Action) -> Option<&'static str> {
    let no_queue = model.selected().is_none();
    match action {
        _ if awaited::is_for(model, action) => None,
        Action::Open if model.overlay.is_some() => None,
        Action::Open if no_queue => Some("no queue to open"),
        Action::Open if model.focus == Pane::Entries => tabs::why_not_open(model),
        Action::Open | Action::MarkAll if model.focus == Pane::Timeline => {
            timeline::why_no_bar(model)
        }
        Action::Filter if no_queue => Some("no queue to look in"),
        Action::Jump if no_queue => Some("no queue, so no entry to jump to"),
        Action::NextMatch | Action::PreviousMatch if let Screen::Entry(view) = &model.screen => {
            opened::why_no_match(view)
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
        Action::NextPane | Action::PreviousPane if is_alone(model) && !help::is_open(model) => {
            Some("there is no other pane")
        }
        Action::BarLeft | Action::BarRight if no_queue => Some("no queue, so no timeline"),
        Action::Offer if no_queue => Some("no queue to offer to"),
        Action::Worker if no_queue => Some("no queue to work on"),
        Action::Pause | Action::Stop => bulk::why_not(model, action),
        Action::Offer | Action::Worker if model.read_only => Some(change::READ_ONLY),
        _ if change::is_planned(action) => change::why_not(model, action),
        Action::Toggle | Action::Fold | Action::Unfold | Action::CopyPath => tree::why_not(model),
        Action::ReadAs => codec::why_not(model),
        Action::Examine => examine::why_not(model),
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
        Pane::Timeline => return timeline::list_bar(model),
        Pane::Entries if model.tab.has_entries() => {
            open_entry(model);
        }
        Pane::Entries => return tabs::open(model),
        Pane::Traffic => tabs::show(model, Tab::Traffic),
        Pane::Queues => {
            model.screen = Screen::Queue;
            model.focus = Pane::Entries;
            cursor::keep_in_sight(model);
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
    opened::plant(&mut view);
    model.screen = Screen::Entry(Box::new(view));
}

/// Closes what lies on top, else stops the search, clears the filter, clears the marks, else goes
/// one screen back.
fn escape(model: &mut Model) -> Vec<Effect> {
    if model.overlay.is_none()
        && let Some(effects) = change::escape(model)
    {
        return effects;
    }
    let listed = model.overlay.is_none() && !matches!(model.screen, Screen::Entry(_));
    if listed && let Some(effects) = examine::escape(model).or_else(|| filter::escape(model)) {
        return effects;
    }
    if !(listed && marks::clear(model)) {
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
    cursor::keep_in_sight(model);
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
    let shown = PANES.into_iter().filter(|pane| areas::shown(model, *pane));
    let panel = areas::bulk::is_shown(model).then_some(None);
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
    let has_it = if areas::bulk::has_keys(model) {
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
    bulk::take_keys(model, to == Some(&None));
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
            tabs::announced(model);
        }
        model.traffic.push_back(announcement);
    }
    super::link::trim_traffic(model);
    time::carry_on(model);
    load::ask_all(model);
}

fn refresh(model: &mut Model) -> Vec<Effect> {
    if !super::link::live(model) {
        return vec![Effect::RetryLink];
    }
    load::ask_all(model);
    filter::again(model);
    if model.tab == Tab::Changes {
        journal::want(model);
    }
    vec![Effect::Discover]
}

fn interval(model: &mut Model) {
    let next = INTERVALS.iter().find(|ms| **ms > model.interval_ms);
    set_interval(model, *next.unwrap_or(&INTERVALS[0]));
}

/// Refreshes every so many ms from now on.
pub(super) fn set_interval(model: &mut Model, ms: u64) {
    model.interval_ms = ms;
    say(model, refreshed_every(ms), Tone::Good);
    plan::interval_changed(model);
}

/// `refreshed every 2 s`, `refreshed every 0.25 s`.
pub(super) fn refreshed_every(ms: u64) -> String {
    let fraction = format!("{:03}", ms % 1000);
    let fraction = fraction.trim_end_matches('0');
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("refreshed every {}{dot}{fraction} s", ms / 1000)
}
