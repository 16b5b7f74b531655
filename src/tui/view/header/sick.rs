//! How many queues are sick, and where the header says so.

use ratatui::style::Style;

use super::{fitting, gap};
use crate::queue::{Severity, text};
use crate::tui::areas::Area;
use crate::tui::view::Ctx;

/// `3 of 312 queues sick`, where there is more than one.
pub(super) fn sick(ctx: &Ctx) -> Option<(String, Style)> {
    let (m, t) = (ctx.model, &ctx.theme);
    let sick = m.queues.iter().filter(|row| row.sick(ctx.now)).count();
    if sick == 0 || m.queues.len() < 2 {
        return None;
    }
    let all = text::thousands(m.queues.len() as u64);
    let queues = if ctx.wide() { " queues" } else { "" };
    let critical = m
        .queues
        .iter()
        .any(|row| row.worst() == Some(Severity::Critical));
    let words = format!("{} of {all}{queues} sick", text::thousands(sick as u64));
    Some((words, if critical { t.late } else { t.warn }))
}

/// Where the header says how many queues are sick; none when it does not.
pub(in crate::tui::view) fn sick_place(ctx: &Ctx) -> Option<Area> {
    let (words, _) = sick(ctx)?;
    let area = ctx.areas.header;
    let (items, _) = fitting(ctx, usize::from(area.w.saturating_sub(1)));
    let mut x = area.x + 1;
    for item in items {
        let w = u16::try_from(text::width(&item.text)).unwrap_or(0);
        if item.text == words {
            return Some(Area::new(x, area.y, w, area.h));
        }
        x = x.saturating_add(w + gap(ctx));
    }
    None
}
