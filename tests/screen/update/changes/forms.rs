//! The forms before a change: another due time, another payload, the menu of repairs.

use delayscope::payload::Codec;
use delayscope::queue::change::{Base, ChangeRequest, NewDue};
use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::{Change, LinkState, Outcome, State, Tally};
use delayscope::tui::change;
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::edit::EditForm;
use delayscope::tui::effect::Effect;
use delayscope::tui::form::{self, Part};
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::Overlay;
use delayscope::tui::msg::Msg;
use delayscope::tui::requeue::RequeueForm;

use super::{applied, asked, desk, generation, plan, planned, toast};
use crate::desk::{Desk, member, text_of};

fn submit(desk: &mut Desk) -> Vec<Effect> {
    desk.key(Key::ctrl('s'))
}

fn requeue(desk: &Desk) -> &RequeueForm {
    match &desk.model.overlay {
        Some(Overlay::Requeue(form)) => form,
        other => panic!("no form: {other:?}"),
    }
}

fn edit(desk: &Desk) -> &EditForm {
    match &desk.model.overlay {
        Some(Overlay::Edit(form)) => form,
        other => panic!("no form: {other:?}"),
    }
}

#[test]
fn r_gives_another_due_time_and_the_plan_is_asked_about() {
    let mut desk = desk();
    desk.char('r');
    desk.key(Key::ctrl('u'));
    desk.type_in("1h30m");
    let effects = submit(&mut desk);
    let new = NewDue {
        base: Base::In(5_400_000),
        spread_ms: 0,
    };
    let wish = asked(&effects).unwrap();
    assert_eq!(wish.what, ChangeRequest::Requeue(new));
    assert!(matches!(wish.which, MarkedEntries::One(entry) if entry.member == member(0)));
    assert_eq!(desk.model.overlay, None);
    planned(&mut desk, wish.generation, plan(Change::Requeue, 1));
    assert!(applied(&desk.char('y')));
}

#[test]
fn enter_takes_what_the_form_for_due_times_proposes() {
    let mut desk = desk();
    desk.char('r');
    let picture = text_of(&desk.model);
    assert!(picture.contains("⏎ requeue"), "{picture}");
    let wish = asked(&desk.press(Code::Enter)).unwrap();
    let new = NewDue {
        base: Base::In(300_000),
        spread_ms: 0,
    };
    assert_eq!(wish.what, ChangeRequest::Requeue(new));
}

#[test]
fn marked_ones_are_spread_in_their_order() {
    let mut desk = desk();
    desk.char('a');
    desk.char('r');
    assert_eq!(requeue(&desk).count, (10, true));
    desk.press(Code::Tab);
    desk.key(Key::ctrl('u'));
    desk.type_in("9m");
    assert_eq!(
        requeue(&desk).what_spread().words(),
        "in their order, one every 1:00"
    );
    let wish = asked(&submit(&mut desk)).unwrap();
    let new = NewDue {
        base: Base::In(300_000),
        spread_ms: 540_000,
    };
    assert_eq!(wish.what, ChangeRequest::Requeue(new));
    assert!(matches!(wish.which, MarkedEntries::Marks(_)));
}

#[test]
fn what_is_wrong_is_said_and_gets_the_keys() {
    let mut desk = desk();
    desk.char('r');
    desk.key(Key::ctrl('u'));
    desk.type_in("soon");
    desk.press(Code::Tab);
    assert_eq!(asked(&submit(&mut desk)), None);
    assert_eq!(requeue(&desk).at, Part::When);
    assert!(toast(&desk).contains("90s"), "{}", toast(&desk));
}

#[test]
fn a_refresh_never_changes_what_a_form_is_about() {
    let mut desk = desk();
    desk.char('r');
    let before = requeue(&desk).clone();
    desk.world[0].entries.clear();
    desk.live(3_000, 5);
    assert_eq!(*requeue(&desk), before);
}

