//! From the key to the change: planned, asked by what it touches, begun; one at a time.

use delayscope::queue::Repair as Row;
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::finding::{Finding, Severity, Step};
use delayscope::queue::{Change, Due, EntryId, Known, Plan, Tally};
use delayscope::tui::change;
use delayscope::tui::change::plan::MarkedEntries;
use delayscope::tui::dialog::DialogLine;
use delayscope::tui::effect::Effect;
use delayscope::tui::filter;
use delayscope::tui::keys::{Code, Key};
use delayscope::tui::model::Pane;
use delayscope::tui::msg::Msg;

use super::repairs::{finding, go};
use super::{applied, asked, counted, desk, dialog, ended, generation, plan, planned, toast};
use crate::desk::{Desk, START, World, text_of};
use crate::screens::build::protected;

/// A desk where `key` was pressed and its plan for so many entries has come.
pub(crate) fn with_plan(key: char, change: Change, count: u64) -> (Desk, u64, Vec<Effect>) {
    let mut desk = desk();
    let generation = generation(&desk.char(key));
    let effects = planned(&mut desk, generation, plan(change, count));
    (desk, generation, effects)
}

#[test]
fn every_change_asks_once_also_for_a_single_entry_also_on_the_demos_own_server() {
    let keys = [
        ('x', Change::Delete),
        ('D', Change::Duplicate),
        ('t', Change::Transfer),
        ('p', Change::Deliver),
        ('K', Change::Kick),
        ('u', Change::Undo),
    ];
    for (key, change) in keys {
        for program in [Some("delayscope".to_owned()), None] {
            let mut desk = desk();
            desk.model.workers.program = program;
            let generation = generation(&desk.char(key));
            let effects = planned(&mut desk, generation, plan(change, 1));
            assert!(!applied(&effects), "{change:?}");
            let asked = dialog(&desk.model).unwrap();
            assert!(asked.name.is_none(), "{change:?}");
            desk.pass(1_000);
            assert!(
                desk.char('y')
                    .contains(&Effect::Change(change::Effect::Apply(generation))),
                "{change:?}"
            );
            assert!(dialog(&desk.model).is_none(), "{change:?}");
        }
    }
}

#[test]
fn a_question_about_one_entry_says_what_that_says() {
    let mut desk = desk();
    let generation = generation(&desk.char('x'));
    let mut plan = plan(Change::Delete, 1);
    plan.first = vec![EntryId([7; 8])];
    plan.says = vec!["{\"orderId\":1}".to_owned()];
    planned(&mut desk, generation, plan);
    let lines = &dialog(&desk.model).unwrap().lines;
    let says = DialogLine::Fact("says", "{\"orderId\":1}".to_owned());
    let entry = DialogLine::Fact("entry", "0707070707070707".to_owned());
    assert!(lines.contains(&says) && lines.contains(&entry), "{lines:?}");
}

#[test]
fn to_deliver_one_is_asked_about() {
    let (desk, _, effects) = with_plan('p', Change::Deliver, 1);
    assert!(!applied(&effects));
    assert!(dialog(&desk.model).is_some_and(|d| d.name.is_none()));
}

#[test]
fn for_more_than_a_thousand_the_queues_name_has_to_be_typed() {
    let (mut desk, generation, _) = with_plan('x', Change::Delete, 1_001);
    assert!(!applied(&desk.char('y')));
    assert!(!applied(&desk.press(Code::Enter)));
    desk.press(Code::Backspace);
    desk.type_in("orders");
    assert!(
        desk.press(Code::Enter)
            .contains(&Effect::Change(change::Effect::Apply(generation)))
    );
}

#[test]
fn a_question_says_why_it_wants_the_name() {
    let (desk, ..) = with_plan('x', Change::Delete, 1_001);
    let name = dialog(&desk.model).and_then(|asked| asked.name.as_ref());
    assert_eq!(name.unwrap().why, "1,001 entries at once");
    let mut desk = super::desk();
    let half_of = generation(&desk.char('x'));
    let mut half = plan(Change::Delete, 6);
    half.of = Some(10);
    planned(&mut desk, half_of, half);
    let name = dialog(&desk.model).and_then(|asked| asked.name.as_ref());
    assert_eq!(name.unwrap().why, "6 of 10");
    let mut desk = super::desk();
    desk.model.site.profile = Some(protected("prod"));
    let generation = generation(&desk.char('x'));
    planned(&mut desk, generation, plan(Change::Delete, 2));
    let name = dialog(&desk.model).and_then(|asked| asked.name.as_ref());
    assert_eq!(name.unwrap().why, "profile prod is protected");
}

