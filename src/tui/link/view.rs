//! The banner of a lost link.

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use crate::queue::LinkState;
use crate::tui::draw::Ctx;
use crate::tui::keys::Action;
use crate::tui::moments;
use crate::tui::widget::line::Line;

/// While the link is lost and something is shown: on the second line, over a border, so that nothing
/// jumps.
pub(crate) fn render(ctx: &Ctx, buf: &mut Buffer) {
    let m = ctx.model;
    let LinkState::Lost {
        why,
        since,
        retry_at,
    } = &m.link.state
    else {
        return;
    };
    if m.queues.is_empty() && ctx.areas.queues.shown() {
        // What is said in place of the queues says all of it.
        return;
    }
    let y = ctx.areas.header.y + 1;
    let mut line = Line::new(buf, 0, y, m.size.0);
    if line.room() == 0 {
        return;
    }
    let style = ctx.theme.late.add_modifier(Modifier::REVERSED);
    for x in line.x..line.end {
        buf[(x, y)].set_symbol(" ").set_style(style);
    }
    let dot = ctx.theme.glyphs.dot;
    line.skip(1);
    let why = m.link.state.why_lost().unwrap_or(why);
    let parts = parts(ctx, *since, *retry_at);
    for (i, part) in parts.iter().enumerate() {
        let part = if i > 0 {
            format!(" {dot} {part}")
        } else {
            part.clone()
        };
        line.put_whole(buf, &part, style);
    }
    if line.room() > 16 {
        line.put_cut(
            buf,
            &format!(" {dot} {why}"),
            ctx.theme.glyphs.cut,
            style.remove_modifier(Modifier::BOLD),
        );
    }
}

/// Returns the parts of the banner, the most important first.
fn parts(ctx: &Ctx, since: Instant, retry_at: Instant) -> Vec<String> {
    let (m, zone, lost) = (ctx.model, ctx.model.look.zone, ctx.theme.glyphs.lost);
    let gone = m.instant.saturating_duration_since(since).as_millis();
    let lost_at = m.now.plus(-i64::try_from(gone).unwrap_or(0));
    let denied = m.link.state.is_denied();
    let mut parts = if denied {
        let check = "check user and password".to_owned();
        vec![format!("{lost} login failed"), check]
    } else if m.link.clock.is_some() {
        let at = moments::clock(zone, lost_at);
        vec![format!("{lost} connection lost {at}")]
    } else {
        // Without a first answer there is no clock to tell the time by.
        vec![format!("{lost} cannot connect")]
    };
    let shown = m.selected().and_then(|row| row.pulse.as_ref());
    let shown = shown.map(|pulse| format!("showing {}", moments::clock(zone, pulse.at)));
    let retry = retry(m.instant, retry_at);
    let now = ctx.key(Action::Refresh).map(|key| format!("{key} now"));
    if denied {
        parts.push(retry);
        parts.extend(now);
        parts.extend(shown);
    } else {
        parts.extend(shown);
        parts.push(retry);
        parts.extend(now);
    }
    parts
}

/// Says when it is tried again.
pub(crate) fn retry(now: Instant, at: Instant) -> String {
    let left = at.saturating_duration_since(now).as_secs_f64().ceil();
    if left > 0.0 {
        format!("retry in {left:.0} s")
    } else {
        "trying".to_owned()
    }
}
