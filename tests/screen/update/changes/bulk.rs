//! The change under way: its panel and its keys, what it tells, what is said when it is over.

use std::time::Duration;

use delayscope::queue::change_event::{ChangeEvent, Order};
use delayscope::queue::plan::{Plan, Progress};
use delayscope::queue::{Change, Due, EntryId, EntryResult, Outcome, Summary, Tally};
use delayscope::tui::change;
use delayscope::tui::effect::Effect;
use delayscope::tui::hints;
use delayscope::tui::journal::{self, JournalAccount, PastChange};
use delayscope::tui::keys;
use delayscope::tui::keys::Code;
use delayscope::tui::layout;
use delayscope::tui::model::{Overlay, Pane};
use delayscope::tui::msg::Msg;
use delayscope::tui::refresh::update::time::wakes_at;
use delayscope::tui::tabs::Tab;
use delayscope::tui::toast::Tone;

use super::{desk, dialog, generation, orders, plan, planned, toast};
use crate::desk::{Desk, START};

fn tally(outcomes: &[(Outcome, u64)]) -> Tally {
    let mut tally = Tally::default();
    for (outcome, n) in outcomes {
        tally.add(*outcome, *n);
    }
    tally
}

fn progress(done: u64, planned: u64) -> ChangeEvent {
    ChangeEvent::Progress(Progress {
        phase: "deleting",
        tally: tally(&[(Outcome::Done, done)]),
        planned,
        back: None,
        per_s: 1000.0,
        left: Some(Duration::from_secs(3)),
        longest_block: Duration::from_millis(6),
        waits: None,
    })
}

fn summary(outcomes: &[(Outcome, u64)], notes: &[&str]) -> ChangeEvent {
    ChangeEvent::Ended(Summary {
        change: Change::Delete,
        queue: orders(),
        tally: tally(outcomes),
        journal_id: Some("abc".to_owned()),
        elapsed: Duration::from_secs(2),
        longest_block: Duration::from_millis(6),
        listening: None,
        helped: None,
        notes: notes.iter().map(|&note| note.to_owned()).collect(),
    })
}

/// A desk where a deletion of so many entries was begun.
fn running(count: u64) -> (Desk, u64) {
    let mut desk = desk();
    let generation = generation(&desk.char('x'));
    planned(&mut desk, generation, plan(Change::Delete, count));
    if dialog(&desk.model).is_some() {
        if count <= 1000 {
            desk.char('y');
        } else {
            desk.type_in("orders");
            desk.press(Code::Enter);
        }
    }
    assert!(desk.model.changing.running().is_some());
    desk.open.clear();
    (desk, generation)
}

/// The same with its panel on the screen.
fn long(count: u64) -> (Desk, u64) {
    let (mut desk, generation) = running(count);
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        progress(10, count),
    )));
    desk.pass(500);
    assert!(change::progress::queries::has_keys(&desk.model));
    (desk, generation)
}

fn orders_given(effects: &[Effect]) -> Vec<Order> {
    let order = |effect: &Effect| match effect {
        Effect::Change(change::Effect::Order(_, order)) => Some(*order),
        _ => None,
    };
    effects.iter().filter_map(order).collect()
}

#[test]
fn what_is_done_at_once_has_no_panel_and_what_takes_its_time_has_one() {
    let (mut desk, generation) = running(5_000);
    assert!(!change::progress::queries::is_shown(&desk.model));
    let wake = wakes_at(&desk.model).unwrap();
    assert!(wake <= desk.model.instant + Duration::from_millis(250));
    let rows = layout::rows::entry_rows(&desk.model);
    desk.pass(250);
    assert!(layout::areas(&desk.model).bulk.shown());
    assert!(layout::rows::entry_rows(&desk.model) < rows);
    let done = summary(&[(Outcome::Done, 5_000)], &[]);
    desk.tell(Msg::Change(change::Msg::Applied(generation, done)));
    assert!(!layout::areas(&desk.model).bulk.shown());
    assert_eq!(layout::rows::entry_rows(&desk.model), rows);
}

