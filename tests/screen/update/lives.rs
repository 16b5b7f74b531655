//! The lives of messages.

use std::sync::Arc;
use std::time::Duration;

use delayscope::queue::Due;
use delayscope::queue::look::Client;
use delayscope::queue::text;
use delayscope::trace::ClientNames;
use delayscope::trace::life::Moment;
use delayscope::trace::{Event, EventKind, TracedMessage};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::Code;
use delayscope::tui::lives;
use delayscope::tui::model::{Overlay, Pane};
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;
use delayscope::tui::view;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use delayscope::tui::hitmap::Target;

use crate::desk::{Desk, World, cell_of};

/// The rows of the picture.
fn rows(desk: &Desk) -> Vec<String> {
    let (columns, rows) = desk.model.size;
    let area = Rect::new(0, 0, columns, rows);
    let mut buf = Buffer::empty(area);
    view::render(&desk.model, area, &mut buf);
    let row = |y| (0..columns).map(|x| buf[(x, y)].symbol()).collect();
    (0..rows).map(row).collect()
}

/// The lane of the message with that text.
fn lane(desk: &Desk, text: &str) -> String {
    lanes(desk, text).swap_remove(0)
}

/// All lanes of messages with that text.
fn lanes(desk: &Desk, text: &str) -> Vec<String> {
    let rows = rows(desk);
    let its = rows.iter();
    let its = its.filter(|row| row.contains(text) && row.contains("due "));
    let lanes: Vec<String> = its.cloned().collect();
    assert!(!lanes.is_empty(), "{text}: {rows:#?}");
    lanes
}

/// Three messages, due after 2, 4 and 6 s.
fn three() -> Desk {
    Desk::of(vec![World::new("orders", 3, 2_000, 2_000)])
}

#[test]
fn the_life_of_a_message_goes_on_as_refreshes_see_it() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    assert!(
        lane(&desk, "entry 0").contains(" in "),
        "{:#?}",
        rows(&desk)
    );
    desk.live(2_500, 1);
    assert!(lane(&desk, "entry 0").contains("late "));
    // It is transferred, and then taken.
    desk.world[0].entries.remove(0);
    desk.world[0].target.push(b"entry 0".to_vec());
    desk.live(1_500, 1);
    let seen = lane(&desk, "entry 0");
    assert!(
        seen.contains("transferred +") && seen.contains("in target, or taken"),
        "{seen}"
    );
    desk.world[0].target.clear();
    desk.live(1_500, 1);
    assert!(lane(&desk, "entry 0").contains("taken +"));
    let still = lane(&desk, "entry 2");
    assert!(!still.contains("transferred"), "{still}");
    desk.press(Code::Esc);
    assert!(desk.model.overlay.is_none());
}

#[test]
fn what_leaves_before_it_is_due_was_not_transferred_in_its_time() {
    let mut desk = three();
    desk.live(500, 1);
    desk.world[0].entries.remove(0);
    desk.live(1_200, 1);
    desk.char('T');
    let lane = lane(&desk, "entry 0");
    assert!(
        lane.contains("left 22:13:21: polled, moved, removed or lost"),
        "{lane}"
    );
}

#[test]
fn what_the_screen_cannot_know_is_said_with_the_command_that_does() {
    let mut desk = three();
    desk.model.size = (80, 24);
    desk.char('T');
    let rows = rows(&desk).concat();
    assert!(rows.contains("cannot be seen so"), "{rows}");
    assert!(rows.contains("delayscope trace orders"), "{rows}");
    assert!(matches!(desk.model.overlay, Some(Overlay::Lives { .. })));
    desk.char('T');
    assert!(desk.model.overlay.is_none());
}

#[test]
fn the_lives_of_another_queue_are_its_own() {
    let mut desk = Desk::of(vec![
        World::new("orders", 3, 60_000, 1_000),
        World::new("zeta", 1, 90_000, 1_000),
    ]);
    desk.live(1_000, 1);
    let seen = desk.model.lives.all.clone();
    assert_eq!(seen.len(), 3);
    desk.press(Code::Down);
    desk.live(2_000, 1);
    assert_eq!(desk.model.lives.all.len(), 1);
    // Nothing is forgotten of the first one.
    desk.press(Code::Up);
    desk.live(3_000, 1);
    assert_eq!(desk.model.lives.all, seen);
}

