//! The tabs beside the first one.

use delayscope::queue::finding::RULES;
use delayscope::queue::{Announcement, Finding, List, ListScore, Queue, Severity, Suspect};
use delayscope::tui::effect::Effect;
use delayscope::tui::findings;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::layout;
use delayscope::tui::link;
use delayscope::tui::lists;
use delayscope::tui::model::{Overlay, Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::tabs;
use delayscope::tui::tabs::Tab;

use crate::desk::{Desk, World, cell_of, member, score, text_of};

/// The list reading among some effects: which list, first, count.
fn list_of(effects: &[Effect]) -> Option<(List, u64, u32)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Lists(lists::Effect::Load {
            list, first, count, ..
        }) => Some((*list, *first, *count)),
        _ => None,
    })
}

/// A queue of 200 whose order list is that of the timeouts, and 50 elements delivered.
fn world() -> World {
    World {
        target: (0..50).map(|i| format!("done {i}").into_bytes()).collect(),
        ..World::new("orders", 200, 60_000, 1000)
    }
}

fn on(tab: char) -> Desk {
    let mut desk = Desk::of(vec![world()]);
    desk.char(tab);
    desk.answer_all();
    desk
}

/// The bytes under the cursor.
fn under(desk: &Desk) -> Vec<u8> {
    desk.under_cursor().unwrap()
}

#[test]
fn a_list_is_read_when_its_tab_is_opened_and_in_the_pulses_rhythm_while_it_is_in_sight() {
    let mut desk = Desk::of(vec![world()]);
    assert_eq!(list_of(&desk.live(3_000, 1)), None);
    let asked = desk.char('2');
    assert_eq!(list_of(&asked).map(|(list, ..)| list), Some(List::Target));
    desk.answer_all();
    let asked = desk.live(3_000, 1);
    let lists = asked
        .iter()
        .filter(|e| matches!(e, Effect::Lists(lists::Effect::Load { .. })));
    let count = lists.count();
    assert!((2..=4).contains(&count), "{count} in three seconds");
    desk.char('1');
    assert_eq!(list_of(&desk.live(3_000, 1)), None);
}

#[test]
fn one_reading_is_under_way_at_most_and_an_answer_for_another_tab_is_dropped() {
    let mut desk = Desk::of(vec![world()]);
    desk.char('2');
    let late = std::mem::take(&mut desk.open);
    desk.char('3');
    for effect in &late {
        desk.answer(effect);
    }
    assert!(desk.model.lists.delivered.rows.is_empty());
    assert!(desk.model.lists.order.rows.is_empty());
    for c in "jjjj".chars() {
        assert_eq!(list_of(&desk.char(c)), None);
    }
    desk.answer_all();
    assert_eq!(desk.model.lists.order.rows[0].row.member, member(0));
}

#[test]
fn the_cursor_stays_on_its_element_while_others_are_taken_from_the_head() {
    let mut desk = on('2');
    for _ in 0..7 {
        desk.press(Code::Down);
    }
    assert_eq!(under(&desk), b"done 7");
    let row = desk.model.stand().cursor - desk.model.stand().top;
    desk.world[0].target.drain(..3);
    desk.live(1_500, 1);
    assert_eq!(under(&desk), b"done 7");
    assert_eq!(desk.model.stand().cursor, 4);
    assert!(desk.model.stand().cursor - desk.model.stand().top <= row);
    // It was taken itself: the cursor stays where it is.
    desk.world[0].target.drain(..10);
    desk.live(1_500, 1);
    assert_eq!(desk.model.stand().cursor, 4);
}

#[test]
fn on_the_head_the_cursor_shows_whatever_is_next_where_the_list_has_no_keys() {
    let mut desk = on('2');
    desk.model.focus = Pane::Timeline;
    desk.world[0].target.drain(..3);
    desk.live(1_500, 1);
    assert_eq!(under(&desk), b"done 3");
}

