//! The words of a change that is over: what was done to which entry, and what became of the rest.

use crate::clock::EpochMillis;
use crate::queue::plan::Plan;
use crate::queue::{Change, Due, Outcome, Tally, text};
use crate::tui::journal::sum_up;

/// Says what became of those that were no longer there.
fn left(plan: &Plan, now: EpochMillis) -> &'static str {
    let is_due = plan.newest.and_then(Due::at).is_some_and(|due| due <= now);
    match plan.change {
        Change::RestoreOrder | Change::Undo => "",
        Change::Unwrap => "already taken",
        _ if plan.target.is_some_and(|(now, then)| then < now) => "already taken",
        Change::Transfer => "already transferred",
        _ if is_due => "already transferred",
        _ => "already gone",
    }
}

/// Says what was taken back: `undone: remove expiry, 2 keys`, `delete: 2 of 3 undone, 1 refused`.
/// None where that is one entry, which is named.
fn taken_back(plan: &Plan, tally: &Tally) -> Option<String> {
    let change = plan.undone.filter(|_| plan.change == Change::Undo)?;
    if !change.counts_keys() && plan.the_entry().is_some() {
        return None;
    }
    let (label, done) = (change.label(), tally.get(Outcome::Done));
    if done < tally.sum().max(plan.planned) {
        let words = sum_up(plan.change, plan.planned, tally);
        return Some(format!("{label}: {words}"));
    }
    let counted = if change.counts_keys() {
        text::counted(done, "key", "keys")
    } else {
        text::counted(done, "entry", "entries")
    };
    Some(format!("undone: {label}, {counted}"))
}

/// Says what was done: `deleted {"orderId":1} (9f3c…)`,
/// `1 of 3 deleted, 2 were already transferred`.
pub(crate) fn words(plan: &Plan, tally: &Tally, now: EpochMillis) -> String {
    let (change, gone) = (plan.change, tally.get(Outcome::Gone));
    let all = tally.sum().max(plan.planned);
    let left = left(plan, now);
    if let Some(words) = taken_back(plan, tally) {
        return words;
    }
    if let Some(entry) = plan.the_entry() {
        if tally.get(Outcome::Done) == all && all == 1 {
            return format!("{} {entry}", change.past());
        }
        if gone == all && all == 1 && !left.is_empty() {
            return format!("not {}: {entry} was {left}", change.past());
        }
        return format!("{}: {entry}", sum_up(change, plan.planned, tally));
    }
    if gone == 0 || left.is_empty() {
        let words = sum_up(change, plan.planned, tally);
        return match plan.first_named() {
            // Which of them were not done is not known here, nor which were due by then.
            Some(first)
                if change != Change::Transfer && tally.get(Outcome::Done) == all && all > 1 =>
            {
                let more = text::thousands(all - 1);
                format!("{words}: {first} and {more} more")
            }
            _ => words,
        };
    }
    let mut rest = Tally::default();
    for outcome in Outcome::ALL {
        if outcome != Outcome::Gone {
            rest.add(outcome, tally.get(outcome));
        }
    }
    let were = if gone == 1 { "was" } else { "were" };
    let (gone, all_of) = (text::thousands(gone), text::thousands(all));
    let done = sum_up(change, all, &rest);
    format!("{done}; {gone} of {all_of} {were} {left}")
}
