//! The span of the future that the timeline shows, and its bars.

use super::classes::DUE;
use super::text;
use crate::clock::EpochMillis;

/// The span of the future that the timeline shows: always the same bars at any width.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Zoom {
    /// 60 bars of 1 s.
    Minute,
    /// 60 bars of 10 s.
    #[default]
    TenMinutes,
    /// 60 bars of 1 min.
    Hour,
    /// 60 bars of 6 min.
    SixHours,
    /// 48 bars of 30 min.
    Day,
    /// 56 bars of 3 h.
    Week,
    /// As far as the last due time, in 60 bars at most.
    All,
}

impl Zoom {
    /// All of them, closest first.
    pub const ALL: [Self; 7] = [
        Self::Minute,
        Self::TenMinutes,
        Self::Hour,
        Self::SixHours,
        Self::Day,
        Self::Week,
        Self::All,
    ];

    /// Its bars; none where they follow from what there is.
    #[must_use]
    pub const fn scale(self) -> Option<Scale> {
        let (bar_ms, bars) = match self {
            Self::Minute => (SECOND, 60),
            Self::TenMinutes => (10 * SECOND, 60),
            Self::Hour => (MINUTE, 60),
            Self::SixHours => (6 * MINUTE, 60),
            Self::Day => (30 * MINUTE, 48),
            Self::Week => (3 * HOUR, 56),
            Self::All => return None,
        };
        Some(Scale { bar_ms, bars })
    }

    /// Returns the words for it in the title.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Minute => "60 s",
            Self::TenMinutes => "10 min",
            Self::Hour => "1 h",
            Self::SixHours => "6 h",
            Self::Day => "24 h",
            Self::Week => "7 d",
            Self::All => "all",
        }
    }

    /// The closest one that shows four fifths of what falls due, by the counts of the classes of due
    /// times. Of what is due after a day only a look can tell whether a week shows it.
    #[must_use]
    pub fn fitting(classes: &[u64; DUE.len()]) -> Self {
        let all: u64 = classes.iter().fold(0, |sum, n| sum.saturating_add(*n));
        let shown = |classes: &[u64]| {
            let sum = classes.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
            enough(sum, all)
        };
        let reach = [
            (Self::Minute, 2),
            (Self::TenMinutes, 3),
            (Self::Hour, 4),
            (Self::SixHours, 5),
            (Self::Day, 6),
        ];
        match all {
            0 => Self::default(),
            _ => { reach.into_iter() }
                .find(|(_, until)| shown(&classes[..*until]))
                .map_or(Self::Week, |(zoom, _)| zoom),
        }
    }

    /// The next closer one; itself at the end.
    #[must_use]
    pub fn closer(self) -> Self {
        let i = Self::ALL.iter().position(|z| *z == self).unwrap_or(0);
        Self::ALL[i.saturating_sub(1)]
    }

    /// The next wider one; itself at the end.
    #[must_use]
    pub fn wider(self) -> Self {
        let i = Self::ALL.iter().position(|z| *z == self).unwrap_or(0);
        Self::ALL[(i + 1).min(Self::ALL.len() - 1)]
    }
}

/// Tells whether so many are four fifths of all.
#[must_use]
pub(super) const fn enough(shown: u64, all: u64) -> bool {
    shown >= all - all / 5
}

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// Widths, in ms, that a bar of [`Zoom::All`] may have. None is more than three times the one
/// before; after the last they double.
const WIDTHS: [i64; 27] = [
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    5 * DAY,
    7 * DAY,
    10 * DAY,
    30 * DAY,
    60 * DAY,
    90 * DAY,
    180 * DAY,
    365 * DAY,
];

/// Number of bars of [`Zoom::All`].
const BARS_OF_ALL: usize = 60;
/// It keeps its scale while the last due time lies in this bar or one behind it: only then does a
/// narrower width fit, and a tail that moves a little never makes the bars jump.
const KEPT_FROM: usize = 18;