#[test]
fn messages_that_wait_and_were_not_in_sight_are_counted() {
    let mut desk = Desk::of(vec![World::new("orders", 500, 2_000, 2_000)]);
    desk.model.size = (80, 24);
    desk.live(1_000, 1);
    desk.char('T');
    let told = rows(&desk).concat();
    let known = desk.model.lives.all.len();
    assert!((1..500).contains(&known), "{known}");
    let words = format!("{} more wait, not in sight so far", 500 - known);
    assert!(told.contains(&words), "{told}");
}

#[test]
fn below_the_depths_a_strip_shows_how_late_messages_left_in_the_last_minutes() {
    for size in [(120, 40), (200, 60)] {
        let mut desk = three();
        desk.model.size = size;
        let strip = |desk: &Desk| {
            let page = rows(desk);
            let line = page.iter().find(|row| row.contains(" late by   "));
            line.unwrap_or_else(|| panic!("{page:#?}")).clone()
        };
        desk.live(1_000, 1);
        assert!(!strip(&desk).contains("at most"), "{}", strip(&desk));
        desk.live(2_500, 1);
        desk.world[0].entries.remove(0);
        desk.live(1_500, 1);
        let late = desk.model.queues[0].watch.lateness.recent().unwrap();
        let told = format!(" {} ", text::span(late.max.most.unsigned_abs()));
        let strip = strip(&desk);
        assert!(
            strip.contains(&told) && strip.contains("at most"),
            "{strip}"
        );
        assert_eq!(strip.matches('▇').count(), 1, "{strip}");
    }
}

#[test]
fn how_late_messages_leave_is_on_the_page_of_the_queue_with_its_error() {
    for size in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = three();
        desk.model.size = size;
        desk.live(1_000, 1);
        assert!(!rows(&desk).concat().contains("p95"), "{size:?}");
        desk.live(2_500, 1);
        desk.world[0].entries.remove(0);
        desk.live(1_500, 1);
        let page = rows(&desk).concat();
        let late = desk.model.queues[0].watch.lateness.recent().unwrap();
        assert_eq!(late.count, 1);
        assert!(
            late.p50.least > 0 && late.p50.most >= late.p50.least + 900,
            "{late:?}"
        );
        assert!(
            page.contains("p50 ") && page.contains(", p95 "),
            "{size:?} {page}"
        );
        assert!(page.contains('±'), "{size:?} {page}");
    }
}

/// The picture while the opened entry is not in timeouts any more.
fn gone(desk: &mut Desk) -> String {
    for _ in 0..3 {
        desk.live(1_100, 1);
    }
    rows(desk).concat()
}

#[test]
fn an_opened_entry_that_is_gone_says_where_to_as_far_as_it_was_seen() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.press(Code::Enter);
    desk.press(Code::Enter);
    desk.live(1_500, 1);
    desk.world[0].entries.remove(0);
    desk.world[0].target.push(b"entry 0".to_vec());
    let there = gone(&mut desk);
    assert!(there.contains("in target or taken"), "{there}");
    // Nothing of it is late any more.
    assert!(!there.contains("late 0:"), "{there}");
    desk.world[0].target.clear();
    let taken = gone(&mut desk);
    assert!(taken.contains(", taken "), "{taken}");
    let mut early = three();
    early.live(500, 1);
    early.press(Code::Enter);
    early.press(Code::Enter);
    early.world[0].entries.remove(0);
    early.live(600, 1);
    early.live(600, 1);
    let early = rows(&early).concat();
    assert!(early.contains("before it was due: polled"), "{early}");
}

#[test]
fn an_opened_entry_that_is_gone_says_by_whom_where_monitor_has_told_it() {
    for (kind, told) in [
        (transferred(1, 1, false), "transferred by 10.0.0.2:5002 2"),
        (EventKind::Removed, "removed by 10.0.0.2:5002, 2"),
    ] {
        let mut desk = three();
        desk.live(2_500, 1);
        let mut monitored = Monitored::of(desk);
        let (member, _) = monitored.desk.world[0].entries.remove(0);
        monitored.happens(&member, FIRST, kind);
        let mut desk = monitored.desk;
        desk.press(Code::Esc);
        desk.press(Code::Enter);
        desk.press(Code::Enter);
        let there = gone(&mut desk);
        assert!(there.contains(told), "{there}");
    }
}

