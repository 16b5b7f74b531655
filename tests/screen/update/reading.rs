//! What is read, and when.

use std::collections::HashSet;

use delayscope::queue::{Announcement, LinkState, Queue, Severity, Zoom};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::link;
use delayscope::tui::msg::Msg;
use delayscope::tui::queues;
use delayscope::tui::refresh;
use delayscope::tui::refresh::update::time::wakes_at;

use crate::desk::{Desk, START, World, is_pulse, page_of, score};

fn many(count: usize) -> Vec<World> {
    let world = |i: usize| World::new(&format!("q{i:03}"), 3, 3_600_000, 1000);
    (0..count).map(world).collect()
}

fn pulses(asked: &[Effect]) -> usize {
    asked.iter().filter(|e| is_pulse(e)).count()
}

fn surveys(asked: &[Effect]) -> usize {
    let of_selected = |e: &&Effect| {
        matches!(
            e,
            Effect::Refresh(refresh::Effect::LoadSurvey { zoom: Some(_), .. })
        )
    };
    asked.iter().filter(of_selected).count()
}

fn announced(queue: &Queue) -> Msg {
    Msg::Link(link::Msg::Announced(Announcement::new(
        START,
        queue.keys().channel.unwrap(),
        b"1700000060000",
    )))
}

#[test]
fn nothing_is_read_before_the_server_answers() {
    let mut desk = Desk::waiting_for_server(many(3));
    assert_eq!(desk.pass(5000), []);
    let asked = desk.link(LinkState::Live);
    let first = asked.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadPulses { queues, .. }) => Some(queues.len()),
        _ => None,
    });
    assert_eq!(first, Some(3), "all that are known are read first");
    assert!(asked.contains(&Effect::Queues(queues::Effect::Discover)));
}

#[test]
fn the_selected_queue_is_read_each_interval_and_the_others_half_as_often() {
    let mut desk = Desk::of(many(4));
    let asked = desk.live(20_000, 1);
    let others = asked.iter().filter_map(|e| match e {
        Effect::Refresh(refresh::Effect::LoadPulses { queues, .. }) => Some(queues.len()),
        _ => None,
    });
    assert!((19..=21).contains(&pulses(&asked)), "{}", pulses(&asked));
    let others: Vec<usize> = others.collect();
    assert!((9..=11).contains(&others.len()), "{others:?}");
    assert!(others.iter().all(|n| *n == 3));
}

#[test]
fn a_short_interval_is_kept() {
    let mut desk = Desk::of(many(1));
    for _ in 0..6 {
        desk.char(',');
    }
    assert_eq!(desk.model.interval_ms, 200);
    let asked = desk.live(10_000, 1);
    assert!((45..=55).contains(&pulses(&asked)), "{}", pulses(&asked));
}

#[test]
fn a_queue_is_surveyed_once_the_cursor_has_rested_on_it_for_30_ms_and_none_that_it_passes() {
    let surveyed = |asked: &[Effect]| -> Vec<String> {
        let survey = |effect: &Effect| match effect {
            Effect::Refresh(refresh::Effect::LoadSurvey {
                queue,
                zoom: Some(_),
                ..
            }) => Some(queue.name.to_string()),
            _ => None,
        };
        asked.iter().filter_map(survey).collect()
    };
    let none: [&str; 0] = [];
    let mut desk = Desk::of(many(9));
    for _ in 0..3 {
        assert_eq!(surveyed(&desk.press(Code::Down)), none);
        assert_eq!(surveyed(&desk.pass(29)), none);
    }
    assert_eq!(surveyed(&desk.pass(1)), ["q003"]);
}

#[test]
fn rows_out_of_sight_are_read_in_turn_within_ten_seconds() {
    let mut desk = Desk::of(many(300));
    let asked = desk.live(12_100, 1);
    let mut read = HashSet::new();
    for effect in &asked {
        if let Effect::Refresh(refresh::Effect::LoadPulses { queues, .. }) = effect {
            assert!(queues.len() < 120, "in turn, not at once: {}", queues.len());
            read.extend(queues.iter().cloned());
        }
    }
    assert!(read.len() >= 299, "{}", read.len());
}

