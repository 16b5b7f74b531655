//! At the closest zoom, few entries are drawn one by one where they are due, to half a cell: so
//! the eye can follow one of them to the now line. They move when the shown times do, in seconds,
//! in tenths while a countdown in sight ends: no picture is drawn for them alone.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::Picture;
use crate::clock::EpochMillis;
use crate::tui::draw::Ctx;
use crate::tui::timeline::place::Track;

/// The bar of the closest zoom, in ms.
const CLOSEST_MS: i64 = 1000;

/// The entries that are drawn one by one.
pub(crate) struct SingleEntries {
    /// When those of a bar are due, a bar each; empty where the bar itself is drawn.
    bars: Vec<Vec<EpochMillis>>,
}

impl SingleEntries {
    /// Collects the due times of those bars of which all entries are loaded. There are none under a
    /// cursor, which points at bars, nor where an entry has less than a row.
    pub(crate) fn new(ctx: &Ctx, track: &Track, picture: &Picture, chosen: Option<usize>) -> Self {
        let mut bars = vec![Vec::new(); picture.counts.len()];
        let scale = picture.scale;
        let few = picture.rise.top <= u64::from(track.plot.h) && !picture.rise.log;
        if !few || scale.bar_ms != CLOSEST_MS || chosen.is_some() {
            return Self { bars: Vec::new() };
        }
        let dues = ctx.model.entries.rows.iter().filter_map(|row| row.due.at());
        for due in dues.filter(|due| due.since(ctx.now) >= 0) {
            let bar = scale.bar_of(ctx.now, due);
            if let Some(bar) = bar.and_then(|i| bars.get_mut(i)) {
                bar.push(due);
            }
        }
        // Others of the bar are not loaded, or have gone since they were counted.
        for (bar, count) in bars.iter_mut().zip(&picture.counts) {
            if bar.len() as u64 != *count {
                bar.clear();
            }
        }
        Self { bars }
    }

    /// The entries of bar `i` are drawn one by one.
    pub(crate) fn are(&self, i: usize) -> bool {
        self.bars.get(i).is_some_and(|bar| !bar.is_empty())
    }

    /// Draws each as a cell that begins where it is due, one above another where they meet.
    /// `style` is that of a bar.
    pub(crate) fn render(
        &self,
        ctx: &Ctx,
        track: &Track,
        style: impl Fn(usize) -> Style,
        buf: &mut Buffer,
    ) {
        let glyphs = ctx.data.glyphs;
        let columns = usize::from(track.plot.w);
        // How many stand in each half of a column.
        let mut halves = vec![0_u16; columns * 2];
        let a_second = i64::from(track.bar_w) * 2;
        for due in self.bars.iter().flatten() {
            let from = due.since(ctx.now) * a_second / CLOSEST_MS;
            let mut from = usize::try_from(from).unwrap_or(usize::MAX);
            if glyphs.halves.is_none() {
                from -= from % 2;
            }
            for half in halves.iter_mut().skip(from).take(2) {
                *half += 1;
            }
        }
        for (x, pair) in (track.plot.x..).zip(halves.chunks_exact(2)) {
            let bar = usize::from((x - track.plot.x) / track.bar_w.max(1));
            for (row, y) in (track.plot.y..track.plot.y + track.plot.h)
                .rev()
                .enumerate()
            {
                let row = u16::try_from(row).unwrap_or(u16::MAX);
                let symbol = match (pair[0] > row, pair[1] > row, glyphs.halves) {
                    (false, false, _) => break,
                    (true, false, Some([left, _])) => left,
                    (false, true, Some([_, right])) => right,
                    _ => glyphs.eighths[8],
                };
                // A bar beside them keeps its cells.
                if let Some(cell) = buf.cell_mut((x, y)).filter(|cell| cell.symbol() == " ") {
                    cell.set_symbol(symbol).set_style(style(bar));
                }
            }
        }
    }
}