#[test]
fn lives_open_with_the_cursor_on_the_entry_that_has_it() {
    // The twelfth of them has no lane by itself.
    let mut desk = Desk::of(vec![World::new("orders", 20, 20_000, 1_000)]);
    desk.live(1_000, 1);
    desk.model.focus = Pane::Entries;
    for _ in 0..11 {
        desk.press(Code::Down);
    }
    desk.char('T');
    let lane = lane(&desk, "entry 11");
    assert!(lane.contains('▌'), "{lane}");
    desk.press(Code::Enter);
    let all = rows(&desk).concat();
    assert!(all.contains("Life of a message") && all.contains("entry 11"));
    // Esc goes back step by step.
    desk.press(Code::Esc);
    assert!(rows(&desk).concat().contains("Lives of messages"));
    desk.press(Code::Esc);
    assert!(desk.model.overlay.is_none());
}

#[test]
fn the_cursor_stays_on_its_life_while_others_come_and_go() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    desk.press(Code::Up);
    let under = |desk: &Desk| {
        let rows = rows(desk);
        let row = rows
            .iter()
            .find(|row| row.contains('▌') && row.contains("due "));
        row.unwrap_or_else(|| panic!("{rows:#?}")).clone()
    };
    assert!(under(&desk).contains("entry 1"), "{}", under(&desk));
    desk.live(2_500, 1);
    desk.world[0].entries.remove(0);
    desk.live(1_500, 1);
    assert!(under(&desk).contains("entry 1"), "{}", under(&desk));
}

#[test]
fn a_filter_that_is_typed_over_the_lives_is_on_until_esc_takes_it_away() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    desk.char('/');
    desk.type_in("entry 2");
    desk.press(Code::Enter);
    let all = rows(&desk).concat();
    assert!(
        all.contains("/entry 2") && all.contains("1 of 3 match"),
        "{all}"
    );
    let seen = rows(&desk);
    assert!(
        !seen
            .iter()
            .any(|row| row.contains("entry 0") && row.contains("seen "))
    );
    // A line that is given up leaves the one before.
    desk.char('/');
    desk.type_in("x");
    desk.press(Code::Esc);
    assert!(rows(&desk).concat().contains("1 of 3 match"));
    desk.press(Code::Esc);
    assert!(!rows(&desk).concat().contains("match"));
    assert!(desk.model.overlay.is_some());
}

#[test]
fn a_click_chooses_a_life_and_one_on_the_chosen_one_opens_it() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    let (x, y) = cell_of(&desk.model, Target::Life(1)).unwrap();
    desk.tell(Msg::Clicked(x, y));
    assert!(lane(&desk, "entry 1").contains('▌'));
    desk.tell(Msg::Clicked(x, y));
    let all = rows(&desk).concat();
    assert!(all.contains("Life of a message") && all.contains("entry 1"));
}

#[test]
fn a_member_that_is_offered_again_has_a_lane_of_its_own() {
    let mut desk = three();
    desk.live(2_500, 1);
    let mut monitored = Monitored::of(desk);
    let (member, score) = monitored.desk.world[0].entries.remove(0);
    monitored.happens(&member, FIRST, transferred(1, 1, false));
    let waited_us = Some(0);
    monitored.happens(&member, FIRST, EventKind::Consumed { waited_us });
    let due = Due::At(monitored.desk.now().plus(5_000));
    monitored.happens(&member, "10.0.0.1:5001", EventKind::Offered { due });
    let lanes = lanes(&monitored.desk, "entry 0");
    assert_eq!(lanes.len(), 2, "{lanes:#?}");
    assert!(lanes[0].contains("offered ") && lanes[0].contains(" in "));
    assert!(lanes[1].contains(" taken +"), "{lanes:#?}");
    // A refresh sees the same.
    let mut unseen = three();
    unseen.live(2_500, 1);
    unseen.char('T');
    unseen.world[0].entries.remove(0);
    unseen.live(1_500, 1);
    unseen.world[0].entries.push((member, score + 60_000.0));
    unseen.live(1_500, 1);
    let lanes = self::lanes(&unseen, "entry 0");
    assert_eq!(lanes.len(), 2, "{lanes:#?}");
}

