//! Keys in the menu of repairs and on a finding that are not `R` alone, and what the hints say
//! there.

use delayscope::config::parse_url;
use delayscope::queue::Repair as Row;
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::{Finding, Severity, Step};
use delayscope::queue::redis_cli::RedisCli;
use delayscope::queue::{LinkState, Queue};
use delayscope::tui::change;
use delayscope::tui::effect::Effect;
use delayscope::tui::form::{InputForm as _, Part};
use delayscope::tui::hints;

use delayscope::tui::keys::Code;
use delayscope::tui::model::{Overlay, Pane};
use delayscope::tui::msg::Msg;
use delayscope::tui::repair::fit::{Fit, fit};

use super::repairs::{finding, menu};
use super::{asked, desk, generation, toast};
use crate::desk::{Desk, World};

#[test]
fn r_goes_on_in_its_menu_and_other_letters_say_what_does() {
    let mut desk = desk();
    let step = Step::Change(ChangeRequest::RestoreOrder);
    desk.model.queues[0].findings = vec![finding("set-aside", step)];
    desk.model.queues[0].survey.as_mut().unwrap().aside = Some(3);
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::RestoreOrder));
    assert_eq!(asked(&desk.char('x')), None);
    assert!(toast(&desk).contains("plans what the cursor is on"));
    let wish = asked(&desk.char('R')).unwrap();
    assert_eq!(wish.what, ChangeRequest::RestoreOrder);
}

#[test]
fn on_a_finding_y_copies_the_command_that_mends_it_or_those_that_show_it() {
    let mut desk = desk();
    desk.model.site.redis_cli = RedisCli::at(&parse_url("unix:///run/x.sock").unwrap());
    desk.model.focus = Pane::Entries;
    desk.char('5');
    let mut found = finding("wrong-type", Step::Outside);
    found.evidence.commands = vec!["redis-cli TYPE orders".to_owned()];
    desk.model.queues[0].findings = vec![found.clone()];
    let copied = |desk: &mut Desk| {
        let mut effects = desk.char('y').into_iter();
        effects.find_map(|effect| match effect {
            Effect::Copy(words) => Some(words),
            _ => None,
        })
    };
    let there = "redis-cli -s /run/x.sock";
    assert_eq!(copied(&mut desk).unwrap(), format!("{there} TYPE orders"));
    found.repair.lines = vec!["redis-cli RENAMENX orders taken".to_owned()];
    desk.model.queues[0].findings = vec![found];
    let mends = format!("{there} RENAMENX orders taken");
    assert_eq!(copied(&mut desk).unwrap(), mends);
    desk.model.queues[0].findings = Vec::new();
    assert_eq!(copied(&mut desk), None);
    assert!(
        toast(&desk).contains("nothing is wrong"),
        "{}",
        toast(&desk)
    );
}

#[test]
fn on_a_finding_the_other_copy_takes_all_of_it_for_a_ticket() {
    let mut desk = desk();
    desk.model.site.redis_cli = RedisCli::at(&parse_url("unix:///run/x.sock").unwrap());
    desk.model.focus = Pane::Entries;
    desk.char('5');
    let mut found = finding("wrong-type", Step::Outside);
    found.evidence.words = vec!["seen twice".to_owned()];
    found.evidence.commands = vec!["redis-cli TYPE orders".to_owned()];
    found.repair.lines = vec!["redis-cli RENAMENX orders taken".to_owned()];
    desk.model.queues[0].findings = vec![found];
    let there = "redis-cli -s /run/x.sock";
    let ticket = format!(
        "orders: Something is wrong.\nseen twice\n{there} TYPE orders\n→ mend it\n{there} RENAMENX \
         orders taken"
    );
    let copied = desk.char('Y');
    assert!(copied.contains(&Effect::Copy(ticket)), "{copied:?}");
}

#[test]
fn among_findings_where_none_is_found_yet_r_opens_the_menu() {
    let mut desk = desk();
    desk.model.focus = Pane::Entries;
    desk.char('5');
    assert_eq!(desk.char('R'), []);
    let overlay = &desk.model.overlay;
    assert!(matches!(overlay, Some(Overlay::Repair(_))), "{overlay:?}");
}