#[test]
fn what_is_typed_into_a_form_does_nothing_else_and_esc_closes_it() {
    let mut desk = desk();
    desk.char('r');
    let effects: Vec<Effect> = "xptDKuRqy".chars().flat_map(|c| desk.char(c)).collect();
    assert_eq!(asked(&effects), None);
    assert!(requeue(&desk).when.text().ends_with("xptDKuRqy"));
    desk.press(Code::Esc);
    assert_eq!(desk.model.overlay, None);
}

#[test]
fn a_delivered_one_goes_back_in_or_at_but_not_by() {
    let mut desk = desk();
    desk.char('2');
    desk.answer_all();
    desk.char('r');
    assert!(requeue(&desk).timeless);
    let delivered = |e: &delayscope::queue::Entry| e.state == State::Delivered;
    let wish = asked(&submit(&mut desk)).unwrap();
    assert!(matches!(&wish.which, MarkedEntries::One(entry) if delivered(entry)));
}

#[test]
fn e_gives_another_payload_in_the_codec_that_wrote_it() {
    let mut desk = desk();
    desk.char('e');
    assert_eq!(edit(&desk).codec, Codec::Text);
    assert_eq!(edit(&desk).payload.text(), "entry 0");
    assert_eq!(asked(&submit(&mut desk)), None);
    assert!(toast(&desk).contains("nothing is changed"));
    desk.type_in("!");
    let wish = asked(&submit(&mut desk)).unwrap();
    assert_eq!(wish.what, ChangeRequest::Edit(b"entry 0!".to_vec()));
    assert!(matches!(wish.which, MarkedEntries::One(entry) if entry.member == member(0)));
    assert_eq!(desk.model.overlay, None);
}

#[test]
fn what_was_typed_is_back_when_it_could_not_be_saved() {
    let tried = || {
        let mut desk = desk();
        desk.char('e');
        desk.type_in("!");
        let generation = generation(&submit(&mut desk));
        assert_eq!(desk.model.overlay, None);
        (desk, generation)
    };
    let ended = |outcome| {
        let mut tally = Tally::default();
        tally.add(outcome, 1);
        super::ended(Change::Edit, tally)
    };
    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Edit, 1));
    desk.char('y');
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ended(Outcome::Gone),
    )));
    assert_eq!(toast(&desk), "0 of 1 edited; 1 of 1 was already gone");
    assert_eq!(edit(&desk).payload.text(), "entry 0!");

    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Edit, 0));
    assert_eq!(edit(&desk).payload.text(), "entry 0!");

    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Edit, 1));
    desk.char('n');
    assert_eq!(edit(&desk).payload.text(), "entry 0!", "not yet, then");

    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Edit, 1));
    desk.char('y');
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ended(Outcome::Done),
    )));
    assert_eq!(desk.model.overlay, None);
}

#[test]
fn no_to_the_question_about_new_due_times_leads_back_to_their_form_and_esc_there_closes_it() {
    let tried = || {
        let mut desk = desk();
        desk.char('r');
        desk.key(Key::ctrl('u'));
        desk.type_in("1h30m");
        let generation = generation(&submit(&mut desk));
        assert_eq!(desk.model.overlay, None);
        (desk, generation)
    };
    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Requeue, 1));
    assert!(matches!(desk.model.overlay, Some(Overlay::Dialog(_))));
    desk.press(Code::Esc);
    assert_eq!(requeue(&desk).when.text(), "1h30m");
    // It asks again for the same, and takes another yes.
    let again = asked(&submit(&mut desk)).unwrap();
    planned(&mut desk, again.generation, plan(Change::Requeue, 1));
    desk.press(Code::Esc);
    desk.press(Code::Esc);
    assert_eq!(desk.model.overlay, None);

    let (mut desk, generation) = tried();
    let why = Err("the server is loading".to_owned());
    desk.tell(Msg::Change(change::Msg::Planned(generation, why)));
    assert_eq!(requeue(&desk).when.text(), "1h30m", "no plan was made");
    assert!(toast(&desk).contains("loading"), "{}", toast(&desk));

    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Requeue, 1));
    desk.key(Key::ctrl('r'));
    assert_eq!(desk.model.overlay, None);
    desk.tell(Msg::Change(change::Msg::LookAgain(generation)));
    desk.press(Code::Esc);
    assert_eq!(requeue(&desk).when.text(), "1h30m", "looked at again");

    let (mut desk, _) = tried();
    desk.press(Code::Esc);
    assert_eq!(requeue(&desk).when.text(), "1h30m", "planned no more");

    let (mut desk, generation) = tried();
    planned(&mut desk, generation, plan(Change::Requeue, 0));
    assert_eq!(desk.model.overlay, None, "there is nothing left to requeue");
}

