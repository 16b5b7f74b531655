//! Counts as solid bars of eighth blocks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// Bars that stand side by side.
#[derive(Debug)]
pub struct Bars<'a> {
    /// Height and style of each bar.
    pub bars: &'a [(u64, Style)],
    /// The scale of the heights.
    pub rise: Rise,
    /// Columns of a bar.
    pub width: u16,
    /// A cell by eighths, empty first.
    pub eighths: &'a [&'static str; 9],
}

/// The scale of heights: linear, or by the logarithm of one more, so that 0 stands at the bottom.
/// Both have a floor: a single entry is still seen beside forty thousand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rise {
    /// The count that fills the whole height.
    pub top: u64,
    /// By the logarithm.
    pub log: bool,
}

impl Rise {
    /// Returns the height of a bar of `count`, in eighths of a cell, of `rows` cells.
    #[must_use]
    pub fn eighths(self, count: u64, rows: u16) -> u32 {
        if !self.log || count == 0 || self.top == 0 {
            return height(count, self.top, rows);
        }
        log(count.min(self.top), self.top, u32::from(rows) * 8).max(1)
    }
}

/// Returns the height of a bar of `count`, in eighths of a cell, of `rows` cells that `peak` fills.
#[must_use]
pub fn height(count: u64, peak: u64, rows: u16) -> u32 {
    if count == 0 || peak == 0 {
        return 0;
    }
    let full = u128::from(rows) * 8;
    let eighths = u128::from(count.min(peak)) * full / u128::from(peak);
    u32::try_from(eighths).unwrap_or(u32::MAX).max(1)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a height of some cells; 0 < count ≤ top"
)]
fn log(count: u64, top: u64, full: u32) -> u32 {
    let share = (count as f64).ln_1p() / (top as f64).ln_1p();
    // A hair is added: the quotient of equal logarithms may fall short of one.
    (share * f64::from(full) + 1e-9) as u32
}

impl Widget for &Bars<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        for (i, (count, style)) in self.bars.iter().enumerate() {
            let left = u16::try_from(i)
                .unwrap_or(u16::MAX)
                .saturating_mul(self.width);
            let columns = left..left.saturating_add(self.width).min(area.width);
            let high = self.rise.eighths(*count, area.height);
            for (row, y) in (area.top()..area.bottom()).rev().enumerate() {
                let below = u32::try_from(row).unwrap_or(u32::MAX).saturating_mul(8);
                let eighths = high.saturating_sub(below).min(8);
                if eighths == 0 {
                    break;
                }
                for x in columns.clone() {
                    let cell = &mut buf[(area.x + x, y)];
                    cell.set_symbol(self.eighths[eighths as usize])
                        .set_style(*style);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHTHS: [&str; 9] = [" ", "1", "2", "3", "4", "5", "6", "7", "8"];

    fn drawn(counts: &[u64], width: u16, w: u16, h: u16) -> Buffer {
        let bars: Vec<_> = counts.iter().map(|n| (*n, Style::new())).collect();
        let peak = counts.iter().copied().max().unwrap_or(0);
        let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
        let widget = Bars {
            bars: &bars,
            rise: Rise {
                top: peak,
                log: false,
            },
            width,
            eighths: &EIGHTHS,
        };
        widget.render(buf.area, &mut buf);
        buf
    }

    #[test]
    fn the_highest_bar_fills_the_height_and_one_entry_is_still_seen() {
        let buf = drawn(&[41_203, 1, 0, 20_000], 1, 4, 2);
        assert_eq!(buf, Buffer::with_lines(["8   ", "81 7"]));
    }

    #[test]
    fn a_bar_can_be_several_columns_wide() {
        assert_eq!(drawn(&[8, 4], 2, 4, 1), Buffer::with_lines(["8844"]));
    }

    #[test]
    fn by_logarithm_ten_times_as_many_stand_a_step_higher() {
        let rise = Rise {
            top: 99_999,
            log: true,
        };
        let high = |count| rise.eighths(count, 10);
        assert_eq!([9, 99, 999, 9_999, 99_999].map(high), [16, 32, 48, 64, 80]);
        assert_eq!([0, 1, u64::MAX].map(high), [0, 4, 80]);
        let flat = Rise {
            top: u64::MAX,
            log: true,
        };
        assert_eq!((flat.eighths(1, 1), flat.eighths(u64::MAX, 1)), (1, 8));
    }

    #[test]
    fn bars_without_room_are_left_out() {
        assert_eq!(drawn(&[8, 4, 2], 2, 3, 1), Buffer::with_lines(["884"]));
        drawn(&[8, 4], 1, 0, 0);
    }
}
