//! Stand-in workers, the questions before them, and leaving with one at work.

use std::sync::Arc;

use delayscope::queue::finding::id;
use delayscope::queue::look::{Client, Clients};
use delayscope::queue::{Finding, Known, Queue, ServerLook, Severity};
use delayscope::tui::dialog::{Dialog, DialogLine};
use delayscope::tui::effect::Effect;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::Overlay;
use delayscope::tui::msg::Msg;
use delayscope::tui::server;
use delayscope::tui::toast::Tone;
use delayscope::tui::worker::{self, WorkerMessage, WorkerState};

use crate::desk::{Desk, World};

fn orders() -> Queue {
    Queue::redisson("orders")
}

/// A desk with `late` late entries and as many that wait, on a server that stays when we go.
fn desk(late: u64) -> Desk {
    let ms = i64::try_from(late).unwrap() * 1000;
    let mut desk = Desk::of(vec![World::new("orders", late * 2, -ms, 1000)]);
    desk.model.workers.program = Some("delayscope -h prod".to_owned());
    desk
}

fn dialog(desk: &Desk) -> &Dialog {
    match &desk.model.overlay {
        Some(Overlay::Dialog(dialog)) => dialog,
        other => panic!("no question: {other:?}"),
    }
}

fn at_work(late: u64) -> Desk {
    let mut desk = desk(late);
    desk.char('w');
    assert!(
        desk.char('y')
            .contains(&Effect::Worker(worker::Effect::Start(orders())))
    );
    tell(&mut desk, WorkerMessage::Listening);
    desk.pass(1_000);
    desk
}

fn tell(desk: &mut Desk, told: WorkerMessage) -> Vec<Effect> {
    desk.tell(Msg::Worker(worker::Msg::Told(orders(), told)))
}

fn fact<'a>(dialog: &'a Dialog, name: &str) -> &'a str {
    let mut facts = dialog.lines.iter().filter_map(|line| match line {
        DialogLine::Fact(label, value) if *label == name => Some(value),
        _ => None,
    });
    facts.next().unwrap()
}

/// A look at the server that lists these clients.
fn looked(desk: &mut Desk, listed: Vec<Client>) {
    let look = ServerLook {
        at: desk.now(),
        info: Known::None,
        clients: Known::Is(Arc::new(Clients {
            total: 7,
            listed,
            ..Clients::default()
        })),
        scripts: Known::None,
        server_us: 40,
        nodes: Vec::new(),
        views: Vec::new(),
        sentinels: Vec::new(),
    };
    desk.model.server.looked(look);
}

#[test]
fn the_question_says_when_nobody_may_be_there_to_take_what_a_worker_moves() {
    let warned = |desk: &mut Desk| {
        desk.char('w');
        let warns = dialog(desk).lines.iter().any(|line| matches!(line, DialogLine::Warning(words) if words.starts_with("No client waits for any list")));
        desk.press(Code::Esc);
        warns
    };
    let mut desk = desk(30);
    assert!(!warned(&mut desk));
    looked(&mut desk, Vec::new());
    assert!(warned(&mut desk));
    let consumer = Client {
        blocked_on_list: true,
        ..Client::default()
    };
    looked(&mut desk, vec![consumer]);
    assert!(!warned(&mut desk));
}

#[test]
fn the_question_does_not_say_that_clients_transfer_where_a_finding_says_that_they_fail() {
    let mut desk = desk(30);
    let others = |desk: &mut Desk| {
        desk.char('w');
        let words = fact(dialog(desk), "clients").to_owned();
        desk.press(Code::Esc);
        words
    };
    let words = others(&mut desk);
    assert!(words.contains("already"), "{words}");
    let unreadable = Finding::new(id::POISON, Severity::Critical, "One blocks it.");
    desk.model.queues[0].findings.push(unreadable);
    let words = others(&mut desk);
    assert!(words.ends_with("by them: see Findings"), "{words}");
}

#[test]
fn the_question_warns_where_what_waits_may_be_another_queues() {
    let mut desk = desk(30);
    let shared = Finding::new(id::NAME_COLLISION, Severity::Warning, "They share keys.");
    desk.model.queues[0].findings.push(shared);
    desk.char('w');
    let lines = &dialog(&desk).lines;
    let warned = lines.iter().any(|line| {
        matches!(line, DialogLine::Warning(words) if words.starts_with("Another queue shares its keys"))
    });
    assert!(warned);
}