#[test]
fn esc_while_another_payload_is_planned_loses_nothing_of_it() {
    let mut desk = desk();
    desk.char('e');
    desk.type_in("!");
    generation(&submit(&mut desk));
    desk.press(Code::Esc);
    assert_eq!(edit(&desk).payload.text(), "entry 0!");
}

#[test]
fn bytes_are_edited_in_hex() {
    let mut desk = desk();
    desk.char('e');
    desk.press(Code::Tab);
    desk.press(Code::Left);
    assert_eq!(edit(&desk).codec, Codec::Unknown);
    assert_eq!(edit(&desk).payload.text(), "65 6e 74 72 79 20 30");
    desk.press(Code::BackTab);
    desk.type_in("0");
    assert_eq!(asked(&submit(&mut desk)), None, "half a byte");
    assert!(toast(&desk).contains("one is missing"), "{}", toast(&desk));
    desk.type_in("0");
    let wish = asked(&submit(&mut desk)).unwrap();
    assert_eq!(wish.what, ChangeRequest::Edit(b"entry 0\0".to_vec()));
}

#[test]
fn ctrl_e_hands_the_payload_to_an_editor_and_takes_it_back() {
    let mut desk = desk();
    desk.char('e');
    let effects = desk.key(Key::ctrl('e'));
    let text = "entry 0".to_owned();
    let extension = "txt";
    assert!(effects.contains(&Effect::Edit { text, extension }));
    desk.tell(Msg::Form(form::Msg::Edited(Ok(
        "from the editor".to_owned()
    ))));
    assert_eq!(edit(&desk).bytes().as_deref(), Ok(&b"from the editor"[..]));
}

#[test]
fn several_marked_ones_are_not_edited() {
    let mut desk = desk();
    desk.char(' ');
    desk.char('e');
    assert_eq!(desk.model.overlay, None);
    assert!(toast(&desk).contains("one entry is edited at a time"));
}

#[test]
fn an_opened_entry_is_what_the_keys_act_on() {
    let mut desk = desk();
    desk.press(Code::Down);
    desk.press(Code::Enter);
    desk.char('e');
    assert_eq!(edit(&desk).payload.text(), "entry 1");
    desk.press(Code::Esc);
    let wish = asked(&desk.char('x')).unwrap();
    assert!(matches!(wish.which, MarkedEntries::One(entry) if entry.member == member(1)));
}

#[test]
fn what_was_filled_in_stays_while_something_is_in_its_way() {
    let mut desk = desk();
    let first = generation(&desk.char('x'));
    planned(&mut desk, first, plan(Change::Delete, 2));
    desk.char('y');
    desk.pass(300);
    desk.char('r');
    assert_eq!(asked(&submit(&mut desk)), None);
    assert!(toast(&desk).contains("is under way"), "{}", toast(&desk));
    requeue(&desk);
    desk.link(LinkState::Connecting);
    assert_eq!(asked(&submit(&mut desk)), None);
    assert!(toast(&desk).contains("no connection"), "{}", toast(&desk));
    desk.link(LinkState::Live);
    desk.tell(Msg::Change(change::Msg::Applied(
        first,
        ChangeEvent::Failed("no".to_owned()),
    )));
    assert!(asked(&submit(&mut desk)).is_some());
}