#[test]
fn of_equal_elements_the_nearest_one_is_followed() {
    let mut desk = Desk::of(vec![World {
        target: vec![b"same".to_vec(); 30],
        ..World::new("orders", 5, 60_000, 1000)
    }]);
    desk.char('2');
    desk.answer_all();
    for _ in 0..9 {
        desk.press(Code::Down);
    }
    desk.live(2_500, 1);
    assert_eq!(desk.model.stand().cursor, 9);
}

#[test]
fn pages_and_ends_reach_every_element() {
    let mut desk = on('3');
    desk.char('G');
    desk.answer_all();
    assert_eq!(under(&desk), member(199));
    desk.press(Code::PageUp);
    desk.answer_all();
    assert!(under(&desk) < member(199));
    desk.char('g');
    desk.answer_all();
    assert_eq!(under(&desk), member(0));
}

#[test]
fn what_the_order_list_holds_and_timeouts_does_not_is_drift() {
    let mut world = world();
    let mut order: Vec<_> = world.entries.iter().map(|(m, _)| m.clone()).collect();
    order.insert(2, member(900));
    world.order = Some(order);
    let mut desk = Desk::of(vec![world]);
    desk.char('3');
    desk.answer_all();
    let drifts = |e: &&lists::ListElement| e.score == ListScore::Drift;
    let drift: Vec<_> = desk.model.lists.order.rows.iter().filter(drifts).collect();
    assert_eq!(drift.len(), 1);
    assert!(!drift[0].row.scored());
    assert_eq!(drift[0].row.content.as_ref().unwrap().text, "entry 900");
}

#[test]
fn far_from_both_ends_a_list_is_read_only_when_the_user_asks() {
    let mut desk = Desk::of(vec![World {
        target: (0..40_000_u32).map(|i| i.to_be_bytes().to_vec()).collect(),
        ..World::new("orders", 5, 60_000, 1000)
    }]);
    desk.char('2');
    desk.answer_all();
    desk.tell(Msg::Resized(120, 40));
    let stand = &mut desk.model.lists.delivered.stand;
    (stand.top, stand.cursor) = (20_000, 20_000);
    let asked = desk.press(Code::Down);
    assert!(list_of(&asked).is_some_and(|(_, first, _)| (19_900..20_000).contains(&first)));
    desk.answer_all();
    assert!(tabs::queries::is_deep(&desk.model));
    assert!(!desk.model.lists.delivered.rows.is_empty());
    assert_eq!(list_of(&desk.live(5_000, 1)), None);
    let asked = desk.key(Key::ctrl('r'));
    assert_eq!(list_of(&asked).map(|(list, ..)| list), Some(List::Target));
}

#[test]
fn a_list_that_weighs_megabytes_is_read_once_in_as_many_seconds() {
    let heavy = vec![b'x'; 200_000];
    let target = vec![heavy; 20];
    let mut desk = Desk::of(vec![World {
        target,
        ..World::new("orders", 5, 60_000, 1000)
    }]);
    desk.char('2');
    desk.answer_all();
    let rows = desk.model.lists.delivered.rows.len() as u64;
    let asked = desk.live(20_000, 1);
    let lists = asked
        .iter()
        .filter(|e| matches!(e, Effect::Lists(lists::Effect::Load { .. })));
    let read = lists.count() as u64 * rows * 200_000;
    assert!(read <= 21 * 1_000_000, "{read} bytes in 20 s");
}

#[test]
fn a_layout_without_order_list_asks_for_none() {
    let queue: Queue = "zset-list:delay,ready".parse().unwrap();
    let mut desk = Desk::of(vec![World::of(queue)]);
    assert_eq!(list_of(&desk.char('3')), None);
    assert_eq!(list_of(&desk.live(2_000, 1)), None);
}

#[test]
fn enter_opens_what_was_delivered() {
    let mut desk = on('2');
    desk.press(Code::Enter);
    let Screen::Entry(entry) = &desk.model.screen else {
        panic!("not opened");
    };
    assert_eq!(entry.row.member, b"done 0");
    assert!(!entry.row.scored());
    desk.press(Code::Esc);
    assert_eq!(desk.model.tab, Tab::Delivered);
}

