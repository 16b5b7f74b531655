//! From screen to screen.

use delayscope::queue::Queue;
use delayscope::tui::effect::Effect;
use delayscope::tui::entry::Face;
use delayscope::tui::help::HelpPage;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::{Overlay, Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::queues;
use delayscope::tui::tabs::Tab;

use crate::desk::{Desk, START, World, text_of};

fn two() -> Desk {
    Desk::of(vec![
        World::new("alpha", 30, 60_000, 1000),
        World::new("beta", 30, 60_000, 1000),
    ])
}

#[test]
fn a_single_queue_has_the_whole_screen_at_once() {
    let mut desk = Desk::of_one(5);
    assert!(matches!(desk.model.screen, Screen::Queue));
    assert_eq!(desk.model.focus, Pane::Entries);
    assert_eq!(desk.char('q'), [Effect::Quit]);
}

#[test]
fn a_second_queue_brings_the_dashboard_unless_a_key_was_pressed() {
    let mut desk = Desk::of_one(5);
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("more"))));
    assert!(matches!(desk.model.screen, Screen::Dashboard));

    let mut desk = Desk::of_one(5);
    desk.press(Code::Down);
    desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson("more"))));
    assert!(matches!(desk.model.screen, Screen::Queue));
}

#[test]
fn enter_opens_queue_and_entry_and_esc_leads_back() {
    let mut desk = two();
    desk.press(Code::Enter);
    assert!(matches!(desk.model.screen, Screen::Queue));
    desk.press(Code::Enter);
    assert!(matches!(desk.model.screen, Screen::Entry(_)));
    desk.press(Code::Esc);
    assert!(matches!(desk.model.screen, Screen::Queue));
    desk.press(Code::Esc);
    assert!(matches!(desk.model.screen, Screen::Dashboard));
    assert_eq!(desk.model.focus, Pane::Queues);
    assert_eq!(desk.press(Code::Esc), []);
    assert!(matches!(desk.model.screen, Screen::Dashboard));
}

#[test]
fn esc_on_the_first_screen_leads_from_a_bar_of_the_timeline_back_to_the_queues() {
    let mut desk = two();
    desk.press(Code::Right);
    assert_eq!(desk.model.focus, Pane::Timeline);
    assert!(desk.model.timeline.bar.is_some());
    assert_eq!(desk.press(Code::Esc), []);
    assert_eq!(
        (desk.model.focus, desk.model.timeline.bar),
        (Pane::Queues, None)
    );
}

#[test]
fn q_goes_back_and_quits_on_the_first_screen() {
    let mut desk = two();
    desk.press(Code::Enter);
    desk.press(Code::Enter);
    desk.char('q');
    desk.char('q');
    assert!(matches!(desk.model.screen, Screen::Dashboard));
    assert_eq!(desk.char('q'), [Effect::Quit]);
}

#[test]
fn control_c_quits_from_anywhere() {
    let mut desk = two();
    desk.press(Code::Enter);
    desk.char('?');
    assert_eq!(desk.key(Key::ctrl('c')), [Effect::Quit]);
}

#[test]
fn tab_turns_an_entry_over() {
    let mut desk = Desk::of_one(5);
    desk.press(Code::Enter);
    desk.press(Code::Tab);
    let Screen::Entry(entry) = &desk.model.screen else {
        panic!("not opened");
    };
    assert_eq!(entry.face, Face::Hex);
}

#[test]
fn tab_goes_round_the_panes_that_are_shown() {
    let mut desk = two();
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(desk.model.focus);
        desk.press(Code::Tab);
    }
    assert_eq!(
        seen,
        [Pane::Queues, Pane::Timeline, Pane::Entries, Pane::Traffic]
    );
    assert_eq!(desk.model.focus, Pane::Queues);
    desk.press(Code::BackTab);
    assert_eq!(desk.model.focus, Pane::Traffic);
    desk.tell(Msg::Resized(80, 24));
    for _ in 0..4 {
        desk.press(Code::Tab);
        assert_ne!(desk.model.focus, Pane::Traffic);
    }
}