/// How many queues have not been surveyed yet.
fn unsurveyed(desk: &Desk) -> usize {
    let rows = desk.model.queues.iter();
    rows.filter(|row| row.survey.is_none()).count()
}

#[test]
fn every_queue_is_read_within_ten_seconds_and_surveyed_within_twenty_whatever_is_in_sight() {
    for (count, surveyed_ms) in [(40, 20_000), (500, 60_000)] {
        let mut desk = Desk::waiting_for_server(many(count));
        desk.link(LinkState::Live);
        desk.live(10_000, 50);
        let unread = desk.model.queues.iter().filter(|row| row.pulse.is_none());
        assert_eq!(unread.count(), 0, "of {count}");
        desk.live(surveyed_ms - 10_000, 50);
        assert_eq!(unsurveyed(&desk), 0, "of {count}");
    }
}

#[test]
fn surveys_of_queues_that_are_not_selected_take_a_twentieth_of_the_servers_time_at_most() {
    const SURVEY_US: usize = 7_000;
    let mut worlds = many(500);
    for world in &mut worlds {
        world.survey_us = SURVEY_US as u64;
    }
    let mut desk = Desk::waiting_for_server(worlds);
    desk.link(LinkState::Live);
    // As long as an answer takes at least.
    let asked = desk.live(10_000, 7);
    let classes = |effect: &&Effect| {
        matches!(
            effect,
            Effect::Refresh(refresh::Effect::LoadSurvey { zoom: None, .. })
        )
    };
    let taken_us = asked.iter().filter(classes).count() * SURVEY_US;
    let share = 10_000_000 / taken_us;
    assert!((20..30).contains(&share), "{taken_us} µs of 10 s");
}

#[test]
fn entries_that_are_soon_lost_in_a_queue_out_of_sight_lift_its_row() {
    for (count, found_ms) in [(40, 22_000), (500, 62_000)] {
        let mut desk = Desk::of(many(count));
        desk.live(30_000, 5);
        desk.world[count - 1].expires = Some(desk.now().plus(600_000));
        desk.live(found_ms, 5);
        let first = &desk.model.queues[0];
        assert_eq!(first.queue, desk.world[count - 1].queue, "of {count}");
        assert_eq!(first.findings[0].id, "ttl");
        assert_eq!(first.worst(), Some(Severity::Critical));
    }
}

#[test]
fn of_two_queues_that_lose_entries_within_the_hour_the_one_that_loses_them_first_stands_first() {
    let mut worlds = many(3);
    worlds[1].expires = Some(START.plus(3_000_000));
    worlds[2].expires = Some(START.plus(600_000));
    let mut desk = Desk::of(worlds);
    desk.live(5_000, 1);
    let rows = desk.model.queues.iter();
    let order: Vec<String> = rows.map(|row| row.queue.name.text().into_owned()).collect();
    assert_eq!(order, ["q002", "q001", "q000"]);
}

#[test]
fn at_most_one_load_of_a_kind_is_under_way() {
    let mut desk = Desk::of(many(5));
    for _ in 0..50 {
        desk.press(Code::Down);
        desk.press(Code::Up);
        desk.key(Key::ctrl('r'));
        desk.pass(100);
    }
    assert_eq!(pulses(&desk.open), 1);
    assert_eq!(surveys(&desk.open), 1);
    let first = std::mem::take(&mut desk.open);
    let after: Vec<Effect> = first.iter().flat_map(|e| desk.answer(e)).collect();
    assert_eq!(pulses(&after), 1, "the one that was waiting");
}

#[test]
fn a_late_answer_to_an_old_question_is_dropped() {
    let mut desk = Desk::of(many(2));
    desk.pass(1000);
    let old = std::mem::take(&mut desk.open);
    desk.link(LinkState::Connecting);
    desk.link(LinkState::Live);
    let before = desk.model.queues[0].pulse.clone();
    desk.pass(500);
    for effect in old.iter().filter(|e| is_pulse(e)) {
        desk.answer(effect);
    }
    assert_eq!(desk.model.queues[0].pulse, before);
}

