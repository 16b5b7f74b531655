//! The row under the cursor is held by what it is: it stays for a moment when it leaves, and no key
//! acts on the row that comes in its place before that was seen.

use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::plan::Plan;
use delayscope::queue::{Change, Entry, EntryResult, Outcome, Queue, State, Summary, Tally};
use delayscope::tui::change;
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::departed::DepartedFate;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::Code;
use delayscope::tui::model::{Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh::update::time::wakes_at;

use crate::desk::{Desk, START, World, member, text_of};

/// Ten entries, five of them late; the entries have the keys.
fn desk() -> Desk {
    let mut world = World::new("orders", 10, -4_500, 1_000);
    world.target = (0..10).map(|n| format!("done {n}").into_bytes()).collect();
    let mut desk = Desk::of(vec![world]);
    desk.model.focus = Pane::Entries;
    desk
}

/// That entry leaves its queue, and the next pulse shows it.
fn leaves(desk: &mut Desk, n: u64) {
    desk.world[0].entries.retain(|(m, _)| *m != member(n));
    desk.live(1_100, 0);
}

fn planned(effects: &[Effect]) -> Option<MarkedEntries> {
    effects.iter().find_map(|effect| match effect {
        Effect::Change(change::Effect::Plan(asked)) => Some(asked.which.clone()),
        _ => None,
    })
}

fn toast(desk: &Desk) -> &str {
    desk.model.toast.as_ref().map_or("", |toast| &toast.text)
}

fn fate(desk: &Desk) -> Option<DepartedFate> {
    desk.model.fate_at(desk.model.stand().cursor)
}

#[test]
fn a_row_that_is_transferred_stays_under_the_cursor_and_no_key_acts_on_another_one() {
    let mut desk = desk();
    desk.press(Code::Down);
    leaves(&mut desk, 1);
    assert_eq!(desk.under_cursor(), Some(member(1)));
    assert_eq!(fate(&desk), Some(DepartedFate::Transferred));
    for key in ['x', 't', 'p', 'r', 'e', 'D', ' ', 'v'] {
        let before = desk.model.marks.clone();
        assert_eq!(planned(&desk.char(key)), None, "{key:?}");
        assert!(desk.model.overlay.is_none(), "{key:?}");
        assert_eq!(desk.model.marks, before, "{key:?}");
        assert!(toast(&desk).contains("transferred meanwhile"), "{key:?}");
    }
    assert_eq!(desk.under_cursor(), Some(member(1)));
    // All others stand around it.
    let rows: Vec<_> = desk
        .model
        .entries
        .rows
        .iter()
        .map(|r| r.member.clone())
        .collect();
    assert_eq!(rows[..4], [0, 1, 2, 3].map(member));
}

#[test]
fn after_two_seconds_it_goes_and_a_key_right_after_that_does_nothing_yet() {
    let mut desk = desk();
    desk.press(Code::Down);
    leaves(&mut desk, 1);
    let until = desk.model.departed.as_ref().unwrap().until;
    assert!(wakes_at(&desk.model).unwrap() <= until);
    desk.live(1_000, 0);
    assert_eq!(desk.under_cursor(), Some(member(1)), "still there");
    desk.live(1_100, 0);
    assert_eq!((desk.under_cursor(), fate(&desk)), (Some(member(2)), None));
    assert_eq!(planned(&desk.char('x')), None);
    assert!(
        toast(&desk).contains("changed just now"),
        "{}",
        toast(&desk)
    );
    desk.live(1_000, 0);
    let which = planned(&desk.char('x'));
    assert!(matches!(which, Some(MarkedEntries::One(entry)) if entry.member == member(2)));
}

#[test]
fn whoever_moves_on_from_it_is_on_its_neighbour_at_once_and_may_act_there() {
    for (key, neighbour) in [(Code::Down, 3), (Code::Up, 1)] {
        let mut desk = desk();
        desk.press(Code::Down);
        desk.press(Code::Down);
        leaves(&mut desk, 2);
        desk.press(key);
        assert_eq!(desk.under_cursor(), Some(member(neighbour)), "{key:?}");
        assert_eq!(desk.model.departed, None);
        let which = planned(&desk.char('x'));
        assert!(
            matches!(&which, Some(MarkedEntries::One(entry)) if entry.member == member(neighbour)),
            "{which:?}"
        );
    }
}

#[test]
fn the_head_and_the_last_one_are_held_as_well() {
    let mut desk = desk();
    leaves(&mut desk, 0);
    assert_eq!(desk.under_cursor(), Some(member(0)));
    assert_eq!(fate(&desk), Some(DepartedFate::Transferred));
    let mut desk = self::desk();
    desk.char('G');
    desk.answer_all();
    leaves(&mut desk, 9);
    assert_eq!(desk.under_cursor(), Some(member(9)));
    assert_eq!(fate(&desk), Some(DepartedFate::Gone), "it was not due");
    desk.live(2_100, 0);
    assert_eq!(desk.under_cursor(), Some(member(8)));
}

#[test]
fn one_that_was_alone_stays_as_well() {
    let mut desk = Desk::of(vec![World::new("orders", 1, -4_500, 1_000)]);
    desk.model.focus = Pane::Entries;
    leaves(&mut desk, 0);
    assert_eq!(desk.under_cursor(), Some(member(0)));
    desk.live(2_100, 0);
    assert_eq!(desk.under_cursor(), None);
}

#[test]
fn what_comes_before_the_head_does_not_get_the_cursor() {
    let mut desk = desk();
    let (_, first) = desk.world[0].entries[0];
    desk.world[0].entries.insert(0, (member(77), first - 1.0));
    desk.live(1_100, 0);
    assert_eq!(desk.under_cursor(), Some(member(0)));
    assert_eq!(desk.model.entries.top, 0, "it is in sight");
}

#[test]
fn one_that_comes_back_is_no_longer_gone() {
    let mut desk = desk();
    desk.press(Code::Down);
    let before = desk.world[0].entries.clone();
    leaves(&mut desk, 1);
    desk.world[0].entries = before;
    desk.live(1_100, 0);
    assert_eq!((desk.under_cursor(), fate(&desk)), (Some(member(1)), None));
    assert_eq!(desk.model.entries.rows.len(), 10);
}

#[test]
fn an_element_of_target_that_is_taken_says_so() {
    let mut desk = desk();
    desk.char('2');
    desk.answer_all();
    desk.press(Code::Down);
    desk.world[0].target.drain(..2);
    desk.live(1_100, 0);
    assert_eq!(desk.under_cursor(), Some(b"done 1".to_vec()));
    assert_eq!(fate(&desk), Some(DepartedFate::Taken));
    assert_eq!(planned(&desk.char('x')), None);
    assert!(toast(&desk).contains("taken meanwhile"), "{}", toast(&desk));
    desk.press(Code::Down);
    assert_ne!(desk.under_cursor(), Some(b"done 1".to_vec()));
    assert!(planned(&desk.char('x')).is_some());
}

/// `x` has asked whether the entry under the cursor shall be deleted.
fn asks_to_delete(desk: &mut Desk) -> u64 {
    let effects = desk.char('x');
    let generation = effects.iter().find_map(|effect| match effect {
        Effect::Change(change::Effect::Plan(asked)) => Some(asked.generation),
        _ => None,
    });
    let generation = generation.unwrap();
    let orders = Queue::redisson("orders");
    let plan = Plan {
        planned: 1,
        ..Plan::new(Change::Delete, &orders, "there".to_owned(), START)
    };
    let planned = change::Msg::Planned(generation, Ok(Box::new(plan)));
    desk.tell(Msg::Change(planned));
    generation
}

/// The delete is over: that became of entry 1.
fn ends(desk: &mut Desk, generation: u64, outcome: Outcome) {
    let mut tally = Tally::default();
    tally.add(outcome, 1);
    let queue = Queue::redisson("orders");
    let result = EntryResult {
        id: queue.id(&member(1)),
        outcome,
        reason: None,
    };
    let summary = Summary {
        change: Change::Delete,
        queue,
        tally,
        journal_id: None,
        elapsed: std::time::Duration::ZERO,
        longest_block: std::time::Duration::ZERO,
        listening: None,
        helped: None,
        notes: Vec::new(),
    };
    for event in [
        ChangeEvent::Results(vec![result]),
        ChangeEvent::Ended(summary),
    ] {
        desk.tell(Msg::Change(change::Msg::Applied(generation, event)));
    }
}

#[test]
fn what_a_change_of_ours_took_away_says_what_was_done() {
    let mut desk = desk();
    desk.press(Code::Down);
    let generation = asks_to_delete(&mut desk);
    desk.char('y');
    ends(&mut desk, generation, Outcome::Done);
    leaves(&mut desk, 1);
    assert_eq!(fate(&desk), Some(DepartedFate::Ours(Change::Delete)));
    assert_eq!(planned(&desk.char('x')), None);
    assert!(toast(&desk).contains("deleted already"), "{}", toast(&desk));
}

#[test]
fn in_the_lives_what_a_change_of_ours_took_away_was_not_transferred() {
    for (outcome, told) in [
        (Outcome::Done, "deleted from this screen"),
        (Outcome::Gone, "transferred +"),
    ] {
        let mut desk = desk();
        desk.press(Code::Down);
        let generation = asks_to_delete(&mut desk);
        desk.char('y');
        ends(&mut desk, generation, outcome);
        desk.world[0].target.clear();
        leaves(&mut desk, 1);
        desk.press(Code::Enter);
        let page = text_of(&desk.model);
        let went = match outcome {
            Outcome::Done => "deleted from this screen",
            _ => "transferred ",
        };
        assert!(page.contains(went), "{outcome:?} {page}");
        desk.char('T');
        let page = text_of(&desk.model);
        let lane = page
            .lines()
            .find(|row| row.contains("entry 1") && row.contains("due "));
        let lane = lane.unwrap_or_else(|| panic!("{page}"));
        assert!(lane.contains(told), "{outcome:?} {lane}");
        assert_eq!(lane.contains(" taken"), outcome == Outcome::Gone, "{lane}");
    }
}

#[test]
fn what_leaves_where_no_client_transfers_is_gone_and_nobody_says_more() {
    let mut desk = desk();
    desk.world[0].clients = 0;
    desk.live(1_100, 0);
    desk.press(Code::Down);
    leaves(&mut desk, 1);
    assert_eq!(fate(&desk), Some(DepartedFate::Gone));
}

#[test]
fn what_leaves_while_a_delete_is_asked_about_or_after_it_was_refused_was_transferred() {
    for answer in [None, Some('n')] {
        let mut desk = desk();
        desk.press(Code::Down);
        asks_to_delete(&mut desk);
        if let Some(no) = answer {
            desk.char(no);
        }
        leaves(&mut desk, 1);
        assert_eq!(fate(&desk), Some(DepartedFate::Transferred), "{answer:?}");
    }
}

#[test]
fn what_was_transferred_before_the_delete_came_to_it_is_not_called_deleted() {
    let mut desk = desk();
    desk.press(Code::Down);
    let generation = asks_to_delete(&mut desk);
    desk.char('y');
    ends(&mut desk, generation, Outcome::Gone);
    leaves(&mut desk, 1);
    assert_eq!(fate(&desk), Some(DepartedFate::Transferred));
}

#[test]
fn clients_that_are_woken_meanwhile_do_not_make_it_forget_what_is_deleted() {
    let mut desk = desk();
    desk.press(Code::Down);
    let generation = asks_to_delete(&mut desk);
    desk.char('y');
    // A letter right behind an answer belongs to it.
    desk.pass(300);
    let kick = desk.char('K');
    let kick = kick.iter().find_map(|effect| match effect {
        Effect::Change(change::Effect::Plan(asked)) => Some(asked.generation),
        _ => None,
    });
    let orders = Queue::redisson("orders");
    let plan = Plan::new(Change::Kick, &orders, "there".to_owned(), START);
    let plan = change::Msg::Planned(kick.unwrap(), Ok(Box::new(plan)));
    desk.tell(Msg::Change(plan));
    desk.tell(Msg::Change(change::Msg::Agreed(kick.unwrap())));
    ends(&mut desk, generation, Outcome::Done);
    leaves(&mut desk, 1);
    assert_eq!(fate(&desk), Some(DepartedFate::Ours(Change::Delete)));
}

#[test]
fn of_marked_entries_each_says_what_became_of_it() {
    for (outcome, became) in [
        (Outcome::Done, DepartedFate::Ours(Change::Delete)),
        (Outcome::Gone, DepartedFate::Transferred),
    ] {
        let mut desk = desk();
        desk.press(Code::Down);
        desk.char(' ');
        desk.press(Code::Up);
        desk.char(' ');
        desk.press(Code::Up);
        let generation = asks_to_delete(&mut desk);
        desk.char('y');
        let queue = Queue::redisson("orders");
        let result = |n, outcome| EntryResult {
            id: queue.id(&member(n)),
            outcome,
            reason: None,
        };
        let results = vec![result(0, Outcome::Done), result(1, outcome)];
        let told = ChangeEvent::Results(results);
        desk.tell(Msg::Change(change::Msg::Applied(generation, told)));
        while desk.under_cursor() != Some(member(1)) {
            desk.press(Code::Down);
        }
        leaves(&mut desk, 1);
        assert_eq!(fate(&desk), Some(became), "{outcome:?}");
    }
}

#[test]
fn a_row_that_has_left_can_be_opened_and_is_gone_there_too() {
    let mut desk = desk();
    desk.press(Code::Down);
    leaves(&mut desk, 1);
    desk.press(Code::Enter);
    assert!(matches!(&desk.model.screen, Screen::Entry(view) if view.row.member == member(1)));
    assert_eq!(planned(&desk.char('x')), None);
    assert!(toast(&desk).contains("no longer there"), "{}", toast(&desk));
}

/// What leaves the list of a tab, and what it is called there.
struct Leaving {
    key: char,
    lists: fn(&mut World) -> Vec<Vec<u8>>,
    leaves: fn(&mut World, &[u8]),
    /// A key that acts on its rows.
    acts: char,
    fate: DepartedFate,
}

/// The tabs whose rows are listed by their places.
fn listings() -> [Leaving; 2] {
    [
        Leaving {
            key: '3',
            lists: |world| {
                let members = (20..30).map(member).collect::<Vec<_>>();
                world.order = Some(members.clone());
                members
            },
            leaves: |world, gone| world.order.as_mut().unwrap().retain(|m| m != gone),
            acts: 'x',
            // It is not due: it may stand elsewhere, after a sort.
            fate: DepartedFate::Moved,
        },
        Leaving {
            key: '7',
            lists: |world| {
                world.quarantine = (20..30)
                    .map(|n| (member(n), 1_000.0 + f64::from(u32::try_from(n).unwrap())))
                    .collect();
                world.quarantine.iter().map(|(m, _)| m.clone()).collect()
            },
            leaves: |world, gone| world.quarantine.retain(|(m, _)| m != gone),
            acts: 'R',
            fate: DepartedFate::Gone,
        },
    ]
}

impl Leaving {
    /// The tab, with the cursor on its third row; and what it lists.
    fn desk(&self) -> (Desk, Vec<Vec<u8>>) {
        let mut world = World::new("orders", 10, -4_500, 1_000);
        let rows = (self.lists)(&mut world);
        let mut desk = Desk::of(vec![world]);
        desk.model.focus = Pane::Entries;
        desk.char(self.key);
        desk.answer_all();
        desk.press(Code::Down);
        desk.press(Code::Down);
        desk.live(1_100, 0);
        assert_eq!(desk.under_cursor().as_ref(), Some(&rows[2]), "{}", self.key);
        (desk, rows)
    }

    fn goes(&self, desk: &mut Desk, gone: &[u8]) {
        (self.leaves)(&mut desk.world[0], gone);
        desk.live(1_100, 0);
    }
}

#[test]
fn in_the_order_list_and_in_quarantine_a_row_that_leaves_stays_for_two_seconds_and_no_key_acts() {
    for tab in listings() {
        let (mut desk, rows) = tab.desk();
        tab.goes(&mut desk, &rows[2]);
        assert_eq!(desk.under_cursor().as_ref(), Some(&rows[2]), "{}", tab.key);
        let fate = fate(&desk).unwrap();
        assert_eq!(fate, tab.fate, "{}", tab.key);
        for key in ['x', 't', 'p', 'r', 'e', 'D', ' ', tab.acts] {
            let before = desk.model.marks.clone();
            assert_eq!(planned(&desk.char(key)), None, "{} {key:?}", tab.key);
            assert!(desk.model.overlay.is_none(), "{} {key:?}", tab.key);
            assert_eq!(desk.model.marks, before, "{} {key:?}", tab.key);
            let toast = toast(&desk);
            assert!(
                toast.contains(fate.why_not()),
                "{} {key:?}: {toast}",
                tab.key
            );
        }
        desk.live(1_000, 0);
        assert_eq!(desk.under_cursor().as_ref(), Some(&rows[2]), "still there");
        desk.live(1_100, 0);
        // The cursor came to its neighbour by itself: no key acts there before that was seen.
        assert_eq!(desk.under_cursor().as_ref(), Some(&rows[3]), "{}", tab.key);
        assert_eq!(planned(&desk.char(tab.acts)), None, "{}", tab.key);
        assert!(
            toast(&desk).contains("changed just now"),
            "{}",
            toast(&desk)
        );
        desk.live(1_000, 0);
        let which = planned(&desk.char(tab.acts));
        let is_it = matches!(&which, Some(MarkedEntries::One(entry)) if entry.member == rows[3]);
        assert!(is_it, "{}: {which:?} {}", tab.key, toast(&desk));
    }
}

#[test]
fn in_the_order_list_and_in_quarantine_what_leaves_before_the_cursor_moves_it_to_no_other_entry() {
    for tab in listings() {
        let (mut desk, rows) = tab.desk();
        for gone in &rows[..2] {
            tab.goes(&mut desk, gone);
            assert_eq!(desk.under_cursor().as_ref(), Some(&rows[2]), "{}", tab.key);
        }
        let which = planned(&desk.char(tab.acts));
        let is_it = matches!(&which, Some(MarkedEntries::One(entry)) if entry.member == rows[2]);
        assert!(is_it, "{}: {which:?} {}", tab.key, toast(&desk));
    }
}

#[test]
fn what_leaves_another_queue_does_not_leave_by_a_change_of_this_one() {
    let mut desk = desk();
    desk.press(Code::Down);
    asks_to_delete(&mut desk);
    desk.char('y');
    let acted = desk.model.changing.acted.clone().unwrap();
    let entry = Entry {
        member: acted.one.clone().unwrap(),
        score: None,
        state: State::Waiting,
    };
    let is_on = |queue: &str| acted.on_entry(&Queue::redisson(queue), &entry, desk.model.instant);
    assert!(is_on("orders") && !is_on("invoices"));
}