/// What says that a new head is due `ms` from the start.
fn announced(ms: i64) -> Msg {
    let due = crate::desk::START.plus(ms).get();
    Msg::Link(link::Msg::Announced(Announcement::new(
        crate::desk::START,
        Queue::redisson("orders").keys().channel.unwrap(),
        due.to_string().as_bytes(),
    )))
}

#[test]
fn enter_on_an_announcement_jumps_to_what_it_announced() {
    let mut desk = Desk::of_one(500);
    desk.tell(announced(60_000 + 300_000));
    desk.char('4');
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(desk.model.tab, Tab::Waiting);
    assert_eq!(under(&desk), member(300));
}

#[test]
fn a_kick_has_no_time_to_jump_to() {
    let mut desk = Desk::of_one(5);
    desk.tell(Msg::Link(link::Msg::Announced(Announcement::new(
        crate::desk::START,
        Queue::redisson("orders").keys().channel.unwrap(),
        b"0",
    ))));
    desk.char('4');
    assert_eq!(desk.press(Code::Enter), []);
    assert_eq!(desk.model.tab, Tab::Traffic);
    assert_eq!(desk.model.toast.unwrap().text, "it tells no due time");
}

#[test]
fn the_cursor_stays_on_its_announcement_while_others_arrive() {
    let mut desk = Desk::of_one(5);
    for i in 0..5 {
        desk.tell(announced(i * 1000));
    }
    desk.char('4');
    desk.press(Code::Down);
    let under = |desk: &Desk| {
        let at = usize::try_from(desk.model.stand().cursor).unwrap();
        tabs::queries::traffic(&desk.model).nth(at).unwrap().due()
    };
    let before = under(&desk);
    desk.tell(announced(9_000));
    assert_eq!(under(&desk), before);
    assert_eq!(desk.model.stand().cursor, 2);
    desk.char('f');
    desk.tell(announced(10_000));
    desk.char('f');
    assert_eq!(under(&desk), before, "what came while the picture stood");
    assert_eq!(desk.model.stand().cursor, 3);
}

/// Two queues; nobody is subscribed to the channel of the second one.
fn abandoned() -> Desk {
    let beta = World {
        clients: 0,
        ..World::new("beta", 30, 60_000, 1000)
    };
    Desk::of(vec![World::new("alpha", 30, 90_000, 1000), beta])
}

#[test]
fn a_queue_that_nobody_serves_gets_worse_and_comes_first() {
    let mut desk = abandoned();
    let row = |desk: &Desk, name: &str| {
        let mut rows = desk.model.queues.iter();
        rows.find(|row| row.queue == Queue::redisson(name))
            .unwrap()
            .clone()
    };
    assert_eq!(row(&desk, "beta").worst(), None);
    desk.live(5_000, 1);
    assert_eq!(row(&desk, "beta").worst(), Some(Severity::Note));
    assert!(!row(&desk, "beta").sick(desk.now()));
    desk.live(30_000, 1);
    assert_eq!(row(&desk, "beta").worst(), Some(Severity::Warning));
    assert!(row(&desk, "beta").sick(desk.now()));
    assert_eq!(desk.model.queues[0].queue, Queue::redisson("beta"));
    assert!((8..=RULES.len()).contains(&row(&desk, "alpha").fine));
    desk.live(40_000, 1);
    assert_eq!(row(&desk, "beta").worst(), Some(Severity::Critical));
    // A client is there, and transfers what is late.
    desk.world[1].clients = 1;
    desk.world[1].entries.clear();
    desk.live(5_000, 1);
    assert_eq!(row(&desk, "beta").worst(), None);
}

#[test]
fn the_cursor_stays_on_its_finding_when_a_worse_one_comes() {
    let mut desk = abandoned();
    desk.live(5_000, 1);
    desk.char('5');
    let under = |desk: &Desk| {
        let at = usize::try_from(desk.model.stand().cursor).unwrap();
        let told = findings::listed(&desk.model)[at];
        (told.row, told.finding.id)
    };
    let queue = |desk: &Desk| desk.model.queues[under(desk).0].queue.name.to_string();
    assert_eq!(queue(&desk), "beta");
    // Another queue loses its clients and has something late: it comes first.
    desk.world[0].clients = 0;
    desk.world[0].entries[0].1 = score(crate::desk::START.plus(-600_000));
    desk.live(5_000, 1);
    let first = findings::listed(&desk.model)[0];
    let first = desk.model.queues[first.row].queue.name.to_string();
    assert_eq!((first.as_str(), queue(&desk).as_str()), ("alpha", "beta"));
    // Where the user goes it goes.
    desk.press(Code::Home);
    assert_eq!(queue(&desk), "alpha");
}

