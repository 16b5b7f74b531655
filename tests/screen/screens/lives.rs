//! The lives of messages, as lanes and one by one.

use std::sync::Arc;

use delayscope::clock::EpochMillis;
use delayscope::payload::Codec;
use delayscope::queue::look::Client;
use delayscope::queue::{Change, EntryId, Filter};
use delayscope::trace::EventKind;
use delayscope::trace::life::Moment;
use delayscope::tui::lives::{LifeExit, LifeStep, LivesView, MessageLife, MonitoredLife};
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Overlay};

use crate::desk::text_of as words;
use crate::screens::build::{NOW, evening, look};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, picture};

const MAIL: &str = "10.0.3.7:51342";
const SHOP: &str = "10.0.3.9:40110";

/// That many ms ago, by that client.
fn moment(ago_ms: i64, by: &str) -> Moment {
    Moment {
        at_us: Some(NOW.plus(-ago_ms).get() * 1_000),
        by: Some(by.as_bytes().into()),
    }
}

/// A life that was seen 30 s ago, of a message due so many ms ago.
fn life(number: u64, due_ago_ms: i64) -> MessageLife {
    let due = NOW.plus(-due_ago_ms);
    MessageLife {
        number,
        member: number.to_be_bytes().to_vec(),
        id: EntryId::of_bytes(&number.to_be_bytes()),
        codec: Codec::Json,
        text: format!(
            r#"{{"orderId":{},"what":"cancel the unpaid"}}"#,
            465_800 + number
        ),
        seen: NOW.plus(-30_000),
        due,
        is_due_known: true,
        #[expect(clippy::cast_precision_loss, reason = "times are far below 2^53")]
        score: due.get() as f64,
        announced: None,
        left: None,
        exit: LifeExit::default(),
        taken: None,
        requeues: 0,
        told: MonitoredLife::default(),
    }
}

const fn step(at: EpochMillis, within_ms: i64) -> LifeStep {
    LifeStep { at, within_ms }
}

/// Eight messages of different fates.
fn fates() -> Vec<MessageLife> {
    let waits = life(1, -9_000);
    let mut late = life(2, 4_000);
    late.announced = Some(NOW.plus(-30_000));
    let mut in_time = life(3, 8_000);
    in_time.announced = Some(NOW.plus(-28_000));
    in_time.left = Some(step(NOW.plus(-7_997), 0));
    in_time.taken = Some(step(NOW.plus(-7_990), 0));
    in_time.told = MonitoredLife {
        offered: Some(moment(28_000, SHOP)),
        announced_to: Some(4),
        transferred: Some(moment(7_997, MAIL)),
        transfers: 1,
        in_vain: vec![Arc::from(SHOP.as_bytes())],
        consumed: Some(moment(7_990, MAIL)),
        deliveries: 1,
        ..MonitoredLife::default()
    };
    let mut slow = life(4, 20_000);
    slow.left = Some(step(NOW.plus(-12_000), 1_000));
    slow.taken = Some(step(NOW.plus(-11_000), 1_000));
    let mut again = life(5, 15_000);
    again.told.transferred = Some(moment(14_000, MAIL));
    again.told.transfers = 5;
    again.told.deliveries = 4;
    again.told.consumed = Some(moment(13_900, SHOP));
    let mut polled = life(6, -60_000);
    polled.left = Some(step(NOW.plus(-3_000), 0));
    polled.exit = LifeExit::Unknown;
    polled.told.ended = Some((EventKind::Polled, moment(3_000, SHOP)));
    let mut deleted = life(7, 25_000);
    deleted.left = Some(step(NOW.plus(-6_000), 500));
    deleted.exit = LifeExit::Ours(Change::Delete);
    let mut unknown = life(8, 22_000);
    unknown.left = Some(step(NOW.plus(-5_000), 500));
    unknown.exit = LifeExit::Unknown;
    unknown.requeues = 2;
    vec![waits, late, in_time, slow, again, polled, deleted, unknown]
}

/// The evening, with the lives of its messages over it.
pub(crate) fn over(size: (u16, u16), look: Look, view: LivesView) -> Model {
    let mut m = evening(size, look);
    m.lives.queue = m.selected().map(|row| row.queue.clone());
    m.lives.all = fates().into();
    m.lives.read = Some(NOW);
    for (addr, name) in [(MAIL, "mail-1"), (SHOP, "shop")] {
        m.lives.names.know(&Client {
            addr: addr.to_owned(),
            name: name.to_owned(),
            lib_name: "redisson".to_owned(),
            lib_version: "3.52.0".to_owned(),
            ..Client::default()
        });
    }
    m.overlay = Some(Overlay::Lives(view));
    m
}

