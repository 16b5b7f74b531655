//! `R`: a finding's own repair, and elsewhere the menu of all of them.

use delayscope::queue::Repair as Row;
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::{Finding, Remedy, Severity, Step};
use delayscope::queue::{Change, Exact, Form, Known, Queue, State};
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::dialog::DialogLine;
use delayscope::tui::form::{InputForm as _, Part};
use delayscope::tui::hints;

use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::{Overlay, Pane};
use delayscope::tui::repair::RepairForm;
use delayscope::tui::repair::fit::{Fit, fit};
use delayscope::tui::tabs::Tab;

use super::{applied, asked, desk, dialog, generation, plan, planned, toast};
use crate::desk::{Desk, START, World, member, score, text_of};

pub(super) fn menu(desk: &Desk) -> &RepairForm {
    match &desk.model.overlay {
        Some(Overlay::Repair(form)) => form,
        other => panic!("no menu: {other:?}"),
    }
}

/// Opens the menu and goes to a row.
pub(super) fn go(desk: &mut Desk, to: Row) {
    desk.char('R');
    if !menu(desk).parts().contains(&Part::Repair(to)) {
        while menu(desk).at != Part::More {
            desk.press(Code::Down);
        }
        desk.press(Code::Enter);
    }
    while menu(desk).at != Part::Repair(to) {
        desk.press(Code::Down);
    }
}

/// Whether each repair suits the first queue, as the menu has them.
fn fits(desk: &Desk) -> Vec<(Row, Fit)> {
    let row = &desk.model.queues[0];
    let all = Row::ALL.iter().copied();
    all.map(|repair| (repair, fit(&desk.model, row, repair)))
        .collect()
}

/// A queue on which every repair can be tried: one entry is late, something is set aside, expires,
/// is due in 1970.
pub(super) fn sick() -> Desk {
    let mut desk = desk();
    let row = &mut desk.model.queues[0];
    let pulse = row.pulse.as_mut().unwrap();
    pulse.late = Known::Is(1);
    pulse.transfer_clients = Known::Is(2);
    pulse.target = Known::Is(3);
    let repack = Step::Change(ChangeRequest::Repack(Some(Form::DoubleId)));
    row.survey.as_mut().unwrap().quarantined = Some(2);
    let others = [
        ChangeRequest::RestoreOrder,
        ChangeRequest::PutBack,
        ChangeRequest::Persist,
        ChangeRequest::Unit,
        ChangeRequest::Drift,
    ];
    let others = others.map(Step::Change).into_iter().chain([repack]);
    row.findings = others.map(|step| finding("sick", step)).collect();
    desk
}

#[test]
fn the_menu_plans_the_repair_with_the_keys() {
    let repairs = [
        (Row::Transfer, ChangeRequest::Transfer),
        (Row::Kick, ChangeRequest::Kick),
        (Row::Realign, ChangeRequest::Realign(Some(600_000))),
        (Row::RestoreOrder, ChangeRequest::RestoreOrder),
        (Row::Drift, ChangeRequest::Drift),
        (Row::Repack, ChangeRequest::Repack(Some(Form::DoubleId))),
        (Row::Quarantine, ChangeRequest::Quarantine),
        (Row::Restore, ChangeRequest::Restore),
        (Row::PutBack, ChangeRequest::PutBack),
        (Row::Unwrap, ChangeRequest::Unwrap),
        (Row::Persist, ChangeRequest::Persist),
        (Row::Unit, ChangeRequest::Unit),
    ];
    for (row, what) in repairs {
        let mut desk = sick();
        go(&mut desk, row);
        let wish = asked(&desk.press(Code::Enter));
        assert_eq!(wish.map(|wish| wish.what), Some(what), "{}", toast(&desk));
        assert_eq!(desk.model.overlay, None);
    }
    let mut desk = sick();
    go(&mut desk, Row::Worker);
    desk.press(Code::Enter);
    assert!(dialog(&desk.model).is_some_and(|d| d.title == "Worker"));
}

