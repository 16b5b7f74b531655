//! Questions about a plan, and the forms before one.

use std::time::Duration;

use delayscope::payload::{self, Codec, Habit};
use delayscope::queue::plan::{Cost, Progress, Way};
use delayscope::queue::{
    Change, Due, Entry, EntryId, Frames, JudgedMember, Known, Outcome, Plan, Queue, State, Survey,
    Tally, Zoom, frame,
};
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::change::{ChangeStage, UnfinishedChange};
use delayscope::tui::dialog::DialogLine;
use delayscope::tui::dialog::preview::{Preview, Strip};
use delayscope::tui::edit::EditForm;
use delayscope::tui::form::{InputForm as _, Part};
use delayscope::tui::keys::Key;
use delayscope::tui::look::Look;
use delayscope::tui::model::{Model, Overlay};
use delayscope::tui::msg::Msg;
use delayscope::tui::repair::RepairForm;
use delayscope::tui::requeue::{DueReference, RequeueForm};
use delayscope::tui::update::update;

use crate::screens::build::{NOW, evening, look, survey};
use crate::screens::pictures::{LARGE, MIDDLE, SMALL, draw, picture};

const SIZES: [(&str, (u16, u16)); 3] = [("80x24", SMALL), ("120x40", MIDDLE), ("200x60", LARGE)];

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// What it would be to deliver `planned` entries.
fn deliver(planned: u64) -> Plan {
    let many = planned > 1;
    let says = "{\"orderId\":465801,\"customer\":\"c-06773\",\"action\":\"cancel-unpaid\"}";
    let server = "prod-1:6379/0".to_owned();
    Plan {
        profile: Some("production".to_owned()),
        planned,
        oldest: Some(Due::At(NOW.plus(-12_000))),
        newest: Some(Due::At(NOW.plus(if many { 400_000 } else { -12_000 }))),
        first: (0..planned.min(5))
            .map(|n| EntryId(n.to_be_bytes()))
            .collect(),
        says: vec![says.to_owned()],
        way: if planned > 1000 {
            Way::SetAside
        } else {
            Way::InOrder
        },
        cost: Cost {
            longest_block: Duration::from_micros(if many { 7_200 } else { 90 }),
            takes: Duration::from_millis(planned / 4),
            replicated_bytes: planned * 130,
            journal_bytes: planned * 64,
            ..Cost::default()
        },
        target: Some((3, 3 + planned)),
        consumed_per_s: many.then_some(2.5),
        warnings: vec![
            "What a consumer has taken by then cannot be taken back: undo lists it.".to_owned(),
        ],
        ..Plan::new(Change::Deliver, &orders(), server, NOW)
    }
}

/// The same for a million, with the order list set aside.
fn deliver_all() -> Plan {
    let mut plan = deliver(1_000_000);
    plan.warnings.push(
        "For about 4 s size(), contains(), remove() and poll() of Redisson clients ignore what \
         waits: the order list is rebuilt."
            .to_owned(),
    );
    plan
}

/// The screen at a stage of a change.
fn at(size: (u16, u16), look: Look, change: Change, stage: ChangeStage) -> Model {
    let mut m = evening(size, look);
    m.workers.program = Some("delayscope".to_owned());
    m.changing.one = Some(UnfinishedChange {
        generation: 1,
        change,
        called: change.label(),
        queue: orders(),
        marks: None,
        asked_for: None,
        asked_by: None,
        since: m
            .instant
            .checked_sub(Duration::from_secs(1))
            .unwrap_or(m.instant),
        stage,
    });
    let now = m.instant;
    update(&mut m, Msg::Ticked(now));
    m.now = NOW;
    m
}

pub(crate) fn asked(size: (u16, u16), look: Look, planned: u64) -> Model {
    let plan = if planned > 1000 {
        deliver_all()
    } else {
        deliver(planned)
    };
    at(
        size,
        look,
        Change::Deliver,
        ChangeStage::Asking(Box::new(plan)),
    )
}

pub(crate) fn counting(size: (u16, u16), look: Look) -> Model {
    let mut tally = Tally::default();
    tally.add(Outcome::Done, 320_000);
    let progress = Progress {
        phase: "looking",
        tally,
        planned: 1_000_000,
        back: None,
        per_s: 0.0,
        left: None,
        longest_block: Duration::ZERO,
        waits: None,
    };
    at(
        size,
        look,
        Change::Delete,
        ChangeStage::Planning(Some(progress)),
    )
}