/// Equal bars side by side.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Scale {
    /// Width of a bar, in ms.
    pub bar_ms: i64,
    /// Number of bars.
    pub bars: usize,
}

impl Default for Scale {
    /// Returns the scale of the zoom that the screen starts with.
    fn default() -> Self {
        Self {
            bar_ms: 10 * SECOND,
            bars: BARS_OF_ALL,
        }
    }
}

impl Scale {
    /// The narrowest bars of [`Zoom::All`] that reach as far as `last`.
    #[must_use]
    pub fn reaching(now: EpochMillis, last: EpochMillis) -> Self {
        let of = |bar_ms| Self {
            bar_ms,
            bars: BARS_OF_ALL,
        };
        let fits = |scale: &Self| scale.bar_of(now, last).is_none_or(|i| i < BARS_OF_ALL);
        let more = std::iter::successors(WIDTHS.last().copied(), |ms| ms.checked_mul(2));
        let mut all = WIDTHS.into_iter().chain(more.skip(1)).map(of);
        all.find(fits).unwrap_or(of(i64::MAX / 2))
    }

    /// Tells whether bars of [`Zoom::All`] still suit a queue whose last entry lies in bar `last`;
    /// none when it has no entry to come.
    #[must_use]
    pub fn suits(self, last: Option<usize>) -> bool {
        self.bar_ms == WIDTHS[0] || last.is_none_or(|last| last >= KEPT_FROM)
    }

    /// Edges of the bars when the server's time is `now`: `now`, then multiples of the bar's
    /// width, one more than there are bars, so that bars slide and keep their height.
    #[must_use]
    pub fn edges(self, now: EpochMillis) -> Vec<EpochMillis> {
        let later = (1..=self.bars).map(|i| self.start(now, i));
        std::iter::once(now).chain(later).collect()
    }

    /// When bar `i` starts while the server's time is `now`: bars stand on multiples of their
    /// width, so the first one starts before now.
    #[must_use]
    pub fn start(self, now: EpochMillis, i: usize) -> EpochMillis {
        let base = now.get().div_euclid(self.bar_ms);
        let i = i64::try_from(i).unwrap_or(i64::MAX);
        EpochMillis::new(base.saturating_add(i).saturating_mul(self.bar_ms))
    }

    /// Returns the index of the bar that holds the moment `at` while the server's time is `now`;
    /// none when it is past.
    #[must_use]
    pub fn bar_of(self, now: EpochMillis, at: EpochMillis) -> Option<usize> {
        let bars = at.get().div_euclid(self.bar_ms) - now.get().div_euclid(self.bar_ms);
        usize::try_from(bars).ok()
    }

    /// The start of the bar that holds the moment `at`, whether it is to come or past.
    #[must_use]
    pub fn floor(self, at: EpochMillis) -> EpochMillis {
        EpochMillis::new(at.get().div_euclid(self.bar_ms).saturating_mul(self.bar_ms))
    }