#[test]
fn what_only_the_order_list_holds_is_asked_for_a_due_time_before_anything_is_planned() {
    let asks = |desk: &mut Desk| {
        let Some(Overlay::Requeue(form)) = &desk.model.overlay else {
            panic!("no form: {:?}", desk.model.overlay);
        };
        assert_eq!(
            (&form.marked, form.count),
            (&MarkedEntries::Lost, (7, false))
        );
        assert!(form.timeless, "there is no time that could be moved");
        let wish = asked(&desk.key(Key::ctrl('s'))).unwrap();
        assert!(
            matches!(wish.what, ChangeRequest::Requeue(_)),
            "{:?}",
            wish.what
        );
        assert_eq!(wish.which, MarkedEntries::Lost);
    };
    let gone = || {
        let mut desk = desk();
        let row = &mut desk.model.queues[0];
        let pulse = row.pulse.as_mut().unwrap();
        (pulse.waiting, pulse.order) = (Known::Is(0), Known::Is(7));
        row.findings = vec![finding("drift", Step::WaitAgain)];
        desk
    };
    // On the finding,
    let mut desk = gone();
    desk.model.tab = Tab::Findings;
    desk.char('R');
    desk.char('R');
    asks(&mut desk);
    // and from the menu, which opens on it.
    let mut desk = gone();
    desk.model.focus = Pane::Queues;
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::Requeue));
    desk.press(Code::Enter);
    asks(&mut desk);
}

#[test]
fn the_menu_opens_on_what_the_worst_finding_asks_for() {
    let mut desk = desk();
    let findings = &mut desk.model.queues[0].findings;
    findings.push(finding("drift", Step::Change(ChangeRequest::Drift)));
    findings.push(finding("ttl", Step::Change(ChangeRequest::Persist)));
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::Drift));
    let asked_for = Fit::Asked(Severity::Warning, "Something is wrong.".to_owned());
    assert!(fits(&desk).contains(&(Row::Drift, asked_for)));
}

#[test]
fn a_repair_says_what_it_is_for_and_not_what_else_waits_for_it() {
    let mut desk = desk();
    let score = || Step::Change(ChangeRequest::Score);
    let said = |id, words: &str| Finding {
        headline: words.to_owned(),
        ..finding(id, score())
    };
    let no_client = said(
        "no-transfer-client",
        "No Redisson client runs for this queue.",
    );
    let range = said("score-range", "12 scores are no due times.");
    desk.model.queues[0].findings = vec![no_client.clone(), range];
    let its = |desk: &Desk| {
        let mut all = fits(desk).into_iter();
        all.find(|(row, _)| *row == Row::Score).unwrap().1
    };
    let asked = |words: &str| Fit::Asked(Severity::Warning, words.to_owned());
    assert_eq!(its(&desk), asked("12 scores are no due times."));
    // Without a finding about due times it says what was seen of them.
    let row = &mut desk.model.queues[0];
    row.findings = vec![no_client];
    row.survey.as_mut().unwrap().no_time = 3;
    assert_eq!(its(&desk), asked("3 scores are beyond all times"));
}

#[test]
fn what_is_left_to_people_is_chosen_by_the_screens_own_menu() {
    let mut desk = with_strays(1, false);
    go(&mut desk, Row::Drift);
    let generation = generation(&desk.press(Code::Enter));
    let plan = delayscope::queue::Plan {
        leaves_strays: true,
        warnings: vec!["2 entries will be left alone.".to_owned()],
        ..plan(Change::Drift, 3)
    };
    planned(&mut desk, generation, plan);
    let shown = text_of(&desk.model);
    assert!(
        shown.contains("Choose one of three in the menu of repairs: requeue,"),
        "{shown}"
    );
    assert!(!shown.contains("--from"), "{shown}");
}

#[test]
fn what_is_in_quarantine_is_told_and_not_proposed() {
    let mut desk = desk();
    let row = &mut desk.model.queues[0];
    row.survey.as_mut().unwrap().quarantined = Some(1);
    let restore = Step::Change(ChangeRequest::Restore);
    row.findings = vec![finding("quarantined", restore)];
    assert!(fits(&desk).contains(&(Row::Restore, Fit::Can("1 is in quarantine".to_owned()))));
    desk.char('R');
    assert_eq!(menu(&desk).at, Part::Cure);
}