/// Two queues that nobody serves: alpha, with something late, is worse than beta.
fn both_abandoned() -> Desk {
    let mut desk = abandoned();
    desk.live(5_000, 1);
    desk.world[0].clients = 0;
    desk.world[0].entries[0].1 = score(crate::desk::START.plus(-600_000));
    desk.live(5_000, 1);
    desk
}

/// The queue of the finding under the cursor, and whether that is over.
fn under_cursor(desk: &Desk) -> (String, bool) {
    let at = usize::try_from(desk.model.stands.findings.cursor).unwrap();
    let told = findings::listed(&desk.model)[at];
    let queue = desk.model.queues[told.row].queue.name.to_string();
    (queue, told.finding.gone.is_some())
}

fn selected(desk: &Desk) -> String {
    desk.model.selected().unwrap().queue.name.to_string()
}

#[test]
fn where_its_finding_is_over_the_cursor_stays_on_it_and_r_is_about_no_other_queue() {
    let mut desk = both_abandoned();
    desk.char('5');
    desk.press(Code::Home);
    assert_eq!(under_cursor(&desk), ("alpha".to_owned(), false));
    // A client comes, and transfers what is late.
    desk.world[0].clients = 1;
    desk.world[0].entries.remove(0);
    desk.live(5_000, 1);
    assert_eq!(under_cursor(&desk), ("alpha".to_owned(), true));
    assert_eq!(selected(&desk), "alpha");
    // As long as the cursor is there, it is told.
    desk.live(60_000, 1);
    assert_eq!(under_cursor(&desk), ("alpha".to_owned(), true));
    desk.char('R');
    let Some(Overlay::Repair(menu)) = &desk.model.overlay else {
        panic!("a menu");
    };
    assert_eq!(menu.queue, Queue::redisson("alpha"));
    // Also where the list around it changes.
    desk.press(Code::Esc);
    desk.world[1].clients = 1;
    desk.world[1].entries.remove(0);
    desk.live(40_000, 1);
    assert_eq!(under_cursor(&desk), ("alpha".to_owned(), true));
}

#[test]
fn what_is_repaired_keeps_its_place_under_the_cursor_and_the_next_key_goes_on_from_there() {
    let mut desk = both_abandoned();
    // Both are equally bad, and alpha has waited for longer.
    desk.world[1].entries[0].1 = score(desk.now().plus(-300_000));
    desk.live(5_000, 1);
    desk.char('5');
    desk.press(Code::Home);
    let place = |desk: &Desk| desk.model.stands.findings.cursor;
    assert_eq!((place(&desk), under_cursor(&desk).0.as_str()), (0, "alpha"));
    desk.world[0].clients = 1;
    desk.world[0].entries.remove(0);
    desk.live(2_000, 1);
    let over = ("alpha".to_owned(), true);
    assert_eq!((place(&desk), under_cursor(&desk)), (0, over.clone()));
    desk.press(Code::Down);
    assert_eq!(under_cursor(&desk), ("beta".to_owned(), false));
    assert_eq!(place(&desk), 0, "what is over has gone to the end");
    // There it stays, whoever comes to it.
    desk.press(Code::Down);
    assert_eq!((place(&desk), under_cursor(&desk)), (1, over));
    desk.live(300, 1);
    assert_eq!(place(&desk), 1);
    desk.press(Code::Up);
    desk.char('R');
    let Some(Overlay::Repair(menu)) = &desk.model.overlay else {
        panic!("a menu");
    };
    assert_eq!(menu.queue, Queue::redisson("beta"));
}

