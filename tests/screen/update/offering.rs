//! The form that offers.

use delayscope::payload::{Codec, PayloadContent};
use delayscope::queue::{EntryId, Form, Queue};
use delayscope::tui::effect::Effect;
use delayscope::tui::form::{self, InputForm as _, Part};
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::Overlay;
use delayscope::tui::msg::Msg;
use delayscope::tui::offer::OfferRequest;
use delayscope::tui::offer::{self, OfferForm, OfferReply, SeenFormat};

use crate::desk::Desk;

/// A desk with the form open on `orders`, whose entries are known to be JSON in the newer frames.
fn opened() -> Desk {
    let mut desk = Desk::of_one(5);
    let asked = desk.char('o');
    assert!(
        asked.contains(&Effect::Offer(offer::Effect::Sample(Queue::redisson(
            "orders"
        ))))
    );
    seen(&mut desk, Some(Form::ByteId), Some(Codec::TypedJson));
    desk
}

fn seen(desk: &mut Desk, form: Option<Form>, codec: Option<Codec>) {
    let queue = Queue::redisson("orders");
    desk.tell(Msg::Offer(offer::Msg::Sampled(
        queue,
        SeenFormat::Known {
            form,
            codec,
            held: PayloadContent::Text,
        },
    )));
}

fn form(desk: &Desk) -> &OfferForm {
    match &desk.model.overlay {
        Some(Overlay::Offer(form)) => form,
        other => panic!("no form: {other:?}"),
    }
}

fn type_in(desk: &mut Desk, text: &str) {
    for c in text.chars() {
        desk.char(c);
    }
}

fn offer_of(effects: &[Effect]) -> Option<OfferRequest> {
    effects.iter().find_map(|effect| match effect {
        Effect::Offer(offer::Effect::Make(offer)) => Some((**offer).clone()),
        _ => None,
    })
}

fn done(count: u8) -> OfferReply {
    OfferReply::Done {
        journal_id: "offered-1".to_owned(),
        ids: (0..count).map(|i| EntryId([i + 1; 8])).collect(),
        refused: 0,
        head: true,
        unannounced: None,
        stopped: None,
    }
}

fn answer(desk: &mut Desk, offer: &OfferRequest, outcome: OfferReply) {
    desk.tell(Msg::Offer(offer::Msg::Answered {
        generation: offer.generation,
        queue: offer.queue.clone(),
        due: offer.due,
        outcome,
    }));
}

