//! The server goes and comes back.

use delayscope::queue::LinkState;
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::Tone;

use crate::desk::{Desk, is_pulse};

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
    assert_eq!(desk.key(Key::ctrl('r')), [Effect::RetryLink]);
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