#[test]
fn an_answer_about_the_queue_selected_before_does_not_show_under_the_new_one() {
    let mut desk = Desk::of(many(2));
    desk.pass(1000);
    let old = std::mem::take(&mut desk.open);
    desk.press(Code::Down);
    for effect in old.iter().filter(|e| is_pulse(e)) {
        desk.answer(effect);
    }
    assert!(desk.model.entries.rows.is_empty());
    desk.answer_all();
    assert!(!desk.model.entries.rows.is_empty());
}

#[test]
fn an_announcement_on_the_selected_channel_reads_it_at_once() {
    let mut desk = Desk::of(many(2));
    desk.live(300, 1);
    let (mine, other) = (desk.world[0].queue.clone(), desk.world[1].queue.clone());
    assert_eq!(pulses(&desk.tell(announced(&other))), 0);
    assert_eq!(pulses(&desk.tell(announced(&mine))), 1);
    assert_eq!(desk.model.traffic.heard.len(), 2);
}

#[test]
fn a_queue_born_while_watching_shows_itself_by_its_channel() {
    let mut desk = Desk::of(many(2));
    desk.press(Code::Down);
    desk.world.push(World::new("born", 3, 60_000, 1000));
    let born = desk.world[2].queue.clone();
    for _ in 0..2 {
        desk.tell(announced(&born));
        desk.answer_all();
    }
    assert_eq!(desk.model.queues.len(), 3);
    let row = desk.model.queues.iter().find(|row| row.queue == born);
    assert!(row.unwrap().pulse.is_some());
}

#[test]
fn a_flood_of_announcements_reads_four_times_a_second_at_most() {
    let mut desk = Desk::of(many(1));
    let queue = desk.world[0].queue.clone();
    let mut read = 0;
    for _ in 0..1000 {
        read += pulses(&desk.tell(announced(&queue)));
        read += pulses(&desk.live(1, 0));
    }
    assert!((4..=5).contains(&read), "{read}");
    assert_eq!(desk.model.traffic.heard.len(), 1000);
}

#[test]
fn a_hundred_and_thirty_due_a_second_are_read_about_three_times_a_second() {
    let mut desk = Desk::of(vec![World::new("orders", 3_000, 1_000, 8)]);
    desk.live(2_000, 1);
    let asked = desk.live(20_000, 1);
    let read = pulses(&asked);
    assert!((40..=65).contains(&read), "{read} pulses in 20 s");
    assert!(surveys(&asked) <= 21, "{} surveys in 20 s", surveys(&asked));
}

#[test]
fn a_key_reads_at_once_amid_a_flood_of_what_falls_due() {
    let mut desk = Desk::of(vec![World::new("orders", 3_000, 1_000, 8)]);
    desk.live(5_010, 1);
    assert_eq!(pulses(&desk.key(Key::ctrl('r'))), 1);
}

#[test]
fn the_head_falling_due_is_looked_at_right_then() {
    let mut desk = Desk::of(vec![World::new("orders", 3, 2_500, 60_000)]);
    desk.live(2_400, 1);
    let asked = desk.live(200, 1);
    assert_eq!(pulses(&asked), 1);
    assert!(desk.model.selected().unwrap().pulse.as_ref().unwrap().at >= START.plus(2_500));
}

#[test]
fn slow_answers_stretch_the_interval_to_a_tenth_of_the_time() {
    let mut desk = Desk::of(many(1));
    let asked = desk.live(60_000, 400);
    assert!(pulses(&asked) <= 20, "{}", pulses(&asked));
    let stretched = desk.model.stretched_ms.unwrap();
    assert!((3_500..=4_500).contains(&stretched), "{stretched}");
    desk.live(120_000, 1);
    assert_eq!(desk.model.stretched_ms, None);
}

#[test]
fn a_server_that_stood_still_is_no_slow_one() {
    let mut desk = Desk::of(many(3));
    desk.live(10_000, 1);
    // One answer of each kind, seconds late.
    desk.key(Key::ctrl('r'));
    desk.pass(6_000);
    desk.answer_all();
    let asked = desk.live(10_000, 1);
    assert_eq!(desk.model.stretched_ms, None);
    assert!(pulses(&asked) >= 8, "{}", pulses(&asked));
}