#[test]
fn a_requeue_is_told_with_who_made_it_and_does_not_take_back_the_offer() {
    let mut desk = three();
    desk.live(500, 1);
    let mut monitored = Monitored::of(desk);
    let new = b"\x08\x00\x00\x00\x00\x00\x00\x00\x09\x03\x00\x00\x00\x00\x00\x00\x00new";
    let at = |desk: &Desk, ms| Due::At(desk.now().plus(ms));
    let due = at(&monitored.desk, 5_000);
    monitored.happens(new, "10.0.0.1:5001", EventKind::Offered { due });
    let due = at(&monitored.desk, 60_000);
    monitored.happens(new, FIRST, EventKind::Requeued { due });
    monitored.desk.model.size = (200, 60);
    let lane = lane(&monitored.desk, "new ");
    assert!(lane.contains("offered "), "{lane}");
    assert!(lane.contains("requeued by 10.0.0.2:5002"), "{lane}");
}

#[test]
fn what_a_refresh_took_for_taken_is_what_monitor_tells_of_it() {
    let mut desk = three();
    desk.live(2_500, 1);
    let mut monitored = Monitored::of(desk);
    let (member, _) = monitored.desk.world[0].entries.remove(0);
    monitored.desk.live(1_500, 1);
    assert!(lane(&monitored.desk, "entry 0").contains(" taken +"));
    monitored.happens(&member, FIRST, EventKind::Removed);
    let lane = lane(&monitored.desk, "entry 0");
    assert!(lane.contains("removed by 10.0.0.2:5002"), "{lane}");
    monitored.desk.press(Code::Enter);
    let card = rows(&monitored.desk).concat();
    assert!(
        card.contains("removed by") && !card.contains("taken,"),
        "{card}"
    );
}

#[test]
fn of_a_member_that_nobody_can_unpack_no_transfer_is_told() {
    let mut desk = three();
    let (_, due) = desk.world[0].entries[0].clone();
    desk.world[0].entries.insert(0, (b"no frame".to_vec(), due));
    desk.live(2_500, 1);
    desk.char('T');
    desk.world[0].entries.remove(0);
    desk.live(1_500, 1);
    let lane = lane(&desk, "no frame");
    assert!(lane.contains(": transferred or removed"), "{lane}");
}

#[test]
fn arrows_lead_from_an_opened_life_to_the_next_one() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    desk.press(Code::Enter);
    assert!(
        rows(&desk).concat().contains("entry 0 "),
        "{:#?}",
        rows(&desk)
    );
    desk.press(Code::Up);
    let all = rows(&desk).concat();
    assert!(all.contains("Life of a message"), "{all}");
    let payload = rows(&desk).into_iter().find(|row| row.contains("payload "));
    assert!(payload.unwrap().contains("entry 1"));
}

#[test]
fn a_question_about_monitor_leads_back_to_the_life_that_it_was_asked_on() {
    let mut desk = three();
    desk.live(1_000, 1);
    desk.char('T');
    desk.press(Code::Enter);
    desk.char('M');
    let price = lives::MonitorPrice {
        node: None,
        now: delayscope::queue::Known::Is(3),
        span: Duration::from_secs(30),
        most: 20_000,
        buffer: 16_000_000,
    };
    let queue = desk.world[0].queue.clone();
    desk.tell(Msg::Lives(lives::Msg::Priced(queue, Ok(price))));
    assert!(matches!(desk.model.overlay, Some(Overlay::Dialog(_))));
    desk.press(Code::Esc);
    assert!(rows(&desk).concat().contains("Life of a message"));
}