/// The life with that number, opened.
pub(crate) fn opened(number: u64) -> LivesView {
    LivesView {
        chosen: Some(number),
        opened: Some(0),
        ..LivesView::default()
    }
}

#[test]
fn the_lives_of_messages_at_three_sizes() {
    for (name, size) in [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)] {
        picture(
            &format!("lives_{name}"),
            &over(size, look(), LivesView::default()),
        );
        picture(&format!("life_{name}"), &over(size, look(), opened(3)));
    }
}

#[test]
fn an_opened_life_tells_each_step_with_all_that_is_known_of_its_client() {
    for size in [MIDDLE, LARGE] {
        let of = |number| words(&over(size, look(), opened(number)));
        let in_time = of(3);
        for told in [
            "offered by shop (10.0.3.9:40110) redisson 3.52.0",
            "published to 4 clients",
            "transferred by mail-1 (10.0.3.7:51342) redisson 3.52.0, 3 ms after it was due",
            "1 client ran the same transfer in vain: shop",
            "taken by mail-1 (10.0.3.7:51342) redisson 3.52.0, 10 ms after it was due",
        ] {
            assert!(in_time.contains(told), "{told}: {in_time}");
        }
        assert!(of(2).contains("late by 4.0 s"), "{}", of(2));
        assert!(of(4).contains("(or up to 1.0 s earlier)"), "{}", of(4));
        assert!(of(5).contains("transferred 5 times"), "{}", of(5));
        assert!(of(5).contains("taken 4 times"), "{}", of(5));
        let polled = of(6);
        // In the order of time, whatever had been meant to come first.
        let at = |words: &str| polled.find(words).unwrap_or_else(|| panic!("{polled}"));
        assert!(at("polled away before its transfer by shop") < at("would have been due"));
        assert!(of(7).contains("deleted from this screen"), "{}", of(7));
        assert!(!of(7).contains("transferred,"), "{}", of(7));
        assert!(of(8).contains("transferred or removed"), "{}", of(8));
        assert!(of(8).contains("given another due time, or put back, 2 times"));
    }
}

#[test]
fn what_is_late_is_red_in_its_lane_and_what_is_in_time_is_not() {
    use crate::screens::pictures::draw;
    use delayscope::tui::theme::Theme;
    let m = over(MIDDLE, look(), LivesView::default());
    let late = Theme::of(&m.look).late.fg;
    let picture = draw(&m);
    let colour_of = |order: &str, word: &str| {
        let (columns, rows) = m.size;
        let row = |y| -> Vec<&str> { (0..columns).map(|x| picture[(x, y)].symbol()).collect() };
        let y = (0..rows)
            .find(|y| row(*y).concat().contains(order))
            .unwrap();
        let cells = row(y);
        let at = (0..cells.len()).find(|at| cells[*at..].concat().starts_with(word));
        Some(picture[(u16::try_from(at.unwrap()).unwrap(), y)].fg)
    };
    assert_eq!(colour_of("465802", "late "), late);
    assert_eq!(colour_of("465804", "transferred +"), late);
    assert_ne!(colour_of("465803", "transferred +"), late);
}

#[test]
fn a_filter_leaves_what_it_matches_in_words_clients_and_lateness() {
    let shown = |text: &str| {
        let view = LivesView {
            filter: Some(Filter::parse(text).unwrap()),
            ..LivesView::default()
        };
        let m = over(LARGE, look(), view);
        let all = words(&m);
        let orders =
            (465_801..=465_808).filter(|order| all.contains(&format!("{{\"orderId\":{order}")));
        orders.map(|order| order - 465_800).collect::<Vec<u64>>()
    };
    assert_eq!(shown("465804"), [4]);
    assert_eq!(shown("mail-1"), [3, 5]);
    // By what it is called on the screen.
    assert!(shown("10.0.3.9").is_empty());
    assert_eq!(shown("shop"), [3, 5, 6]);
    for (fate, of) in [("polled", 6), ("deleted", 7), ("times", 5), ("requeued", 8)] {
        assert_eq!(shown(fate), [of], "{fate}");
    }
    assert_eq!(shown("late"), [2, 4, 5, 7, 8]);
    assert!(shown("unicorn").is_empty());
}