#[test]
fn one_slow_answer_stretches_nothing() {
    let mut desk = Desk::of(many(1));
    desk.live(5_000, 1);
    desk.live(1_000, 300);
    desk.live(1_500, 1);
    assert_eq!(desk.model.stretched_ms, None);
    let queue = desk.world[0].queue.clone();
    desk.live(500, 1);
    assert_eq!(pulses(&desk.tell(announced(&queue))), 1);
}

#[test]
fn a_quiet_queue_is_surveyed_every_ten_seconds_and_a_busy_one_every_second() {
    let mut desk = Desk::of(many(1));
    let quiet = surveys(&desk.live(60_000, 1));
    assert!((5..=7).contains(&quiet), "{quiet}");
    let mut busy = 0;
    for i in 0..100 {
        let late = START.plus(4_000_000 + i);
        desk.world[0]
            .entries
            .push((format!("{i}").into_bytes(), score(late)));
        busy += surveys(&desk.live(200, 1));
    }
    assert!((15..=21).contains(&busy), "{busy}");
}

#[test]
fn zooming_surveys_again_but_not_more_than_once_a_second() {
    let mut desk = Desk::of(many(1));
    desk.live(3_000, 1);
    let asked = desk.char('+');
    assert_eq!(surveys(&asked), 1);
    desk.answer_all();
    let asked = desk.char('-');
    assert_eq!(surveys(&asked), 0);
    assert_eq!(surveys(&desk.live(1_000, 1)), 1);
    let survey = desk.model.queues[0].survey.as_ref().unwrap();
    assert_eq!(survey.zoom, Some(Zoom::TenMinutes));
}

#[test]
fn classes_of_the_other_rows_are_read_too() {
    let mut desk = Desk::of(many(4));
    desk.live(500, 1);
    assert!(desk.model.queues.iter().all(|row| row.survey.is_some()));
}

#[test]
fn the_interval_goes_round_from_a_fifth_of_a_second_to_a_minute() {
    let mut desk = Desk::of(many(1));
    let mut seen = vec![desk.model.interval_ms];
    for _ in 0..7 {
        desk.char(',');
        seen.push(desk.model.interval_ms);
    }
    assert_eq!(seen, [1000, 2000, 5000, 10_000, 30_000, 60_000, 200, 500]);
    let asked = desk.live(10_000, 1);
    assert!((19..=21).contains(&pulses(&asked)), "{}", pulses(&asked));
}

#[test]
fn heavy_rows_are_read_only_when_the_queue_has_changed() {
    let mut world = World::new("orders", 100, 3_600_000, 1000);
    for entry in &mut world.entries {
        entry.0.resize(200_000, b'x');
    }
    let mut desk = Desk::of(vec![world]);
    desk.live(3_000, 1);
    assert!(desk.model.rows_on_change);
    let asked = desk.live(10_000, 1);
    assert!(pulses(&asked) >= 9);
    assert_eq!(page_of(&asked), None);
    desk.world[0].entries.remove(0);
    let asked = desk.live(1_500, 1);
    assert!(page_of(&asked).is_some());
}

#[test]
fn a_heavy_head_is_read_at_a_megabyte_a_second_whatever_is_announced() {
    let mut worlds = many(3);
    for world in &mut worlds[..2] {
        world.entries[0].0 = vec![b'x'; 5_000_000];
    }
    let queue = worlds[0].queue.clone();
    let mut desk = Desk::of(worlds);
    let mut asked = Vec::new();
    for _ in 0..20 {
        desk.tell(announced(&queue));
        asked.extend(desk.live(1_000, 1));
    }
    assert!((3..=5).contains(&pulses(&asked)), "{}", pulses(&asked));
    assert_eq!(desk.model.stretched_ms, Some(5_000));
    let times = |name: &str| {
        let name = Queue::redisson(name);
        let in_it = |e: &&Effect| matches!(e, Effect::Refresh(refresh::Effect::LoadPulses { queues, .. }) if queues.contains(&name));
        asked.iter().filter(in_it).count()
    };
    assert!((3..=4).contains(&times("q001")), "{}", times("q001"));
    assert!((9..=11).contains(&times("q002")), "the light one goes on");
}