#[test]
fn of_what_left_while_nobody_transfers_no_transfer_is_told() {
    let mut desk = three();
    desk.world[0].clients = 0;
    desk.live(2_500, 1);
    desk.char('T');
    desk.world[0].entries.remove(0);
    desk.live(1_500, 1);
    let lane = lane(&desk, "entry 0");
    assert!(lane.contains(": transferred or removed"), "{lane}");
    assert!(!lane.contains(" taken"), "{lane}");
}

const FIRST: &str = "10.0.0.2:5002";

/// MONITOR, running for the queue of a desk.
struct Monitored {
    desk: Desk,
    generation: u64,
    names: ClientNames,
}

impl Monitored {
    fn of(mut desk: Desk) -> Self {
        let agreed = lives::Msg::Agreed(desk.world[0].queue.clone());
        let effects = desk.tell(Msg::Lives(agreed));
        let begun = effects.iter().find_map(|effect| match effect {
            Effect::Lives(lives::Effect::Start(generation, _)) => Some(*generation),
            _ => None,
        });
        let generation = begun.unwrap();
        let span = Duration::from_secs(30);
        desk.tell(Msg::Lives(lives::Msg::Began(generation, span)));
        Self {
            desk,
            generation,
            names: ClientNames::default(),
        }
    }

    /// Now, by that client.
    fn moment(&self, by: &str) -> Moment {
        Moment {
            at_us: Some(self.desk.now().get() * 1_000),
            by: Some(by.as_bytes().into()),
        }
    }

    /// That happened to the message with this member.
    fn happens(&mut self, member: &[u8], by: &str, kind: EventKind) {
        let queue = Arc::new(self.desk.world[0].queue.clone());
        let Moment { at_us, by } = self.moment(by);
        let event = Event {
            at_us,
            queue: queue.clone(),
            db: 0,
            message: Some(Arc::new(TracedMessage {
                queue,
                db: 0,
                member: member.into(),
            })),
            by,
            kind,
            is_presumed: false,
        };
        let happened = lives::Msg::Happened(self.generation, vec![event], self.names.clone());
        self.desk.tell(Msg::Lives(happened));
    }
}

fn transferred(place: usize, of: usize, stays: bool) -> EventKind {
    EventKind::Transferred {
        late_us: Some(0),
        place,
        of,
        stays,
    }
}

#[test]
fn each_message_of_a_transfer_tells_who_was_first_and_who_ran_it_in_vain() {
    let mut desk = three();
    desk.live(1_000, 1);
    let mut monitored = Monitored::of(desk);
    monitored.desk.live(3_500, 1);
    let moved: Vec<_> = monitored.desk.world[0].entries.drain(..2).collect();
    for (place, (member, _)) in (1..).zip(&moved) {
        monitored.happens(member, FIRST, transferred(place, 2, false));
    }
    // It is told of the first one.
    for by in ["10.0.0.1:5001", "10.0.0.3:5003"] {
        let won = monitored.moment(FIRST);
        monitored.happens(&moved[0].0, by, EventKind::InVain { won });
    }
    let mut desk = monitored.desk;
    for (size, told) in [
        ((120, 40), " by 10.0.0.2:5002, 2 in vain"),
        ((200, 60), ", 2 in vain (10.0.0.1:5001, 10.0.0.3:5003)"),
    ] {
        desk.model.size = size;
        for text in ["entry 0", "entry 1"] {
            let lane = lane(&desk, text);
            assert!(lane.contains(told), "{lane}");
        }
    }
}

#[test]
fn of_rivals_that_run_in_vain_again_and_again_each_is_named_once_and_eight_at_most() {
    let mut desk = three();
    desk.live(1_000, 1);
    let mut monitored = Monitored::of(desk);
    let (member, _) = monitored.desk.world[0].entries.remove(0);
    monitored.happens(&member, FIRST, transferred(1, 1, false));
    for n in 0..100 {
        let won = monitored.moment(FIRST);
        let by = format!("10.0.0.{}:5001", n % 20);
        monitored.happens(&member, &by, EventKind::InVain { won });
    }
    let lane = lane(&monitored.desk, "entry 0");
    assert!(lane.contains(", 8 in vain"), "{lane}");
}