#[test]
fn no_forgets_the_plan() {
    for key in [Key::of(Code::Esc), Key::char('n'), Key::char('q')] {
        let (mut desk, ..) = with_plan('x', Change::Delete, 2);
        let effects = desk.key(key);
        assert!(
            effects.contains(&Effect::Change(change::Effect::DropPlan)),
            "{key:?}"
        );
        assert!(!effects.contains(&Effect::Quit), "{key:?}");
        assert!(desk.model.changing.one.is_none());
        desk.pass(1_000);
        assert!(asked(&desk.char('x')).is_some(), "another one can begin");
    }
}

#[test]
fn a_refresh_never_changes_what_a_question_about_a_plan_says() {
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    let before = dialog(&desk.model).unwrap().clone();
    desk.world[0].entries.clear();
    desk.live(5_000, 5);
    assert_eq!(dialog(&desk.model), Some(&before));
}

#[test]
fn where_a_client_works_the_backlog_off_a_plan_to_transfer_it_says_when_that_is_done() {
    for (gone_each_second, waits) in [(10, true), (0, false)] {
        let world = World::new("orders", 500, -9_000, 1);
        let mut desk = Desk::of(vec![world]);
        desk.model.focus = Pane::Queues;
        for _ in 0..5 {
            desk.live(1_000, 1);
            desk.world[0].entries.drain(..gone_each_second);
        }
        let generation = generation(&desk.char('t'));
        let at = desk.now();
        let mut plan = plan(Change::Transfer, 450);
        (plan.at, plan.newest) = (at, Some(Due::At(at)));
        planned(&mut desk, generation, plan);
        let facts = dialog(&desk.model).unwrap().lines.iter();
        let mut or_wait = facts.filter_map(|line| match line {
            DialogLine::Fact("or wait", words) => Some(words),
            _ => None,
        });
        let words = or_wait.next();
        assert_eq!(words.is_some(), waits, "{words:?}");
        let told =
            |w: &String| w.starts_with("done by itself at about ") && w.ends_with("(in 0:57)");
        assert!(words.is_none_or(told), "{words:?}");
    }
}

#[test]
fn a_plan_about_nothing_says_so_and_asks_nothing() {
    let (desk, _, effects) = with_plan('t', Change::Transfer, 0);
    assert!(effects.contains(&Effect::Change(change::Effect::DropPlan)));
    assert!(dialog(&desk.model).is_none());
    assert!(
        toast(&desk).contains("nothing to transfer"),
        "{}",
        toast(&desk)
    );
    assert!(desk.model.changing.one.is_none());
}

#[test]
fn why_there_is_no_plan_is_said() {
    let mut desk = desk();
    let generation = generation(&desk.char('u'));
    desk.tell(Msg::Change(change::Msg::Planned(
        generation,
        Err("nothing to undo on prod".to_owned()),
    )));
    assert_eq!(toast(&desk), "nothing to undo on prod");
    assert!(desk.model.changing.one.is_none());
}

#[test]
fn a_long_counting_is_shown_and_esc_stops_it() {
    let mut desk = desk();
    desk.char('a');
    let generation = generation(&desk.char('x'));
    assert_eq!(desk.model.counting(), None, "not worth a word yet");
    desk.pass(400);
    desk.tell(Msg::Change(change::Msg::Planning(
        generation,
        counted(320_000, 1_000_000),
    )));
    let words = desk.model.counting().unwrap();
    assert!(words.contains("320,000 of 1,000,000"), "{words}");
    assert!(
        desk.press(Code::Esc)
            .contains(&Effect::Change(change::Effect::DropPlan))
    );
    assert_eq!(desk.model.counting(), None);
    assert!(!desk.model.marks.is_empty(), "the marks stay");
    let late = planned(&mut desk, generation, plan(Change::Delete, 5));
    assert!(!applied(&late) && dialog(&desk.model).is_none());
}