#[test]
fn frozen_nothing_is_read_until_it_goes_on() {
    let mut desk = Desk::of(many(3));
    desk.char('f');
    let now = desk.model.now;
    assert_eq!(desk.live(30_000, 1), []);
    assert_eq!(desk.model.now, now);
    let queue = desk.world[0].queue.clone();
    desk.tell(announced(&queue));
    assert!(desk.model.traffic.heard.is_empty());
    let asked = desk.char('f');
    assert_eq!(pulses(&asked), 1);
    assert_eq!(desk.model.traffic.heard.len(), 1);
    assert!(desk.model.now > now);
}

#[test]
fn frozen_the_rows_that_are_scrolled_to_are_read() {
    let mut desk = Desk::of_one(10_000);
    desk.char('f');
    assert_eq!(pulses(&desk.char('G')), 1);
    desk.answer_all();
    assert!(desk.model.entry().is_some());
    assert!(desk.model.frozen.is_some());
}

#[test]
fn idle_the_loop_wakes_once_a_second() {
    let mut desk = Desk::of(many(4));
    desk.live(11_000, 1);
    let end = desk.model.instant + std::time::Duration::from_secs(20);
    let mut wakes = 0;
    while desk.model.instant < end {
        let wake = wakes_at(&desk.model).unwrap();
        desk.tell(Msg::Ticked(wake));
        desk.answer_all();
        wakes += 1;
    }
    assert!((18..=25).contains(&wakes), "{wakes}");
}

#[test]
fn with_no_queue_at_all_the_loop_sleeps() {
    let mut desk = Desk::of(Vec::new());
    assert_eq!(desk.live(5_000, 1), []);
}

#[test]
fn a_search_for_queues_that_is_under_way_when_the_next_one_would_be_due_wakes_nobody() {
    let mut desk = Desk::of(many(3));
    desk.tell(Msg::Queues(queues::Msg::LookedAll(10)));
    desk.pass(599_000);
    let asked = desk.key(Key::ctrl('r'));
    assert!(asked.contains(&Effect::Queues(queues::Effect::Discover)));
    desk.answer_all();
    desk.tell(Msg::Queues(queues::Msg::Looked(1, 10)));
    // The desk sees to it that the loop does not spin.
    let asked = desk.live(60_000, 1);
    assert!(!asked.contains(&Effect::Queues(queues::Effect::Discover)));
    desk.tell(Msg::Queues(queues::Msg::LookedAll(10)));
    assert!(
        desk.live(601_000, 1)
            .contains(&Effect::Queues(queues::Effect::Discover))
    );
}

#[test]
fn what_is_told_of_nodes_that_are_away_does_not_put_off_the_next_search() {
    let mut desk = Desk::of(many(3));
    let but = |nodes: &[&str]| {
        let nodes = nodes.iter().map(|&node| node.to_owned()).collect();
        Msg::Queues(queues::Msg::LookedBut(10, nodes))
    };
    let discover = Effect::Queues(queues::Effect::Discover);
    desk.tell(but(&["a:1", "b:1"]));
    assert!(!desk.live(500_000, 1).contains(&discover));
    desk.tell(but(&["a:1"]));
    assert!(desk.live(101_000, 1).contains(&discover));
}

#[test]
fn queues_that_cannot_be_read_say_why() {
    let mut desk = Desk::waiting_for_server(many(3));
    let asked = desk.link(LinkState::Live);
    let others = asked.iter().find_map(|effect| match effect {
        Effect::Refresh(refresh::Effect::LoadPulses { generation, .. }) => Some(*generation),
        _ => None,
    });
    let why = Err("no answer within 5 s".to_owned());
    let queues = desk.model.queues.iter().skip(1);
    let told = Msg::Refresh(refresh::Msg::PulsesLoaded {
        generation: others.unwrap(),
        pulses: queues.map(|row| (row.queue.clone(), why.clone())).collect(),
    });
    desk.tell(told);
    let mut others = desk.model.queues.iter().skip(1);
    assert!(others.all(|row| row.trouble.as_deref() == Some("no answer within 5 s")));
    let read =
        |effect: &Effect| matches!(effect, Effect::Refresh(refresh::Effect::LoadPulses { .. }));
    desk.open.retain(|effect| !read(effect));
    desk.live(30_000, 1);
    assert!(desk.model.queues.iter().all(|row| row.trouble.is_none()));
}
