//! A line of small bars, newest right, a gap where nothing was known.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

/// One row of `▁▂▃…▇`, scaled to its own least and most: these are taken to be apart by a tenth of
/// the most at least, so that 144 and 145 are level and no cliff.
#[derive(Debug)]
pub struct Spark<'a> {
    /// Oldest first; `None` is a gap.
    pub samples: &'a [Option<u64>],
    /// Its style.
    pub style: Style,
    /// A cell by eighths, empty first.
    pub eighths: &'a [&'static str; 9],
}

/// `samples` in `columns`: each column the last known value of its share of them; a share in
/// which nothing was known stays a gap. Fewer samples than columns leave the left side empty.
#[must_use]
pub fn resample(samples: &[Option<u64>], columns: usize) -> Vec<Option<u64>> {
    if samples.len() <= columns {
        let mut all = vec![None; columns - samples.len()];
        all.extend_from_slice(samples);
        return all;
    }
    (0..columns)
        .map(|i| {
            let share = i * samples.len() / columns..(i + 1) * samples.len() / columns;
            samples[share].iter().rev().find_map(|s| *s)
        })
        .collect()
}

impl Widget for &Spark<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let columns = resample(self.samples, usize::from(area.width));
        let known = || columns.iter().flatten();
        let (least, most) = (
            known().min().copied().unwrap_or(0),
            known().max().copied().unwrap_or(0),
        );
        let range = (most - least).max(most / 10);
        for (x, value) in (area.left()..area.right()).zip(&columns) {
            let Some(value) = value else { continue };
            // A level line lies low; a moving one uses the height up to a gap, so that the lines of
            // two rows do not run together.
            let eighth = match (range, value - least) {
                (0, _) => 1,
                (range, above) => 1 + u128::from(above) * 6 / u128::from(range),
            };
            let symbol = self.eighths[usize::try_from(eighth).unwrap_or(8).min(8)];
            buf[(x, area.y)].set_symbol(symbol).set_style(self.style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EIGHTHS: [&str; 9] = [" ", "1", "2", "3", "4", "5", "6", "7", "8"];

    fn drawn(samples: &[Option<u64>], w: u16) -> Buffer {
        let mut buf = Buffer::empty(Rect::new(0, 0, w, 1));
        let widget = Spark {
            samples,
            style: Style::new(),
            eighths: &EIGHTHS,
        };
        widget.render(buf.area, &mut buf);
        buf
    }

    #[test]
    fn an_outage_is_a_gap_and_the_newest_sample_stands_right() {
        let buf = drawn(&[Some(10), None, Some(17)], 4);
        assert_eq!(buf, Buffer::with_lines([" 1 7"]));
    }

    #[test]
    fn a_level_line_lies_low() {
        assert_eq!(drawn(&[Some(7); 3], 3), Buffer::with_lines(["111"]));
        assert_eq!(drawn(&[Some(0); 3], 3), Buffer::with_lines(["111"]));
    }

    #[test]
    fn a_change_by_less_than_a_tenth_is_no_cliff() {
        let buf = drawn(&[Some(144), Some(145), Some(159)], 3);
        assert_eq!(buf, Buffer::with_lines(["117"]));
        assert_eq!(drawn(&[Some(1), Some(2)], 2), Buffer::with_lines(["17"]));
    }

    #[test]
    fn more_samples_than_columns_show_the_last_of_each_share() {
        let samples: Vec<_> = (1..=300).map(Some).collect();
        assert_eq!(resample(&samples, 3), [Some(100), Some(200), Some(300)]);
        assert_eq!(resample(&samples, 0), []);
    }
}
