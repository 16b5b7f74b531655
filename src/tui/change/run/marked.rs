//! The entries that a change of the screen is about, in the words of `ops`.

use std::collections::HashMap;

use crate::ops::entries::EntryPlace;
use crate::ops::plan::{Copies, EntryChoice};
use crate::queue::{Entry, Queue, State};
use crate::tui::change::plan::MarkedEntries;
use crate::tui::marks::Marks;
use crate::tui::tabs::Tab;

/// The entries, as they were seen or by what holds for them.
pub(crate) fn which(queue: &Queue, marked: MarkedEntries) -> EntryChoice {
    match marked {
        MarkedEntries::Due => EntryChoice::Due,
        MarkedEntries::Lost => {
            EntryChoice::Where(EntryPlace::OrderOnly, std::sync::Arc::new(|_| true))
        }
        MarkedEntries::Copies => {
            let all = EntryChoice::Where(EntryPlace::Delivered, std::sync::Arc::new(|_| true));
            EntryChoice::ButOne(Box::new(all))
        }
        MarkedEntries::One(entry) => EntryChoice::These(vec![entry]),
        MarkedEntries::Marks(marks) => of_marks(queue, marks),
        MarkedEntries::ButOne(marks) => EntryChoice::ButOne(Box::new(of_marks(queue, marks))),
    }
}

fn of_marks(queue: &Queue, marks: Box<Marks>) -> EntryChoice {
    // A few that are known need no look through a million.
    if marks.rules.is_empty() {
        return EntryChoice::These(each(&marks));
    }
    let copies = copies(&marks);
    let (from, queue) = (place(marks.tab), queue.clone());
    let holds = EntryChoice::Where(from, std::sync::Arc::new(move |e| marks.marks(&queue, e)));
    if copies.is_empty() {
        holds
    } else {
        EntryChoice::Counted(Box::new(holds), copies)
    }
}

/// Counts the equal elements that are marked by themselves, or left out of what a rule marks.
fn copies(marks: &Marks) -> HashMap<Vec<u8>, Copies> {
    if !marks.tab.has_equal() {
        return HashMap::new();
    }
    let toggled = marks.toggled.iter().map(|(member, toggled)| {
        let copies = toggled.copies();
        let copies = if toggled.marked {
            Copies::Only(copies)
        } else {
            Copies::Without(copies)
        };
        (member.clone(), copies)
    });
    toggled.collect()
}

/// Returns the entries that were marked one by one.
fn each(marks: &Marks) -> Vec<Entry> {
    let state = match marks.tab {
        Tab::Delivered => State::Delivered,
        Tab::Order => State::Order,
        Tab::Quarantine => State::Quarantined,
        _ => State::Waiting,
    };
    let marked = marks.toggled.iter().filter(|(_, toggled)| toggled.marked);
    let mut entries: Vec<Entry> = marked
        .flat_map(|(member, toggled)| {
            let entry = Entry {
                member: member.clone(),
                score: toggled.score,
                // What timeouts knows of is acted on there.
                state: if toggled.score.is_some() && state == State::Order {
                    State::Waiting
                } else {
                    state
                },
            };
            toggled.places.iter().map(move |_| entry.clone())
        })
        .collect();
    let score = |entry: &Entry| entry.score.unwrap_or(f64::INFINITY);
    entries.sort_by(|a, b| {
        let by_score = score(a).total_cmp(&score(b));
        by_score.then_with(|| a.member.cmp(&b.member))
    });
    entries
}

/// Returns the place where the entries of a tab are read.
const fn place(tab: Tab) -> EntryPlace {
    match tab {
        Tab::Delivered => EntryPlace::Delivered,
        Tab::Order => EntryPlace::Order,
        Tab::Quarantine => EntryPlace::Quarantined,
        Tab::Waiting | Tab::Traffic | Tab::Findings | Tab::Changes | Tab::Nodes => {
            EntryPlace::Waiting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::marks::{MarkRule, MarkScope, ToggledEntry};

    fn toggled(members: &[(&str, Option<f64>, bool)]) -> Marks {
        let mut marks = Marks::default();
        for (member, score, marked) in members {
            let (score, marked) = (*score, *marked);
            let toggled = ToggledEntry {
                score,
                marked,
                places: vec![0],
            };
            marks.toggled.insert(member.as_bytes().to_vec(), toggled);
        }
        marks
    }

    #[test]
    fn a_few_that_were_marked_one_by_one_are_taken_as_they_were_seen() {
        let marks = toggled(&[("b", Some(2.0), true), ("a", Some(1.0), true)]);
        let queue = Queue::redisson("orders");
        let EntryChoice::These(these) = which(&queue, MarkedEntries::Marks(Box::new(marks))) else {
            panic!("not looked for");
        };
        let members: Vec<&[u8]> = these.iter().map(|e| e.member.as_slice()).collect();
        assert_eq!(members, [b"a", b"b"]);
        assert_eq!(these[0].state, State::Waiting);
    }

    #[test]
    fn copies_are_those_of_all_that_stands_in_target() {
        let copies = which(&Queue::redisson("orders"), MarkedEntries::Copies);
        let EntryChoice::ButOne(all) = copies else {
            panic!("all of them");
        };
        let element = Entry {
            member: b"paid".to_vec(),
            score: None,
            state: State::Delivered,
        };
        assert!(
            matches!(*all, EntryChoice::Where(EntryPlace::Delivered, holds) if holds(&element))
        );
    }

    #[test]
    fn a_rule_is_asked_of_each_entry_and_what_was_taken_out_of_it_stays_out() {
        let mut marks = toggled(&[("a", Some(1.0), false)]);
        marks.tab = Tab::Order;
        marks.rules.push(MarkRule {
            what: MarkScope::All,
            count: 2,
            exact: true,
        });
        let queue = Queue::redisson("orders");
        let EntryChoice::Where(EntryPlace::Order, holds) =
            which(&queue, MarkedEntries::Marks(Box::new(marks)))
        else {
            panic!("looked for in the order list");
        };
        let entry = |member: &str| Entry {
            member: member.as_bytes().to_vec(),
            score: Some(1.0),
            state: State::Waiting,
        };
        assert!(!holds(&entry("a")));
        assert!(holds(&entry("b")));
    }

    #[test]
    fn of_equal_elements_as_many_are_meant_as_are_marked() {
        let mut marks = toggled(&[("a", None, true)]);
        marks.tab = Tab::Delivered;
        if let Some(toggled) = marks.toggled.get_mut(&b"a"[..]) {
            toggled.places = vec![3, 7];
        }
        let queue = Queue::redisson("orders");
        let EntryChoice::These(these) =
            which(&queue, MarkedEntries::Marks(Box::new(marks.clone())))
        else {
            panic!("not looked for");
        };
        assert_eq!(these.len(), 2);
        marks.rules.push(MarkRule {
            what: MarkScope::All,
            count: 9,
            exact: true,
        });
        for (marked, meant) in [(true, Copies::Only(2)), (false, Copies::Without(2))] {
            if let Some(toggled) = marks.toggled.get_mut(&b"a"[..]) {
                toggled.marked = marked;
            }
            let marked = MarkedEntries::Marks(Box::new(marks.clone()));
            let EntryChoice::Counted(_, copies) = which(&queue, marked) else {
                panic!("counted");
            };
            assert_eq!(copies[&b"a"[..]], meant);
        }
    }
}
