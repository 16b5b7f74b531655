//! The filter.

use delayscope::queue::LinkState;
use delayscope::queue::frame::{Form, encode};
use delayscope::tui::effect::Effect;
use delayscope::tui::filter::{self, Search};
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::{Model, Pane, Screen};
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh;
use delayscope::tui::timeline;

use crate::desk::{Desk, START, World, member, score};

/// The ten orders of a list in sight, filtered by `text`, Enter pressed, all answered.
pub(crate) fn filtered(count: u64, text: &str) -> Desk {
    let mut desk = Desk::of_one(count);
    desk.char('/');
    desk.type_in(text);
    desk.press(Code::Enter);
    desk.answer_all();
    desk
}

fn hits(model: &Model) -> Vec<Vec<u8>> {
    let filtered = model.filtered.as_ref().unwrap();
    filtered.hits.iter().map(|hit| hit.member.clone()).collect()
}

fn searches(effects: &[Effect]) -> usize {
    let search = |e: &&Effect| matches!(e, Effect::Filter(filter::Effect::Search { .. }));
    effects.iter().filter(search).count()
}

#[test]
fn what_is_loaded_is_filtered_with_each_key() {
    let mut desk = Desk::of_one(10_000);
    desk.char('/');
    desk.type_in("\"entry 1");
    assert!(desk.model.filtered.is_none(), "a quote is open");
    assert!(desk.model.prompt.as_ref().unwrap().error.is_some());
    desk.type_in("2\"");
    assert_eq!(hits(&desk.model), [member(12)]);
    assert_eq!(desk.under_cursor(), Some(member(12)));
    for _ in 0..2 {
        desk.press(Code::Backspace);
    }
    assert_eq!(
        hits(&desk.model),
        [member(12)],
        "the last good filter stays"
    );
}

#[test]
fn a_key_waits_for_no_pattern_in_megabytes_they_are_left_to_the_search() {
    let mut world = World::new("orders", 5, 60_000, 1000);
    let large = format!("entry 9 {}", "x".repeat(1 << 20));
    world.entries[1].0 = encode(Form::ByteId, [7; 8], large.as_bytes());
    let large = world.entries[1].0.clone();
    let mut desk = Desk::of(vec![world]);
    desk.char('/');
    desk.type_in("re:/entry [0-9]/");
    let small: Vec<_> = [0, 2, 3, 4].map(member).into();
    assert_eq!(hits(&desk.model), small, "what is small is held against it");
    desk.type_in(" xxx");
    assert!(hits(&desk.model).is_empty(), "not yet");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(hits(&desk.model), [large]);
}

#[test]
fn the_whole_queue_is_searched_when_the_typing_pauses() {
    let mut desk = Desk::of_one(10_000);
    desk.char('/');
    let mut asked = Vec::new();
    for c in "entry".chars() {
        asked.extend(desk.char(c));
        asked.extend(desk.pass(100));
    }
    assert_eq!(searches(&asked), 0);
    assert_eq!(searches(&desk.pass(50)), 1);
    // Another key makes it void.
    let asked = desk.char('x');
    assert!(
        asked.contains(&Effect::Filter(filter::Effect::EndSearch)),
        "{asked:?}"
    );
    assert_eq!(searches(&desk.pass(149)), 0);
    assert_eq!(searches(&desk.pass(1)), 1);
}

#[test]
fn enter_searches_at_once_and_gives_the_list_the_keys() {
    let mut desk = Desk::of_one(10_000);
    desk.char('/');
    desk.type_in("\"entry 99\"");
    let asked = desk.press(Code::Enter);
    assert_eq!(searches(&asked), 1);
    assert!(desk.model.prompt.is_none());
    assert_eq!(desk.model.focus, Pane::Entries);
    desk.answer_all();
    let filtered = desk.model.filtered.as_ref().unwrap();
    assert_eq!(filtered.search, Search::Done);
    assert_eq!((filtered.found, filtered.of), (111, 10_000));
    assert_eq!(desk.under_cursor(), Some(member(99)));
    desk.char('G');
    assert_eq!(desk.under_cursor(), Some(member(9_999)));
    desk.char('N');
    assert_eq!(desk.under_cursor(), Some(member(9_998)));
    desk.char('n');
    assert_eq!(desk.under_cursor(), Some(member(9_999)));
}

#[test]
fn a_wrong_filter_keeps_its_line_and_says_why() {
    let mut desk = Desk::of_one(10);
    desk.char('/');
    desk.type_in("codec:krio");
    desk.press(Code::Enter);
    let prompt = desk.model.prompt.as_ref().unwrap();
    assert!(prompt.error.as_ref().unwrap().contains("kryo5"));
    let last_good = &desk.model.filtered.as_ref().unwrap().filter;
    assert_eq!(last_good.text(), "codec:kr");
}