pub(crate) fn requeue(count: u64) -> RequeueForm {
    let mut form = RequeueForm::new(orders(), MarkedEntries::Due, None);
    form.count = (count, count < 1000);
    form.due = (count == 1).then(|| NOW.plus(64_000));
    form
}

pub(crate) fn edit(payload: &[u8]) -> EditForm {
    let member = frame::encode(frame::Form::ByteId, [7; 8], payload);
    let id = orders().id(&member);
    let entry = Entry {
        member,
        score: Some(1.0),
        state: State::Waiting,
    };
    let due = Due::At(NOW.plus(64_000));
    EditForm::new(
        (orders(), Habit::default()),
        entry,
        (id, due),
        payload.to_vec(),
    )
}

pub(crate) fn with(size: (u16, u16), look: Look, overlay: Overlay) -> Model {
    let mut m = evening(size, look);
    m.overlay = Some(overlay);
    m
}

/// All of them that can lie over the screen.
pub(crate) fn all(size: (u16, u16), look: &Look) -> Vec<Model> {
    let mut spread = requeue(1_000_000);
    spread.spread.set("1h");
    let mut bad = requeue(1);
    bad.when.set("订单 \x1b[2J");
    let shown = evening(size, look.clone());
    let mut repair = RepairForm::new(&shown, &shown.queues[0]);
    repair.at = Part::Within;
    let over = |overlay| with(size, look.clone(), overlay);
    let mut all: Vec<Model> = [1, 3, 1_000_000]
        .map(|planned| asked(size, look.clone(), planned))
        .into();
    all.push(counting(size, look.clone()));
    all.extend([requeue(1), spread, bad].map(|form| over(Overlay::Requeue(Box::new(form)))));
    let payloads: [&[u8]; 3] = [
        b"{\"orderId\":1}",
        b"\x00\x01\xff",
        "订单 🎉 \x1b[2J".as_bytes(),
    ];
    all.extend(payloads.map(|bytes| over(Overlay::Edit(Box::new(edit(bytes))))));
    all.push(over(Overlay::Repair(Box::new(repair))));
    all
}

#[test]
fn a_plan_for_one_at_three_sizes() {
    for (name, size) in SIZES {
        picture(&format!("plan_one_{name}"), &asked(size, look(), 1));
    }
}

#[test]
fn a_plan_for_a_million_at_three_sizes() {
    for (name, size) in SIZES {
        picture(
            &format!("plan_many_{name}"),
            &asked(size, look(), 1_000_000),
        );
    }
}

#[test]
fn each_bar_of_what_will_be_stands_below_what_it_is_whatever_comes_to_be_later() {
    for (name, size) in SIZES {
        let mut m = asked(size, look(), 3);
        let Some(Overlay::Dialog(dialog)) = &mut m.overlay else {
            panic!("{name}: no question");
        };
        let now = Strip {
            late: 10,
            bars: (0..60).map(|n| n % 7).collect(),
            later: 0,
        };
        let then = Strip {
            late: 0,
            later: 1_234,
            ..now.clone()
        };
        let preview = Preview {
            zoom: Zoom::TenMinutes,
            frees: false,
            now,
            then,
        };
        dialog.lines = vec![DialogLine::Preview(Box::new(preview))];
        let bars = |label: &str| {
            let picture = draw(&m);
            let line = |y| (0..size.0).map(move |x| (x, y));
            let rows = (0..size.1).map(|y| line(y).map(|at| picture[at].symbol()).collect());
            let mut rows = rows.collect::<Vec<String>>().into_iter();
            let row = rows.find(|row| row.contains(label)).expect(name);
            let (_, bars) = row.rsplit_once('┃').unwrap();
            bars.split("10 min").next().unwrap().trim_end().to_owned()
        };
        assert!(bars("10 late").chars().count() >= 10, "{}", bars("10 late"));
        assert_eq!(bars("10 late"), bars(" 0 late"), "{name}");
    }
}