#[test]
fn keys_and_clicks_while_a_plan_is_made_do_nothing_behind_it() {
    let mut desk = desk();
    let generation = generation(&desk.char('t'));
    let before = desk.model.clone();
    for key in ['y', 'j', 'q', '5', '/', '?', 'x'] {
        let effects = desk.char(key);
        assert!(!effects.iter().any(|e| matches!(e, Effect::Copy(_))));
        assert!(toast(&desk).contains("Esc stops it"), "{}", toast(&desk));
    }
    desk.tell(Msg::Clicked(5, 12));
    let (now, then) = (&desk.model, &before);
    assert_eq!(
        (now.tab, now.focus, now.cursor),
        (then.tab, then.focus, then.cursor)
    );
    assert!(now.overlay.is_none() && now.prompt.is_none());
    planned(&mut desk, generation, plan(Change::Transfer, 3));
    assert!(dialog(&desk.model).is_some());
}

#[test]
fn a_question_that_comes_late_takes_no_yes_that_was_meant_for_something_else() {
    let mut desk = desk();
    let generation = generation(&desk.char('p'));
    desk.pass(3_000);
    planned(&mut desk, generation, plan(Change::Deliver, 3));
    assert!(!applied(&desk.char('y')));
    let told = |desk: &Desk| {
        dialog(&desk.model)
            .unwrap()
            .told_at(desk.model.instant)
            .is_some()
    };
    assert!(told(&desk), "it says why, where the answers stand");
    desk.pass(600);
    assert!(told(&desk));
    assert!(applied(&desk.char('y')));
}

#[test]
fn while_one_is_under_way_no_other_begins_but_a_kick_does() {
    let (mut desk, generation, _) = with_plan('x', Change::Delete, 1);
    desk.char('y');
    desk.pass(300);
    assert_eq!(asked(&desk.char('p')), None);
    assert!(
        toast(&desk).contains("delete of orders is under way"),
        "{}",
        toast(&desk)
    );
    assert!(toast(&desk).contains("Esc stops it"), "{}", toast(&desk));
    let kick = asked(&desk.char('K')).unwrap();
    planned(&mut desk, kick.generation, plan(Change::Kick, 0));
    assert!(
        desk.char('y')
            .contains(&Effect::Change(change::Effect::Apply(kick.generation)))
    );
    desk.pass(300);
    desk.tell(Msg::Change(change::Msg::Applied(
        kick.generation,
        ended(Change::Kick, Tally::default()),
    )));
    assert!(desk.model.changing.kick.is_none());
    assert!(desk.model.changing.running().is_some());
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ended(Change::Delete, Tally::default()),
    )));
    assert!(asked(&desk.char('p')).is_some());
}

#[test]
fn a_kick_does_not_push_out_what_is_being_planned() {
    let mut desk = desk();
    desk.char('p');
    assert_eq!(asked(&desk.char('K')), None);
    assert!(
        toast(&desk).contains("transfer now is being planned"),
        "{}",
        toast(&desk)
    );
}

#[test]
fn marks_go_once_they_were_acted_on_and_not_when_others_stand_there() {
    for others in [false, true] {
        let mut desk = desk();
        desk.char(' ');
        desk.char(' ');
        let generation = generation(&desk.char('x'));
        planned(&mut desk, generation, plan(Change::Delete, 2));
        desk.char('y');
        assert!(!desk.model.marks.is_empty(), "not done yet");
        if others {
            desk.char(' ');
        }
        desk.live(2_000, 5);
        desk.tell(Msg::Change(change::Msg::Applied(
            generation,
            ended(Change::Delete, Tally::default()),
        )));
        assert_eq!(desk.model.marks.is_empty(), !others);
    }
}

#[test]
fn what_may_not_match_the_filter_any_more_is_searched_again() {
    for (key, change, again) in [('u', Change::Undo, true), ('x', Change::Delete, false)] {
        let mut desk = desk();
        desk.char('/');
        desk.type_in("late");
        desk.press(Code::Enter);
        desk.answer_all();
        let generation = generation(&desk.char(key));
        planned(&mut desk, generation, plan(change, 2));
        desk.char('y');
        let effects = desk.tell(Msg::Change(change::Msg::Applied(
            generation,
            ended(change, Tally::default()),
        )));
        let searches = |e: &Effect| matches!(e, Effect::Filter(filter::Effect::Search { .. }));
        assert_eq!(effects.iter().any(searches), again, "{change:?}");
    }
}

