//! Which key asks for what, in which pane; and why it cannot.

use delayscope::queue::change::ChangeRequest;
use delayscope::queue::frames::DeliveredElement;
use delayscope::queue::{
    Change, Entry, Frames, Layout, LinkState, Plan, Push, Queue, QueueName, State, Survey, Unit,
    Zoom, ZsetList,
};
use delayscope::tui::change;
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::dialog::DialogLine;
use delayscope::tui::effect::Effect;
use delayscope::tui::filter::Search;
use delayscope::tui::keys::{Action, Code};
use delayscope::tui::model;
use delayscope::tui::model::Pane;
use delayscope::tui::reason::why_not;
use delayscope::tui::tabs::Tab;

use super::{asked, desk, dialog, generation, orders, plan, planned, toast};
use crate::desk::{Desk, START, World, member};
use crate::screens::build::survey;
use crate::update::filter::filtered;
use crate::update::sample;

const KEYS: [(char, Action); 9] = [
    ('t', Action::Transfer),
    ('p', Action::Deliver),
    ('r', Action::Requeue),
    ('x', Action::Delete),
    ('e', Action::Edit),
    ('D', Action::Duplicate),
    ('K', Action::Kick),
    ('R', Action::Repair),
    ('u', Action::Undo),
];

fn one(desk: &Desk, i: u64, state: State) -> MarkedEntries {
    let at = usize::try_from(i).unwrap();
    MarkedEntries::One(Entry {
        member: member(i),
        score: Some(desk.world[0].entries[at].1),
        state,
    })
}

#[test]
fn in_the_entries_a_key_acts_on_the_one_under_the_cursor_as_it_was_seen() {
    for (key, what) in [
        ('t', ChangeRequest::Transfer),
        ('p', ChangeRequest::Deliver),
        ('x', ChangeRequest::Delete),
        ('D', ChangeRequest::Duplicate),
    ] {
        let mut desk = desk();
        desk.press(Code::Down);
        let asked = asked(&desk.char(key)).unwrap();
        assert_eq!((asked.queue, asked.what), (orders(), what), "{key}");
        assert_eq!(asked.which, one(&desk, 1, State::Late), "{key}");
    }
    let mut desk = desk();
    desk.char('G');
    let asked = asked(&desk.char('x')).unwrap();
    assert_eq!(asked.which, one(&desk, 9, State::Waiting));
}

#[test]
fn where_entries_are_marked_a_key_acts_on_them_as_they_are_then() {
    let mut desk = desk();
    desk.char(' ');
    desk.char(' ');
    let marks = desk.model.marks.clone();
    let asked = asked(&desk.char('x')).unwrap();
    desk.char(' ');
    assert_eq!(asked.which, MarkedEntries::Marks(Box::new(marks)));
}

#[test]
fn of_all_there_are_what_is_due_is_transferred_without_a_look_through_them() {
    let mut desk = desk();
    desk.char('a');
    let asked_of = asked(&desk.char('t')).unwrap();
    assert_eq!(
        (asked_of.what, asked_of.which),
        (ChangeRequest::Transfer, MarkedEntries::Due)
    );
    // Not where one was left out, nor for what acts on more than what is due.
    let mut desk = super::desk();
    desk.char('a');
    desk.char(' ');
    let which = asked(&desk.char('t')).unwrap().which;
    assert!(matches!(which, MarkedEntries::Marks(_)), "{which:?}");
    let mut desk = super::desk();
    desk.char('a');
    let which = asked(&desk.char('p')).unwrap().which;
    assert!(matches!(which, MarkedEntries::Marks(_)), "{which:?}");
}

/// The members of the marks that a plan is about, where it is told each of them.
fn told_one_by_one(which: &MarkedEntries) -> Option<Vec<(Vec<u8>, Option<f64>)>> {
    let MarkedEntries::Marks(marks) = which else {
        return None;
    };
    let marked = marks.toggled.iter().filter(|(_, toggled)| toggled.marked);
    let mut all: Vec<_> = marked
        .map(|(m, toggled)| (m.clone(), toggled.score))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    marks.rules.is_empty().then_some(all)
}

#[test]
fn what_a_search_has_found_is_not_looked_for_again() {
    let mut desk = filtered(1_000, "\"entry 99\"");
    desk.char('a');
    // Two of the eleven are left out.
    desk.char(' ');
    desk.char(' ');
    let which = asked(&desk.char('x')).unwrap().which;
    let scores: Vec<f64> = desk.world[0].entries.iter().map(|e| e.1).collect();
    let seen = |i: u64| (member(i), Some(scores[usize::try_from(i).unwrap()]));
    let mut all: Vec<_> = (991..1_000).map(seen).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(told_one_by_one(&which), Some(all));
    // All of the marks are to go when it is over, as they were set.
    let marks = desk.model.changing.one.as_ref().unwrap().marks.clone();
    assert_eq!(marks.as_deref(), Some(&desk.model.marks));
}

