//! An opened entry: looking for something in it.

use delayscope::queue::Queue;
use delayscope::queue::frame::{Form, encode};
use delayscope::tui::effect::Effect;
use delayscope::tui::entry::{EntryView, Face};
use delayscope::tui::filter;
use delayscope::tui::hitmap::Target;
use delayscope::tui::keys::{Code, Key};

use delayscope::tui::model::Screen;
use delayscope::tui::msg::Msg;

use crate::desk::{Desk, START, World, cell_of, score};

/// A queue of one entry with that payload, opened.
fn opened(payload: &[u8]) -> Desk {
    let queue = Queue::redisson("orders");
    let member = encode(Form::ByteId, [7; 8], payload);
    let entries = vec![(member, score(START.plus(60_000)))];
    let mut desk = Desk::of(vec![World {
        entries,
        ..World::of(queue)
    }]);
    desk.press(Code::Enter);
    desk
}

fn view(desk: &Desk) -> &EntryView {
    let Screen::Entry(view) = &desk.model.screen else {
        panic!("no entry is open");
    };
    view
}

fn look_for(desk: &mut Desk, what: &str) {
    desk.char('/');
    for _ in 0..40 {
        desk.press(Code::Backspace);
    }
    what.chars().for_each(|c| drop(desk.char(c)));
    desk.press(Code::Enter);
}

/// Lines of text, each with its number.
fn many_lines(count: usize) -> Vec<u8> {
    let lines: Vec<String> = (0..count).map(|i| format!("line {i} of it")).collect();
    lines.join("\n").into_bytes()
}

#[test]
fn what_is_looked_for_comes_into_sight_and_n_goes_round() {
    let mut desk = opened(&many_lines(500));
    look_for(&mut desk, "line 49");
    let found = view(&desk).found.clone().unwrap();
    assert_eq!(found.hits.len(), 11);
    assert!(view(&desk).scroll > 30);
    desk.char('n');
    assert_eq!(view(&desk).found.as_ref().unwrap().at, 1);
    assert!(view(&desk).scroll > 400);
    desk.char('N');
    desk.char('N');
    assert_eq!(view(&desk).found.as_ref().unwrap().at, 10);
    let toast = desk.model.toast.as_ref().unwrap();
    assert_eq!(toast.text, "from the other end again");
}

#[test]
fn bytes_are_found_on_the_hex_face() {
    let mut desk = opened(b"a\x00\xffb");
    desk.press(Code::Tab);
    assert_eq!(view(&desk).face, Face::Hex);
    look_for(&mut desk, "00ff");
    assert_eq!(view(&desk).found.as_ref().unwrap().hits.len(), 1);
    look_for(&mut desk, "00fe");
    desk.char('n');
    let toast = desk.model.toast.as_ref().unwrap();
    assert_eq!(toast.text, "not found in this entry");
}

#[test]
fn letters_typed_to_be_looked_for_are_no_keys() {
    let mut desk = opened(b"quit?");
    desk.char('/');
    let effects = desk.char('q');
    assert!(effects.is_empty() && desk.model.prompt.is_some());
    desk.press(Code::Esc);
    assert!(desk.model.prompt.is_none());
    assert!(matches!(desk.model.screen, Screen::Entry(_)));
}

#[test]
fn a_payload_of_a_megabyte_is_laid_out_once_for_each_width() {
    let mut desk = opened(&many_lines(60_000));
    let lines = |desk: &Desk| view(desk).laid.clone().unwrap();
    let first = lines(&desk);
    desk.press(Code::PageDown);
    desk.key(Key::char('G'));
    let then = lines(&desk);
    let (a, b) = (first.lines.unwrap(), then.lines.unwrap());
    assert!(std::sync::Arc::ptr_eq(&a, &b));
    assert_eq!(a.len(), 60_000);
    assert!(view(&desk).scroll > 59_900);
    desk.tell(Msg::Resized(100, 40));
    assert_ne!(lines(&desk).columns, first.columns);
}

/// The scores that are asked for, answered with `score` for each member.
fn answer_scores(desk: &mut Desk, score: Option<f64>) -> bool {
    let open = std::mem::take(&mut desk.open);
    let mut asked = false;
    for effect in open {
        let Effect::Filter(filter::Effect::CheckScores {
            generation,
            queue,
            members,
        }) = effect
        else {
            desk.answer(&effect);
            continue;
        };
        asked = true;
        let scores = members.into_iter().map(|member| (member, score)).collect();
        desk.tell(Msg::Filter(filter::Msg::ScoresChecked {
            generation,
            queue,
            result: Ok(scores),
        }));
    }
    asked
}

#[test]
fn an_opened_entry_says_when_it_has_left_the_queue_and_when_it_is_requeued() {
    let mut desk = opened(b"hello");
    for score_now in [None, Some(score(START.plus(90_000)))] {
        let mut asked = false;
        for _ in 0..30 {
            desk.pass(100);
            asked |= answer_scores(&mut desk, score_now);
        }
        assert!(asked, "nobody looked");
        assert_eq!(view(&desk).gone.is_some(), score_now.is_none());
        assert_eq!(view(&desk).requeued.is_some(), score_now.is_some());
    }
    assert_eq!(view(&desk).row.due.at(), Some(START.plus(90_000)));
}