#[test]
fn a_menu_that_was_opened_a_moment_before_the_finding_goes_to_its_repair_unless_a_key_has_moved() {
    let found = || finding("drift", Step::Change(ChangeRequest::Drift));
    let mut desk = desk();
    desk.char('R');
    assert_ne!(menu(&desk).chosen(), Some(Row::Drift));
    desk.model.queues[0].findings = vec![found()];
    desk.live(10, 1);
    assert_eq!(menu(&desk).chosen(), Some(Row::Drift));
    let first = menu(&desk).parts().iter().find(|p| **p != Part::Cure);
    assert_eq!(first, Some(&Part::Repair(Row::Drift)));
    let mut desk = self::desk();
    desk.char('R');
    desk.press(Code::Down);
    desk.press(Code::Up);
    desk.model.queues[0].findings = vec![found()];
    desk.live(10, 1);
    assert_ne!(menu(&desk).chosen(), Some(Row::Drift));
}

#[test]
fn where_the_server_does_not_answer_r_opens_its_menu_so_that_enter_acts_on_nothing_else() {
    let mut desk = desk();
    desk.model.queues[0].findings = vec![finding("drift", Step::Change(ChangeRequest::Drift))];
    desk.link(LinkState::Hung {
        since: desk.model.instant,
    });
    desk.char('R');
    assert_eq!(menu(&desk).chosen(), Some(Row::Drift));
    assert_eq!(asked(&desk.press(Code::Enter)), None);
    assert_eq!(
        toast(&desk),
        "no connection: changes are off until it is back"
    );
    assert_eq!(menu(&desk).chosen(), Some(Row::Drift));
}

fn text(queue: &Queue) -> String {
    queue.name.text().into_owned()
}

#[test]
fn where_a_name_is_taken_the_keys_that_need_it_say_so_and_which_one_mends_it() {
    let taken = |key: &str, letter: char| {
        let mut desk = desk();
        desk.model.focus = Pane::Entries;
        let mut found = finding("wrong-type", Step::Change(ChangeRequest::RenameTaken));
        let figures = &mut found.evidence.figures;
        figures.insert(key.to_owned(), "string".into());
        desk.model.queues[0].findings = vec![found];
        let is_asked = asked(&desk.char(letter)).is_some();
        assert_eq!(
            is_asked,
            !toast(&desk).contains("R renames"),
            "{}",
            toast(&desk)
        );
        is_asked
    };
    assert!(!taken("orders", 't') && !taken("orders", 'p'));
    assert!(
        taken("orders", 'x'),
        "what waits has no business with target"
    );
    let order = "redisson_delay_queue:{orders}";
    assert!(!taken(order, 't') && !taken(order, 'x'));
    assert!(taken("orders", 'K'));

    // Not found yet: what the server says comes with the way out of it.
    let mut desk = desk();
    let generation = generation(&desk.char('t'));
    let why = "it refused to transfer: WRONGTYPE Operation".to_owned();
    desk.tell(Msg::Change(change::Msg::Planned(generation, Err(why))));
    assert!(toast(&desk).ends_with("R names the key of the wrong type and renames it"));
}

/// `mail`, which is well and has the cursor, and two that are not: `orders` is worse.
fn three() -> Desk {
    let worlds = ["mail", "orders", "bookings"].map(|name| World::new(name, 3, 600_000, 1_000));
    let mut desk = Desk::of(worlds.into());
    desk.model.focus = Pane::Queues;
    let at = |desk: &Desk, name| {
        desk.model
            .queues
            .iter()
            .position(|q| text(&q.queue) == name)
    };
    for (name, severity) in [("orders", Severity::Critical), ("bookings", Severity::Note)] {
        let at = at(&desk, name).unwrap();
        let found = finding("ttl", Step::Change(ChangeRequest::Persist));
        desk.model.queues[at].findings = vec![Finding { severity, ..found }];
    }
    desk.model.cursor = at(&desk, "mail").unwrap();
    desk
}

#[test]
fn r_on_a_healthy_queue_stays_there_and_enter_goes_to_the_sickest() {
    for opened in [false, true] {
        let mut desk = three();
        if opened {
            desk.press(Code::Enter);
        }
        desk.char('R');
        assert_eq!(text(&menu(&desk).queue), "mail");
        assert!(menu(&desk).chosen().is_some());
        // The way there is the last row: Enter alone does not leave the queue.
        while menu(&desk).at != Part::Cure {
            desk.press(Code::Down);
        }
        assert_eq!(menu(&desk).parts().last(), Some(&Part::Cure));
        let well = menu(&desk).well(&desk.model);
        assert!(
            well.contains("orders") && well.ends_with("goes there"),
            "{well}"
        );
        desk.press(Code::Enter);
        assert_eq!(
            (text(&menu(&desk).queue), menu(&desk).chosen()),
            ("orders".to_owned(), Some(Row::Persist))
        );
    }
}

