//! A repair has one name, wherever it is spoken of.

use delayscope::queue::Known;
use delayscope::queue::Repair as Row;
use delayscope::queue::change::ChangeRequest;
use delayscope::queue::change_event::ChangeEvent;
use delayscope::queue::finding::{Act, Advice, Step};
use delayscope::tui::change;
use delayscope::tui::findings;

use delayscope::tui::keys::Code;
use delayscope::tui::msg::Msg;
use delayscope::tui::tabs::Tab;

use super::repairs::{finding, go, sick};
use super::{desk, dialog, generation, plan, planned, toast};
use crate::desk::Desk;

/// What the question about a repair is called, and what its yes says.
fn asked_by(desk: &mut Desk) -> (String, &'static str) {
    let under_way = desk.model.changing.one.as_ref().unwrap();
    let (generation, change) = (under_way.generation, under_way.change);
    planned(desk, generation, plan(change, 2));
    let dialog = dialog(&desk.model).unwrap();
    (dialog.title.clone(), dialog.yes)
}

#[test]
fn a_repair_has_the_same_name_in_the_menu_in_its_question_and_when_it_is_over() {
    for &row in Row::ALL {
        let name = row.label();
        if matches!(row, Row::Worker | Row::Requeue | Row::Kick) {
            // They ask in their own way, or nothing.
            continue;
        }
        let mut desk = sick();
        let first = &mut desk.model.queues[0];
        let steps = [ChangeRequest::RenameTaken, ChangeRequest::Score].map(Step::Change);
        let steps = steps.into_iter().chain([Step::KeepOne]);
        first
            .findings
            .extend(steps.map(|step| finding("sick", step)));
        let pulse = first.pulse.as_mut().unwrap();
        pulse.order = Known::Is(pulse.waiting.get().unwrap() + 1);
        go(&mut desk, row);
        let generation = generation(&desk.press(Code::Enter));
        let (title, yes) = asked_by(&mut desk);
        assert_eq!(title.to_lowercase(), format!("{name}?"));
        assert!(yes.contains(name), "{name}: {yes}");
        desk.pass(1_000);
        desk.char('y');
        desk.tell(Msg::Change(change::Msg::Applied(
            generation,
            ChangeEvent::Failed("x".to_owned()),
        )));
        let said = toast(&desk).to_owned();
        let stem = match row {
            Row::DeliverStrays => "delivered",
            Row::KeepOne => "delete",
            _ => &name[..name.len().min(6)],
        };
        assert!(said.contains(stem), "{name}: {said}");
    }
}

#[test]
fn the_repair_of_a_finding_is_told_with_the_key_that_makes_it() {
    let said = |advice: Advice, step: Step| {
        let mut desk = desk();
        let mut found = finding("sick", step);
        found.repair.sentence = advice;
        desk.model.queues[0].findings = vec![found];
        desk.model.tab = Tab::Findings;
        let told = findings::listed(&desk.model)[0];
        findings::lines::to_do(&desk.model, &told)
    };
    let does = |words: &str| Advice::of(words).by(Act::Repair, ".");
    let unwrap = || Step::Change(ChangeRequest::Unwrap);
    assert_eq!(said(does("Remove them"), unwrap()), "Remove them (R).");
    assert_eq!(said(does("Wait"), Step::Outside), "Wait (R).");
}