#[test]
fn space_pauses_and_goes_on_and_esc_stops_without_a_question() {
    let (mut desk, _) = long(5_000);
    let says = |desk: &Desk| hints::hints(&desk.model)[0].word;
    assert_eq!(says(&desk), "pause");
    assert_eq!(orders_given(&desk.char(' ')), [Order::Pause]);
    assert_eq!(says(&desk), "go on");
    assert_eq!(orders_given(&desk.char(' ')), [Order::Go]);
    assert_eq!(orders_given(&desk.press(Code::Esc)), [Order::Stop]);
    assert!(dialog(&desk.model).is_none());
    // It stops already.
    assert_eq!(orders_given(&desk.char(' ')), []);
    assert_eq!(orders_given(&desk.press(Code::Esc)), []);
    assert!(toast(&desk).contains("stops already"), "{}", toast(&desk));
    assert!(desk.model.marks.is_empty());
}

#[test]
fn all_other_keys_act_below_and_tab_leaves_space_and_esc_to_it() {
    let (mut desk, _) = long(5_000);
    let at = desk.model.stand().cursor;
    desk.char('j');
    assert_eq!(desk.model.stand().cursor, at + 1);
    desk.press(Code::Tab);
    assert!(!change::progress::queries::has_keys(&desk.model));
    desk.model.focus = Pane::Entries;
    assert_eq!(orders_given(&desk.char(' ')), []);
    assert!(!desk.model.marks.is_empty());
    desk.press(Code::Esc);
    assert!(desk.model.marks.is_empty());
    // Round, and there it is again.
    for _ in 0..4 {
        if !change::progress::queries::has_keys(&desk.model) {
            desk.press(Code::Tab);
        }
    }
    assert!(change::progress::queries::has_keys(&desk.model));
    assert_eq!(orders_given(&desk.char(' ')), [Order::Pause]);
}

#[test]
fn what_it_tries_to_get_over_is_told_until_it_goes_on() {
    let (mut desk, generation) = long(5_000);
    let trouble = ChangeEvent::Trouble("Redis is loading.".to_owned());
    desk.tell(Msg::Change(change::Msg::Applied(generation, trouble)));
    let told = |desk: &Desk| desk.model.changing.running().unwrap().1.trouble.clone();
    assert_eq!(told(&desk).as_deref(), Some("Redis is loading."));
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        progress(10, 5_000),
    )));
    assert!(told(&desk).is_some(), "nothing was done since");
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        progress(11, 5_000),
    )));
    assert_eq!(told(&desk), None);
}

#[test]
fn the_end_says_what_was_done_and_offers_to_take_it_back() {
    let cases = [
        (vec![(Outcome::Done, 3)], "3 deleted · u undo", Tone::Good),
        (
            vec![(Outcome::Done, 2), (Outcome::Gone, 1)],
            "2 of 3 deleted; 1 of 3 was already gone · u undo",
            Tone::Warn,
        ),
        (
            vec![(Outcome::Gone, 3)],
            "0 of 3 deleted; 3 of 3 were already gone",
            Tone::Warn,
        ),
        (
            vec![(Outcome::Done, 1), (Outcome::Unknown, 2)],
            "1 of 3 deleted, 2 with unknown outcome · u undo",
            Tone::Error,
        ),
    ];
    for (outcomes, said, tone) in cases {
        let (mut desk, generation) = running(3);
        desk.tell(Msg::Change(change::Msg::Applied(
            generation,
            summary(&outcomes, &[]),
        )));
        assert_eq!(toast(&desk), said);
        assert_eq!(desk.model.toast.as_ref().unwrap().tone, tone);
    }
}

#[test]
fn what_cannot_be_undone_offers_no_key_for_it() {
    for (warning, offers) in [
        ("This is a warning.", true),
        (Plan::HAD_NO_DUE_TIME, false),
        (Plan::MAY_COME_TWICE, false),
    ] {
        let mut desk = desk();
        let generation = generation(&desk.char('x'));
        let mut plan = plan(Change::Requeue, 2);
        plan.warnings = vec![warning.to_owned()];
        planned(&mut desk, generation, plan);
        desk.char('y');
        let done = summary(&[(Outcome::Done, 2)], &[]);
        desk.tell(Msg::Change(change::Msg::Applied(generation, done)));
        assert_eq!(toast(&desk).contains("u undo"), offers, "{warning}");
    }
}