#[test]
fn where_no_repair_of_the_menu_helps_it_opens_on_what_does_and_enter_does_nothing() {
    let outside = |ids: &[&'static str]| {
        let mut desk = desk();
        let findings = &mut desk.model.queues[0].findings;
        *findings = ids.iter().map(|id| finding(id, Step::Outside)).collect();
        findings.push(finding("drift", Step::Change(ChangeRequest::Drift)));
        desk.char('R');
        desk
    };
    for id in ["wrong-type", "nothing-consumed"] {
        let mut desk = outside(&[id]);
        assert_eq!(menu(&desk).at, Part::Cure);
        assert_eq!(asked(&desk.press(Code::Enter)), None);
        assert!(
            toast(&desk).ends_with("No repair from here: see →"),
            "{id}: {}",
            toast(&desk)
        );
    }
}

#[test]
fn on_a_healthy_queue_the_menu_opens_on_what_there_is_to_do_and_its_words_come_last() {
    let mut desk = desk();
    desk.model.queues[0].findings.clear();
    desk.char('R');
    let first = menu(&desk).parts()[0];
    assert!(matches!(first, Part::Repair(_)), "{first:?}");
    assert_eq!(menu(&desk).at, first);
    assert_eq!(menu(&desk).parts().last(), Some(&Part::Cure));
    // What is folded is shown above the words.
    while menu(&desk).at != Part::More {
        desk.press(Code::Down);
    }
    desk.press(Code::Enter);
    assert_eq!(menu(&desk).folded(), 0);
    assert_eq!(menu(&desk).parts().last(), Some(&Part::Cure));
}

#[test]
fn what_would_fail_is_not_offered() {
    let not = |found: Finding| {
        let mut desk = sick();
        desk.model.queues[0].findings.insert(0, found);
        let all = fits(&desk).into_iter();
        let not = all.filter(|(_, fit)| matches!(fit, Fit::Not(_)));
        not.map(|(row, _)| row).collect::<Vec<_>>()
    };
    let with = |id, name: &str, value: &str| {
        let mut found = finding(id, Step::Outside);
        let figures = &mut found.evidence.figures;
        figures.insert(name.to_owned(), value.into());
        found
    };
    let free = not(finding("drift", Step::Outside));
    let taken = not(with("wrong-type", "orders", "string"));
    for row in [Row::Transfer, Row::Worker, Row::Unwrap] {
        assert!(taken.contains(&row) && !free.contains(&row), "{row:?}");
    }
    assert!(!taken.contains(&Row::Drift) && !taken.contains(&Row::Repack));
    assert_eq!(
        not(with("refused-writes", "code", "READONLY")).len(),
        Row::ALL.len()
    );
    let full = not(with("refused-writes", "code", "OOM"));
    assert!(!full.contains(&Row::Transfer) && full.contains(&Row::Drift));
}

#[test]
fn enter_plans_what_the_menu_stands_on_and_the_hint_says_so() {
    let mut desk = sick();
    go(&mut desk, Row::Realign);
    let hint = hints::hints(&desk.model).remove(0);
    assert_eq!((hint.word, hint.parts[0].0), ("plan", Key::of(Code::Enter)));
    desk.press(Code::Down);
    let wish = asked(&desk.press(Code::Enter)).unwrap();
    assert_eq!(wish.what, ChangeRequest::Realign(Some(600_000)));
}

#[test]
fn what_does_not_suit_a_healthy_queue_says_why_and_does_nothing() {
    let reasons = [
        (Row::Transfer, "nothing is due"),
        (Row::RestoreOrder, "no part of the order list"),
        (Row::Restore, "nothing is in quarantine"),
        (Row::PutBack, "no consumer died"),
        (Row::Unwrap, "target is empty"),
        (Row::Persist, "no key of it expires"),
        (Row::Unit, "looks like seconds"),
    ];
    for (row, reason) in reasons {
        let mut desk = desk();
        let pulse = desk.model.queues[0].pulse.as_mut().unwrap();
        pulse.late = Known::Is(0);
        pulse.target = Known::Is(0);
        go(&mut desk, row);
        assert_eq!(asked(&desk.press(Code::Enter)), None);
        assert!(toast(&desk).contains(reason), "{}", toast(&desk));
        assert_eq!(menu(&desk).chosen(), Some(row));
    }
}