#[test]
fn rows_of_equal_findings_stand_still_while_one_of_the_queues_is_late_for_moments() {
    let mut desk = abandoned();
    desk.live(1_000, 1);
    for row in &mut desk.model.queues {
        row.findings = vec![Finding::new("drift", Severity::Warning, "They differ.")];
    }
    let first = |desk: &mut Desk, late_ms: i64| {
        let since = desk.model.now.plus(-late_ms);
        let beta = Queue::redisson("beta");
        let row = desk.model.queues.iter_mut().find(|row| row.queue == beta);
        row.unwrap().pulse.as_mut().unwrap().oldest_late = Some(since);
        let first = findings::listed(&desk.model)[0].row;
        desk.model.queues[first].queue.name.to_string()
    };
    for late_ms in [0, 500, 9_999] {
        assert_eq!(first(&mut desk, late_ms), "alpha", "late by {late_ms} ms");
    }
    assert_eq!(first(&mut desk, 10_000), "beta");
}

#[test]
fn a_queue_that_is_well_again_stands_right_behind_those_that_are_not() {
    let world = |name: &str| World::new(name, 30, 600_000, 1000);
    let sick = World {
        clients: 0,
        entries: vec![(b"x".to_vec(), score(crate::desk::START.plus(-600_000)))],
        ..world("zeta")
    };
    let mut desk = Desk::of(vec![world("alpha"), world("beta"), sick]);
    let names = |desk: &Desk| -> Vec<String> {
        let rows = desk.model.queues.iter();
        rows.map(|row| row.queue.name.to_string()).collect()
    };
    desk.live(30_000, 1);
    assert_eq!(names(&desk), ["zeta", "alpha", "beta"]);
    desk.world[2].clients = 1;
    desk.world[2].entries.clear();
    desk.live(20_000, 1);
    assert_eq!(desk.model.queues[0].worst(), None);
    assert_eq!(names(&desk), ["zeta", "alpha", "beta"]);
    // As long as it is selected it takes no other one out of sight.
    assert_eq!(selected(&desk), "zeta");
    desk.live(90_000, 1);
    assert_eq!(names(&desk), ["zeta", "alpha", "beta"]);
    desk.press(Code::Down);
    desk.live(20_000, 1);
    assert_eq!(names(&desk), ["alpha", "beta", "zeta"]);
}

#[test]
fn the_queue_of_the_finding_under_the_cursor_is_the_selected_one() {
    let mut desk = both_abandoned();
    desk.char('5');
    desk.press(Code::Home);
    assert_eq!(
        (under_cursor(&desk).0, selected(&desk)),
        ("alpha".into(), "alpha".into())
    );
    desk.press(Code::Down);
    assert_eq!(
        (under_cursor(&desk).0, selected(&desk)),
        ("beta".into(), "beta".into())
    );
    // From the table it goes the same way.
    desk.press(Code::Tab);
    while desk.model.focus != Pane::Queues {
        desk.press(Code::Tab);
    }
    desk.press(Code::Home);
    assert_eq!(
        (under_cursor(&desk).0, selected(&desk)),
        ("alpha".into(), "alpha".into())
    );
    desk.char('R');
    let Some(Overlay::Repair(menu)) = &desk.model.overlay else {
        panic!("a menu");
    };
    assert_eq!(menu.queue, Queue::redisson("alpha"));
}

#[test]
fn a_key_that_changes_is_about_the_queue_whose_finding_is_read() {
    for key in ['w', 't', 'R'] {
        let mut desk = abandoned();
        desk.world[1].entries[0].1 = score(crate::desk::START.plus(-600_000));
        desk.live(5_000, 1);
        desk.press(Code::End);
        desk.live(20_000, 1);
        while selected(&desk) != "alpha" {
            desk.press(Code::Down);
            if selected(&desk) != "alpha" {
                desk.press(Code::Home);
            }
        }
        desk.char('5');
        assert_eq!(
            (under_cursor(&desk).0, selected(&desk)),
            ("beta".into(), "alpha".into())
        );
        desk.char(key);
        assert_eq!(selected(&desk), "beta", "{key}");
    }
}