#[test]
fn what_a_search_may_have_missed_is_looked_for() {
    let under_way = |desk: &mut Desk| {
        let filtered = desk.model.filtered.as_mut().unwrap();
        filtered.search = Search::Running(7);
    };
    let stale = |desk: &mut Desk| desk.model.filtered.as_mut().unwrap().stale = true;
    let too_many = |desk: &mut Desk| desk.model.filtered.as_mut().unwrap().found = 50_000;
    let again = |desk: &mut Desk| {
        let filtered = desk.model.filtered.as_mut().unwrap();
        filtered.at = filtered.at.plus(1);
    };
    let two_rules = |desk: &mut Desk| {
        let rule = desk.model.marks.rules[0].clone();
        desk.model.marks.rules.push(rule);
    };
    let off = |desk: &mut Desk| desk.model.filtered = None;
    let changes: [&dyn Fn(&mut Desk); 6] =
        [&under_way, &stale, &too_many, &again, &two_rules, &off];
    for (i, change) in changes.into_iter().enumerate() {
        let mut desk = filtered(1_000, "\"entry 99\"");
        desk.char('a');
        change(&mut desk);
        let which = asked(&desk.char('x')).unwrap().which;
        assert_eq!(told_one_by_one(&which), None, "{i}");
    }
}

#[test]
fn in_the_queues_t_transfers_what_is_due_and_the_others_say_choose() {
    let mut desk = desk();
    desk.model.focus = Pane::Queues;
    desk.model.screen = model::Screen::Dashboard;
    let asked_of = asked(&desk.char('t')).unwrap();
    assert_eq!(
        (asked_of.what, asked_of.which),
        (ChangeRequest::Transfer, MarkedEntries::Due)
    );
    desk.press(Code::Esc);
    for key in ['p', 'x', 'e', 'D'] {
        assert_eq!(asked(&desk.char(key)), None, "{key}");
        assert!(
            toast(&desk).starts_with("choose entries"),
            "{key}: {}",
            toast(&desk)
        );
    }
}

#[test]
fn k_kicks_the_queue_wherever_it_is_pressed() {
    for focus in [Pane::Queues, Pane::Timeline, Pane::Entries] {
        let mut desk = desk();
        desk.model.focus = focus;
        assert_eq!(asked(&desk.char('K')).unwrap().what, ChangeRequest::Kick);
    }
}

#[test]
fn in_the_timeline_what_was_marked_of_a_bar_is_acted_on() {
    let mut desk = desk();
    desk.model.focus = Pane::Timeline;
    assert_eq!(asked(&desk.char('x')), None);
    assert!(toast(&desk).contains("a marks those of the bar"));
    desk.model.focus = Pane::Entries;
    desk.char('a');
    desk.model.focus = Pane::Timeline;
    assert!(matches!(
        asked(&desk.char('x')).unwrap().which,
        MarkedEntries::Marks(_)
    ));
}

#[test]
fn what_was_delivered_can_be_deleted_and_no_more_delivered() {
    let mut desk = desk();
    desk.char('2');
    desk.answer_all();
    assert_eq!(desk.model.tab, Tab::Delivered);
    let first = MarkedEntries::One(Entry {
        member: b"first".to_vec(),
        score: None,
        state: State::Delivered,
    });
    for key in ['t', 'p', 'e', 'D'] {
        assert_eq!(asked(&desk.char(key)), None, "{key}");
        assert!(
            toast(&desk).contains("delivered already"),
            "{key}: {}",
            toast(&desk)
        );
    }
    assert_eq!(asked(&desk.char('x')).unwrap().which, first);
}

#[test]
fn an_element_of_the_order_list_alone_is_a_case_for_a_repair() {
    let mut desk = desk();
    let members = (0..10).map(member).chain([member(77)]);
    desk.world[0].order = Some(members.collect());
    desk.char('3');
    desk.answer_all();
    let asked_of = asked(&desk.char('x')).unwrap();
    assert_eq!(asked_of.which, one(&desk, 0, State::Late));
    desk.press(Code::Esc);
    desk.char('G');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(77)));
    for key in ['t', 'e', 'D'] {
        assert_eq!(asked(&desk.char(key)), None, "{key}");
        assert!(
            toast(&desk).contains("r lets it wait again"),
            "{key}: {}",
            toast(&desk)
        );
    }
    // Whether it was ever delivered only people know: they may say what becomes of it.
    for (key, what) in [('p', ChangeRequest::Deliver), ('x', ChangeRequest::Delete)] {
        let wish = asked(&desk.char(key)).unwrap();
        assert_eq!(wish.what, what);
        assert!(matches!(wish.which, MarkedEntries::One(entry) if entry.state == State::Order));
        desk.press(Code::Esc);
    }
}