#[test]
fn a_kick_needs_somebody_who_hears_it_and_something_late() {
    let why = |late, clients| {
        let mut desk = desk();
        let pulse = desk.model.queues[0].pulse.as_mut().unwrap();
        (pulse.late, pulse.transfer_clients) = (Known::Is(late), Known::Is(clients));
        fit(&desk.model, &desk.model.queues[0], Row::Kick)
    };
    assert!(matches!(why(5, 0), Fit::Not(why) if why.contains("nobody would hear")));
    assert!(matches!(why(0, 2), Fit::Not(why) if why.contains("nothing is late")));
    assert!(matches!(why(5, 2), Fit::Can(words) if words.contains("2 clients")));
}

#[test]
fn a_kick_does_not_help_where_every_transfer_fails() {
    let mut desk = sick();
    let poison = finding("poison", Step::Outside);
    desk.model.queues[0].findings.push(Finding {
        severity: Severity::Critical,
        ..poison
    });
    let fit = fit(&desk.model, &desk.model.queues[0], Row::Kick);
    assert!(matches!(fit, Fit::Not(why) if why.contains("does not help")));
}

#[test]
fn a_plain_queue_says_of_each_repair_that_redisson_needs_that_it_has_none_of_that() {
    let mut desk = desk();
    desk.model.queues[0].queue = "zset-list:delay,ready".parse::<Queue>().unwrap();
    let lacks = fits(&desk).into_iter().filter_map(|(row, fit)| match fit {
        Fit::Not(why) if why.starts_with("this layout has no") => Some(row),
        _ => None,
    });
    let lacks: Vec<_> = lacks.collect();
    let all = [
        Row::Kick,
        Row::Repack,
        Row::Quarantine,
        Row::Requeue,
        Row::DeliverStrays,
        Row::Drift,
        Row::RestoreOrder,
        Row::Realign,
        Row::Unwrap,
        Row::DropStrays,
    ];
    assert_eq!(lacks, all);
}

#[test]
fn how_far_is_realigned_can_be_typed() {
    let mut desk = desk();
    go(&mut desk, Row::Realign);
    desk.press(Code::Down);
    assert_eq!(menu(&desk).at(), Part::Within);
    desk.key(Key::ctrl('u'));
    desk.type_in("x");
    assert_eq!(asked(&desk.key(Key::ctrl('s'))), None);
    desk.press(Code::Backspace);
    let wish = asked(&desk.key(Key::ctrl('s'))).unwrap();
    assert_eq!(wish.what, ChangeRequest::Realign(None));
}

#[test]
fn no_leads_back_to_the_menu_only_where_something_was_typed_into_it() {
    let mut desk = desk();
    go(&mut desk, Row::Realign);
    let wish = asked(&desk.key(Key::ctrl('s'))).unwrap();
    planned(&mut desk, wish.generation, plan(Change::Realign, 1));
    desk.press(Code::Esc);
    assert_eq!(desk.model.overlay, None);
    go(&mut desk, Row::Realign);
    desk.press(Code::Down);
    let wish = asked(&desk.key(Key::ctrl('s'))).unwrap();
    planned(&mut desk, wish.generation, plan(Change::Realign, 1));
    desk.press(Code::Esc);
    assert_eq!(menu(&desk).at(), Part::Within);
}

pub(super) fn finding(id: &'static str, step: Step) -> Finding {
    Finding {
        repair: Box::new(Remedy {
            sentence: "mend it".into(),
            step,
            lines: Vec::new(),
        }),
        ..Finding::new(id, Severity::Warning, "Something is wrong.")
    }
}

