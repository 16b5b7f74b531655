//! The timeline before and after a change, as its question shows it: two rows of bars.

use crate::clock::EpochMillis;
use crate::queue::{Change, Due, Plan, Scale, Survey, Zoom, text};

/// The waiting entries before a change and after it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Preview {
    /// The span of the bars.
    pub zoom: Zoom,
    /// As it is.
    pub now: Strip,
    /// As it will be, by the plan alone.
    pub then: Strip,
    /// The clients go on once it is done, and transfer of what is late: nobody knows how much by
    /// when.
    pub frees: bool,
}

/// The waiting entries by when they fall due.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Strip {
    /// Entries that are late.
    pub late: u64,
    /// Entries due in each bar.
    pub bars: Vec<u64>,
    /// Entries due after the last bar.
    pub later: u64,
}

impl Preview {
    /// Returns the preview of a plan; none where it changes no due time, or the bars are of another
    /// zoom.
    #[must_use]
    pub fn of(plan: &Plan, survey: &Survey) -> Option<Self> {
        let (zoom, scale) = (survey.zoom?, survey.scale?);
        let mut bars = vec![0; scale.bars];
        let mut later = survey.beyond;
        for bar in &survey.bars {
            match scale.bar_of(plan.at, bar.from) {
                Some(i) if i < bars.len() => bars[i] += bar.count,
                _ => later += bar.count,
            }
        }
        let late = survey.late.iter().sum();
        let now = Strip { late, bars, later };
        let mut then = now.clone();
        let at = |due: Option<Due>| due.and_then(Due::at);
        if takes_out(plan.change)
            && let (Some(from), Some(to)) = (at(plan.oldest), at(plan.newest))
        {
            then.remove(plan, (from, to), scale);
        }
        if let Some(dues) = plan.new_due {
            then.add(plan, dues, scale);
        }
        (then != now).then_some(Self {
            zoom,
            now,
            then,
            frees: false,
        })
    }
}

/// Tells whether entries do not wait any more, or not as they did, once it is done.
const fn takes_out(change: Change) -> bool {
    matches!(
        change,
        Change::Transfer | Change::Deliver | Change::Requeue | Change::Delete | Change::Quarantine
    )
}

impl Preview {
    /// Says how much is late afterwards: a number would promise that the rest stays late where the
    /// clients go on.
    #[must_use]
    pub fn then_late(&self) -> String {
        if self.frees && self.then.late > 0 {
            "fewer late".to_owned()
        } else {
            self.then.late_words()
        }
    }
}

impl Strip {
    /// Says how much is late.
    #[must_use]
    pub fn late_words(&self) -> String {
        format!("{} late", text::number(self.late, 7))
    }

    /// Takes out what a plan is about: from each bar between its due times by the bar's share, as
    /// which of them are meant is not known here.
    fn remove(&mut self, plan: &Plan, (from, to): (EpochMillis, EpochMillis), scale: Scale) {
        let mut cells: Vec<&mut u64> = Vec::new();
        if from <= plan.at {
            cells.push(&mut self.late);
        }
        for (i, count) in self.bars.iter_mut().enumerate() {
            let begins = scale.start(plan.at, i).max(plan.at);
            if begins <= to && from < scale.start(plan.at, i + 1) && to > plan.at {
                cells.push(count);
            }
        }
        if to >= scale.start(plan.at, scale.bars) {
            cells.push(&mut self.later);
        }
        let all: u64 = cells.iter().map(|count| **count).sum();
        let mut left = plan.planned.min(all);
        let counts = cells.iter().map(|count| **count).collect();
        for (share, count) in shares(left, counts).zip(&mut cells) {
            **count -= share;
            left -= share;
        }
        // What rounding has left.
        for count in cells {
            let share = left.min(*count);
            *count -= share;
            left -= share;
        }
    }

    /// Puts it between its new due times, evenly.
    fn add(&mut self, plan: &Plan, (from, to): (EpochMillis, EpochMillis), scale: Scale) {
        let n = plan.planned;
        let span = to.since(from).max(0).saturating_add(1);
        let mut left = n;
        let mut put = |count: &mut u64, begin: EpochMillis, end: EpochMillis| {
            let inside = end.min(to.plus(1)).since(begin.max(from)).max(0);
            let share = u128::from(n) * u128::from(inside.unsigned_abs());
            let share = share.div_ceil(u128::from(span.unsigned_abs()));
            let share = u64::try_from(share).unwrap_or(n).min(left);
            *count += share;
            left -= share;
        };
        put(&mut self.late, EpochMillis::new(i64::MIN / 2), plan.at);
        for (i, count) in self.bars.iter_mut().enumerate() {
            let begin = scale.start(plan.at, i).max(plan.at);
            put(count, begin, scale.start(plan.at, i + 1));
        }
        self.later += left;
    }
}

