//! What lies over the screen: questions and the form that offers.

use std::time::Duration;

use delayscope::payload::{Codec, PayloadContent};
use delayscope::queue::{Form, Queue};
use delayscope::tui::dialog::{Button, Dialog, DialogLine, Question, TypedName};
use delayscope::tui::form::Part;
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Overlay};
use delayscope::tui::offer::check::check_message;
use delayscope::tui::offer::{OfferForm, SeenFormat};
use delayscope::tui::view;

use delayscope::tui::worker::{Worker, WorkerState};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::screens::build::{evening, look};
use crate::screens::pictures::{draw, picture};

const SIZES: [(&str, (u16, u16)); 3] = [
    ("80x24", (80, 24)),
    ("120x40", (120, 40)),
    ("200x60", (200, 60)),
];

fn question(name: bool) -> Dialog {
    let orders = Queue::redisson("orders");
    let words = |words: &str| DialogLine::Words(words.to_owned());
    Dialog {
        title: "Worker".to_owned(),
        lines: vec![
            words(
                "Move every due entry of orders from timeouts to its target orders, from now on \
                 and as long as this screen is open?",
            ),
            DialogLine::Blank,
            DialogLine::Fact("waiting", "1,000,000".to_owned()),
            DialogLine::Fact("late now", "12: moved at once".to_owned()),
            DialogLine::Warning("It tries again: OOM".to_owned()),
            DialogLine::Blank,
            words("It cannot be undone: what it transfers stays transferred."),
        ],
        yes: "start",
        no: "cancel",
        name: name.then(|| TypedName::of(&orders, "1,204 entries at once".to_owned())),
        focus: Button::No,
        opened_by: None,
        question: Question::StartWorker(orders),
        told: None,
    }
}

pub(crate) fn asked(size: (u16, u16), look: Look, name: bool) -> Model {
    let mut m = evening(size, look);
    m.overlay = Some(Overlay::Dialog(Box::new(question(name))));
    m
}

pub(crate) fn form(payload: &str, form: Option<Form>) -> OfferForm {
    let mut offer = OfferForm::new(Queue::redisson("orders"));
    offer.payload.set(payload);
    offer.seen = SeenFormat::Known {
        form,
        codec: Some(Codec::Json),
        held: PayloadContent::Text,
    };
    offer.message = check_message(&offer);
    offer
}

pub(crate) fn offering(size: (u16, u16), look: Look, offer: OfferForm) -> Model {
    let mut m = evening(size, look);
    m.overlay = Some(Overlay::Offer(Box::new(offer)));
    m
}

const ORDER: &str = "{\n  \"@class\": \"acme.Order\",\n  \"orderId\": 465801\n}";

#[test]
fn a_question_at_three_sizes() {
    for (name, size) in SIZES {
        picture(&format!("question_{name}"), &asked(size, look(), false));
    }
}

#[test]
fn a_question_that_wants_the_queues_name() {
    let mut m = asked((80, 24), look(), true);
    if let Some(Overlay::Dialog(dialog)) = &mut m.overlay
        && let Some(name) = &mut dialog.name
    {
        name.field.set("order");
        name.wrong = true;
    }
    picture("question_name", &m);
}

#[test]
fn the_form_that_offers_at_three_sizes() {
    for (name, size) in SIZES {
        let offer = form(ORDER, Some(Form::ByteId));
        picture(&format!("offer_{name}"), &offering(size, look(), offer));
    }
}

#[test]
fn the_form_says_what_is_wrong() {
    let mut offer = form("{\"orderId\": ", None);
    offer.at = Part::Due;
    offer.due.set("5");
    offer.count.set("20000");
    offer.failed = Some("nothing was offered: prod-1:6379/0 refused to offer: OOM".to_owned());
    picture("offer_wrong", &offering((80, 24), look(), offer));
}

#[test]
fn a_worker_is_seen_in_the_header_at_every_width() {
    for (name, size) in SIZES {
        let mut m = evening(size, look());
        let since = m.instant.checked_sub(Duration::from_secs(10)).unwrap();
        m.workers.at_work.push(Worker {
            moved: 1_204,
            state: WorkerState::AtWork,
            ..Worker::new(Queue::redisson("orders"), since)
        });
        let head = |m: &Model| -> String {
            let buf = draw(m);
            (0..m.size.0).map(|x| buf[(x, 0)].symbol()).collect()
        };
        assert!(head(&m).contains("WORKER orders 1,204 moved"), "{name}");
        let pace = head(&m).contains("moved, 120/s, 12 late");
        assert_eq!(pace, size.0 >= 100, "{}", head(&m));
        m.workers.at_work[0].state = WorkerState::Failing("OOM".to_owned());
        assert!(head(&m).contains("retrying"), "{name}");
        let mut other = m.workers.at_work[0].clone();
        other.queue = Queue::redisson("emails");
        m.workers.at_work.push(other);
        assert!(head(&m).contains("2 WORKERS"), "{name}");
    }
}

#[test]
fn questions_and_forms_fit_any_size_and_their_answer_is_seen() {
    let long = "x".repeat(200);
    let ascii = Look {
        ascii: true,
        no_color: true,
        ..look()
    };
    let looks = [look(), ascii];
    for (w, h) in (0..=40).flat_map(|w| (0..=14).map(move |h| (w, h))) {
        // By turns, like the squares of a chessboard.
        let turn = usize::from(w + h);
        let look = &looks[turn % 2];
        for name in [false, true] {
            let mut m = asked((w, h), look.clone(), name);
            if let Some(Overlay::Dialog(dialog)) = &mut m.overlay {
                dialog.lines.insert(1, DialogLine::Words(long.clone()));
            }
            let text = all(&m);
            assert!(
                w < 30 || h < 2 || text.contains("cancel ]"),
                "{w}x{h}\n{text}"
            );
        }
        let mut offer = form(&long, Some(Form::ByteId));
        offer.at = [Part::Payload, Part::Due, Part::Button][turn % 3];
        offer.failed = Some(long.clone());
        all(&offering((w, h), look.clone(), offer));
    }
}

fn all(m: &Model) -> String {
    let (w, h) = m.size;
    let mut buf = Buffer::empty(Rect::new(0, 0, w, h));
    view::render(m, buf.area, &mut buf);
    let row = |y| -> String { (0..w).map(|x| buf[(x, y)].symbol()).collect() };
    (0..h).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_message_is_never_sent_raw_and_its_cursor_stays_in_sight() {
    let offer = form("\u{1b}[2J 订单 🎉\u{202e}", Some(Form::ByteId));
    let m = offering((80, 24), look(), offer);
    let text = all(&m);
    assert!(text.contains("\\x1b[2J"), "{text}");
    assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'));
    let mut offer = form(&"line\n".repeat(100), Some(Form::ByteId));
    offer.payload.paste("the end");
    assert!(all(&offering((80, 24), look(), offer)).contains("the end"));
}