#[test]
fn on_a_finding_r_opens_the_menu_on_its_own_repair_and_plans_that() {
    let repairs = [
        ("set-aside", Step::Change(ChangeRequest::RestoreOrder)),
        ("drift", Step::Change(ChangeRequest::Drift)),
        ("stuck-client", Step::Change(ChangeRequest::Kick)),
        ("wrong-type", Step::Outside),
    ];
    for (id, step) in repairs {
        let what = match &step {
            Step::Change(what) => Some(what.clone()),
            _ => None,
        };
        let mut desk = desk();
        desk.model.focus = Pane::Entries;
        desk.char('5');
        desk.model.queues[0].findings = vec![finding(id, step)];
        assert_eq!(asked(&desk.char('R')), None, "{id}");
        assert_eq!(menu(&desk).chosen(), what.as_ref().and_then(Row::making));
        assert_eq!(asked(&desk.char('R')).map(|wish| wish.what), what, "{id}");
    }
}

#[test]
fn on_what_follows_from_another_finding_r_is_about_what_mends_that_one() {
    let mut desk = desk();
    desk.model.focus = Pane::Entries;
    desk.char('5');
    let cause = finding("drift", Step::Change(ChangeRequest::Drift));
    let effect = Finding {
        follows: Some("drift"),
        severity: Severity::Note,
        ..finding("stuck-client", Step::Outside)
    };
    desk.model.queues[0].findings = vec![cause, effect];
    desk.press(Code::Down);
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Row::making(&ChangeRequest::Drift));
    let wish = asked(&desk.press(Code::Enter)).unwrap();
    assert_eq!(wish.what, ChangeRequest::Drift);
}

#[test]
fn where_nobody_transfers_r_offers_the_stand_in_worker() {
    let mut desk = desk();
    desk.char('5');
    desk.model.queues[0].findings = vec![finding("no-transfer-client", Step::Worker)];
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::Worker));
    desk.char('R');
    assert!(dialog(&desk.model).is_some_and(|d| d.title == "Worker"));
}

/// A desk whose queue has three entries in quarantine, on their tab.
fn quarantined() -> Desk {
    let mut desk = desk();
    desk.world[0].quarantine = (0..3)
        .map(|i| (member(700 + i), score(START.plus(-1_000))))
        .collect();
    desk.char('7');
    desk.answer_all();
    desk
}

#[test]
fn in_quarantine_it_restores_what_is_marked_else_what_is_under_the_cursor() {
    let mut desk = quarantined();
    desk.press(Code::Down);
    let wish = asked(&desk.char('R')).unwrap();
    assert_eq!(wish.what, ChangeRequest::Restore);
    let MarkedEntries::One(entry) = wish.which else {
        panic!("one entry")
    };
    assert_eq!(entry.member, member(701));
    assert_eq!(entry.state, State::Quarantined);
    assert_eq!(entry.score, Some(score(START.plus(-1_000))));

    let mut desk = quarantined();
    desk.char(' ');
    desk.char(' ');
    let wish = asked(&desk.char('R')).unwrap();
    let MarkedEntries::Marks(marks) = wish.which else {
        panic!("the marked ones")
    };
    assert_eq!((marks.tab, marks.toggled.len()), (Tab::Quarantine, 2));

    // The opened entry, too.
    let mut desk = quarantined();
    desk.press(Code::Enter);
    let wish = asked(&desk.char('R')).unwrap();
    assert!(matches!(wish.which, MarkedEntries::One(entry) if entry.member == member(700)));
}

#[test]
fn of_copies_in_target_r_deletes_all_but_one_of_each() {
    let mut desk = sick();
    desk.model.queues[0].findings = vec![finding("duplicates", Step::KeepOne)];
    desk.char('R');
    assert_eq!(menu(&desk).at, Part::Repair(Row::KeepOne));
    let wish = asked(&desk.press(Code::Enter)).unwrap();
    assert_eq!(
        (wish.what, wish.which),
        (ChangeRequest::Delete, MarkedEntries::Copies)
    );
}