#[test]
fn on_a_finding_of_another_queue_r_opens_the_menu_of_that_queue() {
    let mut desk = three();
    desk.char('5');
    desk.model.focus = Pane::Entries;
    desk.press(Code::Down);
    desk.char('R');
    let menu = menu(&desk);
    assert_eq!(
        (text(&menu.queue), menu.chosen()),
        ("bookings".to_owned(), Some(Row::Persist))
    );
}

#[test]
fn the_menu_has_the_same_order_on_whichever_finding_it_was_asked_for() {
    let found = [
        ("drift", ChangeRequest::Drift),
        ("ttl", ChangeRequest::Persist),
        ("unit", ChangeRequest::Unit),
    ];
    let opened_on = |at: usize| {
        let mut desk = desk();
        let findings = { found.iter() }.map(|(id, what)| finding(id, Step::Change(what.clone())));
        desk.model.queues[0].findings = findings.collect();
        desk.char('5');
        desk.model.focus = Pane::Entries;
        for _ in 0..at {
            desk.press(Code::Down);
        }
        desk.char('R');
        (menu(&desk).parts().to_vec(), menu(&desk).chosen())
    };
    let (parts, chosen) = opened_on(0);
    assert_eq!(chosen, Some(Row::Drift));
    assert_eq!(opened_on(1), (parts.clone(), Some(Row::Persist)));
    assert_eq!(opened_on(2), (parts, Some(Row::Unit)));
}

#[test]
fn what_does_not_apply_is_one_row_below_what_helps_until_it_is_opened() {
    let mut desk = desk();
    let repairs = [ChangeRequest::Drift, ChangeRequest::Persist];
    let found = repairs.map(|what| finding("sick", Step::Change(what)));
    desk.model.queues[0].findings = found.into();
    desk.char('R');
    let parts = menu(&desk).parts().to_vec();
    assert_eq!(
        parts[..3],
        [
            Part::Cure,
            Part::Repair(Row::Drift),
            Part::Repair(Row::Persist)
        ]
    );
    assert_eq!(parts.last(), Some(&Part::More));
    let not = |repair: &Row| {
        let fit = fit(&desk.model, &desk.model.queues[0], *repair);
        matches!(fit, Fit::Not(_) | Fit::Unlikely(_))
    };
    let none = Row::ALL.iter().copied().filter(not).count();
    assert!(none > 0);
    assert_eq!(menu(&desk).folded(), none);
    while menu(&desk).at != Part::More {
        desk.press(Code::Down);
    }
    desk.press(Code::Enter);
    let unfolded = menu(&desk).parts();
    assert_eq!(unfolded[..parts.len() - 1], parts[..parts.len() - 1]);
    assert_eq!(menu(&desk).folded(), 0);
    assert_eq!(
        menu(&desk).at,
        unfolded[parts.len() - 1],
        "on the first that came"
    );
}

#[test]
fn in_the_menu_y_copies_what_mends_the_worst_finding_by_hand() {
    let mut desk = desk();
    desk.model.site.redis_cli = RedisCli::at(&parse_url("unix:///run/x.sock").unwrap());
    let mut found = finding("wrong-type", Step::Outside);
    found.repair.lines = vec!["redis-cli RENAMENX orders taken".to_owned()];
    desk.model.queues[0].findings = vec![found];
    desk.char('R');
    let mends = "redis-cli -s /run/x.sock RENAMENX orders taken".to_owned();
    assert!(desk.char('y').contains(&Effect::Copy(mends)));
    assert!(
        toast(&desk).ends_with(": RENAMENX orders taken"),
        "{}",
        toast(&desk)
    );
}

#[test]
fn enter_is_hinted_in_the_menu_only_where_it_plans_something() {
    let plans = |desk: &Desk| {
        hints::hints(&desk.model)
            .iter()
            .any(|hint| hint.word == "plan")
    };
    let mut desk = desk();
    desk.model.queues[0].findings = vec![finding("wrong-type", Step::Outside)];
    desk.char('R');
    assert!(!plans(&desk));
    desk.press(Code::Down);
    assert!(plans(&desk));
}
