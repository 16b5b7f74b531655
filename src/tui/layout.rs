//! The layout of a terminal of a given size: plain numbers, so that `update` (how many rows fit)
//! and `view` (where to draw) agree without meeting.
//!
//! ```text
//! header                      one line, always
//! flow                        one line, on one queue's screen
//! strip                       the past of one queue, on its screen from 28 rows on; else while one looks back
//! queues           │ findings what they need, at most a third; the findings from 160 columns
//! timeline                    5 plot rows at 80x24, 12 at 200x60
//! entries │ detail │ depth    one column below 110 columns, three from 180; findings stand alone below 180
//!         │        │ traffic; while a tab shows that, the clients that listen
//! findings                    when there are some, below 160 columns
//! news                        else: the worst finding or the newest announcement
//! log                         the newest changes, when there are some, from 180 columns
//! bulk                        the change under way, when there is one that takes its time
//! hints                       one line, always
//! ```

pub mod rows;

use crate::tui::area::{Area, Slot};
use crate::tui::model::{Model, Screen};
use crate::tui::tabs::Tab;
use crate::tui::{change, findings};

/// The areas of the screen. What is not shown is empty.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Areas {
    /// Too small for panes: one line a queue (or the entry's text), no borders.
    pub compact: bool,
    /// The first line.
    pub header: Area,
    /// The table of queues, with a line of column heads inside when boxed.
    pub queues: Slot,
    /// The flow of the queue.
    pub flow: Area,
    /// The strip of the queue's past.
    pub strip: Area,
    /// The countdown timeline.
    pub timeline: Slot,
    /// The entries, with a line of column heads inside when boxed.
    pub entries: Slot,
    /// The entry under the cursor; on the entry's own screen, the whole of it.
    pub detail: Slot,
    /// The three depths.
    pub depth: Slot,
    /// The channel traffic.
    pub traffic: Slot,
    /// The clients that listen, while the tab shows the traffic.
    pub clients: Slot,
    /// The findings, all queues.
    pub findings: Slot,
    /// The worst finding, or that all is well and the newest announcement.
    pub news: Area,
    /// The newest changes.
    pub log: Slot,
    /// The change under way.
    pub bulk: Slot,
    /// The last line.
    pub hints: Area,
}

/// Below this many columns, or [`COMPACT_ROWS`], there is no room for panes.
const COMPACT_COLUMNS: u16 = 40;

/// See [`COMPACT_COLUMNS`].
const COMPACT_ROWS: u16 = 10;

/// From here on panes have boxes.
const BOXED: (u16, u16) = (100, 30);

/// From so many rows on the findings have a pane of their own.
const PANEL_ROWS: u16 = 36;

/// From so many rows on there is room for what is nice to have.
const TALL: u16 = 50;

/// From here on depth and traffic stand beside the entries.
const TWO_COLUMNS: u16 = 110;

/// From here on the findings stand beside the queues.
const SIDE_BY_SIDE: u16 = 160;

/// From here on the entry under the cursor is shown beside the entries.
const THREE_COLUMNS: u16 = 180;

/// From so many rows on the flow of a queue has a line.
const FLOW_ROWS: u16 = 24;

/// From so many rows on there is a line for the past of a queue while one looks back; one at
/// any time; and a second one, which says when problems came and went.
const STRIP_ROWS: [u16; 3] = [14, 28, 40];

/// Rows that the entries keep, as long as nothing else is down to its last ones.
const LEAST_ENTRY_ROWS: u16 = 3;

/// Rows that what is wrong has even where they are the last ones of the entries.
const TOLD: u16 = 4;

/// Rows that the timeline leaves for it where it is high: its sentence whole, and the repair.
const TOLD_WHOLE: u16 = 6;

/// Rows that the timeline leaves there for the line that says that nothing is wrong.
const CALM: u16 = 2;

/// Returns the areas of the screen in a terminal of the model's size.
#[must_use]
pub fn areas(model: &Model) -> Areas {
    let (w, h) = model.size;
    let mut body = Area::new(0, 0, w, h);
    let header = body.take(1);
    let compact = w < COMPACT_COLUMNS || h < COMPACT_ROWS;
    let hints = body.take_bottom(u16::from(!compact || h >= 4));
    let boxed = w >= BOXED.0 && h >= BOXED.1;
    let bulk = if !compact && change::progress::queries::is_shown(model) {
        Slot::new(body.take_bottom(if boxed { 5 } else { 3 }), boxed)
    } else {
        Slot::default()
    };
    let fixed = Areas {
        compact,
        header,
        bulk,
        hints,
        ..Areas::default()
    };
    match model.screen {
        Screen::Entry(_) if compact => Areas {
            detail: bare(body),
            ..fixed
        },
        Screen::Entry(_) => Areas {
            detail: Slot::new(body, boxed),
            ..fixed
        },
        Screen::Dashboard if compact => Areas {
            queues: bare(body),
            ..fixed
        },
        Screen::Queue if compact => Areas {
            entries: bare(body),
            ..fixed
        },
        Screen::Dashboard | Screen::Queue => panes(model, body, boxed, fixed),
    }
}