    /// Returns the width of a bar in words: `10 s`, `6 min`, `3 h`, `30 d`, `about 1,023 years`.
    #[must_use]
    pub fn width(self) -> String {
        const YEAR: i64 = 365 * DAY;
        if self.bar_ms >= 10 * YEAR {
            let years = (self.bar_ms / YEAR).unsigned_abs();
            return format!("about {} years", text::thousands(years));
        }
        let units = [(DAY, "d"), (HOUR, "h"), (MINUTE, "min")];
        let whole = units.into_iter().find(|(ms, _)| self.bar_ms % ms == 0);
        let (ms, unit) = whole.unwrap_or((SECOND, "s"));
        format!("{} {unit}", self.bar_ms / ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_zoom_that_shows_four_fifths_fits() {
        for (classes, zoom) in [
            ([0; 7], Zoom::TenMinutes),
            ([50, 30, 20, 0, 0, 0, 0], Zoom::Minute),
            ([0, 79, 21, 0, 0, 0, 0], Zoom::TenMinutes),
            ([0, 80, 20, 0, 0, 0, 0], Zoom::Minute),
            ([0, 0, 12, 100, 0, 0, 5], Zoom::Hour),
            ([0, 0, 0, 0, 9, 0, 1], Zoom::SixHours),
            ([1, 0, 0, 0, 0, 9, 1], Zoom::Day),
            ([1, 0, 0, 0, 0, 0, 1], Zoom::Week),
            ([0, 0, 0, 0, 0, 0, u64::MAX], Zoom::Week),
        ] {
            assert_eq!(Zoom::fitting(&classes), zoom, "{classes:?}");
        }
    }

    const NOW: EpochMillis = EpochMillis::new(1_795_179_729_300);

    #[test]
    fn bars_that_show_all_are_as_narrow_as_may_be() {
        let cases = [
            (-HOUR, "1 s"),
            (20 * SECOND, "1 s"),
            (59 * SECOND, "1 s"),
            (61 * SECOND, "2 s"),
            (9 * MINUTE, "10 s"),
            (24 * HOUR, "30 min"),
            (7 * DAY, "3 h"),
            (30 * DAY, "1 d"),
            (400 * DAY, "7 d"),
            (10 * 365 * DAY, "90 d"),
        ];
        for (ms, width) in cases {
            let scale = Scale::reaching(NOW, NOW.plus(ms));
            assert_eq!(scale.width(), width, "{ms}");
            assert!(
                scale
                    .bar_of(NOW, NOW.plus(ms))
                    .is_none_or(|i| i < scale.bars)
            );
        }
        let far = EpochMillis::new(99_999_999_999_999_999);
        let scale = Scale::reaching(NOW, far);
        assert!(scale.width().ends_with(" years"), "{}", scale.width());
        assert!(scale.bar_of(NOW, far).is_some_and(|i| i < 60));
        assert!(scale.edges(NOW).is_sorted());
    }

    #[test]
    fn a_tail_that_moves_to_and_fro_keeps_its_bars() {
        // Offers with a delay of an hour: the last due time trembles around 60 bars of a minute.
        let mut scale = Scale::reaching(NOW, NOW.plus(HOUR - 2 * MINUTE));
        let mut changes = 0;
        for turn in 0..200_i64 {
            let now = NOW.plus(turn * 700);
            let last = now.plus(HOUR + (turn % 7 - 3) * MINUTE);
            let reach = scale.bar_of(now, last);
            if reach.is_some_and(|i| i >= scale.bars) || !scale.suits(reach) {
                scale = Scale::reaching(now, last);
                changes += 1;
            }
        }
        assert_eq!((changes, scale.width().as_str()), (1, "2 min"));
    }

    #[test]
    fn a_fresh_scale_always_suits_its_tail() {
        let mut span = SECOND;
        while span < 99_999_999_999_999_999 - NOW.get() {
            let scale = Scale::reaching(NOW, NOW.plus(span));
            assert!(scale.suits(scale.bar_of(NOW, NOW.plus(span))), "{span}");
            span += span / 7 + 1;
        }
    }

    #[test]
    fn edges_stand_on_multiples_and_the_first_bar_is_cut_at_now() {
        for scale in Zoom::ALL.into_iter().filter_map(Zoom::scale) {
            let edges = scale.edges(NOW);
            assert_eq!((edges.len(), edges[0]), (scale.bars + 1, NOW));
            assert!(edges[1..].iter().all(|edge| edge.get() % scale.bar_ms == 0));
            assert!(edges[1].since(NOW) <= scale.bar_ms && edges[1] > NOW);
            assert_eq!(scale.start(NOW, 1), edges[1]);
            assert_eq!(scale.floor(edges[1].plus(1)), edges[1]);
        }
    }
}