#[test]
fn the_other_face_shows_about_the_same_place_and_what_was_found() {
    let mut desk = opened(&many_lines(500));
    desk.press(Code::Tab);
    assert_eq!(view(&desk).scroll, 0);
    desk.press(Code::Tab);
    desk.press(Code::End);
    let last = view(&desk).scroll;
    desk.press(Code::Tab);
    let bytes = view(&desk).row.member.len();
    assert!((view(&desk).scroll + 40) * 16 > bytes);
    desk.press(Code::Tab);
    assert_eq!(view(&desk).scroll, last);
    look_for(&mut desk, "line 250 of");
    desk.press(Code::Tab);
    let hit = view(&desk)
        .row
        .member
        .windows(8)
        .position(|w| w == b"line 250")
        .unwrap()
        / 16;
    assert!((view(&desk).scroll..view(&desk).scroll + 28).contains(&hit));
}

// --- The tree -------------------------------------------------------------------------------------

const ORDER: &[u8] = br#"{"id":42,"tags":["new","vip"],"to":{"city":"Oslo"}}"#;

/// What the line under the cursor is called.
fn under(desk: &Desk) -> String {
    let tree = view(desk).tree.as_ref().unwrap();
    tree.lines[tree.line()].name.clone()
}

fn copied(effects: &[Effect]) -> &str {
    match effects {
        [Effect::Copy(text)] => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_object_opens_as_a_tree_which_folds_and_goes_in_and_out() {
    let mut desk = opened(ORDER);
    assert_eq!(view(&desk).face, Face::Tree);
    desk.press(Code::Down);
    desk.press(Code::Down);
    assert_eq!(under(&desk), "tags");
    desk.press(Code::Enter);
    desk.press(Code::Down);
    assert_eq!(under(&desk), "to");
    desk.press(Code::Right);
    assert_eq!(under(&desk), "city");
    desk.press(Code::Left);
    assert_eq!(under(&desk), "to");
    desk.press(Code::Left);
    desk.press(Code::Left);
    assert_eq!(under(&desk), "");
    let shown = view(&desk).tree.as_ref().unwrap().shown.len();
    assert_eq!(shown, 4);
}

#[test]
fn a_tree_has_a_text_the_payload_as_it_lies_and_bytes_behind_it() {
    // {"id": "a\u0000"} in MessagePack.
    let mut desk = opened(b"\x81\xa2id\xa2a\x00");
    let mut faces = Vec::new();
    for _ in 0..4 {
        desk.press(Code::Tab);
        let lines = view(&desk).laid.clone().and_then(|laid| laid.lines);
        let first = lines.and_then(|lines| Some(lines.first()?.text.clone()));
        faces.push((view(&desk).face, first.unwrap()));
    }
    let shown: Vec<(Face, &str)> = faces.iter().map(|(f, s)| (*f, s.as_str())).collect();
    let raw = r"\x81\xa2id\xa2a\x00";
    let expected = [
        (Face::Text, "{"),
        (Face::Raw, raw),
        (Face::Hex, "{"),
        (Face::Tree, "{"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn what_is_found_in_a_folded_value_is_unfolded() {
    let mut desk = opened(ORDER);
    desk.press(Code::Left);
    assert_eq!(view(&desk).tree.as_ref().unwrap().shown.len(), 1);
    look_for(&mut desk, "OSLO");
    assert_eq!(under(&desk), "city");
    assert_eq!(view(&desk).tree.as_ref().unwrap().shown.len(), 7);
}

#[test]
fn a_value_and_its_path_are_copied() {
    let mut desk = opened(ORDER);
    look_for(&mut desk, "vip");
    assert_eq!(copied(&desk.char('y')), "vip");
    assert_eq!(copied(&desk.char('c')), ".tags[1]");
    desk.key(Key::char('g'));
    let whole = desk.char('y');
    assert_eq!(copied(&whole), str::from_utf8(ORDER).unwrap());
}

#[test]
fn a_large_tree_is_read_once_and_its_cursor_stays_in_sight() {
    let many: Vec<String> = (0..20_000).map(|i| format!("\"value {i}\"")).collect();
    let mut desk = opened(format!("[{}]", many.join(",")).as_bytes());
    desk.key(Key::char('G'));
    let end = view(&desk).scroll;
    assert!(end > 19_900, "{end}");
    desk.press(Code::PageUp);
    assert!(view(&desk).scroll < end);
    let tree = view(&desk).tree.as_ref().unwrap();
    assert!((view(&desk).scroll..=end).contains(&tree.cursor));
}

#[test]
fn a_click_chooses_a_value_and_another_one_folds_it() {
    let mut desk = opened(ORDER);
    let (x, y) = cell_of(&desk.model, Target::Value(2)).unwrap();
    desk.tell(Msg::Clicked(x, y));
    assert_eq!(under(&desk), "tags");
    assert_eq!(view(&desk).tree.as_ref().unwrap().shown.len(), 7);
    desk.tell(Msg::Clicked(x, y));
    assert_eq!(view(&desk).tree.as_ref().unwrap().shown.len(), 5);
}