#[test]
fn the_findings_begin_at_what_is_wrong_with_the_selected_queue() {
    let mut desk = both_abandoned();
    desk.press(Code::End);
    assert_eq!(selected(&desk), "beta");
    desk.char('5');
    assert_eq!(
        (under_cursor(&desk).0, selected(&desk)),
        ("beta".into(), "beta".into())
    );
}

#[test]
fn enter_on_a_finding_leads_to_its_queue() {
    let mut desk = abandoned();
    desk.live(5_000, 1);
    desk.char('5');
    assert_eq!(desk.model.focus, Pane::Entries);
    desk.press(Code::Enter);
    let selected = desk.model.selected().unwrap();
    assert_eq!(selected.queue, Queue::redisson("beta"));
    assert!(matches!(desk.model.screen, Screen::Queue));
    assert_eq!(desk.model.tab, Tab::Waiting);
}

/// A queue of 500 with a finding about one of its entries, on the tab of findings; that entry.
fn accused(place: usize, due: f64) -> (Desk, Vec<u8>) {
    let mut world = World::new("orders", 500, 60_000, 1000);
    world.entries[place].1 = due;
    world.entries.sort_by(|a, b| a.1.total_cmp(&b.1));
    let guilty = world
        .entries
        .iter()
        .find(|(_, score)| score.total_cmp(&due).is_eq());
    let (guilty, score) = guilty.unwrap().clone();
    let id = world.queue.id(&guilty);
    let mut desk = Desk::of(vec![world]);
    let mut found = Finding::new("poison", Severity::Critical, "One entry blocks all.");
    found.suspects = vec![Suspect {
        id,
        score,
        says: None,
    }];
    desk.model.queues[0].findings = vec![found];
    desk.char('5');
    (desk, guilty)
}

#[test]
fn enter_on_a_finding_puts_the_cursor_on_the_guilty_entry_wherever_it_stands() {
    let far = score(crate::desk::START.plus(60_000 + 400_000));
    for due in [far, 9.2e18, -9.2e18] {
        let (mut desk, guilty) = accused(400, due);
        desk.press(Code::Enter);
        desk.answer_all();
        assert_eq!(desk.model.tab, Tab::Waiting);
        assert_eq!(under(&desk), guilty, "{due}");
        assert!(desk.model.toast.is_none());
    }
}

#[test]
fn a_guilty_entry_that_has_gone_meanwhile_is_told() {
    let far = score(crate::desk::START.plus(60_000 + 400_000));
    let (mut desk, guilty) = accused(400, far);
    desk.world[0]
        .entries
        .retain(|(member, _)| *member != guilty);
    desk.press(Code::Enter);
    desk.answer_all();
    let said = desk.model.toast.unwrap().text;
    assert!(said.ends_with("is no longer there"), "{said}");
}

#[test]
fn every_tab_is_reached_by_its_key_and_by_a_click() {
    for (i, tab) in Tab::ALL.into_iter().enumerate() {
        let mut desk = Desk::of(vec![world()]);
        let key = char::from_digit(u32::try_from(i).unwrap() + 1, 10).unwrap();
        desk.char(key);
        assert_eq!((desk.model.tab, desk.model.focus), (tab, Pane::Entries));

        let mut desk = super::nodes::desk();
        // Where there is room for all of them.
        desk.model.size = (200, 60);
        let survey = desk.model.queues[0].survey.as_mut().unwrap();
        survey.quarantined = Some(2);
        let (x, y) = cell_of(&desk.model, Target::Tab(tab)).unwrap();
        desk.tell(Msg::Clicked(x, y));
        assert_eq!(desk.model.tab, tab);
    }
}