#[test]
fn the_figures_of_a_question_about_a_worker_stay_true() {
    let mut desk = at_work(30);
    desk.char('w');
    assert!(fact(dialog(&desk), "moved").starts_with('0'));
    for _ in 0..4 {
        tell(
            &mut desk,
            WorkerMessage::Moved {
                moved: 5,
                skipped: 0,
            },
        );
        desk.world[0].entries.drain(..5);
        desk.live(500, 1);
    }
    let asked = dialog(&desk);
    assert!(fact(asked, "moved").starts_with("20, "), "{asked:?}");
    assert!(fact(asked, "moved").ends_with("/s"), "{asked:?}");
    // Thirty were late, and each second one becomes so.
    let late: u64 = fact(asked, "late now").parse().unwrap();
    assert!((10..=14).contains(&late), "{asked:?}");
    assert_ne!(fact(asked, "at work"), "0.0 s");
}

#[test]
fn y_starts_a_worker_and_no_other_letter_does() {
    let mut desk = desk(3);
    desk.char('w');
    for key in [Key::char('w'), Key::char(' '), Key::char('j')] {
        let asked = desk.key(key);
        assert!(
            !asked
                .iter()
                .any(|e| matches!(e, Effect::Worker(worker::Effect::Start(_)))),
            "{key:?}"
        );
        dialog(&desk);
    }
    desk.pass(1_000);
    assert!(
        desk.char('y')
            .contains(&Effect::Worker(worker::Effect::Start(orders())))
    );
    assert_eq!(desk.model.overlay, None);
    assert!(desk.model.workers.on(&orders()).is_some());
}

#[test]
fn no_letter_of_a_name_that_is_typed_at_a_question_without_one_answers_it() {
    let mut desk = desk(3);
    desk.char('w');
    for letter in "payments only".chars() {
        let asked = desk.char(letter);
        assert!(
            !asked.contains(&Effect::Worker(worker::Effect::Start(orders()))),
            "{letter}"
        );
        dialog(&desk);
    }
    desk.pass(1_000);
    assert!(
        desk.char('y')
            .contains(&Effect::Worker(worker::Effect::Start(orders())))
    );
}

#[test]
fn esc_n_and_q_answer_no() {
    for key in [Key::of(Code::Esc), Key::char('n'), Key::char('q')] {
        let mut desk = desk(3);
        desk.char('w');
        assert!(!desk.key(key).contains(&Effect::Quit));
        assert_eq!(desk.model.overlay, None);
        assert!(desk.model.workers.at_work.is_empty());
    }
}

#[test]
fn a_refresh_never_changes_what_a_question_is_about() {
    let mut desk = desk(3);
    desk.char('w');
    let before = dialog(&desk).clone();
    let late = DialogLine::Fact("late now", "4: moved at once".to_owned());
    assert!(before.lines.contains(&late), "{:?}", before.lines);
    assert!(fact(&before, "counted").starts_with("at "), "as of when");
    desk.live(5_000, 5);
    assert_eq!(*dialog(&desk), before);
}

#[test]
fn a_worker_is_no_bulk_change_and_asks_for_no_name() {
    let mut desk = desk(1_200);
    desk.char('w');
    assert!(dialog(&desk).name.is_none());
    desk.press(Code::Tab);
    let started = desk.press(Code::Enter);
    assert!(started.contains(&Effect::Worker(worker::Effect::Start(orders()))));
}

#[test]
fn what_a_worker_moves_is_counted_and_the_picture_follows() {
    let mut desk = at_work(3);
    let moved = WorkerMessage::Moved {
        moved: 3,
        skipped: 1,
    };
    tell(&mut desk, moved);
    let asked = desk.live(250, 1);
    assert!(asked.iter().any(crate::desk::is_pulse));
    let worker = desk.model.workers.on(&orders()).unwrap();
    assert_eq!((worker.moved, worker.skipped), (3, 1));
    assert_eq!(worker.state, WorkerState::AtWork);
}

#[test]
fn while_only_our_worker_transfers_a_note_says_that_it_stops_with_the_screen() {
    let mut desk = desk(0);
    let told = |desk: &mut Desk, clients| {
        desk.world[0].clients = clients;
        desk.live(1_500, 5);
        let findings = &desk.model.queues[0].findings;
        let own = findings.iter().find(|found| found.id == "own-worker");
        own.map(|found| found.severity)
    };
    assert_eq!(told(&mut desk, 1), None, "a client of its own");
    desk.char('w');
    desk.char('y');
    tell(&mut desk, WorkerMessage::Listening);
    assert_eq!(told(&mut desk, 2), None, "beside it");
    assert_eq!(told(&mut desk, 1), Some(Severity::Note));
    tell(&mut desk, WorkerMessage::Ended(None));
    assert_eq!(told(&mut desk, 1), None);
}