#[test]
fn what_was_done_to_one_entry_names_it_and_says_what_became_of_it() {
    let told = |change, outcome, late: bool| {
        let mut desk = desk();
        let generation = generation(&desk.char('x'));
        let mut plan = plan(change, 1);
        plan.first = vec![EntryId([7; 8])];
        plan.says = vec!["{\"orderId\":472861}".to_owned()];
        let due = plan.at.plus(if late { -1_000 } else { 1_000 });
        (plan.oldest, plan.newest) = (Some(Due::At(due)), Some(Due::At(due)));
        planned(&mut desk, generation, plan);
        desk.char('y');
        let ended = super::ended(change, tally(&[(outcome, 1)]));
        desk.tell(Msg::Change(change::Msg::Applied(generation, ended)));
        toast(&desk).to_owned()
    };
    let entry = "{\"orderId\":472861} (0707070707070707)";
    assert_eq!(
        told(Change::Delete, Outcome::Done, true),
        format!("deleted {entry}")
    );
    assert_eq!(
        told(Change::Delete, Outcome::Gone, true),
        format!("not deleted: {entry} was already transferred")
    );
    assert_eq!(
        told(Change::Delete, Outcome::Gone, false),
        format!("not deleted: {entry} was already gone")
    );
    assert_eq!(
        told(Change::Requeue, Outcome::Changed, false),
        format!("0 of 1 requeued, 1 changed: {entry}")
    );
}

#[test]
fn what_was_done_to_several_says_what_became_of_the_rest() {
    let mut desk = desk();
    let generation = generation(&desk.char('x'));
    let mut plan = plan(Change::Delete, 3);
    let late = Due::At(plan.at.plus(-1_000));
    (plan.oldest, plan.newest) = (Some(late), Some(late));
    planned(&mut desk, generation, plan);
    desk.char('y');
    let outcomes = [(Outcome::Done, 1), (Outcome::Gone, 2)];
    let ended = super::ended(Change::Delete, tally(&outcomes));
    desk.tell(Msg::Change(change::Msg::Applied(generation, ended)));
    assert_eq!(
        toast(&desk),
        "1 of 3 deleted; 2 of 3 were already transferred"
    );
}

#[test]
fn why_an_entry_was_not_done_is_said_and_can_be_looked_at() {
    let (mut desk, generation) = running(1);
    let result = EntryResult {
        id: EntryId([7; 8]),
        outcome: Outcome::Refused,
        reason: Some("the server is full".to_owned()),
    };
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        ChangeEvent::Results(vec![result]),
    )));
    desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        summary(&[(Outcome::Refused, 1)], &[]),
    )));
    assert_eq!(
        toast(&desk),
        "0 of 1 deleted, 1 refused: the server is full"
    );
    desk.pass(300);
    desk.char('6');
    let asked = desk.press(Code::Enter);
    assert!(
        !asked
            .iter()
            .any(|e| matches!(e, Effect::Journal(journal::Effect::ReadChange { .. })))
    );
    let Some(Overlay::Change(view)) = &desk.model.overlay else {
        panic!("not opened");
    };
    assert_eq!(view.own.as_ref().unwrap().not_done[0].id, EntryId([7; 8]));
}

#[test]
fn one_that_could_not_begin_says_why_and_leaves_no_trace() {
    let (mut desk, generation) = running(1);
    let failed = ChangeEvent::Failed("there is no room for the journal".to_owned());
    desk.tell(Msg::Change(change::Msg::Applied(generation, failed)));
    assert_eq!(
        toast(&desk),
        "nothing deleted: there is no room for the journal"
    );
    assert_eq!(desk.model.toast.as_ref().unwrap().tone, Tone::Error);
    assert!(desk.model.changing.one.is_none());
    assert_eq!(desk.model.changes_here().count(), 0);
}

/// What the journal says.
fn past(id: &str, undone: bool) -> PastChange {
    PastChange {
        under_way: false,
        id: id.to_owned(),
        at: START.plus(-1_000),
        change: Change::Delete,
        queue: "orders".to_owned(),
        server: "prod:6379/0".to_owned(),
        planned: 3,
        ended: Some(tally(&[(Outcome::Done, 2), (Outcome::Gone, 1)])),
        undone,
    }
}