#[test]
fn the_tab_of_an_empty_quarantine_is_in_the_bar_where_there_is_room() {
    let mut desk = Desk::of(vec![world()]);
    let shows = |desk: &Desk| {
        let slot = layout::areas(&desk.model).entries;
        let bar = tabs::place::bar(&desk.model, slot);
        let label = bar.labels.into_iter().find(|l| l.tab == Tab::Quarantine);
        label.map(|label| format!("{}{}", label.name, label.badge))
    };
    desk.model.size = (200, 60);
    assert_eq!(shows(&desk).as_deref(), Some("7 quarantine"));
    desk.model.size = (80, 24);
    assert_eq!(shows(&desk), None);
    desk.model.queues[0].survey.as_mut().unwrap().quarantined = Some(2);
    assert_eq!(shows(&desk).as_deref(), Some("7 2"));
    // Its key leads there all the same.
    desk.model.queues[0].survey.as_mut().unwrap().quarantined = Some(0);
    desk.char('7');
    assert_eq!(shows(&desk).as_deref(), Some("7 quarantine"));
}

#[test]
fn names_of_tabs_never_change_and_the_findings_say_whose_they_are() {
    let mut desk = Desk::of(vec![world()]);
    let other = desk.model.queues[0].clone();
    desk.model.queues.push(other);
    desk.model.screen = Screen::Dashboard;
    let found = |id| Finding::new(id, Severity::Warning, "It is so.");
    desk.model.queues[0].findings = vec![found("ttl")];
    desk.model.queues[1].findings = vec![found("ttl"), found("drift")];
    for w in 80..=200 {
        desk.model.size = (w, 40);
        let slot = layout::areas(&desk.model).entries;
        let bar = tabs::place::bar(&desk.model, slot);
        for label in bar.labels {
            let name = label.name.split_once(' ').map_or("", |(_, name)| name);
            assert!(["", label.tab.label()].contains(&name), "{w}: {label:?}");
            if label.tab == Tab::Findings {
                assert!(
                    [" 1 of 3", " 1/3"].contains(&&*label.badge),
                    "{w}: {label:?}"
                );
            }
        }
    }
}

#[test]
fn since_when_something_is_in_quarantine_is_asked_once_for_what_is_new() {
    let mut quarantined = world();
    quarantined.quarantine = vec![(member(500), 1.0), (member(501), 2.0)];
    let mut desk = Desk::of(vec![quarantined]);
    let asks = |effects: &[Effect]| {
        let asks = effects
            .iter()
            .filter(|e| matches!(e, Effect::Lists(lists::Effect::ReadSince(_))));
        asks.count()
    };
    desk.char('7');
    assert_eq!(asks(&desk.live(10, 1)), 1);
    assert_eq!(under(&desk), member(500));
    assert_eq!(asks(&desk.live(3_000, 1)), 0);
    desk.world[0].quarantine.push((member(502), 3.0));
    assert_eq!(asks(&desk.live(3_000, 1)), 1);
}

#[test]
fn what_follows_from_another_finding_is_not_shown_without_that_one() {
    let mut desk = Desk::of(vec![world()]);
    let cause = Finding::new("score-range", Severity::Critical, "It is so.");
    let mut effect = Finding::new("stuck-client", Severity::Critical, "Same cause: it is so.");
    effect.follows = Some("score-range");
    desk.model.queues[0].findings = vec![cause, effect];
    desk.model.tab = Tab::Findings;
    desk.model.stands.findings = lists::Stand { top: 1, cursor: 1 };
    desk.tell(Msg::Resized(120, 40));
    assert_eq!(
        desk.model.stands.findings,
        lists::Stand { top: 0, cursor: 1 }
    );
}

#[test]
fn by_how_many_the_lists_differ_is_the_count_that_the_finding_tells() {
    let mut desk = Desk::of_one(20);
    let mut order: Vec<Vec<u8>> = (5..20).map(member).collect();
    order.extend((500..511).map(member));
    desk.world[0].order = Some(order);
    desk.live(8_000, 1);
    let picture = text_of(&desk.model);
    assert!(
        picture.contains("≠ 6") && picture.contains("≠6"),
        "{picture}"
    );
    // A look at all members has found 11 strays, and 5 that the list lacks.
    let mut drift = Finding::new("drift", Severity::Warning, "11 entries have no due time.");
    drift
        .evidence
        .figures
        .insert("only_in_order".to_owned(), 11.into());
    desk.model.queues[0].findings = vec![drift];
    let picture = text_of(&desk.model);
    assert!(
        picture.contains("≠ 11") && picture.contains("≠11"),
        "{picture}"
    );
}