#[test]
fn what_is_not_due_is_delivered_and_not_transferred() {
    let mut desk = desk();
    desk.char('G');
    assert_eq!(asked(&desk.char('t')), None);
    assert_eq!(toast(&desk), "it is not due yet: p transfers it now");
    assert!(asked(&desk.char('p')).is_some());
}

#[test]
fn a_read_only_session_says_so_at_every_key_and_asks_for_nothing() {
    for (key, action) in KEYS {
        let mut desk = desk();
        desk.model.site.read_only = true;
        let effects = desk.char(key);
        let plans = |e: &Effect| {
            matches!(
                e,
                Effect::Change(change::Effect::Plan(_) | change::Effect::PlanUndo { .. })
            )
        };
        assert!(!effects.iter().any(plans), "{key}");
        assert!(
            toast(&desk).contains("read-only"),
            "{key}: {}",
            toast(&desk)
        );
        assert!(why_not(&desk.model, action).is_some(), "{key}");
        assert_eq!(desk.model.overlay, None, "{key}");
    }
}

#[test]
fn the_question_says_how_long_consumers_need_at_the_rate_that_was_seen() {
    let mut desk = desk();
    let front = |first: i64| {
        let one = |n: i64| DeliveredElement::new(&orders(), n.to_string().as_bytes());
        (first..first + 50).map(one).collect::<Vec<_>>()
    };
    for (ms, first) in [(0, 0), (10_000, 20)] {
        let frames = Frames {
            front: front(first),
            ..sample(START.plus(ms))
        };
        let survey = Survey {
            frames: Some(Box::new(frames)),
            ..survey(Zoom::Hour, [0; 7])
        };
        desk.model.queues[0].watch.surveyed(&survey);
    }
    let generation = generation(&desk.char('p'));
    let plan = Plan {
        target: Some((2, 12)),
        ..plan(Change::Deliver, 2)
    };
    planned(&mut desk, generation, plan);
    let told = dialog(&desk.model).unwrap().lines.iter();
    let mut told = told.filter_map(|line| match line {
        DialogLine::Fact("target", words) => Some(words.as_str()),
        _ => None,
    });
    assert_eq!(told.next(), Some("2 → 12; consumers need 6.0 s at 2.0/s"));
}

#[test]
fn while_the_server_is_away_nothing_is_changed() {
    // The menu of repairs says so of each.
    for (key, _) in KEYS.into_iter().filter(|(key, _)| *key != 'R') {
        let mut desk = desk();
        desk.link(LinkState::Connecting);
        desk.char(key);
        assert!(
            toast(&desk).contains("no connection"),
            "{key}: {}",
            toast(&desk)
        );
        assert_eq!(desk.model.overlay, None, "{key}");
    }
}

#[test]
fn a_range_that_is_begun_is_no_choice_yet() {
    let mut desk = desk();
    desk.char('v');
    desk.press(Code::Down);
    assert_eq!(asked(&desk.char('x')), None);
    assert!(toast(&desk).contains("v ends it"), "{}", toast(&desk));
}

#[test]
fn where_nothing_waits_there_is_nothing_to_act_on() {
    let mut desk = Desk::of(vec![World::new("orders", 0, 0, 0)]);
    desk.model.focus = Pane::Entries;
    for key in ['p', 'r', 'x', 'e'] {
        assert_eq!(asked(&desk.char(key)), None, "{key}");
        assert!(toast(&desk).contains("no entry under the cursor"), "{key}");
    }
    desk.model.focus = Pane::Queues;
    assert_eq!(asked(&desk.char('t')), None);
    assert!(toast(&desk).contains("nothing is due"), "{}", toast(&desk));
}

#[test]
fn a_layout_without_channel_or_frames_says_what_it_has_not() {
    let queue = Queue {
        name: QueueName::new("plain"),
        layout: Layout::ZsetList(ZsetList {
            target: b"ready".to_vec(),
            unit: Unit::Seconds,
            push: Push::Left,
        }),
    };
    let mut world = World::of(queue);
    world.entries = vec![(b"a".to_vec(), 1_600_000_000.0)];
    let mut desk = Desk::of(vec![world]);
    desk.model.focus = Pane::Entries;
    desk.char('K');
    assert!(toast(&desk).contains("no channel"), "{}", toast(&desk));
    desk.char('D');
    assert!(toast(&desk).contains("equal messages"), "{}", toast(&desk));
    assert!(asked(&desk.char('t')).is_some());
}
