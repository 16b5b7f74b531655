//! The strip: a queue over the last minutes or hours, in columns.

use super::record::{PastMoment, PastRecord, ProblemTurn};
use crate::clock::EpochMillis;
use crate::queue::Severity;

/// The spans that a strip may be of, in ms, with their names: the shortest that shows all that is
/// kept, and at most the last day.
const SPANS: [(i64, &str); 11] = [
    (60_000, "1 min"),
    (2 * 60_000, "2 min"),
    (5 * 60_000, "5 min"),
    (10 * 60_000, "10 min"),
    (15 * 60_000, "15 min"),
    (30 * 60_000, "30 min"),
    (60 * 60_000, "1 h"),
    (2 * 60 * 60_000, "2 h"),
    (6 * 60 * 60_000, "6 h"),
    (12 * 60 * 60_000, "12 h"),
    (24 * 60 * 60_000, "24 h"),
];

/// A column: what was worst in its share of the time. None where nothing was read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct StripColumn {
    /// The most entries that waited, and stood in target.
    pub held: Option<u64>,
    /// The severity of the worst finding.
    pub worst: Option<Severity>,
}

/// A change of the problems, in its column.
pub type Mark = (usize, ProblemTurn);

/// A queue over a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strip {
    /// The name of the span, such as `15 min`.
    pub span: &'static str,
    /// When it begins, by the server's clock.
    pub from: EpochMillis,
    /// Number of spans that are shorter than the one with all that is kept.
    pub closest: usize,
    /// The time of a column, in ms.
    pub column_ms: i64,
    /// Its columns, the oldest first.
    pub columns: Vec<StripColumn>,
    /// Where problems came and went, the oldest first.
    pub marks: Vec<Mark>,
}

impl Strip {
    /// Makes the strip that ends at `end`, in so many columns; drawn closer by so many steps, it shows
    /// what is around `at`.
    #[must_use]
    pub fn new(
        record: &PastRecord,
        end: EpochMillis,
        columns: usize,
        (closer, at): (usize, EpochMillis),
    ) -> Self {
        let watched = record.begin().map_or(0, |begin| end.since(begin));
        let fits = |(span, _): &(i64, &str)| *span >= watched;
        let whole = SPANS.iter().position(fits).unwrap_or(SPANS.len() - 1);
        let (span_ms, span) = SPANS[whole.saturating_sub(closer)];
        let end = end.min(at.plus(span_ms / 2).max(end.plus(span_ms - SPANS[whole].0)));
        let count = i64::try_from(columns).unwrap_or(i64::MAX).max(1);
        let column_ms = (span_ms / count).max(1);
        // On whole columns: else what stands in one would wander from picture to picture.
        let last = end.get().div_euclid(column_ms);
        let from = EpochMillis::new((last + 1 - count) * column_ms);
        let mut strip = Self {
            span,
            from,
            closest: whole,
            column_ms,
            columns: vec![StripColumn::default(); columns],
            marks: Vec::new(),
        };
        for moment in record.moments() {
            strip.put(moment);
        }
        for turn in record.turns() {
            if let Some(column) = strip.column_of(turn.at) {
                strip.marks.push((column, turn.clone()));
            }
        }
        strip
    }

    /// The column of a moment, if it is in the strip.
    #[must_use]
    pub fn column_of(&self, at: EpochMillis) -> Option<usize> {
        let column = at.since(self.from).div_euclid(self.column_ms);
        let column = usize::try_from(column).ok()?;
        (column < self.columns.len()).then_some(column)
    }

    /// The end of a column's time.
    #[must_use]
    pub fn moment_of(&self, column: usize) -> EpochMillis {
        let columns = i64::try_from(column).unwrap_or(i64::MAX).saturating_add(1);
        self.from
            .plus(columns.saturating_mul(self.column_ms).saturating_sub(1))
    }

