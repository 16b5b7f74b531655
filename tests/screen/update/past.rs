//! Looking back: the page as it was at a moment of the last day.

use delayscope::queue::{LinkState, Queue, Severity};
use delayscope::tui::effect::Effect;
use delayscope::tui::hints;
use delayscope::tui::hitmap::Target;
use delayscope::tui::journal::ChangeLine;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::{Model, Overlay, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::past::queries;
use delayscope::tui::refresh;
use delayscope::tui::tabs::Tab;
use delayscope::tui::worker;

use crate::desk::{Desk, World, cell_of, text_of};

/// A queue with entries that fall due, and nobody to transfer them from the eleventh second to the
/// fortieth; after fifty seconds.
fn incident() -> Desk {
    let mut desk = Desk::of(vec![
        World::new("orders", 500, -20_000, 1_000),
        World::new("well", 3, 3_600_000, 1_000),
    ]);
    desk.world[0].entries.drain(..20);
    for second in 0..50 {
        desk.world[0].clients = u64::from(!(10..40).contains(&second));
        let now = desk.now().get();
        if desk.world[0].clients > 0 {
            #[expect(clippy::cast_precision_loss, reason = "a moment of this century")]
            desk.world[0]
                .entries
                .retain(|(_, score)| *score > now as f64);
        }
        desk.live(1_000, 1);
    }
    desk
}

fn past(desk: &Desk) -> &Model {
    desk.model.past.as_deref().unwrap()
}

/// The severity of the worst finding of the first queue in the picture of the past.
fn worst(desk: &Desk) -> Option<Severity> {
    let row = past(desk)
        .queues
        .iter()
        .find(|row| row.queue.name.text() == "orders");
    row.unwrap().worst()
}

fn waiting(model: &Model) -> Option<u64> {
    model
        .queues
        .iter()
        .find(|r| r.queue.name.text() == "orders")?
        .pulse
        .as_ref()?
        .waiting
        .get()
}

/// Keys that look back, one by one.
fn look_back(desk: &mut Desk, keys: &str) {
    desk.type_in(keys);
}

#[test]
fn the_page_is_that_of_then_while_all_goes_on_behind_it() {
    let mut desk = incident();
    let now = waiting(&desk.model);
    look_back(&mut desk, "[[[[[[[[[[[[[[[[[[[[");
    let then = past(&desk).then.unwrap();
    assert!(
        (19_000..=21_500).contains(&then.now.since(then.at)),
        "{then:?}"
    );
    assert_eq!(worst(&desk), Some(Severity::Critical));
    assert!(waiting(past(&desk)) > now);
    let asked = desk.live(5_000, 1);
    let reads =
        |effect: &Effect| matches!(effect, Effect::Refresh(refresh::Effect::LoadPulse { .. }));
    assert!(asked.iter().any(reads));
    assert!(waiting(&desk.model) <= now);
    assert_eq!(past(&desk).then.unwrap().at, then.at);
    let picture = text_of(&desk.model);
    assert!(picture.contains("THEN "), "{picture}");
    assert!(picture.contains("Entries are not kept."), "{picture}");
    desk.char('0');
    assert!(desk.model.past.is_none());
}

#[test]
fn braces_step_to_where_problems_came_and_went_and_brackets_on_to_now() {
    let mut desk = incident();
    desk.char('{');
    let recovered = past(&desk).then.unwrap().at;
    assert_ne!(worst(&desk), Some(Severity::Critical));
    let mut begun = recovered;
    for _ in 0..5 {
        desk.char('{');
        begun = past(&desk).then.unwrap().at;
    }
    assert!(
        (20_000..=40_000).contains(&recovered.since(begun)),
        "{}",
        recovered.since(begun)
    );
    assert!(worst(&desk) >= Some(Severity::Warning));
    // Nothing came or went before: it says so, and stays.
    assert!(past(&desk).toast.is_some());
    for _ in 0..6 {
        desk.char('}');
    }
    assert!(desk.model.past.is_none());
    look_back(&mut desk, "[[]");
    assert!(desk.model.past.is_some());
    desk.char(']');
    assert!(desk.model.past.is_none());
}

#[test]
fn nothing_can_be_changed_or_read_in_the_past_and_each_key_says_something() {
    let mut desk = incident();
    look_back(&mut desk, "[[[");
    desk.answer_all();
    for key in "tprxeDRuowKE:/@sTMCf".chars() {
        let asked = desk.char(key);
        assert_eq!(asked, [], "{key}");
        let shown = desk.model.past.as_deref();
        if key == 'f' {
            assert!(shown.is_none());
        } else {
            assert!(
                shown.is_some_and(|past| past.toast.is_some() && past.overlay.is_none()),
                "{key}"
            );
        }
        assert!(
            desk.model.overlay.is_none() && desk.model.prompt.is_none(),
            "{key}"
        );
    }
}

#[test]
fn another_queue_can_be_looked_at_there_and_stays_selected() {
    let mut desk = incident();
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "orders");
    look_back(&mut desk, "[[[");
    desk.press(Code::Down);
    assert_eq!(past(&desk).selected().unwrap().queue.name.text(), "well");
    desk.press(Code::Enter);
    assert!(matches!(past(&desk).screen, Screen::Queue));
    desk.char('5');
    assert_eq!(past(&desk).tab, Tab::Findings);
    desk.press(Code::Esc);
    assert!(matches!(past(&desk).screen, Screen::Dashboard));
    desk.char('?');
    assert!(matches!(past(&desk).overlay, Some(Overlay::Help { .. })));
    desk.press(Code::Esc);
    assert!(past(&desk).overlay.is_none());
    desk.press(Code::Esc);
    assert!(desk.model.past.is_none());
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "well");
}