#[test]
fn clients_are_called_by_their_names_with_the_address_where_there_is_room() {
    let mut desk = three();
    desk.live(1_000, 1);
    let mut monitored = Monitored::of(desk);
    for (addr, name, version) in [(FIRST, "mail-1", "3.52.0"), ("10.0.0.1:5001", "mail-2", "")] {
        monitored.names.know(&Client {
            addr: addr.to_owned(),
            name: name.to_owned(),
            lib_name: "redisson".to_owned(),
            lib_version: version.to_owned(),
            ..Client::default()
        });
    }
    monitored.desk.live(2_500, 1);
    let (member, _) = monitored.desk.world[0].entries.remove(0);
    monitored.happens(&member, FIRST, transferred(1, 1, false));
    let won = monitored.moment(FIRST);
    for by in ["10.0.0.1:5001", "10.0.0.3:5003"] {
        let won = won.clone();
        monitored.happens(&member, by, EventKind::InVain { won });
    }
    let mut desk = monitored.desk;
    for (size, told) in [
        ((120, 40), " by mail-1, 2 in vain"),
        (
            (200, 60),
            " by mail-1 (10.0.0.2:5002), 2 in vain (mail-2, 10.0.0.3:5003)",
        ),
    ] {
        desk.model.size = size;
        let lane = lane(&desk, "entry 0");
        assert!(lane.contains(told), "{lane}");
    }
}

#[test]
fn an_announcement_that_nobody_heard_is_told() {
    let mut desk = three();
    desk.live(1_000, 1);
    let mut monitored = Monitored::of(desk);
    let member = monitored.desk.world[0].entries[0].0.clone();
    for (to, told) in [
        (Some(0), " ─ announced to nobody ─ due "),
        (Some(2), " ─ announced ─ due "),
    ] {
        monitored.happens(&member, FIRST, EventKind::Announced { to });
        let lane = lane(&monitored.desk, "entry 0");
        assert!(lane.contains(told), "{lane}");
    }
}

#[test]
fn a_message_that_failing_transfers_deliver_again_and_again_says_how_often_it_was_taken() {
    let mut desk = three();
    desk.live(3_000, 1);
    let member = desk.world[0].entries[0].0.clone();
    let mut monitored = Monitored::of(desk);
    for _ in 0..2 {
        monitored.happens(&member, FIRST, transferred(1, 1, true));
        let waited_us = Some(0);
        monitored.happens(&member, FIRST, EventKind::Consumed { waited_us });
    }
    let lane = lane(&monitored.desk, "entry 0");
    let words = " pushed 2 times, taken 2 times, and still here late ";
    assert!(lane.contains(words), "{lane}");
}

#[test]
fn a_count_stands_behind_what_it_counts_however_narrow_the_screen_is() {
    let mut desk = three();
    desk.live(3_000, 1);
    let mut monitored = Monitored::of(desk);
    let (member, _) = monitored.desk.world[0].entries.remove(0);
    let waited_us = Some(0);
    for stays in [true, true, true, false] {
        monitored.happens(&member, FIRST, transferred(1, 1, stays));
        monitored.happens(&member, FIRST, EventKind::Consumed { waited_us });
    }
    for columns in 70..200 {
        monitored.desk.model.size = (columns, 40);
        let lane = lane(&monitored.desk, "entry 0");
        assert!(!lane.contains("times, 4 times"), "{columns}: {lane}");
        assert!(lane.contains(", 4 times"), "{columns}: {lane}");
    }
}

#[test]
fn another_end_of_a_message_is_told_with_who_made_it_and_its_time() {
    let mut desk = three();
    desk.live(1_000, 1);
    let mut monitored = Monitored::of(desk);
    let (member, _) = monitored.desk.world[0].entries.remove(0);
    monitored.happens(&member, FIRST, EventKind::Polled);
    let lane = lane(&monitored.desk, "entry 0");
    let words = format!("polled away before its transfer by {FIRST}, ");
    let (_, at) = lane.split_once(&words).unwrap_or_else(|| panic!("{lane}"));
    assert_eq!(at.chars().filter(|sign| *sign == ':').count(), 2, "{lane}");
}