    fn put(&mut self, moment: &PastMoment) {
        if moment.until < self.from {
            return;
        }
        let first = self.column_of(moment.at.max(self.from));
        let last = self
            .column_of(moment.until)
            .map_or(self.columns.len(), |last| last + 1);
        let Some(first) = first else { return };
        for column in &mut self.columns[first..last.max(first)] {
            column.held = column.held.max(moment.held());
            column.worst = column.worst.max(moment.worst());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::finding::id;
    use crate::queue::{Finding, Known, Pulse};
    use crate::tui::past::record::Snapshot;

    const START: EpochMillis = EpochMillis::new(1_700_000_040_000);

    /// A queue that was read each second for so long, and had a problem between two of them.
    fn record(seconds: i64, ill: std::ops::Range<i64>) -> PastRecord {
        let mut record = PastRecord::default();
        for second in 0..seconds {
            let waiting = Known::Is(second.unsigned_abs());
            let found = Finding::new(id::WRONG_TYPE, Severity::Critical, "A list stands there.");
            let pulse = Pulse {
                at: START.plus(second * 1_000),
                waiting,
                late: Known::Is(0),
                head: None,
                oldest_late: None,
                next: None,
                order: Known::None,
                target: Known::Is(0),
                transfer_clients: Known::None,
                first: None,
                told: None,
                beside_bytes: 0,
                page: None,
                server_us: 0,
                took_ms: 0,
            };
            record.keep(&Snapshot {
                pulse: &pulse,
                rates: [None; 3],
                findings: if ill.contains(&second) {
                    std::slice::from_ref(&found)
                } else {
                    &[]
                },
                survey: None,
                apart_ms: 0,
            });
        }
        record
    }

    #[test]
    fn the_span_is_the_shortest_that_shows_all_that_was_watched() {
        let spans = [30, 61, 400, 1_000, 4_000].map(|seconds| {
            let end = START.plus(seconds * 1_000);
            Strip::new(&record(seconds, 0..0), end, 60, (0, end)).span
        });
        assert_eq!(spans, ["1 min", "2 min", "10 min", "30 min", "2 h"]);
    }

    #[test]
    fn each_column_tells_the_worst_of_its_time_and_what_was_not_read_is_blank() {
        let strip = Strip::new(&record(30, 10..12), START.plus(30_000), 60, (0, START));
        let known = strip.columns.iter().filter(|column| column.held.is_some());
        assert!((29..=31).contains(&known.count()));
        let ill = strip.columns.iter().filter(|column| column.worst.is_some());
        assert!((2..=3).contains(&ill.count()));
        assert_eq!(strip.columns.iter().rev().find_map(|c| c.held), Some(29));
        assert_eq!(strip.columns[0], StripColumn::default());
    }

    #[test]
    fn a_mark_says_what_came_and_a_sign_when_all_was_well_again() {
        let strip = Strip::new(&record(30, 10..20), START.plus(30_000), 60, (0, START));
        let [came, went] = strip.marks.as_slice() else {
            panic!("{:?}", strip.marks);
        };
        assert_eq!(came.1.headline, "A list stands there.");
        assert_eq!(
            (came.1.worst, went.1.worst),
            (Some(Severity::Critical), None)
        );
        assert!((10..=11).contains(&(went.0 - came.0)));
        assert_eq!(strip.column_of(strip.moment_of(came.0)), Some(came.0));
    }

    #[test]
    fn drawn_closer_it_shows_what_is_around_the_moment_and_never_what_is_to_come() {
        let record = record(1_000, 0..0);
        let end = START.plus(1_000_000);
        for (closer, at, span) in [
            (0, 500, "30 min"),
            (3, 500, "5 min"),
            (9, 0, "1 min"),
            (9, 1_000, "1 min"),
        ] {
            let at = START.plus(at * 1_000);
            let strip = Strip::new(&record, end, 60, (closer, at));
            assert_eq!(strip.span, span);
            assert!(
                strip.column_of(at).is_some(),
                "{closer} {at:?} {:?}",
                strip.from
            );
            assert!(strip.moment_of(59) < end.plus(2 * strip.column_ms));
        }
    }

    #[test]
    fn no_number_of_columns_is_too_small() {
        for columns in [0, 1, 2] {
            let strip = Strip::new(&record(30, 3..5), START.plus(30_000), columns, (0, START));
            assert_eq!(strip.columns.len(), columns);
        }
    }
}
