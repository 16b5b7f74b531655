//! Left of the now line: how much is late, since when, in classes.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::Picture;
use crate::queue::{Known, Pulse, text};
use crate::tui::areas::track::Track;
use crate::tui::view::{Ctx, HAND_OVER_MS};
use crate::tui::widget::line::{self, Line};

/// What the classes are called, the longest ago first.
const CLASSES: [&str; 4] = [">1h", "1h", "10m", "1m"];
/// How a late figure looks: red, yellow while it is a hand-over, none when nothing is late.
pub(super) fn style(ctx: &Ctx, pulse: &Pulse) -> Option<Style> {
    pulse.late.get().filter(|n| *n > 0)?;
    let oldest = pulse.oldest_late.map(|due| ctx.now.since(due));
    Some(match oldest {
        Some(..HAND_OVER_MS) => ctx.data.warn,
        _ => ctx.data.late,
    })
}

/// Left and width of each class's cell.
fn cells(track: &Track) -> impl Iterator<Item = (u16, u16)> {
    let each = if track.late.w >= 22 { 5 } else { 4 };
    let left = track.late.right().saturating_sub(4 * each + 1);
    (0..4).map(move |i| (left + i * each, each))
}

pub(super) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (area, d) = (track.late, &ctx.data);
    let pulse = ctx.model.selected().and_then(|row| row.pulse.as_ref());
    let (Some(pulse), false) = (pulse, area.is_empty()) else {
        return;
    };
    let put = |buf: &mut Buffer, row: u16, words: &str, style: Style| {
        let inner = Line::new(buf, area.x, area.y + row, area.w.saturating_sub(1));
        let mut line = inner;
        line.put_right(buf, words, style);
    };
    let Some(style) = style(ctx, pulse) else {
        let words = match pulse.late {
            Known::Unknown(_) => "late ?",
            _ => "none late",
        };
        let words = if area.w < 10 { "0 late" } else { words };
        put(buf, area.h - 1, words, d.dim);
        return;
    };
    let columns = usize::from(area.w).saturating_sub(6);
    let late = text::number(pulse.late.get().unwrap_or(0), columns.min(10));
    put(buf, 0, &format!("{late} late"), style);
    if let (Some(oldest), true) = (pulse.oldest_late, area.w >= 17) {
        put(buf, 1, &format!("oldest {}", ctx.ago(oldest)), style);
    }
    if let (Some(survey), true, true) = (picture.survey, area.w >= 17, area.h >= 4) {
        for ((i, (x, w)), count) in cells(track).enumerate().zip(survey.late) {
            let y = area.y + area.h - 1;
            let cell = if count == 0 {
                line::right(buf, x, y, w - 1, d.glyphs.zero, d.dim);
                continue;
            } else {
                d.glyphs.shades[i].repeat(if w > 4 { 3 } else { 2 })
            };
            let recent = i == 3 && count <= survey.handing_over;
            let style = if recent { d.warn } else { d.late };
            line::right(buf, x, y, w - 1, &cell, style);
            line::right(buf, x, y - 1, w - 1, &brief(count), style);
        }
    }
}

/// The names of the classes, on the axis.
pub(super) fn labels(ctx: &Ctx, track: &Track, buf: &mut Buffer) {
    if track.late.w < 17 {
        return;
    }
    for (label, (x, w)) in CLASSES.iter().zip(cells(track)) {
        line::right(buf, x, track.axis.y, w - 1, label, ctx.theme.dim);
    }
}

/// A count in three columns: `412`, `41k`, `.4M`, `7M`. Rounded down; the sum stands above.
fn brief(n: u64) -> String {
    let mut n = n;
    for unit in ["", "k", "M", "G", "T", "P", "E"] {
        match n {
            0..100 => return format!("{n}{unit}"),
            100..1000 if unit.is_empty() => return n.to_string(),
            _ => {}
        }
        if n < 1000 {
            // Hundreds of this unit are tenths of the next.
            let next = match unit {
                "k" => "M",
                "M" => "G",
                "G" => "T",
                "T" => "P",
                _ => "E",
            };
            return format!(".{}{next}", n / 100);
        }
        n /= 1000;
    }
    ">E".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_count_needs_three_columns_at_most() {
        let cases = [
            (1, "1"),
            (412, "412"),
            (1_999, "1k"),
            (41_203, "41k"),
            (412_000, ".4M"),
            (7_000_000, "7M"),
            (999_999_999, ".9G"),
            (u64::MAX, "18E"),
        ];
        for (n, want) in cases {
            assert_eq!(brief(n), want);
        }
    }
}