#[test]
fn trouble_is_told_once_and_its_end_too() {
    let mut desk = at_work(3);
    desk.model.toast = None;
    tell(&mut desk, WorkerMessage::Failed("OOM".to_owned()));
    let toast = desk.model.toast.take().unwrap();
    assert!(toast.text.contains("OOM") && toast.tone != Tone::Good);
    tell(&mut desk, WorkerMessage::Failed("OOM".to_owned()));
    assert_eq!(desk.model.toast, None);
    tell(&mut desk, WorkerMessage::WorksAgain(4_200));
    assert!(
        desk.model
            .toast
            .as_ref()
            .unwrap()
            .text
            .contains("works again after 4.2 s")
    );
}

#[test]
fn w_again_asks_to_stop_it() {
    let mut desk = at_work(3);
    desk.char('w');
    assert_eq!(dialog(&desk).yes, "stop");
    assert!(
        desk.char('y')
            .contains(&Effect::Worker(worker::Effect::Stop(orders())))
    );
    let worker = desk.model.workers.on(&orders()).unwrap();
    assert_eq!(worker.state, WorkerState::Ending);
    tell(
        &mut desk,
        WorkerMessage::Moved {
            moved: 2,
            skipped: 0,
        },
    );
    tell(&mut desk, WorkerMessage::Ended(None));
    assert!(desk.model.workers.at_work.is_empty());
    assert!(
        desk.model
            .toast
            .as_ref()
            .unwrap()
            .text
            .contains("2 entries moved")
    );
}

#[test]
fn leaving_asks_while_a_worker_is_at_work_and_a_second_ctrl_c_leaves() {
    let mut desk = at_work(3);
    for key in [Key::char('q'), Key::ctrl('c')] {
        assert!(!desk.key(key).contains(&Effect::Quit));
        assert_eq!(dialog(&desk).yes, "leave");
        desk.press(Code::Esc);
    }
    desk.key(Key::ctrl('c'));
    assert!(desk.key(Key::ctrl('c')).contains(&Effect::Quit));
    desk.press(Code::Esc);
    desk.char('q');
    assert!(desk.char('y').contains(&Effect::Quit));
}

#[test]
fn another_server_is_gone_to_only_when_the_worker_may_be_left() {
    let mut desk = at_work(3);
    let goes = |asked: &[Effect]| {
        asked
            .iter()
            .any(|e| matches!(e, Effect::Server(server::Effect::FindWay { .. })))
    };
    desk.char(':');
    desk.type_in("db 3");
    assert!(!goes(&desk.press(Code::Enter)));
    assert_eq!(dialog(&desk).yes, "leave");
    assert!(!goes(&desk.char('n')));
    assert!(desk.model.workers.on(&orders()).is_some());
    desk.pass(1_000);
    desk.char(':');
    desk.type_in("db 3");
    desk.press(Code::Enter);
    assert!(goes(&desk.char('y')));
}

/// The words of the question.
fn words(dialog: &Dialog) -> String {
    let words = dialog.lines.iter().map(|line| match line {
        DialogLine::Words(words) => words.as_str(),
        _ => "",
    });
    words.collect::<Vec<_>>().join("\n")
}

#[test]
fn leaving_a_worker_says_how_many_it_moved_and_the_command_that_goes_on() {
    let mut desk = at_work(3);
    let moved = WorkerMessage::Moved {
        moved: 1_204,
        skipped: 0,
    };
    tell(&mut desk, moved);
    desk.char('q');
    let said = words(dialog(&desk));
    assert!(said.contains("1,204 entries transferred so far"), "{said}");
    assert!(said.ends_with("delayscope -h prod worker orders"), "{said}");
}

#[test]
fn leaving_a_demo_with_a_worker_asks_too_and_names_no_command_that_could_go_on() {
    let mut desk = at_work(3);
    desk.model.workers.program = None;
    assert!(!desk.char('q').contains(&Effect::Quit));
    let said = words(dialog(&desk));
    assert!(said.ends_with("nothing is left to go on."), "{said}");
    assert!(desk.char('y').contains(&Effect::Quit));
}

#[test]
fn leaving_from_a_form_keeps_its_draft() {
    let mut desk = at_work(3);
    desk.char('o');
    desk.char('x');
    desk.key(Key::ctrl('c'));
    desk.press(Code::Esc);
    desk.char('o');
    match &desk.model.overlay {
        Some(Overlay::Offer(form)) => assert_eq!(form.payload.text(), "x"),
        other => panic!("no form: {other:?}"),
    }
}

#[test]
fn what_goes_on_with_the_work_is_a_command_for_a_shell() {
    let mut desk = desk(3);
    assert!(desk.model.workers.farewell().is_empty());
    desk.char('w');
    desk.char('y');
    tell(
        &mut desk,
        WorkerMessage::Moved {
            moved: 1204,
            skipped: 0,
        },
    );
    let farewell = desk.model.workers.farewell();
    let [(said, command)] = farewell.as_slice() else {
        panic!("{farewell:?}");
    };
    assert!(said.contains("1,204 entries"));
    assert_eq!(command, "delayscope -h prod worker orders");
}