#[test]
fn a_click_on_the_strip_goes_there_and_the_hints_are_keys() {
    let mut desk = incident();
    desk.press(Code::Enter);
    let (x, y) = cell_of(&desk.model, Target::Strip).unwrap();
    let columns = u16::try_from(queries::columns(&desk.model)).unwrap();
    desk.tell(Msg::Clicked(x + columns / 2, y));
    let then = past(&desk).then.unwrap();
    assert!(
        (25_000..=35_000).contains(&then.now.since(then.at)),
        "{then:?}"
    );
    desk.tell(Msg::Dragged(x + columns * 3 / 4, y));
    let dragged = past(&desk).then.unwrap();
    assert!(dragged.at > then.at);
    let words: Vec<_> = hints::hints(past(&desk))
        .iter()
        .map(|hint| hint.word)
        .collect();
    assert_eq!(words, ["step", "next problem", "zoom", "now", "help"]);
    let (x, y) = cell_of(&desk.model, Target::Key(Key::char('['))).unwrap();
    desk.tell(Msg::Clicked(x, y));
    assert!(past(&desk).then.unwrap().at < dragged.at);
    let (x, y) = cell_of(&desk.model, Target::Key(Key::char('0'))).unwrap();
    desk.tell(Msg::Clicked(x, y));
    assert!(desk.model.past.is_none());
}

#[test]
fn before_anything_was_read_it_says_so() {
    let mut desk = Desk::waiting_for_server(vec![World::new("orders", 5, 60_000, 1_000)]);
    for key in "[]{}".chars() {
        desk.char(key);
        assert!(
            desk.model.past.is_none() && desk.model.toast.is_some(),
            "{key}"
        );
    }
    let mut desk = Desk::of_one(5);
    look_back(&mut desk, "[");
    assert!(desk.model.past.is_none() && desk.model.toast.is_some());
}

#[test]
fn the_past_can_be_looked_at_while_the_server_is_away() {
    let mut desk = incident();
    desk.link(LinkState::Lost {
        why: "gone".to_owned(),
        since: desk.model.instant,
        retry_at: desk.model.instant,
    });
    desk.pass(3_000);
    look_back(&mut desk, "[[[[[[[[[[[[[[[[[[[[[[[");
    assert_eq!(worst(&desk), Some(Severity::Critical));
    let picture = text_of(&desk.model);
    assert!(
        !picture.contains('~') && picture.contains("THEN "),
        "{picture}"
    );
}

#[test]
fn it_goes_with_the_size_of_the_terminal() {
    let mut desk = incident();
    look_back(&mut desk, "[[[");
    for size in [(80, 24), (200, 60), (20, 5), (1, 1), (120, 40)] {
        desk.tell(Msg::Resized(size.0, size.1));
        assert_eq!(past(&desk).size, size);
        let picture = text_of(&desk.model);
        assert_eq!(
            picture.contains("THEN "),
            size.0 >= 80,
            "{size:?}\n{picture}"
        );
    }
}

#[test]
fn on_the_dashboard_the_problems_of_all_queues_are_stepped_through_on_a_page_its_own() {
    let mut desk = incident();
    desk.press(Code::Down);
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "well");
    desk.char('{');
    let selected = past(&desk).selected().unwrap();
    assert_eq!(selected.queue.name.text(), "orders");
    desk.char('0');
    desk.char('g');
    desk.press(Code::Down);
    desk.press(Code::Enter);
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "well");
    desk.char('{');
    assert!(desk.model.past.is_none());
    let said = desk.model.toast.as_ref().unwrap();
    assert_eq!(said.text, "no problem came or went here before that");
}