/// The share of each of `counts` in `n`, rounded down.
fn shares(n: u64, counts: Vec<u64>) -> impl Iterator<Item = u64> {
    let all: u128 = counts.iter().copied().map(u128::from).sum();
    let share = move |count| u128::from(n) * u128::from(count) / all.max(1);
    let shares = counts.into_iter().map(share);
    shares.map(|share| u64::try_from(share).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Bar, Queue};

    const NOW: EpochMillis = EpochMillis::new(600_000);

    /// Ten late, and five in each of the first three bars of ten seconds.
    fn survey() -> Survey {
        let bar = |i: i64| Bar {
            from: NOW.plus(i * 10_000),
            to: NOW.plus((i + 1) * 10_000),
            count: 5,
        };
        Survey {
            at: NOW,
            zoom: Some(Zoom::TenMinutes),
            scale: Some(Scale::default()),
            bars: (0..3).map(bar).collect(),
            beyond: 7,
            no_time: 0,
            micros: [0; 2],
            late: [0, 0, 4, 6],
            handing_over: 0,
            classes: [0; 7],
            keys: Vec::new(),
            aside: None,
            quarantined: None,
            held: None,
            frames: None,
            server_us: 0,
        }
    }

    fn plan(change: Change, planned: u64, (from, to): (i64, i64)) -> Plan {
        let queue = Queue::redisson("orders");
        let due = |ms| Some(Due::At(NOW.plus(ms)));
        Plan {
            planned,
            oldest: due(from),
            newest: due(to),
            ..Plan::new(change, &queue, String::new(), NOW)
        }
    }

    fn then(plan: &Plan) -> (u64, Vec<u64>, u64) {
        let then = Preview::of(plan, &survey()).unwrap().then;
        (then.late, then.bars[..4].to_vec(), then.later)
    }

    #[test]
    fn what_is_transferred_is_late_no_more_and_nothing_else_moves() {
        let plan = plan(Change::Transfer, 10, (-90_000, -1));
        assert_eq!(then(&plan), (0, vec![5, 5, 5, 0], 7));
    }

    #[test]
    fn what_is_deleted_leaves_its_bars() {
        let one = plan(Change::Delete, 1, (12_000, 12_000));
        assert_eq!(then(&one), (10, vec![5, 4, 5, 0], 7));
        let many = plan(Change::Delete, 13, (-90_000, 15_000));
        let (late, bars, later) = then(&many);
        assert_eq!((late + bars.iter().sum::<u64>(), later), (12, 7));
        assert_eq!(bars[2], 5);
    }

    #[test]
    fn what_is_requeued_stands_where_it_will_be_due() {
        let mut all = plan(Change::Requeue, 10, (-90_000, -1));
        all.new_due = Some((NOW.plus(20_000), NOW.plus(39_999)));
        assert_eq!(then(&all), (0, vec![5, 5, 10, 5], 7));
        all.new_due = Some((NOW.plus(86_400_000), NOW.plus(86_400_000)));
        assert_eq!(then(&all), (0, vec![5, 5, 5, 0], 17));
        all.new_due = Some((NOW.plus(-5), NOW.plus(-5)));
        assert_eq!(Preview::of(&all, &survey()), None);
    }

    #[test]
    fn where_the_clients_go_on_afterwards_it_promises_no_number_of_late_ones() {
        let mut head = plan(Change::Requeue, 1, (-90_000, -90_000));
        head.new_due = Some((NOW.plus(86_400_000), NOW.plus(86_400_000)));
        let mut preview = Preview::of(&head, &survey()).unwrap();
        assert_eq!(preview.then_late(), "9 late");
        preview.frees = true;
        assert_eq!(preview.then_late(), "fewer late");
        preview.then.late = 0;
        assert_eq!(preview.then_late(), "0 late");
    }

    #[test]
    fn what_changes_no_due_time_has_no_preview() {
        let edit = plan(Change::Edit, 1, (12_000, 12_000));
        assert_eq!(Preview::of(&edit, &survey()), None);
    }
}