fn journal_asked(effects: &[Effect]) -> Option<u64> {
    effects.iter().find_map(|effect| match effect {
        Effect::Journal(journal::Effect::ReadJournal { generation }) => Some(*generation),
        _ => None,
    })
}

#[test]
fn the_journal_is_read_when_its_tab_is_opened_and_after_each_change() {
    let (mut desk, generation) = running(1);
    let asked = desk.tell(Msg::Change(change::Msg::Applied(
        generation,
        summary(&[(Outcome::Done, 1)], &[]),
    )));
    let read = journal_asked(&asked).unwrap();
    assert_eq!(desk.model.changes_here().count(), 1);
    desk.pass(300);
    // One reading at a time.
    assert_eq!(journal_asked(&desk.char('6')), None);
    let result = Ok(vec![past("abc", false), past("old", true)]);
    let asked = desk.tell(Msg::Journal(journal::Msg::JournalRead {
        generation: read,
        result,
    }));
    assert!(journal_asked(&asked).is_some(), "asked for since");
    let texts: Vec<_> = desk.model.changes_here().map(|l| l.text.clone()).collect();
    assert_eq!(texts, ["2 of 3 deleted, 1 moved on"; 2]);
}

#[test]
fn u_in_the_tab_of_the_changes_takes_back_the_one_under_the_cursor() {
    let mut desk = desk();
    let read = journal_asked(&desk.char('6')).unwrap();
    let result = Ok(vec![past("new", true), past("old", false)]);
    desk.tell(Msg::Journal(journal::Msg::JournalRead {
        generation: read,
        result,
    }));
    let undone = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Change(change::Effect::PlanUndo { id, .. }) => Some(id.clone()),
            _ => None,
        })
    };
    assert_eq!(undone(&desk.char('u')), None);
    assert!(toast(&desk).contains("undone already"));
    desk.char('j');
    desk.press(Code::Enter);
    assert!(matches!(desk.model.overlay, Some(Overlay::Change(_))));
    assert_eq!(undone(&desk.char('u')), Some(Some("old".to_owned())));
    assert_eq!(desk.model.overlay, None);
}

#[test]
fn a_change_of_another_session_is_looked_up_in_the_journal() {
    let mut desk = desk();
    let read = journal_asked(&desk.char('6')).unwrap();
    desk.tell(Msg::Journal(journal::Msg::JournalRead {
        generation: read,
        result: Ok(vec![past("old", false)]),
    }));
    let asked = desk.press(Code::Enter);
    let generation = asked.iter().find_map(|effect| match effect {
        Effect::Journal(journal::Effect::ReadChange { generation, id }) if id == "old" => {
            Some(*generation)
        }
        _ => None,
    });
    let explained = JournalAccount {
        id: "old".to_owned(),
        tally: Tally::default(),
        not_done: Vec::new(),
    };
    desk.tell(Msg::Journal(journal::Msg::ChangeRead {
        generation: generation.unwrap(),
        result: Ok(explained.clone()),
    }));
    let Some(Overlay::Change(view)) = &desk.model.overlay else {
        panic!("not opened");
    };
    assert_eq!(view.explained, Some(Ok(explained)));
}

#[test]
fn a_journal_that_cannot_be_read_says_so_in_its_tab() {
    let mut desk = desk();
    let read = journal_asked(&desk.char('6')).unwrap();
    let result = Err("permission denied".to_owned());
    desk.tell(Msg::Journal(journal::Msg::JournalRead {
        generation: read,
        result,
    }));
    assert_eq!(desk.model.tab, Tab::Changes);
    assert_eq!(
        desk.model.changes.trouble.as_deref(),
        Some("permission denied")
    );
}

#[test]
fn leaving_while_a_change_is_under_way_asks_and_says_what_becomes_of_it() {
    let (mut desk, _) = long(5_000);
    let asked = desk.key(keys::Key::ctrl('c'));
    assert!(!asked.contains(&Effect::Quit));
    let asked = format!("{:?}", dialog(&desk.model).unwrap().lines);
    assert!(asked.contains("A delete of orders is under way, 10 of 5,000 entries"));
    assert!(desk.char('y').contains(&Effect::Quit));
}