/// All these words stand on the screen.
fn assert_told(text: &str, told: &[&str]) {
    for words in told {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn a_plan_says_all_of_it_on_the_smallest_screen_that_is_complete() {
    let text = text(&asked(SMALL, look(), 1_000_000));
    let told = [
        "Transfer 1,000,000 entries of orders",
        "and 999,999 more",
        "3 → 1,000,003",
        "For about 4 s",
        "production",
        "Type the queue's name",
        "cancel ]",
    ];
    assert_told(&text, &told);
}

#[test]
fn counting_is_told_and_how_it_is_stopped() {
    picture("counting", &counting(SMALL, look()));
}

#[test]
fn another_due_time_at_three_sizes() {
    for (name, size) in SIZES {
        let mut form = requeue(10_000);
        form.at = Part::Spread;
        form.spread.set("1h");
        let overlay = Overlay::Requeue(Box::new(form));
        picture(&format!("requeue_{name}"), &with(size, look(), overlay));
    }
}

#[test]
fn another_due_time_says_what_it_means_or_what_is_wrong() {
    let shown = |how, typed: &str, count| {
        let mut form = requeue(count);
        form.how = how;
        form.when.set(typed);
        let overlay = Overlay::Requeue(Box::new(form));
        text(&with(SMALL, look(), overlay))
    };
    let says = [
        (DueReference::In, "5m", 1, "14:07:09, in 5:00"),
        (DueReference::In, "5", 1, "a span needs a unit"),
        (DueReference::At, "", 1, "write 14:10"),
        (DueReference::By, "-2m", 1, "0:56 ago: late at once"),
        (DueReference::By, "+1h", 3, "each 1h 00m later than now"),
        (DueReference::By, "-1h", 3, "each 1h 00m earlier than now"),
    ];
    for (how, typed, count, words) in says {
        let text = shown(how, typed, count);
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn another_payload_at_three_sizes() {
    for (name, size) in SIZES {
        let mut form = edit(b"{\"orderId\":465801,\"customer\":\"c-06773\"}");
        form.payload.paste("\n");
        form.typed();
        let overlay = Overlay::Edit(Box::new(form));
        picture(&format!("edit_{name}"), &with(size, look(), overlay));
    }
}

#[test]
fn bytes_that_no_codec_writes_are_edited_in_hex() {
    let bytes = payload::encode(Codec::Serialization, "hello").unwrap_or_default();
    let form = edit(&[&bytes[..], &[0xff; 40]].concat());
    let overlay = Overlay::Edit(Box::new(form));
    picture("edit_hex", &with(SMALL, look(), overlay));
}

#[test]
fn the_menu_of_repairs_at_three_sizes() {
    for (name, size) in SIZES {
        let shown = evening(size, look());
        let form = RepairForm::new(&shown, &shown.queues[0]);
        let overlay = Overlay::Repair(Box::new(form));
        picture(&format!("repair_{name}"), &with(size, look(), overlay));
    }
}

#[test]
fn a_key_that_cannot_change_anything_is_dim() {
    let mut m = evening(LARGE, look());
    let drawn = |m: &Model| {
        let buf = draw(m);
        let (w, h) = m.size;
        let row: String = (0..w).map(|x| buf[(x, h - 1)].symbol()).collect();
        let at = row
            .find("p transfer now")
            .map(|at| row[..at].chars().count());
        buf[(u16::try_from(at.unwrap_or(0)).unwrap_or(0), h - 1)].fg
    };
    let can = drawn(&m);
    m.site.read_only = true;
    assert_ne!(drawn(&m), can);
    m.site.read_only = false;
    if let Some(pulse) = &mut m.queues[0].pulse {
        pulse.late = Known::Is(0);
    }
    assert_eq!(drawn(&m), can);
}

fn text(m: &Model) -> String {
    let buf = draw(m);
    let (w, h) = m.size;
    let row = |y| -> String { (0..w).map(|x| buf[(x, y)].symbol()).collect() };
    (0..h).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_plan_shows_the_timeline_as_it_is_and_as_it_will_be() {
    for (name, size) in SIZES {
        let plan = Plan {
            newest: Some(Due::At(NOW)),
            ..deliver(12)
        };
        let stage = ChangeStage::Asking(Box::new(plan));
        let m = at(size, look(), Change::Deliver, stage);
        let text = text(&m);
        let row = |word: &str| {
            text.lines()
                .find(|row| row.contains(word))
                .map(str::to_owned)
        };
        let now = row("now         12 late").unwrap_or_else(|| panic!("{name}: {text}"));
        let then = row("then        0 late").unwrap_or_else(|| panic!("{name}: {text}"));
        let bars = |row: &str| row.rsplit('┃').next().map(|bars| bars.contains('█'));
        assert_eq!([bars(&now), bars(&then)], [Some(true); 2], "{name}: {text}");
    }
}

const PAYLOADS: [&str; 2] = [r#"{"orderId":465801}"#, r#"{"orderId":465802}"#];

/// A survey of [`orders`] that has seen these payloads at the head.
fn seen() -> Survey {
    let queue = orders();
    let judged = |payload: &str| {
        let member = frame::encode(frame::Form::ByteId, [7; 8], payload.as_bytes());
        JudgedMember::new(&queue, &member, Some(1.0), 8)
    };
    let frames = Frames {
        at: NOW,
        next_due: PAYLOADS.map(judged).into(),
        newest: Vec::new(),
        far: Vec::new(),
        front: Vec::new(),
        tail: Vec::new(),
        depth: Known::None,
        twin: None,
        largest: 0,
        asked: 2,
        server_us: 0,
    };
    Survey {
        frames: Some(Box::new(frames)),
        ..survey(Zoom::Hour, [0; 7])
    }
}

#[test]
fn every_question_says_what_how_many_two_payloads_cost_and_undo_at_80x24() {
    let asked =
        |change: &Change| !matches!(change, Change::Offer | Change::Worker | Change::Consume);
    for change in Change::ALL.into_iter().filter(asked) {
        let of_keys = matches!(
            change,
            Change::Persist | Change::RenameTaken | Change::Kick | Change::RestoreOrder
        );
        let says = if of_keys {
            Vec::new()
        } else {
            PAYLOADS.map(str::to_owned).into()
        };
        let plan = Plan {
            says,
            change,
            first: Vec::new(),
            ..deliver(12)
        };
        let question = plan.question();
        let mut m = at(SMALL, look(), change, ChangeStage::Asking(Box::new(plan)));
        m.queues[0].watch.surveyed(&seen());
        let now = m.instant;
        m.overlay = None;
        update(&mut m, Msg::Ticked(now));
        m.now = NOW;
        let text = text(&m);
        let begin: String = question.chars().take(24).collect();
        let is_told = |words: &str| assert!(text.contains(words), "{change:?}: {words}\n{text}");
        is_told(&begin);
        for payload in PAYLOADS {
            is_told(payload);
        }
        if change == Change::Kick {
            is_told("4 clients look at once; 12 entries are late now");
        } else {
            // It publishes; all others change something.
            assert!(question.contains("12 "), "{question}");
            let rows = text.lines().filter_map(|row| row.split('│').nth(1));
            let boxed: Vec<&str> = rows.map(str::trim).collect();
            assert!(boxed.join(" ").contains(&question), "{question}\n{text}");
            is_told("Redis blocked 8 ms at a time");
            let undo = match change {
                Change::RestoreOrder => "undo with its id does",
                // The key takes back another change, the newest one that is no undo.
                Change::Undo => "Undo with its own id takes it back.",
                _ if change.can_be_undone() => "u undoes it",
                _ => "cannot be undone",
            };
            is_told(undo);
        }
    }
}

#[test]
fn a_question_with_much_to_say_keeps_how_it_is_undone_and_what_has_to_be_typed_at_80x24() {
    let much = "Somebody else has to be told of it before, for they do not see what waits meanwhile \
                and may take it for lost; and that is said in more words than there is room for.";
    let undone = ["u undoes it", "The transfer cannot be"];
    for (warnings, undone) in [
        (vec![much; 8], undone[0]),
        (
            vec![much, much, much, Plan::MAY_COME_TWICE, much, much],
            undone[1],
        ),
    ] {
        let plan = Plan {
            says: PAYLOADS.map(str::to_owned).into(),
            warnings: warnings.into_iter().map(str::to_owned).collect(),
            ..deliver_all()
        };
        let stage = ChangeStage::Asking(Box::new(plan));
        let m = at(SMALL, look(), Change::Deliver, stage);
        let text = text(&m);
        let told = [
            "Transfer 1,000,000 entries of orders",
            PAYLOADS[0],
            PAYLOADS[1],
            "Redis blocked 8 ms at a time",
            "Somebody else has to be told",
            "…",
            undone,
            "Type the queue's name (1,000,000 entries at once): orders",
            "cancel ]",
        ];
        assert_told(&text, &told);
    }
}

#[test]
fn the_question_about_a_worker_says_what_is_moved_first_and_what_it_costs_at_80x24() {
    let mut m = evening(SMALL, look());
    m.queues[0].watch.surveyed(&seen());
    update(&mut m, Msg::KeyPressed(Key::char('w')));
    let text = text(&m);
    let told = [
        "Move every due entry of orders",
        PAYLOADS[0],
        PAYLOADS[1],
        "and 999,998 more",
        "at most 100 entries in a script",
        "It cannot be undone",
    ];
    assert_told(&text, &told);
}