#[test]
fn no_yes_is_taken_while_the_server_is_away() {
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    desk.link(delayscope::queue::LinkState::Connecting);
    assert!(!applied(&desk.char('y')));
    assert!(dialog(&desk.model).is_some());
    let asked = dialog(&desk.model).unwrap();
    assert_eq!(
        asked.told_at(desk.model.instant),
        Some("no connection: changes are off until it is back")
    );
    desk.link(delayscope::queue::LinkState::Live);
    assert!(applied(&desk.char('y')));
}

/// What a question says of its being out of date.
fn stale(desk: &Desk) -> Option<&str> {
    let lines = &dialog(&desk.model).unwrap().lines;
    lines.iter().find_map(|line| match line {
        DialogLine::Stale(words) => Some(words.as_str()),
        _ => None,
    })
}

#[test]
fn a_question_about_what_is_due_says_when_that_is_out_of_date_and_looks_again() {
    let mut desk = desk();
    go(&mut desk, Row::Transfer);
    let first = generation(&desk.press(Code::Enter));
    planned(&mut desk, first, plan(Change::Transfer, 5));
    assert_eq!(stale(&desk), None);
    desk.live(2_000, 1);
    let words = stale(&desk).unwrap();
    assert!(
        words.starts_with("Out of date: 5 were due then, 7 now."),
        "{words}"
    );
    let again = asked(&desk.key(Key::ctrl('r'))).unwrap();
    assert!(again.generation > first);
    assert_eq!(
        (again.what, again.which),
        (ChangeRequest::Transfer, MarkedEntries::Due)
    );
    assert!(dialog(&desk.model).is_none());
    let mut fresh = plan(Change::Transfer, 7);
    fresh.at = desk.now();
    planned(&mut desk, again.generation, fresh);
    assert_eq!(stale(&desk), None);
    desk.pass(1_000);
    assert!(applied(&desk.char('y')));
}

#[test]
fn a_question_that_stands_for_a_minute_says_how_old_it_is() {
    let (mut desk, ..) = with_plan('x', Change::Delete, 2);
    desk.live(59_000, 50);
    assert_eq!(stale(&desk), None);
    desk.live(3_000, 50);
    let words = stale(&desk).unwrap();
    assert!(words.starts_with("This was counted 1:0"), "{words}");
    assert!(words.ends_with("^R counts again."), "{words}");
}

#[test]
fn a_repair_that_frees_what_is_late_says_that_it_wakes_the_clients_and_what_comes_of_it() {
    let afterwards = |severity| {
        let mut desk = desk();
        let found = finding("score-range", Step::Change(ChangeRequest::Score));
        desk.model.queues[0].findings = vec![Finding { severity, ..found }];
        desk.char('R');
        let generation = generation(&desk.char('R'));
        planned(&mut desk, generation, plan(Change::Requeue, 1));
        let lines = dialog(&desk.model).unwrap().lines.clone();
        lines.into_iter().find_map(|line| match line {
            DialogLine::Fact("afterwards", words) => Some(words),
            _ => None,
        })
    };
    let words = "the clients are woken; within 2 s fewer than 5 should be late".to_owned();
    assert_eq!(afterwards(Severity::Critical), Some(words));
    assert_eq!(afterwards(Severity::Warning), None);
}

#[test]
fn the_timeline_after_a_repair_that_frees_what_is_late_promises_no_number_of_late_ones() {
    let picture = |clients| {
        let mut desk = desk();
        let found = finding("score-range", Step::Change(ChangeRequest::Score));
        let severity = Severity::Critical;
        let row = &mut desk.model.queues[0];
        row.findings = vec![Finding { severity, ..found }];
        row.pulse.as_mut().unwrap().transfer_clients = Known::Is(clients);
        row.survey.as_mut().unwrap().late[0] = 5;
        desk.char('R');
        let generation = generation(&desk.char('R'));
        let (late, far) = (START.plus(-4_500), START.plus(86_400_000));
        let plan = Plan {
            oldest: Some(Due::At(late)),
            newest: Some(Due::At(late)),
            new_due: Some((far, far)),
            ..plan(Change::Requeue, 1)
        };
        planned(&mut desk, generation, plan);
        text_of(&desk.model)
    };
    let now = picture(2);
    assert!(
        now.contains("5 late") && now.contains("fewer late"),
        "{now}"
    );
    assert!(!now.contains("4 late"), "{now}");
    let nobody = picture(0);
    assert!(nobody.contains("4 late"), "{nobody}");
}
