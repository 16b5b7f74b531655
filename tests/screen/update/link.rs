//! The server goes and comes back.

use delayscope::clock::ServerClock;
use delayscope::queue::{Address, Link, LinkState};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::link;
use delayscope::tui::msg::Msg;
use delayscope::tui::toast::Tone;

use crate::desk::{Desk, START, is_pulse};

fn lost(desk: &Desk) -> LinkState {
    LinkState::Lost {
        why: "connection refused".into(),
        since: desk.model.instant,
        retry_at: desk.model.instant,
    }
}

#[test]
fn while_the_server_is_away_the_picture_stays_and_time_goes_on() {
    let mut desk = Desk::of_one(100);
    let (rows, now) = (desk.model.entries.rows.clone(), desk.model.now);
    desk.link(lost(&desk));
    assert_eq!(desk.live(10_000, 1), []);
    assert_eq!(desk.model.entries.rows, rows);
    assert_eq!(desk.model.now, now.plus(10_000));
    desk.press(Code::Down);
    assert_eq!(desk.model.entries.cursor, 1);
}

#[test]
fn an_outage_is_a_gap_in_the_trend() {
    let mut desk = Desk::of_one(100);
    desk.live(3_000, 1);
    desk.link(lost(&desk));
    desk.live(5_000, 1);
    desk.link(LinkState::Live);
    desk.live(2_000, 1);
    let samples = &desk.model.queues[0].trend.samples;
    let gap = samples.iter().filter(|s| s.is_none()).count();
    assert!((4..=6).contains(&gap), "{gap}");
    assert!(samples.front().unwrap().is_some() && samples.back().unwrap().is_some());
}

#[test]
fn control_r_retries_a_lost_link_and_refreshes_a_live_one() {
    let mut desk = Desk::of_one(100);
    let asked = desk.key(Key::ctrl('r'));
    assert!(asked.iter().any(is_pulse));
    desk.answer_all();
    desk.link(lost(&desk));
    assert_eq!(
        desk.key(Key::ctrl('r')),
        [Effect::Link(link::Effect::Retry)]
    );
}

#[test]
fn when_the_server_is_back_all_is_read_at_once_and_it_is_said() {
    let mut desk = Desk::of_one(100);
    desk.live(5_000, 1);
    desk.pass(1_000);
    desk.link(lost(&desk));
    desk.pass(12_300);
    let asked = desk.link(LinkState::Live);
    assert!(asked.iter().any(is_pulse), "{asked:?}");
    let toast = desk.model.toast.clone().unwrap();
    assert_eq!(
        (toast.text.as_str(), toast.tone),
        ("back after 12 s", Tone::Good)
    );
    desk.answer_all();
    desk.live(3_100, 1);
    assert_eq!(desk.model.toast, None);
}

#[test]
fn another_master_is_said_with_the_one_before() {
    let mut desk = Desk::of_one(100);
    let at = |port| Some(Address::Tcp("10.0.0.2".to_owned(), port));
    let link = |leads_to, state| {
        let link = Link {
            state,
            leads_to,
            clock: Some(ServerClock::set(START, desk.model.instant, 0)),
            ..Link::default()
        };
        Msg::Link(link::Msg::Changed(Box::new(link)))
    };
    let steps = [
        link(at(6379), LinkState::Live),
        link(at(6379), lost(&desk)),
        link(at(6380), LinkState::Live),
    ];
    for (i, step) in steps.into_iter().enumerate() {
        desk.pass(2_000);
        desk.tell(step);
        assert_eq!(desk.model.toast.is_some(), i == 2, "step {i}");
    }
    let toast = desk.model.toast.clone().unwrap();
    let text = "10.0.0.2:6380 is the master now, 10.0.0.2:6379 was (a failover)";
    assert_eq!((toast.text.as_str(), toast.tone), (text, Tone::Warn));
}

#[test]
fn a_hung_server_is_not_asked_again_and_again() {
    let mut desk = Desk::of_one(100);
    desk.pass(1_000);
    let since = desk.model.instant;
    desk.link(LinkState::Hung { since });
    for _ in 0..100 {
        assert_eq!(desk.pass(100), []);
    }
    assert!(desk.link(LinkState::Live).iter().any(is_pulse));
}

#[test]
fn a_second_that_has_begun_does_not_begin_again() {
    let mut desk = Desk::of_one(100);
    desk.pass(3_000);
    let clock =
        |ahead_ms: i64| ServerClock::set(START.plus(3_000 + ahead_ms), desk.model.instant, 0);
    let looks = [clock(-2), clock(-1), clock(1), clock(-60_000)];
    let mut shown = Vec::new();
    for clock in looks {
        let link = Link {
            state: LinkState::Live,
            clock: Some(clock),
            ..Link::default()
        };
        desk.tell(Msg::Link(link::Msg::Changed(Box::new(link))));
        shown.push(desk.model.now.since(START));
    }
    // The last is no jitter: that clock was set back.
    assert_eq!(shown, [3_000, 3_000, 3_000, -57_000]);
}