#[test]
fn escape_in_the_line_brings_back_what_was_before() {
    let mut desk = filtered(10_000, "\"entry 99\"");
    desk.press(Code::End);
    let before = hits(&desk.model);
    desk.char('/');
    desk.type_in(" nothing");
    desk.live(500, 0);
    assert!(hits(&desk.model).is_empty());
    desk.press(Code::Esc);
    assert_eq!(hits(&desk.model), before);
    assert_eq!(desk.under_cursor(), Some(member(9_999)));
    // And before the first filter there was none.
    let mut desk = Desk::of_one(10_000);
    desk.press(Code::PageDown);
    let under = desk.under_cursor();
    desk.char('/');
    desk.type_in("\"entry 5\"");
    desk.live(500, 0);
    desk.press(Code::Esc);
    desk.answer_all();
    assert!(desk.model.filtered.is_none());
    assert_eq!(desk.under_cursor(), under);
}

#[test]
fn escape_in_the_list_stops_the_search_then_clears_the_filter() {
    let mut desk = Desk::of_one(100_000);
    desk.char('/');
    desk.type_in("entry");
    desk.press(Code::Enter);
    let asked = desk.press(Code::Esc);
    assert!(
        asked.contains(&Effect::Filter(filter::Effect::EndSearch)),
        "{asked:?}"
    );
    let filtered = desk.model.filtered.as_ref().unwrap();
    assert_eq!(filtered.search, Search::Stopped);
    assert!(!filtered.hits.is_empty());
    desk.open.clear();
    desk.press(Code::Esc);
    assert!(desk.model.filtered.is_none());
}

#[test]
fn when_the_filter_goes_the_cursor_stays_on_its_entry() {
    let mut desk = filtered(100_000, "\"entry 70000\"");
    assert_eq!(desk.under_cursor(), Some(member(70_000)));
    desk.press(Code::Esc);
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(70_000)));
    assert_eq!(desk.model.entries.cursor, 70_000);
}

#[test]
fn hits_that_come_in_before_it_do_not_move_the_cursor_off_its_entry() {
    let mut desk = Desk::of_one(100_000);
    desk.char('G');
    desk.answer_all();
    desk.char('/');
    desk.type_in("\"entry 9999\"");
    desk.pass(150);
    assert_eq!(desk.under_cursor(), Some(member(99_999)));
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(99_999)));
    assert_eq!(hits(&desk.model)[0], member(9_999));
}

#[test]
fn hits_stand_in_due_order_and_once() {
    let mut desk = Desk::of_one(1_000);
    desk.char('/');
    desk.type_in("entry");
    desk.press(Code::Enter);
    let generation = generation(&desk);
    let batch = |range: std::ops::Range<u64>, desk: &Desk| {
        let entries = &desk.world[0].entries;
        let hit = |i: u64| {
            let (member, score) = &entries[usize::try_from(i).unwrap()];
            (member.clone(), Some(*score))
        };
        range.map(hit).collect::<Vec<_>>()
    };
    for range in [500..600, 0..300] {
        let hits = batch(range, &desk);
        desk.tell(Msg::Filter(filter::Msg::Hits {
            generation,
            hits,
            found: 400,
            looked: 600,
            of: 1_000,
        }));
    }
    let wanted: Vec<Vec<u8>> = (0..300).chain(500..600).map(member).collect();
    assert_eq!(hits(&desk.model), wanted);
    assert_eq!(desk.model.filtered.as_ref().unwrap().percent(), 60);
    // What another search has found is not heard.
    desk.tell(Msg::Filter(filter::Msg::Searched {
        generation: generation + 99,
        result: Ok(()),
    }));
    assert!(desk.model.filtered.as_ref().unwrap().is_searching());
}

fn generation(desk: &Desk) -> u64 {
    match desk.model.filtered.as_ref().unwrap().search {
        Search::Running(generation) => generation,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn hits_in_sight_are_kept_true() {
    let mut desk = filtered(1_000, "\"entry 99\"");
    assert_eq!(
        hits(&desk.model),
        [vec![member(99)], (990..1_000).map(member).collect()].concat()
    );
    let entries = &mut desk.world[0].entries;
    let gone = entries.iter().position(|e| e.0 == member(991)).unwrap();
    entries.remove(gone);
    let moved = entries.iter().position(|e| e.0 == member(992)).unwrap();
    let later = score(START.plus(7_200_000));
    let entry = entries.remove(moved);
    entries.push((entry.0, later));
    let asked = desk.live(2_500, 0);
    let checks = asked
        .iter()
        .filter(|e| matches!(e, Effect::Filter(filter::Effect::CheckScores { .. })));
    assert!((1..=4).contains(&checks.count()));
    let filtered = desk.model.filtered.as_ref().unwrap();
    assert!(filtered.stale);
    let gone: Vec<&[u8]> = filtered
        .hits
        .iter()
        .filter(|h| h.gone)
        .map(|h| &h.member[..])
        .collect();
    assert_eq!(gone, [&member(991)[..]]);
    let row = desk
        .model
        .entries
        .rows
        .iter()
        .find(|r| r.member == member(992));
    assert_eq!(row.unwrap().due.at(), Some(START.plus(7_200_000)));
    // Searched again, the one that is gone is no hit any more.
    desk.key(Key::ctrl('r'));
    desk.live(500, 0);
    assert!(!hits(&desk.model).contains(&member(991)));
    assert_eq!(hits(&desk.model).last(), Some(&member(992)));
}

#[test]
fn while_a_filter_is_on_no_rows_are_read_by_rank() {
    let mut desk = filtered(1_000, "entry");
    let asked = desk.live(3_000, 0);
    let pages = asked.iter().filter(|e| {
        matches!(
            e,
            Effect::Refresh(refresh::Effect::LoadPulse { page: Some(_), .. })
        )
    });
    assert_eq!(pages.count(), 0);
}

#[test]
fn another_queue_has_no_filter() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 30, 600_000, 1000),
        World::new("beta", 30, 600_000, 1000),
    ]);
    desk.model.focus = Pane::Entries;
    desk.char('/');
    desk.type_in("entry");
    desk.press(Code::Enter);
    desk.press(Code::BackTab);
    desk.model.focus = Pane::Queues;
    let asked = desk.press(Code::Down);
    assert!(desk.model.filtered.is_none());
    assert!(
        asked.contains(&Effect::Filter(filter::Effect::EndSearch)),
        "{asked:?}"
    );
    desk.answer_all();
    assert_eq!(desk.model.entries.rows.len() as u64, desk.model.listed());
}