#[test]
fn what_is_typed_is_offered_as_the_queue_has_it() {
    let mut desk = opened();
    type_in(&mut desk, r#"{"qw":1}"#);
    let now = desk.now();
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    assert_eq!(offer.payload, br#"{"qw":1}"#);
    assert_eq!((offer.count, offer.form), (1, Form::ByteId));
    assert_eq!(offer.due, now.plus(5_000));
    assert!(desk.key(Key::ctrl('s')).is_empty(), "it is on its way");
    answer(&mut desk, &offer, done(1));
    assert_eq!(desk.model.overlay, None);
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(toast.text.starts_with("offered 1, due "), "{}", toast.text);
    assert!(toast.text.contains("010101…"), "{}", toast.text);
}

#[test]
fn more_than_a_thousand_are_offered_when_the_queues_name_was_typed() {
    let mut desk = opened();
    type_in(&mut desk, "one");
    for _ in 0..4 {
        desk.key(Key::of(Code::Tab));
    }
    assert_eq!(form(&desk).at, Part::Count);
    desk.key(Key::of(Code::Backspace));
    type_in(&mut desk, "1001");
    let asked = desk.key(Key::ctrl('s'));
    assert_eq!(offer_of(&asked), None);
    let Some(Overlay::Dialog(dialog)) = &desk.model.overlay else {
        panic!("no question: {:?}", desk.model.overlay);
    };
    assert!(dialog.name.is_some(), "{dialog:?}");
    // No: the form is there again, as it was filled in.
    desk.key(Key::of(Code::Esc));
    assert_eq!(form(&desk).count.text(), "1001");
    desk.key(Key::ctrl('s'));
    type_in(&mut desk, "orders");
    let agreed = desk.key(Key::of(Code::Enter));
    let offer = offer_of(&agreed).unwrap();
    assert_eq!(offer.count, 1_001);
    assert_eq!(form(&desk).sending, Some(offer.generation));
    answer(&mut desk, &offer, done(200));
    assert_eq!(desk.model.overlay, None);
}

#[test]
fn tab_enter_and_arrows_fill_in_every_field() {
    let mut desk = opened();
    type_in(&mut desk, "one");
    desk.press(Code::Enter);
    type_in(&mut desk, "two");
    desk.press(Code::Tab);
    for _ in 0..Codec::ALL.len() {
        desk.press(Code::Left);
    }
    desk.press(Code::Enter);
    desk.press(Code::Right);
    desk.press(Code::Tab);
    desk.key(Key::ctrl('u'));
    type_in(&mut desk, "+1h");
    desk.press(Code::Enter);
    desk.press(Code::Backspace);
    type_in(&mut desk, "3");
    desk.press(Code::Enter);
    assert_eq!(form(&desk).at, Part::Button);
    let now = desk.now();
    let offer = offer_of(&desk.press(Code::Enter)).unwrap();
    assert_eq!(offer.payload, b"one\ntwo");
    assert_eq!((offer.count, offer.form), (3, Form::DoubleId));
    assert_eq!(offer.due, now.plus(3_600_000));
}

#[test]
fn what_is_wrong_is_said_where_it_stands_and_nothing_is_offered() {
    let mut desk = opened();
    let wrong = |desk: &mut Desk, part| {
        assert_eq!(offer_of(&desk.key(Key::ctrl('s'))), None);
        assert_eq!(form(desk).at, part);
        assert!(desk.model.toast.is_some());
    };
    wrong(&mut desk, Part::Payload);
    type_in(&mut desk, "{\"a\":");
    desk.press(Code::Tab);
    wrong(&mut desk, Part::Payload);
    type_in(&mut desk, "1}");
    for _ in 0..3 {
        desk.press(Code::Tab);
    }
    type_in(&mut desk, "x");
    desk.press(Code::Tab);
    wrong(&mut desk, Part::Due);
}

/// The form with a message, sent off before the queue's entries have been looked at.
fn sent_early() -> Desk {
    let mut desk = Desk::of_one(5);
    desk.char('o');
    type_in(&mut desk, "\"hello\"");
    assert_eq!(offer_of(&desk.key(Key::ctrl('s'))), None);
    assert_eq!(form(&desk).at, Part::Payload, "nothing is wrong");
    assert_eq!(desk.model.toast, None);
    desk
}

#[test]
fn what_is_sent_off_before_the_queue_was_looked_at_goes_when_it_was_and_as_it_has_it() {
    let mut desk = sent_early();
    type_in(&mut desk, "x");
    let queue = Queue::redisson("orders");
    let (form_of, codec) = (Some(Form::DoubleId), Some(Codec::Json));
    let known = SeenFormat::Known {
        form: form_of,
        codec,
        held: PayloadContent::Text,
    };
    let offer = offer_of(&desk.tell(Msg::Offer(offer::Msg::Sampled(queue, known)))).unwrap();
    assert_eq!(
        offer.payload, br#""hello""#,
        "what was typed after is not in"
    );
    assert_eq!(offer.form, Form::DoubleId);
    assert!(desk.key(Key::ctrl('s')).is_empty(), "it is on its way");
}

#[test]
fn what_was_sent_off_early_is_not_offered_when_the_queue_says_nothing_or_the_form_was_closed() {
    let queue = Queue::redisson("orders");
    let mut desk = sent_early();
    let failed = SeenFormat::Failed("it never answered".to_owned());
    let effects = desk.tell(Msg::Offer(offer::Msg::Sampled(queue.clone(), failed)));
    assert_eq!(offer_of(&effects), None);
    assert!(desk.model.toast.take().is_some());
    assert!(!form(&desk).is_sent(), "it can be filled in again");

    let mut desk = sent_early();
    desk.press(Code::Esc);
    let known = SeenFormat::Known {
        form: Some(Form::ByteId),
        codec: Some(Codec::Json),
        held: PayloadContent::Text,
    };
    assert_eq!(
        offer_of(&desk.tell(Msg::Offer(offer::Msg::Sampled(queue, known)))),
        None
    );
    desk.char('o');
    assert!(!form(&desk).is_sent());
}

#[test]
fn a_frame_form_that_nothing_tells_has_to_be_chosen() {
    let mut desk = opened();
    seen(&mut desk, None, None);
    type_in(&mut desk, "hello");
    assert_eq!(offer_of(&desk.key(Key::ctrl('s'))), None);
    assert_eq!(form(&desk).at, Part::Form);
    desk.press(Code::Right);
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    assert_eq!(offer.form, Form::ByteId);
    assert_eq!(
        offer.payload, b"hello",
        "text, since nothing tells otherwise"
    );
}

#[test]
fn esc_keeps_the_draft_and_each_queue_has_its_own() {
    let mut desk = opened();
    type_in(&mut desk, "draft");
    desk.press(Code::Esc);
    assert_eq!(desk.model.overlay, None);
    desk.char('o');
    assert_eq!(form(&desk).payload.text(), "draft");
    assert_eq!(form(&desk).queue, Queue::redisson("orders"));
}

#[test]
fn what_was_offered_last_is_there_for_the_next_time() {
    let mut desk = opened();
    type_in(&mut desk, "{}");
    desk.press(Code::Tab);
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    answer(&mut desk, &offer, done(1));
    desk.char('o');
    let shown = form(&desk);
    // What is typed first is the next message.
    assert_eq!((&*shown.payload.text(), shown.at), ("{}", Part::Payload));
    let again = offer_of(&desk.key(Key::ctrl('s')));
    assert!(again.is_some_and(|again| again.generation > offer.generation));
}

#[test]
fn a_failure_keeps_the_form_open_with_its_reason() {
    let mut desk = opened();
    type_in(&mut desk, "{}");
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    answer(&mut desk, &offer, OfferReply::Failed("OOM".to_owned()));
    let failed = form(&desk).failed.clone().unwrap();
    assert!(failed.contains("nothing was offered") && failed.contains("OOM"));
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    let OfferReply::Done {
        ids,
        refused,
        head,
        unannounced,
        ..
    } = done(0)
    else {
        panic!();
    };
    let stopped = Some(("no answer".to_owned(), 1, 0));
    let unknown = OfferReply::Done {
        journal_id: "offered-2".to_owned(),
        ids,
        refused,
        head,
        unannounced,
        stopped,
    };
    answer(&mut desk, &offer, unknown);
    let failed = form(&desk).failed.clone().unwrap();
    assert!(
        failed.contains("1 in or not: the answer never came"),
        "{failed}"
    );
}

#[test]
fn an_answer_that_comes_after_the_form_was_closed_is_told() {
    let mut desk = opened();
    type_in(&mut desk, "{}");
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    desk.press(Code::Esc);
    answer(&mut desk, &offer, done(2));
    let toast = desk.model.toast.as_ref().unwrap();
    assert!(toast.text.starts_with("offered 2"), "{}", toast.text);
}

#[test]
fn a_paste_goes_into_the_field_and_is_no_command() {
    let mut desk = opened();
    desk.tell(Msg::Pasted("{\n  \"q\": 1\n}".to_owned()));
    assert_eq!(form(&desk).payload.lines().len(), 3);
    desk.press(Code::Tab);
    desk.tell(Msg::Pasted("q".to_owned()));
    assert!(matches!(desk.model.overlay, Some(Overlay::Offer(_))));
}

#[test]
fn the_editor_gets_the_message_and_brings_it_back() {
    let mut desk = opened();
    type_in(&mut desk, "{}");
    let asked = desk.key(Key::ctrl('e'));
    let edit = Effect::Edit {
        text: "{}".to_owned(),
        extension: "json",
    };
    assert!(asked.contains(&edit));
    desk.tell(Msg::Form(form::Msg::Edited(Ok("[1]".to_owned()))));
    assert_eq!(form(&desk).payload.text(), "[1]");
    desk.tell(Msg::Form(form::Msg::Edited(Err("no editor".to_owned()))));
    assert_eq!(form(&desk).payload.text(), "[1]");
    assert_eq!(desk.model.toast.as_ref().unwrap().text, "no editor");
}

#[test]
fn a_read_only_session_says_why_there_is_no_form() {
    let mut desk = Desk::of_one(5);
    desk.model.site.read_only = true;
    for key in ['o', 'w'] {
        desk.model.toast = None;
        desk.char(key);
        assert_eq!(desk.model.overlay, None);
        assert!(
            desk.model
                .toast
                .as_ref()
                .unwrap()
                .text
                .contains("read-only")
        );
    }
}

#[test]
fn a_queue_without_frames_has_no_form_to_choose() {
    let queue: Queue = "zset-list:jobs,ready".parse().unwrap();
    let form = OfferForm::new(queue);
    assert!(!form.parts().contains(&Part::Form));
}

#[test]
fn leaving_asks_while_an_offer_has_no_answer_yet() {
    let mut desk = opened();
    type_in(&mut desk, "text");
    let offer = offer_of(&desk.key(Key::ctrl('s'))).unwrap();
    desk.press(Code::Esc);
    assert!(!desk.char('q').contains(&Effect::Quit));
    assert!(matches!(desk.model.overlay, Some(Overlay::Dialog(_))));
    answer(&mut desk, &offer, done(1));
    desk.press(Code::Esc);
    assert!(desk.char('q').contains(&Effect::Quit));
}