#[test]
fn tab_never_takes_the_place_of_what_the_pane_shows() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        for opened in [false, true] {
            for tab in Tab::ALL {
                let mut desk = two();
                desk.tell(Msg::Resized(size.0, size.1));
                if opened {
                    desk.press(Code::Enter);
                }
                desk.model.tab = tab;
                for key in [Code::Tab, Code::BackTab] {
                    for _ in 0..5 {
                        desk.press(key);
                        assert_eq!(desk.model.tab, tab, "{size:?}");
                        let is_open = matches!(desk.model.screen, Screen::Queue);
                        assert_eq!(is_open, opened, "{size:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn help_lies_over_everything_and_closes_the_way_it_opened() {
    let mut desk = two();
    for key in [Key::of(Code::Esc), Key::char('q')] {
        desk.char('?');
        assert!(matches!(desk.model.overlay, Some(Overlay::Help { .. })));
        assert_eq!(desk.key(key), []);
        assert_eq!(desk.model.overlay, None);
    }
}

#[test]
fn the_help_has_pages_that_its_key_and_tab_go_through() {
    let mut desk = two();
    let page = |desk: &Desk| match desk.model.overlay {
        Some(Overlay::Help { page, scroll }) => Some((page, scroll)),
        _ => None,
    };
    desk.model.size = (80, 24);
    for expected in HelpPage::ALL {
        desk.char('?');
        assert_eq!(page(&desk), Some((expected, 0)));
        desk.char('j');
    }
    desk.char('?');
    assert_eq!(page(&desk), None);
    desk.char('?');
    desk.press(Code::BackTab);
    assert_eq!(page(&desk), Some((HelpPage::Queue, 0)));
    desk.char('j');
    assert_eq!(page(&desk), Some((HelpPage::Queue, 1)));
    desk.press(Code::Tab);
    assert_eq!(page(&desk), Some((HelpPage::Jobs, 0)));
    // So does a page behind the end of one.
    let mut seen = vec![HelpPage::Jobs];
    for _ in 0..20 {
        desk.press(Code::PageDown);
        let (page, _) = page(&desk).unwrap();
        if seen.last() != Some(&page) {
            seen.push(page);
        }
    }
    assert!(
        HelpPage::ALL.iter().all(|page| seen.contains(page)),
        "{seen:?}"
    );
}

#[test]
fn a_key_that_cannot_act_says_why() {
    let mut desk = Desk::of(vec![World::new("orders", 0, 0, 0)]);
    desk.press(Code::Enter);
    assert_eq!(desk.model.toast.unwrap().text, "no entry to open");
}

#[test]
fn an_opened_entry_stays_as_it_was_while_the_queue_goes_on() {
    let mut desk = Desk::of_one(5);
    desk.press(Code::Enter);
    desk.world[0].entries.clear();
    desk.live(2_000, 1);
    let Screen::Entry(entry) = &desk.model.screen else {
        panic!("closed");
    };
    assert_eq!(entry.row.member, crate::desk::member(0));
}

#[test]
fn thousands_of_queues_are_taken_in_at_once() {
    let mut desk = Desk::of(Vec::new());
    for i in (0..3_000).rev() {
        desk.tell(Msg::Queues(queues::Msg::Found(Queue::redisson(format!(
            "q{i:05}"
        )))));
    }
    assert_eq!(desk.model.queues.len(), 3_000);
    let sorted = |rows: &[queues::QueueRow]| rows.is_sorted_by_key(|row| row.queue.name.clone());
    assert!(sorted(&desk.model.queues));
    assert_eq!(desk.model.cursor, 0);
}

#[test]
fn back_from_a_queue_the_first_rows_of_the_table_are_in_sight_if_the_selected_one_is_too() {
    let world = |i: usize| World::new(&format!("q{i:02}"), 3, 3_600_000, 1_000);
    let mut desk = Desk::of((0..40).map(world).collect());
    for _ in 0..4 {
        desk.press(Code::Down);
    }
    desk.model.top = 4;
    desk.press(Code::Enter);
    desk.char('q');
    assert_eq!((desk.model.cursor, desk.model.top), (4, 0));
    desk.char('G');
    desk.press(Code::Enter);
    desk.char('q');
    assert!(desk.model.top > 0);
}

#[test]
fn the_header_tells_how_long_there_is_until_a_key_expires() {
    let mut desk = Desk::of(vec![
        World {
            expires: Some(START.plus(545_000)),
            ..World::new("orders", 5, 3_600_000, 1_000)
        },
        World::new("well", 5, 3_600_000, 1_000),
    ]);
    desk.live(5_000, 1);
    let picture = text_of(&desk.model);
    let header = picture.lines().next().unwrap();
    assert!(header.contains("orders: keys expire in 9:00"), "{header}");
}