#[test]
fn what_is_in_quarantine_nothing_else_is_done_to() {
    for key in ['t', 'p', 'r', 'x', 'e', 'D'] {
        let mut desk = quarantined();
        assert_eq!(asked(&desk.char(key)), None);
        assert_eq!(toast(&desk), "in quarantine: R lets it wait again", "{key}");
        assert_eq!(desk.model.overlay, None);
        desk.char(' ');
        assert_eq!(asked(&desk.char(key)), None, "{key}");
    }
}

/// The three ways with what only the order list holds.
const WAYS: [(Row, Change); 3] = [
    (Row::Requeue, Change::Requeue),
    (Row::DeliverStrays, Change::Deliver),
    (Row::DropStrays, Change::Delete),
];

/// `orders` in whose order list two entries stand that wait nowhere, as a look at all of it has
/// found; of the others so many lack there, and timeouts holds nothing when it is `lost`.
fn with_strays(lacking: u64, lost: bool) -> Desk {
    let mut world = World::new("orders", 10, -4_500, 1_000);
    let mut order: Vec<_> = world
        .entries
        .iter()
        .map(|(member, _)| member.clone())
        .collect();
    order.extend([77, 78].map(member));
    if lost {
        world.entries.clear();
    }
    let strays = order.len() - world.entries.len();
    world.order = Some(order);
    let mut desk = Desk::of(vec![world]);
    let mut exact = Exact::new(&super::orders(), desk.now());
    exact.waiting = if lost { 0 } else { 10 };
    let drift = exact.drift.as_mut().unwrap();
    (drift.lacking.count, drift.strays.count) = (lacking, strays as u64);
    desk.model.queues[0].watch.examined(exact);
    desk.live(1_000, 1);
    let mut found = desk.model.queues[0].findings.iter();
    assert!(found.any(|found| found.id == "drift"), "lost: {lost}");
    desk
}

#[test]
fn the_menu_never_opens_on_what_drops_entries_that_may_not_have_been_delivered() {
    for (lacking, lost) in [(0, false), (1, false), (0, true)] {
        for on_finding in [false, true] {
            let mut desk = with_strays(lacking, lost);
            if on_finding {
                desk.model.focus = Pane::Entries;
                desk.char('5');
            }
            desk.char('R');
            let menu = menu(&desk);
            assert_ne!(menu.at, Part::Repair(Row::DropStrays), "{lacking} {lost}");
            let place = |row| menu.parts().iter().position(|at| *at == Part::Repair(row));
            let [again, deliver, drops] = WAYS.map(|(row, _)| place(row).unwrap());
            assert!(again < drops && deliver < drops, "{:?}", menu.parts());
            let last = menu
                .parts()
                .iter()
                .rposition(|at| matches!(at, Part::Repair(_)));
            assert_eq!(last, Some(drops));
        }
    }
}

#[test]
fn each_way_with_what_only_the_order_list_holds_shows_two_payloads_and_drops_none_by_enter() {
    for (row, change) in WAYS {
        let mut desk = with_strays(0, false);
        go(&mut desk, row);
        let mut effects = desk.press(Code::Enter);
        if row == Row::Requeue {
            assert!(matches!(desk.model.overlay, Some(Overlay::Requeue(_))));
            effects = desk.key(Key::ctrl('s'));
        }
        let wish = asked(&effects).unwrap();
        assert_eq!(
            (wish.what.change(), wish.which),
            (change, MarkedEntries::Lost)
        );
        let mut those = plan(change, 2);
        those.says = ["{\"order\":77}", "{\"order\":78}"]
            .map(str::to_owned)
            .to_vec();
        planned(&mut desk, wish.generation, those);
        let dialog = dialog(&desk.model).unwrap();
        for payload in ["{\"order\":77}", "{\"order\":78}"] {
            let shown =
                |line: &DialogLine| matches!(line, DialogLine::Fact(_, says) if says == payload);
            assert!(
                dialog.lines.iter().any(shown),
                "{row:?}: {:?}",
                dialog.lines
            );
        }
        if row == Row::DropStrays {
            let enter = desk.press(Code::Enter);
            assert!(!applied(&enter), "Enter drops nothing");
        }
    }
}