/// A slot without any border.
pub(crate) fn bare(area: Area) -> Slot {
    Slot {
        outer: area,
        inner: area,
        boxed: false,
    }
}

/// The panes of the dashboard and of one queue's screen, from top to bottom.
fn panes(model: &Model, mut body: Area, boxed: bool, fixed: Areas) -> Areas {
    let (w, h) = model.size;
    let dashboard = matches!(model.screen, Screen::Dashboard);
    if dashboard && model.queues.is_empty() {
        // Nothing to show yet: one pane that says what is done about it.
        let queues = Slot::new(body, boxed);
        return Areas { queues, ..fixed };
    }
    // What is wrong is told with its evidence: that is worth more than when what is due.
    let told = model.tab == Tab::Findings && h < BOXED.1;
    let flow = body.take(u16::from(!dashboard && h >= FLOW_ROWS && !told));
    let strip = body.take(match model.then {
        _ if h < STRIP_ROWS[0] => 0,
        Some(_) => 1 + u16::from(boxed),
        None if dashboard || told || h < STRIP_ROWS[1] => 0,
        None => 1 + u16::from(h >= STRIP_ROWS[2]),
    });
    let chrome = if boxed { 3 } else { 1 };
    // The tab tells them all.
    let roomy = boxed && w >= SIDE_BY_SIDE && model.tab != Tab::Findings;
    let mut queues = if dashboard {
        let wanted = u16::try_from(model.queues.len()).unwrap_or(u16::MAX);
        let most = (body.h / 3).saturating_sub(chrome).max(1);
        let least = if roomy {
            findings::panel::panel_rows(model, half(w).saturating_sub(2))
        } else {
            1
        };
        body.take(chrome + wanted.max(least).min(most))
    } else {
        Area::default()
    };
    let findings = if dashboard && roomy {
        queues.take_right(half(w))
    } else {
        Area::default()
    };
    // One queue's own screen gives the rows of the table to the timeline and the traffic.
    let plot = plot_rows(h) + if dashboard || h < 30 { 0 } else { 2 };
    let plot = plot.saturating_sub(flow.h + strip.h);
    let frame = if boxed { 4 } else { 2 };
    let said = match findings::any(model) {
        true if boxed => TOLD_WHOLE.max(crowded(model)),
        true => TOLD,
        false => CALM,
    };
    let below = depth_rows(model, boxed) + least_rows(boxed) + said;
    let plot = plot.min(body.h.saturating_sub(frame + below)).max(3);
    let timeline = if h < 14 || told {
        Area::default()
    } else {
        body.take(plot + frame)
    };
    let mut areas = Areas {
        flow,
        strip,
        findings: Slot::new(findings, true),
        queues: Slot::new(queues, boxed),
        timeline: Slot::new(timeline, boxed),
        ..fixed
    };
    foot(model, boxed, &mut body, &mut areas);
    beside(model, boxed, &mut body, &mut areas);
    areas.entries = Slot::new(body, boxed);
    areas
}

/// Columns of the findings beside the queues: half of them, as long as their lines need that.
const fn half(w: u16) -> u16 {
    const LONGEST: u16 = 92;
    if w / 2 < LONGEST { w / 2 } else { LONGEST }
}