#[test]
fn monitor_ends_with_the_lives_that_it_was_for_and_that_is_told() {
    let mut desk = Monitored::of(three()).desk;
    desk.live(1_000, 1);
    let effects = desk.press(Code::Esc);
    assert!(effects.contains(&Effect::Lives(lives::Effect::End)));
    let told = rows(&desk).concat();
    let why = "the lives of messages were closed";
    let words = format!("MONITOR of orders has ended: {why}");
    assert!(told.contains(&words), "{told}");
    desk.live(1_000, 1);
    desk.char('T');
    let told = rows(&desk).concat();
    assert!(told.contains(&format!("MONITOR ended: {why}")), "{told}");
}

#[test]
fn of_a_message_whose_due_time_nobody_saw_none_is_told() {
    let mut monitored = Monitored::of(three());
    let kind = transferred(1, 1, false);
    // Its member is no frame: it is called by what it is.
    monitored.happens(b"entry 77", FIRST, kind);
    let lane = lane(&monitored.desk, "entry 77");
    assert!(lane.contains("due time not seen"), "{lane}");
    assert!(
        lane.contains(" transferred 2") && !lane.contains("+0"),
        "{lane}"
    );
}

#[test]
fn every_message_that_is_late_has_a_lane_and_one_that_was_repeated_its_first_time() {
    let mut desk = Desk::of(vec![World::new("orders", 20, -60_000, 1_000)]);
    desk.live(1_000, 1);
    desk.char('T');
    let lanes = rows(&desk).concat().matches(" late ").count();
    assert!(lanes >= 20, "{lanes}: {:#?}", rows(&desk));
    let mut monitored = Monitored::of(three());
    let (member, _) = monitored.desk.world[0].entries[0].clone();
    for _ in 0..2 {
        monitored.happens(&member, FIRST, transferred(1, 1, true));
        monitored.desk.live(1_000, 1);
    }
    monitored.desk.world[0].entries.remove(0);
    monitored.happens(&member, FIRST, transferred(1, 1, false));
    let lane = lane(&monitored.desk, "entry 0");
    assert!(
        lane.contains(", 3 times") && lane.contains(", last +"),
        "{lane}"
    );
}

#[test]
fn a_refresh_that_read_before_a_transfer_does_not_take_back_what_monitor_told_since() {
    let mut desk = three();
    desk.live(2_500, 1);
    let mut monitored = Monitored::of(desk);
    let asked = monitored.desk.pass(1_000);
    let asked = asked.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadPulse {
            generation, page, ..
        }) => Some((*generation, *page)),
        _ => None,
    });
    let (generation, page) = asked.unwrap();
    let world = &monitored.desk.world[0];
    let (queue, member) = (world.queue.clone(), world.entries[0].0.clone());
    let pulse = world.pulse(monitored.desk.now(), page);
    monitored.desk.pass(2);
    monitored.happens(&member, FIRST, transferred(1, 1, false));
    let new = b"\x08\x00\x00\x00\x00\x00\x00\x00\x09\x03\x00\x00\x00\x00\x00\x00\x00new";
    let due = Due::At(monitored.desk.now().plus(1_000));
    monitored.happens(new, FIRST, EventKind::Offered { due });
    let mut desk = monitored.desk;
    desk.tell(Msg::Refresh(refresh::Msg::PulseLoaded {
        generation,
        queue,
        result: Ok(pulse),
        survey: None,
    }));
    let lane = lane(&desk, "entry 0");
    assert!(lane.contains(" transferred +"), "{lane}");
    let rows = rows(&desk);
    let is_its = |row: &&String| row.contains(" new ") && row.contains(" offered ");
    let lane = rows.iter().find(is_its).unwrap();
    assert!(lane.contains(" in "), "{lane}");
}

#[test]
fn while_a_message_is_late_its_lane_has_what_is_wrong_with_the_queue_below() {
    let mut desk = three();
    desk.world[0].clients = 0;
    desk.live(1_000, 1);
    desk.char('T');
    assert!(!rows(&desk).concat().contains("wrong with this queue"));
    desk.live(20_000, 1);
    let rows = rows(&desk).concat();
    let headline = &desk.model.queues[0].findings[0].headline;
    assert!(
        rows.contains(&format!("wrong with this queue: {headline}")),
        "{rows}"
    );
}