#[test]
fn a_queue_whose_name_was_typed_as_a_filter_is_opened_by_one_more_enter() {
    let mut desk = Desk::of(vec![
        World::new("alpha", 30, 600_000, 1000),
        World::new("more-beta", 30, 600_000, 1000),
        World::new("beta", 30, 600_000, 1000),
    ]);
    desk.model.focus = Pane::Entries;
    desk.char('/');
    desk.type_in("beta");
    desk.press(Code::Enter);
    desk.pass(1_000);
    desk.answer_all();
    assert!(desk.model.filtered.is_some());
    desk.press(Code::Enter);
    let opened = desk.model.selected().unwrap().queue.name.to_string();
    assert_eq!(
        (opened.as_str(), desk.model.filtered.is_none()),
        ("beta", true)
    );
    assert!(matches!(desk.model.screen, Screen::Queue));
}

#[test]
fn a_search_that_a_lost_server_has_cut_off_begins_again() {
    let mut desk = Desk::of_one(1_000);
    desk.char('/');
    desk.type_in("entry");
    desk.press(Code::Enter);
    desk.open.clear();
    let generation = generation(&desk);
    desk.link(LinkState::Lost {
        why: "gone".to_owned(),
        since: desk.model.instant,
        retry_at: desk.model.instant,
    });
    desk.tell(Msg::Filter(filter::Msg::Searched {
        generation,
        result: Err("the connection was lost".to_owned()),
    }));
    let failed = &desk.model.filtered.as_ref().unwrap().search;
    assert!(matches!(failed, Search::Failed(_)), "{failed:?}");
    let asked = desk.link(LinkState::Live);
    assert_eq!(searches(&asked), 1, "{asked:?}");
}

#[test]
fn without_a_filter_n_says_what_it_is_for() {
    let mut desk = Desk::of_one(10);
    desk.model.focus = Pane::Entries;
    desk.char('n');
    assert!(desk.model.toast.unwrap().text.contains("no filter"));
}

#[test]
fn the_filter_goes_with_the_tabs_of_entries() {
    let mut world = World::new("orders", 200, 60_000, 1000);
    world.target = (0..50).map(|i| format!("done {i}").into_bytes()).collect();
    let mut desk = Desk::of(vec![world]);
    desk.char('2');
    desk.answer_all();
    desk.char('/');
    desk.type_in("\"done 4\"");
    // What is loaded of the list is filtered at once, without the search.
    assert_eq!(hits(&desk.model)[0], b"done 4");
    desk.press(Code::Enter);
    desk.answer_all();
    assert_eq!(hits(&desk.model).len(), 11);
    assert_eq!(desk.under_cursor(), Some(b"done 4".to_vec()));
    desk.char('G');
    assert_eq!(desk.under_cursor(), Some(b"done 49".to_vec()));
    let asked = desk.char('1');
    assert!(
        asked.contains(&Effect::Filter(filter::Effect::EndSearch)) || searches(&asked) == 1,
        "{asked:?}"
    );
    desk.answer_all();
    assert_eq!(hits(&desk.model).len(), 0);
    desk.char('2');
    desk.answer_all();
    assert_eq!(hits(&desk.model).len(), 11);
    desk.press(Code::Esc);
    desk.answer_all();
    assert!(desk.model.filtered.is_none());
    desk.char('1');
    desk.answer_all();
    assert_eq!(desk.under_cursor(), Some(member(0)));
}

#[test]
fn a_cursor_that_has_moved_on_is_not_pulled_back_to_where_the_filter_left_it() {
    let mut desk = filtered(10_000, "\"entry 77\"");
    desk.press(Code::Esc);
    let asked = std::mem::take(&mut desk.open);
    assert!(
        asked
            .iter()
            .any(|e| matches!(e, Effect::Timeline(timeline::Effect::FindRank { .. })))
    );
    desk.char('G');
    for effect in asked {
        desk.answer(&effect);
    }
    desk.answer_all();
    assert_eq!(desk.model.entries.cursor, 9_999);
}