#[test]
fn an_order_list_that_differed_differs_in_the_past_too() {
    let mut desk = Desk::of_one(300);
    let members = desk.world[0]
        .entries
        .iter()
        .map(|(member, _)| member.clone());
    desk.world[0].order = Some(members.skip(4).collect());
    desk.live(8_000, 1);
    look_back(&mut desk, "[[");
    let picture = text_of(&desk.model);
    assert!(
        picture.contains("≠ 4") && !picture.contains("equal"),
        "{picture}"
    );
}

#[test]
fn the_header_goes_on_to_say_how_long_ago_that_was_and_that_the_server_is_lost_now() {
    let mut desk = incident();
    look_back(&mut desk, "[[[[[");
    let ago = |desk: &Desk| {
        let then = past(desk).then.unwrap();
        then.now.since(then.at)
    };
    let before = ago(&desk);
    desk.live(3_000, 1);
    assert!((3_000..=4_000).contains(&(ago(&desk) - before)));
    desk.link(LinkState::Lost {
        why: "gone".to_owned(),
        since: desk.model.instant,
        retry_at: desk.model.instant,
    });
    let picture = text_of(&desk.model);
    assert!(picture.contains("now: no connection"), "{picture}");
}

#[test]
fn an_outage_is_blank_in_the_strip_however_short_it_was() {
    let mut desk = incident();
    desk.press(Code::Enter);
    desk.link(LinkState::Lost {
        why: "gone".to_owned(),
        since: desk.model.instant,
        retry_at: desk.model.instant,
    });
    desk.pass(12_000);
    desk.link(LinkState::Live);
    desk.live(3_000, 1);
    let strip = queries::strip(&desk.model).unwrap();
    let known = strip
        .columns
        .iter()
        .skip_while(|column| column.held.is_none());
    assert!(
        known.filter(|column| column.held.is_none()).count() >= 5,
        "{strip:?}"
    );
}

#[test]
fn plus_draws_the_strip_closer_and_minus_all_of_it_again() {
    let mut desk = incident();
    desk.press(Code::Enter);
    desk.live(100_000, 1);
    look_back(&mut desk, "[");
    let span = |desk: &Desk| queries::strip(past(desk)).unwrap().span;
    assert_eq!(span(&desk), "5 min");
    desk.char('+');
    assert_eq!(span(&desk), "2 min");
    look_back(&mut desk, "+++");
    assert_eq!(span(&desk), "1 min");
    look_back(&mut desk, "---");
    assert_eq!(span(&desk), "5 min");
}

#[test]
fn a_click_before_the_first_reading_leads_to_the_first() {
    let mut desk = incident();
    desk.press(Code::Enter);
    let (x, y) = cell_of(&desk.model, Target::Strip).unwrap();
    desk.tell(Msg::Clicked(x, y));
    let row = past(&desk).selected().unwrap();
    assert_eq!(Some(past(&desk).then.unwrap().at), row.record.begin());
    assert!(row.pulse.is_some());
}

#[test]
fn the_journal_ends_where_the_past_does() {
    let mut desk = incident();
    let line = |ago_ms: i64, text: &str| ChangeLine {
        at: desk.now().plus(-ago_ms),
        queue: "orders".to_owned(),
        text: text.to_owned(),
        id: None,
        change: None,
        undone: false,
        doubtful: false,
    };
    let lines = [
        line(5_000, "the later one"),
        line(40_000, "the earlier one"),
    ];
    desk.model.changes.lines.extend(lines);
    look_back(&mut desk, "[[[[[[[[[[[[[[[[[[[[");
    desk.char('6');
    let told: Vec<_> = past(&desk)
        .changes_here()
        .map(|line| line.text.clone())
        .collect();
    assert_eq!(told, ["the earlier one"]);
}

#[test]
fn what_ctrl_c_asks_is_seen_and_each_way_back_keeps_the_queue() {
    let mut desk = incident();
    desk.char('w');
    desk.char('y');
    desk.tell(Msg::Worker(worker::Msg::Told(
        Queue::redisson("orders"),
        worker::WorkerMessage::Listening,
    )));
    look_back(&mut desk, "[[[");
    let asked = desk.key(Key::ctrl('c'));
    assert!(!asked.contains(&Effect::Quit));
    assert!(matches!(desk.model.overlay, Some(Overlay::Dialog(_))));
    assert!(desk.model.past.is_none());
    desk.press(Code::Esc);
    look_back(&mut desk, "[[");
    desk.press(Code::Down);
    for _ in 0..3 {
        desk.char(']');
    }
    assert!(desk.model.past.is_none());
    assert_eq!(desk.model.selected().unwrap().queue.name.text(), "well");
}
