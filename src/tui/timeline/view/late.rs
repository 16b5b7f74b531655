//! Left of the now line: how much is late, since when, in classes.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget as _;

use super::Picture;
use crate::queue::classes::LATE;
use crate::queue::{Known, Pulse, Survey, text};
use crate::tui::area::Area;
use crate::tui::draw::{Ctx, rect};
use crate::tui::hitmap::Target;
use crate::tui::queues::HAND_OVER_MS;
use crate::tui::timeline::place::Track;
use crate::tui::widget::bars::Bars;
use crate::tui::widget::line::{self, Line};

/// Returns the style of a late figure: red, yellow while it is a hand-over, none when nothing is
/// late.
pub(crate) fn style(ctx: &Ctx, pulse: &Pulse) -> Option<Style> {
    pulse.late.get().filter(|n| *n > 0)?;
    let oldest = pulse.oldest_late.map(|due| ctx.now.since(due));
    Some(match oldest {
        Some(..HAND_OVER_MS) => ctx.data.warn,
        _ => ctx.data.late,
    })
}

/// Left and width of each class's cell.
fn cells(track: &Track) -> impl Iterator<Item = (u16, u16)> {
    (0..LATE.len()).map(move |class| {
        let cell = track.late_cell(class);
        (cell.x, cell.w)
    })
}

/// The class under the cursor: its place on the axis, and how many entries it holds.
pub(crate) fn chosen(ctx: &Ctx, track: &Track, picture: &Picture) -> Option<(u16, u64)> {
    let class = ctx.model.timeline.late_class?;
    let cell = track.late_cell(class);
    let count = picture.survey?.late.get(class).copied()?;
    (!cell.is_empty()).then(|| (cell.right().saturating_sub(2), count))
}

/// Returns the name of a class in a sentence.
pub(crate) fn words(class: usize) -> &'static str {
    const WORDS: [&str; LATE.len()] = [
        "late by more than 1 h",
        "late by 10 min to 1 h",
        "late by 1 to 10 min",
        "late by less than 1 min",
    ];
    WORDS.get(class).copied().unwrap_or("late")
}

pub(crate) fn render(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    let (area, d) = (track.late, &ctx.data);
    let pulse = ctx.model.selected().and_then(|row| row.pulse.as_ref());
    let (Some(pulse), false) = (pulse, area.is_empty()) else {
        return;
    };
    let put = |buf: &mut Buffer, row: u16, words: &str, style: Style| {
        let w = ctx.span_cell(area.w.saturating_sub(1), words);
        line::right(buf, area.x, area.y + row, w, words, style);
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
    let Some(survey) = classes(ctx, track, picture) else {
        return;
    };
    for ((i, (x, w)), count) in cells(track).enumerate().zip(survey.late) {
        if count == 0 {
            line::right(buf, x, area.y + area.h - 1, w - 1, d.glyphs.zero, d.dim);
            continue;
        }
        let recent = i == 3 && count <= survey.handing_over;
        let style = if recent { d.warn } else { d.late };
        // As high as a bar of so many is, below the two lines of words.
        let column = Area::new(x + 1, area.y, w - 2, area.h);
        let bar = Bars {
            bars: &[(count, style)],
            rise: picture.rise,
            width: column.w,
            eighths: &d.glyphs.eighths,
        };
        bar.render(rect(column), buf);
        let high = picture.rise.eighths(count, area.h).div_ceil(8);
        let high = u16::try_from(high).unwrap_or(area.h);
        let row = area.h.saturating_sub(high + 1).max(2);
        for y in area.y..=area.y + row {
            Line::new(buf, column.x, y, column.w).wipe(buf, column.w);
        }
        let words = brief(count, usize::from(w - 1));
        line::right(buf, x, area.y + row, w - 1, &words, style);
        let is_cut = !picture.rise.log && count > picture.rise.top;
        if is_cut && row + 2 < area.h {
            // The bar goes on beyond the scale: said where a row of it is left below.
            let cut = if ctx.model.look.ascii { "~" } else { "≈" };
            let cut = cut.repeat(usize::from(column.w));
            Line::new(buf, column.x, area.y + row + 1, column.w).put(buf, &cut, style);
        }
    }
    put(buf, 0, &format!("{late} late"), style);
    if let Some(oldest) = pulse.oldest_late {
        put(buf, 1, &format!("oldest {}", ctx.ago(oldest)), style);
    }
}

/// The survey whose classes have room for a bar each; none where nothing is late.
fn classes<'a>(ctx: &Ctx, track: &Track, picture: &Picture<'a>) -> Option<&'a Survey> {
    let pulse = ctx.model.selected()?.pulse.as_ref()?;
    style(ctx, pulse)?;
    let roomy = track.late.w >= 17 && track.late.h >= 4;
    picture.survey.filter(|_| roomy)
}

/// The names of the classes, on the axis.
pub(crate) fn labels(ctx: &Ctx, track: &Track, picture: &Picture, buf: &mut Buffer) {
    if classes(ctx, track, picture).is_none() {
        return;
    }
    let heads = LATE.iter().map(|class| class.head);
    for (class, (label, (x, w))) in heads.zip(cells(track)).enumerate() {
        let cell = track.with_axis(track.late_cell(class));
        ctx.record(cell, Target::Late(class));
        let chosen = ctx.model.timeline.late_class == Some(class);
        let style = if chosen {
            ctx.theme.accent.add_modifier(Modifier::REVERSED)
        } else {
            ctx.theme.dim
        };
        line::right(buf, x, track.axis.y, w - 1, label, style);
    }
}

/// A count in so many columns, 3 at least: `412`, `41k`, `.4M`, `7M`; from 4 on `8.4k`, `412k`.
/// Rounded down; the sum stands above.
fn brief(n: u64, columns: usize) -> String {
    let exact = n.to_string();
    if exact.len() <= columns.min(3) {
        return exact;
    }
    let (mut unit, mut whole) = (0, n);
    let mut tenths = 0;
    // Hundreds of a unit are tenths of the next where there is no room for three digits.
    let most = if columns > 3 { 1000 } else { 100 };
    while whole >= most {
        (whole, tenths) = (whole / 1000, whole % 1000 / 100);
        unit += 1;
    }
    let letter = ["", "k", "M", "G", "T", "P", "E"].get(unit).unwrap_or(&"?");
    match whole {
        0 => format!(".{tenths}{letter}"),
        1..10 if columns > 3 => format!("{whole}.{tenths}{letter}"),
        _ => format!("{whole}{letter}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_count_takes_the_columns_there_are() {
        let cases = [
            (1, "1", "1"),
            (412, "412", "412"),
            (1_999, "1k", "1.9k"),
            (8_400, "8k", "8.4k"),
            (41_203, "41k", "41k"),
            (412_000, ".4M", "412k"),
            (999_999, ".9M", "999k"),
            (7_000_000, "7M", "7.0M"),
            (999_999_999, ".9G", "999M"),
            (u64::MAX, "18E", "18E"),
        ];
        for (n, three, four) in cases {
            assert_eq!(brief(n, 3), three);
            assert_eq!(brief(n, 4), four);
        }
    }
}