/// Places what lies beside the entries, or below them.
fn beside(model: &Model, boxed: bool, body: &mut Area, areas: &mut Areas) {
    let (w, h) = model.size;
    let dashboard = matches!(model.screen, Screen::Dashboard);
    if has_columns(model, boxed) {
        let mut right = body.take_right((w * 3 / 10).clamp(40, 48));
        // Less than three rows are no pane.
        // A line more for the strip of lateness.
        let depth = match right.h {
            ..8 => right.h,
            8..12 => 5,
            _ => 6,
        };
        areas.depth = Slot::new(right.take(depth), true);
        if model.tab == Tab::Traffic {
            areas.clients = Slot::new(right, true);
        } else {
            areas.traffic = Slot::new(right, true);
        }
        if w >= THREE_COLUMNS && !matches!(model.tab, Tab::Traffic | Tab::Changes | Tab::Nodes) {
            areas.detail = Slot::new(body.take_right(w * 23 / 100), true);
        }
    } else {
        let roomy = !dashboard && h >= 24;
        // What is wrong is told with its evidence: the rows are worth more to it.
        let told = h < PANEL_ROWS && findings::wrong(model) > 0;
        let depth = depth_rows(model, boxed);
        let rows = body.h.saturating_sub(depth + least_rows(boxed));
        let rows = rows.min(if boxed { 6 } else { 4 });
        let fits = rows >= if boxed { 4 } else { 3 };
        if roomy && fits && !told && !matches!(model.tab, Tab::Traffic | Tab::Findings) {
            areas.traffic = Slot::new(body.take_bottom(rows), boxed);
        }
        areas.depth = Slot::new(body.take_bottom(depth), boxed);
    }
}

/// True where something stands beside the entries. What is wrong is told in sentences: it has their
/// columns as well, as long as it would else be less than a line of a page wide.
const fn has_columns(model: &Model, boxed: bool) -> bool {
    let least = match model.tab {
        Tab::Findings => THREE_COLUMNS,
        _ => TWO_COLUMNS,
    };
    boxed && model.size.0 >= least
}

/// Rows that the depths have below the entries; none where they stand beside them.
const fn depth_rows(model: &Model, boxed: bool) -> u16 {
    let (_, h) = model.size;
    match h {
        _ if has_columns(model, boxed) => 0,
        ..17 => 0,
        _ if matches!(model.tab, Tab::Findings) => 0,
        PANEL_ROWS.. if boxed => 5,
        _ if boxed => 3,
        _ => 2,
    }
}

/// Rows that the pane of the entries keeps: its title, and where it has a box the line of heads and
/// its lower edge.
const fn least_rows(boxed: bool) -> u16 {
    LEAST_ENTRY_ROWS + if boxed { 3 } else { 1 }
}

/// Places what lies below the panes: the newest changes, and what is wrong. A line is enough to say
/// that nothing is.
fn foot(model: &Model, boxed: bool, body: &mut Area, areas: &mut Areas) {
    let (w, h) = model.size;
    if boxed && w >= THREE_COLUMNS && h >= TALL && model.changes_here().next().is_some() {
        areas.log = Slot::new(body.take_bottom(3), true);
    }
    if areas.findings.shown() {
        return;
    }
    let listed = model.tab == Tab::Findings;
    let told = !listed && findings::any(model);
    if told && boxed && h >= PANEL_ROWS {
        // The entries keep at least as many rows.
        let kept = depth_rows(model, boxed) + least_rows(boxed);
        let most = (body.h / 2 + 1)
            .max(crowded(model))
            .min(body.h.saturating_sub(kept))
            .clamp(5, 14);
        let rows = findings::panel::panel_rows(model, w - 2);
        areas.findings = Slot::new(body.take_bottom((rows + 2).min(most)), true);
        return;
    }
    let rows = match h {
        ..21 => 0,
        21..24 => 1,
        _ if listed => u16::from(!boxed),
        // What is wrong is worth more than the last rows of the entries: some of them stay.
        _ => {
            let kept = depth_rows(model, boxed) + least_rows(boxed);
            let most = body.h.saturating_sub(kept).clamp(TOLD, 7);
            findings::panel::news_rows(model, w).min(most)
        }
    };
    areas.news = body.take_bottom(rows);
}

/// Rows of the findings' pane where so much is wrong that it would not be seen without a key: the
/// timeline and the entries leave it these. In steps, so that the panes stand still when one of many
/// goes. None where less is wrong, or there is no such pane.
fn crowded(model: &Model) -> u16 {
    let (w, h) = model.size;
    let below = h >= PANEL_ROWS && w < SIDE_BY_SIDE;
    if !below || !matches!(model.screen, Screen::Dashboard) {
        return 0;
    }
    match findings::wrong(model) {
        0..=4 => 0,
        5..=6 => 10,
        7 => 11,
        _ => 12,
    }
}

/// Rows of the timeline's plot on a terminal of `h` rows.
fn plot_rows(h: u16) -> u16 {
    match h {
        ..18 => 3,
        18..24 => 4,
        _ => (5 + (h - 24) * 3 / 16).min(12),
    }
}
